/* SPDX-License-Identifier: MIT
 *
 * The table of functions.
 *
 * A subshell that reads through to its parent has no table until it defines or unsets a
 * function; then it copies the parent's. A function holds the unit that defined it; one that
 * is replaced while it runs is freed when it returns.
 */
#include "base/pack.h"
#include "interp/exec.h"
#include "interp/state.h"

enum { FUNCTION_SLOTS_FIRST = 32 };

/* The shell whose table is valid for sh. */
static struct shell *owner(struct shell *sh)
{
	while (sh->functions == NULL && sh->overlay)
		sh = sh->parent;
	return sh;
}

struct function *function_find(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct function *f;

	sh = owner(sh);
	if (sh->functions_count == 0)
		return NULL;
	for (f = sh->functions[hash & (sh->functions_size - 1)]; f != NULL; f = f->next) {
		if (f->hash == hash && bytes_eq(f->name, name))
			return f;
	}
	return NULL;
}

static void resize(struct shell *sh, size_t size)
{
	struct function **slots = pool_zalloc(sh->pool, size * sizeof(*slots));

	for (size_t i = 0; i < sh->functions_size; i++) {
		struct function *next;

		for (struct function *f = sh->functions[i]; f != NULL; f = next) {
			next = f->next;
			f->next = slots[f->hash & (size - 1)];
			slots[f->hash & (size - 1)] = f;
		}
	}
	pool_free(sh->pool, sh->functions, sh->functions_size * sizeof(*slots));
	sh->functions = slots;
	sh->functions_size = size;
}

static void insert(struct shell *sh, struct function *f)
{
	struct function **slot;

	if (sh->functions_count >= sh->functions_size)
		resize(sh, sh->functions_size != 0 ? 2 * sh->functions_size : FUNCTION_SLOTS_FIRST);
	slot = &sh->functions[f->hash & (sh->functions_size - 1)];
	f->next = *slot;
	*slot = f;
	sh->functions_count++;
}

static struct function *make(struct shell *sh, const struct function_node *node, const char *source)
{
	struct function *f = pool_zalloc(sh->pool, sizeof(*f));

	f->name = node->name;
	f->hash = node->hash;
	f->node = node;
	f->ast = ast_get(node->ast);
	f->source = pool_dup(sh->pool, bytes_of(source));
	f->line_shift = sh->line_shift;
	return f;
}

void function_copy_all(struct shell *sh, struct shell *from)
{
	from = owner(from);
	shell_cost(sh, from->functions_size * 64);
	for (size_t i = 0; i < from->functions_size; i++) {
		for (struct function *f = from->functions[i]; f != NULL; f = f->next) {
			struct function *copy = make(sh, f->node, f->source);

			copy->line_shift = f->line_shift;
			copy->exported = f->exported;
			copy->readonly = f->readonly;
			copy->traced = f->traced;
			insert(sh, copy);
		}
	}
	if (sh->functions == NULL)
		resize(sh, FUNCTION_SLOTS_FIRST);
}

/* The definition of `name` in a tree: its root, or a command of the root's list. */
static const struct function_node *definition_in(const struct ast *ast, struct bytes name)
{
	const struct list *l = (const struct list *)ast->root;

	if (ast->root == NULL)
		return NULL;
	if (ast->root->kind == NODE_FUNCTION) {
		const struct function_node *f = (const struct function_node *)ast->root;

		return bytes_eq(f->name, name) ? f : NULL;
	}
	for (int i = 0; ast->root->kind == NODE_LIST && i < l->count; i++) {
		const struct function_node *f = (const struct function_node *)l->commands[i];

		if (f->node.kind == NODE_FUNCTION && bytes_eq(f->name, name))
			return f;
	}
	return NULL;
}

/* Parses text, whose first line has that number, as it was parsed once, and takes the definition of
 * that name. */
static struct function *parse_copy(struct shell *sh, const struct function *like, struct bytes text,
				   int line, unsigned flags)
{
	struct parse_config config = shell_parse_config(sh, text, line);
	struct parse_error error;
	struct function *copy = NULL;
	struct ast *ast = NULL;

	config.flags = NULL;
	config.flags_given = flags;
	if (parse_unit(parse_new(&config), &ast, &error) == 1) {
		const struct function_node *node = definition_in(ast, like->name);

		if (node != NULL)
			copy = make(sh, node, like->source);
	}
	if (ast != NULL)
		unit_unused(sh, ast);
	if (copy != NULL) {
		copy->exported = like->exported;
		copy->readonly = like->readonly;
		copy->traced = like->traced;
	}
	return copy;
}

