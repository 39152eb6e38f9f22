/* SPDX-License-Identifier: MIT
 *
 * What `set -o history` records of a script: its lines as they are read, those of one command
 * joined to one entry. Sourced files, eval and -c are not recorded, as in bash.
 */
#include "interp/builtin.h"
#include "interp/history.h"
#include "interp/state.h"

/* --- what lines of a command are joined with --- */

struct token {
	struct bytes text;
	bool word;
	bool reserved; /* stands where a command may begin */
};

struct scan {
	struct token last[3]; /* the newest first */
	char quote;           /* one of " ' ` ( { that is still open, or 0 */
	int cases;            /* case that has no esac yet */
	bool in_array;        /* name=( is open */
	bool newline;         /* one came behind the last token */
};

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

static bool may_begin(const struct token *t)
{
	return t->text.len == 0 || (!t->word && !is_one_of(t->text, "< > << >> <<< <& >&")) ||
	       (t->reserved && is_one_of(t->text, "if then elif else while until do { ! time"));
}

static void add_token(struct scan *s, struct bytes text, bool word)
{
	struct token t = { text, word, word && (s->newline || may_begin(&s->last[0])) };

	s->newline = false;

	/* `in` behind the word of for and case, { behind a function's name. */
	if (word && s->last[1].reserved &&
	    ((bytes_is(text, "in") && is_one_of(s->last[1].text, "for case select")) ||
	     (bytes_is(text, "{") && bytes_is(s->last[1].text, "function"))))
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
static size_t skip_quotes(struct scan *s, struct bytes t, size_t i)
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

static size_t skip_word(struct scan *s, struct bytes t, size_t i)
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

static void scan_text(struct shell *sh, struct scan *s, struct bytes t)
{
	for (size_t i = 0; i < t.len;) {
		char c = t.ptr[i];
		size_t end = i + 1;

		proc_charge(sh->p, 1);
		if (c == ' ' || c == '\t' || c == '\n') {
			s->newline |= c == '\n';
			i++;
			continue;
		}
		if (c == '#') {
			const char *nl = memchr(t.ptr + i, '\n', t.len - i);

			i = nl != NULL ? (size_t)(nl - t.ptr) : t.len;
			continue;
		}
		if ((c == '<' || c == '>') && end < t.len && t.ptr[end] == '(') {
			end = skip_quotes(s, t, end);
			add_token(s, bytes_slice(t, i, end), true);
		} else if (strchr(";&|()<>", c) != NULL) {
			while (end < t.len && c != '(' && c != ')' &&
			       strchr(";&|<>", t.ptr[end]) != NULL)
				end++;
			s->in_array = c == '(' ? i > 0 && t.ptr[i - 1] == '='
					       : s->in_array && c != ')';
			add_token(s, bytes_slice(t, i, end), false);
		} else {
			end = skip_word(s, t, i);
			add_token(s, bytes_slice(t, i, end), true);
		}
		i = end;
	}
}

/* Whether ) closes a pattern of case or the parameters of a function. */
static bool is_soft_paren(const struct scan *s)
{
	return bytes_is(s->last[1].text, "(") || s->cases > 0;
}

static const char *delimiter(const struct scan *s)
{
	const struct token *last = &s->last[0];

	if (s->quote != '\0')
		return "\n";
	if (bytes_is(last->text, ")") && !last->word)
		return is_soft_paren(s) ? " " : "; ";
	if (!last->word || s->in_array)
		return " ";
	if (last->reserved && is_one_of(last->text, "{ case do else if then until while in"))
		return " ";
	if (s->last[1].reserved && is_one_of(s->last[1].text, "for case select function"))
		return bytes_is(s->last[1].text, "for") ? "; " : " ";
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
	struct buf out = buf_in(sh->arena);
	bool literal = opt_shopt(sh, SHOPT_lithist);
	struct scan scan = { 0 };

	scan_text(sh, &scan, buf_bytes(&s->command));
	if (s->place == PARSE_IN_COMMAND && scan.quote == '\0' && is_comment(line) && !literal) {
		s->behind_comment = true;
		return;
	}
	buf_add(&out, entry);
	if (s->place == PARSE_IN_DOC) {
		if (entry.len == 0 || entry.ptr[entry.len - 1] != '\n')
			buf_putc(&out, '\n');
	} else if (ends_in_backslash(entry) && scan.quote != '\'') {
		out.len--;
	} else if (entry.len != 0 && entry.ptr[entry.len - 1] == '\n') {
		;
	} else {
		bool newline = literal || s->behind_comment || s->place == PARSE_IN_SUB;

		buf_puts(&out, newline ? "\n" : delimiter(&scan));
	}
	buf_add(&out, line);
	if (s->place == PARSE_IN_DOC)
		buf_putc(&out, '\n');
	s->behind_comment = false;
	history_set_last(sh, buf_bytes(&out));
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

static char open_quote(struct shell *sh, const struct script_history *s)
{
	struct scan scan = { 0 };

	if (!s->continued)
		return '\0';
	scan_text(sh, &scan, buf_bytes(&s->command));
	return scan.quote == '(' || scan.quote == '{' ? '\0' : scan.quote;
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
	how = history_expand(sh, text, open_quote(sh, s), inside, &text);
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

bool history_typed(struct shell *sh, struct bytes *text)
{
	struct script_history line = { .place = PARSE_IN_COMMAND };
	bool recorded = opt_set(sh, SET_HISTORY);
	bool kept = true;

	if (recorded && opt_set(sh, SET_HISTEXPAND))
		kept = expand_line(sh, &line, text);
	history_of(sh)->typed = recorded && kept && history_add(sh, *text);
	return kept;
}

bool history_line(struct shell *sh, struct script_history *s, struct bytes *line)
{
	struct arena_mark mark;

	if (!s->continued)
		s->command.len = 0;
	if (opt_set(sh, SET_HISTEXPAND) && s->place == PARSE_IN_COMMAND &&
	    !expand_line(sh, s, line))
		return false;
	mark = arena_mark(sh->arena);
	record(sh, s, *line);
	arena_release(sh->arena, mark);
	if (s->place != PARSE_IN_DOC)
		buf_add(&s->command, *line);
	return true;
}
