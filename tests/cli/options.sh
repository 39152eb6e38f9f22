#!/bin/bash
# The program's options and its behaviour around the shell. usage: tests/cli/options.sh BUILD
page=$(realpath "$(dirname "$0")/../../docs/cowsh.1")
. "$(dirname "$0")/harness" "$1"

check 'the man page has every option of --help' '' \
	"$("$cowsh" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u | while read -r option; do
		grep -qF -- "${option//-/\\-}" "$page" || echo "$option"
	done)"
check '-c runs a script' hi "$("$cowsh" -c 'echo hi')"
check '-c NAME ARG' 'name a b c' "$("$cowsh" -c 'echo $0 "$@"' name a 'b c')"
"$cowsh" -c 'exit 7'
check 'the exit status is the script'"'"'s' 7 $?
check 'a script on standard input' 'in 1' "$(echo 'read x; echo "in $x"
1' | "$cowsh")"
printf 'echo "$0 $1 $#"\n' > script.sh
check 'a script file, with arguments' 'script.sh one 2' "$("$cowsh" script.sh one two)"
check 'a script file in a mounted directory' 'script.sh one 1' "$("$cowsh" --mount .:/m:ro --cwd /m script.sh one)"
# Real processes race here, so that no case can be compared; on an idle machine this is how it ends.
check 'stages open their files before a program starts' 'f list f list more f list more f list more new' \
	"$("$cowsh" -c 'echo a > f; ls | sort > list; cat list; { ls; ls; } | cat > more; cat more
		ls | while read -r x; do echo "$x"; done > new; cat new' | tr '\n' ' ' | sed 's/ $//')"
check 'standard input goes to the script' 'ABC' "$(echo abc | "$cowsh" -c 'tr a-z A-Z')"
check '-e is handed on' before "$("$cowsh" -ec 'echo before; false; echo after')"
check '-o is handed on' 1 "$("$cowsh" -o pipefail -c 'false | true; echo $?')"

mkdir -p shown && : > shown/file
for closed in '2>&-' '<&- 2>&-' '<&-'; do
	check "started with $closed" file "$(eval '"$cowsh" --mount shown:/m -c "echo >&2; ls /m"' "$closed")"
done
"$cowsh" --mount shown:/m -c 'ls /m' 2> err >&-
check 'standard output is closed' "1 cowsh: can't write: Bad file descriptor" "$? $(< err)"
"$cowsh" -c 'echo hi' > /dev/full 2> err
check 'standard output is full' "1 cowsh: can't write: No space left on device" "$? $(< err)"
"$cowsh" --json -c 'echo hi' > /dev/full 2> err
check 'and with --json' "1 cowsh: can't write: No space left on device" "$? $(< err)"
"$cowsh" -c 'seq 100000; echo $? >&2; seq 100000; echo $? >&2; exit 3' > /dev/full 2> err
check 'what a command was told' '3 1 1' "$? $(grep -v : err | xargs)"
check 'who writes is told why' "seq: write error: No space left on device" "$(grep -m1 : err)"
"$cowsh" --version > /dev/full 2> err
check 'and --version' 1 $?
"$cowsh" -c 'echo hi' | true
check 'a reader that is gone is no error' 0 "${PIPESTATUS[0]}"

"$cowsh" --nonsense > out 2> err
check 'a bad option: status' 2 $?
check 'a bad option: one line' "cowsh: unknown option '--nonsense' (see --help)" "$(< err)"
"$cowsh" missing.sh > out 2> err
check 'a missing file: status' 2 $?
check 'a missing file: one line' 'cowsh: missing.sh: No such file or directory' "$(< err)"
"$cowsh" --mount nowhere:/x -c : 2> err
check 'a missing mount' "2 cowsh: can't open directory 'nowhere': No such file or directory" "$? $(< err)"
"$cowsh" --limit nothing=3 -c : 2> err
check 'an unknown limit' "2 cowsh: there is no limit 'nothing' (see --help)" "$? $(< err)"
"$cowsh" -c 2> err
check '-c without script' "2 cowsh: option '-c' needs a script" "$? $(< err)"
check '--version' 'cowsh 0.1.0' "$("$cowsh" --version)"
check '--help names every limit' 18 "$("$cowsh" --help | sed -n '/^Limits/,$p' | grep -c '^  ')"

