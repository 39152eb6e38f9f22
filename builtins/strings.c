/* SPDX-License-Identifier: MIT
 *
 * strings - write the printable runs of files.
 *
 * Characters of one, two or four bytes; where one is not printable the search goes on one byte
 * further. A run is kept until it is long enough, then written as it is read. Not here: -d, and
 * -U other than default and invalid.
 */
#include "builtins/builtin.h"

struct strings_opts {
	uint64_t least;
	char radix; /* 0: no offsets */
	char encoding;
	bool names;
	bool spaces;
	const char *separator;
	/* state */
	size_t size; /* of a character */
	bool big;
	const char *name;
	struct buf run;
	bool writing;
	uint64_t start; /* of the run */
};

static int set_least(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct strings_opts *o = c->opts;
	int64_t value;

	(void)opt;
	if (num_parse_i64(arg, "", &value) != 0)
		return cmd_error(c, 0, "invalid integer argument %s", arg);
	if (value == 0)
		return cmd_error(c, 0, "invalid minimum string length 0");
	/* A negative one is a large one. */
	o->least = (uint64_t)value;
	return 0;
}

static int set_digit(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct strings_opts *o = c->opts;

	(void)opt;
	o->least = 0;
	for (; *arg != '\0' && o->least < UINT32_MAX; arg++)
		o->least = o->least * 10 + (uint64_t)(*arg - '0');
	return 0;
}

static int set_radix(struct cmd *c, const struct opt *opt, const char *arg)
{
	if (arg != NULL && (arg[0] == '\0' || strchr("odx", arg[0]) == NULL || arg[1] != '\0'))
		return cmd_usage(c, "invalid radix -- '%s'", arg);
	((struct strings_opts *)c->opts)->radix = opt->letter == 'o' ? 'o' : arg[0];
	return 0;
}

static int set_encoding(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	if (arg[0] == '\0' || strchr("sSblBL", arg[0]) == NULL || arg[1] != '\0')
		return cmd_usage(c, "invalid encoding -- '%s'", arg);
	((struct strings_opts *)c->opts)->encoding = arg[0];
	return 0;
}

static int set_unicode(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const char *const others[] = { "locale", "l",         "escape", "e", "hex",
					      "x",      "highlight", "show",   "s", "h" };

	(void)opt;
	if (strcmp(arg, "default") == 0 || strcmp(arg, "d") == 0 || strcmp(arg, "invalid") == 0 ||
	    strcmp(arg, "i") == 0)
		return 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(arg, others[i]) == 0)
			return cmd_error(c, 0, "--unicode=%s is not supported", arg);
	return cmd_error(c, 0, "invalid argument to -U/--unicode: %s", arg);
}

static const struct opt strings_options[] = {
	OPT_IGNORED('a', "all", "the whole file (default)"),
	OPT_MISSING('d', "data"),
	OPT_FLAG('f', "print-file-name", struct strings_opts, names, "names before strings"),
	OPT_CALL_ARG('n', "bytes", set_least, "NUMBER", "the least length (4)"),
	OPT_CALL_ARG('t', "radix", set_radix, "RADIX", "offsets: o, d or x"),
	OPT_FLAG('w', "include-all-whitespace", struct strings_opts, spaces,
		 "newlines and such are part of strings"),
	OPT_CALL('o', NULL, set_radix, "--radix=o"),
	OPT_IGNORED_ARG('T', "target", "NAME", "no effect"),
	OPT_CALL_ARG('e', "encoding", set_encoding, "ENCODING",
		     "s, S: 7, 8 bits; b, l: 16 bits, big or little endian; B, L: 32"),
	OPT_CALL_ARG('U', "unicode", set_unicode, "HOW", "default or invalid"),
	OPT_STR('s', "output-separator", struct strings_opts, separator, "\n", "TEXT",
		"between strings"),
	OPT_DIGIT(set_digit),
	OPT_END(),
};

static bool is_graphic(const struct strings_opts *o, uint32_t ch)
{
	if (ch > 255)
		return false;
	return byte_is_print((int)ch) || ch == '\t' || (o->spaces && byte_is_space((int)ch)) ||
	       (o->encoding == 'S' && ch > 127);
}

