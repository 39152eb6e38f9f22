/* SPDX-License-Identifier: MIT
 *
 * See http.h: sending a request, and reading the answer piece by piece.
 */
#include "builtins/http/http.h"

#include <stdarg.h>

enum { CHUNK_LINE_MAX = 4096, SIGALRM_NUMBER = 14, SIGPIPE_NUMBER = 13 };

/* --- lines --- */

void http_add(struct http_lines *l, const char *format, ...)
{
	struct buf b = buf_in(l->a);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	l->v = arena_room(l->a, l->v, l->n, sizeof *l->v);
	l->v[l->n++] = buf_cstr(&b);
}

bool http_name_is(struct bytes name, const char *want)
{
	size_t i = 0;

	while (i < name.len && want[i] != '\0' &&
	       byte_to_lower(name.ptr[i]) == byte_to_lower(want[i]))
		i++;
	return i == name.len && want[i] == '\0';
}

const char *http_line(const struct http_lines *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (http_name_is((struct bytes){ l->v[i], strcspn(l->v[i], ":") }, name))
			return l->v[i];
	return NULL;
}

/* --- sending --- */

/* The value of a number in a header; false: it is none, or does not fit. */
static bool read_number(struct bytes s, unsigned base, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < s.len; i++) {
		int digit = byte_digit(s.ptr[i]);

		if (digit < 0 || (unsigned)digit >= base || *out > (UINT64_MAX >> 1) / base)
			return false;
		*out = *out * base + (unsigned)digit;
	}
	return s.len != 0;
}

struct bytes http_request_text(struct arena *a, const struct http_call *call)
{
	struct buf b = buf_in(a);
	const char *host = http_line(call->lines, "Host");

