/* SPDX-License-Identifier: MIT
 *
 * ps - the processes of the session, in procps' three styles of options.
 *
 * Options are read here, not by the table: "-e" and "e" differ, "aux" needs no dash, and a
 * number is a process. The table only explains. No process has a terminal; options that choose
 * by terminal take all, as if there were one.
 * Each process has one thread (threads.c). Not here: namespaces.
 */
#include "builtins/ps/ps.h"

enum ps_by { BY_PID, BY_PPID, BY_NAME, BY_USER, BY_GROUP, BY_SID, BY_PGID, BY_TTY };

struct ps_match {
	enum ps_by by;
	int64_t id;
	const char *name;
};

struct ps {
	struct cmd *c;
	struct ps_view v;
	bool all;
	bool not_leaders;
	bool mine;
	bool negate;
	bool running;
	bool bsd; /* some option was in BSD's style */
	bool no_header;
	bool full;
	bool extra_full;
	bool forest;
	bool indent; /* -H: by blanks only */
	bool jobs;
	bool lines;    /* -l */
	bool no_flags; /* -y */
	bool threads;  /* -m */
	bool mac;      /* -M: with -o it shows threads */
	struct ps_shape shape;
	const char *bsd_format;
	bool format_given;
	struct ps_match *match;
	size_t nmatches;
	struct ps_key key[PS_KEYS_MAX];
	int nkeys;
	int64_t width; /* of lines; 0: no bound */
	bool width_given;
	int wide; /* -w, so many */
};

static const struct opt ps_options[] = {
	OPT_CALL('A', NULL, opt_ignored, "all processes"),
	OPT_CALL('e', NULL, opt_ignored, "the same"),
	OPT_CALL('f', NULL, opt_ignored, "full lines; -F: more of them"),
	OPT_CALL('l', NULL, opt_ignored, "long lines; -y: without flags"),
	OPT_CALL('j', NULL, opt_ignored, "groups and sessions"),
	OPT_CALL_ARG('o', "format", opt_ignored, "LIST", "columns: NAME[:WIDTH][=HEADER],..."),
	OPT_CALL_ARG('O', NULL, opt_ignored, "LIST", "these columns behind the first"),
	OPT_CALL_ARG('p', "pid", opt_ignored, "LIST", "processes by number"),
	OPT_CALL_ARG(0, "ppid", opt_ignored, "LIST", "children of these"),
	OPT_CALL_ARG('C', NULL, opt_ignored, "LIST", "processes by name"),
	OPT_CALL_ARG('u', "user", opt_ignored, "LIST", "processes of users (-U, --User: the same)"),
	OPT_CALL_ARG('G', "Group", opt_ignored, "LIST", "processes of groups"),
	OPT_CALL_ARG('g', "group", opt_ignored, "LIST", "sessions, or groups by name"),
	OPT_CALL_ARG('s', "sid", opt_ignored, "LIST", "sessions"),
	OPT_CALL_ARG('t', "tty", opt_ignored, "LIST", "terminals: no process has one"),
	OPT_CALL('N', "deselect", opt_ignored, "all but the chosen ones"),
	OPT_CALL('H', "forest", opt_ignored, "children below their parents"),
	OPT_CALL('L', NULL, opt_ignored, "a column LWP; -T: SPID"),
	OPT_CALL('m', NULL, opt_ignored, "a line of each thread below that of its process"),
	OPT_CALL('c', NULL, opt_ignored, "classes of scheduling"),
	OPT_CALL('M', NULL, opt_ignored, "a column of security labels (-Z: the same)"),
	OPT_CALL_ARG(0, "sort", opt_ignored, "LIST", "order: [+-]COLUMN,..."),
	OPT_CALL(0, "no-headers", opt_ignored, "no line of headers"),
	OPT_CALL_ARG(0, "cols", opt_ignored, "N", "cut lines after N characters"),
	OPT_CALL('w', NULL, opt_ignored, "lines of 132 columns, twice: of any width"),
	OPT_END(),
};

