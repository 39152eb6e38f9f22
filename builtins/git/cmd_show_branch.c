/* SPDX-License-Identifier: MIT
 *
 * git show-branch: which commits are on which branches, in columns.
 *
 * Each tip has a bit; bits wander down the history with the commits of the queue, youngest
 * first, until only commits are left that all tips have.
 */
#include "builtins/git/walk.h"

enum {
	TIPS_MAX = 26,
	TIP_SHIFT = 2,
	UNINTERESTING = 1,
	REFLOG_USUAL = 4,
	LIST_ONLY = -1,
};

struct branch_name {
	const char *head;
	int generation;
};

struct tip {
	const char *name;
	struct commit *commit;
	const char *message; /* of its log, or NULL */
	bool is_head;
	uint32_t mask;
};

struct waiting {
	struct commit *commit;
	uint64_t order;
};

struct show_branch {
	struct git *g;
	bool heads, remotes, current, dense, no_name, sha1_name, merge_base, independent, topics;
	int extra;
	int reflog;
	const char *reflog_base;
	enum revs_order order;
	struct tip tip[TIPS_MAX];
	int n;
	bool use_color;
	/* The walk: commit->mark holds the bits, indegree how often it waits, data its name. */
	struct waiting *queue;
	size_t nqueue, queue_cap;
	uint64_t coming;
	size_t interesting; /* of the queue */
	struct commits seen;
};

static const char *const usage_lines[] = {
	"git show-branch [-a | --all] [-r | --remotes] [--topo-order | --date-order]\n"
	"                       [--current] [--color[=<when>] | --no-color] [--sparse]\n"
	"                       [--more=<n> | --list | --independent | --merge-base]\n"
	"                       [--no-name | --sha1-name] [--topics]\n"
	"                       [(<rev> | <glob>)...]",
	"git show-branch (-g | --reflog)[=<n>[,<base>]] [--list] [<ref>]", NULL
};

/* --- options --- */

static int set_more(struct git *g, void *opts, const char *arg, bool unset)
{
	struct show_branch *s = opts;
	int64_t v = unset ? 0 : 1;

	if (arg != NULL && !git_number(arg, &v)) {
		git_error(g, "option `more' expects a numerical value");
		return GIT_STATUS_USAGE;
	}
	s->extra = (int)(v > INT32_MAX ? INT32_MAX : v < LIST_ONLY ? LIST_ONLY : v);
	return 0;
}

static int set_reflog(struct git *g, void *opts, const char *arg, bool unset)
{
	struct show_branch *s = opts;
	size_t digits = arg != NULL ? strspn(arg, "0123456789") : 0;
	int64_t v = 0;

	s->reflog = unset ? 0 : REFLOG_USUAL;
	s->reflog_base = NULL;
	if (arg == NULL)
		return 0;
	if (arg[digits] != '\0' && arg[digits] != ',') {
		git_error(g, "unrecognized reflog param '%s'", arg);
		return GIT_STATUS_USAGE;
	}
	if (arg[digits] == ',')
		s->reflog_base = arg + digits + 1;
	git_number(arena_dup(g->a, (struct bytes){ arg, digits }), &v);
	if (v > 0)
		s->reflog = v > INT32_MAX ? INT32_MAX : (int)v;
	return 0;
}

static int set_order(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct show_branch *)opts)->order = unset ? ORDER_TOPO : ORDER_TOPO_DATE;
	return 0;
}

static int set_topo(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg, (void)unset;
	((struct show_branch *)opts)->order = ORDER_TOPO;
	return 0;
}

static int set_sparse(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct show_branch *)opts)->dense = unset;
	return 0;
}

static int set_all(struct git *g, void *opts, const char *arg, bool unset)
{
	struct show_branch *s = opts;

	(void)g, (void)arg;
	s->heads = s->remotes = !unset;
	return 0;
}

