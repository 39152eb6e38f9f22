/* SPDX-License-Identifier: MIT
 *
 * Lines that moved, as --color-moved shows them.
 */
#ifndef BUILTINS_GIT_MOVED_H
#define BUILTINS_GIT_MOVED_H

#include "builtins/git/diff.h"

enum moved_mode {
	MOVED_BAD = -1, /* there is no such word */
	MOVED_OFF,
	MOVED_PLAIN,
	MOVED_BLOCKS,
	MOVED_ZEBRA,
	MOVED_DIMMED_ZEBRA,
};
enum moved_marks { MOVED = 1, MOVED_OTHER = 2, MOVED_DIM = 4 };

enum moved_mode moved_mode_of(const char *word);
struct moved *moved_new(struct git *g, const struct diff_opts *o);
/* A changed line, without its newline, of the pair; from: where its text begins in the patch,
 * by which is known what stands right behind another one. Its marks, once they are found. */
unsigned moved_line(struct moved *m, const void *pair, size_t from, char sign, struct bytes line);
void moved_line_end(struct moved *m, size_t to);
/* All lines were told: from now on they are told again. */
void moved_find(struct moved *m);
const char *moved_color(struct git *g, const struct diff_opts *o, char sign, unsigned marks);

#endif
