/* SPDX-License-Identifier: MIT
 *
 * Text to a descriptor, gathered in a buffer: what is said after the lock can't go through
 * stdio, whose system calls are others.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[4096];
static size_t buffered;
static int into = 1;

int write_all(int fd, const char *data, size_t len)
{
	while (len != 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

void out_flush(void)
{
	(void)write_all(into, buffer, buffered);
	buffered = 0;
}

void out_to(int fd)
{
	out_flush();
	into = fd;
}

void out_bytes(const char *data, size_t len)
{
	if (len > sizeof buffer - buffered)
		out_flush();
	if (len > sizeof buffer) {
		(void)write_all(into, data, len);
		return;
	}
	memcpy(buffer + buffered, data, len);
	buffered += len;
}

void out_text(const char *text)
{
	out_bytes(text, strlen(text));
}

void out_char(char c)
{
	out_bytes(&c, 1);
}

void out_format(const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n > 0)
		out_bytes(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
