/* SPDX-License-Identifier: MIT
 *
 * pathchk - tell whether names can be used here, or everywhere.
 */
#include "builtins/builtin.h"

enum { NAME_HERE = 255, PATH_HERE = 4096, NAME_POSIX = 14, PATH_POSIX = 256 };

struct pathchk_opts {
	bool posix;
	bool basic; /* -P */
	bool portable;
};

static const struct opt pathchk_options[] = {
	OPT_FLAG('p', NULL, struct pathchk_opts, posix, "check for most POSIX systems"),
	OPT_FLAG('P', NULL, struct pathchk_opts, basic, "check for empty names and leading '-'"),
	OPT_FLAG(0, "portability", struct pathchk_opts, portable, "-p -P"),
	OPT_END(),
};

static bool is_portable(char ch)
{
	return byte_is_alnum((unsigned char)ch) || (ch != '\0' && strchr("/._-", ch) != NULL);
}

/* The length of the character at text, for the message about it. */
static size_t char_length(const struct cmd *c, const char *text)
{
	uint32_t ch;
	size_t n = c->utf8 ? utf8_decode(bytes_of(text), 0, &ch) : 1;

	return n != 0 ? n : 1;
}

static int check_parts(struct cmd *c, const char *path, size_t most)
{
	for (const char *at = path; *at != '\0';) {
		size_t len = strcspn(at, "/");

		if (len > most)
			return cmd_error(
				c, 0, "limit %zu exceeded by length %zu of file name component %s",
				most, len, cmd_quote_n(c, (struct bytes){ at, len }));
		at += len;
		at += strspn(at, "/");
		cmd_charge(c, 1);
	}
	return 0;
}

static int check(struct cmd *c, const char *path, bool posix, bool basic)
{
	size_t len = strlen(path);
	struct vfs_stat st;

	for (const char *at = path; basic && *at != '\0'; at++)
		if (*at == '-' && (at == path || at[-1] == '/'))
			return cmd_error(c, 0, "leading '-' in a component of file name %s",
					 cmd_quoteaf(c, path));
	if ((posix || basic) && len == 0)
		return cmd_error(c, 0, "empty file name");
	for (const char *at = path; posix && *at != '\0'; at++)
		if (!is_portable(*at)) {
			struct bytes bad = { at, char_length(c, at) };

			return cmd_error(c, 0, "nonportable character %s in file name %s",
					 cmd_quote_n(c, bad), cmd_quoteaf(c, path));
		}
	if (!posix) {
		int err = cmd_lstat(c, path, &st);

		if (err == 0)
			return 0;
		if (err != -E_NOENT || len == 0)
			return cmd_error(c, err, "%s", cmd_quotef(c, path));
	}
	size_t most = posix ? PATH_POSIX : PATH_HERE;

	if (len >= most)
		return cmd_error(c, 0, "limit %zu exceeded by length %zu of file name %s", most - 1,
				 len, cmd_quoteaf(c, path));
	return check_parts(c, path, posix ? NAME_POSIX : NAME_HERE);
}

static int pathchk_run(struct cmd *c)
{
	const struct pathchk_opts *o = c->opts;
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	for (int i = 0; i < c->nargs; i++)
		status |= check(c, c->args[i], o->posix || o->portable, o->basic || o->portable);
	return status;
}

const struct builtin builtin_pathchk = {
	.name = "pathchk",
	.usage = "[OPTION]... NAME...",
	.summary = "Tells whether NAMEs are valid or portable.",
	.run = pathchk_run,
	.opts = pathchk_options,
	.opts_size = sizeof(struct pathchk_opts),
	.flags = BUILTIN_STOP,
};
