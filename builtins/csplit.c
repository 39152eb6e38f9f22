/* SPDX-License-Identifier: MIT
 *
 * csplit - cut a file into pieces at line numbers and at lines that match.
 *
 * Lines wait in a queue until it is known to which piece they belong: for a pattern one line
 * does, for one with a negative offset all up to the match. `current` is the line looked at
 * last; the search for the next match begins behind it.
 */
#include "base/format.h"
#include "base/regex.h"
#include "builtins/builtin.h"

enum { DIGITS_DEFAULT = 2 };

/* A line number, or what a line must match, and how often. */
struct pattern {
	const char *text; /* as given */
	uint64_t line;    /* if re is NULL */
	struct regex *re;
	int64_t offset;
	bool ignore; /* %re%: the lines before go nowhere */
	uint64_t repeat;
	bool forever;
};

struct csplit_opts {
	const char *suffix;
	const char *prefix;
	bool keep;
	bool suppress;
	uint64_t digits;
	bool silent;
	bool elide;
};

/* The lines first, first + 1, ... that were read and not yet written. */
struct queue {
	struct bytes *line; /* a ring; each with its newline if it has one */
	size_t cap;         /* a power of 2 */
	size_t from;
	size_t n;
	uint64_t first;
};

struct csplit {
	struct cmd *c;
	const struct csplit_opts *o;
	struct input in;
	struct queue q;
	uint64_t current;
	uint64_t files; /* made so far */
	const char *name;
	struct output out;
	bool open;
	uint64_t written; /* bytes of the open file */
};

/* --- options --- */

static int set_digits(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct csplit_opts *o = c->opts;
	int err = num_parse_u64(arg, "", &o->digits);

	(void)opt;
	if (err == 0 && o->digits > INT32_MAX)
		err = -E_OVERFLOW;
	return err == 0 ? 0
			: cmd_error(c, err == -E_INVAL ? 0 : E_OVERFLOW, "invalid number: %s",
				    cmd_quote(c, arg));
}

static const struct opt csplit_options[] = {
	OPT_STR('b', "suffix-format", struct csplit_opts, suffix, NULL, "FORMAT",
		"printf format of suffixes (%02d)"),
	OPT_STR('f', "prefix", struct csplit_opts, prefix, "xx", "PREFIX", "names begin so (xx)"),
	OPT_FLAG('k', "keep-files", struct csplit_opts, keep, "keep the files after errors"),
	OPT_FLAG(0, "suppress-matched", struct csplit_opts, suppress,
		 "leave out the lines that match"),
	OPT_CALL_ARG('n', "digits", set_digits, "DIGITS", "digits of suffixes (2)"),
	OPT_FLAG('s', "quiet", struct csplit_opts, silent, "do not write the sizes"),
	OPT_FLAG('q', "silent", struct csplit_opts, silent, "the same"),
	OPT_FLAG('z', "elide-empty-files", struct csplit_opts, elide, "make no empty files"),
	OPT_END(),
};

static void bad_specifier(struct cmd *c, unsigned char ch)
{
	if (byte_is_print(ch))
		cmd_fatal(c, 0, "invalid conversion specifier in suffix: %c", ch);
	cmd_fatal(c, 0, "invalid conversion specifier in suffix: \\%03o", ch);
}

/* Behind the conversion that begins at s, which is checked. */
static const char *check_conversion(struct cmd *c, const char *s)
{
	bool alternative = false;
	bool grouped = false;

	for (s++; *s != '\0' && strchr("-0#'", *s) != NULL; s++) {
		alternative |= *s == '#';
		grouped |= *s == '\'';
	}
	while (byte_is_digit(*s))
		s++;
	if (*s == '.')
		for (s++; byte_is_digit(*s);)
			s++;
	if (*s == '\0')
		cmd_fatal(c, 0, "missing conversion specifier in suffix");
	if (strchr("diuoxX", *s) == NULL)
		bad_specifier(c, (unsigned char)*s);
	bool decimal = strchr("diu", *s) != NULL;

	if ((decimal && alternative) || (!decimal && grouped))
		cmd_fatal(c, 0, "invalid flags in conversion specification: %%%c%c",
			  decimal ? '#' : '\'', *s);
	return s + 1;
}

