/* SPDX-License-Identifier: MIT
 *
 * git config.
 */
#include "base/regex.h"
#include "builtins/git/worktree.h"

enum action {
	ACT_NONE,
	ACT_GET,
	ACT_GET_ALL,
	ACT_GET_REGEXP,
	ACT_GET_URLMATCH,
	ACT_LIST,
	ACT_ADD,
	ACT_REPLACE_ALL,
	ACT_UNSET,
	ACT_UNSET_ALL,
	ACT_RENAME,
	ACT_REMOVE,
	ACT_EDIT,
	ACT_GET_COLOR,
	ACT_GET_COLORBOOL,
};

struct config_opts {
	bool global, system, local, worktree;
	const char *file;
	const char *blob;
	int action;
	const char *type;
	bool zero, name_only, show_origin, show_scope, includes, no_includes;
	const char *otherwise; /* --default */
	bool fixed;
};

static int type_bool(struct git *g, void *o, const char *a, bool u)
{
	(void)g, (void)a, (void)u;
	((struct config_opts *)o)->type = "bool";
	return 0;
}
static int type_int(struct git *g, void *o, const char *a, bool u)
{
	(void)g, (void)a, (void)u;
	((struct config_opts *)o)->type = "int";
	return 0;
}
static int type_path(struct git *g, void *o, const char *a, bool u)
{
	(void)g, (void)a, (void)u;
	((struct config_opts *)o)->type = "path";
	return 0;
}
static int type_bool_or_int(struct git *g, void *o, const char *a, bool u)
{
	(void)g, (void)a, (void)u;
	((struct config_opts *)o)->type = "bool-or-int";
	return 0;
}

static int type_bool_or_str(struct git *g, void *o, const char *a, bool u)
{
	(void)g, (void)a, (void)u;
	((struct config_opts *)o)->type = "bool-or-str";
	return 0;
}
static int type_expiry_date(struct git *g, void *o, const char *a, bool u)
{
	(void)g, (void)a, (void)u;
	((struct config_opts *)o)->type = "expiry-date";
	return 0;
}

static const struct git_option config_options[] = {
	GIT_FLAG(0, "global", struct config_opts, global),
	GIT_FLAG(0, "system", struct config_opts, system),
	GIT_FLAG(0, "local", struct config_opts, local),
	GIT_FLAG(0, "worktree", struct config_opts, worktree),
	GIT_STR('f', "file", struct config_opts, file),
	GIT_STR(0, "blob", struct config_opts, blob),
	GIT_SET(0, "get", struct config_opts, action, ACT_GET),
	GIT_SET(0, "get-all", struct config_opts, action, ACT_GET_ALL),
	GIT_SET(0, "get-regexp", struct config_opts, action, ACT_GET_REGEXP),
	GIT_SET(0, "get-urlmatch", struct config_opts, action, ACT_GET_URLMATCH),
	GIT_SET(0, "replace-all", struct config_opts, action, ACT_REPLACE_ALL),
	GIT_SET(0, "add", struct config_opts, action, ACT_ADD),
	GIT_SET(0, "unset", struct config_opts, action, ACT_UNSET),
	GIT_SET(0, "unset-all", struct config_opts, action, ACT_UNSET_ALL),
	GIT_SET(0, "rename-section", struct config_opts, action, ACT_RENAME),
	GIT_SET(0, "remove-section", struct config_opts, action, ACT_REMOVE),
	GIT_SET('l', "list", struct config_opts, action, ACT_LIST),
	GIT_FLAG(0, "fixed-value", struct config_opts, fixed),
	GIT_SET('e', "edit", struct config_opts, action, ACT_EDIT),
	GIT_SET(0, "get-color", struct config_opts, action, ACT_GET_COLOR),
	GIT_SET(0, "get-colorbool", struct config_opts, action, ACT_GET_COLORBOOL),
	GIT_STR('t', "type", struct config_opts, type),
	GIT_CALL(0, "bool", type_bool),
	GIT_CALL(0, "int", type_int),
	GIT_CALL(0, "path", type_path),
	GIT_CALL(0, "bool-or-int", type_bool_or_int),
	GIT_CALL(0, "bool-or-str", type_bool_or_str),
	GIT_CALL(0, "expiry-date", type_expiry_date),
	GIT_FLAG('z', "null", struct config_opts, zero),
	GIT_FLAG(0, "name-only", struct config_opts, name_only),
	GIT_FLAG(0, "includes", struct config_opts, includes),
	GIT_FLAG(0, "no-includes", struct config_opts, no_includes),
	GIT_FLAG(0, "show-origin", struct config_opts, show_origin),
	GIT_FLAG(0, "show-scope", struct config_opts, show_scope),
	GIT_STR(0, "default", struct config_opts, otherwise),
	GIT_END(),
};
static const char *const config_usage[] = { "git config [<options>]", NULL };

