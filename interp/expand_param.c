/* SPDX-License-Identifier: MIT
 *
 * Parameters: which value one has, what happens when it has none, and how a value becomes
 * fields or a string. Operators on values are in expand_op.c.
 */
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/var_private.h"

struct bytes value_join(struct shell *sh, const struct bytes *many, size_t n, struct bytes sep)
{
	struct buf b = buf_in(sh->arena);

	for (size_t i = 0; i < n; i++) {
		if (i != 0)
			buf_add(&b, sep);
		buf_add(&b, many[i]);
	}
	buf_cstr(&b);
	return buf_bytes(&b);
}

struct bytes param_name(struct shell *sh, const struct param *p)
{
	struct buf b = buf_in(sh->arena);

	if (p->kind == PARAM_POSITIONAL)
		buf_put_u64(&b, p->index);
	else if (p->kind == PARAM_SPECIAL)
		buf_putc(&b, p->special);
	else
		buf_add(&b, p->name);
	if (p->subscript == SUB_AT || p->subscript == SUB_STAR)
		buf_puts(&b, p->subscript == SUB_AT ? "[@]" : "[*]");
	else if (p->subscript == SUB_INDEX && p->sub != NULL)
		buf_printf(&b, "[%.*s]", (int)p->sub->text.len, p->sub->text.ptr);
	buf_cstr(&b);
	return buf_bytes(&b);
}

/* --- special parameters --- */

static struct bytes number(struct shell *sh, int64_t n)
{
	struct buf b = buf_in(sh->arena);

	buf_put_i64(&b, n);
	return buf_bytes(&b);
}

static struct bytes option_letters(struct shell *sh)
{
	static const struct {
		char letter;
		unsigned char option;
	} letters[] = {
#define SET(letter, name, text, value) { letter, SET_##name },
		SET_LIST(SET)
#undef SET
	};
	struct buf b = buf_in(sh->arena);

	/* bash sorts them so: small letters, then large ones, then where commands come from. */
	for (char c = 'a'; c <= 'z'; c++) {
		for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
			if (letters[i].letter == c && (sh->opt.set >> letters[i].option & 1) != 0)
				buf_putc(&b, c);
		}
		if ((c == 'i' && opt_set(sh, SET_INTERACTIVE)) ||
		    (c == 'r' && opt_set(sh, SET_RESTRICTED)))
			buf_putc(&b, c);
	}
	for (char c = 'A'; c <= 'Z'; c++) {
		for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
			if (letters[i].letter == c && (sh->opt.set >> letters[i].option & 1) != 0)
				buf_putc(&b, c);
		}
	}
	if (opt_set(sh, SET_COMMAND))
		buf_putc(&b, 'c');
	if (opt_set(sh, SET_STDIN))
		buf_putc(&b, 's');
	buf_cstr(&b);
	return buf_bytes(&b);
}

static void positional_list(struct shell *sh, struct value *v)
{
	struct bytes *many = arena_alloc(sh->arena, ((size_t)sh->params.count + 1) * sizeof *many);

	for (int i = 0; i < sh->params.count; i++)
		many[i] = bytes_of(sh->params.values[i]);
	v->many = many;
	v->n = (size_t)sh->params.count;
	v->list = true;
	v->positional = true;
	v->set = v->n != 0;
	proc_charge(sh->p, v->n / 8);
}

static void special_value(struct shell *sh, char special, struct value *v)
{
	v->set = true;
	switch (special) {
	case '@':
	case '*':
		positional_list(sh, v);
		v->star = special == '*';
		break;
	case '#': v->one = number(sh, sh->params.count); break;
	case '?': v->one = number(sh, sh->status); break;
	case '$': v->one = number(sh, sh->shell_pid); break;
	case '-': v->one = option_letters(sh); break;
	case '0': v->one = bytes_of(sh->arg0); break;
	case '!':
		v->set = sh->last_background != 0;
		v->one = v->set ? number(sh, sh->last_background) : BYTES("");
		break;
	default: v->set = false; break;
	}
}

/* --- variables --- */

