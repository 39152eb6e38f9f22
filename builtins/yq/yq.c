/* SPDX-License-Identifier: MIT
 *
 * yq - read, change and convert YAML, JSON, XML, TOML, CSV and properties.
 *
 * The options and the language are those of the yq of Mike Farah, version 4. With an option
 * that only the wrapper of jq of the same name has (-y, -c, --arg...) it is that wrapper.
 */
#include "builtins/yq/yq.h"

static const char help_text[] =
	"yq is a portable command-line data file processor\n"
	"\n"
	"Usage:\n"
	"  yq [flags] [EXPRESSION] [FILE]...\n"
	"  yq [command]\n"
	"\n"
	"Available Commands:\n"
	"  eval        (default) Apply the expression to each document in each yaml file in "
	"sequence\n"
	"  eval-all    Loads _all_ yaml documents of _all_ yaml files and runs expression once\n"
	"\n"
	"Flags:\n"
	"  -e, --exit-status              set exit status if there are no matches or null or false "
	"is returned\n"
	"      --expression string        forcibly set the expression argument\n"
	"      --from-file string         Load expression from specified file.\n"
	"  -f, --front-matter string      (extract|process) first input as yaml front-matter\n"
	"  -h, --help                     help for yq\n"
	"  -I, --indent int               sets indent level for output (default 2)\n"
	"  -i, --inplace                  update the file in place of first file given.\n"
	"  -p, --input-format string      "
	"[auto|a|yaml|y|json|j|props|p|csv|c|tsv|t|xml|x|base64|uri|"
	"toml]\n"
	"  -M, --no-colors                force print with no colors\n"
	"  -N, --no-doc                   Don't print document separators (---)\n"
	"  -0, --nul-output               Use NUL char to separate values.\n"
	"  -n, --null-input               Don't read input, simply evaluate the expression given.\n"
	"  -o, --output-format string     "
	"[auto|a|yaml|y|json|j|props|p|csv|c|tsv|t|xml|x|base64|uri|"
	"toml|shell|s]\n"
	"  -P, --prettyPrint              pretty print, shorthand for '... style = \"\"'\n"
	"      --properties-separator string separator to use between keys and values "
	"(default \" = \")\n"
	"      --csv-separator char       CSV Separator character (default ,)\n"
	"  -s, --split-exp string         print each result into a file named (exp).\n"
	"  -r, --unwrapScalar             unwrap scalar, print the value with no quotes, colors or "
	"comments.\n"
	"  -V, --version                  Print version information and quit\n"
	"      --xml-attribute-prefix string prefix for xml attributes (default \"+@\")\n"
	"      --xml-content-name string  name for xml content (default \"+content\")\n";

enum flag_kind { FLAG, TEXT };

static const struct flag {
	char letter;
	const char *name;
	enum flag_kind kind;
	int id;
} flags[] = {
	{ 'e', "exit-status", FLAG, 'e' },
	{ 0, "expression", TEXT, 'x' },
	{ 0, "from-file", TEXT, 'F' },
	{ 'f', "front-matter", TEXT, 'f' },
	{ 'h', "help", FLAG, 'h' },
	{ 'I', "indent", TEXT, 'I' },
	{ 'i', "inplace", FLAG, 'i' },
	{ 0, "in-place", FLAG, 'i' },
	{ 'p', "input-format", TEXT, 'p' },
	{ 'M', "no-colors", FLAG, 'M' },
	{ 'C', "colors", FLAG, 'C' },
	{ 'N', "no-doc", FLAG, 'N' },
	{ '0', "nul-output", FLAG, '0' },
	{ 'n', "null-input", FLAG, 'n' },
	{ 'o', "output-format", TEXT, 'o' },
	{ 'P', "prettyPrint", FLAG, 'P' },
	{ 0, "properties-separator", TEXT, '=' },
	{ 0, "csv-separator", TEXT, ',' },
	{ 's', "split-exp", TEXT, 's' },
	{ 'j', "tojson", FLAG, 'j' },
	{ 'r', "unwrapScalar", FLAG, 'r' },
	{ 'V', "version", FLAG, 'V' },
	{ 0, "xml-attribute-prefix", TEXT, '@' },
	{ 0, "xml-content-name", TEXT, '#' },
};

