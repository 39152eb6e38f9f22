/* SPDX-License-Identifier: MIT
 *
 * du - the room that files take, directory by directory.
 *
 * Sums are kept a level each while a tree is walked; a file with several names counts once.
 */
#include "base/glob.h"
#include "base/number.h"
#include "builtins/block_size.h"
#include "builtins/zone.h"

enum { LEVELS_FIRST = 64, EXCLUDES_MAX = 64 };

struct sum {
	uint64_t size;
	uint64_t inodes;
	int64_t time_ns;
};

struct du_opts {
	bool all;
	bool apparent;
	bool total;
	bool summarize;
	bool links;    /* -l: count each name */
	bool separate; /* -S */
	bool zero;
	bool one_device;
	bool inodes;
	int time; /* enum du_time */
	const char *time_style;
	int follow; /* walk flags */
	uint64_t depth;
	bool has_depth;
	bool refused;
	struct block_size block;
	const char *files0;
	int64_t threshold;
	struct glob *exclude[EXCLUDES_MAX];
	size_t nexcludes;
};

enum du_time { TIME_NONE, TIME_MODIFIED, TIME_ACCESSED, TIME_CHANGED };

static const struct opt_word time_words[] = {
	{ "atime", TIME_ACCESSED }, { "access", TIME_ACCESSED }, { "use", TIME_ACCESSED },
	{ "ctime", TIME_CHANGED },  { "status", TIME_CHANGED },  { NULL, 0 },
};

/* The options that follow are looked at, too, then there is an end. */
static int refuse(struct cmd *c, int err, const char *format, const char *arg)
{
	((struct du_opts *)c->opts)->refused = true;
	cmd_error(c, err, format, arg);
	return 0;
}

static int set_depth(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct du_opts *o = c->opts;

	struct bytes text = bytes_of(arg);
	bool overflow = false;

	(void)opt;
	if (strchr(arg, '-') != NULL || text.len == 0 ||
	    number_parse_u64(text, 0, &o->depth, &overflow) != text.len || overflow)
		return refuse(c, 0, "invalid maximum depth %s", cmd_quote(c, arg));
	o->has_depth = true;
	return 0;
}

static int set_human(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct du_opts *o = c->opts;

	(void)arg;
	o->block = (struct block_size){ .base = opt->letter == 'h' ? 1024 : 1000 };
	return 0;
}

static int set_block(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct du_opts *o = c->opts;

	if (opt->letter == 'B')
		return block_size_parse(c, opt_given(c, opt), arg, &o->block);
	o->block = (struct block_size){
		.unit = opt->letter == 'k'   ? 1024
			: opt->letter == 'm' ? 1 << 20
					     : 1,
	};
	o->apparent |= opt->letter == 'b';
	return 0;
}

static int set_threshold(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct du_opts *o = c->opts;
	bool negative = arg[0] == '-';
	uint64_t n;

	(void)opt;
	if (num_parse_u64(arg + negative, "kKMGTPEZY0", &n) != 0 || n > INT64_MAX ||
	    (negative && n == 0))
		return cmd_error(c, 0, "invalid %s argument '%s'", opt_given(c, opt), arg);
	o->threshold = negative ? -(int64_t)n : (int64_t)n;
	return 0;
}

static int add_exclude(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct du_opts *o = c->opts;

	(void)opt;
	if (o->nexcludes == EXCLUDES_MAX)
		return cmd_error(c, 0, "too many patterns");
	o->exclude[o->nexcludes++] = glob_compile(c->arena, bytes_of(arg), c->utf8 ? GLOB_UTF8 : 0);
	return 0;
}

static int read_excludes(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct input in;
	struct bytes line;
	int err = input_open(&in, c, arg);

	if (err < 0)
		return refuse(c, err, "%s", cmd_quotef(c, arg));
	while ((err = input_line(&in, '\n', &line)) > 0) {
		line = bytes_trim_end(line);
		if (line.len > 0)
			add_exclude(c, opt, arena_dup(c->arena, line));
	}
	input_close(&in);
	return err == 0 ? 0 : refuse(c, err, "%s", cmd_quotef(c, arg));
}

