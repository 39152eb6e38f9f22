/* SPDX-License-Identifier: MIT
 *
 * Reads and writes that are whole, whatever a pipe takes at once.
 */
#include "cli/cli.h"

#include <errno.h>
#include <unistd.h>

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

bool read_exactly(int fd, void *into, size_t len)
{
	char *at = into;

	while (len != 0) {
		ssize_t n = read(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}
