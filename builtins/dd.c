/* SPDX-License-Identifier: MIT
 *
 * dd - copy in blocks, converting.
 *
 * Blocks are read into one buffer. Without conversions and with bs= they are written as they
 * came; else bytes gather in a second buffer that is written when it is full.
 */
#include "base/number.h"
#include "builtins/builtin.h"
#include "builtins/dd_tables.h"

enum { SIG_INT = 2, SIG_USR1 = 10, SEEK_CUR_ = 1 };

enum conversion {
	CONV_ASCII = 1,
	CONV_EBCDIC = 2,
	CONV_IBM = 4,
	CONV_BLOCK = 8,
	CONV_UNBLOCK = 0x10,
	CONV_LCASE = 0x20,
	CONV_UCASE = 0x40,
	CONV_SWAB = 0x80,
	CONV_NOERROR = 0x100,
	CONV_NOTRUNC = 0x200,
	CONV_SYNC = 0x400,
	CONV_EXCL = 0x800,
	CONV_NOCREAT = 0x1000,
	CONV_FDATASYNC = 0x2000,
	CONV_FSYNC = 0x4000,
	CONV_SPARSE = 0x8000,
	CONV_GATHERS = CONV_ASCII | CONV_EBCDIC | CONV_IBM | CONV_BLOCK | CONV_UNBLOCK |
		       CONV_LCASE | CONV_UCASE | CONV_SWAB,
};

enum flag {
	FLAG_APPEND = 1,
	FLAG_DIRECT = 2,
	FLAG_NOCACHE = 4,
	FLAG_DIRECTORY = 8,
	FLAG_FULLBLOCK = 0x10,
	FLAG_COUNT_BYTES = 0x20,
	FLAG_SKIP_BYTES = 0x40,
	FLAG_SEEK_BYTES = 0x80,
	FLAG_NOFOLLOW = 0x100,
	FLAG_NONBLOCK = 0x200,
	FLAG_SYNC = 0x400,
};

enum status_level { STATUS_ALL, STATUS_NONE, STATUS_NOXFER, STATUS_PROGRESS };

/* A number of blocks, and bytes behind them. */
struct extent {
	int64_t blocks;
	int64_t bytes;
	bool in_bytes; /* written with a B behind */
};

struct dd {
	struct cmd *c;
	const char *in_name;
	const char *out_name;
	int in;
	int out;
	int64_t ibs;
	int64_t obs;
	int64_t bs;
	int64_t cbs;
	struct extent count;
	struct extent skip;
	struct extent seek;
	unsigned conv;
	unsigned iflag;
	unsigned oflag;
	int level;
	bool gathers; /* two buffers */
	char *input;
	char *output;
	size_t filled; /* of output */
	uint8_t table[256];
	bool translates;
	char newline;
	char space;
	uint64_t column; /* block, unblock: in the record */
	uint64_t blanks; /* unblock: not yet written */
	int odd;         /* swab: a byte that waits for its pair; -1: none */
	bool ends_in_hole;
	uint64_t in_offset;
	uint64_t read_full;
	uint64_t read_part;
	uint64_t wrote_full;
	uint64_t wrote_part;
	uint64_t wrote_bytes;
	uint64_t truncated;
	int64_t began;
	int64_t reported;
	bool warns; /* of partial reads */
	size_t last_read;
	bool line_open; /* a line of status=progress */
};

/* --- what was done --- */

static double rounded(double v)
{
	double whole = (double)(uint64_t)v;
	double part = v - whole;

	if (part > 0.5 || (part == 0.5 && (uint64_t)v % 2 == 1))
		whole += 1;
	return v >= 1e18 ? v : whole;
}

/* n * from / to as "1.5 MB", in powers of the base. */
static void put_scaled(struct buf *out, uint64_t n, double from, double to, unsigned base)
{
	static const char units[] = "\0KMGTPEZY";
	double amount = (double)n * (from / to);
	double unit = 1;
	int power = 0;
	bool exact = from >= to && (double)(uint64_t)(from / to) == from / to;

	if (!exact || amount >= base) {
		do {
			unit *= base;
			power++;
		} while (unit * base <= amount && power < 8);
	}
	amount /= unit;
	/* Up to two digits before the point in powers of 1000, one in those of 1024; exact numbers
	 * show one in both. */
	double tenths = rounded(amount * 10) / 10;
	bool point = power > 0 && tenths < (exact || base == 1024 ? 10 : 100);
	uint64_t shown = (uint64_t)(point ? rounded(amount * 10) : rounded(amount));

	if (!point && shown >= base && power < 8 && power > 0) {
		buf_puts(out, "1.0");
		power++;
	} else {
		buf_put_u64(out, point ? shown / 10 : shown);
		if (point)
			buf_printf(out, ".%u", (unsigned)(shown % 10));
	}
	buf_putc(out, ' ');
	if (power > 0)
		buf_putc(out, power == 1 && base == 1000 ? 'k' : units[power]);
	if (power > 0 && base == 1024)
		buf_putc(out, 'i');
	buf_putc(out, 'B');
}

