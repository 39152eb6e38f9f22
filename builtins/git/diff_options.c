/* SPDX-License-Identifier: MIT
 *
 * Options that all commands which show differences share.
 */
#include "builtins/git/moved.h"
#include "builtins/git/submodule.h"

int diff_algorithm(const char *name)
{
	static const struct {
		const char *name;
		int flags;
	} words[] = { { "myers", 0 },
		      { "default", 0 },
		      { "minimal", LINES_MINIMAL },
		      { "patience", LINES_PATIENCE },
		      { "histogram", LINES_HISTOGRAM } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].name, name) == 0)
			return words[i].flags;
	return -1;
}

static enum submodule_format configured_format(struct git *g)
{
	const char *word = config_get(g, "diff.submodule");

	return word == NULL                ? SUBMODULE_SHORT
	       : strcmp(word, "log") == 0  ? SUBMODULE_LOG
	       : strcmp(word, "diff") == 0 ? SUBMODULE_DIFF
					   : SUBMODULE_SHORT;
}

void diff_init(struct git *g, struct diff_opts *o)
{
	const char *algorithm = config_get(g, "diff.algorithm");
	int lines = algorithm != NULL ? diff_algorithm(algorithm) : 0;

	if (lines < 0)
		config_die(g, "diff.algorithm");
	*o = (struct diff_opts){ .submodule_format = configured_format(g),
				 .context = -1,
				 .inter_hunk = -1,
				 .lines = (unsigned)lines,
				 .renames = -1,
				 .color = -1,
				 .rename_limit = -1,
				 .src_prefix = "a/",
				 .dst_prefix = "b/",
				 .dirstat = { .permille = 30 },
				 .space_marks = SPACE_NEW };
}

const char *diff_escape(const struct diff_opts *o, struct git *g, const char *slot)
{
	static const struct {
		const char *slot;
		const char *color;
	} slots[] = { { "meta", "\033[1m" },
		      { "frag", "\033[36m" },
		      { "func", "" },
		      { "old", "\033[31m" },
		      { "new", "\033[32m" },
		      { "context", "" },
		      { "commit", "\033[33m" },
		      { "whitespace", "\033[41m" },
		      { "oldmoved", "\033[1;35m" },
		      { "oldmovedalternative", "\033[1;34m" },
		      { "oldmoveddimmed", "\033[2m" },
		      { "oldmovedalternativedimmed", "\033[2;3m" },
		      { "newmoved", "\033[1;36m" },
		      { "newmovedalternative", "\033[1;33m" },
		      { "newmoveddimmed", "\033[2m" },
		      { "newmovedalternativedimmed", "\033[2;3m" } };

	if (!o->use_color)
		return "";
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++)
		if (strcmp(slots[i].slot, slot) == 0)
			return color_of(g, git_format(g->a, "color.diff.%s", slot), slots[i].color);
	return "";
}

/* "50%", "5" (as 0.5), "90": out of 60000. */
static int parse_score(struct git *g, const char *text, const char *what)
{
	uint64_t num = 0;
	uint64_t scale = 1;
	bool dot = false;
	const char *p = text;

	for (; byte_is_digit((unsigned char)*p) || (*p == '.' && !dot); p++) {
		if (*p == '.') {
			dot = true;
			scale = 1;
			continue;
		}
		if (scale < 100000) {
			scale *= 10;
			num = num * 10 + (uint64_t)(*p - '0');
		}
	}
	if (*p == '%') {
		scale = dot ? scale * 100 : 100;
		p++;
	}
	if (*p != '\0') {
		if (strcmp(what, "break-rewrites") == 0)
			git_error(g, "%s expects <n>/<m> form", what);
		else
			git_error(g, "invalid argument to %s", what);
		git_exit(g, GIT_STATUS_USAGE);
	}
	return num >= scale ? SCORE_MAX : (int)(SCORE_MAX * num / scale);
}

/* --- options without an argument --- */

struct word {
	const char *name;
	unsigned set;
	unsigned clear;
};

