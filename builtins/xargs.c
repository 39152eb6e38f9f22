/* SPDX-License-Identifier: MIT
 *
 * xargs - build and run commands from standard input.
 *
 * Items are read one at a time; a command starts when it has as many items, lines or bytes as
 * allowed. With -P several run at once, and the end of any is waited for.
 */
#include "builtins/ask.h"

#define CANNOT_FIT "cannot fit single argument within argument list size limit"

enum { SIZE_MAX_DEFAULT = 131072, FAILED = 123, ABORTED = 124, SIGNALED = 125 };

struct xargs_opts {
	const char *file;
	int delimiter; /* -1: blanks and newlines */
	const char *eof;
	const char *replace;
	uint64_t max_args; /* 0: no limit */
	uint64_t max_lines;
	uint64_t max_size;
	uint64_t procs; /* 0: no limit */
	bool no_run_if_empty;
	bool verbose;
	bool interactive;
	bool exit_if_large;
	bool show_limits;
	bool open_tty;
	const char *slot_var;
	/* state */
	int status;
};

static struct xargs_opts *opts_of(struct cmd *c)
{
	return c->opts;
}

static int number(struct cmd *c, char letter, const char *arg, uint64_t least, uint64_t *out)
{
	int64_t value;

	if (num_parse_i64(arg, "", &value) == -E_INVAL) {
		cmd_error(c, 0, "invalid number \"%s\" for -%c option", arg, letter);
		return cmd_usage(c, NULL);
	}
	if (value < (int64_t)least) {
		cmd_error(c, 0, "value %s for -%c option should be >= %d", arg, letter, (int)least);
		/* A command line that is too short is only adjusted. */
		if (letter == 's') {
			*out = 1;
			return 0;
		}
		return cmd_usage(c, NULL);
	}
	*out = (uint64_t)value;
	return 0;
}

static void exclusive(struct cmd *c, const char *a, const char *b)
{
	cmd_warn(c, 0,
		 "warning: options %s and %s are mutually exclusive, ignoring previous %s value", b,
		 a, b);
}

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct xargs_opts *o = opts_of(c);
	const char *name = opt->letter == 'l' ? "--max-lines/-l" : "-L";
	int status = 0;

	switch (opt->letter) {
	case 'n':
		status = number(c, 'n', arg, 1, &o->max_args);
		if (status == 0 && o->max_lines != 0) {
			exclusive(c, "--max-args/-n", "--max-lines");
			o->max_lines = 0;
		}
		if (status == 0 && o->replace != NULL && strcmp(arg, "1") != 0) {
			exclusive(c, "--max-args/-n", "--replace");
			o->replace = NULL;
		}
		return status;
	case 's': return number(c, 's', arg, 1, &o->max_size);
	case 'P': return number(c, 'P', arg, 0, &o->procs);
	default: break;
	}
	o->max_lines = 1;
	if (arg != NULL)
		status = number(c, opt->letter == 'l' ? 'l' : 'L', arg, 1, &o->max_lines);
	if (status == 0 && o->max_args != 0) {
		exclusive(c, name, "--max-args");
		o->max_args = 0;
	}
	if (status == 0 && o->replace != NULL) {
		exclusive(c, name, "--replace");
		o->replace = NULL;
	}
	return status;
}

static int set_replace(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct xargs_opts *o = opts_of(c);

	(void)opt;
	if (o->max_args != 0) {
		exclusive(c, "--replace/-I/-i", "--max-args");
		o->max_args = 0;
	}
	if (o->max_lines != 0) {
		exclusive(c, "--replace/-I/-i", "--max-lines");
		o->max_lines = 0;
	}
	o->replace = arg != NULL ? arg : "{}";
	return 0;
}

static int set_eof(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	opts_of(c)->eof = arg != NULL && arg[0] != '\0' ? arg : NULL;
	return 0;
}

/* One character, or an escape: \n, \0, \x41, \101. */
static int set_delimiter(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char letters[] = "abfnrtv\\";
	static const char values[] = "\a\b\f\n\r\t\v\\";
	struct xargs_opts *o = opts_of(c);
	const char *hit = arg[0] == '\\' && arg[1] != '\0' ? strchr(letters, arg[1]) : NULL;
	int base = arg[0] == '\\' && arg[1] == 'x' ? 16 : 8;
	const char *digits = arg + 1 + (base == 16);
	int value = 0;

	(void)opt;
	if (arg[0] != '\0' && arg[1] == '\0') {
		o->delimiter = (unsigned char)arg[0];
		return 0;
	}
	if (hit != NULL && arg[2] == '\0') {
		o->delimiter = values[hit - letters];
		return 0;
	}
	if (arg[0] == '\\' && *digits != '\0') {
		while (byte_digit(*digits) >= 0 && byte_digit(*digits) < base && value < 256)
			value = value * base + byte_digit(*digits++);
		if (*digits == '\0' && value < 256) {
			o->delimiter = value;
			return 0;
		}
	}
	return cmd_error(c, 0,
			 "Invalid input delimiter specification %s: the delimiter must be either"
			 " a single character or an escape sequence starting with \\.",
			 arg);
}

