/* SPDX-License-Identifier: MIT
 *
 * tr - translate, squeeze or delete bytes.
 *
 * A set is parsed into pieces (characters, ranges, classes, repeats) and then spelled out as a
 * list of bytes. The work is one table look-up a byte, from the input's pages to the output.
 */
#include "base/number.h"
#include "builtins/builtin.h"

enum { BYTES_ALL = 256 };

struct tr_opts {
	bool complement;
	bool delete;
	bool squeeze;
	bool truncate;
};

enum class {
	CLASS_ALNUM,
	CLASS_ALPHA,
	CLASS_BLANK,
	CLASS_CNTRL,
	CLASS_DIGIT,
	CLASS_GRAPH,
	CLASS_LOWER,
	CLASS_PRINT,
	CLASS_PUNCT,
	CLASS_SPACE,
	CLASS_UPPER,
	CLASS_XDIGIT,
	CLASS_NONE
};

enum piece_kind { PIECE_RANGE, PIECE_CLASS, PIECE_REPEAT };

struct piece {
	enum piece_kind kind;
	unsigned char from;
	unsigned char to;
	enum class class;
	uint64_t count; /* of a repeat; 0: as many as are needed */
};

struct set {
	struct piece *piece;
	size_t n;
	unsigned char *byte; /* spelled out */
	size_t nbytes;
	bool ends_in_class;
	bool has_class; /* other than upper and lower */
	bool has_fill;
	bool has_equivalence; /* [=c=] */
};

static const struct opt tr_options[] = {
	OPT_FLAG('c', "complement", struct tr_opts, complement, "use what is not in SET1"),
	OPT_FLAG('C', NULL, struct tr_opts, complement, "the same"),
	OPT_FLAG('d', "delete", struct tr_opts, delete, "delete what is in SET1"),
	OPT_FLAG('s', "squeeze-repeats", struct tr_opts, squeeze,
		 "one for several of the same in a row"),
	OPT_FLAG('t', "truncate-set1", struct tr_opts, truncate, "cut SET1 to the length of SET2"),
	OPT_END(),
};

/* --- classes --- */

static enum class class_of(struct bytes name)
{
	static const char *const names[] = {
		"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
		"space", "upper", "xdigit",
	};

	for (int i = 0; i < CLASS_NONE; i++)
		if (bytes_is(name, names[i]))
			return (enum class)i;
	return CLASS_NONE;
}

static bool in_class(enum class class, int b)
{
	switch (class) {
	case CLASS_ALNUM: return byte_is_alnum(b);
	case CLASS_ALPHA: return byte_is_alpha(b);
	case CLASS_BLANK: return byte_is_blank(b);
	case CLASS_CNTRL: return b < 0x20 || b == 0x7f;
	case CLASS_DIGIT: return byte_is_digit(b);
	case CLASS_GRAPH: return byte_is_print(b) && b != ' ';
	case CLASS_LOWER: return byte_is_lower(b);
	case CLASS_PRINT: return byte_is_print(b);
	case CLASS_PUNCT: return byte_is_punct(b);
	case CLASS_SPACE: return byte_is_space(b);
	case CLASS_UPPER: return byte_is_upper(b);
	case CLASS_XDIGIT: return byte_is_xdigit(b);
	case CLASS_NONE: break;
	}
	return false;
}

/* --- unescaping --- */

struct text {
	unsigned char *byte;
	bool *escaped;
	size_t n;
};

static int octal(struct cmd *c, const char *at, size_t *used)
{
	int value = 0;
	size_t n = 0;

	while (n < 3 && at[n] >= '0' && at[n] <= '7') {
		int next = value * 8 + at[n] - '0';

		if (next > 255) {
			cmd_warn(c, 0,
				 "warning: the ambiguous octal escape \\%c%c%c is being\n"
				 "\tinterpreted as the 2-byte sequence \\0%c%c, %c",
				 at[0], at[1], at[2], at[0], at[1], at[2]);
			break;
		}
		value = next;
		n++;
	}
	*used = n;
	return value;
}

static struct text unescape(struct cmd *c, const char *s)
{
	static const char letters[] = "abfnrtv\\";
	static const char values[] = "\a\b\f\n\r\t\v\\";
	size_t len = strlen(s);
	struct text t = { arena_alloc(c->arena, len + 1), arena_array(c->arena, len + 1, 1), 0 };

