/* SPDX-License-Identifier: MIT
 *
 * ed's patterns: reading them, searching lines, substituting.
 *
 * Compiled patterns stay in a few slots, so that a pattern in the list of g is compiled once.
 */
#include "builtins/ed/ed.h"

/* --- patterns --- */

/* Behind the bracket expression that begins at `at`; SIZE_MAX: it does not end. */
static size_t skip_bracket(struct bytes s, size_t at)
{
	at++;
	if (at < s.len && s.ptr[at] == '^')
		at++;
	if (at < s.len && s.ptr[at] == ']')
		at++;
	while (at < s.len && s.ptr[at] != ']' && s.ptr[at] != '\n') {
		char kind = at + 1 < s.len ? s.ptr[at + 1] : '\0';

		if (s.ptr[at] == '[' && (kind == '.' || kind == ':' || kind == '=')) {
			for (at += 2; at + 1 < s.len && s.ptr[at] != '\n'; at++)
				if (s.ptr[at] == kind && s.ptr[at + 1] == ']')
					break;
			if (at + 1 >= s.len || s.ptr[at] == '\n')
				return SIZE_MAX;
			at++;
		}
		at++;
	}
	return at < s.len && s.ptr[at] == ']' ? at + 1 : SIZE_MAX;
}

enum ed_result ed_pattern_text(struct ed *e, char *delim, struct bytes *out)
{
	struct bytes s = e->text;
	size_t start = e->at + 1;
	size_t at = start;

	*delim = ed_peek(e);
	if (*delim == ' ' || *delim == '\n')
		return ed_fail(e, "Invalid pattern delimiter");
	while (at < s.len && s.ptr[at] != *delim && s.ptr[at] != '\n') {
		if (s.ptr[at] == '[') {
			at = skip_bracket(s, at);
			if (at == SIZE_MAX)
				return ed_fail(e, "Unbalanced brackets ([])");
			continue;
		}
		if (s.ptr[at] == '\\' && (++at == s.len || s.ptr[at] == '\n'))
			return ed_fail(e, "Trailing backslash (\\)");
		at++;
	}
	*out = bytes_slice(s, start, at);
	e->at = at;
	return ED_OK;
}

/* A slot that neither the last search nor the last s needs. */
static struct ed_pattern *free_slot(struct ed *e)
{
	struct ed_pattern *p;

	do {
		p = &e->slots[e->next_slot++ % PATTERN_SLOTS];
	} while (p == e->last || (e->has_sub && p == e->sub.pattern));
	arena_clear(&p->arena);
	p->re = NULL;
	return p;
}

enum ed_result ed_pattern_compile(struct ed *e, struct bytes text, bool icase,
				  struct ed_pattern **out)
{
	unsigned flags = (e->o->extended ? REGEX_ERE : REGEX_BRE) | (icase ? REGEX_ICASE : 0) |
			 (e->c->utf8 ? REGEX_UTF8 : 0);
	const char *message = NULL;
	size_t offset;

	if (text.len == 0) {
		*out = e->last;
		return e->last == NULL ? ed_fail(e, "No previous pattern")
		       : icase         ? ed_fail(e, "Suffix 'I' not allowed on empty regexp")
				       : ED_OK;
	}
	for (size_t i = 0; i < PATTERN_SLOTS; i++) {
		struct ed_pattern *p = &e->slots[i];

		if (p->re != NULL && p->flags == flags && bytes_eq(p->text, text)) {
			e->last = *out = p;
			return ED_OK;
		}
	}
	struct ed_pattern *p = free_slot(e);

	p->text = arena_bytes(&p->arena, text);
	p->flags = flags;
	if (regex_compile(&p->arena, p->text, flags, &p->re, &message, &offset) < 0) {
		p->re = NULL;
		return ed_fail(e, message);
	}
	regex_set_work(p->re, cmd_work, e->c);
	e->last = *out = p;
	return ED_OK;
}

