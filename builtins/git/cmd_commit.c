/* SPDX-License-Identifier: MIT
 *
 * git commit.
 */
#include "builtins/git/commit.h"
#include "builtins/git/menu.h"
#include "builtins/git/patch_mode.h"
#include "builtins/git/rerere.h"
#include "builtins/git/status.h"
#include "builtins/git/trailer.h"

struct commit_opts {
	bool interactive;
	struct status_opts status;
	bool all, amend, dry_run, quiet, no_verify, allow_empty, allow_empty_message, signoff,
		reset_author, only, include, no_post_rewrite, patch;
	int edit; /* 1 --edit, -1 --no-edit */
	struct names messages;
	struct names trailers;
	const char *file;
	const char *author;
	const char *date;
	const char *reuse;
	const char *reedit;
	const char *fixup;
	const char *squash;
	const char *template;
	const char *cleanup;
	bool no_status;
	struct pathspec_file from;
};

static int set_edit(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct commit_opts *)opts)->edit = unset ? -1 : 1;
	return 0;
}

static int set_verify(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct commit_opts *)opts)->no_verify = unset;
	return 0;
}

static int commit_untracked(struct git *g, void *opts, const char *arg, bool unset)
{
	return status_set_untracked(g, &((struct commit_opts *)opts)->status, arg, unset);
}

static int dry_short(struct git *g, void *opts, const char *arg, bool unset)
{
	struct commit_opts *o = opts;

	o->dry_run = true;
	return status_set_short(g, &o->status, arg, unset);
}

static int dry_long(struct git *g, void *opts, const char *arg, bool unset)
{
	struct commit_opts *o = opts;

	o->dry_run = true;
	return status_set_long(g, &o->status, arg, unset);
}

static int set_status(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct commit_opts *)opts)->no_status = unset;
	return 0;
}

static int dry_porcelain(struct git *g, void *opts, const char *arg, bool unset)
{
	struct commit_opts *o = opts;

	o->dry_run = true;
	return status_set_porcelain(g, &o->status, arg, unset);
}

static const struct git_option commit_options[] = {
	GIT_FLAG('q', "quiet", struct commit_opts, quiet),
	GIT_COUNT('v', "verbose", struct commit_opts, status.verbose),
	GIT_STR('F', "file", struct commit_opts, file),
	GIT_STR(0, "author", struct commit_opts, author),
	GIT_STR(0, "date", struct commit_opts, date),
	GIT_LIST('m', "message", struct commit_opts, messages),
	GIT_STR('c', "reedit-message", struct commit_opts, reedit),
	GIT_STR('C', "reuse-message", struct commit_opts, reuse),
	GIT_STR(0, "fixup", struct commit_opts, fixup),
	GIT_STR(0, "squash", struct commit_opts, squash),
	GIT_FLAG(0, "reset-author", struct commit_opts, reset_author),
	GIT_LIST(0, "trailer", struct commit_opts, trailers),
	GIT_FLAG('s', "signoff", struct commit_opts, signoff),
	GIT_STR('t', "template", struct commit_opts, template),
	GIT_CALL('e', "edit", set_edit),
	GIT_PATHSPEC_FILE(struct commit_opts, from),
	GIT_STR(0, "cleanup", struct commit_opts, cleanup),
	GIT_FLAG('a', "all", struct commit_opts, all),
	GIT_FLAG('i', "include", struct commit_opts, include),
	GIT_FLAG(0, "interactive", struct commit_opts, interactive),
	GIT_FLAG('p', "patch", struct commit_opts, patch),
	GIT_MISSING_ARG('S', "gpg-sign"),
	GIT_FLAG('o', "only", struct commit_opts, only),
	GIT_FLAG('n', "no-verify", struct commit_opts, no_verify),
	GIT_CALL(0, "verify", set_verify),
	GIT_FLAG(0, "dry-run", struct commit_opts, dry_run),
	GIT_CALL(0, "short", dry_short),
	GIT_CALL(0, "long", dry_long),
	GIT_FLAG(0, "branch", struct commit_opts, status.branch),
	GIT_CALL_MAYBE(0, "porcelain", dry_porcelain),
	GIT_FLAG('z', "null", struct commit_opts, status.zero),
	GIT_FLAG(0, "amend", struct commit_opts, amend),
	GIT_CALL_MAYBE('u', "untracked-files", commit_untracked),
	GIT_FLAG(0, "allow-empty", struct commit_opts, allow_empty),
	GIT_FLAG(0, "allow-empty-message", struct commit_opts, allow_empty_message),
	GIT_FLAG(0, "no-post-rewrite", struct commit_opts, no_post_rewrite),
	GIT_CALL(0, "no-gpg-sign", git_opt_taken),
	GIT_CALL(0, "status", set_status),
	GIT_END(),
};
static const char *const commit_usage[] = {
	"git commit [-a | --interactive | --patch] [-s] [-v] [-u<mode>] [--amend]\n"
	"           [--dry-run] [(-c | -C | --squash) <commit> | --fixup "
	"[(amend|reword):]<commit>)]\n"
	"           [-F <file> | -m <msg>] [--reset-author] [--allow-empty]\n"
	"           [--allow-empty-message] [--no-verify] [-e] [--author=<author>]\n"
	"           [--date=<date>] [--cleanup=<mode>] [--[no-]status]\n"
	"           [-i | -o] [--pathspec-from-file=<file> [--pathspec-file-nul]]\n"
	"           [(--trailer <token>[(=|:)<value>])...] [-S[<keyid>]]\n"
	"           [--] [<pathspec>...]",
	NULL
};

