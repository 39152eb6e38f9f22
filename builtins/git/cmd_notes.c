/* SPDX-License-Identifier: MIT
 *
 * git notes: list, add, copy, append, edit, show, remove, prune, get-ref.
 */
#include "builtins/git/notes.h"

struct notes_opts {
	bool force, allow_empty, ignore_missing, dry_run, verbose, from_stdin;
	struct buf message;
	bool given, edit;
	const char *rewrite; /* --for-rewrite */
	const char *ref;
};

static const char *const notes_usage[] = {
	"git notes [--ref <notes-ref>] [list [<object>]]",
	"git notes [--ref <notes-ref>] add [-f] [--allow-empty] [-m <msg> | -F <file> | (-c | -C) "
	"<object>] [<object>]",
	"git notes [--ref <notes-ref>] copy [-f] <from-object> <to-object>",
	"git notes [--ref <notes-ref>] append [--allow-empty] [-m <msg> | -F <file> | (-c | -C) "
	"<object>] [<object>]",
	"git notes [--ref <notes-ref>] edit [--allow-empty] [<object>]",
	"git notes [--ref <notes-ref>] show [<object>]",
	"git notes [--ref <notes-ref>] merge [-v | -q] [-s <strategy>] <notes-ref>",
	"git notes [--ref <notes-ref>] remove [<object>...]",
	"git notes [--ref <notes-ref>] prune [-n] [-v]",
	"git notes [--ref <notes-ref>] get-ref",
	NULL
};

/* --- messages --- */

static void begin_part(struct git *g, struct notes_opts *o)
{
	if (!o->given)
		o->message = buf_in(g->keep);
	if (o->message.len != 0)
		buf_putc(&o->message, '\n');
	o->given = true;
}

static int add_message(struct git *g, void *opts, const char *arg, bool unset)
{
	struct notes_opts *o = opts;

	(void)unset;
	begin_part(g, o);
	buf_add(&o->message, message_clean(g, bytes_of(arg), false));
	return 0;
}

static int add_file(struct git *g, void *opts, const char *arg, bool unset)
{
	struct notes_opts *o = opts;
	struct bytes text;
	int err = 0;

	(void)unset;
	begin_part(g, o);
	if (strcmp(arg, "-") == 0)
		text = file_stdin(g);
	else
		err = file_read(g, g->keep, path_join(g->a, g->start, arg), &text);
	if (err < 0)
		git_die_errno(g, err, "could not open or read '%s'", arg);
	buf_add(&o->message, message_clean(g, text, false));
	return 0;
}

static int add_object(struct git *g, void *opts, const char *arg, bool unset)
{
	struct notes_opts *o = opts;
	struct oid oid;
	struct bytes text;

	(void)unset;
	begin_part(g, o);
	if (rev_parse(g, arg, &oid) < 0)
		git_die(g, "failed to resolve '%s' as a valid ref.", arg);
	if (object_read(g, g->keep, &oid, &text) != OBJECT_BLOB)
		git_die(g, "cannot read note data from non-blob object '%s'.", arg);
	buf_add(&o->message, text);
	return 0;
}

static int edit_object(struct git *g, void *opts, const char *arg, bool unset)
{
	((struct notes_opts *)opts)->edit = true;
	return add_object(g, opts, arg, unset);
}

static const struct git_option notes_options[] = {
	GIT_CALL_ARG('m', "message", add_message),
	GIT_CALL_ARG('F', "file", add_file),
	GIT_CALL_ARG('c', "reedit-message", edit_object),
	GIT_CALL_ARG('C', "reuse-message", add_object),
	GIT_FLAG(0, "allow-empty", struct notes_opts, allow_empty),
	GIT_FLAG('f', "force", struct notes_opts, force),
	GIT_FLAG(0, "ignore-missing", struct notes_opts, ignore_missing),
	GIT_FLAG(0, "stdin", struct notes_opts, from_stdin),
	GIT_STR(0, "for-rewrite", struct notes_opts, rewrite),
	GIT_FLAG('n', "dry-run", struct notes_opts, dry_run),
	GIT_FLAG('v', "verbose", struct notes_opts, verbose),
	GIT_END(),
};

/* What the editor gets: the note, and the object as comments. */
static char *editor_text(struct git *g, struct bytes note, const struct oid *on)
{
	struct buf b = buf_in(g->keep);
	struct bytes shown = { "", 0 }, line;

	buf_add(&b, note);
	buf_puts(&b, "\n#\n# Write/edit the notes for the following object:\n#\n");
	git_filter(g, g->a, git_format(g->a, "git show --stat --no-notes %s", oid_hex(g, on)),
		   BYTES(""), &shown);
	while (git_line(&shown, &line))
		buf_printf(&b, "#%s%.*s\n", line.len != 0 ? " " : "", (int)line.len, line.ptr);
	return buf_cstr(&b);
}

