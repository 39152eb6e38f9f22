/* SPDX-License-Identifier: MIT
 *
 * Colours: whether they are wanted, and what the configuration calls them.
 */
#include "builtins/git/git.h"

/* For what is written to descriptor fd. */
static bool color_wanted_on(struct git *g, const char *key, int fd)
{
	const char *v = g->color >= 0 ? NULL : config_get(g, key);
	const char *term = cmd_getenv(g->c, "TERM");

	if (g->color >= 0)
		return g->color != 0;
	if (v == NULL)
		v = config_get(g, "color.ui");
	if (v != NULL && strcmp(v, "always") == 0)
		return true;
	if (v != NULL && (strcmp(v, "never") == 0 || config_truth(v) == 0))
		return false;
	return cmd_isatty(g->c, fd) && term != NULL && strcmp(term, "dumb") != 0;
}

bool color_wanted(struct git *g, const char *key)
{
	return color_wanted_on(g, key, 1);
}

bool color_wanted_in_errors(struct git *g, const char *key)
{
	return color_wanted_on(g, key, 2);
}

/* The number of an attribute, whose negation is "no" or "no-" in front of it; -1: none. */
static int attribute(struct bytes word)
{
	static const struct {
		const char *name;
		int code, negated;
	} words[] = { { "bold", 1, 22 },  { "dim", 2, 22 },   { "italic", 3, 23 },
		      { "ul", 4, 24 },    { "blink", 5, 25 }, { "reverse", 7, 27 },
		      { "strike", 9, 29 } };
	bool negated = bytes_starts(word, BYTES("no")) && !bytes_is(word, "normal");

	if (negated)
		word = bytes_slice(word, 2, word.len);
	if (negated && word.len != 0 && word.ptr[0] == '-')
		word = bytes_slice(word, 1, word.len);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes_is(word, words[i].name))
			return negated ? words[i].negated : words[i].code;
	return -1;
}

static int color_index(struct bytes word)
{
	static const char *const names[] = { "black", "red",     "green", "yellow",
					     "blue",  "magenta", "cyan",  "white" };

	for (int i = 0; i < 8; i++)
		if (git_eq_nocase(word, bytes_of(names[i])))
			return i;
	return -1;
}

/* A colour as the code that sets it in front (30) or behind (40); NULL: it is none. */
static const char *color_code(struct git *g, struct bytes word, int base)
{
	bool bright = git_eq_nocase(bytes_slice(word, 0, 6), BYTES("bright"));
	int color = color_index(bright ? bytes_slice(word, 6, word.len) : word);
	int64_t n;

	if (bytes_is(word, "normal") || bytes_is(word, "-1"))
		return "";
	if (bytes_is(word, "default"))
		return git_format(g->a, "%d", base + 9);
	if (color >= 0)
		return git_format(g->a, "%d", base + (bright ? 60 : 0) + color);
	if (word.len == 7 && word.ptr[0] == '#') {
		int part[3];

		for (size_t i = 0; i < 6; i++)
			if (!byte_is_xdigit((unsigned char)word.ptr[1 + i]))
				return NULL;
		for (size_t i = 0; i < 3; i++)
			part[i] = byte_digit(word.ptr[1 + 2 * i]) << 4 |
				  byte_digit(word.ptr[2 + 2 * i]);
		return git_format(g->a, "%d;2;%d;%d;%d", base + 8, part[0], part[1], part[2]);
	}
	if (!git_number(arena_dup(g->a, word), &n) || n < 0 || n > 255)
		return NULL;
	if (n < 16)
		return git_format(g->a, "%d", base + (int)(n < 8 ? n : n + 52));
	return git_format(g->a, "%d;5;%d", base + 8, (int)n);
}

const char *color_text(struct git *g, const char *v)
{
	const char *text = color_try(g, v);

	if (text == NULL)
		git_exit(g, GIT_STATUS_FATAL);
	return text;
}

const char *color_try(struct git *g, const char *v)
{
	const char *color[2] = { NULL, NULL };
	uint32_t attributes = 0;
	bool reset = false, any;
	struct buf b = buf_in(g->a);

	for (const char *p = v; *p != '\0';) {
		struct bytes word = { p, strcspn(p, " \t\n") };
		int number = attribute(word);
		const char **at = color[0] == NULL ? &color[0] : &color[1];

		p += word.len;
		p += strspn(p, " \t\n");
		if (word.len == 0)
			continue;
		if (bytes_is(word, "reset"))
			reset = true;
		else if (number >= 0)
			attributes |= 1u << number;
		else if (*at != NULL || (*at = color_code(g, word, at == color ? 30 : 40)) == NULL)
			return git_error(g, "invalid color value: %s", v) != 0 ? NULL : v;
	}
	any = reset;
	for (int i = 0; i < 32; i++) {
		if (!(attributes >> i & 1))
			continue;
		buf_printf(&b, "%s%d", any ? ";" : "", i);
		any = true;
	}
	for (size_t i = 0; i < 2; i++) {
		if (color[i] == NULL || color[i][0] == '\0')
			continue;
		buf_printf(&b, "%s%s", any ? ";" : "", color[i]);
		any = true;
	}
	return any ? git_format(g->a, "\033[%sm", buf_cstr(&b)) : "";
}

const char *color_of(struct git *g, const char *key, const char *otherwise)
{
	const char *v = config_get(g, key);

	return v != NULL ? color_text(g, v) : otherwise;
}
