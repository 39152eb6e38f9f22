/* SPDX-License-Identifier: MIT
 *
 * Rejects: unified if the patch was, else context; or as --reject-format says.
 */
#include "builtins/patch/patch.h"

/* How changed lines are marked. */
enum marks { MARKS_UNIFIED, MARKS_CONTEXT, MARKS_PLAIN };

static void put_lines(struct buf *out, const struct patch_hunk *h, const char *kinds,
		      enum marks marks)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct patch_line *l = &h->line[i];
		char mark = l->kind;

		if (strchr(kinds, l->kind) == NULL)
			continue;
		if (marks == MARKS_CONTEXT && mark != ' ') {
			size_t from = i;
			size_t to = i;
			bool other = false;

			while (from > 0 && h->line[from - 1].kind != ' ')
				from--;
			while (to < h->n && h->line[to].kind != ' ')
				to++;
			for (size_t k = from; k < to; k++)
				other |= h->line[k].kind != l->kind;
			mark = other ? '!' : mark;
		}
		buf_putc(out, mark);
		if (marks != MARKS_UNIFIED)
			buf_putc(out, ' ');
		buf_add(out, l->text);
		if (!l->unended)
			buf_putc(out, '\n');
	}
}

static void put_range(struct buf *out, size_t first, size_t count)
{
	if (count == 1)
		buf_printf(out, "%zu", first);
	else
		buf_printf(out, "%zu,%zu", count == 0 ? first - 1 : first, count);
}

static void put_span(struct buf *out, size_t first, size_t count)
{
	if (count <= 1)
		buf_printf(out, "%zu", count == 0 ? first - 1 : first);
	else
		buf_printf(out, "%zu,%zu", first, first + count - 1);
}

static void put_heading(struct buf *out, const struct patch_file *f, bool unified, bool reverse)
{
	struct bytes a = reverse ? f->new_header : f->old_header;
	struct bytes b = reverse ? f->old_header : f->new_header;

	if (f->name[2] != NULL)
		buf_printf(out, "Index: %s\n", f->name[2]);
	if (a.len == 0 && b.len == 0) {
		buf_puts(out, unified ? "--- /dev/null\n+++ /dev/null\n"
				      : "*** /dev/null\n--- /dev/null\n");
		return;
	}
	buf_puts(out, unified ? "--- " : "*** ");
	buf_add(out, a.len != 0 ? a : BYTES("/dev/null"));
	buf_puts(out, unified ? "\n+++ " : "\n--- ");
	buf_add(out, b.len != 0 ? b : BYTES("/dev/null"));
	buf_putc(out, '\n');
}

void patch_put_reject(struct buf *out, const struct patch_file *f, const struct patch_hunk *h,
		      enum patch_format format, bool reverse, int64_t shift)
{
	bool unified = (format != PATCH_UNKNOWN ? format : f->format) == PATCH_UNIFIED;
	enum marks marks = f->format == PATCH_NORMAL ? MARKS_PLAIN : MARKS_CONTEXT;
	size_t old_first = (size_t)((int64_t)h->old_first + shift);
	size_t new_first = (size_t)((int64_t)h->new_first + shift);

	if (out->len == 0)
		put_heading(out, f, unified, reverse);
	if (unified) {
		buf_puts(out, "@@ -");
		put_range(out, old_first, h->old_count);
		buf_puts(out, " +");
		put_range(out, new_first, h->new_count);
		buf_puts(out, " @@");
		buf_add(out, h->function);
		buf_putc(out, '\n');
		put_lines(out, h, " -+", MARKS_UNIFIED);
		return;
	}
	buf_puts(out, "***************");
	buf_add(out, h->function);
	buf_puts(out, "\n*** ");
	put_span(out, old_first, h->old_count);
	buf_puts(out, marks == MARKS_PLAIN ? "\n" : " ****\n");
	put_lines(out, h, " -", marks);
	buf_puts(out, "--- ");
	if (marks == MARKS_PLAIN && h->new_count == 0)
		buf_putc(out, '0');
	else
		put_span(out, new_first, h->new_count);
	buf_puts(out, marks == MARKS_PLAIN ? " -----\n" : " ----\n");
	put_lines(out, h, " +", marks);
}
