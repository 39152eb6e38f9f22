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
	bool raw;                       /* headers are written as they are, not in ASCII */
	const char *signoff;            /* "Name <mail>", or NULL */
	const char *id;                 /* of this mail, without <>; NULL: none */
	const struct names *references; /* oldest first; the last one is replied to */
	const char *boundary;           /* of an attachment; NULL: the patch is part of the text */
};
/* The letter in front of a series. */
struct mail_cover {
	const struct commits *list; /* oldest first */
	const char *description;    /* of the branch; NULL: none */
	const char *mode;           /* --cover-from-description */
	struct diff_opts diff;      /* of the statistics */
};
/* Headers and text with the signature; what it says of changes. */
void mail_put_cover(struct git *g, const struct mail_cover *cover, const struct mail_style *s,
		    struct buf *out);
/* The commit that all of the list are made on; NULL: there are none or several. */
struct commit *mail_origin(struct git *g, const struct commits *list);
/* "From ...", headers and the message up to the "---". */
void mail_put(struct git *g, const struct oid *o, const struct mail_style *s, struct buf *out);

/* What am takes out of a mail. */
struct mail {
	char *name;
	char *email;
	char *date;
	char *subject;
	char *id;             /* Message-Id; NULL: none */
	struct bytes message; /* subject, blank line, body */
	struct bytes patch;
};
enum mail_flags {
	MAIL_KEEP = 1,           /* the subject stays as it is */
	MAIL_KEEP_NON_PATCH = 2, /* of its brackets those stay that do not say PATCH */
	MAIL_SCISSORS = 4,       /* what stands above a line of scissors is left out */
	MAIL_ID = 8,             /* the Message-Id becomes part of the message */
};
/* Takes a mail apart. flags: enum mail_flags. */
void mail_read(struct git *g, struct bytes text, unsigned flags, struct mail *out);
/* Whether the first line with something in it is one of a mail's head. */
bool mail_looks_so(struct bytes text);
/* The mails of a mailbox. Ends of lines as DOS has them become \n, unless keep_cr. */
size_t mail_split(struct git *g, struct bytes text, bool keep_cr, struct bytes **out);

#endif