static bool format_word(struct diff_opts *o, const char *name)
{
	static const struct word words[] = {
		{ "-U", DIFF_PATCH, DIFF_NONE },
		{ "--unified", DIFF_PATCH, DIFF_NONE },
		{ "-p", DIFF_PATCH, DIFF_NONE },
		{ "-u", DIFF_PATCH, DIFF_NONE },
		{ "--patch", DIFF_PATCH, DIFF_NONE },
		{ "-s", DIFF_NONE, 0 },
		{ "--no-patch", DIFF_NONE, 0 },
		{ "--raw", DIFF_RAW, 0 },
		{ "--numstat", DIFF_NUMSTAT, 0 },
		{ "--shortstat", DIFF_SHORTSTAT, 0 },
		{ "--summary", DIFF_SUMMARY, 0 },
		{ "--name-only", DIFF_NAMES, 0 },
		{ "--name-status", DIFF_NAME_STATUS, 0 },
		{ "--check", DIFF_CHECK, 0 },
		{ "--patch-with-stat", DIFF_PATCH | DIFF_STAT, DIFF_NONE },
		{ "--patch-with-raw", DIFF_PATCH | DIFF_RAW, DIFF_NONE },
		{ "--compact-summary", DIFF_STAT, 0 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].name, name) != 0)
			continue;
		o->format = (o->format & ~words[i].clear) | words[i].set;
		o->compact_summary |= strcmp(name, "--compact-summary") == 0;
		return true;
	}
	return false;
}

static bool lines_word(struct git *g, struct diff_opts *o, const char *name)
{
	static const struct word words[] = {
		{ "-w", LINES_IGNORE_ALL_SPACE, 0 },
		{ "--ignore-all-space", LINES_IGNORE_ALL_SPACE, 0 },
		{ "-b", LINES_IGNORE_SPACE_CHANGE, 0 },
		{ "--ignore-space-change", LINES_IGNORE_SPACE_CHANGE, 0 },
		{ "--ignore-space-at-eol", LINES_IGNORE_SPACE_AT_EOL, 0 },
		{ "--ignore-cr-at-eol", LINES_IGNORE_CR_AT_EOL, 0 },
		{ "--ignore-blank-lines", LINES_IGNORE_BLANK_LINES, 0 },
		{ "--minimal", LINES_MINIMAL, 0 },
		{ "--patience", LINES_PATIENCE, LINES_ALGORITHM },
		{ "--histogram", LINES_HISTOGRAM, LINES_ALGORITHM },
		{ "--no-minimal", 0, LINES_MINIMAL },
		{ "--indent-heuristic", 0, LINES_NO_INDENT_HEURISTIC },
		{ "--no-indent-heuristic", LINES_NO_INDENT_HEURISTIC, 0 },
	};
	static const char prefix[] = "--diff-algorithm=";
	int algorithm;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].name, name) != 0)
			continue;
		o->lines = (o->lines & ~words[i].clear) | words[i].set;
		return true;
	}
	if (!git_starts(name, prefix))
		return false;
	algorithm = diff_algorithm(name + sizeof(prefix) - 1);
	if (algorithm < 0) {
		git_error(g, "option diff-algorithm accepts \"myers\", \"minimal\", "
			     "\"patience\" and \"histogram\"");
		git_exit(g, GIT_STATUS_USAGE);
	}
	o->lines = (o->lines & ~(unsigned)LINES_ALGORITHM) | (unsigned)algorithm;
	return true;
}

static bool flag_word(struct git *g, struct diff_opts *o, const char *name)
{
	const struct {
		const char *name;
		bool *field;
		bool value;
	} flags[] = {
		{ "-R", &o->reverse, true },
		{ "-a", &o->text, true },
		{ "--text", &o->text, true },
		{ "--full-index", &o->full_index, true },
		{ "--exit-code", &o->exit_code, true },
		{ "--quiet", &o->quiet, true },
		{ "-z", &o->zero, true },
		{ "--no-index", &o->no_index, true },
		{ "--from-operands", &o->from_operands, true },
		{ "-W", &o->function_context, true },
		{ "--function-context", &o->function_context, true },
		{ "--no-function-context", &o->function_context, false },
		{ "--pickaxe-regex", &o->pickaxe_regex, true },
		{ "--pickaxe-all", &o->pickaxe_all, true },
		{ "--find-copies-harder", &o->find_copies_harder, true },
		{ "--binary", &o->binary, true },
		{ "-D", &o->irreversible, true },
		{ "--irreversible-delete", &o->irreversible, true },
		{ "--ext-diff", &o->external, true },
		{ "--no-ext-diff", &o->external, false },
		{ "--textconv", &o->textconv, true },
		{ "--no-textconv", &o->textconv, false },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(flags[i].name, name) != 0)
			continue;
		*flags[i].field = flags[i].value;
		if (flags[i].field == &o->quiet)
			o->exit_code = true;
		if (flags[i].field == &o->textconv)
			o->textconv_asked = flags[i].value;
		if (flags[i].field == &o->binary)
			o->format |= DIFF_PATCH;
		if (flags[i].field == &o->find_copies_harder)
			o->renames = 2;
		return true;
	}
	(void)g;
	return false;
}

