/* SPDX-License-Identifier: MIT
 *
 * Simple commands: what they are, and what else they run.
 */
#include "interp/analyze.h"

/* Commands whose operands are a command. */
struct wrapper {
	const char *name;
	const char *valued; /* letters of options that take a value */
	int operands;       /* that stand before the command */
	bool assigns;       /* NAME=VALUE may, too */
};

static const struct wrapper wrappers[] = {
	{ "builtin", "", 0, false },         { "chroot", "", 1, false },
	{ "command", "", 0, false },         { "doas", "Cu", 0, true },
	{ "env", "CSu", 0, true },           { "exec", "a", 0, false },
	{ "flock", "wE", 1, false },         { "ionice", "cnp", 0, false },
	{ "nice", "n", 0, false },           { "nohup", "", 0, false },
	{ "setsid", "", 0, false },          { "stdbuf", "ioe", 0, false },
	{ "sudo", "ACDghpRTtUu", 0, true },  { "time", "fo", 0, false },
	{ "timeout", "ks", 1, false },       { "watch", "nq", 0, false },
	{ "xargs", "adEIiLlnPs", 0, false },
};

static void call(struct analysis *a, struct interp_word *words, int n, int line);

static bool is(const struct interp_word *w, const char *text)
{
	return w->unknown == 0 && bytes_is(w->text, text);
}

static bool begins(const struct interp_word *w, char c)
{
	return w->text.len > 1 && w->text.ptr[0] == c;
}

/* --- what a name stands for --- */

static enum interp_program kind_of_file(struct shell *sh, const char *path)
{
	char head[4] = "";
	int64_t fd = sys_open(sh->p, AT_FDCWD_, path, O_RDONLY_ | O_NONBLOCK_ | O_CLOEXEC_, 0);
	int64_t n;

	if (fd < 0)
		return INTERP_PROGRAM;
	n = sys_read(sh->p, (int)fd, head, sizeof head);
	sys_close(sh->p, (int)fd);
	return n == 4 && memcmp(head, "\177ELF", 4) == 0 ? INTERP_REAL_PROGRAM : INTERP_PROGRAM;
}

static enum interp_program what_is(struct shell *sh, const struct interp_word *name)
{
	const struct shell_builtin *b;
	struct vfs_stat st;
	char *path;

	if (name->unknown != 0)
		return INTERP_UNKNOWN_NAME;
	if (memchr(name->text.ptr, '/', name->text.len) == NULL) {
		if (function_find(sh, name->text, bytes_hash(name->text)) != NULL)
			return INTERP_FUNCTION;
		b = shell_builtin_find(sh, name->text);
		if (b != NULL && builtin_enabled(sh, b))
			return INTERP_BUILTIN;
	}
	path = program_path(sh, arena_dup(sh->arena, name->text));
	if (path == NULL || sys_stat(sh->p, AT_FDCWD_, path, 0, &st) < 0)
		return INTERP_MISSING;
	return (st.mode & S_FMT) == S_REG ? kind_of_file(sh, path) : INTERP_MISSING;
}

/* --- commands in commands --- */

/* The index of the first word that is no option. */
static int skip_options(const struct interp_word *words, int n, const char *valued)
{
	int i = 1;

	for (; i < n && words[i].unknown == 0 && begins(&words[i], '-'); i++) {
		struct bytes text = words[i].text;

		if (bytes_is(text, "--"))
			return i + 1;
		if (text.ptr[1] == '-')
			continue;
		for (size_t k = 1; k < text.len; k++) {
			if (strchr(valued, text.ptr[k]) == NULL)
				continue;
			i += k + 1 == text.len;
			break;
		}
	}
	return i < n ? i : n;
}

static bool has_letter(const struct interp_word *words, int n, char letter)
{
	for (int i = 1; i < n && words[i].unknown == 0 && begins(&words[i], '-'); i++)
		if (words[i].text.ptr[1] != '-' &&
		    memchr(words[i].text.ptr, letter, words[i].text.len) != NULL)
			return true;
	return false;
}

static const struct wrapper *wrapper_of(const struct interp_word *name)
{
	for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
		if (is(name, wrappers[i].name))
			return &wrappers[i];
	return NULL;
}

static void call_inner(struct analysis *a, const struct interp_word *words, int n, int line,
		       const char *within, bool more_words)
{
	struct interp_word *copy = arena_array(a->sh->arena, (size_t)n + 2, sizeof *copy);
	struct analyze_place place = analyze_enter(a, within);

	memcpy(copy, words, (size_t)n * sizeof *copy);
	if (more_words)
		copy[n++] = (struct interp_word){ BYTES("..."),
						  INTERP_UNKNOWN_INPUT | INTERP_UNKNOWN_COUNT };
	a->conditional += more_words;
	a->calls++;
	call(a, copy, n, line);
	a->calls--;
	analyze_leave(a, place);
}

static void call_wrapped(struct analysis *a, const struct wrapper *w,
			 const struct interp_word *words, int n, int line)
{
	int i = skip_options(words, n, w->valued) + w->operands;

	if (is(&words[0], "command") && (has_letter(words, n, 'v') || has_letter(words, n, 'V')))
		return;
	while (w->assigns && i < n && words[i].text.len != 0 &&
	       memchr(words[i].text.ptr, '=', words[i].text.len) != NULL)
		i++;
	if (i < n)
		call_inner(a, words + i, n - i, line, w->name, is(&words[0], "xargs"));
}

static bool has_braces(const struct interp_word *w)
{
	return w->text.len >= 2 && bytes_find(w->text, BYTES("{}")) != NULL;
}

