#!/bin/bash
# Images and saved sessions. usage: tests/cli/images.sh BUILD
set -u
cowsh=$(realpath "$1")/cowsh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# check NAME WANTED GOT
check() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
	fi
}

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

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
