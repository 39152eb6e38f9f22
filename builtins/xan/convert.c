/* SPDX-License-Identifier: MIT
 *
 * Other forms: JSON to and from, Markdown, HTML, tables for people, other delimiters.
 *
 * From JSON: an array of objects, objects one a line, or arrays. What is nested stays JSON.
 */
#include "builtins/xan/xan.h"

enum { DEPTH_MAX = 200, CELL_MAX = 60 };

struct convert_opts {
	struct xan_opts common;
	const char *format;
	const char *limit;
	const char *delimiter;
	const char *select;
	bool all;
	bool strings;
	bool crlf;
	bool quote_always;
};

/* --- to --- */

static void put_json_text(struct cmd *c, struct bytes s)
{
	struct output *out = xan_out(c);

	output_putc(out, '"');
	for (size_t i = 0; i < s.len;) {
		unsigned char ch = (unsigned char)s.ptr[i];
		uint32_t code;
		size_t len = utf8_decode(s, i, &code);
		char escape[8];

		if (ch == '"' || ch == '\\') {
			output_putc(out, '\\');
			output_putc(out, (char)ch);
		} else if (ch == '\n' || ch == '\t' || ch == '\r') {
			output_putc(out, '\\');
			output_putc(out, ch == '\n' ? 'n' : ch == '\t' ? 't' : 'r');
		} else if (ch < 32) {
			static const char hex[] = "0123456789abcdef";

			memcpy(escape, "\\u00", 4);
			escape[4] = hex[ch >> 4];
			escape[5] = hex[ch & 15];
			output_write(out, escape, 6);
		} else if (len == 0) {
			output_write(out, "\xef\xbf\xbd", 3);
		} else {
			output_write(out, s.ptr + i, len);
		}
		i += len > 0 ? len : 1;
	}
	output_putc(out, '"');
}

/* Numbers as JSON writes them stand without quotes; so do true and false. */
static void put_json_value(struct cmd *c, struct bytes s)
{
	const struct convert_opts *o = c->opts;
	double d;
	bool plain = s.len > 0 && xan_number(s, &d) && d - d == 0 &&
		     (byte_is_digit(s.ptr[s.len - 1])) && s.ptr[0] != '+' && s.ptr[0] != '.' &&
		     s.ptr[0] != ' ';
	size_t sign = s.len > 0 && s.ptr[0] == '-';

	plain = plain &&
		!(s.len > sign + 1 && s.ptr[sign] == '0' && byte_is_digit(s.ptr[sign + 1]));
	plain = plain && s.len < 16 && memchr(s.ptr, 'x', s.len) == NULL;
	if (o->strings)
		put_json_text(c, s);
	else if (s.len == 0)
		output_write(xan_out(c), "null", 4);
	else if (plain || bytes_is(s, "true") || bytes_is(s, "false"))
		output_write(xan_out(c), s.ptr, s.len);
	else
		put_json_text(c, s);
}

static void puts_out(struct cmd *c, const char *text)
{
	output_write(xan_out(c), text, strlen(text));
}

static void put_object(struct cmd *c, struct reader *r, const char *indent, const char *colon)
{
	puts_out(c, "{");
	for (size_t i = 0; i < r->names.n; i++) {
		puts_out(c, i > 0 ? "," : "");
		puts_out(c, indent);
		put_json_text(c, r->names.cell[i]);
		puts_out(c, colon);
		put_json_value(c, xan_cell(r->row, i));
	}
}

static void to_json(struct cmd *c, struct reader *r)
{
	bool any = false;

	puts_out(c, "[");
	while (xan_next(r)) {
		puts_out(c, any ? ",\n  " : "\n  ");
		put_object(c, r, "\n    ", ": ");
		puts_out(c, "\n  }");
		any = true;
	}
	puts_out(c, any ? "\n]\n" : "]\n");
}

static void to_lines(struct cmd *c, struct reader *r)
{
	while (xan_next(r)) {
		put_object(c, r, "", ":");
		puts_out(c, "}\n");
	}
}

static void put_marked(struct cmd *c, struct row row, size_t n)
{
	puts_out(c, "|");
	for (size_t i = 0; i < n; i++) {
		struct bytes s = xan_cell(row, i);

		puts_out(c, " ");
		for (size_t k = 0; k < s.len; k++) {
			if (s.ptr[k] == '|')
				puts_out(c, "\\");
			output_putc(xan_out(c), s.ptr[k] == '\n' ? ' ' : s.ptr[k]);
		}
		puts_out(c, " |");
	}
	puts_out(c, "\n");
}

