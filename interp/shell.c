/* SPDX-License-Identifier: MIT
 *
 * The life of a shell: making, copying for subshells, recovering, releasing; options; call
 * frames and positional parameters.
 */
#include "base/pack.h"
#include "interp/exec.h"
#include "interp/hash.h"
#include "interp/state.h"
#include "interp/var_special.h"

/* --- options --- */

struct option_name {
	const char *name;
	char letter;
	unsigned char option;
};

static const struct option_name set_names[] = {
#define SET(letter, name, text, value) { text, letter, SET_##name },
	SET_LIST(SET)
#undef SET
};

static const char *const shopt_names[] = {
#define SHOPT(name, value) #name,
	SHOPT_LIST(SHOPT)
#undef SHOPT
};

int set_option_of_name(struct bytes name)
{
	for (int i = 0; i < SET_COUNT; i++) {
		if (bytes_is(name, set_names[i].name))
			return set_names[i].option;
	}
	return -1;
}

int set_option_of_letter(char letter)
{
	for (int i = 0; i < SET_COUNT; i++) {
		if (set_names[i].letter == letter && letter != 0)
			return set_names[i].option;
	}
	return -1;
}

int shopt_of_name(struct bytes name)
{
	for (int i = 0; i < SHOPT_COUNT; i++) {
		if (bytes_is(name, shopt_names[i]))
			return i;
	}
	return -1;
}

static struct options default_options(void)
{
	struct options o = { 0, 0 };

#define SET(letter, name, text, value) o.set |= (uint64_t)(value) << SET_##name;
	SET_LIST(SET)
#undef SET
#define SHOPT(name, value) o.shopt |= (uint64_t)(value) << SHOPT_##name;
	SHOPT_LIST(SHOPT)
#undef SHOPT
	return o;
}

static void put_bit(uint64_t *word, unsigned bit, bool on)
{
	*word = on ? *word | (uint64_t)1 << bit : *word & ~((uint64_t)1 << bit);
}

/* SHELLOPTS or BASHOPTS: programs are to see the new value, if it is exported. */
static void options_changed(struct shell *sh, struct bytes name)
{
	const struct var *v = var_find(sh, name, bytes_hash(name));

	sh->vars.export_serial += v != NULL && (v->flags & VAR_EXPORT) != 0;
}

void shell_set_shopt(struct shell *sh, enum shopt_option o, bool on)
{
	put_bit(&sh->opt.shopt, o, on);
	options_changed(sh, BYTES("BASHOPTS"));
}

/* What `set -o posix` switches with it. */
static void follow_posix(struct shell *sh, bool on)
{
	struct bytes name = BYTES("POSIXLY_CORRECT");

	if (on)
		put_bit(&sh->opt.shopt, SHOPT_inherit_errexit, true); /* and it stays */
	put_bit(&sh->opt.shopt, SHOPT_shift_verbose, on);
	put_bit(&sh->opt.shopt, SHOPT_expand_aliases, on || opt_set(sh, SET_INTERACTIVE));
	if (!on) {
		var_unset(sh, name, bytes_hash(name), false);
		return;
	}
	if (var_get_text(sh, "POSIXLY_CORRECT") == NULL)
		var_set_text(sh, "POSIXLY_CORRECT", "y");
	put_bit(&sh->opt.shopt, SHOPT_sourcepath, true);
	put_bit(&sh->opt.set, SET_INTERACTIVE_COMMENTS, true);
	put_bit(&sh->opt.shopt, SHOPT_interactive_comments, true);
}

void shell_set_option(struct shell *sh, enum set_option o, bool on)
{
	bool was = opt_set(sh, o);

	put_bit(&sh->opt.set, o, on);
	if (o == SET_POSIX && was != on)
		follow_posix(sh, on);
	if (o == SET_INTERACTIVE_COMMENTS)
		put_bit(&sh->opt.shopt, SHOPT_interactive_comments, on);
	if (o == SET_EMACS && on)
		put_bit(&sh->opt.set, SET_VI, false);
	if (o == SET_VI && on)
		put_bit(&sh->opt.set, SET_EMACS, false);
	if (o == SET_VERBOSE && on)
		sh->unechoed = false;
	if (o == SET_HISTORY && on && !was)
		history_enable(sh);
	if (o == SET_HISTORY && !on)
		history_disable(sh);
	if (o == SET_RESTRICTED)
		put_bit(&sh->opt.shopt, SHOPT_restricted_shell, on);
	options_changed(sh, BYTES("SHELLOPTS"));
}

