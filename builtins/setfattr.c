/* SPDX-License-Identifier: MIT
 *
 * setfattr - gives files an extended attribute, or takes one away.
 * Reference: attr 2.5.1. Not here: --restore.
 */
#include "builtins/builtin.h"
#include "builtins/yq/yq.h"

struct setfattr_opts {
	const char *name;
	const char *remove;
	const char *value;
	bool no_follow;
	bool raw;
};

static const struct opt setfattr_options[] = {
	OPT_STR('n', "name", struct setfattr_opts, name, NULL, "NAME", "set this attribute"),
	OPT_STR('x', "remove", struct setfattr_opts, remove, NULL, "NAME", "remove this attribute"),
	OPT_STR('v', "value", struct setfattr_opts, value, NULL, "VALUE",
		"its value: text, 0x and hexadecimal digits, 0s and base64"),
	OPT_FLAG('h', "no-dereference", struct setfattr_opts, no_follow, "links themselves"),
	OPT_FLAG(0, "raw", struct setfattr_opts, raw, "the value as it is given"),
	OPT_END(),
};

static bool is_octal(const char *at)
{
	return at[0] >= '0' && at[0] <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' &&
	       at[2] <= '7';
}

/* Text, perhaps in quotes; backslashes before quotes, backslashes and octal numbers go. */
static void decode_text(struct buf *b, const char *text)
{
	size_t len = strlen(text);
	const char *end = text + len;

	if (len > 1 && text[0] == '"' && end[-1] == '"') {
		text++;
		end--;
	}
	while (text < end) {
		if (text[0] == '\\' && end - text > 3 && is_octal(text + 1)) {
			buf_putc(b, (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
					   (text[3] - '0')));
			text += 4;
			continue;
		}
		if (text[0] == '\\' && end - text > 1 && (text[1] == '\\' || text[1] == '"'))
			text++;
		buf_putc(b, *text++);
	}
}

static bool decode_hex(struct buf *b, const char *text)
{
	for (; text[0] != '\0'; text += 2) {
		if (!byte_is_xdigit(text[0]) || !byte_is_xdigit(text[1]))
			return false;
		buf_putc(b, (char)(byte_digit(text[0]) << 4 | byte_digit(text[1])));
	}
	return true;
}

static bool decode(struct cmd *c, const struct setfattr_opts *o, struct bytes *out)
{
	struct buf b = buf_in(c->arena);
	const char *text = o->value != NULL ? o->value : "";
	bool good = true;

	if (o->raw)
		buf_puts(&b, text);
	else if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		good = decode_hex(&b, text + 2);
	else if (text[0] == '0' && (text[1] == 's' || text[1] == 'S'))
		good = yq_base64_decode(&b, bytes_of(text + 2));
	else
		decode_text(&b, text);
	*out = buf_bytes(&b);
	return good;
}

static int setfattr_run(struct cmd *c)
{
	const struct setfattr_opts *o = c->opts;
	int flags = o->no_follow ? CMD_NOFOLLOW : 0;
	struct bytes value;
	int status = 0;

	if ((o->name == NULL) == (o->remove == NULL) || c->nargs == 0 ||
	    (o->remove != NULL && o->value != NULL))
		return cmd_usage(c, NULL);
	if (!decode(c, o, &value)) {
		cmd_err_write(c, "bad input encoding\n", 19);
		return 1;
	}
	for (int i = 0; i < c->nargs; i++) {
		const char *path = c->args[i];
		int err = o->name != NULL ? cmd_setxattr(c, path, flags, o->name, value)
					  : cmd_removexattr(c, path, flags, o->remove);

		if (err == -E_NODATA)
			status = cmd_error(c, 0, "%s: No such attribute", path);
		else if (err < 0)
			status = cmd_error(c, err, "%s", path);
	}
	return status;
}

const struct builtin builtin_setfattr = {
	.name = "setfattr",
	.usage = "{-n NAME [-v VALUE] | -x NAME} [-h] FILE...",
	.summary = "Gives files an extended attribute, or takes one away.",
	.run = setfattr_run,
	.opts = setfattr_options,
	.opts_size = sizeof(struct setfattr_opts),
	.usage_status = 2,
	.family = "attr 2.5.1",
	.version = "setfattr 2.5.1",
	.hint = "Usage: %s {-n name} [-v value] [-h] file...\n"
		"       setfattr {-x name} [-h] file...\n"
		"Try `%s --help' for more information.\n",
};
