/* SPDX-License-Identifier: MIT
 *
 * ed - edit lines by commands from standard input.
 *
 * Standard input that is a file is a script: its first error ends ed. From a pipe ed goes on, and
 * the status tells.
 */
#include "builtins/ed/ed.h"

enum { STATUS_FATAL = 2, WINDOW_LINES = 22 };

static const struct opt ed_options[] = {
	OPT_FLAG('E', "extended-regexp", struct ed_opts, extended, "extended regular expressions"),
	OPT_FLAG('G', "traditional", struct ed_opts, traditional, "as older versions did"),
	OPT_FLAG('l', "loose-exit-status", struct ed_opts, loose,
		 "status 0 even if a command fails"),
	OPT_STR('p', "prompt", struct ed_opts, prompt, NULL, "STRING",
		"STRING before each command is read"),
	OPT_FLAG('q', "quiet", struct ed_opts, quiet, "nothing on standard error"),
	OPT_FLAG(0, "silent", struct ed_opts, quiet, "the same"),
	OPT_FLAG('r', "restricted", struct ed_opts, restricted,
		 "only files of this directory, no shell commands"),
	OPT_FLAG('s', "script", struct ed_opts, script, "no byte counts, no '!' behind commands"),
	OPT_FLAG('v', "verbose", struct ed_opts, verbose, "explain errors, as the command H does"),
	OPT_FLAG(0, "strip-trailing-cr", struct ed_opts, strip_cr,
		 "remove carriage returns at ends of lines"),
	OPT_END(),
};

/* --- messages --- */

enum ed_result ed_fail(struct ed *e, const char *message)
{
	e->message = message;
	return ED_ERROR;
}

void ed_complain(struct ed *e, const char *what, const char *why)
{
	struct buf text = buf_in(e->c->arena);

	if (e->o->quiet)
		return;
	buf_puts(&text, what);
	if (why != NULL)
		buf_printf(&text, ": %s", why);
	buf_putc(&text, '\n');
	cmd_flush(e->c);
	cmd_err_write(e->c, text.ptr, text.len);
}

/* Says that something went wrong. A script ends there. */
static void show_error(struct ed *e)
{
	cmd_write(e->c, "?\n", 2);
	if (!e->o->verbose)
		return;
	if (e->in_is_file)
		cmd_printf(e->c, "script, line %llu: ", (unsigned long long)e->script_line);
	cmd_puts(e->c, e->message);
	cmd_putc(e->c, '\n');
}

/* --- reading commands --- */

/* Byte by byte, so that shell commands find in a pipe what follows. */
static bool read_typed(struct ed *e, struct bytes *out)
{
	char ch;

	e->typed.len = 0;
	while (cmd_read(e->c, 0, &ch, 1) == 1) {
		if (ch == '\n') {
			*out = buf_bytes(&e->typed);
			return true;
		}
		buf_putc(&e->typed, ch);
	}
	return false;
}

bool ed_read(struct ed *e, struct bytes *out)
{
	/* What is not a whole line is nothing. */
	if (e->in_is_file ? input_line(&e->in, '\n', out) <= 0 || !e->in.ended
			  : !read_typed(e, out))
		return false;
	e->script_line++;
	cmd_charge(e->c, 1);
	return true;
}

void ed_skip_blanks(struct ed *e)
{
	while (byte_is_space(ed_peek(e)) && ed_peek(e) != '\n')
		e->at++;
}

static bool ends_escaped(struct bytes s, size_t from)
{
	size_t n = 0;

	while (s.len > from + n && s.ptr[s.len - 1 - n] == '\\')
		n++;
	return n % 2 != 0;
}

enum ed_result ed_extend(struct ed *e, bool strip)
{
	struct buf text = buf_in(e->c->arena);

	if (e->in_global || !ends_escaped(e->text, e->at))
		return ED_OK;
	buf_add(&text, e->text);
	for (size_t from = e->at; ends_escaped(buf_bytes(&text), from);) {
		struct bytes more;

		if (!ed_read(e, &more))
			return ed_fail(e, "Unexpected end-of-file");
		text.len -= strip;
		buf_putc(&text, '\n');
		from = text.len;
		buf_add(&text, more);
	}
	e->text = buf_bytes(&text);
	return ED_OK;
}

