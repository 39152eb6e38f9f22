/* SPDX-License-Identifier: MIT
 *
 * tar - keep many files in one. This file has the messages and chooses what is done.
 * Reference: GNU tar 1.34. Not here: several volumes, remote devices.
 */
#include "builtins/tar/tar.h"

#include "builtins/ask.h"
#include "builtins/date_parse.h"

/* --- messages --- */

void tar_put_name(struct tar *t, struct buf *out, const char *name)
{
	quote_put(out, bytes_of(name), (enum quote_style)t->quoting, "", t->c->utf8);
}

const char *tar_quote(struct tar *t, const char *name)
{
	struct buf out = buf_in(t->c->arena);

	quote_put(&out, bytes_of(name), (enum quote_style)t->quoting,
		  t->quoting == QUOTE_ESCAPE ? ":" : "", t->c->utf8);
	return buf_cstr(&out);
}

static void say(struct tar *t, int err, const char *format, va_list args)
{
	struct buf text = buf_in(t->c->arena);

	output_flush(t->listing != NULL ? t->listing : &t->c->out);
	buf_vprintf(&text, format, args);
	cmd_warn(t->c, err, "%s", buf_cstr(&text));
}

void tar_error(struct tar *t, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, err, format, args);
	va_end(args);
	t->status = 2;
}

void tar_warn(struct tar *t, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, err, format, args);
	va_end(args);
}

void tar_note(struct tar *t, enum tar_note kind, const char *format, ...)
{
	va_list args;

	if (t->unwanted & (unsigned)kind)
		return;
	va_start(args, format);
	say(t, 0, format, args);
	va_end(args);
}

bool tar_tells(const struct tar *t, enum tar_note kind)
{
	return t->verbose > 0 || (t->wanted & (unsigned)kind) != 0;
}

void tar_fatal(struct tar *t, int err, const char *format, ...)
{
	va_list args;

	if (format != NULL) {
		va_start(args, format);
		say(t, err, format, args);
		va_end(args);
	}
	cmd_fatal_status(t->c, 2, 0, "Error is not recoverable: exiting now");
}

bool tar_confirm(struct tar *t, const char *action, const char *name)
{
	struct buf text = buf_in(t->c->arena);
	struct bytes line = { "", 0 };

	if (!t->has_answers)
		input_init(&t->answers, t->c, 0, "-");
	t->has_answers = true;
	buf_printf(&text, "%s %s?", action, cmd_quote(t->c, name));
	output_flush(t->listing);
	cmd_write_fd(t->c, 1, text.ptr, text.len);
	return input_line(&t->answers, '\n', &line) > 0 && line.len > 0 &&
	       (line.ptr[0] | 0x20) == 'y';
}

void tar_release(struct tar *t, struct arena_mark mark)
{
	if (!t->keeps_memory)
		arena_release(t->c->arena, mark);
	t->keeps_memory = false;
}

/* --- what is done --- */

static void put_totals(struct tar *t, bool written)
{
	char size[8];
	struct tar_archive *a = &t->a;
	uint64_t record = t->factor * TAR_BLOCK;
	uint64_t n = written ? a->written : (a->base + a->to + record - 1) / record * record;
	int64_t span = cmd_now(t->c) - t->start_ns;
	char rate[8];
	struct buf text = buf_in(t->c->arena);

	num_human(n, 1024, size);
	num_human(span > 0 ? (uint64_t)((double)n * 1e9 / (double)span) : n, 1024, rate);
	buf_printf(&text, "Total bytes %s: %llu (%siB, %siB/s)\n", written ? "written" : "read",
		   (unsigned long long)n, size, rate);
	cmd_err_write(t->c, text.ptr, text.len);
}

static void read_mode(struct tar *t, void (*fn)(struct tar *t, struct tar_member *m))
{
	archive_open_read(t);
	names_gather(t);
	tar_each(t, fn);
	if (t->mode == TAR_EXTRACT)
		tar_extract_end(t);
	names_report(t);
	if (t->totals)
		put_totals(t, false);
	archive_close_read(t);
}

