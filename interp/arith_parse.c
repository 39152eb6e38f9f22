/* SPDX-License-Identifier: MIT
 *
 * Arithmetic to instructions: an operator-precedence parser with its own stack.
 *
 * Errors follow bash in text and in time. What was read before an error is executed before it
 * is reported; jumps that are still open when it is found lead to it, since bash reports a
 * syntax error also in a branch that is not taken.
 */
#include "interp/arith_compiler.h"

/* --- output --- */

struct arith_ins *arith_emit(struct arith_compiler *c, enum arith_op op, uint32_t where)
{
	struct arith *out = c->out;
	struct arith_ins *ins;

	if (out->length == c->code_cap) {
		uint32_t cap = c->code_cap * 2;

		out->code = arena_grow(c->arena, out->code, c->code_cap * sizeof *out->code,
				       cap * sizeof *out->code);
		c->code_cap = cap;
	}
	ins = &out->code[out->length++];
	*ins = (struct arith_ins){ .op = (uint8_t)op, .where = where };
	return ins;
}

static void pushes(struct arith_compiler *c, uint32_t n)
{
	c->depth += n;
	if (c->depth > c->out->stack_max)
		c->out->stack_max = c->depth;
}

static void emit_ref(struct arith_compiler *c, enum arith_op op, struct arith_ref *ref)
{
	arith_emit(c, op, c->start)->ref = ref;
}

/* Ends the code with an error; open jumps lead to it. */
void arith_fail(struct arith_compiler *c, const char *message, uint32_t where)
{
	if (c->failed)
		return;
	for (uint32_t i = 0; i < c->npend; i++) {
		enum arith_pending_kind kind = c->pend[i].kind;

		if (kind == PEND_AND_OR || kind == PEND_QUESTION || kind == PEND_COLON)
			c->out->code[c->pend[i].jump].where = c->out->length;
	}
	arith_emit(c, AOP_ERROR, where)->message = message;
	c->failed = true;
}

/* Where bash points to: the token, or the one before at the end of the text. */
static uint32_t blame(const struct arith_compiler *c)
{
	return c->kind == ATOK_END ? c->previous : c->start;
}

static void push(struct arith_compiler *c, struct arith_pending p)
{
	if (c->npend == c->pend_cap) {
		uint32_t cap = c->pend_cap == 0 ? 16 : c->pend_cap * 2;

		c->pend = arena_grow(c->arena, c->pend, c->pend_cap * sizeof *c->pend,
				     cap * sizeof *c->pend);
		c->pend_cap = cap;
	}
	c->pend[c->npend++] = p;
}

static void fail_bad(struct arith_compiler *c, bool operator)
{
	arith_fail(c,
		   operator&& c->after_operand ? "syntax error: invalid arithmetic operator"
					       : "syntax error: operand expected",
		   c->start);
}

/* --- variables --- */

/* Holes before `end` were dealt with. */
static void skip_holes(struct arith_compiler *c, size_t end)
{
	for (; c->nholes != 0 && c->holes->at < end; c->holes++, c->nholes--)
		c->hole++;
}

/* The subscript src[from..to) is compiled later, with the holes in it. */
static void note_subscript(struct arith_compiler *c, struct arith_ref *ref, uint32_t from,
			   uint32_t to)
{
	ref->sub = (struct bytes){ c->text + from, to - from };
	ref->next = c->subs;
	c->subs = ref;
	ref->hole = c->hole;
	ref->holes = c->holes;
	ref->sub_at = from;
	skip_holes(c, to);
	ref->nholes = c->hole - ref->hole;
}

/* Where the quotes that open at text[at] close; the end of the text if they do not. */
static uint32_t quotes_end(const struct arith_compiler *c, uint32_t at)
{
	char quote = c->text[at];

	for (uint32_t i = at + 1; i < c->len; i++) {
		if (c->text[i] == quote)
			return i;
		if (c->text[i] == '\\' && quote != '\'')
			i++;
	}
	return c->len;
}

/* Behind the name: [text] with balanced brackets. False if it does not end. */
static bool read_subscript(struct arith_compiler *c, struct arith_ref *ref)
{
	uint32_t from = c->pos + 1;
	uint32_t depth = 1;

	for (uint32_t i = from; i < c->len; i++) {
		char ch = c->text[i];

		if (ch == '\\' && !c->plain && i + 1 < c->len) {
			i++;
			continue;
		}
		if (!c->plain && (ch == '\'' || ch == '"' || ch == '`')) {
			i = quotes_end(c, i);
			continue;
		}
		depth += (uint32_t)(ch == '[') - (uint32_t)(ch == ']');
		if (depth == ARITH_SUBSCRIPTS_MAX)
			break;
		if (depth != 0)
			continue;
		note_subscript(c, ref, from, i);
		c->pos = i + 1;
		return true;
	}
	arith_fail(c, "bad array subscript", c->start);
	return false;
}

