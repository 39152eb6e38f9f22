/* SPDX-License-Identifier: MIT
 *
 * hexdump, hd - write bytes by formats.
 *
 * A format is a list of units, "16/1 "%02x "": how often, how many bytes, and a text. A text is
 * cut into pieces of at most one conversion each. The input is taken in blocks as long as the
 * longest format; each block is written by every format in turn.
 */
#include "base/format.h"
#include "builtins/builtin.h"

enum { BLOCK_MAX = 1 << 20 };

enum piece_kind {
	PIECE_TEXT,
	PIECE_ADDRESS, /* %_a */
	PIECE_END,     /* %_A: only behind the last block */
	PIECE_INT,
	PIECE_UINT,
	PIECE_REAL,
	PIECE_CHAR,
	PIECE_STRING,
	PIECE_ESCAPED, /* %_c */
	PIECE_PRINT,   /* %_p */
	PIECE_NAME,    /* %_u */
};

struct piece {
	struct piece *next;
	enum piece_kind kind;
	size_t size;
	struct bytes before; /* text around the conversion */
	struct bytes after;
	struct format_spec spec;
};

struct unit {
	struct unit *next;
	uint64_t reps;
	bool has_reps;
	uint64_t size;
	char *text;
	bool at_end; /* holds %_A */
	struct piece *pieces;
};

struct format {
	struct format *next;
	struct unit *units;
	uint64_t size;
};

struct hexdump {
	struct format *formats;
	struct format **tail;
	uint64_t length; /* UINT64_MAX: all */
	uint64_t skip;
	bool all; /* -v */
	/* state */
	struct cmd *c;
	struct unit *end_unit;
	size_t block;
	char *now;
	char *before;
	bool has_before;
	bool starred;
	uint64_t address;
	uint64_t end; /* address behind the last byte, once known; 0: not */
	struct buf line;
	int file;
	struct input in;
	bool open;
	struct bytes part; /* unread bytes of the input */
	int status;
	int opened;
};

/* --- reading formats --- */

_Noreturn static void bad_format(struct cmd *c, const char *text)
{
	cmd_fatal(c, 0, "bad format {%s}", text);
}

static const char *skip_space(const char *at)
{
	while (byte_is_space(*at))
		at++;
	return at;
}

static uint64_t take_digits(const char **at)
{
	uint64_t n = 0;

	for (; byte_is_digit(**at); ++*at)
		n = n < UINT32_MAX ? n * 10 + (uint64_t)(**at - '0') : n;
	return n;
}

static void unescape(char *text)
{
	static const char letters[] = "abfnrtv";
	static const char values[] = "\a\b\f\n\r\t\v";
	char *to = text;

	for (const char *at = text; *at != '\0'; at++) {
		const char *hit;

		if (*at != '\\') {
			*to++ = *at;
			continue;
		}
		if (*++at == '\0') {
			*to++ = '\\';
			break;
		}
		hit = strchr(letters, *at);
		*to++ = hit != NULL ? values[hit - letters] : *at;
	}
	*to = '\0';
}

static void add_format(struct cmd *c, const char *text)
{
	struct hexdump *h = c->opts;
	struct format *f = arena_zalloc(c->arena, sizeof(*f));
	struct unit **tail = &f->units;
	const char *at = text;

	if (h->tail == NULL)
		h->tail = &h->formats;
	*h->tail = f;
	h->tail = &f->next;
	while (*(at = skip_space(at)) != '\0') {
		struct unit *u = arena_zalloc(c->arena, sizeof(*u));

		*tail = u;
		tail = &u->next;
		u->reps = 1;
		if (byte_is_digit(*at)) {
			u->reps = take_digits(&at);
			u->has_reps = true;
			if (!byte_is_space(*at) && *at != '/')
				bad_format(c, text);
			at = skip_space(at + 1);
		}
		if (*at == '/')
			at = skip_space(at + 1);
		if (byte_is_digit(*at)) {
			u->size = take_digits(&at);
			if (!byte_is_space(*at))
				bad_format(c, text);
			at = skip_space(at + 1);
		}
		const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;

		if (end == NULL)
			bad_format(c, text);
		u->text = arena_dup(c->arena, (struct bytes){ at + 1, (size_t)(end - at - 1) });
		unescape(u->text);
		at = end + 1;
		cmd_charge(c, 1);
	}
}

