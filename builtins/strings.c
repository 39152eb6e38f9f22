/* SPDX-License-Identifier: MIT
 *
 * strings - write the printable runs of files.
 *
 * Characters of one, two or four bytes, or UTF-8 (-U); where one is not printable the search goes
 * on one byte further. A run is kept until it is long enough, then written as it is read. Of ELF
 * files -d looks into the sections that are loaded (layout: elf(5)).
 */
#include "builtins/builtin.h"

/* What a byte is where characters are bytes. */
enum byte_kind { BYTE_STARTS, BYTE_GRAPHIC, BYTE_OTHER };

enum unicode { UNICODE_NOT, UNICODE_LOCALE, UNICODE_ESCAPE, UNICODE_HEX };

struct strings_opts {
	uint64_t least;
	char radix; /* 0: no offsets */
	char encoding;
	bool names;
	bool spaces;
	bool data; /* -d */
	enum unicode unicode;
	const char *separator;
	/* state */
	size_t size; /* of a character */
	bool big;
	uint8_t kind[256]; /* enum byte_kind; BYTE_STARTS: to be looked at with what follows */
	const char *name;
	struct buf run;
	uint64_t length; /* of the run, in characters */
	bool writing;
	uint64_t start; /* of the run */
};

static int set_least(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct strings_opts *o = c->opts;
	int64_t value;

	(void)opt;
	if (num_parse_i64(arg, "", &value) != 0)
		return cmd_error(c, 0, "invalid integer argument %s", arg);
	if (value == 0)
		return cmd_error(c, 0, "invalid minimum string length 0");
	/* A negative one is a large one. */
	o->least = (uint64_t)value;
	return 0;
}

static int set_digit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct strings_opts *o = c->opts;

	(void)opt;
	o->least = 0;
	for (; *arg != '\0' && o->least < UINT32_MAX; arg++)
		o->least = o->least * 10 + (uint64_t)(*arg - '0');
	return 0;
}

static int set_radix(struct cmd *c, const struct opt *opt, const char *arg)
{
	if (arg != NULL && (arg[0] == '\0' || strchr("odx", arg[0]) == NULL || arg[1] != '\0'))
		return cmd_usage(c, "invalid radix -- '%s'", arg);
	((struct strings_opts *)c->opts)->radix = opt->letter == 'o' ? 'o' : arg[0];
	return 0;
}

static int set_encoding(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (arg[0] == '\0' || strchr("sSblBL", arg[0]) == NULL || arg[1] != '\0')
		return cmd_usage(c, "invalid encoding -- '%s'", arg);
	((struct strings_opts *)c->opts)->encoding = arg[0];
	return 0;
}

static int set_unicode(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct {
		const char *name;
		char letter;
		enum unicode how;
	} words[] = {
		{ "default", 'd', UNICODE_NOT },      { "invalid", 'i', UNICODE_NOT },
		{ "locale", 'l', UNICODE_LOCALE },    { "show", 's', UNICODE_LOCALE },
		{ "escape", 'e', UNICODE_ESCAPE },    { "hex", 'x', UNICODE_HEX },
		{ "highlight", 'h', UNICODE_ESCAPE }, /* coloured on terminals */
	};

	(void)opt;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(arg, words[i].name) != 0 &&
		    (arg[0] != words[i].letter || arg[1] != '\0'))
			continue;
		((struct strings_opts *)c->opts)->unicode = words[i].how;
		return 0;
	}
	return cmd_error(c, 0, "invalid argument to -U/--unicode: %s", arg);
}

static int set_all(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt, (void)arg;
	((struct strings_opts *)c->opts)->data = false;
	return 0;
}