struct args {
	struct yq *y;
	const char *expression;
	char **operands;
	int n;
};

uint32_t yq_add_source(struct yq *y, struct yq_source s)
{
	if (y->nsources == y->sources_cap) {
		size_t cap = y->sources_cap * 2 + 4;

		y->sources = arena_grow(y->a, y->sources, y->sources_cap * sizeof(s),
					cap * sizeof(s));
		y->sources_cap = cap;
	}
	y->sources[y->nsources] = s;
	return (uint32_t)y->nsources++;
}

/* Go's texts begin with a small letter. */
const char *yq_error_text(struct yq *y, int err)
{
	char *text = arena_dup(y->a, bytes_of(err_text(err)));

	text[0] = (char)byte_to_lower(text[0]);
	return text;
}

/* --- options --- */

static const struct flag *flag_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strlen(flags[i].name) == len && memcmp(flags[i].name, name, len) == 0)
			return &flags[i];
	return NULL;
}

static const struct flag *flag_of_letter(char letter)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].letter == letter && letter != 0)
			return &flags[i];
	return NULL;
}

static bool truth_of(struct yq *y, const struct flag *f, const char *value)
{
	if (value == NULL || strcmp(value, "true") == 0 || strcmp(value, "1") == 0)
		return true;
	if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
		return false;
	yq_fatal(y,
		 "invalid argument \"%s\" for \"--%s\" flag: strconv.ParseBool: parsing \"%s\": "
		 "invalid syntax",
		 value, f->name, value);
}

static void set_format(struct yq *y, const char *value, bool input)
{
	int *to = input ? &y->o.in_format : &y->o.out_format;

	if (!yq_format_named(value, to))
		yq_fatal(y,
			 "unknown format '%s' please use [auto|a|yaml|y|json|j|props|p|csv|c|tsv|t|"
			 "xml|x|base64|uri|toml%s]",
			 value, input ? "" : "|shell|s");
}

static void set_text(struct args *a, const struct flag *f, const char *value)
{
	struct yq *y = a->y;
	uint64_t n;

	switch (f->id) {
	case 'x': a->expression = value; break;
	case 'F': y->o.expression_file = value; break;
	case 'f':
		if (strcmp(value, "process") != 0 && strcmp(value, "extract") != 0)
			yq_fatal(y,
				 "invalid front matter action %s, must be either 'extract' or "
				 "'process'",
				 value);
		y->o.front_matter = value;
		break;
	case 'I':
		if (!num_plain(value, &n) || n > 40)
			yq_fatal(y, "invalid argument \"%s\" for \"-I, --indent\" flag", value);
		y->o.indent = (int)n;
		break;
	case 'p': set_format(y, value, true); break;
	case 'o': set_format(y, value, false); break;
	case '=': y->o.props_separator = value; break;
	case ',': y->o.csv_separator = strcmp(value, "\\t") == 0 ? '\t' : value[0]; break;
	case 's': y->o.split = value; break;
	case '@': y->o.attribute_prefix = value; break;
	default: y->o.content_name = value; break;
	}
}

static void set_flag(struct args *a, const struct flag *f, const char *value)
{
	struct yq *y = a->y;
	bool on = truth_of(y, f, value);

	switch (f->id) {
	case 'e': y->o.exit_status = on; break;
	case 'h': cmd_puts(y->c, help_text); cmd_exit(y->c, 0);
	case 'V':
		cmd_puts(y->c, "yq (https://github.com/mikefarah/yq/) version v4.44.3\n");
		cmd_exit(y->c, 0);
	case 'i': y->o.in_place = on; break;
	case 'M': break; /* there are none */
	case 'C':
		if (on)
			yq_fatal(y, "colors (-C) are not supported here");
		break;
	case 'N': y->o.no_separators = on; break;
	case '0': y->o.nul = on; break;
	case 'n': y->o.null_input = on; break;
	case 'P': y->o.pretty = on; break;
	case 'j':
		if (on)
			y->o.out_format = YQ_JSON;
		break;
	default:
		y->o.raw = on;
		y->o.raw_set = true;
		break;
	}
}

