#!/bin/bash
# Images and saved sessions. usage: tests/cli/images.sh BUILD
"$(dirname "$0")/../../tools/need" attr || exit 1
. "$(dirname "$0")/harness" "$1"

mkdir -p tree/sub/deep tree/empty
echo one > tree/one; printf 'a\0b\377' > tree/sub/bytes; ln tree/one tree/sub/again; ln -s one tree/link
head -c 700000 /dev/urandom > tree/sub/deep/big; truncate -s 3M tree/sparse; mkfifo tree/fifo
for i in {1..200}; do echo "$i" > tree/sub/n$i; done
sums() { (cd "$1" && find . -type f | LC_ALL=C sort | xargs md5sum | md5sum); }
list='find . | sort | md5sum; find . -type f | sort | xargs md5sum | md5sum'
wanted=$(cd tree && LC_ALL=C bash -c "$list")

"$cowsh" image build -o tree.img tree 2> err
check 'build: status' 0 $?
check 'build says what it made' '211 files, 3846428 bytes' "$(sed 's/ in .*//' err)"
check 'an image has the files' "$wanted" "$("$cowsh" --image tree.img:/t --cwd /t -c "$list")"
check 'names of one file stay together' 'two 2' \
	"$("$cowsh" --image tree.img:/t -c 'echo two > /t/one; echo $(cat /t/sub/again) $(stat -c %h /t/one)')"
check 'the image is as before' one "$("$cowsh" --image tree.img:/t -c 'cat /t/one')"
check 'without a path its files join the others' 'one bin' "$("$cowsh" --image tree.img -c 'cat /one; cd /; echo bin' | paste -sd ' ')"
"$cowsh" --image tree.img:/t:ro -c 'echo x > /t/one' 2> err
check 'a read-only image' 'bash: line 1: /t/one: Read-only file system' "$(< err)"
check 'verify' 0 "$("$cowsh" image verify tree.img; echo $?)"
check 'info' 'image, 211 files,' "$("$cowsh" image info tree.img | head -n 1 | sed 's/ files,.*/ files,/')"

tar cf tree.tar -C tree .
"$cowsh" image build -o tar.img tree.tar 2> err
check 'an archive: the same files' "$wanted" "$("$cowsh" --image tar.img:/t --cwd /t -c "$list")"
tar c --format=pax -C tree . | "$cowsh" image build --compress - 2> err > packed.img
check 'from standard input, packed' "$wanted" "$("$cowsh" --image packed.img:/t --cwd /t -c "$list")"
"$cowsh" image build -o again.img tree 2> err
check 'equal trees make equal images' '' "$(cmp tree.img again.img 2>&1)"
check 'nothing else is left behind' '' "$(ls | grep '\.new$')"

# One clear line and status 2.
bad() {
	local name=$1 wanted=$2
	shift 2
	"$cowsh" "$@" > out 2> err < /dev/null
	check "$name" "2 cowsh: $wanted" "$? $(cat out err)"
}
bad 'no such image' 'nowhere.img: No such file or directory' --image nowhere.img -c :
bad 'not an image' 'tree.tar: not an image or session of cowsh' --image tree.tar -c :
head -c 40960 tree.img > cut.img
bad 'a cut image' 'cut.img: cut off: its end is missing' image info cut.img
cp tree.img harmed.img
printf X | dd of=harmed.img bs=1 seek=50000 conv=notrunc status=none
bad 'a damaged image' 'harmed.img: damaged' image verify harmed.img
bad 'not an archive' 'tree.img: not a tar archive' image build -o x.img tree.img
head -c 100000 tree.tar > cut.tar
bad 'a cut archive' 'cut.tar: the archive is cut off' image build -o x.img cut.tar
check 'no image of it' 1 "$(ls x.img x.img.new > out 2>&1; [ $? != 0 ] && echo 1)"
: > empty
bad "an empty file" "empty: it is empty" image info empty
bad 'a missing operand' 'image: an operand is missing (see cowsh image --help)' image build
bad 'an unknown command' "image: there is no 'burn': build, info or verify" image burn x

# --- sessions ---