static void to_markdown(struct cmd *c, struct reader *r)
{
	put_marked(c, r->names, r->names.n);
	puts_out(c, "|");
	for (size_t i = 0; i < r->names.n; i++)
		puts_out(c, " --- |");
	puts_out(c, "\n");
	while (xan_next(r))
		put_marked(c, r->row, r->names.n);
}

static void put_html(struct cmd *c, struct row row, size_t n, const char *tag)
{
	puts_out(c, "    <tr>\n");
	for (size_t i = 0; i < n; i++) {
		struct bytes s = xan_cell(row, i);

		puts_out(c, "      <");
		puts_out(c, tag);
		puts_out(c, ">");
		for (size_t k = 0; k < s.len; k++) {
			if (s.ptr[k] == '<' || s.ptr[k] == '>' || s.ptr[k] == '&')
				puts_out(c, s.ptr[k] == '<'   ? "&lt;"
					    : s.ptr[k] == '>' ? "&gt;"
							      : "&amp;");
			else
				output_putc(xan_out(c), s.ptr[k]);
		}
		puts_out(c, "</");
		puts_out(c, tag);
		puts_out(c, ">\n");
	}
	puts_out(c, "    </tr>\n");
}

static void to_html(struct cmd *c, struct reader *r)
{
	puts_out(c, "<table>\n  <thead>\n");
	put_html(c, r->names, r->names.n, "th");
	puts_out(c, "  </thead>\n  <tbody>\n");
	while (xan_next(r))
		put_html(c, r->row, r->names.n, "td");
	puts_out(c, "  </tbody>\n</table>\n");
}

static int to_run(struct cmd *c)
{
	static const struct {
		const char *name;
		void (*put)(struct cmd *c, struct reader *r);
	} formats[] = {
		{ "json", to_json },   { "ndjson", to_lines },      { "jsonl", to_lines },
		{ "md", to_markdown }, { "markdown", to_markdown }, { "html", to_html },
	};
	struct reader r;
	int status = cmd_operands(c, 1, 2);

	for (size_t i = 0; status == 0 && i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(c->args[0], formats[i].name) != 0)
			continue;
		xan_open(&r, c, 1);
		formats[i].put(c, &r);
		xan_close(&r);
		return 0;
	}
	return status != 0 ? status
			   : cmd_usage(c, "unknown format: %s (json, ndjson, jsonl, md, html)",
				       c->args[0]);
}

/* --- from JSON --- */

struct json {
	struct cmd *c;
	const char *start;
	const char *at;
	const char *end;
	struct groups names;
	struct row *rows;
	size_t n;
	size_t cap;
};

_Noreturn static void json_fail(struct json *j)
{
	cmd_fatal(j->c, 0, "not valid JSON at byte %lld", (long long)(j->at - j->start));
}

static void json_blanks(struct json *j)
{
	while (j->at < j->end && byte_is_space(*j->at))
		j->at++;
}

static char json_peek(struct json *j)
{
	json_blanks(j);
	return j->at < j->end ? *j->at : '\0';
}

static uint32_t json_hex(struct json *j)
{
	uint32_t v = 0;

	for (int i = 0; i < 4; i++, j->at++) {
		int digit = j->at < j->end ? byte_digit((unsigned char)*j->at) : -1;

		if (digit < 0 || digit > 15)
			json_fail(j);
		v = v * 16 + (uint32_t)digit;
	}
	return v;
}

/* A text at j->at, which is a quote. */
static struct bytes json_text(struct json *j)
{
	static const char letters[] = "bfnrt";
	static const char values[] = "\b\f\n\r\t";
	struct buf out = buf_in(j->c->arena);

	for (j->at++; j->at < j->end && *j->at != '"';) {
		if (*j->at != '\\') {
			buf_putc(&out, *j->at++);
			continue;
		}
		if (++j->at == j->end)
			json_fail(j);
		char ch = *j->at++;
		const char *hit = ch != '\0' ? strchr(letters, ch) : NULL;

		if (ch == 'u') {
			uint32_t code = json_hex(j);
			char bytes[4];

			if (code >= 0xd800 && code < 0xdc00 && j->end - j->at >= 6 &&
			    j->at[0] == '\\' && j->at[1] == 'u') {
				j->at += 2;
				code = 0x10000 + ((code - 0xd800) << 10) +
				       ((json_hex(j) - 0xdc00) & 0x3ff);
			}
			if (code >= 0xd800 && code < 0xe000)
				code = 0xfffd;
			buf_put(&out, bytes, utf8_encode(code, bytes));
		} else {
			buf_putc(&out, hit != NULL ? values[hit - letters] : ch);
		}
	}
	if (j->at == j->end)
		json_fail(j);
	j->at++;
	return buf_bytes(&out);
}

