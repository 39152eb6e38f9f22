/* SPDX-License-Identifier: MIT
 *
 * --allow-url and --allow-method: which requests the session may make. Nothing here trusts what it
 * reads: a URL that could be understood in two ways is refused.
 */
#ifndef CLI_ALLOW_H
#define CLI_ALLOW_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLOW_URL_MAX = 65536, ALLOW_RULES_MAX = 256, ALLOW_HOST_MAX = 256 };

/* A URL in parts; they point into its text. */
struct allow_url {
	bool secure;
	char host[ALLOW_HOST_MAX]; /* in small letters */
	unsigned port;
	const char *path; /* and query; "/" if there is none */
};

/* False: it is no plain http or https URL. What is refused: users, other letters than printable
 * ASCII, hosts and ports in odd forms, paths with "." or ".." however they are written. */
bool allow_read(const char *text, struct allow_url *out);

/* A prefix that is allowed; false: it is none. */
bool allow_add_url(const char *prefix);
bool allow_add_method(const char *method);
bool allow_any(void);

/* Whether the request may be made. */
bool allow_check(const char *method, const struct allow_url *url);

/* "Name: value" that is one line, and not one that says how the message is sent. */
bool allow_header(const char *line);

#endif
