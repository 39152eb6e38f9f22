/* SPDX-License-Identifier: MIT
 *
 * git tag, for-each-ref, show-ref, symbolic-ref, update-ref, pack-refs, check-ref-format.
 */
#include "builtins/git/branch.h"
#include "builtins/git/columns.h"
#include "builtins/git/commit.h"
#include "builtins/git/ref_format.h"
#include "builtins/git/status.h"

/* --- filters --- */

struct ref_filter {
	struct names contains, no_contains, merged, no_merged, points_at;
};

static bool passes(struct git *g, const struct ref_filter *f, const struct ref *r)
{
	for (size_t i = 0; i < f->points_at.n; i++) {
		struct oid o, peeled;

		if (rev_parse(g, f->points_at.at[i], &o) < 0) {
			git_error(g, "malformed object name '%s'", f->points_at.at[i]);
			git_exit(g, GIT_STATUS_USAGE);
		}
		if (!oid_eq(&o, &r->oid) &&
		    !(object_peel(g, &r->oid, OBJECT_NONE, &peeled) && oid_eq(&o, &peeled)))
			return false;
	}
	return ref_filter_commits(g, &f->contains, &r->oid, "contains") &&
	       ref_filter_commits(g, &f->no_contains, &r->oid, "no-contains") &&
	       ref_filter_commits(g, &f->merged, &r->oid, "merged") &&
	       ref_filter_commits(g, &f->no_merged, &r->oid, "no-merged");
}

/* --- for-each-ref --- */

struct each_opts {
	struct ref_filter f;
	const char *format;
	struct names sort;
	int count;
	bool icase;
	int quote; /* enum ref_quote */
	/* tag */
	bool list, annotate, sign, delete, verify, force, quiet, create_reflog, edit;
	struct names messages;
	const char *file;
	const char *cleanup;
	int lines;
	bool has_lines;
};

static const struct git_option each_options[] = {
	GIT_STR(0, "format", struct each_opts, format),
	GIT_LIST(0, "sort", struct each_opts, sort),
	GIT_INT(0, "count", struct each_opts, count),
	GIT_LIST(0, "points-at", struct each_opts, f.points_at),
	GIT_LIST_HEAD("contains", struct each_opts, f.contains),
	GIT_LIST_HEAD("no-contains", struct each_opts, f.no_contains),
	GIT_LIST_HEAD("merged", struct each_opts, f.merged),
	GIT_LIST_HEAD("no-merged", struct each_opts, f.no_merged),
	GIT_FLAG(0, "ignore-case", struct each_opts, icase),
	GIT_SET('s', "shell", struct each_opts, quote, REF_QUOTE_SHELL),
	GIT_SET('p', "perl", struct each_opts, quote, REF_QUOTE_PERL),
	GIT_SET(0, "python", struct each_opts, quote, REF_QUOTE_PYTHON),
	GIT_SET(0, "tcl", struct each_opts, quote, REF_QUOTE_TCL),
	GIT_CALL_MAYBE(0, "color", git_opt_color),
	GIT_END(),
};
static const char *const each_usage[] = { "git for-each-ref [<options>] [<pattern>]", NULL };

static bool pattern_takes(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);

	if (n > 0 && strncmp(name, pattern, n) == 0 &&
	    (name[n] == '\0' || name[n] == '/' || pattern[n - 1] == '/'))
		return true;
	return wild_match(pattern, bytes_of(name), WILD_PATHNAME);
}

