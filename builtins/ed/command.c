/* SPDX-License-Identifier: MIT
 *
 * ed's commands, one function each behind a table. Each checks its addresses, then what follows
 * its letter, and only then acts, as messages show.
 */
#include "builtins/ed/ed.h"

enum ed_result ed_suffix_read(struct ed *e, int *print)
{
	for (;; e->at++) {
		char ch = ed_peek(e);
		int bit = ch == 'l'   ? PRINT_LIST
			  : ch == 'n' ? PRINT_NUMBER
			  : ch == 'p' ? PRINT_PLAIN
				      : 0;

		if (bit == 0 || (*print & bit) != 0)
			break;
		*print |= bit;
	}
	if (ed_peek(e) != '\n')
		return ed_fail(e, "Invalid command suffix");
	e->at++;
	return ED_OK;
}

static enum ed_result no_address(struct ed *e)
{
	return e->naddr > 0 ? ed_fail(e, "Unexpected address") : ED_OK;
}

/* A file name needs a blank before it. */
static enum ed_result blank_before_name(struct ed *e)
{
	return byte_is_space(ed_peek(e)) ? ED_OK : ed_fail(e, "Unexpected command suffix");
}

/* --- text --- */

/* Reads lines up to "." and puts them behind `after`. */
static enum ed_result input_text(struct ed *e, size_t after)
{
	e->current = after;
	for (;;) {
		struct bytes text;

		if (e->in_global) {
			const char *start = e->text.ptr + e->at;
			const char *hit;

			if (ed_at_end(e))
				return ED_OK;
			hit = memchr(start, '\n', e->text.len - e->at);
			text = (struct bytes){ start, hit != NULL ? (size_t)(hit - start)
								  : e->text.len - e->at };
			e->at += text.len + 1;
		} else if (!ed_read(e, &text)) {
			return ED_OK;
		}
		if (bytes_is(text, "."))
			return ED_OK;
		struct ed_line *line = ed_line_new(e, arena_bytes(e->c->arena, text));

		ed_lines_insert(e, e->current++, &line, 1);
		e->modified = true;
	}
}

static enum ed_result run_append(struct ed *e, char letter, int *print)
{
	enum ed_result result = ed_address_check(e, e->current, true);

	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	ed_undo_begin(e);
	size_t lines = e->nlines;

	result = input_text(e, (size_t)e->second - (letter == 'i' && e->second > 0));
	if (e->nlines == lines)
		e->current = (size_t)e->second;
	return result;
}

/* Deletes the addressed lines; the current one is then that behind them. */
static void delete_range(struct ed *e)
{
	size_t from = (size_t)e->first;
	size_t to = (size_t)e->second;

	e->cut = ed_lines_copy(e, from, to);
	ed_lines_delete(e, from, to);
	e->modified = true;
	e->current = from <= e->nlines ? from : e->nlines;
}

static enum ed_result run_change(struct ed *e, char letter, int *print)
{
	enum ed_result result = ed_range_check(e, e->current, e->current);

	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	ed_undo_begin(e);
	delete_range(e);
	if (letter == 'd')
		return ED_OK;
	size_t behind = e->current;
	size_t lines = e->nlines;

	result = input_text(e, (size_t)e->first - 1);
	if (e->nlines == lines)
		e->current = behind;
	return result;
}

static enum ed_result run_join(struct ed *e, char letter, int *print)
{
	enum ed_result result = ed_range_check(e, e->current, e->current + 1);
	struct buf text = buf_in(e->c->arena);

	(void)letter;
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	ed_undo_begin(e);
	if (e->first == e->second)
		return ED_OK;
	for (int64_t at = e->first; at <= e->second; at++)
		buf_add(&text, ed_line_at(e, (size_t)at)->text);
	delete_range(e);
	struct ed_line *line = ed_line_new(e, buf_bytes(&text));

	ed_lines_insert(e, (size_t)e->first - 1, &line, 1);
	e->current = (size_t)e->first;
	return ED_OK;
}

/* --- copying --- */

