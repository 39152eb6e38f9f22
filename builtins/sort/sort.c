/* SPDX-License-Identifier: MIT
 *
 * sort - put lines in order.
 *
 * Here: options, reading, checking, merging, writing. key.c finds keys, compare.c compares
 * them, order.c sorts. All input is held in memory; -m needs only a line of each file.
 */
#include "builtins/sort/sort.h"

static struct sort_opts *opts_of(struct cmd *c)
{
	return c->opts;
}

static int set_order(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	sort_set_letter(&opts_of(c)->global, (char)opt->letter, true, true);
	return 0;
}

static int set_sort(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct opt_word words[] = {
		{ "general-numeric", 'g' },
		{ "human-numeric", 'h' },
		{ "month", 'M' },
		{ "numeric", 'n' },
		{ "random", 'R' },
		{ "version", 'V' },
		{ NULL, 0 },
	};
	int letter;

	(void)opt;
	if (opt_word(c, words, "--sort", arg, &letter) != 0)
		return 1;
	sort_set_letter(&opts_of(c)->global, (char)letter, true, true);
	return 0;
}

static int set_check(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct opt_word words[] = {
		{ "quiet", 'C' },
		{ "silent", 'C' },
		{ "diagnose-first", 'c' },
		{ NULL, 0 },
	};
	int how = opt->letter == 'C' ? 'C' : 'c';
	struct sort_opts *o = opts_of(c);

	if (arg != NULL && opt_word(c, words, "--check", arg, &how) != 0)
		return 1;
	if (o->check != 0 && o->check != how)
		return cmd_error(c, 0, "options '-cC' are incompatible");
	o->check = how;
	return 0;
}

static int add_key(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return sort_parse_key(c, opts_of(c), arg);
}

static int set_tab(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sort_opts *o = opts_of(c);
	int tab = (unsigned char)arg[0];

	(void)opt;
	if (arg[0] == '\0')
		return cmd_error(c, 0, "empty tab");
	if (strcmp(arg, "\\0") == 0)
		tab = 0;
	else if (arg[1] != '\0')
		return cmd_error(c, 0, "multi-character tab %s", cmd_quote(c, arg));
	if (o->tab >= 0 && o->tab != tab)
		return cmd_error(c, 0, "incompatible tabs");
	o->tab = tab;
	return 0;
}

static int set_output(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sort_opts *o = opts_of(c);

	(void)opt;
	if (o->output != NULL && strcmp(o->output, arg) != 0)
		return cmd_error(c, 0, "multiple output files specified");
	o->output = arg;
	return 0;
}

/* Sizes and counts that have no effect here are still checked. */
static int check_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	uint64_t n;
	struct bytes s = bytes_of(arg);
	size_t digits = strspn(arg, "0123456789");

	if (opt->letter == 'S') {
		if (digits == 0)
			return cmd_error(c, 0, "invalid %s argument %s", opt_given(c, opt),
					 cmd_quoteaf(c, arg));
		if (s.len > digits + 1 ||
		    (s.len > digits && strchr("%bkKmMGTPEZY", arg[digits]) == NULL))
			return cmd_error(c, 0, "invalid suffix in %s argument %s",
					 opt_given(c, opt), cmd_quoteaf(c, arg));
		return 0;
	}
	bool batch = opt->value == 2;

	if (!num_plain(arg, &n))
		return cmd_error(c, 0, "invalid %s argument %s",
				 batch ? "--batch-size" : "--parallel",
				 batch ? cmd_quote(c, arg) : cmd_quoteaf(c, arg));
	if (batch && n < 2) {
		cmd_error(c, 0, "invalid --batch-size argument %s", cmd_quote(c, arg));
		return cmd_error(c, 0, "minimum --batch-size argument is %s", cmd_quote(c, "2"));
	}
	return n == 0 ? cmd_error(c, 0, "number in parallel must be nonzero") : 0;
}

