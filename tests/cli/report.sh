#!/bin/bash
# --dry-run and --analyze. usage: tests/cli/report.sh BUILD
. "$(dirname "$0")/harness" "$1"

# --- --dry-run ---
mkdir src
echo 1 > src/a
"$cowsh" --mount src:/s --cwd /s --dry-run -c 'cp a b; echo x >> a; f() { grep 2 a; }; f; cat a | sort -r
	mkdir d; rm -f nope; chmod 600 b; ls "no such"; exit 3' > out 2> err
check 'status of the script' 3 $?
check 'output as usual' 'x 1' "$(tr '\n' ' ' < out | sed 's/ $//')"
check 'errors as usual' "ls: cannot access 'no such': No such file or directory" "$(head -n 1 err)"
check 'the report' 'commands (status, - in the shell itself):|    0 cp a b|    - echo x|    - f|    1 grep 2 a|    0 cat a|    0 sort -r|    0 mkdir d|    0 rm -f nope|    0 chmod 600 b|    2 ls '"'no such'"'|    - exit 3|files that would change:|  changed /s/a (4 bytes, 2 before)|  created /s/b (2 bytes)|  created /s/d|' \
	"$(tail -n +2 err | tr '\n' '|')"
check 'nothing is applied' 'a 1' "$(ls src) $(cat src/a)"
check 'nothing to report' 'no commands no files would change' "$("$cowsh" --dry-run -c '' 2>&1 | tr '\n' ' ' | sed 's/ $//')"
echo 'rm -f /tmp/x; printf "%s\n" "a	b" "it'"'"'s" > /dev/null' > script.sh
check 'a script file; words as a shell reads them' "    0 rm -f /tmp/x|    - printf '%s\\n' \$'a\\tb' 'it'\\''s'|no files would change|" \
	"$("$cowsh" --dry-run script.sh 2>&1 | tail -n +2 | tr '\n' '|')"
check '--json' '"changes":[{"kind":"+","path":"/s/b","size":2}],"commands":[{"status":0,"line":1,"argv":["cp","a","b"]},{"status":null,"line":1,"argv":["echo","1"]}],"commands_left_out":0}' \
	"$("$cowsh" --mount src:/s --cwd /s --dry-run --json -c 'cp a b; echo 1' | sed 's/.*"changes"/"changes"/')"
check 'a limit' '137 cowsh: stopped: limit of steps (10000) reached in bash, line 1 2' \
	"$("$cowsh" --limit steps=10000 --dry-run -c 'echo > f; while :; do true; done' 2> err; echo "$? $(head -n 1 err) $(tail -n 2 err | grep -c ' /home/user/f (1 bytes)\|files that')")"
check 'a script of many commands: the first are told' yes \
	"$("$cowsh" --dry-run -c 'x=$(printf %01000d 0); for ((i = 0; i < 40000; i++)); do : "$x$x"; done; /bin/true' 2> err
	tail -n 2 err | head -n 1 | grep -q '^  and [1-9][0-9]* more$' && [ "$(wc -c < err)" -lt 68000000 ] && echo yes)"
check 'not with --apply' "cowsh: --dry-run changes nothing; --apply=dry-run says what would be applied" \
	"$("$cowsh" --mount src:/s --dry-run --apply -c : 2>&1)"
"$cowsh" --mount src:/s --dry-run --apply=dry-run -c 'echo > /s/new' 2> err
check 'but with its rehearsal' 'would create /s/new (1 bytes)' "$(grep would.create err)"

# --- --analyze ---
analyze() { "$cowsh" --analyze -c "$1" 2>&1 | sed 's/^\([0-9]*\): /\1 /' | tr '\n' '|' | sed 's/|$//'; }
check 'commands and their paths' '1 command cp a b|1 read a|1 write b|2 command rm -rf d|2 remove d' "$(analyze 'cp a b
rm -rf d')"
check 'redirections' '1 command cat|1 read in|1 write out|1 append log|2 write f|3 command seq 2|3 write both' "$(analyze 'cat < in > out 2>> log
> f
seq 2 >& both 3>&1 4<&-')"
check 'what is not known' '1 command rm "$x" *.c a{b,c} ~/d $(pwd)/e  (a shell builtin)' \
	"$(analyze 'rm "$x" *.c a{b,c} ~/d $(pwd)/e' | sed 's/|.*//; s/$/  (a shell builtin)/')"