static struct bytes edited(struct git *g, struct bytes note, const struct oid *on)
{
	char *path = repo_path(g, g->keep, "NOTES_EDITMSG");
	struct bytes text;

	file_write(g, path, bytes_of(editor_text(g, note, on)), 0666);
	if (!message_edit(g, path))
		git_die(g, "please supply the note contents using either -m or -F option");
	if (file_read(g, g->keep, path, &text) < 0)
		git_die(g, "could not read '%s'", path);
	cmd_unlink(g->c, CMD_CWD, path, 0);
	return message_clean(g, text, true);
}

/* --- the subcommands --- */

static void find(struct git *g, const char *name, struct oid *out)
{
	if (rev_parse(g, name, out) < 0)
		git_die(g, "failed to resolve '%s' as a valid ref.", name);
}

static int list(struct git *g, struct notes *ns, struct args *args)
{
	struct oid o;
	struct note *n;

	if (args->argc == 0) {
		for (size_t i = 0; i < ns->n; i++)
			git_printf(g, "%s %s\n", oid_hex(g, &ns->at[i].blob),
				   oid_hex(g, &ns->at[i].on));
		return 0;
	}
	find(g, args->argv[0], &o);
	n = notes_find(ns, &o);
	if (n == NULL)
		return git_error(g, "no note found for object %s.", oid_hex(g, &o));
	git_printf(g, "%s\n", oid_hex(g, &n->blob));
	return 0;
}

static int show(struct git *g, struct notes *ns, const char *name)
{
	struct oid o;
	struct note *n;

	find(g, name, &o);
	n = notes_find(ns, &o);
	if (n == NULL)
		return git_error(g, "no note found for object %s.", oid_hex(g, &o));
	cmd_bytes(g->c, object_need(g, g->a, &n->blob, OBJECT_BLOB));
	return 0;
}

/* Stores text as the note; an empty one removes it. */
static void put(struct git *g, struct notes *ns, const struct notes_opts *o, const struct oid *on,
		struct bytes text, const char *how)
{
	struct oid blob;

	if (text.len == 0 && !o->allow_empty) {
		git_say(g, "Removing note for object %s\n", oid_hex(g, on));
		notes_set(g, ns, on, NULL);
		notes_save(g, ns, git_format(g->a, "Notes removed by 'git notes %s'", how));
		return;
	}
	object_write(g, OBJECT_BLOB, text, &blob);
	notes_set(g, ns, on, &blob);
	notes_save(g, ns, git_format(g->a, "Notes added by 'git notes %s'", how));
}

static int add(struct git *g, struct notes *ns, struct notes_opts *o, const char *name)
{
	struct oid on;
	struct note *old;
	struct bytes text = { "", 0 };

	find(g, name, &on);
	old = notes_find(ns, &on);
	if (old != NULL && !o->force && o->given)
		return git_error(
			g,
			"Cannot add notes. Found existing notes for object %s. Use '-f' to "
			"overwrite existing notes",
			oid_hex(g, &on));
	if (old != NULL && o->force)
		git_say(g, "Overwriting existing notes for object %s\n", oid_hex(g, &on));
	if (o->given)
		text = buf_bytes(&o->message);
	else if (old != NULL)
		text = object_need(g, g->keep, &old->blob, OBJECT_BLOB);
	if (!o->given || o->edit)
		text = edited(g, text, &on);
	put(g, ns, o, &on, text, old != NULL && !o->given ? "edit" : "add");
	return 0;
}

static int append(struct git *g, struct notes *ns, struct notes_opts *o, const char *name,
		  bool edit)
{
	struct oid on;
	struct note *old;
	struct buf b = buf_in(g->keep);
	struct bytes text = { "", 0 }, before = { "", 0 };

	find(g, name, &on);
	old = notes_find(ns, &on);
	if (old != NULL)
		before = object_need(g, g->keep, &old->blob, OBJECT_BLOB);
	if (o->given)
		text = buf_bytes(&o->message);
	if (!o->given || o->edit)
		text = edited(g, edit ? before : text, &on);
	if (!edit && before.len != 0) {
		buf_add(&b, before);
		if (text.len != 0)
			buf_putc(&b, '\n');
	}
	buf_add(&b, text);
	put(g, ns, o, &on, (struct bytes){ buf_cstr(&b), b.len }, edit ? "edit" : "append");
	return 0;
}

static const char *const copy_usage[] = { "git notes copy [<options>] <from-object> <to-object>",
					  "git notes copy --stdin [<from-object> <to-object>]...",
					  NULL };

