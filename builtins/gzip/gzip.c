/* SPDX-License-Identifier: MIT
 *
 * gzip, gunzip, zcat - compress files, and the reverse.
 *
 * A file is replaced by its other form. What a name says (suffixes) and what the file is (its
 * magic) must agree. Reference: GNU gzip 1.12; the bytes are zlib's.
 */
#include "builtins/gzip/gzip.h"

#include "builtins/ask.h"

static int opt_level(struct cmd *c, const struct opt *o, const char *arg)
{
	struct gzip *g = c->opts;

	(void)o;
	/* Of several digits the last counts. */
	if (strchr(arg, '0') != NULL)
		return cmd_usage(c, "invalid option -- '0'");
	g->level = arg[strlen(arg) - 1] - '0';
	return 0;
}

static int opt_suffix(struct cmd *c, const struct opt *o, const char *arg)
{
	struct gzip *g = c->opts;

	(void)o;
	if (arg[0] == '\0' || strlen(arg) > GZIP_SUFFIX_MAX)
		return cmd_error(c, 0, "invalid suffix '%s'", arg);
	g->suffix = arg;
	return 0;
}

static int opt_names(struct cmd *c, const struct opt *o, const char *arg)
{
	struct gzip *g = c->opts;

	(void)arg;
	g->no_time = o->letter != 'N';
	if (o->letter != 'm')
		g->no_name = g->no_time;
	return 0;
}

static int opt_quiet(struct cmd *c, const struct opt *o, const char *arg)
{
	struct gzip *g = c->opts;

	(void)arg;
	g->quiet = o->letter == 'q';
	g->verbose = g->quiet ? 0 : g->verbose + 1;
	return 0;
}

static int opt_ascii(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o, (void)arg;
	((struct gzip *)c->opts)->ascii = true;
	return 0;
}

static int check_bits(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	for (const char *at = arg; *at != '\0'; at++)
		if (!byte_is_digit(*at))
			return cmd_usage(c, "-b operand is not an integer");
	return 0;
}

static const struct opt gzip_options[] = {
	OPT_CALL('a', "ascii", opt_ascii, "no effect"),
	OPT_CALL_ARG('b', "bits", check_bits, "BITS", NULL),
	OPT_FLAG('c', "stdout", struct gzip, to_stdout, "write to standard output, keep the files"),
	OPT_FLAG('c', "to-stdout", struct gzip, to_stdout, NULL),
	OPT_FLAG('d', "decompress", struct gzip, decompress, "decompress"),
	OPT_FLAG('d', "uncompress", struct gzip, decompress, NULL),
	OPT_FLAG('f', "force", struct gzip, force, "overwrite, and compress links too"),
	OPT_FLAG('k', "keep", struct gzip, keep, "keep the files that were read"),
	OPT_FLAG('l', "list", struct gzip, list, "list what compressed files hold"),
	OPT_CALL('m', NULL, opt_names, NULL),
	OPT_CALL('n', "no-name", opt_names, "neither save nor restore name and time"),
	OPT_CALL('N', "name", opt_names, "save or restore name and time"),
	OPT_CALL('q', "quiet", opt_quiet, "no warnings"),
	OPT_CALL('q', "silent", opt_quiet, NULL),
	OPT_FLAG('r', "recursive", struct gzip, recursive, "the files in directories too"),
	OPT_FLAG(0, "rsyncable", struct gzip, rsyncable, "equal stretches give equal output"),
	OPT_CALL_ARG('S', "suffix", opt_suffix, "SUF", "what names of compressed files end with"),
	OPT_FLAG(0, "synchronous", struct gzip, synchronous, "write to the disk at once"),
	OPT_FLAG('t', "test", struct gzip, test, "check compressed files"),
	OPT_CALL('v', "verbose", opt_quiet, "name each file and how much smaller it became"),
	{ .letter = '1',
	  .name = "fast",
	  .kind = OPT_KIND_SET,
	  .value = 1,
	  .offset = OPT_FIELD(struct gzip, level, int),
	  .help = "the quickest" },
	{ .letter = '9',
	  .name = "best",
	  .kind = OPT_KIND_SET,
	  .value = 9,
	  .offset = OPT_FIELD(struct gzip, level, int),
	  .help = "the smallest" },
	OPT_DIGIT(opt_level),
	OPT_END(),
};

/* --- messages --- */

