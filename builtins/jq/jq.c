/* SPDX-License-Identifier: MIT
 *
 * jq - filter and transform JSON: options, the loop over inputs, output.
 *
 * Reference: jq 1.7. What differs is in docs/limits.md.
 */
#include "builtins/jq/jq.h"

static const char usage_text[] = "jq - filter and transform JSON [version 1.7.1]\n\n"
				 "Usage:\tjq [OPTIONS] FILTER [FILES...]\n"
				 "\tjq [OPTIONS] -f FILE [FILES...]\n"
				 "\tjq [OPTIONS] --args FILTER [ARGUMENTS...]\n"
				 "\tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]\n";

static const char help_text[] =
	"\njq applies the filter to the JSON texts of its files or standard input and writes the\n"
	"results as JSON.\n\n"
	"Command options:\n"
	"  -n, --null-input          the single input is null\n"
	"  -R, --raw-input           each line is a string\n"
	"  -s, --slurp               all inputs as one array\n"
	"  -c, --compact-output      no white space\n"
	"  -r, --raw-output          strings without quotes\n"
	"      --raw-output0         the same, a NUL behind each\n"
	"  -j, --join-output         the same, nothing behind each\n"
	"  -a, --ascii-output        ASCII only\n"
	"  -S, --sort-keys           objects by key\n"
	"  -C, --color-output        colors\n"
	"  -M, --monochrome-output   no colors\n"
	"      --tab                 indent with tabs\n"
	"      --indent N            indent with N spaces (at most 7)\n"
	"      --unbuffered          write each result at once\n"
	"      --stream              inputs as [path, leaf] events\n"
	"      --stream-errors       the same\n"
	"      --seq                 RS before each result\n"
	"  -f, --from-file FILE      the filter is in FILE\n"
	"  -L DIRECTORY              where modules are\n"
	"      --arg NAME VALUE      $NAME is the string VALUE\n"
	"      --argjson NAME VALUE  $NAME is the JSON VALUE\n"
	"      --slurpfile NAME FILE $NAME is an array of the JSON texts of FILE\n"
	"      --rawfile NAME FILE   $NAME is the text of FILE\n"
	"      --args                what follows are strings: $ARGS.positional\n"
	"      --jsonargs            what follows are JSON texts: $ARGS.positional\n"
	"  -e, --exit-status         1 if the last result was false or null, 4 if there was none\n"
	"  -V, --version             the version\n"
	"  -h, --help                this text\n";

/* --- options --- */

struct args {
	struct jq *j;
	int i;
	const char *filter;
	char **files;
	int nfiles;
	enum { REST_FILES, REST_STRINGS, REST_JSON } rest;
};

static _Noreturn void bad_usage(struct jq *j, const char *format, const char *a)
{
	struct buf b = buf_in(j->a);

	if (format != NULL) {
		buf_printf(&b, format, a);
		buf_putc(&b, '\n');
	}
	buf_puts(&b, "Use jq --help for help with command-line options,\n"
		     "or see the jq manpage, or online docs  at https://jqlang.github.io/jq\n");
	cmd_err_write(j->c, b.ptr, b.len);
	cmd_exit(j->c, 2);
}

static const char *next_arg(struct args *a, const char *format)
{
	struct cmd *c = a->j->c;

	if (a->i + 1 >= c->argc)
		bad_usage(a->j, format, "");
	return c->argv[++a->i];
}

static void set_named(struct jq *j, const char *name, struct json v)
{
	struct json key = json_string_utf8(&j->m, bytes_of(name));

	/* The first of several wins. */
	if (json_get(j->opts.named, key).kind != JSON_NONE)
		json_put(&j->m, v);
	else
		j->opts.named = json_set(&j->m, j->opts.named, json_copy(key), v);
	json_put(&j->m, key);
}

