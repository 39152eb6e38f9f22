/* SPDX-License-Identifier: MIT
 *
 * History expansion: !! and its like in a line that is read, in three steps.
 *
 * A walk over the line finds each ! that begins an expansion: it knows quotes, comments and what
 * bash spares. There an event is found, words are taken from it, and modifiers change them.
 */
#include "interp/history.h"
#include "interp/state.h"

enum { NEST_MAX = 256, WORDS_LAST = -1 };

struct expansion {
	struct shell *sh;
	struct history *h;
	struct bytes line;
	size_t i;          /* behind what was read of the line */
	size_t start;      /* of the word designators or modifiers at hand, for messages */
	int count;         /* entries that it may name */
	struct buf out;    /* the line so far */
	struct buf *error; /* the message, once there is one */
	bool print_only;   /* :p */
	bool quoted;       /* this one stands in double quotes */
	struct bytes event;
	struct bytes words;  /* what is taken from it */
	struct bytes *parts; /* the words of the event */
	int nparts;
	char quoting; /* :q or :x */
};

static int at(const struct expansion *x, size_t i)
{
	return i < x->line.len ? (unsigned char)x->line.ptr[i] : 0;
}

static bool is_in(int c, const char *set)
{
	return c != 0 && strchr(set, c) != NULL;
}

static bool fail(struct expansion *x, size_t from, const char *why)
{
	size_t end = x->i < x->line.len ? x->i : x->line.len;

	buf_add(x->error, bytes_slice(x->line, from, end));
	buf_printf(x->error, ": %s", why);
	return false;
}

/* --- the words of an event --- */

/* Behind an operator at i, or i if there is none. */
static size_t operator_end(struct bytes t, size_t i)
{
	int c = (unsigned char)t.ptr[i];
	int next = i + 1 < t.len ? (unsigned char)t.ptr[i + 1] : 0;

	if (is_in(c, "()\n"))
		return i + 1;
	if (!is_in(c, "<>;&|"))
		return i;
	if (next == c) {
		i += 2;
		return i + (c == '<' && i < t.len && is_in(t.ptr[i], "<-"));
	}
	if (next == '&' && is_in(c, "<>")) {
		for (i += 2; i < t.len && byte_is_digit((unsigned char)t.ptr[i]);)
			i++;
		return i + (i < t.len && t.ptr[i] == '-');
	}
	if ((next == '>' && c == '&') || (next == '|' && c == '>') || (next == '&' && c == '|') ||
	    (next == '>' && c == '<'))
		return i + 2;
	return next == '(' && is_in(c, "<>") ? i : i + 1;
}

/* Whether a word goes on with parentheses: $( <( and extended patterns. */
static bool opens_nest(const struct shell *sh, struct bytes t, size_t i)
{
	if (i + 1 >= t.len || t.ptr[i + 1] != '(')
		return false;
	return is_in(t.ptr[i], "$<>") || (opt_shopt(sh, SHOPT_extglob) && is_in(t.ptr[i], "?*+@!"));
}

static size_t word_end(const struct shell *sh, struct bytes t, size_t i)
{
	int nest = 0;
	char quote = '\0';

	for (; i < t.len; i++) {
		char c = t.ptr[i];

		if (c == '\\' && quote != '\'') {
			i++;
		} else if (quote != '\0') {
			quote = c == quote ? '\0' : quote;
		} else if (is_in(c, "\"'`")) {
			quote = c;
		} else if (opens_nest(sh, t, i) || (nest > 0 && c == '(')) {
			i += c != '(';
			nest++;
		} else if (nest > 0) {
			nest -= c == ')';
		} else if (is_in(c, " \t\n;&()|<>")) {
			break;
		}
	}
	return i < t.len ? i : t.len;
}

/* The end of the word or operator at i. */
static size_t token_end(const struct shell *sh, struct bytes t, size_t i)
{
	size_t digits = i;

	while (digits < t.len && byte_is_digit((unsigned char)t.ptr[digits]))
		digits++;
	if (digits > i && digits < t.len && is_in(t.ptr[digits], "<>"))
		i = digits;
	return operator_end(t, i) != i ? operator_end(t, i) : word_end(sh, t, i);
}