check 'and why' 'remove "$x"  (unknown: parameter)|remove *.c  (unknown: glob)|remove a{b,c}  (unknown: brace)|remove ~/d  (unknown: tilde)|remove $(pwd)/e  (unknown: command)|' \
	"$("$cowsh" --analyze -c 'rm "$x" *.c a{b,c} ~/d $(pwd)/e' | sed -n 's/^1: remove/remove/p' | tr '\n' '|')"
check 'quotes are read' "1 command cat 'a b' c d|1 read 'a b'|1 read c|1 read d" "$(analyze "cat 'a b' \"c\" \\d")"
check 'assignments' "1 assign x=1|1 assign y=\$x  (unknown: parameter)|1 assign a=(1 2)  (unknown: count)|1 assign P=q|1 command env" "$(analyze 'x=1 y=$x a=(1 2); P=q env')"
check 'functions' '1 function f|1 command cat "$1"  (conditional; in function f)|1 read "$1"  (unknown: parameter; conditional; in function f)|2 command f x  (a function)' "$(analyze 'f() { cat "$1"; }
f x')"
check 'a function that comes later' '1 command f  (a function; conditional; in function g)' "$(analyze 'g() { f; }; f() { :; }' | grep -o '1 command f[^|]*')"
check 'branches' '1 command true  (a shell builtin)|1 command rm a  (conditional)|1 remove a  (conditional)|1 command rm b  (conditional)|1 remove b  (conditional)' "$(analyze 'true && rm a || rm b')"
check 'substitutions' '1 command echo $(cat f)  (a shell builtin)|1 command cat f  (in $( ))|1 read f  (in $( ))' "$(analyze 'echo $(cat f)')"
check 'in strange places' 'cat a|cat b|cat c|cat d|cat e|cat f|cat g|cat h' \
	"$("$cowsh" --analyze -c ': ${x:-$(cat a)} ${y[$(cat b)]} $((1 + $(cat c))) <(cat d) {1,`cat e`}; [[ $(cat f) ]]; case $(cat g) in x) ;; esac
cat <<E
$(cat h)
E' | sed -n 's/.*command \(cat [a-h]\) .*/\1/p' | tr '\n' '|' | sed 's/|$//')"
check 'texts that are known' '1 command eval '"'rm x'"'  (a shell builtin)|1 command rm x  (in eval)|1 remove x  (in eval)' "$(analyze 'eval "rm x"')"
check 'and unknown' '1 command bash -c "$x"|1 execute text "$x"  (unknown: parameter)' "$(analyze 'bash -c "$x"')"
check 'commands in commands' 'sudo env A=b timeout 3 nice -n 5 rm x|env A=b timeout 3 nice -n 5 rm x|timeout 3 nice -n 5 rm x|nice -n 5 rm x|rm x' \
	"$("$cowsh" --analyze -c 'sudo env A=b timeout 3 nice -n 5 rm x' | sed -n 's/1: command \([^(]*\)/\1/p' | sed 's/  (.*//' | tr '\n' '|' | sed 's/|$//')"
check 'xargs, find' 'rm -f ...|mv {} d' "$("$cowsh" --analyze -c 'ls | xargs rm -f; find . -exec mv {} d \;' | sed -n 's/1: command \(rm -f .*\|mv .*\)  (.*/\1/p' | tr '\n' '|' | sed 's/|$//')"
check 'options of commands' 'write o|read p|read,write f|write t|read x|write d|write disk|read i|read,execute s.sh' \
	"$("$cowsh" --analyze -c 'sort -o o -k 2; grep -f p -e x; sed -i -e s/a/b/ f; tar czf t; tar -xf x -C d; dd of=disk if=i; bash s.sh arg' | sed -n 's/^1: \(read\|write\|append\|remove\)/\1/p' | tr '\n' '|' | sed 's/|$//')"
