/* SPDX-License-Identifier: MIT
 *
 * Program formats of a session: the shell, the builtin commands, and the host's own.
 *
 * A program of ours is a file that begins with a magic and then its name: it can be copied,
 * linked, renamed and removed like any program.
 */
#include "api/journal.h"

#include "builtins/builtin.h"

static const struct bytes magic = { "\177COWSH\n", 7 };

/* Names are shorter than PROGRAM_NAME_MAX. */
size_t program_image(char out[PROGRAM_IMAGE_MAX], const char *name)
{
	size_t len = strlen(name);

	memcpy(out, magic.ptr, magic.len);
	memcpy(out + magic.len, name, len);
	out[magic.len + len] = '\n';
	return magic.len + len + 1;
}

bool program_is_ours(struct bytes head)
{
	return bytes_starts(head, magic);
}

static bool probe(struct proc *p, struct bytes head)
{
	(void)p;
	return program_is_ours(head);
}

static struct bytes image_name(struct bytes head)
{
	struct bytes name = bytes_slice(head, magic.len, head.len);
	const char *end = memchr(name.ptr, '\n', name.len);

	if (end != NULL)
		name.len = (size_t)(end - name.ptr);
	return name;
}

/* --- custom commands --- */

static const struct custom *custom_find(const struct cowsh *s, struct bytes name)
{
	for (const struct custom *c = s->customs; c != NULL; c = c->next)
		if (bytes_is(name, c->name))
			return c;
	return NULL;
}

/* On the host's stack: `run` may need more of it than a process has. */
static int call_host(void *arg)
{
	struct cowsh_call *call = arg;
	const struct cowsh_command *command = &call->custom->command;
	int status = command->run(command->user, call);
	struct tape *t = ((struct cowsh *)kernel_user(call->p->k))->tape;

	if (status != COWSH_PENDING)
		cowsh_call_finish(call, status < 0 ? 1 : status & 255);
	else if (t != NULL)
		tape_action(t, ENTRY_PENDING, 0);
	return 0;
}

static struct bytes read_input(struct proc *p)
{
	struct buf in = buf_in(&p->arena);
	int64_t n;

	do {
		buf_reserve(&in, 65536);
		n = sys_read(p, 0, in.ptr + in.len, 65536);
		if (n > 0)
			in.len += (size_t)n;
	} while (n > 0);
	return buf_bytes(&in);
}

static void write_output(struct proc *p, int fd, struct bytes text)
{
	while (text.len != 0) {
		int64_t n = sys_write(p, fd, text.ptr, text.len);

		if (n <= 0)
			return;
		text = bytes_slice(text, (size_t)n, text.len);
	}
}

/* The process ends. A call that is not answered yet is empty from here on, and freed by its answer.
 */
static void release_call(struct proc *p)
{
	static char *none[] = { NULL };
	struct tape *t = ((struct cowsh *)kernel_user(p->k))->tape;
	struct cowsh_call *call = p->task;
	struct cowsh_call gone = { .store = call->store,
				   .number = call->number,
				   .argv = none,
				   .cwd = "/",
				   .input = NOTHING };

	if (t != NULL && call->number < t->calls_cap && t->calls[call->number] == call)
		t->calls[call->number] = NULL;
	if (call->finished || call->replayed)
		store_free(call->store, call, sizeof *call);
	else
		*call = gone;
}

static struct cowsh_call *new_call(struct proc *p)
{
	struct store *store = &((struct cowsh *)kernel_user(p->k))->store->store;
	struct cowsh_call *call = store_alloc(store, sizeof *call);

	if (call == NULL)
		return NULL;
	*call = (struct cowsh_call){ .store = store, .p = p };
	p->task = call;
	p->release = release_call;
	return call;
}

static int run_custom(struct proc *p, const struct custom *custom, int argc, char **argv)
{
	struct cowsh_call *call = new_call(p);
	struct cowsh *s = kernel_user(p->k);
	char *cwd = NULL;

	if (call == NULL)
		return 1;
	call->custom = custom;
	call->argc = argc;
	call->argv = argv;
	call->output[0] = buf_in(&p->arena);
	call->output[1] = buf_in(&p->arena);
	call->cwd = sys_getcwd(p, &p->arena, &cwd) >= 0 ? cwd : "/";
	if (custom->command.want_input)
		call->input = read_input(p);
	call->replayed = s->tape != NULL && s->tape->replay;
	if (s->tape != NULL)
		tape_call(call);
	proc_call_host(p, call_host, call);
	while (!call->finished)
		if (proc_wait_host(p) < 0 && proc_has_signal(p))
			proc_next_signal(p);
	write_output(p, 1, buf_bytes(&call->output[0]));
	write_output(p, 2, buf_bytes(&call->output[1]));
	return call->status;
}

