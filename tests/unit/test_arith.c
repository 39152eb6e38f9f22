/* SPDX-License-Identifier: MIT
 *
 * interp/arith.h: values, errors as bash words them, variables, parameters as operands.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "interp/arith.h"
#include "tests/unit/check.h"

static struct store store;
static struct heap heap = { .store = &store };
static struct arena arena;

static void start(void)
{
	size_t bytes = (size_t)64 << 20;

	if (arena.heap != NULL)
		return;
	store_init(&store, malloc(bytes), bytes, NULL, NULL);
	arena_init(&arena, &heap, (struct arena_fail){ 0 });
}

/* x is 5, y names x, z names itself, a holds 1 2 3, m[k] is 7; others are unset. */
struct world {
	int64_t x;
	int64_t a[3];
	int sets;
};

static enum arith_kind kind(void *user, struct arith_name *name)
{
	(void)user;
	return bytes_is(name->name, "m") ? ARITH_KEY : ARITH_INDEX;
}

static int get(void *user, const struct arith_place *at, int64_t *value, struct bytes *text)
{
	struct world *w = user;

	*text = BYTES("");
	if (bytes_is(at->name->name, "x")) {
		*value = w->x;
		return 1;
	}
	if (bytes_is(at->name->name, "a")) {
		*value = at->kind == ARITH_INDEX && at->index < 3 ? w->a[at->index] : w->a[0];
		return 1;
	}
	if (bytes_is(at->name->name, "y"))
		*text = BYTES("x+1");
	if (bytes_is(at->name->name, "z"))
		*text = BYTES("z");
	if (bytes_is(at->name->name, "bad"))
		return -7;
	if (at->kind == ARITH_KEY && bytes_is(at->key, "k"))
		*text = BYTES("7");
	return 0;
}

static int set(void *user, const struct arith_place *at, int64_t value)
{
	struct world *w = user;

	w->sets++;
	if (bytes_is(at->name->name, "x"))
		w->x = value;
	if (bytes_is(at->name->name, "a") && at->index < 3)
		w->a[at->index] = value;
	return 0;
}

/* The value or the error as text. */
static const char *run_in(struct world *w, const char *text)
{
	struct arith_env env = { .user = w, .arena = &arena, .kind = kind, .get = get, .set = set };
	struct buf b = buf_in(&arena);
	int64_t value = 0;
	int rc;

	start();
	rc = arith_eval(arith_compile(&arena, bytes_of(text), false), &env, &value);
	if (rc == 0)
		buf_put_i64(&b, value);
	else if (rc == ARITH_ERROR)
		buf_add(&b, env.error);
	else
		buf_printf(&b, "code %d", rc);
	return buf_cstr(&b);
}

static const char *run(const char *text)
{
	struct world w = { .x = 5, .a = { 1, 2, 3 } };

	return run_in(&w, text);
}

TEST(operators)
{
	CHECK_STR(run("1 + 2 * 3"), "7");
	CHECK_STR(run("2 ** 3 ** 2"), "512");
	CHECK_STR(run("-2 ** 2"), "4");
	CHECK_STR(run("7 & 3 ^ 1 | 8"), "10");
	CHECK_STR(run("1 << 65"), "2");
	CHECK_STR(run("-8 >> 1"), "-4");
	CHECK_STR(run("-7 / 2"), "-3");
	CHECK_STR(run("1 ? 2 : 3 ? 4 : 5"), "2");
	CHECK_STR(run("(1, 2), 3"), "3");
	CHECK_STR(run("!x + ~0"), "-1");
	CHECK_STR(run(""), "0");
}

TEST(numbers)
{
	CHECK_STR(run("0x1f"), "31");
	CHECK_STR(run("077"), "63");
	CHECK_STR(run("64#@_"), "4031");
	CHECK_STR(run("36#Z"), "35");
	CHECK_STR(run("9223372036854775808"), "-9223372036854775808");
	CHECK_STR(run("9223372036854775807 + 1"), "-9223372036854775808");
	CHECK_STR(run("-9223372036854775808 / -1"), "-9223372036854775808");
	CHECK_STR(run("-9223372036854775808 % -1"), "0");
	CHECK_STR(run("1 + 08 + 2"), "1 + 08: value too great for base (error token is \"08\")");
	CHECK_STR(run("65#1"), "65#1: invalid arithmetic base (error token is \"65#1\")");
	CHECK_STR(run("10#"), "10#: invalid integer constant (error token is \"10#\")");
	CHECK_STR(run("0#1"), "0#1: invalid number (error token is \"0#1\")");
}

