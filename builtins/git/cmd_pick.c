/* SPDX-License-Identifier: MIT
 *
 * git cherry-pick, revert, rebase: commits applied again, one after the other. What remains to
 * be done when one stops is kept in sequencer/ or rebase-merge/.
 */
#include "builtins/git/merge.h"
#include "builtins/git/status.h"

enum pick_kind { PICK, REVERT, REBASE };

struct pick_opts {
	bool go_on, abort, skip, quit, no_commit, origin, edit, no_edit, allow_empty, keep_empty,
		signoff, allow_empty_message, quiet, force, no_ff, interactive;
	int mainline;
	const char *onto;
	struct names xopts;
	const char *strategy;
};

struct picking {
	struct git *g;
	struct pick_opts *o;
	enum pick_kind kind;
	const char *action; /* of messages and logs */
	bool more;          /* commits follow: state is kept */
};

enum result { DONE, STOPPED, REFUSED };

static const char *subject_of(struct git *g, const struct oid *o)
{
	struct commit_text t;
	struct bytes s;

	commit_text(g, g->a, o, &t);
	s = message_subject(g->a, t.message);
	return git_format(g->a, "%.*s", (int)s.len, s.ptr);
}

static char *message_for(struct picking *p, struct commit *c, const struct commit_text *t)
{
	struct git *g = p->g;
	struct buf b = buf_in(g->keep);

	if (p->kind == REVERT) {
		buf_printf(&b, "Revert \"%s\"\n\nThis reverts commit %s", subject_of(g, &c->oid),
			   oid_hex(g, &c->oid));
		if (c->nparents > 1 && p->o->mainline > 0)
			buf_printf(&b, ", reversing\nchanges made to %s",
				   oid_hex(g, &c->parent[p->o->mainline - 1]->oid));
		buf_puts(&b, ".\n");
		return buf_cstr(&b);
	}
	buf_add(&b, t->message);
	if (p->o->origin) {
		while (b.len > 0 && b.ptr[b.len - 1] == '\n')
			b.len--;
		buf_putc(&b, '\n');
		if (pretty_trailers(buf_bytes(&b)).len == 0)
			buf_putc(&b, '\n');
		buf_printf(&b, "(cherry picked from commit %s)\n", oid_hex(g, &c->oid));
	}
	return buf_cstr(&b);
}

static void stop(struct picking *p, struct commit *c, const char *message, const struct merging *m)
{
	struct git *g = p->g;
	struct buf b = buf_in(g->a);
	const char *verb = p->kind == REVERT ? "revert" : "apply";
	const char *command = p->kind == REVERT ? "revert" : "cherry-pick";

	buf_printf(&b, "%s\n# Conflicts:\n", message);
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].conflict)
			buf_printf(&b, "#\t%s\n", m->at[i].path);
	state_write(g, "MERGE_MSG", buf_cstr(&b));
	if (!p->o->no_commit || p->kind == REBASE)
		state_write(g, p->kind == REVERT ? "REVERT_HEAD" : "CHERRY_PICK_HEAD",
			    git_format(g->a, "%s\n", oid_hex(g, &c->oid)));
	git_error(g, "could not %s %s... %s", verb, oid_short(g, &c->oid, 0),
		  subject_of(g, &c->oid));
	if (p->kind == REBASE) {
		git_hint(g, NULL,
			 "Resolve all conflicts manually, mark them as resolved with\n"
			 "\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
			 "You can instead skip this commit: run \"git rebase --skip\".\n"
			 "To abort and get back to the state before \"git rebase\", run \"git "
			 "rebase "
			 "--abort\".\n");
		git_say(g, "Could not apply %s... %s\n", oid_short(g, &c->oid, 0),
			subject_of(g, &c->oid));
		return;
	}
	if (p->o->no_commit)
		git_hint(g, NULL,
			 "after resolving the conflicts, mark the corrected paths\n"
			 "with 'git add <paths>' or 'git rm <paths>'\n");
	else
		git_hint(g, NULL,
			 "After resolving the conflicts, mark them with\n"
			 "\"git add/rm <pathspec>\", then run\n"
			 "\"git %s --continue\".\n"
			 "You can instead skip this commit with \"git %s --skip\".\n"
			 "To abort and get back to the state before \"git %s\",\n"
			 "run \"git %s --abort\".\n",
			 command, command, command, command);
}