	for (size_t i = 0; i < len; i++) {
		size_t used = 1;

		t.escaped[t.n] = s[i] == '\\';
		if (s[i] != '\\') {
			t.byte[t.n++] = (unsigned char)s[i];
			continue;
		}
		const char *hit = s[i + 1] != '\0' ? strchr(letters, s[i + 1]) : NULL;

		if (s[i + 1] == '\0') {
			cmd_warn(
				c, 0,
				"warning: an unescaped backslash at end of string is not portable");
			t.byte[t.n] = '\\';
			t.escaped[t.n++] = false;
			break;
		}
		if (hit != NULL)
			t.byte[t.n++] = (unsigned char)values[hit - letters];
		else if (s[i + 1] >= '0' && s[i + 1] <= '7')
			t.byte[t.n++] = (unsigned char)octal(c, s + i + 1, &used);
		else
			t.byte[t.n++] = (unsigned char)s[i + 1];
		i += used;
	}
	return t;
}

/* --- parsing --- */

static bool is_plain(const struct text *t, size_t at, unsigned char byte)
{
	return at < t->n && t->byte[at] == byte && !t->escaped[at];
}

static void add_piece(struct set *s, struct piece p)
{
	s->piece[s->n++] = p;
}

/* "[:class:]" or "[=c=]" at `at`: where it ends, 0 if there is none, -1 after an error. */
static int64_t take_named(struct cmd *c, const struct text *t, size_t at, struct set *s)
{
	unsigned char mark = at + 1 < t->n ? t->byte[at + 1] : 0;
	size_t end = at + 2;

	if ((mark != ':' && mark != '=') || t->escaped[at + 1])
		return 0;
	while (end + 1 < t->n && !(is_plain(t, end, mark) && is_plain(t, end + 1, ']')))
		end++;
	if (end + 1 >= t->n)
		return 0;
	struct bytes name = { (const char *)t->byte + at + 2, end - at - 2 };

	if (name.len == 0) {
		cmd_error(c, 0, "missing %s",
			  mark == ':' ? "character class name '[::]'"
				      : "equivalence class character '[==]'");
		return -1;
	}
	if (mark == '=') {
		if (name.len != 1) {
			cmd_error(c, 0, "%s: equivalence class operand must be a single character",
				  arena_dup(c->arena, name));
			return -1;
		}
		s->has_equivalence = true;
		add_piece(s, (struct piece){ .kind = PIECE_RANGE,
					     .from = t->byte[at + 2],
					     .to = t->byte[at + 2] });
		return (int64_t)end + 2;
	}
	enum class class = class_of(name);

	if (class == CLASS_NONE) {
		cmd_error(c, 0, "invalid character class %s", cmd_quote_n(c, name));
		return -1;
	}
	add_piece(s, (struct piece){ .kind = PIECE_CLASS, .class = class });
	return (int64_t)end + 2;
}

/* "[c*n]" at `at`: as take_named. */
static int64_t take_repeat(struct cmd *c, const struct text *t, size_t at, struct set *s)
{
	size_t end = at + 3;
	uint64_t count = 0;
	bool overflow = false;

	if (at + 2 >= t->n || !is_plain(t, at + 2, '*'))
		return 0;
	while (end < t->n && !t->escaped[end] && t->byte[end] != ']')
		end++;
	if (end >= t->n || t->escaped[end])
		return 0;
	struct bytes digits = { (const char *)t->byte + at + 3, end - at - 3 };
	int base = bytes_starts(digits, BYTES("0")) ? 8 : 10;

	if (digits.len > 0 && (number_parse_u64(digits, base, &count, &overflow) != digits.len ||
			       overflow || memchr(digits.ptr, '-', digits.len) != NULL)) {
		cmd_error(c, 0, "invalid repeat count %s in [c*n] construct",
			  cmd_quote_n(c, digits));
		return -1;
	}
	add_piece(s,
		  (struct piece){ .kind = PIECE_REPEAT, .from = t->byte[at + 1], .count = count });
	return (int64_t)end + 1;
}

static int reversed(struct cmd *c, unsigned char from, unsigned char to)
{
	struct buf text = buf_in(c->arena);

	for (int i = 0; i < 2; i++) {
		unsigned char b = i == 0 ? from : to;

		if (byte_is_print(b))
			buf_putc(&text, (char)b);
		else
			buf_printf(&text, "\\%03o", b);
		if (i == 0)
			buf_putc(&text, '-');
	}
	return cmd_error(c, 0, "range-endpoints of '%s' are in reverse collating sequence order",
			 buf_cstr(&text));
}

