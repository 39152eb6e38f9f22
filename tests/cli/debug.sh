#!/bin/bash
# --break stops where it is told to; --at-break looks, changes nothing, goes on, ends the run, or
# lets a copy go on.
# usage: tests/cli/debug.sh BUILD
. "$(dirname "$0")/harness" "$1"

# at POINT COMMAND... SCRIPT: what is told at the stops; the script's own output is in out.
at() {
	local options=(--break "$1")
	shift
	while [ $# -gt 1 ]; do
		options+=(--at-break "$1")
		shift
	done
	"$cowsh" --clock @1 "${options[@]}" -c "$1" 2>&1 > out
}
steps() { sed 's/step [0-9]*/step N/; s/[0-9]* steps/N steps/'; }

script='x=1
f() { local y="a b"; rm -f "$1"; }
echo one > g; f g
echo end'
check 'without --at-break it says where, and ends' 'stop 1 at step N, process 2, line 2: program: rm -f g
cowsh: stopped: canceled in bash, line 2' "$("$cowsh" --break rm -c "$script" 2>&1 | steps)"
"$cowsh" --break rm -c "$script" > out 2> /dev/null
check 'with a status of its own' 133 $?
check 'where' 'stop 1 at step N, process 2, line 2: program: rm -f g' "$(at rm where "$script" | steps)"
check 'and the script goes on' end "$(cat out)"
check 'a path' 'stop 1 at step N, process 2, line 3: write /home/user/g
stop 1 at step N, process 3, line 2: remove /home/user/g' "$(at '/home/*/g' where "$script" | steps)"
check 'a new name' 'stop 1 at step N, process 3, line 1: rename /home/user/a to "/home/user/b\nc"' \
	"$(at '/*/b?c' where 'echo > a; mv a $'\''b\nc'\''; :' | steps)"
check 'a step' 'stop 1 at step 500' "$(at 500 where 'for i in {1..200}; do :; done')"
check 'a function, a builtin of the shell' 'stop 2 at step N, process 2, line 3: function: f g
stop 1 at step N, process 2, line 4: builtin: echo end' \
	"$("$cowsh" --break 'ec*' --break f --at-break where -c "${script/echo one/seq 1}" 2>&1 > out | steps)"
check 'variables of the function' 'declare -- y='\''a b'\''
declare -- x=1
cowsh: there is no variable '\''z'\' "$(at rm 'print y' 'p x' 'print z' "$script" | tail -n 3)"
check 'of the shell behind a program' 'declare -ax a=([0]="1" [1]="q")' \
	"$(at rm 'print a' 'export a=(1 q); echo > f; find . -name f -exec rm {} +; :')"
check 'variables, all' "$("$cowsh" -c 'x=7; declare -p x HOME')" \
	"$(at true variables 'x=7; true' | grep -E ' (x|HOME)=' | sort -k 3 | sed 's/=\([^"]*\)$/="\1"/' | tac)"
check 'processes' '1 0 session bash/2 1 builtin bash/3 2 fork bash/4 2 fork bash/' \
	"$(at sort processes 'seq 3 | sort' | awk 'NR > 1 { printf "%s %s %s %s/", $1, $2, $7, $9 }')"
check 'descriptors' '5 file write 3 /home/user/log' \
	"$(at true descriptors 'exec 5> log; echo ab >&5; true' | awk '$1 == 5 { print $1, $2, $3, $4, $5 }')"
check 'files' '+ /home/user/g' "$(at rm files "$script")"
check 'going on for steps, and to commands' 'stop 1 at step 200
stop 1 at step 300
stop 1 at step N, process 2, line 1: builtin: :' \
	"$(printf '%s\n' 'step 100' 'n' 'b *x' 'quit' | "$cowsh" --break 200 --at-break - -c \
	'for i in {1..200}; do :; done; echo hi' 2>&1 | grep '^stop' | sed '3s/step [0-9]*/step N/')"
check 'to the third stop from here' 'builtin: echo 1/builtin: echo 4/' \
	"$(at echo where 'continue 3' 'for i in 1 2 3 4 5 6; do echo $i; done' | sed 's/.*line 1: //' | tr '\n' /)"
check 'breakpoints come and go' 'breakpoint 2/stop 1/stop 2/' \
	"$(printf '%s\n' 'break seq' 'delete 1' c quit | "$cowsh" --break true --at-break - -c 'true; true; seq 3; seq 4' 2>&1 |
	grep -o -E '^(breakpoint|stop) [0-9]' | sort -u | tr '\n' /)"
