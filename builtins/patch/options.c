/* SPDX-License-Identifier: MIT
 *
 * patch - options, and what the environment says in their place.
 */
#include "builtins/patch/patch.h"

enum { FUZZ_DEFAULT = 2 };

#define CONTROL_HELP                                                                               \
	"Valid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n  - 'existing', 'nil'\n"  \
	"  - 'numbered', 't'\n"

static int set_number(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct patch_opts *o = c->opts;
	uint64_t n;

	if (!num_plain(arg, &n) || n > INT32_MAX)
		cmd_fatal(c, 0, "**** %s %s is not a number",
			  opt->letter == 'p' ? "strip count" : "fuzz factor", arg);
	if (opt->letter == 'p')
		o->strip = (int64_t)n;
	else
		o->fuzz = n;
	return 0;
}

static int set_control(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	((struct patch_opts *)c->opts)->control = arg;
	return 0;
}

static int set_reject_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct patch_opts *o = c->opts;

	(void)opt;
	if (strcmp(arg, "context") != 0 && strcmp(arg, "unified") != 0)
		return cmd_usage(c, NULL);
	o->reject_format = arg[0] == 'c' ? PATCH_CONTEXT : PATCH_UNIFIED;
	return 0;
}

static int set_merge(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct patch_opts *o = c->opts;

	(void)opt;
	if (arg != NULL && strcmp(arg, "merge") != 0 && strcmp(arg, "diff3") != 0)
		return cmd_usage(c, NULL);
	o->merge = arg != NULL && *arg == 'd' ? PATCH_MERGE_DIFF3 : PATCH_MERGE;
	return 0;
}

static int set_verbosity(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct patch_opts *o = c->opts;

	(void)arg;
	o->silent = opt->letter == 's';
	o->verbose = !o->silent;
	return 0;
}

/* A word of quote_words or the beginning of only one: its place, -1 none, -2 several. */
static int find_quoting(const char *arg)
{
	int hit = -1;

	for (int i = 0; quote_words[i].word != NULL; i++) {
		if (strcmp(quote_words[i].word, arg) == 0)
			return i;
		if (strncmp(quote_words[i].word, arg, strlen(arg)) == 0)
			hit = hit == -1 ? i : -2;
	}
	return hit;
}

static int set_quoting(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct patch_opts *o = c->opts;
	int hit = find_quoting(arg);

	(void)opt;
	if (hit < 0) {
		cmd_error(c, 0, "%s argument '%s' for 'quoting style'",
			  hit == -1 ? "invalid" : "ambiguous", arg);
		return cmd_usage(c, NULL);
	}
	o->quoting = (enum quote_style)quote_words[hit].value;
	return 0;
}

static int set_read_only(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct patch_opts *o = c->opts;

	(void)opt;
	if (strcmp(arg, "ignore") == 0)
		o->read_only = PATCH_RO_IGNORE;
	else if (strcmp(arg, "warn") == 0)
		o->read_only = PATCH_RO_WARN;
	else if (strcmp(arg, "fail") == 0)
		o->read_only = PATCH_RO_FAIL;
	else
		return cmd_usage(c, NULL);
	return 0;
}