	buf_printf(&b, "%s ", call->method);
	url_put_target(&b, call->url);
	buf_puts(&b, call->http10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
	if (host != NULL) {
		buf_printf(&b, "%s\r\n", host);
	} else {
		buf_puts(&b, "Host: ");
		url_put_host(&b, call->url);
		buf_puts(&b, "\r\n");
	}
	for (size_t i = 0; i < call->lines->n; i++)
		if (call->lines->v[i] != host)
			buf_printf(&b, "%s\r\n", call->lines->v[i]);
	buf_puts(&b, "\r\n");
	return buf_bytes(&b);
}

static bool is_number(struct bytes text, uint64_t wanted)
{
	uint64_t n;

	return read_number(text, 10, &n) && n == wanted;
}

static int ask_host(struct http *h, const struct http_call *call)
{
	struct buf url = buf_in(h->c->arena);
	const char **lines = arena_array(h->c->arena, call->lines->n + 1, sizeof *lines);
	struct cmd_request r = { .method = call->method,
				 .headers = lines,
				 .timeout_ms = call->timeout_ms };
	size_t n = 0;

	for (size_t i = 0; i < call->lines->n; i++) {
		const char *line = call->lines->v[i];
		struct bytes name = { line, strcspn(line, ":") };

		/* The host counts the body itself. */
		if (http_name_is(name, "Content-Length") &&
		    is_number(bytes_trim(bytes_of(line + name.len + 1)), call->body.len))
			continue;
		if (cmd_header_is_ours(name))
			return HTTP_UNSAYABLE;
		lines[n++] = line;
	}
	url_put(&url, call->url);
	r.url = buf_cstr(&url);
	if (call->has_body)
		r.body = call->body;
	h->fd = cmd_fetch(h->c, &r);
	return h->fd < 0 ? h->fd : 0;
}

/* A server that does not read all of a body may answer before it was sent. */
static int send_inside(struct http *h, const struct http_call *call)
{
	struct bytes text = http_request_text(h->c->arena, call);
	enum cmd_action before = cmd_signal_action(h->c, SIGPIPE_NUMBER);
	int err;

	cmd_signal(h->c, SIGPIPE_NUMBER, CMD_SIG_IGNORE);
	err = cmd_write_fd(h->c, h->fd, text.ptr, text.len);
	if (err == 0 && call->has_body)
		err = cmd_write_fd(h->c, h->fd, call->body.ptr, call->body.len);
	cmd_signal(h->c, SIGPIPE_NUMBER, before);
	return err == -E_PIPE || err == -E_CONNRESET ? 0 : err;
}

int http_start(struct http *h, struct cmd *c, const struct http_call *call)
{
	int err;

	*h = (struct http){ .c = c, .fd = -1, .head = buf_in(c->arena) };
	h->is_head = call->only_head || strcmp(call->method, "HEAD") == 0;
	h->data = arena_alloc(c->arena, HTTP_BUFFER);
	if (call->inside_only) {
		h->fd = cmd_connect(c, (uint16_t)call->inside_port);
		if (h->fd < 0)
			return h->fd;
	} else if (bytes_is(call->url->scheme, "http") && url_is_local(call->url))
		h->fd = cmd_connect(c, (uint16_t)call->url->port);
	h->inside = h->fd >= 0;
	if (!h->inside)
		return ask_host(h, call);
	if (call->timeout_ms != 0) {
		cmd_signal(c, SIGALRM_NUMBER, CMD_SIG_CATCH);
		cmd_alarm(c, (int64_t)call->timeout_ms * 1000000);
	}
	err = send_inside(h, call);
	if (err != 0)
		http_end(h);
	return err;
}

void http_end(struct http *h)
{
	if (h->fd < 0)
		return;
	if (h->inside)
		cmd_alarm(h->c, 0);
	cmd_close(h->c, h->fd);
	h->fd = -1;
}

/* --- reading --- */

/* More into the buffer, which is empty or has a beginning that is kept: 0, also at the end. */
static int fill(struct http *h)
{
	int64_t n;

	if (h->from != 0) {
		memmove(h->data, h->data + h->from, h->to - h->from);
		h->to -= h->from;
		h->from = 0;
	}
	if (h->ended || h->to == HTTP_BUFFER)
		return 0;
	n = cmd_receive(h->c, h->fd, h->data + h->to, HTTP_BUFFER - h->to);
	if (n == -E_INTR && cmd_next_signal(h->c) == SIGALRM_NUMBER)
		n = -E_TIMEDOUT;
	if (n < 0 && n != -E_INTR)
		return (int)n;
	if (n == 0)
		h->ended = true;
	if (n > 0)
		h->to += (size_t)n;
	cmd_charge_bytes(h->c, n > 0 ? (size_t)n : 0);
	return 0;
}

static struct bytes unread(const struct http *h)
{
	return (struct bytes){ h->data + h->from, h->to - h->from };
}

/* Appends the next line with its end to the head; an empty line sets *last. */
static int head_line(struct http *h, bool *last)
{
	size_t begin = h->head.len;
	const char *end = NULL;

	while (end == NULL) {
		struct bytes now = unread(h);
		size_t n;

		if (now.len == 0) {
			int err = fill(h);

			if (err != 0)
				return err;
			if (h->ended && h->to == h->from)
				return h->head.len == 0 ? HTTP_EMPTY : HTTP_SHORT;
			continue;
		}
		end = memchr(now.ptr, '\n', now.len);
		n = end != NULL ? (size_t)(end - now.ptr) + 1 : now.len;
		if (h->head.len + n > HTTP_HEAD_MAX)
			return HTTP_LONG_HEAD;
		buf_put(&h->head, now.ptr, n);
		h->from += n;
		if (begin == 0 && h->head.len >= 5 && memcmp(h->head.ptr, "HTTP/", 5) != 0)
			return HTTP_WEIRD;
	}
	*last = h->head.len - begin <= 2 &&
		(h->head.len - begin == 1 || h->head.ptr[begin] == '\r');
	return 0;
}

static int read_status(struct http *h)
{
	struct bytes line = buf_bytes(&h->head);
	const char *end = memchr(line.ptr, '\n', line.len);
	size_t at;

	line = bytes_trim(bytes_slice(line, 0, (size_t)(end - line.ptr)));
	at = 5;
	while (at < line.len && line.ptr[at] != ' ')
		at++;
	if (line.len < at + 4 || at > 8)
		return HTTP_WEIRD;
	h->version = bytes_slice(line, 5, at);
	h->status = 0;
	for (size_t i = at + 1; i < at + 4; i++) {
		if (!byte_is_digit(line.ptr[i]))
			return HTTP_WEIRD;
		h->status = h->status * 10 + line.ptr[i] - '0';
	}
	h->reason = bytes_trim(bytes_slice(line, at + 4, line.len));
	return h->status >= 100 ? 0 : HTTP_WEIRD;
}

/* How long the body is. Of the host's answers a transfer coding is taken off already. */
static void see_body(struct http *h)
{
	struct bytes value;

	h->body = HTTP_TO_END;
	if (h->is_head || h->status == 204 || h->status == 304)
		h->body = HTTP_NONE;
	else if (http_field(h, "Transfer-Encoding", &value))
		h->body = h->inside && http_name_is(value, "chunked") ? HTTP_CHUNKS : HTTP_TO_END;
	else if (http_field(h, "Content-Length", &value) && read_number(value, 10, &h->left))
		h->body = HTTP_LENGTH;
}

int http_head(struct http *h)
{
	int err;

	do {
		bool last = false;

		h->head.len = 0;
		do
			err = head_line(h, &last);
		while (err == 0 && !last);
		if (err == 0)
			err = read_status(h);
	} while (err == 0 && h->status < 200);
	if (err == 0)
		see_body(h);
	return err;
}

/* The line with a chunk's length; at the end of the last one also what follows it. */
static int next_chunk(struct http *h)
{
	for (;;) {
		struct bytes now = unread(h);
		const char *end = memchr(now.ptr, '\n', now.len);
		struct bytes line;
		int err;

		if (end == NULL) {
			if (now.len > CHUNK_LINE_MAX)
				return HTTP_BAD_CHUNK;
			if (h->ended)
				return HTTP_SHORT;
			err = fill(h);
			if (err != 0)
				return err;
			continue;
		}
		line = bytes_trim(bytes_slice(now, 0, (size_t)(end - now.ptr)));
		h->from += (size_t)(end - now.ptr) + 1;
		if (h->body == HTTP_LAST_CHUNK) {
			if (line.len == 0)
				h->body = HTTP_NONE;
		} else if (line.len != 0 || h->taken == 0) {
			const char *more = memchr(line.ptr, ';', line.len);

			if (more != NULL)
				line = bytes_trim(bytes_slice(line, 0, (size_t)(more - line.ptr)));
			if (!read_number(line, 16, &h->left))
				return HTTP_BAD_CHUNK;
			if (h->left != 0)
				return 0;
			h->body = HTTP_LAST_CHUNK;
		}
		if (h->body == HTTP_NONE)
			return 0;
	}
}

static bool body_is_over(const struct http *h)
{
	return h->body == HTTP_NONE || (h->body == HTTP_LENGTH && h->left == 0);
}

int http_read(struct http *h, struct bytes *piece)
{
	int err = 0;

	*piece = (struct bytes){ "", 0 };
	if ((h->body == HTTP_CHUNKS && h->left == 0) || h->body == HTTP_LAST_CHUNK)
		err = next_chunk(h);
	while (err == 0 && !body_is_over(h) && unread(h).len == 0 && !h->ended)
		err = fill(h);
	if (err == -E_CONNRESET)
		err = HTTP_SHORT;
	if (err != 0 || body_is_over(h))
		return err;
	*piece = unread(h);
	if (piece->len == 0)
		return h->body == HTTP_TO_END ? 0 : HTTP_SHORT;
	if (h->body != HTTP_TO_END) {
		if (piece->len > h->left)
			piece->len = (size_t)h->left;
		h->left -= piece->len;
	}
	h->from += piece->len;
	h->taken += piece->len;
	return 0;
}

/* --- fields --- */

bool http_next(struct bytes *rest, struct bytes *name, struct bytes *value)
{
	while (rest->len != 0) {
		const char *end = memchr(rest->ptr, '\n', rest->len);
		size_t len = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
		struct bytes line = bytes_slice(*rest, 0, len);
		const char *colon = memchr(line.ptr, ':', line.len);

		*rest = bytes_slice(*rest, end != NULL ? len + 1 : len, rest->len);
		if (colon == NULL || byte_is_space(line.ptr[0]))
			continue;
		*name = bytes_slice(line, 0, (size_t)(colon - line.ptr));
		*value = bytes_trim(bytes_slice(line, name->len + 1, line.len));
		return true;
	}
	return false;
}

bool http_field(const struct http *h, const char *name, struct bytes *value)
{
	struct bytes rest = buf_bytes(&h->head);
	struct bytes found;

	while (http_next(&rest, &found, value))
		if (http_name_is(found, name))
			return true;
	*value = (struct bytes){ "", 0 };
	return false;
}
