/* SPDX-License-Identifier: MIT
 *
 * What of a word is known without expanding it, and the commands that stand in it.
 */
#include "interp/analyze.h"

static unsigned unknown_part(const struct part *p)
{
	switch (p->kind) {
	case PART_TEXT: return 0;
	case PART_PARAM: return INTERP_UNKNOWN_PARAMETER;
	case PART_COMMAND: return INTERP_UNKNOWN_COMMAND;
	case PART_ARITH: return INTERP_UNKNOWN_ARITHMETIC;
	case PART_PROCSUB: return INTERP_UNKNOWN_PROCESS;
	case PART_TILDE: return INTERP_UNKNOWN_TILDE;
	case PART_BRACE: return INTERP_UNKNOWN_BRACE | INTERP_UNKNOWN_COUNT;
	case PART_EXTGLOB: break;
	}
	return INTERP_UNKNOWN_GLOB | INTERP_UNKNOWN_COUNT;
}

static struct bytes joined(struct analysis *a, const struct word *w)
{
	struct buf text = buf_in(a->sh->arena);

	for (int i = 0; i < w->nparts; i++)
		buf_put(&text, w->parts[i].text.ptr, w->parts[i].text.len);
	return (struct bytes){ buf_cstr(&text), text.len };
}

struct interp_word analyze_word(struct analysis *a, const struct word *w, bool value)
{
	struct interp_word out = { .text = w->text };

	if ((w->flags & WORD_GLOB) != 0 && !value)
		out.unknown |= INTERP_UNKNOWN_GLOB | INTERP_UNKNOWN_COUNT;
	if ((w->flags & WORD_SPLITS) != 0 && !value)
		out.unknown |= INTERP_UNKNOWN_COUNT;
	for (int i = 0; i < w->nparts; i++)
		out.unknown |= unknown_part(&w->parts[i]);
	if (out.unknown == 0)
		out.text = (w->flags & WORD_LITERAL) != 0 ? w->literal : joined(a, w);
	return out;
}

/* --- commands inside --- */

void analyze_inside_arith(struct analysis *a, const struct arith_text *t)
{
	if (t != NULL)
		analyze_inside(a, t->word);
}

static void inside_param(struct analysis *a, const struct param *p)
{
	analyze_inside(a, p->sub);
	/* An offset is there as text, too. */
	if (p->op == OP_SUBSTRING) {
		analyze_inside_arith(a, p->offset);
		analyze_inside_arith(a, p->length);
		return;
	}
	analyze_inside(a, p->arg);
	analyze_inside(a, p->arg2);
}

static void inside_command(struct analysis *a, const struct part *p)
{
	const struct command_sub *c = p->command;
	struct interp_finding f = { .kind = INTERP_FOUND_SYNTAX };
	struct analyze_place place = analyze_enter(a, p->kind == PART_COMMAND ? "$( )"
						      : c->direction == '<'   ? "<( )"
									      : ">( )");

	if (c->error != NULL) {
		f.name = c->error->message[0];
		analyze_tell(a, &f, c->error->line);
	} else {
		analyze_node(a, c->root);
	}
	analyze_leave(a, place);
}

static void inside_part(struct analysis *a, const struct part *p)
{
	switch (p->kind) {
	case PART_PARAM: inside_param(a, p->param); break;
	case PART_COMMAND:
	case PART_PROCSUB: inside_command(a, p); break;
	case PART_ARITH: analyze_inside_arith(a, p->arith); break;
	case PART_BRACE:
		for (int i = 0; i < p->brace->nalt; i++)
			analyze_inside(a, p->brace->alt[i]);
		break;
	case PART_EXTGLOB: analyze_inside(a, p->word); break;
	case PART_TEXT:
	case PART_TILDE: break;
	}
}

struct inside {
	struct analysis *a;
	const struct word *w;
};

static int inside_parts(void *arg)
{
	const struct inside *in = arg;

	for (int i = 0; i < in->w->nparts && in->a->stop == 0; i++)
		inside_part(in->a, &in->w->parts[i]);
	return 0;
}

void analyze_inside(struct analysis *a, const struct word *w)
{
	struct inside in = { a, w };

	if (w == NULL || a->preparing || a->stop != 0 || (w->flags & WORD_LITERAL) != 0)
		return;
	proc_charge(a->sh->p, 1);
	proc_deepen(a->sh->p, EXEC_STACK_BYTES, inside_parts, &in);
}
