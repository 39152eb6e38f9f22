/* SPDX-License-Identifier: MIT
 *
 * mktemp - make a file or directory with a new name.
 */
#include "builtins/builtin.h"

enum { TRIES = 1000 };

struct mktemp_opts {
	bool directory;
	bool dry_run;
	bool quiet;
	bool in_tmpdir; /* -p, --tmpdir */
	bool old_t;     /* -t */
	const char *dir;
	const char *suffix;
};

static int set_tmpdir(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct mktemp_opts *o = c->opts;

	(void)opt;
	o->in_tmpdir = true;
	o->dir = arg;
	return 0;
}

static const struct opt mktemp_options[] = {
	OPT_FLAG('d', "directory", struct mktemp_opts, directory, "make a directory"),
	OPT_FLAG('u', "dry-run", struct mktemp_opts, dry_run, "only write a name"),
	OPT_FLAG('q', "quiet", struct mktemp_opts, quiet, "no messages about failures"),
	OPT_STR(0, "suffix", struct mktemp_opts, suffix, NULL, "SUFF",
		"append SUFF to the template"),
	OPT_CALL_ARG('p', NULL, set_tmpdir, "DIR", "make it in DIR"),
	OPT_CALL_OPTIONAL(0, "tmpdir", set_tmpdir, "DIR",
			  "the same; without DIR in TMPDIR or /tmp"),
	OPT_FLAG('t', NULL, struct mktemp_opts, old_t, "the template is a name in TMPDIR or /tmp"),
	OPT_END(),
};

/* The template as messages have it. */
static const char *with_suffix(struct cmd *c, const struct mktemp_opts *o, const char *text)
{
	struct buf out = buf_in(c->arena);

	buf_puts(&out, text);
	buf_puts(&out, o->suffix != NULL ? o->suffix : "");
	return buf_cstr(&out);
}

/* Only the last run of X is replaced. */
static int split_template(struct cmd *c, const struct mktemp_opts *o, const char *text,
			  struct bytes *head, size_t *xs, struct bytes *tail)
{
	struct bytes t = bytes_of(text);
	size_t end = t.len;

	if (o->suffix != NULL) {
		if (t.len == 0 || t.ptr[t.len - 1] != 'X')
			return cmd_error(c, 0, "with --suffix, template %s must end in X",
					 cmd_quote(c, text));
		*tail = bytes_of(o->suffix);
	} else {
		while (end > 0 && t.ptr[end - 1] != 'X')
			end--;
		if (end == 0)
			end = t.len;
		*tail = bytes_slice(t, end, t.len);
	}
	if (memchr(tail->ptr, '/', tail->len) != NULL)
		return cmd_error(c, 0, "invalid suffix %s, contains directory separator",
				 cmd_quote_n(c, *tail));
	size_t from = end;

	while (from > 0 && t.ptr[from - 1] == 'X')
		from--;
	*head = bytes_slice(t, 0, from);
	*xs = end - from;
	if (*xs < 3)
		return cmd_error(c, 0, "too few X's in template %s",
				 cmd_quote(c, with_suffix(c, o, text)));
	return 0;
}

static const char *directory(struct cmd *c, const struct mktemp_opts *o)
{
	const char *env = cmd_getenv(c, "TMPDIR");

	if (o->old_t) {
		if (env != NULL && env[0] != '\0')
			return env;
		return o->dir != NULL && o->dir[0] != '\0' ? o->dir : "/tmp";
	}
	if (o->dir != NULL && o->dir[0] != '\0')
		return o->dir;
	return env != NULL && env[0] != '\0' ? env : "/tmp";
}

static void put_random(struct cmd *c, struct buf *out, size_t n)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	for (size_t i = 0; i < n; i++)
		buf_putc(out, letters[cmd_random(c) % (sizeof(letters) - 1)]);
}

static int make(struct cmd *c, const struct mktemp_opts *o, const char *path)
{
	struct vfs_stat st;

	if (o->dry_run) {
		int err = cmd_lstat(c, path, &st);

		return err == 0 ? -E_EXIST : err == -E_NOENT ? 0 : err;
	}
	if (o->directory)
		return cmd_mkdir(c, CMD_CWD, path, 0700);
	int fd = cmd_open(c, CMD_CWD, path, O_RDWR_ | O_CREAT_ | O_EXCL_, 0600);

	if (fd >= 0)
		cmd_close(c, fd);
	return fd < 0 ? fd : 0;
}

static int mktemp_run(struct cmd *c)
{
	const struct mktemp_opts *o = c->opts;
	const char *text = c->nargs > 0 ? c->args[0] : "tmp.XXXXXXXXXX";
	bool in_dir = o->in_tmpdir || o->old_t || c->nargs == 0;
	struct bytes head = BYTES("");
	struct bytes tail = BYTES("");
	struct buf prefix = buf_in(c->arena);
	size_t xs = 0;
	int err = -E_EXIST;

	if (c->nargs > 1)
		return cmd_usage(c, "too many templates");
	int status = split_template(c, o, text, &head, &xs, &tail);

	if (status != 0)
		return status;
	if (in_dir) {
		if (o->old_t && strchr(text, '/') != NULL)
			return cmd_error(c, 0, "invalid template, %s, contains directory separator",
					 cmd_quote(c, text));
		if (!o->old_t && text[0] == '/')
			return cmd_error(
				c, 0, "invalid template, %s; with --tmpdir, it may not be absolute",
				cmd_quote(c, text));
		buf_puts(&prefix, directory(c, o));
		if (prefix.ptr[prefix.len - 1] != '/')
			buf_putc(&prefix, '/');
	}
	buf_add(&prefix, head);
	for (int i = 0; i < TRIES && err == -E_EXIST; i++) {
		struct buf path = buf_in(c->arena);

		buf_add(&path, buf_bytes(&prefix));
		put_random(c, &path, xs);
		buf_add(&path, tail);
		err = make(c, o, buf_cstr(&path));
		if (err == 0) {
			cmd_printf(c, "%s\n", path.ptr);
			return 0;
		}
	}
	if (o->quiet)
		return 1;
	buf_fill(&prefix, 'X', xs);
	buf_add(&prefix, tail);
	return cmd_error(c, err, "failed to create %s via template %s",
			 o->directory ? "directory" : "file", cmd_quote(c, buf_cstr(&prefix)));
}

const struct builtin builtin_mktemp = {
	.name = "mktemp",
	.usage = "[OPTION]... [TEMPLATE]",
	.summary = "Makes a file with a new name and writes the name.\n"
		   "TEMPLATE has three or more X in a row, which are replaced.",
	.run = mktemp_run,
	.opts = mktemp_options,
	.opts_size = sizeof(struct mktemp_opts),
};
