/* SPDX-License-Identifier: MIT
 *
 * Expansion of words: the entry points, and the parts of a word one after the other.
 */
#include "interp/exec.h"
#include "interp/expand.h"

/* Below this, a word inside an expansion continues on a new stack. */
enum { EXPAND_STACK_BYTES = 24 * 1024, FIELDS_FIRST = 8 };

int expand_fail(struct shell *sh)
{
	sh->status = 1;
	sh->abort_forgiven = false;
	sh->abort_firm = false;
	sh->flow = FLOW_ABORT;
	return -1;
}

int expand_fail_line(struct shell *sh)
{
	sh->line_only = true;
	return expand_fail(sh);
}

int expand_fail_shell(struct shell *sh)
{
	bool given = opt_set(sh, SET_COMMAND) && !opt_set(sh, SET_ERREXIT) &&
		     !opt_set(sh, SET_INTERACTIVE);

	sh->status = sh->trap_running == TRAP_EXIT      ? sh->trap_status
		     : given && sh->subshell_depth == 0 ? STATUS_NOT_FOUND
							: 1;
	sh->flow = opt_set(sh, SET_INTERACTIVE) ? FLOW_ABORT : FLOW_EXIT;
	/* With set -e the EXIT trap sees the function in which that happened. */
	if (sh->flow == FLOW_EXIT && opt_set(sh, SET_ERREXIT) && exec_ends_here(sh))
		exec_end_here(sh);
	return -1;
}

void fields_add(struct shell *sh, struct fields *f, char *s)
{
	uint64_t max;

	if (f->count + 1 >= f->cap) {
		int cap = f->cap == 0 ? FIELDS_FIRST : f->cap * 2;

		max = kernel_limit(sh->p->k, LIMIT_EXPANSION);
		if ((max != 0 && (uint64_t)f->count > max) || cap <= f->cap)
			proc_limit(sh->p, LIMIT_EXPANSION);
		proc_charge(sh->p, (uint64_t)cap / 8);
		f->v = arena_grow(sh->arena, f->v, (size_t)f->cap * sizeof *f->v,
				  (size_t)cap * sizeof *f->v);
		f->cap = cap;
	}
	f->v[f->count++] = s;
	f->v[f->count] = NULL;
}

/* --- parts --- */

/* "$@" and its like: what may come to no field although it is quoted. */
static bool is_at(const struct part *part)
{
	const struct param *p = part->param;

	if (part->kind != PART_PARAM || !part->quoted)
		return false;
	if (p->op == OP_NAMES)
		return p->transform == '@';
	if (p->op >= OP_DEFAULT && p->op <= OP_ERROR)
		return false;
	return p->subscript == SUB_AT || (p->kind == PARAM_SPECIAL && p->special == '@');
}

/* Whether an empty quoted part stands in the same quotes as a "$@": `"$x$@"` can vanish. */
static bool beside_at(const struct part *parts, int n, int i)
{
	for (int k = i + 1; k < n && parts[k].quoted && !parts[k].opens; k++) {
		if (is_at(&parts[k]))
			return true;
	}
	for (int k = i; k > 0 && !parts[k].opens && parts[k - 1].quoted; k--) {
		if (is_at(&parts[k - 1]))
			return true;
	}
	return false;
}

static void expand_text_part(struct expander *e, const struct part *part)
{
	if (part->quoted && part->text.len == 0)
		emit_quoted_null(e);
	else if (!part->quoted && e->split_text)
		emit_split(e, part->text);
	else
		emit(e, part->text, part->quoted);
}

static int expand_tilde_part(struct expander *e, const struct part *part)
{
	struct bytes dir = { NULL, 0 };

	if (e->mode != EXPAND_KEYED && !(part->unposix && opt_set(e->sh, SET_POSIX)))
		dir = tilde_directory(e->sh, part->text);
	if (dir.ptr == NULL) {
		emit(e, BYTES("~"), false);
		emit(e, part->text, false);
	} else {
		emit(e, dir, true);
	}
	return 0;
}

static int expand_arith_part(struct expander *e, const struct part *part)
{
	char digits[24];
	char *end = digits + sizeof digits;
	char *at = end;
	int64_t value;
	uint64_t u;

	if (part->arith->commented) {
		struct bytes word = e->source.len != 0 ? e->source : part->text;

		shell_error(e->sh, "bad substitution: no closing `)' in %.*s", (int)word.len,
			    word.ptr);
		return expand_fail(e->sh);
	}
	if (expand_arith(e->sh, part->arith, &value) != 0)
		return -1;
	u = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	do {
		*--at = (char)('0' + u % 10);
		u /= 10;
	} while (u != 0);
	if (value < 0)
		*--at = '-';
	if (part->quoted)
		emit(e, (struct bytes){ at, (size_t)(end - at) }, true);
	else
		emit_split(e, (struct bytes){ at, (size_t)(end - at) });
	return 0;
}