static const struct git_option show_branch_options[] = {
	GIT_CALL('a', "all", set_all),
	GIT_FLAG('r', "remotes", struct show_branch, remotes),
	GIT_CALL_MAYBE(0, "color", git_opt_color),
	GIT_CALL_MAYBE(0, "more", set_more),
	GIT_SET(0, "list", struct show_branch, extra, LIST_ONLY),
	GIT_FLAG(0, "no-name", struct show_branch, no_name),
	GIT_FLAG(0, "current", struct show_branch, current),
	GIT_FLAG(0, "sha1-name", struct show_branch, sha1_name),
	GIT_FLAG(0, "merge-base", struct show_branch, merge_base),
	GIT_FLAG(0, "independent", struct show_branch, independent),
	GIT_CALL(0, "topo-order", set_topo),
	GIT_FLAG(0, "topics", struct show_branch, topics),
	GIT_CALL(0, "sparse", set_sparse),
	GIT_CALL(0, "date-order", set_order),
	GIT_CALL_MAYBE('g', "reflog", set_reflog),
	GIT_END(),
};

/* --- tips --- */

static void add_tip(struct show_branch *s, const char *name, const struct oid *o, bool twice)
{
	struct git *g = s->g;
	struct oid commit;

	if (!object_peel(g, o, OBJECT_COMMIT, &commit))
		return;
	for (int i = 0; i < s->n && !twice; i++)
		if (strcmp(s->tip[i].name, name) == 0)
			return;
	if (s->n == TIPS_MAX) {
		git_warn(g, "ignoring %s; cannot handle more than %d refs", name, TIPS_MAX);
		return;
	}
	s->tip[s->n++] = (struct tip){ .name = arena_dup(g->keep, bytes_of(name)),
				       .commit = commit_at(g, &commit) };
}

/* Its short name, if that is the same object. */
static void add_short(struct show_branch *s, const struct ref *ref, size_t cut)
{
	struct oid o;

	if (rev_parse(s->g, ref->name + cut, &o) < 0 || !oid_eq(&o, &ref->oid))
		cut = 5;
	add_tip(s, ref->name + cut, &ref->oid, false);
}

static int by_tip_name(const void *a, const void *b)
{
	return strcmp(((const struct tip *)a)->name, ((const struct tip *)b)->name);
}

static void sort_tips(struct show_branch *s, int from)
{
	git_sort(s->g, s->tip + from, (size_t)(s->n - from), sizeof(s->tip[0]), by_tip_name);
}

static void add_below(struct show_branch *s, const char *prefix)
{
	struct ref *list;
	size_t n = ref_list(s->g, prefix, &list);
	int from = s->n;

	for (size_t i = 0; i < n; i++)
		add_short(s, &list[i], strlen(prefix));
	sort_tips(s, from);
}

static int slashes(const char *text)
{
	int n = 0;

	for (; *text != '\0'; text++)
		n += *text == '/';
	return n;
}

/* A pattern stands for names that end in what it matches. */
static void add_matching(struct show_branch *s, const char *pattern)
{
	struct git *g = s->g;
	struct ref *list;
	size_t n = ref_list(g, "", &list);
	int from = s->n, want = slashes(pattern);

	for (size_t i = 0; i < n; i++) {
		const char *tail = list[i].name;

		cmd_charge(g->c, 1);
		for (int more = slashes(tail) - want; more > 0; more--)
			tail = strchr(tail, '/') + 1;
		if (!wild_match(pattern, bytes_of(tail), 0))
			continue;
		if (git_starts(list[i].name, "refs/heads/"))
			add_short(s, &list[i], 11);
		else if (git_starts(list[i].name, "refs/tags/"))
			add_tip(s, list[i].name + 5, &list[i].oid, false);
		else
			add_tip(s, list[i].name, &list[i].oid, false);
	}
	if (s->n == from && s->n < TIPS_MAX)
		git_error(g, "no matching refs with %s", pattern);
	sort_tips(s, from);
}

static void add_named(struct show_branch *s, const char *name)
{
	struct oid o;

	if (rev_parse(s->g, name, &o) == 0)
		add_tip(s, name, &o, false);
	else if (strpbrk(name, "*?[") != NULL)
		add_matching(s, name);
	else
		git_die(s->g, "bad sha1 reference %s", name);
}

/* Which entry of a log the base names. */
static size_t reflog_start(struct show_branch *s, const struct reflog_entry *e, size_t n)
{
	const char *base = s->reflog_base;
	struct person who;
	int64_t at;
	size_t i = 0;

	if (base == NULL)
		return 0;
	if (git_number(base, &at) && at >= 0)
		return (size_t)at;
	at = date_approximate(s->g, base);
	for (; i < n; i++) {
		person_split(e[n - 1 - i].who, &who);
		if (who.time <= at)
			break;
	}
	return i;
}

