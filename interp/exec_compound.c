/* SPDX-License-Identifier: MIT
 *
 * Loops, case and (( )).
 */
#include "interp/exec.h"
#include "interp/expand.h"

/* --- leaving loops --- */

bool loop_ends(struct shell *sh)
{
	if (sh->flow == FLOW_NONE)
		return false;
	if (sh->flow != FLOW_BREAK && sh->flow != FLOW_CONTINUE)
		return true;
	if (--sh->flow_count > 0)
		return true;
	if (sh->flow == FLOW_CONTINUE) {
		sh->flow = FLOW_NONE;
		return false;
	}
	sh->flow = FLOW_NONE;
	return true;
}

/* One turn's charge and signals; false if the loop must end, with the status that a trap left. */
static bool loop_turn(struct shell *sh, int *status)
{
	proc_charge(sh->p, 1);
	if (proc_has_signal(sh->p))
		trap_poll(sh);
	if (sh->flow != FLOW_NONE)
		*status = sh->status;
	return sh->flow == FLOW_NONE;
}

int exec_loop(struct shell *sh, const struct loop *l)
{
	bool wanted = l->node.kind == NODE_WHILE;
	int status = 0;

	sh->loop_depth++;
	while (loop_turn(sh, &status)) {
		int test;

		sh->no_errexit++;
		test = exec_node(sh, l->test);
		sh->no_errexit--;
		if (loop_ends(sh)) {
			status = sh->flow != FLOW_NONE ? sh->status : 0;
			break;
		}
		if ((test == 0) != wanted)
			break;
		status = exec_node(sh, l->body);
		if (loop_ends(sh)) {
			status = sh->status;
			break;
		}
	}
	sh->loop_depth--;
	return sh->status = status;
}

/* --- for name in words --- */

static void trace_head(struct shell *sh, const char *keyword, const struct for_node *f)
{
	struct buf text = buf_in(sh->arena);

	buf_printf(&text, "%s %s in", keyword, f->name.ptr);
	if (!f->has_in)
		buf_puts(&text, " \"$@\"");
	for (int i = 0; i < f->nwords; i++) {
		buf_putc(&text, ' ');
		buf_add(&text, f->words[i]->text);
	}
	xtrace_text(sh, buf_bytes(&text));
}

/* The words to go through; -1 when the expansion failed. */
static int loop_words(struct shell *sh, const struct for_node *f, struct fields *out)
{
	if (f->has_in)
		return expand_words(sh, f->words, f->nwords, out);
	for (int i = 0; i < sh->params.count; i++)
		fields_add(sh, out, arena_dup(sh->arena, bytes_of(sh->params.values[i])));
	return 0;
}

static bool name_is_valid(struct shell *sh, const struct for_node *f)
{
	if (is_name(f->name))
		return true;
	shell_error(sh, "`%s': not a valid identifier", f->name.ptr);
	if (opt_set(sh, SET_POSIX))
		exec_end(sh, STATUS_USAGE);
	return false;
}

/* The variable of a loop gets its next word. A reference is made to refer to it, so that must be
 * a name, and not the reference itself. */
static int set_loop_name(struct shell *sh, const struct for_node *f, struct bytes word)
{
	const struct var *v = var_find(sh, f->name, f->hash);
	struct bytes name = f->name;
	uint64_t hash = f->hash;
	struct bytes sub;
	struct var *target;

	if (v == NULL || (v->flags & VAR_NAMEREF) == 0)
		return var_set(sh, f->name, f->hash, word, 0);
	if (bytes_eq((struct bytes){ v->value, v->len }, f->name) && v->scope != 0)
		return var_set(sh, f->name, f->hash, word, 0); /* stands for the global one */
	if (var_follow(sh, &name, &hash, &sub, &target) != 0)
		return -1;
	if (!parse_name_ref(word, &name, &sub)) {
		shell_error(sh, "`%.*s': not a valid identifier", (int)word.len, word.ptr);
		return -1;
	}
	if (bytes_eq(name, f->name) && v->scope == 0) {
		shell_error(sh, "%.*s: nameref variable self references not allowed", (int)name.len,
			    name.ptr);
		return -1;
	}
	return var_set(sh, f->name, f->hash, word, VAR_NO_REF);
}

static int for_turns(struct shell *sh, const struct for_node *f, const struct fields *words)
{
	int status = 0;

	for (int i = 0; i < words->count && loop_turn(sh, &status); i++) {
		shell_at(sh, f->node.line);
		if (exec_debug(sh, &f->node) && sh->flow != FLOW_NONE)
			return sh->status;
		if (opt_set(sh, SET_XTRACE))
			trace_head(sh, "for", f);
		if (set_loop_name(sh, f, bytes_of(words->v[i])) != 0) {
			exec_errexit(sh);
			if (opt_set(sh, SET_POSIX) && sh->flow == FLOW_NONE)
				exec_end(sh, 1);
			return sh->flow == FLOW_EXIT ? sh->status : 1;
		}
		status = exec_node(sh, f->body);
		if (loop_ends(sh))
			return sh->status;
	}
	return status;
}

int exec_for(struct shell *sh, const struct for_node *f)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct procsub *subs = sh->procsubs;
	struct fields words = { 0 };
	int status = 1;

	shell_at(sh, f->node.line);
	sh->command_name = NULL;
	if (!name_is_valid(sh, f))
		return sh->flow != FLOW_NONE ? sh->status : exec_check(sh, status);
	if (loop_words(sh, f, &words) != 0)
		return sh->status;
	sh->loop_depth++;
	status = for_turns(sh, f, &words);
	sh->loop_depth--;
	if (sh->procsubs != subs)
		procsub_close(sh, subs);
	arena_release(sh->arena, mark);
	return sh->status = status;
}

