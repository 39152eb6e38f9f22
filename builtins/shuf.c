/* SPDX-License-Identifier: MIT
 *
 * shuf - random permutations of lines, of arguments, or of a range of numbers.
 *
 * Numbers are drawn from random bytes so that each choice is equally likely: the entropy left
 * over by one choice serves the next. Of many lines of which few are wanted only those are kept
 * (reservoir sampling); of a large range only the numbers that were moved.
 */
#include "builtins/builtin.h"

enum { SHUF_RESERVOIR_MIN = 8192 * 1024 };

struct shuf_opts {
	bool echo;
	const char *range;
	uint64_t low;
	uint64_t high;
	uint64_t count;
	const char *output;
	const char *source;
	bool repeat;
	bool zero;
	char end;
	/* the generator */
	struct input random;
	uint64_t number;
	uint64_t number_max;
};

static int set_range(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct shuf_opts *o = c->opts;
	const char *dash = strchr(arg, '-');
	int err;

	(void)opt;
	if (o->range != NULL)
		return cmd_error(c, 0, "multiple -i options specified");
	o->range = arg;
	if (dash == NULL)
		return cmd_error(c, 0, "invalid input range: %s", cmd_quote(c, arg));
	char *low = arena_dup(c->arena, (struct bytes){ arg, (size_t)(dash - arg) });

	err = num_parse_u64(low, "", &o->low);
	if (err != 0)
		return cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid input range: %s",
				 cmd_quote(c, low));
	err = num_parse_u64(dash + 1, "", &o->high);
	if (err != 0)
		return cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid input range: %s",
				 cmd_quote(c, dash + 1));
	if ((o->low > o->high && o->low - 1 != o->high) || (o->low == 0 && o->high == UINT64_MAX))
		return cmd_error(c, 0, "invalid input range: %s", cmd_quote(c, arg));
	return 0;
}

static int set_count(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct shuf_opts *o = c->opts;
	uint64_t count;
	int err = num_parse_u64(arg, "", &count);

	(void)opt;
	if (err != 0 && err != -E_OVERFLOW)
		return cmd_error(c, 0, "invalid line count: %s", cmd_quote(c, arg));
	o->count = count < o->count ? count : o->count;
	return 0;
}

static int set_once(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct shuf_opts *o = c->opts;
	const char **field = opt->letter == 'o' ? &o->output : &o->source;

	if (*field != NULL && strcmp(*field, arg) != 0)
		return cmd_error(c, 0,
				 opt->letter == 'o' ? "multiple output files specified"
						    : "multiple random sources specified");
	*field = arg;
	return 0;
}

static const struct opt shuf_options[] = {
	OPT_FLAG('e', "echo", struct shuf_opts, echo, "the arguments are the lines"),
	OPT_CALL_ARG('i', "input-range", set_range, "LO-HI", "the numbers LO to HI are the lines"),
	OPT_CALL_ARG('n', "head-count", set_count, "COUNT", "at most COUNT lines"),
	OPT_CALL_ARG('o', "output", set_once, "FILE", "write to FILE"),
	OPT_CALL_ARG(0, "random-source", set_once, "FILE", "take random bytes from FILE"),
	OPT_FLAG('r', "repeat", struct shuf_opts, repeat, "lines may come again"),
	OPT_FLAG('z', "zero-terminated", struct shuf_opts, zero, "lines end with NUL"),
	OPT_END(),
};

/* --- the generator --- */

static uint8_t random_byte(struct cmd *c, struct shuf_opts *o)
{
	uint8_t byte;
	int got;

	if (o->source == NULL) {
		cmd_random_bytes(c, &byte, 1);
		return byte;
	}
	got = input_byte(&o->random);
	if (got == -1)
		cmd_fatal(c, 0, "%s: end of file", cmd_quote(c, o->source));
	if (got < 0)
		cmd_fatal(c, got + 1, "%s: read error", cmd_quote(c, o->source));
	return (uint8_t)got;
}

/* A number in [0, choices). */
static uint64_t choose(struct cmd *c, struct shuf_opts *o, uint64_t choices)
{
	uint64_t max = choices - 1;

	for (;;) {
		while (o->number_max < max) {
			o->number = (o->number << 8) + random_byte(c, o);
			o->number_max = (o->number_max << 8) + 0xff;
		}
		if (o->number_max == max) {
			uint64_t number = o->number;

			o->number = o->number_max = 0;
			return number;
		}
		uint64_t excess = o->number_max - max;
		uint64_t unusable = excess % choices;
		uint64_t usable_max = o->number_max - unusable;

		if (o->number <= usable_max) {
			uint64_t number = o->number % choices;

			o->number /= choices;
			o->number_max = excess / choices;
			return number;
		}
		o->number -= usable_max + 1;
		o->number_max = unusable - 1;
	}
}

