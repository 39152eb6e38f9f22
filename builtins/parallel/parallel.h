/* SPDX-License-Identifier: MIT
 *
 * parallel: what its files share.
 *
 *   input.c     sources (::: :::: -a, standard input) ──> records of arguments
 *   template.c  the command with its replacement strings ──> the text of one job
 *   dynamic.c   replacement strings with groups in their names
 *   results.c   --results as a table
 *   job.c       slots, starting, waiting, output in order, --halt, --joblog, --results
 *   pipe.c      --pipe: blocks of standard input ──> jobs
 *   parallel.c  options, and the loop that fills jobs with records
 */
#ifndef BUILTINS_PARALLEL_PARALLEL_H
#define BUILTINS_PARALLEL_PARALLEL_H

#include "builtins/builtin.h"
#include "builtins/edit.h"

enum {
	ERROR_STATUS = 255,
	FAILED_MAX = 101,        /* the status says "more than 100 jobs failed" */
	LINE_MAX_BYTES = 130000, /* of a command, unless -s says less */
	NAMES_MAX = 8,           /* replacement strings that options rename */
};

enum when { HALT_NEVER, HALT_SOON, HALT_NOW };
enum why { HALT_FAIL, HALT_SUCCESS, HALT_DONE };
enum grouping { GROUP_JOB, GROUP_LINE, GROUP_NONE };
enum resume { RESUME_NONE, RESUME_ALL, RESUME_FAILED };

/* Replacement strings that have a name of their own: -I, --er, --bnr, ... */
enum replace_kind {
	REPLACE_ARG,         /* {} */
	REPLACE_NO_EXT,      /* {.} */
	REPLACE_BASE,        /* {/} */
	REPLACE_DIR,         /* {//} */
	REPLACE_BASE_NO_EXT, /* {/.} */
	REPLACE_SEQ,         /* {#} */
	REPLACE_SLOT,        /* {%} */
	REPLACE_NAMED,       /* how many of the above */
	/* with --plus */
	REPLACE_PATH_DIR = REPLACE_NAMED, /* {+/} */
	REPLACE_EXT,                      /* {+.} */
	REPLACE_EXT2,                     /* {+..} */
	REPLACE_EXT3,                     /* {+...} */
	REPLACE_NO_EXT2,                  /* {..} */
	REPLACE_NO_EXT3,                  /* {...} */
	REPLACE_TOTAL,                    /* {##} */
	REPLACE_SEQ_PADDED,               /* {0#} */
	REPLACE_SLOT_PADDED,              /* {0%} */
	REPLACE_PERL,                     /* {= =} */
};

/* A replacement string of one's own. */
struct parallel_rpl {
	struct bytes tag;
	struct edit *code;    /* NULL: the name has groups, */
	struct regex *groups; /* and this is it, */
	struct bytes text;    /* and this the code */
};

struct parallel_opts {
	/* input */
	const char **files; /* -a, in order */
	size_t nfiles;
	int delimiter; /* '\n' */
	const char *colsep;
	bool csv;
	const char *trim;
	const char *eof;
	bool header;
	bool link;
	bool no_empty;
	bool skip_first;
	bool shuffle;
	/* filling */
	bool has_n;
	uint64_t n; /* records a job; 0 with has_n: none are put in */
	bool by_lines;
	bool many;    /* -m, -X, --xargs */
	bool spread;  /* -m, -X: the last arguments are dealt out to all slots */
	bool context; /* -X, -N, -L: a word with {} is repeated for each argument */
	uint64_t max_chars;
	bool quote;
	bool plus;
	const char *name[REPLACE_NAMED];
	struct parallel_rpl *rpl; /* --rpl */
	size_t nrpl;
	/* running */
	const char *jobs;
	bool keep_order;
	int grouping; /* enum grouping */
	bool tag;
	const char *tagstring;
	bool dry_run;
	bool verbose;
	bool trace;
	uint64_t retries;
	const char *timeout;
	const char *delay;
	const char *halt;
	const char *joblog;
	int resume; /* enum resume */
	const char *results;
	const struct bytes *names; /* of columns, by --header : */
	size_t nnames;
	bool keep_files; /* output stays in files, whose names are written */
	const char *wd;
	const char *tmpdir;
	/* --pipe */
	bool pipe;
	bool part;        /* --pipe-part: of a file */
	bool round_robin; /* blocks are dealt out to as many jobs as there are slots */
	bool cat;         /* the block is a file, whose name takes {}'s place */
	bool tee;         /* all of standard input to each job */
	uint64_t blocks;  /* --block -N: that many blocks for each slot; 0: not said */
	uint64_t block;
	const char *recend;
	const char *recstart;
	bool remove_sep;
	bool shellquote; /* only writes the arguments as the shell reads them */
	/* worked out */
	uint64_t slots;
	int halt_when; /* enum when */
	int halt_why;  /* enum why */
	uint64_t halt_count;
	bool halt_percent;
	int64_t timeout_ns;
	int64_t delay_ns;
};

