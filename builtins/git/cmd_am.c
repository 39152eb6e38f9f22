/* SPDX-License-Identifier: MIT
 *
 * git am: mails with patches become commits.
 *
 * What is under way stands in .git/rebase-apply, as git has it: the mails as numbered files,
 * which one is next, and the parts of the one that is being applied.
 */
#include "builtins/git/mail.h"
#include "builtins/git/merge.h"
#include "builtins/git/rerere.h"
#include "builtins/git/trailer.h"

struct am_opts {
	bool three_way, quiet, signoff, keep, keep_non_patch, go_on, skip, abort, quit, show,
		message_id, utf8, committer_date_is_author_date, ignore_date, allow_empty, scissors,
		keep_cr;
	const char *show_what;
	const char *empty; /* what becomes of mails without a patch: stop, drop, keep */
	const char *format;
	struct names apply; /* options of git apply, in their order */
};

static int set_show(struct git *g, void *opts, const char *arg, bool unset)
{
	struct am_opts *o = opts;

	(void)unset;
	o->show = true;
	o->show_what = arg;
	if (arg != NULL && strcmp(arg, "diff") != 0 && strcmp(arg, "raw") != 0) {
		git_error(g, "invalid value for '%s': '%s'", "--show-current-patch", arg);
		git_exit(g, GIT_STATUS_USAGE);
	}
	return 0;
}

/* What goes on to git apply. */
#define PASS(id, name)                                                                             \
	static int pass_##id(struct git *g, void *opts, const char *arg, bool unset)               \
	{                                                                                          \
		(void)unset;                                                                       \
		names_add(g, &((struct am_opts *)opts)->apply,                                     \
			  git_format(g->keep, name "%s", arg != NULL ? arg : ""));                 \
		return 0;                                                                          \
	}
PASS(whitespace, "--whitespace=")
PASS(space_change, "--ignore-space-change")
PASS(directory, "--directory=")
PASS(exclude, "--exclude=")
PASS(include, "--include=")
PASS(context, "-C")
PASS(strip, "-p")
PASS(reject, "--reject")
#undef PASS

static int note_binary(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts, (void)arg, (void)unset;
	git_say(g, "The -b/--binary option has been a no-op for long time, and\n"
		   "it will be removed. Please do not use it anymore.\n");
	return 0;
}

static const struct git_option am_options[] = {
	GIT_MISSING('i', "interactive"),
	GIT_FLAG('3', "3way", struct am_opts, three_way),
	GIT_FLAG('q', "quiet", struct am_opts, quiet),
	GIT_FLAG('s', "signoff", struct am_opts, signoff),
	GIT_FLAG('u', "utf8", struct am_opts, utf8),
	GIT_FLAG('k', "keep", struct am_opts, keep),
	GIT_CALL('b', "binary", note_binary),
	GIT_FLAG(0, "keep-non-patch", struct am_opts, keep_non_patch),
	GIT_FLAG('m', "message-id", struct am_opts, message_id),
	GIT_FLAG('c', "scissors", struct am_opts, scissors),
	GIT_FLAG(0, "keep-cr", struct am_opts, keep_cr),
	GIT_CALL_ARG(0, "whitespace", pass_whitespace),
	GIT_CALL(0, "ignore-space-change", pass_space_change),
	GIT_CALL(0, "ignore-whitespace", pass_space_change),
	GIT_CALL_ARG(0, "directory", pass_directory),
	GIT_CALL_ARG(0, "exclude", pass_exclude),
	GIT_CALL_ARG(0, "include", pass_include),
	GIT_CALL_ARG('C', NULL, pass_context),
	GIT_CALL_ARG('p', NULL, pass_strip),
	GIT_STR(0, "patch-format", struct am_opts, format),
	GIT_CALL(0, "reject", pass_reject),
	GIT_FLAG(0, "continue", struct am_opts, go_on),
	GIT_FLAG('r', "resolved", struct am_opts, go_on),
	GIT_FLAG(0, "skip", struct am_opts, skip),
	GIT_CALL(0, "rerere-autoupdate", git_opt_rerere),
	GIT_FLAG(0, "abort", struct am_opts, abort),
	GIT_FLAG(0, "allow-empty", struct am_opts, allow_empty),
	GIT_STR(0, "empty", struct am_opts, empty),
	GIT_FLAG(0, "quit", struct am_opts, quit),
	GIT_CALL_MAYBE(0, "show-current-patch", set_show),
	GIT_FLAG(0, "committer-date-is-author-date", struct am_opts, committer_date_is_author_date),
	GIT_FLAG(0, "ignore-date", struct am_opts, ignore_date),
	GIT_END(),
};
static const char *const am_usage[] = { "git am [<options>] [(<mbox> | <Maildir>)...]",
					"git am [<options>] (--continue | --skip | --abort)",
					NULL };

