/* SPDX-License-Identifier: MIT
 *
 * Executing text: eval, -c, traps, scripts from a file or from standard input.
 *
 * Text is parsed unit by unit, each executed before the next is parsed, because a unit may
 * change how the next is read (aliases, extglob). Units of text that was executed whole, with
 * nothing of that kind changed, are kept: eval in a loop and traps parse only once.
 */
#include "interp/exec.h"
#include "interp/interp.h"
#include "interp/history.h"

/* --- configuration of the parser --- */

static bool alias_of(void *user, struct bytes name, struct bytes *out)
{
	return alias_find(user, name, out);
}

unsigned parse_flags_now(void *user)
{
	struct shell *sh = user;
	unsigned flags = 0;

	if (opt_shopt(sh, SHOPT_extglob))
		flags |= PARSE_EXTGLOB;
	if (opt_set(sh, SET_POSIX))
		flags |= PARSE_POSIX;
	if (opt_shopt(sh, SHOPT_expand_aliases))
		flags |= PARSE_ALIASES;
	if (opt_set(sh, SET_INTERACTIVE) && !opt_set(sh, SET_INTERACTIVE_COMMENTS))
		flags |= PARSE_NO_COMMENTS;
	if (!opt_set(sh, SET_BRACEEXPAND))
		flags |= PARSE_NO_BRACES;
	if (!sh->utf8)
		flags |= PARSE_ASCII;
	if (opt_shopt(sh, SHOPT_extquote) && !opt_set(sh, SET_POSIX))
		flags |= PARSE_EXTQUOTE;
	return flags;
}

static void charge(void *user, size_t n)
{
	struct shell *sh = user;

	proc_charge(sh->p, n / 16 + 1);
}

static int deepen(void *user, int (*fn)(void *arg), void *arg)
{
	struct shell *sh = user;

	return proc_deepen(sh->p, EXEC_STACK_BYTES, fn, arg);
}

/* A line of the string, as files of translations have it. */
static void put_po_line(struct buf *out, struct bytes line, bool ends)
{
	buf_putc(out, '"');
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '"' || line.ptr[i] == '\\')
			buf_putc(out, '\\');
		buf_putc(out, line.ptr[i]);
	}
	buf_puts(out, ends ? "\"\n" : "\\n\"\n");
}

static void put_po_string(struct buf *out, struct bytes text)
{
	const char *nl = memchr(text.ptr, '\n', text.len);

	buf_puts(out, "msgid ");
	if (nl != NULL)
		buf_puts(out, "\"\"\n");
	while (nl != NULL) {
		size_t n = (size_t)(nl - text.ptr);

		put_po_line(out, (struct bytes){ text.ptr, n }, false);
		text = bytes_slice(text, n + 1, text.len);
		nl = memchr(text.ptr, '\n', text.len);
	}
	put_po_line(out, text, true);
	buf_puts(out, "msgstr \"\"\n");
}

/* -D and --dump-po-strings: text is in quotes. */
static void show_string(void *user, struct bytes text, int line)
{
	struct shell *sh = user;
	const char *source = sh->frame->source;
	struct buf out = buf_in(sh->arena);

	if (sh->shows == SHOW_STRINGS) {
		buf_add(&out, text);
		buf_putc(&out, '\n');
	} else {
		if (*source == '\0')
			source = opt_set(sh, SET_COMMAND) ? "-c" : sh->arg0;
		buf_printf(&out, "#: %s:%d\n", source, line);
		put_po_string(&out, bytes_slice(text, 1, text.len - 1));
	}
	sys_write(sh->p, 1, out.ptr, out.len);
}

struct parse_config shell_parse_config(struct shell *sh, struct bytes text, int line)
{
	return (struct parse_config){
		.heap = kernel_heap(sh->p->k),
		.fail = proc_arena_fail(sh->p),
		.scratch = sh->arena,
		.text = text,
		.alias = alias_of,
		.flags = parse_flags_now,
		.charge = charge,
		.deepen = deepen,
		.building = &sh->building,
		.translated = sh->shows >= SHOW_STRINGS ? show_string : NULL,
		.user = sh,
		.line = line,
	};
}

/* --- the cache of parsed text --- */

enum { CACHE_SLOTS = 64, CACHE_UNITS_MAX = 8, CACHE_TEXT_MAX = 4096 };

