/* SPDX-License-Identifier: MIT
 *
 * tree - directories as a tree.
 */
#include "builtins/tree/tree.h"

/* "a|b" are several patterns. */
static int add_pattern(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;
	const char **list = opt->letter == 'P' ? o->include_text : o->exclude_text;
	size_t *n = opt->letter == 'P' ? &o->nincludes : &o->nexcludes;

	while (*n < 64) {
		size_t len = strcspn(arg, "|");
		char *copy = arena_dup(c->arena, (struct bytes){ arg, len });

		if (len > 0 && copy[len - 1] == '/')
			copy[len - 1] = '\0';
		list[(*n)++] = copy;
		if (arg[len] == '\0')
			return 0;
		arg += len + 1;
	}
	return cmd_error(c, 0, "too many patterns");
}

/* --ignore-case counts for patterns before it, too. */
static void compile_patterns(struct cmd *c, struct tree_opts *o)
{
	unsigned flags = GLOB_UTF8 | GLOB_PATHNAME | (o->fold ? GLOB_ICASE : 0);

	for (size_t i = 0; i < o->nincludes; i++)
		o->include[i] = glob_compile(c->arena, bytes_of(o->include_text[i]), flags);
	for (size_t i = 0; i < o->nexcludes; i++)
		o->exclude[i] = glob_compile(c->arena, bytes_of(o->exclude_text[i]), flags);
}

static int set_depth(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;
	uint64_t n = 0;
	bool good = num_parse_u64(arg, "", &n) == 0;

	if (opt->letter == 'L' && (!good || n == 0)) {
		cmd_error(c, 0, "Invalid level, must be greater than 0.");
		return 1;
	}
	if (opt->letter == 'L')
		o->depth = n;
	else
		o->limit = n;
	return 0;
}

/* In whatever case. */
static bool is_word(const char *a, const char *b)
{
	while (*a != '\0' && byte_to_lower((unsigned char)*a) == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static int set_charset(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;

	o->cp437 = opt->letter == 'S' || is_word(arg, "ibm437");
	o->charset = opt->letter == 'S' ? "IBM437" : arg;
	arg = o->charset;
	o->latin1 = is_word(arg, "iso-8859-1") || is_word(arg, "latin1");
	o->ascii = bytes_find(bytes_of(arg), BYTES("8")) == NULL || (arg[0] | 0x20) != 'u';
	return 0;
}

/* The last of the forms counts. */
static int set_form(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;

	o->json = opt->letter == 'J';
	o->xml = opt->letter == 'X';
	o->html = opt->letter == 'H' ? arg : NULL;
	return 0;
}

static int set_time_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;

	(void)opt;
	o->time_format = arg;
	o->dates = true;
	return 0;
}

/* Patterns with slashes match nothing in such a file, as the real tree has it. */
static int add_git_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;
	struct vfs_stat st;
	struct bytes text;
	size_t to;

	(void)opt;
	o->git_ignore = true;
	if (cmd_stat(c, arg, &st) < 0 || (st.mode & S_FMT) == S_DIR ||
	    cmd_read_all(c, arg, &text) < 0)
		return cmd_error(c, 0, "Could not load gitignore file");
	if (o->git_file == NULL)
		o->git_file = ignore_new(c->arena, false);
	for (size_t at = 0; at < text.len; at = to + 1) {
		const char *end = bytes_find(bytes_slice(text, at, text.len), BYTES("\n"));

		to = end != NULL ? (size_t)(end - text.ptr) : text.len;
		if (bytes_find(bytes_slice(text, at, to), BYTES("/")) == NULL)
			ignore_add_file(o->git_file, bytes_slice(text, at, to));
	}
	cmd_charge_bytes(c, text.len);
	return 0;
}

static const struct opt_word sort_words[] = {
	{ "name", SORT_NAME },
	{ "version", SORT_VERSION },
	{ "size", SORT_SIZE },
	{ "mtime", SORT_MTIME },
	{ "ctime", SORT_CTIME },
	{ "none", SORT_NONE },
	{ NULL, 0 },
};