int expand_subscript(struct shell *sh, const struct param *p, const struct var *v,
		     struct bytes *out)
{
	if (v == NULL || (v->flags & VAR_ASSOC) == 0) {
		*out = p->sub->text;
		return 0;
	}
	if (expand_string(sh, p->sub, out) != 0)
		return -1;
	if (out->len != 0)
		return 0;
	if (p->op == OP_LENGTH) {
		shell_error(sh, "%.*s]: bad array subscript", (int)p->sub->text.len,
			    p->sub->text.ptr);
		return expand_fail(sh);
	}
	var_before_start(sh, p->name);
	return sh->flow != FLOW_NONE ? -1 : 1;
}

static int64_t last_index(const struct var *v)
{
	if ((v->flags & VAR_ARRAY) == 0)
		return -1;
	return v->array != NULL ? array_last(v->array) : -1;
}

static int read_element(struct shell *sh, const struct param *p, struct value *v)
{
	int64_t index;
	int found;

	if (v->var != NULL && (v->var->flags & VAR_ASSOC) != 0) {
		int err = expand_subscript(sh, p, v->var, &v->sub);

		if (err != 0)
			return err < 0 ? -1 : 0;
		found = var_element(sh, v->var, v->sub, &v->one);
		v->set = found == 1;
		return found < 0 ? -1 : 0;
	}
	if ((v->var == NULL || (v->var->flags & VAR_SET) == 0) && p->op == OP_LENGTH)
		return 0; /* no index is looked at */
	if (arith_must(sh, expand_arith(sh, p->sub_arith, &index)) != 0)
		return -1;
	v->sub = number(sh, index);
	if (v->var == NULL) {
		if (index < 0)
			var_before_start(sh, p->name);
		return sh->flow != FLOW_NONE ? -1 : 0;
	}
	if (p->op == OP_LENGTH && index != 0 && opt_set(sh, SET_NOUNSET) &&
	    (v->var->flags & (VAR_ARRAY | VAR_ASSOC)) == 0) {
		shell_error(sh, "%s: unbound variable", v->var->name.ptr);
		return expand_fail(sh);
	}
	if (p->op == OP_LENGTH && index < 0 && index + last_index(v->var) + 1 < 0) {
		shell_error(sh, "%.*s]: bad array subscript", (int)p->sub->text.len,
			    p->sub->text.ptr);
		return expand_fail(sh);
	}
	v->set = var_element_at(sh, v->var, index, &v->one) == 1;
	return sh->flow != FLOW_NONE ? -1 : 0;
}

/* As bash, @a and @A look at an element that is not set twice: with what the subscript does. */
static int element_value(struct shell *sh, const struct param *p, struct value *v)
{
	int err = read_element(sh, p, v);

	if (err == 0 && !v->set && p->op == OP_TRANSFORM &&
	    (p->transform == 'a' || p->transform == 'A'))
		err = read_element(sh, p, v);
	return err;
}

static void whole_value(struct shell *sh, struct value *v, bool star)
{
	struct bytes *many = NULL;

	v->list = true;
	v->star = star;
	v->n = v->var != NULL ? var_values(sh, v->var, &many) : 0;
	v->many = many;
	v->set = v->n != 0;
}

/* The element that a nameref's target, or the value of x in ${!x}, names. */
static int target_value(struct shell *sh, struct value *v, struct bytes sub)
{
	int found;

	v->sub = sub;
	if (v->var == NULL)
		return 0;
	if (sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*')) {
		whole_value(sh, v, sub.ptr[0] == '*');
		return 0;
	}
	if (subscript_text(sh, v->var, sub, &v->sub) != 0)
		return -1;
	found = var_element(sh, v->var, v->sub, &v->one);
	v->set = found == 1;
	return found < 0 ? -1 : 0;
}

/* Through a reference to an element: only $ref itself gives something, and if that is all
 * elements, only without braces a list. */
static int referred_value(struct shell *sh, const struct param *p, struct bytes sub,
			  struct value *v)
{
	if (p->subscript != SUB_NONE || p->op == OP_LENGTH) {
		v->var = NULL;
		v->list = p->subscript >= SUB_AT;
		return 0;
	}
	if (target_value(sh, v, sub) != 0)
		return -1;
	if (v->list && p->braced) {
		v->one = value_join(sh, v->many, v->n, v->star ? ifs_first(sh) : BYTES(" "));
		v->list = false;
	}
	return 0;
}

