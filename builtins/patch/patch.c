/* SPDX-License-Identifier: MIT
 *
 * patch - the choice of files, and what is said.
 */
#include "builtins/date_parse.h"
#include "builtins/patch/patch.h"

/* A file that was patched before in this run: its backup is there, its rejects go on. */
enum { OUTPUT_MODE = 0600 }; /* of what -o names */
struct done {
	struct done *next;
	const char *path;
	bool kept;
	bool rejected;
	bool written;
	bool saved; /* `original` is what a git patch found here: its renames and copies go by that
		     */
	struct bytes original;
};

struct job {
	struct cmd *c;
	struct done *dones;
	struct patch_opts *o;
	struct patch_text text;
	struct patch_file file;
	const char *path; /* what is patched */
	const char *output;
	bool exists;
	struct vfs_stat st;
	bool reverse;
	bool link;     /* what is patched is the target of a symbolic link */
	bool already;  /* the file has its new name */
	bool torn;     /* what was to be deleted is left */
	bool put_once; /* -o: something was written */
	struct output result;
	bool no_rejects;
	bool skip;     /* the rest of this file's hunks */
	bool conflict; /* --merge left marks */
	bool inexact;  /* a hunk was found elsewhere, or not */
	size_t failed;
	struct buf rejects;
	struct buf removed; /* --verbose: said at the end */
};

static const char *quoted(struct job *j, const char *name)
{
	struct buf out = buf_in(j->c->arena);

	quote_put(&out, bytes_of(name), j->o->quoting, "", false);
	return buf_cstr(&out);
}

/* --- questions --- */

/* A question that nobody is there to answer. */
static void ask(struct job *j, const char *question)
{
	cmd_printf(j->c, "%s \n", question);
}

static void cannot_find(struct job *j)
{
	const struct patch_file *f = &j->file;

	cmd_printf(j->c, "can't find file to patch at input line %zu\n", f->intro_to + 1);
	if (f->intro_to > f->intro_from && f->format != PATCH_ED)
		cmd_puts(j->c, j->o->strip < 0
				       ? "Perhaps you should have used the -p or --strip option?\n"
				       : "Perhaps you used the wrong -p or --strip option?\n");
}

static void show_intro(struct job *j)
{
	const struct patch_file *f = &j->file;

	cmd_puts(j->c, "The text leading up to this was:\n--------------------------\n");
	for (size_t i = f->intro_from; i < f->intro_to; i++) {
		cmd_putc(j->c, '|');
		cmd_bytes(j->c, j->text.line[i]);
		cmd_putc(j->c, '\n');
	}
	cmd_puts(j->c, "--------------------------\n");
}

/* --- questions about the whole file --- */

/* Something is the wrong way round. True: reverse it. */
static bool ask_reverse(struct job *j, const char *what)
{
	cmd_puts(j->c, what);
	if (j->o->forward || j->o->merge != PATCH_NO_MERGE) {
		cmd_puts(j->c, "  Skipping patch.\n");
		j->skip = true;
		return false;
	}
	if (j->o->force) {
		cmd_puts(j->c, "  Applying it anyway.\n");
		return false;
	}
	if (j->o->batch) {
		cmd_puts(j->c, j->reverse ? "  Ignoring -R.\n" : "  Assuming -R.\n");
		return true;
	}
	ask(j, j->reverse ? "  Ignore -R? [n]" : "  Assume -R? [n]");
	ask(j, "Apply anyway? [n]");
	if (!j->o->silent)
		cmd_puts(j->c, "Skipping patch.\n");
	j->skip = true;
	return false;
}

static void turn(struct job *j)
{
	j->reverse = !j->reverse;
	for (size_t i = 0; i < j->file.nhunks; i++)
		patch_reverse(j->c, &j->file.hunk[i]);
}

/* A patch that makes a file that is there, or deletes one that is not. */
static void check_existence(struct job *j)
{
	struct buf text = buf_in(j->c->arena);
	bool empty = !j->exists || j->st.size == 0;
	int says = j->file.says[j->reverse != empty];

	bool fits = j->exists && empty && j->file.nhunks == 0;

	if (j->skip || says == 0 || (!empty && says == 1) || fits)
		return;
	buf_printf(&text, "The next patch%s would %s the file %s,\nwhich %s!",
		   j->reverse ? ", when reversed," : "",
		   !empty      ? "create"
		   : j->exists ? "empty out"
			       : "delete",
		   quoted(j, j->path),
		   !empty      ? "already exists"
		   : j->exists ? "is already empty"
			       : "does not exist");
	if (ask_reverse(j, buf_cstr(&text)))
		turn(j);
	j->no_rejects = j->skip;
}

static struct done *done_of(struct job *j, const char *path)
{
	struct done *d = j->dones;

