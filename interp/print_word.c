/* SPDX-License-Identifier: MIT
 *
 * Words as text: their source, but command substitutions from their trees. Assignments and
 * [[ ]].
 */
#include "interp/print.h"

static void print_sub(struct printer *pr, const struct word *w, const struct word_sub *s)
{
	if (s->command == NULL) {
		buf_add(pr->out, pr->source ? bytes_slice(w->text, s->from, s->to) : s->text);
		return;
	}
	buf_putc(pr->out, s->command->direction != 0 ? s->command->direction : '$');
	buf_putc(pr->out, '(');
	print_sub_text(pr, s->command->root);
	buf_putc(pr->out, ')');
}

void print_word(struct printer *pr, const struct word *w)
{
	size_t at = 0;

	for (int i = 0; i < w->nsubs; i++) {
		buf_add(pr->out, bytes_slice(w->text, at, w->subs[i].from));
		print_sub(pr, w, &w->subs[i]);
		at = w->subs[i].to;
	}
	buf_add(pr->out, bytes_slice(w->text, at, w->text.len));
}

void print_argument(struct printer *pr, const struct word *w)
{
	if (w->assign != NULL && w->assign->array)
		print_assign(pr, w->assign);
	else
		print_word(pr, w);
}

static void print_subscript(struct printer *pr, const struct word *sub)
{
	if (sub == NULL)
		return;
	buf_putc(pr->out, '[');
	print_word(pr, sub);
	buf_putc(pr->out, ']');
}

void print_assign(struct printer *pr, const struct assign *a)
{
	buf_add(pr->out, a->name);
	print_subscript(pr, a->sub);
	buf_puts(pr->out, a->append ? "+=" : "=");
	if (!a->array) {
		print_word(pr, a->value);
		return;
	}
	buf_putc(pr->out, '(');
	for (int i = 0; i < a->nitems; i++) {
		const struct array_item *item = &a->items[i];

		if (i > 0)
			buf_putc(pr->out, ' ');
		print_subscript(pr, item->sub);
		if (item->sub != NULL)
			buf_puts(pr->out, item->append ? "+=" : "=");
		print_word(pr, item->value);
	}
	buf_putc(pr->out, ')');
}

/* --- [[ ]] --- */

static void print_cond(struct printer *pr, const struct cond *c)
{
	if (pr->depth == PRINT_DEPTH_MAX) {
		buf_puts(pr->out, "...");
		return;
	}
	pr->depth++;
	switch (c->kind) {
	case COND_AND:
	case COND_OR:
		print_cond(pr, c->left);
		buf_puts(pr->out, c->kind == COND_AND ? " && " : " || ");
		print_cond(pr, c->right);
		break;
	case COND_NOT:
		buf_puts(pr->out, "! ");
		print_cond(pr, c->left);
		break;
	case COND_GROUP:
		buf_puts(pr->out, "( ");
		print_cond(pr, c->left);
		buf_puts(pr->out, " )");
		break;
	case COND_UNARY:
		buf_printf(pr->out, "%s ", c->op);
		print_word(pr, c->a);
		break;
	case COND_BINARY:
		print_word(pr, c->a);
		buf_printf(pr->out, " %s ", c->op);
		print_word(pr, c->b);
		break;
	case COND_WORD:
		buf_puts(pr->out, "-n ");
		print_word(pr, c->a);
		break;
	}
	pr->depth--;
}

void print_cond_command(struct printer *pr, const struct cond_node *n)
{
	buf_puts(pr->out, "[[ ");
	print_cond(pr, n->cond);
	buf_puts(pr->out, " ]]");
}