/* Of -0 and -d the last counts. */
static int set_null(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt, (void)arg;
	opts_of(c)->delimiter = '\0';
	return 0;
}

static const struct opt xargs_options[] = {
	OPT_CALL('0', "null", set_null, "items end with NUL; nothing is special"),
	OPT_STR('a', "arg-file", struct xargs_opts, file, NULL, "FILE", "read items from FILE"),
	OPT_CALL_ARG('d', "delimiter", set_delimiter, "CHAR", "items end with CHAR"),
	OPT_CALL_ARG('E', NULL, set_eof, "END", "an item END ends the input"),
	OPT_CALL_OPTIONAL('e', "eof", set_eof, "END", "the same, if END is given"),
	OPT_CALL_ARG('I', NULL, set_replace, "R", "one line a command, which takes R's place"),
	OPT_CALL_OPTIONAL('i', "replace", set_replace, "R", "the same; R is {} if not given"),
	OPT_CALL_ARG('L', NULL, set_number, "N", "at most N lines a command"),
	OPT_CALL_OPTIONAL('l', "max-lines", set_number, "N", "the same; 1 if not given"),
	OPT_CALL_ARG('n', "max-args", set_number, "N", "at most N items a command"),
	OPT_FLAG('o', "open-tty", struct xargs_opts, open_tty, "no effect"),
	OPT_CALL_ARG('P', "max-procs", set_number, "N", "up to N commands at once"),
	OPT_FLAG('p', "interactive", struct xargs_opts, interactive, "ask before each command"),
	OPT_STR(0, "process-slot-var", struct xargs_opts, slot_var, NULL, "VAR",
		"set VAR to the number of the slot of a command"),
	OPT_FLAG('r', "no-run-if-empty", struct xargs_opts, no_run_if_empty,
		 "nothing without items"),
	OPT_CALL_ARG('s', "max-chars", set_number, "N", "at most N bytes a command"),
	OPT_FLAG(0, "show-limits", struct xargs_opts, show_limits, "say what limits there are"),
	OPT_FLAG('t', "verbose", struct xargs_opts, verbose, "write commands before running them"),
	OPT_FLAG('x', "exit", struct xargs_opts, exit_if_large, "end if a command is too long"),
	OPT_END(),
};

/* --- reading items --- */

struct reader {
	struct cmd *c;
	const struct xargs_opts *o;
	struct input in;
	char *word; /* in the pool */
	size_t len;
	size_t cap;
	bool at_end;
	bool warned;
	int unmatched; /* the quote that was open at the end */
};

static void add_byte(struct reader *r, int ch)
{
	if (ch == '\0' && r->o->delimiter < 0) {
		if (!r->warned)
			cmd_warn(r->c, 0,
				 "WARNING: a NUL character occurred in the input.  It cannot be"
				 " passed through in the argument list.  Did you mean to use the "
				 "--null"
				 " option?");
		r->warned = true;
	}
	if (r->len + 2 > r->cap) {
		size_t cap = r->cap * 2 + 128;

		r->word = pool_resize(r->c->pool, r->word, r->cap, cap);
		r->cap = cap;
	}
	r->word[r->len++] = (char)ch;
	r->word[r->len] = '\0';
}

/* With a delimiter: everything up to it. */
static bool read_delimited(struct reader *r, int delimiter)
{
	int ch;
	bool any = false;

	while ((ch = input_byte(&r->in)) >= 0) {
		any = true;
		if (ch == delimiter)
			break;
		add_byte(r, ch);
	}
	r->at_end = ch < 0;
	return any;
}

static void unmatched(struct reader *r)
{
	cmd_fatal_status(r->c, r->o->status != 0 ? r->o->status : 1, 0,
			 "unmatched %s quote; by default quotes are special to xargs unless you use"
			 " the -0 option",
			 r->unmatched == '"' ? "double" : "single");
}

/*
 * One item in the shell-like syntax; with -I a line. *line_end: a newline followed it at once, so
 * that the line is over: blanks before the newline continue it.
 */