static void split_event(struct expansion *x)
{
	struct bytes t = x->event;
	int cap = 0;

	x->nparts = 0;
	x->parts = NULL;
	shell_cost(x->sh, t.len);
	for (size_t i = 0; i < t.len;) {
		size_t end;

		proc_charge(x->sh->p, 1);
		if (is_in(t.ptr[i], " \t\n")) {
			i++;
			continue;
		}
		if (t.ptr[i] == '#' && i > 0)
			return;
		if (x->nparts == cap) {
			int more = cap == 0 ? 16 : cap * 2;

			x->parts = arena_grow(x->sh->arena, x->parts,
					      (size_t)cap * sizeof *x->parts,
					      (size_t)more * sizeof *x->parts);
			cap = more;
		}
		end = token_end(x->sh, t, i);
		x->parts[x->nparts++] = bytes_slice(t, i, end);
		i = end;
	}
}

/* The words from..to, or false if there are none of these numbers. */
static bool take_words(struct expansion *x, int from, int to)
{
	struct buf out = buf_in(x->sh->arena);

	if (to == WORDS_LAST)
		to = x->nparts - 1;
	if (from == WORDS_LAST)
		from = x->nparts - 1;
	if (from == to + 1 && from == x->nparts && from > 0) { /* `*` of a single word */
		x->words = BYTES("");
		return true;
	}
	if (from < 0 || to < from || to >= x->nparts)
		return false;
	for (int i = from; i <= to; i++) {
		if (i > from)
			buf_putc(&out, ' ');
		buf_add(&out, x->parts[i]);
	}
	x->words = buf_bytes(&out);
	return true;
}

static int read_number(struct expansion *x)
{
	int n = 0;

	for (; byte_is_digit(at(x, x->i)); x->i++)
		n = n < 100000 ? n * 10 + (at(x, x->i) - '0') : n;
	return n;
}

/* What stands behind x- : the last word of the range. */
static int read_last(struct expansion *x)
{
	if (byte_is_digit(at(x, x->i)))
		return read_number(x);
	if (at(x, x->i) == '$') {
		x->i++;
		return WORDS_LAST;
	}
	if (at(x, x->i) == '^') {
		x->i++;
		return 1;
	}
	return x->nparts - 2;
}

/* The number of a word; WORDS_LAST for $, -2 if there is none. */
static int read_first(struct expansion *x)
{
	int c = at(x, x->i);

	if (byte_is_digit(c))
		return read_number(x);
	if (c == '^' || c == '$')
		x->i++;
	return c == '^' ? 1 : c == '$' ? WORDS_LAST : c == '-' ? 0 : -2;
}

/* %: the word that the last !?text? has found. */
static bool take_match(struct expansion *x)
{
	x->i++;
	if (x->h->match == NULL)
		x->words = BYTES("");
	else
		x->words = arena_bytes(x->sh->arena, bytes_of(x->h->match));
	return true;
}

/* Word designators. Without any the whole event is taken. */
static bool read_words(struct expansion *x)
{
	size_t start = x->i;
	bool colon = at(x, x->i) == ':';
	int c = at(x, x->i + colon);
	int first;

	x->words = x->event;
	if (!is_in(c, "^$*-%") && !(colon && byte_is_digit(c)))
		return true;
	x->i += colon;
	split_event(x);
	if (c == '%')
		return take_match(x);
	if (c == '*') {
		x->i++;
		return take_words(x, 1, WORDS_LAST) || fail(x, start, "bad word specifier");
	}
	first = read_first(x);
	if (at(x, x->i) == '*') {
		x->i++;
		if (take_words(x, first, WORDS_LAST))
			return true;
	} else if (at(x, x->i) == '-' && c != '$') {
		x->i++;
		if (take_words(x, first, read_last(x)))
			return true;
	} else if (take_words(x, first, first)) {
		return true;
	}
	return fail(x, start, "bad word specifier");
}

/* --- events --- */

static bool take_entry(struct expansion *x, int i)
{
	if (i < 0 || i >= x->count)
		return false;
	x->event = arena_bytes(x->sh->arena, entry_text(&x->h->entry[i]));
	shell_cost(x->sh, x->event.len);
	return true;
}

static void remember(struct shell *sh, char **slot, struct bytes text)
{
	char *copy = pool_dup(sh->pool, text);

	if (*slot != NULL)
		pool_free(sh->pool, *slot, strlen(*slot) + 1);
	*slot = copy;
}

/* The last word of the event that has the text, for %. */
static void note_match(struct expansion *x, struct bytes text)
{
	split_event(x);
	for (int i = x->nparts - 1; i >= 0; i--) {
		if (bytes_find(x->parts[i], text) != NULL) {
			remember(x->sh, &x->h->match, x->parts[i]);
			return;
		}
	}
}

