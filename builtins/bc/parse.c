/* SPDX-License-Identifier: MIT
 *
 * Compiles bc: expressions by precedence, statements by recursive descent.
 *
 * From loose to tight: || && ! comparisons assignment + * ^ minus ++. An assignment is looser
 * than its operators but may stand where a name may: 1 + a = 2 is 1 + (a = 2).
 */
#include "builtins/bc/bc.h"

enum level {
	LEVEL_OR,
	LEVEL_AND,
	LEVEL_NOT,
	LEVEL_COMPARE,
	LEVEL_ASSIGN,
	LEVEL_SUM,
	LEVEL_PRODUCT,
	LEVEL_POWER,
	LEVEL_UNARY,
};

/* What an expression is besides its value. */
enum kind { KIND_ASSIGN, KIND_PLAIN, KIND_VOID };

enum { STACK_MIN = 12 << 10 };

static enum kind parse_expr(struct bc *b, enum level level);
static void parse_statement(struct bc *b);

/* --- code --- */

static struct ins *emit(struct bc *b, enum op op, uint32_t arg, uint32_t size)
{
	struct code *code = b->code;

	if (code->n == code->cap) {
		code->ins = arena_grow(b->c->arena, code->ins, code->cap * sizeof(struct ins),
				       (code->cap * 2 + 16) * sizeof(struct ins));
		code->cap = code->cap * 2 + 16;
	}
	code->address += size;
	code->ins[code->n] = (struct ins){ .op = op, .arg = arg, .end = code->address };
	return &code->ins[code->n++];
}

/* An instruction with the number of a variable. */
static struct ins *emit_id(struct bc *b, enum op op, uint32_t id)
{
	return emit(b, op, id, id < 128 ? 2 : 3);
}

static int new_label(struct bc *b)
{
	struct code *code = b->code;

	if (code->nlabels == code->labels_cap) {
		code->labels = arena_grow(b->c->arena, code->labels,
					  code->labels_cap * sizeof(uint32_t),
					  (code->labels_cap * 2 + 8) * sizeof(uint32_t));
		code->labels_cap = code->labels_cap * 2 + 8;
	}
	code->labels[code->nlabels] = 0;
	return (int)code->nlabels++;
}

static void put_label(struct bc *b, int label)
{
	b->code->labels[label] = (uint32_t)b->code->n;
}

static void emit_jump(struct bc *b, enum op op, int label)
{
	emit(b, op, (uint32_t)label, 3);
}

static void emit_bit(struct bc *b, bool one)
{
	emit(b, OP_CONST, 0, 1)->value = one ? b->one : b->zero;
}

/* --- names --- */

static size_t slot_of(const struct bc *b, struct bytes text)
{
	size_t at = (size_t)bytes_hash(text) & (b->nbuckets - 1);

	while (b->buckets[at] != 0 && !bytes_eq(b->names[b->buckets[at] - 1].text, text))
		at = (at + 1) & (b->nbuckets - 1);
	return at;
}

static struct name *find_name(struct bc *b, struct bytes text)
{
	if (b->nnames * 2 >= b->nbuckets) {
		size_t n = b->nbuckets * 2 + 64;

		while ((n & (n - 1)) != 0)
			n &= n - 1;
		pool_free(b->c->pool, b->buckets, b->nbuckets * sizeof(size_t));
		b->buckets = pool_zalloc(b->c->pool, n * sizeof(size_t));
		b->nbuckets = n;
		for (size_t i = 0; i < b->nnames; i++)
			b->buckets[slot_of(b, b->names[i].text)] = i + 1;
	}
	size_t at = slot_of(b, text);

	if (b->buckets[at] == 0) {
		bc_grow(b, &b->names, &b->names_cap, b->nnames, sizeof(struct name));
		b->names[b->nnames] = (struct name){ .text = { pool_dup(b->c->pool, text),
							       text.len } };
		b->buckets[at] = ++b->nnames;
	}
	return &b->names[b->buckets[at] - 1];
}

/* --- tokens --- */