static void named_file(struct args *a, bool raw)
{
	struct jq *j = a->j;
	const char *what = raw ? "rawfile" : "slurpfile";
	struct buf message = buf_in(j->a);
	struct bytes text;
	struct json v = json_simple(JSON_NULL);

	if (a->i + 2 >= j->c->argc) {
		buf_printf(&message, "jq: --%s takes two parameters (e.g. --%s varname filename)",
			   what, what);
		bad_usage(j, "%s", buf_cstr(&message));
	}
	const char *name = j->c->argv[a->i + 1];
	const char *path = j->c->argv[a->i + 2];

	a->i += 2;
	int err = cmd_read_all(j->c, path, &text);

	if (err < 0)
		buf_printf(&message, "Could not open %s: %s", path, err_text(err));
	else if (raw)
		v = json_string_utf8(&j->m, text);
	else
		jq_parse_all(j, text, &v, &message);
	if (message.len > 0) {
		struct buf b = buf_in(j->a);

		buf_printf(&b, "jq: Bad JSON in --%s %s %s: %s\n", what, name, path,
			   buf_cstr(&message));
		cmd_err_write(j->c, b.ptr, b.len);
		cmd_exit(j->c, 2);
	}
	set_named(j, name, v);
}

static void named_value(struct args *a, bool json)
{
	struct jq *j = a->j;
	struct buf message = buf_in(j->a);
	struct json v;

	if (a->i + 2 >= j->c->argc)
		bad_usage(
			j,
			json ? "jq: --argjson takes two parameters (e.g. --argjson varname text)%s"
			     : "jq: --arg takes two parameters (e.g. --arg varname value)%s",
			"");
	const char *name = j->c->argv[a->i + 1];
	const char *text = j->c->argv[a->i + 2];

	a->i += 2;
	if (!json)
		v = json_string_utf8(&j->m, bytes_of(text));
	else if (json_parse(&j->m, bytes_of(text), &v, &message) != JSON_VALUE)
		bad_usage(j, "jq: invalid JSON text passed to --argjson%s", "");
	set_named(j, name, v);
}

static void set_indent(struct args *a)
{
	const char *text = next_arg(a, "jq: --indent takes one parameter%s");
	uint64_t n;

	if (!num_plain(text, &n) || n > 7)
		bad_usage(a->j, "jq: --indent takes a number between -1 and 7%s", "");
	a->j->opts.tab = false;
	a->j->opts.compact = n == 0;
	a->j->opts.indent = (int)n;
}

static void add_dir(struct args *a, const char *dir)
{
	struct jq_opts *o = &a->j->opts;

	o->dirs = arena_room(a->j->a, o->dirs, o->ndirs, sizeof(char *));
	o->dirs[o->ndirs++] = arena_dup(a->j->a, bytes_of(dir));
}

static _Noreturn void show_help(struct jq *j)
{
	cmd_puts(j->c, usage_text);
	cmd_puts(j->c, help_text);
	cmd_exit(j->c, 0);
}

/* One letter; false: unknown. rest: what follows it in its argument. */
static bool letter(struct args *a, char ch, const char **rest)
{
	struct jq_opts *o = &a->j->opts;

	switch (ch) {
	case 'n': o->null_input = true; break;
	case 'R': o->raw_input = true; break;
	case 's': o->slurp = true; break;
	case 'c':
		o->compact = true;
		o->tab = false;
		break;
	case 'r': o->raw = true; break;
	case 'j': o->raw = o->join = true; break;
	case 'a': o->ascii = true; break;
	case 'S': o->sort = true; break;
	case 'C': o->color = o->color_set = true; break;
	case 'M': o->color = false, o->color_set = true; break;
	case 'e': o->exit_status = true; break;
	case 'h': show_help(a->j);
	case 'V': cmd_puts(a->j->c, "jq-1.7.1\n"); cmd_exit(a->j->c, 0);
	case 'f': o->from_file = ""; break;
	case 'L':
		add_dir(a, **rest != '\0' ? *rest
					  : next_arg(a, "-L takes a parameter: (e.g. -L "
							"/search/path or -L/search/path)%s"));
		*rest = "";
		break;
	default: return false;
	}
	return true;
}

static bool flag_word(struct args *a, const char *word)
{
	static const char words[][20] = {
		"nnull-input",   "Rraw-input",         "sslurp",        "ccompact-output",
		"rraw-output",   "jjoin-output",       "aascii-output", "Ssort-keys",
		"Ccolor-output", "Mmonochrome-output", "eexit-status",  "hhelp",
		"Vversion",      "ffrom-file",
	};
	const char *none = "";

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i] + 1, word) == 0)
			return letter(a, words[i][0], &none);
	return false;
}

