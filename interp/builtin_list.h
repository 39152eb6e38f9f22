/* SPDX-License-Identifier: MIT
 *
 * The shell's own commands: one row each, sorted by name.
 *
 * BUILTIN(ident, name, flags, usage, summary): int do_ident(sh, argc, argv) runs it; usage
 * is what `help -s` and a wrong option show. Flags: S special, D declaration. After a change
 * run tools/gen_builtin_hash.py.
 */

BUILTIN(dot, ".", BUILTIN_SPECIAL, ". filename [arguments]",
	"Execute the commands of a file in this shell.")
BUILTIN(colon, ":", BUILTIN_SPECIAL, ":", "Do nothing and succeed.")
BUILTIN(bracket, "[", 0, "[ arg... ]", "Evaluate a condition; the last argument must be ].")
BUILTIN(alias, "alias", 0, "alias [-p] [name[=value] ... ]", "Define aliases or show them.")
BUILTIN(bg, "bg", 0, "bg [job_spec ...]", "Let stopped jobs go on in the background.")
BUILTIN(bind, "bind", 0,
	"bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x "
	"keyseq:shell-command] [keyseq:readline-function or readline-command]",
	"Bind keys for line editing.")
BUILTIN(break, "break", BUILTIN_SPECIAL, "break [n]", "Leave the innermost loops.")
BUILTIN(builtin, "builtin", 0, "builtin [shell-builtin [arg ...]]",
	"Run a command of the shell itself, past functions.")
BUILTIN(caller, "caller", 0, "caller [expr]", "Show from where the running function was called.")
BUILTIN(cd, "cd", 0, "cd [-L|[-P [-e]] [-@]] [dir]", "Change the working directory.")
BUILTIN(command, "command", 0, "command [-pVv] command [arg ...]",
	"Run a command past functions, or tell what it is.")
BUILTIN(compgen, "compgen", 0,
	"compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F "
	"function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
	"List possible completions of a word.")
BUILTIN(complete, "complete", 0,
	"complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W "
	"wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] "
	"[name ...]",
	"Say how arguments of a command are completed.")
BUILTIN(compopt, "compopt", 0, "compopt [-o|+o option] [-DEI] [name ...]",
	"Change the options of a completion.")
BUILTIN(continue, "continue", BUILTIN_SPECIAL, "continue [n]",
	"Go on with the next turn of a loop.")
BUILTIN(declare, "declare", BUILTIN_DECLARATION,
	"declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name "
	"...]",
	"Give variables values and attributes.")
BUILTIN(dirs, "dirs", 0, "dirs [-clpv] [+N] [-N]", "Show the directory stack.")
BUILTIN(disown, "disown", 0, "disown [-h] [-ar] [jobspec ... | pid ...]", "Forget jobs.")
BUILTIN(echo, "echo", 0, "echo [-neE] [arg ...]", "Write the arguments and a newline.")
BUILTIN(enable, "enable", 0, "enable [-a] [-dnps] [-f filename] [name ...]",
	"Switch commands of the shell on and off.")
BUILTIN(eval, "eval", BUILTIN_SPECIAL, "eval [arg ...]", "Execute the arguments as a command line.")
BUILTIN(exec, "exec", BUILTIN_SPECIAL,
	"exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
	"Put a program in the place of the shell.")
BUILTIN(exit, "exit", BUILTIN_SPECIAL, "exit [n]", "End the shell.")
BUILTIN(export, "export", BUILTIN_SPECIAL | BUILTIN_DECLARATION,
	"export [-fn] [name[=value] ...] or export -p", "Pass variables on to programs.")
BUILTIN(false, "false", 0, "false", "Fail.")
BUILTIN(fc, "fc", 0, "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
	"List, edit or repeat earlier commands.")
BUILTIN(fg, "fg", 0, "fg [job_spec]", "Bring a job to the foreground.")
BUILTIN(getopts, "getopts", 0, "getopts optstring name [arg ...]",
	"Take the next option from the arguments.")
