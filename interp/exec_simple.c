/* SPDX-License-Identifier: MIT
 *
 * Simple commands: words are expanded, then assignments, then redirections; then the
 * function, builtin or program runs. Nothing is kept but what the command itself changes.
 */
#include "interp/exec.h"
#include "interp/state.h"

/* A simple command under way. */
struct call {
	const struct simple *simple;
	struct fields argv;
	struct declared declared;
	const bool *elements; /* as sh->elements */
	struct function *function;
	const struct shell_builtin *builtin;
	bool last;      /* a program may replace the process */
	bool keywords;  /* set -k was heeded */
	bool temporary; /* the current scope holds the assignments before the command */
};

/* Stands in simple.cache_command for "the first word names no builtin". */
static const char no_builtin;

/* --- words --- */

static int expand_call(struct shell *sh, struct call *c)
{
	const struct simple *s = c->simple;

	if (s->declaration != NULL)
		return declare_expand(sh, s, &c->argv, &c->declared);
	if (s->elements)
		return elements_expand(sh, s, &c->argv, &c->elements);
	if (!s->all_literal)
		return expand_words(sh, s->words, s->nwords, &c->argv);
	c->argv.v = arena_alloc(sh->arena, (size_t)(s->nwords + 1) * sizeof(char *));
	for (int i = 0; i < s->nwords; i++)
		c->argv.v[i] = (char *)(uintptr_t)s->words[i]->literal.ptr;
	c->argv.v[s->nwords] = NULL;
	c->argv.count = c->argv.cap = s->nwords;
	return 0;
}

/* --- what the first word names --- */

static const struct shell_builtin *cached_builtin(struct shell *sh, struct simple *s,
						  struct bytes name)
{
	if (s->cache_command == NULL) {
		const struct shell_builtin *b = shell_builtin_find(sh, name);

		s->cache_command = (void *)(b != NULL ? (uintptr_t)b : (uintptr_t)&no_builtin);
	}
	return s->cache_command != &no_builtin ? s->cache_command : NULL;
}

static void resolve(struct shell *sh, struct call *c)
{
	struct simple *s = (struct simple *)(uintptr_t)c->simple;
	bool literal = (s->words[0]->flags & WORD_LITERAL) != 0 &&
		       s->words[0]->literal.ptr == c->argv.v[0];
	struct bytes name = literal ? s->words[0]->literal : bytes_of(c->argv.v[0]);
	const struct shell_builtin *b;

	b = literal ? cached_builtin(sh, s, name) : shell_builtin_find(sh, name);
	if (b != NULL && !builtin_enabled(sh, b))
		b = NULL;
	if (b != NULL && (b->flags & BUILTIN_SPECIAL) != 0 && opt_set(sh, SET_POSIX)) {
		c->builtin = b;
		return;
	}
	c->function = function_find(sh, name, literal && s->hash != 0 ? s->hash : bytes_hash(name));
	if (c->function == NULL)
		c->builtin = b;
}

/* --- assignments --- */

/* What a failed assignment ends: the command line, in a POSIX shell the shell. */
static int assignment_failed(struct shell *sh)
{
	if (sh->flow == FLOW_NONE) {
		sh->abort_forgiven = false;
		sh->flow = FLOW_ABORT; /* which in POSIX mode ends the shell: exec_text.c */
		sh->status = 1;
	}
	return sh->status;
}

/* Expands first, shows, then assigns what was shown. */
static int assign_traced(struct shell *sh, const struct assign *a)
{
	struct assign shown = *a;
	struct bytes value;

	if (a->array || a->value == NULL) {
		xtrace_assign(sh, a);
		return assign_execute(sh, a, 0);
	}
	if (expand_assignment(sh, a->value, &value) != 0)
		return -1;
	shown.value = literal_word(sh, value);
	xtrace_assign(sh, &shown);
	return assign_execute(sh, &shown, 0);
}

static int run_assignments(struct shell *sh, const struct simple *s)
{
	unsigned before = sh->substitutions;
	bool traced = opt_set(sh, SET_XTRACE);

	for (int i = 0; i < s->nassigns; i++) {
		const struct assign *a = &s->assigns[i];

		if ((traced ? assign_traced(sh, a) : assign_execute(sh, a, 0)) != 0)
			return assignment_failed(sh);
	}
	return sh->substitutions != before ? sh->status : 0;
}

