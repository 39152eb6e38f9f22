/* SPDX-License-Identifier: MIT
 *
 * Perl's classes: [...], \d and its kin, and properties of characters.
 */
#include "base/regex/perl.h"

static bool unicode(const struct perl *x)
{
	return rx_utf8(x->p) && (x->p->flags & REGEX_UCP) != 0;
}

static void add_horizontal(struct perl *x, struct rx_set *s)
{
	static const struct rx_range wide[] = {
		{ 0x1680, 0x1680 }, { 0x180e, 0x180e }, { 0x2000, 0x200a },
		{ 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
	};

	rx_set_add(x->p->arena, s, '\t', '\t');
	rx_set_add(x->p->arena, s, ' ', ' ');
	rx_set_add(x->p->arena, s, 0xa0, 0xa0);
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]) && rx_utf8(x->p); i++)
		rx_set_add(x->p->arena, s, wide[i].lo, wide[i].hi);
}

static void add_letter_class(struct perl *x, struct rx_set *s, int letter)
{
	struct arena *a = x->p->arena;

	switch (letter) {
	case 'd':
		if (unicode(x))
			rx_set_add_general(a, s, utf8_general_mask(BYTES("Nd")));
		else
			rx_set_add(a, s, '0', '9');
		break;
	case 'w': rx_set_add_word(a, s, unicode(x)); break;
	case 's': rx_set_add_class(a, s, UTF8_SPACE, unicode(x)); break;
	case 'h': add_horizontal(x, s); break;
	default:
		rx_set_add(a, s, '\n', '\r');
		rx_set_add(a, s, 0x85, 0x85);
		if (rx_utf8(x->p))
			rx_set_add(a, s, 0x2028, 0x2029);
	}
}

/* A property by its name; false if it is not known. */
static bool add_property(struct perl *x, struct rx_set *s, struct bytes name)
{
	static const struct {
		char name[8];
		struct rx_range range[4];
	} scripts[] = {
		{ "Latin", { { 'A', 'Z' }, { 'a', 'z' }, { 0xc0, 0x24f }, { 0x1e00, 0x1eff } } },
		{ "Greek", { { 0x370, 0x3ff }, { 0x1f00, 0x1fff }, { 0, 0 }, { 0, 0 } } },
		{ "Han",
		  { { 0x2e80, 0x2fd5 },
		    { 0x3005, 0x3007 },
		    { 0x3400, 0x9fff },
		    { 0x20000, 0x323af } } },
	};
	uint32_t mask = utf8_general_mask(name);

	if (bytes_is(name, "L&"))
		mask = utf8_general_mask(BYTES("Lu")) | utf8_general_mask(BYTES("Ll")) |
		       utf8_general_mask(BYTES("Lt"));
	if (bytes_is(name, "Any"))
		mask = UINT32_MAX;
	if (mask != 0) {
		rx_set_add_general(x->p->arena, s, mask);
		return true;
	}
	if (bytes_is(name, "Xan") || bytes_is(name, "Xwd")) {
		rx_set_add_general(x->p->arena, s,
				   utf8_general_mask(BYTES("L")) | utf8_general_mask(BYTES("N")));
		if (name.ptr[1] == 'w')
			rx_set_add(x->p->arena, s, '_', '_');
		return true;
	}
	if (bytes_is(name, "Xsp") || bytes_is(name, "Xps")) {
		rx_set_add_class(x->p->arena, s, UTF8_SPACE, true);
		return true;
	}
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		if (!bytes_is(name, scripts[i].name))
			continue;
		for (int k = 0; k < 4 && scripts[i].range[k].hi != 0; k++)
			rx_set_add(x->p->arena, s, scripts[i].range[k].lo, scripts[i].range[k].hi);
		return true;
	}
	return false;
}

/* \pL, \p{Lu}, \p{^Lu}, \P{Lu}; behind the p. */
static void take_property(struct perl *x, struct rx_set *s, bool negate)
{
	struct rx_set one = { 0 };
	struct bytes name;
	size_t from;

	if (!perl_take(x, "{")) {
		if (!perl_more(x)) {
			rx_error(x->p, "malformed \\P or \\p sequence");
			return;
		}
		name = bytes_slice(x->p->p, x->p->at, x->p->at + 1);
		x->p->at++;
	} else {
		negate ^= perl_take(x, "^");
		from = x->p->at;
		while (perl_more(x) && perl_peek(x) != '}')
			x->p->at++;
		name = bytes_slice(x->p->p, from, x->p->at);
		if (!perl_take(x, "}")) {
			rx_error(x->p, "malformed \\P or \\p sequence");
			return;
		}
	}
	if (!add_property(x, &one, name)) {
		rx_error(x->p, "unknown property after \\P or \\p");
		return;
	}
	rx_set_finish(&one);
	if (negate)
		rx_set_negate(x->p->arena, &one, rx_utf8(x->p));
	rx_set_add_set(x->p->arena, s, &one);
}

bool perl_add_class(struct perl *x, struct rx_set *s)
{
	struct rx_set one = { 0 };
	char c = perl_peek(x);
	int letter = byte_to_lower((unsigned char)c);

	if (letter == 'p') {
		x->p->at++;
		take_property(x, s, c == 'P');
		return true;
	}
	if (c == '\0' || strchr("dwshv", letter) == NULL)
		return false;
	x->p->at++;
	add_letter_class(x, &one, letter);
	rx_set_finish(&one);
	if (byte_is_upper((unsigned char)c))
		rx_set_negate(x->p->arena, &one, rx_utf8(x->p));
	rx_set_add_set(x->p->arena, s, &one);
	return true;
}