/* The option in argv[i] (and the next for its value): the last one used. */
static int long_option(struct args *a, int i)
{
	struct cmd *c = a->y->c;
	const char *name = c->argv[i] + 2;
	size_t len = strcspn(name, "=");
	const struct flag *f = flag_of(name, len);
	const char *value = name[len] == '=' ? name + len + 1 : NULL;

	if (f == NULL)
		yq_fatal(a->y, "unknown flag: --%.*s", (int)len, name);
	if (f->kind == FLAG) {
		set_flag(a, f, value);
		return i;
	}
	if (value == NULL && ++i >= c->argc)
		yq_fatal(a->y, "flag needs an argument: --%s", f->name);
	set_text(a, f, value != NULL ? value : c->argv[i]);
	return i;
}

static int short_options(struct args *a, int i)
{
	struct cmd *c = a->y->c;
	const char *text = c->argv[i] + 1;

	for (; *text != '\0'; text++) {
		const struct flag *f = flag_of_letter(*text);

		if (f == NULL)
			yq_fatal(a->y, "unknown shorthand flag: '%c' in %s", *text, c->argv[i]);
		if (f->kind == FLAG) {
			set_flag(a, f, text[1] == '=' ? text + 2 : NULL);
			if (text[1] == '=')
				break;
			continue;
		}
		text += text[1] == '=';
		if (text[1] == '\0' && ++i >= c->argc)
			yq_fatal(a->y, "flag needs an argument: '%c' in -%c", f->letter, f->letter);
		set_text(a, f, text[1] != '\0' ? text + 1 : c->argv[i]);
		break;
	}
	return i;
}

static void read_args(struct args *a)
{
	struct cmd *c = a->y->c;
	bool options = true;

	a->operands = arena_array(a->y->a, (size_t)c->argc + 1, sizeof(char *));
	for (int i = 1; i < c->argc; i++) {
		char *text = c->argv[i];

		if (options && strcmp(text, "--") == 0)
			options = false;
		else if (options && text[0] == '-' && text[1] == '-')
			i = long_option(a, i);
		else if (options && text[0] == '-' && text[1] != '\0')
			i = short_options(a, i);
		else
			a->operands[a->n++] = text;
	}
}

static bool is_file(struct cmd *c, const char *path)
{
	struct vfs_stat st;

	return strcmp(path, "-") == 0 ||
	       (cmd_stat(c, path, &st) == 0 && (st.mode & 0170000) != 0040000);
}

static const char *expression_of(struct args *a)
{
	struct yq *y = a->y;
	struct bytes text;
	int err;

	if (y->o.expression_file != NULL) {
		err = cmd_read_all(y->c, y->o.expression_file, &text);
		if (err < 0)
			yq_fatal(y, "open %s: %s", y->o.expression_file, yq_error_text(y, err));
		return arena_dup(y->a, text);
	}
	if (a->expression != NULL)
		return a->expression;
	if (a->n == 0 || is_file(y->c, a->operands[0]))
		return "";
	a->n--;
	return *a->operands++;
}

/* --- documents --- */

static void set_source(struct yaml_node *n, uint32_t source)
{
	n->source = source;
	for (uint32_t i = 0; i < n->n; i++)
		set_source(n->items[i], source);
}

/* The part between "---" lines at a file's beginning; *rest is what follows. */
static struct bytes front_matter(struct bytes text, struct bytes *rest)
{
	size_t at = bytes_starts(text, BYTES("---")) ? 3 : 0;
	const char *end;

	*rest = BYTES("");
	end = bytes_find(bytes_slice(text, at, text.len), BYTES("\n---"));
	if (end == NULL)
		return text;
	at = (size_t)(end - text.ptr) + 1;
	*rest = bytes_slice(text, at, text.len);
	return bytes_slice(text, 0, at);
}

