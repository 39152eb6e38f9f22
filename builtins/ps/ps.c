/* SPDX-License-Identifier: MIT
 *
 * ps - the processes of the session, in procps' three styles of options.
 *
 * Options are read in options.c, not by the table: "-e" and "e" differ, "aux" needs no dash, and
 * a number is a process. The table only explains. Each process has one thread.
 */
#include "builtins/ps/private.h"

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

_Noreturn static void fail(struct cmd *c, const char *wrong)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "error: %s\n\nUsage:\n ps [options]\n\n", wrong);
	buf_puts(&text, " Try 'ps --help <simple|list|output|threads|misc|all>'\n"
			"  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\n"
			"For more details see ps(1).\n");
	cmd_err_write(c, text.ptr, text.len);
	cmd_exit(c, 1);
}

/* --- what goes together --- */

static const char *check_threads(const struct ps_options *o)
{
	bool below = o->threads_below || o->threads_below_bsd;

	if (o->forest != FOREST_NONE && (o->lwp || o->spid || below || o->threads_alone))
		return "thread display conflicts with forest display";
	if (o->threads_alone && below)
		return "thread flags conflict; can't use H with m or -m";
	if (o->threads_below && o->threads_below_bsd)
		return "thread flags conflict; can't use both m and -m";
	if (o->lwp && o->spid)
		return "thread flags conflict; can't use both -L and -T";
	return NULL;
}

static const char *check_selection(const struct ps_options *o)
{
	if ((o->with_tty || o->not_leaders) && (o->others || o->without_tty || o->leaders))
		return "process selection options conflict";
	return NULL;
}

static const char *read_all(struct ps *s, bool again)
{
	const char *wrong = ps_read_words(s, again);

	if (wrong == NULL)
		wrong = check_threads(&s->o);
	if (wrong == NULL)
		wrong = ps_read_lists(s);
	if (wrong == NULL)
		wrong = ps_choose_columns(s);
	return wrong != NULL ? wrong : check_selection(&s->o);
}

/* -q reads what it is told to, and nothing else. */
static void check_quick(const struct ps *s)
{
	const struct ps_options *o = &s->o;
	const char *wrong = NULL;

	if (o->nquick == 0)
		return;
	if (o->quick_twice)
		wrong = "q/-q/--quick-pid can only be used once.\n";
	else if (o->nmatches != 0)
		wrong = "q/-q/--quick-pid cannot be combined with other selection options.\n";
	else if (o->forest != FOREST_NONE)
		wrong = "q/-q/--quick-pid cannot be used together with forest type listings.\n";
	else if (s->nkeys != 0)
		wrong = "q/-q,--quick-pid cannot be used together with sort options.\n";
	else if (o->negate)
		wrong = "q/-q/--quick-pid cannot be used together with negation switches.\n";
	if (wrong == NULL)
		return;
	cmd_err_write(s->c, wrong, strlen(wrong));
	cmd_exit(s->c, 1);
}

/* --- trees --- */

/* A process and what is below it. Depth is bounded by the number of processes, the stack is
 * not: so levels are kept in a list. */
struct level {
	size_t at;   /* the process */
	size_t next; /* its next child, or the number of processes */
};

struct tree {
	struct ps *s;
	const struct cmd_proc *list;
	size_t n;
	struct level *level;
	size_t depth;
	struct cmd_proc *out;
	const char **prefix;
	size_t nout;
};

static size_t next_child(const struct tree *t, size_t parent, size_t from)
{
	while (from < t->n && (t->list[from].ppid != t->list[parent].pid || from == parent))
		from++;
	cmd_charge(t->s->c, t->n / 16 + 1);
	return from;
}

static void push(struct tree *t, size_t at)
{
	t->level[t->depth++] = (struct level){ at, next_child(t, at, 0) };
}

/* What stands before a command: in trees that are drawn the children of process 1 begin anew. */
static const char *prefix_of(const struct tree *t)
{
	struct buf text = buf_in(t->s->c->arena);
	bool drawn = t->s->o.forest == FOREST_TREE;
	size_t base = drawn && t->list[t->level[0].at].pid == 1 ? 2 : 1;

	for (size_t d = base; d + 1 < t->depth; d++)
		buf_puts(&text, !drawn ? "  " : t->level[d - 1].next < t->n ? " |  " : "    ");
	if (t->depth > base)
		buf_puts(&text, drawn ? " \\_ " : "  ");
	cmd_charge_bytes(t->s->c, text.len);
	return buf_cstr(&text);
}

