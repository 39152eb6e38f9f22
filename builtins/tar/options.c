/* SPDX-License-Identifier: MIT
 *
 * tar's options.
 */
#include "builtins/tar/tar.h"

#include "builtins/ask.h"
#include "builtins/date_parse.h"

static int opt_mode(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)arg;
	if (t->mode != TAR_NONE && t->mode != (enum tar_mode)o->value)
		return TAR_USAGE(c, "You may not specify more than one '-Acdtrux', '--delete' or  "
				    "'--test-label' option");
	t->mode = (enum tar_mode)o->value;
	return 0;
}

static int opt_filter(struct cmd *c, const struct opt *o, const char *arg)
{
	static const char *const programs[] = {
		['z'] = "gzip", ['j'] = "bzip2", ['J'] = "xz",   ['Z'] = "compress",
		['s'] = "zstd", ['m'] = "lzma",  ['l'] = "lzip", ['o'] = "lzop",
	};
	struct tar *t = c->opts;
	const char *program = arg != NULL ? arg : programs[o->value];

	if (t->filter != NULL && strcmp(t->filter, program) != 0)
		return TAR_USAGE(c, "Conflicting compression options");
	t->filter = program;
	return 0;
}

static int opt_format(struct cmd *c, const struct opt *o, const char *arg)
{
	static const struct opt_word words[] = {
		{ "gnu", TAR_GNU }, { "oldgnu", TAR_OLDGNU }, { "ustar", TAR_USTAR },
		{ "v7", TAR_V7 },   { "posix", TAR_PAX },     { "pax", TAR_PAX },
		{ NULL, 0 },
	};
	struct tar *t = c->opts;

	t->has_format = true;
	if (arg == NULL) {
		t->format = (enum tar_format)o->value;
		return 0;
	}
	for (const struct opt_word *w = words; w->word != NULL; w++)
		if (strcmp(w->word, arg) == 0) {
			t->format = (enum tar_format)w->value;
			return 0;
		}
	return TAR_USAGE(c, "%s: Invalid archive format", arg);
}

/* Also when it is taken back: the archive is POSIX's. */
static int opt_attributes(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)arg;
	*(o->value == 'x' ? &t->xattrs : o->value == 'a' ? &t->acls : &t->selinux) = 1;
	t->with_attributes = true;
	return 0;
}

static int opt_blocks(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	uint64_t v = 0;

	if (o->letter == 'b') {
		if (num_parse_u64(arg, "", &v) != 0 || v == 0 || v > TAR_FACTOR_MAX)
			return TAR_USAGE(c, "%s: Invalid blocking factor", arg);
		t->factor = v;
		return 0;
	}
	if (num_parse_u64(arg, "bcGKkMmPTw", &v) != 0)
		return TAR_USAGE(c, "%s: Invalid record size", arg);
	if (v == 0 || v % TAR_BLOCK != 0)
		return TAR_USAGE(c, "Record size must be a multiple of %d.", TAR_BLOCK);
	if (v / TAR_BLOCK > TAR_FACTOR_MAX)
		return TAR_USAGE(c, "%s: Invalid record size", arg);
	t->factor = v / TAR_BLOCK;
	return 0;
}

static int opt_length(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	uint64_t v = 0;
	size_t len = strlen(arg);

	(void)o;
	if (num_parse_u64(arg, "bBcGKkMmPTw", &v) != 0 || v > UINT64_MAX / 1024)
		return TAR_USAGE(c, "%s: Invalid tape length", arg);
	t->volumes.bytes = byte_is_digit((unsigned char)arg[len - 1]) ? v * 1024 : v;
	t->volumes.wanted = true;
	return 0;
}

static int opt_script(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	t->volumes.script = arg;
	t->volumes.wanted = true;
	return 0;
}

/* The first is the archive; with -M it goes on in the others. */
static int opt_file(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar_volumes *v = &((struct tar *)c->opts)->volumes;

	(void)o;
	if (v->n == v->cap) {
		const char **old = v->file;

		v->cap = v->cap * 2 + 4;
		v->file = arena_array(c->arena, v->cap, sizeof(*v->file));
		for (size_t i = 0; i < v->n; i++)
			v->file[i] = old[i];
	}
	v->file[v->n++] = arg;
	((struct tar *)c->opts)->file = v->file[0];
	return 0;
}

/* Options that count from where they stand. */
static int opt_item(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	struct buf name = buf_in(c->arena);

	t->starting |= o->letter == 'K';
	if (o->letter == 'C')
		buf_puts(&name, "-C");
	else
		buf_printf(&name, "--%s", o->name);
	tar_item_add(t, (struct tar_item){
				.kind = (enum tar_item_kind)o->value,
				.arg = arg,
				.option = buf_cstr(&name),
				.null = t->null_names,
				.verbatim = t->verbatim,
			});
	return 0;
}