void shell_restrict(struct shell *sh)
{
	static const char *const fixed[] = { "PATH", "SHELL", "ENV", "BASH_ENV", "HISTFILE" };

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		struct bytes name = bytes_of(fixed[i]);

		var_ensure(sh, name, bytes_hash(name))->flags |= VAR_READONLY;
	}
	shell_set_option(sh, SET_RESTRICTED, true);
}

bool restricted(struct shell *sh, const char *builtin, const char *what)
{
	if (!opt_set(sh, SET_RESTRICTED))
		return false;
	if (what != NULL)
		builtin_error(sh, builtin, "%s: restricted", what);
	else
		builtin_error(sh, builtin, "restricted");
	return true;
}

bool restricted_path(struct shell *sh, const char *builtin, const char *path)
{
	return strchr(path, '/') != NULL && restricted(sh, builtin, path);
}

/* --- frames and parameters --- */

struct frame *frame_push(struct shell *sh, const char *function, const char *source)
{
	struct frame *f = arena_zalloc(sh->arena, sizeof(*f));

	f->up = sh->frame;
	f->function = function;
	f->source = source;
	f->call_line = sh->line;
	f->loop_depth = sh->loop_depth;
	f->scope = sh->scope;
	f->getopts_index = sh->getopts_index;
	f->getopts_word = sh->getopts_word;
	f->argc = -1;
	if (sh->frame != NULL)
		f->unit = sh->frame->unit;
	sh->frame = f;
	sh->frames++;
	return f;
}

void frame_pop(struct shell *sh)
{
	struct frame *f = sh->frame;

	sh->frame = f->up;
	sh->frames--;
	sh->loop_depth = f->loop_depth;
}

void params_free(struct shell *sh, struct params *params)
{
	int total = params->count + params->offset;
	char **values;

	if (!params->pooled)
		return;
	values = params->values - params->offset;
	for (int i = 0; i < total; i++)
		pool_free(sh->pool, values[i], strlen(values[i]) + 1);
	pool_free(sh->pool, values, (size_t)(total + 1) * sizeof(*values));
	*params = (struct params){ 0 };
}

void params_set(struct shell *sh, int count, char *const *values)
{
	struct params old = sh->params;
	char **copy = pool_alloc(sh->pool, (size_t)(count + 1) * sizeof(*copy));

	for (int i = 0; i < count; i++)
		copy[i] = pool_dup(sh->pool, bytes_of(values[i]));
	copy[count] = NULL;
	sh->params = (struct params){ .count = count, .values = copy, .pooled = true };
	params_free(sh, &old);
}

/* --- life --- */

struct shell *shell_new(struct proc *p, char *const *envp, bool is_sh)
{
	struct shell *sh = pool_zalloc(&p->pool, sizeof(*sh));

	sh->p = p;
	sh->pool = &p->pool;
	sh->arena = &p->arena;
	sh->opt = default_options();
	sh->is_sh = is_sh;
	sh->arg0 = "bash";
	sh->script_name = "bash";
	sh->shell_pid = p->pid;
	sh->trap_running = sh->trace_fd = -1;
	sh->last_arg = "";
	sh->seconds_base_ns = sys_now(p);
	sh->random_state = sys_random(p);
	p->task = sh;
	p->line = &sh->line;
	p->release = shell_release;
	frame_push(sh, "main", "");
	trap_init(sh);
	var_init(sh, envp);
	builtin_state_init(sh);
	function_import(sh, envp);
	if (is_sh)
		shell_set_option(sh, SET_POSIX, true);
	return sh;
}

static void link_child(struct shell *parent, struct shell *sh)
{
	sh->next_child = parent->children;
	if (sh->next_child != NULL)
		sh->next_child->child_link = &sh->next_child;
	sh->child_link = &parent->children;
	parent->children = sh;
}

static void unlink_child(struct shell *sh)
{
	if (sh->child_link == NULL)
		return;
	*sh->child_link = sh->next_child;
	if (sh->next_child != NULL)
		sh->next_child->child_link = sh->child_link;
	sh->child_link = NULL;
	sh->next_child = NULL;
}

static const char *copy_text(struct pool *pool, const char *s)
{
	return s != NULL ? pool_dup(pool, bytes_of(s)) : NULL;
}

/* The call stack in memory of its own; what is only needed to return is left out. */
static struct frame *copy_frames(struct pool *pool, const struct frame *from)
{
	struct frame *first = NULL;
	struct frame **end = &first;

