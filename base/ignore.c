/* SPDX-License-Identifier: MIT
 *
 * The patterns of .gitignore: parsing of lines, and a matcher with two places to go back to,
 * the last "*" and the last "**", so that no pattern costs more than its length times the
 * square of the path's.
 */
#include "base/ignore.h"

struct rule {
	struct bytes glob;
	bool negate;
	bool dir_only;
	bool anchored; /* compared with the whole path, not with its last part */
};

struct ignore_rules {
	struct arena *arena;
	struct rule *rule;
	size_t n;
	size_t cap;
	bool icase;
};

struct ignore_rules *ignore_new(struct arena *a, bool icase)
{
	struct ignore_rules *r = arena_zalloc(a, sizeof *r);

	r->arena = a;
	r->icase = icase;
	return r;
}

size_t ignore_count(const struct ignore_rules *r)
{
	return r->n;
}

static void push(struct ignore_rules *r, struct rule rule)
{
	if (r->n == r->cap) {
		size_t cap = r->cap * 2 + 8;

		r->rule = arena_grow(r->arena, r->rule, r->cap * sizeof rule, cap * sizeof rule);
		r->cap = cap;
	}
	r->rule[r->n++] = rule;
}

void ignore_add(struct ignore_rules *r, struct bytes line)
{
	struct rule rule = { .negate = false };
	struct bytes glob = line;

	if (glob.len > 0 && glob.ptr[0] == '!') {
		rule.negate = true;
		glob = bytes_slice(glob, 1, glob.len);
	} else if (glob.len > 1 && glob.ptr[0] == '\\' &&
		   (glob.ptr[1] == '!' || glob.ptr[1] == '#')) {
		glob = bytes_slice(glob, 1, glob.len);
	}
	if (glob.len > 0 && glob.ptr[0] == '/') {
		rule.anchored = true;
		glob = bytes_slice(glob, 1, glob.len);
	}
	if (glob.len > 0 && glob.ptr[glob.len - 1] == '/') {
		rule.dir_only = true;
		glob.len--;
	}
	if (glob.len == 0)
		return;
	rule.anchored |= memchr(glob.ptr, '/', glob.len) != NULL;
	rule.glob = arena_bytes(r->arena, glob);
	push(r, rule);
}

/* Blanks at the end do not count, unless a backslash stands before them. */
static struct bytes trim_end(struct bytes line)
{
	while (line.len > 0 && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\r')) {
		if (line.len > 1 && line.ptr[line.len - 2] == '\\')
			break;
		line.len--;
	}
	return line;
}

void ignore_add_file(struct ignore_rules *r, struct bytes text)
{
	if (bytes_starts(text, BYTES("\xef\xbb\xbf")))
		text = bytes_slice(text, 3, text.len);
	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = trim_end(bytes_slice(text, 0, len));

		if (line.len > 0 && line.ptr[0] != '#')
			ignore_add(r, line);
		text = bytes_slice(text, end != NULL ? len + 1 : len, text.len);
	}
}

/* --- matching --- */

static unsigned char fold(unsigned char ch, bool icase)
{
	return icase && ch >= 'A' && ch <= 'Z' ? (unsigned char)(ch + 32) : ch;
}

/* A bracket at p.ptr[*at]: whether ch is in it; *at moves behind. False with *at unchanged if
 * it is never closed. */
static bool in_bracket(struct bytes p, size_t *at, unsigned char ch, bool icase, bool *closed)
{
	size_t i = *at + 1;
	bool negate = i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^');
	bool found = false;

	i += negate;
	for (size_t first = i; i < p.len && (p.ptr[i] != ']' || i == first); i++) {
		unsigned char low = (unsigned char)p.ptr[i];
		unsigned char high;

		if (low == '\\' && i + 1 < p.len)
			low = (unsigned char)p.ptr[++i];
		high = low;
		if (i + 2 < p.len && p.ptr[i + 1] == '-' && p.ptr[i + 2] != ']') {
			i += 2;
			high = (unsigned char)p.ptr[i];
		}
		found |= (ch >= low && ch <= high) || (icase && fold(ch, true) >= fold(low, true) &&
						       fold(ch, true) <= fold(high, true));
	}
	*closed = i < p.len;
	if (*closed)
		*at = i + 1;
	return *closed && found != negate;
}