/* Checks the range of the command, and reads the addresses behind it, of which the last counts. */
static enum ed_result destination_read(struct ed *e, size_t *out)
{
	enum ed_result result = ed_range_check(e, e->current, e->current);
	int64_t first = e->first;
	int64_t second = e->second;

	if (result == ED_OK)
		result = ed_addresses_read(e);
	if (result != ED_OK)
		return result;
	if (e->naddr == 0 && e->o->traditional)
		return ed_fail(e, "Destination expected");
	*out = e->naddr == 0 ? e->current : (size_t)e->second;
	e->first = first;
	e->second = second;
	return ED_OK;
}

static enum ed_result run_move(struct ed *e, char letter, int *print)
{
	size_t after = 0;
	enum ed_result result = destination_read(e, &after);

	(void)letter;
	size_t from = (size_t)e->first;
	size_t to = (size_t)e->second;

	if (result == ED_OK && after >= from && after < to)
		result = ed_fail(e, "Invalid destination");
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	ed_undo_begin(e);
	if (after == to || after + 1 == from) {
		e->current = to;
	} else {
		ed_lines_move(e, from, to, after);
		e->current = after < from ? after + to + 1 - from : after;
	}
	e->modified = true;
	return ED_OK;
}

static enum ed_result put_copies(struct ed *e, struct ed_lines lines, size_t after)
{
	ed_undo_begin(e);
	for (size_t i = 0; i < lines.n; i++) {
		struct ed_line *line = ed_line_new(e, lines.line[i]->text);

		ed_lines_insert(e, after + i, &line, 1);
	}
	e->current = after + lines.n;
	e->modified = true;
	return ED_OK;
}

static enum ed_result run_transfer(struct ed *e, char letter, int *print)
{
	size_t after = 0;
	enum ed_result result = destination_read(e, &after);

	(void)letter;
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	return put_copies(e, ed_lines_copy(e, (size_t)e->first, (size_t)e->second), after);
}

static enum ed_result run_put(struct ed *e, char letter, int *print)
{
	enum ed_result result = ed_address_check(e, e->current, true);

	(void)letter;
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	if (e->cut.n == 0)
		return ed_fail(e, "Nothing to put");
	return put_copies(e, e->cut, (size_t)e->second);
}

static enum ed_result run_yank(struct ed *e, char letter, int *print)
{
	enum ed_result result = ed_range_check(e, e->current, e->current);

	(void)letter;
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result == ED_OK)
		e->cut = ed_lines_copy(e, (size_t)e->first, (size_t)e->second);
	return result;
}

/* --- showing --- */

static enum ed_result run_print(struct ed *e, char letter, int *print)
{
	int how = letter == 'l' ? PRINT_LIST : letter == 'n' ? PRINT_NUMBER : PRINT_PLAIN;
	enum ed_result result = ed_range_check(e, e->current, e->current);

	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result == ED_OK)
		ed_print_lines(e, (size_t)e->first, (size_t)e->second, how | *print);
	*print = 0;
	return result;
}

/* An address alone, or nothing: the line behind this one; in the list of g, this one. */
static enum ed_result run_newline(struct ed *e, char letter, int *print)
{
	size_t next = e->current + (e->o->traditional || !e->in_global);
	enum ed_result result = ed_address_check(e, next, false);

	(void)letter;
	(void)print;
	e->at++;
	if (result == ED_OK)
		ed_print_lines(e, (size_t)e->second, (size_t)e->second, PRINT_PLAIN);
	return result;
}

static enum ed_result run_scroll(struct ed *e, char letter, int *print)
{
	size_t next = e->current + (e->o->traditional || !e->in_global);
	enum ed_result result = ed_address_check(e, next, false);
	uint64_t window = 0;

	(void)letter;
	if (result != ED_OK)
		return result;
	if (ed_peek(e) >= '1' && ed_peek(e) <= '9') {
		for (; byte_is_digit(ed_peek(e)); e->at++) {
			window = window * 10 + (uint64_t)(ed_peek(e) - '0');
			if (window > INT32_MAX)
				return ed_fail(e, "Number out of range");
		}
		e->window = window;
	}
	result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	size_t from = (size_t)e->second;
	size_t to = from + e->window - 1;

