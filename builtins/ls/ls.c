/* SPDX-License-Identifier: MIT
 *
 * ls - list directories.
 *
 * Here: options, reading directories, the order in which they are listed. list.c has the
 * formats, long.c the long one, color.c colors, prepare.c what options mean together.
 */
#include "base/glob.h"
#include "builtins/ls/ls.h"

static const struct opt_word color_words[] = {
	{ "always", LS_ALWAYS }, { "yes", LS_ALWAYS },
	{ "force", LS_ALWAYS },  { "never", LS_NEVER },
	{ "no", LS_NEVER },      { "none", LS_NEVER },
	{ "auto", LS_AUTO },     { "tty", LS_AUTO },
	{ "if-tty", LS_AUTO },   { NULL, 0 },
};
static const struct opt_word format_words[] = {
	{ "verbose", LS_LONG },         { "long", LS_LONG },
	{ "commas", LS_COMMAS },        { "horizontal", LS_ACROSS },
	{ "across", LS_ACROSS },        { "vertical", LS_COLUMNS },
	{ "single-column", LS_SINGLE }, { NULL, 0 },
};
static const struct opt_word sort_words[] = {
	{ "none", LS_NONE },
	{ "time", LS_TIME },
	{ "size", LS_SIZE },
	{ "extension", LS_EXTENSION },
	{ "version", LS_VERSION },
	{ "width", LS_WIDTH },
	{ NULL, 0 },
};
static const struct opt_word time_words[] = {
	{ "atime", LS_ATIME },    { "access", LS_ATIME },
	{ "use", LS_ATIME },      { "ctime", LS_CTIME },
	{ "status", LS_CTIME },   { "birth", LS_BTIME },
	{ "creation", LS_BTIME }, { NULL, 0 },
};
static const struct opt_word indicator_words[] = {
	{ "none", LS_PLAIN },        { "slash", LS_SLASH }, { "file-type", LS_FILE_TYPE },
	{ "classify", LS_CLASSIFY }, { NULL, 0 },
};

static int set_letter(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;

	(void)arg;
	switch (opt->letter) {
	case 'c':
	case 'u':
		o->time = opt->letter == 'c' ? LS_CTIME : LS_ATIME;
		o->time_given = true;
		return 0;
	case 'f':
		o->hidden = LS_ALL;
		o->sort = LS_NONE;
		o->color = LS_NEVER;
		o->blocks = false;
		if (o->format == LS_LONG)
			o->format = -1;
		return 0;
	case 'g': o->no_owner = true; break;
	case 'n': o->numeric_ids = true; break;
	case 'o': o->no_group = true; break;
	default: o->full_time = true; o->time_style = "full-iso";
	}
	o->format = LS_LONG;
	return 0;
}

static int set_single(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;

	(void)opt, (void)arg;
	if (o->format != LS_LONG)
		o->format = LS_SINGLE;
	return 0;
}

static int set_time(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;

	(void)opt;
	o->time_given = true;
	return opt_word(c, time_words, "--time", arg, &o->time);
}

static int add_pattern(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;
	struct ls_pattern *p = arena_zalloc(c->arena, sizeof(*p));

	p->glob = glob_compile(c->arena, bytes_of(arg), GLOB_PERIOD | GLOB_UTF8);
	p->hide = opt->letter == 0;
	p->next = o->patterns;
	if (opt->letter == 'B')
		p->glob = glob_compile(c->arena, BYTES("*~"), 0);
	if (p->glob != NULL)
		o->patterns = p;
	return 0;
}

static int ignore_backups(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)arg;
	add_pattern(c, opt, "*~");
	return add_pattern(c, opt, ".*~");
}

static int set_classify(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;

	(void)opt;
	o->indicator = LS_CLASSIFY;
	o->classify_when = LS_ALWAYS;
	return arg != NULL ? opt_word(c, color_words, "--classify", arg, &o->classify_when) : 0;
}

static int set_zero(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;

	(void)opt, (void)arg;
	o->zero = true;
	o->color = LS_NEVER;
	o->quoting = QUOTE_LITERAL;
	o->show_control = true;
	o->width_text = "0";
	if (o->format != LS_LONG)
		o->format = LS_SINGLE;
	return 0;
}

static int set_human(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct ls_opts *o = c->opts;

	(void)arg;
	o->human = opt->letter == 'h';
	o->si = opt->letter != 'h';
	o->block_size = NULL;
	return 0;
}

