/* SPDX-License-Identifier: MIT
 *
 * --preserve-root, as chmod, chown, chgrp and rm have it.
 */
#include "builtins/preserve_root.h"

bool is_root(struct cmd *c, const char *path, bool follow)
{
	struct vfs_stat st;
	struct vfs_stat root;
	int err = follow ? cmd_stat(c, path, &st) : cmd_lstat(c, path, &st);

	return err == 0 && cmd_lstat(c, "/", &root) == 0 && st.ino == root.ino &&
	       st.dev == root.dev;
}

int refuse_root(struct cmd *c, const char *path)
{
	if (strcmp(path, "/") == 0)
		cmd_error(c, 0, "it is dangerous to operate recursively on '/'");
	else
		cmd_error(c, 0, "it is dangerous to operate recursively on %s (same as '/')",
			  cmd_quoteaf(c, path));
	return cmd_error(c, 0, "use --no-preserve-root to override this failsafe");
}
