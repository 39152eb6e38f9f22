/* SPDX-License-Identifier: MIT
 *
 * Arguments of commands that walk histories.
 */
#include "builtins/git/worktree.h"

void revs_init(struct git *g, struct revs *r)
{
	*r = (struct revs){ .g = g,
			    .max_count = -1,
			    .since = INT64_MIN,
			    .until = INT64_MAX,
			    .max_parents = -1,
			    .dense = true };
	diff_init(g, &r->diff);
}

/* --- revisions --- */

static void add_item(struct git *g, struct revs *r, struct revs_item it)
{
	LIST_ROOM(g, r->item, r->nitems, r->items_cap);
	r->item[r->nitems++] = it;
}

void revs_add_commit(struct git *g, struct revs *r, struct commit *c, bool uninteresting)
{
	add_item(g, r,
		 (struct revs_item){ .c = c,
				     .oid = c->oid,
				     .name = oid_hex(g, &c->oid),
				     .uninteresting = uninteresting,
				     .type = OBJECT_COMMIT });
}

static void add_oid(struct git *g, struct revs *r, const struct oid *o, const char *name,
		    bool uninteresting, const struct rev_context *cx)
{
	struct revs_item it = { .oid = *o, .name = name, .uninteresting = uninteresting };
	struct oid c;
	uint64_t size;

	it.type = object_info(g, o, &size);
	if (it.type == OBJECT_NONE)
		git_die(g, "bad object %s", name);
	if (cx != NULL) {
		it.mode = cx->mode;
		it.path = cx->path;
	}
	if (object_peel(g, o, OBJECT_COMMIT, &c))
		it.c = commit_at(g, &c);
	add_item(g, r, it);
}

static bool add_range(struct git *g, struct revs *r, const char *arg, const char *dots)
{
	bool three = dots[2] == '.';
	const char *left = dots == arg ? "HEAD" : git_format(g->a, "%.*s", (int)(dots - arg), arg);
	const char *right = dots[2 + three] != '\0' ? dots + 2 + three : "HEAD";
	struct oid a, b;
	struct commit **bases;

	if (dots == arg && dots[2 + three] == '\0' && !three)
		return false; /* ".." is a path */
	if (rev_commit(g, left, &a) < 0 || rev_commit(g, right, &b) < 0)
		return false;
	rev_check_not_path(g, arg);
	struct commit *ca = commit_at(g, &a);
	struct commit *cb = commit_at(g, &b);

	commit_need(g, ca);
	commit_need(g, cb);
	if (three) {
		size_t n = merge_bases(g, ca, cb, &bases);

		for (size_t i = 0; i < n; i++)
			add_item(g, r,
				 (struct revs_item){ .c = bases[i],
						     .oid = bases[i]->oid,
						     .name = oid_hex(g, &bases[i]->oid),
						     .uninteresting = !r->negate,
						     .type = OBJECT_COMMIT });
		ca->flags |= COMMIT_LEFT;
	}
	add_item(g, r,
		 (struct revs_item){ .c = ca,
				     .oid = a,
				     .name = left,
				     .uninteresting = three ? r->negate : !r->negate,
				     .type = OBJECT_COMMIT });
	add_item(g, r,
		 (struct revs_item){ .c = cb,
				     .oid = b,
				     .name = right,
				     .uninteresting = r->negate,
				     .type = OBJECT_COMMIT });
	return true;
}

/* x^@, x^!, x^-n: the parents of x. */
static bool add_parents_of(struct git *g, struct revs *r, const char *arg, const char *caret)
{
	char *name = git_format(g->a, "%.*s", (int)(caret - arg), arg);
	struct oid o;
	struct commit *c;
	int64_t only = 0;

	if (caret[1] == '-' && caret[2] != '\0' && (!git_number(caret + 2, &only) || only < 1))
		return false;
	if (caret[1] == '-' && only == 0)
		only = 1;
	if (rev_commit(g, name, &o) < 0)
		return false;
	c = commit_at(g, &o);
	commit_need(g, c);
	if (only > c->nparents)
		return false;
	for (uint32_t i = 0; i < c->nparents; i++)
		if (only == 0 || only == i + 1)
			revs_add_commit(g, r, c->parent[i], (caret[1] != '@') != r->negate);
	if (caret[1] != '@')
		revs_add_commit(g, r, c, r->negate);
	return true;
}

