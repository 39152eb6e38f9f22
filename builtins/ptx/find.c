/* SPDX-License-Identifier: MIT
 *
 * ptx: finds the keywords of a text, each with the sentence or line around it.
 */
#include "builtins/ptx/ptx.h"

/* Where in its text the search for keywords is. */
struct scan {
	struct ptx_text *text;
	const char *end;
	const char *line;      /* the line of `at` begins here */
	const char *at;        /* lines are counted up to it */
	size_t reference_size; /* of the line (-r) */
};

static void next_line(struct ptx *x, struct scan *s)
{
	s->text->lines++;
	s->line = ++s->at;
	s->at = ptx_skip_nonspace(s->at, s->end);
	s->reference_size = (size_t)(s->at - s->line);
	x->work += s->reference_size;
}

/* Counts lines up to the key. False: it is part of a reference. */
static bool reach_key(struct ptx *x, struct scan *s, struct bytes key)
{
	x->work += s->at < key.ptr ? (size_t)(key.ptr - s->at) : 0;
	while (s->at < key.ptr)
		if (*s->at == '\n')
			next_line(x, s);
		else
			s->at++;
	return s->at <= key.ptr;
}

static void add_occurrence(struct ptx *x, struct scan *s, struct bytes key, const char *left,
			   const char *right)
{
	if (x->o->input_reference && !reach_key(x, s, key))
		return;
	if (ptx_has_word(x, &x->ignore, key))
		return;
	if (x->only.n > 0 && !ptx_has_word(x, &x->only, key))
		return;
	struct ptx_occurrence *one = ptx_add_word(x, &x->found, key);

	if (x->o->auto_reference)
		reach_key(x, s, key);
	else if (x->o->input_reference && x->reference_width < (int64_t)s->reference_size)
		x->reference_width = (int64_t)s->reference_size;
	if (x->o->input_reference && s->line == left)
		left = ptx_skip_space(ptx_skip_nonspace(left, right), right);
	one->left = left;
	one->right = right;
	one->reference = s->line;
	one->line = s->text->lines;
	one->text = s->text;
}

/* The next keyword in [at, end). */
static bool next_key(struct ptx *x, const char *at, const char *end, struct bytes *key)
{
	struct regex_span span;

	if (x->word.text != NULL) {
		if (!ptx_match(x, x->word.re, at, end, &span))
			return false;
		*key = (struct bytes){ at + span.from, span.to - span.from };
		return true;
	}
	while (at < end && !x->in_word[(unsigned char)*at])
		at++;
	key->ptr = at;
	while (at < end && x->in_word[(unsigned char)*at])
		at++;
	key->len = (size_t)(at - key->ptr);
	return key->len > 0;
}

static void find_keys(struct ptx *x, struct scan *s, const char *left, const char *right)
{
	struct bytes key;

	for (const char *at = left; next_key(x, at, right, &key);) {
		x->work += (size_t)(key.ptr - at) + key.len + 32;
		at = key.ptr + key.len;
		if (key.len == 0) {
			if (at++ >= right)
				break;
			continue;
		}
		if (key.len > x->longest)
			x->longest = key.len;
		add_occurrence(x, s, key, left, right);
		cmd_charge_bytes(x->c, x->work);
		x->work = 0;
	}
}

void ptx_find_occurrences(struct ptx *x, struct ptx_text *text)
{
	const char *start = text->all.ptr;
	const char *end = start + text->all.len;
	struct scan s = { .text = text, .end = end, .line = start, .at = start };
	struct regex_span span;

	if (x->o->input_reference) {
		s.at = ptx_skip_nonspace(s.at, end);
		s.reference_size = (size_t)(s.at - start);
		s.at = ptx_skip_space(s.at, end);
	}
	for (const char *at = start, *next; at < end; at = next) {
		next = end;
		if (x->sentence.text != NULL && ptx_match(x, x->sentence.re, at, end, &span)) {
			/* It is told so whatever the length, if nothing stands before. */
			if (span.from == 0)
				cmd_fatal(
					x->c, 0,
					"error: regular expression has a match of length zero: %s",
					cmd_quote(x->c, x->sentence.text));
			next = at + span.to;
		}
		find_keys(x, &s, at, ptx_skip_space_back(next, at));
		cmd_charge_bytes(x->c, (size_t)(next - at));
	}
}
