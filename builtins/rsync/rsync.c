/* SPDX-License-Identifier: MIT
 *
 * rsync - make a directory the same as another, copying what differs.
 *
 * Both sides are here: nothing is sent, and files are copied whole. The order of work is that of
 * the reports: the list is read, what is not in it is deleted (--delete), entries are updated in
 * their order, directories get their times.
 */
#include "builtins/rsync/rsync.h"

#include "builtins/zone.h"

static struct rsync_opts *opts_of(struct cmd *c)
{
	return c->opts;
}

/* "rsync error: TEXT (code N)" ends all failures. */
int rsync_finish(struct cmd *c, int code)
{
	const char *text = code == RSYNC_PARTIAL
				   ? "some files/attrs were not transferred (see previous errors)"
			   : code == RSYNC_SYNTAX      ? "syntax or usage error"
			   : code == RSYNC_UNSUPPORTED ? "requested action not supported"
			   : code == RSYNC_IO          ? "error in file IO"
			   : code == RSYNC_DELETES     ? "the --max-delete limit stopped deletions"
						   : "errors selecting input/output files, dirs";
	struct buf line = buf_in(c->arena);

	if (code == 0)
		return 0;
	cmd_flush(c);
	buf_printf(&line, "rsync error: %s (code %d)\n", text, code);
	cmd_err_write(c, line.ptr, line.len);
	return code;
}

/* --- options --- */

static int set_archive(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);

	(void)opt, (void)arg;
	o->recursive = o->links = o->perms = o->times = o->group = o->owner = true;
	o->devices = o->specials = true;
	return 0;
}

static int set_devices(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);

	(void)arg;
	o->devices = o->specials = opt->value != 0;
	return 0;
}

static int set_off(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	*(bool *)((char *)c->opts + opt->offset) = false;
	return 0;
}

static int set_filter(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return filters_rule(opts_of(c)->filters, bytes_of(arg));
}

static int set_pattern(struct cmd *c, const struct opt *opt, const char *arg)
{
	filters_pattern(opts_of(c)->filters, bytes_of(arg), opt->value != 0);
	return 0;
}

static int set_pattern_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);

	filters_file(o->filters, arg, opt->value != 0, o->from0);
	return 0;
}

static int set_delete(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);

	(void)arg;
	if (opt->value != DELETE_NOT || o->deletes == DELETE_NOT)
		o->deletes = opt->value != DELETE_NOT ? opt->value : DELETE_BEFORE;
	o->delete_excluded |= opt->value == DELETE_NOT;
	return 0;
}

static int set_alternative(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);

	if (o->nalt == sizeof o->alt_dir / sizeof o->alt_dir[0])
		return cmd_error(c, 0, "at most %zu --%s are supported", o->nalt, opt->name);
	o->alt_dir[o->nalt++] = arg;
	o->alt_links |= opt->value == 'l';
	o->alt_copies |= opt->value == 'c';
	return 0;
}

/* "10", "1K", "1.5m", "1KB" (of 1000), "1k-1" */
static int set_size(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char units[] = "kmgtp";
	uint64_t *field = opt->value != 0 ? &opts_of(c)->max_size : &opts_of(c)->min_size;
	uint64_t whole = 0;
	uint64_t tenths = 0;
	uint64_t factor = 1;
	const char *at = arg;

	for (; byte_is_digit(*at) && whole < (uint64_t)1 << 40; at++)
		whole = whole * 10 + (uint64_t)byte_digit(*at);
	if (*at == '.' && byte_is_digit(at[1])) {
		tenths = (uint64_t)byte_digit(at[1]);
		at += 2;
	}
	const char *unit = *at != '\0' ? strchr(units, byte_to_lower(*at)) : NULL;
	uint64_t base = unit != NULL && byte_to_lower(at[1]) == 'b' ? 1000 : 1024;

	for (const char *u = units; unit != NULL && u <= unit; u++)
		factor *= base;
	if (unit != NULL)
		at += byte_to_lower(at[1]) == 'b'                   ? 2
		      : bytes_starts(bytes_of(at + 1), BYTES("iB")) ? 3
								    : 1;
	*field = whole * factor + tenths * factor / 10;
	if (strcmp(at, "-1") == 0 || strcmp(at, "+1") == 0)
		*field += *at == '+' ? 1 : UINT64_MAX;
	else if (*at != '\0' || at == arg)
		return cmd_error(c, 0, "--%s=%s is invalid", opt->name, arg),
		       rsync_finish(c, RSYNC_SYNTAX);
	return 0;
}