/* How notes come to commits that were rewritten: by configuration and GIT_NOTES_REWRITE_MODE. */
static const char *rewrite_mode(struct git *g)
{
	const char *v = cmd_getenv(g->c, "GIT_NOTES_REWRITE_MODE");

	v = v != NULL ? v : config_get(g, "notes.rewritemode");
	return v != NULL ? v : "concatenate";
}

/* A pair of lines; false: there was no place for it. */
static bool copy_pair(struct git *g, struct notes *ns, const struct oid *from, const struct oid *to,
		      const char *mode)
{
	const struct note *n = notes_find(ns, from), *there = notes_find(ns, to);
	struct oid blob;

	if (n == NULL)
		return true;
	if (there != NULL && mode == NULL)
		return false;
	if (there != NULL && strcmp(mode, "ignore") == 0)
		return true;
	if (there != NULL && strcmp(mode, "overwrite") != 0)
		notes_join(g, &there->blob, &n->blob, &blob);
	else
		blob = n->blob;
	notes_set(g, ns, to, &blob);
	return true;
}

static struct bytes word_of(struct bytes *line)
{
	struct bytes word = { line->ptr, 0 };

	while (word.len < line->len && line->ptr[word.len] != ' ')
		word.len++;
	*line = bytes_slice(*line, word.len + (word.len < line->len), line->len);
	return word;
}

/* Whether something was copied. */
static bool copy_text(struct git *g, struct notes *ns, const struct notes_opts *o,
		      struct bytes text, int *status)
{
	const char *mode = o->rewrite != NULL ? rewrite_mode(g) : o->force ? "overwrite" : NULL;
	struct bytes line;
	bool any = false;

	while (git_line(&text, &line)) {
		struct arena_mark mark = arena_mark(g->a);
		struct bytes whole = line, word[2];
		struct oid oid[2];

		word[0] = word_of(&line);
		word[1] = word_of(&line);
		if (word[1].len == 0)
			git_die(g, "malformed input line: '%.*s'.", (int)whole.len, whole.ptr);
		for (int i = 0; i < 2; i++)
			find(g, arena_dup(g->a, word[i]), &oid[i]);
		if (copy_pair(g, ns, &oid[0], &oid[1], mode))
			any = true;
		else
			*status = git_error(g, "failed to copy notes from '%.*s' to '%.*s'",
					    (int)word[0].len, word[0].ptr, (int)word[1].len,
					    word[1].ptr);
		arena_release(g->a, mark);
		cmd_charge(g->c, 8);
	}
	return any;
}

/* The references whose notes follow commits that are rewritten by the command. */
static void rewrite_refs(struct git *g, const char *command, struct names *out)
{
	const char *given = cmd_getenv(g->c, "GIT_NOTES_REWRITE_REF");

	if (!config_bool(g, git_format(g->a, "notes.rewrite.%s", command), true))
		return;
	for (; given != NULL && *given != '\0'; given += strspn(given, ":")) {
		size_t n = strcspn(given, ":");

		names_add(g, out, git_format(g->keep, "%.*s", (int)n, given));
		given += n;
	}
	for (size_t i = 0; out->n == 0 && i < g->config->n; i++)
		if (strcmp(g->config->at[i].key, "notes.rewriteref") == 0 &&
		    g->config->at[i].value != NULL)
			names_add(g, out, g->config->at[i].value);
}

static int copy_lines(struct git *g, struct notes *ns, struct notes_opts *o)
{
	struct names refs = { NULL, 0, 0 };
	struct bytes text;
	int status = 0;

	if (o->rewrite == NULL) {
		text = file_stdin(g);
		if (copy_text(g, ns, o, text, &status))
			notes_save(g, ns, "Notes added by 'git notes copy'");
		return status;
	}
	rewrite_refs(g, o->rewrite, &refs);
	text = refs.n != 0 ? file_stdin(g) : BYTES("");
	for (size_t i = 0; i < refs.n; i++) {
		struct notes one;

		notes_load(g, refs.at[i], &one);
		if (copy_text(g, &one, o, text, &status))
			notes_save(g, &one, "Notes added by 'git notes copy'");
	}
	return status;
}

static int copy(struct git *g, struct notes *ns, struct notes_opts *o, struct args *args)
{
	struct oid from, to;
	struct note *n;

	if (o->from_stdin || o->rewrite != NULL) {
		if (args->argc > 0) {
			git_error(g, "too many arguments");
			git_usage(g, copy_usage);
		}
		return copy_lines(g, ns, o);
	}
	if (args->argc == 0) {
		git_error(g, "too few arguments");
		git_usage(g, notes_usage);
	}
	find(g, args->argv[0], &from);
	find(g, args->argc > 1 ? args->argv[1] : "HEAD", &to);
	if (notes_find(ns, &to) != NULL) {
		if (!o->force)
			return git_error(g,
					 "Cannot copy notes. Found existing notes for object %s. "
					 "Use '-f' to overwrite existing notes",
					 oid_hex(g, &to));
		git_say(g, "Overwriting existing notes for object %s\n", oid_hex(g, &to));
	}
	n = notes_find(ns, &from);
	if (n == NULL)
		return git_error(g, "missing notes on source object %s. Cannot copy.",
				 oid_hex(g, &from));
	struct oid blob = n->blob;

	notes_set(g, ns, &to, &blob);
	notes_save(g, ns, "Notes added by 'git notes copy'");
	return 0;
}

