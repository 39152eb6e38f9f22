/* SPDX-License-Identifier: MIT
 *
 * env - run a program in a changed environment, or write the environment.
 */
#include "builtins/builtin.h"

#include "builtins/signals.h"

enum { SIGNALS_MAX = 64 };

struct env_opts {
	bool empty;
	bool zero;
	bool verbose;
	const char *dir;
	const char **unset;
	size_t nunset;
	char **split; /* words of -S, which stand for it */
	int nsplit;
	bool list_signals;
	enum env_signal { SIGNAL_KEPT, SIGNAL_DEFAULT, SIGNAL_IGNORE } actions[SIGNALS_MAX + 1];
	bool lenient[SIGNALS_MAX + 1];        /* one of all: failures count for nothing */
	signed char blocked[SIGNALS_MAX + 1]; /* 1: block, -1: unblock */
};

static int add_unset(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct env_opts *o = c->opts;

	(void)opt;
	o->unset = arena_room(c->arena, o->unset, o->nunset, sizeof(char *));
	o->unset[o->nunset++] = arg;
	return 0;
}

/* --- signals --- */

/* 32 and 33 belong to the C library. */
static bool is_signal(int sig)
{
	return sig >= 1 && sig <= SIGNALS_MAX && sig != 32 && sig != 33;
}

static void mark_signal(struct env_opts *o, const struct opt *opt, int sig, bool lenient)
{
	switch (opt->name[0]) {
	case 'b': o->blocked[sig] = 1; return;
	case 'd':
		o->actions[sig] = SIGNAL_DEFAULT;
		o->blocked[sig] = -1;
		break;
	default: o->actions[sig] = SIGNAL_IGNORE;
	}
	o->lenient[sig] = lenient;
}

/* --block-signal, --default-signal, --ignore-signal: a list with commas, or none for all. */
static int set_signals(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct env_opts *o = c->opts;

	for (int sig = 1; arg == NULL && sig <= SIGNALS_MAX; sig++)
		if (is_signal(sig))
			mark_signal(o, opt, sig, true);
	while (arg != NULL && *arg != '\0') {
		size_t len = strcspn(arg, ",");
		char *name = arena_dup(c->arena, (struct bytes){ arg, len });
		bool blank = strspn(name, " ") == len;
		struct buf upper = buf_in(c->arena);

		for (size_t i = 0; i < len; i++)
			buf_putc(&upper, (char)byte_to_upper((unsigned char)name[i]));
		int sig = blank ? 0 : cmd_sig_number(buf_cstr(&upper));

		if (!blank && !is_signal(sig))
			return cmd_usage(c, "%s: invalid signal", cmd_quote(c, name));
		if (!blank)
			mark_signal(o, opt, sig, false);
		arg += len + (arg[len] == ',');
	}
	return 0;
}

static const char *signal_name(struct cmd *c, int sig)
{
	struct buf name = buf_in(c->arena);

	if (signals_name(sig) != NULL)
		return signals_name(sig);
	if (sig == 34 || sig == SIGNALS_MAX)
		return sig == 34 ? "RTMIN" : "RTMAX";
	buf_printf(&name, sig < 50 ? "RTMIN+%d" : "RTMAX-%d",
		   sig < 50 ? sig - 34 : SIGNALS_MAX - sig);
	return buf_cstr(&name);
}

/* Of this process: bit n - 1 is signal n. */
static uint64_t own_blocked(struct cmd *c)
{
	struct cmd_proc *list;
	size_t n = cmd_procs(c, &list);

	for (size_t i = 0; i < n; i++)
		if (list[i].pid == cmd_pid(c))
			return list[i].blocked;
	return 0;
}

static void say_signals(struct cmd *c)
{
	uint64_t blocked = own_blocked(c);
	struct buf text = buf_in(c->arena);

	for (int sig = 1; sig <= SIGNALS_MAX; sig++) {
		bool block = (blocked >> (sig - 1) & 1) != 0;
		bool ignore = is_signal(sig) && cmd_signal_action(c, sig) == CMD_SIG_IGNORE;

		if (block || ignore)
			buf_printf(&text, "%-10s (%2d): %s%s%s\n", signal_name(c, sig), sig,
				   block ? "BLOCK" : "", block && ignore ? "," : "",
				   ignore ? "IGNORE" : "");
	}
	cmd_err_write(c, text.ptr, text.len);
}