static int set_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	add_format(c, arg);
	return 0;
}

static int set_format_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct bytes all;
	int err = cmd_read_all(c, arg, &all);

	(void)opt;
	if (err < 0)
		return cmd_error(c, err, "can't read %s", arg);
	for (size_t from = 0; from < all.len;) {
		const char *hit = memchr(all.ptr + from, '\n', all.len - from);
		size_t to = hit != NULL ? (size_t)(hit - all.ptr) : all.len;
		const char *text = skip_space(arena_dup(c->arena, bytes_slice(all, from, to)));

		if (*text != '\0' && *text != '#')
			add_format(c, text);
		from = to + 1;
		cmd_charge(c, 1);
	}
	return 0;
}

static int set_common(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	if (opt->letter == 'C') {
		add_format(c, "\"%08.8_Ax\n\"");
		add_format(c, "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ");
		add_format(c, "\"  |\" 16/1 \"%_p\" \"|\\n\"");
		return 0;
	}
	add_format(c, "\"%07.7_Ax\n\"");
	add_format(c, opt->letter == 'b'   ? "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""
		      : opt->letter == 'c' ? "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""
		      : opt->letter == 'd' ? "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""
		      : opt->letter == 'o' ? "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""
					   : "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"");
	return 0;
}

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct hexdump *h = c->opts;
	struct bytes s = bytes_of(arg);
	static const char units[] = "KMGTPEZY";
	uint64_t value;
	bool overflow = false;
	size_t used = byte_is_digit(arg[0]) ? number_parse_u64(s, 0, &value, &overflow) : 0;
	const char *rest = arg + used;
	const char *hit = *rest != '\0' ? strchr(units, byte_to_upper(*rest)) : NULL;

	if (used != 0 && hit != NULL) {
		uint64_t base = strcmp(rest + 1, "B") == 0 ? 1000 : 1024;

		if (rest[1] == '\0' || base == 1000 || strcmp(rest + 1, "iB") == 0)
			rest = "";
		for (long i = 0; i <= hit - units; i++)
			overflow |= __builtin_mul_overflow(value, base, &value);
	}
	if (used == 0 || *rest != '\0' || overflow)
		return cmd_error(c, overflow ? -E_RANGE : -E_INVAL, "failed to parse %s: '%s'",
				 opt->letter == 'n' ? "length" : "offset", arg);
	*(opt->letter == 'n' ? &h->length : &h->skip) = value;
	return 0;
}

static int set_color(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	/* No format that colours can be given, so none of these changes anything. */
	if (arg == NULL || strcmp(arg, "auto") == 0 || strcmp(arg, "never") == 0 ||
	    strcmp(arg, "always") == 0)
		return 0;
	return cmd_error(c, 0, "unsupported color mode: '%s'", arg);
}

