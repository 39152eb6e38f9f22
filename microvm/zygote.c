/* SPDX-License-Identifier: MIT
 *
 * Warm starts: what an interpreter does before it looks at its work is done once, and kept.
 *
 *   first start     runs with a placeholder for what differs; when it opens a certain file, a
 *                   copy of its memory and registers is the zygote; then it goes on as below
 *   later starts    get a copy of the zygote, with their own text where the placeholder was
 *
 * A zygote serves starts with the same key: program, form of the arguments, environment (but
 * for what shells change all the time), user, ignored signals and limits; and only while all
 * files are as they were that its start has asked for. When a start does anything that may
 * depend on more, it is begun again as an ordinary one, and its kind never tried again. What is
 * known about the interpreters is in zygote_python.c and zygote_node.c.
 */
#include "microvm/zygote.h"

#include "base/utf8.h"

enum { WIDE = 4, START_STEPS = 20000, STACK_READY = 32 * PAGE_BYTES };

/* --- life --- */

void *zygote_alloc(struct microvm *m, struct zygote *z, size_t n)
{
	struct heap *h = kernel_heap(m->k);
	size_t size = n + sizeof(struct zygote_block);
	size_t bytes = store_rounded(size);
	struct zygote_block *b;

	if (h->limit != 0 && (bytes > h->limit || h->used > h->limit - bytes))
		return NULL;
	b = store_alloc(h->store, size);
	if (b == NULL)
		return NULL;
	*b = (struct zygote_block){ z->blocks, size };
	z->blocks = b;
	z->bytes += bytes;
	h->used += bytes;
	memset(b + 1, 0, n);
	return b + 1;
}

static struct zygote *zygote_new(struct microvm *m, struct bytes key, enum zygote_form form)
{
	struct zygote *z = heap_zalloc(kernel_heap(m->k), sizeof *z);

	if (z == NULL)
		return NULL;
	atomic_init(&z->refs, 1);
	z->store = m->store;
	z->bytes = store_rounded(sizeof *z);
	z->form = form;
	z->key = zygote_alloc(m, z, key.len);
	z->nkey = key.len;
	if (z->key != NULL) {
		memcpy(z->key, key.ptr, key.len);
		return z;
	}
	heap_free(kernel_heap(m->k), z, sizeof *z);
	return NULL;
}

static struct zygote *get(struct zygote *z)
{
	atomic_fetch_add_explicit(&z->refs, 1, memory_order_relaxed);
	return z;
}

static void put(struct zygote *z)
{
	if (atomic_fetch_sub_explicit(&z->refs, 1, memory_order_acq_rel) != 1)
		return;
	while (z->blocks != NULL) {
		struct zygote_block *b = z->blocks;

		z->blocks = b->next;
		store_free(z->store, b, b->size);
	}
	store_free(z->store, z, sizeof *z);
}

/* A session counts what it holds once. */
static void let_go(struct microvm *m, struct zygote *z)
{
	kernel_heap(m->k)->used -= z->bytes;
	put(z);
}

static void drop(struct microvm *m, int i)
{
	let_go(m, m->zygote[i]);
	m->nzygotes--;
	memmove(m->zygote + i, m->zygote + i + 1, (size_t)(m->nzygotes - i) * sizeof m->zygote[0]);
}

/* Takes over the reference, as counted; lets the oldest go. */
static void keep(struct microvm *m, struct zygote *z)
{
	if (m->nzygotes == ZYGOTES_MAX)
		drop(m, 0);
	m->zygote[m->nzygotes++] = z;
}

void zygote_forget_all(struct microvm *m)
{
	while (m->nzygotes != 0)
		drop(m, m->nzygotes - 1);
}

void zygote_share(struct microvm *from, struct microvm *to)
{
	struct heap *h = kernel_heap(to->k);

	for (int i = 0; i < from->nzygotes && to->nzygotes < ZYGOTES_MAX; i++) {
		struct zygote *z = from->zygote[i];

		if (z->unusable ||
		    (h->limit != 0 && (z->bytes > h->limit || h->used > h->limit - z->bytes)))
			continue;
		h->used += z->bytes;
		to->zygote[to->nzygotes++] = get(z);
	}
}