int git_cmd_for_each_ref(struct git *g, struct args *args)
{
	struct each_opts o = { .count = 0 };
	const struct git_parser p = { each_options, &o, each_usage, 0, NULL };
	struct ref *list;
	size_t n, kept = 0;

	git_parse(g, args, &p);
	n = ref_list(g, "refs/", &list);
	for (size_t i = 0; i < n; i++) {
		bool hit = args->argc == 0;

		for (int j = 0; j < args->argc && !hit; j++)
			hit = pattern_takes(args->argv[j], list[i].name);
		if (hit && !list[i].broken && passes(g, &o.f, &list[i]))
			list[kept++] = list[i];
	}
	if (o.sort.n == 0 && o.icase)
		names_add(g, &o.sort, "refname");
	ref_sort(g, list, kept, &o.sort, o.icase);
	for (size_t i = 0; i < kept && (o.count == 0 || i < (size_t)o.count); i++)
		ref_put_format(
			g, o.format != NULL ? o.format : "%(objectname) %(objecttype)\t%(refname)",
			(enum ref_quote)o.quote, list[i].name, &list[i].oid, list[i].target);
	return 0;
}

/* --- tag --- */

static int tag_lines(struct git *g, void *opts, const char *arg, bool unset)
{
	struct each_opts *o = opts;
	int64_t n = 1;

	(void)unset;
	if (arg != NULL && !git_number(arg, &n))
		git_die(g, "switch `n' expects a numerical value");
	o->lines = (int)n;
	o->has_lines = true;
	return 0;
}

static const struct git_option tag_options[] = {
	GIT_FLAG('l', "list", struct each_opts, list),
	GIT_CALL_MAYBE('n', NULL, tag_lines),
	GIT_FLAG('d', "delete", struct each_opts, delete),
	GIT_MISSING('v', "verify"),
	GIT_FLAG('a', "annotate", struct each_opts, annotate),
	GIT_LIST('m', "message", struct each_opts, messages),
	GIT_STR('F', "file", struct each_opts, file),
	GIT_FLAG('e', "edit", struct each_opts, edit),
	GIT_MISSING('s', "sign"),
	GIT_STR(0, "cleanup", struct each_opts, cleanup),
	GIT_MISSING_ARG('u', "local-user"),
	GIT_FLAG('f', "force", struct each_opts, force),
	GIT_FLAG(0, "create-reflog", struct each_opts, create_reflog),
	GIT_CALL_MAYBE(0, "column", git_opt_columns),
	GIT_LIST_HEAD("contains", struct each_opts, f.contains),
	GIT_LIST_HEAD("no-contains", struct each_opts, f.no_contains),
	GIT_LIST_HEAD("merged", struct each_opts, f.merged),
	GIT_LIST_HEAD("no-merged", struct each_opts, f.no_merged),
	GIT_LIST_HEAD("points-at", struct each_opts, f.points_at),
	GIT_LIST(0, "sort", struct each_opts, sort),
	GIT_STR(0, "format", struct each_opts, format),
	GIT_FLAG('i', "ignore-case", struct each_opts, icase),
	GIT_CALL_MAYBE(0, "color", git_opt_color),
	GIT_END(),
};
static const char *const tag_usage[] = {
	"git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e]\n"
	"        <tagname> [<commit> | <object>]",
	"git tag -d <tagname>...",
	"git tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>]\n"
	"        [--points-at <object>] [--column[=<options>] | --no-column]\n"
	"        [--create-reflog] [--sort=<key>] [--format=<format>]\n"
	"        [--merged <commit>] [--no-merged <commit>] [<pattern>...]",
	"git tag -v [--format=<format>] <tagname>...", NULL
};

static void put_tag_lines(struct git *g, const struct ref *r, int lines)
{
	struct bytes data;
	enum object_type type = object_read(g, g->a, &r->oid, &data);
	struct commit_text t;
	struct bytes m, line;
	int n = 0;
	struct buf out = buf_in(g->a);

	buf_printf(&out, "%-15s ", r->name + 10);
	if (type == OBJECT_COMMIT || type == OBJECT_TAG) {
		commit_split(data, &t);
		m = t.message;
		while (m.len != 0 && m.ptr[0] == '\n')
			m = bytes_slice(m, 1, m.len);
		for (; n < lines && git_line(&m, &line); n++) {
			if (n > 0)
				buf_puts(&out, "\n    ");
			buf_add(&out, line);
		}
	}
	buf_putc(&out, '\n');
	cmd_bytes(g->c, buf_bytes(&out));
}

