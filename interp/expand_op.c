/* SPDX-License-Identifier: MIT
 *
 * Operators that map values to values: ${x#p} ${x/p/r} ${x^p} ${x:o:l}, on one value or on
 * each element of a list.
 */
#include "interp/exec.h"
#include "interp/expand.h"

/* One operation with its words expanded. */
struct operation {
	struct shell *sh;
	enum param_op op;
	struct glob *glob; /* NULL: ${x^} without a pattern */
	bool no_pattern;   /* the pattern is empty */
	bool never;        /* the pattern finds nothing (see is_miscounted) */
	struct bytes replacement;
	bool template; /* replacement contains & or backslashes to be looked at */
};

/* --- removing a prefix or suffix --- */

static struct bytes strip(const struct operation *o, struct bytes s)
{
	bool longest = o->op == OP_PREFIX_LONG || o->op == OP_SUFFIX_LONG;
	size_t n;

	if (o->op == OP_PREFIX || o->op == OP_PREFIX_LONG) {
		n = glob_prefix(o->glob, o->sh->arena, s, longest);
		return n == SIZE_MAX ? s : bytes_slice(s, n, s.len);
	}
	n = glob_suffix(o->glob, o->sh->arena, s, longest);
	return n == SIZE_MAX ? s : bytes_slice(s, 0, s.len - n);
}

/* --- replacing --- */

static void put_replacement(const struct operation *o, struct buf *out, struct bytes match)
{
	struct bytes r = o->replacement;

	if (!o->template) {
		buf_add(out, r);
		return;
	}
	for (size_t i = 0; i < r.len; i++) {
		char next = i + 1 < r.len ? r.ptr[i + 1] : '\0';

		if (r.ptr[i] == '&') {
			buf_add(out, match);
		} else if (r.ptr[i] == '\\' && (next == '&' || next == '\\')) {
			buf_putc(out, next);
			i++;
		} else {
			buf_putc(out, r.ptr[i]);
		}
	}
}

static struct bytes replace_bytes(const struct operation *o, struct bytes s, char from)
{
	char *out = arena_alloc(o->sh->arena, s.len + 1);
	char to = o->replacement.ptr[0];

	for (size_t i = 0; i < s.len; i++)
		out[i] = s.ptr[i] == from ? to : s.ptr[i];
	out[s.len] = '\0';
	return (struct bytes){ out, s.len };
}

static bool find_next(const struct operation *o, struct bytes s, size_t at, size_t *from,
		      size_t *to)
{
	struct bytes literal;
	const char *hit;

	if (!glob_is_literal(o->glob))
		return glob_find(o->glob, o->sh->arena, s, at, from, to);
	literal = glob_literal(o->glob);
	hit = bytes_find(bytes_slice(s, at, s.len), literal);
	if (hit == NULL)
		return false;
	*from = (size_t)(hit - s.ptr);
	*to = *from + literal.len;
	return true;
}

static struct bytes replace_matches(const struct operation *o, struct bytes s)
{
	struct buf out = buf_in(o->sh->arena);
	size_t at = 0;
	size_t from;
	size_t to;

	buf_reserve(&out, s.len);
	while (find_next(o, s, at, &from, &to)) {
		buf_add(&out, bytes_slice(s, at, from));
		put_replacement(o, &out, bytes_slice(s, from, to));
		proc_charge(o->sh->p, 1);
		at = to;
		if (o->op == OP_REPLACE)
			break;
		/* An empty match moves on by a character. */
		if (from == to && at < s.len) {
			uint32_t c;
			size_t n = o->sh->utf8 ? utf8_decode(s, at, &c) : 1;

			at += n != 0 ? n : 1;
			buf_add(&out, bytes_slice(s, from, at));
		}
		/* Nothing is found at the end, not even nothing. */
		if (at == s.len)
			break;
	}
	buf_add(&out, bytes_slice(s, at, s.len));
	return buf_bytes(&out);
}

static struct bytes replace_edge(const struct operation *o, struct bytes s)
{
	struct buf out = buf_in(o->sh->arena);
	bool head = o->op == OP_REPLACE_HEAD;
	size_t n = 0;

	if (!o->no_pattern)
		n = head ? glob_prefix(o->glob, o->sh->arena, s, true)
			 : glob_suffix(o->glob, o->sh->arena, s, true);
	if (n == SIZE_MAX)
		return s;
	if (head) {
		put_replacement(o, &out, bytes_slice(s, 0, n));
		buf_add(&out, bytes_slice(s, n, s.len));
	} else {
		buf_add(&out, bytes_slice(s, 0, s.len - n));
		put_replacement(o, &out, bytes_slice(s, s.len - n, s.len));
	}
	buf_cstr(&out);
	return buf_bytes(&out);
}

