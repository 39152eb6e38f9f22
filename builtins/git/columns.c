/* SPDX-License-Identifier: MIT
 *
 * Short texts side by side.
 */
#include "builtins/git/columns.h"

/* "always,dense": changes *o. False: there is no such word. */
static bool parse(struct git *g, const char *text, struct columns *o)
{
	static const struct {
		const char *word;
		char group;
		char value;
	} words[] = { { "always", 'w', COLUMNS_ALWAYS },
		      { "never", 'w', COLUMNS_NEVER },
		      { "auto", 'w', COLUMNS_AUTO },
		      { "plain", 'l', 'p' },
		      { "column", 'l', 'c' },
		      { "row", 'l', 'r' },
		      { "dense", 'd', true },
		      { "nodense", 'd', false } };
	bool has_when = false, has_layout = false;

	for (const char *s = text; *s != '\0';) {
		size_t n = strcspn(s, " ,");
		bool known = n == 0;

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !known; i++) {
			if (strlen(words[i].word) != n || strncmp(words[i].word, s, n) != 0)
				continue;
			known = true;
			has_when |= words[i].group == 'w';
			has_layout |= words[i].group == 'l';
			if (words[i].group == 'w')
				o->when = (enum columns_when)words[i].value;
			else if (words[i].group == 'l')
				o->layout = words[i].value;
			else
				o->dense = words[i].value;
		}
		if (!known) {
			git_error(g, "unsupported option '%.*s'", (int)n, s);
			return false;
		}
		s += n + (s[n] != '\0');
	}
	/* Who names a layout wants it. */
	if (has_layout && !has_when)
		o->when = COLUMNS_ALWAYS;
	return true;
}

static void from_config(struct git *g, const char *command, struct columns *o)
{
	const char *key = git_format(g->a, "column.%s", command);
	const char *v = config_get(g, key);

	if (v != NULL && !parse(g, v, o))
		git_die(g, "invalid column.%s mode %s", command, v);
}

void columns_settle(struct git *g, const char *command, struct columns *out)
{
	*out = (struct columns){ .layout = 'c', .padding = 1, .indent = "", .newline = "\n" };
	from_config(g, "ui", out);
	if (command != NULL)
		from_config(g, command, out);
	if (g->columns == NULL)
		return;
	out->when = COLUMNS_ALWAYS;
	if (!parse(g, g->columns, out))
		git_exit(g, GIT_STATUS_USAGE);
}

bool columns_active(struct git *g, const struct columns *o)
{
	return o->when == COLUMNS_ALWAYS || (o->when == COLUMNS_AUTO && cmd_isatty(g->c, 1));
}

/* Bytes of the colour that s begins with; 0: it begins with none. */
static size_t color_length(const char *s)
{
	size_t n;

	if (s[0] != '\033' || s[1] != '[')
		return 0;
	n = 2 + strspn(s + 2, "0123456789;");
	return s[n] == 'm' ? n + 1 : 0;
}

/* Colours take no room. */
static size_t width_of(const char *s)
{
	size_t width = 0;

	while (*s != '\0') {
		size_t n = color_length(s);

		if (n == 0) {
			n = 1 + strcspn(s + 1, "\033");
			width += git_columns((struct bytes){ s, n });
		}
		s += n;
	}
	return width;
}

struct table {
	const struct columns *o;
	size_t n;
	size_t *width; /* of each cell */
	size_t cols, rows;
	size_t *col; /* width of each column, with what is between */
};

static size_t cell_at(const struct table *t, size_t x, size_t y)
{
	return t->o->layout == 'c' ? x * t->rows + y : y * t->cols + x;
}

static void measure(struct git *g, struct table *t)
{
	for (size_t x = 0; x < t->cols; x++) {
		t->col[x] = 0;
		for (size_t y = 0; y < t->rows; y++) {
			size_t i = cell_at(t, x, y);

			if (i < t->n && t->width[i] > t->col[x])
				t->col[x] = t->width[i];
		}
		t->col[x] += (size_t)t->o->padding;
		cmd_charge(g->c, t->rows + 1);
	}
}

/* As few rows as there is room for. */
static void shrink(struct git *g, struct table *t, size_t room)
{
	while (t->rows > 1) {
		size_t rows = t->rows, cols = t->cols, total = 0;

		t->rows--;
		t->cols = (t->n + t->rows - 1) / t->rows;
		measure(g, t);
		for (size_t x = 0; x < t->cols; x++)
			total += t->col[x];
		if (total > room) {
			t->rows = rows;
			t->cols = cols;
			break;
		}
	}
	measure(g, t);
}

static size_t room_of(struct git *g, const struct columns *o)
{
	size_t n = o->width > 0 ? (size_t)o->width : git_terminal_columns(g) - 1;
	size_t indent = strlen(o->indent);

	return n > indent ? n - indent : 0;
}

static void put_table(struct git *g, const struct table *t, const struct names *cells)
{
	for (size_t y = 0; y < t->rows; y++)
		for (size_t x = 0; x < t->cols; x++) {
			size_t i = cell_at(t, x, y);
			bool last = t->o->layout == 'c' ? i + t->rows >= t->n
							: x + 1 == t->cols || i + 1 == t->n;
			struct buf b = buf_in(g->a);

			if (i >= t->n)
				break;
			buf_printf(&b, "%s%s", x == 0 ? t->o->indent : "", cells->at[i]);
			if (last)
				buf_puts(&b, t->o->newline);
			else
				buf_fill(&b, ' ', t->col[x] - t->width[i]);
			cmd_bytes(g->c, buf_bytes(&b));
		}
}

void columns_put(struct git *g, const struct columns *o, const struct names *cells)
{
	struct table t = { .o = o, .n = cells->n };
	size_t widest = 0, room = room_of(g, o);

	if (cells->n == 0)
		return;
	t.width = arena_array(g->a, t.n, sizeof(size_t));
	t.col = arena_array(g->a, t.n, sizeof(size_t));
	for (size_t i = 0; i < t.n; i++) {
		t.width[i] = width_of(cells->at[i]);
		widest = t.width[i] > widest ? t.width[i] : widest;
	}
	widest += (size_t)o->padding;
	t.cols = o->layout == 'p' || widest == 0 ? 1 : room / widest;
	t.cols = t.cols == 0 ? 1 : t.cols > t.n ? t.n : t.cols;
	t.rows = (t.n + t.cols - 1) / t.cols;
	for (size_t x = 0; x < t.cols; x++)
		t.col[x] = widest;
	if (o->dense && o->layout != 'p')
		shrink(g, &t, room);
	put_table(g, &t, cells);
}
