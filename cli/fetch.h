/* SPDX-License-Identifier: MIT
 *
 * What the runner and the fetcher say to each other, over two pipes. The fetcher is a process that
 * exists only with --allow-url: it checks each request and lets the host's curl make it.
 *
 *   runner  OPEN, then method, URL, headers, body          fetcher
 *           READ            reply, then result bytes; -COWSH_ENXIO: OPEN was not yet
 *           CLOSE
 *           CANCEL          the READ that waits is answered at once: -COWSH_EAGAIN
 */
#ifndef CLI_FETCH_H
#define CLI_FETCH_H

#include "cli/cli.h"

enum fetch_op { FETCH_OPEN, FETCH_READ, FETCH_CLOSE, FETCH_CANCEL };

enum {
	FETCH_METHOD_MAX = 32,
	FETCH_URL_MAX = 65535,
	FETCH_HEADERS_MAX = 4 << 20,
	FETCH_CHUNK = 65536,
	FETCH_OPEN_MAX = 256, /* requests at once */
};
#define FETCH_BODY_MAX ((uint64_t)1 << 32)

struct fetch_message {
	uint64_t op;
	uint64_t id;
	uint64_t len;        /* READ: at most; OPEN: of the body */
	uint64_t timeout_ms; /* OPEN */
	uint32_t method_len; /* OPEN: texts without NUL */
	uint32_t url_len;
	uint32_t headers_len; /* lines, each with a NUL */
	uint32_t unused;
};

struct fetch_reply {
	int64_t result; /* bytes that follow, 0 at the end, or an error */
};

/* Starts the process. fds: where messages are written, where replies are read. */
void fetcher_start(int fds[2]);

#endif
