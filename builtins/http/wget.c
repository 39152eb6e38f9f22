/* SPDX-License-Identifier: MIT
 *
 * wget - fetch files over the network.
 *
 * Reference: GNU Wget 1.21. Rates are not known: no time passes in a transfer of the virtual
 * clock. Not here: see docs/limits.md (recursion, ftp, proxies, certificates).
 */
#include "builtins/http/http.h"

#include "builtins/zone.h"

enum wget_status {
	WGET_GENERIC = 1,
	WGET_FILE = 3,
	WGET_NETWORK = 4,
	WGET_SECURE = 5,
	WGET_LOGIN = 6,
	WGET_PROTOCOL = 7,
	WGET_SERVER = 8,
};

struct wget_opts {
	bool quiet, brief, spider, keep, go_on, newer, forced, host_dirs, show_head, disposition,
		login_at_once, no_time, save_errors, from_stdin_html, no_redirect_limit;
	const char *document; /* -O */
	const char *prefix;
	const char *list;
	const char *log;
	const char *agent;
	const char *referer;
	const char *user;
	const char *password;
	const char *post;
	const char *post_file;
	const char *method;
	const char *body;
	const char *body_file;
	const char *timeout;
	const char *tries;
	const char *wait;
	const char *wait_retry;
	const char *redirects;
	struct http_lines lines;
};

/* One run of wget. */
struct wget {
	struct cmd *c;
	struct arena *lasting;
	const struct wget_opts *o;
	struct output document; /* -O */
	bool has_document;
	uint64_t tries;
	uint64_t redirects;
	int64_t retry_ns;
	int status;
};

/* One URL. */
struct wget_file {
	struct wget *w;
	struct url url;
	const char *text;
	const char *name; /* of the local file */
	struct http http;
	const char *method;
	bool has_body;
	struct bytes body;
	uint64_t have; /* -c: bytes that are there */
	uint64_t got;
	bool login;
	int64_t local_ns; /* -N: the time of the local file; 0: there is none */
};

/* --- what it says --- */

