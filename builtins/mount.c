/* SPDX-License-Identifier: MIT
 *
 * mount - what file systems there are. New ones are the host's to give.
 */
#include "builtins/builtin.h"

struct mount_opts {
	const char *types;
	bool all;
	bool changes; /* an option that is for mounting only */
	bool in_place;
};

static int set_options(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct mount_opts *o = c->opts;

	(void)opt;
	o->changes = true;
	o->in_place |= strncmp(arg, "remount", 7) == 0;
	return 0;
}

static const struct opt mount_options[] = {
	OPT_STR('t', "types", struct mount_opts, types, NULL, "LIST",
		"only these types, or none of them: noTYPE,..."),
	OPT_IGNORED('l', "show-labels", "no effect: there are no labels"),
	OPT_IGNORED('v', "verbose", "no effect"),
	OPT_CALL_ARG('o', "options", set_options, "LIST", "for mounting, which is refused"),
	OPT_FLAG('a', "all", struct mount_opts, all, "those of /etc/fstab: there are none"),
	OPT_FLAG('r', "read-only", struct mount_opts, changes, "for mounting"),
	OPT_FLAG('w', "rw", struct mount_opts, changes, "the same"),
	OPT_FLAG('B', "bind", struct mount_opts, changes, "the same"),
	OPT_FLAG('R', "rbind", struct mount_opts, changes, "the same"),
	OPT_FLAG('M', "move", struct mount_opts, changes, "the same"),
	OPT_END(),
};

/* A list that begins with "no" is of those that are not wanted. */
static bool is_type(const char *list, struct bytes type)
{
	bool negated = strncmp(list, "no", 2) == 0;

	list += negated ? 2 : 0;
	for (bool any = *list != '\0'; any;) {
		size_t len = strcspn(list, ",");

		if (bytes_eq(type, (struct bytes){ list, len }))
			return !negated;
		any = list[len] != '\0';
		list += len + any;
	}
	return negated;
}

/* "device directory type options 0 0" of /proc/mounts. */
static void put_mount(struct cmd *c, const char *types, struct bytes line)
{
	struct bytes word[4];

	for (int i = 0; i < 4; i++) {
		const char *end = line.len > 0 ? memchr(line.ptr, ' ', line.len) : NULL;
		size_t len = end != NULL ? (size_t)(end - line.ptr) : line.len;

		word[i] = bytes_slice(line, 0, len);
		line = bytes_slice(line, end != NULL ? len + 1 : len, line.len);
	}
	if (types != NULL && !is_type(types, word[2]))
		return;
	cmd_bytes(c, word[0]);
	cmd_puts(c, " on ");
	cmd_bytes(c, word[1]);
	cmd_puts(c, " type ");
	cmd_bytes(c, word[2]);
	cmd_puts(c, " (");
	cmd_bytes(c, word[3]);
	cmd_puts(c, ")\n");
}

static int mount_run(struct cmd *c)
{
	const struct mount_opts *o = c->opts;
	struct input in;
	struct bytes line;
	int err;

	if (o->all)
		return 0;
	if (c->nargs > 2 || (c->nargs == 0 && o->changes))
		return cmd_usage(c, "bad usage");
	if (c->nargs == 1 && !o->in_place)
		return cmd_error(c, 0, "%s: can't find in /etc/fstab.", c->args[0]);
	if (c->nargs > 0) {
		cmd_error(c, 0,
			  "%s: must be superuser to use mount.\n       The host mounts "
			  "directories when the session is made.",
			  c->args[c->nargs - 1]);
		return 32;
	}
	err = input_open(&in, c, "/proc/mounts");
	if (err < 0)
		return cmd_error(c, err, "/proc/mounts");
	while (input_line(&in, '\n', &line) > 0)
		put_mount(c, o->types, line);
	input_close(&in);
	return 0;
}

const struct builtin builtin_mount = {
	.name = "mount",
	.usage = "[-t TYPE]",
	.summary = "Writes what file systems there are. Mounting is refused.",
	.run = mount_run,
	.opts = mount_options,
	.opts_size = sizeof(struct mount_opts),
	.family = "util-linux 2.38.1",
};