struct committing {
	struct git *g;
	struct commit_opts o;
	struct index *x;
	struct oid head;
	bool has_head;
	bool merging;
	bool picking;
	struct commit_text old; /* of --amend, -C */
	const char *named;      /* -C, -c: that commit as given */
	bool has_old;
	bool has_template;
	struct bytes template;
	struct buf message;
	bool edit;
	enum cleanup cleanup;
	const char *author;
	const char *commented;    /* what the editor shows below */
	struct commit_index held; /* what is added for this commit */
};

/* With paths: HEAD with those files; the real index gets them too. */
static void prepare_index(struct committing *cm, struct args *args)
{
	struct git *g = cm->g;
	struct pathspec ps;
	struct index *x = index_get(g);

	cm->x = x;
	pathspec_of(g, args->argv, args->argc, &ps);
	if (cm->o.all && args->argc != 0)
		git_die(g, "paths '%s ...' with -a does not make sense", args->argv[0]);
	if (cm->o.all || cm->o.include) {
		stage_tracked(g, x, &ps);
		return;
	}
	bool reword = cm->o.fixup != NULL && git_starts(cm->o.fixup, "reword:");

	if (args->argc == 0 && !reword && !cm->o.only)
		return;
	/* Without paths nothing of the index is taken. */
	reword = reword || args->argc == 0;
	if (cm->merging)
		git_die(g, "cannot do a partial commit during a merge.");
	if (cm->picking)
		git_die(g, "cannot do a partial commit during a %s.",
			file_exists(g, repo_path(g, g->a, "rebase-merge")) ? "rebase"
									   : "cherry-pick");
	for (size_t i = 0; i < x->n; i++)
		pathspec_match(g, &ps, x->at[i].path, false);
	struct oid tree;
	struct leaves l = { NULL, 0, 0 };

	if (cm->has_head && tree_of(g, &cm->head, &tree))
		tree_flatten(g, g->keep, &tree, &l);
	for (size_t i = 0; i < l.n; i++)
		pathspec_match(g, &ps, l.at[i].path, false);
	for (size_t i = 0; i < ps.n; i++)
		if (!ps.at[i].seen && !ps.at[i].exclude) {
			git_error(g, "pathspec '%s' did not match any file(s) known to git",
				  ps.at[i].original);
			git_exit(g, 1);
		}
	if (!reword) {
		stage_tracked(g, x, &ps);
		stage_dropped(g, x, &ps, &l);
	}
	/* What goes into the commit: HEAD's files, and those of the paths. */
	struct index *partial = index_new(g);

	for (size_t i = 0; i < l.n; i++)
		if (reword || !pathspec_match(g, &ps, l.at[i].path, false))
			index_put(partial, l.at[i].path, l.at[i].mode, &l.at[i].oid);
	for (size_t i = 0; i < x->n; i++)
		if (!reword && pathspec_match(g, &ps, x->at[i].path, false))
			*index_put(partial, x->at[i].path, x->at[i].mode, &x->at[i].oid) = x->at[i];
	cm->x = partial;
}

/* --- the message --- */

static void take_old(struct committing *cm, const char *name)
{
	struct git *g = cm->g;
	struct oid o;

	if (rev_commit(g, name, &o) < 0)
		git_die(g, "could not lookup commit %s", name);
	commit_text(g, g->keep, &o, &cm->old);
	cm->has_old = true;
}

static void add_squash(struct committing *cm, const char *name, const char *prefix)
{
	struct git *g = cm->g;
	struct oid o;
	struct commit_text t;

	if (rev_commit(g, name, &o) < 0)
		git_die(g, "could not lookup commit %s", name);
	commit_text(g, g->a, &o, &t);
	buf_puts(&cm->message, prefix);
	buf_add(&cm->message, message_subject(g->a, t.message));
	buf_putc(&cm->message, '\n');
}