static void put_transfer(struct dd *d, struct buf *text)
{
	int64_t spent = cmd_uptime(d->c) - d->began;

	buf_put_u64(text, d->wrote_bytes);
	buf_puts(text, d->wrote_bytes == 1 ? " byte" : " bytes");
	if (d->wrote_bytes >= 1000) {
		buf_puts(text, " (");
		put_scaled(text, d->wrote_bytes, 1, 1, 1000);
		if (d->wrote_bytes >= 1024) {
			buf_puts(text, ", ");
			put_scaled(text, d->wrote_bytes, 1, 1, 1024);
		}
		buf_putc(text, ')');
	}
	buf_puts(text, " copied, ");
	number_put_g(text, (double)spent / 1e9, 6);
	buf_puts(text, " s, ");
	if (spent <= 0)
		buf_puts(text, "Infinity B");
	else
		put_scaled(text, d->wrote_bytes, 1e9, (double)spent, 1000);
	buf_puts(text, "/s");
}

static void close_line(struct dd *d)
{
	if (d->line_open)
		cmd_err_write(d->c, "\n", 1);
	d->line_open = false;
}

static void report(struct dd *d)
{
	struct arena_mark mark = arena_mark(d->c->arena);
	struct buf text = buf_in(d->c->arena);

	if (d->level == STATUS_NONE)
		return;
	close_line(d);
	buf_printf(&text, "%llu+%llu records in\n%llu+%llu records out\n",
		   (unsigned long long)d->read_full, (unsigned long long)d->read_part,
		   (unsigned long long)d->wrote_full, (unsigned long long)d->wrote_part);
	if (d->truncated > 0)
		buf_printf(&text, "%llu truncated record%s\n", (unsigned long long)d->truncated,
			   d->truncated == 1 ? "" : "s");
	if (d->level != STATUS_NOXFER) {
		put_transfer(d, &text);
		buf_putc(&text, '\n');
	}
	cmd_err_write(d->c, text.ptr, text.len);
	arena_release(d->c->arena, mark);
}

/* status=progress: a line every second. */
static void show_progress(struct dd *d)
{
	struct buf text = buf_in(d->c->arena);

	if (d->level != STATUS_PROGRESS || cmd_uptime(d->c) - d->reported < 1000000000)
		return;
	d->reported = cmd_uptime(d->c);
	buf_putc(&text, '\r');
	put_transfer(d, &text);
	cmd_err_write(d->c, text.ptr, text.len);
	d->line_open = true;
}

_Noreturn static void quit(struct dd *d, int status)
{
	report(d);
	cmd_exit(d->c, status);
}

static void take_signals(struct dd *d)
{
	for (int sig; (sig = cmd_next_signal(d->c)) != 0;) {
		report(d);
		if (sig == SIG_INT) {
			cmd_signal(d->c, sig, CMD_SIG_DEFAULT);
			cmd_die(d->c, sig);
		}
	}
}

/* --- operands --- */

/* Returns 0, -E_INVAL or -E_OVERFLOW (then *out is the largest). */
static int parse_size(struct cmd *c, const char *text, int64_t *out)
{
	static const char suffixes[] = "bcEGkKMPTwYZ0";
	size_t cross = strcspn(text, "x");

	if (strchr(text + cross + (text[cross] != '\0'), 'x') != NULL)
		return -E_INVAL;
	struct bytes left = { text, cross };
	uint64_t n;

	if (cross == 0 || !byte_is_digit(num_start(text)[0]))
		return -E_INVAL;
	int err = num_parse_u64(arena_dup(c->arena, left), suffixes, &n);

	if (err == -E_INVAL && left.len > 1 && left.ptr[left.len - 1] == 'B' &&
	    left.ptr[left.len - 2] != 'B') {
		left.len--;
		err = num_parse_u64(arena_dup(c->arena, left), suffixes, &n);
	}
	if (err == -E_INVAL)
		return err;
	if (n > INT64_MAX)
		err = -E_OVERFLOW;
	*out = err != 0 ? INT64_MAX : (int64_t)n;
	if (text[cross] == '\0')
		return err;
	int64_t factor = 0;
	int more = parse_size(c, text + cross + 1, &factor);

	if (more == -E_INVAL)
		return more;
	if (__builtin_mul_overflow(*out, factor, out) || (*out != 0 && (err != 0 || more != 0))) {
		*out = INT64_MAX;
		return -E_OVERFLOW;
	}
	if (*out == 0 && text[0] == '0' && text[1] == 'x')
		cmd_error(c, 0, "warning: %s is a zero multiplier; use %s if that is intended",
			  cmd_quote(c, "0x"), cmd_quote(c, "00x"));
	return 0;
}