_Noreturn static void fail(struct ps *s, const char *format, const char *arg)
{
	struct buf text = buf_in(s->c->arena);

	buf_puts(&text, "error: ");
	buf_printf(&text, format, arg);
	buf_puts(&text, "\n\nUsage:\n ps [options]\n\n"
			" Try 'ps --help <simple|list|output|threads|misc|all>'\n"
			"  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\n"
			"For more details see ps(1).\n");
	cmd_err_write(s->c, text.ptr, text.len);
	cmd_exit(s->c, 1);
}

/* --- lists --- */

static void add_match(struct ps *s, struct ps_match m)
{
	s->match = arena_room(s->c->arena, s->match, s->nmatches, sizeof m);
	s->match[s->nmatches++] = m;
}

static int64_t id_of(struct ps *s, enum ps_by by, const char *text)
{
	uint64_t id;
	uint32_t a;
	uint32_t b;

	if (num_plain(text, &id) && id <= INT32_MAX)
		return (int64_t)id;
	if (by == BY_USER && cmd_user_id(s->c, text, &a, &b))
		return a;
	if (by == BY_GROUP && cmd_group_id(s->c, text, &a))
		return a;
	fail(s,
	     by == BY_USER    ? "user name does not exist"
	     : by == BY_GROUP ? "group name does not exist"
	     : by == BY_SID   ? "list of session leaders OR effective group IDs was invalid"
			      : "process ID list syntax error",
	     NULL);
}

/* Items are separated by commas or blanks. */
static void add_list(struct ps *s, enum ps_by by, const char *list)
{
	static const char *const what[] = {
		[BY_PID] = "process IDs must follow -p",
		[BY_PPID] = "process IDs must follow --ppid",
		[BY_NAME] = "command names must follow -C",
		[BY_USER] = "users must follow -u",
		[BY_GROUP] = "real groups must follow -G",
		[BY_SID] = "session leaders OR effective group names must follow -g",
		[BY_PGID] = "process groups must follow",
		[BY_TTY] = "terminals (pty, tty...) must follow -t",
	};

	if (list == NULL || *list == '\0')
		fail(s, "list of %s", what[by]);
	while (*list != '\0') {
		size_t len = strcspn(list, ", \t\n");
		char *item = arena_dup(s->c->arena, (struct bytes){ list, len });

		if (len == 0 && by != BY_NAME)
			fail(s, "process ID list syntax error", NULL);
		if (by == BY_NAME || by == BY_TTY)
			add_match(s, (struct ps_match){ by, 0, item });
		else
			add_match(s, (struct ps_match){ by, id_of(s, by, item), NULL });
		list += len + (list[len] != '\0');
		cmd_charge(s->c, 2);
	}
}

static void add_keys(struct ps *s, const char *list)
{
	while (*list != '\0') {
		size_t len = strcspn(list, ",");
		bool sign = *list == '-' || *list == '+';
		const struct ps_column *col = ps_column_find(
			(struct bytes){ list + sign, len - sign });

		if (col == NULL || s->nkeys == PS_KEYS_MAX)
			fail(s, "unknown sort specifier", NULL);
		s->key[s->nkeys++] = (struct ps_key){ col->kind, *list == '-' };
		list += len + (list[len] != '\0');
	}
}

/* --- columns --- */

static void add_field(struct ps *s, const char *name, const char *header)
{
	const struct ps_column *col = ps_column_find(bytes_of(name));

	if (s->v.nfields == PS_FIELDS_MAX)
		fail(s, "too many columns", NULL);
	s->v.field[s->v.nfields++] = (struct ps_field){ col, header != NULL ? header : col->header,
							col->width };
}

