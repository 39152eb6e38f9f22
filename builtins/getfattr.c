/* SPDX-License-Identifier: MIT
 *
 * getfattr - extended attributes of files: their names, or with -d or -n their values. A value is
 * shown as text in quotes unless more than one of eight bytes can't be printed; then in base64.
 * Reference: attr 2.5.1. Not here: -L, -P, --one-file-system.
 */
#include "base/regex.h"
#include "builtins/builtin.h"
#include "builtins/yq/yq.h"

enum encoding { ENCODE_BEST, ENCODE_TEXT, ENCODE_HEX, ENCODE_BASE64 };

struct getfattr_opts {
	const char *name;
	const char *pattern;
	int encoding;
	bool dump;
	bool only_values;
	bool no_follow;
	bool absolute;
	bool recursive;
};

struct getfattr {
	struct cmd *c;
	const struct getfattr_opts *o;
	struct regex *names;
	bool told; /* of slashes that are left out */
	int status;
};

static const struct opt_word encodings[] = {
	{ "text", ENCODE_TEXT },
	{ "hex", ENCODE_HEX },
	{ "base64", ENCODE_BASE64 },
	{ NULL, 0 },
};

static int set_encoding(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	for (const struct opt_word *w = encodings; w->word != NULL; w++)
		if (strcmp(w->word, arg) == 0) {
			((struct getfattr_opts *)c->opts)->encoding = w->value;
			return 0;
		}
	return cmd_usage(c, NULL);
}

static const struct opt getfattr_options[] = {
	OPT_STR('n', "name", struct getfattr_opts, name, NULL, "NAME",
		"only this attribute, with its value"),
	OPT_FLAG('d', "dump", struct getfattr_opts, dump, "values, too"),
	OPT_CALL_ARG('e', "encoding", set_encoding, "CODE", "values as text, hex or base64"),
	OPT_STR('m', "match", struct getfattr_opts, pattern, "^user\\.", "PATTERN",
		"attributes whose names match (^user\\.; - for all)"),
	OPT_FLAG(0, "only-values", struct getfattr_opts, only_values,
		 "nothing but the bytes of values"),
	OPT_FLAG('h', "no-dereference", struct getfattr_opts, no_follow, "links themselves"),
	OPT_FLAG(0, "absolute-names", struct getfattr_opts, absolute, "leave / in front of paths"),
	OPT_FLAG('R', "recursive", struct getfattr_opts, recursive,
		 "all that is below directories, too"),
	OPT_END(),
};

static bool prints(unsigned char b)
{
	return b >= ' ' && b < 127;
}

/* Bytes as octal numbers that stand for themselves nowhere else: line ends, NULs, and `more`. */
static void put_quoted(struct cmd *c, struct bytes s, const char *more)
{
	for (size_t i = 0; i < s.len; i++) {
		char b = s.ptr[i];

		if (b == '\n' || b == '\r' || b == '\0' || strchr(more, b) != NULL)
			cmd_printf(c, "\\%03o", (unsigned)(unsigned char)b);
		else
			cmd_putc(c, b);
	}
}

static enum encoding best_encoding(struct bytes value)
{
	size_t others = 0;

	if (value.len != 0 && value.ptr[value.len - 1] == '\0')
		value.len--;
	for (size_t i = 0; i < value.len; i++)
		others += !prints((unsigned char)value.ptr[i]);
	return others * 8 <= value.len ? ENCODE_TEXT : ENCODE_BASE64;
}

static void put_text(struct cmd *c, struct bytes value)
{
	if (value.len != 0 && value.ptr[value.len - 1] == '\0')
		value.len--;
	cmd_putc(c, '"');
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '"' || value.ptr[i] == '\\')
			cmd_putc(c, '\\');
		put_quoted(c, (struct bytes){ value.ptr + i, 1 }, "");
	}
	cmd_putc(c, '"');
}

static void put_value(struct cmd *c, struct bytes value, int encoding)
{
	struct buf b = buf_in(c->arena);

	switch (encoding != ENCODE_BEST ? encoding : (int)best_encoding(value)) {
	case ENCODE_TEXT: put_text(c, value); break;
	case ENCODE_HEX:
		cmd_write(c, "0x", 2);
		for (size_t i = 0; i < value.len; i++)
			cmd_printf(c, "%02x", (unsigned)(unsigned char)value.ptr[i]);
		break;
	default:
		yq_base64(&b, value);
		cmd_write(c, "0s", 2);
		cmd_write(c, b.ptr, b.len);
		break;
	}
}

