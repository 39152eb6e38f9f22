/* SPDX-License-Identifier: MIT
 *
 * [[ ]]: conditions, patterns, regular expressions, numbers.
 */
#include "base/regex.h"
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/file_test.h"

/* Results: 1 true, 0 false, below that an error that was reported. */
enum { COND_ERROR = -1, COND_BAD = -2 /* status 2 */ };

/* --- tracing --- */

static void put_operand(struct buf *out, struct bytes s)
{
	buf_add(out, s.len != 0 ? s : BYTES("''"));
}

static void trace_unary(struct shell *sh, const char *op, struct bytes a, bool negated)
{
	struct buf text = buf_in(sh->arena);

	buf_puts(&text, negated ? "[[ ! " : "[[ ");
	buf_puts(&text, op);
	buf_putc(&text, ' ');
	put_operand(&text, a);
	buf_puts(&text, " ]]");
	xtrace_text(sh, buf_bytes(&text));
}

static void trace_binary(struct shell *sh, const char *op, struct bytes a, struct bytes b,
			 bool negated)
{
	struct buf text = buf_in(sh->arena);

	buf_puts(&text, negated ? "[[ ! " : "[[ ");
	put_operand(&text, a);
	buf_printf(&text, " %s ", op);
	put_operand(&text, b);
	buf_puts(&text, " ]]");
	xtrace_text(sh, buf_bytes(&text));
}

/* --- regular expressions --- */

enum { REGEX_KEPT_MAX = 8, REGEX_KEPT_BYTES = 4096 };

/* In cond.cache_regex: the last pattern compiled in the tree's arena. */
struct kept_regex {
	struct bytes pattern;
	unsigned flags;
	int compiled; /* patterns kept so far */
	bool busy;    /* a process is in the middle of a search; stays if it was ended there */
	struct regex *re;
};

static struct regex *compile_in(struct shell *sh, struct arena *arena, struct bytes pattern,
				unsigned flags)
{
	struct regex *re;
	const char *message;
	size_t offset;

	if (regex_compile(arena, pattern, flags, &re, &message, &offset) != 0)
		return NULL;
	(void)sh;
	return re;
}

static struct regex *compile_regex(struct shell *sh, struct cond *c, struct bytes pattern)
{
	unsigned flags = REGEX_ERE | (sh->utf8 ? (unsigned)REGEX_UTF8 : 0) |
			 (opt_shopt(sh, SHOPT_nocasematch) ? (unsigned)REGEX_ICASE : 0);
	struct kept_regex *k = c->cache_regex;
	struct ast *ast = current_ast(sh);

	if (k != NULL && !k->busy && k->flags == flags && k->re != NULL &&
	    bytes_eq(k->pattern, pattern))
		return k->re;
	/* What belongs to a tree is not charged for. */
	if (ast == NULL || pattern.len > REGEX_KEPT_BYTES ||
	    (k != NULL && (k->busy || k->compiled >= REGEX_KEPT_MAX)))
		return compile_in(sh, sh->arena, pattern, flags);
	if (k == NULL)
		k = arena_zalloc(&ast->arena, sizeof(*k));
	c->cache_regex = k;
	k->compiled++;
	k->re = NULL;
	k->pattern = arena_bytes(&ast->arena, pattern);
	k->flags = flags;
	k->re = compile_in(sh, &ast->arena, k->pattern, flags);
	return k->re;
}

/* BASH_REMATCH: the groups, or nothing. */
static void set_rematch(struct shell *sh, struct bytes text, const struct regex_span *span,
			size_t n)
{
	struct bytes name = BYTES("BASH_REMATCH");
	struct var *v = var_ensure(sh, name, bytes_hash(name));

	if (v == NULL || var_make_array(sh, v, false) != 0)
		return;
	var_clear_array(sh, v);
	for (size_t i = 0; i < n; i++) {
		struct bytes group = { "", 0 };

		if (span[i].from != SIZE_MAX)
			group = bytes_slice(text, span[i].from, span[i].to);
		var_assign_at(sh, v, (int64_t)i, group, 0);
	}
}

