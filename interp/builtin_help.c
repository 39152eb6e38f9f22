/* SPDX-License-Identifier: MIT
 *
 * help, enable, bind: what is about the shell itself.
 *
 * There is no line editor behind this: bind only says so. The texts of help are short and our own.
 */
#include "base/err.h"
#include "base/glob.h"
#include "interp/builtin.h"
#include "interp/state.h"

/* --- help --- */

/* What `help` lists beside the commands: the words of the language. */
static const struct topic {
	const char *name;
	const char *usage;
	const char *summary;
} topics[] = {
	{ "%", "job_spec [&]", "Bring a job to the foreground, or let it go on behind." },
	{ "(( ... ))", "(( expression ))", "Evaluate arithmetic; succeeds unless the value is 0." },
	{ "[[ ... ]]", "[[ expression ]]", "Evaluate a condition with patterns and && || !." },
	{ "case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
	  "Execute what stands behind the first pattern that matches." },
	{ "coproc", "coproc [NAME] command [redirections]", "Run a command behind two pipes." },
	{ "for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Loop over words." },
	{ "for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done", "Loop by arithmetic." },
	{ "function", "function name { COMMANDS ; } or name () { COMMANDS ; }",
	  "Define a function." },
	{ "if",
	  "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
	  "Execute commands when others succeed." },
	{ "select", "select NAME [in WORDS ... ;] do COMMANDS; done",
	  "Let the user choose a word." },
	{ "time", "time [-p] pipeline", "Tell how long a pipeline takes." },
	{ "until", "until COMMANDS; do COMMANDS-2; done", "Loop until commands succeed." },
	{ "variables", "variables - Names and meanings of some shell variables",
	  "Names of the variables that the shell uses." },
	{ "while", "while COMMANDS; do COMMANDS-2; done", "Loop while commands succeed." },
	{ "{ ... }", "{ COMMANDS ; }", "Group commands." },
};

enum { TOPICS = sizeof(topics) / sizeof(topics[0]) };

static void put_topic(struct buf *out, const struct topic *t, char style)
{
	if (style == 'd') {
		buf_printf(out, "%s - %s\n", t->name, t->summary);
		return;
	}
	if (style == 'm') {
		buf_printf(out, "NAME\n    %s - %s\n\nSYNOPSIS\n    %s\n\nDESCRIPTION\n    %s\n\n",
			   t->name, t->summary, t->usage, t->summary);
		buf_puts(out, "SEE ALSO\n    bash(1)\n\n");
		return;
	}
	buf_printf(out, "%s: %s\n", t->name, t->usage);
	if (style != 's')
		buf_printf(out, "    %s\n", t->summary);
}

void help_text(struct buf *out, const struct shell_builtin *b)
{
	struct topic t = { b->name, b->usage, b->summary };

	put_topic(out, &t, 0);
}

/* All topics in the order of their names. */
static bool topic_at(int i, struct topic *out)
{
	const struct shell_builtin *b = NULL;
	int t = 0;

	for (int k = 0; k <= i; k++) {
		int row = k - t;

		b = builtin_at(row);
		if (t < TOPICS && (b == NULL || strcmp(topics[t].name, b->name) < 0)) {
			*out = topics[t++];
		} else if (b != NULL) {
			*out = (struct topic){ b->name, b->usage, b->summary };
		} else {
			return false;
		}
	}
	return true;
}

const char *help_topic(int i)
{
	struct topic t;

	return topic_at(i, &t) ? t.name : NULL;
}

static int list_topics(struct shell *sh)
{
	struct buf out = buf_in(sh->arena);
	struct topic t;

	buf_puts(&out, "These commands belong to the shell. `help name' says more about one.\n\n");
	for (int i = 0; topic_at(i, &t); i++)
		buf_printf(&out, " %s\n", t.usage);
	out_flush_unchecked(sh, &out);
	return 0;
}

