/* SPDX-License-Identifier: MIT
 *
 * rg's patterns: the syntax of Rust's regex crate, checked with its messages and written anew
 * for the engine, whose Perl dialect is close to it.
 *
 * What differs is turned round: classes within classes, \u, {n} that must be a repetition,
 * repetitions of repetitions. Escapes of any ASCII punctuation are taken, as newer versions of
 * rg do. (?-u) has no effect.
 */
#include "builtins/rg/rg.h"

enum { DEPTH_MAX = 250 };

struct frame {
	size_t open;     /* of the group in the pattern */
	size_t out_open; /* and in what is written */
	bool extended;
	bool dotall;
	bool ungreedy;
};

struct rust {
	struct rg *g;
	struct bytes p;
	size_t at;
	struct buf out;
	size_t atom;   /* where the last atom begins in out; SIZE_MAX: none */
	bool repeated; /* it has a repetition already */
	bool extended; /* (?x) */
	bool dotall;   /* (?s) */
	bool ungreedy; /* (?U) */
	bool upper;    /* a literal capital letter */
	bool literal;  /* any literal */
	struct frame stack[DEPTH_MAX];
	int depth;
	const char *error; /* "\\": the character `refused` */
	uint32_t refused;
	size_t error_from;
	size_t error_to;
	bool pcre_hint;
};

static bool fail(struct rust *x, size_t from, size_t to, const char *message)
{
	if (x->error == NULL) {
		x->error = message;
		x->error_from = from;
		x->error_to = to;
	}
	return false;
}

static bool more(const struct rust *x)
{
	return x->at < x->p.len;
}

static char peek(const struct rust *x)
{
	return more(x) ? x->p.ptr[x->at] : '\0';
}

static bool looking_at(const struct rust *x, const char *text)
{
	return bytes_starts(bytes_slice(x->p, x->at, x->p.len), bytes_of(text));
}

/* --- single characters --- */

/* A code point that stands for itself, also within a class. */
static void put_code(struct rust *x, struct buf *out, uint32_t code)
{
	if (code < 128 && !byte_is_alnum((int)code) && code > 32)
		buf_printf(out, "\\%c", (int)code);
	else if (code < 128 && code > 32)
		buf_putc(out, (char)code);
	else
		buf_printf(out, "\\x{%x}", code);
	x->literal = true;
	x->upper |= code >= 'A' && code <= 'Z';
	if (code >= 128 && utf8_to_lower(code) != code)
		x->upper = true;
}

static uint32_t take_code(struct rust *x)
{
	uint32_t code;
	size_t len = utf8_decode(x->p, x->at, &code);

	if (len == 0) {
		code = (unsigned char)x->p.ptr[x->at];
		len = 1;
	}
	x->at += len;
	return code;
}

/* \x41 \x{41} \u0041 \U00000041, behind the letter. */
static bool take_hex(struct rust *x, size_t digits, uint32_t *code)
{
	size_t from = x->at;
	bool brace = peek(x) == '{';
	uint64_t value = 0;
	size_t n = 0;

	x->at += brace;
	while (more(x) && (brace ? peek(x) != '}' : n < digits)) {
		int digit = byte_digit((unsigned char)peek(x));

		if (digit < 0 || digit > 15)
			return fail(x, x->at, x->at + 1, "invalid hexadecimal digit");
		value = value * 16 + (uint64_t)digit;
		if (value > UINT32_MAX)
			value = UINT32_MAX;
		x->at++;
		n++;
	}
	if (!more(x) && (brace || n < digits))
		return fail(x, from, x->at,
			    "incomplete escape sequence, reached end of pattern prematurely");
	if (brace && n == 0)
		return fail(x, from, x->at + 1, "hexadecimal literal empty");
	if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return fail(x, from + brace, x->at,
			    "hexadecimal literal is not a Unicode scalar value");
	x->at += brace;
	*code = (uint32_t)value;
	return true;
}

