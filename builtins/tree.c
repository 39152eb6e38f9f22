/* SPDX-License-Identifier: MIT
 *
 * tree - directories as a tree.
 *
 * A tree is read whole (as deep as wanted) before it is written: sizes of directories, pruning
 * and the lines in front of names need what comes later.
 */
#include "base/glob.h"
#include "builtins/builtin.h"
#include "builtins/zone.h"

enum { DEPTH_MAX = 2100, STACK_NEEDED = 16384 };
enum tree_sort { SORT_NAME, SORT_VERSION, SORT_MTIME, SORT_CTIME, SORT_SIZE, SORT_NONE };

struct tree_opts {
	bool all;
	bool only_dirs;
	bool full_path;
	bool no_indent;
	bool follow;
	bool one_device;
	bool sizes;
	bool human;
	bool si;
	bool modes;
	bool users;
	bool groups;
	bool dates;
	bool inodes;
	bool devices;
	bool classify;
	bool quote;
	bool json;
	bool color;
	bool reverse;
	int dirs_first; /* 1: first, -1: last */
	int sort;
	bool no_report;
	bool prune;
	bool total; /* --du */
	bool match_dirs;
	bool fold;
	bool ascii;
	const char *time_format;
	uint64_t depth;
	uint64_t limit; /* --filelimit */
	const char *output;
	struct glob *include[64];
	size_t nincludes;
	struct glob *exclude[64];
	size_t nexcludes;
};

struct node {
	const char *name;
	struct vfs_stat st;
	bool is_dir; /* or a link to one */
	bool link;
	const char *target;
	uint32_t target_mode;
	const char *note; /* behind the name: why it was not entered */
	struct node **child;
	size_t nchildren;
	uint64_t size;
};

struct tree {
	struct cmd *c;
	struct tree_opts *o;
	uint64_t dirs;
	uint64_t files;
	uint64_t bytes;
	struct zone *zone;
	int status;
	/* inodes of the directories above, for loops */
	uint64_t above[DEPTH_MAX + 1];
};

/* "a|b" are several patterns. */
static int add_pattern(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct tree_opts *o = c->opts;
	struct glob **list = opt->letter == 'P' ? o->include : o->exclude;
	size_t *n = opt->letter == 'P' ? &o->nincludes : &o->nexcludes;

	while (*n < 64) {
		size_t len = strcspn(arg, "|");
		unsigned flags = GLOB_UTF8 | (o->fold ? GLOB_ICASE : 0);
		char *copy = arena_dup(c->arena, (struct bytes){ arg, len });

		if (len > 0 && copy[len - 1] == '/')
			copy[len - 1] = '\0';
		list[(*n)++] = glob_compile(c->arena, bytes_of(copy), flags);
		if (arg[len] == '\0')
			return 0;
		arg += len + 1;
	}
	return cmd_error(c, 0, "too many patterns");
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

static int set_charset(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	((struct tree_opts *)c->opts)->ascii = bytes_find(bytes_of(arg), BYTES("8")) == NULL ||
					       (arg[0] | 0x20) != 'u';
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
	OPT_FLAG('q', NULL, T, no_report, NULL),
	OPT_IGNORED('N', NULL, "no effect"),
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
	OPT_SET('n', NULL, T, sort, SORT_NAME, NULL),
	OPT_CALL_ARG(0, "charset", set_charset, "X", "UTF-8, or lines of ASCII"),
	OPT_FLAG('J', NULL, T, json, "JSON"),
	OPT_MISSING('X', NULL),
	OPT_MISSING_ARG('H', NULL),
	OPT_MISSING_ARG('T', NULL),
	OPT_MISSING('R', NULL),
	OPT_MISSING('A', NULL),
	OPT_MISSING('S', NULL),
	OPT_MISSING(0, "gitignore"),
	OPT_MISSING(0, "fromfile"),
	OPT_MISSING(0, "info"),
	OPT_END(),
};
#undef T

/* --- reading --- */

static bool any_match(struct tree *t, struct glob *const *list, size_t n, struct bytes name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] != NULL && glob_match(list[i], t->c->arena, name))
			return true;
	return false;
}