s=("$cowsh" --session my.cow)
check 'a new session' 1 "$("${s[@]}" -c 'x=1; echo $x')"
"${s[@]}" -c 'declare -A a=([k]="v w"); list=(1 "2 3"); f() { echo "f $1 $LINENO"; }
shopt -s extglob; set -o pipefail; umask 027; cd /tmp; pushd /usr > /dev/null; alias ll="ls -l"
trap "echo got it" USR1; readonly r=5; export E=env; declare -i n=3; history -s typed; exec 5> /tmp/out
echo one >&5; ln /tmp/out /tmp/second; complete -W "a b" foo; set -- p "q r"; sleep 50; false'
check 'the status is kept' 1 "$("${s[@]}" -c 'echo $?')"
check 'variables' '1 v w 2 3 5 env 3' "$("${s[@]}" -c 'echo $x ${a[k]} ${list[1]} $r $E $n')"
check 'attributes' 'declare -r r="5" declare -x E="env" declare -i n="3"' \
	"$("${s[@]}" -c 'declare -p r E n' | paste -sd ' ')"
check 'functions with their lines' 'f a 1' "$("${s[@]}" -c 'f a')"
cat > define << 'END'
shopt -s expand_aliases
: ; f() { case $1 in (esac) echo is esac;; (a|esac) echo a;; esac; }; g() { echo in > /tmp/gg; echo x 1<> /tmp/gg; cat /tmp/gg; }; h() { cat <<A && echo b | cat <<B || echo c
a
A
b
B
}; m() { (! ; ) || echo m; ( time ; ) 2> /dev/null; false; ! ! ; ( ! ! ; ) & ! ; echo $?; }; k() { a="${z-$'t\tb"x'}" b=$(echo "${z-$'q"r'}"); declare -p a b; }
END
defined=$("$cowsh" --session defined.cow -c "$(cat define)
f esac; f a; g; h; k; m")
check 'functions that bash shows so that it can not read them' "$defined" \
	"$("$cowsh" --session defined.cow -c 'f esac; f a; g; h; k; m')"
check 'and they were there' 10 "$(wc -l <<< "$defined")"
cat > strict << 'END'
f() { a="${z-$'t\tb'}"; }; shopt -s extglob
g() { case x in !(y)) echo "$1";; esac; }; shopt -u extglob
set -o posix
END
strict=$("$cowsh" --session strict.cow -c "$(cat strict)
declare -f; g 1")
check 'functions defined when options were others' "$strict" \
	"$("$cowsh" --session strict.cow -c 'declare -f; g 1')"
check 'options' 'on 0027 on' \
	"$("${s[@]}" -c 'shopt extglob | grep -o on; umask; set -o | grep pipefail | grep -o on' | paste -sd ' ')"
check 'directories' '/usr /usr /tmp' "$("${s[@]}" -c 'pwd; dirs' | paste -sd ' ')"
check 'aliases and traps' "alias ll='ls -l' got it" "$("${s[@]}" -c 'alias; kill -USR1 $$' | paste -sd ' ')"
check 'parameters' '2 q r' "$("${s[@]}" -c 'echo $# $2')"
check 'history and completions' '1 typed complete -W '"'a b' foo" \
	"$("${s[@]}" -c 'history | sed "s/^ *//; s/  / /"; complete -p' | paste -sd ' ')"
check 'descriptors with their offsets' 'one two 2' \
	"$("${s[@]}" -c 'echo two >&5; cat /tmp/out; stat -c %h /tmp/second' | paste -sd ' ')"
"${s[@]}" -c 'exec 6< /dev/null'
check 'descriptors of devices' '1 3 666' "$("${s[@]}" -c 'stat -c "%t %T %a" - <&6; exec 6<&-')"
at_once=$("$cowsh" --seed 7 --session seed1.cow -c 'echo $RANDOM $RANDOM; mktemp -u' | paste -sd ' ')
check 'random numbers go on' "$at_once" \
	"$(for text in 'echo $RANDOM' 'echo $RANDOM' 'mktemp -u'; do "$cowsh" --seed 7 --session seed2.cow -c "$text"; done | paste -sd ' ')"
check 'the clock goes on' 1 "$("${s[@]}" -c 'echo $((SECONDS >= 50))')"
check '-c with arguments, a file, standard input' 'x y file a b in' \
	"$( ("${s[@]}" -c 'echo $*' name x y; echo 'echo file $*' > script.sh
	"${s[@]}" script.sh a b; echo 'echo in' | "${s[@]}") | paste -sd ' ')"
"${s[@]}" -c 'exit 9'
check 'the exit status is the script' 9 $?
"${s[@]}" -c 'sleep 1000 & exec 7> >(cat)' 2> err
check 'what is not kept is said' \
	'cowsh: not saved: 1 running processes (cat), 1 open pipes of the shell' \
	"$(sed 's/([0-9]* cat)/(cat)/' err)"
"$cowsh" --session my.cow --limit steps=100000 -c 'y=1; while :; do :; done' 2> err
check 'a limit does not lose the session' '137 1 1' "$? $("${s[@]}" -c 'echo $x $y')"

