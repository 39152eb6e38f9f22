/* SPDX-License-Identifier: MIT
 *
 * awk - patterns and actions on records of text.
 *
 * The whole of POSIX awk, and gawk's extensions that scripts use. Not here, with an error that
 * says so: the debugger, warnings about style (--lint).
 * Reference: GNU awk 5.2.
 */
#include "builtins/awk/code.h"

/* --- messages --- */

static void put_place(struct awk *a, struct buf *out)
{
	const struct program *p = a->prog;

	buf_printf(out, "%s: ", a->name);
	if (a->ip != NULL && p->places[a->ip - p->code].line != 0) {
		struct place at = p->places[a->ip - p->code];

		buf_printf(out, "%s:%u: ", at.file != NULL ? at.file : "cmd. line", at.line);
		struct str *file = val_has_str(a->special[SP_FILENAME])
					   ? a->special[SP_FILENAME].u.str
					   : NULL;

		if (file != NULL && file->len != 0 && a->fnr > 0)
			buf_printf(out, "(FILENAME=%.*s FNR=%lld) ", (int)file->len, file->ptr,
				   (long long)a->fnr);
	}
}

static void put_message(struct awk *a, const char *kind, const char *format, va_list args)
{
	struct buf out = buf_in(&a->scratch);

	put_place(a, &out);
	buf_puts(&out, kind);
	buf_vprintf(&out, format, args);
	buf_putc(&out, '\n');
	cmd_flush(a->c);
	cmd_err_write(a->c, out.ptr, out.len);
}

_Noreturn void awk_fatal(struct awk *a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(a, "fatal: ", format, args);
	va_end(args);
	/* What was written to commands reaches them; their end can be fatal again. */
	if (!a->dying) {
		a->dying = true;
		awk_sink_close_all(a);
	}
	cmd_exit(a->c, AWK_FATAL);
}

void awk_warn(struct awk *a, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(a, "warning: ", format, args);
	va_end(args);
}

void awk_charge(struct awk *a)
{
	uint64_t n = a->work;

	a->work = 0;
	cmd_charge(a->c, n);
}

_Noreturn void awk_exit(struct awk *a, int status)
{
	awk_sink_close_all(a);
	cmd_exit(a->c, status);
}

/* --- options --- */

static int add_source(struct cmd *c, const char *text, const char *path, bool library)
{
	struct awk_opts *o = c->opts;
	struct awk_source *s = arena_zalloc(c->arena, sizeof *s);

	*s = (struct awk_source){ .text = text, .path = path, .library = library };
	if (o->last_source == NULL)
		o->last_source = &o->sources;
	*o->last_source = s;
	o->last_source = &s->next;
	o->has_source |= !library;
	return 0;
}

static int set_file(struct cmd *c, const struct opt *o, const char *arg)
{
	struct awk_opts *opts = c->opts;

	opts->exec |= o->letter == 'E';
	return add_source(c, NULL, arg, false);
}

static int set_text(struct cmd *c, const struct opt *o, const char *arg)
{
	(void)o;
	return add_source(c, arg, NULL, false);
}

static int set_include(struct cmd *c, const struct opt *o, const char *arg)
{
	struct awk_opts *opts = c->opts;

	(void)o;
	if (strcmp(arg, "inplace") == 0) {
		opts->has_inplace = true;
		return 0;
	}
	return add_source(c, NULL, arg, true);
}

static int set_assign(struct cmd *c, const struct opt *o, const char *arg)
{
	struct awk_opts *opts = c->opts;
	size_t n = (size_t)opts->nassigns;

	(void)o;
	opts->assigns = arena_room(c->arena, opts->assigns, n, sizeof(char *));
	opts->assigns[opts->nassigns++] = arena_dup(c->arena, bytes_of(arg));
	return 0;
}

static int set_load(struct cmd *c, const struct opt *o, const char *arg)
{
	struct awk_opts *opts = c->opts;
	size_t n = (size_t)opts->nloads;

	(void)o;
	opts->loads = arena_room(c->arena, opts->loads, n, sizeof(char *));
	opts->loads[opts->nloads++] = arena_dup(c->arena, bytes_of(arg));
	return 0;
}