static bool long_option(struct args *a, const char *word)
{
	struct jq_opts *o = &a->j->opts;

	if (flag_word(a, word))
		return true;
	if (strcmp(word, "tab") == 0)
		o->tab = true, o->indent = 1, o->compact = false;
	else if (strcmp(word, "indent") == 0)
		set_indent(a);
	else if (strcmp(word, "raw-output0") == 0)
		o->raw = o->join = o->raw0 = true;
	else if (strcmp(word, "unbuffered") == 0)
		o->unbuffered = true;
	else if (strcmp(word, "stream") == 0)
		o->stream = true;
	else if (strcmp(word, "stream-errors") == 0)
		o->stream = o->stream_errors = true;
	else if (strcmp(word, "seq") == 0)
		o->seq = true;
	else if (strcmp(word, "arg") == 0 || strcmp(word, "argjson") == 0)
		named_value(a, word[3] != '\0');
	else if (strcmp(word, "slurpfile") == 0 || strcmp(word, "rawfile") == 0)
		named_file(a, word[0] == 'r');
	else if (strcmp(word, "args") == 0)
		a->rest = REST_STRINGS;
	else if (strcmp(word, "jsonargs") == 0)
		a->rest = REST_JSON;
	else
		return false;
	return true;
}

static void operand(struct args *a, char *text)
{
	struct jq *j = a->j;
	struct buf message = buf_in(j->a);
	struct json v;

	if (a->filter == NULL) {
		a->filter = text;
	} else if (a->rest == REST_FILES) {
		a->files[a->nfiles++] = text;
	} else {
		if (a->rest == REST_STRINGS)
			v = json_string_utf8(&j->m, bytes_of(text));
		else if (json_parse(&j->m, bytes_of(text), &v, &message) != JSON_VALUE)
			bad_usage(j, "jq: invalid JSON text passed to --jsonargs%s", "");
		j->opts.positional = json_push(&j->m, j->opts.positional, v);
	}
}

static void option(struct args *a, const char *text)
{
	const char *rest;

	if (text[1] == '-') {
		if (!long_option(a, text + 2))
			bad_usage(a->j, "jq: Unknown option %s", text);
		return;
	}
	for (rest = text + 1; *rest != '\0';) {
		char ch = *rest++;

		if (!letter(a, ch, &rest))
			bad_usage(a->j, "jq: Unknown option %s", text);
	}
}

static void read_args(struct args *a)
{
	struct cmd *c = a->j->c;
	bool options = true;

	a->files = arena_array(a->j->a, (size_t)c->argc + 1, sizeof(char *));
	for (a->i = 1; a->i < c->argc; a->i++) {
		char *text = c->argv[a->i];

		if (options && strcmp(text, "--") == 0)
			options = false;
		else if (options && text[0] == '-' && text[1] != '\0')
			option(a, text);
		else
			operand(a, text);
	}
}

/* --- the program --- */

static struct bytes program_text(struct args *a)
{
	struct jq *j = a->j;
	struct bytes text;
	int err;

	if (j->opts.from_file == NULL)
		return bytes_of(a->filter != NULL ? a->filter : ".");
	if (a->filter == NULL)
		bad_usage(j, NULL, NULL);
	err = cmd_read_all(j->c, a->filter, &text);
	if (err < 0) {
		struct buf b = buf_in(j->a);

		buf_printf(&b, "jq: Could not open %s: %s\n", a->filter, err_text(err));
		cmd_err_write(j->c, b.ptr, b.len);
		cmd_exit(j->c, 2);
	}
	return arena_bytes(j->a, text);
}

static void bind_arguments(struct jq *j)
{
	struct json args = json_object(&j->m, 2);
	struct json named = j->opts.named;

	args = json_set(&j->m, args, json_key(&j->m, BYTES("positional")), j->opts.positional);
	args = json_set(&j->m, args, json_key(&j->m, BYTES("named")), json_copy(named));
	j->top = jq_scope_data(j, j->globals, BYTES("ARGS"), args);
	for (size_t i = json_next_slot(named, 0); i < named.u.obj->used;
	     i = json_next_slot(named, i + 1)) {
		struct json key = { .kind = JSON_STRING, .u.str = named.u.obj->slots[i].key };

		j->top = jq_scope_data(j, j->top, json_text(key), named.u.obj->slots[i].val);
	}
}

static struct fn *prepare(struct args *a)
{
	struct jq *j = a->j;
	struct source *src = arena_zalloc(j->a, sizeof(*src));
	struct program *prog;
	struct fn *main = NULL;

