/* SPDX-License-Identifier: MIT
 *
 * git hash-object, ls-tree, write-tree, commit-tree, ls-files,
 * count-objects.
 */
#include "builtins/git/commit.h"

/* --- hash-object --- */

struct hash_opts {
	const char *type;
	bool write, from_stdin, paths, no_filters, literally;
	const char *path;
};
static const struct git_option hash_options[] = {
	GIT_STR('t', NULL, struct hash_opts, type),
	GIT_FLAG('w', NULL, struct hash_opts, write),
	GIT_FLAG(0, "stdin", struct hash_opts, from_stdin),
	GIT_FLAG(0, "stdin-paths", struct hash_opts, paths),
	GIT_FLAG(0, "no-filters", struct hash_opts, no_filters),
	GIT_FLAG(0, "literally", struct hash_opts, literally),
	GIT_STR(0, "path", struct hash_opts, path),
	GIT_END(),
};
static const char *const hash_usage[] = {
	"git hash-object [-t <type>] [-w] [--path=<file> | --no-filters] [--stdin] [--] <file>...",
	NULL
};

/* "KEY OID" is the next line of a commit or tag. */
static bool takes_oid_line(struct bytes *rest, const char *key)
{
	struct bytes line;
	struct oid o;
	size_t n = strlen(key);

	if (!bytes_starts(*rest, bytes_of(key)) || memchr(rest->ptr, '\n', rest->len) == NULL)
		return false;
	git_line(rest, &line);
	return line.len == n + OID_HEX && oid_parse_bytes(bytes_slice(line, n, line.len), &o);
}

static void check_tree(struct git *g, struct bytes data)
{
	while (data.len != 0) {
		const char *nul = memchr(data.ptr, '\0', data.len);
		const char *blank = memchr(data.ptr, ' ', data.len);
		size_t name;

		if (data.len < 24 || nul == NULL ||
		    data.len - (size_t)(nul - data.ptr) - 1 < OID_BYTES)
			git_die(g, "too-short tree object");
		name = (size_t)(nul - data.ptr);
		if (blank == NULL || blank > nul || blank == data.ptr)
			git_die(g, "malformed mode in tree entry");
		for (const char *p = data.ptr; p < blank; p++)
			if (*p < '0' || *p > '7')
				git_die(g, "malformed mode in tree entry");
		if (blank + 1 == nul)
			git_die(g, "empty filename in tree entry");
		data = bytes_slice(data, name + 1 + OID_BYTES, data.len);
	}
}

static void check_commit(struct git *g, struct bytes data)
{
	bool has_tree = takes_oid_line(&data, "tree ");
	bool whole = has_tree;

	while (whole && bytes_starts(data, BYTES("parent ")))
		whole = takes_oid_line(&data, "parent ");
	if (whole)
		return;
	git_error(g, has_tree ? "bad parents in commit %s" : "bogus commit object %s",
		  oid_hex(g, &oid_null));
	git_die(g, "corrupt commit");
}

static void check_tag(struct git *g, struct bytes data)
{
	struct bytes line, type;

	if (takes_oid_line(&data, "object ") && git_line(&data, &line) &&
	    bytes_starts(line, BYTES("type "))) {
		type = bytes_slice(line, 5, line.len);
		if (object_type_of(type) == OBJECT_NONE)
			git_error(g, "unknown tag type '%.*s' in %s", (int)type.len, type.ptr,
				  oid_hex(g, &oid_null));
		else if (git_line(&data, &line) && bytes_starts(line, BYTES("tag ")))
			return;
	}
	git_die(g, "corrupt tag");
}

/* What git would not read again is not made. */
static void check_object(struct git *g, enum object_type type, struct bytes data)
{
	if (type == OBJECT_TREE)
		check_tree(g, data);
	else if (type == OBJECT_COMMIT)
		check_commit(g, data);
	else if (type == OBJECT_TAG)
		check_tag(g, data);
}

static void hash_one(struct git *g, const struct hash_opts *o, struct bytes data)
{
	const char *type = o->type != NULL ? o->type : "blob";
	struct oid oid;

	if (object_type_of(bytes_of(type)) == OBJECT_NONE)
		git_die(g, "invalid object type \"%s\"", type);
	if (!o->literally)
		check_object(g, object_type_of(bytes_of(type)), data);
	if (o->write) {
		repo_need(g);
		object_write_named(g, type, data, &oid);
	} else {
		object_hash_named(type, data, &oid);
	}
	git_printf(g, "%s\n", oid_hex(g, &oid));
}

