/* SPDX-License-Identifier: MIT
 *
 * One URL of curl: request, redirects, the answer into its file.
 */
#include "builtins/http/curl.h"

#include "base/time.h"

#include <stdarg.h>

enum { COPY_BYTES = 65536 };

int curl_fail(struct curl_transfer *t, int status, const char *format, ...)
{
	va_list args;

	t->message.len = 0;
	va_start(args, format);
	buf_vprintf(&t->message, format, args);
	va_end(args);
	t->error = status;
	return status;
}

static const char *host_of(struct curl_transfer *t)
{
	return arena_dup(t->curl->c->arena, t->url.host);
}

static int no_connection(struct curl_transfer *t, const char *why)
{
	curl_verbose(t,
		     "* Failed to connect to %s port %u after 0 ms: Couldn't connect to server\n",
		     host_of(t), t->url.port);
	return curl_fail(t, CURL_CONNECT,
			 "Failed to connect to %s port %u after 0 ms: Couldn't connect to server%s",
			 host_of(t), t->url.port, why);
}

/* What went wrong in the exchange of messages. */
static int explain(struct curl_transfer *t, int err)
{
	struct http *h = &t->http;
	unsigned long long got = t->size_download;

	switch (err) {
	case -E_NETUNREACH:
		if (bytes_is(t->url.scheme, "http") && url_is_local(&t->url))
			return no_connection(t, "");
		return curl_fail(t, CURL_RESOLVE,
				 "Could not resolve host: %s (this session has no network)",
				 host_of(t));
	case -E_HOSTUNREACH:
		return curl_fail(t, CURL_RESOLVE, "Could not resolve host: %s", host_of(t));
	case -E_ACCES: return no_connection(t, " (the host does not allow this request)");
	case -E_CONNREFUSED: return no_connection(t, "");
	case -E_TIMEDOUT:
		return curl_fail(
			t, CURL_TIMEOUT,
			"Operation timed out after %llu milliseconds with %llu bytes received",
			(unsigned long long)t->set->max_time_ms, got);
	case -E_PROTO:
		return curl_fail(t, CURL_SECURE, "No secure connection to %s:%u", host_of(t),
				 t->url.port);
	case -E_INVAL:
		return curl_fail(t, CURL_ARGUMENT, "This request can not be sent from a sandbox");
	case HTTP_UNSAYABLE:
		return curl_fail(t, CURL_ARGUMENT,
				 "A header of the request is the host's to say: Host, "
				 "Content-Length, Connection, ...");
	case HTTP_EMPTY: return curl_fail(t, CURL_EMPTY, "Empty reply from server");
	case HTTP_WEIRD: return curl_fail(t, CURL_PROTOCOL, "Received HTTP/0.9 when not allowed");
	case HTTP_LONG_HEAD:
		return curl_fail(t, CURL_RECEIVE, "Too large response headers: > %d",
				 HTTP_HEAD_MAX);
	case HTTP_SHORT:
		if (h->body == HTTP_LENGTH)
			return curl_fail(t, CURL_PARTIAL,
					 "transfer closed with %llu bytes remaining to read",
					 (unsigned long long)h->left);
		return curl_fail(t, CURL_PARTIAL,
				 "transfer closed with outstanding read data remaining");
	case HTTP_BAD_CHUNK:
		return curl_fail(t, CURL_RECEIVE, "Illegal or missing hexadecimal sequence");
	case HTTP_BAD_CODE:
		return curl_fail(t, CURL_ENCODING,
				 "Error while processing content unencoding: invalid data");
	default: break;
	}
	return curl_fail(t, CURL_RECEIVE, "Recv failure: Connection reset by peer");
}

/* --- the request --- */

/* What -H says of a header: NULL nothing, "" that it is not to be sent. */
static const char *own_value(const struct curl_transfer *t, const char *name)
{
	const char *line = http_line(&t->set->lines, name);

	if (line == NULL)
		return NULL;
	line += strlen(name);
	line += *line == ':';
	return line + strspn(line, " \t");
}

static void put_default(struct curl_transfer *t, struct http_lines *l, const char *name,
			const char *value)
{
	if (value != NULL && own_value(t, name) == NULL)
		http_add(l, "%s: %s", name, value);
}