struct applying {
	struct git *g;
	struct am_opts o;
	struct mail mail;
	int next;
	int last;
};

/* --- the session's files --- */

static char *am_name(struct git *g, const char *name)
{
	return git_format(g->a, "rebase-apply/%s", name);
}

static void put_text(struct git *g, const char *name, const char *text)
{
	size_t n = strlen(text);

	state_write(g, am_name(g, name),
		    n != 0 && text[n - 1] != '\n' ? git_format(g->a, "%s\n", text) : text);
}

static char *get_text(struct git *g, const char *name)
{
	char *text = state_read(g, am_name(g, name));
	size_t n = text != NULL ? strlen(text) : 0;

	while (n > 0 && text[n - 1] == '\n')
		text[--n] = '\0';
	return text;
}

static int get_number(struct git *g, const char *name)
{
	char *text = get_text(g, name);
	int64_t n;

	return text != NULL && git_number(text, &n) && n > 0 && n < INT32_MAX ? (int)n : 0;
}

static bool in_progress(struct git *g)
{
	return file_exists(g, repo_path(g, g->a, "rebase-apply")) && get_number(g, "last") > 0;
}

static void put_flag(struct git *g, const char *name, bool on)
{
	put_text(g, name, on ? "t" : "f");
}

static bool get_flag(struct git *g, const char *name)
{
	char *text = get_text(g, name);

	return text != NULL && text[0] == 't';
}

static bool has_text(struct git *g, const char *name, const char *text)
{
	char *found = get_text(g, name);

	return found != NULL && strcmp(found, text) == 0;
}

static void finish(struct git *g)
{
	file_remove_tree(g, repo_path(g, g->a, "rebase-apply"));
}

static void remember_head(struct git *g)
{
	struct oid head;

	put_text(g, "abort-safety",
		 head_oid(g, &head) ? git_format(g->a, "%s\n", oid_hex(g, &head)) : "");
}

/* --- one mail --- */

static void quote_author(struct git *g, const struct mail *m)
{
	struct buf b = buf_in(g->a);

	buf_puts(&b, "GIT_AUTHOR_NAME=");
	git_quote_shell(&b, m->name);
	buf_puts(&b, "\nGIT_AUTHOR_EMAIL=");
	git_quote_shell(&b, m->email);
	buf_puts(&b, "\nGIT_AUTHOR_DATE=");
	git_quote_shell(&b, m->date);
	buf_putc(&b, '\n');
	put_text(g, "author-script", buf_cstr(&b));
}

static void add_signoff(struct applying *am)
{
	struct git *g = am->g;
	const char *who = ident_committer(g);
	char *line = git_format(g->a, "Signed-off-by: %.*s\n", (int)(strchr(who, '>') + 1 - who),
				who);
	struct bytes trailers = trailers_of(am->g, am->mail.message);
	struct buf b = buf_in(g->keep);

	if (bytes_ends(am->mail.message, bytes_of(line)))
		return;
	buf_add(&b, am->mail.message);
	if (trailers.len == 0)
		buf_putc(&b, '\n');
	buf_puts(&b, line);
	am->mail.message = buf_bytes(&b);
}

