/* SPDX-License-Identifier: MIT
 *
 * git describe, name-rev: a commit by the tags near it.
 */
#include "builtins/git/walk.h"

enum { CANDIDATES = 10, CANDIDATES_MAX = 26, MERGE_WEIGHT = 65535 };

/* --- describe --- */

struct describe_opts {
	bool contains, debug, all, tags, long_form, first_parent, exact, always;
	int abbrev; /* -1: default */
	int candidates;
	struct names match, exclude;
	const char *dirty;
	const char *broken;
};

static int set_abbrev(struct git *g, void *opts, const char *arg, bool unset)
{
	int64_t v = -1;

	if (unset)
		v = 0;
	else if (arg != NULL && !git_number(arg, &v))
		git_die(g, "option `abbrev' expects a numerical value");
	((struct describe_opts *)opts)->abbrev = v > OID_HEX ? OID_HEX : (int)v;
	return 0;
}

static int set_dirty(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g;
	((struct describe_opts *)opts)->dirty = unset ? NULL : arg != NULL ? arg : "-dirty";
	return 0;
}

static const struct git_option describe_options[] = {
	GIT_FLAG(0, "contains", struct describe_opts, contains),
	GIT_MISSING(0, "debug"),
	GIT_FLAG(0, "all", struct describe_opts, all),
	GIT_FLAG(0, "tags", struct describe_opts, tags),
	GIT_FLAG(0, "long", struct describe_opts, long_form),
	GIT_FLAG(0, "first-parent", struct describe_opts, first_parent),
	GIT_CALL_MAYBE(0, "abbrev", set_abbrev),
	GIT_FLAG(0, "exact-match", struct describe_opts, exact),
	GIT_INT(0, "candidates", struct describe_opts, candidates),
	GIT_LIST(0, "match", struct describe_opts, match),
	GIT_LIST(0, "exclude", struct describe_opts, exclude),
	GIT_FLAG(0, "always", struct describe_opts, always),
	GIT_CALL_MAYBE(0, "dirty", set_dirty),
	GIT_MISSING(0, "broken"),
	GIT_END(),
};
static const char *const describe_usage[] = {
	"git describe [--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]",
	"git describe [--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]",
	"git describe <blob>", NULL
};

/* The best name of one commit. */
struct label {
	struct oid commit;
	const char *name;
	int priority; /* 2 annotated tag, 1 other tag, 0 any other reference */
	int64_t date; /* of the tag */
};

struct describing {
	struct git *g;
	struct describe_opts o;
	struct lookup *labels;
	bool any;
};

static bool any_match(struct git *g, const struct names *patterns, const char *name)
{
	git_charge_search(g, patterns->n * 4, name);
	for (size_t i = 0; i < patterns->n; i++)
		if (wild_match(patterns->at[i], bytes_of(name), 0))
			return true;
	return false;
}

/* The date and the name that a tag object carries. */
static void read_tag(struct git *g, const struct oid *o, struct label *l)
{
	struct bytes data;
	struct commit_text t;
	struct person who;

	if (object_read(g, g->keep, o, &data) != OBJECT_TAG)
		return;
	commit_split(data, &t);
	person_split(t.tagger, &who);
	l->date = who.time;
	if (t.tag.len != 0)
		l->name = arena_dup(g->keep, t.tag);
}

