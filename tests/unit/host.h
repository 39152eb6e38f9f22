/* SPDX-License-Identifier: MIT
 *
 * A host for tests of the public interface, which keeps what was written.
 */
#ifndef TESTS_UNIT_HOST_H
#define TESTS_UNIT_HOST_H

#include "tests/unit/session.h"

static cowsh_store *store; /* main makes it */

struct host {
	char out[3][65536];
	size_t len[3];
	const char *input;
	int pending; /* how many more times callbacks say that they are not ready */
};

static inline int on_output(void *user, int fd, const char *data, size_t len)
{
	struct host *h = user;

	if (h->len[fd] + len >= sizeof h->out[fd])
		len = sizeof h->out[fd] - 1 - h->len[fd];
	memcpy(h->out[fd] + h->len[fd], data, len);
	h->len[fd] += len;
	h->out[fd][h->len[fd]] = '\0';
	return 0;
}

static inline int64_t on_input(void *user, char *into, size_t len)
{
	struct host *h = user;
	size_t n;

	if (h->pending > 0) {
		h->pending--;
		return COWSH_PENDING;
	}
	n = h->input != NULL ? strlen(h->input) : 0;
	n = n < len ? n : len;
	if (n != 0)
		memcpy(into, h->input, n);
	if (n != 0)
		h->input += n;
	return (int64_t)n;
}

static inline struct cowsh_host callbacks(struct host *h)
{
	struct cowsh_host host = COWSH_HOST_INIT;

	memset(h, 0, sizeof *h);
	host.output = on_output;
	host.input = on_input;
	host.user = h;
	return host;
}

static inline cowsh *new_session(struct host *h, const struct cowsh_config *config)
{
	struct cowsh_host host = callbacks(h);
	cowsh *s = NULL;

	if (cowsh_new(store, config, &host, &s) < 0)
		abort();
	return s;
}

#endif
