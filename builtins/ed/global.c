/* SPDX-License-Identifier: MIT
 *
 * ed's commands for all lines that match: g, v, and G, V, which ask for commands.
 *
 * The lines are chosen first; then each that is still there gets the list of commands. Where a
 * line is by then is guessed from how many lines came or went, so that finding it is quick.
 */
#include "builtins/ed/ed.h"

struct chosen {
	struct ed_line *line;
	size_t address; /* when it was chosen */
};

struct list {
	struct chosen *item;
	size_t n;
};

static struct list choose(struct ed *e, struct ed_pattern *p, bool wanted)
{
	struct list list = { 0 };
	size_t n = (size_t)(e->second + 1 - e->first);

	list.item = arena_array(e->c->arena, n, sizeof(*list.item));
	for (size_t at = (size_t)e->first; at <= (size_t)e->second; at++) {
		struct ed_line *line = ed_line_at(e, at);

		line->chosen = ed_pattern_matches(e, p, line->text) == wanted;
		if (line->chosen)
			list.item[list.n++] = (struct chosen){ line, at };
	}
	return list;
}

/* Executes all commands of a list, of which the last has no newline, for one line. */
static enum ed_result run_list(struct ed *e, struct bytes commands)
{
	enum ed_result result = ED_OK;

	/* No command at all is p, whatever a newline is. */
	e->text = commands.len != 0 ? commands : BYTES("p");
	e->at = 0;
	while (result == ED_OK && e->at <= e->text.len)
		result = ed_command_run(e);
	return result;
}

/* G, V: shows the line and reads its commands. *skip: there are none. */
static enum ed_result ask(struct ed *e, int print, struct bytes *last, bool *skip)
{
	struct bytes text;

	ed_print_lines(e, e->current, e->current, print);
	if (!ed_read(e, &text))
		return ed_fail(e, "Unexpected end-of-file");
	*skip = text.len == 0;
	if (*skip)
		return ED_OK;
	if (bytes_is(text, "&")) {
		if (last->ptr == NULL)
			return ed_fail(e, "No previous command");
		return ED_OK;
	}
	e->text = arena_bytes(e->c->arena, text);
	e->at = 0;
	e->in_global = false;
	enum ed_result result = ed_extend(e, true);

	e->in_global = true;
	*last = e->text;
	return result;
}

static enum ed_result run_lines(struct ed *e, struct list list, bool asking, int print,
				struct bytes commands)
{
	size_t before = e->nlines;
	enum ed_result result = ED_OK;

	e->list_over = false;
	for (size_t i = 0; i < list.n && result == ED_OK && !e->list_over; i++) {
		struct ed_line *line = list.item[i].line;
		bool skip = false;

		if (!line->chosen)
			continue;
		line->chosen = false;
		e->current = ed_line_address(e, line, list.item[i].address + e->nlines - before);
		if (asking)
			result = ask(e, print, &commands, &skip);
		if (result == ED_OK && !skip)
			result = run_list(e, commands);
	}
	return result;
}

enum ed_result ed_global_run(struct ed *e, char letter, int *print)
{
	bool asking = letter == 'G' || letter == 'V';
	struct bytes commands = { NULL, 0 };
	struct ed_pattern *p;

	if (e->in_global)
		return ed_fail(e, "Cannot nest global commands");
	enum ed_result result = ed_range_check(e, 1, e->nlines);

	if (result == ED_OK)
		result = ed_pattern_read(e, &p);
	if (result == ED_OK)
		result = asking ? ed_suffix_read(e, print) : ed_extend(e, true);
	if (result != ED_OK)
		return result;
	if (!asking) {
		commands = bytes_slice(e->text, e->at < e->text.len ? e->at : e->text.len,
				       e->text.len);
	}
	ed_undo_begin(e);
	struct list list = choose(e, p, letter == 'g' || letter == 'G');

	e->in_global = true;
	result = run_lines(e, list, asking, *print, commands);
	e->in_global = false;
	return result;
}
