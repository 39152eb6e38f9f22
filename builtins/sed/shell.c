/* SPDX-License-Identifier: MIT
 *
 * sed: commands run by e and by s///e.
 */
#include "builtins/sed/sed.h"

void sed_shell(struct sed *s, struct bytes command, struct sed_space *out)
{
	struct cmd *c = s->c;
	struct arena_mark mark = arena_mark(c->arena);
	char *argv[] = { "sh", "-c", arena_dup(c->arena, command), NULL };
	int ends[2];
	int status;
	char block[4096];
	int64_t got;

	if (cmd_pipe(c, ends) < 0)
		cmd_fatal_status(c, 4, 0, "error subprocess");
	int fds[] = { 0, ends[1], 2 };
	struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };
	int pid = cmd_spawn(c, &prog);

	cmd_close(c, ends[1]);
	if (pid < 0)
		cmd_fatal_status(c, 4, pid, "error subprocess");
	while ((got = cmd_read(c, ends[0], block, sizeof block)) > 0) {
		cmd_charge_bytes(c, (size_t)got);
		sed_append(s, out, (struct bytes){ block, (size_t)got });
	}
	cmd_close(c, ends[0]);
	cmd_wait(c, pid, &status, false);
	arena_release(c->arena, mark);
}