static int expand_command_part(struct expander *e, const struct part *part)
{
	bool vanishes = e->empty_at;
	struct bytes text;

	if (exec_command_sub(e->sh, part->command, &text) != 0)
		return -1;
	if (!part->quoted)
		emit_split(e, text);
	else if (text.len != 0 || !vanishes)
		emit(e, text, true);
	return 0;
}

static int expand_procsub_part(struct expander *e, const struct part *part)
{
	const struct command_sub *c = part->command;
	char *path;

	/* Without a command it is nothing, as in bash. */
	if (c->root == NULL && (!c->raw || c->text.len == 0)) {
		emit_split(e, BYTES(""));
		return 0;
	}
	if (exec_process_sub(e->sh, c, &path) != 0)
		return -1;
	emit(e, bytes_of(path), true);
	return 0;
}

/* With brace expansion switched off it stands for itself. */
static int expand_brace_part(struct expander *e, const struct brace *b)
{
	struct buf text = buf_in(e->sh->arena);

	if (b->sequence && b->letters)
		buf_printf(&text, "{%c..%c", (int)b->from, (int)b->to);
	else if (b->sequence)
		buf_printf(&text, "{%lld..%lld", (long long)b->from, (long long)b->to);
	if (b->sequence) {
		if (b->step != 1 && b->step != -1)
			buf_printf(&text, "..%lld", (long long)b->step);
		buf_putc(&text, '}');
		emit(e, buf_bytes(&text), false);
		return 0;
	}
	for (int i = 0; i < b->nalt; i++) {
		emit(e, i == 0 ? BYTES("{") : BYTES(","), false);
		if (expand_inner(e, b->alt[i]) != 0)
			return -1;
	}
	emit(e, BYTES("}"), false);
	return 0;
}

static int expand_part(struct expander *e, const struct part *parts, int n, int i)
{
	const struct part *part = &parts[i];

	switch (part->kind) {
	case PART_TEXT:
	case PART_EXTGLOB: expand_text_part(e, part); return 0;
	case PART_PARAM:
		e->empty_at = part->quoted && beside_at(parts, n, i);
		return expand_param(e, part->param, part->quoted);
	case PART_COMMAND:
		e->empty_at = part->quoted && beside_at(parts, n, i);
		return expand_command_part(e, part);
	case PART_ARITH: return expand_arith_part(e, part);
	case PART_PROCSUB: return expand_procsub_part(e, part);
	case PART_TILDE: return expand_tilde_part(e, part);
	case PART_BRACE: return expand_brace_part(e, part->brace);
	}
	return 0;
}

int expand_parts(struct expander *e, const struct part *parts, int n)
{
	for (int i = 0; i < n; i++) {
		if (expand_part(e, parts, n, i) != 0)
			return -1;
	}
	return 0;
}

struct inner {
	struct expander *e;
	const struct word *w;
};

static int inner_run(void *arg)
{
	struct inner *in = arg;
	struct bytes source = in->e->source;
	int err;

	in->e->source = in->w->text;
	err = expand_parts(in->e, in->w->parts, in->w->nparts);
	in->e->source = source;
	return err;
}

int expand_inner(struct expander *e, const struct word *w)
{
	struct inner in = { e, w };

	if (proc_stack_left(e->sh->p) > EXPAND_STACK_BYTES)
		return inner_run(&in);
	return proc_deepen(e->sh->p, EXPAND_STACK_BYTES, inner_run, &in);
}

/* --- one string --- */

/* $x or "$x", nothing more: its value as it is. */
static const struct param *only_param(const struct word *w)
{
	const struct part *part = w->parts;

	if (w->nparts != 1 || part->kind != PART_PARAM || part->param->kind != PARAM_NAME ||
	    part->param->op != OP_NONE || part->param->subscript != SUB_NONE ||
	    part->param->indirect)
		return NULL;
	return part->param;
}

static bool is_raw(enum expand_mode mode)
{
	return mode >= EXPAND_STRING && mode <= EXPAND_HEREDOC;
}

int expand_view(struct shell *sh, const struct word *w, enum expand_mode mode, struct bytes *out)
{
	struct expander e = { .sh = sh, .mode = mode, .cur = buf_in(sh->arena) };
	const struct param *p;

	if (w == NULL) {
		*out = BYTES("");
		return 0;
	}
	if (is_raw(mode)) {
		if ((w->flags & WORD_LITERAL) != 0) {
			*out = w->literal;
			return 0;
		}
		p = only_param(w);
		if (p != NULL && var_get(sh, p->name, p->hash, out))
			return 0;
	}
	if (expand_inner(&e, w) != 0)
		return -1;
	buf_cstr(&e.cur);
	*out = buf_bytes(&e.cur);
	return sh->flow < FLOW_EXIT ? 0 : -1;
}

int expand_one(struct shell *sh, const struct word *w, enum expand_mode mode, struct bytes *out)
{
	if (expand_view(sh, w, mode, out) != 0)
		return -1;
	if (w != NULL && only_param(w) != NULL)
		*out = arena_bytes(sh->arena, *out);
	return 0;
}