static char *worktree_file(struct git *g)
{
	struct worktree *list;

	if (g->dir == NULL)
		git_die(g, "--worktree can only be used inside a git repository");
	if (config_bool(g, "extensions.worktreeconfig", false))
		return git_format(g->a, "%s/config.worktree", g->dir);
	if (worktree_list(g, &list) > 1)
		git_die(g, "--worktree cannot be used with multiple working trees unless the "
			   "config\nextension worktreeConfig is enabled. Please read "
			   "\"CONFIGURATION FILE\"\nsection in \"git help worktree\" for details");
	return config_local_path(g);
}

/* The one file that is meant; NULL: all of them. */
static char *one_file(struct git *g, const struct config_opts *o)
{
	const char *system = cmd_getenv(g->c, "GIT_CONFIG_SYSTEM");
	int n = o->global + o->system + o->local + o->worktree + (o->file != NULL) +
		(o->blob != NULL);

	if (n > 1) {
		git_error(g, "only one config file at a time");
		git_usage(g, config_usage);
	}
	if (o->blob != NULL && g->dir == NULL)
		git_die(g, "--blob can only be used inside a git repository");
	if (o->local && g->dir == NULL)
		git_die(g, "--local can only be used inside a git repository");
	if (o->file != NULL)
		return path_join(g->a, g->start, o->file);
	if (o->global) {
		char *path = config_path_global(g);

		if (path == NULL)
			git_die(g, "$HOME not set");
		return path;
	}
	if (o->system)
		return arena_dup(g->a, bytes_of(system != NULL ? system : "/etc/gitconfig"));
	if (o->worktree)
		return worktree_file(g);
	return o->local ? config_local_path(g) : NULL;
}

static const char *expiry_date(struct git *g, const char *key, const char *value)
{
	if (value == NULL)
		git_die(g, "missing value for '%s'", key);
	if (strcmp(value, "never") == 0 || strcmp(value, "false") == 0)
		return "0";
	if (strcmp(value, "now") == 0 || strcmp(value, "all") == 0)
		return "18446744073709551615";
	return git_format(g->a, "%lld", (long long)date_approximate(g, value));
}

static const char *typed(struct git *g, const struct config_opts *o, const char *key,
			 const char *value)
{
	int64_t n;
	int truth;

	if (o->type == NULL)
		return value != NULL ? value : "";
	if (strcmp(o->type, "bool") == 0) {
		truth = config_truth(value);
		if (truth < 0)
			git_die(g, "bad boolean config value '%s' for '%s'", value, key);
		return truth ? "true" : "false";
	}
	if (strcmp(o->type, "int") == 0 || strcmp(o->type, "bool-or-int") == 0) {
		if (value != NULL && config_number(value, &n))
			return git_format(g->a, "%lld", (long long)n);
		if (strcmp(o->type, "bool-or-int") == 0 && config_truth(value) >= 0)
			return config_truth(value) ? "true" : "false";
		git_die(g, "bad numeric config value '%s' for '%s': invalid unit",
			value != NULL ? value : "", key);
	}
	if (strcmp(o->type, "path") == 0)
		return config_expand_path(g, value != NULL ? value : "");
	if (strcmp(o->type, "bool-or-str") == 0)
		return config_truth(value) < 0 ? value : config_truth(value) ? "true" : "false";
	if (strcmp(o->type, "color") == 0)
		return color_text(g, value != NULL ? value : "");
	if (strcmp(o->type, "expiry-date") == 0)
		return expiry_date(g, key, value);
	git_die(g, "unrecognized --type argument, %s", o->type);
}

/* The same as it is written into a file. */
static const char *stored(struct git *g, const struct config_opts *o, const char *key,
			  const char *value)
{
	bool color = o->type != NULL && strcmp(o->type, "color") == 0;

	if (color && color_try(g, value) == NULL)
		git_die(g, "cannot parse color '%s'", value);
	if (color || (o->type != NULL &&
		      (strcmp(o->type, "expiry-date") == 0 || strcmp(o->type, "path") == 0)))
		return value;
	return typed(g, o, key, value);
}