	while (d != NULL && strcmp(d->path, path) != 0)
		d = d->next;
	if (d == NULL) {
		d = arena_zalloc(j->c->arena, sizeof(*d));
		d->path = arena_dup(j->c->arena, bytes_of(path));
		d->next = j->dones;
		j->dones = d;
	}
	return d;
}

/* --- hunks --- */

static void read_target(struct job *j, struct patch_target *t)
{
	struct bytes all = BYTES("");
	struct done *d = done_of(j, j->path);
	int err = 0;
	size_t n = 0;

	if (j->file.rename_from != NULL && d->saved && !j->already)
		all = d->original;
	else if (j->link && j->exists && !j->skip)
		err = cmd_readlink(j->c, CMD_CWD, j->path, &all);
	else if (j->exists && !j->skip)
		err = cmd_read_all(j->c, j->path, &all);

	if (err < 0)
		cmd_fatal(j->c, err, "**** Can't open file %s", j->path);
	*t = (struct patch_target){ .c = j->c, .define = j->o->define };
	t->must_be_new = j->file.says[j->reverse] == 2;
	t->out = buf_in(j->c->arena);
	t->unended = all.len > 0 && all.ptr[all.len - 1] != '\n';
	for (size_t i = 0; i < all.len; i++)
		n += all.ptr[i] == '\n';
	t->n = n + t->unended;
	t->line = arena_array(j->c->arena, t->n + 1, sizeof(*t->line));
	for (size_t i = 0, at = 0; i < t->n; i++) {
		const char *hit = memchr(all.ptr + at, '\n', all.len - at);
		size_t to = hit != NULL ? (size_t)(hit - all.ptr) : all.len;

		t->line[i] = bytes_slice(all, at, to);
		at = to + 1;
	}
	cmd_charge_bytes(j->c, all.len);
}

/* The text's last line has no newline, and is asked for. */
static void say_cut(struct job *j, bool asked)
{
	if (asked && j->text.unended && !j->text.said_unended) {
		cmd_puts(j->c, PATCH_CUT);
		j->text.said_unended = true;
	}
}

static size_t find_hunk(struct job *j, struct patch_target *t, size_t i, size_t *fuzz)
{
	struct patch_hunk *h = &j->file.hunk[i];
	size_t before, after;
	size_t context = patch_context(h, &before, &after);
	size_t limit = j->o->fuzz < context ? (size_t)j->o->fuzz : context;

	for (*fuzz = 0; *fuzz <= limit && !j->skip; ++*fuzz) {
		size_t where = patch_locate(t, j->o, h, *fuzz);

		if (where != 0)
			return where;
		if (i > 0 || j->o->force || j->reverse != j->o->reverse)
			continue;
		patch_reverse(j->c, h);
		where = patch_locate(t, j->o, h, *fuzz);
		patch_reverse(j->c, h);
		if (where != 0 &&
		    ask_reverse(j, j->reverse
					   ? "Unreversed patch detected!"
					   : "Reversed (or previously applied) patch detected!")) {
			turn(j);
			j->inexact = true;
			return where;
		}
		t->offset = where != 0 ? 0 : t->offset;
	}
	return 0;
}

static void say_found(struct job *j, size_t number, int64_t where, size_t fuzz, int64_t offset)
{
	if (!j->o->verbose && (j->o->silent || (fuzz == 0 && offset == 0)))
		return;
	cmd_printf(j->c, "Hunk #%zu succeeded at %lld", number, (long long)where);
	if (fuzz > 0)
		cmd_printf(j->c, " with fuzz %zu", fuzz);
	if (offset != 0)
		cmd_printf(j->c, " (offset %lld line%s)", (long long)offset,
			   offset == 1 ? "" : "s");
	cmd_puts(j->c, ".\n");
}

/* The hunk's first old line ends as no line of the file does. */
static bool other_line_ends(const struct patch_target *t, const struct patch_hunk *h)
{
	int64_t where = (int64_t)h->old_first + t->offset;
	size_t i = 0;

	while (i < h->n && h->line[i].kind == '+')
		i++;
	if (i == h->n || where < 1 || where > (int64_t)t->n)
		return false;
	return bytes_ends(h->line[i].text, BYTES("\r")) !=
	       bytes_ends(t->line[where - 1], BYTES("\r"));
}

/* --merge: a hunk that fits exactly says nothing. */
static void merge_hunk(struct job *j, struct patch_target *t, size_t i)
{
	struct patch_merged merged;

	patch_merge(t, j->o, &j->file.hunk[i], &merged);
	j->conflict |= merged.conflict;
	j->inexact |= !merged.plain || t->offset != 0;
	if (merged.places.len > 0 &&
	    (j->o->verbose || merged.conflict || (!j->o->silent && !merged.plain))) {
		cmd_printf(j->c, "Hunk #%zu", i + 1);
		cmd_bytes(j->c, buf_bytes(&merged.places));
		cmd_puts(j->c, ".\n");
	}
}