enum ed_result ed_pattern_read(struct ed *e, struct ed_pattern **out)
{
	struct bytes text;
	char delim;
	enum ed_result result = ed_pattern_text(e, &delim, &text);
	bool icase = false;

	if (result != ED_OK)
		return result;
	if (ed_peek(e) == delim) {
		e->at++;
		icase = ed_peek(e) == 'I';
		e->at += icase;
	}
	return ed_pattern_compile(e, text, icase, out);
}

static int match(struct ed *e, struct ed_pattern *p, struct bytes text, unsigned flags,
		 struct regex_span *span, size_t nspans)
{
	int result = regex_search(p->re, text, 0, flags, span, nspans);

	if (result == REGEX_EWORK)
		cmd_fatal(e->c, 0, "the pattern needs too many steps");
	return result;
}

bool ed_pattern_matches(struct ed *e, struct ed_pattern *p, struct bytes text)
{
	struct regex_span span;

	cmd_charge(e->c, 1);
	return match(e, p, text, 0, &span, 1) == 0;
}

size_t ed_pattern_search(struct ed *e, struct ed_pattern *p, bool forward)
{
	size_t at = e->current;

	for (size_t i = 0; i <= e->nlines; i++) {
		if (forward)
			at = at == e->nlines ? 0 : at + 1;
		else
			at = at == 0 ? e->nlines : at - 1;
		if (at != 0 && ed_pattern_matches(e, p, ed_line_at(e, at)->text))
			return at;
	}
	return 0;
}

/* --- replacing --- */

static void put_replacement(struct ed *e, struct buf *out, struct bytes text,
			    const struct regex_span *span)
{
	struct bytes r = e->sub.replacement;
	unsigned groups = regex_groups(e->sub.pattern->re);

	for (size_t i = 0; i < r.len; i++) {
		char ch = r.ptr[i];
		unsigned group = 0;

		if (ch == '\\' && i + 1 < r.len) {
			ch = r.ptr[++i];
			group = byte_is_digit(ch) ? (unsigned)(ch - '0') : 0;
			if (group == 0 || group > groups) {
				buf_putc(out, ch);
				continue;
			}
		} else if (ch != '&') {
			buf_putc(out, ch);
			continue;
		}
		if (span[group].from != SIZE_MAX)
			buf_add(out, bytes_slice(text, span[group].from, span[group].to));
	}
}

/*
 * The line with its matches replaced, in *out; *replaced tells whether there were any. As the
 * real ed, a match is searched in what follows the one before, as if a line began there but
 * for ^; an empty match there comes again, which only a count survives.
 */
static enum ed_result replace(struct ed *e, struct bytes text, struct buf *out, bool *replaced)
{
	const struct ed_sub *s = &e->sub;
	struct regex_span span[10];
	uint64_t count = 0;
	unsigned flags = 0;

	*replaced = false;
	while (match(e, s->pattern, text, flags, span, 10) == 0) {
		if (flags != 0 && s->global && span[0].to == 0)
			return ed_fail(e, "Infinite substitution loop");
		if (flags != 0 && span[0].to == 0)
			count = s->count - 1;
		buf_put(out, text.ptr, span[0].from);
		if (s->global || ++count == s->count) {
			put_replacement(e, out, text, span);
			*replaced = true;
		} else {
			buf_add(out, bytes_slice(text, span[0].from, span[0].to));
		}
		cmd_charge_bytes(e->c, span[0].to);
		text = bytes_slice(text, span[0].to, text.len);
		if (text.len == 0 || (*replaced && !s->global))
			break;
		flags = REGEX_NOTBOL;
	}
	buf_add(out, text);
	return ED_OK;
}

/* Puts text, which may have become several lines, in place of the line at `at`. Returns the
 * address of the last one. */
