/* SPDX-License-Identifier: MIT
 *
 * template - fills in a template: {{name}} out of JSON, of NAME=VALUE and the environment.
 *
 * The language is Mustache's, with the blocks of Handlebars: {{#if}} {{#unless}} {{#each}}
 * {{#with}}, {{else}}, {{this}}, {{@index}} {{@key}} {{@first}} {{@last}}. A block's tag that
 * stands alone on its line takes the line with it.
 */
#include "base/json.h"
#include "builtins/builtin.h"

enum { DEPTH_MAX = 50, SETTINGS_MAX = 256 };

struct template_opts {
	const char *data;
	bool html;
	bool strict;
	int nset;
	const char *set[SETTINGS_MAX]; /* NAME=VALUE */
};

static int add_setting(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct template_opts *o = c->opts;

	(void)opt;
	if (strchr(arg, '=') == NULL)
		return cmd_usage(c, "not NAME=VALUE: %s", cmd_quote(c, arg));
	if (o->nset == SETTINGS_MAX)
		return cmd_error(c, 0, "too many settings");
	o->set[o->nset++] = arena_dup(c->arena, bytes_of(arg));
	return 0;
}

static const struct opt template_options[] = {
	OPT_STR('d', "data", struct template_opts, data, NULL, "FILE", "values: a text of JSON"),
	OPT_CALL_ARG('s', "set", add_setting, "NAME=VALUE", "a value; may be repeated"),
	OPT_FLAG('e', "escape", struct template_opts, html,
		 "{{name}} is quoted for HTML, {{{name}}} is not"),
	OPT_FLAG('u', "strict", struct template_opts, strict, "names without a value are errors"),
	OPT_END(),
};

/* What names mean within a block; the outer ones behind it. */
struct scope {
	struct json value;
	size_t index;
	struct bytes key;
	bool first;
	bool last;
	bool in_list;
	const struct scope *outer;
};

struct template
{
	struct cmd *c;
	const struct template_opts *o;
	struct json_mem *m;
	struct bytes text;
	size_t at;
	int status;
};

struct tag {
	char kind; /* '\0' a value, '{' or '&' as it is, '#', '^', '/', '!', 'e' else; 0x7f: the end
		    */
	struct bytes word; /* "if", "each"..., or empty */
	struct bytes name;
	struct bytes before; /* the text in front */
};

enum { TAG_END = 0x7f };

/* --- tags --- */

/* The first word off the text. */
static struct bytes take_word(struct bytes *s)
{
	size_t n = 0;

	while (n < s->len && !byte_is_space((unsigned char)s->ptr[n]))
		n++;
	struct bytes word = bytes_slice(*s, 0, n);

	*s = bytes_trim(bytes_slice(*s, n, s->len));
	return word;
}

/* What is between the braces. */
static void read_inside(struct tag *tag, struct bytes inside)
{
	static const char *const words[] = { "if", "unless", "each", "with" };

	inside = bytes_trim(inside);
	if (bytes_is(inside, "else")) {
		tag->kind = 'e';
		return;
	}
	if (inside.len > 0 && strchr("#^/!&", inside.ptr[0]) != NULL && inside.ptr[0] != '\0') {
		tag->kind = inside.ptr[0];
		inside = bytes_trim(bytes_slice(inside, 1, inside.len));
	}
	tag->name = inside;
	if (tag->kind != '#')
		return;
	struct bytes word = take_word(&inside);

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (bytes_is(word, words[i]) && inside.len > 0) {
			tag->word = word;
			tag->name = inside;
		}
}

/* A tag of a block, alone on its line, takes what is around it and the newline along. */
static void take_line(struct template *t, struct tag *tag, size_t open)
{
	size_t from = open;
	size_t to = t->at;

	while (from > 0 && byte_is_blank(t->text.ptr[from - 1]))
		from--;
	while (to < t->text.len && (byte_is_blank(t->text.ptr[to]) || t->text.ptr[to] == '\r'))
		to++;
	if ((from > 0 && t->text.ptr[from - 1] != '\n') ||
	    (to < t->text.len && t->text.ptr[to] != '\n'))
		return;
	size_t cut = open - from;

	tag->before.len -= cut < tag->before.len ? cut : tag->before.len;
	t->at = to < t->text.len ? to + 1 : to;
}