/* "F644,D755" or "u+x": parts for files, for directories, for both. */
static int set_chmod(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);
	struct buf text[2] = { buf_in(c->arena), buf_in(c->arena) };

	(void)opt;
	for (const char *at = arg; *at != '\0';) {
		size_t n = strcspn(at, ",");
		bool only = (at[0] == 'F' || at[0] == 'D') && n > 1;

		for (int i = 0; i < 2; i++) {
			if (only && (at[0] == 'D') != (i == 1))
				continue;
			if (text[i].len > 0)
				buf_putc(&text[i], ',');
			buf_put(&text[i], at + only, n - only);
		}
		at += n + (at[n] == ',');
	}
	o->file_mode = text[0].len > 0 ? mode_parse(c, buf_cstr(&text[0])) : NULL;
	o->dir_mode = text[1].len > 0 ? mode_parse(c, buf_cstr(&text[1])) : NULL;
	if ((text[0].len > 0 && o->file_mode == NULL) || (text[1].len > 0 && o->dir_mode == NULL))
		return cmd_error(c, 0, "Invalid argument passed to --chmod (%s)", arg);
	return 0;
}

/* Which sum, which compression: nothing is sent, but the names have to be right. */
static int check_choice(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const sums[] = { "auto", "xxh128", "xxh3", "xxh64", "xxhash",
					    "md5",  "md4",    "sha1", "none",  NULL };
	static const char *const packers[] = {
		"auto", "zstd", "lz4", "zlibx", "zlib", "none", NULL
	};
	bool sum = opt->name[0] == 'c' && opt->name[1] != 'o';
	const char *const *known = sum ? sums : packers;
	const char *comma = sum ? strchr(arg, ',') : NULL;
	size_t len = comma != NULL ? (size_t)(comma - arg) : strlen(arg);
	bool good = comma == NULL;
	bool first = false;
	struct buf line = buf_in(c->arena);

	for (size_t i = 0; known[i] != NULL; i++) {
		first |= rsync_same_word(known[i], (struct bytes){ arg, len });
		good |= comma != NULL && rsync_same_word(known[i], bytes_of(comma + 1));
	}
	if (first && good)
		return 0;
	buf_printf(&line, "unknown %s name: %s\n", sum ? "checksum" : "compress", arg);
	cmd_err_write(c, line.ptr, line.len);
	return rsync_finish(c, RSYNC_UNSUPPORTED);
}

static int check_outbuf(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (*arg != '\0')
		return 0;
	cmd_error(c, 0, "Invalid --outbuf setting -- specify N, L, or B.");
	return rsync_finish(c, RSYNC_SYNTAX);
}

/* A number that has no effect, and one that has. */
static int check_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	bool alone = false;
	uint64_t n;

	if (num_plain(arg + (*arg == '-'), &n))
		return 0;
	/* An argument of its own is told without the option. */
	for (int i = 1; i < c->argc; i++)
		alone |= c->argv[i] == arg;
	if (alone)
		cmd_error(c, 0, "%s: invalid numeric value", arg);
	else
		cmd_error(c, 0, "--%s=%s: invalid numeric value", opt->name, arg);
	return rsync_finish(c, RSYNC_SYNTAX);
}

static int refuse_contimeout(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char text[] =
		"The --contimeout option may only be used when connecting to an rsync daemon.\n";
	int status = check_number(c, opt, arg);

	if (status != 0 || strcmp(arg, "0") == 0)
		return status;
	cmd_err_write(c, text, sizeof text - 1);
	return rsync_finish(c, RSYNC_SYNTAX);
}

static int set_max_delete(struct cmd *c, const struct opt *opt, const char *arg)
{
	uint64_t n = 0;
	int status = check_number(c, opt, arg);

	if (status == 0 && *arg != '-')
		num_plain(arg, &n);
	opts_of(c)->max_delete = n < INT64_MAX ? (int64_t)n : INT64_MAX;
	return status;
}

static int set_merge_files(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = opts_of(c);

	(void)opt, (void)arg;
	return filters_rule(o->filters, o->merge_files++ == 0 ? BYTES(": /.rsync-filter")
							      : BYTES("- .rsync-filter"));
}

/* A size of blocks or a rate, which has no effect. */
static int check_size(struct cmd *c, const struct opt *opt, const char *arg)
{
	size_t digits = strspn(arg, "0123456789.");

	if (digits > 0 && strspn(arg + digits, "kKmMgGtTpPiBb") == strlen(arg + digits))
		return 0;
	cmd_error(c, 0, "--%s=%s is invalid", opt->name, arg);
	return rsync_finish(c, RSYNC_SYNTAX);
}

