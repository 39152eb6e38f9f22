#!/bin/bash
# --apply: what goes back to the host, and what must not. usage: tests/cli/apply.sh BUILD
"$(dirname "$0")/../../tools/need" attr acl || exit 1
. "$(dirname "$0")/harness" "$1"

# state DIR: all there is to see of a tree
state() {
	(cd "$1" && find . -mindepth 1 -type d -printf '%P %m\n' -o ! -type d -printf '%P %y %m %l %Ts\n' | sort &&
		find . -type f -print0 | sort -z | xargs -0 md5sum)
}

# fresh: the tree src, as each test begins
fresh() {
	chmod -R u+w src 2> /dev/null
	rm -rf src outside && mkdir -p src/d/e src/gone/x src/fromdir src/lock src/.git outside
	seq 100 > src/a
	echo one > src/one
	echo x > src/d/x
	seq 50 > src/d/e/moved
	printf '\0\1\2bin' > src/bytes
	ln -s a src/link
	ln -s bytes src/tofile
	echo 1 > src/gone/x/y
	: > $'src/we\nird'
	echo d > src/todir
	echo z > src/fromdir/z
	echo 1 > src/lock/f
	echo 1 > src/.git/config
	echo secret > outside/file
	chmod 640 src/one
}
run() { "$cowsh" --clock @1700000000 --mount src:/s --cwd /s "$@" > out 2> err; }
apply() { run --apply -c "$1"; }

# during SCRIPT CHANGE: applies SCRIPT; the host makes its change before the run ends
during() {
	rm -f go out && mkfifo go && : > out
	"$cowsh" --mount src:/s --cwd /s --apply -c "$1; echo ready; read x; :" < go > out 2> err &
	exec 9> go
	until grep -q ready out; do sleep 0.01; done
	eval "$2"
	exec 9>&-
	wait $!
	status=$?
}
message() { sed 's/^cowsh: --apply: //' err | tr '\n' '|' | sed 's/|$//'; }

# --- everything that can change ---
script='sed -i "s/^50\$/fifty/" a; chmod +x a; mkdir n; echo new > "n/f q"; printf "a\0b" > bin
	ln -s a l; mv d/x d/y; mv d/e d/f; : > empty; ln -sfn d link; rm -r gone; printf "\3" >> bytes
	rm tofile todir; echo file > tofile; mkdir todir; echo i > todir/i; rm -r fromdir; echo f > fromdir
	echo 1 > $'"'we\\nird'"'; echo 2 > .git/config; mkdir -p deep/er; echo 1 > deep/er/f; chmod 555 deep/er
	echo 2 > lock/g; chmod 500 lock; touch -d @1000 d/y; touch -h -d @2000 l; mkdir -m 1777 t'
fresh
rm -rf want && mkdir want
"$cowsh" --clock @1700000000 --mount src:/s --cwd /s -c "$script; cd /s; tar cf - ." | tar -xpf - -C want
run --apply=dry-run -c "$script"
check 'a rehearsal: status' 0 $?
check 'what it would do' \
	'would replace /s/a (295 bytes)|would create /s/n/f q (4 bytes)|would remove /s/d/x|would replace "/s/we\nird" (2 bytes)|would make directory /s/todir' \
	"$(grep -e '/s/a (' -e 'n/f' -e 'd/x' -e ird -e 'todir$' err | sort -k3 | awk '{k=$0; o[k]=1} END {for (k in o) print k}' |
		awk '/s.a /{print 1, $0} /n.f/{print 2, $0} /d.x/{print 3, $0} /ird/{print 4, $0} /todir/{print 5, $0}' | sort | cut -c3- | tr '\n' '|' | sed 's/|$//')"
fresh2=$(state src)
run --apply=dry-run -c "$script"
check 'it does nothing' "$fresh2" "$(state src)"
apply "$script"
check 'applied: status' '0 ' "$? $(< err)"
check 'the directory is what the sandbox made of it' "$(state want)" "$(state src)"
apply 'cat a > /dev/null; ls -R > /dev/null'
check 'nothing changed: nothing to do' '0 ' "$? $(< err)"
check 'no name is left behind' '' "$(find src -name '.cowsh*')"