#define FLAG(s, l, field, text) OPT_FLAG(s, l, struct awk_opts, field, text)

static const struct opt awk_options[] = {
	OPT_CALL_ARG('f', "file", set_file, "FILE",
		     "read the program from FILE; several are joined"),
	OPT_STR('F', "field-separator", struct awk_opts, fs, NULL, "FS", "set FS"),
	OPT_CALL_ARG('v', "assign", set_assign, "VAR=VALUE", "set a variable before BEGIN"),
	OPT_CALL_ARG('e', "source", set_text, "TEXT", "a piece of program"),
	OPT_CALL_ARG('E', "exec", set_file, "FILE", "like -f; operands are never assignments"),
	OPT_CALL_ARG('i', "include", set_include, "FILE",
		     "include a library; inplace: rewrite files"),
	FLAG('b', "characters-as-bytes", bytes, "characters are bytes"),
	FLAG('c', "traditional", traditional, "no GNU extensions"),
	FLAG('P', "posix", posix, "no GNU extensions, POSIX to the letter"),
	FLAG('n', "non-decimal-data", non_decimal, "0x and octal numbers in the input"),
	FLAG('S', "sandbox", sandbox, "no commands, no redirections"),
	FLAG('k', "csv", csv, "records and fields are CSV"),
	OPT_IGNORED('r', "re-interval", NULL),
	OPT_IGNORED('O', "optimize", NULL),
	OPT_IGNORED('s', "no-optimize", NULL),
	OPT_IGNORED('N', "use-lc-numeric", NULL),
	OPT_MISSING('t', "lint-old"),
	{ .letter = 'L',
	  .name = "lint",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_OPTIONAL,
	  .fn = opt_missing },
	FLAG('M', "bignum", bignum, "whole numbers of any size, floats of PREC bits"),
	OPT_CALL_ARG('l', "load", set_load, "LIBRARY", "load an extension library of gawk's"),
	FLAG('g', "gen-pot", pot, "list the texts to translate, do not run it"),
	OPT_MISSING('I', "trace"),
	OPT_STR_OPTIONAL('d', "dump-variables", struct awk_opts, dump, "awkvars.out", "FILE",
			 "list variables at the end, in awkvars.out or FILE"),
	{ .letter = 'D',
	  .name = "debug",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_OPTIONAL,
	  .fn = opt_missing },
	OPT_STR_OPTIONAL('o', "pretty-print", struct awk_opts, pretty, "awkprof.out", "FILE",
			 "lay the program out in awkprof.out or FILE, do not run it"),
	OPT_STR_OPTIONAL('p', "profile", struct awk_opts, profile, "awkprof.out", "FILE",
			 "run it, then lay it out with counts in awkprof.out or FILE"),
	OPT_CALL('V', "version", cmd_opt_version, "say which version this is, and exit"),
	OPT_END(),
};

/* Is there a row for the long option, which may be cut short if that leaves but one? */
static bool knows_name(struct bytes name)
{
	int n = 0;

	for (const struct opt *o = awk_options; o->letter != 0 || o->name != NULL; o++) {
		if (o->name == NULL || !bytes_starts(bytes_of(o->name), name))
			continue;
		if (strlen(o->name) == name.len)
			return true;
		n++;
	}
	return n == 1 || bytes_starts(BYTES("help"), name);
}

static bool knows_letters(const char *letters)
{
	for (; *letters != '\0'; letters++) {
		const struct opt *o = awk_options;

		while (o->letter != *letters && (o->letter != 0 || o->name != NULL))
			o++;
		if (o->letter != *letters)
			return *letters == 'h';
		if (o->arg != OPT_ARG_NONE)
			return true;
	}
	return true;
}

