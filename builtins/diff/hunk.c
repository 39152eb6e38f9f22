/* SPDX-License-Identifier: MIT
 *
 * Changes, and which of them are shown together or not at all.
 */
#include "builtins/diff/diff.h"

/* A line that -B takes for blank. */
static bool is_blank_line(const struct diff_opts *o, struct bytes s)
{
	size_t i = 0;

	if (!o->blank_lines)
		return false;
	if (o->space >= DIFF_SPACE_TRAILING)
		while (i < s.len && byte_is_space((unsigned char)s.ptr[i]))
			i++;
	return i == s.len;
}

static bool is_ignored(const struct diff *d, const struct diff_change *change)
{
	const struct diff_opts *o = d->o;

	for (int f = 0; f < 2; f++) {
		for (size_t i = 0; i < change->count[f]; i++) {
			struct bytes s = d->file[f].line[change->line[f] + i];

			cmd_charge(d->c, 1);
			if (!is_blank_line(o, s) &&
			    (o->ignore_lines == NULL || regex_test(o->ignore_lines, s, 0) != 0))
				return false;
		}
	}
	return true;
}

static void add_change(struct diff *d, const struct diff_change *change)
{
	size_t n = d->nchanges;

	if ((n & (n - 1)) == 0)
		d->change = arena_grow(d->c->arena, d->change, n * sizeof(*change),
				       (n * 2 + 1) * sizeof(*change));
	d->change[d->nchanges++] = *change;
}

void diff_list_changes(struct diff *d)
{
	const char *a = d->file[0].changed;
	const char *b = d->file[1].changed;
	bool ignoring = d->o->blank_lines || d->o->ignore_lines != NULL;
	size_t i = d->file[0].from;
	size_t k = d->file[1].from;

	while (i < d->file[0].to || k < d->file[1].to) {
		struct diff_change change = { { i, k }, { 0, 0 }, false };

		while (a[i])
			i++;
		while (b[k])
			k++;
		change.count[0] = i - change.line[0];
		change.count[1] = k - change.line[1];
		if (change.count[0] + change.count[1] > 0) {
			change.ignored = ignoring && is_ignored(d, &change);
			add_change(d, &change);
			cmd_charge(d->c, 1);
		} else {
			i++;
			k++;
		}
	}
}

void diff_find_changes(struct diff *d)
{
	diff_split(d, 0);
	diff_split(d, 1);
	diff_classify(d);
	diff_compare(d);
	diff_list_changes(d);
}

bool diff_matters(const struct diff *d)
{
	for (size_t i = 0; i < d->nchanges; i++)
		if (!d->change[i].ignored)
			return true;
	return false;
}

size_t diff_hunk_end(const struct diff *d, size_t i, size_t context)
{
	while (i + 1 < d->nchanges) {
		const struct diff_change *here = &d->change[i];
		const struct diff_change *next = here + 1;
		size_t gap = next->line[0] - (here->line[0] + here->count[0]);
		size_t limit = next->ignored ? context : 2 * context + 1;

		if (gap >= limit)
			break;
		i++;
	}
	return i + 1;
}

bool diff_hunk_ignored(const struct diff *d, size_t i, size_t end)
{
	for (; i < end; i++)
		if (!d->change[i].ignored)
			return false;
	return true;
}

struct bytes diff_function(struct diff *d, size_t n)
{
	size_t seen = d->function_seen;

	if (d->o->function == NULL)
		return (struct bytes){ NULL, 0 };
	d->function_seen = n;
	for (size_t i = n; i > seen; i--) {
		cmd_charge(d->c, 1);
		if (regex_test(d->o->function, d->file[0].line[i - 1], 0) == 0) {
			d->function_line = i;
			break;
		}
	}
	if (d->function_line == 0)
		return (struct bytes){ NULL, 0 };
	return d->file[0].line[d->function_line - 1];
}