check 'the script of sed is no path' '1 command sed s/a/b/ f|1 read f' "$(analyze 'sed s/a/b/ f')"
check 'unknown commands' '1 command nosuch  (no such command)|1 command $x  (not known which)|1 command docker run  (no such command)' "$(analyze 'nosuch; $x; docker run')"
printf '\177ELF\2\1\1' > elf; chmod +x elf
check 'real programs' '1: command /m/elf x  (a real program)' "$("$cowsh" --mount .:/m --analyze -c '/m/elf x')"
check 'extended patterns as the script will have them' '1 command shopt -s extglob  (a shell builtin)|2 command rm !(a)|2 remove !(a)  (unknown: glob)' "$(analyze 'shopt -s extglob
rm !(a)')"
check 'nothing runs' '' "$("$cowsh" --mount src:/s --analyze --diff -c 'echo hi > /s/x; exit 5' | grep -v '^1:')$(ls src/x 2> /dev/null)"
"$cowsh" --analyze -c 'echo a
fi' > out
check 'a syntax error' "2 2: syntax error near unexpected token \`fi'" "$? $(tail -n 1 out)"
echo 'cat f' > an.sh
check 'a file' '1: command cat f|1: read f|' "$("$cowsh" --analyze an.sh | tr '\n' '|')"
check 'a file of a mount' '1: command cat f|1: read f|' "$("$cowsh" --mount .:/m --analyze /m/an.sh | tr '\n' '|')"
check 'standard input' '1: command cat f|1: read f|' "$("$cowsh" --analyze < an.sh | tr '\n' '|')"
"$cowsh" --analyze none.sh > out 2> err
check 'a file that is not there' '2 cowsh: none.sh: No such file or directory' "$? $(< err)"
check '--json' '{"findings":[ {"kind":"command","line":1,"depth":0,"conditional":false,"within":"","program":"command","words":[{"text":"cp"},{"text":"$x","unknown":["parameter","count"]},{"text":"b\n"}]}, {"kind":"path","line":1,"depth":0,"conditional":false,"within":"","access":["read"],"by":"cp","path":{"text":"$x","unknown":["parameter","count"]}}, {"kind":"path","line":1,"depth":0,"conditional":false,"within":"","access":["write"],"by":"cp","path":{"text":"b\n"}} ],"complete":true}' \
	"$("$cowsh" --json --analyze -c "cp \$x \$'b\\n'" | tr '\n' ' ' | sed 's/ $//')"
"$cowsh" --json --analyze -c 'f() { x=1; }; eval "$y"; (' > out
check '--json, incomplete' '2 "complete":false}' "$? $(grep -o '"complete.*' out)"
check 'forged lines' 0 "$("$cowsh" --analyze -c $'cat \'a\n9: remove /\' "$x\n9: remove /"; f\n() { :; }' | grep -c '^9: remove')"

# --- hostile ---
check 'what was taken for an array at first' '1 assign q=(["$(: "$l")"]y)k  (unknown: command)' "$(analyze 'q=(["$(: "$l")"]y)k' | sed 's/|.*//')"
check 'an array that does not end' "1 unexpected EOF while looking for matching \`]'" "$(analyze 'q=(["$(: "$l")")k')"
check 'nested calls' 0 "$("$cowsh" --analyze -c "$(printf 'env %.0s' {1..3000}) rm x" > out; echo $?)"
check 'nested substitutions' 0 "$("$cowsh" --analyze -c "$(printf 'echo $(%.0s' {1..900})echo$(printf ')%.0s' {1..900})" > out; echo $?)"
check 'nested tests' 0 "$("$cowsh" --analyze -c "[[ $(printf '! ( %.0s' {1..400}) a $(printf ')%.0s' {1..400}) ]]" > out; echo $?)"
(printf 'true'; printf ' && true%.0s' {1..20000}; echo) > chain.sh
check 'a long chain' 20001 "$("$cowsh" --analyze chain.sh | wc -l)"
(echo 'if true; then :'; printf 'elif true; then :\n%.0s' {1..3000}; echo fi) > chain.sh
check 'many branches' 0 "$("$cowsh" --analyze chain.sh > out 2>&1; echo $?)"
"$cowsh" --limit steps=1000 --analyze chain.sh > out 2> err
check 'a limit of steps' '2 cowsh: --analyze: a limit was reached' "$? $(tail -n 1 err)"

finish