static void put_login(struct curl_transfer *t, struct http_lines *l)
{
	struct buf text = buf_in(t->curl->c->arena);
	struct buf code = buf_in(t->curl->c->arena);

	if (own_value(t, "Authorization") != NULL || (t->foreign && !t->set->trusted))
		return;
	if (t->set->bearer != NULL) {
		http_add(l, "Authorization: Bearer %s", t->set->bearer);
		return;
	}
	const char *stored = t->set->user == NULL ? curl_netrc_login(t) : NULL;

	if (stored != NULL) {
		buf_puts(&text, stored);
	} else if (t->set->user != NULL) {
		buf_printf(&text, "%s%s", t->set->user,
			   strchr(t->set->user, ':') == NULL ? ":" : "");
	} else if (t->url.has_user) {
		buf_add(&text, t->url.user);
		buf_putc(&text, ':');
		buf_add(&text, t->url.password);
	} else {
		return;
	}
	curl_verbose(t, "* Server auth using Basic with user '%.*s'\n",
		     (int)strcspn(buf_cstr(&text), ":"), text.ptr);
	http_base64(&code, buf_bytes(&text));
	http_add(l, "Authorization: Basic %s", buf_cstr(&code));
}

/* Another host is not told what was meant for the first one. */
static bool is_secret(struct bytes name)
{
	return http_name_is(name, "Authorization") || http_name_is(name, "Cookie");
}

static void put_own(struct curl_transfer *t, struct http_lines *l)
{
	for (size_t i = 0; i < t->set->lines.n; i++) {
		const char *line = t->set->lines.v[i];
		size_t n = strcspn(line, ":;");
		bool empty =
			line[n + (line[n] != '\0') + strspn(line + n + (line[n] != '\0'), " \t")] ==
			'\0';

		if (line[n] == '\0' || (line[n] == ':' && empty) || (line[n] == ';' && !empty))
			continue;
		if (t->foreign && !t->set->trusted && is_secret((struct bytes){ line, n }))
			continue;
		if (!t->has_body && http_name_is((struct bytes){ line, n }, "Content-Length"))
			continue;
		if (line[n] == ';')
			http_add(l, "%.*s:", (int)n, line);
		else
			http_add(l, "%s", line);
	}
}

static const char *range_of(struct curl_transfer *t)
{
	struct buf b = buf_in(t->curl->c->arena);

	if (t->has_body && t->set->range != NULL)
		buf_printf(&b, "bytes %s/%zu", t->set->range, t->body.len);
	else if (t->has_body)
		return NULL;
	else if (t->resume_at != 0)
		buf_printf(&b, "bytes=%llu-", (unsigned long long)t->resume_at);
	else if (t->set->range != NULL)
		buf_printf(&b, "bytes=%s", t->set->range);
	else
		return NULL;
	return buf_cstr(&b);
}

/* -z, --etag-compare */
static void put_condition(struct curl_transfer *t, struct http_lines *l)
{
	struct cmd *c = t->curl->c;
	struct buf date = buf_in(c->arena);
	struct bytes tag = BYTES("");

	if (t->set->time_header != NULL) {
		curl_put_date(&date, t->set->time_seconds);
		put_default(t, l, t->set->time_header, buf_cstr(&date));
	}
	if (t->set->etag_compare == NULL)
		return;
	(void)cmd_read_all(c, t->set->etag_compare, &tag);
	tag = bytes_trim(tag);
	put_default(t, l, "If-None-Match", tag.len > 0 ? arena_dup(c->arena, tag) : "\"\"");
}