/* "pid,comm=NAME,user:12" */
static void add_format(struct ps *s, const char *list)
{
	s->format_given = true;
	if (list == NULL || *list == '\0')
		fail(s, "format specification must follow -o", NULL);
	while (*list != '\0') {
		size_t len = strcspn(list, ", \t\n");
		size_t name = 0;
		uint64_t width = 0;

		while (name < len && list[name] != ':' && list[name] != '=')
			name++;
		char *text = arena_dup(s->c->arena, (struct bytes){ list, name });

		if (len == 0)
			fail(s, "improper format list", NULL);
		if (ps_column_find(bytes_of(text)) == NULL)
			fail(s, "unknown user-defined format specifier \"%s\"", text);
		add_field(s, text, NULL);
		struct ps_field *f = &s->v.field[s->v.nfields - 1];

		list += name;
		len -= name;
		if (*list == ':') {
			size_t digits = strspn(list + 1, "0123456789");

			text = arena_dup(s->c->arena, (struct bytes){ list + 1, digits });
			if (!num_plain(text, &width) || width == 0 || width > 4096)
				fail(s, "bad width in format", NULL);
			f->width = (int)width;
			list += 1 + digits;
			len -= 1 + digits;
		}
		if (*list == '=') {
			f->header = arena_dup(s->c->arena, (struct bytes){ list + 1, len - 1 });
			if (width == 0 && (int)len - 1 > f->width)
				f->width = (int)len - 1;
			list += len;
		}
		list += *list != '\0';
	}
}

static void add_names(struct ps *s, const char *names)
{
	while (*names != '\0') {
		size_t len = strcspn(names, " ");

		add_field(s, arena_dup(s->c->arena, (struct bytes){ names, len }), NULL);
		names += len + (names[len] != '\0');
	}
}

static void default_format(struct ps *s)
{
	if (s->bsd_format != NULL) {
		add_names(s, s->bsd_format);
	} else if (s->lines) {
		add_names(s, s->no_flags ? "s" : "f s");
		add_field(s, s->full ? "user" : "uid", "UID");
		add_names(s, "pid ppid");
		add_names(s, s->jobs ? "pgid sid c" : "c");
		add_names(s, s->no_flags ? "opri ni rss sz wchan" : "opri ni addr_1 sz_1 wchan");
		if (s->extra_full)
			add_names(s, "rss psr");
		if (s->full)
			add_names(s, "stime");
		add_names(s, s->full ? "tname time cmd" : "tname time ucmd");
	} else if (s->full) {
		add_field(s, "user", "UID");
		add_names(s, "pid ppid");
		add_names(s, s->jobs ? "pgid sid c" : "c");
		if (s->extra_full)
			add_names(s, "sz rss psr");
		add_names(s, "stime tname time cmd");
	} else if (s->jobs) {
		add_names(s, "pid pgid sid tname time ucmd");
	} else {
		add_names(s, s->bsd ? "pid tname stat bsdtime args" : "pid tname time ucmd");
	}
}

/* -O LIST: behind the first column of the default. */
static void around_format(struct ps *s, const char *list)
{
	if (s->format_given)
		fail(s, "option -O can not follow other format options", NULL);
	if (list == NULL || *list == '\0')
		fail(s, "format or sort specification must follow -O", NULL);
	add_names(s, "pid");
	add_format(s, list);
	add_names(s, s->bsd ? "stat tname bsdtime args" : "s tname time command");
}

/* --- options --- */

struct words {
	struct ps *s;
	int at;
};

/* The argument of an option: what follows in the word, or the next word. */
static const char *argument(struct words *w, const char *rest)
{
	struct cmd *c = w->s->c;

	if (*rest != '\0')
		return rest;
	return w->at < c->nargs ? c->args[w->at++] : NULL;
}

enum { WIDTH_WIDE = 132 };

static void set_width(struct ps *s, const char *arg)
{
	uint64_t n;

	if (arg == NULL || !num_plain(arg, &n) || n == 0 || n > INT32_MAX)
		fail(s, "number of columns must follow --cols, --width, or --columns", NULL);
	s->width = n > 100000 ? 100000 : (int64_t)n;
	s->width_given = true;
}