static int list_tags(struct git *g, struct each_opts *o, struct args *args)
{
	struct ref *list;
	size_t n = ref_list(g, "refs/tags/", &list);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		bool hit = args->argc == 0;

		for (int j = 0; j < args->argc && !hit; j++)
			hit = wild_match(args->argv[j], bytes_of(list[i].name + 10),
					 o->icase ? WILD_ICASE : 0);
		if (hit && !list[i].broken && passes(g, &o->f, &list[i]))
			list[kept++] = list[i];
	}
	if (o->sort.n == 0 && config_get(g, "tag.sort") != NULL)
		names_add(g, &o->sort, config_get(g, "tag.sort"));
	if (o->sort.n == 0 && o->icase)
		names_add(g, &o->sort, "refname");
	ref_sort(g, list, kept, &o->sort, o->icase);
	struct names cells = { NULL, 0, 0 };
	struct columns columns;

	columns_settle(g, "tag", &columns);
	columns.padding = 2;
	if (o->has_lines && g->columns != NULL && columns_active(g, &columns))
		git_die(g, "options '%s' and '%s' cannot be used together", "--column", "-n");
	for (size_t i = 0; i < kept; i++) {
		if (o->format != NULL)
			ref_put_format(g, o->format, REF_QUOTE_NONE, list[i].name, &list[i].oid,
				       list[i].target);
		else if (o->has_lines && o->lines > 0)
			put_tag_lines(g, &list[i], o->lines);
		else if (columns_active(g, &columns))
			names_add(g, &cells, list[i].name + 10);
		else
			git_printf(g, "%s\n", list[i].name + 10);
	}
	columns_put(g, &columns, &cells);
	return 0;
}

static int delete_tags(struct git *g, struct args *args)
{
	int status = 0;

	for (int i = 0; i < args->argc; i++) {
		char *full = git_format(g->a, "refs/tags/%s", args->argv[i]);
		struct oid o;

		if (ref_read(g, full, &o, NULL) < 0) {
			status = git_error(g, "tag '%s' not found.", args->argv[i]);
			continue;
		}
		ref_delete(g, full);
		git_printf(g, "Deleted tag '%s' (was %s)\n", args->argv[i], oid_short(g, &o, 0));
	}
	return status;
}

static struct bytes tag_message(struct git *g, struct each_opts *o, const char *name)
{
	struct buf b = buf_in(g->a);
	struct bytes text;
	char *path;

	if (o->messages.n != 0) {
		for (size_t i = 0; i < o->messages.n; i++)
			buf_printf(&b, "%s%s\n", i > 0 ? "\n" : "", o->messages.at[i]);
		return message_clean(g, buf_bytes(&b), true);
	}
	if (o->file != NULL) {
		if (strcmp(o->file, "-") == 0)
			text = file_stdin(g);
		else if (file_read(g, g->a, path_join(g->a, g->start, o->file), &text) < 0)
			git_die_errno(g, -E_NOENT, "could not open or read '%s'", o->file);
		return message_clean(g, text, true);
	}
	path = repo_path(g, g->a, "TAG_EDITMSG");
	buf_printf(&b,
		   "\n#\n# Write a message for tag:\n#   %s\n# Lines starting with '#' will be "
		   "ignored.\n",
		   name);
	if (file_write(g, path, buf_bytes(&b), 0666) < 0 || !message_edit(g, path)) {
		git_say(g, "Please supply the message using either -m or -F option.\n");
		git_exit(g, 1);
	}
	if (file_read(g, g->a, path, &text) < 0)
		git_die(g, "could not read tag message");
	text = message_clean(g, text, true);
	if (text.len == 0)
		git_die(g, "no tag message?");
	return text;
}

