/* SPDX-License-Identifier: MIT
 *
 * git apply: patches to files, to the index, or both. All or nothing.
 */
#include "builtins/git/apply.h"

/* Patterns in the order they are given, '+' or '-' in front. */
static int add_exclude(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)unset;
	names_add(g, &((struct apply_opts *)opts)->limits, git_format(g->keep, "-%s", arg));
	return 0;
}

static int add_include(struct git *g, void *opts, const char *arg, bool unset)
{
	struct apply_opts *o = opts;

	(void)unset;
	o->has_include = true;
	names_add(g, &o->limits, git_format(g->keep, "+%s", arg));
	return 0;
}

static const struct git_option apply_options[] = {
	GIT_CALL_ARG(0, "exclude", add_exclude),
	GIT_CALL_ARG(0, "include", add_include),
	GIT_INT('p', NULL, struct apply_opts, strip),
	GIT_FLAG(0, "stat", struct apply_opts, stat),
	GIT_FLAG(0, "numstat", struct apply_opts, numstat),
	GIT_FLAG(0, "summary", struct apply_opts, summary),
	GIT_FLAG(0, "check", struct apply_opts, check),
	GIT_FLAG(0, "index", struct apply_opts, index),
	GIT_FLAG(0, "cached", struct apply_opts, cached),
	GIT_FLAG(0, "apply", struct apply_opts, apply_anyway),
	GIT_FLAG('3', "3way", struct apply_opts, three_way),
	GIT_INT('C', NULL, struct apply_opts, context),
	GIT_STR(0, "whitespace", struct apply_opts, whitespace),
	GIT_FLAG('R', "reverse", struct apply_opts, reverse),
	GIT_FLAG(0, "unidiff-zero", struct apply_opts, unidiff_zero),
	GIT_FLAG(0, "reject", struct apply_opts, reject),
	GIT_FLAG(0, "recount", struct apply_opts, recount),
	GIT_FLAG(0, "ignore-whitespace", struct apply_opts, ignore_space),
	GIT_FLAG(0, "ignore-space-change", struct apply_opts, ignore_space),
	GIT_FLAG('v', "verbose", struct apply_opts, verbose),
	GIT_FLAG('q', "quiet", struct apply_opts, quiet),
	GIT_STR(0, "directory", struct apply_opts, directory),
	GIT_FLAG(0, "allow-empty", struct apply_opts, allow_empty),
	/* Binary changes are always applied. */
	GIT_FLAG(0, "binary", struct apply_opts, binary),
	GIT_FLAG(0, "allow-binary-replacement", struct apply_opts, binary),
	GIT_END(),
};
static const char *const apply_usage[] = { "git apply [<options>] [<patch>...]", NULL };

static void reverse_all(struct applying *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct file_patch *f = &p->at[i];
		char *name = f->name[0];
		uint32_t mode = f->mode[0];
		bool fresh = f->is_new;
		size_t added = f->added;

		f->name[0] = f->name[1];
		f->name[1] = name;
		f->mode[0] = f->mode[1];
		f->mode[1] = mode;
		f->is_new = f->is_delete;
		f->is_delete = fresh;
		f->added = f->deleted;
		f->deleted = added;
		struct binary_hunk bin = f->bin[0];
		struct oid blob = f->blob[0];

		f->bin[0] = f->bin[1];
		f->bin[1] = bin;
		f->blob[0] = f->blob[1];
		f->blob[1] = blob;
		for (size_t k = 0; k < f->n; k++) {
			struct hunk *h = &f->hunk[k];
			size_t from = h->from[0], count = h->count[0];

			h->from[0] = h->from[1];
			h->count[0] = h->count[1];
			h->from[1] = from;
			h->count[1] = count;
			for (size_t j = 0; j < h->n; j++)
				h->at[j].sign = h->at[j].sign == '+'   ? '-'
						: h->at[j].sign == '-' ? '+'
								       : ' ';
		}
	}
}

/* --- files --- */