/* One that is being made goes with its task; one that is used was only held. */
void zygote_leave(struct task *t)
{
	struct zygote *z = t->zygote;
	struct zygote *source = t->source;

	t->zygote = t->source = NULL;
	t->p->launcher = (struct bytes){ NULL, 0 };
	if (z != NULL)
		let_go(t->m, z);
	if (source != NULL)
		put(source);
}

/* --- keys --- */

static void put_number(struct buf *b, uint64_t n)
{
	buf_put(b, (const char *)&n, sizeof n);
}

static struct bytes key_of(struct task *t, const char *path, enum zygote_form form,
			   char *const *argv, char *const *envp)
{
	const struct proc *p = t->p;
	struct buf b = buf_in(&t->p->arena);

	put_number(&b, form);
	buf_put(&b, path, strlen(path) + 1);
	buf_put(&b, argv[0], strlen(argv[0]) + 1);
	for (; *envp != NULL; envp++)
		if (!zygote_free_variable(*envp))
			buf_put(&b, *envp, strlen(*envp) + 1);
	put_number(&b, p->cred.uid);
	put_number(&b, p->cred.gid);
	for (uint32_t i = 0; i < p->cred.ngroups; i++)
		put_number(&b, p->cred.groups[i]);
	for (int sig = 1; sig < SIG_COUNT; sig++)
		if (p->sig_action[sig] == SIG_IGNORED)
			put_number(&b, (uint64_t)sig);
	put_number(&b, p->sig_blocked);
	/* The numbers of what it opens itself depend on these. */
	for (int fd = 0; zygote_is_node(form) && fd < p->nfds; fd++)
		if (p->fd[fd].file != NULL)
			put_number(&b, (uint64_t)fd);
	buf_put(&b, (const char *)p->rlimit, sizeof p->rlimit);
	return buf_bytes(&b);
}

static const char *path_of(const struct zygote *z)
{
	return z->key + sizeof(uint64_t);
}

static int find(const struct microvm *m, const struct zygote *like, struct bytes key)
{
	for (int i = 0; i < m->nzygotes; i++) {
		const struct zygote *z = m->zygote[i];

		if (like != NULL ? z == like
				 : z->nkey == key.len && memcmp(z->key, key.ptr, key.len) == 0)
			return i;
	}
	return -1;
}

/* --- the placeholder --- */

static bool wide_is(struct task *t, uint64_t address, const char *text, size_t n)
{
	uint32_t wide[64];

	for (size_t done = 0; done < n;) {
		size_t part = n - done < 64 ? n - done : 64;

		proc_charge(t->p, 1 + part);
		if (guest_read(t->p, t->space, wide, address + done * WIDE, part * WIDE) != 0)
			return false;
		for (size_t i = 0; i < part; i++)
			if (wide[i] != (unsigned char)text[done + i])
				return false;
		done += part;
	}
	return true;
}

/* A place where the whole placeholder stands as a string of its own. */
static void consider(struct task *t, struct zygote *z, uint64_t address, const char *text)
{
	uint64_t end = address + (uint64_t)ZYGOTE_TEXT_MAX * WIDE;
	uint32_t behind[2];

	if (z->nplaces == ZYGOTE_PLACES_MAX || !wide_is(t, address, text, ZYGOTE_TEXT_MAX) ||
	    guest_read(t->p, t->space, behind, end, WIDE) != 0)
		return;
	behind[1] = 0;
	if (behind[0] == '\n')
		guest_read(t->p, t->space, &behind[1], end + WIDE, WIDE);
	if ((behind[0] != 0 && behind[0] != '\n') || behind[1] != 0)
		return;
	z->place[z->nplaces++] = (struct zygote_place){ address, behind[0] == '\n' };
}

static void search_page(struct task *t, struct zygote *z, uint64_t address, const char *bytes,
			const char *text)
{
	uint32_t begin = (unsigned char)text[0];

	for (size_t at = 0; at < PAGE_BYTES; at += WIDE) {
		uint32_t c;

		memcpy(&c, bytes + at, WIDE);
		if (c == begin)
			consider(t, z, address + at, text);
	}
}

