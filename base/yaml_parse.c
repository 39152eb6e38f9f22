/* SPDX-License-Identifier: MIT
 *
 * YAML: collections and documents, by recursive descent over indentation.
 *
 * A comment that waits when an entry of a block ends goes to the entry before it (its foot) if
 * it stands further right than what follows, or right below it with an empty line behind; else
 * to what follows (its head).
 */
#include "base/utf8.h"
#include "base/yaml_private.h"

enum place {
	PLACE_START,  /* of a document */
	PLACE_INLINE, /* behind "- " or "? ": collections may begin in the same line */
	PLACE_VALUE,  /* behind ": ": they may not */
};

struct props {
	struct bytes anchor;
	struct bytes tag;
	uint32_t line;
	uint32_t column;
	bool any;
};

static struct yaml_node *parse_node(struct yaml_parser *p, int indent, enum place place);
static struct yaml_node *parse_flow(struct yaml_parser *p);

static void *fail_in(struct yaml_parser *p, const char *error, const char *context,
		     const struct yaml_node *at)
{
	if (p->error == NULL) {
		p->context = context;
		p->context_line = at->line - 1;
		p->context_column = at->column - 1;
	}
	return yaml_fail(p, error);
}

/* --- anchors --- */

static struct yaml_anchor *anchor_slot(struct yaml_parser *p, struct bytes name)
{
	size_t i = bytes_hash(name) & (p->anchors_cap - 1);

	while (p->anchors[i].node != NULL && !bytes_eq(p->anchors[i].name, name))
		i = (i + 1) & (p->anchors_cap - 1);
	return &p->anchors[i];
}

static void set_anchor(struct yaml_parser *p, struct yaml_node *n)
{
	struct yaml_anchor *slot;

	if (p->nanchors * 2 >= p->anchors_cap) {
		struct yaml_anchor *old = p->anchors;
		size_t cap = p->anchors_cap;

		p->anchors_cap = cap == 0 ? 16 : cap * 2;
		p->anchors = arena_array(p->arena, p->anchors_cap, sizeof(*old));
		for (size_t i = 0; i < cap; i++)
			if (old[i].node != NULL)
				*anchor_slot(p, old[i].name) = old[i];
	}
	slot = anchor_slot(p, n->anchor);
	p->nanchors += slot->node == NULL;
	*slot = (struct yaml_anchor){ n->anchor, n };
}

static struct bytes read_name(struct yaml_parser *p)
{
	const char *from = p->at;

	while (p->at < p->end && !yaml_blank_at(p, 0) && strchr(",[]{}", *p->at) == NULL)
		p->at++;
	return (struct bytes){ from, (size_t)(p->at - from) };
}

static struct yaml_node *parse_alias(struct yaml_parser *p)
{
	struct yaml_node *n = yaml_at_node(p, YAML_ALIAS);

	p->at++;
	n->value = read_name(p);
	/* "*a:" is a key in what people write. */
	if (n->value.len > 1 && p->at[-1] == ':')
		n->value.len--, p->at--;
	if (n->value.len == 0)
		return yaml_fail(p, "did not find expected alphabetic or numeric character");
	if (p->nanchors > 0)
		n->target = anchor_slot(p, n->value)->node;
	if (n->target == NULL) {
		p->error_name = n->value;
		return yaml_fail(p, "unknown anchor");
	}
	p->last = n;
	return n;
}

/* --- properties --- */

/* "!!str" and "!x" stay as written; "!h!x" and "!<x>" become what they mean. */
static struct bytes expand_tag(struct yaml_parser *p, struct bytes tag)
{
	static const char standard[] = "tag:yaml.org,2002:";
	struct buf b = buf_in(p->arena);

	if (tag.len > 2 && tag.ptr[1] == '<' && tag.ptr[tag.len - 1] == '>')
		tag = bytes_slice(tag, 2, tag.len - 1);
	for (size_t i = 0; i + 1 < p->nhandles; i += 2) {
		if (!bytes_starts(tag, p->handles[i]) || p->handles[i].len < 2)
			continue;
		buf_add(&b, p->handles[i + 1]);
		buf_add(&b, bytes_slice(tag, p->handles[i].len, tag.len));
		tag = buf_bytes(&b);
		break;
	}
	if (!bytes_starts(tag, BYTES("tag:yaml.org,2002:")))
		return tag;
	struct buf s = buf_in(p->arena);