#define NO(long_, field_)                                                                          \
	{                                                                                          \
		.name = (long_), .kind = OPT_KIND_CALL, .fn = set_off,                             \
		.offset = OPT_FIELD(struct rsync_opts, field_, bool)                               \
	}
#define WITH(letter_, long_, fn_, value_, meta_, text_)                                            \
	{                                                                                          \
		.letter = (letter_), .name = (long_), .kind = OPT_KIND_CALL, .fn = (fn_),          \
		.arg = (meta_) != NULL ? OPT_ARG_REQUIRED : OPT_ARG_NONE, .metavar = (meta_),      \
		.value = (value_), .help = (text_)                                                 \
	}
#define FLAG(s, l, field, text) OPT_FLAG(s, l, struct rsync_opts, field, text)

static const struct opt rsync_options[] = {
	OPT_CALL('a', "archive", set_archive, "as -rlptgoD"),
	FLAG('r', "recursive", recursive, "enter directories"),
	NO("no-recursive", recursive),
	NO("no-r", recursive),
	FLAG('d', "dirs", dirs, "copy directories without entering them"),
	FLAG('R', "relative", relative, "names are whole paths"),
	NO("no-relative", relative),
	NO("no-R", relative),
	FLAG(0, "no-implied-dirs", no_implied_dirs, "-R: no directories that only lead there"),
	FLAG('l', "links", links, "copy symlinks as symlinks"),
	NO("no-links", links),
	NO("no-l", links),
	FLAG('L', "copy-links", copy_links, "copy what symlinks point to"),
	FLAG(0, "safe-links", safe_links, "leave out symlinks that lead out of the tree"),
	FLAG('K', "keep-dirlinks", keep_dirlinks, "a symlink to a directory there is one"),
	FLAG('H', "hard-links", hard_links, "keep hard links"),
	NO("no-hard-links", hard_links),
	NO("no-H", hard_links),
	FLAG('p', "perms", perms, "keep permissions"),
	NO("no-perms", perms),
	NO("no-p", perms),
	FLAG('E', "executability", executability, "keep whether files are executable"),
	OPT_CALL_ARG(0, "chmod", set_chmod, "MODES",
		     "change permissions; D... and F... of one type"),
	FLAG('o', "owner", owner, "keep owners (root only)"),
	NO("no-owner", owner),
	NO("no-o", owner),
	OPT_STR(0, "chown", struct rsync_opts, chown, NULL, "USER:GROUP", "give files to them"),
	FLAG('g', "group", group, "keep groups"),
	NO("no-group", group),
	NO("no-g", group),
	WITH('D', NULL, set_devices, 1, NULL, "as --devices --specials"),
	WITH(0, "no-D", set_devices, 0, NULL, NULL),
	FLAG(0, "devices", devices, "copy devices as devices"),
	NO("no-devices", devices),
	FLAG(0, "specials", specials, "copy pipes as pipes"),
	NO("no-specials", specials),
	FLAG('t', "times", times, "keep times of change"),
	NO("no-times", times),
	NO("no-t", times),
	FLAG('O', "omit-dir-times", omit_dir_times, "-t: not those of directories"),
	FLAG('J', "omit-link-times", omit_link_times, "-t: not those of symlinks"),
	FLAG('n', "dry-run", dry_run, "only say what would be done"),
	OPT_COUNT('v', "verbose", struct rsync_opts, verbose,
		  "say what is done; twice: and what not"),
	FLAG('q', "quiet", quiet, "only errors"),
	OPT_COUNT('i', "itemize-changes", struct rsync_opts, itemize, "say what differs in each"),
	OPT_STR(0, "out-format", struct rsync_opts, out_format, NULL, "FORMAT",
		"what is said: %n %f %i %l %L %o"),
	FLAG(0, "stats", stats, "count at the end"),
	FLAG('h', "human-readable", human, "sizes as 1.23M"),
	OPT_CALL(0, "progress", rsync_set_progress, "say how far each file is"),
	OPT_CALL('P', NULL, rsync_set_progress, "as --partial --progress"),
	OPT_CALL_ARG(0, "info", rsync_set_info, "FLAGS", "what is said; help lists it"),
	OPT_STR(0, "log-file", struct rsync_opts, log_file, NULL, "FILE", "say it in FILE, too"),
	FLAG(0, "list-only", list_only, "list the sources"),
	FLAG('8', "8-bit-output", eight_bit, "bytes of names as they are"),
	FLAG('c', "checksum", checksum, "compare contents, not times"),
	NO("no-checksum", checksum),
	FLAG('I', "ignore-times", ignore_times, "copy files though size and time are the same"),
	FLAG(0, "size-only", size_only, "compare sizes only"),
	FLAG('u', "update", update, "leave files that are newer there"),
	FLAG(0, "existing", existing, "make nothing new"),
	FLAG(0, "ignore-non-existing", existing, NULL),
	FLAG(0, "ignore-existing", ignore_existing, "change nothing that is there"),
	WITH(0, "max-size", set_size, 1, "SIZE", "leave out larger files"),
	WITH(0, "min-size", set_size, 0, "SIZE", "leave out smaller files"),
	FLAG(0, "remove-source-files", remove_source, "remove files that were copied"),
	FLAG(0, "append", append, "add what is missing at the end of shorter files"),
	FLAG(0, "inplace", inplace, "write over files, not beside them"),
	FLAG('x', "one-file-system", one_device, "stay on one device"),
	FLAG('m', "prune-empty-dirs", prune_empty, "leave out directories without files"),
	WITH(0, "delete", set_delete, DELETE_BEFORE, NULL, "delete what the sources have not"),
	WITH(0, "del", set_delete, DELETE_BEFORE, NULL, NULL),
	WITH(0, "delete-before", set_delete, DELETE_BEFORE, NULL, "the same"),
	WITH(0, "delete-during", set_delete, DELETE_BEFORE, NULL, NULL),
	WITH(0, "delete-after", set_delete, DELETE_AFTER, NULL, "delete at the end"),
	WITH(0, "delete-delay", set_delete, DELETE_AFTER, NULL, NULL),
	WITH(0, "delete-excluded", set_delete, DELETE_NOT, NULL, "and what is excluded"),
	OPT_CALL_ARG(0, "max-delete", set_max_delete, "NUM", "delete no more than NUM"),
	FLAG(0, "ignore-missing-args", ignore_missing, "sources that are not there are no error"),
	FLAG(0, "force", force, "remove directories for files though they are not empty"),
	FLAG('b', "backup", backup, "keep what is replaced or deleted"),
	OPT_STR(0, "backup-dir", struct rsync_opts, backup_dir, NULL, "DIR", "-b: below DIR"),
	OPT_STR(0, "suffix", struct rsync_opts, suffix, NULL, "SUFFIX", "-b: how names end (~)"),
	WITH(0, "link-dest", set_alternative, 'l', "DIR", "link what is the same in DIR"),
	WITH(0, "copy-dest", set_alternative, 'c', "DIR", "copy what is the same in DIR"),
	WITH(0, "compare-dest", set_alternative, 0, "DIR", "leave out what is the same in DIR"),
	FLAG(0, "mkpath", mkpath, "make the directories that lead to DEST"),
	WITH(0, "exclude", set_pattern, 0, "PATTERN", "leave out what matches"),
	WITH(0, "include", set_pattern, 1, "PATTERN", "take what matches, whatever follows"),
	WITH(0, "exclude-from", set_pattern_file, 0, "FILE", "patterns, one a line"),
	WITH(0, "include-from", set_pattern_file, 1, "FILE", "the same"),
	OPT_CALL_ARG('f', "filter", set_filter, "RULE",
		     "- + H S P R with a pattern, \". FILE\" with rules, \": FILE\" in each"),
	FLAG('C', "cvs-exclude", cvs, "leave out what CVS ignores"),
	OPT_CALL('F', NULL, set_merge_files,
		 "rules of each directory's .rsync-filter; again: leave it out"),
	OPT_STR(0, "files-from", struct rsync_opts, files_from, NULL, "FILE", "names to copy"),
	FLAG('0', "from0", from0, "names in files end with NUL"),
	OPT_IGNORED('z', "compress", "no effect: nothing is sent"),
	OPT_CALL_ARG(0, "compress-level", check_number, "N", NULL),
	OPT_IGNORED_ARG('e', "rsh", "COMMAND", "no effect, as --rsync-path, --bwlimit, --timeout"),
	OPT_IGNORED_ARG(0, "rsync-path", "PROGRAM", NULL),
	OPT_CALL_ARG(0, "bwlimit", check_size, "RATE", NULL),
	OPT_CALL_ARG(0, "timeout", check_number, "SECONDS", NULL),
	OPT_CALL_ARG(0, "contimeout", refuse_contimeout, "SECONDS", NULL),
	FLAG('W', "whole-file", whole_file, "no effect, as -S -A -s --partial --numeric-ids"),
	NO("no-whole-file", whole_file),
	NO("no-W", whole_file),
	OPT_IGNORED('S', "sparse", NULL),
	OPT_IGNORED('A', "acls", NULL),
	FLAG('X', "xattrs", xattrs, "keep extended attributes"),
	NO("no-xattrs", xattrs),
	NO("no-X", xattrs),
	OPT_IGNORED('s', "protect-args", NULL),
	OPT_IGNORED(0, "secluded-args", NULL),
	OPT_IGNORED(0, "partial", NULL),
	OPT_IGNORED(0, "numeric-ids", NULL),
	OPT_IGNORED(0, "no-inc-recursive", NULL),
	OPT_IGNORED(0, "no-i-r", NULL),
	OPT_IGNORED(0, "fsync", NULL),
	OPT_IGNORED('y', "fuzzy", NULL),
	OPT_IGNORED('4', "ipv4", NULL),
	OPT_IGNORED('6', "ipv6", NULL),
	OPT_IGNORED(0, "delay-updates", NULL),
	OPT_IGNORED(0, "ignore-errors", NULL),
	OPT_IGNORED(0, "inc-recursive", NULL),
	OPT_IGNORED(0, "i-r", NULL),
	FLAG(0, "msgs2stderr", to_stderr, NULL),
	OPT_IGNORED(0, "no-motd", NULL),
	OPT_IGNORED(0, "old-args", NULL),
	OPT_IGNORED(0, "open-noatime", NULL),
	OPT_IGNORED(0, "preallocate", NULL),
	OPT_IGNORED(0, "trust-sender", NULL),
	OPT_CALL_ARG('B', "block-size", check_size, "SIZE", NULL),
	OPT_CALL_ARG(0, "checksum-choice", check_choice, "NAME", NULL),
	OPT_CALL_ARG(0, "cc", check_choice, "NAME", NULL),
	OPT_CALL_ARG(0, "compress-choice", check_choice, "NAME", NULL),
	OPT_CALL_ARG(0, "zc", check_choice, "NAME", NULL),
	OPT_CALL_ARG(0, "debug", rsync_set_debug, "FLAGS", NULL),
	OPT_CALL_ARG(0, "outbuf", check_outbuf, "MODE", NULL),
	OPT_IGNORED_ARG(0, "partial-dir", "DIR", NULL),
	OPT_IGNORED_ARG(0, "skip-compress", "LIST", NULL),
	OPT_STR('T', "temp-dir", struct rsync_opts, temp_dir, NULL, "DIR", NULL),
	OPT_MISSING('k', "copy-dirlinks"),
	OPT_MISSING(0, "copy-unsafe-links"),
	OPT_MISSING(0, "munge-links"),
	OPT_MISSING(0, "delete-missing-args"),
	OPT_MISSING_ARG(0, "log-file-format"),
	OPT_MISSING(0, "append-verify"),
	OPT_MISSING(0, "daemon"),
	OPT_MISSING_ARG(0, "usermap"),
	OPT_MISSING_ARG(0, "groupmap"),
	OPT_MISSING_ARG(0, "iconv"),
	OPT_MISSING_ARG(0, "write-batch"),
	OPT_MISSING_ARG(0, "read-batch"),
	OPT_END(),
};

