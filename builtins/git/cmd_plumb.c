/* SPDX-License-Identifier: MIT
 *
 * git mktree, mktag, var, cherry, stripspace, merge-file, merge-tree, check-attr: small tools
 * that scripts are made of.
 */
#include "builtins/git/fsck.h"
#include "builtins/git/merge.h"

struct plumb_opts {
	bool zero, missing, batch, strict, verbose, list, strip_comments, comment_lines, to_stdout,
		quiet, all, cached, from_stdin, write_tree, name_only, messages, trivial, unrelated;
	int abbrev;
	int favor;
	bool diff3, zdiff3;
	int marker_size;
	struct names labels;
};

/* --- mktree --- */

static const struct git_option mktree_options[] = {
	GIT_FLAG('z', NULL, struct plumb_opts, zero),
	GIT_FLAG(0, "missing", struct plumb_opts, missing),
	GIT_FLAG(0, "batch", struct plumb_opts, batch),
	GIT_END(),
};
static const char *const mktree_usage[] = { "git mktree [-z] [--missing] [--batch]", NULL };

struct making {
	struct git *g;
	const struct plumb_opts *o;
	struct tree_entry *at;
	size_t n;
	size_t cap;
};

static int by_tree_order(const void *a, const void *b)
{
	const struct tree_entry *x = a;
	const struct tree_entry *y = b;

	return tree_name_cmp(x->name, x->mode, y->name, y->mode);
}

static void write_tree(struct making *k)
{
	struct git *g = k->g;
	struct buf b = buf_in(g->a);
	struct oid o;

	git_sort(g, k->at, k->n, sizeof(*k->at), by_tree_order);
	for (size_t i = 0; i < k->n; i++) {
		buf_printf(&b, "%o ", k->at[i].mode);
		buf_add(&b, k->at[i].name);
		buf_putc(&b, '\0');
		buf_put(&b, k->at[i].oid.hash, OID_BYTES);
	}
	object_write(g, OBJECT_TREE, buf_bytes(&b), &o);
	git_printf(g, "%s\n", oid_hex(g, &o));
	cmd_flush(g->c);
	k->n = 0;
}

/* "mode type oid TAB name" */
static void tree_line(struct making *k, const char *line)
{
	struct git *g = k->g;
	struct tree_entry e = { .mode = 0 };
	const char *p = line;
	const char *kind, *name;
	enum object_type wanted, is;
	uint64_t size;

	for (; *p >= '0' && *p <= '7'; p++)
		e.mode = e.mode << 3 | (uint32_t)(*p - '0');
	kind = *p == ' ' && p > line ? p + 1 : NULL;
	p = kind != NULL ? strchr(kind, ' ') : NULL;
	name = p != NULL ? strchr(p, '\t') : NULL;
	if (name == NULL || name - p != OID_HEX + 1 || !oid_parse(p + 1, &e.oid))
		git_die(g, "input format error: %s", line);
	name++;
	wanted = object_type_of((struct bytes){ kind, (size_t)(p - kind) });
	if (*name == '"' && !k->o->zero) {
		const char *at = name;

		name = git_unquote(g->keep, &at);
		if (name == NULL)
			git_die(g, "invalid quoting");
	}
	if (strchr(name, '/') != NULL)
		git_die(g, "path %s contains slash", name);
	e.name = arena_bytes(g->keep, bytes_of(name));
	is = (e.mode & S_FMT) == S_DIR ? OBJECT_TREE
	     : e.mode == MODE_GITLINK  ? OBJECT_COMMIT
				       : OBJECT_BLOB;
	if (wanted != is)
		git_die(g, "entry '%s' object type (%.*s) doesn't match mode type (%s)", name,
			(int)(p - kind), kind, object_type_name(is));
	is = e.mode == MODE_GITLINK ? wanted : object_info(g, &e.oid, &size);
	if (is == OBJECT_NONE && !k->o->missing)
		git_die(g, "entry '%s' object %s is unavailable", name, oid_hex(g, &e.oid));
	if (is != OBJECT_NONE && is != wanted)
		git_die(g, "entry '%s' object %s is a %s but specified type was (%s)", name,
			oid_hex(g, &e.oid), object_type_name(is), object_type_name(wanted));
	LIST_ROOM(g, k->at, k->n, k->cap);
	k->at[k->n++] = e;
}

