/* SPDX-License-Identifier: MIT
 *
 * expr - evaluate an expression given as arguments.
 *
 * Values are strings; arithmetic is done in 64 bits where that suffices.
 */
#include "base/number.h"
#include "base/regex.h"
#include "builtins/expr_big.h"

enum { EXPR_TRUE, EXPR_FALSE, EXPR_ERROR, DEPTH_MAX = 200 };
enum { EXPR_STACK = 512 * 1024, STACK_RESERVE = 16384 };

struct expr {
	struct cmd *c;
	char **arg;
	int n;
	int at;
	int depth;
};

static struct bytes or_level(struct expr *e, bool evaluate);

static _Noreturn void fail(struct expr *e, const char *text)
{
	cmd_error(e->c, 0, "%s", text);
	cmd_exit(e->c, EXPR_ERROR);
}

static bool next_is(struct expr *e, const char *word)
{
	if (e->at >= e->n || strcmp(e->arg[e->at], word) != 0)
		return false;
	e->at++;
	return true;
}

static void require_more(struct expr *e)
{
	if (e->at < e->n)
		return;
	cmd_error(e->c, 0, "syntax error: missing argument after %s",
		  cmd_quote(e->c, e->arg[e->at - 1]));
	cmd_exit(e->c, EXPR_ERROR);
}

/* --- values --- */

static bool is_integer(struct bytes s)
{
	size_t at = s.len > 0 && s.ptr[0] == '-';

	if (at == s.len)
		return false;
	while (at < s.len && byte_is_digit(s.ptr[at]))
		at++;
	return at == s.len;
}

static bool is_null(struct bytes s)
{
	size_t at = s.len > 0 && s.ptr[0] == '-';

	if (s.len == 0)
		return true;
	if (at == s.len)
		return false;
	while (at < s.len && s.ptr[at] == '0')
		at++;
	return at == s.len;
}

/* Saturated where it does not fit. */
static int64_t integer(struct expr *e, struct bytes s, bool *overflow)
{
	int64_t value;
	bool large = false;

	if (!is_integer(s))
		fail(e, "non-integer argument");
	number_parse_i64(s, 10, &value, &large);
	*overflow |= large;
	return value;
}

static struct bytes of_integer(struct expr *e, int64_t value)
{
	struct buf out = buf_in(e->c->arena);

	buf_put_i64(&out, value);
	return buf_bytes(&out);
}

/* --- strings --- */

static struct bytes match(struct expr *e, struct bytes text, struct bytes pattern)
{
	struct regex *re;
	const char *message;
	size_t offset;
	struct regex_span span[2];
	unsigned flags = REGEX_BRE | REGEX_ANY_REPEAT | (e->c->utf8 ? REGEX_UTF8 : 0u);

	if (regex_compile(e->c->arena, pattern, flags, &re, &message, &offset) < 0)
		fail(e, message);
	unsigned groups = regex_groups(re);

	regex_set_work(re, cmd_work, e->c);
	/* The leftmost match is at the beginning if any is. */
	int got = regex_search(re, text, 0, 0, span, 2);

	if (got < 0)
		fail(e, "error in regular expression matcher");
	bool found = got == 0 && span[0].from == 0;

	if (groups > 0)
		return found && span[1].from != SIZE_MAX
			       ? bytes_slice(text, span[1].from, span[1].to)
			       : BYTES("");
	if (!found)
		return of_integer(e, 0);
	struct bytes hit = bytes_slice(text, 0, span[0].to);

	return of_integer(e, (int64_t)(e->c->utf8 ? utf8_count(hit) : hit.len));
}

static size_t length_of(struct expr *e, struct bytes s)
{
	return e->c->utf8 ? utf8_count(s) : s.len;
}

static struct bytes index_of(struct expr *e, struct bytes text, struct bytes set)
{
	size_t n = 0;

	for (size_t at = 0; at < text.len; n++) {
		uint32_t code;
		size_t len = e->c->utf8 ? utf8_decode(text, at, &code) : 1;

		len = len != 0 ? len : 1;
		if (bytes_find(set, bytes_slice(text, at, at + len)) != NULL)
			return of_integer(e, (int64_t)n + 1);
		at += len;
	}
	return of_integer(e, 0);
}

