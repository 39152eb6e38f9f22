/* SPDX-License-Identifier: MIT
 *
 * The patterns of .gitignore and its kin: one rule a line, the last that matches decides.
 *
 * A rule is compared with a path relative to the directory of its file. "*" and "?" stay within
 * a part of the path, "**" crosses them; a slash in front or within anchors a rule; one at the
 * end restricts it to directories; "!" takes paths back.
 */
#ifndef BASE_IGNORE_H
#define BASE_IGNORE_H

#include "base/heap.h"

enum ignore_verdict { IGNORE_NONE, IGNORE_YES, IGNORE_NO };

struct ignore_rules;

/* No rules yet; all memory is the arena's. icase: letters match in either case. */
struct ignore_rules *ignore_new(struct arena *a, bool icase);
/* Adds the lines of a file. */
void ignore_add_file(struct ignore_rules *r, struct bytes text);
/* Adds one rule as a line has it; trailing blanks count. */
void ignore_add(struct ignore_rules *r, struct bytes line);
size_t ignore_count(const struct ignore_rules *r);

/* path: relative, without "./". Not looked at are the directories above: a walk that does not
 * enter what is ignored needs no more. *work grows by the steps taken. */
enum ignore_verdict ignore_match(const struct ignore_rules *r, struct bytes path, bool is_dir,
				 uint64_t *work);

/* Whether a pattern without slash or prefix matches the whole text, as a rule's last part. */
bool ignore_glob(struct bytes pattern, struct bytes text, bool icase, uint64_t *work);

#endif
