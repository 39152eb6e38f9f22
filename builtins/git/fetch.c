/* SPDX-License-Identifier: MIT
 *
 * One remote fetched: what is wanted of it, the objects, the references here, FETCH_HEAD.
 */
#include "builtins/git/fetch.h"

enum { SUMMARY_WIDTH = 17, NAME_WIDTH = 10, LINE_WIDTH = 80 };

/* One reference there and what it becomes here. */
struct wanted {
	const struct ref *ref;
	char *local; /* NULL: only FETCH_HEAD */
	bool force;
	bool merge;     /* of those that a pull merges */
	bool unlisted;  /* not in FETCH_HEAD: it was updated by the way */
	struct oid old; /* what is here */
	bool has_old;
};

/* --atomic: a reference that is written if none was refused. */
struct later {
	const char *name;
	struct oid oid;
	const char *message;
};

struct fetching {
	struct later *later;
	size_t nlater, later_cap;
	struct git *g;
	struct git *from;
	const struct fetch_opts *o;
	struct remote remote;
	const char *shown; /* URL for messages */
	const char *action;
	struct ref *refs;
	size_t nrefs;
	struct wanted *at;
	size_t n;
	size_t cap;
	size_t name_width;
	bool said_from;
	bool failed;
};

/* --- what is wanted --- */

static struct wanted *want(struct fetching *f, const struct ref *r, char *local, bool force)
{
	struct wanted *w;

	cmd_charge(f->g->c, f->n / 8);
	for (size_t i = 0; i < f->n; i++) {
		w = &f->at[i];
		if (w->ref == r && local != NULL && w->local != NULL &&
		    strcmp(w->local, local) == 0)
			return w;
	}
	LIST_ROOM(f->g, f->at, f->n, f->cap);
	w = &f->at[f->n++];
	*w = (struct wanted){ .ref = r, .local = local, .force = force };
	return w;
}

static bool is_wanted(const struct fetching *f, const struct ref *r, const char *local)
{
	cmd_charge(f->g->c, f->n / 8);
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].ref == r && f->at[i].local != NULL &&
		    strcmp(f->at[i].local, local) == 0)
			return true;
	return false;
}

static const struct ref *offered(const struct fetching *f, const char *name)
{
	git_charge_search(f->g, f->nrefs, name);
	for (size_t i = 0; i < f->nrefs; i++)
		if (strcmp(f->refs[i].name, name) == 0)
			return &f->refs[i];
	return NULL;
}

/* "x" as the remote would understand it. */
static const struct ref *find_there(const struct fetching *f, const char *name)
{
	static const char *const rules[] = { "", "refs/", "refs/tags/", "refs/heads/",
					     "refs/remotes/" };

	for (size_t i = 0; i < 5; i++) {
		const struct ref *r = offered(f, git_format(f->g->a, "%s%s", rules[i], name));

		if (r != NULL)
			return r;
	}
	return NULL;
}

/* A full commit name that the remote has. */
static const struct ref *find_object(struct fetching *f, const char *name)
{
	struct ref *r;
	struct oid o;

	if (strlen(name) != OID_HEX || !oid_parse(name, &o) || !object_exists(f->from, &o))
		return NULL;
	r = arena_zalloc(f->g->keep, sizeof(*r));
	r->name = arena_dup(f->g->keep, bytes_of(name));
	r->oid = o;
	return r;
}

/* "x" here: below refs/heads unless it says more. */
static char *local_name(struct fetching *f, const char *dst)
{
	if (git_starts(dst, "refs/"))
		return arena_dup(f->g->keep, bytes_of(dst));
	if (git_starts(dst, "heads/") || git_starts(dst, "tags/") || git_starts(dst, "remotes/"))
		return git_format(f->g->keep, "refs/%s", dst);
	return git_format(f->g->keep, "refs/heads/%s", dst);
}

static void want_spec(struct fetching *f, const struct refspec *s, bool merge)
{
	struct git *g = f->g;
	const struct ref *r;

	if (s->negative)
		return;
	if (s->pattern) {
		git_charge_search(g, f->nrefs * 4, s->src);
		for (size_t i = 0; i < f->nrefs; i++) {
			struct refspecs one = { (struct refspec *)(uintptr_t)s, 1, 1 };
			char *local = refspecs_map(g, &one, f->refs[i].name, NULL);

			if (local != NULL && strcmp(f->refs[i].name, "HEAD") != 0)
				want(f, &f->refs[i], local, s->force)->merge = merge;
		}
		return;
	}
	r = find_there(f, s->src);
	if (r == NULL)
		r = find_object(f, s->src);
	if (r == NULL)
		git_die(g, "couldn't find remote ref %s", s->src);
	want(f, r, s->dst != NULL ? local_name(f, s->dst) : NULL, s->force)->merge = merge;
}