	buf_puts(&s, "!!");
	buf_add(&s, bytes_slice(tag, sizeof(standard) - 1, tag.len));
	return buf_bytes(&s);
}

static bool read_props(struct yaml_parser *p, struct props *props)
{
	for (;;) {
		int c = yaml_peek(p, 0);
		struct bytes *to = c == '&' ? &props->anchor : &props->tag;
		struct bytes text;

		if ((c != '&' && c != '!') || to->len > 0)
			return true;
		if (!props->any) {
			props->line = p->line;
			props->column = yaml_column(p);
		}
		props->any = true;
		p->at += c == '&';
		text = read_name(p);
		if (text.len == 0 || !(yaml_blank_at(p, 0) || strchr(",]}", *p->at) != NULL))
			return yaml_fail(p,
					 "did not find expected alphabetic or numeric character"),
			       false;
		*to = c == '&' ? text : expand_tag(p, text);
		yaml_skip_blanks(p);
	}
}

static struct yaml_node *apply(struct yaml_parser *p, struct yaml_node *n,
			       const struct props *props)
{
	if (n == NULL || !props->any)
		return n;
	if (props->anchor.len > 0 && n->kind != YAML_ALIAS) {
		n->anchor = props->anchor;
		set_anchor(p, n);
	}
	if (props->tag.len > 0 && n->kind != YAML_ALIAS) {
		n->tag = bytes_is(props->tag, "!") ? BYTES("!!str") : props->tag;
		n->tagged = true;
	}
	return n;
}

static struct yaml_node *null_node(struct yaml_parser *p)
{
	struct yaml_node *n = yaml_at_node(p, YAML_SCALAR);

	n->tag = BYTES("!!null");
	return n;
}

static struct yaml_node *collection(struct yaml_parser *p, enum yaml_kind kind)
{
	struct yaml_node *n = yaml_at_node(p, kind);

	n->tag = kind == YAML_MAP ? BYTES("!!map") : BYTES("!!seq");
	return n;
}

/* --- flow --- */

static struct yaml_node *scalar_at(struct yaml_parser *p, int indent, bool flow)
{
	int c = yaml_peek(p, 0);
	int next = yaml_peek(p, 1);

	if (c == '"' || c == '\'')
		return yaml_quoted(p);
	if (c == '*')
		return parse_alias(p);
	if (c == '[' || c == '{')
		return parse_flow(p);
	if (strchr("-?:", c) != NULL &&
	    !(yaml_blank_at(p, 1) || (flow && next != 0 && strchr(",[]{}", next) != NULL)))
		return yaml_plain(p, indent, flow);
	if (strchr("-?:,[]{}#&*!|>%@`\"'", c) != NULL)
		return yaml_fail(p, "found character that cannot start any token");
	return yaml_plain(p, indent, flow);
}

/* A key, value or item within [] or {}; empty before ',', ':' and the end. */
static struct yaml_node *flow_node(struct yaml_parser *p)
{
	struct props props = { .any = false };
	struct yaml_node *n;

	if (!read_props(p, &props) || !yaml_skip(p))
		return NULL;
	if (strchr(",]}", yaml_peek(p, 0)) != NULL ||
	    (yaml_peek(p, 0) == ':' && yaml_blank_at(p, 1)))
		n = null_node(p);
	else
		n = scalar_at(p, -1, true);
	return apply(p, n, &props);
}

static struct bytes all_comments(struct yaml_parser *p)
{
	return yaml_take(p, 0, p->ncomments);
}

/* Whether ':' follows and makes the node before it a key. */
static bool flow_colon(struct yaml_parser *p, const struct yaml_node *key)
{
	bool json = key->style == YAML_DOUBLE || key->style == YAML_SINGLE ||
		    key->kind == YAML_MAP || key->kind == YAML_SEQ;
	int next = yaml_peek(p, 1);

	return yaml_peek(p, 0) == ':' &&
	       (json || yaml_blank_at(p, 1) || (next != 0 && strchr(",[]{}", next) != NULL));
}