static void find_places(struct task *t, struct zygote *z)
{
	const char *text = zygote_placeholder(&t->p->arena);
	struct space *s = t->space;

	for (int i = 0; i < LEAF_BUCKETS; i++) {
		for (const struct leaf *l = s->bucket[i]; l != NULL; l = l->next) {
			for (size_t k = 0; k < LEAF_PAGES; k++)
				if ((l->page[k] & PAGE_KIND) == PAGE_OWN)
					search_page(t, z, (l->number << 21) + k * PAGE_BYTES,
						    page_bytes(l->page[k]), text);
			proc_charge(t->p, LEAF_PAGES);
		}
	}
}

static int put_text(struct task *t, const struct zygote *z, struct bytes text)
{
	size_t n = utf8_count(text);
	uint32_t *wide = arena_array(&t->p->arena, n + 2, WIDE);
	int r = 0;

	for (size_t at = 0, i = 0; at < text.len; i++)
		at += utf8_decode(text, at, &wide[i]);
	for (int i = 0; i < z->nplaces && r == 0; i++) {
		wide[n] = z->place[i].line ? '\n' : 0;
		r = put_user(t, z->place[i].address, wide, (n + 1 + z->place[i].line) * WIDE);
	}
	return r;
}

static struct bytes launcher_of(enum zygote_form form)
{
	return zygote_is_node(form) ? zygote_node_launcher : zygote_launcher;
}

/* What Python's object for a standard stream depends on; 0: on more than this. */
static unsigned stream_kind(struct task *t, int fd)
{
	struct vfs_stat st;
	int64_t at = sys_lseek(t->p, fd, 0, 1 /* SEEK_CUR */);

	if (sys_fstat(t->p, fd, &st) != 0 || sys_isatty(t->p, fd) || at > 0)
		return 0;
	return (st.mode & S_FMT) | (at == 0);
}

static bool same_streams(struct task *t, const struct zygote *z)
{
	for (int fd = 0; fd < 3; fd++)
		if (z->stream_kind[fd] == 0 || stream_kind(t, fd) != z->stream_kind[fd])
			return false;
	return true;
}

/* The copy becomes this process: its number, its text. The rest it reads itself. */
static int dress(struct task *t, const struct zygote *z, struct bytes text)
{
	uint32_t tid = (uint32_t)t->p->pid;
	int r = zygote_is_node(z->form) ? zygote_node_dress(t, z, text) : put_text(t, z, text);

	if (r == 0 && t->clear_tid != 0)
		r = put_user(t, t->clear_tid, &tid, sizeof tid);
	t->p->launcher = launcher_of(z->form);
	t->p->launcher_streams = same_streams(t, z);
	return r;
}

/* --- making --- */

static void note_files(struct task *t, struct zygote *z)
{
	z->nopen = t->p->nfds < 256 ? t->p->nfds : 256;
	for (int i = 0; i < z->nopen; i++)
		z->open[i] = t->p->fd[i].file;
}

bool zygote_was_open(const struct zygote *z, const struct proc *p, int fd)
{
	return fd >= 0 && fd < z->nopen && fd < p->nfds && z->open[fd] == p->fd[fd].file;
}

static bool same_files(const struct task *t, const struct zygote *z)
{
	for (int i = 0; i < t->p->nfds; i++)
		if (t->p->fd[i].file != NULL && !zygote_was_open(z, t->p, i))
			return false;
	for (int i = 0; i < z->nopen; i++)
		if (z->open[i] != NULL && (i >= t->p->nfds || t->p->fd[i].file == NULL))
			return false;
	return true;
}

static bool copy_state(struct task *t, struct zygote *z)
{
	const struct cowsh_microvm *b = t->m->backend;

	z->nfpu = b->context_get(t->m->vm, t->context, NULL, 0);
	if (z->nfpu > sizeof z->fpu || !zygote_keep_space(t, z))
		return false;
	b->context_get(t->m->vm, t->context, z->fpu, z->nfpu);
	memcpy(z->handler, t->handlers->of, sizeof z->handler);
	memcpy(z->sig_action, t->p->sig_action, sizeof z->sig_action);
	z->sig_blocked = t->p->sig_blocked;
	memcpy(z->rlimit, t->p->rlimit, sizeof z->rlimit);
	z->clear_tid = t->clear_tid;
	z->robust_list = t->robust_list;
	z->alt_stack = t->alt_stack;
	z->alt_bytes = t->alt_bytes;
	z->alt_flags = t->alt_flags;
	z->r = t->r;
	z->r.rip -= 2; /* the call is made again by each copy */
	return true;
}