static void record(struct picking *p, struct commit *c, const struct oid *tree, const char *message,
		   const struct commit_text *t, const struct oid *head)
{
	struct git *g = p->g;
	struct oid o;
	char *author = p->kind == REVERT ? NULL : arena_dup(g->a, t->author);
	struct bytes m = message_clean(g, bytes_of(message), false);

	commit_write(g, tree, head, 1, author, m, &o);
	struct bytes s = message_subject(g->a, m);

	ref_update(g, "HEAD", &o, head, git_format(g->a, "%s: %.*s", p->action, (int)s.len, s.ptr),
		   false);
	if (p->kind != REBASE && !p->o->quiet)
		commit_print(g, &o, false, true);
	(void)c;
}

static struct commit *base_of(struct picking *p, struct commit *c)
{
	struct git *g = p->g;

	if (c->nparents > 1 && p->o->mainline == 0) {
		git_error(g, "commit %s is a merge but no -m option was given.",
			  oid_hex(g, &c->oid));
		git_die(g, "%s failed", p->kind == REVERT ? "revert" : "cherry-pick");
	}
	if (p->o->mainline > 0 && c->nparents <= 1) {
		git_error(g, "mainline was specified but commit %s is not a merge.",
			  oid_hex(g, &c->oid));
		git_die(g, "%s failed", p->kind == REVERT ? "revert" : "cherry-pick");
	}
	if (c->nparents == 0)
		return NULL;
	return c->parent[p->o->mainline > 0 ? p->o->mainline - 1 : 0];
}

static void show_status(struct git *g)
{
	struct status s;
	struct status_opts o = { .untracked = -1 };
	struct buf out = buf_in(g->a);

	status_collect(g, &s, &o);
	status_put(&s, &out);
	cmd_bytes(g->c, buf_bytes(&out));
}

/* long: the cases of one commit */
static enum result pick_one(struct picking *p, struct commit *c)
{
	struct git *g = p->g;
	struct merging m = { .g = g, .ours = "HEAD", .style = merge_style_of(g, NULL) };
	struct oid head, head_tree, base = oid_empty_tree;
	struct commit *parent;
	struct commit_text t;
	char *message;

	commit_need(g, c);
	parent = base_of(p, c);
	if (parent != NULL) {
		commit_need(g, parent);
		base = parent->tree;
	}
	if (!head_oid(g, &head) || !tree_of(g, &head, &head_tree))
		git_die(g, "your current branch does not have any commits yet");
	/* As it is: nothing needs to be made anew. */
	if (p->kind != REVERT && !p->o->no_commit && !p->o->origin && parent != NULL &&
	    oid_eq(&parent->oid, &head) && c->nparents == 1 && !p->o->no_ff && p->kind == REBASE) {
		struct switch_opts so = { .action = "merge" };

		if (!work_switch(g, &head_tree, &c->tree, &so))
			return REFUSED;
		index_write(g, index_get(g));
		ref_update(g, "HEAD", &c->oid, &head,
			   git_format(g->a, "%s: %s", p->action, subject_of(g, &c->oid)), false);
		return DONE;
	}
	if (p->o->no_commit && !tree_write_index(g, index_get(g), false, &head_tree))
		git_die(g, "your index file is unmerged.");
	commit_text(g, g->keep, &c->oid, &t);
	message = message_for(p, c, &t);
	const char *label = git_format(g->keep, "%s (%s)", oid_short(g, &c->oid, 0),
				       subject_of(g, &c->oid));
	const char *parent_label = parent != NULL ? git_format(g->keep, "parent of %s", label)
						  : "(empty tree)";