static void add_reflog(struct show_branch *s, struct args *args)
{
	struct git *g = s->g;
	const struct date_style style = { .mode = DATE_RELATIVE };
	const char *name = args->argc > 0 ? args->argv[0] : head_ref(g);
	struct reflog_entry *e;
	struct oid o;
	bool several;
	char *full;
	size_t n, base;

	if (name == NULL || (args->argc == 0 && !head_oid(g, &o)))
		git_die(g, "no branches given, and HEAD is not valid");
	if (args->argc > 1)
		git_die(g, "--reflog option needs one branch name");
	if (s->reflog > TIPS_MAX)
		git_die(g, "only %d entries can be shown at one time.", TIPS_MAX);
	full = ref_expand(g, name, &o, &several);
	if (full == NULL)
		git_die(g, "no such ref %s", name);
	n = reflog_read(g, full, &e);
	base = reflog_start(s, e, n);
	for (size_t i = base; i < n && i < base + (size_t)s->reflog; i++) {
		/* The message is that of the entry before, but for the first: as the real one. */
		const struct reflog_entry *at = &e[n - 1 - i], *told = i == 0 ? at : at + 1;
		struct buf b = buf_in(g->keep);
		struct person who;

		person_split(told->who, &who);
		buf_putc(&b, '(');
		date_put(g, &b, who.time, who.zone, &style);
		buf_printf(&b, ") %.*s", (int)told->message.len, told->message.ptr);
		add_tip(s, git_format(g->a, "%s@{%zu}", name, i), &at->after, true);
		s->tip[s->n - 1].message = buf_cstr(&b);
	}
}

static void mark_head(struct show_branch *s)
{
	struct git *g = s->g;
	char *head = head_ref(g);
	const char *brief = head == NULL                      ? "HEAD"
			    : git_starts(head, "refs/heads/") ? head + 11
							      : head;
	struct oid o;
	bool born = head_oid(g, &o), there = false;

	for (int i = 0; i < s->n; i++) {
		struct tip *t = &s->tip[i];
		const char *name = t->name;

		name += git_starts(name, "refs/heads/") ? 11 : git_starts(name, "heads/") ? 6 : 0;
		t->is_head = born && head != NULL && strcmp(name, brief) == 0;
		there = there || t->is_head;
		t->is_head = t->is_head && oid_eq(&t->commit->oid, &o);
	}
	if (s->current && born && !there) {
		add_named(s, brief);
		s->tip[s->n - 1].is_head = true;
	}
}

/* --- the walk --- */

static bool before(const struct waiting *a, const struct waiting *b)
{
	if (a->commit->date != b->commit->date)
		return a->commit->date > b->commit->date;
	return a->order < b->order;
}

