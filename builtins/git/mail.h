/* SPDX-License-Identifier: MIT
 *
 * Commits as mail: for format-patch and am.
 */
#ifndef BUILTINS_GIT_MAIL_H
#define BUILTINS_GIT_MAIL_H

#include "builtins/git/commit.h"

struct mail_style {
	const char *prefix; /* "PATCH 1/2"; NULL: none */
	const char *from;   /* "Name <mail>" of who sends it, or NULL: the author */
	const struct names *headers;
	bool zero_commit;
	const char *signoff; /* "Name <mail>", or NULL */
};
/* "From ...", headers and the message up to the "---". */
void mail_put(struct git *g, const struct oid *o, const struct mail_style *s, struct buf *out);

/* What am takes out of a mail. */
struct mail {
	char *name;
	char *email;
	char *date;
	char *subject;
	struct bytes message; /* subject, blank line, body */
	struct bytes patch;
};
/* Takes a mail apart. keep: the subject's brackets stay. */
void mail_read(struct git *g, struct bytes text, bool keep, struct mail *out);
/* The mails of a mailbox; 0: it is none. */
size_t mail_split(struct git *g, struct bytes text, struct bytes **out);

#endif