static void check_suffix(struct cmd *c, const char *suffix)
{
	bool found = false;

	for (const char *s = suffix; *s != '\0';) {
		if (*s != '%') {
			s++;
		} else if (s[1] == '%') {
			s += 2;
		} else if (found) {
			cmd_fatal(c, 0, "too many %% conversion specifications in suffix");
		} else {
			s = check_conversion(c, s);
			found = true;
		}
	}
	if (!found)
		cmd_fatal(c, 0, "missing %% conversion specification in suffix");
}

/* --- patterns --- */

/* /re/offset, %re%offset */
static void parse_regex(struct cmd *c, struct pattern *p)
{
	char delim = p->text[0];
	const char *end = strrchr(p->text + 1, delim);
	const char *message = NULL;
	size_t at;

	if (end == NULL)
		cmd_fatal(c, 0, "%s: closing delimiter '%c' missing", p->text, delim);
	struct bytes re = { p->text + 1, (size_t)(end - p->text) - 1 };
	unsigned flags = REGEX_BRE | REGEX_NOSUB | (c->utf8 ? REGEX_UTF8 : 0u);

	p->ignore = delim == '%';
	if (regex_compile(c->arena, re, flags, &p->re, &message, &at) < 0) {
		bool cut = bytes_ends(re, BYTES("[")) || bytes_ends(re, BYTES("[^"));

		cmd_fatal(c, 0, "%s: invalid regular expression: %s", cmd_quote(c, p->text),
			  cut ? "Invalid regular expression" : message);
	}
	regex_set_work(p->re, cmd_work, c);
	if (end[1] != '\0' && num_parse_i64(end + 1, "", &p->offset) != 0)
		cmd_fatal(c, 0, "%s: integer expected after delimiter", cmd_quote(c, p->text));
}

static void parse_line(struct cmd *c, struct pattern *p, uint64_t *last)
{
	if (num_parse_u64(p->text, "", &p->line) != 0)
		cmd_fatal(c, 0, "%s: invalid pattern", cmd_quote(c, p->text));
	if (p->line == 0)
		cmd_fatal(c, 0, "%s: line number must be greater than zero", p->text);
	if (p->line < *last)
		cmd_fatal(c, 0, "line number %s is smaller than preceding line number, %llu",
			  cmd_quote(c, p->text), (unsigned long long)*last);
	if (p->line == *last)
		cmd_error(c, 0, "warning: line number %s is the same as preceding line number",
			  cmd_quote(c, p->text));
	*last = p->line;
}

/* {N} or {*} */
static void parse_repeat(struct cmd *c, struct pattern *p, const char *text)
{
	size_t len = strlen(text);

	if (text[len - 1] != '}')
		cmd_fatal(c, 0, "%s: '}' is required in repeat count", cmd_quote(c, text));
	char *inner = arena_dup(c->arena, (struct bytes){ text, len - 1 });

	if (strcmp(inner, "{*") == 0)
		p->forever = true;
	else if (num_parse_u64(inner + 1, "", &p->repeat) != 0)
		cmd_fatal(c, 0, "%s}: integer required between '{' and '}'", cmd_quote(c, inner));
}

static struct pattern *parse_patterns(struct cmd *c, size_t *n)
{
	struct pattern *list = arena_array(c->arena, (size_t)c->nargs, sizeof(*list));
	uint64_t last = 0;

	*n = 0;
	for (int i = 1; i < c->nargs; i++) {
		struct pattern *p = &list[(*n)++];

		p->text = c->args[i];
		if (p->text[0] == '/' || p->text[0] == '%')
			parse_regex(c, p);
		else
			parse_line(c, p, &last);
		if (i + 1 < c->nargs && c->args[i + 1][0] == '{')
			parse_repeat(c, p, c->args[++i]);
	}
	return list;
}

_Noreturn static void give_up(struct csplit *s);

/* --- lines --- */

static void grow_queue(struct csplit *s)
{
	struct queue *q = &s->q;
	size_t cap = q->cap != 0 ? q->cap * 2 : 16;
	struct bytes *line = pool_alloc(s->c->pool, cap * sizeof(*line));

	for (size_t i = 0; i < q->n; i++)
		line[i] = q->line[(q->from + i) & (q->cap - 1)];
	pool_free(s->c->pool, q->line, q->cap * sizeof(*line));
	q->line = line;
	q->cap = cap;
	q->from = 0;
}