void gzip_warn(struct gzip *g, const char *format, ...)
{
	struct arena_mark mark = arena_mark(g->c->arena);
	struct buf text = buf_in(g->c->arena);
	va_list args;

	if (!g->quiet) {
		va_start(args, format);
		buf_vprintf(&text, format, args);
		va_end(args);
		cmd_flush(g->c);
		cmd_err_write(g->c, text.ptr, text.len);
		arena_release(g->c->arena, mark);
	}
	if (g->status == 0)
		g->status = GZIP_WARNING;
}

static void say(struct gzip *g, struct buf *text)
{
	cmd_err_write(g->c, text->ptr, text->len);
}

void gzip_error(struct gzip_job *j, const char *text)
{
	struct gzip *g = j->g;
	struct buf line = buf_in(g->c->arena);

	buf_printf(&line, "\n%s: %s: %s\n", g->c->name, j->name, text);
	cmd_flush(g->c);
	say(g, &line);
	g->status = 1;
}

static void drop_output(struct gzip_job *j)
{
	if (!j->has_out)
		return;
	output_close(&j->out);
	if (j->out_name != NULL)
		cmd_unlink(j->g->c, CMD_CWD, j->out_name, 0);
	j->has_out = false;
}

void gzip_abort(struct gzip_job *j, const char *text)
{
	if (j->has_out && j->out_name == NULL)
		output_flush(&j->out);
	gzip_error(j, text);
	if (j->out_name != NULL)
		drop_output(j);
	cmd_exit(j->g->c, 1);
}

/* An error of the system with a file: status 1. */
static void file_error(struct gzip *g, int err, const char *name)
{
	g->status = cmd_error(g->c, err, "%s", name);
}

/* --- names --- */

/* The suffix of a compressed file's name, or NULL. */
static const char *suffix_of(struct gzip *g, const char *name)
{
	const char *const known[] = { g->suffix, ".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z" };
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		size_t n = strlen(known[i]);
		size_t same = 0;

		if (len <= n || name[len - n - 1] == '/')
			continue;
		while (same < n &&
		       byte_to_lower(name[len - n + same]) == byte_to_lower(known[i][same]))
			same++;
		if (same == n)
			return name + len - n;
	}
	return NULL;
}

static const char *plain_name(struct gzip_job *j, const char *suffix)
{
	struct gzip *g = j->g;
	struct buf name = buf_in(g->c->arena);
	const char *slash = strrchr(j->name, '/');

	if (j->stored != NULL && !g->no_name) {
		if (slash != NULL)
			buf_put(&name, j->name, (size_t)(slash - j->name) + 1);
		buf_puts(&name, j->stored);
		return buf_cstr(&name);
	}
	buf_put(&name, j->name, (size_t)(suffix - j->name));
	if (strlen(suffix) == 4 && byte_to_lower(suffix[1]) == 't' && suffix[0] == '.' &&
	    strcmp(suffix, g->suffix) != 0)
		buf_puts(&name, ".tar");
	return buf_cstr(&name);
}

/* The name of the file to make, or NULL when the name of the input does not allow it. */
static const char *output_name(struct gzip_job *j)
{
	struct gzip *g = j->g;
	const char *suffix = suffix_of(g, j->name);
	struct buf name = buf_in(g->c->arena);
	bool tell = g->verbose > 0 || (!g->recursive && !g->quiet);

	if (g->decompress && suffix != NULL)
		return plain_name(j, suffix);
	if (g->decompress && (g->list || g->test) && !g->recursive)
		return j->stored != NULL && !g->no_name ? plain_name(j, j->name) : j->name;
	if (g->decompress) {
		if (tell)
			gzip_warn(g, "%s: %s: unknown suffix -- ignored\n", g->c->name, j->name);
		return NULL;
	}
	if (suffix != NULL && !g->force) {
		if (tell)
			cmd_warn(g->c, 0, "%s already has %s suffix -- unchanged", j->name, suffix);
		return NULL;
	}
	buf_puts(&name, j->name);
	buf_puts(&name, g->suffix);
	return buf_cstr(&name);
}

/* --- one file --- */

/* Whether a file may be replaced by its other form. */
static bool acceptable(struct gzip_job *j)
{
	struct gzip *g = j->g;
	const char *name = g->c->name;
	uint32_t mode = j->st.mode;
	const char *format = NULL;

	if (g->to_stdout || g->list || g->test)
		return true;
	if ((mode & S_FMT) != S_REG)
		format = "%s: %s is not a directory or a regular file - ignored\n";
	else if (mode & S_SUID)
		format = "%s: %s is set-user-ID on execution - ignored\n";
	else if (mode & S_SGID)
		format = "%s: %s is set-group-ID on execution - ignored\n";
	else if (!g->force && (mode & S_SVTX))
		format = "%s: %s has the sticky bit set - file ignored\n";
	if (format != NULL) {
		gzip_warn(g, format, name, j->name);
		return false;
	}
	if (g->force || j->st.nlink < 2)
		return true;
	gzip_warn(g, "%s: %s has %lu other link%s -- file ignored\n", name, j->name,
		  (unsigned long)j->st.nlink - 1, j->st.nlink == 2 ? "" : "s");
	return false;
}

