/* SPDX-License-Identifier: MIT
 *
 * What curl says of a transfer: -w, -v, the progress meter, warnings. Times are 0 and rates
 * unknown: no time passes in a transfer of the virtual clock.
 */
#include "builtins/http/curl.h"

enum { WARN_WIDTH = 79 };

/* --- -w --- */

static void put_u64(struct buf *b, uint64_t v)
{
	buf_put_u64(b, v);
}

static void put_scheme(struct buf *b, const struct curl_transfer *t)
{
	for (size_t i = 0; i < t->url.scheme.len; i++)
		buf_putc(b, (char)byte_to_upper(t->url.scheme.ptr[i]));
}

static void put_version(struct buf *b, const struct curl_transfer *t)
{
	if (t->has_answer)
		buf_add(b, t->http.version);
	else
		buf_putc(b, '0');
}

static void put_effective(struct buf *b, const struct curl_transfer *t)
{
	url_put(b, &t->url);
	buf_add(b, t->url.fragment);
}

/* The address is known only of what is named by it. */
static void put_address(struct buf *b, const struct curl_transfer *t)
{
	if (t->has_answer && bytes_is(t->url.host, "localhost"))
		buf_puts(b, "127.0.0.1");
	else if (t->has_answer && t->url.host.len != 0 &&
		 byte_is_digit(t->url.host.ptr[t->url.host.len - 1]))
		buf_add(b, t->url.host);
}

static bool is_time(struct bytes name)
{
	return bytes_starts(name, BYTES("time_"));
}

static int status_of(const struct curl_transfer *t)
{
	return t->has_answer ? t->http.status : 0;
}

/* False: there is no such variable. */
static bool put_variable(struct buf *b, struct curl_transfer *t, struct bytes name)
{
	static const char *const zero[] = {
		"http_connect",      "num_certs",  "proxy_ssl_verify_result",
		"ssl_verify_result", "local_port", "speed_download",
		"speed_upload"
	};
	static const char *const empty[] = { "ftp_entry_path", "certs", "local_ip" };
	const char *text = NULL;

	if (bytes_is(name, "http_code") || bytes_is(name, "response_code"))
		buf_printf(b, "%03d", status_of(t));
	else if (bytes_is(name, "size_download"))
		put_u64(b, t->size_download);
	else if (bytes_is(name, "size_upload"))
		put_u64(b, t->size_upload);
	else if (bytes_is(name, "size_header"))
		put_u64(b, t->size_header);
	else if (bytes_is(name, "size_request"))
		put_u64(b, t->size_request);
	else if (bytes_is(name, "num_headers"))
		put_u64(b, t->num_headers);
	else if (bytes_is(name, "num_redirects"))
		put_u64(b, t->num_redirects);
	else if (bytes_is(name, "num_connects"))
		put_u64(b, t->num_connects);
	else if (bytes_is(name, "urlnum"))
		put_u64(b, t->number);
	else if (bytes_is(name, "exitcode"))
		buf_printf(b, "%d", t->error);
	else if (bytes_is(name, "remote_port"))
		put_u64(b, t->has_answer ? t->url.port : 0);
	else if (bytes_is(name, "remote_ip"))
		put_address(b, t);
	else if (bytes_is(name, "scheme"))
		put_scheme(b, t);
	else if (bytes_is(name, "http_version"))
		put_version(b, t);
	else if (bytes_is(name, "url_effective"))
		put_effective(b, t);
	else if (bytes_is(name, "url"))
		text = t->text;
	else if (bytes_is(name, "method"))
		text = t->method;
	else if (bytes_is(name, "content_type"))
		text = t->content_type != NULL ? t->content_type : "";
	else if (bytes_is(name, "redirect_url"))
		text = t->redirect_url != NULL ? t->redirect_url : "";
	else if (bytes_is(name, "filename_effective"))
		text = t->output != NULL ? t->output : "";
	else if (bytes_is(name, "referer"))
		text = t->set->referer != NULL ? t->set->referer : "";
	else if (bytes_is(name, "errormsg"))
		buf_add(b, buf_bytes(&t->message));
	else if (is_time(name))
		text = "0.000000";
	else
		goto other;
	if (text != NULL)
		buf_puts(b, text);
	return true;
other:
	for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
		if (bytes_is(name, zero[i])) {
			buf_putc(b, '0');
			return true;
		}
	}
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
		if (bytes_is(name, empty[i]))
			return true;
	return false;
}