static void add_label(struct describing *d, const struct ref *r)
{
	struct git *g = d->g;
	bool tag = git_starts(r->name, "refs/tags/");
	struct label l = { .name = r->name + (d->o.all ? 5 : 10) };
	struct label *old;
	uint64_t size;

	if (!tag && !d->o.all)
		return;
	if (d->o.match.n + d->o.exclude.n != 0) {
		const char *tail = ref_short(g, r->name);

		if (tail == r->name || (d->o.match.n != 0 && !any_match(d->g, &d->o.match, tail)) ||
		    any_match(d->g, &d->o.exclude, tail))
			return;
	}
	if (!object_peel(g, &r->oid, OBJECT_COMMIT, &l.commit))
		return;
	if (tag)
		l.priority = object_info(g, &r->oid, &size) == OBJECT_TAG ? 2 : 1;
	if (l.priority == 2) {
		read_tag(g, &r->oid, &l);
		if (d->o.all)
			l.name = git_format(g->keep, "tags/%s", l.name);
	}
	d->any = true;
	old = lookup_get(d->labels, oid_key(&l.commit));
	if (old == NULL) {
		old = arena_zalloc(g->keep, sizeof(*old));
		*old = l;
		*lookup_at(d->labels, oid_key(&old->commit)) = old;
	} else if (old->priority < l.priority ||
		   (old->priority == 2 && l.priority == 2 && old->date < l.date)) {
		*old = l;
	}
}

struct candidate {
	const struct label *label;
	uint32_t bit;
	size_t depth;
	size_t found;
};

static int least_priority(const struct describing *d)
{
	return d->o.all ? 0 : d->o.tags ? 1 : 2;
}

static int by_depth(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return (x->found > y->found) - (x->found < y->found);
}

/* The queue is kept sorted by date, youngest first; equal ones as they came. */
static void put_by_date(struct git *g, struct commits *q, struct commit *c)
{
	size_t i = q->n;

	commit_need(g, c);
	LIST_ROOM(g, q->at, q->n, q->cap);
	q->n++;
	while (i > 0 && q->at[i - 1]->date < c->date) {
		q->at[i] = q->at[i - 1];
		i--;
	}
	q->at[i] = c;
}

static struct commit *take_first(struct commits *q)
{
	struct commit *c = q->at[0];

	q->n--;
	memmove(q->at, q->at + 1, q->n * sizeof(struct commit *));
	return c;
}

enum { MARK_SEEN = 1 }; /* candidates have the bits above */

static void put_parents(struct describing *d, struct commits *q, struct commit *c)
{
	for (uint32_t i = 0; i < c->nparents; i++) {
		struct commit *p = c->parent[i];

		if (!(p->mark & MARK_SEEN))
			put_by_date(d->g, q, p);
		p->mark |= c->mark;
		if (d->o.first_parent)
			break;
	}
}

/* Counts on until all that is left is below the best candidate. */
static void finish_depth(struct describing *d, struct commits *q, struct candidate *best)
{
	while (q->n > 0) {
		struct commit *c = take_first(q);

		cmd_charge(d->g->c, 1 + q->n / 16);
		if (c->mark & best->bit) {
			bool other = false;

			for (size_t i = 0; i < q->n && !other; i++)
				other = !(q->at[i]->mark & best->bit);
			if (!other)
				return;
		} else {
			best->depth++;
		}
		put_parents(d, q, c);
	}
}

/* Walks back from c and keeps the first names that it meets. */
static size_t find_candidates(struct describing *d, struct commit *c, struct candidate *list,
			      struct commits *q, bool *unannotated)
{
	struct git *g = d->g;
	size_t max = d->o.candidates < 1                ? 1
		     : d->o.candidates > CANDIDATES_MAX ? CANDIDATES_MAX
							: (size_t)d->o.candidates;
	size_t n = 0, seen = 0, annotated = 0;

	c->mark = MARK_SEEN;
	put_by_date(g, q, c);
	while (q->n > 0) {
		const struct label *l;

		c = take_first(q);
		seen++;
		cmd_charge(g->c, 1 + q->n / 16 + n);
		l = lookup_get(d->labels, oid_key(&c->oid));
		if (l != NULL && l->priority >= least_priority(d)) {
			if (n == max) {
				put_by_date(g, q, c);
				break;
			}
			list[n] = (struct candidate){ l, 2u << n, seen - 1, n };
			c->mark |= list[n].bit;
			n++;
			annotated += l->priority == 2;
		} else if (l != NULL) {
			*unannotated = true;
		}
		for (size_t i = 0; i < n; i++)
			if (!(c->mark & list[i].bit))
				list[i].depth++;
		/* Nothing but what is below a candidate is left. */
		if (annotated > 0 && q->n == 0)
			break;
		put_parents(d, q, c);
	}
	return n;
}