/* Names for what the engine knows by another. */
static const char *const properties[][2] = {
	{ "Letter", "L" },      { "Alphabetic", "L" },
	{ "Lowercase", "Ll" },  { "Lowercase_Letter", "Ll" },
	{ "Uppercase", "Lu" },  { "Uppercase_Letter", "Lu" },
	{ "Number", "N" },      { "Decimal_Number", "Nd" },
	{ "Punctuation", "P" }, { "Symbol", "S" },
	{ "Separator", "Z" },   { "White_Space", "Z" },
	{ "Mark", "M" },        { "Control", "Cc" },
	{ "Other", "C" },
};

/* \pL \p{Greek} \P{..}: passed on; false after an error. */
static bool take_property(struct rust *x, struct buf *out, size_t from)
{
	const char *message;
	struct regex *re;
	size_t offset;

	if (peek(x) == '{') {
		const char *end = memchr(x->p.ptr + x->at, '}', x->p.len - x->at);

		if (end == NULL)
			return fail(x, from, x->p.len,
				    "incomplete escape sequence, reached end of pattern "
				    "prematurely");
		x->at = (size_t)(end - x->p.ptr) + 1;
	} else if (more(x)) {
		x->at++;
	}
	struct bytes text = bytes_slice(x->p, from, x->at);

	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (text.len > 4 &&
		    bytes_is(bytes_slice(text, 3, text.len - 1), properties[i][0])) {
			buf_printf(out, "\\%c{%s}", text.ptr[1], properties[i][1]);
			return true;
		}
	if (regex_compile(x->g->c->arena, text, REGEX_PERL | REGEX_UTF8, &re, &message, &offset) !=
	    0)
		return fail(x, from, x->at, "Unicode property not found");
	buf_add(out, text);
	return true;
}

/* A letter behind a backslash that is a character: its code, or UINT32_MAX. */
static uint32_t simple_escape(char letter)
{
	switch (letter) {
	case 'a': return 7;
	case 'f': return 12;
	case 'n': return 10;
	case 'r': return 13;
	case 't': return 9;
	case 'v': return 11;
	default: return UINT32_MAX;
	}
}

static bool ends_in_cr(const struct rust *x)
{
	return x->g->ends == RG_ENDS_CRLF && !x->g->multiline;
}

static bool is_allowed(struct rust *x, uint32_t code)
{
	if (rg_refusal(x->g, code) == NULL)
		return true;
	x->refused = code;
	x->error = "\\";
	return false;
}

/* The escape at x->at. *single: it is one character, *code; else it was written. */
static bool take_escape(struct rust *x, struct buf *out, bool in_class, bool *single,
			uint32_t *code)
{
	size_t from = x->at++;
	char letter = peek(x);

	*single = true;
	if (!more(x))
		return fail(x, from, from + 1,
			    "incomplete escape sequence, reached end of pattern prematurely");
	*code = simple_escape(letter);
	x->at++;
	if (*code != UINT32_MAX)
		return true;
	if (letter == 'x' || letter == 'u' || letter == 'U')
		return take_hex(x, letter == 'x' ? 2 : letter == 'u' ? 4 : 8, code);
	*single = false;
	if (letter != '\0' && strchr("DSWs", letter) != NULL && !in_class && ends_in_cr(x)) {
		/* What ends a line is no part of it. */
		buf_printf(out, letter == 's' ? "[^\\S\\r]" : "[^\\%c\\r]", byte_to_lower(letter));
		return true;
	}
	if (letter == 'p' || letter == 'P')
		return take_property(x, out, from);
	if (letter != '\0' && strchr("dDsSwW", letter) != NULL) {
		buf_printf(out, "\\%c", letter);
		return true;
	}
	if (!in_class && letter != '\0' && strchr("AzbB", letter) != NULL) {
		buf_printf(out, "\\%c", letter);
		return true;
	}
	if (byte_is_digit(letter)) {
		x->pcre_hint = true;
		return fail(x, from, x->at, "backreferences are not supported");
	}
	*single = true;
	*code = (unsigned char)letter;
	if ((unsigned char)letter < 128 && letter >= ' ' && !byte_is_alnum(letter))
		return true;
	return fail(x, from, x->at, "unrecognized escape sequence");
}

