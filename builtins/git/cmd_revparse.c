/* SPDX-License-Identifier: MIT
 *
 * git rev-parse, rev-list: names of commits.
 */
#include "builtins/git/rev.h"
#include "builtins/git/walk.h"

/* --- rev-parse --- */

struct parsing {
	struct git *g;
	bool verify, quiet, symbolic, symbolic_full, abbrev_ref, negate, is_default, sq;
	char paths; /* of --path-format: 'a'bsolute, 'r'elative, 0: as each option likes */
	int abbrev; /* 0: all digits */
	bool revs_only, no_revs, flags, no_flags;
	const char *fallback;
	struct names exclude;
	bool any;
	struct oid single;
	size_t count;
	bool path_seen;
};

/* A line, or with --sq a word for the shell. */
static void show(struct parsing *p, bool negated, const char *text)
{
	struct buf out = buf_in(p->g->a);

	if (negated)
		buf_putc(&out, '^');
	if (p->sq)
		git_quote_shell(&out, text);
	else
		buf_puts(&out, text);
	git_printf(p->g, "%s%c", buf_cstr(&out), p->sq ? ' ' : '\n');
}

static void show_oid(struct parsing *p, const struct oid *o, const char *name, bool negated)
{
	struct git *g = p->g;
	bool several;
	struct oid ignored;

	p->any = true;
	p->count++;
	if (p->no_revs)
		return;
	if (p->verify) {
		p->single = *o;
		return;
	}
	if ((p->symbolic_full || p->abbrev_ref) && name != NULL) {
		bool head = strcmp(name, "HEAD") == 0 || strcmp(name, "@") == 0;
		char *full = head ? head_ref(g) : ref_expand(g, name, &ignored, &several);

		if (head && full == NULL)
			full = arena_dup(g->a, BYTES("HEAD"));
		if (full == NULL && strstr(name, "@{") != NULL) {
			const char *why;
			char *base = git_format(g->a, "%.*s", (int)(strstr(name, "@{") - name),
						name);

			full = base[0] != '\0' ? ref_expand(g, base, &ignored, &several)
					       : head_ref(g);
			if (full != NULL)
				full = rev_upstream(g, full, &why);
		}
		if (full != NULL) {
			ref_read(g, full, &ignored, &full);
			show(p, negated, p->abbrev_ref ? ref_shorten(g, full) : full);
			return;
		}
		if (p->symbolic_full)
			return;
	} else if (p->symbolic && name != NULL) {
		show(p, negated, name);
		return;
	}
	show(p, negated, p->abbrev != 0 ? oid_short(g, o, p->abbrev) : oid_hex(g, o));
}