static bool other_word(struct git *g, struct diff_opts *o, const char *name)
{
	if (strcmp(name, "--color") == 0 || strcmp(name, "--color=always") == 0) {
		g->color = o->color = 1;
	} else if (strcmp(name, "--no-color") == 0 || strcmp(name, "--color=never") == 0) {
		g->color = o->color = 0;
	} else if (strcmp(name, "--color=auto") == 0) {
		g->color = o->color = -1;
	} else if (strcmp(name, "--no-renames") == 0) {
		o->renames = 0;
	} else if (strcmp(name, "--no-prefix") == 0) {
		o->src_prefix = o->dst_prefix = "";
	} else if (strcmp(name, "--default-prefix") == 0) {
		o->src_prefix = "a/";
		o->dst_prefix = "b/";
		o->prefix_given = true;
	} else if (strcmp(name, "--word-diff") == 0 || strcmp(name, "--word-diff=plain") == 0) {
		o->words = WORDS_PLAIN;
	} else if (strcmp(name, "--word-diff=color") == 0 || strcmp(name, "--color-words") == 0) {
		o->words = WORDS_COLOR;
		g->color = o->color = 1;
	} else if (strcmp(name, "--word-diff=porcelain") == 0) {
		o->words = WORDS_PORCELAIN;
	} else if (strcmp(name, "--word-diff=none") == 0) {
		o->words = WORDS_OFF;
	} else if (git_starts(name, "--word-diff=")) {
		git_error(g, "bad --word-diff argument: %s", strchr(name, '=') + 1);
		git_exit(g, GIT_STATUS_USAGE);
	} else if (git_starts(name, "--color=")) {
		git_error(g, "option `color' expects \"always\", \"auto\", or \"never\"");
		git_exit(g, GIT_STATUS_USAGE);
	} else if (strcmp(name, "--relative") == 0) {
		o->relative = g->prefix;
	} else if (strcmp(name, "--no-relative") == 0) {
		o->relative = NULL;
	} else if (strcmp(name, "--rename-empty") == 0) {
		return true;
	} else if (strcmp(name, "--ita-invisible-in-index") == 0) {
		o->announced = -1;
	} else if (strcmp(name, "--ita-visible-in-index") == 0) {
		o->announced = 1;
	} else if (strcmp(name, "--no-exit-code") == 0) {
		o->exit_code = false;
	} else {
		return false;
	}
	return true;
}

/* --- options with one --- */

/* The argument of --name=v or --name v (*used: arguments); NULL: not this option. */
static const char *value_of(struct git *g, const char *name, int argc, char **argv, int *used)
{
	size_t n = strlen(name);

	if (strncmp(argv[0], name, n) != 0)
		return NULL;
	*used = 1;
	if (name[1] == '-') {
		if (argv[0][n] == '=')
			return argv[0] + n + 1;
		if (argv[0][n] != '\0')
			return NULL;
	} else if (argv[0][n] != '\0') {
		return argv[0] + n;
	}
	if (argc < 2) {
		git_error(g, "%s `%s' requires a value", name[1] == '-' ? "option" : "switch",
			  name + (name[1] == '-' ? 2 : 1));
		git_exit(g, GIT_STATUS_USAGE);
	}
	*used = 2;
	return argv[1];
}

static int number_value(struct git *g, const char *name, const char *text)
{
	int64_t v;

	if (!git_number(text, &v) || v < 0 || v > INT32_MAX) {
		if (strcmp(name, "-U") == 0 || strcmp(name, "--unified") == 0)
			git_error(g, "--unified expects a numerical value");
		else if (git_starts(name, "--stat"))
			git_error(g, "%s expects a numerical value", name + 2);
		else
			git_error(g, "%s `%s' expects a numerical value",
				  name[1] == '-' ? "option" : "switch",
				  name + (name[1] == '-' ? 2 : 1));
		git_exit(g, GIT_STATUS_USAGE);
	}
	return (int)v;
}

