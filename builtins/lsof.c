/* SPDX-License-Identifier: MIT
 *
 * lsof - open files of processes, from /proc.
 *
 * Not here: sockets (-i finds none).
 */
#include "base/time.h"
#include "builtins/builtin.h"
#include "builtins/zone.h"

struct lsof_opts {
	const char *pids;
	const char *command;
	const char *user;
	const char *tree;
	const char *fds;    /* -d */
	const char *fields; /* -F; NULL: a table */
	bool parents;       /* -R */
	bool and;
	bool terse;
	bool internet;
	uint64_t seconds;   /* -r: between listings; 0: there is one */
	bool while_any;     /* +r: up to the first that is empty */
	const char *marker; /* of -r, formatted with the time; NULL: the usual one */
	bool begun;         /* the line of headers is written */
};

static const char field_letters[] = "pgRcuLfaltGDsoikn0";

static int set_fields(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct lsof_opts *o = c->opts;

	(void)opt;
	o->fields = arg != NULL ? arg : "pgRcuLfaltGDsoikn";
	if (strcmp(o->fields, "0") == 0)
		o->fields = field_letters;
	if (strcmp(o->fields, "?") == 0) {
		cmd_puts(c, "lsof:\tID    field description\n"
			    "\t a    access: r = read; w = write; u = read/write\n"
			    "\t c    command name\n"
			    "\t D    major/minor device number as 0x<hex>\n"
			    "\t f    file descriptor\n"
			    "\t G    file flaGs\n"
			    "\t i    inode number\n"
			    "\t k    link count\n"
			    "\t l    lock: r/R = read; w/W = write; u = read/write\n"
			    "\t L    login name\n"
			    "\t n    comment, name, Internet addresses\n"
			    "\t o    file offset as 0t<dec> or 0x<hex>\n"
			    "\t p    process ID (PID)\n"
			    "\t g    process group ID (PGID)\n"
			    "\t R    paRent PID\n"
			    "\t s    file size\n"
			    "\t t    file type\n"
			    "\t u    user ID (UID)\n"
			    "\t 0    (zero) use NUL field terminator instead of NL\n");
		cmd_exit(c, 0);
	}
	for (const char *at = o->fields; *at != '\0'; at++)
		if (strchr(field_letters, *at) == NULL)
			return cmd_error(c, 0, "unknown field: %c", *at);
	return 0;
}

/* [SECONDS][mFORMAT] */
static int set_repeat(struct cmd *c, const struct opt *opt, const char *arg)
{
	enum { SECONDS = 15, SECONDS_MAX = 1000000 };
	struct lsof_opts *o = c->opts;
	const char *at = arg != NULL ? arg : "";

	(void)opt;
	o->seconds = 0;
	for (; byte_is_digit((unsigned char)*at) && o->seconds < SECONDS_MAX; at++)
		o->seconds = o->seconds * 10 + (uint64_t)(*at - '0');
	if (o->seconds == 0)
		o->seconds = SECONDS;
	o->marker = *at == 'm' ? at + 1 : NULL;
	if ((*at != '\0' && *at != 'm') || (o->marker != NULL && *o->marker == '\0'))
		return cmd_error(c, 0, "illegal <fmt>: \"%s\"", o->marker != NULL ? o->marker : at);
	return 0;
}