/* Lines are cut where a terminal or COLUMNS says how wide they may be. */
static void default_width(struct ps *s)
{
	const char *columns = cmd_getenv(s->c, "COLUMNS");
	uint64_t n = 0;

	if (s->width_given || s->wide > 1)
		return;
	if (columns != NULL && num_plain(columns, &n) && n > 0 && n <= 100000)
		s->width = s->full ? (int64_t)n * 2 : (int64_t)n;
	else
		s->width = cmd_terminal_columns(s->c, 1);
	if (s->wide == 1 && s->width > 0 && s->width < WIDTH_WIDE)
		s->width = WIDTH_WIDE;
}

static void long_option(struct words *w, const char *text)
{
	static const struct {
		const char *name;
		enum ps_by by;
	} lists[] = {
		{ "pid", BY_PID },   { "ppid", BY_PPID },   { "user", BY_USER },
		{ "User", BY_USER }, { "Group", BY_GROUP }, { "group", BY_GROUP },
		{ "sid", BY_SID },   { "tty", BY_TTY },
	};
	struct ps *s = w->s;
	size_t len = strcspn(text, "=");
	struct bytes name = { text, len };
	const char *arg = text[len] == '=' ? text + len + 1 : NULL;

	if (bytes_starts(name, BYTES("no-head")) || bytes_starts(name, BYTES("nohead"))) {
		s->no_header = true;
		return;
	}
	if (bytes_is(name, "headers") || bytes_is(name, "cumulative"))
		return;
	if (bytes_is(name, "forest")) {
		s->forest = true;
		return;
	}
	if (bytes_is(name, "deselect")) {
		s->negate = true;
		return;
	}
	if (arg == NULL)
		arg = argument(w, "");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (bytes_is(name, lists[i].name)) {
			add_list(s, lists[i].by, arg);
			return;
		}
	}
	uint64_t n = 0;

	if (bytes_is(name, "sort") && (arg == NULL || *arg == '\0'))
		fail(s, "long sort specification must follow --sort", NULL);
	if (bytes_is(name, "sort"))
		add_keys(s, arg);
	else if (bytes_is(name, "format"))
		add_format(s, arg);
	else if (bytes_is(name, "cols") || bytes_is(name, "columns") || bytes_is(name, "width"))
		set_width(s, arg);
	else if (!bytes_is(name, "lines") && !bytes_is(name, "rows"))
		fail(s, "unknown gnu long option", NULL);
	else if (arg == NULL || !num_plain(arg, &n) || n == 0)
		fail(s, "number of rows must follow --rows or --lines", NULL);
}

/* One letter behind a dash; true: the rest of the word was its argument. */
static bool unix_letter(struct words *w, char letter, const char *rest)
{
	static const char letters[] = "pquUgGsCt";
	static const enum ps_by by[] = { BY_PID,   BY_PID, BY_USER, BY_USER, BY_SID,
					 BY_GROUP, BY_SID, BY_NAME, BY_TTY };
	struct ps *s = w->s;
	const char *hit = strchr(letters, letter);

	if (hit != NULL) {
		add_list(s, by[hit - letters], argument(w, rest));
		return true;
	}
	switch (letter) {
	case 'A':
	case 'e': s->all = true; break;
	case 'a':
	case 'd': s->not_leaders = true; break;
	case 'N': s->negate = true; break;
	case 'F': s->extra_full = true; /* fall through */
	case 'f': s->full = true; break;
	case 'l': s->lines = true; break;
	case 'y': s->no_flags = true; break;
	case 'j': s->jobs = true; break;
	case 'H': s->forest = s->indent = true; break;
	case 'n': break;
	case 'w': s->wide++; break;
	case 'L': s->shape.lwp = true; break;
	case 'T': s->shape.spid = true; break;
	case 'm': s->threads = true; break;
	case 'c': s->shape.classes = true; break;
	case 'M': s->mac = s->shape.label = true; break;
	case 'Z': s->shape.label = true; break;
	case 'o': add_format(s, argument(w, rest)); return true;
	case 'O': around_format(s, argument(w, rest)); return true;
	case 'x': s->bsd = s->mine = true; break;
	case 'V': cmd_puts(s->c, "ps from procps-ng 4.0.2\n"); cmd_exit(s->c, 0);
	default: fail(s, "unsupported SysV option", NULL);
	}
	return false;
}