struct cached {
	uint64_t hash;
	struct bytes text; /* in the pool */
	unsigned flags;
	int line;
	int count;
	struct ast *unit[CACHE_UNITS_MAX];
	struct cached *up; /* while it is being recorded */
};

struct cache {
	struct cached *slot[CACHE_SLOTS];
};

static void put_units(const struct cached *c)
{
	for (int i = 0; i < c->count; i++)
		ast_put(c->unit[i]);
}

static void free_cached(struct shell *sh, struct cached *c)
{
	put_units(c);
	pool_free(sh->pool, (void *)(uintptr_t)c->text.ptr, c->text.len + 1);
	pool_free(sh->pool, c, sizeof(*c));
}

void parsed_cache_free(struct shell *sh)
{
	for (int i = 0; sh->parsed != NULL && i < CACHE_SLOTS; i++) {
		if (sh->parsed->slot[i] != NULL)
			put_units(sh->parsed->slot[i]);
	}
	sh->parsed = NULL;
	parsed_abandon(sh);
}

void parsed_abandon(struct shell *sh)
{
	for (; sh->recording != NULL; sh->recording = sh->recording->up)
		put_units(sh->recording);
	if (sh->building != NULL)
		ast_put(sh->building);
	sh->building = NULL;
}

static const struct cached *cache_find(struct shell *sh, struct bytes text, uint64_t hash, int line)
{
	struct cached *c = sh->parsed != NULL ? sh->parsed->slot[hash % CACHE_SLOTS] : NULL;

	if (c == NULL || c->hash != hash || c->flags != parse_flags_now(sh) || c->line != line ||
	    !bytes_eq(c->text, text))
		return NULL;
	return c;
}

static void cache_put(struct shell *sh, const struct cached *made)
{
	struct cached **slot;
	struct cached *fresh;

	if (sh->parsed == NULL)
		sh->parsed = pool_zalloc(sh->pool, sizeof(*sh->parsed));
	fresh = pool_alloc(sh->pool, sizeof(*fresh));
	*fresh = *made;
	fresh->text.ptr = pool_dup(sh->pool, made->text);
	/* Memory can't end any more: the table is changed at once. */
	for (int i = 0; i < made->count; i++)
		ast_get(made->unit[i]);
	slot = &sh->parsed->slot[made->hash % CACHE_SLOTS];
	if (*slot != NULL)
		free_cached(sh, *slot);
	*slot = fresh;
}

/* --- executing units --- */

/* Executes a unit and takes over the caller's reference. *line_end: the line that bash would go on
 * counting from: where an error gave up the unit, or what its commands left in sh->outer_line. */
static int run_unit(struct shell *sh, struct ast *ast, bool last, int *line_end)
{
	int outer_line = sh->outer_line;
	int status = sh->status;

	unit_adopt(sh, ast);
	sh->outer_line = ast->last_line;
	if (ast->root != NULL && (!opt_set(sh, SET_NOEXEC) || opt_set(sh, SET_INTERACTIVE))) {
		sh->may_exec = last;
		status = exec_node(sh, ast->root);
	}
	*line_end = sh->flow == FLOW_ABORT ? sh->line : sh->outer_line;
	sh->outer_line = outer_line;
	unit_leave(sh);
	return status;
}

/* What the shell ends with when an error in its text ends it: that of -c is told from others. */
static int abandoned_status(const struct shell *sh)
{
	return opt_set(sh, SET_COMMAND) && sh->subshell_depth == 0 ? STATUS_NOT_FOUND : 1;
}

/* After an error that ends a line: whether reading goes on with the next one. nested: of eval's or
 * a trap's text, or a sourced file. */
static bool goes_on(struct shell *sh, bool nested)
{
	bool spared = sh->line_only;

	if (sh->flow == FLOW_ABORT && nested && sh->abort_firm)
		return false; /* it ends the line of the script */
	sh->line_only = false;
	if (sh->flow == FLOW_ABORT && opt_set(sh, SET_POSIX) && !opt_set(sh, SET_INTERACTIVE) &&
	    !spared) {
		sh->flow = FLOW_EXIT;
		sh->status = abandoned_status(sh);
	}
	if (sh->flow == FLOW_ABORT && !sh->abort_forgiven && !opt_set(sh, SET_INTERACTIVE))
		exec_errexit(sh);
	if (sh->flow == FLOW_ABORT && sh->task == NULL) {
		sh->flow = FLOW_NONE;
		sh->abort_firm = false;
		return true;
	}
	return sh->flow == FLOW_NONE;
}

