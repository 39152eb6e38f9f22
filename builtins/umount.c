/* SPDX-License-Identifier: MIT
 *
 * umount - refused: file systems are the host's.
 */
#include "builtins/builtin.h"

static const struct opt umount_options[] = {
	OPT_IGNORED('a', "all", "no effect: it is refused"),
	OPT_IGNORED('f', "force", "the same"),
	OPT_IGNORED('l', "lazy", "the same"),
	OPT_IGNORED('R', "recursive", "the same"),
	OPT_IGNORED('v', "verbose", "the same"),
	OPT_IGNORED('q', "quiet", "the same"),
	OPT_END(),
};

static bool is_mounted(struct cmd *c, const char *path)
{
	struct bytes word[2];
	struct bytes line;
	struct input in;
	bool found = false;

	if (input_open(&in, c, "/proc/mounts") < 0)
		return false;
	while (input_line(&in, '\n', &line) > 0) {
		for (int i = 0; i < 2; i++) {
			const char *end = line.len > 0 ? memchr(line.ptr, ' ', line.len) : NULL;
			size_t len = end != NULL ? (size_t)(end - line.ptr) : line.len;

			word[i] = bytes_slice(line, 0, len);
			line = bytes_slice(line, end != NULL ? len + 1 : len, line.len);
		}
		found |= bytes_is(word[1], path);
	}
	input_close(&in);
	return found;
}

static int umount_run(struct cmd *c)
{
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "bad usage");
	for (int i = 0; i < c->nargs; i++) {
		const char *name = c->args[i];
		char *path;
		int err = cmd_canonical(c, name, CANON_EXISTING, &path);

		if (err < 0)
			return cmd_error(c, err, "%s", name);
		if (is_mounted(c, path)) {
			cmd_error(c, 0, "%s: must be superuser to unmount.", path);
			status |= 32;
		} else {
			status |= cmd_error(c, 0, "%s: not mounted.", path);
		}
	}
	return status;
}

const struct builtin builtin_umount = {
	.name = "umount",
	.usage = "[OPTION]... DIRECTORY...",
	.summary = "Takes file systems away: refused, they are the host's.",
	.run = umount_run,
	.opts = umount_options,
	.family = "util-linux 2.38.1",
};
