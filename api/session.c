/* SPDX-License-Identifier: MIT
 *
 * Sessions: making, configuring, copying and freeing them.
 */
#include "api/journal.h"
#include "api/watch.h"
#include "cowsh_image.h"

#define DEFAULT_EPOCH_NS ((int64_t)1767225600 * 1000000000)

/* --- the kernel's host callbacks, handed on to the customer's --- */

static int host_output(void *user, int fd, const char *data, size_t n)
{
	struct cowsh *s = user;

	/* What a session says that could not be made is not for its host's user. */
	if (s->shell == NULL)
		return 0;
	if (s->tape != NULL)
		return tape_output(s, fd, data, n);
	if (s->host.output == NULL)
		return 0;
	return s->host.output(s->host.user, fd, data, n);
}

static int64_t host_input(void *user, char *out, size_t n)
{
	struct cowsh *s = user;

	if (s->tape != NULL)
		return tape_input(s, out, n);
	return s->host.input != NULL ? s->host.input(s->host.user, out, n) : 0;
}

static int64_t host_clock(void *user)
{
	struct cowsh *s = user;

	if (s->tape != NULL)
		return tape_clock(s);
	return s->host.clock(s->host.user);
}

static int host_expired(void *user)
{
	struct cowsh *s = user;

	if (s->tape != NULL)
		return tape_expired(s);
	return s->host.expired(s->host.user);
}

static int64_t host_fetch(void *user, const struct fetch_request *r, char *into, size_t n)
{
	struct cowsh *s = user;
	struct cowsh_request request = { .id = r->id,
					 .method = r->method,
					 .url = r->url,
					 .headers = r->headers,
					 .body = r->body,
					 .body_len = r->body_len,
					 .timeout_ms = r->timeout_ms,
					 .received = r->received };

	if (s->tape != NULL)
		return tape_fetch(s, &request, into, n);
	return s->host.fetch != NULL ? s->host.fetch(s->host.user, &request, into, n)
				     : -E_NETUNREACH;
}

static void set_host(struct cowsh *s, const struct cowsh_host *host)
{
	if (host != NULL)
		memcpy(&s->host, host, host->size < sizeof s->host ? host->size : sizeof s->host);
	s->kernel_host = (struct kernel_host){
		.output = host_output,
		.input = host_input,
		.clock = s->host.clock != NULL ? host_clock : NULL,
		.expired = s->host.expired != NULL ? host_expired : NULL,
		.fetch = host_fetch,
		.user = s,
	};
	memcpy(s->kernel_host.terminal, s->host.terminal, sizeof s->host.terminal);
}

/* --- environment --- */

struct environment {
	char **v; /* NULL behind the last */
	size_t count;
	struct arena *arena;
};

enum { DEFAULT_VARIABLES = 7 };

static size_t name_length(const char *entry)
{
	const char *equals = strchr(entry, '=');

	return equals != NULL ? (size_t)(equals - entry) : strlen(entry);
}

/* Later values of a name replace earlier ones. */
static void env_put(struct environment *env, const char *entry)
{
	size_t len = name_length(entry);
	char *copy = arena_dup(env->arena, bytes_of(entry));

	for (size_t i = 0; i < env->count; i++) {
		if (name_length(env->v[i]) == len && memcmp(env->v[i], entry, len) == 0) {
			env->v[i] = copy;
			return;
		}
	}
	env->v[env->count++] = copy;
}

static void env_pair(struct environment *env, const char *name, const char *value)
{
	struct buf entry = buf_in(env->arena);

	buf_printf(&entry, "%s=%s", name, value);
	env_put(env, buf_cstr(&entry));
}

