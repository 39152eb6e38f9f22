/* SPDX-License-Identifier: MIT
 *
 * uniq - report or drop repeated lines that stand together.
 */
#include "builtins/builtin.h"

enum delimit { DELIMIT_NONE, DELIMIT_PREPEND, DELIMIT_SEPARATE, DELIMIT_APPEND, DELIMIT_BOTH };

struct uniq_opts {
	bool count;
	bool repeated;     /* -d */
	bool all_repeated; /* -D */
	bool unique;       /* -u */
	bool fold;
	bool zero;
	int delimit; /* --all-repeated, --group */
	bool group;
	bool old_fields; /* they were given as digits, and more digits go on with them */
	uint64_t fields;
	uint64_t chars;
	uint64_t width;
	/* state */
	char end;
	bool written; /* a group has been written */
};

static const struct opt_word all_words[] = {
	{ "none", DELIMIT_NONE },
	{ "prepend", DELIMIT_PREPEND },
	{ "separate", DELIMIT_SEPARATE },
	{ NULL, 0 },
};
static const struct opt_word group_words[] = {
	{ "prepend", DELIMIT_PREPEND },
	{ "append", DELIMIT_APPEND },
	{ "separate", DELIMIT_SEPARATE },
	{ "both", DELIMIT_BOTH },
	{ NULL, 0 },
};

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct uniq_opts *o = c->opts;
	uint64_t *field = opt->letter == 'f'   ? &o->fields
			  : opt->letter == 's' ? &o->chars
					       : &o->width;
	int err = num_parse_u64(arg, "", field);

	o->old_fields &= opt->letter != 'f';
	if (err != -E_INVAL)
		return 0;
	return cmd_error(c, 0, "%s: invalid number of %s", arg,
			 opt->letter == 'f'   ? "fields to skip"
			 : opt->letter == 's' ? "bytes to skip"
					      : "bytes to compare");
}

static int set_all(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct uniq_opts *o = c->opts;

	(void)opt;
	o->all_repeated = true;
	return arg != NULL ? opt_word(c, all_words, "--all-repeated", arg, &o->delimit) : 0;
}

static int set_group(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct uniq_opts *o = c->opts;

	(void)opt;
	o->group = true;
	o->delimit = DELIMIT_SEPARATE;
	return arg != NULL ? opt_word(c, group_words, "--group", arg, &o->delimit) : 0;
}

static int set_old_fields(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct uniq_opts *o = c->opts;

	(void)opt;
	if (!o->old_fields)
		o->fields = 0;
	o->old_fields = true;
	for (; *arg != '\0'; arg++)
		o->fields = o->fields * 10 + (uint64_t)(*arg - '0');
	return 0;
}

static const struct opt uniq_options[] = {
	OPT_FLAG('c', "count", struct uniq_opts, count, "put how often each line came in front"),
	OPT_FLAG('d', "repeated", struct uniq_opts, repeated,
		 "only lines that came more than once"),
	OPT_CALL('D', NULL, set_all, "all of those"),
	OPT_CALL_OPTIONAL(0, "all-repeated", set_all, "METHOD",
			  "the same, groups set apart: none, prepend, separate"),
	OPT_CALL_ARG('f', "skip-fields", set_number, "N", "the first N fields do not count"),
	OPT_CALL_OPTIONAL(0, "group", set_group, "METHOD",
			  "all lines, groups set apart: separate, prepend, append, both"),
	OPT_FLAG('i', "ignore-case", struct uniq_opts, fold, "lower case counts as upper case"),
	OPT_CALL_ARG('s', "skip-chars", set_number, "N", "the first N characters do not count"),
	OPT_FLAG('u', "unique", struct uniq_opts, unique, "only lines that came once"),
	OPT_FLAG('z', "zero-terminated", struct uniq_opts, zero, "lines end with NUL"),
	OPT_CALL_ARG('w', "check-chars", set_number, "N", "only N characters count"),
	OPT_DIGIT(set_old_fields),
	OPT_END(),
};

static struct bytes key_of(const struct uniq_opts *o, struct bytes line)
{
	size_t at = 0;

	for (uint64_t n = o->fields; n > 0 && at < line.len; n--) {
		while (at < line.len && (byte_is_blank(line.ptr[at]) || line.ptr[at] == '\n'))
			at++;
		while (at < line.len && !(byte_is_blank(line.ptr[at]) || line.ptr[at] == '\n'))
			at++;
	}
	at += o->chars < line.len - at ? (size_t)o->chars : line.len - at;
	struct bytes key = bytes_slice(line, at, line.len);

	if (key.len > o->width)
		key.len = (size_t)o->width;
	return key;
}

static bool same(const struct uniq_opts *o, struct bytes a, struct bytes b)
{
	if (a.len != b.len)
		return false;
	if (!o->fold)
		return memcmp(a.ptr, b.ptr, a.len) == 0;
	for (size_t i = 0; i < a.len; i++)
		if (byte_to_lower(a.ptr[i]) != byte_to_lower(b.ptr[i]))
			return false;
	return true;
}

/* The first line of the group, kept in the pool. */
struct kept {
	char *ptr;
	size_t cap;
	struct bytes line;
	struct bytes key;
	uint64_t count;
};