static void add_messages(struct committing *cm)
{
	for (size_t i = 0; i < cm->o.messages.n; i++) {
		if (cm->message.len != 0)
			buf_putc(&cm->message, '\n');
		buf_puts(&cm->message, cm->o.messages.at[i]);
		if (cm->message.len == 0 || cm->message.ptr[cm->message.len - 1] != '\n')
			buf_putc(&cm->message, '\n');
	}
}

static void read_message_file(struct committing *cm)
{
	struct git *g = cm->g;
	struct bytes text;
	int err;

	if (strcmp(cm->o.file, "-") == 0) {
		buf_add(&cm->message, file_stdin(g));
		return;
	}
	err = file_read(g, g->keep, path_join(g->a, g->start, cm->o.file), &text);
	if (err < 0)
		git_die_errno(g, err, "could not read log file '%s'", cm->o.file);
	buf_add(&cm->message, text);
}

/* The commit of "amend:X" or "reword:X"; NULL: a plain fixup. */
static const char *fixup_amends(const char *text)
{
	if (git_starts(text, "amend:"))
		return text + strlen("amend:");
	return git_starts(text, "reword:") ? text + strlen("reword:") : NULL;
}

/* "amend! subject", then the message that will take the other's place. */
static void add_amend(struct committing *cm, const char *name)
{
	struct git *g = cm->g;
	struct oid o;
	struct commit_text t;
	struct bytes subject;

	if (rev_commit(g, name, &o) < 0)
		git_die(g, "could not lookup commit %s", name);
	commit_text(g, g->keep, &o, &t);
	subject = message_subject(g->a, t.message);
	buf_puts(&cm->message, "amend! ");
	buf_add(&cm->message, subject);
	buf_puts(&cm->message, "\n\n");
	/* The line "amend! ..." of another one is not kept. */
	buf_add(&cm->message,
		bytes_starts(subject, BYTES("amend! ")) ? message_body(t.message) : t.message);
}

/* Whether an editor will be asked for. */
static bool wants_editor(const struct commit_opts *o)
{
	bool amends = o->fixup != NULL && fixup_amends(o->fixup) != NULL;

	if (o->edit != 0)
		return o->edit > 0;
	return (o->fixup == NULL || amends) && o->messages.n == 0 && o->file == NULL &&
	       o->reuse == NULL;
}

static void read_template(struct committing *cm)
{
	struct git *g = cm->g;
	const char *configured = config_get(g, "commit.template");
	const char *given = cm->o.template;
	const char *name = configured != NULL ? config_expand_path(g, configured) : NULL;
	int err;

	if (given != NULL)
		name = given[0] == '/' ? given : git_format(g->a, "%s%s", g->prefix, given);
	if (name == NULL)
		return;
	err = file_read(g, g->keep, name, &cm->template);
	if (err < 0)
		git_die_errno(g, err, "could not read '%s'", name);
	cm->has_template = true;
	buf_add(&cm->message, cm->template);
}

static void collect_message(struct committing *cm)
{
	struct git *g = cm->g;
	const struct commit_opts *o = &cm->o;
	char *merge_msg = state_read(g, "MERGE_MSG");
	char *squash_msg = state_read(g, "SQUASH_MSG");
	bool amends = o->fixup != NULL && fixup_amends(o->fixup) != NULL;

	cm->message = buf_in(g->keep);
	if (o->squash != NULL && cm->named != NULL && strcmp(cm->named, o->squash) == 0) {
		buf_puts(&cm->message, "squash! "); /* its own message follows */
	} else if (o->squash != NULL) {
		add_squash(cm, o->squash, "squash! ");
		buf_putc(&cm->message, '\n');
	}
	if (o->fixup != NULL && !amends) {
		add_squash(cm, o->fixup, "fixup! ");
		add_messages(cm);
	} else if (amends) {
		add_amend(cm, fixup_amends(o->fixup));
	} else if (o->messages.n != 0) {
		add_messages(cm);
	} else if (o->file != NULL) {
		read_message_file(cm);
	} else if (cm->has_old) {
		buf_add(&cm->message, cm->old.message);
	} else if (merge_msg != NULL) {
		if (squash_msg != NULL)
			buf_puts(&cm->message, squash_msg);
		buf_puts(&cm->message, merge_msg);
	} else if (squash_msg != NULL) {
		buf_puts(&cm->message, squash_msg);
	} else {
		read_template(cm);
	}
	cm->edit = wants_editor(o);
}

