/* SPDX-License-Identifier: MIT
 *
 * Attributes (.gitattributes, info/attributes) and the conversions of line ends that they and
 * core.autocrlf ask for.
 */
#include "builtins/git/git.h"

enum { MACRO_DEPTH_MAX = 8 };

struct setting {
	const char *name;
	const char *value; /* ATTR_TRUE, ATTR_FALSE, text; NULL: "!name", unspecified */
};

struct attr_rule {
	const char *pattern; /* NULL: a macro */
	const char *macro;
	bool base_only;
	bool dir_only;
	struct setting *set;
	size_t n;
};

struct attr_file {
	const char *base;
	struct attr_rule *at;
	size_t n;
	size_t cap;
};

struct attrs {
	struct lookup *dirs;
	struct attr_file global;
	struct attr_file info;
	bool any;
};

static void parse_settings(struct git *g, struct attr_rule *r, struct bytes line)
{
	size_t cap = 0;

	while (line.len != 0) {
		size_t n = 0;
		struct setting s;
		char *word;
		char *equals;

		while (n < line.len && !byte_is_space((unsigned char)line.ptr[n]))
			n++;
		word = arena_dup(g->keep, bytes_slice(line, 0, n));
		line = git_trim(bytes_slice(line, n, line.len));
		equals = strchr(word, '=');
		s = (struct setting){ word, ATTR_TRUE };
		if (word[0] == '-') {
			s = (struct setting){ word + 1, ATTR_FALSE };
		} else if (word[0] == '!') {
			s = (struct setting){ word + 1, NULL };
		} else if (equals != NULL) {
			*equals = '\0';
			s.value = equals + 1;
		}
		LIST_ROOM(g, r->set, r->n, cap);
		r->set[r->n++] = s;
	}
}

static void parse_line(struct git *g, struct attr_file *f, struct bytes line)
{
	struct attr_rule r = { .pattern = NULL };
	struct bytes word;
	char *pattern;

	line = git_trim(line);
	if (line.len == 0 || line.ptr[0] == '#')
		return;
	if (line.ptr[0] == '"') {
		char *copy = arena_dup(g->keep, line);
		const char *at = copy;

		pattern = git_unquote(g->keep, &at);
		if (pattern == NULL)
			return;
		line = git_trim(bytes_of(at));
	} else {
		size_t n = 0;

		while (n < line.len && !byte_is_space((unsigned char)line.ptr[n]))
			n++;
		word = bytes_slice(line, 0, n);
		pattern = arena_dup(g->keep, word);
		line = git_trim(bytes_slice(line, n, line.len));
	}
	if (git_starts(pattern, "[attr]")) {
		r.macro = pattern + 6;
	} else {
		size_t len = strlen(pattern);

		if (pattern[0] == '!')
			return;
		r.dir_only = len > 0 && pattern[len - 1] == '/';
		r.base_only = strchr(pattern, '/') == NULL;
		r.pattern = pattern[0] == '/' ? pattern + 1 : pattern;
	}
	parse_settings(g, &r, line);
	LIST_ROOM(g, f->at, f->n, f->cap);
	f->at[f->n++] = r;
}

static bool read_attrs(struct git *g, struct attr_file *f, const char *path)
{
	struct bytes text;
	struct bytes line;

	if (file_read(g, g->keep, path, &text) < 0)
		return false;
	while (git_line(&text, &line)) {
		parse_line(g, f, line);
		cmd_charge(g->c, 1);
	}
	g->attrs->any = true;
	return true;
}

static struct attrs *attrs_of(struct git *g)
{
	const char *given;
	const char *home;

	if (g->attrs != NULL)
		return g->attrs;
	g->attrs = arena_zalloc(g->keep, sizeof(*g->attrs));
	g->attrs->dirs = lookup_new(g);
	g->attrs->global.base = g->attrs->info.base = "";
	parse_line(g, &g->attrs->global, BYTES("[attr]binary -diff -merge -text"));
	given = config_get(g, "core.attributesfile");
	home = cmd_getenv(g->c, "HOME");
	if (given != NULL)
		read_attrs(g, &g->attrs->global, config_expand_path(g, given));
	else if (home != NULL)
		read_attrs(g, &g->attrs->global,
			   git_format(g->a, "%s/.config/git/attributes", home));
	if (g->dir != NULL)
		read_attrs(g, &g->attrs->info, repo_path(g, g->a, "info/attributes"));
	return g->attrs;
}