static const struct opt strings_options[] = {
	OPT_CALL('a', "all", set_all, "the whole file (default)"),
	OPT_FLAG('d', "data", struct strings_opts, data, "what is loaded of ELF files"),
	OPT_FLAG('f', "print-file-name", struct strings_opts, names, "names before strings"),
	OPT_CALL_ARG('n', "bytes", set_least, "NUMBER", "the least length (4)"),
	OPT_CALL_ARG('t', "radix", set_radix, "RADIX", "offsets: o, d or x"),
	OPT_FLAG('w', "include-all-whitespace", struct strings_opts, spaces,
		 "newlines and such are part of strings"),
	OPT_CALL('o', NULL, set_radix, "--radix=o"),
	OPT_IGNORED_ARG('T', "target", "NAME", "no effect"),
	OPT_CALL_ARG('e', "encoding", set_encoding, "ENCODING",
		     "s, S: 7, 8 bits; b, l: 16 bits, big or little endian; B, L: 32"),
	OPT_CALL_ARG('U', "unicode", set_unicode, "HOW",
		     "characters in UTF-8: default, locale, escape, hex, highlight"),
	OPT_STR('s', "output-separator", struct strings_opts, separator, "\n", "TEXT",
		"between strings"),
	OPT_DIGIT(set_digit),
	OPT_END(),
};

static bool is_graphic(const struct strings_opts *o, uint32_t ch)
{
	if (ch > 255)
		return false;
	return byte_is_print((int)ch) || ch == '\t' || (o->spaces && byte_is_space((int)ch)) ||
	       (o->encoding == 'S' && ch > 127);
}

static void start_run(struct cmd *c, struct strings_opts *o)
{
	struct buf text = buf_in(c->arena);

	o->writing = true;
	if (o->names)
		cmd_printf(c, "%s: ", o->name);
	if (o->radix == 'o')
		buf_printf(&text, "%7llo ", (unsigned long long)o->start);
	else if (o->radix == 'x')
		buf_printf(&text, "%7llx ", (unsigned long long)o->start);
	else if (o->radix == 'd')
		buf_printf(&text, "%7llu ", (unsigned long long)o->start);
	cmd_bytes(c, buf_bytes(&text));
	cmd_bytes(c, buf_bytes(&o->run));
}

static void put_char(struct cmd *c, struct strings_opts *o, struct bytes ch, uint64_t at)
{
	if (o->writing) {
		cmd_bytes(c, ch);
		return;
	}
	if (o->length++ == 0)
		o->start = at;
	buf_add(&o->run, ch);
	if (o->length >= o->least)
		start_run(c, o);
}

static void end_run(struct cmd *c, struct strings_opts *o)
{
	if (o->writing)
		cmd_puts(c, o->separator);
	o->writing = false;
	o->run.len = 0;
	o->length = 0;
}

/* How many bytes a character of UTF-8 has that begins so; 0: none does, 1: ASCII. Overlong ones
 * and those beyond Unicode count, too. */