/* --stat=WIDTH[,NAME-WIDTH[,COUNT]] */
static void set_stat(struct git *g, struct diff_opts *o, const char *v)
{
	int *const fields[] = { &o->stat_width, &o->stat_name_width, &o->stat_count };
	const char *at = v;

	o->format |= DIFF_STAT;
	for (size_t i = 0; i < 3; i++) {
		size_t len = strcspn(at, ",");
		int64_t n = 0;

		if (len != 0 && !git_number(git_format(g->a, "%.*s", (int)len, at), &n)) {
			git_error(g, "invalid --stat value: %s", v);
			git_exit(g, GIT_STATUS_USAGE);
		}
		*fields[i] = n < 0 ? 0 : n < 100000 ? (int)n : 100000;
		at += len;
		if (*at == '\0')
			return;
		at++;
	}
}

/* A file that is named as seen from where the command was started. */
static const char *from_start(struct git *g, const char *name)
{
	return name[0] == '/' || g->prefix == NULL ? name
						   : git_format(g->keep, "%s%s", g->prefix, name);
}

static void check_filter(struct git *g, const char *filter)
{
	for (const char *p = filter; *p != '\0'; p++)
		if (strchr("ACDMRTUXB*acdmrtuxb", *p) == NULL) {
			git_error(g, "unknown change class '%c' in --diff-filter=%s", *p, filter);
			git_exit(g, GIT_STATUS_USAGE);
		}
}

static int value_option(struct git *g, struct diff_opts *o, int argc, char **argv)
{
	const struct {
		const char *name;
		const char **field;
	} strings[] = {
		{ "--src-prefix", &o->src_prefix },   { "--dst-prefix", &o->dst_prefix },
		{ "--diff-filter", &o->filter },      { "--word-diff-regex", &o->word_regex },
		{ "--line-prefix", &o->line_prefix }, { "-O", &o->orderfile },
		{ "--rotate-to", &o->rotate_to },     { "--skip-to", &o->rotate_to },
	};
	const struct {
		const char *name;
		int *field;
	} numbers[] = {
		{ "--unified", &o->context },
		{ "-U", &o->context },
		{ "--inter-hunk-context", &o->inter_hunk },
		{ "--stat-width", &o->stat_width },
		{ "--stat-name-width", &o->stat_name_width },
		{ "--stat-graph-width", &o->stat_graph_width },
		{ "--stat-count", &o->stat_count },
		{ "-l", &o->rename_limit },
	};
	const char *v;
	int used;

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		v = value_of(g, strings[i].name, argc, argv, &used);
		if (v == NULL)
			continue;
		*strings[i].field = v;
		if (strings[i].field == &o->filter)
			check_filter(g, v);
		if (strings[i].field == &o->rotate_to)
			o->skip_to = git_starts(strings[i].name, "--skip");
		if (strings[i].field == &o->orderfile)
			o->orderfile = from_start(g, v);
		if (strings[i].field == &o->word_regex && o->words == WORDS_OFF)
			o->words = WORDS_PLAIN;
		return used;
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		v = value_of(g, numbers[i].name, argc, argv, &used);
		if (v == NULL)
			continue;
		*numbers[i].field = number_value(g, numbers[i].name, v);
		if (numbers[i].field == &o->context)
			o->format = (o->format & ~(unsigned)DIFF_NONE) | DIFF_PATCH;
		else if (git_starts(numbers[i].name, "--stat"))
			o->format |= DIFF_STAT;
		return used;
	}
	for (int k = 0; k < 2; k++) {
		v = value_of(g, k == 0 ? "-S" : "-G", argc, argv, &used);
		if (v == NULL)
			continue;
		o->pickaxe = v;
		o->pickaxe_kind = k == 0 ? 'S' : 'G';
		return used;
	}
	return 0;
}

static int score_option(struct git *g, struct diff_opts *o, const char *arg)
{
	static const struct {
		const char *name;
		int renames;
	} kinds[] = { { "--find-renames", 1 }, { "-M", 1 }, { "--find-copies", 2 }, { "-C", 2 } };

	for (size_t i = 0; i < 4; i++) {
		size_t n = strlen(kinds[i].name);
		const char *rest = arg + n;

		if (strncmp(arg, kinds[i].name, n) != 0 ||
		    (kinds[i].name[1] == '-' && *rest != '\0' && *rest != '='))
			continue;
		rest += *rest == '=';
		if (kinds[i].renames == 2 && o->renames == 2)
			o->find_copies_harder = true;
		o->renames = kinds[i].renames;
		if (*rest != '\0')
			o->rename_score = parse_score(g, rest, kinds[i].name);
		return 1;
	}
	return 0;
}