struct match_option {
	const char *name;
	unsigned set;
	unsigned clear;
};

static const struct match_option match_options[] = {
	{ "anchored", MATCH_ANCHORED, MATCH_NO_ANCHORED },
	{ "no-anchored", MATCH_NO_ANCHORED, MATCH_ANCHORED },
	{ "ignore-case", MATCH_ICASE, 0 },
	{ "no-ignore-case", 0, MATCH_ICASE },
	{ "wildcards", MATCH_WILDCARDS, MATCH_NO_WILDCARDS },
	{ "no-wildcards", MATCH_NO_WILDCARDS, MATCH_WILDCARDS },
	{ "wildcards-match-slash", 0, MATCH_NO_SLASH },
	{ "no-wildcards-match-slash", MATCH_NO_SLASH, 0 },
	{ "recursion", 0, MATCH_NO_RECURSION },
	{ "no-recursion", MATCH_NO_RECURSION, 0 },
};

bool tar_match_option(const char *name, unsigned *set, unsigned *clear)
{
	for (size_t i = 0; i < sizeof match_options / sizeof *match_options; i++)
		if (strcmp(match_options[i].name, name) == 0) {
			*set = match_options[i].set;
			*clear = match_options[i].clear;
			return true;
		}
	return false;
}

static int opt_match(struct cmd *c, const struct opt *o, const char *arg)
{
	const struct match_option *m = &match_options[o->value];
	struct buf name = buf_in(c->arena);

	(void)arg;
	buf_printf(&name, "--%s", m->name);
	tar_item_add(c->opts, (struct tar_item){ .kind = ITEM_MATCH,
						 .option = buf_cstr(&name),
						 .flags = m->set,
						 .mask = m->clear });
	return 0;
}

static int opt_null(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)arg;
	t->null_names = o->value;
	t->verbatim = o->value;
	return 0;
}

/* Lists of patterns under one name. */
static int opt_excludes(struct cmd *c, const struct opt *o, const char *arg)
{
	static const char *const vcs[] = {
		"CVS",
		".cvsignore",
		"RCS",
		"SCCS",
		".git",
		".gitignore",
		".gitattributes",
		".gitmodules",
		".svn",
		".arch-ids",
		"{arch}",
		"=RELEASE-ID",
		"=meta-update",
		"=update",
		".bzr",
		".bzrignore",
		".bzrtags",
		".hg",
		".hgignore",
		".hgtags",
		"_darcs",
		NULL,
	};
	static const char *const backups[] = { ".#*", "*~", "#*#", NULL };

	(void)arg;
	for (const char *const *p = o->value ? vcs : backups; *p != NULL; p++)
		names_exclude(c->opts, *p, 0);
	return 0;
}

static int opt_tag(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	struct tar_tag *tag = arena_zalloc(c->arena, sizeof *tag);

	tag->name = arg != NULL ? arg : "CACHEDIR.TAG";
	tag->what = o->value;
	tag->next = t->tags;
	t->tags = tag;
	return 0;
}

/* "NAME", "NAME:ID", "ID", ":ID" or "+ID". */
static int opt_owner(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	bool user = strcmp(o->name, "owner") == 0;
	const char *colon = strchr(arg, ':');
	const char *number = colon != NULL ? colon + 1 : arg + (*arg == '+');
	char *name = arena_dup(c->arena, (struct bytes){ arg, colon != NULL ? (size_t)(colon - arg)
									    : strlen(arg) });
	uint64_t id = 0;
	uint32_t known = 0;
	uint32_t unused;
	bool has_id = num_plain(number, &id);

	if (colon != NULL && !has_id && *number != '\0')
		return TAR_USAGE(c, user ? "%s: Invalid owner or group ID" : "%s: Invalid group",
				 number);
	if (!has_id) {
		/* A name that nobody has is stored without a number. */
		has_id = user ? cmd_user_id(c, name, &known, &unused)
			      : cmd_group_id(c, name, &known);
		id = known;
	} else if (colon == NULL) {
		name = arena_dup(c->arena, BYTES(""));
	}
	const char **text = user ? &t->owner : &t->group;

	*text = name;
	if (*name == '\0')
		*text = NULL;
	*(user ? &t->has_uid : &t->has_gid) = has_id;
	*(user ? &t->uid : &t->gid) = id;
	return 0;
}

static int opt_file_mode(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	t->mode_change = mode_parse(c, arg);
	if (t->mode_change == NULL)
		tar_fatal(t, 0, "Invalid mode given on option");
	return 0;
}

