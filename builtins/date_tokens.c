/* SPDX-License-Identifier: MIT
 *
 * The words, numbers and characters of a date.
 */
#include "builtins/date_private.h"

static const char *read_number(const char *at, struct token *t, bool *bad)
{
	t->kind = TOKEN_NUMBER;
	for (; byte_is_digit(*at); at++) {
		if (t->value > (INT64_MAX - 9) / 10)
			*bad = true;
		else
			t->value = t->value * 10 + (*at - '0');
		t->digits++;
	}
	if ((*at == '.' || *at == ',') && byte_is_digit(at[1])) {
		int64_t unit = SECOND_NS / 10;

		t->has_fraction = true;
		for (at++; byte_is_digit(*at); at++) {
			t->fraction_ns += (*at - '0') * unit;
			unit /= 10;
		}
	}
	return at;
}

static const char *read_word(const char *at, struct token *t, bool *bad)
{
	size_t n = 0;

	t->kind = TOKEN_WORD;
	for (; byte_is_alpha(*at) || (*at == '.' && n > 0 && byte_is_alpha(at[-1])); at++) {
		if (*at == '.')
			continue;
		if (n < sizeof(t->word) - 1)
			t->word[n++] = (char)byte_to_upper(*at);
		else
			*bad = true;
	}
	t->word[n] = '\0';
	return at;
}

static const char *skip_comment(const char *at)
{
	int depth = 0;

	for (; *at != '\0'; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth == 0)
			return at + 1;
	}
	return at;
}

void date_tokens(struct parser *p, const char *at)
{
	bool bad = false;

	while (*at != '\0' && p->n < TOKENS_MAX - 2 && !bad) {
		struct token *t = &p->token[p->n];

		if (byte_is_space(*at)) {
			at++;
			continue;
		}
		if (*at == '(') {
			at = skip_comment(at);
			continue;
		}
		const char *begin = at;

		p->n++;
		if ((*at == '-' || *at == '+')) {
			const char *next = at + 1;

			while (byte_is_space(*next))
				next++;
			if (byte_is_digit(*next)) {
				t->sign = *at == '-' ? -1 : 1;
				at = read_number(next, t, &bad);
				t->end = bad ? begin : at;
				continue;
			}
			/* A sign of nothing. */
			p->n--;
			at = next;
			continue;
		}
		if (byte_is_digit(*at)) {
			at = read_number(at, t, &bad);
		} else if (byte_is_alpha(*at)) {
			at = read_word(at, t, &bad);
		} else {
			t->kind = TOKEN_CHAR;
			t->value = *at++;
		}
		t->end = bad ? begin : at;
	}
	if (bad || *at != '\0') {
		struct token *last = &p->token[p->n - !!bad];

		p->n += !bad;
		last->kind = TOKEN_CHAR;
		last->value = '\0';
		if (!bad)
			last->end = at;
	}
}