/* Behind the message, or the trailers that it ends with; what is the last line is not repeated. */
static void add_sign_off(struct committing *cm)
{
	struct git *g = cm->g;
	struct buf *m = &cm->message;
	struct person who;
	struct bytes block;
	const char *line;

	person_split(bytes_of(ident_committer(g)), &who);
	line = git_format(g->a, "Signed-off-by: %.*s <%.*s>\n", (int)who.name.len, who.name.ptr,
			  (int)who.mail.len, who.mail.ptr);
	while (m->len > 0 && m->ptr[m->len - 1] == '\n')
		m->len--;
	buf_putc(m, '\n');
	block = trailers_of(g, buf_bytes(m));
	if (m->len == 1 || block.len == 0)
		buf_putc(m, '\n');
	if (!bytes_ends(block, bytes_of(line)))
		buf_puts(m, line);
}

static void add_trailers(struct committing *cm)
{
	struct git *g = cm->g;
	const struct trailer_opts o = { .no_divider = true };
	struct trailer_args list = { NULL, 0, 0 };
	struct bytes with;

	if (cm->o.signoff)
		add_sign_off(cm);
	for (size_t i = 0; i < cm->o.trailers.n; i++) {
		LIST_ROOM(g, list.at, list.n, list.cap);
		list.at[list.n++] = (struct trailer_arg){ .text = cm->o.trailers.at[i] };
	}
	if (list.n == 0)
		return;
	with = trailers_apply(g, buf_bytes(&cm->message), &list, &o);
	cm->message.len = 0;
	buf_add(&cm->message, with);
}

static enum cleanup cleanup_of(struct committing *cm)
{
	const char *v = cm->o.cleanup != NULL ? cm->o.cleanup : config_get(cm->g, "commit.cleanup");

	if (v == NULL || strcmp(v, "default") == 0)
		return cm->edit ? CLEANUP_ALL : CLEANUP_SPACE;
	if (strcmp(v, "verbatim") == 0)
		return CLEANUP_NONE;
	if (strcmp(v, "whitespace") == 0)
		return CLEANUP_SPACE;
	if (strcmp(v, "strip") == 0)
		return CLEANUP_ALL;
	if (strcmp(v, "scissors") == 0)
		return cm->edit ? CLEANUP_SCISSORS : CLEANUP_SPACE;
	git_die(cm->g, "Invalid cleanup mode %s", v);
}

/* --- the author --- */

/* Somebody a commit was made by, whose name or address has this in it. */
static char *find_author(struct git *g, const char *text)
{
	struct revs r;
	struct commit *c;
	struct args none = { 0, NULL, -1 };

	revs_init(g, &r);
	names_add(g, &r.grep_text[0], text);
	r.grep_icase = true;
	r.max_count = 1;
	revs_add(g, &r, "HEAD");
	char *argv[1] = { NULL };

	none.argv = argv;
	revs_operands(g, &r, &none);
	c = revs_next(&r);
	revs_forget(g);
	if (c == NULL)
		git_die(g, "--author '%s' is not 'Name <email>' and matches no existing author",
			text);
	struct commit_text t;
	struct person who;

	commit_text(g, g->keep, &c->oid, &t);
	person_split(t.author, &who);
	return git_format(g->keep, "%.*s <%.*s>", (int)who.name.len, who.name.ptr,
			  (int)who.mail.len, who.mail.ptr);
}

static void settle_author(struct committing *cm)
{
	struct git *g = cm->g;
	struct person who = { .valid = false };
	const char *name = NULL, *mail = NULL, *date = cm->o.date;

	if (cm->has_old && !cm->o.reset_author) {
		person_split(cm->old.author, &who);
		name = arena_dup(g->keep, who.name);
		mail = arena_dup(g->keep, who.mail);
		if (date == NULL)
			date = git_format(g->keep, "@%lld %c%04d", (long long)who.time,
					  who.zone < 0 ? '-' : '+',
					  who.zone < 0 ? -who.zone : who.zone);
	}
	if (cm->o.author != NULL) {
		const char *text = cm->o.author;

		if (strchr(text, '<') == NULL || strchr(text, '>') == NULL)
			text = find_author(g, text);
		person_split(bytes_of(text), &who);
		name = arena_dup(g->keep, who.name);
		mail = arena_dup(g->keep, who.mail);
	}
	if (cm->o.date != NULL) {
		int64_t seconds;
		int zone;

		if (!date_exact(g, cm->o.date, &seconds, &zone)) {
			seconds = date_approximate(g, cm->o.date);
			zone = date_local_zone(g, seconds);
		}
		date = git_format(g->keep, "@%lld %c%04d", (long long)seconds, zone < 0 ? '-' : '+',
				  zone < 0 ? -zone : zone);
	}
	cm->author = ident_make(g, true, name, mail, date);
	cm->author = arena_dup(g->keep, bytes_of(cm->author));
	ident_export_author(g, cm->author);
}

