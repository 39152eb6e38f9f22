/* SPDX-License-Identifier: MIT
 *
 * JSON values as text: compact, indented, sorted, coloured. Open containers are kept on a
 * stack in the pool, so that depth costs no native stack.
 */
#include "base/json.h"
#include "base/number.h"
#include "base/utf8.h"

struct open {
	struct json v;
	size_t at;       /* slot or element that comes next */
	size_t done;     /* members written */
	uint32_t *order; /* sorted objects */
};

struct printer {
	struct json_mem *m;
	struct buf *out;
	const struct json_style *style;
	const char *const *colors;
	struct open *stack;
	size_t n;
	size_t cap;
};

/* --- scalars --- */

void json_put_number(struct buf *out, double d)
{
	char digits[17];
	int exp;

	if (d != d) {
		buf_put(out, "null", 4);
		return;
	}
	if (d >= INT32_MIN && d <= INT32_MAX && d == (double)(int32_t)d) {
		int32_t i = (int32_t)d;

		if (i == 0 && 1 / d < 0)
			buf_putc(out, '-');
		buf_put_i64(out, i);
		return;
	}
	if (d < 0)
		buf_putc(out, '-');
	/* Infinity is printed as the largest number. */
	if (d > 1.7976931348623157e308 || d < -1.7976931348623157e308)
		d = 1.7976931348623157e308;

	int n = number_shortest(d, digits, &exp);

	if (exp <= -4 || exp > n + 15) {
		buf_putc(out, digits[0]);
		if (n > 1) {
			buf_putc(out, '.');
			buf_put(out, digits + 1, (size_t)n - 1);
		}
		exp--;
		buf_putc(out, 'e');
		buf_putc(out, exp < 0 ? '-' : '+');
		if (exp < 0)
			exp = -exp;
		if (exp < 10)
			buf_putc(out, '0');
		buf_put_i64(out, exp);
	} else if (exp <= 0) {
		buf_puts(out, "0.");
		buf_fill(out, '0', (size_t)-exp);
		buf_put(out, digits, (size_t)n);
	} else if (n <= exp) {
		buf_put(out, digits, (size_t)n);
		buf_fill(out, '0', (size_t)(exp - n));
	} else {
		buf_put(out, digits, (size_t)exp);
		buf_putc(out, '.');
		buf_put(out, digits + exp, (size_t)(n - exp));
	}
}

static void put_u16(struct buf *out, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";

	buf_put(out, "\\u", 2);
	for (int shift = 12; shift >= 0; shift -= 4)
		buf_putc(out, hex[unit >> shift & 15]);
}

