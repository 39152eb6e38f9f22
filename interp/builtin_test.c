/* SPDX-License-Identifier: MIT
 *
 * test and [.
 *
 * Up to four arguments are decided by their number, as POSIX has it; only more are parsed as an
 * expression of -o, -a, ! and parentheses.
 */
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/file_test.h"

enum { TEST_DEPTH_MAX = 1000 };

struct test_state {
	struct shell *sh;
	const char *name;
	char **argv;
	int argc;
	int at;
	int depth;
	bool failed;
};

static bool test_fail(struct test_state *t, const char *text, const char *word)
{
	if (!t->failed)
		builtin_error(t->sh, t->name, text, word);
	t->failed = true;
	return false;
}

/* --- operators --- */

enum test_op {
	OP_NOT_BINARY,
	OP_EQUAL,
	OP_DIFFERENT,
	OP_LESS,
	OP_GREATER,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_NT,
	OP_OT,
	OP_EF,
	OP_BOTH,
	OP_EITHER,
};

static enum test_op letters_op(char a, char b)
{
	static const char names[] = "eqneltlegtgentotef";

	for (int i = 0; names[i] != '\0'; i += 2) {
		if (names[i] == a && names[i + 1] == b)
			return (enum test_op)(OP_EQ + i / 2);
	}
	return OP_NOT_BINARY;
}

static enum test_op binary_op(const char *w)
{
	if (w[0] == '-' && w[1] != '\0') {
		if (w[2] == '\0')
			return w[1] == 'a' ? OP_BOTH : w[1] == 'o' ? OP_EITHER : OP_NOT_BINARY;
		return w[3] == '\0' ? letters_op(w[1], w[2]) : OP_NOT_BINARY;
	}
	if (w[0] == '=' && (w[1] == '\0' || (w[1] == '=' && w[2] == '\0')))
		return OP_EQUAL;
	if (w[0] == '!' && w[1] == '=' && w[2] == '\0')
		return OP_DIFFERENT;
	if ((w[0] == '<' || w[0] == '>') && w[1] == '\0')
		return w[0] == '<' ? OP_LESS : OP_GREATER;
	return OP_NOT_BINARY;
}

static bool is_unary(const char *w)
{
	return w[0] == '-' && w[1] != '\0' && w[2] == '\0' && file_test_is_unary(w[1]);
}

static bool to_number(struct test_state *t, const char *w, int64_t *out)
{
	return number_is_i64(bytes_of(w), out) ||
	       test_fail(t, "%s: integer expression expected", w);
}

static bool compare_numbers(struct test_state *t, const char *a, enum test_op op, const char *b)
{
	int64_t x;
	int64_t y;

	if (!to_number(t, a, &x) || !to_number(t, b, &y))
		return false;
	switch (op) {
	case OP_EQ: return x == y;
	case OP_NE: return x != y;
	case OP_LT: return x < y;
	case OP_LE: return x <= y;
	case OP_GT: return x > y;
	default: return x >= y;
	}
}

static bool run_binary(struct test_state *t, const char *a, enum test_op op, const char *b)
{
	switch (op) {
	case OP_EQUAL: return strcmp(a, b) == 0;
	case OP_DIFFERENT: return strcmp(a, b) != 0;
	case OP_LESS: return strcmp(a, b) < 0;
	case OP_GREATER: return strcmp(a, b) > 0;
	case OP_NT:
	case OP_OT:
	case OP_EF:
		return file_test_compare(t->sh,
					 op == OP_NT   ? 'n'
					 : op == OP_OT ? 'o'
						       : 'e',
					 bytes_of(a), bytes_of(b));
	case OP_BOTH: return *a != '\0' && *b != '\0';
	case OP_EITHER: return *a != '\0' || *b != '\0';
	default: return compare_numbers(t, a, op, b);
	}
}

static bool run_unary(struct test_state *t, const char *op, const char *operand)
{
	return file_test_unary(t->sh, op[1], bytes_of(operand)) == 1;
}

/* --- by number of arguments --- */

static bool test_two(struct test_state *t, char **v)
{
	if (strcmp(v[0], "!") == 0)
		return *v[1] == '\0';
	if (is_unary(v[0]))
		return run_unary(t, v[0], v[1]);
	return test_fail(t, "%s: unary operator expected", v[0]);
}

static bool test_three(struct test_state *t, char **v)
{
	enum test_op op = binary_op(v[1]);

	if (op != OP_NOT_BINARY)
		return run_binary(t, v[0], op, v[2]);
	if (strcmp(v[0], "!") == 0)
		return !test_two(t, v + 1);
	if (strcmp(v[0], "(") == 0 && strcmp(v[2], ")") == 0)
		return *v[1] != '\0';
	return test_fail(t, "%s: binary operator expected", v[1]);
}