static bool load_old(struct applying *p, struct file_patch *f, struct bytes *text, uint32_t *mode)
{
	struct git *g = p->g;
	const char *name = f->name[0];
	struct vfs_stat st;
	struct entry *e = NULL;

	/* An earlier part of the patch may have made it. */
	for (size_t i = 0; &p->at[i] != f; i++)
		if (p->at[i].name[1] != NULL && strcmp(p->at[i].name[1], name) == 0) {
			*text = p->at[i].result;
			*mode = p->at[i].result_mode;
			return true;
		}
	if (p->o.index || p->o.cached) {
		e = index_find(index_get(g), name);
		if (e == NULL) {
			git_error(g, "%s: does not exist in index", name);
			return false;
		}
	}
	if (p->o.cached) {
		*mode = e->mode;
		return object_read(g, g->keep, &e->oid, text) == OBJECT_BLOB;
	}
	if (cmd_lstat(g->c, name, &st) < 0) {
		git_error(g, "%s: %s", name, err_text(-E_NOENT));
		return false;
	}
	if (p->o.index && index_check(g, index_get(g), e, NULL) != ENTRY_SAME) {
		git_error(g, "%s: does not match index", name);
		return false;
	}
	*mode = work_mode(g, &st, e);
	if (g->dir != NULL)
		return work_read(g, g->keep, name, *mode, text) >= 0;
	return file_read(g, g->keep, name, text) == 0;
}

static bool gone_before(const struct applying *p, const struct file_patch *f, const char *name)
{
	for (size_t i = 0; &p->at[i] != f; i++)
		if (p->at[i].name[0] != NULL && strcmp(p->at[i].name[0], name) == 0 &&
		    (p->at[i].name[1] == NULL || p->at[i].is_rename))
			return true;
	return false;
}

/* Whether a directory on the way is a symbolic link. */
static bool through_link(struct git *g, const char *path)
{
	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char *part = git_format(g->a, "%.*s", (int)(p - path), path);
		struct vfs_stat st;

		if (cmd_lstat(g->c, part, &st) == 0 && (st.mode & S_FMT) == S_LNK)
			return true;
	}
	return false;
}

static bool in_the_way(struct applying *p, const char *name)
{
	struct git *g = p->g;
	const struct entry *e = p->o.index || p->o.cached ? index_find(index_get(g), name) : NULL;

	if (e != NULL && !(e->xflags & ENTRY_INTENT))
		return true;
	return !p->o.cached && !through_link(g, name) && file_exists(g, name);
}

static void say_exists(struct applying *p, const struct file_patch *f)
{
	struct git *g = p->g;

	if ((p->o.index || p->o.cached) && index_has(index_get(g), f->name[1]))
		git_error(g, "%s: already exists in index", f->name[1]);
	else
		git_error(g, "%s: already exists in working directory", f->name[1]);
}

/* --- three ways --- */

/* The file the patch was made from, and the one it made. False: it is not here. */
static bool patch_sides(struct applying *p, struct file_patch *f, struct bytes *base,
			struct bytes *theirs)
{
	struct git *g = p->g;
	struct file_patch copy = *f;
	bool quiet = p->o.quiet;
	struct oid o;
	bool good;

	if (f->name[0] == NULL)
		*base = BYTES("");
	else if (f->blob_prefix == NULL || oid_complete(g, f->blob_prefix, OBJECT_BLOB, &o) != 0 ||
		 object_read(g, g->keep, &o, base) != OBJECT_BLOB) {
		git_error(g, "repository lacks the necessary blob to perform 3-way merge.");
		return false;
	}
	p->o.quiet = true;
	good = f->binary
		       ? apply_binary(p, &copy, f->name[0], *base)
		       : apply_hunks(p, &copy, f->name[0] != NULL ? f->name[0] : f->name[1], *base);
	p->o.quiet = quiet;
	*theirs = copy.result;
	return good;
}

static void put_stages(struct applying *p, struct file_patch *f, struct bytes base,
		       struct bytes ours, struct bytes theirs)
{
	struct git *g = p->g;

	object_write(g, OBJECT_BLOB, base, &f->stage[0]);
	object_write(g, OBJECT_BLOB, ours, &f->stage[1]);
	object_write(g, OBJECT_BLOB, theirs, &f->stage[2]);
}