static bool read_word(struct reader *r, bool *line_end)
{
	bool whole_line = r->o->replace != NULL;
	bool started = false;
	int quote = 0;
	int ch;

	*line_end = false;
	while ((ch = input_byte(&r->in)) >= 0) {
		if (quote != 0) {
			if (ch == '\n')
				break;
			if (ch == quote)
				quote = 0;
			else
				add_byte(r, ch);
			continue;
		}
		if (!started && byte_is_space(ch))
			continue;
		if (ch == '\n' || (!whole_line && byte_is_blank(ch))) {
			*line_end = ch == '\n';
			return true;
		}
		started = true;
		if (ch == '"' || ch == '\'') {
			quote = ch;
		} else if (ch == '\\') {
			ch = input_byte(&r->in);
			if (ch < 0)
				break;
			add_byte(r, ch);
		} else {
			add_byte(r, ch);
		}
	}
	r->at_end = true;
	r->unmatched = quote;
	return started && quote == 0;
}

/* The next item in r->word; false at the end of a line or of the input. */
static bool next_item(struct reader *r, bool *line_end)
{
	const struct xargs_opts *o = r->o;
	bool any;

	r->len = 0;
	if (r->cap == 0) {
		r->cap = 128;
		r->word = pool_alloc(r->c->pool, r->cap);
	}
	r->word[0] = '\0';
	*line_end = false;
	if (r->at_end)
		return false;
	cmd_charge(r->c, 1);
	if (o->delimiter >= 0) {
		any = read_delimited(r, o->delimiter);
		*line_end = any;
	} else {
		any = read_word(r, line_end);
	}
	if (any && o->eof != NULL && o->delimiter < 0 && strcmp(r->word, o->eof) == 0) {
		r->at_end = true;
		return false;
	}
	return any;
}

/* --- commands --- */

struct batch {
	struct cmd *c;
	struct xargs_opts *o;
	char **arg; /* the fixed arguments, then items */
	size_t nfixed;
	size_t n;
	size_t cap;
	size_t size; /* bytes of all, a NUL each */
	size_t fixed_size;
	uint64_t lines;
	uint64_t running;
	int *slot; /* pids by slot, for --process-slot-var and -P */
	size_t nslots;
	size_t max_size;
	bool replaced; /* -I: a command was run, whose name is reckoned with from then on */
};

static void set_arg(struct batch *b, size_t at, char *text)
{
	if (at + 2 > b->cap) {
		size_t cap = b->cap * 2 + 64;

		b->arg = pool_resize(b->c->pool, b->arg, b->cap * sizeof(char *),
				     cap * sizeof(char *));
		b->cap = cap;
	}
	b->arg[at] = text;
}

static void ended(struct batch *b, int pid, int status)
{
	struct cmd *c = b->c;
	const char *name = b->arg[0];
	int sig = status & 0x7f;

	for (size_t i = 0; i < b->nslots; i++)
		if (b->slot[i] == pid)
			b->slot[i] = 0;
	b->running--;
	if (sig != 0) {
		cmd_error(c, 0, "%s: terminated by signal %d", name, sig);
		cmd_exit(c, SIGNALED);
	}
	int code = status >> 8 & 0xff;

	if (code == 255) {
		cmd_error(c, 0, "%s: exited with status 255; aborting", name);
		cmd_exit(c, ABORTED);
	}
	if (code != 0)
		b->o->status = FAILED;
}

static void wait_for(struct batch *b, uint64_t most)
{
	while (b->running > most) {
		int status;
		int pid = cmd_wait(b->c, -1, &status, false);

		if (pid == -E_INTR)
			continue;
		if (pid < 0)
			break;
		ended(b, pid, status);
	}
}

static size_t free_slot(struct batch *b)
{
	size_t i = 0;

	while (i < b->nslots && b->slot[i] != 0)
		i++;
	if (i == b->nslots) {
		size_t n = b->nslots * 2 + 4;

		b->slot = pool_resize(b->c->pool, b->slot, b->nslots * sizeof(int),
				      n * sizeof(int));
		memset(b->slot + b->nslots, 0, (n - b->nslots) * sizeof(int));
		b->nslots = n;
	}
	return i;
}

/* The command as -t shows it. */
static void show(struct batch *b, char **argv, const char *end)
{
	struct buf text = buf_in(b->c->arena);

	for (size_t i = 0; argv[i] != NULL; i++) {
		buf_puts(&text, i > 0 ? " " : "");
		quote_put(&text, bytes_of(argv[i]), QUOTE_SHELL_ESCAPE, "", b->c->utf8);
	}
	buf_puts(&text, end);
	cmd_err_write(b->c, text.ptr, text.len);
}

