/* SPDX-License-Identifier: MIT
 *
 * curl's URL globs: {one,two}, [1-9], [001-100:5], [a-z]. The last pattern changes fastest.
 */
#include "builtins/http/curl.h"

enum { PATTERNS_MAX = 100 };

struct pattern {
	enum { FIXED, LIST, LETTERS, NUMBERS } kind;
	struct bytes text;  /* FIXED */
	struct bytes *list; /* LIST */
	uint64_t from;
	uint64_t step;
	uint64_t count;
	uint64_t at;
	int width; /* of numbers with zeros in front */
};

struct curl_glob {
	struct curl *k;
	const char *url;
	struct pattern p[PATTERNS_MAX];
	int n;
	bool done;
};

static int complain(struct curl_glob *g, const char *what, size_t position)
{
	struct buf b = buf_in(g->k->c->arena);

	if (g->k->first->silent && !g->k->first->show_error)
		return -1;
	buf_printf(&b, "curl: (3) %s in URL position %zu:\n%s\n", what, position, g->url);
	buf_fill(&b, ' ', position - 1);
	buf_puts(&b, "^\n");
	cmd_err_write(g->k->c, b.ptr, b.len);
	return -1;
}

static struct pattern *add(struct curl_glob *g)
{
	struct pattern *p;

	if (g->n == PATTERNS_MAX)
		return NULL;
	p = &g->p[g->n++];
	*p = (struct pattern){ .count = 1, .step = 1 };
	return p;
}

/* Behind '{': up to '}'. */
static int read_list(struct curl_glob *g, const char **at)
{
	struct arena *a = g->k->c->arena;
	size_t open = (size_t)(*at - g->url);
	struct pattern *p = add(g);
	struct buf word = buf_in(a);

	if (p == NULL)
		return complain(g, "too many globs", open);
	p->kind = LIST;
	p->count = 0;
	for (;; ++*at) {
		if (**at == '\0')
			return complain(g, "unmatched brace", open);
		if (**at == '{' || **at == '[')
			return complain(g, "nested brace", (size_t)(*at - g->url) + 1);
		if (**at == '\\' && (*at)[1] != '\0') {
			buf_putc(&word, *++*at);
		} else if (**at == ',' || **at == '}') {
			p->list = arena_room(a, p->list, p->count, sizeof *p->list);
			p->list[p->count++] = arena_bytes(a, buf_bytes(&word));
			word.len = 0;
			if (**at == '}')
				break;
		} else {
			buf_putc(&word, **at);
		}
	}
	++*at;
	return 0;
}

static const char *read_number(const char *at, uint64_t *out)
{
	*out = 0;
	for (; byte_is_digit(*at); at++) {
		if (*out > UINT32_MAX)
			return "";
		*out = *out * 10 + (unsigned)(*at - '0');
	}
	return at;
}

/* Behind '[': "1-9]", "a-z:2]". */
static int read_range(struct curl_glob *g, const char **at)
{
	const char *begin = *at;
	const char *end = strchr(begin, ']');
	size_t position = (end != NULL ? (size_t)(end - g->url) + 1 : strlen(g->url)) + 1;
	struct pattern *p = add(g);
	const char *next = begin;
	uint64_t to = 0;

	if (p == NULL)
		return complain(g, "too many globs", position);
	p->kind = byte_is_digit(*begin) ? NUMBERS : LETTERS;
	if (p->kind == NUMBERS) {
		next = read_number(begin, &p->from);
		p->width = *begin == '0' ? (int)(next - begin) : 0;
		next = *next == '-' && byte_is_digit(next[1]) ? read_number(next + 1, &to) : "";
	} else if (byte_is_alpha(*begin) && begin[1] == '-' && byte_is_alpha(begin[2])) {
		p->from = (unsigned char)begin[0];
		to = (unsigned char)begin[2];
		next = begin + 3;
	}
	if (*next == ':')
		next = read_number(next + 1, &p->step);
	if (*next != ']' || to < p->from || p->step == 0 || p->step > to - p->from + 1)
		return complain(g, "bad range", position);
	p->count = (to - p->from) / p->step + 1;
	*at = next + 1;
	return 0;
}