/* -B[N][/M]: the scores from which on files are broken, and are left so. */
static bool break_option(struct git *g, struct diff_opts *o, const char *arg)
{
	static const char *const names[] = { "--break-rewrites", "-B" };

	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(names[i]);
		const char *rest = arg + n, *slash;

		if (strncmp(arg, names[i], n) != 0 || (i == 0 && *rest != '\0' && *rest != '='))
			continue;
		rest += *rest == '=';
		slash = rest + strcspn(rest, "/");
		o->breaks = true;
		o->break_score = parse_score(g, git_format(g->a, "%.*s", (int)(slash - rest), rest),
					     "break-rewrites");
		o->rewrite_score = *slash != '\0' ? parse_score(g, slash + 1, "break-rewrites") : 0;
		return true;
	}
	return false;
}

/* --- options with a value of their own kind --- */

static void dirstat_default(struct git *g, struct diff_opts *o)
{
	const char *words = config_get(g, "diff.dirstat");
	const char *errors = words != NULL ? diff_dirstat_words(g, &o->dirstat, words) : NULL;

	if (errors != NULL)
		git_warn(g, "Found errors in 'diff.dirstat' config variable:\n%s", errors);
}

static void set_dirstat(struct git *g, struct diff_opts *o, const char *words)
{
	const char *errors;

	if (!(o->format & DIFF_DIRSTAT))
		dirstat_default(g, o);
	o->format |= DIFF_DIRSTAT;
	errors = diff_dirstat_words(g, &o->dirstat, words);
	if (errors != NULL)
		git_die(g, "Failed to parse --dirstat/-X option parameter:\n%s", errors);
}

static bool dirstat_option(struct git *g, struct diff_opts *o, const char *arg)
{
	static const struct {
		const char *name;
		const char *also;
	} kinds[] = { { "--dirstat-by-file", "files," }, { "--dirstat", "" } };

	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(kinds[i].name);

		if (strncmp(arg, kinds[i].name, n) != 0 || (arg[n] != '\0' && arg[n] != '='))
			continue;
		set_dirstat(
			g, o,
			git_format(g->a, "%s%s", kinds[i].also, arg[n] == '=' ? arg + n + 1 : ""));
		return true;
	}
	if (strcmp(arg, "--cumulative") == 0)
		set_dirstat(g, o, "cumulative");
	else if (git_starts(arg, "-X"))
		set_dirstat(g, o, arg + 2);
	else
		return false;
	return true;
}

/* --output: all that the command writes goes there. */
static void set_output(struct git *g, const char *name)
{
	int fd = cmd_open(g->c, CMD_CWD, from_start(g, name), O_WRONLY_ | O_CREAT_ | O_TRUNC_,
			  0666);

	if (fd < 0)
		git_die(g, "could not open '%s' for writing: %s", from_start(g, name),
			err_text(fd));
	cmd_flush(g->c);
	cmd_dup2(g->c, fd, 1);
	cmd_close(g->c, fd);
	if (g->color < 0)
		g->color = 0;
}

static void set_object(struct git *g, struct diff_opts *o, const char *name)
{
	if (rev_parse(g, name, &o->object) < 0) {
		git_error(g, "unable to resolve '%s'", name);
		git_exit(g, GIT_STATUS_USAGE);
	}
	o->object_wanted = true;
	o->tree_entries = true;
}

static void set_indicator(struct git *g, struct diff_opts *o, size_t which, const char *name,
			  const char *v)
{
	if (v[0] == '\0' || v[1] != '\0') {
		git_error(g, "%s expects a character, got '%s'", name + 2, v);
		git_exit(g, GIT_STATUS_USAGE);
	}
	o->indicators[which] = v[0];
}

static void add_anchor(struct git *g, struct diff_opts *o, const char *text)
{
	o->lines = (o->lines & ~(unsigned)LINES_ALGORITHM) | LINES_PATIENCE;
	if (o->anchors == NULL)
		o->anchors = arena_zalloc(g->keep, sizeof(*o->anchors));
	names_add(g, o->anchors, text);
}

