/* SPDX-License-Identifier: MIT
 *
 * JSON as events: [path, leaf] for each value that holds no other, [path] where a container
 * that is not empty ends. Nothing is kept but the path: its last key is the number of an
 * element, the key of a member, or null where a key is awaited.
 */
#include "base/json_private.h"

static struct json *last_key(struct json_parser *p)
{
	return &p->path.u.arr->items[p->path.u.arr->len - 1];
}

static bool in_array(struct json_parser *p)
{
	return p->open > 0 && last_key(p)->kind == JSON_NUMBER;
}

static struct json path_event(struct json_parser *p)
{
	struct json e = json_array(p->m, 2);
	struct json path = json_array(p->m, 0);

	if (p->open > 0) {
		json_put(p->m, path);
		path = json_slice(p->m, p->path, 0, json_len(p->path));
	}
	if (p->m->poll != NULL)
		p->m->poll(p->m->arg, p->open / 8 + 1);
	return json_push(p->m, e, path);
}

struct json json_stream_leaf(struct json_parser *p)
{
	struct json e = json_push(p->m, path_event(p), p->next);

	p->next = json_simple(JSON_NONE);
	return e;
}

static void emit(struct json_parser *p, struct json event)
{
	p->events[p->nevents++] = event;
}

static void pop_key(struct json_parser *p)
{
	json_put(p->m, *last_key(p));
	p->path.u.arr->len--;
	p->open--;
}

static const char *open_box(struct json_parser *p, char ch)
{
	if (p->next.kind != JSON_NONE || (p->open > 0 && p->last == LAST_VALUE))
		return "Expected separator between values";
	if (p->open > 0 && last_key(p)->kind == JSON_NULL && p->last == LAST_COMMA)
		return ch == '[' ? "Expected string key after ',' in object, not '['"
				 : "Expected string key after ',' in object, not '{'";
	if (p->open > 0 && last_key(p)->kind == JSON_NULL)
		return ch == '[' ? "Expected string key after '{', not '['"
				 : "Expected string key after '{', not '{'";
	if (p->open >= JSON_DEPTH_MAX)
		return "Exceeds depth limit for parsing";
	if (p->path.kind == JSON_NONE)
		p->path = json_array(p->m, 8);
	p->path = json_push(p->m, p->path, ch == '[' ? json_number(0) : json_simple(JSON_NULL));
	p->open++;
	p->last = LAST_OPEN;
	return NULL;
}

static const char *colon(struct json_parser *p)
{
	if (p->open == 0 || in_array(p))
		return "':' not as part of an object";
	if (p->next.kind == JSON_NONE)
		return "Expected string key before ':'";
	if (p->next.kind != JSON_STRING)
		return "Object keys must be strings";
	if (last_key(p)->kind != JSON_NULL)
		return "':' should follow a key";
	*last_key(p) = p->next;
	p->next = json_simple(JSON_NONE);
	p->last = LAST_COLON;
	return NULL;
}

static const char *comma(struct json_parser *p)
{
	if (p->next.kind == JSON_NONE && (p->open == 0 || p->last != LAST_VALUE))
		return "Expected value before ','";
	if (p->open == 0)
		return "',' not as part of an object or array";
	if (last_key(p)->kind == JSON_NULL)
		return "Objects must consist of key:value pairs";
	if (p->next.kind != JSON_NONE)
		emit(p, json_stream_leaf(p));
	if (in_array(p)) {
		last_key(p)->u.num++;
	} else {
		json_put(p->m, *last_key(p));
		*last_key(p) = json_simple(JSON_NULL);
	}
	p->last = LAST_COMMA;
	return NULL;
}

/* The innermost container ends; its members were right. */
static const char *close_box(struct json_parser *p, char ch)
{
	if (p->next.kind == JSON_NONE && p->last == LAST_OPEN) {
		pop_key(p);
		p->next = ch == ']' ? json_array(p->m, 0) : json_object(p->m, 0);
		return NULL;
	}
	if (p->next.kind != JSON_NONE)
		emit(p, json_stream_leaf(p));
	emit(p, path_event(p));
	pop_key(p);
	p->last = LAST_VALUE;
	return NULL;
}

static const char *close_array(struct json_parser *p)
{
	if (p->open == 0)
		return "Unmatched ']' at the top-level";
	if (!in_array(p))
		return "Unmatched ']' in the middle of an object";
	if (p->next.kind == JSON_NONE && p->last == LAST_COMMA)
		return "Expected another array element";
	return close_box(p, ']');
}

static const char *close_object(struct json_parser *p)
{
	if (p->open == 0)
		return "Unmatched '}' at the top-level";
	if (in_array(p))
		return "Unmatched '}' in the middle of an array";
	if (p->next.kind != JSON_NONE && last_key(p)->kind == JSON_NULL)
		return "Objects must consist of key:value pairs";
	if (p->next.kind == JSON_NONE && p->last == LAST_COMMA)
		return "Expected another key:value pair";
	if (p->next.kind == JSON_NONE && p->last == LAST_COLON)
		return "Missing value in key:value pair";
	return close_box(p, '}');
}

const char *json_stream_token(struct json_parser *p, char ch)
{
	switch (ch) {
	case ',': return comma(p);
	case ':': return colon(p);
	case ']': return close_array(p);
	case '}': return close_object(p);
	default: return open_box(p, ch);
	}
}
