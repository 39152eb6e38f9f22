/* SPDX-License-Identifier: MIT
 *
 * What `set -o history` records of a script: its lines as they are read, those of one command
 * joined to one entry. Sourced files, eval and -c are not recorded, as in bash.
 */
#include "interp/builtin.h"
#include "interp/history.h"
#include "interp/state.h"

/* --- what lines of a command are joined with --- */

static bool is_one_of(struct bytes word, const char *list)
{
	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, " ");

		if (word.len == n && memcmp(word.ptr, at, n) == 0)
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

static struct bytes text_of(const struct history_token *t)
{
	return (struct bytes){ t->text, t->len };
}

static bool may_begin(const struct history_token *t)
{
	struct bytes text = text_of(t);

	return t->len == 0 || (!t->word && !is_one_of(text, "< > << >> <<< <& >&")) ||
	       (t->reserved && is_one_of(text, "if then elif else while until do { ! time"));
}

static void add_token(struct history_scan *s, struct bytes text, bool word)
{
	struct history_token t = { .word = word };
	struct bytes before = text_of(&s->last[1]);

	t.len = (uint8_t)(text.len < sizeof t.text ? text.len : sizeof t.text);
	memcpy(t.text, text.ptr, t.len);
	t.reserved = word && (s->newline || may_begin(&s->last[0]));
	s->newline = false;

	/* `in` behind the word of for and case, { behind a function's name. */
	if (word && s->last[1].reserved &&
	    ((bytes_is(text, "in") && is_one_of(before, "for case select")) ||
	     (bytes_is(text, "{") && bytes_is(before, "function"))))
		t.reserved = true;
	if (t.reserved && bytes_is(text, "case"))
		s->cases++;
	if (t.reserved && bytes_is(text, "esac") && s->cases > 0)
		s->cases--;
	s->last[2] = s->last[1];
	s->last[1] = s->last[0];
	s->last[0] = t;
}

/* Behind what the quote at i begins, which s->quote keeps if it does not end. */
static size_t skip_quotes(struct history_scan *s, struct bytes t, size_t i)
{
	char open = t.ptr[i++];
	int depth = 1;

	for (; i < t.len; i++) {
		char c = t.ptr[i];

		if (c == '\\' && open != '\'') {
			i++;
		} else if (open == '(' || open == '{') {
			depth += c == open ? 1 : c == (open == '(' ? ')' : '}') ? -1 : 0;
			if (depth == 0)
				return i + 1;
		} else if (c == open) {
			return i + 1;
		}
	}
	s->quote = open;
	return t.len;
}

static size_t skip_word(struct history_scan *s, struct bytes t, size_t i)
{
	while (i < t.len && strchr(" \t\n;&|()<>", t.ptr[i]) == NULL) {
		char c = t.ptr[i];
		bool dollar = (c == '$' || c == '<' || c == '>') && i + 1 < t.len;

		if (c == '\\')
			i += 2;
		else if (c == '"' || c == '\'' || c == '`')
			i = skip_quotes(s, t, i);
		else if (dollar && (t.ptr[i + 1] == '(' || (c == '$' && t.ptr[i + 1] == '{')))
			i = skip_quotes(s, t, i + 1);
		else
			i++;
	}
	return i < t.len ? i : t.len;
}

/* The end of the word at i; 0: more lines belong to it. */
static size_t word_at(struct history_scan *s, struct bytes t, size_t i)
{
	size_t end = t.ptr[i] == '<' || t.ptr[i] == '>' ? skip_quotes(s, t, i + 1)
							: skip_word(s, t, i);

	return s->quote != '\0' || (end == t.len && t.ptr[t.len - 1] == '\n') ? 0 : end;
}

static size_t operator_at(struct history_scan *s, struct bytes t, size_t i)
{
	char c = t.ptr[i++];

	if (c == '(')
		s->in_array = i > 1 && t.ptr[i - 2] == '=';
	else if (c == ')')
		s->in_array = false;
	while (i < t.len && c != '(' && c != ')' && strchr(";&|<>", t.ptr[i]) != NULL)
		i++;
	return i;
}

/* Looks at what came to the text; a word that goes on waits until all of it is there. */
static void scan_text(struct shell *sh, struct history_scan *s, struct bytes t)
{
	s->quote = '\0';
	while (s->at < t.len) {
		size_t i = s->at;
		char c = t.ptr[i];
		bool opens = (c == '<' || c == '>') && i + 1 < t.len && t.ptr[i + 1] == '(';
		bool word = opens || strchr(";&|()<>", c) == NULL;
		const char *nl;
		size_t end;

		proc_charge(sh->p, 1);
		if (c == ' ' || c == '\t' || c == '\n') {
			s->newline |= c == '\n';
			s->at++;
			continue;
		}
		if (c == '#') {
			nl = memchr(t.ptr + i, '\n', t.len - i);
			s->at = nl != NULL ? (size_t)(nl - t.ptr) : t.len;
			continue;
		}
		end = word ? word_at(s, t, i) : operator_at(s, t, i);
		shell_cost(sh, end != 0 ? end - i : t.len - i);
		if (end == 0)
			return;
		add_token(s, bytes_slice(t, i, end), word);
		s->at = end;
	}
}