/* The tree may be shared: who runs is not who began. */
static void charge_work(void *arg, uint64_t work)
{
	proc_charge(kernel_current(arg), work);
}

static int match_regex(struct shell *sh, struct cond *c, struct bytes text, struct bytes pattern)
{
	struct regex *re = compile_regex(sh, c, pattern);
	struct kept_regex *k = c->cache_regex;
	struct kept_regex *kept = k != NULL && k->re == re ? k : NULL;
	struct regex_span *spans;
	size_t n;
	int got;

	if (re == NULL)
		return COND_BAD;
	regex_set_work(re, charge_work, sh->p->k);
	n = regex_groups(re) + 1;
	spans = arena_alloc(sh->arena, n * sizeof(*spans));
	if (kept != NULL)
		kept->busy = true;
	got = regex_search(re, text, 0, 0, spans, n);
	if (kept != NULL)
		kept->busy = false;
	set_rematch(sh, text, spans, got == 0 ? n : 0);
	return got == 0;
}

/* --- operators --- */

static int compare_numbers(struct shell *sh, const char *op, struct bytes a, struct bytes b)
{
	const char *outer = sh->command_name;
	int64_t x;
	int64_t y;
	bool failed;

	sh->command_name = "[[";
	failed = eval_arith(sh, a, &x) != 0 || eval_arith(sh, b, &y) != 0;
	sh->command_name = outer;
	if (failed) {
		/* Unlike other errors this is only a comparison that is false. */
		if (sh->flow == FLOW_ABORT && !sh->abort_firm)
			sh->flow = FLOW_NONE;
		return sh->flow != FLOW_NONE ? COND_ERROR : 0;
	}
	switch (op[1] << 8 | op[2]) {
	case 'e' << 8 | 'q': return x == y;
	case 'n' << 8 | 'e': return x != y;
	case 'l' << 8 | 't': return x < y;
	case 'l' << 8 | 'e': return x <= y;
	case 'g' << 8 | 't': return x > y;
	default: return x >= y;
	}
}

static int eval_regex(struct shell *sh, struct cond *c, struct bytes a, bool negated)
{
	struct bytes pattern;

	/* Up to bash 3.1 quotes made no difference. */
	bool bare = opt_compat(sh, SHOPT_compat31);

	if ((bare ? expand_string : expand_regex)(sh, c->b, &pattern) != 0)
		return COND_ERROR;
	if (opt_set(sh, SET_XTRACE))
		trace_binary(sh, "=~", a, pattern, negated);
	return match_regex(sh, c, a, pattern);
}

static int eval_pattern(struct shell *sh, struct cond *c, struct bytes a, bool negated)
{
	int got;

	if (opt_set(sh, SET_XTRACE)) {
		struct bytes pattern;

		if (expand_shown(sh, c->b, &pattern) != 0)
			return COND_ERROR;
		trace_binary(sh, c->op, a, pattern, negated);
	}
	got = pattern_matches(sh, c->b, a, true);
	return got < 0 ? COND_ERROR : got == (c->op[0] != '!');
}

static bool is_file_op(const char *op)
{
	return strcmp(op, "-nt") == 0 || strcmp(op, "-ot") == 0 || strcmp(op, "-ef") == 0;
}