static void make_lines(struct curl_transfer *t, struct http_lines *l)
{
	struct arena *a = t->curl->c->arena;
	const struct curl_set *s = t->set;
	struct bytes cookies = curl_cookies_for(t);
	const char *agent = s->agent != NULL ? s->agent : "curl/7.88.1";

	put_login(t, l);
	put_default(t, l, t->has_body ? "Content-Range" : "Range", range_of(t));
	put_default(t, l, "User-Agent", agent[0] != '\0' ? agent : NULL);
	if (!s->json)
		put_default(t, l, "Accept", "*/*");
	put_default(t, l, "Accept-Encoding", s->compressed ? "deflate, gzip, zstd" : NULL);
	put_default(t, l, "Referer", s->referer);
	put_condition(t, l);
	put_default(t, l, "Cookie", cookies.len != 0 ? arena_dup(a, cookies) : NULL);
	if (s->json && t->has_body) {
		put_default(t, l, "Content-Type", t->body_type);
		put_default(t, l, "Accept", "application/json");
	}
	put_own(t, l);
	if (!t->has_body)
		return;
	if (own_value(t, "Content-Length") == NULL)
		http_add(l, "Content-Length: %zu", t->body.len);
	if (!s->json)
		put_default(t, l, "Content-Type", t->upload == NULL ? t->body_type : NULL);
}

/* A line of a request that would be two. */
static bool lines_are_clean(const struct http_lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (const char *at = l->v[i]; *at != '\0'; at++)
			if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
				return false;
	return true;
}

static const char *default_method(const struct curl_transfer *t)
{
	if (t->set->head)
		return "HEAD";
	if (t->has_body)
		return t->upload != NULL ? "PUT" : "POST";
	return "GET";
}

static int exchange(struct curl_transfer *t)
{
	struct cmd *c = t->curl->c;
	struct http_lines lines = { .a = c->arena };
	struct http_call call = { .method = t->method,
				  .url = &t->url,
				  .lines = &lines,
				  .has_body = t->has_body,
				  .only_head = t->set->head,
				  .body = t->body,
				  .timeout_ms = t->set->max_time_ms,
				  .http10 = t->set->http10 };
	struct bytes text;
	enum curl_routing routing = curl_route(t, &call.inside_port);
	int err;

	t->has_answer = false;
	if (routing == ROUTE_ELSEWHERE ||
	    (routing == ROUTE_INSIDE && !bytes_is(t->url.scheme, "http")))
		return no_connection(t, " (the host chooses addresses)");
	call.inside_only = routing == ROUTE_INSIDE;
	curl_verbose(t, "*   Trying %s:%u...\n", host_of(t), t->url.port);
	make_lines(t, &lines);
	if (!lines_are_clean(&lines) || t->method[strcspn(t->method, " \t\r\n")] != '\0')
		return explain(t, -E_INVAL);
	text = http_request_text(c->arena, &call);
	err = http_start(&t->http, c, &call);
	if (err == 0)
		err = http_head(&t->http);
	if (err != 0)
		return explain(t, err);
	curl_verbose(t, "* Connected to %s (%s) port %u (#0)\n", host_of(t), host_of(t),
		     t->url.port);
	curl_verbose_lines(t, "> ", text);
	if (t->has_body && t->body.len != 0)
		curl_trace_data(t, true, t->body);
	t->has_answer = true;
	t->num_connects++;
	t->size_request += text.len + (t->has_body ? t->body.len : 0);
	t->size_upload = t->has_body ? t->body.len : 0;
	t->size_header += t->http.head.len;
	curl_verbose_lines(t, "< ", buf_bytes(&t->http.head));
	return 0;
}

/* --- where the answer goes --- */

static void make_directories(struct curl_transfer *t, const char *path)
{
	struct cmd *c = t->curl->c;

	for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/'))
		(void)cmd_mkdir(c, CMD_CWD,
				arena_dup(c->arena, (struct bytes){ path, (size_t)(at - path) }),
				0750);
}

static const char *in_directory(struct curl_transfer *t, const char *name)
{
	struct buf b = buf_in(t->curl->c->arena);

	if (t->set->output_dir == NULL)
		return name;
	buf_printf(&b, "%s/%s", t->set->output_dir, name);
	return buf_cstr(&b);
}