static void put_json_text(struct buf *b, struct bytes s)
{
	buf_putc(b, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];

		if (ch == '"' || ch == '\\')
			buf_printf(b, "\\%c", ch);
		else if (ch == '\n')
			buf_puts(b, "\\n");
		else if (ch < ' ')
			buf_printf(b, "\\u%04x", ch);
		else
			buf_putc(b, (char)ch);
	}
	buf_putc(b, '"');
}

/* Header fields by their names in small letters, each with all its values. */
static void put_header_json(struct buf *b, struct curl_transfer *t)
{
	struct bytes all = t->has_answer ? buf_bytes(&t->http.head) : (struct bytes){ "", 0 };
	struct bytes rest = all;
	struct bytes name, value;
	bool first = true;

	buf_putc(b, '{');
	while (http_next(&rest, &name, &value)) {
		struct bytes again = all;
		struct bytes other;
		const char *key = arena_dup(t->curl->c->arena, name);
		bool more = false;

		cmd_charge(t->curl->c, 1 + all.len / 64);
		while (http_next(&again, &other, &value) && !http_name_is(other, key))
			;
		if (other.ptr != name.ptr)
			continue; /* it was told with the first one */
		buf_puts(b, first ? "" : ",\n");
		first = false;
		put_json_text(b, name);
		buf_puts(b, ":[");
		for (again = all; http_next(&again, &other, &value);) {
			if (!http_name_is(other, key))
				continue;
			buf_puts(b, more ? "," : "");
			more = true;
			put_json_text(b, value);
		}
		buf_putc(b, ']');
	}
	buf_puts(b, "\n}");
}

/* All variables; numbers as numbers. */
static void put_json(struct buf *b, struct curl_transfer *t)
{
	static const struct {
		const char *name;
		enum { WORD, NUMBER, NULLABLE } type;
	} all[] = {
		{ "certs", WORD },
		{ "content_type", NULLABLE },
		{ "errormsg", NULLABLE },
		{ "exitcode", NUMBER },
		{ "filename_effective", NULLABLE },
		{ "ftp_entry_path", NULLABLE },
		{ "http_code", NUMBER },
		{ "http_connect", NUMBER },
		{ "http_version", WORD },
		{ "local_ip", WORD },
		{ "local_port", NUMBER },
		{ "method", WORD },
		{ "num_certs", NUMBER },
		{ "num_connects", NUMBER },
		{ "num_headers", NUMBER },
		{ "num_redirects", NUMBER },
		{ "proxy_ssl_verify_result", NUMBER },
		{ "redirect_url", NULLABLE },
		{ "referer", NULLABLE },
		{ "remote_ip", WORD },
		{ "remote_port", NUMBER },
		{ "response_code", NUMBER },
		{ "scheme", WORD },
		{ "size_download", NUMBER },
		{ "size_header", NUMBER },
		{ "size_request", NUMBER },
		{ "size_upload", NUMBER },
		{ "speed_download", NUMBER },
		{ "speed_upload", NUMBER },
		{ "ssl_verify_result", NUMBER },
		{ "time_appconnect", NUMBER },
		{ "time_connect", NUMBER },
		{ "time_namelookup", NUMBER },
		{ "time_pretransfer", NUMBER },
		{ "time_redirect", NUMBER },
		{ "time_starttransfer", NUMBER },
		{ "time_total", NUMBER },
		{ "url", WORD },
		{ "url_effective", WORD },
		{ "urlnum", NUMBER },
	};

	buf_putc(b, '{');
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct buf value = buf_in(t->curl->c->arena);

		if (bytes_is(bytes_of(all[i].name), "http_code") ||
		    bytes_is(bytes_of(all[i].name), "response_code"))
			buf_put_i64(&value, status_of(t));
		else
			(void)put_variable(&value, t, bytes_of(all[i].name));
		buf_printf(b, "\"%s\":", all[i].name);
		if (all[i].type == NULLABLE && value.len == 0)
			buf_puts(b, "null");
		else if (all[i].type == NUMBER)
			buf_add(b, buf_bytes(&value));
		else
			put_json_text(b, buf_bytes(&value));
		buf_putc(b, ',');
	}
	buf_puts(b, "\"curl_version\":\"libcurl/7.88.1\"}");
}