/* --- what is shuffled --- */

/* Lines, or a range: line i is then the number low + i. */
struct deck {
	struct bytes *line;
	uint64_t n;
	uint64_t low;
};

static void put_nth(struct cmd *c, const struct shuf_opts *o, const struct deck *d, uint64_t i)
{
	char digits[20];

	if (d->line != NULL)
		cmd_bytes(c, d->line[i]);
	else
		cmd_write(c, digits, num_format_u64(d->low + i, digits));
	cmd_putc(c, o->end);
	cmd_charge(c, 1);
}

static void put_repeated(struct cmd *c, struct shuf_opts *o, const struct deck *d)
{
	if (o->count > 0 && d->n == 0)
		cmd_fatal(c, 0, "no lines to repeat");
	for (uint64_t i = 0; i < o->count; i++)
		put_nth(c, o, d, choose(c, o, d->n));
}

/* Cards that are not in their place: an open hash table of twice the number of draws. */
struct moved {
	uint64_t *key; /* plus one; 0: free */
	uint64_t *value;
	uint64_t mask;
};

static uint64_t *moved_slot(struct moved *m, uint64_t key)
{
	uint64_t at = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & m->mask;

	while (m->key[at] != 0 && m->key[at] != key + 1)
		at = (at + 1) & m->mask;
	if (m->key[at] == 0) {
		m->key[at] = key + 1;
		m->value[at] = key;
	}
	return &m->value[at];
}

static void put_few(struct cmd *c, struct shuf_opts *o, const struct deck *d, uint64_t draws)
{
	struct moved m = { .mask = 15 };

	while (m.mask < draws * 4)
		m.mask = m.mask * 2 + 1;
	m.key = arena_array(c->arena, heap_size(m.mask) + 1, sizeof(uint64_t));
	m.value = arena_array(c->arena, heap_size(m.mask) + 1, sizeof(uint64_t));
	for (uint64_t i = 0; i < draws; i++) {
		uint64_t k = i + choose(c, o, d->n - i);
		uint64_t at = *moved_slot(&m, i);
		uint64_t *other = moved_slot(&m, k);
		uint64_t chosen = *other;

		*other = at;
		put_nth(c, o, d, chosen);
	}
}

static void put_permuted(struct cmd *c, struct shuf_opts *o, const struct deck *d)
{
	uint64_t draws = o->count < d->n ? o->count : d->n;

	if (draws < d->n / 8) {
		put_few(c, o, d, draws);
		return;
	}
	uint64_t *card = arena_array(c->arena, heap_size(d->n), sizeof(*card));

	for (uint64_t i = 0; i < d->n; i++)
		card[i] = i;
	cmd_charge(c, d->n / 8);
	for (uint64_t i = 0; i < draws; i++) {
		uint64_t k = i + choose(c, o, d->n - i);
		uint64_t chosen = card[k];

		card[k] = card[i];
		card[i] = chosen;
	}
	for (uint64_t i = 0; i < draws; i++)
		put_nth(c, o, d, card[i]);
}

/* --- reading --- */

static struct deck split_lines(struct cmd *c, struct bytes all, char end)
{
	struct deck d = { .n = 0 };
	size_t cap = 0;

	for (size_t at = 0; at < all.len; d.n++) {
		const char *hit = memchr(all.ptr + at, end, all.len - at);
		size_t to = hit != NULL ? (size_t)(hit - all.ptr) : all.len;

		if (d.n == cap) {
			d.line = arena_grow(c->arena, d.line, cap * sizeof(*d.line),
					    (cap * 2 + 64) * sizeof(*d.line));
			cap = cap * 2 + 64;
			cmd_charge(c, cap / 16);
		}
		d.line[d.n] = bytes_slice(all, at, to);
		at = to + 1;
	}
	if (d.line == NULL)
		d.line = arena_alloc(c->arena, sizeof(*d.line));
	return d;
}

static bool is_large(struct input *in)
{
	struct vfs_stat st;

	return cmd_fstat(in->c, in->fd, &st) != 0 || (st.mode & S_FMT) != S_REG ||
	       st.size > SHUF_RESERVOIR_MIN;
}

