/* SPDX-License-Identifier: MIT
 *
 * git sparse-checkout: init, list, set, add, reapply, disable. Not here: a sparse index.
 */
#include "builtins/git/sparse.h"
#include "builtins/git/transport.h"

static const char *const sparse_usage[] = {
	"git sparse-checkout (init | list | set | add | reapply | disable) [<options>]", NULL
};

struct sparse_opts {
	int cone; /* 1 yes, -1 no, 0 not said */
	bool skip_checks, from_stdin;
};

static int set_cone(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct sparse_opts *)opts)->cone = unset ? -1 : 1;
	return 0;
}

static int set_index(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts, (void)arg;
	if (!unset)
		git_refuse(g, "a sparse index");
	return 0;
}

static const struct git_option set_options[] = {
	GIT_CALL(0, "cone", set_cone),
	GIT_CALL(0, "sparse-index", set_index),
	GIT_FLAG(0, "skip-checks", struct sparse_opts, skip_checks),
	GIT_FLAG(0, "stdin", struct sparse_opts, from_stdin),
	GIT_END(),
};
static const struct git_option add_options[] = {
	GIT_FLAG(0, "skip-checks", struct sparse_opts, skip_checks),
	GIT_FLAG(0, "stdin", struct sparse_opts, from_stdin),
	GIT_END(),
};
static const struct git_option mode_options[] = {
	GIT_CALL(0, "cone", set_cone),
	GIT_CALL(0, "sparse-index", set_index),
	GIT_END(),
};
static const struct git_option no_options[] = { GIT_END() };

static void parse(struct git *g, struct args *args, const struct git_option *table,
		  const char *usage, struct sparse_opts *o)
{
	const char *lines[2] = { usage, NULL };
	const struct git_parser p = { table, o, lines, 0, NULL };

	git_parse(g, args, &p);
}

/* Switches it on, as directories or patterns. */
static bool choose_mode(struct git *g, const struct sparse_opts *o)
{
	bool cone = o->cone > 0 ||
		    (o->cone == 0 &&
		     (!sparse_is_on(g) || config_bool(g, "core.sparsecheckoutcone", false)));

	sparse_configure(g, true, cone);
	return cone;
}

/* --- patterns written --- */

static void put_dir(struct buf *out, const char *before, const char *name, const char *behind)
{
	buf_puts(out, before);
	for (; *name != '\0'; name++) {
		if (strchr("*?[\\", *name) != NULL)
			buf_putc(out, '\\');
		buf_putc(out, *name);
	}
	buf_puts(out, behind);
}

static void sort_names(struct git *g, struct names *list)
{
	size_t kept = 0;

	git_sort(g, list->at, list->n, sizeof(*list->at), git_name_cmp);
	for (size_t i = 0; i < list->n; i++)
		if (kept == 0 || strcmp(list->at[kept - 1], list->at[i]) != 0)
			list->at[kept++] = list->at[i];
	list->n = kept;
}

/* Whether a directory above is among them. */
static bool has_parent(struct git *g, const struct lookup *dirs, const char *name)
{
	for (const char *p = strchr(name, '/'); p != NULL; p = strchr(p + 1, '/')) {
		cmd_charge(g->c, 1);
		if (lookup_get(dirs, (struct bytes){ name, (size_t)(p - name) }) != NULL)
			return true;
	}
	return false;
}

static void put_cone(struct git *g, struct names *dirs, struct buf *out)
{
	struct lookup *all = lookup_new(g);
	struct names parents = { NULL, 0, 0 };

	sort_names(g, dirs);
	for (size_t i = 0; i < dirs->n; i++)
		*lookup_at(all, bytes_of(dirs->at[i])) = dirs;
	for (size_t i = 0; i < dirs->n; i++) {
		const char *name = dirs->at[i];

		if (has_parent(g, all, name))
			continue;
		for (const char *p = strchr(name, '/'); p != NULL; p = strchr(p + 1, '/'))
			names_add(g, &parents, git_format(g->keep, "%.*s", (int)(p - name), name));
	}
	sort_names(g, &parents);
	buf_puts(out, "/*\n!/*/\n");
	for (size_t i = 0; i < parents.n; i++) {
		put_dir(out, "/", parents.at[i], "/\n");
		put_dir(out, "!/", parents.at[i], "/*/\n");
	}
	for (size_t i = 0; i < dirs->n; i++)
		if (!has_parent(g, all, dirs->at[i]))
			put_dir(out, "/", dirs->at[i], "/\n");
}

