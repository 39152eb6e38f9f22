/* SPDX-License-Identifier: MIT
 *
 * mountpoint - tells whether a path is where a file system is mounted.
 */
#include "builtins/builtin.h"

enum { MOUNTPOINT_NO = 32 };

struct mountpoint_opts {
	bool quiet;
	bool nofollow;
	bool device;
	bool block;
};

static const struct opt mountpoint_options[] = {
	OPT_FLAG('q', "quiet", struct mountpoint_opts, quiet, "write nothing"),
	OPT_FLAG(0, "nofollow", struct mountpoint_opts, nofollow, "do not follow a link"),
	OPT_FLAG('d', "fs-devno", struct mountpoint_opts, device,
		 "write the number of the file system's device"),
	OPT_FLAG('x', "devno", struct mountpoint_opts, block, "write the number of a block device"),
	OPT_END(),
};

/* Whether a line of /proc/mounts names the path. */
static bool is_mounted(struct cmd *c, const char *path)
{
	struct input in;
	struct bytes line;
	bool found = false;

	if (input_open(&in, c, "/proc/mounts") < 0)
		return false;
	while (!found && input_line(&in, '\n', &line) > 0) {
		const char *from = memchr(line.ptr, ' ', line.len);
		size_t rest = from != NULL ? line.len - (size_t)(++from - line.ptr) : 0;
		const char *end = rest > 0 ? memchr(from, ' ', rest) : NULL;

		found = end != NULL && bytes_is((struct bytes){ from, (size_t)(end - from) }, path);
		cmd_charge(c, 1);
	}
	input_close(&in);
	return found;
}

static void put_device(struct cmd *c, uint64_t dev)
{
	cmd_printf(c, "%llu:%llu\n", (unsigned long long)(dev >> 8),
		   (unsigned long long)(dev & 0xff));
}

static int mountpoint_run(struct cmd *c)
{
	const struct mountpoint_opts *o = c->opts;
	struct vfs_stat st;
	char *real;

	if (c->nargs != 1)
		return cmd_usage(c, "bad usage");
	const char *path = c->args[0];
	int err = o->nofollow && !o->block ? cmd_lstat(c, path, &st) : cmd_stat(c, path, &st);

	if (err < 0) {
		if (!o->quiet)
			cmd_warn(c, err, "%s", path);
		return 1;
	}
	if (o->block) {
		if ((st.mode & S_FMT) == S_BLK) {
			put_device(c, st.rdev);
			return 0;
		}
		if (!o->quiet)
			cmd_warn(c, 0, "%s: not a block device", path);
		return MOUNTPOINT_NO;
	}
	bool link = o->nofollow && (st.mode & S_FMT) == S_LNK;
	bool mounted = !link && cmd_canonical(c, path, CANON_EXISTING, &real) == 0 &&
		       is_mounted(c, real);

	if (mounted && o->device)
		put_device(c, st.dev);
	else if (!o->quiet)
		cmd_printf(c, mounted ? "%s is a mountpoint\n" : "%s is not a mountpoint\n", path);
	return mounted ? 0 : MOUNTPOINT_NO;
}

const struct builtin builtin_mountpoint = {
	.name = "mountpoint",
	.usage = "[-qd] PATH | -x DEVICE",
	.summary = "Tells whether a file system is mounted on PATH: status 0, or 32 if not.",
	.run = mountpoint_run,
	.opts = mountpoint_options,
	.opts_size = sizeof(struct mountpoint_opts),
	.family = "util-linux 2.38.1",
};