/* The name in Content-Disposition, its last part only. */
static const char *named_by_server(struct curl_transfer *t)
{
	struct bytes value;
	const char *at;
	struct buf b = buf_in(t->curl->c->arena);
	char stop = ';';

	if (!t->set->disposition || !http_field(&t->http, "Content-Disposition", &value))
		return NULL;
	at = bytes_find(value, BYTES("filename="));
	if (at == NULL)
		return NULL;
	value = bytes_slice(value, (size_t)(at - value.ptr) + 9, value.len);
	if (value.len != 0 && (value.ptr[0] == '"' || value.ptr[0] == '\'')) {
		stop = value.ptr[0];
		value = bytes_slice(value, 1, value.len);
	}
	for (size_t i = 0; i < value.len && value.ptr[i] != stop; i++) {
		if (value.ptr[i] == '\\' && i + 1 < value.len)
			i++;
		if (value.ptr[i] == '/' || value.ptr[i] == '\\')
			b.len = 0;
		else if (value.ptr[i] != '\0')
			buf_putc(&b, value.ptr[i]);
	}
	return b.len != 0 && !bytes_is(buf_bytes(&b), ".") && !bytes_is(buf_bytes(&b), "..")
		       ? buf_cstr(&b)
		       : NULL;
}

/* With --no-clobber a name that is free: NAME.1, NAME.2, ... */
static const char *free_name(struct curl_transfer *t, const char *name)
{
	struct cmd *c = t->curl->c;

	for (int i = 1; i < 100; i++) {
		struct buf b = buf_in(c->arena);

		buf_printf(&b, "%s.%d", name, i);
		if (cmd_access(c, CMD_CWD, buf_cstr(&b), 0) != 0)
			return b.ptr;
	}
	return name;
}

static int open_output(struct curl_transfer *t)
{
	struct cmd *c = t->curl->c;
	const char *given = t->remote_name ? named_by_server(t) : NULL;
	unsigned flags = t->resume_at != 0 ? O_APPEND_ | O_CREAT_ : O_TRUNC_ | O_CREAT_;
	int err;

	if (t->opened || t->output == NULL)
		return 0;
	t->opened = true;
	if (given != NULL) {
		t->output = in_directory(t, given);
		flags |= O_EXCL_;
	}
	if (t->set->create_dirs)
		make_directories(t, t->output);
	if (t->set->no_clobber && cmd_access(c, CMD_CWD, t->output, 0) == 0)
		t->output = free_name(t, t->output);
	err = output_open(&t->out, c, t->output, flags, true);
	if (err >= 0)
		return 0;
	t->opened = false;
	curl_warn(t->curl, "Failed to open the file %s: %s", t->output, err_text(err));
	return curl_fail(t, CURL_WRITE, "Failure writing output to destination");
}

static void put_out(void *arg, struct bytes part)
{
	struct curl_transfer *t = arg;

	if (t->error != 0)
		return;
	if (t->output == NULL) {
		cmd_bytes(t->curl->c, part);
		if (t->set->no_buffer)
			cmd_flush(t->curl->c);
	} else if (open_output(t) == 0) {
		output_write(&t->out, part.ptr, part.len);
		if (t->out.err != 0)
			curl_fail(t, CURL_WRITE, "Failure writing output to destination");
	}
}

static void dump_head(struct curl_transfer *t)
{
	struct cmd *c = t->curl->c;
	bool first = t->number == 0 && t->num_connects <= 1;
	struct output file;

	if (t->set->dump == NULL)
		return;
	if (strcmp(t->set->dump, "-") == 0) {
		cmd_bytes(c, buf_bytes(&t->http.head));
	} else if (output_open(&file, c, t->set->dump, O_CREAT_ | (first ? O_TRUNC_ : O_APPEND_),
			       true) < 0) {
		curl_fail(t, CURL_WRITE, "Failed to open %s", t->set->dump);
	} else {
		output_write(&file, t->http.head.ptr, t->http.head.len);
		(void)output_close(&file);
	}
}

/* --- the answer --- */

static void see_head(struct curl_transfer *t)
{
	struct bytes rest = buf_bytes(&t->http.head);
	struct bytes name, value;
	struct url next;

	t->num_headers = 0;
	while (http_next(&rest, &name, &value))
		t->num_headers++;
	t->content_type = NULL;
	t->redirect_url = NULL;
	if (http_field(&t->http, "Content-Type", &value))
		t->content_type = arena_dup(t->curl->c->arena, value);
	if (t->http.status / 100 == 3 && http_field(&t->http, "Location", &value) &&
	    url_join(t->curl->c->arena, &t->url, value, 0, &next) == URL_OK) {
		struct buf b = buf_in(t->curl->c->arena);

		url_put(&b, &next);
		t->redirect_url = buf_cstr(&b);
	}
	if (t->set->cookies)
		curl_cookies_see(t);
	dump_head(t);
	if (t->set->include || t->set->head)
		put_out(t, buf_bytes(&t->http.head));
}