static const struct opt sort_options[] = {
	OPT_CALL('b', "ignore-leading-blanks", set_order, "blanks in front of keys do not count"),
	OPT_CALL('d', "dictionary-order", set_order, "only blanks, letters and digits count"),
	OPT_CALL('f', "ignore-case", set_order, "lower case counts as upper case"),
	OPT_CALL('g', "general-numeric-sort", set_order, "by floating point numbers"),
	OPT_CALL('i', "ignore-nonprinting", set_order, "only printable characters count"),
	OPT_CALL('M', "month-sort", set_order, "by names of months"),
	OPT_CALL('h', "human-numeric-sort", set_order, "by sizes such as 2K, 1G"),
	OPT_CALL('n', "numeric-sort", set_order, "by numbers"),
	OPT_CALL('R', "random-sort", set_order, "by a random hash of keys"),
	OPT_STR(0, "random-source", struct sort_opts, random_source, NULL, "FILE",
		"take random bytes from FILE"),
	OPT_CALL('r', "reverse", set_order, "the other way round"),
	OPT_CALL_ARG(0, "sort", set_sort, "WORD",
		     "general-numeric -g, human-numeric -h, month -M, numeric -n, random -R, "
		     "version -V"),
	OPT_CALL('V', "version-sort", set_order, "numbers within text as numbers"),
	{ .name = "batch-size",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_REQUIRED,
	  .fn = check_number,
	  .value = 2,
	  .metavar = "N",
	  .help = "no effect" },
	OPT_CALL('c', NULL, set_check, "only check whether the input is in order"),
	OPT_CALL_OPTIONAL(0, "check", set_check, "WORD", "the same; quiet: as -C"),
	OPT_CALL('C', NULL, set_check, "check without saying where"),
	OPT_IGNORED_ARG(0, "compress-program", "PROG", "no effect"),
	OPT_FLAG(0, "debug", struct sort_opts, debug, "show what of each line is compared"),
	OPT_STR(0, "files0-from", struct sort_opts, files0, NULL, "F",
		"take file names, each ended by NUL, from file F"),
	OPT_CALL_ARG('k', "key", add_key, "KEYDEF", "sort by a key: F[.C][OPTS][,F[.C][OPTS]]"),
	OPT_FLAG('m', "merge", struct sort_opts, merge, "merge files that are sorted already"),
	OPT_CALL_ARG('o', "output", set_output, "FILE", "write to FILE"),
	OPT_FLAG('s', "stable", struct sort_opts, stable, "keep the order of equal keys"),
	OPT_CALL_ARG('S', "buffer-size", check_number, "SIZE", "no effect"),
	OPT_CALL_ARG('t', "field-separator", set_tab, "SEP", "what separates fields"),
	OPT_IGNORED_ARG('T', "temporary-directory", "DIR", "no effect"),
	{ .name = "parallel",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_REQUIRED,
	  .fn = check_number,
	  .value = 1,
	  .metavar = "N",
	  .help = "no effect" },
	OPT_FLAG('u', "unique", struct sort_opts, unique, "one line of those with equal keys"),
	OPT_IGNORED_ARG('y', NULL, "N", NULL),
	OPT_FLAG('z', "zero-terminated", struct sort_opts, zero, "lines end with NUL"),
	OPT_END(),
};

/* "+N" and a following "-M". */
static int sort_legacy(struct cmd *c, int argc, char **argv, int i)
{
	if (argv[i][0] != '+' || !byte_is_digit(argv[i][1]))
		return 0;
	const char *to = i + 1 < argc && argv[i + 1][0] == '-' && byte_is_digit(argv[i + 1][1])
				 ? argv[i + 1] + 1
				 : NULL;

	if (sort_parse_old_key(c, opts_of(c), argv[i] + 1, to) == 0)
		return to != NULL ? 2 : 1;
	return 0;
}

/* --- reading --- */

struct lines {
	struct sort_line *list;
	size_t n;
	size_t cap;
};

static void add_line(struct cmd *c, const struct sort_opts *o, struct lines *l, struct bytes s)
{
	if (l->n == l->cap) {
		size_t cap = l->cap * 2 + 64;

		l->list = pool_resize(c->pool, l->list, l->cap * sizeof(*l->list),
				      cap * sizeof(*l->list));
		l->cap = cap;
	}
	if (s.len > UINT32_MAX)
		cmd_fatal(c, 0, "memory exhausted");
	struct sort_line *line = &l->list[l->n++];

	line->ptr = s.ptr;
	line->len = (uint32_t)s.len;
	sort_prepare_line(o, line);
}

static void split_lines(struct cmd *c, const struct sort_opts *o, struct lines *l, struct bytes all)
{
	size_t at = 0;

	while (at < all.len) {
		const char *hit = memchr(all.ptr + at, o->end, all.len - at);
		size_t to = hit != NULL ? (size_t)(hit - all.ptr) : all.len;

		add_line(c, o, l, bytes_slice(all, at, to));
		at = to + 1;
		cmd_charge(c, 1);
	}
}

