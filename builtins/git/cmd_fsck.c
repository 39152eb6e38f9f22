/* SPDX-License-Identifier: MIT
 *
 * git fsck: every object read and judged, then what is reached and what is not.
 */
#include "builtins/git/fsck.h"

enum { BAD_OBJECT = 1, BAD_MISSING = 2, BAD_PACK = 4, BAD_REF = 8 };

struct fsck_opts {
	bool verbose, unreachable, no_dangling, tags, root, cache, no_reflogs, no_full, strict,
		lost_found, progress, connectivity, name_objects, full, dangling, reflogs;
};

static const struct git_option fsck_options[] = {
	GIT_FLAG('v', "verbose", struct fsck_opts, verbose),
	GIT_FLAG(0, "unreachable", struct fsck_opts, unreachable),
	GIT_FLAG(0, "dangling", struct fsck_opts, dangling),
	GIT_FLAG(0, "tags", struct fsck_opts, tags),
	GIT_FLAG(0, "root", struct fsck_opts, root),
	GIT_FLAG(0, "cache", struct fsck_opts, cache),
	GIT_FLAG(0, "reflogs", struct fsck_opts, reflogs),
	GIT_FLAG(0, "full", struct fsck_opts, full),
	GIT_FLAG(0, "connectivity-only", struct fsck_opts, connectivity),
	GIT_FLAG(0, "strict", struct fsck_opts, strict),
	GIT_FLAG(0, "lost-found", struct fsck_opts, lost_found),
	GIT_FLAG(0, "progress", struct fsck_opts, progress),
	GIT_MISSING(0, "name-objects"),
	GIT_END(),
};
static const char *const fsck_usage[] = {
	"git fsck [--tags] [--root] [--unreachable] [--cache] [--no-reflogs]\n"
	"         [--[no-]full] [--strict] [--verbose] [--lost-found]\n"
	"         [--[no-]dangling] [--[no-]progress] [--connectivity-only]\n"
	"         [--[no-]name-objects] [<object>...]",
	NULL
};

struct node {
	struct oid oid;
	enum object_type type;
	bool there; /* it is in the store and can be read */
	bool broken;
	bool reached;
	bool used; /* something unreachable points to it */
};

struct checking {
	struct git *g;
	struct fsck_opts o;
	struct lookup *nodes;
	struct node **order; /* as they are stored, by name */
	size_t n;
	struct node **todo;
	size_t ntodo;
	size_t cap;
	struct node **missing;
	size_t nmissing;
	size_t missing_cap;
	int status;
	const struct node *current;
};

static struct node *node_at(struct checking *k, const struct oid *o)
{
	struct node *n = lookup_get(k->nodes, oid_key(o));

	if (n == NULL) {
		n = arena_zalloc(k->g->keep, sizeof(*n));
		n->oid = *o;
		*lookup_at(k->nodes, oid_key(&n->oid)) = n;
	}
	return n;
}

/* --- every object --- */

static void say(void *arg, bool error, const char *id, const char *text)
{
	struct checking *k = arg;

	git_say(k->g, "%s in %s %s: %s: %s\n", error ? "error" : "warning",
		object_type_name(k->current->type), oid_hex(k->g, &k->current->oid), id, text);
	if (error)
		k->status |= BAD_OBJECT;
}

static void say_tag(struct checking *k, const struct node *n, struct bytes data)
{
	struct git *g = k->g;
	struct commit_text t;

	commit_split(data, &t);
	git_printf(g, "tagged %.*s %.*s (%.*s) in %s\n", (int)t.type.len, t.type.ptr,
		   (int)t.object.len, t.object.ptr, (int)t.tag.len, t.tag.ptr, oid_hex(g, &n->oid));
}

static void check_one(struct checking *k, struct node *n)
{
	struct git *g = k->g;
	struct fsck_report r = { .strict = k->o.strict, .say = say, .arg = k };
	const char *why = NULL;
	struct bytes data;
	struct arena a;
	struct oid real;

	arena_init_under(&a, g->a);
	n->type = object_try(g, &a, &n->oid, &data, &why);
	if (n->type == OBJECT_NONE) {
		git_error(g, "%s", why != NULL ? why : "cannot be read");
		git_error(g, "%s: object corrupt or missing", oid_hex(g, &n->oid));
		n->broken = true;
		k->status |= BAD_OBJECT;
		arena_clear(&a);
		return;
	}
	n->there = true;
	object_hash(n->type, data, &real);
	cmd_charge_bytes(g->c, data.len * 4 + 256);
	if (!oid_eq(&real, &n->oid)) {
		git_error(g, "%s: hash-path mismatch, found at: %s", oid_hex(g, &real),
			  object_loose_path(g, g->a, g->odb->dirs.at[0], &n->oid));
		n->broken = true;
		k->status |= BAD_OBJECT;
	} else if (!k->o.connectivity) {
		k->current = n;
		if (k->o.verbose)
			git_say(g, "Checking %s %s\n", object_type_name(n->type),
				oid_hex(g, &n->oid));
		fsck_object(g, n->type, data, &r);
		if (n->type == OBJECT_TAG && k->o.tags)
			say_tag(k, n, data);
	}
	if (k->o.root && n->type == OBJECT_COMMIT && bytes_find(data, BYTES("\nparent ")) == NULL)
		git_printf(g, "root %s\n", oid_hex(g, &n->oid));
	arena_clear(&a);
}