static struct yaml_node *flow_value(struct yaml_parser *p)
{
	p->at++;
	if (!yaml_skip(p))
		return NULL;
	return flow_node(p);
}

/* "a: b" as an item of a list is a map of one. */
static struct yaml_node *flow_pair(struct yaml_parser *p, struct yaml_node *key)
{
	struct yaml_node *map = collection(p, YAML_MAP);
	struct yaml_node *value = flow_value(p);

	if (value == NULL)
		return NULL;
	map->style = YAML_FLOW;
	key->is_key = true;
	yaml_push(p->arena, map, key);
	yaml_push(p->arena, map, value);
	return map;
}

static bool flow_entry(struct yaml_parser *p, struct yaml_node *in)
{
	struct bytes head = all_comments(p);
	struct yaml_node *item;
	struct yaml_node *value = NULL;

	if (yaml_peek(p, 0) == '?' && yaml_blank_at(p, 1)) {
		p->at++;
		if (!yaml_skip(p))
			return false;
	}
	item = flow_node(p);
	if (item == NULL || !yaml_skip(p))
		return false;
	item->head = head;
	if (in->kind == YAML_MAP) {
		value = flow_colon(p, item) ? flow_value(p) : null_node(p);
		item->is_key = true;
	} else if (flow_colon(p, item)) {
		item = flow_pair(p, item);
	}
	if (item == NULL || (in->kind == YAML_MAP && value == NULL) || !yaml_skip(p))
		return false;
	yaml_push(p->arena, in, item);
	if (value != NULL)
		yaml_push(p->arena, in, value);
	return true;
}

static struct yaml_node *flow_items(struct yaml_parser *p, struct yaml_node *n, char close)
{
	bool map = n->kind == YAML_MAP;

	for (;;) {
		if (!yaml_skip(p))
			return NULL;
		if (yaml_peek(p, 0) == close)
			break;
		if (p->at == p->end || yaml_at_marker(p))
			return fail_in(p,
				       map ? "did not find expected ',' or '}'"
					   : "did not find expected ',' or ']'",
				       map ? "while parsing a flow mapping"
					   : "while parsing a flow sequence",
				       n);
		if (!flow_entry(p, n))
			return NULL;
		if (yaml_peek(p, 0) == ',')
			p->at++;
		else if (yaml_peek(p, 0) != close)
			return fail_in(p,
				       map ? "did not find expected ',' or '}'"
					   : "did not find expected ',' or ']'",
				       map ? "while parsing a flow mapping"
					   : "while parsing a flow sequence",
				       n);
	}
	p->at++;
	n->foot = all_comments(p);
	p->last = n;
	return n;
}

static struct yaml_node *parse_flow(struct yaml_parser *p)
{
	char open = *p->at;
	struct yaml_node *n = collection(p, open == '[' ? YAML_SEQ : YAML_MAP);

	if (p->depth >= YAML_DEPTH_MAX)
		return yaml_fail(p, "exceeded max depth");
	p->depth++;
	n->style = YAML_FLOW;
	p->at++;
	p->last = NULL;
	n = flow_items(p, n, open == '[' ? ']' : '}');
	p->depth--;
	return n;
}

/* --- blocks --- */

/* How many of the comments that wait belong below the entry that ended: the next thing stands in
 * column `next` (-1: nothing follows) and the entry in column `own`. */
static size_t foot_comments(const struct yaml_parser *p, int own, int next)
{
	size_t n = 0;

	while (n < p->ncomments && (int)p->comments[n].column >= own) {
		const struct yaml_comment *c = &p->comments[n];
		bool right = (int)c->column > next && next >= 0;
		bool below = !c->after_blank && (c->before_blank || next < 0);

		if (!right && !(below && n == 0))
			break;
		n++;
	}
	return n;
}

static int next_column(const struct yaml_parser *p)
{
	return p->at == p->end || yaml_at_marker(p) ? -1 : (int)yaml_column(p);
}

static void take_foot(struct yaml_parser *p, struct yaml_node *n, int own)
{
	size_t count = foot_comments(p, own, next_column(p));

	if (count > 0 && n->foot.len == 0)
		n->foot = yaml_take(p, 0, count);
}

static bool is_dash(const struct yaml_parser *p)
{
	return yaml_peek(p, 0) == '-' && yaml_blank_at(p, 1);
}

