/* SPDX-License-Identifier: MIT
 *
 * Parsing JSON. The parser takes its text in pieces: what is open lies on a stack, and a token
 * that a piece cuts is collected in `token`. Errors and their places are jq's: a token is
 * judged when the character behind it is read.
 */
#include "base/json_private.h"
#include "base/utf8.h"

#define ONES  0x0101010101010101u
#define HIGHS 0x8080808080808080u

void json_parser_init(struct json_parser *p, struct json_mem *m)
{
	memset(p, 0, sizeof(*p));
	p->m = m;
}

void json_parser_place(struct json_parser *p)
{
	const char *nl;

	while (p->mark < p->at && (nl = memchr(p->mark, '\n', (size_t)(p->at - p->mark))) != NULL) {
		p->line++;
		p->column = 0;
		p->mark = nl + 1;
	}
	p->column += (uint64_t)(p->at - p->mark);
	p->mark = p->at;
}

void json_parser_feed(struct json_parser *p, struct bytes text)
{
	json_parser_place(p);
	if (text.ptr == NULL)
		text = BYTES("");
	/* A byte order mark at the very beginning is none of the text. */
	if (p->line == 0 && p->column == 0 && bytes_starts(text, BYTES("\xef\xbb\xbf")))
		text = bytes_slice(text, 3, text.len);
	p->at = text.ptr;
	p->mark = text.ptr;
	p->end = text.ptr + text.len;
}

void json_parser_reset(struct json_parser *p)
{
	while (p->depth > 0)
		json_put(p->m, p->stack[--p->depth]);
	json_put(p->m, p->next);
	json_put(p->m, p->path);
	p->path = json_simple(JSON_NONE);
	p->next = json_simple(JSON_NONE);
	while (p->events_at < p->nevents)
		json_put(p->m, p->events[p->events_at++]);
	p->nevents = p->events_at = 0;
	p->open = 0;
	p->token_len = 0;
	p->in_string = false;
	p->escaped = false;
}

static enum json_next fail(struct json_parser *p, const char *message)
{
	p->error = message;
	return JSON_ERROR;
}

/* --- strings --- */

static int32_t read_hex4(struct bytes s, size_t at)
{
	int32_t v = 0;

	if (s.len - at < 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		if (!byte_is_xdigit(s.ptr[i]))
			return -2;
		v = v * 16 + byte_digit(s.ptr[i]);
	}
	return v;
}

/* \uXXXX, a pair of them, at s.ptr[*at] behind the u. Returns an error or NULL. */
static const char *read_unicode(struct bytes s, size_t *at, uint32_t *out)
{
	int32_t v = read_hex4(s, *at);
	int32_t low = -1;

	if (v < 0)
		return v == -1 ? "Invalid \\uXXXX escape" : "Invalid characters in \\uXXXX escape";
	*at += 4;
	if (v >= 0xd800 && v < 0xdc00) {
		if (s.len - *at < 6 || s.ptr[*at] != '\\' || s.ptr[*at + 1] != 'u')
			return "Invalid \\uXXXX\\uXXXX surrogate pair escape";
		low = read_hex4(s, *at + 2);
		if (low < 0xdc00 || low >= 0xe000)
			return "Invalid \\uXXXX\\uXXXX surrogate pair escape";
		*at += 6;
		v = 0x10000 + ((v & 0x3ff) << 10) + (low & 0x3ff);
	}
	*out = v >= 0xd800 && v < 0xe000 ? 0xfffd : (uint32_t)v;
	return NULL;
}

/* Undoes the escapes of s into out, which has room for s.len bytes. */
static const char *unescape(struct bytes s, char *out, size_t *len)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	size_t n = 0;

	for (size_t at = 0; at < s.len;) {
		const char *hit = memchr(s.ptr + at, '\\', s.len - at);
		size_t plain = hit != NULL ? (size_t)(hit - s.ptr) - at : s.len - at;
		uint32_t ch = 0;

		memcpy(out + n, s.ptr + at, plain);
		n += plain;
		at += plain + 1;
		if (hit == NULL)
			break;
		if (at >= s.len)
			return "Expected escape character at end of string";
		if (s.ptr[at] == 'u') {
			const char *error;

			at++;
			error = read_unicode(s, &at, &ch);
			if (error != NULL)
				return error;
			n += utf8_encode(ch, out + n);
			continue;
		}
		const char *letter = s.ptr[at] != '\0' ? strchr(letters, s.ptr[at]) : NULL;

		if (letter == NULL)
			return "Invalid escape";
		out[n++] = values[letter - letters];
		at++;
	}
	*len = n;
	return NULL;
}