	ed_print_lines(e, from, to < e->nlines ? to : e->nlines, *print);
	*print = 0;
	return ED_OK;
}

static enum ed_result run_number(struct ed *e, char letter, int *print)
{
	enum ed_result result = ED_OK;

	(void)letter;
	if (e->naddr == 0)
		e->second = (int64_t)e->nlines;
	result = ed_suffix_read(e, print);
	if (result == ED_OK)
		cmd_printf(e->c, "%lld\n", (long long)e->second);
	return result;
}

static enum ed_result run_mark(struct ed *e, char letter, int *print)
{
	char name = ed_peek(e);
	enum ed_result result = ed_address_check(e, e->current, false);

	(void)letter;
	if (result == ED_OK && ed_at_end(e))
		result = ed_fail(e, "Invalid command suffix");
	if (result != ED_OK)
		return result;
	e->at++;
	result = ed_suffix_read(e, print);
	if (result == ED_OK && !byte_is_lower(name))
		result = ed_fail(e, "Invalid mark character");
	if (result == ED_OK)
		e->mark[name - 'a'] = ed_line_at(e, (size_t)e->second);
	return result;
}

/* --- files --- */

static enum ed_result run_edit(struct ed *e, char letter, int *print)
{
	char *name;

	(void)print;
	if (letter == 'e' && e->modified && !e->warned)
		return ED_MODIFIED;
	enum ed_result result = no_address(e);

	if (result == ED_OK)
		result = blank_before_name(e);
	if (result == ED_OK)
		result = ed_name_read(e, true, &name);
	if (result != ED_OK)
		return result;
	if (name == NULL && e->file == NULL)
		return ed_fail(e, "No current filename");
	if (name != NULL && name[0] != '!')
		e->file = name;
	ed_lines_reset(e);
	result = ed_file_read(e, name != NULL ? name : e->file, 0);
	ed_lines_forget(e);
	return result;
}

static enum ed_result run_file(struct ed *e, char letter, int *print)
{
	char *name;
	enum ed_result result = no_address(e);

	(void)letter;
	(void)print;
	if (result == ED_OK)
		result = blank_before_name(e);
	if (result == ED_OK)
		result = ed_name_read(e, false, &name);
	if (result != ED_OK)
		return result;
	if (name != NULL)
		e->file = name;
	if (e->file == NULL)
		return ed_fail(e, "No current filename");
	cmd_puts(e->c, e->file);
	cmd_putc(e->c, '\n');
	return ED_OK;
}

static enum ed_result run_read(struct ed *e, char letter, int *print)
{
	char *name;
	enum ed_result result = blank_before_name(e);

	(void)letter;
	(void)print;
	if (e->naddr == 0)
		e->second = (int64_t)e->nlines;
	if (result == ED_OK)
		result = ed_name_read(e, true, &name);
	if (result != ED_OK)
		return result;
	if (name == NULL && e->file == NULL)
		return ed_fail(e, "No current filename");
	if (name != NULL && name[0] != '!' && e->file == NULL)
		e->file = name;
	ed_undo_begin(e);
	return ed_file_read(e, name != NULL ? name : e->file, (size_t)e->second);
}

static enum ed_result run_write(struct ed *e, char letter, int *print)
{
	char *name;
	size_t written = 0;
	bool quit = ed_peek(e) == 'q' || ed_peek(e) == 'Q';
	char how = ed_peek(e);

	(void)print;
	e->at += quit;
	enum ed_result result = blank_before_name(e);

	if (result == ED_OK)
		result = ed_name_read(e, true, &name);
	if (result != ED_OK)
		return result;
	if (name == NULL && e->file == NULL)
		return ed_fail(e, "No current filename");
	if (e->naddr == 0 && e->nlines == 0)
		e->first = e->second = 0;
	else
		result = ed_range_check(e, 1, e->nlines);
	if (result != ED_OK)
		return result;
	if (name != NULL && name[0] != '!' && e->file == NULL)
		e->file = name;
	name = name != NULL ? name : e->file;
	result = ed_file_write(e, name, letter == 'W', (size_t)e->first, (size_t)e->second,
			       &written);
	if (result != ED_OK)
		return result;
	if (written == e->nlines && name[0] != '!')
		e->modified = false;
	else if (e->modified && quit && how == 'q' && !e->warned)
		return ED_MODIFIED;
	return quit ? ED_QUIT : ED_OK;
}