/* One character that can't stand as it is; returns its length. */
static size_t put_escaped(struct buf *out, struct bytes s, size_t at)
{
	static const char special[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *hit = s.ptr[at] != '\0' ? strchr(special, s.ptr[at]) : NULL;
	uint32_t ch = (unsigned char)s.ptr[at];
	size_t n = 1;

	if (hit != NULL) {
		buf_putc(out, '\\');
		buf_putc(out, letters[hit - special]);
		return 1;
	}
	if (ch >= 0x80) {
		n = utf8_decode(s, at, &ch);
		if (n == 0)
			n = 1, ch = 0xfffd;
	}
	if (ch > 0xffff) {
		put_u16(out, 0xd800 + ((ch - 0x10000) >> 10));
		ch = 0xdc00 + ((ch - 0x10000) & 0x3ff);
	}
	put_u16(out, ch);
	return n;
}

static bool is_plain(unsigned char ch, bool ascii)
{
	return ch >= 0x20 && ch != '"' && ch != '\\' && ch != 0x7f && (!ascii || ch < 0x80);
}

void json_put_string(struct buf *out, struct bytes s, bool ascii)
{
	size_t from = 0;
	size_t at = 0;

	buf_reserve(out, s.len + 2);
	buf_putc(out, '"');
	while (at < s.len) {
		while (at < s.len && is_plain((unsigned char)s.ptr[at], ascii))
			at++;
		buf_put(out, s.ptr + from, at - from);
		if (at < s.len)
			at += put_escaped(out, s, at);
		from = at;
	}
	buf_putc(out, '"');
}

static void put_scalar(struct buf *out, struct json v, bool ascii)
{
	if (v.kind == JSON_STRING)
		json_put_string(out, json_text(v), ascii);
	else if (v.kind == JSON_NUMBER)
		json_put_number(out, v.u.num);
	else if (v.kind == JSON_LITERAL)
		buf_put(out, v.u.lit->ptr, v.u.lit->len);
	else
		buf_puts(out, v.kind == JSON_TRUE    ? "true"
			      : v.kind == JSON_FALSE ? "false"
						     : "null");
}

/* --- containers --- */

static void color_on(struct printer *p, enum json_color color)
{
	if (p->colors != NULL)
		buf_puts(p->out, p->colors[color]);
}

static void color_off(struct printer *p)
{
	if (p->colors != NULL)
		buf_puts(p->out, "\x1b[0m");
}

static enum json_color color_of(struct json v)
{
	static const uint8_t map[] = { JSON_COLOR_NULL,   JSON_COLOR_NULL,   JSON_COLOR_FALSE,
				       JSON_COLOR_TRUE,   JSON_COLOR_NUMBER, JSON_COLOR_NUMBER,
				       JSON_COLOR_STRING, JSON_COLOR_ARRAY,  JSON_COLOR_OBJECT };

	return map[v.kind];
}

static void new_line(struct printer *p)
{
	if (!p->style->pretty)
		return;
	buf_putc(p->out, '\n');
	buf_fill(p->out, p->style->tab ? '\t' : ' ', p->n * p->style->indent);
}

static void open_container(struct printer *p, struct json v)
{
	bool sort = v.kind == JSON_OBJECT && p->style->sort;

	if (p->n == p->cap) {
		size_t cap = p->cap * 2 + 16;

		p->stack = pool_resize(p->m->pool, p->stack, p->cap * sizeof(*p->stack),
				       cap * sizeof(*p->stack));
		p->cap = cap;
	}
	p->stack[p->n++] = (struct open){ .v = v, .order = sort ? json_sorted(p->m, v) : NULL };
	color_on(p, color_of(v));
	buf_putc(p->out, v.kind == JSON_ARRAY ? '[' : '{');
}

static void free_order(struct printer *p, struct open *o)
{
	if (o->order != NULL)
		pool_free(p->m->pool, o->order, (json_count(o->v) + 1) * sizeof(uint32_t));
}

static void close_container(struct printer *p)
{
	struct open *o = &p->stack[--p->n];

	free_order(p, o);
	if (o->done > 0) {
		color_on(p, color_of(o->v));
		new_line(p);
		color_on(p, color_of(o->v));
	}
	buf_putc(p->out, o->v.kind == JSON_ARRAY ? ']' : '}');
	color_off(p);
}

static void put_key(struct printer *p, struct json_str *key)
{
	color_off(p);
	color_on(p, JSON_COLOR_KEY);
	json_put_string(p->out, (struct bytes){ key->ptr, key->len }, p->style->ascii);
	color_off(p);
	color_on(p, JSON_COLOR_OBJECT);
	buf_putc(p->out, ':');
	if (p->style->pretty)
		buf_putc(p->out, ' ');
	color_off(p);
}

/* The next member of the innermost container, its key already written. False: none left. */
static bool next_member(struct printer *p, struct json *out)
{
	struct open *o = &p->stack[p->n - 1];
	bool object = o->v.kind == JSON_OBJECT;
	size_t total = object ? json_count(o->v) : json_len(o->v);

	if (o->done == total)
		return false;
	if (o->done > 0) {
		color_on(p, color_of(o->v));
		buf_putc(p->out, ',');
	}
	o->done++;
	new_line(p);
	if (!object) {
		*out = json_at(o->v, o->at++);
		return true;
	}
	size_t slot = o->order != NULL ? o->order[o->at] : json_next_slot(o->v, o->at);

	o->at = o->order != NULL ? o->at + 1 : slot + 1;
	*out = o->v.u.obj->slots[slot].val;
	put_key(p, o->v.u.obj->slots[slot].key);
	return true;
}

static void put_value(struct printer *p, struct json v)
{
	if (v.kind >= JSON_ARRAY && p->n >= JSON_PRINT_DEPTH_MAX) {
		buf_puts(p->out, "<skipped: too deep>");
	} else if (v.kind >= JSON_ARRAY) {
		open_container(p, v);
	} else {
		color_on(p, color_of(v));
		size_t enough = p->style->enough;

		if (v.kind == JSON_STRING && enough != 0 && v.u.str->len > enough)
			json_put_string(p->out, bytes_slice(json_text(v), 0, enough),
					p->style->ascii);
		else
			put_scalar(p->out, v, p->style->ascii);
		color_off(p);
	}
}

void json_print(struct json_mem *m, struct buf *out, struct json v, const struct json_style *style)
{
	static const struct json_style compact = { 0 };
	struct printer p = { .m = m, .out = out, .style = style != NULL ? style : &compact };
	size_t turn = 0;

	p.colors = p.style->colors;
	put_value(&p, v);
	while (p.n > 0 && (p.style->enough == 0 || out->len <= p.style->enough)) {
		if (!next_member(&p, &v))
			close_container(&p);
		else
			put_value(&p, v);
		if ((++turn & 127) == 0 && m->poll != NULL)
			m->poll(m->arg, 32);
		if (out->len > 65536 && p.style->drain != NULL)
			p.style->drain(p.style->arg, out);
	}
	for (size_t i = 0; i < p.n; i++)
		free_order(&p, &p.stack[i]);
	pool_free(m->pool, p.stack, p.cap * sizeof(*p.stack));
}