fresh
chmod 2775 src/d
apply 'chmod 700 d; chmod 4755 a; umask 077; echo > new; chmod u+s new'
check 'set-id bits do not come out of the sandbox, those of the host stay' '2700 755 600 set-id bits left out: 2 (--apply=owners brings them)' \
	"$(stat -c %a src/d src/a src/new | tr '\n' ' ')$(message)"
fresh
chmod 4755 src/a; chmod 6755 src/one; chmod 1777 src/d
apply 'chmod 4700 a; chmod u-s one; mkdir -m 3750 n; touch -d @5 n; chmod 1700 d; touch -d @7 d; chmod 1644 bytes'
check 'what the host has stays or goes, others are exact' '0 4700 2755 3750 5 1700 7 1644' \
	"$? $(stat -c %a src/a src/one | tr '\n' ' ')$(stat -c '%a %Y' src/n src/d | tr '\n' ' ')$(stat -c %a src/bytes)"
fresh
chmod 4755 src/a
apply 'echo mine >> a; chmod 4755 a'
check 'new content has no set-id bit of the old one' '755 set-id bits left out: 1 (--apply=owners brings them)' "$(stat -c %a src/a) $(message)"
owners='chown 5:6 a; echo > new; chown 7:8 new; mkdir n; chgrp 9 n; ln -s x l; chown -h 5:5 l; chmod 4711 one; echo 1 > plain; chmod u+s new'
fresh
run --user root --apply -c "$owners"
check 'owners do not come out' "0 $(id -u) owners left out: 4 (--apply=owners brings them)|set-id bits left out: 2 (--apply=owners brings them)" "$? $(stat -c %u src/a) $(message)"
if [ "$(id -u)" = 0 ]; then
	fresh
	run --user root --apply=owners -c "$owners"
	check 'but when asked for' '0 5:6 7:8 0:9 0:0 4644 4711 owners left out: 1' \
		"$? $(stat -c %u:%g src/a src/new src/n src/plain | tr '\n' ' ')$(stat -c %a src/new src/one | tr '\n' ' ')$(message)"
fi
apply 'truncate -s 20G sparse; echo end >> sparse'
check 'holes stay holes' '21474836484 yes' "$(stat -c '%s %b' src/sparse | awk '{print $1, $2 < 100 ? "yes" : $2}')"
rm src/sparse
apply 'head -c 30000000 /dev/urandom > big; md5sum big'
check 'large files come whole' "$(cut -d' ' -f1 out)" "$(md5sum src/big | cut -d' ' -f1)"
fresh
"$cowsh" --mount src:/s --mount outside:/o:ro --apply -c 'echo 1 > /s/new; echo 2 > /o/file; echo 3 > /tmp/x' 2> err
check 'read-only mounts and the rest of the sandbox stay inside' '1 secret' "$(cat src/new outside/file | tr '\n' ' ' | sed 's/ $//')"
"$cowsh" --mount src:/s --mount outside:/s/d --apply -c 'echo 1 > /s/d/new; echo 2 > /s/new2' 2> err
check 'a mount in a mount' 'outside/new src/new2' "$(ls outside/new src/d/new src/new2 2> /dev/null | tr '\n' ' ' | sed 's/ $//')"
fresh
apply 'echo > new; exit 7'
check 'a script that fails is applied: its status' '7 src/new' "$? $(ls src/new)"
run --apply --limit steps=100000 -c 'echo > new2; while :; do :; done'
check 'one that is stopped is not' '137 cowsh: --apply: the run was stopped: nothing is applied ' "$? $(tail -n 1 err) $(ls src/new2 2> /dev/null)"