/* Opens the new file; false (after a message) when it must not be made. */
static bool open_output(struct gzip_job *j)
{
	struct gzip *g = j->g;
	struct cmd *c = g->c;
	struct vfs_stat st;
	bool exists = cmd_lstat(c, j->out_name, &st) == 0;

	if (exists && !g->force) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "%s: %s already exists;", c->name, j->out_name);
		if (cmd_isatty(c, 0)) {
			buf_puts(&text, " do you wish to overwrite (y or n)? ");
			say(g, &text);
			struct input in;
			struct bytes line = { "", 0 };

			input_init(&in, c, 0, "-");
			if (input_line(&in, '\n', &line) > 0 && line.len > 0 &&
			    (line.ptr[0] | 0x20) == 'y')
				exists = false;
			input_close(&in);
			text.len = 0;
		}
		if (exists) {
			buf_puts(&text, "\tnot overwritten\n");
			say(g, &text);
			if (g->status == 0)
				g->status = GZIP_WARNING;
			return false;
		}
	}
	cmd_unlink(c, CMD_CWD, j->out_name, 0);
	int err = output_open(&j->out, c, j->out_name, O_EXCL_ | O_TRUNC_, false);

	if (err < 0) {
		file_error(g, err, j->out_name);
		return false;
	}
	j->out.drop = j->out_name;
	j->has_out = true;
	return true;
}

/* The new file gets what the old one had. */
static void copy_attributes(struct gzip_job *j)
{
	struct cmd *c = j->g->c;
	int64_t mtime = j->st.mtime_ns;

	if (j->g->decompress && !j->g->no_time && j->time != 0)
		mtime = (int64_t)j->time * 1000000000;
	cmd_chown(c, CMD_CWD, j->out_name, j->st.uid, j->st.gid, CMD_NOFOLLOW);
	cmd_chmod(c, CMD_CWD, j->out_name, j->st.mode & 0777, 0);
	cmd_utimes(c, CMD_CWD, j->out_name, j->st.atime_ns, mtime, CMD_NOFOLLOW);
}

static void put_result(struct gzip_job *j, bool is_stdin)
{
	struct gzip *g = j->g;
	struct buf text = buf_in(g->c->arena);
	uint64_t in = j->bytes_in;

	if (g->verbose == 0 || (is_stdin && g->decompress && !g->test))
		return;
	if (g->test)
		buf_puts(&text, " OK");
	else if (g->decompress)
		gzip_ratio(&text, (int64_t)j->bytes_out - (int64_t)(in - j->header_bytes),
			   (int64_t)j->bytes_out);
	else
		gzip_ratio(&text, (int64_t)in - (int64_t)(j->bytes_out - j->header_bytes),
			   (int64_t)in);
	if (!g->test && !is_stdin)
		buf_printf(&text, " -- %s %s", g->keep ? "created" : "replaced with",
			   g->to_stdout ? "stdout" : j->out_name);
	buf_putc(&text, '\n');
	say(g, &text);
}

static bool convert(struct gzip_job *j)
{
	if (j->g->decompress)
		return gzip_unpack(j);
	gzip_pack(j);
	return true;
}

static void do_stdin(struct gzip *g)
{
	static const char name[] = "stdin";
	struct gzip_job j = { .g = g, .name = name };

	bool reads = g->decompress || g->test;

	if (!g->force && !g->list && cmd_isatty(g->c, reads ? 0 : 1)) {
		g->status = cmd_error(
			g->c, 0,
			"compressed data not %s a terminal. Use -f to force %scompression.\n"
			"For help, type: %s -h",
			reads ? "read from" : "written to", reads ? "de" : "", g->c->name);
		return;
	}
	input_init(&j.in, g->c, 0, "-");
	cmd_fstat(g->c, 0, &j.st);
	if (!g->test && !g->list) {
		output_init(&j.out, g->c, 1, false);
		j.has_out = true;
	}
	if ((!g->decompress || gzip_header(&j) > 0) && convert(&j)) {
		if (g->list)
			gzip_list(&j, "stdout");
		else
			put_result(&j, true);
	}
	if (j.has_out)
		output_flush(&j.out);
	input_close(&j.in);
}

