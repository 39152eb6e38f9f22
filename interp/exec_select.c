/* SPDX-License-Identifier: MIT
 *
 * select: the menu in columns, the answer read by `read`.
 */
#include "base/utf8.h"
#include "interp/exec.h"

enum { SCREEN_COLUMNS = 80, TAB_COLUMNS = 8, NUMBER_TAIL = 2 /* ") " */ };

/* --- the menu --- */

static int digits_of(int n)
{
	int digits = 1;

	while (n >= 10) {
		n /= 10;
		digits++;
	}
	return digits;
}

static int width_of(const char *text)
{
	struct bytes s = bytes_of(text);
	int width = 0;

	for (size_t i = 0; i < s.len;) {
		uint32_t c = 0;
		size_t n = utf8_decode(s, i, &c);
		int w = n != 0 ? utf8_width(c) : 1;

		width += w > 0 ? w : 0;
		i += n != 0 ? n : 1;
	}
	return width;
}

static int screen_columns(struct shell *sh)
{
	const char *value = var_get_text(sh, "COLUMNS");
	int64_t columns;

	if (value != NULL && arith_plain_number(bytes_of(value), &columns) && columns > 0 &&
	    columns < 100000)
		return (int)columns;
	return SCREEN_COLUMNS;
}

/* Moves from one column to another with tabs where they fit. */
static void indent(struct buf *out, int from, int to)
{
	while (from < to) {
		if (to / TAB_COLUMNS > from / TAB_COLUMNS) {
			buf_putc(out, '\t');
			from += TAB_COLUMNS - from % TAB_COLUMNS;
		} else {
			buf_putc(out, ' ');
			from++;
		}
	}
}

struct menu {
	const struct fields *words;
	int widest; /* of an entry: number, ") ", word, two spaces */
	int rows;
	int columns;
};

static struct menu lay_out(struct shell *sh, const struct fields *words)
{
	struct menu m = { .words = words };
	int screen = screen_columns(sh);

	for (int i = 0; i < words->count; i++) {
		int width = width_of(words->v[i]);

		m.widest = width > m.widest ? width : m.widest;
	}
	m.widest += digits_of(words->count) + NUMBER_TAIL + 2;
	m.columns = screen / m.widest;
	m.columns = m.columns < 1 ? 1 : m.columns;
	m.rows = (words->count + m.columns - 1) / m.columns;
	m.columns = m.rows > 0 ? (words->count + m.rows - 1) / m.rows : 1;
	if (m.rows == 1) {
		m.rows = m.columns;
		m.columns = 1;
	}
	return m;
}

static void show_menu(struct shell *sh, const struct fields *words)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct menu m = lay_out(sh, words);
	struct buf out = buf_in(sh->arena);
	int first_digits = digits_of(m.rows);
	int other_digits = digits_of(words->count);

	for (int row = 0; row < m.rows; row++) {
		int at = 0;

		for (int i = row; i < words->count; i += m.rows) {
			int digits = at == 0 ? first_digits : other_digits;
			int used = digits + NUMBER_TAIL + width_of(words->v[i]);

			buf_printf(&out, "%*d) %s", digits, i + 1, words->v[i]);
			if (i + m.rows < words->count)
				indent(&out, at + used, at + m.widest);
			at += m.widest;
		}
		buf_putc(&out, '\n');
	}
	sys_write(sh->p, 2, out.ptr, out.len);
	arena_release(sh->arena, mark);
}

/* --- the answer --- */

/* Reads a line into REPLY; false at the end of input. */
static bool read_reply(struct shell *sh)
{
	const struct shell_builtin *b = shell_builtin_find(sh, BYTES("read"));
	char name[] = "read";
	char *argv[2] = { name, NULL };

	return b != NULL && exec_builtin(sh, b, 1, argv) == 0;
}

/* Asks until there is an answer: its word, "" for a wrong number, NULL at the end of input. */
static const char *ask(struct shell *sh, const struct fields *words, bool show)
{
	for (;;) {
		const char *prompt = var_get_text(sh, "PS3");
		const char *reply;
		int64_t number;

		if (show)
			show_menu(sh, words);
		prompt = prompt != NULL ? prompt : "#? ";
		sys_write(sh->p, 2, prompt, strlen(prompt));
		if (!read_reply(sh))
			return NULL;
		reply = var_get_text(sh, "REPLY");
		if (reply == NULL || *reply == '\0') {
			show = true;
			continue;
		}
		if (!arith_plain_number(bytes_of(reply), &number) || number < 1 ||
		    number > words->count)
			return "";
		return words->v[number - 1];
	}
}

static void trace_head(struct shell *sh, const struct for_node *f)
{
	struct buf text = buf_in(sh->arena);

	buf_printf(&text, "select %s in", f->name.ptr);
	if (!f->has_in)
		buf_puts(&text, " \"$@\"");
	for (int i = 0; i < f->nwords; i++) {
		buf_putc(&text, ' ');
		buf_add(&text, f->words[i]->text);
	}
	xtrace_text(sh, buf_bytes(&text));
}

static int turns(struct shell *sh, const struct for_node *f, const struct fields *words)
{
	int status = 0;
	bool show = true;

	while (sh->flow == FLOW_NONE) {
		const char *word = ask(sh, words, show);

		proc_charge(sh->p, 1);
		if (word == NULL) {
			out_write(sh, "select", BYTES("\n"));
			return 1;
		}
		if (var_set(sh, f->name, f->hash, bytes_of(word), 0) != 0)
			return 1;
		status = exec_node(sh, f->body);
		if (loop_ends(sh))
			return sh->status;
		/* The menu is shown again only after an empty answer. */
		show = var_get_text(sh, "REPLY") == NULL || *var_get_text(sh, "REPLY") == '\0';
	}
	return status;
}

int exec_select(struct shell *sh, const struct for_node *f)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct fields words = { 0 };
	int status = 0;

	shell_at(sh, f->node.line);
	sh->command_name = NULL;
	if (!is_name(f->name)) {
		shell_error(sh, "`%s': not a valid identifier", f->name.ptr);
		return exec_check(sh, 1);
	}
	if (exec_debug(sh, &f->node))
		return sh->flow != FLOW_NONE ? sh->status : 0;
	if (opt_set(sh, SET_XTRACE))
		trace_head(sh, f);
	if (!f->has_in) {
		for (int i = 0; i < sh->params.count; i++)
			fields_add(sh, &words, sh->params.values[i]);
	} else if (expand_words(sh, f->words, f->nwords, &words) != 0) {
		return sh->status;
	}
	if (words.count != 0) {
		sh->loop_depth++;
		status = turns(sh, f, &words);
		sh->loop_depth--;
	}
	arena_release(sh->arena, mark);
	return sh->status = status;
}