/* Over a value of any kind; what it spans. */
static struct bytes json_skip(struct json *j)
{
	const char *from;
	int depth = 0;

	json_blanks(j);
	from = j->at;
	do {
		char ch = json_peek(j);

		if (ch == '\0' || depth > DEPTH_MAX)
			json_fail(j);
		if (ch == '"') {
			json_text(j);
			cmd_charge(j->c, 1);
			continue;
		}
		depth += ch == '{' || ch == '[';
		depth -= ch == '}' || ch == ']';
		if (depth < 0)
			json_fail(j);
		if (strchr("{}[]:,", ch) != NULL) {
			j->at++;
			continue;
		}
		while (j->at < j->end && strchr("{}[]:,\" \t\r\n", *j->at) == NULL)
			j->at++;
	} while (depth > 0);
	return (struct bytes){ from, (size_t)(j->at - from) };
}

/* A value as a cell: texts bare, null empty, what is nested as JSON. */
static struct bytes json_cell(struct json *j)
{
	if (json_peek(j) == '"')
		return json_text(j);
	struct bytes text = json_skip(j);

	return bytes_is(text, "null") ? BYTES("") : text;
}

static void json_put(struct json *j, size_t column, struct bytes cell)
{
	struct row *row = &j->rows[j->n - 1];

	if (column >= row->n) {
		size_t n = column + 1;

		row->cell = arena_grow(j->c->arena, row->cell, row->n * sizeof *row->cell,
				       n * sizeof *row->cell);
		for (size_t i = row->n; i < n; i++)
			row->cell[i] = BYTES("");
		row->n = n;
	}
	row->cell[column] = cell;
}

/* An object or an array of cells as a row. */
static void json_row(struct json *j)
{
	bool object = json_peek(j) == '{';
	char close = object ? '}' : ']';
	size_t column = 0;
	bool is_new;

	if (!object && json_peek(j) != '[')
		json_fail(j);
	if (j->n == j->cap) {
		size_t cap = j->cap * 2 + 64;

		j->rows = pool_resize(j->c->pool, j->rows, j->cap * sizeof *j->rows,
				      cap * sizeof *j->rows);
		j->cap = cap;
	}
	j->rows[j->n++] = (struct row){ NULL, 0 };
	for (j->at++; json_peek(j) != close;) {
		if (object) {
			if (json_peek(j) != '"')
				json_fail(j);
			column = groups_add(&j->names, json_text(j), &is_new);
			if (json_peek(j) != ':')
				json_fail(j);
			j->at++;
		} else if (column >= j->names.n) {
			char digits[20];

			groups_add(&j->names,
				   (struct bytes){ digits, num_format_u64(column, digits) },
				   &is_new);
		}
		json_put(j, column++, json_cell(j));
		cmd_charge(j->c, 1);
		if (json_peek(j) == ',')
			j->at++;
		else if (json_peek(j) != close)
			json_fail(j);
	}
	j->at++;
}

static void json_rows(struct json *j)
{
	const char *inner;
	bool list = json_peek(j) == '[';

	/* An array of rows, or rows one behind the other. */
	inner = j->at + 1;
	while (list && inner < j->end && byte_is_space(*inner))
		inner++;
	list = list && inner < j->end && (*inner == '{' || *inner == '[' || *inner == ']');
	j->at += list;
	while (json_peek(j) != '\0' && json_peek(j) != ']') {
		json_row(j);
		if (json_peek(j) == ',')
			j->at++;
	}
}

static int from_run(struct cmd *c)
{
	const struct convert_opts *o = c->opts;
	struct json j = { .c = c };
	struct bytes text;
	int err = cmd_read_all(c, c->files[0], &text);

	if (o->format != NULL && strcmp(o->format, "json") != 0 &&
	    strcmp(o->format, "ndjson") != 0 && strcmp(o->format, "jsonl") != 0)
		return cmd_usage(c, "unknown format: %s (json, ndjson, jsonl)", o->format);
	if (err < 0)
		return cmd_error(c, err, "%s", c->files[0]);
	j.start = j.at = text.ptr;
	j.end = text.ptr + text.len;
	groups_init(&j.names, c);
	json_rows(&j);
	for (size_t i = 0; i < j.names.n; i++)
		xan_put_cell(c, j.names.key[i], i == 0);
	if (j.names.n > 0)
		xan_end_row(c);
	for (size_t i = 0; i < j.n; i++) {
		for (size_t k = 0; k < j.names.n; k++)
			xan_put_cell(c, xan_cell(j.rows[i], k), k == 0);
		xan_end_row(c);
	}
	return 0;
}