static const struct opt lsof_options[] = {
	OPT_STR('p', NULL, struct lsof_opts, pids, NULL, "PID,...", "of these processes"),
	OPT_STR('c', NULL, struct lsof_opts, command, NULL, "NAME",
		"of programs whose name begins so"),
	OPT_STR('u', NULL, struct lsof_opts, user, NULL, "USER", "of processes of USER"),
	OPT_STR('D', NULL, struct lsof_opts, tree, NULL, "DIR", "below a directory: +D DIR"),
	OPT_FLAG('a', NULL, struct lsof_opts, and, "all that was asked for, not any of it"),
	OPT_FLAG('t', NULL, struct lsof_opts, terse, "only the numbers of processes"),
	OPT_CALL_OPTIONAL('i', NULL, opt_ignored, "ADDRESS", "of the network: there are none"),
	OPT_IGNORED('n', NULL, "no effect"),
	OPT_IGNORED('P', NULL, "no effect"),
	OPT_IGNORED('l', NULL, "no effect"),
	OPT_IGNORED('w', NULL, "no effect"),
	OPT_STR('d', NULL, struct lsof_opts, fds, NULL, "LIST",
		"of these descriptors: cwd,0-2,^txt"),
	OPT_CALL_OPTIONAL('F', NULL, set_fields, "FIELDS", "fields, one a line; ? lists them"),
	OPT_FLAG('R', NULL, struct lsof_opts, parents, "a column of parents"),
	OPT_CALL_OPTIONAL('r', NULL, set_repeat, "SECONDS[mFORMAT]",
			  "again every 15 or SECONDS; +r: as long as there is something"),
	OPT_END(),
};

/* -r [SECONDS][mFORMAT], +r ...: how many arguments that is. */
static int set_repeat_of(struct cmd *c, int argc, char **argv, int i)
{
	struct lsof_opts *o = c->opts;
	bool next = argv[i][2] == '\0' && i + 1 < argc &&
		    byte_is_digit((unsigned char)argv[i + 1][0]);

	o->while_any = argv[i][0] == '+';
	if (set_repeat(c, NULL, next ? argv[i + 1] : argv[i] + 2) != 0)
		cmd_exit(c, 1);
	return next ? 2 : 1;
}

/* +D DIR, +d DIR, -i[ADDRESS], -F FIELDS, -r. */
static int lsof_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct lsof_opts *o = c->opts;

	if (argv[i][0] == '-' && argv[i][1] == 'i')
		o->internet = true;
	if (strcmp(argv[i], "-F") == 0 && i + 1 < argc && argv[i + 1][0] != '-' &&
	    argv[i + 1][0] != '+') {
		if (set_fields(c, NULL, argv[i + 1]) != 0)
			cmd_exit(c, 1);
		return 2;
	}
	if ((argv[i][0] == '-' || argv[i][0] == '+') && argv[i][1] == 'r')
		return set_repeat_of(c, argc, argv, i);
	if (argv[i][0] != '+' || (argv[i][1] != 'D' && argv[i][1] != 'd'))
		return 0;
	if (argv[i][2] != '\0') {
		o->tree = argv[i] + 2;
		return 1;
	}
	o->tree = i + 1 < argc ? argv[i + 1] : NULL;
	return i + 1 < argc ? 2 : 1;
}

static bool is_listed(const char *list, int pid)
{
	char text[20];
	size_t n = num_format_u64((uint64_t)pid, text);

	while (*list != '\0') {
		size_t len = strcspn(list, ",");

		if (len == n && memcmp(list, text, n) == 0)
			return true;
		list += len + (list[len] != '\0');
	}
	return false;
}

/* Whether a process is asked for: by any of the options, or by all of them. named: there are such
 * options. */
static bool is_chosen(struct cmd *c, const struct cmd_proc *p, bool by_file, bool *named)
{
	const struct lsof_opts *o = c->opts;
	uint32_t uid = 0;
	uint32_t gid;
	int asked = 0;
	int yes = 0;

	if (o->pids != NULL) {
		asked++;
		yes += is_listed(o->pids, p->pid);
	}
	if (o->command != NULL) {
		asked++;
		yes += strncmp(p->name, o->command, strlen(o->command)) == 0;
	}
	if (o->user != NULL) {
		asked++;
		yes += cmd_user_id(c, o->user, &uid, &gid) && uid == p->uid;
	}
	*named = asked > 0;
	return asked == 0 || (o->and || by_file ? yes == asked : yes > 0);
}

