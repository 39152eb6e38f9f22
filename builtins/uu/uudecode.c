/* SPDX-License-Identifier: MIT
 *
 * uudecode - make the file that uuencode wrote as text.
 *
 * What precedes the line "begin" is passed over; what follows "end" is not looked at. Characters
 * that are missing at the end of a line are taken as zeros.
 */
#include "builtins/uu/uu.h"

enum { BAD_STATUS = 2, NO_FILE_STATUS = 4, OUTPUT_STATUS = 8 };

struct uudecode_opts {
	const char *output;
};

static const struct opt uudecode_options[] = {
	OPT_STR('o', "output-file", struct uudecode_opts, output, NULL, "FILE",
		"write to FILE, whatever its name in the text"),
	OPT_IGNORED('c', "ignore-chmod", NULL),
	OPT_END(),
};

struct decoder {
	struct cmd *c;
	struct input in;
	struct output out;
	const char *source; /* for messages */
};

struct head {
	bool base64;
	uint32_t mode;
	const char *name;
};

static bool next_line(struct decoder *d, struct bytes *line)
{
	int got = input_line(&d->in, '\n', line);

	if (got < 0)
		uu_fatal(d->c, BAD_STATUS, "fserr %d (%s) performing 'read' on %s\n", -got,
			 err_text(got), d->source);
	cmd_charge_bytes(d->c, line->len);
	if (got > 0 && bytes_ends(*line, BYTES("\r")))
		line->len--;
	return got > 0;
}

/* --- base 64 --- */

static int base64_value(char ch)
{
	const char *hit = ch != '\0' ? strchr(uu_base64, ch) : NULL;

	return hit != NULL ? (int)(hit - uu_base64) : -1;
}

/* A line as bytes; false if a character is none of the alphabet. */
static bool decode_base64(struct bytes s, struct buf *out)
{
	uint32_t v = 0;
	unsigned bits = 0;

	for (size_t i = 0; i < s.len; i++) {
		int six = base64_value(s.ptr[i]);

		if (s.ptr[i] == '=')
			return true;
		if (six < 0)
			return false;
		v = (v << 6 | (uint32_t)six) & 0xffffff;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			buf_putc(out, (char)(v >> bits));
		}
	}
	return true;
}

/* The bytes up to the error are written first. */
_Noreturn static void bad(struct decoder *d, const char *text)
{
	output_flush(&d->out);
	uu_fatal(d->c, BAD_STATUS, "%s: %s", d->source, text);
}

static void read_base64(struct decoder *d)
{
	struct cmd *c = d->c;
	struct bytes line;

	while (next_line(d, &line)) {
		struct arena_mark mark = arena_mark(c->arena);
		struct buf bytes = buf_in(c->arena);

		if (bytes_starts(line, BYTES("====")))
			return;
		if (!decode_base64(line, &bytes))
			bad(d, "invalid input");
		output_write(&d->out, bytes.ptr, bytes.len);
		arena_release(c->arena, mark);
	}
	output_flush(&d->out);
	uu_fatal(c, BAD_STATUS,
		 "fserr 2 (No such file or directory) performing '%%s: Short file' "
		 "on %s\n",
		 d->source);
}

/* --- uu --- */

static unsigned uu_value(struct bytes line, size_t at)
{
	return at < line.len ? ((unsigned char)line.ptr[at] - 32u) & 63 : 0;
}

static void put_line(struct decoder *d, struct bytes line, size_t n)
{
	for (size_t i = 0; i < n; i += 3) {
		size_t at = 1 + i / 3 * 4;
		uint32_t v = uu_value(line, at) << 18 | uu_value(line, at + 1) << 12 |
			     uu_value(line, at + 2) << 6 | uu_value(line, at + 3);

		for (unsigned k = 0; k < 3 && i + k < n; k++)
			output_putc(&d->out, (char)(v >> (16 - 8 * k)));
	}
}

static void read_uu(struct decoder *d)
{
	struct bytes line;

	for (;;) {
		if (!next_line(d, &line))
			bad(d, "Short file");
		unsigned n = uu_value(line, 0);

		if (n == 0)
			break;
		put_line(d, line, n);
	}
	if (!next_line(d, &line) || !bytes_is(line, "end"))
		bad(d, "No `end' line");
}

