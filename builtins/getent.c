/* SPDX-License-Identifier: MIT
 *
 * getent - entries of the tables in /etc: users, groups, hosts, protocols, services.
 */
#include "builtins/builtin.h"

enum { NOT_FOUND = 2, FIELDS_MAX = 16 };

struct getent_opts {
	const char *service;
};

static const struct opt getent_options[] = {
	OPT_IGNORED('i', "no-idn", "no effect: names are taken as they are"),
	OPT_STR('s', "service", struct getent_opts, service, NULL, "CONFIG",
		"no effect: there are only files"),
	OPT_END(),
};

struct words {
	struct bytes word[FIELDS_MAX];
	int n;
};

/* Words of a line of /etc/hosts, without a comment. */
static struct words split(struct bytes line)
{
	struct words w = { .n = 0 };
	size_t at = 0;

	while (w.n < FIELDS_MAX) {
		size_t from;

		while (at < line.len && byte_is_space(line.ptr[at]))
			at++;
		if (at == line.len || line.ptr[at] == '#')
			break;
		from = at;
		while (at < line.len && !byte_is_space(line.ptr[at]))
			at++;
		w.word[w.n++] = bytes_slice(line, from, at);
	}
	return w;
}

/* Field number `i` of a line with colons. */
static struct bytes field(struct bytes line, int i)
{
	for (; i > 0 && line.len > 0; i--) {
		const char *colon = memchr(line.ptr, ':', line.len);
		size_t end = colon != NULL ? (size_t)(colon - line.ptr) + 1 : line.len;

		line = bytes_slice(line, end, line.len);
	}
	const char *colon = line.len > 0 ? memchr(line.ptr, ':', line.len) : NULL;

	return colon != NULL ? bytes_slice(line, 0, (size_t)(colon - line.ptr)) : line;
}

struct query {
	struct cmd *c;
	const char *key; /* NULL: all */
	bool streams;    /* ahosts */
	bool found;
};

static bool put_colons(struct query *q, struct bytes line)
{
	if (line.len == 0 || line.ptr[0] == '#' ||
	    (q->key != NULL && !bytes_is(field(line, 0), q->key) &&
	     !bytes_is(field(line, 2), q->key)))
		return false;
	cmd_bytes(q->c, line);
	cmd_putc(q->c, '\n');
	return true;
}

static bool put_host(struct query *q, struct bytes line)
{
	static const char *const kinds[] = { "STREAM", "DGRAM", "RAW" };
	struct words w = split(line);
	bool match = q->key == NULL;

	for (int i = 0; i < w.n && !match; i++)
		match = bytes_is(w.word[i], q->key);
	if (!match || w.n < 2)
		return false;
	for (int k = 0; k < 3 && q->streams; k++)
		cmd_printf(q->c, "%-15.*s %-6s %s\n", (int)w.word[0].len, w.word[0].ptr, kinds[k],
			   k == 0 && q->key != NULL ? q->key : "");
	if (q->streams)
		return true;
	cmd_printf(q->c, "%-15.*s", (int)w.word[0].len, w.word[0].ptr);
	for (int i = 1; i < w.n; i++)
		cmd_printf(q->c, " %.*s", (int)w.word[i].len, w.word[i].ptr);
	cmd_putc(q->c, '\n');
	return true;
}

/* Names and numbers of what /etc/services and /etc/protocols have: a session has no files for
 * them. */
static bool put_pair(struct query *q, struct bytes line)
{
	struct words w = split(line);
	const char *slash = w.n > 1 ? memchr(w.word[1].ptr, '/', w.word[1].len) : NULL;
	struct bytes number = w.n > 1 ? w.word[1] : BYTES("");

	if (slash != NULL)
		number.len = (size_t)(slash - number.ptr);
	if (w.n < 2 ||
	    (q->key != NULL && !bytes_is(w.word[0], q->key) && !bytes_is(number, q->key)))
		return false;
	cmd_printf(q->c, "%-21.*s %.*s", (int)w.word[0].len, w.word[0].ptr, (int)w.word[1].len,
		   w.word[1].ptr);
	for (int i = 2; i < w.n; i++)
		cmd_printf(q->c, " %.*s", (int)w.word[i].len, w.word[i].ptr);
	cmd_putc(q->c, '\n');
	return true;
}

struct database {
	const char *name;
	const char *path;
	bool (*put)(struct query *q, struct bytes line);
};

static const struct database databases[] = {
	{ "passwd", "/etc/passwd", put_colons },     { "group", "/etc/group", put_colons },
	{ "shadow", "/etc/shadow", put_colons },     { "gshadow", "/etc/gshadow", put_colons },
	{ "hosts", "/etc/hosts", put_host },         { "ahosts", "/etc/hosts", put_host },
	{ "ahostsv4", "/etc/hosts", put_host },      { "services", "/etc/services", put_pair },
	{ "protocols", "/etc/protocols", put_pair }, { "networks", "/etc/networks", put_pair },
};

static const struct database *find(const char *name)
{
	for (size_t i = 0; i < sizeof(databases) / sizeof(databases[0]); i++)
		if (strcmp(databases[i].name, name) == 0)
			return &databases[i];
	return NULL;
}

/* Keyed lookups give the first entry, others all. */
static void look(struct query *q, const struct database *d)
{
	struct input in;
	struct bytes line;

	q->found = q->key == NULL;
	if (input_open(&in, q->c, d->path) < 0)
		return;
	while (input_line(&in, '\n', &line) > 0) {
		cmd_charge(q->c, 1);
		if (d->put(q, line) && q->key != NULL) {
			q->found = true;
			break;
		}
	}
	input_close(&in);
}

static int usage(struct cmd *c, const char *format, const char *arg)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, format, arg);
	buf_putc(&text, '\n');
	cmd_err_write(c, text.ptr, text.len);
	cmd_puts(c, "Try `getent --help' or `getent --usage' for more information.\n");
	return 1;
}

static int getent_run(struct cmd *c)
{
	struct query q = { .c = c };
	const struct database *d;
	int status = 0;

	if (c->nargs == 0)
		return usage(c, "%s: wrong number of arguments", c->name);
	d = find(c->args[0]);
	if (d == NULL)
		return usage(c, "Unknown database: %s", c->args[0]);
	q.streams = c->args[0][0] == 'a';
	if (c->nargs == 1)
		look(&q, d);
	for (int i = 1; i < c->nargs; i++) {
		q.key = c->args[i];
		look(&q, d);
		if (!q.found)
			status = NOT_FOUND;
	}
	return status;
}

const struct builtin builtin_getent = {
	.name = "getent",
	.usage = "[OPTION]... DATABASE [KEY]...",
	.summary = "Writes entries of a table: passwd, group, hosts, ahosts, services, protocols.",
	.run = getent_run,
	.opts = getent_options,
	.opts_size = sizeof(struct getent_opts),
	.hint = "Try `%s --help' or `%s --usage' for more information.\n",
	.usage_status = 64,
	.family = "glibc 2.36",
	.version = "getent (Debian GLIBC 2.36) 2.36",
};
