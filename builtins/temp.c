/* SPDX-License-Identifier: MIT
 *
 * Files without a name: made under a random one, which is removed at once.
 */
#include "builtins/temp.h"

enum { TRIES_MAX = 100, COPY_BLOCK = 16384 };

int temp_open(struct cmd *c, const char *dir)
{
	const char *env = cmd_getenv(c, "TMPDIR");
	struct arena_mark mark = arena_mark(c->arena);
	struct buf path = buf_in(c->arena);
	int fd = -E_EXIST;

	if (dir == NULL)
		dir = env != NULL && *env != '\0' ? env : "/tmp";
	for (int i = 0; i < TRIES_MAX && fd == -E_EXIST; i++) {
		path.len = 0;
		buf_printf(&path, "%s/%s.%llx", dir, c->b->name, (unsigned long long)cmd_random(c));
		fd = cmd_open(c, CMD_CWD, buf_cstr(&path),
			      O_RDWR_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_ | O_APPEND_, 0600);
	}
	if (fd < 0)
		cmd_fatal(c, fd, "%s", buf_cstr(&path));
	cmd_unlink(c, CMD_CWD, buf_cstr(&path), 0);
	arena_release(c->arena, mark);
	return fd;
}

void temp_copy(struct cmd *c, int fd, int to)
{
	char block[COPY_BLOCK];
	uint64_t pos = 0;
	int64_t got;

	while ((got = cmd_pread(c, fd, block, sizeof block, pos)) > 0) {
		if (cmd_write_fd(c, to, block, (size_t)got) < 0)
			return;
		pos += (uint64_t)got;
		cmd_charge_bytes(c, (size_t)got);
	}
}