	for (; from != NULL; from = from->up) {
		struct frame *f = pool_zalloc(pool, sizeof(*f));

		f->function = copy_text(pool, from->function);
		f->source = copy_text(pool, from->source);
		f->call_line = from->call_line;
		f->is_function = from->is_function;
		f->is_source = from->is_source;
		f->unit = from->unit;
		f->argc = from->argc;
		f->argv = pool_alloc(pool, (size_t)(f->argc + 1) * sizeof(*f->argv));
		for (int i = 0; i < f->argc; i++)
			f->argv[i] = pool_dup(pool, bytes_of(from->argv[i]));
		*end = f;
		end = &f->up;
	}
	return first;
}

/* The parent's state as a copy that stays when the parent goes on. */
static void copy_state(struct shell *sh, struct shell *from, bool same_kernel)
{
	sh->parent = NULL;
	sh->overlay = false;
	sh->arg0 = copy_text(sh->pool, from->arg0);
	sh->script_name = copy_text(sh->pool, from->script_name);
	sh->frame = copy_frames(sh->pool, from->frame);
	sh->params = (struct params){ 0 };
	params_set(sh, from->params.count, from->params.values);
	sh->last_arg = "";
	sh->npipestatus = 0;
	var_copy_all(sh, from);
	var_refresh_ifs(sh);
	if (same_kernel)
		function_copy_all(sh, from);
	else
		function_parse_all(sh, from);
	alias_copy_all(sh, from);
	set_last_arg(sh, from->last_arg);
	set_pipestatus(sh, from->pipestatus, from->npipestatus);
	builtin_state_copy(sh, from);
}

/* History and completions. */
static void copy_lists(struct shell *sh, const struct shell *from)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf bytes = buf_in(sh->arena);
	struct unpack in;

	if (from->history == NULL && from->completions == NULL)
		return;
	history_pack(from, &bytes);
	completion_pack(from, &bytes);
	in = unpack_of(buf_bytes(&bytes));
	shell_cost(sh, bytes.len * 8);
	history_unpack(sh, &in);
	history_copy_state(sh, from);
	completion_unpack(sh, &in);
	arena_release(sh->arena, mark);
}

static void copy_hash(struct shell *sh, struct shell *from)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf bytes = buf_in(sh->arena);
	struct unpack in;

	if (from->hashed == NULL)
		return;
	hash_pack(from, &bytes);
	in = unpack_of(buf_bytes(&bytes));
	shell_cost(sh, bytes.len * 8);
	hash_unpack(sh, &in);
	arena_release(sh->arena, mark);
}

void shell_own_lists(struct shell *sh)
{
	const struct shell from = { .history = sh->history, .completions = sh->completions };

	if (!sh->lists_shared)
		return;
	sh->lists_shared = false;
	sh->history = NULL;
	sh->completions = NULL;
	copy_lists(sh, &from);
}

/* A struct that has everything `from` has except what belongs to its process. */
static struct shell *clone(struct proc *child, struct shell *from)
{
	struct shell *sh = pool_alloc(&child->pool, sizeof(*sh));

	*sh = *from;
	sh->p = child;
	sh->pool = &child->pool;
	sh->arena = &child->arena;
	sh->vars = (struct var_table){ 0 };
	sh->functions = NULL;
	sh->functions_size = sh->functions_count = 0;
	sh->aliases = NULL;
	sh->hashed = NULL;
	sh->parsed = NULL;
	sh->params.pooled = false;
	sh->saved_fds = NULL;
	sh->jobs = NULL;
	sh->jobs_foreign = false;
	sh->jobs_shown = 0;
	sh->finished = NULL;
	sh->procsubs = NULL;
	sh->units = NULL;
	sh->last_unit = sh->building = NULL;
	sh->killed_node = sh->uninverted = NULL;
	sh->recording = NULL;
	sh->script = NULL;
	sh->children = NULL;
	sh->child_link = NULL;
	sh->next_child = NULL;
	sh->coproc = NULL;
	sh->captured = NULL;
	sh->last_arg_cap = 0;
	sh->pipestatus_cap = 0;
	sh->may_exec = sh->session = sh->inverted = sh->exit_called = sh->unsettled = false;
	sh->errexit_due = sh->entered_main = false;
	sh->dead_frame = NULL;
	sh->text_command = NULL;
	sh->redirected_calls = 0;
	sh->short_depth = 0;
	sh->trap_running = -1;
	sh->children_ended = 0;
	sh->flow = FLOW_NONE;
	return sh;
}

