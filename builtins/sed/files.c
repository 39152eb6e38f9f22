/* SPDX-License-Identifier: MIT
 *
 * sed: the files it reads, writes and edits in place.
 *
 * Whether a line is the last one is known by looking for the next byte: in the buffer, behind
 * it, and in the files that follow. The pattern space may be a view of that buffer, so it gets
 * memory of its own before the buffer is filled again.
 */
#include "builtins/sed/sed.h"

/* --- output --- */

void sed_missing_newline(struct sed *s, struct sed_out *out)
{
	if (!out->missing_newline)
		return;
	out->missing_newline = false;
	output_putc(out->o, s->delim);
}

void sed_put(struct sed *s, struct sed_out *out, struct bytes text, bool ended)
{
	sed_missing_newline(s, out);
	output_write(out->o, text.ptr, text.len);
	if (ended)
		output_putc(out->o, s->delim);
	else
		out->missing_newline = true;
	if (s->unbuffered)
		output_flush(out->o);
}

struct sed_out *sed_open_out(struct sed *s, struct bytes name)
{
	struct sed_out **last = &s->outs;
	int err;

	for (; *last != NULL; last = &(*last)->next) {
		cmd_charge(s->c, 1);
		if (bytes_is(name, (*last)->name))
			return *last;
	}
	struct sed_out *out = arena_zalloc(s->c->arena, sizeof *out);

	out->name = arena_dup(s->c->arena, name);
	out->o = &out->own;
	*last = out;
	if (bytes_is(name, "/dev/stdout") && !s->posix) {
		/* The same buffer as s->outs, but what is due there is not known here. */
		out->o = &s->c->out;
		return out;
	}
	if (bytes_is(name, "/dev/stderr")) {
		output_init(&out->own, s->c, 2, false);
		return out;
	}
	err = output_open(&out->own, s->c, out->name, O_TRUNC_, false);
	if (err < 0)
		cmd_fatal_status(s->c, 4, err, "couldn't open file %s", out->name);
	return out;
}

void sed_drop_temp(struct sed *s)
{
	if (s->temp_path != NULL && s->cur == &s->edited)
		cmd_unlink(s->c, CMD_CWD, s->temp_path, 0);
}

_Noreturn void sed_read_failed(struct sed *s, const char *name, int err)
{
	sed_drop_temp(s);
	cmd_fatal_status(s->c, 4, 0, "read error on %s: %s",
			 strcmp(name, "-") == 0 ? "stdin" : name, err_text(err));
}

/* --- r and R --- */

struct sed_in *sed_open_in(struct sed *s, struct bytes name)
{
	struct sed_in **last = &s->ins;

	for (; *last != NULL; last = &(*last)->next) {
		cmd_charge(s->c, 1);
		if (bytes_is(name, (*last)->name))
			return *last;
	}
	*last = arena_zalloc(s->c->arena, sizeof **last);
	(*last)->name = bytes_is(name, "/dev/stdin") ? "-" : arena_dup(s->c->arena, name);
	return *last;
}

/* What R reads begins anew with each separate file. */
static void rewind_ins(struct sed *s)
{
	for (struct sed_in *in = s->ins; in != NULL; in = in->next) {
		if (!in->opened || in->failed || in->in.is_stdin)
			continue;
		input_close(&in->in);
		in->opened = false;
	}
}

void sed_put_file(struct sed *s, struct bytes name)
{
	struct arena_mark mark = arena_mark(s->c->arena);
	struct input in;
	struct bytes block;
	char *path = bytes_is(name, "/dev/stdin") ? arena_dup(s->c->arena, BYTES("-"))
						  : arena_dup(s->c->arena, name);

	if (input_open(&in, s->c, path) >= 0) {
		int more;

		while ((more = input_block(&in, &block)) > 0)
			output_write(s->cur->o, block.ptr, block.len);
		if (more < 0)
			sed_read_failed(s, path, more);
		input_close(&in);
	}
	arena_release(s->c->arena, mark);
}

void sed_dump_appends(struct sed *s)
{
	for (size_t i = 0; i < s->nappends; i++) {
		struct sed_append *a = &s->appends[i];

		sed_missing_newline(s, s->cur);
		if (a->kind == 'r') {
			sed_put_file(s, a->text);
			continue;
		}
		output_write(s->cur->o, a->text.ptr, a->text.len);
		if (a->copy != NULL)
			pool_free(s->c->pool, a->copy, a->text.len + 1);
	}
	s->nappends = 0;
}