static bool search(struct expansion *x, struct bytes text, bool anywhere)
{
	for (int i = x->count - 1; i >= 0; i--) {
		struct bytes entry = entry_text(&x->h->entry[i]);

		proc_charge(x->sh->p, 1);
		shell_cost(x->sh, anywhere ? entry.len : text.len);
		if (!(anywhere ? bytes_find(entry, text) != NULL : bytes_starts(entry, text)))
			continue;
		(void)take_entry(x, i);
		if (anywhere)
			note_match(x, text);
		return true;
	}
	return false;
}

/* !?text? and !text */
static bool find_event(struct expansion *x, size_t start)
{
	bool anywhere = at(x, x->i) == '?';
	size_t from = x->i += anywhere;
	struct bytes text;

	for (; x->i < x->line.len && at(x, x->i) != '\n'; x->i++) {
		int c = at(x, x->i);

		if (anywhere ? c == '?'
			     : is_in(c, " \t:^$*%;&()|<>") || (c == '-' && x->i > from) ||
				       (c == '"' && x->quoted))
			break;
	}
	text = bytes_slice(x->line, from, x->i);
	x->i += anywhere && at(x, x->i) == '?';
	if (anywhere && text.len == 0 && x->h->sought != NULL)
		text = bytes_of(x->h->sought);
	else if (anywhere)
		remember(x->sh, &x->h->sought, text);
	if (text.len != 0 && search(x, text, anywhere))
		return true;
	return fail(x, start, "event not found");
}

/* At the character behind the ! at start. */
static bool read_event(struct expansion *x, size_t start)
{
	int c = at(x, x->i);
	bool back = c == '-' && byte_is_digit(at(x, x->i + 1));
	int n;

	if (c == '!' || is_in(c, ":^$*%") || (c == '-' && !back)) {
		x->i += c == '!';
		return take_entry(x, x->count - 1) || fail(x, start, "event not found");
	}
	if (c == '#') {
		x->i++;
		x->event = arena_bytes(x->sh->arena, buf_bytes(&x->out));
		return true;
	}
	if (!back && !byte_is_digit(c))
		return find_event(x, start);
	x->i += back;
	n = read_number(x);
	n = back ? x->count - n : n - 1 - x->h->base;
	return take_entry(x, n) || fail(x, start, "event not found");
}

/* --- modifiers --- */

static const char *last_byte(struct bytes t, char c)
{
	for (size_t i = t.len; i > 0; i--) {
		if (t.ptr[i - 1] == c)
			return t.ptr + i - 1;
	}
	return NULL;
}

static void cut_path(struct expansion *x, int c)
{
	struct bytes t = x->words;
	const char *cut = last_byte(t, c == 'h' || c == 't' ? '/' : '.');

	shell_cost(x->sh, t.len);
	if (cut == NULL)
		return;
	if (c == 'h' || c == 'r')
		x->words = (struct bytes){ t.ptr, (size_t)(cut - t.ptr) };
	else
		x->words = bytes_slice(t, (size_t)(cut - t.ptr) + (c == 't'), t.len);
}

/* Up to the delimiter, which a backslash keeps as text. */
static struct bytes read_side(struct expansion *x, int delimiter)
{
	struct buf out = buf_in(x->sh->arena);

	for (; x->i < x->line.len && at(x, x->i) != delimiter && at(x, x->i) != '\n'; x->i++) {
		if (at(x, x->i) == '\\' && at(x, x->i + 1) == delimiter)
			x->i++;
		buf_putc(&out, (char)at(x, x->i));
	}
	return buf_bytes(&out);
}

/* & in what is put in is what it replaces; \& is itself. */
static struct bytes with_left(struct expansion *x, struct bytes right, struct bytes left)
{
	struct buf out = buf_in(x->sh->arena);

	for (size_t i = 0; i < right.len; i++) {
		if (right.ptr[i] == '&')
			buf_add(&out, left);
		else if (right.ptr[i] == '\\' && i + 1 < right.len && right.ptr[i + 1] == '&')
			buf_putc(&out, right.ptr[++i]);
		else
			buf_putc(&out, right.ptr[i]);
	}
	return buf_bytes(&out);
}

static void read_sides(struct expansion *x)
{
	int delimiter = at(x, x->i++);
	struct bytes left = read_side(x, delimiter);
	struct bytes right;

	if (left.len != 0)
		remember(x->sh, &x->h->left, left);
	else if (x->h->left == NULL && x->h->sought != NULL)
		remember(x->sh, &x->h->left, bytes_of(x->h->sought));
	x->i += at(x, x->i) == delimiter;
	right = read_side(x, delimiter);
	x->i += at(x, x->i) == delimiter;
	left = x->h->left != NULL ? bytes_of(x->h->left) : BYTES("");
	remember(x->sh, &x->h->right, with_left(x, right, left));
}