# --- conflicts ---
fresh; during 'echo mine > a; echo mine > d/x' 'echo host > src/a'
check 'the host wrote the file' '3 /s/a: conflict: it was changed on the host meanwhile' "$status $(message)"
check 'it keeps what the host wrote, others are applied' 'host mine' "$(cat src/a src/d/x | tr '\n' ' ' | sed 's/ $//')"
fresh; during 'echo mine > a' 'cp -p src/a x; rm src/a; cp -p x src/a'
check 'another file of the same content and time' '3 /s/a: conflict: it was changed on the host meanwhile' "$status $(message)"
fresh; during 'echo mine > a' 'chmod 600 src/a'
check 'only its mode' '3 /s/a: conflict: it was changed on the host meanwhile' "$status $(message)"
fresh; during 'echo mine > a' 'rm src/a'
check 'the host removed it' '3 /s/a: conflict: it was changed on the host meanwhile ' "$status $(message) $(ls src/a 2> /dev/null)"
fresh; during 'echo mine > new' 'echo host > src/new'
check 'both made it' '3 /s/new: conflict: the host has something new there host' "$status $(message) $(cat src/new)"
fresh; during 'mkdir new; echo mine > new/f' 'mkdir src/new'
check 'both made the directory' '3 /s/new: conflict: the host has something new there|/s/new/f: conflict: the host has something new there ' "$status $(message) $(ls src/new)"
fresh; during 'chmod 600 a' 'echo host > src/a'
check 'a mode of a changed file' '3 /s/a: conflict: it was changed on the host meanwhile' "$status $(message)"
fresh; during 'ln -sfn one link' 'ln -sfn two src/link'
check 'a link' '3 /s/link: conflict: it was changed on the host meanwhile two' "$status $(message) $(readlink src/link)"
fresh; during 'rm a one' 'echo host > src/a'
check 'what was changed is not removed' '3 /s/a: conflict: it was changed on the host meanwhile|/s/one: not removed, because something else could not be applied' "$status $(message)"
check 'nor is anything else then' 'host one' "$(cat src/a src/one | tr '\n' ' ' | sed 's/ $//')"
fresh; during 'mv one two; echo mine > a' 'echo host > src/two'
check 'a rename that cannot be: nothing is lost' '3 one host' "$status $(cat src/one src/two | tr '\n' ' ' | sed 's/ $//')"
fresh; during 'rm -r gone' 'echo host > src/gone/new'
check 'a directory into which the host wrote' '3 /s/gone: conflict: the host has something new there host' "$status $(message) $(cat src/gone/new)"
fresh; during 'rm -r fromdir; echo mine > fromdir' 'echo host > src/fromdir/new'
check 'one that a file was to replace' '3 /s/fromdir: conflict: the host has something new there host' "$status $(message) $(cat src/fromdir/new)"
check 'no name is left behind then' '' "$(find src -name '.cowsh*')"
fresh; during 'echo mine > d/x' 'touch src/other; mkdir src/d/new'
check 'changes elsewhere are none of it' '0 mine' "$status$(message) $(cat src/d/x)"