/* Once there is a program, what is no option of ours is its own, and so is all behind. */
static int take_foreign(struct cmd *c, int argc, char **argv, int i)
{
	const struct awk_opts *o = c->opts;
	const char *word = argv[i];
	char **args;

	if (!o->has_source || word[0] != '-' || word[1] == '\0' || strcmp(word, "--") == 0)
		return 0;
	if (word[1] == '-' ? knows_name((struct bytes){ word + 2, strcspn(word + 2, "=") })
			   : knows_letters(word + 1))
		return 0;
	args = arena_array(c->arena, (size_t)argc + 2, sizeof(char *));
	memcpy(args, argv, (size_t)i * sizeof(char *));
	args[i] = arena_dup(c->arena, BYTES("--"));
	memcpy(args + i + 1, argv + i, (size_t)(argc - i) * sizeof(char *));
	args[argc + 1] = NULL;
	c->argv = args;
	c->argc = argc + 1;
	return -1;
}

/* --- running --- */

static void set_field_separator(struct awk *a, const char *fs)
{
	struct buf text = buf_in(&a->scratch);

	buf_puts(&text, "FS=");
	if (strcmp(fs, "t") == 0 && (a->o->traditional || a->o->posix))
		fs = "\\t";
	buf_puts(&text, fs);
	if (strcmp(fs, "\\") == 0)
		buf_putc(&text, '\\');
	awk_command_assign(a, buf_cstr(&text), true);
}

static _Noreturn void bad_assignment(struct awk *a, const char *text)
{
	const char *equals = strchr(text, '=');

	if (equals == NULL) {
		cmd_error(a->c, 0, "`%s' argument to `-v' not in `var=value' form\n", text);
		cmd_usage(a->c, NULL);
		cmd_exit(a->c, 1);
	}
	awk_fatal(a, "`%.*s' is not a legal variable name", (int)(equals - text), text);
}

static void set_variables(struct awk *a)
{
	const struct awk_opts *o = a->o;

	/* What -v names exists, whether the program uses it or not. */
	if (o->fs != NULL)
		set_field_separator(a, o->fs);
	for (int i = 0; i < o->nassigns; i++)
		if (!awk_command_assign(a, o->assigns[i], true))
			bad_assignment(a, o->assigns[i]);
}

/* With -M, constants of the program have the precision that -v asks for. */
static void set_precision(struct awk *a)
{
	for (int i = 0; i < a->o->nassigns; i++) {
		const char *text = a->o->assigns[i];
		bool prec = strncmp(text, "PREC=", 5) == 0;

		if (!prec && strncmp(text, "ROUNDMODE=", 10) != 0)
			continue;
		struct val v = val_input(a, bytes_of(strchr(text, '=') + 1));

		if (prec)
			awk_big_set_precision(a, &v);
		else
			awk_big_set_rounding(a, &v);
		val_put(a, v);
	}
}

static void load_libraries(struct awk *a)
{
	for (int i = 0; i < a->o->nloads; i++) {
		unsigned bit = awk_library_find(a->o->loads[i]);

		if (!awk_is_gnu(a))
			awk_fatal(a, "-l / @load are gawk extensions");
		if (a->o->sandbox)
			awk_fatal(a, "extensions are not allowed in sandbox mode");
		if (bit == 0)
			awk_fatal(a, "cannot open shared library `%s' for reading: %s",
				  a->o->loads[i], err_text(-E_NOENT));
		a->libraries |= bit;
		if (bit == LIBRARY_TIME)
			awk_warn(a, AWK_TIME_OBSOLETE);
	}
}

static void set_argv(struct awk *a, int from)
{
	struct array *argv = awk_var_array(a, &a->globals[GLOBAL_ARGV]);
	int n = a->c->nargs - from;

	awk_array_set_num(a, argv, 0, val_bytes(a, bytes_of(a->name)));
	for (int i = 0; i < n; i++)
		awk_array_set_num(a, argv, i + 1, val_input(a, bytes_of(a->c->args[from + i])));
	awk_special_set(a, SP_ARGC, val_num(n + 1));
}