static void take_tree(struct tree *t, size_t root)
{
	push(t, root);
	t->prefix[t->nout] = "";
	t->out[t->nout++] = t->list[root];
	while (t->depth > 0) {
		struct level *top = &t->level[t->depth - 1];
		size_t child = top->next;

		if (child == t->n) {
			t->depth--;
			continue;
		}
		top->next = next_child(t, top->at, child + 1);
		push(t, child);
		t->prefix[t->nout] = prefix_of(t);
		t->out[t->nout++] = t->list[child];
	}
}

/* Children are in order, below their parents; those without one that is shown begin trees of
 * their own, the last first. */
static void order_forest(struct ps *s, struct tree *t, struct cmd_proc *list, size_t n)
{
	static const struct ps_key by_parent[] = { { PS_PPID, false }, { PS_PID, false } };
	struct arena *a = s->c->arena;

	if (s->nkeys == 0)
		ps_sort(&s->v, by_parent, 2, list, n);
	*t = (struct tree){ .s = s, .list = list, .n = n };
	t->level = arena_array(a, n + 1, sizeof *t->level);
	t->out = arena_array(a, n + 1, sizeof *t->out);
	t->prefix = arena_array(a, n + 1, sizeof *t->prefix);
	for (size_t root = n; root-- > 0;) {
		bool has_parent = false;

		for (size_t i = 0; i < n; i++)
			has_parent |= i != root && list[i].pid == list[root].ppid;
		cmd_charge(s->c, n / 16 + 1);
		if (!has_parent)
			take_tree(t, root);
	}
}

/* --- lines --- */

/* Columns begin where they should as soon as what is left of them leaves room again. */
struct line {
	struct buf text;
	int64_t correct;
	int64_t actual;
	bool joined; /* behind a literal no blank is needed */
};

/* With -m a process has two lines: its own, and that of its thread. */
enum side { WHOLE, PROCESS, THREAD };

enum { MASK_NARROW = 9, COMMAND_SEEN = 3 };

static bool is_endless(const struct ps_column *col)
{
	return col->kind == PS_COMM || col->kind == PS_ARGS || col->kind == PS_EXE;
}

/* How many lines of the screen a process takes. */
static int64_t lines_taken(const struct ps *s, int64_t mask)
{
	int64_t total = -1;

	for (int i = 0; i < s->v.nfields; i++) {
		const struct ps_field *f = &s->v.field[i];

		total += 1 + (ps_is_mask(f->column)   ? mask
			      : is_endless(f->column) ? (int64_t)COMMAND_SEEN
						      : f->width);
	}
	return (total + s->o.columns - 1) / s->o.columns;
}

/* Masks become narrow where that saves a line. */
static void narrow_masks(struct ps *s)
{
	if (s->o.columns == 0 || lines_taken(s, 2 * MASK_NARROW - 2) == lines_taken(s, MASK_NARROW))
		return;
	for (int i = 0; i < s->v.nfields; i++) {
		if (ps_is_mask(s->v.field[i].column)) {
			s->v.field[i].width = MASK_NARROW;
			s->v.field[i].narrow = true;
		}
	}
}

static void halve_mask(struct buf *text)
{
	bool upper = strspn(text->ptr, "0") < 8;
	size_t cut = upper ? 7 : 8;

	memmove(text->ptr, text->ptr + cut, text->len - cut);
	text->len -= cut;
	if (upper)
		text->ptr[0] = '<';
}

/* Bytes of the text that fit; *columns becomes what they take. */
static size_t fitting(const struct ps *s, struct bytes text, int64_t *columns)
{
	int64_t room = *columns;
	size_t at = 0;

	for (*columns = 0; at < text.len;) {
		uint32_t ch = 0;
		size_t len = s->c->utf8 ? utf8_decode(text, at, &ch) : 0;
		int width = len > 1 && utf8_width(ch) >= 0 ? utf8_width(ch) : 1;

		if (*columns + width > room)
			break;
		*columns += width;
		at += len != 0 ? len : 1;
	}
	return at;
}

static bool is_right(const struct ps *s, const struct ps_column *col)
{
	return (col->flags & PS_RIGHT) != 0 || (s->v.numeric && (col->flags & PS_NUMERIC) != 0);
}