static int read_body(struct curl_transfer *t)
{
	struct bytes coding = { "", 0 };
	struct bytes piece;
	int err;

	if (t->set->compressed)
		(void)http_field(&t->http, "Content-Encoding", &coding);
	if (!http_decoder_init(&t->decoder, t->curl->c, coding))
		return curl_fail(t, CURL_ENCODING,
				 "Unrecognized content encoding type. libcurl "
				 "understands deflate, gzip, zstd content encodings.");
	while ((err = http_read(&t->http, &piece)) == 0 && piece.len != 0 && t->error == 0) {
		if (t->size_download == 0 || t->curl->first->trace != NULL)
			curl_trace_data(t, false, piece);
		t->size_download += piece.len;
		err = http_decode(&t->decoder, piece, put_out, t);
		if (err != 0)
			break;
	}
	curl_wait_rate(t, t->size_download);
	if (err == 0)
		err = http_decode(&t->decoder, (struct bytes){ "", 0 }, put_out, t);
	http_decoder_clear(&t->decoder);
	if (err != 0 && err == HTTP_SHORT)
		curl_verbose(t, "* transfer closed\n");
	if (err != 0 && t->error == 0)
		return explain(t, err);
	return t->error;
}

/* What was asked for only if it is newer (or older) is not shown if it is not. */
static bool misses_time(const struct curl_transfer *t)
{
	struct bytes value;
	int64_t seconds;

	if (t->set->time_header == NULL || t->http.status / 100 != 2 ||
	    !http_field(&t->http, "Last-Modified", &value) || !http_date(value, &seconds))
		return false;
	if (strcmp(t->set->time_header, "If-Modified-Since") == 0)
		return seconds <= t->set->time_seconds;
	return strcmp(t->set->time_header, "If-Unmodified-Since") == 0 &&
	       seconds > t->set->time_seconds;
}

static void save_etag(struct curl_transfer *t)
{
	struct output file;
	struct bytes tag;

	if (t->set->etag_save == NULL ||
	    output_open(&file, t->curl->c, t->set->etag_save, O_CREAT_ | O_TRUNC_, true) < 0)
		return;
	if (http_field(&t->http, "ETag", &tag)) {
		output_write(&file, tag.ptr, tag.len);
		output_putc(&file, '\n');
	}
	(void)output_close(&file);
}

static int check_status(struct curl_transfer *t)
{
	int status = t->http.status;
	struct bytes length;

	if (t->resume_at != 0 && status == 416) {
		t->http.body = HTTP_NONE;
		return 0;
	}
	if (t->set->fail && status >= 400)
		return curl_fail(t, CURL_HTTP, "The requested URL returned error: %d", status);
	if (t->resume_at != 0 && status == 200)
		return curl_fail(t, CURL_RANGE,
				 "HTTP server doesn't seem to support byte ranges. "
				 "Cannot resume.");
	if (t->set->max_size != 0 && http_field(&t->http, "Content-Length", &length) &&
	    t->http.body == HTTP_LENGTH && t->http.left > t->set->max_size)
		return curl_fail(t, CURL_TOO_LARGE, "Maximum file size exceeded");
	return 0;
}

/* --- redirects --- */

static int bad_target(struct curl_transfer *t, enum url_error err)
{
	static const char *const why[] = { [URL_BAD] = "Malformed input to a URL function",
					   [URL_BAD_HOST] = "Bad hostname",
					   [URL_BAD_PORT] = "Port number was not a decimal number "
							    "between 0 and 65535",
					   [URL_UNKNOWN] = "Unsupported URL scheme" };

	return curl_fail(t, err == URL_UNKNOWN ? CURL_PROTOCOL : CURL_URL,
			 "The redirect target URL could not be parsed: %s", why[err]);
}