# --- the host is hostile ---
fresh; during 'echo mine > d/x; echo mine > d/new' 'mv src/d src/moved; ln -s ../outside src/d'
check 'a directory that became a link leads nowhere' 3 $status
check 'nothing is written behind it' 'file' "$(ls outside)"
check 'nor where the directory went' 'x x' "$(cat src/moved/x) $(ls src/moved/new 2> /dev/null)x"
fresh; during 'mkdir new; echo mine > new/file' 'ln -s ../outside src/new'
check 'a link planted where a directory is to be' '3 secret' "$status $(cat outside/file)"
fresh; during 'echo mine > new' 'ln -s ../outside/file src/new'
check 'a link planted where a file is to be' '3 secret' "$status $(cat outside/file)"
fresh; during 'echo mine > a' 'ln -sf ../outside/file src/a'
check 'a file that became a link' '3 secret' "$status $(cat outside/file)"
fresh; ln outside/file src/hard
apply 'echo mine > hard'
check 'a hard link to a file elsewhere: that one keeps its content' '0 secret mine' "$? $(cat outside/file src/hard | tr '\n' ' ' | sed 's/ $//')"
fresh; ln outside/file src/hard; chmod 600 outside/file; touch -d @9 outside/file
apply 'chmod 777 hard; touch -d @100 hard'
check 'nor does that one get another mode or time' '0 600 9 777 100 secret' "$? $(stat -c '%a %Y' outside/file src/hard | tr '\n' ' ')$(cat src/hard)"
fresh; ln src/a src/b; ln src/a src/c
apply 'echo 1 > a; echo 2 > b; rm c'
check 'names of one file, changed together' '0 1 2' "$? $(cat src/a src/b | tr '\n' ' ' | sed 's/ $//')$(message)"
fresh; during 'echo mine > a; echo mine > new' 'rm src/a; mkfifo src/a src/new'
check 'pipes in the way do not block' '3 /s/a: conflict: it was changed on the host meanwhile|/s/new: conflict: the host has something new there' "$status $(message)"
fresh; during 'echo mine > d/x' 'rm -r src/d; mkfifo src/d'
check 'nor in place of a directory' '3 /s/d/x: conflict: it was changed on the host meanwhile' "$status $(message)"
fresh; during 'echo mine > d/x' 'mv src/d src/e; mkdir src/d; cp -p src/e/x src/d/x'
check 'another directory of the same name' '3 /s/d/x: conflict: it was changed on the host meanwhile' "$status $(message)"

# While it is applied a directory is a link half of the time.
fresh; mkdir src/flip; touch src/flip/{1..300}
( cd src || exit; ln -s ../outside other
	while [ ! -e ../stop ]; do mv flip f2; mv other flip; mv flip other; mv f2 flip; done ) 2> /dev/null &
apply 'for i in flip/*; do echo mine > $i; echo mine > $i.new; done'
touch stop; wait $!
check 'a directory that flips to a link and back' 'file secret' "$(ls outside) $(cat outside/file)"
check 'no name is left behind by it' '' "$(find src outside -name '.cowsh*')"