static bool is_char(const struct bc *b, int ch)
{
	return b->token == TOKEN_CHAR && b->ch == ch;
}

static bool is_word(const struct bc *b, enum word word)
{
	return b->token == TOKEN_WORD && b->word == word;
}

static void syntax_error(struct bc *b)
{
	if (!b->failed)
		bc_error(b, "syntax error");
	b->failed = true;
}

static bool accept_char(struct bc *b, int ch)
{
	if (b->failed || !is_char(b, ch))
		return false;
	bc_next(b);
	return true;
}

static void expect_char(struct bc *b, int ch)
{
	if (!accept_char(b, ch))
		syntax_error(b);
}

static void skip_newlines(struct bc *b)
{
	if (b->token == TOKEN_NEWLINE)
		bc_extension(b, "newline not allowed");
	while (!b->failed && b->token == TOKEN_NEWLINE)
		bc_next(b);
}

/* --- expressions --- */

/* The value of an expression is used: a void function has none. */
static void need_value(struct bc *b, enum kind kind, const char *message)
{
	if (kind == KIND_VOID && !b->failed)
		bc_error(b, "%s", message);
}

/* Arguments up to the ')'. Returns the index of their struct call. */
static size_t parse_args(struct bc *b)
{
	bool *arrays = NULL;
	size_t n = 0;
	size_t cap = 0;

	while (!b->failed && !is_char(b, ')')) {
		if (n > 0)
			expect_char(b, ',');
		if (n == cap) {
			arrays = arena_grow(b->c->arena, arrays, cap, cap * 2 + 8);
			cap = cap * 2 + 8;
		}
		arrays[n] = false;
		size_t before = b->code->n;

		b->array_allowed = true;
		need_value(b, parse_expr(b, LEVEL_OR), "void argument");
		b->array_allowed = false;
		bc_no_compare(b, "comparison in argument");
		if (!b->failed && b->code->n == before + 1 && b->code->ins[before].op == OP_ARRAY)
			arrays[n] = true;
		n++;
	}
	expect_char(b, ')');
	bc_grow(b, &b->calls, &b->calls_cap, b->ncalls, sizeof(struct call));
	bool *kept = pool_alloc(b->c->pool, n + 1);

	memcpy(kept, arrays != NULL ? arrays : kept, n);
	b->calls[b->ncalls] = (struct call){ n, kept };
	return b->ncalls++;
}

static enum kind parse_call(struct bc *b, struct bytes text)
{
	uint32_t function = bc_function(b, find_name(b, text));
	bool is_void = b->functions[function].is_void;
	size_t call = parse_args(b);

	b->compares = b->in_parens = false;
	struct ins *i = emit_id(b, OP_CALL, function);

	i->aux = (uint32_t)call;
	i->end = b->code->address += (uint32_t)b->calls[call].n + 1;
	return is_void ? KIND_VOID : KIND_PLAIN;
}

/* Something that can be assigned to, its index (if any) compiled. */
struct place {
	uint32_t id;
	bool element;
};

static void emit_load(struct bc *b, struct place p)
{
	emit_id(b, p.element ? OP_LOAD_ELEMENT : OP_LOAD, p.id);
}

static void emit_step(struct bc *b, struct place p, int sign)
{
	emit_id(b, p.element ? OP_STEP_ELEMENT : OP_STEP, p.id)->aux = (uint32_t)sign;
}

/* Behind a place: an assignment, ++ or --, or its value. */
static enum kind parse_place_rest(struct bc *b, struct place p)
{
	if (b->token == TOKEN_ASSIGN) {
		int op = b->ch;

		bc_next(b);
		if (op != '=') {
			if (p.element)
				emit(b, OP_DUP, 0, 1);
			emit_load(b, p);
		}
		need_value(b, parse_expr(b, LEVEL_ASSIGN), "Assignment of a void expression");
		b->compares = b->in_parens = false;
		if (op != '=')
			emit(b, OP_BINARY, (uint32_t)op, 1);
		emit_id(b, p.element ? OP_STORE_ELEMENT : OP_STORE, p.id);
		return KIND_ASSIGN;
	}
	if (b->token != TOKEN_STEP) {
		emit_load(b, p);
		return KIND_PLAIN;
	}
	int sign = b->ch;