/* As the attributes of the path want it. */
static struct bytes converted(struct git *g, const struct hash_opts *o, const char *name,
			      struct bytes data)
{
	const char *path = o->no_filters || g->dir == NULL ? NULL : path_in_work_try(g, name);

	if (path == NULL)
		return data;
	g->ends = o->write ? ENDS_REFUSE : ENDS_QUIET;
	data = convert_in(g, g->a, path, data);
	g->ends = ENDS_QUIET;
	return data;
}

int git_cmd_hash_object(struct git *g, struct args *args)
{
	struct hash_opts o = { .type = NULL };
	const struct git_parser p = { hash_options, &o, hash_usage, 0, NULL };
	struct names list = { NULL, 0, 0 };

	git_parse(g, args, &p);
	if (o.from_stdin) {
		struct bytes data = file_stdin(g);

		hash_one(g, &o, o.path != NULL ? converted(g, &o, o.path, data) : data);
	}
	for (int i = 0; i < args->argc; i++)
		names_add(g, &list, args->argv[i]);
	if (o.paths) {
		struct bytes in = file_stdin(g), line;

		while (git_line(&in, &line))
			names_add(g, &list, arena_dup(g->a, line));
	}
	for (size_t i = 0; i < list.n; i++) {
		struct bytes data;
		int err = file_read(g, g->a, path_join(g->a, g->start, list.at[i]), &data);

		if (err == -E_ISDIR)
			git_die(g, o.write ? "Unable to add %s to database" : "Unable to hash %s",
				list.at[i]);
		if (err < 0)
			git_die_errno(g, err, "could not open '%s' for reading", list.at[i]);
		hash_one(g, &o, converted(g, &o, o.path != NULL ? o.path : list.at[i], data));
	}
	return 0;
}

/* --- ls-tree --- */

struct tree_opts {
	bool only_trees, recurse, trees, zero, size, name_only, full_name, full_tree, object_only;
	struct pathspec ps;
	bool short_names;
	const char *format; /* --format */
	int abbrev;         /* 0: as many digits as are usual */
};

static int set_abbrev(struct git *g, void *opts, const char *arg, bool unset)
{
	struct tree_opts *o = opts;
	int64_t v = 0;

	if (arg != NULL && !git_number(arg, &v))
		git_die(g, "option `abbrev' expects a numerical value");
	o->abbrev = v > OID_HEX ? OID_HEX : (int)v;
	o->short_names = !unset && (arg == NULL || v > 0);
	return 0;
}

static const struct git_option tree_options[] = {
	GIT_FLAG('d', NULL, struct tree_opts, only_trees),
	GIT_FLAG('r', NULL, struct tree_opts, recurse),
	GIT_FLAG('t', NULL, struct tree_opts, trees),
	GIT_FLAG('z', NULL, struct tree_opts, zero),
	GIT_FLAG('l', "long", struct tree_opts, size),
	GIT_FLAG(0, "name-only", struct tree_opts, name_only),
	GIT_FLAG(0, "name-status", struct tree_opts, name_only),
	GIT_FLAG(0, "object-only", struct tree_opts, object_only),
	GIT_FLAG(0, "full-name", struct tree_opts, full_name),
	GIT_FLAG(0, "full-tree", struct tree_opts, full_tree),
	GIT_CALL_MAYBE(0, "abbrev", set_abbrev),
	GIT_STR(0, "format", struct tree_opts, format),
	GIT_END(),
};
static const char *const tree_usage[] = { "git ls-tree [<options>] <tree-ish> [<path>...]", NULL };

