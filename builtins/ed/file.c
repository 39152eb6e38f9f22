/* SPDX-License-Identifier: MIT
 *
 * ed's way to files and to other programs.
 *
 * A file with a NUL is binary: it keeps a missing newline at its end. Others get one.
 */
#include "builtins/ed/ed.h"

enum { NAME_MAX_BYTES = 4096 };

/* --- names --- */

static enum ed_result check_restricted(struct ed *e, const char *name)
{
	if (!e->o->restricted)
		return ED_OK;
	if (name[0] == '!')
		return ed_fail(e, "Shell access restricted");
	if (strcmp(name, "..") == 0 || strchr(name, '/') != NULL)
		return ed_fail(e, "Directory access restricted");
	return ED_OK;
}

/* A ! command: '%' becomes the file name, a first '!' the command before. */
static enum ed_result shell_text(struct ed *e, struct bytes *out)
{
	struct buf text = buf_in(e->c->arena);
	bool replaced = false;

	enum ed_result result = ed_extend(e, false);

	if (result == ED_OK && e->o->restricted)
		result = ed_fail(e, "Shell access restricted");
	if (result != ED_OK)
		return result;
	if (ed_peek(e) == '!') {
		if (e->shell.ptr == NULL)
			return ed_fail(e, "No previous command");
		buf_add(&text, e->shell);
		replaced = true;
		e->at++;
	}
	for (; !ed_at_end(e) && ed_peek(e) != '\n'; e->at++) {
		char ch = ed_peek(e);

		if (ch == '\\' && e->at + 1 < e->text.len) {
			char next = e->text.ptr[++e->at];

			/* A backslash joins a line to the next. */
			if (next == '\n')
				continue;
			if (next != '%')
				buf_putc(&text, ch);
			buf_putc(&text, next);
		} else if (ch == '%') {
			if (e->file == NULL)
				return ed_fail(e, "No current filename");
			buf_puts(&text, e->file);
			replaced = true;
		} else {
			buf_putc(&text, ch);
		}
	}
	e->at++;
	e->shell = *out = buf_bytes(&text);
	if (replaced) {
		cmd_bytes(e->c, *out);
		cmd_putc(e->c, '\n');
	}
	return ED_OK;
}

enum ed_result ed_name_read(struct ed *e, bool shell_allowed, char **out)
{
	struct buf name = buf_in(e->c->arena);

	*out = NULL;
	ed_skip_blanks(e);
	if (ed_peek(e) == '\n') {
		e->at++;
		return ED_OK;
	}
	if (ed_peek(e) == '!') {
		struct bytes text;

		if (!shell_allowed)
			return ed_fail(e, "Invalid redirection");
		e->at++;
		enum ed_result result = shell_text(e, &text);

		if (result != ED_OK)
			return result;
		buf_putc(&name, '!');
		buf_add(&name, text);
		*out = buf_cstr(&name);
		return ED_OK;
	}
	enum ed_result result = ed_extend(e, false);

	for (; result == ED_OK && ed_peek(e) != '\n'; e->at++) {
		if (ed_peek(e) == '\\' && e->at + 1 < e->text.len)
			e->at++;
		/* A name may go on behind a backslash at the end of a line. */
		if (ed_peek(e) != '\n')
			buf_putc(&name, ed_peek(e));
	}
	e->at++;
	if (result != ED_OK)
		return result;
	if (name.len > NAME_MAX_BYTES)
		return ed_fail(e, "Filename too long");
	*out = buf_cstr(&name);
	return check_restricted(e, *out);
}

/* --- shell commands --- */

static int start_shell(struct ed *e, const char *text, const int *fds)
{
	char *argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
			 (char *)(uintptr_t)text, NULL };

	/* The command goes on reading where ed is. */
	if (e->in_is_file)
		input_unread(&e->in);
	return cmd_spawn(e->c, &(struct cmd_program){ .argv = argv, .fds = fds, .nfds = 3 });
}

enum ed_result ed_shell_run(struct ed *e)
{
	struct bytes text;
	enum ed_result result = shell_text(e, &text);
	int status;

	if (result != ED_OK)
		return result;
	int pid = start_shell(e, arena_dup(e->c->arena, text), (int[]){ 0, 1, 2 });

	if (pid < 0)
		return ed_fail(e, "Can't create shell process");
	cmd_wait(e->c, pid, &status, false);
	if (!e->o->script)
		cmd_write(e->c, "!\n", 2);
	return ED_OK;
}

/* The output of a command. */
static int read_shell(struct ed *e, const char *text, struct bytes *out)
{
	struct input in;
	int fds[2];
	int status;
	int err = cmd_pipe(e->c, fds);

	if (err < 0)
		return err;
	int pid = start_shell(e, text, (int[]){ 0, fds[1], 2 });

	cmd_close(e->c, fds[1]);
	if (pid < 0) {
		cmd_close(e->c, fds[0]);
		return pid;
	}
	input_init(&in, e->c, fds[0], text);
	err = input_all(&in, out);
	input_close(&in);
	cmd_wait(e->c, pid, &status, false);
	return err;
}

/* --- reading --- */