static void load_mail(struct applying *am)
{
	struct git *g = am->g;
	struct bytes text;
	char *path = repo_path(g, g->keep, am_name(g, git_format(g->a, "%04d", am->next)));

	if (file_read(g, g->keep, path, &text) < 0)
		git_die(g, "could not open '%s' for reading", path);
	mail_read(g, text,
		  (am->o.keep ? MAIL_KEEP : 0u) |
			  (am->o.keep_non_patch ? MAIL_KEEP_NON_PATCH : 0u) |
			  (am->o.scissors ? MAIL_SCISSORS : 0u) | (am->o.message_id ? MAIL_ID : 0u),
		  &am->mail);
	if (am->o.signoff)
		add_signoff(am);
	quote_author(g, &am->mail);
	file_write(g, repo_path(g, g->a, "rebase-apply/final-commit"), am->mail.message, 0666);
	file_write(g, repo_path(g, g->a, "rebase-apply/patch"), am->mail.patch, 0666);
	put_text(g, "info",
		 git_format(g->a, "Author: %s\nEmail: %s\nSubject: %s\nDate: %s\n\n", am->mail.name,
			    am->mail.email, am->mail.subject, am->mail.date));
}

/* The subject of what is being applied, as its message has it now. */
static const char *first_line(struct applying *am)
{
	struct bytes rest = am->mail.message, line = BYTES("");

	git_line(&rest, &line);
	return arena_dup(am->g->a, line);
}

static void say_applying(struct applying *am)
{
	if (!am->o.quiet)
		git_printf(am->g, "Applying: %s\n", first_line(am));
}

static _Noreturn void stop_here(struct applying *am)
{
	struct git *g = am->g;
	const char *cmd = "git am";

	git_printf(g,
		   "When you have resolved this problem, run \"%s --continue\".\n"
		   "If you prefer to skip this patch, run \"%s --skip\" instead.\n",
		   cmd, cmd);
	if (am->mail.patch.len == 0)
		git_printf(
			g,
			"To record the empty patch as an empty commit, run \"%s --allow-empty\".\n",
			cmd);
	git_printf(g, "To restore the original branch and stop patching, run \"%s --abort\".\n",
		   cmd);
	git_exit(g, GIT_STATUS_FATAL);
}

static _Noreturn void failed(struct applying *am)
{
	struct git *g = am->g;

	git_hint(g, "amWorkDir",
		 "Use 'git am --show-current-patch=diff' to see the failed patch\n");
	git_printf(g, "Patch failed at %04d %s\n", am->next, first_line(am));
	stop_here(am);
}

/* --- applying --- */

/* The options that go on to git apply, in a file, too: as words of the shell. */
static void settle_apply(struct applying *am)
{
	struct git *g = am->g;
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < am->o.apply.n; i++) {
		buf_putc(&b, ' ');
		git_quote_shell(&b, am->o.apply.at[i]);
	}
	put_text(g, "apply-opt", buf_cstr(&b));
}

static void resume_apply(struct applying *am)
{
	const char *at = get_text(am->g, "apply-opt");

	while (at != NULL && *at != '\0') {
		struct buf b = buf_in(am->g->keep);
		bool inside = false;

		at += strspn(at, " ");
		for (; *at != '\0' && (inside || *at != ' '); at++) {
			if (*at == '\'')
				inside = !inside;
			else if (*at == '\\' && !inside && at[1] != '\0')
				buf_putc(&b, *++at);
			else
				buf_putc(&b, *at);
		}
		if (b.len != 0)
			names_add(am->g, &am->o.apply, buf_cstr(&b));
	}
}

static int run_apply(struct applying *am, const char *index, bool cached, bool silent)
{
	struct git *g = am->g;
	char git[] = "git", apply[] = "apply", one[] = "--index", two[] = "--cached";
	char **argv = arena_array(g->a, am->o.apply.n + 5, sizeof(*argv));
	size_t n = 0;
	struct env e;
	int status, quiet = -1;

	argv[n++] = git;
	argv[n++] = apply;
	argv[n++] = cached ? two : one;
	for (size_t i = 0; i < am->o.apply.n; i++)
		argv[n++] = am->o.apply.at[i];
	argv[n++] = repo_path(g, g->keep, "rebase-apply/patch");
	argv[n] = NULL;
	env_init(&e, g->c, false);
	if (index != NULL)
		env_put(&e, git_format(g->a, "GIT_INDEX_FILE=%s", index));
	if (silent) {
		quiet = cmd_open(g->c, CMD_CWD, "/dev/null", O_WRONLY_, 0);
		cmd_flush(g->c);
		const int fds[3] = { 0, quiet, quiet };
		struct cmd_program prog = { .argv = argv, .envp = e.list, .fds = fds, .nfds = 3 };
		int pid = cmd_spawn(g->c, &prog);

		status = 1;
		if (pid >= 0 && cmd_wait(g->c, pid, &status, false) >= 0)
			status = cmd_exit_status(status);
		cmd_close(g->c, quiet);
	} else {
		status = git_spawn(g, argv, e.list, -1, -1);
	}
	g->index = NULL; /* it was changed by another */
	return status;
}

