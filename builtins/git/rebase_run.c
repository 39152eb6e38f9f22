/* SPDX-License-Identifier: MIT
 *
 * A rebase at work: the items of its list one after the other, stops on the way, the end.
 */
#include "builtins/git/rerere.h"
#include "builtins/git/sequence.h"

#define SCRIPT REBASE_DIR "author-script"

static bool has(struct git *g, const char *name)
{
	return file_exists(g, repo_path(g, g->a, name));
}

char *rebase_first_line(struct git *g, const char *name)
{
	char *text = state_read(g, name);

	if (text != NULL)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static void write_oid(struct git *g, const char *name, const struct oid *o)
{
	state_write(g, name, git_format(g->a, "%s\n", oid_hex(g, o)));
}

const char *rebase_action(struct git *g, const char *step)
{
	const char *base = cmd_getenv(g->c, "GIT_REFLOG_ACTION");

	return git_format(g->keep, "%s (%s)", base != NULL ? base : "rebase", step);
}

/* The line that tells how far it is goes away. */
void rebase_clear_line(const struct rebase *r)
{
	struct git *g = r->g;
	const char *term = cmd_getenv(g->c, "TERM");
	const char *columns = cmd_getenv(g->c, "COLUMNS");
	int64_t width = 80;

	if (r->verbose)
		return;
	if (columns != NULL && (!git_number(columns, &width) || width < 1 || width > 10000))
		width = 80;
	if (term == NULL || strcmp(term, "dumb") == 0)
		git_say(g, "\r%*s\r", (int)width, "");
	else
		git_say(g, "\r\033[K");
}

/* --- files of the state --- */

static void save(struct rebase *r, size_t next)
{
	struct git *g = r->g;
	struct buf b = buf_in(g->a);

	todo_put(g, &r->todo, next, false, &b);
	state_write(g, REBASE_DIR "git-rebase-todo", buf_cstr(&b));
}

static void append_done(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	struct todo one = { (struct todo_item *)(uintptr_t)item, 1, 1 };
	struct buf b = buf_in(g->a);

	todo_put(g, &one, 0, false, &b);
	file_append(g, repo_path(g, g->a, REBASE_DIR "done"), buf_bytes(&b));
}

void rebase_put_author(struct git *g, const struct commit *c)
{
	struct commit_text t;
	struct person who;
	struct buf b = buf_in(g->a);

	commit_text(g, g->a, &c->oid, &t);
	person_split(t.author, &who);
	buf_puts(&b, "GIT_AUTHOR_NAME=");
	git_quote_shell(&b, arena_dup(g->a, who.name));
	buf_puts(&b, "\nGIT_AUTHOR_EMAIL=");
	git_quote_shell(&b, arena_dup(g->a, who.mail));
	buf_printf(&b, "\nGIT_AUTHOR_DATE='@%lld %c%04d'\n", (long long)who.time,
		   who.zone < 0 ? '-' : '+', who.zone < 0 ? -who.zone : who.zone);
	state_write(g, SCRIPT, buf_cstr(&b));
}

/* 'it'\''s' as the shell reads it. */
static char *unquote_shell(struct git *g, const char *s)
{
	struct buf b = buf_in(g->keep);
	bool inside = false;

	for (; *s != '\0' && (inside || *s != '\n'); s++) {
		if (*s == '\'')
			inside = !inside;
		else if (*s == '\\' && !inside && s[1] != '\0')
			buf_putc(&b, *++s);
		else
			buf_putc(&b, *s);
	}
	return buf_cstr(&b);
}

/* The variables of author-script into the environment. */
static void author_to_env(struct git *g, struct env *e)
{
	static const char *const names[] = { "GIT_AUTHOR_NAME=", "GIT_AUTHOR_EMAIL=",
					     "GIT_AUTHOR_DATE=" };
	char *text = state_read(g, SCRIPT);

	for (size_t i = 0; text != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
		char *at = strstr(text, names[i]);

		if (at != NULL)
			env_put(e, git_format(g->keep, "%s%s", names[i],
					      unquote_shell(g, at + strlen(names[i]))));
	}
}

static void forget_rewritten_pending(struct git *g)
{
	char *text = state_read(g, REBASE_DIR "rewritten-pending");
	struct oid head;
	struct bytes rest, line;
	struct buf b = buf_in(g->a);

	if (text == NULL || !head_oid(g, &head))
		return;
	rest = bytes_of(text);
	while (git_line(&rest, &line))
		buf_printf(&b, "%.*s %s\n", (int)line.len, line.ptr, oid_hex(g, &head));
	file_append(g, repo_path(g, g->a, REBASE_DIR "rewritten-list"), buf_bytes(&b));
	state_remove(g, REBASE_DIR "rewritten-pending");
}

void rebase_record_rewritten(struct rebase *r, const struct oid *o, bool pending)
{
	struct git *g = r->g;

	file_append(g, repo_path(g, g->a, REBASE_DIR "rewritten-pending"),
		    bytes_of(git_format(g->a, "%s\n", oid_hex(g, o))));
	if (!pending)
		forget_rewritten_pending(g);
}

bool rebase_next_melts(const struct rebase *r)
{
	for (size_t i = r->at; i < r->todo.n; i++) {
		if (r->todo.at[i].kind < TODO_NOOP)
			return todo_is_fixup(r->todo.at[i].kind);
	}
	return false;
}

/* --- stops --- */

static void put_patch(struct git *g, const struct commit *c)
{
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };

	diff_init(g, &d);
	d.format = DIFF_PATCH;
	diff_settle(g, &d);
	diff_trees(g, &d, c->nparents > 0 ? &c->parent[0]->tree : NULL, &c->tree, &q);
	diff_finish(g, &d, &q);
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < q.n; i++)
		diff_patch(g, &d, &q.at[i], &b);
	file_write(g, repo_path(g, g->a, REBASE_DIR "patch"), buf_bytes(&b), 0666);
}

