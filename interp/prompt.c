/* SPDX-License-Identifier: MIT
 *
 * The shell and who sits in front of it: the window's size, PROMPT_COMMAND, prompts.
 */
#include "base/number.h"
#include "interp/exec.h"
#include "interp/interp.h"
#include "interp/state.h"

/* The texts as they are now: what they run may change the variable. */
static struct bytes *texts_of(struct shell *sh, size_t *count)
{
	struct bytes name = BYTES("PROMPT_COMMAND");
	struct var *v = var_find(sh, name, bytes_hash(name));
	bool array = v != NULL && (v->flags & VAR_ARRAY) != 0;
	size_t room = array ? array_count(v->array) : 1;
	struct bytes *texts = arena_array(sh->arena, room + 1, sizeof *texts);
	int64_t at = 0;

	*count = 0;
	if (!array) {
		const char *text = var_get_text(sh, "PROMPT_COMMAND");

		if (text != NULL)
			texts[(*count)++] = arena_bytes(sh->arena, bytes_of(text));
		return texts;
	}
	for (struct bytes text; *count < room && array_next(v->array, at, &at, &text); at++)
		texts[(*count)++] = arena_bytes(sh->arena, text);
	return texts;
}

void follow_window(struct shell *sh)
{
	uint16_t size[4];
	char rows[24], columns[24];

	if (!opt_shopt(sh, SHOPT_checkwinsize) || sh->subshell_depth != 0 ||
	    sys_tty_size(sh->p, 2, size, false) != 0 || size[0] == 0 || size[1] == 0)
		return;
	rows[number_put_i64(rows, size[0])] = '\0';
	columns[number_put_i64(columns, size[1])] = '\0';
	var_set_text(sh, "LINES", rows);
	var_set_text(sh, "COLUMNS", columns);
}

void prompt_command(struct shell *sh)
{
	struct arena_mark mark = arena_mark(sh->arena);
	size_t count;
	struct bytes *texts = texts_of(sh, &count);
	char *last_arg = arena_dup(sh->arena, bytes_of(sh->last_arg));
	int n = sh->npipestatus;
	int *statuses = copy_pipestatus(sh);
	int status = sh->status;
	int line = sh->line;

	for (size_t i = 0; i < count && sh->flow == FLOW_NONE; i++) {
		exec_text(sh, texts[i], "PROMPT_COMMAND", line);
		if (sh->flow == FLOW_EXIT)
			break;
		/* ^C gives up this one. */
		sh->flow = FLOW_NONE;
		sh->line = line;
		sh->status = status;
		set_pipestatus(sh, statuses, n);
		set_last_arg(sh, last_arg);
	}
	arena_release(sh->arena, mark);
}

void prompt_before_command(struct shell *sh)
{
	struct arena_mark mark = arena_mark(sh->arena);
	const char *text = var_get_text(sh, "PS0");
	int status = sh->status;
	struct bytes shown;

	if (text != NULL && *text != '\0' && expand_prompt(sh, bytes_of(text), &shown) == 0)
		sys_write(sh->p, 2, shown.ptr, shown.len);
	sh->status = status;
	sh->flow = FLOW_NONE;
	arena_release(sh->arena, mark);
}

struct bytes interp_prompt(struct shell *sh, const char *name)
{
	const char *text = var_get_text(sh, name);
	struct bytes shown = { "", 0 };

	if (text != NULL && expand_prompt(sh, bytes_of(text), &shown) != 0)
		shown = bytes_of(text);
	return shown;
}
