/* SPDX-License-Identifier: MIT
 *
 * Where values come from: files one after another as one text, parsed as values, events,
 * lines or one string.
 */
#include "builtins/jq/jq.h"

/* A value that is given event by event (--stream). */
struct walk_value {
	struct json *stack; /* containers */
	uint32_t *at;       /* the member that comes next in each */
	size_t n;
	size_t cap;
	struct json path;
	struct json top;
	bool active;
};

struct reader {
	struct json_parser parser;
	struct input in;
	char **files;
	int nfiles;
	int next;
	bool open;
	bool done; /* the end of all files was seen */
	bool slurped;
	const char *name;      /* of the file being read; NULL: none */
	uint64_t lines_before; /* in earlier files */
	uint64_t raw_lines;
	bool failed; /* a file could not be read */
	struct walk_value walk;
	struct buf seq;
};

void jq_input_open(struct jq *j, char **files, int n)
{
	static char dash[] = "-";
	static char *standard[] = { dash };
	struct reader *r = arena_zalloc(j->a, sizeof(*r));

	json_parser_init(&r->parser, &j->m);
	r->files = n > 0 ? files : standard;
	r->nfiles = n > 0 ? n : 1;
	r->seq = buf_in(j->a);
	j->reader = r;
}

bool jq_input_failed(struct jq *j)
{
	return j->reader->failed;
}

static bool open_next(struct jq *j)
{
	struct reader *r = j->reader;

	while (!r->open && r->next < r->nfiles) {
		const char *path = r->files[r->next++];
		int err = input_open(&r->in, j->c, path);

		r->name = path;
		if (err < 0) {
			cmd_warn(j->c, err, "error: Could not open file %s", path);
			r->failed = true;
			continue;
		}
		r->open = true;
		json_parser_place(&r->parser);
		r->lines_before = r->parser.line;
		r->raw_lines = 0;
	}
	return r->open;
}

static void close_file(struct jq *j)
{
	struct reader *r = j->reader;

	input_close(&r->in);
	r->open = false;
}

/* The next bytes of all files: false at the end. */
static bool next_block(struct jq *j, struct bytes *out)
{
	struct reader *r = j->reader;

	while (open_next(j)) {
		int more = input_block(&r->in, out);

		if (more > 0) {
			r->in.from = r->in.to;
			cmd_charge_bytes(j->c, out->len);
			return true;
		}
		if (more < 0) {
			cmd_warn(j->c, more, "error: Could not read %s", r->name);
			r->failed = true;
		}
		close_file(j);
	}
	return false;
}

struct json jq_input_filename(struct jq *j)
{
	struct reader *r = j->reader;

	if (r->name == NULL)
		return json_simple(JSON_NULL);
	if (strcmp(r->name, "-") == 0)
		return json_string(&j->m, BYTES("<stdin>"));
	return json_string_utf8(&j->m, bytes_of(r->name));
}

const char *jq_input_name(struct jq *j)
{
	struct reader *r = j->reader;

	if (r->name == NULL || j->opts.null_input)
		return NULL;
	return strcmp(r->name, "-") == 0 ? "<stdin>" : r->name;
}

uint64_t jq_input_line(struct jq *j)
{
	struct json_parser *p = &j->reader->parser;
	bool partial;

	if (j->opts.raw_input)
		return j->reader->raw_lines;
	json_parser_place(p);
	/* The line that is being read counts if it is known to end. */
	partial = p->column > 0 && p->at < p->end &&
		  memchr(p->at, '\n', (size_t)(p->end - p->at)) != NULL;
	return p->line - j->reader->lines_before + partial;
}

/* --- parsing --- */

static int parse_error(struct jq *j, bool at_end)
{
	struct json_parser *p = &j->reader->parser;

	json_parser_place(p);
	jq_error(j, "%s at %sline %zu, column %zu", p->error, at_end ? "EOF at " : "",
		 (size_t)(p->line + 1), (size_t)p->column);
	json_parser_reset(p);
	/* What follows is not looked at. */
	p->at = p->end;
	j->reader->done = true;
	return -1;
}

static struct bytes without_rs(struct reader *r, struct bytes s)
{
	r->seq.len = 0;
	buf_add(&r->seq, s);
	for (size_t i = 0; i < r->seq.len; i++)
		if (r->seq.ptr[i] == '\x1e')
			r->seq.ptr[i] = ' ';
	return buf_bytes(&r->seq);
}

static int parse_next(struct jq *j, struct json *out)
{
	struct reader *r = j->reader;

	while (!r->done) {
		enum json_next got = json_parser_next(&r->parser, out);
		struct bytes block;

		if (got == JSON_VALUE)
			return 1;
		if (got == JSON_ERROR)
			return parse_error(j, false);
		if (next_block(j, &block)) {
			json_parser_feed(&r->parser, j->opts.seq ? without_rs(r, block) : block);
			continue;
		}
		got = json_parser_finish(&r->parser, out);
		if (got == JSON_ERROR)
			return parse_error(j, true);
		r->done = true;
		if (got == JSON_VALUE)
			return 1;
	}
	return 0;
}

/* --- events --- */

static struct json event(struct jq *j, struct json path, struct json leaf)
{
	struct json e = json_push(&j->m, json_array(&j->m, 2), path);

	return leaf.kind == JSON_NONE ? e : json_push(&j->m, e, leaf);
}

static struct json copy_path(struct jq *j, struct json path)
{
	return json_slice(&j->m, path, 0, json_len(path));
}

static size_t size_of(struct json v)
{
	return v.kind == JSON_ARRAY ? json_len(v) : v.kind == JSON_OBJECT ? json_count(v) : 0;
}