static int bad_number(struct cmd *c, const char *text, int err)
{
	return cmd_error(c, err == -E_OVERFLOW ? err : 0, "invalid number: %s", cmd_quote(c, text));
}

static int set_size(struct cmd *c, const char *text, int64_t *out)
{
	int err = parse_size(c, text, out);

	if (err == 0 && *out == 0)
		err = -E_INVAL;
	return err != 0 ? bad_number(c, text, err) : 0;
}

static int set_extent(struct cmd *c, const char *text, struct extent *out)
{
	int err = parse_size(c, text, &out->blocks);
	size_t len = strlen(text);

	if (err != 0)
		return bad_number(c, text, err);
	out->in_bytes = text[len - 1] == 'B';
	out->bytes = 0;
	return 0;
}

static const struct opt_word conversions[] = {
	{ "ascii", CONV_ASCII },
	{ "ebcdic", CONV_EBCDIC },
	{ "ibm", CONV_IBM },
	{ "block", CONV_BLOCK },
	{ "unblock", CONV_UNBLOCK },
	{ "lcase", CONV_LCASE },
	{ "ucase", CONV_UCASE },
	{ "sparse", CONV_SPARSE },
	{ "swab", CONV_SWAB },
	{ "noerror", CONV_NOERROR },
	{ "nocreat", CONV_NOCREAT },
	{ "excl", CONV_EXCL },
	{ "notrunc", CONV_NOTRUNC },
	{ "sync", CONV_SYNC },
	{ "fsync", CONV_FSYNC },
	{ "fdatasync", CONV_FDATASYNC },
	{ NULL, 0 },
};

static const struct opt_word flags[] = {
	{ "append", FLAG_APPEND },
	{ "direct", FLAG_DIRECT },
	{ "directory", FLAG_DIRECTORY },
	{ "dsync", FLAG_SYNC },
	{ "noatime", FLAG_SYNC },
	{ "nocache", FLAG_NOCACHE },
	{ "noctty", FLAG_SYNC },
	{ "nofollow", FLAG_NOFOLLOW },
	{ "nonblock", FLAG_NONBLOCK },
	{ "sync", FLAG_SYNC },
	{ "fullblock", FLAG_FULLBLOCK },
	{ "count_bytes", FLAG_COUNT_BYTES },
	{ "skip_bytes", FLAG_SKIP_BYTES },
	{ "seek_bytes", FLAG_SEEK_BYTES },
	{ NULL, 0 },
};

static const struct opt_word levels[] = {
	{ "none", STATUS_NONE },
	{ "noxfer", STATUS_NOXFER },
	{ "progress", STATUS_PROGRESS },
	{ NULL, 0 },
};

/* Words between commas: their values together, or (one) a single word. not: values refused. */
static int set_words(struct cmd *c, const char *text, const struct opt_word *words, bool one,
		     int not, const char *what, unsigned *out)
{
	for (;;) {
		size_t len = one ? strlen(text) : strcspn(text, ",");
		const struct opt_word *w = words;

		while (w->word != NULL &&
		       (strlen(w->word) != len || memcmp(w->word, text, len) != 0))
			w++;
		if (w->word == NULL || (w->value & not ) != 0)
			return cmd_usage(c, "%s: %s", what,
					 cmd_quote_n(c, (struct bytes){ text, len }));
		*out = one ? (unsigned)w->value : *out | (unsigned)w->value;
		if (text[len] == '\0')
			return 0;
		text += len + 1;
	}
}

