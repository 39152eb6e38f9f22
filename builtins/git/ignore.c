/* SPDX-License-Identifier: MIT
 *
 * What is not to be tracked: .gitignore in each directory, info/exclude, core.excludesFile, and
 * patterns of the command line. The last pattern that matches decides; nearer files come first.
 */
#include "builtins/git/git.h"

struct rule {
	const char *text; /* as written */
	const char *pattern;
	int line;
	bool negated;
	bool dir_only;
	bool base_only; /* no slash: matched against the last part */
	bool plain;     /* no wildcard */
};

struct rules {
	const char *source;
	const char *base; /* directory it stands for, with its slash */
	struct rule *at;
	size_t n;
	size_t cap;
};

struct ignore {
	bool ready;
	bool standard;
	const char *per_dir;
	struct rules command;
	struct rules *files; /* weaker ones first: core.excludesFile, info/exclude, -X */
	size_t nfiles;
	size_t files_cap;
	struct lookup *dirs; /* directory -> struct rules */
};

static struct ignore *ignore_of(struct git *g)
{
	if (g->ignore == NULL) {
		g->ignore = arena_zalloc(g->keep, sizeof(*g->ignore));
		g->ignore->standard = true;
		g->ignore->per_dir = ".gitignore";
		g->ignore->dirs = lookup_new(g);
		g->ignore->command.base = "";
		g->ignore->command.source = "";
	}
	return g->ignore;
}

void gitignore_standard(struct git *g, bool on)
{
	ignore_of(g)->standard = on;
	ignore_of(g)->per_dir = on ? ".gitignore" : NULL;
}

void gitignore_per_directory(struct git *g, const char *name)
{
	ignore_of(g)->per_dir = arena_dup(g->keep, bytes_of(name));
}

/* --- reading --- */

static void add_rule(struct git *g, struct rules *r, struct bytes text, int line)
{
	struct rule rule = { .line = line };
	char *p;
	size_t len;

	if (text.len != 0 && text.ptr[text.len - 1] == '\r')
		text.len--;
	while (text.len != 0 && text.ptr[text.len - 1] == ' ' &&
	       !(text.len > 1 && text.ptr[text.len - 2] == '\\'))
		text.len--;
	if (text.len == 0 || text.ptr[0] == '#' || memchr(text.ptr, '\0', text.len) != NULL)
		return;
	p = arena_dup(g->keep, text);
	rule.text = p;
	if (*p == '!') {
		rule.negated = true;
		p++;
	}
	p = arena_dup(g->keep, bytes_of(p));
	len = strlen(p);
	if (len > 0 && p[len - 1] == '/') {
		p[--len] = '\0';
		rule.dir_only = true;
	}
	if (len == 0)
		return;
	rule.base_only = strchr(p, '/') == NULL;
	if (*p == '/')
		p++;
	rule.pattern = p;
	rule.plain = !wild_has_magic(p);
	LIST_ROOM(g, r->at, r->n, r->cap);
	r->at[r->n++] = rule;
}

static void read_rules(struct git *g, struct rules *r, const char *path)
{
	struct bytes text;
	struct bytes line;
	int n = 1;

	if (file_read(g, g->keep, path, &text) < 0)
		return;
	if (bytes_starts(text, BYTES("\xef\xbb\xbf")))
		text = bytes_slice(text, 3, text.len);
	for (; git_line(&text, &line); n++) {
		add_rule(g, r, line, n);
		cmd_charge(g->c, 1);
	}
}

void gitignore_add_pattern(struct git *g, const char *pattern)
{
	add_rule(g, &ignore_of(g)->command, bytes_of(pattern), 0);
}

void gitignore_add_file(struct git *g, const char *path)
{
	struct ignore *ig = ignore_of(g);
	struct rules *r;

	LIST_ROOM(g, ig->files, ig->nfiles, ig->files_cap);
	r = &ig->files[ig->nfiles++];
	*r = (struct rules){ .source = path, .base = "" };
	read_rules(g, r, path);
}

