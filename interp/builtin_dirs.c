/* SPDX-License-Identifier: MIT
 *
 * pushd, popd, dirs, and the array DIRSTACK.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/dirs.h"
#include "interp/state.h"
#include "interp/var_special.h"

/* --- the stack --- */

static void copy_stack(struct shell *sh, const struct dir_stack *from)
{
	struct dir_stack *d = pool_zalloc(sh->pool, sizeof(*d));

	d->owner = sh;
	sh->dirs = d;
	if (from == NULL)
		return;
	if (from->cwd != NULL)
		d->cwd = pool_dup(sh->pool, bytes_of(from->cwd));
	d->cap = d->count = from->count;
	d->entry = pool_alloc(sh->pool, (size_t)d->cap * sizeof(char *));
	for (int i = 0; i < d->count; i++)
		d->entry[i] = pool_dup(sh->pool, bytes_of(from->entry[i]));
}

/* The stack of this shell, to be changed. */
static struct dir_stack *stack_of(struct shell *sh)
{
	if (sh->dirs == NULL || sh->dirs->owner != sh)
		copy_stack(sh, sh->dirs);
	return sh->dirs;
}

static void free_text(struct shell *sh, char *text)
{
	if (text != NULL)
		pool_free(sh->pool, text, strlen(text) + 1);
}

void dirs_set_cwd(struct shell *sh, const char *path)
{
	struct dir_stack *d = stack_of(sh);
	char *fresh = path != NULL ? pool_dup(sh->pool, bytes_of(path)) : NULL;

	free_text(sh, d->cwd);
	d->cwd = fresh;
}

int dirs_count(struct shell *sh)
{
	return 1 + (sh->dirs != NULL ? sh->dirs->count : 0);
}

const char *dirs_at(struct shell *sh, int n)
{
	if (n == 0) {
		const char *here = logical_directory(sh, "dirs");

		return here != NULL ? here : "<no current directory>";
	}
	if (n < 0 || n >= dirs_count(sh))
		return NULL;
	return sh->dirs->entry[sh->dirs->count - n];
}

void dirs_push(struct shell *sh, const char *path)
{
	struct dir_stack *d = stack_of(sh);
	char *entry = pool_dup(sh->pool, bytes_of(path));

	if (d->count == d->cap) {
		int cap = d->cap == 0 ? 8 : d->cap * 2;

		d->entry = pool_resize(sh->pool, d->entry, (size_t)d->cap * sizeof(char *),
				       (size_t)cap * sizeof(char *));
		d->cap = cap;
	}
	d->entry[d->count++] = entry;
}

/* Removes entry n (not 0). */
static void stack_remove(struct shell *sh, int n)
{
	struct dir_stack *d = stack_of(sh);
	int at = d->count - n;

	free_text(sh, d->entry[at]);
	memmove(d->entry + at, d->entry + at + 1, (size_t)(d->count - at - 1) * sizeof(char *));
	d->count--;
}

static void stack_clear(struct shell *sh)
{
	while (sh->dirs != NULL && sh->dirs->count > 0)
		stack_remove(sh, 1);
}

static void refresh_dirstack(struct shell *sh, struct var *v)
{
	int n = dirs_count(sh);

	if (sh->listing)
		return;
	if (v->array != NULL)
		array_free(sh->pool, v->array);
	v->array = array_new(sh->pool);
	for (int i = 0; i < n; i++)
		array_put(sh->pool, v->array, i, bytes_of(dirs_at(sh, i)));
	v->flags |= VAR_SET;
}

/* Entries behind the first may be replaced. */
static void dirstack_changed(struct shell *sh, struct bytes sub, struct bytes value)
{
	int64_t n;

	if (value.ptr == NULL || !number_is_i64(sub, &n) || n <= 0 || n >= dirs_count(sh))
		return;
	struct dir_stack *d = stack_of(sh);
	char **at = &d->entry[d->count - n];
	char *fresh = pool_dup(sh->pool, value);

	free_text(sh, *at);
	*at = fresh;
}

static const struct var_hook dirstack_hook = {
	.name = "DIRSTACK",
	.flags = VAR_ARRAY,
	.refresh = refresh_dirstack,
	.changed_element = dirstack_changed,
};

void builtin_state_init(struct shell *sh)
{
	var_add_dynamic(sh, &dirstack_hook);
}

void builtin_state_copy(struct shell *sh, struct shell *from)
{
	sh->completions = NULL;
	sh->history = NULL;
	copy_stack(sh, from->dirs);
}

