/* SPDX-License-Identifier: MIT
 *
 * --info: which of its flags speak, and how much. What the option does not say follows -v.
 * --debug is checked only: nothing is to be debugged here.
 */
#include "builtins/rsync/rsync.h"

/* From which -v on a flag has levels 1 and 2; 9: never. */
static const struct {
	const char *name;
	int verbose[2];
} flags[INFO_FLAGS] = {
	[INFO_BACKUP] = { "backup", { 2, 9 } },     [INFO_COPY] = { "copy", { 1, 9 } },
	[INFO_DEL] = { "del", { 1, 9 } },           [INFO_FLIST] = { "flist", { 1, 9 } },
	[INFO_MISC] = { "misc", { 1, 2 } },         [INFO_MOUNT] = { "mount", { 2, 9 } },
	[INFO_NAME] = { "name", { 1, 2 } },         [INFO_NONREG] = { "nonreg", { 0, 9 } },
	[INFO_PROGRESS] = { "progress", { 9, 9 } }, [INFO_REMOVE] = { "remove", { 2, 9 } },
	[INFO_SKIP] = { "skip", { 2, 9 } },         [INFO_STATS] = { "stats", { 1, 9 } },
	[INFO_SYMSAFE] = { "symsafe", { 1, 9 } },
};

static const char *const debug_words[] = {
	"acl",  "backup", "bind",  "chdir", "connect", "cmd",  "del",   "deltasum", "dup",
	"exit", "filter", "flist", "fuzzy", "genr",    "hash", "hlink", "iconv",    "io",
	"nstr", "own",    "proto", "recv",  "send",    "time", NULL,
};

bool rsync_same_word(const char *word, struct bytes text)
{
	bool same = strlen(word) == text.len;

	for (size_t i = 0; i < text.len && same; i++)
		same = byte_to_lower(text.ptr[i]) == word[i];
	return same;
}

static int unknown(struct cmd *c, const char *option, struct bytes word)
{
	struct buf line = buf_in(c->arena);

	buf_printf(&line, "Unknown --%s item: \"%.*s\"\n", option, (int)word.len, word.ptr);
	cmd_err_write(c, line.ptr, line.len);
	return rsync_finish(c, RSYNC_SYNTAX);
}

/* The next of words with commas between: its name, and the level behind that, or 1. */
static bool next_word(const char **at, struct bytes *word, int *level)
{
	size_t n = strcspn(*at, ",");
	bool digit = n > 0 && byte_is_digit((*at)[n - 1]);

	if (**at == '\0')
		return false;
	*word = (struct bytes){ *at, n - digit };
	*level = digit ? (*at)[n - 1] - '0' : 1;
	*at += n + ((*at)[n] == ',');
	return true;
}

static void set_level(struct rsync_opts *o, int flag, int level)
{
	o->info[flag] = 1 + level;
}

static int put_flags_help(struct cmd *c)
{
	cmd_puts(c, "Use OPT or OPT1 for level 1 output, OPT2 for level 2, etc.; OPT0 silences.\n"
		    "\n"
		    "BACKUP     Mention files backed up\n"
		    "COPY       Mention files copied locally on the receiving side\n"
		    "DEL        Mention deletions on the receiving side\n"
		    "FLIST      Mention file-list receiving/sending (levels 1-2)\n"
		    "MISC       Mention miscellaneous information (levels 1-2)\n"
		    "MOUNT      Mention mounts that were found or skipped\n"
		    "NAME       Mention 1) updated file/dir names, 2) unchanged names\n"
		    "NONREG     Mention skipped non-regular files (default 1, 0 disables)\n"
		    "PROGRESS   Mention 1) per-file progress or 2) total transfer progress\n"
		    "REMOVE     Mention files removed on the sending side\n"
		    "SKIP       Mention files skipped due to transfer overrides (levels 1-2)\n"
		    "STATS      Mention statistics at end of run (levels 1-3)\n"
		    "SYMSAFE    Mention symlinks that are unsafe\n"
		    "\n"
		    "ALL        Set all --info options (e.g. all4)\n"
		    "NONE       Silence all --info options (same as all0)\n"
		    "HELP       Output this help message\n"
		    "\n"
		    "Options added at each level of verbosity:\n"
		    "0) NONREG\n"
		    "1) COPY,DEL,FLIST,MISC,NAME,STATS,SYMSAFE\n"
		    "2) BACKUP,MISC2,MOUNT,NAME2,REMOVE,SKIP\n");
	cmd_exit(c, 0);
}

int rsync_set_info(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = c->opts;
	struct bytes word;
	int level;

	(void)opt;
	while (next_word(&arg, &word, &level)) {
		bool none = rsync_same_word("none", word);
		bool all = rsync_same_word("all", word) || none;
		bool known = all || word.len == 0;

		if (rsync_same_word("help", word))
			put_flags_help(c);
		for (int i = 0; i < INFO_FLAGS; i++) {
			if (!all && !rsync_same_word(flags[i].name, word))
				continue;
			set_level(o, i, none ? 0 : level);
			known = true;
		}
		if (!known)
			return unknown(c, "info", word);
	}
	return 0;
}

int rsync_set_debug(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct bytes word;
	int level;

	(void)opt;
	while (next_word(&arg, &word, &level)) {
		bool known = word.len == 0 || rsync_same_word("all", word) ||
			     rsync_same_word("none", word) || rsync_same_word("help", word);

		for (size_t i = 0; debug_words[i] != NULL; i++)
			known |= rsync_same_word(debug_words[i], word);
		if (!known)
			return unknown(c, "debug", word);
	}
	return 0;
}

/* --progress says names and that there is a list, too, unless --info has them otherwise. */
int rsync_set_progress(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct rsync_opts *o = c->opts;

	(void)opt, (void)arg;
	for (int i = 0; i < INFO_FLAGS; i++)
		if ((i == INFO_NAME || i == INFO_FLIST || i == INFO_PROGRESS) && o->info[i] == 0)
			set_level(o, i, 1);
	return 0;
}

int rsync_says(const struct rsync_opts *o, enum rsync_info flag)
{
	if (o->quiet)
		return 0;
	if (o->info[flag] != 0)
		return o->info[flag] - 1;
	if (flag == INFO_STATS && o->stats)
		return 2;
	return (o->verbose >= flags[flag].verbose[0]) + (o->verbose >= flags[flag].verbose[1]);
}