static void add_standard(struct git *g)
{
	const char *given = config_get(g, "core.excludesfile");
	const char *xdg = cmd_getenv(g->c, "XDG_CONFIG_HOME");
	const char *home = cmd_getenv(g->c, "HOME");
	char *exclude = repo_path(g, g->keep, "info/exclude");
	char *top = git_format(g->a, "%s/.git", g->work != NULL ? g->work : "");

	if (given != NULL)
		gitignore_add_file(g, config_expand_path(g, given));
	else if (xdg != NULL && xdg[0] != '\0')
		gitignore_add_file(g, git_format(g->keep, "%s/git/ignore", xdg));
	else if (home != NULL)
		gitignore_add_file(g, git_format(g->keep, "%s/.config/git/ignore", home));
	/* Shown as git shows it. */
	if (strcmp(top, g->common) == 0)
		exclude = arena_dup(g->keep, BYTES(".git/info/exclude"));
	gitignore_add_file(g, exclude);
}

static struct rules *dir_rules(struct git *g, const char *path, size_t length)
{
	struct ignore *ig = g->ignore;
	struct bytes dir = { path, length };
	struct rules *r = lookup_get(ig->dirs, dir);

	if (r != NULL)
		return r;
	r = arena_zalloc(g->keep, sizeof(*r));
	r->base = arena_dup(g->keep, dir);
	r->source = git_format(g->keep, "%s%s", r->base, ig->per_dir);
	*lookup_at(ig->dirs, bytes_of(r->base)) = r;
	read_rules(g, r, r->source);
	return r;
}

/* --- matching --- */

static bool rule_matches(const struct rule *r, const struct rules *of, const char *path,
			 bool is_dir)
{
	const char *name = path_base(path);

	if (r->dir_only && !is_dir)
		return false;
	if (r->base_only)
		return r->plain ? strcmp(r->pattern, name) == 0
				: wild_match(r->pattern, bytes_of(name), 0);
	path += strlen(of->base);
	return r->plain ? strcmp(r->pattern, path) == 0
			: wild_match(r->pattern, bytes_of(path), WILD_PATHNAME);
}

/* The last of these rules that matches, or NULL. */
static const struct rule *last_match(struct git *g, const struct rules *r, const char *path,
				     bool is_dir)
{
	for (size_t i = r->n; i > 0; i--) {
		if (i % 16 == 0)
			cmd_charge(g->c, 4);
		if (rule_matches(&r->at[i - 1], r, path, is_dir))
			return &r->at[i - 1];
	}
	return NULL;
}

static const struct rule *decide(struct git *g, const char *path, bool is_dir,
				 const struct rules **from)
{
	struct ignore *ig = g->ignore;
	const struct rule *hit;

	*from = &ig->command;
	hit = last_match(g, *from, path, is_dir);
	if (hit != NULL)
		return hit;
	for (size_t end = strlen(path); ig->per_dir != NULL;) {
		while (end > 0 && path[end - 1] != '/')
			end--;
		*from = dir_rules(g, path, end);
		hit = last_match(g, *from, path, is_dir);
		if (hit != NULL)
			return hit;
		if (end == 0)
			break;
		end--;
	}
	for (size_t i = ig->nfiles; i > 0; i--) {
		*from = &ig->files[i - 1];
		hit = last_match(g, *from, path, is_dir);
		if (hit != NULL)
			return hit;
	}
	return NULL;
}

bool gitignore_path(struct git *g, const char *path, bool is_dir, struct ignore_match *why)
{
	struct ignore *ig = ignore_of(g);
	const struct rules *from;
	const struct rule *hit;

	if (!ig->ready) {
		ig->ready = true;
		if (ig->standard)
			add_standard(g);
	}
	hit = decide(g, path, is_dir, &from);
	if (why != NULL)
		*why = hit != NULL ? (struct ignore_match){ from->source, hit->line, hit->text,
							    hit->negated }
				   : (struct ignore_match){ .source = NULL };
	return hit != NULL && !hit->negated;
}