static bool wanted(struct tree *t, const struct node *n)
{
	const struct tree_opts *o = t->o;
	struct bytes name = bytes_of(n->name);
	bool is_dir = n->is_dir && !n->link;

	if (!o->all && n->name[0] == '.')
		return false;
	if (o->only_dirs && !n->is_dir)
		return false;
	if (any_match(t, o->exclude, o->nexcludes, name))
		return false;
	if (o->nincludes > 0 && (!is_dir || o->match_dirs) &&
	    !any_match(t, o->include, o->nincludes, name))
		return is_dir && o->match_dirs;
	return true;
}

/* Digits compare as numbers. */
static int compare_versions(const char *a, const char *b)
{
	for (;; a++, b++) {
		if (byte_is_digit(*a) && byte_is_digit(*b)) {
			size_t skip_a = strspn(a, "0");
			size_t skip_b = strspn(b, "0");
			size_t len_a = strspn(a + skip_a, "0123456789");
			size_t len_b = strspn(b + skip_b, "0123456789");

			if (len_a != len_b)
				return len_a < len_b ? -1 : 1;
			int order = memcmp(a + skip_a, b + skip_b, len_a);

			if (order != 0)
				return order;
			a += skip_a + len_a;
			b += skip_b + len_b;
		}
		if (*a != *b || *a == '\0')
			return (unsigned char)*a - (unsigned char)*b;
	}
}

static int compare_nodes(const struct tree_opts *o, const struct node *a, const struct node *b)
{
	int order = 0;

	if (o->dirs_first != 0 && a->is_dir != b->is_dir)
		return a->is_dir ? -o->dirs_first : o->dirs_first;
	if (o->sort == SORT_VERSION)
		order = compare_versions(a->name, b->name);
	else if (o->sort == SORT_SIZE)
		order = a->size < b->size ? 1 : a->size > b->size ? -1 : 0;
	else if (o->sort == SORT_MTIME)
		order = a->st.mtime_ns / 1000000000 < b->st.mtime_ns / 1000000000
				? -1
				: a->st.mtime_ns / 1000000000 > b->st.mtime_ns / 1000000000;
	else if (o->sort == SORT_CTIME)
		order = a->st.ctime_ns / 1000000000 < b->st.ctime_ns / 1000000000
				? -1
				: a->st.ctime_ns / 1000000000 > b->st.ctime_ns / 1000000000;
	if (order == 0)
		order = strcmp(a->name, b->name);
	return o->reverse ? -order : order;
}

/* Merge sort of pointers. */
static void sort_nodes(struct tree *t, struct node **v, size_t n, struct node **scratch)
{
	for (size_t width = 1; width < n; width *= 2) {
		for (size_t from = 0; from < n; from += 2 * width) {
			size_t mid = from + width < n ? from + width : n;
			size_t to = from + 2 * width < n ? from + 2 * width : n;
			size_t i = from;
			size_t k = mid;

			for (size_t at = from; at < to; at++) {
				bool left = i < mid &&
					    (k == to || compare_nodes(t->o, v[i], v[k]) <= 0);

				scratch[at] = left ? v[i++] : v[k++];
			}
		}
		memcpy(v, scratch, n * sizeof(*v));
		cmd_charge(t->c, n / 8 + 1);
	}
}

static void examine(struct tree *t, struct node *n, const char *path)
{
	struct vfs_stat target;
	struct bytes text;

	if (cmd_lstat(t->c, path, &n->st) != 0)
		return;
	n->link = (n->st.mode & S_FMT) == S_LNK;
	n->is_dir = (n->st.mode & S_FMT) == S_DIR;
	n->size = n->st.size;
	if (!n->link)
		return;
	if (cmd_readlink(t->c, CMD_CWD, path, &text) >= 0)
		n->target = arena_dup(t->c->arena, text);
	if (cmd_stat(t->c, path, &target) == 0) {
		n->target_mode = target.mode;
		n->is_dir = (target.mode & S_FMT) == S_DIR;
		if (t->o->follow && n->is_dir)
			n->st.ino = target.ino;
	}
}

struct reading {
	struct tree *t;
	struct node *n;
	const char *path;
	size_t level;
};

static int read_dir(void *arg);

