/* SPDX-License-Identifier: MIT
 *
 * paste - join the lines of files side by side, or the lines of each file into one.
 *
 * Delimiters of a row are held back until a file has a line: a row without any is not written.
 */
#include "builtins/builtin.h"

struct delim {
	char byte;
	bool empty; /* "\0" in the list: nothing */
};

struct paste_opts {
	const char *list;
	bool serial;
	bool zero;
	char end;
	struct delim *delim;
	size_t ndelims;
};

static const struct opt paste_options[] = {
	OPT_STR('d', "delimiters", struct paste_opts, list, "\\t", "LIST",
		"use these instead of tabs, one after the other"),
	OPT_FLAG('s', "serial", struct paste_opts, serial, "one file after the other, each a line"),
	OPT_FLAG('z', "zero-terminated", struct paste_opts, zero, "lines end with NUL"),
	OPT_END(),
};

static struct delim unescape(char letter)
{
	static const char letters[] = "bfnrtv";
	static const char values[] = "\b\f\n\r\t\v";
	const char *hit = strchr(letters, letter);

	if (letter == '0')
		return (struct delim){ .empty = true };
	return (struct delim){ .byte = hit != NULL ? values[hit - letters] : letter };
}

static int parse_list(struct cmd *c, struct paste_opts *o)
{
	size_t len = strlen(o->list);

	o->delim = arena_array(c->arena, len + 1, sizeof(*o->delim));
	for (size_t i = 0; i < len; i++) {
		if (o->list[i] != '\\') {
			o->delim[o->ndelims++] = (struct delim){ .byte = o->list[i] };
			continue;
		}
		if (++i == len)
			return cmd_error(c, 0,
					 "delimiter list ends with an unescaped backslash: %s",
					 o->list);
		o->delim[o->ndelims++] = unescape(o->list[i]);
	}
	if (o->ndelims == 0)
		o->delim[o->ndelims++] = (struct delim){ .empty = true };
	return 0;
}

/* --- side by side --- */

struct column {
	struct input own;
	struct input *in; /* standard input is shared by all "-"; NULL: at its end */
};

static void open_columns(struct cmd *c, struct column *columns)
{
	struct input *shared = NULL;

	for (int i = 0; i < c->nfiles; i++) {
		bool is_stdin = strcmp(c->files[i], "-") == 0;
		int err;

		columns[i].in = is_stdin && shared != NULL ? shared : &columns[i].own;
		if (is_stdin && shared != NULL)
			continue;
		err = input_open(&columns[i].own, c, c->files[i]);
		if (err < 0)
			cmd_fatal(c, err, "%s", cmd_quotef(c, c->files[i]));
		if (is_stdin)
			shared = &columns[i].own;
	}
}

static void put_pending(struct cmd *c, struct buf *pending)
{
	cmd_write(c, pending->ptr, pending->len);
	pending->len = 0;
}

/* One line of each: false when all files have ended. */
static bool put_row(struct cmd *c, const struct paste_opts *o, struct column *columns,
		    struct buf *pending, int *status)
{
	bool any = false;

	pending->len = 0;
	for (int i = 0; i < c->nfiles; i++) {
		struct bytes line = { NULL, 0 };
		int more = columns[i].in != NULL ? input_piece(columns[i].in, o->end, &line) : 0;
		const struct delim *d = &o->delim[(size_t)i % o->ndelims];

		if (more < 0)
			*status = cmd_error(c, more, "%s", cmd_quotef(c, c->files[i]));
		if (more <= 0)
			columns[i].in = NULL;
		if (more > 0 && !any)
			put_pending(c, pending);
		any |= more > 0;
		cmd_bytes(c, line);
		while (more > 0 && !columns[i].in->ended &&
		       (more = input_piece(columns[i].in, o->end, &line)) > 0)
			cmd_bytes(c, line);
		if (i + 1 == c->nfiles || d->empty)
			continue;
		if (any)
			cmd_putc(c, d->byte);
		else
			buf_putc(pending, d->byte);
	}
	if (any)
		cmd_putc(c, o->end);
	cmd_charge(c, (uint64_t)c->nfiles);
	return any;
}

static int paste_parallel(struct cmd *c, const struct paste_opts *o)
{
	struct column *columns = arena_array(c->arena, (size_t)c->nfiles, sizeof(*columns));
	struct buf pending = buf_in(c->arena);
	int status = 0;

	open_columns(c, columns);
	while (put_row(c, o, columns, &pending, &status))
		;
	return status;
}

/* --- one after the other --- */

static int paste_file(struct input *in, void *arg)
{
	const struct paste_opts *o = arg;
	struct bytes line;
	size_t n = 0;
	bool begins = true; /* a line */
	int more;

	while ((more = input_piece(in, o->end, &line)) > 0) {
		if (begins && n > 0 && !o->delim[(n - 1) % o->ndelims].empty)
			cmd_putc(in->c, o->delim[(n - 1) % o->ndelims].byte);
		cmd_bytes(in->c, line);
		begins = in->ended;
		n += begins;
	}
	cmd_putc(in->c, o->end);
	return more;
}

static int paste_run(struct cmd *c)
{
	struct paste_opts *o = c->opts;
	int status = parse_list(c, o);

	if (status != 0)
		return status;
	o->end = o->zero ? '\0' : '\n';
	return o->serial ? cmd_each_file(c, paste_file, o) : paste_parallel(c, o);
}

const struct builtin builtin_paste = {
	.name = "paste",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes lines made of the corresponding lines of each file, tabs between them.",
	.run = paste_run,
	.opts = paste_options,
	.opts_size = sizeof(struct paste_opts),
};
