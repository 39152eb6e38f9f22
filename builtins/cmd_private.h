/* SPDX-License-Identifier: MIT
 *
 * What the files that implement builtin.h share. The only place of this room that sees the
 * kernel.
 */
#ifndef BUILTINS_CMD_PRIVATE_H
#define BUILTINS_CMD_PRIVATE_H

#include "builtins/builtin.h"
#include "kernel/kernel.h"

struct cmd_private {
	struct bytes slot[CMD_SLOTS]; /* results of cmd_quote and its kin, in turn; in the pool */
	unsigned next_slot;
	struct bytes passwd; /* /etc/passwd and /etc/group, once read */
	struct bytes group;
	bool has_passwd;
	bool has_group;
	bool long_option; /* the one that is being applied was given by its name */
	bool ending;      /* a fatal error is under way: nothing more is flushed */
};

/* Parses c->argv into c->opts and operands: -1, or the status the command ends with. */
int opts_parse(struct cmd *c);
/* Keeps a copy of s in the next result slot. */
const char *cmd_slot(struct cmd *c, struct bytes s);

/* Of a failure: what the command's record says, or 1. */
int cmd_error_status(const struct cmd *c);

#endif