static void check_objects(struct checking *k)
{
	struct git *g = k->g;
	struct oid *list;

	k->n = object_list(g, &list);
	k->order = arena_array(g->keep, k->n, sizeof(struct node *));
	for (size_t i = 0; i < k->n; i++) {
		k->order[i] = node_at(k, &list[i]);
		check_one(k, k->order[i]);
	}
}

/* --- what points where --- */

static void visit(struct checking *k, const struct node *from, const struct oid *to,
		  enum object_type type, bool reached)
{
	struct git *g = k->g;
	struct node *n = node_at(k, to);

	if (n->type == OBJECT_NONE)
		n->type = type;
	if (!n->there && !n->broken) {
		/* The empty tree is always there. */
		if (oid_eq(to, &oid_empty_tree))
			return;
		if (from != NULL && reached && !n->reached) {
			git_printf(g, "broken link from %7s %s\n              to %7s %s\n",
				   object_type_name(from->type), oid_hex(g, &from->oid),
				   object_type_name(type), oid_hex(g, to));
			k->status |= BAD_MISSING;
		}
		if (reached && !n->reached) {
			n->reached = true;
			LIST_ROOM(g, k->missing, k->nmissing, k->missing_cap);
			k->missing[k->nmissing++] = n;
		}
		return;
	}
	if (!reached) {
		n->used = true;
		return;
	}
	if (n->reached)
		return;
	n->reached = true;
	LIST_ROOM(g, k->todo, k->ntodo, k->cap);
	k->todo[k->ntodo++] = n;
}

static void follow_tree(struct checking *k, const struct node *n, struct bytes data, bool reached)
{
	struct tree_entry e;

	while (tree_next(&data, &e) > 0) {
		cmd_charge(k->g->c, 1);
		if (e.mode != MODE_GITLINK)
			visit(k, n, &e.oid, (e.mode & S_FMT) == S_DIR ? OBJECT_TREE : OBJECT_BLOB,
			      reached);
	}
}

static void follow(struct checking *k, const struct node *n, bool reached)
{
	struct git *g = k->g;
	struct commit_text t;
	struct arena a;
	struct bytes data, line, rest;
	const char *why;
	struct oid o;

	if (!n->there || n->type == OBJECT_BLOB)
		return;
	arena_init_under(&a, g->a);
	if (object_try(g, &a, &n->oid, &data, &why) != n->type) {
		arena_clear(&a);
		return;
	}
	if (n->type == OBJECT_TREE) {
		follow_tree(k, n, data, reached);
	} else if (n->type == OBJECT_TAG) {
		commit_split(data, &t);
		if (oid_parse_bytes(t.object, &o))
			visit(k, n, &o, object_type_of(t.type), reached);
	} else {
		rest = data;
		while (git_line(&rest, &line) && line.len != 0) {
			bool tree = bytes_starts(line, BYTES("tree "));

			if (!tree && !bytes_starts(line, BYTES("parent ")))
				break;
			if (!oid_parse_bytes(bytes_slice(line, tree ? 5 : 7, line.len), &o))
				break;
			if (!tree && g->shallow.n != 0 &&
			    names_has(g, &g->shallow, oid_hex(g, &n->oid)))
				continue;
			visit(k, n, &o, tree ? OBJECT_TREE : OBJECT_COMMIT, reached);
		}
	}
	arena_clear(&a);
}