/* Reads a line into the queue. False at the end. */
static bool read_line(struct csplit *s)
{
	struct queue *q = &s->q;
	struct bytes line;
	int more = input_line(&s->in, '\n', &line);

	if (more < 0) {
		cmd_error(s->c, more, "read error");
		give_up(s);
	}
	if (more == 0)
		return false;
	if (q->n == q->cap)
		grow_queue(s);
	char *copy = pool_alloc(s->c->pool, line.len + 1);

	memcpy(copy, line.ptr, line.len);
	copy[line.len] = '\n';
	q->line[(q->from + q->n++) & (q->cap - 1)] = (struct bytes){ copy, line.len + s->in.ended };
	cmd_charge_bytes(s->c, line.len);
	return true;
}

/* The line with this number, without its newline; false if there is none. */
static bool find_line(struct csplit *s, uint64_t number, struct bytes *out)
{
	struct queue *q = &s->q;

	if (number < q->first)
		return false;
	while (number >= q->first + q->n)
		if (!read_line(s))
			return false;
	*out = q->line[(q->from + (size_t)(number - q->first)) & (q->cap - 1)];
	out->len -= out->len > 0 && out->ptr[out->len - 1] == '\n';
	return true;
}

/* Takes the first line away; write: to the open file. False if there is none. */
static bool take_line(struct csplit *s, bool write)
{
	struct queue *q = &s->q;

	if (q->n == 0 && !read_line(s))
		return false;
	struct bytes line = q->line[q->from];

	if (s->current < q->first)
		s->current = q->first;
	if (write) {
		output_write(&s->out, line.ptr, line.len);
		s->written += line.len;
	}
	/* One byte more was allocated than the text without its newline has. */
	bool ended = line.len > 0 && line.ptr[line.len - 1] == '\n';

	pool_free(s->c->pool, (char *)(uintptr_t)line.ptr, line.len + !ended);
	q->from = (q->from + 1) & (q->cap - 1);
	q->n--;
	q->first++;
	return true;
}

/* --- files --- */

static const char *name_of(struct csplit *s, uint64_t number)
{
	struct buf name = buf_in(s->c->arena);
	struct buf suffix = buf_in(s->c->arena);
	struct format_spec spec = { .flags = FORMAT_ZERO, .precision = -1, .conv = 'u' };
	struct bytes format = bytes_of(s->o->suffix != NULL ? s->o->suffix : "");

	buf_puts(&name, s->o->prefix);
	spec.width = (int64_t)s->o->digits;
	if (s->o->suffix == NULL)
		format_put_u64(&suffix, &spec, number);
	for (size_t at = 0; at < format.len;) {
		if (format.ptr[at] != '%' || format.ptr[at + 1] == '%') {
			at += format.ptr[at] == '%';
			buf_putc(&suffix, format.ptr[at++]);
			continue;
		}
		at = format_parse(format, at, &spec);
		if (spec.conv == 'd' || spec.conv == 'i')
			spec.conv = 'u';
		format_put_u64(&suffix, &spec, number);
	}
	buf_add(&name, buf_bytes(&suffix));
	return buf_cstr(&name);
}

static void close_file(struct csplit *s)
{
	if (!s->open)
		return;
	s->open = false;
	output_close(&s->out);
	if (s->written == 0 && s->o->elide) {
		cmd_unlink(s->c, CMD_CWD, s->name, 0);
		s->files--;
	} else if (!s->o->silent) {
		cmd_printf(s->c, "%llu\n", (unsigned long long)s->written);
	}
}

/* Ends csplit after a message: the files go. */
_Noreturn static void give_up(struct csplit *s)
{
	close_file(s);
	for (uint64_t i = 0; i < s->files && !s->o->keep; i++) {
		const char *name = name_of(s, i);
		int err = cmd_unlink(s->c, CMD_CWD, name, 0);

		if (err < 0 && err != -E_NOENT)
			cmd_error(s->c, err, "%s", cmd_quotef(s->c, name));
	}
	cmd_exit(s->c, 1);
}

static void open_file(struct csplit *s)
{
	s->name = name_of(s, s->files);
	int err = output_open(&s->out, s->c, s->name, O_TRUNC_, false);

	if (err < 0) {
		cmd_error(s->c, err, "%s", cmd_quotef(s->c, s->name));
		give_up(s);
	}
	s->files++;
	s->written = 0;
	s->open = true;
}

static void put_rest(struct csplit *s)
{
	while (take_line(s, true))
		;
}

/* --- cutting --- */

_Noreturn static void out_of_range(struct csplit *s, const struct pattern *p, uint64_t repetition)
{
	struct buf number = buf_in(s->c->arena);
	struct buf message = buf_in(s->c->arena);

	buf_printf(&number, "%llu", (unsigned long long)p->line);
	buf_printf(&message, "%s: line number out of range",
		   cmd_quote(s->c, p->re != NULL ? p->text : buf_cstr(&number)));
	if (repetition > 0)
		buf_printf(&message, " on repetition %llu", (unsigned long long)repetition);
	cmd_error(s->c, 0, "%s", buf_cstr(&message));
	give_up(s);
}