/* find -exec COMMAND ; and its like. */
static void call_found(struct analysis *a, struct interp_word *words, int n, int line)
{
	for (int i = 1; i < n; i++) {
		int from = i + 1;

		if (!is(&words[i], "-exec") && !is(&words[i], "-execdir") &&
		    !is(&words[i], "-ok") && !is(&words[i], "-okdir"))
			continue;
		for (i++; i < n && !is(&words[i], ";") && !is(&words[i], "+"); i++)
			if (has_braces(&words[i]))
				words[i].unknown |= INTERP_UNKNOWN_INPUT;
		if (from < i) {
			a->conditional++;
			call_inner(a, words + from, i - from, line, "find -exec", false);
			a->conditional--;
		}
	}
}

/* --- texts in commands --- */

static void run_text(struct analysis *a, const struct interp_word *w, int line, const char *within)
{
	if (w->unknown != 0 || a->texts >= ANALYZE_TEXTS_MAX)
		analyze_unknown_script(a, w, line);
	else
		analyze_script(a, w->text, line, within);
}

static void run_eval(struct analysis *a, const struct interp_word *words, int n, int line)
{
	int from = n > 1 && is(&words[1], "--") ? 2 : 1;
	struct buf text = buf_in(a->sh->arena);
	struct interp_word w = { { NULL, 0 }, 0 };

	for (int i = from; i < n; i++) {
		if (i > from)
			buf_putc(&text, ' ');
		buf_put(&text, words[i].text.ptr, words[i].text.len);
		w.unknown |= words[i].unknown;
	}
	w.text = (struct bytes){ buf_cstr(&text), text.len };
	if (n > from)
		run_text(a, &w, line, "eval");
}

static void run_trap(struct analysis *a, const struct interp_word *words, int n, int line)
{
	int i = skip_options(words, n, "");

	if (i + 1 >= n || is(&words[i], "-") || is(&words[i], "") || has_letter(words, n, 'l') ||
	    has_letter(words, n, 'p'))
		return;
	a->conditional++;
	run_text(a, &words[i], line, "trap");
	a->conditional--;
}

static void run_shell(struct analysis *a, const struct interp_word *words, int n, int line)
{
	int i = skip_options(words, n, "oO");

	if (i < n && has_letter(words, n, 'c'))
		run_text(a, &words[i], line, words[0].text.ptr[0] == 's' ? "sh -c" : "bash -c");
}

static void call(struct analysis *a, struct interp_word *words, int n, int line)
{
	const struct wrapper *w = wrapper_of(&words[0]);
	struct interp_finding f = { .kind = INTERP_FOUND_COMMAND,
				    .program = what_is(a->sh, &words[0]),
				    .words = words,
				    .nwords = n };

	proc_charge(a->sh->p, (uint64_t)n);
	analyze_tell(a, &f, line);
	if (a->stop != 0 || f.program == INTERP_FUNCTION || a->calls >= ANALYZE_CALLS_MAX)
		return;
	if (w != NULL)
		call_wrapped(a, w, words, n, line);
	else if (is(&words[0], "find"))
		call_found(a, words, n, line);
	else if (is(&words[0], "eval"))
		run_eval(a, words, n, line);
	else if (is(&words[0], "trap"))
		run_trap(a, words, n, line);
	else if (is(&words[0], "bash") || is(&words[0], "sh"))
		run_shell(a, words, n, line);
}

/* --- simple commands --- */

/* Patterns of the script are read as it will have them read. */
static void prepare(struct analysis *a, const struct simple *s)
{
	bool extglob = s->nwords >= 3 && bytes_is(s->words[0]->literal, "shopt") &&
		       bytes_is(s->words[1]->literal, "-s");
	bool found = false;

	for (int i = 2; extglob && i < s->nwords; i++)
		found = found || bytes_is(s->words[i]->literal, "extglob");
	if (found)
		a->sh->opt.shopt |= (uint64_t)1 << SHOPT_extglob;
}

/* "(1 2)" of a=(1 2). */
static struct bytes array_text(const struct assign *as)
{
	const char *open = memchr(as->text.ptr, '(', as->text.len);

	return open != NULL ? bytes_slice(as->text, (size_t)(open - as->text.ptr), as->text.len)
			    : as->text;
}

static void tell_assign(struct analysis *a, const struct assign *as)
{
	struct interp_finding f = { .kind = INTERP_FOUND_ASSIGN, .name = as->name };

	if (as->value != NULL)
		f.word = analyze_word(a, as->value, true);
	else if (as->array)
		f.word = (struct interp_word){ array_text(as), INTERP_UNKNOWN_COUNT };
	analyze_tell(a, &f, as->line);
	analyze_inside(a, as->sub);
	analyze_inside(a, as->value);
	for (int i = 0; i < as->nitems; i++) {
		analyze_inside(a, as->items[i].sub);
		analyze_inside(a, as->items[i].value);
	}
}

void analyze_simple(struct analysis *a, const struct simple *s)
{
	struct arena_mark mark = arena_mark(a->sh->arena);
	struct interp_word *words;

	if (a->preparing) {
		prepare(a, s);
		return;
	}
	words = arena_array(a->sh->arena, (size_t)s->nwords + 1, sizeof *words);
	for (int i = 0; i < s->nassigns; i++)
		tell_assign(a, &s->assigns[i]);
	for (int i = 0; i < s->nwords; i++)
		words[i] = analyze_word(a, s->words[i], false);
	if (s->nwords != 0)
		call(a, words, s->nwords, s->node.line);
	for (int i = 0; i < s->nwords && a->stop == 0; i++) {
		if (s->words[i]->assign != NULL)
			tell_assign(a, s->words[i]->assign);
		else
			analyze_inside(a, s->words[i]);
	}
	analyze_redirs(a, &s->node);
	arena_release(a->sh->arena, mark);
}
