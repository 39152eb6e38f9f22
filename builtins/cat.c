/* SPDX-License-Identifier: MIT
 *
 * cat - write files one after the other.
 *
 * Without options bytes go straight from the file's pages to the output; with options each
 * line is looked at, and numbers and blank runs carry over from file to file.
 */
#include "builtins/builtin.h"

struct cat_opts {
	bool number;      /* -n */
	bool number_text; /* -b */
	bool squeeze;     /* -s */
	bool ends;        /* -E */
	bool tabs;        /* -T */
	bool visible;     /* -v */
	/* state over all files */
	bool in_line;  /* the output stands within a line */
	bool blank;    /* the last line was blank */
	bool carriage; /* -E: a '\r' waits for what follows */
	uint64_t line;
};

static int set_letters(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cat_opts *cat = c->opts;
	int letter = o->letter;

	(void)arg;
	cat->ends |= letter == 'A' || letter == 'e';
	cat->tabs |= letter == 'A' || letter == 't';
	cat->visible = true;
	return 0;
}

static const struct opt cat_options[] = {
	OPT_FLAG('b', "number-nonblank", struct cat_opts, number_text, "number lines with text"),
	OPT_FLAG('n', "number", struct cat_opts, number, "number all lines"),
	OPT_FLAG('s', "squeeze-blank", struct cat_opts, squeeze, "one blank line for several"),
	OPT_FLAG('v', "show-nonprinting", struct cat_opts, visible, "use ^X and M-X notation"),
	OPT_FLAG('E', "show-ends", struct cat_opts, ends, "write $ at the end of each line"),
	OPT_FLAG('T', "show-tabs", struct cat_opts, tabs, "write tabs as ^I"),
	OPT_CALL('A', "show-all", set_letters, "the same as -vET"),
	OPT_CALL('e', NULL, set_letters, "the same as -vE"),
	OPT_CALL('t', NULL, set_letters, "the same as -vT"),
	OPT_IGNORED('u', NULL, "no effect"),
	OPT_END(),
};

static void put_number(struct cmd *c, struct cat_opts *o)
{
	char digits[20];
	size_t len = num_format_u64(++o->line, digits);

	for (size_t pad = len; pad < 6; pad++)
		cmd_putc(c, ' ');
	cmd_write(c, digits, len);
	cmd_putc(c, '\t');
}

static void put_visible(struct cmd *c, const struct cat_opts *o, unsigned char byte)
{
	if (byte == '\t') {
		cmd_puts(c, o->tabs ? "^I" : "\t");
		return;
	}
	if (o->visible && byte >= 0x80) {
		cmd_puts(c, "M-");
		byte &= 0x7f;
	}
	if (o->visible && (byte < 0x20 || byte == 0x7f)) {
		cmd_putc(c, '^');
		byte ^= 0x40;
	}
	cmd_putc(c, (char)byte);
}

/* Part of a line, without its newline. */
static void put_text(struct cmd *c, struct cat_opts *o, struct bytes s)
{
	if (o->carriage) {
		cmd_putc(c, '\r');
		o->carriage = false;
	}
	if (!o->visible && !o->tabs) {
		cmd_bytes(c, s);
		return;
	}
	for (size_t i = 0; i < s.len; i++)
		put_visible(c, o, (unsigned char)s.ptr[i]);
}

static void end_line(struct cmd *c, struct cat_opts *o)
{
	if (o->carriage)
		cmd_puts(c, "^M");
	o->carriage = false;
	if (o->ends)
		cmd_putc(c, '$');
	cmd_putc(c, '\n');
	o->in_line = false;
}

/* Text up to a newline (ends: with it) or up to the end of a block. */
static void put_part(struct cmd *c, struct cat_opts *o, struct bytes s, bool ends)
{
	bool blank = !o->in_line && s.len == 0 && ends;

	if (blank && o->blank && o->squeeze)
		return;
	if (!o->in_line) {
		if (o->number_text ? !blank : o->number)
			put_number(c, o);
		o->blank = blank;
		o->in_line = true;
	}
	bool hold = o->ends && !o->visible && s.len > 0 && s.ptr[s.len - 1] == '\r';

	if (s.len > 0)
		put_text(c, o, bytes_slice(s, 0, s.len - hold));
	o->carriage |= hold;
	if (ends)
		end_line(c, o);
}

static int put_lines(struct input *in, struct cat_opts *o)
{
	struct cmd *c = in->c;
	struct bytes block;
	int more;

	while ((more = input_chunk(in, &block)) > 0) {
		cmd_charge_bytes(c, block.len);
		for (size_t at = 0; at < block.len;) {
			const char *end = memchr(block.ptr + at, '\n', block.len - at);
			size_t to = end != NULL ? (size_t)(end - block.ptr) : block.len;

			put_part(c, o, bytes_slice(block, at, to), end != NULL);
			at = to + (end != NULL);
		}
	}
	return more;
}

static int put_plain(struct input *in)
{
	struct bytes block;
	int more;

	while ((more = input_chunk(in, &block)) > 0) {
		cmd_bytes(in->c, block);
		cmd_flush(in->c);
		cmd_charge_bytes(in->c, block.len);
	}
	return more;
}

/* A regular file that is also the output would grow for ever. */
static bool is_output(struct input *in)
{
	struct vfs_stat file;
	struct vfs_stat out;

	if (cmd_fstat(in->c, in->fd, &file) != 0 || cmd_fstat(in->c, 1, &out) != 0)
		return false;
	if ((out.mode & S_FMT) != S_REG || file.ino != out.ino || file.dev != out.dev)
		return false;
	return cmd_seek(in->c, in->fd, 0, 1) < (int64_t)file.size;
}

static int cat_file(struct input *in, void *arg)
{
	struct cat_opts *o = arg;
	bool plain = !(o->number || o->number_text || o->squeeze || o->ends || o->tabs ||
		       o->visible);

	if (is_output(in)) {
		cmd_error(in->c, 0, "%s: input file is output file", cmd_quotef(in->c, in->name));
		return 1;
	}
	return plain ? put_plain(in) : put_lines(in, o);
}

/* As GNU's cat, which closes what it has read. */
static int close_stdin(struct cmd *c)
{
	bool used = false;
	int err;

	for (int i = 0; i < c->nfiles; i++)
		used |= strcmp(c->files[i], "-") == 0;
	err = used ? cmd_close(c, 0) : 0;
	return err < 0 ? cmd_error(c, err, "closing standard input") : 0;
}

static int cat_run(struct cmd *c)
{
	const struct cat_opts *o = c->opts;
	int status = cmd_each_file(c, cat_file, c->opts);

	/* The newline that makes it ^M could have been the next file's. */
	if (o->carriage)
		cmd_putc(c, '\r');
	return status | close_stdin(c);
}

const struct builtin builtin_cat = {
	.name = "cat",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the files, or standard input (also as -), one after the other.",
	.run = cat_run,
	.opts = cat_options,
	.opts_size = sizeof(struct cat_opts),
};