/* --- dirs --- */

enum dirs_style { DIRS_ROW = 0, DIRS_LINES = 1, DIRS_NUMBERS = 2, DIRS_LONG = 4, DIRS_CLEAR = 8 };

/* With ~ for the home directory unless `full`. */
static void put_directory(struct shell *sh, struct buf *out, const char *path, bool full)
{
	const char *home = full ? NULL : var_get_text(sh, "HOME");
	size_t len = home != NULL ? strlen(home) : 0;

	if (len > 1 && strncmp(path, home, len) == 0 && (path[len] == '/' || path[len] == '\0')) {
		buf_putc(out, '~');
		path += len;
	}
	buf_puts(out, path);
}

static int show_stack(struct shell *sh, const char *who, unsigned style)
{
	struct buf out = buf_in(sh->arena);
	int n = dirs_count(sh);

	for (int i = 0; i < n; i++) {
		if ((style & DIRS_NUMBERS) != 0)
			buf_printf(&out, "%2d  ", i);
		put_directory(sh, &out, dirs_at(sh, i), (style & DIRS_LONG) != 0);
		buf_putc(&out,
			 (style & (DIRS_LINES | DIRS_NUMBERS)) != 0 || i + 1 == n ? '\n' : ' ');
	}
	return out_flush(sh, who, &out);
}

/* That it can't be shown is said, but the stack has changed. */
static int show_changed(struct shell *sh, const char *who)
{
	show_stack(sh, who, DIRS_ROW);
	return 0;
}

/* +N or -N. */
static bool is_index(const char *word)
{
	return (word[0] == '+' || word[0] == '-') && word[1] != '\0';
}

/* The position that +N or -N means: -1 after a message, with *status. */
static int stack_index(struct shell *sh, const char *who, const char *word, const char *shown,
		       int *status)
{
	int64_t n;
	int count = dirs_count(sh);

	*status = 1;
	if (!byte_is_digit((unsigned char)word[1]) || !number_argument(word + 1, &n)) {
		builtin_error(sh, who, "%s: invalid number", word);
		*status = usage_error(sh, who);
		return -1;
	}
	if (n >= count) {
		if (count == 1)
			builtin_error(sh, who, "directory stack empty");
		else
			builtin_error(sh, who, "%s: directory stack index out of range", shown);
		return -1;
	}
	return word[0] == '+' ? (int)n : count - 1 - (int)n;
}

static unsigned dirs_letter(char c)
{
	switch (c) {
	case 'c': return DIRS_CLEAR;
	case 'l': return DIRS_LONG;
	case 'p': return DIRS_LINES;
	default: return c == 'v' ? DIRS_NUMBERS : 0;
	}
}

static int dirs_invalid(struct shell *sh, const char *word)
{
	builtin_error(sh, "dirs", "%s: invalid option", word);
	return usage_error(sh, "dirs");
}

int do_dirs(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	const char *entry = NULL;
	unsigned style = 0;
	int status;

	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		no_options(sh, argc, argv);
		return STATUS_MISUSE;
	}
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		unsigned letter = argv[i][0] == '-' && argv[i][1] != '\0' && argv[i][2] == '\0'
					  ? dirs_letter(argv[i][1])
					  : 0;

		if (letter == 0 && !is_index(argv[i]))
			return dirs_invalid(sh, argv[i]);
		style |= letter;
		if (letter == 0)
			entry = argv[i];
	}
	if ((style & DIRS_CLEAR) != 0) {
		stack_clear(sh);
		return 0;
	}
	if (entry == NULL)
		return show_stack(sh, "dirs", style);
	int at = stack_index(sh, "dirs", entry, entry + 1, &status);

	if (at < 0)
		return status;
	if ((style & DIRS_NUMBERS) != 0)
		buf_printf(&out, "%2d  ", at);
	put_directory(sh, &out, dirs_at(sh, at), (style & DIRS_LONG) != 0);
	buf_putc(&out, '\n');
	return out_flush(sh, "dirs", &out);
}

/* --- pushd, popd --- */

struct stack_request {
	bool stay;        /* -n */
	const char *word; /* +N, -N or a directory; NULL: none */
};

