/* SPDX-License-Identifier: MIT
 *
 * Calling functions: frames, positional parameters, local scopes, return.
 */
#include "interp/exec.h"
#include "interp/state.h"

/* FUNCNEST counts functions, the session's limit every nested call. */
static bool too_deep(struct shell *sh, const struct function *f)
{
	const char *nest = var_get_text(sh, "FUNCNEST");
	uint64_t most = kernel_limit(sh->p->k, LIMIT_RECURSION);
	int64_t wanted = 0;

	if (nest != NULL && arith_plain_number(bytes_of(nest), &wanted) && wanted > 0 &&
	    sh->function_depth >= wanted)
		most = (uint64_t)wanted;
	else if (most == 0 || (uint64_t)sh->depth < most)
		return false;
	shell_error(sh, "%s: maximum function nesting level exceeded (%llu)", f->name.ptr,
		    (unsigned long long)most);
	sh->status = 1;
	sh->flow = FLOW_ABORT;
	sh->abort_forgiven = true;
	return true;
}

/* DEBUG, ERR and RETURN traps are inherited only with -T and -E, or by a traced function. */
static void enter_traps(struct shell *sh, struct frame *frame, const struct function *f)
{
	if (!opt_set(sh, SET_FUNCTRACE) && !f->traced) {
		trap_hide(sh, frame, TRAP_DEBUG);
		trap_hide(sh, frame, TRAP_RETURN);
	}
	if (!opt_set(sh, SET_ERRTRACE))
		trap_hide(sh, frame, TRAP_ERR);
}

/* *returned: by `return`. */
static int run_body(struct shell *sh, struct function *f, bool *returned)
{
	int status;

	if (sh->traps[TRAP_DEBUG].text != NULL) {
		shell_at(sh, f->node->body->line);
		exec_debug(sh, sh->command);
	}
	if (sh->flow != FLOW_NONE)
		return sh->status;
	status = exec_node(sh, f->node->body);
	*returned = sh->flow == FLOW_RETURN;
	if (*returned) {
		sh->flow = FLOW_NONE;
		status = sh->status;
	}
	if ((sh->flow == FLOW_BREAK || sh->flow == FLOW_CONTINUE) &&
	    !opt_compat(sh, SHOPT_compat43))
		sh->flow = FLOW_NONE;
	return status;
}

/* The scope goes; if it had an OPTIND of its own, the caller's place in a group of options is
 * back. */
static void pop_scope(struct shell *sh)
{
	enum { UNTOUCHED = -1 };
	int inner = sh->getopts_index;

	sh->getopts_index = UNTOUCHED;
	scope_pop(sh);
	if (sh->getopts_index == UNTOUCHED) {
		sh->getopts_index = inner;
		return;
	}
	sh->getopts_index = sh->frame->getopts_index;
	sh->getopts_word = sh->frame->getopts_word;
}

static void pop_call(struct shell *sh, struct params outer)
{
	struct frame *frame = sh->frame;

	if (frame->options_saved)
		options_put_back(sh, &frame->saved_options);
	params_free(sh, &sh->params);
	sh->params = outer;
	sh->line = frame->call_line;
	pop_scope(sh);
	frame_pop(sh);
	unit_leave(sh);
	sh->function_depth--;
	sh->depth--;
}

int exec_function(struct shell *sh, struct function *f, int argc, char **argv)
{
	struct params *outer = arena_alloc(sh->arena, sizeof(*outer));
	struct unit_ref *unit = arena_alloc(sh->arena, sizeof(*unit));
	struct frame *frame;
	int outer_line = sh->outer_line;
	int outer_shift = sh->line_shift;
	bool returned = false;
	int status;

	if (too_deep(sh, f))
		return sh->status;
	*outer = sh->params;
	frame = frame_push(sh, f->name.ptr, f->source);
	frame->is_function = true;
	frame->fn = f;
	frame->saved_params = outer;
	if (opt_shopt(sh, SHOPT_extdebug)) {
		frame->argc = argc - 1;
		frame->argv = argv + 1;
	}
	f->running++;
	unit_enter(sh, unit, f->ast);
	scope_push(sh);
	sh->depth++;
	sh->function_depth++;
	if (!opt_compat(sh, SHOPT_compat43))
		sh->loop_depth = 0;
	sh->params = (struct params){ .count = argc - 1, .values = argv + 1 };
	enter_traps(sh, frame, f);
	sh->line_shift = f->line_shift;
	sh->outer_line = f->node->node.line + f->line_shift;
	sh->entered = f->name.ptr;
	status = run_body(sh, f, &returned);
	sh->outer_line = outer_line;
	if (sh->traps[TRAP_RETURN].text != NULL && sh->flow == FLOW_NONE) {
		sh->status = returned ? sh->before_return : status;
		if (!returned)
			shell_at(sh, f->node->body->line);
		trap_run(sh, TRAP_RETURN);
		if (sh->flow == FLOW_NONE)
			sh->status = status;
	}
	sh->line_shift = outer_shift;
	pop_call(sh, *outer);
	trap_show(sh, frame);
	function_done(sh, f);
	sh->entered_main = sh->flow == FLOW_ABORT || (sh->flow == FLOW_EXIT && !sh->exit_called);
	return sh->status = sh->flow != FLOW_EXIT ? status : sh->status;
}