static void default_environment(struct environment *env, const struct cowsh_config *c,
				const char *user, const char *home)
{
	size_t given = 0;

	while (c->env != NULL && c->env[given] != NULL)
		given++;
	env->v = arena_array(env->arena, DEFAULT_VARIABLES + given + 1, sizeof *env->v);
	env_pair(env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	env_pair(env, "HOME", home);
	env_pair(env, "USER", user);
	env_pair(env, "LOGNAME", user);
	env_pair(env, "SHELL", "/bin/bash");
	env_pair(env, "LANG", "C.UTF-8");
	env_pair(env, "TERM", "dumb");
	for (size_t i = 0; i < given; i++)
		env_put(env, c->env[i]);
}

/* --- the shell process --- */

struct shell_start {
	struct cowsh *s;
	const struct cowsh_config *config;
	const char *user;
	const char *home;
};

/* Runs as the shell process, so that running out of memory ends it and not the host. */
static int start_shell(struct proc *p, void *arg)
{
	struct shell_start *start = arg;
	const struct cowsh_config *c = start->config;
	struct environment env = { .arena = &p->arena };

	default_environment(&env, c, start->user, start->home);
	if (sys_chdir(p, c->cwd != NULL ? c->cwd : start->home) < 0)
		sys_chdir(p, "/");
	p->envp = env.v;
	start->s->shell = interp_new(p, env.v, c->arg0 != NULL ? c->arg0 : "bash");
	proc_park(p);
}

static int make_shell(struct cowsh *s, struct shell_start *start)
{
	static char name[] = "bash";
	char *const argv[] = { name, NULL };
	char *const envp[] = { NULL };
	struct spawn spawn = { .fn = start_shell, .arg = start, .name = "bash" };
	int err = kernel_start(s->kernel, &spawn, argv, envp, &s->shell_proc);

	if (err < 0)
		return err;
	proc_set_survivor(s->shell_proc, true);
	kernel_begin(s->kernel);
	while (kernel_run(s->kernel, 0) == KERNEL_SLICE)
		;
	return s->shell != NULL ? 0 : -E_NOMEM;
}

/* --- making --- */

static int make_home(struct cowsh *s, const struct cowsh_config *c, const char *home)
{
	struct vfs *v = kernel_vfs(s->kernel);
	char path[VFS_PATH_MAX];
	const char *dirs[2] = { home, c->cwd };

	for (int i = 0; i < 2; i++) {
		size_t len = dirs[i] != NULL ? strlen(dirs[i]) : 0;
		int err;

		if (len == 0)
			continue;
		if (len + 2 > sizeof path)
			return -E_NAMETOOLONG;
		memcpy(path, dirs[i], len);
		memcpy(path + len, "/", 2);
		err = make_parents(v, &s->cred, VFS_ROOT, path);
		if (err < 0)
			return err;
	}
	return 0;
}

/* Whether a line of passwd or group is about that name, or the number of the session's user. */
static bool is_about(struct bytes line, const char *user)
{
	static const struct bytes number = { ":1000:", 6 };
	size_t len = strlen(user);
	const char *colon = memchr(line.ptr, ':', line.len);
	struct bytes rest;

	if (line.len > len && line.ptr[len] == ':' && memcmp(line.ptr, user, len) == 0)
		return true;
	if (colon == NULL)
		return false;
	rest = bytes_slice(line, (size_t)(colon - line.ptr) + 1, line.len);
	colon = memchr(rest.ptr, ':', rest.len);
	return colon != NULL &&
	       bytes_starts(bytes_slice(rest, (size_t)(colon - rest.ptr), rest.len), number);
}

/* The lines of text but those about the user, in place; how many bytes they are. */
static size_t keep_others(char *text, size_t len, const char *user)
{
	size_t kept = 0;

	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end != NULL ? (size_t)(end - (text + at)) + 1 : len - at;

		if (!is_about((struct bytes){ text + at, n }, user)) {
			memmove(text + kept, text + at, n);
			kept += n;
		}
		at += n;
	}
	return kept;
}

/* The file with `line` behind what is about others. There is room for one byte more than `size`. */
static int rewrite(struct vfs *v, vfs_ino ino, char *text, size_t size, const char *user,
		   const char *line)
{
	int64_t n = vfs_read(v, ino, 0, text, size);
	size_t kept = n > 0 ? keep_others(text, (size_t)n, user) : 0;
	int err = n < 0 ? (int)n : (size_t)n < size ? -E_IO : vfs_truncate(v, ino, kept);

	if (kept != 0 && text[kept - 1] != '\n')
		text[kept++] = '\n';
	if (err == 0 && kept != 0)
		err = (int)vfs_write(v, ino, 0, text, kept);
	return err < 0 ? err : (int)vfs_write(v, ino, kept, line, strlen(line));
}