static const struct opt hexdump_options[] = {
	OPT_CALL('b', "one-byte-octal", set_common, "bytes in octal"),
	OPT_CALL('c', "one-byte-char", set_common, "bytes as characters"),
	OPT_CALL('C', "canonical", set_common, "bytes in hexadecimal and as characters"),
	OPT_CALL('d', "two-bytes-decimal", set_common, "pairs of bytes in decimal"),
	OPT_CALL('o', "two-bytes-octal", set_common, "pairs of bytes in octal"),
	OPT_CALL('x', "two-bytes-hex", set_common, "pairs of bytes in hexadecimal"),
	OPT_CALL_OPTIONAL('L', "color", set_color, "MODE", "auto, always or never"),
	OPT_CALL_ARG('e', "format", set_format, "FORMAT", "write by FORMAT"),
	OPT_CALL_ARG('f', "format-file", set_format_file, "FILE", "write by the formats in FILE"),
	OPT_CALL_ARG('n', "length", set_number, "LENGTH", "read only LENGTH bytes"),
	OPT_CALL_ARG('s', "skip", set_number, "OFFSET", "skip OFFSET bytes first"),
	OPT_FLAG('v', "no-squeezing", struct hexdump, all, "write lines that repeat, too"),
	OPT_CALL('V', NULL, cmd_opt_version, NULL),
	OPT_END(),
};

/* --- pieces --- */

_Noreturn static void bad_conversion(struct cmd *c, const char *at, size_t len)
{
	cmd_fatal(c, 0, "bad conversion character %%%.*s", (int)len, at);
}

/* Bytes that a conversion takes: as the unit says, or `normal`; refused if not in the mask. */
static size_t piece_size(struct cmd *c, const struct unit *u, char conv, size_t normal,
			 unsigned mask)
{
	uint64_t size = u->size != 0 ? u->size : normal;

	if (size > 8 || (mask >> size & 1) == 0)
		cmd_fatal(c, 0, "bad byte count for conversion character %c", conv);
	return (size_t)size;
}

/* %_x: the letter behind. Returns the length of the conversion from the '_' on. */
static size_t set_special(struct cmd *c, struct unit *u, struct piece *p, const char *at)
{
	switch (at[1]) {
	case 'A':
	case 'a':
		p->kind = at[1] == 'A' ? PIECE_END : PIECE_ADDRESS;
		if (at[2] == '\0' || strchr("dox", at[2]) == NULL)
			bad_conversion(c, at, at[2] != '\0' ? 3 : 2);
		p->spec.conv = at[2];
		u->at_end |= at[1] == 'A';
		return 3;
	case 'c': p->kind = PIECE_ESCAPED; break;
	case 'p': p->kind = PIECE_PRINT; break;
	case 'u': p->kind = PIECE_NAME; break;
	default: bad_conversion(c, at, at[1] != '\0' ? 2 : 1);
	}
	p->size = piece_size(c, u, at[1], 1, 1u << 1);
	return 2;
}

/* The conversion at `at` (behind flags and width). Returns its length. */
static size_t set_kind(struct cmd *c, struct unit *u, struct piece *p, const char *at)
{
	unsigned integers = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8;

	p->spec.conv = *at;
	switch (*at) {
	case 'c':
		p->kind = PIECE_CHAR;
		p->size = piece_size(c, u, *at, 1, 1u << 1);
		return 1;
	case 'd':
	case 'i':
		p->kind = PIECE_INT;
		p->size = piece_size(c, u, *at, 4, integers);
		return 1;
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		p->kind = PIECE_UINT;
		p->size = piece_size(c, u, *at, 4, integers);
		return 1;
	case 'e':
	case 'E':
	case 'f':
	case 'g':
	case 'G':
		p->kind = PIECE_REAL;
		p->size = piece_size(c, u, *at, 8, 1u << 4 | 1u << 8);
		return 1;
	case 's':
		p->kind = PIECE_STRING;
		p->size = u->size != 0 ? u->size
				       : (size_t)(p->spec.precision > 0 ? p->spec.precision : 0);
		if (p->size == 0)
			cmd_fatal(c, 0, "%%s requires a precision or a byte count");
		return 1;
	case '_': return set_special(c, u, p, at);
	default: bad_conversion(c, at, *at != '\0');
	}
}