static const struct opt ls_options[] = {
	OPT_SET('a', "all", struct ls_opts, hidden, LS_ALL, "also names that begin with ."),
	OPT_SET('A', "almost-all", struct ls_opts, hidden, LS_ALMOST, "the same without . and .."),
	OPT_FLAG(0, "author", struct ls_opts, author, "with -l: the author (the owner)"),
	OPT_SET('b', "escape", struct ls_opts, quoting, QUOTE_ESCAPE, "escapes for odd characters"),
	OPT_STR(0, "block-size", struct ls_opts, block_size, NULL, "SIZE",
		"show sizes in units of SIZE"),
	OPT_CALL('B', "ignore-backups", ignore_backups, "leave out names that end with ~"),
	OPT_CALL('c', NULL, set_letter, "show and sort by the time of the last status change"),
	OPT_SET('C', NULL, struct ls_opts, format, LS_COLUMNS, "in columns"),
	OPT_ENUM_OPTIONAL(0, "color", struct ls_opts, color, color_words, LS_ALWAYS, "WHEN",
			  "colors: always, auto, never"),
	OPT_FLAG('d', "directory", struct ls_opts, directory, "directories themselves"),
	OPT_FLAG('D', "dired", struct ls_opts, dired,
		 "tell Emacs where the names of a long listing are"),
	OPT_CALL('f', NULL, set_letter, "all, unsorted"),
	OPT_CALL_OPTIONAL(0, "classify", set_classify, "WHEN", NULL),
	OPT_CALL('F', NULL, set_classify, "append one of */=>@| to names"),
	OPT_SET(0, "file-type", struct ls_opts, indicator, LS_FILE_TYPE, "the same without *"),
	OPT_ENUM(0, "format", struct ls_opts, format, format_words, "WORD",
		 "across, commas, horizontal, long, single-column, verbose, vertical"),
	OPT_CALL(0, "full-time", set_letter, "-l with whole times"),
	OPT_CALL('g', NULL, set_letter, "-l without the owner"),
	OPT_FLAG(0, "group-directories-first", struct ls_opts, dirs_first, "directories first"),
	OPT_FLAG('G', "no-group", struct ls_opts, no_group, "with -l: without the group"),
	OPT_CALL('h', "human-readable", set_human, "sizes like 1K, 234M"),
	OPT_CALL(0, "si", set_human, "the same in powers of 1000"),
	OPT_SET('H', "dereference-command-line", struct ls_opts, deref, LS_DEREF_ARGS,
		"follow links that are operands"),
	OPT_SET(0, "dereference-command-line-symlink-to-dir", struct ls_opts, deref,
		LS_DEREF_DEFAULT, "those to directories"),
	OPT_CALL_ARG(0, "hide", add_pattern, "PATTERN",
		     "leave out matching names, unless -a or -A"),
	OPT_ENUM_OPTIONAL(0, "hyperlink", struct ls_opts, hyperlink, color_words, LS_ALWAYS, "WHEN",
			  "names as hyperlinks"),
	OPT_ENUM(0, "indicator-style", struct ls_opts, indicator, indicator_words, "WORD",
		 "none, slash (-p), file-type, classify (-F)"),
	OPT_FLAG('i', "inode", struct ls_opts, inode, "inode numbers"),
	OPT_CALL_ARG('I', "ignore", add_pattern, "PATTERN", "leave out matching names"),
	OPT_FLAG('k', "kibibytes", struct ls_opts, kilobytes, "blocks of 1024 bytes"),
	OPT_SET('l', NULL, struct ls_opts, format, LS_LONG, "long format"),
	OPT_SET('L', "dereference", struct ls_opts, deref, LS_DEREF_ALL, "what links lead to"),
	OPT_SET('m', NULL, struct ls_opts, format, LS_COMMAS, "separated by commas"),
	OPT_CALL('n', "numeric-uid-gid", set_letter, "-l with numbers of users and groups"),
	OPT_SET('N', "literal", struct ls_opts, quoting, QUOTE_LITERAL, "names without quotes"),
	OPT_CALL('o', NULL, set_letter, "-l without the group"),
	OPT_SET('p', NULL, struct ls_opts, indicator, LS_SLASH, "append / to directories"),
	OPT_FLAG('q', "hide-control-chars", struct ls_opts, hide_control, "? for odd characters"),
	OPT_FLAG(0, "show-control-chars", struct ls_opts, show_control,
		 "odd characters as they are"),
	OPT_SET('Q', "quote-name", struct ls_opts, quoting, QUOTE_C, "names in double quotes"),
	OPT_ENUM(0, "quoting-style", struct ls_opts, quoting, quote_words, "WORD",
		 "literal, locale, shell, shell-always, shell-escape, c, escape"),
	OPT_FLAG('r', "reverse", struct ls_opts, reverse, "the other way round"),
	OPT_FLAG('R', "recursive", struct ls_opts, recursive, "directories below, too"),
	OPT_FLAG('s', "size", struct ls_opts, blocks, "space taken, in blocks"),
	OPT_SET('S', NULL, struct ls_opts, sort, LS_SIZE, "largest first"),
	OPT_ENUM(0, "sort", struct ls_opts, sort, sort_words, "WORD",
		 "none (-U), size (-S), time (-t), version (-v), extension (-X), width"),
	OPT_CALL_ARG(0, "time", set_time, "WORD", "which time: atime, ctime, birth"),
	OPT_STR(0, "time-style", struct ls_opts, time_style, NULL, "STYLE",
		"full-iso, long-iso, iso, locale, or +FORMAT as in date"),
	OPT_SET('t', NULL, struct ls_opts, sort, LS_TIME, "newest first"),
	OPT_STR('T', "tabsize", struct ls_opts, tab_text, NULL, "COLS", "tab stops"),
	OPT_CALL('u', NULL, set_letter, "show and sort by the time of the last access"),
	OPT_SET('U', NULL, struct ls_opts, sort, LS_NONE, "unsorted"),
	OPT_SET('v', NULL, struct ls_opts, sort, LS_VERSION, "numbers in names as numbers"),
	OPT_STR('w', "width", struct ls_opts, width_text, NULL, "COLS", "line width; 0: no limit"),
	OPT_SET('x', NULL, struct ls_opts, format, LS_ACROSS, "in lines instead of columns"),
	OPT_SET('X', NULL, struct ls_opts, sort, LS_EXTENSION, "by extension"),
	OPT_FLAG('Z', "context", struct ls_opts, context, "security context (always ?)"),
	OPT_CALL(0, "zero", set_zero, "end each line with NUL"),
	OPT_CALL('1', NULL, set_single, "one name a line"),
	OPT_END(),
};