static struct bytes own_text(struct task *t, enum zygote_form form)
{
	const char *text = zygote_text(t, form, t->p->argv);

	return text != NULL ? bytes_of(text) : (struct bytes){ NULL, 0 };
}

static bool prepare_python(struct task *t, struct zygote *z)
{
	bool placed = z->form == FORM_STDIN || z->form == FORM_DASH;

	if (proc_has_threads(t->p) || t->space->refs != 1 || !same_files(t, z))
		return false;
	find_places(t, z);
	return z->nplaces < ZYGOTE_PLACES_MAX && (z->nplaces != 0 || placed);
}

static bool prepare_node(struct task *t, struct zygote *z)
{
	int threads;

	return zygote_rest(t, &threads) && t->space->refs == 1 + (uint32_t)threads &&
	       zygote_node_find(t, z);
}

/* At the call where the copies begin. False: it can't be kept. */
static bool freeze(struct task *t)
{
	struct zygote *z = t->zygote;

	if (zygote_is_node(z->form) ? !prepare_node(t, z) : !prepare_python(t, z))
		return false;
	if (!copy_state(t, z) || (zygote_is_node(z->form) && !zygote_keep_threads(t, z)))
		return false;
	if (dress(t, z, own_text(t, z->form)) != 0)
		return false;
	z->frozen = true;
	t->zygote = NULL;
	keep(t->m, z);
	return true;
}

/* The program begins again, in the ordinary way. */
static void begin_again(struct task *t)
{
	struct proc *p = t->p;
	struct zygote *z = t->zygote;
	struct zygote *mark = zygote_new(t->m, (struct bytes){ z->key, z->nkey }, z->form);
	char *path = arena_dup(&p->arena, bytes_of(path_of(z)));
	bool second = z->second;
	int r;

	proc_end_threads(p, 0);
	for (int fd = 0; fd < p->nfds; fd++)
		if (p->fd[fd].file != NULL && !zygote_was_open(z, p, fd))
			sys_close(p, fd);
	zygote_leave(t);
	if (mark != NULL) {
		mark->frozen = mark->unusable = true;
		mark->second = second;
		keep(t->m, mark);
	}
	r = mark != NULL ? task_renew(t) : -E_NOMEM;
	if (r == 0)
		r = exec_plain(t, path, (char **)(uintptr_t)p->argv, (char **)(uintptr_t)p->envp);
	if (r != 0)
		proc_limit(p, LIMIT_MEMORY);
}

bool zygote_call(struct task *t, uint64_t number, const uint64_t *a)
{
	char *path;

	if (t->zygote == NULL) {
		/* The request is open: nothing of ours is left to be seen. */
		if (number != 257)
			t->p->launcher = (struct bytes){ NULL, 0 };
		return true;
	}
	if (number == 257 && get_path(t, a[1], &path) == 0 && strcmp(path, ZYGOTE_REQUEST) == 0) {
		if (freeze(t))
			return true;
	} else if (zygote_allows(t, number, a)) {
		return true;
	}
	begin_again(t);
	return false;
}

/* --- starting --- */

