/* SPDX-License-Identifier: MIT
 *
 * $( ), $(< ), <( ), >( ).
 *
 * A substitution is a subshell, but most need no process to be one: when the command is a
 * builtin that only writes, and its words can be expanded without changing anything, it runs
 * right here into a buffer; when it is a program, that is started without a shell around it.
 */
#include "base/number.h"
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/print.h"

/* --- what changes nothing --- */

/* Words in words that are looked into; what lies deeper counts as changing something. */
enum { PURE_DEPTH_MAX = 8 };

static bool param_is_pure(struct shell *sh, const struct param *p, int depth);

/* Variables that a subshell sees differently, or that change when they are read. */
static bool name_is_plain(struct bytes name)
{
	return !bytes_starts(name, BYTES("BASH")) && !bytes_is(name, "RANDOM") &&
	       !bytes_is(name, "SRANDOM");
}

static bool all_digits(struct bytes s)
{
	size_t i = 0;

	while (i < s.len && byte_is_digit(s.ptr[i]))
		i++;
	return i == s.len;
}

static struct bytes name_at(struct bytes s, size_t i)
{
	size_t end = i;

	while (end < s.len && byte_is_name(s.ptr[end]))
		end++;
	return bytes_slice(s, i, end);
}

/* A variable's value in arithmetic is an expression of its own, which may assign: only numbers are
 * taken. */
static bool value_is_number(struct shell *sh, struct bytes name)
{
	struct var *v = var_find(sh, name, bytes_hash(name));
	struct bytes value;

	if (v == NULL || byte_is_digit(name.ptr[0]))
		return true;
	if ((v->flags & (VAR_DYNAMIC | VAR_NAMEREF)) != 0)
		return false;
	if (!var_scalar(sh, v, &value))
		return true;
	return all_digits(bytes_slice(value, value.len != 0 && value.ptr[0] == '-', value.len));
}

/* $x, ${x} or $# at s[*i], which stands alone and gives digits. *i moves behind it. */
static bool expansion_is_number(struct shell *sh, struct bytes s, size_t *i)
{
	size_t at = *i + 1;
	bool braced = at < s.len && s.ptr[at] == '{';
	struct bytes name = name_at(s, at + braced);
	struct bytes value = { "", 0 };
	int64_t n;

	if (!braced && name.len != 0 && byte_is_digit(name.ptr[0]))
		name.len = 1;
	if (!braced && name.len == 0 && at < s.len && s.ptr[at] == '#')
		name = bytes_slice(s, at, at + 1);
	at += braced + name.len;
	if (braced && (at == s.len || s.ptr[at++] != '}'))
		return false;
	if ((*i > 0 && strchr(" +-*", s.ptr[*i - 1]) == NULL) ||
	    (at < s.len && strchr(" +-*", s.ptr[at]) == NULL))
		return false;
	*i = at;
	if (bytes_is(name, "#"))
		return true;
	if (name.len == 0 || !byte_is_digit(name.ptr[0]))
		return name.len != 0 && value_is_number(sh, name) &&
		       var_get(sh, name, bytes_hash(name), &value) && value.len != 0 &&
		       all_digits(value);
	if (number_is_i64(name, &n) && n > 0 && n <= sh->params.count)
		value = bytes_of(sh->params.values[n - 1]);
	return value.len != 0 && all_digits(value);
}

static bool arith_is_pure(struct shell *sh, const struct arith_text *a)
{
	size_t i = 0;

	while (a != NULL && i < a->text.len) {
		struct bytes name = name_at(a->text, i);
		char c = a->text.ptr[i];

		if (name.len != 0 && !value_is_number(sh, name))
			return false;
		if (c == '$' && !expansion_is_number(sh, a->text, &i))
			return false;
		if (c == '$')
			continue;
		if (name.len == 0 && strchr(" +-*#", c) == NULL)
			return false;
		if ((c == '+' || c == '-') && i + 1 < a->text.len && a->text.ptr[i + 1] == c)
			return false;
		i += name.len != 0 ? name.len : 1;
	}
	return true;
}

static bool is_pure(struct shell *sh, const struct word *w, int depth);

