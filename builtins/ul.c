/* SPDX-License-Identifier: MIT
 *
 * ul - do underlining: overstruck text becomes what the terminal has for it.
 *
 * A line is put on cells, where what is written a second time changes how a cell looks; it is
 * shown when the line ends. A character two columns wide stands in a cell and leaves a tail.
 * Reference: util-linux 2.38.1.
 */
#include "builtins/tput.h"

enum { TAB = 8, ESCAPE = 27, SHIFT_IN = 15, SHIFT_OUT = 14, TAIL = -1 };

/* How a cell looks; of several at once, the terminal's standout. */
enum look {
	LOOK_PLAIN,
	LOOK_ALTERNATE,
	LOOK_RAISED,
	LOOK_LOWERED = 4,
	LOOK_UNDERLINED = 8,
	LOOK_BOLD = 16
};

struct ul_opts {
	const char *terminal;
	bool indicated;
};

struct cell {
	uint32_t ch;  /* 0: none */
	int8_t width; /* TAIL: of the wide one before it */
	uint8_t look;
};

/* What the terminal has; "" for nothing. */
struct terminal {
	const char *underline;
	const char *end_underline;
	const char *standout;
	const char *bold;
	const char *dim;
	const char *reverse;
	const char *end;
	const char *up;
	const char *right;
};

struct ul {
	struct cmd *c;
	const struct ul_opts *o;
	struct terminal terminal;
	struct cell *cells;
	size_t cap;
	size_t column;
	size_t width; /* columns of the line */
	int half;     /* -1: half a line above, 1: below */
	unsigned look;
	unsigned shown;
	size_t above; /* lines to write that go over older ones */
};

static const struct opt ul_options[] = {
	OPT_STR('t', "terminal", struct ul_opts, terminal, NULL, "TERMINAL", "instead of $TERM"),
	OPT_STR('T', NULL, struct ul_opts, terminal, NULL, "TERMINAL", "the same"),
	OPT_FLAG('i', "indicated", struct ul_opts, indicated,
		 "show what is underlined in a line of its own"),
	OPT_END(),
};

/* --- the terminal --- */

static const char *capability(struct ul *u, const char *term, const char *name,
			      const char *otherwise)
{
	struct buf text = buf_in(u->c->arena);

	return terminal_capability(term, name, 0, NULL, &text) ? text.ptr : otherwise;
}

static const char *find_terminal(struct ul *u)
{
	const char *given = u->o->terminal;
	const char *term = given != NULL ? given : cmd_getenv(u->c, "TERM");

	if (term == NULL)
		cmd_warn(u->c, 0, "trouble reading terminfo");
	else if (terminal_is_known(term))
		return term;
	else if (given != NULL)
		cmd_warn(u->c, 0, "terminal `%s' is not known, defaulting to `dumb'", term);
	return "dumb";
}

static void init_terminal(struct ul *u)
{
	struct terminal *t = &u->terminal;
	const char *term = find_terminal(u);

	t->right = capability(u, term, "cuf1", "");
	t->up = capability(u, term, "cuu1", "");
	if (u->o->indicated) {
		const char *none = "";

		*t = (struct terminal){ none, none, none, none, none, none, none, t->up, t->right };
		return;
	}
	t->standout = capability(u, term, "smso", "");
	t->underline = capability(u, term, "smul", t->standout);
	t->end_underline = capability(u, term, "rmul", "");
	t->reverse = capability(u, term, "rev", t->standout);
	t->bold = capability(u, term, "bold", t->reverse);
	t->dim = capability(u, term, "dim", t->standout);
	t->end = capability(u, term, "sgr0", "");
}

static void show_as(struct ul *u, unsigned look)
{
	const struct terminal *t = &u->terminal;

	if (u->shown == look)
		return;
	if (u->shown != LOOK_PLAIN)
		cmd_puts(u->c, u->shown == LOOK_UNDERLINED ? t->end_underline : t->end);
	switch (look) {
	case LOOK_PLAIN: break;
	case LOOK_ALTERNATE: cmd_puts(u->c, t->reverse); break;
	case LOOK_RAISED:
		cmd_puts(u->c, t->underline);
		cmd_puts(u->c, t->dim);
		break;
	case LOOK_LOWERED: cmd_puts(u->c, t->dim); break;
	case LOOK_UNDERLINED: cmd_puts(u->c, t->underline); break;
	case LOOK_BOLD: cmd_puts(u->c, t->bold); break;
	default: cmd_puts(u->c, t->standout); break;
	}
	u->shown = look;
}