/* Names equal to the pattern, else those that it matches or begins. */
static bool put_topics(struct shell *sh, struct buf *out, struct bytes pattern, char style)
{
	struct glob *g = NULL;
	bool found = false;
	struct topic t;

	/* No name is as long: nothing is begun by it, and few patterns need more. */
	shell_cost(sh, 64 * pattern.len);
	proc_charge(sh->p, 1);
	for (int i = 0; topic_at(i, &t); i++) {
		if (!bytes_is(pattern, t.name))
			continue;
		put_topic(out, &t, style);
		found = true;
	}
	if (found)
		return true;
	if (glob_has_magic(pattern, false))
		g = glob_compile(sh->arena, pattern, 0);
	for (int i = 0; topic_at(i, &t); i++) {
		struct bytes name = bytes_of(t.name);

		if (g != NULL ? !glob_match(g, sh->arena, name) : !bytes_starts(name, pattern))
			continue;
		put_topic(out, &t, style);
		found = true;
	}
	return found;
}

int do_help(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	struct optscan o = { 0 };
	bool found = false;
	char style = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "dms")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		style = (char)c;
	}
	if (o.index == argc)
		return list_topics(sh);
	if (glob_has_magic(bytes_of(argv[o.index]), false))
		buf_printf(&out, "Shell commands matching keyword `%s'\n\n", argv[o.index]);
	for (int i = o.index; i < argc; i++)
		found = put_topics(sh, &out, bytes_of(argv[i]), style) || found;
	if (!found) {
		const char *name = argv[argc - 1];

		builtin_error(sh, "help",
			      "no help topics match `%s'.  "
			      "Try `help help' or `man -k %s' or `info %s'.",
			      name, name, name);
		return 1;
	}
	return out_flush(sh, "help", &out);
}

/* --- enable --- */

struct enable_options {
	bool all;
	bool off;
	bool print;
	bool special;
};

static int enable_list(struct shell *sh, const struct enable_options *o)
{
	struct buf out = buf_in(sh->arena);
	const struct shell_builtin *b;

	for (int i = 0; (b = builtin_at(i)) != NULL; i++) {
		bool on = builtin_enabled(sh, b);

		if (o->special && (b->flags & BUILTIN_SPECIAL) == 0)
			continue;
		if (o->all || on != o->off)
			buf_printf(&out, "enable %s%s\n", on ? "" : "-n ", b->name);
	}
	return out_flush(sh, "enable", &out);
}

static int enable_unloadable(struct shell *sh, int n, char **names)
{
	for (int i = 0; i < n; i++) {
		if (shell_builtin_find(sh, bytes_of(names[i])) == NULL)
			builtin_error(sh, "enable", "%s: not a shell builtin", names[i]);
		else
			builtin_error(sh, "enable", "%s: not dynamically loaded", names[i]);
	}
	return 1;
}

int do_enable(struct shell *sh, int argc, char **argv)
{
	struct enable_options o = { 0 };
	struct optscan scan = { 0 };
	const char *file = NULL;
	bool unload = false;
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "adnpsf:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		o.all = o.all || c == 'a';
		o.off = o.off || c == 'n';
		o.print = o.print || c == 'p';
		o.special = o.special || c == 's';
		unload = unload || c == 'd';
		if (c == 'f')
			file = scan.value;
	}
	if ((file != NULL || unload) && restricted(sh, "enable", NULL))
		return 1;
	if (file != NULL) {
		builtin_error(sh, "enable",
			      "cannot open shared object %s: %s: cannot open shared object"
			      " file: No such file or directory",
			      file, file);
		return 1;
	}
	if (scan.index == argc || o.print)
		return enable_list(sh, &o);
	if (unload)
		return enable_unloadable(sh, argc - scan.index, argv + scan.index);
	for (int i = scan.index; i < argc; i++) {
		const struct shell_builtin *b = shell_builtin_find(sh, bytes_of(argv[i]));

		if (b == NULL) {
			builtin_error(sh, "enable", "%s: not a shell builtin", argv[i]);
			status = 1;
		} else if (!o.off && !builtin_enabled(sh, b) && restricted(sh, "enable", NULL)) {
			status = 1;
		} else {
			builtin_enable_set(sh, b, !o.off);
		}
	}
	return status;
}

/* --- bind --- */

int do_bind(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };
	int status = 0;
	int c;

	if (argc < 2 || strcmp(argv[1], "--help") != 0)
		builtin_error(sh, "bind", "warning: line editing not enabled");
	while ((c = optscan_next(sh, NULL, &o, argc, argv, "lvpVPsSXf:q:u:m:r:x:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c == 'q' || c == 'u') {
			builtin_error(sh, "bind", "`%s': unknown function name", o.value);
			status = 1;
		}
	}
	return status;
}
