/* SPDX-License-Identifier: MIT
 *
 * dotenv - runs a command with the variables of a file .env.
 *
 * A line is NAME=VALUE, or a comment; `export` before it has no effect. In double quotes and
 * without quotes $NAME and ${NAME} are values known so far; in single quotes nothing is special.
 * Quoted values may span lines.
 */
#include "builtins/builtin.h"

struct dotenv_opts {
	struct buf files; /* each with a NUL behind */
	int nfiles;
	bool override;
	bool ignore;
};

static int add_file(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct dotenv_opts *o = c->opts;

	(void)opt;
	if (o->nfiles++ == 0)
		o->files = buf_in(c->arena);
	buf_put(&o->files, arg, strlen(arg) + 1);
	return 0;
}

static const struct opt dotenv_options[] = {
	OPT_CALL_ARG('f', "file", add_file, "FILE", "read FILE, not .env; may be repeated"),
	OPT_FLAG('o', "overload", struct dotenv_opts, override,
		 "replace variables that are set already"),
	OPT_FLAG('i', "ignore", struct dotenv_opts, ignore, "a file may be missing"),
	OPT_END(),
};

/* A file being read. */
struct dotenv {
	struct cmd *c;
	const char *name;
	struct bytes text;
	size_t at;
	struct env set; /* what files have said, and the environment around them */
	struct buf out; /* NAME=VALUE lines, for the case without a command */
};

static int peek(const struct dotenv *d)
{
	return d->at < d->text.len ? (unsigned char)d->text.ptr[d->at] : -1;
}

static void skip_blanks(struct dotenv *d)
{
	while (byte_is_blank(peek(d)))
		d->at++;
}

static void skip_line(struct dotenv *d)
{
	while (peek(d) >= 0 && peek(d) != '\n')
		d->at++;
}

static size_t name_length(const struct dotenv *d, size_t at)
{
	size_t n = 0;

	while (at + n < d->text.len && (byte_is_name((unsigned char)d->text.ptr[at + n])))
		n++;
	return n;
}

static const char *value_of(const struct dotenv *d, struct bytes name)
{
	for (size_t i = d->set.n; i > 0; i--) {
		const char *entry = d->set.list[i - 1];

		if (strncmp(entry, name.ptr, name.len) == 0 && entry[name.len] == '=')
			return entry + name.len + 1;
	}
	return "";
}

/* $NAME or ${NAME} at d->at; anything else is a dollar. */
static void put_variable(struct dotenv *d, struct buf *out)
{
	bool braces = d->at + 1 < d->text.len && d->text.ptr[d->at + 1] == '{';
	size_t from = d->at + 1 + braces;
	size_t n = name_length(d, from);

	if (n == 0 || (braces && (from + n >= d->text.len || d->text.ptr[from + n] != '}'))) {
		buf_putc(out, '$');
		d->at++;
		return;
	}
	buf_puts(out, value_of(d, (struct bytes){ d->text.ptr + from, n }));
	d->at = from + n + braces;
}

static void put_escape(struct dotenv *d, struct buf *out)
{
	d->at++;
	int ch = peek(d);

	if (ch < 0)
		return;
	d->at++;
	switch (ch) {
	case 'n': buf_putc(out, '\n'); break;
	case 't': buf_putc(out, '\t'); break;
	case 'r': buf_putc(out, '\r'); break;
	default: buf_putc(out, (char)ch);
	}
}

/* False: the quote is not closed. */
static bool read_quoted(struct dotenv *d, struct buf *out)
{
	int quote = peek(d);

	d->at++;
	for (;;) {
		int ch = peek(d);

		if (ch < 0)
			return false;
		if (ch == quote) {
			d->at++;
			return true;
		}
		if (ch == '\\' && quote == '"') {
			put_escape(d, out);
		} else if (ch == '$' && quote == '"') {
			put_variable(d, out);
		} else {
			buf_putc(out, (char)ch);
			d->at++;
		}
	}
}

