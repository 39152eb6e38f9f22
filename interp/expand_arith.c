/* SPDX-License-Identifier: MIT
 *
 * Arithmetic in expansions: the variables as arith.h sees them, and the cached code of an
 * expression that stands in the tree.
 */
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/var_private.h"

enum { ARITH_REPORTED = -3 }; /* a callback has said what is wrong */

int subscript_text(struct shell *sh, struct bytes text, struct bytes *out)
{
	struct parse_config config;
	struct parse_error error;
	struct word *w;
	size_t i = 0;

	*out = text;
	while (i < text.len && (text.ptr[i] == '\0' || strchr("'\"\\$`", text.ptr[i]) == NULL))
		i++;
	if (i == text.len)
		return 0;
	config = shell_parse_config(sh, text, sh->line);
	w = parse_text_word(&config, sh->arena, false, &error);
	return w != NULL ? expand_string(sh, w, out) : 0;
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
	sh->status = opt_set(sh, SET_COMMAND) && !opt_set(sh, SET_ERREXIT) &&
				     sh->subshell_depth == 0
			     ? 127
			     : 1;
	sh->flow = opt_set(sh, SET_INTERACTIVE) ? FLOW_ABORT : FLOW_EXIT;
	return ARITH_REPORTED;
}

static int get_place(void *user, const struct arith_place *at, int64_t *value, struct bytes *text)
{
	struct shell *sh = user;
	struct bytes sub;
	struct bytes key;
	struct var *v;
	int found;

	(void)value;
	if (at->kind == ARITH_SCALAR && var_get(sh, at->name->name, at->name->hash, text))
		return 0;
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
		if (subscript_text(sh, at->key, &key) != 0)
			return ARITH_REPORTED;
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
		var_refuse_element(sh, NULL, name, sub);
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
	if (subscript_text(sh, at->key, &key) != 0)
		return -1;
	return var_assign_element(sh, v, key, digits, 0);
}

static int set_place(void *user, const struct arith_place *at, int64_t value)
{
	struct shell *sh = user;
	char text[24];
	struct bytes digits = i64_text(value, text);
	int err;

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
				   .param = get_param,
				   .charge = charge };
}

static int report(struct shell *sh, int result, const struct arith_env *env)
{
	if (result == 0)
		return 0;
	if (result == ARITH_ERROR && sh->command_name != NULL)
		shell_error(sh, "%s: %.*s", sh->command_name, (int)env->error.len, env->error.ptr);
	else if (result == ARITH_ERROR)
		shell_error(sh, "%.*s", (int)env->error.len, env->error.ptr);
	if (sh->flow < FLOW_EXIT)
		expand_fail(sh);
	sh->abort_forgiven = true;
	return -1;
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

int expand_arith(struct shell *sh, struct arith_text *a, int64_t *out)
{
	struct arith_env env = env_of(sh);
	struct bytes text;
	int result = ARITH_RETRY;

	if (!a->cache_tried && a->arena != NULL)
		compile_cache(sh, a);
	if (a->cache != NULL) {
		if (arith_is_constant(a->cache, out))
			return 0;
		result = arith_eval(a->cache, &env, out);
	}
	if (result == ARITH_RETRY) {
		if (expand_view(sh, a->word, EXPAND_STRING, &text) != 0)
			return -1;
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

int arith_must(struct shell *sh, int err)
{
	if (err != 0 && sh->flow == FLOW_ABORT && opt_set(sh, SET_COMMAND))
		sh->flow = FLOW_EXIT;
	return err;
}