bool revs_add(struct git *g, struct revs *r, const char *arg)
{
	const char *dots = strstr(arg, "..");
	size_t len = strlen(arg);
	struct rev_context cx;
	struct oid o;
	bool uninteresting = r->negate;

	r->gave_rev = true;
	if (dots != NULL && arg[0] != '^' && add_range(g, r, arg, dots))
		return true;
	if (len > 2 && (strcmp(arg + len - 2, "^@") == 0 || strcmp(arg + len - 2, "^!") == 0) &&
	    add_parents_of(g, r, arg, arg + len - 2))
		return true;
	const char *minus = strstr(arg, "^-");

	if (minus != NULL && add_parents_of(g, r, arg, minus))
		return true;
	if (arg[0] == '^') {
		uninteresting = !uninteresting;
		arg++;
	}
	if (rev_parse_context(g, arg, &o, &cx) < 0)
		return false;
	add_oid(g, r, &o, arg, uninteresting, &cx);
	return true;
}

static void add_ref(void *revs, const struct ref *ref, const char *name)
{
	struct revs *r = revs;

	add_oid(r->g, r, &ref->oid, ref->name, r->negate, NULL);
	r->item[r->nitems - 1].source = arena_dup(r->g->keep, bytes_of(name));
}

/* What --all means besides references. */
static void add_heads(struct git *g, struct revs *r)
{
	struct oid o;

	if (head_oid(g, &o))
		add_oid(g, r, &o, "HEAD", r->negate, NULL);
	/* What other work trees have checked out counts too. */
	if (!file_is_dir(g, path_join(g->a, g->common, "worktrees")))
		return;
	struct worktree *list;
	size_t n = worktree_list(g, &list);

	for (size_t i = 0; i < n; i++)
		if (list[i].has_head && strcmp(list[i].dir, g->dir) != 0)
			add_oid(g, r, &list[i].head, "HEAD", r->negate, NULL);
}

/* --- options --- */

static bool order_option(struct revs *r, const char *arg)
{
	if (strcmp(arg, "--topo-order") == 0)
		r->order = ORDER_TOPO;
	else if (strcmp(arg, "--date-order") == 0)
		r->order = ORDER_TOPO_DATE;
	else if (strcmp(arg, "--author-date-order") == 0)
		r->order = ORDER_AUTHOR_DATE;
	else
		return false;
	return true;
}

static bool word_option(struct revs *r, const char *arg)
{
	if (strcmp(arg, "--no-walk") == 0 || strcmp(arg, "--no-walk=sorted") == 0)
		r->no_walk = true, r->unsorted = false;
	else if (strcmp(arg, "--no-walk=unsorted") == 0)
		r->no_walk = r->unsorted = true;
	else if (git_starts(arg, "--no-walk="))
		git_exit(r->g, git_error(r->g, "invalid argument to --no-walk") + 127);
	else if (strcmp(arg, "--merges") == 0)
		r->min_parents = 2;
	else if (strcmp(arg, "--no-merges") == 0)
		r->max_parents = 1;
	else if (strcmp(arg, "--no-min-parents") == 0)
		r->min_parents = 0;
	else if (strcmp(arg, "--no-max-parents") == 0)
		r->max_parents = -1;
	else if (strcmp(arg, "--not") == 0)
		r->negate = !r->negate;
	else if (strcmp(arg, "-E") == 0 || strcmp(arg, "--extended-regexp") == 0)
		r->grep_kind = GREP_EXTENDED;
	else if (strcmp(arg, "--basic-regexp") == 0)
		r->grep_kind = GREP_BASIC;
	else if (strcmp(arg, "-F") == 0 || strcmp(arg, "--fixed-strings") == 0)
		r->grep_kind = GREP_FIXED;
	else if (strcmp(arg, "-P") == 0 || strcmp(arg, "--perl-regexp") == 0)
		r->grep_kind = GREP_PERL;
	else if (strcmp(arg, "--no-follow") == 0)
		r->follow = r->follow_configured = false;
	else if (strcmp(arg, "--cherry") == 0)
		r->cherry_mark = r->right_only = true, r->max_parents = 1;
	else
		return false;
	return true;
}