/* Notes which commit it was, for --continue, for people and for show-current-patch. */
void rebase_note_stop(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	struct commit *c = item->commit;
	struct commit_text t;

	write_oid(g, REBASE_STOPPED, &c->oid);
	ref_update(g, "REBASE_HEAD", &c->oid, NULL, NULL, true);
	for (uint32_t i = 0; i < c->nparents; i++)
		commit_need(g, c->parent[i]);
	put_patch(g, c);
	if (!has(g, REBASE_MESSAGE)) {
		commit_text(g, g->a, &c->oid, &t);
		state_write(g, REBASE_MESSAGE,
			    git_format(g->a, "%.*s\n", (int)t.message.len, t.message.ptr));
	}
}

static void say_amend(struct git *g)
{
	struct oid head;

	if (head_oid(g, &head))
		write_oid(g, REBASE_AMEND, &head);
	git_say(g, "You can amend the commit now, with\n\n  git commit --amend \n\n"
		   "Once you are satisfied with your changes, run\n\n  git rebase --continue\n");
}

static int stop_with_patch(struct rebase *r, const struct todo_item *item, int status, bool amend)
{
	struct git *g = r->g;

	rebase_note_stop(r, item);
	if (amend)
		say_amend(g);
	else if (status != 0)
		git_say(g, "Could not apply %s... %.*s\n", oid_short(g, &item->commit->oid, 0),
			(int)item->arg.len, item->arg.ptr);
	return status;
}

static void say_conflict(struct rebase *r, const struct commit *c)
{
	struct git *g = r->g;

	cmd_flush(g->c); /* what the merge said comes first */
	git_error(g, "could not apply %s... %s", oid_short(g, &c->oid, 0), pick_first_line(g, c));
	git_hint(g, NULL,
		 "Resolve all conflicts manually, mark them as resolved with\n"
		 "\"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
		 "You can instead skip this commit: run \"git rebase --skip\".\n"
		 "To abort and get back to the state before \"git rebase\", run \"git rebase "
		 "--abort\".\n");
}

static void say_again(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	struct todo one = { (struct todo_item *)(uintptr_t)item, 1, 1 };
	struct buf b = buf_in(g->a);

	todo_put(g, &one, 0, true, &b);
	git_hint(g, NULL,
		 "Could not execute the todo command\n\n    %s\n"
		 "It has been rescheduled; To edit the command before continuing, please\n"
		 "edit the todo list first:\n\n"
		 "    git rebase --edit-todo\n    git rebase --continue\n",
		 buf_cstr(&b));
}

/* --- commits --- */

