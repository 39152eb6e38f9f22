/* SPDX-License-Identifier: MIT
 *
 * set -x: commands as they are executed, behind PS4.
 */
#include "base/utf8.h"
#include "interp/exec.h"
#include "interp/print.h"

/* PS4 with its first character repeated by the nesting of evals and substitutions. */
static void put_prefix(struct shell *sh, struct buf *out)
{
	const char *ps4 = var_get_text(sh, "PS4");
	int status = sh->status;
	unsigned substitutions = sh->substitutions;
	enum flow flow = sh->flow;
	struct bytes text;

	if (ps4 == NULL)
		return;
	/* If that fails, it is what could not be expanded. */
	expand_prompt(sh, bytes_of(ps4), &text);
	sh->status = status;
	sh->substitutions = substitutions;
	sh->flow = flow;
	if (text.len == 0)
		return;
	size_t first = utf8_decode(text, 0, &(uint32_t){ 0 });

	for (int i = 1; i < sh->indirection; i++)
		buf_put(out, text.ptr, first);
	buf_add(out, text);
}

void xtrace_fd_changed(struct shell *sh, struct var *v)
{
	struct bytes value = { NULL, 0 };
	int64_t fd;

	/* Neither for one command, nor while a local one has no value yet. */
	if (v != NULL &&
	    ((v->flags & VAR_TEMPORARY) != 0 || (v->flags & (VAR_LOCAL | VAR_SET)) == VAR_LOCAL))
		return;
	if (v == NULL || !var_scalar(sh, v, &value) || value.len == 0) {
		if (sh->trace_fd >= 0)
			sys_close(sh->p, sh->trace_fd);
		sh->trace_fd = -1;
		return;
	}
	if (arith_plain_number(value, &fd) && fd >= 0 && fd <= INT32_MAX &&
	    sys_getfl(sh->p, (int)fd) >= 0)
		sh->trace_fd = (int)fd;
	else
		shell_error(sh, "BASH_XTRACEFD: %.*s: invalid value for trace file descriptor",
			    (int)value.len, value.ptr);
}

void xtrace_text(struct shell *sh, struct bytes text)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);

	if (sh->tracing)
		return;
	sh->tracing = true;
	put_prefix(sh, &out);
	buf_add(&out, text);
	buf_putc(&out, '\n');
	sys_write(sh->p, sh->trace_fd >= 0 ? sh->trace_fd : 2, out.ptr, out.len);
	sh->tracing = false;
	arena_release(sh->arena, mark);
}

void xtrace_words(struct shell *sh, char *const *argv, int argc)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);

	for (int i = 0; i < argc; i++) {
		if (i > 0)
			buf_putc(&text, ' ');
		quote_for_xtrace(sh, &text, bytes_of(argv[i]));
	}
	xtrace_text(sh, buf_bytes(&text));
	arena_release(sh->arena, mark);
}

void xtrace_assign(struct shell *sh, const struct assign *a)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);

	if (a->array) {
		struct printer pr = { .out = &text };

		print_assign(&pr, a);
		xtrace_text(sh, buf_bytes(&text));
		arena_release(sh->arena, mark);
		return;
	}
	buf_add(&text, a->name);
	if (a->sub != NULL) {
		buf_putc(&text, '[');
		buf_add(&text, a->sub->text);
		buf_putc(&text, ']');
	}
	buf_puts(&text, a->append ? "+=" : "=");
	if (a->value != NULL && a->value->literal.len != 0)
		quote_for_xtrace(sh, &text, a->value->literal);
	xtrace_text(sh, buf_bytes(&text));
	arena_release(sh->arena, mark);
}
