/* SPDX-License-Identifier: MIT
 *
 * What the files of sort share: keys, lines, how they compare.
 */
#ifndef BUILTINS_SORT_SORT_H
#define BUILTINS_SORT_SORT_H

#include "builtins/builtin.h"

enum sort_kind {
	SORT_TEXT,
	SORT_NUMERIC,
	SORT_GENERAL,
	SORT_HUMAN,
	SORT_MONTH,
	SORT_RANDOM,
	SORT_VERSION,
};

/* Ordering options, global or of one key. */
struct sort_order {
	unsigned kinds; /* bit per enum sort_kind that was asked for */
	bool dictionary;
	bool fold;
	bool printable;
	bool reverse;
	bool skip_start; /* b at the start, and at the end, of the key */
	bool skip_end;
};

struct sort_key {
	struct sort_order order;
	enum sort_kind kind;
	bool whole; /* the key is the whole line */
	bool plain; /* bytes as they are */
	uint64_t start_field;
	uint64_t start_char;
	uint64_t end_field; /* 0 with end_char 0: the end of the line */
	uint64_t end_char;
	bool has_end;
	bool obsolescent; /* +N [-M] */
	struct sort_key *next;
};

/* A line, and what is cached of its first key. */
struct sort_line {
	uint64_t prefix; /* orders as the key does, except that equal ones may differ */
	const char *ptr;
	uint32_t len;
	uint32_t key_from;
	uint32_t key_len;
	bool exact; /* equal prefixes of two exact lines mean equal keys */
};

enum { SORT_SEED = 16 };

struct sort_opts {
	struct sort_order global;
	struct sort_key *keys; /* in order; one for the whole line if none was given */
	struct sort_key **tail;
	int tab; /* -1: blanks separate */
	bool stable;
	bool unique;
	bool merge;
	bool zero;
	bool debug;
	bool keyless;    /* no key was given: there is one for the whole line */
	bool has_global; /* an ordering option besides -r */
	int check;       /* 0, 'c', 'C' */
	const char *output;
	const char *files0;
	const char *random_source;
	uint64_t salt[2];
	const uint8_t *seed; /* SORT_SEED bytes of --random-source; NULL: the salt decides */
	char end;
	struct arena *scratch; /* for copies of keys while they are compared */
	bool last_resort;      /* whole lines decide between equal keys */
};

/* --- key.c --- */
/* -k and the old +N [-M]: 0, or a status after a message. */
int sort_parse_key(struct cmd *c, struct sort_opts *o, const char *text);
int sort_parse_old_key(struct cmd *c, struct sort_opts *o, const char *from, const char *to);
/* An ordering letter: false if there is none such. */
bool sort_set_letter(struct sort_order *order, char letter, bool start, bool end);
/* Inheritance and conflicts: 0, or a status. */
int sort_finish_keys(struct cmd *c, struct sort_opts *o);
/* The span of a key in a line. */
struct bytes sort_key_of(const struct sort_opts *o, const struct sort_key *k, struct bytes line);

/* --- compare.c --- */
void sort_prepare_line(const struct sort_opts *o, struct sort_line *l);
/* Keys only. */
int sort_compare_keys(const struct sort_opts *o, const struct sort_line *a,
		      const struct sort_line *b);
/* Keys, then the whole line unless -s or -u. */
int sort_compare(const struct sort_opts *o, const struct sort_line *a, const struct sort_line *b);

/* The month that s begins with behind blanks, 1 to 12; 0: none. */
int sort_month(struct bytes s);

/* --- debug.c --- */
/* What is doubtful about the keys, on standard error. */
void sort_warn(struct cmd *c, const struct sort_opts *o);
/* The line, and under it what each key takes of it. */
void sort_put_marked(struct cmd *c, const struct sort_opts *o, struct bytes line);

/* --- order.c --- */
void sort_lines(struct cmd *c, const struct sort_opts *o, struct sort_line *lines, size_t n);

#endif