/* The text that defines f, the line it begins at, and how to parse it. What was typed, unless it
 * stands for something else: an alias is seen only in what was parsed. */
static struct bytes definition_text(struct shell *sh, const struct function *f, int *line,
				    unsigned *flags)
{
	struct buf text = buf_in(sh->arena);
	bool aliases = (f->ast->flags & PARSE_ALIASES) != 0;

	*flags = f->ast->flags & ~(unsigned)PARSE_ALIASES;
	if (!aliases && definition_in(f->ast, f->name) == f->node) {
		*line = f->ast->root->line;
		return f->ast->text;
	}
	*line = f->node->node.line;
	print_function_source(&text, f->node, (*flags & PARSE_POSIX) != 0);
	return buf_bytes(&text);
}

void function_parse_all(struct shell *sh, struct shell *from)
{
	struct arena_mark mark = arena_mark(sh->arena);

	for (size_t i = 0; i < from->functions_size; i++) {
		for (struct function *f = from->functions[i]; f != NULL; f = f->next) {
			int line;
			unsigned flags;
			struct bytes text = definition_text(sh, f, &line, &flags);
			struct function *copy = parse_copy(sh, f, text, line, flags);

			if (copy == NULL)
				continue;
			copy->line_shift = f->line_shift;
			insert(sh, copy);
		}
	}
	arena_release(sh->arena, mark);
}

/* --- saved --- */

enum { FUNCTION_EXPORTED = 1, FUNCTION_READONLY = 2, FUNCTION_TRACED = 4 };

int function_pack(struct shell *sh, struct buf *out)
{
	struct function **all;
	int n = function_list(sh, &all);

	pack_u64(out, (uint64_t)n);
	for (int i = 0; i < n; i++) {
		const struct function *f = all[i];
		int line;
		unsigned flags;
		struct bytes text = definition_text(sh, f, &line, &flags);

		pack_bytes(out, f->name);
		pack_text(out, f->source);
		pack_u64(out, (uint64_t)(line > 0 ? line : 0));
		pack_u64(out, (f->exported ? FUNCTION_EXPORTED : 0) |
				      (f->readonly ? FUNCTION_READONLY : 0) |
				      (f->traced ? FUNCTION_TRACED : 0));
		pack_bytes(out, text);
		pack_u64(out, flags);
		pack_u64(out, (uint64_t)((int64_t)f->line_shift + INT32_MAX));
	}
	return 0;
}

void function_unpack(struct shell *sh, struct unpack *in)
{
	size_t n = unpack_count(in);

	for (size_t i = 0; i < n && !in->bad; i++) {
		struct function f = { .name = arena_bytes(sh->arena, unpack_bytes(in)) };
		struct bytes source = unpack_text(in);
		int line = (int)unpack_below(in, INT32_MAX / 2);
		unsigned flags = (unsigned)unpack_below(in, 7);
		struct bytes text = unpack_bytes(in);
		unsigned how = (unsigned)unpack_below(in, PARSE_FLAGS_MAX);
		int64_t shift = (int64_t)unpack_below(in, UINT32_MAX) - INT32_MAX;
		struct function *copy;

		f.source = source.ptr != NULL ? arena_bytes(sh->arena, source).ptr : "";
		f.exported = (flags & FUNCTION_EXPORTED) != 0;
		f.readonly = (flags & FUNCTION_READONLY) != 0;
		f.traced = (flags & FUNCTION_TRACED) != 0;
		copy = in->bad ? NULL : parse_copy(sh, &f, arena_bytes(sh->arena, text), line, how);
		if (copy == NULL || function_find(sh, copy->name, copy->hash) != NULL) {
			in->bad = true;
			return;
		}
		copy->line_shift = (int)shift;
		insert(sh, copy);
	}
}

/* Gives an overlay a table of its own. */
static void own_table(struct shell *sh)
{
	if (sh->functions == NULL && sh->overlay)
		function_copy_all(sh, sh->parent);
}