/* A date, or the time of a file when the text begins with '/' or '.'. */
bool tar_read_date(struct cmd *c, const char *arg, int64_t *out)
{
	struct vfs_stat st;

	if (arg[0] == '/' || arg[0] == '.') {
		int err = cmd_stat(c, arg, &st);

		if (err < 0) {
			struct tar *t = c->opts;

			tar_fatal(t, err, "%s: Cannot stat", tar_quote(t, arg));
		}
		*out = st.mtime_ns;
		return true;
	}
	return date_parse(c, arg, cmd_now(c), zone_of_command(c), out);
}

static int opt_mtime(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	int64_t ns;

	if (!tar_read_date(c, arg, &ns))
		return cmd_error(c, 0,
				 "Substituting -9223372036854775807 for unknown date format %s",
				 cmd_quote(c, arg));
	if (strcmp(o->name, "mtime") == 0) {
		t->mtime = arg;
		t->mtime_ns = ns;
		t->has_mtime = true;
		return 0;
	}
	t->newer = arg;
	t->newer_ns = ns;
	t->has_newer = true;
	t->newer_mtime = o->value;
	return 0;
}

static int opt_number(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	uint64_t *field = o->value == 0   ? &t->strip
			  : o->value == 1 ? &t->occurrence
					  : &t->checkpoint;

	*field = o->value == 1 ? 1 : 10;
	if (o->value == 1 && arg != NULL && !num_plain(arg, field))
		tar_fatal(t, 0, "%s: Invalid number", arg);
	if (arg != NULL && num_parse_u64(arg, "", field) != 0)
		return TAR_USAGE(c,
				 o->value == 0 ? "%s: Invalid number of elements"
					       : "%s: invalid checkpoint value",
				 arg);
	return 0;
}

static void add_ignore(struct tar *t, const char *file, enum tar_ignore_kind kind)
{
	struct tar_ignore_file one = { file, kind };

	t->ignore_files = arena_room(t->c->arena, t->ignore_files, t->nignore_files, sizeof one);
	t->ignore_files[t->nignore_files++] = one;
}

static int opt_ignore(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	add_ignore(c->opts, arg, IGNORE_PLAIN);
	return 0;
}

static int opt_vcs_ignores(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	(void)arg;
	add_ignore(c->opts, ".cvsignore", IGNORE_CVS);
	add_ignore(c->opts, ".gitignore", IGNORE_GIT);
	add_ignore(c->opts, ".bzrignore", IGNORE_BZR);
	add_ignore(c->opts, ".hgignore", IGNORE_HG);
	return 0;
}

static int set_backup(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	t->backup.wanted = true;
	if (o->value == 0)
		t->backup.control = arg;
	else
		t->backup.suffix = arg;
	return 0;
}

static int opt_checkpoint_action(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	if (strcmp(arg, "dot") == 0 || strcmp(arg, ".") == 0)
		t->checkpoint_dots = true;
	else if (strcmp(arg, "echo") != 0)
		return TAR_USAGE(c, "--checkpoint-action=%s is not supported", arg);
	if (t->checkpoint == 0)
		t->checkpoint = 10;
	return 0;
}

static int opt_top_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	t->has_top_level = true;
	t->top_level = arg;
	return 0;
}

/* -o is one thing when creating and another when extracting. */
static int opt_old(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o, (void)arg;
	((struct tar *)c->opts)->old_archive = true;
	return 0;
}

static int opt_quoting(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	for (const struct opt_word *w = quote_words; w->word != NULL; w++)
		if (strcmp(w->word, arg) == 0) {
			t->quoting = w->value;
			return 0;
		}
	tar_fatal(c->opts, 0,
		  "Unknown quoting style '%s'. Try 'tar --quoting-style=help' to get a list.", arg);
}

/* The word that `arg` is or begins: its place, or -1 after a message. */
static int find_word(struct cmd *c, const struct opt_word *words, const char *what, const char *arg)
{
	struct buf text = buf_in(c->arena);
	int found = -1;
	bool several = false;

	for (int i = 0; words[i].word != NULL; i++) {
		if (strcmp(words[i].word, arg) == 0)
			return i;
		if (strncmp(words[i].word, arg, strlen(arg)) != 0)
			continue;
		several |= found >= 0;
		found = i;
	}
	if (found >= 0 && !several)
		return found;
	cmd_warn(c, 0, "%s argument %s for %s", several ? "ambiguous" : "invalid",
		 cmd_quote(c, arg), cmd_quote(c, what));
	buf_puts(&text, "Valid arguments are:\n");
	for (int i = 0; words[i].word != NULL; i++)
		buf_printf(&text, "  - %s\n", cmd_quote(c, words[i].word));
	cmd_err_write(c, text.ptr, text.len);
	return -1;
}