/* Flags, width and precision behind a '%'. Returns what follows. */
static const char *take_spec(struct format_spec *s, const char *at)
{
	static const char flags[] = "-+ #0";
	static const unsigned bits[] = { FORMAT_LEFT, FORMAT_PLUS, FORMAT_SPACE, FORMAT_ALT,
					 FORMAT_ZERO };
	const char *hit;

	*s = (struct format_spec){ .width = -1, .precision = -1 };
	for (; *at != '\0' && (hit = strchr(flags, *at)) != NULL; at++)
		s->flags |= bits[hit - flags];
	if (byte_is_digit(*at))
		s->width = (int64_t)(take_digits(&at) % BLOCK_MAX);
	if (*at == '.') {
		at++;
		s->precision = (int64_t)(take_digits(&at) % BLOCK_MAX);
	}
	return at;
}

static void cut_unit(struct cmd *c, struct unit *u)
{
	struct piece **tail = &u->pieces;
	unsigned conversions = 0;

	for (const char *at = u->text; *at != '\0';) {
		struct piece *p = arena_zalloc(c->arena, sizeof(*p));
		const char *percent = strchr(at, '%');

		*tail = p;
		tail = &p->next;
		p->before = percent != NULL ? (struct bytes){ at, (size_t)(percent - at) }
					    : bytes_of(at);
		if (percent == NULL)
			break;
		at = take_spec(&p->spec, percent + 1);
		at += set_kind(c, u, p, at);
		p->after = (struct bytes){ at, strcspn(at, "%") };
		at += p->after.len;
		if (p->kind != PIECE_ADDRESS && p->kind != PIECE_END && u->size != 0 &&
		    conversions++ > 0)
			cmd_fatal(c, 0, "byte count with multiple conversion characters");
		cmd_charge(c, 1);
	}
	if (u->size == 0)
		for (struct piece *p = u->pieces; p != NULL; p = p->next)
			u->size += p->size;
}

/* A unit written several times ends without the blank behind its last conversion. */
static void set_last_blank(struct unit *u, bool *strips)
{
	struct piece *p = u->pieces;

	while (p != NULL && p->next != NULL)
		p = p->next;
	struct bytes text = p == NULL ? BYTES("") : p->kind == PIECE_TEXT ? p->before : p->after;

	*strips = u->reps > 1 && text.len > 0 && byte_is_space(text.ptr[text.len - 1]);
}

static void prepare_formats(struct cmd *c, struct hexdump *h)
{
	uint64_t block = 0;

	for (struct format *f = h->formats; f != NULL; f = f->next) {
		for (struct unit *u = f->units; u != NULL; u = u->next) {
			cut_unit(c, u);
			if (u->at_end)
				h->end_unit = u;
			if (u->size > BLOCK_MAX || u->reps > BLOCK_MAX ||
			    (f->size += u->size * u->reps) > BLOCK_MAX)
				cmd_fatal(c, 0, "a format takes more than %d bytes", BLOCK_MAX);
		}
		block = f->size > block ? f->size : block;
	}
	for (struct format *f = h->formats; f != NULL; f = f->next)
		for (struct unit *u = f->units; u != NULL; u = u->next)
			if (u->next == NULL && !u->has_reps && u->size > 0 && f->size < block)
				u->reps += (block - f->size) / u->size;
	h->block = (size_t)block;
}

/* --- input --- */

/* The next file that can be opened; false at the end. */
static bool next_file(struct hexdump *h)
{
	struct cmd *c = h->c;

	if (h->open)
		input_close(&h->in);
	h->open = false;
	while (h->file < c->nfiles) {
		const char *name = c->files[h->file++];
		int err = c->nargs == 0 ? input_open(&h->in, c, "-") : 0;

		if (c->nargs > 0) {
			int fd = cmd_open(c, CMD_CWD, name, O_RDONLY_, 0);

			if (fd >= 0)
				input_init(&h->in, c, fd, name);
			err = fd;
		}
		if (err >= 0) {
			h->opened++;
			h->open = true;
			return true;
		}
		cmd_error(c, err, "%s", name);
		h->status = 1;
	}
	if (h->opened == 0 && h->skip > 0)
		cmd_fatal(c, E_BADF, "stdin");
	if (h->opened == 0)
		cmd_error(c, 0, "all input file arguments failed");
	return false;
}