static bool next_record(struct bytes *in, bool zero, struct bytes *out)
{
	const char *nul;

	if (!zero)
		return git_line(in, out);
	if (in->len == 0)
		return false;
	nul = memchr(in->ptr, '\0', in->len);
	*out = (struct bytes){ in->ptr, nul != NULL ? (size_t)(nul - in->ptr) : in->len };
	*in = bytes_slice(*in, out->len + (nul != NULL), in->len);
	return true;
}

int git_cmd_mktree(struct git *g, struct args *args)
{
	struct plumb_opts o = { .zero = false };
	const struct git_parser p = { mktree_options, &o, mktree_usage, 0, NULL };
	struct making k = { .g = g, .o = &o };
	struct bytes in, line;
	bool open = false;

	git_parse(g, args, &p);
	in = file_stdin(g);
	while (next_record(&in, o.zero, &line)) {
		if (line.len == 0 && o.batch) {
			write_tree(&k);
			open = false;
			continue;
		}
		if (line.len == 0)
			git_die(g, "input format error: (blank line only valid in batch mode)");
		tree_line(&k, arena_dup(g->keep, line));
		open = true;
	}
	if (open || !o.batch)
		write_tree(&k);
	return 0;
}

/* --- mktag --- */

static const struct git_option mktag_options[] = {
	GIT_FLAG(0, "strict", struct plumb_opts, strict),
	GIT_END(),
};
static const char *const mktag_usage[] = { "git mktag", NULL };

static void say_flaw(void *arg, bool error, const char *id, const char *text)
{
	struct git *g = arg;

	if (error)
		git_error(g, "tag input does not pass fsck: %s: %s", id, text);
	else
		git_warn(g, "tag input does not pass fsck: %s: %s", id, text);
}

int git_cmd_mktag(struct git *g, struct args *args)
{
	struct plumb_opts o = { .strict = true };
	const struct git_parser p = { mktag_options, &o, mktag_usage, 0, NULL };
	struct fsck_report r = { .say = say_flaw, .arg = g };
	struct commit_text t;
	struct bytes data;
	struct oid oid;
	uint64_t size;
	enum object_type type;

	git_parse(g, args, &p);
	r.strict = o.strict;
	data = file_stdin(g);
	if (!fsck_object(g, OBJECT_TAG, data, &r))
		git_die(g, "tag on stdin did not pass our strict fsck check");
	commit_split(data, &t);
	oid_parse_bytes(t.object, &oid);
	type = object_info(g, &oid, &size);
	if (type == OBJECT_NONE)
		git_die(g, "could not read tagged object '%s'", oid_hex(g, &oid));
	if (!bytes_is(t.type, object_type_name(type)))
		git_die(g, "object '%s' tagged as '%.*s', but is a '%s' type", oid_hex(g, &oid),
			(int)t.type.len, t.type.ptr, object_type_name(type));
	object_write(g, OBJECT_TAG, data, &oid);
	git_printf(g, "%s\n", oid_hex(g, &oid));
	return 0;
}

/* --- var --- */

/* NULL: there is none that can be used. */
static const char *editor(struct git *g)
{
	const char *term = cmd_getenv(g->c, "TERM");
	const char *v = cmd_getenv(g->c, "GIT_EDITOR");

	if (v == NULL)
		v = config_get(g, "core.editor");
	if (v == NULL && term != NULL && strcmp(term, "dumb") != 0)
		v = cmd_getenv(g->c, "VISUAL");
	if (v == NULL)
		v = cmd_getenv(g->c, "EDITOR");
	if (v == NULL && (term == NULL || strcmp(term, "dumb") == 0))
		return NULL;
	return v != NULL ? v : "editor";
}

static const char *pager(struct git *g)
{
	const char *v = cmd_getenv(g->c, "GIT_PAGER");

	if (v == NULL)
		v = config_get(g, "core.pager");
	if (v == NULL)
		v = cmd_getenv(g->c, "PAGER");
	return v != NULL && v[0] != '\0' ? v : v != NULL ? "cat" : "pager";
}