/* What it executes is in the innermost unit, but BASH_COMMAND may be in another. */
static void hold_units(struct shell *sh, const struct shell *from)
{
	struct unit_ref **end = &sh->units;

	for (const struct unit_ref *u = from->units; u != NULL; u = u->up) {
		struct unit_ref *held = pool_zalloc(sh->pool, sizeof(*held));

		held->ast = ast_get(u->ast);
		held->command = u->command;
		*end = held;
		end = &held->up;
	}
	if (from->last_unit != NULL)
		sh->last_unit = ast_get(from->last_unit);
}

struct shell *shell_subshell(struct proc *child, struct shell *from, bool copy)
{
	struct shell *sh = clone(child, from);

	sh->parent = from;
	sh->overlay = !copy;
	sh->subshell_depth++;
	sh->lists_shared = true;
	child->task = sh;
	child->line = &sh->line;
	child->release = shell_release;
	if (copy) {
		hold_units(sh, from);
		copy_state(sh, from, true);
		sh->history = from->history;
		sh->completions = from->completions;
		shell_own_lists(sh);
	} else {
		link_child(from, sh);
	}
	trap_reset_for_subshell(sh);
	return sh;
}

struct shell *shell_copy(struct proc *child, struct shell *from)
{
	struct shell *sh = clone(child, from);
	int64_t fuel = kernel_fuel(child->k)->left;

	child->task = sh;
	child->line = &sh->line;
	child->release = shell_release;
	sh->command = NULL;
	copy_state(sh, from, false);
	copy_hash(sh, from);
	copy_lists(sh, from);
	/* A fork of the session has taken the steps that the other one has, no more. */
	kernel_fuel(child->k)->left = fuel;
	job_copy_all(sh, from);
	coproc_copy(sh, from);
	/* What takes steps to make is there in the copy if it was in the other. */
	if (from->vars.environ != NULL && from->vars.environ_serial == from->vars.export_serial)
		(void)var_environ(sh);
	for (int i = 0; i < TRAP_COUNT; i++) {
		struct trap *t = &sh->traps[i];

		if (t->text != NULL && *t->text != '\0')
			t->text = pool_dup(sh->pool, bytes_of(t->text));
	}
	return sh;
}

void shell_recover(struct shell *sh)
{
	while (sh->children != NULL)
		unlink_child(sh->children);
	redir_undo(sh, NULL);
	sys_close_passing(sh->p);
	while (sh->scope > 0)
		scope_pop(sh);
	while (sh->frame->up != NULL) {
		struct frame *f = sh->frame;

		if (f->fn != NULL)
			f->fn->running--;
		if (f->saved_params != NULL) {
			params_free(sh, &sh->params);
			sh->params = *f->saved_params;
		}
		if (f->options_saved)
			sh->opt = f->saved_options;
		trap_show(sh, f);
		frame_pop(sh);
	}
	while (sh->units != NULL)
		unit_leave(sh);
	parsed_abandon(sh);
	sh->procsubs = NULL;
	sh->captured = NULL;
	sh->line_shift = 0;
	sh->command_name = sh->entered = NULL;
	sh->declare_args = NULL;
	sh->elements = NULL;
	sh->listing = false;
	sh->loop_depth = sh->depth = sh->function_depth = sh->short_depth = 0;
	sh->no_errexit = sh->errexit_held = sh->indirection = sh->redirected_calls = 0;
	sh->trap_running = -1;
	sh->traps_busy = 0;
	sh->may_exec = sh->tracing = sh->inverted = sh->unsettled = false;
	sh->redirs_of_program = false;
	sh->dead_frame = NULL;
	sh->text_command = NULL;
	sh->in_function_env = sh->errexit_due = sh->entered_main = false;
	sh->flow = FLOW_NONE;
}

void shell_end_children(struct shell *sh)
{
	while (sh->children != NULL) {
		struct shell *child = sh->children;

		unlink_child(child);
		kernel_signal(sh->p->k, child->p->pid, SIGKILL_);
	}
}

void shell_release(struct proc *p)
{
	struct shell *sh = p->task;

	unlink_child(sh);
	shell_end_children(sh);
	while (sh->units != NULL) {
		ast_put(sh->units->ast);
		sh->units = sh->units->up;
	}
	if (sh->last_unit != NULL)
		ast_put(sh->last_unit);
	parsed_cache_free(sh);
	function_tables_free(sh);
}