/* What the options say, for the program that follows. */
static int set_up_signals(struct cmd *c, const struct env_opts *o)
{
	struct buf text = buf_in(c->arena);

	for (int sig = 1; sig <= SIGNALS_MAX; sig++) {
		bool ignore = o->actions[sig] == SIGNAL_IGNORE;
		bool fixed = sig == 9 || sig == 19;

		if (o->actions[sig] == SIGNAL_KEPT)
			continue;
		if (fixed && !o->lenient[sig])
			return cmd_error(c, -E_INVAL, "failed to set signal action for signal %d",
					 sig);
		if (!fixed)
			cmd_signal(c, sig, ignore ? CMD_SIG_IGNORE : CMD_SIG_DEFAULT);
		if (o->verbose)
			buf_printf(&text, "Reset signal %s (%d) to %s%s\n", signal_name(c, sig),
				   sig, ignore ? "IGNORE" : "DEFAULT",
				   fixed ? " (failure ignored)" : "");
	}
	for (int sig = 1; sig <= SIGNALS_MAX; sig++) {
		bool block = o->blocked[sig] > 0;

		if (o->blocked[sig] == 0)
			continue;
		if (sig != 9 && sig != 19)
			cmd_block_signal(c, sig, block);
		if (o->verbose)
			buf_printf(&text, "signal %s (%d) mask set to %s\n", signal_name(c, sig),
				   sig, block ? "BLOCK" : "UNBLOCK");
	}
	cmd_err_write(c, text.ptr, text.len);
	if (o->list_signals)
		say_signals(c);
	return 0;
}

/* --- -S --- */

struct splitter {
	struct cmd *c;
	const char *at;
	struct buf word;
	bool in_word;
	char quote;
	char **list;
	int n;
};

static void end_word(struct splitter *s)
{
	if (!s->in_word)
		return;
	s->list = arena_room(s->c->arena, s->list, (size_t)s->n, sizeof(char *));
	s->list[s->n++] = arena_dup(s->c->arena, buf_bytes(&s->word));
	s->word.len = 0;
	s->in_word = false;
}

static void put(struct splitter *s, char ch)
{
	buf_putc(&s->word, ch);
	s->in_word = true;
}

static void say_expansion(struct splitter *s, const char *value, size_t len)
{
	struct buf text = buf_in(s->c->arena);

	buf_puts(&text, value != NULL ? "expanding" : "replacing");
	buf_printf(&text, " ${%.*s} ", (int)len, s->at + 2);
	if (value != NULL)
		buf_printf(&text, "into %s\n", cmd_quote(s->c, value));
	else
		buf_puts(&text, "with null string\n");
	cmd_err_write(s->c, text.ptr, text.len);
}

/* ${NAME} at s->at. */
static int split_variable(struct splitter *s)
{
	const char *end = s->at[1] == '{' ? strchr(s->at, '}') : NULL;
	size_t len = end != NULL ? (size_t)(end - s->at) - 2 : 0;

	for (size_t i = 0; i < len; i++)
		if (!byte_is_name(s->at[2 + i]) || (i == 0 && byte_is_digit(s->at[2])))
			len = 0;
	if (len == 0)
		return cmd_error(s->c, 0, "only ${VARNAME} expansion is supported, error at: %s",
				 s->at);
	const char *value = cmd_getenv(s->c,
				       arena_dup(s->c->arena, (struct bytes){ s->at + 2, len }));

	if (((struct env_opts *)s->c->opts)->verbose)
		say_expansion(s, value, len);
	if (value != NULL) {
		buf_puts(&s->word, value);
		s->in_word = true;
	}
	s->at = end + 1;
	return 0;
}

/* A backslash at s->at. 1: the rest is to be ignored. */
static int split_escape(struct splitter *s, int *status)
{
	static const char letters[] = "fnrtv";
	static const char values[] = "\f\n\r\t\v";
	char ch = s->at[1];
	const char *hit = ch != '\0' ? strchr(letters, ch) : NULL;

	s->at += 2;
	if (ch == '\0')
		*status = cmd_error(s->c, 0, "invalid backslash at end of string in -S");
	else if (ch == 'c' && s->quote == '"')
		*status = cmd_error(s->c, 0, "'\\c' must not appear in double-quoted -S string");
	else if (ch == 'c')
		return 1;
	else if (ch == '_' && s->quote == 0)
		end_word(s);
	else if (ch == '_')
		put(s, ' ');
	else if (hit != NULL)
		put(s, values[hit - letters]);
	else if (strchr("\"#$'\\", ch) != NULL)
		put(s, ch);
	else
		*status = cmd_error(s->c, 0, "invalid sequence '\\%c' in -S", ch);
	return *status != 0;
}