static const char *dirty_suffix(struct describing *d)
{
	struct git *g = d->g;
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct oid head, tree;

	if (d->o.dirty == NULL || !head_oid(g, &head) || !tree_of(g, &head, &tree))
		return "";
	diff_init(g, &o);
	o.renames = 0;
	diff_settle(g, &o);
	diff_tree_work(g, &o, &tree, &q);
	diff_finish(g, &o, &q);
	return q.n != 0 ? d->o.dirty : "";
}

static void put_name(struct describing *d, const struct label *l, const struct oid *o, size_t depth,
		     bool with_depth)
{
	git_printf(d->g, "%s", l->name);
	if (with_depth)
		git_printf(d->g, "-%zu-g%s", depth,
			   oid_short(d->g, o, d->o.abbrev > 0 ? d->o.abbrev : 0));
}

static _Noreturn void no_name(struct describing *d, const struct oid *o, bool unannotated)
{
	struct git *g = d->g;

	if (unannotated)
		git_die(g,
			"No annotated tags can describe '%s'.\n"
			"However, there were unannotated tags: try --tags.",
			oid_hex(g, o));
	git_die(g, "No tags can describe '%s'.\nTry --always, or create some tags.", oid_hex(g, o));
}

static void describe_one(struct describing *d, const char *arg)
{
	struct git *g = d->g;
	struct candidate list[CANDIDATES_MAX];
	struct commits q = { NULL, 0, 0 };
	const struct label *exact;
	const char *suffix = dirty_suffix(d);
	bool unannotated = false;
	struct oid o, c;
	size_t n;

	if (rev_parse(g, arg, &o) < 0)
		git_die(g, "Not a valid object name %s", arg);
	if (!object_peel(g, &o, OBJECT_COMMIT, &c)) {
		uint64_t size;

		if (object_info(g, &o, &size) == OBJECT_BLOB)
			git_refuse(g, "describe of a blob");
		git_die(g, "%s is neither a commit nor blob", arg);
	}
	exact = lookup_get(d->labels, oid_key(&c));
	if (exact != NULL && (d->o.tags || d->o.all || exact->priority == 2)) {
		put_name(d, exact, &c, 0, d->o.long_form);
		git_printf(g, "%s\n", suffix);
		return;
	}
	if (d->o.exact)
		git_die(g, "no tag exactly matches '%s'", oid_hex(g, &c));
	n = find_candidates(d, commit_at(g, &c), list, &q, &unannotated);
	if (n == 0) {
		if (!d->o.always)
			no_name(d, &c, unannotated);
		git_printf(g, "%s%s\n", oid_short(g, &c, d->o.abbrev > 0 ? d->o.abbrev : 0),
			   suffix);
		return;
	}
	git_sort(g, list, n, sizeof(list[0]), by_depth);
	finish_depth(d, &q, &list[0]);
	put_name(d, list[0].label, &c, list[0].depth, d->o.abbrev != 0);
	git_printf(g, "%s\n", suffix);
	revs_forget(g);
}

static int describe_contains(struct describing *d, struct args *args)
{
	struct git *g = d->g;
	struct names words = { NULL, 0, 0 };
	char **argv;

	names_add(g, &words, "name-rev");
	names_add(g, &words, "--peel-tag");
	names_add(g, &words, "--name-only");
	names_add(g, &words, "--no-undefined");
	if (d->o.always)
		names_add(g, &words, "--always");
	if (!d->o.all)
		names_add(g, &words, "--tags");
	for (size_t i = 0; i < d->o.match.n; i++)
		names_add(g, &words, git_format(g->keep, "--refs=refs/tags/%s", d->o.match.at[i]));
	for (size_t i = 0; i < d->o.exclude.n; i++)
		names_add(g, &words,
			  git_format(g->keep, "--exclude=refs/tags/%s", d->o.exclude.at[i]));
	if (args->argc == 0)
		names_add(g, &words, "HEAD");
	for (int i = 0; i < args->argc; i++)
		names_add(g, &words, args->argv[i]);
	argv = arena_array(g->keep, words.n + 1, sizeof(*argv));
	for (size_t i = 0; i < words.n; i++)
		argv[i] = words.at[i];
	argv[words.n] = NULL;
	return git_run(g, (int)words.n, argv);
}

