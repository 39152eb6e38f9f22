/* SPDX-License-Identifier: MIT
 *
 * Pathspecs: which files a command is about. ":(magic)", ":!", ":/" in front.
 */
#include "builtins/git/git.h"

static const char *long_magic(struct git *g, struct pathspec_item *it, const char *p)
{
	static const struct {
		const char *name;
		size_t offset;
	} words[] = { { "top", offsetof(struct pathspec_item, top) },
		      { "literal", offsetof(struct pathspec_item, literal) },
		      { "icase", offsetof(struct pathspec_item, icase) },
		      { "glob", offsetof(struct pathspec_item, glob) },
		      { "exclude", offsetof(struct pathspec_item, exclude) } };

	while (*p != ')') {
		size_t len = strcspn(p, ",)");
		bool known = len == 0;

		if (p[len] == '\0')
			git_die(g, "Missing ')' at the end of pathspec magic in '%s'",
				it->original);
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i].name) == len && strncmp(words[i].name, p, len) == 0)
				known = *(bool *)((char *)it + words[i].offset) = true;
		if (git_starts(p, "attr:"))
			git_refuse(g, "pathspec magic 'attr'");
		if (!known)
			git_die(g, "Invalid pathspec magic '%.*s' in '%s'", (int)len, p,
				it->original);
		p += len;
		if (*p == ',')
			p++;
	}
	return p + 1;
}

static const char *short_magic(struct git *g, struct pathspec_item *it, const char *p)
{
	for (; *p != '\0' && *p != ':'; p++) {
		if (*p == '!' || *p == '^')
			it->exclude = true;
		else if (*p == '/')
			it->top = true;
		else if (strchr("\"#$%&',-;<=>@_`~", *p) != NULL)
			git_die(g, "Unimplemented pathspec magic '%c' in '%s'", *p, it->original);
		else
			break;
	}
	return *p == ':' ? p + 1 : p;
}

static bool env_is_true(struct git *g, const char *name)
{
	const char *value = cmd_getenv(g->c, name);

	return value != NULL && config_truth(value) == 1;
}

/* What git --glob-pathspecs and its kin say of all pathspecs. */
static void global_magic(struct git *g, struct pathspec *ps)
{
	ps->all_literal = env_is_true(g, "GIT_LITERAL_PATHSPECS");
	ps->all_glob = env_is_true(g, "GIT_GLOB_PATHSPECS");
	ps->all_noglob = env_is_true(g, "GIT_NOGLOB_PATHSPECS");
	ps->all_icase = env_is_true(g, "GIT_ICASE_PATHSPECS");
	if (ps->all_glob && ps->all_noglob)
		git_die(g, "global 'glob' and 'noglob' pathspec settings are incompatible");
	if (ps->all_literal && (ps->all_glob || ps->all_noglob || ps->all_icase))
		git_die(g, "global 'literal' pathspec setting is incompatible with all other "
			   "global pathspec settings");
}

static void parse_item(struct git *g, const struct pathspec *ps, const char *text,
		       struct pathspec_item *it)
{
	const char *p = text;

	*it = (struct pathspec_item){ .original = text };
	if (text[0] == '\0')
		git_die(g,
			"empty string is not a valid pathspec. please use . instead if you meant "
			"to match all paths");
	if (text[0] == ':' && !ps->all_literal)
		p = text[1] == '(' ? long_magic(g, it, text + 2) : short_magic(g, it, text + 1);
	it->icase |= ps->all_icase;
	it->glob |= ps->all_glob && !it->literal;
	it->literal |= ps->all_literal || (ps->all_noglob && !it->glob);
	if (it->literal && it->glob)
		git_die(g, "%s: 'literal' and 'glob' are incompatible", text);
	if (it->top)
		it->match = path_normal(g->a, p);
	else
		it->match = path_in_work_try(g, p);
	if (it->match == NULL)
		git_die(g, "%s: '%s' is outside repository at '%s'", text, p,
			g->work != NULL ? g->work : g->dir);
	it->length = strlen(it->match);
	if (it->length > 0 && it->match[it->length - 1] == '/') {
		it->match[--it->length] = '\0';
		it->dir_only = true;
	}
	it->plain = it->literal ? it->length : strcspn(it->match, "*?[\\");
	/* What the start directory contributes is never a pattern. */
	if (!it->top && strlen(g->prefix) <= it->length && it->plain < strlen(g->prefix))
		it->plain = strlen(g->prefix) + strcspn(it->match + strlen(g->prefix), "*?[\\");
}

void pathspec_of(struct git *g, char **operands, int n, struct pathspec *out)
{
	bool only_excludes = true;

	*out = (struct pathspec){ .at = arena_array(g->keep, (size_t)n + 1, sizeof(*out->at)) };
	global_magic(g, out);
	for (int i = 0; i < n; i++) {
		struct pathspec_item *it = &out->at[out->n++];

		parse_item(g, out, operands[i], it);
		out->has_exclude |= it->exclude;
		out->has_wild |= it->plain < it->length;
		only_excludes &= it->exclude;
	}
	if (n != 0 && only_excludes) {
		parse_item(g, out, ":/", &out->at[out->n]);
		out->at[out->n++].seen = true;
	}
}

