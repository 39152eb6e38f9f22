/* SPDX-License-Identifier: MIT
 *
 * Breakpoints. The kernel asks before each simple command and each change of a path; steps are
 * bounded by what cowsh_step hands on. A stopped process goes on as if it had never stopped.
 */
#include "api/watch.h"

/* * and ? as in globs, with backtracking to the last star only. */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL;
	const char *from = NULL;

	while (*text != '\0') {
		if (*pattern == '*') {
			star = pattern++;
			from = text;
		} else if (*pattern == *text || *pattern == '?') {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star + 1;
			text = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool hit(const struct breakpoint *b, const struct trace_event *e)
{
	bool call = e->kind == TRACE_CALL;

	if (b->kind != (call ? COWSH_BREAK_COMMAND : COWSH_BREAK_PATH))
		return false;
	if (b->any)
		return true;
	if (call)
		return matches(b->pattern, e->name) || matches(b->pattern, base_name(e->name));
	return matches(b->pattern, e->path) || (e->path2 != NULL && matches(b->pattern, e->path2));
}

static const char *keep(char into[VFS_PATH_MAX], const char *path)
{
	copy_text(into, VFS_PATH_MAX, path);
	return into;
}

static void stop_at(struct break_state *b, int number, const struct trace_event *e)
{
	static const char *const actions[] = { [TRACE_CREATE] = "create",
					       [TRACE_WRITE] = "write",
					       [TRACE_RENAME] = "rename",
					       [TRACE_REMOVE] = "remove" };
	bool call = e->kind == TRACE_CALL;

	b->stopped = true;
	b->stop = (struct cowsh_stop){
		.number = number,
		.kind = call ? COWSH_BREAK_COMMAND : COWSH_BREAK_PATH,
		.pid = e->pid,
		.line = e->line,
		.program = call ? e->format : NULL,
		.argc = call ? count_args(e->argv) : 0,
		.argv = call ? (const char *const *)e->argv : NULL,
		.action = call ? NULL : actions[e->kind],
		.path = e->path != NULL ? keep(b->path[0], e->path) : NULL,
		.path2 = e->path2 != NULL ? keep(b->path[1], e->path2) : NULL,
	};
}

static int on_watch(void *user, const struct trace_event *e)
{
	struct cowsh *s = user;
	struct break_state *b = s->breaks;

	for (int i = 0; i < BREAKPOINTS_MAX; i++) {
		if (b->point[i].kind != 0 && hit(&b->point[i], e)) {
			stop_at(b, i + 1, e);
			return 1;
		}
	}
	return 0;
}

/* --- steps --- */

static struct breakpoint *next_step(struct break_state *b)
{
	struct breakpoint *first = NULL;

	for (int i = 0; i < BREAKPOINTS_MAX; i++)
		if (b->point[i].kind == COWSH_BREAK_STEP &&
		    (first == NULL || b->point[i].step < first->step))
			first = &b->point[i];
	return first;
}

/* A run ends when more steps than its budget are used: one less stops at the step itself. */
uint64_t break_budget(const struct cowsh *s, uint64_t left, uint64_t used)
{
	const struct breakpoint *b = next_step(s->breaks);
	uint64_t until;

	if (b == NULL)
		return left;
	until = b->step > used + 1 ? b->step - used - 1 : 1;
	return left == 0 || until < left ? until : left;
}

bool break_reached(struct cowsh *s, uint64_t used)
{
	struct break_state *b = s->breaks;
	struct breakpoint *step = next_step(b);

	if (!b->stopped && step != NULL && used >= step->step) {
		b->stop = (struct cowsh_stop){ .number = (int)(step - b->point) + 1,
					       .kind = COWSH_BREAK_STEP };
		b->stopped = true;
		step->kind = 0;
	}
	if (!b->stopped)
		return false;
	b->stopped = false;
	b->stop.steps = used;
	return true;
}

/* --- from outside --- */

/* The kernel asks only while there is something to ask for. */
static void set_watch(struct cowsh *s)
{
	bool wanted = false;

	for (int i = 0; i < BREAKPOINTS_MAX; i++)
		wanted |= s->breaks->point[i].kind != 0 &&
			  s->breaks->point[i].kind != COWSH_BREAK_STEP;
	kernel_set_watch(s->kernel, wanted ? on_watch : NULL);
}

static int fill(struct breakpoint *b, const struct cowsh_breakpoint *from)
{
	size_t len = from->pattern != NULL ? strlen(from->pattern) : 0;

	if (len >= sizeof b->pattern)
		return -E_NAMETOOLONG;
	*b = (struct breakpoint){ .kind = from->kind,
				  .any = from->pattern == NULL,
				  .step = from->step };
	if (len != 0)
		memcpy(b->pattern, from->pattern, len);
	return 0;
}

int cowsh_break_add(cowsh *s, const struct cowsh_breakpoint *point)
{
	int at = 0;
	int err;

	if (s == NULL || point == NULL || point->size < sizeof *point ||
	    point->kind < COWSH_BREAK_COMMAND || point->kind > COWSH_BREAK_STEP)
		return -E_INVAL;
	if (s->breaks == NULL)
		s->breaks = heap_zalloc(kernel_heap(s->kernel), sizeof *s->breaks);
	if (s->breaks == NULL)
		return -E_NOMEM;
	while (at < BREAKPOINTS_MAX && s->breaks->point[at].kind != 0)
		at++;
	if (at == BREAKPOINTS_MAX)
		return -E_NOSPC;
	err = fill(&s->breaks->point[at], point);
	set_watch(s);
	return err < 0 ? err : at + 1;
}

int cowsh_break_remove(cowsh *s, int number)
{
	if (s == NULL || number < 0 || number > BREAKPOINTS_MAX)
		return -E_INVAL;
	if (number != 0 && (s->breaks == NULL || s->breaks->point[number - 1].kind == 0))
		return -E_NOENT;
	for (int i = 0; s->breaks != NULL && i < BREAKPOINTS_MAX; i++)
		if (number == 0 || i == number - 1)
			s->breaks->point[i].kind = 0;
	if (s->breaks != NULL)
		set_watch(s);
	return 0;
}

int cowsh_get_stop(const cowsh *s, struct cowsh_stop *out)
{
	if (s == NULL || out == NULL)
		return -E_INVAL;
	if (s->breaks == NULL || s->breaks->stop.number == 0)
		return -E_NOENT;
	*out = s->breaks->stop;
	return 0;
}

void break_free(struct cowsh *s)
{
	if (s->breaks == NULL)
		return;
	kernel_set_watch(s->kernel, NULL);
	heap_free(kernel_heap(s->kernel), s->breaks, sizeof *s->breaks);
	s->breaks = NULL;
}