static int start_copy(struct task *t, const struct zygote *z, struct bytes text)
{
	int r = zygote_fill_space(t, z);

	if (r == 0 && t->m->backend->context_set(t->m->vm, t->context, z->fpu, z->nfpu) != 0)
		r = -E_NOMEM;
	memcpy(t->handlers->of, z->handler, sizeof z->handler);
	memcpy(t->p->sig_action, z->sig_action, sizeof z->sig_action);
	t->p->sig_blocked = z->sig_blocked;
	memcpy(t->p->rlimit, z->rlimit, sizeof z->rlimit);
	t->clear_tid = z->clear_tid;
	t->robust_list = z->robust_list;
	t->alt_stack = z->alt_stack;
	t->alt_bytes = z->alt_bytes;
	t->alt_flags = z->alt_flags;
	t->r = z->r;
	if (r == 0 && zygote_is_node(z->form))
		r = zygote_start_threads(t, z);
	if (r == 0)
		r = dress(t, z, text);
	if (r == 0)
		r = space_populate(t->p, t->space, STACK_TOP - STACK_READY, STACK_TOP);
	return r == 0 ? space_enter(t->space) : r;
}

/* From one that is held by the task; false: files have changed, and it is no longer kept. */
static bool start_from(struct task *t, struct zygote *z, struct bytes text, int *result)
{
	bool good;
	int i;

	t->source = get(z);
	t->p->launcher = launcher_of(z->form);
	good = zygote_still_true(t, z);
	if (good) {
		*result = start_copy(t, z, text);
		t->source = NULL;
	} else {
		i = find(t->m, z, (struct bytes){ NULL, 0 });
		if (i >= 0)
			drop(t->m, i);
		zygote_leave(t);
		return false;
	}
	put(z);
	return true;
}

/* Standard streams that a launcher can open again. */
static bool has_streams(struct task *t, enum zygote_form form)
{
	for (int fd = 0; fd < 3; fd++) {
		struct vfs_stat st;

		if (sys_fstat(t->p, fd, &st) != 0 || (st.mode & S_FMT) == S_DIR ||
		    (zygote_is_node(form) && sys_isatty(t->p, fd)))
			return false;
	}
	return t->p->nfds <= 256;
}

static enum zygote_form form_of(const char *path, int argc, char *const *argv, char *const *envp)
{
	enum zygote_form form = zygote_form(path, argc, argv, envp);

	return form != FORM_NONE ? form : zygote_node_form(path, argc, argv, envp);
}

static char **environment_with(struct arena *a, char *const *envp, const char *variable)
{
	size_t n = 0;
	char **out;

	while (envp[n] != NULL)
		n++;
	out = arena_array(a, n + 2, sizeof *out);
	if (n != 0)
		memcpy(out, envp, n * sizeof *out);
	out[n] = arena_dup(a, bytes_of(variable));
	out[n + 1] = NULL;
	return out;
}

bool zygote_exec(struct task *t, const char *path, int argc, char **argv, char **envp, int *result)
{
	enum zygote_form form = form_of(path, argc, argv, envp);
	struct arena *a = &t->p->arena;
	const char *text = form != FORM_NONE ? zygote_text(t, form, argv) : NULL;
	struct bytes key;
	struct zygote *z;
	bool second;
	int i;

	if (text == NULL || !has_streams(t, form) || !utf8_valid(bytes_of(text)))
		return false;
	key = key_of(t, path, form, argv, envp);
	proc_charge(t->p, START_STEPS);
	i = find(t->m, NULL, key);
	second = i >= 0 && t->m->zygote[i]->unusable;
	if (second && t->m->zygote[i]->second)
		return false;
	if (second)
		drop(t->m, i);
	else if (i >= 0 && start_from(t, t->m->zygote[i], bytes_of(text), result))
		return true;
	z = zygote_new(t->m, key, form);
	if (z == NULL)
		return false;
	z->second = second;
	note_files(t, z);
	for (int fd = 0; fd < 3; fd++)
		z->stream_kind[fd] = stream_kind(t, fd);
	t->zygote = z;
	t->p->launcher = launcher_of(form);
	if (zygote_is_node(form))
		*result = exec_plain(t, path, zygote_node_arguments(a, form, argv[0]),
				     environment_with(a, envp, ZYGOTE_NODE_VARIABLE));
	else
		*result = exec_plain(t, path, zygote_arguments(a, form, argv[0]),
				     environment_with(a, envp, ZYGOTE_PYTHON_VARIABLE));
	/* Others are shown what it was given, not what stands in its memory. */
	t->space->arg_start = t->space->arg_end = 0;
	t->space->env_start = t->space->env_end = 0;
	return true;
}