TEST(variables)
{
	struct world w = { .x = 5, .a = { 1, 2, 3 } };

	CHECK_STR(run("y * 2"), "12");
	CHECK_STR(run("z"), "z: expression recursion level exceeded (error token is \"z\")");
	CHECK_STR(run("m[k] + m[no such]"), "7");
	CHECK_STR(run("a[a[0]] + a[x - 3]"), "5");
	CHECK_STR(run("bad"), "code -7");
	CHECK_STR(run_in(&w, "x++ + ++x"), "12");
	CHECK_STR(run_in(&w, "a[x - 6] += 10"), "12");
	CHECK_EQ(w.a[1], 12);
	CHECK_STR(run_in(&w, "x = a[0] = 9"), "9");
	CHECK_EQ(w.a[0], 9);
}

TEST(order)
{
	struct world w = { .x = 0 };

	CHECK_STR(run_in(&w, "0 && x++, 1 || x++, 0 && 1/0"), "0");
	CHECK_EQ(w.sets, 0);
	run_in(&w, "x++ + ");
	CHECK_EQ(w.x, 1);
	run_in(&w, "x++ + 08");
	CHECK_EQ(w.x, 2);
	CHECK_STR(run_in(&w, "a[x++] = x"), "2");
}

TEST(errors)
{
	CHECK_STR(run("1/0+5"), "1/0+5: division by 0 (error token is \"0+5\")");
	CHECK_STR(run("2 ** -1"), "2 ** -1: exponent less than 0 (error token is \"1\")");
	CHECK_STR(run("1 + "), "1 + : syntax error: operand expected (error token is \"+ \")");
	CHECK_STR(run("1 1"), "1 1: syntax error in expression (error token is \"1\")");
	CHECK_STR(run("1.5"),
		  "1.5: syntax error: invalid arithmetic operator (error token is \".5\")");
	CHECK_STR(run("(1"), "(1: missing `)' (error token is \"1\")");
	CHECK_STR(run("1 ? 2"),
		  "1 ? 2: `:' expected for conditional expression (error token is \"2\")");
	CHECK_STR(run("1 ? : 2"), "1 ? : 2: expression expected (error token is \": 2\")");
	CHECK_STR(run("3 = 4"),
		  "3 = 4: attempted assignment to non-variable (error token is \"= 4\")");
	CHECK_STR(run("++x++"), "++x++: ++: assignment requires lvalue (error token is \"++\")");
	CHECK_STR(run("a[1"), "a[1: bad array subscript (error token is \"a[1\")");
	CHECK_STR(run("0 && (2 3)"), "0 && (2 3): missing `)' (error token is \"3)\")");
}

TEST(deep)
{
	struct buf b;

	start();
	b = buf_in(&arena);
	buf_fill(&b, '(', 100000);
	buf_putc(&b, '1');
	buf_fill(&b, ')', 100000);
	CHECK_STR(run(buf_cstr(&b)), "1");
}

TEST(plain)
{
	int64_t n = 1;

	CHECK(arith_plain_number(BYTES("0"), &n) && n == 0);
	CHECK(arith_plain_number(BYTES("-12"), &n) && n == -12);
	CHECK(!arith_plain_number(BYTES("012"), &n));
	CHECK(!arith_plain_number(BYTES("-0"), &n));
	CHECK(!arith_plain_number(BYTES("-"), &n));
	CHECK(!arith_plain_number(BYTES(""), &n));
	CHECK(!arith_plain_number(BYTES("9223372036854775808"), &n));
}

int main(void)
{
	RUN(operators);
	RUN(numbers);
	RUN(variables);
	RUN(order);
	RUN(errors);
	RUN(deep);
	RUN(plain);
	return check_end();
}
