/* SPDX-License-Identifier: MIT
 *
 * test, [ - evaluate a condition.
 *
 * With up to four arguments their number decides, as POSIX says; with more a recursive descent
 * over -o, -a, ! and parentheses does.
 */
#include "builtins/builtin.h"

enum { TEST_TRUE, TEST_FALSE, TEST_ERROR, DEPTH_MAX = 200 };

struct test {
	struct cmd *c;
	char **arg;
	int n;
	int at;
	int depth;
};

static int or_expression(struct test *t);

static void fail(struct test *t, const char *format, const char *arg)
{
	struct buf text = buf_in(t->c->arena);

	if (arg != NULL)
		buf_printf(&text, format, cmd_quote(t->c, arg));
	else
		buf_puts(&text, format);
	cmd_error(t->c, 0, "%s", buf_cstr(&text));
	cmd_exit(t->c, TEST_ERROR);
}

static void missing_after(struct test *t)
{
	fail(t, "missing argument after %s", t->arg[t->n - 1]);
}

/* --- operands --- */

/* A decimal number of any length: sign and digits without leading zeros. */
struct number {
	bool negative;
	struct bytes digits;
};

static struct number parse_number(struct test *t, const char *text)
{
	struct number n = { .negative = false };
	const char *at = text;

	while (byte_is_blank(*at))
		at++;
	n.negative = *at == '-';
	at += *at == '-' || *at == '+';
	size_t len = strspn(at, "0123456789");
	const char *end = at + len;

	while (byte_is_blank(*end))
		end++;
	if (len == 0 || *end != '\0')
		fail(t, "invalid integer %s", text);
	while (len > 0 && *at == '0') {
		at++;
		len--;
	}
	n.digits = (struct bytes){ at, len };
	n.negative &= len > 0;
	return n;
}

static int compare_numbers(const struct number *a, const struct number *b)
{
	int order = 0;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (a->digits.len != b->digits.len)
		order = a->digits.len < b->digits.len ? -1 : 1;
	else
		order = memcmp(a->digits.ptr, b->digits.ptr, a->digits.len);
	return a->negative ? -order : order;
}

static bool file_time(struct cmd *c, const char *path, int64_t *out)
{
	struct vfs_stat st;

	if (cmd_stat(c, path, &st) != 0)
		return false;
	*out = st.mtime_ns;
	return true;
}

static bool newer(struct cmd *c, const char *a, const char *b)
{
	int64_t ta;
	int64_t tb;

	if (!file_time(c, a, &ta))
		return false;
	return !file_time(c, b, &tb) || ta > tb;
}

static bool same_file(struct cmd *c, const char *a, const char *b)
{
	struct vfs_stat sa;
	struct vfs_stat sb;

	return cmd_stat(c, a, &sa) == 0 && cmd_stat(c, b, &sb) == 0 && sa.ino == sb.ino &&
	       sa.dev == sb.dev;
}

/* --- unary --- */

static bool stat_test(struct cmd *c, char op, const char *path)
{
	struct vfs_stat st;
	int err = op == 'h' || op == 'L' ? cmd_lstat(c, path, &st) : cmd_stat(c, path, &st);
	uint32_t type = st.mode & S_FMT;

	if (err != 0)
		return false;
	switch (op) {
	case 'b': return type == S_BLK;
	case 'c': return type == S_CHR;
	case 'd': return type == S_DIR;
	case 'f': return type == S_REG;
	case 'g': return (st.mode & S_SGID) != 0;
	case 'h':
	case 'L': return type == S_LNK;
	case 'k': return (st.mode & S_SVTX) != 0;
	case 'N': return st.mtime_ns > st.atime_ns;
	case 'O': return st.uid == cmd_uid(c);
	case 'G': return st.gid == cmd_gid(c);
	case 'p': return type == S_FIFO;
	case 's': return st.size > 0;
	case 'S': return type == S_SOCK;
	case 'u': return (st.mode & S_SUID) != 0;
	default: return true;
	}
}

static bool is_unary(const char *arg)
{
	return arg[0] == '-' && arg[1] != '\0' && arg[2] == '\0' &&
	       strchr("bcdefghkLnNOGprsStuwxz", arg[1]) != NULL;
}

