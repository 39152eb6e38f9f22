/* SPDX-License-Identifier: MIT
 *
 * lsof - open files of processes, from /proc. Sockets are in lsof_inet.c.
 */
#include "base/regex.h"
#include "base/time.h"
#include "builtins/lsof.h"
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
	struct lsof_sockets sockets; /* and what -i asks for of them */
	uint64_t seconds;            /* -r: between listings; 0: there is one */
	bool while_any;              /* +r: up to the first that is empty */
	const char *marker;          /* of -r, formatted with the time; NULL: the usual one */
	bool numbers;                /* -l: of users instead of names */
	/* state */
	struct open_file *rows; /* of the table */
	size_t nrows;
	struct regex *re; /* of -c /RE/ */
};

static const char field_letters[] = "pgRcuLfaltGDsoikPn0";

static int set_fields(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct lsof_opts *o = c->opts;

	(void)opt;
	o->fields = arg != NULL ? arg : "pgRcuLfaltGDsoikPn";
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
			    "\t P    protocol name\n"
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

static int add_address(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct lsof_opts *o = c->opts;

	(void)opt;
	return lsof_add_filter(c, &o->sockets, arg != NULL ? arg : "");
}

static int set_states(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct lsof_opts *o = c->opts;

	(void)opt;
	return lsof_set_states(c, &o->sockets, arg);
}

static const struct opt lsof_options[] = {
	OPT_STR('p', NULL, struct lsof_opts, pids, NULL, "PID,...",
		"of these processes; ^PID: not of it"),
	OPT_STR('c', NULL, struct lsof_opts, command, NULL, "NAME",
		"of programs whose name begins so; ^NAME: of others; /RE/"),
	OPT_STR('u', NULL, struct lsof_opts, user, NULL, "USER,...",
		"of processes of users; ^USER: not of them"),
	OPT_STR('D', NULL, struct lsof_opts, tree, NULL, "DIR", "below a directory: +D DIR"),
	OPT_FLAG('a', NULL, struct lsof_opts, and, "all that was asked for, not any of it"),
	OPT_FLAG('t', NULL, struct lsof_opts, terse, "only the numbers of processes"),
	OPT_CALL_OPTIONAL('i', NULL, add_address, "ADDRESS",
			  "sockets of a network: [46][tcp|udp][@HOST][:PORT,...]"),
	OPT_FLAG('n', NULL, struct lsof_opts, sockets.numeric, "addresses as numbers"),
	OPT_CALL_ARG('s', NULL, set_states, "TCP:STATE,...",
		     "-i: of these states; ^: of none of them"),
	OPT_IGNORED('P', NULL, "no effect"),
	OPT_FLAG('l', NULL, struct lsof_opts, numbers, "numbers of users instead of names"),
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

/* -i, maybe behind flags, with its address as an argument of its own. */
static bool is_address_next(int argc, char **argv, int i)
{
	size_t n = strlen(argv[i]);

	return argv[i][0] == '-' && n >= 2 && argv[i][n - 1] == 'i' &&
	       strspn(argv[i] + 1, "antPlw") == n - 2 && i + 1 < argc && argv[i + 1][0] != '\0' &&
	       strchr(":@46tTuU", argv[i + 1][0]) != NULL;
}

/* +D DIR, +d DIR, -i ADDRESS, -F FIELDS, -r. */
static int lsof_legacy(struct cmd *c, int argc, char **argv, int i)
{
	struct lsof_opts *o = c->opts;

	if (is_address_next(argc, argv, i)) {
		if (lsof_add_filter(c, &o->sockets, argv[i + 1]) != 0)
			cmd_exit(c, 1);
		for (const char *at = argv[i] + 1; *at != '\0'; at++) {
			o->terse |= *at == 't';
			o->and |= *at == 'a';
			o->sockets.numeric |= *at == 'n';
		}
		return 2;
	}
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

/* --- lists --- */

static uint64_t pid_of(struct cmd *c, const char *item)
{
	uint64_t pid;

	if (!num_plain(item, &pid) || pid > INT32_MAX)
		cmd_exit(c, cmd_usage(c, "illegal process ID: %s",
				      ((const struct lsof_opts *)c->opts)->pids));
	return pid;
}

static uint64_t uid_of(struct cmd *c, const char *item)
{
	uint64_t id;
	uint32_t uid;
	uint32_t gid;

	if (num_plain(item, &id) && id <= UINT32_MAX)
		return id;
	if (!cmd_user_id(c, item, &uid, &gid))
		cmd_exit(c, cmd_usage(c, "can't get UID for %s", item));
	return uid;
}

enum listing { LISTED, NOT_LISTED, EXCLUDED };

/* Items with ^ exclude; where there are no others, the rest is listed. */
static enum listing look_up(struct cmd *c, const char *list, uint64_t number,
			    uint64_t (*read)(struct cmd *c, const char *item))
{
	bool positive = false;
	bool found = false;

	while (*list != '\0') {
		size_t len = strcspn(list, ",");
		bool excludes = *list == '^';
		const char *item = arena_dup(c->arena,
					     (struct bytes){ list + excludes, len - excludes });
		bool same = len > 0 && read(c, item) == number;

		if (same && excludes)
			return EXCLUDED;
		found |= same;
		positive |= !excludes;
		list += len + (list[len] != '\0');
		cmd_charge(c, 2);
	}
	return found || !positive ? LISTED : NOT_LISTED;
}

static bool is_command(const struct lsof_opts *o, const char *name)
{
	const char *wanted = o->command;
	bool excludes = *wanted == '^';
	struct regex_span span;

	if (o->re != NULL)
		return regex_search(o->re, bytes_of(name), 0, 0, &span, 1) == 0;
	return (strncmp(name, wanted + excludes, strlen(wanted + excludes)) == 0) != excludes;
}

/* Whether a process is asked for: by any of the options, or by all of them. named: there are such
 * options. */
static bool is_chosen(struct cmd *c, const struct cmd_proc *p, bool by_file, bool *named)
{
	const struct lsof_opts *o = c->opts;
	enum listing by_pid = LISTED;
	enum listing by_user = LISTED;
	int asked = 0;
	int yes = 0;

	if (o->pids != NULL && *o->pids != '\0') {
		by_pid = look_up(c, o->pids, (uint64_t)p->pid, pid_of);
		asked++;
		yes += by_pid == LISTED;
	}
	if (o->command != NULL && *o->command != '\0') {
		asked++;
		yes += is_command(o, p->name);
	}
	if (o->user != NULL) {
		by_user = look_up(c, o->user, p->uid, uid_of);
		asked++;
		yes += by_user == LISTED;
	}
	*named = asked > 0;
	if (by_pid == EXCLUDED || by_user == EXCLUDED)
		return false;
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

static const char *type_of_mode(const struct vfs_stat *st)
{
	switch (st->mode & S_FMT) {
	case S_REG: return "REG";
	case S_DIR: return "DIR";
	case S_CHR: return "CHR";
	case S_FIFO: return "FIFO";
	case S_SOCK: return "sock";
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
	const struct lsof_socket *socket; /* NULL: it is none of a network */
};

static const char *type_of(const struct open_file *f)
{
	if (f->socket != NULL)
		return f->socket->six ? "IPv6" : "IPv4";
	return f->has_st ? type_of_mode(&f->st) : "unknown";
}

static bool has_size(const struct open_file *f)
{
	uint32_t type = f->st.mode & S_FMT;

	return f->has_st && (type == S_REG || type == S_DIR);
}

static const char *user_of(struct cmd *c, const struct cmd_proc *p)
{
	const struct lsof_opts *o = c->opts;
	const char *name = o->numbers ? NULL : cmd_user_name(c, p->uid);
	struct buf text = buf_in(c->arena);

	if (name == NULL)
		buf_printf(&text, "%u", p->uid);
	else
		buf_printf(&text, "%.*s", 8, name);
	return buf_cstr(&text);
}

enum {
	CELL_COMMAND,
	CELL_PID,
	CELL_PPID,
	CELL_USER,
	CELL_TYPE,
	CELL_DEVICE,
	CELL_SIZE,
	CELL_NODE,
	CELLS
};

static void fill_cells(struct cmd *c, const struct open_file *f, struct buf cell[CELLS])
{
	for (int i = 0; i < CELLS; i++)
		cell[i] = buf_in(c->arena);
	buf_printf(&cell[CELL_COMMAND], "%.*s", 9, f->p->name);
	buf_put_i64(&cell[CELL_PID], f->p->pid);
	buf_put_i64(&cell[CELL_PPID], f->p->ppid);
	buf_puts(&cell[CELL_USER], user_of(c, f->p));
	buf_puts(&cell[CELL_TYPE], type_of(f));
	if (f->socket != NULL)
		buf_put_u64(&cell[CELL_DEVICE], f->socket->inode);
	else if (f->has_st && (f->st.mode & S_FMT) == S_CHR)
		buf_printf(&cell[CELL_DEVICE], "%u,%u", (unsigned)(f->st.rdev >> 8),
			   (unsigned)(f->st.rdev & 0xff));
	else
		buf_puts(&cell[CELL_DEVICE], "0,1");
	if (f->socket == NULL && has_size(f))
		buf_put_u64(&cell[CELL_SIZE], f->st.size);
	else
		buf_puts(&cell[CELL_SIZE], "0t0");
	if (f->socket != NULL)
		buf_puts(&cell[CELL_NODE], f->socket->udp ? "UDP" : "TCP");
	else
		buf_put_u64(&cell[CELL_NODE], f->has_st ? f->st.ino : 0);
}

static void put_right(struct buf *out, size_t width, struct bytes text)
{
	for (size_t n = text.len; n < width; n++)
		buf_putc(out, ' ');
	buf_add(out, text);
	buf_putc(out, ' ');
}

static void put_row(struct cmd *c, const size_t width[CELLS], struct bytes cell[CELLS],
		    const char *fd, const char *name)
{
	const struct lsof_opts *o = c->opts;
	struct buf line = buf_in(c->arena);

	buf_add(&line, cell[CELL_COMMAND]);
	while (line.len <= width[CELL_COMMAND])
		buf_putc(&line, ' ');
	put_right(&line, width[CELL_PID], cell[CELL_PID]);
	if (o->parents)
		put_right(&line, width[CELL_PPID], cell[CELL_PPID]);
	put_right(&line, width[CELL_USER], cell[CELL_USER]);
	buf_printf(&line, "%s ", fd);
	put_right(&line, width[CELL_TYPE], cell[CELL_TYPE]);
	put_right(&line, width[CELL_DEVICE], cell[CELL_DEVICE]);
	put_right(&line, width[CELL_SIZE], cell[CELL_SIZE]);
	put_right(&line, width[CELL_NODE], cell[CELL_NODE]);
	buf_printf(&line, "%s\n", name);
	cmd_bytes(c, buf_bytes(&line));
	cmd_charge_bytes(c, line.len);
}

/* Columns are as wide as what is in them; a descriptor has four places and two letters. */
static void put_table(struct cmd *c)
{
	struct lsof_opts *o = c->opts;
	struct bytes head[CELLS] = { BYTES("COMMAND"),  BYTES("PID"),  BYTES("PPID"),
				     BYTES("USER"),     BYTES("TYPE"), BYTES("DEVICE"),
				     BYTES("SIZE/OFF"), BYTES("NODE") };
	struct buf cell[CELLS];
	struct bytes text[CELLS];
	size_t width[CELLS];

	for (int i = 0; i < CELLS; i++)
		width[i] = head[i].len;
	for (size_t r = 0; r < o->nrows; r++) {
		struct arena_mark mark = arena_mark(c->arena);

		fill_cells(c, &o->rows[r], cell);
		for (int i = 0; i < CELLS; i++)
			width[i] = cell[i].len > width[i] ? cell[i].len : width[i];
		arena_release(c->arena, mark);
	}
	if (o->nrows > 0)
		put_row(c, width, head, "  FD  ", "NAME");
	for (size_t r = 0; r < o->nrows; r++) {
		const struct open_file *f = &o->rows[r];
		struct arena_mark mark = arena_mark(c->arena);
		struct buf fd = buf_in(c->arena);

		fill_cells(c, f, cell);
		for (int i = 0; i < CELLS; i++)
			text[i] = buf_bytes(&cell[i]);
		buf_printf(&fd, "%4s%c ", f->fd, f->access);
		put_row(c, width, text, buf_cstr(&fd), f->name);
		arena_release(c->arena, mark);
	}
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

	if (strpbrk(fields, "faltGDsoikPn") == NULL)
		return;
	put_field(c, 'f', "%s", f->fd);
	put_field(c, 'a', "%c", f->access);
	put_field(c, 'l', " ");
	put_field(c, 't', "%s", type_of(f));
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
	if (f->socket != NULL)
		put_field(c, 'P', f->socket->udp ? "UDP" : "TCP");
	put_field(c, 'n', "%s", f->name);
	end_fields(c);
}

/* --- files of a process --- */

/* What is shown of one process. */
struct subject {
	const struct cmd_proc *p;
	bool named;     /* by an option: files that -d does not have, too, without -a */
	bool begun;     /* its fields are written */
	bool by_socket; /* only sockets that -i asks for */
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
	f.socket = lsof_find_socket(&o->sockets, f.name);
	if (s->by_socket && (f.socket == NULL || !lsof_wants_socket(&o->sockets, f.socket)))
		return false;
	if (f.socket != NULL)
		f.name = lsof_socket_name(c, &o->sockets, f.socket);
	if (!wants_file(c, f.name, &f.st, f.has_st))
		return false;
	if (o->terse)
		return true;
	if (o->fields == NULL) {
		o->rows = arena_room(c->arena, o->rows, o->nrows, sizeof f);
		o->rows[o->nrows++] = f;
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

	o->rows = NULL;
	o->nrows = 0;
	lsof_read_sockets(c, &o->sockets);
	for (size_t i = 0; i < n; i++) {
		struct subject s = { .p = &list[i] };
		bool chosen = is_chosen(c, &list[i], by_file, &s.named);
		bool here = false;

		if (o->sockets.nfilters != 0) {
			/* Without -a also all files of a process that is asked for. */
			s.by_socket = o->and || !s.named || !chosen;
			if (o->and &&!chosen)
				continue;
			chosen = true;
		}
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
	put_table(c);
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

/* Names must be those of files; how many are left. */
static int check_names(struct cmd *c)
{
	struct lsof_opts *o = c->opts;
	struct vfs_stat st;
	char *path;
	int n = 0;
	int err;

	for (int i = 0; i < c->nargs; i++) {
		err = cmd_stat(c, c->args[i], &st);
		if (err == 0)
			c->args[n++] = c->args[i];
		else
			cmd_error(c, 0, "status error on %s: %s", c->args[i], err_text(err));
	}
	c->nargs = n;
	if (o->tree == NULL)
		return n;
	err = cmd_canonical(c, o->tree, CANON_EXISTING, &path);
	if (err == 0)
		o->tree = strcmp(path, "/") == 0 ? "" : path;
	else
		cmd_exit(c, cmd_error(c, 0, "status error on %s: %s", o->tree, err_text(err)));
	return n + 1;
}

/* -c /RE/ */
static void compile(struct cmd *c)
{
	struct lsof_opts *o = c->opts;
	size_t len = o->command != NULL ? strlen(o->command) : 0;
	const char *message;
	size_t offset;

	if (len < 2 || o->command[0] != '/' || o->command[len - 1] != '/')
		return;
	if (regex_compile(c->arena, (struct bytes){ o->command + 1, len - 2 }, REGEX_BRE, &o->re,
			  &message, &offset) != 0)
		cmd_exit(c, cmd_error(c, 0, "regexp error: %s: %s", o->command, message));
	regex_set_work(o->re, cmd_work, c);
}

static int lsof_run(struct cmd *c)
{
	const struct lsof_opts *o = c->opts;
	struct arena_mark mark;
	bool before = false;
	bool by_name = c->nargs > 0 || o->tree != NULL;

	compile(c);
	if (by_name && check_names(c) == 0)
		return 1;
	mark = arena_mark(c->arena);
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
