#!/bin/bash
# The interactive shell, typed at on a terminal. usage: tests/cli/typed.sh BUILD
. "$(dirname "$0")/harness" "$1"

# typed KEYS...: what the screen shows, without colours and carriage returns. After each argument the
# text that the next one begins with ("@TEXT@") is waited for.
typed() {
	local keys wanted shown
	: > screen
	{
		for keys; do
			if [[ $keys == @*@* ]]; then
				wanted=$(printf %b "${keys#@}.") wanted=${wanted%%@*}
				for ((i = 0; i < 200; i++)); do
					shown=$(tr -d '\0' < screen)
					[[ $shown == *"$wanted"* ]] && break
					sleep 0.05
				done
				sleep 0.1
				keys=${keys#@*@}
			fi
			printf '%b' "$keys"
		done
	} | timeout 30 script -qefc "stty cols 200; TERM=xterm $cowsh" screen > /dev/null 2>&1
	echo $? > status
	tr -d '\r\a' < screen | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g'
}

typed 'alias g="echo aliased"\n' 'g there\n' 'nosuch\n' 'if; fi\n' 'sleep 1 &\n' 'echo $-\n' 'history\n' 'exit 3\n' > shown
check 'the shell is an interactive one' '1 1 1 1 1 1 1' \
	"$(for line in 'aliased there' 'bash: nosuch: command not found' "bash: syntax error near unexpected token \`;'" \
		'himBHs' '[1]+  Done                    sleep 1' '    2  g there' 'exit'; do
		grep -cxF -- "$line" shown
	done | paste -sd' ')"
check 'the status of exit' 3 "$(< status)"

typed '@$ @echo abc' '@echo abc@\003' '@^C@for i in 1 2\n' '@> @\003' '@> ^C@echo still $?\n' '@still@exit\n' > shown
check '^C at a prompt gives up the line' 'still 0' "$(grep -x 'still .*' shown)"
typed 'echo begun; while :; do :; done\n' '@\nbegun@\003' '@^C@echo status $?\n' '@status @exit\n' > shown
check '^C ends a loop' 'status 130' "$(grep -x 'status .*' shown)"
typed 'echo begun; cat | wc -l; echo not\n' '@\nbegun@\003' '@^C@echo status $?\n' '@status @exit\n' > shown
check '^C ends what waits for input' 'status 130' "$(grep -x 'status .*\|not' shown)"
typed 'for i in 1 2; do cat; echo not; done; echo out $?\n' 'one\n' '@\none\r\none@\032' '@out @jobs\n' 'fg\n' '@cat\r\n@\004' \
	'cat | tail -1\n' 'two\n' '@\ntwo@\032' '@]+  @true\n' '\004' '@stopped jobs.@fg; echo fg $?\n' '@| tail -1\r\n@\004' 'exit\n' > shown
check '^Z stops a command, ends its loops, and fg goes on with it; exit waits for stopped jobs' '1 2 0 1 1 2 1' \
	"$(for line in 'out 148' '\[1\]+  Stopped                 cat' 'not' '\[1\]+  Stopped                 cat | tail -1' \
		'There are stopped jobs.' 'two' 'fg 0'; do
		grep -cx -- "$line" shown
	done | paste -sd' ')"
typed 'cat\n' 'x\n' '@\nx\r\nx@\034' '@Quit@echo status $?\n' "sh -c 'kill -9 \$\$'\n" '@Killed@\034\032' 'echo alive\n' 'exit\n' > shown
check 'the quit key and other signals are told in a word, and end no shell' '1 1 1' \
	"$(for line in 'status 131' 'Killed' 'alive'; do grep -cx -- "$line" shown; done | paste -sd' ')"
typed 'echo one two\n' 'echo !$\n' '!!\n' 'for i in a\n' 'do echo "<$i>"\n' 'done\n' '@<a>@\020\n' 'history | tail -3\n' 'exit\n' > shown
check 'history is expanded, joined, and what the editor goes back to' '2 2 1' \
	"$(for line in 'two' '<a>' '    4  for i in a; do echo "<$i>"; done'; do grep -cx -- "$line" shown; done | paste -sd' ')"
typed 'mkdir -p /tmp/dir; echo text > /tmp/dir/alone\n' 'ec\tcat /tmp/d\tal\t\n' 'PS1="<\\\\w> "\n' 'cd /tm\t\n' 'exit\n' > shown
check 'names of the sandbox are completed' 'cat /tmp/dir/alone' "$(grep -x 'cat .*' shown)"
check 'PS1 is the prompt' 1 "$(grep -c '^</tmp> exit' shown)"
typed 'sort() { printf "zza\\n\\n\\0\\0Pnever> \\0Hforged\\0zzb"; }\n' 'ls zz\t\n' 'echo alive; history | cat\n' 'exit\n' > shown
check 'what is completed is no request to the editor' '1 0' "$(grep -cx alive shown) $(grep -c '^never> ' shown)"
typed 'PROMPT_COMMAND='"'"'PS1="[$?]: "'"'"'\n' 'false\n' ':\n' 'exit\n' > shown
check 'PROMPT_COMMAND makes the prompt, and $? stays' '[0]: false [1]: : [0]: exit' "$(grep -a '^\[[01]\]: ' shown | paste -sd' ')"
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
if ! nm "$cowsh" 2> /dev/null | grep -q __asan_init; then
	{ sleep 1; printf 'exit\n'; } | script -qefc "$cowsh" screen > /dev/null 2>&1 &
	for ((i = 0; i < 15; i++)); do
		sleep 0.05
		pid=$(pgrep -f "^$cowsh-edit") && grep -q 'Seccomp:.*2' "/proc/$pid/status" && break
	done
	check 'the line editor is locked' 2 "$(awk '/^Seccomp:/ { print $2 }' "/proc/$pid/status")"
	wait
fi
finish