/* Whether ) closes a pattern of case or the parameters of a function. */
static bool is_soft_paren(const struct history_scan *s)
{
	return bytes_is(text_of(&s->last[1]), "(") || s->cases > 0;
}

static const char *delimiter(const struct history_scan *s)
{
	const struct history_token *last = &s->last[0];

	if (s->quote != '\0')
		return "\n";
	if (bytes_is(text_of(last), ")") && !last->word)
		return is_soft_paren(s) ? " " : "; ";
	if (!last->word || s->in_array)
		return " ";
	if (last->reserved && is_one_of(text_of(last), "{ case do else if then until while in"))
		return " ";
	if (s->last[1].reserved && is_one_of(text_of(&s->last[1]), "for case select function"))
		return bytes_is(text_of(&s->last[1]), "for") ? "; " : " ";
	return "; ";
}

/* --- lines --- */

static bool ends_in_backslash(struct bytes text)
{
	size_t n = 0;

	while (n < text.len && text.ptr[text.len - 1 - n] == '\\')
		n++;
	return n % 2 != 0;
}

static bool is_comment(struct bytes line)
{
	size_t i = 0;

	while (i < line.len && (line.ptr[i] == ' ' || line.ptr[i] == '\t'))
		i++;
	return i < line.len && line.ptr[i] == '#';
}

/* Joins the line to the entry of its command. */
static void join(struct shell *sh, struct script_history *s, struct bytes line)
{
	struct history *h = history_of(sh);
	struct bytes entry = entry_text(&h->entry[h->count - 1]);
	bool ended = entry.len != 0 && entry.ptr[entry.len - 1] == '\n';
	bool literal = opt_shopt(sh, SHOPT_lithist);
	bool doc = s->place == PARSE_IN_DOC;
	const char *between = delimiter(&s->scan);

	if (s->place == PARSE_IN_COMMAND && s->scan.quote == '\0' && is_comment(line) && !literal) {
		s->behind_comment = true;
		return;
	}
	if (doc || literal || s->behind_comment || s->place == PARSE_IN_SUB)
		between = "\n";
	if (!doc && ends_in_backslash(entry) && s->scan.quote != '\'')
		history_grow_last(sh, 1, "", line);
	else
		history_grow_last(sh, 0, ended ? "" : between, line);
	if (doc)
		history_grow_last(sh, 0, "\n", BYTES(""));
	s->behind_comment = false;
}

static void record(struct shell *sh, struct script_history *s, struct bytes line)
{
	struct history *h = history_of(sh);
	bool joined = s->continued && opt_shopt(sh, SHOPT_cmdhist);

	if (line.len != 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	if (joined && h->saved && h->count > 0) {
		join(sh, s, line);
	} else if (!joined) {
		s->behind_comment = false;
		h->saved = h->typed = line.len != 0 && history_add(sh, line);
	}
}

static char open_quote(const struct script_history *s)
{
	char quote = s->scan.quote;

	return quote == '(' || quote == '{' ? '\0' : quote;
}

/* Whether the line is to be read. */
static bool expand_line(struct shell *sh, const struct script_history *s, struct bytes *line)
{
	bool inside = s->continued && history_of(sh)->saved && opt_shopt(sh, SHOPT_cmdhist);
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf shown = buf_in(sh->arena);
	struct bytes text = *line;
	bool ends = text.len != 0 && text.ptr[text.len - 1] == '\n';
	enum history_expanded how;

	text.len -= ends;
	how = history_expand(sh, text, open_quote(s), inside, &text);
	if (how == HISTORY_AS_IS) {
		arena_release(sh->arena, mark);
		return true;
	}
	if (how == HISTORY_FAILED) {
		shell_error(sh, "%.*s", (int)text.len, text.ptr);
		return false;
	}
	buf_add(&shown, text);
	buf_putc(&shown, '\n');
	err_write(sh, buf_bytes(&shown));
	*line = ends ? buf_bytes(&shown) : text;
	if (how == HISTORY_PRINTED && text.len != 0)
		(void)history_add(sh, text);
	return how == HISTORY_EXPANDED;
}

bool history_line(struct shell *sh, struct script_history *s, struct bytes *line)
{
	struct arena_mark mark;

	if (!s->continued) {
		s->command.len = 0;
		s->scan = (struct history_scan){ 0 };
	}
	if (opt_set(sh, SET_HISTEXPAND) && s->place == PARSE_IN_COMMAND &&
	    !expand_line(sh, s, line))
		return false;
	mark = arena_mark(sh->arena);
	record(sh, s, *line);
	arena_release(sh->arena, mark);
	if (s->place == PARSE_IN_DOC)
		return true;
	buf_add(&s->command, *line);
	scan_text(sh, &s->scan, buf_bytes(&s->command));
	return true;
}