static void free_function(struct shell *sh, struct function *f)
{
	sh->command = NULL; /* BASH_COMMAND may point into its body */
	ast_put(f->ast);
	pool_free(sh->pool, (void *)(uintptr_t)f->source, strlen(f->source) + 1);
	pool_free(sh->pool, f, sizeof(*f));
}

void function_done(struct shell *sh, struct function *f)
{
	if (--f->running == 0 && f->deleted)
		free_function(sh, f);
}

static bool remove_function(struct shell *sh, struct bytes name, uint64_t hash)
{
	struct function **link;

	if (sh->functions_count == 0)
		return false;
	link = &sh->functions[hash & (sh->functions_size - 1)];
	for (; *link != NULL; link = &(*link)->next) {
		struct function *f = *link;

		if (f->hash != hash || !bytes_eq(f->name, name))
			continue;
		*link = f->next;
		sh->functions_count--;
		f->deleted = true;
		if (f->running == 0)
			free_function(sh, f);
		return true;
	}
	return false;
}

/* Where a function being defined is said to come from. */
static const char *definition_source(struct shell *sh)
{
	const char *source = sh->frame->source;

	if (source != NULL && *source != '\0')
		return source;
	return sh->stdin_script || opt_set(sh, SET_INTERACTIVE) ? "main" : "environment";
}

static bool name_refused(struct shell *sh, struct bytes name)
{
	const struct shell_builtin *b;

	if (!opt_set(sh, SET_POSIX))
		return false;
	if (!is_name(name)) {
		shell_error(sh, "`%.*s': not a valid identifier", (int)name.len, name.ptr);
		exec_end(sh, STATUS_USAGE);
		return true;
	}
	b = shell_builtin_find(sh, name);
	if (b == NULL || (b->flags & BUILTIN_SPECIAL) == 0)
		return false;
	shell_error(sh, "`%.*s': is a special builtin", (int)name.len, name.ptr);
	exec_end(sh, STATUS_USAGE);
	return true;
}

/* A name with quotes or expansions in it. */
static bool has_expansion(struct bytes name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (strchr("$\"'\\", name.ptr[i]) != NULL)
			return true;
	}
	return false;
}

int function_define(struct shell *sh, const struct function_node *node)
{
	struct function *old;
	struct function *f;
	bool exported;

	if (name_refused(sh, node->name))
		return sh->status = STATUS_USAGE;
	if (has_expansion(node->name)) {
		shell_error(sh, "`%s': not a valid identifier", node->name.ptr);
		return 1;
	}
	own_table(sh);
	old = function_find(sh, node->name, node->hash);
	if (old != NULL && old->readonly) {
		shell_error(sh, "%.*s: readonly function", (int)node->name.len, node->name.ptr);
		return 1;
	}
	exported = old != NULL && old->exported;
	f = make(sh, node, definition_source(sh));
	f->exported = exported || opt_set(sh, SET_ALLEXPORT);
	if (old != NULL)
		remove_function(sh, node->name, node->hash);
	insert(sh, f);
	if (f->exported)
		sh->vars.export_serial++;
	return 0;
}

int function_unset(struct shell *sh, struct bytes name)
{
	uint64_t hash = bytes_hash(name);
	struct function *f;

	own_table(sh);
	f = function_find(sh, name, hash);
	if (f == NULL)
		return -1;
	if (f->exported)
		sh->vars.export_serial++;
	remove_function(sh, name, hash);
	return 0;
}

void function_tables_free(struct shell *sh)
{
	for (size_t i = 0; i < sh->functions_size && sh->functions != NULL; i++) {
		for (struct function *f = sh->functions[i]; f != NULL; f = f->next)
			ast_put(f->ast);
	}
	sh->functions = NULL;
	sh->functions_count = sh->functions_size = 0;
}