/* Everything behind the opening of the file. */
static void do_open_file(struct gzip_job *j)
{
	struct gzip *g = j->g;
	bool silent = g->list || g->test;

	if (g->list || g->test || !g->to_stdout) {
		j->out_name = output_name(j);
		if (j->out_name == NULL)
			return;
	}
	if (g->decompress && gzip_header(j) <= 0)
		return;
	if (j->stored != NULL && j->out_name != NULL && !g->no_name)
		j->out_name = output_name(j);
	const char *listed = j->out_name;

	if (silent)
		j->out_name = NULL;
	if (g->to_stdout && !silent) {
		output_init(&j->out, g->c, 1, false);
		j->has_out = true;
	} else if (!silent && !open_output(j)) {
		return;
	}
	if (g->verbose > 0 && !g->list) {
		struct buf text = buf_in(g->c->arena);

		buf_printf(&text, "%s:\t", j->name);
		say(g, &text);
	}
	bool good = convert(j);

	if (g->list && good)
		gzip_list(j, listed);
	if (!good && j->out_name != NULL) {
		drop_output(j);
		cmd_exit(g->c, 1);
	}
	if (j->has_out && j->out_name != NULL) {
		if (g->synchronous) {
			output_flush(&j->out);
			cmd_sync_fd(g->c, j->out.fd);
		}
		output_close(&j->out);
		copy_attributes(j);
		if (!g->keep)
			cmd_unlink(g->c, CMD_CWD, j->name, 0);
	} else if (j->has_out) {
		output_flush(&j->out);
	}
	if (good && !g->list)
		put_result(j, false);
}

/* Opens a file, also under its name with a suffix when decompressing. */
static int open_input(struct gzip_job *j)
{
	static const char *const more[] = { ".gz", ".z", "-z", ".Z" };
	struct gzip *g = j->g;
	unsigned flags = O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_;
	const char *given = j->name;

	if (!g->force && !g->to_stdout && !g->list && !g->test)
		flags |= O_NOFOLLOW_;
	int fd = cmd_open(g->c, CMD_CWD, given, flags, 0);

	if (fd != -E_NOENT || !g->decompress || suffix_of(g, given) != NULL)
		return fd;
	for (int i = -1; i < 4 && fd == -E_NOENT; i++) {
		struct buf name = buf_in(g->c->arena);

		buf_printf(&name, "%s%s", given, i < 0 ? g->suffix : more[i]);
		j->name = buf_cstr(&name);
		fd = cmd_open(g->c, CMD_CWD, j->name, flags, 0);
	}
	if (fd == -E_NOENT) {
		struct buf name = buf_in(g->c->arena);

		buf_printf(&name, "%s%s", given, g->suffix);
		j->name = buf_cstr(&name);
	}
	return fd;
}

static void do_file(struct gzip *g, const char *name)
{
	struct gzip_job j = { .g = g, .name = name };
	int fd = open_input(&j);

	if (fd < 0) {
		file_error(g, fd, j.name);
		return;
	}
	/* Opening does not wait for the writer of a pipe; reading does. */
	cmd_setfl(g->c, fd, 0);
	cmd_fstat(g->c, fd, &j.st);
	input_init(&j.in, g->c, fd, j.name);
	j.in.is_stdin = false;
	if ((j.st.mode & S_FMT) == S_DIR)
		gzip_warn(g, "%s: %s is a directory -- ignored\n", g->c->name, j.name);
	else if (acceptable(&j))
		do_open_file(&j);
	input_close(&j.in);
}

/* --- directories --- */

static void do_tree(struct gzip *g, const char *root)
{
	struct walk *w = walk_new(g->c, root, WALK_FOLLOW_ROOT);
	struct buf names = buf_in(g->c->arena);
	struct walk_entry *e;

	/* All names first: new files must not be met on the way. */

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_ERROR)
			file_error(g, e->err, e->path);
		else if (e->kind == WALK_FILE)
			buf_put(&names, e->path, strlen(e->path) + 1);
		cmd_charge(g->c, 1);
	}
	walk_free(w);
	for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1)
		do_file(g, names.ptr + at);
}

static void do_operand(struct gzip *g, const char *name)
{
	struct vfs_stat st;

	if (strcmp(name, "-") == 0)
		do_stdin(g);
	else if (g->recursive && cmd_stat(g->c, name, &st) == 0 && (st.mode & S_FMT) == S_DIR)
		do_tree(g, name);
	else
		do_file(g, name);
}