static int variable_value(struct shell *sh, const struct param *p, struct value *v)
{
	struct bytes sub;

	v->var = var_find(sh, p->name, p->hash);
	if (v->var != NULL && (v->var->flags & VAR_NAMEREF) != 0) {
		v->var = var_resolve(sh, p->name, p->hash, &sub);
		if (v->var != NULL && (v->var->flags & VAR_NAMEREF) != 0)
			return 0;
		if (sub.ptr != NULL)
			return referred_value(sh, p, sub, v);
	}
	if (p->subscript == SUB_AT || p->subscript == SUB_STAR) {
		whole_value(sh, v, p->subscript == SUB_STAR);
		return 0;
	}
	if (p->subscript == SUB_INDEX)
		return element_value(sh, p, v);
	v->set = v->var != NULL && var_scalar(sh, v->var, &v->one);
	return 0;
}

static int param_value(struct shell *sh, const struct param *p, struct value *v)
{
	*v = (struct value){ .one = BYTES(""), .plain = true };
	if (p->kind == PARAM_NAME)
		return variable_value(sh, p, v);
	if (p->kind == PARAM_SPECIAL) {
		special_value(sh, p->special, v);
	} else if (p->index <= (uint32_t)sh->params.count) {
		v->set = true;
		v->one = bytes_of(sh->params.values[p->index - 1]);
	}
	return 0;
}

/* --- ${!x} --- */

static int bad_indirection(struct shell *sh, struct bytes what, const char *why)
{
	shell_error(sh, "%.*s: %s", (int)what.len, what.ptr, why);
	return expand_fail_line(sh);
}

/* Digits only, also with zeros in front. */
static bool positional_number(struct bytes text, uint32_t *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!byte_is_digit((unsigned char)text.ptr[i]) || n > UINT32_MAX)
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	*out = (uint32_t)n;
	return text.len != 0 && n <= UINT32_MAX;
}

/* Splits text into the parameter it names: false if it names none. */
static bool parse_target(struct shell *sh, struct bytes text, struct param *out, struct bytes *sub)
{
	uint32_t index;

	sub->ptr = NULL;
	out->subscript = SUB_NONE;
	out->kind = PARAM_SPECIAL;
	if (text.len == 1 && strchr("@*#?-$!0", text.ptr[0]) != NULL) {
		out->special = text.ptr[0];
		return true;
	}
	if (positional_number(text, &index)) {
		out->kind = index == 0 ? PARAM_SPECIAL : PARAM_POSITIONAL;
		out->special = '0';
		out->index = index;
		return true;
	}
	out->kind = PARAM_NAME;
	if (!parse_name_ref(text, &out->name, sub))
		return false;
	out->name = arena_bytes(sh->arena, out->name);
	out->hash = bytes_hash(out->name);
	return true;
}

static int indirect_element(struct shell *sh, struct param *target, struct bytes sub,
			    struct value *v)
{
	struct bytes unused;

	if (sub.len == 1 && (sub.ptr[0] == '@' || sub.ptr[0] == '*')) {
		target->subscript = sub.ptr[0] == '@' ? SUB_AT : SUB_STAR;
		return param_value(sh, target, v);
	}
	v->var = var_resolve(sh, target->name, target->hash, &unused);
	return target_value(sh, v, sub);
}

/* The last of references that refer to each other. */
static struct var *last_reference(struct shell *sh, struct var *ref)
{
	enum { CHAIN_MAX = 8 };

	for (int i = 0; i < CHAIN_MAX; i++) {
		struct bytes name = { ref->value, ref->len };
		struct var *next = ref->len != 0 ? var_find(sh, name, bytes_hash(name)) : NULL;

		if (next == NULL || (next->flags & VAR_NAMEREF) == 0)
			break;
		ref = next;
	}
	return ref;
}

/* *target: the parameter to be used instead of p, in the arena. NULL: the value is the name
 * that a nameref refers to. */
static int indirect_value(struct shell *sh, const struct param *p, struct param **target,
			  struct value *v)
{
	struct var *ref = p->kind == PARAM_NAME && p->subscript == SUB_NONE
				  ? var_find(sh, p->name, p->hash)
				  : NULL;
	struct param *to;
	struct bytes text;
	struct bytes sub;