/* --- view --- */

static size_t width_of(struct bytes s)
{
	size_t width = 0;

	for (size_t i = 0; i < s.len;) {
		uint32_t code = ' ';
		size_t len = utf8_decode(s, i, &code);
		int w = len > 0 ? utf8_width(code) : 1;

		width += w > 0 ? (size_t)w : 0;
		i += len > 0 ? len : 1;
	}
	return width;
}

/* At most so wide, with an ellipsis; control characters as blanks. */
static void put_padded(struct cmd *c, struct bytes s, size_t width)
{
	size_t full = width_of(s);
	size_t room = full > width ? width - 1 : width;
	size_t used = 0;
	size_t i = 0;

	while (i < s.len && used < room) {
		uint32_t code = ' ';
		size_t len = utf8_decode(s, i, &code);
		int w = len > 0 ? utf8_width(code) : 1;

		if (used + (size_t)(w > 0 ? w : 0) > room)
			break;
		if (code < 32)
			puts_out(c, " ");
		else
			output_write(xan_out(c), s.ptr + i, len > 0 ? len : 1);
		used += code < 32 ? 1 : w > 0 ? (size_t)w : 0;
		i += len > 0 ? len : 1;
	}
	if (full > width) {
		puts_out(c, "…");
		used++;
	}
	for (; used < width; used++)
		puts_out(c, " ");
}

static void put_rule(struct cmd *c, const size_t *width, size_t n, const char *const parts[3])
{
	for (size_t i = 0; i < n; i++) {
		puts_out(c, parts[i > 0]);
		for (size_t k = 0; k < width[i] + 2; k++)
			puts_out(c, "─");
	}
	puts_out(c, parts[2]);
	puts_out(c, "\n");
}

static void put_line(struct cmd *c, const size_t *width, size_t n, struct row row)
{
	for (size_t i = 0; i < n; i++) {
		puts_out(c, "│ ");
		put_padded(c, xan_cell(row, i), width[i]);
		puts_out(c, " ");
	}
	puts_out(c, "│\n");
	cmd_charge(c, n);
}

static int view_run(struct cmd *c)
{
	static const char *const top[] = { "┌", "┬", "┐" };
	static const char *const middle[] = { "├", "┼", "┤" };
	static const char *const bottom[] = { "└", "┴", "┘" };
	const struct convert_opts *o = c->opts;
	uint64_t limit = 100;
	struct reader r;
	struct row *list;
	size_t *width;

	if (o->limit != NULL && !num_plain(o->limit, &limit))
		return cmd_usage(c, "invalid limit: %s", o->limit);
	xan_open(&r, c, 0);
	size_t n = xan_all(&r, &list);
	size_t shown = o->all || n < limit ? n : (size_t)limit;

	width = arena_array(c->arena, r.names.n + 1, sizeof *width);
	for (size_t i = 0; i < r.names.n; i++) {
		width[i] = width_of(r.names.cell[i]);
		for (size_t k = 0; k < shown; k++)
			if (width_of(xan_cell(list[k], i)) > width[i])
				width[i] = width_of(xan_cell(list[k], i));
		if (width[i] > CELL_MAX && !o->all)
			width[i] = CELL_MAX;
	}
	if (r.names.n == 0)
		return 0;
	put_rule(c, width, r.names.n, top);
	put_line(c, width, r.names.n, r.names);
	put_rule(c, width, r.names.n, middle);
	for (size_t k = 0; k < shown; k++)
		put_line(c, width, r.names.n, list[k]);
	put_rule(c, width, r.names.n, bottom);
	if (shown < n) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "%llu of %llu rows\n", (unsigned long long)shown,
			   (unsigned long long)n);
		puts_out(c, buf_cstr(&text));
	}
	xan_close(&r);
	return 0;
}

