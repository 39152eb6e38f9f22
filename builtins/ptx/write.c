/* SPDX-License-Identifier: MIT
 *
 * ptx: an occurrence as a line of text, a call of a roff macro or of a TeX one.
 */
#include "builtins/ptx/ptx.h"

static int64_t field_width(const struct ptx_field *f)
{
	return f->end - f->start;
}

static int64_t cut_width(const struct ptx *x, const struct ptx_field *f)
{
	return field_width(f) + (f->cut ? (int64_t)x->truncation.len : 0);
}

static void put_edited(struct ptx *x, char ch)
{
	switch (ch) {
	case '"': cmd_puts(x->c, "\"\""); break;
	case '$':
	case '%':
	case '&':
	case '#':
	case '_': cmd_printf(x->c, "\\%c", ch); break;
	case '{':
	case '}': cmd_printf(x->c, "$\\%c$", ch); break;
	case '\\': cmd_puts(x->c, "\\backslash{}"); break;
	default: cmd_putc(x->c, ' '); break;
	}
}

static void put_field(struct ptx *x, const struct ptx_field *f)
{
	for (const char *at = f->start; at < f->end; at++)
		if (x->edited[(unsigned char)*at])
			put_edited(x, *at);
		else
			cmd_putc(x->c, *at);
	if (f->end > f->start)
		x->work += (size_t)field_width(f);
}

static void put_spaces(struct ptx *x, int64_t n)
{
	for (; n > 0; n--) {
		cmd_putc(x->c, ' ');
		if ((n & 63) == 0)
			cmd_charge(x->c, 1);
	}
}

static void put_cut(struct ptx *x, const struct ptx_field *f)
{
	if (f->cut)
		cmd_bytes(x->c, x->truncation);
}

static void put_dumb(struct ptx *x, const struct ptx_line *l)
{
	const struct ptx_opts *o = x->o;

	if (!o->right_reference) {
		put_field(x, &l->reference);
		if (o->auto_reference)
			cmd_putc(x->c, ':');
		put_spaces(x, x->reference_width + o->gap - field_width(&l->reference) -
				      o->auto_reference);
	}
	int64_t left = x->half - o->gap - cut_width(x, &l->before);

	if (l->tail.start < l->tail.end) {
		put_field(x, &l->tail);
		put_cut(x, &l->tail);
		left -= cut_width(x, &l->tail);
	}
	put_spaces(x, left);
	put_cut(x, &l->before);
	put_field(x, &l->before);
	put_spaces(x, o->gap);
	put_field(x, &l->keyafter);
	put_cut(x, &l->keyafter);
	int64_t right = x->half - cut_width(x, &l->keyafter);
	bool reference = x->references && o->right_reference;

	if (l->head.start < l->head.end) {
		put_spaces(x, right - cut_width(x, &l->head));
		put_cut(x, &l->head);
		put_field(x, &l->head);
	} else if (reference) {
		put_spaces(x, right);
	}
	if (reference) {
		put_spaces(x, o->gap);
		put_field(x, &l->reference);
	}
	cmd_putc(x->c, '\n');
}

static void put_roff(struct ptx *x, const struct ptx_line *l)
{
	cmd_printf(x->c, ".%s \"", x->o->macro);
	put_field(x, &l->tail);
	put_cut(x, &l->tail);
	cmd_puts(x->c, "\" \"");
	put_cut(x, &l->before);
	put_field(x, &l->before);
	cmd_puts(x->c, "\" \"");
	put_field(x, &l->keyafter);
	put_cut(x, &l->keyafter);
	cmd_puts(x->c, "\" \"");
	put_cut(x, &l->head);
	put_field(x, &l->head);
	cmd_putc(x->c, '"');
	if (x->references) {
		cmd_puts(x->c, " \"");
		put_field(x, &l->reference);
		cmd_putc(x->c, '"');
	}
	cmd_putc(x->c, '\n');
}

static void put_tex(struct ptx *x, const struct ptx_line *l)
{
	const struct ptx_field *f = &l->keyafter;
	const char *mid = f->start < f->end ? ptx_skip_something(x, f->start, f->end) : f->start;

	cmd_printf(x->c, "\\%s {", x->o->macro);
	put_field(x, &l->tail);
	cmd_puts(x->c, "}{");
	put_field(x, &l->before);
	cmd_puts(x->c, "}{");
	put_field(x, &(struct ptx_field){ f->start, mid, false });
	cmd_puts(x->c, "}{");
	put_field(x, &(struct ptx_field){ mid, f->end, false });
	cmd_puts(x->c, "}{");
	put_field(x, &l->head);
	cmd_putc(x->c, '}');
	if (x->references) {
		cmd_putc(x->c, '{');
		put_field(x, &l->reference);
		cmd_putc(x->c, '}');
	}
	cmd_putc(x->c, '\n');
}

static void init_edited(struct ptx *x)
{
	for (int i = 0; i < 256; i++)
		x->edited[i] = byte_is_space(i);
	if (x->format == FORMAT_ROFF)
		x->edited['"'] = true;
	for (const char *s = "$%&#_{}\\"; x->format == FORMAT_TEX && *s != '\0'; s++)
		x->edited[(unsigned char)*s] = true;
}

void ptx_put_occurrences(struct ptx *x)
{
	static void (*const put[])(struct ptx *, const struct ptx_line *) = {
		[FORMAT_DUMB] = put_dumb,
		[FORMAT_ROFF] = put_roff,
		[FORMAT_TEX] = put_tex,
	};
	struct buf made = buf_in(x->c->arena);

	init_edited(x);
	for (size_t i = 0; i < x->found.n; i++) {
		struct ptx_line l;

		ptx_fit(x, x->found.list[i], &l, &made);
		put[x->format](x, &l);
		cmd_charge_bytes(x->c, x->work * 2);
		x->work = 0;
	}
}