static void read_child(struct tree *t, struct node *n, const char *path, size_t level, uint64_t dev)
{
	struct reading r = { t, n, path, level };

	if (!n->is_dir || (n->link && !t->o->follow) || level > t->o->depth || level >= DEPTH_MAX)
		return;
	if (t->o->one_device && n->st.dev != dev)
		return;
	for (size_t i = 0; n->link && i < level; i++)
		if (t->above[i] == n->st.ino)
			n->note = "recursive, not followed";
	if (n->note != NULL)
		return;
	if (cmd_stack_left(t->c) < STACK_NEEDED)
		cmd_deepen(t->c, STACK_NEEDED, read_dir, &r);
	else
		read_dir(&r);
}

/* Removes what --prune leaves out; adds sizes. */
static void settle(struct tree *t, struct node *n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->nchildren; i++) {
		struct node *child = n->child[i];

		if (t->o->prune && child->is_dir && !child->link && child->nchildren == 0)
			continue;
		if (t->o->total)
			n->size += child->size;
		n->child[kept++] = child;
	}
	n->nchildren = kept;
}

static int read_dir(void *arg)
{
	struct reading *r = arg;
	struct tree *t = r->t;
	struct vfs_dirent *entry;
	struct buf note = buf_in(t->c->arena);
	size_t count;
	int err = cmd_list(t->c, CMD_CWD, r->path, t->c->arena, &entry, &count);

	if (err < 0) {
		r->n->note = "error opening dir";
		t->status = 2;
		return 0;
	}
	r->n->child = arena_array(t->c->arena, count * 2 + 1, sizeof(struct node *));
	t->above[r->level - 1] = r->n->st.ino;
	for (size_t i = 0; i < count; i++) {
		struct node *n = arena_zalloc(t->c->arena, sizeof(*n));
		struct buf path = buf_in(t->c->arena);

		n->name = entry[i].name.ptr;
		buf_printf(&path, "%s%s%s", r->path,
			   bytes_ends(bytes_of(r->path), BYTES("/")) ? "" : "/", n->name);
		examine(t, n, buf_cstr(&path));
		cmd_charge(t->c, 1);
		if (!wanted(t, n))
			continue;
		r->n->child[r->n->nchildren++] = n;
	}
	if (t->o->limit > 0 && r->n->nchildren > t->o->limit) {
		buf_printf(&note, "%zu entries exceeds filelimit, not opening dir",
			   r->n->nchildren);
		r->n->note = buf_cstr(&note);
		r->n->nchildren = 0;
		return 0;
	}
	for (size_t i = 0; i < r->n->nchildren; i++) {
		struct node *n = r->n->child[i];
		struct buf path = buf_in(t->c->arena);

		buf_printf(&path, "%s%s%s", r->path,
			   bytes_ends(bytes_of(r->path), BYTES("/")) ? "" : "/", n->name);
		read_child(t, n, buf_cstr(&path), r->level + 1, r->n->st.dev);
	}
	settle(t, r->n);
	if (t->o->sort != SORT_NONE)
		sort_nodes(t, r->n->child, r->n->nchildren, r->n->child + count);
	return 0;
}

/* --- writing --- */

static void put_size(struct tree *t, uint64_t size)
{
	uint64_t base = t->o->si ? 1000 : 1024;
	const char *unit = t->o->si ? "\0kMGTPEZY" : "\0KMGTPEZY";

	if (!t->o->human && !t->o->si) {
		cmd_printf(t->c, "%11llu", (unsigned long long)size);
		return;
	}
	if (size < base) {
		cmd_printf(t->c, "%4llu", (unsigned long long)size);
		return;
	}
	for (unit++; size >= base * base; unit++)
		size /= base;
	/* One more digit below 10. To the nearest, halves to even, as printf rounds. */
	uint64_t tenths = size / base < 10 ? 10 : 1;
	uint64_t whole = size * tenths / base;
	uint64_t rest = size * tenths % base;

	whole += rest * 2 > base || (rest * 2 == base && whole % 2 == 1);
	if (tenths == 1)
		cmd_printf(t->c, "%3u%c", (unsigned)whole, *unit);
	else
		cmd_printf(t->c, "%u.%u%c", (unsigned)(whole / 10), (unsigned)(whole % 10), *unit);
}