static void push(struct show_branch *s, struct commit *c)
{
	struct waiting w = { c, s->coming++ };
	size_t at;

	LIST_ROOM(s->g, s->queue, s->nqueue, s->queue_cap);
	at = s->nqueue++;
	while (at > 0 && before(&w, &s->queue[(at - 1) / 2])) {
		s->queue[at] = s->queue[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	s->queue[at] = w;
	c->indegree++;
	s->interesting += !(c->mark & UNINTERESTING);
}

static struct commit *pop(struct show_branch *s)
{
	struct commit *c = s->queue[0].commit;
	struct waiting w = s->queue[--s->nqueue];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < s->nqueue) {
		if (child + 1 < s->nqueue && before(&s->queue[child + 1], &s->queue[child]))
			child++;
		if (!before(&s->queue[child], &w))
			break;
		s->queue[at] = s->queue[child];
		at = child;
	}
	s->queue[at] = w;
	c->indegree--;
	s->interesting -= !(c->mark & UNINTERESTING);
	return c;
}

static void add_bits(struct show_branch *s, struct commit *c, uint32_t bits)
{
	if ((bits & UNINTERESTING) && !(c->mark & UNINTERESTING))
		s->interesting -= c->indegree;
	c->mark |= bits;
}

/* Whether it is new. */
static bool see(struct show_branch *s, struct commit *c)
{
	if (c->mark != 0)
		return false;
	LIST_ROOM(s->g, s->seen.at, s->seen.n, s->seen.cap);
	s->seen.at[s->seen.n++] = c;
	return true;
}

static uint32_t all_tips(const struct show_branch *s)
{
	return ((1u << s->n) - 1) << TIP_SHIFT;
}

static void walk_down(struct show_branch *s)
{
	uint32_t all = all_tips(s);
	int extra = s->extra;

	while (s->nqueue > 0) {
		bool still = s->interesting > 0;
		struct commit *c = pop(s);
		uint32_t bits = c->mark & (all | UNINTERESTING);

		cmd_charge(s->g->c, 4);
		if (!still && extra <= 0)
			break;
		see(s, c);
		if ((bits & all) == all)
			bits |= UNINTERESTING;
		for (uint32_t i = 0; i < c->nparents; i++) {
			struct commit *p = c->parent[i];

			if ((p->mark & bits) == bits)
				continue;
			commit_need(s->g, p);
			if (see(s, p) && !still)
				extra--;
			add_bits(s, p, bits);
			push(s, p);
		}
	}
}

/* What is above something uninteresting is so too, as far as it was looked at. */
static void spread(struct show_branch *s)
{
	uint32_t all = all_tips(s);
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t k = s->seen.n; k > 0; k--) {
			struct commit *c = s->seen.at[k - 1];

			cmd_charge(s->g->c, 1);
			if ((c->mark & all) != all && !(c->mark & UNINTERESTING))
				continue;
			for (uint32_t i = 0; i < c->nparents && c->parsed; i++) {
				struct commit *p = c->parent[i];

				changed = changed || !(p->mark & UNINTERESTING);
				p->mark |= UNINTERESTING;
			}
		}
	}
}

static int younger(const void *a, const void *b)
{
	const struct commit *x = *(struct commit *const *)a, *y = *(struct commit *const *)b;

	return (x->date < y->date) - (x->date > y->date);
}

static void walk(struct show_branch *s)
{
	struct git *g = s->g;

	for (int i = 0; i < s->n; i++) {
		struct commit *c = s->tip[i].commit;
		uint32_t bit = 1u << (TIP_SHIFT + i);
		bool is_new;

		commit_need(g, c);
		is_new = see(s, c);
		c->mark |= bit;
		if (is_new)
			push(s, c);
	}
	for (int i = 0; i < s->n; i++)
		s->tip[i].mask = s->tip[i].commit->mark;
	if (s->extra >= 0) {
		walk_down(s);
		spread(s);
	}
	/* The last one that was seen is the first. */
	for (size_t i = 0; i < s->seen.n / 2; i++) {
		struct commit *c = s->seen.at[i];

		s->seen.at[i] = s->seen.at[s->seen.n - 1 - i];
		s->seen.at[s->seen.n - 1 - i] = c;
	}
	git_sort(g, s->seen.at, s->seen.n, sizeof(*s->seen.at), younger);
}

/* --- names --- */

static void set_name(struct git *g, struct commit *c, const char *head, int generation)
{
	struct branch_name *n = c->data != NULL ? c->data : arena_alloc(g->keep, sizeof(*n));

	*n = (struct branch_name){ head, generation };
	c->data = n;
}

static size_t name_first_parents(struct git *g, struct commit *c)
{
	size_t named = 0;

	while (c->data != NULL && c->nparents > 0 && c->parent[0]->data == NULL) {
		const struct branch_name *n = c->data;

		set_name(g, c->parent[0], n->head, n->generation + 1);
		c = c->parent[0];
		named++;
	}
	cmd_charge(g->c, named + 1);
	return named;
}

static size_t name_parents(struct git *g, struct commit *c)
{
	const struct branch_name *n = c->data;
	size_t named = 0;

	for (uint32_t i = 0; n != NULL && i < c->nparents; i++) {
		struct buf b = buf_in(g->keep);

		if (c->parent[i]->data != NULL)
			continue;
		buf_puts(&b, n->head);
		if (n->generation == 1)
			buf_putc(&b, '^');
		else if (n->generation > 1)
			buf_printf(&b, "~%d", n->generation);
		buf_putc(&b, '^');
		if (i > 0)
			buf_printf(&b, "%u", i + 1);
		set_name(g, c->parent[i], buf_cstr(&b), 0);
		name_first_parents(g, c->parent[i]);
		named++;
	}
	return named;
}

