#!/bin/bash
# What --journal wrote runs again the same, also under another host's clock and input; what is not
# as it was is named; a journal that was cut or damaged says where.
# usage: tests/cli/journal.sh BUILD
. "$(dirname "$0")/harness" "$1"

# same NAME COMMANDS: the journal j replays, and writes what is in out.
same() {
	check "$1" "$(cat out; printf 'j: %s commands, the same' "$2")" "$("$cowsh" replay -o j 2>&1 < /dev/null)"
}

printf 'a b\nc\n' | "$cowsh" --journal j --env X=y --seed 5 -c \
	'read a b; cat; echo $RANDOM $X $a; date; seq 9 > f; mktemp -u; ls -l; exit 3' > out 2>&1
check 'the status is the script'\''s' 3 $?
same 'input, seed, time of day' 1
"$cowsh" --journal=j --clock real --limit time=300 -c 'date +%N; sleep 0.01; date +%N; (sleep 0.01; echo bg) &
	while :; do :; done' > out 2>&1
same 'a real clock and its limit' 1
mkdir dir && seq 5000 > dir/f && ln -s f dir/l
"$cowsh" --journal j --mount dir:/d --cwd /d -c 'md5sum *; echo more >> f; wc -l l; rm l; ls' > out 2>&1
rm -r dir
same 'a mounted directory that is gone' 1
"$cowsh" --journal j -c 'sleep 3 && echo late & echo now' > out 2>&1
same 'what goes on in the background' 2
"$cowsh" --journal j --limit steps=1000 -c 'while :; do :; done' > out 2>&1
check 'a limit' 137 $?
same 'a limit again' 1
"$cowsh" --journal j --profile large --limit disk=1G -c 'echo $((1))' > out 2>&1
check 'limits above the default ones' "cowsh: j: it had more memory than is allowed" "$("$cowsh" replay j 2>&1)"
check 'that were allowed' "$(cat out)
j: 1 commands, the same" "$("$cowsh" replay -o --profile=large j 2>&1)"
check 'all but one' 'cowsh: j: it had more room for files than is allowed' \
	"$("$cowsh" replay --profile large --limit disk=100M j 2>&1)"

timeout 20 "$cowsh" --journal j -c 'truncate -s 1T f; echo x >> f; head -c 5000 /dev/zero > g; ls -s f g' > out 2>&1
same 'a file of a terabyte that is nearly all hole' 1

"$cowsh" --clock @1 --journal j -c 'echo 1 > f'
check 'each command in a line' '1: status 0, 11 steps: echo 1 > f' "$("$cowsh" replay -v j | head -n 1 | sed 's/, [0-9]* steps/, 11 steps/')"
"$cowsh" --journal odd -c $'echo 1 # \e]0;x\a' > /dev/null
check 'a script does nothing to the terminal' '1: status 0: echo 1 # \033]0;x\007' "$("$cowsh" replay -v odd | head -n 1 | sed 's/, [0-9]* steps//')"
check 'the session opened after it' '1' "$("$cowsh" replay --until 1 -c 'cat f' j)"
check 'with a script on standard input' 'f' "$(echo 'ls' | "$cowsh" replay --until 1 j)"
check 'one that is long' '1500001 end' \
	"$({ printf 'wc -c <<E\n'; head -c 1500000 /dev/zero | tr '\0' x; printf '\nE\necho end\n'; } | "$cowsh" replay --until 1 j | paste -sd' ')"
check 'one that is too long' '2 cowsh: replay: the script is too long' \
	"$(head -c 17000000 /dev/zero | tr '\0' '#' | "$cowsh" replay --until 1 j 2> err; echo "$? $(< err)")"
check 'and before it' 'gone' "$("$cowsh" replay --until 0 -c 'cat f 2> /dev/null || echo gone' j)"
"$cowsh" --clock @1 --journal j -c 'for i in {1..1000}; do :; done; echo end > f'
check 'in the middle of it, which then goes on' 'end' "$("$cowsh" replay --until 0 --step 500 -c 'cat f' j)"

size=$(stat -c %s j)
head -c $((size - 5)) j > cut
check 'cut short' 'cowsh: cut: cut short at byte * after 1 commands that were the same' \
	"$("$cowsh" replay cut 2>&1 | sed 's/byte [0-9]*,/byte */')"
"$cowsh" replay cut > /dev/null 2>&1
check 'and its status' 2 $?
{ head -c $((size / 2)) j; printf X; tail -c +$((size / 2 + 2)) j; } > damaged
check 'damaged' 'cowsh: damaged: damaged' "$("$cowsh" replay damaged 2>&1 | cut -d' ' -f1-3)"
check 'no journal' 'cowsh: /etc/passwd: this is no journal' "$("$cowsh" replay /etc/passwd 2>&1)"
mkdir tree && seq 9 > tree/f && "$cowsh" image build -o i.img tree && seq 8 > tree/f && "$cowsh" image build -o k.img tree
"$cowsh" --image i.img:/i --journal j -c 'wc -c < /i/f; echo x > /i/new' > out 2>&1
check 'a journal needs its image' 'cowsh: j: it needs its images' "$("$cowsh" replay j 2>&1)"
check 'not another one' 'cowsh: j: it was made with another image' "$("$cowsh" replay --image k.img j 2>&1)"
check 'and runs with it' "$(cat out)
j: 1 commands, the same" "$("$cowsh" replay -o --image i.img j 2>&1)"
check 'not with saved sessions' 'cowsh: --journal does not go with --session' "$("$cowsh" --journal j --session s -c : 2>&1)"
check 'a file that can'\''t be written' 'cowsh: can'\''t write '\''/nope/j'\'': No such file or directory' \
	"$("$cowsh" --journal /nope/j -c : 2>&1)"
[ ! -c /dev/full ] || check 'a full disk' 'cowsh: can'\''t make a session: No space left on device' \
	"$("$cowsh" --journal /dev/full -c : 2>&1 | tail -n 1)"
finish
