/* SPDX-License-Identifier: MIT
 *
 * df - tell how much room file systems have.
 *
 * File systems are those in /proc/mounts. Their sizes are fixed numbers, as stat -f has them.
 */
#include "builtins/block_size.h"

enum { BLOCK = 4096, BLOCKS = 524288, INODES = 524288, CELLS_MAX = 12 };

enum column {
	COLUMN_SOURCE,
	COLUMN_FSTYPE,
	COLUMN_SIZE,
	COLUMN_USED,
	COLUMN_AVAIL,
	COLUMN_PCENT,
	COLUMN_ITOTAL,
	COLUMN_IUSED,
	COLUMN_IAVAIL,
	COLUMN_IPCENT,
	COLUMN_FILE,
	COLUMN_TARGET,
	COLUMNS
};

static const struct {
	const char *field; /* for --output */
	const char *head;
	size_t width;
	bool left;
} columns[COLUMNS] = {
	{ "source", "Filesystem", 14, true }, { "fstype", "Type", 4, true },
	{ "size", NULL, 5, false },           { "used", "Used", 5, false },
	{ "avail", "Available", 5, false },   { "pcent", "Use%", 4, false },
	{ "itotal", "Inodes", 5, false },     { "iused", "IUsed", 5, false },
	{ "iavail", "IFree", 5, false },      { "ipcent", "IUse%", 4, false },
	{ "file", "File", 0, true },          { "target", "Mounted on", 0, true },
};

struct mount {
	const char *source;
	const char *target;
	const char *type;
	bool real; /* has room at all */
};

struct df_opts {
	bool all;
	bool inodes;
	bool portable;
	bool types;
	bool total;
	bool output;
	struct block_size unit;
	enum column list[COLUMNS];
	size_t ncolumns;
	const char *only[8];
	size_t nonly;
	const char *except[8];
	size_t nexcept;
	/* state */
	const char **cells; /* rows of CELLS_MAX */
	size_t nrows;
	size_t cap;
	struct mount *mounts;
	size_t nmounts;
	uint64_t nreal;
};

/* --- options --- */

static int set_unit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct df_opts *o = c->opts;

	if (opt->letter == 'B')
		return block_size_parse(c, opt_given(c, opt), arg, &o->unit);
	o->unit = (struct block_size){ .unit = opt->letter == 'k' ? 1024 : 1 << 20 };
	return 0;
}

static int set_people(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct df_opts *o = c->opts;

	(void)arg;
	o->unit = (struct block_size){ .base = opt->letter == 'h' ? 1024 : 1000 };
	return 0;
}

static int set_type(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct df_opts *o = c->opts;
	bool only = opt->letter == 't';
	size_t *n = only ? &o->nonly : &o->nexcept;

	if (*n == 8)
		return cmd_error(c, 0, "too many types");
	(only ? o->only : o->except)[(*n)++] = arg;
	return 0;
}

static int set_output(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct df_opts *o = c->opts;

	(void)opt;
	o->output = true;
	for (; arg != NULL;) {
		size_t len = strcspn(arg, ",");
		struct bytes field = { arg, len };
		int i = 0;

		while (i < COLUMNS && !bytes_is(field, columns[i].field))
			i++;
		if (i == COLUMNS)
			return cmd_usage(c, "option --output: field %s unknown",
					 cmd_quote_n(c, field));
		for (size_t k = 0; k < o->ncolumns; k++)
			if (o->list[k] == (enum column)i)
				return cmd_usage(c, "option --output: field %s used more than once",
						 cmd_quote_n(c, field));
		o->list[o->ncolumns++] = (enum column)i;
		arg = arg[len] == ',' ? arg + len + 1 : NULL;
	}
	return 0;
}

