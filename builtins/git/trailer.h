/* SPDX-License-Identifier: MIT
 *
 * Trailers: the lines "Token: value" at the end of a message.
 */
#ifndef BUILTINS_GIT_TRAILER_H
#define BUILTINS_GIT_TRAILER_H

#include "builtins/git/git.h"

enum trailer_where { WHERE_UNSAID, WHERE_END, WHERE_AFTER, WHERE_BEFORE, WHERE_START };
enum trailer_exists {
	EXISTS_UNSAID,
	EXISTS_DIFFERENT_NEIGHBOR,
	EXISTS_DIFFERENT,
	EXISTS_ADD,
	EXISTS_REPLACE,
	EXISTS_NOTHING,
};
enum trailer_missing { MISSING_UNSAID, MISSING_ADD, MISSING_NOTHING };

/* What is to be done with a trailer. */
struct trailer_rules {
	enum trailer_where where;
	enum trailer_exists exists;
	enum trailer_missing missing;
};
/* One of the command line. */
struct trailer_arg {
	const char *text; /* "token=value" */
	struct trailer_rules rules;
};
struct trailer_args {
	struct trailer_arg *at;
	size_t n;
	size_t cap;
};
struct trailer_opts {
	bool only_trailers, only_input, unfold, trim_empty;
	bool no_divider; /* a line "---" does not end the message */
};

/* The trailers at the end of a message; empty if there are none. */
struct bytes trailers_of(struct git *g, struct bytes message);
/* The same one by one, with the lines that go on: in g->a. */
struct trailer_item {
	struct bytes text;
	int64_t separator; /* where it is; less than 1: it is no trailer */
};
size_t trailers_list(struct git *g, struct bytes message, struct trailer_item **out);
/* A value in one line. */
struct bytes trailer_unfolded(struct git *g, struct bytes v);
/* The message with the trailers of args and of the configuration, in keep. */
struct bytes trailers_apply(struct git *g, struct bytes message, const struct trailer_args *args,
			    const struct trailer_opts *o);
/* Words of options and configuration: false if there is no such. */
bool trailer_rule_where(const char *text, enum trailer_where *out);
bool trailer_rule_exists(const char *text, enum trailer_exists *out);
bool trailer_rule_missing(const char *text, enum trailer_missing *out);

#endif
