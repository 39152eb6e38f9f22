/* SPDX-License-Identifier: MIT
 *
 * What BASH_COMMAND shows: a simple command whole, of a loop or case only the head.
 */
#include "interp/exec.h"

static void put_words(struct buf *out, const char *keyword, const struct for_node *f)
{
	buf_printf(out, "%s %s in", keyword, f->name.ptr);
	if (!f->has_in)
		buf_puts(out, " \"$@\"");
	for (int i = 0; i < f->nwords; i++) {
		buf_putc(out, ' ');
		buf_add(out, f->words[i]->text);
	}
}

void command_text(struct buf *out, const struct node *n)
{
	if (n == NULL)
		return;
	if (n->kind == NODE_FOR || n->kind == NODE_SELECT) {
		put_words(out, n->kind == NODE_FOR ? "for" : "select", (const struct for_node *)n);
	} else if (n->kind == NODE_CASE) {
		buf_puts(out, "case ");
		buf_add(out, ((const struct case_node *)n)->subject->text);
		buf_puts(out, " in ");
	} else {
		print_command(out, n);
	}
}
