/* SPDX-License-Identifier: MIT
 *
 * yq, tomlq and xq as wrappers of jq: the documents of all files become JSON, jq runs over
 * them, and its results are JSON, or with -y, -t or -x texts of the format.
 *
 * Reference: Andrey Kislyuk's yq 3.1.
 */
#include "builtins/yq/yq.h"

#include "builtins/jq/jq.h"

struct wrapper {
	struct yq *y;
	enum yq_format format;
	bool output;    /* in the format */
	bool roundtrip; /* with the styles of the input */
	bool in_place;
	bool flat_lists;
	bool new_words; /* YAML 1.2: yes and no need no quotes */
	int width;
	const char *root; /* --xml-root */
	bool declaration; /* --xml-dtd */
	char **argv;      /* for jq */
	int argc;
	bool has_filter;
	char **files;
	int nfiles;
	struct yq_list docs;
	size_t ndone;  /* results */
	bool open_end; /* the last one was a plain scalar: "..." follows at the end */
	struct buf out;
};

static const char yaml_help[] =
	"usage: yq [options] <jq filter> [input file...]\n"
	"\n"
	"yq transcodes YAML documents to JSON and passes them to jq.\n"
	"\n"
	"options:\n"
	"  --yaml-output, -y      write YAML\n"
	"  --yaml-roundtrip, -Y   write YAML in the styles of the input\n"
	"  --yaml-output-grammar-version {1.1,1.2}\n"
	"                         1.2: strings such as 'on' and 'no' are not quoted\n"
	"  --width WIDTH, -w WIDTH\n"
	"                         where text is broken\n"
	"  --indentless-lists     lists in maps are not indented\n"
	"  --in-place, -i         edit files in place\n"
	"and those of jq.\n";
static const char toml_help[] = "usage: tomlq [options] <jq filter> [input file...]\n"
				"\n"
				"tomlq transcodes TOML documents to JSON and passes them to jq.\n"
				"\n"
				"options:\n"
				"  --toml-output, -t  write TOML\n"
				"  --in-place, -i     edit files in place\n"
				"and those of jq.\n";
static const char xml_help[] =
	"usage: xq [options] <jq filter> [input file...]\n"
	"\n"
	"xq transcodes XML documents to JSON and passes them to jq.\n"
	"\n"
	"options:\n"
	"  --xml-output, -x       write XML\n"
	"  --xml-dtd              write an XML declaration before it\n"
	"  --xml-root NAME        write it within an element of this name\n"
	"  --xml-force-list NAME  elements of this name are always lists (repeatable)\n"
	"  --in-place, -i         edit files in place\n"
	"and those of jq.\n";

static _Noreturn void fail(struct wrapper *w, const char *format, const char *text)
{
	struct buf b = buf_in(w->y->a);

	buf_printf(&b, "%s: ", w->y->c->b->name);
	buf_printf(&b, format, text);
	buf_putc(&b, '\n');
	cmd_flush(w->y->c);
	cmd_err_write(w->y->c, b.ptr, b.len);
	cmd_exit(w->y->c, 1);
}

/* --- options --- */

static bool is_output_letter(const struct wrapper *w, char c)
{
	return c == (w->format == YQ_YAML ? 'y' : w->format == YQ_TOML ? 't' : 'x');
}

static _Noreturn void help(struct wrapper *w)
{
	cmd_puts(w->y->c, w->format == YQ_YAML   ? yaml_help
			  : w->format == YQ_TOML ? toml_help
						 : xml_help);
	cmd_exit(w->y->c, 0);
}

static const char *next_arg(struct wrapper *w, int *i)
{
	if (*i + 1 >= w->y->c->argc)
		fail(w, "error: argument %s: expected one argument", w->y->c->argv[*i]);
	return w->y->c->argv[++*i];
}

static int width_of(struct wrapper *w, const char *text)
{
	uint64_t n;

	if (!num_plain(text, &n) || n > 1000000)
		fail(w, "error: argument --width/-w: invalid int value: '%s'", text);
	return (int)n;
}