# --- the script is hostile ---
fresh
apply 'ln -s ../outside out; ln -s / root; cd out 2> /dev/null && echo mine > file; echo mine > out/file'
check 'links out of the mount lead nowhere' 'secret ../outside' "$(cat outside/file) $(readlink src/out)"
fresh
apply 'rm -r d; ln -s ../outside d; rm one; mkdir one; echo 1 > one/x'
check 'a directory replaced by a link, a file by a directory' '0 ../outside 1 file' "$? $(readlink src/d) $(cat src/one/x) $(ls outside)"
fresh
apply 'mkdir -p "..." "a b/-rf"; echo 1 > .../$'"'\\n'"'; echo 2 > "a b/-rf/*"; printf x > $'"'\\377\\001'"'; echo > $(printf %0255d 0)'
check 'names of all kinds' '0 1 2 x 1' "$? $(cat src/.../* "src/a b/-rf/*" src/$'\377\001' | tr '\n' ' ') $(cat src/0000* | wc -c)"
fresh
apply 'mkfifo p; echo 1 > new'
check 'a pipe is not applied, the rest is' '3 /s/p: neither a file nor a directory nor a link 1' "$? $(message) $(cat src/new)"
fresh
apply 'i=0; while [ $i -lt 300 ]; do mkdir deep; cd deep; i=$((i + 1)); done; echo end > f'
check 'deep directories' '0 end' "$? $(cat "src/$(printf 'deep/%.0s' {1..300})f")"
fresh
apply 'mv /s /t 2> /dev/null; rm -rf /s; mkdir -p /s; echo 1 > /s/new' ; :
check 'the mounted directory itself stays' 'src' "$(ls -d src)"
fresh
apply 'echo mine > a; echo $'"'x\\ncowsh: forged'"' > $'"'n\\ncowsh: forged'"'; mkfifo $'"'p\\ncowsh: forged'"
check 'names cannot forge messages' '1 0' "$(wc -l < err) $(grep -c '^cowsh: forged' err)"

# --- errors of the host ---
if [ "$(id -u)" = 0 ]; then user="setpriv --reuid 65534 --regid 65534 --clear-groups"; else user=; fi
fresh
chmod 777 . src; chmod 755 src/d; cp "$cowsh" ./program; [ -z "$user" ] || chown -R 65534:65534 src
chmod 555 src/d
$user ./program --mount src:/s --user root --apply -c 'echo 1 > /s/d/new; echo 2 > /s/new; rm /s/one' 2> err
check 'no permission for one' "3 /s/d/new: Permission denied|/s/one: not removed, because something else could not be applied 2" "$? $(message) $(cat src/new)"
fresh
chmod 777 . src; [ -z "$user" ] || chown -R 65534:65534 src
$user ./program --mount src:/s --cwd /s --user root --apply=owners -c 'chown 5:6 a one; chmod 4755 one bytes' 2> err
check 'an owner that the user may not set, and no set-id bit for another' "0 755 4755 owners left out: 2|set-id bits left out: 1" \
	"$? $(stat -c %a src/one src/bytes | tr '\n' ' ')$(message)"
fresh
chmod 777 . src; [ -z "$user" ] || chown -R 65534:65534 src
chmod 555 src/d
$user ./program --mount src:/s --cwd /s --apply -c 'chmod 755 d; echo 1 > d/new; chmod 500 lock; echo 3 > a' 2> err
check 'a mode that lets in, and one that shuts' '0 1 500' "$? $(cat src/d/new) $(stat -c %a src/lock)"
(ulimit -f 2000; $user ./program --mount src:/s --cwd /s --apply -c 'head -c 10000000 /dev/zero | tr "\0" x > big; echo 1 > small' 2> err; echo $? > status)
check 'a file too large for the host' '3 /s/big: File too large 1' "$(< status) $(message) $(cat src/small)$(ls src/big 2> /dev/null)"
check 'no name is left behind after errors' '' "$(find src -name '.cowsh*')"

# --- other ways ---
fresh
if command -v script > /dev/null; then
	printf 'echo mine > /s/a\nexit\n' | script -qec "$cowsh --mount src:/s --apply --diff" typed > out 2>&1
	check 'an interactive session is applied at its end' 'mine M /s/a' "$(cat src/a) $(grep -ao 'M /s/a' out)"
fi
# Filesystems that can't exchange: every first try fails.
if command -v strace > /dev/null && strace true 2> /dev/null && ! nm "$cowsh" | grep -q __asan_init; then
	fresh
	strace -f -qq -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EINVAL:when=1+2 \
		"$cowsh" --no-lockdown --mount src:/s --cwd /s --apply -c 'echo mine > a; echo mine > new
		mkdir n; ln -sfn d link; rm one' 2> err
	check 'without exchange' '0 mine mine d src/n' "$? $(cat src/a src/new | tr '\n' ' ')$(readlink src/link) $(ls -d src/n src/one 2> /dev/null)$(message)"
	check 'no name is left behind without exchange' '' "$(find src -name '.cowsh*')"

	# Content reaches the disk before its name, and names before anything is removed.
	fresh
	strace -f -qq -o calls -e trace=fsync,renameat2,unlinkat,pwrite64 "$cowsh" --no-lockdown --mount src:/s --cwd /s \
		--apply -c 'echo mine > a; mv one two; mkdir n; mv d/x n/x'
	check 'the order of what must last' 'pwrite64 fsync renameat2 fsync renameat2 fsync pwrite64 fsync renameat2 fsync pwrite64 fsync' \
		"$(sed 's/^[0-9]* *//; s/(.*//' calls | awk 'n < 12 && /^[a-z]/ { n++; print }' | tr '\n' ' ' | sed 's/ $//')"
	# The terminal goes away, or all are asked to end, in the middle of a file.
	for signal in HUP TERM; do
		fresh
		strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:delay_enter=50000 "$cowsh" --no-lockdown \
			--mount src:/s --cwd /s --apply -c 'head -c 3000000 /dev/zero | tr "\0" x > a' 2> err &
		for ((i = 0; i < 200; i++)); do
			[ -z "$(find src -name '.cowsh*')" ] || break
			sleep 0.02
		done
		runner=$(pgrep -P $!)
		kill -$signal $runner $(pgrep -P "$runner")
		wait $! 2> /dev/null
		for ((i = 0; i < 100; i++)); do
			[ -n "$(find src -name '.cowsh*')" ] || break
			sleep 0.02
		done
		check "no name is left behind by SIG$signal" "yes  $(seq 100 | md5sum)" "$([ -n "$runner" ] && echo yes) $(find src -name '.cowsh*') $(md5sum < src/a)"
	done
	# A power cut: the broker dies before its Nth call that changes something.
	whole=y dead=0
	for call in pwrite64 ftruncate fsync renameat2 unlinkat fchmod utimensat mkdirat; do
		for n in 1 2 3 4; do
			fresh
			strace -f -qq -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=$n "$cowsh" --no-lockdown \
				--mount src:/s --cwd /s --apply -c 'seq 5000 > a; seq 7 > d/x; mkdir n; mv one n/two; rm bytes' > /dev/null 2>&1 &&
				break
			dead=$((dead + 1))
			case "$(md5sum < src/a) $(md5sum < src/d/x) $(cat src/one src/n/two 2> /dev/null | sort -u)" in
			"$(seq 100 | md5sum) $(echo x | md5sum) one" | "$(seq 5000 | md5sum) $(echo x | md5sum) one" | \
				"$(seq 5000 | md5sum) $(seq 7 | md5sum) one") ;;
			*) whole="$call $n" ;;
			esac
		done
	done
	check 'each file is the old one or the new one, wherever it stops, and none is lost' 'y yes' "$whole $([ $dead -gt 12 ] && echo yes)"