/* --- what is given --- */

static char *clean_dir(struct git *g, const char *given, bool from_stdin)
{
	const char *full = given[0] == '/' || from_stdin ? given
							 : path_join(g->a, g->prefix, given);
	char *path;

	while (full[0] == '/')
		full++;
	path = path_normal(g->keep, full);
	if (path == NULL)
		git_die(g, "could not normalize path %s", given);
	if (path[0] != '\0' && path[strlen(path) - 1] == '/')
		path[strlen(path) - 1] = '\0';
	return path;
}

static void check_cone_word(struct git *g, const char *word)
{
	const struct index *x = index_get(g);
	char *path;
	bool found;

	if (word[0] == '/')
		git_die(g, "specify directories rather than patterns (no leading slash)");
	if (word[0] == '!')
		git_die(g, "specify directories rather than patterns.  If your directory starts "
			   "with a '!', pass --skip-checks");
	if (strpbrk(word, "*?[]") != NULL)
		git_die(g, "specify directories rather than patterns.  If your directory really "
			   "has any of '*?[]\\' in it, pass --skip-checks");
	path = clean_dir(g, word, false);
	index_search(x, path, 0, &found);
	if (found)
		git_die(g,
			"'%s' is not a directory; to treat it as a directory anyway, rerun with "
			"--skip-checks",
			path);
}

static void check_words(struct git *g, const struct args *args, const struct sparse_opts *o,
			bool cone)
{
	if (o->skip_checks || args->argc == 0)
		return;
	if (!cone && g->prefix[0] != '\0')
		git_die(g, "please run from the toplevel directory in non-cone mode");
	for (int i = 0; i < args->argc; i++) {
		bool found;

		if (cone) {
			/* All are made paths before one is looked at. */
			for (int k = i; i == 0 && k < args->argc; k++)
				if (args->argv[k][0] != '/')
					clean_dir(g, args->argv[k], false);
			check_cone_word(g, args->argv[i]);
			continue;
		}
		index_search(index_get(g), args->argv[i], 0, &found);
		if (found)
			git_warn(g,
				 "pass a leading slash before paths such as '%s' if you want a "
				 "single file (see NON-CONE PROBLEMS in the git-sparse-checkout "
				 "manual).",
				 args->argv[i]);
	}
}

/* Words of the command line, or lines of standard input. */
static void read_words(struct git *g, const struct args *args, const struct sparse_opts *o,
		       bool cone, struct names *out)
{
	struct bytes text, line;

	for (int i = 0; i < args->argc && !o->from_stdin; i++)
		names_add(g, out, cone ? clean_dir(g, args->argv[i], false) : args->argv[i]);
	if (!o->from_stdin)
		return;
	text = file_stdin(g);
	while (git_line(&text, &line)) {
		const char *word = arena_dup(g->keep, line);
		const char *at = word;
		const char *plain = cone && word[0] == '"' ? git_unquote(g->keep, &at) : word;

		if (plain == NULL)
			git_die(g, "unable to unquote C-style string '%s'", word);
		if (plain[0] != '\0')
			names_add(g, out, cone ? clean_dir(g, plain, true) : plain);
	}
}

static void write_patterns(struct git *g, struct bytes text)
{
	char *path = sparse_file(g);

	file_make_parents(g, path);
	file_write_locked(g, path, text);
	sparse_forget(g);
	sparse_apply(g, false);
}

static int modify(struct git *g, const struct args *args, const struct sparse_opts *o, bool cone,
		  bool add)
{
	struct names words = { NULL, 0, 0 };
	struct cone old = { .dirs = { NULL, 0, 0 } };
	struct buf out = buf_in(g->keep);
	struct bytes before = BYTES("");

	if (add)
		file_read(g, g->keep, sparse_file(g), &before);
	read_words(g, args, o, cone, &words);
	if (cone) {
		if (!cone_parse(g, before, &old, true))
			git_die(g, "existing sparse-checkout patterns do not use cone mode");
		for (size_t i = 0; i < words.n; i++)
			if (words.at[i][0] != '\0')
				names_add(g, &old.dirs, words.at[i]);
		put_cone(g, &old.dirs, &out);
	} else {
		buf_add(&out, before);
		for (size_t i = 0; i < words.n; i++)
			buf_printf(&out, "%s\n", words.at[i]);
	}
	write_patterns(g, buf_bytes(&out));
	return 0;
}