/* Up to n unread bytes in h->part; false at the end of all files. */
static bool fill(struct hexdump *h)
{
	while (h->part.len == 0) {
		if (!h->open && !next_file(h))
			return false;
		int more = input_block(&h->in, &h->part);

		if (more > 0)
			return true;
		h->part.len = 0;
		if (more < 0)
			cmd_error(h->c, more, "%s", h->c->nargs > 0 ? h->in.name : "stdin");
		input_close(&h->in);
		h->open = false;
	}
	return true;
}

/* Standard input, and what is no plain file, is sought in: whatever the place, that is reached. */
static bool seek_first(struct hexdump *h)
{
	struct vfs_stat st;

	if (h->skip == 0 || !next_file(h))
		return h->skip == 0;
	if (cmd_fstat(h->c, h->in.fd, &st) < 0 || ((st.mode & S_FMT) == S_REG && h->c->nargs > 0))
		return false;
	if ((st.mode & S_FMT) != S_DIR && cmd_seek(h->c, h->in.fd, (int64_t)h->skip, 0) < 0)
		return false;
	h->address = h->skip;
	return true;
}

static void skip_bytes(struct hexdump *h)
{
	if (seek_first(h))
		return;
	while (h->address < h->skip && fill(h)) {
		if (h->opened == 1 && cmd_seek(h->c, h->in.fd, 0, 1) == -E_SPIPE)
			cmd_fatal(h->c, -E_SPIPE, "%s", h->c->nargs > 0 ? h->in.name : "stdin");
		uint64_t left = h->skip - h->address;
		size_t take = h->part.len < left ? h->part.len : (size_t)left;

		h->part = bytes_slice(h->part, take, h->part.len);
		h->address += take;
		cmd_charge_bytes(h->c, take);
	}
}

/* Reads a block into h->now; how many bytes. */
static size_t read_block(struct hexdump *h)
{
	size_t n = 0;

	while (n < h->block && h->length > 0 && fill(h)) {
		size_t take = h->block - n;

		if (take > h->part.len)
			take = h->part.len;
		if (take > h->length)
			take = (size_t)h->length;
		memcpy(h->now + n, h->part.ptr, take);
		h->part = bytes_slice(h->part, take, h->part.len);
		n += take;
		if (h->length != UINT64_MAX)
			h->length -= take;
	}
	return n;
}

/* --- writing --- */

static uint64_t load(const char *at, size_t size)
{
	uint64_t v = 0;

	for (size_t i = size; i > 0; i--)
		v = v << 8 | (unsigned char)at[i - 1];
	return v;
}

static void put_text(struct hexdump *h, struct format_spec spec, struct bytes s)
{
	spec.conv = 's';
	spec.precision = -1;
	format_put_text(&h->line, &spec, s, false);
}

static void put_escaped(struct hexdump *h, const struct format_spec *spec, unsigned char ch)
{
	static const char letters[] = "0......abtnvfr";
	char text[8] = { '\\' };
	size_t len = 2;

	if (ch == 0 || (ch >= 7 && ch <= 13)) {
		text[1] = letters[ch];
	} else if (byte_is_print(ch)) {
		text[0] = (char)ch;
		len = 1;
	} else {
		for (int i = 0; i < 3; i++)
			text[i] = (char)('0' + (ch >> (6 - 3 * i) & 7));
		len = 3;
	}
	put_text(h, *spec, (struct bytes){ text, len });
}