bool gitignore_path_deep(struct git *g, const char *path, bool is_dir, struct ignore_match *why)
{
	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/'))
		if (gitignore_path(g, git_format(g->a, "%.*s", (int)(p - path), path), true, why))
			return true;
	return gitignore_path(g, path, is_dir, why);
}

/* --- what is there but not in the index --- */

struct search {
	struct git *g;
	struct index *x;
	unsigned flags;
	const struct pathspec *ps;
	struct names *out;
	struct names *ignored;
};

/* A directory being read. */
struct dir {
	struct vfs_dirent *list;
	size_t n;
	size_t i;
	char *path; /* with its slash */
	bool ignored;
	size_t out_from; /* lists as they were when it was begun */
	size_t ignored_from;
	bool tracked; /* something in it is in the index */
	bool holds_ignored;
	bool holds_others; /* that are not ignored */
};

static bool open_dir(struct search *s, struct dir *d, const char *path, bool ignored)
{
	struct git *g = s->g;

	*d = (struct dir){ .path = arena_dup(g->keep, bytes_of(path)),
			   .ignored = ignored,
			   .out_from = s->out->n,
			   .ignored_from = s->ignored != NULL ? s->ignored->n : 0 };
	size_t len = strlen(path);

	d->tracked = len == 0 || index_has_dir(s->x, path, len - 1);
	return cmd_list(g->c, CMD_CWD, len == 0 ? "." : path, g->keep, &d->list, &d->n) >= 0;
}

static bool is_repository(struct git *g, const char *dir)
{
	return file_exists(g, git_format(g->a, "%s/.git", dir)) &&
	       (file_is_dir(g, git_format(g->a, "%s/.git/objects", dir)) ||
		!file_is_dir(g, git_format(g->a, "%s/.git", dir)));
}

static void report(struct search *s, const char *path, bool ignored)
{
	bool wanted = (s->flags & UNTRACKED_IGNORED) != 0;

	if (s->flags & UNTRACKED_EVERYTHING)
		names_add(s->g, s->out, path);
	else if (s->flags & UNTRACKED_BOTH)
		names_add(s->g, ignored ? s->ignored : s->out, path);
	else if (ignored == wanted)
		names_add(s->g, s->out, path);
}

/* A directory is done: if nothing in it is tracked, and all in it is of one kind, its name
 * stands for it. */
static void finish_dir(struct search *s, struct dir *d)
{
	size_t seen = s->out->n - d->out_from;
	size_t hidden = s->ignored != NULL ? s->ignored->n - d->ignored_from : 0;
	bool by_rule = (s->flags & UNTRACKED_MATCHING) != 0;

	if (d->tracked || d->path[0] == '\0')
		return;
	if ((s->flags & UNTRACKED_ALL) && !(by_rule && d->ignored))
		return;
	if (s->ps->n != 0 &&
	    !pathspec_match(s->g, (struct pathspec *)(uintptr_t)s->ps, d->path, true))
		return;
	if (s->flags & UNTRACKED_BOTH) {
		if (seen != 0) {
			s->out->n = d->out_from;
			names_add(s->g, s->out, d->path);
		} else if (hidden != 0 && (by_rule ? d->ignored : !d->holds_others)) {
			s->ignored->n = d->ignored_from;
			names_add(s->g, s->ignored, d->path);
		}
		return;
	}
	if ((s->flags & UNTRACKED_IGNORED) && (d->holds_others || (!d->ignored && seen == 0)))
		return;
	if ((s->flags & (UNTRACKED_KEEP | UNTRACKED_IGNORED)) == UNTRACKED_KEEP && d->holds_ignored)
		return;
	if (seen != 0 || (d->n == 0 && (s->flags & UNTRACKED_EMPTY_DIRS))) {
		s->out->n = d->out_from;
		names_add(s->g, s->out, d->path);
	}
}