/* "[drwxr-xr-x root  4.0K]  " */
static void put_details(struct tree *t, const struct node *n)
{
	const struct tree_opts *o = t->o;
	struct cmd *c = t->c;
	bool first = true;
	char mode[11];

	if (!o->inodes && !o->devices && !o->modes && !o->users && !o->groups && !o->sizes &&
	    !o->dates)
		return;
	cmd_putc(c, '[');
#define GAP (first ? first = false, "" : " ")
	if (o->inodes)
		cmd_printf(c, "%s%7llu", GAP, (unsigned long long)n->st.ino);
	if (o->devices)
		cmd_printf(c, "%s%3llu", GAP, (unsigned long long)n->st.dev);
	if (o->modes) {
		mode_text(n->st.mode, mode);
		cmd_printf(c, "%s%s", GAP, mode);
	}
	if (o->users || o->groups) {
		const char *user = cmd_user_name(c, n->st.uid);
		const char *group = cmd_group_name(c, n->st.gid);

		if (o->users)
			cmd_printf(c, "%s%-8s", GAP, user != NULL ? user : "?");
		if (o->groups)
			cmd_printf(c, "%s%-8s", GAP, group != NULL ? group : "?");
	}
	if (o->sizes) {
		cmd_puts(c, GAP);
		put_size(t, n->size);
	}
	if (o->dates) {
		struct civil when;
		struct buf text = buf_in(c->arena);
		int64_t seconds = n->st.mtime_ns / 1000000000;
		bool recent = cmd_now(c) / 1000000000 - seconds < 15778476;
		const char *format = o->time_format != NULL ? o->time_format
				     : recent               ? "%b %e %H:%M"
							    : "%b %e  %Y";

		time_civil(t->zone, seconds, &when);
		time_format(&text, bytes_of(format), &when, seconds, TIME_LIBC);
		cmd_printf(c, "%s%s", GAP, buf_cstr(&text));
	}
#undef GAP
	cmd_puts(c, "]  ");
}

static const char *color_of(uint32_t mode, bool link)
{
	switch (mode & S_FMT) {
	case S_DIR:
		return (mode & S_SVTX) != 0 && (mode & 2) != 0 ? "30;42"
		       : (mode & 2) != 0                       ? "34;42"
		       : (mode & S_SVTX) != 0                  ? "37;44"
							       : "01;34";
	case S_LNK: return "01;36";
	case S_FIFO: return "33";
	case S_CHR:
	case S_BLK: return "01;33";
	default: return link ? "01;36" : (mode & 0111) != 0 ? "01;32" : "00";
	}
}

static void put_text(struct tree *t, const char *text, uint32_t mode)
{
	const char *quote = t->o->quote ? "\"" : "";

	if (t->o->color)
		cmd_printf(t->c, "\033[%sm%s%s%s\033[0m", color_of(mode, false), quote, text,
			   quote);
	else
		cmd_printf(t->c, "%s%s%s", quote, text, quote);
}

static void put_class(struct tree *t, uint32_t mode)
{
	static const struct {
		uint32_t type;
		char mark;
	} marks[] = { { S_DIR, '/' }, { S_SOCK, '=' }, { S_FIFO, '|' } };

	for (size_t i = 0; i < 3; i++)
		if ((mode & S_FMT) == marks[i].type)
			cmd_putc(t->c, marks[i].mark);
	if ((mode & S_FMT) == S_REG && (mode & 0111) != 0)
		cmd_putc(t->c, '*');
}

static void put_node(struct tree *t, const struct node *n, const char *path)
{
	const char *name = t->o->full_path ? path : n->name;

	put_details(t, n);
	put_text(t, name, n->st.mode);
	if (n->link && n->target != NULL) {
		cmd_puts(t->c, " -> ");
		put_text(t, n->target, n->target_mode);
	}
	if (t->o->classify)
		put_class(t, n->link ? n->target_mode : n->st.mode);
	if (n->note != NULL)
		cmd_printf(t->c, "  [%s]", n->note);
	cmd_putc(t->c, '\n');
}

struct writing {
	struct tree *t;
	const struct node *n;
	const char *path;
	const char *lines; /* in front of the children */
	size_t level;
};

static int put_children(void *arg);