#define T struct du_opts
static const struct opt du_options[] = {
	OPT_FLAG('0', "null", T, zero, "lines end with NUL"),
	OPT_FLAG('a', "all", T, all, "all files, not only directories"),
	OPT_FLAG(0, "apparent-size", T, apparent, "sizes of files, not the room they take"),
	OPT_CALL_ARG('B', "block-size", set_block, "SIZE", "count in units of SIZE"),
	OPT_CALL('b', "bytes", set_block, "apparent sizes in bytes"),
	OPT_FLAG('c', "total", T, total, "a sum at the end"),
	OPT_SET('D', "dereference-args", T, follow, WALK_FOLLOW_ROOT,
		"follow symlinks that are operands"),
	OPT_SET('H', NULL, T, follow, WALK_FOLLOW_ROOT, "the same"),
	OPT_CALL_ARG('d', "max-depth", set_depth, "N", "show directories to depth N"),
	OPT_STR(0, "files0-from", T, files0, NULL, "F", "names, each ended by NUL, from file F"),
	OPT_CALL('h', "human-readable", set_human, "sizes for people"),
	OPT_FLAG(0, "inodes", T, inodes, "count files, not room"),
	OPT_CALL('k', NULL, set_block, "count in 1024 bytes (default)"),
	OPT_SET('L', "dereference", T, follow, WALK_FOLLOW, "follow all symlinks"),
	OPT_FLAG('l', "count-links", T, links, "count each name of a file"),
	OPT_CALL('m', NULL, set_block, "count in 1048576 bytes"),
	OPT_SET('P', "no-dereference", T, follow, 0, "follow no symlinks (default)"),
	OPT_FLAG('S', "separate-dirs", T, separate, "directories without their subdirectories"),
	OPT_CALL(0, "si", set_human, "the same as -h, in powers of 1000"),
	OPT_FLAG('s', "summarize", T, summarize, "only a sum for each operand"),
	OPT_CALL_ARG('t', "threshold", set_threshold, "SIZE",
		     "only what is larger (-SIZE: smaller)"),
	OPT_ENUM_OPTIONAL(0, "time", T, time, time_words, TIME_MODIFIED, "WORD",
			  "time of the last change, or of atime, ctime"),
	OPT_STR(0, "time-style", T, time_style, NULL, "STYLE",
		"how times look: full-iso, long-iso, iso, +FORMAT as date has it"),
	OPT_CALL_ARG('X', "exclude-from", read_excludes, "FILE",
		     "leave out what matches patterns of FILE"),
	OPT_CALL_ARG(0, "exclude", add_exclude, "PATTERN", "leave out what matches"),
	OPT_FLAG('x', "one-file-system", T, one_device, "stay on one filesystem"),
	OPT_END(),
};
#undef T

/* --- files seen --- */

/* Device and inode of files with several names: an open hash table. */
struct seen {
	uint64_t *key; /* pairs; both 0: free */
	size_t n;
	size_t mask;
};