static int own_value_option(struct git *g, struct diff_opts *o, int argc, char **argv)
{
	static const char *const names[] = { "--output-indicator-new",
					     "--output-indicator-old",
					     "--output-indicator-context",
					     "--output",
					     "--find-object",
					     "-I",
					     "--ignore-matching-lines",
					     "--anchored" };
	int used;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = value_of(g, names[i], argc, argv, &used);

		if (v == NULL)
			continue;
		if (i < 3)
			set_indicator(g, o, i, names[i], v);
		else if (i == 3)
			set_output(g, v);
		else if (i == 4)
			set_object(g, o, v);
		else if (i < 7)
			diff_ignore_lines(g, o, v);
		else
			add_anchor(g, o, v);
		return used;
	}
	return 0;
}

static bool take_moved(struct git *g, struct diff_opts *o, const char *mode)
{
	if (moved_mode_of(mode) == MOVED_BAD) {
		git_error(g, "color moved setting must be one of 'no', 'default', 'blocks', "
			     "'zebra', 'dimmed-zebra', 'plain'");
		return false;
	}
	o->moved = mode;
	return true;
}

/* "WORD,WORD": which white space of moved lines does not count. */
static bool take_moved_space(struct git *g, struct diff_opts *o, const char *words)
{
	static const struct {
		const char *word;
		unsigned flag;
	} kinds[] = { { "no", 0 },
		      { "ignore-space-change", LINES_IGNORE_SPACE_CHANGE },
		      { "ignore-space-at-eol", LINES_IGNORE_SPACE_AT_EOL },
		      { "ignore-all-space", LINES_IGNORE_ALL_SPACE },
		      { "allow-indentation-change", 0 } };
	bool bad = false;

	o->moved_space_given = true;
	o->moved_space = 0;
	o->moved_indentation = false;
	for (const char *at = words;;) {
		size_t n = strcspn(at, ","), i = 0;
		const char *word = git_format(g->a, "%.*s", (int)n, at);

		while (i < 5 && strcmp(kinds[i].word, word) != 0)
			i++;
		if (i == 5) {
			git_error(g,
				  "unknown color-moved-ws mode '%s', possible values are "
				  "'ignore-space-change', 'ignore-space-at-eol', "
				  "'ignore-all-space', 'allow-indentation-change'",
				  word);
			bad = true;
		} else if (i == 0) {
			o->moved_space = 0;
			o->moved_indentation = false;
		} else {
			o->moved_space |= kinds[i].flag;
			o->moved_indentation = o->moved_indentation || i == 4;
		}
		if (at[n] == '\0')
			break;
		at += n + 1;
	}
	if (!bad && o->moved_indentation && o->moved_space != 0) {
		git_error(g, "color-moved-ws: allow-indentation-change cannot be combined with "
			     "other whitespace modes");
		bad = true;
	}
	return !bad;
}

/* long: options with optional values */
static bool moved_option(struct git *g, struct diff_opts *o, const char *arg)
{
	if (strcmp(arg, "--color-moved-ws") == 0) {
		git_error(g, "option `color-moved-ws' requires a value");
		git_exit(g, GIT_STATUS_USAGE);
	}
	if (strcmp(arg, "--color-moved") == 0) {
		o->moved = config_get(g, "diff.colormoved");
		if (moved_mode_of(o->moved) <= MOVED_OFF)
			o->moved = "default";
	} else if (git_starts(arg, "--color-moved=")) {
		if (arg[14] != '\0' && !take_moved(g, o, arg + 14)) {
			git_error(g, "bad --color-moved argument: %s", arg + 14);
			git_exit(g, GIT_STATUS_USAGE);
		}
	} else if (strcmp(arg, "--no-color-moved") == 0) {
		o->moved = "no";
	} else if (git_starts(arg, "--color-moved-ws=")) {
		if (!take_moved_space(g, o, arg + 17)) {
			git_error(g, "invalid mode '%s' in --color-moved-ws", arg + 17);
			git_exit(g, GIT_STATUS_USAGE);
		}
	} else if (strcmp(arg, "--no-color-moved-ws") == 0) {
		o->moved_space_given = true;
		o->moved_space = 0;
		o->moved_indentation = false;
	} else {
		return false;
	}
	return true;
}

