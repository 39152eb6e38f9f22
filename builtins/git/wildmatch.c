/* SPDX-License-Identifier: MIT
 *
 * Patterns of pathspecs and ignore files: ? * [..] and, with WILD_PATHNAME, ** between slashes.
 *
 * Linear in practice: of two stars in one part of a path only the later one is tried again, and
 * of two ** likewise, since what the earlier one matched can't help.
 */
#include "builtins/git/git.h"

struct wild {
	const char *p;
	const char *t;
	const char *end;
	unsigned flags;
};

static int fold(const struct wild *w, int ch)
{
	return w->flags & WILD_ICASE ? byte_to_lower(ch) : ch;
}

static bool in_class(const char *name, size_t len, int ch)
{
	static const struct {
		const char *name;
		bool (*is)(int ch);
	} classes[] = { { "alpha", byte_is_alpha }, { "digit", byte_is_digit },
			{ "alnum", byte_is_alnum }, { "upper", byte_is_upper },
			{ "lower", byte_is_lower }, { "space", byte_is_space },
			{ "blank", byte_is_blank }, { "punct", byte_is_punct },
			{ "print", byte_is_print }, { "xdigit", byte_is_xdigit } };

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == len && memcmp(classes[i].name, name, len) == 0)
			return ch < 128 && classes[i].is(ch);
	return false;
}

/* At '[': 1 matches, 0 does not, -1 the bracket is not closed. *p moves behind ']'. */
static int bracket(const struct wild *w, const char **at, int ch)
{
	const char *p = *at + 1;
	bool negated = *p == '!' || *p == '^';
	bool hit = false;
	bool first = true;

	p += negated;
	for (; *p != ']' || first; first = false) {
		int lo, hi;

		if (*p == '\0')
			return -1;
		if (p[0] == '[' && p[1] == ':') {
			const char *close = strstr(p + 2, ":]");

			if (close != NULL) {
				hit = hit || in_class(p + 2, (size_t)(close - p - 2), ch) ||
				      (w->flags & WILD_ICASE &&
				       in_class(p + 2, (size_t)(close - p - 2), byte_to_upper(ch)));
				p = close + 2;
				continue;
			}
		}
		if (*p == '\\' && p[1] != '\0')
			p++;
		lo = hi = (unsigned char)*p++;
		if (p[0] == '-' && p[1] != ']' && p[1] != '\0') {
			p++;
			if (*p == '\\' && p[1] != '\0')
				p++;
			hi = (unsigned char)*p++;
		}
		hit = hit || (ch >= lo && ch <= hi);
		if (w->flags & WILD_ICASE)
			hit = hit || (byte_to_upper(ch) >= lo && byte_to_upper(ch) <= hi) ||
			      (byte_to_lower(ch) >= lo && byte_to_lower(ch) <= hi);
	}
	*at = p + 1;
	if ((w->flags & WILD_PATHNAME) && ch == '/')
		return 0;
	return hit != negated;
}

/* One character of the pattern against one of the text. */
static bool step(struct wild *w)
{
	int ch = (unsigned char)*w->t;
	const char *p = w->p;

	switch (*p) {
	case '?':
		if ((w->flags & WILD_PATHNAME) && ch == '/')
			return false;
		p++;
		break;
	case '[': {
		int got = bracket(w, &p, ch);

		if (got <= 0)
			return false;
		break;
	}
	case '\\':
		if (p[1] != '\0')
			p++;
		/* fall through */
	default:
		if (*p == '\0' || fold(w, (unsigned char)*p) != fold(w, ch))
			return false;
		p++;
		break;
	}
	w->p = p;
	w->t++;
	return true;
}

/* Whether the stars at p are "**" alone between slashes. */
static bool is_deep(const char *pattern, const char *p)
{
	return p[0] == '*' && p[1] == '*' && (p == pattern || p[-1] == '/') &&
	       (p[2] == '\0' || p[2] == '/');
}

bool wild_match(const char *pattern, struct bytes text, unsigned flags)
{
	struct wild w = { pattern, text.ptr, text.ptr + text.len, flags };
	const char *star = NULL, *star_text = NULL;
	const char *deep = NULL, *deep_text = NULL;

	for (;;) {
		if (*w.p == '*') {
			bool is = (flags & WILD_PATHNAME) && is_deep(pattern, w.p);

			if (is && w.p[2] == '\0')
				return w.t < w.end || pattern != w.p || text.len != 0;
			if (is) {
				w.p += 3;
				deep = w.p;
				deep_text = w.t;
				star = NULL;
				continue;
			}
			while (*w.p == '*')
				w.p++;
			star = w.p;
			star_text = w.t;
			continue;
		}
		if (w.t == w.end && *w.p == '\0')
			return true;
		if (w.t < w.end && step(&w))
			continue;
		if (star != NULL && star_text < w.end &&
		    !((flags & WILD_PATHNAME) && *star_text == '/')) {
			w.p = star;
			w.t = ++star_text;
			continue;
		}
		if (deep == NULL)
			return false;
		while (deep_text < w.end && *deep_text != '/')
			deep_text++;
		if (deep_text == w.end)
			return false;
		w.p = deep;
		w.t = ++deep_text;
		star = NULL;
	}
}

bool wild_has_magic(const char *s)
{
	return strpbrk(s, "*?[\\") != NULL;
}
