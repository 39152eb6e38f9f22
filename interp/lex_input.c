/* SPDX-License-Identifier: MIT
 *
 * The parser's input: lines are pulled into one buffer per unit, places in it are remembered
 * and returned to, and slices of it are turned into pointers when the unit is complete.
 */
#include "interp/parser.h"

void *parser_grow(struct parser *p, void *array, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap < 8 ? 8 : *cap;

	if (n <= *cap)
		return array;
	while (want < n)
		want *= 2;
	array = arena_grow(p->scratch, array, *cap * size, want * size);
	*cap = want;
	return array;
}

/* Appends a line; NUL bytes are dropped, as bash does. */
static void append_line(struct parser *p, struct bytes line)
{
	p->src = parser_grow(p, p->src, &p->cap, p->len + line.len + 1, 1);
	if (p->len == 0 || p->src[p->len - 1] == '\n')
		p->last_line = p->len;
	if (memchr(line.ptr, '\0', line.len) == NULL) {
		memcpy(p->src + p->len, line.ptr, line.len);
		p->len += line.len;
		return;
	}
	for (size_t i = 0; i < line.len; i++)
		if (line.ptr[i] != '\0')
			p->src[p->len++] = line.ptr[i];
}

static struct bytes next_rest_line(struct parser *p)
{
	const char *nl = memchr(p->rest.ptr, '\n', p->rest.len);
	size_t n = nl != NULL ? (size_t)(nl - p->rest.ptr) + 1 : p->rest.len;
	struct bytes line = { p->rest.ptr, n };

	p->rest.ptr += n;
	p->rest.len -= n;
	return line;
}

/* At the end of the input: the newline that its last line lacks. */
static struct bytes last_newline(struct parser *p)
{
	p->ended = true;
	if (p->text_only || p->len == 0 || p->src[p->len - 1] == '\n' || p->src[p->len - 1] == '\\')
		return BYTES("");
	p->ended = false;
	return BYTES("\n");
}

bool source_pull(struct parser *p)
{
	while (!p->ended && !p->failed && p->pos >= p->len) {
		struct bytes line = { NULL, 0 };

		if (p->rest.len != 0)
			line = next_rest_line(p);
		else if (p->config.more == NULL ||
			 p->config.more(p->config.user, p->begun, &line) <= 0)
			line = last_newline(p);
		if (line.len == 0)
			continue;
		if (p->config.charge != NULL)
			p->config.charge(p->config.user, line.len);
		append_line(p, line);
	}
	return p->pos < p->len && !p->failed;
}

/* The first index whose value is not below `at`. */
static size_t lower_bound(const size_t *sorted, size_t n, size_t at)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (sorted[mid] < at)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* Once each, also when what was read is read again: cut_drops() needs them ascending. */
static void note_drop(struct parser *p)
{
	size_t i = p->ndrops;

	if (i != 0 && p->drops[i - 1] >= p->pos)
		i = lower_bound(p->drops, p->ndrops, p->pos);
	if (i < p->ndrops && p->drops[i] == p->pos)
		return;
	p->drops = parser_grow(p, p->drops, &p->drops_cap, p->ndrops + 1, sizeof *p->drops);
	memmove(p->drops + i + 1, p->drops + i, (p->ndrops - i) * sizeof *p->drops);
	p->drops[i] = p->pos;
	p->ndrops++;
}

int source_skip_continuation(struct parser *p)
{
	while (source_raw(p) == '\\' && source_second(p) == '\n') {
		note_drop(p);
		p->pos += 2;
		p->line++;
	}
	return source_raw(p);
}

bool source_opens_process(struct parser *p)
{
	size_t from = p->pos;
	bool opens;

	p->pos++;
	while (p->pos + 1 < p->len && p->src[p->pos] == '\\' && p->src[p->pos + 1] == '\n') {
		p->pos += 2;
		source_raw(p);
	}
	opens = p->pos < p->len && p->src[p->pos] == '(';
	p->pos = from;
	return opens;
}

void source_count_line(struct parser *p)
{
	p->line += p->naliases == 0 || p->aliases[0].end < p->pos;
}

bool source_accept(struct parser *p, char c)
{
	if (source_peek(p) != (unsigned char)c)
		return false;
	source_step(p);
	return true;
}

struct source_mark source_mark(const struct parser *p)
{
	return (struct source_mark){ .pos = p->pos,
				     .ndrops = p->ndrops,
				     .nkept = p->nkept,
				     .ndocs = p->ndocs,
				     .nsubs = p->nsubs,
				     .items = p->items.len,
				     .redirs = p->redirs.len,
				     .assigns = p->assigns.len,
				     .docs_base = p->docs_base,
				     .lit = p->lit.len,
				     .line = p->line,
				     .depth = p->depth };
}

void source_return(struct parser *p, struct source_mark m)
{
	p->pos = m.pos;
	p->ndrops = m.ndrops;
	p->nkept = m.nkept;
	p->ndocs = m.ndocs;
	p->nsubs = m.nsubs;
	p->items.len = m.items;
	p->redirs.len = m.redirs;
	p->assigns.len = m.assigns;
	p->docs_base = m.docs_base;
	p->lit.len = m.lit;
	p->line = m.line;
	p->depth = m.depth;
	p->has_tok = false;
}

