/* SPDX-License-Identifier: MIT
 *
 * ed's addresses: "1", "$-2", "/re/+1", "'a", in pairs separated by ',' or ';'.
 */
#include "builtins/ed/ed.h"

static const char bad_address[] = "Invalid address";

static enum ed_result number_read(struct ed *e, int64_t *out)
{
	for (*out = 0; byte_is_digit(ed_peek(e)); e->at++) {
		*out = *out * 10 + (ed_peek(e) - '0');
		if (*out > INT32_MAX)
			return ed_fail(e, "Number out of range");
	}
	return ED_OK;
}

static enum ed_result mark_read(struct ed *e, int64_t *out)
{
	char name = e->at + 1 < e->text.len ? e->text.ptr[e->at + 1] : '\n';

	e->at += 2;
	if (!byte_is_lower(name))
		return ed_fail(e, "Invalid mark character");
	*out = 0;
	if (e->mark[name - 'a'] != NULL)
		*out = (int64_t)ed_line_address(e, e->mark[name - 'a'], e->current);
	/* Without lines all marks are at 0. */
	return *out != 0 || e->nlines == 0 ? ED_OK : ed_fail(e, bad_address);
}

static enum ed_result search_read(struct ed *e, int64_t *out)
{
	bool forward = ed_peek(e) == '/';
	struct ed_pattern *p;
	enum ed_result result = ed_pattern_read(e, &p);

	if (result != ED_OK)
		return result;
	*out = (int64_t)ed_pattern_search(e, p, forward);
	return *out != 0 ? ED_OK : ed_fail(e, "No match");
}

/* What an address may begin with. */
static enum ed_result base_read(struct ed *e, int64_t *out, bool *given)
{
	char ch = ed_peek(e);

	*given = true;
	*out = (int64_t)e->current;
	if (byte_is_digit(ch))
		return number_read(e, out);
	switch (ch) {
	case '.': e->at++; return ED_OK;
	case '$':
		e->at++;
		*out = (int64_t)e->nlines;
		return ED_OK;
	case '\'': return mark_read(e, out);
	case '/':
	case '?': return search_read(e, out);
	case '+':
	case '-': return ED_OK;
	default: *given = false; return ED_OK;
	}
}

/* *given is false if there is none. */
static enum ed_result address_read(struct ed *e, int64_t *out, bool *given)
{
	ed_skip_blanks(e);
	enum ed_result result = base_read(e, out, given);

	while (result == ED_OK && *given) {
		int64_t n;

		ed_skip_blanks(e);
		char ch = ed_peek(e);

		if (ch == '+' || ch == '-') {
			e->at++;
			n = 1;
			if (byte_is_digit(ed_peek(e)))
				result = number_read(e, &n);
			*out += ch == '+' ? n : -n;
		} else if (byte_is_digit(ch)) {
			result = number_read(e, &n);
			*out += n;
		} else if (strchr(".$'/?", ch) != NULL && ch != '\0') {
			return ed_fail(e, bad_address);
		} else {
			break;
		}
		/* A script can add up what it likes. */
		if (*out > INT32_MAX || *out < -(int64_t)INT32_MAX)
			return ed_fail(e, "Number out of range");
	}
	if (result == ED_OK && *given && (*out < 0 || *out > (int64_t)e->nlines))
		return ed_fail(e, bad_address);
	return result;
}

enum ed_result ed_addresses_read(struct ed *e)
{
	bool open = false; /* behind a separator */

	e->naddr = 0;
	e->first = 0;
	e->second = 0;
	for (;;) {
		int64_t address;
		bool given;
		enum ed_result result = address_read(e, &address, &given);
		char ch = ed_peek(e);
		bool separator = ch == ',' || ch == ';' || ch == '%';

		if (result != ED_OK)
			return result;
		if (given) {
			/* Only the first of ",5" is the default's. */
			e->first = open && e->naddr == 0 ? e->first
				   : e->naddr > 0        ? e->second
							 : address;
			e->second = address;
			e->naddr += e->naddr == 0 && open ? 2 : 1;
		} else if (open && e->naddr > 0) {
			e->first = e->second;
		} else if (open) {
			e->naddr = 2;
		}
		if (!separator)
			return ED_OK;
		e->at++;
		if (!given && e->naddr == 0) {
			e->first = ch == ';' ? (int64_t)e->current : 1;
			e->second = (int64_t)e->nlines;
		} else if (ch == ';' && given) {
			e->current = (size_t)e->second;
		}
		open = true;
	}
}

enum ed_result ed_range_check(struct ed *e, size_t first, size_t second)
{
	if (e->naddr == 0) {
		e->first = (int64_t)first;
		e->second = (int64_t)second;
	}
	if (e->first < 1 || e->first > e->second || e->second > (int64_t)e->nlines)
		return ed_fail(e, bad_address);
	return ED_OK;
}

enum ed_result ed_address_check(struct ed *e, size_t second, bool zero)
{
	if (e->naddr == 0)
		e->second = (int64_t)second;
	if (e->second < (zero ? 0 : 1) || e->second > (int64_t)e->nlines)
		return ed_fail(e, bad_address);
	return ED_OK;
}