static void put_cell(struct ps *s, struct line *l, const struct ps_field *f, struct bytes text)
{
	bool literal = f->column->kind == PS_LITERAL;
	int64_t room = ps_is_mask(f->column) && !f->narrow ? f->column->width : f->width;
	int64_t len = INT64_MAX;

	fitting(s, text, &len);
	int64_t pad = is_right(s, f->column) && len < room ? room - len : 0;
	int64_t space = l->correct - l->actual + pad;

	/* A literal stands where the blank between columns would. */
	if (literal && l->correct > 0)
		space--;
	if (space < 1 && l->actual > 0)
		space = literal || l->joined ? 0 : 1;
	for (int64_t i = 0; i < space; i++)
		buf_putc(&l->text, ' ');
	buf_add(&l->text, text);
	l->actual += (space > 0 ? space : 0) + len;
	l->joined = literal;
	if (literal)
		l->correct += f->width - (l->correct > 0);
	else
		l->correct += f->width + 1;
}

static void end_line(struct ps *s, struct line *l)
{
	cmd_write(s->c, l->text.ptr, l->text.len);
	cmd_putc(s->c, '\n');
	cmd_charge_bytes(s->c, l->text.len + 64);
}

static void put_header(struct ps *s)
{
	struct line l = { .text = buf_in(s->c->arena) };
	bool any = s->o.heading == HEADING_PAGES;

	for (int i = 0; i < s->v.nfields; i++)
		any |= s->v.field[i].header[0] != '\0';
	if (s->o.heading == HEADING_NONE || !any)
		return;
	for (int i = 0; i < s->v.nfields; i++)
		put_cell(s, &l, &s->v.field[i], bytes_of(s->v.field[i].header));
	end_line(s, &l);
}

/* What does not fit is cut; names of people end in a plus then. The last column goes on to the
 * end of the line, which is so long that some of it can be seen. */
static struct bytes fit(struct ps *s, const struct line *l, const struct ps_field *f, bool last,
			struct buf *text)
{
	struct bytes all = buf_bytes(text);
	int64_t begin = l->correct > l->actual ? l->correct : l->actual + (l->actual > 0);
	enum ps_kind kind = f->column->kind;
	int64_t room = f->width;
	int64_t seen = is_endless(f->column) ? (int64_t)COMMAND_SEEN : f->width;
	int64_t columns = s->o.columns;

	if (kind == PS_LITERAL || kind == PS_STAT || is_right(s, f->column) ||
	    (last && columns == 0))
		return all;
	if (last)
		room = (begin + seen + columns - 1) / columns * columns - begin;
	int64_t used = room;
	size_t len = fitting(s, all, &used);

	if (len == all.len)
		return all;
	if ((f->column->flags & PS_NUMERIC) != 0 && len > 0)
		text->ptr[len - 1] = '+';
	return bytes_slice(all, 0, len);
}

static bool is_command(enum ps_kind kind)
{
	return kind == PS_COMM || kind == PS_FNAME || kind == PS_ARGS;
}

static void put_line(struct ps *s, const struct cmd_proc *p, const char *prefix, enum side side)
{
	struct arena_mark mark = arena_mark(s->c->arena);
	struct line l = { .text = buf_in(s->c->arena) };
	unsigned hidden = side == PROCESS ? PS_OF_THREAD : side == THREAD ? PS_OF_PROCESS : 0;

	for (int i = 0; i < s->v.nfields; i++) {
		const struct ps_field *f = &s->v.field[i];
		struct buf text = buf_in(s->c->arena);

		if ((f->column->flags & hidden) != 0) {
			buf_putc(&text, '-');
		} else if (f->column->kind == PS_LITERAL) {
			buf_puts(&text, f->header);
		} else {
			buf_puts(&text, is_command(f->column->kind) ? prefix : "");
			ps_put_value(&s->v, f->column, p, &text);
			if (f->narrow)
				halve_mask(&text);
		}
		put_cell(s, &l, f, fit(s, &l, f, i == s->v.nfields - 1, &text));
	}
	end_line(s, &l);
	s->v.row++;
	arena_release(s->c->arena, mark);
}

struct page {
	struct ps *s;
	int64_t left; /* lines of it */
};

static void begin_line(struct page *page)
{
	if (page->s->o.heading == HEADING_PAGES && page->left == 0 && page->s->o.rows > 1) {
		put_header(page->s);
		page->left = page->s->o.rows - 1;
	}
	page->left--;
}

