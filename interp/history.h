/* SPDX-License-Identifier: MIT
 *
 * The list of earlier commands, for history and fc.
 */
#ifndef INTERP_HISTORY_H
#define INTERP_HISTORY_H

#include "interp/shell.h"

struct entry {
	char *text; /* in the pool */
	size_t len;
	int64_t time; /* seconds */
};

struct history {
	int count;
	int cap;
	struct entry *entry;
	int base;    /* how many were dropped before the first: positions go on */
	int fresh;   /* of the last ones, how many `history -a` has not written */
	int in_file; /* lines of the file that were read or appended */
	bool typed;  /* the last one is the command that runs */
	bool saved;  /* the first line of the command that is being read was let in */
	/* Of history expansion, in the pool: the last !?text?, the word it found, :s/left/right/ */
	char *sought;
	char *match;
	char *left;
	char *right;
};

enum history_expanded {
	HISTORY_AS_IS,
	HISTORY_EXPANDED,
	HISTORY_PRINTED, /* :p was in it: it is shown, but not executed */
	HISTORY_FAILED,  /* *out is the message */
};

/* !! and its like in a line. quote: the one that the lines before have opened, or 0. inside: the
 * last entry is the command that the line belongs to, which it does not mean. */
enum history_expanded history_expand(struct shell *sh, struct bytes line, char quote, bool inside,
				     struct bytes *out);

/* Never NULL; in the pool. */
struct history *history_of(struct shell *sh);
/* As `history -s`: whether HISTCONTROL and HISTIGNORE let it in. */
bool history_add(struct shell *sh, struct bytes text);
/* The last entry, the command that runs, is forgotten. */
void history_drop_last(struct shell *sh);
/* The last entry loses `cut` bytes and gets two texts more. */
void history_grow_last(struct shell *sh, size_t cut, const char *between, struct bytes text);
/* What runs again takes the place of the last entry. */
void history_replace_last(struct shell *sh, struct bytes text);

/* What is known of the text of a command so far; its last tokens, the newest first. */
struct history_scan {
	struct history_token {
		char text[12]; /* its beginning: reserved words and operators are not longer */
		uint8_t len;
		bool word;
		bool reserved; /* stands where a command may begin */
	} last[3];
	char quote;    /* one of " ' ` ( { that is still open, or 0 */
	int cases;     /* case that has no esac yet */
	bool in_array; /* name=( is open */
	bool newline;  /* one came behind the last token */
	size_t at;     /* so much of the text was looked at */
};

/* How a script's lines become history. */
struct script_history {
	struct history_scan scan;
	struct buf command;     /* the lines of the command so far */
	bool continued;         /* the line belongs to it */
	bool behind_comment;    /* the line before was a comment inside of it */
	enum parse_place place; /* where the line stands */
};

/* A line of a script was read: expands and records it, as options say. False: it is not to be
 * parsed. *line may become another text, which is kept until the next call. */
bool history_line(struct shell *sh, struct script_history *s, struct bytes *line);

static inline struct bytes entry_text(const struct entry *e)
{
	return (struct bytes){ e->text, e->len };
}

#endif