static bool add_key(struct seen *s, uint64_t dev, uint64_t ino)
{
	size_t at = (size_t)((ino * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & s->mask;

	for (; s->key[2 * at + 1] != 0; at = (at + 1) & s->mask)
		if (s->key[2 * at] == dev && s->key[2 * at + 1] == ino)
			return false;
	s->key[2 * at] = dev;
	s->key[2 * at + 1] = ino;
	s->n++;
	return true;
}

static bool is_new(struct cmd *c, struct seen *s, const struct vfs_stat *st)
{
	if (s->n * 2 >= s->mask) {
		struct seen larger = { .mask = s->mask * 2 + 63 };

		while (((larger.mask + 1) & larger.mask) != 0)
			larger.mask |= larger.mask >> 1;
		larger.key = arena_array(c->arena, (larger.mask + 1) * 2, sizeof(uint64_t));
		for (size_t i = 0; s->key != NULL && i <= s->mask; i++)
			if (s->key[2 * i + 1] != 0)
				add_key(&larger, s->key[2 * i], s->key[2 * i + 1]);
		*s = larger;
	}
	return add_key(s, st->dev, st->ino);
}

/* --- sums --- */

struct du {
	struct cmd *c;
	struct du_opts *o;
	struct seen seen;
	size_t levels;     /* room in the next two, in the pool */
	struct sum *level; /* of the directories that are open, by level */
	struct sum *below; /* with what is in subdirectories */
	struct sum total;
	struct zone *zone;
	const char *time_format;
	int status;
};

static void add_sum(struct sum *to, const struct sum *s)
{
	to->size += s->size;
	to->inodes += s->inodes;
	to->time_ns = s->time_ns > to->time_ns ? s->time_ns : to->time_ns;
}

static void put_amount(struct du *d, const struct sum *s)
{
	const struct du_opts *o = d->o;
	uint64_t amount = o->inodes ? s->inodes : s->size;
	char text[8];

	if (o->block.unit == 0) {
		num_human(amount, o->block.base, text);
		cmd_puts(d->c, text);
		return;
	}
	if (!o->inodes)
		amount = amount / o->block.unit + (amount % o->block.unit != 0);
	cmd_printf(d->c, "%llu%s", (unsigned long long)amount, o->inodes ? "" : o->block.suffix);
}

static void put_sum(struct du *d, const struct sum *s, const char *name)
{
	const struct du_opts *o = d->o;

	put_amount(d, s);
	if (o->time) {
		struct civil when;
		struct buf text = buf_in(d->c->arena);
		int64_t seconds = s->time_ns / 1000000000 - (s->time_ns % 1000000000 < 0);

		time_civil(d->zone, seconds, &when);
		time_format(&text, bytes_of(d->time_format), &when, seconds,
			    (uint32_t)(s->time_ns - seconds * 1000000000));
		cmd_printf(d->c, "\t%s", buf_cstr(&text));
	}
	cmd_printf(d->c, "\t%s", name);
	cmd_putc(d->c, o->zero ? '\0' : '\n');
}

static bool passes(const struct du *d, const struct sum *s)
{
	const struct du_opts *o = d->o;
	uint64_t amount = o->inodes ? s->inodes : s->size;

	return o->threshold < 0 ? amount <= (uint64_t)-o->threshold
				: amount >= (uint64_t)o->threshold;
}

static bool excluded(struct du *d, const struct walk_entry *e)
{
	for (size_t i = 0; i < d->o->nexcludes; i++) {
		struct glob *g = d->o->exclude[i];

		if (g != NULL && (glob_match(g, d->c->arena, bytes_of(e->name)) ||
				  glob_match(g, d->c->arena, bytes_of(e->path))))
			return true;
	}
	return false;
}

static struct sum sum_of(struct du *d, const struct walk_entry *e)
{
	bool is_dir = (e->st.mode & S_FMT) == S_DIR;
	bool counts = (e->st.mode & S_FMT) == S_REG || is_dir || (e->st.mode & S_FMT) == S_LNK;
	int time = d->o->time;

	return (struct sum){
		.size = d->o->apparent ? (counts ? e->st.size : 0) : e->st.blocks * 512,
		.inodes = 1,
		.time_ns = time == TIME_ACCESSED  ? e->st.atime_ns
			   : time == TIME_CHANGED ? e->st.ctime_ns
						  : e->st.mtime_ns,
	};
}

static bool shown(const struct du_opts *o, int level)
{
	return (uint64_t)level <= o->depth;
}

static void end_dir(struct du *d, const struct walk_entry *e)
{
	struct sum all = d->level[e->level];
	const struct sum *own = d->o->separate ? &d->level[e->level] : &all;

	add_sum(&all, &d->below[e->level]);
	if (e->level > 0)
		add_sum(&d->below[e->level - 1], &all);
	else
		add_sum(&d->total, &all);
	if (shown(d->o, e->level) && passes(d, own))
		put_sum(d, own, e->path);
}

static void have_level(struct du *d, size_t level)
{
	size_t room = d->levels == 0 ? LEVELS_FIRST : d->levels * 2;

	if (level < d->levels)
		return;
	d->level = pool_resize(d->c->pool, d->level, d->levels * sizeof(struct sum),
			       room * sizeof(struct sum));
	d->below = pool_resize(d->c->pool, d->below, d->levels * sizeof(struct sum),
			       room * sizeof(struct sum));
	d->levels = room;
}

static void visit(struct du *d, struct walk *w, const struct walk_entry *e)
{
	struct sum s = sum_of(d, e);

	if (excluded(d, e) ||
	    (!d->o->links && (e->st.nlink > 1 || e->level == 0 || e->kind == WALK_DIR) &&
	     !is_new(d->c, &d->seen, &e->st))) {
		if (e->kind == WALK_DIR)
			walk_skip(w);
		return;
	}
	if (e->kind == WALK_DIR) {
		have_level(d, (size_t)e->level);
		d->level[e->level] = s;
		d->below[e->level] = (struct sum){ 0, 0, 0 };
		return;
	}
	if (e->level > 0)
		add_sum(&d->level[e->level - 1], &s);
	else
		add_sum(&d->total, &s);
	if ((e->level == 0 || (d->o->all && shown(d->o, e->level))) && passes(d, &s))
		put_sum(d, &s, e->path);
}

/* A symbolic link that is to be followed and can't be. */
static bool leads_nowhere(const struct walk_entry *e, unsigned flags)
{
	return e->kind == WALK_FILE && (e->st.mode & S_FMT) == S_LNK &&
	       (flags & (e->level == 0 ? WALK_FOLLOW | WALK_FOLLOW_ROOT : WALK_FOLLOW)) != 0;
}

static void put_tree(struct du *d, const char *path)
{
	unsigned flags = (unsigned)d->o->follow | WALK_POST |
			 (d->o->one_device ? WALK_ONE_DEVICE : 0);
	struct walk *w = walk_new(d->c, path, flags);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		cmd_charge(d->c, 1);
		if (e->kind == WALK_ERROR) {
			d->status = cmd_error(d->c, e->err,
					      e->in_dir ? "cannot read directory %s"
							: "cannot access %s",
					      cmd_quoteaf(d->c, e->path));
		} else if (e->kind == WALK_DIR_END) {
			end_dir(d, e);
		} else if (leads_nowhere(e, flags)) {
			d->status = cmd_error(d->c, e->err == -E_LOOP ? e->err : 0,
					      "cannot access %s", cmd_quoteaf(d->c, e->path));
		} else {
			visit(d, w, e);
		}
	}
	walk_free(w);
}

static int put_listed(struct cmd *c, struct du *d)
{
	struct input in;
	struct bytes name;
	int err;

	if (c->nargs > 0) {
		cmd_error(c, 0, "extra operand %s", cmd_quote(c, c->args[0]));
		cmd_err_write(c, "file operands cannot be combined with --files0-from\n", 52);
		return cmd_usage(c, NULL);
	}
	err = input_open(&in, c, d->o->files0);
	if (err < 0)
		return cmd_error(c, err, "cannot open %s for reading",
				 cmd_quoteaf(c, d->o->files0));
	for (size_t n = 1; (err = input_line(&in, '\0', &name)) > 0; n++) {
		if (name.len == 0)
			d->status = cmd_error(c, 0, "%s:%zu: invalid zero-length file name",
					      cmd_quotef(c, d->o->files0), n);
		else if (in.is_stdin && bytes_is(name, "-"))
			d->status = cmd_error(c, 0, CMD_NO_DASH, "'-'");
		else
			put_tree(d, arena_dup(c->arena, name));
	}
	return d->status;
}

static int check_options(struct cmd *c, struct du_opts *o)
{
	if (o->all && o->summarize) {
		cmd_error(c, 0, "cannot both summarize and show all entries");
		return cmd_usage(c, NULL);
	}
	if (o->summarize && o->has_depth && o->depth == 0)
		cmd_error(c, 0, "warning: summarizing is the same as using --max-depth=0");
	if (o->summarize && o->has_depth && o->depth != 0) {
		cmd_error(c, 0, "warning: summarizing conflicts with --max-depth=%llu",
			  (unsigned long long)o->depth);
		return cmd_usage(c, NULL);
	}
	if (o->summarize)
		o->depth = 0;
	return 0;
}

static int choose_time_format(struct cmd *c, struct du *d)
{
	static const char *const styles[][2] = {
		{ "full-iso", "%Y-%m-%d %H:%M:%S.%N %z" },
		{ "long-iso", "%Y-%m-%d %H:%M" },
		{ "iso", "%Y-%m-%d" },
	};
	const char *environment = cmd_getenv(c, "TIME_STYLE");
	const char *style = d->o->time_style;

	if (style == NULL)
		style = environment == NULL || strcmp(environment, "locale") == 0 ? "long-iso"
										  : environment;
	if (style == environment && style != NULL && strncmp(style, "posix-", 6) == 0)
		style += 6;
	d->time_format = style + 1;
	if (style[0] == '+')
		return 0;
	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		d->time_format = styles[i][1];
		if (style[0] != '\0' && strncmp(styles[i][0], style, strlen(style)) == 0)
			return 0;
	}
	struct buf valid = buf_in(c->arena);

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
		buf_printf(&valid, "\n  - %s", cmd_quote(c, styles[i][0]));
	cmd_error(c, 0, "invalid argument %s for %s\nValid arguments are:%s", cmd_quote(c, style),
		  cmd_quote(c, "time style"), buf_cstr(&valid));
	return cmd_usage(c, NULL);
}