/* branch.X.merge of the current branch, if this is its remote. */
static void mark_merge(struct fetching *f)
{
	struct git *g = f->g;
	char *head = head_ref(g);
	const char *remote;
	struct names merge = { NULL, 0, 0 };

	if (head == NULL)
		return;
	remote = config_get(g, git_format(g->a, "branch.%s.remote", ref_short(g, head)));
	if (remote == NULL || strcmp(remote, f->remote.name) != 0)
		return;
	config_all(g, git_format(g->a, "branch.%s.merge", ref_short(g, head)), &merge);
	for (size_t i = 0; i < merge.n; i++) {
		bool found = false;
		const struct ref *r;

		git_charge_search(g, f->n, merge.at[i]);
		for (size_t k = 0; k < f->n; k++)
			if (strcmp(f->at[k].ref->name, merge.at[i]) == 0)
				f->at[k].merge = found = true;
		r = found ? NULL : find_there(f, merge.at[i]);
		if (r != NULL)
			want(f, r, NULL, false)->merge = true;
	}
}

/* Whether an object is here, or comes with what is wanted. */
static bool comes_along(struct fetching *f, const struct oid *o)
{
	struct oid c;

	if (object_exists(f->g, o))
		return true;
	if (!object_peel(f->from, o, OBJECT_COMMIT, &c))
		return false;
	for (size_t i = 0; i < f->n; i++) {
		struct oid tip;

		cmd_charge(f->g->c, 1);
		if (f->at[i].ref->oid.hash[0] == o->hash[0] && oid_eq(&f->at[i].ref->oid, o))
			return true;
		if (object_peel(f->from, &f->at[i].ref->oid, OBJECT_COMMIT, &tip) &&
		    is_ancestor(f->from, commit_at(f->from, &c), commit_at(f->from, &tip)))
			return true;
	}
	return object_exists(f->g, &c);
}

static void want_tags(struct fetching *f, bool all)
{
	struct git *g = f->g;

	for (size_t i = 0; i < f->nrefs; i++) {
		/* Tags go by their names: those of bundles stand the other way round. */
		size_t at = f->from->bundle != NULL ? f->nrefs - 1 - i : i;
		const struct ref *r = &f->refs[at];
		struct oid peeled;

		if (!git_starts(r->name, "refs/tags/"))
			continue;
		if (!all && (ref_exists(g, r->name) ||
			     !object_peel(f->from, &r->oid, OBJECT_NONE, &peeled) ||
			     !comes_along(f, &peeled)))
			continue;
		want(f, r, arena_dup(g->keep, bytes_of(r->name)), false);
	}
}

static void want_all(struct fetching *f, char **specs, int n)
{
	struct git *g = f->g;
	struct refspecs given = { NULL, 0, 0 };
	int tags = f->o->tags;
	const char *opt = config_get(g, git_format(g->a, "remote.%s.tagopt", f->remote.name));
	bool follow = n == 0 && f->remote.fetch.n != 0;

	if (tags == 0 && opt != NULL)
		tags = strcmp(opt, "--no-tags") == 0 ? -1 : strcmp(opt, "--tags") == 0;
	for (int i = 0; i < n; i++) {
		const char *spec = specs[i];

		if (strcmp(spec, "tag") == 0 && i + 1 < n) {
			i++;
			spec = git_format(g->keep, "refs/tags/%s:refs/tags/%s", specs[i], specs[i]);
		}
		refspec_add(g, &given, spec, true);
		follow = follow || given.at[given.n - 1].dst != NULL;
	}
	for (size_t i = 0; i < given.n; i++)
		want_spec(f, &given.at[i], true);
	for (size_t i = 0; n != 0 && i < f->n; i++) {
		const struct refspec *which = NULL;
		char *local = refspecs_map(g, &f->remote.fetch, f->at[i].ref->name, &which);

		/* What is tracked follows by the way. */
		if (local != NULL && !f->at[i].unlisted && !is_wanted(f, f->at[i].ref, local))
			want(f, f->at[i].ref, local, which->force)->unlisted = true;
	}
	for (size_t i = 0; n == 0 && i < f->remote.fetch.n; i++)
		want_spec(f, &f->remote.fetch.at[i],
			  i == 0 && !f->remote.fetch.at[i].pattern && !f->remote.configured);
	if (n == 0 && f->remote.fetch.n == 0) {
		const struct ref *head = offered(f, "HEAD");

		if (head == NULL)
			git_die(g, "couldn't find remote ref HEAD");
		want(f, head, NULL, false)->merge = true;
	}
	if (n == 0)
		mark_merge(f);
	if (tags > 0 || (tags == 0 && follow))
		want_tags(f, tags > 0);
}