static void start_run(struct cmd *c, struct strings_opts *o)
{
	struct buf text = buf_in(c->arena);

	o->writing = true;
	if (o->names)
		cmd_printf(c, "%s: ", o->name);
	if (o->radix == 'o')
		buf_printf(&text, "%7llo ", (unsigned long long)o->start);
	else if (o->radix == 'x')
		buf_printf(&text, "%7llx ", (unsigned long long)o->start);
	else if (o->radix == 'd')
		buf_printf(&text, "%7llu ", (unsigned long long)o->start);
	cmd_bytes(c, buf_bytes(&text));
	cmd_bytes(c, buf_bytes(&o->run));
}

static void put_char(struct cmd *c, struct strings_opts *o, char ch, uint64_t at)
{
	if (o->writing) {
		cmd_putc(c, ch);
		return;
	}
	if (o->run.len == 0)
		o->start = at;
	buf_putc(&o->run, ch);
	if (o->run.len >= o->least)
		start_run(c, o);
}

static void end_run(struct cmd *c, struct strings_opts *o)
{
	if (o->writing)
		cmd_puts(c, o->separator);
	o->writing = false;
	o->run.len = 0;
}

static uint32_t join(const struct strings_opts *o, const uint8_t *at)
{
	uint32_t v = 0;

	for (size_t i = 0; i < o->size; i++)
		v = v << 8 | at[o->big ? i : o->size - 1 - i];
	return v;
}

static int scan(struct input *in, void *arg)
{
	struct strings_opts *o = arg;
	struct cmd *c = in->c;
	uint8_t window[4];
	size_t have = 0;
	uint64_t at = 0;
	struct bytes part;
	int more;

	o->name = in->is_stdin ? "{standard input}" : in->name;
	end_run(c, o);
	while ((more = input_block(in, &part)) > 0) {
		for (size_t i = 0; i < part.len; i++) {
			window[have++] = (uint8_t)part.ptr[i];
			if (have < o->size)
				continue;
			uint32_t ch = join(o, window);
			size_t used = 1;

			if (is_graphic(o, ch)) {
				put_char(c, o, (char)ch, at);
				used = o->size;
			} else {
				end_run(c, o);
			}
			at += used;
			have -= used;
			memmove(window, window + used, have);
		}
		cmd_charge_bytes(c, part.len * 4);
	}
	end_run(c, o);
	return more;
}

static int strings_run(struct cmd *c)
{
	struct strings_opts *o = c->opts;
	int status = 0;

	o->size = strchr("bl", o->encoding) != NULL ? 2 : strchr("BL", o->encoding) != NULL ? 4 : 1;
	o->big = byte_is_upper(o->encoding) ? o->encoding == 'B' : o->encoding == 'b';
	if (o->least == 0)
		return cmd_error(c, 0, "invalid minimum string length 0");
	o->run = buf_in(c->arena);
	for (int i = 0; i < c->nfiles; i++) {
		const char *name = c->files[i];
		struct vfs_stat st;
		struct input in;

		/* "-" is -a: it is no file. */
		if (strcmp(name, "-") == 0 && c->nargs == 1)
			return cmd_usage(c, NULL);
		if (strcmp(name, "-") == 0 && c->nargs > 1)
			continue;
		int err = strcmp(name, "-") != 0 ? cmd_stat(c, name, &st) : 0;

		if (err == -E_NOENT) {
			status = cmd_error(c, 0, "'%s': No such file", name);
			continue;
		}
		if (err == 0 && strcmp(name, "-") != 0 && (st.mode & S_FMT) == S_DIR) {
			status = cmd_error(c, 0, "Warning: '%s' is a directory", name);
			continue;
		}
		err = err < 0 ? err : input_open(&in, c, name);
		if (err < 0) {
			status = cmd_error(c, err, "%s", name);
			continue;
		}
		err = scan(&in, o);
		input_close(&in);
		if (err < 0)
			status = cmd_error(c, err, "%s", name);
	}
	return status;
}

static void strings_defaults(struct cmd *c)
{
	struct strings_opts *o = c->opts;

	o->least = 4;
	o->encoding = 's';
}

const struct builtin builtin_strings = {
	.name = "strings",
	.usage = "[option(s)] [file(s)]",
	.summary = "Writes the printable strings in files.",
	.run = strings_run,
	.opts = strings_options,
	.opts_size = sizeof(struct strings_opts),
	.family = "GNU strings (GNU Binutils) 2.40",
	.version = "GNU strings (GNU Binutils for Debian) 2.40",
	.defaults = strings_defaults,
};