static size_t replace_line(struct ed *e, size_t at, struct bytes text)
{
	size_t after = at - 1;

	ed_lines_delete(e, at, at);
	for (;;) {
		const char *hit = memchr(text.ptr, '\n', text.len);
		size_t len = hit != NULL ? (size_t)(hit - text.ptr) : text.len;
		struct ed_line *line = ed_line_new(e, bytes_slice(text, 0, len));

		ed_lines_insert(e, after++, &line, 1);
		if (hit == NULL)
			return after;
		text = bytes_slice(text, len + 1, text.len);
	}
}

static enum ed_result substitute(struct ed *e, size_t from, size_t to)
{
	struct ed_line *last = NULL;

	ed_undo_begin(e);
	for (size_t at = from; at <= to; at++) {
		struct buf out = buf_in(e->c->arena);
		struct arena_mark mark = arena_mark(e->c->arena);
		struct ed_line *line = ed_line_at(e, at);
		bool replaced;
		enum ed_result result = replace(e, line->text, &out, &replaced);

		if (result != ED_OK)
			return result;
		if (!replaced) {
			arena_release(e->c->arena, mark);
			continue;
		}
		size_t end = replace_line(e, at, buf_bytes(&out));

		e->modified = true;
		to += end - at;
		at = end;
		e->current = end;
		last = line;
	}
	if (last == NULL && !e->in_global)
		return ed_fail(e, "No match");
	if (last != NULL) {
		e->cut.line = arena_alloc(e->c->arena, sizeof(last));
		e->cut.line[0] = last;
		e->cut.n = 1;
	}
	if (e->sub.print != 0)
		ed_print_lines(e, e->current, e->current, e->sub.print);
	return ED_OK;
}

/* --- the command --- */

/* The text between two delimiters; a newline behind a backslash asks for one more line. */
static enum ed_result replacement_text(struct ed *e, char delim, struct bytes *out)
{
	struct buf text = buf_in(e->c->arena);

	while (!ed_at_end(e) && ed_peek(e) != delim && (ed_peek(e) != '\n' || e->in_global)) {
		char ch = ed_peek(e);

		buf_putc(&text, ch);
		e->at++;
		if (ch != '\\')
			continue;
		if (ed_at_end(e)) {
			struct bytes more;

			if (e->in_global)
				break;
			if (!ed_read(e, &more))
				return ed_fail(e, "Unexpected end-of-file");
			e->text = arena_bytes(e->c->arena, more);
			e->at = 0;
			buf_putc(&text, '\n');
		} else {
			buf_putc(&text, ed_peek(e));
			e->at++;
		}
	}
	*out = buf_bytes(&text);
	return ED_OK;
}

/* The replacement, and whether a delimiter closed it. */
static enum ed_result replacement_read(struct ed *e, char delim, struct bytes *out, bool *closed)
{
	bool last = e->at + 1 >= e->text.len;
	char next = last ? '\n' : e->text.ptr[e->at + 1];
	enum ed_result result = ED_OK;

	if (ed_peek(e) == '%' && (next == delim || (next == '\n' && (last || !e->in_global)))) {
		if (!e->has_sub)
			return ed_fail(e, "No previous substitution");
		*out = e->sub.replacement;
		e->at++;
	} else {
		result = replacement_text(e, delim, out);
	}
	*closed = !ed_at_end(e) && ed_peek(e) == delim;
	e->at += *closed;
	return result;
}

/* g, I, a count and print suffixes, in any order, each once. */
static enum ed_result flags_read(struct ed *e, struct ed_sub *s, bool *icase)
{
	static const char letters[] = "lnp";
	static const int prints[] = { PRINT_LIST, PRINT_NUMBER, PRINT_PLAIN };

