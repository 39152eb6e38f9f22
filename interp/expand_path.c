/* SPDX-License-Identifier: MIT
 *
 * Pathname expansion: a pattern is taken apart at its slashes, and the list of paths that
 * match the components so far is carried from one component to the next. Nothing recurses.
 */
#include "base/err.h"
#include "interp/exec.h"
#include "interp/expand.h"

enum { READ_BATCH = 32 };

/* A growing list of paths so far; each ends in '/' or is empty. */
struct paths {
	struct bytes *v;
	size_t n;
	size_t cap;
};

struct component {
	struct bytes text;    /* between slashes */
	struct bytes slashes; /* what follows it */
	struct glob *glob;    /* NULL: literal is the name */
	struct bytes literal;
	bool globstar;
	const struct glob *dots; /* for . and .., if they may match; else NULL */
};

struct walk {
	struct shell *sh;
	struct arena *arena;
	struct fields *out;
	struct paths now;
	struct paths next;
	bool last;     /* component: results are added to out */
	bool matched;  /* a component before it was a pattern */
	bool at_start; /* the double star at hand begins a relative pattern */
};

static void paths_add(struct walk *w, struct paths *p, struct bytes path)
{
	if (p->n == p->cap) {
		size_t cap = p->cap == 0 ? 16 : p->cap * 2;

		p->v = arena_grow(w->arena, p->v, p->cap * sizeof *p->v, cap * sizeof *p->v);
		p->cap = cap;
	}
	p->v[p->n++] = path;
}

static struct bytes joined(struct walk *w, struct bytes a, struct bytes b, struct bytes c)
{
	char *text = arena_alloc(w->arena, a.len + b.len + c.len + 1);

	memcpy(text, a.ptr, a.len);
	memcpy(text + a.len, b.ptr, b.len);
	memcpy(text + a.len + b.len, c.ptr, c.len);
	text[a.len + b.len + c.len] = '\0';
	return (struct bytes){ text, a.len + b.len + c.len };
}

/* --- the pattern --- */

static unsigned path_flags(const struct shell *sh)
{
	unsigned flags = opt_shopt(sh, SHOPT_dotglob) ? 0 : GLOB_PERIOD;

	if (opt_shopt(sh, SHOPT_extglob))
		flags |= GLOB_EXTGLOB;
	if (opt_shopt(sh, SHOPT_nocaseglob))
		flags |= GLOB_ICASE;
	if (sh->utf8)
		flags |= GLOB_UTF8;
	return flags;
}

static void charge_work(void *arg, uint64_t work)
{
	proc_charge(kernel_current(arg), work);
}

unsigned shell_glob_flags(const struct shell *sh, bool for_case)
{
	unsigned flags = path_flags(sh) & ~(unsigned)(GLOB_PERIOD | GLOB_ICASE);

	if (for_case && opt_shopt(sh, SHOPT_nocasematch))
		flags |= GLOB_ICASE;
	return flags;
}

void shell_glob_work(const struct shell *sh, struct glob *g)
{
	if (g != NULL)
		glob_set_work(g, charge_work, sh->p->k);
}

struct glob *shell_glob(struct shell *sh, struct bytes pattern, bool for_case)
{
	struct glob *g = glob_compile(sh->arena, pattern, shell_glob_flags(sh, for_case));

	proc_charge(sh->p, pattern.len / 8);
	shell_glob_work(sh, g);
	return g;
}

/* A component without backslashes; one at its end escapes the slash, if one follows. */
static struct bytes unescaped(struct walk *w, struct bytes s, bool slash)
{
	struct buf b = buf_in(w->arena);

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' && (slash || i + 1 < s.len))
			i++;
		if (i < s.len)
			buf_putc(&b, s.ptr[i]);
	}
	buf_cstr(&b);
	return buf_bytes(&b);
}

/* The end of the component that begins at `at`: slashes that are escaped or in brackets count
 * too, as no name contains one. */
static size_t component_end(struct bytes pattern, size_t at)
{
	const char *slash = memchr(pattern.ptr + at, '/', pattern.len - at);

	return slash != NULL ? (size_t)(slash - pattern.ptr) : pattern.len;
}

/* Whether . and .. may match: they must be asked for, even with dotglob. */
static bool may_match_dot(struct bytes s)
{
	return s.ptr[0] == '.' ||
	       (s.len > 1 && ((s.ptr[0] == '\\' && s.ptr[1] == '.') || s.ptr[1] == '('));
}