d=("$cowsh" --session delta.cow)
"${d[@]}" --base tree.img:/t -c 'cd /t; echo more >> one; printf X | dd of=sub/deep/big bs=1 seek=300000 conv=notrunc 2> /dev/null
mv sub/n1 sub/m1; rm sub/n2; truncate -s 5000 sub/deep/big; truncate -s 9000 sub/deep/big'
all='ls -liR | grep -v ^total; find . -type f | sort | xargs md5sum'
one=$("${d[@]}" -c "$all"); two=$("${d[@]}" -c "$all")
check 'a delta shows the same again' "$one" "$two"
check 'it has the changes' 'one more m1 0' \
	"$("${d[@]}" -c 'cat one; ls sub | grep "^[mn][12]$"; tail -c 2000 sub/deep/big | tr -d "\0" | wc -c' | paste -sd ' ')"
check 'and only those' 1 "$(( $(stat -c %s delta.cow) < 150000 ))"
check 'its files belong to the user still' 'user ok' \
	"$("${d[@]}" -c 'stat -c %U sub/n9; echo x >> sub/n9 && echo ok' | paste -sd ' ')"
mv tree.img elsewhere.img
"${d[@]}" -c : 2> err
check 'a base that is gone' "2 cowsh: delta.cow: its base $PWD/tree.img is not there (--base says where it is)" "$? $(< err)"
check 'a base that moved' one "$("${d[@]}" --base elsewhere.img -c 'head -n 1 one')"
bad 'another base' 'delta.cow: its base is another image than the one given' --session delta.cow --base packed.img -c :

"${s[@]}" --checkpoint -c 'x=2; rm -rf /tmp/*'
check 'what was done' 2 "$("$cowsh" --session my.cow -c 'echo $x')"
"${s[@]}" --checkpoint -c 'x=3'
"${s[@]}" --undo
check 'is undone' 2 "$("${s[@]}" -c 'echo $x')"

mkfifo hold
"${s[@]}" -c 'read line' < hold > out 2>&1 &
exec 9> hold
while [ ! -e my.cow.new ]; do sleep 0.05; done
bad 'two writers' 'my.cow: another process is using it' --session my.cow -c :
echo go >&9; exec 9>&-
wait
head -c 40960 my.cow > cut.cow
bad 'a cut session' 'cut.cow: cut off: its end is missing' --session cut.cow -c :
bad 'an image is no session' 'packed.img: an image, not a session' --session packed.img -c :
bad 'a session of options' 'options of the shell do not go with --session: use `set`' -x --session my.cow -c :
sleep 0.2
check 'no new files are left' '' "$(ls | grep '\.new$')"
check 'a session that is only read stays' 0 "$("$cowsh" image verify my.cow; echo $?)"

# --- a power cut: what was written so far is on the disk as FILE.new, at any length ---

p=("$cowsh" --session power.cow)
"${p[@]}" -c 'n=0; echo old > /tmp/f'
cp power.cow old.cow
"${p[@]}" -c 'n=1; echo new > /tmp/f'
cp power.cow new.cow
size=$(stat -c %s new.cow) wrong=0
for ((len = 0; len <= size; len += 1777)); do
	cp old.cow power.cow
	head -c $len new.cow > power.cow.new
	[ "$("${p[@]}" -c 'echo $n $(< /tmp/f)')" = '0 old' ] || wrong=$((wrong + 1))
	# Had only the name reached the disk, it would be seen.
	head -c $((len < size ? len : size - 1)) new.cow > torn.cow
	"$cowsh" --session torn.cow -c : > out 2> err && [ $len != 0 ] && wrong=$((wrong + 1))
	rm -f torn.cow*
done
check 'a cut while writing leaves the old session' 0 $wrong
cp new.cow power.cow
check 'a complete one is the new session' '1 new' "$("${p[@]}" -c 'echo $n $(< /tmp/f)')"

