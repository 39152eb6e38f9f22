/* SPDX-License-Identifier: MIT
 *
 * What the parts of ps share. The words of the command line are read (options.c) into struct
 * ps_options; its lists of columns and keys are read next (format.c), then it is clear which
 * columns there are (default.c) and which processes (choose.c); ps.c writes them.
 *
 * A function that returns a string returns what is wrong, or NULL: procps reads words twice (see
 * options.c), and tells of the first error only when both readings fail.
 */
#ifndef BUILTINS_PS_PRIVATE_H
#define BUILTINS_PS_PRIVATE_H

#include "builtins/ps/ps.h"

/* --- which processes --- */

enum ps_by {
	BY_PID,
	BY_PPID,
	BY_NAME,
	BY_USER,
	BY_REAL_USER,
	BY_GROUP,
	BY_REAL_GROUP,
	BY_SID,
	BY_PGID,
	BY_TTY,
};

struct ps_match {
	enum ps_by by;
	int64_t id;       /* of a terminal: 0 is none */
	const char *name; /* BY_NAME */
};

/* --- which columns --- */

enum ps_list_kind {
	LIST_COLUMNS, /* -o */
	LIST_AROUND,  /* -O: between those of the default */
	LIST_EITHER,  /* O: the same, or keys of one letter */
	LIST_KEYS,    /* --sort */
};

struct ps_list {
	enum ps_list_kind kind;
	const char *text;
};

enum ps_forest { FOREST_NONE, FOREST_TREE, FOREST_INDENT };
enum ps_heading { HEADING_USUAL, HEADING_NONE, HEADING_PAGES };

struct ps_options {
	bool bsd;   /* some word was in BSD's style */
	bool again; /* this is the second reading */

	bool all;         /* -e */
	bool with_tty;    /* -a */
	bool not_leaders; /* -d */
	bool others;      /* a */
	bool without_tty; /* x */
	bool leaders;     /* g */
	bool running;     /* r */
	bool negate;      /* -N */
	struct ps_match *match;
	size_t nmatches;
	int64_t *quick; /* -q: these, in this order */
	size_t nquick;
	bool quick_twice;

	bool full;       /* -f */
	bool extra_full; /* -F */
	bool lines;      /* -l */
	bool jobs;       /* -j */
	bool no_flags;   /* -y */
	bool classes;    /* -c */
	bool processor;  /* -P */
	bool label;      /* -M, -Z */
	const char *set; /* a letter's columns, or those of --context; NULL: none */
	bool sets_differ;
	struct ps_list *list;
	size_t nlists;

	bool lwp;           /* -L */
	bool spid;          /* -T */
	bool threads_below; /* -m */
	bool threads_below_bsd;
	bool threads_alone; /* H */
	enum ps_forest forest;

	bool command_short;
	bool environment;
	bool numeric;
	bool cumulative;
	enum ps_heading heading;
	int64_t columns; /* of lines, 0: no bound */
	int64_t rows;
	bool columns_given;
	int wide; /* -w, so many */
};

struct ps {
	struct cmd *c;
	struct ps_view v;
	struct ps_options o;
	bool format_given;
	struct ps_key key[PS_KEYS_MAX];
	int nkeys;
};

/* Reads all words. `again`: words with a dash are letters of BSD's style. */
const char *ps_read_words(struct ps *s, bool again);
/* The list of an option; `what` it has and the option's name are for messages. NULL is no list. */
const char *ps_add_list(struct ps *s, enum ps_by by, const char *list, const char *what,
			const char *option);
/* One number of a process; `text` as a whole. */
const char *ps_add_number(struct ps *s, enum ps_by by, const char *text);
const char *ps_add_quick(struct ps *s, const char *list, const char *option);
/* -g: sessions if all are numbers, else groups. */
const char *ps_add_sessions_or_groups(struct ps *s, const char *list);
/* Texts of errors that have an argument. */
const char *ps_error(struct ps *s, const char *format, const char *a, const char *b);

/* --help SECTION; NULL is none. */
void ps_put_help(struct cmd *c, const char *section);

/* What the lists of columns and keys say, in the order of the options. */
const char *ps_read_lists(struct ps *s);
/* Whether it shows a mask of signals. */
bool ps_is_mask(const struct ps_column *col);
/* Appends columns by names with blanks between. */
void ps_add_columns(struct ps *s, const char *names);
/* Whether options about columns go together; then the columns. */
const char *ps_choose_columns(struct ps *s);

bool ps_is_chosen(const struct ps *s, const struct cmd_proc *p);

#endif