static bool wanted(struct batch *b, char **argv)
{
	char first = 'n';
	char ch = '\0';

	if (!b->o->interactive)
		return true;
	show(b, argv, "");
	int fd = cmd_open(b->c, CMD_CWD, "/dev/tty", O_RDONLY_, 0);

	if (fd < 0)
		cmd_fatal(b->c, fd, "failed to open /dev/tty for reading");
	cmd_err_write(b->c, "?...", 4);
	for (size_t i = 0; cmd_read(b->c, fd, &ch, 1) == 1 && ch != '\n'; i++)
		first = i == 0 ? ch : first;
	cmd_close(b->c, fd);
	return first == 'y' || first == 'Y';
}

static void start(struct batch *b, char **argv)
{
	struct cmd *c = b->c;
	struct arena_mark mark = arena_mark(c->arena);
	struct env env;
	struct cmd_program prog = { .argv = argv };
	size_t slot = free_slot(b);

	if (!wanted(b, argv))
		return;
	if (b->o->verbose && !b->o->interactive)
		show(b, argv, "\n");
	if (b->o->procs != 0)
		wait_for(b, b->o->procs - 1);
	if (b->o->slot_var != NULL) {
		struct buf text = buf_in(c->arena);

		slot = free_slot(b);
		buf_printf(&text, "%s=%zu", b->o->slot_var, slot);
		env_init(&env, c, false);
		env_put(&env, buf_cstr(&text));
		prog.envp = env.list;
	}
	/* Items come from standard input: the commands must not read it. */
	int null = b->o->file == NULL ? cmd_open(c, CMD_CWD, "/dev/null", O_RDONLY_ | O_CLOEXEC_, 0)
				      : -1;
	int fds[3] = { null >= 0 ? null : 0, 1, 2 };

	prog.fds = fds;
	prog.nfds = 3;
	int pid = cmd_spawn(c, &prog);

	if (null >= 0)
		cmd_close(c, null);
	if (pid < 0) {
		wait_for(b, 0);
		cmd_error(c, pid, "%s", argv[0]);
		cmd_exit(c, pid == -E_NOENT ? 127 : 126);
	}
	b->slot[slot] = pid;
	b->running++;
	if (b->o->procs == 1)
		wait_for(b, 0);
	arena_release(c->arena, mark);
}

static void run_batch(struct batch *b)
{
	set_arg(b, b->n, NULL);
	start(b, b->arg);
	for (size_t i = b->nfixed; i < b->n; i++)
		pool_free(b->c->pool, b->arg[i], strlen(b->arg[i]) + 1);
	b->n = b->nfixed;
	b->size = b->fixed_size;
	b->lines = 0;
}

static void add_item(struct batch *b, const struct reader *r)
{
	const struct xargs_opts *o = b->o;
	size_t size = r->len + 1;
	bool waiting = b->n > b->nfixed;
	bool alone = b->fixed_size + size <= b->max_size;

	if (waiting && b->size + size > b->max_size) {
		/* -x is about what -n or -L ask for; else commands may be as short as need be. */
		if (o->max_lines != 0 || (o->exit_if_large && o->max_args != 0))
			cmd_fatal(b->c, 0, "argument list too long");
		if (alone || !o->exit_if_large)
			run_batch(b);
	}
	if (!alone)
		cmd_fatal(b->c, 0, "argument line too long");
	set_arg(b, b->n, pool_dup(b->c->pool, (struct bytes){ r->word, strlen(r->word) }));
	b->n++;
	b->size += size;
}

/* -I: each occurrence of the word in the fixed arguments becomes the line. */
static void run_replaced(struct batch *b, const struct reader *r)
{
	struct cmd *c = b->c;
	struct arena_mark mark = arena_mark(c->arena);
	char **argv = arena_array(c->arena, b->nfixed + 1, sizeof(char *));
	struct bytes word = bytes_of(b->o->replace);
	size_t size = 0;

	if (r->len + 1 + (b->replaced ? strlen(b->arg[0]) + 1 : 0) > b->max_size)
		cmd_fatal(c, 0, "argument line too long");
	if (strlen(b->arg[0]) + 1 > b->max_size)
		cmd_fatal(c, 0, CANNOT_FIT);
	for (size_t i = 0; i < b->nfixed; i++) {
		struct buf out = buf_in(c->arena);
		struct bytes rest = bytes_of(b->arg[i]);
		const char *hit;

		while (i > 0 && word.len > 0 && (hit = bytes_find(rest, word)) != NULL) {
			size_t at = (size_t)(hit - rest.ptr);

			buf_put(&out, rest.ptr, at);
			buf_put(&out, r->word, r->len);
			rest = bytes_slice(rest, at + word.len, rest.len);
		}
		buf_add(&out, rest);
		argv[i] = buf_cstr(&out);
		size += out.len + 1;
		if (i > 0 && out.len + 2 > b->max_size)
			cmd_fatal(c, 0, "command too long");
	}
	if (size > b->max_size)
		cmd_fatal(c, 0, "argument list too long");
	b->replaced = true;
	start(b, argv);
	arena_release(c->arena, mark);
}