static void next_tag(struct template *t, struct tag *tag)
{
	struct bytes rest = bytes_slice(t->text, t->at, t->text.len);
	const char *open = bytes_find(rest, BYTES("{{"));

	*tag = (struct tag){ .kind = TAG_END, .before = rest };
	if (open == NULL) {
		t->at = t->text.len;
		return;
	}
	size_t from = (size_t)(open - t->text.ptr);
	bool raw = from + 2 < t->text.len && t->text.ptr[from + 2] == '{';
	bool comment = bytes_starts(bytes_slice(t->text, from, t->text.len), BYTES("{{!--"));
	struct bytes close = raw ? BYTES("}}}") : comment ? BYTES("--}}") : BYTES("}}");
	struct bytes inside = bytes_slice(t->text, from + (raw ? 3 : 2), t->text.len);
	const char *end = bytes_find(inside, close);

	if (end == NULL)
		cmd_fatal(t->c, 0, "a tag is not closed: %.*s",
			  (int)(inside.len < 20 ? inside.len : 20), inside.ptr);
	tag->before = bytes_slice(t->text, t->at, from);
	tag->kind = raw ? '{' : '\0';
	inside.len = (size_t)(end - inside.ptr);
	if (raw)
		tag->name = bytes_trim(inside);
	else
		read_inside(tag, inside);
	t->at = (size_t)(end - t->text.ptr) + close.len;
	if (tag->kind != '\0' && tag->kind != '{' && tag->kind != '&')
		take_line(t, tag, from);
	cmd_charge_bytes(t->c, t->at - from);
}

/* --- values --- */

static struct json text_value(struct template *t, struct bytes s)
{
	return json_string(t->m, s);
}

/* What a value of a block is besides its members: "@index"... */
static struct json special(struct template *t, const struct scope *s, struct bytes name)
{
	while (s != NULL && !s->in_list)
		s = s->outer;
	if (s == NULL)
		return json_simple(JSON_NONE);
	if (bytes_is(name, "@index"))
		return json_number((double)s->index);
	if (bytes_is(name, "@key"))
		return text_value(t, s->key);
	if (bytes_is(name, "@first"))
		return json_bool(s->first);
	return bytes_is(name, "@last") ? json_bool(s->last) : json_simple(JSON_NONE);
}

/* One part of a path in a value. */
static struct json member(struct json v, struct bytes name)
{
	size_t index = 0;

	if (v.kind == JSON_OBJECT)
		return json_get_bytes(v, name);
	if (v.kind != JSON_ARRAY || name.len == 0 || name.len > 9)
		return json_simple(JSON_NONE);
	for (size_t i = 0; i < name.len; i++) {
		if (!byte_is_digit(name.ptr[i]))
			return json_simple(JSON_NONE);
		index = index * 10 + (size_t)(name.ptr[i] - '0');
	}
	return index < v.u.arr->len ? v.u.arr->items[index] : json_simple(JSON_NONE);
}

/* The part up to the next dot. */
static struct bytes take_part(struct bytes *path)
{
	const char *dot = path->len > 0 ? memchr(path->ptr, '.', path->len) : NULL;
	size_t n = dot != NULL ? (size_t)(dot - path->ptr) : path->len;
	struct bytes part = bytes_slice(*path, 0, n);

	*path = bytes_slice(*path, dot != NULL ? n + 1 : n, path->len);
	return part;
}

static struct json outside(struct template *t, struct bytes name)
{
	const char *value = cmd_getenv(t->c, arena_dup(t->c->arena, name));