/* Whether there is a value that nothing separates from the next. */
static bool has_value(const struct json_parser *p)
{
	return p->next.kind != JSON_NONE || (p->streaming && p->open > 0 && p->last == LAST_VALUE);
}

static bool wants_key(const struct json_parser *p)
{
	return p->depth > 0 && p->stack[p->depth - 1].kind == JSON_OBJECT;
}

/* The value of what stood between quotes; NULL and p->next, or an error. */
static const char *string_value(struct json_parser *p, struct bytes raw)
{
	struct json_mem *m = p->m;

	if (p->has_control)
		return "Invalid string: control characters from U+0000 through U+001F must be "
		       "escaped";
	if (has_value(p))
		return "Expected separator between values";
	if (!p->has_escapes) {
		p->next = p->has_high    ? json_string_utf8(m, raw)
			  : wants_key(p) ? json_key(m, raw)
					 : json_string(m, raw);
		return NULL;
	}
	struct json v = json_string_new(m, raw.len);
	size_t len = 0;
	const char *error = unescape(raw, v.u.str->ptr, &len);

	if (error == NULL) {
		v.u.str->len = (uint32_t)len;
		v.u.str->ptr[len] = '\0';
		p->next = p->has_high ? json_string_utf8(m, json_text(v)) : json_copy(v);
	}
	json_put(m, v);
	return error;
}

/* --- tokens --- */

static void push(struct json_parser *p, struct json v)
{
	if (p->depth == p->cap) {
		size_t cap = p->cap * 2 + 16;

		p->stack = pool_resize(p->m->pool, p->stack, p->cap * sizeof(*p->stack),
				       cap * sizeof(*p->stack));
		p->cap = cap;
	}
	p->stack[p->depth++] = v;
}

/* The finished value p->next becomes a member of the innermost container. */
static void add_member(struct json_parser *p)
{
	struct json *top = &p->stack[p->depth - 1];

	if (top->kind == JSON_ARRAY) {
		*top = json_push(p->m, *top, p->next);
	} else {
		top[-1] = json_set(p->m, top[-1], *top, p->next);
		p->depth--;
	}
	p->next = json_simple(JSON_NONE);
}

static const char *open_token(struct json_parser *p, char ch)
{
	if (p->next.kind != JSON_NONE)
		return "Expected separator between values";
	if (p->open >= JSON_DEPTH_MAX)
		return "Exceeds depth limit for parsing";
	p->open++;
	push(p, ch == '[' ? json_array(p->m, 4) : json_object(p->m, 4));
	return NULL;
}

static const char *colon_token(struct json_parser *p)
{
	if (p->next.kind == JSON_NONE)
		return "Expected string key before ':'";
	if (!wants_key(p))
		return "':' not as part of an object";
	if (p->next.kind != JSON_STRING)
		return "Object keys must be strings";
	push(p, p->next);
	p->next = json_simple(JSON_NONE);
	return NULL;
}

static const char *comma_token(struct json_parser *p)
{
	if (p->next.kind == JSON_NONE)
		return "Expected value before ','";
	if (p->depth == 0)
		return "',' not as part of an object or array";
	if (wants_key(p))
		return "Objects must consist of key:value pairs";
	add_member(p);
	return NULL;
}

static const char *close_token(struct json_parser *p, char ch)
{
	struct json *top = p->depth > 0 ? &p->stack[p->depth - 1] : NULL;

	if (ch == ']' && (top == NULL || top->kind != JSON_ARRAY))
		return "Unmatched ']'";
	if (ch == '}' && top == NULL)
		return "Unmatched '}'";
	if (p->next.kind != JSON_NONE) {
		if (ch == '}' && top->kind != JSON_STRING)
			return "Objects must consist of key:value pairs";
		add_member(p);
	} else if (ch == ']') {
		if (json_len(*top) != 0)
			return "Expected another array element";
	} else if (top->kind != JSON_OBJECT) {
		return "Unmatched '}'";
	} else if (json_count(*top) != 0) {
		return "Expected another key-value pair";
	}
	p->next = p->stack[--p->depth];
	p->open--;
	return NULL;
}

static const char *structure(struct json_parser *p, char ch)
{
	if (p->streaming)
		return json_stream_token(p, ch);
	if (ch == ',')
		return comma_token(p);
	if (ch == ':')
		return colon_token(p);
	return ch == '[' || ch == '{' ? open_token(p, ch) : close_token(p, ch);
}