/* --- running --- */

/* True if ed ends: changes that would be lost are told first, and the end is read again. */
static bool end_of_input(struct ed *e)
{
	if (!e->modified || e->warned)
		return true;
	e->message = "Warning: buffer modified";
	e->warned = true;
	e->status = STATUS_FATAL;
	show_error(e);
	return e->in_is_file;
}

static bool run_line(struct ed *e)
{
	struct bytes line;

	if (e->prompting)
		cmd_puts(e->c, e->o->prompt != NULL ? e->o->prompt : "*");
	cmd_flush(e->c);
	if (!ed_read(e, &line))
		return !end_of_input(e);
	/* Reading more lines must not take it away. */
	e->text = arena_bytes(e->c->arena, line);
	e->at = 0;
	enum ed_result result = ed_command_run(e);

	e->in_global = false;
	e->warned = false;
	if (result == ED_OK)
		return true;
	if (result == ED_QUIT)
		return false;
	if (result == ED_MODIFIED) {
		e->message = "Warning: buffer modified";
		e->warned = true;
	}
	show_error(e);
	e->status = 1;
	return !e->in_is_file;
}

static void start(struct ed *e, struct cmd *c)
{
	struct vfs_stat st;

	e->c = c;
	e->o = c->opts;
	e->window = WINDOW_LINES;
	e->prompting = e->o->prompt != NULL;
	for (int i = 0; i < 2; i++)
		arena_init_under(&e->history[i].arena, c->arena);
	for (int i = 0; i < PATTERN_SLOTS; i++)
		arena_init_under(&e->slots[i].arena, c->arena);
	e->undo = &e->history[0];
	e->in_is_file = cmd_fstat(c, 0, &st) == 0 && (st.mode & S_FMT) == S_REG;
	input_init(&e->in, c, 0, "-");
	e->typed = buf_in(c->arena);
}

/* False: ed ends. */
static bool edit_first(struct ed *e, char *name)
{
	enum ed_result result = ED_OK;

	if (e->o->restricted && name[0] == '!')
		result = ed_fail(e, "Shell access restricted");
	else if (e->o->restricted && (strcmp(name, "..") == 0 || strchr(name, '/') != NULL))
		result = ed_fail(e, "Directory access restricted");
	if (result == ED_OK && name[0] != '!')
		e->file = name;
	if (result == ED_OK)
		result = ed_file_read(e, name, 0);
	ed_lines_forget(e);
	if (result != ED_OK && e->in_is_file) {
		e->status = STATUS_FATAL;
		return false;
	}
	if (result != ED_OK && e->in_is_file) {
		e->status = STATUS_FATAL;
		return false;
	}
	/* A file that is not there will be made. */
	if (result == ED_OK || strcmp(e->message, "Cannot open input file") == 0)
		return true;
	e->status = 1;
	show_error(e);
	return true;
}

static int ed_run(struct cmd *c)
{
	struct ed e = { 0 };
	int i = 0;
	bool more = true;

	start(&e, c);
	for (; i < c->nargs && strcmp(c->args[i], "-") == 0; i++)
		e.o->script = true;
	if (i < c->nargs)
		more = edit_first(&e, c->args[i]);
	while (more)
		more = run_line(&e);
	for (int k = 0; k < 2; k++)
		arena_clear(&e.history[k].arena);
	for (int k = 0; k < PATTERN_SLOTS; k++)
		arena_clear(&e.slots[k].arena);
	input_close(&e.in);
	return e.o->loose ? 0 : e.status;
}

const struct builtin builtin_ed = {
	.name = "ed",
	.usage = "[OPTION]... [FILE]",
	.summary = "Edits FILE by commands from standard input.",
	.run = ed_run,
	.opts = ed_options,
	.opts_size = sizeof(struct ed_opts),
	.family = "GNU ed 1.19",
	.version = "GNU ed 1.19",
};