	*target = NULL;
	if (ref != NULL && (ref->flags & VAR_NAMEREF) != 0) {
		ref = last_reference(sh, ref);
		if (ref->len == 0 || bytes_eq((struct bytes){ ref->value, ref->len }, ref->name))
			return bad_indirection(sh, p->name, "invalid indirect expansion");
		*v = (struct value){ .set = true, .plain = true, .one = { ref->value, ref->len } };
		return 0;
	}
	if (param_value(sh, p, v) != 0)
		return -1;
	if (!v->set && (v->var != NULL || v->list || p->kind == PARAM_POSITIONAL))
		return 0; /* declared, but without a value; or ${!*} of none, ${!1} */
	if (!v->set)
		return bad_indirection(sh, param_name(sh, p), "invalid indirect expansion");
	text = v->list ? value_join(sh, v->many, v->n, ifs_first(sh)) : v->one;
	shell_cost(sh, text.len);
	to = arena_alloc(sh->arena, sizeof *to);
	*to = *p;
	to->indirect = false;
	to->sub = NULL;
	if (!parse_target(sh, text, to, &sub))
		return bad_indirection(sh, text, "invalid variable name");
	*target = to;
	*v = (struct value){ .one = BYTES(""), .plain = true };
	return sub.ptr != NULL ? indirect_element(sh, to, sub, v) : param_value(sh, to, v);
}

/* --- values into the word --- */

/* What stands between the elements of a list that becomes one string. bash is not regular
 * here; this is what it does. */
static struct bytes list_separator(const struct expander *e, const struct param *p,
				   const struct value *v, bool quoted)
{
	struct bytes first = ifs_first(e->sh);

	if (v->star) {
		if (e->mode == EXPAND_HEREDOC && (v->positional || !v->plain) &&
		    (p->op < OP_REPLACE || p->op > OP_TOGGLE_ALL))
			return BYTES(" ");
		if (e->mode == EXPAND_ITEM && !quoted && first.len == 0)
			return BYTES(" ");
		return first;
	}
	if (first.len == 0)
		return BYTES(" ");
	if (e->mode == EXPAND_ITEM)
		return first;
	if ((e->mode != EXPAND_ASSIGN && e->mode != EXPAND_HERESTRING) || v->plain)
		return BYTES(" ");
	if (p->op == OP_TRANSFORM)
		return first;
	if (quoted || (p->op >= OP_PREFIX && p->op <= OP_SUFFIX_LONG) || p->op == OP_NAMES)
		return first;
	return BYTES(" ");
}

/* Inside ${x+word} an unquoted $@ is joined by spaces, and only these are split, when IFS does
 * not begin with one. */
static bool emit_inner_at(struct expander *e, const struct value *v)
{
	if (!e->split_text || v->star || !e->sh->ifs_set || e->sh->ifs.len == 0 ||
	    e->sh->ifs.ptr[0] == ' ')
		return false;
	for (size_t i = 0; i < v->n; i++) {
		if (i != 0)
			emit_split(e, BYTES(" "));
		if (v->many[i].len != 0)
			emit(e, v->many[i], true);
	}
	return true;
}

static void emit_list(struct expander *e, const struct value *v, bool quoted)
{
	if (!quoted && emit_inner_at(e, v))
		return;
	for (size_t i = 0; i < v->n; i++) {
		if (quoted) {
			if (i != 0)
				field_break(e);
			emit(e, v->many[i], true);
		} else {
			if (i != 0)
				list_break(e);
			emit_split(e, v->many[i]);
		}
	}
}

/* Unquoted lists that are joined before they are split: ${a[@]@A}, and with an empty IFS some
 * others. */
static bool stays_one(struct shell *sh, const struct param *p, const struct value *v)
{
	if (v->list && p->op == OP_TRANSFORM && p->transform == 'A')
		return true;
	if (!v->list || v->positional || !sh->ifs_set || sh->ifs.len != 0)
		return false;
	if (p->op >= OP_PREFIX && p->op <= OP_SUFFIX_LONG)
		return true;
	return v->star && (p->op == OP_KEYS || p->op == OP_NAMES);
}

static void emit_value(struct expander *e, const struct param *p, const struct value *v,
		       bool quoted)
{
	struct bytes text = v->one;

	if (!quoted && e->mode == EXPAND_FIELDS && stays_one(e->sh, p, v)) {
		struct bytes sep = p->op == OP_NAMES ? BYTES("") : BYTES(" ");

		emit_split(e, value_join(e->sh, v->many, v->n, sep));
		return;
	}
	if (v->list && e->mode == EXPAND_FIELDS && (!quoted || !v->star)) {
		emit_list(e, v, quoted);
		return;
	}
	if (v->list)
		text = value_join(e->sh, v->many, v->n, list_separator(e, p, v, quoted));
	if (!quoted)
		emit_split(e, text);
	else if (text.len != 0 || !e->empty_at)
		emit(e, text, true);
}

