/* SPDX-License-Identifier: MIT
 *
 * ptx - a permuted index: every word of the input with what stands around it.
 */
#include "base/number.h"
#include "builtins/ptx/ptx.h"

static int set_size(struct cmd *c, int64_t *field, const char *what, const char *arg)
{
	struct bytes s = bytes_of(arg);
	bool overflow = false;
	size_t used = number_parse_i64(s, 0, field, &overflow);

	if (used == 0 || used != s.len || overflow || *field <= 0)
		cmd_fatal(c, 0, "invalid %s: %s", what, cmd_quote(c, arg));
	if (*field > PTX_WIDTH_MOST)
		*field = PTX_WIDTH_MOST;
	return 0;
}

static int set_width(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ptx_opts *o = c->opts;

	(void)opt;
	return set_size(c, &o->width, "line width", arg);
}

static int set_gap(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ptx_opts *o = c->opts;

	(void)opt;
	return set_size(c, &o->gap, "gap width", arg);
}

static const struct opt_word format_words[] = {
	{ "roff", FORMAT_ROFF },
	{ "tex", FORMAT_TEX },
	{ NULL, 0 },
};

static const struct opt ptx_options[] = {
	OPT_FLAG('A', "auto-reference", struct ptx_opts, auto_reference,
		 "write references made of file and line"),
	OPT_FLAG('G', "traditional", struct ptx_opts, traditional, "behave as System V's ptx"),
	OPT_STR('F', "flag-truncation", struct ptx_opts, truncation, "/", "STRING",
		"what tells that a field was cut (/)"),
	OPT_STR('M', "macro-name", struct ptx_opts, macro, "xx", "STRING",
		"name of the macro (xx)"),
	OPT_SET('O', NULL, struct ptx_opts, format, FORMAT_ROFF, "write roff directives"),
	OPT_ENUM(0, "format", struct ptx_opts, format, format_words, "WORD",
		 "roff or tex: the same as -O and -T"),
	OPT_FLAG('R', "right-side-refs", struct ptx_opts, right_reference,
		 "references stand at the right and do not count in -w"),
	OPT_STR('S', "sentence-regexp", struct ptx_opts, sentence, NULL, "REGEXP",
		"ends of lines or sentences"),
	OPT_SET('T', NULL, struct ptx_opts, format, FORMAT_TEX, "write TeX directives"),
	OPT_STR('W', "word-regexp", struct ptx_opts, word, NULL, "REGEXP",
		"what a keyword matches"),
	OPT_STR('b', "break-file", struct ptx_opts, break_file, NULL, "FILE",
		"the bytes of FILE end words"),
	OPT_FLAG('f', "ignore-case", struct ptx_opts, fold, "lower case sorts as upper case"),
	OPT_CALL_ARG('g', "gap-size", set_gap, "NUMBER", "columns between fields (3)"),
	OPT_STR('i', "ignore-file", struct ptx_opts, ignore_file, NULL, "FILE",
		"words that are no keywords"),
	OPT_STR('o', "only-file", struct ptx_opts, only_file, NULL, "FILE",
		"the only words that are keywords"),
	OPT_FLAG('r', "references", struct ptx_opts, input_reference,
		 "the first field of each line is its reference"),
	OPT_IGNORED('t', "typeset-mode", "without effect"),
	OPT_CALL_ARG('w', "width", set_width, "NUMBER",
		     "columns of a line, references excluded (72)"),
	OPT_END(),
};

static void set_defaults(struct cmd *c)
{
	struct ptx_opts *o = c->opts;

	o->width = 72;
	o->gap = 3;
}

/* "" is standard input, too. */
static struct bytes read_file(struct ptx *x, const char *path)
{
	struct bytes all;
	int err = cmd_read_all(x->c, *path != '\0' ? path : "-", &all);

	if (err < 0)
		cmd_fatal(x->c, err, "%s", cmd_quotef(x->c, path));
	return all;
}

static void read_words(struct ptx *x, const char *path, struct ptx_words *w)
{
	struct bytes all = read_file(x, path);

	for (size_t at = 0, end; at < all.len; at = end + 1) {
		const char *newline = memchr(all.ptr + at, '\n', all.len - at);

		end = newline != NULL ? (size_t)(newline - all.ptr) : all.len;
		if (end > at)
			ptx_add_word(x, w, bytes_slice(all, at, end));
		cmd_charge_bytes(x->c, end - at);
	}
	ptx_sort_words(x, w);
}

static void read_breaks(struct ptx *x, const char *path)
{
	struct bytes all = read_file(x, path);

	for (int i = 0; i < 256; i++)
		x->in_word[i] = true;
	for (size_t i = 0; i < all.len; i++)
		x->in_word[(unsigned char)all.ptr[i]] = false;
	cmd_charge_bytes(x->c, all.len);
	if (x->o->traditional)
		x->in_word[' '] = x->in_word['\t'] = x->in_word['\n'] = false;
}

/* Standard output becomes the second operand (-G). */
static void open_output(struct cmd *c, const char *path)
{
	int fd = cmd_open(c, CMD_CWD, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

	if (fd < 0)
		cmd_fatal(c, fd, "%s", cmd_quotef(c, path));
	if (fd != 1) {
		cmd_dup2(c, fd, 1);
		cmd_close(c, fd);
	}
}

static struct ptx_text *read_texts(struct ptx *x, size_t n)
{
	struct ptx_text *texts = arena_array(x->c->arena, n, sizeof(*texts));

	for (size_t i = 0; i < n; i++) {
		const char *name = x->c->files[i];

		texts[i].name = strcmp(name, "-") == 0 ? "" : name;
		texts[i].all = read_file(x, name);
		ptx_find_occurrences(x, &texts[i]);
	}
	return texts;
}

static int ptx_run(struct cmd *c)
{
	const struct ptx_opts *o = c->opts;
	struct ptx x = { .c = c, .o = o, .format = (enum ptx_format)o->format };
	size_t n = o->traditional ? 1 : (size_t)c->nfiles;

	if (o->traditional && c->nargs >= 2)
		open_output(c, c->args[1]);
	if (o->traditional && c->nargs > 2)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[2]));
	if (x.format == FORMAT_NONE)
		x.format = o->traditional ? FORMAT_ROFF : FORMAT_DUMB;
	x.references = o->auto_reference || o->input_reference;
	x.truncation = bytes_of(ptx_unescape(c, o->truncation));
	ptx_init_patterns(&x);
	if (o->break_file != NULL)
		read_breaks(&x, o->break_file);
	if (o->ignore_file != NULL)
		read_words(&x, o->ignore_file, &x.ignore);
	if (o->only_file != NULL)
		read_words(&x, o->only_file, &x.only);
	struct ptx_text *texts = read_texts(&x, n);

	ptx_sort_words(&x, &x.found);
	ptx_init_widths(&x, texts, n);
	ptx_put_occurrences(&x);
	return 0;
}

const struct builtin builtin_ptx = {
	.name = "ptx",
	.usage = "[OPTION]... [INPUT]...",
	.summary = "Writes a permuted index, with context, of the words of the files.",
	.run = ptx_run,
	.opts = ptx_options,
	.opts_size = sizeof(struct ptx_opts),
	.defaults = set_defaults,
};