static bool part_is_pure(struct shell *sh, const struct part *p, int depth)
{
	switch (p->kind) {
	case PART_TEXT:
	case PART_TILDE: return true;
	case PART_PARAM: return param_is_pure(sh, p->param, depth);
	case PART_COMMAND: return true; /* a subshell of its own */
	case PART_ARITH: return false;
	case PART_PROCSUB:
	case PART_BRACE:
	case PART_EXTGLOB: return false;
	}
	return false;
}

static bool is_pure(struct shell *sh, const struct word *w, int depth)
{
	if (w == NULL || (w->flags & WORD_LITERAL) != 0)
		return true;
	if (depth == PURE_DEPTH_MAX)
		return false;
	for (int i = 0; i < w->nparts; i++) {
		if (!part_is_pure(sh, &w->parts[i], depth + 1))
			return false;
	}
	return true;
}

bool word_is_pure(struct shell *sh, const struct word *w)
{
	return is_pure(sh, w, 0);
}

/* The variable, if reading it changes nothing: a reference may lead to an element, whose subscript
 * is calculated. */
static bool find_plain(struct shell *sh, const struct param *p, const struct var **out)
{
	const struct var *v = var_find(sh, p->name, p->hash);

	for (int hops = 0; v != NULL && (v->flags & VAR_NAMEREF) != 0; hops++) {
		struct bytes target = { v->value, v->len };

		if (hops == NAMEREF_HOPS_MAX || !is_name(target) || !name_is_plain(target))
			return false;
		v = var_find(sh, target, bytes_hash(target));
	}
	*out = v;
	return name_is_plain(p->name);
}

static bool param_is_pure(struct shell *sh, const struct param *p, int depth)
{
	const struct var *v = NULL;

	switch (p->op) {
	case OP_ASSIGN:
	case OP_ERROR:
	case OP_TRANSFORM:
	case OP_BAD: return false;
	default: break;
	}
	if (p->indirect || (p->kind == PARAM_NAME && !find_plain(sh, p, &v)))
		return false;
	if (p->subscript == SUB_INDEX && v != NULL && (v->flags & VAR_ASSOC) != 0) {
		if (!is_pure(sh, p->sub, depth))
			return false;
	} else if (p->subscript == SUB_INDEX && !arith_is_pure(sh, p->sub_arith)) {
		return false;
	}
	return is_pure(sh, p->arg, depth) && is_pure(sh, p->arg2, depth) &&
	       arith_is_pure(sh, p->offset) && arith_is_pure(sh, p->length);
}

/* --- without a process --- */

/* Whether a format of printf has %n, which assigns. */
static bool assigns(struct bytes format)
{
	for (size_t i = 0; i < format.len; i++) {
		if (format.ptr[i] != '%')
			continue;
		i++;
		while (i < format.len &&
		       memchr(" #'*+-.0123456789ILhjltz", format.ptr[i], 24) != NULL)
			i++;
		if (i < format.len && format.ptr[i] == 'n')
			return true;
	}
	return false;
}

/* Builtins that only write. */
static bool only_writes(const struct simple *s, const struct shell_builtin *b)
{
	static const char *const names[] = { "echo", "pwd", "true", "false", ":", "type", NULL };
	struct bytes format;

	for (int i = 0; names[i] != NULL; i++) {
		if (strcmp(b->name, names[i]) == 0)
			return true;
	}
	if (strcmp(b->name, "printf") != 0)
		return false;
	if (s->nwords < 2)
		return true;
	/* printf -v, and formats such as %n, write elsewhere. */
	format = s->words[1]->literal;
	return (s->words[1]->flags & WORD_LITERAL) != 0 && format.len != 0 &&
	       format.ptr[0] != '-' && !assigns(format);
}