static bool bsd_letter(struct words *w, char letter, const char *rest)
{
	struct ps *s = w->s;

	s->bsd = true;
	if (strchr("ujlvs", letter) != NULL && s->bsd_format != NULL)
		fail(s, "conflicting format options", NULL);
	switch (letter) {
	case 'a': s->all = true; break;
	case 'x': s->mine = true; break;
	case 'u':
		s->bsd_format = "user pid %cpu %mem vsz rss tname stat start_time bsdtime args";
		break;
	case 'j': s->bsd_format = "ppid pid pgid sid tname tpgid stat uid bsdtime args"; break;
	case 'l':
		s->bsd_format = "f uid pid ppid pri ni vsz rss wchan stat tname bsdtime args";
		break;
	case 'v': s->bsd_format = "pid tname stat bsdtime maj_flt trs drs rss %mem args"; break;
	case 's':
		s->bsd_format = "uid pid pending blocked ignored caught stat tname bsdtime args";
		break;
	case 'f': s->forest = true; break;
	case 'h': s->no_header = true; break;
	case 'r': s->running = true; break;
	case 'c': s->v.command_short = true; break;
	case 'm': s->threads = true; break;
	case 'Z': s->shape.label = true; break;
	case 'H':
	case 'e':
	case 'g':
	case 'n':
	case 'S':
	case 'T': break;
	case 'w': s->wide++; break;
	case 'L': ps_put_columns(s->c); cmd_exit(s->c, 0);
	case 'o': add_format(s, argument(w, rest)); return true;
	case 'O': around_format(s, argument(w, rest)); return true;
	case 'k': add_keys(s, argument(w, rest)); return true;
	case 'p': add_list(s, BY_PID, argument(w, rest)); return true;
	case 'U': add_list(s, BY_USER, argument(w, rest)); return true;
	case 't': add_list(s, BY_TTY, argument(w, rest)); return true;
	default: fail(s, "unsupported option (BSD syntax)", NULL);
	}
	return false;
}

static void parse(struct ps *s)
{
	struct words w = { s, 0 };

	while (w.at < s->c->nargs) {
		const char *word = s->c->args[w.at++];

		if (word[0] == '-' && word[1] == '-') {
			long_option(&w, word + 2);
		} else if (word[0] == '-') {
			for (const char *at = word + 1; *at != '\0'; at++)
				if (unix_letter(&w, *at, at + 1))
					break;
		} else if (byte_is_digit(word[0])) {
			add_list(s, BY_PID, word);
		} else {
			for (const char *at = word; *at != '\0'; at++)
				if (bsd_letter(&w, *at, at + 1))
					break;
		}
	}
}

/* --- choosing --- */

static bool matches(const struct ps_match *m, const struct cmd_proc *p)
{
	switch (m->by) {
	case BY_PID: return p->pid == m->id;
	case BY_PPID: return p->ppid == m->id;
	case BY_NAME: return strncmp(p->name, m->name, 15) == 0;
	case BY_USER: return p->uid == m->id;
	case BY_GROUP: return p->gid == m->id;
	case BY_SID: return p->sid == m->id;
	case BY_PGID: return p->pgid == m->id;
	case BY_TTY: return strcmp(m->name, "?") == 0 || strcmp(m->name, "-") == 0;
	}
	return false;
}

static bool chosen(const struct ps *s, const struct cmd_proc *p)
{
	bool yes = s->all || (s->not_leaders && p->pid != p->sid);

	if (s->running && p->state != 'R')
		return false;
	for (size_t i = 0; i < s->nmatches && !yes; i++)
		yes = matches(&s->match[i], p);
	if ((s->mine || (s->nmatches == 0 && !s->all && !s->not_leaders)) &&
	    p->uid == cmd_uid(s->c))
		yes = true;
	return yes != s->negate;
}

