/* SPDX-License-Identifier: MIT
 *
 * glob - paths that match patterns, as npm's command of that name: ** crosses directories, {a,b}
 * are alternatives.
 *
 * A pattern is expanded into those without braces; each is matched part by part from the directory
 * it begins in. Paths come in byte order, each once.
 */
#include "base/glob.h"
#include "builtins/builtin.h"

enum { DEPTH_MAX = 200, BRACES_MAX = 1000 };

struct glob_opts {
	bool absolute;
	bool dot_relative;
	bool mark;
	bool dot;
	bool nodir;
	bool all;
	const char *directory;
	int nignored;
	const char *ignored[64];
};

static int add_ignored(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct glob_opts *o = c->opts;

	(void)opt;
	if (o->nignored == 64)
		return cmd_error(c, 0, "too many patterns to ignore");
	o->ignored[o->nignored++] = arena_dup(c->arena, bytes_of(arg));
	return 0;
}

static const struct opt glob_options[] = {
	OPT_FLAG('A', "all", struct glob_opts, all,
		 "a pattern that is the name of a file is a pattern, too"),
	OPT_FLAG('a', "absolute", struct glob_opts, absolute, "absolute paths"),
	OPT_FLAG('d', "dot-relative", struct glob_opts, dot_relative, "./ before relative paths"),
	OPT_FLAG('m', "mark", struct glob_opts, mark, "/ behind directories"),
	OPT_FLAG(0, "dot", struct glob_opts, dot, "wildcards match names that begin with a dot"),
	OPT_FLAG(0, "nodir", struct glob_opts, nodir, "no directories"),
	OPT_STR('C', "cwd", struct glob_opts, directory, NULL, "DIR", "begin in DIR"),
	OPT_CALL_ARG('i', "ignore", add_ignored, "PATTERN", "leave out what matches; repeatable"),
	OPT_END(),
};

/* A pattern without braces, in parts. */
struct pattern {
	struct part {
		struct glob *glob; /* NULL: ** */
		bool dotted;       /* begins with a dot itself */
	} * part;
	size_t n;
	bool absolute;
	bool only_dirs; /* ends with a slash */
};

struct finder {
	struct cmd *c;
	const struct glob_opts *o;
	struct pattern ignored[64 * 4];
	size_t nignored;
	char **found;
	size_t n;
	size_t cap;
};

/* --- patterns --- */

static void parse_pattern(struct finder *f, struct bytes text, struct pattern *out)
{
	*out = (struct pattern){ .part = arena_array(f->c->arena, text.len / 2 + 2,
						     sizeof *out->part) };
	out->absolute = text.len > 0 && text.ptr[0] == '/';
	for (size_t at = 0; at < text.len;) {
		const char *slash = memchr(text.ptr + at, '/', text.len - at);
		size_t to = slash != NULL ? (size_t)(slash - text.ptr) : text.len;
		struct bytes one = bytes_slice(text, at, to);

		out->only_dirs = to + 1 == text.len;
		at = to + 1;
		bool any = bytes_is(one, "**");

		if (one.len == 0 || bytes_is(one, ".") ||
		    (any && out->n > 0 && out->part[out->n - 1].glob == NULL))
			continue;
		struct part *p = &out->part[out->n++];

		p->dotted = one.ptr[0] == '.';
		p->glob = NULL;
		if (any)
			continue;
		p->glob = glob_compile(f->c->arena, one, GLOB_EXTGLOB | GLOB_UTF8);
		if (p->glob == NULL)
			cmd_fatal(f->c, 0, "pattern nested too deep: %.*s", (int)text.len,
				  text.ptr);
		glob_set_work(p->glob, cmd_work, f->c);
	}
}

/* The end of the group that begins at `from`: its "}"; SIZE_MAX if there is none or no comma. */
static size_t group_end(struct cmd *c, struct bytes s, size_t from)
{
	int depth = 0;
	bool comma = false;

	for (size_t i = from; i < s.len; i++) {
		if (i % 64 == 63)
			cmd_charge(c, 1);
		if (s.ptr[i] == '\\')
			i++;
		else if (s.ptr[i] == '{')
			depth++;
		else if (s.ptr[i] == ',' && depth == 1)
			comma = true;
		else if (s.ptr[i] == '}' && --depth == 0)
			return comma ? i : SIZE_MAX;
	}
	return SIZE_MAX;
}