static void put_deeper(struct tree *t, const struct node *n, const char *path, const char *lines,
		       size_t level)
{
	struct writing w = { t, n, path, lines, level };
	int (*fn)(void *) = put_children;

	if (cmd_stack_left(t->c) < STACK_NEEDED)
		cmd_deepen(t->c, STACK_NEEDED, fn, &w);
	else
		fn(&w);
}

static const char *join(struct cmd *c, const char *a, const char *b, const char *d)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s%s%s", a, b, d);
	return buf_cstr(&text);
}

static int put_children(void *arg)
{
	struct writing *w = arg;
	struct tree *t = w->t;
	bool slash = bytes_ends(bytes_of(w->path), BYTES("/"));

	for (size_t i = 0; i < w->n->nchildren; i++) {
		const struct node *n = w->n->child[i];
		bool last = i + 1 == w->n->nchildren;
		struct arena_mark mark = arena_mark(t->c->arena);
		const char *path = join(t->c, w->path, slash ? "" : "/", n->name);
		const char *branch = t->o->ascii ? (last ? "`-- " : "|-- ")
				     : last      ? "\u2514\u2500\u2500 "
						 : "\u251c\u2500\u2500 ";
		const char *trunk = last ? "    " : t->o->ascii ? "|   " : "\u2502\u00a0\u00a0 ";

		if (!t->o->no_indent)
			cmd_printf(t->c, "%s%s", w->lines, branch);
		put_node(t, n, path);
		cmd_charge(t->c, 1);
		if (n->is_dir)
			t->dirs++;
		else
			t->files++;
		t->bytes += n->size;
		put_deeper(t, n, path, join(t->c, w->lines, trunk, ""), w->level + 1);
		arena_release(t->c->arena, mark);
	}
	return 0;
}

/* --- JSON --- */

static void put_json_text(struct cmd *c, const char *s)
{
	cmd_putc(c, '"');
	for (; *s != '\0'; s++) {
		unsigned char b = (unsigned char)*s;

		if (b == '"' || b == '\\')
			cmd_printf(c, "\\%c", b);
		else if (b >= '\b' && b <= '\r' && b != '\v')
			cmd_printf(c, "\\%c", "btn?fr"[b - '\b']);
		else if (b < ' ')
			cmd_printf(c, "\\u00%02x", b);
		else
			cmd_putc(c, (char)b);
	}
	cmd_putc(c, '"');
}

static void put_json_details(struct tree *t, const struct node *n)
{
	const struct tree_opts *o = t->o;
	char mode[11];

	if (o->modes) {
		mode_text(n->st.mode, mode);
		cmd_printf(t->c, ",\"mode\":\"%04o\",\"prot\":\"%s\"", n->st.mode & 07777, mode);
	}
	if (o->sizes)
		cmd_printf(t->c, ",\"size\":%llu", (unsigned long long)n->size);
}

static int put_json_node(void *arg)
{
	struct writing *w = arg;
	struct tree *t = w->t;
	const struct node *n = w->n;
	bool plain_dir = n->is_dir && !n->link;
	uint32_t type = n->st.mode & S_FMT;

	for (size_t i = 0; i < w->level; i++)
		cmd_puts(t->c, "  ");
	cmd_printf(t->c, "{\"type\":\"%s\",\"name\":",
		   n->link          ? "link"
		   : plain_dir      ? "directory"
		   : type == S_FIFO ? "fifo"
		   : type == S_CHR  ? "char"
		   : type == S_BLK  ? "block"
				    : "file");
	put_json_text(t->c, t->o->full_path ? w->path : n->name);
	if (n->link) {
		cmd_puts(t->c, ",\"target\":");
		put_json_text(t->c, n->target != NULL ? n->target : "");
	}
	put_json_details(t, n);
	if (n->note != NULL)
		cmd_printf(t->c, ",\"contents\":[{\"error\": \"%s\"}\n  ]}", n->note);
	if (w->level > 1 && n->is_dir)
		t->dirs++;
	else if (w->level > 1)
		t->files++;
	t->bytes += w->level > 1 ? n->size : 0;
	if (n->note != NULL || n->nchildren == 0) {
		cmd_puts(t->c, n->note != NULL ? "" : "}");
		return 0;
	}
	cmd_puts(t->c, ",\"contents\":[\n");
	for (size_t i = 0; i < n->nchildren; i++) {
		struct writing inner = { t, n->child[i],
					 join(t->c, w->path, "/", n->child[i]->name), "",
					 w->level + 1 };

		cmd_charge(t->c, 1);
		if (cmd_stack_left(t->c) < STACK_NEEDED)
			cmd_deepen(t->c, STACK_NEEDED, put_json_node, &inner);
		else
			put_json_node(&inner);
		cmd_puts(t->c, i + 1 < n->nchildren ? ",\n" : "\n");
	}
	for (size_t i = 0; i < w->level; i++)
		cmd_puts(t->c, "  ");
	cmd_puts(t->c, "]}");
	return 0;
}