static const struct opt df_options[] = {
	OPT_FLAG('a', "all", struct df_opts, all, "also file systems without room"),
	OPT_CALL_ARG('B', "block-size", set_unit, "SIZE", "in units of SIZE"),
	OPT_CALL('h', "human-readable", set_people, "sizes for people, powers of 1024"),
	OPT_CALL('H', "si", set_people, "the same, powers of 1000"),
	OPT_FLAG('i', "inodes", struct df_opts, inodes, "inodes instead of blocks"),
	OPT_CALL('k', NULL, set_unit, "--block-size=1K"),
	OPT_CALL('m', NULL, set_unit, NULL),
	OPT_IGNORED('l', "local", "only local file systems: all are"),
	OPT_IGNORED(0, "no-sync", "no effect"),
	OPT_CALL_OPTIONAL(0, "output", set_output, "FIELDS", "the columns to write"),
	OPT_FLAG('P', "portability", struct df_opts, portable, "POSIX's format"),
	OPT_IGNORED(0, "sync", "no effect"),
	OPT_FLAG(0, "total", struct df_opts, total, "a line of sums"),
	OPT_CALL_ARG('t', "type", set_type, "TYPE", "only file systems of TYPE"),
	OPT_FLAG('T', "print-type", struct df_opts, types, "show types"),
	OPT_CALL_ARG('x', "exclude-type", set_type, "TYPE", "no file systems of TYPE"),
	OPT_IGNORED('v', NULL, "no effect"),
	OPT_END(),
};

/* --- cells --- */

static const char *amount(struct cmd *c, const struct df_opts *o, uint64_t n, uint64_t scale)
{
	struct buf text = buf_in(c->arena);
	char people[8];

	if (o->unit.unit == 0) {
		num_human(n * scale, o->unit.base, people);
		buf_puts(&text, people);
	} else if (scale == 1) {
		buf_put_u64(&text, n);
	} else {
		buf_put_u64(&text, n * scale / o->unit.unit + (n * scale % o->unit.unit != 0));
		buf_puts(&text, o->unit.suffix);
	}
	return buf_cstr(&text);
}

static const char *heading(struct cmd *c, const struct df_opts *o, enum column col)
{
	struct buf text = buf_in(c->arena);
	static const char units[] = "KMGTPE";
	uint64_t left = o->unit.unit;
	int power = -1;

	if (o->portable && o->unit.unit != 0 && col == COLUMN_PCENT)
		return "Capacity";
	if (col == COLUMN_AVAIL && (o->unit.unit == 0 || o->output))
		return "Avail";
	if (col != COLUMN_SIZE)
		return columns[col].head;
	if (o->unit.unit == 0)
		return "Size";
	if (o->portable) {
		buf_put_u64(&text, o->unit.unit);
	} else {
		unsigned base = left % 1024 == 0 ? 1024 : 1000;

		for (; left >= base && left % base == 0; left /= base)
			power++;
		buf_put_u64(&text, left);
		if (power >= 0)
			buf_putc(&text, power == 0 && base == 1000 ? 'k' : units[power]);
		buf_puts(&text, strstr(o->unit.suffix, "iB") != NULL ? "iB"
				: power < 0 || base == 1000          ? "B"
								     : "");
	}
	buf_puts(&text, "-blocks");
	return buf_cstr(&text);
}

static void add_cell(struct cmd *c, struct df_opts *o, size_t column, const char *text)
{
	if (column == 0 && o->nrows++ == o->cap) {
		o->cells = arena_grow(c->arena, o->cells, o->cap * CELLS_MAX * sizeof(char *),
				      (o->cap * 2 + 8) * CELLS_MAX * sizeof(char *));
		o->cap = o->cap * 2 + 8;
	}
	o->cells[(o->nrows - 1) * CELLS_MAX + column] = text;
}