int git_cmd_tag(struct git *g, struct args *args)
{
	struct each_opts o = { .count = 0 };
	const struct git_parser p = { tag_options, &o, tag_usage, 0, NULL };
	struct oid oid, old;
	char *full;
	const char *what;
	bool exists, annotated;
	uint64_t size;

	git_parse(g, args, &p);
	annotated = o.annotate || o.messages.n != 0 || o.file != NULL;
	if (o.delete)
		return delete_tags(g, args);
	if (o.list || args->argc == 0 || o.has_lines ||
	    o.f.contains.n + o.f.no_contains.n + o.f.merged.n + o.f.no_merged.n + o.f.points_at.n !=
		    0)
		return list_tags(g, &o, args);
	if (args->argc > 2)
		git_die(g, "too many arguments");
	what = args->argc == 2 ? args->argv[1] : "HEAD";
	if (rev_parse(g, what, &oid) < 0)
		git_die(g, "Failed to resolve '%s' as a valid ref.", what);
	full = git_format(g->a, "refs/tags/%s", args->argv[0]);
	if (args->argv[0][0] == '-' || !ref_name_valid(full))
		git_die(g, "'%s' is not a valid tag name.", args->argv[0]);
	exists = ref_read(g, full, &old, NULL) == 0;
	if (exists && !o.force)
		git_die(g, "tag '%s' already exists", args->argv[0]);
	if (annotated) {
		struct buf b = buf_in(g->a);
		struct bytes m;

		if (object_info(g, &oid, &size) == OBJECT_TAG)
			git_hint(g, "nestedTag",
				 "You have created a nested tag. The object referred to by your "
				 "new tag is\nalready a tag. If you meant to tag the object that "
				 "it points to, use:\n\n\tgit tag -f %s %s^{}\n"
				 "Disable this message with \"git config advice.nestedTag "
				 "false\"\n",
				 args->argv[0], what);
		m = tag_message(g, &o, args->argv[0]);

		buf_printf(&b, "object %s\ntype %s\ntag %s\ntagger %s\n\n", oid_hex(g, &oid),
			   object_type_name(object_info(g, &oid, &size)), args->argv[0],
			   ident_committer(g));
		buf_add(&b, m);
		object_write(g, OBJECT_TAG, buf_bytes(&b), &oid);
	}
	ref_update(g, full, &oid, NULL, NULL, true);
	if (exists && o.force && !oid_eq(&old, &oid))
		git_printf(g, "Updated tag '%s' (was %s)\n", args->argv[0], oid_short(g, &old, 0));
	return 0;
}

/* --- show-ref --- */

struct show_opts {
	bool heads, tags, verify, head, dereference, quiet, hash;
	const char *hash_length;
	const char *exclude;
};

static int set_hash(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)unset;
	((struct show_opts *)opts)->hash = true;
	((struct show_opts *)opts)->hash_length = arg;
	return 0;
}

static const struct git_option show_options[] = {
	GIT_FLAG(0, "tags", struct show_opts, tags),
	GIT_FLAG(0, "heads", struct show_opts, heads),
	GIT_FLAG(0, "verify", struct show_opts, verify),
	GIT_FLAG(0, "head", struct show_opts, head),
	GIT_FLAG('d', "dereference", struct show_opts, dereference),
	GIT_CALL_MAYBE('s', "hash", set_hash),
	GIT_MISSING(0, "abbrev"),
	GIT_FLAG('q', "quiet", struct show_opts, quiet),
	GIT_MISSING(0, "exclude-existing"),
	GIT_END(),
};
static const char *const show_usage[] = {
	"git show-ref [-q | --quiet] [--verify] [--head] [-d | --dereference]\n"
	"             [-s | --hash[=<n>]] [--abbrev[=<n>]] [--tags]\n"
	"             [--heads] [--] [<pattern>...]",
	NULL
};