static void replace_line(struct cmd *c, struct bytes *slot, struct bytes line)
{
	pool_free(c->pool, (void *)(uintptr_t)slot->ptr, slot->len + 1);
	*slot = (struct bytes){ pool_dup(c->pool, line), line.len };
}

/* The first `count` lines, each later one taking the place of one of them by chance. */
static struct deck sample_lines(struct input *in, struct shuf_opts *o)
{
	struct cmd *c = in->c;
	struct deck d = { .n = 0 };
	struct bytes line;
	size_t cap = 0;
	uint64_t seen = 0;
	int more;

	while ((more = input_line(in, o->end, &line)) > 0) {
		uint64_t slot = seen < o->count ? seen : choose(c, o, seen + 1);

		seen++;
		cmd_charge(c, 1);
		if (slot >= o->count)
			continue;
		if (slot >= cap) {
			d.line = pool_resize(c->pool, d.line, cap * sizeof(*d.line),
					     (cap * 2 + 64) * sizeof(*d.line));
			memset(d.line + cap, 0, (cap + 64) * sizeof(*d.line));
			cap = cap * 2 + 64;
		}
		replace_line(c, &d.line[slot], line);
		d.n = slot >= d.n ? slot + 1 : d.n;
	}
	if (more < 0)
		cmd_fatal(c, more, "read error");
	if (d.line == NULL)
		d.line = arena_alloc(c->arena, sizeof(*d.line));
	return d;
}

static struct deck read_deck(struct cmd *c, struct shuf_opts *o)
{
	struct input in;
	struct bytes all;
	struct deck d;
	int err = input_open(&in, c, c->files[0]);

	if (err < 0)
		cmd_fatal(c, err, "%s", cmd_quotef(c, c->files[0]));
	if (!o->repeat && o->count != UINT64_MAX && (o->count == 0 || is_large(&in))) {
		d = o->count == 0 ? (struct deck){ .n = 0 } : sample_lines(&in, o);
		input_close(&in);
		return d;
	}
	err = input_all(&in, &all);
	input_close(&in);
	if (err < 0)
		cmd_fatal(c, err, "read error");
	return split_lines(c, all, o->end);
}

static struct deck make_deck(struct cmd *c, struct shuf_opts *o)
{
	struct deck d = { .n = 0 };

	if (o->range != NULL)
		return (struct deck){ .n = o->high - o->low + 1, .low = o->low };
	if (!o->echo)
		return read_deck(c, o);
	d.n = (uint64_t)c->nargs;
	d.line = arena_array(c->arena, (size_t)c->nargs + 1, sizeof(*d.line));
	for (int i = 0; i < c->nargs; i++)
		d.line[i] = bytes_of(c->args[i]);
	return d;
}

static int redirect(struct cmd *c, const char *path)
{
	int fd = cmd_open(c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

	if (fd < 0)
		return cmd_error(c, fd, "%s", cmd_quotef(c, path));
	cmd_dup2(c, fd, 1);
	cmd_close(c, fd);
	return 0;
}

static int shuf_run(struct cmd *c)
{
	struct shuf_opts *o = c->opts;

	if (o->echo && o->range != NULL)
		return cmd_usage(c, "cannot combine -e and -i options");
	if (!o->echo && c->nargs > (o->range != NULL ? 0 : 1))
		return cmd_usage(c, "extra operand %s",
				 cmd_quote(c, c->args[o->range != NULL ? 0 : 1]));
	o->end = o->zero ? '\0' : '\n';
	if (o->source != NULL && o->count > 0) {
		int err = input_open(&o->random, c, o->source);

		if (err < 0)
			return cmd_error(c, err, "%s", cmd_quotef(c, o->source));
	}
	if (o->count == 0 && o->output == NULL)
		return 0;
	struct deck d = make_deck(c, o);

	if (o->output != NULL && redirect(c, o->output) != 0)
		return 1;
	if (o->repeat)
		put_repeated(c, o, &d);
	else
		put_permuted(c, o, &d);
	return 0;
}

static void shuf_defaults(struct cmd *c)
{
	((struct shuf_opts *)c->opts)->count = UINT64_MAX;
}

const struct builtin builtin_shuf = {
	.name = "shuf",
	.usage = "[OPTION]... [FILE | -e [ARG]... | -i LO-HI]",
	.summary = "Writes lines in random order.",
	.run = shuf_run,
	.opts = shuf_options,
	.opts_size = sizeof(struct shuf_opts),
	.defaults = shuf_defaults,
};