struct writer {
	struct curl_transfer *t;
	struct buf text;
	bool to_error;
};

static void flush_text(struct writer *w)
{
	if (w->to_error) {
		cmd_flush(w->t->curl->c);
		cmd_err_write(w->t->curl->c, w->text.ptr, w->text.len);
	} else {
		cmd_bytes(w->t->curl->c, buf_bytes(&w->text));
	}
	w->text.len = 0;
}

/* What stands behind a '%': its length. */
static size_t put_percent(struct writer *w, const char *at)
{
	struct curl_transfer *t = w->t;
	size_t len = strcspn(at, "}");
	struct bytes name;

	if (at[0] == '%') {
		buf_putc(&w->text, '%');
		return 1;
	}
	if (bytes_starts(bytes_of(at), BYTES("header{")) && at[len] == '}') {
		struct bytes value;

		if (t->has_answer &&
		    http_field(&t->http,
			       arena_dup(t->curl->c->arena, (struct bytes){ at + 7, len - 7 }),
			       &value))
			buf_add(&w->text, value);
		return len + 1;
	}
	if (at[0] != '{' || at[len] != '}') {
		buf_putc(&w->text, '%');
		return 0;
	}
	name = (struct bytes){ at + 1, len - 1 };
	if (bytes_is(name, "stdout") || bytes_is(name, "stderr")) {
		flush_text(w);
		w->to_error = bytes_is(name, "stderr");
	} else if (bytes_is(name, "json")) {
		put_json(&w->text, t);
	} else if (bytes_is(name, "header_json")) {
		put_header_json(&w->text, t);
	} else if (!put_variable(&w->text, t, name) && !bytes_is(name, "onerror")) {
		cmd_warn(t->curl->c, 0, "unknown --write-out variable: '%.*s'", (int)name.len,
			 name.ptr);
	}
	return len + 1;
}

void curl_write_out(struct curl_transfer *t)
{
	struct writer w = { t, buf_in(t->curl->c->arena), false };

	for (const char *at = t->set->write_out; *at != '\0';) {
		if (*at == '%') {
			if (bytes_starts(bytes_of(at), BYTES("%{onerror}")) && t->error == 0)
				break;
			at++;
			at += put_percent(&w, at);
		} else if (*at == '\\' && at[1] != '\0') {
			static const char from[] = "rnt";
			static const char to[] = "\r\n\t";
			const char *known = strchr(from, at[1]);

			if (known == NULL)
				buf_put(&w.text, at, 2);
			else
				buf_putc(&w.text, to[known - from]);
			at += 2;
		} else {
			buf_putc(&w.text, *at++);
		}
	}
	flush_text(&w);
}

/* --- --trace --- */

static struct output *trace_output(struct curl *k)
{
	struct curl_set *s = k->first;
	struct cmd *c = k->c;

	if (s->trace_out != NULL)
		return s->trace_out;
	if (strcmp(s->trace, "-") == 0)
		return s->trace_out = &c->out;
	struct arena *scratch = c->arena;
	int err = 0;

	/* It is open longer than one transfer. */
	c->arena = k->lasting;
	s->trace_out = arena_alloc(c->arena, sizeof *s->trace_out);

	if (strcmp(s->trace, "%") == 0)
		output_init(s->trace_out, c, 2, true);
	else
		err = output_open(s->trace_out, c, s->trace, O_CREAT_ | O_TRUNC_, true);
	if (err < 0) {
		curl_warn(k, "Failed to create/open output");
		output_init(s->trace_out, c, 2, true);
	}
	c->arena = scratch;
	return s->trace_out;
}