/* --- the commit --- */

static bool nothing_to_commit(struct committing *cm, struct status *s)
{
	struct status_opts so = cm->o.status;

	so.paths = (struct pathspec){ .n = 0 };
	so.amend = cm->o.amend;
	if (cm->x != cm->g->index)
		cm->g->index = cm->x;
	status_collect(cm->g, s, &so);
	return !s->committable && !cm->merging && !cm->o.allow_empty && !cm->o.amend;
}

static bool rebasing(struct git *g)
{
	return file_exists(g, repo_path(g, g->a, "rebase-merge"));
}

/* What the editor shows below the message. */
static void put_editor_help(struct committing *cm, struct status *s, struct buf *out)
{
	struct git *g = cm->g;
	struct person a, c;
	struct buf b = buf_in(g->a);
	bool empty = cm->o.allow_empty_message;
	char comment = message_comment_char(g);
	size_t from;

	buf_putc(out, '\n');
	if (cm->cleanup == CLEANUP_SCISSORS)
		message_put_cut(g, out);
	else if (cm->cleanup == CLEANUP_ALL || cm->cleanup == CLEANUP_SCISSORS)
		buf_printf(&b,
			   "Please enter the commit message for your changes. Lines starting\n"
			   "with '%c' will be ignored%s.\n",
			   comment, empty ? "" : ", and an empty message aborts the commit");
	else
		buf_printf(
			&b,
			"Please enter the commit message for your changes. Lines starting\n"
			"with '%c' will be kept; you may remove them yourself if you want to.\n%s",
			comment, empty ? "" : "An empty message aborts the commit.\n");
	person_split(bytes_of(cm->author), &a);
	person_split(bytes_of(ident_committer(g)), &c);
	buf_puts(&b, "\n");
	from = b.len;
	if (!bytes_eq(a.name, c.name) || !bytes_eq(a.mail, c.mail))
		buf_printf(&b, "Author:    %.*s <%.*s>\n", (int)a.name.len, a.name.ptr,
			   (int)a.mail.len, a.mail.ptr);
	if (cm->o.date != NULL ||
	    (!cm->o.reset_author && (cm->o.amend || cm->o.reuse != NULL || cm->o.reedit != NULL ||
				     (cm->picking && !rebasing(g))))) {
		struct date_style style = { .mode = DATE_NORMAL };

		buf_puts(&b, "Date:      ");
		date_put(g, &b, a.time, a.zone, &style);
		buf_putc(&b, '\n');
	}
	if (b.len != from)
		buf_puts(&b, "\n");
	message_put_comment(g, buf_bytes(&b), out);
	s->o.format = STATUS_LONG;
	s->o.commented = s->o.for_commit = true;
	status_put(s, out);
}

static void put_editor_text(struct committing *cm, struct status *s, struct buf *out)
{
	buf_add(out, cm->cleanup == CLEANUP_NONE || cm->has_template || cm->o.signoff
			     ? buf_bytes(&cm->message)
			     : message_clean(cm->g, buf_bytes(&cm->message), false));
	if (!cm->o.no_status)
		put_editor_help(cm, s, out);
}

/* Whether nothing is there but blank lines and signatures. */
static bool says_nothing(struct bytes text)
{
	struct bytes line;

	while (git_line(&text, &line))
		if (git_trim(line).len != 0 && !bytes_starts(line, BYTES("Signed-off-by: ")))
			return false;
	return true;
}

static bool is_template(struct committing *cm, struct bytes text)
{
	struct bytes given;

	if (!cm->has_template || (cm->cleanup == CLEANUP_NONE && text.len != 0))
		return false;
	given = message_clean(cm->g, cm->template, cm->cleanup == CLEANUP_ALL);
	return says_nothing(bytes_starts(text, given) ? bytes_slice(text, given.len, text.len)
						      : text);
}

/* Ends the command if the message is none. */
static void check_message(struct committing *cm, struct bytes text)
{
	struct git *g = cm->g;
	const char *why = NULL;
	bool amends = cm->o.fixup != NULL && fixup_amends(cm->o.fixup) != NULL;

	if (cm->o.allow_empty_message)
		return;
	if (is_template(cm, text))
		why = "Aborting commit; you did not edit the message.\n";
	else if (cm->cleanup == CLEANUP_NONE ? text.len == 0 : says_nothing(text))
		why = "Aborting commit due to empty commit message.\n";
	else if (amends && bytes_starts(text, BYTES("amend! ")) && message_body(text).len == 0)
		why = "Aborting commit due to empty commit message body.\n";
	if (why == NULL)
		return;
	git_say(g, "%s", why);
	git_exit(g, 1);
}