static int take_operand(struct dd *d, const char *text)
{
	struct cmd *c = d->c;
	const char *value = strchr(text, '=');
	struct bytes name = { text, value != NULL ? (size_t)(value - text) : 0 };
	unsigned level;

	if (value == NULL)
		return cmd_usage(c, "unrecognized operand %s", cmd_quote(c, text));
	value++;
	if (bytes_is(name, "if"))
		d->in_name = value;
	else if (bytes_is(name, "of"))
		d->out_name = value;
	else if (bytes_is(name, "conv"))
		return set_words(c, value, conversions, false, 0, "invalid conversion", &d->conv);
	else if (bytes_is(name, "iflag"))
		return set_words(c, value, flags, false, FLAG_SEEK_BYTES, "invalid input flag",
				 &d->iflag);
	else if (bytes_is(name, "oflag"))
		return set_words(c, value, flags, false,
				 FLAG_FULLBLOCK | FLAG_COUNT_BYTES | FLAG_SKIP_BYTES,
				 "invalid output flag", &d->oflag);
	else if (bytes_is(name, "status")) {
		int status = set_words(c, value, levels, true, 0, "invalid status level", &level);

		d->level = status == 0 ? (int)level : d->level;
		return status;
	} else if (bytes_is(name, "bs"))
		return set_size(c, value, &d->bs);
	else if (bytes_is(name, "ibs"))
		return set_size(c, value, &d->ibs);
	else if (bytes_is(name, "obs"))
		return set_size(c, value, &d->obs);
	else if (bytes_is(name, "cbs"))
		return set_size(c, value, &d->cbs);
	else if (bytes_is(name, "count"))
		return set_extent(c, value, &d->count);
	else if (bytes_is(name, "skip") || bytes_is(name, "iseek"))
		return set_extent(c, value, &d->skip);
	else if (bytes_is(name, "seek") || bytes_is(name, "oseek"))
		return set_extent(c, value, &d->seek);
	else
		return cmd_usage(c, "unrecognized operand %s", cmd_quote(c, text));
	return 0;
}

static void split_extent(struct extent *e, bool in_bytes, int64_t size)
{
	if (!e->in_bytes && !in_bytes)
		return;
	e->bytes = e->blocks % size;
	e->blocks /= size;
}

static bool several(unsigned set, unsigned mask)
{
	return (set & mask & ((set & mask) - 1)) != 0;
}

/* 0, or a status. */
static int settle(struct dd *d)
{
	struct cmd *c = d->c;

	if (d->bs != 0)
		d->ibs = d->obs = d->bs;
	split_extent(&d->skip, (d->iflag & FLAG_SKIP_BYTES) != 0, d->ibs);
	split_extent(&d->seek, (d->oflag & FLAG_SEEK_BYTES) != 0, d->obs);
	if (d->count.blocks >= 0)
		split_extent(&d->count, (d->iflag & FLAG_COUNT_BYTES) != 0, d->ibs);
	if (d->cbs == 0)
		d->conv &= ~(unsigned)(CONV_BLOCK | CONV_UNBLOCK);
	else if ((d->conv & CONV_ASCII) != 0)
		d->conv |= CONV_UNBLOCK;
	else if ((d->conv & (CONV_EBCDIC | CONV_IBM)) != 0)
		d->conv |= CONV_BLOCK;
	if (several(d->conv, CONV_ASCII | CONV_EBCDIC | CONV_IBM))
		return cmd_error(c, 0, "cannot combine any two of {ascii,ebcdic,ibm}");
	if (several(d->conv, CONV_BLOCK | CONV_UNBLOCK))
		return cmd_error(c, 0, "cannot combine block and unblock");
	if (several(d->conv, CONV_LCASE | CONV_UCASE))
		return cmd_error(c, 0, "cannot combine lcase and ucase");
	if (several(d->conv, CONV_EXCL | CONV_NOCREAT))
		return cmd_error(c, 0, "cannot combine excl and nocreat");
	if (several(d->iflag, FLAG_DIRECT | FLAG_NOCACHE) ||
	    several(d->oflag, FLAG_DIRECT | FLAG_NOCACHE))
		return cmd_error(c, 0, "cannot combine direct and nocache");
	d->gathers = d->bs == 0 || (d->conv & CONV_GATHERS) != 0;
	d->warns = !d->gathers && (d->iflag & FLAG_FULLBLOCK) == 0 &&
		   (d->skip.blocks != 0 || d->count.blocks > 0 ||
		    ((d->iflag | d->oflag) & FLAG_DIRECT) != 0);
	if ((d->oflag & FLAG_APPEND) != 0 && (d->conv & CONV_NOTRUNC) == 0)
		cmd_error(c, 0, "you probably want conv=notrunc with oflag=append");
	return 0;
}