/* A file that the patch makes and that is there already. */
static bool meet_existing(struct applying *p, const struct file_patch *f, struct bytes *text,
			  uint32_t *mode)
{
	struct git *g = p->g;
	struct entry *e = index_find(index_get(g), f->name[1]);

	if (e == NULL)
		return false;
	*mode = e->mode;
	return object_read(g, g->keep, &e->oid, text) == OBJECT_BLOB;
}

static bool three_way(struct applying *p, struct file_patch *f, const char *name, struct bytes ours,
		      uint32_t mode, bool exists)
{
	struct git *g = p->g;
	struct merge_text m = { .label = { "ours", "base", "theirs" },
				.style = merge_style_of(g, NULL) };
	bool good = f->name[1] != NULL && (f->name[0] != NULL || exists) && !f->is_rename &&
		    !f->is_copy && patch_sides(p, f, &m.base, &m.theirs);

	if (good && exists && !meet_existing(p, f, &ours, &mode))
		good = false;
	if (!good) {
		if (!p->o.quiet)
			git_say(g, "Falling back to direct application...\n");
		return false;
	}
	if (exists && !p->o.quiet)
		git_say(g, "Performing three-way merge...\n");
	m.ours = ours;
	m.base = exists ? BYTES("") : m.base;
	merge_text(g, g->keep, &m);
	f->result = m.result;
	if (bytes_eq(ours, m.base))
		f->result = m.theirs;
	else if (bytes_eq(ours, m.theirs))
		f->result = ours;
	f->conflict = m.conflicts != 0 && !bytes_eq(ours, m.base) && !bytes_eq(ours, m.theirs);
	f->result_mode = f->mode[1] != 0 ? f->mode[1] : mode;
	if (f->conflict)
		put_stages(p, f, m.base, m.ours, m.theirs);
	f->no_base = exists;
	if (!p->o.quiet)
		git_say(g,
			f->conflict ? "Applied patch to '%s' with conflicts.\n"
				    : "Applied patch to '%s' cleanly.\n",
			name);
	return true;
}

/* As messages have it: "OLD => NEW" where the name changes. */
static const char *shown_name(struct git *g, const struct file_patch *f)
{
	const char *a = f->name[0] != NULL ? f->name[0] : f->name[1];
	const char *b = f->name[1] != NULL ? f->name[1] : f->name[0];

	return strcmp(a, b) == 0 ? a : git_format(g->a, "%s => %s", a, b);
}

static bool check_file(struct applying *p, struct file_patch *f)
{
	struct git *g = p->g;
	struct bytes text = { "", 0 };
	uint32_t mode = MODE_FILE;
	const char *name = f->name[0] != NULL ? f->name[0] : f->name[1];

	if (p->o.verbose)
		git_say(g, "Checking patch %s...\n", shown_name(g, f));
	if (f->name[0] != NULL && !load_old(p, f, &text, &mode))
		return false;
	bool exists = f->name[1] != NULL &&
		      (f->name[0] == NULL || strcmp(f->name[0], f->name[1]) != 0) &&
		      !gone_before(p, f, f->name[1]) && in_the_way(p, f->name[1]);

	if (exists && !p->o.three_way) {
		say_exists(p, f);
		return false;
	}
	for (int k = 0; k < 2; k++)
		if (f->name[k] != NULL && !path_safe(f->name[k])) {
			git_error(g, "invalid path '%s'", f->name[k]);
			git_exit(g, GIT_STATUS_FATAL);
		}
	if (f->name[1] != NULL && through_link(g, f->name[1])) {
		git_error(g, "affected file '%s' is beyond a symbolic link", f->name[1]);
		return false;
	}
	if (p->o.three_way && three_way(p, f, name, text, mode, exists))
		return true;
	if (exists) {
		say_exists(p, f);
		return false;
	}
	if (f->binary && !apply_binary(p, f, name, text)) {
		git_error(g, "%s: patch does not apply", name);
		return false;
	}
	if (!f->binary && !apply_hunks(p, f, name, text))
		return false;
	f->result_mode = f->mode[1] != 0 ? f->mode[1] : mode;
	return true;
}

