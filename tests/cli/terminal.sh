#!/bin/bash
# Commands on a terminal, as the real ones are there. usage: tests/cli/terminal.sh BUILD
. "$(dirname "$0")/harness" "$1"

# shown SCRIPT: what the screen gets, carriage returns and all; \x1b is E.
shown() {
	printf '%s\n' "export TERM=xterm; printf 'a\nb\n' > f; $1" > script.sh
	script -qefc "stty cols 80 rows 24; exec env TERM=xterm $cowsh $work/script.sh" /dev/null < /dev/null |
		tr -d '\r' | sed 's/\x1b/E/g; s/^\^D\x08\x08//'
}
# both NAME SCRIPT WANTED
both() {
	check "$1" "$3" "$(shown "$2")"
}

both 'tar writes no archive to it, and reads none' 'tar c f; tar cz f; tar t; tar xf -; tar cf - f | wc -c' \
	'tar: Refusing to write archive contents to terminal (missing -f option?)
tar: Error is not recoverable: exiting now
tar: Refusing to write archive contents to terminal (missing -f option?)
tar: Error is not recoverable: exiting now
tar: Refusing to read archive contents from terminal (missing -f option?)
tar: Error is not recoverable: exiting now
tar: Refusing to read archive contents from terminal (missing -f option?)
tar: Error is not recoverable: exiting now
10240'
both 'bzip2 neither' 'bzip2 -c f; bzip2 < f; bunzip2; echo $?; bzip2 -c f | bzip2 -d' \
	'bzip2: I won'\''t write compressed data to a terminal.
bzip2: For help, type: `bzip2 --help'\''.
bzip2: I won'\''t write compressed data to a terminal.
bzip2: For help, type: `bzip2 --help'\''.
bunzip2: I won'\''t read compressed data from a terminal.
bunzip2: For help, type: `bunzip2 --help'\''.
1
a
b'
both 'nor xz, zstd, gzip and zip' 'xz -c f; xzcat; echo $?; zstd; gzip -t; zip - f; echo $?; xz -c f | xz -d' \
	'xz: Compressed data cannot be written to a terminal
xz: Try `xz --help'\'' for more information.
xzcat: Compressed data cannot be read from a terminal
1
stdin is a console, aborting
gzip: compressed data not read from a terminal. Use -f to force decompression.
For help, type: gzip -h

zip error: Invalid command arguments (cannot write zip file to terminal)
16
a
b'
both 'jq has colours' 'echo "{\"a\":[1,null]}" > j; jq -c . j; jq -cM . j; NO_COLOR=1 jq -c . j; jq -c . j | cat' \
	'E[1;39m{E[0mE[34;1m"a"E[0mE[1;39m:E[0mE[1;39m[E[0;39m1E[0mE[1;39m,E[1;30mnullE[0mE[1;39mE[1;39m]E[0mE[1;39mE[1;39m}E[0m
{"a":[1,null]}
{"a":[1,null]}
{"a":[1,null]}'
both 'rg has colours, headings and numbers' 'rg b; rg -N --no-heading b f; rg --color never b; rg --vimgrep b; rg b | cat; rg b < f' \
	'E[0mE[35mfE[0m
E[0mE[32m2E[0m:E[0mE[1mE[31mbE[0m
E[0mE[1mE[31mbE[0m
f
2:b
f:2:1:b
f:b
E[0mE[1mE[31mbE[0m'
both 'ls has columns, in which names with quotes and others begin at the same place' 'mkdir d; touch d/x "d/y z" d/w; ls d; ls d | cat' \
	"$(printf " w   x\t'y z'\nw\nx\ny z")"
both 'more and less want a name; more has no heading for one file' 'less; more; echo $?; more f; more f f | head -4' \
	'Missing filename ("less --help" for help)
more: bad usage
Try '\''more --help'\'' for more information.
1
a
b
::::::::::::::
f
::::::::::::::
a'
both 'checkwinsize: the size is known behind a command' 'unset COLUMNS LINES; :; echo "[$COLUMNS]"; ls > /dev/null; echo $COLUMNS $LINES; stty cols 33; echo $COLUMNS
	shopt -u checkwinsize; stty cols 44; echo $COLUMNS; (shopt -s checkwinsize; unset COLUMNS; ls > /dev/null; echo "[$COLUMNS]")' \
	'[]
80 24
33
33
[]'
both 'tree has the colours of LS_COLORS; git hints are yellow; script adds no carriage returns' \
	'mkdir d; export LS_COLORS="di=01;34"; tree --noreport; tree -n --noreport; NO_COLOR=1 tree --noreport d; LS_COLORS= CLICOLOR_FORCE=1 tree d --noreport | cat
	git init -q x; cd x; export EMAIL=a@b; git commit --allow-empty -qm a; git tag -am t t HEAD; git tag -fam u u t; git tag -fam u u t 2>&1 | sed "s/:.*//"; script -q -c "echo hi" /dev/null' \
	'E[01;34m.E[0m
├── E[01;34mdE[0m
└── f
.
├── d
└── f
d
E[01;34mdE[0m
E[33mhint: You have created a nested tag. The object referred to by your new tag isE[m
E[33mhint: already a tag. If you meant to tag the object that it points to, use:E[m
E[33mhint: E[m
E[33mhint: 	git tag -f u t^{}E[m
E[33mhint: Disable this message with "git config advice.nestedTag false"E[m
hint
hint
hint
hint
hint
hi'
finish
