/* SPDX-License-Identifier: MIT
 *
 * The network as commands see it: requests that the host answers, and servers inside.
 */
#include "builtins/cmd_private.h"

int cmd_fetch(struct cmd *c, const struct cmd_request *r)
{
	struct fetch_request request = { .method = r->method,
					 .url = r->url,
					 .headers = r->headers,
					 .body = r->body.ptr,
					 .body_len = r->body.len,
					 .timeout_ms = r->timeout_ms };

	return (int)sys_fetch(c->p, &request);
}

bool cmd_header_is_ours(struct bytes name)
{
	return fetch_header_is_ours(name);
}

int64_t cmd_receive(struct cmd *c, int fd, void *out, size_t n)
{
	return sys_read(c->p, fd, out, n);
}

int cmd_connect(struct cmd *c, uint16_t port)
{
	struct socket_name name = { .family = SOCKET_INET, .port = port, .ip = { 127, 0, 0, 1 } };
	int fd = (int)sys_socket(c->p, SOCKET_INET, SOCKET_STREAM, O_CLOEXEC_);
	int err = fd >= 0 ? (int)sys_connect(c->p, fd, &name) : fd;

	if (err == 0)
		return fd;
	if (fd >= 0)
		cmd_close(c, fd);
	return err;
}
