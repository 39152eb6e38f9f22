/* SPDX-License-Identifier: MIT
 *
 * core.sharedRepository: which permissions the files of a repository have. git-init(1), --shared.
 */
#include "builtins/git/share.h"

enum { GROUP = 0660, EVERYBODY = 0664, OWNER = 0600 };

int share_parse(struct git *g, const char *text, const char *what)
{
	int mode = 0;
	size_t n = 0;

	if (text == NULL || strcmp(text, "group") == 0)
		return GROUP;
	if (strcmp(text, "umask") == 0)
		return 0;
	if (strcmp(text, "all") == 0 || strcmp(text, "world") == 0 ||
	    strcmp(text, "everybody") == 0)
		return EVERYBODY;
	while (n < 6 && text[n] >= '0' && text[n] <= '7')
		mode = mode * 8 + (text[n++] - '0');
	if (n == 0 || text[n] != '\0') {
		if (config_truth(text) < 0)
			git_die(g, "bad boolean config value '%s' for '%s'", text, what);
		return config_truth(text) == 1 ? GROUP : 0;
	}
	if (mode <= 2)
		return mode == 0 ? 0 : mode == 1 ? GROUP : EVERYBODY;
	if ((mode & OWNER) != OWNER)
		git_die(g,
			"problem with core.sharedRepository filemode value (0%.3o).\n"
			"The owner of files must always have read and write permissions.",
			(unsigned)mode);
	/* A number says all, not only what is added. */
	return -(mode & 0666);
}

const char *share_value(struct git *g, int shared)
{
	if (shared < 0)
		return git_format(g->a, "0%o", (unsigned)-shared);
	return shared == GROUP ? "1" : "2";
}

void share_path(struct git *g, const char *path)
{
	struct vfs_stat st;
	uint32_t bits, mode;

	if (g->shared == 0 || cmd_lstat(g->c, path, &st) < 0 || (st.mode & S_FMT) == S_LNK)
		return;
	bits = (uint32_t)(g->shared < 0 ? -g->shared : g->shared);
	if ((st.mode & 0200) == 0)
		bits &= ~0222u;
	/* Who may read may do what the owner may execute. */
	if (st.mode & 0100)
		bits |= (bits & 0444) >> 2;
	mode = g->shared < 0 ? (st.mode & 07000) | bits : (st.mode & 07777) | bits;
	if ((st.mode & S_FMT) == S_DIR && (mode & 060) != 0)
		mode |= 02000;
	if (mode != (st.mode & 07777))
		cmd_chmod(g->c, CMD_CWD, path, mode, 0);
}
