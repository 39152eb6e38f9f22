/* SPDX-License-Identifier: MIT
 *
 * Arithmetic in expansions: the variables as arith.h sees them, and the cached code of an
 * expression that stands in the tree.
 */
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/var_private.h"

enum { ARITH_REPORTED = -3 }; /* a callback has said what is wrong */

static struct word *word_of_text(struct shell *sh, struct bytes text, enum text_word kind)
{
	struct parse_config config = shell_parse_config(sh, text, sh->line);
	struct parse_error error;

	return parse_text_word(&config, sh->arena, kind, &error);
}

static int index_text(void *user, struct bytes text, struct bytes *out);

int subscript_text(struct shell *sh, const struct var *v, struct bytes text, struct bytes *out)
{
	bool key = v != NULL && (v->flags & VAR_ASSOC) != 0;
	struct word *w;
	size_t i = 0;

	*out = text;
	while (i < text.len && (text.ptr[i] == '\0' || strchr("'\"\\$`", text.ptr[i]) == NULL))
		i++;
	if (i == text.len)
		return 0;
	if (!key)
		return index_text(sh, text, out);
	w = word_of_text(sh, text, TEXT_WORD_PLAIN);
	return w != NULL ? expand_string(sh, w, out) : 0;
}

int subscript_argument(struct shell *sh, const struct var *v, struct bytes text, struct bytes *out)
{
	*out = text;
	if (v != NULL && (v->flags & VAR_ASSOC) != 0 && opt_shopt(sh, SHOPT_assoc_expand_once))
		return 0;
	return subscript_text(sh, v, text, out);
}

bool argument_ref(struct shell *sh, struct bytes text, bool element, struct bytes *name,
		  struct bytes *sub)
{
	struct bytes ref;
	struct var *v;

	if (!opt_shopt(sh, SHOPT_assoc_expand_once))
		return parse_name_ref(text, name, sub);
	if (element && parse_name_ref_as(text, NAME_REF_WHOLE, name, sub)) {
		v = var_resolve(sh, *name, bytes_hash(*name), &ref);
		if (v != NULL && (v->flags & VAR_ASSOC) != 0)
			return true;
	}
	return parse_name_ref_as(text, NAME_REF_PLAIN, name, sub);
}

/* --- text to evaluate --- */

struct brackets {
	struct buf text;
	size_t depth;  /* of those that are open, */
	size_t quoted; /* of which so many opened in quotes */
};

/* Literal text of an expression. What is quoted in it is no syntax. */
static void put_literal(struct brackets *b, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];
		const char *end = c == '\'' && b->depth > 0
					  ? memchr(s.ptr + i + 1, c, s.len - i - 1)
					  : NULL;
		size_t n = end != NULL ? (size_t)(end + 1 - (s.ptr + i)) : 1;

		if (c == '\\' && i + 1 < s.len)
			n = 2;
		buf_put(&b->text, s.ptr + i, n);
		i += n - 1;
		if (c == '[')
			b->depth++;
		else if (c == ']' && b->depth > 0)
			b->depth--;
	}
}

/* What an expansion gave inside a subscript comes out of the second expansion as it is. */
static void put_protected(struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '\0' && strchr("\"$'[\\]`~", s.ptr[i]) != NULL)
			buf_putc(out, '\\');
		buf_putc(out, s.ptr[i]);
	}
}

/* Quoted text of a word: brackets in it belong to each other, not to those outside. */
static void put_quoted(struct brackets *b, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		struct bytes c = bytes_slice(s, i, i + 1);
		bool opens = *c.ptr == '[' && b->depth == b->quoted;
		bool closes = *c.ptr == ']' && b->quoted > 0;

		if (b->depth == 0 || opens || closes)
			buf_add(&b->text, c);
		else
			put_protected(&b->text, c);
		b->depth += opens ? 1 : closes ? (size_t)-1 : 0;
		b->quoted += opens ? 1 : closes ? (size_t)-1 : 0;
	}
}

