/* SPDX-License-Identifier: MIT
 *
 * Merged output (-D, --*-group-format, --*-line-format): the lines of both files in groups, each
 * group and each line as its format says. Formats are walked for each group and line; what is no
 * conversion stands for itself.
 */
#include "base/format.h"
#include "builtins/diff/diff.h"

/* Lines [from, to) of each file. */
struct group {
	size_t from[2];
	size_t to[2];
};

enum { FORMAT_DEPTH = 100 };

/* --- options --- */

static int set_value(struct cmd *c, const char **value, const char *text, const char *option)
{
	if (*value != NULL && strcmp(*value, text) != 0) {
		cmd_error(c, 0, "conflicting %s option value '%s'", option, text);
		return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
	}
	*value = text;
	return 0;
}

int diff_set_line_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct diff_opts *o = c->opts;
	int status = 0;

	for (int i = 0; i < 3 && status == 0; i++)
		if (opt->value == i || opt->value == DIFF_ALL_LINES)
			status = set_value(c, &o->line_format[i], arg,
					   opt->value == DIFF_ALL_LINES ? "--line-format"
					   : i == DIFF_OLD              ? "--old-line-format"
					   : i == DIFF_NEW              ? "--new-line-format"
							   : "--unchanged-line-format");
	return status;
}

int diff_set_group_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const names[] = {
		[DIFF_OLD] = "--old-group-format",
		[DIFF_NEW] = "--new-group-format",
		[DIFF_UNCHANGED] = "--unchanged-group-format",
		[DIFF_CHANGED] = "--changed-group-format",
	};
	struct diff_opts *o = c->opts;

	return set_value(c, &o->group_format[opt->value], arg, names[opt->value]);
}

int diff_set_ifdef(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const formats[] = {
		[DIFF_OLD] = "#ifndef \1\n%<#endif /* ! \1 */\n",
		[DIFF_NEW] = "#ifdef \1\n%>#endif /* \1 */\n",
		[DIFF_UNCHANGED] = "%=",
		[DIFF_CHANGED] = "#ifndef \1\n%<#else /* \1 */\n%>#endif /* \1 */\n",
	};
	struct diff_opts *o = c->opts;
	int status = 0;

	(void)opt;
	for (int i = 0; i < 4 && status == 0; i++) {
		struct buf text = buf_in(c->arena);

		for (const char *s = formats[i]; *s != '\0'; s++) {
			if (*s == '\1')
				buf_puts(&text, arg);
			else
				buf_putc(&text, *s);
		}
		status = set_value(c, &o->group_format[i], buf_cstr(&text), "-D");
	}
	return status;
}

void diff_complete_formats(struct cmd *c, struct diff_opts *o)
{
	const char **group = o->group_format;
	struct buf both = buf_in(c->arena);

	for (int i = 0; i < 3; i++)
		if (o->line_format[i] == NULL)
			o->line_format[i] = "%l\n";
	if (group[DIFF_OLD] == NULL)
		group[DIFF_OLD] = group[DIFF_CHANGED] != NULL ? group[DIFF_CHANGED] : "%<";
	if (group[DIFF_NEW] == NULL)
		group[DIFF_NEW] = group[DIFF_CHANGED] != NULL ? group[DIFF_CHANGED] : "%>";
	if (group[DIFF_UNCHANGED] == NULL)
		group[DIFF_UNCHANGED] = "%=";
	buf_puts(&both, group[DIFF_OLD]);
	buf_puts(&both, group[DIFF_NEW]);
	if (group[DIFF_CHANGED] == NULL)
		group[DIFF_CHANGED] = buf_cstr(&both);
}

bool diff_formats_show_same(const struct diff_opts *o)
{
	const char *group = o->group_format[DIFF_UNCHANGED];

	return group[0] != '\0' &&
	       (strcmp(group, "%=") != 0 || o->line_format[DIFF_UNCHANGED][0] != '\0');
}

/* --- conversions --- */

/* e, f, l, m, n and their capitals: false if the letter is none. */
static bool group_value(const struct group *g, char letter, size_t *out)
{
	int f = byte_is_upper(letter);

	switch (letter | 0x20) {
	case 'e': *out = g->from[f]; return true;
	case 'f': *out = g->from[f] + 1; return true;
	case 'l': *out = g->to[f]; return true;
	case 'm': *out = g->to[f] + 1; return true;
	case 'n': *out = g->to[f] - g->from[f]; return true;
	default: return false;
	}
}

/* 'x' or '\101' behind %c; NULL if it is none. */
static const char *literal(const char *s, char *out)
{
	unsigned value = 0;
	int digits = 0;

	if (*s++ != '\'' || *s == '\0' || *s == '\'')
		return NULL;
	if (*s != '\\') {
		*out = *s;
		return s[1] == '\'' ? s + 2 : NULL;
	}
	for (s++; *s >= '0' && *s <= '7' && digits < 3; s++, digits++)
		value = value * 8 + (unsigned)(*s - '0');
	*out = (char)value;
	return *s == '\'' && digits > 0 ? s + 1 : NULL;
}

/* A number as printf writes it: g's value, or (g NULL) the line number n. s is behind '%'. Returns
 * what is behind the conversion; NULL if it is none. */