static void say_applied(struct applying *p, const struct file_patch *f)
{
	if (p->o.verbose || p->o.reject)
		git_say(p->g, "Applied patch %s cleanly.\n", shown_name(p->g, f));
}

static _Noreturn void cannot_write(struct applying *p, const struct file_patch *f, int err)
{
	git_error(p->g, "unable to write file '%s' mode %o: %s", f->name[1],
		  (unsigned)f->result_mode, err_text(err));
	git_exit(p->g, GIT_STATUS_FATAL);
}

static bool takes_away(const struct applying *p, const char *path)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];

		if (!f->failed && f->name[0] != NULL && !f->is_copy &&
		    strcmp(f->name[0], path) == 0 &&
		    (f->name[1] == NULL || strcmp(f->name[1], path) != 0))
			return true;
	}
	return false;
}

/* A file where a directory has to be stays, and nothing is done. */
static void check_places(struct applying *p)
{
	struct git *g = p->g;

	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];
		const char *path = f->failed || f->name[1] == NULL ? NULL
								   : work_in_the_way(g, f->name[1]);

		cmd_charge(g->c, path != NULL ? p->n : 1);
		if (path != NULL && !takes_away(p, path))
			cannot_write(p, f, -E_NOTDIR);
	}
}

static void write_files(struct applying *p, bool rejected)
{
	struct git *g = p->g;
	struct index *x = p->o.index || p->o.cached ? index_get(g) : NULL;

	if (!p->o.cached)
		check_places(p);

	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];

		if (f->failed || f->name[0] == NULL || f->is_copy ||
		    (f->name[1] != NULL && strcmp(f->name[0], f->name[1]) == 0))
			continue;
		if (x != NULL)
			index_remove(x, f->name[0]);
		if (!p->o.cached)
			work_remove(g, f->name[0]);
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];
		struct vfs_stat st;
		struct oid o;

		if (f->failed)
			continue;
		if (f->name[1] == NULL) {
			say_applied(p, f);
			continue;
		}
		if (!p->o.cached && !work_write_bytes(g, f->name[1], f->result_mode, f->result))
			git_exit(g, GIT_STATUS_FATAL);
		if (f->rejects != 0)
			apply_write_rejects(p, f);
		else
			say_applied(p, f);
		if (x == NULL)
			continue;
		if (f->conflict) {
			index_remove(x, f->name[1]);
			for (unsigned k = f->no_base ? 1 : 0; k < 3; k++)
				index_put_stage(x, f->name[1], f->result_mode, &f->stage[k], k + 1);
			continue;
		}
		object_write(g, OBJECT_BLOB, f->result, &o);
		struct entry *e = index_put(x, f->name[1], f->result_mode, &o);

		if (!p->o.cached && cmd_lstat(g->c, f->name[1], &st) == 0)
			index_stat(g, e, &st);
	}
	/* After a rejection the index stays as it was. */
	if (x != NULL && !rejected)
		index_write(g, x);
}

static const char *stat_name(const struct file_patch *f)
{
	return f->name[1] != NULL ? f->name[1] : f->name[0];
}

static void put_stat(struct applying *p, struct buf *out)
{
	size_t added = 0, deleted = 0, width = 0, most = 0, digits;

	for (size_t i = 0; i < p->n; i++) {
		size_t w = strlen(stat_name(&p->at[i]));
		size_t total = p->at[i].added + p->at[i].deleted;

		width = w > width ? w : width;
		most = total > most ? total : most;
		added += p->at[i].added;
		deleted += p->at[i].deleted;
	}
	digits = git_digits(most);
	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];
		size_t a = f->added, d = f->deleted, total = a + d;

		if (most > 60) {
			a = a * 60 / most;
			d = total * 60 / most - a;
		}
		buf_printf(out, " %-*s |", (int)(width < 50 ? width : 50), stat_name(f));
		if (f->binary) {
			buf_puts(out, "  Bin\n");
			continue;
		}
		buf_printf(out, " %*zu ", digits < 4 ? 4 : (int)digits, total);
		buf_fill(out, '+', a);
		buf_fill(out, '-', d);
		buf_putc(out, '\n');
	}
	buf_printf(out, " %zu file%s changed", p->n, p->n == 1 ? "" : "s");
	if (added != 0 || deleted == 0)
		buf_printf(out, ", %zu insertion%s(+)", added, added == 1 ? "" : "s");
	if (deleted != 0 || added == 0)
		buf_printf(out, ", %zu deletion%s(-)", deleted, deleted == 1 ? "" : "s");
	buf_putc(out, '\n');
}