static void run_main(struct awk *a)
{
	a->phase = PHASE_MAIN;
	while (!a->exiting && awk_main_next(a)) {
		if (a->scratch.chunk != NULL)
			arena_clear(&a->scratch);
		if (awk_vm_run(a, a->prog->entry[RULE_MAIN]) == RUN_EXIT)
			a->exiting = true;
	}
}

static void run_program(struct awk *a)
{
	struct program *p = a->prog;
	bool exited = awk_vm_run(a, p->entry[RULE_BEGIN]) == RUN_EXIT;

	a->exiting = exited;
	if (!exited && p->reads)
		run_main(a);
	a->phase = PHASE_END;
	a->exiting = false;
	if (p->rules[RULE_END] != NULL && awk_vm_run(a, p->entry[RULE_END]) == RUN_EXIT)
		a->exiting = true;
	a->exiting = true;
	awk_main_close(a);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static int show_usage(struct cmd *c)
{
	struct buf out = buf_in(c->arena);

	buf_printf(&out,
		   "Usage: %s [POSIX or GNU style options] -f progfile [--] file ...\n"
		   "Usage: %s [POSIX or GNU style options] [--] 'program' file ...\n",
		   base_name(c->name), base_name(c->name));
	cmd_err_write(c, out.ptr, out.len);
	return 1;
}

static int awk_run(struct cmd *c)
{
	struct awk_opts *o = c->opts;
	struct awk *a = pool_zalloc(c->pool, sizeof *a);
	int operands = 0;

	if (!o->has_source) {
		if (c->nargs == 0)
			return show_usage(c);
		add_source(c, c->args[0], NULL, false);
		operands = 1;
	}
	a->c = c;
	a->pool = c->pool;
	a->o = o;
	a->name = base_name(c->name);
	a->utf8 = c->utf8 && !o->bytes;
	a->stdout_to = &c->out;
	a->prec = 53;
	a->round = 'N';
	awk_heap_init(a);
	awk_random_seed(a, 1); /* what srand() tells of at first, as gawk */
	if (o->bignum)
		set_precision(a);
	load_libraries(a);
	awk_program_parse(a);
	awk_library_declare(a->prog);
	a->prog->tables |= o->dump != NULL;
	if (o->pot)
		return 0;
	if (o->pretty != NULL && o->profile != NULL)
		awk_warn(a, "`--profile' overrides `--pretty-print'");
	if (o->pretty != NULL && o->profile == NULL) {
		awk_pretty_print(a);
		return 0;
	}
	if (o->has_inplace)
		awk_program_global(a->prog, BYTES("inplace::suffix"));
	if (a->prog->tables)
		awk_tables_declare(a->prog);
	awk_program_compile(a->prog);
	a->globals = pool_zalloc(a->pool, (size_t)a->prog->nglobals * sizeof(struct val));
	awk_fill_procinfo(a);
	if (a->prog->tables)
		awk_tables_fill(a);
	awk_library_fill(a);
	set_argv(a, operands);
	set_variables(a);
	run_program(a);
	if (o->profile != NULL)
		awk_pretty_print(a);
	if (o->dump != NULL)
		awk_dump_variables(a);
	awk_sink_close_all(a);
	return a->status;
}

#define AWK(id, text)                                                                              \
	const struct builtin builtin_##id = {                                                      \
		.name = (text),                                                                    \
		.usage = "[OPTION]... 'PROGRAM' [FILE | VAR=VALUE]...",                            \
		.summary =                                                                         \
			"Runs a program of patterns and actions over the records of each file.",   \
		.run = awk_run,                                                                    \
		.opts = awk_options,                                                               \
		.opts_size = sizeof(struct awk_opts),                                              \
		.flags = BUILTIN_STOP,                                                             \
		.legacy = take_foreign,                                                            \
		.family = "GNU Awk 5.2.1",                                                         \
		.version = "GNU Awk 5.2.1, API 3.2",                                               \
	}

AWK(awk, "awk");
AWK(gawk, "gawk");
AWK(mawk, "mawk");
AWK(nawk, "nawk");
