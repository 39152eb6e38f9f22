/* SPDX-License-Identifier: MIT
 *
 * Messages and pieces of text: what git says on standard error, names in quotes, lists.
 */
#include "base/sort.h"
#include "builtins/git/git.h"

char *git_format(struct arena *a, const char *format, ...)
{
	struct buf b = buf_in(a);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	return buf_cstr(&b);
}

/* --- messages --- */

enum { MESSAGE_MAX = 4096 };

static void say(struct git *g, const char *prefix, const char *format, va_list args)
{
	struct buf b = buf_in(g->a);

	buf_puts(&b, prefix);
	buf_vprintf(&b, format, args);
	/* Errors and warnings fit into git's room for one, and spare the terminal. */
	if (prefix[0] != '\0') {
		if (b.len > MESSAGE_MAX - 1)
			b.len = MESSAGE_MAX - 1;
		for (size_t i = 0; i < b.len; i++) {
			unsigned char ch = (unsigned char)b.ptr[i];

			if ((ch < ' ' && ch != '\t' && ch != '\n') || ch == 0x7f)
				b.ptr[i] = '?';
		}
		buf_putc(&b, '\n');
	}
	cmd_err_write(g->c, b.ptr, b.len);
}

void git_clean_up(struct git *g)
{
	if (g->temporary != NULL)
		cmd_unlink(g->c, CMD_CWD, g->temporary, 0);
	g->temporary = g->index_file = NULL;
}

void git_exit(struct git *g, int status)
{
	git_clean_up(g);
	cmd_exit(g->c, status);
}

void git_die(struct git *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(g, "fatal: ", format, args);
	va_end(args);
	git_exit(g, GIT_STATUS_FATAL);
}

void git_die_errno(struct git *g, int err, const char *format, ...)
{
	struct buf b = buf_in(g->a);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	git_die(g, "%s: %s", buf_cstr(&b), err_text(err));
}

int git_error(struct git *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(g, "error: ", format, args);
	va_end(args);
	return 1;
}

void git_warn(struct git *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(g, "warning: ", format, args);
	va_end(args);
}

void git_say(struct git *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(g, "", format, args);
	va_end(args);
}

void git_hint(struct git *g, const char *advice, const char *format, ...)
{
	struct buf b = buf_in(g->a);
	struct buf out = buf_in(g->a);
	struct bytes rest;
	struct bytes line;
	bool colored;
	va_list args;

	if (advice != NULL && !config_bool(g, git_format(g->a, "advice.%s", advice), true))
		return;
	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	colored = color_wanted_in_errors(g, "color.advice");
	rest = buf_bytes(&b);
	while (git_line(&rest, &line)) {
		if (colored)
			buf_puts(&out, color_of(g, "color.advice.hint", "\033[33m"));
		buf_puts(&out, "hint: ");
		buf_add(&out, line);
		buf_puts(&out, colored ? "\033[m\n" : "\n");
	}
	cmd_err_write(g->c, out.ptr, out.len);
}

void git_refuse(struct git *g, const char *what)
{
	git_die(g, "%s is not supported here", what);
}

/* --- names in quotes --- */

static bool needs_quotes(struct git *g, const char *name)
{
	bool high = config_bool(g, "core.quotepath", true);

	for (const char *p = name; *p != '\0'; p++) {
		unsigned char ch = (unsigned char)*p;

		if (ch < 0x20 || ch == '"' || ch == '\\' || ch == 0x7f || (ch >= 0x80 && high))
			return true;
	}
	return false;
}

