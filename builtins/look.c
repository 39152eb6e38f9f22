/* SPDX-License-Identifier: MIT
 *
 * look - the lines of a sorted file that begin with a string.
 *
 * Bisection over the bytes of the file, then line by line. In a file that is not sorted the same
 * lines are found as by the real tool, which takes the same steps.
 */
#include "builtins/builtin.h"

static const char words_file[] = "/usr/share/dict/words";
static const char more_words_file[] = "/usr/share/dict/web2";

struct look_opts {
	bool alternative;
	bool alphanum;
	bool fold;
	const char *terminate;
	/* settled */
	struct bytes string;
};

static const struct opt look_options[] = {
	OPT_FLAG('a', "alternative", struct look_opts, alternative, "the other dictionary"),
	OPT_FLAG('d', "alphanum", struct look_opts, alphanum,
		 "compare letters, digits and blanks only"),
	OPT_FLAG('f', "ignore-case", struct look_opts, fold, "ignore case"),
	OPT_STR('t', "terminate", struct look_opts, terminate, NULL, "CHAR",
		"STRING ends behind its first CHAR"),
	OPT_END(),
};

static bool counts(const struct look_opts *o, char ch)
{
	return !o->alphanum || byte_is_alnum((unsigned char)ch) || byte_is_blank(ch);
}

static int folded(const struct look_opts *o, char ch)
{
	return o->fold ? byte_to_lower((unsigned char)ch) : (unsigned char)ch;
}

/* The beginning of the line at `at` against the string: less than, equal to, greater than 0. */
static int compare(const struct look_opts *o, struct bytes text, size_t at)
{
	for (size_t i = 0; i < o->string.len; at++) {
		if (at >= text.len || text.ptr[at] == '\n')
			return -1;
		if (!counts(o, text.ptr[at]))
			continue;
		int difference = folded(o, text.ptr[at]) - folded(o, o->string.ptr[i++]);

		if (difference != 0)
			return difference;
	}
	return 0;
}

/* Behind the line that `at` is in, at most `end`. */
static size_t next_line(struct bytes text, size_t at, size_t end)
{
	const char *hit = at < end ? memchr(text.ptr + at, '\n', end - at) : NULL;

	return hit != NULL ? (size_t)(hit - text.ptr) + 1 : end;
}

/* A line before which no line begins with the string. */
static size_t bisect(struct cmd *c, const struct look_opts *o, struct bytes text)
{
	size_t front = 0;
	size_t back = text.len;
	size_t at = next_line(text, back / 2, back);

	while (at < back && back > front) {
		if (compare(o, text, at) < 0)
			front = at;
		else
			back = at;
		at = next_line(text, front + (back - front) / 2, back);
		cmd_charge(c, 4);
	}
	return front;
}

static void strip(struct cmd *c, struct look_opts *o)
{
	struct buf kept = buf_in(c->arena);

	for (size_t i = 0; i < o->string.len; i++)
		if (counts(o, o->string.ptr[i]))
			buf_putc(&kept, o->string.ptr[i]);
	o->string = buf_bytes(&kept);
}

static int look_run(struct cmd *c)
{
	struct look_opts *o = c->opts;
	const char *file = cmd_getenv(c, "WORDLIST");
	struct bytes text;
	const char *cut;
	bool found = false;

	if (c->nargs < 1 || c->nargs > 2)
		return cmd_usage(c, "bad usage");
	o->string = bytes_of(c->args[0]);
	file = c->nargs == 2    ? c->args[1]
	       : o->alternative ? more_words_file
	       : file != NULL   ? file
				: words_file;
	o->alphanum |= c->nargs == 1;
	o->fold |= c->nargs == 1;
	if (o->terminate != NULL && o->terminate[0] != '\0' &&
	    (cut = strchr(c->args[0], o->terminate[0])) != NULL)
		o->string.len = (size_t)(cut - c->args[0]) + 1;
	strip(c, o);
	int err = cmd_read_all(c, file, &text);

	if (err < 0 || text.len == 0)
		return cmd_error(c,
				 err < 0 && err != -E_ISDIR ? err
				 : err < 0                  ? E_NODEV
							    : E_INVAL,
				 "%s", file);
	size_t at = bisect(c, o, text);

	while (at < text.len && compare(o, text, at) < 0) {
		at = next_line(text, at, text.len);
		cmd_charge(c, 1);
	}
	for (size_t end; at < text.len && compare(o, text, at) == 0; at = end) {
		end = next_line(text, at, text.len);
		cmd_write(c, text.ptr + at, end - at);
		cmd_charge_bytes(c, end - at);
		found = true;
	}
	return found ? 0 : 1;
}

const struct builtin builtin_look = {
	.name = "look",
	.usage = "[OPTION]... STRING [FILE]",
	.summary = "Writes the lines of FILE, which is sorted, that begin with STRING.",
	.run = look_run,
	.opts = look_options,
	.opts_size = sizeof(struct look_opts),
	.family = "util-linux 2.38.1",
};