static const char *literal_value(struct json_parser *p, struct bytes s)
{
	struct json v = json_simple(JSON_NONE);
	char first = s.ptr[0];

	if (first == 't' || first == 'f' || (first == 'n' && !bytes_is(s, "nan"))) {
		v = bytes_is(s, "true")    ? json_simple(JSON_TRUE)
		    : bytes_is(s, "false") ? json_simple(JSON_FALSE)
		    : bytes_is(s, "null")  ? json_simple(JSON_NULL)
					   : v;
		if (v.kind == JSON_NONE)
			return "Invalid literal";
	} else {
		v = json_parse_number(p->m, s);
		if (v.kind == JSON_NONE)
			return "Invalid numeric literal";
	}
	if (has_value(p)) {
		json_put(p->m, v);
		return "Expected separator between values";
	}
	p->next = v;
	return NULL;
}

/* --- the machine --- */

enum { CH_LITERAL, CH_SPACE, CH_STRUCTURE, CH_QUOTE };

static int class_of(unsigned char ch)
{
	static const uint8_t classes[128] = {
		['\t'] = CH_SPACE,    ['\n'] = CH_SPACE,    ['\r'] = CH_SPACE,
		[' '] = CH_SPACE,     ['['] = CH_STRUCTURE, [']'] = CH_STRUCTURE,
		['{'] = CH_STRUCTURE, ['}'] = CH_STRUCTURE, [':'] = CH_STRUCTURE,
		[','] = CH_STRUCTURE, ['"'] = CH_QUOTE,
	};

	return ch < 128 ? classes[ch] : CH_LITERAL;
}

static void keep(struct json_parser *p, const char *from, const char *to)
{
	size_t n = (size_t)(to - from);

	if (p->token_cap - p->token_len < n) {
		size_t cap = (p->token_len + n) * 2 + 64;

		p->token = pool_resize(p->m->pool, p->token, p->token_cap, cap);
		p->token_cap = cap;
	}
	memcpy(p->token + p->token_len, from, n);
	p->token_len += n;
}

/* The first byte at or behind `at` that is not a plain character of a string. */
static const char *skip_plain(const char *at, const char *end)
{
	while (end - at >= 8) {
		uint64_t w;
		uint64_t quote;
		uint64_t slash;

		memcpy(&w, at, 8);
		quote = w ^ (ONES * '"');
		slash = w ^ (ONES * '\\');
		if ((((quote - ONES) & ~quote) | ((slash - ONES) & ~slash) | (w - ONES * 0x20) |
		     w) &
		    HIGHS)
			break;
		at += 8;
	}
	while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80 && *at != '"' &&
	       *at != '\\')
		at++;
	return at;
}

/* Reads on in a string. JSON_MORE if it goes on in the next piece. */
static enum json_next scan_string(struct json_parser *p)
{
	const char *from = p->at;
	const char *at = p->at;

	if (p->escaped && at < p->end) {
		p->escaped = false;
		at++;
	}
	while ((at = skip_plain(at, p->end)) < p->end && *at != '"') {
		p->has_escapes |= *at == '\\';
		p->has_control |= (unsigned char)*at < 0x20;
		p->has_high |= (unsigned char)*at >= 0x80;
		p->escaped = *at == '\\' && p->end - at == 1;
		at += *at == '\\' && p->end - at > 1 ? 2 : 1;
	}
	if (at == p->end) {
		keep(p, from, at);
		p->at = at;
		return JSON_MORE;
	}
	struct bytes raw = { from, (size_t)(at - from) };

	if (p->token_len > 0) {
		keep(p, from, at);
		raw = (struct bytes){ p->token, p->token_len };
	}
	p->at = at + 1;
	p->in_string = false;
	p->token_len = 0;
	p->error = string_value(p, raw);
	return p->error != NULL ? JSON_ERROR : JSON_VALUE;
}

/* Reads on in a number or a word. At its end the character behind it is looked at, not taken. */
static enum json_next scan_literal(struct json_parser *p)
{
	const char *from = p->at;
	const char *at = p->at;

	while (at < p->end && class_of((unsigned char)*at) == CH_LITERAL)
		at++;
	p->at = at;
	if (at == p->end) {
		keep(p, from, at);
		return JSON_MORE;
	}
	struct bytes raw = { from, (size_t)(at - from) };

