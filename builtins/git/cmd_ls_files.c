/* SPDX-License-Identifier: MIT
 *
 * git ls-files: what the index and the work tree have.
 */
#include "builtins/git/git.h"

struct files_opts {
	bool cached, deleted, modified, others, ignored, stage, unmerged, zero, standard,
		error_unmatch, full_name, directory, tags, no_empty, valid, eol, deduplicate,
		whole_index;
	struct names exclude, exclude_from;
	const char *per_dir;
	const char *format;
	int abbrev;       /* of object names; 0: whole, -1: as short as they may be */
	const char *last; /* --deduplicate: the path that was shown last */
};

static int abbrev_option(struct git *g, void *opts, const char *arg, bool unset)
{
	int64_t n = -1;

	(void)g;
	if (unset)
		n = 0;
	else if (arg != NULL && git_number(arg, &n))
		n = n == 0 ? 0 : n < 4 ? 4 : n > OID_HEX ? OID_HEX : n;
	((struct files_opts *)opts)->abbrev = (int)n;
	return 0;
}

static const struct git_option files_options[] = {
	GIT_FLAG('c', "cached", struct files_opts, cached),
	GIT_FLAG('d', "deleted", struct files_opts, deleted),
	GIT_FLAG('m', "modified", struct files_opts, modified),
	GIT_FLAG('o', "others", struct files_opts, others),
	GIT_FLAG('i', "ignored", struct files_opts, ignored),
	GIT_FLAG('s', "stage", struct files_opts, stage),
	GIT_FLAG('u', "unmerged", struct files_opts, unmerged),
	GIT_FLAG('z', NULL, struct files_opts, zero),
	GIT_FLAG('t', NULL, struct files_opts, tags),
	GIT_FLAG('v', NULL, struct files_opts, valid),
	GIT_FLAG('f', NULL, struct files_opts, tags), /* there is no file system monitor */
	GIT_MISSING('k', "killed"),
	GIT_FLAG(0, "directory", struct files_opts, directory),
	GIT_FLAG(0, "no-empty-directory", struct files_opts, no_empty),
	GIT_FLAG(0, "exclude-standard", struct files_opts, standard),
	GIT_FLAG(0, "error-unmatch", struct files_opts, error_unmatch),
	GIT_FLAG(0, "full-name", struct files_opts, full_name),
	GIT_LIST('x', "exclude", struct files_opts, exclude),
	GIT_LIST('X', "exclude-from", struct files_opts, exclude_from),
	GIT_STR(0, "exclude-per-directory", struct files_opts, per_dir),
	GIT_FLAG(0, "eol", struct files_opts, eol),
	GIT_STR(0, "format", struct files_opts, format),
	GIT_CALL_MAYBE(0, "abbrev", abbrev_option),
	GIT_FLAG(0, "deduplicate", struct files_opts, deduplicate),
	GIT_FLAG(0, "sparse", struct files_opts, whole_index),
	GIT_MISSING(0, "resolve-undo"),
	GIT_MISSING(0, "recurse-submodules"),
	GIT_MISSING_ARG(0, "with-tree"),
	GIT_MISSING(0, "debug"),
	GIT_END(),
};
static const char *const files_usage[] = { "git ls-files [<options>] [<file>...]", NULL };

static const char *oid_text(struct git *g, const struct files_opts *o, const struct oid *oid)
{
	return o->abbrev == 0 ? oid_hex(g, oid) : oid_short(g, oid, o->abbrev < 0 ? 0 : o->abbrev);
}

static void put_path(struct git *g, const struct files_opts *o, const char *path, struct buf *out)
{
	const char *shown = o->full_name ? path : path_relative(g, path);

	buf_puts(out, o->zero ? shown : git_quoted(g, shown));
}

/* How lines end in the index, and in the work tree; "" for what is no file. */
static const char *index_ends(struct git *g, const struct entry *e)
{
	if (e == NULL || (e->mode & S_FMT) != S_REG)
		return "";
	return convert_ends(object_need(g, g->a, &e->oid, OBJECT_BLOB));
}