/* --- arithmetic --- */

static void trace_arith(struct shell *sh, struct bytes expression)
{
	struct buf text = buf_in(sh->arena);

	buf_puts(&text, "(( ");
	buf_add(&text, expression);
	buf_puts(&text, " ))");
	xtrace_text(sh, buf_bytes(&text));
}

/* Expands first, shows that, then evaluates it. */
static int expand_traced(struct shell *sh, struct arith_text *a, int64_t *out)
{
	struct bytes text = a->text;

	if ((a->word->flags & WORD_LITERAL) != 0) {
		trace_arith(sh, text);
		return expand_arith(sh, a, out);
	}
	if (expand_arith_text(sh, a->word, &text) != 0)
		return EXPAND_ARITH_TEXT;
	text = arena_bytes(sh->arena, text);
	trace_arith(sh, text);
	return eval_arith(sh, text, out);
}

bool exec_arith_text(struct shell *sh, struct arith_text *a, int64_t *out)
{
	const char *outer = sh->command_name;
	int failed;

	sh->command_name = "((";
	failed = opt_set(sh, SET_XTRACE) ? expand_traced(sh, a, out) : expand_arith(sh, a, out);
	sh->command_name = outer;
	if (failed == -1 && sh->flow == FLOW_ABORT && !sh->abort_firm)
		sh->flow = FLOW_NONE;
	return failed == 0;
}

int exec_arith(struct shell *sh, const struct arith_node *a)
{
	struct arena_mark mark = arena_mark(sh->arena);
	bool inverted = exec_inverted(sh);
	int64_t value = 0;
	int status;

	shell_at(sh, a->node.line);
	proc_charge(sh->p, 1);
	if (exec_debug(sh, &a->node))
		return sh->status;
	status = exec_arith_text(sh, a->expr, &value) && value != 0 ? 0 : 1;
	arena_release(sh->arena, mark);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	set_pipestatus(sh, &status, 1);
	return inverted ? (sh->status = status) : exec_check(sh, status);
}

/* One of the three expressions of for ((;;)); a missing one is true. */
static bool cfor_part(struct shell *sh, const struct cfor *f, struct arith_text *a, int64_t *value)
{
	bool done;

	*value = 1;
	shell_at(sh, f->node.line);
	sh->command_part = a;
	if (exec_debug(sh, &f->node))
		return false;
	if (a == NULL)
		return true;
	done = exec_arith_text(sh, a, value);
	return done && sh->flow == FLOW_NONE;
}

int exec_cfor(struct shell *sh, const struct cfor *f)
{
	struct arena_mark mark = arena_mark(sh->arena);
	int64_t value;
	int status = 0;

	if (!cfor_part(sh, f, f->init, &value))
		return sh->flow != FLOW_NONE ? sh->status : (sh->status = 1);
	sh->loop_depth++;
	while (loop_turn(sh, &status)) {
		if (!cfor_part(sh, f, f->test, &value)) {
			status = sh->flow != FLOW_NONE ? sh->status : 1;
			break;
		}
		if (value == 0)
			break;
		status = exec_node(sh, f->body);
		if (loop_ends(sh)) {
			status = sh->status;
			break;
		}
		if (!cfor_part(sh, f, f->step, &value)) {
			status = sh->flow != FLOW_NONE ? sh->status : 1;
			break;
		}
		arena_release(sh->arena, mark);
	}
	sh->loop_depth--;
	arena_release(sh->arena, mark);
	return sh->status = status;
}

/* --- case --- */

static int case_matches(struct shell *sh, const struct case_item *item, struct bytes subject)
{
	for (int i = 0; i < item->npatterns; i++) {
		int got = pattern_matches(sh, item->patterns[i], subject, false);

		if (got != 0)
			return got;
	}
	return 0;
}

/* Runs an item and those it falls into. True if the next items are still to be tried. */
static bool run_items(struct shell *sh, const struct case_node *c, int *at, int *status)
{
	for (;; ++*at) {
		const struct case_item *item = &c->items[*at];

		*status = 0;
		if (item->body != NULL)
			*status = exec_node(sh, item->body);
		if (sh->flow != FLOW_NONE || item->end == CASE_BREAK || *at + 1 == c->nitems)
			return false;
		if (item->end == CASE_CONTINUE)
			return true;
	}
}

static void trace_case(struct shell *sh, const struct case_node *c)
{
	struct buf text = buf_in(sh->arena);

	buf_puts(&text, "case ");
	buf_add(&text, c->subject->text);
	buf_puts(&text, " in");
	xtrace_text(sh, buf_bytes(&text));
}

int exec_case(struct shell *sh, const struct case_node *c)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct bytes subject;
	int status = 0;

	shell_at(sh, c->node.line);
	sh->command_name = NULL;
	proc_charge(sh->p, 1);
	if (exec_debug(sh, &c->node))
		return sh->flow != FLOW_NONE ? sh->status : 0;
	if (opt_set(sh, SET_XTRACE))
		trace_case(sh, c);
	if (expand_string(sh, c->subject, &subject) != 0)
		return sh->status;
	if ((c->subject->flags & WORD_LITERAL) == 0)
		subject = arena_bytes(sh->arena, subject);
	for (int i = 0; i < c->nitems; i++) {
		int got = case_matches(sh, &c->items[i], subject);

		if (got < 0)
			return sh->status;
		if (got > 0 && !run_items(sh, c, &i, &status))
			break;
	}
	arena_release(sh->arena, mark);
	return sh->flow != FLOW_NONE ? sh->status : (sh->status = status);
}