/* --- the destination --- */

static int no_dest(struct cmd *c, const char *what, const char *path, int err, int code)
{
	rsync_failed(c, "Receiver", what, path, err);
	return rsync_finish(c, code);
}

/* mkdir -p of all that lead to path; whole: and of path itself. */
static void make_path(struct cmd *c, const char *path, bool whole)
{
	char *copy = arena_dup(c->arena, bytes_of(path));

	for (size_t i = 1; copy[i] != '\0'; i++) {
		if (copy[i] != '/')
			continue;
		copy[i] = '\0';
		cmd_mkdir(c, CMD_CWD, copy, 0777);
		copy[i] = '/';
	}
	if (whole)
		cmd_mkdir(c, CMD_CWD, copy, 0777);
}

static char *trimmed(struct cmd *c, const char *path)
{
	struct bytes p = bytes_of(path);

	while (p.len > 1 && p.ptr[p.len - 1] == '/')
		p.len--;
	return arena_dup(c->arena, p);
}

/* A file that is to get the name of the destination: its directory must be there. */
static int check_parent(struct cmd *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct vfs_stat st;

	if (slash == NULL || slash == path)
		return 0;
	const char *dir = arena_dup(c->arena, (struct bytes){ path, (size_t)(slash - path) });
	int err = cmd_stat(c, dir, &st);

	return err < 0 ? no_dest(c, "change_dir#3", dir, err, RSYNC_FILES) : 0;
}

