#!/bin/bash
# What a run has changed, as patches and as an archive: the real git, patch and tar make of them
# what the sandbox had. usage: tests/cli/export.sh BUILD
. "$(dirname "$0")/harness" "$1"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CEILING_DIRECTORIES=$work

# state DIR: names, types, whether executable, content
state() {
	(cd "$1" && find . -mindepth 1 -path ./.git -prune -o ! -type d -printf '%P|%y|%l|' \
		\( -perm -100 -printf x -o -printf - \) -printf '\n' | sort &&
		find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 md5sum)
}

mkdir -p src/d/e src/gone/x src/fromdir src/.git
seq 100 > src/a
seq 50 > src/d/e/moved
echo one > src/one
echo x > src/d/x
printf 'no newline' > src/unended
printf '\0\1\2bin' > src/bytes
ln -s a src/link
ln -s bytes src/tofile
echo 1 > src/gone/x/y
echo 1 > src/tolink
: > $'src/we\nird'
echo q > 'src/q"uo\te'
echo s > 'src/a b'
echo u > src/é
echo d > src/todir
echo z > src/fromdir/z
echo 1 > src/.git/config
cp -a src plain

text='sed -i "s/^50\$/fifty/" a; rm one; mkdir n; echo new > "n/f q"; mv d/x d/y; mv d/e d/f
	printf "no newline 2" > unended; rm -r gone; echo 1 > $'"'we\\nird'"'; echo r >> "q\"uo\\te"
	echo t >> "a b"; echo u >> é; printf "l1\r\nl2" > crlf'
rest='chmod +x a; : > empty; printf "a\0b" > bin; printf "\3" >> bytes; ln -s a new; ln -sf d link
	ln -sf a tolink; rm tofile todir; echo file > tofile; mkdir todir; echo i > todir/i
	rm -r fromdir; echo f > fromdir; echo 2 > .git/config'
in_src() { "$cowsh" --mount src:/s --cwd /s --changes-in /s "$@"; }

# wanted SCRIPT: ./want is what the sandbox has after it
wanted() {
	rm -rf want && mkdir want
	"$cowsh" --mount src:/s --cwd /s -c "$1
		cd /s; tar cf - ." | tar -xf - -C want
}

# --- git's form ---
wanted "$text;$rest"
in_src --export t.patch -c "$text;$rest"
rm -rf got && cp -a plain got
(cd got && git apply ../t.patch 2> ../err)
check 'git apply takes the patch' 0 $?
check 'and makes of it what was in the sandbox' "$(state want)" "$(state got)"
check 'of .git it says nothing' '' "$(grep '\.git' t.patch)"
check 'a rename is one' 'rename from d/e/moved rename to d/f/moved' "$(grep moved t.patch | grep rename | tr '\n' ' ' | sed 's/ $//')"
(cd got && git apply -R ../t.patch 2> ../err)
check 'git apply -R brings back what was' "$(state plain)" "$(state got)"
in_src --diff=git -c "$text;$rest" 2> t2.patch
check '--diff=git is the same on standard error' "$(< t.patch)" "$(< t2.patch)"
in_src --export none.patch -c 'cat a; touch -d @0 a' > out
check 'nothing changed: an empty patch' 0 "$(wc -c < none.patch)"

# --- unified ---
wanted "$text"
in_src --diff=unified -c "$text" 2> u.patch
rm -rf got && cp -a plain got
(cd got && patch -p1 -s < ../u.patch > ../err 2>&1)
check 'patch takes the unified form' 0 $?
check 'with the same result' "$(state want)" "$(state got)"

# --- tar ---
in_src --export - -c "$text;$rest" > t.tar
rm -rf got && mkdir got && tar -xf t.tar -C got
check 'the archive has what was added or changed, and whiteouts' \
	'./.wh.gone ./.wh.one ./a ./a_b ./bin ./bytes ./crlf ./d/.wh.e ./d/.wh.x ./d/f/moved ./d/y ./empty ./fromdir ./link ./n/f_q ./new ./q"uo\te ./todir/i ./tofile ./tolink ./unended ./we_ird ./é' \
	"$(cd got && find . -path ./.git -prune -o ! -type d -print0 | LC_ALL=C sort -z | tr ' \n\0' '__ ' | sed 's/ $//')"