/* Whether [: :], [. .] or [= =] begins at p[at]; which one is in *kind. */
static bool is_posix_syntax(struct bytes p, size_t at, char *kind)
{
	if (at + 1 >= p.len || p.ptr[at] != '[' || memchr(".:=", p.ptr[at + 1], 3) == NULL)
		return false;
	*kind = p.ptr[at + 1];
	for (size_t i = at + 2; i + 1 < p.len && p.ptr[i] != ']'; i++) {
		if (p.ptr[i] == *kind && p.ptr[i + 1] == ']')
			return true;
		if (p.ptr[i] == '[' && p.ptr[i + 1] == *kind)
			return false;
		if (p.ptr[i] == '\\' && (p.ptr[i + 1] == ']' || p.ptr[i + 1] == '\\'))
			i++;
	}
	return false;
}

bool perl_refuse_posix(struct perl *x, size_t at)
{
	char kind;

	if (!is_posix_syntax(x->p->p, at, &kind))
		return false;
	rx_error(x->p, kind == ':' ? "POSIX named classes are supported only within a class"
				   : "POSIX collating elements are not supported");
	return true;
}

/* [:name:] or [:^name:] at p->at; false, and nothing taken, if it is none. */
static bool take_posix(struct perl *x, struct rx_set *s)
{
	struct bytes p = x->p->p;
	size_t from = x->p->at + 2;
	size_t end = from;
	struct rx_set one = { 0 };
	struct bytes name;
	bool negate;

	if (!bytes_starts(bytes_slice(p, x->p->at, p.len), BYTES("[:")))
		return x->p->at < p.len && p.ptr[x->p->at] == '[' && perl_refuse_posix(x, x->p->at);
	while (end < p.len && (byte_is_alpha(p.ptr[end]) || p.ptr[end] == '^'))
		end++;
	if (!bytes_starts(bytes_slice(p, end, p.len), BYTES(":]")))
		return false;
	negate = p.ptr[from] == '^';
	name = bytes_slice(p, from + negate, end);
	x->p->at = end + 2;
	if (bytes_is(name, "word"))
		rx_set_add_word(x->p->arena, &one, unicode(x));
	else if (bytes_is(name, "ascii"))
		rx_set_add(x->p->arena, &one, 0, 0x7f);
	else if (utf8_class_of(name) != UTF8_NCLASSES)
		rx_set_add_class(x->p->arena, &one, utf8_class_of(name), unicode(x));
	else
		rx_error(x->p, "unknown POSIX class name");
	rx_set_finish(&one);
	if (negate)
		rx_set_negate(x->p->arena, &one, rx_utf8(x->p));
	rx_set_add_set(x->p->arena, s, &one);
	return true;
}

/* One end of a range: a character; RX_NONE if it is a class, which is added. */
static uint32_t take_end(struct perl *x, struct rx_set *s)
{
	uint32_t c;

	if (take_posix(x, s))
		return RX_NONE;
	if (!perl_take(x, "\\"))
		return rx_take_char(x->p);
	if (!perl_more(x)) {
		rx_error(x->p, "\\ at end of pattern");
		return RX_NONE;
	}
	if (perl_take(x, "E"))
		return RX_NONE;
	if (perl_add_class(x, s))
		return RX_NONE;
	c = perl_char_escape(x, true);
	if (c == RX_NONE)
		rx_error(x->p, "unrecognized character follows \\");
	return c;
}

static bool is_range(const struct perl *x)
{
	size_t at = x->p->at;

	return at + 1 < x->p->p.len && x->p->p.ptr[at] == '-' && x->p->p.ptr[at + 1] != ']';
}

static void take_item(struct perl *x, struct rx_set *s)
{
	uint32_t lo = take_end(x, s);
	uint32_t hi = lo;

	if (lo == RX_NONE || x->p->error != NULL)
		return;
	if (is_range(x)) {
		x->p->at++;
		hi = take_end(x, s);
		if (hi == RX_NONE) {
			rx_set_add(x->p->arena, s, '-', '-');
			hi = lo;
		} else if (hi < lo) {
			rx_error(x->p, "range out of order in character class");
			return;
		}
	}
	rx_set_add(x->p->arena, s, lo, hi);
}

struct rx_node *perl_class(struct perl *x)
{
	struct rx_set *s = rx_set_new(x->p->arena);
	bool negate = perl_take(x, "^");

	for (bool first = true; first || perl_peek(x) != ']'; first = false) {
		if (x->p->error != NULL)
			return NULL;
		if (!perl_more(x)) {
			rx_error(x->p, "missing terminating ] for character class");
			return NULL;
		}
		take_item(x, s);
	}
	if (x->p->error != NULL)
		return NULL;
	x->p->at++;
	rx_set_finish(s);
	if ((x->p->flags & REGEX_ICASE) != 0)
		rx_set_fold(x->p->arena, s, rx_utf8(x->p));
	if (negate)
		rx_set_negate(x->p->arena, s, rx_utf8(x->p));
	return rx_set_node(x->p, s);
}