static struct bytes replace(const struct operation *o, struct bytes s)
{
	struct bytes literal;

	if (o->never)
		return s;
	/* In an empty value bash finds only what begins with *, but at its end anything. */
	if (s.len == 0 && !o->no_pattern && o->op != OP_REPLACE_TAIL &&
	    !glob_begins_with_star(o->glob))
		return s;
	if (o->op == OP_REPLACE_HEAD || o->op == OP_REPLACE_TAIL)
		return replace_edge(o, s);
	if (o->no_pattern)
		return s;
	if (o->op == OP_REPLACE_ALL && !o->template && o->replacement.len == 1 &&
	    glob_is_literal(o->glob)) {
		literal = glob_literal(o->glob);
		if (literal.len == 1)
			return replace_bytes(o, s, literal.ptr[0]);
	}
	return replace_matches(o, s);
}

/* --- ${x^p} --- */

static uint32_t cased(enum param_op op, uint32_t c)
{
	uint32_t upper = utf8_to_upper(c);

	if (op == OP_LOWER || op == OP_LOWER_ALL)
		return utf8_to_lower(c);
	if (op == OP_UPPER || op == OP_UPPER_ALL || upper != c)
		return upper;
	return utf8_to_lower(c);
}

static bool changes_case(struct shell *sh, const struct glob *g, struct bytes character)
{
	return g == NULL || glob_match(g, sh->arena, character);
}

struct bytes case_change(struct shell *sh, struct glob *g, enum param_op op, struct bytes s)
{
	bool all = op == OP_UPPER_ALL || op == OP_LOWER_ALL || op == OP_TOGGLE_ALL;
	struct buf out = buf_in(sh->arena);
	char text[4];

	buf_reserve(&out, s.len);
	for (size_t i = 0; i < s.len;) {
		uint32_t c = (unsigned char)s.ptr[i];
		size_t n = c < 0x80 ? 1 : sh->utf8 ? utf8_decode(s, i, &c) : 0;
		size_t len = n != 0 ? n : 1;

		if (n != 0 && (all || i == 0) && changes_case(sh, g, bytes_slice(s, i, i + n)))
			buf_put(&out, text, utf8_encode(cased(op, c), text));
		else
			buf_put(&out, s.ptr + i, len);
		i += len;
		if (!all) {
			buf_add(&out, bytes_slice(s, i, s.len));
			break;
		}
	}
	return buf_bytes(&out);
}

/* --- one operation on all values --- */

static struct bytes apply(const struct operation *o, struct bytes s)
{
	proc_charge(o->sh->p, s.len / 64);
	switch (o->op) {
	case OP_PREFIX:
	case OP_PREFIX_LONG:
	case OP_SUFFIX:
	case OP_SUFFIX_LONG: return strip(o, s);
	case OP_REPLACE:
	case OP_REPLACE_ALL:
	case OP_REPLACE_HEAD:
	case OP_REPLACE_TAIL: return replace(o, s);
	default: return case_change(o->sh, o->glob, o->op, s);
	}
}

static void apply_all(const struct operation *o, struct value *v)
{
	struct bytes *many;

	if (!v->list) {
		v->one = apply(o, v->one);
		return;
	}
	many = arena_alloc(o->sh->arena, (v->n + 1) * sizeof *many);
	for (size_t i = 0; i < v->n; i++)
		many[i] = apply(o, v->many[i]);
	v->many = many;
}

static bool is_replace(enum param_op op)
{
	return op >= OP_REPLACE && op <= OP_REPLACE_TAIL;
}

static int prepare_replacement(struct operation *o, const struct param *p)
{
	bool special = opt_shopt(o->sh, SHOPT_patsub_replacement);

	if (expand_view(o->sh, p->arg2, special ? EXPAND_PATSUB : EXPAND_STRING, &o->replacement) !=
	    0)
		return -1;
	o->replacement = arena_bytes(o->sh->arena, o->replacement);
	o->template = special && o->replacement.len != 0 &&
		      (memchr(o->replacement.ptr, '&', o->replacement.len) != NULL ||
		       memchr(o->replacement.ptr, '\\', o->replacement.len) != NULL);
	return 0;
}

/*
 * Before it replaces, bash counts how many characters a pattern without * takes, and counts
 * brackets that begin with [!] or [^] too long: then no text has the right length.
 */
static bool is_miscounted(const struct shell *sh, struct bytes p)
{
	bool extended = opt_shopt(sh, SHOPT_extglob);
	bool found = false;

	for (size_t i = 0; i < p.len; i++) {
		char next = i + 1 < p.len ? p.ptr[i + 1] : '\0';

		if (p.ptr[i] == '*' ||
		    (extended && next == '(' && strchr("?+@!", p.ptr[i]) != NULL))
			return false;
		if (p.ptr[i] == '\\')
			i++;
		if (p.ptr[i] != '[' || (next != '!' && next != '^') || i + 2 >= p.len)
			continue;
		if (p.ptr[i + 2] == ']')
			found = true;
	}
	return found;
}