static enum ed_result run_shell(struct ed *e, char letter, int *print)
{
	enum ed_result result = no_address(e);

	(void)letter;
	(void)print;
	return result == ED_OK ? ed_shell_run(e) : result;
}

/* --- the rest --- */

static enum ed_result run_quit(struct ed *e, char letter, int *print)
{
	enum ed_result result = no_address(e);

	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	return letter == 'q' && e->modified && !e->warned ? ED_MODIFIED : ED_QUIT;
}

static enum ed_result run_help(struct ed *e, char letter, int *print)
{
	enum ed_result result = no_address(e);

	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result != ED_OK)
		return result;
	if (letter == 'H')
		e->o->verbose = !e->o->verbose;
	if (e->message != NULL && (letter == 'h' || e->o->verbose)) {
		cmd_puts(e->c, e->message);
		cmd_putc(e->c, '\n');
	}
	return ED_OK;
}

static enum ed_result run_prompt(struct ed *e, char letter, int *print)
{
	enum ed_result result = no_address(e);

	(void)letter;
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	if (result == ED_OK)
		e->prompting = !e->prompting;
	return result;
}

static enum ed_result run_undo(struct ed *e, char letter, int *print)
{
	enum ed_result result = no_address(e);

	(void)letter;
	if (result == ED_OK)
		result = ed_suffix_read(e, print);
	e->list_over = true;
	return result == ED_OK ? ed_undo_last(e) : result;
}

static enum ed_result run_comment(struct ed *e, char letter, int *print)
{
	(void)letter;
	(void)print;
	while (ed_peek(e) != '\n')
		e->at++;
	e->at++;
	return ED_OK;
}

static enum ed_result run_sub(struct ed *e, char letter, int *print)
{
	(void)letter;
	(void)print;
	return ed_sub_run(e);
}

static enum ed_result run_global(struct ed *e, char letter, int *print)
{
	return ed_global_run(e, letter, print);
}

typedef enum ed_result ed_command(struct ed *e, char letter, int *print);

static const struct {
	char letter;
	ed_command *run;
} commands[] = {
	{ 'a', run_append },   { 'i', run_append },  { 'c', run_change }, { 'd', run_change },
	{ 'e', run_edit },     { 'E', run_edit },    { 'f', run_file },   { 'g', run_global },
	{ 'G', run_global },   { 'v', run_global },  { 'V', run_global }, { 'h', run_help },
	{ 'H', run_help },     { 'j', run_join },    { 'k', run_mark },   { 'l', run_print },
	{ 'n', run_print },    { 'p', run_print },   { 'm', run_move },   { 'P', run_prompt },
	{ 'q', run_quit },     { 'Q', run_quit },    { 'r', run_read },   { 's', run_sub },
	{ 't', run_transfer }, { 'u', run_undo },    { 'w', run_write },  { 'W', run_write },
	{ 'x', run_put },      { 'y', run_yank },    { 'z', run_scroll }, { '=', run_number },
	{ '!', run_shell },    { '#', run_comment },
};

enum ed_result ed_command_run(struct ed *e)
{
	enum ed_result result = ed_addresses_read(e);
	ed_command *run = NULL;
	int print = 0;

	if (result != ED_OK)
		return result;
	ed_skip_blanks(e);
	char letter = ed_peek(e);

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].letter == letter)
			run = commands[i].run;
	if (letter == '\n' || ed_at_end(e))
		return run_newline(e, '\n', &print);
	if (run == NULL)
		return ed_fail(e, "Unknown command");
	e->at++;
	result = run(e, letter, &print);
	if (result == ED_OK && print != 0 && e->current == 0)
		return ed_fail(e, "Invalid address");
	if (result == ED_OK && print != 0)
		ed_print_lines(e, e->current, e->current, print);
	return result;
}
