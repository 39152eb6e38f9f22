/* SPDX-License-Identifier: MIT
 *
 * Where a hunk fits. It is tried where it says, moved by what the hunk before was moved, then
 * further and further away on both sides; fuzz leaves out context at both ends.
 */
#include "builtins/patch/patch.h"

size_t patch_context(const struct patch_hunk *h, size_t *before, size_t *after)
{
	*before = *after = 0;
	while (*before < h->n && h->line[*before].kind == ' ')
		++*before;
	while (*after < h->n && h->line[h->n - 1 - *after].kind == ' ')
		++*after;
	return *before > *after ? *before : *after;
}

/* Equal but for how much blank space there is. */
static bool similar(struct bytes a, struct bytes b)
{
	size_t i = 0;
	size_t k = 0;

	for (;;) {
		bool blank = false;

		for (; i < a.len && byte_is_space((unsigned char)a.ptr[i]); i++)
			blank = true;
		bool other = false;

		for (; k < b.len && byte_is_space((unsigned char)b.ptr[k]); k++)
			other = true;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (blank != other || a.ptr[i] != b.ptr[k])
			return false;
		i++;
		k++;
	}
}

bool patch_equal(const struct patch_opts *o, struct bytes a, struct bytes b)
{
	return o->ignore_space ? similar(a, b) : bytes_eq(a, b);
}

/* Equal lines have equal ones. */
uint32_t patch_hash_line(const struct patch_opts *o, struct bytes text)
{
	uint32_t h = 0;

	if (!o->ignore_space)
		return (uint32_t)bytes_hash(text);
	for (size_t i = 0; i < text.len; i++)
		if (!byte_is_space((unsigned char)text.ptr[i]))
			h = h * 31 + (unsigned char)text.ptr[i];
	return h;
}

bool patch_same_line(const struct patch_target *t, const struct patch_opts *o,
		     const struct patch_line *l, size_t at)
{
	bool unended = t->unended && at + 1 == t->n;

	cmd_charge_bytes(t->c, l->text.len);
	return patch_equal(o, t->line[at], l->text) && (o->ignore_space || unended == l->unended);
}

static bool matches(struct patch_target *t, const struct patch_opts *o, const struct patch_hunk *h,
		    int64_t where, size_t skip, size_t skip_end)
{
	size_t line = 0;

	cmd_charge(t->c, 1);
	for (size_t i = 0; i < h->n; i++) {
		const struct patch_line *l = &h->line[i];

		if (l->kind == '+')
			continue;
		size_t n = line++;

		if (n < skip || n >= h->old_count - skip_end)
			continue;
		size_t at = (size_t)where - 1 + n;

		if (at >= t->n || !patch_same_line(t, o, l, at))
			return false;
	}
	return true;
}

static size_t found(struct patch_target *t, int64_t guess, int64_t offset)
{
	t->offset += offset;
	return (size_t)(guess + offset);
}

size_t patch_locate(struct patch_target *t, const struct patch_opts *o, const struct patch_hunk *h,
		    size_t fuzz)
{
	size_t before, after;
	int64_t context = (int64_t)patch_context(h, &before, &after);
	int64_t head = (int64_t)fuzz + (int64_t)before - context;
	int64_t tail = (int64_t)fuzz + (int64_t)after - context;
	int64_t guess = (int64_t)h->old_first + t->offset;
	int64_t lines = (int64_t)h->old_count;
	int64_t max_down = (int64_t)t->n - (lines - (tail > 0 ? tail : 0)) + 1 - guess;
	int64_t max_up = guess - ((int64_t)t->frozen + 1);

	if (lines == 0 && t->must_be_new && t->n > 0)
		return 0;
	if (lines == 0)
		return guess < 1 ? 0 : (size_t)guess;
	if (guess <= max_up)
		max_up = guess - 1;
	if (head < 0 && h->old_first <= 1) {
		/* Less context in front than behind: the beginning of the file. */
		if (t->frozen > before || (tail < 0 && lines != (int64_t)t->n) ||
		    1 - guess > max_down || !matches(t, o, h, 1, 0, tail > 0 ? (size_t)tail : 0))
			return 0;
		return found(t, guess, 1 - guess);
	}
	head = head < 0 ? 0 : head;
	if (tail < 0) {
		int64_t up = guess - ((int64_t)t->n - lines + 1);

		if (up > max_up || guess - up < 1 || !matches(t, o, h, guess - up, (size_t)head, 0))
			return 0;
		return found(t, guess, -up);
	}
	int64_t offset = max_down < 0 ? -max_down : max_up < 0 ? -max_up : 0;

	for (; offset <= max_down || offset <= max_up; offset++) {
		if (offset <= max_down && guess + offset >= 1 &&
		    matches(t, o, h, guess + offset, (size_t)head, (size_t)tail))
			return found(t, guess, offset);
		if (offset <= max_up &&
		    matches(t, o, h, guess - offset, (size_t)head, (size_t)tail))
			return found(t, guess, -offset);
	}
	return 0;
}

void patch_put_line(struct patch_target *t, struct bytes text, bool ended)
{
	if (t->torn)
		buf_putc(&t->out, '\n');
	buf_add(&t->out, text);
	if (ended)
		buf_putc(&t->out, '\n');
	t->torn = !ended;
	t->put++;
}

void patch_copy_lines(struct patch_target *t, size_t to)
{
	for (; t->frozen < to && t->frozen < t->n; t->frozen++)
		patch_put_line(t, t->line[t->frozen], !t->unended || t->frozen + 1 < t->n);
	cmd_charge(t->c, 1);
}

/* --- -D --- */

enum define { OUTSIDE, IN_OLD, IN_NEW, IN_ELSE };

/* A line such as "#else", which does not end one that has no newline for good. */
static void put_directive(struct patch_target *t, const char *text, const char *name)
{
	buf_printf(&t->out, "%s#%s%s\n", t->torn ? "\n" : "", text, name);
}

/* In front of a line of the old text (a deleted one) or of the new. */
static enum define define_line(struct patch_target *t, enum define in, bool old)
{
	if (in == OUTSIDE) {
		put_directive(t, old ? "ifndef " : "ifdef ", t->define);
		return old ? IN_OLD : IN_NEW;
	}
	if (in == (old ? IN_NEW : IN_OLD)) {
		put_directive(t, "else", "");
		return IN_ELSE;
	}
	return in;
}

static enum define end_define(struct patch_target *t, enum define in)
{
	if (in != OUTSIDE)
		put_directive(t, "endif", "");
	return OUTSIDE;
}

/* --- */

/* Context behind the last change is left to the next hunk, which may need it. */
void patch_apply(struct patch_target *t, const struct patch_hunk *h, size_t where)
{
	size_t at = where - 1;
	enum define in = OUTSIDE;

	for (size_t i = 0; i < h->n; i++) {
		const struct patch_line *l = &h->line[i];

		if (l->kind == ' ') {
			in = end_define(t, in);
			at++;
			continue;
		}
		patch_copy_lines(t, at);
		if (t->define != NULL)
			in = define_line(t, in, l->kind == '-');
		if (l->kind == '+')
			patch_put_line(t, l->text, !l->unended);
		else if (t->define != NULL)
			patch_copy_lines(t, ++at);
		else
			t->frozen = ++at;
	}
	end_define(t, in);
}

void patch_finish(struct patch_target *t)
{
	patch_copy_lines(t, t->n);
}