static void make_table(struct dd *d)
{
	const uint8_t *to = (d->conv & CONV_EBCDIC) != 0 ? ebcdic_of_ascii : ibm_of_ascii;

	d->newline = '\n';
	d->space = ' ';
	for (int i = 0; i < 256; i++) {
		int ch = (d->conv & CONV_ASCII) != 0 ? ascii_of_ebcdic[i] : i;

		if ((d->conv & CONV_UCASE) != 0)
			ch = byte_to_upper(ch);
		else if ((d->conv & CONV_LCASE) != 0)
			ch = byte_to_lower(ch);
		if ((d->conv & (CONV_EBCDIC | CONV_IBM)) != 0)
			ch = to[ch];
		d->table[i] = (uint8_t)ch;
		d->translates |= ch != i;
	}
	if ((d->conv & (CONV_EBCDIC | CONV_IBM)) != 0) {
		d->newline = (char)to['\n'];
		d->space = (char)to[' '];
	}
}

/* --- files --- */

static unsigned open_flags(unsigned set)
{
	return ((set & FLAG_APPEND) != 0 ? O_APPEND_ : 0u) |
	       ((set & FLAG_DIRECTORY) != 0 ? O_DIRECTORY_ : 0u) |
	       ((set & FLAG_NOFOLLOW) != 0 ? O_NOFOLLOW_ : 0u) |
	       ((set & FLAG_NONBLOCK) != 0 ? O_NONBLOCK_ : 0u);
}

static void check_directory(struct dd *d, int fd, unsigned set, const char *name)
{
	struct vfs_stat st;

	if ((set & FLAG_DIRECTORY) != 0 &&
	    (cmd_fstat(d->c, fd, &st) < 0 || (st.mode & S_FMT) != S_DIR))
		cmd_fatal(d->c, -E_NOTDIR, "setting flags for %s", cmd_quoteaf(d->c, name));
}

static void open_output(struct dd *d)
{
	struct cmd *c = d->c;
	unsigned mode = open_flags(d->oflag) | ((d->conv & CONV_NOCREAT) != 0 ? 0u : O_CREAT_) |
			((d->conv & CONV_EXCL) != 0 ? O_EXCL_ : 0u) |
			(d->seek.blocks != 0 || (d->conv & CONV_NOTRUNC) != 0 ? 0u : O_TRUNC_);
	bool cuts = (d->conv & CONV_NOTRUNC) == 0;
	int64_t size;

	if ((__builtin_mul_overflow(d->seek.blocks, d->obs, &size) ||
	     __builtin_add_overflow(size, d->seek.bytes, &size)) &&
	    cuts)
		cmd_fatal(c, 0,
			  "offset too large: cannot truncate to a length of seek=%lld "
			  "(%lld-byte) blocks",
			  (long long)d->seek.blocks, (long long)d->obs);
	d->out = d->seek.blocks != 0 ? cmd_open(c, CMD_CWD, d->out_name, O_RDWR_ | mode, 0666) : -1;
	if (d->out < 0)
		d->out = cmd_open(c, CMD_CWD, d->out_name, O_WRONLY_ | mode, 0666);
	if (d->out < 0)
		cmd_fatal(c, d->out, "failed to open %s", cmd_quoteaf(c, d->out_name));
	struct vfs_stat st;
	int err = d->seek.blocks != 0 && cuts ? cmd_truncate_fd(c, d->out, (uint64_t)size) : 0;

	if (err < 0 && cmd_fstat(c, d->out, &st) == 0 &&
	    ((st.mode & S_FMT) == S_REG || (st.mode & S_FMT) == S_DIR))
		cmd_fatal(c, err, "failed to truncate to %lld bytes in output file %s",
			  (long long)size, cmd_quoteaf(c, d->out_name));
}

static void open_files(struct dd *d)
{
	d->in = 0;
	d->out = 1;
	if (d->in_name != NULL) {
		d->in = cmd_open(d->c, CMD_CWD, d->in_name, O_RDONLY_ | open_flags(d->iflag), 0);
		if (d->in < 0)
			cmd_fatal(d->c, d->in, "failed to open %s", cmd_quoteaf(d->c, d->in_name));
	} else {
		d->in_name = "standard input";
		check_directory(d, 0, d->iflag, d->in_name);
	}
	if (d->out_name != NULL) {
		open_output(d);
	} else {
		d->out_name = "standard output";
		check_directory(d, 1, d->oflag, d->out_name);
	}
}

/* Counts and offsets of blocks mean little where reads end early. */
static void warn_partial(struct dd *d, size_t got, size_t wanted)
{
	if (!d->warns || got == 0)
		return;
	if (d->last_read > 0 && d->last_read < wanted) {
		d->warns = false;
		if (d->level != STATUS_NONE)
			cmd_error(d->c, 0,
				  "warning: partial read (%zu byte%s); suggest "
				  "iflag=fullblock",
				  d->last_read, d->last_read == 1 ? "" : "s");
	}
	d->last_read = got;
}