# Killed at every write, sync and rename: the old one or the new one.
if command -v strace > out; then
	wrong=0 was=$("${p[@]}" -c 'echo $n')
	for call in write fsync renameat2; do
		for when in 1 2 3 4 5; do
			( strace -f -o out -e trace=write,fsync,renameat2 \
				-e inject=$call:signal=SIGKILL:when=$when "${p[@]}" -c 'n=$((n+1)); echo $n > /tmp/f'; true ) > out 2>&1
			sleep 0.05
			now=$("${p[@]}" -c 'echo $n $(< /tmp/f)')
			[ "$now" = "$was" ] || [ "$now" = "$((was + 1)) $((was + 1))" ] || [ "$now" = "$was $was" ] ||
				[ "$now" = "$was new" ] || wrong=$((wrong + 1))
			was=${now% *}
		done
	done
	check 'killed at any step' 0 $wrong
	# The disk is full when the new state is to be sure of its place.
	for x in 1 2; do
		"$cowsh" --session full.cow --checkpoint -c "x=$x"
	done
	strace -f -o out -e trace=fsync -e inject=fsync:error=ENOSPC "$cowsh" --no-lockdown --session full.cow --checkpoint -c x=3 2> err
	"$cowsh" --session full.cow -c 'echo $x' > now
	"$cowsh" --session full.cow --undo
	check 'what could be undone still can be' "full.cow: 2 1" \
		"$(cut -d' ' -f2 err) $(< now) $("$cowsh" --session full.cow -c 'echo $x')"
fi

# --- sparse files ---

mkdir holes
printf 'x' > holes/front; truncate -s 1M holes/front
truncate -s 70001 holes/end; printf 'end' >> holes/end
truncate -s 3M holes/hole
truncate -s 700000 holes/mid; printf 'some' >> holes/mid; truncate -s 1400000 holes/mid
for i in {0..99}; do truncate -s $((i * 20480)) holes/many; head -c 4096 /dev/urandom >> holes/many; done
truncate -s 20G holes/huge; echo end >> holes/huge
sums=$(cd holes && md5sum end front hole many mid)
for format in gnu 'posix --sparse-version=0.0' 'posix --sparse-version=0.1' 'posix --sparse-version=1.0' directory; do
	if [ "$format" = directory ]; then
		"$cowsh" image build -o holes.img holes 2> err
	else
		tar cSf holes.tar --format=$format -C holes . && "$cowsh" image build -o holes.img holes.tar 2> err
	fi
	"$cowsh" image verify holes.img
	check "sparse: $format" "0 $sums 21474836484 8" \
		"$? $("$cowsh" --image holes.img:/m -c 'cd /m; md5sum end front hole many mid') $("$cowsh" --image holes.img:/m -c 'stat -c "%s %b" /m/huge')"
done
check 'sparse: mounted' "$sums 21474836484 yes end" \
	"$("$cowsh" --mount holes:/m -c 'cd /m; echo "$(md5sum end front hole many mid) $(stat -c %s huge)" $([ $(stat -c %b huge) -lt 100 ] && echo yes) "$(tail -c 4 huge)"')"
# Half a terabyte of holes: not read through, and still holes.
mkdir wide; truncate -s 500G wide/f; printf end >> wide/f
timeout 20 "$cowsh" --mount wide:/m --session wide.cow -c 'cp /m/f /tmp/g; truncate -s +1 /m/f'
check 'sparse: mounted and saved' '536870912004 536870912003 end yes' \
	"$("$cowsh" --session wide.cow -c 'echo $(stat -c %s /m/f /tmp/g) $(tail -c 4 /m/f | tr -d "\0") $([ $(stat -c %b /m/f) -lt 100 ] && echo yes)')"
"$cowsh" --mount holes:/m --apply -c 'cd /m; mkdir new; cp many new; mv huge new; printf x >> new/huge'
check 'sparse: applied' "$(md5sum < holes/many) 21474836485 yes" \
	"$(md5sum < holes/new/many) $(stat -c '%s %b' holes/new/huge | awk '{print $1, $2 < 100 ? "yes" : $2}')"