/* Finds out what the destination is, and makes it. 0, or a status. */
/* -T: files are made beside their places all the same, but the directory has to be there. */
static int check_temp_dir(struct cmd *c, const struct updater *u)
{
	const char *dir = u->o->temp_dir;
	struct buf line = buf_in(c->arena);
	struct vfs_stat st;
	int err;

	if (dir == NULL)
		return 0;
	if (dir[0] != '/' && !u->dest_is_file)
		dir = joined_path(c, u->dest, dir);
	err = cmd_stat(c, dir, &st);
	if (err >= 0 && (st.mode & S_FMT) == S_DIR)
		return 0;
	buf_printf(&line, "The temp-dir %s: %s\n",
		   err < 0 ? "does not exist" : "is not a directory",
		   err < 0 ? u->o->temp_dir : dir);
	cmd_flush(c);
	cmd_err_write(c, line.ptr, line.len);
	return rsync_finish(c, RSYNC_SYNTAX);
}

static int prepare_dest(struct cmd *c, struct updater *u, const char *arg, size_t nsources)
{
	static const char many[] =
		"ERROR: destination must be a directory when copying more than 1 file\n";
	const struct rsync_opts *o = u->o;
	const struct list *l = u->list;
	bool slash = bytes_ends(bytes_of(arg), BYTES("/"));
	bool one = l->n == 0 ||
		   (l->n == 1 && nsources >= 1 && (l->entry[0]->st.mode & S_FMT) != S_DIR);
	struct vfs_stat st;

	u->dest = trimmed(c, arg);
	int err = cmd_stat(c, u->dest, &st);
	bool is_dir = err >= 0 && (st.mode & S_FMT) == S_DIR;

	if (is_dir)
		return 0;
	if (err >= 0 && !one) {
		cmd_err_write(c, many, sizeof many - 1);
		return rsync_finish(c, RSYNC_FILES);
	}
	if (o->mkpath && !o->dry_run)
		make_path(c, u->dest, slash || !one);
	if (one && !slash) {
		u->dest_is_file = true;
		return o->dry_run ? 0 : check_parent(c, u->dest);
	}
	err = o->dry_run || o->mkpath ? 0 : cmd_mkdir(c, CMD_CWD, u->dest, 0777);
	if (err < 0)
		return no_dest(c, "mkdir", u->dest, err, RSYNC_IO);
	if ((rsync_says(o, INFO_NAME) > 0 || o->itemize > 0 ||
	     (o->out_format != NULL && strstr(o->out_format, "%i") != NULL)) &&
	    !o->quiet)
		cmd_printf(c, "created directory %s\n", u->dest);
	u->dest_is_new = true;
	return 0;
}