/* "[::1]" is an address, "[]" nothing at all. */
static size_t plain_brackets(const char *at)
{
	size_t n = 1;

	while (byte_is_xdigit(at[n]) || at[n] == ':' || at[n] == '.')
		n++;
	return at[n] == ']' && (n == 1 || memchr(at, ':', n) != NULL) ? n + 1 : 0;
}

static int read_fixed(struct curl_glob *g, const char **at)
{
	struct buf text = buf_in(g->k->c->arena);
	struct pattern *p = add(g);
	const char *s = *at;

	if (p == NULL)
		return complain(g, "too many globs", (size_t)(s - g->url) + 1);
	while (*s != '\0' && *s != '{' && (*s != '[' || plain_brackets(s) != 0)) {
		size_t n = *s == '[' ? plain_brackets(s) : 1;

		if (*s == '}' || *s == ']')
			return complain(g, "unmatched close brace/bracket",
					(size_t)(s - g->url) + 1);
		if (*s == '\\' && s[1] != '\0' && strchr("{}[]", s[1]) != NULL)
			s++;
		buf_put(&text, s, n);
		s += n;
	}
	p->text = buf_bytes(&text);
	*at = s;
	return 0;
}

struct curl_glob *curl_glob_new(struct curl *k, const struct curl_set *s, const char *url)
{
	struct curl_glob *g = arena_zalloc(k->c->arena, sizeof *g);
	const char *at = url;
	int err = 0;

	g->k = k;
	g->url = url;
	if (s->no_glob) {
		add(g)->text = bytes_of(url);
		return g;
	}
	while (*at != '\0' && err == 0) {
		if (*at == '{') {
			at++;
			err = read_list(g, &at);
		} else if (*at == '[' && plain_brackets(at) == 0) {
			at++;
			err = read_range(g, &at);
		} else {
			err = read_fixed(g, &at);
		}
	}
	return err == 0 ? g : NULL;
}

static void put_pattern(struct buf *out, const struct pattern *p)
{
	uint64_t value = p->from + p->at * p->step;
	struct buf digits = buf_in(out->arena);

	switch (p->kind) {
	case FIXED: buf_add(out, p->text); return;
	case LIST: buf_add(out, p->list[p->at]); return;
	case LETTERS: buf_putc(out, (char)value); return;
	case NUMBERS: break;
	}
	buf_put_u64(&digits, value);
	if ((size_t)p->width > digits.len)
		buf_fill(out, '0', (size_t)p->width - digits.len);
	buf_add(out, buf_bytes(&digits));
}

const char *curl_glob_next(struct curl_glob *g)
{
	struct buf out = buf_in(g->k->c->arena);
	int i = g->n - 1;

	if (g->done)
		return NULL;
	if (g->url != NULL)
		g->url = NULL; /* the first one: as they are */
	else
		while (i >= 0 && ++g->p[i].at == g->p[i].count)
			g->p[i--].at = 0;
	if (i < 0 && g->n != 0) {
		g->done = true;
		return NULL;
	}
	g->done = g->n == 0;
	for (i = 0; i < g->n; i++)
		put_pattern(&out, &g->p[i]);
	return buf_cstr(&out);
}

const char *curl_glob_fill(struct curl_glob *g, const char *name)
{
	struct buf out = buf_in(g->k->c->arena);

	for (const char *at = name; *at != '\0'; at++) {
		uint64_t wanted = 0;
		const char *end = *at == '#' ? read_number(at + 1, &wanted) : at;
		const struct pattern *found = NULL;

		for (int i = 0; i < g->n && wanted != 0; i++)
			if (g->p[i].kind != FIXED && --wanted == 0)
				found = &g->p[i];
		if (found == NULL || end == at) {
			buf_putc(&out, *at);
			continue;
		}
		put_pattern(&out, found);
		at = end - 1;
	}
	return buf_cstr(&out);
}