/* What a redirect makes of the method. */
static void redirect_method(struct curl_transfer *t)
{
	int status = t->http.status;
	const struct curl_set *s = t->set;
	bool posts = t->has_body && t->upload == NULL;
	bool keeps = (status == 301 && (s->keep301 || !posts)) ||
		     (status == 302 && (s->keep302 || !posts)) || (status == 303 && s->keep303) ||
		     status == 307 || status == 308;

	if (keeps || !t->has_body)
		return;
	t->has_body = false;
	t->upload = NULL;
	if (s->method == NULL)
		t->method = s->head ? "HEAD" : "GET";
}

/* Whether there is another request to make. */
static bool is_redirect(struct curl_transfer *t, struct bytes *location)
{
	return t->set->follow && t->http.status / 100 == 3 && t->http.status != 304 &&
	       t->http.status != 300 && http_field(&t->http, "Location", location);
}

static int follow(struct curl_transfer *t, struct bytes location)
{
	struct arena *a = t->curl->c->arena;
	struct buf text = buf_in(a);
	struct url next;
	enum url_error err;

	if (t->set->max_redirects >= 0 && t->num_redirects >= (uint64_t)t->set->max_redirects)
		return curl_fail(t, CURL_REDIRECTS, "Maximum (%d) redirects followed",
				 (int)t->set->max_redirects);
	err = url_join(a, &t->url, arena_bytes(a, location),
		       t->set->as_is ? (unsigned)URL_AS_IS : 0, &next);
	if (err != URL_OK)
		return bad_target(t, err);
	if (!curl_protocol_allowed(t->set->redirect_protocols & t->set->protocols, next.scheme))
		return curl_fail(t, CURL_PROTOCOL,
				 "Protocol \"%.*s\" not supported or disabled in "
				 "libcurl",
				 (int)next.scheme.len, next.scheme.ptr);
	if (!bytes_eq(next.host, t->url.host) || next.port != t->url.port ||
	    !bytes_eq(next.scheme, t->url.scheme))
		t->foreign = true;
	redirect_method(t);
	t->num_redirects++;
	t->url = next;
	url_put(&text, &next);
	curl_verbose(t, "* Issue another request to this URL: '%s'\n", buf_cstr(&text));
	return 0;
}

static int run_http(struct curl_transfer *t)
{
	struct bytes location;

	t->method = t->set->method != NULL ? t->set->method : default_method(t);
	for (;;) {
		int status = exchange(t);

		if (status != 0)
			return status;
		see_head(t);
		if (t->error != 0 || !is_redirect(t, &location))
			break;
		curl_verbose(t, "* Ignoring the response-body\n");
		http_end(&t->http);
		status = follow(t, location);
		if (status != 0)
			return status;
	}
	if (t->error != 0 || check_status(t) != 0)
		return t->error;
	save_etag(t);
	if (misses_time(t)) {
		curl_verbose(t,
			     "* The requested document is not %s enough\n"
			     "* Simulate an HTTP 304 response\n",
			     t->set->time_header[3] == 'M' ? "new" : "old");
		t->http.status = 304;
		t->http.body = HTTP_NONE;
		return 0;
	}
	if (read_body(t) != 0)
		return t->error;
	if (t->set->fail_body && t->http.status >= 400)
		curl_fail(t, CURL_HTTP, "The requested URL returned error: %d", t->http.status);
	return t->error;
}

/* --- file:// --- */

static int no_file(struct curl_transfer *t, const char *path)
{
	return curl_fail(t, CURL_FILE, "Couldn't open file %s", path);
}

static int put_file(struct curl_transfer *t, const char *path)
{
	struct output out;

	if (output_open(&out, t->curl->c, path, O_CREAT_ | O_TRUNC_, true) < 0)
		return curl_fail(t, CURL_WRITE, "Can't open %s for writing", path);
	output_write(&out, t->body.ptr, t->body.len);
	t->size_upload = t->body.len;
	if (output_close(&out) != 0)
		return curl_fail(t, CURL_WRITE, "Failed writing body");
	return 0;
}