/* git commit, with the author of author-script. */
int rebase_run_commit(struct rebase *r, const char *file, unsigned flags)
{
	struct git *g = r->g;
	char *argv[16];
	int n = 0;
	struct env e;
	char *const *before = g->c->envp;
	int status;

	argv[n++] = arena_dup(g->keep, BYTES("commit"));
	if (!(flags & RUN_VERIFY))
		argv[n++] = arena_dup(g->keep, BYTES("-n"));
	if (flags & RUN_AMEND)
		argv[n++] = arena_dup(g->keep, BYTES("--amend"));
	if (file != NULL) {
		argv[n++] = arena_dup(g->keep, BYTES("-F"));
		argv[n++] = repo_path(g, g->keep, file);
	}
	if (flags & RUN_STRIP)
		argv[n++] = arena_dup(g->keep, BYTES("--cleanup=strip"));
	if (flags & RUN_EDIT)
		argv[n++] = arena_dup(g->keep, BYTES("-e"));
	else
		argv[n++] = arena_dup(g->keep, BYTES("--quiet"));
	if (file == NULL && !(flags & RUN_EDIT))
		argv[n++] = arena_dup(g->keep, BYTES("--no-edit"));
	argv[n++] = arena_dup(g->keep, BYTES("--allow-empty"));
	argv[n++] = arena_dup(g->keep, BYTES("--allow-empty-message"));
	if (flags & RUN_EDIT)
		n--; /* an empty message ends it */
	argv[n] = NULL;
	env_init(&e, g->c, false);
	author_to_env(g, &e);
	g->c->envp = e.list;
	status = git_run(g, n, argv);
	g->c->envp = before;
	g->index = NULL;
	return status;
}

/* Author and committer dates as --ignore-date and its kin want them. */
const char *rebase_author_of(struct rebase *r, const struct oid *o)
{
	struct git *g = r->g;
	struct commit_text t;
	struct person who;

	commit_text(g, g->keep, o, &t);
	if (!r->ignore_date)
		return arena_dup(g->keep, t.author);
	person_split(t.author, &who);
	int64_t now = date_now(g);
	int zone = date_local_zone(g, now);

	return git_format(g->keep, "%.*s <%.*s> %lld %c%04d", (int)who.name.len, who.name.ptr,
			  (int)who.mail.len, who.mail.ptr, (long long)now, zone < 0 ? '-' : '+',
			  zone < 0 ? -zone : zone);
}

static void record(struct rebase *r, const struct oid *tree, const struct oid *parents, size_t n,
		   const char *author, struct bytes message, const char *action)
{
	struct git *g = r->g;
	char *const *before = g->c->envp;
	struct env e;
	struct oid o;

	if (r->author_date) {
		struct person who;

		person_split(bytes_of(author), &who);
		env_init(&e, g->c, false);
		env_put(&e,
			git_format(g->keep, "GIT_COMMITTER_DATE=@%lld %c%04d", (long long)who.time,
				   who.zone < 0 ? '-' : '+', who.zone < 0 ? -who.zone : who.zone));
		g->c->envp = e.list;
	}
	pick_record(g, tree, parents, n, author, message, action, &o);
	g->c->envp = before;
}

/* --- one pick --- */

struct one {
	struct rebase *r;
	const struct todo_item *item;
	struct picking p;
	struct commit *head; /* NULL: none yet */
	bool melts;
	bool last; /* of what melts into one commit */
	struct bytes message;
};

/* Whether nothing more melts into this commit. */
static bool is_last_fixup(const struct rebase *r)
{
	return todo_is_fixup(r->todo.at[r->at - 1].kind) && !rebase_next_melts(r);
}

static bool fast_forward(struct one *o)
{
	struct git *g = o->r->g;
	struct switch_opts so = { .action = "merge" };
	struct oid none = oid_empty_tree;
	struct commit *c = o->item->commit;

	if (!work_switch(g, o->head != NULL ? &o->head->tree : &none, &c->tree, &so))
		return false;
	index_write(g, index_get(g));
	ref_update(g, "HEAD", &c->oid, o->head != NULL ? &o->head->oid : NULL,
		   "rebase: fast-forward", false);
	return true;
}

