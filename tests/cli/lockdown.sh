#!/bin/bash
# The lock of the program, and the broker behind mounts. usage: tests/cli/lockdown.sh BUILD
build=$(realpath "$1")
source=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/harness" "$1"

check '--no-lockdown does the same' "$("$cowsh" -c 'seq 3 | tac; echo $?')" \
	"$("$cowsh" --no-lockdown -c 'seq 3 | tac; echo $?')"
check 'a reader that goes away ends the writer, not the shell' '141 y' \
	"$( { "$cowsh" -c 'yes; echo $? >&2' | head -n 1; } 2>&1 | sort | tr '\n' ' ' | sed 's/ $//')"
check 'a deadline ends a loop' '137 cowsh: stopped: limit of time (100) reached in bash, line 1' \
	"$("$cowsh" --limit time=100 -c 'while :; do :; done' 2> err; echo "$? $(< err)")"
mkfifo quiet
sleep 5 > quiet &
check 'a deadline ends the wait for input' '137 cowsh: stopped: limit of time (100) reached in bash, line 1' \
	"$("$cowsh" --limit time=100 -c 'read x' < quiet 2> err; echo "$? $(< err)")"
kill %1
check 'the real clock runs' yes \
	"$("$cowsh" --clock real -c 'a=$EPOCHREALTIME; sleep 0.05; b=$EPOCHREALTIME
	d=$((${b/./} - ${a/./})); [ $d -ge 50000 ] && [ $d -lt 5000000 ] && echo yes')"
check 'much output is kept for --json' 3000001 \
	"$("$cowsh" --json -c 'yes a | head -n 1500000; echo' | wc -c | awk '{print ($1 > 4500000) ? 3000001 : $1}')"
check 'much memory is there' 300000000 "$("$cowsh" -c 'head -c 300000000 /dev/zero > f; wc -c < f')"
# A sanitizer wants address space of its own.
grep -qa __asan_init "$cowsh" ||
	check 'where address space is short' hi "$(ulimit -v 400000; "$cowsh" -c 'echo hi')"

# --- mounts ---
mkdir -p tree/sub/deep outside
for i in $(seq 300); do echo "$i" > "tree/sub/f$i"; done
head -c 300000 /dev/urandom > tree/sub/deep/big
echo secret > outside/file
echo inside > tree/sub/file
ln -s ../outside tree/link
mkfifo tree/fifo
check 'large files come whole' "$(md5sum < tree/sub/deep/big)" \
	"$("$cowsh" --mount tree:/t -c 'md5sum < /t/sub/deep/big')"
check 'many files' '301 45150' "$("$cowsh" --mount tree:/t -c 'ls /t/sub | grep -c f; cat /t/sub/f[0-9]* | awk "{s+=\$1}END{print s}"' | tr '\n' ' ' | sed 's/ $//')"
check 'links that lead out lead nowhere' '' "$("$cowsh" --mount tree:/t -c 'cat /t/link/file' 2> err)"
check 'pipes and devices of the host are not there' 'link sub' \
	"$("$cowsh" --mount tree:/t -c 'echo $(ls /t)')"
check 'two mounts' 'inside secret' \
	"$("$cowsh" --mount tree:/t --mount outside:/o -c 'echo $(cat /t/sub/file /o/file)')"
# A directory that is replaced by a link while the script runs.
mkfifo go
{ "$cowsh" --mount tree:/t -c 'ls /t/sub > /dev/null; echo ready; read x; cat /t/sub/file' < go; } \
	> out 2> err &
exec 9> go
until grep -q ready out; do sleep 0.01; done
mv tree/sub tree/moved
ln -s ../outside tree/sub
echo >&9
exec 9>&-
wait
check 'a directory that became a link leads nowhere' ready "$(< out)"
check 'what is said then' 'bash: line 1: cat: /t/sub/file: Not a directory' \
	"$(sed 's/^cat:/bash: line 1: cat:/; s/Too many levels of symbolic links/Not a directory/' err)"

# --- the calls, as strace sees them ---
if command -v strace > /dev/null && strace true 2> /dev/null && ! nm "$cowsh" | grep -q __asan_init; then
	# What is loaded may be an attacker's: of a file only the name of its base is read before the lock.
	mkdir d && echo x > d/f && "$cowsh" image build d -o i.cow
	printf x | dd of=i.cow bs=1 seek=$(($(stat -c %s i.cow) - 4096)) conv=notrunc status=none
	for how in '--image i.cow:/i -c :' '--session n.cow --base i.cow:/i -c :' 'image info i.cow' 'image verify i.cow'; do
		strace -o calls "$cowsh" $how 2> err
		check "an image is read by a locked process: $how" 'SECCOMP i.cow' \
			"$(grep -o 'PR_SET_SECCOMP\|^write(2.*i.cow' calls | sed 's/PR_SET_//; s/^w.*i.cow/i.cow/' | paste -sd ' ')"
	done
	"$cowsh" --session s.cow -c 'some_variable=1'
	at=$(grep -abo some_variable s.cow | head -n 1 | cut -d : -f 1)
	printf x | dd of=s.cow bs=1 seek="$at" conv=notrunc status=none
	strace -o calls "$cowsh" --session s.cow -c : 2> err
	check 'a session is loaded by a locked process' 'SECCOMP damaged' \
		"$(grep -o 'PR_SET_SECCOMP\|damaged' calls | sed 's/PR_SET_//' | paste -sd ' ')"
	"$cowsh" --journal j -c 'echo 1'
	printf 'exit\n' | script -qec "strace -o calls $cowsh replay --until 1 --verbose j" out > err 2>&1
	check 'so is a journal, on a terminal too' 'SECCOMP echo' \
		"$(grep -o 'PR_SET_SECCOMP\|steps: echo' calls | sed 's/PR_SET_//; s/.* //' | paste -sd ' ')"
	cd "$source" || exit 1
	tools/proof "$build" tests/agent/config.test > "$work/proof" 2>&1 || cat "$work/proof"
	check 'only the calls of the lists' "$(sed -n '$s/passed.*/passed, 0 failed/p' "$work/proof")" \
		"$(tail -n 1 "$work/proof")"
fi
finish