static bool batch_full(const struct batch *b)
{
	const struct xargs_opts *o = b->o;

	return (o->max_args != 0 && b->n - b->nfixed >= o->max_args) ||
	       (o->max_lines != 0 && b->lines >= o->max_lines);
}

static void run_all(struct batch *b, struct reader *r)
{
	bool any = false;
	bool blank = true; /* nothing on this line yet */
	bool line_end;

	while (!r->at_end) {
		bool item = next_item(r, &line_end);

		if (item && b->o->replace != NULL) {
			run_replaced(b, r);
			any = true;
			continue;
		}
		if (item) {
			add_item(b, r);
			any = true;
			blank = false;
		}
		if (line_end && !blank) {
			b->lines++;
			blank = true;
		}
		if (batch_full(b))
			run_batch(b);
	}
	bool once = !any && r->unmatched == 0 && b->o->replace == NULL && !b->o->no_run_if_empty;

	bool whole = b->o->exit_if_large || b->o->max_lines != 0;

	if (once || (b->n > b->nfixed && (r->unmatched == 0 || !whole)))
		run_batch(b);
	wait_for(b, 0);
	if (r->unmatched != 0)
		unmatched(r);
}

static void add_fixed(struct batch *b, char *text)
{
	set_arg(b, b->n, text);
	b->n++;
	b->nfixed++;
	b->fixed_size += strlen(text) + 1;
	b->size = b->fixed_size;
}

static size_t environment_size(struct cmd *c)
{
	size_t size = 0;

	for (char *const *at = c->envp; at != NULL && *at != NULL; at++)
		size += strlen(*at) + 1;
	return size;
}

static void show_limits(struct cmd *c, const struct batch *b)
{
	size_t env = environment_size(c);
	struct buf text = buf_in(c->arena);

	buf_printf(&text,
		   "Your environment variables take up %zu bytes\n"
		   "POSIX upper limit on argument length (this system): %zu\n"
		   "POSIX smallest allowable upper limit on argument length (all systems): 4096\n"
		   "Maximum length of command we could actually use: %zu\n"
		   "Size of command buffer we are actually using: %zu\n"
		   "Maximum parallelism (--max-procs must be no greater): 2147483647\n",
		   env, (size_t)2095104 - env, (size_t)2095104 - env, b->max_size);
	cmd_err_write(c, text.ptr, text.len);
}

static int xargs_run(struct cmd *c)
{
	static char echo[] = "echo";
	struct xargs_opts *o = opts_of(c);
	struct batch b = { .c = c, .o = o, .max_size = SIZE_MAX_DEFAULT };
	struct reader r = { .c = c, .o = o };
	int err;

	if (o->delimiter >= 0 && o->eof != NULL)
		cmd_warn(c, 0, "warning: the -E option has no effect if -0 or -d is used.\n");
	err = input_open(&r.in, c, o->file != NULL ? o->file : "-");
	if (err < 0)
		return cmd_error(c, err, "Cannot open input file %s", cmd_quote(c, o->file));
	if (o->max_size != 0)
		b.max_size = o->max_size;
	if (c->nargs == 0)
		add_fixed(&b, echo);
	for (int i = 0; i < c->nargs; i++)
		add_fixed(&b, c->args[i]);
	if (b.fixed_size > b.max_size && o->replace == NULL)
		return cmd_error(c, 0, CANNOT_FIT);
	if (o->show_limits)
		show_limits(c, &b);
	run_all(&b, &r);
	return o->status;
}

static void xargs_defaults(struct cmd *c)
{
	struct xargs_opts *o = opts_of(c);

	o->delimiter = -1;
	o->procs = 1;
}

const struct builtin builtin_xargs = {
	.name = "xargs",
	.usage = "[OPTION]... [COMMAND [ARGUMENT]...]",
	.summary = "Runs COMMAND (echo) with arguments taken from standard input.",
	.run = xargs_run,
	.opts = xargs_options,
	.opts_size = sizeof(struct xargs_opts),
	.flags = BUILTIN_STOP,
	.family = "GNU findutils 4.9.0",
	.defaults = xargs_defaults,
};