static const char *work_ends(struct git *g, const char *path)
{
	struct vfs_stat st;
	struct bytes data;

	if (cmd_lstat(g->c, path, &st) < 0 || (st.mode & S_FMT) != S_REG ||
	    file_read(g, g->a, path, &data) < 0)
		return "";
	return convert_ends(data);
}

static void put_ends(struct git *g, const char *path, const struct entry *e, struct buf *out)
{
	buf_printf(out, "i/%-5s w/%-5s attr/%-17s\t", index_ends(g, e), work_ends(g, path),
		   convert_attributes(g, path));
}

static void file_line(struct git *g, const struct files_opts *o, const char *path, char tag)
{
	struct buf out = buf_in(g->a);

	if (o->tags)
		buf_printf(&out, "%c ", tag);
	if (o->eol)
		put_ends(g, path, NULL, &out);
	put_path(g, o, path, &out);
	buf_putc(&out, o->zero ? '\0' : '\n');
	cmd_bytes(g->c, buf_bytes(&out));
}

/* --- --format --- */

static void put_field(struct git *g, const struct files_opts *o, const struct entry *e,
		      struct bytes name, struct buf *out)
{
	if (bytes_is(name, "objectmode"))
		buf_printf(out, "%06o", e->mode);
	else if (bytes_is(name, "objectname"))
		buf_puts(out, oid_text(g, o, &e->oid));
	else if (bytes_is(name, "stage"))
		buf_printf(out, "%u", (unsigned)e->stage);
	else if (bytes_is(name, "eolinfo:index"))
		buf_puts(out, index_ends(g, e));
	else if (bytes_is(name, "eolinfo:worktree"))
		buf_puts(out, work_ends(g, e->path));
	else if (bytes_is(name, "eolattr"))
		buf_puts(out, convert_attributes(g, e->path));
	else if (bytes_is(name, "path"))
		put_path(g, o, e->path, out);
	else
		git_die(g, "bad ls-files format: %%(%.*s)", (int)name.len, name.ptr);
}

static void put_format(struct git *g, const struct files_opts *o, const struct entry *e,
		       struct buf *out)
{
	for (const char *p = o->format; *p != '\0';) {
		size_t n = strcspn(p, "%");
		const char *end;

		buf_put(out, p, n);
		p += n;
		if (*p == '\0')
			return;
		p++;
		if (*p == '%' || *p == 'n') {
			buf_putc(out, *p++ == 'n' ? '\n' : '%');
		} else if (*p == 'x' && byte_is_xdigit((unsigned char)p[1]) &&
			   byte_is_xdigit((unsigned char)p[2])) {
			buf_putc(out, (char)(byte_digit((unsigned char)p[1]) << 4 |
					     byte_digit((unsigned char)p[2])));
			p += 3;
		} else if (*p != '(') {
			git_die(g, "bad ls-files format: element '%s' does not start with '('", p);
		} else if ((end = strchr(p, ')')) == NULL) {
			git_die(g, "bad ls-files format: element '%s' does not end in ')'", p);
		} else {
			put_field(g, o, e, (struct bytes){ p + 1, (size_t)(end - p) - 1 }, out);
			p = end + 1;
		}
	}
}

static void entry_line(struct git *g, struct files_opts *o, const struct entry *e, char tag)
{
	struct buf out = buf_in(g->a);
	bool only_name = !o->stage && !o->unmerged;

	if (o->deduplicate && only_name && !o->tags) {
		if (o->last != NULL && strcmp(o->last, e->path) == 0)
			return;
		o->last = e->path;
	}
	if (tag == 'H' && (e->xflags & ENTRY_SKIP_WORKTREE))
		tag = 'S';
	if (o->valid && (e->flags & ENTRY_VALID))
		tag = (char)byte_to_lower((unsigned char)tag);
	if (o->tags)
		buf_printf(&out, "%c ", tag);
	if (!only_name)
		buf_printf(&out, "%06o %s %u\t", e->mode, oid_text(g, o, &e->oid),
			   (unsigned)e->stage);
	if (o->eol)
		put_ends(g, e->path, e, &out);
	if (o->format != NULL)
		put_format(g, o, e, &out);
	else
		put_path(g, o, e->path, &out);
	buf_putc(&out, o->zero ? '\0' : '\n');
	cmd_bytes(g->c, buf_bytes(&out));
}

