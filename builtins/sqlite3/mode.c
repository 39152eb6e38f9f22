/* SPDX-License-Identifier: MIT
 *
 * Rows that are printed as they come: list, csv, line, html, insert, quote, tcl, json...
 */
#include "builtins/sqlite3/shell.h"

const char *const mode_names[] = {
	[MODE_LIST] = "list",     [MODE_LINE] = "line",         [MODE_CSV] = "csv",
	[MODE_TABS] = "tabs",     [MODE_ASCII] = "ascii",       [MODE_HTML] = "html",
	[MODE_INSERT] = "insert", [MODE_QUOTE] = "quote",       [MODE_TCL] = "tcl",
	[MODE_JSON] = "json",     [MODE_COLUMN] = "column",     [MODE_TABLE] = "table",
	[MODE_BOX] = "box",       [MODE_MARKDOWN] = "markdown", [MODE_EXPLAIN] = "explain",
};

void mode_choose(struct shell *s, enum mode mode)
{
	static const struct {
		const char *column;
		const char *row;
	} separators[] = {
		[MODE_LIST] = { "|", "\n" },       [MODE_LINE] = { NULL, "\n" },
		[MODE_CSV] = { ",", "\r\n" },      [MODE_TABS] = { "\t", NULL },
		[MODE_ASCII] = { "\037", "\036" }, [MODE_HTML] = { NULL, NULL },
		[MODE_INSERT] = { NULL, NULL },    [MODE_QUOTE] = { ",", "\n" },
		[MODE_TCL] = { " ", "\n" },        [MODE_JSON] = { NULL, NULL },
		[MODE_COLUMN] = { NULL, "\n" },    [MODE_MARKDOWN] = { NULL, NULL },
	};

	s->look.mode = mode == MODE_TABS ? MODE_LIST : mode;
	if (mode == MODE_COLUMN && !s->header_set)
		s->look.header = true;
	if ((size_t)mode >= sizeof separators / sizeof separators[0])
		return;
	if (separators[mode].column != NULL)
		memcpy(s->look.column_sep, separators[mode].column,
		       strlen(separators[mode].column) + 1);
	if (separators[mode].row != NULL)
		memcpy(s->look.row_sep, separators[mode].row, strlen(separators[mode].row) + 1);
}

bool mode_is_columnar(enum mode mode)
{
	return mode >= MODE_COLUMN && mode <= MODE_MARKDOWN;
}

/* --- values --- */

static const char *text_of(struct shell *s, sqlite3_stmt *st, int column)
{
	const char *text = (const char *)sqlite3_column_text(st, column);

	return text != NULL ? text : s->null_value;
}

static void put_plain_text(struct shell *s, const char *text)
{
	put(s, "'");
	for (const char *quote; (quote = strchr(text, '\'')) != NULL; text = quote + 1) {
		put_bytes(s, (struct bytes){ text, (size_t)(quote - text) + 1 });
		put(s, "'");
	}
	put(s, text);
	put(s, "'");
}

/* A marker that stands for a line break: one that the text does not contain. */
static char *unused_marker(struct shell *s, const char *text, const char *first, const char *second)
{
	char *marker;

	if (strstr(text, first) == NULL)
		return compose(s, "%s", first);
	if (strstr(text, second) == NULL)
		return compose(s, "%s", second);
	for (unsigned i = 0;; i++) {
		marker = compose(s, "(%s%u)", second, i);
		if (strstr(text, marker) == NULL)
			return marker;
	}
}

/* Line breaks as replace(...,char(10)): so a line of SQL stays one line. */
static void put_escaped_text(struct shell *s, const char *text)
{
	bool lf = strchr(text, '\n') != NULL;
	bool cr = strchr(text, '\r') != NULL;
	char *lf_mark = lf ? unused_marker(s, text, "\\n", "\\012") : NULL;
	char *cr_mark = cr ? unused_marker(s, text, "\\r", "\\015") : NULL;

	if (lf)
		put(s, "replace(");
	if (cr)
		put(s, "replace(");
	put(s, "'");
	for (; *text != '\0'; text++) {
		size_t n = strcspn(text, "'\r\n");

		put_bytes(s, (struct bytes){ text, n });
		text += n;
		if (*text == '\'')
			put(s, "''");
		else if (*text == '\n')
			put(s, lf_mark);
		else if (*text == '\r')
			put(s, cr_mark);
		else
			break;
	}
	put(s, "'");
	if (cr)
		say(s, ",'%s',char(13))", cr_mark);
	if (lf)
		say(s, ",'%s',char(10))", lf_mark);
}