/* --- --delete --- */

static void delete_in(struct updater *u, const struct entry *dir)
{
	struct cmd *c = u->c;
	struct vfs_dirent *list;
	const char *path = dest_path(c, u, dir->name);
	size_t n = 0;

	if (cmd_list(c, CMD_CWD, path, c->arena, &list, &n) < 0)
		return;
	filters_enter(u->o->filters, SIDE_RECEIVER, dir->name, path);
	/* Last first, directories before files: the reverse of a list. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = n; i-- > 0;) {
			bool is_dir = list[i].type == S_DIR;
			struct buf name = buf_in(c->arena);
			struct vfs_stat st;

			cmd_charge(c, 2);
			if (is_dir != (pass == 0))
				continue;
			if (strcmp(dir->name, ".") != 0)
				buf_printf(&name, "%s/", dir->name);
			buf_puts(&name, list[i].name.ptr);
			buf_cstr(&name);
			if (list_find(u->list, name.ptr, true) != NULL ||
			    list_find(u->list, name.ptr, false) != NULL ||
			    filters_exclude(u->o->filters, buf_bytes(&name), is_dir, SIDE_RECEIVER))
				continue;
			if (cmd_lstat(c, dest_path(c, u, name.ptr), &st) >= 0)
				delete_item(u, name.ptr, &st, false);
		}
	}
}

static void delete_all(struct updater *u)
{
	if (u->list->failed) {
		cmd_puts(u->c, "IO error encountered -- skipping file deletion\n");
		return;
	}
	for (size_t i = 0; i < u->list->n && !u->dest_is_file; i++) {
		struct entry *e = u->list->entry[i];
		struct arena_mark mark = arena_mark(u->c->arena);

		/* Deleting changes its time, which is no difference. */
		if (e->listed && !u->dest_is_new)
			e->had_stat = cmd_lstat(u->c, dest_path(u->c, u, e->name), &e->was) >= 0;
		if (e->listed)
			delete_in(u, e);
		arena_release(u->c->arena, mark);
	}
}

/* --- all of it --- */

