/* SPDX-License-Identifier: MIT
 *
 * Where print writes: files, commands, and the descriptors that have names. A stream stays open
 * under its name until close() or the end.
 */
#include "builtins/awk/code.h"

static bool is_output(enum redirect kind)
{
	return kind >= REDIRECT_FILE && kind <= REDIRECT_BOTH;
}

/* > and >> are the same stream once it is open. */
static enum redirect family(enum redirect kind)
{
	return kind == REDIRECT_APPEND ? REDIRECT_FILE : kind;
}

struct stream *awk_stream_of(struct awk *a, enum redirect kind, struct bytes name)
{
	awk_work_long(a, name.len);
	for (struct stream *s = a->streams; s != NULL; s = s->next)
		if (family(s->kind) == family(kind) && bytes_eq(str_bytes(s->name), name))
			return s;
	return NULL;
}

struct stream *awk_stream_new(struct awk *a, enum redirect kind, struct bytes name)
{
	struct stream *s = NULL;

	/* What has been closed is used again. */
	for (s = a->streams; s != NULL && s->kind != REDIRECT_NONE; s = s->next)
		;
	if (s == NULL) {
		s = pool_zalloc(a->pool, sizeof *s);
		s->next = a->streams;
		a->streams = s;
	} else {
		struct stream *next = s->next;

		str_put(a, s->name);
		*s = (struct stream){ .next = next };
	}
	s->kind = kind;
	s->name = awk_str_new(a, name);
	return s;
}

void awk_sink_flush_all(struct awk *a)
{
	cmd_flush(a->c);
	output_flush(a->stdout_to);
	for (struct stream *s = a->streams; s != NULL; s = s->next)
		if (s->kind != REDIRECT_NONE && s->out != NULL)
			output_flush(s->out);
}

void awk_sink_set_stdout(struct awk *a, struct output *o)
{
	for (struct stream *s = a->streams; s != NULL; s = s->next)
		if (s->out == a->stdout_to)
			s->out = o;
	a->stdout_to = o;
}

/* What ENVIRON holds now is what commands see. */
static char **environment(struct awk *a)
{
	const struct val *environ = &a->globals[GLOBAL_ENVIRON];
	const struct array *x = environ->kind == VAL_ARRAY ? environ->u.array : NULL;
	char **list = arena_array(&a->scratch, (x != NULL ? x->count : 0) + 1, sizeof *list);
	size_t n = 0;

	struct member *all = arena_array(&a->scratch, x != NULL ? x->count : 0, sizeof *all);

	if (x != NULL)
		awk_walk_list(a, x, all);
	for (size_t i = 0; x != NULL && i < x->count; i++) {
		struct text_room tmp;
		struct bytes name = member_key(&all[i], &tmp);
		struct buf text = buf_in(&a->scratch);

		if (name.len == 0 || memchr(name.ptr, '=', name.len) != NULL ||
		    all[i].val->kind == VAL_ARRAY)
			continue;
		buf_add(&text, name);
		buf_putc(&text, '=');
		buf_add(&text, awk_val_text(a, all[i].val, &tmp));
		list[n++] = buf_cstr(&text);
	}
	return list;
}

int awk_spawn_shell(struct awk *a, const char *text, int in, int out)
{
	char name[] = "sh";
	char path[] = "/bin/sh";
	char option[] = "-c";
	char *argv[] = { name, option, arena_dup(&a->scratch, bytes_of(text)), NULL };
	int fds[] = { in, out == 1 ? a->stdout_to->fd : out, 2 };
	struct cmd_program program = {
		.argv = argv, .fds = fds, .nfds = 3, .envp = environment(a)
	};

	awk_sink_flush_all(a);
	int pid = cmd_spawn(a->c, &program);

	if (pid >= 0)
		return pid;
	argv[0] = path;
	return cmd_spawn(a->c, &program);
}

/* --- opening --- */

/* Whether PROCINFO says that errors of that name go to ERRNO: NONFATAL, or the name and that. */
static bool is_nonfatal(struct awk *a, struct bytes name)
{
	struct val *procinfo = &a->globals[GLOBAL_PROCINFO];
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf key = buf_in(&a->scratch);
	bool found;

	if (procinfo->kind != VAL_ARRAY)
		return false;
	buf_add(&key, name);
	buf_add(&key, a->subsep);
	buf_puts(&key, "NONFATAL");
	found = awk_array_find(procinfo->u.array, awk_key(BYTES("NONFATAL"))) != NULL ||
		awk_array_find(procinfo->u.array, awk_key(buf_bytes(&key))) != NULL;
	arena_release(&a->scratch, mark);
	return found;
}