/* In a word that becomes one string, an only element that is empty counts as a value: in
 * assignments and here-strings, elsewhere that of $@, if IFS does not begin with a space. */
static bool counts_empty(const struct expander *e, const struct value *v, bool quoted)
{
	struct bytes first = ifs_first(e->sh);

	if (quoted)
		return false;
	switch (e->mode) {
	case EXPAND_HERESTRING:
	case EXPAND_ASSIGN: return true;
	case EXPAND_PATTERN: return !v->star;
	case EXPAND_STRING:
	case EXPAND_KEYED:
	case EXPAND_PATSUB: return !v->star && first.len != 0 && first.ptr[0] != ' ';
	default: return false;
	}
}

static bool is_null(struct expander *e, const struct param *p, const struct value *v, bool quoted)
{
	bool joined = v->list && v->star && (quoted || e->mode != EXPAND_FIELDS);

	if (!v->set)
		return true;
	if (!v->list)
		return v->one.len == 0;
	if (joined && list_separator(e, p, v, quoted).len == 0)
		return value_join(e->sh, v->many, v->n, BYTES("")).len == 0;
	return v->n == 0 || (v->n == 1 && v->many[0].len == 0 && !counts_empty(e, v, quoted));
}

/* --- ${x-word} and its like --- */

static int emit_word(struct expander *e, const struct word *w, bool quoted)
{
	bool split_text = e->split_text;
	bool vanishes = e->empty_at;
	int err;

	e->split_text = !quoted;
	err = expand_inner(e, w);
	e->split_text = split_text;
	if (err == 0 && quoted && !vanishes && e->mode == EXPAND_FIELDS)
		emit_quoted_null(e);
	return err;
}

static int cannot_assign(struct shell *sh, const struct param *p)
{
	struct bytes name = param_name(sh, p);

	shell_error(sh, "$%.*s: cannot assign in this way", (int)name.len, name.ptr);
	return expand_fail_line(sh);
}

/* What ${!x} led to, with its subscript. */
static struct bytes target_name(struct shell *sh, const struct param *p, const struct value *v)
{
	struct buf name = buf_in(sh->arena);

	buf_add(&name, param_name(sh, p));
	if (v->sub.ptr != NULL)
		buf_printf(&name, "[%.*s]", (int)v->sub.len, v->sub.ptr);
	return buf_bytes(&name);
}

/* asked: p, or the ${!x} that led to p, which must be a name then. */
static int assign_default(struct expander *e, const struct param *p, const struct param *asked,
			  struct value *v, bool quoted)
{
	struct shell *sh = e->sh;
	struct bytes text;
	int err;

	if (asked->indirect &&
	    (p->kind != PARAM_NAME || p->subscript != SUB_NONE || v->sub.ptr != NULL))
		return bad_indirection(sh, target_name(sh, p, v), "invalid variable name");
	if (p->kind != PARAM_NAME)
		return cannot_assign(sh, p);
	if (p->subscript >= SUB_AT && v->var != NULL && (v->var->flags & VAR_ASSOC) != 0) {
		v->sub = p->subscript == SUB_AT ? BYTES("@") : BYTES("*"); /* a key like others */
	} else if (p->subscript >= SUB_AT) {
		struct bytes name = param_name(sh, p);

		shell_error(sh, "%.*s: bad array subscript", (int)name.len, name.ptr);
		return expand_fail(sh);
	}
	if (expand_assignment(sh, p->arg, &text) != 0)
		return -1;
	text = arena_bytes(sh->arena, text);
	if (v->sub.ptr != NULL && v->sub.len == 0 && p->sub != NULL) {
		shell_error(sh, "%.*s[%.*s]: bad array subscript", (int)p->name.len, p->name.ptr,
			    (int)p->sub->text.len, p->sub->text.ptr);
		return expand_fail(sh);
	}
	if (v->sub.ptr != NULL) {
		struct var *var = v->var != NULL ? v->var : var_ensure(sh, p->name, p->hash);

		err = var_assign_element(sh, var, v->sub, text, 0);
		if (err == 0)
			var_element(sh, var, v->sub, &text);
	} else {
		err = var_set(sh, p->name, p->hash, text, 0);
	}
	if (err != 0)
		return expand_fail(sh);
	/* What is substituted is the variable's new value: -i and -u have changed it. */
	if (v->sub.ptr == NULL)
		var_get(sh, p->name, p->hash, &text);
	v->one = text;
	v->list = false;
	emit_value(e, p, v, quoted);
	return 0;
}