/* A word behind "--" that is the wrapper's; *i moves to its argument. */
static bool own_option(struct wrapper *w, const char *word, int *i)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] == '=' ? word + len + 1 : NULL;
	struct bytes name = { word, len };

	if (w->format == YQ_YAML &&
	    (bytes_is(name, "yaml-output") || bytes_is(name, "yml-output"))) {
		w->output = true;
	} else if (w->format == YQ_YAML &&
		   (bytes_is(name, "yaml-roundtrip") || bytes_is(name, "yml-roundtrip"))) {
		w->output = w->roundtrip = true;
	} else if (bytes_is(name, "toml-output") && w->format == YQ_TOML) {
		w->output = true;
	} else if (bytes_is(name, "xml-output") && w->format == YQ_XML) {
		w->output = true;
	} else if (bytes_is(name, "xml-dtd") && w->format == YQ_XML) {
		w->output = w->declaration = true;
	} else if (bytes_is(name, "in-place")) {
		w->in_place = true;
	} else if (w->format == YQ_YAML &&
		   (bytes_is(name, "indentless-lists") || bytes_is(name, "indentless"))) {
		w->flat_lists = true;
	} else if (bytes_is(name, "width") && w->format == YQ_YAML) {
		w->width = width_of(w, value != NULL ? value : next_arg(w, i));
	} else if (w->format == YQ_YAML && (bytes_is(name, "yml-out-ver") ||
					    bytes_is(name, "yaml-output-grammar-version"))) {
		w->new_words = strcmp(value != NULL ? value : next_arg(w, i), "1.2") == 0;
	} else if (bytes_is(name, "xml-root") && w->format == YQ_XML) {
		w->output = true;
		w->root = value != NULL ? value : next_arg(w, i);
	} else if (bytes_is(name, "xml-force-list") && w->format == YQ_XML) {
		w->y->forced[w->y->nforced++] = value != NULL ? value : next_arg(w, i);
	} else if (bytes_is(name, "version")) {
		cmd_printf(w->y->c, "%s 3.1.0\n", w->y->c->b->name);
		cmd_exit(w->y->c, 0);
	} else if (bytes_is(name, "help")) {
		help(w);
	} else {
		return false;
	}
	return true;
}

/* How many arguments an option of jq takes. */
static int jq_arguments(const char *word)
{
	static const char *const two[] = { "--arg", "--argjson", "--slurpfile", "--rawfile" };

	for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++)
		if (strcmp(word, two[i]) == 0)
			return 2;
	return strcmp(word, "--indent") == 0 || strcmp(word, "-L") == 0;
}

/* Letters: the wrapper's are taken out, the others go to jq. */
static void short_options(struct wrapper *w, int *i)
{
	const char *text = w->y->c->argv[*i];
	struct buf rest = buf_in(w->y->a);

	buf_putc(&rest, '-');
	for (const char *p = text + 1; *p != '\0'; p++) {
		if (is_output_letter(w, *p)) {
			w->output = true;
		} else if (*p == 'Y' && w->format == YQ_YAML) {
			w->output = w->roundtrip = true;
		} else if (*p == 'i') {
			w->in_place = true;
		} else if (*p == 'h') {
			help(w);
		} else if (*p == 'w' && w->format == YQ_YAML) {
			w->width = width_of(w, p[1] != '\0' ? p + 1 : next_arg(w, i));
			break;
		} else {
			buf_putc(&rest, *p);
		}
	}
	if (rest.len == 1)
		return;
	w->argv[w->argc++] = buf_cstr(&rest);
	if (strchr(rest.ptr, 'f') != NULL)
		w->has_filter = false;
	if (strcmp(rest.ptr, "-L") == 0)
		w->argv[w->argc++] = arena_dup(w->y->a, bytes_of(next_arg(w, i)));
}

static void operand(struct wrapper *w, char *text, bool values)
{
	if (!w->has_filter || values) {
		w->has_filter = true;
		w->argv[w->argc++] = text;
	} else {
		w->files[w->nfiles++] = text;
	}
}

static void read_args(struct wrapper *w)
{
	struct cmd *c = w->y->c;
	bool options = true;
	bool values = false; /* --args: what follows is not a file */

	for (int i = 1; i < c->argc; i++) {
		char *text = c->argv[i];

		if (!options || text[0] != '-' || text[1] == '\0') {
			operand(w, text, values);
		} else if (strcmp(text, "--") == 0) {
			options = false;
		} else if (text[1] != '-') {
			short_options(w, &i);
		} else if (!own_option(w, text + 2, &i)) {
			int n = jq_arguments(text);

			values |= strcmp(text, "--args") == 0 || strcmp(text, "--jsonargs") == 0;
			w->argv[w->argc++] = text;
			for (; n > 0 && i + 1 < c->argc; n--)
				w->argv[w->argc++] = c->argv[++i];
		}
	}
	if (!w->has_filter)
		w->argv[w->argc++] = arena_dup(w->y->a, BYTES("."));
}

/* --- input --- */

/* As YAML 1.1 has it: octal numbers begin with 0; and dates are strings. */
static void old_numbers(struct yq *y, struct yaml_node *n)
{
	int64_t v;

	if (n->kind == YAML_SCALAR && yaml_is(n, "!!int") && n->value.len > 1 &&
	    n->value.ptr[0] == '0' && byte_is_digit(n->value.ptr[1])) {
		struct buf b = buf_in(y->a);
		struct yaml_node octal = *n;

		buf_puts(&b, "0o");
		buf_add(&b, bytes_slice(n->value, 1, n->value.len));
		octal.value = buf_bytes(&b);
		if (yq_int(&octal, &v))
			n->value = yq_number(y, v)->value;
		else
			n->tag = BYTES("!!str");
	}
	for (uint32_t i = 0; i < n->n; i++)
		old_numbers(y, n->items[i]);
}

