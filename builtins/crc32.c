/* SPDX-License-Identifier: MIT
 *
 * crc32 - the CRC-32 of files, as gzip and zip have it.
 */
#include "builtins/builtin.h"

#include "base/codec.h"

static int add_all(struct input *in, uint32_t *crc)
{
	struct bytes block;
	int got;

	while ((got = input_chunk(in, &block)) > 0) {
		size_t len = block.len;

		*crc = codec_crc32(*crc, block.ptr, len);
		cmd_charge_bytes(in->c, len);
	}
	return got;
}

/* The path of the real one stands in its messages. */
static void complain(struct cmd *c, const char *what, const char *path, int err)
{
	struct buf text = buf_in(c->arena);

	cmd_flush(c);
	buf_printf(&text, "/usr/bin/crc32: %s%s: %s\n", what, path, err_text(err));
	cmd_err_write(c, text.ptr, text.len);
}

static void put_crc(struct cmd *c, const char *path)
{
	struct vfs_stat st;
	struct input in;
	uint32_t crc = 0;
	int fd = cmd_open(c, CMD_CWD, path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0) {
		complain(c, "Cannot open ", path, fd);
		return;
	}
	input_init(&in, c, fd, path);
	int err = cmd_fstat(c, fd, &st) >= 0 && (st.mode & S_FMT) == S_DIR ? -E_ISDIR
									   : add_all(&in, &crc);

	input_close(&in);
	if (err < 0) {
		complain(c, "", path, err);
		return;
	}
	cmd_printf(c, "%08x", crc);
	if (c->nargs > 1)
		cmd_printf(c, "\t%s", path);
	cmd_putc(c, '\n');
}

static int crc32_run(struct cmd *c)
{
	for (int i = 0; i < c->nargs; i++)
		put_crc(c, c->args[i]);
	return 0;
}

const struct builtin builtin_crc32 = {
	.name = "crc32",
	.usage = "FILE...",
	.summary = "Writes the CRC-32 of each FILE.",
	.run = crc32_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "Archive::Zip 1.68",
};