	bc_next(b);
	if (p.element) {
		emit(b, OP_DUP, 0, 1);
		emit_load(b, p);
		emit(b, OP_SWAP, 0, 1);
	} else {
		emit_load(b, p);
	}
	emit_step(b, p, sign);
	return KIND_PLAIN;
}

/* A name or special variable as a place; false: it is something else, or there was an error. */
static bool parse_place(struct bc *b, struct place *p)
{
	static const struct {
		enum word word;
		uint32_t var;
	} fixed[] = { { WORD_IBASE, VAR_IBASE },
		      { WORD_OBASE, VAR_OBASE },
		      { WORD_SCALE, VAR_SCALE },
		      { WORD_HISTORY, VAR_HISTORY },
		      { WORD_LAST, VAR_LAST } };

	*p = (struct place){ 0, false };
	for (size_t i = 0; b->token == TOKEN_WORD && i < sizeof(fixed) / sizeof(*fixed); i++)
		if (b->word == fixed[i].word) {
			p->id = fixed[i].var;
			if (b->word == WORD_LAST || b->word == WORD_HISTORY)
				bc_extension(b, b->word == WORD_LAST ? "Last variable"
								     : "History variable");
			bc_next(b);
			return true;
		}
	if (b->token != TOKEN_NAME) {
		syntax_error(b);
		return false;
	}
	struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));

	bc_next(b);
	bc_long_name(b, text);
	if (!accept_char(b, '[')) {
		p->id = bc_var(b, find_name(b, text));
		return true;
	}
	p->element = true;
	p->id = bc_array(b, find_name(b, text));
	need_value(b, parse_expr(b, LEVEL_OR), "void expression as subscript");
	bc_no_compare(b, "comparison in subscript");
	expect_char(b, ']');
	return !b->failed;
}

/* A name: a call, an array as argument, or a place. */
static enum kind parse_name(struct bc *b)
{
	struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));
	struct place p = { 0, false };
	bool array_allowed = b->array_allowed;

	b->array_allowed = false;
	bc_next(b);
	bc_long_name(b, text);
	if (accept_char(b, '('))
		return parse_call(b, text);
	if (!accept_char(b, '[')) {
		p.id = bc_var(b, find_name(b, text));
		return parse_place_rest(b, p);
	}
	p.id = bc_array(b, find_name(b, text));
	if (array_allowed && accept_char(b, ']')) {
		uint32_t digits = p.id < 10 ? 1 : p.id < 100 ? 2 : 3;

		if (!is_char(b, ',') && !is_char(b, ')'))
			syntax_error(b);
		emit(b, OP_ARRAY, p.id, digits + 2);
		return KIND_PLAIN;
	}
	p.element = true;
	need_value(b, parse_expr(b, LEVEL_OR), "void expression as subscript");
	bc_no_compare(b, "comparison in subscript");
	expect_char(b, ']');
	return b->failed ? KIND_PLAIN : parse_place_rest(b, p);
}

/* length(x), sqrt(x), scale(x); scale alone is a variable. */
static enum kind parse_function_word(struct bc *b)
{
	enum word word = b->word;

	bc_next(b);
	if (word == WORD_SCALE && !is_char(b, '('))
		return parse_place_rest(b, (struct place){ VAR_SCALE, false });
	expect_char(b, '(');
	if (word != WORD_READ && word != WORD_RANDOM)
		need_value(b, parse_expr(b, LEVEL_OR),
			   word == WORD_LENGTH ? "length() of a void expression"
			   : word == WORD_SQRT ? "sqrt() of a void expression"
					       : "scale() of a void expression");
	else if (is_char(b, ')'))
		bc_extension(b, word == WORD_READ ? "read function" : "random function");
	b->compares = b->in_parens = false;
	expect_char(b, ')');
	emit(b,
	     word == WORD_LENGTH   ? OP_LENGTH
	     : word == WORD_SQRT   ? OP_SQRT
	     : word == WORD_READ   ? OP_READ
	     : word == WORD_RANDOM ? OP_RANDOM
				   : OP_SCALE,
	     0, 2);
	return KIND_PLAIN;
}

