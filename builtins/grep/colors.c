/* SPDX-License-Identifier: MIT
 *
 * GREP_COLORS, "mt=01;31:ne": which parts have which colors. What can't be read ends it there.
 */
#include "builtins/grep/grep.h"

static bool is_code(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_digit(s.ptr[i]) && s.ptr[i] != ';')
			return false;
	return true;
}

static void set(struct grep *g, struct bytes name, const char *value)
{
	struct grep_colors *k = &g->colors;
	const struct {
		const char *name;
		const char **code[2];
	} all[] = {
		{ "mt", { &k->match[0], &k->match[1] } }, { "ms", { &k->match[0], NULL } },
		{ "mc", { &k->match[1], NULL } },         { "sl", { &k->line[0], NULL } },
		{ "cx", { &k->line[1], NULL } },          { "fn", { &k->name, NULL } },
		{ "ln", { &k->number, NULL } },           { "bn", { &k->offset, NULL } },
		{ "se", { &k->separator, NULL } },
	};

	k->reverse |= value == NULL && bytes_is(name, "rv");
	k->no_erase |= value == NULL && bytes_is(name, "ne");
	for (size_t i = 0; value != NULL && i < sizeof(all) / sizeof(all[0]); i++)
		for (int n = 0; n < 2 && bytes_is(name, all[i].name); n++)
			if (all[i].code[n] != NULL)
				*all[i].code[n] = value;
}

/* What GREP_COLORS says. True: the colour of matches as such, too. */
static bool read_list(struct grep *g, const char *at)
{
	bool matches = false;

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");
		const char *equals = memchr(at, '=', len);
		struct bytes name = { at, equals != NULL ? (size_t)(equals - at) : len };
		struct bytes value = BYTES("");

		if (equals != NULL)
			value = (struct bytes){ equals + 1, len - name.len - 1 };
		if (!is_code(value))
			break;
		set(g, name, equals != NULL ? arena_dup(g->c->arena, value) : NULL);
		matches |= equals != NULL && bytes_is(name, "mt");
		at += len + (at[len] == ':');
	}
	return matches;
}

void grep_set_colors(struct grep *g)
{
	/* The variable of old: one code, for matches. */
	const char *old = cmd_getenv(g->c, "GREP_COLOR");
	const char *usual = "01;31";

	g->colors = (struct grep_colors){
		.line = { "", "" },
		.name = "35",
		.number = "32",
		.offset = "32",
		.separator = "36",
	};
	if (!read_list(g, cmd_getenv(g->c, "GREP_COLORS")) && old != NULL && *old != '\0' &&
	    is_code(bytes_of(old))) {
		cmd_warn(g->c, 0, "warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'",
			 old, old);
		usual = old;
	}
	for (int i = 0; i < 2; i++)
		if (g->colors.match[i] == NULL)
			g->colors.match[i] = usual;
}