int git_cmd_describe(struct git *g, struct args *args)
{
	struct describing d = { .g = g, .o = { .abbrev = -1, .candidates = CANDIDATES } };
	const struct git_parser p = { describe_options, &d.o, describe_usage, 0, NULL };
	struct ref *list;
	size_t n;

	git_parse(g, args, &p);
	if (d.o.contains)
		return describe_contains(&d, args);
	if (d.o.long_form && d.o.abbrev == 0)
		git_die(g, "options '%s' and '%s' cannot be used together", "--long", "--abbrev=0");
	if (d.o.dirty != NULL && args->argc != 0)
		git_die(g, "option '%s' and commit-ishes cannot be used together", "--dirty");
	d.o.exact = d.o.exact || d.o.candidates == 0;
	d.labels = lookup_new(g);
	n = ref_list(g, "refs/", &list);
	for (size_t i = 0; i < n; i++)
		if (!list[i].broken)
			add_label(&d, &list[i]);
	if (!d.any && !d.o.always)
		git_die(g, "No names found, cannot describe anything.");
	if (args->argc == 0)
		describe_one(&d, "HEAD");
	for (int i = 0; i < args->argc; i++)
		describe_one(&d, args->argv[i]);
	return 0;
}

/* --- name-rev --- */

struct name_opts {
	bool name_only, tags, all, from_stdin, annotate, always, undefined, peel;
	struct names refs, exclude;
	struct lookup *exact; /* names of references, by what they hold */
};

static const struct git_option name_options[] = {
	GIT_FLAG(0, "name-only", struct name_opts, name_only),
	GIT_FLAG(0, "tags", struct name_opts, tags),
	GIT_LIST(0, "refs", struct name_opts, refs),
	GIT_LIST(0, "exclude", struct name_opts, exclude),
	GIT_FLAG(0, "all", struct name_opts, all),
	GIT_FLAG(0, "stdin", struct name_opts, from_stdin),
	GIT_FLAG(0, "annotate-stdin", struct name_opts, annotate),
	GIT_FLAG(0, "undefined", struct name_opts, undefined),
	GIT_FLAG(0, "always", struct name_opts, always),
	GIT_FLAG(0, "peel-tag", struct name_opts, peel),
	GIT_END(),
};
static const char *const name_usage[] = { "git name-rev [<options>] <commit>...",
					  "git name-rev [<options>] --all",
					  "git name-rev [<options>] --annotate-stdin", NULL };

/* How a commit is reached from a reference. */
struct rev_name {
	const char *tip;
	int64_t date; /* of the tag, or of the tip's commit */
	size_t generation;
	size_t distance;
	bool from_tag;
};

static size_t effective(const struct rev_name *n)
{
	return n->distance + (n->generation > 0 ? MERGE_WEIGHT : 0);
}

static bool is_better(const struct rev_name *old, const struct rev_name *n)
{
	if (old->from_tag && n->from_tag && old->date != n->date)
		return old->date > n->date;
	if (old->from_tag && n->from_tag)
		return effective(old) > effective(n);
	if (old->from_tag != n->from_tag)
		return n->from_tag;
	if (effective(old) != effective(n))
		return effective(old) > effective(n);
	return old->date > n->date;
}

/* True: the name is taken, its parents are to be looked at. */
static bool offer(struct git *g, struct commit *c, const struct rev_name *n)
{
	if (c->data == NULL)
		c->data = arena_zalloc(g->keep, sizeof(*n));
	else if (!is_better(c->data, n))
		return false;
	*(struct rev_name *)c->data = *n;
	return true;
}