/* Whether a descriptor ("cwd", "3") is in the list of -d: names, numbers, ranges; with ^ all but.
 */
static bool is_descriptor_listed(const char *list, const char *fd)
{
	bool found = false;
	bool excluding = *list == '^';
	uint64_t number;
	bool numeric = num_plain(fd, &number);

	while (*list != '\0') {
		size_t len = strcspn(list, ",");
		const char *word = list + (*list == '^');
		size_t n = len - (*list == '^');
		uint64_t from = 0;
		size_t at = 0;

		found |= strlen(fd) == n && memcmp(word, fd, n) == 0;
		for (; at < n && byte_is_digit(word[at]) && from < INT32_MAX; at++)
			from = from * 10 + (uint64_t)(word[at] - '0');
		if (numeric && at > 0 && at < n && word[at] == '-') {
			uint64_t to = 0;

			for (at++; at < n && byte_is_digit(word[at]) && to < INT32_MAX; at++)
				to = to * 10 + (uint64_t)(word[at] - '0');
			found |= from <= number && number <= to;
		}
		list += len + (list[len] != '\0');
	}
	return found != excluding;
}

static bool wants_file(struct cmd *c, const char *path, const struct vfs_stat *st, bool has_st)
{
	const struct lsof_opts *o = c->opts;
	struct vfs_stat other;

	if (o->tree != NULL) {
		size_t len = strlen(o->tree);

		return strncmp(path, o->tree, len) == 0 && (path[len] == '/' || path[len] == '\0');
	}
	for (int i = 0; i < c->nargs; i++)
		if (has_st && cmd_stat(c, c->args[i], &other) == 0 && other.ino == st->ino &&
		    other.dev == st->dev)
			return true;
	return c->nargs == 0;
}

static const char *type_of(const struct vfs_stat *st)
{
	switch (st->mode & S_FMT) {
	case S_REG: return "REG";
	case S_DIR: return "DIR";
	case S_CHR: return "CHR";
	case S_FIFO: return "FIFO";
	default: return "unknown";
	}
}

/* A file that a process has open. */
struct open_file {
	const struct cmd_proc *p;
	const char *fd; /* "cwd", "3" */
	char access;    /* r, w, u; ' ' of what is no descriptor */
	bool has_st;
	struct vfs_stat st;
	const char *name;
};

static bool has_size(const struct open_file *f)
{
	uint32_t type = f->st.mode & S_FMT;

	return f->has_st && (type == S_REG || type == S_DIR);
}

static void put_table_line(struct cmd *c, const struct open_file *f)
{
	struct lsof_opts *o = c->opts;
	const char *user = cmd_user_name(c, f->p->uid);
	struct buf fd = buf_in(c->arena);
	struct buf size = buf_in(c->arena);

	if (!o->begun)
		cmd_printf(
			c,
			"COMMAND     PID %sUSER       FD   TYPE DEVICE  SIZE/OFF     NODE NAME\n",
			o->parents ? " PPID " : "");
	o->begun = true;
	buf_printf(&fd, f->access != ' ' ? "%s%c" : "%s", f->fd, f->access);
	if (has_size(f))
		buf_put_u64(&size, f->st.size);
	else
		buf_puts(&size, "0t0");
	cmd_printf(c, "%-9.9s %5d ", f->p->name, f->p->pid);
	if (o->parents)
		cmd_printf(c, "%5d ", f->p->ppid);
	cmd_printf(c, "%-8.8s %4s %6s %6s %9s %8llu %s\n", user != NULL ? user : "?", buf_cstr(&fd),
		   f->has_st ? type_of(&f->st) : "unknown", "0,1", buf_cstr(&size),
		   f->has_st ? (unsigned long long)f->st.ino : 0ULL, f->name);
}

/* --- -F --- */