/* One read, or with fullblock as many as fill the block. */
static int64_t read_block(struct dd *d, int fd, char *to, size_t n)
{
	size_t done = 0;

	for (;;) {
		int64_t got = cmd_read(d->c, fd, to + done, n - done);

		take_signals(d);
		if (got == -E_INTR)
			continue;
		if (got < 0)
			return done > 0 ? (int64_t)done : got;
		cmd_charge_bytes(d->c, (size_t)got);
		warn_partial(d, (size_t)got, n - done);
		done += (size_t)got;
		if (got == 0 || done == n || (d->iflag & FLAG_FULLBLOCK) == 0)
			return (int64_t)done;
	}
}

/* Writes all, or ends dd with a message. */
static void write_block(struct dd *d, const char *from, size_t n)
{
	struct cmd *c = d->c;

	if ((d->conv & CONV_SPARSE) != 0 && n > 0 && bytes_are_zero((struct bytes){ from, n })) {
		if (cmd_seek(c, d->out, (int64_t)n, SEEK_CUR_) >= 0) {
			d->ends_in_hole = true;
			d->wrote_bytes += n;
			return;
		}
		d->conv &= ~(unsigned)CONV_SPARSE;
	}
	d->ends_in_hole = false;
	while (n > 0) {
		int64_t done = cmd_write_some(c, d->out, from, n);

		take_signals(d);
		if (done == -E_INTR)
			continue;
		if (done < 0) {
			close_line(d);
			cmd_error(c, (int)done, "error writing %s", cmd_quoteaf(c, d->out_name));
			quit(d, 1);
		}
		d->wrote_bytes += (uint64_t)done;
		from += done;
		n -= (size_t)done;
		cmd_charge_bytes(c, (size_t)done);
	}
}

/* Reads over what is to be skipped where seeking does not work. False: there was too little. */
static bool skip_reading(struct dd *d, int fd, struct extent *e, int64_t size, int seek_err)
{
	char *block = d->input;
	struct cmd *c = d->c;

	while (e->blocks > 0 || e->bytes > 0) {
		size_t want = (size_t)(e->blocks > 0 ? size : e->bytes);
		int64_t got = read_block(d, fd, block,
					 want < (size_t)d->ibs ? want : (size_t)d->ibs);

		if (got < 0) {
			if (fd == d->in)
				cmd_error(c, (int)got, "error reading %s",
					  cmd_quoteaf(c, d->in_name));
			else
				cmd_error(c, seek_err, "%s: cannot seek",
					  cmd_quotef(c, d->out_name));
			quit(d, 1);
		}
		if (got == 0)
			return false;
		if (fd == d->in)
			d->in_offset += (uint64_t)got;
		if (e->blocks > 0)
			e->blocks--;
		else
			e->bytes -= got;
	}
	return true;
}

static void skip_input(struct dd *d)
{
	struct cmd *c = d->c;
	struct vfs_stat st;
	int64_t distance;
	bool enough = true;
	bool huge = __builtin_mul_overflow(d->skip.blocks, d->ibs, &distance) ||
		    __builtin_add_overflow(distance, d->skip.bytes, &distance);
	int64_t here = huge ? -E_OVERFLOW : cmd_seek(c, d->in, 0, SEEK_CUR_);

	if (d->skip.blocks == 0 && d->skip.bytes == 0)
		return;
	if (here >= 0) {
		if (cmd_fstat(c, d->in, &st) == 0 && (st.mode & S_FMT) == S_REG &&
		    (uint64_t)distance >
			    (st.size > (uint64_t)here ? st.size - (uint64_t)here : 0)) {
			enough = false;
			distance = (int64_t)st.size - here;
		}
		int64_t err = distance > 0 ? cmd_seek(c, d->in, distance, SEEK_CUR_) : 0;

		if (err < 0) {
			cmd_error(c, (int)err, "%s: cannot skip", cmd_quotef(c, d->in_name));
			quit(d, 1);
		}
	} else if (huge && cmd_seek(c, d->in, 0, SEEK_CUR_) >= 0) {
		cmd_error(c, -E_OVERFLOW, "%s: cannot skip", cmd_quotef(c, d->in_name));
		quit(d, 1);
	} else {
		enough = skip_reading(d, d->in, &d->skip, d->ibs, 0) &&
			 (uint64_t)distance == d->in_offset;
	}
	if (!enough && d->level != STATUS_NONE)
		cmd_error(c, 0, "%s: cannot skip to specified offset", cmd_quotef(c, d->in_name));
}