static void read_yaml(struct wrapper *w, struct bytes text, const char *path)
{
	struct yaml_parser p;
	struct yaml_node *root;
	int more;
	struct buf b = buf_in(w->y->a);

	yaml_parser_init(&p, w->y->a, text);
	p.poll = cmd_work;
	p.arg = w->y->c;
	while ((more = yaml_next(&p, &root)) > 0) {
		old_numbers(w->y, root);
		yq_add(w->y, &w->docs, root);
	}
	if (more == 0)
		return;
	if (strcmp(path, "-") == 0)
		path = "<stdin>";
	if (p.context != NULL)
		buf_printf(&b, "%s\n  in \"%s\", line %u, column %u\n", p.context, path,
			   p.context_line + 1, p.context_column + 1);
	buf_printf(&b, "%s%.*s\n  in \"%s\", line %u, column %u", p.error, (int)p.error_name.len,
		   p.error_name.len > 0 ? p.error_name.ptr : "", path, p.error_line + 1,
		   p.error_column + 1);
	fail(w, "Error running jq: ParserError: %s.", buf_cstr(&b));
}

static void read_file(struct wrapper *w, const char *path)
{
	struct yq *y = w->y;
	struct buf error = buf_in(y->a);
	struct yaml_node *n;
	struct bytes text;
	int err = cmd_read_all(y->c, path, &text);

	if (err < 0) {
		cmd_warn(y->c, 0, "error: argument files: can't open '%s': [Errno %d] %s: '%s'",
			 path, -err, err_text(err), path);
		cmd_exit(y->c, 2);
	}
	text = arena_bytes(y->a, text);
	cmd_charge_bytes(y->c, text.len);
	if (w->format == YQ_YAML) {
		read_yaml(w, text, path);
		return;
	}
	n = w->format == YQ_XML ? yq_read_xml(y, text, &error) : yq_read_toml(y, text, &error);
	if (n == NULL)
		fail(w,
		     w->format == YQ_XML ? "Error running jq: ExpatError: %s."
					 : "Error running jq: TomlDecodeError: %s.",
		     buf_cstr(&error));
	yq_add(y, &w->docs, n);
}

/* --- output --- */

/* 1e+100 is no float to PyYAML, 1.0e+100 is. */
static void python_floats(struct yq *y, struct yaml_node *n)
{
	if (n->kind == YAML_SCALAR && yq_is_number(n) && memchr(n->value.ptr, 'e', n->value.len) &&
	    memchr(n->value.ptr, '.', n->value.len) == NULL) {
		struct buf b = buf_in(y->a);
		const char *e = memchr(n->value.ptr, 'e', n->value.len);

		buf_put(&b, n->value.ptr, (size_t)(e - n->value.ptr));
		buf_puts(&b, ".0");
		buf_puts(&b,
			 arena_dup(y->a,
				   (struct bytes){ e, n->value.len - (size_t)(e - n->value.ptr) }));
		n->value = buf_bytes(&b);
		n->tag = BYTES("!!float");
	}
	for (uint32_t i = 0; i < n->n; i++)
		python_floats(y, n->items[i]);
}

static void put_yaml(struct wrapper *w, struct yaml_node *n)
{
	struct yaml_layout layout = { .indent = 2,
				      .flat_lists = w->flat_lists,
				      .width = w->width,
				      .old_words = !w->new_words,
				      .no_comments = true,
				      .python = true,
				      .poll = cmd_work,
				      .arg = w->y->c };
	struct buf text = buf_in(w->y->a);
	bool scalar = n->kind == YAML_SCALAR;

	python_floats(w->y, n);
	if (w->roundtrip && w->docs.n > 0)
		n = yq_reconcile(w->y, n, w->docs.items[w->ndone < w->docs.n ? w->ndone : 0]);
	yaml_emit(&text, n, &layout);
	if (w->ndone > 0)
		buf_puts(&w->out, scalar || n->n == 0 ? "--- " : "---\n");
	buf_add(&w->out, buf_bytes(&text));
	w->open_end = scalar && text.ptr[0] != '\'' && text.ptr[0] != '"';
}