static void choose_listing(struct tar *t)
{
	bool writes = t->mode == TAR_CREATE;
	bool to_stdout = (writes && strcmp(t->file, "-") == 0) || t->to_stdout;

	t->listing = &t->c->out;
	if (t->index_file != NULL) {
		int err = output_open(&t->out, t->c, t->index_file, O_TRUNC_, false);

		if (err < 0)
			tar_fatal(t, err, "%s: Cannot open", tar_quote(t, t->index_file));
		t->listing = &t->out;
	} else if (to_stdout) {
		output_init(&t->out, t->c, 2, true);
		t->listing = &t->out;
	}
}

/* The directory of --one-top-level: as said, or the archive's name without suffixes. */
static int choose_top(struct tar *t)
{
	const char *base = strrchr(t->file, '/');
	struct bytes name = bytes_of(base != NULL ? base + 1 : t->file);

	if (!t->has_top_level || t->top_level != NULL)
		return 0;
	for (int i = 0; i < 2; i++) {
		const char *dot = bytes_rfind(name, BYTES("."));
		size_t at = dot != NULL ? (size_t)(dot - name.ptr) : 0;
		struct bytes tail = dot != NULL ? bytes_slice(name, at, name.len) : name;
		bool known = dot != NULL &&
			     (archive_filter_of(arena_dup(t->c->arena, tail)) != NULL ||
			      bytes_is(tail, ".tar"));

		if (known && at > 0)
			name.len = at;
	}
	if (name.len == strlen(base != NULL ? base + 1 : t->file))
		return TAR_USAGE(t->c,
				 "Cannot deduce top-level directory name; please set it explicitly "
				 "with --one-top-level=DIR");
	t->top_level = arena_dup(t->c->arena, name);
	return 0;
}

/* How a date was understood, with -v. */
static void tell_date(struct tar *t, const char *option, const char *arg, int64_t ns)
{
	struct buf text = buf_in(t->c->arena);

	if (arg == NULL || (t->verbose == 0 && t->mode != TAR_LIST) || arg[0] == '/' ||
	    arg[0] == '.')
		return;
	tar_time_text(t, &text, ns / 1000000000, (uint32_t)(ns % 1000000000), true);
	if (strcmp(buf_cstr(&text), arg) != 0)
		tar_warn(t, 0, "Option --%s: Treating date '%s' as %s", option, arg, text.ptr);
}

static bool has_names(struct tar *t)
{
	int n = t->c->nargs;

	for (size_t i = 0; i < t->nitems; i++)
		n += t->items[i].kind == ITEM_NAME ? 1 : t->items[i].kind == ITEM_FILES ? 2 : 0;
	t->many = n > 1;
	return n > 0;
}

static bool reads(const struct tar *t)
{
	return t->mode == TAR_EXTRACT || t->mode == TAR_LIST || t->mode == TAR_DIFF;
}

const char *tar_mode_option(const struct tar *t)
{
	switch (t->mode) {
	case TAR_CREATE: return "-c";
	case TAR_EXTRACT: return "-x";
	case TAR_LIST: return "-t";
	case TAR_DIFF: return "-d";
	case TAR_APPEND: return "-r";
	case TAR_UPDATE: return "-u";
	case TAR_CONCAT: return "-A";
	case TAR_DELETE: return "-D"; /* its letter inside of GNU tar */
	default: return "--test-label";
	}
}

static int check_incremental(struct tar *t)
{
	const char *other = t->nignore_files > 0 ? "exclude-ignore"
			    : t->tags != NULL    ? "exclude-tag"
			    : t->remove_files    ? "remove-files"
						 : NULL;

	if (t->mode != TAR_CREATE)
		return TAR_USAGE(t->c, "incremental archives can't be used with '%s'",
				 tar_mode_option(t));
	if (t->snapshot != NULL && t->has_newer)
		return TAR_USAGE(t->c, "'--listed-incremental' cannot be used with '--newer'");
	if (t->format == TAR_V7 || t->format == TAR_USTAR || t->old_archive)
		return TAR_USAGE(t->c, "GNU features wanted on incompatible archive format");
	if (other != NULL)
		return TAR_USAGE(t->c, "--%s is not supported in incremental archives", other);
	return 0;
}