	if (p->token_len > 0) {
		keep(p, from, at);
		raw = (struct bytes){ p->token, p->token_len };
	}
	p->token_len = 0;
	p->error = literal_value(p, raw);
	if (p->error == NULL)
		return JSON_VALUE;
	p->at++;
	return JSON_ERROR;
}

static enum json_next done(struct json_parser *p, struct json *out)
{
	if (p->streaming) {
		*out = json_stream_leaf(p);
		return JSON_VALUE;
	}
	*out = p->next;
	p->next = json_simple(JSON_NONE);
	return JSON_VALUE;
}

enum json_next json_parser_next(struct json_parser *p, struct json *out)
{
	while (p->at < p->end || p->events_at < p->nevents) {
		enum json_next more = JSON_VALUE;
		unsigned char ch;

		if (p->events_at < p->nevents) {
			*out = p->events[p->events_at++];
			if (p->events_at == p->nevents)
				p->nevents = p->events_at = 0;
			return JSON_VALUE;
		}
		ch = (unsigned char)*p->at;
		if (p->in_string) {
			more = scan_string(p);
		} else if (p->token_len > 0 || class_of(ch) == CH_LITERAL) {
			more = scan_literal(p);
			/* A literal right before what can't follow it is lost. */
			if (more == JSON_VALUE && p->open == 0 && strchr("]},:", *p->at) != NULL) {
				json_put(p->m, p->next);
				p->next = json_simple(JSON_NONE);
				continue;
			}
		} else if (class_of(ch) == CH_STRUCTURE) {
			p->at++;
			p->error = structure(p, (char)ch);
			if (p->error != NULL)
				return JSON_ERROR;
		} else if (class_of(ch) == CH_QUOTE) {
			p->at++;
			p->in_string = true;
			p->has_escapes = false;
			p->has_high = false;
			p->has_control = false;
		} else {
			p->at++;
		}
		if (more != JSON_VALUE)
			return more;
		if (p->open == 0 && p->next.kind != JSON_NONE)
			return done(p, out);
	}
	return JSON_MORE;
}

enum json_next json_parser_finish(struct json_parser *p, struct json *out)
{
	json_parser_place(p);
	if (p->in_string)
		return fail(p, "Unfinished string");
	if (p->token_len > 0) {
		struct bytes raw = { p->token, p->token_len };

		p->token_len = 0;
		p->error = literal_value(p, raw);
		if (p->error != NULL)
			return JSON_ERROR;
	}
	if (p->open > 0)
		return fail(p, "Unfinished JSON term");
	return p->next.kind != JSON_NONE ? done(p, out) : JSON_MORE;
}

static void say(struct json_parser *p, struct buf *message, bool at_end, struct bytes s)
{
	json_parser_place(p);
	buf_printf(message, "%s at %sline %zu, column %zu (while parsing '", p->error,
		   at_end ? "EOF at " : "", (size_t)p->line + 1, (size_t)p->column);
	buf_add(message, s);
	buf_puts(message, "')");
}

enum json_next json_parse(struct json_mem *m, struct bytes s, struct json *out, struct buf *message)
{
	struct json_parser p;
	struct json extra = json_simple(JSON_NONE);
	enum json_next got;
	bool at_end = false;

	json_parser_init(&p, m);
	json_parser_feed(&p, s);
	*out = json_simple(JSON_NONE);
	got = json_parser_next(&p, out);
	if (got == JSON_MORE) {
		at_end = true;
		got = json_parser_finish(&p, out);
	} else if (got == JSON_VALUE) {
		got = json_parser_next(&p, &extra);
		if (got == JSON_MORE) {
			at_end = true;
			got = json_parser_finish(&p, &extra);
		}
		if (got == JSON_VALUE) {
			p.error = "Unexpected extra JSON values";
			got = JSON_ERROR;
			buf_printf(message, "%s (while parsing '", p.error);
			buf_add(message, s);
			buf_puts(message, "')");
		} else {
			if (got == JSON_ERROR)
				say(&p, message, at_end, s);
			else
				got = JSON_VALUE;
		}
		json_put(m, extra);
	}
	if (got == JSON_ERROR && message->len == 0)
		say(&p, message, at_end, s);
	if (got != JSON_VALUE)
		json_put(m, *out);
	if (got == JSON_MORE)
		*out = json_simple(JSON_NONE);
	json_parser_reset(&p);
	pool_free(m->pool, p.stack, p.cap * sizeof(*p.stack));
	pool_free(m->pool, p.token, p.token_cap);
	return got;
}