	m.theirs = p->kind == REVERT ? parent_label : label;
	m.base = p->kind == REVERT ? label : parent_label;
	for (size_t i = 0; i < p->o->xopts.n; i++)
		m.favor = strcmp(p->o->xopts.at[i], "ours") == 0     ? FAVOR_OURS
			  : strcmp(p->o->xopts.at[i], "theirs") == 0 ? FAVOR_THEIRS
								     : m.favor;
	if (p->kind == REVERT)
		merge_trees(&m, &c->tree, &head_tree, &base);
	else
		merge_trees(&m, &base, &head_tree, &c->tree);
	if (!merge_apply(&m, &head_tree, "merge")) {
		git_die(g, "%s failed", p->kind == REVERT ? "revert" : "cherry-pick");
	}
	if (p->kind != REBASE || !m.clean)
		cmd_bytes(g->c, buf_bytes(&m.messages));
	if (!m.clean) {
		stop(p, c, message, &m);
		return STOPPED;
	}
	if (p->o->no_commit) {
		state_write(g, "MERGE_MSG", message);
		if (p->kind == REVERT)
			state_write(g, "REVERT_HEAD",
				    git_format(g->a, "%s\n", oid_hex(g, &c->oid)));
		return DONE;
	}
	if (oid_eq(&m.tree, &head_tree) && !p->o->allow_empty && !oid_eq(&c->tree, &base)) {
		if (p->kind == REBASE) {
			git_say(g, "dropping %s %s -- patch contents already upstream\n",
				oid_hex(g, &c->oid), subject_of(g, &c->oid));
			return DONE;
		}
		state_write(g, p->kind == REVERT ? "REVERT_HEAD" : "CHERRY_PICK_HEAD",
			    git_format(g->a, "%s\n", oid_hex(g, &c->oid)));
		if (p->kind == PICK)
			git_say(g,
				"The previous cherry-pick is now empty, possibly due to conflict "
				"resolution.\nIf you wish to commit it anyway, use:\n\n"
				"    git commit --allow-empty\n\n"
				"Otherwise, please use 'git cherry-pick --skip'\n");
		show_status(g);
		return STOPPED;
	}
	if (p->o->edit && p->kind == REVERT && cmd_isatty(g->c, 0)) {
		struct bytes text;

		state_write(g, "MERGE_MSG", message);
		if (!message_edit(g, repo_path(g, g->a, "MERGE_MSG")))
			return STOPPED;
		file_read(g, g->keep, repo_path(g, g->a, "MERGE_MSG"), &text);
		message = arena_dup(g->keep, message_clean(g, text, true));
		state_remove(g, "MERGE_MSG");
	}
	record(p, c, &m.tree, message, &t, &head);
	return DONE;
}

/* --- what remains --- */

static void write_todo(struct picking *p, const char *file, struct commit **list, size_t n)
{
	struct git *g = p->g;
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s %s %s\n", p->kind == REVERT ? "revert" : "pick",
			   oid_hex(g, &list[i]->oid), subject_of(g, &list[i]->oid));
	state_write(g, file, buf_cstr(&b));
}

static size_t read_todo(struct git *g, const char *file, struct commit ***out)
{
	char *text = state_read(g, file);
	struct bytes rest = bytes_of(text != NULL ? text : ""), line;
	struct commit **list = NULL;
	size_t n = 0, cap = 0;

	while (git_line(&rest, &line)) {
		const char *blank = line.len != 0 ? memchr(line.ptr, ' ', line.len) : NULL;
		struct oid o;

		if (blank == NULL || line.ptr[0] == '#' ||
		    !oid_parse_bytes(bytes_slice(line, (size_t)(blank + 1 - line.ptr), line.len),
				     &o))
			continue;
		LIST_ROOM(g, list, n, cap);
		list[n++] = commit_at(g, &o);
	}
	*out = list;
	return n;
}

