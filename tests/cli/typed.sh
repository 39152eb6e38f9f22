#!/bin/bash
# The interactive shell, typed at on a terminal. usage: tests/cli/typed.sh BUILD
. "$(dirname "$0")/harness" "$1"

# typed KEYS...: what the screen shows, without colours and carriage returns. After each argument the
# text that the next one begins with ("@TEXT@") is waited for, behind what was waited for before;
# "%SECONDS" is a pause. With $script the file of that name is run instead.
typed() {
	local keys wanted shown seen=0 LC_ALL=C
	: > screen
	{
		for keys; do
			[[ $keys == %* ]] && sleep "${keys#%}" && continue
			if [[ $keys == @*@* ]]; then
				wanted=$(printf %b "${keys#@}.") wanted=${wanted%%@*}
				for ((i = 0; i < 200; i++)); do
					shown=$(tr -d '\0' < screen; echo .) shown=${shown:seen}
					[[ $shown == *"$wanted"* ]] && break
					sleep 0.05
				done
				((i < 200)) || echo "FAIL the screen never showed: $wanted" >&2
				shown=${shown%%"$wanted"*}
				seen=$((seen + ${#shown} + ${#wanted}))
				sleep 0.1
				keys=${keys#@*@}
			fi
			printf '%b' "$keys"
		done
	} | timeout 60 script -qefc "stty cols 200 rows 24; exec env TERM=xterm $cowsh ${script-}" screen > /dev/null 2>&1
	echo $? > status
	tr -d '\r\a' < screen | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g'
}

typed '@$ @alias g="echo aliased"\n' '@$ @g there\n' '@$ @nosuch\n' '@$ @if; fi\n' '@$ @sleep 1 &\n' '@$ @echo $-\n' '@$ @history\n' '@$ @exit 3\n' > shown
check 'the shell is an interactive one' '1 1 1 1 1 1 1' \
	"$(for line in 'aliased there' 'bash: nosuch: command not found' "bash: syntax error near unexpected token \`;'" \
		'himBHs' '[1]+  Done                    sleep 1' '    2  g there' 'exit'; do
		grep -cxF -- "$line" shown
	done | paste -sd' ')"
check 'the status of exit' 3 "$(< status)"

typed '@$ @echo abc' '@echo abc@\003' '@^C@' '@$ @for i in 1 2\n' '@> @\003' '@^C@' '@$ @echo still $?\n' '@\nstill@' '@$ @exit\n' > shown
check '^C at a prompt gives up the line' 'still 130' "$(grep -x 'still .*' shown)"
typed '@$ @echo begun; while :; do :; done\n' '@\nbegun@\003' '@$ @echo status $?\n' '@$ @exit\n' > shown
check '^C ends a loop' 'status 130' "$(grep -x 'status .*' shown)"
typed '@$ @echo begun; cat | wc -l; echo not\n' '@\nbegun@\003' '@$ @echo status $?\n' '@$ @exit\n' > shown
check '^C ends what waits for input' 'status 130' "$(grep -x 'status .*\|not' shown)"
typed '@$ @echo begun; for i in 1 2; do cat; echo not; done; echo out $?\n' '@\nbegun@one\n' '@one\r\none@\032' '@$ @jobs\n' '@$ @fg; echo fg $?\n' \
	'@\r\ncat\r\n@\004' '@$ @echo next; cat | tee /dev/stderr\n' '@\nnext@two\n' '@two\r\ntwo@\032' '@$ @\004' '@stopped jobs.@' '@$ @kill -9 %1\n' \
	'@$ @exit\n' > shown
check '^Z stops a command, ends its loops, and fg goes on with it; exit waits for stopped jobs' '1 2 0 1 1 1' \
	"$(for line in 'out 148' '\[1\]+  Stopped                 cat' 'not' 'fg 0' '\[1\]+  Stopped                 cat | tee /dev/stderr' \
		'There are stopped jobs.'; do
		grep -cx -- "$line" shown
	done | paste -sd' ')"
typed '@$ @echo begun; cat\n' '@\nbegun@x\n' '@x\r\nx@\034' '@$ @echo status $?\n' "@$ @sh -c 'kill -9 \$\$'\n" '@$ @\034\032' 'echo alive\n' '@$ @exit\n' > shown
check 'the quit key and other signals are told in a word, and end no shell' '1 1 1' \
	"$(for line in 'status 131' 'Killed' 'alive'; do grep -cx -- "$line" shown; done | paste -sd' ')"
typed '@$ @echo one two\n' '@$ @echo !$\n' '@$ @!!\n' '@$ @for i in a\n' '@> @do echo "<$i>"\n' '@> @done\n' '@$ @\020\n' '@$ @history | tail -3\n' '@$ @exit\n' > shown
check 'history is expanded, joined, and what the editor goes back to' '2 2 1' \
	"$(for line in 'two' '<a>' '    4  for i in a; do echo "<$i>"; done'; do grep -cx -- "$line" shown; done | paste -sd' ')"
typed '@$ @read -sp "pw: " x\n' '@\npw: @secret\n' '@$ @echo "<$x>"; read -n1 -p "key " k; echo "[$k]"\n' '@\nkey @y' '@$ @echo wait; read -t 9 x\n' \
	'@\nwait@\003' '@$ @echo $? $(stty size) $COLUMNS\n' '@$ @stty -icanon -echo; echo silent; cat\n' '@\nsilent@hidden\n' '@hidden@\003' \
	'@$ @stty sane; echo sane; cat\n' '@\nsane@seen\n' '@seen\r\nseen@\004' '@$ @exit\n' > shown
check 'read -s and -n, stty, and the size of the terminal' '1 0 1 1 1 2' \
	"$(for line in '<secret>' '.*pw: secret.*' 'key y\[y\]' '130 24 200 200' 'hidden' 'seen'; do grep -cx -- "$line" shown; done | paste -sd' ')"
typed '@$ @stty raw -isig -echo; echo begun; while :; do read -n1 x; done\n' '@\nbegun@\003' '@$ @echo status $?\n' '@$ @exit\n' > shown
check '^C ends what turns signals off' 'status 130' "$(tr -d '\r' < shown | grep -x 'status .*')"
# The settings, in the sandbox and by the real stty, where standard input is the terminal of script.
cat > settings << 'E'
for m in '' -echo 'raw -echo' -raw 'sane -icanon min 3' 'evenp istrip' 'nl ixoff' 'intr ^X eol ^- susp undef start 0x7f stop 255' cs7 \
	'rows 10 cols 40' 115200 'line 2' dec -tabs foo 'rows x' 'min 300' intr -cs8 'echo nosuch' 0:1:2; do
	stty $m; echo "$m: $?"; stty; stty -a; stty -g; stty size speed
	saved=$(stty -g); stty sane; stty "$saved"; stty -g; stty sane rows 24 cols 80
done > /tmp/told 2>&1
cat /tmp/told; rm /tmp/told
E
terminal() { script -qefc "stty rows 24 cols 80; TERM=xterm LC_ALL=C.UTF-8 $*" /dev/null < /dev/null; }
terminal bash ./settings | tr -d '\r' > real
terminal "$cowsh" ./settings | tr -d '\r' > got
check 'stty is as the real one' "$(md5sum < real) 300" "$(md5sum < got) $(($(wc -l < real) / 100 * 100))"
for signal in HUP TERM; do
	rm -f kept.cow screen
	{
		printf 'x=%s; echo begun; while :; do :; done\n' $signal
		sleep 2
	} | timeout 30 script -qefc "$cowsh --session kept.cow" screen > /dev/null 2>&1 &
	for ((i = 0; i < 200; i++)); do
		sleep 0.05
		grep -qs '^begun' screen && break
	done
	pkill -$signal -f "^$cowsh --session kept.cow"
	wait
	check "SIG$signal ends the shell as exit does: the session is kept" $signal "$("$cowsh" --session kept.cow -c 'echo $x')"
done
typed '@$ @mkdir -p /tmp/dir; echo text > /tmp/dir/alone\n' '@$ @ec\tcat /tmp/d\tal\t\n' '@$ @PS1="<\\\\w> "\n' '@> @cd /tm\t\n' '@</tmp> @exit\n' > shown
check 'names of the sandbox are completed' 'cat /tmp/dir/alone' "$(grep -x 'cat .*' shown)"
check 'PS1 is the prompt' 1 "$(grep -c '^</tmp> exit' shown)"
typed '@$ @sort() { printf "zza\\n\\n\\0\\0Pnever> \\0Hforged\\0zzb"; }\n' '@$ @ls zz\t\n' '@$ @echo alive; history | cat\n' '@$ @exit\n' > shown
check 'what is completed is no request to the editor' '1 0' "$(grep -cx alive shown) $(grep -c '^never> ' shown)"
typed '@$ @PROMPT_COMMAND='"'"'PS1="[$?]: "'"'"'\n' '@]: @false\n' '@]: @:\n' '@]: @exit\n' > shown
check 'PROMPT_COMMAND makes the prompt, and $? stays' '[0]: false [1]: : [0]: exit' "$(grep -a '^\[[01]\]: ' shown | paste -sd' ')"
typed "@$ @trap 'echo D \$BASH_COMMAND' DEBUG; PROMPT_COMMAND=('echo \"p \$? \$n\"; n=\$((n+1)); (exit 7)' 'echo q \$? \$_')\n" '@\nq 0 $_\r\n@' '@$ @false\n' '@\nq 1 $_\r\n@' '@$ @\003' '@\nq 130 $_\r\n@' '@$ @exit\n' > shown
check 'PROMPT_COMMAND is run by the shell, each element with the same $?; nothing else is told to DEBUG' \
	'D PROMPT_COMMAND=('"'"'echo "p $? $n"; n=$((n+1)); (exit 7)'"' 'echo q \$? \$_')"' D echo "p $? $n" p 0  D n=$((n+1)) D echo q $? $_ q 0 $_ D false D echo "p $? $n" p 1 1 D n=$((n+1)) D echo q $? $_ q 1 $_ D echo "p $? $n" p 130 2 D n=$((n+1)) D echo q $? $_ q 130 $_ D exit' \
	"$(grep -a '^[Dpq] ' shown | paste -sd' ')"
printf 'mkfifo p\ncat p &\ntrue\nundo\njobs\nexit\n' | timeout 30 script -qec "$cowsh --checkpoint" screen > shown 2>&1
check 'undo says what does not run any more, and jobs which' '1 1 1' \
	"$(for line in 'cowsh: processes that do not run any more: 1' '[1]+  Killed                  cat p' Killed; do
		tr -d '\r' < shown | grep -cF -- "$line"
	done | paste -sd' ')"
# An editor that was taken over sends more than there is room for.
mkdir taken
cp "$cowsh" taken/cowsh
cat > taken/cowsh-edit <<'E'
#!/bin/bash
{
	printf 'L('
	head -c 17000000 /dev/zero | tr '\0' a
	printf '\n%s' Lb Lb Lb 'L)' 'Lecho alive' 'Lexit 5'
	echo
} >&4
E
chmod +x taken/cowsh-edit
timeout 60 script -qefc taken/cowsh screen > shown 2>&1
echo $? >> shown
check 'a command that is too long is no command' '1 alive 5' \
	"$(grep -c 'too long for a command' shown) $(tr -d '\r' < shown | grep -x 'alive\|5' | paste -sd' ')"
# It has its own two pipes, and none to the broker.
cat > taken/cowsh-edit <<'E'
#!/bin/bash
for f in /proc/$$/fd/*; do
	[ ! -p "$f" ] || echo pipe
done > pipes
echo 'Lexit 5' >&4
E
for mount in '' '--mount .:/m'; do
	timeout 60 script -qefc "taken/cowsh $mount" screen > /dev/null 2>&1 < /dev/null
	grep -c pipe pipes
done > shown
check 'the line editor has no pipe to the broker' 1 "$(sort -u shown | wc -l)"
if ! nm "$cowsh" 2> /dev/null | grep -q __asan_init; then
	{ sleep 1; printf 'exit\n'; } | script -qefc "$cowsh" screen > /dev/null 2>&1 &
	for ((i = 0; i < 15; i++)); do
		sleep 0.05
		pid=$(pgrep -f "^$cowsh-edit") && grep -q 'Seccomp:.*2' "/proc/$pid/status" && break
	done
	check 'the line editor is locked' 2 "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")"
	wait
fi
typed '@$ @PS0="[\\w]\\n"\n' '@$ @echo a\n' '@$ @IGNOREEOF=1; shopt -s autocd cdspell; mkdir there\n' '@$ @\004' \
	'@leave the shell.@' '@$ @thare\n' '@$ @cd thare\n' '@$ @there\n' '@$ @..\n' '@$ @exit\n' > shown
check 'PS0, IGNOREEOF, cdspell, autocd' '[~] a [~] Use "exit" to leave the shell. [~] [~] there [~/there] bash: there: command not found [~/there] cd -- .. [~] exit' \
	"$(grep -ax '\[~.*\]\|a\|Use .*\|there\|cd -- .*\|exit\|bash: there.*' shown | paste -sd' ')"
typed '@$ @TMOUT=1; set -b; complete -W "one two" f\n' '@$ @' '%1.3' 'echo f tw\t; echo $-\n' '@$ @exit\n' > shown
check 'TMOUT, set -b and complete are nothing to the prompt' 'f tw bhimBHs' "$(grep -ax 'f tw.*\|b.*Hs' shown | paste -sd' ')"
# --- scripts on a terminal ---
script=./s
echo 'trap "echo trapped" INT; trap "echo end" EXIT; echo begun; read x; echo "[$x]"; cat; echo $?' > s
typed '@\nbegun@\003' '@^Ctrapped@line\n' '@[line]@\003' > shown
check '^C and traps in a script' 'begun ^Ctrapped line [line] ^Ctrapped 130 end' "$(grep -av '^Script' shown | paste -sd' ' | sed 's/ *$//')"
echo 'echo begun; while :; do :; done' > s
typed '@\nbegun@\003' > shown
check '^C ends a script' 130 "$(< status)"
echo 'trap "" INT; echo begun; while :; do :; done' > s
typed '@\nbegun@\003' '%0.2' '\003' '%0.2' '\003' > shown
check '^C three times ends one that does not listen' 137 "$(< status)"
unset script

finish