static void say(const struct wget *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void say(const struct wget *w, const char *format, ...)
{
	struct buf b = buf_in(w->c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	cmd_flush(w->c);
	cmd_err_write(w->c, b.ptr, b.len);
}

static bool talks(const struct wget *w)
{
	return !w->o->quiet && !w->o->brief;
}

static const char *time_text(const struct wget *w)
{
	int64_t now = cmd_now(w->c) / 1000000000;
	struct zone *zone = zone_of_command(w->c);
	struct buf b = buf_in(w->c->arena);
	struct civil civil;

	time_civil(zone, now, &civil);
	time_format(&b, BYTES("%Y-%m-%d %H:%M:%S"), &civil, now, TIME_LIBC);
	return buf_cstr(&b);
}

static const char *text_of(const struct wget_file *f)
{
	struct buf b = buf_in(f->w->c->arena);

	url_put(&b, &f->url);
	return buf_cstr(&b);
}

/* The first error counts, but for one that is worse: GNU's order is by number. */
static int failed(struct wget *w, int status)
{
	if (w->status == 0 || status < w->status)
		w->status = status;
	return status;
}

/* 1536 as "1.5K", as it follows a length from 1K on. */
static void put_short(struct buf *b, uint64_t n)
{
	static const char units[] = "KMGTPE";
	size_t unit = 0;

	if (n < 1024)
		return;
	for (; n >= UINT64_C(1024) << 10 && unit < 5; unit++)
		n >>= 10;
	if (n >> 10 >= 10)
		buf_printf(b, " (%llu%c)", (unsigned long long)(n + 512) >> 10, units[unit]);
	else
		buf_printf(b, " (%llu.%llu%c)", (unsigned long long)(n >> 10),
			   (unsigned long long)((n & 1023) * 10 >> 10), units[unit]);
}

static void say_length(const struct wget_file *f)
{
	struct buf b = buf_in(f->w->c->arena);
	struct bytes type;

	if (f->http.body == HTTP_LENGTH || f->http.body == HTTP_NONE) {
		uint64_t whole = f->http.left + f->have;
		struct bytes value;

		if (f->http.body == HTTP_NONE && http_field(&f->http, "Content-Length", &value))
			(void)num_plain(arena_dup(f->w->c->arena, value), &whole);
		buf_printf(&b, "Length: %llu", (unsigned long long)whole);
		put_short(&b, whole);
		if (f->have != 0) {
			buf_printf(&b, ", %llu", (unsigned long long)f->http.left);
			put_short(&b, f->http.left);
			buf_puts(&b, " remaining");
		}
	} else {
		buf_puts(&b, "Length: unspecified");
	}
	if (http_field(&f->http, "Content-Type", &type) && type.len != 0) {
		const char *end = memchr(type.ptr, ';', type.len);

		buf_puts(&b, " [");
		buf_add(&b, end != NULL ? bytes_trim(bytes_slice(type, 0, (size_t)(end - type.ptr)))
					: type);
		buf_putc(&b, ']');
	}
	say(f->w, "%s\n", buf_cstr(&b));
}

/* Rows of fifty dots of a kilobyte. */
static void say_dots(const struct wget_file *f, uint64_t whole)
{
	uint64_t all = f->have + f->got;
	struct buf b = buf_in(f->w->c->arena);
	uint64_t dots = all >> 10;
	uint64_t row = 0;

	buf_puts(&b, "\n");
	do {
		buf_printf(&b, "%6lluK", (unsigned long long)row * 50);
		for (uint64_t i = 0; i < 50; i++) {
			uint64_t at = row * 50 + i;

			if (i % 10 == 0)
				buf_putc(&b, ' ');
			buf_putc(&b, at >= dots ? ' ' : (at + 1) << 10 <= f->have ? ',' : '.');
		}
		row++;
		if (whole != 0)
			buf_printf(&b, "%3llu%%",
				   (unsigned long long)((row * 51200 < all ? row * 51200 : all) *
							100 / whole));
		else
			buf_puts(&b, "    ");
		buf_puts(&b, row * 50 < dots ? " --.-K 0s\n" : " --.-K=0s\n\n");
		cmd_charge(f->w->c, 1);
	} while (row * 50 < dots);
	say(f->w, "%s", buf_cstr(&b));
}

/* --- the request --- */

static void make_lines(struct wget_file *f, struct http_lines *l)
{
	const struct wget_opts *o = f->w->o;
	struct buf pair = buf_in(f->w->c->arena);
	struct buf code = buf_in(f->w->c->arena);

	if (f->have != 0)
		http_add(l, "Range: bytes=%llu-", (unsigned long long)f->have);
	http_add(l, "User-Agent: %s", o->agent != NULL ? o->agent : "Wget/1.21.3");
	http_add(l, "Accept: */*");
	http_add(l, "Accept-Encoding: identity");
	if (o->referer != NULL)
		http_add(l, "Referer: %s", o->referer);
	if (f->login || o->login_at_once) {
		buf_printf(&pair, "%s:%s", o->user != NULL ? o->user : "",
			   o->password != NULL ? o->password : "");
		http_base64(&code, buf_bytes(&pair));
		http_add(l, "Authorization: Basic %s", buf_cstr(&code));
	}
	if (f->has_body) {
		http_add(l, "Content-Type: application/x-www-form-urlencoded");
		http_add(l, "Content-Length: %zu", f->body.len);
	}
	for (size_t i = 0; i < o->lines.n; i++) {
		struct bytes name = { o->lines.v[i], strcspn(o->lines.v[i], ":") };
		const char *old = http_line(l, arena_dup(f->w->c->arena, name));

		for (size_t k = 0; old != NULL && k < l->n; k++)
			if (l->v[k] == old)
				l->v[k] = o->lines.v[i];
		if (old == NULL)
			http_add(l, "%s", o->lines.v[i]);
	}
}

/* The line for what went wrong, and the status. */
static int explain(struct wget_file *f, int err)
{
	struct wget *w = f->w;
	const char *host = arena_dup(w->c->arena, f->url.host);

	if (err == -E_NETUNREACH || err == -E_HOSTUNREACH) {
		bool inside = url_is_local(&f->url) && bytes_is(f->url.scheme, "http");

		if (inside)
			say(w, "failed: Connection refused.\n");
		else
			cmd_warn(w->c, 0, "unable to resolve host address %s%s",
				 cmd_quote(w->c, host),
				 err == -E_NETUNREACH ? " (this session has no network)" : "");
	} else if (err == -E_CONNREFUSED) {
		say(w, "failed: Connection refused.\n");
	} else if (err == -E_ACCES) {
		say(w, "failed: Connection refused (the host does not allow this request).\n");
	} else if (err == -E_TIMEDOUT) {
		say(w, "Read error (Connection timed out) in headers.\n");
	} else if (err == -E_PROTO) {
		say(w, "Unable to establish SSL connection.\n");
		return WGET_SECURE;
	} else if (err == HTTP_EMPTY) {
		say(w, "No data received.\n");
	} else if (err == HTTP_UNSAYABLE || err == -E_INVAL) {
		cmd_warn(w->c, 0, "this request can not be sent from a sandbox");
		return WGET_GENERIC;
	} else {
		say(w, "Read error (%s) in headers.\n",
		    err < 0 ? err_text(err) : "malformed answer");
	}
	return WGET_NETWORK;
}

static int exchange(struct wget_file *f)
{
	struct cmd *c = f->w->c;
	struct http_lines lines = { .a = c->arena };
	int64_t ns = 0;
	struct http_call call = { .method = f->method,
				  .url = &f->url,
				  .lines = &lines,
				  .has_body = f->has_body,
				  .body = f->body };
	int err;

	if (f->w->o->timeout != NULL && num_parse_span(f->w->o->timeout, &ns))
		call.timeout_ms = (uint64_t)ns / 1000000;
	make_lines(f, &lines);
	for (size_t i = 0; i < lines.n; i++)
		for (const char *at = lines.v[i]; *at != '\0'; at++)
			if ((unsigned char)*at < ' ' && *at != '\t')
				return -E_INVAL;
	if (talks(f->w)) {
		struct buf host = buf_in(c->arena);

		buf_add(&host, f->url.host);
		say(f->w, "Connecting to %s:%u... ", buf_cstr(&host), f->url.port);
	}
	err = http_start(&f->http, c, &call);
	if (err == 0)
		err = http_head(&f->http);
	if (err == 0 && talks(f->w))
		say(f->w, "connected.\nHTTP request sent, awaiting response... ");
	return err;
}

/* --- the local file --- */

/* Bytes that a name can't have, or that do harm on a terminal, as %XX. */
static const char *safe_name(struct arena *a, struct bytes name)
{
	struct buf b = buf_in(a);

	for (size_t i = 0; i < name.len; i++) {
		unsigned char ch = (unsigned char)name.ptr[i];

		if (ch < ' ' || ch == 0x7f || ch == '/')
			buf_printf(&b, "%%%02X", ch);
		else
			buf_putc(&b, (char)ch);
	}
	return bytes_is(buf_bytes(&b), "..") || bytes_is(buf_bytes(&b), ".") ? "index.html"
									     : buf_cstr(&b);
}

static const char *name_of_url(const struct wget_file *f)
{
	struct arena *a = f->w->c->arena;
	struct buf b = buf_in(a);
	struct bytes name = url_file_name(&f->url);

	if (!url_decode(a, name, &name) || name.len == 0)
		name = BYTES("index.html");
	buf_add(&b, name);
	if (f->url.has_query) {
		buf_putc(&b, '?');
		buf_add(&b, f->url.query);
	}
	return safe_name(a, buf_bytes(&b));
}

static const char *with_prefix(const struct wget_file *f, const char *name)
{
	struct buf b = buf_in(f->w->c->arena);

	if (f->w->o->prefix != NULL && strcmp(f->w->o->prefix, ".") != 0)
		buf_printf(&b, "%s/", f->w->o->prefix);
	if (f->w->o->forced) {
		url_put_host(&b, &f->url);
		if (url_file_name(&f->url).ptr > f->url.path.ptr)
			buf_put(&b, f->url.path.ptr,
				(size_t)(url_file_name(&f->url).ptr - f->url.path.ptr));
	}
	buf_puts(&b, name);
	return buf_cstr(&b);
}

static bool exists(const struct wget_file *f, const char *name)
{
	return cmd_access(f->w->c, CMD_CWD, name, 0) == 0;
}

/* NAME, NAME.1, NAME.2, ... */
static const char *free_name(const struct wget_file *f, const char *name)
{
	for (int i = 0; i < 10000; i++) {
		struct buf b = buf_in(f->w->c->arena);

		buf_puts(&b, name);
		if (i != 0)
			buf_printf(&b, ".%d", i);
		if (!exists(f, buf_cstr(&b)))
			return b.ptr;
	}
	return name;
}

static void make_directories(const struct wget_file *f, const char *path)
{
	struct cmd *c = f->w->c;

	for (const char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/'))
		(void)cmd_mkdir(c, CMD_CWD,
				arena_dup(c->arena, (struct bytes){ path, (size_t)(at - path) }),
				0777);
}

static const char *named_by_server(const struct wget_file *f)
{
	struct bytes value;
	const char *at;

	if (!f->w->o->disposition || !http_field(&f->http, "Content-Disposition", &value))
		return NULL;
	at = bytes_find(value, BYTES("filename="));
	if (at == NULL)
		return NULL;
	value = bytes_slice(value, (size_t)(at - value.ptr) + 9, value.len);
	if (value.len != 0 && value.ptr[0] == '"') {
		const char *end;

		value = bytes_slice(value, 1, value.len);
		end = memchr(value.ptr, '"', value.len);
		if (end != NULL)
			value.len = (size_t)(end - value.ptr);
	} else {
		const char *end = memchr(value.ptr, ';', value.len);

		if (end != NULL)
			value.len = (size_t)(end - value.ptr);
	}
	at = bytes_rfind(value, BYTES("/"));
	if (at != NULL)
		value = bytes_slice(value, (size_t)(at - value.ptr) + 1, value.len);
	return value.len != 0 ? safe_name(f->w->c->arena, value) : NULL;
}

/* --- the answer --- */

/* The body to where it goes: 0, an http_error, -E_, or a positive status after a message. */
static int save(struct wget_file *f, struct output *out)
{
	struct bytes piece;
	int err;

	while ((err = http_read(&f->http, &piece)) == 0 && piece.len != 0) {
		f->got += piece.len;
		output_write(out, piece.ptr, piece.len);
	}
	return err;
}

static int64_t server_time(const struct wget_file *f)
{
	struct bytes value;
	int64_t seconds;

	if (!http_field(&f->http, "Last-Modified", &value) || !http_date(value, &seconds))
		return 0;
	return seconds * 1000000000;
}

static void say_saved(const struct wget_file *f, uint64_t whole)
{
	const struct wget *w = f->w;
	bool to_stdout = w->has_document && w->document.fd == 1;
	struct buf count = buf_in(w->c->arena);

	buf_printf(&count, "[%llu", (unsigned long long)(f->have + f->got));
	if (whole != 0)
		buf_printf(&count, "/%llu", (unsigned long long)whole);
	buf_putc(&count, ']');
	if (w->o->brief)
		say(w, "%s URL:%s %s -> \"%s\" [1]\n", time_text(w), text_of(f), buf_cstr(&count),
		    to_stdout ? "-" : f->name);
	else if (to_stdout)
		say(w, "%s (--.- KB/s) - written to stdout %s\n\n", time_text(w), buf_cstr(&count));
	else
		say(w, "%s (--.- KB/s) - %s saved %s\n\n", time_text(w), cmd_quote(w->c, f->name),
		    buf_cstr(&count));
}

enum outcome { DONE, AGAIN };

/* The body came; err: that it did not come whole. */
static enum outcome finish(struct wget_file *f, uint64_t whole, int err, bool last)
{
	struct wget *w = f->w;

	if (talks(w))
		say_dots(f, whole);
	if (err == 0) {
		if (!w->o->quiet)
			say_saved(f, whole);
		return DONE;
	}
	if (!w->o->quiet)
		say(w, "%s (--.- KB/s) - Connection closed at byte %llu. %s\n\n", time_text(w),
		    (unsigned long long)(f->have + f->got), last ? "Giving up." : "Retrying.");
	if (last)
		failed(w, WGET_NETWORK);
	return AGAIN;
}

static enum outcome download(struct wget_file *f, bool last)
{
	struct wget *w = f->w;
	const struct wget_opts *o = w->o;
	bool whole_known = f->http.body == HTTP_LENGTH;
	uint64_t whole = whole_known ? f->have + f->http.left : 0;
	const char *given = named_by_server(f);
	struct output file;
	struct output *out = &w->document;
	int64_t ns = server_time(f);
	int err;

	if (!w->has_document) {
		if (given != NULL)
			f->name = with_prefix(f, given);
		if (!o->keep && f->have == 0 && !(o->newer && f->local_ns != 0))
			f->name = free_name(f, f->name);
		make_directories(f, f->name);
		out = &file;
		err = output_open(out, w->c, f->name,
				  O_CREAT_ | (f->have != 0 ? O_APPEND_ : O_TRUNC_), true);
		if (err < 0) {
			say(w, "%s: %s\n\nCannot write to %s (%s).\n", f->name, err_text(err),
			    cmd_quote(w->c, f->name), err_text(err));
			failed(w, WGET_FILE);
			return DONE;
		}
	}
	if (talks(w))
		say(w, "Saving to: %s\n",
		    cmd_quote(w->c, w->has_document && out->fd == 1 ? "STDOUT" : f->name));
	err = save(f, out);
	if (out == &file && output_close(out) != 0) {
		say(w, "\nCannot write to %s (%s).\n", cmd_quote(w->c, f->name),
		    err_text(out->err));
		failed(w, WGET_FILE);
		return DONE;
	}
	if (out == &file && ns != 0 && !o->no_time)
		(void)cmd_utimes(w->c, CMD_CWD, f->name, ns, ns, 0);
	return finish(f, whole, err, last);
}

/* --- one URL --- */

static enum outcome refuse(struct wget_file *f)
{
	struct wget *w = f->w;
	const char *reason = arena_dup(w->c->arena, f->http.reason);

	if (w->o->spider) {
		if (talks(w))
			say(w, "Remote file does not exist -- broken link!!!\n\n");
		failed(w, WGET_SERVER);
		return DONE;
	}
	if (w->o->brief && !w->o->quiet)
		say(w, "%s:\n", text_of(f));
	if (!w->o->quiet)
		say(w, "%s ERROR %d: %s.\n%s", time_text(w), f->http.status,
		    reason[0] != '\0' ? reason : "(no description)", w->o->brief ? "" : "\n");
	failed(w, f->http.status == 401 ? WGET_LOGIN : WGET_SERVER);
	return DONE;
}

static void show_head(struct wget_file *f)
{
	struct bytes rest = buf_bytes(&f->http.head);
	struct buf b = buf_in(f->w->c->arena);

	while (rest.len > 2) {
		const char *end = memchr(rest.ptr, '\n', rest.len);
		size_t n = end != NULL ? (size_t)(end - rest.ptr) + 1 : rest.len;
		struct bytes line = bytes_trim(bytes_slice(rest, 0, n));

		if (line.len != 0) {
			buf_puts(&b, "  ");
			buf_add(&b, line);
			buf_putc(&b, '\n');
		}
		rest = bytes_slice(rest, n, rest.len);
	}
	cmd_err_write(f->w->c, b.ptr, b.len);
}

/* 1: to another place; 0: no redirect, or the last one. */
static int redirect(struct wget_file *f, uint64_t *count)
{
	struct wget *w = f->w;
	struct bytes location;
	struct url next;
	int status = f->http.status;

	if (status / 100 != 3 || status == 304 || status == 300 ||
	    !http_field(&f->http, "Location", &location))
		return 0;
	if (talks(w))
		say(w, "Location: %.*s [following]\n", (int)location.len, location.ptr);
	if (++*count > w->redirects) {
		if (!w->o->quiet)
			say(w, "%llu redirections exceeded.\n", (unsigned long long)w->redirects);
		failed(w, WGET_SERVER);
		return -1;
	}
	if (url_join(w->c->arena, &f->url, arena_bytes(w->c->arena, location), 0, &next) !=
		    URL_OK ||
	    !url_is_http(&next)) {
		say(w, "%s: Unsupported scheme.\n", arena_dup(w->c->arena, location));
		failed(w, WGET_GENERIC);
		return -1;
	}
	http_end(&f->http);
	if (!bytes_eq(next.host, f->url.host))
		f->login = false;
	f->url = next;
	if (f->has_body && status != 307 && status != 308) {
		f->has_body = false;
		f->method = w->o->spider ? "HEAD" : "GET";
	}
	return 1;
}

static bool wants_login(struct wget_file *f)
{
	struct bytes value;

	if (f->http.status != 401 || f->login || f->w->o->user == NULL ||
	    !http_field(&f->http, "WWW-Authenticate", &value) || value.len < 5 ||
	    !http_name_is(bytes_slice(value, 0, 5), "basic"))
		return false;
	if (talks(f->w))
		say(f->w, "Authentication selected: %.*s\n", (int)value.len, value.ptr);
	f->login = true;
	http_end(&f->http);
	return true;
}

/* What -c and -N find to be there already. */
static bool is_there(struct wget_file *f)
{
	struct wget *w = f->w;
	int64_t ns = server_time(f);
	struct vfs_stat st;

	if (f->have != 0 &&
	    (f->http.status == 416 ||
	     (f->http.status == 200 && f->http.body == HTTP_LENGTH && f->http.left == f->have))) {
		if (talks(w))
			say(w, "\n    The file is already fully retrieved; nothing to do.\n\n");
		return true;
	}
	if (f->http.status != 200)
		return false;
	f->have = 0; /* the server sends all of it */
	if (f->local_ns == 0 || ns == 0 || ns > f->local_ns || cmd_stat(w->c, f->name, &st) != 0 ||
	    (f->http.body == HTTP_LENGTH && f->http.left != st.size))
		return false;
	if (talks(w))
		say(w, "Server file no newer than local file %s -- not retrieving.\n\n",
		    cmd_quote(w->c, f->name));
	return true;
}

static enum outcome answer(struct wget_file *f, bool last)
{
	struct wget *w = f->w;

	if (is_there(f))
		return DONE;
	if (f->http.status / 100 != 2)
		return refuse(f);
	if (talks(w))
		say_length(f);
	if (w->o->spider) {
		if (!w->o->quiet)
			say(w, w->o->brief ? "%s URL: %s 200 OK\n" : "Remote file exists.\n\n",
			    time_text(w), text_of(f));
		return DONE;
	}
	return download(f, last);
}

/* One try, over redirects. */
static enum outcome attempt(struct wget_file *f, uint64_t try_number, bool last)
{
	struct wget *w = f->w;
	uint64_t count = 0;

	for (;;) {
		int err;
		int next;

		if (talks(w) && try_number > 1 && count == 0)
			say(w, "--%s--  (try:%2llu)  %s\n", time_text(w),
			    (unsigned long long)try_number, text_of(f));
		else if (talks(w))
			say(w, "--%s--  %s\n", time_text(w), text_of(f));
		err = exchange(f);
		if (err != 0) {
			bool again = err == -E_TIMEDOUT || err == -E_CONNRESET || err == HTTP_EMPTY;
			int status = w->o->quiet ? WGET_NETWORK : explain(f, err);

			if (again && !last)
				return AGAIN;
			failed(w, status);
			return DONE;
		}
		if (talks(w))
			say(w, "%d %s\n", f->http.status, arena_dup(w->c->arena, f->http.reason));
		if (w->o->show_head)
			show_head(f);
		if (wants_login(f))
			continue;
		next = redirect(f, &count);
		if (next < 0)
			return DONE;
		if (next == 0)
			return answer(f, last);
	}
}

/* False: it is there, and -nc says that it stays. */
static bool choose_name(struct wget_file *f)
{
	struct wget *w = f->w;
	const struct wget_opts *o = w->o;
	struct vfs_stat st;

	f->name = o->document != NULL ? o->document : with_prefix(f, name_of_url(f));
	if (o->spider || (o->document != NULL && !o->go_on) || cmd_stat(w->c, f->name, &st) != 0)
		return true;
	if (o->keep) {
		if (talks(w))
			say(w, "File %s already there; not retrieving.\n\n",
			    cmd_quote(w->c, f->name));
		return false;
	}
	if (o->go_on)
		f->have = st.size;
	if (o->newer)
		f->local_ns = st.mtime_ns;
	return true;
}

static void set_method(struct wget_file *f)
{
	const struct wget_opts *o = f->w->o;
	const char *text = o->post != NULL ? o->post : o->body;
	const char *file = o->post_file != NULL ? o->post_file : o->body_file;

	f->method = o->method != NULL ? o->method : o->spider ? "HEAD" : "GET";
	f->has_body = text != NULL || file != NULL;
	if (f->has_body && o->method == NULL)
		f->method = "POST";
	if (text != NULL)
		f->body = bytes_of(text);
	if (file != NULL && cmd_read_all(f->w->c, file, &f->body) < 0)
		cmd_fatal_status(f->w->c, WGET_FILE, 0,
				 "BODY data file %s missing: No such file or "
				 "directory",
				 cmd_quote(f->w->c, file));
}

static void get(struct wget *w, const char *text)
{
	struct arena scratch;
	struct wget_file f = { .w = w, .text = text };
	enum url_error err;

	arena_init_under(&scratch, w->lasting);
	w->c->arena = &scratch;
	err = url_parse(&scratch, bytes_of(text), URL_GUESS | URL_BLANKS, &f.url);
	f.http.fd = -1;
	if (err == URL_UNKNOWN || (err == URL_OK && !url_is_http(&f.url))) {
		if (!w->o->quiet)
			say(w, "%s: Unsupported scheme %s.\n", text,
			    cmd_quote(w->c, arena_dup(&scratch, f.url.scheme)));
		failed(w, WGET_GENERIC);
	} else if (err != URL_OK) {
		say(w, "%s: Invalid host name.\n", text);
		failed(w, WGET_GENERIC);
	} else if (choose_name(&f)) {
		set_method(&f);
		if (w->o->spider && talks(w))
			say(w, "Spider mode enabled. Check if remote file exists.\n");
		for (uint64_t n = 1;; n++) {
			bool last = w->tries != 0 && n >= w->tries;
			enum outcome o = attempt(&f, n, last);

			http_end(&f.http);
			if (o == DONE || last)
				break;
			if (w->retry_ns != 0)
				(void)cmd_sleep(w->c, n < 10 ? (int64_t)n * 1000000000 < w->retry_ns
								       ? (int64_t)n * 1000000000
								       : w->retry_ns
							     : w->retry_ns);
			f.have += w->has_document ? 0 : f.got;
			f.got = 0;
		}
	}
	w->c->arena = w->lasting;
	arena_clear(&scratch);
}

/* --- all of them --- */

static void get_list(struct wget *w, const char *path)
{
	struct bytes text;
	bool any = false;
	int err = cmd_read_all(w->c, path, &text);

	if (err < 0) {
		say(w, "%s: %s\n", path, err_text(err));
		text = (struct bytes){ "", 0 };
	}
	while (text.len != 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = bytes_trim(bytes_slice(text, 0, n));

		text = bytes_slice(text, end != NULL ? n + 1 : n, text.len);
		if (line.len != 0) {
			any = true;
			get(w, arena_dup(w->lasting, line));
		}
	}
	if (!any)
		say(w, "No URLs found in %s.\n", path);
}

static uint64_t number(struct wget *w, const char *name, const char *text, uint64_t otherwise)
{
	uint64_t n;

	if (text == NULL)
		return otherwise;
	if (strcmp(text, "inf") == 0)
		return 0;
	if (!num_plain(text, &n))
		cmd_fatal_status(w->c, 2, 0, "%s: Invalid number %s.", name, cmd_quote(w->c, text));
	return n;
}

static int missing_url(struct cmd *c)
{
	static const char usage[] = "Usage: wget [OPTION]... [URL]...\n\n"
				    "Try `wget --help' for more options.\n";

	cmd_warn(c, 0, "missing URL");
	cmd_err_write(c, usage, sizeof usage - 1);
	return WGET_GENERIC;
}

static int wget_run(struct cmd *c)
{
	struct wget_opts *o = c->opts;
	struct wget w = { .c = c, .lasting = c->arena, .o = o };
	int64_t ns = INT64_C(10000000000);

	if (c->nargs == 0 && o->list == NULL)
		return missing_url(c);
	w.tries = o->spider && o->tries == NULL ? 1 : number(&w, "--tries", o->tries, 20);
	w.redirects = number(&w, "--max-redirect", o->redirects, 20);
	if (o->wait_retry != NULL && !num_parse_span(o->wait_retry, &ns))
		cmd_fatal_status(c, 2, 0, "--waitretry: Invalid time period %s",
				 cmd_quote(c, o->wait_retry));
	w.retry_ns = ns;
	if (o->document != NULL && !o->spider) {
		int err = 0;

		w.has_document = true;
		if (strcmp(o->document, "-") == 0)
			w.document = (struct output){ .c = c, .fd = 1 };
		else
			err = output_open(&w.document, c, o->document,
					  O_CREAT_ | (o->go_on ? O_APPEND_ : O_TRUNC_), false);
		if (err < 0) {
			say(&w, "%s: %s\n", o->document, err_text(err));
			return WGET_GENERIC;
		}
		if (w.document.fd == 1)
			output_init(&w.document, c, 1, false);
	}
	for (int i = 0; i < c->nargs; i++)
		get(&w, c->args[i]);
	if (o->list != NULL)
		get_list(&w, o->list);
	if (w.has_document && w.document.fd == 1)
		output_flush(&w.document);
	else if (w.has_document)
		(void)output_close(&w.document);
	return w.status;
}

/* --- options --- */

static int set_n(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct wget_opts *o = c->opts;

	(void)opt;
	for (const char *at = arg; *at != '\0'; at++) {
		if (*at == 'v')
			o->brief = true;
		else if (*at == 'c')
			o->keep = true;
		else if (strchr("dHp", *at) == NULL)
			return cmd_usage(c, "invalid option -- 'n%s'", at);
	}
	return 0;
}

static int add_header(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct wget_opts *o = c->opts;

	(void)opt;
	o->lines.a = c->arena;
	if (strchr(arg, ':') == NULL)
		cmd_fatal_status(c, 2, 0, "--header: Invalid header %s.", cmd_quote(c, arg));
	http_add(&o->lines, "%s", arg);
	return 0;
}

#define T struct wget_opts

static const struct opt wget_options[] = {
	OPT_STR('O', "output-document", T, document, NULL, "FILE", "write documents to FILE"),
	OPT_STR('P', "directory-prefix", T, prefix, NULL, "PREFIX", "save files to PREFIX/.."),
	OPT_STR('i', "input-file", T, list, NULL, "FILE", "download URLs found in FILE"),
	OPT_FLAG('q', "quiet", T, quiet, "quiet (no output)"),
	OPT_IGNORED('v', "verbose", "be verbose (this is the default)"),
	OPT_FLAG(0, "no-verbose", T, brief, "turn off verboseness, without being quiet"),
	OPT_CALL_ARG('n', NULL, set_n, "LETTERS", NULL),
	OPT_STR('t', "tries", T, tries, NULL, "NUMBER", "set number of retries (0 unlimits)"),
	OPT_FLAG('c', "continue", T, go_on, "resume getting a partially-downloaded file"),
	OPT_FLAG(0, "no-clobber", T, keep, "skip downloads that would overwrite"),
	OPT_FLAG('N', "timestamping", T, newer, "don't re-retrieve files unless newer than local"),
	OPT_FLAG(0, "no-use-server-timestamps", T, no_time,
		 "don't set the local file's timestamp by the one on the server"),
	OPT_FLAG('S', "server-response", T, show_head, "print server response"),
	OPT_FLAG(0, "spider", T, spider, "don't download anything"),
	OPT_STR('T', "timeout", T, timeout, NULL, "SECONDS", "set all timeout values to SECONDS"),
	OPT_STR(0, "read-timeout", T, timeout, NULL, "SECS", NULL),
	OPT_STR(0, "waitretry", T, wait_retry, NULL, "SECONDS", "wait 1..SECONDS between retries"),
	OPT_STR(0, "max-redirect", T, redirects, NULL, "N",
		"maximum redirections allowed per page"),
	OPT_STR(0, "user", T, user, NULL, "USER", "set http user to USER"),
	OPT_STR(0, "password", T, password, NULL, "PASS", "set http password to PASS"),
	OPT_STR(0, "http-user", T, user, NULL, "USER", NULL),
	OPT_STR(0, "http-password", T, password, NULL, "PASS", NULL),
	OPT_FLAG(0, "auth-no-challenge", T, login_at_once,
		 "send Basic HTTP authentication information without waiting for a challenge"),
	OPT_FLAG('x', "force-directories", T, forced, "force creation of directories"),
	OPT_FLAG(0, "content-disposition", T, disposition,
		 "honor the Content-Disposition header when choosing local file names"),
	OPT_CALL_ARG(0, "header", add_header, "STRING", "insert STRING among the headers"),
	OPT_STR('U', "user-agent", T, agent, NULL, "AGENT", "identify as AGENT"),
	OPT_STR(0, "referer", T, referer, NULL, "URL", "include 'Referer: URL' header"),
	OPT_STR(0, "post-data", T, post, NULL, "STRING", "use the POST method; send STRING"),
	OPT_STR(0, "post-file", T, post_file, NULL, "FILE", "use the POST method; send FILE"),
	OPT_STR(0, "method", T, method, NULL, "HTTPMethod", "use method in the request"),
	OPT_STR(0, "body-data", T, body, NULL, "STRING", "send STRING as data"),
	OPT_STR(0, "body-file", T, body_file, NULL, "FILE", "send contents of FILE"),
	OPT_IGNORED(0, "no-config", "do not read any config file"),
	OPT_IGNORED(0, "no-check-certificate", "the host of this sandbox checks them all the same"),
	OPT_IGNORED(0, "no-proxy", NULL),
	OPT_IGNORED(0, "no-cache", NULL),
	OPT_IGNORED(0, "no-hsts", NULL),
	OPT_IGNORED('4', "inet4-only", NULL),
	OPT_IGNORED('6', "inet6-only", NULL),
	OPT_IGNORED_ARG(0, "progress", "TYPE", "progress is shown by dots"),
	OPT_IGNORED(0, "show-progress", NULL),
	OPT_MISSING('r', "recursive"),
	OPT_MISSING('m', "mirror"),
	OPT_MISSING('p', "page-requisites"),
	OPT_MISSING('k', "convert-links"),
	OPT_MISSING('b', "background"),
	OPT_MISSING_ARG('l', "level"),
	OPT_MISSING_ARG('A', "accept"),
	OPT_MISSING_ARG('R', "reject"),
	OPT_MISSING_ARG('o', "output-file"),
	OPT_MISSING_ARG('a', "append-output"),
	OPT_MISSING_ARG('w', "wait"),
	OPT_MISSING_ARG('e', "execute"),
	OPT_MISSING_ARG('Q', "quota"),
	OPT_MISSING_ARG(0, "limit-rate"),
	OPT_MISSING_ARG(0, "load-cookies"),
	OPT_MISSING_ARG(0, "save-cookies"),
	OPT_MISSING_ARG(0, "ca-certificate"),
	OPT_END(),
};

const struct builtin builtin_wget = {
	.name = "wget",
	.usage = "[OPTION]... [URL]...",
	.summary = "Fetch files over the network: HTTP and HTTPS.",
	.run = wget_run,
	.opts = wget_options,
	.opts_size = sizeof(struct wget_opts),
	.usage_status = 2,
	.family = "GNU Wget 1.21.3",
	.version = "GNU Wget 1.21.3 built on linux-gnu.",
	.hint = "Usage: %s [OPTION]... [URL]...\n\nTry `%s --help' for more options.\n",
};