static const char *variable(struct git *g, const char *name)
{
	if (strcmp(name, "GIT_COMMITTER_IDENT") == 0)
		return ident_committer(g);
	if (strcmp(name, "GIT_AUTHOR_IDENT") == 0)
		return ident_author(g);
	if (strcmp(name, "GIT_EDITOR") == 0) {
		if (editor(g) == NULL && strcmp(g->command, "var -l") != 0)
			git_die(g, "Terminal is dumb, but EDITOR unset");
		return editor(g);
	}
	if (strcmp(name, "GIT_PAGER") == 0)
		return pager(g);
	if (strcmp(name, "GIT_DEFAULT_BRANCH") == 0)
		return repo_initial_branch(g, true);
	return NULL;
}

int git_cmd_var(struct git *g, struct args *args)
{
	static const char *const usage[] = { "git var (-l | <variable>)", NULL };
	static const char *const names[] = { "GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT",
					     "GIT_EDITOR", "GIT_PAGER", "GIT_DEFAULT_BRANCH" };
	const char *v;

	if (args->argc != 1) {
		git_say(g, "usage: %s\n", usage[0]);
		return GIT_STATUS_USAGE;
	}
	if (strcmp(args->argv[0], "-l") == 0) {
		for (size_t i = 0; i < g->config->n; i++)
			git_printf(g, "%s%s%s\n", g->config->at[i].key,
				   g->config->at[i].value != NULL ? "=" : "",
				   g->config->at[i].value != NULL ? g->config->at[i].value : "");
		g->command = "var -l";
		for (size_t i = 0; i < 5; i++)
			if ((v = variable(g, names[i])) != NULL)
				git_printf(g, "%s=%s\n", names[i], v);
		return 0;
	}
	v = variable(g, args->argv[0]);
	if (v == NULL) {
		git_say(g, "usage: %s\n", usage[0]);
		return GIT_STATUS_USAGE;
	}
	git_printf(g, "%s\n", v);
	return 0;
}

/* --- cherry --- */

static int set_abbrev(struct git *g, void *opts, const char *arg, bool unset)
{
	int64_t v = unset ? OID_HEX : 0;

	if (arg != NULL && !git_number(arg, &v))
		git_die(g, "option `abbrev' expects a numerical value");
	((struct plumb_opts *)opts)->abbrev = v > OID_HEX ? OID_HEX : (int)v;
	return 0;
}

static const struct git_option cherry_options[] = {
	GIT_FLAG('v', "verbose", struct plumb_opts, verbose),
	GIT_CALL_MAYBE(0, "abbrev", set_abbrev),
	GIT_END(),
};
static const char *const cherry_usage[] = { "git cherry [-v] [<upstream> [<head> [<limit>]]]",
					    NULL };

static struct commit *need_commit(struct git *g, const char *name)
{
	struct oid o;

	if (rev_commit(g, name, &o) < 0)
		git_die(g, "unknown commit %s", name);
	return commit_at(g, &o);
}

