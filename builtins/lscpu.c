/* SPDX-License-Identifier: MIT
 *
 * lscpu - the processor: a virtual one, the same on every host. It has no caches, so there are no
 * columns of them, and -C lists nothing.
 */
#include "builtins/builtin.h"

enum form { FORM_SUMMARY, FORM_TABLE, FORM_PARSE, FORM_CACHES };
enum which { WHICH_DEFAULT, WHICH_ALL, WHICH_ONLINE, WHICH_OFFLINE };

struct lscpu_opts {
	int form;
	int which;
	const char *list; /* of columns */
	bool json;
	bool hex;
	bool all_columns;
};

/* What there is of the one processor. */
struct column {
	const char *name;
	const char *parse_name;
	const char *value; /* "-": not known */
	const char *parse_value;
	bool left;   /* aligned */
	bool number; /* in JSON */
};

static const struct column columns[] = {
	{ "BOGOMIPS", "BOGOMIPS", "2000.00", "2000.00", false, true },
	{ "CPU", "CPU", "0", "0", false, true },
	{ "CORE", "Core", "0", "0", false, true },
	{ "SOCKET", "Socket", "0", "0", false, true },
	{ "CLUSTER", "Cluster", "-", "", false, false },
	{ "NODE", "Node", "0", "0", false, true },
	{ "BOOK", "Book", "-", "", false, false },
	{ "DRAWER", "DRAWER", "-", "", false, false },
	{ "CACHE", NULL, NULL, NULL, false, false },
	{ "POLARIZATION", "Polarization", "-", "U", true, false },
	{ "ADDRESS", "Address", "-", "", true, false },
	{ "CONFIGURED", "Configured", "-", "", true, false },
	{ "ONLINE", "Online", "yes", "Y", false, false },
	{ "MHZ", "Mhz", "-", "", false, false },
	{ "SCALMHZ%", "SCALMHZ%", "-", "", false, false },
	{ "MAXMHZ", "Maxmhz", "-", "", false, false },
	{ "MINMHZ", "Minmhz", "-", "", false, false },
};

enum { NCOLUMNS = sizeof(columns) / sizeof(columns[0]), CHOSEN_MAX = 256 };

struct choice {
	const struct column *column[CHOSEN_MAX];
	size_t n;
};

static int set_form(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct lscpu_opts *o = c->opts;
	int form = opt->letter == 'e' ? FORM_TABLE : opt->letter == 'p' ? FORM_PARSE : FORM_CACHES;

	if (o->form != FORM_SUMMARY && o->form != form)
		return cmd_error(c, 0, "mutually exclusive arguments: --caches --extended --parse");
	o->form = form;
	o->list = arg != NULL && arg[0] == '=' ? arg + 1 : arg;
	return 0;
}

static int set_which(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct lscpu_opts *o = c->opts;
	int which = opt->letter == 'a'   ? WHICH_ALL
		    : opt->letter == 'b' ? WHICH_ONLINE
					 : WHICH_OFFLINE;

	(void)arg;
	if (o->which != WHICH_DEFAULT && o->which != which)
		return cmd_error(c, 0, "mutually exclusive arguments: --all --online --offline");
	o->which = which;
	return 0;
}

static const struct opt lscpu_options[] = {
	OPT_CALL('a', "all", set_which, "processors that work and others (default of -e)"),
	OPT_CALL('b', "online", set_which, "processors that work (default of -p)"),
	OPT_IGNORED('B', "bytes", "no effect: there are no sizes"),
	OPT_CALL_OPTIONAL('C', "caches", set_form, "LIST", "caches: there are none"),
	OPT_CALL('c', "offline", set_which, "processors that do not work"),
	OPT_CALL_OPTIONAL('e', "extended", set_form, "LIST", "a table, with these columns"),
	OPT_FLAG('J', "json", struct lscpu_opts, json, "as JSON"),
	OPT_CALL_OPTIONAL('p', "parse", set_form, "LIST", "the table with commas"),
	OPT_FLAG('x', "hex", struct lscpu_opts, hex, "masks of processors, not lists"),
	OPT_IGNORED('y', "physical", "no effect: numbers are those of the machine"),
	OPT_FLAG(0, "output-all", struct lscpu_opts, all_columns, "all columns"),
	OPT_END(),
};

static void put_summary(struct cmd *c, const struct lscpu_opts *o)
{
	const char *const rows[][2] = {
		{ "Architecture:", "x86_64" },
		{ "CPU op-mode(s):", "32-bit, 64-bit" },
		{ "Byte Order:", "Little Endian" },
		{ "CPU(s):", "1" },
		{ o->hex ? "On-line CPU(s) mask:" : "On-line CPU(s) list:", o->hex ? "1" : "0" },
		{ "Vendor ID:", "cowsh" },
		{ "Model name:", "cowsh virtual processor" },
		{ "Thread(s) per core:", "1" },
		{ "Core(s) per socket:", "1" },
		{ "Socket(s):", "1" },
		{ "BogoMIPS:", "2000.00" },
	};
	size_t n = sizeof(rows) / sizeof(rows[0]);

	if (o->json)
		cmd_puts(c, "{\n   \"lscpu\": [\n      {\n");
	for (size_t i = 0; i < n; i++) {
		if (o->json)
			cmd_printf(c,
				   "         \"field\": \"%s\",\n         \"data\": \"%s\"\n"
				   "      }%s\n",
				   rows[i][0], rows[i][1], i + 1 < n ? ",{" : "");
		else
			cmd_printf(c, "%-41s%s\n", rows[i][0], rows[i][1]);
	}
	if (o->json)
		cmd_puts(c, "   ]\n}\n");
}