/* Up to the end of the line, or a comment behind a blank. */
static void read_plain(struct dotenv *d, struct buf *out)
{
	for (;;) {
		int ch = peek(d);

		if (ch < 0 || ch == '\n')
			break;
		if (ch == '#' && (out->len == 0 || byte_is_blank(out->ptr[out->len - 1])))
			break;
		if (ch == '$') {
			put_variable(d, out);
		} else {
			buf_putc(out, (char)ch);
			d->at++;
		}
	}
	while (out->len > 0 && byte_is_space((unsigned char)out->ptr[out->len - 1]))
		out->len--;
}

static _Noreturn void bad_line(struct dotenv *d, size_t at)
{
	size_t line = 1 + (size_t)bytes_count((struct bytes){ d->text.ptr, at }, '\n');

	cmd_fatal(d->c, 0, "%s:%zu: not NAME=VALUE", d->name, line);
}

static void set_variable(struct dotenv *d, struct bytes name, const struct buf *value)
{
	const struct dotenv_opts *o = d->c->opts;
	struct buf entry = buf_in(d->c->arena);
	char *text = arena_dup(d->c->arena, name);

	if (!o->override && cmd_getenv(d->c, text) != NULL)
		return;
	buf_add(&entry, name);
	buf_putc(&entry, '=');
	buf_put(&entry, value->ptr, value->len);
	env_put(&d->set, buf_cstr(&entry));
	buf_put(&d->out, entry.ptr, entry.len);
	buf_putc(&d->out, '\n');
}

static void read_line(struct dotenv *d)
{
	size_t start = d->at;
	struct buf value = buf_in(d->c->arena);

	skip_blanks(d);
	if (peek(d) == '#' || peek(d) == '\n' || peek(d) == '\r' || peek(d) < 0) {
		skip_line(d);
		return;
	}
	if (name_length(d, d->at) == 6 && memcmp(d->text.ptr + d->at, "export", 6) == 0 &&
	    d->at + 6 < d->text.len && byte_is_blank(d->text.ptr[d->at + 6])) {
		d->at += 6;
		skip_blanks(d);
	}
	struct bytes name = { d->text.ptr + d->at, name_length(d, d->at) };

	d->at += name.len;
	skip_blanks(d);
	if (name.len == 0 || byte_is_digit((unsigned char)name.ptr[0]) || peek(d) != '=')
		bad_line(d, start);
	d->at++;
	skip_blanks(d);
	if (peek(d) != '"' && peek(d) != '\'')
		read_plain(d, &value);
	else if (!read_quoted(d, &value))
		bad_line(d, start);
	skip_line(d);
	set_variable(d, name, &value);
}

static void read_file(struct dotenv *d, const char *name)
{
	const struct dotenv_opts *o = d->c->opts;
	int err = cmd_read_all(d->c, name, &d->text);

	if (err == -E_NOENT && o->ignore)
		return;
	if (err < 0)
		cmd_fatal(d->c, err, "%s", cmd_quotef(d->c, name));
	d->name = name;
	for (d->at = 0; d->at < d->text.len; d->at++) {
		cmd_charge(d->c, 1);
		read_line(d);
	}
	cmd_charge_bytes(d->c, d->text.len);
}

static int dotenv_run(struct cmd *c)
{
	const struct dotenv_opts *o = c->opts;
	struct dotenv d = { .c = c, .out = buf_in(c->arena) };
	const char *at = o->nfiles > 0 ? o->files.ptr : ".env";

	env_init(&d.set, c, false);
	for (int i = 0; i < (o->nfiles > 0 ? o->nfiles : 1); i++, at += strlen(at) + 1)
		read_file(&d, at);
	if (c->nargs == 0) {
		cmd_bytes(c, buf_bytes(&d.out));
		return 0;
	}
	int err = cmd_become(c, c->args, d.set.list);

	cmd_error(c, err, "%s", cmd_quotef(c, c->args[0]));
	return err == -E_NOENT ? 127 : 126;
}

const struct builtin builtin_dotenv = {
	.name = "dotenv",
	.usage = "[OPTION]... [COMMAND [ARG]...]",
	.summary = "Runs COMMAND with the variables that the file .env sets; without one, writes\n"
		   "them. Variables that are set already keep their values.",
	.run = dotenv_run,
	.opts = dotenv_options,
	.opts_size = sizeof(struct dotenv_opts),
	.flags = BUILTIN_STOP,
	.family = "cowsh",
};