static struct bytes substring(struct expr *e, struct bytes text, struct bytes from,
			      struct bytes count)
{
	if (!is_integer(from) || !is_integer(count))
		return BYTES("");
	bool large = false;
	int64_t first = integer(e, from, &large);
	int64_t n = integer(e, count, &large);
	size_t length = length_of(e, text);

	if (first < 1 || n < 1 || (uint64_t)first > length)
		return BYTES("");
	uint64_t last = (uint64_t)n > length ? length : (uint64_t)first - 1 + (uint64_t)n;

	if (last > length)
		last = length;
	if (!e->c->utf8)
		return bytes_slice(text, (size_t)first - 1, (size_t)last);
	return bytes_slice(text, utf8_offset(text, (size_t)first - 1),
			   utf8_offset(text, (size_t)last));
}

/* --- the grammar, loosest last --- */

static void deepen(struct expr *e)
{
	if (++e->depth > DEPTH_MAX || cmd_stack_left(e->c) < STACK_RESERVE)
		fail(e, "expression is nested too deeply");
}

static struct bytes primary(struct expr *e, bool evaluate)
{
	struct bytes value;

	require_more(e);
	if (next_is(e, "(")) {
		deepen(e);
		value = or_level(e, evaluate);
		e->depth--;
		if (e->at >= e->n) {
			cmd_error(e->c, 0, "syntax error: expecting ')' after %s",
				  cmd_quote(e->c, e->arg[e->at - 1]));
			cmd_exit(e->c, EXPR_ERROR);
		}
		if (!next_is(e, ")")) {
			cmd_error(e->c, 0, "syntax error: expecting ')' instead of %s",
				  cmd_quote(e->c, e->arg[e->at]));
			cmd_exit(e->c, EXPR_ERROR);
		}
		return value;
	}
	if (next_is(e, ")"))
		fail(e, "syntax error: unexpected ')'");
	return bytes_of(e->arg[e->at++]);
}

static struct bytes keyword(struct expr *e, bool evaluate)
{
	static const char *const words[] = { "length", "match", "index", "substr" };
	struct bytes a[3];

	if (next_is(e, "+")) {
		require_more(e);
		return bytes_of(e->arg[e->at++]);
	}
	for (int i = 0; i < 4; i++) {
		if (!next_is(e, words[i]))
			continue;
		int n = i == 0 ? 1 : i == 3 ? 3 : 2;

		deepen(e);
		for (int k = 0; k < n; k++)
			a[k] = keyword(e, evaluate);
		e->depth--;
		if (!evaluate)
			return BYTES("");
		if (i == 0)
			return of_integer(e, (int64_t)length_of(e, a[0]));
		if (i == 1)
			return match(e, a[0], a[1]);
		return i == 2 ? index_of(e, a[0], a[1]) : substring(e, a[0], a[1], a[2]);
	}
	return primary(e, evaluate);
}

static struct bytes match_level(struct expr *e, bool evaluate)
{
	struct bytes value = keyword(e, evaluate);

	while (next_is(e, ":")) {
		struct bytes pattern = keyword(e, evaluate);

		if (evaluate)
			value = match(e, value, pattern);
	}
	return value;
}

static struct bytes calculate(struct expr *e, char op, struct bytes left, struct bytes right)
{
	bool overflow = false;
	int64_t a = integer(e, left, &overflow);
	int64_t b = integer(e, right, &overflow);
	int64_t r = 0;

	if ((op == '/' || op == '%') && b == 0)
		fail(e, "division by zero");
	if (overflow)
		return expr_big(e->c, op, left, right);
	if (op == '+')
		overflow = __builtin_add_overflow(a, b, &r);
	else if (op == '-')
		overflow = __builtin_sub_overflow(a, b, &r);
	else if (op == '*')
		overflow = __builtin_mul_overflow(a, b, &r);
	else if (b == -1)
		overflow = op == '/' && __builtin_sub_overflow(0, a, &r);
	else
		r = op == '/' ? a / b : a % b;
	return overflow ? expr_big(e->c, op, left, right) : of_integer(e, r);
}

