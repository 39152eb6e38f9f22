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
	if (expand_text(sh, bytes_of(ps4), &text) != 0)
		text = (struct bytes){ "", 0 };
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

static int trace_fd(struct shell *sh)
{
	const char *value = var_get_text(sh, "BASH_XTRACEFD");
	int64_t fd;

	if (value != NULL && arith_plain_number(bytes_of(value), &fd) && fd >= 0 && fd < 100000 &&
	    sys_getfl(sh->p, (int)fd) >= 0)
		return (int)fd;
	return 2;
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
	sys_write(sh->p, trace_fd(sh), out.ptr, out.len);
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