/* "index abc..def 100644": what the patch was made against, where we have it. */
static bool base_leaves(struct applying *am, struct leaves *out)
{
	struct git *g = am->g;
	struct bytes rest = am->mail.patch, line;
	struct oid head, tree;
	char *name = NULL;

	if (!head_oid(g, &head) || !tree_of(g, &head, &tree))
		return false;
	tree_flatten(g, g->keep, &tree, out);
	while (git_line(&rest, &line)) {
		struct oid o;
		size_t n;

		if (bytes_starts(line, BYTES("diff --git a/"))) {
			const char *b = bytes_find(line, BYTES(" b/"));

			name = b != NULL ? arena_dup(g->keep,
						     bytes_slice(line, 13, (size_t)(b - line.ptr)))
					 : NULL;
			continue;
		}
		if (!bytes_starts(line, BYTES("index ")) || name == NULL)
			continue;
		line = bytes_slice(line, 6, line.len);
		for (n = 0; n < line.len && byte_is_xdigit((unsigned char)line.ptr[n]); n++)
			continue;
		char *hex = git_format(g->a, "%.*s", (int)n, line.ptr);

		if (strspn(hex, "0") == n)
			continue; /* a new file */
		if (n < 4 || n > OID_HEX || oid_complete(g, hex, OBJECT_BLOB, &o) != 0)
			return false;
		for (size_t i = 0; i < out->n; i++)
			if (strcmp(out->at[i].path, name) == 0)
				out->at[i].oid = o;
	}
	return true;
}

static void say_changed(struct git *g, const struct oid *head_tree, const struct oid *base)
{
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct buf b = buf_in(g->a);

	diff_init(g, &o);
	o.renames = 0;
	diff_settle(g, &o);
	diff_trees(g, &o, head_tree, base, &q);
	diff_finish(g, &o, &q);
	for (size_t i = 0; i < q.n; i++)
		if (q.at[i].status == 'A' || q.at[i].status == 'M')
			buf_printf(&b, "%c\t%s\n", q.at[i].status, q.at[i].two->path);
	cmd_bytes(g->c, buf_bytes(&b));
}

/* The patch against its own base, merged with what is here. */
static bool fall_back(struct applying *am)
{
	struct git *g = am->g;
	struct merging m = {
		.g = g, .ours = "HEAD", .theirs = first_line(am), .base = "constructed merge base"
	};
	char *path = repo_path(g, g->keep, "rebase-apply/patch-merge-index");
	struct leaves l = { NULL, 0, 0 };
	struct index *x;
	struct oid base, theirs, head, head_tree;

	if (!base_leaves(am, &l)) {
		git_error(g, "Repository lacks necessary blobs to fall back on 3-way merge.");
		return false;
	}
	tree_write_leaves(g, &l, &base);
	if (!am->o.quiet)
		git_printf(g, "Using index info to reconstruct a base tree...\n");
	head_oid(g, &head);
	tree_of(g, &head, &head_tree);
	if (!am->o.quiet)
		say_changed(g, &head_tree, &base);
	x = index_read(g, path);
	index_read_tree(g, x, &base);
	index_write_to(g, x, path);
	if (run_apply(am, path, true, false) != 0) {
		git_error(g,
			  "Did you hand edit your patch?\nIt does not apply to blobs recorded in "
			  "its index.");
		return false;
	}
	x = index_read(g, path);
	if (!tree_write_index(g, x, false, &theirs))
		return false;
	if (!am->o.quiet)
		git_printf(g, "Falling back to patching base and 3-way merge...\n");
	m.style = merge_style_of(g, NULL);
	merge_trees(&m, &base, &head_tree, &theirs);
	if (!merge_apply(&m, &head_tree, "merge"))
		return false;
	if (!am->o.quiet)
		cmd_bytes(g->c, buf_bytes(&m.messages));
	cmd_flush(g->c);
	if (!m.clean) {
		rerere_run(g);
		git_error(g, "Failed to merge in the changes.");
	}
	return m.clean;
}