/* word: quotes in it are those of the shell, which in $(( )) they are not. */
static int expand_protected(struct shell *sh, const struct word *w, bool word, struct bytes *out)
{
	struct brackets b = { .text = buf_in(sh->arena) };

	if (w == NULL || ((w->flags & WORD_LITERAL) != 0 && (!word || w->text.ptr[0] == '\'')) ||
	    memchr(w->text.ptr, '[', w->text.len) == NULL)
		return expand_view(sh, w, EXPAND_STRING, out);
	for (int i = 0; i < w->nparts; i++) {
		const struct part *part = &w->parts[i];
		struct word alone = { .parts = &w->parts[i], .nparts = 1, .text = part->text };
		struct bytes value = part->text;

		if (part->kind == PART_TEXT) {
			if (word && part->quoted)
				put_quoted(&b, value);
			else
				put_literal(&b, value);
			continue;
		}
		if (expand_view(sh, &alone, EXPAND_STRING, &value) != 0)
			return -1;
		if (b.depth > 0)
			put_protected(&b.text, value);
		else
			buf_add(&b.text, value);
	}
	buf_cstr(&b.text);
	*out = buf_bytes(&b.text);
	return 0;
}

int expand_arith_text(struct shell *sh, const struct word *w, struct bytes *out)
{
	const char *name = sh->command_name;
	int err;

	sh->command_name = NULL; /* nothing inside is said in the name of (( */
	err = expand_protected(sh, w, false, out);
	sh->command_name = name;
	return err;
}

static bool opens_subscript(const struct part *part)
{
	return part->kind == PART_TEXT && !part->quoted &&
	       memchr(part->text.ptr, '[', part->text.len) != NULL;
}

/* The word with the text of its process substitutions: in subscripts of operands there are none. */
static const struct word *without_procsubs(struct shell *sh, const struct word *w)
{
	struct word *copy = NULL;
	bool subscript = false;

	for (int i = 0; i < w->nparts; i++) {
		subscript = subscript || opens_subscript(&w->parts[i]);
		if (w->parts[i].kind != PART_PROCSUB || !subscript)
			continue;
		if (copy == NULL) {
			copy = arena_alloc(sh->arena, sizeof *copy);
			*copy = *w;
			copy->parts = arena_array(sh->arena, (size_t)w->nparts, sizeof *w->parts);
			memcpy(copy->parts, w->parts, (size_t)w->nparts * sizeof *w->parts);
		}
		copy->parts[i].kind = PART_TEXT;
	}
	return copy != NULL ? copy : w;
}

int expand_operand(struct shell *sh, const struct word *w, struct bytes *out)
{
	return expand_protected(sh, without_procsubs(sh, w), true, out);
}

/* An index in text given at run time: expanded as the text of $(( )) is. */
static int index_text(void *user, struct bytes text, struct bytes *out)
{
	struct shell *sh = user;
	struct word *w = word_of_text(sh, text, TEXT_WORD_ARITH);

	*out = text;
	return w == NULL || expand_arith_text(sh, w, out) == 0 ? 0 : ARITH_REPORTED;
}

static enum arith_kind kind_of(void *user, struct arith_name *name)
{
	struct bytes sub;
	struct var *v = var_resolve(user, name->name, name->hash, &sub);

	return v != NULL && (v->flags & VAR_ASSOC) != 0 ? ARITH_KEY : ARITH_INDEX;
}

/* Of an array that was assigned to, the elements that are not there count as 0 under -u too. */
static int unset_value(struct shell *sh, const struct arith_place *at, const struct var *v,
		       struct bytes *text)
{
	*text = BYTES("");
	if (!opt_set(sh, SET_NOUNSET) || (v != NULL && (v->flags & VAR_SET) != 0))
		return 0;
	shell_error(sh, "%.*s: unbound variable", (int)at->name->name.len, at->name->name.ptr);
	expand_fail_shell(sh);
	return ARITH_REPORTED;
}

static int key_text(struct shell *sh, const struct var *v, const struct arith_place *at,
		    struct bytes *key)
{
	*key = at->key;
	return at->plain ? 0 : subscript_text(sh, v, at->key, key);
}