check 'standard input has the commands, the script none' 0 \
	"$(printf 'c\n' | "$cowsh" --break wc --at-break - -c 'wc -c' 2> /dev/null)"
check 'a copy goes on, twice; then the run itself' 'fork: status 3, N steps
+ /home/user/x
fork: status 3, N steps
+ /home/user/x' "$(at mkdir fork fork 'echo > a; mkdir x; cat; exit 3' < /dev/null | steps)"
check 'a copy reads the same input, and then none; the run itself the rest' 'a//fork: status 0, N steps/a/b/' \
	"$( (printf 'a\n'; sleep 0.2; printf 'b\n') | "$cowsh" --break true --at-break fork -c 'read x; true; read y; echo $x; echo $y' 2>&1 | steps | tr '\n' /)"
check 'a copy of what is in the background' 'fork: status 0, N steps
+ /home/user/f' "$(at sleep fork '(sleep 1; echo late > f) & true' | steps)"
check 'a script on a copy of the files' 'g
one
try: status 0, N steps
- /home/user/g' "$(at rm 'try ls; cat g; rm g' "$script" | steps)"
check 'in the directory of the process' '/tmp
try: status 0, N steps' "$(at true 'try pwd' 'cd /tmp; true' | steps)"
a=$("$cowsh" --json --clock @1 -c 'for i in 1 2 3; do seq 99 | sort | md5sum; sleep 1; done; date +%N')
b=$("$cowsh" --json --clock @1 --break '*' --break 77 --break '/*' --at-break processes --at-break variables --at-break descriptors \
	--at-break files --at-break 'try ls' -c 'for i in 1 2 3; do seq 99 | sort | md5sum; sleep 1; done; date +%N' 2> /dev/null)
check 'looking changes nothing' "${a/,\"memory_peak\"*,\"time/,\"time}" "${b/,\"memory_peak\"*,\"time/,\"time}"
mkdir dir && echo host > dir/f
mkdir dir/sub && echo read > dir/read && echo later > dir/sub/later
check 'a mounted directory: try reads it, and a copy what was read and what was not' 'read
host
try: status 0, N steps
host
later
fork: status 0, N steps
+ /d/new
M /d/read
host
later' \
	"$("$cowsh" --mount dir:/d --cwd /d --break true --at-break 'try cat /d/f' --at-break fork \
		-c 'cat read; true; cat f; cat sub/later; echo >> read; echo > new' 2>&1 | steps)"
rm -r dir && mkdir dir && echo host > dir/f && echo read > dir/read
"$cowsh" --journal j --mount dir:/d --cwd /d --break true --at-break 'try cat f' --at-break files -c 'echo >> read; true; cat read f' \
	> out 2>&1
check 'somebody who looks leaves no trace in a journal' 'host try: status 0, N steps M /d/read read host j: 1 commands, the same' \
	"$({ steps < out; "$cowsh" replay j; } | grep . | paste -sd ' ')"
sub() { "$cowsh" --session s2 -c : && "$cowsh" --session s2 "$@" 2>&1; }
check 'fork says that it can'\''t' 'cowsh: fork: not with --session, --dry-run and --microvm' \
	"$(sub --break true --at-break fork -c true)"
"$cowsh" --journal j --break rm --at-break where -c "$script" > /dev/null 2> at
check 'a journal of a run with stops' 'end
j: 1 commands, the same' "$("$cowsh" replay -o j)"
check 'and going on from the stop again' 'end
$' "$("$cowsh" replay --until 0 --step "$(sed 's/.*at step \([0-9]*\),.*/\1/' at)" -c 'ls; echo $' j)"
"$cowsh" --session s -c 'x=1' && "$cowsh" --session s --break echo -c 'x=2; echo' > /dev/null 2>&1
check 'a session is not saved where its run was ended' 1 "$("$cowsh" --session s -c 'echo $x')"
"$cowsh" --mount dir:/d --apply --break true -c 'echo new > /d/f; true' > /dev/null 2>&1
check 'and nothing is applied' host "$(cat dir/f)"
check 'usage' 'cowsh: --at-break wants --break
cowsh: --break: '\'\'': Invalid argument
cowsh: unknown command '\''nope x'\'' (try help)
cowsh: usage: print NAME  a variable of the shell' \
	"$("$cowsh" --at-break w -c : 2>&1; "$cowsh" --break '' -c : 2>&1; at : 'nope x' print :)"
finish
