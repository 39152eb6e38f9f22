/* SPDX-License-Identifier: MIT
 *
 * The items of a rebase that are no picks: commands, stops, labels, merges.
 */
#include "builtins/git/sequence.h"

static void reload(struct git *g)
{
	g->index = NULL;
	object_forget_packs(g);
}

/* The list may have been edited by what was run. */
static bool reread(struct rebase *r)
{
	struct git *g = r->g;
	char *text = state_read(g, REBASE_DIR "git-rebase-todo");
	struct buf b = buf_in(g->a);

	todo_put(g, &r->todo, r->at, false, &b);
	if (text == NULL || strcmp(text, buf_cstr(&b)) == 0)
		return true;
	r->todo = (struct todo){ NULL, 0, 0 };
	r->at = 0;
	if (!todo_parse(g, bytes_of(text), true, &r->todo))
		return false;
	r->total = r->done + todo_count(&r->todo);
	return true;
}

int rebase_exec(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	const char *command = arena_dup(g->keep, item->arg);
	char *none[1] = { NULL };
	bool dirty;
	int status;

	rebase_clear_line(r);
	git_say(g, "Executing: %s\n", command);
	status = git_spawn_shell(g, command, none, NULL);
	reload(g);
	bool unstaged = pick_unstaged_changes(g);
	bool staged = pick_staged_changes(g);

	dirty = unstaged || staged;
	if (unstaged)
		git_error(g, "cannot rebase: You have unstaged changes.");
	if (staged)
		git_error(g, unstaged ? "additionally, your index contains uncommitted changes."
				      : "cannot rebase: Your index contains uncommitted changes.");
	if (status != 0)
		git_warn(g,
			 "execution failed: %s\n%sYou can fix the problem, and then run\n\n"
			 "  git rebase --continue\n\n",
			 command,
			 dirty ? "and made changes to the index and/or the working tree\n" : "");
	else if (dirty)
		git_warn(g,
			 "execution succeeded: %s\n"
			 "but left changes to the index and/or the working tree\n"
			 "Commit or stash your changes, and then run\n\n"
			 "  git rebase --continue\n\n",
			 command);
	if (status == 127)
		status = 1;
	if (status == 0 && dirty)
		status = 1;
	if (status != 0)
		return r->reschedule ? STEP_AGAIN : status;
	return reread(r) ? STEP_DONE : 1;
}

int rebase_break(struct rebase *r)
{
	struct git *g = r->g;
	struct oid head;

	rebase_clear_line(r);
	if (!head_oid(g, &head))
		return 1;
	git_say(g, "Stopped at %s (%s)\n", oid_short(g, &head, 0),
		pick_subject(g, commit_at(g, &head)));
	return 0;
}

static char *label_ref(struct git *g, struct bytes name)
{
	return git_format(g->keep, "refs/rewritten/%.*s", (int)name.len, name.ptr);
}

int rebase_label(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	char *name = label_ref(g, item->arg);
	struct oid head;

	if (!head_oid(g, &head) || !ref_name_valid(name)) {
		git_error(g, "illegal label name: '%.*s'", (int)item->arg.len, item->arg.ptr);
		return STEP_AGAIN;
	}
	ref_update(g, name, &head, NULL, NULL, true);
	file_append(g, repo_path(g, g->a, REBASE_DIR "refs-to-delete"),
		    bytes_of(git_format(g->a, "%s\n", name)));
	return STEP_DONE;
}

static bool find_label(struct git *g, struct bytes name, struct oid *out)
{
	if (ref_read(g, label_ref(g, name), out, NULL) == 0)
		return true;
	return rev_commit(g, arena_dup(g->a, name), out) == 0;
}

int rebase_reset(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	const char *end = memchr(item->arg.ptr, ' ', item->arg.len);
	struct bytes name = bytes_slice(
		item->arg, 0, end != NULL ? (size_t)(end - item->arg.ptr) : item->arg.len);
	struct switch_opts so = { .action = "merge" };
	struct oid o, head, head_tree, tree;

	if (bytes_eq(name, BYTES("[new"))) {
		if (!r->root) {
			git_error(g, "[new root] is only known to rebase --root");
			return STEP_AGAIN;
		}
		o = r->root_oid;
	} else if (!find_label(g, name, &o)) {
		git_error(g, "could not read '%s'.", label_ref(g, name));
		return STEP_AGAIN;
	}
	head_oid(g, &head);
	if (!tree_of(g, &head, &head_tree) || !tree_of(g, &o, &tree) ||
	    !work_switch(g, &head_tree, &tree, &so))
		return STEP_AGAIN;
	index_write(g, index_get(g));
	r->action = git_format(g->keep, "%s: '%.*s'", rebase_action(g, "reset"), (int)name.len,
			       name.ptr);
	ref_update(g, "HEAD", &o, NULL, r->action, true);
	return STEP_DONE;
}