static void apply_hunks(struct job *j, struct patch_target *t)
{
	int64_t grown = 0;

	for (size_t i = 0; i < j->file.nhunks; i++) {
		struct patch_hunk *h = &j->file.hunk[i];
		size_t fuzz = 0;
		say_cut(j, j->file.torn == i + 1);
		if (j->o->merge != PATCH_NO_MERGE && !j->skip) {
			merge_hunk(j, t, i);
			continue;
		}
		size_t where = j->skip ? 0 : find_hunk(j, t, i, &fuzz);

		h = &j->file.hunk[i];
		if (where == 0) {
			int64_t at = (int64_t)h->old_first + grown;

			if (j->skip && j->o->verbose)
				cmd_printf(j->c, "Hunk #%zu ignored at %lld.\n", i + 1,
					   (long long)at);
			if (!j->skip && (!j->o->silent || j->o->verbose))
				cmd_printf(
					j->c, "Hunk #%zu FAILED at %lld%s.\n", i + 1, (long long)at,
					other_line_ends(t, h) ? " (different line endings)" : "");
			patch_put_reject(&j->rejects, &j->file, h,
					 (enum patch_format)j->o->reject_format, j->reverse, grown);
			j->failed++;
			j->inexact = true;
			continue;
		}
		patch_apply(t, h, where);
		j->inexact |= fuzz > 0 || t->offset != 0;
		say_found(j, i + 1, (int64_t)where + grown, fuzz, t->offset);
		grown += (int64_t)h->new_count - (int64_t)h->old_count;
	}
	say_cut(j, j->file.torn == j->file.nhunks + 1);
	patch_finish(t);
}

/* --- files --- */

static void make_parents(struct cmd *c, const char *path)
{
	for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/'))
		cmd_mkdir(c, CMD_CWD,
			  arena_dup(c->arena, (struct bytes){ path, (size_t)(at - path) }), 0777);
}

static void remove_parents(struct cmd *c, const char *path)
{
	for (const char *at = strrchr(path, '/'); at != NULL && at > path;
	     at = strrchr(path, '/')) {
		path = arena_dup(c->arena, (struct bytes){ path, (size_t)(at - path) });
		if (cmd_unlink(c, CMD_CWD, path, CMD_REMOVEDIR) != 0)
			return;
	}
}

static void append_file(struct cmd *c, const char *path, struct bytes text)
{
	struct output out;
	int err = output_open(&out, c, path, O_APPEND_, false);

	if (err < 0)
		cmd_fatal(c, err, "**** Can't create file %s", path);
	output_write(&out, text.ptr, text.len);
	output_close(&out);
}

static void write_file(struct cmd *c, const char *path, struct bytes text, uint32_t mode)
{
	struct output out;

	make_parents(c, path);
	int err = output_open(&out, c, path, O_TRUNC_, false);

	if (err < 0)
		cmd_fatal(c, err, "**** Can't create file %s", path);
	output_write(&out, text.ptr, text.len);
	output_close(&out);
	if (mode != 0)
		cmd_chmod(c, CMD_CWD, path, mode & 07777, 0);
}

/* What was there stays until all of the new file is written. */
static void replace_file(struct cmd *c, const char *path, struct bytes text, uint32_t mode)
{
	enum { NAME_LONG = 240 }; /* leaves room for what is added */
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL ? slash + 1 : path;
	struct buf temp = buf_in(c->arena);

	make_parents(c, path);
	buf_put(&temp, path, (size_t)(base - path));
	buf_printf(&temp, "%.*s.o%06llx", NAME_LONG, base,
		   (unsigned long long)(cmd_random(c) & 0xffffff));

	struct output out;
	int err = output_open(&out, c, buf_cstr(&temp), O_EXCL_, false);

	if (err < 0)
		cmd_fatal(c, err, "**** Can't create temporary file %s ", temp.ptr);
	out.drop = temp.ptr;
	output_write(&out, text.ptr, text.len);
	output_close(&out);
	if (mode != 0)
		cmd_chmod(c, CMD_CWD, temp.ptr, mode & 07777, 0);
	err = cmd_rename(c, CMD_CWD, temp.ptr, CMD_CWD, path, 0);
	if (err < 0) {
		cmd_unlink(c, CMD_CWD, temp.ptr, 0);
		cmd_fatal(c, err, "**** Can't rename file %s to %s ", temp.ptr, path);
	}
}