/* The documents of a file; of none, one that is null. */
static struct yq_list read_file(struct yq *y, const char *path, uint32_t file, struct bytes *rest)
{
	struct yq_list docs = { NULL, 0, 0 };
	struct bytes text;
	int err = cmd_read_all(y->c, path, &text);

	if (err < 0)
		yq_fatal(y, "open %s: %s", path, yq_error_text(y, err));
	text = arena_bytes(y->a, text);
	if (y->o.front_matter != NULL && file == 0)
		text = front_matter(text, rest);
	yq_read(y, text, (enum yq_format)y->o.in_format, path, &docs);
	if (docs.n == 0)
		yq_add(y, &docs, yaml_scalar(y->a, BYTES("!!null"), BYTES("")));
	for (size_t i = 0; i < docs.n; i++)
		set_source(docs.items[i],
			   yq_add_source(y, (struct yq_source){ (uint32_t)i, file, path }));
	return docs;
}

static void print_all(struct yq *y, struct yq_list results)
{
	for (size_t i = 0; i < results.n; i++)
		yq_print(y, results.items[i]);
}

static void run_on(struct yq *y, const struct yq_expr *e, const char *program, struct yq_list docs)
{
	if (e == NULL) {
		yq_run_jq(y, program, docs);
		return;
	}
	if (y->o.all) {
		print_all(y, yq_eval(y, e, docs, NULL));
		return;
	}
	for (size_t i = 0; i < docs.n; i++)
		print_all(y, yq_eval_one(y, e, docs.items[i], NULL));
}

/* Writes what was collected over the file that it came from. */
static void write_back(struct yq *y, const char *path)
{
	struct output file;
	int err = output_open(&file, y->c, path, O_TRUNC_, true);

	if (err < 0)
		yq_fatal(y, "open %s: %s", path, yq_error_text(y, err));
	output_write(&file, y->in_place->ptr, y->in_place->len);
	err = output_close(&file);
	if (err < 0)
		yq_fatal(y, "write %s: %s", path, yq_error_text(y, err));
}

static void choose_formats(struct yq *y, const char *first)
{
	if (y->o.in_format == YQ_AUTO) {
		y->o.in_format = first != NULL ? (int)yq_format_of_file(first) : YQ_YAML;
		if (y->o.out_format == YQ_AUTO)
			y->o.out_format = y->o.in_format;
	} else if (y->o.out_format == YQ_AUTO) {
		y->o.out_format = YQ_YAML;
	}
}

static struct yq_expr *parse_or_null(struct yq *y, const char *program)
{
	struct yq_expr *e = yq_parse(y, bytes_of(program));

	if (e == NULL && y->o.all)
		yq_fatal(y, "%zu: %s in expression: %s", y->error_at + 1, y->error, program);
	return e;
}

static void run_files(struct yq *y, const char *program, char **files, int n)
{
	static char dash[] = "-";
	static char *standard[] = { dash };
	struct yq_expr *e = parse_or_null(y, program);
	struct yq_list all = { NULL, 0, 0 };
	struct bytes rest = BYTES("");

	if (n == 0)
		files = standard, n = 1;
	for (int i = 0; i < n; i++) {
		struct yq_list docs = read_file(y, files[i], (uint32_t)i, &rest);

		if (!y->o.all)
			run_on(y, e, program, docs);
		for (size_t k = 0; k < docs.n && y->o.all; k++)
			yq_add(y, &all, docs.items[k]);
	}
	if (y->o.all)
		run_on(y, e, program, all);
	if (y->o.front_matter == NULL || strcmp(y->o.front_matter, "process") != 0)
		return;
	if (y->in_place != NULL)
		buf_add(y->in_place, rest);
	else
		cmd_bytes(y->c, rest);
}

