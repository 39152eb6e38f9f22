/* SPDX-License-Identifier: MIT
 *
 * tac - write the records of each file, last record first.
 *
 * A file is read whole before any of it is written: its last record leads. A regular expression
 * is tried at every place from the end backwards, as the real one does; to do so in linear time,
 * windows of growing size before the last match are searched forwards.
 */
#include "builtins/builtin.h"
#include "base/regex.h"

enum { TAC_WINDOW = 256 };

struct tac_opts {
	bool before;
	bool regex;
	struct bytes sep;
	struct regex *re;
};

static const struct opt tac_options[] = {
	OPT_FLAG('b', "before", struct tac_opts, before, "the separator begins a record"),
	OPT_FLAG('r', "regex", struct tac_opts, regex, "the separator is a regular expression"),
	OPT_BYTES('s', "separator", struct tac_opts, sep, "\n", "STRING",
		  "what ends a record, instead of newline"),
	OPT_END(),
};

/* The match that begins last among those beginning in [from, to) and ending before `end`. */
static bool last_in_window(const struct tac_opts *o, struct bytes text, size_t from, size_t to,
			   struct regex_span *out)
{
	struct regex_span span;
	bool found = false;

	while (from < to && regex_search(o->re, text, from, 0, &span, 1) == 0 && span.from < to) {
		*out = span;
		found = true;
		from = span.from + 1;
	}
	return found;
}

/* The last place of a byte within the first `end` bytes, or NULL. */
static const char *last_byte(struct bytes in, size_t end, char byte)
{
	const char *at = in.ptr + end;

	while (at > in.ptr)
		if (*--at == byte)
			return at;
	return NULL;
}

/* The last separator within the first `end` bytes. */
static bool last_separator(const struct tac_opts *o, struct bytes in, size_t end,
			   struct regex_span *out)
{
	if (!o->regex) {
		const char *hit = o->sep.len == 1
					  ? last_byte(in, end, o->sep.ptr[0])
					  : bytes_rfind((struct bytes){ in.ptr, end }, o->sep);

		if (hit == NULL)
			return false;
		out->from = (size_t)(hit - in.ptr);
		out->to = out->from + o->sep.len;
		return true;
	}
	struct bytes text = { in.ptr, end };
	size_t to = end;

	for (size_t window = TAC_WINDOW; to > 0; window *= 2) {
		size_t from = to > window ? to - window : 0;

		if (last_in_window(o, text, from, to, out))
			return true;
		to = from;
	}
	return false;
}

static int tac_file(struct input *file, void *arg)
{
	const struct tac_opts *o = arg;
	struct cmd *c = file->c;
	struct arena_mark mark = arena_mark(c->arena);
	struct bytes in;
	struct regex_span sep;
	int err = input_all(file, &in);
	size_t record = in.len; /* where what is not yet written ends */
	size_t limit = in.len;

	if (err < 0)
		return cmd_error(c, err, "%s: read error", cmd_quotef(c, file->name));
	while (limit > 0 && last_separator(o, in, limit, &sep)) {
		size_t start = o->before ? sep.from : sep.to;

		cmd_write(c, in.ptr + start, record - start);
		cmd_charge_bytes(c, record - start);
		record = start;
		limit = sep.from;
	}
	cmd_write(c, in.ptr, record);
	if (!o->regex)
		arena_release(c->arena, mark);
	return 0;
}

static int tac_run(struct cmd *c)
{
	struct tac_opts *o = c->opts;
	int status = 0;

	if (o->regex) {
		const char *message;
		size_t offset;

		if (o->sep.len == 0)
			return cmd_error(c, 0, "separator cannot be empty");
		if (regex_compile(c->arena, regex_from_emacs(c->arena, o->sep.ptr),
				  REGEX_EMACS | (c->utf8 ? REGEX_UTF8 : 0) | REGEX_NEWLINE, &o->re,
				  &message, &offset) < 0)
			return cmd_error(c, 0, "%s", message);
		regex_set_work(o->re, cmd_work, c);
	} else if (o->sep.len == 0) {
		o->sep = BYTES("\0");
	}
	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		int err = input_open(&in, c, c->files[i]);

		if (err < 0) {
			status = cmd_error(c, err, "failed to open %s for reading",
					   cmd_quoteaf(c, c->files[i]));
			continue;
		}
		if (tac_file(&in, o) != 0)
			status = 1;
		input_close(&in);
	}
	return status;
}

const struct builtin builtin_tac = {
	.name = "tac",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes each file to standard output, last line first.",
	.run = tac_run,
	.opts = tac_options,
	.opts_size = sizeof(struct tac_opts),
};