/* own: comments from this column on may belong to its items. */
static struct yaml_node *parse_block_seq(struct yaml_parser *p, int own)
{
	struct yaml_node *n = collection(p, YAML_SEQ);
	int column = (int)yaml_column(p);

	for (;;) {
		struct bytes head = all_comments(p);
		struct yaml_node *item;

		p->at++;
		p->last = NULL;
		item = parse_node(p, column, PLACE_INLINE);
		if (item == NULL || !yaml_skip(p))
			return NULL;
		if (head.len > 0)
			item->head = head;
		yaml_push(p->arena, n, item);
		take_foot(p, item, own);
		if (next_column(p) < column || (next_column(p) == column && !is_dash(p)))
			return n;
		if (next_column(p) > column)
			return fail_in(p, "did not find expected '-' indicator",
				       "while parsing a block collection", n);
	}
}

/* A key without '?': a scalar, alias or flow collection in one line, and ':' behind it. */
static struct yaml_node *simple_key(struct yaml_parser *p, const struct yaml_node *map)
{
	struct props props = { .any = false };
	const char *from = p->at;
	uint32_t line = p->line;
	struct yaml_node *key;

	if (!read_props(p, &props))
		return NULL;
	if (yaml_peek(p, 0) == ':' && yaml_blank_at(p, 1))
		key = null_node(p);
	else if (strchr("|>@`%,]}", yaml_peek(p, 0)) != NULL)
		return fail_in(p, "did not find expected key", "while parsing a block mapping",
			       map);
	else
		key = scalar_at(p, (int)map->column - 1, false);
	if (key == NULL)
		return NULL;
	yaml_skip_blanks(p);
	if (yaml_peek(p, 0) != ':' || !yaml_blank_at(p, 1) || p->line != line ||
	    p->at - from > YAML_KEY_MAX) {
		return fail_in(p, "could not find expected ':'", "while scanning a simple key",
			       key);
	}
	return apply(p, key, &props);
}

static struct yaml_node *explicit_key(struct yaml_parser *p, int column)
{
	struct yaml_node *key;

	p->at++;
	key = parse_node(p, column, PLACE_INLINE);
	if (key == NULL || !yaml_skip(p))
		return NULL;
	return key;
}

/* What follows a key: ':' and a value, or nothing behind a key with '?'. */
static struct yaml_node *map_value(struct yaml_parser *p, struct yaml_node *key, int column,
				   bool explicit)
{
	struct yaml_node *value;

	if (explicit &&
	    !(next_column(p) == column && yaml_peek(p, 0) == ':' && yaml_blank_at(p, 1)))
		return null_node(p);
	p->at++;
	p->last = key;
	value = parse_node(p, column, explicit ? PLACE_INLINE : PLACE_VALUE);
	/* A comment behind "key: value" is the value's. */
	if (value != NULL && key->tail.len > 0 && value->tail.len == 0 &&
	    (value->kind == YAML_SCALAR || value->kind == YAML_ALIAS)) {
		value->tail = key->tail;
		key->tail = (struct bytes){ "", 0 };
	}
	return value;
}

static struct yaml_node *parse_block_map(struct yaml_parser *p, struct yaml_node *map,
					 struct yaml_node *key)
{
	int column = (int)map->column - 1;

	for (;;) {
		struct bytes head = all_comments(p);
		bool explicit = key == NULL && yaml_peek(p, 0) == '?' && yaml_blank_at(p, 1);
		struct yaml_node *value;

		if (key == NULL)
			key = explicit ? explicit_key(p, column) : simple_key(p, map);
		value = key != NULL ? map_value(p, key, column, explicit) : NULL;
		if (value == NULL || !yaml_skip(p))
			return NULL;
		if (head.len > 0)
			key->head = head;
		if (value->kind == YAML_SCALAR && value->value.len == 0 && !value->tagged &&
		    yaml_is(value, "!!null") && key->tail.len > 0 && value->tail.len == 0) {
			value->tail = key->tail;
			key->tail = (struct bytes){ "", 0 };
		}
		key->is_key = true;
		yaml_push(p->arena, map, key);
		yaml_push(p->arena, map, value);
		take_foot(p, key, column);
		key = NULL;
		if (next_column(p) < column)
			return map;
		if (next_column(p) > column || is_dash(p))
			return fail_in(p, "did not find expected key",
				       "while parsing a block mapping", map);
	}
}

