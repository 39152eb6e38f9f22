/* SPDX-License-Identifier: MIT
 *
 * --allow-url: the session's network, the runner's end. See fetch.h.
 */
#include "cli/fetch.h"
#include "cli/allow.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int message_fd = -1;
static int reply_fd = -1;

bool fetch_option(int argc, char **argv, int *i)
{
	const char *v;

	if ((v = option_value("--allow-url", argc, argv, i)) != NULL) {
		if (!allow_add_url(v))
			fatal("--allow-url wants a prefix such as https://example.org/api/, not "
			      "'%s'",
			      v);
	} else if ((v = option_value("--allow-method", argc, argv, i)) != NULL) {
		if (!allow_add_method(v))
			fatal("--allow-method wants a method such as POST, not '%s'", v);
	} else {
		return false;
	}
	return true;
}

static bool send_message(const struct fetch_message *m)
{
	return write_all(message_fd, (const char *)m, sizeof *m) == 0;
}

/* Without being stopped by signals: what is awaited comes at once. */
static bool receive(void *into, size_t len)
{
	return read_exactly(reply_fd, into, len);
}

/* The reply to READ. A signal that ends the command takes the question back. */
static bool await(struct fetch_reply *reply)
{
	static const struct fetch_message cancel = { .op = FETCH_CANCEL };
	ssize_t n;

	do {
		n = read(reply_fd, reply, sizeof *reply);
		if (n < 0 && errno == EINTR && (deadline_passed() || interrupted()))
			return send_message(&cancel) && receive(reply, sizeof *reply);
	} while (n < 0 && errno == EINTR);
	return n > 0 && receive((char *)reply + n, sizeof *reply - (size_t)n);
}

static bool open_request(const struct cowsh_request *r)
{
	struct fetch_message m = { .op = FETCH_OPEN,
				   .id = r->id,
				   .len = r->body_len,
				   .timeout_ms = r->timeout_ms,
				   .method_len = (uint32_t)strlen(r->method),
				   .url_len = (uint32_t)strlen(r->url) };
	bool sent;

	for (size_t i = 0; r->headers[i] != NULL; i++)
		m.headers_len += (uint32_t)strlen(r->headers[i]) + 1;
	if (m.headers_len > FETCH_HEADERS_MAX || m.len > FETCH_BODY_MAX)
		return false;
	sent = send_message(&m) && write_all(message_fd, r->method, m.method_len) == 0 &&
	       write_all(message_fd, r->url, m.url_len) == 0;
	for (size_t i = 0; sent && r->headers[i] != NULL; i++)
		sent = write_all(message_fd, r->headers[i], strlen(r->headers[i]) + 1) == 0;
	return sent && write_all(message_fd, r->body, r->body_len) == 0;
}

static int64_t fetch(void *user, const struct cowsh_request *r, char *into, size_t len)
{
	struct fetch_message m = { .op = len != 0 ? FETCH_READ : FETCH_CLOSE,
				   .id = r->id,
				   .len = len };
	struct fetch_reply reply;

	(void)user;
	if (!send_message(&m))
		return -COWSH_EIO;
	if (len == 0)
		return 0;
	if (!await(&reply))
		return -COWSH_EIO;
	/* The first question about a request: the fetcher has not heard of it. */
	if (reply.result == -COWSH_ENXIO && r->received == 0) {
		if (!open_request(r))
			return -COWSH_EFBIG;
		if (!send_message(&m) || !await(&reply))
			return -COWSH_EIO;
		if (reply.result == -COWSH_ENXIO)
			return -COWSH_EBUSY; /* too many at once */
	}
	if (reply.result > (int64_t)len)
		return -COWSH_EIO;
	if (reply.result == -COWSH_EAGAIN)
		return COWSH_PENDING;
	if (reply.result > 0 && !receive(into, (size_t)reply.result))
		return -COWSH_EIO;
	return reply.result;
}

void fetch_open(struct cowsh_host *host)
{
	int fds[2];

	if (!allow_any())
		return;
	fetcher_start(fds);
	message_fd = fds[0];
	reply_fd = fds[1];
	host->fetch = fetch;
}

static int64_t refuse(void *user, const struct cowsh_request *r, char *into, size_t len)
{
	(void)user;
	(void)r;
	(void)into;
	return len != 0 ? -COWSH_EACCES : 0;
}

void fetch_refuse(struct cowsh_host *host)
{
	if (host->fetch != NULL)
		host->fetch = refuse;
}