static enum kind parse_word(struct bc *b)
{
	struct place p;

	switch (b->word) {
	case WORD_LENGTH:
	case WORD_SQRT:
	case WORD_READ:
	case WORD_RANDOM:
	case WORD_SCALE: return parse_function_word(b);
	default: break;
	}
	if (parse_place(b, &p))
		return parse_place_rest(b, p);
	return KIND_PLAIN;
}

static void parse_number(struct bc *b)
{
	struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));

	if (bytes_is(text, "0") || bytes_is(text, "1"))
		emit_bit(b, text.ptr[0] == '1');
	else
		emit(b, OP_CONST, 0, (uint32_t)text.len + 2)->text = text;
	bc_next(b);
}

static enum kind parse_primary(struct bc *b)
{
	struct place p;

	b->array_allowed &= b->token == TOKEN_NAME;
	b->compares = b->in_parens = false;

	if (b->failed)
		return KIND_PLAIN;
	switch (b->token) {
	case TOKEN_NUMBER: parse_number(b); return KIND_PLAIN;
	case TOKEN_NAME: return parse_name(b);
	case TOKEN_WORD: return parse_word(b);
	case TOKEN_STEP: {
		int sign = b->ch;

		bc_next(b);
		if (!parse_place(b, &p))
			return KIND_PLAIN;
		if (p.element)
			emit(b, OP_DUP, 0, 1);
		emit_step(b, p, sign);
		emit_load(b, p);
		return KIND_PLAIN;
	}
	default: break;
	}
	if (accept_char(b, '-')) {
		enum kind kind = parse_expr(b, LEVEL_UNARY);

		need_value(b, kind, "void expression with unary -");
		emit(b, OP_NEG, 0, 1);
		return kind;
	}
	if (accept_char(b, '!')) {
		need_value(b, parse_expr(b, LEVEL_COMPARE), "void expression with !");
		emit(b, OP_NOT, 0, 1);
		bc_extension(b, "! operator");
		return KIND_PLAIN;
	}
	if (accept_char(b, '(')) {
		need_value(b, parse_expr(b, LEVEL_OR), "void expression in parenthesis");
		b->in_parens = true;
		expect_char(b, ')');
		return KIND_PLAIN;
	}
	syntax_error(b);
	return KIND_PLAIN;
}

static void parse_logic(struct bc *b, bool is_or)
{
	int first = new_label(b);
	int last = new_label(b);
	bool compares = b->compares;

	bc_extension(b, is_or ? "|| operator" : "&& operator");
	bc_next(b);
	if (is_or) {
		emit_jump(b, OP_BRANCH, first);
	} else {
		emit(b, OP_DUP, 0, 1);
		emit_jump(b, OP_BRANCH_ZERO, first);
		emit(b, OP_POP, 0, 1);
	}
	need_value(b, parse_expr(b, is_or ? LEVEL_AND : LEVEL_NOT),
		   is_or ? "void expression with ||" : "void expression with &&");
	b->compares |= compares;
	b->in_parens = false;
	if (is_or) {
		emit_jump(b, OP_BRANCH, first);
		emit_bit(b, false);
		emit_jump(b, OP_JUMP, last);
		put_label(b, first);
		emit_bit(b, true);
		put_label(b, last);
		return;
	}
	emit(b, OP_DUP, 0, 1);
	emit_jump(b, OP_BRANCH_ZERO, first);
	emit(b, OP_POP, 0, 1);
	emit_bit(b, true);
	put_label(b, first);
}

