/* SPDX-License-Identifier: MIT
 *
 * -M: archives of several files. A volume begins with the label (-V), and with a header of type M
 * if a member goes on there: its name, what is left of it and how much came before. Which file is
 * next is said by several -f; when they are used up, by a script (-F) or by an answer.
 */
#include "builtins/tar/tar.h"

enum { VOLUME_NAME_MAX = 4096 };

static struct tar_volumes *volumes_of(struct tar *t)
{
	return &t->volumes;
}

/* --- the number of the volume --- */

void volumes_begin(struct tar *t)
{
	struct tar_volumes *v = volumes_of(t);
	struct bytes text;
	uint64_t n;

	if (v->n == 0) {
		v->file = arena_array(t->c->arena, 1, sizeof(*v->file));
		v->file[v->n++] = t->file;
	}
	if (cmd_getcwd(t->c, &v->home) < 0)
		v->home = NULL;
	v->number = 1;
	if (v->number_file == NULL || cmd_read_all(t->c, v->number_file, &text) < 0)
		return;
	while (text.len > 0 && byte_is_space((unsigned char)text.ptr[text.len - 1]))
		text.len--;
	if (!num_plain(arena_dup(t->c->arena, text), &n) || n == 0)
		tar_fatal(t, 0, "%s: contains invalid volume number", tar_quote(t, v->number_file));
	v->number = n;
}

void volumes_end(struct tar *t)
{
	struct tar_volumes *v = volumes_of(t);
	struct buf text = buf_in(t->c->arena);
	struct output out;

	if (v->number_file == NULL)
		return;
	int err = output_open(&out, t->c, v->number_file, O_TRUNC_, false);

	if (err < 0)
		tar_fatal(t, err, "%s: Cannot open", tar_quote(t, v->number_file));
	buf_printf(&text, "%llu\n", (unsigned long long)v->number);
	output_write(&out, text.ptr, text.len);
	output_close(&out);
}

/* --- what file is next --- */

static _Noreturn void give_up(struct tar *t)
{
	if (t->mode == TAR_CREATE)
		tar_warn(t, 0, "WARNING: Archive is incomplete");
	tar_fatal(t, 0, NULL);
}

static void set(struct tar *t, struct env *env, const char *name, const char *value)
{
	struct buf text = buf_in(t->c->arena);

	buf_printf(&text, "TAR_%s=%s", name, value);
	env_put(env, buf_cstr(&text));
}

static void set_number(struct tar *t, struct env *env, const char *name, uint64_t n)
{
	struct buf text = buf_in(t->c->arena);

	buf_put_u64(&text, n);
	set(t, env, name, buf_cstr(&text));
}

static void make_environment(struct tar *t, struct env *env, int fd)
{
	static const char *const formats[] = { "gnu", "oldgnu", "ustar", "v7", "posix" };

	env_init(env, t->c, false);
	set(t, env, "VERSION", "1.34");
	set(t, env, "ARCHIVE", t->file);
	set_number(t, env, "VOLUME", volumes_of(t)->number + 1);
	set_number(t, env, "BLOCKING_FACTOR", t->factor);
	set(t, env, "SUBCOMMAND", tar_mode_option(t));
	set(t, env, "FORMAT", formats[t->format]);
	set_number(t, env, "FD", (uint64_t)fd);
}

/* -F: the script may write the next file's name to a descriptor. */
static void run_script(struct tar *t, const char *script)
{
	enum { NAME_FD = 3 };
	static char sh[] = "/bin/sh";
	static char flag[] = "-c";
	char *argv[] = { sh, flag, arena_dup(t->c->arena, bytes_of(script)), NULL };
	struct env env;
	char name[VOLUME_NAME_MAX];
	size_t len = 0;
	int64_t got;
	int ends[2];
	int status = 0;
	int err = cmd_pipe(t->c, ends);

	if (err < 0)
		tar_fatal(t, err, "Cannot open pipe");
	make_environment(t, &env, NAME_FD);
	output_flush(t->listing);
	int fds[] = { 0, 1, 2, ends[1] };
	struct cmd_program prog = { .argv = argv, .envp = env.list, .fds = fds, .nfds = 4 };
	int pid = cmd_spawn(t->c, &prog);

	cmd_close(t->c, ends[1]);
	while (len < sizeof name &&
	       (got = cmd_read(t->c, ends[0], name + len, sizeof name - len)) > 0)
		len += (size_t)got;
	cmd_close(t->c, ends[0]);
	if (pid < 0 || cmd_wait(t->c, pid, &status, false) < 0 || status != 0)
		tar_fatal(t, 0, "%s command failed", cmd_quote(t->c, script));
	while (len > 0 && name[len - 1] == '\n')
		len--;
	if (len > 0)
		t->file = pool_dup(t->c->pool, (struct bytes){ name, len });
}