static bool is_name(struct bytes s, const char *name)
{
	size_t i = 0;

	while (i < s.len && name[i] != '\0' && byte_to_upper((unsigned char)s.ptr[i]) == name[i])
		i++;
	return i == s.len && name[i] == '\0';
}

static int choose(struct cmd *c, const struct lscpu_opts *o, struct choice *chosen)
{
	static const char table[] = "CPU,NODE,SOCKET,CORE,ONLINE";
	static const char parse[] = "CPU,CORE,SOCKET,NODE";
	struct bytes list = bytes_of(o->list != NULL         ? o->list
				     : o->form == FORM_TABLE ? table
							     : parse);

	chosen->n = 0;
	if (list.len == 0)
		return 1;
	for (size_t i = 0; o->all_columns && o->list == NULL && i < NCOLUMNS; i++)
		if (columns[i].value != NULL)
			chosen->column[chosen->n++] = &columns[i];
	if (chosen->n > 0)
		return 0;
	for (size_t from = 0; from <= list.len;) {
		size_t to = from;
		size_t i = 0;

		while (to < list.len && list.ptr[to] != ',')
			to++;
		struct bytes name = bytes_slice(list, from, to);

		while (i < NCOLUMNS && !is_name(name, columns[i].name))
			i++;
		if (i == NCOLUMNS)
			return cmd_error(c, 0, "unknown column: %.*s", (int)name.len, name.ptr);
		if (columns[i].value != NULL && chosen->n < CHOSEN_MAX)
			chosen->column[chosen->n++] = &columns[i];
		from = to + 1;
	}
	return 0;
}

static void put_parse(struct cmd *c, const struct choice *chosen, bool rows)
{
	cmd_puts(c, "# The following is the parsable format, which can be fed to other\n"
		    "# programs. Each different item in every column has an unique ID\n"
		    "# starting usually from zero.\n# ");
	for (size_t i = 0; i < chosen->n; i++)
		cmd_printf(c, "%s%s", i > 0 ? "," : "", chosen->column[i]->parse_name);
	cmd_putc(c, '\n');
	for (size_t i = 0; rows && i < chosen->n; i++)
		cmd_printf(c, "%s%s%s", i > 0 ? "," : "", chosen->column[i]->parse_value,
			   i + 1 == chosen->n ? "\n" : "");
}

static void put_row(struct cmd *c, const struct choice *chosen, bool names)
{
	for (size_t i = 0; i < chosen->n; i++) {
		const struct column *col = chosen->column[i];
		size_t name = strlen(col->name);
		size_t value = strlen(col->value);
		int width = (int)(name > value ? name : value);
		bool last = i + 1 == chosen->n;

		const char *text = names ? col->name : col->value;

		if (col->left)
			cmd_printf(c, "%-*s%s", last ? 0 : width, text, last ? "\n" : " ");
		else
			cmd_printf(c, "%*s%s", width, text, last ? "\n" : " ");
	}
}

static void put_json(struct cmd *c, const struct choice *chosen)
{
	cmd_puts(c, "{\n   \"cpus\": [\n      {\n");
	for (size_t i = 0; i < chosen->n; i++) {
		const struct column *col = chosen->column[i];
		const char *quote = col->number ? "" : "\"";

		cmd_puts(c, "         \"");
		for (const char *at = col->name; *at != '\0'; at++)
			cmd_putc(c, (char)byte_to_lower((unsigned char)*at));
		if (strcmp(col->name, "ONLINE") == 0)
			cmd_puts(c, "\": true");
		else
			cmd_printf(c, "\": %s%s%s", quote, col->value, quote);
		cmd_puts(c, i + 1 == chosen->n ? "\n" : ",\n");
	}
	cmd_puts(c, "      }\n   ]\n}\n");
}

static int lscpu_run(struct cmd *c)
{
	const struct lscpu_opts *o = c->opts;
	struct choice chosen;
	bool rows = o->which != WHICH_OFFLINE;

	if (c->nargs > 0)
		return cmd_usage(c, "bad usage");
	if (o->which != WHICH_DEFAULT && o->form != FORM_TABLE && o->form != FORM_PARSE)
		return cmd_error(c, 0,
				 "options --all, --online and --offline may only be used with "
				 "options --extended or --parse.");
	if (o->form == FORM_CACHES)
		return 0;
	if (o->form == FORM_SUMMARY) {
		put_summary(c, o);
		return 0;
	}
	if (choose(c, o, &chosen) != 0)
		return 1;
	if (o->form == FORM_PARSE) {
		put_parse(c, &chosen, rows);
	} else if (rows && o->json) {
		put_json(c, &chosen);
	} else if (rows) {
		put_row(c, &chosen, true);
		put_row(c, &chosen, false);
	}
	return 0;
}

const struct builtin builtin_lscpu = {
	.name = "lscpu",
	.usage = "[OPTION]...",
	.summary = "Writes what processor there is.",
	.run = lscpu_run,
	.opts = lscpu_options,
	.opts_size = sizeof(struct lscpu_opts),
	.family = "util-linux 2.38.1",
};