static size_t take_component(struct walk *w, struct bytes pattern, size_t at, struct component *c)
{
	size_t end = component_end(pattern, at);
	size_t after = end;
	bool extglob = opt_shopt(w->sh, SHOPT_extglob);

	while (after < pattern.len && pattern.ptr[after] == '/')
		after++;
	*c = (struct component){ .text = bytes_slice(pattern, at, end),
				 .slashes = bytes_slice(pattern, end, after) };
	c->globstar = opt_shopt(w->sh, SHOPT_globstar) && bytes_is(c->text, "**");
	if (!c->globstar && glob_has_magic(c->text, extglob))
		c->glob = glob_compile(w->arena, c->text, path_flags(w->sh));
	if (c->glob != NULL && glob_is_literal(c->glob))
		c->glob = NULL;
	if (c->glob != NULL && !opt_shopt(w->sh, SHOPT_globskipdots) && may_match_dot(c->text))
		c->dots = glob_compile(w->arena, c->text, path_flags(w->sh) | GLOB_PERIOD);
	if (c->glob != NULL)
		glob_set_work(c->glob, charge_work, w->sh->p->k);
	/* Slashes are kept as they are written up to the first pattern. */
	if ((w->matched || c->globstar || c->glob != NULL) && c->slashes.len > 1)
		c->slashes.len = 1;
	if (c->glob == NULL)
		c->literal = unescaped(w, c->text, c->slashes.len != 0);
	return after;
}

/* --- the filesystem --- */