/* Whether the commit as it is can be the next one. */
static bool can_be_taken(const struct one *o)
{
	const struct rebase *r = o->r;
	const struct commit *c = o->item->commit;

	if (r->no_ff || r->sign_off || r->author_date || r->ignore_date || o->melts)
		return false;
	if (c->nparents == 1)
		return o->head != NULL && c->parent[0] == o->head;
	return c->nparents == 0 && r->root && oid_eq(&o->p.head, &r->root_oid);
}

static void set_message(struct one *o)
{
	struct git *g = o->r->g;
	struct commit_text t;

	if (!o->melts) {
		commit_text(g, g->keep, &o->item->commit->oid, &t);
		o->message = o->r->sign_off ? pick_sign_off(g, t.message) : t.message;
		return;
	}
	squash_add(g, o->item, o->r->sign_off);
	char *text = state_read(g, REBASE_DIR "message-squash");

	if (o->last && has(g, REBASE_DIR "message-fixup"))
		text = state_read(g, REBASE_DIR "message-fixup");
	o->message = bytes_of(text != NULL ? text : "");
}

static int conflict(struct one *o)
{
	struct rebase *r = o->r;
	struct git *g = r->g;

	cmd_bytes(g->c, buf_bytes(&o->p.merge.messages));
	if (o->melts) {
		char *text = state_read(g, REBASE_DIR "message-squash");

		if (text == NULL)
			text = arena_dup(g->a, o->message);
		state_write(g, REBASE_MESSAGE, text);
		state_write(g, "MERGE_MSG", text);
	} else {
		pick_write_message(g, o->message, &o->p.merge);
		if (r->sign_off)
			state_write(g, REBASE_MESSAGE, arena_dup(g->a, o->message));
	}
	say_conflict(r, o->item->commit);
	rerere_run(g);
	if (o->melts) {
		struct oid head;

		if (head_oid(g, &head))
			write_oid(g, REBASE_AMEND, &head);
	}
	return stop_with_patch(r, o->item, 1, false);
}

/* The commit changes nothing any more and --empty=ask was said. */
static int stop_empty(struct one *o)
{
	struct git *g = o->r->g;
	struct status s;
	struct status_opts so = { .untracked = -1 };
	struct buf out = buf_in(g->a);

	write_oid(g, "CHERRY_PICK_HEAD", &o->item->commit->oid);
	state_write(g, "MERGE_MSG", arena_dup(g->a, o->message));
	git_say(g, "The previous cherry-pick is now empty, possibly due to conflict "
		   "resolution.\nIf you wish to commit it anyway, use:\n\n"
		   "    git commit --allow-empty\n\n"
		   "Otherwise, please use 'git rebase --skip'\n");
	status_collect(g, &s, &so);
	status_put(&s, &out);
	git_say(g, "%.*s", (int)out.len, out.ptr);
	return stop_with_patch(o->r, o->item, 1, false);
}

static int commit_melted(struct one *o, const struct oid *tree)
{
	struct rebase *r = o->r;
	struct git *g = r->g;
	struct oid parents[32];
	size_t n = 0;
	bool edit = o->last && !has(g, REBASE_DIR "message-fixup");

	for (uint32_t i = 0; i < o->head->nparents && n < 32; i++)
		parents[n++] = o->head->parent[i]->oid;
	if (edit) {
		state_write(g, "SQUASH_MSG", arena_dup(g->a, o->message));
		state_write(g, "MERGE_MSG", arena_dup(g->a, o->message));
		g->reflog_action = rebase_action(g, todo_name(o->item->kind));
		int status = rebase_run_commit(r, "SQUASH_MSG", RUN_EDIT | RUN_AMEND | RUN_STRIP);

		g->reflog_action = NULL;
		if (status != 0)
			return stop_with_patch(r, o->item, 1, true);
	} else {
		record(r, tree, parents, n, rebase_author_of(r, &o->head->oid), o->message,
		       rebase_action(g, todo_name(o->item->kind)));
	}
	if (o->last)
		squash_forget(g);
	return STEP_DONE;
}

static int reword(struct one *o)
{
	struct rebase *r = o->r;
	struct git *g = r->g;
	int status;

	g->reflog_action = rebase_action(g, "reword");
	status = rebase_run_commit(r, NULL, RUN_EDIT | RUN_AMEND | RUN_VERIFY);
	g->reflog_action = NULL;
	return status == 0 ? STEP_DONE : stop_with_patch(r, o->item, 1, true);
}