/* Before the first attribute of a file. */
static void put_path(struct getfattr *g, const char *path)
{
	const char *shown = path;

	while (!g->o->absolute && *shown == '/')
		shown++;
	if (shown != path && !g->told) {
		cmd_warn(g->c, 0, "Removing leading '/' from absolute path names");
		g->told = true;
	}
	cmd_write(g->c, "# file: ", 8);
	put_quoted(g->c, bytes_of(shown), "\\");
	cmd_putc(g->c, '\n');
}

/* An error about an attribute has no name of the command in front. */
static void complain(struct getfattr *g, const char *path, const char *name, int err)
{
	struct buf b = buf_in(g->c->arena);

	buf_printf(&b, "%s: %s: %s\n", path, name,
		   err == -E_NODATA ? "No such attribute" : err_text(err));
	cmd_flush(g->c);
	cmd_err_write(g->c, b.ptr, b.len);
	g->status = 1;
}

static bool wanted(struct getfattr *g, const char *name)
{
	if (g->o->name != NULL)
		return true;
	return g->names == NULL || regex_search(g->names, bytes_of(name), 0, 0, NULL, 0) == 0;
}

/* One attribute; true if the file's path was shown in front. */
static bool put_attribute(struct getfattr *g, const struct walk_entry *e, int flags,
			  const char *name, bool first)
{
	bool with_value = g->o->dump || g->o->name != NULL || g->o->only_values;
	struct bytes value;
	int err = with_value ? cmd_getxattr(g->c, e->dir, e->at, flags, name, &value) : 0;

	if (err < 0) {
		complain(g, e->path, name, err);
		return false;
	}
	if (g->o->only_values) {
		cmd_write(g->c, value.ptr, value.len);
		return false;
	}
	if (first)
		put_path(g, e->path);
	put_quoted(g->c, bytes_of(name), "\\=");
	if (with_value) {
		cmd_putc(g->c, '=');
		put_value(g->c, value, g->o->encoding);
	}
	cmd_putc(g->c, '\n');
	return true;
}

static void show(struct getfattr *g, const struct walk_entry *e)
{
	struct bytes names = { g->o->name, g->o->name != NULL ? strlen(g->o->name) + 1 : 0 };
	int flags = g->o->no_follow ? CMD_NOFOLLOW : 0;
	bool shown = false;
	int err = 0;

	if (g->o->name == NULL)
		err = cmd_listxattr(g->c, e->dir, e->at, flags, &names);
	if (err < 0) {
		g->status = cmd_error(g->c, err, "%s", e->path);
		return;
	}
	for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1)
		if (wanted(g, names.ptr + at))
			shown |= put_attribute(g, e, flags, names.ptr + at, !shown);
	if (shown)
		cmd_putc(g->c, '\n');
}

static void show_all(struct getfattr *g, const char *path)
{
	struct walk *w = walk_new(g->c, path, g->o->no_follow ? 0 : WALK_FOLLOW_ROOT);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		if (e->kind == WALK_ERROR)
			g->status = cmd_error(g->c, e->err, "%s", e->path);
		else
			show(g, e);
		if (!g->o->recursive)
			walk_skip(w);
	}
	walk_free(w);
}

static int getfattr_run(struct cmd *c)
{
	const struct getfattr_opts *o = c->opts;
	struct getfattr g = { .c = c, .o = o };
	const char *message;
	size_t offset;

	if (c->nargs == 0)
		return cmd_usage(c, NULL);
	if (strcmp(o->pattern, "-") != 0 &&
	    regex_compile(c->arena, bytes_of(o->pattern), REGEX_ERE | REGEX_NOSUB, &g.names,
			  &message, &offset) < 0)
		return cmd_error(c, 0, "invalid regular expression \"%s\"", o->pattern);
	if (g.names != NULL)
		regex_set_work(g.names, cmd_work, c);
	for (int i = 0; i < c->nargs; i++)
		show_all(&g, c->args[i]);
	return g.status;
}

const struct builtin builtin_getfattr = {
	.name = "getfattr",
	.usage = "[-hR] [-n NAME|-d] [-e CODE] [-m PATTERN] FILE...",
	.summary = "Shows extended attributes of files.",
	.run = getfattr_run,
	.opts = getfattr_options,
	.opts_size = sizeof(struct getfattr_opts),
	.usage_status = 2,
	.family = "attr 2.5.1",
	.version = "getfattr 2.5.1",
	.hint = "Usage: %s [-hRLP] [-n name|-d] [-e en] [-m pattern] path...\n"
		"Try `%s --help' for more information.\n",
};