/* --- classes --- */

/* A class as the engine reads it: items for between brackets, or (whole) an expression that
 * matches one character. */
struct class
{
	struct buf items;
	bool negate;
	bool whole;
};

static const struct {
	const char *name;
	const char *items;
} posix[] = {
	{ "alnum", "0-9A-Za-z" },
	{ "alpha", "A-Za-z" },
	{ "ascii", "\\x00-\\x7f" },
	{ "blank", "\\t\\x20" },
	{ "cntrl", "\\x00-\\x1f\\x7f" },
	{ "digit", "0-9" },
	{ "graph", "\\x21-\\x7e" },
	{ "lower", "a-z" },
	{ "print", "\\x20-\\x7e" },
	{ "punct", "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e" },
	{ "space", "\\t\\n\\x0b\\f\\r\\x20" },
	{ "upper", "A-Z" },
	{ "word", "0-9A-Za-z_" },
	{ "xdigit", "0-9A-Fa-f" },
};

/* [:name:] at x->at. */
static bool take_posix(struct rust *x, struct buf *items)
{
	static const char *const inverse[] = {
		"\\x00-/:-@\\x5b-`{-\\x{10ffff}",
		"\\x00-@\\x5b-`{-\\x{10ffff}",
		"\\x80-\\x{10ffff}",
		"\\x00-\\x08\\x0a-\\x1f!-\\x{10ffff}",
		"\\x20-~\\x80-\\x{10ffff}",
		"\\x00-/:-\\x{10ffff}",
		"\\x00-\\x20\\x7f-\\x{10ffff}",
		"\\x00-`{-\\x{10ffff}",
		"\\x00-\\x1f\\x7f-\\x{10ffff}",
		"\\x00-\\x200-9A-Za-z\\x7f-\\x{10ffff}",
		"\\x00-\\x08\\x0e-\\x1f!-\\x{10ffff}",
		"\\x00-@\\x5b-\\x{10ffff}",
		"\\x00-/:-@\\x5b-\\x5e`{-\\x{10ffff}",
		"\\x00-/:-@G-`g-\\x{10ffff}",
	};
	bool negate = looking_at(x, "[:^");
	size_t from = x->at + 2 + negate;

	for (size_t i = 0; i < sizeof(posix) / sizeof(posix[0]); i++) {
		size_t len = strlen(posix[i].name);
		struct bytes rest = bytes_slice(x->p, from, x->p.len);

		if (bytes_starts(rest, bytes_of(posix[i].name)) && rest.len > len + 1 &&
		    rest.ptr[len] == ':' && rest.ptr[len + 1] == ']') {
			buf_puts(items, negate ? inverse[i] : posix[i].items);
			x->at = from + len + 2;
			return true;
		}
	}
	return false;
}

static bool take_class(struct rust *x, struct class *out, int depth);

/* The class as an expression for one character. */
static void put_whole(struct buf *out, const struct class *k)
{
	if (k->whole && k->negate) {
		buf_puts(out, "(?:(?!");
		buf_add(out, buf_bytes(&k->items));
		buf_puts(out, ")[\\s\\S])");
	} else if (k->whole) {
		buf_add(out, buf_bytes(&k->items));
	} else {
		buf_puts(out, k->negate ? "[^" : "[");
		buf_add(out, buf_bytes(&k->items));
		buf_putc(out, ']');
	}
}