/* A row for a mount, or for the sum of n real ones. */
static void add_row(struct cmd *c, struct df_opts *o, const struct mount *m, const char *file,
		    uint64_t n)
{
	uint64_t blocks = m->real ? BLOCKS * n : 0;

	for (size_t i = 0; i < o->ncolumns; i++) {
		const char *text = "-";

		switch (o->list[i]) {
		case COLUMN_SOURCE: text = m->source; break;
		case COLUMN_FSTYPE: text = m->type; break;
		case COLUMN_SIZE:
		case COLUMN_AVAIL: text = amount(c, o, blocks, BLOCK); break;
		case COLUMN_USED: text = amount(c, o, 0, BLOCK); break;
		case COLUMN_ITOTAL:
		case COLUMN_IAVAIL: text = amount(c, o, m->real ? INODES * n : 0, 1); break;
		case COLUMN_IUSED: text = amount(c, o, 0, 1); break;
		case COLUMN_PCENT:
		case COLUMN_IPCENT: text = m->real ? "0%" : "-"; break;
		case COLUMN_FILE: text = file != NULL ? file : "-"; break;
		default: text = m->target; break;
		}
		add_cell(c, o, i, text);
	}
	o->nreal += m->real;
}

static void put_table(struct cmd *c, const struct df_opts *o)
{
	size_t width[COLUMNS];

	for (size_t i = 0; i < o->ncolumns; i++) {
		width[i] = columns[o->list[i]].width;
		for (size_t r = 0; r < o->nrows; r++) {
			size_t n = utf8_count(bytes_of(o->cells[r * CELLS_MAX + i]));

			width[i] = n > width[i] ? n : width[i];
		}
	}
	for (size_t r = 0; r < o->nrows; r++) {
		for (size_t i = 0; i < o->ncolumns; i++) {
			const char *text = o->cells[r * CELLS_MAX + i];
			size_t pad = width[i] - utf8_count(bytes_of(text));
			bool left = columns[o->list[i]].left;

			if (i > 0)
				cmd_putc(c, ' ');
			for (size_t k = 0; !left && k < pad; k++)
				cmd_putc(c, ' ');
			cmd_puts(c, text);
			for (size_t k = 0; left && i + 1 < o->ncolumns && k < pad; k++)
				cmd_putc(c, ' ');
		}
		cmd_putc(c, '\n');
		cmd_charge(c, 4);
	}
}

/* --- mounts --- */

static bool is_in(const char *const *list, size_t n, const char *type)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], type) == 0)
			return true;
	return false;
}

static bool is_wanted(const struct df_opts *o, const struct mount *m)
{
	return (o->nonly == 0 || is_in(o->only, o->nonly, m->type)) &&
	       !is_in(o->except, o->nexcept, m->type);
}

static void read_mounts(struct cmd *c, struct df_opts *o)
{
	struct bytes all;
	size_t cap = 0;

	if (cmd_read_all(c, "/proc/mounts", &all) < 0)
		all = BYTES("cowsh / cowsh rw 0 0\n");
	for (size_t from = 0; from < all.len;) {
		const char *newline = memchr(all.ptr + from, '\n', all.len - from);
		size_t to = newline != NULL ? (size_t)(newline - all.ptr) : all.len;
		char *line = arena_dup(c->arena, bytes_slice(all, from, to));
		char *target = strchr(line, ' ');
		char *type = target != NULL ? strchr(target + 1, ' ') : NULL;

		from = to + 1;
		cmd_charge(c, 1);
		if (type == NULL)
			continue;
		*target++ = *type++ = '\0';
		type[strcspn(type, " ")] = '\0';
		if (o->nmounts == cap) {
			o->mounts = arena_grow(c->arena, o->mounts, cap * sizeof(*o->mounts),
					       (cap * 2 + 8) * sizeof(*o->mounts));
			cap = cap * 2 + 8;
		}
		o->mounts[o->nmounts++] = (struct mount){ line, target, type,
							  strcmp(type, "proc") != 0 };
	}
}

/* The mount that holds a path: the longest target it begins with. */
static const struct mount *mount_of(const struct df_opts *o, const char *path)
{
	const struct mount *best = NULL;
	size_t length = 0;

	for (size_t i = 0; i < o->nmounts; i++) {
		const char *target = o->mounts[i].target;
		size_t n = strlen(target);
		bool inside = strncmp(path, target, n) == 0 &&
			      (path[n] == '/' || path[n] == '\0' || n == 1);

		if (inside && n >= length) {
			best = &o->mounts[i];
			length = n;
		}
	}
	return best;
}