static void put_field(struct cmd *c, char letter, const char *format, ...)
{
	const struct lsof_opts *o = c->opts;
	struct buf text = buf_in(c->arena);
	va_list args;

	if (strchr(o->fields, letter) == NULL && letter != 'p')
		return;
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	cmd_putc(c, letter);
	cmd_bytes(c, buf_bytes(&text));
	cmd_putc(c, strchr(o->fields, '0') != NULL ? '\0' : '\n');
}

/* With -F0 the fields of a process and of each of its files end in a newline. */
static void end_fields(struct cmd *c)
{
	if (strchr(((const struct lsof_opts *)c->opts)->fields, '0') != NULL)
		cmd_putc(c, '\n');
}

static void put_process_fields(struct cmd *c, const struct cmd_proc *p)
{
	const char *user = cmd_user_name(c, p->uid);

	put_field(c, 'p', "%d", p->pid);
	put_field(c, 'g', "%d", p->pgid);
	put_field(c, 'R', "%d", p->ppid);
	put_field(c, 'c', "%s", p->name);
	put_field(c, 'u', "%u", p->uid);
	put_field(c, 'L', "%s", user != NULL ? user : "?");
	end_fields(c);
}

static void put_file_fields(struct cmd *c, const struct open_file *f)
{
	const char *fields = ((const struct lsof_opts *)c->opts)->fields;

	if (strpbrk(fields, "faltGDsoikn") == NULL)
		return;
	put_field(c, 'f', "%s", f->fd);
	put_field(c, 'a', "%c", f->access);
	put_field(c, 'l', " ");
	put_field(c, 't', "%s", f->has_st ? type_of(&f->st) : "unknown");
	if (f->access != ' ')
		put_field(c, 'G', "0x%x;0x0",
			  (f->access == 'r'   ? 0u
			   : f->access == 'w' ? 1u
					      : 2u) |
				  ((f->st.mode & S_FMT) == S_FIFO ? 0u : 0x8000u));
	put_field(c, 'D', "0x%x", 1);
	if (has_size(f))
		put_field(c, 's', "%llu", (unsigned long long)f->st.size);
	else
		put_field(c, 'o', "0t0");
	put_field(c, 'i', "%llu", f->has_st ? (unsigned long long)f->st.ino : 0ULL);
	put_field(c, 'k', "%llu", f->has_st ? (unsigned long long)f->st.nlink : 0ULL);
	put_field(c, 'n', "%s", f->name);
	end_fields(c);
}

/* --- files of a process --- */

/* What is shown of one process. */
struct subject {
	const struct cmd_proc *p;
	bool named; /* by an option: files that -d does not have, too, without -a */
	bool begun; /* its fields are written */
};

static bool wants_descriptor(const struct lsof_opts *o, const struct subject *s, const char *fd)
{
	return o->fds == NULL || (s->named && !o->and) || is_descriptor_listed(o->fds, fd);
}

/* One link below /proc/PID. False: it is not wanted. */
static bool put_file(struct cmd *c, struct subject *s, const char *link, const char *fd,
		     char access)
{
	struct lsof_opts *o = c->opts;
	struct buf path = buf_in(c->arena);
	struct bytes target;
	struct open_file f = { .p = s->p, .fd = fd, .access = access };

	buf_printf(&path, "/proc/%d/%s", s->p->pid, link);
	if (!wants_descriptor(o, s, fd) || cmd_readlink(c, CMD_CWD, buf_cstr(&path), &target) < 0)
		return false;
	f.name = arena_dup(c->arena, target);
	f.has_st = cmd_stat(c, buf_cstr(&path), &f.st) == 0;
	if (!wants_file(c, f.name, &f.st, f.has_st))
		return false;
	if (o->terse)
		return true;
	if (o->fields == NULL) {
		put_table_line(c, &f);
		return true;
	}
	if (!s->begun)
		put_process_fields(c, s->p);
	s->begun = true;
	put_file_fields(c, &f);
	return true;
}

