/* SPDX-License-Identifier: MIT
 *
 * --continue, --skip, --abort, --quit and --strategy of rebase, cherry-pick and revert.
 */
#include "builtins/git/sequence.h"

static int choose(struct git *g, struct sequence_choice *c, enum sequence_action action,
		  const char *name)
{
	if (c->action != ACT_START && c->action != action) {
		git_error(g, "option `%s' is incompatible with --%s", name, c->name);
		return GIT_STATUS_USAGE;
	}
	c->action = action;
	c->name = name;
	return 0;
}

#define ACTION(fn, action, name)                                                                   \
	int fn(struct git *g, void *opts, const char *arg, bool unset)                             \
	{                                                                                          \
		(void)arg, (void)unset;                                                            \
		return choose(g, opts, action, name);                                              \
	}
ACTION(act_continue, ACT_CONTINUE, "continue")
ACTION(act_skip, ACT_SKIP, "skip")
ACTION(act_abort, ACT_ABORT, "abort")
ACTION(act_quit, ACT_QUIT, "quit")
ACTION(act_edit, ACT_EDIT, "edit-todo")
ACTION(act_show, ACT_SHOW, "show-current-patch")

int set_strategy(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts, (void)unset;
	if (strcmp(arg, "ort") != 0 && strcmp(arg, "recursive") != 0)
		git_refuse(g, git_format(g->a, "%s --strategy=%s", g->command, arg));
	return 0;
}