mkdir -p tree/sub
echo one > tree/f; echo two > tree/sub/g; ln -s f tree/link; printf '\0\377' > tree/bytes
check 'a mount shows the files' 'one two f' \
	"$("$cowsh" --mount tree:/t -c 'echo $(cat /t/f /t/sub/g) $(readlink /t/link)')"
check 'bytes are exact' "$(md5sum < tree/bytes)" "$("$cowsh" --mount tree:/t -c 'cat /t/bytes' | md5sum)"
check 'writes go to a copy' 'changed one' \
	"$("$cowsh" --mount tree:/t -c 'echo changed > /t/f; cat /t/f') $(cat tree/f)"
"$cowsh" --mount tree:/t --diff -c 'echo x > /t/f; rm /t/sub/g; mkdir /t/new; chmod 600 /t/bytes' 2> err
check '--diff lists the changes' 'm /t/bytes M /t/f + /t/new - /t/sub/g' \
	"$(grep -v '^m /t/*$\|^m /t/sub$\|^m /$' err | sort -k2 | tr '\n' ' ' | sed 's/ $//')"
check 'a read-only mount' 1 "$("$cowsh" --mount tree:/t:ro -c 'echo x > /t/f' 2> err; echo $?)"
check 'its message' 'bash: line 1: /t/f: Read-only file system' "$(< err)"
check '--cwd' /t/sub "$("$cowsh" --mount tree:/t --cwd /t/sub -c pwd)"
check '--env, and nothing of the host' 'v:' "$(HOSTVAR=1 "$cowsh" --env K=v -c 'echo $K:$HOSTVAR')"
check '--user root' '0 root' "$("$cowsh" --user root -c 'echo $(id -u) $(whoami)')"
check 'the default user' '1000 user /home/user' "$("$cowsh" -c 'echo $(id -u) $(whoami) $PWD')"
check '--clock: the first second' 1970-01-01 "$("$cowsh" --clock @0 -c 'date +%F')"
check '--clock: longer than can be counted' 9223372036854775807 \
	"$("$cowsh" --clock 1678-01-01 --json -c 'sleep 9223372036; sleep 9223372036' | sed 's/.*"time_ns":\(-*[0-9]*\).*/\1/')"
# Somebody who types when something else was shown.
late() { for ((i = 0; i < 200; i++)); do grep -qs "$1" out && break || sleep 0.05; done; echo late; }
rm -f out
late bg | "$cowsh" --clock real -c 'read -t 0.1 x; echo "$?"; timeout 0.1 cat; echo $?; (sleep 0.1; echo bg) & cat' > out
check '--clock real: time goes on while input is waited for' '142 124 bg late' "$(paste -sd' ' out)"
rm -f out
late begun | "$cowsh" -c 'echo begun; read -t 0.1 x; echo $? $x' > out
check 'T-11: the virtual clock stands while input is waited for' 'begun 0 late' "$(paste -sd' ' out)"
check '--clock: the last year' 2262 "$("$cowsh" --clock 2262-01-01 -c 'date +%Y')"
check '--clock: what it can'\''t show' "2 2 cowsh: --clock: @99999999999 is not between 1678 and 2262" \
	"$("$cowsh" --clock 2300-01-01 -c : 2> /dev/null; echo -n "$? "; "$cowsh" --clock @99999999999 -c : 2> err; echo "$? $(< err)")"
check '--clock' '2001-02-03 04:05:06' "$("$cowsh" --clock 2001-02-03T04:05:06 -c 'date "+%F %T"')"
check 'sleep takes no time' 86400 \
	"$("$cowsh" --clock @0 -c 's=$(date +%s); sleep 1d; echo $(($(date +%s) - s))')"
check 'the same seed' "$("$cowsh" --seed 5 -c 'echo $RANDOM')" "$("$cowsh" --seed 5 -c 'echo $RANDOM')"