fi

# --- what the session does not see ---
fresh
if setfattr -n user.mime -v text src/a 2> err && setfacl -m u:65534:r src/a 2> err; then
	apply 'echo 1 >> a; chmod 640 one'
	check 'attributes and access lists of the host stay' 'user.mime="text" user:nobody:r-- 101' \
		"$(getfattr -d src/a | grep user) $(getfacl -p src/a | grep nobody) $(wc -l < src/a)"
else
	echo "skipped: attributes of the host's files: $(< err)"
fi

# --- content that goes where other content was, and was never read ---
fresh
seq 500000 520000 > src/b
apply 'mv a t; mv b a; mv t b; mv one d/x; mv d/e/moved one'
check 'files that change places' '0 500000 1 100 1 one' \
	"$? $(head -n 1 src/a) $(head -n 1 src/b) $(wc -l < src/b) $(head -n 1 src/one) $(< src/d/x)"
fresh
for i in {1..5}; do seq $i 20000 > src/log.$i; done
apply 'rm log.5; for i in 4 3 2 1; do mv log.$i log.$((i + 1)); done; echo new > log.1; mv todir link'
check 'files that move on' '0 new 1 2 3 4 d' "$? $(for i in {1..5}; do head -n 1 src/log.$i; done | paste -sd' ') $(< src/link)"
check 'and leave nothing behind' '' "$(find src -name '.cowsh*')"
fresh
during 'mv one d/one; mv a one; rm bytes; mv link tofile' 'echo host > src/d/one'
check 'what could not go on stays' '3 one 100 host bin' "$status $(< src/one) $(wc -l < src/a) $(< src/d/one) $(tail -c 3 src/bytes)"
check 'with nothing behind' '' "$(find src -name '.cowsh*')"