static int open_failed(struct cmd *c, int err, const char *path)
{
	const struct sort_opts *o = opts_of(c);

	return cmd_error(c, err, o->check != 0 ? "open failed: %s" : "cannot read: %s",
			 cmd_quotef(c, path));
}

static int read_failed(struct cmd *c, int err, const char *path)
{
	return cmd_error(c, err, "read failed: %s", cmd_quotef(c, path));
}

/* Before anything is read: that inputs may be read and the output may be written. That is made, but
 * keeps what it has: it may be an input. */
static int try_files(struct cmd *c, const struct sort_opts *o, char **files, int n)
{
	for (int i = 0; i < n; i++) {
		int err = strcmp(files[i], "-") != 0 ? cmd_access(c, CMD_CWD, files[i], 4) : 0;

		if (err < 0)
			return open_failed(c, err, files[i]);
		cmd_charge(c, 1);
	}
	if (o->output == NULL)
		return 0;
	int fd = cmd_open(c, CMD_CWD, o->output, O_WRONLY_ | O_CREAT_ | O_CLOEXEC_, 0666);

	if (fd < 0)
		return cmd_error(c, fd, "open failed: %s", cmd_quotef(c, o->output));
	cmd_close(c, fd);
	return 0;
}

static int read_files(struct cmd *c, const struct sort_opts *o, struct lines *l, char **files,
		      int n)
{
	for (int i = 0; i < n; i++) {
		struct input in;
		struct bytes all;
		int err = input_open(&in, c, files[i]);

		if (err < 0)
			return open_failed(c, err, files[i]);
		err = input_all(&in, &all);
		if (err < 0)
			return read_failed(c, err, files[i]);
		input_close(&in);
		split_lines(c, o, l, all);
	}
	return 0;
}

/* --- writing --- */

struct sink {
	struct output file;
	struct output *out;
};

static int open_sink(struct cmd *c, const struct sort_opts *o, struct sink *s)
{
	s->out = &c->out;
	if (o->output == NULL)
		return 0;
	int err = output_open(&s->file, c, o->output, O_TRUNC_, false);

	if (err < 0)
		return cmd_error(c, err, "open failed: %s", cmd_quotef(c, o->output));
	s->out = &s->file;
	return 0;
}

static void put_line(const struct sort_opts *o, struct sink *s, const char *ptr, size_t len)
{
	if (o->debug) {
		sort_put_marked(s->out->c, o, (struct bytes){ ptr, len });
		return;
	}
	output_write(s->out, ptr, len);
	output_putc(s->out, o->end);
}

static void close_sink(const struct sort_opts *o, struct sink *s)
{
	if (o->output != NULL)
		output_close(s->out);
}

static int write_lines(struct cmd *c, const struct sort_opts *o, const struct lines *l)
{
	struct sink s;
	int status = open_sink(c, o, &s);

	if (status != 0)
		return status;
	for (size_t i = 0; i < l->n; i++) {
		if (o->unique && i > 0 && sort_compare_keys(o, &l->list[i - 1], &l->list[i]) == 0)
			continue;
		put_line(o, &s, l->list[i].ptr, l->list[i].len);
		cmd_charge(c, 1);
	}
	close_sink(o, &s);
	return 0;
}

/* --- check --- */

static int out_of_order(struct cmd *c, const struct sort_opts *o, const char *path, uint64_t n,
			struct bytes line)
{
	struct buf text = buf_in(c->arena);

	if (o->check == 'C')
		return 1;
	buf_printf(&text, "%s: %s:%llu: disorder: ", c->name, path, (unsigned long long)n);
	buf_add(&text, line);
	buf_putc(&text, '\n');
	cmd_flush(c);
	cmd_err_write(c, text.ptr, text.len);
	return 1;
}

static int check_file(struct cmd *c, const struct sort_opts *o, const char *path)
{
	struct input in;
	struct bytes line;
	struct sort_line previous;
	struct sort_line current;
	char *kept = NULL;
	size_t cap = 0;
	uint64_t n = 0;
	int more;
	int err = input_open(&in, c, path);

	if (err < 0)
		return open_failed(c, err, path);
	while ((more = input_line(&in, o->end, &line)) > 0) {
		current = (struct sort_line){ .ptr = line.ptr, .len = (uint32_t)line.len };
		sort_prepare_line(o, &current);
		if (++n > 1) {
			int order = sort_compare(o, &previous, &current);

			if (order > 0 || (order == 0 && o->unique))
				return out_of_order(c, o, path, n, line);
		}
		if (line.len + 1 > cap) {
			kept = pool_resize(c->pool, kept, cap, line.len * 2 + 64);
			cap = line.len * 2 + 64;
		}
		memcpy(kept, line.ptr, line.len);
		previous = current;
		previous.ptr = kept;
		cmd_charge(c, 1);
	}
	return more < 0 ? read_failed(c, more, path) : 0;
}