check 'content of .git too' 2 "$(cat got/.git/config)"
check 'a mode' 755 "$(stat -c %a got/a)"
in_src --export t.tar -c 'mkdir -p x/y; touch -d @100000 x/y; chmod 750 x/y; ln a x/b; ln x/b x/c; touch -d @5 x/c; mkfifo x/p'
check 'modes, times, hard links and pipes' \
	'-rw-r--r-- a 1970-01-01 00:00|hrw-r--r-- x/b 1970-01-01 00:00|hrw-r--r-- x/c 1970-01-01 00:00|prw-r--r-- x/p|drwxr-x--- x/y/ 1970-01-02 03:46|' \
	"$(TZ=UTC tar tvf t.tar | awk '$6 != "x/" {printf "%s %s", $1, $6; if ($1 !~ /^p/) printf " %s %s", $4, $5; printf "|"}')"
in_src --export x.tar -c 'echo > .wh.evil' 2> err
check 'a name that would be a whiteout' '2 cowsh: --export: Invalid argument' "$? $(< err)"
"$cowsh" --user root --export all.tar -c 'echo 1 > /tmp/new; rm /etc/hosts'
check 'without --changes-in: all' 'etc/.wh.hosts tmp/new' "$(tar tf all.tar | sort | tr '\n' ' ' | sed 's/ $//')"
in_src --export big.tar -c 'head -c 700000000 /dev/zero > big'
check 'more than the limit of memory streams through' 700000000 "$(tar xOf big.tar big | wc -c)"
rm big.tar

# --- files with large holes: what they hold is what it costs ---
holes='truncate -s 800G big; printf end >> big; mkdir d; truncate -s 3M d/s; echo x > small'
"$cowsh" --user root --cwd /w --changes-in /w --export t.tar -c "$holes"
check 'the archive of a file of nearly a terabyte is small' yes "$([ "$(stat -c %s t.tar)" -le 20480 ] && echo yes)"
rm -rf got && mkdir got && tar -xf t.tar -C got
check 'and has its size, holes and content' '858993459203 end 1 3145728 x' \
	"$(cd got && echo $(stat -c %s big) $(tail -c 3 big) $(($(du -k big | cut -f 1) < 1000)) $(stat -c %s d/s) $(cat small))"
check 'as sparse members of the pax form' 'GNU.sparse.major=1 GNU.sparse.minor=0' \
	"$(tr -c '[:print:]' '\n' < t.tar | grep -oE 'GNU.sparse.m(aj|in)or=.' | sort -u | tr '\n' ' ' | sed 's/ $//')"
rm -rf got s && "$cowsh" --session s --user root --cwd /w -c "$holes"
"$cowsh" --session s --user root --changes-in /w --export t.tar -c 'cd /w; printf more >> big'
check 'of a saved session, too' yes "$([ "$(stat -c %s t.tar)" -le 20480 ] && echo yes)"
check 'it differs as a binary file in a unified patch' 'Binary files a/big and b/big differ' \
	"$("$cowsh" --user root --cwd /w --changes-in /w --diff=unified -c "$holes" 2>&1 | grep 'big differ')"
check 'a git patch would have to hold it' 'cowsh: --diff: File too large' \
	"$("$cowsh" --user root --cwd /w --changes-in /w --diff=git -c "$holes" 2>&1)"

# --- extended attributes ---
"$cowsh" --user root --cwd /w --changes-in /w --export t.tar -c 'echo 1 > f; setfattr -n user.a -v one f; mkdir d; setfattr -n user.d d'
check 'the archive has extended attributes' 'SCHILY.xattr.user.a=one SCHILY.xattr.user.d=' \
	"$(tr -c '[:print:]' '\n' < t.tar | grep -o 'SCHILY.*' | sort | paste -sd ' ')"
"$cowsh" image build -o x.img t.tar 2> err
check 'which an image takes' 'user.a="one"' "$("$cowsh" --image x.img:/m -c 'getfattr -d /m/f' 2> err | grep user)"

# --- usage ---
"$cowsh" --export nowhere/x -c : 2> err
check 'a file that cannot be written' "2 cowsh: can't write 'nowhere/x': No such file or directory" "$? $(< err)"
"$cowsh" --diff=x -c : 2> err
check 'an unknown form' "2 cowsh: --diff wants \`list\`, \`unified\` or \`git\`, not 'x'" "$? $(< err)"
"$cowsh" --export /dev/full -c 'echo > /tmp/x' 2> err
check 'a full disk is told' '2 cowsh: --export: No space left on device' "$? $(< err)"

finish