/* Words without a bit are about what is never told here. */
static int opt_warning(struct cmd *c, const struct opt *o, const char *arg)
{
	static const struct opt_word words[] = {
		{ "all", INT32_MAX },
		{ "alone-zero-block", NOTE_ZERO_BLOCK },
		{ "bad-dumpdir", 0 },
		{ "cachedir", NOTE_CACHEDIR },
		{ "contiguous-cast", 0 },
		{ "file-changed", 0 },
		{ "file-ignored", NOTE_IGNORED },
		{ "file-removed", NOTE_REMOVED },
		{ "file-shrank", 0 },
		{ "file-unchanged", NOTE_UNCHANGED },
		{ "filename-with-nuls", NOTE_NULS },
		{ "ignore-archive", NOTE_ARCHIVE },
		{ "ignore-newer", NOTE_NEWER },
		{ "new-directory", NOTE_NEW_DIRECTORY },
		{ "rename-directory", NOTE_RENAMED_DIRECTORY },
		{ "symlink-cast", 0 },
		{ "timestamp", NOTE_TIME },
		{ "unknown-cast", 0 },
		{ "unknown-keyword", NOTE_KEYWORD },
		{ "xdev", 0 },
		{ "decompress-program", 0 },
		{ "existing-file", NOTE_EXISTING },
		{ "xattr-write", NOTE_XATTR },
		{ "record-size", 0 },
		{ "failed-read", 0 },
		{ NULL, 0 },
	};
	struct tar *t = c->opts;
	bool off = strncmp(arg, "no-", 3) == 0;
	int found;

	(void)o;
	if (strcmp(arg, "none") == 0) {
		t->unwanted = INT32_MAX;
		t->wanted = 0;
		return 0;
	}
	found = find_word(c, words, "--warning", off ? arg + 3 : arg);
	if (found < 0)
		return 2;
	unsigned bits = (unsigned)words[found].value;

	t->unwanted = off ? t->unwanted | bits : t->unwanted & ~bits;
	t->wanted = off ? t->wanted & ~bits : t->wanted | bits;
	return 0;
}

static int opt_sort(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	static const struct opt_word words[] = {
		{ "none", 0 }, { "name", 1 }, { "inode", 2 }, { NULL, 0 }
	};
	int found = find_word(c, words, "--sort", arg);

	(void)o;
	if (found < 0)
		return 2;
	t->by_inode = found == 2;
	return 0;
}

static int opt_help_list(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o, (void)arg;
	cmd_printf(c, "--format=gnu -f- -b20 --quoting-style=escape --rmt-command=/usr/sbin/rmt"
		      " --rsh-command=/usr/bin/rsh\n");
	cmd_exit(c, 0);
}

#define MODE(s, l, val, text)                                                                      \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .value = (val), .fn = opt_mode, \
		.help = (text)                                                                     \
	}
#define FILTER(s, l, val, text)                                                                    \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .value = (val),                 \
		.fn = opt_filter, .help = (text)                                                   \
	}
/* What becomes of files that are there: one of these options at most. */
static int opt_keep(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tar *t = c->opts;

	(void)arg;
	if (t->keep_option != NULL && strcmp(t->keep_option, opt->name) != 0)
		return TAR_USAGE(c, "'--%s' cannot be used with '--%s'", opt->name, t->keep_option);
	t->keep_option = opt->name;
	t->keep = opt->value;
	t->no_overwrite_dir = opt->value == KEEP_DIRS;
	return 0;
}

#define VALUED(s, l, how, call, val, meta, text)                                                   \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .arg = OPT_ARG_##how,           \
		.value = (val), .fn = (call), .metavar = (meta), .help = (text)                    \
	}
#define NAMED(l, call, val, text)                                                                  \
	{                                                                                          \
		.name = (l), .kind = OPT_KIND_CALL, .value = (val), .fn = (call), .help = (text)   \
	}

static int opt_snapshot(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	t->incremental = true;
	t->snapshot = arg;
	return 0;
}

static int opt_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	uint64_t level;

	(void)o;
	if (num_parse_u64(arg, "", &level) != 0)
		return TAR_USAGE(c, "Invalid incremental level value");
	t->has_level = true;
	t->level_zero = level == 0;
	return 0;
}

/* The real one lists with details then, whatever it does. */
static int set_utc(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tar *t = c->opts;

	(void)opt;
	(void)arg;
	t->utc = true;
	t->verbose = t->verbose < 2 ? 2 : t->verbose;
	return 0;
}

/* With a signal they are told when that comes, and not at the end: nobody sends one. */
static int set_totals(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tar *t = c->opts;

	(void)opt;
	if (arg == NULL)
		t->totals = true;
	else if (cmd_sig_number(arg) < 0)
		tar_fatal(t, 0, "Unknown signal name: %s", arg);
	return 0;
}

#define KEPT(s, l, val, text)                                                                      \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .value = (val), .fn = opt_keep, \
		.help = (text)                                                                     \
	}