/* The pattern of the operator; kept in the word when it is the same every time. */
static int prepare_pattern(struct operation *o, const struct param *p)
{
	struct shell *sh = o->sh;
	struct word *w = p->arg;
	struct ast *unit = word_is_constant(w) ? current_ast(sh) : NULL;
	unsigned flags = shell_glob_flags(sh, is_replace(p->op)) + 1;
	struct bytes pattern;

	if (unit != NULL && w->cache_glob != NULL && w->cache_glob_flags == flags) {
		o->glob = w->cache_glob;
		return 0;
	}
	if (expand_pattern(sh, w, &pattern) != 0)
		return -1;
	if (pattern.len == 0) {
		o->no_pattern = true;
		if (p->op >= OP_UPPER && p->op <= OP_TOGGLE_ALL)
			return 0;
	}
	o->never = is_replace(p->op) && is_miscounted(sh, pattern);
	if (unit == NULL || w->cache_glob != NULL || o->no_pattern || o->never ||
	    pattern.len > GLOB_KEPT_BYTES) {
		o->glob = shell_glob(sh, pattern, is_replace(p->op));
	} else {
		o->glob = glob_compile(&unit->arena, pattern, flags - 1);
		shell_glob_work(sh, o->glob);
		w->cache_glob = o->glob;
		w->cache_glob_flags = flags;
	}
	if (o->glob != NULL)
		return 0;
	shell_error(sh, "%.*s: pattern too complex", (int)w->text.len, w->text.ptr);
	return expand_fail(sh);
}

static int pattern_operate(struct shell *sh, const struct param *p, struct value *v)
{
	struct operation o = { .sh = sh, .op = p->op, .replacement = BYTES("") };

	if (prepare_pattern(&o, p) != 0)
		return -1;
	if (is_replace(p->op) && prepare_replacement(&o, p) != 0)
		return -1;
	apply_all(&o, v);
	return 0;
}

/* --- ${x:offset:length} --- */

struct span {
	int64_t offset;
	int64_t length;
	bool bounded;
};

static int read_span(struct shell *sh, const struct param *p, struct span *s)
{
	const char *name = sh->command_name;
	int err;

	*s = (struct span){ .bounded = p->length != NULL };
	sh->command_name = param_name(sh, p).ptr;
	err = expand_arith(sh, p->offset, &s->offset);
	if (err == 0 && s->bounded)
		err = expand_arith(sh, p->length, &s->length);
	sh->command_name = name;
	return err;
}

static int bad_length(struct shell *sh, const struct param *p)
{
	struct bytes text = p->arg2 != NULL ? p->arg2->text : BYTES("");

	shell_error(sh, "%.*s: substring expression < 0", (int)text.len, text.ptr);
	expand_fail_line(sh);
	sh->abort_forgiven = true;
	return -1;
}

/* Turns offset and length into bounds within n items: 0, 1 if nothing is left, -1 if the end
 * comes before the beginning. */
static int clip(const struct span *s, int64_t n, int64_t *from, int64_t *to)
{
	*from = s->offset < 0 ? s->offset + n : s->offset;
	*to = n;
	if (*from < 0 || *from > n)
		return 1;
	if (!s->bounded)
		return 0;
	if (s->length < 0)
		*to = n + s->length;
	else if (s->length < n - *from)
		*to = *from + s->length;
	return *to < *from ? -1 : 0;
}

static int substring(struct shell *sh, const struct param *p, const struct span *s,
		     struct bytes *text)
{
	int64_t n = (int64_t)(sh->utf8 ? utf8_count(*text) : text->len);
	bool bytes = (size_t)n == text->len;
	int64_t from;
	int64_t to;
	int ok = clip(s, n, &from, &to);

	proc_charge(sh->p, text->len / 64);
	if (ok < 0)
		return bad_length(sh, p);
	if (ok > 0) {
		*text = BYTES("");
		return 0;
	}
	if (!bytes) {
		size_t start = utf8_offset(*text, (size_t)from);

		*text = bytes_slice(*text, start, text->len);
		*text = bytes_slice(*text, 0, utf8_offset(*text, (size_t)(to - from)));
		return 0;
	}
	*text = bytes_slice(*text, (size_t)from, (size_t)to);
	return 0;
}

