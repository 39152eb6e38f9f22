/* SPDX-License-Identifier: MIT
 *
 * cowsh_analyze: the interpreter reads the script in a fork of the session; what it finds is
 * handed on, and for each command the paths among its operands (roles.c).
 */
#include "cowsh_analyze.h"

#include "api/private.h"
#include "api/roles.h"

_Static_assert((int)COWSH_UNKNOWN_COUNT == (int)INTERP_UNKNOWN_COUNT, "one list of reasons");
_Static_assert((int)COWSH_FOUND_SYNTAX == (int)INTERP_FOUND_SYNTAX, "one list of kinds");
_Static_assert((int)COWSH_PROGRAM_MISSING == (int)INTERP_MISSING, "one list of programs");
_Static_assert((int)COWSH_ACCESS_EXECUTE == (int)INTERP_EXECUTES, "one list of accesses");

struct analyze {
	struct cowsh *s; /* the fork */
	struct bytes text;
	int (*each)(void *user, const struct cowsh_finding *finding);
	void *user;
	int stop;
	bool done;
};

struct delivery {
	struct analyze *a;
	const struct cowsh_finding *finding;
};

static int deliver(void *arg)
{
	const struct delivery *d = arg;

	d->a->stop = d->a->each(d->a->user, d->finding);
	return 0;
}

static int tell(struct analyze *a, const struct cowsh_finding *f)
{
	struct delivery d = { a, f };

	if (a->stop == 0)
		proc_call_host(a->s->shell_proc, deliver, &d);
	return a->stop;
}

static struct cowsh_word word_of(const struct interp_word *w)
{
	return (struct cowsh_word){ w->text.ptr, w->text.len, w->unknown };
}

struct paths {
	struct analyze *a;
	struct cowsh_finding finding;
};

static void tell_path(void *user, const struct cowsh_word *path, unsigned access)
{
	struct paths *p = user;

	p->finding.word = *path;
	p->finding.access = access;
	tell(p->a, &p->finding);
}

static void tell_paths(struct analyze *a, const struct cowsh_finding *command)
{
	struct arena *arena = &a->s->shell_proc->arena;
	struct paths p = { a, *command };
	const struct cowsh_word *name = &command->words[0];

	if (name->unknown != 0 || command->program == COWSH_PROGRAM_FUNCTION)
		return;
	p.finding.kind = COWSH_FOUND_PATH;
	p.finding.by = arena_dup(arena, (struct bytes){ name->text, name->len });
	p.finding.words = NULL;
	p.finding.nwords = 0;
	roles_tell(command->words, command->nwords, tell_path, &p);
}

static int hand_on(void *user, const struct interp_finding *f)
{
	struct analyze *a = user;
	struct arena *arena = &a->s->shell_proc->arena;
	struct arena_mark mark = arena_mark(arena);
	struct cowsh_word *words = arena_array(arena, (size_t)f->nwords + 1, sizeof *words);
	struct cowsh_finding out = { .kind = (int)f->kind,
				     .line = f->line,
				     .depth = f->depth,
				     .conditional = f->conditional,
				     .within = f->within,
				     .program = (int)f->program,
				     .access = f->access,
				     .nwords = f->nwords,
				     .words = words,
				     .word = word_of(&f->word),
				     .name = f->name.ptr,
				     .name_len = f->name.len };

	for (int i = 0; i < f->nwords; i++)
		words[i] = word_of(&f->words[i]);
	if (tell(a, &out) == 0 && out.kind == COWSH_FOUND_COMMAND)
		tell_paths(a, &out);
	arena_release(arena, mark);
	return a->stop;
}

static int run(struct proc *p, void *arg)
{
	struct analyze *a = arg;

	interp_analyze(a->s->shell, a->text, hand_on, a);
	a->done = true;
	proc_park(p);
}

static int run_all(struct analyze *a)
{
	struct kernel *k = a->s->kernel;
	enum kernel_state state = KERNEL_SLICE;
	int err = proc_restart(a->s->shell_proc, run, a);

	if (err < 0)
		return err;
	kernel_begin(k);
	while (!a->done && state == KERNEL_SLICE && kernel_limit_hit(k) < 0)
		state = kernel_run(k, 0);
	if (a->stop != 0)
		return a->stop;
	return a->done ? 0 : kernel_limit_hit(k) >= 0 ? -E_FBIG : -E_AGAIN;
}

int cowsh_analyze(cowsh *session, const char *script, size_t len,
		  int (*each)(void *, const struct cowsh_finding *), void *user)
{
	struct analyze a = { .each = each, .user = user };
	struct heap *heap;
	char *copy;
	int err;

	if (session == NULL || script == NULL || each == NULL)
		return -E_INVAL;
	err = session_fork(session, NULL, false, &a.s);
	if (err < 0)
		return err;
	heap = kernel_heap(a.s->kernel);
	copy = heap_alloc(heap, len + 1);
	err = copy != NULL ? 0 : -E_NOMEM;
	if (err == 0) {
		memcpy(copy, script, len);
		copy[len] = '\0';
		a.text = (struct bytes){ copy, len };
		err = run_all(&a);
		heap_free(heap, copy, len + 1);
	}
	cowsh_free(a.s);
	return err;
}
