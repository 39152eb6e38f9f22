/* SPDX-License-Identifier: MIT
 *
 * Tab stops of expand and unexpand.
 */
#include "builtins/tabstops.h"

static void add_stop(struct cmd *c, struct tabstops *t, uint64_t column)
{
	size_t size = t->n * sizeof(*t->stop);

	if ((t->n & (t->n - 1)) == 0)
		t->stop = arena_grow(c->arena, t->stop, size, (t->n * 2 + 1) * sizeof(*t->stop));
	t->stop[t->n++] = column;
}

static int set_tail(struct cmd *c, uint64_t *field, char kind, uint64_t value)
{
	if (*field != 0)
		return cmd_error(c, 0, "'%c' specifier only allowed with the last value", kind);
	*field = value;
	return 0;
}

/* A number that ended, with the mark in front of it. */
static int add_number(struct cmd *c, struct tabstops *t, char mark, uint64_t value)
{
	if (mark == '/')
		return set_tail(c, &t->extend, mark, value);
	if (mark == '+')
		return set_tail(c, &t->increment, mark, value);
	add_stop(c, t, value);
	return 0;
}

static int bad_mark(struct cmd *c, const char *at)
{
	return cmd_error(c, 0, "'%c' specifier not at start of number: %s", *at, cmd_quote(c, at));
}

int tabstops_parse(struct cmd *c, struct tabstops *t, const char *text)
{
	bool open = false;
	char mark = '\0';
	uint64_t value = 0;
	const char *digits = text;
	int status = 0;

	for (const char *at = text; status == 0; at++) {
		if (*at == '\0' || *at == ',' || byte_is_blank(*at)) {
			if (open)
				status = add_number(c, t, mark, value);
			open = false;
			/* A mark holds for what follows it in the list, where it is wrong. */
			if (*at == '\0')
				break;
		} else if (*at == '/' || *at == '+') {
			if (open)
				return bad_mark(c, at);
			mark = *at;
		} else if (!byte_is_digit(*at)) {
			return cmd_error(c, 0, "tab size contains invalid character(s): %s",
					 cmd_quote(c, at));
		} else {
			if (!open)
				digits = at;
			value = open ? value : 0;
			open = true;
			if (value > (UINT64_MAX - (uint64_t)(*at - '0')) / 10) {
				size_t len = strspn(digits, "0123456789");

				return cmd_error(c, 0, "tab stop is too large %s",
						 cmd_quote_n(c, (struct bytes){ digits, len }));
			}
			value = value * 10 + (uint64_t)(*at - '0');
		}
	}
	return status;
}

int tabstops_finish(struct cmd *c, struct tabstops *t)
{
	uint64_t before = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->stop[i] == 0)
			return cmd_error(c, 0, "tab size cannot be 0");
		if (t->stop[i] <= before)
			return cmd_error(c, 0, "tab sizes must be ascending");
		before = t->stop[i];
	}
	if (t->extend != 0 && t->increment != 0)
		return cmd_error(c, 0, "'/' specifier is mutually exclusive with '+'");
	if (t->n == 0)
		t->every = t->extend != 0 ? t->extend : t->increment != 0 ? t->increment : 8;
	else if (t->n == 1 && t->extend == 0 && t->increment == 0)
		t->every = t->stop[0];
	return 0;
}

bool tabstops_next(const struct tabstops *t, uint64_t column, size_t *index, uint64_t *out)
{
	if (t->every != 0) {
		*out = column + (t->every - column % t->every);
		return true;
	}
	for (; *index < t->n; ++*index) {
		if (column < t->stop[*index]) {
			*out = t->stop[*index];
			return true;
		}
	}
	if (t->extend != 0) {
		*out = column + (t->extend - column % t->extend);
		return true;
	}
	if (t->increment != 0) {
		uint64_t last = t->stop[t->n - 1];

		*out = column + (t->increment - (column - last) % t->increment);
		return true;
	}
	return false;
}

int tabstops_legacy(struct cmd *c, struct tabstops *t, char **argv, int i)
{
	const char *text = argv[i] + 1;

	if (argv[i][0] != '-' || !byte_is_digit(*text) || text[strspn(text, "0123456789,")] != '\0')
		return 0;
	int status = tabstops_parse(c, t, text);

	if (status != 0)
		cmd_exit(c, status);
	return 1;
}