/* asked is told of: p, or the ${!x} that led to p. */
static int parameter_error(struct shell *sh, const struct param *p, const struct param *asked)
{
	struct bytes name = param_name(sh, asked);
	struct bytes text = BYTES("");

	if (p->arg != NULL && p->arg->nparts != 0 && expand_string(sh, p->arg, &text) != 0)
		return -1;
	if (p->arg == NULL || p->arg->text.len == 0)
		text = p->colon ? BYTES("parameter null or not set") : BYTES("parameter not set");
	shell_error(sh, "%s%.*s: %.*s", asked->indirect ? "!" : "", (int)name.len, name.ptr,
		    (int)text.len, text.ptr);
	return expand_fail_shell(sh);
}

static int expand_default(struct expander *e, const struct param *p, const struct param *asked,
			  struct value *v, bool quoted)
{
	bool use_value = p->colon ? !is_null(e, p, v, quoted) : v->set;

	if (p->op == OP_ALTERNATE) {
		if (use_value)
			return emit_word(e, p->arg, quoted);
		/* "${@+word}" of none is no word. */
		if (quoted && !e->empty_at && (!v->list || v->star || v->n != 0))
			emit(e, BYTES(""), true);
		return 0;
	}
	if (use_value) {
		emit_value(e, p, v, quoted);
		return 0;
	}
	if (p->op == OP_DEFAULT)
		return emit_word(e, p->arg, quoted);
	if (p->op == OP_ASSIGN)
		return assign_default(e, p, asked, v, quoted);
	return parameter_error(e->sh, p, asked);
}

/* --- the whole --- */

/* What bash shows of a bad substitution: the word it stands in, or what stands in its quotes. */
static struct bytes bad_text(const struct expander *e, const struct param *p, bool quoted)
{
	struct bytes word = e->source;
	const char *at = word.len != 0 ? bytes_find(word, p->source) : NULL;
	size_t from;
	size_t to;

	if (at == NULL)
		return p->source;
	from = (size_t)(at - word.ptr);
	to = from + p->source.len;
	if (!quoted)
		return word;
	while (from > 0 && word.ptr[from - 1] != '"')
		from--;
	while (to < word.len && word.ptr[to] != '"')
		to++;
	return bytes_slice(word, from, to);
}

/* An unknown ${x@?}: it is noticed only when x is set, and ends the shell. */
static bool is_bad_transform(const struct param *p)
{
	return p->op == OP_BAD && p->transform == '@' && !p->indirect;
}

static int bad_substitution(struct expander *e, const struct param *p, bool quoted)
{
	struct bytes text = bad_text(e, p, quoted);
	struct bytes word = e->source.len != 0 ? e->source : p->source;

	if (p->unclosed)
		shell_error(e->sh, "bad substitution: no closing `}' in %.*s", (int)word.len,
			    word.ptr);
	else
		shell_error(e->sh, "%.*s: bad substitution", (int)text.len, text.ptr);
	if (is_bad_transform(p))
		return expand_fail_shell(e->sh);
	expand_fail(e->sh);
	exec_errexit(e->sh);
	return -1;
}

static int unbound(struct shell *sh, const struct param *p)
{
	bool length = p->op == OP_LENGTH && p->subscript == SUB_INDEX;
	struct bytes name = length ? p->name : param_name(sh, p);
	bool dollar = !p->braced && p->kind != PARAM_NAME;

	shell_error(sh, "%s%.*s: unbound variable",
		    p->indirect ? "!"
		    : dollar    ? "$"
				: "",
		    (int)name.len, name.ptr);
	return expand_fail_shell(sh);
}