const struct opt tar_options[] = {
	MODE('A', "catenate", TAR_CONCAT, "append archives to an archive"),
	MODE('A', "concatenate", TAR_CONCAT, NULL),
	MODE('c', "create", TAR_CREATE, "make an archive"),
	MODE('d', "diff", TAR_DIFF, "compare an archive with files"),
	MODE('d', "compare", TAR_DIFF, NULL),
	MODE(0, "delete", TAR_DELETE, "delete members from an archive"),
	MODE('r', "append", TAR_APPEND, "append files to an archive"),
	MODE('t', "list", TAR_LIST, "list an archive"),
	MODE(0, "test-label", TAR_LABEL, "show the archive's label"),
	MODE('u', "update", TAR_UPDATE, "append files that are newer than in the archive"),
	MODE('x', "extract", TAR_EXTRACT, "extract files"),
	MODE('x', "get", TAR_EXTRACT, NULL),
	VALUED('f', "file", REQUIRED, opt_file, 0, "ARCHIVE", "the archive; - is a stream"),
	OPT_COUNT('v', "verbose", struct tar, verbose, "list the files; twice: with details"),
	VALUED('C', "directory", REQUIRED, opt_item, ITEM_CHDIR, "DIR", "change to DIR"),
	VALUED('T', "files-from", REQUIRED, opt_item, ITEM_FILES, "FILE", "names out of FILE"),
	VALUED('X', "exclude-from", REQUIRED, opt_item, ITEM_EXCLUDES, "FILE",
	       "patterns to exclude out of FILE"),
	VALUED(0, "exclude", REQUIRED, opt_item, ITEM_EXCLUDE, "PATTERN", "leave out"),
	VALUED(0, "add-file", REQUIRED, opt_item, ITEM_NAME, "FILE", "a name like an operand"),
	NAMED("exclude-vcs", opt_excludes, 1, "leave out what version control keeps"),
	NAMED("exclude-backups", opt_excludes, 0, "leave out backups"),
	NAMED("exclude-caches", opt_tag, 1, "of directories with CACHEDIR.TAG only that"),
	NAMED("exclude-caches-under", opt_tag, 2, "of such directories nothing below"),
	NAMED("exclude-caches-all", opt_tag, 3, "no such directories"),
	VALUED(0, "exclude-tag", REQUIRED, opt_tag, 1, "FILE",
	       "of directories with FILE only that"),
	VALUED(0, "exclude-tag-under", REQUIRED, opt_tag, 2, "FILE", "nothing below those"),
	VALUED(0, "exclude-tag-all", REQUIRED, opt_tag, 3, "FILE", "no such directories"),
	NAMED("anchored", opt_match, 0, "patterns match from the beginning"),
	NAMED("no-anchored", opt_match, 1, "patterns match behind any /"),
	NAMED("ignore-case", opt_match, 2, "case does not matter"),
	NAMED("no-ignore-case", opt_match, 3, "case matters"),
	NAMED("wildcards", opt_match, 4, "* ? [ are special"),
	NAMED("no-wildcards", opt_match, 5, "* ? [ are not special"),
	NAMED("wildcards-match-slash", opt_match, 6, "they match /"),
	NAMED("no-wildcards-match-slash", opt_match, 7, "they do not"),
	NAMED("recursion", opt_match, 8, "go into directories"),
	NAMED("no-recursion", opt_match, 9, "do not"),
	NAMED("null", opt_null, 1, "names of -T end with NUL"),
	NAMED("no-null", opt_null, 0, "they end with newline"),
	OPT_FLAG(0, "verbatim-files-from", struct tar, verbatim, "no options in -T"),
	OPT_FLAG(0, "no-unquote", struct tar, no_unquote, "backslashes in names are themselves"),
	OPT_IGNORED(0, "unquote", "the default"),
	FILTER('z', "gzip", 'z', "through gzip"),
	FILTER('z', "gunzip", 'z', NULL),
	FILTER('z', "ungzip", 'z', NULL),
	FILTER('j', "bzip2", 'j', "through bzip2"),
	FILTER('J', "xz", 'J', "through xz"),
	FILTER(0, "zstd", 's', "through zstd"),
	FILTER(0, "lzma", 'm', "through lzma"),
	FILTER(0, "lzip", 'l', "through lzip"),
	FILTER(0, "lzop", 'o', "through lzop"),
	FILTER('Z', "compress", 'Z', "through compress"),
	FILTER('Z', "uncompress", 'Z', NULL),
	VALUED('I', "use-compress-program", REQUIRED, opt_filter, 0, "PROG", "through PROG"),
	OPT_SET('a', "auto-compress", struct tar, auto_filter, 1, "as the archive's name says"),
	OPT_SET(0, "no-auto-compress", struct tar, auto_filter, 0, "the default"),
	VALUED('H', "format", REQUIRED, opt_format, 0, "FORMAT", "gnu, oldgnu, pax, ustar or v7"),
	NAMED("old-archive", opt_format, TAR_V7, "--format=v7"),
	NAMED("portability", opt_format, TAR_V7, NULL),
	NAMED("posix", opt_format, TAR_PAX, "--format=posix"),
	VALUED(0, "pax-option", REQUIRED, tar_pax_option, 0, "LIST", "details of pax headers"),
	NAMED("xattrs", opt_attributes, 'x', "with extended attributes"),
	OPT_SET(0, "no-xattrs", struct tar, xattrs, -1, "without them, as is the default"),
	VALUED(0, "xattrs-include", REQUIRED, tar_xattr_mask, 1, "GLOB", "those, and --xattrs"),
	VALUED(0, "xattrs-exclude", REQUIRED, tar_xattr_mask, 0, "GLOB", "not those, and --xattrs"),
	NAMED("acls", opt_attributes, 'a', "with access lists"),
	OPT_SET(0, "no-acls", struct tar, acls, -1, NULL),
	NAMED("selinux", opt_attributes, 's', "with labels"),
	OPT_SET(0, "no-selinux", struct tar, selinux, -1, NULL),
	OPT_CALL('o', NULL, opt_old, "--old-archive, or (extracting) --no-same-owner"),
	VALUED('b', "blocking-factor", REQUIRED, opt_blocks, 0, "N", "records of N x 512 bytes"),
	VALUED(0, "record-size", REQUIRED, opt_blocks, 0, "N", "records of N bytes"),
	OPT_IGNORED('B', "read-full-records", "the default"),
	OPT_FLAG('i', "ignore-zeros", struct tar, ignore_zeros, "read on behind the end"),
	OPT_STR('V', "label", struct tar, label, NULL, "TEXT", "a name for the archive"),
	OPT_FLAG('P', "absolute-names", struct tar, absolute, "keep leading /"),
	VALUED(0, "exclude-ignore", REQUIRED, opt_ignore, 0, "FILE",
	       "directories have patterns in FILE"),
	VALUED(0, "exclude-ignore-recursive", REQUIRED, opt_ignore, 0, "FILE", NULL),
	OPT_CALL(0, "exclude-vcs-ignores", opt_vcs_ignores, "and in .gitignore and the like"),
	VALUED(0, "transform", REQUIRED, tar_xform_option, 0, "EXPR", "change names as sed does"),
	VALUED(0, "xform", REQUIRED, tar_xform_option, 0, "EXPR", NULL),
	VALUED(0, "strip-components", REQUIRED, opt_number, 0, "N", "without N leading parts"),
	VALUED(0, "occurrence", OPTIONAL, opt_number, 1, "N", "only the Nth of each name (1)"),
	OPT_FLAG(0, "show-transformed-names", struct tar, show_transformed, "list names as used"),
	OPT_FLAG(0, "show-stored-names", struct tar, show_transformed, NULL),
	VALUED(0, "owner", REQUIRED, opt_owner, 0, "NAME", "the owner to store"),
	VALUED(0, "group", REQUIRED, opt_owner, 0, "NAME", "the group to store"),
	OPT_STR(0, "owner-map", struct tar, owner_map, NULL, "FILE", "whom to store for whom"),
	OPT_STR(0, "group-map", struct tar, group_map, NULL, "FILE", "the same for groups"),
	VALUED(0, "mode", REQUIRED, opt_file_mode, 0, "CHANGES", "the mode to store"),
	VALUED(0, "mtime", REQUIRED, opt_mtime, 0, "DATE", "the time to store"),
	OPT_FLAG(0, "clamp-mtime", struct tar, clamp, "only for files that are newer"),
	VALUED('N', "newer", REQUIRED, opt_mtime, 0, "DATE", "only files newer than DATE"),
	VALUED('N', "after-date", REQUIRED, opt_mtime, 0, "DATE", NULL),
	VALUED(0, "newer-mtime", REQUIRED, opt_mtime, 1, "DATE", "whose contents are newer"),
	OPT_FLAG(0, "numeric-owner", struct tar, numeric, "numbers, no names"),
	OPT_SET(0, "same-owner", struct tar, same_owner, 1, "extract with owners"),
	OPT_SET(0, "no-same-owner", struct tar, same_owner, 0, "extract as yourself"),
	OPT_SET('p', "preserve-permissions", struct tar, same_mode, 1, "ignore the umask"),
	OPT_SET('p', "same-permissions", struct tar, same_mode, 1, NULL),
	OPT_SET(0, "no-same-permissions", struct tar, same_mode, 0, "apply the umask"),
	OPT_FLAG('m', "touch", struct tar, touch, "do not restore times"),
	OPT_FLAG('h', "dereference", struct tar, follow, "store what links point to"),
	OPT_FLAG(0, "hard-dereference", struct tar, hard_dereference, "store hard links as files"),
	OPT_FLAG(0, "one-file-system", struct tar, one_device, "stay on one file system"),
	OPT_FLAG(0, "remove-files", struct tar, remove_files, "remove files that were stored"),
	OPT_FLAG('S', "sparse", struct tar, sparse, "store holes as holes"),
	OPT_FLAG('l', "check-links", struct tar, check_links, "tell of links not stored"),
	OPT_FLAG(0, "ignore-failed-read", struct tar, no_failed_read,
		 "unreadable files are no error"),
	VALUED(0, "sort", REQUIRED, opt_sort, 0, "ORDER", "by name (none is the same), or inode"),
	VALUED('g', "listed-incremental", REQUIRED, opt_snapshot, 0, "FILE",
	       "what changed since FILE was written"),
	OPT_FLAG('G', "incremental", struct tar, incremental, "directories with lists"),
	VALUED(0, "level", REQUIRED, opt_level, 0, "N", "0: as if FILE of -g were empty"),
	OPT_SET(0, "no-check-device", struct tar, no_device_check, 1,
		"devices say nothing about directories"),
	OPT_SET(0, "check-device", struct tar, no_device_check, 0, "the default"),
	OPT_FLAG('W', "verify", struct tar, verify, "compare the archive after writing it"),
	KEPT('k', "keep-old-files", KEEP_OLD, "existing files are errors"),
	KEPT(0, "skip-old-files", KEEP_SKIP, "existing files are kept"),
	KEPT(0, "keep-newer-files", KEEP_NEWER, "newer files are kept"),
	KEPT(0, "overwrite", KEEP_OVERWRITE, "write into existing files"),
	VALUED(0, "backup", OPTIONAL, set_backup, 0, "CONTROL", "files are renamed first"),
	VALUED(0, "suffix", REQUIRED, set_backup, 1, "SUFFIX", "to names that end so (~)"),
	KEPT('U', "unlink-first", KEEP_UNLINK, "remove files first"),
	KEPT(0, "overwrite-dir", KEEP_DEFAULT, "the default"),
	KEPT(0, "no-overwrite-dir", KEEP_DIRS, "directories stay as they are"),
	OPT_FLAG(0, "keep-directory-symlink", struct tar, keep_dir_symlink,
		 "links to directories stay"),
	OPT_FLAG(0, "recursive-unlink", struct tar, recursive_unlink,
		 "remove whole directories in the way"),
	OPT_IGNORED(0, "delay-directory-restore", "the default here"),
	OPT_IGNORED(0, "no-delay-directory-restore", "no effect"),
	OPT_FLAG('O', "to-stdout", struct tar, to_stdout, "extract to standard output"),
	OPT_STR(0, "to-command", struct tar, to_command, NULL, "COMMAND", "extract to a program"),
	OPT_FLAG(0, "ignore-command-error", struct tar, ignore_command, "whatever it returns"),
	VALUED(0, "one-top-level", OPTIONAL, opt_top_level, 0, "DIR", "all below one directory"),
	VALUED('K', "starting-file", REQUIRED, opt_item, ITEM_NAME, "NAME", "only that member"),
	OPT_FLAG('w', "interactive", struct tar, interactive, "ask for everything"),
	OPT_FLAG('w', "confirmation", struct tar, interactive, NULL),
	OPT_FLAG(0, "full-time", struct tar, full_time, "times in full"),
	OPT_CALL(0, "utc", set_utc, "times in UTC; as -vv"),
	OPT_CALL_OPTIONAL(0, "totals", set_totals, "SIGNAL", "say how many bytes"),
	OPT_FLAG('R', "block-number", struct tar, block_numbers, "numbers of blocks"),
	VALUED(0, "checkpoint", OPTIONAL, opt_number, 2, "N", "tell after each N records"),
	VALUED(0, "checkpoint-action", REQUIRED, opt_checkpoint_action, 0, "ACTION", "echo or dot"),
	VALUED(0, "quoting-style", REQUIRED, opt_quoting, 0, "STYLE", "how names are shown"),
	OPT_STR(0, "index-file", struct tar, index_file, NULL, "FILE", "where -v writes"),
	VALUED(0, "warning", REQUIRED, opt_warning, 0, "KEYWORD", "fewer warnings"),
	NAMED("show-defaults", opt_help_list, 0, "show the defaults"),
	/* What files here do not have, or what is the default here. */
	OPT_IGNORED(0, "force-local", NULL),
	OPT_IGNORED('n', "seek", NULL),
	OPT_IGNORED(0, "no-seek", NULL),
	OPT_FLAG('s', "preserve-order", struct tar, same_order, NULL),
	OPT_FLAG(0, "same-order", struct tar, same_order, NULL),
	VALUED(0, "atime-preserve", OPTIONAL, opt_ignored, 0, "METHOD", NULL),
	OPT_FLAG('M', "multi-volume", struct tar, volumes.wanted,
		 "the archive has several files, one after the other"),
	VALUED('L', "tape-length", REQUIRED, opt_length, 0, "NUMBER",
	       "such a file has at most NUMBER * 1024 bytes"),
	VALUED('F', "info-script", REQUIRED, opt_script, 0, "COMMAND",
	       "at the end of each: may write the next one's name to $TAR_FD"),
	VALUED(0, "new-volume-script", REQUIRED, opt_script, 0, "COMMAND", NULL),
	OPT_MISSING_ARG(0, "rmt-command"),
	OPT_MISSING_ARG(0, "rsh-command"),
	OPT_STR(0, "volno-file", struct tar, volumes.number_file, NULL, "FILE",
		"the number of the file is kept in FILE"),
	OPT_MISSING_ARG(0, "hole-detection"),
	OPT_MISSING_ARG(0, "sparse-version"),
	OPT_END(),
};

