/* SPDX-License-Identifier: MIT
 *
 * lsb_release - what distribution this is, from /etc/os-release.
 */
#include "builtins/builtin.h"

struct lsb_opts {
	bool id;
	bool description;
	bool release;
	bool codename;
	bool all;
	bool brief;
};

static const struct opt lsb_options[] = {
	OPT_FLAG('i', "id", struct lsb_opts, id, "the name"),
	OPT_FLAG('d', "description", struct lsb_opts, description, "a description"),
	OPT_FLAG('r', "release", struct lsb_opts, release, "the release"),
	OPT_FLAG('c', "codename", struct lsb_opts, codename, "the code name"),
	OPT_FLAG('a', "all", struct lsb_opts, all, "all of it"),
	OPT_FLAG('s', "short", struct lsb_opts, brief, "without what stands before"),
	OPT_IGNORED('v', "version", "no effect: there are no modules"),
	OPT_END(),
};

static void put(struct cmd *c, const char *title, struct bytes text, const char *key)
{
	const struct lsb_opts *o = c->opts;
	size_t len = strlen(key);
	const char *value = "n/a";
	size_t n = 3;

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t stop = end != NULL ? (size_t)(end - text.ptr) : text.len;

		if (stop > len && memcmp(text.ptr, key, len) == 0 && text.ptr[len] == '=') {
			value = text.ptr + len + 1;
			n = stop - len - 1;
			break;
		}
		text = bytes_slice(text, end != NULL ? stop + 1 : stop, text.len);
	}
	if (n > 1 && value[0] == '"' && value[n - 1] == '"') {
		value++;
		n -= 2;
	}
	if (!o->brief)
		cmd_printf(c, "%s:\t", title);
	cmd_write(c, value, n);
	cmd_putc(c, '\n');
}

static int lsb_release_run(struct cmd *c)
{
	const struct lsb_opts *o = c->opts;
	struct bytes text;
	int err = cmd_read_all(c, "/etc/os-release", &text);

	if (c->nargs > 0)
		return cmd_usage(c, NULL);
	if (err < 0)
		return cmd_error(c, err, "/etc/os-release");
	if (o->id || o->all)
		put(c, "Distributor ID", text, "NAME");
	if (o->description || o->all)
		put(c, "Description", text, "PRETTY_NAME");
	if (o->release || o->all)
		put(c, "Release", text, "VERSION_ID");
	if (o->codename || o->all)
		put(c, "Codename", text, "VERSION_CODENAME");
	return 0;
}

const struct builtin builtin_lsb_release = {
	.name = "lsb_release",
	.usage = "[OPTION]...",
	.summary = "Writes what distribution this is.",
	.run = lsb_release_run,
	.opts = lsb_options,
	.opts_size = sizeof(struct lsb_opts),
	.family = "lsb-release 12.0",
};