/* The level of the operator at hand, or -1. */
static int operator_level(const struct bc *b)
{
	if (b->token == TOKEN_OR)
		return LEVEL_OR;
	if (b->token == TOKEN_AND)
		return LEVEL_AND;
	if (b->token == TOKEN_COMPARE)
		return LEVEL_COMPARE;
	if (b->token != TOKEN_CHAR)
		return -1;
	switch (b->ch) {
	case '+':
	case '-': return LEVEL_SUM;
	case '*':
	case '/':
	case '%': return LEVEL_PRODUCT;
	case '^': return LEVEL_POWER;
	default: return -1;
	}
}

static enum kind parse_expr(struct bc *b, enum level level)
{
	if (cmd_stack_left(b->c) < STACK_MIN)
		cmd_fatal(b->c, 0, "expression too deeply nested");
	enum kind kind = parse_primary(b);

	for (int at; !b->failed && (at = operator_level(b)) >= (int)level;) {
		int op = b->ch;
		bool compare = at == LEVEL_COMPARE;
		bool compares = b->compares;

		if (at <= LEVEL_AND) {
			need_value(b, kind,
				   at == LEVEL_OR ? "void expression with ||"
						  : "void expression with &&");
			parse_logic(b, at == LEVEL_OR);
			kind = KIND_PLAIN;
			continue;
		}
		bc_next(b);
		enum kind right = parse_expr(b, op == '^' && !compare ? LEVEL_POWER
								      : (enum level)(at + 1));

		if ((kind == KIND_VOID || right == KIND_VOID) && !b->failed) {
			if (compare)
				bc_error(b, "void expression with comparison");
			else
				bc_error(b, "void expression with %c", op);
		}
		emit(b, compare ? OP_COMPARE : OP_BINARY, (uint32_t)op, 1);
		b->compares |= compares || compare;
		b->in_parens = false;
		kind = KIND_PLAIN;
	}
	return kind;
}

/* --- statements --- */

static bool ends_statement(const struct bc *b)
{
	return b->token == TOKEN_NEWLINE || b->token == TOKEN_END || is_char(b, ';') ||
	       is_char(b, '}') || is_word(b, WORD_ELSE);
}

static void parse_print(struct bc *b)
{
	bc_extension(b, "print statement");
	do {
		bc_next(b);
		if (b->token == TOKEN_STRING) {
			struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));

			emit(b, OP_PRINT_TEXT, 0, (uint32_t)text.len + 2)->text = text;
			bc_next(b);
		} else {
			need_value(b, parse_expr(b, LEVEL_OR), "void expression in print");
			emit(b, OP_PRINT, 0, 1);
		}
	} while (!b->failed && is_char(b, ','));
}

#define MISSING_IN_FOR "Missing expression in for statement"

static void parse_for(struct bc *b)
{
	int old_break = b->break_label;
	int old_continue = b->continue_label;
	int test = new_label(b);
	int body = new_label(b);

	b->break_label = new_label(b);
	b->continue_label = new_label(b);
	bc_next(b);
	expect_char(b, '(');
	if (!is_char(b, ';')) {
		need_value(b, parse_expr(b, LEVEL_OR), "first expression is void");
		bc_no_compare(b, "Comparison in first for expression");
		emit(b, OP_POP, 0, 1);
	} else {
		bc_extension(b, MISSING_IN_FOR);
	}
	expect_char(b, ';');
	put_label(b, test);
	if (is_char(b, ';')) {
		bc_extension(b, MISSING_IN_FOR);
		emit_bit(b, true);
	} else {
		need_value(b, parse_expr(b, LEVEL_OR), "second expression is void");
	}
	expect_char(b, ';');
	emit_jump(b, OP_BRANCH, body);
	emit_jump(b, OP_JUMP, b->break_label);
	put_label(b, b->continue_label);
	if (!is_char(b, ')')) {
		need_value(b, parse_expr(b, LEVEL_OR), "third expression is void");
		bc_no_compare(b, "Comparison in third for expression");
		emit(b, OP_POP, 0, 1);
	} else {
		bc_extension(b, MISSING_IN_FOR);
	}
	expect_char(b, ')');
	emit_jump(b, OP_JUMP, test);
	put_label(b, body);
	skip_newlines(b);
	parse_statement(b);
	emit_jump(b, OP_JUMP, b->continue_label);
	put_label(b, b->break_label);
	b->break_label = old_break;
	b->continue_label = old_continue;
}

