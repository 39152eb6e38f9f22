/* SPDX-License-Identifier: MIT
 *
 * Renamed directories: where one side moved all files of a directory, what the other side put
 * into it is meant for the new place. merge.directoryRenames says whether it goes there (true),
 * goes there as a conflict (the default) or stays (false).
 */
#include "builtins/git/merge_private.h"

/* Where files of a directory went, and how many. */
struct destination {
	char *to;
	size_t files;
};

struct old_dir {
	struct destination *at;
	size_t n;
	size_t cap;
	char *to; /* where most went; NULL: nowhere, or not settled */
	bool settled;
};

/* Paths that would be moved to one place. */
struct arrival {
	char *to;
	struct names from;
	bool said;
};

struct following {
	struct merger *s;
	struct lookup *dirs[2]; /* of each side: struct old_dir by name */
	bool suggest;
	/* Of the side that is looked at: by new path, and by old path. */
	struct lookup *arrivals;
	struct lookup *departures;
};

static struct bytes parent_of(struct bytes path)
{
	const char *slash = bytes_rfind(path, BYTES("/"));

	return bytes_slice(path, 0, slash != NULL ? (size_t)(slash - path.ptr) : 0);
}

static struct bytes last_of(struct bytes path)
{
	const char *slash = bytes_rfind(path, BYTES("/"));

	return bytes_slice(path, slash != NULL ? (size_t)(slash - path.ptr) + 1 : 0, path.len);
}

static void count_move(struct following *f, int side, struct bytes from, struct bytes to)
{
	struct git *g = f->s->g;
	void **at = lookup_at(f->dirs[side], (struct bytes){ arena_dup(g->keep, from), from.len });
	struct old_dir *d = *at;

	if (d == NULL)
		d = *at = arena_zalloc(g->keep, sizeof(*d));
	cmd_charge(g->c, d->n / 4 + 1);
	for (size_t i = 0; i < d->n; i++)
		if (bytes_eq(bytes_of(d->at[i].to), to)) {
			d->at[i].files++;
			return;
		}
	LIST_ROOM(g, d->at, d->n, d->cap);
	d->at[d->n++] = (struct destination){ arena_dup(g->keep, to), 1 };
}

/* Each renamed file says something about its directory, and about those above as long as only
 * what is above them changed. */
static void count_moves(struct following *f, int side)
{
	struct merger *s = f->s;

	f->dirs[side] = lookup_new(s->g);
	for (size_t i = 0; i < s->tree[0].n; i++) {
		const char *path = s->tree[0].at[i].path;
		const char *now = lookup_get(s->moved[side].to, bytes_of(path));
		struct bytes from = parent_of(bytes_of(path));
		struct bytes to = now != NULL ? parent_of(bytes_of(now)) : from;

		while (from.len != 0 && !bytes_eq(from, to)) {
			count_move(f, side, from, to);
			if (to.len == 0 || !bytes_eq(last_of(from), last_of(to)))
				break;
			from = parent_of(from);
			to = parent_of(to);
		}
	}
}

