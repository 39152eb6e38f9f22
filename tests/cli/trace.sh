#!/bin/bash
# --trace writes lines of JSON, --trace-format otel spans, also when a limit stops the script.
# usage: tests/cli/trace.sh BUILD
. "$(dirname "$0")/harness" "$1"

# The values of a query over the trace, with our own jq.
ask() { "$cowsh" -c 'jq -r "$1"' ask "$1" < t; }

"$cowsh" --trace t -c $'echo a > f\nseq 9 | grep "" > g; exit 3' 2> /dev/null
check 'the status is the script'\''s' 3 $?
check 'events in order' 'command start create start start create exec end exec end end result summary' \
	"$(ask .event | tr '\n' ' ' | sed 's/ $//')"
check 'numbers without gaps' '1 13' "$(ask .seq | sed -n '1p;$p' | tr '\n' ' ' | sed 's/ $//')"
check 'a stage with its line' '2 2' "$(ask 'select(.event == "exec" and .name == "grep") | "\(.stage) \(.line)"')"
check 'bytes through a pipe' '18 18' "$(ask 'select(.event == "end" and .name == "grep") | "\(.bytes_read) \(.bytes_written)"')"
check 'the summary' '3 2' "$(ask 'select(.event == "summary") | "\(.processes) \(.files_written)"')"
"$cowsh" --trace=t --trace-calls -c 'cd /; f() { :; }; f' 
check 'calls' 'builtin cd, function f, builtin :, ' \
	"$(ask 'select(.event == "call") | "\(.program) \(.name), "' | tr -d '\n')"
"$cowsh" --limit steps=500 --trace t -c 'echo > f; while :; do :; done' 2> /dev/null
check 'a limit' 'steps 500 137' \
	"$(ask 'select(.event == "limit" or .event == "result") | "\(.limit) \(.limit_value) \(.status)"' | tail -n 1)"
printf 'echo "a\\"b\377" > "x\ny\377"' > script
"$cowsh" --trace t script
check 'odd names stay JSON' 'x%y�' "$(ask 'select(.event == "create") | .path' | tail -n 2 | tr '\n' '%' | sed 's/.*\///;s/%$//')"
"$cowsh" --trace t --trace-format otel -c 'seq 3 > f; ls nope; :' 2> /dev/null
span='.resourceSpans[].scopeSpans[].spans[]'
check 'spans' 'create seq ls bash command' \
	"$(ask "$span.name" | tr '\n' ' ' | sed 's/ $//')"
check 'one trace' 1 "$(ask "$span.traceId" | sort -u | wc -l)"
check 'spans hang together' '' "$(comm -13 <(ask "$span.spanId" | sort) <(ask "$span.parentSpanId // empty" | sort -u))"
check 'a failed span' 2 "$(ask "$span | select(.name == \"ls\") | .status.code")"
check 'another format' 'cowsh: --trace-format wants `jsonl` or `otel`, not '\''xml'\''' \
	"$("$cowsh" --trace t --trace-format xml -c : 2>&1)"
check 'a file that can'\''t be written' 'cowsh: can'\''t write '\''/nope/t'\'': No such file or directory' \
	"$("$cowsh" --trace /nope/t -c : 2>&1)"
a=$("$cowsh" --json --clock @1 -c 'for i in 1 2 3; do seq 99 | sort; done' | sed 's/"memory_peak":[0-9]*//')
b=$("$cowsh" --json --clock @1 --trace t --trace-calls -c 'for i in 1 2 3; do seq 99 | sort; done' | sed 's/"memory_peak":[0-9]*//')
check 'tracing changes nothing' "$a" "$b"
finish