/* --- roots --- */

static void put_root(struct tree *t, const char *path)
{
	struct node *n = arena_zalloc(t->c->arena, sizeof(*n));

	n->name = path;
	examine(t, n, path);
	if (n->link && n->is_dir)
		cmd_stat(t->c, path, &n->st);
	if (n->is_dir) {
		n->link = false;
		struct reading r = { t, n, path, 1 };

		read_dir(&r);
		t->dirs += n->nchildren > 0 || n->note != NULL;
	} else {
		n->note = "error opening dir";
		t->status = n->st.mode == 0 ? 2 : t->status;
		t->files += n->st.mode != 0;
	}
	n->target = NULL;
	/* A directory among the operands does not count itself: what is in it counts at each level.
	 */
	t->bytes += n->is_dir ? 0 : n->size;
	if (t->o->json) {
		struct writing w = { t, n, n->name, "", 1 };

		put_json_node(&w);
		return;
	}
	if (n->note != NULL && n->st.mode == 0)
		cmd_printf(t->c, "%s  [%s]\n", n->name, n->note);
	else
		put_node(t, n, n->name);
	put_deeper(t, n, n->name, "", 1);
}

static void put_report(struct tree *t)
{
	unsigned long long dirs = t->dirs;
	unsigned long long files = t->files;

	if (t->o->no_report) {
		cmd_puts(t->c, t->o->json ? "\n" : "");
		return;
	}
	if (t->o->json) {
		cmd_puts(t->c, ",\n  {\"type\":\"report\"");
		if (t->o->total)
			cmd_printf(t->c, ",\"size\":%llu", (unsigned long long)t->bytes);
		cmd_printf(t->c, ",\"directories\":%llu", dirs);
		if (!t->o->only_dirs)
			cmd_printf(t->c, ",\"files\":%llu", files);
		cmd_puts(t->c, "}\n");
		return;
	}
	cmd_putc(t->c, '\n');
	if (t->o->total) {
		cmd_putc(t->c, ' ');
		put_size(t, t->bytes);
		cmd_printf(t->c, "%s used in ", t->o->human || t->o->si ? "" : " bytes");
	}
	cmd_printf(t->c, "%llu director%s", dirs, dirs == 1 ? "y" : "ies");
	if (!t->o->only_dirs)
		cmd_printf(t->c, ", %llu file%s", files, files == 1 ? "" : "s");
	cmd_putc(t->c, '\n');
}

static int tree_run(struct cmd *c)
{
	struct tree *t = arena_zalloc(c->arena, sizeof(*t));
	struct tree_opts *o = c->opts;

	t->c = c;
	t->o = o;
	t->zone = zone_of_command(c);
	o->ascii |= !c->utf8;
	o->sizes |= o->human || o->si || o->total;
	if (o->output != NULL) {
		int fd = cmd_open(c, CMD_CWD, o->output, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0666);

		if (fd < 0)
			return cmd_error(c, 0, "invalid filename '%s'", o->output);
		cmd_dup2(c, fd, 1);
		cmd_close(c, fd);
	}
	if (o->json)
		cmd_puts(c, "[\n");
	for (int i = 0; i < (c->nargs > 0 ? c->nargs : 1); i++) {
		if (o->json && i > 0)
			cmd_puts(c, ",\n");
		put_root(t, c->nargs > 0 ? c->args[i] : ".");
	}
	if (o->json)
		cmd_putc(c, '\n');
	put_report(t);
	if (o->json)
		cmd_puts(c, "]\n");
	return t->status;
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
	.defaults = tree_defaults,
};
