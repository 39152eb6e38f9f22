/* SPDX-License-Identifier: MIT
 *
 * Files without a name: made under a random one, which is removed at once.
 */
#include "builtins/temp.h"

enum { TRIES_MAX = 100, COPY_BLOCK = 16384 };

static const char *directory(struct cmd *c, const char *dir)
{
	const char *env = cmd_getenv(c, "TMPDIR");

	if (dir != NULL)
		return dir;
	return env != NULL && *env != '\0' ? env : "/tmp";
}

int temp_open_named(struct cmd *c, const char *dir, const char *prefix, const char *suffix,
		    struct buf *path)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	int fd = -E_EXIST;

	for (int i = 0; i < TRIES_MAX && fd == -E_EXIST; i++) {
		uint64_t random = cmd_random(c);

		path->len = 0;
		buf_printf(path, "%s/%s", directory(c, dir), prefix);
		for (int k = 0; k < 5; k++, random /= sizeof letters - 1)
			buf_putc(path, letters[random % (sizeof letters - 1)]);
		buf_puts(path, suffix);
		fd = cmd_open(c, CMD_CWD, buf_cstr(path),
			      O_RDWR_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_ | O_APPEND_, 0600);
	}
	if (fd < 0)
		cmd_fatal(c, fd, "%s", buf_cstr(path));
	return fd;
}

int temp_open(struct cmd *c, const char *dir)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf path = buf_in(c->arena);
	int fd = -E_EXIST;

	dir = directory(c, dir);
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
