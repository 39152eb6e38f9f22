/* SPDX-License-Identifier: MIT
 *
 * git replace: objects that are read in place of others. Not here: --convert-graft-file.
 */
#include "builtins/git/commit.h"

struct replace_opts {
	int mode; /* 'l', 'd', 'g', 'e'; 0 not said */
	bool force, raw;
	const char *format;
};

static int set_mode(struct git *g, struct replace_opts *o, int mode)
{
	if (o->mode != 0 && o->mode != mode) {
		const char *old = o->mode == 'l'   ? "--list"
				  : o->mode == 'd' ? "--delete"
				  : o->mode == 'e' ? "--edit"
						   : "--graft";

		git_error(g, "switch `%c' is incompatible with %s", mode, old);
		git_exit(g, GIT_STATUS_USAGE);
	}
	o->mode = mode;
	return 0;
}
static int set_list(struct git *g, void *o, const char *arg, bool unset)
{
	(void)arg, (void)unset;
	return set_mode(g, o, 'l');
}
static int set_delete(struct git *g, void *o, const char *arg, bool unset)
{
	(void)arg, (void)unset;
	return set_mode(g, o, 'd');
}
static int set_graft(struct git *g, void *o, const char *arg, bool unset)
{
	(void)arg, (void)unset;
	return set_mode(g, o, 'g');
}

static int set_edit(struct git *g, void *o, const char *arg, bool unset)
{
	(void)arg, (void)unset;
	return set_mode(g, o, 'e');
}

static const struct git_option replace_options[] = {
	GIT_CALL('l', "list", set_list),
	GIT_CALL('d', "delete", set_delete),
	GIT_CALL('e', "edit", set_edit),
	GIT_CALL('g', "graft", set_graft),
	GIT_MISSING(0, "convert-graft-file"),
	GIT_FLAG('f', "force", struct replace_opts, force),
	GIT_FLAG(0, "raw", struct replace_opts, raw),
	GIT_STR(0, "format", struct replace_opts, format),
	GIT_END(),
};
static const char *const replace_usage[] = { "git replace [-f] <object> <replacement>",
					     "git replace [-f] --edit <object>",
					     "git replace [-f] --graft <commit> [<parent>...]",
					     "git replace [-f] --convert-graft-file",
					     "git replace -d <object>...",
					     "git replace [--format=<format>] [-l [<pattern>]]",
					     NULL };

static _Noreturn void misuse(struct git *g, const char *what)
{
	git_say(g, "fatal: %s\n\n", what);
	git_usage(g, replace_usage);
}

static char *ref_of(struct git *g, const struct oid *o)
{
	return git_format(g->a, "refs/replace/%s", oid_hex(g, o));
}

static const char *type_text(struct git *g, const struct oid *o)
{
	uint64_t size;

	return object_type_name(object_info(g, o, &size));
}

static int list_all(struct git *g, const struct replace_opts *o, const char *pattern)
{
	static const char prefix[] = "refs/replace/";
	const char *f = o->format != NULL && o->format[0] != '\0' ? o->format : "short";
	bool brief = strcmp(f, "short") == 0;
	bool full = strcmp(f, "long") == 0;
	struct ref *list;
	size_t n;

	if (!brief && !full && strcmp(f, "medium") != 0) {
		git_error(g,
			  "invalid replace format '%s'\n"
			  "valid formats are 'short', 'medium' and 'long'",
			  f);
		return 255;
	}
	n = ref_list(g, prefix, &list);
	for (size_t i = 0; i < n; i++) {
		const char *name = list[i].name + sizeof(prefix) - 1;
		struct oid from;

		if (pattern != NULL && !wild_match(pattern, bytes_of(name), 0))
			continue;
		git_printf(g, "%s", name);
		if (full && oid_parse(name, &from))
			git_printf(g, " (%s) -> %s (%s)", type_text(g, &from),
				   oid_hex(g, &list[i].oid), type_text(g, &list[i].oid));
		else if (!brief)
			git_printf(g, " -> %s", oid_hex(g, &list[i].oid));
		cmd_putc(g->c, '\n');
	}
	return 0;
}

static int delete_all(struct git *g, struct args *args)
{
	int status = 0;

	for (int i = 0; i < args->argc; i++) {
		struct oid o, old;
		char *name;

		if (rev_parse(g, args->argv[i], &o) < 0) {
			status = git_error(g, "failed to resolve '%s' as a valid ref",
					   args->argv[i]);
			continue;
		}
		name = ref_of(g, &o);
		if (ref_read(g, name, &old, NULL) < 0) {
			status = git_error(g, "replace ref '%s' not found", oid_hex(g, &o));
			continue;
		}
		if (ref_delete(g, name))
			git_printf(g, "Deleted replace ref '%s'\n", oid_hex(g, &o));
		else
			status = 1;
	}
	return status;
}