static int split_text(struct splitter *s)
{
	int status = 0;

	while (*s->at != '\0' && status == 0) {
		char ch = *s->at;

		if (s->quote == '\'' &&
		    !(ch == '\'' || (ch == '\\' && (s->at[1] == '\'' || s->at[1] == '\\')))) {
			put(s, ch);
			s->at++;
		} else if (ch == '\\') {
			if (split_escape(s, &status))
				break;
		} else if (ch == '\'' || ch == '"') {
			bool other = s->quote != 0 && s->quote != ch;

			if (other)
				put(s, ch);
			else
				s->quote = s->quote == ch ? 0 : ch;
			s->in_word = true;
			s->at++;
		} else if (ch == '$') {
			status = split_variable(s);
		} else if (s->quote == 0 && byte_is_space(ch)) {
			end_word(s);
			s->at++;
		} else if (s->quote == 0 && ch == '#' && !s->in_word) {
			break;
		} else {
			put(s, ch);
			s->at++;
		}
	}
	if (status == 0 && s->quote != 0)
		status = cmd_error(s->c, 0, "no terminating quote in -S string");
	end_word(s);
	return status;
}

/* The words replace the option among the arguments. */
static int split_string(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct env_opts *o = c->opts;
	struct splitter s = { .c = c, .at = arg, .word = buf_in(c->arena) };
	int status = split_text(&s);

	(void)opt;
	o->split = s.list;
	o->nsplit = s.n;
	return status;
}

static void say_split(struct cmd *c, const char *given)
{
	const struct env_opts *o = c->opts;
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "split -S:  %s\n", cmd_quote(c, given));
	for (int i = 0; i < o->nsplit; i++)
		buf_printf(&text, "%s%s\n", i == 0 ? " into:    " : "     &    ",
			   cmd_quote(c, o->split[i]));
	cmd_err_write(c, text.ptr, text.len);
}

/* "-S text", "-ivStext", "--split-string=text": words take the argument's place. */
static int env_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct env_opts *o = c->opts;
	const char *text = NULL;
	int taken = 1;

	if (c->nargs > 0)
		return 0;
	size_t letters = argv[i][0] == '-' ? strspn(argv[i] + 1, "iv0") : 0;

	if (argv[i][0] == '-' && argv[i][1 + letters] == 'S') {
		o->verbose |= memchr(argv[i] + 1, 'v', letters) != NULL;
		o->empty |= memchr(argv[i] + 1, 'i', letters) != NULL;
		o->zero |= memchr(argv[i] + 1, '0', letters) != NULL;
		text = argv[i] + 2 + letters;
	} else {
		size_t name = strcspn(argv[i], "=");

		if (name < 3 || strncmp(argv[i], "--split-string", name) != 0)
			return 0;
		text = argv[i] + name + (argv[i][name] == '=');
	}
	bool apart = *text == '\0' && text[-1] != '=';

	if (apart && i + 1 >= argc)
		return 0;
	if (apart)
		text = argv[i + taken++];
	int status = split_string(c, NULL, text);

	if (status != 0)
		cmd_exit(c, 125);
	if (o->verbose)
		say_split(c, text);
	int rest = argc - i - taken;
	int total = i + o->nsplit + rest;
	char **list = arena_array(c->arena, (size_t)total + 1, sizeof(char *));

	memcpy(list, argv, (size_t)i * sizeof(char *));
	if (o->nsplit > 0)
		memcpy(list + i, o->split, (size_t)o->nsplit * sizeof(char *));
	memcpy(list + i + o->nsplit, argv + i + taken, (size_t)rest * sizeof(char *));
	c->argv = list;
	c->argc = total;
	/* Parsing goes on with the first of the new words. */
	return -1;
}