static bool is_terminal(struct test *t, const char *arg)
{
	struct number n = parse_number(t, arg);
	int fd = 0;

	if (n.negative || n.digits.len > 9)
		return false;
	for (size_t i = 0; i < n.digits.len; i++)
		fd = fd * 10 + n.digits.ptr[i] - '0';
	return cmd_isatty(t->c, fd);
}

static bool unary(struct test *t, char op, const char *arg)
{
	switch (op) {
	case 'n': return arg[0] != '\0';
	case 'z': return arg[0] == '\0';
	case 't': return is_terminal(t, arg);
	case 'r': return cmd_access(t->c, CMD_CWD, arg, 4) == 0;
	case 'w': return cmd_access(t->c, CMD_CWD, arg, 2) == 0;
	case 'x': return cmd_access(t->c, CMD_CWD, arg, 1) == 0;
	default: return stat_test(t->c, op, arg);
	}
}

/* --- binary --- */

static const char *const binary_words[] = {
	"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", NULL,
};

static int binary_index(const char *arg)
{
	for (int i = 0; binary_words[i] != NULL; i++)
		if (strcmp(binary_words[i], arg) == 0)
			return i;
	return -1;
}

static bool is_binary(const char *arg)
{
	return binary_index(arg) >= 0;
}

/* An operand of a number comparison: "-l STRING" is a length. */
static struct number number_operand(struct test *t, const char *arg, bool is_length)
{
	struct buf text = buf_in(t->c->arena);

	if (!is_length)
		return parse_number(t, arg);
	buf_put_u64(&text, strlen(arg));
	return parse_number(t, buf_cstr(&text));
}

static bool compare_as(int op, int order)
{
	switch (op) {
	case 3: return order == 0;
	case 4: return order != 0;
	case 5: return order < 0;
	case 6: return order <= 0;
	case 7: return order > 0;
	default: return order >= 0;
	}
}

/* The binary expression at t->at; its operator is at t->at + 1, or + 2 behind a "-l". */
static bool binary(struct test *t)
{
	bool left_length = strcmp(t->arg[t->at], "-l") == 0 && t->at + 3 < t->n &&
			   is_binary(t->arg[t->at + 2]);

	t->at += left_length;
	const char *a = t->arg[t->at];
	int op = binary_index(t->arg[t->at + 1]);
	bool right_length = op >= 3 && op <= 8 && t->at + 3 < t->n &&
			    strcmp(t->arg[t->at + 2], "-l") == 0;
	const char *b = t->arg[t->at + 2 + right_length];

	t->at += 3 + right_length;
	if (op <= 1)
		return strcmp(a, b) == 0;
	if (op == 2)
		return strcmp(a, b) != 0;
	if (op == 9)
		return newer(t->c, a, b);
	if (op == 10)
		return newer(t->c, b, a);
	if (op == 11)
		return same_file(t->c, a, b);
	struct number x = number_operand(t, a, left_length);
	struct number y = number_operand(t, b, right_length);

	return compare_as(op, compare_numbers(&x, &y));
}

/* --- by the number of arguments --- */

static bool one(struct test *t)
{
	return t->arg[t->at++][0] != '\0';
}

static bool two(struct test *t)
{
	const char *a = t->arg[t->at];

	if (strcmp(a, "!") == 0) {
		t->at++;
		return !one(t);
	}
	if (a[0] == '-' && a[1] != '\0' && a[2] == '\0') {
		if (!is_unary(a))
			fail(t, "%s: unary operator expected", a);
		t->at += 2;
		return unary(t, a[1], t->arg[t->at - 1]);
	}
	missing_after(t);
	return false;
}

static bool three(struct test *t)
{
	const char *middle = t->arg[t->at + 1];

	if (is_binary(middle))
		return binary(t);
	if (strcmp(t->arg[t->at], "!") == 0) {
		t->at++;
		return !two(t);
	}
	if (strcmp(t->arg[t->at], "(") == 0 && strcmp(t->arg[t->at + 2], ")") == 0) {
		t->at++;
		bool value = one(t);

		t->at++;
		return value;
	}
	if (strcmp(middle, "-a") == 0 || strcmp(middle, "-o") == 0 || strcmp(middle, ">") == 0 ||
	    strcmp(middle, "<") == 0) {
		if (middle[0] == '-')
			return or_expression(t);
	}
	fail(t, "%s: binary operator expected", middle);
	return false;
}