int git_cmd_cherry(struct git *g, struct args *args)
{
	struct plumb_opts o = { .abbrev = OID_HEX };
	const struct git_parser p = { cherry_options, &o, cherry_usage, 0, NULL };
	const char *up = NULL, *why;
	char *head;
	struct revs r;
	struct commit *c, *upstream;

	git_parse(g, args, &p);
	if (args->argc > 3)
		git_usage(g, cherry_usage);
	if (args->argc > 0)
		up = args->argv[0];
	else if ((head = head_ref(g)) != NULL)
		up = rev_upstream(g, head, &why);
	if (up == NULL) {
		git_say(g, "Could not find a tracked remote branch, please specify <upstream> "
			   "manually.\n");
		git_usage(g, cherry_usage);
	}
	revs_init(g, &r);
	upstream = need_commit(g, up);
	c = need_commit(g, args->argc > 1 ? args->argv[1] : "HEAD");
	if (upstream == c)
		return 0;
	if (args->argc > 2)
		revs_add_commit(g, &r, need_commit(g, args->argv[2]), true);
	struct commit **bases;
	size_t n = merge_bases(g, upstream, c, &bases);

	for (size_t i = 0; i < n; i++)
		revs_add_commit(g, &r, bases[i], true);
	upstream->flags |= COMMIT_LEFT;
	revs_add_commit(g, &r, upstream, false);
	revs_add_commit(g, &r, c, false);
	r.right_only = r.cherry_mark = true;
	r.max_parents = 1;
	r.reverse = true;
	while ((c = revs_next(&r)) != NULL) {
		struct commit_text t;

		git_printf(g, "%c %s", c->flags & COMMIT_PATCH_SAME ? '-' : '+',
			   oid_short(g, &c->oid, o.abbrev));
		if (o.verbose) {
			commit_text(g, g->a, &c->oid, &t);
			cmd_putc(g->c, ' ');
			cmd_bytes(g->c, message_subject(g->a, t.message));
		}
		cmd_putc(g->c, '\n');
	}
	return 0;
}

/* --- stripspace --- */

static const struct git_option strip_options[] = {
	GIT_FLAG('s', "strip-comments", struct plumb_opts, strip_comments),
	GIT_FLAG('c', "comment-lines", struct plumb_opts, comment_lines),
	GIT_END(),
};
static const char *const strip_usage[] = { "git stripspace [-s | --strip-comments]",
					   "git stripspace [-c | --comment-lines]", NULL };

int git_cmd_stripspace(struct git *g, struct args *args)
{
	struct plumb_opts o = { .zero = false };
	const struct git_parser p = { strip_options, &o, strip_usage, 0, NULL };
	struct bytes in, line;

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, strip_usage);
	in = file_stdin(g);
	if (!o.comment_lines) {
		cmd_bytes(g->c, message_clean(g, in, o.strip_comments));
		return 0;
	}
	while (git_line(&in, &line)) {
		cmd_puts(g->c, line.len != 0 && line.ptr[0] != '\t' ? "# " : "#");
		cmd_bytes(g->c, line);
		cmd_putc(g->c, '\n');
	}
	return 0;
}

/* --- merge-file --- */

static const struct git_option file_options[] = {
	GIT_FLAG('p', "stdout", struct plumb_opts, to_stdout),
	GIT_FLAG(0, "diff3", struct plumb_opts, diff3),
	GIT_FLAG(0, "zdiff3", struct plumb_opts, zdiff3),
	GIT_SET(0, "ours", struct plumb_opts, favor, FAVOR_OURS),
	GIT_SET(0, "theirs", struct plumb_opts, favor, FAVOR_THEIRS),
	GIT_SET(0, "union", struct plumb_opts, favor, FAVOR_UNION),
	GIT_INT(0, "marker-size", struct plumb_opts, marker_size),
	GIT_FLAG('q', "quiet", struct plumb_opts, quiet),
	GIT_LIST('L', NULL, struct plumb_opts, labels),
	GIT_END(),
};
static const char *const file_usage[] = { "git merge-file [<options>] [-L <name1> [-L <orig> [-L "
					  "<name2>]]] <file1> <orig-file> <file2>",
					  NULL };

int git_cmd_merge_file(struct git *g, struct args *args)
{
	struct plumb_opts o = { .favor = FAVOR_NONE };
	const struct git_parser p = { file_options, &o, file_usage, 0, NULL };
	struct merge_text m = { .conflicts = 0 };
	struct bytes *text[3] = { &m.ours, &m.base, &m.theirs };

	git_parse(g, args, &p);
	if (args->argc != 3 || o.labels.n > 3)
		git_usage(g, file_usage);
	for (size_t i = 0; i < 3; i++) {
		int err = file_read(g, g->keep, path_join(g->a, g->start, args->argv[i]), text[i]);

		m.label[i] = i < o.labels.n ? o.labels.at[i] : args->argv[i];
		if (err < 0) {
			if (!o.quiet)
				git_error(g, "Could not stat %s: %s", args->argv[i], err_text(err));
			return 255;
		}
		if (lines_binary(*text[i])) {
			if (!o.quiet)
				git_error(g, "Cannot merge binary files: %s", args->argv[i]);
			return 255;
		}
	}
	m.style = o.zdiff3  ? MERGE_STYLE_ZDIFF3
		  : o.diff3 ? MERGE_STYLE_DIFF3
			    : merge_style_of(g, NULL);
	m.favor = (enum merge_favor)o.favor;
	m.marker_size = o.marker_size;
	m.punctuation = true;
	merge_text(g, g->keep, &m);
	if (o.to_stdout)
		cmd_bytes(g->c, m.result);
	else if (file_write(g, path_join(g->a, g->start, args->argv[0]), m.result, 0666) < 0)
		git_die(g, "Could not open %s for writing", args->argv[0]);
	return m.conflicts > 127 ? 127 : (int)m.conflicts;
}