/* --- messages --- */

static const char *pretty(struct git *g, const char *name)
{
	return ref_short(g, name);
}

static void say(struct fetching *f, char code, const char *summary, const char *remote,
		const char *local, const char *extra)
{
	if (f->o->quiet)
		return;
	if (!f->said_from)
		git_say(f->g, "From %s\n", f->shown);
	f->said_from = true;
	git_say(f->g, " %c %-*s %-*s -> %s%s%s%s\n", code, SUMMARY_WIDTH, summary,
		(int)f->name_width, remote, local, extra != NULL ? "  (" : "",
		extra != NULL ? extra : "", extra != NULL ? ")" : "");
}

static void measure(struct fetching *f)
{
	struct git *g = f->g;

	f->name_width = NAME_WIDTH;
	for (size_t i = 0; i < f->n; i++) {
		const struct wanted *w = &f->at[i];
		size_t there, here;

		if (w->local == NULL ||
		    (f->o->verbose == 0 && w->has_old && oid_eq(&w->old, &w->ref->oid)))
			continue;
		there = git_columns(bytes_of(pretty(g, w->ref->name)));
		here = git_columns(bytes_of(pretty(g, w->local)));
		if (21 + there + 4 + here < LINE_WIDTH && there > f->name_width)
			f->name_width = there;
	}
}

/* --- references here --- */

static const char *range(struct fetching *f, const struct wanted *w, const char *dots)
{
	return git_format(f->g->a, "%s%s%s", oid_short(f->g, &w->old, 0), dots,
			  oid_short(f->g, &w->ref->oid, 0));
}

/* False: another reference is in the way. */
static bool set_ref(struct fetching *f, const struct wanted *w, const char *what)
{
	char *other = w->has_old ? NULL : ref_conflict(f->g, w->local);

	if (other != NULL) {
		git_error(f->g, "cannot lock ref '%s': '%s' exists; cannot create '%s'", w->local,
			  other, w->local);
		f->failed = true;
		return false;
	}
	if (f->o->dry_run)
		return true;
	char *message = git_format(f->g->keep, "%s: %s", f->action, what);

	if (f->o->atomic) {
		LIST_ROOM(f->g, f->later, f->nlater, f->later_cap);
		f->later[f->nlater++] = (struct later){ w->local, w->ref->oid, message };
	} else {
		ref_update(f->g, w->local, &w->ref->oid, NULL, message, false);
	}
	return true;
}

static void create(struct fetching *f, const struct wanted *w)
{
	const char *name = w->ref->name;
	bool tag = git_starts(name, "refs/tags/");
	bool branch = git_starts(name, "refs/heads/");

	bool done = set_ref(f, w, tag ? "storing tag" : branch ? "storing head" : "storing ref");

	say(f, done ? '*' : '!',
	    tag      ? "[new tag]"
	    : branch ? "[new branch]"
		     : "[new ref]",
	    strcmp(name, "HEAD") == 0 ? "" : pretty(f->g, name), pretty(f->g, w->local),
	    done ? NULL : "unable to update local ref");
}