struct place {
	size_t pattern;
	size_t text;
};

/* "**" that stands for whole parts of a path: alone, in front of or behind slashes. */
static bool is_double_star(struct bytes p, size_t at)
{
	size_t end = at;

	while (end < p.len && p.ptr[end] == '*')
		end++;
	return end - at >= 2 && (at == 0 || p.ptr[at - 1] == '/') &&
	       (end == p.len || p.ptr[end] == '/');
}

/* One byte of the text against what stands at *at, which moves behind it. */
static bool take_one(struct bytes p, size_t *at, unsigned char ch, bool icase)
{
	bool closed = false;
	bool ok;

	if (p.ptr[*at] == '[') {
		ok = in_bracket(p, at, ch, icase, &closed) && ch != '/';
		if (closed)
			return ok;
	}
	if (p.ptr[*at] == '?') {
		++*at;
		return ch != '/';
	}
	*at += p.ptr[*at] == '\\' && *at + 1 < p.len;
	return fold((unsigned char)p.ptr[(*at)++], icase) == fold(ch, icase);
}

static bool matches(struct bytes p, struct bytes t, bool icase, uint64_t *work)
{
	struct place star = { SIZE_MAX, 0 };
	struct place deep = { SIZE_MAX, 0 };
	size_t i = 0;
	size_t j = 0;

	for (;;) {
		++*work;
		if (i < p.len && p.ptr[i] == '*') {
			bool crosses = is_double_star(p, i);

			while (i < p.len && p.ptr[i] == '*')
				i++;
			if (crosses && i == p.len)
				return true;
			/* The slash behind "**" is matched by nothing too. */
			i += crosses;
			if (crosses)
				deep = (struct place){ i, j };
			star = (struct place){ crosses ? SIZE_MAX : i, j };
			continue;
		}
		if (i == p.len && j == t.len)
			return true;
		size_t behind = i;

		if (i < p.len && j < t.len &&
		    take_one(p, &behind, (unsigned char)t.ptr[j], icase)) {
			i = behind;
			j++;
			continue;
		}
		if (star.pattern != SIZE_MAX && star.text < t.len && t.ptr[star.text] != '/') {
			i = star.pattern;
			j = ++star.text;
			continue;
		}
		const char *slash = deep.pattern != SIZE_MAX && deep.text < t.len
					    ? memchr(t.ptr + deep.text, '/', t.len - deep.text)
					    : NULL;

		if (slash == NULL)
			return false;
		deep.text = (size_t)(slash - t.ptr) + 1;
		star.pattern = SIZE_MAX;
		i = deep.pattern;
		j = deep.text;
	}
}

bool ignore_glob(struct bytes pattern, struct bytes text, bool icase, uint64_t *work)
{
	return matches(pattern, text, icase, work);
}

enum ignore_verdict ignore_match(const struct ignore_rules *r, struct bytes path, bool is_dir,
				 uint64_t *work)
{
	const char *slash = path.len != 0 ? bytes_rfind(path, BYTES("/")) : NULL;
	struct bytes name = slash != NULL
				    ? bytes_slice(path, (size_t)(slash - path.ptr) + 1, path.len)
				    : path;

	for (size_t i = r->n; i-- > 0;) {
		const struct rule *rule = &r->rule[i];

		++*work;
		if (rule->dir_only && !is_dir)
			continue;
		if (matches(rule->glob, rule->anchored ? path : name, r->icase, work))
			return rule->negate ? IGNORE_NO : IGNORE_YES;
	}
	return IGNORE_NONE;
}