/* from and to: as the user named them. -1 after a message. */
static int replace(struct git *g, const struct replace_opts *o, const char *from,
		   const struct oid *old, const char *to, const struct oid *new_oid)
{
	const char *types[2] = { type_text(g, old), type_text(g, new_oid) };
	char *name = ref_of(g, old);
	struct oid before;
	bool there = ref_read(g, name, &before, NULL) == 0;

	if (!o->force && strcmp(types[0], types[1]) != 0)
		return -git_error(g,
				  "Objects must be of the same type.\n"
				  "'%s' points to a replaced object of type '%s'\n"
				  "while '%s' points to a replacement object of type '%s'.",
				  from, types[0], to, types[1]);
	if (there && !o->force)
		return -git_error(g, "replace ref '%s' already exists", name);
	return ref_update(g, name, new_oid, there ? &before : &oid_null, NULL, true) ? 0 : -1;
}

static int replace_named(struct git *g, const struct replace_opts *o, char **argv)
{
	struct oid oid[2];

	for (int i = 0; i < 2; i++)
		if (rev_parse(g, argv[i], &oid[i]) < 0)
			return -git_error(g, "failed to resolve '%s' as a valid ref", argv[i]);
	return replace(g, o, argv[0], &oid[0], argv[1], &oid[1]);
}

/* The commit's text with other parents. */
static int new_parents(struct git *g, struct bytes text, struct args *args, struct buf *out)
{
	struct bytes line;

	git_line(&text, &line);
	buf_add(out, line);
	buf_putc(out, '\n');
	for (int i = 1; i < args->argc; i++) {
		struct oid o;
		uint64_t size;

		if (rev_parse(g, args->argv[i], &o) < 0)
			return -git_error(g, "not a valid object name: '%s'", args->argv[i]);
		if (object_info(g, &o, &size) != OBJECT_COMMIT) {
			git_error(g, "object %s is a %s, not a commit", oid_hex(g, &o),
				  type_text(g, &o));
			return -git_error(g, "could not parse %s as a commit", args->argv[i]);
		}
		buf_printf(out, "parent %s\n", oid_hex(g, &o));
	}
	while (bytes_starts(text, BYTES("parent ")) && git_line(&text, &line))
		continue;
	buf_add(out, text);
	return 0;
}

static int graft(struct git *g, const struct replace_opts *o, struct args *args)
{
	const char *name = args->argv[0];
	struct oid old, made;
	struct bytes text;
	struct buf b = buf_in(g->a);
	enum object_type type;

	if (rev_parse(g, name, &old) < 0)
		return -git_error(g, "not a valid object name: '%s'", name);
	type = object_read(g, g->a, &old, &text);
	if (type != OBJECT_COMMIT) {
		git_error(g, "object %s is a %s, not a commit", oid_hex(g, &old),
			  object_type_name(type));
		return -git_error(g, "could not parse %s", name);
	}
	if (new_parents(g, text, args, &b) < 0)
		return -1;
	object_write(g, OBJECT_COMMIT, buf_bytes(&b), &made);
	if (oid_eq(&made, &old))
		return -git_error(g, "new commit is the same as the old one: '%s'",
				  oid_hex(g, &old));
	return replace(g, o, name, &old, "replacement", &made);
}

/* --- --edit --- */

struct edited_entry {
	uint32_t mode;
	struct bytes name;
	struct oid oid;
};

static int by_tree_order(const void *a, const void *b)
{
	const struct edited_entry *x = a, *y = b;

	return tree_name_cmp(x->name, x->mode, y->name, y->mode);
}

static void put_tree_text(struct git *g, struct bytes data, struct buf *out)
{
	struct tree_entry e;

	while (tree_next(&data, &e) > 0) {
		const char *type = (e.mode & S_FMT) == S_DIR ? "tree"
				   : e.mode == MODE_GITLINK  ? "commit"
							     : "blob";

		buf_printf(out, "%06o %s %s\t", (unsigned)e.mode, type, oid_hex(g, &e.oid));
		git_quote(g, out, arena_dup(g->a, e.name));
		buf_putc(out, '\n');
		cmd_charge(g->c, 2);
	}
}