/* The first of what lies below dir; NULL: nothing does. */
static const struct leaf *first_below(struct git *g, const struct leaves *l, struct bytes dir)
{
	char *name = git_format(g->a, "%.*s/", (int)dir.len, dir.ptr);
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(l->at[mid].path, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n && git_starts(l->at[lo].path, name) ? &l->at[lo] : NULL;
}

static bool has_dir(struct git *g, const struct leaves *l, struct bytes dir)
{
	return first_below(g, l, dir) != NULL;
}

/* Where the side moved the directory; NULL: it did not. */
static char *new_place(struct following *f, int side, struct bytes dir)
{
	struct merger *s = f->s;
	struct old_dir *d = lookup_get(f->dirs[side], dir);
	size_t best = 0;
	bool tie = false;

	if (d == NULL || d->settled)
		return d != NULL ? d->to : NULL;
	d->settled = true;
	if (has_dir(s->g, &s->tree[side + 1], dir))
		return NULL;
	for (size_t i = 1; i < d->n; i++) {
		tie = d->at[i].files == d->at[best].files ||
		      (tie && d->at[i].files < d->at[best].files);
		if (d->at[i].files > d->at[best].files)
			best = i;
	}
	if (tie) {
		char *name = arena_dup(s->g->keep, dir);

		merge_say(s, name,
			  "CONFLICT (directory rename split): Unclear where to rename %s to; it "
			  "was renamed to multiple other directories, with no destination getting "
			  "a majority of the files.\n",
			  name);
		s->m->clean = false;
		return NULL;
	}
	return d->to = d->at[best].to;
}

/* What a path of the other side becomes; NULL: it stays. */
static char *moved_path(struct following *f, int mover, const char *path)
{
	struct git *g = f->s->g;

	for (struct bytes dir = parent_of(bytes_of(path)); dir.len != 0; dir = parent_of(dir)) {
		char *to = new_place(f, mover, dir);

		cmd_charge(g->c, 1);
		if (to == NULL)
			continue;
		/* Both sides moved it, or the new place itself was moved. */
		if (new_place(f, 1 - mover, dir) != NULL)
			return NULL;
		if (new_place(f, 1 - mover, bytes_of(to)) != NULL) {
			merge_say(f->s, to,
				  "WARNING: Avoiding applying %.*s -> %s rename to %s, because %s "
				  "itself was renamed.\n",
				  (int)dir.len, dir.ptr, to, path, to);
			return NULL;
		}
		return git_format(g->keep, "%s%s%s", to, to[0] != '\0' ? "/" : "",
				  path + dir.len + 1);
	}
	return NULL;
}

static bool is_new(const struct merger *s, const char *path)
{
	return leaves_find(&s->tree[0], path) == NULL;
}

static void collect(struct following *f, int mover)
{
	struct merger *s = f->s;
	const struct leaves *l = &s->tree[2 - mover];

	f->arrivals = lookup_new(s->g);
	f->departures = lookup_new(s->g);
	for (size_t i = 0; i < l->n; i++) {
		char *to = is_new(s, l->at[i].path) ? moved_path(f, mover, l->at[i].path) : NULL;
		struct arrival *a;
		void **at;

		if (to == NULL)
			continue;
		at = lookup_at(f->arrivals, bytes_of(to));
		a = *at;
		if (a == NULL)
			a = *at = arena_zalloc(s->g->keep, sizeof(*a));
		*lookup_at(f->departures, bytes_of(l->at[i].path)) = a;
		a->to = to;
		names_add(s->g, &a->from, l->at[i].path);
	}
}

/* Whether the path can't go there, with a message. */
static bool blocked(struct following *f, int mover, struct arrival *a)
{
	struct merger *s = f->s;
	const struct leaves *l = &s->tree[2 - mover];
	struct buf list = buf_in(s->g->a);

	for (size_t i = 0; i < a->from.n; i++)
		buf_printf(&list, "%s%s", i > 0 ? ", " : "", a->from.at[i]);
	bool way = leaves_find(l, a->to) != NULL || has_dir(s->g, l, bytes_of(a->to));

	if (!way && a->from.n == 1)
		return false;
	if (!a->said && way)
		merge_say(s, a->to,
			  "CONFLICT (implicit dir rename): Existing file/dir at %s in the way of "
			  "implicit directory rename(s) putting the following path(s) there: %s.\n",
			  a->to, buf_cstr(&list));
	else if (!a->said)
		merge_say(s, a->to,
			  "CONFLICT (implicit dir rename): Cannot map more than one path to %s; "
			  "implicit directory renames tried to put these paths there: %s\n",
			  a->to, buf_cstr(&list));
	a->said = true;
	s->m->clean = false;
	return true;
}

static void say_moved(struct following *f, int mover, const char *from, const char *path,
		      const char *to)
{
	struct merger *s = f->s;
	const char *sides[2] = { s->m->ours, s->m->theirs };
	const char *how = from != NULL ? "renamed to" : "added in";
	char *what = from != NULL ? git_format(s->g->a, "%s %s %s in %s,", from, how, path,
					       sides[1 - mover])
				  : git_format(s->g->a, "%s %s %s", path, how, sides[1 - mover]);

	if (f->suggest)
		merge_say(s, to,
			  "CONFLICT (file location): %s inside a directory that was renamed in %s, "
			  "suggesting it should perhaps be moved to %s.\n",
			  what, sides[mover], to);
	else
		merge_say(s, to,
			  "Path updated: %s inside a directory that was renamed in %s; moving it "
			  "to %s.\n",
			  what, sides[mover], to);
}

static int leaf_cmp(const void *a, const void *b)
{
	return strcmp(((const struct leaf *)a)->path, ((const struct leaf *)b)->path);
}

/* The other side's tree and renames as if it had known. */
static void apply(struct following *f, int mover)
{
	struct merger *s = f->s;
	struct leaves *l = &s->tree[2 - mover];
	struct side_renames *r = &s->moved[1 - mover];
	struct leaves after = { NULL, 0, 0 };

	if (lookup_count(f->arrivals) == 0)
		return;
	for (size_t i = 0; i < l->n; i++) {
		struct leaf one = l->at[i];
		struct arrival *a = lookup_get(f->departures, bytes_of(one.path));

		if (a != NULL && !blocked(f, mover, a)) {
			char *from = lookup_get(r->from, bytes_of(one.path));

			say_moved(f, mover, from, one.path, a->to);
			if (from != NULL) {
				*lookup_at(r->to, bytes_of(from)) = a->to;
				*lookup_at(r->from, bytes_of(a->to)) = from;
			}
			*lookup_at(s->original[1 - mover], bytes_of(a->to)) = one.path;
			one.path = a->to;
			if (f->suggest)
				*lookup_at(s->suggested, bytes_of(a->to)) = a;
		}
		LIST_ROOM(s->g, after.at, after.n, after.cap);
		after.at[after.n++] = one;
	}
	git_sort(s->g, after.at, after.n, sizeof(*after.at), leaf_cmp);
	*l = after;
}

/* Whether a file of the side k (1 ours, 2 theirs) will be where it is. */
static bool stays(const struct merger *s, int k, const struct leaf *l)
{
	const struct leaf *base = leaves_find(&s->tree[0], l->path);

	if (lookup_get(s->moved[2 - k].to, bytes_of(l->path)) != NULL)
		return false;
	return base == NULL || leaves_find(&s->tree[3 - k], l->path) != NULL ||
	       base->mode != l->mode || !oid_eq(&base->oid, &l->oid);
}

bool merge_directory_stays(struct merger *s, const char *path)
{
	size_t len = strlen(path);

	for (int k = 1; k < 3; k++) {
		const struct leaf *end = s->tree[k].at + s->tree[k].n;
		const struct leaf *l = first_below(s->g, &s->tree[k], bytes_of(path));

		for (; l != NULL && l < end && strncmp(l->path, path, len) == 0 &&
		       l->path[len] == '/';
		     l++) {
			cmd_charge(s->g->c, 1);
			if (stays(s, k, l))
				return true;
		}
	}
	return false;
}

bool merge_renames_matter(struct merger *s, int side)
{
	const struct leaves *base = &s->tree[0];
	const struct leaves *other = &s->tree[2 - side];

	for (size_t i = 0; i < base->n; i++) {
		const struct leaf *b = &base->at[i];
		const struct leaf *l;

		if (leaves_find(&s->tree[side + 1], b->path) != NULL)
			continue;
		l = leaves_find(other, b->path);
		if (l == NULL || l->mode != b->mode || !oid_eq(&l->oid, &b->oid))
			return true;
	}
	for (size_t i = 0; i < other->n; i++) {
		struct bytes dir = parent_of(bytes_of(other->at[i].path));

		cmd_charge(s->g->c, 1);
		for (; is_new(s, other->at[i].path) && dir.len != 0; dir = parent_of(dir))
			if (has_dir(s->g, base, dir) && !has_dir(s->g, &s->tree[side + 1], dir))
				return true;
	}
	return false;
}

void merge_follow_directories(struct merger *s)
{
	const char *how = config_get(s->g, "merge.directoryrenames");
	struct following f = { .s = s };
	int truth = how != NULL ? config_truth(how) : -1;

	f.suggest = truth < 0;
	if (truth == 0 || s->m->no_renames)
		return;
	for (int side = 0; side < 2; side++)
		count_moves(&f, side);
	for (int side = 0; side < 2; side++) {
		if (lookup_count(f.dirs[side]) == 0)
			continue;
		collect(&f, side);
		apply(&f, side);
	}
}
