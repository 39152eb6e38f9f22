/* SPDX-License-Identifier: MIT
 *
 * curl's cookies: what servers set, what is sent back, and the file they are kept in.
 */
#include "builtins/http/curl.h"

enum { COOKIE_MAX = 4096, COOKIES_MAX = 3000 };

static bool same_name(struct bytes a, struct bytes b)
{
	for (size_t i = 0; i < a.len && a.len == b.len; i++)
		if (byte_to_lower(a.ptr[i]) != byte_to_lower(b.ptr[i]))
			return false;
	return a.len == b.len;
}

static bool is_address(struct bytes host)
{
	return host.len != 0 && (byte_is_digit(host.ptr[host.len - 1]) || host.ptr[0] == '[');
}

/* Whether a host is the domain or, with `tail`, below it. */
static bool domain_has(struct bytes domain, bool tail, struct bytes host)
{
	if (same_name(domain, host))
		return true;
	return tail && !is_address(host) && host.len > domain.len &&
	       host.ptr[host.len - domain.len - 1] == '.' &&
	       same_name(domain, bytes_slice(host, host.len - domain.len, host.len));
}

static bool path_has(struct bytes prefix, struct bytes path)
{
	if (!bytes_starts(path, prefix))
		return false;
	return path.len == prefix.len || prefix.len == 0 || prefix.ptr[prefix.len - 1] == '/' ||
	       path.ptr[prefix.len] == '/';
}

/* The newest first. One of the same name, domain and path is replaced in its place, or goes if the
 * new one has expired. */
static void keep(struct curl *k, const struct cookie *n)
{
	struct arena *a = k->lasting;
	bool past = n->expires != 0 && n->expires < cmd_now(k->c) / 1000000000;
	struct cookie **link = &k->cookies;
	struct cookie *copy;
	size_t count = 0;

	for (; *link != NULL; link = &(*link)->next, count++) {
		const struct cookie *old = *link;

		cmd_charge(k->c, 1);
		if (bytes_eq(old->name, n->name) && same_name(old->domain, n->domain) &&
		    bytes_eq(old->path, n->path))
			break;
	}
	if (*link != NULL && past)
		*link = (*link)->next;
	if (past || count >= COOKIES_MAX)
		return;
	copy = *link != NULL ? *link : arena_zalloc(a, sizeof *copy);
	if (*link == NULL) {
		copy->next = k->cookies;
		k->cookies = copy;
	}
	copy->name = arena_bytes(a, n->name);
	copy->value = arena_bytes(a, n->value);
	copy->domain = arena_bytes(a, n->domain);
	copy->path = arena_bytes(a, n->path);
	copy->tail = n->tail;
	copy->secure = n->secure;
	copy->http_only = n->http_only;
	copy->expires = n->expires;
}

/* --- Set-Cookie --- */

static void see_attribute(struct curl_transfer *t, struct cookie *n, struct bytes name,
			  struct bytes value)
{
	int64_t seconds = 0;

	if (http_name_is(name, "path") && value.len != 0 && value.ptr[0] == '/')
		n->path = value;
	else if (http_name_is(name, "domain") && value.len != 0) {
		n->domain = value.ptr[0] == '.' ? bytes_slice(value, 1, value.len) : value;
		n->tail = true;
	} else if (http_name_is(name, "expires") && n->expires == 0 && http_date(value, &seconds))
		n->expires = seconds > 0 ? seconds : 1;
	else if (http_name_is(name, "max-age") && value.len < 12) {
		bool past = value.len == 0 || value.ptr[0] == '-' || bytes_is(value, "0");

		for (size_t i = 0; i < value.len && byte_is_digit(value.ptr[i]); i++)
			seconds = seconds * 10 + value.ptr[i] - '0';
		n->expires = past ? 1 : cmd_now(t->curl->c) / 1000000000 + seconds;
	} else if (http_name_is(name, "secure"))
		n->secure = true;
	else if (http_name_is(name, "httponly"))
		n->http_only = true;
}

/* A control byte in a cookie would be one in a request, or in the file. */
static bool is_clean(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (((unsigned char)s.ptr[i] < ' ' && s.ptr[i] != '\t') || s.ptr[i] == 0x7f)
			return false;
	return s.len <= COOKIE_MAX;
}

static void see_cookie(struct curl_transfer *t, struct bytes line)
{
	const char *slash = bytes_rfind(t->url.path, BYTES("/"));
	struct cookie n = { .domain = t->url.host };
	bool first = true;

	n.path = bytes_slice(t->url.path, 0,
			     slash > t->url.path.ptr ? (size_t)(slash - t->url.path.ptr) : 1);
	if (!is_clean(line))
		return;
	while (line.len != 0 || first) {
		const char *end = memchr(line.ptr, ';', line.len);
		size_t len = end != NULL ? (size_t)(end - line.ptr) : line.len;
		struct bytes item = bytes_slice(line, 0, len);
		const char *equals = memchr(item.ptr, '=', item.len);
		size_t at = equals != NULL ? (size_t)(equals - item.ptr) : item.len;
		struct bytes name = bytes_trim(bytes_slice(item, 0, at));
		struct bytes value = bytes_trim(
			bytes_slice(item, equals != NULL ? at + 1 : at, item.len));

		line = bytes_slice(line, end != NULL ? len + 1 : len, line.len);
		if (!first) {
			see_attribute(t, &n, name, value);
			continue;
		}
		first = false;
		n.name = name;
		n.value = value;
		if (equals == NULL || name.len == 0)
			return;
	}
	/* A host sets cookies for itself and domains above it that are more than one word. */
	if (!domain_has(n.domain, n.tail, t->url.host) ||
	    (n.tail && memchr(n.domain.ptr, '.', n.domain.len) == NULL &&
	     !same_name(n.domain, t->url.host)))
		return;
	if (n.secure && !bytes_is(t->url.scheme, "https"))
		return;
	keep(t->curl, &n);
}