static const char *scope_name(enum config_scope s)
{
	static const char *const names[] = { "system", "global", "local", "worktree", "command" };

	return names[s];
}

static void put_origin(struct git *g, const struct config_opts *o, const struct config_entry *e)
{
	char sep = o->zero ? '\0' : '\t';

	if (o->show_scope)
		git_printf(g, "%s%c", scope_name(e->scope), sep);
	if (!o->show_origin)
		return;
	if (e->file == NULL) {
		git_printf(g, "command line:%c", sep);
		return;
	}
	const char *shown = e->file;
	char *top = g->work != NULL ? git_format(g->a, "%s/", g->work) : NULL;

	if (top != NULL && (e->scope == CONFIG_LOCAL || e->scope == CONFIG_WORKTREE) &&
	    git_starts(shown, top))
		shown += strlen(top);
	git_printf(g, "%s%s%c", o->blob != NULL ? "" : "file:", shown, sep);
}

static void put_entry(struct git *g, const struct config_opts *o, const struct config_entry *e,
		      bool key)
{
	char end = o->zero ? '\0' : '\n';

	put_origin(g, o, e);
	if (key)
		cmd_puts(g->c, e->key);
	if (o->name_only) {
		cmd_putc(g->c, end);
		return;
	}
	if (key && (e->value != NULL || o->type != NULL))
		cmd_putc(g->c, o->zero ? '\n' : o->action == ACT_LIST ? '=' : ' ');
	if (e->value != NULL || o->type != NULL)
		cmd_puts(g->c, typed(g, o, e->key, e->value));
	cmd_putc(g->c, end);
}

static struct regex *compile(struct git *g, const struct config_opts *o, const char *text,
			     bool *negated)
{
	struct regex *re;
	const char *message;

	*negated = text[0] == '!';
	if (regex_compile(g->keep, bytes_of(text + *negated),
			  (o->fixed ? REGEX_FIXED : REGEX_ERE) | g->utf8, &re, &message,
			  NULL) < 0) {
		git_error(g, "invalid pattern: %s", text);
		git_exit(g, 6);
	}
	return re;
}

static int get_values(struct git *g, const struct config_opts *o, const struct config *cf,
		      struct args *args)
{
	struct regex *value_re = NULL;
	struct regex *key_re = NULL;
	bool negated = false, key_negated = false;
	const struct config_entry *last = NULL;
	size_t hits = 0;
	char *key = NULL;

	if (args->argc > 1)
		value_re = compile(g, o, args->argv[1], &negated);
	if (o->action == ACT_GET_REGEXP) {
		key_re = compile(g, o, args->argv[0], &key_negated);
	} else {
		key = config_key(g, g->a, args->argv[0]);
		if (key == NULL)
			return 1;
	}
	for (size_t i = 0; i < cf->n; i++) {
		const struct config_entry *e = &cf->at[i];

		cmd_charge(g->c, 1);
		if (key != NULL ? strcmp(e->key, key) != 0
				: (regex_test(key_re, bytes_of(e->key), 0) == 0) == key_negated)
			continue;
		if (value_re != NULL &&
		    (regex_test(value_re, bytes_of(e->value != NULL ? e->value : ""), 0) == 0) ==
			    negated)
			continue;
		hits++;
		last = e;
		if (o->action == ACT_GET_ALL || o->action == ACT_GET_REGEXP)
			put_entry(g, o, e, o->action == ACT_GET_REGEXP);
	}
	if (hits == 0 && o->otherwise != NULL) {
		git_printf(g, "%s%c", typed(g, o, key, o->otherwise), o->zero ? '\0' : '\n');
		return 0;
	}
	if (hits != 0 && o->action != ACT_GET_ALL && o->action != ACT_GET_REGEXP)
		put_entry(g, o, last, false);
	return hits == 0;
}

/* --get-urlmatch SECTION[.NAME] URL */
static int get_for_url(struct git *g, const struct config_opts *o, const struct config *cf,
		       char **argv)
{
	char *section = arena_dup(g->a, bytes_of(argv[0]));
	char *name = strchr(section, '.');
	const struct config_entry **e;
	size_t n;

	for (char *p = section; *p != '\0'; p++)
		*p = (char)byte_to_lower((unsigned char)*p);
	if (name != NULL)
		*name++ = '\0';
	n = config_for_url(g, cf, section, name, argv[1], &e);
	for (size_t i = 0; i < n; i++) {
		struct config_entry shown = *e[i];

		shown.key = git_format(g->a, "%s.%s", section, strrchr(e[i]->key, '.') + 1);
		put_entry(g, o, &shown, name == NULL);
	}
	return n == 0;
}