/* The simple command of a substitution that can run without a subshell, or NULL. */
static const struct simple *plain_command(struct shell *sh, const struct command_sub *c)
{
	const struct simple *s = (const struct simple *)c->root;

	if (c->root == NULL || c->root->kind != NODE_SIMPLE || c->root->nredirs != 0)
		return NULL;
	if (s->nassigns != 0 || s->nwords == 0 || (s->words[0]->flags & WORD_LITERAL) == 0 ||
	    s->declaration != NULL)
		return NULL;
	if (opt_set(sh, SET_XTRACE) || opt_set(sh, SET_NOUNSET) || opt_set(sh, SET_NOEXEC) ||
	    opt_set(sh, SET_KEYWORD) || opt_set(sh, SET_ERREXIT) ||
	    sh->traps[TRAP_DEBUG].text != NULL || sh->traps[TRAP_ERR].text != NULL ||
	    sh->traps[SIGCHLD_].text != NULL)
		return NULL;
	for (int i = 0; i < s->nwords; i++) {
		if (!word_is_pure(sh, s->words[i]))
			return NULL;
	}
	return s;
}

static struct bytes trimmed(struct bytes s)
{
	while (s.len > 0 && s.ptr[s.len - 1] == '\n')
		s.len--;
	return s;
}

/* Without NULs, which bash warns about, and without newlines at the end. */
static struct bytes cleaned(struct shell *sh, struct bytes s)
{
	struct buf kept = buf_in(sh->arena);

	if (s.len == 0 || memchr(s.ptr, '\0', s.len) == NULL)
		return trimmed(s);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '\0')
			buf_putc(&kept, s.ptr[i]);
	}
	shell_error(sh, "warning: command substitution: ignored null byte in input");
	return trimmed(buf_bytes(&kept));
}

/* --- lines --- */

/* What is added to the lines of c's nodes: its first line is that of the command around. */
static int line_shift(struct shell *sh, const struct command_sub *c)
{
	struct command_sub *numbered = (struct command_sub *)(uintptr_t)c;
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf text = buf_in(sh->arena);

	if (c->raw || c->root == NULL)
		return sh->line - c->line;
	/* Mostly it is one command on one line. */
	if (!c->numbered && c->root->kind == NODE_SIMPLE &&
	    memchr(c->text.ptr, '\n', c->text.len) == NULL) {
		c->root->line = 0;
		numbered->numbered = true;
	}
	if (!c->numbered) {
		numbered->nlines = print_number(&text, c->root);
		numbered->numbered = true;
		proc_charge(sh->p, text.len / 64);
		arena_release(sh->arena, mark);
	}
	return sh->line;
}

/* In the process of a substitution. */
static void set_lines(struct shell *sh, const struct command_sub *c)
{
	sh->line_shift = line_shift(sh, c);
	sh->outer_line = sh->line + c->nlines;
}

/* The words of a command that is expanded outside of its process, where that would be: on its own
 * line. */
static int expand_inside(struct shell *sh, const struct command_sub *c, struct fields *argv)
{
	const struct simple *s = (const struct simple *)c->root;
	int line = sh->line;
	int err;

	sh->line = line_shift(sh, c) + s->node.line;
	err = expand_words(sh, s->words, s->nwords, argv);
	sh->line = line;
	return err;
}

static bool run_captured(struct shell *sh, const struct command_sub *c,
			 const struct shell_builtin *b, struct bytes *out)
{
	const struct simple *s = (const struct simple *)c->root;
	struct fields argv = { 0 };
	struct buf text = buf_in(sh->arena);
	struct buf *outer = sh->captured;
	int line = sh->line;

	proc_charge(sh->p, 1);
	sh->captured = NULL;
	if (expand_inside(sh, c, &argv) != 0) {
		sh->captured = outer;
		*out = (struct bytes){ "", 0 };
		sh->flow = FLOW_NONE;
		return true;
	}
	sh->line = line_shift(sh, c) + s->node.line;
	sh->captured = &text;
	sh->status = exec_builtin(sh, b, argv.count, argv.v);
	sh->captured = outer;
	sh->line = line;
	*out = cleaned(sh, buf_bytes(&text));
	return true;
}

/* The words of a command that is no program, expanded; they must not be expanded again. */
struct expanded {
	const struct command_sub *c;
	char **argv;
};

static int run_expanded(struct shell *sh, struct task *t)
{
	const struct expanded *e = t->arg;

	set_lines(sh, e->c);
	sh->is_command_sub = sh->unechoed = true;
	return exec_program(sh, e->argv, true, e->c->root);
}