struct reader {
	struct parser *parser;
	const char *name;      /* for messages */
	struct cached *record; /* units so far, when they are to be kept; count -1: too many */
	bool of_text;          /* not of a script, whose lines are shown as they are read */
	bool once;             /* the shell's own input: set -t ends behind the first unit */
	bool typed;            /* that comes from no file */
};

static bool is_nested(const struct shell *sh, const char *name)
{
	return sh->frame->up != NULL || (name != NULL && strcmp(name, "-c") != 0);
}

static void record_unit(struct reader *r, struct ast *ast)
{
	struct cached *c = r->record;

	if (c == NULL || c->count < 0)
		return;
	if (c->count == CACHE_UNITS_MAX) {
		put_units(c);
		c->count = -1;
		return;
	}
	c->unit[c->count++] = ast_get(ast);
}

/* set -v with -c, eval and their like; scripts are shown as they are read. */
static void echo_unit(struct shell *sh, struct bytes text)
{
	sys_write(sh->p, 2, text.ptr, text.len);
	if (text.len == 0 || text.ptr[text.len - 1] != '\n')
		sys_write(sh->p, 2, "\n", 1);
}

static void print_warnings(struct shell *sh, const struct parser *p)
{
	const struct parse_warning *w = parse_warnings(p);
	int line = sh->line;

	for (; w != NULL; w = w->next) {
		sh->line = w->line;
		shell_error(sh, "%.*s", (int)w->message.len, w->message.ptr);
	}
	sh->line = line;
}

/* A mistake in $( ) of a text that the shell was given ends it, as in bash, which parses there
 * with a parser of its own; in the end it is told from other mistakes by its status. */
static int substitution_status(struct shell *sh, const struct reader *r, bool script)
{
	bool given = r->name != NULL && strcmp(r->name, "-c") == 0;

	if (given || (script && opt_set(sh, SET_COMMAND)))
		return STATUS_NOT_FOUND;
	if (script || sh->trap_running == TRAP_EXIT)
		return STATUS_USAGE;
	sh->flow = sh->session ? FLOW_ABORT : FLOW_EXIT;
	if (sh->trap_running >= 0)
		return STATUS_USAGE;
	return sh->session ? STATUS_NOT_FOUND : abandoned_status(sh);
}

/* What a syntax error leaves in $?. */
static int syntax_status(struct shell *sh, const struct reader *r, const struct parse_error *error)
{
	bool script = !sh->session && sh->frame->up == NULL && sh->trap_running < 0 &&
		      (r->name == NULL || strcmp(r->name, "-c") == 0);

	if (error->status == PARSE_STATUS_SUB)
		return substitution_status(sh, r, script);
	if (!script || error->status == PARSE_STATUS_2)
		return STATUS_USAGE;
	return sh->status != 0 || error->status == PARSE_STATUS_LAST ? sh->status : STATUS_USAGE;
}

/* Whether the last command of the unit is the last of `bash -c` and a simple one, so that a program
 * replaces the shell. */
static bool ends_command(struct shell *sh, const struct reader *r, const struct node *n)
{
	if (r->name == NULL || strcmp(r->name, "-c") != 0 || sh->session || n == NULL ||
	    !parse_ended(r->parser))
		return false;
	n = node_last(n);
	return n->kind == NODE_SIMPLE && n->nredirs == 0;
}

/* Behind the message of a syntax error: whether reading goes on. */
static bool survives_syntax(struct shell *sh, const struct reader *r,
			    const struct parse_error *error)
{
	if (error_ends_shell(sh)) {
		sh->exit_called = true;
		exec_end(sh, STATUS_USAGE);
		return false;
	}
	if (error->resumes && opt_set(sh, SET_POSIX) && !opt_set(sh, SET_INTERACTIVE)) {
		sh->flow = FLOW_EXIT;
		sh->status = abandoned_status(sh);
		return false;
	}
	sh->status = error->resumes ? 1 : syntax_status(sh, r, error);
	/* What is not closed, and a mistake in [[ ]], leaves a POSIX shell alive. */
	if (error->status == PARSE_STATUS_2 || error->status == PARSE_STATUS_SUB)
		special_error(sh, sh->status);
	return error->resumes;
}