/* --blob: false after a message. */
static bool read_blob(struct git *g, const struct config_opts *o, struct config *into)
{
	struct oid oid;
	struct bytes text;

	if (rev_parse(g, o->blob, &oid) < 0) {
		git_error(g, "unable to resolve config blob '%s'", o->blob);
		return false;
	}
	if (object_read(g, g->keep, &oid, &text) != OBJECT_BLOB) {
		git_error(g, "reference '%s' does not point to a blob", o->blob);
		return false;
	}
	return config_add_text(g, into, text, git_format(g->keep, "blob:%s", o->blob),
			       !o->no_includes);
}

static void need_args(struct git *g, struct args *args, int min, int max)
{
	if (args->argc >= min && args->argc <= max)
		return;
	git_error(g,
		  min == max ? "wrong number of arguments, should be %d"
			     : "wrong number of arguments, should be from %d to %d",
		  min, max);
	git_usage(g, config_usage);
}

static const char *write_file(struct git *g, const char *file)
{
	if (file != NULL)
		return file;
	if (g->dir == NULL)
		git_die(g, "not in a git directory");
	return config_local_path(g);
}

static int change(struct git *g, const struct config_opts *o, const char *file, struct args *args)
{
	char **v = args->argv;
	const char *path = write_file(g, file);

	switch (o->action) {
	case ACT_ADD:
		need_args(g, args, 2, 2);
		return config_change(g, path, v[0], stored(g, o, v[0], v[1]), NULL, CONFIG_ADD);
	case ACT_REPLACE_ALL:
		need_args(g, args, 2, 3);
		return config_change(g, path, v[0], stored(g, o, v[0], v[1]),
				     args->argc > 2 ? v[2] : NULL, CONFIG_REPLACE_ALL);
	case ACT_UNSET:
	case ACT_UNSET_ALL:
		need_args(g, args, 1, 2);
		return config_change(g, path, v[0], NULL, args->argc > 1 ? v[1] : NULL,
				     o->action == ACT_UNSET ? CONFIG_UNSET : CONFIG_UNSET_ALL);
	default:
		need_args(g, args, 2, 3);
		return config_change(g, path, v[0], stored(g, o, v[0], v[1]),
				     args->argc > 2 ? v[2] : NULL, CONFIG_SET);
	}
}

static int sections(struct git *g, const struct config_opts *o, const char *file, struct args *args)
{
	bool rename = o->action == ACT_RENAME;

	need_args(g, args, rename ? 2 : 1, rename ? 2 : 1);
	if (config_rename_section(g, write_file(g, file), args->argv[0],
				  rename ? args->argv[1] : NULL) != 0)
		git_die(g, "no such section: %s", args->argv[0]);
	return 0;
}

/* --- colours, editing --- */

static const char *value_in(struct git *g, const struct config *cf, const char *key)
{
	const struct config_entry *e = config_find(g, cf, key);

	return e != NULL ? e->value : NULL;
}

static const char *color_need(struct git *g, const struct config *cf, const char *key,
			      const char *v)
{
	const struct config_entry *e = config_find(g, cf, key);
	const char *color = color_try(g, v);

	if (color == NULL && e != NULL && e->file != NULL)
		git_die(g, "bad config line %d in file %s", e->line,
			e->scope == CONFIG_LOCAL && g->work != NULL ? ".git/config" : e->file);
	if (color == NULL)
		git_die(g, "unable to parse '%s' from command-line config", key);
	return color;
}

static int get_color(struct git *g, const struct config *cf, struct args *args)
{
	char *key = config_key(g, g->a, args->argv[0]);
	const char *v = key != NULL ? value_in(g, cf, key) : NULL;
	const char *color = "";

	if (v != NULL)
		color = color_need(g, cf, key, v);
	if (v == NULL && args->argc > 1 && (color = color_try(g, args->argv[1])) == NULL)
		git_die(g, "unable to parse default color value");
	cmd_puts(g->c, color);
	return 0;
}