static int flatten_run(struct cmd *c)
{
	struct reader r;
	size_t width = 0;
	uint64_t n = 0;

	xan_open(&r, c, 0);
	for (size_t i = 0; i < r.names.n; i++)
		if (width_of(r.names.cell[i]) > width)
			width = width_of(r.names.cell[i]);
	while (xan_next(&r)) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "%sRow n°%llu\n", n > 0 ? "\n" : "", (unsigned long long)n);
		puts_out(c, buf_cstr(&text));
		n++;
		for (size_t i = 0; i < r.names.n; i++) {
			struct bytes cell = xan_cell(r.row, i);

			put_padded(c, r.names.cell[i], width);
			puts_out(c, " ");
			output_write(xan_out(c), cell.len > 0 ? cell.ptr : "<empty>",
				     cell.len > 0 ? cell.len : 7);
			puts_out(c, "\n");
		}
	}
	xan_close(&r);
	return 0;
}

/* --- fmt --- */

static void put_with(struct cmd *c, struct row row, char delim)
{
	const struct convert_opts *o = c->opts;

	for (size_t i = 0; i < row.n; i++) {
		struct bytes s = row.cell[i];
		bool quote = o->quote_always;

		for (size_t k = 0; k < s.len; k++)
			quote |= s.ptr[k] == delim || s.ptr[k] == '"' || s.ptr[k] == '\n' ||
				 s.ptr[k] == '\r';
		if (i > 0)
			output_putc(xan_out(c), delim);
		if (quote)
			puts_out(c, "\"");
		for (size_t k = 0; k < s.len; k++) {
			if (quote && s.ptr[k] == '"')
				puts_out(c, "\"");
			output_putc(xan_out(c), s.ptr[k]);
		}
		if (quote)
			puts_out(c, "\"");
	}
	puts_out(c, o->crlf ? "\r\n" : "\n");
}

static int fmt_run(struct cmd *c)
{
	const struct convert_opts *o = c->opts;
	char delim = o->delimiter == NULL ? ',' : o->delimiter[0];
	struct reader r;

	if (o->delimiter != NULL &&
	    (strcmp(o->delimiter, "\\t") == 0 || strcmp(o->delimiter, "tab") == 0))
		delim = '\t';
	xan_open(&r, c, 0);
	if (r.named)
		put_with(c, r.names, delim);
	while (xan_next(&r))
		put_with(c, r.row, delim);
	xan_close(&r);
	return 0;
}

static const struct opt to_options[] = { XAN_COMMON,
					 OPT_FLAG('S', "strings", struct convert_opts, strings,
						  "JSON: numbers are texts too"),
					 OPT_END() };
static const struct opt from_options[] = { XAN_COMMON,
					   OPT_STR('f', "format", struct convert_opts, format, NULL,
						   "FORMAT", "json, ndjson, jsonl"),
					   OPT_END() };
static const struct opt view_options[] = {
	XAN_COMMON, OPT_STR('l', "limit", struct convert_opts, limit, NULL, "N", "N rows (100)"),
	OPT_FLAG('A', "all", struct convert_opts, all, "all rows, whole cells"),
	OPT_IGNORED('p', "pager", "no effect: all is written at once"), OPT_END()
};
static const struct opt plain_options[] = { XAN_COMMON, OPT_END() };
static const struct opt fmt_options[] = {
	XAN_COMMON,
	OPT_STR('t', "out-delimiter", struct convert_opts, delimiter, NULL, "C",
		"between cells (,)"),
	OPT_FLAG(0, "crlf", struct convert_opts, crlf, "lines end in CR LF"),
	OPT_FLAG(0, "quote-always", struct convert_opts, quote_always, "quotes around all cells"),
	OPT_END()
};

#define COMMAND(id, words, text, table)                                                            \
	static const struct builtin id##_command = { .name = #id,                                  \
						     .usage = words,                               \
						     .summary = text,                              \
						     .run = id##_run,                              \
						     .opts = table,                                \
						     .opts_size = sizeof(struct convert_opts),     \
						     .family = "xan 0.50" }
COMMAND(to, "[OPTION]... json|ndjson|md|html [FILE]", "Writes rows as JSON, Markdown or HTML.",
	to_options);
COMMAND(from, "[OPTION]... [-f FORMAT] [FILE]", "Makes rows of JSON objects.", from_options);
COMMAND(view, "[OPTION]... [FILE]", "Shows rows as a table.", view_options);
COMMAND(flatten, "[OPTION]... [FILE]", "Shows each cell on a line.", plain_options);
COMMAND(fmt, "[OPTION]... [FILE]", "Writes rows with another delimiter or other quotes.",
	fmt_options);

const struct builtin *const xan_convert_commands[] = { &to_command,   &from_command,
						       &view_command, &flatten_command,
						       &fmt_command,  NULL };