static void enter(struct jq *j, struct walk_value *w, struct json v)
{
	if (w->n == w->cap) {
		size_t cap = w->cap * 2 + 16;

		w->stack = pool_resize(j->m.pool, w->stack, w->cap * sizeof(*w->stack),
				       cap * sizeof(*w->stack));
		w->at = pool_resize(j->m.pool, w->at, w->cap * sizeof(*w->at),
				    cap * sizeof(*w->at));
		w->cap = cap;
	}
	w->at[w->n] = 0;
	w->stack[w->n++] = v;
}

static void leave(struct jq *j, struct walk_value *w)
{
	w->n--;
	if (w->n > 0) {
		json_put(&j->m, w->path.u.arr->items[w->path.u.arr->len - 1]);
		w->path.u.arr->len--;
		return;
	}
	json_put(&j->m, w->path);
	json_put(&j->m, w->top);
	w->active = false;
}

/* The next event of the value that is walked. */
static struct json next_event(struct jq *j, struct walk_value *w)
{
	for (;;) {
		struct json box = w->stack[w->n - 1];
		size_t i = w->at[w->n - 1];
		size_t end = box.kind == JSON_ARRAY ? json_len(box) : box.u.obj->used;
		struct json key = json_number((double)i);
		struct json v;

		if (i >= end) {
			/* [path of the last member]: the container ends. */
			struct json last = key.u.num > 0 ? json_number(key.u.num - 1) : key;
			struct json path = copy_path(j, w->path);

			if (box.kind == JSON_OBJECT)
				last = json_copy(
					(struct json){ .kind = JSON_STRING,
						       .u.str = box.u.obj->slots[i - 1].key });
			path = json_push(&j->m, path, last);
			leave(j, w);
			return event(j, path, json_simple(JSON_NONE));
		}
		w->at[w->n - 1]++;
		v = box.kind == JSON_ARRAY ? json_at(box, i) : box.u.obj->slots[i].val;
		if (box.kind == JSON_OBJECT)
			key = json_copy((struct json){ .kind = JSON_STRING,
						       .u.str = box.u.obj->slots[i].key });
		if (size_of(v) == 0)
			return event(j, json_push(&j->m, copy_path(j, w->path), key), json_copy(v));
		w->path = json_push(&j->m, w->path, key);
		enter(j, w, v);
	}
}

static int stream_next(struct jq *j, struct json *out)
{
	struct walk_value *w = &j->reader->walk;

	if (!w->active) {
		int more = parse_next(j, out);

		if (more <= 0)
			return more;
		if (size_of(*out) == 0) {
			*out = event(j, json_array(&j->m, 0), *out);
			return 1;
		}
		w->top = *out;
		w->path = json_array(&j->m, 4);
		w->active = true;
		enter(j, w, *out);
	}
	*out = next_event(j, w);
	return 1;
}

/* --- lines, slurping --- */

static int next_line(struct jq *j, struct json *out)
{
	struct reader *r = j->reader;

	while (open_next(j)) {
		struct bytes line;
		int more = input_line(&r->in, '\n', &line);

		if (more > 0) {
			r->raw_lines += r->in.ended;
			cmd_charge_bytes(j->c, line.len);
			*out = json_string_utf8(&j->m, line);
			return 1;
		}
		close_file(j);
	}
	return 0;
}

static int slurp_text(struct jq *j, struct json *out)
{
	struct json all = json_string(&j->m, BYTES(""));
	struct bytes block;

	while (next_block(j, &block))
		all = json_append(&j->m, all, block);
	*out = json_string_utf8(&j->m, json_text(all));
	json_put(&j->m, all);
	return 1;
}

static int one_input(struct jq *j, struct json *out)
{
	return j->opts.raw_input ? next_line(j, out)
	       : j->opts.stream  ? stream_next(j, out)
				 : parse_next(j, out);
}

int jq_input(struct jq *j, struct json *out)
{
	struct json all;
	struct json v;
	int more;

	if (!j->opts.slurp)
		return one_input(j, out);
	if (j->reader->slurped)
		return 0;
	j->reader->slurped = true;
	if (j->opts.raw_input)
		return slurp_text(j, out);
	all = json_array(&j->m, 16);
	while ((more = one_input(j, &v)) > 0)
		all = json_push(&j->m, all, v);
	if (more < 0) {
		json_put(&j->m, all);
		return -1;
	}
	*out = all;
	return 1;
}

bool jq_parse_all(struct jq *j, struct bytes text, struct json *out, struct buf *message)
{
	struct json_parser p;
	enum json_next got;
	struct json v;

	json_parser_init(&p, &j->m);
	json_parser_feed(&p, text);
	*out = json_array(&j->m, 1);
	while ((got = json_parser_next(&p, &v)) == JSON_VALUE)
		*out = json_push(&j->m, *out, v);
	if (got == JSON_MORE) {
		got = json_parser_finish(&p, &v);
		if (got == JSON_VALUE)
			*out = json_push(&j->m, *out, v);
		else if (got == JSON_ERROR)
			buf_printf(message, "%s at EOF at line %zu, column %zu", p.error,
				   (size_t)p.line + 1, (size_t)p.column);
	} else {
		json_parser_place(&p);
		buf_printf(message, "%s at line %zu, column %zu", p.error, (size_t)p.line + 1,
			   (size_t)p.column);
	}
	json_parser_reset(&p);
	pool_free(j->m.pool, p.stack, p.cap * sizeof(*p.stack));
	pool_free(j->m.pool, p.token, p.token_cap);
	return got != JSON_ERROR;
}
