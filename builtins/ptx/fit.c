/* SPDX-License-Identifier: MIT
 *
 * ptx: how much of an occurrence is shown. Every part is cut to what the width of a line leaves.
 */
#include "builtins/ptx/ptx.h"

static size_t count_digits(uint64_t v)
{
	char digits[20];

	return num_format_u64(v, digits);
}

/* The widest reference that file names and lines could make. */
static int64_t auto_width(const struct ptx_text *texts, size_t n)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t width = (int64_t)(count_digits(texts[i].lines + 2) + strlen(texts[i].name));

		most = width > most ? width : most;
	}
	return most + 1;
}

void ptx_init_widths(struct ptx *x, const struct ptx_text *texts, size_t n)
{
	const struct ptx_opts *o = x->o;
	int64_t width = o->width;

	if (o->auto_reference)
		x->reference_width = auto_width(texts, n);
	if (x->references && !o->right_reference)
		width -= x->reference_width + o->gap;
	x->half = width < 0 ? 0 : width / 2;
	x->before_width = x->half - o->gap;
	x->keyafter_width = x->half - 2 * (int64_t)x->truncation.len;
	if (o->traditional) {
		x->keyafter_width--;
		return;
	}
	x->before_width -= 2 * (int64_t)x->truncation.len;
	if (x->before_width < 0)
		x->before_width = 0;
}

static bool is_cut(const struct ptx *x, bool more)
{
	return x->truncation.len > 0 && more;
}

static void fit_keyafter(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l)
{
	struct ptx_field *f = &l->keyafter;
	const char *at = one->key.ptr + one->key.len;

	f->start = one->key.ptr;
	f->end = at;
	while (at < one->right && at - f->start <= x->keyafter_width) {
		f->end = at;
		at = ptx_skip_something(x, at, one->right);
	}
	if (at - f->start <= x->keyafter_width)
		f->end = at;
	f->cut = is_cut(x, f->end < one->right);
	f->end = ptx_skip_space_back(f->end, f->start);
}

/* Returns where the part of the left context begins that can be of use. */
static const char *fit_before(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l)
{
	struct ptx_field *f = &l->before;
	const char *key = one->key.ptr;
	const char *text = one->text->all.ptr;
	const char *from = one->left;
	int64_t most = x->half + (int64_t)x->longest;

	if (key - from > most)
		from = ptx_skip_something(x, key - most, key);
	f->start = from;
	f->end = ptx_skip_space_back(key, from);
	/* A negative width is never reached: what is empty must do. */
	while (f->start < f->end && f->end - f->start > x->before_width)
		f->start = ptx_skip_something(x, f->start, f->end);
	f->cut = is_cut(x, ptx_skip_space_back(f->start, text) > one->left);
	f->start = ptx_skip_space(f->start, text + one->text->all.len);
	return from;
}

static void fit_tail(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l)
{
	struct ptx_field *f = &l->tail;
	int64_t most = x->before_width - (l->before.end - l->before.start) - x->o->gap;

	if (most <= 0)
		return;
	f->start = ptx_skip_space(l->keyafter.end, one->text->all.ptr + one->text->all.len);
	f->end = f->start;
	const char *at = f->end;

	while (at < one->right && at - f->start < most) {
		f->end = at;
		at = ptx_skip_something(x, at, one->right);
	}
	if (at - f->start < most)
		f->end = at;
	if (f->end > f->start) {
		l->keyafter.cut = false;
		f->cut = is_cut(x, f->end < one->right);
	}
	f->end = ptx_skip_space_back(f->end, f->start);
}

static void fit_head(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l,
		     const char *from)
{
	struct ptx_field *f = &l->head;
	int64_t most = x->keyafter_width - (l->keyafter.end - l->keyafter.start) - x->o->gap;

	if (most <= 0)
		return;
	f->end = ptx_skip_space_back(l->before.start, one->text->all.ptr);
	f->start = from;
	while (f->end - f->start > most)
		f->start = ptx_skip_something(x, f->start, f->end);
	if (f->end > f->start) {
		l->before.cut = false;
		f->cut = is_cut(x, f->start > one->left);
	}
	f->start = ptx_skip_space(f->start, f->end);
}

static void find_reference(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l,
			   struct buf *made)
{
	struct ptx_field *f = &l->reference;

	if (x->o->auto_reference) {
		made->len = 0;
		buf_printf(made, "%s:%llu", one->text->name, (unsigned long long)one->line + 1);
		f->start = made->ptr;
		f->end = made->ptr + made->len;
	} else if (x->o->input_reference) {
		f->start = one->reference;
		f->end = ptx_skip_nonspace(f->start, one->right);
	}
}

void ptx_fit(struct ptx *x, const struct ptx_occurrence *one, struct ptx_line *l, struct buf *made)
{
	const struct ptx_field nothing = { .start = "", .end = "" };

	*l = (struct ptx_line){ nothing, nothing, nothing, nothing, nothing };
	fit_keyafter(x, one, l);
	const char *from = fit_before(x, one, l);

	fit_tail(x, one, l);
	fit_head(x, one, l, from);
	find_reference(x, one, l, made);
}