/* left OP right, one of && -- ~~, as look-ahead. */
static void combine(struct rust *x, struct class *left, char op, const struct class *right)
{
	struct buf a = buf_in(x->g->c->arena);
	struct buf b = buf_in(x->g->c->arena);
	struct buf both = buf_in(x->g->c->arena);

	put_whole(&a, left);
	put_whole(&b, right);
	if (op == '&')
		buf_printf(&both, "(?:(?=%s)%s)", buf_cstr(&b), buf_cstr(&a));
	else if (op == '-')
		buf_printf(&both, "(?:(?!%s)%s)", buf_cstr(&b), buf_cstr(&a));
	else
		buf_printf(&both, "(?:(?!%s)%s|(?!%s)%s)", buf_cstr(&b), buf_cstr(&a), buf_cstr(&a),
			   buf_cstr(&b));
	left->items = both;
	left->whole = true;
	left->negate = false;
}

/* A class within a class joins it. */
static void unite(struct rust *x, struct class *left, const struct class *right)
{
	struct buf text = buf_in(x->g->c->arena);

	if (!left->whole && !right->whole && !right->negate) {
		buf_add(&left->items, buf_bytes(&right->items));
		return;
	}
	buf_puts(&text, "(?:");
	if (left->items.len != 0) {
		put_whole(&text, left);
		buf_putc(&text, '|');
	}
	put_whole(&text, right);
	buf_putc(&text, ')');
	left->items = text;
	left->whole = true;
}

/* One character of a class, or a range. */
static bool take_item(struct rust *x, struct buf *items)
{
	size_t from = x->at;
	uint32_t low;
	uint32_t high;
	bool single = true;

	if (peek(x) == '\\') {
		if (!take_escape(x, items, true, &single, &low))
			return false;
	} else {
		low = take_code(x);
	}
	if (!single)
		return true;
	if (low == '\r' && ends_in_cr(x))
		return true;
	put_code(x, items, low);
	if (peek(x) != '-' || x->at + 1 >= x->p.len || x->p.ptr[x->at + 1] == ']' ||
	    x->p.ptr[x->at + 1] == '-')
		return true;
	x->at++;
	if (peek(x) == '\\') {
		if (!take_escape(x, items, true, &single, &high))
			return false;
		if (!single)
			return fail(x, from, x->at, "invalid range boundary, must be a literal");
	} else {
		high = take_code(x);
	}
	if (high < low)
		return fail(x, from, x->at,
			    "invalid character class range, the start must be <= the end");
	buf_putc(items, '-');
	put_code(x, items, high);
	return true;
}

static bool add_nested(struct rust *x, struct class *k, int depth)
{
	struct class inner;

	if (looking_at(x, "[:") && take_posix(x, &k->items))
		return true;
	if (!take_class(x, &inner, depth + 1))
		return false;
	unite(x, k, &inner);
	return true;
}

/* A class at x->at, which is '['. */
static bool take_class(struct rust *x, struct class *out, int depth)
{
	size_t from = x->at++;
	struct class k = { .items = buf_in(x->g->c->arena) };
	struct class left = k;
	char op = 0;
	bool first = true;
	bool negate = peek(x) == '^';

	if (depth > 20)
		return fail(x, from, x->at, "exceeded the maximum number of nested classes");
	x->at += negate;
	for (;; first = false) {
		if (!more(x))
			return fail(x, from,
				    first && !negate ? from + 1
				    : negate         ? x->p.len
						     : from + 1,
				    "unclosed character class");
		if (peek(x) == ']' && !first)
			break;
		if (peek(x) == '[') {
			if (!add_nested(x, &k, depth))
				return false;
		} else if (looking_at(x, "&&") || looking_at(x, "~~") ||
			   (looking_at(x, "--") && !first)) {
			if (op != 0)
				combine(x, &left, op, &k);
			else
				left = k;
			op = peek(x);
			x->at += 2;
			k = (struct class){ .items = buf_in(x->g->c->arena) };
		} else if (k.whole) {
			struct class one = { .items = buf_in(x->g->c->arena) };

			if (!take_item(x, &one.items))
				return false;
			unite(x, &k, &one);
		} else if (!take_item(x, &k.items)) {
			return false;
		}
	}
	x->at++;
	if (op != 0) {
		combine(x, &left, op, &k);
		k = left;
	}
	if (negate && k.negate) {
		struct class plain = { .items = buf_in(x->g->c->arena), .whole = true };

		put_whole(&plain.items, &k);
		k = plain;
	}
	k.negate ^= negate;
	if (k.negate && !k.whole && ends_in_cr(x))
		buf_puts(&k.items, "\\r");
	*out = k;
	return true;
}