/* "3-5", "3-", "-3" of a file. */
static bool cut_range(const char *range, uint64_t size, uint64_t *from, uint64_t *to)
{
	const char *dash = range != NULL ? strchr(range, '-') : NULL;
	char text[24] = "";
	uint64_t last;

	*from = 0;
	*to = size;
	if (dash == NULL)
		return range == NULL;
	if (dash == range) {
		if (!num_plain(dash + 1, &last))
			return false;
		*from = last < size ? size - last : 0;
		return true;
	}
	if ((size_t)(dash - range) >= sizeof text)
		return false;
	memcpy(text, range, (size_t)(dash - range));
	if (!num_plain(text, from) || *from > size)
		return false;
	if (dash[1] == '\0')
		return true;
	if (!num_plain(dash + 1, &last))
		return false;
	if (last < size)
		*to = last + 1;
	return *from <= *to;
}

static void put_file_head(struct curl_transfer *t, const struct vfs_stat *st)
{
	static const char days[] = "ThuFriSatSunMonTueWed";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct buf b = buf_in(t->curl->c->arena);
	int64_t seconds = st->mtime_ns / INT64_C(1000000000);
	int64_t day = seconds / 86400;
	int64_t clock = seconds % 86400;
	int64_t year = 1970;
	int month = 1;

	if (seconds < 0)
		day = clock = 0;
	while (time_days(year + 1, 1, 1) <= day)
		year++;
	while (month < 12 && time_days(year, month + 1, 1) <= day)
		month++;
	buf_printf(&b, "Content-Length: %llu\r\nAccept-ranges: bytes\r\n",
		   (unsigned long long)st->size);
	buf_printf(&b, "Last-Modified: %.3s, %02d %.3s %4d %02d:%02d:%02d GMT\r\n",
		   days + day % 7 * 3, (int)(day - time_days(year, month, 1) + 1),
		   months + (month - 1) * 3, (int)year, (int)(clock / 3600), (int)(clock / 60 % 60),
		   (int)(clock % 60));
	if (!t->set->head)
		buf_puts(&b, "\r\n");
	put_out(t, buf_bytes(&b));
}

static int copy_file(struct curl_transfer *t, int fd, uint64_t from, uint64_t to)
{
	struct cmd *c = t->curl->c;
	char *data = arena_alloc(c->arena, COPY_BYTES);

	while (from < to && t->error == 0) {
		size_t want = to - from < COPY_BYTES ? (size_t)(to - from) : COPY_BYTES;
		int64_t n = cmd_pread(c, fd, data, want, from);

		if (n == -E_ISDIR)
			break; /* as curl does: it is empty */
		if (n < 0)
			return curl_fail(t, CURL_READ,
					 "Failed to open/read local data from "
					 "file/application");
		if (n == 0)
			break;
		cmd_charge_bytes(c, (size_t)n);
		put_out(t, (struct bytes){ data, (size_t)n });
		t->size_download += (uint64_t)n;
		from += (uint64_t)n;
	}
	return t->error;
}

static int run_file(struct curl_transfer *t)
{
	struct cmd *c = t->curl->c;
	struct bytes decoded;
	struct vfs_stat st;
	const char *path;
	uint64_t from, to;
	int fd;

	if (!url_decode(c->arena, t->url.path, &decoded))
		return curl_fail(t, CURL_URL, "URL using bad/illegal format or missing URL");
	path = arena_dup(c->arena, decoded);
	if (t->upload != NULL)
		return put_file(t, path);
	fd = cmd_open(c, CMD_CWD, path, 0, 0);
	if (fd < 0 || cmd_fstat(c, fd, &st) < 0)
		return no_file(t, path);
	if (t->set->head || t->set->include)
		put_file_head(t, &st);
	if (!cut_range(t->set->range, st.size, &from, &to))
		curl_fail(t, CURL_RANGE, "Requested range was not delivered by the server");
	else if (t->resume_at > st.size)
		curl_fail(t, 36, "Offset (%llu) was beyond file size",
			  (unsigned long long)t->resume_at);
	else if (!t->set->head)
		(void)copy_file(t, fd, t->resume_at != 0 ? t->resume_at : from, to);
	cmd_close(c, fd);
	return t->error;
}

/* --- one URL --- */