/* Puts `line` where a file says something else about the user, or at its end. */
static int replace_line(struct cowsh *s, const char *path, const char *user, const char *line)
{
	struct vfs *v = kernel_vfs(s->kernel);
	struct vfs_cred root = { .uid = 0 };
	struct vfs_stat st;
	bool created;
	vfs_ino ino;
	char *text;
	int err = vfs_open(v, &root, VFS_ROOT, path, O_WRONLY_, 0, &ino, &created);

	if (err < 0)
		return err;
	err = vfs_getattr(v, ino, &st);
	text = err == 0 ? heap_alloc(kernel_heap(s->kernel), heap_size(st.size) + 1) : NULL;
	if (text != NULL) {
		err = rewrite(v, ino, text, (size_t)st.size, user, line);
		heap_free(kernel_heap(s->kernel), text, (size_t)st.size + 1);
	} else if (err == 0) {
		err = -E_NOMEM;
	}
	vfs_drop(v, ino);
	return err < 0 ? err : 0;
}

/* A user of another name than "user" takes its place in /etc/passwd and /etc/group. */
static int add_user(struct cowsh *s, const char *user, const char *home)
{
	const char *parts[] = { user, ":x:1000:1000:", user, ":", home, ":/bin/bash\n" };
	char passwd[512] = "";
	char group[256] = "";
	size_t len = 0;
	int err;

	if (strcmp(user, "root") == 0 || strcmp(user, "user") == 0)
		return 0;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		memcpy(passwd + len, parts[i], strlen(parts[i]) + 1);
		len += strlen(parts[i]);
	}
	memcpy(group, user, strlen(user));
	memcpy(group + strlen(user), ":x:1000:\n", 10);
	err = replace_line(s, "/etc/passwd", user, passwd);
	return err < 0 ? err : replace_line(s, "/etc/group", user, group);
}

void session_settings(struct cowsh *s, const struct cowsh_config *c, struct kernel_config *k)
{
	enum limit_profile profile = (enum limit_profile)c->profile;

	*k = (struct kernel_config){
		.store = &s->store->store,
		.host = &s->kernel_host,
		.seed = c->seed,
		.epoch_ns = c->epoch_ns != 0 ? c->epoch_ns : DEFAULT_EPOCH_NS,
		.hostname = c->hostname != NULL ? c->hostname : "cowsh",
		.cred = s->cred,
	};
	for (int i = 0; i < LIMIT_COUNT; i++)
		k->limit[i] = (c->limits_set >> i & 1) != 0 ? c->limit[i]
							    : limit_value((enum limit)i, profile);
}

int session_connect(struct cowsh *s, const struct cowsh_config *c)
{
	int err;

	kernel_set_user(s->kernel, s);
	s->machine = c->microvm;
	s->warm_starts = c->warm_starts;
	s->image_programs = c->image_programs;
	err = register_formats(s->kernel);
	if (err == 0)
		err = escalate_start(s);
	for (size_t i = 0; err == 0 && i < c->nimages; i++)
		err = cowsh_mount_image(s, c->images[i].path, c->images[i].image,
					c->images[i].read_only);
	for (size_t i = 0; err == 0 && i < c->nmounts; i++)
		err = cowsh_mount(s, c->mounts[i].path, c->mounts[i].source, c->mounts[i].id,
				  c->mounts[i].read_only);
	s->image_programs = NULL;
	return err;
}

static int start(struct cowsh *s, const struct cowsh_config *c, void *arg)
{
	struct kernel_config settings;
	char home[128];
	const char *user = c->user != NULL && strlen(c->user) <= 100 ? c->user : "user";
	struct shell_start shell = { s, c, user, home };
	struct vfs_tree *standard = NULL;
	int err = 0;

	(void)arg;
	user_lookup(user, &s->cred, home);
	session_settings(s, c, &settings);
	if (c->tree == NULL)
		err = standard_tree(s->store, &standard);
	if (err < 0)
		return err;
	settings.tree = c->tree != NULL ? (struct vfs_tree *)c->tree : standard;
	err = kernel_new(&settings, &s->kernel);
	if (standard != NULL)
		vfs_tree_put(standard);
	if (err < 0)
		return err;
	err = session_connect(s, c);
	if (err == 0)
		err = make_home(s, c, home);
	if (err == 0)
		err = add_user(s, user, home);
	return err < 0 ? err : make_shell(s, &shell);
}

/* The configuration with what the caller's version of it lacks. */
static int read_config(const struct cowsh_config *config, struct cowsh_config *out)
{
	static const struct cowsh_config defaults = COWSH_CONFIG_INIT;

	*out = defaults;
	if (config != NULL && config->size > sizeof *out)
		return -E_INVAL;
	if (config != NULL)
		memcpy(out, config, config->size);
	return (unsigned)out->profile < PROFILE_COUNT ? 0 : -E_INVAL;
}

