/* SPDX-License-Identifier: MIT
 *
 * --dirstat: how much of what changed is below each directory.
 */
#include "builtins/git/diff.h"

struct damaged {
	const char *path;
	uint64_t damage;
};

struct dirstat {
	struct git *g;
	const struct diff_opts *o;
	struct damaged *at;
	size_t n;
	size_t next;
	uint64_t all;
	struct buf *out;
};

static int path_cmp(const void *a, const void *b)
{
	return strcmp(((const struct damaged *)a)->path, ((const struct damaged *)b)->path);
}

/* Bytes that went and that came; something, if the content is another one. */
static uint64_t damage_of(struct git *g, struct diff_opts *o, struct diff_pair *p)
{
	bool same = p->one->oid_known && p->two->oid_known && oid_eq(&p->one->oid, &p->two->oid);
	struct diff_counts n;

	if (o->dirstat.what == DIRSTAT_LINES) {
		diff_count(g, o, p, &n);
		/* A binary file's lines are taken to be 64 bytes long. */
		return n.binary ? (n.added + n.deleted + 63) / 64 : n.added + n.deleted;
	}
	if (same && p->one->mode != 0 && p->two->mode != 0)
		return 0;
	if (o->dirstat.what == DIRSTAT_FILES)
		return 1;
	uint64_t damage = diff_damage(g, p->one, p->two);

	return damage != 0 ? damage : 1;
}

/* What is below a directory, after the directories inside of it were shown. */
static uint64_t gather(struct dirstat *d, size_t base, int depth)
{
	const char *dir = d->at[d->next].path;
	uint64_t sum = 0;
	bool several = false;
	size_t dirs = 0;

	while (d->next < d->n && strncmp(d->at[d->next].path, dir, base) == 0) {
		const char *slash = strchr(d->at[d->next].path + base, '/');

		cmd_charge(d->g->c, 1);
		if (slash != NULL && depth < GIT_DEPTH_MAX) {
			sum += gather(d, (size_t)(slash + 1 - d->at[d->next].path), depth + 1);
			several = several || ++dirs > 1;
		} else {
			sum += d->at[d->next++].damage;
			several = true;
		}
	}
	/* Not the top, nor where everything is in one directory inside. */
	if (base == 0 || !several || sum == 0)
		return sum;
	unsigned permille = (unsigned)(sum * 1000 / d->all);

	if (permille < (unsigned)d->o->dirstat.permille)
		return sum;
	buf_printf(d->out, "%4u.%01u%% %.*s\n", permille / 10, permille % 10, (int)base, dir);
	return d->o->dirstat.cumulative ? sum : 0;
}

void diff_put_dirstat(struct git *g, struct diff_opts *o, struct diff_queue *q, struct buf *out)
{
	struct dirstat d = { .g = g, .o = o, .out = out };

	d.at = arena_array(g->a, q->n + 1, sizeof(*d.at));
	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		uint64_t damage = p->status == 'U' ? 0 : damage_of(g, o, p);

		if (damage == 0)
			continue;
		d.at[d.n++] = (struct damaged){ p->two->mode != 0 ? p->two->path : p->one->path,
						damage };
		d.all += damage;
	}
	if (d.n == 0)
		return;
	git_sort(g, d.at, d.n, sizeof(*d.at), path_cmp);
	gather(&d, 0, 0);
}

/* --- parameters --- */

static bool is_percent(const char *text, int *permille)
{
	const char *p = text;
	int v = 0;

	if (!byte_is_digit((unsigned char)*p))
		return false;
	for (; byte_is_digit((unsigned char)*p); p++)
		v = v < 100000 ? v * 10 + (*p - '0') : v;
	v *= 10;
	if (*p == '.') {
		if (!byte_is_digit((unsigned char)p[1]))
			return false;
		v += *++p - '0';
		while (byte_is_digit((unsigned char)*p))
			p++;
	}
	*permille = v;
	return *p == '\0';
}

/* One of "changes,lines,files,cumulative,noncumulative,10": what is wrong goes to errors. */
static void take_word(struct git *g, struct diff_dirstat *d, const char *word, struct buf *errors)
{
	int permille;

	if (strcmp(word, "changes") == 0)
		d->what = DIRSTAT_CHANGES;
	else if (strcmp(word, "lines") == 0)
		d->what = DIRSTAT_LINES;
	else if (strcmp(word, "files") == 0)
		d->what = DIRSTAT_FILES;
	else if (strcmp(word, "cumulative") == 0 || strcmp(word, "noncumulative") == 0)
		d->cumulative = word[0] == 'c';
	else if (is_percent(word, &permille))
		d->permille = permille;
	else if (byte_is_digit((unsigned char)word[0]))
		buf_printf(errors, "  Failed to parse dirstat cut-off percentage '%s'\n", word);
	else
		buf_printf(errors, "  Unknown dirstat parameter '%s'\n", word);
	(void)g;
}

const char *diff_dirstat_words(struct git *g, struct diff_dirstat *d, const char *words)
{
	struct buf errors = buf_in(g->a);

	while (*words != '\0') {
		size_t n = strcspn(words, ",");

		take_word(g, d, git_format(g->a, "%.*s", (int)n, words), &errors);
		words += n + (words[n] == ',');
	}
	return errors.len != 0 ? buf_cstr(&errors) : NULL;
}