/* --- merge-tree --- */

static const struct git_option merge_options[] = {
	GIT_FLAG(0, "write-tree", struct plumb_opts, write_tree),
	GIT_FLAG(0, "trivial-merge", struct plumb_opts, trivial),
	GIT_FLAG(0, "messages", struct plumb_opts, messages),
	GIT_FLAG('z', NULL, struct plumb_opts, zero),
	GIT_FLAG(0, "name-only", struct plumb_opts, name_only),
	GIT_FLAG(0, "allow-unrelated-histories", struct plumb_opts, unrelated),
	GIT_END(),
};
static const char *const merge_usage[] = {
	"git merge-tree [--write-tree] [<options>] <branch1> <branch2>",
	"git merge-tree [--trivial-merge] <base-tree> <branch1> <branch2>", NULL
};

static void show_conflicts(struct git *g, const struct plumb_opts *o, const struct merging *m)
{
	static const int order[3] = { 0, 1, 2 };
	char end = o->zero ? '\0' : '\n';

	for (size_t i = 0; i < m->n; i++) {
		const struct merge_file *f = &m->at[i];
		const char *path = o->zero ? f->path : git_quoted(g, f->path);

		if (!f->conflict)
			continue;
		if (o->name_only) {
			git_printf(g, "%s%c", path, end);
			continue;
		}
		for (int k = 0; k < 3; k++)
			if (f->mode[order[k]] != 0)
				git_printf(g, "%06o %s %d\t%s%c", f->mode[k],
					   oid_hex(g, &f->oid[k]), k + 1, path, end);
	}
}

int git_cmd_merge_tree(struct git *g, struct args *args)
{
	struct plumb_opts o = { .messages = false };
	const struct git_parser p = { merge_options, &o, merge_usage, 0, NULL };
	struct merging m = { .g = g, .lines = LINES_HISTOGRAM };
	struct commit *ours, *theirs, **bases;
	bool quiet = false;

	for (int i = 0; i < args->argc; i++)
		quiet = quiet || strcmp(args->argv[i], "--no-messages") == 0;
	git_parse(g, args, &p);
	if (o.trivial && (o.messages || o.zero || o.name_only || o.unrelated))
		git_die(g, "--trivial-merge is incompatible with all other options");
	if (args->argc == 3 && !o.write_tree)
		return merge_trivial(g, args->argv);
	if (o.zero)
		git_refuse(g, "merge-tree -z");
	if (args->argc != 2 || o.trivial)
		git_usage(g, merge_usage);
	m.ours = args->argv[0];
	m.theirs = args->argv[1];
	m.style = merge_style_of(g, NULL);
	struct oid a, b;

	for (int i = 0; i < 2; i++)
		if (rev_commit(g, args->argv[i], i == 0 ? &a : &b) < 0) {
			git_say(g, "merge-tree: %s - not something we can merge\n", args->argv[i]);
			return 1;
		}
	ours = commit_at(g, &a);
	theirs = commit_at(g, &b);
	if (merge_bases(g, ours, theirs, &bases) == 0 && !o.unrelated)
		git_die(g, "refusing to merge unrelated histories");
	merge_commits(&m, ours, theirs);
	git_printf(g, "%s\n", oid_hex(g, &m.tree));
	if (!m.clean)
		show_conflicts(g, &o, &m);
	if (o.messages || (!m.clean && !quiet)) {
		cmd_putc(g->c, '\n');
		cmd_bytes(g->c, buf_bytes(&m.messages));
	}
	return !m.clean;
}