static int parse_set(struct cmd *c, const char *arg, struct set *s)
{
	struct text t = unescape(c, arg);

	*s = (struct set){ .piece = arena_array(c->arena, t.n + 1, sizeof(*s->piece)) };
	for (size_t at = 0; at < t.n;) {
		int64_t end = 0;

		if (is_plain(&t, at, '[')) {
			end = take_named(c, &t, at, s);
			if (end == 0)
				end = take_repeat(c, &t, at, s);
			if (end < 0)
				return 1;
		}
		if (end > 0) {
			at = (size_t)end;
			continue;
		}
		struct piece p = { .kind = PIECE_RANGE, .from = t.byte[at], .to = t.byte[at] };

		if (at + 2 < t.n && is_plain(&t, at + 1, '-')) {
			p.to = t.byte[at + 2];
			if (p.to < p.from)
				return reversed(c, p.from, p.to);
			at += 3;
		} else {
			at++;
		}
		add_piece(s, p);
	}
	return 0;
}

/* --- spelling out --- */

static size_t piece_length(const struct piece *p)
{
	size_t n = 0;

	if (p->kind == PIECE_RANGE)
		return (size_t)(p->to - p->from) + 1;
	if (p->kind == PIECE_REPEAT)
		return p->count < BYTES_ALL * 8 ? (size_t)p->count : BYTES_ALL * 8;
	for (int b = 0; b < BYTES_ALL; b++)
		n += in_class(p->class, b);
	return n;
}

static void spell(struct set *s, const struct piece *p, size_t fill)
{
	size_t n = p->kind == PIECE_REPEAT && p->count == 0 ? fill : piece_length(p);

	if (p->kind == PIECE_REPEAT) {
		memset(s->byte + s->nbytes, p->from, n);
		s->nbytes += n;
	} else if (p->kind == PIECE_RANGE) {
		for (int b = p->from; b <= p->to; b++)
			s->byte[s->nbytes++] = (unsigned char)b;
	} else {
		for (int b = 0; b < BYTES_ALL; b++)
			if (in_class(p->class, b))
				s->byte[s->nbytes++] = (unsigned char)b;
	}
}

/* All bytes of the set; a [c*] is made so long that there are `wanted`. */
static void spell_out(struct cmd *c, struct set *s, size_t wanted)
{
	size_t fixed = 0;

	for (size_t i = 0; i < s->n; i++)
		fixed += piece_length(&s->piece[i]);
	size_t fill = wanted > fixed ? wanted - fixed : 0;

	s->byte = arena_alloc(c->arena, fixed + fill + 1);
	s->nbytes = 0;
	for (size_t i = 0; i < s->n; i++)
		spell(s, &s->piece[i], fill);
}

static void complement(struct cmd *c, struct set *s)
{
	bool member[BYTES_ALL] = { false };

	for (size_t i = 0; i < s->nbytes; i++)
		member[s->byte[i]] = true;
	s->byte = arena_alloc(c->arena, BYTES_ALL);
	s->nbytes = 0;
	for (int b = 0; b < BYTES_ALL; b++)
		if (!member[b])
			s->byte[s->nbytes++] = (unsigned char)b;
}

/* --- checks --- */

static void inspect(struct set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct piece *p = &s->piece[i];

		s->has_fill |= p->kind == PIECE_REPEAT && p->count == 0;
		s->has_class |= p->kind == PIECE_CLASS && p->class != CLASS_UPPER &&
				p->class != CLASS_LOWER;
	}
	s->ends_in_class = s->n > 0 && s->piece[s->n - 1].kind == PIECE_CLASS;
}

static bool is_case(const struct piece *p)
{
	return p->kind == PIECE_CLASS && (p->class == CLASS_UPPER || p->class == CLASS_LOWER);
}

static int misaligned(struct cmd *c)
{
	return cmd_error(c, 0, "misaligned [:upper:] and/or [:lower:] construct");
}