/* Keys of an array, or names with a prefix: a list that replaces the value. */
static void list_names(struct shell *sh, const struct param *p, struct value *v)
{
	struct bytes *many = NULL;
	struct bytes sub;

	*v = (struct value){ .list = true, .set = true, .one = BYTES("") };
	if (p->op == OP_NAMES) {
		v->star = p->transform == '*';
		v->n = var_names(sh, p->name, &many);
	} else {
		struct var *var = var_resolve(sh, p->name, p->hash, &sub);

		v->star = p->subscript == SUB_STAR;
		v->var = var;
		v->n = var != NULL ? var_keys(sh, var, &many) : 0;
	}
	v->many = many;
}

static int emit_length(struct expander *e, const struct param *p, const struct value *v,
		       bool quoted)
{
	size_t n = v->one.len;

	if (v->list)
		n = v->n;
	else if (e->sh->utf8)
		n = utf8_count(v->one);
	proc_charge(e->sh->p, v->one.len / 64);
	struct value length = { .set = true, .one = number(e->sh, (int64_t)n) };

	emit_value(e, p, &length, quoted);
	return 0;
}

/* ${#a[@]} without listing the array. */
static bool emit_count(struct expander *e, const struct param *p, bool quoted)
{
	struct bytes sub;
	struct value v = { .set = true };
	struct var *var;

	if (p->kind != PARAM_NAME || p->subscript < SUB_AT)
		return false;
	var = var_resolve(e->sh, p->name, p->hash, &sub);
	if (sub.ptr != NULL)
		return false;
	if (opt_set(e->sh, SET_NOUNSET) &&
	    (var == NULL || (var->flags & (VAR_ARRAY | VAR_ASSOC)) == 0 ||
	     (var->flags & VAR_SET) == 0))
		return false;
	v.one = number(e->sh, var != NULL ? (int64_t)var_count(e->sh, var) : 0);
	emit_value(e, p, &v, quoted);
	return true;
}

/* Operators on a value that may be unset. asked: p, or the ${!x} that led to p. */
static int expand_operator(struct expander *e, const struct param *p, const struct param *asked,
			   struct value *v, bool quoted)
{
	bool element = p->op == OP_LENGTH && p->subscript == SUB_INDEX && v->var != NULL &&
		       (v->var->flags & VAR_SET) != 0;
	bool attributes = p->op == OP_TRANSFORM && (p->transform | 32) == 'a' &&
			  p->subscript != SUB_INDEX && v->var != NULL &&
			  (v->var->flags & VAR_SET) != 0 && var_count(e->sh, v->var) != 0;
	bool whole = v->list ? p->op != OP_LENGTH : element || attributes;

	if (p->op >= OP_DEFAULT && p->op <= OP_ALTERNATE)
		return expand_default(e, p, asked, v, quoted);
	/* bash finds ${#x[@]} of what is no array unbound. */
	if (v->list && v->n == 1 && v->var != NULL && !whole &&
	    (v->var->flags & (VAR_ARRAY | VAR_ASSOC)) == 0)
		v->set = false;
	if (!v->set && opt_set(e->sh, SET_NOUNSET) && !whole && !v->positional) {
		if (v->list) {
			shell_error(e->sh, "%.*s: unbound variable", (int)p->name.len, p->name.ptr);
			return expand_fail(e->sh);
		}
		return unbound(e->sh, asked);
	}
	if (p->op == OP_LENGTH)
		return emit_length(e, p, v, quoted);
	if (p->op == OP_BAD && v->set)
		return bad_substitution(e, p, quoted);
	if (p->op != OP_NONE && p->op != OP_BAD && param_operate(e, p, quoted, v) != 0)
		return -1;
	emit_value(e, p, v, quoted);
	return 0;
}

int expand_param(struct expander *e, const struct param *p, bool quoted)
{
	struct value v;
	struct param *target = NULL;

	if (p->op == OP_BAD && !is_bad_transform(p))
		return bad_substitution(e, p, quoted);
	if (p->op == OP_NAMES || p->op == OP_KEYS) {
		list_names(e->sh, p, &v);
		emit_value(e, p, &v, quoted);
		return 0;
	}
	if (p->indirect) {
		if (indirect_value(e->sh, p, &target, &v) != 0)
			return -1;
		return expand_operator(e, target != NULL ? target : p, p, &v, quoted);
	}
	if (p->op == OP_LENGTH && emit_count(e, p, quoted))
		return 0;
	if (param_value(e->sh, p, &v) != 0)
		return -1;
	return expand_operator(e, p, p, &v, quoted);
}