int session_make(cowsh_store *store, const struct cowsh_config *config,
		 const struct cowsh_host *host,
		 int (*begin)(struct cowsh *s, const struct cowsh_config *c, void *arg), void *arg,
		 cowsh **out)
{
	struct cowsh_config c;
	struct cowsh *s;
	int err = store != NULL && out != NULL ? read_config(config, &c) : -E_INVAL;

	if (err < 0)
		return err;
	s = store_alloc(&store->store, sizeof *s);
	if (s == NULL)
		return -E_NOMEM;
	memset(s, 0, sizeof *s);
	s->store = store;
	s->result.limit = -1;
	s->checkpoints_max = c.checkpoints;
	set_host(s, host);
	err = begin(s, &c, arg);
	if (err < 0) {
		cowsh_free(s);
		return err;
	}
	*out = s;
	return 0;
}

int cowsh_new(cowsh_store *store, const struct cowsh_config *config, const struct cowsh_host *host,
	      cowsh **out)
{
	return session_make(store, config, host, start, NULL, out);
}

/* Takes over the tape that arg points to. */
static int start_taped(struct cowsh *s, const struct cowsh_config *c, void *arg)
{
	struct tape **tape = arg;
	int err;

	s->tape = *tape;
	s->tape->s = s;
	*tape = NULL;
	s->tape->listens = true;
	err = start(s, c, NULL);
	s->tape->listens = false;
	return err;
}

int session_new(cowsh_store *store, const struct cowsh_config *config,
		const struct cowsh_host *host, struct tape *tape, cowsh **out)
{
	struct cowsh *s = NULL;
	int err = session_make(store, config, host, start_taped, &tape, &s);

	if (tape != NULL)
		tape_free(tape);
	*out = s;
	return err;
}

/* Its mounts stay: those of a journal ask the host themselves again, others have nobody to ask. */
void session_drop_tape(struct cowsh *s)
{
	struct tape *t = s->tape;

	s->tape = NULL;
	store_lock(s->store);
	for (struct mounted *m = s->store->mounts; m != NULL; m = m->next)
		if (m->tape == t)
			m->tape = NULL;
	store_unlock(s->store);
	tape_free(t);
}

static void free_lists(struct cowsh *s)
{
	struct heap *heap = kernel_heap(s->kernel);

	trace_free(s);
	break_free(s);
	for (struct custom *c = s->customs, *next; c != NULL; c = next) {
		next = c->next;
		heap_free(heap, c, sizeof *c);
	}
	heap_free(heap, s->script, s->script_len + 1);
	heap_free(heap, s->temp, s->temp_size);
}

void cowsh_free(cowsh *s)
{
	if (s == NULL)
		return;
	if (s->tape != NULL && !s->tape->replay && s->shell != NULL) {
		s->running = s->tape->draining = false;
		(void)cowsh_journal_end(s);
	}
	if (s->tape != NULL)
		session_drop_tape(s);
	checkpoints_free(s);
	if (s->kernel != NULL) {
		free_lists(s);
		escalate_clear(s);
		kernel_free(s->kernel);
	}
	escalate_end(s);
	store_free(&s->store->store, s, sizeof *s);
}

/* --- fork --- */

struct shell_copy {
	struct cowsh *s;
	struct cowsh *from;
};

static int copy_shell(struct proc *p, void *arg)
{
	struct shell_copy *copy = arg;
	struct proc *from = copy->from->shell_proc;

	/* What the copying takes from the parent's memory fails as the child's own does. */
	from->arena.fail = proc_arena_fail(p);
	from->pool.chunks.fail = proc_arena_fail(p);
	copy->s->shell = interp_copy(p, copy->from->shell);
	proc_park(p);
}

static int copy_customs(struct cowsh *s, const struct cowsh *from)
{
	for (const struct custom *c = from->customs; c != NULL; c = c->next) {
		struct custom *copy = heap_alloc(kernel_heap(s->kernel), sizeof *copy);

		if (copy == NULL)
			return -E_NOMEM;
		*copy = *c;
		copy->next = s->customs;
		s->customs = copy;
	}
	return 0;
}