/* Where piece k of the set begins when spelled out. */
static size_t offset_of(const struct set *s, size_t k, size_t fill)
{
	size_t at = 0;

	for (size_t i = 0; i < k; i++)
		at += s->piece[i].kind == PIECE_REPEAT && s->piece[i].count == 0
			      ? fill
			      : piece_length(&s->piece[i]);
	return at;
}

/* Each [:upper:] or [:lower:] of SET2 must stand where SET1 has one. */
static int check_case(struct cmd *c, const struct set *s1, const struct set *s2, size_t fill)
{
	for (size_t k = 0; k < s2->n; k++) {
		bool found = false;

		if (!is_case(&s2->piece[k]))
			continue;
		for (size_t i = 0; i < s1->n; i++)
			found |= is_case(&s1->piece[i]) &&
				 offset_of(s1, i, 0) == offset_of(s2, k, fill);
		if (!found)
			return misaligned(c);
	}
	return 0;
}

static int check_sets(struct cmd *c, const struct tr_opts *o, struct set *s1, struct set *s2)
{
	size_t fills = 0;

	inspect(s1);
	if (s1->has_fill)
		return cmd_error(c, 0, "the [c*] repeat construct may not appear in string1");
	if (s2 == NULL)
		return 0;
	inspect(s2);
	for (size_t i = 0; i < s2->n; i++)
		fills += s2->piece[i].kind == PIECE_REPEAT && s2->piece[i].count == 0;
	if (fills > 1)
		return cmd_error(c, 0, "only one [c*] repeat construct may appear in string2");
	if (o->delete)
		return fills == 0 ? 0
				  : cmd_error(c, 0,
					      "the [c*] construct may appear in string2 only when "
					      "translating");
	if (s2->has_equivalence)
		return cmd_error(c, 0,
				 "[=c=] expressions may not appear in string2 when translating");
	if (s2->has_class)
		return cmd_error(c, 0,
				 "when translating, the only character classes that may appear in\n"
				 "string2 are 'upper' and 'lower'");
	return 0;
}

/* --- tables --- */

struct tables {
	unsigned char map[BYTES_ALL];
	bool drop[BYTES_ALL];
	bool squeeze[BYTES_ALL];
};

static void mark(bool table[BYTES_ALL], const struct set *s)
{
	for (size_t i = 0; i < s->nbytes; i++)
		table[s->byte[i]] = true;
}

/* [:upper:] against [:lower:] maps letter to letter, whatever else stands in the sets. */
static void map_bytes(struct tables *t, const struct set *s1, const struct set *s2)
{
	for (size_t i = 0; i < s1->nbytes; i++)
		t->map[s1->byte[i]] = i < s2->nbytes ? s2->byte[i] : s2->byte[s2->nbytes - 1];
}

static int make_translation(struct cmd *c, const struct tr_opts *o, struct tables *t,
			    struct set *s1, struct set *s2)
{
	size_t fixed = 0;

	spell_out(c, s1, 0);
	for (size_t i = 0; i < s2->n; i++)
		fixed += piece_length(&s2->piece[i]);
	size_t fill = s1->nbytes > fixed ? s1->nbytes - fixed : 0;
	int status = o->complement ? 0 : check_case(c, s1, s2, fill);

	if (status != 0)
		return status;
	bool had_class = false;

	for (size_t i = 0; i < s1->n; i++)
		had_class |= s1->piece[i].kind == PIECE_CLASS;
	if (o->complement)
		complement(c, s1);
	spell_out(c, s2, s1->nbytes);
	if (s2->nbytes == 0 && s1->nbytes != 0 && !o->truncate)
		return cmd_error(c, 0, "when not truncating set1, string2 must be non-empty");
	if (o->truncate && s1->nbytes > s2->nbytes)
		s1->nbytes = s2->nbytes;
	if (s1->nbytes > s2->nbytes && s2->ends_in_class)
		return cmd_error(c, 0,
				 "when translating with string1 longer than string2,\n"
				 "the latter string must not end with a character class");
	if (o->complement && had_class) {
		for (size_t i = 0; i < s2->nbytes; i++)
			if (s2->byte[i] != s2->byte[0] || o->truncate)
				return cmd_error(
					c, 0,
					"when translating with complemented character classes,\n"
					"string2 must map all characters in the domain to one");
	}
	map_bytes(t, s1, s2);
	return 0;
}