/* $@ with $0 in front. */
static void with_arg0(struct shell *sh, struct value *v)
{
	struct bytes *many = arena_alloc(sh->arena, (v->n + 1) * sizeof *many);

	many[0] = bytes_of(sh->arg0);
	if (v->n != 0)
		memcpy(many + 1, v->many, v->n * sizeof *many);
	v->many = many;
	v->n++;
}

static void slice_list(struct value *v, int64_t from, const struct span *s)
{
	int64_t left = (int64_t)v->n - from;

	if (from < 0 || left <= 0) {
		v->n = 0;
		return;
	}
	v->many += from;
	v->n = (size_t)(s->bounded && s->length < left ? s->length : left);
}

/* Indexed arrays count by index: elements from the first with an index >= offset. */
static void slice_array(struct shell *sh, struct value *v, int64_t index, const struct span *s)
{
	const struct array *a = v->var->array;
	struct bytes *many;
	size_t max = array_count(a);

	v->n = 0;
	if (s->bounded && (uint64_t)s->length < max)
		max = (size_t)s->length;
	many = arena_alloc(sh->arena, (max + 1) * sizeof *many);
	while (v->n < max && array_next(a, index, &index, &many[v->n])) {
		many[v->n] = arena_bytes(sh->arena, many[v->n]);
		v->n++;
		if (index == INT64_MAX)
			break;
		index++;
	}
	v->many = many;
}

static int64_t first_of_slice(const struct value *v, const struct span *s, bool indexed)
{
	if (s->offset >= 0)
		return s->offset;
	if (indexed)
		return s->offset + array_last(v->var->array) + 1;
	return s->offset + (int64_t)v->n + !v->positional;
}

static int slice(struct shell *sh, const struct param *p, struct value *v)
{
	struct span s;
	bool array = v->var != NULL && (v->var->flags & (VAR_ARRAY | VAR_ASSOC)) != 0;
	bool indexed = array && (v->var->flags & VAR_ARRAY) != 0 && v->var->array != NULL;
	int64_t from;
	int64_t last;

	/* ${x[@]:1} of a scalar takes the string apart. */
	if (v->list && !v->positional && !array && v->n != 0) {
		v->list = false;
		v->one = v->many[0];
	}
	if (read_span(sh, p, &s) != 0)
		return -1;
	if (!v->list)
		return substring(sh, p, &s, &v->one);
	if (v->positional)
		with_arg0(sh, v);
	from = first_of_slice(v, &s, indexed);
	last = indexed ? array_last(v->var->array) : (int64_t)v->n;
	if (from < 0 || from > last || (!array && !v->positional)) {
		v->n = 0;
		return 0;
	}
	if (s.bounded && s.length < 0)
		return bad_length(sh, p);
	if (indexed) {
		slice_array(sh, v, from, &s);
		return 0;
	}
	/* Associative arrays count from 1, and give one element where none is asked for. */
	if (!v->positional) {
		from -= from > 0;
		s.length += s.length == 0;
	}
	slice_list(v, from, &s);
	return 0;
}

/* --- the face --- */

static bool is_constant(const struct arith_text *a)
{
	int64_t unused;

	return a == NULL || (a->cache != NULL && arith_is_constant(a->cache, &unused));
}

/* A view of a variable must not be in use while words are expanded that may change it. */
static void secure_value(struct shell *sh, const struct param *p, struct value *v)
{
	bool pure = p->op != OP_SUBSTRING && p->op != OP_TRANSFORM &&
		    (p->arg == NULL || (p->arg->flags & WORD_LITERAL) != 0) &&
		    (p->arg2 == NULL || (p->arg2->flags & WORD_LITERAL) != 0);
	bool constant = p->op == OP_SUBSTRING && is_constant(p->offset) && is_constant(p->length);

	if (!v->list && !pure && !constant)
		v->one = arena_bytes(sh->arena, v->one);
}

/* There is nothing to operate on: bash expands no pattern, replacement or offset then. */
static bool nothing_to_do(const struct param *p, const struct value *v)
{
	if (v->list)
		return v->n == 0 && !(v->positional && p->op == OP_SUBSTRING);
	return v->one.len == 0 && p->op >= OP_PREFIX && p->op <= OP_SUFFIX_LONG;
}

int param_operate(struct expander *e, const struct param *p, bool quoted, struct value *v)
{
	(void)quoted;
	if (!v->set && !v->list)
		return p->op == OP_TRANSFORM ? param_transform(e->sh, p, v) : 0;
	v->plain = false;
	if (p->op != OP_TRANSFORM && nothing_to_do(p, v))
		return 0;
	secure_value(e->sh, p, v);
	if (p->op == OP_SUBSTRING)
		return slice(e->sh, p, v);
	if (p->op == OP_TRANSFORM)
		return param_transform(e->sh, p, v);
	return pattern_operate(e->sh, p, v);
}
