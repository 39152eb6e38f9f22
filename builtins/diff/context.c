/* SPDX-License-Identifier: MIT
 *
 * Context and unified output.
 */
#include "builtins/diff/diff.h"
#include "builtins/zone.h"

enum { FUNCTION_MAX = 40 };

const char *diff_quote(struct cmd *c, const char *name)
{
	struct buf text = buf_in(c->arena);
	bool plain = true;

	for (const char *at = name; *at != '\0'; at++) {
		unsigned char ch = (unsigned char)*at;

		plain &= ch > ' ' && ch < 0x7f && ch != '"' && ch != '\\';
		if (ch == '"' || ch == '\\')
			buf_printf(&text, "\\%c", ch);
		else if (ch >= '\a' && ch <= '\r')
			buf_printf(&text, "\\%c", "abtnvfr"[ch - '\a']);
		else if (ch < ' ' || ch >= 0x7f)
			buf_printf(&text, "\\%03o", ch);
		else
			buf_putc(&text, (char)ch);
	}
	if (plain)
		return name;
	struct buf quoted = buf_in(c->arena);

	buf_printf(&quoted, "\"%s\"", buf_cstr(&text));
	return buf_cstr(&quoted);
}

/* Where the language is not even named, the context form has the times that POSIX asks for. */
static bool is_c_locale(struct cmd *c)
{
	static const char *const names[] = { "LC_ALL", "LC_TIME", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *v = cmd_getenv(c, names[i]);

		if (v != NULL && *v != '\0')
			return strcmp(v, "C") == 0 || strcmp(v, "POSIX") == 0;
	}
	return true;
}

static void put_heading(struct diff *d, int which, const char *mark)
{
	const struct diff_file *f = &d->file[which];
	struct buf text = buf_in(d->c->arena);
	struct civil when;
	int64_t seconds = f->st.mtime_ns / 1000000000;
	int64_t fraction = f->st.mtime_ns % 1000000000;

	if (fraction < 0) {
		fraction += 1000000000;
		seconds--;
	}
	diff_color(d, DIFF_HEADING);
	cmd_printf(d->c, "%s ", mark);
	if (d->o->label[which] != NULL) {
		cmd_puts(d->c, d->o->label[which]);
	} else {
		time_civil(zone_of_command(d->c), seconds, &when);
		time_format(&text,
			    d->o->style == DIFF_CONTEXT && is_c_locale(d->c)
				    ? BYTES("%a %b %e %T %Y")
				    : BYTES("%Y-%m-%d %H:%M:%S.%N %z"),
			    &when, seconds, (uint32_t)fraction);
		cmd_printf(d->c, "%s\t%s", diff_quote(d->c, f->name), buf_cstr(&text));
	}
	diff_color(d, DIFF_RESET);
	cmd_putc(d->c, '\n');
}

/* What a hunk covers in each file, with context. */
struct cover {
	size_t from[2];
	size_t to[2];
};

static struct cover cover_of(const struct diff *d, size_t i, size_t end)
{
	const struct diff_change *first = &d->change[i];
	const struct diff_change *last = &d->change[end - 1];
	size_t before = d->o->context;
	size_t after = d->o->context;
	struct cover cover;

	if (before > first->line[0])
		before = first->line[0];
	if (before > first->line[1])
		before = first->line[1];
	for (int f = 0; f < 2; f++) {
		size_t left = d->file[f].n - (last->line[f] + last->count[f]);

		after = after > left ? left : after;
	}
	for (int f = 0; f < 2; f++) {
		cover.from[f] = first->line[f] - before;
		cover.to[f] = last->line[f] + last->count[f] + after;
	}
	return cover;
}

static void put_function(struct diff *d, struct bytes s)
{
	size_t from = 0;

	if (s.ptr == NULL)
		return;
	while (from < s.len && byte_is_space((unsigned char)s.ptr[from]))
		from++;
	size_t to = s.len - from > FUNCTION_MAX ? from + FUNCTION_MAX : s.len;

	while (to > from && byte_is_space((unsigned char)s.ptr[to - 1]))
		to--;
	cmd_putc(d->c, ' ');
	cmd_bytes(d->c, bytes_slice(s, from, to));
}

static void end_line(struct diff *d, int which, size_t n)
{
	const struct diff_file *f = &d->file[which];

	cmd_putc(d->c, '\n');
	if (f->unended && n + 1 == f->n)
		cmd_puts(d->c, "\\ No newline at end of file\n");
}

/* --- unified --- */

