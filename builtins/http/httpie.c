/* SPDX-License-Identifier: MIT
 *
 * http, https - requests from items on the command line, as HTTPie has them.
 *
 * METHOD URL Name:value name==value field=value field:=json field@file. What goes to a terminal
 * is shown with the answer's header; what goes elsewhere is the body, as it came.
 */
#include "builtins/http/http.h"

struct httpie_opts {
	bool form, json, check, download, follow, headers, body, verbose, no_stdin, offline, quiet;
	const char *print;
	const char *output;
	const char *login;
	const char *timeout;
	const char *raw;
	const char *pretty;
};

struct httpie {
	struct cmd *c;
	const struct httpie_opts *o;
	const char *method;
	struct url url;
	struct http_lines lines;
	struct buf query;
	struct buf fields; /* JSON members or form pairs */
	size_t nfields;
	bool has_body;
	struct bytes body;
};

static _Noreturn void fail(struct httpie *h, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static _Noreturn void fail(struct httpie *h, int status, const char *format, ...)
{
	struct buf b = buf_in(h->c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	cmd_flush(h->c);
	cmd_warn(h->c, 0, "error: %s", buf_cstr(&b));
	cmd_exit(h->c, status);
}

/* --- items --- */

static void put_json_text(struct buf *out, struct bytes s)
{
	buf_putc(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];

		if (ch == '"' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else if (ch == '\n')
			buf_puts(out, "\\n");
		else if (ch < ' ')
			buf_printf(out, "\\u%04x", ch);
		else
			buf_putc(out, (char)ch);
	}
	buf_putc(out, '"');
}

static void add_field(struct httpie *h, struct bytes name, struct bytes value, bool is_json)
{
	if (h->o->form) {
		buf_puts(&h->fields, h->nfields != 0 ? "&" : "");
		url_encode(&h->fields, name, "*", "+");
		buf_putc(&h->fields, '=');
		url_encode(&h->fields, value, "*", "+");
	} else {
		buf_puts(&h->fields, h->nfields != 0 ? ", " : "");
		put_json_text(&h->fields, name);
		buf_puts(&h->fields, ": ");
		if (is_json)
			buf_add(&h->fields, bytes_trim(value));
		else
			put_json_text(&h->fields, value);
	}
	h->nfields++;
}

static struct bytes read_value(struct httpie *h, const char *path)
{
	struct bytes text;
	int err = cmd_read_all(h->c, path, &text);

	if (err < 0)
		fail(h, 1, "argument REQUEST_ITEM: '%s': %s", path, err_text(err));
	return text;
}

/* A name may have a backslash before what would end it. */
static struct bytes unescape(struct arena *a, const char *from, const char *to)
{
	struct buf b = buf_in(a);

	for (; from < to; from++) {
		if (*from == '\\' && from + 1 < to && strchr(":=@;", from[1]) != NULL)
			from++;
		buf_putc(&b, *from);
	}
	return buf_bytes(&b);
}

static void check_json(struct httpie *h, const char *item, struct bytes text)
{
	if (bytes_trim(text).len == 0)
		fail(h, 1,
		     "argument REQUEST_ITEM: Invalid value in \"%s\": Expecting value: line 1 "
		     "column 1 (char 0)",
		     item);
}

/* One item: the separator that comes first counts, the longest at its place. False: it is none. */
static bool add_item(struct httpie *h, const char *item)
{
	static const char *const separators[] = {
		":=@", "=@", ":@", ":=", "==", ":", "=", "@", ";"
	};
	enum { COUNT = sizeof separators / sizeof *separators };
	const char *found = NULL;
	const char *at = item;
	struct bytes name, value;

	for (; *at != '\0' && found == NULL; at++) {
		if (*at == '\\' && at[1] != '\0') {
			at++;
			continue;
		}
		for (int i = 0; i < COUNT && found == NULL; i++)
			if (strncmp(at, separators[i], strlen(separators[i])) == 0)
				found = separators[i];
		if (found != NULL)
			break;
	}
	if (found == NULL)
		return false;
	name = unescape(h->c->arena, item, at);
	at += strlen(found);
	value = bytes_of(at);
	if (strchr(found, '@') != NULL && strcmp(found, "@") != 0)
		value = read_value(h, at);
	if (strcmp(found, "==") == 0) {
		buf_puts(&h->query, h->query.len != 0 ? "&" : "");
		url_encode(&h->query, name, "", "+");
		buf_putc(&h->query, '=');
		url_encode(&h->query, value, "", "+");
	} else if (found[0] == ':' && found[1] != '=') {
		value = bytes_trim(value);
		http_add(&h->lines, "%s:%s%s", arena_dup(h->c->arena, name), value.len ? " " : "",
			 arena_dup(h->c->arena, value));
	} else if (strcmp(found, ";") == 0) {
		http_add(&h->lines, "%s:", arena_dup(h->c->arena, name));
	} else if (strcmp(found, "@") == 0) {
		fail(h, 1, "file fields are not supported in this sandbox: use name=@file");
	} else {
		if (found[0] == ':')
			check_json(h, item, value);
		add_field(h, name, value, found[0] == ':');
	}
	return true;
}

/* --- the request --- */

static bool is_method(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

	return n != 0 && word[n] == '\0';
}

/* ":8000/x" and "/x" are this machine's; no scheme: the command's own. */
static void read_url(struct httpie *h, const char *text)
{
	struct buf b = buf_in(h->c->arena);

	if (strstr(text, "://") == NULL) {
		buf_printf(&b, "%s://", strcmp(h->c->b->name, "https") == 0 ? "https" : "http");
		if (text[0] == ':')
			buf_printf(&b, "localhost%s", strcmp(text, ":") == 0 ? "" : text);
		else
			buf_puts(&b, text);
	} else {
		buf_puts(&b, text);
	}
	if (url_parse(h->c->arena, buf_bytes(&b), URL_BLANKS, &h->url) != URL_OK ||
	    !url_is_http(&h->url))
		fail(h, 1, "InvalidURL: %s", text);
}

static void put_default(struct httpie *h, struct http_lines *l, const char *name, const char *value)
{
	if (http_line(&h->lines, name) == NULL)
		http_add(l, "%s: %s", name, value);
}

static void make_lines(struct httpie *h, struct http_lines *l)
{
	bool json = h->has_body && !h->o->form;
	struct buf code = buf_in(h->c->arena);

	put_default(h, l, "User-Agent", "HTTPie/3.2.1");
	put_default(h, l, "Accept-Encoding", "gzip, deflate");
	put_default(h, l, "Accept", json || h->o->json ? "application/json, */*;q=0.5" : "*/*");
	if (json || h->o->json)
		put_default(h, l, "Content-Type", "application/json");
	else if (h->has_body)
		put_default(h, l, "Content-Type",
			    "application/x-www-form-urlencoded; charset=utf-8");
	if (h->o->login != NULL && http_line(&h->lines, "Authorization") == NULL) {
		http_base64(&code, bytes_of(h->o->login));
		http_add(l, "Authorization: Basic %s", buf_cstr(&code));
	}
	for (size_t i = 0; i < h->lines.n; i++)
		if (h->lines.v[i][strcspn(h->lines.v[i], ":") + 1] != '\0')
			http_add(l, "%s", h->lines.v[i]);
	if (h->has_body)
		http_add(l, "Content-Length: %zu", h->body.len);
	for (size_t i = 0; i < l->n; i++)
		for (const char *at = l->v[i]; *at != '\0'; at++)
			if ((unsigned char)*at < ' ')
				fail(h, 1, "InvalidHeader: %s", h->lines.v[0]);
}

static void make_body(struct httpie *h)
{
	struct buf b = buf_in(h->c->arena);
	const struct httpie_opts *o = h->o;

	if (o->raw != NULL) {
		h->has_body = true;
		h->body = bytes_of(o->raw);
	} else if (h->nfields != 0) {
		h->has_body = true;
		if (!o->form)
			buf_putc(&b, '{');
		buf_add(&b, buf_bytes(&h->fields));
		if (!o->form)
			buf_putc(&b, '}');
		h->body = buf_bytes(&b);
	} else if (!o->no_stdin && !cmd_isatty(h->c, 0)) {
		if (cmd_read_all(h->c, "-", &h->body) == 0)
			h->has_body = h->body.len != 0;
	}
}

/* --- the answer --- */

static _Noreturn void explain(struct httpie *h, int err)
{
	const char *host = arena_dup(h->c->arena, h->url.host);

	if (err == -E_TIMEDOUT)
		fail(h, 2, "Request timed out.");
	if (err == -E_NETUNREACH && url_is_local(&h->url))
		err = -E_CONNREFUSED;
	if (err == -E_NETUNREACH)
		fail(h, 1,
		     "ConnectionError: Could not resolve host: %s (this session has no network)",
		     host);
	if (err == -E_HOSTUNREACH)
		fail(h, 1, "ConnectionError: Could not resolve host: %s", host);
	if (err == -E_ACCES)
		fail(h, 1, "ConnectionError: the host does not allow this request: %s", host);
	if (err == HTTP_UNSAYABLE || err == -E_INVAL)
		fail(h, 1, "InvalidHeader: this request can not be sent from a sandbox");
	fail(h, 1, "ConnectionError: %s:%u: %s", host, h->url.port,
	     err < 0 ? err_text(err) : "the answer is damaged");
}

static bool prints(const struct httpie *h, char what)
{
	const struct httpie_opts *o = h->o;

	if (o->quiet)
		return false;
	if (o->print != NULL)
		return strchr(o->print, what) != NULL;
	if (o->verbose)
		return true;
	if (o->headers)
		return what == 'h';
	if (o->body || !cmd_isatty(h->c, 1) || o->download)
		return what == 'b';
	return what == 'h' || what == 'b';
}

static void put_part(void *arg, struct bytes part)
{
	output_write(arg, part.ptr, part.len);
}

static const char *name_of_download(struct httpie *h)
{
	struct bytes name = url_file_name(&h->url);

	if (h->o->output != NULL)
		return h->o->output;
	return name.len != 0 ? arena_dup(h->c->arena, name) : "index.html";
}

static void put_body(struct httpie *h, struct http *http)
{
	struct bytes coding = { "", 0 };
	struct http_decoder d;
	struct output file;
	struct output *out = &h->c->out;
	struct bytes piece;
	int err;

	(void)http_field(http, "Content-Encoding", &coding);
	if (!http_decoder_init(&d, h->c, coding))
		(void)http_decoder_init(&d, h->c, BYTES("identity"));
	if (h->o->output != NULL || h->o->download) {
		const char *name = name_of_download(h);

		err = output_open(&file, h->c, name, O_CREAT_ | O_TRUNC_, false);
		if (err < 0)
			fail(h, 1, "argument --output/-o: can't open '%s': %s", name,
			     err_text(err));
		out = &file;
	}
	while ((err = http_read(http, &piece)) == 0 && piece.len != 0)
		if ((err = http_decode(&d, piece, put_part, out)) != 0)
			break;
	http_decoder_clear(&d);
	if (out == &file)
		(void)output_close(&file);
	if (err != 0)
		explain(h, err);
}

static int status_of(const struct httpie *h, int status)
{
	if (!h->o->check && !h->o->download)
		return 0;
	return status >= 300 && status < 400 && !h->o->follow ? 3
	       : status >= 400 && status < 500                ? 4
	       : status >= 500 && status < 600                ? 5
							      : 0;
}

static int exchange(struct httpie *h, struct http *http)
{
	struct http_lines lines = { .a = h->c->arena };
	struct http_call call = { .method = h->method,
				  .url = &h->url,
				  .lines = &lines,
				  .has_body = h->has_body,
				  .body = h->body };
	int64_t ns;
	int err;

	if (h->o->timeout != NULL && num_parse_span(h->o->timeout, &ns))
		call.timeout_ms = (uint64_t)ns / 1000000;
	make_lines(h, &lines);
	if (prints(h, 'H'))
		cmd_bytes(h->c, http_request_text(h->c->arena, &call));
	if (prints(h, 'B') && h->has_body) {
		cmd_bytes(h->c, h->body);
		cmd_puts(h->c, "\n\n");
	}
	if (h->o->offline)
		cmd_exit(h->c, 0);
	err = http_start(http, h->c, &call);
	return err != 0 ? err : http_head(http);
}

static bool redirect(struct httpie *h, struct http *http)
{
	struct bytes location;
	struct url next;

	if (!h->o->follow || http->status / 100 != 3 || http->status == 304 ||
	    !http_field(http, "Location", &location) ||
	    url_join(h->c->arena, &h->url, arena_bytes(h->c->arena, location), 0, &next) !=
		    URL_OK ||
	    !url_is_http(&next))
		return false;
	if (!bytes_eq(next.host, h->url.host)) {
		/* Another host is not told who this is. */
		h->lines.n = 0;
		((struct httpie_opts *)h->c->opts)->login = NULL;
	}
	h->url = next;
	if (http->status != 307 && http->status != 308 && strcmp(h->method, "HEAD") != 0) {
		h->method = "GET";
		h->has_body = false;
	}
	http_end(http);
	return true;
}

static int httpie_run(struct cmd *c)
{
	struct httpie h = { .c = c,
			    .o = c->opts,
			    .query = buf_in(c->arena),
			    .fields = buf_in(c->arena),
			    .lines = { .a = c->arena } };
	struct http http;
	int at = 0;
	int err;

	if (h.o->pretty != NULL && strcmp(h.o->pretty, "none") != 0)
		fail(&h, 1, "argument --pretty: only `none' in this sandbox");
	if (c->nargs == 0) {
		cmd_warn(c, 0, "error: the following arguments are required: URL");
		return 1;
	}
	if (c->nargs > 1 && is_method(c->args[0]) && strchr(c->args[0], '.') == NULL)
		h.method = c->args[at++];
	read_url(&h, c->args[at++]);
	for (; at < c->nargs; at++)
		if (!add_item(&h, c->args[at]))
			fail(&h, 1, "argument REQUEST_ITEM: '%s' is not a valid value",
			     c->args[at]);
	make_body(&h);
	if (h.query.len != 0) {
		h.url.query = url_safe(c->arena, buf_bytes(&h.query));
		h.url.has_query = true;
	}
	if (h.method == NULL)
		h.method = h.has_body ? "POST" : "GET";
	for (int hops = 0;; hops++) {
		err = exchange(&h, &http);
		if (err != 0)
			explain(&h, err);
		if (!redirect(&h, &http))
			break;
		if (hops == 30)
			fail(&h, 6, "Too many redirects (--max-redirects=30).");
	}
	if (prints(&h, 'h'))
		cmd_bytes(c, buf_bytes(&http.head));
	if (prints(&h, 'b'))
		put_body(&h, &http);
	http_end(&http);
	err = status_of(&h, http.status);
	if (err != 0)
		cmd_warn(c, 0, "warning: HTTP %d %s", http.status,
			 arena_dup(c->arena, http.reason));
	return err;
}

#define T struct httpie_opts

static const struct opt httpie_options[] = {
	OPT_FLAG('j', "json", T, json, "data items are a JSON object (the default)"),
	OPT_FLAG('f', "form", T, form, "data items are form fields"),
	OPT_STR('p', "print", T, print, NULL, "WHAT", "H, B: request; h, b: answer"),
	OPT_FLAG('h', "headers", T, headers, "print only the header of the answer"),
	OPT_FLAG('b', "body", T, body, "print only the body of the answer"),
	OPT_FLAG('v', "verbose", T, verbose, "print request and answer"),
	OPT_FLAG('q', "quiet", T, quiet, "do not print"),
	OPT_STR(0, "pretty", T, pretty, NULL, "HOW", "only `none`: nothing is reformatted"),
	OPT_FLAG('d', "download", T, download, "save the body in a file"),
	OPT_STR('o', "output", T, output, NULL, "FILE", "save the body in FILE"),
	OPT_STR('a', "auth", T, login, NULL, "USER:PASS", "log in"),
	OPT_FLAG('F', "follow", T, follow, "follow redirects"),
	OPT_FLAG(0, "check-status", T, check, "fail with 3, 4 or 5 as the answer's status says"),
	OPT_FLAG('I', "ignore-stdin", T, no_stdin, "do not read standard input"),
	OPT_FLAG(0, "offline", T, offline, "only print the request"),
	OPT_STR(0, "raw", T, raw, NULL, "TEXT", "the body"),
	OPT_STR(0, "timeout", T, timeout, NULL, "SECONDS", "give up after that time"),
	OPT_IGNORED_ARG(0, "verify", "HOW", "the host of this sandbox verifies all the same"),
	OPT_MISSING_ARG(0, "session"),
	OPT_MISSING_ARG(0, "proxy"),
	OPT_MISSING_ARG(0, "cert"),
	OPT_MISSING('m', "multipart"),
	OPT_MISSING('c', "continue"),
	OPT_MISSING('S', "stream"),
	OPT_END(),
};

#define HTTPIE(id)                                                                                 \
	const struct builtin builtin_##id = {                                                      \
		.name = #id,                                                                       \
		.usage = "[OPTION]... [METHOD] URL [REQUEST_ITEM]...",                             \
		.summary = "Make HTTP requests from items: Name:value name==value field=value "    \
			   "field:=json.",                                                         \
		.run = httpie_run,                                                                 \
		.opts = httpie_options,                                                            \
		.opts_size = sizeof(struct httpie_opts),                                           \
		.family = "HTTPie 3.2.1",                                                          \
		.version = "3.2.1",                                                                \
	}

HTTPIE(http);
HTTPIE(https);