/* --- editing in place --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* A name in the directory of path. */
static char *beside(struct sed *s, const char *path, const char *name)
{
	struct buf out = buf_in(s->c->arena);

	buf_put(&out, path, (size_t)(base_name(path) - path));
	buf_puts(&out, name);
	return buf_cstr(&out);
}

static int open_temp(struct sed *s)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	int err = -E_EXIST;

	for (int tries = 0; tries < 100 && err == -E_EXIST; tries++) {
		char name[] = "sedXXXXXX";

		for (int i = 3; i < 9; i++)
			name[i] = letters[cmd_random(s->c) % 62];
		s->temp_path = beside(s, s->edited_path, name);
		err = output_open(&s->edited.own, s->c, s->temp_path, O_EXCL_, false);
	}
	if (err >= 0)
		s->edited.own.drop = s->temp_path;
	return err;
}

static char *backup_path(struct sed *s)
{
	const char *base = base_name(s->edited_path);
	struct buf name = buf_in(s->c->arena);

	if (strchr(s->suffix, '*') == NULL)
		buf_puts(&name, base);
	for (const char *at = s->suffix; *at != '\0'; at++) {
		if (*at == '*')
			buf_puts(&name, base);
		else
			buf_putc(&name, *at);
	}
	if (strchr(buf_cstr(&name), '/') != NULL)
		return name.ptr;
	return beside(s, s->edited_path, name.ptr);
}

/* False after a message: the file is left alone. */
static bool begin_edit(struct sed *s, const char *path)
{
	struct cmd *c = s->c;

	s->edited_path = arena_dup(c->arena, bytes_of(path));
	if (cmd_fstat(c, s->in.fd, &s->edited_st) < 0 || (s->edited_st.mode & S_FMT) != S_REG) {
		cmd_fatal_status(c, 4, 0, "couldn't edit %s: not a regular file", path);
	}
	s->edited = (struct sed_out){ .o = &s->edited.own };
	int err = open_temp(s);

	if (err < 0)
		cmd_fatal_status(c, 4, err, "couldn't open temporary file %s", s->temp_path);
	cmd_chmod(c, CMD_CWD, s->temp_path, s->edited_st.mode & 07777, 0);
	s->cur = &s->edited;
	return true;
}

static void rename_or_die(struct sed *s, const char *from, const char *to)
{
	int err = cmd_rename(s->c, CMD_CWD, from, CMD_CWD, to, 0);

	if (err >= 0)
		return;
	cmd_unlink(s->c, CMD_CWD, s->temp_path, 0);
	cmd_fatal_status(s->c, 4, err, "cannot rename %s", from);
}

static void end_edit(struct sed *s)
{
	struct cmd *c = s->c;

	if (s->edited_path == NULL || s->cur != &s->edited)
		return;
	s->cur = s->outs;
	output_close(&s->edited.own);
	if (cmd_uid(c) == 0)
		cmd_chown(c, CMD_CWD, s->temp_path, s->edited_st.uid, s->edited_st.gid, 0);
	cmd_chmod(c, CMD_CWD, s->temp_path, s->edited_st.mode & 07777, 0);
	if (s->suffix != NULL && s->suffix[0] != '\0')
		rename_or_die(s, s->edited_path, backup_path(s));
	rename_or_die(s, s->temp_path, s->edited_path);
	s->edited_path = NULL;
}

/* --- input --- */

static void close_input(struct sed *s)
{
	input_close(&s->in);
	s->is_open = false;
	if (s->in_place)
		end_edit(s);
}

/* --follow-symlinks: the name that a link leads to in the end. */
static const char *follow_links(struct sed *s, const char *path)
{
	enum { LINKS_MAX = 40 };
	const char *name = path;

	for (int i = 0; i < LINKS_MAX; i++) {
		struct buf next = buf_in(s->c->arena);
		struct bytes target;
		int err = cmd_readlink(s->c, CMD_CWD, name, &target);

		if (err == -E_INVAL)
			return name;
		if (err < 0)
			cmd_fatal_status(s->c, 4, err, "couldn't readlink %s", name);
		if (target.len == 0 || target.ptr[0] != '/')
			buf_put(&next, name, (size_t)(base_name(name) - name));
		buf_add(&next, target);
		name = buf_cstr(&next);
	}
	cmd_fatal_status(s->c, 4, -E_LOOP, "couldn't follow symlink %s", path);
}