/* The value that `x=... command` gives x. */
static int temporary_value(struct shell *sh, const struct assign *a, struct bytes *out)
{
	struct bytes old = { "", 0 };
	struct buf joined = buf_in(sh->arena);

	if (a->array) {
		size_t skip = a->name.len + (a->append ? 2 : 1);

		*out = bytes_slice(a->text, skip, a->text.len);
		return 0;
	}
	if (expand_assignment(sh, a->value, out) != 0)
		return -1;
	if (a->append && var_get(sh, a->name, a->hash, &old)) {
		buf_add(&joined, old);
		buf_add(&joined, *out);
		*out = buf_bytes(&joined);
	}
	return 0;
}

static int assign_temporary(struct shell *sh, const struct assign *a)
{
	struct bytes name = a->name;
	uint64_t hash = a->hash;
	struct var *v;
	struct bytes value;

	if (a->sub != NULL) {
		shell_error(sh, "`%.*s[%.*s]': not a valid identifier", (int)a->name.len,
			    a->name.ptr, (int)a->sub->text.len, a->sub->text.ptr);
		return 0;
	}
	if (temporary_value(sh, a, &value) != 0)
		return -1;
	value = arena_bytes(sh->arena, value);
	if (opt_set(sh, SET_XTRACE)) {
		struct word w = { .flags = WORD_LITERAL, .literal = value };
		struct assign shown = *a;

		shown.value = &w;
		shown.array = false;
		xtrace_assign(sh, &shown);
	}
	v = var_find(sh, name, hash);
	if (v != NULL && (v->flags & VAR_NAMEREF) != 0 && v->len != 0 &&
	    is_name((struct bytes){ v->value, v->len })) {
		/* What the reference names is exported. */
		name = arena_bytes(sh->arena, (struct bytes){ v->value, v->len });
		hash = bytes_hash(name);
		v = var_find(sh, name, hash);
	}
	if (v != NULL && (v->flags & VAR_READONLY) != 0) {
		shell_error(sh, "%.*s: readonly variable", (int)name.len, name.ptr);
		exec_errexit(sh);
		return opt_set(sh, SET_POSIX) || sh->flow != FLOW_NONE ? -1 : 0;
	}
	v = var_local(sh, name, hash);
	if (v == NULL)
		return 0;
	v->flags |= VAR_TEMPORARY | VAR_EXPORT;
	sh->vars.export_serial++;
	return var_assign(sh, v, value, 0);
}

/* --- running --- */

static bool is_special(const struct call *c)
{
	return c->builtin != NULL && (c->builtin->flags & BUILTIN_SPECIAL) != 0;
}

/* eval, . and source return what they ran, which may be 2 as well. */
static bool runs_text(const struct call *c)
{
	const char *name = c->builtin->name;

	return strcmp(name, "eval") == 0 || strcmp(name, ".") == 0 || strcmp(name, "source") == 0;
}

static int run_builtin(struct shell *sh, struct call *c)
{
	bool outer = sh->special;
	int status;

	sh->special = is_special(c);
	sh->declare_args = c->declared.args;
	sh->elements = c->elements;
	status = c->declared.nothing_left ? c->declared.status
					  : exec_builtin(sh, c->builtin, c->argv.count, c->argv.v);
	if (status == 0)
		status = c->declared.status;
	sh->declare_args = NULL;
	sh->elements = NULL;
	if (status == STATUS_USAGE && sh->special && !runs_text(c))
		special_error(sh, status);
	sh->special = outer;
	return status;
}

static int run_target(struct shell *sh, struct call *c)
{
	if (c->function != NULL)
		return exec_function(sh, c->function, c->argv.count, c->argv.v);
	if (c->builtin != NULL)
		return run_builtin(sh, c);
	return exec_program(sh, c->argv.v, c->last, &c->simple->node);
}

static void trace_call(struct shell *sh, const struct call *c)
{
	bool exports = c->builtin != NULL && (strcmp(c->builtin->name, "export") == 0 ||
					      strcmp(c->builtin->name, "readonly") == 0);

	declare_trace(sh, &c->argv, c->declared.args, exports);
}