static struct attr_file *dir_attrs(struct git *g, const char *path, size_t length)
{
	struct bytes dir = { path, length };
	struct attr_file *f = lookup_get(g->attrs->dirs, dir);

	if (f != NULL)
		return f;
	f = arena_zalloc(g->keep, sizeof(*f));
	f->base = arena_dup(g->keep, dir);
	*lookup_at(g->attrs->dirs, bytes_of(f->base)) = f;
	if (!g->bare)
		read_attrs(g, f, git_format(g->a, "%s.gitattributes", f->base));
	return f;
}

struct found {
	struct git *g;
	const char *want; /* NULL: all */
	struct attr_value *at;
	size_t n;
	size_t cap;
};

static bool known(const struct found *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->at[i].name, name) == 0)
			return true;
	return false;
}

static void take_setting(struct found *f, const struct setting *s, int depth);

static void expand_macro(struct found *f, const char *name, int depth)
{
	const struct attr_file *files[2] = { &f->g->attrs->global,
					     lookup_get(f->g->attrs->dirs, BYTES("")) };

	for (int k = 1; k >= 0; k--)
		for (size_t i = files[k] != NULL ? files[k]->n : 0; i > 0; i--) {
			const struct attr_rule *r = &files[k]->at[i - 1];

			if (r->macro == NULL || strcmp(r->macro, name) != 0)
				continue;
			for (size_t j = r->n; j > 0; j--)
				take_setting(f, &r->set[j - 1], depth + 1);
			return;
		}
}

/* The first one to say something about an attribute decides. */
static void take_setting(struct found *f, const struct setting *s, int depth)
{
	if (known(f, s->name))
		return;
	LIST_ROOM(f->g, f->at, f->n, f->cap);
	f->at[f->n++] = (struct attr_value){ s->name, s->value };
	if (s->value != NULL && s->value[0] == '\0' && depth < MACRO_DEPTH_MAX)
		expand_macro(f, s->name, depth);
}

static bool rule_matches(const struct attr_rule *r, const char *base, const char *path)
{
	if (r->pattern == NULL || r->dir_only)
		return false;
	if (r->base_only)
		return wild_match(r->pattern, bytes_of(path_base(path)), 0);
	return wild_match(r->pattern, bytes_of(path + strlen(base)), WILD_PATHNAME);
}

static void take_file(struct found *f, const struct attr_file *file, const char *path)
{
	for (size_t i = file->n; i > 0; i--) {
		const struct attr_rule *r = &file->at[i - 1];

		cmd_charge(f->g->c, 1);
		if (!rule_matches(r, file->base, path))
			continue;
		for (size_t j = r->n; j > 0; j--)
			take_setting(f, &r->set[j - 1], 0);
	}
}

static void collect(struct git *g, const char *path, struct found *f)
{
	struct attrs *a = attrs_of(g);

	/* The root's macros must be known to all. */
	dir_attrs(g, "", 0);
	take_file(f, &a->info, path);
	for (size_t end = strlen(path);;) {
		while (end > 0 && path[end - 1] != '/')
			end--;
		take_file(f, dir_attrs(g, path, end), path);
		if (end == 0)
			break;
		end--;
	}
	take_file(f, &a->global, path);
}

const char *attr_get(struct git *g, const char *path, const char *name)
{
	struct found f = { .g = g, .want = name };
	const char *value = NULL;

	collect(g, path, &f);
	for (size_t i = 0; i < f.n; i++)
		if (strcmp(f.at[i].name, name) == 0)
			value = f.at[i].value;
	pool_free(g->c->pool, f.at, f.cap * sizeof(*f.at));
	return value;
}

static int cmp_values(const void *a, const void *b)
{
	return strcmp(((const struct attr_value *)a)->name, ((const struct attr_value *)b)->name);
}

size_t attr_all(struct git *g, const char *path, struct attr_value **out)
{
	struct found f = { .g = g };

	collect(g, path, &f);
	git_sort(g, f.at, f.n, sizeof(*f.at), cmp_values);
	*out = f.at;
	return f.n;
}