static size_t utf8_size(uint8_t first)
{
	if (first < 0x80)
		return 1;
	return first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static void put_utf8(struct cmd *c, struct strings_opts *o, const uint8_t *s, size_t n, uint64_t at)
{
	uint32_t code = s[0] & (0x7f >> n);
	struct buf text = buf_in(c->arena);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | (s[i] & 0x3f);
	if (o->unicode == UNICODE_ESCAPE) {
		buf_printf(&text, "\\u%04x", code);
	} else if (o->unicode == UNICODE_HEX) {
		buf_puts(&text, "<0x");
		for (size_t i = 0; i < n; i++)
			buf_printf(&text, "%02x", s[i]);
		buf_putc(&text, '>');
	} else {
		buf_add(&text, (struct bytes){ (const char *)s, n });
	}
	put_char(c, o, buf_bytes(&text), at);
}

static uint32_t join(const struct strings_opts *o, const uint8_t *at)
{
	uint32_t v = 0;

	for (size_t i = 0; i < o->size; i++)
		v = v << 8 | at[o->big ? i : o->size - 1 - i];
	return v;
}

/* Bytes that were read and belong to no character yet. */
struct window {
	uint8_t byte[4];
	size_t have;
	uint64_t at; /* in the file */
};

/* Takes a character off the window, or a byte that is none. False: it may go on. */
static bool take_char(struct cmd *c, struct strings_opts *o, struct window *w, bool end)
{
	size_t n = o->size;
	size_t used = 1;
	bool whole = true;

	if (o->unicode != UNICODE_NOT && n == 1 && w->byte[0] >= 0x80) {
		n = utf8_size(w->byte[0]);
		for (size_t i = 1; i < n && i < w->have; i++)
			whole &= (w->byte[i] & 0xc0) == 0x80;
		n = whole ? n : 0;
	}
	if (w->have < n && !end)
		return false;
	if (n > 1 && n <= w->have && o->size == 1) {
		put_utf8(c, o, w->byte, n, w->at);
		used = n;
	} else if (n != 0 && o->size <= w->have && is_graphic(o, join(o, w->byte))) {
		char ch = (char)join(o, w->byte);

		put_char(c, o, (struct bytes){ &ch, 1 }, w->at);
		used = o->size;
	} else {
		end_run(c, o);
	}
	w->at += used;
	w->have -= used;
	memmove(w->byte, w->byte + used, w->have);
	return true;
}

static void find_kinds(struct strings_opts *o)
{
	unsigned bytes = o->unicode != UNICODE_NOT ? 0x80 : 0x100;

	for (unsigned b = 0; o->size == 1 && b < bytes; b++)
		o->kind[b] = is_graphic(o, b) ? BYTE_GRAPHIC : BYTE_OTHER;
}

/* Goes on in a run that is being written, or where there is none. How many bytes. */
static size_t skip_bytes(struct cmd *c, const struct strings_opts *o, struct window *w,
			 struct bytes part, size_t from)
{
	enum byte_kind kind = o->writing ? BYTE_GRAPHIC : BYTE_OTHER;
	size_t i = from;

	if (w->have != 0 || (o->length != 0 && !o->writing))
		return 0;
	while (i < part.len && o->kind[(unsigned char)part.ptr[i]] == kind)
		i++;
	if (o->writing)
		cmd_write(c, part.ptr + from, i - from);
	w->at += i - from;
	return i - from;
}

static void scan_bytes(struct cmd *c, struct strings_opts *o, struct window *w, struct bytes part)
{
	for (size_t i = 0; i < part.len; i++) {
		i += skip_bytes(c, o, w, part, i);
		if (i == part.len)
			break;
		w->byte[w->have++] = (uint8_t)part.ptr[i];
		while (w->have > 0 && take_char(c, o, w, false))
			;
	}
	cmd_charge_bytes(c, part.len * 4);
}

static void scan_end(struct cmd *c, struct strings_opts *o, struct window *w)
{
	while (w->have > 0)
		take_char(c, o, w, true);
	end_run(c, o);
}

static int scan(struct input *in, void *arg)
{
	struct strings_opts *o = arg;
	struct window w = { .have = 0 };
	struct bytes part;
	int more;

	o->name = in->is_stdin ? "{standard input}" : in->name;
	end_run(in->c, o);
	while ((more = input_block(in, &part)) > 0)
		scan_bytes(in->c, o, &w, part);
	scan_end(in->c, o, &w);
	return more;
}

/* --- sections of ELF files --- */

struct elf {
	int fd;
	bool wide; /* 64 bits */
	bool big;
	uint64_t shoff;
	uint64_t shentsize;
	uint64_t shnum;
};

static uint64_t number(const struct elf *e, const uint8_t *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | at[e->big ? i : n - 1 - i];
	return v;
}

static bool read_elf(struct cmd *c, struct elf *e)
{
	enum { CORE = 4 };
	uint8_t h[64];
	int64_t n = cmd_pread(c, e->fd, (char *)h, sizeof h, 0);

	if (n < 52 || memcmp(h, "\177ELF", 4) != 0 || h[4] < 1 || h[4] > 2 || h[5] < 1 || h[5] > 2)
		return false;
	e->wide = h[4] == 2;
	e->big = h[5] == 2;
	if (e->wide && n < 64)
		return false;
	e->shoff = e->wide ? number(e, h + 40, 8) : number(e, h + 32, 4);
	e->shentsize = number(e, h + (e->wide ? 58 : 46), 2);
	e->shnum = number(e, h + (e->wide ? 60 : 48), 2);
	return number(e, h + 16, 2) != CORE && e->shentsize >= (e->wide ? 64 : 40);
}

static int scan_section(struct cmd *c, struct strings_opts *o, int fd, uint64_t from, uint64_t size)
{
	struct window w = { .at = from };
	char block[4096];

	while (size > 0) {
		size_t want = size < sizeof block ? (size_t)size : sizeof block;
		int64_t n = cmd_pread(c, fd, block, want, from);

		if (n < 0)
			return (int)n;
		if (n == 0)
			break;
		scan_bytes(c, o, &w, (struct bytes){ block, (size_t)n });
		from += (uint64_t)n;
		size -= (uint64_t)n;
	}
	scan_end(c, o, &w);
	return 0;
}

/* The sections of a file that are loaded; false if it has none, and is to be looked at whole. */
static bool scan_sections(struct cmd *c, struct strings_opts *o, const char *name, int *err)
{
	enum { NOBITS = 8, ALLOC = 2 };
	struct elf e = { .fd = cmd_open(c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0) };
	bool found = false;

	if (e.fd < 0)
		return false;
	o->name = name;
	if (!read_elf(c, &e))
		e.shnum = 0;
	for (uint64_t i = 0; i < e.shnum && *err >= 0; i++) {
		uint8_t s[64];
		size_t size = e.wide ? 64 : 40;
		int64_t n = cmd_pread(c, e.fd, (char *)s, size, e.shoff + i * e.shentsize);
		uint64_t flags = e.wide ? number(&e, s + 8, 8) : number(&e, s + 8, 4);

		cmd_charge(c, 4);
		if (n != (int64_t)size)
			break;
		if (!(flags & ALLOC) || number(&e, s + 4, 4) == NOBITS)
			continue;
		found = true;
		*err = scan_section(c, o, e.fd,
				    e.wide ? number(&e, s + 24, 8) : number(&e, s + 16, 4),
				    e.wide ? number(&e, s + 32, 8) : number(&e, s + 20, 4));
	}
	cmd_close(c, e.fd);
	return found;
}

static int strings_run(struct cmd *c)
{
	struct strings_opts *o = c->opts;
	int status = 0;

	if (o->unicode != UNICODE_NOT)
		o->encoding = 's';
	o->size = strchr("bl", o->encoding) != NULL ? 2 : strchr("BL", o->encoding) != NULL ? 4 : 1;
	o->big = byte_is_upper(o->encoding) ? o->encoding == 'B' : o->encoding == 'b';
	if (o->least == 0)
		return cmd_error(c, 0, "invalid minimum string length 0");
	find_kinds(o);
	o->run = buf_in(c->arena);
	for (int i = 0; i < c->nfiles; i++) {
		const char *name = c->files[i];
		struct vfs_stat st;
		struct input in;

		/* "-" is -a: it is no file. */
		if (strcmp(name, "-") == 0 && c->nargs == 1)
			return cmd_usage(c, NULL);
		if (strcmp(name, "-") == 0 && c->nargs > 1)
			continue;
		int err = strcmp(name, "-") != 0 ? cmd_stat(c, name, &st) : 0;

		if (err == -E_NOENT) {
			status = cmd_error(c, 0, "'%s': No such file", name);
			continue;
		}
		if (err == 0 && strcmp(name, "-") != 0 && (st.mode & S_FMT) == S_DIR) {
			status = cmd_error(c, 0, "Warning: '%s' is a directory", name);
			continue;
		}
		if (err == 0 && o->data && strcmp(name, "-") != 0 &&
		    scan_sections(c, o, name, &err)) {
			if (err < 0)
				status = cmd_error(c, err, "%s", name);
			continue;
		}
		err = err < 0 ? err : input_open(&in, c, name);
		if (err < 0) {
			status = cmd_error(c, err, "%s", name);
			continue;
		}
		err = scan(&in, o);
		input_close(&in);
		if (err < 0)
			status = cmd_error(c, err, "%s", name);
	}
	return status;
}

static void strings_defaults(struct cmd *c)
{
	struct strings_opts *o = c->opts;

	o->least = 4;
	o->encoding = 's';
}

const struct builtin builtin_strings = {
	.name = "strings",
	.usage = "[option(s)] [file(s)]",
	.summary = "Writes the printable strings in files.",
	.run = strings_run,
	.opts = strings_options,
	.opts_size = sizeof(struct strings_opts),
	.family = "GNU strings (GNU Binutils) 2.40",
	.version = "GNU strings (GNU Binutils for Debian) 2.40",
	.defaults = strings_defaults,
};