static void show_one(struct git *g, const struct show_opts *o, const char *name,
		     const struct oid *oid)
{
	struct oid peeled;
	int64_t n = OID_HEX;

	if (o->quiet)
		return;
	if (o->hash_length != NULL && git_number(o->hash_length, &n))
		n = n < 4 ? 4 : n > OID_HEX ? OID_HEX : n;
	const char *hex = n == OID_HEX ? oid_hex(g, oid) : oid_short(g, oid, (int)n);

	if (o->hash)
		git_printf(g, "%s\n", hex);
	else
		git_printf(g, "%s %s\n", hex, name);
	if (!o->dereference || !object_peel(g, oid, OBJECT_NONE, &peeled) || oid_eq(&peeled, oid))
		return;
	git_printf(g, "%s %s^{}\n", oid_hex(g, &peeled), name);
}

static bool tail_matches(const char *name, const char *pattern)
{
	size_t n = strlen(name), m = strlen(pattern);

	return n >= m && strcmp(name + n - m, pattern) == 0 && (n == m || name[n - m - 1] == '/');
}

int git_cmd_show_ref(struct git *g, struct args *args)
{
	struct show_opts o = { .heads = false };
	const struct git_parser p = { show_options, &o, show_usage, 0, NULL };
	struct ref *list;
	struct oid oid;
	size_t n, shown = 0;

	git_parse(g, args, &p);
	if (o.verify) {
		if (args->argc == 0)
			git_die(g, "--verify requires a reference");
		for (int i = 0; i < args->argc; i++) {
			bool ok = (git_starts(args->argv[i], "refs/") ||
				   strcmp(args->argv[i], "HEAD") == 0) &&
				  ref_read(g, args->argv[i], &oid, NULL) == 0;

			if (!ok && o.quiet)
				return 1;
			if (!ok)
				git_die(g, "'%s' - not a valid ref", args->argv[i]);
			show_one(g, &o, args->argv[i], &oid);
		}
		return 0;
	}
	if (o.head && head_oid(g, &oid)) {
		show_one(g, &o, "HEAD", &oid);
		shown++;
	}
	n = ref_list(g, "refs/", &list);
	for (size_t i = 0; i < n; i++) {
		bool hit = args->argc == 0;

		if ((o.heads || o.tags) && !(o.heads && git_starts(list[i].name, "refs/heads/")) &&
		    !(o.tags && git_starts(list[i].name, "refs/tags/")))
			continue;
		for (int j = 0; j < args->argc && !hit; j++)
			hit = tail_matches(list[i].name, args->argv[j]);
		if (!hit || list[i].broken)
			continue;
		show_one(g, &o, list[i].name, &list[i].oid);
		shown++;
	}
	return shown == 0;
}

/* --- symbolic-ref, update-ref, pack-refs, check-ref-format --- */

struct plain_opts {
	bool quiet, brief, delete, no_deref, all, prune, stdin_mode, branch, allow_one, normalize,
		zero, create_reflog, recurse;
	const char *message;
};

static const struct git_option symbolic_options[] = {
	GIT_FLAG('q', "quiet", struct plain_opts, quiet),
	GIT_FLAG('d', "delete", struct plain_opts, delete),
	GIT_FLAG(0, "short", struct plain_opts, brief),
	GIT_FLAG(0, "recurse", struct plain_opts, recurse),
	GIT_STR('m', NULL, struct plain_opts, message),
	GIT_END(),
};
static const char *const symbolic_usage[] = {
	"git symbolic-ref [-m <reason>] <name> <ref>",
	"git symbolic-ref [-q] [--short] [--no-recurse] <name>",
	"git symbolic-ref --delete [-q] <name>", NULL
};