static struct arith_ref *read_ref(struct arith_compiler *c)
{
	struct arith_ref *ref = arena_zalloc(c->arena, sizeof *ref);

	ref->name.name = arena_bytes(c->arena,
				     (struct bytes){ c->text + c->start, c->pos - c->start });
	ref->name.hash = bytes_hash(ref->name.name);
	if (c->pos < c->len && c->text[c->pos] == '[' && !read_subscript(c, ref))
		return NULL;
	return ref;
}

static uint32_t skip_space(const struct arith_compiler *c, uint32_t at)
{
	while (at < c->len && arith_is_space(c->text[at]))
		at++;
	return at;
}

/* ++ or -- behind a variable: its first byte, or 0. */
static char postfix(const struct arith_compiler *c, uint32_t at)
{
	if (at + 1 < c->len && (c->text[at] == '+' || c->text[at] == '-') &&
	    c->text[at + 1] == c->text[at])
		return c->text[at];
	return 0;
}

static void emit_step(struct arith_compiler *c, struct arith_ref *ref, enum arith_op op, int amount)
{
	if (ref->sub.ptr != NULL) {
		emit_ref(c, AOP_PLACE, ref);
		pushes(c, 2);
		c->depth -= 2;
		op = op == AOP_PRE ? AOP_PRE_AT : AOP_POST_AT;
	}
	emit_ref(c, op, ref);
	c->out->code[c->out->length - 1].amount = (int8_t)amount;
	pushes(c, 1);
}

static bool assigns_here(const struct arith_compiler *c)
{
	enum arith_pending_kind top;

	if (c->npend == 0)
		return true;
	top = c->pend[c->npend - 1].kind;
	return top == PEND_PAREN || top == PEND_QUESTION || top == PEND_ASSIGN;
}

static bool starts_token(const struct arith_compiler *c, uint32_t at)
{
	unsigned char ch = (unsigned char)c->text[at];

	return (c->nholes != 0 && c->holes->at == at) || byte_is_name(ch) ||
	       (ch != '\0' && strchr("<>&|^~+-*/%=!?:(),", ch) != NULL);
}

/* Past the names from `at` on, each with its subscript. */
static uint32_t skip_names(const struct arith_compiler *c, uint32_t at)
{
	while (at < c->len && byte_is_name((unsigned char)c->text[at]) &&
	       !byte_is_digit((unsigned char)c->text[at])) {
		while (at < c->len && byte_is_name((unsigned char)c->text[at]))
			at++;
		if (at < c->len && c->text[at] == '[') {
			const char *end = memchr(c->text + at, ']', c->len - at);

			at = end == NULL ? c->len : (uint32_t)(end + 1 - c->text);
		}
		at = skip_space(c, at);
	}
	return at;
}

/* bash reads the token behind a name with it, and so on if that is a name, too. True if what is
 * there can't begin one: fails. */
static bool fail_behind_names(struct arith_compiler *c, uint32_t at)
{
	at = skip_names(c, at);
	if (at >= c->len || starts_token(c, at))
		return false;
	arith_fail(c, "syntax error: invalid arithmetic operator", at);
	return true;
}

/* A variable whose value is wanted, unless = follows, which is seen here. */
static void read_variable(struct arith_compiler *c)
{
	struct arith_ref *ref = read_ref(c);
	uint32_t at;
	char post;

	if (ref == NULL)
		return;
	at = skip_space(c, c->pos);
	post = postfix(c, at);
	if (post != 0) {
		emit_step(c, ref, AOP_POST, post == '+' ? 1 : -1);
		c->start = at;
		c->pos = at + 2;
		c->kind = ATOK_OP;
		return;
	}
	c->lvalue = ref;
	if (at < c->len && c->text[at] == '=' && (at + 1 >= c->len || c->text[at + 1] != '=') &&
	    assigns_here(c))
		return;
	if (fail_behind_names(c, at)) /* before the value is taken */
		return;
	if (ref->sub.ptr != NULL) {
		emit_ref(c, AOP_PLACE, ref);
		pushes(c, 2);
		c->depth -= 2;
	}
	emit_ref(c, ref->sub.ptr != NULL ? AOP_LOAD_AT : AOP_LOAD, ref);
	pushes(c, 1);
}