	src->name = "<top-level>";
	src->text = program_text(a);
	j->main_source = src;
	j->globals = jq_scope_data(j, NULL, BYTES("__top__"), json_simple(JSON_NULL));
	bind_arguments(j);
	prog = jq_parse(j, src);
	if (prog != NULL && prog->main == NULL) {
		static const char text[] = "jq: error: Top-level program not given (try \".\")\n";

		cmd_err_write(j->c, text, sizeof(text) - 1);
		j->nerrors++;
	} else if (prog != NULL) {
		j->sorts_complaints = true;
		main = jq_compile(j, prog);
		jq_write_complaints(j);
	}
	if (j->nerrors > 0 && j->host != NULL && j->host->bad_program != NULL)
		j->host->bad_program(j->host->arg);
	if (j->nerrors > 0) {
		struct buf b = buf_in(j->a);

		buf_printf(&b, "jq: %d compile %s\n", j->nerrors,
			   j->nerrors > 1 ? "errors" : "error");
		cmd_err_write(j->c, b.ptr, b.len);
		cmd_exit(j->c, 3);
	}
	return main;
}

/* --- output --- */

struct sink {
	struct jq *j;
	struct json_style style;
	struct buf out;
	const char *colors[JSON_COLORS];
	int last; /* exit status by the last result */
	bool any;
};

static void drain(void *arg, struct buf *out)
{
	struct jq *j = arg;

	cmd_write(j->c, out->ptr, out->len);
	out->len = 0;
}

enum { COLOR_MAX = 12 };

/* JQ_COLORS: fields of digits and semicolons, ':' between; if one is bad none is used. */
static void read_colors(struct sink *s)
{
	static const char *const plain[JSON_COLORS] = {
		"\x1b[1;30m", "\x1b[0;39m", "\x1b[0;39m", "\x1b[0;39m",
		"\x1b[0;32m", "\x1b[1;39m", "\x1b[1;39m", "\x1b[34;1m",
	};
	const char *text = cmd_getenv(s->j->c, "JQ_COLORS");
	const char *own[JSON_COLORS];

	memcpy(s->colors, plain, sizeof(plain));
	memcpy(own, plain, sizeof(plain));
	for (int i = 0; text != NULL && i < JSON_COLORS && *text != '\0'; i++) {
		size_t n = strspn(text, "0123456789;");
		struct buf b = buf_in(s->j->a);

		if ((text[n] != ':' && text[n] != '\0') || n > COLOR_MAX) {
			cmd_err_write(s->j->c, "Failed to set $JQ_COLORS\n", 25);
			return;
		}
		buf_puts(&b, "\x1b[");
		buf_put(&b, text, n);
		buf_putc(&b, 'm');
		own[i] = buf_cstr(&b);
		text += text[n] == ':' ? n + 1 : n;
	}
	memcpy(s->colors, own, sizeof(own));
}

static bool wants_colors(struct cmd *c)
{
	const char *none = cmd_getenv(c, "NO_COLOR");

	return cmd_isatty(c, 1) && (none == NULL || *none == '\0');
}

static void set_style(struct sink *s)
{
	struct jq_opts *o = &s->j->opts;

	s->style = (struct json_style){ .pretty = !o->compact,
					.indent = (unsigned)o->indent,
					.tab = o->tab,
					.sort = o->sort,
					.ascii = o->ascii,
					.drain = drain,
					.arg = s->j };
	read_colors(s);
	if (!o->color_set)
		o->color = wants_colors(s->j->c);
	if (o->color)
		s->style.colors = s->colors;
	s->out = buf_in(s->j->a);
	buf_reserve(&s->out, 4096);
}

static void put_result(struct sink *s, struct json v)
{
	struct jq *j = s->j;
	struct jq_opts *o = &j->opts;

	if (o->seq)
		buf_putc(&s->out, '\x1e');
	if (o->raw && v.kind == JSON_STRING && o->raw0 &&
	    memchr(v.u.str->ptr, '\0', v.u.str->len)) {
		jq_error(j, "Cannot dump a string containing NUL with --raw-output0 option");
		return;
	}
	if (o->raw && v.kind == JSON_STRING && o->ascii) {
		json_put_string(&s->out, json_text(v), true);
	} else if (o->raw && v.kind == JSON_STRING) {
		drain(j, &s->out);
		cmd_bytes(j->c, json_text(v));
	} else {
		json_print(&j->m, &s->out, v, &s->style);
	}
	if (!o->join)
		buf_putc(&s->out, '\n');
	if (o->raw0)
		buf_putc(&s->out, '\0');
	drain(j, &s->out);
	if (o->unbuffered)
		cmd_flush(j->c);
	s->any = true;
	s->last = v.kind == JSON_NULL || v.kind == JSON_FALSE;
}