/* The bytes of a line of a dump, others than printable ones as dots. */
static void put_shown(struct output *o, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		output_putc(o, byte_is_print((unsigned char)s.ptr[i]) ? s.ptr[i] : '.');
}

/* How much of s a line of a text dump shows; *end: it ends a line, whose end is not shown. */
static size_t text_line(struct bytes s, bool *end)
{
	size_t n = 0;

	while (n < s.len && n < 64) {
		if (n + 1 < s.len && s.ptr[n] == '\r' && s.ptr[n + 1] == '\n')
			break;
		n++;
	}
	*end = n + 1 < s.len && s.ptr[n] == '\r' && s.ptr[n + 1] == '\n';
	return n;
}

static void put_dump(struct curl *k, const char *what, struct bytes s)
{
	struct output *o = trace_output(k);
	struct buf line = buf_in(k->c->arena);
	bool ascii = k->first->trace_ascii;

	buf_printf(&line, "%s, %zu bytes (0x%zx)\n", what, s.len, s.len);
	output_write(o, line.ptr, line.len);
	for (size_t at = 0; at < s.len;) {
		struct bytes rest = bytes_slice(s, at, s.len);
		bool end = false;
		size_t n = ascii ? text_line(rest, &end) : rest.len < 16 ? rest.len : 16;

		line.len = 0;
		buf_printf(&line, "%04zx: ", at);
		for (size_t i = 0; !ascii && i < 16; i++)
			if (i < n)
				buf_printf(&line, "%02x ", (unsigned)(unsigned char)rest.ptr[i]);
			else
				buf_puts(&line, "   ");
		output_write(o, line.ptr, line.len);
		put_shown(o, bytes_slice(rest, 0, n));
		output_putc(o, '\n');
		at += n + (end ? 2 : 0);
		cmd_charge(k->c, 1);
	}
}

/* Lines of a header: what is sent stands in one piece, what comes line by line. */
static void trace_lines(struct curl *k, bool sent, struct bytes lines)
{
	while (lines.len != 0) {
		const char *end = sent ? NULL : memchr(lines.ptr, '\n', lines.len);
		size_t n = end != NULL ? (size_t)(end - lines.ptr) + 1 : lines.len;

		put_dump(k, sent ? "=> Send header" : "<= Recv header", bytes_slice(lines, 0, n));
		lines = bytes_slice(lines, n, lines.len);
	}
}

void curl_trace_data(struct curl_transfer *t, bool sent, struct bytes data)
{
	if (t->curl->first->trace != NULL)
		put_dump(t->curl, sent ? "=> Send data" : "<= Recv data", data);
	else
		curl_verbose(t, "%c [%zu bytes data]\n", sent ? '}' : '{', data.len);
}

/* --- -v --- */

void curl_verbose(struct curl_transfer *t, const char *format, ...)
{
	struct buf b = buf_in(t->curl->c->arena);
	const struct curl_set *first = t->curl->first;
	va_list args;

	if (!first->verbose && first->trace == NULL)
		return;
	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	if (first->trace == NULL) {
		cmd_err_write(t->curl->c, b.ptr, b.len);
		return;
	}
	struct output *o = trace_output(t->curl);
	struct bytes text = buf_bytes(&b);

	text = bytes_starts(text, BYTES("* ")) ? bytes_slice(text, 2, text.len) : text;
	output_write(o, "== Info: ", 9);
	output_write(o, text.ptr, text.len);
}

void curl_verbose_lines(struct curl_transfer *t, const char *mark, struct bytes lines)
{
	struct buf b = buf_in(t->curl->c->arena);

	if (t->curl->first->trace != NULL) {
		trace_lines(t->curl, mark[0] == '>', lines);
		return;
	}
	if (!t->curl->first->verbose)
		return;
	while (lines.len != 0) {
		const char *end = memchr(lines.ptr, '\n', lines.len);
		size_t n = end != NULL ? (size_t)(end - lines.ptr) + 1 : lines.len;

		buf_puts(&b, mark);
		buf_put(&b, lines.ptr, n);
		lines = bytes_slice(lines, n, lines.len);
	}
	cmd_err_write(t->curl->c, b.ptr, b.len);
}