static void put_summary(struct applying *p, const struct file_patch *f, struct buf *out)
{
	bool mode = f->mode[0] != 0 && f->mode[1] != 0 && f->mode[0] != f->mode[1];

	if (f->is_new) {
		buf_printf(out, " create mode %06o %s\n", f->mode[1], f->name[1]);
	} else if (f->is_delete) {
		buf_printf(out, " delete mode %06o %s\n", f->mode[0], f->name[0]);
	} else if (f->is_rename || f->is_copy) {
		buf_printf(out, " %s ", f->is_rename ? "rename" : "copy");
		diff_put_renamed(p->g, out, f->name[0], f->name[1]);
		buf_printf(out, " (%d%%)\n", f->similarity);
		if (mode)
			buf_printf(out, " mode change %06o => %06o\n", f->mode[0], f->mode[1]);
	} else if (mode) {
		buf_printf(out, " mode change %06o => %06o %s\n", f->mode[0], f->mode[1],
			   f->name[1]);
	}
}

static void show(struct applying *p)
{
	struct git *g = p->g;
	struct buf out = buf_in(g->a);

	if (p->o.stat)
		put_stat(p, &out);
	for (size_t i = 0; p->o.numstat && i < p->n; i++) {
		const struct file_patch *f = &p->at[i];
		const char *name = git_quoted(g, stat_name(f));

		if (f->binary)
			buf_printf(&out, "-\t-\t%s\n", name);
		else
			buf_printf(&out, "%zu\t%zu\t%s\n", f->added, f->deleted, name);
	}
	for (size_t i = 0; p->o.summary && i < p->n; i++)
		put_summary(p, &p->at[i], &out);
	cmd_bytes(g->c, buf_bytes(&out));
}

bool apply_takes(const struct applying *p, const struct file_patch *f)
{
	const char *name = f->name[1] != NULL ? f->name[1] : f->name[0];

	/* What is outside of the directory we are in is left alone. */
	if (!git_starts(name, p->g->prefix))
		return false;
	for (size_t i = 0; i < p->o.limits.n; i++)
		if (wild_match(p->o.limits.at[i] + 1, bytes_of(name), 0))
			return p->o.limits.at[i][0] == '+';
	return !p->o.has_include;
}

/* Lists files whose merge has conflicts: whether there are some. */
static bool show_conflicts(struct applying *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		if (!p->at[i].conflict)
			continue;
		any = true;
		if (!p->o.quiet)
			git_say(p->g, "U %s\n", p->at[i].name[1]);
	}
	return any;
}

/* What was read, put to work: the exit status. */
static int apply_all(struct applying *p)
{
	bool only_show = (p->o.stat || p->o.numstat || p->o.summary) && !p->o.apply_anyway;
	bool good = true, rejected = false;
	size_t kept = 0;

	if (p->o.reverse)
		reverse_all(p);
	for (size_t i = 0; i < p->n; i++)
		if (apply_takes(p, &p->at[i]))
			p->at[kept++] = p->at[i];
	p->n = kept;
	bool tries = p->o.check || (!only_show && !apply_space_stops(p));

	for (size_t i = 0; i < p->n && tries; i++) {
		p->at[i].failed = !check_file(p, &p->at[i]);
		rejected = rejected || p->at[i].failed || p->at[i].rejects != 0;
		good = good && !p->at[i].failed;
	}
	if (!good && !p->o.reject)
		return 1;
	bool writes = !only_show && !p->o.check && !apply_space_stops(p);

	if (writes)
		write_files(p, rejected);
	if (rejected && writes)
		return 1;
	show(p);
	apply_space_sum(p, writes);
	if (apply_space_stops(p))
		return GIT_STATUS_FATAL;
	return show_conflicts(p) ? 1 : 0;
}