int git_cmd_symbolic_ref(struct git *g, struct args *args)
{
	struct plain_opts o = { .recurse = true };
	const struct git_parser p = { symbolic_options, &o, symbolic_usage, 0, NULL };
	char *target;

	git_parse(g, args, &p);
	if (args->argc < 1 || args->argc > 2)
		git_usage(g, symbolic_usage);
	if (args->argc == 2) {
		if (strcmp(args->argv[0], "HEAD") == 0 && !git_starts(args->argv[1], "refs/"))
			git_die(g, "Refusing to point HEAD outside of refs/");
		if (!ref_name_valid(args->argv[1]))
			git_die(g, "Refusing to set '%s' to invalid ref '%s'", args->argv[0],
				args->argv[1]);
		ref_set_symbolic(g, args->argv[0], args->argv[1],
				 o.message != NULL ? o.message : "");
		return 0;
	}
	target = ref_symbolic(g, args->argv[0]);
	if (target == NULL) {
		if (o.quiet)
			return 1;
		if (o.delete)
			git_die(g, "Cannot delete %s, not a symbolic ref", args->argv[0]);
		git_die(g, "ref %s is not a symbolic ref", args->argv[0]);
	}
	if (o.delete) {
		if (strcmp(args->argv[0], "HEAD") == 0)
			git_die(g, "deleting '%s' is not allowed", args->argv[0]);
		ref_delete(g, args->argv[0]);
		return 0;
	}
	git_printf(g, "%s\n", o.brief ? ref_shorten(g, target) : target);
	return 0;
}

static const struct git_option update_options[] = {
	GIT_STR('m', NULL, struct plain_opts, message),
	GIT_FLAG('d', NULL, struct plain_opts, delete),
	GIT_FLAG(0, "no-deref", struct plain_opts, no_deref),
	GIT_FLAG('z', NULL, struct plain_opts, zero),
	GIT_FLAG(0, "stdin", struct plain_opts, stdin_mode),
	GIT_FLAG(0, "create-reflog", struct plain_opts, create_reflog),
	GIT_END(),
};
static const char *const update_usage[] = {
	"git update-ref [<options>] -d <refname> [<old-val>]",
	"git update-ref [<options>]    <refname> <new-val> [<old-val>]",
	"git update-ref [<options>] --stdin [-z]", NULL
};

static void need_oid(struct git *g, const char *text, struct oid *out)
{
	if (text[0] == '\0')
		*out = oid_null;
	else if (rev_parse(g, text, out) < 0)
		git_die(g, "%s: not a valid SHA1", text);
}

int git_cmd_update_ref(struct git *g, struct args *args)
{
	struct plain_opts o = { .quiet = false };
	const struct git_parser p = { update_options, &o, update_usage, 0, NULL };
	struct oid new_oid, old, is;
	int at;

	git_parse(g, args, &p);
	if (o.stdin_mode)
		return update_refs_stdin(g, o.zero, o.no_deref, o.message);
	at = o.delete ? 1 : 2;
	if (args->argc < at || args->argc > at + 1)
		git_usage(g, update_usage);
	if (o.message != NULL && o.message[0] == '\0')
		git_die(g, "Refusing to perform update with empty message.");
	if (!git_starts(args->argv[0], "refs/")
		    ? strchr(args->argv[0], '/') != NULL || !ref_name_valid(args->argv[0])
		    : !ref_name_valid(args->argv[0]))
		git_die(g,
			"update_ref failed for ref '%s': refusing to update ref with bad name '%s'",
			args->argv[0], args->argv[0]);
	if (args->argc > at)
		need_oid(g, args->argv[at], &old);
	if (o.delete) {
		if (ref_read(g, args->argv[0], &is, NULL) < 0)
			return args->argc <= at
				       ? 0
				       : git_error(g,
						   "cannot lock ref '%s': unable to resolve "
						   "reference '%s'",
						   args->argv[0], args->argv[0]);
		if (args->argc > at && !oid_eq(&is, &old))
			return git_error(g, "cannot lock ref '%s': is at %s but expected %s",
					 args->argv[0], oid_hex(g, &is), oid_hex(g, &old));
		ref_delete_logged(g, args->argv[0], o.message != NULL ? o.message : "", o.no_deref);
		return 0;
	}
	need_oid(g, args->argv[1], &new_oid);
	if (oid_is_null(&new_oid)) {
		ref_delete_logged(g, args->argv[0], o.message != NULL ? o.message : "", o.no_deref);
		return 0;
	}
	if (!object_exists(g, &new_oid))
		git_die(g,
			"update_ref failed for ref '%s': cannot update ref '%s': trying to write "
			"ref "
			"'%s' with nonexistent object %s",
			args->argv[0], args->argv[0], args->argv[0], oid_hex(g, &new_oid));
	if (args->argc > at) {
		bool there = ref_read(g, args->argv[0], &is, NULL) == 0;

		if (there != !oid_is_null(&old) || (there && !oid_eq(&is, &old)))
			git_die(g, "update_ref failed for ref '%s': cannot lock ref '%s': %s",
				args->argv[0], args->argv[0],
				!there ? git_format(g->a, "unable to resolve reference '%s'",
						    args->argv[0])
				: oid_is_null(&old)
					? "reference already exists"
					: git_format(g->a, "is at %s but expected %s",
						     oid_hex(g, &is), oid_hex(g, &old)));
	}
	if (o.create_reflog)
		reflog_create(g, args->argv[0]);
	ref_update(g, args->argv[0], &new_oid, NULL, o.message != NULL ? o.message : "",
		   o.no_deref);
	return 0;
}