void source_guess_failed(struct parser *p, size_t at)
{
	size_t i = p->nnot;

	p->not_tried = parser_grow(p, p->not_tried, &p->not_cap, i + 1, sizeof *p->not_tried);
	for (; i > 0 && p->not_tried[i - 1] > at; i--)
		p->not_tried[i] = p->not_tried[i - 1];
	p->not_tried[i] = at;
	p->nnot++;
}

bool source_guess_known(const struct parser *p, size_t at)
{
	size_t i = lower_bound(p->not_tried, p->nnot, at);

	return i < p->nnot && p->not_tried[i] == at;
}

/* The line as it was, for messages. */
static void keep_original(struct parser *p)
{
	const char *start = p->src + p->last_line;
	const char *newline = memchr(start, '\n', p->len - p->last_line);

	if (p->original.ptr != NULL && p->original_at == p->last_line)
		return;
	p->original.ptr = start;
	p->original.len = newline != NULL ? (size_t)(newline - start) : p->len - p->last_line;
	p->original = arena_bytes(p->scratch, p->original);
	p->original_at = p->last_line;
}

void source_replace(struct parser *p, size_t from, size_t to, struct bytes text)
{
	size_t tail = p->len - to;
	size_t grown = text.len - (to - from);

	keep_original(p);
	p->src = parser_grow(p, p->src, &p->cap, p->len + grown + 1, 1);
	memmove(p->src + from + text.len, p->src + to, tail);
	if (text.len != 0)
		memcpy(p->src + from, text.ptr, text.len);
	p->len += grown;
	p->pos = from;
	if (p->last_line > from)
		p->last_line = p->last_line > to ? p->last_line + grown : from;
	for (size_t i = 0; i < p->naliases; i++)
		if (p->aliases[i].end >= to)
			p->aliases[i].end += grown;
	if (p->config.charge != NULL)
		p->config.charge(p->config.user, tail / 16 + text.len);
}

void source_keep(struct parser *p, struct bytes *slice, size_t from, size_t to)
{
	p->kept = parser_grow(p, p->kept, &p->kept_cap, p->nkept + 1, sizeof *p->kept);
	p->kept[p->nkept++] = slice;
	slice->ptr = (const char *)(uintptr_t)from;
	slice->len = to - from;
}

/* text[from..to) without the pairs dropped in between: in place, or a copy in the arena. */
static struct bytes cut_drops(struct parser *p, const char *text, size_t from, size_t to)
{
	size_t i = lower_bound(p->drops, p->ndrops, from);
	char *copy;
	size_t n = 0;

	if (i >= p->ndrops || p->drops[i] >= to)
		return (struct bytes){ text + from, to - from };
	copy = arena_alloc(p->arena, to - from + 1);
	for (size_t at = from; at < to;) {
		size_t next = i < p->ndrops && p->drops[i] < to ? p->drops[i++] : to;

		memcpy(copy + n, text + at, next - at);
		n += next - at;
		at = next == to ? to : next + 2;
	}
	copy[n] = '\0';
	return (struct bytes){ copy, n };
}

struct bytes source_slice(struct parser *p, size_t from, size_t to)
{
	return cut_drops(p, p->src, from, to);
}

size_t source_distance(const struct parser *p, size_t from, size_t to)
{
	size_t i = lower_bound(p->drops, p->ndrops, from);
	size_t n = to - from;

	for (; i < p->ndrops && p->drops[i] < to; i++)
		n -= 2;
	return n;
}

struct bytes source_resolve(struct parser *p)
{
	char *text = arena_dup(p->arena, (struct bytes){ p->pos != 0 ? p->src : "", p->pos });

	for (size_t i = 0; i < p->nkept; i++) {
		size_t from = (size_t)(uintptr_t)p->kept[i]->ptr;

		*p->kept[i] = cut_drops(p, text, from, from + p->kept[i]->len);
	}
	p->nkept = 0;
	return (struct bytes){ text, p->pos };
}

void *stack_push(struct parser *p, struct stack *s, const void *item, size_t size)
{
	char *slot;

	s->ptr = parser_grow(p, s->ptr, &s->cap, s->len + size, 1);
	slot = s->ptr + s->len;
	memcpy(slot, item, size);
	s->len += size;
	return slot;
}

void *stack_take(struct parser *p, struct stack *s, size_t base, size_t size, int *count)
{
	size_t bytes = s->len - base;
	void *array = NULL;

	if (bytes != 0) {
		array = arena_alloc(p->arena, bytes);
		memcpy(array, s->ptr + base, bytes);
	}
	s->len = base;
	*count = (int)(bytes / size);
	return array;
}

void *node_new(struct parser *p, enum node_kind kind, size_t size, int line)
{
	struct node *n = arena_zalloc(p->arena, size);

	n->kind = kind;
	n->line = line;
	return n;
}

struct bytes lit_take(struct parser *p, size_t base)
{
	struct bytes text = { p->lit.len > base ? p->lit.ptr + base : "", p->lit.len - base };

	p->lit.len = base;
	return arena_bytes(p->arena, text);
}