/* --- the grammar --- */

static bool term(struct test *t);

static bool parenthesis(struct test *t)
{
	int n = 1;

	t->at++;
	if (t->at >= t->n)
		missing_after(t);
	/* Few enough arguments in front of the ')': their number decides again. */
	while (t->at + n < t->n && strcmp(t->arg[t->at + n], ")") != 0 && n < 5)
		n++;
	bool value;

	if (n == 1 && t->at + 1 < t->n)
		value = one(t);
	else
		value = or_expression(t) != 0;
	if (t->at >= t->n)
		fail(t, "%s expected", ")");
	if (strcmp(t->arg[t->at], ")") != 0) {
		cmd_error(t->c, 0, "%s expected, found %s", cmd_quote(t->c, ")"),
			  cmd_quote(t->c, t->arg[t->at]));
		cmd_exit(t->c, TEST_ERROR);
	}
	t->at++;
	return value;
}

static bool term(struct test *t)
{
	bool negated = false;
	bool value;

	while (t->at < t->n && strcmp(t->arg[t->at], "!") == 0) {
		t->at++;
		negated = !negated;
	}
	if (t->at >= t->n)
		missing_after(t);
	if (++t->depth > DEPTH_MAX)
		fail(t, "expression is nested too deeply", NULL);
	const char *a = t->arg[t->at];
	int left = t->n - t->at;

	if (strcmp(a, "(") == 0)
		value = parenthesis(t);
	else if (left >= 4 && strcmp(a, "-l") == 0 && is_binary(t->arg[t->at + 2]))
		value = binary(t);
	else if (left >= 3 && is_binary(t->arg[t->at + 1]))
		value = binary(t);
	else if (left == 2 && is_binary(t->arg[t->at + 1]))
		missing_after(t), value = false;
	else if (a[0] == '-' && a[1] != '\0' && a[2] == '\0' && left >= 2)
		value = two(t);
	else
		value = one(t);
	t->depth--;
	return value != negated;
}

static bool and_expression(struct test *t)
{
	bool value = term(t);

	while (t->at < t->n && strcmp(t->arg[t->at], "-a") == 0) {
		t->at++;
		value = term(t) && value;
	}
	return value;
}

static int or_expression(struct test *t)
{
	bool value = and_expression(t);

	while (t->at < t->n && strcmp(t->arg[t->at], "-o") == 0) {
		t->at++;
		value = and_expression(t) || value;
	}
	return value;
}

static bool evaluate(struct test *t, int n)
{
	switch (n) {
	case 1: return one(t);
	case 2: return two(t);
	case 3: return three(t);
	case 4:
		if (strcmp(t->arg[t->at], "!") == 0) {
			t->at++;
			return !three(t);
		}
		if (strcmp(t->arg[t->at], "(") == 0 && strcmp(t->arg[t->at + 3], ")") == 0) {
			t->at++;
			bool value = two(t);

			t->at++;
			return value;
		}
		break;
	default: break;
	}
	return or_expression(t) != 0;
}

static int run(struct cmd *c, int n)
{
	struct test t = { .c = c, .arg = c->args, .n = n };

	if (n == 0)
		return TEST_FALSE;
	bool value = evaluate(&t, n);

	if (t.at < n)
		fail(&t, "extra argument %s", t.arg[t.at]);
	return value ? TEST_TRUE : TEST_FALSE;
}

static int test_run(struct cmd *c)
{
	return run(c, c->nargs);
}

static int bracket_run(struct cmd *c)
{
	if (c->nargs == 0 || strcmp(c->args[c->nargs - 1], "]") != 0) {
		cmd_error(c, 0, "missing %s", cmd_quote(c, "]"));
		return TEST_ERROR;
	}
	return run(c, c->nargs - 1);
}

const struct builtin builtin_test = {
	.name = "test",
	.usage = "EXPRESSION",
	.summary = "Succeeds if EXPRESSION is true.",
	.run = test_run,
	.flags = BUILTIN_RAW,
	.error_status = TEST_ERROR,
};

const struct builtin builtin_bracket = {
	.name = "[",
	.usage = "EXPRESSION ]",
	.summary = "Succeeds if EXPRESSION is true.",
	.run = bracket_run,
	.flags = BUILTIN_RAW_HELP,
	.error_status = TEST_ERROR,
};