/* What hooks are told if there will be none: they must not ask for one either. */
static char *const *no_editor(const struct committing *cm)
{
	char **env;

	if (wants_editor(&cm->o))
		return NULL;
	env = arena_array(cm->g->a, 2, sizeof(*env));
	env[0] = arena_dup(cm->g->a, BYTES("GIT_EDITOR=:"));
	env[1] = NULL;
	return env;
}

static void run_hooks_before(struct committing *cm)
{
	if (cm->o.no_verify)
		return;
	if (git_hook(cm->g, "pre-commit", NULL, no_editor(cm)) != 0)
		git_exit(cm->g, 1);
}

/* What prepare-commit-msg is told: where the message comes from. */
static void hook_source(struct committing *cm, char **args)
{
	struct git *g = cm->g;
	const char *commit = cm->o.reedit != NULL  ? cm->o.reedit
			     : cm->o.reuse != NULL ? cm->o.reuse
			     : cm->o.amend         ? "HEAD"
						   : NULL;
	const char *source = NULL;

	if (cm->o.messages.n != 0 || cm->o.file != NULL || cm->o.fixup != NULL ||
	    cm->o.squash != NULL)
		source = "message", commit = NULL;
	else if (commit != NULL)
		source = "commit";
	else if (cm->merging || file_exists(g, repo_path(g, g->a, "MERGE_MSG")))
		source = "merge";
	else if (file_exists(g, repo_path(g, g->a, "SQUASH_MSG")))
		source = "squash";
	else if (cm->o.template != NULL)
		source = "template";
	args[1] = source != NULL ? arena_dup(g->a, bytes_of(source)) : NULL;
	args[2] = source != NULL && commit != NULL ? arena_dup(g->a, bytes_of(commit)) : NULL;
}

static struct bytes final_message(struct committing *cm, struct status *s)
{
	struct git *g = cm->g;
	char *path = repo_path(g, g->keep, "COMMIT_EDITMSG");
	struct buf out = buf_in(g->a);
	struct bytes text;
	int err;
	char *args[4] = { git_hook_path(g, "COMMIT_EDITMSG"), NULL, NULL, NULL };

	if (cm->edit)
		put_editor_text(cm, s, &out);
	else
		buf_add(&out, cm->cleanup == CLEANUP_NONE
				      ? buf_bytes(&cm->message)
				      : message_clean(g, buf_bytes(&cm->message),
						      cm->cleanup == CLEANUP_ALL));
	if (file_write(g, path, buf_bytes(&out), 0666) < 0)
		git_die(g, "could not write commit template");
	hook_source(cm, args);
	if (git_hook(g, "prepare-commit-msg", args, no_editor(cm)) != 0)
		git_exit(g, 1);
	if (cm->edit && !message_edit(g, path)) {
		git_say(g, "Please supply the message using either -m or -F option.\n");
		git_exit(g, 1);
	}
	args[1] = args[2] = NULL;
	if (!cm->o.no_verify && git_hook(g, "commit-msg", args, no_editor(cm)) != 0)
		git_exit(g, 1);
	err = file_read(g, g->keep, path, &text);
	if (err < 0)
		git_die_errno(g, err, "could not read commit message");
	if (cm->edit && (cm->o.status.verbose != 0 || cm->cleanup == CLEANUP_SCISSORS))
		text = message_cut(g, text);
	if (cm->cleanup != CLEANUP_NONE)
		text = message_clean(g, text, cm->cleanup == CLEANUP_ALL);
	check_message(cm, text);
	return text;
}

static size_t parents_of(struct committing *cm, struct oid *list, size_t max)
{
	struct git *g = cm->g;
	size_t n = 0;
	char *merge = cm->merging ? state_read(g, "MERGE_HEAD") : NULL;
	struct bytes rest, line;

	if (cm->o.amend) {
		struct commit *c = commit_at(g, &cm->head);

		commit_need(g, c);
		for (uint32_t i = 0; i < c->nparents && n < max; i++)
			list[n++] = c->parent[i]->oid;
		return n;
	}
	if (cm->has_head)
		list[n++] = cm->head;
	rest = merge != NULL ? bytes_of(merge) : (struct bytes){ "", 0 };
	while (git_line(&rest, &line) && n < max)
		if (oid_parse_bytes(line, &list[n]))
			n++;
	return n;
}