/* --- the meter --- */

static bool has_meter(const struct curl_transfer *t)
{
	struct curl *k = t->curl;

	return !k->first->silent && (t->output != NULL || t->remote_name || !cmd_isatty(k->c, 1));
}

/* In five places: 99999, 9999k, 99.9M, 9999M, ... */
static void put_amount(struct buf *b, uint64_t n)
{
	static const char units[] = "kMGTP";
	size_t unit = 0;

	if (n < 100000) {
		buf_printf(b, "%5llu", (unsigned long long)n);
		return;
	}
	for (; n >= UINT64_C(10000) << 10 && unit < 4; unit++) {
		if (unit == 0 && n < UINT64_C(100) << 20)
			break;
		n >>= 10;
	}
	if (unit == 0 && n >= UINT64_C(10000) << 10)
		buf_printf(b, "%2llu.%0lluM", (unsigned long long)(n >> 20),
			   (unsigned long long)((n & 0xfffff) / 104858));
	else
		buf_printf(b, "%4llu%c", (unsigned long long)(n >> 10), units[unit]);
}

static void put_line(struct curl_transfer *t, uint64_t total, uint64_t down, uint64_t down_total,
		     uint64_t up)
{
	struct buf b = buf_in(t->curl->c->arena);

	buf_printf(&b, "\r%3d ", total != 0 ? 100 : 0);
	put_amount(&b, total != 0 ? total : down + up);
	buf_printf(&b, "  %3d ", down_total != 0 ? 100 : 0);
	put_amount(&b, down);
	buf_printf(&b, "  %3d ", up != 0 ? 100 : 0);
	put_amount(&b, up);
	buf_puts(&b, "      0      0 --:--:-- --:--:-- --:--:--     0");
	cmd_err_write(t->curl->c, b.ptr, b.len);
}

void curl_meter_begin(struct curl_transfer *t)
{
	static const char head[] =
		"  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n"
		"                                 Dload  Upload   Total   Spent    Left  Speed\n";

	if (!has_meter(t) || t->curl->first->bar)
		return;
	if (!t->curl->told_meter)
		cmd_err_write(t->curl->c, head, sizeof head - 1);
	t->curl->told_meter = true;
	put_line(t, 0, 0, 0, 0);
}

void curl_meter_end(struct curl_transfer *t)
{
	static const char bar[] = "\r########################################"
				  "################################ 100.0%\n";
	uint64_t whole = t->has_answer && t->http.body == HTTP_TO_END ? 0 : t->size_download;

	if (!has_meter(t))
		return;
	if (t->curl->first->bar) {
		if (t->error == 0 && whole != 0)
			cmd_err_write(t->curl->c, bar, sizeof bar - 1);
		return;
	}
	if (t->error == CURL_RESOLVE || t->error == CURL_URL || t->error == CURL_PROTOCOL)
		return;
	put_line(t, whole + t->size_upload, t->size_download, whole, t->size_upload);
	cmd_err_write(t->curl->c, "\n", 1);
}

/* --- warnings --- */

void curl_warn(struct curl *k, const char *format, ...)
{
	static const char prefix[] = "Warning: ";
	enum { WIDTH = WARN_WIDTH - (sizeof prefix - 1) };
	struct buf b = buf_in(k->c->arena);
	struct buf out = buf_in(k->c->arena);
	va_list args;
	char *at;

	if (k->first->silent)
		return;
	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	for (at = buf_cstr(&b); strlen(at) > WIDTH;) {
		size_t cut = WIDTH - 1;

		while (cut > 0 && !byte_is_blank(at[cut]))
			cut--;
		if (cut == 0)
			cut = WIDTH - 1;
		buf_printf(&out, "%s%.*s\n", prefix, (int)cut + 1, at);
		at += cut + 1;
	}
	buf_printf(&out, "%s%s\n", prefix, at);
	cmd_err_write(k->c, out.ptr, out.len);
}
