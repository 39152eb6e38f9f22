/* SPDX-License-Identifier: MIT
 *
 * fallocate - the room that a file has, and ranges taken out of it or put into it.
 *
 * Files take memory for what was written only, so allocating room changes nothing but the size;
 * a hole is a range of zeros.
 */
#include "base/number.h"
#include "builtins/builtin.h"

enum { PIECE = 64 * 1024, BLOCK = 4096 };

enum fallocate_action { ALLOCATE, COLLAPSE, DIG, INSERT, PUNCH, ZERO };

struct fallocate_opts {
	bool act[ZERO + 1];
	bool keep_size;
	bool posix;
	bool verbose;
	const char *length_text;
	const char *offset_text;
	/* settled */
	enum fallocate_action action;
	uint64_t offset;
	uint64_t length;
};

static const struct opt fallocate_options[] = {
	OPT_FLAG('c', "collapse-range", struct fallocate_opts, act[COLLAPSE],
		 "take the range out of the file"),
	OPT_FLAG('d', "dig-holes", struct fallocate_opts, act[DIG],
		 "make zeros holes (as they are anyway)"),
	OPT_FLAG('i', "insert-range", struct fallocate_opts, act[INSERT],
		 "put a range of zeros into the file"),
	OPT_STR('l', "length", struct fallocate_opts, length_text, NULL, "NUM",
		"how long the range is; with KiB, MiB, KB..."),
	OPT_FLAG('n', "keep-size", struct fallocate_opts, keep_size, "the size stays"),
	OPT_STR('o', "offset", struct fallocate_opts, offset_text, "0", "NUM",
		"where the range begins"),
	OPT_FLAG('p', "punch-hole", struct fallocate_opts, act[PUNCH],
		 "the range becomes zeros; the size stays"),
	OPT_FLAG('z', "zero-range", struct fallocate_opts, act[ZERO], "the range becomes zeros"),
	OPT_FLAG('x', "posix", struct fallocate_opts, posix, "as posix_fallocate does"),
	OPT_FLAG('v', "verbose", struct fallocate_opts, verbose, "say what was done"),
	OPT_END(),
};

/* "10", "1.5K", "3MiB" (powers of 1024), "3MB" (of 1000). */
static bool parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGTPE";
	struct bytes digits = bytes_of(text);
	struct real value;
	const char *unit;
	uint64_t base = 1024;
	size_t used = strspn(text, "0123456789.");

	if (used == 0 || !byte_is_digit((unsigned char)text[0]) ||
	    real_parse(bytes_slice(digits, 0, used), REAL_LONG, &value, NULL) != used)
		return false;
	text += used;
	if (*text != '\0') {
		unit = strchr(units, byte_to_upper((unsigned char)*text++));
		if (unit == NULL || unit == units + sizeof units - 1)
			return false;
		if (strcmp(text, "B") == 0)
			base = 1000;
		else if (*text != '\0' && strcmp(text, "iB") != 0)
			return false;
		for (long n = unit - units; n >= 0; n--)
			value = real_mul(value, real_of_u64(base));
	}
	int64_t whole = real_to_i64(value);

	*out = (uint64_t)whole;
	return whole < INT64_MAX;
}

static int settle(struct cmd *c, struct fallocate_opts *o)
{
	int actions = 0;

	for (int a = COLLAPSE; a <= ZERO; a++)
		if (o->act[a]) {
			o->action = (enum fallocate_action)a;
			actions++;
		}
	if (actions > 1)
		return cmd_error(c, 0,
				 "mutually exclusive arguments: --collapse-range --dig-holes "
				 "--punch-hole --zero-range");
	if (o->keep_size && o->act[COLLAPSE])
		return cmd_error(c, 0,
				 "mutually exclusive arguments: --collapse-range --keep-size");
	if (c->nargs == 0)
		return cmd_error(c, 0, "no filename specified");
	if (o->action != DIG || o->length_text != NULL) {
		if (o->length_text == NULL)
			return cmd_error(c, 0, "no length argument specified");
		if (!parse_size(o->length_text, &o->length) || o->length == 0)
			return cmd_error(c, 0, "invalid length value specified");
	}
	if (!parse_size(o->offset_text, &o->offset))
		return cmd_error(c, 0, "invalid offset value specified");
	if (c->nargs > 1)
		return cmd_error(c, 0, "unexpected number of arguments");
	if (o->keep_size && o->act[INSERT])
		return cmd_error(c, 0, "fallocate failed: keep size mode is unsupported");
	/* posix_fallocate can do nothing else, and what else was asked for is forgotten. */
	if (o->posix) {
		o->action = ALLOCATE;
		o->keep_size = false;
	}
	return 0;
}

/* --- the work: each returns 0 or -E_ --- */

/* Zeros from `from` to `to`, which lie within the file. What is zero already is left alone. */
static int put_zeros(struct cmd *c, int fd, uint64_t from, uint64_t to)
{
	static const char zeros[PIECE];
	char *old = arena_alloc(c->arena, PIECE);

	while (from < to) {
		size_t want = to - from < PIECE ? (size_t)(to - from) : PIECE;
		int64_t got = cmd_pread(c, fd, old, want, from);

		if (got <= 0)
			return (int)got;
		if (memcmp(old, zeros, (size_t)got) != 0)
			got = cmd_pwrite(c, fd, zeros, (size_t)got, from);
		if (got < 0)
			return (int)got;
		from += (uint64_t)got;
		cmd_charge_bytes(c, (size_t)got);
	}
	return 0;
}