static void settle_moved(struct git *g, struct diff_opts *o)
{
	const char *mode = config_get(g, "diff.colormoved");
	const char *space = config_get(g, "diff.colormovedws");

	if (o->moved == NULL && mode != NULL && !take_moved(g, o, mode))
		config_die(g, "diff.colormoved");
	if (!o->moved_space_given && space != NULL && !take_moved_space(g, o, space))
		config_die(g, "diff.colormovedws");
	if (moved_mode_of(o->moved) == MOVED_OFF)
		o->moved = NULL;
}

static bool space_marks_option(struct git *g, struct diff_opts *o, const char *arg)
{
	static const struct {
		const char *word;
		unsigned marks;
		bool all;
	} words[] = { { "none", 0, true },
		      { "default", SPACE_NEW, true },
		      { "all", SPACE_OLD | SPACE_NEW | SPACE_CONTEXT, true },
		      { "new", SPACE_NEW, false },
		      { "old", SPACE_OLD, false },
		      { "context", SPACE_CONTEXT, false } };
	static const char name[] = "--ws-error-highlight=";
	const char *at = arg + sizeof(name) - 1;

	if (!git_starts(arg, name))
		return false;
	o->space_marks = 0;
	while (*at != '\0') {
		size_t n = strcspn(at, ",");
		size_t i = 0;

		while (i < 6 && (strlen(words[i].word) != n || memcmp(words[i].word, at, n) != 0))
			i++;
		if (i == 6) {
			git_error(g, "unknown value after ws-error-highlight=%.*s",
				  (int)(at - arg - (long)sizeof(name) + 1), arg + sizeof(name) - 1);
			git_exit(g, GIT_STATUS_USAGE);
		}
		o->space_marks = (words[i].all ? 0 : o->space_marks) | words[i].marks;
		at += n + (at[n] == ',');
	}
	return true;
}

static bool submodule_option(struct git *g, struct diff_opts *o, const char *arg)
{
	if (strcmp(arg, "--ignore-submodules") == 0) {
		o->submodules_asked = SUBMODULE_IGNORE_ALL;
	} else if (git_starts(arg, "--ignore-submodules=")) {
		o->submodules_asked = submodule_ignore_of(arg + 20);
		if (o->submodules_asked < 0)
			git_die(g, "bad --ignore-submodules argument: %s", arg + 20);
	} else if (strcmp(arg, "--submodule") == 0 || strcmp(arg, "--submodule=log") == 0) {
		o->submodule_format = SUBMODULE_LOG;
	} else if (strcmp(arg, "--submodule=short") == 0) {
		o->submodule_format = SUBMODULE_SHORT;
	} else if (strcmp(arg, "--submodule=diff") == 0) {
		o->submodule_format = SUBMODULE_DIFF;
	} else if (git_starts(arg, "--submodule=")) {
		git_error(g, "failed to parse --submodule option parameter: '%s'", arg + 12);
		git_exit(g, GIT_STATUS_USAGE);
	} else {
		return false;
	}
	return true;
}

int diff_option(struct git *g, void *opts, int argc, char **argv)
{
	struct diff_opts *o = opts;
	const char *arg = argv[0];
	int taken;

	if (format_word(o, arg) || lines_word(g, o, arg) || flag_word(g, o, arg) ||
	    other_word(g, o, arg))
		return 1;
	if (strcmp(arg, "--stat") == 0 || git_starts(arg, "--stat=")) {
		set_stat(g, o, arg[6] == '=' ? arg + 7 : "");
		return 1;
	}
	if (git_starts(arg, "--relative=")) {
		o->relative = arg + 11;
		return 1;
	}
	if (strcmp(arg, "-r") == 0) /* trees are gone through anyway */
		return 1;
	if (strcmp(arg, "--no-abbrev") == 0) {
		o->abbrev = OID_HEX;
		return o->abbrev_given = true;
	}
	if (strcmp(arg, "--abbrev") == 0) {
		o->abbrev = 0;
		o->abbrev_given = true;
		o->full_index = false;
		return 1;
	}
	if (git_starts(arg, "--abbrev=")) {
		o->abbrev = number_value(g, "--abbrev", arg + 9);
		o->abbrev_given = true;
		o->abbrev = o->abbrev < 4 ? 4 : o->abbrev > OID_HEX ? OID_HEX : o->abbrev;
		return 1;
	}
	if (submodule_option(g, o, arg))
		return 1;
	if (dirstat_option(g, o, arg) || moved_option(g, o, arg) || space_marks_option(g, o, arg))
		return 1;
	if (break_option(g, o, arg))
		return 1;
	taken = score_option(g, o, arg);
	if (taken == 0)
		taken = value_option(g, o, argc, argv);
	if (taken == 0)
		taken = own_value_option(g, o, argc, argv);
	return taken;
}