static void forget_sequence(struct git *g)
{
	file_remove_tree(g, repo_path(g, g->a, "sequencer"));
	state_clear(g);
}

static int pick_all(struct picking *p, struct commit **list, size_t n)
{
	struct git *g = p->g;

	for (size_t i = 0; i < n; i++) {
		enum result got;

		if (n > 1 && !p->o->no_commit)
			write_todo(p, "sequencer/todo", list + i, n - i);
		got = pick_one(p, list[i]);
		if (got == STOPPED)
			return 1;
		if (got == REFUSED)
			return GIT_STATUS_FATAL;
	}
	file_remove_tree(g, repo_path(g, g->a, "sequencer"));
	return 0;
}

static int commit_stopped(struct git *g)
{
	char *argv[4] = { arena_dup(g->keep, BYTES("commit")),
			  arena_dup(g->keep, BYTES("--no-edit")),
			  arena_dup(g->keep, BYTES("--cleanup=strip")), NULL };

	return git_run(g, 3, argv);
}

static int abort_pick(struct git *g, const char *name)
{
	char *saved = state_read(g, "sequencer/head");
	struct oid o, tree;

	if (saved == NULL || !oid_parse(saved, &o)) {
		if (!head_oid(g, &o) || (!file_exists(g, repo_path(g, g->a, "CHERRY_PICK_HEAD")) &&
					 !file_exists(g, repo_path(g, g->a, "REVERT_HEAD")))) {
			git_error(g, "no cherry-pick or revert in progress");
			git_die(g, "%s failed", name);
		}
	}
	tree_of(g, &o, &tree);
	work_reset(g, &tree);
	index_write(g, index_get(g));
	ref_update(g, "HEAD", &o, NULL, git_format(g->a, "reset: moving to %s", oid_hex(g, &o)),
		   false);
	forget_sequence(g);
	return 0;
}

static int resume(struct picking *p, bool skip)
{
	struct git *g = p->g;
	struct commit **list;
	size_t n;
	const char *head = p->kind == REVERT ? "REVERT_HEAD" : "CHERRY_PICK_HEAD";
	bool stopped = file_exists(g, repo_path(g, g->a, head));

	if (!stopped && !file_exists(g, repo_path(g, g->a, "sequencer/todo"))) {
		git_error(g, "no cherry-pick or revert in progress");
		git_die(g, "%s failed", p->kind == REVERT ? "revert" : "cherry-pick");
	}
	n = read_todo(g, "sequencer/todo", &list);
	if (skip) {
		struct oid o, tree;

		head_oid(g, &o);
		tree_of(g, &o, &tree);
		work_reset(g, &tree);
		index_write(g, index_get(g));
		state_clear(g);
	} else if (stopped) {
		int status = commit_stopped(g);

		if (status != 0)
			return status;
	}
	return pick_all(p, n > 0 ? list + 1 : list, n > 0 ? n - 1 : 0);
}

static const struct git_option pick_options[] = {
	GIT_FLAG(0, "quit", struct pick_opts, quit),
	GIT_FLAG(0, "continue", struct pick_opts, go_on),
	GIT_FLAG(0, "abort", struct pick_opts, abort),
	GIT_FLAG(0, "skip", struct pick_opts, skip),
	GIT_FLAG('n', "no-commit", struct pick_opts, no_commit),
	GIT_FLAG('e', "edit", struct pick_opts, edit),
	GIT_INT('m', "mainline", struct pick_opts, mainline),
	GIT_FLAG('x', NULL, struct pick_opts, origin),
	GIT_FLAG(0, "allow-empty", struct pick_opts, allow_empty),
	GIT_FLAG(0, "keep-redundant-commits", struct pick_opts, allow_empty),
	GIT_LIST('X', "strategy-option", struct pick_opts, xopts),
	GIT_MISSING('s', "signoff"),
	GIT_MISSING('S', "gpg-sign"),
	GIT_END(),
};