/* ++name or --name; the operator was read. */
static void read_prefixed(struct arith_compiler *c, int op)
{
	struct arith_ref *ref;
	uint32_t at;

	arith_next(c);
	ref = read_ref(c);
	if (ref == NULL)
		return;
	emit_step(c, ref, AOP_PRE, op == OP2_INC ? 1 : -1);
	at = skip_space(c, c->pos);
	if (postfix(c, at) != 0)
		arith_fail(c,
			   c->text[at] == '+' ? "++: assignment requires lvalue"
					      : "--: assignment requires lvalue",
			   at);
}

/* --- operators --- */

static void patch(struct arith_compiler *c, uint32_t jump)
{
	c->out->code[jump].where = c->out->length;
}

static void reduce_assign(struct arith_compiler *c, const struct arith_pending *p)
{
	bool at = p->ref->sub.ptr != NULL;

	if (p->op != AOP_END) {
		arith_emit(c, (enum arith_op)p->op, blame(c));
		c->depth--;
	}
	if (!at) {
		emit_ref(c, AOP_STORE, p->ref);
	} else if (p->op != AOP_END) {
		emit_ref(c, AOP_STORE_UNDER, p->ref);
		c->depth -= 2;
	} else {
		emit_ref(c, AOP_PLACE, p->ref);
		pushes(c, 2);
		c->depth -= 2;
		emit_ref(c, AOP_STORE_AT, p->ref);
	}
}

/* Emits the operator on top of the stack, whose right side is complete. */
static void reduce_one(struct arith_compiler *c)
{
	struct arith_pending p = c->pend[--c->npend];

	switch (p.kind) {
	case PEND_BINARY:
		arith_emit(c, (enum arith_op)p.op, p.op == AOP_POW ? blame(c) : p.where);
		c->depth--;
		break;
	case PEND_UNARY: arith_emit(c, (enum arith_op)p.op, 0); break;
	case PEND_AND_OR:
		arith_emit(c, AOP_BOOL, 0);
		patch(c, p.jump);
		break;
	case PEND_COLON: patch(c, p.jump); break;
	case PEND_ASSIGN: reduce_assign(c, &p); break;
	default: break;
	}
}

/* Emits everything that binds at least as tightly as prec, down to an open ( or ?. */
static void reduce(struct arith_compiler *c, int prec)
{
	while (c->npend != 0) {
		const struct arith_pending *top = &c->pend[c->npend - 1];

		if (top->kind == PEND_PAREN || top->kind == PEND_QUESTION || top->prec < prec)
			return;
		reduce_one(c);
	}
}

struct binary_op {
	int token;
	uint8_t prec;
	uint8_t op;
};

static const struct binary_op binary_ops[] = {
	{ OP2_OR, 4, AOP_JUMP_TRUE }, { OP2_AND, 5, AOP_JUMP_FALSE },
	{ '|', 6, AOP_OR },           { '^', 7, AOP_XOR },
	{ '&', 8, AOP_AND },          { OP2_EQ, 9, AOP_EQ },
	{ OP2_NE, 9, AOP_NE },        { '<', 10, AOP_LT },
	{ '>', 10, AOP_GT },          { OP2_LE, 10, AOP_LE },
	{ OP2_GE, 10, AOP_GE },       { OP2_SHL, 11, AOP_SHL },
	{ OP2_SHR, 11, AOP_SHR },     { '+', 12, AOP_ADD },
	{ '-', 12, AOP_SUB },         { '*', 13, AOP_MUL },
	{ '/', 13, AOP_DIV },         { '%', 13, AOP_MOD },
	{ OP2_POW, 14, AOP_POW },
};

static const struct binary_op *find_binary(int token)
{
	for (size_t i = 0; i < sizeof binary_ops / sizeof *binary_ops; i++)
		if (binary_ops[i].token == token)
			return &binary_ops[i];
	return NULL;
}

static void read_binary(struct arith_compiler *c, const struct binary_op *b)
{
	struct arith_pending p = { .kind = PEND_BINARY, .prec = b->prec, .op = b->op };

	reduce(c, b->op == AOP_POW ? b->prec + 1 : b->prec);
	if (b->op == AOP_JUMP_TRUE || b->op == AOP_JUMP_FALSE) {
		p.kind = PEND_AND_OR;
		p.jump = c->out->length;
		arith_emit(c, (enum arith_op)b->op, 0);
		c->depth--;
	}
	push(c, p);
	arith_next(c);
	c->pend[c->npend - 1].where = c->start;
}