BUILTIN(hash, "hash", 0, "hash [-lr] [-p pathname] [-dt] [name ...]",
	"Remember where programs are.")
BUILTIN(help, "help", 0, "help [-dms] [pattern ...]", "Describe the commands of the shell.")
BUILTIN(history, "history", 0,
	"history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg "
	"[arg...]",
	"Show or change the list of earlier commands.")
BUILTIN(jobs, "jobs", 0, "jobs [-lnprs] [jobspec ...] or jobs -x command [args]", "List the jobs.")
BUILTIN(kill, "kill", 0,
	"kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
	"Send a signal.")
BUILTIN(let, "let", 0, "let arg [arg ...]", "Evaluate arithmetic.")
BUILTIN(local, "local", BUILTIN_DECLARATION, "local [option] name[=value] ...",
	"Make variables of a function.")
BUILTIN(logout, "logout", 0, "logout [n]", "End a login shell.")
BUILTIN(mapfile, "mapfile", 0,
	"mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C "
	"callback] [-c quantum] [array]",
	"Read lines into an array.")
BUILTIN(popd, "popd", 0, "popd [-n] [+N | -N]", "Take a directory from the stack.")
BUILTIN(printf, "printf", 0, "printf [-v var] format [arguments]",
	"Write the arguments as a format says.")
BUILTIN(pushd, "pushd", 0, "pushd [-n] [+N | -N | dir]", "Put a directory on the stack.")
BUILTIN(pwd, "pwd", 0, "pwd [-LP]", "Write the working directory.")
BUILTIN(read, "read", 0,
	"read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p "
	"prompt] [-t timeout] [-u fd] [name ...]",
	"Read a line and split it into variables.")
BUILTIN(readarray, "readarray", 0,
	"readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C "
	"callback] [-c quantum] [array]",
	"Read lines into an array.")
BUILTIN(readonly, "readonly", BUILTIN_SPECIAL | BUILTIN_DECLARATION,
	"readonly [-aAf] [name[=value] ...] or readonly -p", "Make variables constant.")
BUILTIN(return, "return", BUILTIN_SPECIAL, "return [n]", "Leave a function or a sourced file.")
BUILTIN(set, "set", BUILTIN_SPECIAL,
	"set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
	"Set options and positional parameters, or list variables.")
BUILTIN(shift, "shift", BUILTIN_SPECIAL, "shift [n]", "Drop the first positional parameters.")
BUILTIN(shopt, "shopt", 0, "shopt [-pqsu] [-o] [optname ...]", "Set and show options of the shell.")
BUILTIN(source, "source", BUILTIN_SPECIAL, "source filename [arguments]",
	"Execute the commands of a file in this shell.")
BUILTIN(suspend, "suspend", 0, "suspend [-f]", "Stop the shell until it is told to go on.")
BUILTIN(test, "test", 0, "test [expr]", "Evaluate a condition.")
BUILTIN(times, "times", BUILTIN_SPECIAL, "times", "Show the time used so far.")
BUILTIN(trap, "trap", BUILTIN_SPECIAL, "trap [-lp] [[arg] signal_spec ...]",
	"Say what happens on signals and other events.")
BUILTIN(true, "true", 0, "true", "Succeed.")
BUILTIN(type, "type", 0, "type [-afptP] name [name ...]", "Tell what a command name means.")
BUILTIN(typeset, "typeset", BUILTIN_DECLARATION,
	"typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name "
	"...]",
	"Give variables values and attributes.")
BUILTIN(ulimit, "ulimit", 0, "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
	"Set and show limits on resources.")
BUILTIN(umask, "umask", 0, "umask [-p] [-S] [mode]",
	"Set or show which permissions new files do not get.")
BUILTIN(unalias, "unalias", 0, "unalias [-a] name [name ...]", "Remove aliases.")
BUILTIN(unset, "unset", BUILTIN_SPECIAL, "unset [-f] [-v] [-n] [name ...]",
	"Remove variables and functions.")
BUILTIN(wait, "wait", 0, "wait [-fn] [-p var] [id ...]", "Wait for jobs and give their status.")