static int make_tables(struct cmd *c, const struct tr_opts *o, struct tables *t)
{
	struct set s1;
	struct set s2;
	bool two = c->nargs > 1;
	int status = parse_set(c, c->args[0], &s1);

	for (int b = 0; b < BYTES_ALL; b++)
		t->map[b] = (unsigned char)b;
	if (status == 0 && two)
		status = parse_set(c, c->args[1], &s2);
	if (status == 0)
		status = check_sets(c, o, &s1, two ? &s2 : NULL);
	if (status != 0)
		return status;
	if (two && !o->delete) {
		status = make_translation(c, o, t, &s1, &s2);
	} else {
		spell_out(c, &s1, 0);
		if (o->complement)
			complement(c, &s1);
		if (two)
			spell_out(c, &s2, 0);
	}
	if (o->delete)
		mark(t->drop, &s1);
	if (o->squeeze)
		mark(t->squeeze, two ? &s2 : &s1);
	return status;
}

/* --- the work --- */

static void translate(struct output *out, const struct tables *t, struct bytes s)
{
	char *to = output_space(out, s.len);
	const unsigned char *from = (const unsigned char *)s.ptr;

	for (size_t i = 0; i < s.len; i++)
		to[i] = (char)t->map[from[i]];
	output_added(out, s.len);
}

/* Everything at once; *last is the last byte written, -1 before any. */
static void transform(struct output *out, const struct tables *t, struct bytes s, int *last)
{
	char *to = output_space(out, s.len);
	const unsigned char *from = (const unsigned char *)s.ptr;
	size_t n = 0;
	int previous = *last;

	for (size_t i = 0; i < s.len; i++) {
		unsigned char b = t->map[from[i]];
		bool put = !t->drop[from[i]] && !(b == previous && t->squeeze[b]);

		to[n] = (char)b;
		n += put;
		previous = put ? b : previous;
	}
	*last = previous;
	output_added(out, n);
}

static int run_tables(struct cmd *c, const struct tr_opts *o, const struct tables *t)
{
	struct input in;
	struct bytes block;
	int last = -1;
	int more;

	input_init(&in, c, 0, "-");
	while ((more = input_chunk(&in, &block)) > 0) {
		for (size_t at = 0; at < block.len; at += 8192) {
			size_t to = block.len - at < 8192 ? block.len : at + 8192;

			if (o->delete || o->squeeze)
				transform(&c->out, t, bytes_slice(block, at, to), &last);
			else
				translate(&c->out, t, bytes_slice(block, at, to));
		}
		cmd_charge_bytes(c, block.len);
	}
	return more < 0 ? cmd_error(c, more, "read error") : 0;
}

static int check_operands(struct cmd *c, const struct tr_opts *o)
{
	bool two_needed = o->delete == o->squeeze;
	int most = o->delete &&!o->squeeze ? 1 : 2;
	const char *why = NULL;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (c->nargs < 1 + two_needed) {
		cmd_error(c, 0, "missing operand after %s", cmd_quote(c, c->args[c->nargs - 1]));
		why = o->squeeze ? "Two strings must be given when both deleting and squeezing "
				   "repeats.\n"
				 : "Two strings must be given when translating.\n";
	} else if (c->nargs > most) {
		cmd_error(c, 0, "extra operand %s", cmd_quote(c, c->args[most]));
		if (c->nargs == 2)
			why = "Only one string may be given when deleting without squeezing "
			      "repeats.\n";
		else
			return cmd_usage(c, NULL);
	}
	if (why == NULL)
		return 0;
	cmd_err_write(c, why, strlen(why));
	return cmd_usage(c, NULL);
}

static int tr_run(struct cmd *c)
{
	const struct tr_opts *o = c->opts;
	struct tables t = { .map = { 0 } };
	int status = check_operands(c, o);

	if (status == 0)
		status = make_tables(c, o, &t);
	return status != 0 ? status : run_tables(c, o, &t);
}

const struct builtin builtin_tr = {
	.name = "tr",
	.usage = "[OPTION]... SET1 [SET2]",
	.summary =
		"Copies standard input, with the bytes of SET1 replaced by those of SET2.\n"
		"Sets hold characters, ranges a-z, [:class:], [=c=], and in SET2 [c*] and [c*N].",
	.run = tr_run,
	.opts = tr_options,
	.opts_size = sizeof(struct tr_opts),
	.flags = BUILTIN_STOP, /* sets may begin with '-' */
};