static void put_quoted(struct git *g, struct buf *out, const char *name)
{
	static const char letters[] = "abtnvfr";
	bool high = config_bool(g, "core.quotepath", true);

	buf_putc(out, '"');
	for (const char *p = name; *p != '\0'; p++) {
		unsigned char ch = (unsigned char)*p;

		if (ch >= 7 && ch <= 13)
			buf_printf(out, "\\%c", letters[ch - 7]);
		else if (ch == '"' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else if (ch < 0x20 || ch == 0x7f || (ch >= 0x80 && high))
			buf_printf(out, "\\%c%c%c", '0' + (ch >> 6), '0' + (ch >> 3 & 7),
				   '0' + (ch & 7));
		else
			buf_putc(out, *p);
	}
	buf_putc(out, '"');
}

void git_quote(struct git *g, struct buf *out, const char *name)
{
	if (needs_quotes(g, name))
		put_quoted(g, out, name);
	else
		buf_puts(out, name);
}

const char *git_quoted(struct git *g, const char *name)
{
	struct buf b = buf_in(g->a);

	if (!needs_quotes(g, name))
		return name;
	put_quoted(g, &b, name);
	return buf_cstr(&b);
}

const char *git_quoted_blank(struct git *g, const char *name)
{
	if (needs_quotes(g, name) || strchr(name, ' ') == NULL)
		return git_quoted(g, name);
	return git_format(g->a, "\"%s\"", name);
}

char *git_unquote(struct arena *a, const char **at)
{
	static const char from[] = "abtnvfr\"\\";
	static const char to[] = "\a\b\t\n\v\f\r\"\\";
	struct buf out = buf_in(a);
	const char *p = *at + 1;

	for (; *p != '"'; p++) {
		if (*p == '\0')
			return NULL;
		if (*p != '\\') {
			buf_putc(&out, *p);
			continue;
		}
		p++;
		const char *letter = *p != '\0' ? strchr(from, *p) : NULL;

		if (letter != NULL) {
			buf_putc(&out, to[letter - from]);
		} else if (p[0] >= '0' && p[0] <= '3' && p[1] >= '0' && p[1] <= '7' &&
			   p[2] >= '0' && p[2] <= '7') {
			buf_putc(&out,
				 (char)((p[0] - '0') << 6 | (p[1] - '0') << 3 | (p[2] - '0')));
			p += 2;
		} else {
			return NULL;
		}
	}
	*at = p + 1;
	return buf_cstr(&out);
}

void git_quote_shell(struct buf *out, const char *s)
{
	buf_putc(out, '\'');
	for (; *s != '\0'; s++) {
		if (*s == '\'' || *s == '!')
			buf_printf(out, "'\\%c'", *s);
		else
			buf_putc(out, *s);
	}
	buf_putc(out, '\'');
}

char *git_unquote_shell(struct arena *a, const char **at)
{
	struct buf b = buf_in(a);
	const char *s = *at;

	while (*s == ' ')
		s++;
	if (*s != '\'')
		return NULL;
	for (s++;; s++) {
		/* A quote or "!" inside stands as '\'' does. */
		if (*s == '\'' && s[1] == '\\' && s[2] != '\0' && s[3] == '\'') {
			buf_putc(&b, s[2]);
			s += 3;
			continue;
		}
		if (*s == '\'')
			break;
		if (*s == '\0')
			return NULL;
		buf_putc(&b, *s);
	}
	*at = s + 1;
	return buf_cstr(&b);
}

/* Width 0: each line is moved. */
static void put_moved(struct buf *out, struct bytes text, const struct git_wrapping *w)
{
	int indent = w->indent1;

	while (text.len != 0) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl != NULL ? (size_t)(nl - text.ptr) + 1 : text.len;

		buf_fill(out, ' ', (size_t)indent);
		buf_put(out, text.ptr, n);
		text = bytes_slice(text, n, text.len);
		indent = w->indent2;
	}
}

/* What stands between two words stays as it is, but for the blank at which a line breaks. A
 * single newline is a blank if a letter follows. */
void git_wrap(struct buf *out, struct bytes text, const struct git_wrapping *w)
{
	const char *at = text.ptr, *end = text.ptr + text.len;
	size_t width = (size_t)w->indent1; /* of the line with this word */
	const char *gap = NULL;            /* between the last word of the line and this one */
	int indent = w->indent1;

	if (w->width <= 0) {
		put_moved(out, text, w);
		return;
	}
	for (;;) {
		const char *word = at;
		bool breaks = false;

		while (at < end && !byte_is_space((unsigned char)*at))
			at++;
		width += git_columns((struct bytes){ word, (size_t)(at - word) });
		if (gap != NULL && width > (size_t)w->width) {
			breaks = true;
		} else {
			if (at == end && gap == NULL && at == word)
				return;
			if (gap == NULL)
				buf_fill(out, ' ', (size_t)indent);
			else
				word = gap;
			buf_put(out, word, (size_t)(at - word));
			if (at == end)
				return;
			gap = at;
			if (*at == '\n') {
				gap++;
				breaks = gap == end || !byte_is_alnum((unsigned char)*gap);
				if (gap < end && *gap == '\n')
					buf_putc(out, '\n');
				else if (!breaks)
					buf_putc(out, ' ');
			}
		}
		if (!breaks) {
			width += 1;
			at++;
			continue;
		}
		buf_putc(out, '\n');
		at = gap + (gap < end && byte_is_space((unsigned char)*gap));
		gap = NULL;
		indent = w->indent2;
		width = (size_t)w->indent2;
	}
}