static const struct opt env_options[] = {
	OPT_FLAG('i', "ignore-environment", struct env_opts, empty, "start with nothing"),
	OPT_FLAG('0', "null", struct env_opts, zero, "end each line with NUL"),
	OPT_CALL_ARG('u', "unset", add_unset, "NAME", "remove a variable"),
	OPT_STR('C', "chdir", struct env_opts, dir, NULL, "DIR", "run in DIR"),
	OPT_CALL_ARG('S', "split-string", split_string, "S", "split S into arguments"),
	OPT_CALL_OPTIONAL(0, "block-signal", set_signals, "SIG,...", "block signals for COMMAND"),
	OPT_CALL_OPTIONAL(0, "default-signal", set_signals, "SIG,...",
			  "signals have their default action"),
	OPT_CALL_OPTIONAL(0, "ignore-signal", set_signals, "SIG,...", "signals are ignored"),
	OPT_FLAG(0, "list-signal-handling", struct env_opts, list_signals,
		 "say what happens to signals"),
	OPT_FLAG('v', "debug", struct env_opts, verbose, "say what is done"),
	OPT_END(),
};

static void say(struct cmd *c, const char *format, const char *a)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s%s\n", format, a);
	cmd_err_write(c, text.ptr, text.len);
}

static int build(struct cmd *c, const struct env_opts *o, struct env *e, int *next)
{
	env_init(e, c, o->empty);
	if (o->verbose && o->empty)
		say(c, "cleaning environ", "");
	for (size_t i = 0; i < o->nunset; i++) {
		if (o->empty)
			break;
		if (o->verbose)
			say(c, "unset:    ", o->unset[i]);
		if (o->unset[i][0] == '\0' || strchr(o->unset[i], '=') != NULL)
			return cmd_error(c, -E_INVAL, "cannot unset %s", cmd_quote(c, o->unset[i]));
		cmd_charge(c, 2 + (uint64_t)e->n / 64);
		env_unset(e, o->unset[i]);
	}
	if (*next < c->nargs && strcmp(c->args[*next], "-") == 0) {
		env_init(e, c, true);
		++*next;
	}
	for (; *next < c->nargs && strchr(c->args[*next], '=') != NULL; ++*next) {
		if (o->verbose)
			say(c, "setenv:   ", c->args[*next]);
		env_put(e, c->args[*next]);
	}
	return 0;
}

static int put_all(struct cmd *c, const struct env_opts *o, const struct env *e)
{
	for (size_t i = 0; i < e->n; i++) {
		cmd_puts(c, e->list[i]);
		cmd_putc(c, o->zero ? '\0' : '\n');
	}
	return 0;
}

static int env_run(struct cmd *c)
{
	const struct env_opts *o = c->opts;
	struct env e;
	int next = 0;
	int status = build(c, o, &e, &next);

	if (status != 0)
		return status;
	if (next < c->nargs && o->zero)
		return cmd_usage(c, "cannot specify --null (-0) with command");
	if (next >= c->nargs && o->dir != NULL)
		return cmd_usage(c, "must specify command with --chdir (-C)");
	if (next >= c->nargs)
		return put_all(c, o, &e);
	status = set_up_signals(c, o);
	if (status != 0)
		return status;
	if (o->dir != NULL) {
		if (o->verbose)
			say(c, "chdir:    ", cmd_quoteaf(c, o->dir));
		int err = cmd_chdir(c, o->dir);

		if (err < 0)
			return cmd_error(c, err, "cannot change directory to %s",
					 cmd_quoteaf(c, o->dir));
	}
	if (o->verbose)
		say(c, "executing: ", c->args[next]);
	for (int i = next; o->verbose && i < c->nargs; i++) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "   arg[%d]= %s\n", i - next, cmd_quote(c, c->args[i]));
		cmd_err_write(c, text.ptr, text.len);
	}
	int err = cmd_become(c, c->args + next, e.list);

	cmd_error(c, err, "%s", cmd_quote(c, c->args[next]));
	if (err == -E_NOENT && strpbrk(c->args[next], " \t") != NULL)
		cmd_error(c, 0, "use -[v]S to pass options in shebang lines");
	return err == -E_NOENT ? 127 : 126;
}

const struct builtin builtin_env = {
	.name = "env",
	.usage = "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
	.summary = "Runs COMMAND in a changed environment; without one, writes it.",
	.run = env_run,
	.opts = env_options,
	.opts_size = sizeof(struct env_opts),
	.flags = BUILTIN_STOP,
	.usage_status = 125,
	.error_status = 125,
	.legacy = env_legacy,
};