/* --- input.c --- */

/* One turn of the sources: a value of each (more with --colsep). */
struct record {
	struct bytes *arg;
	size_t n;
};

struct inputs;
/* The sources of the arguments behind the command, of -a, or standard input. The words of the
 * command are c->args[0..*ncommand). */
struct inputs *inputs_new(struct cmd *c, const struct parallel_opts *o, int *ncommand);
/* The next record, in `a`; false at the end. */
bool inputs_next(struct inputs *in, struct arena *a, struct record *out);
/* Reads all that is left now: how many records there are. */
size_t inputs_count(struct inputs *in);
/* The names that --header : found, and how many. */
size_t inputs_names(const struct inputs *in, const struct bytes **names);

/* --- template.c --- */

struct template;
/* Reads the command. words: joined by blanks, or quoted each (-q). names: of --header. */
struct template *template_new(struct cmd *c, const struct parallel_opts *o, char *const *words,
			      size_t nwords, const struct bytes *names, size_t nnames);
/* The same for one text, such as that of --tagstring, where values stand unquoted. */
struct template *template_plain(struct cmd *c, const struct parallel_opts *o, struct bytes text,
				const struct bytes *names, size_t nnames);

struct job_values {
	const struct bytes *arg;
	size_t n;
	uint64_t seq;
	uint64_t slot;
	uint64_t total;   /* of jobs, for {##} */
	const char *file; /* --cat: what the job reads and leaves to be removed; NULL: none */
};
void template_expand(const struct template *t, const struct job_values *v, struct buf *out);
/* Whether {##} occurs, so that the jobs must be counted first. */
bool template_wants_total(const struct template *t);
/* Appends s as one word of the shell. */
void shell_quote(struct buf *out, struct bytes s);

/* --- dynamic.c --- */

enum { DYNAMIC_PLUS = 13 };
/* The name of a --rpl as an expression; NULL and *message: it is none. */
struct regex *dynamic_compile(struct cmd *c, struct bytes tag, const char **message);
/* If s begins with what `re` matches: the code for it, and how long that is; else NULL. */
struct edit *dynamic_match(struct cmd *c, struct regex *re, struct bytes code, struct bytes s,
			   size_t *len);
/* The same for one of --plus. cache: DYNAMIC_PLUS places, NULL at first. */
struct edit *dynamic_plus(struct cmd *c, struct regex **cache, struct bytes s, size_t *len);

/* --- job.c --- */

struct runner;
struct runner *runner_new(struct cmd *c, struct parallel_opts *o);
/* The slot the next job will have, after waiting for a free one. */
uint64_t runner_slot(struct runner *r);
/* Starts a job, or prints it. values: for --tag and --results. input: a descriptor for its
 * standard input, which is taken over, or -1: /dev/null. */
void runner_start(struct runner *r, struct bytes command, struct bytes tag,
		  const struct job_values *values, int input);
/* Whether job `seq` was done in an earlier run (--resume). */
bool runner_done_before(const struct runner *r, uint64_t seq);
/* Whether no more jobs are to be started. */
bool runner_stopped(const struct runner *r);
/* Waits for all; the status of parallel. */
int runner_finish(struct runner *r, uint64_t total);

/* --- results.c --- */

enum results_kind { RESULTS_FILES, RESULTS_CSV, RESULTS_TSV, RESULTS_JSON };

struct result_row {
	uint64_t seq;
	int64_t start_ns;
	int64_t end_ns;
	uint64_t sent;
	int status; /* as wait has it */
	struct bytes command;
	const struct bytes *arg;
	size_t n;
	struct bytes out;
	struct bytes err;
};

/* What the name of --results asks for. */
enum results_kind results_kind(const char *path);
/* All of a file, from its beginning; fd may be -1. */
struct bytes results_read(struct cmd *c, struct arena *a, int fd);
/* The line of headers of n values. */
void results_head(struct buf *out, enum results_kind kind, const struct bytes *names, size_t nnames,
		  size_t n);
void results_put(struct buf *out, enum results_kind kind, const struct result_row *row);

/* --- pipe.c --- */

void pipe_run(struct cmd *c, const struct parallel_opts *o, struct runner *r,
	      const struct template *command, const struct template *tag);

#endif
