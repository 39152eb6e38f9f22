/* SPDX-License-Identifier: MIT
 *
 * Tokens of arithmetic expressions.
 */
#include "interp/arith_compiler.h"

static int digit_value(int ch, int base)
{
	if (byte_is_digit(ch))
		return ch - '0';
	if (byte_is_lower(ch))
		return ch - 'a' + 10;
	if (byte_is_upper(ch))
		return base <= 36 ? ch - 'A' + 10 : ch - 'A' + 36;
	return ch == '@' ? 62 : 63;
}

static bool is_number_byte(int ch)
{
	return byte_is_name(ch) || ch == '@' || ch == '#';
}

/* The value of text, a whole number token; else a message. */
static const char *number_value(struct bytes text, int64_t *out)
{
	size_t i = 0;
	uint64_t base = 10, v = 0;
	bool based = false;

	if (text.ptr[0] == '0' && text.len > 1) {
		based = true;
		base = (text.ptr[1] | 0x20) == 'x' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	for (; i < text.len; i++) {
		int ch = (unsigned char)text.ptr[i];

		if (ch != '#') {
			int d = digit_value(ch, (int)base);

			if (d >= (int)base)
				return "value too great for base";
			v = v * base + (uint64_t)d;
			continue;
		}
		if (based)
			return "invalid number";
		if (v < 2 || v > 64)
			return "invalid arithmetic base";
		if (i + 1 == text.len)
			return "invalid integer constant";
		based = true;
		base = v;
		v = 0;
	}
	*out = (int64_t)v;
	return NULL;
}

/* A number that makes no sense: bash shows the text only up to its end. */
static void fail_number(struct arith_compiler *c, const char *message, uint32_t end)
{
	arith_fail(c, message, c->start);
	c->out->code[c->out->length - 1].amount = 1;
	arith_emit(c, AOP_END, end);
	c->kind = ATOK_STOP;
}

static void lex_number(struct arith_compiler *c)
{
	uint32_t end = c->start;
	const char *message;

	while (end < c->len && is_number_byte((unsigned char)c->text[end]))
		end++;
	message = number_value((struct bytes){ c->text + c->start, end - c->start }, &c->number);
	c->pos = end;
	c->kind = ATOK_NUMBER;
	if (message != NULL)
		fail_number(c, message, end);
}

static int second(const struct arith_compiler *c, uint32_t n)
{
	return c->start + n < c->len ? (unsigned char)c->text[c->start + n] : -1;
}

/* Whether ++ or -- stands before a variable. */
static bool name_follows(const struct arith_compiler *c, uint32_t at)
{
	while (at < c->len && arith_is_space(c->text[at]))
		at++;
	return at < c->len && byte_is_name((unsigned char)c->text[at]) &&
	       !byte_is_digit((unsigned char)c->text[at]);
}

static void set_op(struct arith_compiler *c, int op, uint32_t len)
{
	c->op = op;
	c->pos = c->start + len;
}

/* op= : assignment that combines. */
static void set_assign(struct arith_compiler *c, enum arith_op combine, uint32_t len)
{
	set_op(c, OP2_ASSIGN, len);
	c->combine = (uint8_t)combine;
}

static void lex_angle(struct arith_compiler *c, int ch)
{
	int op = ch == '<' ? OP2_SHL : OP2_SHR;

	if (second(c, 1) == '=')
		set_op(c, ch == '<' ? OP2_LE : OP2_GE, 2);
	else if (second(c, 1) != ch)
		set_op(c, ch, 1);
	else if (second(c, 2) == '=')
		set_assign(c, op == OP2_SHL ? AOP_SHL : AOP_SHR, 3);
	else
		set_op(c, op, 2);
}

static void lex_sign(struct arith_compiler *c, int ch)
{
	if (second(c, 1) == '=')
		set_assign(c, ch == '+' ? AOP_ADD : AOP_SUB, 2);
	else if (second(c, 1) == ch && name_follows(c, c->start + 2))
		set_op(c, ch == '+' ? OP2_INC : OP2_DEC, 2);
	else
		set_op(c, ch, 1);
}

static void lex_bits(struct arith_compiler *c, int ch, int doubled, enum arith_op combine)
{
	if (second(c, 1) == '=')
		set_assign(c, combine, 2);
	else if (second(c, 1) == ch && doubled != 0)
		set_op(c, doubled, 2);
	else
		set_op(c, ch, 1);
}

static void lex_op(struct arith_compiler *c, int ch)
{
	c->kind = ATOK_OP;
	switch (ch) {
	case '<':
	case '>': lex_angle(c, ch); break;
	case '+':
	case '-': lex_sign(c, ch); break;
	case '&': lex_bits(c, ch, OP2_AND, AOP_AND); break;
	case '|': lex_bits(c, ch, OP2_OR, AOP_OR); break;
	case '^': lex_bits(c, ch, 0, AOP_XOR); break;
	case '*': lex_bits(c, ch, OP2_POW, AOP_MUL); break;
	case '/': lex_bits(c, ch, 0, AOP_DIV); break;
	case '%': lex_bits(c, ch, 0, AOP_MOD); break;
	case '=':
		if (second(c, 1) == '=')
			set_op(c, OP2_EQ, 2);
		else
			set_assign(c, AOP_END, 1);
		break;
	case '!':
		if (second(c, 1) == '=')
			set_op(c, OP2_NE, 2);
		else
			set_op(c, ch, 1);
		break;
	case '~':
	case '(':
	case ')':
	case '?':
	case ':':
	case ',': set_op(c, ch, 1); break;
	default: c->kind = ATOK_BAD;
	}
}

static bool lex_hole(struct arith_compiler *c)
{
	if (c->nholes == 0 || c->holes->at != c->start)
		return false;
	c->kind = ATOK_HOLE;
	c->pos = c->start + (uint32_t)c->holes->len;
	return true;
}

/* Reads the next token. */
void arith_next(struct arith_compiler *c)
{
	int ch;

	if (c->failed) {
		c->kind = ATOK_STOP;
		return;
	}
	c->after_operand = c->kind == ATOK_NUMBER || c->kind == ATOK_NAME;
	c->previous = c->start;
	while (c->pos < c->len && arith_is_space(c->text[c->pos]))
		c->pos++;
	c->start = c->pos;
	if (c->pos >= c->len) {
		c->kind = ATOK_END;
		return;
	}
	ch = (unsigned char)c->text[c->pos];
	if (lex_hole(c))
		return;
	if (byte_is_digit(ch)) {
		lex_number(c);
	} else if (byte_is_name(ch)) {
		while (c->pos < c->len && byte_is_name((unsigned char)c->text[c->pos]))
			c->pos++;
		c->kind = ATOK_NAME;
	} else {
		lex_op(c, ch);
	}
}