/* --- reading --- */

static struct ls_entry *add_entry(struct cmd *c, struct ls_list *l, struct bytes name)
{
	if (l->n == l->cap) {
		size_t cap = l->cap * 2 + 16;

		l->entry = arena_grow(c->arena, l->entry, l->cap * sizeof(*l->entry),
				      cap * sizeof(*l->entry));
		l->cap = cap;
	}
	struct ls_entry *e = &l->entry[l->n++];

	*e = (struct ls_entry){ .name = name };
	return e;
}

static bool needs_stat(const struct ls_opts *o)
{
	return o->format == LS_LONG || o->sort == LS_TIME || o->sort == LS_SIZE || o->blocks ||
	       o->indicator == LS_CLASSIFY || o->colored ||
	       (o->deref == LS_DEREF_ALL && (o->recursive || o->indicator != LS_PLAIN));
}

static void examine_link(struct cmd *c, const struct ls_opts *o, int dir, const char *path,
			 struct ls_entry *e)
{
	struct vfs_stat st;

	if ((e->st.mode & S_FMT) != S_LNK)
		return;
	if (o->format == LS_LONG)
		e->has_target = cmd_readlink(c, dir, path, &e->target) == 0;
	if (o->format == LS_LONG || o->colored || o->dirs_first) {
		e->broken = cmd_stat_at(c, dir, path, 0, &st) != 0;
		e->target_mode = e->broken ? 0 : st.mode;
	}
}

static int cannot_access(struct cmd *c, int err, const char *dir, struct bytes name, bool minor)
{
	struct buf path = buf_in(c->arena);

	if (dir != NULL && strcmp(dir, ".") != 0) {
		buf_puts(&path, dir);
		if (path.len > 0 && path.ptr[path.len - 1] != '/')
			buf_putc(&path, '/');
	}
	buf_add(&path, name);
	cmd_error(c, err, "cannot access %s", cmd_quoteaf(c, buf_cstr(&path)));
	return minor ? 1 : 2;
}