void put_sql_text(struct shell *s, const char *text, bool escape_newlines)
{
	if (escape_newlines && strpbrk(text, "\r\n") != NULL)
		put_escaped_text(s, text);
	else
		put_plain_text(s, text);
}

void put_blob(struct shell *s, sqlite3_stmt *st, int column)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *blob = sqlite3_column_blob(st, column);
	int n = sqlite3_column_bytes(st, column);

	put(s, "X'");
	for (int i = 0; i < n; i++) {
		char two[2] = { hex[blob[i] >> 4], hex[blob[i] & 15] };

		put_bytes(s, (struct bytes){ two, 2 });
	}
	put(s, "'");
}

/* %!.20g: all digits of the double, of 20. */
static void put_digits(struct shell *s, double d)
{
	char text[64];

	put(s, sqlite3_snprintf(sizeof text, text, "%!.20g", d));
}

/* The same, infinities as numbers that overflow. */
static void put_real(struct shell *s, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	if (bits == 0x7ff0000000000000u)
		put(s, "1e999");
	else if (bits == 0xfff0000000000000u)
		put(s, "-1e999");
	else
		put_digits(s, d);
}

void put_sql_value(struct shell *s, sqlite3_stmt *st, int column, bool escape_newlines)
{
	switch (sqlite3_column_type(st, column)) {
	case SQLITE_NULL: put(s, "NULL"); break;
	case SQLITE_INTEGER: put(s, text_of(s, st, column)); break;
	case SQLITE_FLOAT: put_real(s, sqlite3_column_double(st, column)); break;
	case SQLITE_BLOB: put_blob(s, st, column); break;
	default: put_sql_text(s, text_of(s, st, column), escape_newlines); break;
	}
}

void put_c_string(struct shell *s, const char *text)
{
	put(s, "\"");
	for (; *text != '\0'; text++) {
		unsigned char ch = (unsigned char)*text;

		if (ch == '\\' || ch == '"')
			say(s, "\\%c", ch);
		else if (ch == '\t')
			put(s, "\\t");
		else if (ch == '\n')
			put(s, "\\n");
		else if (ch == '\r')
			put(s, "\\r");
		else if (byte_is_print(ch))
			put_bytes(s, (struct bytes){ text, 1 });
		else
			say(s, "\\%03o", ch);
	}
	put(s, "\"");
}

static void put_json_string(struct shell *s, const char *text, int n)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letter[] = "\"\\bfnrt";

	put(s, "\"");
	for (int i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)text[i];
		const char *known = ch != 0 ? strchr(plain, ch) : NULL;

		if (known != NULL)
			say(s, "\\%c", letter[known - plain]);
		else if (ch < ' ')
			say(s, "\\u%04x", ch);
		else
			put_bytes(s, (struct bytes){ text + i, 1 });
	}
	put(s, "\"");
}

static void put_csv_value(struct shell *s, const char *text)
{
	bool quoted = text[0] == '\0' || strstr(text, s->look.column_sep) != NULL;

	for (const char *p = text; !quoted && *p != '\0'; p++) {
		unsigned char ch = (unsigned char)*p;

		quoted = ch <= ' ' || ch == '"' || ch == '\'' || ch >= 0x7f;
	}
	if (!quoted) {
		put(s, text);
		return;
	}
	put(s, "\"");
	for (const char *quote; (quote = strchr(text, '"')) != NULL; text = quote + 1) {
		put_bytes(s, (struct bytes){ text, (size_t)(quote - text) + 1 });
		put(s, "\"");
	}
	put(s, text);
	put(s, "\"");
}

static void put_html_text(struct shell *s, const char *text)
{
	for (;;) {
		size_t n = strcspn(text, "<>&\"'");

		put_bytes(s, (struct bytes){ text, n });
		text += n;
		switch (*text++) {
		case '<': put(s, "&lt;"); break;
		case '>': put(s, "&gt;"); break;
		case '&': put(s, "&amp;"); break;
		case '"': put(s, "&quot;"); break;
		case '\'': put(s, "&#39;"); break;
		default: return;
		}
	}
}

