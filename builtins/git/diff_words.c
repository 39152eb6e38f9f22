/* SPDX-License-Identifier: MIT
 *
 * --word-diff: words that went and words that came, in the text they came into.
 */
#include "builtins/git/diff.h"

struct words {
	struct bytes text;
	struct bytes *at; /* each word */
	size_t n;
};

static void split(struct git *g, const struct diff_opts *o, struct regex *re, struct words *w)
{
	size_t cap = 0;

	(void)o;
	for (size_t i = 0; i < w->text.len;) {
		size_t from = i;
		size_t to;

		if (re != NULL) {
			struct regex_span m;

			if (regex_search(re, w->text, i, 0, &m, 1) != 0)
				break;
			from = m.from;
			to = m.to;
			const char *nl = to > from ? memchr(w->text.ptr + from, '\n', to - from)
						   : NULL;

			if (nl != NULL)
				to = (size_t)(nl - w->text.ptr);
			if (to <= from) {
				i = from + 1;
				continue;
			}
		} else {
			while (from < w->text.len &&
			       byte_is_space((unsigned char)w->text.ptr[from]))
				from++;
			to = from;
			while (to < w->text.len && !byte_is_space((unsigned char)w->text.ptr[to]))
				to++;
			if (from == w->text.len)
				break;
		}
		LIST_ROOM(g, w->at, w->n, cap);
		w->at[w->n++] = bytes_slice(w->text, from, to);
		i = to;
		cmd_charge(g->c, 1);
	}
}

static struct bytes as_lines(struct git *g, const struct words *w)
{
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < w->n; i++) {
		buf_add(&b, w->at[i]);
		buf_putc(&b, '\n');
	}
	return buf_bytes(&b);
}

struct marks {
	const char *before;
	const char *after;
	const char *color;
};

struct painter {
	struct git *g;
	const struct diff_opts *o;
	struct buf *out;
	bool at_start; /* porcelain: at the beginning of a line */
};

static void put_part(struct painter *p, char kind, struct bytes text)
{
	static const struct {
		char kind;
		const char *open;
		const char *close;
		const char *slot;
	} kinds[] = { { '-', "[-", "-]", "old" },
		      { '+', "{+", "+}", "new" },
		      { ' ', "", "", "context" } };
	int k = kind == '-' ? 0 : kind == '+' ? 1 : 2;
	const char *color = diff_escape(p->o, p->g, kinds[k].slot);
	bool plain = p->o->words == WORDS_PLAIN;
	bool porcelain = p->o->words == WORDS_PORCELAIN;

	while (text.len != 0) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl != NULL ? (size_t)(nl - text.ptr) : text.len;

		if (n != 0) {
			buf_puts(p->out, color);
			if (plain)
				buf_puts(p->out, kinds[k].open);
			if (porcelain)
				buf_putc(p->out, kind);
			buf_put(p->out, text.ptr, n);
			if (plain)
				buf_puts(p->out, kinds[k].close);
			if (porcelain)
				buf_putc(p->out, '\n');
			if (color[0] != '\0')
				buf_puts(p->out, COLOR_RESET);
		}
		if (nl == NULL)
			return;
		buf_puts(p->out, porcelain ? "~\n" : "\n");
		text = bytes_slice(text, n + 1, text.len);
	}
}

static struct bytes between(const struct words *w, size_t from, size_t to)
{
	const char *a = from < w->n ? w->at[from].ptr : w->text.ptr + w->text.len;
	const char *b;

	if (from == to)
		return (struct bytes){ a, 0 };
	b = w->at[to - 1].ptr + w->at[to - 1].len;
	return (struct bytes){ a, (size_t)(b - a) };
}

void diff_words_hunk(struct git *g, const struct diff_opts *o, const char *words,
		     struct bytes minus, struct bytes plus, struct buf *out)
{
	struct painter p = { g, o, out, true };
	struct words w[2] = { { .text = minus }, { .text = plus } };
	struct regex *re = NULL;
	const char *message;
	struct lines l;
	const char *at = plus.ptr;

	if (minus.ptr == NULL || plus.len == 0) {
		put_part(&p, minus.ptr == NULL ? ' ' : '-', minus.ptr == NULL ? plus : minus);
		return;
	}
	if (words != NULL &&
	    regex_compile(g->a, bytes_of(words), REGEX_ERE | REGEX_NEWLINE | g->utf8, &re, &message,
			  NULL) < 0)
		git_die(g, "invalid regular expression: %s", words);
	if (re != NULL)
		regex_set_work(re, cmd_work, g->c);
	split(g, o, re, &w[0]);
	split(g, o, re, &w[1]);
	lines_diff(g, g->a, as_lines(g, &w[0]), as_lines(g, &w[1]),
		   LINES_NO_INDENT_HEURISTIC | LINES_NO_CONTEXT, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct lines_change *c = &l.change[i];
		struct bytes del = between(&w[0], c->from[0], c->from[0] + c->count[0]);
		struct bytes add = between(&w[1], c->from[1], c->from[1] + c->count[1]);
		const char *to = add.ptr;

		/* Nothing added: what is deleted stands behind the word before. */
		if (c->count[1] == 0)
			to = c->from[1] > 0
				     ? w[1].at[c->from[1] - 1].ptr + w[1].at[c->from[1] - 1].len
				     : plus.ptr;
		if (to > at)
			put_part(&p, ' ', (struct bytes){ at, (size_t)(to - at) });
		put_part(&p, '-', del);
		put_part(&p, '+', add);
		at = to + add.len;
	}
	put_part(&p, ' ', (struct bytes){ at, (size_t)(plus.ptr + plus.len - at) });
}