static int get_place(void *user, const struct arith_place *at, int64_t *value, struct bytes *text)
{
	struct shell *sh = user;
	struct bytes sub;
	struct bytes key;
	struct var *v;
	int found;

	(void)value;
	if (at->kind == ARITH_KEY && at->key.len == 0) {
		for (int i = 0; i < 2; i++)
			shell_error(sh, "%s[]: bad array subscript", at->name->name.ptr);
		*text = BYTES("");
		return 0;
	}
	if (at->kind == ARITH_SCALAR && var_get(sh, at->name->name, at->name->hash, text)) {
		shell_cost(sh, text->len);
		return 0;
	}
	if (at->kind == ARITH_SCALAR) {
		v = var_find(sh, at->name->name, at->name->hash);
		return unset_value(sh, at, v != NULL && (v->flags & VAR_NAMEREF) == 0 ? v : NULL,
				   text);
	}
	v = var_resolve(sh, at->name->name, at->name->hash, &sub);
	if (v == NULL || sub.ptr != NULL)
		return unset_value(sh, at, v, text);
	if (at->kind == ARITH_INDEX) {
		found = var_element_at(sh, v, at->index, text);
	} else {
		if (key_text(sh, v, at, &key) != 0)
			return ARITH_REPORTED;
		if (key.len == 0) {
			shell_error(sh, "%s: bad array subscript", v->name.ptr);
			*text = BYTES("");
			return 0;
		}
		found = var_element(sh, v, key, text);
	}
	if (found < 0)
		return ARITH_REPORTED;
	return found == 1 ? 0 : unset_value(sh, at, v, text);
}

static int set_element(struct shell *sh, const struct arith_place *at, struct bytes digits)
{
	struct bytes name = at->name->name;
	uint64_t hash = at->name->hash;
	struct bytes sub;
	struct bytes key;
	struct var *v;

	if (var_follow(sh, &name, &hash, &sub, &v) != 0)
		return -1;
	if (sub.ptr != NULL) {
		var_refuse_element(sh, sh->command_name, name, sub);
		return 0; /* said, but no error */
	}
	if (v != NULL && (v->flags & VAR_NAMEREF) != 0) {
		shell_error(sh, "%s%s`': not a valid identifier",
			    sh->command_name != NULL ? sh->command_name : "",
			    sh->command_name != NULL ? ": " : "");
		return 0;
	}
	if (v == NULL)
		v = var_ensure(sh, name, hash);
	if (at->kind == ARITH_INDEX)
		return var_assign_at(sh, v, at->index, digits, 0);
	if (key_text(sh, v, at, &key) != 0)
		return -1;
	if (key.len != 0)
		return var_assign_element(sh, v, key, digits, 0);
	shell_error(sh, "%s[%.*s]: bad array subscript", v->name.ptr, (int)at->key.len,
		    at->key.ptr);
	return 0; /* said, but no error */
}

static int set_place(void *user, const struct arith_place *at, int64_t value)
{
	struct shell *sh = user;
	char text[24];
	struct bytes digits = i64_text(value, text);
	int err;

	if (at->kind == ARITH_KEY && at->key.len == 0) {
		shell_error(sh, "%s%s`%s[]': not a valid identifier",
			    sh->command_name != NULL ? sh->command_name : "",
			    sh->command_name != NULL ? ": " : "", at->name->name.ptr);
		return 0;
	}
	if (at->kind == ARITH_SCALAR && var_names_nothing(sh, at->name->name, at->name->hash)) {
		var_set(sh, at->name->name, at->name->hash, digits, 0);
		return 0; /* no number is a name: that is said, but no error */
	}
	if (at->kind == ARITH_SCALAR)
		err = var_set(sh, at->name->name, at->name->hash, digits, 0);
	else
		err = set_element(sh, at, digits);
	return err == 0 ? 0 : ARITH_REPORTED;
}

static int get_param(void *user, const struct param *p, int64_t *value)
{
	struct shell *sh = user;
	struct bytes text;

	if (p->kind == PARAM_SPECIAL) {
		*value = sh->params.count;
		return p->special == '#';
	}
	if (p->kind == PARAM_POSITIONAL) {
		if (p->index == 0 || p->index > (uint32_t)sh->params.count)
			return 0;
		text = bytes_of(sh->params.values[p->index - 1]);
	} else if (!var_get(sh, p->name, p->hash, &text)) {
		return 0;
	}
	shell_cost(sh, text.len);
	return arith_plain_number(text, value);
}