	for (int i = 0; i < t->o->nset; i++)
		if (strncmp(t->o->set[i], name.ptr, name.len) == 0 && t->o->set[i][name.len] == '=')
			value = t->o->set[i] + name.len + 1;
	return value != NULL ? text_value(t, bytes_of(value)) : json_simple(JSON_NONE);
}

static struct json value_of(struct template *t, const struct scope *s, struct bytes path)
{
	struct json v;

	if (bytes_starts(path, BYTES("../"))) {
		const struct scope *outer = s->outer != NULL ? s->outer : s;

		return value_of(t, outer, bytes_slice(path, 3, path.len));
	}
	if (bytes_is(path, "this") || bytes_is(path, "."))
		return s->value;
	if (path.len > 0 && path.ptr[0] == '@')
		return special(t, s, path);
	if (bytes_starts(path, BYTES("this.")))
		path = bytes_slice(path, 5, path.len);
	struct bytes whole = path;
	struct bytes first = take_part(&path);

	for (v = member(s->value, first); v.kind == JSON_NONE && s->outer != NULL;) {
		s = s->outer;
		v = member(s->value, first);
	}
	if (v.kind == JSON_NONE)
		return outside(t, whole);
	while (path.len > 0 && v.kind != JSON_NONE)
		v = member(v, take_part(&path));
	return v;
}

/* Neither null, false, 0, "" nor an empty list. */
static bool is_true(struct json v)
{
	switch (v.kind) {
	case JSON_NUMBER:
	case JSON_LITERAL: return json_num(v) != 0;
	case JSON_STRING: return v.u.str->len > 0;
	case JSON_ARRAY: return v.u.arr->len > 0;
	default: return v.kind == JSON_TRUE || v.kind == JSON_OBJECT;
	}
}

static void put_html(struct cmd *c, struct bytes s)
{
	static const char special_bytes[] = "&<>\"'";
	static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#x27;" };

	for (size_t i = 0; i < s.len; i++) {
		const char *hit = s.ptr[i] != '\0' ? strchr(special_bytes, s.ptr[i]) : NULL;

		if (hit != NULL)
			cmd_puts(c, names[hit - special_bytes]);
		else
			cmd_putc(c, s.ptr[i]);
	}
}

static void put_value(struct template *t, const struct scope *s, const struct tag *tag)
{
	struct json v = value_of(t, s, tag->name);
	struct buf text = buf_in(t->c->arena);

	if (v.kind == JSON_NONE && t->o->strict) {
		t->status = cmd_error(t->c, 0, "no value for %s", cmd_quote_n(t->c, tag->name));
		return;
	}
	if (v.kind == JSON_STRING)
		buf_put(&text, v.u.str->ptr, v.u.str->len);
	else if (v.kind != JSON_NONE && v.kind != JSON_NULL)
		json_print(t->m, &text, v, NULL);
	cmd_charge_bytes(t->c, text.len);
	if (t->o->html && tag->kind == '\0')
		put_html(t->c, buf_bytes(&text));
	else
		cmd_bytes(t->c, buf_bytes(&text));
}

/* --- blocks --- */

static char render(struct template *t, const struct scope *s, bool quiet, int depth);

/* The body, from where the template now is; s NULL: it is only passed over. True: "else" ended it.
 */
static bool put_body(struct template *t, const struct scope *s, bool show, int depth)
{
	return render(t, s, !show, depth + 1) == 'e';
}

/* The body once for each member of a list or object. */
static bool put_each(struct template *t, const struct scope *s, struct json v, int depth)
{
	size_t from = t->at;
	size_t n = v.kind == JSON_ARRAY ? v.u.arr->len : v.u.obj->used;
	size_t live = v.kind == JSON_ARRAY ? n : v.u.obj->live;
	bool ended_by_else = false;
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		struct scope inner = { .outer = s, .in_list = true };

		if (v.kind == JSON_OBJECT) {
			const struct json_slot *slot = &v.u.obj->slots[i];

			if (slot->key == NULL)
				continue;
			inner.key = (struct bytes){ slot->key->ptr, slot->key->len };
			inner.value = slot->val;
		} else {
			inner.value = v.u.arr->items[i];
		}
		inner.index = done;
		inner.first = done == 0;
		inner.last = ++done == live;
		t->at = from;
		ended_by_else = put_body(t, &inner, true, depth);
		cmd_charge(t->c, 1);
	}
	return ended_by_else;
}