static const char *parent_tip(struct git *g, const struct rev_name *n, uint32_t number)
{
	size_t len = strlen(n->tip);

	if (git_ends(n->tip, "^0"))
		len -= 2;
	if (n->generation > 0)
		return git_format(g->keep, "%.*s~%zu^%u", (int)len, n->tip, n->generation, number);
	return git_format(g->keep, "%.*s^%u", (int)len, n->tip, number);
}

static void spread(struct git *g, struct commit *from, const struct rev_name *first)
{
	struct commits todo = { NULL, 0, 0 };

	if (!offer(g, from, first))
		return;
	LIST_ROOM(g, todo.at, todo.n, todo.cap);
	todo.at[todo.n++] = from;
	while (todo.n > 0) {
		struct commit *c = todo.at[--todo.n];
		const struct rev_name own = *(struct rev_name *)c->data;

		cmd_charge(g->c, 1);
		if (!commit_load(g, c))
			continue;
		/* The first parent comes from the stack first. */
		for (uint32_t i = c->nparents; i-- > 0;) {
			struct rev_name n = own;

			if (i == 0) {
				n.generation++;
				n.distance++;
			} else {
				n.tip = parent_tip(g, &own, i + 1);
				n.generation = 0;
				n.distance += MERGE_WEIGHT;
			}
			if (!offer(g, c->parent[i], &n))
				continue;
			LIST_ROOM(g, todo.at, todo.n, todo.cap);
			todo.at[todo.n++] = c->parent[i];
		}
	}
	pool_free(g->c->pool, todo.at, todo.cap * sizeof(struct commit *));
}

/* Whether a pattern takes a name or its end from a slash on: 1 whole, 2 its end; 0 not. */
static int subpath_match(const char *name, const char *pattern)
{
	for (const char *at = name; at != NULL;
	     at = strchr(at, '/') != NULL ? strchr(at, '/') + 1 : NULL)
		if (wild_match(pattern, bytes_of(at), 0))
			return at == name ? 1 : 2;
	return 0;
}

static void name_from_ref(struct git *g, const struct name_opts *o, const struct ref *r)
{
	bool shorten = o->tags && o->name_only;
	struct rev_name n = { .from_tag = git_starts(r->name, "refs/tags/") };
	struct oid c;
	struct label l = { .date = 0 };
	char *tip;
	bool deref;

	if (r->broken || (o->tags && !n.from_tag))
		return;
	for (size_t i = 0; i < o->exclude.n; i++)
		if (subpath_match(r->name, o->exclude.at[i]) != 0)
			return;
	if (o->refs.n != 0) {
		int best = 0;

		for (size_t i = 0; i < o->refs.n; i++) {
			int got = subpath_match(r->name, o->refs.at[i]);

			best = got > best ? got : best;
		}
		if (best == 0)
			return;
		shorten = shorten || best == 2;
	}
	tip = arena_dup(g->keep,
			bytes_of(shorten                              ? ref_shorten(g, r->name)
				 : git_starts(r->name, "refs/heads/") ? ref_short(g, r->name)
								      : r->name + 5));
	*lookup_at(o->exact, oid_key(&r->oid)) = tip;
	if (!object_peel(g, &r->oid, OBJECT_COMMIT, &c) || !commit_load(g, commit_at(g, &c)))
		return;
	deref = !oid_eq(&c, &r->oid);
	n.date = commit_at(g, &c)->date;
	if (deref) {
		read_tag(g, &r->oid, &l);
		n.date = l.date;
	}
	n.tip = deref ? git_format(g->keep, "%s^0", tip) : tip;
	spread(g, commit_at(g, &c), &n);
}

static const char *name_of(struct git *g, const struct commit *c)
{
	const struct rev_name *n = c->data;
	size_t len;

	if (n == NULL)
		return NULL;
	if (n->generation == 0)
		return n->tip;
	len = strlen(n->tip);
	if (git_ends(n->tip, "^0"))
		len -= 2;
	return git_format(g->a, "%.*s~%zu", (int)len, n->tip, n->generation);
}