/* long: each form once */
/* What is staged would become part of the commit. */
static void refuse_staged(struct picking *p)
{
	struct git *g = p->g;
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };
	struct oid head, tree;

	if (!head_oid(g, &head) || !tree_of(g, &head, &tree))
		return;
	diff_init(g, &d);
	d.renames = 0;
	diff_settle(g, &d);
	diff_cached(g, &d, &tree, &q);
	if (q.n == 0)
		return;
	git_error(g, "your local changes would be overwritten by %s.", p->action);
	git_hint(g, "commitBeforeMerge", "commit your changes or stash them to proceed.\n");
	git_die(g, "%s failed", p->action);
}

static int pick_main(struct git *g, struct args *args, enum pick_kind kind)
{
	static const char *const pick_usage[] = { "git cherry-pick [<options>] <commit-ish>...",
						  "git cherry-pick <subcommand>", NULL };
	static const char *const revert_usage[] = { "git revert [<options>] <commit-ish>...",
						    "git revert <subcommand>", NULL };
	struct pick_opts o = { .edit = kind == REVERT };
	const struct git_parser parser = { pick_options, &o,
					   kind == REVERT ? revert_usage : pick_usage, 0, NULL };
	struct picking p = { .g = g, .o = &o, .kind = kind };
	struct revs r;
	struct commits list = { NULL, 0, 0 };
	struct commit *c;
	bool range = false;
	struct oid head;

	p.action = kind == REVERT ? "revert" : "cherry-pick";
	git_parse(g, args, &parser);
	if (o.quit) {
		forget_sequence(g);
		return 0;
	}
	if (o.abort)
		return abort_pick(g, p.action);
	if (o.go_on || o.skip)
		return resume(&p, o.skip);
	if (args->argc == 0)
		git_usage(g, parser.usage);
	if (!o.no_commit && (index_unmerged(index_get(g)) ||
			     file_exists(g, repo_path(g, g->a, "CHERRY_PICK_HEAD")))) {
		git_error(g, "%s is not possible because you have unmerged files.",
			  kind == REVERT ? "Reverting" : "Cherry-picking");
		git_hint(g, "resolveConflict",
			 "Fix them up in the work tree, and then use 'git add/rm <file>'\n"
			 "as appropriate to mark resolution and make a commit.\n");
		git_die(g, "%s failed", p.action);
	}
	revs_init(g, &r);
	for (int i = 0; i < args->argc; i++) {
		if (!revs_add(g, &r, args->argv[i]))
			git_die(g, "bad revision '%s'", args->argv[i]);
	}
	for (size_t i = 0; i < r.nitems; i++)
		range = range || r.item[i].uninteresting;
	if (range) {
		r.reverse = kind != REVERT;
		while ((c = revs_next(&r)) != NULL) {
			LIST_ROOM(g, list.at, list.n, list.cap);
			list.at[list.n++] = c;
		}
		revs_forget(g);
	} else {
		for (size_t i = 0; i < r.nitems; i++) {
			LIST_ROOM(g, list.at, list.n, list.cap);
			list.at[list.n++] = r.item[i].c;
		}
	}
	if (list.n == 0)
		git_die(g, "empty commit set passed");
	if (!o.no_commit)
		refuse_staged(&p);
	if (list.n > 1 && head_oid(g, &head))
		state_write(g, "sequencer/head", git_format(g->a, "%s\n", oid_hex(g, &head)));
	return pick_all(&p, list.at, list.n);
}

int git_cmd_cherry_pick(struct git *g, struct args *args)
{
	return pick_main(g, args, PICK);
}

int git_cmd_revert(struct git *g, struct args *args)
{
	return pick_main(g, args, REVERT);
}

/* --- rebase --- */