/* No line matches any more: an error, or the end of {*}. */
_Noreturn static void no_match(struct csplit *s, const struct pattern *p, uint64_t repetition)
{
	struct buf message = buf_in(s->c->arena);

	if (p->forever) {
		if (!p->ignore) {
			put_rest(s);
			close_file(s);
		}
		cmd_exit(s->c, 0);
	}
	buf_printf(&message, "%s: match not found", cmd_quote(s->c, p->text));
	if (repetition > 0)
		buf_printf(&message, " on repetition %llu", (unsigned long long)repetition);
	cmd_error(s->c, 0, "%s", buf_cstr(&message));
	if (!p->ignore) {
		put_rest(s);
		close_file(s);
	}
	give_up(s);
}

static void cut_at_match(struct csplit *s, const struct pattern *p, uint64_t repetition)
{
	struct bytes line;

	if (!p->ignore)
		open_file(s);
	for (;;) {
		if (!find_line(s, ++s->current, &line))
			no_match(s, p, repetition);
		if (regex_test(p->re, line, 0) == 0)
			break;
		if (p->offset >= 0)
			take_line(s, !p->ignore);
	}
	/* Unsigned: what lies before the first line is far behind the last. */
	uint64_t end = s->current + (uint64_t)p->offset;

	if (p->offset < 0 && (int64_t)end < (int64_t)s->q.first)
		out_of_range(s, p, 0);
	while (s->q.first < end)
		if (!take_line(s, !p->ignore))
			out_of_range(s, p, 0);
	if (!p->ignore)
		close_file(s);
	if (p->offset > 0)
		s->current = end;
	if (s->o->suppress)
		take_line(s, false);
}

static void cut_at_line(struct csplit *s, const struct pattern *p, uint64_t repetition)
{
	struct bytes line;
	uint64_t end = p->line;

	if (repetition > 0 && __builtin_mul_overflow(p->line, repetition + 1, &end))
		end = UINT64_MAX;
	open_file(s);
	/* There must be a line behind the current one: before, or else after. */
	if (s->o->suppress && !find_line(s, s->current + 1, &line))
		out_of_range(s, p, repetition);
	if (!find_line(s, s->q.first, &line))
		cmd_fatal(s->c, 0, "input disappeared");
	while (s->q.first < end)
		if (!take_line(s, true))
			out_of_range(s, p, repetition);
	close_file(s);
	if (s->o->suppress)
		take_line(s, false);
	else if (!find_line(s, s->current + 1, &line))
		out_of_range(s, p, repetition);
}

static int csplit_run(struct cmd *c)
{
	struct csplit s = { .c = c, .o = c->opts, .q.first = 1 };
	size_t n;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (c->nargs == 1)
		return cmd_usage(c, "missing operand after %s", cmd_quote(c, c->args[0]));
	if (s.o->suffix != NULL)
		check_suffix(c, s.o->suffix);
	int err = input_open(&s.in, c, c->args[0]);

	if (err < 0)
		return cmd_error(c, err, "cannot open %s for reading", cmd_quoteaf(c, c->args[0]));
	struct pattern *pattern = parse_patterns(c, &n);

	for (size_t i = 0; i < n; i++) {
		const struct pattern *p = &pattern[i];

		for (uint64_t k = 0; p->forever || k <= p->repeat; k++) {
			if (p->re != NULL)
				cut_at_match(&s, p, k);
			else
				cut_at_line(&s, p, k);
		}
	}
	open_file(&s);
	put_rest(&s);
	close_file(&s);
	return 0;
}

static void csplit_defaults(struct cmd *c)
{
	((struct csplit_opts *)c->opts)->digits = DIGITS_DEFAULT;
}

const struct builtin builtin_csplit = {
	.name = "csplit",
	.usage = "[OPTION]... FILE PATTERN...",
	.summary = "Cuts FILE into xx00, xx01, ...: before line N, before lines that match "
		   "/RE/[OFFSET];\n"
		   "%RE%[OFFSET] leaves lines out; {N} and {*} repeat.",
	.run = csplit_run,
	.opts = csplit_options,
	.opts_size = sizeof(struct csplit_opts),
	.defaults = csplit_defaults,
};
