/* SPDX-License-Identifier: MIT
 *
 * What happens on the other side of a push: its rules, its hooks, its references.
 */
#include "builtins/git/push.h"

enum { LINE_TAIL = 8 };

/* Text of the other side: each line behind "remote: ", with blanks behind as on a plain
 * terminal. */
static void say_remote(struct git *g, struct bytes text)
{
	struct bytes line;

	while (git_line(&text, &line))
		git_say(g, "remote: %.*s%*s\n", (int)line.len, line.ptr,
			line.len != 0 ? LINE_TAIL : 0, "");
}

/* --- hooks --- */

struct hook {
	struct git *g;
	struct git *to;
	char *argv[64];
	int n;
};

static bool hook_find(struct hook *h, const char *name)
{
	const char *dir = config_get(h->to, "core.hookspath");
	char *path = dir != NULL ? path_join(h->g->keep, config_expand_path(h->to, dir), name)
				 : git_format(h->g->keep, "%s/hooks/%s", h->to->common, name);
	struct vfs_stat st;

	if (cmd_stat(h->g->c, path, &st) < 0 || (st.mode & S_FMT) != S_REG ||
	    cmd_access(h->g->c, CMD_CWD, path, 1) != 0)
		return false;
	h->argv[0] = path;
	h->n = 1;
	return true;
}

static void hook_arg(struct hook *h, const char *text)
{
	if (h->n < 63)
		h->argv[h->n++] = arena_dup(h->g->keep, bytes_of(text));
}