/* In a process of the shell, which says what is wrong with it or runs it as a script. */
static int64_t start_expanded(struct shell *sh, const struct command_sub *c, char **argv, int out)
{
	struct expanded *e = arena_alloc(sh->arena, sizeof *e);
	struct task t = { .run = run_expanded,
			  .arg = e,
			  .in = -1,
			  .out = out,
			  .close = { -1, -1 },
			  .command_sub = true };

	*e = (struct expanded){ c, argv };
	return task_start(sh, &t, NULL);
}

/* All that is written until the substitution ends; traps run later. */
static void take_output(struct shell *sh, int cap, struct bytes *out)
{
	int64_t got;

	while ((got = sys_capture_take(sh->p, cap, out)) == -E_INTR)
		trap_note(sh);
	if (got < 0)
		*out = (struct bytes){ "", 0 };
}

/* A program without a shell around it: true if it was tried. */
static bool run_program(struct shell *sh, const struct command_sub *c, struct bytes *out)
{
	const struct simple *s = (const struct simple *)c->root;
	struct fields argv = { 0 };
	struct exec e = { 0 };
	int fds[3] = { 0, -1, 2 };
	int64_t cap;
	int64_t pid;

	if (expand_inside(sh, c, &argv) != 0) {
		sh->flow = FLOW_NONE;
		return false;
	}
	if (!opt_set(sh, SET_RESTRICTED)) /* what that forbids is said by a shell */
		e.path = program_path(sh, argv.v[0]);
	cap = sys_capture(sh->p);
	if (cap < 0)
		return false;
	sys_set_cloexec(sh->p, (int)cap, true);
	sys_set_passing(sh->p, (int)cap, true);
	fds[1] = (int)cap;
	e.argv = argv.v;
	e.fds = fds;
	e.nfds = 3;
	if (e.path != NULL)
		e.envp = environ_level_down(sh, program_environ(sh, e.path));
	pid = e.path != NULL ? sys_spawn_program(sh->p, &e) : -E_NOENT;
	if (pid < 0)
		pid = start_expanded(sh, c, argv.v, (int)cap);
	if (pid < 0) {
		sys_close(sh->p, (int)cap);
		return false;
	}
	take_output(sh, (int)cap, out);
	sh->status = exec_wait(sh, (int)pid, &s->node);
	sh->killed_pid = 0;
	sh->unsettled = false;
	*out = cleaned(sh, *out);
	return true;
}

/* True if the substitution was done in a short way. */
enum { SHORT_DEPTH_MAX = 16 };

static bool run_short(struct shell *sh, const struct command_sub *c, struct bytes *out)
{
	const struct simple *s = plain_command(sh, c);
	const struct shell_builtin *b;
	struct bytes name;

	bool done = false;

	if (s == NULL)
		return false;
	name = s->words[0]->literal;
	if (function_find(sh, name, s->hash != 0 ? s->hash : bytes_hash(name)) != NULL)
		return false;
	b = shell_builtin_find(sh, name);
	if (b != NULL && (!builtin_enabled(sh, b) || !only_writes(s, b)))
		return false;
	sh->subshell_depth++;
	if (b == NULL)
		done = run_program(sh, c, out);
	else
		done = run_captured(sh, c, b, out);
	sh->subshell_depth--;
	return done;
}

/* --- $(< file) --- */

enum { READ_BYTES = 1 << 20 };

int64_t exec_open(struct shell *sh, const char *path, unsigned flags)
{
	int64_t fd = sys_open(sh->p, AT_FDCWD_, path, flags, 0600);

	if (fd >= 0)
		sys_set_passing(sh->p, (int)fd, true);
	return fd;
}

int64_t exec_read_file(struct shell *sh, const char *path, struct bytes *out)
{
	struct buf text = buf_in(sh->arena);
	const char *view;
	int64_t fd;
	int64_t n;

	*out = BYTES("");
	while ((fd = exec_open(sh, path, O_RDONLY_ | O_CLOEXEC_)) == -E_INTR)
		trap_note(sh);
	if (fd < 0)
		return fd;
	do {
		n = sys_view(sh->p, (int)fd, READ_BYTES, &view);
		if (n == -E_INTR)
			trap_note(sh);
		if (n > 0)
			buf_put(&text, view, (size_t)n);
	} while (n > 0 || n == -E_INTR);
	sys_close(sh->p, (int)fd);
	buf_cstr(&text);
	*out = buf_bytes(&text);
	return n;
}