/* Moves n bytes within the file; backwards if they move up. */
static int move(struct cmd *c, int fd, uint64_t from, uint64_t to, uint64_t n)
{
	char *piece = arena_alloc(c->arena, PIECE);

	for (uint64_t done = 0; done < n;) {
		size_t want = n - done < PIECE ? (size_t)(n - done) : PIECE;
		uint64_t at = to > from ? n - done - want : done;
		int64_t got = cmd_pread(c, fd, piece, want, from + at);

		if (got == (int64_t)want)
			got = cmd_pwrite(c, fd, piece, want, to + at);
		if (got != (int64_t)want)
			return got < 0 ? (int)got : -E_IO;
		done += want;
		cmd_charge_bytes(c, want);
	}
	return 0;
}

static int collapse(struct cmd *c, int fd, const struct fallocate_opts *o, uint64_t size)
{
	uint64_t end = o->offset + o->length;

	if (o->offset % BLOCK != 0 || o->length % BLOCK != 0 || end >= size)
		return -E_INVAL;
	int err = move(c, fd, end, o->offset, size - end);

	return err < 0 ? err : cmd_truncate_fd(c, fd, size - o->length);
}

static int insert(struct cmd *c, int fd, const struct fallocate_opts *o, uint64_t size)
{
	if (o->offset % BLOCK != 0 || o->length % BLOCK != 0 || o->offset >= size)
		return -E_INVAL;
	int err = cmd_truncate_fd(c, fd, size + o->length);

	if (err == 0)
		err = move(c, fd, o->offset, o->offset + o->length, size - o->offset);
	return err < 0 ? err : put_zeros(c, fd, o->offset, o->offset + o->length);
}

static int work(struct cmd *c, int fd, const struct fallocate_opts *o)
{
	struct vfs_stat st;
	int err = cmd_fstat(c, fd, &st);
	uint64_t end;

	if (err < 0)
		return err;
	if ((st.mode & S_FMT) != S_REG)
		return -E_NODEV;
	if (o->offset > INT64_MAX - o->length || st.size > INT64_MAX - o->length)
		return -E_FBIG;
	end = o->offset + o->length;
	switch (o->action) {
	case COLLAPSE: return collapse(c, fd, o, st.size);
	case INSERT: return insert(c, fd, o, st.size);
	case DIG: return 0;
	case PUNCH: return put_zeros(c, fd, o->offset, end < st.size ? end : st.size);
	case ZERO: err = put_zeros(c, fd, o->offset, end < st.size ? end : st.size); break;
	case ALLOCATE: break;
	}
	return err == 0 && end > st.size && !o->keep_size ? cmd_truncate_fd(c, fd, end) : err;
}

/* "1.4 MiB": a digit behind the point, unless it is zero. */
static void put_human(struct cmd *c, uint64_t n)
{
	static const char units[] = "BKMGTPE";
	unsigned shift = 0;

	while (shift < 60 && n >> shift >= 1024)
		shift += 10;
	uint64_t rest = shift > 0 ? (n & (((uint64_t)1 << shift) - 1)) >> (shift - 10) : 0;
	uint64_t tenths = (rest * 1000 / 1024 + 50) / 100;
	uint64_t whole = n >> shift;

	if (tenths == 10) {
		whole++;
		tenths = 0;
	}
	cmd_printf(c, "%llu", (unsigned long long)whole);
	if (tenths > 0)
		cmd_printf(c, ".%llu", (unsigned long long)tenths);
	cmd_printf(c, shift > 0 ? " %ciB" : " %c", units[shift / 10]);
}

static int fallocate_run(struct cmd *c)
{
	static const char *const done[] = {
		"allocated", "removed",      "converted to sparse holes",
		"inserted",  "hole created", "zeroed"
	};
	struct fallocate_opts *o = c->opts;
	int status = settle(c, o);
	unsigned flags = O_RDWR_ | (o->action == ALLOCATE && !o->keep_size ? O_CREAT_ : 0);

	if (status != 0)
		return status;
	int fd = cmd_open(c, CMD_CWD, c->args[0], flags, 0666);

	if (fd < 0)
		return cmd_error(c, fd, "cannot open %s", c->args[0]);
	int err = work(c, fd, o);

	cmd_close(c, fd);
	if (err < 0)
		return cmd_error(c, err, "fallocate failed");
	if (o->verbose) {
		uint64_t n = o->action == DIG ? 0 : o->length;

		cmd_printf(c, "%s: ", c->args[0]);
		put_human(c, n);
		cmd_printf(c, " (%llu bytes) %s.\n", (unsigned long long)n, done[o->action]);
	}
	return 0;
}

const struct builtin builtin_fallocate = {
	.name = "fallocate",
	.usage = "[OPTION]... FILE",
	.summary = "Gives FILE room for a range of bytes, or changes a range of it.",
	.run = fallocate_run,
	.opts = fallocate_options,
	.opts_size = sizeof(struct fallocate_opts),
	.family = "util-linux 2.38.1",
};