/* "label # oneline": the commit that is merged and the message of a new one. */
static bool split_merge(struct git *g, const struct todo_item *item, struct oid *other,
			struct bytes *message)
{
	struct bytes arg = item->arg;
	const char *end = memchr(arg.ptr, ' ', arg.len);
	struct bytes name = bytes_slice(arg, 0, end != NULL ? (size_t)(end - arg.ptr) : arg.len);
	struct bytes rest = git_trim(bytes_slice(arg, name.len, arg.len));
	struct commit_text t;

	if (rest.len != 0 && rest.ptr[0] != '#')
		git_refuse(g, "a merge of more than two heads");
	if (!find_label(g, name, other)) {
		git_error(g, "could not resolve '%.*s'", (int)name.len, name.ptr);
		return false;
	}
	if (item->commit != NULL) {
		commit_text(g, g->keep, &item->commit->oid, &t);
		*message = t.message;
	} else if (rest.len > 1) {
		rest = git_trim(bytes_slice(rest, 1, rest.len));
		*message = bytes_of(git_format(g->keep, "%.*s\n", (int)rest.len, rest.ptr));
	} else {
		*message = bytes_of(
			git_format(g->keep, "Merge branch '%.*s'\n", (int)name.len, name.ptr));
	}
	return true;
}

static bool is_same_merge(struct git *g, struct commit *c, const struct commit *ours,
			  const struct commit *theirs)
{
	commit_need(g, c);
	return c->nparents == 2 && c->parent[0] == ours && c->parent[1] == theirs;
}

/* The merge as it is: both of its sides are where they were. */
static int take_merge(struct rebase *r, struct commit *c, const struct oid *head_tree)
{
	struct git *g = r->g;
	struct switch_opts so = { .action = "merge" };

	if (!work_switch(g, head_tree, &c->tree, &so))
		return STEP_AGAIN;
	index_write(g, index_get(g));
	ref_update(g, "HEAD", &c->oid, NULL,
		   git_format(g->a, "%s: fast-forward",
			      g->reflog_action != NULL ? g->reflog_action : "rebase"),
		   true);
	return STEP_DONE;
}

/* As conflicts name it. */
static const char *merged_name(struct git *g, const struct todo_item *item, const struct oid *o)
{
	const char *end = memchr(item->arg.ptr, ' ', item->arg.len);
	size_t n = end != NULL ? (size_t)(end - item->arg.ptr) : item->arg.len;
	char *label = label_ref(g, bytes_slice(item->arg, 0, n));

	return ref_exists(g, label) ? label : oid_short(g, o, 0);
}

int rebase_merge(struct rebase *r, const struct todo_item *item)
{
	struct git *g = r->g;
	struct merging m = {
		.g = g, .ours = "HEAD", .style = merge_style_of(g, NULL), .lines = LINES_HISTOGRAM
	};
	struct oid other, head, parents[2], head_tree, o;
	struct bytes message;
	const char *action = rebase_action(g, item->flags & TODO_USE_MESSAGE ? "pick" : "merge");

	if ((item->flags & TODO_USE_MESSAGE) && r->action != NULL)
		action = r->action;

	if (!split_merge(g, item, &other, &message) || !head_oid(g, &head) ||
	    !tree_of(g, &head, &head_tree))
		return STEP_AGAIN;
	struct commit *ours = commit_at(g, &head), *theirs = commit_at(g, &other);

	commit_need(g, theirs);
	if (is_ancestor(g, theirs, ours))
		return STEP_DONE;
	if (!r->no_ff && item->commit != NULL && !(item->flags & TODO_EDIT_MESSAGE) &&
	    is_same_merge(g, item->commit, ours, theirs))
		return take_merge(r, item->commit, &head_tree);
	m.theirs = merged_name(g, item, &other);
	merge_commits(&m, ours, theirs);
	if (!merge_apply(&m, &head_tree, "merge"))
		return STEP_AGAIN;
	if (!m.clean) {
		state_write(g, "MERGE_HEAD", git_format(g->a, "%s\n", oid_hex(g, &other)));
		cmd_bytes(g->c, buf_bytes(&m.messages));
		pick_write_message(g, message, &m);
		if (item->commit != NULL) {
			rebase_put_author(g, item->commit);
			rebase_note_stop(r, item);
		} else {
			state_write(g, REBASE_MESSAGE, arena_dup(g->a, message));
		}
		cmd_flush(g->c);
		git_say(g, "Could not merge %.*s\n", (int)item->arg.len, item->arg.ptr);
		return 1;
	}
	parents[0] = head;
	parents[1] = other;
	pick_record(g, &m.tree, parents, 2,
		    item->commit != NULL ? rebase_author_of(r, &item->commit->oid) : NULL, message,
		    action, &o);
	state_clear(g);
	if (!(item->flags & TODO_EDIT_MESSAGE))
		return STEP_DONE;
	g->reflog_action = action;
	int status = rebase_run_commit(r, NULL, RUN_EDIT | RUN_AMEND | RUN_VERIFY);

	g->reflog_action = NULL;
	return status == 0 ? STEP_DONE : 1;
}