static int gzip_run(struct cmd *c)
{
	struct gzip *g = c->opts;

	if (g->ascii && !g->quiet)
		cmd_warn(c, 0, "option --ascii ignored on this system");
	if (g->list || g->test)
		g->decompress = true;
	/* Names and times are saved unless told not to, and restored only if told so. */
	if (g->no_time < 0)
		g->no_time = g->decompress;
	if (g->no_name < 0)
		g->no_name = g->decompress;
	for (int i = 0; i < c->nfiles; i++)
		do_operand(g, c->files[i]);
	if (g->list && c->nfiles > 1)
		gzip_list_totals(g);
	return g->status;
}

/* --- the commands --- */

static bool allowed_long(const char *name)
{
	static const char *const names[] = { "fast",  "best",      "no-name", "name",
					     "quiet", "rsyncable", "silent",  "verbose" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*name != '\0' && strncmp(names[i], name, strlen(name)) == 0)
			return true;
	return false;
}

/* Options in GZIP come first. Only those that change how well it compresses are allowed. */
static void take_environment(struct cmd *c)
{
	const char *text = cmd_getenv(c, "GZIP");
	size_t room = text != NULL ? strlen(text) / 2 + 2 : 0;
	size_t n = 1;
	bool quiet = false;

	if (room == 0)
		return;
	char **argv = arena_array(c->arena, (size_t)c->argc + room, sizeof *argv);

	for (text += strspn(text, " \t"); *text != '\0'; text += strspn(text, " \t")) {
		size_t len = strcspn(text, " \t");
		char *word = arena_dup(c->arena, (struct bytes){ text, len });

		if (word[0] != '-' || len == 1)
			cmd_exit(c,
				 cmd_usage(c, "%s: non-option in GZIP environment variable", word));
		if (word[1] != '-' && strspn(word + 1, "123456789vnqN") != len - 1)
			cmd_exit(c,
				 cmd_usage(c, "-%c: option not valid in GZIP environment variable",
					   word[1 + strspn(word + 1, "123456789vnqN")]));
		if (word[1] == '-' && !allowed_long(word + 2))
			cmd_exit(c,
				 cmd_usage(c, "%.*s: option not valid in GZIP environment variable",
					   (int)strcspn(word, "="), word));
		for (const char *at = word + 1; word[1] != '-' && *at != '\0'; at++)
			quiet = *at == 'q' || (quiet && *at != 'v');
		if (word[1] == '-')
			quiet = word[2] == 'q' || word[2] == 's' || (quiet && word[2] != 'v');
		argv[n++] = word;
		text += len;
	}
	if (n == 1)
		return;
	if (!quiet)
		cmd_warn(
			c, 0,
			"warning: GZIP environment variable is deprecated; use an alias or script");
	for (int i = 1; i < c->argc; i++)
		argv[n++] = c->argv[i];
	argv[0] = c->argv[0];
	c->argv = argv;
	c->argc = (int)n;
}

static void gzip_defaults(struct cmd *c)
{
	struct gzip *g = c->opts;
	const char *slash = strrchr(c->name, '/');

	/* Messages name the program, not its path. */
	if (slash != NULL)
		c->name = slash + 1;
	g->c = c;
	g->level = 6;
	g->no_name = g->no_time = -1;
	g->suffix = ".gz";
	take_environment(c);
}

/* gunzip and zcat are scripts around gzip: messages come from it. */
static void gunzip_defaults(struct cmd *c)
{
	((struct gzip *)c->opts)->decompress = true;
	c->name = "gzip";
	gzip_defaults(c);
}

static void zcat_defaults(struct cmd *c)
{
	((struct gzip *)c->opts)->to_stdout = true;
	gunzip_defaults(c);
}

#define GZIP_COMMAND(id, text, before)                                                             \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = "[OPTION]... [FILE]...",                                                  \
		.summary = text,                                                                   \
		.run = gzip_run,                                                                   \
		.opts = gzip_options,                                                              \
		.opts_size = sizeof(struct gzip),                                                  \
		.defaults = before,                                                                \
		.family = "gzip 1.12",                                                             \
		.hint = "Try `%s --help' for more information.\n",                                 \
	}

GZIP_COMMAND(gzip, "Replaces each FILE by its compressed form, or (-d) the reverse.",
	     gzip_defaults);
GZIP_COMMAND(gunzip, "Replaces each compressed FILE by what it holds.", gunzip_defaults);
GZIP_COMMAND(uncompress, "Replaces each compressed FILE by what it holds.", gunzip_defaults);
GZIP_COMMAND(zcat, "Writes what each compressed FILE holds.", zcat_defaults);