static void run_null(struct yq *y, const char *program)
{
	struct yaml_node *n = yq_null(y);

	n->source = yq_add_source(y, (struct yq_source){ 0, 0, "" });
	run_on(y, parse_or_null(y, program), program, yq_list_of(y, n));
}

static void take_command(struct args *a)
{
	const char *first = a->n > 0 ? a->operands[0] : "";

	if (strcmp(first, "eval-all") == 0 || strcmp(first, "ea") == 0)
		a->y->o.all = true;
	else if (strcmp(first, "eval") != 0 && strcmp(first, "e") != 0)
		return;
	a->operands++;
	a->n--;
}

static int main_run(void *arg)
{
	struct args *a = arg;
	struct yq *y = a->y;
	struct buf collected = buf_in(y->a);
	const char *program;

	read_args(a);
	take_command(a);
	program = expression_of(a);
	yq_add_source(y, (struct yq_source){ 0, 0, "" });
	if (y->o.null_input && a->n > 0 && is_file(y->c, a->operands[0]))
		yq_fatal(y, "cannot pass files in when using null-input flag");
	if (y->o.in_place && (a->n == 0 || strcmp(a->operands[0], "-") == 0))
		yq_fatal(y, "write in place flag only applicable when giving an expression and at "
			    "least one file");
	if (y->o.in_place && y->o.split != NULL)
		yq_fatal(y, "write in place cannot be used with split file");
	if (y->o.in_place)
		y->in_place = &collected;
	choose_formats(y, a->n > 0 ? a->operands[0] : NULL);
	if (y->o.null_input)
		run_null(y, program);
	else
		run_files(y, program, a->operands, a->n);
	if (y->o.in_place)
		write_back(y, a->operands[0]);
	if (y->o.exit_status && !y->truth)
		yq_fatal(y, "no matches found");
	return 0;
}

/* Whether an option is there that only the wrapper of jq has. */
static bool is_wrapper(const struct cmd *c)
{
	static const char *const words[] = {
		"yaml-output",      "yml-output",  "yaml-roundtrip",
		"yml-roundtrip",    "arg",         "argjson",
		"slurpfile",        "rawfile",     "args",
		"jsonargs",         "slurp",       "raw-output",
		"sort-keys",        "raw-input",   "compact-output",
		"ascii-output",     "join-output", "tab",
		"indentless-lists", "indentless",  "width",
		"in-place-yaml",    "yml-out-ver", "yaml-output-grammar-version",
	};

	for (int i = 1; i < c->argc && strcmp(c->argv[i], "--") != 0; i++) {
		const char *text = c->argv[i];

		if (text[0] != '-')
			continue;
		for (size_t k = 0; text[1] == '-' && k < sizeof(words) / sizeof(words[0]); k++)
			if (strcspn(text + 2, "=") == strlen(words[k]) &&
			    strncmp(text + 2, words[k], strlen(words[k])) == 0)
				return true;
		for (const char *p = text + 1; text[1] != '-' && *p != '\0'; p++) {
			const struct flag *f = flag_of_letter(*p);

			if (strchr("yYcSRaLw", *p) != NULL)
				return true;
			if (f == NULL || f->kind == TEXT)
				break;
		}
	}
	return false;
}

static int yq_run(struct cmd *c)
{
	struct yq *y = arena_zalloc(c->arena, sizeof(*y));
	struct args args = { .y = y };

	if (is_wrapper(c))
		return yq_python_main(c, YQ_YAML);
	y->c = c;
	y->a = c->arena;
	y->o.indent = 2;
	y->o.attribute_prefix = "+@";
	y->o.content_name = "+content";
	y->o.props_separator = " = ";
	return cmd_deepen(c, YQ_STACK_NEED, main_run, &args);
}

const struct builtin builtin_yq = {
	.name = "yq",
	.usage = "[OPTION]... [EXPRESSION] [FILE]...",
	.summary = "Reads, changes and converts YAML, JSON, XML, TOML, CSV and properties.",
	.run = yq_run,
	.flags = BUILTIN_RAW | BUILTIN_NO_HELP,
	.family = "yq v4.44.3",
};