size_t git_terminal_columns(struct git *g)
{
	const char *text = cmd_getenv(g->c, "COLUMNS");
	unsigned terminal;
	int64_t n;

	if (text != NULL && git_number(text, &n) && n > 0 && n <= 1 << 20)
		return (size_t)n;
	terminal = cmd_terminal_columns(g->c, 1);
	return terminal != 0 ? terminal : 80;
}

size_t git_digits(size_t v)
{
	size_t n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

size_t git_columns(struct bytes s)
{
	size_t width = 0;

	for (size_t i = 0; i < s.len;) {
		uint32_t cp = 0;
		size_t n = utf8_decode(s, i, &cp);

		if (n == 0) {
			i++;
			width++;
			continue;
		}
		int w = utf8_width(cp);

		width += w > 0 ? (size_t)w : 0;
		i += n;
	}
	return width;
}

/* --- pieces --- */

bool git_line(struct bytes *rest, struct bytes *line)
{
	const char *end;

	if (rest->len == 0)
		return false;
	end = memchr(rest->ptr, '\n', rest->len);
	if (end == NULL) {
		*line = *rest;
		*rest = (struct bytes){ rest->ptr + rest->len, 0 };
		return true;
	}
	*line = (struct bytes){ rest->ptr, (size_t)(end - rest->ptr) };
	*rest = bytes_slice(*rest, line->len + 1, rest->len);
	return true;
}

struct bytes git_trim(struct bytes s)
{
	while (s.len != 0 && byte_is_space((unsigned char)s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	while (s.len != 0 && byte_is_space((unsigned char)s.ptr[s.len - 1]))
		s.len--;
	return s;
}

bool git_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool git_eq_nocase(struct bytes a, struct bytes b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (byte_to_lower((unsigned char)a.ptr[i]) !=
		    byte_to_lower((unsigned char)b.ptr[i]))
			return false;
	return true;
}

bool git_ends(const char *s, const char *suffix)
{
	return bytes_ends(bytes_of(s), bytes_of(suffix));
}

bool git_number(const char *s, int64_t *out)
{
	bool minus = *s == '-';
	int64_t v = 0;

	if (*s == '-' || *s == '+')
		s++;
	if (!byte_is_digit((unsigned char)*s))
		return false;
	for (; byte_is_digit((unsigned char)*s); s++) {
		if (v > INT64_MAX / 10 - 1)
			return false;
		v = v * 10 + (*s - '0');
	}
	*out = minus ? -v : v;
	return *s == '\0';
}

int git_name_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* --- sorting --- */

struct git_sorting {
	struct git *g;
	int (*cmp)(const void *, const void *);
};

static int compare(void *arg, const void *a, const void *b)
{
	struct git_sorting *s = arg;

	cmd_charge(s->g->c, 1);
	return s->cmp(a, b);
}

void git_sort(struct git *g, void *base, size_t n, size_t size,
	      int (*cmp)(const void *, const void *))
{
	struct git_sorting s = { g, cmp };
	void *spare;

	if (n < 2)
		return;
	spare = pool_alloc(g->c->pool, n * size);
	sort_stable(base, n, size, spare, compare, &s);
	pool_free(g->c->pool, spare, n * size);
}

/* --- lists --- */

void git_grow(struct git *g, void **ptr, size_t *cap, size_t size)
{
	size_t bigger = *cap * 2 + 16;

	*ptr = pool_resize(g->c->pool, *ptr, *cap * size, bigger * size);
	*cap = bigger;
}

void names_add(struct git *g, struct names *list, const char *name)
{
	LIST_ROOM(g, list->at, list->n, list->cap);
	list->at[list->n++] = arena_dup(g->keep, bytes_of(name));
}

void git_charge_search(struct git *g, size_t n, const char *name)
{
	cmd_charge(g->c, n * (strlen(name) / 64 + 1) / 8);
}

bool names_has(struct git *g, const struct names *list, const char *name)
{
	git_charge_search(g, list->n, name);
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i], name) == 0)
			return true;
	return false;
}