/* --- repetition, groups --- */

static bool take_number(struct rust *x, uint32_t *n)
{
	size_t from = x->at;

	*n = 0;
	while (byte_is_digit(peek(x))) {
		*n = *n * 10 + (uint32_t)(peek(x) - '0');
		if (*n > 100000)
			*n = 100000;
		x->at++;
	}
	if (x->at > from)
		return true;
	return fail(x, x->at, x->at, "repetition quantifier expects a valid decimal");
}

/* {n} {n,} {n,m} at x->at, appended to `op`. */
static bool take_counted(struct rust *x, struct buf *op)
{
	size_t from = x->at++;
	uint32_t low;
	uint32_t high;

	if (!more(x))
		return fail(x, from, x->at, "unclosed counted repetition");
	if (!take_number(x, &low))
		return false;
	buf_printf(op, "{%u", low);
	if (peek(x) == ',') {
		x->at++;
		buf_putc(op, ',');
		if (more(x) && peek(x) != '}') {
			if (!take_number(x, &high))
				return false;
			buf_printf(op, "%u", high);
			if (high < low)
				return fail(x, from, x->at + 1,
					    "invalid repetition count range, the start must be "
					    "<= the end");
		}
	}
	if (peek(x) != '}' || !more(x))
		return fail(x, from, x->at, "unclosed counted repetition");
	x->at++;
	buf_putc(op, '}');
	return true;
}

static bool take_repetition(struct rust *x)
{
	struct buf op = buf_in(x->g->c->arena);
	size_t from = x->at;

	if (x->atom == SIZE_MAX)
		return fail(x, from, from + 1, "repetition operator missing expression");
	if (peek(x) == '{') {
		if (!take_counted(x, &op))
			return false;
	} else {
		buf_putc(&op, x->p.ptr[x->at++]);
	}
	bool lazy = peek(x) == '?';

	x->at += lazy;
	if (lazy != x->ungreedy)
		buf_putc(&op, '?');
	/* Wrapped, because an operator behind another means something else to the engine. */
	struct buf atom = buf_in(x->g->c->arena);

	buf_add(&atom, bytes_slice(buf_bytes(&x->out), x->atom, x->out.len));
	x->out.len = x->atom;
	if (x->repeated)
		buf_printf(&x->out, "(?:%s)%s", buf_cstr(&atom), buf_cstr(&op));
	else
		buf_printf(&x->out, "%s%s", buf_cstr(&atom), buf_cstr(&op));
	x->repeated = true;
	return true;
}

static bool push(struct rust *x, size_t open)
{
	if (x->depth == DEPTH_MAX)
		return fail(x, open, open + 1, "exceeded the maximum number of nested groups");
	x->stack[x->depth++] = (struct frame){ open, x->out.len, x->extended, x->dotall,
					       x->ungreedy };
	x->atom = SIZE_MAX;
	return true;
}