static int read_file(struct shell *sh, const struct redir *r, struct bytes *out)
{
	char *path;
	int64_t err;

	*out = BYTES("");
	if (expand_redirect(sh, r->target, &path) != 0)
		return 1;
	err = exec_read_file(sh, path, out);
	if (err < 0)
		shell_error(sh, "%s: %s", path, err_text((int)err));
	*out = cleaned(sh, *out);
	return err < 0 ? 1 : 0;
}

/* --- in a process --- */

/* Whether aliases could stand for commands of the substitution, or it makes some. */
static bool has_aliases(struct shell *sh, const struct command_sub *c)
{
	return opt_shopt(sh, SHOPT_expand_aliases) && !opt_set(sh, SET_POSIX) &&
	       (alias_any(sh) || bytes_find(c->text, BYTES("alias")) != NULL);
}

/* Whether it may tell the shell to show what it reads. */
static bool echoes(struct shell *sh, const struct command_sub *c)
{
	shell_cost(sh, c->text.len);
	return bytes_find(c->text, BYTES("set -v")) != NULL ||
	       bytes_find(c->text, BYTES("-o verbose")) != NULL;
}

/* Its text is parsed again, command by command, as bash does always: because of aliases, set -v, or
 * because what stands in backquotes has a mistake, behind commands that may have none. */
static int run_sub_text(struct shell *sh, const struct command_sub *c)
{
	struct buf text = buf_in(sh->arena);

	if (!c->raw && c->root != NULL)
		print_number(&text, c->root);
	return exec_text(sh, c->raw ? c->text : buf_bytes(&text), "command substitution", sh->line);
}

static int task_run_sub(struct shell *sh, struct task *t)
{
	set_lines(sh, t->arg);
	sh->is_command_sub = sh->unechoed = true;
	if (t->command_sub && !opt_shopt(sh, SHOPT_inherit_errexit) && !opt_set(sh, SET_POSIX))
		sh->opt.set &= ~((uint64_t)1 << SET_ERREXIT);
	if (t->node == NULL || has_aliases(sh, t->arg) || echoes(sh, t->arg))
		return run_sub_text(sh, t->arg);
	sh->indirection++;
	return task_run_node(sh, t);
}

static int run_process(struct shell *sh, const struct command_sub *c, struct bytes *out)
{
	struct task t = { .run = task_run_sub,
			  .node = c->root,
			  .arg = (void *)(uintptr_t)c,
			  .in = -1,
			  .close = { -1, -1 },
			  .command_sub = true,
			  .encloses = true };
	int64_t cap = sys_capture(sh->p);
	int64_t pid;
	int status;

	if (cap < 0) {
		shell_error(sh, "cannot make pipe for command substitution: %s",
			    err_text((int)cap));
		return 1;
	}
	sys_set_cloexec(sh->p, (int)cap, true);
	sys_set_passing(sh->p, (int)cap, true);
	t.out = (int)cap;
	pid = task_start(sh, &t, NULL);
	if (pid < 0) {
		sys_close(sh->p, (int)cap);
		return sh->status;
	}
	take_output(sh, (int)cap, out);
	*out = cleaned(sh, *out);
	status = exec_wait(sh, (int)pid, c->root);
	sh->killed_pid = 0;
	sh->unsettled = false;
	return status;
}

struct short_call {
	struct shell *sh;
	const struct command_sub *c;
	struct bytes *out;
};

static int call_short(void *arg)
{
	const struct short_call *s = arg;

	return run_short(s->sh, s->c, s->out);
}

/* The short way nests on this stack, a process has one of its own. How deep it goes is counted,
 * not measured: frames have other sizes on other processors, and both ways differ in steps. */
static bool try_short(struct shell *sh, const struct command_sub *c, struct bytes *out)
{
	struct short_call s = { sh, c, out };
	bool done;

	if (sh->short_depth == SHORT_DEPTH_MAX)
		return false;
	sh->short_depth++;
	done = proc_deepen(sh->p, EXEC_STACK_BYTES, call_short, &s) != 0;
	sh->short_depth--;
	return done;
}