/* Replaces left by right in text: once, or wherever it is. Whether it was there. */
static bool replace(struct expansion *x, struct buf *out, struct bytes text, bool all)
{
	struct bytes left = bytes_of(x->h->left);
	bool any = false;

	while (text.len != 0 && left.len != 0) {
		const char *hit = any && !all ? NULL : bytes_find(text, left);

		proc_charge(x->sh->p, 1);
		shell_cost(x->sh, hit != NULL ? (size_t)(hit - text.ptr) : text.len);
		if (hit == NULL)
			break;
		buf_add(out, bytes_slice(text, 0, (size_t)(hit - text.ptr)));
		buf_puts(out, x->h->right);
		text = bytes_slice(text, (size_t)(hit - text.ptr) + left.len, text.len);
		any = true;
	}
	buf_add(out, text);
	return any;
}

/* :Gs/a/b/ replaces once in each word. */
static bool replace_in_words(struct expansion *x, struct buf *out)
{
	struct bytes t = x->words;
	bool any = false;

	for (size_t i = 0; i < t.len;) {
		size_t end = i;

		proc_charge(x->sh->p, 1);
		if (is_in(t.ptr[i], " \t\n")) {
			buf_putc(out, t.ptr[i++]);
			continue;
		}
		end = token_end(x->sh, t, i);
		any |= replace(x, out, bytes_slice(t, i, end), false);
		i = end;
	}
	return any;
}

/* s/a/b/ or &, with g, a or G in front of it. */
static bool substitute(struct expansion *x, size_t start, int how)
{
	struct buf out = buf_in(x->sh->arena);
	bool any;

	if (at(x, x->i) == 's' && x->i + 1 >= x->line.len) { /* nothing by nothing */
		x->i++;
		return true;
	}
	if (at(x, x->i++) == 's')
		read_sides(x);
	if (x->h->left == NULL || x->h->right == NULL)
		return fail(x, start, "no previous substitution");
	any = how == 'G' ? replace_in_words(x, &out) : replace(x, &out, x->words, how != 0);
	if (!any)
		return fail(x, start, "substitution failed");
	x->words = buf_bytes(&out);
	return true;
}

static bool read_modifiers(struct expansion *x)
{
	while (at(x, x->i) == ':') {
		size_t start = x->i++;
		int c = at(x, x->i);

		proc_charge(x->sh->p, 1);
		if (is_in(c, "gaG") && is_in(at(x, x->i + 1), "s&")) {
			x->i++;
			if (!substitute(x, start, c))
				return false;
		} else if (is_in(c, "s&")) {
			if (!substitute(x, start, 0))
				return false;
		} else if (is_in(c, "htre")) {
			x->i++;
			cut_path(x, c);
		} else if (is_in(c, "qx")) {
			x->i++;
			x->quoting = (char)c;
		} else if (c == 'p') {
			x->i++;
			x->print_only = true;
		} else {
			x->i++;
			return fail(x, start + 1, "unrecognized history modifier");
		}
	}
	return true;
}

/* 'text'; with :x blanks stay outside of the quotes. */
static void put_quoted(struct expansion *x)
{
	struct bytes t = x->words;

	buf_putc(&x->out, '\'');
	for (size_t i = 0; i < t.len; i++) {
		if (t.ptr[i] == '\'')
			buf_puts(&x->out, "'\\''");
		else if (x->quoting == 'x' && is_in(t.ptr[i], " \t\n"))
			buf_printf(&x->out, "'%c'", t.ptr[i]);
		else
			buf_putc(&x->out, t.ptr[i]);
	}
	buf_putc(&x->out, '\'');
}

/* --- the walk --- */

/* The ! at x->i, and what belongs to it. */
static bool expand_one(struct expansion *x)
{
	size_t start = x->i++;

	x->quoting = '\0';
	if (!read_event(x, start) || !read_words(x) || !read_modifiers(x))
		return false;
	if (x->quoting != '\0')
		put_quoted(x);
	else
		buf_add(&x->out, x->words);
	return true;
}

/* ^a^b^ is !!:s^a^b^ */
static bool expand_quick(struct expansion *x)
{
	struct bytes line = x->line;
	struct buf changed = buf_in(x->sh->arena);
	bool ok;

	buf_puts(&changed, "!!:s");
	buf_add(&changed, line);
	x->line = buf_bytes(&changed);
	ok = expand_one(x);
	if (ok)
		buf_add(&x->out, bytes_slice(x->line, x->i, x->line.len));
	return ok;
}