static int add_files(struct cmd *c, struct df_opts *o)
{
	int status = 0;

	for (int i = 0; i < c->nargs; i++) {
		char *path;
		int err = cmd_canonical(c, c->args[i], CANON_EXISTING, &path);
		const struct mount *m = err == 0 ? mount_of(o, path) : NULL;

		if (err < 0)
			status = cmd_error(c, err, "%s", cmd_quotef(c, c->args[i]));
		else if (m != NULL && is_wanted(o, m))
			add_row(c, o, m, c->args[i], 1);
		cmd_charge(c, 1);
	}
	return status;
}

static void choose_columns(struct df_opts *o)
{
	static const enum column blocks[] = { COLUMN_SIZE, COLUMN_USED, COLUMN_AVAIL,
					      COLUMN_PCENT };
	static const enum column inodes[] = { COLUMN_ITOTAL, COLUMN_IUSED, COLUMN_IAVAIL,
					      COLUMN_IPCENT };

	if (o->ncolumns > 0)
		return;
	if (o->output) {
		static const enum column every[] = { COLUMN_SOURCE, COLUMN_FSTYPE, COLUMN_ITOTAL,
						     COLUMN_IUSED,  COLUMN_IAVAIL, COLUMN_IPCENT,
						     COLUMN_SIZE,   COLUMN_USED,   COLUMN_AVAIL,
						     COLUMN_PCENT,  COLUMN_FILE,   COLUMN_TARGET };

		memcpy(o->list, every, sizeof(every));
		o->ncolumns = COLUMNS;
		return;
	}
	o->list[o->ncolumns++] = COLUMN_SOURCE;
	if (o->types)
		o->list[o->ncolumns++] = COLUMN_FSTYPE;
	memcpy(o->list + o->ncolumns, o->inodes ? inodes : blocks, sizeof(blocks));
	o->ncolumns += 4;
	o->list[o->ncolumns++] = COLUMN_TARGET;
}

static int check_options(struct cmd *c, const struct df_opts *o)
{
	const char *other = o->inodes ? "-i" : o->portable ? "-P" : o->types ? "-T" : NULL;

	if (o->output && other != NULL)
		return cmd_usage(c, "options %s and --output are mutually exclusive", other);
	for (size_t i = 0; i < o->nonly; i++)
		if (is_in(o->except, o->nexcept, o->only[i]))
			return cmd_error(c, 0, "file system type %s both selected and excluded",
					 cmd_quote(c, o->only[i]));
	return 0;
}

static int df_run(struct cmd *c)
{
	struct df_opts *o = c->opts;
	int status = check_options(c, o);

	if (status != 0)
		return status;
	choose_columns(o);
	read_mounts(c, o);
	for (size_t i = 0; i < o->ncolumns; i++)
		add_cell(c, o, i, heading(c, o, o->list[i]));
	if (c->nargs > 0)
		status = add_files(c, o);
	for (size_t i = 0; c->nargs == 0 && i < o->nmounts; i++)
		if (is_wanted(o, &o->mounts[i]) && (o->all || o->mounts[i].real))
			add_row(c, o, &o->mounts[i], NULL, 1);
	if (o->nrows == 1)
		return status != 0 ? status : cmd_error(c, 0, "no file systems processed");
	if (o->total)
		add_row(c, o, &(struct mount){ "total", "-", "-", o->nreal > 0 }, NULL, o->nreal);
	put_table(c, o);
	return status;
}

static void df_defaults(struct cmd *c)
{
	struct df_opts *o = c->opts;

	block_size_of_env(c, "DF_BLOCK_SIZE", &o->unit);
}

const struct builtin builtin_df = {
	.name = "df",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Tells how much room file systems have, those of FILEs or all.",
	.run = df_run,
	.opts = df_options,
	.opts_size = sizeof(struct df_opts),
	.defaults = df_defaults,
};