static void say_skipped(struct cmd *c, const struct updater *u)
{
	const struct rsync_opts *o = u->o;

	for (size_t i = 0; i < u->list->n; i++) {
		const struct entry *e = u->list->entry[i];
		uint32_t k = e->st.mode & S_FMT;
		bool special = k == S_FIFO || k == S_SOCK;
		bool wanted = k == S_REG || k == S_DIR || (k == S_LNK && o->links) ||
			      (special && o->specials) || (!special && k != S_LNK && o->devices);
		struct buf name = buf_in(c->arena);

		if (wanted || rsync_says(o, INFO_NONREG) == 0)
			continue;
		rsync_name(c, o, &name, e->name);
		cmd_printf(c, "skipping non-regular file \"%s\"\n", buf_cstr(&name));
	}
}

static void put_list_line(struct cmd *c, const struct entry *e, const struct zone *zone);

static int list_only(struct cmd *c, const struct list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct arena_mark mark = arena_mark(c->arena);

		put_list_line(c, l->entry[i], zone_of_command(c));
		arena_release(c->arena, mark);
	}
	return rsync_finish(c, l->failed ? RSYNC_PARTIAL : 0);
}

static void put_list_line(struct cmd *c, const struct entry *e, const struct zone *zone)
{
	struct buf line = buf_in(c->arena);
	struct buf size = buf_in(c->arena);
	struct civil when;
	char mode[11];

	mode_text(e->st.mode, mode);
	rsync_number(&size, opts_of(c), e->st.size);
	buf_printf(&line, "%s %14s ", mode, buf_cstr(&size));
	time_civil(zone, e->st.mtime_ns / NS, &when);
	time_format(&line, BYTES("%Y/%m/%d %H:%M:%S "), &when, 0, TIME_LIBC);
	rsync_name(c, opts_of(c), &line, e->name);
	if (e->target != NULL && opts_of(c)->list_targets)
		buf_printf(&line, " -> %s", e->target);
	buf_putc(&line, '\n');
	cmd_bytes(c, buf_bytes(&line));
}

static bool is_remote(const char *path)
{
	const char *colon = strchr(path, ':');
	const char *slash = strchr(path, '/');

	return colon != NULL && colon != path && (slash == NULL || colon < slash);
}

static void put_head(struct cmd *c, const struct rsync_opts *o)
{
	bool at_once = o->recursive && !o->prune_empty && o->files_from == NULL &&
		       o->deletes != DELETE_AFTER;

	if (rsync_says(o, INFO_FLIST) == 0 || !(o->recursive || o->dirs))
		return;
	cmd_puts(c, at_once ? "sending incremental file list\n" : "building file list ... done\n");
}

static int check_operands(struct cmd *c)
{
	for (int i = 0; i < c->nargs; i++)
		if (is_remote(c->args[i]))
			return cmd_error(c, 0, "there is no network: %s can't be reached",
					 c->args[i]);
	if (c->nargs > 0)
		return 0;
	cmd_usage(c, "a source and a destination are needed");
	return rsync_finish(c, RSYNC_SYNTAX);
}

static int check_options(struct cmd *c, const struct rsync_opts *o, bool only_list)
{
	const char *text = NULL;

	if (o->deletes != DELETE_NOT && !o->recursive && !o->dirs && !only_list)
		text = "--delete does not work without --recursive (-r) or --dirs (-d).";
	else if (o->append && o->whole_file)
		text = "--append cannot be used with --whole-file";
	else if (o->suffix != NULL && strchr(o->suffix, '/') != NULL)
		text = "--suffix cannot contain slashes: ";
	if (text == NULL)
		return 0;
	cmd_error(c, 0, "%s%s", text, bytes_ends(bytes_of(text), BYTES(": ")) ? o->suffix : "");
	return rsync_finish(c, RSYNC_SYNTAX);
}

static uint32_t chown_id(struct cmd *c, const char *name, bool group)
{
	struct buf line = buf_in(c->arena);
	uint64_t number;
	uint32_t id;

	if (num_plain(name, &number) && number < UINT32_MAX)
		return (uint32_t)number;
	if (group ? cmd_group_id(c, name, &id) : cmd_user_id(c, name, &id, &(uint32_t){ 0 }))
		return id;
	buf_printf(&line, "Unknown --%s name on receiver: %s\n", group ? "groupmap" : "usermap",
		   name);
	cmd_err_write(c, line.ptr, line.len);
	return UINT32_MAX;
}

/* --chown=USER:GROUP; one of them may be left out. */
static void read_chown(struct cmd *c, struct rsync_opts *o)
{
	o->chown_uid = o->chown_gid = UINT32_MAX;
	if (o->chown == NULL)
		return;
	size_t n = strcspn(o->chown, ":");
	const char *group = o->chown[n] == ':' ? o->chown + n + 1 : "";

	if (n > 0) {
		o->owner = true;
		o->chown_uid = chown_id(c, arena_dup(c->arena, (struct bytes){ o->chown, n }),
					false);
	}
	if (*group != '\0') {
		o->group = true;
		o->chown_gid = chown_id(c, group, true);
	}
}