static int eval_binary(struct shell *sh, struct cond *c, bool negated)
{
	int (*expand)(struct shell *, const struct word *, struct bytes *) = expand_string;
	struct bytes a;
	struct bytes b;

	if (c->op[0] == '-' && !is_file_op(c->op))
		expand = expand_operand;
	if (expand(sh, c->a, &a) != 0)
		return COND_ERROR;
	a = (c->a->flags & WORD_LITERAL) != 0 ? a : arena_bytes(sh->arena, a);
	if (strcmp(c->op, "=~") == 0)
		return eval_regex(sh, c, a, negated);
	if (c->op[0] == '=' || c->op[0] == '!')
		return eval_pattern(sh, c, a, negated);
	if (expand(sh, c->b, &b) != 0)
		return COND_ERROR;
	b = (c->b->flags & WORD_LITERAL) != 0 ? b : arena_bytes(sh->arena, b);
	if (opt_set(sh, SET_XTRACE))
		trace_binary(sh, c->op, a, b, negated);
	if (c->op[0] == '<')
		return bytes_cmp(a, b) < 0;
	if (c->op[0] == '>')
		return bytes_cmp(a, b) > 0;
	if (is_file_op(c->op))
		return file_test_compare(sh, c->op[1], a, b);
	return compare_numbers(sh, c->op, a, b);
}

static int eval_unary(struct shell *sh, struct cond *c, bool negated)
{
	struct bytes a;
	const char *op = c->kind == COND_WORD ? "-n" : c->op;

	if ((strcmp(op, "-v") == 0 ? expand_operand : expand_string)(sh, c->a, &a) != 0)
		return COND_ERROR;
	if (opt_set(sh, SET_XTRACE))
		trace_unary(sh, op, a, negated);
	if (op[1] == 'n')
		return a.len != 0;
	if (op[1] == 'z')
		return a.len == 0;
	a = arena_bytes(sh->arena, a);
	return op[1] == 'v' ? file_test_variable(sh, a, false) : file_test_unary(sh, op[1], a);
}

static int eval_cond(struct shell *sh, struct cond *c, bool negated);

static int eval_logic(struct shell *sh, struct cond *c, bool negated)
{
	bool is_and = c->kind == COND_AND;
	int left = eval_cond(sh, c->left, negated);

	if (left == COND_ERROR || (left == 1) != is_and)
		return left;
	return eval_cond(sh, c->right, negated);
}

struct deeper {
	struct shell *sh;
	struct cond *c;
	bool negated;
};

static int eval_deeper(void *arg)
{
	struct deeper *d = arg;

	return eval_cond(d->sh, d->c, d->negated);
}

/* negated: only for tracing, where "!" is shown with what it negates. */
static int eval_cond(struct shell *sh, struct cond *c, bool negated)
{
	int got;

	if (proc_stack_left(sh->p) < EXEC_STACK_BYTES) {
		struct deeper d = { sh, c, negated };

		return proc_deepen(sh->p, EXEC_STACK_BYTES, eval_deeper, &d);
	}
	switch (c->kind) {
	case COND_AND:
	case COND_OR: return eval_logic(sh, c, negated);
	case COND_GROUP: return eval_cond(sh, c->left, false);
	case COND_NOT:
		if (c->left->kind == COND_NOT) /* keeps what is worse than false */
			return eval_cond(sh, c->left->left, negated);
		got = eval_cond(sh, c->left, !negated);
		return got == COND_ERROR ? got : got != 1;
	case COND_BINARY: return eval_binary(sh, c, negated);
	case COND_UNARY:
	case COND_WORD: return eval_unary(sh, c, negated);
	}
	return COND_ERROR;
}

int exec_cond(struct shell *sh, const struct cond_node *n)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct procsub *subs = sh->procsubs;
	const char *outer = sh->command_name;
	bool inverted = exec_inverted(sh);
	int got;
	int status;

	shell_at(sh, n->node.line);
	proc_charge(sh->p, 1);
	if (exec_debug(sh, &n->node))
		return sh->status;
	sh->command_name = NULL;
	got = eval_cond(sh, n->cond, false);
	sh->command_name = outer;
	if (sh->procsubs != subs)
		procsub_close(sh, subs);
	arena_release(sh->arena, mark);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	status = got == COND_BAD ? STATUS_USAGE : got != 1;
	set_pipestatus(sh, &status, 1);
	return inverted ? (sh->status = status) : exec_check(sh, status);
}