static char take_operator(struct expr *e, const char *ops)
{
	const char *word = e->at < e->n ? e->arg[e->at] : "";

	if (word[0] == '\0' || word[1] != '\0' || strchr(ops, word[0]) == NULL)
		return '\0';
	e->at++;
	return word[0];
}

static struct bytes product_level(struct expr *e, bool evaluate)
{
	struct bytes value = match_level(e, evaluate);
	char op;

	while ((op = take_operator(e, "*/%")) != '\0') {
		struct bytes right = match_level(e, evaluate);

		if (evaluate)
			value = calculate(e, op, value, right);
	}
	return value;
}

static struct bytes sum_level(struct expr *e, bool evaluate)
{
	struct bytes value = product_level(e, evaluate);
	char op;

	while ((op = take_operator(e, "+-")) != '\0') {
		struct bytes right = product_level(e, evaluate);

		if (evaluate)
			value = calculate(e, op, value, right);
	}
	return value;
}

static int order_of(struct bytes a, struct bytes b)
{
	if (!is_integer(a) || !is_integer(b))
		return bytes_cmp(a, b);
	return expr_big_order(a, b);
}

static struct bytes compare_level(struct expr *e, bool evaluate)
{
	static const char *const words[] = { "<=", "<", "==", "=", "!=", ">=", ">" };
	struct bytes value = sum_level(e, evaluate);

	for (int i = 0; i < 7; i++) {
		if (!next_is(e, words[i]))
			continue;
		int order = order_of(value, sum_level(e, evaluate));
		const bool results[] = {
			order <= 0,
			order<0, order == 0, order == 0, order != 0, order >= 0, order> 0
		};

		value = results[i] ? BYTES("1") : BYTES("0");
		i = -1;
	}
	return value;
}

static struct bytes and_level(struct expr *e, bool evaluate)
{
	struct bytes value = compare_level(e, evaluate);

	while (next_is(e, "&")) {
		bool null = is_null(value);
		struct bytes right = compare_level(e, evaluate && !null);

		if (null || is_null(right))
			value = BYTES("0");
	}
	return value;
}

static struct bytes or_level(struct expr *e, bool evaluate)
{
	struct bytes value = and_level(e, evaluate);

	while (next_is(e, "|")) {
		bool null = is_null(value);
		struct bytes right = and_level(e, evaluate && null);

		if (null)
			value = is_null(right) ? BYTES("0") : right;
	}
	return value;
}

static int evaluate_all(void *arg)
{
	struct cmd *c = arg;
	int skip = c->nargs > 0 && strcmp(c->args[0], "--") == 0;
	struct expr e = { .c = c, .arg = c->args, .n = c->nargs, .at = skip };

	if (c->nargs - skip == 0)
		return cmd_usage(c, "missing operand");
	struct bytes value = or_level(&e, true);

	if (e.at < e.n) {
		cmd_error(c, 0, "syntax error: unexpected argument %s", cmd_quote(c, e.arg[e.at]));
		return EXPR_ERROR;
	}
	cmd_bytes(c, value);
	cmd_putc(c, '\n');
	return is_null(value) ? EXPR_FALSE : EXPR_TRUE;
}

/* Each level of nesting has an argument of its own: few of them need no stack of their own. */
static int expr_run(struct cmd *c)
{
	return c->nargs > 32 ? cmd_deepen(c, EXPR_STACK, evaluate_all, c) : evaluate_all(c);
}

const struct builtin builtin_expr = {
	.name = "expr",
	.usage = "EXPRESSION",
	.summary = "Writes the value of EXPRESSION: | & < <= = != >= > + - * / % : ( )\n"
		   "match, substr, index, length.",
	.run = expr_run,
	.flags = BUILTIN_RAW_HELP,
	.usage_status = EXPR_ERROR,
	.error_status = EXPR_ERROR,
	.write_status = 3,
};