static char *author_of(struct applying *am)
{
	return ident_make(am->g, true, am->mail.name, am->mail.email,
			  am->o.ignore_date || am->mail.date[0] == '\0' ? NULL : am->mail.date);
}

static void commit_mail(struct applying *am)
{
	struct git *g = am->g;
	struct oid tree, head, o;
	bool had = head_oid(g, &head);

	if (git_hook(g, "pre-applypatch", NULL, NULL) != 0)
		git_exit(g, 1);
	if (!tree_write_index(g, index_get(g), false, &tree))
		git_die(g, "git write-tree failed to write a tree");
	if (am->mail.name[0] == '\0')
		git_die(g, "empty ident name (for <%s>) not allowed", am->mail.email);
	char *author = author_of(am);
	char *const *before = g->c->envp;

	if (am->o.committer_date_is_author_date) {
		struct person who;
		struct env e;

		person_split(bytes_of(author), &who);
		env_init(&e, g->c, false);
		env_put(&e,
			git_format(g->keep, "GIT_COMMITTER_DATE=@%lld %c%04d", (long long)who.time,
				   who.zone < 0 ? '-' : '+', who.zone < 0 ? -who.zone : who.zone));
		g->c->envp = e.list;
	}
	commit_write(g, &tree, &head, had ? 1 : 0, author, am->mail.message, &o);
	g->c->envp = before;
	ref_update(g, "HEAD", &o, NULL,
		   git_format(g->a, "%s: %s", g->reflog_action != NULL ? g->reflog_action : "am",
			      first_line(am)),
		   false);
	git_hook(g, "post-applypatch", NULL, NULL);
}

static void advance(struct applying *am)
{
	struct git *g = am->g;

	am->next++;
	put_text(g, "next", git_format(g->a, "%d", am->next));
	remember_head(g);
}

static bool has_patch(const struct applying *am)
{
	return bytes_find(am->mail.patch, BYTES("diff --git ")) != NULL ||
	       bytes_find(am->mail.patch, BYTES("\n@@ -")) != NULL;
}

/* The hook may change the message. */
static void ask_for_message(struct applying *am)
{
	struct git *g = am->g;
	char *args[2] = { git_hook_path(g, "rebase-apply/final-commit"), NULL };

	if (!git_hook_exists(g, "applypatch-msg"))
		return;
	if (git_hook(g, "applypatch-msg", args, NULL) != 0)
		git_exit(g, 1);
	file_read(g, g->keep, repo_path(g, g->a, "rebase-apply/final-commit"), &am->mail.message);
}

static void apply_one(struct applying *am)
{
	struct git *g = am->g;
	int status;

	load_mail(am);
	if (!has_patch(am) && strcmp(am->o.empty, "stop") == 0) {
		git_printf(g, "Patch is empty.\n");
		stop_here(am);
	}
	if (!has_patch(am) && strcmp(am->o.empty, "drop") == 0) {
		if (!am->o.quiet)
			git_printf(g, "Skipping: %s\n", first_line(am));
		advance(am);
		return;
	}
	if (!has_patch(am)) {
		if (!am->o.quiet)
			git_printf(g, "Creating an empty commit: %s\n", first_line(am));
		commit_mail(am);
		advance(am);
		return;
	}
	ask_for_message(am);
	say_applying(am);
	status = run_apply(am, NULL, false, am->o.three_way);
	if (status == GIT_STATUS_USAGE)
		git_exit(g, status);
	if (status != 0 && !(am->o.three_way && fall_back(am)))
		failed(am);
	if (am->o.three_way)
		index_write(g, index_get(g));
	commit_mail(am);
	advance(am);
}

static void refuse_dirty(struct git *g)
{
	struct oid head, tree = oid_empty_tree;
	const char *paths;

	if (head_oid(g, &head))
		tree_of(g, &head, &tree);
	paths = diff_staged_paths(g, &tree);
	if (paths == NULL)
		return;
	put_flag(g, "dirtyindex", true);
	git_die(g, "Dirty index: cannot apply patches (dirty: %s)", paths);
}