printf 12345 > five
# tar refuses to be told about maps, and takes other names for them, the last one first.
pax() { tar cf - --format=posix --pax-option="${1//GNU.sparse./GNUXsparseX}" five | LC_ALL=C sed 's/GNUXsparseX/GNU.sparse./' > pax.tar; }
bad_pax() { pax "$2"; bad "$1" "pax.tar: $3" image build -o x.img pax.tar; }
damaged="damaged: a sparse member's map"
pax GNU.sparse.numbytes:=5,GNU.sparse.offset:=999990,GNU.sparse.size:=1000000
"$cowsh" image build -o x.img pax.tar 2> err
check 'a map in an extended header' '1000000 12345' "$("$cowsh" --image x.img:/m -c 'stat -c %s /m/five; tail -c 10 /m/five | tr -d "\0"' | paste -sd ' ')"
bad_pax 'a map that is longer than the data' GNU.sparse.numbytes:=6,GNU.sparse.offset:=0,GNU.sparse.size:=1000 "$damaged"
bad_pax 'one that is shorter' GNU.sparse.numbytes:=4,GNU.sparse.offset:=0,GNU.sparse.size:=1000 "$damaged"
bad_pax 'parts behind the end' GNU.sparse.numbytes:=5,GNU.sparse.offset:=996,GNU.sparse.size:=1000 "$damaged"
bad_pax 'parts that overlap' GNU.sparse.numbytes:=2,GNU.sparse.offset:=11,GNU.sparse.numbytes:=3,GNU.sparse.offset:=9,GNU.sparse.size:=1000 "$damaged"
bad_pax 'numbers that overflow' GNU.sparse.numbytes:=5,GNU.sparse.offset:=18446744073709551615,GNU.sparse.size:=1000 'a bad extended header'
bad_pax 'an impossible size' GNU.sparse.numbytes:=5,GNU.sparse.offset:=0,GNU.sparse.size:=9223372036854775807 "$damaged"
bad_pax 'a map that should be in the data' GNU.sparse.realsize:=5,GNU.sparse.minor:=0,GNU.sparse.major:=1 "$damaged"
bad_pax 'a version to come' GNU.sparse.realsize:=5,GNU.sparse.minor:=0,GNU.sparse.major:=2 'a sparse member of a new kind'
pax SCHILY.xattr.user.mime:=text
"$cowsh" image build -o x.img pax.tar 2> err
check 'extended attributes of archives' 'user.mime=text' "$("$cowsh" --image x.img:/m -c 'getfattr -d /m/five' 2> err.get | grep mime | tr -d '"')"
check 'nothing is left out then' 0 "$(grep -c 'left out' err)"
pax SCHILY.acl.access:=user::rw-,SCHILY.xattr.user.a%b:=1,SCHILY.xattr.security.x:=2
"$cowsh" image build -o x.img pax.tar 2> err
check 'access lists are left out, and that is said' 'cowsh: left out: access lists or attributes of 1 files' "$(head -n 1 err)"
check 'what can be kept is' 'user.a%b' "$("$cowsh" --image x.img:/m -c 'getfattr /m/five' 2> err.get | grep user)"
pax SCHILY.xattr.user.aZZZ:=v
LC_ALL=C sed -i 's/user.aZZZ/user.a\x00\x84\x0f/' pax.tar
bad 'an attribute with a NUL in its name' 'pax.tar: a bad extended header' image build -o x.img pax.tar
mkdir taken
"$cowsh" image build -o taken tree 2> err
check 'a name that is taken: nothing stays beside it' '2 cowsh: taken: Is a directory taken' "$? $(tail -n 1 err) $(echo taken*)"
mkdir -p attributed/d
echo 1 > attributed/f
if setfattr -n user.mime -v text attributed/f 2> err; then
	setfattr -n user.d -v '' attributed/d
	ln attributed/f attributed/g
	"$cowsh" image build -o x.img attributed 2> err
	check 'extended attributes of directories' '# file: m/d user.d=""  # file: m/f user.mime="text"  # file: m/g user.mime="text"' \
		"$("$cowsh" --image x.img:/m -c 'getfattr -d /m/d /m/f /m/g' 2> err | paste -sd ' ' | sed 's/ *$//')"
else
	echo "skipped: attributes of the host's files: $(< err)"
fi

"$cowsh" --session attributes.cowsh -c 'echo 1 > f; ln f g; mkdir d; setfattr -n user.a -v one f; setfattr -n user.b d; setfattr -n user.gone f'
"$cowsh" --session attributes.cowsh -c 'setfattr -x user.gone g; echo 2 > f'
check 'a session keeps extended attributes' '# file: d user.b=""  # file: f user.a="one"  # file: g user.a="one"' \
	"$("$cowsh" --session attributes.cowsh -c 'getfattr -d d f g' | paste -sd ' ' | sed 's/ *$//')"

# --- archives that are not taken ---
tar cf dots.tar --transform='s,^,../,' -P one.txt 2> err || { echo 1 > one.txt; tar cf dots.tar -P --transform='s,^,../,' one.txt; }
bad 'a name that leads out' "dots.tar: a member's name has '..' in it" image build -o x.img dots.tar

mkdir -p empty_tree
"$cowsh" image build -o $'new\e[2J\nline.img' empty_tree 2> /dev/null
"$cowsh" --session odd.cow --base $'new\e[2J\nline.img' -c 'echo 1 > f'
rm $'new\e[2J\nline.img'
"$cowsh" image info odd.cow 2> err
check 'the name of a base is an attacker'"'"'s' "cowsh: odd.cow: its base $PWD/new?[2J?line.img is not there (--base says where it is)" "$(< err)"

finish