/* "100644 blob NAME<tab>path" */
static void parse_entry(struct git *g, struct bytes line, struct edited_entry *e)
{
	char *text = arena_dup(g->keep, line);
	char *tab = strchr(text, '\t'), *hex = NULL;
	const char *name = tab != NULL ? tab + 1 : "";

	e->mode = 0;
	for (const char *p = text; *p >= '0' && *p <= '7' && p < text + 7; p++)
		e->mode = e->mode << 3 | (uint32_t)(*p - '0');
	if (tab != NULL && tab - text > OID_HEX)
		hex = tab - OID_HEX;
	if (hex == NULL || !oid_parse(hex, &e->oid))
		git_die(g, "input format error: %s", text);
	if (name[0] == '"')
		name = git_unquote(g->keep, &name);
	if (name == NULL || strchr(name, '/') != NULL || name[0] == '\0')
		git_die(g, "input format error: %s", text);
	e->name = bytes_of(name);
}

static struct bytes read_tree_text(struct git *g, struct bytes text)
{
	struct edited_entry *list = NULL;
	size_t n = 0, cap = 0;
	struct buf b = buf_in(g->keep);
	struct bytes line;

	while (git_line(&text, &line)) {
		LIST_ROOM(g, list, n, cap);
		parse_entry(g, line, &list[n++]);
		cmd_charge(g->c, 4);
	}
	git_sort(g, list, n, sizeof(*list), by_tree_order);
	for (size_t i = 0; i < n; i++) {
		buf_printf(&b, "%o ", (unsigned)list[i].mode);
		buf_put(&b, list[i].name.ptr, list[i].name.len + 1);
		buf_put(&b, list[i].oid.hash, OID_BYTES);
	}
	return buf_bytes(&b);
}

static int edit(struct git *g, const struct replace_opts *o, const char *name)
{
	char *path = repo_path(g, g->keep, "REPLACE_EDITOBJ");
	struct oid old, made, before;
	struct bytes data = BYTES("");
	struct buf shown = buf_in(g->keep);
	enum object_type type;
	const char *ref;
	bool as_text;

	if (rev_parse(g, name, &old) < 0)
		return -git_error(g, "not a valid object name: '%s'", name);
	ref = ref_of(g, &old);
	if (!o->force && ref_read(g, ref, &before, NULL) == 0)
		return -git_error(g, "replace ref '%s' already exists", ref);
	type = object_read(g, g->keep, &old, &data);
	if (type == OBJECT_NONE)
		return -git_error(g, "unable to get object type for %s", oid_hex(g, &old));
	as_text = type == OBJECT_TREE && !o->raw;
	if (as_text)
		put_tree_text(g, data, &shown);
	else
		buf_add(&shown, data);
	file_write(g, path, buf_bytes(&shown), 0666);
	if (!message_edit(g, path))
		return -git_error(g, "editing object file failed");
	if (file_read(g, g->keep, path, &data) < 0)
		return -git_error(g, "unable to open %s for reading", path);
	if (as_text)
		data = read_tree_text(g, data);
	object_write(g, type, data, &made);
	cmd_unlink(g->c, CMD_CWD, path, 0);
	if (oid_eq(&made, &old))
		return -git_error(g, "new object is the same as the old one: '%s'",
				  oid_hex(g, &old));
	return replace(g, o, name, &old, "replacement", &made);
}

int git_cmd_replace(struct git *g, struct args *args)
{
	struct replace_opts o = { .mode = 0 };
	const struct git_parser p = { replace_options, &o, replace_usage, 0, NULL };
	int status;

	git_parse(g, args, &p);
	if (o.mode == 0)
		o.mode = args->argc != 0 ? 'r' : 'l';
	if (o.format != NULL && o.mode != 'l')
		misuse(g, "--format cannot be used when not listing");
	if (o.force && o.mode != 'r' && o.mode != 'g' && o.mode != 'e')
		misuse(g, "-f only makes sense when writing a replacement");
	if (o.raw && o.mode != 'e')
		misuse(g, "--raw only makes sense with --edit");
	if (o.mode == 'e' && args->argc != 1)
		misuse(g, "-e needs exactly one argument");
	if (o.mode == 'd' && args->argc == 0)
		misuse(g, "-d needs at least one argument");
	if (o.mode == 'd')
		return delete_all(g, args);
	if (o.mode == 'l' && args->argc > 1)
		misuse(g, "only one pattern can be given with -l");
	if (o.mode == 'l')
		return list_all(g, &o, args->argc > 0 ? args->argv[0] : NULL);
	if (o.mode == 'g' && args->argc == 0)
		misuse(g, "-g needs at least one argument");
	if (o.mode == 'e') {
		status = edit(g, &o, args->argv[0]);
	} else if (o.mode == 'g') {
		status = graft(g, &o, args);
	} else {
		if (args->argc != 2)
			misuse(g, "bad number of arguments");
		status = replace_named(g, &o, args->argv);
	}
	return status < 0 ? 255 : 0;
}