/* The index of the builtin itself in `command builtin cd`. */
static int end_of_prefix(const struct call *c)
{
	int i = 0;

	while (i + 1 < c->argv.count &&
	       (strcmp(c->argv.v[i], "command") == 0 || strcmp(c->argv.v[i], "builtin") == 0))
		i++;
	return i;
}

/* A process that was made for this command: whoever made it ran the DEBUG trap, and looks at the
 * status. */
static bool is_whole_task(const struct shell *sh, const struct simple *s)
{
	const struct task *t = sh->task;

	return t != NULL && t->node == &s->node && t->run == task_run_node && !t->command_sub;
}

/* `exec >file` changes the shell's own descriptors; a function that is a stage of a pipeline those
 * of its process, so that EXIT's action writes there, too. */
static bool keeps_redirections(const struct shell *sh, const struct call *c)
{
	if (c->function != NULL && is_whole_task(sh, c->simple))
		return true;
	if (c->builtin == NULL)
		return c->last && c->function == NULL;
	return strcmp(c->argv.v[end_of_prefix(c)], "exec") == 0;
}

/* Whether the redirections of a program change the shell by their expansion: as that happens
 * in the program's process, they must not. */
static bool redirs_change(struct shell *sh, const struct node *n)
{
	for (int i = 0; i < n->nredirs; i++) {
		const struct redir *r = &n->redirs[i];

		if (r->var.len != 0)
			return true;
		if (r->target == NULL || r->heredoc_quoted || word_is_pure(sh, r->target))
			continue;
		for (int k = 0; k < r->target->nparts; k++) {
			if (r->target->parts[k].kind == PART_ARITH ||
			    r->target->parts[k].kind == PART_PARAM)
				return true;
		}
	}
	return false;
}

static int run_program_task(struct shell *sh, struct task *t)
{
	struct call *c = t->arg;
	const struct node *n = &c->simple->node;

	sh->subshell_depth--; /* it is the program's process, no subshell */
	if (redir_apply(sh, n->redirs, n->nredirs, true) != 0)
		return sh->flow != FLOW_NONE ? sh->status : 1;
	return exec_program(sh, c->argv.v, true, n);
}

static int run_program_apart(struct shell *sh, struct call *c)
{
	struct task t = { .run = run_program_task,
			  .node = &c->simple->node,
			  .arg = c,
			  .in = -1,
			  .out = -1,
			  .close = { -1, -1 } };
	int64_t pid = task_start(sh, &t, NULL);

	return pid < 0 ? sh->status : exec_wait(sh, (int)pid, &c->simple->node);
}

static int redirection_failed(struct shell *sh, const struct call *c)
{
	/* A program's redirections fail in its own process. */
	if (sh->flow != FLOW_NONE && c->builtin == NULL && c->function == NULL) {
		int status = sh->flow == FLOW_EXIT ? sh->status : 1;

		sh->flow = FLOW_NONE;
		return status;
	}
	if (sh->flow != FLOW_NONE)
		return sh->status;
	return is_special(c) && opt_set(sh, SET_POSIX) ? exec_end(sh, 1) : 1;
}

static int apply_redirs(struct shell *sh, const struct call *c, const struct node *n)
{
	bool outer = sh->redirs_of_program;
	int err;

	sh->redirs_of_program = c->function == NULL && c->builtin == NULL;
	err = redir_apply(sh, n->redirs, n->nredirs, keeps_redirections(sh, c));
	sh->redirs_of_program = outer;
	return err;
}

static int run_redirected(struct shell *sh, struct call *c)
{
	const struct node *n = &c->simple->node;
	struct saved_fd *saved = sh->saved_fds;
	int status;

	if (opt_set(sh, SET_XTRACE))
		trace_call(sh, c);
	if (n->nredirs == 0)
		return run_target(sh, c);
	if (c->function == NULL && c->builtin == NULL && !c->last &&
	    (redirs_change(sh, n) || sh->coproc != NULL))
		return run_program_apart(sh, c);
	if (c->temporary)
		scope_hide(sh);
	if (c->function != NULL)
		c->function->running++; /* a trap that runs meanwhile may unset it */
	status = apply_redirs(sh, c, n);
	if (c->temporary)
		scope_show(sh);
	if (status != 0) {
		redir_undo(sh, saved);
		if (c->function != NULL)
			function_done(sh, c->function);
		return redirection_failed(sh, c);
	}
	if (c->function == NULL && c->builtin == NULL) {
		status = run_target(sh, c);
		redir_undo(sh, saved);
		return status;
	}
	sh->redirected_calls++;
	status = run_target(sh, c);
	sh->redirected_calls--;
	redir_undo(sh, saved);
	if (c->function != NULL)
		function_done(sh, c->function);
	return exec_redirected_call(sh, status);
}