/* --- merge --- */

struct head {
	struct input in;
	struct sort_line line;
	const char *path;
};

/* The next line of an input: false at its end. */
static bool advance(struct cmd *c, const struct sort_opts *o, struct head *h)
{
	struct bytes s;
	int more = input_line(&h->in, o->end, &s);

	if (more < 0)
		cmd_exit(c, read_failed(c, more, h->path));
	if (more == 0) {
		input_close(&h->in);
		return false;
	}
	h->line = (struct sort_line){ .ptr = s.ptr, .len = (uint32_t)s.len };
	sort_prepare_line(o, &h->line);
	return true;
}

/* heads is kept in the order of its lines; the first one moved on: put it where it belongs. */
static void settle(const struct sort_opts *o, struct head **heads, size_t n)
{
	struct head *h = heads[0];
	size_t k = 1;

	for (; k < n; k++) {
		int order = sort_compare(o, &heads[k]->line, &h->line);

		if (order > 0 || (order == 0 && heads[k] > h))
			break;
		heads[k - 1] = heads[k];
	}
	heads[k - 1] = h;
}

struct last {
	char *ptr;
	size_t cap;
	struct sort_line line;
	bool any;
};

static void keep_last(struct cmd *c, struct last *last, const struct sort_line *line)
{
	if (line->len + 1u > last->cap) {
		size_t cap = (size_t)line->len * 2 + 64;

		last->ptr = pool_resize(c->pool, last->ptr, last->cap, cap);
		last->cap = cap;
	}
	memcpy(last->ptr, line->ptr, line->len);
	last->line = *line;
	last->line.ptr = last->ptr;
	last->any = true;
}

static int open_heads(struct cmd *c, const struct sort_opts *o, char **files, int n,
		      struct head *all, struct head **heads, size_t *out)
{
	size_t live = 0;

	for (int i = 0; i < n; i++) {
		int err = input_open(&all[i].in, c, files[i]);

		if (err < 0)
			return open_failed(c, err, files[i]);
		all[i].path = files[i];
	}
	for (int i = n - 1; i >= 0; i--) {
		if (!advance(c, o, &all[i]))
			continue;
		memmove(heads + 1, heads, live * sizeof(*heads));
		heads[0] = &all[i];
		settle(o, heads, ++live);
	}
	*out = live;
	return 0;
}

static int merge_files(struct cmd *c, const struct sort_opts *o, char **files, int n)
{
	struct head *all = arena_array(c->arena, (size_t)n, sizeof(*all));
	struct head **heads = arena_array(c->arena, (size_t)n, sizeof(*heads));
	struct last last = { .any = false };
	struct sink s;
	size_t live = 0;
	int status = open_heads(c, o, files, n, all, heads, &live);

	if (status == 0)
		status = open_sink(c, o, &s);
	if (status != 0)
		return status;
	while (live > 0) {
		struct head *h = heads[0];

		if (!o->unique || !last.any || sort_compare_keys(o, &last.line, &h->line) != 0) {
			put_line(o, &s, h->line.ptr, h->line.len);
			if (o->unique)
				keep_last(c, &last, &h->line);
		}
		if (advance(c, o, h))
			settle(o, heads, live);
		else
			memmove(heads, heads + 1, --live * sizeof(*heads));
		cmd_charge(c, 1);
	}
	close_sink(o, &s);
	return 0;
}

/* --- all together --- */

/* File names from --files0-from. 0, or a status. */
static int listed_files(struct cmd *c, const struct sort_opts *o, char ***files, int *n)
{
	struct bytes all;
	int err = cmd_read_all(c, o->files0, &all);
	size_t cap = 1;

	if (err < 0)
		return cmd_error(c, err, "open failed: %s", cmd_quotef(c, o->files0));
	for (size_t i = 0; i < all.len; i++)
		cap += all.ptr[i] == '\0';
	*files = arena_array(c->arena, cap + 1, sizeof(char *));
	*n = 0;
	for (size_t at = 0; at < all.len; at += strlen(all.ptr + at) + 1) {
		if (all.ptr[at] == '\0')
			return cmd_error(c, 0, "%s:%d: invalid zero-length file name",
					 cmd_quotef(c, o->files0), *n + 1);
		if (strcmp(o->files0, "-") == 0 && strcmp(all.ptr + at, "-") == 0)
			return cmd_error(c, 0, CMD_NO_DASH, "'-'");
		(*files)[(*n)++] = (char *)(uintptr_t)all.ptr + at;
	}
	return *n > 0 ? 0 : cmd_error(c, 0, "no input from %s", cmd_quoteaf(c, o->files0));
}