int cowsh_add_command(cowsh *s, const struct cowsh_command *command)
{
	struct heap *heap = kernel_heap(s->kernel);
	char image[PROGRAM_IMAGE_MAX];
	char path[PROGRAM_NAME_MAX + 16] = "/usr/bin/";
	size_t len;
	struct custom *c;
	bool listened;
	int err;

	if (command == NULL || command->size < sizeof *command || command->name == NULL ||
	    command->run == NULL)
		return -E_INVAL;
	len = strlen(command->name);
	if (len == 0 || len >= PROGRAM_NAME_MAX || memchr(command->name, '/', len) != NULL)
		return -E_INVAL;
	err = journal_note(s, HOST_ADD_COMMAND, command->name, command->want_input, 0, NOTHING);
	if (err < 0)
		return err;
	c = heap_zalloc(heap, sizeof *c);
	if (c == NULL)
		return -E_NOMEM;
	memcpy(c->name, command->name, len);
	c->command = *command;
	memcpy(path + 9, command->name, len + 1);
	listened = tape_listen(s->tape, true);
	err = write_file(kernel_vfs(s->kernel), &(struct vfs_cred){ .uid = 0 }, VFS_ROOT, path,
			 (struct bytes){ image, program_image(image, c->name) }, 0755);
	(void)tape_listen(s->tape, listened);
	if (err < 0) {
		heap_free(heap, c, sizeof *c);
		return err;
	}
	c->next = s->customs;
	s->customs = c;
	return 0;
}

int cowsh_call_argc(const cowsh_call *call)
{
	return call->argc;
}

const char *const *cowsh_call_argv(const cowsh_call *call)
{
	return (const char *const *)call->argv;
}

const char *cowsh_call_cwd(const cowsh_call *call)
{
	return call->cwd;
}

const char *cowsh_call_getenv(const cowsh_call *call, const char *name)
{
	char *const *envp = call->p != NULL ? call->p->envp : NULL;
	size_t len = strlen(name);

	for (char *const *e = envp; e != NULL && *e != NULL; e++)
		if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
			return *e + len + 1;
	return NULL;
}

const char *cowsh_call_input(const cowsh_call *call, size_t *len)
{
	*len = call->input.len;
	return call->input.ptr;
}

struct call_output {
	struct buf *into;
	const void *data;
	size_t len;
};

static int put_output(void *arg)
{
	const struct call_output *out = arg;

	buf_put(out->into, out->data, out->len);
	return 0;
}

int cowsh_call_write(cowsh_call *call, int fd, const void *data, size_t len)
{
	struct call_output out = { NULL, data, len };

	if ((fd != 1 && fd != 2) || call->p == NULL)
		return -E_BADF;
	out.into = &call->output[fd - 1];
	return kernel_guard(call->p->k, put_output, &out);
}

void cowsh_call_finish(cowsh_call *call, int status)
{
	struct cowsh *s = call->p != NULL ? kernel_user(call->p->k) : NULL;

	if (s == NULL) {
		store_free(call->store, call, sizeof *call);
		return;
	}
	call->status = status;
	call->finished = true;
	if (s->tape != NULL && !s->tape->replay)
		tape_finish(call);
}

/* --- the format --- */

static int run(struct proc *p, struct bytes head, const char *path, int argc, char **argv,
	       char **envp)
{
	struct bytes name = image_name(head);
	const struct builtin *b = builtin_lookup(arena_dup(&p->arena, name));
	const struct custom *custom = custom_find(kernel_user(p->k), name);

	(void)path;
	if (custom != NULL)
		return run_custom(p, custom, argc, argv);
	if (bytes_is(name, "bash") || bytes_is(name, "rbash") || bytes_is(name, "sh"))
		return interp_program(p, argc, argv, envp);
	if (b != NULL)
		return builtin_run(p, b, argc, argv, envp);
	return 126;
}

int register_formats(struct kernel *k)
{
	static const struct program_format cowsh_format = {
		.name = "builtin", .probe = probe, .run = run, .advise = builtin_advise
	};

	return kernel_add_format(k, &cowsh_format);
}