static void put_xml(struct wrapper *w, struct yaml_node *n)
{
	if (w->root != NULL) {
		struct yaml_node *map = yq_map(w->y);

		if (n->kind == YAML_MAP || n->kind == YAML_SCALAR || n->n > 0)
			yq_set(w->y, map, bytes_of(w->root), n);
		n = map;
	}
	if (n->kind != YAML_MAP)
		fail(w,
		     "Error converting JSON to XML: cannot represent non-object types at top "
		     "level. Use --xml-root=name to envelope your output with a root element.%s",
		     "");
	if (w->declaration)
		buf_puts(&w->out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
	yq_write_xml(w->y, &w->out, n, 2);
}

static void take_result(void *arg, struct json_mem *m, struct json v)
{
	struct wrapper *w = arg;
	struct yaml_node *n = yq_node_of_json(w->y, m, v);

	if (w->format == YQ_YAML)
		put_yaml(w, n);
	else if (w->format == YQ_XML)
		put_xml(w, n);
	else if (n->kind != YAML_MAP)
		fail(w, "Error running jq: %s cannot be written as TOML.", yq_kind_name(n));
	else
		yq_write_toml(w->y, &w->out, n);
	w->ndone++;
	if (!w->in_place) {
		cmd_bytes(w->y->c, buf_bytes(&w->out));
		w->out.len = 0;
	}
}

static void write_back(struct wrapper *w, const char *path)
{
	struct output file;
	int err = output_open(&file, w->y->c, path, O_TRUNC_, true);

	if (err >= 0) {
		output_write(&file, w->out.ptr, w->out.len);
		err = output_close(&file);
	}
	if (err < 0)
		fail(w, "%s", err_text(err));
}

/* jq over what was read, and what ends its output. */
static int run(struct wrapper *w)
{
	struct cmd *c = w->y->c;
	struct jq_host host = { .arg = w, .result = w->output ? take_result : NULL };
	struct buf text = buf_in(w->y->a);
	int status;

	for (size_t i = 0; i < w->docs.n; i++)
		yq_write_json(w->y, &text, w->docs.items[i], 0);
	host.input = buf_bytes(&text);
	w->ndone = 0;
	w->open_end = false;
	w->out = buf_in(w->y->a);
	c->argv = w->argv;
	c->argc = w->argc;
	status = jq_main(c, &host);
	if (w->open_end)
		buf_puts(&w->out, "...\n");
	if (!w->in_place)
		cmd_bytes(c, buf_bytes(&w->out));
	return status;
}

static int main_run(void *arg)
{
	static char dash[] = "-";
	struct wrapper *w = arg;
	int status = 0;

	read_args(w);
	if (w->in_place && w->nfiles == 0)
		fail(w,
		     "-i/--in-place can only be used with filename arguments, not on standard "
		     "input%s",
		     "");
	if (w->in_place && !w->output)
		fail(w, "-i/--in-place can only be used with %s",
		     w->format == YQ_YAML   ? "-y/-Y"
		     : w->format == YQ_TOML ? "-t"
					    : "-x");
	if (w->nfiles == 0)
		w->files[w->nfiles++] = dash;
	for (int i = 0; i < w->nfiles; i++) {
		read_file(w, w->files[i]);
		if (!w->in_place)
			continue;
		status = run(w);
		if (status != 0)
			return status;
		write_back(w, w->files[i]);
		w->docs.n = 0;
	}
	return w->in_place ? status : run(w);
}

int yq_python_main(struct cmd *c, enum yq_format format)
{
	struct yq *y = arena_zalloc(c->arena, sizeof(*y));
	struct wrapper *w = arena_zalloc(c->arena, sizeof(*w));

	y->c = c;
	y->a = c->arena;
	y->o.python = true;
	y->o.attribute_prefix = "@";
	y->o.content_name = "#text";
	y->forced = arena_array(y->a, (size_t)c->argc + 1, sizeof(y->forced[0]));
	yq_add_source(y, (struct yq_source){ 0, 0, "" });
	w->y = y;
	w->format = format;
	w->width = 80;
	w->argv = arena_array(y->a, (size_t)c->argc + 3, sizeof(char *));
	w->files = arena_array(y->a, (size_t)c->argc + 2, sizeof(char *));
	w->argv[w->argc++] = arena_dup(y->a, BYTES("jq"));
	return cmd_deepen(c, YQ_STACK_NEED, main_run, w);
}

static int tomlq_run(struct cmd *c)
{
	return yq_python_main(c, YQ_TOML);
}

const struct builtin builtin_tomlq = {
	.name = "tomlq",
	.usage = "[OPTION]... FILTER [FILE]...",
	.summary = "Filters TOML with programs of jq.",
	.run = tomlq_run,
	.flags = BUILTIN_RAW | BUILTIN_NO_HELP,
	.family = "tomlq 3.1.0",
};

static int xq_run(struct cmd *c)
{
	return yq_python_main(c, YQ_XML);
}

const struct builtin builtin_xq = {
	.name = "xq",
	.usage = "[OPTION]... FILTER [FILE]...",
	.summary = "Filters XML with programs of jq.",
	.run = xq_run,
	.flags = BUILTIN_RAW | BUILTIN_NO_HELP,
	.family = "xq 3.1.0",
};