static const char *log_action(struct committing *cm, size_t nparents)
{
	if (cm->g->reflog_action != NULL && !cm->o.amend)
		return cm->g->reflog_action;
	if (cm->o.amend)
		return cm->g->reflog_action != NULL
			       ? git_format(cm->g->a, "%s", cm->g->reflog_action)
			       : "commit (amend)";
	if (!cm->has_head)
		return "commit (initial)";
	if (cm->picking)
		return "commit (cherry-pick)";
	return nparents > 1 ? "commit (merge)" : "commit";
}

static void check_options(struct committing *cm)
{
	struct git *g = cm->g;
	struct commit_opts *o = &cm->o;
	const char *const sources[] = { o->reuse != NULL ? "-C" : NULL,
					o->reedit != NULL ? "-c" : NULL,
					o->file != NULL ? "-F" : NULL,
					o->fixup != NULL ? "--fixup" : NULL };
	const char *const message[] = { o->messages.n != 0 ? "-m" : NULL,
					o->reedit != NULL ? "-c" : NULL,
					o->reuse != NULL ? "-C" : NULL,
					o->file != NULL ? "-F" : NULL };

	if (o->amend && !cm->has_head)
		git_die(g, "You have nothing to amend.");
	if (o->amend && cm->merging)
		git_die(g, "You are in the middle of a merge -- cannot amend.");
	if (o->amend && cm->picking)
		git_die(g, "You are in the middle of a cherry-pick -- cannot amend.");
	if (o->squash != NULL && o->fixup != NULL)
		git_die(g, "options '%s' and '%s' cannot be used together", "--squash", "--fixup");
	git_one_of(g, sources, 4);
	if (o->messages.n != 0)
		git_one_of(g, message, 4);
	if (o->reset_author && o->reuse == NULL && o->reedit == NULL && !o->amend)
		git_die(g, "--reset-author can be used only with -C, -c or --amend.");
	if (o->messages.n != 0 && o->fixup != NULL && fixup_amends(o->fixup) != NULL)
		git_die(g, "options '%s' and '%s:%s' cannot be used together", "-m", "--fixup",
			git_starts(o->fixup, "amend") ? "amend" : "reword");
	if (o->include && o->only)
		git_die(g, "options '%s' and '%s' cannot be used together", "-i", "-o");
	cm->named = o->reedit != NULL ? o->reedit : o->reuse;
	if (cm->named != NULL)
		take_old(cm, cm->named);
	else if (o->amend)
		take_old(cm, "HEAD");
	else if (cm->picking)
		take_old(cm, "CHERRY_PICK_HEAD");
}

static void finish_commit(struct committing *cm, const struct oid *o, struct bytes message,
			  size_t nparents)
{
	struct git *g = cm->g;
	struct bytes subject = BYTES("");
	struct bytes rest = message;
	char *done[2] = { arena_dup(g->a, BYTES("amend")), NULL };

	git_line(&rest, &subject);
	commit_index_check(g, &cm->held);
	ref_update(g, "HEAD", o, cm->has_head ? &cm->head : NULL,
		   git_format(g->a, "%s: %.*s", log_action(cm, nparents), (int)subject.len,
			      subject.ptr),
		   false);
	commit_index_keep(g, &cm->held);
	state_end_pick(g);
	state_clear_committed(g);
	rerere_run(g);
	git_hook(g, "post-commit", NULL, no_editor(cm));
	if (cm->o.amend && !cm->o.no_post_rewrite)
		git_hook_text(g, "post-rewrite", done,
			      bytes_of(git_format(g->a, "%s %s\n", oid_hex(g, &cm->head),
						  oid_hex(g, o))));
	if (!cm->o.quiet)
		commit_print(g, o, !cm->has_head,
			     cm->o.date != NULL || ((cm->o.amend || (cm->picking && !rebasing(g)) ||
						     cm->o.reuse != NULL || cm->o.reedit != NULL) &&
						    !cm->o.reset_author));
	merge_bring_back(g);
}

/* commit.verbose: a number, or true. */
static int verbose_of(struct git *g)
{
	const char *v = config_get(g, "commit.verbose");
	int64_t n;

	if (v != NULL && git_number(v, &n))
		return n < 0 ? 0 : n > 2 ? 2 : (int)n;
	return config_bool(g, "commit.verbose", false);
}