void put_padded(struct shell *s, const char *text, int width)
{
	int want = width < 0 ? -width : width;
	int chars = 0;
	size_t bytes = 0;

	while (text[bytes] != '\0') {
		if (((unsigned char)text[bytes] & 0xc0) != 0x80 && chars++ == want) {
			chars--;
			break;
		}
		bytes++;
	}
	if (width < 0)
		put_fill(s, ' ', want - chars);
	put_bytes(s, (struct bytes){ text, bytes });
	if (width > 0)
		put_fill(s, ' ', want - chars);
}

/* --- rows --- */

static void row_list(struct shell *s, sqlite3_stmt *st, int n)
{
	if (s->rows == 0 && s->look.header)
		for (int i = 0; i < n; i++) {
			put(s, sqlite3_column_name(st, i));
			put(s, i == n - 1 ? s->look.row_sep : s->look.column_sep);
		}
	for (int i = 0; i < n; i++) {
		put(s, text_of(s, st, i));
		put(s, i == n - 1 ? s->look.row_sep : s->look.column_sep);
	}
}

static void row_csv(struct shell *s, sqlite3_stmt *st, int n)
{
	if (s->rows == 0 && s->look.header) {
		for (int i = 0; i < n; i++) {
			put_csv_value(s, sqlite3_column_name(st, i));
			if (i < n - 1)
				put(s, s->look.column_sep);
		}
		put(s, s->look.row_sep);
	}
	for (int i = 0; i < n; i++) {
		if (sqlite3_column_type(st, i) == SQLITE_NULL)
			put(s, s->null_value);
		else
			put_csv_value(s, text_of(s, st, i));
		if (i < n - 1)
			put(s, s->look.column_sep);
	}
	put(s, s->look.row_sep);
}

static void row_line(struct shell *s, sqlite3_stmt *st, int n)
{
	int width = 5;

	for (int i = 0; i < n; i++) {
		int len = (int)strlen(sqlite3_column_name(st, i));

		if (len > width)
			width = len;
	}
	if (s->rows > 0)
		put(s, s->look.row_sep);
	for (int i = 0; i < n; i++)
		say(s, "%*s = %s%s", width, sqlite3_column_name(st, i), text_of(s, st, i),
		    s->look.row_sep);
}

static void html_line(struct shell *s, const char *tag, const char *text, bool first)
{
	say(s, "%s<%s>", first ? "<TR>" : "", tag);
	put_html_text(s, text);
	say(s, "</%s>\n", tag);
}

static void row_html(struct shell *s, sqlite3_stmt *st, int n)
{
	if (s->rows == 0 && s->look.header) {
		for (int i = 0; i < n; i++)
			html_line(s, "TH", sqlite3_column_name(st, i), i == 0);
		put(s, "</TR>\n");
	}
	for (int i = 0; i < n; i++)
		html_line(s, "TD", text_of(s, st, i), i == 0);
	put(s, "</TR>\n");
}

static void row_insert(struct shell *s, sqlite3_stmt *st, int n)
{
	say(s, "INSERT INTO %s", s->insert_table != NULL ? s->insert_table : "\"table\"");
	if (s->look.header) {
		put(s, "(");
		for (int i = 0; i < n; i++)
			say(s, "%s%s", i > 0 ? "," : "", quote_name(s, sqlite3_column_name(st, i)));
		put(s, ")");
	}
	for (int i = 0; i < n; i++) {
		put(s, i > 0 ? "," : " VALUES(");
		put_sql_value(s, st, i, true);
	}
	put(s, ");\n");
}

static void row_quote(struct shell *s, sqlite3_stmt *st, int n)
{
	if (s->rows == 0 && s->look.header) {
		for (int i = 0; i < n; i++) {
			if (i > 0)
				put(s, s->look.column_sep);
			put_sql_text(s, sqlite3_column_name(st, i), false);
		}
		put(s, s->look.row_sep);
	}
	for (int i = 0; i < n; i++) {
		if (i > 0)
			put(s, s->look.column_sep);
		if (sqlite3_column_type(st, i) == SQLITE_FLOAT)
			put_digits(s, sqlite3_column_double(st, i));
		else
			put_sql_value(s, st, i, false);
	}
	put(s, s->look.row_sep);
}

