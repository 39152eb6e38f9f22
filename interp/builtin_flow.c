/* SPDX-License-Identifier: MIT
 *
 * break, continue, return, exit, logout, shift: what changes where execution goes on.
 */
#include "interp/builtin.h"
#include "interp/exec.h"

/* A wrong number of words: the whole command line is given up. */
static int too_many(struct shell *sh, const char *name)
{
	builtin_error(sh, name, "too many arguments");
	sh->status = 1;
	give_up_line(sh);
	return 1;
}

static int not_numeric(struct shell *sh, const char *name, const char *word)
{
	builtin_error(sh, name, "%s: numeric argument required", word);
	return STATUS_MISUSE;
}

/* Skips "--". Returns the first operand's index. */
static int operands(int argc, char **argv)
{
	return argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
}

static bool wants_help(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);

	if (argc < 2 || strcmp(argv[1], "--help") != 0)
		return false;
	help_text(&out, shell_builtin_find(sh, bytes_of(argv[0])));
	out_flush(sh, argv[0], &out);
	return true;
}

/* break and continue */
static int leave_loops(struct shell *sh, int argc, char **argv, enum flow flow)
{
	int64_t n = 1;
	int i = operands(argc, argv);

	if (wants_help(sh, argc, argv))
		return STATUS_MISUSE;
	if (sh->loop_depth == 0) {
		if (!opt_set(sh, SET_POSIX))
			builtin_error(sh, argv[0],
				      "only meaningful in a `for', `while', or `until' loop");
		return 0;
	}
	if (i < argc && !number_argument(argv[i], &n)) {
		not_numeric(sh, argv[0], argv[i]);
		sh->flow = FLOW_EXIT;
		return sh->status = 128;
	}
	if (argc > i + 1)
		return too_many(sh, argv[0]);
	sh->flow = flow;
	sh->flow_count = n > sh->loop_depth ? sh->loop_depth : (int)n;
	if (n > 0)
		return 0;
	builtin_error(sh, argv[0], "%s: loop count out of range", argv[i]);
	sh->flow = FLOW_BREAK;
	sh->flow_count = sh->loop_depth;
	return 1;
}

int do_break(struct shell *sh, int argc, char **argv)
{
	return leave_loops(sh, argc, argv, FLOW_BREAK);
}

int do_continue(struct shell *sh, int argc, char **argv)
{
	return leave_loops(sh, argc, argv, FLOW_CONTINUE);
}

/* The status given to return or exit, 0..255, else that of the last command, or of the last
 * before the trap; false after too many words. */
static bool status_operand(struct shell *sh, int argc, char **argv, bool before_trap, int *status)
{
	int64_t n = before_trap ? sh->trap_status : sh->status;
	int i = operands(argc, argv);

	if (i < argc && !number_argument(argv[i], &n)) {
		*status = not_numeric(sh, argv[0], argv[i]);
		return true;
	}
	if (argc > i + 1) {
		*status = too_many(sh, argv[0]);
		return false;
	}
	*status = (int)(n & 255);
	return true;
}

static bool can_return(const struct shell *sh)
{
	for (const struct frame *f = sh->frame; f != NULL; f = f->up) {
		if (f->is_function || f->is_source)
			return true;
	}
	return false;
}

int do_return(struct shell *sh, int argc, char **argv)
{
	int status;

	if (wants_help(sh, argc, argv))
		return STATUS_MISUSE;
	if (!status_operand(sh, argc, argv, sh->trap_running >= 0 && sh->trap_running != TRAP_DEBUG,
			    &status))
		return status;
	if (!can_return(sh)) {
		builtin_error(sh, "return", "can only `return' from a function or sourced script");
		return STATUS_MISUSE;
	}
	sh->flow = FLOW_RETURN;
	sh->before_return = sh->status;
	return sh->status = status;
}

int do_exit(struct shell *sh, int argc, char **argv)
{
	int status;

	if (wants_help(sh, argc, argv))
		return STATUS_MISUSE;
	if (!status_operand(sh, argc, argv, sh->trap_running == TRAP_EXIT, &status))
		return status;
	if (opt_set(sh, SET_INTERACTIVE) && sh->task == NULL) {
		sys_write(sh->p, 2, "exit\n", 5);
		if (jobs_hold(sh))
			return 1;
	}
	if (opt_set(sh, SET_LOGIN) && sh->task == NULL)
		shell_logout(sh);
	if (sh->flow == FLOW_EXIT) /* by that file */
		return sh->status;
	sh->flow = FLOW_EXIT;
	sh->exit_called = true;
	sh->status = status;
	if (exec_ends_here(sh)) {
		/* The trap sees the local variables of where `exit` stands, and its redirections.
		 */
		exec_leave_redirections(sh);
		exec_end_here(sh);
	}
	return sh->status;
}

int do_logout(struct shell *sh, int argc, char **argv)
{
	if (wants_help(sh, argc, argv))
		return STATUS_MISUSE;
	if (!opt_shopt(sh, SHOPT_login_shell)) {
		builtin_error(sh, "logout", "not login shell: use `exit'");
		return 1;
	}
	return do_exit(sh, argc, argv);
}

int do_shift(struct shell *sh, int argc, char **argv)
{
	struct params *p = &sh->params;
	int64_t n = 1;
	int i = operands(argc, argv);

	if (wants_help(sh, argc, argv))
		return STATUS_MISUSE;
	if (i < argc && !number_argument(argv[i], &n)) {
		not_numeric(sh, "shift", argv[i]);
		return 1;
	}
	if (argc > i + 1)
		return too_many(sh, "shift");
	if (n < 0 || n > p->count) {
		if (n < 0 || opt_shopt(sh, SHOPT_shift_verbose) || opt_set(sh, SET_POSIX))
			builtin_error(sh, "shift", "%s%sshift count out of range",
				      i < argc ? argv[1] : "", i < argc ? ": " : "");
		return 1;
	}
	p->values += n;
	p->offset += (int)n;
	p->count -= (int)n;
	return 0;
}
