/* SPDX-License-Identifier: MIT
 *
 * Logs of references read from their ends, as log -g and rev-list -g have them.
 */
#include "builtins/git/walk.h"

/* One log, read from its end. */
struct log_walk {
	const char *name; /* as shown in front of "@{n}" */
	struct reflog_entry *log;
	size_t n;
	size_t left;   /* log[left - 1] is next */
	bool by_index; /* named "main@{2}": entries are shown by number */
};

static int64_t next_time(const struct log_walk *w)
{
	struct person who;

	person_split(w->log[w->left - 1].who, &who);
	return who.time;
}

/* Whether a log is shown by the name that was given, not by the whole one. */
static bool is_shown(struct git *g, const char *name, const char *full)
{
	return strcmp(name, full) == 0 || strcmp(git_format(g->a, "refs/%s", name), full) == 0 ||
	       strcmp(git_format(g->a, "refs/heads/%s", name), full) == 0;
}

/* "main", "main@{2}", "@{1}": false if there is no such reference. */
static bool open_log(struct git *g, const char *given, struct log_walk *w)
{
	struct oid o;
	bool several;
	const char *at = strstr(given, "@{");
	char *name = at != NULL ? git_format(g->keep, "%.*s", (int)(at - given), given)
				: arena_dup(g->keep, bytes_of(given));
	char *full = ref_expand(g, name[0] != '\0' ? name : "HEAD", &o, &several);
	int64_t start = 0;

	if (full == NULL)
		return false;
	if (at != NULL &&
	    git_number(git_format(g->a, "%.*s", (int)strcspn(at + 2, "}"), at + 2), &start))
		start = start < 0 ? 0 : start;
	*w = (struct log_walk){ .name = name[0] == '\0'           ? ref_short(g, full)
					: is_shown(g, name, full) ? name
								  : full,
				.by_index = start > 0 };
	w->n = reflog_read(g, full, &w->log);
	/* An empty log of HEAD: that of the branch it stands for. */
	if (w->n == 0 && ref_symbolic(g, full) != NULL)
		w->n = reflog_read(g, ref_symbolic(g, full), &w->log);
	w->left = (size_t)start < w->n ? w->n - (size_t)start : 0;
	return true;
}

struct reflog_walk {
	struct git *g;
	struct revs *r;
	struct log_walk *at;
	size_t n;
};

struct reflog_walk *reflog_walk_new(struct git *g, struct revs *r)
{
	struct reflog_walk *w = arena_zalloc(g->keep, sizeof(*w));

	*w = (struct reflog_walk){ g, r, arena_array(g->keep, r->nitems + 1, sizeof(*w->at)),
				   r->nitems };
	for (size_t i = 0; i < w->n; i++)
		if (!open_log(g, r->item[i].name, &w->at[i]))
			rev_die_ambiguous(g, r->item[i].name);
	return w;
}

static void name_entry(struct git *g, struct pretty *p, const struct log_walk *w)
{
	struct buf b = buf_in(g->keep);
	struct person who;

	p->reflog = &w->log[w->left - 1];
	buf_printf(&b, "%s@{", w->name);
	if (p->date_given && !w->by_index) {
		person_split(p->reflog->who, &who);
		date_put(g, &b, who.time, who.zone, &p->date);
	} else {
		buf_printf(&b, "%zu", w->n - w->left);
	}
	buf_putc(&b, '}');
	p->reflog_name = buf_cstr(&b);
}

/* Of several logs the youngest entry comes first. */
static struct log_walk *youngest(struct reflog_walk *w)
{
	struct log_walk *best = NULL;

	cmd_charge(w->g->c, w->n);
	for (size_t i = 0; i < w->n; i++)
		if (w->at[i].left != 0 && (best == NULL || next_time(&w->at[i]) > next_time(best)))
			best = &w->at[i];
	return best;
}

struct commit *reflog_walk_next(struct reflog_walk *w, struct pretty *p)
{
	struct log_walk *best;

	while (w->r->max_count != 0 && (best = youngest(w)) != NULL) {
		struct commit *c = commit_at(w->g, &best->log[best->left - 1].after);
		bool takes = commit_load(w->g, c) && revs_takes(w->r, c);

		if (takes && w->r->skip > 0) {
			w->r->skip--;
			takes = false;
		}
		if (takes)
			name_entry(w->g, p, best);
		best->left--;
		if (!takes)
			continue;
		w->r->max_count -= w->r->max_count > 0;
		return c;
	}
	return NULL;
}
