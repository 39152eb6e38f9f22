/* SPDX-License-Identifier: MIT
 *
 * ${x@Q} and its like.
 */
#include "interp/expand.h"

typedef struct bytes transform_fn(struct shell *sh, struct bytes s);

static struct bytes quoted(struct shell *sh, struct bytes s)
{
	struct buf b = buf_in(sh->arena);

	quote_for_at_q(sh, &b, s);
	return buf_bytes(&b);
}

static struct bytes unescaped(struct shell *sh, struct bytes s)
{
	struct buf b = buf_in(sh->arena);

	unescape_ansi_c(&b, s, sh->utf8);
	buf_cstr(&b);
	return buf_bytes(&b);
}

static struct bytes prompted(struct shell *sh, struct bytes s)
{
	struct bytes out = s;

	expand_prompt(sh, arena_bytes(sh->arena, s), &out);
	return out;
}

static struct bytes upper(struct shell *sh, struct bytes s)
{
	return case_change(sh, NULL, OP_UPPER_ALL, s);
}

static struct bytes capital(struct shell *sh, struct bytes s)
{
	return case_change(sh, NULL, OP_UPPER, s);
}

static struct bytes lower(struct shell *sh, struct bytes s)
{
	return case_change(sh, NULL, OP_LOWER_ALL, s);
}

static transform_fn *simple_transform(char letter)
{
	switch (letter) {
	case 'Q': return quoted;
	case 'E': return unescaped;
	case 'P': return prompted;
	case 'U': return upper;
	case 'u': return capital;
	case 'L': return lower;
	default: return NULL;
	}
}

static void each_value(struct shell *sh, struct value *v, transform_fn *fn)
{
	struct bytes *many;

	if (!v->list) {
		shell_cost(sh, 8 * v->one.len);
		v->one = fn(sh, v->one);
		return;
	}
	many = arena_alloc(sh->arena, (v->n + 1) * sizeof *many);
	for (size_t i = 0; i < v->n; i++) {
		shell_cost(sh, 8 * v->many[i].len);
		many[i] = fn(sh, v->many[i]);
	}
	v->many = many;
}

/* --- @a --- */

static struct bytes attributes(struct shell *sh, const struct var *v)
{
	struct buf b = buf_in(sh->arena);

	if (v != NULL)
		quote_attributes(&b, v->flags);
	buf_cstr(&b);
	return buf_bytes(&b);
}

static void give_one(struct value *v, struct bytes one)
{
	v->one = one;
	v->list = false;
	v->set = true;
}

static void transform_attributes(struct shell *sh, struct value *v)
{
	struct bytes letters = attributes(sh, v->var);
	struct bytes *many;

	if (!v->list || (v->var != NULL && (v->var->flags & VAR_SET) == 0)) {
		give_one(v, letters);
		return;
	}
	many = arena_alloc(sh->arena, (v->n + 1) * sizeof *many);
	for (size_t i = 0; i < v->n; i++)
		many[i] = letters;
	v->many = many;
}

/* --- @A --- */

static bool has_attributes(const struct var *v)
{
	return (v->flags & (VAR_ARRAY | VAR_ASSOC | VAR_INTEGER | VAR_NAMEREF | VAR_READONLY |
			    VAR_TRACE | VAR_EXPORT | VAR_LOWER | VAR_UPPER | VAR_CAPITAL)) != 0;
}

static bool space_separates(const struct shell *sh)
{
	return !sh->ifs_set || sh->ifs.len == 0 || memchr(sh->ifs.ptr, ' ', sh->ifs.len) != NULL;
}

/* "${a[@]@A}" gives the words of the command if spaces separate words, all others one string. */
static void give_words(struct shell *sh, struct value *v, const struct bytes *words, size_t n)
{
	if (v->list && !v->star && space_separates(sh)) {
		v->many = words;
		v->n = n;
		v->set = true;
		return;
	}
	give_one(v, value_join(sh, words, n, BYTES(" ")));
}

static void declare_positional(struct shell *sh, struct value *v)
{
	struct bytes *words = arena_alloc(sh->arena, (v->n + 2) * sizeof *words);

	if (v->n == 0)
		return;
	if (v->star) {
		struct buf b = buf_in(sh->arena);

		for (size_t i = 0; i < v->n; i++)
			words[i] = quoted(sh, v->many[i]);
		buf_puts(&b, "set -- ");
		buf_add(&b, value_join(sh, words, v->n, ifs_first(sh)));
		give_one(v, buf_bytes(&b));
		return;
	}
	words[0] = BYTES("set");
	words[1] = BYTES("--");
	for (size_t i = 0; i < v->n; i++)
		words[i + 2] = quoted(sh, v->many[i]);
	if (space_separates(sh)) {
		give_words(sh, v, words, v->n + 2);
		return;
	}
	/* Between the parameters stands what separates words, but behind "set" and "--" a space. */
	words[2] = value_join(sh, words, 3, BYTES(" "));
	v->many = words + 2;
	v->set = true;
}