/* --- lines --- */

static char look_sign(unsigned look)
{
	switch (look) {
	case LOOK_PLAIN: return ' ';
	case LOOK_ALTERNATE: return 'g';
	case LOOK_RAISED: return '^';
	case LOOK_LOWERED: return 'v';
	case LOOK_UNDERLINED: return '_';
	case LOOK_BOLD: return '!';
	default: return 'X';
	}
}

/* -i: the line below that says how the cells look. */
static void put_looks(struct ul *u)
{
	size_t end = u->width;

	while (end > 0 && u->cells[end - 1].look == LOOK_PLAIN)
		end--;
	for (size_t i = 0; i < end; i++)
		cmd_putc(u->c, look_sign(u->cells[i].look));
	cmd_putc(u->c, '\n');
}

static void put_cell(struct ul *u, const struct cell *cell)
{
	char text[4];

	if (cell->ch == 0)
		cmd_puts(u->c, u->above > 0 ? u->terminal.right : " ");
	else if (!u->c->utf8)
		cmd_putc(u->c, (char)cell->ch);
	else
		cmd_write(u->c, text, utf8_encode(cell->ch, text));
}

/* Writes the line and begins the next. */
static void end_line(struct ul *u)
{
	bool plain = true;

	for (size_t i = 0; i < u->width; i++) {
		const struct cell *cell = &u->cells[i];

		plain &= cell->look == LOOK_PLAIN;
		show_as(u, cell->look);
		put_cell(u, cell);
		if (cell->width > 1)
			i += (size_t)cell->width - 1;
	}
	show_as(u, LOOK_PLAIN);
	cmd_putc(u->c, '\n');
	if (u->o->indicated && !plain)
		put_looks(u);
	if (u->above > 0)
		u->above--;
	cmd_charge(u->c, u->width / 8 + 1);
	/* What was cut off by put_char stays and is met again in later lines, as in the real one.
	 */
	if (u->width > 0)
		memset(u->cells, 0, u->width * sizeof *u->cells);
	u->column = u->width = 0;
	u->look &= LOOK_ALTERNATE;
}

/* The same column of the next line. */
static void go_down(struct ul *u)
{
	size_t column = u->column;
	size_t width = u->width;

	end_line(u);
	u->column = column;
	u->width = width;
}

static void go_up(struct ul *u)
{
	u->above++;
	go_down(u);
	cmd_puts(u->c, u->terminal.up);
	cmd_puts(u->c, u->terminal.up);
	u->above++;
}

/* Half a line down (1) or up (-1). */
static void go_half(struct ul *u, int way)
{
	if (u->half == 0) {
		u->look |= way < 0 ? LOOK_RAISED : LOOK_LOWERED;
		u->half = way;
	} else if (u->half == -way) {
		u->look &= way < 0 ? ~(unsigned)LOOK_LOWERED : ~(unsigned)LOOK_RAISED;
		u->half = 0;
	} else {
		u->half = 0;
		if (way < 0)
			go_up(u);
		else
			go_down(u);
	}
}

/* --- characters --- */

/* Makes room for n cells. */
static void reserve(struct ul *u, size_t n)
{
	if (n > u->cap) {
		size_t cap = n * 2 + 128;

		u->cells = pool_resize(u->c->pool, u->cells, u->cap * sizeof *u->cells,
				       cap * sizeof *u->cells);
		memset(u->cells + u->cap, 0, (cap - u->cap) * sizeof *u->cells);
		u->cap = cap;
	}
}

/* The line becomes at least n columns long. */
static void need(struct ul *u, size_t n)
{
	reserve(u, n);
	if (n > u->width)
		u->width = n;
}

static void go_to(struct ul *u, size_t column)
{
	u->column = column;
	need(u, column);
}

static void set_look(struct ul *u, size_t at, unsigned look)
{
	for (int i = 0; i < u->cells[at].width; i++)
		u->cells[at + (size_t)i].look = (uint8_t)look;
}

static void set_cell(struct ul *u, size_t at, uint32_t ch, int width, unsigned look)
{
	u->cells[at].ch = ch;
	u->cells[at].width = (int8_t)width;
	for (int i = 1; i < width; i++)
		u->cells[at + (size_t)i].width = TAIL;
	set_look(u, at, look);
}