static bool is_directory(struct walk *w, const char *path, uint32_t type, bool follow)
{
	struct vfs_stat st;

	if (type == S_DIR)
		return true;
	if (type != S_LNK || !follow)
		return false;
	return sys_stat(w->sh->p, AT_FDCWD_, path, 0, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

static bool exists(struct walk *w, const char *path)
{
	struct vfs_stat st;

	return sys_stat(w->sh->p, AT_FDCWD_, path, AT_NOFOLLOW_, &st) == 0;
}

static bool path_is_directory(struct walk *w, const char *path)
{
	struct vfs_stat st;

	return sys_stat(w->sh->p, AT_FDCWD_, path, 0, &st) == 0 && (st.mode & S_FMT) == S_DIR;
}

static int open_directory(struct walk *w, struct bytes prefix)
{
	return (int)exec_open(w->sh, prefix.len != 0 ? prefix.ptr : ".",
			      O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_);
}

/* A path that passed a component: a result, or a directory to go on in. */
static void take_path(struct walk *w, const struct component *c, struct bytes prefix,
		      struct bytes name, uint32_t type)
{
	struct bytes path;

	if (c->slashes.len == 0) {
		path = prefix.len != 0 ? joined(w, prefix, name, BYTES("")) : name;
		fields_add(w->sh, w->out, (char *)(uintptr_t)path.ptr);
		return;
	}
	path = joined(w, prefix, name, c->slashes);
	if (!is_directory(w, path.ptr, type, true))
		return;
	if (w->last)
		fields_add(w->sh, w->out, (char *)(uintptr_t)path.ptr);
	else
		paths_add(w, &w->next, path);
}

static void match_names(struct walk *w, const struct component *c, struct bytes prefix,
			const struct glob *g, const struct vfs_dirent *entries, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (glob_match(g, w->arena, entries[i].name))
			take_path(w, c, prefix, entries[i].name, entries[i].type);
	}
}

static void match_dots(struct walk *w, const struct component *c, struct bytes prefix)
{
	const struct vfs_dirent dots[2] = { { .name = BYTES("."), .type = S_DIR },
					    { .name = BYTES(".."), .type = S_DIR } };

	if (c->dots != NULL)
		match_names(w, c, prefix, c->dots, dots, 2);
}

static void match_directory(struct walk *w, const struct component *c, struct bytes prefix)
{
	struct vfs_dirent entries[READ_BATCH];
	int fd = open_directory(w, prefix);
	int64_t n;

	if (fd < 0)
		return;
	match_dots(w, c, prefix);
	while ((n = sys_readdir(w->sh->p, fd, w->arena, entries, READ_BATCH)) > 0) {
		proc_charge(w->sh->p, (uint64_t)n / 4 + 1);
		match_names(w, c, prefix, c->glob, entries, n);
	}
	sys_close(w->sh->p, fd);
}

/* --- ** --- */

static bool is_hidden(const struct walk *w, struct bytes name)
{
	return name.ptr[0] == '.' && !opt_shopt(w->sh, SHOPT_dotglob);
}

/* A link to a directory is a match of a double star that something follows, but is not entered. */
static void take_link(struct walk *w, struct bytes path)
{
	struct bytes directory = joined(w, path, BYTES("/"), BYTES(""));

	/* bash leaves them out when the double star begins the pattern and more follows. */
	if ((w->at_start && !w->last) || !path_is_directory(w, path.ptr))
		return;
	if (w->last)
		fields_add(w->sh, w->out, (char *)(uintptr_t)directory.ptr);
	else
		paths_add(w, &w->next, directory);
}

/* Adds the directories below `prefix` to `tree`, and with files everything to the results. */
static void descend(struct walk *w, struct paths *tree, struct bytes prefix, bool files)
{
	struct vfs_dirent entries[READ_BATCH];
	int fd = open_directory(w, prefix);
	int64_t n;

	if (fd < 0)
		return;
	while ((n = sys_readdir(w->sh->p, fd, w->arena, entries, READ_BATCH)) > 0) {
		proc_charge(w->sh->p, (uint64_t)n / 4 + 1);
		for (int64_t i = 0; i < n; i++) {
			struct bytes path;

			if (is_hidden(w, entries[i].name))
				continue;
			path = joined(w, prefix, entries[i].name, BYTES(""));
			if (files)
				fields_add(w->sh, w->out, (char *)(uintptr_t)path.ptr);
			if (entries[i].type == S_DIR)
				paths_add(w, tree, joined(w, path, BYTES("/"), BYTES("")));
			else if (entries[i].type == S_LNK && !files)
				take_link(w, path);
		}
	}
	sys_close(w->sh->p, fd);
}

/* Written with its slash only if that stood in the pattern behind plain text. */
static void take_itself(struct walk *w, struct bytes path)
{
	while (w->matched && path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	fields_add(w->sh, w->out, arena_dup(w->arena, path));
}

static void walk_globstar(struct walk *w, const struct component *c)
{
	bool files = c->slashes.len == 0;
	struct paths tree = { NULL, 0, 0 };

	w->at_start = w->now.v[0].len == 0;
	for (size_t i = 0; i < w->now.n; i++) {
		if (!path_is_directory(w, w->now.v[i].len != 0 ? w->now.v[i].ptr : "."))
			continue;
		paths_add(w, &tree, w->now.v[i]);
		/* The directory itself is a match of "dir/" followed by nothing. */
		if (files && w->now.v[i].len != 0)
			take_itself(w, w->now.v[i]);
	}
	for (size_t i = 0; i < tree.n; i++)
		descend(w, &tree, tree.v[i], files);
	if (files)
		return;
	for (size_t i = 0; i < tree.n; i++) {
		if (!w->last)
			paths_add(w, &w->next, tree.v[i]);
		else if (tree.v[i].len != 0)
			fields_add(w->sh, w->out, (char *)(uintptr_t)tree.v[i].ptr);
	}
}

/* --- components --- */

static void walk_literal(struct walk *w, const struct component *c)
{
	for (size_t i = 0; i < w->now.n; i++) {
		struct bytes path = joined(w, w->now.v[i], c->literal, c->slashes);

		proc_charge(w->sh->p, 1);
		if (!w->last)
			paths_add(w, &w->next, path);
		else if (c->slashes.len != 0 ? path_is_directory(w, path.ptr) : exists(w, path.ptr))
			fields_add(w->sh, w->out, (char *)(uintptr_t)path.ptr);
	}
}

static void walk_pattern(struct walk *w, const struct component *c)
{
	for (size_t i = 0; i < w->now.n; i++)
		match_directory(w, c, w->now.v[i]);
}

static bool next_is_globstar(struct bytes pattern, size_t at)
{
	return bytes_is(bytes_slice(pattern, at, component_end(pattern, at)), "**");
}

static void walk_components(struct walk *w, struct bytes pattern)
{
	size_t at = 0;

	while (at < pattern.len && pattern.ptr[at] == '/')
		at++;
	paths_add(w, &w->now, joined(w, bytes_slice(pattern, 0, at), BYTES(""), BYTES("")));
	while (at < pattern.len && w->now.n != 0) {
		struct component c;

		at = take_component(w, pattern, at, &c);
		w->last = at == pattern.len;
		w->next.n = 0;
		/* Several in a row are one. */
		if (c.globstar && c.slashes.len != 0 && next_is_globstar(pattern, at)) {
			w->matched = true;
			continue;
		}
		if (c.globstar)
			walk_globstar(w, &c);
		else if (c.glob != NULL)
			walk_pattern(w, &c);
		else
			walk_literal(w, &c);
		w->matched |= c.globstar || c.glob != NULL;
		struct paths done = w->now;

		w->now = w->next;
		w->next = done;
	}
}

/* --- results --- */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* A slash is matched only by a slash, but for a star at the end, which takes all that is left. */
static bool matches_ignored(struct shell *sh, struct bytes pattern, struct bytes path)
{
	unsigned flags = (path_flags(sh) | GLOB_PATHNAME) & ~(unsigned)GLOB_PERIOD;
	bool open = pattern.len != 0 && pattern.ptr[pattern.len - 1] == '*' &&
		    (pattern.len == 1 || pattern.ptr[pattern.len - 2] != '\\');
	struct glob *g;

	pattern.len -= open;
	g = glob_compile(sh->arena, pattern, flags);
	if (g == NULL)
		return false;
	if (open)
		return glob_prefix(g, sh->arena, path, false) != SIZE_MAX;
	return glob_match(g, sh->arena, path);
}

/* Past the bracket expression, ( ) group or character at the start of s. */
static size_t pattern_item(struct shell *sh, struct bytes s)
{
	size_t depth = 0;
	size_t i = 1;

	if (s.ptr[0] == '\\')
		return s.len > 1 ? 2 : 1;
	if (s.ptr[0] == '[') {
		i += i < s.len && (s.ptr[i] == '!' || s.ptr[i] == '^');
		i += i < s.len && s.ptr[i] == ']';
		while (i < s.len && s.ptr[i] != ']') {
			const char *end = i + 1 < s.len && s.ptr[i] == '[' && s.ptr[i + 1] == ':'
						  ? memchr(s.ptr + i, ']', s.len - i)
						  : NULL;

			i = end != NULL ? (size_t)(end - s.ptr) + 1 : i + 1;
		}
		proc_charge(sh->p, i / 16);
		return i < s.len ? i + 1 : 1;
	}
	if (s.ptr[0] != '(')
		return 1;
	for (i = 0; i < s.len; i++) {
		depth += (size_t)(s.ptr[i] == '(') - (size_t)(s.ptr[i] == ')');
		if (depth == 0)
			return i + 1;
	}
	return s.len;
}

/* The length of the first pattern of GLOBIGNORE's list: a colon inside brackets or an extended
 * pattern ends none. */
static size_t first_ignored(struct shell *sh, struct bytes list)
{
	size_t n = 0;

	while (n < list.len && list.ptr[n] != ':') {
		proc_charge(sh->p, 1);
		n += pattern_item(sh, bytes_slice(list, n, list.len));
	}
	return n;
}

/* "." and ".." and what the patterns in GLOBIGNORE match. */
static bool is_ignored(struct shell *sh, struct bytes list, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base != NULL ? base + 1 : path;
	if (strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
		return true;
	while (list.len != 0) {
		size_t n = first_ignored(sh, list);

		if (matches_ignored(sh, bytes_slice(list, 0, n), bytes_of(path)))
			return true;
		list = bytes_slice(list, n < list.len ? n + 1 : n, list.len);
	}
	return false;
}

static void apply_globignore(struct shell *sh, struct fields *out, int from)
{
	const char *ignore = var_get_text(sh, "GLOBIGNORE");
	int kept = from;

	if (ignore == NULL || *ignore == '\0')
		return;
	for (int i = from; i < out->count; i++) {
		if (!is_ignored(sh, bytes_of(ignore), out->v[i]))
			out->v[kept++] = out->v[i];
	}
	out->count = kept;
	out->v[kept] = NULL;
}

int expand_pathname(struct shell *sh, struct bytes pattern, struct fields *out)
{
	struct walk w = { .sh = sh, .arena = sh->arena, .out = out };
	int from = out->count;

	walk_components(&w, pattern);
	if (out->count == from)
		return 0;
	apply_globignore(sh, out, from);
	sort_pointers(sh->arena, (void **)(out->v + from), (size_t)(out->count - from), by_bytes);
	return out->count - from;
}

int expand_field(struct shell *sh, struct bytes pattern, char *text, struct fields *out)
{
	if (opt_set(sh, SET_NOGLOB) || !glob_has_magic(pattern, opt_shopt(sh, SHOPT_extglob))) {
		fields_add(sh, out, text);
		return 0;
	}
	if (expand_pathname(sh, pattern, out) > 0)
		return 0;
	if (opt_shopt(sh, SHOPT_failglob)) {
		shell_error(sh, "no match: %s", text);
		return expand_fail(sh);
	}
	if (!opt_shopt(sh, SHOPT_nullglob))
		fields_add(sh, out, text);
	return 0;
}