/* The next line of the input follows line_end, whatever was counted: as in bash, whose parser goes
 * on from the line that execution has left. */
static void count_from(struct reader *r, int line_end)
{
	parse_set_line(r->parser, line_end + 1);
	if (r->record != NULL && r->record->count >= 0) {
		put_units(r->record); /* the lines of the rest are not those of the text */
		r->record->count = -1;
	}
}

/* Parses and executes until the end. Returns the status; *failed: a syntax error was said. */
static int run_reader(struct shell *sh, struct reader *r, bool *failed)
{
	struct parse_error error;
	int status = r->once ? sh->status : 0;

	*failed = false;
	for (;;) {
		struct arena_mark mark;
		struct ast *ast = NULL;
		int line, line_end;
		int got = parse_unit(r->parser, &ast, &error);

		if (got == 0)
			return status;
		if (got < 0) {
			print_warnings(sh, r->parser);
			parse_error_print(sh, r->name, &error);
			*failed = !survives_syntax(sh, r, &error);
			status = sh->status;
			if (*failed)
				return status;
			continue;
		}
		print_warnings(sh, r->parser);
		if (opt_set(sh, SET_VERBOSE) && r->of_text && !sh->unechoed)
			echo_unit(sh, ast->text);
		record_unit(r, ast);
		if (r->typed && ast->root != NULL && opt_set(sh, SET_INTERACTIVE))
			prompt_before_command(sh);
		mark = arena_mark(sh->arena);
		line = ast->last_line;
		sh->command_number += r->once;
		status = run_unit(sh, ast, ends_command(sh, r, ast->root), &line_end);
		arena_release(sh->arena, mark);
		if (!goes_on(sh, is_nested(sh, r->name)))
			return sh->status;
		if (line_end != line)
			count_from(r, line_end);
		status = sh->status;
		if (opt_set(sh, SET_ONECMD) && r->once) {
			sh->flow = FLOW_EXIT;
			return status;
		}
	}
}

static int run_cached(struct shell *sh, const struct cached *c, const char *name)
{
	int count = c->count;
	int outer_line = sh->outer_line;
	struct unit_ref *refs = arena_alloc(sh->arena, CACHE_UNITS_MAX * sizeof(*refs));
	int status = 0;
	bool stopped = false;

	/* The entry may be replaced while its units run. */
	for (int i = count - 1; i >= 0; i--)
		unit_enter(sh, &refs[i], c->unit[i]);
	for (int i = 0; i < count; i++) {
		if (!stopped) {
			sh->outer_line = refs[i].ast->last_line;
			refs[i].command = sh->command;
			if (refs[i].ast->root != NULL)
				exec_node(sh, refs[i].ast->root);
			stopped = !goes_on(sh, is_nested(sh, name));
			status = sh->status;
		}
		unit_leave(sh);
	}
	sh->outer_line = outer_line;
	return status;
}

/* Parses and executes; keeps the units if all went well. */
static int run_recording(struct shell *sh, struct reader *r, struct cached *record)
{
	bool failed;
	int status;

	record->up = sh->recording;
	sh->recording = record;
	status = run_reader(sh, r, &failed);
	if (!failed && record->count >= 0 && sh->flow == FLOW_NONE &&
	    record->flags == parse_flags_now(sh))
		cache_put(sh, record);
	/* Until here, as memory may end in there: parsed_abandon() puts its units then. */
	sh->recording = record->up;
	put_units(record);
	return status;
}

static int run_text(struct shell *sh, struct bytes text, const char *name, int line)
{
	bool keeps = text.len <= CACHE_TEXT_MAX && !opt_shopt(sh, SHOPT_expand_aliases) &&
		     !opt_set(sh, SET_VERBOSE);
	uint64_t hash = keeps ? bytes_hash(text) : 0;
	const struct cached *found = keeps ? cache_find(sh, text, hash, line) : NULL;
	struct arena_mark mark = arena_mark(sh->arena);
	struct reader r = { .name = name, .of_text = true };
	struct parse_config config;
	bool failed;
	int status;

	if (found != NULL) {
		status = run_cached(sh, found, name);
	} else {
		config = shell_parse_config(sh, text, line);
		r.parser = parse_new(&config);
		if (keeps) {
			r.record = arena_zalloc(sh->arena, sizeof(*r.record));
			r.record->hash = hash;
			r.record->text = text;
			r.record->flags = parse_flags_now(sh);
			r.record->line = line;
			status = run_recording(sh, &r, r.record);
		} else {
			status = run_reader(sh, &r, &failed);
		}
	}
	arena_release(sh->arena, mark);
	return status;
}