/* Writes the error that nothing caught; returns the exit status. */
static int report(struct jq *j)
{
	struct json e = j->error;
	struct buf b = buf_in(&j->scratch);
	JQ_SCRATCH(j, mark);
	const char *name = jq_input_name(j);

	buf_puts(&b, "jq: error (at ");
	if (name == NULL)
		buf_puts(&b, "<unknown>");
	else
		buf_printf(&b, "%s:%zu", name, (size_t)jq_input_line(j));
	if (e.kind == JSON_STRING) {
		buf_puts(&b, "): ");
		buf_add(&b, json_text(e));
	} else {
		buf_puts(&b, ") (not a string): ");
		json_print(&j->m, &b, e, NULL);
	}
	buf_putc(&b, '\n');
	cmd_flush(j->c);
	cmd_err_write(j->c, b.ptr, b.len);
	arena_release(&j->scratch, mark);
	json_put(&j->m, e);
	j->error = json_simple(JSON_NONE);
	j->raised = false;
	return 5;
}

static int run_on(struct sink *s, const struct fn *main, struct json input)
{
	struct jq *j = s->j;
	struct json v;
	int more;

	jq_start(j, main, input);
	while ((more = jq_next(j, &v)) == 1) {
		if (j->host != NULL && j->host->result != NULL)
			j->host->result(j->host->arg, &j->m, v);
		else
			put_result(s, v);
		json_put(&j->m, v);
		if (j->raised)
			return report(j);
	}
	if (more == 0)
		return 0;
	return j->halted ? 0 : report(j);
}

/* A parse error of an input ends everything. */
static int report_parse(struct jq *j)
{
	struct buf b = buf_in(j->a);

	buf_puts(&b, "jq: parse error: ");
	buf_add(&b, json_text(j->error));
	buf_putc(&b, '\n');
	cmd_flush(j->c);
	cmd_err_write(j->c, b.ptr, b.len);
	return 5;
}

static void poll_work(void *arg, uint64_t work)
{
	cmd_charge(arg, work);
}

static int loop(struct sink *s, const struct fn *main)
{
	struct jq *j = s->j;
	int status = 0;
	struct json v;

	if (j->opts.null_input) {
		status = run_on(s, main, json_simple(JSON_NULL));
	} else {
		int more;

		while (!j->halted && (more = jq_input(j, &v)) != 0) {
			if (more < 0)
				return report_parse(j);
			status = run_on(s, main, v);
		}
	}
	if (j->halted)
		return j->halt_status;
	if (jq_input_failed(j))
		status = 2;
	if (status != 0 || !j->opts.exit_status)
		return status;
	return s->any ? s->last : 4;
}

int jq_main(struct cmd *c, const struct jq_host *host)
{
	struct jq *j = arena_zalloc(c->arena, sizeof(*j));
	struct args args = { .j = j };
	struct sink sink = { .j = j };
	struct fn *main;

	j->c = c;
	j->host = host;
	j->a = c->arena;
	json_mem_init(&j->m, c->pool);
	j->m.poll = poll_work;
	j->m.arg = c;
	arena_init_under(&j->scratch, c->arena);
	j->scratch_base = arena_mark(&j->scratch);
	j->opts.indent = 2;
	j->opts.named = json_object(&j->m, 4);
	j->opts.positional = json_array(&j->m, 4);
	read_args(&args);
	main = prepare(&args);
	set_style(&sink);
	jq_input_open(j, args.files, args.nfiles);
	return loop(&sink, main);
}

static int jq_run(struct cmd *c)
{
	return jq_main(c, NULL);
}

const struct builtin builtin_jq = {
	.name = "jq",
	.usage = "[OPTION]... FILTER [FILE]...",
	.summary = "Filters and transforms JSON texts with a program.",
	.run = jq_run,
	.flags = BUILTIN_RAW | BUILTIN_NO_HELP,
	.usage_status = 2,
	.error_status = 2,
};