static void prompt(struct tar *t)
{
	struct buf text = buf_in(t->c->arena);

	buf_printf(&text, "\aPrepare volume #%llu for %s and hit return: ",
		   (unsigned long long)volumes_of(t)->number + 1, cmd_quote(t->c, t->file));
	output_flush(t->listing);
	cmd_err_write(t->c, text.ptr, text.len);
}

/* A line of the answers; what is longer than a name can be ends the run. */
static struct bytes read_answer(struct tar *t)
{
	char line[VOLUME_NAME_MAX];
	size_t len = 0;

	while (len < sizeof line) {
		if (cmd_read(t->c, 0, line + len, 1) <= 0)
			break;
		if (line[len] == '\n')
			return bytes_of(arena_dup(t->c->arena, (struct bytes){ line, len }));
		len++;
	}
	tar_warn(t, 0, "EOF where user reply was expected");
	give_up(t);
}

static void ask_name(struct tar *t)
{
	static const char help[] =
		" n name        Give a new file name for the next (and subsequent) volume(s)\n"
		" q             Abort tar\n"
		" y or newline  Continue operation\n"
		" !             Spawn a subshell\n"
		" ?             Print this list\n";
	static const char invalid[] = "Invalid input. Type ? for help.\n";

	for (;;) {
		prompt(t);
		struct bytes answer = read_answer(t);
		char letter = answer.len > 0 ? answer.ptr[0] : '\0';

		cmd_charge(t->c, 16);
		if (letter == '\0' || letter == 'y' || letter == 'Y')
			return;
		if (letter == '?') {
			cmd_err_write(t->c, help, sizeof help - 1);
		} else if (letter == 'q') {
			tar_warn(t, 0, "No new volume; exiting.\n");
			give_up(t);
		} else if (letter == 'n') {
			struct bytes name = bytes_slice(answer, 1, answer.len);

			while (name.len > 0 && (*name.ptr == ' ' || *name.ptr == '\t'))
				name = bytes_slice(name, 1, name.len);
			t->file = pool_dup(t->c->pool, name);
			if (name.len > 0)
				return;
		} else {
			cmd_err_write(t->c, invalid, sizeof invalid - 1);
		}
	}
}

/* Sets the next file's name. */
static void choose_file(struct tar *t)
{
	struct tar_volumes *v = volumes_of(t);

	t->file = v->file[v->at];
	if (v->used_up && v->script != NULL) {
		volumes_end(t);
		run_script(t, v->script);
	} else if (v->used_up) {
		ask_name(t);
	}
	v->file[v->at] = t->file;
}

static void advance(struct tar *t)
{
	struct tar_volumes *v = volumes_of(t);

	if (++v->at == v->n) {
		v->at = 0;
		v->used_up = true;
	}
}

/* The next file's path: names count from where tar was started, not from -C. */
static const char *place_of(struct tar *t)
{
	const struct tar_volumes *v = volumes_of(t);
	struct buf path = buf_in(t->c->arena);

	if (t->file[0] == '/' || v->home == NULL || t->here < 0)
		return t->file;
	buf_printf(&path, "%s/%s", v->home, t->file);
	return buf_cstr(&path);
}

static int open_next(struct tar *t, unsigned flags)
{
	struct tar_volumes *v = volumes_of(t);

	if (t->a.fd > 2)
		cmd_close(t->c, t->a.fd);
	for (advance(t);; v->used_up = true) {
		choose_file(t);
		if (strcmp(t->file, "-") == 0)
			return t->mode == TAR_CREATE ? 1 : 0;
		int fd = cmd_open(t->c, CMD_CWD, place_of(t), flags | O_CLOEXEC_, 0666);

		if (fd >= 0)
			return fd;
		if (!v->used_up)
			tar_fatal(t, fd, "%s: Cannot open", tar_quote(t, t->file));
		tar_warn(t, fd, "%s: Warning: Cannot open", tar_quote(t, t->file));
	}
}

/* --- writing --- */

void volumes_put_label(struct tar *t)
{
	struct buf label = buf_in(t->c->arena);
	struct tar_member m = { .type = 'V' };

	buf_puts(&label, t->label);
	if (t->volumes.wanted)
		buf_printf(&label, " Volume %llu", (unsigned long long)t->volumes.number);
	m.stored = m.name = buf_cstr(&label);
	m.mtime_s = t->start_ns / 1000000000;
	header_write(t, &m, 0, 0);
}