struct text_call {
	struct shell *sh;
	struct bytes text;
	const char *name;
	int line;
};

static int run_text_call(void *arg)
{
	struct text_call *t = arg;

	return run_text(t->sh, t->text, t->name, t->line);
}

int exec_text(struct shell *sh, struct bytes text, const char *name, int line)
{
	struct text_call t = { sh, text, name, line };
	uint64_t most = kernel_limit(sh->p->k, LIMIT_RECURSION);
	const struct node *outer = sh->text_command;
	int shift = sh->line_shift;
	int status;

	if (most != 0 && (uint64_t)sh->depth >= most) {
		shell_error(sh, "%s: maximum evaluation nesting level exceeded (%llu)",
			    name != NULL ? name : "eval", (unsigned long long)most);
		sh->flow = FLOW_ABORT;
		return sh->status = 1;
	}
	sh->depth++;
	sh->line_shift = 0;
	sh->indirection++;
	if (outer == NULL && sh->units != NULL)
		sh->text_command = sh->command;
	status = proc_deepen(sh->p, EXEC_STACK_BYTES, run_text_call, &t);
	sh->text_command = outer;
	sh->indirection--;
	sh->line_shift = shift;
	sh->depth--;
	return sh->status = status;
}

/* --- scripts read from a descriptor --- */

enum { LINE_CHUNK = 1024 };

struct script {
	struct shell *sh;
	int fd;
	bool shared; /* with the commands: descriptor 0 */
	bool seekable;
	size_t from; /* what was read and not used yet */
	size_t to;
	char *chunk;
	struct buf line;
	int lines; /* that were read */
	const struct parser *parser;
	struct script_history history;
};

/* Reads from the descriptor what may be read: of one that others share, no more than a line.
 * -1 at the end, 0 after a signal. */
static int64_t fill(struct script *s)
{
	int64_t n;

	if (s->fd < 0)
		return -1;
	n = sys_read(s->sh->p, s->fd, s->chunk, s->shared && !s->seekable ? 1 : LINE_CHUNK);

	s->from = s->to = 0;
	if (n == -E_INTR) {
		trap_poll(s->sh);
		return s->sh->flow == FLOW_NONE ? 0 : -1;
	}
	if (n <= 0)
		return -1;
	s->to = (size_t)n;
	return n;
}

/* Adds bytes up to the end of a line; what was read too much of a shared file is given back.
 * False when the line is complete. */
static bool add_chunk(struct script *s)
{
	const char *start = s->chunk + s->from;
	const char *newline;
	size_t take;

	if (s->from == s->to)
		return fill(s) >= 0;
	newline = memchr(start, '\n', s->to - s->from);
	take = newline != NULL ? (size_t)(newline - start) + 1 : s->to - s->from;
	if (memchr(start, '\0', take) == NULL)
		buf_put(&s->line, start, take);
	else
		for (size_t i = 0; i < take; i++)
			if (start[i] != '\0')
				buf_putc(&s->line, start[i]);
	s->from += take;
	if (s->shared && s->from < s->to) {
		sys_lseek(s->sh->p, s->fd, (int64_t)s->from - (int64_t)s->to, 1);
		s->from = s->to;
	}
	return newline == NULL;
}

/* Before a line is read, jobs that ended are told of as if that line did it. */
static void settle_before(struct shell *sh, int line)
{
	int was = sh->line;

	sh->line = line;
	job_settle(sh);
	sh->line = was;
}

/* The line becomes part of the history, which may change it. False: it is left out, and not
 * counted. */
static bool recorded(struct shell *sh, struct script *s, bool continued, struct bytes *line)
{
	int was = sh->line;
	bool kept;

	if (!opt_set(sh, SET_HISTORY) || line->len == 0)
		return true;
	s->history.continued = continued;
	s->history.place = parse_place(s->parser);
	sh->line = s->lines;
	kept = history_line(sh, &s->history, line);
	sh->line = was;
	s->lines -= !kept;
	return kept;
}