static const struct git_option pack_options[] = {
	GIT_FLAG(0, "all", struct plain_opts, all),
	GIT_FLAG(0, "prune", struct plain_opts, prune),
	GIT_END(),
};
static const char *const pack_usage[] = { "git pack-refs [--all] [--no-prune]", NULL };

int git_cmd_pack_refs(struct git *g, struct args *args)
{
	struct plain_opts o = { .prune = true };
	const struct git_parser p = { pack_options, &o, pack_usage, 0, NULL };

	git_parse(g, args, &p);
	ref_pack_all(g, o.all, o.prune);
	return 0;
}

static const char *const format_usage[] = {
	"git check-ref-format [--normalize] [<options>] <refname>",
	"git check-ref-format --branch <branchname-shorthand>", NULL
};

/* Without slashes in front, and one where several stand. */
static char *ref_name_normal(struct git *g, const char *name)
{
	struct buf b = buf_in(g->a);

	for (const char *p = name; *p != '\0'; p++)
		if (*p != '/' || (b.len != 0 && b.ptr[b.len - 1] != '/'))
			buf_putc(&b, *p);
	return buf_cstr(&b);
}

int git_cmd_check_ref_format(struct git *g, struct args *args)
{
	bool one = false, normalize = false, pattern = false;
	const char *name, *star;

	if (args->argc == 2 && strcmp(args->argv[0], "--branch") == 0) {
		name = args->argv[1];
		if (g->dir != NULL)
			name = branch_name(g, name, "heads");
		if (!ref_branch_valid(name))
			git_die(g, "'%s' is not a valid branch name", name);
		git_printf(g, "%s\n", name);
		return 0;
	}
	for (; args->argc > 1; args->argc--, args->argv++) {
		const char *arg = args->argv[0];

		if (strcmp(arg, "--allow-onelevel") == 0)
			one = true;
		else if (strcmp(arg, "--no-allow-onelevel") == 0)
			one = false;
		else if (strcmp(arg, "--normalize") == 0 || strcmp(arg, "--print") == 0)
			normalize = true;
		else if (strcmp(arg, "--refspec-pattern") == 0)
			pattern = true;
		else
			git_usage(g, format_usage);
	}
	if (args->argc != 1)
		git_usage(g, format_usage);
	name = normalize ? ref_name_normal(g, args->argv[0]) : args->argv[0];
	star = pattern ? strchr(name, '*') : NULL;
	if (star != NULL)
		/* One star, anywhere, stands for some name. */
		name = git_format(g->a, "%.*sx%s", (int)(star - name), name, star + 1);
	if (!ref_name_valid(name) || (!one && strchr(name, '/') == NULL))
		return 1;
	if (normalize)
		git_printf(g, "%s\n", ref_name_normal(g, args->argv[0]));
	return 0;
}