static void charge(void *user, uint64_t steps)
{
	struct shell *sh = user;

	proc_charge(sh->p, steps);
}

static struct arith_env env_of(struct shell *sh)
{
	return (struct arith_env){ .user = sh,
				   .arena = sh->arena,
				   .kind = kind_of,
				   .get = get_place,
				   .set = set_place,
				   .subscript = index_text,
				   .param = get_param,
				   .charge = charge };
}

static int report(struct shell *sh, int result, const struct arith_env *env)
{
	if (result == 0)
		return 0;
	if (result == ARITH_ERROR && sh->command_name != NULL && !env->error_in_subscript)
		shell_error(sh, "%s: %.*s", sh->command_name, (int)env->error.len, env->error.ptr);
	else if (result == ARITH_ERROR)
		shell_error(sh, "%.*s", (int)env->error.len, env->error.ptr);
	if (sh->flow < FLOW_EXIT)
		expand_fail(sh);
	sh->abort_forgiven = true;
	sh->abort_firm = env->error_in_subscript;
	return sh->abort_firm ? arith_must(sh, -1) : -1;
}

/* Compiled once, in the arena of the tree. Whoever parsed the tree may be gone by now: running
 * out of memory ends this process. */
static void compile_cache(struct shell *sh, struct arith_text *a)
{
	struct arena_fail fail = a->arena->fail;

	a->cache_tried = true;
	a->arena->fail = sh->arena->fail;
	a->cache = arith_compile_word(a->arena, a->word);
	a->arena->fail = fail;
}

/* Quotes that arithmetic leaves, and a word loses. */
static bool has_word_quotes(struct bytes text)
{
	return memchr(text.ptr, '\'', text.len) != NULL || memchr(text.ptr, '\\', text.len) != NULL;
}

int expand_arith(struct shell *sh, struct arith_text *a, int64_t *out)
{
	struct arith_env env = env_of(sh);
	struct bytes text;
	int result = ARITH_RETRY;

	if (a->index && (a->word->flags & WORD_QUOTED) != 0 && has_word_quotes(a->word->text)) {
		if (index_text(sh, a->word->text, &text) != 0)
			return -1;
		return report(sh, arith_eval_text(text, &env, out), &env);
	}
	if (!a->cache_tried && a->arena != NULL)
		compile_cache(sh, a);
	if (a->cache != NULL) {
		if (arith_is_constant(a->cache, out))
			return 0;
		result = arith_eval(a->cache, &env, out);
	}
	if (result == ARITH_RETRY) {
		if (expand_arith_text(sh, a->word, &text) != 0)
			return EXPAND_ARITH_TEXT;
		if (a->word != NULL && (a->word->flags & WORD_LITERAL) == 0)
			text = arena_bytes(sh->arena, text);
		result = arith_eval_text(text, &env, out);
	}
	return report(sh, result, &env);
}

int eval_arith(struct shell *sh, struct bytes text, int64_t *out)
{
	struct arith_env env = env_of(sh);

	if (arith_plain_number(text, out))
		return 0;
	return report(sh, arith_eval_text(text, &env, out), &env);
}

int eval_let(struct shell *sh, struct bytes text, int64_t *out)
{
	struct arith_env env = env_of(sh);

	env.plain = opt_shopt(sh, SHOPT_assoc_expand_once);
	return report(sh, arith_eval_text(text, &env, out), &env);
}

int eval_subscript(struct shell *sh, struct bytes text, int64_t *out)
{
	const char *name = sh->command_name;
	int err;

	sh->command_name = NULL;
	err = arith_must(sh, eval_arith(sh, text, out));
	sh->command_name = name;
	return err;
}

int arith_must(struct shell *sh, int err)
{
	if (err == 0 || sh->flow != FLOW_ABORT)
		return err;
	give_up_line(sh);
	return err;
}