/* --- expressions --- */

static bool test_or(struct test_state *t);

static bool is_word(const struct test_state *t, const char *w)
{
	return t->at < t->argc && strcmp(t->argv[t->at], w) == 0;
}

struct deeper {
	struct test_state *t;
	bool yes;
};

static int or_deeper(void *arg)
{
	struct deeper *d = arg;

	d->yes = test_or(d->t);
	return 0;
}

static bool test_group(struct test_state *t)
{
	struct deeper inner = { .t = t };
	bool yes;

	t->at++;
	proc_deepen(t->sh->p, EXEC_STACK_BYTES, or_deeper, &inner);
	yes = inner.yes;

	if (t->failed)
		return false;
	if (t->at >= t->argc)
		return test_fail(
			t, strcmp(t->name, "[") == 0 ? "`)' expected, found ]" : "`)' expected",
			NULL);
	if (!is_word(t, ")"))
		return test_fail(t, "`)' expected, found %s", t->argv[t->at]);
	t->at++;
	return yes;
}

static bool test_term(struct test_state *t)
{
	bool negate = false;
	int64_t fd;
	bool yes;

	for (; is_word(t, "!"); t->at++)
		negate = !negate;
	if (t->at >= t->argc)
		return test_fail(t, "argument expected", NULL);
	char **v = t->argv + t->at;
	int left = t->argc - t->at;

	if (strcmp(v[0], "(") == 0) {
		yes = test_group(t);
	} else if (left >= 3 && binary_op(v[1]) != OP_NOT_BINARY && binary_op(v[1]) < OP_BOTH) {
		yes = run_binary(t, v[0], binary_op(v[1]), v[2]);
		t->at += 3;
	} else if (left >= 2 && strcmp(v[0], "-t") == 0 && !number_argument(v[1], &fd)) {
		yes = run_unary(t, "-t", "1"); /* the descriptor may be left out */
		t->at++;
	} else if (left >= 2 && is_unary(v[0])) {
		yes = run_unary(t, v[0], v[1]);
		t->at += 2;
	} else {
		yes = *v[0] != '\0';
		t->at++;
	}
	return yes != negate;
}

static bool test_and(struct test_state *t)
{
	bool yes = test_term(t);

	while (!t->failed && is_word(t, "-a")) {
		t->at++;
		yes = test_term(t) && yes;
	}
	return yes;
}

static bool test_or(struct test_state *t)
{
	if (++t->depth > TEST_DEPTH_MAX)
		return test_fail(t, "too many arguments", NULL);
	bool yes = test_and(t);

	while (!t->failed && is_word(t, "-o")) {
		t->at++;
		yes = test_and(t) || yes;
	}
	t->depth--;
	return yes;
}

static bool test_expression(struct test_state *t)
{
	bool yes = test_or(t);

	if (t->failed || t->at == t->argc)
		return yes;
	if (t->argv[t->at][0] == '-')
		return test_fail(t, "syntax error: `%s' unexpected", t->argv[t->at]);
	return test_fail(t, "too many arguments", NULL);
}

static bool test_four(struct test_state *t)
{
	if (is_word(t, "!"))
		return !test_three(t, t->argv + 1);
	if (is_word(t, "(") && strcmp(t->argv[3], ")") == 0)
		return test_two(t, t->argv + 1);
	return test_expression(t);
}

int test_evaluate(struct shell *sh, const char *name, int argc, char **argv)
{
	struct test_state t = { .sh = sh, .name = name, .argv = argv, .argc = argc };
	bool yes;

	switch (argc) {
	case 0: return 1;
	case 1: return *argv[0] == '\0';
	case 2: yes = test_two(&t, argv); break;
	case 3: yes = test_three(&t, argv); break;
	case 4: yes = test_four(&t); break;
	default: yes = test_expression(&t);
	}
	return t.failed ? STATUS_MISUSE : !yes;
}

int do_test(struct shell *sh, int argc, char **argv)
{
	return test_evaluate(sh, argv[0], argc - 1, argv + 1);
}

int do_bracket(struct shell *sh, int argc, char **argv)
{
	if (strcmp(argv[argc - 1], "]") != 0 || argc < 2) {
		builtin_error(sh, "[", "missing `]'");
		return STATUS_MISUSE;
	}
	return test_evaluate(sh, "[", argc - 2, argv + 1);
}