static void update(struct fetching *f, const struct wanted *w)
{
	struct git *g = f->g;
	const char *there = pretty(g, w->ref->name);
	const char *here = pretty(g, w->local);
	bool force = w->force || f->o->force;
	struct oid a, b;

	if (w->has_old && oid_eq(&w->old, &w->ref->oid)) {
		if (f->o->verbose > 0)
			say(f, '=', "[up to date]", there, here, NULL);
		return;
	}
	if (!w->has_old) {
		create(f, w);
		return;
	}
	if (git_starts(w->local, "refs/tags/")) {
		if (force) {
			set_ref(f, w, "updating tag");
			say(f, 't', "[tag update]", there, here, NULL);
			return;
		}
		say(f, '!', "[rejected]", there, here, "would clobber existing tag");
		f->failed = true;
		return;
	}
	if (object_peel(g, &w->old, OBJECT_COMMIT, &a) &&
	    object_peel(f->o->dry_run ? f->from : g, &w->ref->oid, OBJECT_COMMIT, &b) &&
	    object_exists(g, &b) && is_ancestor(g, commit_at(g, &a), commit_at(g, &b))) {
		set_ref(f, w, "fast-forward");
		say(f, ' ', range(f, w, ".."), there, here, NULL);
		return;
	}
	if (force) {
		set_ref(f, w, "forced-update");
		say(f, '+', range(f, w, "..."), there, here, "forced update");
		return;
	}
	say(f, '!', "[rejected]", there, here, "non-fast-forward");
	f->failed = true;
}

static void put_fetch_head(struct fetching *f, const struct wanted *w, struct buf *out)
{
	static const char *const kinds[][2] = {
		{ "refs/heads/", "branch" },
		{ "refs/tags/", "tag" },
		{ "refs/remotes/", "remote-tracking branch" },
	};
	const char *name = w->ref->name;
	struct oid o = w->ref->oid;

	if (git_starts(name, "refs/heads/"))
		object_peel(f->from, &w->ref->oid, OBJECT_COMMIT, &o);
	buf_printf(out, "%s\t%s\t", oid_hex(f->g, &o), w->merge ? "" : "not-for-merge");
	for (size_t i = 0; i < 3; i++)
		if (git_starts(name, kinds[i][0])) {
			buf_printf(out, "%s '%s' of ", kinds[i][1], name + strlen(kinds[i][0]));
			name = NULL;
			break;
		}
	if (name != NULL && strcmp(name, "HEAD") != 0)
		buf_printf(out, "'%s' of ", name);
	buf_printf(out, "%s\n", f->shown);
}

static void say_fetched(struct fetching *f, const struct wanted *w)
{
	const char *name = w->ref->name;
	const char *kind = git_starts(name, "refs/tags/")      ? "tag"
			   : git_starts(name, "refs/remotes/") ? "remote-tracking branch"
							       : "branch";

	say(f, '*', kind, pretty(f->g, name), "FETCH_HEAD", NULL);
}

/* First what is merged, then the rest; what follows by the way comes last. */
static void store(struct fetching *f)
{
	struct git *g = f->g;
	struct buf out = buf_in(g->keep);
	char *path = repo_path(g, g->keep, "FETCH_HEAD");
	struct bytes old;

	if (f->o->append && file_read(g, g->a, path, &old) == 0)
		buf_add(&out, old);
	for (int pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < f->n; i++) {
			const struct wanted *w = &f->at[i];
			int when = w->unlisted ? 2 : w->merge ? 0 : 1;

			if (when != pass)
				continue;
			if (pass < 2)
				put_fetch_head(f, w, &out);
			if (w->local != NULL)
				update(f, w);
			else
				say_fetched(f, w);
		}
	if (f->o->atomic && f->failed) {
		/* Nothing is done then. */
		git_error(g, "%s", "");
		if (f->o->append)
			return;
		out.len = 0;
	}
	for (size_t i = 0; i < f->nlater && !f->failed; i++)
		ref_update(g, f->later[i].name, &f->later[i].oid, NULL, f->later[i].message, false);
	if (!f->o->dry_run && !f->o->no_write)
		file_write(g, path, buf_bytes(&out), 0666);
}

/* --- pruning --- */

/* Whether a reference here still has its origin there. */
static bool has_origin(struct fetching *f, const char *local)
{
	git_charge_search(f->g, f->nrefs * 4, local);
	for (size_t i = 0; i < f->nrefs; i++) {
		char *to = refspecs_map(f->g, &f->remote.fetch, f->refs[i].name, NULL);

		if (to != NULL && strcmp(to, local) == 0)
			return true;
	}
	return false;
}