static void read_assign(struct arith_compiler *c)
{
	struct arith_pending p = {
		.kind = PEND_ASSIGN, .prec = 2, .op = c->combine, .ref = c->lvalue
	};

	if (c->lvalue == NULL || !assigns_here(c)) {
		reduce(c, 3);
		arith_fail(c, "attempted assignment to non-variable", c->start);
		return;
	}
	if (p.op != AOP_END && p.ref->sub.ptr != NULL) {
		/* The value was loaded: load it again with its place kept below. */
		c->out->code[c->out->length - 1].op = AOP_KEEP;
		emit_ref(c, AOP_LOAD_AT, p.ref);
		pushes(c, 3);
		c->depth--;
	}
	push(c, p);
	arith_next(c);
	c->pend[c->npend - 1].where = c->start;
}

static void read_question(struct arith_compiler *c)
{
	struct arith_pending p = { .kind = PEND_QUESTION };

	reduce(c, 4);
	p.jump = c->out->length;
	arith_emit(c, AOP_JUMP_ZERO, 0);
	c->depth--;
	push(c, p);
	arith_next(c);
	if (c->kind == ATOK_END || (c->kind == ATOK_OP && c->op == ':'))
		arith_fail(c, "expression expected", blame(c));
}

/* The operator does not fit what is open: what bash says depends on that. */
static void fail_unexpected(struct arith_compiler *c)
{
	reduce(c, 0);
	if (c->kind == ATOK_NAME && fail_behind_names(c, c->start))
		return;
	if (c->npend == 0)
		arith_fail(c, "syntax error in expression", blame(c));
	else if (c->pend[c->npend - 1].kind == PEND_PAREN)
		arith_fail(c, "missing `)'", blame(c));
	else
		arith_fail(c, "`:' expected for conditional expression", blame(c));
}

static void read_colon(struct arith_compiler *c)
{
	uint32_t jump;

	reduce(c, 0);
	if (c->npend == 0 || c->pend[c->npend - 1].kind != PEND_QUESTION) {
		fail_unexpected(c);
		return;
	}
	jump = c->out->length;
	arith_emit(c, AOP_JUMP, 0);
	patch(c, c->pend[c->npend - 1].jump);
	c->pend[c->npend - 1] = (struct arith_pending){ .kind = PEND_COLON,
							.prec = 3,
							.jump = jump };
	c->depth--;
	arith_next(c);
	if (c->kind == ATOK_END)
		arith_fail(c, "expression expected", blame(c));
}

/* At an operator or the end, behind an operand. True if an operand must follow. */
static bool read_operator(struct arith_compiler *c)
{
	const struct binary_op *b;

	if (c->kind == ATOK_BAD) {
		fail_bad(c, true);
		return false;
	}
	if (c->kind != ATOK_OP) {
		fail_unexpected(c);
		return false;
	}
	b = find_binary(c->op);
	if (b != NULL) {
		read_binary(c, b);
	} else if (c->op == OP2_ASSIGN) {
		read_assign(c);
	} else if (c->op == ',') {
		reduce(c, 0);
		arith_emit(c, AOP_POP, 0);
		c->depth--;
		arith_next(c);
	} else if (c->op == '?') {
		read_question(c);
	} else if (c->op == ':') {
		read_colon(c);
	} else {
		fail_unexpected(c);
	}
	return !c->failed;
}

/* ) behind an operand. */
static void close_paren(struct arith_compiler *c)
{
	reduce(c, 0);
	if (c->npend == 0 || c->pend[c->npend - 1].kind != PEND_PAREN) {
		fail_unexpected(c);
		return;
	}
	c->npend--;
	c->lvalue = NULL;
	arith_next(c);
}

/* --- operands --- */

static void push_number(struct arith_compiler *c, enum arith_op op, int64_t value)
{
	arith_emit(c, op, c->start)->value = value;
	pushes(c, 1);
}

static void push_hole(struct arith_compiler *c)
{
	push_number(c, AOP_PARAM, c->hole);
	skip_holes(c, c->pos);
}

/* A unary operator or (: true if it was one. */
static bool read_prefix(struct arith_compiler *c)
{
	struct arith_pending p = { .kind = PEND_UNARY, .prec = 15, .op = AOP_END };

	switch (c->op) {
	case '-': p.op = AOP_NEG; break;
	case '+': p.op = AOP_END; break;
	case '!': p.op = AOP_NOT; break;
	case '~': p.op = AOP_FLIP; break;
	case '(': p.kind = PEND_PAREN; break;
	default: return false;
	}
	if (p.kind == PEND_PAREN || p.op != AOP_END)
		push(c, p);
	else
		push(c, (struct arith_pending){ .kind = PEND_PLUS, .prec = 15 });
	arith_next(c);
	return true;
}

