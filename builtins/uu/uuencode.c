/* SPDX-License-Identifier: MIT
 *
 * uuencode - write a file as lines of printable characters, in uu's alphabet or base 64.
 */
#include "builtins/uu/uu.h"

enum { LINE_BYTES = 45, USAGE_STATUS = 64, FILE_STATUS = 1 };

struct uuencode_opts {
	bool base64;
	bool encode_name;
};

static const struct opt uuencode_options[] = {
	OPT_FLAG('m', "base64", struct uuencode_opts, base64, "in base 64"),
	OPT_FLAG('e', "encode-file-name", struct uuencode_opts, encode_name,
		 "the name in base 64, too"),
	OPT_END(),
};

const char uu_base64[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void uu_fatal(struct cmd *c, int status, const char *format, ...)
{
	struct buf text = buf_in(c->arena);
	va_list args;

	buf_printf(&text, "%s fatal error:\n", c->b->name);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	cmd_flush(c);
	cmd_err_write(c, text.ptr, text.len);
	cmd_exit(c, status);
}

static char uu_char(unsigned v)
{
	return (char)(v == 0 ? '`' : v + ' ');
}

/* Three bytes as four characters; base 64 marks those that are not there. */
static void put_group(struct buf *out, const uint8_t *at, size_t n, bool base64)
{
	uint32_t v = (uint32_t)at[0] << 16 | (n > 1 ? (uint32_t)at[1] << 8 : 0) |
		     (n > 2 ? at[2] : 0);

	for (unsigned i = 0; i < 4; i++) {
		unsigned six = v >> (18 - 6 * i) & 63;

		buf_putc(out, !base64 ? uu_char(six) : i > n ? '=' : uu_base64[six]);
	}
}

static void put_groups(struct buf *out, const uint8_t *at, size_t n, bool base64)
{
	for (size_t i = 0; i < n; i += 3)
		put_group(out, at + i, n - i < 3 ? n - i : 3, base64);
}

static void put_line(struct cmd *c, const uint8_t *at, size_t n, bool base64)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf line = buf_in(c->arena);

	if (!base64)
		buf_putc(&line, uu_char((unsigned)n));
	put_groups(&line, at, n, base64);
	buf_putc(&line, '\n');
	cmd_bytes(c, buf_bytes(&line));
	cmd_charge(c, 4);
	arena_release(c->arena, mark);
}

static void put_head(struct cmd *c, uint32_t mode, struct bytes name)
{
	const struct uuencode_opts *o = c->opts;
	struct buf line = buf_in(c->arena);

	buf_printf(&line, "begin%s%s %03o ", o->base64 ? "-base64" : "",
		   o->encode_name ? "-encoded" : "", mode & 0777);
	if (o->encode_name)
		put_groups(&line, (const uint8_t *)name.ptr, name.len, true);
	else
		buf_add(&line, name);
	buf_putc(&line, '\n');
	cmd_bytes(c, buf_bytes(&line));
}

static void encode(struct cmd *c, struct input *in, bool base64)
{
	uint8_t held[LINE_BYTES];
	size_t n = 0;
	int ch;

	while ((ch = input_byte(in)) >= 0) {
		held[n++] = (uint8_t)ch;
		if (n == LINE_BYTES) {
			put_line(c, held, n, base64);
			n = 0;
		}
	}
	if (n > 0)
		put_line(c, held, n, base64);
	cmd_puts(c, base64 ? "====\n" : "`\nend\n");
}

static int uuencode_run(struct cmd *c)
{
	const struct uuencode_opts *o = c->opts;
	struct vfs_stat st = { .mode = 0666 & ~cmd_umask(c) };
	struct input in;

	if (c->nargs != 1 && c->nargs != 2)
		return cmd_usage(c, "a name, or a file and a name are needed");
	int err = input_open(&in, c, c->nargs == 2 ? c->args[0] : "-");

	if (err < 0)
		uu_fatal(c, FILE_STATUS, "fserr %d (%s) performing 'freopen of stdin' on %s\n",
			 -err, err_text(err), c->args[0]);
	if (c->nargs == 2)
		cmd_fstat(c, in.fd, &st);
	put_head(c, st.mode, bytes_of(c->args[c->nargs - 1]));
	encode(c, &in, o->base64);
	return 0;
}

const struct builtin builtin_uuencode = {
	.name = "uuencode",
	.usage = "[-em] [FILE] NAME",
	.summary = "Writes FILE, or standard input, as text that uudecode makes NAME of.",
	.run = uuencode_run,
	.opts = uuencode_options,
	.opts_size = sizeof(struct uuencode_opts),
	.flags = BUILTIN_STOP,
	.usage_status = USAGE_STATUS,
	.family = "GNU sharutils 4.15.2",
};