static bool put_descriptors(struct cmd *c, struct subject *s)
{
	struct buf dir = buf_in(c->arena);
	struct vfs_dirent *list;
	bool any = false;
	size_t n;

	buf_printf(&dir, "/proc/%d/fd", s->p->pid);
	if (cmd_list(c, CMD_CWD, buf_cstr(&dir), c->arena, &list, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct buf link = buf_in(c->arena);
		struct buf path = buf_in(c->arena);
		struct vfs_stat st;

		buf_printf(&link, "fd/%s", list[i].name.ptr);
		buf_printf(&path, "/proc/%d/fd/%s", s->p->pid, list[i].name.ptr);
		uint32_t mode = cmd_lstat(c, buf_cstr(&path), &st) == 0 ? st.mode & 0600 : 0;

		any |= put_file(c, s, buf_cstr(&link), list[i].name.ptr,
				mode == 0600   ? 'u'
				: mode == 0400 ? 'r'
					       : 'w');
		cmd_charge(c, 4);
	}
	return any;
}

/* Whether there was something. */
static bool list_all(struct cmd *c)
{
	struct lsof_opts *o = c->opts;
	struct cmd_proc *list;
	size_t n = cmd_procs(c, &list);
	bool by_file = c->nargs > 0 || o->tree != NULL;
	bool any = false;

	if (o->internet)
		return false;
	o->begun = false;
	for (size_t i = 0; i < n; i++) {
		struct subject s = { .p = &list[i] };
		bool chosen = is_chosen(c, &list[i], by_file, &s.named);
		bool here = false;

		/* Without -a the files of -d are those of any process. */
		if (!chosen && s.named && o->fds != NULL && !o->and &&!by_file)
			s.named = false;
		else if (!chosen || (by_file && list[i].pid == cmd_pid(c)))
			continue;
		here |= put_file(c, &s, "cwd", "cwd", ' ');
		here |= put_file(c, &s, "root", "rtd", ' ');
		here |= put_file(c, &s, "exe", "txt", ' ');
		here |= put_descriptors(c, &s);
		if (o->terse && here)
			cmd_printf(c, "%d\n", list[i].pid);
		any |= here || (chosen && o->pids != NULL && !by_file);
	}
	return any;
}

/* What stands behind a listing that is not the last. */
static void put_marker(struct cmd *c)
{
	const struct lsof_opts *o = c->opts;
	struct buf text = buf_in(c->arena);

	if (o->fields != NULL)
		buf_putc(&text, 'm');
	if (o->marker != NULL) {
		int64_t seconds = cmd_now(c) / 1000000000;
		struct civil when;

		time_civil(zone_of_command(c), seconds, &when);
		time_format(&text, bytes_of(o->marker), &when, seconds, TIME_LIBC);
	} else if (o->fields == NULL) {
		buf_puts(&text, "=======");
	}
	cmd_printf(c, "%s\n", buf_cstr(&text));
	cmd_flush(c);
}

static int lsof_run(struct cmd *c)
{
	const struct lsof_opts *o = c->opts;
	struct arena_mark mark = arena_mark(c->arena);
	bool before = false;

	if (o->fields != NULL && o->terse)
		return cmd_error(c, 0, "-F and -t are mutually exclusive");
	if (o->seconds == 0)
		return list_all(c) ? 0 : 1;
	for (;;) {
		bool any = list_all(c);

		if (!any && o->while_any)
			return before ? 0 : 1;
		before |= any;
		put_marker(c);
		arena_release(c->arena, mark);
		cmd_sleep(c, (int64_t)o->seconds * 1000000000);
		cmd_charge(c, 16);
	}
}

const struct builtin builtin_lsof = {
	.name = "lsof",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes which files processes have open.",
	.run = lsof_run,
	.opts = lsof_options,
	.opts_size = sizeof(struct lsof_opts),
	.legacy = lsof_legacy,
	.family = "lsof 4.95.0",
};
