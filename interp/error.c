/* SPDX-License-Identifier: MIT
 *
 * Messages as bash writes them: "bash: line 3: text".
 *
 * The name is the file in which the code being executed was written (BASH_SOURCE[0]; it is
 * "environment" for functions given by -c), else $0. A message is one write.
 */
#include "interp/exec.h"

static void put_name(struct shell *sh, struct buf *out)
{
	const char *source = sh->frame != NULL ? sh->frame->source : NULL;

	buf_puts(out, source != NULL && *source != '\0' ? source : sh->arg0);
	buf_puts(out, ": ");
}

/* gnu: as `shopt -s gnu_errfmt` has it, "name:3: ". */
static void put_line(struct buf *out, int line, bool gnu)
{
	if (line <= 0)
		return;
	if (gnu)
		out->len--; /* the blank behind the name */
	buf_printf(out, gnu ? "%d: " : "line %d: ", line);
}

static void put_prefix(struct shell *sh, struct buf *out, bool gnu)
{
	if (opt_set(sh, SET_INTERACTIVE)) {
		buf_puts(out, sh->script_name);
		buf_puts(out, ": ");
		return;
	}
	put_name(sh, out);
	put_line(out, sh->line, gnu);
}

void shell_error_prefix(struct shell *sh, struct buf *out)
{
	put_prefix(sh, out, opt_shopt(sh, SHOPT_gnu_errfmt));
}

static void say(struct shell *sh, struct buf *out)
{
	buf_putc(out, '\n');
	sys_write(sh->p, 2, out->ptr, out->len);
}

void shell_error(struct shell *sh, const char *format, ...)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);
	va_list args;

	shell_error_prefix(sh, &out);
	va_start(args, format);
	buf_vprintf(&out, format, args);
	va_end(args);
	say(sh, &out);
	arena_release(sh->arena, mark);
}

void builtin_error(struct shell *sh, const char *builtin, const char *format, ...)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);
	va_list args;

	put_prefix(sh, &out, false); /* commands know nothing of gnu_errfmt */
	buf_printf(&out, "%s: ", builtin);
	va_start(args, format);
	buf_vprintf(&out, format, args);
	va_end(args);
	say(sh, &out);
	arena_release(sh->arena, mark);
}

void give_up_line(struct shell *sh)
{
	sh->flow = FLOW_ABORT;
	sh->abort_firm = sh->line_only = true;
	if (!opt_set(sh, SET_COMMAND))
		return;
	sh->flow = FLOW_EXIT;
	if (sh->trap_running == TRAP_EXIT)
		sh->status = sh->trap_status;
}

int special_error(struct shell *sh, int status)
{
	if (sh->special && opt_set(sh, SET_POSIX) && !opt_set(sh, SET_INTERACTIVE) &&
	    sh->flow == FLOW_NONE)
		return exec_end(sh, status);
	return status;
}

bool error_ends_shell(const struct shell *sh)
{
	return opt_set(sh, SET_ERREXIT) && sh->no_errexit == 0 && !sh->session &&
	       !opt_set(sh, SET_INTERACTIVE);
}

/* name: "-c", "eval", ... stands between the shell's name and the line; NULL: none. */
void parse_error_print(struct shell *sh, const char *name, const struct parse_error *e)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);
	bool gnu = opt_shopt(sh, SHOPT_gnu_errfmt);

	for (int i = 0; i < 2; i++) {
		const char *file = sh->frame != NULL ? sh->frame->source : NULL;
		bool interactive = opt_set(sh, SET_INTERACTIVE);
		bool named = file != NULL && *file != '\0';
		bool typed = interactive && !named && (name == NULL || strcmp(name, "-c") == 0);

		/* Who has just typed it sees the line; with -e the first message ends the shell. */
		if (e->message[i].len == 0 || ((typed || error_ends_shell(sh)) && i > 0))
			continue;
		if (interactive)
			buf_printf(&out, "%s: ", sh->script_name);
		if (!interactive || (named && name == NULL))
			put_name(sh, &out);
		int line = i == 0 ? e->line : e->second_line;

		if (typed)
			;
		else if (name != NULL) /* an imported function is read from line 0 on */
			buf_printf(&out, gnu ? "%s:%d: " : "%s: line %d: ", name, line);
		else
			put_line(&out, line, gnu);
		buf_add(&out, e->message[i]);
		buf_putc(&out, '\n');
	}
	sys_write(sh->p, 2, out.ptr, out.len);
	arena_release(sh->arena, mark);
}