static void seek_output(struct dd *d)
{
	struct cmd *c = d->c;
	int64_t distance;
	bool huge = __builtin_mul_overflow(d->seek.blocks, d->obs, &distance) ||
		    __builtin_add_overflow(distance, d->seek.bytes, &distance);

	if (d->seek.blocks == 0 && d->seek.bytes == 0)
		return;
	int64_t err = huge ? -E_OVERFLOW : cmd_seek(c, d->out, distance, SEEK_CUR_);

	if (err >= 0)
		return;
	if (huge || cmd_seek(c, d->out, 0, SEEK_CUR_) >= 0) {
		cmd_error(c, (int)err, "%s: cannot seek", cmd_quotef(c, d->out_name));
		quit(d, 1);
	}
	if (skip_reading(d, d->out, &d->seek, d->obs, (int)err))
		return;
	memset(d->output, 0, (size_t)d->obs);
	for (; d->seek.blocks > 0; d->seek.blocks--)
		write_block(d, d->output, (size_t)d->obs);
	write_block(d, d->output, (size_t)d->seek.bytes);
	d->wrote_bytes = 0;
}

/* --- conversion --- */

static void gather(struct dd *d, const char *from, size_t n)
{
	while (n > 0) {
		size_t room = (size_t)d->obs - d->filled;
		size_t take = n < room ? n : room;

		memcpy(d->output + d->filled, from, take);
		d->filled += take;
		from += take;
		n -= take;
		if (d->filled < (size_t)d->obs)
			continue;
		write_block(d, d->output, d->filled);
		d->wrote_full++;
		d->filled = 0;
	}
}

static void gather_fill(struct dd *d, char ch, uint64_t n)
{
	for (; n > 0; n--) {
		gather(d, &ch, 1);
		if (n % 64 == 0)
			cmd_charge(d->c, 1);
	}
}

/* conv=block: lines become records of cbs bytes. */
static void put_block(struct dd *d, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (from[i] == d->newline) {
			if (d->column < (uint64_t)d->cbs)
				gather_fill(d, d->space, (uint64_t)d->cbs - d->column);
			d->column = 0;
			continue;
		}
		if (d->column == (uint64_t)d->cbs)
			d->truncated++;
		else if (d->column < (uint64_t)d->cbs)
			gather(d, from + i, 1);
		d->column++;
	}
}

/* conv=unblock: records of cbs bytes become lines without blanks at their ends. */
static void put_unblock(struct dd *d, const char *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (d->column++ >= (uint64_t)d->cbs) {
			d->blanks = 0;
			d->column = 0;
			gather(d, &d->newline, 1);
			i--;
			continue;
		}
		if (from[i] == d->space) {
			d->blanks++;
			continue;
		}
		gather_fill(d, d->space, d->blanks);
		d->blanks = 0;
		gather(d, from + i, 1);
	}
}

static void put_converted(struct dd *d, const char *from, size_t n)
{
	if ((d->conv & CONV_BLOCK) != 0)
		put_block(d, from, n);
	else if ((d->conv & CONV_UNBLOCK) != 0)
		put_unblock(d, from, n);
	else
		gather(d, from, n);
}

/* conv=swab: pairs are swapped; an odd byte waits for the next block. */
static void put_swapped(struct dd *d, char *block, size_t n)
{
	size_t at = 0;

	if (d->odd >= 0 && n > 0) {
		char pair[2] = { block[0], (char)d->odd };

		put_converted(d, pair, 2);
		d->odd = -1;
		at = 1;
	}
	if ((n - at) % 2 == 1)
		d->odd = (unsigned char)block[--n];
	for (size_t i = at; i + 1 < n; i += 2) {
		char first = block[i];

		block[i] = block[i + 1];
		block[i + 1] = first;
	}
	if (n > at)
		put_converted(d, block + at, n - at);
}

static void finish_output(struct dd *d)
{
	char odd = (char)d->odd;

	if (d->odd >= 0)
		put_converted(d, &odd, 1);
	if ((d->conv & CONV_BLOCK) != 0 && d->column > 0 && d->column < (uint64_t)d->cbs)
		gather_fill(d, d->space, (uint64_t)d->cbs - d->column);
	if ((d->conv & CONV_UNBLOCK) != 0 && d->column > 0)
		gather(d, &d->newline, 1);
	if (d->filled > 0) {
		write_block(d, d->output, d->filled);
		d->wrote_part++;
	}
}

/* --- copying --- */