void session_run_free(struct cowsh *s)
{
	static const enum limit lifted[] = { LIMIT_STEPS, LIMIT_TIME, LIMIT_CPU,
					     LIMIT_SESSION_STEPS };
	uint64_t limit[sizeof lifted / sizeof *lifted];
	enum { COUNT = sizeof lifted / sizeof *lifted };

	for (int i = 0; i < COUNT; i++) {
		limit[i] = kernel_limit(s->kernel, lifted[i]);
		kernel_set_limit(s->kernel, lifted[i], 0);
	}
	kernel_begin(s->kernel);
	while (kernel_run(s->kernel, 0) == KERNEL_SLICE && kernel_limit_hit(s->kernel) < 0)
		;
	for (int i = 0; i < COUNT; i++)
		kernel_set_limit(s->kernel, lifted[i], limit[i]);
}

/* Runs the copying; the parent is as before, also if the child found no memory. */
static void run_copy(struct cowsh *s, struct cowsh *from)
{
	struct arena_mark mark = arena_mark(&from->shell_proc->arena);

	session_run_free(s);
	kernel_follow(s->kernel, from->kernel);
	from->shell_proc->arena.fail = proc_arena_fail(from->shell_proc);
	from->shell_proc->pool.chunks.fail = proc_arena_fail(from->shell_proc);
	arena_release(&from->shell_proc->arena, mark);
}

/* The processes of the fork: programs, then the shell, whose copying looks at what there is. */
static int copy_processes(struct cowsh *s, struct cowsh *from, bool programs)
{
	struct shell_copy copy = { s, from };
	struct spawn spawn = { .fn = copy_shell, .arg = &copy, .name = "bash" };
	struct copying *w;
	int err = kernel_copy_begin(from->kernel, s->kernel, from->shell_proc, &w);

	if (err < 0)
		return err;
	if (programs)
		err = escalate_copy(from, s, w);
	if (err == 0)
		err = kernel_start_like(w, &spawn, &s->shell_proc);
	if (err == 0)
		err = kernel_copy_files(w);
	if (err == 0) {
		proc_set_survivor(s->shell_proc, true);
		run_copy(s, from);
		err = s->shell != NULL ? 0 : -E_NOMEM;
	}
	kernel_copy_end(w, err == 0);
	return err;
}

unsigned session_others(const struct cowsh *s)
{
	unsigned n = 0;

	for (struct proc *p = proc_next(s->kernel, 0); p != NULL; p = proc_next(s->kernel, p->pid))
		n += p != s->shell_proc;
	return n;
}

unsigned cowsh_lost_processes(const cowsh *s)
{
	return s != NULL ? s->lost : 0;
}

static int fork_into(struct cowsh *s, struct cowsh *from, bool programs)
{
	int err = kernel_fork(from->kernel, &s->kernel_host, &s->kernel);

	if (err < 0)
		return err;
	kernel_set_user(s->kernel, s);
	s->cred = from->cred;
	s->machine = from->machine;
	s->warm_starts = from->warm_starts;
	err = register_formats(s->kernel);
	if (err == 0)
		err = escalate_start(s);
	if (err == 0)
		escalate_share(from, s);
	if (err == 0)
		err = copy_customs(s, from);
	if (err == 0)
		err = copy_processes(s, from, programs);
	if (err == 0)
		s->lost = session_others(from) - session_others(s);
	return err;
}

int session_fork(struct cowsh *from, const struct cowsh_host *host, bool programs,
		 struct cowsh **out)
{
	struct cowsh *s;
	int err;

	if (from == NULL || out == NULL)
		return -E_INVAL;
	if (from->running)
		return -E_BUSY;
	/* What the fork read of them would be missing in the journal, or be there twice. */
	if (from->tape != NULL && from->tape->sources != 0)
		return -E_INVAL;
	err = programs ? escalate_settle(from) : 0;
	if (err < 0)
		return err;
	s = store_alloc(&from->store->store, sizeof *s);
	if (s == NULL)
		return -E_NOMEM;
	memset(s, 0, sizeof *s);
	s->store = from->store;
	s->result.limit = -1;
	set_host(s, host);
	err = fork_into(s, from, programs);
	if (err < 0) {
		cowsh_free(s);
		return err;
	}
	*out = s;
	return 0;
}

int cowsh_fork(cowsh *session, const struct cowsh_host *host, cowsh **out)
{
	return session_fork(session, host, true, out);
}