/* --- any node --- */

/* Text in the current line: a scalar, or the first key of a map that begins in column `from`. */
static struct yaml_node *scalar_or_map(struct yaml_parser *p, int indent, enum place place,
				       bool same_line, const struct props *props)
{
	const char *from = p->at;
	uint32_t line = p->line;
	struct yaml_node *map = collection(p, YAML_MAP);
	struct props none = { .any = false };
	struct yaml_node *n;

	if (yaml_peek(p, 0) == ':' && yaml_blank_at(p, 1))
		n = null_node(p);
	else
		n = scalar_at(p, indent, false);
	if (n == NULL)
		return NULL;
	if (p->line != line || p->at - from > YAML_KEY_MAX)
		return apply(p, n, props);
	const char *end = p->at;

	yaml_skip_blanks(p);
	if (yaml_peek(p, 0) != ':' || !yaml_blank_at(p, 1)) {
		p->at = end;
		return apply(p, n, props);
	}
	if (same_line && place == PLACE_VALUE)
		return yaml_fail(p, "mapping values are not allowed in this context");
	/* Properties in the key's line are the key's. */
	if (props->any && props->line == line) {
		apply(p, n, props);
		map->column = props->column + 1;
		props = &none;
	}
	return apply(p, parse_block_map(p, map, n), props);
}

static struct yaml_node *node_here(struct yaml_parser *p, int indent, enum place place,
				   uint32_t line)
{
	struct props props = { .any = false };
	bool same_line = p->line == line && place != PLACE_START;
	int column;

	if (!read_props(p, &props))
		return NULL;
	if (props.any && (p->at == p->end || yaml_at_break(p) || *p->at == '#')) {
		if (!yaml_skip(p))
			return NULL;
		column = next_column(p);
		if (column < indent || (column == indent && !(place == PLACE_VALUE && is_dash(p))))
			return apply(p, null_node(p), &props);
		same_line = false;
	}
	if (yaml_peek(p, 0) == '|' || yaml_peek(p, 0) == '>')
		return apply(p, yaml_block_scalar(p, indent), &props);
	if (is_dash(p)) {
		if ((same_line && place == PLACE_VALUE) || (props.any && props.line == p->line))
			return yaml_fail(p,
					 "block sequence entries are not allowed in this context");
		column = (int)yaml_column(p);
		/* In a list that stands right below its key, the key's column is the map's. */
		return apply(p, parse_block_seq(p, column + (column == indent)), &props);
	}
	if (yaml_peek(p, 0) == '?' && yaml_blank_at(p, 1)) {
		if (same_line && place == PLACE_VALUE)
			return yaml_fail(p, "mapping keys are not allowed in this context");
		return apply(p, parse_block_map(p, collection(p, YAML_MAP), NULL), &props);
	}
	return scalar_or_map(p, indent, place, same_line, &props);
}

static struct yaml_node *parse_node(struct yaml_parser *p, int indent, enum place place)
{
	struct yaml_node *n;
	uint32_t line = p->line;
	int column;

	if (!yaml_skip(p))
		return NULL;
	column = next_column(p);
	if (column < indent || (column == indent && !(place == PLACE_VALUE && is_dash(p))) ||
	    column < 0)
		return null_node(p);
	if (p->depth >= YAML_DEPTH_MAX)
		return yaml_fail(p, "exceeded max depth");
	p->depth++;
	n = node_here(p, indent, place, line);
	p->depth--;
	return n;
}

/* --- documents --- */

void yaml_parser_init(struct yaml_parser *p, struct arena *a, struct bytes text)
{
	memset(p, 0, sizeof(*p));
	if (bytes_starts(text, BYTES("\xef\xbb\xbf")))
		text = bytes_slice(text, 3, text.len);
	p->arena = a;
	p->text = text;
	p->at = p->bol = text.ptr;
	p->end = text.ptr + text.len;
}