/* An item that brings a commit, merged: what becomes of it. */
static int commit_merged(struct one *o)
{
	struct rebase *r = o->r;
	struct git *g = r->g;
	struct commit *c = o->item->commit;
	const struct oid *tree = &o->p.merge.tree;
	const struct oid *before = &o->p.head_tree;
	bool root = o->head == NULL;

	if (oid_eq(tree, before) && !oid_eq(&c->tree, &o->p.base) && r->empty != EMPTY_KEEP) {
		if (r->empty == EMPTY_ASK && !o->melts)
			return stop_empty(o);
		if (!o->melts) {
			git_say(g, "dropping %s %s -- patch contents already upstream\n",
				oid_hex(g, &c->oid), pick_subject(g, c));
			return STEP_DONE;
		}
	}
	if (o->melts)
		return commit_melted(o, tree);
	record(r, tree, &o->p.head, root ? 0 : 1, rebase_author_of(r, &c->oid), o->message,
	       rebase_action(g, todo_name(o->item->kind)));
	return o->item->kind == TODO_REWORD ? reword(o) : STEP_DONE;
}

static bool find_head(struct one *o)
{
	struct rebase *r = o->r;
	struct git *g = r->g;

	if (!head_oid(g, &o->p.head))
		git_die(g, "could not read HEAD");
	o->head = commit_at(g, &o->p.head);
	commit_need(g, o->head);
	o->p.head_tree = o->head->tree;
	if (r->root && oid_eq(&o->p.head, &r->root_oid) && !o->melts) {
		o->head = NULL;
		return false;
	}
	return true;
}

static int pick(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	struct one o = { .r = r, .item = item, .melts = todo_is_fixup(item->kind) };
	struct commit *c = item->commit, *parent;

	commit_need(g, c);
	if (c->nparents > 1) {
		git_error(g, "commit %s is a merge but no -m option was given.",
			  oid_hex(g, &c->oid));
		return STEP_AGAIN;
	}
	parent = c->nparents > 0 ? c->parent[0] : NULL;
	if (parent != NULL)
		commit_need(g, parent);
	o.p = (struct picking){ .g = g, .kind = REBASE, .commit = c, .xopts = r->xopts };
	o.last = is_last_fixup(r);
	find_head(&o);
	rebase_put_author(g, c);
	if (can_be_taken(&o)) {
		if (!fast_forward(&o))
			return STEP_AGAIN;
		return item->kind == TODO_REWORD ? reword(&o) : STEP_DONE;
	}
	set_message(&o);
	if (!pick_merge(&o.p, parent))
		return STEP_AGAIN;
	if (!o.p.merge.clean)
		return conflict(&o);
	return commit_merged(&o);
}

/* --- items --- */

static int run_item(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	int got;

	switch (item->kind) {
	case TODO_EXEC: return rebase_exec(r, item);
	case TODO_BREAK: return rebase_break(r);
	case TODO_LABEL: return rebase_label(r, item);
	case TODO_RESET: return rebase_reset(r, item);
	case TODO_MERGE: got = rebase_merge(r, item); break;
	case TODO_UPDATE_REF: return rebase_note_ref(r, item);
	case TODO_NOOP:
	case TODO_DROP:
	case TODO_COMMENT: return STEP_DONE;
	case TODO_REVERT: git_refuse(g, "revert in a rebase");
	default:
		got = pick(r, item);
		r->action = NULL;
		break;
	}
	if (got == STEP_DONE && item->kind == TODO_EDIT) {
		rebase_clear_line(r);
		git_say(g, "Stopped at %s...  %.*s\n", oid_short(g, &item->commit->oid, 0),
			(int)item->arg.len, item->arg.ptr);
		return stop_with_patch(r, item, 0, true);
	}
	if (got == STEP_DONE && item->commit != NULL)
		rebase_record_rewritten(r, &item->commit->oid, rebase_next_melts(r));
	return got;
}

/* --- the end --- */

void rebase_apply_autostash(struct git *g)
{
	char *name = rebase_first_line(g, REBASE_DIR "autostash");
	struct oid o;

	if (name == NULL || !oid_parse(name, &o))
		return;
	state_remove(g, REBASE_DIR "autostash");
	stash_apply_auto(g, &o);
}