static const struct git_option rebase_options[] = {
	GIT_STR(0, "onto", struct pick_opts, onto),
	GIT_FLAG(0, "continue", struct pick_opts, go_on),
	GIT_FLAG(0, "abort", struct pick_opts, abort),
	GIT_FLAG(0, "skip", struct pick_opts, skip),
	GIT_FLAG(0, "quit", struct pick_opts, quit),
	GIT_FLAG('q', "quiet", struct pick_opts, quiet),
	GIT_FLAG('f', "force-rebase", struct pick_opts, force),
	GIT_FLAG(0, "no-ff", struct pick_opts, force),
	GIT_LIST('X', "strategy-option", struct pick_opts, xopts),
	GIT_MISSING('i', "interactive"),
	GIT_MISSING_ARG('x', "exec"),
	GIT_MISSING('r', "rebase-merges"),
	GIT_MISSING(0, "autosquash"),
	GIT_MISSING(0, "autostash"),
	GIT_MISSING(0, "root"),
	GIT_MISSING(0, "keep-base"),
	GIT_END(),
};
static const char *const rebase_usage[] = {
	"git rebase [-i] [options] [--exec <cmd>] [--onto <newbase> | --keep-base] [<upstream> "
	"[<branch>]]",
	"git rebase [-i] [options] [--exec <cmd>] [--onto <newbase>] --root [<branch>]",
	"git rebase --continue | --abort | --skip | --edit-todo", NULL
};

/* "rebase (pick)", or "pull --rebase (pick)", for the log. */
static const char *rebase_step(struct git *g, const char *step)
{
	return git_format(g->keep, "%s (%s)",
			  g->reflog_action != NULL ? g->reflog_action : "rebase", step);
}