static int du_run(struct cmd *c)
{
	struct du_opts *o = c->opts;
	struct du *d = arena_zalloc(c->arena, sizeof(*d));
	int status = o->refused ? cmd_usage(c, NULL) : check_options(c, o);

	if (status != 0)
		return status;
	if (o->inodes && o->apparent)
		cmd_error(c, 0,
			  "warning: options --apparent-size and -b are ineffective with --inodes");
	d->c = c;
	d->o = o;
	d->zone = zone_of_command(c);
	status = o->time != TIME_NONE ? choose_time_format(c, d) : 0;
	if (status != 0)
		return status;
	if (o->files0 != NULL && c->nargs > 0)
		return put_listed(c, d);
	if (o->files0 != NULL)
		status = put_listed(c, d);
	else if (c->nargs == 0)
		put_tree(d, ".");
	for (int i = 0; i < c->nargs; i++)
		if (c->args[i][0] != '\0')
			put_tree(d, c->args[i]);
		else
			d->status = cmd_error(c, 0, "invalid zero-length file name");
	if (o->total)
		put_sum(d, &d->total, "total");
	return status != 0 ? status : d->status;
}

static void du_defaults(struct cmd *c)
{
	struct du_opts *o = c->opts;

	o->depth = UINT64_MAX;
	block_size_of_env(c, "DU_BLOCK_SIZE", &o->block);
}

const struct builtin builtin_du = {
	.name = "du",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the room that each FILE takes, directories with all that is in them.",
	.run = du_run,
	.opts = du_options,
	.opts_size = sizeof(struct du_opts),
	.defaults = du_defaults,
	.flags = BUILTIN_WRITE_BARE,
};