static void declare_array(struct shell *sh, struct value *v)
{
	struct bytes *words = arena_alloc(sh->arena, 3 * sizeof *words);
	struct buf b = buf_in(sh->arena);

	buf_putc(&b, '-');
	quote_attributes(&b, v->var->flags);
	words[0] = BYTES("declare");
	words[1] = buf_bytes(&b);
	b = buf_in(sh->arena);
	buf_add(&b, v->var->name);
	if ((v->var->flags & VAR_SET) != 0) {
		buf_putc(&b, '=');
		quote_array(sh, &b, v->var);
	}
	words[2] = buf_bytes(&b);
	give_words(sh, v, words, 3);
}

static void declare_scalar(struct shell *sh, struct value *v)
{
	struct buf b = buf_in(sh->arena);

	shell_cost(sh, 8 * v->one.len);
	if (v->var != NULL && has_attributes(v->var)) {
		buf_puts(&b, "declare -");
		quote_attributes(&b, v->var->flags);
		buf_putc(&b, ' ');
	}
	if (v->list && v->n != 0)
		v->one = v->many[0];
	if (v->var != NULL && (v->set || b.len != 0)) {
		buf_add(&b, v->var->name);
		if (v->set)
			buf_putc(&b, '=');
	}
	if (v->set && v->var != NULL)
		quote_for_at_q(sh, &b, v->one);
	buf_cstr(&b);
	give_one(v, buf_bytes(&b));
}

static void transform_declare(struct shell *sh, struct value *v)
{
	if (v->positional)
		declare_positional(sh, v);
	else if (v->list && v->var != NULL && (v->var->flags & (VAR_ARRAY | VAR_ASSOC)) != 0)
		declare_array(sh, v);
	else
		declare_scalar(sh, v);
}

/* --- @K, @k --- */

static void pairs_text(struct shell *sh, struct value *v, const struct bytes *keys)
{
	struct buf b = buf_in(sh->arena);
	bool assoc = (v->var->flags & VAR_ASSOC) != 0;

	for (size_t i = 0; i < v->n; i++) {
		if (i != 0 && !assoc)
			buf_putc(&b, ' ');
		quote_for_key(sh, &b, keys[i]);
		buf_putc(&b, ' ');
		quote_for_declare(sh, &b, v->many[i]);
		if (assoc)
			buf_putc(&b, ' ');
	}
	buf_cstr(&b);
	give_one(v, buf_bytes(&b));
}

static void pairs_list(struct shell *sh, struct value *v, const struct bytes *keys)
{
	struct bytes *many = arena_alloc(sh->arena, (2 * v->n + 1) * sizeof *many);

	for (size_t i = 0; i < v->n; i++) {
		many[2 * i] = keys[i];
		many[2 * i + 1] = v->many[i];
	}
	v->many = many;
	v->n *= 2;
}

static void transform_pairs(struct shell *sh, struct value *v, char letter)
{
	struct bytes *keys;

	if (!v->list || v->var == NULL || (v->var->flags & (VAR_ARRAY | VAR_ASSOC)) == 0) {
		each_value(sh, v, quoted);
		return;
	}
	if (var_keys(sh, v->var, &keys) < v->n)
		return;
	if (letter == 'K')
		pairs_text(sh, v, keys);
	else
		pairs_list(sh, v, keys);
}

int param_transform(struct shell *sh, const struct param *p, struct value *v)
{
	char letter = p->transform;

	/* Of a reference to an element bash knows no attributes. */
	if ((letter | 32) == 'a' && p->kind == PARAM_NAME && p->subscript == SUB_NONE &&
	    v->sub.ptr != NULL) {
		v->one = BYTES("");
		return 0;
	}
	if (letter == 'a')
		transform_attributes(sh, v);
	else if (letter == 'A')
		transform_declare(sh, v);
	else if (!v->set)
		return 0;
	else if (letter == 'K' || letter == 'k')
		transform_pairs(sh, v, letter);
	else if (simple_transform(letter) != NULL)
		each_value(sh, v, simple_transform(letter));
	return sh->flow >= FLOW_EXIT ? -1 : 0;
}