static void put_processes(struct ps *s, const struct cmd_proc *list, const char **prefix, size_t n)
{
	bool below = s->o.threads_below || s->o.threads_below_bsd;
	struct page page = { s, s->o.rows - 1 };

	put_header(s);
	for (size_t i = 0; i < n; i++) {
		const char *front = prefix != NULL ? prefix[i] : "";

		begin_line(&page);
		put_line(s, &list[i], front, below ? PROCESS : WHOLE);
		/* A list in an order has no lines of threads. */
		if (!below || s->nkeys != 0)
			continue;
		begin_line(&page);
		put_line(s, &list[i], front, THREAD);
	}
}

/* --- size of the screen --- */

enum { WIDTH_WIDE = 132, ROWS_USUAL = 24, WIDTH_MIN = 9, ROWS_MIN = 2, COLUMNS_ANY = 131072 };

static int64_t size_from(struct ps *s, const char *variable)
{
	const char *text = cmd_getenv(s->c, variable);
	uint64_t n = 0;

	return text != NULL && num_plain(text, &n) && n > 0 && n <= 100000 ? (int64_t)n : 0;
}

/* Lines are cut where a terminal or COLUMNS says how wide they may be. */
static void find_size(struct ps *s)
{
	int64_t columns = size_from(s, "COLUMNS");
	int64_t rows = size_from(s, "LINES");

	if (columns == 0)
		columns = cmd_terminal_columns(s->c, 1);
	if (rows == 0)
		rows = cmd_terminal_rows(s->c, 1);
	if (rows == 0)
		rows = ROWS_USUAL;
	if ((columns != 0 && columns < WIDTH_MIN) || rows < ROWS_MIN) {
		struct buf text = buf_in(s->c->arena);

		buf_printf(&text, "your %lldx%lld screen size is bogus. expect trouble\n",
			   (long long)(columns != 0 ? columns : COLUMNS_ANY), (long long)rows);
		cmd_err_write(s->c, text.ptr, text.len);
	}
	if (s->o.rows == 0)
		s->o.rows = rows;
	if (!s->o.columns_given)
		s->o.columns = columns;
	if (s->o.wide > 1)
		s->o.columns = 0;
	else if (s->o.wide == 1 && s->o.columns > 0 && s->o.columns < WIDTH_WIDE)
		s->o.columns = WIDTH_WIDE;
}

/* --- the command --- */

/* Those that are shown go to the front of the list. */
static size_t choose(const struct ps *s, struct cmd_proc **list, size_t all)
{
	const struct cmd_proc *from = *list;
	size_t n = 0;

	if (s->o.nquick == 0) {
		for (size_t i = 0; i < all; i++)
			if (ps_is_chosen(s, &from[i]))
				(*list)[n++] = from[i];
		return n;
	}
	*list = arena_array(s->c->arena, s->o.nquick, sizeof **list);
	for (size_t q = 0; q < s->o.nquick; q++) {
		for (size_t i = 0; i < all; i++)
			if (from[i].pid == s->o.quick[q] && (!s->o.running || from[i].state == 'R'))
				(*list)[n++] = from[i];
		cmd_charge(s->c, all / 16 + 1);
	}
	return n;
}

static void set_view(struct ps *s)
{
	struct cmd_usage_totals totals;

	cmd_totals(s->c, &totals);
	s->v.zone = zone_of_command(s->c);
	s->v.now_ns = cmd_now(s->c);
	s->v.memory_total = totals.memory_total;
	s->v.command_short = s->o.command_short;
	s->v.environment = s->o.environment;
	s->v.numeric = s->o.numeric;
	s->v.cumulative = s->o.cumulative;
}

static int ps_run(struct cmd *c)
{
	struct ps *s = arena_zalloc(c->arena, sizeof *s);
	struct cmd_proc *list;
	struct tree t;

	s->c = c;
	s->v.c = c;
	const char *wrong = read_all(s, false);

	if (wrong != NULL && read_all(s, true) != NULL)
		fail(c, wrong);
	check_quick(s);
	find_size(s);
	narrow_masks(s);
	set_view(s);
	size_t all = cmd_procs(c, &list);
	size_t n = choose(s, &list, all);

	ps_sort(&s->v, s->key, s->nkeys, list, n);
	if (s->o.forest == FOREST_NONE) {
		put_processes(s, list, NULL, n);
	} else {
		order_forest(s, &t, list, n);
		put_processes(s, t.out, t.prefix, n);
	}
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