static void name_all(struct show_branch *s, const struct commits *list)
{
	struct git *g = s->g;
	size_t named;

	for (int i = 0; i < s->n; i++)
		if (s->tip[i].commit->data == NULL)
			set_name(g, s->tip[i].commit, s->tip[i].name, 0);
	for (int way = 0; way < 2; way++) {
		do {
			named = 0;
			for (size_t k = 0; k < list->n; k++)
				named += way == 0 ? name_first_parents(g, list->at[k])
						  : name_parents(g, list->at[k]);
			cmd_charge(g->c, list->n + 1);
		} while (named != 0);
	}
}

/* --- output --- */

static const char *tip_color(const struct show_branch *s, int i)
{
	static const char *const colors[] = { "\033[31m",   "\033[32m",   "\033[33m",
					      "\033[34m",   "\033[35m",   "\033[36m",
					      "\033[1;31m", "\033[1;32m", "\033[1;33m",
					      "\033[1;34m", "\033[1;35m", "\033[1;36m" };

	return s->use_color ? colors[i % 12] : "";
}

static void put_mark(struct show_branch *s, int i, char mark)
{
	git_printf(s->g, "%s%c%s", tip_color(s, i), mark, s->use_color ? COLOR_RESET : "");
}

static void put_commit(struct show_branch *s, struct commit *c, bool no_name)
{
	struct git *g = s->g;
	const struct branch_name *n = c->data;
	struct commit_text t;
	struct bytes subject;

	commit_text(g, g->a, &c->oid, &t);
	subject = message_subject(g->a, t.message);
	if (bytes_starts(subject, BYTES("[PATCH] ")))
		subject = bytes_slice(subject, 8, subject.len);
	if (!no_name && n != NULL) {
		git_printf(g, "[%s", n->head);
		if (n->generation == 1)
			cmd_putc(g->c, '^');
		else if (n->generation > 1)
			git_printf(g, "~%d", n->generation);
		git_printf(g, "] ");
	} else if (!no_name) {
		git_printf(g, "[%s] ", oid_short(g, &c->oid, 0));
	}
	cmd_bytes(g->c, subject);
	cmd_putc(g->c, '\n');
}

static void put_heads(struct show_branch *s)
{
	struct git *g = s->g;

	for (int i = 0; i < s->n; i++) {
		const struct tip *t = &s->tip[i];

		if (s->extra < 0) {
			git_printf(g, "%c [%s] ", t->is_head ? '*' : ' ', t->name);
		} else {
			git_printf(g, "%*s", i, "");
			put_mark(s, i, t->is_head ? '*' : '!');
			git_printf(g, " [%s] ", t->name);
		}
		if (t->message != NULL)
			git_printf(g, "%s\n", t->message);
		else
			put_commit(s, t->commit, true);
	}
	for (int i = 0; i < s->n && s->extra >= 0; i++)
		cmd_putc(g->c, '-');
	if (s->extra >= 0)
		cmd_putc(g->c, '\n');
}

/* A merge that only one tip has is no news, unless it is a tip itself. */
static bool is_dull(const struct show_branch *s, const struct commit *c)
{
	uint32_t bits = c->mark & all_tips(s);

	for (int i = 0; i < s->n; i++)
		if (s->tip[i].commit == c)
			return false;
	return c->nparents > 1 && (bits & (bits - 1)) == 0;
}

static void put_columns(struct show_branch *s, const struct commit *c)
{
	for (int i = 0; i < s->n; i++) {
		if (!(c->mark & 1u << (TIP_SHIFT + i)))
			cmd_putc(s->g->c, ' ');
		else
			put_mark(s, i, c->nparents > 1 ? '-' : s->tip[i].is_head ? '*' : '+');
	}
	cmd_putc(s->g->c, ' ');
}