/* /dev/stdout, /dev/stderr, /dev/fd/N and "-". */
static bool open_named(struct awk *a, struct stream *s, struct bytes name)
{
	struct vfs_stat st;
	uint64_t fd;

	if (bytes_is(name, "/dev/stdout") || bytes_is(name, "-")) {
		s->out = a->stdout_to;
		s->shared = true;
		return true;
	}
	if (bytes_is(name, "/dev/stderr"))
		fd = 2;
	else if (!bytes_starts(name, BYTES("/dev/fd/")) ||
		 !num_plain(arena_dup(&a->scratch, bytes_slice(name, 8, name.len)), &fd) ||
		 fd > 999 || cmd_fstat(a->c, (int)fd, &st) < 0)
		return false;
	output_init(&s->own, a->c, (int)fd, true);
	s->out = fd == 1 ? a->stdout_to : &s->own;
	s->shared = true;
	s->unbuffered = fd == 2;
	return true;
}

static int open_command(struct awk *a, struct stream *s, const char *text)
{
	int to[2];
	int from[2] = { -1, -1 };
	int err = cmd_pipe(a->c, to);

	if (err < 0)
		return err;
	if (s->kind == REDIRECT_BOTH && (err = cmd_pipe(a->c, from)) < 0)
		return err;
	s->pid = awk_spawn_shell(a, text, to[0], from[1] >= 0 ? from[1] : 1);
	cmd_close(a->c, to[0]);
	if (from[1] >= 0)
		cmd_close(a->c, from[1]);
	if (s->pid < 0)
		return s->pid;
	output_init(&s->own, a->c, to[1], true);
	s->out = &s->own;
	if (from[0] >= 0) {
		awk_reader_init(&s->in, from[0]);
		s->has_reader = true;
	}
	return 0;
}

static int open_connection(struct awk *a, struct stream *s, struct bytes name)
{
	int fd = awk_net_open(a, name);

	if (fd < 0)
		return fd;
	output_init(&s->own, a->c, fd, true);
	s->out = &s->own;
	if (s->kind == REDIRECT_BOTH) {
		awk_reader_init(&s->in, fd);
		s->has_reader = s->socket = true;
	}
	return 0;
}

static int open_stream(struct awk *a, struct stream *s, struct bytes name)
{
	char *path = arena_dup(&a->scratch, name);
	int err;

	if (a->o->sandbox)
		awk_fatal(a, "redirection not allowed in sandbox mode");
	if (s->kind != REDIRECT_PIPE && awk_net_is(a, name))
		return open_connection(a, s, name);
	if (s->kind == REDIRECT_PIPE || s->kind == REDIRECT_BOTH)
		return open_command(a, s, path);
	if (open_named(a, s, name))
		return 0;
	err = output_open(&s->own, a->c, path, s->kind == REDIRECT_APPEND ? O_APPEND_ : O_TRUNC_,
			  true);
	s->own.name = NULL;
	if (err < 0)
		return err;
	s->out = &s->own;
	return 0;
}

/* try: that it can't be opened is no reason to end. */
static struct output *find_sink(struct awk *a, enum redirect kind, struct val *v,
				struct stream **stream, bool try)
{
	static const char *const signs[] = { "", ">", ">>", "|", "|&" };
	struct text_room tmp;
	struct bytes name = awk_val_text(a, v, &tmp);
	struct stream *s = awk_stream_of(a, kind, name);
	bool nonfatal = (s == NULL || s->out == NULL) && (try || is_nonfatal(a, name));

	if (name.len == 0)
		awk_fatal(a, "expression for `%s' redirection has null string value", signs[kind]);
	if (s == NULL) {
		struct arena_mark mark = arena_mark(&a->scratch);

		s = awk_stream_new(a, kind, name);
		int err = open_stream(a, s, name);

		if (err < 0) {
			s->kind = REDIRECT_NONE;
			if (nonfatal) {
				awk_set_errno(a, err);
				arena_release(&a->scratch, mark);
				return NULL;
			}
			if (kind == REDIRECT_BOTH)
				awk_fatal(a, "cannot open two way pipe `%.*s' for input/output: %s",
					  (int)name.len, name.ptr, err_text(err));
			awk_fatal(a, "cannot redirect to `%.*s': %s", (int)name.len, name.ptr,
				  err_text(err));
		}
		arena_release(&a->scratch, mark);
	}
	*stream = s;
	if (s->out == NULL && !nonfatal)
		awk_fatal(a, "%s: attempt to write to closed write end of two-way pipe",
			  a->ip->op == OP_PRINTF ? "printf" : "print");
	if (s->out == NULL)
		awk_set_errno(a, -E_BADF);
	return s->out;
}

struct output *awk_sink_of(struct awk *a, enum redirect kind, struct val *v, struct stream **stream)
{
	return find_sink(a, kind, v, stream, false);
}

struct output *awk_sink_try(struct awk *a, enum redirect kind, struct val *v,
			    struct stream **stream)
{
	return find_sink(a, kind, v, stream, true);
}

void awk_sink_done(struct awk *a, struct stream *s)
{
	if (s->unbuffered)
		output_flush(s->out);
	if (s->out->err != 0) {
		int err = s->out->err;

		awk_fatal(a, "print to \"%.*s\" failed: %s", (int)s->name->len, s->name->ptr,
			  err_text(err));
	}
}

/* --- closing --- */