/* --- the subcommands --- */

static int run_set(struct git *g, struct args *args)
{
	struct sparse_opts o = { .cone = 0 };
	char all[] = "/*", none[] = "!/*/";
	char *usual[] = { all, none, NULL };
	bool cone;

	parse(g, args, set_options,
	      "git sparse-checkout set [--[no-]cone] [--[no-]sparse-index] [--skip-checks] "
	      "(--stdin | <patterns>)",
	      &o);
	cone = choose_mode(g, &o);
	if (!cone && !o.from_stdin && args->argc == 0)
		*args = (struct args){ 2, usual, -1 };
	else
		check_words(g, args, &o, cone);
	return modify(g, args, &o, cone, false);
}

static int run_add(struct git *g, struct args *args)
{
	struct sparse_opts o = { .cone = 0 };
	bool cone;

	if (!sparse_is_on(g))
		git_die(g, "no sparse-checkout to add to");
	parse(g, args, add_options,
	      "git sparse-checkout add [--skip-checks] (--stdin | <patterns>)", &o);
	cone = config_bool(g, "core.sparsecheckoutcone", false);
	check_words(g, args, &o, cone);
	return modify(g, args, &o, cone, true);
}

static int run_init(struct git *g, struct args *args)
{
	struct sparse_opts o = { .cone = 0 };
	struct oid head;

	parse(g, args, mode_options, "git sparse-checkout init [--cone] [--[no-]sparse-index]", &o);
	choose_mode(g, &o);
	if (file_exists(g, sparse_file(g))) {
		sparse_apply(g, false);
		return 0;
	}
	if (head_oid(g, &head)) {
		write_patterns(g, BYTES("/*\n!/*/\n"));
		return 0;
	}
	file_make_parents(g, sparse_file(g));
	file_write(g, sparse_file(g), BYTES("/*\n!/*/\n"), 0666);
	return 0;
}

static int run_list(struct git *g, struct args *args)
{
	struct sparse_opts o = { .cone = 0 };
	struct cone cone = { .dirs = { NULL, 0, 0 } };
	struct bytes text;

	if (!sparse_is_on(g))
		git_die(g, "this worktree is not sparse");
	parse(g, args, no_options, "git sparse-checkout list", &o);
	if (file_read(g, g->keep, sparse_file(g), &text) < 0) {
		git_warn(g, "this worktree is not sparse (sparse-checkout file may not exist)");
		return 0;
	}
	if (!sparse_is_cone(g)) {
		cmd_bytes(g->c, text);
		return 0;
	}
	cone_parse(g, text, &cone, false);
	sort_names(g, &cone.dirs);
	for (size_t i = 0; i < cone.dirs.n; i++)
		git_printf(g, "%s\n", git_quoted(g, cone.dirs.at[i]));
	return 0;
}

static int run_reapply(struct git *g, struct args *args)
{
	struct sparse_opts o = { .cone = 0 };

	if (!sparse_is_on(g))
		git_die(g, "must be in a sparse-checkout to reapply sparsity patterns");
	parse(g, args, mode_options,
	      "git sparse-checkout reapply [--[no-]cone] "
	      "[--[no-]sparse-index]",
	      &o);
	choose_mode(g, &o);
	sparse_apply(g, false);
	return 0;
}

static int run_disable(struct git *g, struct args *args)
{
	struct sparse_opts o = { .cone = 0 };

	parse(g, args, no_options, "git sparse-checkout disable", &o);
	sparse_configure(g, true, true);
	sparse_apply(g, true);
	sparse_configure(g, false, false);
	return 0;
}

int git_cmd_sparse_checkout(struct git *g, struct args *args)
{
	static const struct git_action actions[] = {
		{ "list", run_list }, { "init", run_init },       { "set", run_set },
		{ "add", run_add },   { "reapply", run_reapply }, { "disable", run_disable },
		{ NULL, NULL },
	};

	return git_run_action(g, args, actions, sparse_usage);
}
