/* SPDX-License-Identifier: MIT
 *
 * type, command, hash: what a command name stands for.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/hash.h"

/* How an answer is written. */
enum describe_style {
	DESCRIBE_LONG,  /* type, command -V */
	DESCRIBE_SHORT, /* command -v */
	DESCRIBE_KIND,  /* type -t */
	DESCRIBE_PATH,  /* type -p, -P */
};

struct describe {
	struct shell *sh;
	enum describe_style style;
	bool all;          /* -a */
	bool no_functions; /* -f */
	bool force_path;   /* -P: programs only */
	bool standard_path;
	const char *path; /* value of PATH */
	struct buf out;
};

static void say_kind(struct describe *d, const char *name, const char *kind, const char *text)
{
	if (d->style == DESCRIBE_LONG)
		buf_printf(&d->out, "%s is %s\n", name, text);
	else if (d->style == DESCRIBE_KIND)
		buf_printf(&d->out, "%s\n", kind);
	else if (d->style == DESCRIBE_SHORT)
		buf_printf(&d->out, "%s\n", name);
}

static void say_alias(struct describe *d, const char *name, struct bytes value)
{
	if (d->style == DESCRIBE_LONG) {
		buf_printf(&d->out, "%s is aliased to `", name);
		buf_add(&d->out, value);
		buf_puts(&d->out, "'\n");
	} else if (d->style == DESCRIBE_SHORT) {
		print_alias(&d->out, "alias ", bytes_of(name), value);
	} else {
		say_kind(d, name, "alias", "");
	}
}

static void say_function(struct describe *d, const char *name, const struct function *f)
{
	say_kind(d, name, "function", "a function");
	if (d->style == DESCRIBE_LONG)
		print_shell_function(d->sh, &d->out, f);
}

static bool is_executable(struct shell *sh, const char *path)
{
	struct vfs_stat st;

	return sys_stat(sh->p, AT_FDCWD_, path, 0, &st) == 0 && (st.mode & S_FMT) != S_DIR &&
	       sys_access(sh->p, AT_FDCWD_, path, 1) == 0;
}

static void say_path(struct describe *d, const char *name, const char *path)
{
	if (d->style == DESCRIBE_LONG)
		buf_printf(&d->out, "%s is %s\n", name, path);
	else
		buf_printf(&d->out, "%s\n", d->style == DESCRIBE_KIND ? "file" : path);
}

/* Every directory of PATH that has the program, or the first; if none has, what would be tried. */
static bool describe_programs(struct describe *d, const char *name)
{
	const char *at = d->path;
	const char *unusable;
	bool found = false;

	if (strchr(name, '/') != NULL) {
		found = is_executable(d->sh, name);
		if (found)
			say_path(d, name, name);
		return found;
	}
	while (at != NULL) {
		size_t len = strcspn(at, ":");
		struct buf path = buf_in(d->sh->arena);

		buf_put(&path, len != 0 ? at : ".", len != 0 ? len : 1);
		if (path.ptr[path.len - 1] != '/')
			buf_putc(&path, '/');
		buf_puts(&path, name);
		if (is_executable(d->sh, path.ptr) && !program_ignored(d->sh, path.ptr)) {
			say_path(d, name, path.ptr);
			found = true;
			if (!d->all)
				break;
		}
		at = at[len] == ':' ? at + len + 1 : NULL;
	}
	if (found || d->all || d->path == NULL)
		return found;
	unusable = find_program(d->sh, name, d->path);
	if (unusable != NULL)
		say_path(d, name, unusable);
	return unusable != NULL;
}

static bool describe_hashed(struct describe *d, const char *name)
{
	struct hash_entry *e = strchr(name, '/') == NULL && !d->all
				       ? hash_find(d->sh, bytes_of(name))
				       : NULL;

	if (e == NULL)
		return false;
	hash_use(d->sh, e->name); /* looking is a hit as well */
	if (d->style == DESCRIBE_LONG)
		buf_printf(&d->out, "%s is hashed (%s)\n", name, e->path);
	else
		say_path(d, name, e->path);
	return true;
}