	for (;;) {
		char ch = ed_peek(e);
		const char *print = ch != '\0' ? strchr(letters, ch) : NULL;

		if (print != NULL && (s->print & prints[print - letters]) == 0) {
			s->print |= prints[print - letters];
		} else if (ch == 'g' && !s->global && s->count == 0) {
			s->global = true;
		} else if ((ch == 'I' || ch == 'i') && !*icase) {
			*icase = true;
		} else if (ch >= '1' && ch <= '9' && !s->global && s->count == 0) {
			for (; byte_is_digit(ed_peek(e)) && s->count <= INT32_MAX; e->at++)
				s->count = s->count * 10 + (uint64_t)(ed_peek(e) - '0');
			if (s->count > INT32_MAX)
				return ed_fail(e, "Invalid command suffix");
			continue;
		} else {
			break;
		}
		e->at++;
	}
	if (ed_peek(e) != '\n')
		return ed_fail(e, "Invalid command suffix");
	e->at++;
	return ED_OK;
}

static enum ed_result sub_new(struct ed *e)
{
	struct ed_sub s = { 0 };
	struct bytes text;
	char delim;
	bool closed = false;
	bool icase = false;
	enum ed_result result;

	if (ed_peek(e) != ' ' && ed_peek(e) != '\n' &&
	    (e->at + 1 >= e->text.len || e->text.ptr[e->at + 1] == '\n'))
		return ed_fail(e, "Missing pattern delimiter");
	result = ed_pattern_text(e, &delim, &text);
	if (result != ED_OK)
		return result;
	if (text.len == 0 && e->last == NULL)
		return ed_fail(e, "No previous pattern");
	if (ed_peek(e) != delim)
		return ed_fail(e, "Missing pattern delimiter");
	e->at++;
	result = replacement_read(e, delim, &s.replacement, &closed);
	/* Without the delimiter the newline stays, which in a list is a command again. */
	if (result == ED_OK && !closed) {
		s.print = PRINT_PLAIN;
	} else if (result == ED_OK) {
		result = flags_read(e, &s, &icase);
	}
	if (result == ED_OK)
		result = ed_pattern_compile(e, text, icase, &s.pattern);
	if (result != ED_OK)
		return result;
	s.count = s.count != 0 ? s.count : 1;
	e->sub = s;
	e->has_sub = true;
	return ED_OK;
}

/* s alone, or with g, p, r and a count: the last one again. The newline stays, as above. */
static enum ed_result sub_again(struct ed *e)
{
	bool seen[3] = { false, false, false };
	bool counted = false;
	uint64_t count = e->sub.count;

	for (; ed_peek(e) != '\n'; e->at++) {
		static const char letters[] = "gpr";
		const char *hit = ed_peek(e) != '\0' ? strchr(letters, ed_peek(e)) : NULL;

		if (hit != NULL && !seen[hit - letters] && (*hit != 'g' || !counted)) {
			seen[hit - letters] = true;
		} else if (ed_peek(e) >= '1' && ed_peek(e) <= '9' && !counted && !seen[0]) {
			count = 0;
			for (; byte_is_digit(ed_peek(e)) && count <= INT32_MAX; e->at++)
				count = count * 10 + (uint64_t)(ed_peek(e) - '0');
			if (count > INT32_MAX)
				return ed_fail(e, "Invalid command suffix");
			counted = true;
			e->at--;
		} else {
			return ed_fail(e, "Invalid command suffix");
		}
	}
	if (!e->has_sub)
		return ed_fail(e, "No previous substitution");
	e->sub.count = count;
	e->sub.global = e->sub.global && !counted;
	if (seen[0]) {
		e->sub.global = !e->sub.global;
		e->sub.count = 1;
	}
	if (seen[1])
		e->sub.print = e->sub.print != 0 ? 0 : PRINT_PLAIN;
	if (seen[2])
		e->sub.pattern = e->last;
	return ED_OK;
}

enum ed_result ed_sub_run(struct ed *e)
{
	char ch = ed_peek(e);
	bool again = ch == '\n' || ch == 'g' || ch == 'p' || ch == 'r' || (ch >= '1' && ch <= '9');
	enum ed_result result = ed_range_check(e, e->current, e->current);

	if (result == ED_OK)
		result = again ? sub_again(e) : sub_new(e);
	return result == ED_OK ? substitute(e, (size_t)e->first, (size_t)e->second) : result;
}