static void keep(struct cmd *c, const struct uniq_opts *o, struct kept *k, struct bytes line)
{
	if (line.len + 1 > k->cap) {
		size_t cap = line.len * 2 + 64;

		k->ptr = pool_resize(c->pool, k->ptr, k->cap, cap);
		k->cap = cap;
	}
	memcpy(k->ptr, line.ptr, line.len);
	k->line = (struct bytes){ k->ptr, line.len };
	k->key = key_of(o, k->line);
	k->count = 1;
}

static void put(struct cmd *c, const struct uniq_opts *o, struct bytes line)
{
	cmd_bytes(c, line);
	cmd_putc(c, o->end);
}

static void put_group(struct cmd *c, const struct uniq_opts *o, const struct kept *k)
{
	char digits[20];

	if (k->count == 0 || (k->count == 1 ? o->repeated : o->unique))
		return;
	if (o->count) {
		size_t len = num_format_u64(k->count, digits);

		for (size_t pad = len; pad < 7; pad++)
			cmd_putc(c, ' ');
		cmd_write(c, digits, len);
		cmd_putc(c, ' ');
	}
	put(c, o, k->line);
}

static int run_groups(struct input *in, struct uniq_opts *o)
{
	struct kept k = { .count = 0 };
	struct bytes line;
	int more;

	while ((more = input_line(in, o->end, &line)) > 0) {
		if (k.count > 0 && same(o, k.key, key_of(o, line))) {
			k.count++;
			continue;
		}
		put_group(in->c, o, &k);
		keep(in->c, o, &k, line);
		cmd_charge(in->c, 1);
	}
	put_group(in->c, o, &k);
	return more;
}

/* The line that sets groups apart, before (or, with append, after) one. */
static void put_gap(struct cmd *c, struct uniq_opts *o)
{
	bool first = !o->written;

	o->written = true;
	if (o->delimit == DELIMIT_PREPEND || o->delimit == DELIMIT_BOTH ||
	    (!first && o->delimit != DELIMIT_NONE))
		cmd_putc(c, o->end);
}

/* -D: every line of a group of two or more. --group: every line. */
static int run_all(struct input *in, struct uniq_opts *o)
{
	struct kept k = { .count = 0 };
	struct bytes line;
	int more;

	while ((more = input_line(in, o->end, &line)) > 0) {
		bool again = k.count > 0 && same(o, k.key, key_of(o, line));

		cmd_charge(in->c, 1);
		if (again) {
			if (!o->group && k.count == 1) {
				put_gap(in->c, o);
				if (!o->unique)
					put(in->c, o, k.line);
			}
			if (o->unique && !o->group) {
				/* With -u the last of the group is the one not written. */
				uint64_t count = k.count;

				put(in->c, o, k.line);
				keep(in->c, o, &k, line);
				k.count = count;
			} else {
				put(in->c, o, line);
			}
			k.count++;
			continue;
		}
		keep(in->c, o, &k, line);
		if (o->group) {
			put_gap(in->c, o);
			put(in->c, o, line);
		}
	}
	if (o->written && o->group && (o->delimit == DELIMIT_APPEND || o->delimit == DELIMIT_BOTH))
		cmd_putc(in->c, o->end);
	return more;
}

static int check_options(struct cmd *c, const struct uniq_opts *o)
{
	if (c->nargs > 2)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[2]));
	if (o->group && (o->count || o->repeated || o->all_repeated || o->unique))
		return cmd_usage(c, "--group is mutually exclusive with -c/-d/-D/-u");
	if (o->all_repeated && o->count)
		return cmd_usage(c,
				 "printing all duplicated lines and repeat counts is meaningless");
	return 0;
}

/* Standard output becomes the second operand. */
static int redirect(struct cmd *c, const char *path)
{
	int fd = cmd_open(c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

	if (fd < 0)
		return cmd_error(c, fd, "%s", cmd_quotef(c, path));
	cmd_dup2(c, fd, 1);
	cmd_close(c, fd);
	return 0;
}

static int uniq_run(struct cmd *c)
{
	struct uniq_opts *o = c->opts;
	struct input in;
	int status = check_options(c, o);
	const char *path = c->files[0];

	if (status != 0)
		return status;
	o->end = o->zero ? '\0' : '\n';
	int err = input_open(&in, c, path);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, path));
	if (c->nargs == 2 && strcmp(c->args[1], "-") != 0 && redirect(c, c->args[1]) != 0)
		return 1;
	err = o->group || o->all_repeated ? run_all(&in, o) : run_groups(&in, o);
	return err < 0 ? cmd_error(c, 0, "error reading %s", cmd_quoteaf(c, path)) : 0;
}

static void uniq_defaults(struct cmd *c)
{
	((struct uniq_opts *)c->opts)->width = UINT64_MAX;
}

/* "+N" skips characters; "-N", as an option, fields. */
static int uniq_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct uniq_opts *o = c->opts;

	(void)argc;
	return argv[i][0] == '+' && num_plain(argv[i] + 1, &o->chars) ? 1 : 0;
}

const struct builtin builtin_uniq = {
	.name = "uniq",
	.usage = "[OPTION]... [INPUT [OUTPUT]]",
	.summary = "Writes each run of equal lines once.",
	.run = uniq_run,
	.opts = uniq_options,
	.opts_size = sizeof(struct uniq_opts),
	.defaults = uniq_defaults,
	.legacy = uniq_legacy,
};