/* Whether a slot has colours on a terminal (the second operand, or standard output). */
static int get_colorbool(struct git *g, const struct config *cf, struct args *args)
{
	bool said = args->argc > 1;
	int tty = said ? config_truth(args->argv[1]) : cmd_isatty(g->c, 1);
	char *key = config_key(NULL, g->a, args->argv[0]);
	const char *term = cmd_getenv(g->c, "TERM");
	const char *v = key != NULL ? value_in(g, cf, key) : NULL;
	bool yes;

	if (v == NULL)
		v = value_in(g, cf, "diff.color");
	if (v == NULL)
		v = value_in(g, cf, "color.ui");
	if (v != NULL && strcmp(v, "always") == 0)
		yes = true;
	else if (v != NULL && (strcmp(v, "never") == 0 || config_truth(v) == 0))
		yes = false;
	else
		yes = tty == 1 && term != NULL && strcmp(term, "dumb") != 0;
	if (said)
		git_printf(g, "%s\n", yes ? "true" : "false");
	return said ? 0 : !yes;
}

static int edit(struct git *g, const struct config_opts *o, char *file, struct args *args)
{
	need_args(g, args, 0, 0);
	if (file == NULL && g->dir == NULL)
		git_die(g, "not in a git directory");
	if (file == NULL)
		file = config_local_path(g);
	if (o->global && !file_exists(g, file))
		file_write(g, file,
			   bytes_of("# This is Git's per-user configuration file.\n[user]\n"
				    "# Please adapt and uncomment the following lines:\n"
				    "#\tname = \n#\temail = \n"),
			   0666);
	message_edit(g, file);
	return 0;
}

int git_cmd_config(struct git *g, struct args *args)
{
	struct config_opts o = { .action = ACT_NONE };
	const struct git_parser p = { config_options, &o, config_usage, GIT_STOP_AT_OPERAND, NULL };
	struct config one = { .at = NULL };
	const struct config *cf = g->config;
	char *file;
	bool broken = false;

	git_parse(g, args, &p);
	file = one_file(g, &o);
	if (o.action == ACT_NONE) {
		if (args->argc == 0)
			git_usage(g, config_usage);
		o.action = args->argc == 1 ? ACT_GET : ACT_NONE;
	}
	if (o.blob != NULL && o.action == ACT_EDIT)
		git_die(g, "editing blobs is not supported");
	if (o.blob != NULL &&
	    (o.action == ACT_NONE || (o.action >= ACT_ADD && o.action < ACT_GET_COLOR)))
		git_die(g, "writing config blobs is not supported");
	if (o.action == ACT_RENAME || o.action == ACT_REMOVE)
		return sections(g, &o, file, args);
	if (o.action == ACT_EDIT)
		return edit(g, &o, file, args);
	if (o.action == ACT_NONE || (o.action >= ACT_ADD && o.action < ACT_GET_COLOR))
		return change(g, &o, file, args);
	if (file != NULL) {
		if (o.file != NULL && o.action == ACT_LIST && !file_exists(g, file))
			git_die(g, "unable to read config file '%s': %s", o.file,
				err_text(-E_NOENT));
		config_add_file(g, &one, file,
				o.global                ? CONFIG_GLOBAL
				: o.system              ? CONFIG_SYSTEM
				: o.local || o.worktree ? CONFIG_LOCAL
							: CONFIG_COMMAND,
				o.includes, 0);
		if (o.global && !file_exists(g, file) && o.action == ACT_LIST)
			git_die(g, "unable to read config file '%s': %s", file, err_text(-E_NOENT));
		cf = &one;
	}
	if (o.blob != NULL) {
		broken = !read_blob(g, &o, &one);
		cf = &one;
	}
	if (o.action == ACT_LIST) {
		for (size_t i = 0; i < cf->n; i++)
			put_entry(g, &o, &cf->at[i], true);
		if (broken)
			git_die(g, "error processing config file(s)");
		return 0;
	}
	need_args(g, args, o.action == ACT_GET_URLMATCH ? 2 : 1, 2);
	if (o.action == ACT_GET_COLOR)
		return get_color(g, cf, args);
	if (o.action == ACT_GET_COLORBOOL)
		return get_colorbool(g, cf, args);
	if (broken)
		return 1;
	if (o.action == ACT_GET_URLMATCH)
		return get_for_url(g, &o, cf, args->argv);
	return get_values(g, &o, cf, args);
}