static int read_url(struct curl_transfer *t)
{
	struct arena *a = t->curl->c->arena;
	unsigned flags = URL_GUESS | (t->set->as_is ? (unsigned)URL_AS_IS : 0);
	struct buf text = buf_in(a);
	struct buf query = buf_in(a);

	if (t->set->default_protocol != NULL && strstr(t->text, "://") == NULL)
		buf_printf(&text, "%s://", t->set->default_protocol);
	buf_puts(&text, t->text);
	enum url_error err = url_parse(a, buf_bytes(&text), flags, &t->url);

	if (err == URL_UNKNOWN ||
	    (err == URL_OK && !curl_protocol_allowed(t->set->protocols, t->url.scheme)))
		return curl_fail(t, CURL_PROTOCOL,
				 "Protocol \"%.*s\" not supported or disabled in libcurl",
				 (int)t->url.scheme.len, t->url.scheme.ptr);
	if (err != URL_OK)
		return curl_fail(t, CURL_URL, "URL using bad/illegal format or missing URL");
	if (t->set->query.len == 0 && !(t->set->get && t->set->has_data))
		return 0;
	if (t->url.has_query) {
		buf_add(&query, t->url.query);
		buf_putc(&query, '&');
	}
	buf_add(&query,
		buf_bytes(t->set->get && t->set->has_data ? &t->set->data : &t->set->query));
	t->url.has_query = true;
	t->url.query = url_safe(a, buf_bytes(&query));
	return 0;
}

static int choose_output(struct curl_transfer *t)
{
	struct vfs_stat st;
	uint64_t at = 0;

	if (t->remote_name) {
		struct bytes name = url_file_name(&t->url);

		if (name.len == 0) {
			if (!t->curl->first->silent || t->curl->first->show_error)
				cmd_warn(t->curl->c, 0, "Remote file name has no length!");
			return curl_fail(t, CURL_WRITE,
					 "Failed writing received data to disk/application");
		}
		t->output = arena_dup(t->curl->c->arena, name);
	}
	if (t->output != NULL && strcmp(t->output, "-") == 0)
		t->output = NULL;
	if (t->output != NULL)
		t->output = in_directory(t, t->output);
	if (t->set->resume == NULL)
		return 0;
	if (strcmp(t->set->resume, "-") == 0)
		at = t->output != NULL && cmd_stat(t->curl->c, t->output, &st) == 0 ? st.size : 0;
	else if (!num_plain(t->set->resume, &at))
		return curl_fail(t, CURL_USAGE, "expected a proper numerical parameter");
	t->resume_at = at;
	return 0;
}

static void set_time(struct curl_transfer *t)
{
	struct bytes value;
	int64_t seconds;

	if (t->set->remote_time && t->has_answer && t->output != NULL &&
	    http_field(&t->http, "Last-Modified", &value) && http_date(value, &seconds))
		(void)cmd_utimes(t->curl->c, CMD_CWD, t->output, seconds * 1000000000,
				 seconds * 1000000000, 0);
}

static int run(struct curl_transfer *t)
{
	int status;

	if (t->url.scheme.len == 0 && read_url(t) != 0)
		return t->error;
	if (t->set->etag_compare != NULL &&
	    cmd_access(t->curl->c, CMD_CWD, t->set->etag_compare, 4) < 0) {
		if (!t->curl->first->silent)
			cmd_warn(t->curl->c, 0, "Failed to open %s", t->set->etag_compare);
		return t->error = CURL_READ;
	}
	if (choose_output(t) != 0 || curl_make_body(t) != 0)
		return t->error;
	curl_meter_begin(t);
	if (!url_is_http(&t->url))
		return run_file(t);
	status = run_http(t);
	http_end(&t->http);
	curl_verbose(t,
		     status == 0 ? "* Connection #0 to host %s left intact\n"
				 : "* Closing connection 0\n",
		     host_of(t));
	return status;
}

int curl_transfer_run(struct curl_transfer *t)
{
	t->http.fd = -1;
	t->message = buf_in(t->curl->c->arena);
	if (run(t) == 0)
		(void)open_output(t); /* also an empty answer makes a file */
	if (t->opened && output_close(&t->out) != 0 && t->error == 0)
		curl_fail(t, CURL_WRITE, "Failure writing output to destination");
	if (t->error != 0 && t->opened && t->set->remove_on_error)
		(void)cmd_unlink(t->curl->c, CMD_CWD, t->output, 0);
	if (t->error == 0)
		set_time(t);
	curl_meter_end(t);
	return t->error;
}