#define T struct tree_opts
static const struct opt tree_options[] = {
	OPT_FLAG('a', NULL, T, all, "names that begin with a dot, too"),
	OPT_FLAG('d', NULL, T, only_dirs, "only directories"),
	OPT_FLAG('l', NULL, T, follow, "follow links to directories"),
	OPT_FLAG('f', NULL, T, full_path, "the whole path of each file"),
	OPT_FLAG('x', NULL, T, one_device, "stay on one filesystem"),
	OPT_CALL_ARG('L', NULL, set_depth, "LEVEL", "at most LEVEL directories deep"),
	OPT_CALL_ARG('P', NULL, add_pattern, "PATTERN", "only files that match"),
	OPT_CALL_ARG('I', NULL, add_pattern, "PATTERN", "not those that match"),
	OPT_FLAG(0, "ignore-case", T, fold, "patterns ignore case"),
	OPT_FLAG(0, "matchdirs", T, match_dirs, "-P counts for directories, too"),
	OPT_FLAG(0, "prune", T, prune, "no empty directories"),
	OPT_FLAG(0, "noreport", T, no_report, "no counts at the end"),
	OPT_CALL_ARG(0, "filelimit", set_depth, "N",
		     "do not enter directories of more than N entries"),
	OPT_STR('o', NULL, T, output, NULL, "FILE", "write to FILE"),
	OPT_FLAG('q', NULL, T, question, "what is not printable as ?"),
	OPT_FLAG('N', NULL, T, raw, "names as they are"),
	OPT_FLAG('Q', NULL, T, quote, "names in quotes"),
	OPT_FLAG('p', NULL, T, modes, "permissions"),
	OPT_FLAG('u', NULL, T, users, "owners"),
	OPT_FLAG('g', NULL, T, groups, "groups"),
	OPT_FLAG('s', NULL, T, sizes, "sizes"),
	OPT_FLAG('h', NULL, T, human, "sizes for people"),
	OPT_FLAG(0, "si", T, si, "the same in powers of 1000"),
	OPT_FLAG(0, "du", T, total, "directories: size of what is in them"),
	OPT_FLAG('D', NULL, T, dates, "times of change"),
	OPT_CALL_ARG(0, "timefmt", set_time_format, "FORMAT", "the same, as strftime has it"),
	OPT_FLAG('F', NULL, T, classify, "/ = * | behind names"),
	OPT_FLAG(0, "inodes", T, inodes, "inode numbers"),
	OPT_FLAG(0, "device", T, devices, "device numbers"),
	OPT_SET('v', NULL, T, sort, SORT_VERSION, "sort by version"),
	OPT_SET('t', NULL, T, sort, SORT_MTIME, "sort by time of change"),
	OPT_SET('c', NULL, T, sort, SORT_CTIME, "sort by time of status change"),
	OPT_SET('U', NULL, T, sort, SORT_NONE, "do not sort"),
	OPT_ENUM(0, "sort", T, sort, sort_words, "WORD", "name, version, size, mtime, ctime, none"),
	OPT_FLAG('r', NULL, T, reverse, "the other way round"),
	OPT_SET(0, "dirsfirst", T, dirs_first, 1, "directories before files"),
	OPT_SET(0, "filesfirst", T, dirs_first, -1, "files before directories"),
	OPT_FLAG('i', NULL, T, no_indent, "no lines in front"),
	OPT_FLAG('C', NULL, T, color, "colours"),
	OPT_FLAG('n', NULL, T, no_color, "no colours, also on a terminal"),
	OPT_CALL_ARG(0, "charset", set_charset, "X", "UTF-8, or lines of ASCII"),
	OPT_CALL('J', NULL, set_form, "JSON"),
	OPT_CALL('X', NULL, set_form, "XML"),
	OPT_CALL_ARG('H', NULL, set_form, "BASE", "a page of HTML, whose links begin with BASE"),
	OPT_STR('T', NULL, T, title, NULL, "TITLE", "its title"),
	OPT_FLAG(0, "nolinks", T, no_links, "the page has no links"),
	OPT_STR(0, "hintro", T, intro, NULL, "FILE", "the page begins with FILE"),
	OPT_STR(0, "houtro", T, outro, NULL, "FILE", "the page ends with FILE"),
	OPT_MISSING('R', NULL),
	OPT_FLAG('A', NULL, T, ansi, "lines of a terminal's second set"),
	OPT_CALL('S', NULL, set_charset, "lines of code page 437"),
	OPT_FLAG(0, "gitignore", T, git_ignore, "not what .gitignore files name"),
	OPT_CALL_ARG(0, "gitfile", add_git_file, "FILE", "nor what FILE names"),
	OPT_FLAG(0, "fflinks", T, links, "in lists `->` makes links"),
	OPT_FLAG(0, "fromfile", T, from_file, "operands are lists of paths (. is standard input)"),
	OPT_MISSING(0, "info"),
	OPT_END(),
};
#undef T

/* --- roots --- */