int expand_string(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_one(sh, w, EXPAND_STRING, out);
}

int expand_assignment(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_one(sh, w, EXPAND_ASSIGN, out);
}

int expand_pattern(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_view(sh, w, EXPAND_PATTERN, out);
}

int expand_shown(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_view(sh, w, EXPAND_SHOWN, out);
}

int expand_regex(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_view(sh, w, EXPAND_REGEX, out);
}

int expand_heredoc(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_one(sh, w, EXPAND_HEREDOC, out);
}

/* --- fields --- */

/* Braces mostly give plain texts: no more memory than they need. */
static bool add_plain(struct expander *e, const struct part *parts, int n)
{
	size_t len = 0;
	char *text;

	for (int i = 0; i < n; i++) {
		if (parts[i].kind != PART_TEXT || (!parts[i].quoted && has_magic(parts[i].text)))
			return false;
		len += parts[i].text.len;
	}
	text = arena_alloc(e->sh->arena, len + 1);
	fields_add(e->sh, e->out, text);
	for (int i = 0; i < n; i++) {
		memcpy(text, parts[i].text.ptr, parts[i].text.len);
		text += parts[i].text.len;
	}
	*text = '\0';
	return true;
}

/* One combination of the words in braces. An empty one that was not quoted is no word. */
static int expand_combination(void *arg, const struct part *parts, int n)
{
	struct expander *outer = arg;
	struct expander e = { .sh = outer->sh,
			      .source = outer->source,
			      .cur = buf_in(outer->sh->arena),
			      .out = outer->out };

	proc_charge(e.sh->p, 1);
	if (n != 0 && (parts[0].quoted || parts[0].text.len != 0) && add_plain(outer, parts, n))
		return 0;
	if (expand_parts(&e, parts, n) != 0)
		return -1;
	return field_end(&e);
}

/* A literal word with pattern characters. */
static int expand_literal_glob(struct shell *sh, const struct word *w, struct fields *out)
{
	return expand_field(sh, w->literal, (char *)(uintptr_t)w->literal.ptr, out);
}

static int expand_word(struct shell *sh, const struct word *w, struct fields *out)
{
	struct expander e = { .sh = sh, .source = w->text, .out = out };

	if ((w->flags & WORD_BRACES) != 0 && opt_set(sh, SET_BRACEEXPAND))
		return brace_each(sh, w, expand_combination, &e);
	return expand_combination(&e, w->parts, w->nparts);
}

/* The common case "$x". False: the long way. */
static bool expand_quoted_param(struct shell *sh, const struct word *w, struct fields *out)
{
	const struct param *p = only_param(w);
	struct bytes value;
	struct var *v;

	if (p == NULL || !w->parts[0].quoted)
		return false;
	v = var_find(sh, p->name, p->hash);
	if (v == NULL || (v->flags & VAR_NAMEREF) != 0 || !var_scalar(sh, v, &value))
		return false;
	shell_cost(sh, value.len);
	fields_add(sh, out, arena_dup(sh->arena, value));
	return true;
}

int expand_words(struct shell *sh, struct word *const *words, int n, struct fields *out)
{
	for (int i = 0; i < n; i++) {
		const struct word *w = words[i];
		int err = 0;

		if ((w->flags & (WORD_LITERAL | WORD_GLOB)) == WORD_LITERAL)
			fields_add(sh, out, (char *)(uintptr_t)w->literal.ptr);
		else if ((w->flags & WORD_LITERAL) != 0 && opt_set(sh, SET_NOGLOB))
			fields_add(sh, out, (char *)(uintptr_t)w->literal.ptr);
		else if ((w->flags & WORD_LITERAL) != 0)
			err = expand_literal_glob(sh, w, out);
		else if (!expand_quoted_param(sh, w, out))
			err = expand_word(sh, w, out);
		if (err != 0 || sh->flow >= FLOW_EXIT)
			return -1;
	}
	if (out->v == NULL) {
		out->v = arena_zalloc(sh->arena, FIELDS_FIRST * sizeof *out->v);
		out->cap = FIELDS_FIRST;
	}
	return 0;
}

int expand_redirect(struct shell *sh, const struct word *w, char **out)
{
	struct word *words[1] = { (struct word *)(uintptr_t)w };
	struct fields f = { NULL, 0, 0 };

	if (opt_set(sh, SET_POSIX) && !opt_set(sh, SET_INTERACTIVE)) {
		struct bytes text;

		if (expand_string(sh, w, &text) != 0)
			return -1;
		*out = arena_dup(sh->arena, text);
		return 0;
	}
	if (expand_words(sh, words, 1, &f) != 0)
		return -1;
	if (f.count != 1) {
		shell_error(sh, "%.*s: ambiguous redirect", (int)w->text.len, w->text.ptr);
		return -1;
	}
	*out = f.v[0];
	return 0;
}