/* Runs it in the other repository with `input` on its standard input. */
static int hook_run(struct hook *h, struct bytes input)
{
	struct git *g = h->g;
	char *back;
	char *file = path_join(g->a, h->to->dir, "COWSH_HOOK_OUTPUT");
	char *feed = path_join(g->a, h->to->dir, "COWSH_HOOK_INPUT");
	struct bytes text;
	struct env e;
	int in, out, status;

	cmd_getcwd(g->c, &back);
	h->argv[h->n] = NULL;
	env_init(&e, g->c, false);
	env_put(&e, "GIT_DIR=.");
	if (file_write(g, feed, input, 0600) < 0 || cmd_chdir(g->c, h->to->dir) < 0)
		return 1;
	in = cmd_open(g->c, CMD_CWD, feed, O_RDONLY_, 0);
	out = cmd_open(g->c, CMD_CWD, file, O_WRONLY_ | O_CREAT_ | O_TRUNC_, 0600);
	const int fds[3] = { in, out, out };
	struct cmd_program prog = { .argv = h->argv, .envp = e.list, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(g->c, &prog);

	status = 1;
	if (pid >= 0 && cmd_wait(g->c, pid, &status, false) >= 0)
		status = cmd_exit_status(status);
	cmd_close(g->c, in);
	cmd_close(g->c, out);
	if (file_read(g, g->a, file, &text) == 0)
		say_remote(g, text);
	cmd_unlink(g->c, CMD_CWD, file, 0);
	cmd_unlink(g->c, CMD_CWD, feed, 0);
	cmd_chdir(g->c, back);
	return status;
}

static struct bytes hook_lines(struct git *g, const struct push_ref *list, size_t n)
{
	struct buf b = buf_in(g->keep);

	for (size_t i = 0; i < n; i++)
		if (list[i].state == PUSH_OK)
			buf_printf(&b, "%s %s %s\n",
				   oid_hex(g, list[i].has_old ? &list[i].old : &oid_null),
				   oid_hex(g, &list[i].new_oid), list[i].dst);
	return buf_bytes(&b);
}

/* --- rules --- */

static const char refuse_current[] =
	"error: refusing to update checked out branch: %s\n"
	"error: By default, updating the current branch in a non-bare repository\n"
	"is denied, because it will make the index and work tree inconsistent\n"
	"with what you pushed, and will require 'git reset --hard' to match\n"
	"the work tree to HEAD.\n\n"
	"You can set the 'receive.denyCurrentBranch' configuration variable\n"
	"to 'ignore' or 'warn' in the remote repository to allow pushing into\n"
	"its current branch; however, this is not recommended unless you\n"
	"arranged to update its work tree to match what you pushed in some\n"
	"other way.\n\n"
	"To squelch this message and still keep the default behaviour, set\n"
	"'receive.denyCurrentBranch' configuration variable to 'refuse'.\n";

static const char refuse_delete_current[] =
	"error: By default, deleting the current branch is denied, because the next\n"
	"'git clone' won't result in any file checked out, causing confusion.\n\n"
	"You can set 'receive.denyDeleteCurrent' configuration variable to\n"
	"'warn' or 'ignore' in the remote repository to allow deleting the\n"
	"current branch, with or without a warning message.\n\n"
	"To squelch this message, you can set it to 'refuse'.\n"
	"error: refusing to delete the current branch: %s\n";

static void refuse(struct push_ref *r, const char *why)
{
	r->state = PUSH_REMOTE;
	r->why = why;
}

/* gone: it is about deleting the current branch, else about changing it. */
static void check_current(struct git *g, struct git *to, struct push_ref *r, bool gone)
{
	const char *deny = config_get(to, gone ? "receive.denydeletecurrent"
					       : "receive.denycurrentbranch");

	if (deny != NULL && (strcmp(deny, "ignore") == 0 || config_truth(deny) == 0))
		return;
	if (deny != NULL && strcmp(deny, "warn") == 0) {
		say_remote(g, bytes_of(git_format(
				      g->a, gone ? "warning: deleting the current branch\n"
						 : "warning: updating the current branch\n")));
		return;
	}
	if (deny != NULL && strcmp(deny, "updateInstead") == 0)
		git_refuse(g, "receive.denyCurrentBranch=updateInstead");
	if (deny == NULL)
		say_remote(g,
			   bytes_of(git_format(g->a, gone ? refuse_delete_current : refuse_current,
					       r->dst)));
	else
		say_remote(g, bytes_of(git_format(
				      g->a,
				      gone ? "error: refusing to delete the current branch: %s\n"
					   : "error: refusing to update checked out branch: %s\n",
				      r->dst)));
	refuse(r, gone ? "deletion of the current branch prohibited"
		       : "branch is currently checked out");
}

static void check_rules(struct git *g, struct git *to, struct push_ref *r)
{
	char *head = head_ref(to);

	if (!git_starts(r->dst, "refs/") || !ref_name_valid(r->dst)) {
		say_remote(g, bytes_of(git_format(
				      g->a, "error: refusing to create funny ref '%s' remotely\n",
				      r->dst)));
		refuse(r, "funny refname");
		return;
	}
	bool current = head != NULL && strcmp(head, r->dst) == 0;

	if (current && !to->bare)
		check_current(g, to, r, false);
	if (r->state != PUSH_OK)
		return;
	if (r->src == NULL && config_bool(to, "receive.denydeletes", false)) {
		say_remote(g, bytes_of(git_format(g->a, "error: denying ref deletion for %s\n",
						  r->dst)));
		refuse(r, "deletion prohibited");
	} else if (r->src == NULL && r->has_old && current) {
		check_current(g, to, r, true);
	} else if (r->forced && git_starts(r->dst, "refs/heads/") &&
		   config_bool(to, "receive.denynonfastforwards", false)) {
		say_remote(g,
			   bytes_of(git_format(
				   g->a,
				   "error: denying non-fast-forward %s (you should pull first)\n",
				   r->dst)));
		refuse(r, "non-fast-forward");
	}
}

/* --- all of it --- */

static void set_one(struct git *g, struct git *to, const struct push_ref *r)
{
	if (r->src == NULL && !r->has_old)
		say_remote(g, BYTES("warning: deleting a non-existent ref\n"));
	else if (r->src == NULL)
		ref_delete(to, r->dst);
	else
		ref_update(to, r->dst, &r->new_oid, NULL, "push", true);
}

static void run_update_hook(struct hook *h, struct push_ref *r)
{
	struct git *g = h->g;

	if (!hook_find(h, "update"))
		return;
	hook_arg(h, r->dst);
	hook_arg(h, oid_hex(g, r->has_old ? &r->old : &oid_null));
	hook_arg(h, oid_hex(g, &r->new_oid));
	if (hook_run(h, BYTES("")) == 0)
		return;
	say_remote(g, bytes_of(git_format(g->a, "error: hook declined to update %s\n", r->dst)));
	refuse(r, "hook declined");
}

static void run_last_hooks(struct hook *h, const struct push_ref *list, size_t n)
{
	struct bytes lines = hook_lines(h->g, list, n);

	if (lines.len == 0)
		return;
	if (hook_find(h, "post-receive"))
		hook_run(h, lines);
	if (!hook_find(h, "post-update"))
		return;
	for (size_t i = 0; i < n; i++)
		if (list[i].state == PUSH_OK)
			hook_arg(h, list[i].dst);
	hook_run(h, BYTES(""));
}

/* Of an atomic push: one that is refused takes the others along. */
static void refuse_together(struct push_ref *list, size_t n)
{
	bool refused = false;

	for (size_t i = 0; i < n; i++)
		refused = refused || list[i].state > PUSH_UP_TO_DATE;
	for (size_t i = 0; i < n && refused; i++)
		if (list[i].state == PUSH_OK)
			refuse(&list[i], "atomic push failure");
}

void receive_refs(struct git *g, struct git *to, struct push_ref *list, size_t n, bool atomic)
{
	struct hook h = { .g = g, .to = to };

	if (hook_find(&h, "pre-receive") && hook_lines(g, list, n).len != 0 &&
	    hook_run(&h, hook_lines(g, list, n)) != 0)
		for (size_t i = 0; i < n; i++)
			if (list[i].state == PUSH_OK)
				refuse(&list[i], "pre-receive hook declined");
	for (size_t i = 0; i < n; i++) {
		if (list[i].state == PUSH_OK)
			check_rules(g, to, &list[i]);
		if (list[i].state == PUSH_OK)
			run_update_hook(&h, &list[i]);
		if (list[i].state == PUSH_OK && !atomic)
			set_one(g, to, &list[i]);
		if (atomic && list[i].state > PUSH_UP_TO_DATE)
			break;
	}
	if (atomic)
		refuse_together(list, n);
	for (size_t i = 0; i < n && atomic; i++)
		if (list[i].state == PUSH_OK)
			set_one(g, to, &list[i]);
	run_last_hooks(&h, list, n);
}