/* Whether any refspec could write it. */
static bool is_tracked(const struct fetching *f, const char *local)
{
	git_charge_search(f->g, f->remote.fetch.n * 4, local);
	for (size_t i = 0; i < f->remote.fetch.n; i++) {
		const struct refspec *s = &f->remote.fetch.at[i];
		const char *star = s->dst != NULL ? strchr(s->dst, '*') : NULL;

		if (s->dst != NULL && star == NULL && strcmp(s->dst, local) == 0)
			return true;
		if (star != NULL && strncmp(local, s->dst, (size_t)(star - s->dst)) == 0 &&
		    git_ends(local, star + 1))
			return true;
	}
	return false;
}

static void prune(struct fetching *f)
{
	struct git *g = f->g;
	struct ref *list;
	size_t n = ref_list(g, "refs/", &list);
	size_t width = f->name_width;

	f->name_width = NAME_WIDTH;
	for (size_t i = 0; i < n; i++) {
		if (list[i].target != NULL || !is_tracked(f, list[i].name) ||
		    has_origin(f, list[i].name))
			continue;
		if (!f->o->dry_run)
			ref_delete(g, list[i].name);
		say(f, '-', "[deleted]", "(none)", pretty(g, list[i].name), NULL);
	}
	f->name_width = width;
}

/* --- all of it --- */

/* The branch that is checked out is not changed behind the work tree's back. */
static void protect_head(struct fetching *f)
{
	struct git *g = f->g;
	char *head = head_ref(g);

	if (f->o->update_head || g->bare || head == NULL)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].local != NULL && strcmp(f->at[i].local, head) == 0)
			git_die(g, "refusing to fetch into branch '%s' checked out at '%s'", head,
				g->work);
}

static void get_objects(struct fetching *f)
{
	struct copying t = {
		.from = f->from, .to = f->g, .depth = f->o->depth, .whole = f->o->unshallow
	};
	struct oid *list = arena_array(f->g->keep, f->n, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (t.depth != 0 || t.whole || !object_exists(f->g, &f->at[i].ref->oid) ||
		    f->at[i].ref->name[0] != 'r')
			list[n++] = f->at[i].ref->oid;
	/* An object may be here without what it needs: only references vouch for that. */
	if (n == 0)
		for (size_t i = 0; i < f->n; i++)
			list[n++] = f->at[i].ref->oid;
	transport_copy(&t, list, n);
}

static void set_tracking(struct fetching *f)
{
	struct git *g = f->g;
	char *head = head_ref(g);
	char *config = config_local_path(g);
	const char *branch = head != NULL ? ref_short(g, head) : NULL;

	if (!f->o->set_upstream || branch == NULL || f->n == 0)
		return;
	config_change(g, config, git_format(g->a, "branch.%s.remote", branch), f->remote.name, NULL,
		      CONFIG_SET);
	config_change(g, config, git_format(g->a, "branch.%s.merge", branch), f->at[0].ref->name,
		      NULL, CONFIG_SET);
	config_reload(g);
}

int fetch_remote(struct git *g, const struct fetch_opts *o, const char *name, char **specs, int n,
		 const char *action)
{
	struct fetching f = { .g = g, .o = o, .action = action };
	bool wants_prune = o->prune;

	remote_get(g, name, &f.remote);
	if (!o->prune_given)
		wants_prune = config_bool(g, git_format(g->a, "remote.%s.prune", name),
					  config_bool(g, "fetch.prune", false));
	f.from = remote_open(g, f.remote.url);
	if (f.from->bundle != NULL && !bundle_attach(f.from, g))
		return 1;
	f.shown = remote_shown(g, f.remote.url);
	f.nrefs = remote_refs(f.from, &f.refs);
	if (o->unshallow && g->shallow.n == 0)
		git_die(g, "--unshallow on a complete repository does not make sense");
	/* An empty remote that is configured has nothing, and that is all. */
	if (f.nrefs != 0 || n != 0 || f.remote.fetch.n == 0)
		want_all(&f, specs, n);
	for (size_t i = 0; i < f.n; i++)
		f.at[i].has_old = f.at[i].local != NULL &&
				  ref_read(g, f.at[i].local, &f.at[i].old, NULL) == 0;
	protect_head(&f);
	measure(&f);
	if (wants_prune && (n == 0 || f.remote.fetch.n != 0))
		prune(&f);
	if (f.n != 0)
		get_objects(&f);
	store(&f);
	set_tracking(&f);
	return f.failed;
}