/* What comes before programs. Whether something was found. */
static bool describe_words(struct describe *d, const char *name)
{
	struct shell *sh = d->sh;
	struct bytes key = bytes_of(name);
	struct bytes value;
	bool found = false;

	if (opt_shopt(sh, SHOPT_expand_aliases) && alias_find(sh, key, &value)) {
		say_alias(d, name, value);
		found = true;
	}
	if ((!found || d->all) && is_reserved_word(key)) {
		say_kind(d, name, "keyword", "a shell keyword");
		found = true;
	}
	struct function *f = d->no_functions ? NULL : function_find(sh, key, name_hash(key));

	if ((!found || d->all) && f != NULL) {
		say_function(d, name, f);
		found = true;
	}
	const struct shell_builtin *b = shell_builtin_find(sh, key);

	if ((!found || d->all) && b != NULL && builtin_enabled(sh, b)) {
		bool special = (b->flags & BUILTIN_SPECIAL) != 0 && opt_set(sh, SET_POSIX);

		say_kind(d, name, "builtin",
			 special ? "a special shell builtin" : "a shell builtin");
		found = true;
	}
	return found;
}

static bool describe(struct describe *d, const char *name)
{
	bool found = !d->force_path && describe_words(d, name);

	if (found && !d->all)
		return true;
	if (!found && describe_hashed(d, name))
		return true;
	return describe_programs(d, name) || found;
}

static const char *search_path(struct shell *sh)
{
	const char *path = var_get_text(sh, "PATH");

	return path != NULL && *path != '\0' ? path : NULL;
}

/* --- type --- */

/* The long spellings of old: -type, --path, -all. */
static void shorten_options(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i] + 1 + (argv[i][1] == '-');

		if (strcmp(word, "type") == 0 || strcmp(word, "path") == 0 ||
		    strcmp(word, "all") == 0)
			argv[i] = (char *)(uintptr_t)(*word == 't'   ? "-t"
						      : *word == 'p' ? "-p"
								     : "-a");
	}
}

int do_type(struct shell *sh, int argc, char **argv)
{
	struct describe d = { .sh = sh, .path = search_path(sh), .out = buf_in(sh->arena) };
	struct optscan o = { 0 };
	int status = 0;
	int c;

	shorten_options(argc, argv);
	while ((c = optscan_next(sh, NULL, &o, argc, argv, "afptP")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		d.all = d.all || c == 'a';
		d.no_functions = d.no_functions || c == 'f';
		d.force_path = d.force_path || c == 'P';
		if (c == 't')
			d.style = DESCRIBE_KIND;
		else if ((c == 'p' || c == 'P') && d.style != DESCRIBE_KIND)
			d.style = DESCRIBE_PATH;
	}
	for (int i = o.index; i < argc; i++) {
		if (describe(&d, argv[i]))
			continue;
		status = 1;
		out_lines(sh, "type", &d.out);
		if (d.style == DESCRIBE_LONG)
			builtin_error(sh, "type", "%s: not found", argv[i]);
	}
	return out_flush(sh, "type", &d.out) != 0 ? 1 : status;
}

/* --- command --- */

static int describe_commands(struct describe *d, int n, char **names)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		if (describe(d, names[i])) {
			found++;
			continue;
		}
		out_lines(d->sh, "command", &d->out);
		if (d->style == DESCRIBE_LONG)
			builtin_error(d->sh, "command", "%s: not found", names[i]);
	}
	out_flush_unchecked(d->sh, &d->out);
	return found > 0 || n == 0 ? 0 : 1;
}

int do_command(struct shell *sh, int argc, char **argv)
{
	struct describe d = { .sh = sh, .out = buf_in(sh->arena) };
	struct optscan o = { 0 };
	bool tell = false;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "pVv")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c == 'p' && restricted(sh, "command", "-p"))
			return 1;
		d.standard_path = d.standard_path || c == 'p';
		if (c != 'p') {
			tell = true;
			d.style = c == 'v' ? DESCRIBE_SHORT : DESCRIBE_LONG;
		}
	}
	argc -= o.index;
	argv += o.index;
	if (tell) {
		d.path = d.standard_path ? standard_path : search_path(sh);
		return describe_commands(&d, argc, argv);
	}
	if (argc == 0)
		return 0;
	if (sh->declare_args != NULL)
		sh->declare_args += o.index;
	if (sh->elements != NULL)
		sh->elements += o.index;
	bool held = sh->no_errexit > 0;
	int status;

	sh->errexit_held += held;
	status = exec_argv(sh, argc, argv,
			   RUN_NO_FUNCTIONS | (d.standard_path ? RUN_DEFAULT_PATH : 0u));
	sh->errexit_held -= held;
	return status;
}

/* --- hash --- */

struct hash_options {
	bool list; /* -l */
	bool clear;
	bool forget;
	bool tell;        /* -t */
	const char *path; /* -p */
};

static int hash_not_found(struct shell *sh, const char *name)
{
	builtin_error(sh, "hash", "%s: not found", name);
	return 1;
}