static bool flag_option(struct revs *r, const char *arg)
{
	const struct {
		const char *name;
		bool *field;
	} flags[] = {
		{ "--reverse", &r->reverse },
		{ "--first-parent", &r->first_parent },
		{ "--boundary", &r->boundary },
		{ "--left-right", &r->left_right },
		{ "--left-only", &r->left_only },
		{ "--right-only", &r->right_only },
		{ "--cherry-mark", &r->cherry_mark },
		{ "--cherry-pick", &r->cherry_pick },
		{ "--full-history", &r->full_history },
		{ "--sparse", &r->sparse },
		{ "--show-pulls", &r->show_pulls },
		{ "--simplify-merges", &r->simplify_merges },
		{ "--simplify-by-decoration", &r->by_decoration },
		{ "--ancestry-path", &r->ancestry_path },
		{ "--follow", &r->follow },
		{ "--root", &r->show_root },
		{ "--ignore-missing", &r->ignore_missing },
		{ "-i", &r->grep_icase },
		{ "--regexp-ignore-case", &r->grep_icase },
		{ "--invert-grep", &r->grep_invert },
		{ "--all-match", &r->grep_all_match },
		{ "--stdin", &r->read_stdin },
		{ "-g", &r->reflogs },
		{ "--walk-reflogs", &r->reflogs },
		{ "--dense", &r->dense },
		{ "--objects", &r->objects },
		{ "--parents", &r->rewrite },
		{ "--children", &r->rewrite },
		{ "--do-walk", &r->dense },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(flags[i].name, arg) != 0)
			continue;
		if (strcmp(arg, "--children") == 0 || strcmp(arg, "--objects") == 0)
			git_refuse(r->g, git_format(r->g->a, "option '%s'", arg));
		*flags[i].field = true;
		if (flags[i].field == &r->first_parent)
			r->diff.first_parent = true;
		if (r->by_decoration)
			r->simplify_merges = true;
		if (r->simplify_merges)
			r->full_history = r->rewrite = true;
		return true;
	}
	return word_option(r, arg);
}

/* All that logs of references have named. */
static void add_logs(struct git *g, struct revs *r, const char *name)
{
	struct reflog_entry *log;
	size_t n = reflog_read(g, name, &log);

	for (size_t i = 0; i < n; i++) {
		const struct oid *const both[] = { &log[i].before, &log[i].after };

		for (size_t j = 0; j < 2; j++)
			if (!oid_is_null(both[j]) && object_exists(g, both[j]))
				add_oid(g, r, both[j], oid_hex(g, both[j]), r->negate, NULL);
		cmd_charge(g->c, 1);
	}
}

static bool ref_option(struct git *g, struct revs *r, const char *arg)
{
	if (strcmp(arg, "--reflog") == 0) {
		struct ref *list;
		size_t n = ref_list(g, "refs/", &list);

		add_logs(g, r, "HEAD");
		for (size_t i = 0; i < n; i++)
			add_logs(g, r, list[i].name);
		return r->gave_rev = true;
	}
	if (!refs_choose(g, &r->exclude, arg, add_ref, r))
		return false;
	r->gave_rev = r->gave_rev || !git_starts(arg, "--exclude=");
	if (strcmp(arg, "--all") == 0)
		add_heads(g, r);
	return true;
}

static int64_t need_number(struct git *g, const char *text)
{
	int64_t v;

	if (!git_number(text, &v))
		git_die(g, "'%s': not an integer", text);
	return v;
}