/* UTF-8 without control characters. */
static bool check_text(struct yaml_parser *p)
{
	for (size_t at = 0; at < p->text.len;) {
		uint32_t c = (unsigned char)p->text.ptr[at];
		size_t len = c < 0x80 ? 1 : utf8_decode(p->text, at, &c);

		if (len == 0 || (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
			p->at = p->bol = p->text.ptr + at;
			p->line = (uint32_t)bytes_count(bytes_slice(p->text, 0, at), '\n');
			return yaml_fail(p, len == 0 ? "invalid leading UTF-8 octet"
						     : "control characters are not allowed"),
			       false;
		}
		at += len;
	}
	return true;
}

/* %TAG; other directives are skipped. */
static bool read_directive(struct yaml_parser *p)
{
	struct bytes line;
	const char *from = p->at;

	while (p->at < p->end && !yaml_at_break(p))
		p->at++;
	line = (struct bytes){ from, (size_t)(p->at - from) };
	if (!bytes_starts(line, BYTES("%TAG ")) || p->nhandles >= 64)
		return true;
	size_t end = 5;
	size_t prefix;

	while (end < line.len && !byte_is_blank(line.ptr[end]))
		end++;
	for (prefix = end; prefix < line.len && byte_is_blank(line.ptr[prefix]);)
		prefix++;
	p->handles = arena_room(p->arena, p->handles, p->nhandles / 2, 2 * sizeof(struct bytes));
	p->handles[p->nhandles++] = bytes_slice(line, 5, end);
	p->handles[p->nhandles++] = bytes_slice(line, prefix, line.len);
	return true;
}

/* The comments above the root, each followed by its empty lines. */
static struct bytes leading(struct yaml_parser *p)
{
	struct buf b = buf_in(p->arena);

	for (size_t i = 0; i < p->ncomments; i++) {
		buf_puts(&b, i > 0 ? p->comments[i].after_blank ? "\n\n" : "\n" : "");
		buf_add(&b, p->comments[i].text);
	}
	if (p->ncomments > 0 && p->comments[p->ncomments - 1].before_blank)
		buf_putc(&b, '\n');
	p->ncomments = 0;
	return buf_bytes(&b);
}

/* The first document's "---" is kept as a line among the comments before it. */
static void add_mark(struct yaml_parser *p)
{
	struct buf b = buf_in(p->arena);

	buf_add(&b, leading(p));
	if (b.len > 0)
		buf_putc(&b, '\n');
	buf_puts(&b, "---");
	p->mark = buf_bytes(&b);
}

/* To the content of the next document: 1, or 0 if there is none, -1. */
static int find_document(struct yaml_parser *p)
{
	bool marked = false;

	p->ncomments = p->nanchors = p->anchors_cap = p->nhandles = 0;
	p->last = NULL;
	for (;;) {
		if (!yaml_skip(p))
			return -1;
		if (p->at == p->end)
			return marked || (!p->started && p->ncomments > 0);
		if (yaml_at_marker(p)) {
			if (marked)
				return 1;
			marked = *p->at == '-';
			if (marked && !p->started)
				add_mark(p);
			p->at += 3;
		} else if (*p->at == '%' && p->at == p->bol && !marked) {
			read_directive(p);
		} else {
			return 1;
		}
	}
}

static int end_document(struct yaml_parser *p, struct yaml_node *root)
{
	if (!yaml_skip(p))
		return -1;
	if (p->at < p->end && !yaml_at_marker(p)) {
		yaml_fail(p, "did not find expected <document start>");
		return -1;
	}
	if (p->ncomments > 0)
		root->foot = yaml_take(p, 0, p->ncomments);
	return 1;
}

int yaml_next(struct yaml_parser *p, struct yaml_node **out)
{
	struct bytes head;
	int found;

	if (!p->started && !check_text(p))
		return -1;
	found = find_document(p);
	if (found <= 0)
		return found;
	p->started = true;
	head = leading(p);
	if (p->mark.len > 0) {
		struct buf b = buf_in(p->arena);

		buf_add(&b, p->mark);
		buf_puts(&b, head.len > 0 ? "\n" : "");
		buf_add(&b, head);
		head = buf_bytes(&b);
		p->mark.len = 0;
	}
	*out = parse_node(p, -1, PLACE_START);
	if (*out == NULL)
		return -1;
	if (head.len > 0)
		(*out)->head = head;
	return end_document(p, *out);
}
