/* SPDX-License-Identifier: MIT
 *
 * What the parts of rg share: options, the pattern, the file being searched.
 *
 *   walk.c     which files           pattern.c   Rust's syntax into the engine's
 *   search.c   which lines           print.c     lines for people      json.c   for programs
 */
#ifndef BUILTINS_RG_RG_H
#define BUILTINS_RG_RG_H

#include "base/ignore.h"
#include "base/regex.h"
#include "builtins/builtin.h"

struct rg_type {
	const char *name;
	const char *globs; /* separated by blanks */
};

struct rg_choice {
	const char *name;
	bool negate;
};

enum rg_case { RG_CASE_SENSITIVE, RG_CASE_IGNORE, RG_CASE_SMART };
enum rg_mode { RG_LINES, RG_COUNT, RG_COUNT_MATCHES, RG_WITH, RG_WITHOUT, RG_JSON, RG_QUIET };
enum rg_sort { RG_SORT_PATH, RG_SORT_MODIFIED, RG_SORT_ACCESSED, RG_SORT_CREATED };
enum rg_syntax { RG_RUST, RG_FIXED, RG_PCRE };
enum rg_color { RG_COLOR_NEVER, RG_COLOR_ALWAYS };
enum { RG_ON = 1, RG_OFF = 2 };
enum rg_tmp { RG_TMP_MESSAGE, RG_TMP_REPLACED, RG_TMP_LINE, RG_TMP_JSON, RG_TMPS };

struct rg {
	struct cmd *c;
	/* patterns */
	struct bytes *pattern;
	size_t npatterns;
	bool have_patterns;
	int letters; /* enum rg_case */
	int syntax;  /* enum rg_syntax */
	bool words;
	bool lines;
	bool invert;
	bool multiline;
	bool dotall;
	bool no_unicode;
	/* what is written */
	int mode; /* enum rg_mode */
	bool count;
	bool count_matches;
	bool only_matching;
	bool include_zero;
	bool passthru;
	bool trim;
	bool stats;
	bool vimgrep;
	bool files; /* --files */
	bool type_list;
	bool null;
	bool quiet;
	bool no_messages;
	bool offsets;
	int heading; /* RG_ON, RG_OFF; 0: not given */
	int numbers;
	int columns;
	int names;
	int color;
	const char *replace;
	const char *separator; /* between groups; NULL: none */
	const char *match_mark;
	const char *context_mark;
	uint64_t before;
	uint64_t after;
	bool both;      /* the last of these options was -C */
	int64_t max;    /* lines of one file; -1: no bound */
	uint64_t width; /* of lines; 0: no bound */
	bool preview;
	/* which files */
	bool hidden;
	bool text;
	bool binary; /* searched as if given */
	int unrestricted;
	bool no_ignore;
	bool no_vcs;
	bool no_dot;
	bool no_parent;
	bool no_global;
	bool no_exclude;
	bool no_require_git;
	bool no_ignore_files;
	bool follow;
	bool glob_icase;
	int64_t depth;     /* -1: no bound */
	uint64_t size_max; /* 0: no bound */
	int sort;
	bool sort_down;
	struct bytes *glob; /* -g, --iglob: the latter with a NUL in front */
	size_t nglobs;
	struct ignore_rules *explicit_rules;
	const char **ignore_files;
	size_t nignore_files;
	struct rg_type *types;
	size_t ntypes;
	size_t types_cap;
	struct rg_choice *chosen;
	size_t nchosen;
	bool type_selects;
	/* derived */
	struct regex *re;
	bool nothing; /* no pattern at all: no line matches */
	bool with_names;
	bool need_spans;
	struct ignore_rules *over; /* of -g */
	struct ignore_rules *over_icase;
	bool over_selects;
	struct ignore_rules *global;
	uint64_t work;
	bool error;
	bool matched;
	bool wrote; /* some file's lines were written */
	uint64_t searched;
	/* statistics */
	uint64_t total_matches;
	uint64_t total_lines;
	uint64_t total_files;
	uint64_t total_bytes;
	uint64_t printed;
	/* the file being searched */
	const char *name; /* as it is written */
	bool given;       /* named on the command line */
	struct bytes region;
	uint64_t base; /* offset of the region */
	uint64_t line; /* number of the line at `counted` */
	size_t counted;
	uint64_t selected; /* lines */
	uint64_t matches;
	uint64_t file_bytes;
	uint64_t printed_before;
	uint64_t pending; /* lines of context still to be written */
	bool wrote_file;  /* something of this file */
	bool gap;         /* lines were left out since */
	bool stop;
	bool left;   /* it was not searched: binary */
	int64_t nul; /* offset of the first NUL; -1 */
	bool strip;  /* "./" in front of names is not written */
	/* Used again and again: the arena grows with the engine's states and can't be released. */
	struct buf tmp[RG_TMPS];
	struct regex_span *span; /* matches in the current line or block */
	size_t nspans;
	size_t spans_cap;
};

/* "rg: "-less message on standard error and status 2. */
int rg_fail(struct rg *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for one file: the search goes on. Silent with --no-messages. */
void rg_complain(struct rg *g, const char *path, int err);

/* An empty buffer, valid until the next call for the same one. */
static inline struct buf *rg_tmp(struct rg *g, enum rg_tmp which)
{
	g->tmp[which].len = 0;
	return &g->tmp[which];
}

/* types.c */
void rg_types_init(struct rg *g);
opt_fn rg_type_add;
opt_fn rg_type_clear;
opt_fn rg_type_choose;
int rg_types_check(struct rg *g);
enum ignore_verdict rg_types_verdict(struct rg *g, struct bytes name);
int rg_type_list(struct rg *g);

/* pattern.c: compiles the patterns into g->re. 0, or a status after a message. */
int rg_compile(struct rg *g);

/* walk.c: calls fn for every file to be searched, in order. */
typedef void rg_file_fn(struct rg *g, const char *path, const struct vfs_stat *st);
void rg_walk(struct rg *g, rg_file_fn *fn);

/* search.c */
void rg_search(struct rg *g, const char *path);
void rg_search_stdin(struct rg *g);

/* print.c: one line, or with -U a block of lines, [from, to) of the region with its newline. */
void rg_put_match(struct rg *g, size_t from, size_t to);
void rg_put_context(struct rg *g, size_t from, size_t to);
void rg_put_end(struct rg *g); /* of the file: counts and names */
void rg_put_path(struct rg *g, const char *path, char end);
void rg_put_stats(struct rg *g);
void rg_write(struct rg *g, const void *ptr, size_t len);
void rg_puts(struct rg *g, const char *s);
/* Number of the line that begins at `at`: called with growing places. */
uint64_t rg_line_number(struct rg *g, size_t at);
/* -r: what stands for the match whose spans are given. */
void rg_expand(struct rg *g, struct bytes text, const struct regex_span *spans, size_t nspans,
	       struct buf *out);
/* All matches in [from, to) of the region, into g->span. */
void rg_find_spans(struct rg *g, size_t from, size_t to);

/* json.c */
void rg_json_lines(struct rg *g, size_t from, size_t to, bool match);
void rg_json_end(struct rg *g);
void rg_json_summary(struct rg *g);

#endif