static void parse_while(struct bc *b)
{
	int old_break = b->break_label;
	int old_continue = b->continue_label;

	b->continue_label = new_label(b);
	b->break_label = new_label(b);
	put_label(b, b->continue_label);
	bc_next(b);
	expect_char(b, '(');
	need_value(b, parse_expr(b, LEVEL_OR), "void expression");
	emit_jump(b, OP_BRANCH_ZERO, b->break_label);
	expect_char(b, ')');
	skip_newlines(b);
	parse_statement(b);
	emit_jump(b, OP_JUMP, b->continue_label);
	put_label(b, b->break_label);
	b->break_label = old_break;
	b->continue_label = old_continue;
}

static void parse_if(struct bc *b)
{
	int other = new_label(b);

	bc_next(b);
	expect_char(b, '(');
	need_value(b, parse_expr(b, LEVEL_OR), "void expression");
	emit_jump(b, OP_BRANCH_ZERO, other);
	expect_char(b, ')');
	skip_newlines(b);
	parse_statement(b);
	if (b->failed || !is_word(b, WORD_ELSE)) {
		put_label(b, other);
		return;
	}
	int end = new_label(b);

	emit_jump(b, OP_JUMP, end);
	put_label(b, other);
	bc_extension(b, "else clause in if statement");
	bc_next(b);
	skip_newlines(b);
	parse_statement(b);
	put_label(b, end);
}

static void parse_return(struct bc *b)
{
	bc_next(b);
	if (ends_statement(b)) {
		emit_bit(b, false);
	} else {
		need_value(b, parse_expr(b, LEVEL_OR), "return of a void expression");
		bool in_parens = b->in_parens;

		bc_no_compare(b, "comparison in return expression");
		if (!in_parens)
			bc_extension(b, "return expression requires parenthesis");
		if (b->in_void && !b->failed)
			bc_error(b, "Return expression in a void function.");
	}
	if (!b->in_function && !b->failed)
		bc_error(b, "Return outside of a function.");
	emit(b, OP_RETURN, 0, 1);
}

/* Statements up to a '}', between ';' and newlines. Behind an error the next line goes on. */
static void parse_until_brace(struct bc *b)
{
	while (!is_char(b, '}')) {
		if (b->token == TOKEN_END) {
			syntax_error(b);
			return;
		}
		if (b->token == TOKEN_NEWLINE || is_char(b, ';')) {
			bc_next(b);
			continue;
		}
		parse_statement(b);
		if (!b->failed && !is_char(b, '}') && !is_char(b, ';') && b->token != TOKEN_NEWLINE)
			syntax_error(b);
		while (b->failed && b->token != TOKEN_NEWLINE && b->token != TOKEN_END)
			bc_next(b);
		b->failed = false;
	}
}

static void parse_block(struct bc *b)
{
	bc_next(b);
	parse_until_brace(b);
	if (!b->failed)
		bc_next(b);
}

static void put_limits(struct bc *b)
{
	cmd_puts(b->c, "BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\n"
		       "BC_SCALE_MAX    = 2147483647\nBC_STRING_MAX   = 2147483647\n"
		       "MAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n");
}

static void parse_word_statement(struct bc *b)
{
	switch (b->word) {
	case WORD_FOR: parse_for(b); return;
	case WORD_WHILE: parse_while(b); return;
	case WORD_IF: parse_if(b); return;
	case WORD_PRINT: parse_print(b); return;
	case WORD_RETURN: parse_return(b); return;
	case WORD_QUIT: cmd_exit(b->c, 0);
	case WORD_HALT:
		emit(b, OP_HALT, 0, 1);
		bc_next(b);
		return;
	case WORD_LIMITS:
		put_limits(b);
		bc_next(b);
		return;
	case WORD_WARRANTY:
		cmd_puts(b->c, "There is no warranty.\n");
		bc_next(b);
		return;
	case WORD_BREAK:
	case WORD_CONTINUE: {
		int label = b->word == WORD_BREAK ? b->break_label : b->continue_label;

		if (b->word == WORD_CONTINUE)
			bc_extension(b, "Continue statement");
		if (label < 0)
			bc_error(b, "%s",
				 b->word == WORD_BREAK ? "Break outside a for/while"
						       : "Continue outside a for");
		emit_jump(b, OP_JUMP, label < 0 ? 0 : label);
		bc_next(b);
		return;
	}
	default: break;
	}
	enum kind kind = parse_expr(b, LEVEL_OR);

	bc_no_compare(b, "comparison in expression");
	if (kind == KIND_PLAIN)
		emit(b, OP_WRITE, 0, 1);
	else
		emit(b, OP_POP, 0, 1);
}