/* Cuts data into lines. Returns how many. */
static size_t cut_lines(struct ed *e, struct bytes data, struct ed_line ***out)
{
	size_t n = (size_t)bytes_count(data, '\n');

	n += data.len > 0 && data.ptr[data.len - 1] != '\n';
	struct ed_line *line = arena_array(e->c->arena, n, sizeof(*line));

	*out = arena_array(e->c->arena, n, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		const char *hit = memchr(data.ptr, '\n', data.len);
		size_t len = hit != NULL ? (size_t)(hit - data.ptr) : data.len;

		line[i].text = bytes_slice(data, 0, len);
		if (e->o->strip_cr && hit != NULL && len > 0 && data.ptr[len - 1] == '\r')
			line[i].text.len--;
		(*out)[i] = &line[i];
		data = bytes_slice(data, hit != NULL ? len + 1 : len, data.len);
	}
	cmd_charge(e->c, n);
	return n;
}

/* Puts what was read behind `after`; *size: bytes, as they are told. */
static void insert_data(struct ed *e, struct bytes data, size_t after, size_t *size)
{
	struct ed_line **line;
	size_t n = cut_lines(e, data, &line);
	bool at_end = after == e->nlines;
	bool was_binary = e->binary;
	bool newline_missing = data.len > 0 && data.ptr[data.len - 1] != '\n';
	bool unterminated = at_end && after > 0 && was_binary &&
			    e->unterminated == ed_line_at(e, after);

	*size = n - newline_missing;
	for (size_t i = 0; i < n; i++)
		*size += line[i]->text.len;
	e->binary |= memchr(data.ptr, '\0', data.len) != NULL;
	ed_lines_insert(e, after, line, n);
	e->current = after + n;
	e->modified |= n > 0;
	if (unterminated && data.len > 0)
		cmd_puts(e->c, "Newline inserted\n");
	if (newline_missing && (!at_end || !e->binary)) {
		cmd_puts(e->c, "Newline appended\n");
		*size += !was_binary;
	}
	if (at_end && e->binary && (newline_missing || data.len == 0))
		e->unterminated = e->nlines > 0 ? ed_line_at(e, e->nlines) : NULL;
}

enum ed_result ed_file_read(struct ed *e, const char *name, size_t after)
{
	struct bytes data = { "", 0 };
	const char *why = "Cannot open input file";
	size_t size;
	int err;

	if (name[0] == '!') {
		err = read_shell(e, name + 1, &data);
	} else {
		struct input in;

		err = input_open(&in, e->c, name);
		if (err >= 0) {
			why = "Cannot read input file";
			err = input_all(&in, &data);
			input_close(&in);
		}
	}
	if (err < 0) {
		ed_complain(e, name, err_text(-err));
		return ed_fail(e, why);
	}
	insert_data(e, data, after, &size);
	if (!e->o->script)
		cmd_printf(e->c, "%zu\n", size);
	return ED_OK;
}

/* --- writing --- */

static size_t put_lines(struct ed *e, struct output *out, size_t from, size_t to)
{
	size_t size = 0;

	for (size_t at = from; at >= 1 && at <= to; at++) {
		const struct ed_line *line = ed_line_at(e, at);
		bool last = at == e->nlines && e->binary && line == e->unterminated;

		output_write(out, line->text.ptr, line->text.len);
		if (!last)
			output_putc(out, '\n');
		size += line->text.len + !last;
		cmd_charge_bytes(e->c, line->text.len);
	}
	return size;
}

static int write_shell(struct ed *e, const char *text, size_t from, size_t to, size_t *size,
		       int *status)
{
	struct output out;
	int fds[2];
	int err = cmd_pipe(e->c, fds);

	if (err < 0)
		return err;
	int pid = start_shell(e, text, (int[]){ fds[0], 1, 2 });

	cmd_close(e->c, fds[0]);
	if (pid >= 0) {
		output_init(&out, e->c, fds[1], true);
		*size = put_lines(e, &out, from, to);
		output_close(&out);
		cmd_wait(e->c, pid, status, false);
	} else {
		cmd_close(e->c, fds[1]);
	}
	return pid < 0 ? pid : 0;
}

enum ed_result ed_file_write(struct ed *e, const char *name, bool append, size_t from, size_t to,
			     size_t *written)
{
	const char *why = "Cannot open output file";
	size_t size = 0;
	int status = 0;
	int err;

	if (name[0] == '!') {
		err = write_shell(e, name + 1, from, to, &size, &status);
	} else {
		struct output out;

		err = output_open(&out, e->c, name, append ? O_APPEND_ : O_TRUNC_, true);
		if (err >= 0) {
			why = "Cannot write file";
			size = put_lines(e, &out, from, to);
			err = output_close(&out);
		}
	}
	if (err < 0) {
		ed_complain(e, name, err_text(-err));
		return ed_fail(e, why);
	}
	if (status != 0) {
		ed_complain(e, name, "Success");
		return ed_fail(e, "Cannot close output file");
	}
	if (!e->o->script)
		cmd_printf(e->c, "%zu\n", size);
	*written = from >= 1 && to >= from ? to + 1 - from : 0;
	return ED_OK;
}