/* 0, or the status after a message. */
static int stack_options(struct shell *sh, int argc, char **argv, struct stack_request *r)
{
	int i = 1;

	if (argc > 1 && strcmp(argv[1], "--help") == 0) {
		no_options(sh, argc, argv);
		return STATUS_MISUSE;
	}
	if (i < argc && strcmp(argv[i], "-n") == 0) {
		r->stay = true;
		i++;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	if (i < argc)
		r->word = argv[i++];
	if (i < argc) {
		builtin_error(sh, argv[0], "too many arguments");
		return 1;
	}
	return 0;
}

/* Makes the n entries of `all` the stack; the first is where the shell then is. */
static int reorder(struct shell *sh, char **all, int n, bool stay)
{
	if (!stay) {
		if (restricted(sh, "pushd", NULL))
			return 1;
		int status = change_directory(sh, "pushd", all[0]);

		if (status != 0)
			return status;
	}
	stack_clear(sh);
	for (int i = n - 1; i > 0; i--)
		dirs_push(sh, all[i]);
	return stay ? 0 : show_changed(sh, "pushd");
}

/* Brings entry `at` to the front by rotating. */
static int rotate(struct shell *sh, int at, bool stay)
{
	int n = dirs_count(sh);
	char **all = arena_array(sh->arena, (size_t)n, sizeof(char *));

	for (int i = 0; i < n; i++)
		all[i] = arena_dup(sh->arena, bytes_of(dirs_at(sh, (at + i) % n)));
	return reorder(sh, all, n, stay);
}

/* Exchanges the two entries in front. */
static int exchange(struct shell *sh)
{
	int n = dirs_count(sh);
	char **all = arena_array(sh->arena, (size_t)n, sizeof(char *));

	for (int i = 0; i < n; i++)
		all[i] = arena_dup(sh->arena, bytes_of(dirs_at(sh, i < 2 ? 1 - i : i)));
	return reorder(sh, all, n, false);
}

static int push_directory(struct shell *sh, const char *path, bool stay)
{
	const char *old = logical_directory(sh, "pushd");

	if (old == NULL)
		return 1;
	old = arena_dup(sh->arena, bytes_of(old));
	if (stay) {
		dirs_push(sh, path);
		return show_changed(sh, "pushd");
	}
	if (restricted(sh, "pushd", NULL))
		return 1;
	bool back = strcmp(path, "-") == 0;

	if (back) {
		path = var_get_text(sh, "OLDPWD");
		if (path == NULL) {
			builtin_error(sh, "pushd", "OLDPWD not set");
			return 1;
		}
		path = arena_dup(sh->arena, bytes_of(path));
	}
	int status = change_directory(sh, "pushd", path);

	if (status != 0)
		return status;
	if (back) {
		struct buf out = buf_in(sh->arena);

		buf_printf(&out, "%s\n", dirs_at(sh, 0));
		out_flush(sh, "pushd", &out);
	}
	dirs_push(sh, old);
	return show_changed(sh, "pushd");
}

int do_pushd(struct shell *sh, int argc, char **argv)
{
	struct stack_request r = { 0 };
	int status = stack_options(sh, argc, argv, &r);

	if (status != 0)
		return status;
	if (r.word == NULL) {
		if (r.stay)
			return 0;
		if (dirs_count(sh) > 1)
			return exchange(sh);
		builtin_error(sh, "pushd", "no other directory");
		return 1;
	}
	if (!is_index(r.word))
		return push_directory(sh, r.word, r.stay);
	int at = stack_index(sh, "pushd", r.word, r.word, &status);

	return at < 0 ? status : rotate(sh, at, r.stay);
}

int do_popd(struct shell *sh, int argc, char **argv)
{
	struct stack_request r = { 0 };
	int status = stack_options(sh, argc, argv, &r);
	int at = 0;

	if (status != 0)
		return status;
	if (r.word != NULL && !is_index(r.word)) {
		builtin_error(sh, "popd", "%s: invalid argument", r.word);
		return usage_error(sh, "popd");
	}
	if (r.word != NULL)
		at = stack_index(sh, "popd", r.word, r.word, &status);
	if (at < 0)
		return status;
	if (dirs_count(sh) == 1) {
		builtin_error(sh, "popd", "directory stack empty");
		return 1;
	}
	if (at == 0 && !r.stay) {
		if (restricted(sh, "popd", NULL))
			return 1;
		status = change_directory(sh, "popd", dirs_at(sh, 1));
		if (status != 0)
			return status;
	}
	stack_remove(sh, at == 0 ? 1 : at);
	return show_changed(sh, "popd");
}