static bool ignored(const struct cmd *c, const struct ls_opts *o, struct bytes name)
{
	if (o->hidden != LS_ALL && name.ptr[0] == '.' &&
	    (o->hidden == LS_VISIBLE || bytes_is(name, ".") || bytes_is(name, "..")))
		return true;
	for (const struct ls_pattern *p = o->patterns; p != NULL; p = p->next) {
		arena_charge(c->arena, 1);
		if (!(p->hide && o->hidden != LS_VISIBLE) && glob_match(p->glob, c->arena, name))
			return true;
	}
	return false;
}

/* Adds one entry of an open directory. Returns a status. */
static int read_entry(struct cmd *c, const struct ls_opts *o, struct ls_list *l, int fd,
		      const char *dir, struct bytes name, uint32_t type, vfs_ino ino)
{
	struct ls_entry *e;

	if (ignored(c, o, name))
		return 0;
	e = add_entry(c, l, name);
	e->st.mode = type;
	e->st.ino = ino;
	if (needs_stat(o) || type == 0) {
		int flags = o->deref == LS_DEREF_ALL ? 0 : CMD_NOFOLLOW;
		int err = cmd_stat_at(c, fd, name.ptr, flags, &e->st);

		e->has_stat = err == 0;
		if (err != 0) {
			e->st.mode = type;
			return cannot_access(c, err, dir, name, true);
		}
	}
	if (needs_stat(o) || o->dirs_first)
		examine_link(c, o, fd, name.ptr, e);
	return 0;
}

/* Closes fd. */
static int read_directory(struct cmd *c, const struct ls_opts *o, int fd, const char *path,
			  struct ls_list *l, bool is_operand)
{
	enum { STEP = 64 };
	struct vfs_dirent step[STEP];
	int status = 0;
	int got;

	if (o->hidden == LS_ALL) {
		status |= read_entry(c, o, l, fd, path, BYTES("."), 0, 0);
		status |= read_entry(c, o, l, fd, path, BYTES(".."), 0, 0);
	}
	while ((got = cmd_readdir(c, fd, c->arena, step, STEP)) > 0) {
		for (int i = 0; i < got; i++)
			status |= read_entry(c, o, l, fd, path, step[i].name, step[i].type,
					     step[i].ino);
		cmd_charge(c, (uint64_t)got);
	}
	if (got < 0) {
		cmd_error(c, got, "reading directory %s", cmd_quoteaf(c, path));
		status = is_operand ? 2 : 1;
	}
	cmd_close(c, fd);
	return status;
}

/* --- listing --- */

/* Directories still to be listed: a stack, so that deep trees need no recursion. */
struct pending {
	char *path;
	bool is_operand;
	struct pending *next;
};

struct listing {
	struct cmd *c;
	struct ls_opts *o;
	struct pending *pending;
	bool many;  /* directories get a header */
	bool first; /* nothing has been written yet */
	int status;
};

static void push(struct listing *s, char *path, bool is_operand)
{
	struct pending *p = pool_alloc(s->c->pool, sizeof(*p));

	*p = (struct pending){ .path = path, .is_operand = is_operand, .next = s->pending };
	s->pending = p;
}

static void push_subdirectories(struct listing *s, const char *path, const struct ls_list *l)
{
	struct pool *pool = s->c->pool;

	for (size_t i = l->n; i-- > 0;) {
		const struct ls_entry *e = &l->entry[i];

		if ((e->st.mode & S_FMT) != S_DIR || bytes_is(e->name, ".") ||
		    bytes_is(e->name, ".."))
			continue;
		size_t len = strlen(path);
		bool slash = len > 0 && path[len - 1] != '/';
		char *joined = pool_alloc(pool, len + e->name.len + 2);

		memcpy(joined, path, len);
		if (slash)
			joined[len] = '/';
		memcpy(joined + len + slash, e->name.ptr, e->name.len);
		joined[len + slash + e->name.len] = '\0';
		push(s, joined, false);
	}
}

static void put_total(struct cmd *c, const struct ls_opts *o, const struct ls_list *l)
{
	char text[32];
	uint64_t blocks = 0;

	for (size_t i = 0; i < l->n; i++)
		blocks += l->entry[i].st.blocks;
	size_t len = ls_blocks_text(o, blocks, text);

	ls_indent(c, o);
	cmd_printf(c, "total %.*s", (int)len, text);
	ls_end_line(c, o);
}