static void put_unified_range(struct diff *d, char sign, size_t from, size_t to)
{
	size_t count = to - from;

	cmd_printf(d->c, "%c%zu", sign, count == 0 ? from : from + 1);
	if (count != 1)
		cmd_printf(d->c, ",%zu", count);
}

static void put_unified_line(struct diff *d, int which, size_t n, char sign)
{
	bool blank = d->o->suppress_blank && d->file[which].line[n].len == 0;
	enum diff_part color = sign == '-' ? DIFF_DELETED : sign == '+' ? DIFF_ADDED : DIFF_NO_PART;

	diff_color(d, color);
	if (sign != ' ')
		cmd_putc(d->c, sign);
	if (!blank && d->o->initial_tab)
		cmd_putc(d->c, '\t');
	else if (!blank && sign == ' ')
		cmd_putc(d->c, ' ');
	diff_put_line(d, which, n, NULL);
	if (color != DIFF_NO_PART)
		diff_color(d, DIFF_RESET);
	end_line(d, which, n);
}

static void put_unified_hunk(struct diff *d, size_t i, size_t end)
{
	struct cover cover = cover_of(d, i, end);
	size_t at = cover.from[0];

	diff_color(d, DIFF_NUMBERS);
	cmd_puts(d->c, "@@ ");
	put_unified_range(d, '-', cover.from[0], cover.to[0]);
	cmd_putc(d->c, ' ');
	put_unified_range(d, '+', cover.from[1], cover.to[1]);
	cmd_puts(d->c, " @@");
	diff_color(d, DIFF_RESET);
	put_function(d, diff_function(d, cover.from[0]));
	cmd_putc(d->c, '\n');
	for (; i < end; i++) {
		const struct diff_change *change = &d->change[i];

		for (; at < change->line[0]; at++)
			put_unified_line(d, 0, at, ' ');
		for (; at < change->line[0] + change->count[0]; at++)
			put_unified_line(d, 0, at, '-');
		for (size_t k = 0; k < change->count[1]; k++)
			put_unified_line(d, 1, change->line[1] + k, '+');
	}
	for (; at < cover.to[0]; at++)
		put_unified_line(d, 0, at, ' ');
}

void diff_put_unified(struct diff *d)
{
	put_heading(d, 0, "---");
	put_heading(d, 1, "+++");
	for (size_t i = 0, end; i < d->nchanges; i = end) {
		end = diff_hunk_end(d, i, d->o->context);
		if (!diff_hunk_ignored(d, i, end))
			put_unified_hunk(d, i, end);
	}
}

/* --- context --- */

static bool any_lines(const struct diff *d, size_t i, size_t end, int which)
{
	for (; i < end; i++)
		if (d->change[i].count[which] > 0)
			return true;
	return false;
}

/* One of the two halves of a hunk. */
static void put_half(struct diff *d, size_t i, size_t end, int which, const struct cover *cover)
{
	enum diff_part color = which == 0 ? DIFF_DELETED : DIFF_ADDED;
	const char *alone = which == 0 ? "-" : "+";
	size_t from = cover->from[which];
	size_t to = cover->to[which];

	diff_color(d, DIFF_NUMBERS);
	cmd_puts(d->c, which == 0 ? "*** " : "--- ");
	if (to - from <= 1)
		cmd_printf(d->c, "%zu", to);
	else
		cmd_printf(d->c, "%zu,%zu", from + 1, to);
	cmd_puts(d->c, which == 0 ? " ****" : " ----");
	diff_color(d, DIFF_RESET);
	cmd_putc(d->c, '\n');
	if (!any_lines(d, i, end, which))
		return;
	for (size_t n = from; n < to; n++) {
		const struct diff_change *change = &d->change[i];
		const char *flag = " ";

		while (i < end && n >= change->line[which] + change->count[which]) {
			i++;
			change++;
		}
		if (i < end && n >= change->line[which])
			flag = change->count[1 - which] > 0 ? "!" : alone;
		diff_color(d, color);
		diff_put_line(d, which, n, flag);
		diff_color(d, DIFF_RESET);
		end_line(d, which, n);
	}
}

void diff_put_context(struct diff *d)
{
	put_heading(d, 0, "***");
	put_heading(d, 1, "---");
	for (size_t i = 0, end; i < d->nchanges; i = end) {
		end = diff_hunk_end(d, i, d->o->context);
		if (diff_hunk_ignored(d, i, end))
			continue;
		struct cover cover = cover_of(d, i, end);

		cmd_puts(d->c, "***************");
		put_function(d, diff_function(d, cover.from[0]));
		cmd_putc(d->c, '\n');
		put_half(d, i, end, 0, &cover);
		put_half(d, i, end, 1, &cover);
	}
}