static void set_value(struct git *g, struct revs *r, int which, const char *v)
{
	switch (which) {
	case 0:
	case 1: r->max_count = need_number(g, v); break;
	case 2: r->skip = need_number(g, v); break;
	case 3:
	case 4: r->since = date_approximate(g, v); break;
	case 5:
	case 6: r->until = date_approximate(g, v); break;
	case 7: names_add(g, &r->grep_text[0], v); break;
	case 8: names_add(g, &r->grep_text[1], v); break;
	case 9: names_add(g, &r->grep_text[2], v); break;
	case 10: r->min_parents = (int)need_number(g, v); break;
	case 11: r->max_parents = (int)need_number(g, v); break;
	case 12: r->since = need_number(g, v); break;
	default: r->until = need_number(g, v); break;
	}
}

static int value_option(struct git *g, struct revs *r, int argc, char **argv)
{
	static const char *const names[] = {
		"-n",          "--max-count", "--skip",        "--since",
		"--after",     "--until",     "--before",      "--author",
		"--committer", "--grep",      "--min-parents", "--max-parents",
		"--max-age",   "--min-age",
	};

	for (int i = 0; i < 14; i++) {
		size_t n = strlen(names[i]);
		const char *rest = argv[0] + n;

		if (strncmp(argv[0], names[i], n) != 0)
			continue;
		if (i == 0 && *rest != '\0') {
			set_value(g, r, i, rest);
			return 1;
		}
		if (i != 0 && *rest == '=') {
			set_value(g, r, i, rest + 1);
			return 1;
		}
		if (*rest != '\0')
			continue;
		if (argc < 2) {
			if (i == 0) {
				git_error(g, "-n requires an argument");
				git_exit(g, GIT_STATUS_FATAL);
			}
			git_die(g, "Option '%s' requires a value", argv[0] + 2);
		}
		set_value(g, r, i, argv[1]);
		return 2;
	}
	return 0;
}

int revs_option(struct git *g, void *opts, int argc, char **argv)
{
	struct revs *r = opts;
	const char *arg = argv[0];

	if (arg[0] == '-' && byte_is_digit((unsigned char)arg[1])) {
		r->max_count = need_number(g, arg + 1);
		return 1;
	}
	if (strcmp(arg, "--default") == 0) {
		if (argc < 2) {
			git_error(g, "bad --default argument");
			git_exit(g, GIT_STATUS_FATAL);
		}
		r->default_rev = argv[1];
		return 2;
	}
	if (flag_option(r, arg) || order_option(r, arg) || ref_option(g, r, arg))
		return 1;
	return value_option(g, r, argc, argv);
}

/* --- operands --- */

static void compile_greps(struct git *g, struct revs *r)
{
	static const char fields[] = { 'a', 'c', 'm' };
	unsigned flags = grep_kind_flags(g, r->grep_kind);

	flags |= REGEX_NEWLINE | REGEX_NOSUB | (r->grep_icase ? REGEX_ICASE : 0u) | g->utf8;
	for (int k = 0; k < 3; k++)
		for (size_t i = 0; i < r->grep_text[k].n; i++) {
			const char *message;
			struct revs_grep p = { .field = fields[k] };

			if (regex_compile(g->keep, bytes_of(r->grep_text[k].at[i]), flags, &p.re,
					  &message, NULL) < 0)
				git_die(g, "command line, '%s': %s", r->grep_text[k].at[i],
					message);
			regex_set_work(p.re, cmd_work, g->c);
			LIST_ROOM(g, r->grep, r->ngreps, r->greps_cap);
			r->grep[r->ngreps++] = p;
		}
}

static void read_stdin_revs(struct git *g, struct revs *r)
{
	struct bytes text = file_stdin(g);
	struct bytes line;

	while (git_line(&text, &line)) {
		char *arg = arena_dup(g->keep, line);

		if (line.len == 0)
			break;
		if (strcmp(arg, "--") == 0)
			break;
		if (arg[0] == '-')
			git_die(g, "options not supported in --stdin mode");
		if (!revs_add(g, r, arg))
			git_die(g, "bad revision '%s'", arg);
	}
}