/* Where the old file goes; names given by prefixes or a suffix are never numbered. */
static const char *name_of_backup(struct job *j, const char *path)
{
	const struct patch_opts *o = j->o;
	bool plain = o->prefix != NULL || o->base_prefix != NULL || o->suffix != NULL;
	const char *env = cmd_getenv(j->c, "SIMPLE_BACKUP_SUFFIX");
	const char *suffix = env != NULL && *env != '\0' ? env : ".orig";
	struct backup_opts kinds = { .kind = o->kind, .suffix = suffix };
	struct buf name = buf_in(j->c->arena);

	if (!plain)
		return backup_name(j->c, &kinds, path);
	const char *slash = strrchr(path, '/');
	size_t dir = slash != NULL ? (size_t)(slash - path) + 1 : 0;

	buf_puts(&name, o->prefix != NULL ? o->prefix : "");
	buf_put(&name, path, dir);
	buf_puts(&name, o->base_prefix != NULL ? o->base_prefix : "");
	buf_puts(&name, path + dir);
	buf_puts(&name, o->suffix != NULL ? o->suffix : "");
	return buf_cstr(&name);
}

/* same: the file stays as it is, so its backup is a copy; NULL: the file itself. */
static void keep_file(struct job *j, const char *path, const struct buf *same)
{
	struct vfs_stat st;

	if (done_of(j, path)->kept || (same == NULL && done_of(j, path)->written))
		return;
	const char *name = name_of_backup(j, path);

	done_of(j, path)->kept = true;
	make_parents(j->c, name);
	if (cmd_lstat(j->c, path, &st) < 0)
		write_file(j->c, name, BYTES(""), 0);
	else if (same != NULL && !j->link)
		write_file(j->c, name, buf_bytes(same), j->st.mode);
	else
		cmd_rename(j->c, CMD_CWD, path, CMD_CWD, name, 0);
}

static void keep_backup(struct job *j, const struct buf *same)
{
	bool wanted = j->o->backup || (j->inexact && j->o->mismatch != 2 && j->o->output == NULL);

	if (!wanted || j->o->dry_run)
		return;
	keep_file(j, j->output, same);
	if (j->file.rename_to != NULL && !j->file.is_copy && j->path != j->output)
		keep_file(j, j->path, same);
}