/* --- trees --- */

struct tree {
	struct cmd_proc *out;
	const char **prefix;
	size_t n;
};

/* A process and what is below it. Depth is bounded by the number of processes, the stack is
 * not: so levels are kept in a list. */
static void order_forest(struct ps *s, struct cmd_proc *list, size_t n, struct tree *t)
{
	bool *done = arena_array(s->c->arena, n + 1, sizeof *done);
	size_t *stack = arena_array(s->c->arena, n + 1, sizeof *stack);

	t->out = arena_array(s->c->arena, n + 1, sizeof *t->out);
	t->prefix = arena_array(s->c->arena, n + 1, sizeof *t->prefix);
	for (size_t root = 0; root < n; root++) {
		bool has_parent = false;
		size_t depth = 0;

		for (size_t i = 0; i < n; i++)
			has_parent |= i != root && list[i].pid == list[root].ppid;
		cmd_charge(s->c, n / 16 + 1);
		if (done[root] || has_parent)
			continue;
		stack[depth++] = root;
		while (depth > 0) {
			size_t at = stack[depth - 1];

			if (!done[at]) {
				struct buf text = buf_in(s->c->arena);

				for (size_t d = 2; d < depth; d++)
					buf_puts(&text, s->indent ? "  " : "    ");
				if (depth > 1)
					buf_puts(&text, s->indent ? "  " : " \\_ ");
				done[at] = true;
				t->out[t->n] = list[at];
				t->prefix[t->n++] = buf_cstr(&text);
			}
			size_t next = 0;

			while (next < n && (done[next] || list[next].ppid != list[at].pid))
				next++;
			if (next < n)
				stack[depth++] = next;
			else
				depth--;
			cmd_charge(s->c, n / 16 + 1);
		}
	}
}

/* --- lines --- */

/* Columns begin where they should as soon as what is left of them leaves room again. */
struct line {
	struct buf text;
	int64_t correct;
	int64_t actual;
};

static void put_cell(struct line *l, const struct ps_field *f, struct bytes text)
{
	int64_t len = (int64_t)text.len;
	int64_t pad = f->column->right && len < f->width ? f->width - len : 0;
	int64_t space = l->correct - l->actual + pad;

	if (space < 1 && l->actual > 0)
		space = 1;
	for (int64_t i = 0; i < space; i++)
		buf_putc(&l->text, ' ');
	buf_add(&l->text, text);
	l->actual += (space > 0 ? space : 0) + len;
	l->correct += f->width + 1;
}

static void end_line(struct ps *s, struct line *l)
{
	size_t len = l->text.len;

	if (s->width > 0 && len > (size_t)s->width)
		len = (size_t)s->width;
	cmd_write(s->c, l->text.ptr, len);
	cmd_putc(s->c, '\n');
}

static bool is_command(enum ps_kind kind)
{
	return kind == PS_COMM || kind == PS_ARGS || kind == PS_EXE;
}

static void put_header(struct ps *s)
{
	struct line l = { .text = buf_in(s->c->arena) };
	bool any = false;

	for (int i = 0; i < s->v.nfields; i++)
		any |= s->v.field[i].header[0] != '\0';
	if (s->no_header || !any)
		return;
	for (int i = 0; i < s->v.nfields; i++)
		put_cell(&l, &s->v.field[i], bytes_of(s->v.field[i].header));
	end_line(s, &l);
}

/* What does not fit is cut; names of people end in a plus then. */
static void fit(const struct ps_field *f, struct buf *text)
{
	enum ps_kind kind = f->column->kind;

	if (text->len <= (size_t)f->width || f->column->right)
		return;
	text->len = (size_t)f->width;
	if (kind == PS_USER || kind == PS_GROUP)
		text->ptr[text->len - 1] = '+';
}