static void show_name(struct git *g, const struct name_opts *o, const struct oid *oid,
		      const char *shown)
{
	struct oid c;
	const char *name = NULL;

	if (!object_peel(g, oid, OBJECT_COMMIT, &c) || !oid_eq(&c, oid))
		name = lookup_get(o->exact, oid_key(oid));
	else
		name = name_of(g, commit_at(g, &c));
	if (!o->name_only)
		git_printf(g, "%s ", shown);
	if (name != NULL)
		git_printf(g, "%s\n", name);
	else if (o->undefined)
		git_printf(g, "undefined\n");
	else if (o->always)
		git_printf(g, "%s\n", oid_short(g, oid, 0));
	else
		git_die(g, "cannot describe '%s'", oid_hex(g, oid));
}

/* Names in a text get what they are called behind them. */
static void annotate(struct git *g, const struct name_opts *o, struct bytes text)
{
	struct buf out = buf_in(g->keep);
	size_t run = 0;

	for (size_t i = 0; i <= text.len; i++) {
		struct oid oid;
		const char *name = NULL;

		if (i < text.len && byte_is_xdigit((unsigned char)text.ptr[i])) {
			run++;
			buf_putc(&out, text.ptr[i]);
			continue;
		}
		if (run == OID_HEX && oid_parse(text.ptr + i - OID_HEX, &oid) &&
		    lookup_get(g->commits, oid_key(&oid)) != NULL)
			name = name_of(g, commit_at(g, &oid));
		if (name != NULL && o->name_only)
			out.len -= OID_HEX;
		if (name != NULL)
			buf_printf(&out, o->name_only ? "%s" : " (%s)", name);
		run = 0;
		if (i < text.len)
			buf_putc(&out, text.ptr[i]);
	}
	cmd_charge_bytes(g->c, text.len);
	cmd_bytes(g->c, buf_bytes(&out));
}

static int by_oid(const void *a, const void *b)
{
	return oid_cmp(&(*(struct commit *const *)a)->oid, &(*(struct commit *const *)b)->oid);
}

static void show_all(struct git *g, const struct name_opts *o)
{
	struct oid *list;
	size_t n = object_list(g, &list);
	struct commits all = { NULL, 0, 0 };

	for (size_t i = 0; i < n; i++) {
		struct commit *c = lookup_get(g->commits, oid_key(&list[i]));

		if (c == NULL || c->data == NULL)
			continue;
		LIST_ROOM(g, all.at, all.n, all.cap);
		all.at[all.n++] = c;
	}
	git_sort(g, all.at, all.n, sizeof(*all.at), by_oid);
	for (size_t i = 0; i < all.n; i++)
		show_name(g, o, &all.at[i]->oid, oid_hex(g, &all.at[i]->oid));
}

int git_cmd_name_rev(struct git *g, struct args *args)
{
	struct name_opts o = { .undefined = true };
	const struct git_parser p = { name_options, &o, name_usage, 0, NULL };
	struct ref *list;
	size_t n;

	git_parse(g, args, &p);
	if (o.from_stdin)
		git_warn(g, "--stdin is deprecated. Please use --annotate-stdin instead, which is "
			    "functionally equivalent.\nThis option will be removed in a future "
			    "release.");
	o.annotate = o.annotate || o.from_stdin;
	if (o.all + o.annotate + (args->argc > 0) > 1) {
		git_error(g, "Specify either a list, or --all, not both!");
		git_usage(g, name_usage);
	}
	o.exact = lookup_new(g);
	n = ref_list(g, "refs/", &list);
	for (size_t i = 0; i < n; i++)
		name_from_ref(g, &o, &list[i]);
	if (o.annotate)
		annotate(g, &o, file_stdin(g));
	if (o.all)
		show_all(g, &o);
	for (int i = 0; i < args->argc; i++) {
		struct oid oid;

		if (rev_parse(g, args->argv[i], &oid) < 0) {
			git_say(g, "Could not get sha1 for %s. Skipping.\n", args->argv[i]);
			continue;
		}
		show_name(g, &o, &oid, args->argv[i]);
	}
	return 0;
}