/* gawk's status of a program: 256 and more for signals. */
static double status_of(int wait_status)
{
	int sig = wait_status & 0x7f;

	return sig != 0 ? 256 + sig : (wait_status >> 8) & 0xff;
}

static void close_output(struct awk *a, struct stream *s, double *result)
{
	if (s->out == NULL)
		return;
	if (s->shared || (s->socket && s->has_reader))
		output_flush(s->out);
	else if (output_close(s->out) != 0)
		*result = -1;
	s->out = NULL;
	(void)a;
}

static double close_stream(struct awk *a, struct stream *s)
{
	double result = 0;
	int status = 0;

	close_output(a, s, &result);
	if (s->has_reader) {
		if (s->shared)
			s->in.fd = -1;
		awk_reader_close(a, &s->in);
	}
	if (s->pid > 0 && cmd_wait(a->c, s->pid, &status, false) > 0)
		result = status_of(status);
	s->pid = 0;
	s->has_reader = false;
	s->kind = REDIRECT_NONE;
	return result;
}

/* One end of a two-way pipe; with the second one the command is waited for. */
static double close_end(struct awk *a, struct stream *s, bool output)
{
	double result = 0;

	if (output) {
		close_output(a, s, &result);
	} else if (s->has_reader) {
		if (s->socket && s->out != NULL)
			s->in.fd = -1;
		awk_reader_close(a, &s->in);
		s->has_reader = false;
	}
	if (s->out == NULL && !s->has_reader)
		close_stream(a, s);
	return result;
}

static const char never_opened[] = "close of redirection that was never opened";

double awk_fn_close(struct awk *a, struct val *args, int n)
{
	struct str *name = awk_val_to_str(a, &args[0]);
	double result = -1;

	if (n > 1) {
		struct bytes which = str_bytes(awk_val_to_str(a, &args[1]));
		struct stream *s = awk_stream_of(a, REDIRECT_BOTH, str_bytes(name));

		if (!bytes_is(which, "to") && !bytes_is(which, "from"))
			awk_fatal(a, "close: second argument must be `to' or `from'");
		if (s != NULL)
			return close_end(a, s, bytes_is(which, "to"));
		awk_special_set(a, SP_ERRNO, val_bytes(a, bytes_of(never_opened)));
		return -1;
	}
	for (struct stream *s = a->streams; s != NULL; s = s->next)
		if (s->kind != REDIRECT_NONE && bytes_eq(str_bytes(s->name), str_bytes(name)))
			result = close_stream(a, s);
	if (result == -1)
		awk_special_set(a, SP_ERRNO, val_bytes(a, bytes_of(never_opened)));
	return result;
}

static void warn_no_flush(struct awk *a, struct bytes name)
{
	struct stream *s = a->streams;

	while (s != NULL && (s->kind == REDIRECT_NONE || !bytes_eq(str_bytes(s->name), name)))
		s = s->next;
	if (s == NULL)
		awk_warn(a, "fflush: `%.*s' is not an open file, pipe or co-process", (int)name.len,
			 name.ptr);
	else if (s->kind == REDIRECT_BOTH)
		awk_warn(a, "fflush: cannot flush: two-way pipe `%.*s' has closed write end",
			 (int)name.len, name.ptr);
	else
		awk_warn(a, "fflush: cannot flush: %s `%.*s' opened for reading, not writing",
			 s->kind == REDIRECT_FROM_PIPE ? "pipe" : "file", (int)name.len, name.ptr);
}

double awk_fn_fflush(struct awk *a, struct val *args, int n)
{
	if (n == 0) {
		awk_sink_flush_all(a);
		return 0;
	}
	struct str *name = awk_val_to_str(a, &args[0]);

	if (name->len == 0 || bytes_is(str_bytes(name), "/dev/stdout")) {
		awk_sink_flush_all(a);
		return 0;
	}
	for (struct stream *s = a->streams; s != NULL; s = s->next) {
		if (!is_output(s->kind) || s->out == NULL ||
		    !bytes_eq(str_bytes(s->name), str_bytes(name)))
			continue;
		output_flush(s->out);
		return 0;
	}
	warn_no_flush(a, str_bytes(name));
	return -1;
}

double awk_fn_system(struct awk *a, struct val *args)
{
	struct arena_mark mark = arena_mark(&a->scratch);
	char *text = arena_dup(&a->scratch, str_bytes(awk_val_to_str(a, &args[0])));
	int status = 0;

	if (a->o->sandbox)
		awk_fatal(a, "'system' function not allowed in sandbox mode");
	int pid = awk_spawn_shell(a, text, 0, 1);

	arena_release(&a->scratch, mark);
	if (pid < 0)
		return 127;
	if (cmd_wait(a->c, pid, &status, false) < 0)
		return -1;
	return status_of(status);
}

/* In the order of opening, the last one first; standard output is flushed by the command. */
void awk_sink_close_all(struct awk *a)
{
	for (struct stream *s = a->streams; s != NULL; s = s->next)
		if (s->kind != REDIRECT_NONE)
			close_stream(a, s);
}