static bool same_text(const struct pathspec_item *it, const char *a, const char *b, size_t n)
{
	if (!it->icase)
		return strncmp(a, b, n) == 0;
	for (size_t i = 0; i < n; i++)
		if (byte_to_lower((unsigned char)a[i]) != byte_to_lower((unsigned char)b[i]))
			return false;
	return true;
}

static bool item_matches(const struct pathspec_item *it, const char *path, size_t len, bool is_dir)
{
	if (it->length == 0)
		return true;
	if (it->plain == it->length || it->literal) {
		if (len < it->length || !same_text(it, path, it->match, it->length))
			return false;
		if (len == it->length)
			return is_dir || !it->dir_only;
		return path[it->length] == '/';
	}
	/* As a plain prefix too: a name that has wildcard characters in it. */
	if (len >= it->length && same_text(it, path, it->match, it->length) &&
	    (path[it->length] == '\0' || path[it->length] == '/'))
		return true;
	if (len < it->plain || !same_text(it, path, it->match, it->plain))
		return false;
	return wild_match(it->match + it->plain,
			  (struct bytes){ path + it->plain, len - it->plain },
			  (it->glob ? WILD_PATHNAME : 0u) | (it->icase ? WILD_ICASE : 0u));
}

bool pathspec_match(struct git *g, struct pathspec *ps, const char *path, bool is_dir)
{
	size_t len = strlen(path);
	bool hit = false;

	if (ps->n == 0)
		return true;
	if (len > 0 && path[len - 1] == '/')
		len--;
	for (size_t i = 0; i < ps->n; i++) {
		struct pathspec_item *it = &ps->at[i];

		cmd_charge(g->c, 1);
		if (it->exclude)
			continue;
		if (item_matches(it, path, len, is_dir))
			hit = it->seen = true;
	}
	for (size_t i = 0; hit && ps->has_exclude && i < ps->n; i++) {
		struct pathspec_item *it = &ps->at[i];

		if (it->exclude && item_matches(it, path, len, is_dir)) {
			it->seen = true;
			hit = false;
		}
	}
	return hit;
}

bool pathspec_below(const struct pathspec *ps, const char *dir, size_t length)
{
	if (ps->n == 0)
		return true;
	for (size_t i = 0; i < ps->n; i++) {
		const struct pathspec_item *it = &ps->at[i];
		size_t n = it->plain < length ? it->plain : length;

		if (it->exclude)
			continue;
		if (!same_text(it, it->match, dir, n))
			continue;
		/* A pattern can match anything below; plain text must lie on the way. */
		if (it->plain < it->length && (it->plain <= length || it->match[length] == '/'))
			return true;
		if (it->length == 0 ||
		    (it->length <= length && (dir[it->length] == '/' || it->length == length)) ||
		    (it->length > length && it->match[length] == '/'))
			return true;
	}
	return false;
}

/* One line: CR at its end is none of it, and it may be in quotes. */
static char *file_line(struct git *g, struct bytes line)
{
	const char *at;
	char *name;

	if (line.len != 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	name = arena_dup(g->keep, line);
	if (name[0] != '"')
		return name;
	at = name;
	name = git_unquote(g->keep, &at);
	if (name == NULL || *at != '\0')
		git_die(g, "line is badly quoted: %.*s", (int)line.len, line.ptr);
	return name;
}

void pathspec_from_file(struct git *g, const struct pathspec_file *f, struct args *args,
			bool dashdash)
{
	struct names list = { NULL, 0, 0 };
	struct bytes text;
	struct oid o;
	int err = 0;

	if (f->name == NULL && f->zero)
		git_die(g, "the option '%s' requires '%s'", "--pathspec-file-nul",
			"--pathspec-from-file");
	if (f->name == NULL)
		return;
	for (int i = 0; dashdash && i < args->argc; i++) {
		if (strcmp(args->argv[i], "--") == 0) {
			args->argc -= i + 1 == args->argc;
			break;
		}
		if (rev_parse(g, args->argv[i], &o) < 0)
			break;
		names_add(g, &list, args->argv[i]);
	}
	if ((size_t)args->argc != list.n)
		git_die(g, "'%s' and pathspec arguments cannot be used together",
			"--pathspec-from-file");
	if (dashdash)
		names_add(g, &list, "--");
	if (strcmp(f->name, "-") == 0)
		text = file_stdin(g);
	else
		err = file_read(g, g->keep, path_join(g->a, g->start, f->name), &text);
	if (err < 0)
		git_die_errno(g, err, "could not open '%s' for reading", f->name);
	while (text.len != 0) {
		const char *end = memchr(text.ptr, f->zero ? '\0' : '\n', text.len);
		size_t n = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = bytes_slice(text, 0, n);

		names_add(g, &list, f->zero ? arena_dup(g->keep, line) : file_line(g, line));
		text = bytes_slice(text, n + (end != NULL), text.len);
		cmd_charge(g->c, 1);
	}
	args->argv = list.at;
	args->argc = (int)list.n;
}