/* Of what can't stand beside anything else only one may be asked for. */
static void settle_format(struct git *g, struct diff_opts *o)
{
	unsigned alone = o->format & (DIFF_NAMES | DIFF_NAME_STATUS | DIFF_CHECK | DIFF_NONE);

	if ((alone & (alone - 1)) != 0)
		git_die(g, "options '%s', '%s', '%s', and '%s' cannot be used together",
			"--name-only", "--name-status", "--check", "-s");
	if (alone != 0)
		o->format = alone;
}

static void settle_context(struct git *g, struct diff_opts *o)
{
	const char *text = cmd_getenv(g->c, "GIT_DIFF_OPTS");
	int64_t n;

	if (o->inter_hunk < 0)
		o->inter_hunk = (int)config_int(g, "diff.interhunkcontext", 0);
	if (o->inter_hunk < 0)
		config_die(g, "diff.interhunkcontext");
	if (o->context < 0)
		o->context = (int)config_int(g, "diff.context", 3);
	/* "--unified=N" or "-uN" is all that is understood there. */
	if (text != NULL && git_starts(text, "--unified="))
		text += 10;
	else if (text != NULL && git_starts(text, "-u"))
		text += 2;
	else
		return;
	if (git_number(text, &n) && n >= 0 && n < INT32_MAX)
		o->context = (int)n;
}

void diff_settle(struct git *g, struct diff_opts *o)
{
	const char *renames = config_get(g, "diff.renames");
	const char *message;

	settle_context(g, o);
	if (o->renames < 0)
		o->renames = renames == NULL ? 1
			     : strcmp(renames, "copies") == 0 || strcmp(renames, "copy") == 0
				     ? 2
				     : config_truth(renames) != 0;
	if (o->find_copies_harder)
		o->renames = 2;
	if (o->rename_limit < 0)
		o->rename_limit = (int)config_int(g, "diff.renamelimit", RENAME_LIMIT);
	if (o->rename_limit == 0)
		o->rename_limit = 32767;
	if (!config_bool(g, "diff.indentheuristic", true))
		o->lines |= LINES_NO_INDENT_HEURISTIC;
	if (config_bool(g, "diff.noprefix", false) && !o->prefix_given &&
	    strcmp(o->src_prefix, "a/") == 0)
		o->src_prefix = o->dst_prefix = "";
	else if (config_bool(g, "diff.mnemonicprefix", false))
		o->mnemonic = true;
	o->use_color = o->color >= 0 ? o->color != 0 : color_wanted(g, "color.diff");
	settle_moved(g, o);
	if (o->orderfile == NULL)
		o->orderfile = config_get(g, "diff.orderfile");
	if (o->orderfile != NULL)
		o->orderfile = config_expand_path(g, o->orderfile);
	settle_format(g, o);
	if (o->default_patch && o->format == 0)
		o->format = DIFF_PATCH;
	if (o->quiet)
		o->format = DIFF_NONE;
	if (o->pickaxe != NULL && (o->pickaxe_kind == 'G' || o->pickaxe_regex)) {
		if (regex_compile(g->keep, bytes_of(o->pickaxe),
				  REGEX_ERE | REGEX_NEWLINE | g->utf8, &o->pickaxe_re, &message,
				  NULL) < 0)
			git_die(g, "invalid regex: %s", message);
		regex_set_work(o->pickaxe_re, cmd_work, g->c);
	}
	if (o->reverse) {
		const char *swap = o->src_prefix;

		o->src_prefix = o->dst_prefix;
		o->dst_prefix = swap;
	}
}

void diff_sides(struct diff_opts *o, const char *one, const char *two)
{
	const char *const usual[] = { "a/", "b/" };

	if (!o->mnemonic || o->prefix_given)
		return;
	if (strcmp(o->src_prefix, usual[o->reverse]) == 0)
		o->src_prefix = o->reverse ? two : one;
	if (strcmp(o->dst_prefix, usual[!o->reverse]) == 0)
		o->dst_prefix = o->reverse ? one : two;
}