/* (?P<name> and (?<name>, behind the '<'. */
static bool take_name(struct rust *x, size_t open)
{
	size_t from = x->at;

	while (more(x) && peek(x) != '>') {
		bool ok = byte_is_alnum(peek(x)) || peek(x) == '_' ||
			  (x->at > from && strchr(".[]", peek(x)) != NULL);

		if (!ok || (x->at == from && byte_is_digit(peek(x))))
			return fail(x, x->at, x->at + 1, "invalid capture group character");
		x->at++;
	}
	if (!more(x))
		return fail(x, x->at, x->at, "unclosed capture group name");
	if (x->at == from)
		return fail(x, x->at, x->at, "empty capture group name");
	if (!push(x, open))
		return false;
	buf_puts(&x->out, "(?<");
	buf_add(&x->out, bytes_slice(x->p, from, x->at));
	buf_putc(&x->out, '>');
	x->at++;
	return true;
}

/* (?flags) and (?flags:, behind the '?'. */
static bool take_flags(struct rust *x, size_t open)
{
	struct buf flags = buf_in(x->g->c->arena);
	bool negate = false;
	bool extended = x->extended;
	bool dotall = x->dotall;
	bool ungreedy = x->ungreedy;

	for (; more(x) && peek(x) != ')' && peek(x) != ':'; x->at++) {
		char ch = peek(x);

		if (ch == 'x')
			extended = !negate;
		else if (ch == '-' && !negate)
			negate = true;
		else if (ch == 'U')
			ungreedy = !negate;
		else if (ch == 's')
			dotall = !negate;
		else if (ch != 'i' && ch != 'm' && ch != 'u')
			return fail(x, x->at, x->at + 1, "unrecognized flag");
		if (ch != 'x' && ch != 'u' && ch != 'U')
			buf_putc(&flags, ch);
	}
	if (!more(x))
		return fail(x, x->at, x->at, "expected flag but got end of regex");
	if (flags.len == 1 && flags.ptr[0] == '-')
		flags.len = 0;
	if (x->p.ptr[x->at++] == ')') {
		if (flags.len != 0)
			buf_printf(&x->out, "(?%s)", buf_cstr(&flags));
		x->extended = extended;
		x->dotall = dotall;
		x->ungreedy = ungreedy;
		x->atom = SIZE_MAX;
		return true;
	}
	if (!push(x, open))
		return false;
	x->extended = extended;
	x->dotall = dotall;
	x->ungreedy = ungreedy;
	buf_printf(&x->out, "(?%s:", buf_cstr(&flags));
	return true;
}

static bool take_open(struct rust *x)
{
	size_t open = x->at++;

	if (peek(x) != '?') {
		if (!push(x, open))
			return false;
		buf_putc(&x->out, '(');
		return true;
	}
	x->at++;
	for (int i = 0; i < 4; i++) {
		static const char *const looks[] = { "=", "!", "<=", "<!" };

		if (looking_at(x, looks[i])) {
			x->pcre_hint = true;
			return fail(x, open, x->at + strlen(looks[i]),
				    "look-around, including look-ahead and look-behind, is not "
				    "supported");
		}
	}
	if (looking_at(x, "P<") || looking_at(x, "<")) {
		x->at += looking_at(x, "P<") ? 2 : 1;
		return take_name(x, open);
	}
	return take_flags(x, open);
}

static bool take_close(struct rust *x)
{
	if (x->depth == 0)
		return fail(x, x->at, x->at + 1, "unopened group");
	struct frame f = x->stack[--x->depth];

	x->at++;
	buf_putc(&x->out, ')');
	x->atom = f.out_open;
	x->repeated = false;
	x->extended = f.extended;
	x->dotall = f.dotall;
	x->ungreedy = f.ungreedy;
	return true;
}

/* --- the whole --- */

/* A class of one character is that character. */
static bool is_allowed_class(struct rust *x)
{
	static const char *const one[] = { "[\\n]", "[\\r]", "[\\x00]", "[\n]", "[\r]" };
	static const char codes[] = "\n\r\0\n\r";

	for (int i = 0; i < 5; i++)
		if (looking_at(x, one[i]))
			return is_allowed(x, (unsigned char)codes[i]);
	return true;
}