static bool in_start(struct git *g, const char *path)
{
	return git_starts(path, g->prefix);
}

static void check_ignored(struct git *g, const struct files_opts *o, bool rules)
{
	if (o->ignored && !o->others && !o->cached)
		git_die(g, "ls-files -i must be used with either -o or -c");
	if (o->ignored && !rules)
		git_die(g, "ls-files --ignored needs some exclude pattern");
}

int git_cmd_ls_files(struct git *g, struct args *args)
{
	struct files_opts o = { .cached = false };
	const struct git_parser p = { files_options, &o, files_usage, 0, NULL };
	struct index *x;
	struct pathspec ps;

	git_parse(g, args, &p);
	if (o.format != NULL &&
	    (o.stage || o.others || o.tags || o.valid || o.deduplicate || o.eol)) {
		git_say(g, "fatal: --format cannot be used with -s, -o, -k, -t, --resolve-undo, "
			   "--deduplicate, --eol\n\n");
		git_usage(g, files_usage);
	}
	o.tags = o.tags || o.valid;
	bool rules = o.standard || o.exclude.n + o.exclude_from.n != 0 || o.per_dir != NULL;

	check_ignored(g, &o, rules);
	if (!o.others || !o.standard)
		gitignore_standard(g, o.standard);
	for (size_t i = 0; i < o.exclude.n; i++)
		gitignore_add_pattern(g, o.exclude.at[i]);
	for (size_t i = 0; i < o.exclude_from.n; i++)
		gitignore_add_file(g, path_join(g->keep, g->start, o.exclude_from.at[i]));
	if (o.per_dir != NULL)
		gitignore_per_directory(g, o.per_dir);
	x = index_get(g);
	pathspec_of(g, args->argv, args->argc, &ps);
	if (!o.deleted && !o.modified && !o.others && !o.stage && !o.unmerged)
		o.cached = true;
	if (o.others) {
		struct names list = { NULL, 0, 0 };

		repo_need_work(g);
		work_untracked(g, x,
			       (o.directory ? 0u : UNTRACKED_ALL) |
				       (o.ignored ? UNTRACKED_IGNORED : 0u) |
				       (rules ? 0u : UNTRACKED_EVERYTHING),
			       &ps, &list, NULL);
		for (size_t i = 0; i < list.n; i++)
			if (ps.n != 0 || in_start(g, list.at[i]))
				file_line(g, &o, list.at[i], '?');
	}
	for (size_t i = 0; i < x->n; i++) {
		struct entry *e = &x->at[i];
		enum entry_state state;

		if ((ps.n == 0 && !in_start(g, e->path)) || !pathspec_match(g, &ps, e->path, false))
			continue;
		if (o.ignored && !o.others && !gitignore_path_deep(g, e->path, false, NULL))
			continue;
		if ((o.cached || o.stage) && !(o.unmerged && e->stage == 0))
			entry_line(g, &o, e, e->stage != 0 ? 'M' : 'H');
		else if (o.unmerged && e->stage != 0)
			entry_line(g, &o, e, 'M');
		if (!o.deleted && !o.modified)
			continue;
		state = index_check(g, x, e, NULL);
		if (o.deleted && state == ENTRY_MISSING)
			entry_line(g, &o, e, 'R');
		if (o.modified && state != ENTRY_SAME)
			entry_line(g, &o, e, 'C');
	}
	for (size_t i = 0; o.error_unmatch && i < ps.n; i++)
		if (!ps.at[i].seen) {
			git_error(g, "pathspec '%s' did not match any file(s) known to git",
				  ps.at[i].original);
			git_say(g, "Did you forget to 'git add'?\n");
			return 1;
		}
	return 0;
}