/* Words as a shell has them; NULL behind the last. */
static char **split_words(struct cmd *c, const char *text, size_t *n)
{
	char **list = arena_array(c->arena, strlen(text) / 2 + 2, sizeof *list);

	for (*n = 0; *(text += strspn(text, " \t\n")) != '\0'; ++*n) {
		struct buf word = buf_in(c->arena);
		char quote = '\0';

		for (; *text != '\0' && (quote != '\0' || !byte_is_space(*text)); text++) {
			if (*text == quote)
				quote = '\0';
			else if (quote == '\0' && (*text == '"' || *text == '\''))
				quote = *text;
			else if (*text == '\\' && quote != '\'' && text[1] != '\0')
				buf_putc(&word, *++text);
			else
				buf_putc(&word, *text);
		}
		if (quote != '\0')
			tar_fatal(c->opts, 0, "cannot split TAR_OPTIONS: missing closing quote");
		list[*n] = buf_cstr(&word);
	}
	list[*n] = NULL;
	return list;
}

/* What TAR_OPTIONS says comes before argv[at]. */
static void put_environment(struct cmd *c, int at)
{
	const char *text = cmd_getenv(c, "TAR_OPTIONS");
	size_t n = 0;
	char **words = split_words(c, text != NULL ? text : "", &n);
	char **list = arena_array(c->arena, (size_t)c->argc + n + 1, sizeof *list);
	size_t rest = (size_t)(c->argc - at);

	for (size_t i = 0; i < n; i++)
		if (words[i][0] != '-' && (i == 0 || words[i - 1][0] != '-'))
			cmd_exit(c, TAR_USAGE(c, "non-option arguments in TAR_OPTIONS"));
	memcpy(list, c->argv, (size_t)at * sizeof *list);
	memcpy(list + at, words, n * sizeof *list);
	memcpy(list + (size_t)at + n, c->argv + at, rest * sizeof *list);
	list[(size_t)c->argc + n] = NULL;
	c->argv = list;
	c->argc += (int)n;
}