check '--json' '{"stdout":"a\n","stderr":"b\n","status":3,"limit":null' \
	"$("$cowsh" --json -c 'echo a; echo b >&2; exit 3' | sed 's/,"steps.*//')"
check '--json: bytes' '"stdout":"\ufffd","stdout_base64":"/w=="' \
	"$("$cowsh" --json -c "printf '\377'" | grep -o '"stdout.*==\"')"
check '--json: the place of a limit is named by the script' '"limit_where":"a\",\"status\":0,\", line 2","steps"' \
	"$("$cowsh" --json --limit steps=50000 -c 'cd /tmp; printf "#!/bin/bash\nwhile :; do :; done\n" > "a\",\"status\":0,\""; chmod +x a*; ./a*' |
		grep -o '"limit_where.*"steps"')"
check '--json: changes' '[{"kind":"+","path":"/home/user/new","size":1}]' \
	"$("$cowsh" --json -c 'echo > new' | grep -o '\[.*\]' | sed 's/{"kind":"m"[^}]*},*//g')"
"$cowsh" --limit steps=100K -c 'while :; do :; done' 2> err
check 'a step limit: status' 137 $?
check 'a step limit: message' "cowsh: stopped: limit of steps (102400) reached in bash, line 1" "$(< err)"
timeout -s KILL 20 env --block-signal "$cowsh" --limit time=200 -c 'while :; do :; done' 2> err
check 'though alarms were blocked' "137 cowsh: stopped: limit of time (200) reached in bash, line 1" "$? $(< err)"
"$cowsh" --limit time=200 -c 'while :; do :; done' 2> err
check 'a time limit' "137 cowsh: stopped: limit of time (200) reached in bash, line 1" "$? $(< err)"
"$cowsh" --limit memory=20M -c 'x=a; while :; do x=$x$x; done' 2> err
check 'a memory limit' "137 cowsh: stopped: limit of memory (20971520) reached in bash, line 1" "$? $(tail -n 1 err)"

check '--json names the limit' '"limit":"steps","limit_value":5000,"limit_where":"cat, line 2"' \
	"$("$cowsh" --json --limit steps=5000 -c ':
	cat /dev/zero > /dev/null' | grep -o '"limit":.*cat, line 2"')"
check '--profile' 67108864 "$("$cowsh" --profile small -c 'x=$(head -c 100M /dev/zero | tr "\0" a)' 2>&1 |
	sed -n 's/.*limit of memory (\([0-9]*\)).*/\1/p')"
"$cowsh" --profile huge -c : 2> err
check 'an unknown profile' "2 cowsh: there is no profile 'huge': small, default or large" "$? $(< err)"

# typed LINE...: what a terminal shows while these lines are typed at cowsh.
typed() {
	local line
	{
		for line; do
			sleep 0.3
			printf '%s\n' "$line"
		done
		sleep 0.3
	} | script -qec "$program" /dev/null | tr -d '\r'
}
mkdir -p alone
cp "$cowsh" alone/cowsh
for program in "$cowsh" alone/cowsh; do
	typed 'for i in 1 2' 'do echo line$i; done' 'cd /; exit 5' > out
	check "interactive: a command of two lines (${program%%/*})" $'line1\nline2' "$(grep '^line' out)"
	check "interactive: prompts (${program%%/*})" 2 "$(grep -c '^user@cowsh:~\$ ' out)"
done

# No case, since the real one would set the machine's clock for who may.
check 'the clock is shown, and not set' 'Sat Jan  1 00:00:00 UTC 2000 1 Tue Jan  2 03:04:05 UTC 2024 1 2020' \
	"$("$cowsh" -c 'date -s 2000-01-01 2> err; echo $?; date -u 010203042024.05 2>> err; echo $?
		touch -d 2020-02-02 f; date -r f +%Y' | paste -sd ' ')"
mkfifo fifo
for i in {1..20000}; do echo "echo $i"; done > fifo &
check 'a script that comes through a pipe is read to its end' 20000 "$("$cowsh" fifo | tail -n 1)"

finish