static void put_list(struct show_branch *s)
{
	struct git *g = s->g;
	uint32_t all = all_tips(s);
	struct revs r;
	bool common = false;
	int extra = s->extra;

	if (s->n > 1 || extra < 0)
		put_heads(s);
	if (extra < 0)
		return;
	revs_init(g, &r);
	r.order = s->order;
	r.list = s->seen;
	for (size_t i = 0; i < s->seen.n; i++)
		for (uint32_t k = 0; k < s->seen.at[i]->nparents; k++)
			s->seen.at[i]->parent[k]->indegree = 0;
	revs_sort_topo(&r);
	if (!s->sha1_name && !s->no_name)
		name_all(s, &r.list);
	for (size_t k = 0; k < r.list.n; k++) {
		struct commit *c = r.list.at[k];
		bool everywhere = (c->mark & all) == all;
		struct arena_mark mark;

		common = common || everywhere;
		if (s->n > 1) {
			if (s->topics && !everywhere && (c->mark & 1u << TIP_SHIFT))
				continue;
			if (s->dense && is_dull(s, c))
				continue;
			put_columns(s, c);
		}
		mark = arena_mark(g->a);
		put_commit(s, c, s->no_name);
		arena_release(g->a, mark);
		if (common && --extra < 0)
			break;
	}
}

static int put_merge_bases(struct show_branch *s)
{
	uint32_t all = all_tips(s);
	int status = 1;

	for (size_t i = 0; i < s->seen.n; i++) {
		struct commit *c = s->seen.at[i];

		if ((c->mark & UNINTERESTING) || (c->mark & all) != all)
			continue;
		git_printf(s->g, "%s\n", oid_hex(s->g, &c->oid));
		c->mark |= UNINTERESTING;
		status = 0;
	}
	return status;
}

static int put_independent(struct show_branch *s)
{
	for (int i = 0; i < s->n; i++) {
		struct commit *c = s->tip[i].commit;

		if (c->mark == s->tip[i].mask)
			git_printf(s->g, "%s\n", oid_hex(s->g, &c->oid));
		c->mark |= UNINTERESTING;
	}
	return 0;
}

/* --- the command --- */

/* Arguments as the configuration has them, where none are given. */
static void usual_arguments(struct git *g, struct args *args)
{
	struct names values = { NULL, 0, 0 };

	for (size_t i = 0; i < g->config->n; i++)
		if (strcmp(g->config->at[i].key, "showbranch.default") == 0 &&
		    g->config->at[i].value != NULL)
			names_add(g, &values, g->config->at[i].value);
	if (args->argc == 0 && values.n != 0) {
		args->argv = arena_array(g->keep, values.n + 1, sizeof(*args->argv));
		for (size_t i = 0; i < values.n; i++)
			args->argv[args->argc++] = values.at[i];
	}
}

static void find_tips(struct show_branch *s, struct args *args)
{
	if (s->reflog > 0) {
		add_reflog(s, args);
	} else {
		for (int i = 0; i < args->argc; i++)
			add_named(s, args->argv[i]);
		if (args->argc == 0 && !s->heads && !s->remotes)
			s->heads = true;
		if (s->heads)
			add_below(s, "refs/heads/");
		if (s->remotes)
			add_below(s, "refs/remotes/");
	}
	mark_head(s);
}

int git_cmd_show_branch(struct git *g, struct args *args)
{
	struct show_branch *s = arena_zalloc(g->keep, sizeof(*s));
	const struct git_parser p = { show_branch_options, s, usage_lines, GIT_STOP_AT_OPERAND,
				      NULL };

	*s = (struct show_branch){ .g = g, .dense = true, .order = ORDER_TOPO };
	usual_arguments(g, args);
	git_parse(g, args, &p);
	if (s->extra != 0 && (s->independent || s->merge_base))
		git_usage(g, usage_lines);
	if (s->reflog > 0 && (s->heads || s->remotes || s->independent || s->merge_base))
		git_die(g, "options '%s' and '%s' cannot be used together", "--reflog",
			s->heads || s->remotes ? "--all/--remotes" : "--independent/--merge-base");
	s->use_color = color_wanted(g, "color.showbranch");
	find_tips(s, args);
	if (s->n == 0) {
		git_say(g, "No revs to be shown.\n");
		return 0;
	}
	walk(s);
	if (s->merge_base)
		return put_merge_bases(s);
	if (s->independent)
		return put_independent(s);
	put_list(s);
	return 0;
}