/* -1: no hexadecimal digit. */
static int digit_value(char c)
{
	if (!byte_is_xdigit((unsigned char)c))
		return -1;
	return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

struct shown_entry {
	const struct tree_entry *e;
	const char *type, *hex, *path;
};

/* The size of a blob; "-" for what is none. */
static char *size_text(struct git *g, const struct shown_entry *s)
{
	uint64_t size;

	if (s->type[0] != 'b')
		return arena_dup(g->a, BYTES("-"));
	if (object_info(g, &s->e->oid, &size) == OBJECT_NONE)
		git_die(g, "could not get object info about '%s'", oid_hex(g, &s->e->oid));
	return git_format(g->a, "%llu", (unsigned long long)size);
}

/* %(NAME) at the front of text, which moves behind it. */
static void put_atom(struct git *g, const struct shown_entry *s, const char **text, struct buf *out)
{
	struct bytes name = { *text + 1, strcspn(*text + 1, ")") };

	if (name.ptr[name.len] == '\0')
		git_die(g, "bad ls-tree format: element '%s' does not end in ')'", *text);
	*text = name.ptr + name.len + 1;
	if (bytes_is(name, "objectmode"))
		buf_printf(out, "%06o", s->e->mode);
	else if (bytes_is(name, "objecttype"))
		buf_puts(out, s->type);
	else if (bytes_is(name, "objectname"))
		buf_puts(out, s->hex);
	else if (bytes_is(name, "objectsize"))
		buf_puts(out, size_text(g, s));
	else if (bytes_is(name, "objectsize:padded"))
		buf_printf(out, "%7s", size_text(g, s));
	else if (bytes_is(name, "path"))
		buf_puts(out, git_quoted(g, s->path));
	else
		git_die(g, "bad ls-tree format: %%(%.*s)", (int)name.len, name.ptr);
}

static void put_formatted(struct git *g, const struct tree_opts *o, const struct shown_entry *s)
{
	struct buf out = buf_in(g->a);

	for (const char *p = o->format; *p != '\0';) {
		if (*p != '%') {
			buf_putc(&out, *p++);
			continue;
		}
		p++;
		if (*p == '(') {
			put_atom(g, s, &p, &out);
		} else if (*p == '%') {
			buf_putc(&out, *p++);
		} else if (*p == 'n') {
			buf_putc(&out, '\n');
			p++;
		} else if (*p == 'x' && digit_value(p[1]) >= 0 && digit_value(p[2]) >= 0) {
			buf_putc(&out, (char)(digit_value(p[1]) * 16 + digit_value(p[2])));
			p += 3;
		} else {
			git_die(g, "bad ls-tree format: element '%s' does not start with '('", p);
		}
	}
	buf_putc(&out, o->zero ? '\0' : '\n');
	cmd_bytes(g->c, buf_bytes(&out));
}

static void tree_line(struct git *g, const struct tree_opts *o, const struct tree_entry *e,
		      const char *path)
{
	uint64_t size;
	const char *type = (e->mode & S_FMT) == S_DIR ? "tree"
			   : e->mode == MODE_GITLINK  ? "commit"
						      : "blob";
	const char *shown = o->full_name || o->full_tree ? path : path_relative(g, path);
	const char *hex = o->short_names ? oid_short(g, &e->oid, o->abbrev) : oid_hex(g, &e->oid);

	if (o->format != NULL) {
		put_formatted(g, o, &(struct shown_entry){ e, type, hex, shown });
		return;
	}
	if (o->object_only) {
		git_printf(g, "%s%c", hex, o->zero ? '\0' : '\n');
		return;
	}
	if (!o->name_only) {
		git_printf(g, "%06o %s %s", e->mode, type, hex);
		if (o->size && type[0] == 'b') {
			object_info(g, &e->oid, &size);
			git_printf(g, " %7llu", (unsigned long long)size);
		} else if (o->size) {
			git_printf(g, "       -");
		}
		cmd_putc(g->c, '\t');
	}
	cmd_puts(g->c, o->zero ? shown : git_quoted(g, shown));
	cmd_putc(g->c, o->zero ? '\0' : '\n');
}

static bool wants(const struct tree_opts *o, const char *path, bool *enter, bool tree)
{
	size_t len = strlen(path);
	bool hit = o->ps.n == 0;

	*enter = o->recurse;
	for (size_t i = 0; i < o->ps.n; i++) {
		const struct pathspec_item *it = &o->ps.at[i];
		size_t n = it->length;

		if (strncmp(path, it->match, n < len ? n : len) != 0)
			continue;
		if (n > len && it->match[len] == '/' && tree)
			*enter = true;
		else if (n == len && it->dir_only && tree)
			*enter = true;
		else if (n == 0 || n == len || (n < len && path[n] == '/'))
			hit = true;
	}
	if (tree && o->recurse)
		*enter = hit || *enter;
	return hit;
}

static void list_level(struct git *g, struct tree_opts *o, const struct oid *tree,
		       const char *prefix, int depth)
{
	struct bytes data = object_need(g, g->a, tree, OBJECT_TREE);
	struct tree_entry e;

	if (depth > GIT_DEPTH_MAX / 2)
		git_die(g, "exceeded maximum allowed tree depth");
	while (tree_next(&data, &e) > 0) {
		char *path = git_format(g->a, "%s%.*s", prefix, (int)e.name.len, e.name.ptr);
		bool is_tree = (e.mode & S_FMT) == S_DIR;
		bool enter;
		bool hit = wants(o, path, &enter, is_tree);

		cmd_charge(g->c, 2);
		enter = enter && is_tree &&
			(o->ps.n == 0 || pathspec_below(&o->ps, path, strlen(path)));
		if (hit && (is_tree ? (!enter || o->trees || o->only_trees) : !o->only_trees))
			tree_line(g, o, &e, path);
		if (enter)
			list_level(g, o, &e.oid, git_format(g->a, "%s/", path), depth + 1);
	}
}

int git_cmd_ls_tree(struct git *g, struct args *args)
{
	struct tree_opts o = { .only_trees = false };
	const struct git_parser p = { tree_options, &o, tree_usage, 0, NULL };
	struct oid oid, tree;
	char *here = arena_dup(g->a, BYTES("."));

	git_parse(g, args, &p);
	if (o.format != NULL && (o.size || o.name_only || o.object_only)) {
		git_error(g, "--format can't be combined with other format-altering options");
		git_usage(g, tree_usage);
	}
	/* These are what is shown without it: names are not quoted then with -z. */
	if (o.format != NULL &&
	    strcmp(o.format, "%(objectmode) %(objecttype) %(objectname)%x09%(path)") == 0)
		o.format = NULL;
	else if (o.format != NULL && strcmp(o.format, "%(path)") == 0)
		o.format = NULL, o.name_only = true;
	if (args->argc < 1)
		git_usage(g, tree_usage);
	if (rev_parse(g, args->argv[0], &oid) < 0)
		git_die(g, "Not a valid object name %s", args->argv[0]);
	if (!tree_of(g, &oid, &tree))
		git_die(g, "not a tree object");
	if (o.full_tree)
		g->prefix = arena_dup(g->a, BYTES(""));
	if (args->argc > 1)
		pathspec_of(g, args->argv + 1, args->argc - 1, &o.ps);
	else if (g->prefix[0] != '\0') {
		pathspec_of(g, &here, 1, &o.ps);
		o.ps.at[0].dir_only = true;
	}
	list_level(g, &o, &tree, "", 0);
	return 0;
}

/* --- write-tree, commit-tree, read-tree --- */

int git_cmd_write_tree(struct git *g, struct args *args)
{
	struct oid o;
	bool missing = args->argc > 0 && strcmp(args->argv[0], "--missing-ok") == 0;

	if (args->argc > (missing ? 1 : 0))
		git_refuse(g, git_format(g->a, "write-tree %s", args->argv[0]));
	if (!tree_write_index(g, index_get(g), missing, &o))
		git_die(g, "git-write-tree: error building trees");
	git_printf(g, "%s\n", oid_hex(g, &o));
	return 0;
}

struct ct_opts {
	struct names parents, messages, files;
};
static const struct git_option ct_options[] = {
	GIT_LIST('p', NULL, struct ct_opts, parents),
	GIT_LIST('m', NULL, struct ct_opts, messages),
	GIT_LIST('F', NULL, struct ct_opts, files),
	GIT_END(),
};
static const char *const ct_usage[] = { "git commit-tree <tree> [(-p <parent>)...]",
					"git commit-tree [(-p <parent>)...] [(-m <message>)...] "
					"[(-F <file>)...] <tree>",
					NULL };

int git_cmd_commit_tree(struct git *g, struct args *args)
{
	struct ct_opts o = { .parents = { NULL, 0, 0 } };
	const struct git_parser p = { ct_options, &o, ct_usage, 0, NULL };
	struct oid tree, out, parents[32];
	struct buf m = buf_in(g->a);
	uint64_t size;

	git_parse(g, args, &p);
	if (args->argc != 1 || o.parents.n > 32)
		git_die(g, "must give exactly one tree");
	if (rev_parse(g, args->argv[0], &tree) < 0)
		git_die(g, "not a valid object name %s", args->argv[0]);
	if (object_info(g, &tree, &size) != OBJECT_TREE)
		git_die(g, "%s is not a valid 'tree' object", oid_hex(g, &tree));
	for (size_t i = 0; i < o.parents.n; i++)
		if (rev_commit(g, o.parents.at[i], &parents[i]) < 0)
			git_die(g, "not a valid object name %s", o.parents.at[i]);
	for (size_t i = 0; i < o.messages.n; i++)
		buf_printf(&m, "%s%s\n", i > 0 ? "\n" : "", o.messages.at[i]);
	for (size_t i = 0; i < o.files.n; i++) {
		struct bytes text;

		if (strcmp(o.files.at[i], "-") == 0)
			text = file_stdin(g);
		else if (file_read(g, g->a, path_join(g->a, g->start, o.files.at[i]), &text) < 0)
			git_die(g, "git commit-tree: failed to open '%s'", o.files.at[i]);
		buf_add(&m, text);
	}
	if (o.messages.n + o.files.n == 0)
		buf_add(&m, file_stdin(g));
	commit_write(g, &tree, parents, o.parents.n, NULL, buf_bytes(&m), &out);
	git_printf(g, "%s\n", oid_hex(g, &out));
	return 0;
}

/* --- check-ignore --- */

struct check_opts {
	bool quiet, verbose, from_stdin, zero, non_matching, no_index;
};
static const struct git_option check_options[] = {
	GIT_FLAG('q', "quiet", struct check_opts, quiet),
	GIT_FLAG('v', "verbose", struct check_opts, verbose),
	GIT_FLAG(0, "stdin", struct check_opts, from_stdin),
	GIT_FLAG('n', "non-matching", struct check_opts, non_matching),
	GIT_FLAG(0, "no-index", struct check_opts, no_index),
	GIT_END(),
};
static const char *const check_usage[] = { "git check-ignore [<options>] <pathname>...",
					   "git check-ignore [<options>] --stdin", NULL };

int git_cmd_check_ignore(struct git *g, struct args *args)
{
	struct check_opts o = { .quiet = false };
	const struct git_parser p = { check_options, &o, check_usage, 0, NULL };
	struct names list = { NULL, 0, 0 };
	size_t hits = 0;

	git_parse(g, args, &p);
	for (int i = 0; i < args->argc; i++)
		names_add(g, &list, args->argv[i]);
	if (o.from_stdin) {
		struct bytes in = file_stdin(g), line;

		while (git_line(&in, &line))
			names_add(g, &list, arena_dup(g->a, line));
	}
	if (o.quiet && !o.from_stdin && list.n > 1)
		git_die(g, "--quiet is only valid with a single pathname");
	if (o.quiet && o.verbose)
		git_die(g, "cannot have both --quiet and --verbose");
	if (o.non_matching && !o.verbose)
		git_die(g, "--non-matching is only valid with --verbose");
	if (list.n == 0)
		git_die(g, "no path specified");
	for (size_t i = 0; i < list.n; i++) {
		char *path = path_in_work(g, list.at[i]);
		struct ignore_match m;
		bool dir = git_ends(path, "/") || file_is_dir(g, path);
		bool hit;

		if (git_ends(path, "/"))
			path[strlen(path) - 1] = '\0';
		hit = gitignore_path_deep(g, path, dir, &m);
		if (!o.no_index && index_has(index_get(g), path))
			m.source = NULL, hit = false;
		hits += hit || (o.verbose && m.source != NULL);
		if (o.quiet || !(hit || (o.verbose && m.source != NULL) || o.non_matching))
			continue;
		if (!o.verbose)
			git_printf(g, "%s\n", git_quoted(g, list.at[i]));
		else if (m.source == NULL)
			git_printf(g, "::\t%s\n", git_quoted(g, list.at[i]));
		else
			git_printf(g, "%s:%d:%s\t%s\n", m.source, m.line, m.pattern,
				   git_quoted(g, list.at[i]));
	}
	return hits == 0;
}