const struct opt patch_options[] = {
	OPT_CALL_ARG('V', "version-control", set_control, "METHOD",
		     "how backups are named: simple, numbered, existing"),
	OPT_STR('Y', "basename-prefix", struct patch_opts, base_prefix, NULL, "PREFIX",
		"in front of the last part of backups' names"),
	OPT_FLAG('b', "backup", struct patch_opts, backup, "keep the old file as FILE.orig"),
	OPT_STR('B', "prefix", struct patch_opts, prefix, NULL, "PREFIX",
		"in front of backups' names"),
	OPT_SET('c', "context", struct patch_opts, format, PATCH_CONTEXT, "it is a context diff"),
	OPT_STR('d', "directory", struct patch_opts, directory, NULL, "DIR", "go to DIR first"),
	OPT_STR('D', "ifdef", struct patch_opts, define, NULL, "NAME",
		"keep both texts, between #ifdef NAME and #endif"),
	OPT_CALL_ARG(0, "reject-format", set_reject_format, "FORMAT",
		     "of rejects: context or unified"),
	OPT_SET('e', "ed", struct patch_opts, format, PATCH_ED, "it is an ed script"),
	OPT_FLAG('E', "remove-empty-files", struct patch_opts, remove_empty,
		 "remove files that become empty"),
	OPT_FLAG('f', "force", struct patch_opts, force, "never ask; skip what has no file"),
	OPT_CALL_ARG('F', "fuzz", set_number, "NUM", "lines of context that need not match (2)"),
	OPT_STR('i', "input", struct patch_opts, input, NULL, "PATCHFILE",
		"read it from PATCHFILE"),
	OPT_FLAG('l', "ignore-whitespace", struct patch_opts, ignore_space,
		 "blank space may differ"),
	OPT_CALL_OPTIONAL(0, "merge", set_merge, "FORM",
			  "merge what does not fit, conflicts between marks: merge or diff3"),
	OPT_CALL_ARG(0, "quoting-style", set_quoting, "WORD",
		     "of names in messages: literal, shell, shell-always, c, escape"),
	OPT_CALL_ARG(0, "read-only", set_read_only, "WHAT",
		     "to do with files that are read-only: ignore, warn, fail"),
	OPT_SET('n', "normal", struct patch_opts, format, PATCH_NORMAL, "it is a plain diff"),
	OPT_FLAG('N', "forward", struct patch_opts, forward,
		 "skip what seems to be applied already"),
	OPT_STR('o', "output", struct patch_opts, output, NULL, "FILE", "write to FILE"),
	OPT_CALL_ARG('p', "strip", set_number, "NUM", "leave out NUM leading parts of file names"),
	OPT_STR('r', "reject-file", struct patch_opts, rejects, NULL, "FILE", "rejects go to FILE"),
	OPT_FLAG('R', "reverse", struct patch_opts, reverse, "undo the patch"),
	OPT_CALL('s', "quiet", set_verbosity, "only say what fails"),
	OPT_CALL('s', "silent", set_verbosity, NULL),
	OPT_FLAG('t', "batch", struct patch_opts, batch,
		 "never ask; assume it is reversed if it seems"),
	OPT_SET('u', "unified", struct patch_opts, format, PATCH_UNIFIED, "it is a unified diff"),
	OPT_FLAG(0, "binary", struct patch_opts, binary,
		 "keep CRs at the ends of the patch's lines"),
	OPT_FLAG(0, "follow-symlinks", struct patch_opts, follow, "links are files"),
	OPT_FLAG(0, "posix", struct patch_opts, posix, "files that become empty stay"),
	OPT_SET('T', "set-time", struct patch_opts, set_time, 1,
		"files get the times of the patch's headings"),
	OPT_SET('Z', "set-utc", struct patch_opts, set_time, 2, "the same; they are in UTC"),
	OPT_IGNORED_ARG('g', "get", "NUM", "no effect"),
	OPT_FLAG(0, "dry-run", struct patch_opts, dry_run,
		 "change nothing, only say what would be"),
	OPT_CALL(0, "verbose", set_verbosity, "say more"),
	OPT_SET(0, "backup-if-mismatch", struct patch_opts, mismatch, 1,
		"backups only where a hunk did not fit exactly"),
	OPT_SET(0, "no-backup-if-mismatch", struct patch_opts, mismatch, 2, "no backups for that"),
	OPT_STR('z', "suffix", struct patch_opts, suffix, NULL, "SUFFIX", "behind backups' names"),
	OPT_END(),
};

static bool is_control(const char *text)
{
	static const char *const words[] = { "none",     "off", "simple",   "never",
					     "existing", "nil", "numbered", "t" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (*text == '\0' || strncmp(words[i], text, strlen(text)) == 0)
			return true;
	return false;
}

static int bad_control(struct cmd *c, const char *text, const char *what)
{
	cmd_error(c, 0, "invalid argument '%s' for '%s'", text, what);
	cmd_err_write(c, CONTROL_HELP, sizeof(CONTROL_HELP) - 1);
	return c->b->error_status;
}

/* How backups are named: by -V, or by the environment. */
int patch_setup(struct cmd *c, struct patch_opts *o)
{
	struct backup_opts b = { .wanted = true, .control = o->control };

	if (b.control == NULL)
		b.control = cmd_getenv(c, "PATCH_VERSION_CONTROL");
	if (b.control != NULL && !is_control(b.control))
		return bad_control(c, b.control,
				   o->control != NULL ? "--version-control or -V option"
						      : "$PATCH_VERSION_CONTROL");
	int status = backup_setup(c, &b);

	/* "none" is meant for commands that keep none; backups that are kept are numbered. */
	o->kind = b.control == NULL       ? BACKUP_EXISTING
		  : b.kind != BACKUP_NONE ? b.kind
					  : BACKUP_NUMBERED;
	return status;
}

void patch_defaults(struct cmd *c)
{
	struct patch_opts *o = c->opts;

	o->strip = -1;
	o->fuzz = FUZZ_DEFAULT;
	o->quoting = QUOTE_SHELL;
	o->read_only = PATCH_RO_WARN;

	const char *style = cmd_getenv(c, "QUOTING_STYLE");
	int hit = style != NULL ? find_quoting(style) : -1;

	if (hit >= 0 && strcmp(quote_words[hit].word, style) == 0)
		o->quoting = (enum quote_style)quote_words[hit].value;
}
