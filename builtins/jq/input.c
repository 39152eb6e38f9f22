/* SPDX-License-Identifier: MIT
 *
 * Where values come from: files one after another as one text, parsed as values, events,
 * lines or one string.
 */
#include "builtins/jq/jq.h"

struct reader {
	struct json_parser parser;
	struct input in;
	char **files;
	int nfiles;
	int next;
	struct bytes given; /* of a host, before any file */
	bool open;
	bool done; /* the end of all files was seen */
	bool slurped;
	const char *name;      /* of the file being read; NULL: none */
	uint64_t lines_before; /* in earlier files */
	uint64_t raw_lines;
	bool failed; /* a file could not be read */
	/* --seq */
	struct bytes rest; /* of the block, from a separator on */
	bool abandoned;    /* what comes before the next separator is left out */
	bool any;          /* something was */
};

void jq_input_open(struct jq *j, char **files, int n)
{
	static char dash[] = "-";
	static char *standard[] = { dash };
	struct reader *r = arena_zalloc(j->a, sizeof(*r));

	json_parser_init(&r->parser, &j->m);
	r->files = n > 0 ? files : standard;
	r->nfiles = n > 0 ? n : 1;
	if (j->host != NULL) {
		r->nfiles = 0;
		r->given = j->host->input;
		r->name = "-";
	}
	r->parser.streaming = j->opts.stream;
	r->abandoned = j->opts.seq;
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

	/* What was parsed last is gone then: its lines are counted now. */
	json_parser_place(&r->parser);
	if (r->given.len > 0) {
		*out = r->given;
		r->given.len = 0;
		cmd_charge_bytes(j->c, out->len);
		return true;
	}
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

	if (r->name == NULL)
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

static struct json error_text(struct jq *j, bool at_end, const char *more)
{
	struct json_parser *p = &j->reader->parser;
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	struct json text;

	json_parser_place(p);
	buf_printf(&b, "%s at %sline %zu, column %zu%s", p->error, at_end ? "EOF at " : "",
		   (size_t)(p->line + 1), (size_t)p->column, more);
	text = json_string_utf8(&j->m, buf_bytes(&b));
	arena_release(&j->scratch, mark);
	return text;
}

/* What follows is not looked at. --stream-errors: the error is the last event. */
static int parse_error(struct jq *j, bool at_end, struct json *out)
{
	struct json_parser *p = &j->reader->parser;
	struct json text = error_text(j, at_end, "");
	struct json path = p->streaming && p->open > 0 ? json_copy(p->path) : json_array(&j->m, 0);

	json_parser_reset(p);
	p->at = p->end;
	j->reader->done = true;
	if (j->opts.stream_errors) {
		*out = json_push(&j->m, json_push(&j->m, json_array(&j->m, 2), text), path);
		return 1;
	}
	json_put(&j->m, path);
	jq_raise(j, text);
	return -1;
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
			return parse_error(j, false, out);
		if (next_block(j, &block)) {
			json_parser_feed(&r->parser, block);
			continue;
		}
		got = json_parser_finish(&r->parser, out);
		if (got == JSON_ERROR)
			return parse_error(j, true, out);
		r->done = true;
		if (got == JSON_VALUE)
			return 1;
	}
	return 0;
}

/* --- texts between separators (--seq): errors are told, and the next text is read --- */

static void ignore_error(struct jq *j, const char *error, bool at_end, const char *more)
{
	struct json_parser *p = &j->reader->parser;
	struct json text;

	if (error != NULL)
		p->error = error;
	text = error_text(j, at_end, more);
	cmd_warn(j->c, 0, "ignoring parse error: %s", text.u.str->ptr);
	json_put(&j->m, text);
	json_parser_reset(p);
}

/* A text that is cut by a separator or the end. */
static const char *cut_text(struct json_parser *p)
{
	if (p->open == 0 && !p->in_string && p->token_len > 0 &&
	    (byte_is_digit(p->token[0]) || p->token[0] == '-'))
		return "Potentially truncated top-level numeric value";
	return p->open > 0 || p->in_string || p->token_len > 0 ? "Truncated value" : NULL;
}

static void feed_record(struct jq *j, struct bytes s)
{
	struct reader *r = j->reader;
	const char *rs = s.len > 0 ? memchr(s.ptr, '\x1e', s.len) : NULL;
	size_t n = rs != NULL ? (size_t)(rs - s.ptr) : s.len;

	json_parser_feed(&r->parser, bytes_slice(s, 0, n));
	r->rest = bytes_slice(s, n, s.len);
	r->any |= n > 0;
	if (r->abandoned)
		r->parser.at = r->parser.end;
}

static void take_separator(struct jq *j)
{
	struct reader *r = j->reader;
	struct json_parser *p = &r->parser;
	const char *error = r->abandoned ? NULL : cut_text(p);

	json_parser_place(p);
	p->column++;
	if (error != NULL)
		ignore_error(j, error, false, "");
	r->abandoned = false;
	feed_record(j, bytes_slice(r->rest, 1, r->rest.len));
}

static int last_record(struct jq *j, struct json *out)
{
	struct reader *r = j->reader;
	const char *error = r->abandoned ? (r->any ? "Unfinished abandoned text" : NULL)
					 : cut_text(&r->parser);
	enum json_next got = JSON_MORE;

	r->done = true;
	if (error != NULL && strcmp(error, "Truncated value") != 0) {
		ignore_error(j, error, true, "");
		return 0;
	}
	if (!r->abandoned)
		got = json_parser_finish(&r->parser, out);
	if (got == JSON_ERROR)
		ignore_error(j, NULL, true, "");
	return got == JSON_VALUE;
}

static int seq_next(struct jq *j, struct json *out)
{
	struct reader *r = j->reader;

	while (!r->done) {
		enum json_next got = json_parser_next(&r->parser, out);
		struct bytes block;

		if (got == JSON_VALUE)
			return 1;
		if (got == JSON_ERROR) {
			ignore_error(j, NULL, false, " (need RS to resync)");
			r->abandoned = true;
			r->parser.at = r->parser.end;
		}
		if (r->rest.len > 0)
			take_separator(j);
		else if (next_block(j, &block))
			feed_record(j, block);
		else
			return last_record(j, out);
	}
	return 0;
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

	while (next_block(j, &block)) {
		j->reader->raw_lines += bytes_count(block, '\n');
		all = json_append(&j->m, all, block);
	}
	*out = json_string_utf8(&j->m, json_text(all));
	json_put(&j->m, all);
	return 1;
}

static int one_input(struct jq *j, struct json *out)
{
	return j->opts.raw_input ? next_line(j, out)
	       : j->opts.seq     ? seq_next(j, out)
				 : parse_next(j, out);
}

/* If the input does not end so, jq's messages name no file once all is read. */
static bool ends_with_newline(struct jq *j)
{
	struct reader *r = j->reader;

	if (j->opts.raw_input)
		return r->in.ended;
	json_parser_place(&r->parser);
	return r->parser.column == 0;
}

int jq_input(struct jq *j, struct json *out)
{
	struct json all;
	struct json v;
	int more;

	if (!j->opts.slurp) {
		more = one_input(j, out);
		if (more == 0 && !ends_with_newline(j))
			j->reader->name = NULL;
		return more;
	}
	if (j->reader->slurped) {
		j->reader->name = NULL;
		return 0;
	}
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