/* One operand with the unary operators in front of it. */
static void read_operand(struct arith_compiler *c)
{
	c->lvalue = NULL;
	while (c->kind == ATOK_OP && read_prefix(c))
		continue;
	switch (c->kind) {
	case ATOK_NUMBER: push_number(c, AOP_PUSH, c->number); break;
	case ATOK_NAME: read_variable(c); break;
	case ATOK_HOLE: push_hole(c); break;
	case ATOK_STOP: return;
	case ATOK_BAD: fail_bad(c, false); return;
	default:
		if (c->kind != ATOK_OP || (c->op != OP2_INC && c->op != OP2_DEC)) {
			arith_fail(c, "syntax error: operand expected", blame(c));
			return;
		}
		read_prefixed(c, c->op);
	}
	arith_next(c);
}

static void compile(struct arith_compiler *c)
{
	arith_next(c);
	if (c->kind == ATOK_END) {
		push_number(c, AOP_PUSH, 0);
		return;
	}
	for (;;) {
		read_operand(c);
		while (!c->failed && c->kind == ATOK_OP && c->op == ')')
			close_paren(c);
		if (c->failed)
			return;
		if (c->kind == ATOK_END) {
			reduce(c, 0);
			if (c->npend != 0)
				fail_unexpected(c);
			return;
		}
		if (!read_operator(c))
			return;
	}
}

/* Compiles one expression; returns the variables whose subscripts are still to be compiled. */
static struct arith_ref *compile_one(struct arena *arena, struct arith *out, struct bytes text,
				     const struct arith_ref *holes, bool plain)
{
	struct arith_compiler c = { .arena = arena, .out = out, .code_cap = 8, .plain = plain };

	if (holes != NULL) {
		c.holes = holes->holes;
		c.nholes = holes->nholes;
		c.hole = holes->hole;
	}
	out->text = text;
	c.text = text.ptr;
	c.len = text.len > ARITH_TEXT_MAX ? ARITH_TEXT_MAX : (uint32_t)text.len;
	out->code = arena_alloc(arena, c.code_cap * sizeof *out->code);
	compile(&c);
	arith_emit(&c, AOP_END, c.len);
	out->failed = c.failed;
	return c.subs;
}

/* The holes of a subscript, with places relative to its trimmed text. */
static void move_holes(struct arena *arena, struct arith_ref *ref, struct bytes trimmed)
{
	struct arith_hole *moved;

	ref->sub_at += (uint32_t)(ref->sub.len - trimmed.len);
	if (ref->nholes == 0)
		return;
	moved = arena_array(arena, ref->nholes, sizeof *moved);
	for (uint32_t i = 0; i < ref->nholes; i++) {
		moved[i] = ref->holes[i];
		moved[i].at -= ref->sub_at;
	}
	ref->holes = moved;
}

/* Subscripts are expressions of their own, compiled from a list and not by recursion. */
static bool compile_subscripts(struct arena *arena, struct arith *root, struct arith_ref *todo,
			       bool plain)
{
	bool failed = false;

	while (todo != NULL) {
		struct arith_ref *ref = todo;
		struct arith_ref *more;
		struct bytes text = arith_trim(ref->sub);

		todo = ref->next;
		move_holes(arena, ref, text);
		ref->sub_code = arena_zalloc(arena, sizeof *ref->sub_code);
		more = compile_one(arena, ref->sub_code, text, ref, plain);
		failed |= ref->sub_code->failed;
		while (more != NULL) {
			struct arith_ref *one = more;

			more = one->next;
			one->next = todo;
			todo = one;
		}
		if (ref->nholes != 0) {
			ref->next = root->hole_refs;
			root->hole_refs = ref;
		}
	}
	return failed;
}

struct bytes arith_trim(struct bytes text)
{
	while (text.len != 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t'))
		text = bytes_slice(text, 1, text.len);
	return text;
}

struct arith *arith_compile(struct arena *arena, struct bytes text, bool plain)
{
	struct arith *out = arena_zalloc(arena, sizeof *out);
	struct arith_ref *subs = compile_one(arena, out, arith_trim(text), NULL, plain);

	compile_subscripts(arena, out, subs, plain);
	return out;
}

struct arith *arith_compile_holes(struct arena *arena, struct bytes text,
				  const struct arith_hole *holes, uint32_t nholes)
{
	struct arith *out = arena_zalloc(arena, sizeof *out);
	const struct arith_ref all = { .holes = holes, .nholes = nholes };
	struct arith_ref *subs = compile_one(arena, out, text, &all, false);

	out->holes = holes;
	out->nholes = nholes;
	if (compile_subscripts(arena, out, subs, false) || out->failed)
		return NULL;
	return out;
}