static void put_name(struct hexdump *h, struct format_spec spec, unsigned char ch)
{
	static const char names[][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",  "ht",  "lf",
		"vt",  "ff",  "cr",  "so",  "si",  "dle", "dc1", "dc2", "dc3", "dc4", "nak",
		"syn", "etb", "can", "em",  "sub", "esc", "fs",  "gs",  "rs",  "us",
	};
	char one = (char)ch;

	if (ch < 32)
		put_text(h, spec, bytes_of(names[ch]));
	else if (ch == 0x7f)
		put_text(h, spec, BYTES("del"));
	else if (byte_is_print(ch))
		put_text(h, spec, (struct bytes){ &one, 1 });
	else {
		spec.conv = 'x';
		format_put_u64(&h->line, &spec, ch);
	}
}

static void put_real(struct hexdump *h, const struct format_spec *spec, const char *at, size_t size)
{
	uint64_t bits = load(at, size);
	uint32_t low = (uint32_t)bits;
	double value;

	if (size == 4) {
		float small;

		memcpy(&small, &low, 4);
		value = (double)small;
	} else {
		memcpy(&value, &bits, 8);
	}
	format_put_real(&h->line, spec, real_of_double(value), true);
}

static void put_value(struct hexdump *h, const struct piece *p, const char *at)
{
	uint64_t value;
	char ch;

	switch (p->kind) {
	case PIECE_ADDRESS:
	case PIECE_END:
		value = p->kind == PIECE_END ? h->end : h->address;
		if (p->spec.conv == 'd')
			format_put_i64(&h->line, &p->spec, (int64_t)value);
		else
			format_put_u64(&h->line, &p->spec, value);
		break;
	case PIECE_INT:
		value = load(at, p->size) << (64 - 8 * p->size);
		format_put_i64(&h->line, &p->spec, (int64_t)value >> (64 - 8 * p->size));
		break;
	case PIECE_UINT: format_put_u64(&h->line, &p->spec, load(at, p->size)); break;
	case PIECE_REAL: put_real(h, &p->spec, at, p->size); break;
	case PIECE_CHAR: put_text(h, p->spec, (struct bytes){ at, 1 }); break;
	case PIECE_STRING: {
		const char *nul = memchr(at, '\0', p->size);
		struct format_spec spec = p->spec;

		if (spec.precision < 0 || (uint64_t)spec.precision > p->size)
			spec.precision = (int64_t)p->size;
		format_put_text(&h->line, &spec,
				(struct bytes){ at, nul != NULL ? (size_t)(nul - at) : p->size },
				false);
		break;
	}
	case PIECE_ESCAPED: put_escaped(h, &p->spec, (unsigned char)*at); break;
	case PIECE_PRINT:
		ch = byte_is_print((unsigned char)*at) ? *at : '.';
		put_text(h, p->spec, (struct bytes){ &ch, 1 });
		break;
	case PIECE_NAME: put_name(h, p->spec, (unsigned char)*at); break;
	case PIECE_TEXT: break;
	}
}

/* Behind the end of the input only the width of a conversion is written, as blanks. */
static void put_pad(struct hexdump *h, const struct piece *p)
{
	if (p->spec.width > 0)
		buf_fill(&h->line, ' ', (size_t)p->spec.width);
}

/* One turn of a unit at offset *at of the block. */
static void put_unit(struct hexdump *h, const struct unit *u, size_t *at, bool strip)
{
	for (const struct piece *p = u->pieces; p != NULL; p = p->next) {
		bool data = p->kind != PIECE_TEXT && p->kind != PIECE_ADDRESS;
		uint64_t start = h->address;

		buf_add(&h->line, p->before);
		h->address += *at;
		if (p->kind != PIECE_TEXT) {
			if (h->end != 0 && data && h->address >= h->end)
				put_pad(h, p);
			else
				put_value(h, p, h->now + *at);
		}
		h->address = start;
		buf_add(&h->line, p->after);
		*at += p->size;
		if (strip && p->next == NULL)
			h->line.len--;
	}
}