/* --- the first line --- */

/* "begin[-base64][-encoded] MODE NAME" */
static bool parse_head(struct cmd *c, struct bytes line, struct head *h)
{
	struct buf name = buf_in(c->arena);
	bool encoded;
	size_t at = 5;
	size_t digits = 0;

	if (!bytes_starts(line, BYTES("begin")))
		return false;
	struct bytes rest = bytes_slice(line, at, line.len);

	h->base64 = bytes_starts(rest, BYTES("-base64"));
	at += h->base64 ? 7 : 0;
	rest = bytes_slice(line, at, line.len);
	encoded = bytes_starts(rest, BYTES("-encoded"));
	at += encoded ? 8 : 0;
	if (at >= line.len || line.ptr[at] != ' ')
		return false;
	h->mode = 0;
	for (at++; at < line.len && line.ptr[at] >= '0' && line.ptr[at] <= '7' && digits < 6;
	     at++) {
		h->mode = h->mode * 8 + (uint32_t)byte_digit(line.ptr[at]);
		digits++;
	}
	if (digits == 0 || at + 1 >= line.len || line.ptr[at] != ' ')
		return false;
	rest = bytes_slice(line, at + 1, line.len);
	if (!encoded)
		buf_add(&name, rest);
	else if (!decode_base64(rest, &name))
		return false;
	h->name = buf_cstr(&name);
	return true;
}

/* ~/x is below HOME. */
static const char *expand_home(struct cmd *c, const char *name)
{
	const char *home = cmd_getenv(c, "HOME");
	struct buf out = buf_in(c->arena);

	if (strncmp(name, "~/", 2) != 0 || home == NULL)
		return name;
	buf_printf(&out, "%s%s", home, name + 1);
	return buf_cstr(&out);
}

static void open_output(struct decoder *d, const struct head *h)
{
	const struct uudecode_opts *o = d->c->opts;
	const char *name = o->output != NULL ? o->output : expand_home(d->c, h->name);

	if (strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0) {
		output_init(&d->out, d->c, 1, false);
		return;
	}
	int err = output_open(&d->out, d->c, name, O_TRUNC_, false);

	if (err < 0)
		uu_fatal(d->c, OUTPUT_STATUS, "fserr %d (%s) performing '%s' on %s\n", -err,
			 err_text(err), o->output != NULL ? "freopen-ing for stdout" : "freopen",
			 name);
	cmd_chmod(d->c, CMD_CWD, name, h->mode & 0777, 0);
}

static int decode(struct cmd *c, const char *path)
{
	struct decoder d = { .c = c, .source = path };
	struct head h;
	struct bytes line;
	int err = input_open(&d.in, c, path);

	if (strcmp(path, "-") == 0)
		d.source = "standard input";
	if (err < 0) {
		cmd_error(c, err, "%s", path);
		return NO_FILE_STATUS;
	}
	do {
		if (!next_line(&d, &line))
			uu_fatal(c, BAD_STATUS, "%s: Invalid or missing 'begin' line\n", d.source);
	} while (!parse_head(c, line, &h));
	open_output(&d, &h);
	if (h.base64)
		read_base64(&d);
	else
		read_uu(&d);
	if (d.out.fd == 1)
		output_flush(&d.out);
	else
		output_close(&d.out);
	input_close(&d.in);
	return 0;
}

static int uudecode_run(struct cmd *c)
{
	int status = 0;

	for (int i = 0; i < c->nfiles; i++)
		status |= decode(c, c->files[i]);
	return status;
}

const struct builtin builtin_uudecode = {
	.name = "uudecode",
	.usage = "[-o FILE] [FILE]...",
	.summary = "Makes the files that the text of uuencode holds.",
	.run = uudecode_run,
	.opts = uudecode_options,
	.opts_size = sizeof(struct uudecode_opts),
	.flags = BUILTIN_STOP,
	.family = "GNU sharutils 4.15.2",
};