static void put_input(struct dd *d, size_t n)
{
	if (!d->gathers) {
		write_block(d, d->input, n);
		*(n == (size_t)d->ibs ? &d->wrote_full : &d->wrote_part) += 1;
		return;
	}
	for (size_t i = 0; d->translates && i < n; i++)
		d->input[i] = (char)d->table[(unsigned char)d->input[i]];
	if ((d->conv & CONV_SWAB) != 0)
		put_swapped(d, d->input, n);
	else
		put_converted(d, d->input, n);
	cmd_charge_bytes(d->c, d->translates || (d->conv & CONV_GATHERS) != 0 ? n * 8 : n);
}

/* Returns the status. */
static int copy(struct dd *d)
{
	char pad = (d->conv & (CONV_BLOCK | CONV_UNBLOCK)) != 0 ? ' ' : '\0';

	for (;;) {
		uint64_t blocks = d->read_full + d->read_part;
		bool limited = d->count.blocks >= 0;
		size_t want = (size_t)d->ibs;

		show_progress(d);
		if (limited && blocks >= (uint64_t)d->count.blocks) {
			if (blocks > (uint64_t)d->count.blocks || d->count.bytes == 0)
				return 0;
			want = (size_t)d->count.bytes;
		}
		int64_t got = read_block(d, d->in, d->input, want);

		if (got == 0)
			return 0;
		if (got < 0) {
			cmd_error(d->c, (int)got, "error reading %s",
				  cmd_quoteaf(d->c, d->in_name));
			return 1;
		}
		d->in_offset += (uint64_t)got;
		size_t n = (size_t)got;

		if (n < (size_t)d->ibs) {
			d->read_part++;
			if ((d->conv & CONV_SYNC) != 0) {
				memset(d->input + n, pad, (size_t)d->ibs - n);
				n = (size_t)d->ibs;
			}
		} else {
			d->read_full++;
		}
		put_input(d, n);
	}
}

static int sync_output(struct dd *d)
{
	bool data = (d->conv & CONV_FDATASYNC) != 0;
	int err = data || (d->conv & CONV_FSYNC) != 0 ? cmd_sync_fd(d->c, d->out) : 0;

	if (err == 0)
		return 0;
	return cmd_error(d->c, err, "%s failed for %s",
			 data && err != -E_INVAL ? "fdatasync" : "fsync",
			 cmd_quoteaf(d->c, d->out_name));
}

static void set_signals(struct cmd *c)
{
	if (cmd_signal_action(c, SIG_USR1) != CMD_SIG_IGNORE)
		cmd_signal(c, SIG_USR1, CMD_SIG_CATCH);
	if (cmd_signal_action(c, SIG_INT) != CMD_SIG_IGNORE)
		cmd_signal(c, SIG_INT, CMD_SIG_CATCH);
}

static int dd_run(struct cmd *c)
{
	struct dd *d = c->opts;
	int status = 0;

	d->c = c;
	for (int i = 0; i < c->nargs && status == 0; i++)
		status = take_operand(d, c->args[i]);
	if (status == 0)
		status = settle(d);
	if (status != 0)
		return status;
	make_table(d);
	open_files(d);
	set_signals(c);
	d->began = d->reported = cmd_uptime(c);
	d->input = arena_alloc(c->arena, heap_size((uint64_t)d->ibs));
	d->output = d->gathers || d->seek.blocks != 0 || d->seek.bytes != 0
			    ? arena_alloc(c->arena, heap_size((uint64_t)d->obs))
			    : d->input;
	skip_input(d);
	seek_output(d);
	status = copy(d);
	finish_output(d);
	if (d->ends_in_hole) {
		int64_t end = cmd_seek(c, d->out, 0, SEEK_CUR_);
		struct vfs_stat st;

		if (end >= 0 && cmd_fstat(c, d->out, &st) == 0 && st.size < (uint64_t)end)
			cmd_truncate_fd(c, d->out, (uint64_t)end);
	}
	int failed = sync_output(d);

	report(d);
	return status != 0 ? status : failed;
}

static void dd_defaults(struct cmd *c)
{
	struct dd *d = c->opts;

	d->ibs = d->obs = 512;
	d->count.blocks = -1;
	d->odd = -1;
}

static const struct opt dd_options[] = { OPT_END() };

const struct builtin builtin_dd = {
	.name = "dd",
	.version = "dd (coreutils) 9.1",
	.usage = "[OPERAND]...",
	.summary =
		"Copies in blocks. OPERANDs: if= of= bs= ibs= obs= cbs= count= skip= seek= conv=\n"
		"iflag= oflag= status=",
	.run = dd_run,
	.opts = dd_options,
	.opts_size = sizeof(struct dd),
	.defaults = dd_defaults,
};