static void put_block(struct hexdump *h)
{
	struct arena_mark mark = arena_mark(h->c->arena);

	h->line = buf_in(h->c->arena);
	for (const struct format *f = h->formats; f != NULL; f = f->next) {
		size_t at = 0;

		for (struct unit *u = f->units; u != NULL; u = u->next) {
			bool strips;

			if (u->at_end)
				break;
			set_last_blank(u, &strips);
			for (uint64_t i = u->reps; i > 0 && at <= h->block; i--) {
				size_t from = at;

				put_unit(h, u, &at, strips && i == 1);
				if (at < from + u->size)
					at = from + (size_t)u->size;
			}
		}
	}
	cmd_charge_bytes(h->c, h->line.len + h->block * 8);
	cmd_bytes(h->c, buf_bytes(&h->line));
	arena_release(h->c->arena, mark);
}

static void put_end(struct hexdump *h)
{
	if (h->end == 0)
		h->end = h->address;
	if (h->end_unit == NULL || h->end == 0)
		return;
	h->line = buf_in(h->c->arena);
	for (const struct piece *p = h->end_unit->pieces; p != NULL; p = p->next) {
		buf_add(&h->line, p->before);
		if (p->kind == PIECE_END)
			put_value(h, p, NULL);
		buf_add(&h->line, p->after);
	}
	cmd_bytes(h->c, buf_bytes(&h->line));
}

/* Whether the block repeats the one before and is not written. */
static bool squeeze(struct hexdump *h)
{
	if (h->all || !h->has_before || memcmp(h->now, h->before, h->block) != 0)
		return false;
	if (!h->starred)
		cmd_puts(h->c, "*\n");
	h->starred = true;
	return true;
}

static int dump(struct hexdump *h)
{
	size_t n;

	skip_bytes(h);
	while (h->block > 0 && (n = read_block(h)) > 0) {
		bool repeats = n == h->block && squeeze(h);

		if (n < h->block) {
			memset(h->now + n, 0, h->block - n);
			h->end = h->address + n;
		}
		if (!repeats) {
			char *spare = h->before;

			h->starred = false;
			put_block(h);
			h->before = h->now;
			h->now = spare;
			h->has_before = true;
		}
		h->address += n < h->block ? 0 : n;
		cmd_charge_bytes(h->c, n);
	}
	put_end(h);
	return h->status;
}

static int hexdump_run(struct cmd *c)
{
	struct hexdump *h = c->opts;

	h->c = c;
	if (h->formats == NULL) {
		add_format(c, "\"%07.7_Ax\n\"");
		add_format(c, "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"");
	}
	prepare_formats(c, h);
	h->now = arena_zalloc(c->arena, h->block + 16);
	h->before = arena_zalloc(c->arena, h->block + 16);
	return dump(h);
}

static void hexdump_defaults(struct cmd *c)
{
	((struct hexdump *)c->opts)->length = UINT64_MAX;
}

static void hd_defaults(struct cmd *c)
{
	hexdump_defaults(c);
	set_common(c, &(struct opt){ .letter = 'C' }, NULL);
}

const struct builtin builtin_hexdump = {
	.name = "hexdump",
	.usage = "[options] <file>...",
	.summary = "Writes files in hexadecimal, decimal, octal, or ascii.",
	.run = hexdump_run,
	.opts = hexdump_options,
	.opts_size = sizeof(struct hexdump),
	.family = "util-linux 2.38.1",
	.defaults = hexdump_defaults,
	.flags = BUILTIN_WRITE_BARE,
};

const struct builtin builtin_hd = {
	.name = "hd",
	.usage = "[options] <file>...",
	.summary = "hexdump -C.",
	.run = hexdump_run,
	.opts = hexdump_options,
	.opts_size = sizeof(struct hexdump),
	.family = "util-linux 2.38.1",
	.defaults = hd_defaults,
	.flags = BUILTIN_WRITE_BARE,
};
