/* SPDX-License-Identifier: MIT
 *
 * truncate - set the size of files.
 */
#include "builtins/builtin.h"

struct truncate_opts {
	bool no_create;
	bool blocks;
	const char *reference;
	const char *size;
	/* the size, parsed */
	char mode; /* 0, or one of + - < > / % */
	uint64_t amount;
};

/* Each is looked at; a mode stays until another one comes. */
static int parse_size(struct cmd *c, const struct opt *opt, const char *text)
{
	struct truncate_opts *o = c->opts;
	int err;

	(void)opt;
	o->size = text;
	/* After -s-3 another size is still relative, but upwards. */
	if (o->mode == '-')
		o->mode = '+';
	while (byte_is_space((unsigned char)*text))
		text++;
	if (*text != '\0' && strchr("<>/%", *text) != NULL)
		o->mode = *text++;
	while (byte_is_space((unsigned char)*text))
		text++;
	if (*text == '+' || *text == '-') {
		if (o->mode != '\0')
			return cmd_usage(c, "multiple relative modifiers specified");
		o->mode = *text++;
	}
	err = byte_is_space((unsigned char)*text)
		      ? -E_INVAL
		      : num_parse_u64(text, "kKmMgGtTPEZY0", &o->amount);
	if (err == 0 && o->amount > INT64_MAX)
		err = -E_OVERFLOW;
	if (err != 0)
		return cmd_error(c, err == -E_INVAL ? 0 : err, "Invalid number: %s",
				 cmd_quote(c, text - (o->mode == '+' || o->mode == '-')));
	if ((o->mode == '/' || o->mode == '%') && o->amount == 0)
		return cmd_error(c, 0, "division by zero");
	return 0;
}

static const struct opt truncate_options[] = {
	OPT_FLAG('c', "no-create", struct truncate_opts, no_create, "do not make files"),
	OPT_FLAG('o', "io-blocks", struct truncate_opts, blocks,
		 "SIZE counts blocks of 4096 bytes"),
	OPT_STR('r', "reference", struct truncate_opts, reference, NULL, "RFILE",
		"the size of RFILE"),
	OPT_CALL_ARG('s', "size", parse_size, "SIZE",
		     "the size; +, -: by so much; <, >: at most, at least; /, %: down, up to a "
		     "multiple"),
	OPT_END(),
};

/* The new size of a file of size `old`. */
static uint64_t new_size(const struct truncate_opts *o, uint64_t old)
{
	uint64_t n = o->amount * (o->blocks ? 4096 : 1);
	uint64_t rest;

	switch (o->mode) {
	case '+': return old + n;
	case '-': return old > n ? old - n : 0;
	case '<': return old < n ? old : n;
	case '>': return old > n ? old : n;
	case '/': return old - old % n;
	case '%': rest = old % n; return rest != 0 ? old + n - rest : old;
	default: return n;
	}
}

static int set_size(struct cmd *c, const struct truncate_opts *o, const char *path, bool has_base,
		    uint64_t base)
{
	struct vfs_stat st;
	unsigned flags = O_WRONLY_ | O_NONBLOCK_ | (o->no_create ? 0 : O_CREAT_);
	int fd = cmd_open(c, CMD_CWD, path, flags, 0666);
	int err;

	if (fd < 0) {
		if (o->no_create && fd == -E_NOENT)
			return 0;
		return cmd_error(c, fd, "cannot open %s for writing", cmd_quoteaf(c, path));
	}
	err = cmd_fstat(c, fd, &st);
	if (err == 0) {
		uint64_t size = new_size(o, has_base ? base : st.size);

		if (o->size == NULL)
			size = base;
		else if (o->mode == '+' && size > INT64_MAX) {
			cmd_close(c, fd);
			return cmd_error(c, 0, "overflow extending size of file %s",
					 cmd_quoteaf(c, path));
		}
		err = cmd_truncate_fd(c, fd, size);
		if (err != 0)
			err = cmd_error(c, err, "failed to truncate %s at %llu bytes",
					cmd_quoteaf(c, path), (unsigned long long)size);
	}
	cmd_close(c, fd);
	return err;
}

static int truncate_run(struct cmd *c)
{
	struct truncate_opts *o = c->opts;
	struct vfs_stat st = { .size = 0 };
	int status = 0;

	if (o->reference == NULL && o->size == NULL)
		return cmd_usage(c, "you must specify either %s or %s", cmd_quote(c, "--size"),
				 cmd_quote(c, "--reference"));
	if (o->reference != NULL && o->size != NULL && o->mode == '\0')
		return cmd_usage(c, "you must specify a relative %s with %s",
				 cmd_quote(c, "--size"), cmd_quote(c, "--reference"));
	if (o->blocks && o->size == NULL)
		return cmd_usage(c, "%s was specified but %s was not", cmd_quote(c, "--io-blocks"),
				 cmd_quote(c, "--size"));
	if (c->nargs == 0)
		return cmd_usage(c, "missing file operand");
	if (o->reference != NULL) {
		int err = cmd_stat(c, o->reference, &st);

		if (err < 0)
			return cmd_error(c, err, "cannot stat %s", cmd_quoteaf(c, o->reference));
		if ((st.mode & S_FMT) == S_DIR)
			return cmd_error(c, -E_INVAL, "cannot get the size of %s",
					 cmd_quoteaf(c, o->reference));
	}
	for (int i = 0; i < c->nargs; i++)
		if (set_size(c, o, c->args[i], o->reference != NULL, st.size) != 0)
			status = 1;
	return status;
}

const struct builtin builtin_truncate = {
	.name = "truncate",
	.usage = "OPTION... FILE...",
	.summary = "Cuts or extends each file to a size; what is added reads as zeros.",
	.run = truncate_run,
	.opts = truncate_options,
	.opts_size = sizeof(struct truncate_opts),
};