/* Whether links led back to a directory that the path goes through. */
static bool goes_in_circles(struct listing *s, const struct pending *p)
{
	struct cmd *c = s->c;
	struct arena_mark mark = arena_mark(c->arena);
	struct vfs_stat st;
	struct vfs_stat above;
	bool found = false;

	if (!s->o->recursive || s->o->deref != LS_DEREF_ALL || p->is_operand ||
	    cmd_stat(c, p->path, &st) != 0)
		return false;
	for (const char *at = strchr(p->path + 1, '/'); at != NULL && !found;
	     at = strchr(at + 1, '/')) {
		struct bytes part = { p->path, (size_t)(at - p->path) };

		found = cmd_stat(c, arena_dup(c->arena, part), &above) == 0 &&
			above.ino == st.ino && above.dev == st.dev;
		arena_release(c->arena, mark);
	}
	if (found)
		cmd_error(c, 0, "%s: not listing already-listed directory", cmd_quotef(c, p->path));
	return found;
}

static void put_header(struct listing *s, const char *path)
{
	struct buf name = buf_in(s->c->arena);

	/* A colon is quoted, since one follows; blanks are not. */
	quote_put(&name, bytes_of(path), (enum quote_style)s->o->quoting, ":", s->o->utf8);
	if (s->o->hide_control && !s->o->show_control)
		ls_replace_control(&name, s->o->utf8);
	if (!s->first)
		cmd_putc(s->c, '\n');
	ls_indent(s->c, s->o);
	size_t from = s->c->out.len;

	ls_put_linked(s->c, s->o, path, buf_bytes(&name), false);
	ls_note(s->c, s->o, &s->o->directories, from);
	cmd_puts(s->c, ":\n");
}

static void list_directory(struct listing *s, const struct pending *p)
{
	struct cmd *c = s->c;
	struct arena_mark mark = arena_mark(c->arena);
	struct ls_list l = { 0 };
	int status;
	int fd;

	if (goes_in_circles(s, p)) {
		s->status = 2;
		return;
	}
	fd = cmd_open(c, CMD_CWD, p->path, O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_, 0);
	if (fd < 0) {
		cmd_error(c, fd, "cannot open directory %s", cmd_quoteaf(c, p->path));
		status = p->is_operand ? 2 : 1;
	} else {
		if (s->many)
			put_header(s, p->path);
		s->first = false;
		status = read_directory(c, s->o, fd, p->path, &l, p->is_operand);
	}
	if (status > s->status)
		s->status = status;
	if (fd >= 0) {
		if (s->o->format == LS_LONG || s->o->blocks)
			put_total(c, s->o, &l);
		ls_sort(c, s->o, &l);
		if (s->o->recursive)
			push_subdirectories(s, p->path, &l);
		s->o->dir = p->path;
		ls_put(c, s->o, &l);
		s->o->dir = NULL;
	}
	arena_release(c->arena, mark);
}

/* Whether a link among the operands is followed. */
static bool follows_operand(const struct ls_opts *o)
{
	if (o->deref != LS_DEREF_DEFAULT)
		return o->deref == LS_DEREF_ALL || o->deref == LS_DEREF_ARGS;
	return false;
}

static int examine_operand(struct cmd *c, const struct ls_opts *o, const char *path,
			   struct ls_entry *e)
{
	struct vfs_stat st;
	int err = follows_operand(o) ? cmd_stat(c, path, &e->st) : cmd_lstat(c, path, &e->st);
	bool to_dir = o->deref == LS_DEREF_DEFAULT && o->format != LS_LONG && !o->directory &&
		      o->indicator != LS_CLASSIFY;

	if (err != 0)
		return err;
	if (to_dir && (e->st.mode & S_FMT) == S_LNK) {
		/* A link that leads nowhere is listed itself, one that can't be followed is not. */
		err = cmd_stat(c, path, &st);
		if (err != 0 && err != -E_NOENT)
			return err;
		if (err == 0 && (st.mode & S_FMT) == S_DIR)
			e->st = st;
	}
	e->has_stat = true;
	e->is_operand = true;
	examine_link(c, o, CMD_CWD, path, e);
	return 0;
}

static int is_directory(const struct ls_entry *e)
{
	return (e->st.mode & S_FMT) == S_DIR;
}