/* long: one step after the other */
static int run(struct git *g, struct args *args)
{
	struct committing cm = { .g = g, .o = { .status = { .untracked = -1 } } };
	const struct git_parser p = { commit_options, &cm.o, commit_usage, 0, NULL };
	struct oid tree, o, parents[32];
	struct status s;
	struct bytes message;
	size_t n;

	cm.o.status.verbose = verbose_of(g);
	cm.o.no_status = !config_bool(g, "commit.status", true);
	git_parse(g, args, &p);
	cm.o.patch = cm.o.patch || cm.o.interactive;
	cm.has_head = head_oid(g, &cm.head);
	cm.merging = merge_in_progress(g);
	cm.picking = file_exists(g, repo_path(g, g->a, "CHERRY_PICK_HEAD"));
	if (cm.has_head) {
		struct commit *c = commit_at(g, &cm.head);

		if (!commit_load(g, c))
			git_die(g, "could not parse HEAD commit");
	}
	check_options(&cm);
	if (cm.o.fixup != NULL && git_starts(cm.o.fixup, "reword:")) {
		if (args->argc != 0)
			git_die(g, "reword option of '%s' and path '%s' cannot be used together",
				"--fixup", args->argv[0]);
		if (cm.o.patch || cm.o.all || cm.o.include || cm.o.only)
			git_die(g, "reword option of '%s' and '%s' cannot be used together",
				"--fixup", "--patch/--interactive/--all/--include/--only");
		cm.o.allow_empty = true; /* it brings a message alone */
	}
	if (cm.o.from.name != NULL && (cm.o.patch || cm.o.all))
		git_die(g, "options '%s' and '%s' cannot be used together", "--pathspec-from-file",
			cm.o.patch ? "--interactive/--patch" : "-a");
	pathspec_from_file(g, &cm.o.from, args, false);
	if (args->argc == 0 &&
	    (cm.o.include || (cm.o.only && !cm.o.amend && !cm.o.allow_empty &&
			      (cm.o.fixup == NULL || fixup_amends(cm.o.fixup) == NULL))))
		git_die(g, "No paths with --include/--only does not make sense.");
	if (cm.o.patch) {
		if (cm.o.all || cm.o.include || cm.o.only)
			git_die(g, "options '%s' and '%s' cannot be used together",
				"--interactive/--patch",
				cm.o.all    ? "-a"
				: cm.o.only ? "-o"
					    : "-i");
		if (cm.o.interactive)
			add_interactive(g, args->argv, args->argc);
		else
			patch_mode(g, PATCH_STAGE, NULL, args->argv, args->argc);
		args->argc = 0;
	}
	struct index *full = index_get(g);

	prepare_index(&cm, args);
	if (index_unmerged(cm.x))
		commit_refuse_unmerged(g, "Committing");
	if (!cm.o.dry_run && (cm.o.all || cm.o.include || cm.x != full))
		commit_index_hold(g, &cm.held, full, cm.x);
	else if (!cm.o.dry_run && full->dirty)
		index_write(g, full);
	full->unsaved = cm.o.dry_run || full->unsaved;
	settle_author(&cm);
	if (!cm.o.dry_run)
		run_hooks_before(&cm);
	/* The hook may have staged something. */
	if (git_hook_exists(g, "pre-commit") && !cm.o.dry_run)
		cm.x = commit_index_again(g, &cm.held);
	collect_message(&cm);
	add_trailers(&cm);
	ident_committer(g);
	cm.cleanup = cleanup_of(&cm);
	if (nothing_to_commit(&cm, &s) || cm.o.dry_run) {
		struct buf out = buf_in(g->a);

		if (cm.picking && !cm.o.dry_run)
			git_say(g,
				"The previous cherry-pick is now empty, possibly due to conflict "
				"resolution.\nIf you wish to commit it anyway, use:\n\n"
				"    git commit --allow-empty\n\n"
				"Otherwise, please use 'git cherry-pick --skip'\n");
		s.o.for_commit = true;
		status_put(&s, &out);
		cmd_bytes(g->c, buf_bytes(&out));
		return cm.o.dry_run ? !(s.committable || cm.merging) : 1;
	}
	if (cm.o.amend && !cm.o.allow_empty && !s.committable && s.staged.n == 0) {
		struct commit *c = commit_at(g, &cm.head);

		if (c->nparents == 1) {
			struct buf out = buf_in(g->a);

			git_say(g, "You asked to amend the most recent commit, but doing so would "
				   "make\n"
				   "it empty. You can repeat your command with --allow-empty, or "
				   "you can\n"
				   "remove the commit entirely with \"git reset HEAD^\".\n");
			s.o.for_commit = true;
			status_put(&s, &out);
			cmd_bytes(g->c, buf_bytes(&out));
			return 1;
		}
	}
	message = final_message(&cm, &s);
	if (!tree_write_index(g, cm.x, false, &tree)) {
		git_error(g, "Error building trees");
		return 1;
	}
	n = parents_of(&cm, parents, 32);
	commit_write(g, &tree, parents, n, cm.author, message, &o);
	finish_commit(&cm, &o, message, n);
	return 0;
}

int git_cmd_commit(struct git *g, struct args *args)
{
	int status = run(g, args);

	git_clean_up(g);
	return status;
}