static void delete_labels(struct git *g)
{
	char *text = state_read(g, REBASE_DIR "refs-to-delete");
	struct bytes rest = bytes_of(text != NULL ? text : ""), line;

	while (git_line(&rest, &line)) {
		char *name = arena_dup(g->a, line);

		if (git_starts(name, "refs/rewritten/") && ref_exists(g, name))
			ref_delete(g, name);
	}
}

static void run_post_rewrite(struct git *g)
{
	char *args[2] = { arena_dup(g->keep, BYTES("rebase")), NULL };

	forget_rewritten_pending(g);
	if (has(g, REBASE_DIR "rewritten-list"))
		git_hook_input(g, "post-rewrite", args,
			       repo_path(g, g->a, REBASE_DIR "rewritten-list"));
}

static int finish(struct rebase *r)
{
	struct git *g = r->g;
	char *name = rebase_first_line(g, REBASE_DIR "head-name");
	char *onto = rebase_first_line(g, REBASE_DIR "onto");
	bool named = name != NULL && git_starts(name, "refs/");
	struct oid head;

	head_oid(g, &head);
	if (named) {
		ref_update(
			g, name, &head, NULL,
			git_format(g->a, "%s: %s onto %s", rebase_action(g, "finish"), name, onto),
			false);
		ref_set_symbolic(
			g, "HEAD", name,
			git_format(g->a, "%s: returning to %s", rebase_action(g, "finish"), name));
	}
	run_post_rewrite(g);
	rebase_apply_autostash(g);
	if (!r->quiet) {
		rebase_clear_line(r);
		git_say(g, "Successfully rebased and updated %s.\n",
			named ? name : "detached HEAD");
	}
	rebase_update_refs(g, r->quiet);
	delete_labels(g);
	file_remove_tree(g, repo_path(g, g->a, "rebase-merge"));
	state_clear(g);
	state_remove(g, "REBASE_HEAD");
	return 0;
}

static void begin_item(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	static const char *const stale[] = { REBASE_MESSAGE, SCRIPT,       REBASE_STOPPED,
					     REBASE_AMEND,   "MERGE_HEAD", "AUTO_MERGE",
					     "REBASE_HEAD" };

	save(r, r->at);
	if (item->kind != TODO_COMMENT) {
		append_done(r, item);
		r->done++;
		state_write(g, REBASE_DIR "msgnum", git_format(g->a, "%zu\n", r->done));
		if (!r->quiet)
			git_say(g, "Rebasing (%zu/%zu)%s", r->done, r->total,
				r->verbose ? "\n" : "\r");
	}
	for (size_t i = 0; i < sizeof(stale) / sizeof(stale[0]); i++)
		state_remove(g, stale[i]);
}

int rebase_run(struct rebase *r)
{
	struct git *g = r->g;

	while (r->at < r->todo.n) {
		struct todo_item item = r->todo.at[r->at++];
		int got;

		cmd_charge(g->c, 10);
		begin_item(r, &item);
		got = run_item(r, &item);
		if (got == STEP_DONE)
			continue;
		if (got != STEP_AGAIN)
			return got;
		say_again(r, &item);
		save(r, r->at - 1);
		return 1;
	}
	return finish(r);
}

void rebase_skip_same(struct rebase *r, struct oid *onto)
{
	struct git *g = r->g;

	if (r->no_ff || r->sign_off || r->author_date || r->ignore_date || r->root)
		return;
	for (; r->at < r->todo.n; r->at++) {
		const struct todo_item *item = &r->todo.at[r->at];

		if (item->kind >= TODO_NOOP)
			continue;
		if (item->kind != TODO_PICK)
			break;
		commit_need(g, item->commit);
		if (item->commit->nparents != 1 || !oid_eq(&item->commit->parent[0]->oid, onto))
			break;
		*onto = item->commit->oid;
	}
	for (size_t i = 0; i < r->at; i++) {
		append_done(r, &r->todo.at[i]);
		r->done += r->todo.at[i].kind != TODO_COMMENT;
	}
	if (r->at > 0 && rebase_next_melts(r))
		rebase_record_rewritten(r, onto, true);
}