/* --compare-dest and its kin that are not there. */
static void check_alternatives(struct cmd *c, const struct updater *u)
{
	const struct rsync_opts *o = u->o;

	for (size_t i = 0; i < o->nalt; i++) {
		const char *dir = o->alt_dir[i];
		const char *path = dir[0] == '/' ? dir : joined_path(c, u->dest, dir);
		struct buf line = buf_in(c->arena);
		struct vfs_stat st;
		char *dest = NULL;

		if (cmd_stat(c, path, &st) >= 0 ||
		    cmd_canonical(c, u->dest, CANON_MISSING | CANON_NOLINKS, &dest) < 0)
			continue;
		buf_printf(&line, "--%s-dest arg does not exist: %s\n",
			   o->alt_links    ? "link"
			   : o->alt_copies ? "copy"
					   : "compare",
			   dir[0] == '/' ? dir : joined_path(c, dest, dir));
		cmd_err_write(c, line.ptr, line.len);
	}
}

/* --files-from: its names are below a directory. */
static int check_root(struct cmd *c, const struct rsync_opts *o)
{
	struct vfs_stat st;
	int err = o->files_from != NULL ? cmd_stat(c, c->args[0], &st) : 0;

	if (err >= 0 || c->nargs < 2)
		return 0;
	rsync_failed(c, "sender", "change_dir", c->args[0], err);
	return rsync_finish(c, RSYNC_FILES);
}

static int rsync_run(struct cmd *c)
{
	struct rsync_opts *o = opts_of(c);
	struct updater u = { .c = c, .o = o };
	bool only_list = o->list_only || c->nargs == 1;
	size_t nsources = (size_t)(c->nargs - (c->nargs > 1));
	struct list list;
	int status = check_operands(c);

	if (status != 0)
		return status;
	status = check_options(c, o, only_list);
	if (status != 0)
		return status;
	if (o->to_stderr)
		output_init(&c->out, c, 2, false);
	o->backup |= o->backup_dir != NULL;
	if (o->cvs)
		filters_cvs(o->filters);
	if (o->delete_excluded)
		filters_sender_only(o->filters);
	rsync_open_log(c, o);
	rsync_log(c, o, BYTES("building file list"));
	o->relative |= o->files_from != NULL;
	o->dirs |= o->files_from != NULL || only_list;
	o->list_targets = o->links;
	o->links |= only_list;
	read_chown(c, o);
	put_head(c, o);
	status = check_root(c, o);
	if (status != 0)
		return status;
	list_read(c, o, c->args, nsources, &list);
	if (only_list)
		return list_only(c, &list);
	u.list = &list;
	u.totals.sent = 60 + list.n * 20;
	u.totals.received = 35;
	status = prepare_dest(c, &u, c->args[c->nargs - 1], nsources);
	if (status == 0)
		status = check_temp_dir(c, &u);
	if (status != 0)
		return status;
	if (o->verbose > 1 && !o->quiet)
		cmd_puts(c, "delta-transmission disabled for local transfer or --whole-file\n");
	check_alternatives(c, &u);
	update_find_links(&u);
	say_skipped(c, &u);
	if (o->deletes == DELETE_BEFORE)
		delete_all(&u);
	for (u.done = 0; u.done < list.n; u.done++)
		update_entry(&u, list.entry[u.done]);
	if (o->deletes == DELETE_AFTER)
		delete_all(&u);
	update_dirs(&u);
	return rsync_end(c, &u);
}

static void rsync_defaults(struct cmd *c)
{
	struct rsync_opts *o = opts_of(c);

	o->max_size = UINT64_MAX;
	o->max_delete = -1;
	o->filters = filters_new(c);
}

const struct builtin builtin_rsync = {
	.name = "rsync",
	.usage = "[OPTION]... SOURCE... DEST",
	.summary = "Makes DEST the same as the sources, copying what differs.\n"
		   "SOURCE/ is what the directory holds, SOURCE the directory itself.",
	.run = rsync_run,
	.opts = rsync_options,
	.opts_size = sizeof(struct rsync_opts),
	.usage_status = RSYNC_SYNTAX,
	.error_status = RSYNC_SYNTAX,
	.family = "rsync 3.2.7",
	.version = "rsync  version 3.2.7  protocol version 31",
	.defaults = rsync_defaults,
};
