/* SPDX-License-Identifier: MIT
 *
 * Colours: whether they are wanted, and what the configuration calls them.
 */
#include "builtins/git/git.h"

bool color_wanted(struct git *g, const char *key)
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
	return cmd_isatty(g->c, 1) && term != NULL && strcmp(term, "dumb") != 0;
}

static int attribute(struct bytes word)
{
	static const struct {
		const char *name;
		int code;
	} words[] = { { "bold", 1 },   { "dim", 2 },     { "italic", 3 },    { "ul", 4 },
		      { "blink", 5 },  { "reverse", 7 }, { "strike", 9 },    { "nobold", 22 },
		      { "nodim", 22 }, { "noul", 24 },   { "noreverse", 27 } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (bytes_is(word, words[i].name))
			return words[i].code;
	return -1;
}

static int color_index(struct bytes word)
{
	static const char *const names[] = { "black", "red",     "green", "yellow",
					     "blue",  "magenta", "cyan",  "white" };

	for (int i = 0; i < 8; i++)
		if (bytes_is(word, names[i]))
			return i;
	return -1;
}

static bool add_word(struct buf *codes, struct bytes word, int *nth)
{
	bool bright = bytes_starts(word, BYTES("bright"));
	int code = attribute(word);
	int color = color_index(bright ? bytes_slice(word, 6, word.len) : word);
	int64_t number;
	char digits[8];

	if (bytes_is(word, "normal") || bytes_is(word, "default")) {
		++*nth;
		return true;
	}
	if (bytes_is(word, "reset"))
		return true;
	if (code >= 0) {
		buf_printf(codes, "%s%d", codes->len != 0 ? ";" : "", code);
		return true;
	}
	if (color >= 0) {
		int base = (*nth == 0 ? 30 : 40) + (bright ? 60 : 0);

		buf_printf(codes, "%s%d", codes->len != 0 ? ";" : "", base + color);
		++*nth;
		return true;
	}
	if (word.len >= sizeof(digits))
		return false;
	memcpy(digits, word.ptr, word.len);
	digits[word.len] = '\0';
	if (!git_number(digits, &number) || number < 0 || number > 255)
		return false;
	buf_printf(codes, "%s%d;5;%d", codes->len != 0 ? ";" : "", *nth == 0 ? 38 : 48,
		   (int)number);
	++*nth;
	return true;
}

const char *color_text(struct git *g, const char *v)
{
	struct buf codes = buf_in(g->a);
	int nth = 0;

	for (const char *p = v; *p != '\0';) {
		size_t n = strcspn(p, " \t");

		if (n != 0 && !add_word(&codes, (struct bytes){ p, n }, &nth))
			git_die(g, "invalid color value: %s", v);
		p += n;
		p += strspn(p, " \t");
	}
	return codes.len != 0 ? git_format(g->a, "\033[%sm", buf_cstr(&codes)) : "";
}

const char *color_of(struct git *g, const char *key, const char *otherwise)
{
	const char *v = config_get(g, key);

	return v != NULL ? color_text(g, v) : otherwise;
}