static int tell_error(struct shell *sh, const struct command_sub *c)
{
	struct parse_error error = *c->error;

	if (c->complaint.len != 0)
		shell_error(sh, "%.*s", (int)c->complaint.len, c->complaint.ptr);
	else
		parse_error_print(sh, "command substitution", &error);
	sh->status = STATUS_USAGE;
	return c->fatal ? expand_fail(sh) : 0;
}

int exec_command_sub(struct shell *sh, const struct command_sub *c, struct bytes *out)
{
	*out = (struct bytes){ "", 0 };
	sh->substitutions++;
	if (c->error != NULL && (!c->backquoted || c->fatal))
		return tell_error(sh, c);
	if (c->root == NULL && c->error == NULL) {
		sh->status = 0;
		return 0;
	}
	if (c->root != NULL && c->input_file && c->root->nredirs == 1) {
		sh->status = read_file(sh, c->root->redirs, out);
		if (sh->flow == FLOW_ABORT)
			sh->flow = FLOW_NONE;
		if (sh->status != 0)
			exec_errexit(sh);
		return sh->flow != FLOW_NONE ? -1 : 0;
	}
	if (c->root != NULL && !has_aliases(sh, c) && try_short(sh, c, out))
		return 0;
	sh->status = run_process(sh, c, out);
	return sh->flow != FLOW_NONE ? -1 : 0;
}

/* --- process substitution --- */

enum { HIGH_FD = 63, LOW_FD = 3 };

/* Moves a descriptor to the highest free number up to `most`, if there is one. */
int fd_move_high(struct shell *sh, int fd, int most, bool cloexec)
{
	int to = most;

	while (to > LOW_FD && sys_getfl(sh->p, to) >= 0)
		to--;
	if (to == LOW_FD || sys_dup2(sh->p, fd, to, cloexec) < 0) {
		sys_set_cloexec(sh->p, fd, cloexec);
		return fd;
	}
	sys_close(sh->p, fd);
	return to;
}

void procsub_close(struct shell *sh, struct procsub *mark)
{
	while (sh->procsubs != mark && sh->procsubs != NULL) {
		struct procsub *s = sh->procsubs;

		sh->procsubs = s->up;
		sys_close(sh->p, s->fd);
		finished_expect(sh, s->pid);
		pool_free(sh->pool, s, sizeof(*s));
	}
}

int exec_process_sub(struct shell *sh, const struct command_sub *c, char **path)
{
	bool reads = c->direction == '<';
	struct task t = { .run = task_run_sub,
			  .node = c->root,
			  .arg = (void *)(uintptr_t)c,
			  .in = -1,
			  .out = -1,
			  .close = { -1, -1 },
			  .copy = true,
			  .encloses = true };
	struct procsub *s;
	struct proc *child;
	struct buf text = buf_in(sh->arena);
	int ends[2];
	int64_t pid;

	if (sys_pipe(sh->p, ends, true) < 0) {
		shell_error(sh, "cannot make pipe for process substitution: %s", err_text(E_MFILE));
		sh->status = 1;
		sh->flow = FLOW_ABORT;
		return -1;
	}
	sys_set_passing(sh->p, ends[0], true);
	sys_set_passing(sh->p, ends[1], true);
	t.close[0] = ends[reads ? 0 : 1];
	t.in = reads ? -1 : ends[0];
	t.out = reads ? ends[1] : -1;
	pid = task_start(sh, &t, &child);
	sys_close(sh->p, ends[reads ? 1 : 0]);
	if (pid < 0) {
		sys_close(sh->p, ends[reads ? 0 : 1]);
		return -1;
	}
	if (child->task != NULL) /* it may have ended at once, of a limit */
		trap_forget_parents(child->task);
	s = pool_alloc(sh->pool, sizeof(*s));
	s->up = sh->procsubs;
	s->pid = (int)pid;
	s->fd = fd_move_high(sh, ends[reads ? 0 : 1], HIGH_FD, false);
	sys_set_passing(sh->p, s->fd, true);
	sh->procsubs = s;
	sh->last_background = (int)pid;
	buf_printf(&text, "/dev/fd/%d", s->fd);
	*path = buf_cstr(&text);
	return 0;
}