/* -o -: the result is the output, and what is said goes to standard error. */
static bool is_dash(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* -o: what one patch after the other makes of the file. */
static void put_output(struct job *j, struct bytes text)
{
	if (is_dash(j->o->output)) {
		output_write(&j->result, text.ptr, text.len);
		return;
	}
	if (j->o->dry_run)
		return;
	if (j->put_once)
		append_file(j->c, j->output, text);
	else
		write_file(j->c, j->output, text, OUTPUT_MODE);
	j->put_once = true;
}

/* The time in the heading of a side; false: there is none. */
static bool heading_time(struct job *j, int side, int64_t *ns)
{
	const char *text = j->file.stamp[side];
	const struct zone *zone = j->o->set_time == 2 ? zone_of_name(j->c, "UTC0")
						      : zone_of_command(j->c);

	return text != NULL && date_parse(j->c, text, cmd_now(j->c), zone, ns);
}

static void set_time(struct job *j)
{
	int64_t old, new;

	if (j->o->set_time == 0 || !heading_time(j, !j->reverse, &new))
		return;
	const char *mismatch = !heading_time(j, j->reverse, &old) || !j->exists ? NULL
			       : old != j->st.mtime_ns                          ? "time"
										: NULL;

	if (mismatch == NULL && j->inexact)
		mismatch = "contents";
	if (mismatch != NULL && !j->o->force)
		cmd_printf(j->c, "Not setting time of file %s (%s mismatch)\n",
			   quoted(j, j->output), mismatch);
	else
		cmd_utimes(j->c, CMD_CWD, j->output, new, new, 0);
}

/* What a git patch is about to change stays known: the others of its names are of before. */
static void save_original(struct job *j)
{
	struct done *d = done_of(j, j->output);
	struct vfs_stat st;

	if (j->file.git && !d->saved && cmd_stat(j->c, j->output, &st) == 0 &&
	    (st.mode & S_FMT) == S_REG && cmd_read_all(j->c, j->output, &d->original) == 0) {
		d->original = bytes_of(arena_dup(j->c->arena, d->original));
		d->saved = true;
	}
}

static void say_undeleted(struct job *j, const struct patch_target *t)
{
	if (j->file.says[!j->reverse] != 2 || t->out.len == 0 || j->o->dry_run)
		return;
	cmd_printf(j->c, "Not deleting file %s as content differs from patch\n",
		   quoted(j, j->output));
	j->inexact = j->torn = true;
}

/* Whether the new file's directory has the name of the old file. */
static bool is_above(const char *path, const char *output)
{
	size_t n = strlen(path);

	return strncmp(path, output, n) == 0 && output[n] == '/';
}

static void put_result(struct job *j, struct patch_target *t)
{
	bool empty = t->out.len == 0;
	bool deletes = (j->file.says[!j->reverse] == 2 && !j->o->posix) || j->o->remove_empty;
	uint32_t mode = j->file.mode[0] == j->file.mode[1] ? 0 : j->file.mode[!j->reverse];

	if (!j->o->dry_run && j->o->output == NULL)
		save_original(j);
	keep_backup(j, NULL);
	done_of(j, j->output)->written = true;
	if (!j->o->dry_run)
		say_undeleted(j, t);
	if (j->o->output != NULL)
		put_output(j, buf_bytes(&t->out));
	if (j->o->dry_run || j->o->output != NULL)
		return;
	if (j->o->verbose && !j->file.is_copy && (j->path != j->output || (deletes && empty)))
		buf_printf(&j->removed, "Removing file %s\n", quoted(j, j->path));
	bool drops = !j->file.is_copy && (j->path == j->output || !done_of(j, j->path)->written);

	if (!j->link && !(deletes && empty) && !is_above(j->path, j->output)) {
		replace_file(j->c, j->output, buf_bytes(&t->out),
			     mode != 0   ? mode
			     : j->exists ? j->st.mode
					 : 0);
		if (drops && j->path != j->output)
			cmd_unlink(j->c, CMD_CWD, j->path, 0);
		set_time(j);
		return;
	}
	if (drops)
		cmd_unlink(j->c, CMD_CWD, j->path, 0);
	if (deletes && empty) {
		remove_parents(j->c, j->path);
		return;
	}
	if (j->link) {
		make_parents(j->c, j->output);
		int err = cmd_symlink(j->c, buf_cstr(&t->out), CMD_CWD, j->output);

		if (err < 0)
			cmd_fatal(j->c, err, "**** Can't create symbolic link %s",
				  quoted(j, j->output));
		return;
	}
	write_file(j->c, j->output, buf_bytes(&t->out),
		   mode != 0   ? mode
		   : j->exists ? j->st.mode
			       : 0);
	set_time(j);
}

static void put_new_rejects(struct cmd *c, const char *path, struct bytes text)
{
	cmd_unlink(c, CMD_CWD, path, 0);
	write_file(c, path, text, 0);
}

static void put_rejects(struct job *j)
{
	struct buf name = buf_in(j->c->arena);
	size_t n = j->file.nhunks;

	if (j->failed == 0)
		return;
	buf_puts(&name, j->o->rejects != NULL ? j->o->rejects : j->output);
	if (j->o->rejects == NULL)
		buf_puts(&name, ".rej");
	cmd_printf(j->c, "%zu out of %zu hunk%s %s", j->failed, n, n == 1 ? "" : "s",
		   j->skip ? "ignored" : "FAILED");
	if (!j->o->dry_run && !j->no_rejects && strcmp(buf_cstr(&name), "-") != 0) {
		cmd_printf(j->c, " -- saving rejects to file %s", quoted(j, buf_cstr(&name)));
		struct done *d = done_of(j, j->o->rejects != NULL ? "" : j->output);

		if (d->rejected)
			append_file(j->c, buf_cstr(&name), buf_bytes(&j->rejects));
		else
			put_new_rejects(j->c, buf_cstr(&name), buf_bytes(&j->rejects));
		d->rejected = true;
	}
	cmd_putc(j->c, '\n');
}

/* What is patched: false if there is none, and what was in its patch is skipped. */
static bool find_file(struct job *j)
{
	if (j->path == NULL)
		j->path = patch_choose_name(j->c, j->o, &j->file, j->reverse);
	if (j->path != NULL)
		return true;
	cannot_find(j);
	if (j->file.intro_to > j->file.intro_from)
		show_intro(j);
	if (j->o->force || j->o->batch) {
		cmd_puts(j->c, "No file to patch.  Skipping patch.\n");
	} else {
		ask(j, "File to patch:");
		ask(j, "Skip this patch? [y]");
		cmd_puts(j->c, "Skipping patch.\n");
	}
	size_t n = j->file.nhunks;

	say_cut(j, j->file.torn != 0);
	if (j->file.bad != NULL)
		cmd_fatal(j->c, 0, "**** %s", j->file.bad);
	if (n > 0)
		cmd_printf(j->c, "%zu out of %zu hunk%s ignored\n", n, n, n == 1 ? "" : "s");
	return false;
}

static void say_stripped(struct job *j)
{
	size_t indent = j->file.indent;

	if (indent > 0 && !j->o->silent)
		cmd_printf(j->c, "(Patch is indented %zu space%s.)\n", indent,
			   indent == 1 ? "" : "s");
	if (j->file.strip_cr && !j->o->silent)
		cmd_puts(j->c, "(Stripping trailing CRs from patch; use --binary to disable.)\n");
}

/* --verbose: what the patch seems to be, and what stands in front of it. */
static void say_format(struct job *j, bool later)
{
	static const char *const formats[] = {
		[PATCH_UNKNOWN] = "a unified diff", /* of git, without hunks */
		[PATCH_UNIFIED] = "a unified diff", [PATCH_CONTEXT] = "a new-style context diff",
		[PATCH_NORMAL] = "a normal diff",   [PATCH_ED] = "an ed script",
	};

	cmd_puts(j->c, "Hmm...");
	cmd_bytes(j->c, buf_bytes(&j->file.remark));
	cmd_printf(j->c,
		   later ? "  The next patch looks like %s to me...\n"
			 : "  Looks like %s to me...\n",
		   formats[j->file.format]);
	say_stripped(j);
	if (j->file.intro_from < j->file.intro_to)
		show_intro(j);
}

static void say_start(struct job *j)
{
	const char *doing = j->o->dry_run ? "checking" : "patching";

	if (j->o->silent && !j->o->verbose)
		return;
	cmd_printf(j->c, "%s %s %s", doing, j->link ? "symbolic link" : "file",
		   quoted(j, j->output));
	if (j->already)
		cmd_printf(j->c, " (already %s from %s)", j->file.is_copy ? "copied" : "renamed",
			   j->reverse ? j->file.rename_to : j->file.rename_from);
	if (strcmp(j->output, j->path) != 0)
		cmd_printf(j->c, " (%s from %s)",
			   j->file.is_copy             ? "copied"
			   : j->file.rename_to != NULL ? "renamed"
						       : "read",
			   j->path);
	cmd_putc(j->c, '\n');
}

/* A heading as rejects have it: the name without what -p strips. */
static struct bytes strip_heading(struct job *j, struct bytes heading)
{
	struct buf out = buf_in(j->c->arena);
	const char *tab = heading.len != 0 ? memchr(heading.ptr, '\t', heading.len) : NULL;
	size_t len = tab != NULL ? (size_t)(tab - heading.ptr) : heading.len;
	const char *name = patch_strip_name(j->o,
					    arena_dup(j->c->arena, bytes_slice(heading, 0, len)));

	if (name == NULL)
		return heading;
	buf_puts(&out, name);
	buf_add(&out, bytes_slice(heading, len, heading.len));
	return buf_bytes(&out);
}

/* Says what is special about the file; one of another type is left alone. */
static void check_type(struct job *j)
{
	if (j->skip || j->file.rename_to != NULL || !j->exists)
		return;
	if ((j->st.mode & S_FMT) != (j->link ? S_LNK : S_REG)) {
		cmd_printf(j->c, "File %s is not a %s -- refusing to patch\n", quoted(j, j->path),
			   j->link ? "symbolic link" : "regular file");
		j->skip = true;
	} else if (j->o->read_only != PATCH_RO_IGNORE &&
		   cmd_access(j->c, CMD_CWD, j->path, 2) == -E_ACCES) {
		j->skip = j->o->read_only == PATCH_RO_FAIL;
		cmd_printf(j->c, "File %s is read-only; %s\n", quoted(j, j->path),
			   j->skip ? "refusing to patch" : "trying to patch anyway");
	}
}

static bool has_word(struct bytes text, struct bytes word)
{
	for (size_t at = 0; at + word.len <= text.len; at++) {
		const char *hit = bytes_find(bytes_slice(text, at, text.len), word);

		if (hit == NULL)
			return false;
		at = (size_t)(hit - text.ptr);
		size_t end = at + word.len;

		if ((at == 0 || byte_is_space((unsigned char)text.ptr[at - 1])) &&
		    (end == text.len || byte_is_space((unsigned char)text.ptr[end])))
			return true;
	}
	return false;
}

/* "Prereq: WORD" in front of the patch: it is for files that have that word. */
static void check_version(struct job *j)
{
	struct cmd *c = j->c;
	const char *word = j->file.version;
	struct bytes text = BYTES("");

	if (word == NULL || j->skip || j->file.format == PATCH_ED)
		return;
	if (j->exists && !j->link && cmd_read_all(c, j->path, &text) < 0)
		return;
	cmd_charge_bytes(c, text.len);
	if (has_word(text, bytes_of(word))) {
		if (j->o->verbose)
			cmd_printf(c, "Good.  This file appears to be the %s version.\n", word);
	} else if (j->o->force) {
		if (!j->o->silent)
			cmd_printf(c,
				   "Warning: this file doesn't appear to be the %s version -- "
				   "patching anyway.\n",
				   word);
	} else if (j->o->batch) {
		cmd_fatal(c, 0, "**** This file doesn't appear to be the %s version -- aborting.",
			  word);
	} else {
		cmd_printf(c, "This file doesn't appear to be the %s version -- patch anyway? [n] ",
			   word);
		cmd_error(c, 0, "**** aborted");
		cmd_putc(c, '\n');
		cmd_exit(c, c->b->error_status);
	}
}

/* Where the result goes; a file that has its new name already is patched there. */
static void choose_output(struct job *j)
{
	const struct patch_file *f = &j->file;
	struct vfs_stat st;

	j->output = j->o->output != NULL ? j->o->output : j->path;
	if (f->rename_to == NULL)
		return;
	j->output = patch_strip_name(
		&(struct patch_opts){ .strip = j->o->strip > 1 ? j->o->strip - 1 : 0 },
		j->reverse ? f->rename_from : f->rename_to);
	j->already = !f->is_copy && !done_of(j, j->path)->saved &&
		     cmd_lstat(j->c, j->path, &st) < 0 && cmd_lstat(j->c, j->output, &st) == 0;
	if (j->already)
		j->path = j->output;
}

static int refuse_binary(struct job *j)
{
	cmd_printf(j->c, "File %s: git binary diffs are not supported.\n", quoted(j, j->output));
	return 1;
}

static int patch_by_script(struct job *j)
{
	struct patch_target t = { .c = j->c, .out = buf_in(j->c->arena) };
	struct bytes text = BYTES("");

	if (j->file.cut)
		cmd_puts(j->c, PATCH_CUT);
	if (j->skip || j->o->dry_run)
		return j->skip;
	int err = j->exists ? cmd_read_all(j->c, j->path, &text) : 0;

	if (err < 0)
		cmd_fatal(j->c, err, "**** Can't open file %s", j->path);
	buf_add(&t.out, patch_run_script(j->c, j->file.script, text));
	put_result(j, &t);
	return 0;
}

/* The hunks of one file. Returns 0, or 1 if some failed. */
static int patch_one(struct job *j)
{
	struct patch_target t;
	const struct patch_file *f = &j->file;

	j->reverse = j->o->reverse;
	j->skip = j->inexact = j->already = j->torn = j->no_rejects = false;
	j->conflict = false;
	j->failed = 0;
	j->rejects = buf_in(j->c->arena);
	if (!j->o->verbose) {
		cmd_bytes(j->c, buf_bytes(&f->remark));
		say_stripped(j);
	}
	if (!find_file(j))
		return 1;
	if (!j->o->named && (f->name[0] != NULL || f->name[1] != NULL))
		j->file.name[2] = NULL;
	choose_output(j);
	if (patch_leads_out(j->c, j->o, j->path) || patch_leads_out(j->c, j->o, j->output)) {
		cmd_printf(j->c, "Invalid file name %s -- skipping patch\n", quoted(j, j->output));
		return 1;
	}
	if (f->binary)
		return refuse_binary(j);
	j->link = (f->mode[f->mode[1] != 0] & S_FMT) == S_LNK;
	j->exists = (j->o->follow ? cmd_stat(j->c, j->path, &j->st)
				  : cmd_lstat(j->c, j->path, &j->st)) == 0;
	if (f->bad != NULL && f->nhunks == 0 && f->format == PATCH_CONTEXT)
		cmd_fatal(j->c, 0, "**** %s", f->bad);
	if (j->reverse)
		for (size_t i = 0; i < f->nhunks; i++)
			patch_reverse(j->c, &j->file.hunk[i]);
	j->file.old_header = strip_heading(j, f->old_header);
	j->file.new_header = strip_heading(j, f->new_header);
	check_type(j);
	if (f->format == PATCH_ED)
		return patch_by_script(j);
	check_version(j);
	check_existence(j);
	if (!j->skip)
		say_start(j);
	if (!j->skip && j->o->verbose)
		cmd_puts(j->c, "Using Plan A...\n");
	read_target(j, &t);
	apply_hunks(j, &t);
	if (f->bad != NULL)
		cmd_fatal(j->c, 0, "**** %s", f->bad);
	if (!j->skip && (j->failed < f->nhunks || f->nhunks == 0)) {
		put_result(j, &t);
	} else if (!j->skip) {
		keep_backup(j, &t.out);
		say_undeleted(j, &t);
	}
	if (!j->skip && j->failed == f->nhunks && f->nhunks > 0 && j->o->output != NULL)
		put_output(j, buf_bytes(&t.out));
	put_rejects(j);
	return j->failed > 0 || j->torn || j->conflict;
}

static void read_patch(struct cmd *c, const struct patch_opts *o, struct patch_text *t)
{
	const char *path = o->input != NULL ? o->input : "-";
	struct bytes all;
	int err = cmd_read_all(c, path, &all);
	size_t n = 0;

	if (err < 0)
		cmd_fatal(c, err, "**** Can't open patch file %s ", cmd_quotef(c, path));
	for (size_t i = 0; i < all.len; i++)
		n += all.ptr[i] == '\n';
	t->c = c;
	t->line = arena_array(c->arena, n + 2, sizeof(*t->line));
	for (size_t at = 0; at < all.len; t->n++) {
		const char *hit = memchr(all.ptr + at, '\n', all.len - at);
		size_t to = hit != NULL ? (size_t)(hit - all.ptr) : all.len;

		t->line[t->n] = bytes_slice(all, at, to);
		at = to + 1;
	}
	t->unended = all.len > 0 && all.ptr[all.len - 1] != '\n';
	cmd_charge_bytes(c, all.len);
}

/* An empty patch with -o. */
static void copy_unpatched(struct job *j)
{
	struct patch_target t;

	j->path = j->c->args[0];
	j->output = j->o->output;
	j->exists = cmd_stat(j->c, j->path, &j->st) == 0;
	say_start(j);
	read_target(j, &t);
	patch_finish(&t);
	put_output(j, buf_bytes(&t.out));
}

static int patch_run(struct cmd *c)
{
	struct patch_opts *o = c->opts;
	struct job *j = arena_zalloc(c->arena, sizeof(*j));
	int status = 0;
	size_t files = 0;

	if (c->nargs > 2) {
		cmd_error(c, 0, "%s: extra operand", cmd_quotef(c, c->args[2]));
		return cmd_error(c, 0, "Try '%s --help' for more information.", c->name);
	}
	if (o->suffix != NULL && *o->suffix == '\0')
		cmd_fatal(c, 0, "**** backup suffix is empty");
	if (c->nargs > 1)
		o->input = c->args[1];
	status = patch_setup(c, o);
	if (status != 0)
		return status;
	j->c = c;
	j->o = o;
	j->removed = buf_in(c->arena);
	o->named = c->nargs > 0;
	if (o->directory != NULL) {
		int err = cmd_chdir(c, o->directory);

		if (err < 0)
			cmd_fatal(c, err, "**** Can't change to directory %s ",
				  cmd_quotef(c, o->directory));
	}
	/* It is made first, so it is there and empty if nothing is written to it. */
	if (is_dash(o->output)) {
		j->result = c->out;
		output_init(&c->out, c, 2, true);
	} else if (o->output != NULL && !o->dry_run &&
		   (c->nargs == 0 || strcmp(o->output, c->args[0]) != 0))
		write_file(c, o->output, BYTES(""), OUTPUT_MODE);
	read_patch(c, o, &j->text);
	for (; patch_parse(&j->text, o, &j->file) > 0; files++) {
		j->path = c->nargs > 0 ? c->args[0] : NULL;
		if (o->verbose)
			say_format(j, files > 0);
		if (patch_one(j) != 0)
			status = 1;
	}
	if (o->verbose && files > 0 && j->file.intro_from < j->text.n)
		cmd_puts(c, "Hmm...");
	say_cut(j, j->file.intro_from < j->text.n);
	if (o->verbose && files > 0 && j->file.intro_from < j->text.n)
		cmd_puts(c, "  Ignoring the trailing garbage.\n");
	if (is_dash(o->output))
		output_flush(&j->result);
	if (o->verbose && files > 0)
		cmd_puts(c, "done\n");
	cmd_bytes(c, buf_bytes(&j->removed));
	if (o->verbose && files == 0)
		cmd_puts(c, "Hmm...  I can't seem to find a patch in there anywhere.\n");
	if (files == 0 && j->text.n == 0 && o->output != NULL && o->named)
		copy_unpatched(j);
	if (files == 0 && j->text.n > 0)
		cmd_fatal(c, 0, "**** Only garbage was found in the patch input.");
	return status;
}

const struct builtin builtin_patch = {
	.name = "patch",
	.usage = "[OPTION]... [ORIGFILE [PATCHFILE]]",
	.summary = "Applies a patch (unified, context or plain diff) to files.\n"
		   "The status is 0 if all went well, 1 if hunks were rejected, 2 in trouble.",
	.run = patch_run,
	.opts = patch_options,
	.opts_size = sizeof(struct patch_opts),
	.usage_status = 2,
	.error_status = 2,
	.hint = "%s: Try '%s --help' for more information.\n",
	.family = "GNU patch 2.7.6",
	.version = "GNU patch 2.7.6",
	.defaults = patch_defaults,
};
