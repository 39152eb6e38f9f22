/* SPDX-License-Identifier: MIT
 *
 * Perl's calls of groups as subroutines, verbs, and settings in front of a pattern.
 */
#include "base/regex/perl.h"

static struct rx_node *call(struct perl *x, struct bytes name, uint32_t number)
{
	struct rx_node *n = rx_node(x->p, RX_CALL);

	n->n = x->base + number;
	if (name.len != 0 || number != 0)
		perl_add_ref(x, n, name);
	x->p->backrefs = true;
	return n;
}

/* A number, or one with a sign that counts from here; false, and nothing taken: it is none. */
static bool take_group(struct perl *x, uint32_t *number)
{
	size_t from = x->p->at;
	char sign = perl_peek(x);
	uint32_t groups = x->p->ngroups - x->base;

	if (sign == '+' || sign == '-')
		x->p->at++;
	if (!perl_number(x, number)) {
		x->p->at = from;
		return false;
	}
	if (*number == 0 && (sign == '+' || sign == '-'))
		rx_error(x->p, "a relative value of zero is not allowed");
	if (sign == '+')
		*number += groups;
	else if (sign == '-')
		*number = *number > 0 && *number <= groups ? groups + 1 - *number : UINT16_MAX;
	return true;
}

bool perl_call(struct perl *x, struct rx_node **out)
{
	const struct bytes none = { "", 0 };
	struct bytes name;
	uint32_t number;

	*out = NULL;
	if (perl_take(x, "R")) {
		if (!perl_take(x, ")"))
			rx_error(x->p, "(?R (recursive pattern call) must be followed by a closing "
				       "parenthesis");
		else
			*out = call(x, none, 0);
		return true;
	}
	if (perl_take(x, "&") || perl_take(x, "P>")) {
		if (perl_name(x, ')', &name))
			*out = call(x, name, 0);
		return true;
	}
	if (!take_group(x, &number))
		return false;
	if (!perl_take(x, ")"))
		rx_error(x->p, "missing closing parenthesis");
	else
		*out = call(x, none, number);
	return true;
}

/* \g<1> \g'-1' \g<name>, behind the opening mark. */
struct rx_node *perl_call_escape(struct perl *x, char end)
{
	const char close[] = { end, '\0' };
	struct bytes name = { "", 0 };
	uint32_t number;

	if (!take_group(x, &number))
		return perl_name(x, end, &name) ? call(x, name, 0) : NULL;
	if (perl_take(x, close))
		return call(x, name, number);
	rx_error(x->p, "\\g is not followed by a braced, angle-bracketed, or quoted "
		       "name/number or by a plain number");
	return NULL;
}

/* --- verbs --- */

static bool is_upper(char c)
{
	return (c >= 'A' && c <= 'Z') || c == '_';
}

/* NAME) or NAME:TEXT) behind "(*". */
static bool take_verb(struct perl *x, struct bytes *name, struct bytes *argument)
{
	size_t from = x->p->at;

	while (is_upper(perl_peek(x)))
		x->p->at++;
	*name = bytes_slice(x->p->p, from, x->p->at);
	*argument = (struct bytes){ "", 0 };
	if (perl_take(x, ":")) {
		from = x->p->at;
		while (perl_more(x) && perl_peek(x) != ')')
			x->p->at++;
		*argument = bytes_slice(x->p->p, from, x->p->at);
	}
	return perl_take(x, ")");
}

struct rx_node *perl_verb(struct perl *x)
{
	static const struct {
		const char *name;
		enum rx_verb verb;
	} verbs[] = { { "COMMIT", RX_COMMIT }, { "PRUNE", RX_PRUNE }, { "SKIP", RX_SKIP } };
	struct bytes name, argument;

	if (byte_is_alpha(perl_peek(x)) && !is_upper(perl_peek(x))) {
		rx_error(x->p, "(*alpha_assertion) not recognized");
		return NULL;
	}
	if (!take_verb(x, &name, &argument)) {
		rx_error(x->p, "(*VERB) not recognized or malformed");
		return NULL;
	}
	x->p->backrefs = true;
	if (bytes_is(name, "F") || bytes_is(name, "FAIL"))
		return rx_node(x->p, RX_FAIL);
	if ((name.len == 0 || bytes_is(name, "MARK")) && argument.len != 0)
		return rx_node(x->p, RX_EMPTY);
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (bytes_is(name, verbs[i].name) &&
		    (verbs[i].verb != RX_SKIP || argument.len == 0)) {
			struct rx_node *n = rx_node(x->p, RX_VERB);

			n->kind = (uint8_t)verbs[i].verb;
			n->nullable = true;
			x->verbs = true;
			return n;
		}
	rx_error(x->p, bytes_is(name, "ACCEPT") || bytes_is(name, "THEN") || bytes_is(name, "SKIP")
			       ? "(*ACCEPT), (*THEN) and (*SKIP:NAME) are not supported"
			       : "(*VERB) not recognized or malformed");
	return NULL;
}

/* (*UTF), (*UCP) and what only sets limits or says which line ends there are. */
void perl_settings(struct perl *x)
{
	for (;;) {
		size_t from = x->p->at;
		struct bytes name;
		uint32_t number = 0;

		if (!perl_take(x, "(*"))
			return;
		size_t begin = x->p->at;

		while (is_upper(perl_peek(x)))
			x->p->at++;
		name = bytes_slice(x->p->p, begin, x->p->at);
		bool limit = bytes_starts(name, BYTES("LIMIT_")) && perl_take(x, "=") &&
			     perl_number(x, &number);
		bool known = limit || bytes_is(name, "UCP") || bytes_is(name, "LF") ||
			     (bytes_is(name, "UTF") && rx_utf8(x->p)) ||
			     bytes_is(name, "NO_START_OPT") || bytes_is(name, "NO_JIT") ||
			     bytes_is(name, "NO_AUTO_POSSESS");

		if (!known || !perl_take(x, ")")) {
			x->p->at = from;
			return;
		}
		if (bytes_is(name, "UCP"))
			x->p->flags |= REGEX_UCP;
	}
}