static void parse_statement(struct bc *b)
{
	if (b->failed)
		return;
	if (cmd_stack_left(b->c) < STACK_MIN)
		cmd_fatal(b->c, 0, "statement too deeply nested");
	if (is_char(b, '{')) {
		parse_block(b);
		return;
	}
	if (b->token == TOKEN_WORD) {
		parse_word_statement(b);
		return;
	}
	if (b->token == TOKEN_STRING) {
		struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));

		emit(b, OP_TEXT, 0, (uint32_t)text.len + 2)->text = text;
		bc_next(b);
		return;
	}
	if (is_char(b, ';') || b->token == TOKEN_NEWLINE)
		return;
	enum kind kind = parse_expr(b, LEVEL_OR);

	bc_no_compare(b, "comparison in expression");
	emit(b, kind == KIND_PLAIN ? OP_WRITE : OP_POP, 0, 1);
}

/* --- functions --- */

/* Names up to a token that is no comma. */
static void parse_params(struct bc *b, struct param **list, size_t *n, bool references)
{
	size_t cap = 0;

	do {
		struct param p = { 0, false, false };

		if (references && (accept_char(b, '*') || accept_char(b, '&')))
			p.by_reference = true;
		if (p.by_reference)
			bc_extension(b, "Call by variable arrays");
		if (b->failed || b->token != TOKEN_NAME) {
			syntax_error(b);
			return;
		}
		struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));

		bc_next(b);
		bc_long_name(b, text);
		if (accept_char(b, '[')) {
			expect_char(b, ']');
			p.array = true;
		} else if (p.by_reference) {
			syntax_error(b);
		}
		struct name *name = find_name(b, text);

		p.id = p.array ? bc_array(b, name) : bc_var(b, name);
		for (size_t i = 0; i < *n; i++)
			if ((*list)[i].id == p.id && (*list)[i].array == p.array && !b->failed)
				bc_error(b, "duplicate parameter names");
		if (*n == cap) {
			*list = arena_grow(b->c->arena, *list, cap * sizeof(p),
					   (cap * 2 + 8) * sizeof(p));
			cap = cap * 2 + 8;
		}
		(*list)[(*n)++] = p;
	} while (accept_char(b, ','));
}

static void parse_auto(struct bc *b, struct function *f)
{
	if (b->token != TOKEN_NEWLINE)
		bc_extension(b, "End of line required");
	for (int lines = 0; !b->failed && b->token == TOKEN_NEWLINE; lines++) {
		bc_next(b);
		if (lines > 0)
			bc_extension(b, "Too many end of lines");
	}
	if (b->failed || !is_word(b, WORD_AUTO))
		return;
	bc_next(b);
	parse_params(b, &f->autos, &f->nautos, false);
	for (size_t i = 0; i < f->nautos; i++)
		for (size_t k = 0; k < f->nparams; k++)
			if (f->autos[i].id == f->params[k].id &&
			    f->autos[i].array == f->params[k].array && !b->failed)
				bc_error(b, "duplicate parameter names");
	if (!b->failed && b->token != TOKEN_NEWLINE && !is_char(b, ';'))
		syntax_error(b);
}

static void *keep(struct bc *b, const void *list, size_t bytes)
{
	void *copy = pool_alloc(b->c->pool, bytes + 1);

	if (bytes > 0)
		memcpy(copy, list, bytes);
	return copy;
}