static void add_default(struct git *g, struct revs *r)
{
	struct oid o;
	char *head;

	if (!r->gave_rev && r->default_rev != NULL) {
		if (!revs_add(g, r, r->default_rev))
			git_die(g, "your current branch appears to be broken");
		return;
	}
	if (r->gave_rev || !r->default_head)
		return;
	if (head_oid(g, &o)) {
		add_oid(g, r, &o, "HEAD", false, NULL);
		return;
	}
	head = head_ref(g);
	if (head != NULL)
		git_die(g, "your current branch '%s' does not have any commits yet",
			ref_short(g, head));
	git_die(g, "bad default revision 'HEAD'");
}

void revs_operands(struct git *g, struct revs *r, struct args *args)
{
	int n = args->argc;
	int dashdash = -1;
	int paths;

	for (int i = 0; i < n && dashdash < 0; i++)
		if (strcmp(args->argv[i], "--") == 0)
			dashdash = i;
	paths = dashdash >= 0 ? dashdash : n;
	for (int i = 0; i < paths; i++) {
		const char *arg = args->argv[i];

		if (ref_option(g, r, arg))
			continue;
		if (strcmp(arg, "--not") == 0) {
			r->negate = !r->negate;
			continue;
		}
		if (revs_add(g, r, arg)) {
			if (dashdash < 0)
				rev_check_not_path(g, arg[0] == '^' ? arg + 1 : arg);
			continue;
		}
		if (dashdash >= 0 || arg[0] == '^')
			git_die(g, "bad revision '%s'", arg);
		for (int j = i; j < n; j++)
			rev_check_path(g, args->argv[j], j == i);
		r->gave_rev = r->nitems != 0;
		paths = i;
		break;
	}
	if (r->read_stdin)
		read_stdin_revs(g, r);
	int from = dashdash >= 0 ? dashdash + 1 : paths;

	if (from < n)
		pathspec_of(g, args->argv + from, n - from, &r->paths);
	r->diff.paths = r->paths;
	if (r->follow_configured && r->paths.n == 1 && !r->paths.has_wild &&
	    r->paths.at[0].match[0] != '\0')
		r->follow = true;
	if (r->follow) {
		if (r->paths.n != 1)
			git_die(g, "--follow requires exactly one pathspec");
		r->follow_path = r->paths.at[0].match;
	}
	compile_greps(g, r);
	add_default(g, r);
}

/* --- --follow --- */

/* What the file was made of: another name that went, or any file of the commit before. */
static bool rename_source(struct git *g, struct revs *r, struct commit *c, struct commit *p,
			  const char **from)
{
	struct diff_opts o = { .renames = 2,
			       .find_copies_harder = true,
			       .rename_limit = RENAME_LIMIT };
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };

	diff_trees(g, &o, &p->tree, &c->tree, &q);
	diff_renames(g, &o, &q);
	for (size_t i = 0; i < q.n; i++) {
		if ((q.at[i].status != 'R' && q.at[i].status != 'C') ||
		    strcmp(q.at[i].two->path, r->follow_path) != 0)
			continue;
		*from = arena_dup(g->keep, bytes_of(q.at[i].one->path));
		/* The commit's differences are to show the copy. */
		if (q.at[i].status == 'C') {
			r->diff.renames = 2;
			r->follow_copied = !r->diff.find_copies_harder;
			r->diff.find_copies_harder = true;
		}
		return true;
	}
	return false;
}