fresh
for i in 1 2 3; do echo old$i > src/s$i; done
apply 'for i in 1 2 3; do echo new$i > n; mv n s$i; done; echo x > a; mv s1 t; mv s2 s1; mv t s2'
check 'files whose new content has the size of the old one, which is compared' '0 new2 new1 new3 x' "$? $(cat src/s[123] src/a | paste -sd' ')"
fresh
for i in 1 2 3; do echo old$i > src/s$i; done
during 'echo x > a; mv s1 t; mv s2 s1; mv t s2; echo new3 > n; mv n s3' 'echo host > src/s2'
check 'content of which the session knows already comes back, too, where it could not go' '3 old1 host old3' "$status $(cat src/s[123] | paste -sd' ')"

# --- files of the same names that are not the mounted directory's ---
fresh
mkdir -p src/etc && echo of the host > src/etc/passwd && echo of the host > src/etc/hosts
"$cowsh" --user root --mount src/etc:/etc --apply -c 'echo mine >> /etc/passwd; rm /etc/hosts; echo new > /etc/new' 2> err
check "the sandbox's own" '3 /etc/hosts: conflict: it was changed on the host meanwhile|/etc/passwd: conflict: it was changed on the host meanwhile of the host of the host new' \
	"$? $(message) $(cat src/etc/passwd src/etc/hosts src/etc/new | tr '\n' ' ' | sed 's/ $//')"
mkdir other && echo other > other/one
"$cowsh" --mount src:/s --mount other:/s --apply -c 'echo mine >> /s/one' 2> err
check "another mount's" '3 one other' "$? $(cat src/one other/one | tr '\n' ' ' | sed 's/ $//')"
"$cowsh" --session saved --mount src:/s --apply -c 'cat /s/one; echo mine > /s/a' > out 2> err
check 'a session that is saved' '0 one mine' "$? $(cat out src/a | tr '\n' ' ' | sed 's/ $//')"
echo newer > src/one
"$cowsh" --session saved --mount src:/s --apply -c 'cat /s/one; echo mine >> /s/one; echo again >> /s/a' > out 2> err
check 'and that has older files than the host now' '3 /s/one: conflict: it was changed on the host meanwhile one newer mine again' \
	"$? $(message) $(cat out src/one src/a | tr '\n' ' ' | sed 's/ $//')"

# --- usage ---
check '--apply wants a plain path' "cowsh: --apply wants mounts at plain paths without links, not '/bin/x'" "$("$cowsh" --mount src:/bin/x --apply -c : 2>&1)"
check 'not the root' "cowsh: --apply: what is mounted at / can't be told from the sandbox's own files" "$("$cowsh" --mount src:/ --apply -c : 2>&1)"
check 'a bad value' "2 cowsh: --apply takes no value but \`owners\` and \`dry-run\`, not 'x'" "$("$cowsh" --apply=x -c : 2> err; echo "$? $(< err)")"
fresh
run --apply --json -c 'echo mine > a; mkfifo p'
check '--json' '3 {"list":[{"path":"/s/p","conflict":false,"error":"neither a file nor a directory nor a link"}],"applied":1,"failed":1,"owners_left_out":0,"set_id_left_out":0,"error":null}' "$? $(sed 's/.*"apply"://; s/}$//' out)"
fresh
run --apply --json --export p.patch --diff=unified -c 'echo mine > one; rm d/x'
check '--json, with patches' '0 2 1 mine {"stdout":"","s' "$? $(grep -c '^-one' err p.patch | grep -c ':1') $(grep -c '^-x' p.patch) $(< src/one) $(head -c 15 out)"
run --apply=dry-run --json -c 'echo other > a; rm one'
check '--json of a rehearsal' '{"list":[{"path":"/s/a","would":"replace","size":6},{"path":"/s/one","would":"remove","size":0}],"applied":0,"failed":0,"owners_left_out":0,"set_id_left_out":0,"error":null}' "$(sed 's/.*"apply"://; s/}$//' out)"

finish