static int check_volumes(struct tar *t)
{
	struct cmd *c = t->c;

	if (!t->volumes.wanted)
		return TAR_USAGE(c, "Multiple archive files require '-M' option");
	if (t->filter != NULL)
		return TAR_USAGE(c, "Cannot use multi-volume compressed archives");
	if (t->verify)
		return TAR_USAGE(c, "Cannot verify multi-volume archives");
	if (t->mode != TAR_CREATE && !reads(t))
		return TAR_USAGE(c, "multi-volume archives can't be used with '%s'",
				 tar_mode_option(t));
	if (t->volumes.bytes > 0 && t->volumes.bytes < t->factor * TAR_BLOCK)
		return TAR_USAGE(c, "Volume length cannot be less than record size");
	if (reads(t))
		return 0;
	if (t->format == TAR_V7 || t->format == TAR_USTAR || t->old_archive)
		return TAR_USAGE(c, "GNU features wanted on incompatible archive format");
	if (t->format == TAR_PAX)
		return TAR_USAGE(c, "multi-volume archives of format posix are not supported");
	return 0;
}

static int check_options(struct tar *t)
{
	struct cmd *c = t->c;

	if (t->mode == TAR_NONE)
		return TAR_USAGE(c, "You must specify one of the '-Acdtrux', '--delete' or "
				    "'--test-label' options");
	if (!has_names(t) && t->mode == TAR_CREATE)
		return TAR_USAGE(c, "Cowardly refusing to create an empty archive");
	if (t->occurrence > 0 && !reads(t) && t->mode != TAR_DELETE)
		return TAR_USAGE(c, "'--occurrence' cannot be used with '%s'", tar_mode_option(t));
	if (t->occurrence > 0 && !has_names(t))
		return TAR_USAGE(c, "--occurrence is meaningless without a file list");
	if (t->clamp && t->mtime == NULL)
		return TAR_USAGE(c, "--clamp-mtime needs a date specified using --mtime");
	if (t->same_order && !reads(t))
		return TAR_USAGE(c, "'--same-order' cannot be used with '%s'", tar_mode_option(t));
	if (t->starting && !reads(t))
		return TAR_USAGE(c, "'--starting-file' cannot be used with '%s'",
				 tar_mode_option(t));
	if (t->verify && reads(t) && t->mode != TAR_DIFF)
		return TAR_USAGE(c, "'--verify' cannot be used with '%s'", tar_mode_option(t));
	if (t->verify && t->mode == TAR_CREATE && t->filter != NULL)
		return TAR_USAGE(c, "Cannot verify compressed archives");
	if (t->has_pax_option && t->has_format && t->format != TAR_PAX)
		return TAR_USAGE(c, "--pax-option can be used only on POSIX archives");
	if (t->has_pax_option)
		t->format = TAR_PAX;
	if (!reads(t) && (t->xattrs > 0 || t->acls > 0 || t->selinux > 0) && t->has_format &&
	    t->format != TAR_PAX)
		return TAR_USAGE(c, "--%s can be used only on POSIX archives",
				 t->acls > 0      ? "acls"
				 : t->selinux > 0 ? "selinux"
						  : "xattrs");
	if (!reads(t) && t->with_attributes && !t->has_format)
		t->format = TAR_PAX;
	if (t->pax_global != NULL && !reads(t) && t->mode != TAR_CREATE)
		return TAR_USAGE(c, "can't update global extended header record");
	if (t->has_level && t->snapshot == NULL)
		cmd_warn(c, 0, "--level is meaningless without --listed-incremental");
	if (t->incremental && !reads(t)) {
		int status = check_incremental(t);

		if (status != 0)
			return status;
	}
	if (t->volumes.wanted || t->volumes.n > 1) {
		int status = check_volumes(t);

		if (status != 0)
			return status;
	}
	if (t->filter != NULL && (t->mode == TAR_APPEND || t->mode == TAR_UPDATE ||
				  t->mode == TAR_CONCAT || t->mode == TAR_DELETE))
		return TAR_USAGE(c, "Cannot update compressed archives");
	if (t->old_archive && t->mode == TAR_EXTRACT)
		t->same_owner = 0;
	else if (t->old_archive)
		t->format = TAR_V7;
	if (t->auto_filter && t->mode == TAR_CREATE && t->filter == NULL)
		t->filter = archive_filter_of(t->file);
	return choose_top(t);
}