/* A root that is there and can be read. */
static void load_root(struct tree *t, struct tree_node *n, const char *path)
{
	if (t->o->from_file) {
		n->is_dir = tree_from_file(t, n, path) == 0;
		if (!n->is_dir) {
			n->note = "error opening dir";
			t->status = 2;
		}
		t->dirs += n->is_dir;
		return;
	}
	tree_examine(t, n, path);
	if (n->is_dir) {
		n->link = false;
		tree_read(t, n, path, 1);
		t->dirs += n->nchildren > 0 || n->note != NULL;
	} else {
		n->note = "error opening dir";
		t->status = n->st.mode == 0 ? 2 : t->status;
		t->files += n->st.mode != 0;
	}
	n->target = NULL;
}

static void put_root(struct tree *t, const char *path)
{
	struct tree_node *n = arena_zalloc(t->c->arena, sizeof(*n));

	n->name = path;
	load_root(t, n, path);
	/* A directory among the operands does not count itself: what is in it counts at each level.
	 */
	t->bytes += n->is_dir ? 0 : n->size;
	if (t->o->json) {
		tree_put_json(t, n);
		return;
	}
	if (t->o->xml) {
		tree_put_xml(t, n);
		return;
	}
	t->root = n;
	t->root_len = strlen(path);
	if (t->o->html != NULL && !t->o->no_indent && !t->o->ansi && n->st.mode != 0)
		cmd_putc(t->c, '\t');
	if (t->o->html == NULL && n->note != NULL && n->st.mode == 0) {
		tree_put_name(t, n->name);
		cmd_printf(t->c, "  [%s]\n", n->note);
	} else {
		tree_put_node(t, n, n->name);
	}
	tree_put_children(t, n, n->name, "", 1);
}

static void put_report_json(struct tree *t)
{
	cmd_printf(t->c, "%s{\"type\":\"report\"", t->o->no_indent ? "," : ",\n  ");
	if (t->o->total)
		cmd_printf(t->c, ",\"size\":%llu", (unsigned long long)t->bytes);
	cmd_printf(t->c, ",\"directories\":%llu", (unsigned long long)t->dirs);
	if (!t->o->only_dirs)
		cmd_printf(t->c, ",\"files\":%llu", (unsigned long long)t->files);
	cmd_puts(t->c, t->o->no_indent ? "}" : "}\n");
}

static void put_report_xml(struct tree *t)
{
	const char *end = t->o->no_indent ? "" : "\n";
	const char *in = t->o->no_indent ? "" : "  ";

	cmd_printf(t->c, "%s<report>%s", in, end);
	if (t->o->total)
		cmd_printf(t->c, "%s%s<size>%llu</size>%s", in, in, (unsigned long long)t->bytes,
			   end);
	cmd_printf(t->c, "%s%s<directories>%llu</directories>%s", in, in,
		   (unsigned long long)t->dirs, end);
	if (!t->o->only_dirs)
		cmd_printf(t->c, "%s%s<files>%llu</files>%s", in, in, (unsigned long long)t->files,
			   end);
	cmd_printf(t->c, "%s</report>%s", in, end);
}

static void put_report(struct tree *t)
{
	struct buf size = buf_in(t->c->arena);
	unsigned long long dirs = t->dirs;
	unsigned long long files = t->files;

	cmd_putc(t->c, '\n');
	if (t->o->total) {
		cmd_putc(t->c, ' ');
		tree_size_text(t, &size, t->bytes);
		cmd_bytes(t->c, buf_bytes(&size));
		cmd_printf(t->c, "%s used in ", t->o->human || t->o->si ? "" : " bytes");
	}
	cmd_printf(t->c, "%llu director%s", dirs, dirs == 1 ? "y" : "ies");
	if (!t->o->only_dirs)
		cmd_printf(t->c, ", %llu file%s", files, files == 1 ? "" : "s");
	cmd_putc(t->c, '\n');
}

static void put_all_json(struct tree *t, char **roots, int n)
{
	const char *end = t->o->no_indent ? "" : "\n";

	cmd_printf(t->c, "[%s", end);
	for (int i = 0; i < n; i++) {
		if (i > 0)
			cmd_printf(t->c, ",%s", end);
		put_root(t, roots[i]);
	}
	cmd_puts(t->c, end);
	if (t->o->no_report)
		cmd_puts(t->c, end);
	else
		put_report_json(t);
	cmd_puts(t->c, "]\n");
}

static void put_all_xml(struct tree *t, char **roots, int n)
{
	const char *end = t->o->no_indent ? "" : "\n";

	const char *charset = t->o->charset != NULL ? t->o->charset : t->c->utf8 ? "UTF-8" : NULL;

	cmd_puts(t->c, "<?xml version=\"1.0\"");
	if (charset != NULL)
		cmd_printf(t->c, " encoding=\"%s\"", charset);
	cmd_printf(t->c, "?>%s<tree>%s", end, end);
	for (int i = 0; i < n; i++)
		put_root(t, roots[i]);
	if (!t->o->no_report)
		put_report_xml(t);
	cmd_puts(t->c, "</tree>\n");
}