/* --- check-attr --- */

static const struct git_option attr_options[] = {
	GIT_FLAG('a', "all", struct plumb_opts, all),
	GIT_MISSING(0, "cached"),
	GIT_FLAG(0, "stdin", struct plumb_opts, from_stdin),
	GIT_FLAG('z', NULL, struct plumb_opts, zero),
	GIT_END(),
};
static const char *const attr_usage[] = {
	"git check-attr [-a | --all | <attr>...] [--] <pathname>...",
	"git check-attr --stdin [-z] [-a | --all | <attr>...]", NULL
};

static void show_attr(struct git *g, const struct plumb_opts *o, const char *path, const char *name,
		      const char *v)
{
	const char *text = v == NULL                    ? "unspecified"
			   : strcmp(v, ATTR_TRUE) == 0  ? "set"
			   : strcmp(v, ATTR_FALSE) == 0 ? "unset"
							: v;

	if (!o->zero) {
		git_printf(g, "%s: %s: %s\n", git_quoted(g, path), name, text);
		return;
	}
	cmd_write(g->c, path, strlen(path) + 1);
	cmd_write(g->c, name, strlen(name) + 1);
	cmd_write(g->c, text, strlen(text) + 1);
}

static void attrs_of(struct git *g, const struct plumb_opts *o, char **names, int n,
		     const char *operand)
{
	struct arena_mark mark = arena_mark(g->a);
	const char *path = path_in_work(g, operand);
	struct attr_value *list;

	if (o->all) {
		size_t count = attr_all(g, path, &list);

		for (size_t i = 0; i < count; i++)
			if (list[i].value != NULL)
				show_attr(g, o, operand, list[i].name, list[i].value);
	}
	for (int i = 0; i < n; i++)
		show_attr(g, o, operand, names[i], attr_get(g, path, names[i]));
	arena_release(g->a, mark);
}

static bool attr_name_valid(const char *name)
{
	if (name[0] == '-' || name[0] == '\0')
		return false;
	for (; *name != '\0'; name++)
		if (!byte_is_alnum((unsigned char)*name) && strchr("-._", *name) == NULL)
			return false;
	return true;
}

static _Noreturn void attr_fail(struct git *g, const char *why)
{
	git_error(g, "%s", why);
	git_usage(g, attr_usage);
}

int git_cmd_check_attr(struct git *g, struct args *args)
{
	struct plumb_opts o = { .zero = false };
	const struct git_parser p = { attr_options, &o, attr_usage, GIT_KEEP_DASHDASH, NULL };
	struct bytes in, one;
	int dash = -1, n;

	git_parse(g, args, &p);
	for (int i = 0; i < args->argc && dash < 0; i++)
		if (strcmp(args->argv[i], "--") == 0)
			dash = i;
	if (o.all && dash > 0)
		attr_fail(g, "Attributes and --all both specified");
	n = o.all ? 0 : dash >= 0 ? dash : o.from_stdin ? args->argc : args->argc > 0;
	if (!o.all && n == 0)
		attr_fail(g, "No attribute specified");
	int first = dash >= 0 ? dash + 1 : n;

	if (o.from_stdin && first < args->argc)
		attr_fail(g, "Can't specify files with --stdin");
	if (!o.from_stdin && first >= args->argc)
		attr_fail(g, "No file specified");
	for (int i = 0; i < n; i++)
		if (!attr_name_valid(args->argv[i]))
			return git_error(g, "%s: not a valid attribute name", args->argv[i]) + 254;
	if (o.from_stdin) {
		in = file_stdin(g);
		while (next_record(&in, o.zero, &one))
			attrs_of(g, &o, args->argv, n, arena_dup(g->keep, one));
	}
	for (int i = first; i < args->argc; i++)
		attrs_of(g, &o, args->argv, n, args->argv[i]);
	return 0;
}