bool apply_text(struct git *g, struct bytes patch, unsigned flags)
{
	struct applying p = { .g = g,
			      .o = { .strip = 1,
				     .context = -1,
				     .cached = (flags & APPLY_CACHED) != 0,
				     .reverse = (flags & APPLY_REVERSE) != 0,
				     .check = (flags & APPLY_CHECK) != 0,
				     .recount = (flags & APPLY_RECOUNT) != 0,
				     .quiet = (flags & APPLY_SILENT) != 0 } };
	char *prefix = g->prefix;
	int status;

	apply_read(&p, patch);
	g->prefix = arena_dup(g->a, BYTES(""));
	status = apply_all(&p);
	g->prefix = prefix;
	return status == 0;
}

static void check_options(struct applying *p)
{
	struct git *g = p->g;

	if (p->o.reject && p->o.three_way) {
		git_error(g, "options '%s' and '%s' cannot be used together", "--reject", "--3way");
		git_exit(g, GIT_STATUS_FATAL);
	}
	if (p->o.three_way && g->dir == NULL)
		git_die(g, "'%s' outside a repository", "--3way");
	if (p->o.three_way && !p->o.cached)
		p->o.index = true;
	if (p->o.cached)
		p->o.index = false;
	if (p->o.reject) {
		p->o.apply_anyway = true;
		p->o.verbose = !p->o.quiet;
	}
	if ((p->o.index || p->o.cached) && g->dir == NULL)
		git_die(g, "'%s' outside a repository", p->o.index ? "--index" : "--cached");
}

static void set_space_mode(struct applying *p)
{
	const struct apply_opts *o = &p->o;
	const char *word = o->whitespace != NULL ? o->whitespace
						 : config_get(p->g, "apply.whitespace");
	bool looks = (o->stat || o->numstat || o->summary || o->check) && !o->apply_anyway;

	if (word == NULL)
		word = looks ? "nowarn" : "warn";
	apply_space_mode(p, word, o->whitespace != NULL ? GIT_STATUS_USAGE : GIT_STATUS_FATAL);
}

/* What messages call a patch; am's own is named as seen from the top of the work tree. */
static const char *source_name(struct git *g, const char *arg)
{
	if (strcmp(arg, "-") == 0)
		return "<stdin>";
	if (g->work != NULL && git_starts(arg, g->work) &&
	    git_ends(arg, "/.git/rebase-apply/patch"))
		return ".git/rebase-apply/patch";
	return arg;
}

static bool only_looks(const struct apply_opts *o)
{
	return (o->stat || o->numstat || o->summary || o->check) && !o->apply_anyway;
}

int git_cmd_apply(struct git *g, struct args *args)
{
	struct applying p = { .g = g, .o = { .strip = 1, .context = -1 } };
	const struct git_parser parser = { apply_options, &p.o, apply_usage, 0, NULL };

	git_parse(g, args, &parser);
	check_options(&p);
	set_space_mode(&p);
	for (int i = 0; i < args->argc || i == 0; i++) {
		struct bytes text;
		int err = 0;

		if (args->argc == 0 || strcmp(args->argv[i], "-") == 0)
			text = file_stdin(g);
		else
			err = file_read(g, g->keep, path_join(g->a, g->start, args->argv[i]),
					&text);
		if (err < 0) {
			git_error(g, "can't open patch '%s': %s", args->argv[i], err_text(err));
			return GIT_STATUS_FATAL;
		}
		p.source = source_name(g, args->argc != 0 ? args->argv[i] : "-");
		apply_read(&p, text);
		/* What is only looked at is shown file by file. */
		if (only_looks(&p.o) && i + 1 < args->argc && p.n != 0) {
			int status = apply_all(&p);

			if (status != 0)
				return status;
			p.n = 0;
		}
	}
	if (p.n == 0 && !p.o.allow_empty) {
		git_error(g, "No valid patches in input (allow with \"--allow-empty\")");
		return GIT_STATUS_FATAL;
	}
	return apply_all(&p);
}