/* An anchor or a dot. Where lines do not end in a newline alone, they are said in full. */
static void put_special(struct rust *x, char ch)
{
	bool nul = x->g->ends == RG_ENDS_NUL && !x->g->multiline;

	if (ch == '$' && x->g->ends == RG_ENDS_CRLF)
		buf_puts(&x->out, "(?:\\r?$)");
	else if (ch == '.' && ends_in_cr(x))
		buf_puts(&x->out, "[^\\r\\n]");
	else if (ch == '.' && nul && !x->dotall)
		buf_puts(&x->out, "[^\\n]");
	else if (ch == '$' && nul)
		buf_puts(&x->out, "(?:$|(?=\\n))");
	else if (ch == '^' && nul)
		buf_puts(&x->out, "(?:^|(?<=\\n))");
	else
		buf_putc(&x->out, ch);
}

static bool take_atom(struct rust *x)
{
	size_t begin = x->out.len;
	struct class k;
	uint32_t code;
	bool single;

	switch (peek(x)) {
	case '[':
		if (!is_allowed_class(x) || !take_class(x, &k, 0))
			return false;
		put_whole(&x->out, &k);
		break;
	case '\\':
		if (!take_escape(x, &x->out, false, &single, &code))
			return false;
		if (!single)
			break;
		if (!is_allowed(x, code))
			return false;
		put_code(x, &x->out, code);
		break;
	case '.':
	case '^':
	case '$': put_special(x, x->p.ptr[x->at++]); break;
	default:
		code = take_code(x);
		if (!is_allowed(x, code))
			return false;
		put_code(x, &x->out, code);
		break;
	}
	x->atom = begin;
	x->repeated = false;
	return true;
}

static bool take_one(struct rust *x)
{
	char ch = peek(x);

	if (x->extended && byte_is_space(ch)) {
		x->at++;
		return true;
	}
	if (x->extended && ch == '#') {
		while (more(x) && peek(x) != '\n')
			x->at++;
		return true;
	}
	switch (ch) {
	case '(': return take_open(x);
	case ')': return take_close(x);
	case '|':
		x->at++;
		buf_putc(&x->out, '|');
		x->atom = SIZE_MAX;
		return true;
	case '*':
	case '+':
	case '?':
	case '{': return take_repetition(x);
	default: return take_atom(x);
	}
}

/* The error as ripgrep tells it. */
static const char *tell(struct rust *x)
{
	struct buf text = buf_in(x->g->c->arena);

	if (x->error[0] == '\\')
		return rg_refusal(x->g, x->refused);
	buf_puts(&text, "regex parse error:\n    ");
	buf_add(&text, x->p);
	buf_puts(&text, "\n    ");
	for (size_t i = 0; i < x->error_from; i++)
		if ((x->p.ptr[i] & 0xc0) != 0x80)
			buf_putc(&text, ' ');
	for (size_t i = x->error_from; i < x->error_to || i == x->error_from; i++)
		buf_putc(&text, '^');
	buf_printf(&text, "\nerror: %s", x->error);
	if (x->pcre_hint)
		buf_puts(&text, "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can "
				"handle backreferences\nand look-around.");
	return buf_cstr(&text);
}

const char *rg_translate(struct rg *g, struct bytes pattern, struct rg_pattern *out)
{
	struct rust *x = arena_zalloc(g->c->arena, sizeof *x);

	*x = (struct rust){ .g = g, .p = pattern, .out = buf_in(g->c->arena) };
	x->dotall = g->dotall && g->multiline;
	x->atom = SIZE_MAX;
	while (more(x) && take_one(x))
		cmd_charge(g->c, 1);
	if (x->error == NULL && x->depth > 0)
		fail(x, x->stack[x->depth - 1].open, x->stack[x->depth - 1].open + 1,
		     "unclosed group");
	*out = (struct rg_pattern){ x->out, x->literal, x->upper };
	return x->error != NULL ? tell(x) : NULL;
}