static int finish_rebase(struct picking *p)
{
	struct git *g = p->g;
	char *name = state_read(g, "rebase-merge/head-name");
	char *onto = state_read(g, "rebase-merge/onto");
	struct oid head;

	head_oid(g, &head);
	if (name != NULL)
		name[strcspn(name, "\n")] = '\0';
	if (onto != NULL)
		onto[strcspn(onto, "\n")] = '\0';
	if (name != NULL && git_starts(name, "refs/")) {
		ref_update(g, name, &head, NULL,
			   git_format(g->a, "%s: %s onto %s", rebase_step(g, "finish"), name, onto),
			   false);
		ref_set_symbolic(
			g, "HEAD", name,
			git_format(g->a, "%s: returning to %s", rebase_step(g, "finish"), name));
	}
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	state_clear(g);
	if (!p->o->quiet)
		git_say(g, "\r%80s\rSuccessfully rebased and updated %s.\n", "",
			name != NULL && git_starts(name, "refs/") ? name : "detached HEAD");
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; text != NULL && *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

static int run_rebase(struct picking *p, struct commit **list, size_t n)
{
	struct git *g = p->g;
	char *done_text = state_read(g, "rebase-merge/done");
	struct buf done = buf_in(g->keep);

	buf_puts(&done, done_text != NULL ? done_text : "");
	size_t before = count_lines(done_text);

	for (size_t i = 0; i < n; i++) {
		enum result got;

		if (!p->o->quiet)
			git_say(g, "Rebasing (%zu/%zu)\r", before + i + 1, before + n);
		write_todo(p, "rebase-merge/git-rebase-todo", list + i + 1, n - i - 1);
		buf_printf(&done, "pick %s %s\n", oid_hex(g, &list[i]->oid),
			   subject_of(g, &list[i]->oid));
		state_write(g, "rebase-merge/done", buf_cstr(&done));
		got = pick_one(p, list[i]);
		if (got != DONE)
			return 1;
	}
	return finish_rebase(p);
}

static int resume_rebase(struct picking *p, bool skip)
{
	struct git *g = p->g;
	struct commit **list;
	size_t n;

	if (!file_exists(g, repo_path(g, g->a, "rebase-merge")))
		git_die(g, "No rebase in progress?");
	if (skip) {
		struct oid o, tree;

		head_oid(g, &o);
		tree_of(g, &o, &tree);
		work_reset(g, &tree);
		index_write(g, index_get(g));
		state_clear(g);
	} else {
		if (index_unmerged(index_get(g))) {
			struct index *x = g->index;

			for (size_t i = 0; i < x->n; i++)
				if (x->at[i].stage != 0 &&
				    (i == 0 || strcmp(x->at[i - 1].path, x->at[i].path) != 0))
					git_printf(g, "%s: needs merge\n", x->at[i].path);
			git_printf(g, "You must edit all merge conflicts and then\n"
				      "mark them as resolved using git add\n");
			return 1;
		}
		if (file_exists(g, repo_path(g, g->a, "CHERRY_PICK_HEAD"))) {
			struct oid tree, head, head_tree;

			g->reflog_action = "rebase (continue)";
			if (tree_write_index(g, index_get(g), false, &tree) && head_oid(g, &head) &&
			    tree_of(g, &head, &head_tree) && !oid_eq(&tree, &head_tree) &&
			    commit_stopped(g) != 0)
				return 1;
			state_clear(g);
			g->reflog_action = NULL;
		}
	}
	n = read_todo(g, "rebase-merge/git-rebase-todo", &list);
	return run_rebase(p, list, n);
}

static int abort_rebase(struct git *g)
{
	char *orig = state_read(g, "rebase-merge/orig-head");
	char *name = state_read(g, "rebase-merge/head-name");
	struct oid o, tree;

	if (orig == NULL || !oid_parse(orig, &o) || !tree_of(g, &o, &tree))
		git_die(g, "No rebase in progress?");
	work_reset(g, &tree);
	index_write(g, index_get(g));
	if (name != NULL)
		name[strcspn(name, "\n")] = '\0';
	if (name != NULL && git_starts(name, "refs/"))
		ref_set_symbolic(g, "HEAD", name,
				 git_format(g->a, "rebase (abort): returning to %s", name));
	else
		ref_update(g, "HEAD", &o, NULL, "rebase (abort): updating HEAD", true);
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	state_clear(g);
	return 0;
}

static void refuse_dirty(struct git *g)
{
	struct diff_opts d;
	struct diff_queue q[2] = { { .at = NULL }, { .at = NULL } };
	struct oid head, tree;

	diff_init(g, &d);
	d.renames = 0;
	diff_settle(g, &d);
	diff_work(g, &d, &q[0]);
	diff_finish(g, &d, &q[0]);
	if (head_oid(g, &head) && tree_of(g, &head, &tree))
		diff_cached(g, &d, &tree, &q[1]);
	if (q[0].n != 0)
		git_error(g, "cannot rebase: You have unstaged changes.");
	if (q[1].n != 0)
		git_error(g, q[0].n != 0
				     ? "additionally, your index contains uncommitted changes."
				     : "cannot rebase: Your index contains uncommitted changes.");
	if (q[0].n + q[1].n != 0) {
		git_error(g, "Please commit or stash them.");
		git_exit(g, 1);
	}
}

/* The commits of ours that upstream has not, oldest first, without merges and twins. */
static size_t to_rebase(struct git *g, struct commit *upstream, struct commit *head,
			struct commit ***out)
{
	struct revs r;
	struct commits list = { NULL, 0, 0 };
	struct commit *c;
	struct commit **bases;
	size_t n = merge_bases(g, upstream, head, &bases);

	revs_init(g, &r);
	for (size_t i = 0; i < n; i++)
		revs_add_commit(g, &r, bases[i], true);
	upstream->flags |= COMMIT_LEFT;
	revs_add_commit(g, &r, upstream, false);
	revs_add_commit(g, &r, head, false);
	r.right_only = r.cherry_pick = true;
	r.order = ORDER_TOPO;
	r.max_parents = 1;
	r.reverse = true;
	while ((c = revs_next(&r)) != NULL) {
		LIST_ROOM(g, list.at, list.n, list.cap);
		list.at[list.n++] = c;
	}
	revs_forget(g);
	*out = list.at;
	return list.n;
}

/* long: operands, checks, the start */
int git_cmd_rebase(struct git *g, struct args *args)
{
	struct pick_opts o = { .quiet = false };
	const struct git_parser parser = { rebase_options, &o, rebase_usage, 0, NULL };
	struct picking p = { .g = g, .o = &o, .kind = REBASE, .action = rebase_step(g, "pick") };
	const char *up_name, *why = NULL;
	struct oid up, onto, head, head_tree, onto_tree;
	struct commit **list, **bases;
	size_t n;
	char *branch;
	struct switch_opts so = { .action = "checkout" };

	git_parse(g, args, &parser);
	if (o.abort)
		return abort_rebase(g);
	if (o.quit) {
		file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
		return 0;
	}
	if (o.go_on || o.skip)
		return resume_rebase(&p, o.skip);
	if (file_exists(g, repo_path(g, g->a, "rebase-merge")))
		git_die(g, "It seems that there is already a rebase-merge directory, and\n"
			   "I wonder if you are in the middle of another rebase.  If that is the\n"
			   "case, please try\n"
			   "\tgit rebase (--continue | --abort | --skip)\n"
			   "If that is not the case, please\n"
			   "\trm -fr \".git/rebase-merge\"\n"
			   "and run me again.  I am stopping in case you still have something\n"
			   "valuable there.\n");
	if (args->argc > 2)
		git_usage(g, rebase_usage);
	if (args->argc == 2) {
		char *argv[4] = { arena_dup(g->keep, BYTES("checkout")),
				  arena_dup(g->keep, BYTES("-q")), args->argv[1], NULL };
		int status = git_run(g, 3, argv);

		if (status != 0)
			return status;
	}
	branch = head_ref(g);
	if (branch != NULL)
		branch = arena_dup(g->keep, bytes_of(branch));
	if (args->argc > 0) {
		up_name = args->argv[0];
	} else {
		up_name = branch != NULL ? rev_upstream(g, branch, &why) : NULL;
		if (up_name == NULL)
			git_die(g, "%s", why != NULL ? why : "You are not currently on a branch.");
	}
	if (rev_commit(g, up_name, &up) < 0)
		git_die(g, "invalid upstream '%s'", up_name);
	if (o.onto != NULL && rev_commit(g, o.onto, &onto) < 0)
		git_die(g, "Does not point to a valid commit '%s'", o.onto);
	if (o.onto == NULL)
		onto = up;
	if (!head_oid(g, &head))
		git_die(g, "No such ref: HEAD");
	refuse_dirty(g);
	n = merge_bases(g, commit_at(g, &onto), commit_at(g, &head), &bases);
	if (n > 0 && bases[0] == commit_at(g, &onto) && oid_eq(&onto, &up) && !o.force) {
		if (!o.quiet && branch != NULL)
			git_printf(g, "Current branch %s is up to date.\n", ref_short(g, branch));
		else if (!o.quiet)
			git_printf(g, "HEAD is up to date.\n");
		return 0;
	}
	o.no_ff = o.force;
	n = to_rebase(g, commit_at(g, &up), commit_at(g, &head), &list);
	tree_of(g, &head, &head_tree);
	tree_of(g, &onto, &onto_tree);
	if (!work_switch(g, &head_tree, &onto_tree, &so)) {
		git_error(g, "could not detach HEAD");
		return 1;
	}
	index_write(g, index_get(g));
	state_write(g, "rebase-merge/head-name",
		    git_format(g->a, "%s\n", branch != NULL ? branch : "detached HEAD"));
	state_write(g, "rebase-merge/onto", git_format(g->a, "%s\n", oid_hex(g, &onto)));
	state_write(g, "rebase-merge/orig-head", git_format(g->a, "%s\n", oid_hex(g, &head)));
	state_write(g, "rebase-merge/interactive", "");
	ref_update(g, "ORIG_HEAD", &head, NULL, NULL, true);
	ref_update(g, "HEAD", &onto, NULL,
		   git_format(g->a, "%s: checkout %s", rebase_step(g, "start"),
			      o.onto != NULL ? o.onto : up_name),
		   true);
	return run_rebase(&p, list, n);
}