/* A line's memory is given back; functions stay, also those that are redefined. */
static void keep_function(struct bc *b, struct function *f, const struct code *code)
{
	f->code = *code;
	f->code.ins = keep(b, code->ins, code->n * sizeof(struct ins));
	f->code.labels = keep(b, code->labels, code->nlabels * sizeof(uint32_t));
	f->params = keep(b, f->params, f->nparams * sizeof(struct param));
	f->autos = keep(b, f->autos, f->nautos * sizeof(struct param));
	for (size_t i = 0; i < code->n; i++)
		if (f->code.ins[i].text.ptr != NULL)
			f->code.ins[i].text.ptr = pool_dup(b->c->pool, f->code.ins[i].text);
}

static void parse_function(struct bc *b)
{
	struct function f = { .defined = true };
	struct code code = { .n = 0 };
	struct code *outer = b->code;

	bc_next(b);
	if (is_word(b, WORD_VOID)) {
		f.is_void = true;
		bc_extension(b, "void functions");
		bc_next(b);
	}
	if (b->token != TOKEN_NAME) {
		syntax_error(b);
		return;
	}
	b->code = &code;
	struct bytes text = arena_bytes(b->c->arena, buf_bytes(&b->text));
	uint32_t number = bc_function(b, find_name(b, text));

	bc_next(b);
	bc_long_name(b, text);
	expect_char(b, '(');
	if (!is_char(b, ')'))
		parse_params(b, &f.params, &f.nparams, true);
	expect_char(b, ')');
	skip_newlines(b);
	if (!is_char(b, '{'))
		syntax_error(b);
	if (!b->failed) {
		bool old_void = b->functions[number].is_void;

		b->in_function = true;
		b->in_void = f.is_void;
		b->functions[number].is_void = f.is_void;
		b->break_label = b->continue_label = -1;
		bc_next(b);
		parse_auto(b, &f);
		for (size_t i = 0; i < f.nparams; i++)
			if (f.params[i].by_reference)
				bc_extension(b, "Variable array parameter");
		parse_until_brace(b);
		if (b->bad)
			b->functions[number].is_void = old_void;
	}
	emit_bit(b, false);
	emit(b, OP_RETURN, 0, 1);
	b->in_function = b->in_void = false;
	b->code = outer;
	if (!b->bad) {
		keep_function(b, &f, &code);
		b->functions[number] = f;
	}
	if (!b->failed)
		bc_next(b);
}

/* --- lines --- */

/* Statements up to the end of the line. */
static void parse_line(struct bc *b)
{
	bool first = true;

	for (;;) {
		for (; is_char(b, ';'); first = false)
			bc_next(b);
		if (b->token == TOKEN_NEWLINE || b->token == TOKEN_END)
			return;
		if (first && is_word(b, WORD_DEFINE)) {
			parse_function(b);
			if (b->failed)
				return;
			continue; /* what follows it begins as a line does */
		}
		parse_statement(b);
		first = false;
		if (b->failed)
			return;
		if (b->token != TOKEN_NEWLINE && b->token != TOKEN_END && !is_char(b, ';')) {
			syntax_error(b);
			return;
		}
	}
}

static void skip_line(struct bc *b)
{
	while (b->token != TOKEN_NEWLINE && b->token != TOKEN_END)
		bc_next(b);
}

void bc_program(struct bc *b)
{
	do {
		struct arena_mark mark = arena_mark(b->c->arena);
		struct code code = { .n = 0 };

		b->text = buf_in(b->c->arena);
		b->code = &code;
		b->failed = b->bad = b->array_allowed = false;
		b->break_label = b->continue_label = -1;
		b->in_function = b->in_void = false;
		bc_next(b);
		parse_line(b);
		if (b->token == TOKEN_END && code.n > 0)
			syntax_error(b);
		if (b->failed)
			skip_line(b);
		if (!b->bad)
			bc_run(b, &code);
		arena_release(b->c->arena, mark);
	} while (b->token != TOKEN_END);
}
