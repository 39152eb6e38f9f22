/* SPDX-License-Identifier: MIT
 *
 * The shell of a session, which outlives its commands: interp.h.
 */
#include "interp/interp.h"
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/state.h"

struct shell *interp_new(struct proc *p, char *const *envp, const char *arg0)
{
	struct shell *sh = shell_new(p, envp, false);

	sh->session = true;
	sh->arg0 = pool_dup(sh->pool, bytes_of(arg0));
	sh->script_name = sh->arg0;
	sh->opt.set |= (uint64_t)1 << SET_COMMAND;
	sh->idle = arena_mark(sh->arena);
	return sh;
}

void interp_set_params(struct shell *sh, int count, char *const *values)
{
	params_set(sh, count, values);
}

void interp_set_interactive(struct shell *sh, bool on)
{
	static const uint64_t typed = (uint64_t)1 << SET_INTERACTIVE | (uint64_t)1 << SET_STDIN |
				      (uint64_t)1 << SET_HISTORY | (uint64_t)1 << SET_HISTEXPAND |
				      (uint64_t)1 << SET_MONITOR;
	static const uint64_t given = (uint64_t)1 << SET_COMMAND;
	static const uint64_t aliases = (uint64_t)1 << SHOPT_expand_aliases;

	sh->opt.set = (sh->opt.set & ~(typed | given)) | (on ? typed : given);
	sh->opt.shopt = (sh->opt.shopt & ~aliases) | (on ? aliases : 0);
	trap_interruptible(sh, on);
	if (!on)
		history_disable(sh);
	if (on && var_get_text(sh, "PS1") == NULL)
		var_set_text(sh, "PS1", "\\u@\\h:\\w\\$ ");
	if (on && var_get_text(sh, "PS2") == NULL)
		var_set_text(sh, "PS2", "> ");
}

bool interp_takes_signal(const struct shell *sh, const struct proc *p, int sig)
{
	if (p == sh->p)
		return p->sig_action[sig] == SIG_CAUGHT && sh->interruptible;
	/* Nobody waits for a substitution that stops. */
	if (sig == SIGTSTP_ && p->pgid == sh->p->pgid)
		return false;
	for (const struct job *j = sh->jobs; j != NULL; j = j->next) {
		if (j->pgid == p->pgid && p->pgid != sh->p->pgid && !j->foreground)
			return false;
	}
	return true;
}

/* Behind a command that did not end the shell. */
static void settle(struct shell *sh, int status)
{
	sh->flow = FLOW_NONE;
	sh->entered_main = false;
	sh->indirection = 0;
	sh->status = status & 255;
	job_poll(sh);
}

int interp_command(struct shell *sh, struct bytes script, bool *exited)
{
	bool typed = opt_set(sh, SET_INTERACTIVE);
	int status = 0;

	if (typed) {
		follow_window(sh);
		trap_poll(sh); /* ^C at the prompt */
		status = sh->status;
	}
	if (sh->flow == FLOW_NONE)
		status = typed ? exec_typed_text(sh, script) : exec_given_text(sh, script);
	if (typed && sh->flow != FLOW_EXIT) {
		settle(sh, status);
		jobs_tell(sh);
		prompt_command(sh);
		status = sh->status;
	}
	*exited = sh->flow == FLOW_EXIT;
	if (*exited)
		status = exec_finish(sh, status);
	if (*exited)
		trap_set(sh, TRAP_EXIT, NULL);
	settle(sh, status);
	if (typed && *exited)
		jobs_tell(sh);
	interp_release(sh);
	return sh->status;
}

bool interp_incomplete(struct shell *sh, struct bytes text)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct parse_config config = shell_parse_config(sh, text, 1);
	struct parser *parser = parse_new(&config);
	struct parse_error error = { 0 };
	struct ast *ast;
	bool open_document = false; /* what a warning can only mean when there is no more text */
	int got;

	while ((got = parse_unit(parser, &ast, &error)) == 1) {
		open_document = parse_warnings(parser) != NULL;
		unit_unused(sh, ast);
	}
	arena_release(sh->arena, mark);
	return open_document || (got < 0 && error.at_end);
}

int interp_end(struct shell *sh)
{
	int status = exec_finish(sh, sh->status);

	trap_set(sh, TRAP_EXIT, NULL);
	return status & 255;
}

void interp_release(struct shell *sh)
{
	arena_release(sh->arena, sh->idle);
}

void interp_recover(struct shell *sh, int status)
{
	shell_recover(sh);
	arena_release(sh->arena, sh->idle);
	sh->status = status;
	sh->npipestatus = 0;
	set_pipestatus(sh, &status, 1); /* last: may find no memory */
}

char *const *interp_environ(struct shell *sh)
{
	return environ_level_down(sh, function_environ(sh, var_environ(sh)));
}

bool interp_get_variable(struct shell *sh, struct bytes name, struct bytes *out)
{
	struct var *v = var_find(sh, name, bytes_hash(name));

	/* No process runs: nothing may be executed or said, as subscripts and circles would. */
	for (int hops = 0; v != NULL && (v->flags & VAR_NAMEREF) != 0; hops++) {
		struct bytes target = { v->value, v->len };

		v = hops < NAMEREF_HOPS_MAX ? var_find(sh, target, bytes_hash(target)) : NULL;
	}
	return v != NULL && var_scalar(sh, v, out);
}

struct shell *interp_copy(struct proc *child, struct shell *from)
{
	struct arena_mark mark = arena_mark(from->arena); /* lists made while copying */
	struct shell *sh = shell_copy(child, from);

	arena_release(from->arena, mark);
	sh->session = true;
	sh->idle = arena_mark(sh->arena);
	return sh;
}

void interp_list_variables(struct shell *sh,
			   int (*each)(void *user, const struct interp_variable *v), void *user)
{
	struct var **all;
	size_t n = var_peek(sh, &all);
	int stop = 0;

	for (size_t i = 0; i < n && stop == 0; i++) {
		struct arena_mark mark = arena_mark(sh->arena);
		struct var *v = all[i];
		struct buf letters = buf_in(sh->arena);
		struct buf value = buf_in(sh->arena);
		struct interp_variable out = { .name = arena_dup(sh->arena, v->name) };

		print_attributes(&letters, v->flags);
		out.attributes = buf_cstr(&letters);
		if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) == 0) {
			if ((v->flags & VAR_SET) != 0)
				out.value = (struct bytes){ v->value, v->len };
		} else if (print_array_value(sh, &value, v)) {
			out.value = (struct bytes){ buf_cstr(&value), value.len };
		}
		stop = each(user, &out);
		arena_release(sh->arena, mark);
	}
}