typedef void each_fn(struct finder *f, struct bytes text, void *arg);

/* Calls fn with each text that the braces stand for. */
static void expand(struct finder *f, struct bytes s, int *left, each_fn *fn, void *arg)
{
	size_t open = 0;
	size_t close = SIZE_MAX;

	if (--*left < 0)
		cmd_fatal(f->c, 0, "too many alternatives");
	cmd_charge_bytes(f->c, s.len);
	for (; open < s.len; open++) {
		if (s.ptr[open] == '\\')
			open++;
		else if (s.ptr[open] == '{' && (close = group_end(f->c, s, open)) != SIZE_MAX)
			break;
	}
	if (close == SIZE_MAX) {
		fn(f, s, arg);
		return;
	}
	int depth = 0;
	size_t from = open + 1;

	for (size_t i = open; i <= close; i++) {
		char ch = s.ptr[i];

		if (ch == '\\') {
			i++;
			continue;
		}
		depth += ch == '{';
		if ((ch == ',' && depth == 1) || i == close) {
			struct buf one = buf_in(f->c->arena);

			buf_add(&one, bytes_slice(s, 0, open));
			buf_add(&one, bytes_slice(s, from, i));
			buf_add(&one, bytes_slice(s, close + 1, s.len));
			expand(f, buf_bytes(&one), left, fn, arg);
			from = i + 1;
		}
		depth -= ch == '}';
	}
}

/* Whether the parts of a path match those of a pattern from there on. */
static bool path_matches(struct finder *f, const struct pattern *p, size_t part, struct bytes path)
{
	while (path.len > 0 && path.ptr[0] == '/')
		path = bytes_slice(path, 1, path.len);
	if (part == p->n)
		return path.len == 0;
	if (p->part[part].glob == NULL && path_matches(f, p, part + 1, path))
		return true;
	if (path.len == 0)
		return false;
	const char *slash = memchr(path.ptr, '/', path.len);
	size_t to = slash != NULL ? (size_t)(slash - path.ptr) : path.len;
	struct bytes rest = bytes_slice(path, to, path.len);

	cmd_charge(f->c, 1);
	if (p->part[part].glob == NULL)
		return path_matches(f, p, part, rest);
	return glob_match(p->part[part].glob, f->c->arena, bytes_slice(path, 0, to)) &&
	       path_matches(f, p, part + 1, rest);
}

/* --- the tree --- */

static bool is_ignored(struct finder *f, const char *path)
{
	for (size_t i = 0; i < f->nignored; i++)
		if (path_matches(f, &f->ignored[i], 0, bytes_of(path)))
			return true;
	return false;
}