static void check_refs(struct checking *k)
{
	struct git *g = k->g;
	struct ref *list;
	struct oid o;
	size_t n = ref_list(g, "refs/", &list);
	char *head = ref_symbolic(g, "HEAD");

	if (head != NULL && !git_starts(head, "refs/heads/")) {
		git_error(g, "HEAD points to something strange (%s)", head);
		k->status |= BAD_REF;
	} else if (!head_oid(g, &o)) {
		git_say(g, "notice: HEAD points to an unborn branch (%s)\n",
			head != NULL ? head + 11 : "");
	} else {
		visit(k, NULL, &o, OBJECT_COMMIT, true);
	}
	for (size_t i = 0; i < n; i++) {
		struct node *node;

		if (list[i].broken) {
			git_error(g, "%s: invalid sha1 pointer %s", list[i].name,
				  oid_hex(g, &oid_null));
			k->status |= BAD_REF;
			continue;
		}
		node = node_at(k, &list[i].oid);
		if (!node->there) {
			git_error(g, "%s: invalid sha1 pointer %s", list[i].name,
				  oid_hex(g, &list[i].oid));
			k->status |= BAD_MISSING;
			continue;
		}
		if (node->type != OBJECT_COMMIT && git_starts(list[i].name, "refs/heads/")) {
			git_error(g, "%s: not a commit", list[i].name);
			k->status |= BAD_REF;
		}
		visit(k, NULL, &list[i].oid, node->type, true);
	}
	if (n == 0)
		git_say(g, "notice: No default references\n");
}

static void add_tips(struct checking *k)
{
	struct oid *tips;
	size_t n = reach_tips(k->g, !k->o.no_reflogs, &tips);

	struct index *x = k->g->bare ? NULL : index_get(k->g);

	for (size_t i = 0; x != NULL && i < x->n; i++)
		if (x->at[i].mode != MODE_GITLINK)
			visit(k, NULL, &x->at[i].oid, OBJECT_BLOB, true);
	for (size_t i = 0; i < n; i++) {
		struct node *node = node_at(k, &tips[i]);

		if (node->there)
			visit(k, NULL, &tips[i], node->type, true);
	}
}

/* --- what is left over --- */

static void save_lost(struct checking *k, const struct node *n)
{
	struct git *g = k->g;
	char *path = repo_path(g, g->a,
			       git_format(g->a, "lost-found/%s/%s",
					  n->type == OBJECT_COMMIT ? "commit" : "other",
					  oid_hex(g, &n->oid)));
	struct bytes data = bytes_of(git_format(g->a, "%s\n", oid_hex(g, &n->oid)));

	if (n->type == OBJECT_BLOB)
		object_read(g, g->a, &n->oid, &data);
	file_make_parents(g, path);
	file_write(g, path, data, 0666);
}

static void show_rest(struct checking *k)
{
	struct git *g = k->g;

	for (size_t i = 0; i < k->n; i++) {
		struct node *n = k->order[i];

		if (n->reached || !n->there || n->broken)
			continue;
		if (k->o.unreachable) {
			git_printf(g, "unreachable %s %s\n", object_type_name(n->type),
				   oid_hex(g, &n->oid));
			continue;
		}
		if (n->used)
			continue;
		if (!k->o.no_dangling)
			git_printf(g, "dangling %s %s\n", object_type_name(n->type),
				   oid_hex(g, &n->oid));
		if (k->o.lost_found)
			save_lost(k, n);
	}
}

/* What was pointed at and is not there, in the order it was met. */
static void show_missing(struct checking *k)
{
	for (size_t i = 0; i < k->nmissing; i++) {
		const struct node *n = k->missing[i];

		k->status |= BAD_MISSING;
		git_printf(k->g, "missing %s %s\n", object_type_name(n->type),
			   oid_hex(k->g, &n->oid));
	}
}

static void follow_all(struct checking *k)
{
	while (k->ntodo > 0)
		follow(k, k->todo[--k->ntodo], true);
}

/* Links out of objects that are not reached: they are no tips then. */
static void mark_used(struct checking *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (!k->order[i]->reached)
			follow(k, k->order[i], false);
}

int git_cmd_fsck(struct git *g, struct args *args)
{
	struct checking k = { .g = g, .o = { .full = true, .dangling = true, .reflogs = true } };
	const struct git_parser p = { fsck_options, &k.o, fsck_usage, 0, NULL };

	git_parse(g, args, &p);
	k.o.no_dangling = !k.o.dangling;
	k.o.no_reflogs = !k.o.reflogs;
	k.nodes = lookup_new(g);
	check_objects(&k);
	for (int i = 0; i < args->argc; i++) {
		struct oid o;

		if (rev_parse(g, args->argv[i], &o) < 0) {
			git_error(g, "invalid parameter: expected sha1, got '%s'", args->argv[i]);
			k.status |= BAD_OBJECT;
			continue;
		}
		visit(&k, NULL, &o, OBJECT_NONE, true);
	}
	if (args->argc == 0) {
		check_refs(&k);
		add_tips(&k);
	}
	follow_all(&k);
	mark_used(&k);
	show_missing(&k);
	show_rest(&k);
	return k.status;
}