static int choose_files(struct cmd *c, const struct sort_opts *o, char ***files, int *n)
{
	*files = c->files;
	*n = c->nfiles;
	if (o->files0 != NULL) {
		if (c->nargs > 0) {
			cmd_error(c, 0, "extra operand %s", cmd_quoteaf(c, c->args[0]));
			cmd_err_write(c, "file operands cannot be combined with --files0-from\n",
				      52);
			return cmd_usage(c, NULL);
		}
		int status = listed_files(c, o, files, n);

		if (status != 0)
			return status;
	}
	if (o->debug && (o->check != 0 || o->output != NULL))
		return cmd_error(c, 0, "options '-%c --debug' are incompatible",
				 o->check != 0 ? o->check : 'o');
	if (o->check != 0 && *n > 1)
		return cmd_error(c, 0, "extra operand %s not allowed with -%c",
				 cmd_quoteaf(c, (*files)[1]), o->check);
	if (o->check != 0 && o->output != NULL)
		return cmd_error(c, 0, "options '-%co' are incompatible", o->check);
	return 0;
}

/* The first bytes of --random-source, which may be endless. */
static int read_seed(struct cmd *c, struct sort_opts *o)
{
	uint8_t *seed = arena_alloc(c->arena, SORT_SEED);
	size_t have = 0;
	int64_t got = 1;
	int fd = cmd_open(c, CMD_CWD, o->random_source, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0)
		return cmd_error(c, fd, "open failed: %s", cmd_quotef(c, o->random_source));
	for (; have < SORT_SEED && got > 0; have += got > 0 ? (size_t)got : 0)
		got = cmd_read(c, fd, seed + have, SORT_SEED - have);
	cmd_close(c, fd);
	if (got < 0)
		return cmd_error(c, (int)got, "%s: read error", cmd_quote(c, o->random_source));
	if (got == 0)
		return cmd_error(c, 0, "%s: end of file", cmd_quote(c, o->random_source));
	o->seed = seed;
	return 0;
}

static int set_salt(struct cmd *c, struct sort_opts *o)
{
	o->salt[0] = cmd_random(c);
	o->salt[1] = cmd_random(c) | 1;
	return o->random_source != NULL ? read_seed(c, o) : 0;
}

static bool needs_salt(const struct sort_opts *o)
{
	for (const struct sort_key *k = o->keys; k != NULL; k = k->next)
		if (k->kind == SORT_RANDOM)
			return true;
	return false;
}

static int sort_run(struct cmd *c)
{
	struct sort_opts *o = opts_of(c);
	struct lines l = { 0 };
	char **files;
	int n;
	int status = sort_finish_keys(c, o);

	o->scratch = c->arena;
	if (status == 0)
		status = choose_files(c, o, &files, &n);
	if (status == 0 && o->debug)
		sort_warn(c, o);
	if (status == 0 && needs_salt(o))
		status = set_salt(c, o);
	if (status != 0)
		return status;
	o->end = o->zero ? '\0' : '\n';
	o->last_resort = !o->stable && !o->unique;
	if (o->check != 0)
		return check_file(c, o, files[0]);
	status = try_files(c, o, files, n);
	if (status != 0)
		return status;
	/* An output file may be one of the inputs: then everything is read first. */
	if (o->merge && o->output == NULL)
		return merge_files(c, o, files, n);
	status = read_files(c, o, &l, files, n);
	if (status != 0)
		return status;
	sort_lines(c, o, l.list, l.n);
	return write_lines(c, o, &l);
}

static void sort_defaults(struct cmd *c)
{
	struct sort_opts *o = opts_of(c);

	o->tail = &o->keys;
	o->tab = -1;
}

const struct builtin builtin_sort = {
	.name = "sort",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the lines of all files in order.",
	.run = sort_run,
	.opts = sort_options,
	.opts_size = sizeof(struct sort_opts),
	.usage_status = 2,
	.error_status = 2,
	.legacy = sort_legacy,
	.defaults = sort_defaults,
};