static void put_block(struct template *t, const struct scope *s, const struct tag *tag, bool quiet,
		      int depth)
{
	struct json v = quiet ? json_simple(JSON_NONE) : value_of(t, s, tag->name);
	bool condition = bytes_is(tag->word, "if") || bytes_is(tag->word, "unless");
	bool shown = is_true(v) != (tag->kind == '^' || bytes_is(tag->word, "unless"));
	struct scope inner = { .value = v, .outer = s };
	bool has_else;

	shown = shown && !quiet;
	if (shown && !condition && tag->kind == '#' && !bytes_is(tag->word, "with") &&
	    (v.kind == JSON_ARRAY || (v.kind == JSON_OBJECT && tag->word.len > 0)))
		has_else = put_each(t, s, v, depth);
	else
		has_else = put_body(t, condition || tag->kind == '^' ? s : &inner, shown, depth);
	if (has_else)
		put_body(t, s, !shown && !quiet, depth);
}

/* Up to the end of the block or of the template: what ended it ('/', 'e' or TAG_END). */
static char render(struct template *t, const struct scope *s, bool quiet, int depth)
{
	struct tag tag;

	if (depth > DEPTH_MAX)
		cmd_fatal(t->c, 0, "blocks are nested too deep");
	for (;;) {
		struct arena_mark mark = arena_mark(t->c->arena);

		next_tag(t, &tag);
		if (!quiet)
			cmd_bytes(t->c, tag.before);
		if (tag.kind == '/' || tag.kind == 'e' || tag.kind == TAG_END) {
			if ((tag.kind == TAG_END) != (depth == 0))
				cmd_fatal(t->c, 0,
					  depth == 0 ? "the end of a block that was not begun"
						     : "a block is not closed");
			return tag.kind;
		}
		if (tag.kind == '#' || tag.kind == '^')
			put_block(t, s, &tag, quiet, depth);
		else if (tag.kind != '!' && !quiet)
			put_value(t, s, &tag);
		arena_release(t->c->arena, mark);
	}
}

static int template_run(struct cmd *c)
{
	struct template t = { .c = c, .o = c->opts };
	struct scope top = { .value = json_simple(JSON_NONE) };
	struct buf message = buf_in(c->arena);
	struct bytes data;
	int status = cmd_operands(c, 0, 1);

	if (status != 0)
		return status;
	t.m = arena_zalloc(c->arena, sizeof *t.m);
	json_mem_init(t.m, c->pool);
	t.m->poll = cmd_work;
	t.m->arg = c;
	int err = t.o->data != NULL ? cmd_read_all(c, t.o->data, &data) : 0;

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quote_input(c, t.o->data));
	if (t.o->data != NULL && json_parse(t.m, data, &top.value, &message) != JSON_VALUE)
		return cmd_error(c, 0, "%s: %s", t.o->data, buf_cstr(&message));
	err = cmd_read_all(c, c->files[0], &t.text);
	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quote_input(c, c->files[0]));
	render(&t, &top, false, 0);
	return t.status;
}

const struct builtin builtin_template = {
	.name = "template",
	.usage = "[OPTION]... [FILE]",
	.summary =
		"Writes FILE, or standard input, with {{name}} replaced by values: of JSON (-d),\n"
		"of -s, of the environment. {{#if x}}..{{else}}..{{/if}}, {{#unless x}},\n"
		"{{#each list}}..{{this}} {{@index}} {{@key}}..{{/each}}, {{#with x}},\n"
		"{{#x}}..{{/x}}, {{^x}}..{{/x}}, {{! comment}}, {{{as it is}}}.",
	.run = template_run,
	.opts = template_options,
	.opts_size = sizeof(struct template_opts),
	.family = "cowsh",
};