/* What these builtins assign they assign outside of the temporary environment, too. */
static bool passes_values(const struct call *c)
{
	static const char *const names[] = {
		"cd", "getopts", "let", "popd", "printf", "pushd", NULL
	};

	const char *name;

	if (c->function != NULL || c->builtin == NULL)
		return false;
	name = c->argv.v[end_of_prefix(c)];
	for (int i = 0; names[i] != NULL; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* With a temporary environment, which is a scope of its own. */
static int run_with_assigns(struct shell *sh, struct call *c)
{
	const struct simple *s = c->simple;
	bool outer = sh->in_function_env;
	int passing = sh->passing_scope;
	int failed = 0;
	int status;

	scope_push(sh);
	for (int i = 0; i < s->nassigns && failed == 0; i++)
		failed = assign_temporary(sh, &s->assigns[i]);
	if (failed != 0) {
		scope_pop(sh);
		sh->line_only = true; /* it is no special builtin */
		return assignment_failed(sh);
	}
	sh->in_function_env = true;
	c->temporary = true;
	sh->passing_scope = passes_values(c) ? sh->scope : 0;
	status = run_redirected(sh, c);
	sh->passing_scope = passing;
	sh->in_function_env = outer;
	scope_pop(sh);
	return status;
}

/* What stands before a special builtin is exported, and outlives the environment of the call
 * around it. */
static void keep_temporaries(struct shell *sh, const struct call *c)
{
	for (int i = 0; i < c->simple->nassigns; i++) {
		const struct assign *a = &c->simple->assigns[i];
		struct bytes sub;
		struct var *v = var_resolve(sh, a->name, a->hash, &sub);

		if (v == NULL || sub.ptr != NULL || a->sub != NULL || a->array)
			continue;
		v = var_own(sh, v);
		if ((v->flags & VAR_TEMPORARY) != 0 && !runs_text(c))
			v->flags |= VAR_KEPT;
		v->flags |= VAR_EXPORT;
		var_flags_changed(sh, v);
	}
}

static int run_assigned(struct shell *sh, struct call *c)
{
	int status;

	if (c->simple->nassigns == 0)
		return run_redirected(sh, c);
	if (!is_special(c) || !opt_set(sh, SET_POSIX))
		return run_with_assigns(sh, c);
	status = run_assignments(sh, c->simple);
	if (sh->flow != FLOW_NONE)
		return status;
	keep_temporaries(sh, c);
	return run_redirected(sh, c);
}

/* Whether one of the redirections alone would take input from the shell, or set a variable: bash
 * has a child do these when there is no command. */
static bool redirs_apart(const struct node *n)
{
	for (int i = 0; i < n->nredirs; i++) {
		const struct redir *r = &n->redirs[i];
		bool in = r->kind == REDIR_IN || r->kind == REDIR_RDWR || r->kind == REDIR_DUP_IN;

		if (r->var.len != 0 || (in && r->fd <= 0) ||
		    (r->kind == REDIR_DUP_OUT && r->fd == 0))
			return true;
	}
	return false;
}

static int run_redirs_task(struct shell *sh, struct task *t)
{
	int status = redir_apply(sh, t->node->redirs, t->node->nredirs, true);

	return status == 0 || sh->flow == FLOW_NONE ? status != 0 : sh->status;
}

static int run_redirs_apart(struct shell *sh, const struct node *n)
{
	struct task t = {
		.run = run_redirs_task, .node = n, .in = -1, .out = -1, .close = { -1, -1 }
	};
	int64_t pid = task_start(sh, &t, NULL);

	return pid < 0 ? sh->status : exec_wait(sh, (int)pid, n);
}

/* Only assignments and redirections. Has the status of the last command substitution, if there
 * was one: also in words that expanded to nothing, when sh->substitutions was `before`. */
static int run_empty(struct shell *sh, const struct simple *s, unsigned before)
{
	struct saved_fd *saved = sh->saved_fds;
	int status = run_assignments(sh, s);

	if (s->nassigns != 0)
		set_last_arg(sh, "");
	if (sh->flow != FLOW_NONE)
		return status;
	if (redirs_apart(&s->node))
		return run_redirs_apart(sh, &s->node);
	if (s->node.nredirs != 0 && redir_apply(sh, s->node.redirs, s->node.nredirs, false) != 0)
		status = sh->flow != FLOW_NONE ? sh->status : 1;
	else
		status = sh->substitutions != before ? sh->status : 0;
	redir_undo(sh, saved);
	return status;
}

/* --- set -k --- */

static unsigned keyword_flags(void *user)
{
	return PARSE_KEYWORD | parse_flags_now(user);
}

/* The command read again, with the words that have the form of assignments as such; NULL: it has
 * none. Its unit is entered. */
static struct simple *with_keywords(struct shell *sh, const struct simple *s)
{
	struct simple plain = *s;
	struct buf text = buf_in(sh->arena);
	struct parse_config config;
	struct parse_error error;
	struct simple *again;
	struct ast *ast = NULL;
	bool any = false;

	for (int i = 1; i < s->nwords; i++)
		any = any || memchr(s->words[i]->text.ptr, '=', s->words[i]->text.len) != NULL;
	if (!any)
		return NULL;
	plain.node.nredirs = 0;
	print_command(&text, &plain.node);
	config = shell_parse_config(sh, buf_bytes(&text), s->node.line);
	config.flags = keyword_flags;
	config.alias = NULL;
	if (parse_unit(parse_new(&config), &ast, &error) != 1)
		return NULL;
	unit_adopt(sh, ast);
	if (ast->root == NULL || ast->root->kind != NODE_SIMPLE) {
		unit_leave(sh);
		return NULL;
	}
	again = arena_alloc(sh->arena, sizeof(*again));
	*again = *(const struct simple *)ast->root;
	again->node = s->node;
	return again;
}

static int run_call(struct shell *sh, struct call *c);

/* Whether the command was run as set -k has it. */
static bool run_keywords(struct shell *sh, struct call *c, int *status)
{
	const struct simple *written = c->simple;
	const struct simple *again = with_keywords(sh, written);

	if (again == NULL)
		return false;
	c->simple = again;
	c->keywords = true;
	*status = run_call(sh, c);
	c->simple = written;
	unit_leave(sh);
	return true;
}

static int run_call(struct shell *sh, struct call *c)
{
	unsigned before = sh->substitutions;
	int status;

	if (opt_set(sh, SET_KEYWORD) && !c->keywords && run_keywords(sh, c, &status))
		return status;
	sh->command_name = NULL;
	if (c->simple->nwords != 0) {
		if (expand_call(sh, c) != 0)
			return sh->status;
	}
	if (c->argv.count == 0)
		return run_empty(sh, c->simple, before);
	resolve(sh, c);
	proc_watch_call(sh->p,
			c->function != NULL  ? "function"
			: c->builtin != NULL ? "builtin"
					     : "program",
			c->argv.v);
	status = run_assigned(sh, c);
	sh->entered = NULL;
	set_last_arg(sh, c->argv.v[c->argv.count - 1]);
	return status;
}

int exec_simple(struct shell *sh, const struct simple *s)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct procsub *subs = sh->procsubs;
	struct call c = { .simple = s, .last = sh->may_exec && exec_may_replace(sh) };
	bool inverted = exec_inverted(sh);
	bool trapped = sh->traps[TRAP_ERR].text != NULL;
	int status;

	sh->may_exec = false;
	shell_at(sh, s->node.line);
	proc_charge(sh->p, 1);
	if (opt_set(sh, SET_NOEXEC))
		return sh->status;
	if (!is_whole_task(sh, s) && exec_debug(sh, &s->node))
		return sh->flow != FLOW_NONE ? sh->status : 0;
	status = run_call(sh, &c);
	if (sh->procsubs != subs)
		procsub_close(sh, subs);
	exec_report(sh);
	set_pipestatus(sh, &status, 1);
	arena_release(sh->arena, mark);
	status = exec_signals(sh, status);
	if (inverted || is_whole_task(sh, s))
		return sh->status = status;
	return exec_check_trapped(sh, status, trapped);
}