static bool show_revs(struct parsing *p, const char *arg)
{
	struct git *g = p->g;
	struct revs r;
	struct oid o;
	const char *name = arg;
	bool negated = p->negate;

	if (arg[0] == '^') {
		negated = !negated;
		name = arg + 1;
	}
	if (strstr(arg, "..") == NULL && strstr(arg, "^@") == NULL && strstr(arg, "^!") == NULL &&
	    strstr(arg, "^-") == NULL) {
		if (rev_parse(g, name, &o) < 0)
			return false;
		show_oid(p, &o, name, negated);
		return true;
	}
	revs_init(g, &r);
	if (!revs_add(g, &r, arg))
		return false;
	/* B..., then what is excluded. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < r.nitems; i++)
			if (r.item[i].uninteresting == (pass == 1))
				show_oid(p, &r.item[i].oid, r.item[i].name,
					 r.item[i].uninteresting);
	return true;
}

static const char *shown_dir(struct git *g)
{
	if (g->dir_shown != NULL)
		return g->dir_shown;
	if (g->work != NULL && strcmp(g->dir, path_join(g->a, g->work, ".git")) == 0 &&
	    strcmp(g->start, g->work) == 0)
		return ".git";
	return strcmp(g->start, g->dir) == 0 ? "." : g->dir;
}

static bool inside_dir(struct git *g)
{
	return strcmp(g->start, g->dir) == 0 ||
	       git_starts(g->start, git_format(g->a, "%s/", g->dir));
}

/* A path as seen from the start directory; a directory above ends with a slash. */
static const char *from_start(struct git *g, const char *path)
{
	struct buf out = buf_in(g->a);
	const char *from = g->start;

	while (*from != '\0') {
		size_t n = strcspn(from + 1, "/") + 1;

		if (strncmp(from, path, n) != 0 || (path[n] != '/' && path[n] != '\0'))
			break;
		from += n;
		path += n;
	}
	for (; *from != '\0'; from++)
		if (*from == '/')
			buf_puts(&out, "../");
	buf_puts(&out, path + (*path == '/'));
	if (out.len == 0)
		buf_puts(&out, "./");
	return buf_cstr(&out);
}

/* In the form that --path-format asked for, or the option's own. */
static void show_path(struct parsing *p, const char *path, const char *otherwise)
{
	if (p->paths == 'a')
		otherwise = path;
	else if (p->paths == 'r')
		otherwise = from_start(p->g, path);
	git_printf(p->g, "%s\n", otherwise);
}

static void path_format(struct parsing *p, const char *arg)
{
	const char *format = arg + strlen("--path-format");

	if (*format == '\0')
		git_die(p->g, "--path-format requires an argument");
	if (strcmp(format, "=absolute") != 0 && strcmp(format, "=relative") != 0)
		git_die(p->g, "unknown argument to --path-format: %s", format + 1);
	p->paths = format[1];
}

static void show_candidates(struct parsing *p, const char *digits)
{
	struct oid *found;
	size_t n = strlen(digits) < 4 ? 0 : oid_candidates(p->g, digits, &found);

	for (size_t i = 0; i < n; i++)
		show_oid(p, &found[i], NULL, false);
}

/* Where a file of the repository is. */
static void show_git_path(struct parsing *p, const char *name)
{
	struct git *g = p->g;
	char *path = repo_path(g, g->a, name);
	size_t n = strlen(g->dir);
	bool inside = strncmp(path, g->dir, n) == 0;

	show_path(p, path,
		  git_format(g->a, "%s%s", inside ? shown_dir(g) : path, inside ? path + n : ""));
}

static bool about_repo(struct parsing *p, const char *arg)
{
	struct git *g = p->g;

	if (strcmp(arg, "--is-inside-work-tree") == 0) {
		git_printf(g, "%s\n", g->work != NULL && !inside_dir(g) ? "true" : "false");
	} else if (strcmp(arg, "--is-inside-git-dir") == 0) {
		git_printf(g, "%s\n", inside_dir(g) ? "true" : "false");
	} else if (strcmp(arg, "--is-bare-repository") == 0) {
		git_printf(g, "%s\n", g->bare ? "true" : "false");
	} else if (strcmp(arg, "--is-shallow-repository") == 0) {
		git_printf(g, "%s\n", g->shallow.n != 0 ? "true" : "false");
	} else if (strcmp(arg, "--git-dir") == 0) {
		show_path(p, g->dir, shown_dir(g));
	} else if (strcmp(arg, "--absolute-git-dir") == 0) {
		git_printf(g, "%s\n", g->dir);
	} else if (strcmp(arg, "--git-common-dir") == 0) {
		show_path(p, g->common, strcmp(g->dir, g->common) == 0 ? shown_dir(g) : g->common);
	} else if (strcmp(arg, "--show-toplevel") == 0) {
		repo_need_work(g);
		show_path(p, g->work, g->work);
	} else if (strcmp(arg, "--show-prefix") == 0) {
		git_printf(g, "%s\n", g->prefix);
	} else if (strcmp(arg, "--show-cdup") == 0) {
		for (const char *q = g->prefix; *q != '\0'; q++)
			if (*q == '/')
				cmd_puts(g->c, "../");
		cmd_putc(g->c, '\n');
	} else if (strcmp(arg, "--show-superproject-working-tree") == 0 ||
		   strcmp(arg, "--shared-index-path") == 0) {
		return true;
	} else if (git_starts(arg, "--show-object-format")) {
		git_printf(g, "sha1\n");
	} else {
		return false;
	}
	return true;
}

static void show_ref(void *parsing, const struct ref *ref, const char *name)
{
	struct parsing *p = parsing;

	show_oid(p, &ref->oid, name, p->negate);
}

/* --since=DATE as --max-age=SECONDS, and its kin. */
static bool show_age(struct parsing *p, const char *arg)
{
	static const char *const names[][2] = { { "--since=", "--max-age=" },
						{ "--after=", "--max-age=" },
						{ "--before=", "--min-age=" },
						{ "--until=", "--min-age=" } };

	for (size_t i = 0; i < 4; i++) {
		const char *name = names[i][0];

		if (!git_starts(arg, name))
			continue;
		if (!p->no_revs && !p->no_flags)
			git_printf(p->g, "%s%lld\n", names[i][1],
				   (long long)date_approximate(p->g, arg + strlen(name)));
		return true;
	}
	return false;
}

static bool mode_option(struct parsing *p, const char *arg)
{
	struct git *g = p->g;
	int64_t n;

	if (strcmp(arg, "--verify") == 0)
		p->verify = true;
	else if (strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0)
		p->quiet = true;
	else if (strcmp(arg, "--short") == 0)
		p->abbrev = oid_default_length(g), p->verify = true;
	else if (git_starts(arg, "--short=") && git_number(arg + 8, &n))
		p->abbrev = n < 4 ? 4 : n > OID_HEX ? OID_HEX : (int)n, p->verify = true;
	else if (strcmp(arg, "--symbolic") == 0)
		p->symbolic = true;
	else if (strcmp(arg, "--symbolic-full-name") == 0)
		p->symbolic_full = true;
	else if (strcmp(arg, "--abbrev-ref") == 0 || git_starts(arg, "--abbrev-ref="))
		p->abbrev_ref = true;
	else if (strcmp(arg, "--not") == 0)
		p->negate = !p->negate;
	else if (strcmp(arg, "--revs-only") == 0)
		p->revs_only = true;
	else if (strcmp(arg, "--no-revs") == 0)
		p->no_revs = true;
	else if (strcmp(arg, "--flags") == 0)
		p->flags = true;
	else if (strcmp(arg, "--no-flags") == 0)
		p->no_flags = true;
	else if (strcmp(arg, "--sq") == 0)
		p->sq = true;
	else if (git_starts(arg, "--path-format"))
		path_format(p, arg);
	else if (git_starts(arg, "--disambiguate="))
		show_candidates(p, arg + strlen("--disambiguate="));
	else
		return refs_choose(g, &p->exclude, arg, show_ref, p) || show_age(p, arg) ||
		       about_repo(p, arg);
	return true;
}

static int no_single(struct parsing *p)
{
	if (!p->quiet)
		git_die(p->g, "Needed a single revision");
	return 1;
}

static const char rev_parse_usage[] =
	"usage: git rev-parse --parseopt [<options>] -- [<args>...]\n"
	"   or: git rev-parse --sq-quote [<arg>...]\n"
	"   or: git rev-parse [<options>] [<arg>...]\n"
	"\n"
	"Run \"git rev-parse --parseopt -h\" for more information on the first usage.\n";

static int quote_arguments(struct git *g, const struct args *args)
{
	struct buf out = buf_in(g->a);

	for (int i = 1; i < args->argc; i++) {
		buf_putc(&out, ' ');
		git_quote_shell(&out, args->argv[i]);
	}
	git_printf(g, "%s\n", buf_cstr(&out));
	return 0;
}

/* What belongs to one repository, and is not handed on to another one's commands. */
static int list_variables(struct git *g)
{
	static const char *const names[] = {
		"GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_CONFIG",
		"GIT_CONFIG_PARAMETERS",
		"GIT_CONFIG_COUNT",
		"GIT_OBJECT_DIRECTORY",
		"GIT_DIR",
		"GIT_WORK_TREE",
		"GIT_IMPLICIT_WORK_TREE",
		"GIT_GRAFT_FILE",
		"GIT_INDEX_FILE",
		"GIT_NO_REPLACE_OBJECTS",
		"GIT_REPLACE_REF_BASE",
		"GIT_PREFIX",
		"GIT_INTERNAL_SUPER_PREFIX",
		"GIT_SHALLOW_FILE",
		"GIT_COMMON_DIR",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		git_printf(g, "%s\n", names[i]);
	return 0;
}

/* long: arguments in order */
int git_cmd_rev_parse(struct git *g, struct args *args)
{
	struct parsing p = { .g = g };
	const char *first = args->argc > 0 ? args->argv[0] : "";
	bool paths = false;

	if (strcmp(first, "-h") == 0) {
		cmd_err_write(g->c, rev_parse_usage, sizeof rev_parse_usage - 1);
		return 129;
	}
	if (strcmp(first, "--sq-quote") == 0)
		return quote_arguments(g, args);
	if (strcmp(first, "--local-env-vars") == 0)
		return list_variables(g);
	if (strcmp(first, "--parseopt") == 0)
		return rev_parseopt(g, args);
	repo_need(g);
	for (int i = 0; i < args->argc; i++) {
		const char *arg = args->argv[i];

		if (paths) {
			if (!p.revs_only)
				show(&p, false, arg);
			continue;
		}
		if (strcmp(arg, "--") == 0 && !p.verify) {
			paths = true;
			if (!p.revs_only)
				show(&p, false, arg);
			continue;
		}
		if (strcmp(arg, "--git-path") == 0 && i + 1 < args->argc) {
			show_git_path(&p, args->argv[++i]);
			continue;
		}
		if (strcmp(arg, "--default") == 0 && i + 1 < args->argc) {
			p.fallback = args->argv[++i];
			continue;
		}
		if (arg[0] == '-' && mode_option(&p, arg))
			continue;
		if (arg[0] == '-' && arg[1] != '\0') {
			if (p.verify)
				return no_single(&p);
			if (!p.revs_only && !p.no_flags)
				show(&p, false, arg);
			continue;
		}
		if (show_revs(&p, arg))
			continue;
		if (p.verify)
			return no_single(&p);
		if (p.revs_only)
			continue;
		paths = true;
		show(&p, false, arg);
		rev_check_path(g, arg, true);
	}
	if (!p.any && p.fallback != NULL)
		show_revs(&p, p.fallback);
	if (!p.verify)
		return 0;
	if (p.count != 1)
		return no_single(&p);
	p.verify = false;
	show_oid(&p, &p.single, NULL, false);
	return 0;
}

/* --- rev-list --- */

static const char *const list_usage[] = { "git rev-list [<options>] <commit>... [--] [<path>...]",
					  NULL };

struct list_args {
	struct revs r;
	struct pretty pretty;
	bool has_pretty, count, parents, timestamp, oneline, quiet, no_header, objects, raw;
	struct lookup *children; /* --children: of each commit; NULL: not asked for */
};

static int list_option(struct git *g, void *opts, int argc, char **argv)
{
	struct list_args *l = opts;
	const char *arg = argv[0];

	if (strcmp(arg, "--not") == 0)
		return GIT_OPERAND;
	if (strcmp(arg, "--count") == 0)
		l->count = true;
	else if (strcmp(arg, "--parents") == 0)
		l->parents = l->r.rewrite = true;
	else if (strcmp(arg, "--children") == 0)
		l->children = lookup_new(g), l->r.rewrite = true;
	else if (strcmp(arg, "--header") == 0)
		l->has_pretty = l->raw = true, l->oneline = false, l->pretty.kind = PRETTY_RAW;
	else if (strcmp(arg, "--graph") == 0)
		git_refuse(g, "rev-list --graph");
	else if (git_starts(arg, "--date=")) {
		if (!date_style_of(g, arg + 7, &l->pretty.date))
			git_die(g, "unknown date format %s", arg + 7);
		l->pretty.date_given = true;
	} else if (git_starts(arg, "--encoding="))
		g->log_encoding = strcmp(arg + 11, "none") == 0 ? "" : arg + 11;
	else if (strcmp(arg, "--timestamp") == 0)
		l->timestamp = true;
	else if (strcmp(arg, "--quiet") == 0)
		l->quiet = true;
	else if (strcmp(arg, "--no-commit-header") == 0)
		l->no_header = true;
	else if (strcmp(arg, "--abbrev-commit") == 0)
		l->pretty.abbrev_commit = true;
	else if (strcmp(arg, "--objects") == 0)
		l->objects = true;
	else if (strcmp(arg, "--oneline") == 0)
		l->has_pretty = l->oneline = l->pretty.abbrev_commit = true,
		l->pretty.kind = PRETTY_ONELINE;
	else if (git_starts(arg, "--pretty=") || git_starts(arg, "--format=")) {
		if (!pretty_of(g, arg + 9, &l->pretty))
			git_die(g, "invalid --pretty format: %s", arg + 9);
		l->has_pretty = true;
		l->raw = false;
		l->oneline = l->pretty.kind == PRETTY_ONELINE;
	} else
		return revs_option(g, &l->r, argc, argv);
	return 1;
}

/* --- rev-list --objects --- */

struct listing {
	struct git *g;
	struct lookup *seen;
	struct pathspec *paths;
	bool mark_only;
	size_t n;
	bool quiet;
};

static bool is_listed(struct listing *l, const char *name, bool dir)
{
	return l->paths->n == 0 || pathspec_match(l->g, l->paths, name, dir) ||
	       (dir && pathspec_below(l->paths, name, strlen(name)));
}

/* False: it was there before. */
static bool first_time(struct listing *l, const struct oid *o)
{
	char *key;

	if (lookup_get(l->seen, oid_key(o)) != NULL)
		return false;
	key = arena_dup(l->g->keep, oid_key(o));
	*lookup_at(l->seen, (struct bytes){ key, OID_BYTES }) = l;
	return true;
}

static void put_object(struct listing *l, const struct oid *o, const char *path)
{
	if (l->mark_only)
		return;
	l->n++;
	if (!l->quiet)
		git_printf(l->g, "%s %s\n", oid_hex(l->g, o), path);
}

static void list_tree(struct listing *l, const struct oid *tree, const char *path, int depth)
{
	struct git *g = l->g;
	struct arena a;
	struct bytes rest;
	struct tree_entry e;

	if (!first_time(l, tree))
		return;
	if (depth > GIT_DEPTH_MAX)
		git_die(g, "tree %s is too deep", oid_hex(g, tree));
	put_object(l, tree, path);
	arena_init_under(&a, g->a);
	rest = object_need(g, &a, tree, OBJECT_TREE);
	while (tree_next(&rest, &e) > 0) {
		char *name = git_format(&a, "%s%s%.*s", path, path[0] != '\0' ? "/" : "",
					(int)e.name.len, e.name.ptr);

		cmd_charge(g->c, 1);
		if (e.mode == MODE_GITLINK || !is_listed(l, name, (e.mode & S_FMT) == S_DIR))
			continue;
		if ((e.mode & S_FMT) == S_DIR)
			list_tree(l, &e.oid, name, depth + 1);
		else if (first_time(l, &e.oid))
			put_object(l, &e.oid, name);
	}
	arena_clear(&a);
}

/* A tag that was named, and what it tags if that is no commit. */
static void list_item(struct listing *l, const struct revs_item *it)
{
	struct git *g = l->g;
	struct oid at = it->oid;

	for (int depth = 0; depth < GIT_DEPTH_MAX; depth++) {
		uint64_t size;
		enum object_type type = object_info(g, &at, &size);
		struct commit_text t;
		struct bytes data;

		if (type == OBJECT_TREE)
			list_tree(l, &at, depth == 0 && it->path != NULL ? it->path : "", 0);
		if (type == OBJECT_BLOB && first_time(l, &at))
			put_object(l, &at, depth == 0 && it->path != NULL ? it->path : "");
		if (type != OBJECT_TAG || !first_time(l, &at))
			return;
		object_read(g, g->a, &at, &data);
		commit_split(data, &t);
		put_object(l, &at, arena_dup(g->a, t.tag));
		if (!oid_parse_bytes(t.object, &at))
			return;
	}
}

static size_t list_objects(struct git *g, struct revs *r, const struct commits *shown, bool quiet)
{
	struct listing l = {
		.g = g, .seen = lookup_new(g), .paths = &r->paths, .mark_only = true, .quiet = quiet
	};

	/* What the excluded side has at the border is not listed. */
	for (size_t i = 0; i < r->nitems; i++)
		if (r->item[i].uninteresting && r->item[i].c != NULL)
			list_tree(&l, &r->item[i].c->tree, "", 0);
		else if (r->item[i].uninteresting)
			list_item(&l, &r->item[i]);
	for (size_t i = 0; i < shown->n; i++)
		for (uint32_t k = 0; k < shown->at[i]->nparents; k++)
			if ((shown->at[i]->parent[k]->flags & COMMIT_UNINTERESTING) &&
			    commit_load(g, shown->at[i]->parent[k]))
				list_tree(&l, &shown->at[i]->parent[k]->tree, "", 0);
	l.mark_only = false;
	for (size_t i = 0; i < r->nitems; i++)
		if (!r->item[i].uninteresting && r->item[i].type != OBJECT_COMMIT)
			list_item(&l, &r->item[i]);
	for (size_t i = 0; i < shown->n; i++)
		list_tree(&l, &shown->at[i]->tree, "", 0);
	return l.n;
}

/* c is a child of each of its parents. */
static void add_children(struct git *g, struct list_args *l, struct commit *c)
{
	for (uint32_t i = 0; i < c->nparents; i++) {
		void **first = lookup_at(l->children, oid_key(&c->parent[i]->oid));
		struct child *child = arena_alloc(g->keep, sizeof(*child));

		*child = (struct child){ *first, c };
		*first = child;
		cmd_charge(g->c, 1);
	}
}

static void show_commit(struct git *g, struct list_args *l, struct commit *c)
{
	struct buf out = buf_in(g->a);

	if (l->timestamp)
		buf_printf(&out, "%lld ", (long long)c->date);
	if (!l->oneline && l->has_pretty && !l->no_header && !l->raw)
		buf_puts(&out, "commit ");
	if (!(l->no_header && l->pretty.kind == PRETTY_USER)) {
		if (c->flags & COMMIT_BOUNDARY)
			buf_putc(&out, '-');
		else if (l->r.left_right)
			buf_putc(&out, c->flags & COMMIT_LEFT ? '<' : '>');
		else if (l->r.cherry_mark)
			buf_putc(&out, c->flags & COMMIT_PATCH_SAME ? '=' : '+');
		buf_puts(&out, l->pretty.abbrev_commit ? oid_short(g, &c->oid, l->pretty.abbrev)
						       : oid_hex(g, &c->oid));
		for (uint32_t i = 0; l->parents && i < c->nparents; i++)
			buf_printf(&out, " %s", oid_hex(g, &c->parent[i]->oid));
		if (l->children != NULL)
			for (struct child *k = lookup_get(l->children, oid_key(&c->oid)); k != NULL;
			     k = k->next)
				buf_printf(&out, " %s", oid_hex(g, &k->commit->oid));
		buf_putc(&out, l->oneline ? ' ' : '\n');
	}
	if (l->has_pretty) {
		size_t before = out.len;

		pretty_commit(g, &l->pretty, c, &out);
		if (l->raw)
			buf_putc(&out, '\0');
		else if (!l->oneline && (out.len != before || l->pretty.kind != PRETTY_USER))
			buf_putc(&out, '\n');
	}
	cmd_bytes(g->c, buf_bytes(&out));
}

int git_cmd_rev_list(struct git *g, struct args *args)
{
	struct list_args l = { .pretty = { .kind = PRETTY_MEDIUM, .tabs = -1 } };
	struct commits shown = { NULL, 0, 0 };
	struct reflog_walk *logs = NULL;
	struct commit *c;
	size_t n = 0, left = 0;

	revs_init(g, &l.r);
	if (git_take_options(g, args, list_option, &l) != NULL)
		git_usage(g, list_usage);
	revs_operands(g, &l.r, args);
	if (l.r.nitems == 0 && !l.r.gave_rev)
		git_usage(g, list_usage);
	if (l.parents && l.children != NULL)
		git_die(g, "options '%s' and '%s' cannot be used together", "--parents",
			"--children");
	if (l.r.reflogs)
		logs = reflog_walk_new(g, &l.r);
	while ((c = logs != NULL ? reflog_walk_next(logs, &l.pretty) : revs_next(&l.r)) != NULL) {
		n++;
		if (l.objects || l.children != NULL) {
			LIST_ROOM(g, shown.at, shown.n, shown.cap);
			shown.at[shown.n++] = c;
		}
		if (l.children != NULL)
			add_children(g, &l, c);
		left += (c->flags & COMMIT_LEFT) != 0;
		if (!l.count && !l.quiet && l.children == NULL)
			show_commit(g, &l, c);
	}
	for (size_t i = 0; l.children != NULL && !l.count && !l.quiet && i < shown.n; i++)
		show_commit(g, &l, shown.at[i]);
	if (l.objects)
		n += list_objects(g, &l.r, &shown, l.count || l.quiet);
	if (l.count && l.r.left_right)
		git_printf(g, "%zu\t%zu\n", left, n - left);
	else if (l.count)
		git_printf(g, "%zu\n", n);
	return 0;
}