static void put_reusable(struct shell *sh, struct buf *out, const char *path, const char *name)
{
	buf_puts(out, "builtin hash -p ");
	quote_for_set(sh, out, bytes_of(path));
	buf_printf(out, " %s\n", name);
}

static int hash_show_all(struct shell *sh, const struct hash_options *o)
{
	struct buf out = buf_in(sh->arena);
	struct hash_entry **list;
	size_t n = hash_list(sh, &list);

	if (n == 0 && !o->list && !opt_set(sh, SET_POSIX))
		buf_puts(&out, "hash: hash table empty\n");
	else if (n != 0 && !o->list)
		buf_puts(&out, "hits\tcommand\n");
	for (size_t i = 0; i < n; i++) {
		if (o->list)
			put_reusable(sh, &out, list[i]->path, list[i]->name.ptr);
		else
			buf_printf(&out, "%4d\t%s\n", list[i]->hits, list[i]->path);
	}
	return out_flush(sh, "hash", &out);
}

static int hash_tell(struct shell *sh, const struct hash_options *o, int n, char **names)
{
	struct buf out = buf_in(sh->arena);
	int status = 0;

	for (int i = 0; i < n; i++) {
		struct hash_entry *e = hash_find(sh, bytes_of(names[i]));

		if (e == NULL)
			out_lines(sh, "hash", &out);
		else
			hash_use(sh, e->name);
		if (e == NULL)
			status = hash_not_found(sh, names[i]);
		else if (o->list)
			put_reusable(sh, &out, e->path, names[i]);
		else if (n > 1)
			buf_printf(&out, "%s\t%s\n", names[i], e->path);
		else
			buf_printf(&out, "%s\n", e->path);
	}
	out_flush_unchecked(sh, &out);
	return status;
}

static int hash_put_path(struct shell *sh, const char *path, const char *name)
{
	struct vfs_stat st;

	if (restricted_path(sh, "hash", path))
		return 1;
	if (opt_set(sh, SET_RESTRICTED)) { /* a name: where PATH has it */
		const char *found = find_program(sh, path, var_get_text(sh, "PATH"));

		if (found == NULL || !is_executable(sh, found))
			return hash_not_found(sh, path);
	}
	if (sys_stat(sh->p, AT_FDCWD_, path, 0, &st) == 0 && (st.mode & S_FMT) == S_DIR) {
		builtin_error(sh, "hash", "%s: %s", path, err_text(E_ISDIR));
		return 1;
	}
	hash_put(sh, bytes_of(name), bytes_of(path));
	return 0;
}

/* Searches PATH and remembers. Functions and builtins are not programs. */
static int hash_search(struct shell *sh, const char *name)
{
	struct bytes key = bytes_of(name);

	if (strchr(name, '/') != NULL || function_find(sh, key, name_hash(key)) != NULL ||
	    shell_builtin_find(sh, key) != NULL)
		return 0;
	const char *path = find_program(sh, name, var_get_text(sh, "PATH"));

	if (path == NULL || !is_executable(sh, path))
		return hash_not_found(sh, name);
	hash_put(sh, key, bytes_of(path));
	return 0;
}

static int hash_one(struct shell *sh, const struct hash_options *o, const char *name)
{
	if (o->path != NULL)
		return hash_put_path(sh, o->path, name);
	if (!o->forget)
		return hash_search(sh, name);
	return hash_remove(sh, bytes_of(name)) ? 0 : hash_not_found(sh, name);
}

int do_hash(struct shell *sh, int argc, char **argv)
{
	struct hash_options o = { 0 };
	struct optscan scan = { 0 };
	int status = 0;
	int c;

	if (!opt_set(sh, SET_HASHALL)) {
		builtin_error(sh, "hash", "hashing disabled");
		return 1;
	}
	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "dlp:rt")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		o.list = o.list || c == 'l';
		o.clear = o.clear || c == 'r';
		o.forget = o.forget || c == 'd';
		o.tell = o.tell || c == 't';
		if (c == 'p')
			o.path = scan.value;
	}
	if (scan.index == argc && (o.tell || o.forget)) {
		builtin_error(sh, "hash", "-%c: option requires an argument", o.tell ? 't' : 'd');
		return 1;
	}
	if (o.clear)
		hash_clear(sh);
	if (scan.index == argc)
		return o.clear ? 0 : hash_show_all(sh, &o);
	if (o.tell)
		return hash_tell(sh, &o, argc - scan.index, argv + scan.index);
	for (int i = scan.index; i < argc; i++)
		status = hash_one(sh, &o, argv[i]) != 0 ? 1 : status;
	return status;
}