static bool is_said(struct cmd *c, const char *name)
{
	const char *value = cmd_getenv(c, name);

	return value != NULL && *value != '\0';
}

/* A terminal has them, if the environment says which. */
static bool suits_colors(struct cmd *c, const struct tree_opts *o)
{
	if (o->no_color || cmd_getenv(c, "NO_COLOR") != NULL)
		return false;
	if (cmd_getenv(c, "CLICOLOR_FORCE") != NULL)
		return true;
	return cmd_isatty(c, 1) && (is_said(c, "TREE_COLORS") || is_said(c, "LS_COLORS"));
}

static int tree_run(struct cmd *c)
{
	struct tree *t = arena_zalloc(c->arena, sizeof(*t));
	struct tree_opts *o = c->opts;
	char here[] = ".";
	char *one[] = { here };
	char **roots = c->nargs > 0 ? c->args : one;
	int n = c->nargs > 0 ? c->nargs : 1;

	compile_patterns(c, o);
	for (int i = 0; i < n && o->full_path; i++)
		for (size_t len = strlen(roots[i]); len > 1 && roots[i][len - 1] == '/'; len--)
			roots[i][len - 1] = '\0';
	t->c = c;
	t->o = o;
	t->zone = zone_of_command(c);
	t->colors = o->color || suits_colors(c, o) ? tree_colors_new(c) : NULL;
	const char *charset = cmd_getenv(c, "TREE_CHARSET");

	if (o->charset == NULL && charset != NULL)
		set_charset(c, tree_options, charset);
	o->ascii |= !c->utf8 && o->charset == NULL;
	o->sizes |= o->human || o->si || o->total;
	if (o->output != NULL) {
		int fd = cmd_open(c, CMD_CWD, o->output, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

		if (fd < 0)
			return cmd_error(c, 0, "invalid filename '%s'", o->output);
		cmd_dup2(c, fd, 1);
		cmd_close(c, fd);
	}
	if (o->json || o->xml) {
		o->json ? put_all_json(t, roots, n) : put_all_xml(t, roots, n);
		return t->status;
	}
	if (o->html != NULL)
		tree_put_intro(t);
	for (int i = 0; i < n; i++)
		put_root(t, roots[i]);
	if (!o->no_report) {
		cmd_puts(c, o->html != NULL ? "<br><br><p>\n" : "");
		put_report(t);
		cmd_puts(c, o->html != NULL ? "\n</p>\n" : "");
	}
	if (o->html != NULL)
		tree_put_outro(t);
	return t->status;
}

/* An option's argument is always the next one, whatever letters stand behind it: "-Lf 2". */
static int split_letters(struct cmd *c, int argc, char **argv, int i)
{
	const char *word = argv[i];
	size_t n = strlen(word);
	int next = i + 1;
	int to = i;

	if (word[0] != '-' || word[1] == '-' || strpbrk(word, "LPIHTo") == NULL)
		return 0;
	if (n == 2 && next < argc)
		return 0;
	char **list = arena_array(c->arena, (size_t)argc + n + 1, sizeof(*list));

	memcpy(list, argv, (size_t)i * sizeof(*list));
	for (const char *at = word + 1; *at != '\0'; at++) {
		char letter[2] = { '-', *at };

		list[to++] = arena_dup(c->arena, (struct bytes){ letter, 2 });
		if (strchr("LPIHTo", *at) == NULL)
			continue;
		if (next >= argc)
			cmd_fatal(c, 0, "Missing argument to -%c option.", *at);
		list[to++] = argv[next++];
	}
	while (next < argc)
		list[to++] = argv[next++];
	list[to] = NULL;
	c->argv = list;
	c->argc = to;
	return -1;
}

static void tree_defaults(struct cmd *c)
{
	((struct tree_opts *)c->opts)->depth = UINT64_MAX;
}

const struct builtin builtin_tree = {
	.name = "tree",
	.usage = "[OPTION]... [DIRECTORY]...",
	.summary = "Writes directories and what is in them as a tree.",
	.run = tree_run,
	.opts = tree_options,
	.opts_size = sizeof(struct tree_opts),
	.family = "tree 2.1.0",
	.version = "tree v2.1.0",
	.unknown = "Invalid argument `%s'.",
	.legacy = split_letters,
	.defaults = tree_defaults,
};