static void read_line(struct shell *sh, struct script *s, bool continued)
{
	s->line.len = 0;
	/* `bash -i FILE` asks nobody. */
	if (opt_set(sh, SET_INTERACTIVE) && s->fd == 0) {
		struct bytes shown;

		if (!continued)
			prompt_command(sh);
		if (sh->flow == FLOW_EXIT)
			return;
		shown = interp_prompt(sh, continued ? "PS2" : "PS1");
		sys_write(sh->p, 2, shown.ptr, shown.len);
	}
	settle_before(sh, ++s->lines);
	while (add_chunk(s))
		continue;
}

static int next_line(void *user, bool continued, struct bytes *line)
{
	struct shell *sh = user;
	struct script *s = sh->script;

	do {
		read_line(sh, s, continued);
		*line = buf_bytes(&s->line);
		if (line->len != 0 && opt_set(sh, SET_VERBOSE) &&
		    parse_place(s->parser) != PARSE_IN_SUB)
			sys_write(sh->p, 2, line->ptr, line->len);
	} while (!recorded(sh, s, continued, line));
	return line->len != 0;
}

/* --pretty-print. Lines without a command are one empty line, however many. */
static int show_commands(struct shell *sh, struct reader *r)
{
	struct parse_error error;
	bool blank = false;
	int got;

	do {
		struct arena_mark mark;
		struct buf out;
		struct ast *ast = NULL;
		int from = parse_line(r->parser);
		int begin;

		got = parse_unit(r->parser, &ast, &error);
		if (got < 0) {
			if (!blank && parse_begin_line(r->parser) > from)
				sys_write(sh->p, 1, "\n", 1);
			parse_error_print(sh, r->name, &error);
			return 1;
		}
		mark = arena_mark(sh->arena);
		out = buf_in(sh->arena);
		begin = from;
		if (ast != NULL) {
			unit_adopt(sh, ast);
			begin = ast->last_line + 1 - (int)bytes_count(ast->text, '\n');
		}
		if ((got == 0 || begin > from) && !blank)
			buf_putc(&out, '\n');
		blank = true;
		if (ast != NULL && ast->root != NULL) {
			print_posix_command(&out, ast->root);
			buf_putc(&out, '\n');
			blank = false;
		}
		sys_write(sh->p, 1, out.ptr, out.len);
		if (ast != NULL)
			unit_leave(sh);
		arena_release(sh->arena, mark);
	} while (got > 0);
	return 0;
}

/* Reads and executes lines until their end. name: for messages. */
static int run_script(struct shell *sh, struct script *s, const char *name)
{
	struct script *outer = sh->script;
	struct parse_config config = shell_parse_config(sh, (struct bytes){ "", 0 }, 1);
	struct reader r = { .once = name == NULL,
			    .typed = name == NULL && s->fd <= 0,
			    .name = name };
	bool failed;
	int status;

	s->sh = sh;
	s->line = s->history.command = buf_in(sh->arena);
	buf_reserve(&s->line, LINE_CHUNK);
	sh->script = s;
	config.more = next_line;
	s->parser = r.parser = parse_new(&config);
	sh->indirection++;
	do {
		failed = false;
		status = sh->shows == SHOW_COMMANDS ? show_commands(sh, &r)
						    : run_reader(sh, &r, &failed);
	} while (failed && opt_set(sh, SET_INTERACTIVE));
	sh->indirection--;
	sh->script = outer;
	return status;
}

int exec_fd_script(struct shell *sh, int fd)
{
	struct script s = { .fd = fd, .shared = fd == 0 };

	s.seekable = sys_lseek(sh->p, fd, 0, 1) >= 0;
	s.chunk = arena_alloc(sh->arena, LINE_CHUNK);
	return run_script(sh, &s, NULL);
}

/* Line by line, as if it was read. */
static int run_lines(struct shell *sh, struct bytes text, const char *name)
{
	struct script s = { .fd = -1, .to = text.len, .chunk = (char *)(uintptr_t)text.ptr };

	return sh->status = run_script(sh, &s, name);
}

int exec_given_text(struct shell *sh, struct bytes text)
{
	/* Only history asks for it line by line. */
	if (bytes_find(text, BYTES("history")) == NULL || memchr(text.ptr, '\n', text.len) == NULL)
		return exec_text(sh, text, "-c", 1);
	return run_lines(sh, text, "-c");
}

int exec_typed_text(struct shell *sh, struct bytes text)
{
	return run_lines(sh, text, NULL);
}