/* A directory in place of a file of the index is not what the index knows. */
static bool is_tracked(struct index *x, const char *path, bool is_dir)
{
	bool found;
	size_t i;

	if (!is_dir)
		return index_has(x, path);
	/* One with conflicts has no stage 0. */
	for (i = index_search(x, path, 0, &found); i < x->n && strcmp(x->at[i].path, path) == 0;
	     i++)
		if (x->at[i].mode == MODE_GITLINK)
			return true;
	return false;
}

enum { NEXT, ENTER };

static int visit(struct search *s, struct dir *d, const struct vfs_dirent *e, char **child,
		 bool *child_ignored)
{
	struct git *g = s->g;
	char *path = git_format(g->a, "%s%s", d->path, e->name.ptr);
	bool is_dir = e->type == S_DIR;
	bool ignored;

	cmd_charge(g->c, 4);
	if (bytes_is(e->name, ".git"))
		return NEXT;
	if (e->type != S_DIR && e->type != S_REG && e->type != S_LNK)
		return NEXT;
	if (is_tracked(s->x, path, is_dir))
		return NEXT;
	if (is_dir && s->ps->n != 0 && !pathspec_below(s->ps, path, strlen(path)))
		return NEXT;
	ignored = d->ignored ||
		  (!(s->flags & UNTRACKED_EVERYTHING) && gitignore_path(g, path, is_dir, NULL));
	d->holds_ignored |= ignored;
	d->holds_others |= !ignored && !is_dir;
	if (ignored && !(s->flags & (UNTRACKED_IGNORED | UNTRACKED_BOTH)) &&
	    !(is_dir && index_has_dir(s->x, path, strlen(path))))
		return NEXT;
	*child = git_format(g->a, "%s%s", path, is_dir ? "/" : "");
	*child_ignored = ignored;
	if (!is_dir) {
		if (s->ps->n == 0 ||
		    pathspec_match(g, (struct pathspec *)(uintptr_t)s->ps, path, false))
			report(s, path, ignored);
		return NEXT;
	}
	if (!(s->flags & UNTRACKED_REPOS) && is_repository(g, path) &&
	    !index_has_dir(s->x, path, strlen(path))) {
		report(s, *child, ignored);
		return NEXT;
	}
	return ENTER;
}

void work_untracked(struct git *g, struct index *x, unsigned flags, const struct pathspec *ps,
		    struct names *out, struct names *ignored)
{
	static const struct pathspec all;
	struct search s = { g, x, flags, ps != NULL ? ps : &all, out, ignored };
	struct dir *stack = pool_zalloc(g->c->pool, GIT_DEPTH_MAX * sizeof(*stack));
	size_t depth = 0;

	if (open_dir(&s, &stack[0], "", false))
		depth = 1;
	while (depth > 0) {
		struct dir *d = &stack[depth - 1];
		char *child;
		bool child_ignored;

		if (d->i == d->n) {
			finish_dir(&s, d);
			if (--depth > 0) {
				stack[depth - 1].holds_ignored |= d->holds_ignored;
				stack[depth - 1].holds_others |= d->holds_others;
			}
			continue;
		}
		if (visit(&s, d, &d->list[d->i++], &child, &child_ignored) == ENTER &&
		    depth < GIT_DEPTH_MAX && open_dir(&s, &stack[depth], child, child_ignored))
			depth++;
	}
	pool_free(g->c->pool, stack, GIT_DEPTH_MAX * sizeof(*stack));
	git_sort(g, out->at, out->n, sizeof(*out->at), git_name_cmp);
	if (ignored != NULL)
		git_sort(g, ignored->at, ignored->n, sizeof(*ignored->at), git_name_cmp);
}