/* Files among the operands are listed first, then directories in the same order. */
static void list_operands(struct listing *s, char **files, int n)
{
	struct cmd *c = s->c;
	struct ls_list all = { 0 };
	struct ls_list plain = { 0 };

	for (int i = 0; i < n; i++) {
		struct ls_entry e = { .name = bytes_of(files[i]) };
		int err = examine_operand(c, s->o, files[i], &e);

		if (err != 0) {
			cannot_access(c, err, NULL, e.name, false);
			s->status = 2;
			continue;
		}
		*add_entry(c, &all, e.name) = e;
	}
	ls_sort(c, s->o, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!is_directory(&all.entry[i]) || s->o->directory)
			*add_entry(c, &plain, all.entry[i].name) = all.entry[i];
	size_t listed = plain.n;

	for (size_t i = all.n; i-- > 0;) {
		if (!is_directory(&all.entry[i]) || s->o->directory)
			continue;
		push(s, pool_dup(c->pool, all.entry[i].name), true);
		*add_entry(c, &plain, all.entry[i].name) = all.entry[i];
	}
	plain.behind = plain.n - listed;
	plain.n = listed;
	if (plain.n > 0) {
		ls_put(c, s->o, &plain);
		s->first = false;
	}
}

static void put_places(struct cmd *c, const char *title, const struct buf *places)
{
	if (places->len > 0)
		cmd_printf(c, "//%s//%.*s\n", title, (int)places->len, places->ptr);
}

/* What Emacs reads behind a listing. */
static void put_dired(struct cmd *c, const struct ls_opts *o)
{
	const struct opt_word *word = quote_words;

	while (word->value != o->quoting)
		word++;
	put_places(c, "DIRED", &o->names);
	put_places(c, "SUBDIRED", &o->directories);
	cmd_printf(c, "//DIRED-OPTIONS// --quoting-style=%s\n", word->word);
	output_unhold(&c->out);
}

static int ls_run(struct cmd *c)
{
	struct ls_opts *o = c->opts;
	struct listing s = { .c = c, .o = o, .first = true };
	static char dot[] = ".";
	char *here[] = { dot };
	int n = c->nargs > 0 ? c->nargs : 1;
	int status = ls_prepare(c, o);
	struct arena places;

	if (status != 0)
		return status;
	arena_init_under(&places, c->arena);
	o->names = o->directories = buf_in(&places);
	if (o->dired)
		output_hold(&c->out);
	s.many = o->recursive || n > 1;
	list_operands(&s, c->nargs > 0 ? c->args : here, n);
	while (s.pending != NULL) {
		struct pending *p = s.pending;

		s.pending = p->next;
		list_directory(&s, p);
		pool_free(c->pool, p->path, strlen(p->path) + 1);
		pool_free(c->pool, p, sizeof(*p));
	}
	if (o->dired)
		put_dired(c, o);
	arena_clear(&places);
	return s.status;
}

static void ls_defaults(struct cmd *c)
{
	struct ls_opts *o = c->opts;

	o->format = o->usual_format = o->sort = o->quoting = o->usual_quoting = -1;
	o->classify_when = LS_ALWAYS;
}

const struct builtin builtin_ls = {
	.name = "ls",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Lists files, and what is in directories, in the order of their names.",
	.run = ls_run,
	.opts = ls_options,
	.opts_size = sizeof(struct ls_opts),
	.usage_status = 2,
	.error_status = 2,
	.defaults = ls_defaults,
};

static void dir_defaults(struct cmd *c)
{
	struct ls_opts *o = c->opts;

	ls_defaults(c);
	o->usual_format = LS_COLUMNS;
	o->usual_quoting = QUOTE_ESCAPE;
}

const struct builtin builtin_dir = {
	.name = "dir",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Lists files in columns, with escapes for what cannot be shown: ls -C -b.",
	.run = ls_run,
	.opts = ls_options,
	.opts_size = sizeof(struct ls_opts),
	.usage_status = 2,
	.error_status = 2,
	.defaults = dir_defaults,
};

static void vdir_defaults(struct cmd *c)
{
	struct ls_opts *o = c->opts;

	dir_defaults(c);
	o->usual_format = LS_LONG;
}

const struct builtin builtin_vdir = {
	.name = "vdir",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Lists files with all that is known of them, one a line: ls -l -b.",
	.run = ls_run,
	.opts = ls_options,
	.opts_size = sizeof(struct ls_opts),
	.usage_status = 2,
	.error_status = 2,
	.defaults = vdir_defaults,
};