/* What the shell itself means with !: [!a], ${!x}, $! and !(a|b). */
static bool is_spared(const struct expansion *x, size_t i)
{
	const char *behind = x->line.ptr + i + 1;
	size_t n = x->line.len - i - 1;
	int before = i > 0 ? at(x, i - 1) : 0;

	shell_cost(x->sh, n);
	if (before == '[' && memchr(behind, ']', n) != NULL)
		return true;
	if (before == '{' && i > 1 && at(x, i - 2) == '$' && memchr(behind, '}', n) != NULL)
		return true;
	if (before == '$')
		return true;
	return opt_shopt(x->sh, SHOPT_extglob) && at(x, i + 1) == '(' &&
	       memchr(behind, ')', n) != NULL;
}

struct walk {
	char stack[NEST_MAX]; /* of open " ` ( */
	int depth;
};

static char top_of(const struct walk *w)
{
	return w->depth > 0 ? w->stack[w->depth - 1] : '\0';
}

static void push(struct walk *w, char c)
{
	if (w->depth < NEST_MAX)
		w->stack[w->depth++] = c;
}

static bool is_expansion(const struct expansion *x, const struct walk *w)
{
	int next = at(x, x->i + 1);

	if (next == 0 || is_in(next, " \t\n\r=") || is_spared(x, x->i))
		return false;
	if (top_of(w) == '"')
		return next != '"' && !opt_set(x->sh, SET_POSIX);
	return true;
}

/* Copies up to the ' that closes, or all if none does. In $'..' a backslash keeps one from it. */
static void pass_single(struct expansion *x, bool escapes)
{
	size_t from = x->i;

	while (x->i < x->line.len && at(x, x->i) != '\'')
		x->i += escapes && at(x, x->i) == '\\' && x->i + 1 < x->line.len ? 2 : 1;
	x->i += x->i < x->line.len;
	buf_add(&x->out, bytes_slice(x->line, from, x->i));
}

/* Copies the byte at hand and follows what it opens and closes. */
static void pass_byte(struct expansion *x, struct walk *w)
{
	char c = (char)at(x, x->i);
	char top = top_of(w);

	buf_putc(&x->out, c);
	x->i++;
	if (c == '\\' && x->i < x->line.len)
		buf_putc(&x->out, (char)at(x, x->i++));
	else if (c == '\'' && top != '"')
		pass_single(x, x->i > 1 && at(x, x->i - 2) == '$');
	else if ((c == '"' || c == '`') && top == c)
		w->depth--;
	else if (c == '"' || c == '`')
		push(w, c);
	else if (c == '(' && (top != '"' || (x->i > 1 && at(x, x->i - 2) == '$')))
		push(w, c);
	else if (c == ')' && top == '(')
		w->depth--;
}

static bool begins_comment(const struct expansion *x, const struct walk *w)
{
	return at(x, x->i) == '#' && top_of(w) != '"' &&
	       (x->i == 0 || is_in(at(x, x->i - 1), " \t\n;&|()"));
}

/* False after a message. */
static bool walk_line(struct expansion *x, char quote)
{
	struct walk w = { .depth = 0 };

	if (quote == '\'')
		pass_single(x, false);
	else if (quote != '\0')
		push(&w, quote);
	else if (at(x, 0) == '^')
		return expand_quick(x);
	while (x->i < x->line.len) {
		proc_charge(x->sh->p, 1);
		if (begins_comment(x, &w)) {
			buf_add(&x->out, bytes_slice(x->line, x->i, x->line.len));
			return true;
		}
		x->quoted = top_of(&w) == '"';
		if (at(x, x->i) != '!' || !is_expansion(x, &w))
			pass_byte(x, &w);
		else if (!expand_one(x))
			return false;
	}
	return true;
}

enum history_expanded history_expand(struct shell *sh, struct bytes line, char quote, bool inside,
				     struct bytes *out)
{
	struct buf error = buf_in(sh->arena);
	struct history *h = history_of(sh);
	struct expansion x = { .sh = sh,
			       .h = h,
			       .line = line,
			       .count = h->count - (inside && h->count > 0),
			       .out = buf_in(sh->arena),
			       .error = &error };

	if (memchr(line.ptr, '!', line.len) == NULL && at(&x, 0) != '^') {
		*out = line;
		return HISTORY_AS_IS;
	}
	if (!walk_line(&x, quote)) {
		*out = buf_bytes(&error);
		return HISTORY_FAILED;
	}
	*out = buf_bytes(&x.out);
	if (x.print_only)
		return HISTORY_PRINTED;
	return bytes_eq(*out, line) ? HISTORY_AS_IS : HISTORY_EXPANDED;
}