/* "tar czf ARCHIVE": letters without '-', whose arguments follow in order. */
static void spell_out(struct cmd *c)
{
	char **argv = c->argv;
	size_t n = strlen(argv[1]);
	char **list = arena_array(c->arena, (size_t)c->argc + n + 1, sizeof *list);
	int next = 2;
	int to = 1;

	list[0] = argv[0];
	for (const char *at = argv[1]; *at != '\0'; at++) {
		char letter[3] = { '-', *at, '\0' };

		list[to++] = arena_dup(c->arena, (struct bytes){ letter, 2 });
		if (strchr("bCfFgHIKLNTVX", *at) == NULL)
			continue;
		if (next >= c->argc)
			cmd_exit(c, TAR_USAGE(c, "Old option '%c' requires an argument.", *at));
		list[to++] = argv[next++];
	}
	while (next < c->argc)
		list[to++] = argv[next++];
	list[to] = NULL;
	c->argv = list;
	c->argc = to;
}

int tar_old_options(struct cmd *c, int argc, char **argv, int i)
{
	struct tar *t = c->opts;

	(void)argc;
	if (i != 1 || t->has_environment)
		return 0;
	t->has_environment = true;
	if (argv[1][0] != '-' && argv[1][0] != '\0')
		spell_out(c);
	put_environment(c, 1);
	return -1;
}

void tar_set_defaults(struct cmd *c)
{
	struct tar *t = c->opts;
	const char *slash = strrchr(c->name, '/');

	if (slash != NULL)
		c->name = slash + 1;
	t->c = c;
	t->file = "-";
	t->factor = TAR_FACTOR;
	t->xforms_end = &t->xforms;
	t->xform_kinds = XFORM_FILE | XFORM_SYMLINK | XFORM_LINK;
	t->same_owner = t->same_mode = -1;
	t->quoting = QUOTE_ESCAPE;
	t->width = 19;
	t->here = -1;
	t->global.sparse_major = -1;
}
