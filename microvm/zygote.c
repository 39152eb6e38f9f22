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
 * known about the interpreter is in zygote_python.c.
 */
#include "microvm/zygote.h"

#include "base/utf8.h"

enum { WIDE = 4, START_STEPS = 20000, STACK_READY = 32 * PAGE_BYTES };

/* --- life --- */

static void zygote_free(struct zygote *z)
{
	struct microvm *m = z->m;

	zygote_forget_records(z);
	if (z->space != NULL)
		space_put(z->space);
	if (z->context != NULL)
		m->backend->context_free(m->vm, z->context);
	vm_free(m, z->key, z->nkey);
	vm_free(m, z, sizeof *z);
}

static void drop(struct microvm *m, struct zygote *z)
{
	m->zygote_changes++;
	for (struct zygote **link = &m->zygotes; *link != NULL; link = &(*link)->next) {
		if (*link == z) {
			*link = z->next;
			zygote_free(z);
			return;
		}
	}
}

/* Those that a task is making go with that task. */
void zygote_forget_all(struct microvm *m)
{
	while (m->zygotes != NULL)
		drop(m, m->zygotes);
}

void zygote_leave(struct task *t)
{
	struct zygote *z = t->zygote;

	t->zygote = NULL;
	t->p->launcher = (struct bytes){ NULL, 0 };
	if (z != NULL && !z->frozen)
		zygote_free(z);
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
	buf_put(&b, (const char *)p->rlimit, sizeof p->rlimit);
	return buf_bytes(&b);
}

static const char *path_of(const struct zygote *z)
{
	return z->key + sizeof(uint64_t);
}

static struct zygote *find(struct microvm *m, struct bytes key)
{
	for (struct zygote *z = m->zygotes; z != NULL; z = z->next)
		if (z->nkey == key.len && memcmp(z->key, key.ptr, key.len) == 0)
			return z;
	return NULL;
}

static struct zygote *zygote_new(struct task *t, struct bytes key, enum zygote_form form)
{
	struct zygote *z = vm_alloc(t->m, sizeof *z);

	if (z == NULL)
		return NULL;
	memset(z, 0, sizeof *z);
	z->m = t->m;
	z->form = form;
	z->key = vm_alloc(t->m, key.len);
	z->nkey = key.len;
	if (z->key == NULL) {
		vm_free(t->m, z, sizeof *z);
		return NULL;
	}
	memcpy(z->key, key.ptr, key.len);
	return z;
}