static void put_underscore(struct ul *u)
{
	size_t at = u->column;

	reserve(u, at + 1);
	while (at > 0 && u->cells[at].width == TAIL)
		at--;
	need(u, at + 1);
	struct cell *cell = &u->cells[at];

	if (cell->ch != 0) {
		set_look(u, at, cell->look | u->look | LOOK_UNDERLINED);
	} else {
		cell->ch = '_';
		cell->width = 1;
	}
	go_to(u, at + (size_t)cell->width);
}

static void put_char(struct ul *u, uint32_t ch, int width)
{
	size_t at = u->column;

	need(u, at + 1);
	reserve(u, at + (size_t)width);
	struct cell *cell = &u->cells[at];

	if (cell->ch == 0 || cell->ch == '_')
		set_cell(u, at, ch, width, u->look | (cell->ch == '_' ? LOOK_UNDERLINED : 0u));
	else
		set_look(u, at, cell->ch == ch ? cell->look | u->look | LOOK_BOLD : u->look);
	int wider = cell->width > width ? cell->width : width;

	go_to(u, at + (size_t)cell->width);
	/* What the line had behind it is cut off, until something goes there. */
	u->width = at + (size_t)wider;
}

static void take_escape(struct ul *u, struct input *in)
{
	int next = input_byte(in);

	switch (next) {
	case '7': go_up(u); return;
	case '8': go_half(u, -1); return;
	case '9': go_half(u, 1); return;
	default:
		cmd_fatal(u->c, 0, "unknown escape sequence in input: %o, %o", ESCAPE,
			  next < 0 ? UINT32_MAX : (unsigned)next);
	}
}

static void take_char(struct ul *u, struct input *in, uint32_t ch)
{
	switch (ch) {
	case '\b': u->column -= u->column > 0; return;
	case '\t': go_to(u, (u->column / TAB + 1) * TAB); return;
	case '\r': u->column = 0; return;
	case SHIFT_OUT: u->look |= LOOK_ALTERNATE; return;
	case SHIFT_IN: u->look &= ~(unsigned)LOOK_ALTERNATE; return;
	case ESCAPE: take_escape(u, in); return;
	case '_': put_underscore(u); return;
	case '\n': end_line(u); return;
	case '\f':
		end_line(u);
		cmd_putc(u->c, '\f');
		return;
	case ' ': go_to(u, u->column + 1); return;
	default: break;
	}
	int width = u->c->utf8 ? utf8_width(ch) : ch >= ' ' && ch < 127 ? 1 : -1;

	if (width >= 0)
		put_char(u, ch, width);
}

/* The next character, -1 at the end, -2 if it is none. */
static int64_t next_char(struct ul *u, struct input *in)
{
	char text[4];
	int first = input_byte(in);
	uint32_t ch;

	if (first < 0x80)
		return first < 0 ? -1 : first;
	if (!u->c->utf8)
		return -2;
	size_t len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;

	text[0] = (char)first;
	for (size_t i = 1; i < len; i++) {
		int more = input_byte(in);

		if (more < 0)
			return -2;
		text[i] = (char)more;
	}
	return utf8_decode((struct bytes){ text, len }, 0, &ch) == len ? (int64_t)ch : -2;
}

/* What is no text ends a file. */
static void take_file(struct ul *u, struct input *in)
{
	int64_t ch;
	uint64_t n = 0;

	while ((ch = next_char(u, in)) >= 0) {
		take_char(u, in, (uint32_t)ch);
		if (++n % 16 == 0)
			cmd_charge(u->c, 1);
	}
	if (u->width > 0)
		end_line(u);
}

static int ul_run(struct cmd *c)
{
	struct ul u = { .c = c, .o = c->opts };

	init_terminal(&u);
	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		/* "-" is a file like any other. */
		int fd = c->nargs > 0 ? cmd_open(c, CMD_CWD, c->args[i], O_RDONLY_, 0) : 0;

		if (fd < 0)
			cmd_fatal(c, fd, "cannot open %s", c->args[i]);
		input_init(&in, c, fd, c->files[i]);
		take_file(&u, &in);
		input_close(&in);
	}
	return 0;
}

const struct builtin builtin_ul = {
	.name = "ul",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Shows what is underlined by overstriking as the terminal does it.",
	.run = ul_run,
	.opts = ul_options,
	.opts_size = sizeof(struct ul_opts),
	.family = "util-linux 2.38.1",
};