static void put_line(struct ps *s, const struct cmd_proc *p, const char *prefix, enum ps_side side)
{
	struct arena_mark mark = arena_mark(s->c->arena);
	struct line l = { .text = buf_in(s->c->arena) };

	for (int i = 0; i < s->v.nfields; i++) {
		const struct ps_field *f = &s->v.field[i];
		struct buf text = buf_in(s->c->arena);
		bool last = i == s->v.nfields - 1;

		if (ps_hides(f->column, side)) {
			put_cell(&l, f, BYTES("-"));
			continue;
		}
		if (is_command(f->column->kind))
			buf_puts(&text, prefix);
		ps_put_value(&s->v, f->column->kind, p, &text);
		if (!last || !is_command(f->column->kind))
			fit(f, &text);
		put_cell(&l, f, buf_bytes(&text));
	}
	end_line(s, &l);
	cmd_charge_bytes(s->c, l.text.len + 64);
	arena_release(s->c->arena, mark);
}

static void put_process(struct ps *s, const struct cmd_proc *p, const char *prefix)
{
	put_line(s, p, prefix, s->threads ? PS_PROCESS : PS_WHOLE);
	if (s->threads)
		put_line(s, p, prefix, PS_THREAD);
}

/* Options that are about columns and do not go together. */
static void check_columns(struct ps *s)
{
	const struct ps_shape *shape = &s->shape;
	bool modified = s->jobs || s->no_flags || (shape->label && !s->mac) ||
			(s->mac && s->threads);
	bool bsd = s->bsd_format != NULL;

	if (shape->lwp && shape->spid)
		fail(s, "thread flags conflict; can't use both -L and -T", NULL);
	if (s->format_given ? s->extra_full || s->lines || bsd : bsd && (s->full || s->lines))
		fail(s, "conflicting format options", NULL);
	if (s->format_given && modified)
		fail(s, "can not use output modifiers with user-defined output", NULL);
	if (s->no_flags && !s->lines)
		fail(s, "modifier -y without format -l makes no sense", NULL);
	if (!s->format_given && shape->classes && (s->bsd || bsd))
		fail(s, "-c works with no BSD format", NULL);
}

/* The usual columns, and what is added to them. */
static void choose_columns(struct ps *s)
{
	check_columns(s);
	if (s->format_given) {
		s->threads |= s->mac;
		return;
	}
	default_format(s);
	s->shape.full = s->full;
	ps_add_shape(&s->v, &s->shape);
}

static int ps_run(struct cmd *c)
{
	struct ps *s = arena_zalloc(c->arena, sizeof *s);
	struct cmd_usage_totals totals;
	struct cmd_proc *list;
	struct tree t = { .n = 0 };
	size_t n = 0;

	s->c = c;
	s->v.c = c;
	s->v.zone = zone_of_command(c);
	s->v.now_ns = cmd_now(c);
	cmd_totals(c, &totals);
	s->v.memory_total = totals.memory_total;
	parse(s);
	default_width(s);
	choose_columns(s);
	size_t all = cmd_procs(c, &list);

	for (size_t i = 0; i < all; i++)
		if (chosen(s, &list[i]))
			list[n++] = list[i];
	ps_sort(&s->v, s->key, s->nkeys, list, n);
	if (s->forest) {
		order_forest(s, list, n, &t);
		list = t.out;
	}
	put_header(s);
	for (size_t i = 0; i < n; i++)
		put_process(s, &list[i], s->forest ? t.prefix[i] : "");
	return n == 0 ? 1 : 0;
}

const struct builtin builtin_ps = {
	.name = "ps",
	.usage = "[OPTION]...",
	.summary = "Lists processes: ps, ps aux, ps -ef, ps -o pid,comm.",
	.run = ps_run,
	.opts = ps_options,
	.flags = BUILTIN_RAW_HELP,
	.family = "procps-ng 4.0.2",
};
