/* SPDX-License-Identifier: MIT
 *
 * col, column, json_pp, dircolors, tree over lists, colours and rules, ascii, env: any bytes.
 */
#include "fuzz/session.h"

static const struct fuzz_way ways[] = {
	{ "/tmp/p", "col < /tmp/p; col -bfx < /tmp/p" },
	{ "/tmp/p", "tree --fromfile -J /tmp/p; tree --fromfile -X --prune /tmp/p" },
	{ "/tmp/p", "json_pp < /tmp/p" },
	{ "/tmp/p", "TERM=xterm dircolors -b /tmp/p; TREE_COLORS=$(cat /tmp/p) tree -C /tmp" },
	{ "/tmp/p", "column -t -N a,b,c -r c -i a -p b /tmp/p; column -J -N a,b,c -r c -i a -p b "
		    "/tmp/p" },
	{ "/tmp/p", "mkdir d; cp /tmp/p d/.gitignore; touch d/a d/b.c; tree --gitignore d" },
	{ "/tmp/p", "file -i /tmp/p; file /tmp/p; ascii -- \"$(cat /tmp/p)\"" },
	{ "/tmp/p", "gettext -es \"$(cat /tmp/p)\"; env -S \"$(cat /tmp/p)\"; env "
		    "--ignore-signal=\"$(cat /tmp/p)\"" },
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_ways("true", ways, FUZZ_COUNT(ways), data, size);
}