static int run(struct applying *am)
{
	refuse_dirty(am->g);
	while (am->next <= am->last) {
		struct arena_mark mark = arena_mark(am->g->a);

		apply_one(am);
		arena_release(am->g->a, mark);
	}
	finish(am->g);
	return 0;
}

/* --- beginning --- */

/* What comes through standard input is mail, whatever it looks like. */
static void add_mails(struct applying *am, struct bytes text, bool is_input)
{
	struct git *g = am->g;
	struct bytes *mail;
	size_t n;

	if (!is_input && !mail_looks_so(text)) {
		git_say(g, "Patch format detection failed.\n");
		git_exit(g, GIT_STATUS_FATAL);
	}
	n = text.len != 0 ? mail_split(g, text, am->o.keep_cr, &mail) : 0;
	for (size_t i = 0; i < n; i++) {
		char *path;

		am->last++;
		path = repo_path(g, g->a, am_name(g, git_format(g->a, "%04d", am->last)));
		file_make_parents(g, path);
		if (file_write(g, path, mail[i], 0666) < 0)
			git_die(g, "could not write '%s'", path);
	}
}

static void read_mails(struct applying *am, struct args *args)
{
	struct git *g = am->g;
	struct bytes text;

	/* What can't be read is found before anything is begun. */
	for (int i = 0; i < args->argc; i++) {
		int err = file_read(g, g->keep, path_join(g->a, g->start, args->argv[i]), &text);

		if (strcmp(args->argv[i], "-") == 0 || err >= 0)
			continue;
		if (err == -E_ISDIR)
			git_refuse(g, "am of a Maildir");
		if (i == 0)
			git_die_errno(g, err, "could not open '%s' for reading", args->argv[i]);
		git_error(g, "cannot stat %s: %s", args->argv[i], err_text(err));
		git_die(g, "Failed to split patches.");
	}
	if (args->argc == 0)
		add_mails(am, file_stdin(g), true);
	for (int i = 0; i < args->argc; i++) {
		bool is_input = strcmp(args->argv[i], "-") == 0;

		if (is_input)
			text = file_stdin(g);
		else
			file_read(g, g->keep, path_join(g->a, g->start, args->argv[i]), &text);
		add_mails(am, text, is_input);
	}
}

static int begin(struct applying *am, struct args *args)
{
	struct git *g = am->g;
	struct oid head;

	am->next = 1;
	read_mails(am, args);
	if (am->last == 0)
		return 0;
	put_text(g, "next", "1");
	put_text(g, "last", git_format(g->a, "%d", am->last));
	put_flag(g, "quiet", am->o.quiet);
	put_flag(g, "sign", am->o.signoff);
	put_flag(g, "threeway", am->o.three_way);
	put_flag(g, "utf8", true);
	put_text(g, "keep", am->o.keep ? "t" : am->o.keep_non_patch ? "b" : "f");
	put_flag(g, "scissors", am->o.scissors);
	put_flag(g, "messageid", am->o.message_id);
	settle_apply(am);
	put_text(g, "applying", "");
	remember_head(g);
	if (head_oid(g, &head))
		ref_update(g, "ORIG_HEAD", &head, NULL, NULL, true);
	return run(am);
}

/* --- going on --- */

static void resume_opts(struct applying *am)
{
	struct git *g = am->g;

	am->next = get_number(g, "next");
	am->last = get_number(g, "last");
	am->o.quiet = am->o.quiet || get_flag(g, "quiet");
	am->o.signoff = am->o.signoff || get_flag(g, "sign");
	am->o.three_way = am->o.three_way || get_flag(g, "threeway");
	am->o.keep = get_flag(g, "keep");
	am->o.keep_non_patch = has_text(g, "keep", "b");
	am->o.scissors = get_flag(g, "scissors");
	am->o.message_id = get_flag(g, "messageid");
	resume_apply(am);
	if (am->next <= 0 || am->next > am->last)
		return;
	load_mail(am);
}