bool revs_follow(struct revs *r, struct commit *c)
{
	struct git *g = r->g;
	struct oid now, before;
	uint32_t mode, mode_before;
	bool is = tree_find(g, &c->tree, r->follow_path, &mode, &now);
	bool was;
	struct commit *p = c->nparents != 0 ? c->parent[0] : NULL;
	const char *from;

	if (c->nparents > 1)
		return false;
	if (r->follow_copied) {
		r->diff.renames = 1;
		r->diff.find_copies_harder = r->follow_copied = false;
	}
	if (p != NULL)
		commit_need(g, p);
	was = p != NULL && tree_find(g, &p->tree, r->follow_path, &mode_before, &before);
	if (is == was && (!is || (mode == mode_before && oid_eq(&now, &before))))
		return false;
	char *one = arena_dup(g->keep, bytes_of(r->follow_path));

	pathspec_of(g, &one, 1, &r->diff.paths);
	r->diff.paths.at[0].match = one;
	r->diff.paths.at[0].length = r->diff.paths.at[0].plain = strlen(one);
	if (is && !was && p != NULL && rename_source(g, r, c, p, &from)) {
		char *both[2] = { one, arena_dup(g->keep, bytes_of(from)) };

		pathspec_of(g, both, 2, &r->diff.paths);
		for (int i = 0; i < 2; i++) {
			r->diff.paths.at[i].match = both[i];
			r->diff.paths.at[i].length = r->diff.paths.at[i].plain = strlen(both[i]);
		}
		r->follow_path = from;
	}
	return true;
}

/* --- --cherry-pick --- */

static struct oid patch_id(struct git *g, struct revs *r, struct commit *c)
{
	struct arena_mark mark = arena_mark(g->a);
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct buf b = buf_in(g->a);
	struct oid id;

	diff_init(g, &o);
	o.context = 3;
	o.renames = 0;
	o.paths = r->paths;
	diff_trees(g, &o, c->nparents != 0 ? &c->parent[0]->tree : NULL, &c->tree, &q);
	for (size_t i = 0; i < q.n; i++) {
		struct lines l;

		buf_printf(&b, "%s\n%o %o\n", q.at[i].two->path, q.at[i].one->mode,
			   q.at[i].two->mode);
		diff_load(g, q.at[i].one);
		diff_load(g, q.at[i].two);
		lines_diff(g, g->a, q.at[i].one->data, q.at[i].two->data, 0, &l);
		for (size_t k = 0; k < l.n; k++)
			for (int w = 0; w < 2; w++)
				for (size_t j = 0; j < l.change[k].count[w]; j++) {
					buf_putc(&b, w == 0 ? '-' : '+');
					buf_add(&b, l.file[w].line[l.change[k].from[w] + j]);
				}
	}
	object_hash(OBJECT_BLOB, buf_bytes(&b), &id);
	arena_release(g->a, mark);
	return id;
}

void revs_mark_cherries(struct revs *r)
{
	struct git *g = r->g;
	struct lookup *left = lookup_new(g);

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < r->list.n; i++) {
			struct commit *c = r->list.at[i];
			struct oid *id;
			struct commit *twin;

			if (c->nparents > 1 || ((c->flags & COMMIT_LEFT) != 0) != (side == 0))
				continue;
			id = arena_alloc(g->keep, sizeof(*id));
			if (c->nparents != 0)
				commit_need(g, c->parent[0]);
			*id = patch_id(g, r, c);
			if (side == 0) {
				*lookup_at(left, oid_key(id)) = c;
				continue;
			}
			twin = lookup_get(left, oid_key(id));
			if (twin == NULL)
				continue;
			twin->flags |= COMMIT_PATCH_SAME;
			c->flags |= COMMIT_PATCH_SAME;
		}
}

bool commit_file_before(struct git *g, struct commit *p, struct commit *child, const char *path,
			const char **name, struct oid *out)
{
	uint32_t mode;
	struct diff_opts d = { .renames = 1, .rename_limit = RENAME_LIMIT };
	struct diff_queue q = { .at = NULL };

	*name = path;
	if (tree_find(g, &p->tree, path, &mode, out))
		return true;
	if (child == NULL)
		return false;
	diff_trees(g, &d, &p->tree, &child->tree, &q);
	diff_renames(g, &d, &q);
	for (size_t i = 0; i < q.n; i++)
		if (q.at[i].status == 'R' && strcmp(q.at[i].two->path, path) == 0) {
			*name = arena_dup(g->keep, bytes_of(q.at[i].one->path));
			*out = q.at[i].one->oid;
			return true;
		}
	return false;
}