void curl_cookies_see(struct curl_transfer *t)
{
	struct bytes rest = buf_bytes(&t->http.head);
	struct bytes name, value;

	while (http_next(&rest, &name, &value))
		if (http_name_is(name, "Set-Cookie"))
			see_cookie(t, value);
}

/* --- Cookie --- */

/* Longer paths first, then the newer ones. */
static void insert(struct cookie **list, size_t n, struct cookie *c)
{
	size_t at = n;

	while (at > 0 && list[at - 1]->path.len < c->path.len) {
		list[at] = list[at - 1];
		at--;
	}
	list[at] = c;
}

struct bytes curl_cookies_for(struct curl_transfer *t)
{
	enum { SENT_MAX = 150, BYTES_MAX = 8192 };
	struct arena *a = t->curl->c->arena;
	struct cookie **list = arena_array(a, SENT_MAX, sizeof *list);
	struct buf out = buf_in(a);
	size_t n = 0;

	for (struct cookie *c = t->curl->cookies; c != NULL && n < SENT_MAX; c = c->next)
		if (domain_has(c->domain, c->tail, t->url.host) && path_has(c->path, t->url.path) &&
		    (!c->secure || bytes_is(t->url.scheme, "https")))
			insert(list, n++, c);
	for (size_t i = 0; i < n; i++) {
		if (out.len + list[i]->name.len + list[i]->value.len > BYTES_MAX)
			break;
		if (out.len != 0)
			buf_puts(&out, "; ");
		buf_add(&out, list[i]->name);
		buf_putc(&out, '=');
		buf_add(&out, list[i]->value);
	}
	if (t->set->cookie.len != 0 && !t->foreign) {
		if (out.len != 0)
			buf_puts(&out, "; ");
		buf_add(&out, buf_bytes(&t->set->cookie));
	}
	return buf_bytes(&out);
}

/* --- the file --- */

static void read_line(struct curl *k, struct bytes line)
{
	struct bytes field[7] = { { "", 0 } };
	struct cookie n = { .expires = 0 };
	int count = 0;

	if (bytes_starts(line, BYTES("#HttpOnly_"))) {
		n.http_only = true;
		line = bytes_slice(line, 10, line.len);
	}
	if (line.len == 0 || line.ptr[0] == '#' || !is_clean(line))
		return;
	for (; count < 7; count++) {
		const char *tab = count < 6 ? memchr(line.ptr, '\t', line.len) : NULL;
		size_t len = tab != NULL ? (size_t)(tab - line.ptr) : line.len;

		field[count] = bytes_slice(line, 0, len);
		line = bytes_slice(line, tab != NULL ? len + 1 : len, line.len);
		if (tab == NULL)
			break;
	}
	if (count < 5)
		return;
	n.domain = field[0];
	if (n.domain.len != 0 && n.domain.ptr[0] == '.')
		n.domain = bytes_slice(n.domain, 1, n.domain.len);
	n.tail = http_name_is(field[1], "TRUE");
	n.path = field[2];
	n.secure = http_name_is(field[3], "TRUE");
	for (size_t i = 0; i < field[4].len && i < 15 && byte_is_digit(field[4].ptr[i]); i++)
		n.expires = n.expires * 10 + field[4].ptr[i] - '0';
	n.name = field[5];
	n.value = field[6];
	if (n.expires < INT64_C(200000000000) && n.name.len != 0 &&
	    !(k->set->junk_session && n.expires == 0))
		keep(k, &n);
}

/* A file that is not there has no cookies. */
int curl_cookies_read(struct curl *k, const char *path)
{
	struct bytes text;

	if (cmd_read_all(k->c, path, &text) < 0)
		return 0;
	while (text.len != 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = bytes_slice(text, 0, n);

		if (line.len != 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		text = bytes_slice(text, end != NULL ? n + 1 : n, text.len);
		read_line(k, line);
	}
	return 0;
}

static void put_text(struct output *out, const char *text)
{
	output_write(out, text, strlen(text));
}

int curl_cookies_write(struct curl *k, const char *path)
{
	struct output file;
	struct output *out = &k->c->out;

	if (strcmp(path, "-") != 0) {
		if (output_open(&file, k->c, path, O_CREAT_ | O_TRUNC_, true) < 0) {
			curl_warn(k, "failed to save cookies in %s", path);
			return 0;
		}
		out = &file;
	}
	put_text(out, "# Netscape HTTP Cookie File\n");
	put_text(out, "# https://curl.se/docs/http-cookies.html\n");
	put_text(out, "# This file was generated by libcurl! Edit at your own risk.\n\n");
	for (const struct cookie *c = k->cookies; c != NULL; c = c->next) {
		struct buf b = buf_in(k->c->arena);

		buf_puts(&b, c->http_only ? "#HttpOnly_" : "");
		buf_puts(&b, c->tail ? "." : "");
		buf_add(&b, c->domain);
		buf_printf(&b, "\t%s\t", c->tail ? "TRUE" : "FALSE");
		buf_add(&b, c->path);
		buf_printf(&b, "\t%s\t%lld\t", c->secure ? "TRUE" : "FALSE", (long long)c->expires);
		buf_add(&b, c->name);
		buf_putc(&b, '\t');
		buf_add(&b, c->value);
		buf_putc(&b, '\n');
		output_write(out, b.ptr, b.len);
	}
	if (out == &file && output_close(&file) != 0)
		curl_warn(k, "failed to save cookies in %s", path);
	return 0;
}