/* "-" is a file of that name if it is to be edited. */
static int open_input(struct sed *s, const char *path)
{
	if (!s->in_place || strcmp(path, "-") != 0)
		return input_open(&s->in, s->c, path);
	int fd = cmd_open(s->c, CMD_CWD, path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0)
		return fd;
	input_init(&s->in, s->c, fd, path);
	return 0;
}

/* Opens the next file that can be read. False: none is left. */
static bool open_next(struct sed *s)
{
	while (s->next_file < s->nfiles) {
		const char *path = s->files[s->next_file++];

		if (s->follow && strcmp(path, "-") != 0)
			path = follow_links(s, path);
		int err = open_input(s, path);

		if (err < 0) {
			s->status = 2;
			cmd_warn(s->c, 0, "can't read %s: %s", path, err_text(err));
			continue;
		}
		s->is_open = true;
		s->open_name = path;
		if (s->in_place && !begin_edit(s, path)) {
			input_close(&s->in);
			s->is_open = false;
			continue;
		}
		/* Nothing behind a line is taken from a shared input. */
		if (s->unbuffered && s->in.is_stdin)
			s->in.most = 1;
		if (s->separate) {
			s->line = 0;
			s->hold.len = 0;
			rewind_ins(s);
			sed_reset_ranges(s);
		}
		return true;
	}
	return false;
}

/* Whether the open input has more bytes; fetches them. */
static bool input_has_more(struct sed *s)
{
	if (s->in.from < s->in.to)
		return true;
	sed_own(s, &s->space, 0);
	int byte = input_byte(&s->in);

	if (byte < -1)
		sed_read_failed(s, s->open_name, byte + 1);
	if (byte < 0)
		return false;
	input_unbyte(&s->in);
	return true;
}

bool sed_has_next(struct sed *s)
{
	for (;;) {
		if (s->is_open) {
			if (input_has_more(s))
				return true;
			if (s->separate)
				return false;
			close_input(s);
		}
		if (!open_next(s))
			return false;
	}
}

/* A line, byte by byte. */
static int read_exactly(struct sed *s, struct bytes *line)
{
	struct sed_space *work = &s->work;
	int byte;

	work->len = 0;
	work->ptr = work->own;
	while ((byte = input_byte(&s->in)) >= 0 && (char)byte != s->delim) {
		char ch = (char)byte;

		sed_append(s, work, (struct bytes){ &ch, 1 });
	}
	s->in.ended = byte >= 0;
	*line = sed_bytes(work);
	if (byte < -1)
		return byte + 1;
	return work->len > 0 || byte >= 0;
}

static void take_line(struct sed *s, struct bytes line, bool append)
{
	s->space.ended = s->in.ended;
	s->line++;
	if (append) {
		sed_append(s, &s->space, (struct bytes){ &s->delim, 1 });
		sed_append(s, &s->space, line);
		return;
	}
	/* A view: nothing is copied until a command changes it. */
	s->space.ptr = (char *)(uintptr_t)line.ptr;
	s->space.len = line.len;
	if (line.len == 0 || s->unbuffered) {
		s->space.ptr = s->space.own;
		s->space.len = 0;
		sed_append(s, &s->space, line);
	}
}

bool sed_read_line(struct sed *s, bool append)
{
	struct bytes line = BYTES("");

	if (append)
		sed_own(s, &s->space, 1);
	for (;;) {
		if (!s->is_open && !open_next(s))
			return false;
		int more = s->unbuffered && s->in.is_stdin ? read_exactly(s, &line)
							   : input_line(&s->in, s->delim, &line);

		if (more < 0)
			sed_read_failed(s, s->open_name, more);
		if (more > 0)
			break;
		close_input(s);
	}
	take_line(s, line, append);
	return true;
}

void sed_close_files(struct sed *s)
{
	if (s->is_open)
		close_input(s);
	for (struct sed_out *out = s->outs; out != NULL; out = out->next)
		if (out->o == &out->own)
			output_close(out->o);
}