static void row_tcl(struct shell *s, sqlite3_stmt *st, int n)
{
	if (s->rows == 0 && s->look.header) {
		for (int i = 0; i < n; i++) {
			put_c_string(s, sqlite3_column_name(st, i));
			if (i < n - 1)
				put(s, s->look.column_sep);
		}
		put(s, s->look.row_sep);
	}
	for (int i = 0; i < n; i++) {
		put_c_string(s, text_of(s, st, i));
		if (i < n - 1)
			put(s, s->look.column_sep);
	}
	put(s, s->look.row_sep);
}

static void row_ascii(struct shell *s, sqlite3_stmt *st, int n)
{
	if (s->rows == 0 && s->look.header) {
		for (int i = 0; i < n; i++) {
			if (i > 0)
				put(s, s->look.column_sep);
			put(s, sqlite3_column_name(st, i));
		}
		put(s, s->look.row_sep);
	}
	for (int i = 0; i < n; i++) {
		if (i > 0)
			put(s, s->look.column_sep);
		put(s, text_of(s, st, i));
	}
	put(s, s->look.row_sep);
}

static void json_value(struct shell *s, sqlite3_stmt *st, int column)
{
	switch (sqlite3_column_type(st, column)) {
	case SQLITE_NULL: put(s, "null"); break;
	case SQLITE_INTEGER: put(s, text_of(s, st, column)); break;
	case SQLITE_FLOAT: put_real(s, sqlite3_column_double(st, column)); break;
	case SQLITE_BLOB:
		put_json_string(s, sqlite3_column_blob(st, column),
				sqlite3_column_bytes(st, column));
		break;
	default:
		put_json_string(s, text_of(s, st, column), (int)strlen(text_of(s, st, column)));
		break;
	}
}

static void row_json(struct shell *s, sqlite3_stmt *st, int n)
{
	put(s, s->rows == 0 ? "[{" : ",\n{");
	for (int i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(st, i);

		if (i > 0)
			put(s, ",");
		put_json_string(s, name, (int)strlen(name));
		put(s, ":");
		json_value(s, st, i);
	}
	put(s, "}");
}

static void row_explain(struct shell *s, sqlite3_stmt *st, int n)
{
	static const int widths[] = { 4, 13, 4, 4, 4, 13, 2, 13 };
	enum { COLUMNS = sizeof widths / sizeof widths[0] };

	if (n > COLUMNS)
		n = COLUMNS;
	for (int i = 0; s->rows == 0 && i < n; i++) {
		put_padded(s, sqlite3_column_name(st, i), widths[i]);
		put(s, i == n - 1 ? "\n" : "  ");
	}
	for (int i = 0; s->rows == 0 && i < n; i++) {
		put_fill(s, '-', widths[i]);
		put(s, i == n - 1 ? "\n" : "  ");
	}
	for (int i = 0; i < n; i++) {
		const char *text = text_of(s, st, i);
		int width = i == n - 1 ? 0 : widths[i];
		int chars = count_chars(text);

		if (i == 1 && s->rows < (uint64_t)s->nindent)
			put_fill(s, ' ', s->indent[s->rows]);
		put_padded(s, text, chars > width ? chars : width);
		put(s, i == n - 1 ? "\n" : "  ");
	}
}

void show_row(struct shell *s, sqlite3_stmt *st)
{
	struct arena_mark mark = arena_mark(&s->scratch);
	int n = sqlite3_column_count(st);

	switch (s->look.mode) {
	case MODE_LINE: row_line(s, st, n); break;
	case MODE_CSV: row_csv(s, st, n); break;
	case MODE_ASCII: row_ascii(s, st, n); break;
	case MODE_HTML: row_html(s, st, n); break;
	case MODE_INSERT: row_insert(s, st, n); break;
	case MODE_QUOTE: row_quote(s, st, n); break;
	case MODE_TCL: row_tcl(s, st, n); break;
	case MODE_JSON: row_json(s, st, n); break;
	case MODE_EXPLAIN: row_explain(s, st, n); break;
	default: row_list(s, st, n); break;
	}
	s->rows++;
	arena_release(&s->scratch, mark);
}

void show_end(struct shell *s)
{
	if (s->look.mode == MODE_JSON && s->rows > 0)
		put(s, "]\n");
}