static void add_found(struct finder *f, const struct pattern *p, const char *path)
{
	struct vfs_stat st;
	struct buf out = buf_in(f->c->arena);
	bool is_dir = cmd_stat(f->c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR;
	char *cwd;

	if ((p->only_dirs && !is_dir) || (f->o->nodir && is_dir) || is_ignored(f, path))
		return;
	if (path[0] != '/' && f->o->absolute && cmd_getcwd(f->c, &cwd) == 0)
		buf_printf(&out, "%s/", strcmp(cwd, "/") == 0 ? "" : cwd);
	else if (path[0] != '/' && f->o->dot_relative && strcmp(path, ".") != 0)
		buf_puts(&out, "./");
	buf_puts(&out, path);
	if (is_dir && f->o->mark && path[strlen(path) - 1] != '/')
		buf_putc(&out, '/');
	if (f->n == f->cap) {
		size_t cap = f->cap != 0 ? f->cap * 2 : 64;

		f->found = arena_grow(f->c->arena, f->found, f->cap * sizeof *f->found,
				      cap * sizeof *f->found);
		f->cap = cap;
	}
	f->found[f->n++] = buf_cstr(&out);
}

/* What is below `dir` ("" for the working directory) and matches the pattern from `part` on. */
static void search(struct finder *f, const struct pattern *p, size_t part, const char *dir,
		   int depth)
{
	struct vfs_dirent *entries;
	size_t n;

	if (part == p->n) {
		add_found(f, p, dir[0] != '\0' ? dir : ".");
		return;
	}
	if (depth == DEPTH_MAX)
		cmd_fatal(f->c, 0, "directories are nested too deep: %s", dir);
	if (cmd_list(f->c, CMD_CWD, dir[0] != '\0' ? dir : ".", f->c->arena, &entries, &n) < 0)
		return;
	const struct part *now = &p->part[part];
	bool any = now->glob == NULL;

	if (any)
		search(f, p, part + 1, dir, depth + 1);
	for (size_t i = 0; i < n; i++) {
		struct bytes name = entries[i].name;
		struct buf path = buf_in(f->c->arena);
		bool hidden = name.ptr[0] == '.' && !f->o->dot && !now->dotted;
		bool is_dir = entries[i].type == S_DIR;
		bool last = part + 1 == p->n;

		cmd_charge(f->c, 1);
		if (hidden || (!any && !glob_match(now->glob, f->c->arena, name)))
			continue;
		if (!is_dir && !last && (any || entries[i].type != S_LNK))
			continue;
		buf_printf(&path, "%s%s%s", dir, dir[0] == '\0' || strcmp(dir, "/") == 0 ? "" : "/",
			   name.ptr);
		if (!any)
			search(f, p, part + 1, buf_cstr(&path), depth + 1);
		else if (is_dir)
			search(f, p, part, buf_cstr(&path), depth + 1);
		else if (last)
			add_found(f, p, buf_cstr(&path));
	}
}

static void search_one(struct finder *f, struct bytes text, void *arg)
{
	struct pattern p;

	(void)arg;
	parse_pattern(f, text, &p);
	search(f, &p, 0, p.absolute ? "/" : "", 0);
}

static void ignore_one(struct finder *f, struct bytes text, void *arg)
{
	(void)arg;
	if (f->nignored == sizeof f->ignored / sizeof f->ignored[0])
		cmd_fatal(f->c, 0, "too many patterns to ignore");
	parse_pattern(f, text, &f->ignored[f->nignored++]);
}

/* --- output --- */

static void sort_paths(struct cmd *c, char **at, size_t n, char **room)
{
	size_t half = n / 2;
	size_t a = 0;
	size_t b = half;

	if (n < 2)
		return;
	sort_paths(c, at, half, room);
	sort_paths(c, at + half, n - half, room);
	cmd_charge(c, n / 8 + 1);
	memcpy(room, at, n * sizeof *at);
	for (size_t i = 0; i < n; i++)
		at[i] = b == n || (a < half && strcmp(room[a], room[b]) <= 0) ? room[a++]
									      : room[b++];
}

static int glob_run(struct cmd *c)
{
	const struct glob_opts *o = c->opts;
	struct finder *f = arena_zalloc(c->arena, sizeof *f);
	struct vfs_stat st;
	int left = BRACES_MAX;
	int status = cmd_operands(c, 1, -1);

	f->c = c;
	f->o = o;
	if (status != 0)
		return status;
	int err = o->directory != NULL ? cmd_chdir(c, o->directory) : 0;

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, o->directory));
	for (int i = 0; i < o->nignored; i++)
		expand(f, bytes_of(o->ignored[i]), &left, ignore_one, NULL);
	for (int i = 0; i < c->nargs; i++) {
		struct pattern whole = { .n = 0 };

		if (!o->all && cmd_lstat(c, c->args[i], &st) == 0)
			add_found(f, &whole, c->args[i]);
		else
			expand(f, bytes_of(c->args[i]), &left, search_one, NULL);
	}
	sort_paths(c, f->found, f->n, arena_array(c->arena, f->n + 1, sizeof(char *)));
	for (size_t i = 0; i < f->n; i++)
		if (i == 0 || strcmp(f->found[i], f->found[i - 1]) != 0)
			cmd_printf(c, "%s\n", f->found[i]);
	return 0;
}

const struct builtin builtin_glob = {
	.name = "glob",
	.usage = "[OPTION]... PATTERN...",
	.summary = "Writes the paths that match the patterns: * ? [a-z] within a name, ** across\n"
		   "directories, {a,b}, and +(a|b) as in bash.",
	.run = glob_run,
	.opts = glob_options,
	.opts_size = sizeof(struct glob_opts),
	.family = "cowsh",
};