static int by_name(const void *a, const void *b)
{
	return bytes_cmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

int function_list(struct shell *sh, struct function ***out)
{
	struct shell *o = owner(sh);
	size_t n = o->functions_count;
	struct function **v = arena_array(sh->arena, n + 1, sizeof(struct function *));
	size_t k = 0;

	for (size_t i = 0; i < o->functions_size; i++) {
		for (struct function *f = o->functions[i]; f != NULL; f = f->next)
			v[k++] = f;
	}
	sort_pointers(sh->arena, (void **)v, n, by_name);
	*out = v;
	return (int)n;
}

/* --- the environment --- */

/* Makes the function that a parsed entry defines; false after a message. */
static bool import_node(struct shell *sh, const struct node *root, const char *name)
{
	const struct function_node *node = (const struct function_node *)root;

	if (root == NULL || root->kind != NODE_FUNCTION || !bytes_is(node->name, name)) {
		shell_error(sh, "warning: %s: ignoring function definition attempt", name);
		return false;
	}
	if (has_expansion(node->name)) {
		shell_error(sh, "`%s': not a valid identifier", name);
		return false;
	}
	struct function *f = make(sh, node, "environment");

	f->exported = true;
	insert(sh, f);
	return true;
}

/* Defines the function that the text "name () { ..." describes. */
static bool import_text(struct shell *sh, struct bytes text, const char *name)
{
	struct parse_config config = shell_parse_config(sh, text, 0);
	struct parser *p = parse_new(&config);
	struct parse_error error;
	struct ast *ast = NULL;
	int got = parse_unit(p, &ast, &error);
	bool made = false;

	if (got < 0) {
		parse_error_print(sh, name, &error);
	} else if (got == 1) {
		sh->line = parse_line(p) - 1;
		made = import_node(sh, ast->root, name);
		sh->line = 0;
	}
	if (ast != NULL)
		unit_unused(sh, ast);
	return made;
}

/* An entry "BASH_FUNC_name%%=() { ..." of the environment. */
static void import_one(struct shell *sh, struct bytes name, struct bytes value)
{
	struct arena_mark mark = arena_mark(sh->arena);
	const char *shown = arena_dup(sh->arena, name);
	struct buf text = buf_in(sh->arena);

	buf_add(&text, name);
	buf_putc(&text, ' ');
	buf_add(&text, value);
	if (strchr(shown, '/') != NULL || !import_text(sh, buf_bytes(&text), shown))
		shell_error(sh, "error importing function definition for `%s'", shown);
	arena_release(sh->arena, mark);
}

void function_import(struct shell *sh, char *const *envp)
{
	struct bytes prefix = BYTES("BASH_FUNC_");
	struct bytes middle = BYTES("%%=");

	for (; envp != NULL && *envp != NULL; envp++) {
		struct bytes entry = bytes_of(*envp);
		struct bytes name;
		const char *end;

		if (!bytes_starts(entry, prefix))
			continue;
		end = bytes_find(entry, middle);
		if (end == NULL || memchr(entry.ptr, '=', (size_t)(end - entry.ptr)) != NULL ||
		    strncmp(end + middle.len, "() {", 4) != 0)
			continue;
		name.ptr = entry.ptr + prefix.len;
		name.len = (size_t)(end - name.ptr);
		import_one(sh, name, bytes_of(end + middle.len));
	}
}

/* "BASH_FUNC_f%%=() { ...": what print_function writes behind the name. */
static char *export_text(struct shell *sh, const struct function *f)
{
	struct buf text = buf_in(sh->arena);
	struct buf out = buf_in(sh->arena);
	struct bytes printed;
	const char *open;

	print_function(&text, f->node, opt_set(sh, SET_POSIX));
	printed = buf_bytes(&text);
	open = bytes_find(printed, BYTES("()"));
	buf_puts(&out, "BASH_FUNC_");
	buf_add(&out, f->name);
	buf_puts(&out, "%%=");
	if (open != NULL)
		buf_puts(&out, "() ");
	open = bytes_find(printed, BYTES("{"));
	if (open != NULL)
		buf_put(&out, open, printed.len - (size_t)(open - printed.ptr));
	return buf_cstr(&out);
}

char *const *function_environ(struct shell *sh, char *const *environ)
{
	struct function **list;
	int n = function_list(sh, &list);
	int exported = 0;
	size_t count = 0;
	char **out;

	for (int i = 0; i < n; i++)
		exported += list[i]->exported;
	if (exported == 0)
		return environ;
	while (environ[count] != NULL)
		count++;
	out = arena_array(sh->arena, count + (size_t)exported + 1, sizeof(*out));
	memcpy(out, environ, count * sizeof(*out));
	for (int i = 0; i < n; i++) {
		if (list[i]->exported)
			out[count++] = export_text(sh, list[i]);
	}
	return out;
}