/* Lists are read before the archive is opened: -T that does not exist is fatal. */
static void check_lists(struct tar *t)
{
	for (size_t i = 0; i < t->nitems; i++) {
		const struct tar_item *item = &t->items[i];
		struct vfs_stat st;
		int err;

		if (item->kind != ITEM_FILES || strcmp(item->arg, "-") == 0)
			continue;
		err = cmd_stat(t->c, item->arg, &st);
		if (err < 0)
			tar_fatal(t, err, "%s: Cannot stat", tar_quote(t, item->arg));
	}
}

static void verify(struct tar *t)
{
	const char *file = t->file;

	t->a = (struct tar_archive){ .fd = -1 };
	t->filter = NULL;
	t->mode = TAR_DIFF;
	t->verbose = 0;
	t->excludes = NULL;
	t->read_state = 0;
	t->file = file;
	archive_open_read(t);
	tar_each(t, tar_diff_member);
	archive_close_read(t);
}

static void run_mode(struct tar *t)
{
	switch (t->mode) {
	case TAR_CREATE: tar_create(t); break;
	case TAR_EXTRACT:
		tar_extract_begin(t);
		read_mode(t, tar_extract_member);
		return;
	case TAR_LIST:
		t->verbose++;
		read_mode(t, tar_list_member);
		return;
	case TAR_DIFF: read_mode(t, tar_diff_member); return;
	case TAR_APPEND:
	case TAR_UPDATE: tar_append(t); break;
	case TAR_CONCAT: tar_concat(t); break;
	case TAR_DELETE: tar_delete(t); return;
	case TAR_LABEL: tar_label(t); return;
	case TAR_NONE: return;
	}
	if (t->totals)
		put_totals(t, true);
	if (t->verify && t->mode == TAR_CREATE)
		verify(t);
}

static int tar_run(struct cmd *c)
{
	struct tar *t = c->opts;
	int status = check_options(t);
	struct buf unused = buf_in(c->arena);

	if (status != 0)
		return status;
	status = backup_setup(c, &t->backup);
	if (status != 0)
		return 2;
	choose_listing(t);
	check_lists(t);
	tar_read_map(t, t->owner_map, false);
	tar_read_map(t, t->group_map, true);
	/* What is read once and kept must not lie in memory that a member's end releases. */
	tar_time_text(t, &unused, 0, 0, false);
	cmd_user_name(c, 0);
	cmd_group_name(c, 0);
	tell_date(t, "mtime", t->mtime, t->mtime_ns);
	tell_date(t, t->newer_mtime ? "newer-mtime" : "after-date", t->newer, t->newer_ns);
	t->start_ns = cmd_now(c);
	volumes_begin(t);
	run_mode(t);
	volumes_end(t);
	if (t->listing == &t->out)
		output_flush(&t->out);
	if (t->status == 2)
		cmd_error(c, 0, "Exiting with failure status due to previous errors");
	return t->status;
}

const struct builtin builtin_tar = {
	.name = "tar",
	.usage = "[OPTION...] [FILE]...",
	.summary = "Keeps many files in one archive, and restores them from it.",
	.run = tar_run,
	.opts = tar_options,
	.opts_size = sizeof(struct tar),
	.usage_status = 64,
	.error_status = 2,
	.defaults = tar_set_defaults,
	.legacy = tar_old_options,
	.family = "GNU tar 1.34",
	.hint = "Try '%s --help' or 'tar --usage' for more information.\n",
};