/* Keeps it (also the knowledge that it can't be made), and lets the oldest go. */
static void keep(struct zygote *z)
{
	struct zygote **link = &z->m->zygotes;

	z->next = *link;
	*link = z;
	for (int i = 0; i < ZYGOTES_MAX; i++)
		if (*link != NULL)
			link = &(*link)->next;
	while (*link != NULL)
		drop(z->m, *link);
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

/* The copy becomes this process: its number, its text. The rest it reads itself. */
static int dress(struct task *t, const struct zygote *z, struct bytes text)
{
	uint32_t tid = (uint32_t)t->p->pid;
	int r = put_text(t, z, text);

	if (r == 0 && t->clear_tid != 0)
		r = put_user(t, t->clear_tid, &tid, sizeof tid);
	t->p->launcher = zygote_launcher;
	return r;
}

/* --- making --- */

static void note_files(struct task *t, struct zygote *z)
{
	z->nfds = t->p->nfds < 256 ? t->p->nfds : 256;
	for (int i = 0; i < z->nfds; i++)
		z->file[i] = t->p->fd[i].file;
}

static bool was_open(const struct zygote *z, const struct proc *p, int fd)
{
	return fd < z->nfds && z->file[fd] == p->fd[fd].file;
}

static bool same_files(const struct task *t, const struct zygote *z)
{
	for (int i = 0; i < t->p->nfds; i++)
		if (t->p->fd[i].file != NULL && !was_open(z, t->p, i))
			return false;
	for (int i = 0; i < z->nfds; i++)
		if (z->file[i] != NULL && (i >= t->p->nfds || t->p->fd[i].file == NULL))
			return false;
	return true;
}

static int copy_state(struct task *t, struct zygote *z)
{
	struct microvm *m = t->m;
	int r = space_copy(t->space, &z->space);

	if (r == 0 && m->backend->context_new(m->vm, t->context, &z->context) != 0)
		r = -E_NOMEM;
	memcpy(z->handler, t->handlers->of, sizeof z->handler);
	memcpy(z->sig_action, t->p->sig_action, sizeof z->sig_action);
	z->sig_blocked = t->p->sig_blocked;
	z->clear_tid = t->clear_tid;
	z->robust_list = t->robust_list;
	z->alt_stack = t->alt_stack;
	z->alt_bytes = t->alt_bytes;
	z->alt_flags = t->alt_flags;
	z->r = t->r;
	z->r.rip -= 2; /* the call is made again by each copy */
	return r;
}

static struct bytes own_text(struct task *t, enum zygote_form form)
{
	const char *text = zygote_text(t, form, t->p->argv);

	return text != NULL ? bytes_of(text) : (struct bytes){ NULL, 0 };
}

/* At the call where the copies begin. False: it can't be kept. */
static bool freeze(struct task *t)
{
	struct zygote *z = t->zygote;
	bool placed = z->form == FORM_STDIN || z->form == FORM_DASH;

	if (proc_has_threads(t->p) || t->space->refs != 1 || !same_files(t, z) ||
	    !zygote_record_files(t))
		return false;
	find_places(t, z);
	if (z->nplaces == ZYGOTE_PLACES_MAX || (z->nplaces == 0 && !placed) ||
	    copy_state(t, z) != 0)
		return false;
	z->frozen = true;
	keep(z);
	t->zygote = NULL;
	return dress(t, z, own_text(t, z->form)) == 0;
}

/* The program begins again, in the ordinary way. */
static void begin_again(struct task *t)
{
	struct proc *p = t->p;
	struct zygote *z = t->zygote;
	struct zygote *mark = zygote_new(t, (struct bytes){ z->key, z->nkey }, z->form);
	int argc = 0;
	int r;

	for (int fd = 0; fd < p->nfds; fd++)
		if (p->fd[fd].file != NULL && !was_open(z, p, fd))
			sys_close(p, fd);
	zygote_leave(t);
	if (mark != NULL) {
		mark->frozen = mark->unusable = true;
		keep(mark);
	}
	while (p->argv[argc] != NULL)
		argc++;
	r = mark != NULL ? task_renew(t) : -E_NOMEM;
	if (r == 0)
		r = exec_load(t, path_of(mark), argc, (char **)(uintptr_t)p->argv,
			      (char **)(uintptr_t)p->envp);
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
	struct microvm *m = t->m;
	struct space *s = NULL;
	void *context = NULL;
	int r = space_copy(z->space, &s);

	if (r == 0 && m->backend->context_new(m->vm, z->context, &context) != 0)
		r = -E_NOMEM;
	if (r != 0) {
		if (s != NULL)
			space_put(s);
		return r;
	}
	space_put(t->space);
	m->backend->context_free(m->vm, t->context);
	t->space = s;
	t->context = context;
	memcpy(t->handlers->of, z->handler, sizeof z->handler);
	memcpy(t->p->sig_action, z->sig_action, sizeof z->sig_action);
	t->p->sig_blocked = z->sig_blocked;
	t->clear_tid = z->clear_tid;
	t->robust_list = z->robust_list;
	t->alt_stack = z->alt_stack;
	t->alt_bytes = z->alt_bytes;
	t->alt_flags = z->alt_flags;
	t->r = z->r;
	r = dress(t, z, text);
	if (r == 0)
		r = space_populate(t->p, s, STACK_TOP - STACK_READY, STACK_TOP);
	return r == 0 ? space_enter(s) : r;
}

/* Standard streams that a launcher can open again. */
static bool has_streams(struct task *t)
{
	for (int fd = 0; fd < 3; fd++) {
		struct vfs_stat st;

		if (sys_fstat(t->p, fd, &st) != 0 || (st.mode & S_FMT) == S_DIR)
			return false;
	}
	return t->p->nfds <= 256;
}

bool zygote_exec(struct task *t, const char *path, int argc, char **argv, char **envp, int *result)
{
	enum zygote_form form = zygote_form(path, argc, argv, envp);
	struct arena *a = &t->p->arena;
	const char *text = form != FORM_NONE ? zygote_text(t, form, argv) : NULL;
	struct bytes key;
	struct zygote *z;
	int good;

	if (text == NULL || !has_streams(t) || !utf8_valid(bytes_of(text)))
		return false;
	key = key_of(t, path, form, argv, envp);
	proc_charge(t->p, START_STEPS);
	z = find(t->m, key);
	if (z != NULL && z->unusable)
		return false;
	good = z != NULL ? zygote_still_true(t, z) : -E_NOENT;
	if (good == -E_AGAIN)
		return false;
	if (good == 1) {
		/* What the first of them has read is there now, for all that come. */
		if (z->copies++ == 0)
			space_look(z->space);
		*result = start_copy(t, z, bytes_of(text));
		return true;
	}
	if (z != NULL)
		drop(t->m, z);
	z = zygote_new(t, key, form);
	if (z == NULL)
		return false;
	note_files(t, z);
	t->zygote = z;
	t->p->launcher = zygote_launcher;
	*result = exec_plain(t, path, zygote_arguments(a, form, argv[0]),
			     zygote_environment(a, envp));
	return true;
}