static const char *put_number(struct diff *d, const char *s, const struct group *g, size_t n,
			      bool show)
{
	const char *start = s;
	struct format_spec spec;

	while (*s == '-' || *s == '\'' || *s == '0')
		s++;
	while (byte_is_digit(*s))
		s++;
	if (*s == '.')
		for (s++; byte_is_digit(*s);)
			s++;
	if (*s == '\0' || strchr("doxX", *s) == NULL)
		return NULL;
	if (g != NULL ? !group_value(g, s[1], &n) : s[1] != 'n')
		return NULL;
	struct arena_mark mark = arena_mark(d->c->arena);
	struct buf out = buf_in(d->c->arena);

	format_parse((struct bytes){ start - 1, (size_t)(s + 2 - start) }, 0, &spec);
	if (spec.conv == 'd')
		format_put_i64(&out, &spec, (int64_t)n);
	else
		format_put_u64(&out, &spec, n);
	if (show)
		cmd_bytes(d->c, buf_bytes(&out));
	cmd_charge_bytes(d->c, out.len);
	arena_release(d->c->arena, mark);
	return s + 2;
}

/* %c'x' and numbers. */
static const char *put_common(struct diff *d, const char *s, const struct group *g, size_t n,
			      bool show)
{
	char ch;

	if (*s != 'c')
		return put_number(d, s, g, n, show);
	s = literal(s + 1, &ch);
	if (s != NULL && show)
		cmd_putc(d->c, ch);
	return s;
}

static void put_line(struct diff *d, const char *format, int which, size_t n)
{
	const struct diff_file *f = &d->file[which];

	for (const char *s = format; *s != '\0';) {
		const char *next;

		if (*s != '%') {
			cmd_putc(d->c, *s++);
			continue;
		}
		if (s[1] == '%') {
			cmd_putc(d->c, '%');
			s += 2;
		} else if (s[1] == 'l' || s[1] == 'L') {
			diff_put_line(d, which, n, NULL);
			if (s[1] == 'L' && (!f->unended || n + 1 < f->n))
				cmd_putc(d->c, '\n');
			s += 2;
		} else if ((next = put_common(d, s + 1, NULL, n + 1, true)) != NULL) {
			s = next;
		} else {
			cmd_putc(d->c, *s++);
		}
	}
	cmd_charge(d->c, 1);
}

static void put_lines(struct diff *d, const struct group *g, char kind)
{
	int which = kind == '>';
	int format = kind == '<' ? DIFF_OLD : kind == '>' ? DIFF_NEW : DIFF_UNCHANGED;

	for (size_t n = g->from[which]; n < g->to[which]; n++)
		put_line(d, d->o->line_format[format], which, n);
}

/* One side of %(A=B?...): a number or a letter's value. */
static bool operand(const char **s, const struct group *g, size_t *out)
{
	if (!byte_is_digit(**s))
		return **s != '\0' && group_value(g, *(*s)++, out);
	for (*out = 0; byte_is_digit(**s); ++*s)
		*out = *out * 10 + (size_t)(**s - '0');
	return true;
}

/* Writes a format up to `end`, or only finds its end. Returns where that is. */
static const char *put_group(struct diff *d, const char *s, char end, const struct group *g,
			     bool show, int depth);

/* Behind "%(": NULL if that is no condition. */
static const char *put_condition(struct diff *d, const char *s, const struct group *g, bool show,
				 int depth)
{
	size_t a;
	size_t b;

	if (!operand(&s, g, &a) || *s++ != '=' || !operand(&s, g, &b) || *s++ != '?')
		return NULL;
	if (depth > FORMAT_DEPTH)
		cmd_fatal(d->c, 0, "conditions of a format are nested too deeply");
	s = put_group(d, s, ':', g, show && a == b, depth + 1);
	if (*s != '\0') {
		s = put_group(d, s + 1, ')', g, show && a != b, depth + 1);
		s += *s != '\0';
	}
	return s;
}

static const char *put_group(struct diff *d, const char *s, char end, const struct group *g,
			     bool show, int depth)
{
	while (*s != end && *s != '\0') {
		const char *next = NULL;
		char ch = *s;

		if (ch == '%' && s[1] == '%') {
			s++;
		} else if (ch == '%' && (s[1] == '<' || s[1] == '>' || s[1] == '=')) {
			if (show)
				put_lines(d, g, s[1]);
			next = s + 2;
		} else if (ch == '%' && s[1] == '(') {
			next = put_condition(d, s + 2, g, show, depth);
		} else if (ch == '%') {
			next = put_common(d, s + 1, g, 0, show);
		}
		if (next != NULL) {
			s = next;
			continue;
		}
		if (show)
			cmd_putc(d->c, ch);
		s++;
	}
	return s;
}

void diff_put_format(struct diff *d)
{
	struct group g = { { 0, 0 }, { 0, 0 } };

	for (size_t i = 0; i <= d->nchanges; i++) {
		const struct diff_change *change = i < d->nchanges ? &d->change[i] : NULL;

		if (change != NULL && change->ignored)
			continue;
		for (int f = 0; f < 2; f++) {
			g.from[f] = g.to[f];
			g.to[f] = change != NULL ? change->line[f] : d->file[f].n;
		}
		if (g.from[0] < g.to[0] || g.from[1] < g.to[1])
			put_group(d, d->o->group_format[DIFF_UNCHANGED], '\0', &g, true, 0);
		if (change == NULL)
			break;
		for (int f = 0; f < 2; f++) {
			g.from[f] = g.to[f];
			g.to[f] += change->count[f];
		}
		int kind = change->count[0] == 0   ? DIFF_NEW
			   : change->count[1] == 0 ? DIFF_OLD
						   : DIFF_CHANGED;

		put_group(d, d->o->group_format[kind], '\0', &g, true, 0);
	}
}