static int remove_one(struct git *g, struct notes *ns, const struct notes_opts *o, const char *name,
		      bool *any)
{
	struct oid on;

	if (rev_parse(g, name, &on) < 0)
		return git_error(g, "Failed to resolve '%s' as a valid ref.", name);
	if (notes_find(ns, &on) == NULL) {
		git_say(g, "Object %s has no note\n", name);
		return o->ignore_missing ? 0 : 1;
	}
	git_say(g, "Removing note for object %s\n", name);
	notes_set(g, ns, &on, NULL);
	*any = true;
	return 0;
}

static int remove_notes(struct git *g, struct notes *ns, struct notes_opts *o, struct args *args)
{
	struct bytes text = BYTES(""), line;
	bool any = false;
	int status = 0;

	if (args->argc == 0 && !o->from_stdin)
		status = remove_one(g, ns, o, "HEAD", &any);
	for (int i = 0; i < args->argc; i++)
		status |= remove_one(g, ns, o, args->argv[i], &any);
	if (o->from_stdin)
		text = file_stdin(g);
	while (git_line(&text, &line))
		status |= remove_one(g, ns, o, arena_dup(g->keep, bytes_trim_end(line)), &any);
	if (status == 0 && any)
		notes_save(g, ns, "Notes removed by 'git notes remove'");
	return status;
}

static int prune(struct git *g, struct notes *ns, const struct notes_opts *o)
{
	bool any = false;

	for (size_t i = ns->n; i > 0; i--) {
		struct oid on = ns->at[i - 1].on;

		cmd_charge(g->c, 1);
		if (object_exists(g, &on))
			continue;
		if (o->dry_run || o->verbose)
			git_printf(g, "%s\n", oid_hex(g, &on));
		notes_set(g, ns, &on, NULL);
		any = true;
	}
	if (any && !o->dry_run)
		notes_save(g, ns, "Notes removed by 'git notes prune'");
	return 0;
}

/* "--ref x" in front of the subcommand. */
static const char *take_ref(struct args *args)
{
	const char *ref = NULL;

	while (args->argc > 0 && git_starts(args->argv[0], "--ref")) {
		int used = args->argv[0][5] == '=' ? 1 : 2;

		if (args->argc < used)
			break;
		ref = used == 1 ? args->argv[0] + 6 : args->argv[1];
		args->argv += used;
		args->argc -= used;
	}
	return ref;
}

int git_cmd_notes(struct git *g, struct args *args)
{
	struct notes_opts o = { .ref = NULL };
	const struct git_parser p = { notes_options, &o, notes_usage, 0, NULL };
	struct notes ns;
	const char *what = "list";
	const char *name;

	o.ref = take_ref(args);
	if (args->argc > 0 && args->argv[0][0] != '-') {
		what = args->argv[0];
		args->argv++;
		args->argc--;
	}
	if (strcmp(what, "merge") == 0)
		return notes_merge(g, notes_ref(g, o.ref), args);
	git_parse(g, args, &p);
	name = args->argc > 0 ? args->argv[0] : "HEAD";
	if (args->argc > (strcmp(what, "copy") == 0 ? 2 : strcmp(what, "remove") == 0 ? 1000 : 1)) {
		git_error(g, "too many arguments");
		git_usage(g, notes_usage);
	}
	o.ref = notes_ref(g, o.ref);
	if (strcmp(what, "get-ref") == 0) {
		git_printf(g, "%s\n", o.ref);
		return 0;
	}
	notes_load(g, o.ref, &ns);
	if (strcmp(what, "list") == 0)
		return list(g, &ns, args);
	if (strcmp(what, "show") == 0)
		return show(g, &ns, name);
	if (strcmp(what, "add") == 0)
		return add(g, &ns, &o, name);
	if (strcmp(what, "append") == 0 || strcmp(what, "edit") == 0)
		return append(g, &ns, &o, name, what[0] == 'e');
	if (strcmp(what, "copy") == 0)
		return copy(g, &ns, &o, args);
	if (strcmp(what, "remove") == 0)
		return remove_notes(g, &ns, &o, args);
	if (strcmp(what, "prune") == 0)
		return prune(g, &ns, &o);
	git_error(g, "unknown subcommand: `%s'", what);
	git_usage(g, notes_usage);
}