static int resolved(struct applying *am)
{
	struct git *g = am->g;
	struct oid tree, head, head_tree;

	if (am->mail.name == NULL)
		git_die(g, "cannot resume: .git/rebase-apply/final-commit does not exist.");
	say_applying(am);
	if (index_unmerged(index_get(g))) {
		git_printf(g, "You still have unmerged paths in your index.\n"
			      "You should 'git add' each file with resolved conflicts to mark them "
			      "as such.\n"
			      "You might run `git rm` on a file to accept \"deleted by them\" for "
			      "it.\n");
		stop_here(am);
	}
	if (tree_write_index(g, index_get(g), false, &tree) && head_oid(g, &head) &&
	    tree_of(g, &head, &head_tree) && oid_eq(&tree, &head_tree) && !am->o.allow_empty) {
		git_printf(g, "No changes - did you forget to use 'git add'?\n"
			      "If there is nothing left to stage, chances are that something else\n"
			      "already introduced the same changes; you might want to skip this "
			      "patch.\n");
		stop_here(am);
	}
	commit_mail(am);
	advance(am);
	return run(am);
}

/* What a patch has left behind goes; changes that are not staged stay. */
static void clean(struct git *g)
{
	struct oid head, tree = oid_empty_tree;

	if (head_oid(g, &head))
		tree_of(g, &head, &tree);
	work_reset_index(g, &tree);
	index_write(g, index_get(g));
}

static int abort_am(struct git *g)
{
	rerere_clear(g);
	struct oid head, safe, orig, tree;
	char *text = get_text(g, "abort-safety");
	bool had = head_oid(g, &head);

	if (text == NULL ||
	    (had ? !oid_parse(text, &safe) || !oid_eq(&safe, &head) : text[0] != '\0')) {
		git_warn(g, "You seem to have moved HEAD since the last 'am' failure.\n"
			    "Not rewinding to ORIG_HEAD");
		finish(g);
		return 0;
	}
	if (ref_read(g, "ORIG_HEAD", &orig, NULL) == 0 && tree_of(g, &orig, &tree)) {
		clean(g);
		work_reset_index(g, &tree);
		index_write(g, index_get(g));
		ref_update(g, "HEAD", &orig, NULL, "am --abort", false);
	}
	finish(g);
	return 0;
}

static int show_current(struct applying *am)
{
	struct git *g = am->g;
	const char *name = am->o.show_what != NULL && strcmp(am->o.show_what, "diff") == 0
				   ? "patch"
				   : git_format(g->a, "%04d", get_number(g, "next"));
	struct bytes text;

	if (file_read(g, g->a, repo_path(g, g->a, am_name(g, name)), &text) < 0)
		git_die(g, "failed to read '%s'", name);
	cmd_bytes(g->c, text);
	return 0;
}

int git_cmd_am(struct git *g, struct args *args)
{
	struct applying am = { .g = g };
	const struct git_parser p = { am_options, &am.o, am_usage, 0, NULL };
	bool resume, going = in_progress(g);

	am.o.three_way = config_bool(g, "am.threeway", false);
	am.o.message_id = config_bool(g, "am.messageid", false);
	am.o.keep_cr = config_bool(g, "am.keepcr", false);
	am.o.scissors = config_bool(g, "mailinfo.scissors", false);
	am.o.empty = "stop";
	git_parse(g, args, &p);
	if (strcmp(am.o.empty, "stop") != 0 && strcmp(am.o.empty, "drop") != 0 &&
	    strcmp(am.o.empty, "keep") != 0)
		git_exit(g,
			 git_error(g, "invalid value for '%s': '%s'", "--empty", am.o.empty) + 128);
	if (am.o.format != NULL && strcmp(am.o.format, "mbox") != 0)
		git_refuse(g, git_format(g->a, "am of mails in the format %s", am.o.format));
	resume = am.o.go_on || am.o.allow_empty || am.o.skip || am.o.abort || am.o.quit ||
		 am.o.show;
	if (going && !resume && (args->argc > 0 || !cmd_isatty(g->c, 0)))
		git_die(g, "previous rebase directory %s still exists but mbox given.",
			path_relative(g, ".git/rebase-apply"));
	if (!going && resume)
		git_die(g, "Resolve operation not in progress, we are not resuming.");
	if (!resume)
		return begin(&am, args);
	if (am.o.abort)
		return abort_am(g);
	if (am.o.quit) {
		finish(g);
		return 0;
	}
	if (am.o.show)
		return show_current(&am);
	resume_opts(&am);
	if (am.o.skip) {
		rerere_clear(g);
		clean(g);
		advance(&am);
		return run(&am);
	}
	return resolved(&am);
}
