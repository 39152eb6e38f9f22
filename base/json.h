/* SPDX-License-Identifier: MIT
 *
 * JSON: values with counted references, a parser that takes its text in pieces, a printer.
 *
 *   text ── json_parser_feed, json_parser_next ──> struct json ── json_print ──> text
 *
 * A struct json is 16 bytes and passed by value. Strings, arrays and objects are blocks in a
 * pool; whoever holds a value holds one reference. The rule: functions take over the
 * references of the values they are given ("consume") and give a new one with their result,
 * except those that say "looks at". What has one owner is changed in place.
 *
 * Numbers that a double can't hold exactly as they were written keep their text (LITERAL)
 * until something is computed with them. Objects keep their keys in the order of insertion.
 * Nothing here recurses deeper than a small constant.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* The order of kinds is the order of values, but for LITERAL, which is a NUMBER. */
enum json_kind {
	JSON_NONE, /* no value */
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_LITERAL, /* counted from here on */
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

enum {
	JSON_DEPTH_MAX = 10000, /* of parsed text */
	JSON_PRINT_DEPTH_MAX = 10001,
	JSON_KEYS = 512, /* remembered keys */
};
#define JSON_SIZE_MAX ((size_t)1 << 30) /* bytes of a string, elements of an array */

struct json_str {
	uint32_t refs;
	uint32_t hash; /* 0: not computed yet */
	uint32_t len;
	uint32_t cap;
	char ptr[];
};

/* A number as it was written, in its canonical form. */
struct json_lit {
	uint32_t refs;
	uint32_t len;
	double num; /* NaN: not known yet */
	char ptr[];
};

enum { JSON_WRITTEN = 1 }; /* flag of a NUMBER: it was written just as it is printed */

struct json {
	uint8_t kind;
	uint8_t flags;
	uint16_t spare;
	uint32_t mark; /* the holder's own */
	union {
		double num;
		uint32_t *refs; /* of any counted kind */
		struct json_str *str;
		struct json_lit *lit;
		struct json_arr *arr;
		struct json_obj *obj;
		void *ptr;
	} u;
};

struct json_arr {
	uint32_t refs;
	uint32_t len;
	uint32_t cap;
	uint32_t spare;
	struct json items[];
};

/* key NULL: a deleted slot. Objects of more than JSON_SMALL slots have a hash table behind. */
struct json_slot {
	struct json_str *key;
	struct json val;
};

enum { JSON_SMALL = 8 };

struct json_obj {
	uint32_t refs;
	uint32_t used; /* slots, deleted ones included */
	uint32_t live;
	uint32_t cap;
	struct json_slot slots[];
};

struct json_mem {
	struct pool *pool;
	struct json_str *keys[JSON_KEYS]; /* by hash: equal keys of many objects are one string */
	struct json *dead;                /* to be freed: what nests deep */
	size_t ndead;
	size_t dead_cap;
	void (*poll)(void *arg, uint64_t work); /* may not return; may be NULL */
	void *arg;
};

void json_mem_init(struct json_mem *m, struct pool *pool);

/* Reports that n bytes were looked at; a few cost nothing. */
static inline void json_worked(struct json_mem *m, size_t n)
{
	if (n >= 4096 && m->poll != NULL)
		m->poll(m->arg, n / 64);
}

/* --- any value --- */

static inline struct json json_simple(enum json_kind kind)
{
	return (struct json){ .kind = (uint8_t)kind };
}
static inline struct json json_bool(bool b)
{
	return json_simple(b ? JSON_TRUE : JSON_FALSE);
}
static inline struct json json_number(double d)
{
	return (struct json){ .kind = JSON_NUMBER, .u.num = d };
}
static inline bool json_is_number(struct json v)
{
	return v.kind == JSON_NUMBER || v.kind == JSON_LITERAL;
}
/* The double of a literal that has been read but not computed with yet. */
double json_literal_num(struct json_lit *lit);
static inline double json_num(struct json v)
{
	if (v.kind == JSON_NUMBER)
		return v.u.num;
	return v.u.lit->num == v.u.lit->num ? v.u.lit->num : json_literal_num(v.u.lit);
}
/* Everything but null and false. */
static inline bool json_truth(struct json v)
{
	return v.kind > JSON_FALSE;
}
static inline struct json json_copy(struct json v)
{
	if (v.kind >= JSON_LITERAL)
		++*v.u.refs;
	return v;
}
void json_free(struct json_mem *m, struct json v);
static inline void json_put(struct json_mem *m, struct json v)
{
	if (v.kind >= JSON_LITERAL && --*v.u.refs == 0)
		json_free(m, v);
}
/* "null", "boolean", "number"... */
const char *json_kind_name(struct json v);

/* Looks at two numbers that were written and have the same double: compares their digits. */
int json_cmp_written(struct json_mem *m, struct json a, struct json b);
/* Looks at both: below, equal, above 0 in the order of jq's sort. */
int json_cmp(struct json_mem *m, struct json a, struct json b);
bool json_equal(struct json_mem *m, struct json a, struct json b);

/* --- strings --- */

struct json json_string(struct json_mem *m, struct bytes s);
/* The same, with what is not UTF-8 replaced by U+FFFD. */
struct json json_string_utf8(struct json_mem *m, struct bytes s);
/* A string of len bytes to be filled by the caller. */
struct json json_string_new(struct json_mem *m, size_t len);
static inline struct bytes json_text(struct json v)
{
	return (struct bytes){ v.u.str->ptr, v.u.str->len };
}
struct json json_append(struct json_mem *m, struct json v, struct bytes s);
/* A string that is likely a key: one copy for all. */
struct json json_key(struct json_mem *m, struct bytes s);
void json_put_utf8(struct buf *out, struct bytes s);

/* --- arrays --- */

struct json json_array(struct json_mem *m, size_t cap);
struct json json_push(struct json_mem *m, struct json a, struct json v);
static inline size_t json_len(struct json a)
{
	return a.u.arr->len;
}
/* Looks at a; the element is not counted. */
static inline struct json json_at(struct json a, size_t i)
{
	return a.u.arr->items[i];
}
/* Elements from..to; looks at a. */
struct json json_slice(struct json_mem *m, struct json a, size_t from, size_t to);
/* i may lie behind the end: the gap is filled with null. */
struct json json_set_at(struct json_mem *m, struct json a, size_t i, struct json v);
/* The same array with one owner, so that its items may be changed in place. */
struct json json_own(struct json_mem *m, struct json v);
/* Appends all of b. */
struct json json_concat(struct json_mem *m, struct json a, struct json b);
/* Sorts by json_cmp, equal ones in their order. */
struct json json_sort(struct json_mem *m, struct json a);

/* --- objects --- */

struct json json_object(struct json_mem *m, size_t cap);
/* Looks at both; the value is not counted; JSON_NONE if there is none. */
struct json json_get(struct json o, struct json key);
struct json json_get_bytes(struct json o, struct bytes key);
/* key is a string. */
struct json json_set(struct json_mem *m, struct json o, struct json key, struct json v);
/* Looks at key. */
struct json json_delete(struct json_mem *m, struct json o, struct json key);
/* The slot of a key in an object that has it and one owner, else NULL; looks at both. */
struct json_slot *json_find(struct json o, struct json_str *key);
static inline size_t json_count(struct json o)
{
	return o.u.obj->live;
}
/* The first live slot at or behind i, or used. */
size_t json_next_slot(struct json o, size_t i);
/* The slots in the order of their keys: their indexes in an array of json_count. Looks at o;
 * the result is in the pool: free it with json_count * sizeof(uint32_t) bytes. */
uint32_t *json_sorted(struct json_mem *m, struct json o);
/* An array of the keys. Looks at o. */
struct json json_keys(struct json_mem *m, struct json o, bool sorted);

/* --- printing --- */

enum json_color {
	JSON_COLOR_NULL,
	JSON_COLOR_FALSE,
	JSON_COLOR_TRUE,
	JSON_COLOR_NUMBER,
	JSON_COLOR_STRING,
	JSON_COLOR_ARRAY,
	JSON_COLOR_OBJECT,
	JSON_COLOR_KEY,
	JSON_COLORS,
};

struct json_style {
	bool pretty;
	unsigned indent; /* columns of a level; with tab: 1 */
	bool tab;
	bool sort;
	bool ascii;
	size_t enough;             /* bytes after which printing may stop; 0: never */
	const char *const *colors; /* JSON_COLORS escape sequences; NULL: none */
	/* Called when out holds more than this many bytes, to empty it; NULL: never. */
	void (*drain)(void *arg, struct buf *out);
	void *arg;
};

/* Appends v, which it looks at. style NULL: compact. */
void json_print(struct json_mem *m, struct buf *out, struct json v, const struct json_style *style);
void json_put_number(struct buf *out, double d);
void json_put_string(struct buf *out, struct bytes s, bool ascii);

/* --- parsing --- */

enum json_next { JSON_VALUE, JSON_MORE, JSON_ERROR };

/* Parses texts one after another. */
struct json_parser {
	struct json_mem *m;
	const char *at; /* unread text */
	const char *end;
	const char *mark;   /* what is before it has been counted in line and column */
	uint64_t line;      /* newlines read */
	uint64_t column;    /* bytes since the last */
	struct json *stack; /* containers that are open; of objects with a key: the key above */
	size_t depth;       /* values on the stack */
	size_t open;        /* containers */
	size_t cap;
	struct json next; /* a complete value that waits for what follows */
	char *token;      /* a literal or string cut by the end of a piece */
	size_t token_len;
	size_t token_cap;
	bool in_string;
	bool escaped; /* the piece ended behind a backslash */
	bool has_escapes;
	bool has_high;
	bool has_control;
	bool streaming;   /* give events instead of values: see json_stream.c */
	uint8_t last;     /* streaming: what came last */
	struct json path; /* streaming */
	struct json events[2];
	size_t nevents;
	size_t events_at;
	const char *error; /* after JSON_ERROR: its text, without the place */
};

void json_parser_init(struct json_parser *p, struct json_mem *m);
/* More text, valid until json_parser_next has said JSON_MORE. */
void json_parser_feed(struct json_parser *p, struct bytes text);
/* JSON_VALUE: *out is the next value. */
enum json_next json_parser_next(struct json_parser *p, struct json *out);
/* There is no more text: the last value, JSON_MORE if there is none, or an error. */
enum json_next json_parser_finish(struct json_parser *p, struct json *out);
/* Brings line and column up to date. */
void json_parser_place(struct json_parser *p);
/* Forgets what is open: after an error. */
void json_parser_reset(struct json_parser *p);
/* One text that is all of s: JSON_VALUE, or JSON_ERROR with a message in *message. */
enum json_next json_parse(struct json_mem *m, struct bytes s, struct json *out,
			  struct buf *message);
/* A number as JSON has it, and nothing else: JSON_NONE if it is none. */
struct json json_parse_number(struct json_mem *m, struct bytes s);

#endif