static void put_continuation(struct tar *t, uint64_t left)
{
	struct tar_volumes *v = volumes_of(t);
	char header[TAR_BLOCK] = { 0 };
	size_t len = strlen(v->name);

	if (len > NAME_BYTES)
		tar_warn(t, 0,
			 "%s: file name too long to be stored in a GNU multivolume header, "
			 "truncated",
			 tar_quote(t, v->name));
	memcpy(header, v->name, len < NAME_BYTES ? len : NAME_BYTES);
	tar_put_number(t, header + AT_SIZE, 12, (int64_t)left);
	tar_put_number(t, header + AT_GNU_OFFSET, 12, (int64_t)(v->total - left));
	header[AT_TYPE] = 'M';
	header_put_checksum(header);
	archive_write(t, header, TAR_BLOCK);
}

uint64_t volumes_room(const struct tar *t)
{
	uint64_t record = t->factor * TAR_BLOCK;
	const struct tar_volumes *v = &t->volumes;

	if (!v->wanted || v->bytes == 0)
		return UINT64_MAX;
	return v->bytes / record * record - (t->a.written - v->start);
}

void volumes_next_write(struct tar *t)
{
	struct tar_volumes *v = volumes_of(t);
	struct tar_volumes before = *v;

	t->a.fd = open_next(t, O_WRONLY_ | O_CREAT_ | O_TRUNC_);
	output_init(&t->a.out, t->c, t->a.fd, true);
	t->a.out.by_line = false;
	v->number++;
	v->start = t->a.written;
	v->left = 0;
	if (t->label != NULL)
		volumes_put_label(t);
	v->name = before.name;
	v->total = before.total;
	v->at_header = before.at_header;
	/* GNU tar puts one in front of a file's own header too. */
	if (before.left > 0 || before.at_header)
		put_continuation(t, before.left > 0 ? before.left : before.size);
	v->size = before.size;
	v->left = before.left;
}

void volumes_header(struct tar *t, const struct tar_member *m)
{
	struct tar_volumes *v = volumes_of(t);

	if (!v->wanted)
		return;
	v->name = m->stored;
	v->total = m->real;
	v->size = m->size;
	v->left = 0;
	v->at_header = m->type == '0' && m->size > 0;
}

void volumes_data(struct tar *t)
{
	t->volumes.left = t->volumes.wanted ? t->volumes.size : 0;
	t->volumes.at_header = false;
}

/* --- reading --- */

/* Whether the header is that of what is being read; says what is wrong. */
static bool goes_on(struct tar *t, const char *header)
{
	struct tar_volumes *v = volumes_of(t);
	size_t len = strlen(v->name);
	int64_t size = 0;
	int64_t offset = 0;
	const char *name = cmd_quote(t->c, v->name);

	if (header[AT_TYPE] != 'M' || strncmp(header, v->name, NAME_BYTES) != 0) {
		tar_warn(t, 0, "%s is not continued on this volume", name);
		return false;
	}
	if (len >= NAME_BYTES)
		tar_warn(t, 0,
			 "%s is possibly continued on this volume: header contains truncated name",
			 name);
	if (!tar_number(header + AT_SIZE, 12, &size) ||
	    !tar_number(header + AT_GNU_OFFSET, 12, &offset) || size < 0 || offset < 0 ||
	    v->total != (uint64_t)size + (uint64_t)offset) {
		tar_warn(t, 0, "%s is the wrong size (%llu != %lld + %lld)", name,
			 (unsigned long long)v->total, (long long)size, (long long)offset);
		return false;
	}
	if (v->total - v->left != (uint64_t)offset) {
		tar_warn(t, 0, "This volume is out of sequence (%llu - %llu != %lld)",
			 (unsigned long long)v->total, (unsigned long long)v->left,
			 (long long)offset);
		return false;
	}
	return true;
}

static void drop_volume(struct tar *t)
{
	t->a.base += t->a.to;
	t->a.from = t->a.to = 0;
}

void volumes_next_read(struct tar *t)
{
	struct tar_volumes *v = volumes_of(t);
	uint64_t left = v->left;

	for (;;) {
		t->a.fd = open_next(t, O_RDONLY_);
		t->a.at_end = false;
		/* Reading the header must not look for a further volume. */
		v->inside = true;
		v->left = 0;
		const char *header = archive_block(t);

		if (header != NULL && header[AT_TYPE] == 'V')
			header = archive_block(t);
		v->inside = false;
		v->left = left;
		t->a.at_end = false;
		if (header != NULL && header_check(header) == HEADER_BAD) {
			tar_error(t, 0, "This does not look like a tar archive");
			drop_volume(t);
			continue;
		}
		/* A header of the next member, in front of its own, says nothing. */
		if (left == 0 && header != NULL && header[AT_TYPE] != 'M')
			t->a.from -= TAR_BLOCK;
		if (left == 0)
			break;
		if (header != NULL && goes_on(t, header))
			break;
		if (header == NULL)
			tar_warn(t, 0, "%s is not continued on this volume",
				 cmd_quote(t->c, v->name));
		drop_volume(t);
	}
	v->number++;
}
