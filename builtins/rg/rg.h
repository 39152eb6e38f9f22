/* SPDX-License-Identifier: MIT
 *
 * What the parts of rg share: options, the pattern, the file being searched.
 *
 *   options.c  the table             usage.c     arguments before they are parsed
 *   walk.c     which files           compile.c, pattern.c   what is looked for
 *   source.c   where text is from    encoding.c  text that is not UTF-8
 *   search.c   which lines           print.c     lines for people      json.c   for programs
 *   color.c    how they look
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
enum rg_color { RG_COLOR_AUTO, RG_COLOR_NEVER, RG_COLOR_ALWAYS };
enum { RG_ON = 1, RG_OFF = 2 };
enum rg_tmp { RG_TMP_MESSAGE, RG_TMP_REPLACED, RG_TMP_LINE, RG_TMP_JSON, RG_TMP_STYLE, RG_TMPS };
enum rg_ends { RG_ENDS_LF, RG_ENDS_CRLF, RG_ENDS_NUL }; /* what ends lines */
enum rg_encoding {
	RG_ENCODING_AUTO,
	RG_ENCODING_NONE,
	RG_UTF8,
	RG_UTF16LE,
	RG_UTF16BE,
	RG_ONE_BYTE,
	RG_WIDE,
	RG_USER_DEFINED,
};

enum rg_color_kind { RG_COLOR_NONE, RG_COLOR_NAMED, RG_COLOR_NUMBER, RG_COLOR_RGB };

struct rg_hue {
	enum rg_color_kind kind;
	uint8_t value[3];
};

enum rg_part { RG_PATH, RG_NUMBER, RG_COLUMN, RG_MATCH, RG_PARTS };

/* How a part of the output looks. */
struct rg_style {
	struct rg_hue color[2]; /* foreground, background */
	bool bold;
	bool intense;
	bool underline;
};

struct half; /* builtins/iconv/iconv.h */
struct wide;

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
	bool hybrid; /* --engine auto: PCRE2 where the default engine refuses */
	int ends;    /* enum rg_ends */
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
	const char *path_separator; /* NULL: '/' */
	struct rg_style style[RG_PARTS];
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
	bool ignore_icase;
	bool follow;
	bool glob_icase;
	int64_t depth;     /* -1: no bound */
	uint64_t size_max; /* 0: no bound */
	int sort;
	bool sort_down;
	bool sorted;        /* --sort is given: errors of the walk have other words, */
	bool one_thread;    /* as with -j 1 */
	struct bytes *glob; /* -g, --iglob: the latter with a NUL in front */
	size_t nglobs;
	bool unpack;     /* -z */
	const char *pre; /* NULL: none */
	struct bytes *pre_glob;
	size_t npre_globs;
	enum rg_encoding encoding;
	const struct half *half; /* the encoding's tables */
	struct wide *wide;
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
	char eol;        /* the last byte of a line */
	const char *end; /* what is written behind one */
	size_t end_len;
	int messages_fd; /* of programs that read files; 0: none yet */
	struct ignore_rules *pre_over;
	bool pre_selects;
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
/* The same of a path that can't be walked. */
void rg_complain_of_walk(struct rg *g, const char *path, int err);

/* An empty buffer, valid until the next call for the same one. */
static inline struct buf *rg_tmp(struct rg *g, enum rg_tmp which)
{
	g->tmp[which].len = 0;
	return &g->tmp[which];
}

/* options.c */
extern const struct opt rg_options[];

/* usage.c: "error: TEXT" with the usage behind it, and status 2. */
int rg_usage(struct cmd *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int rg_no_pattern(struct cmd *c);
/* arg is none of the words that the option takes. */
int rg_bad_value(struct cmd *c, const struct opt *opt, const char *arg, const char *words);
/* Puts the configuration file's arguments in front and checks all names; ends the command if one
 * is wrong. */
void rg_read_arguments(struct cmd *c);

/* options.c: whether TERM and NO_COLOR let terminals have colours. */
bool rg_may_color(struct cmd *c);
/* color.c */
opt_fn rg_color_spec;
bool rg_is_plain(const struct rg_style *s);
void rg_put_style(struct rg *g, enum rg_part part);

/* encoding.c */
opt_fn rg_set_encoding;
/* Whether a text that begins so is to be decoded. */
bool rg_must_decode(const struct rg *g, struct bytes head);
/* The whole text as UTF-8: its length. out has room for three times as much, and three. */
size_t rg_decode(struct rg *g, struct bytes text, char *out);

/* source.c: a file, or what a program writes that reads it. */
struct rg_source {
	struct input in;
	const char *path;
	int pid;            /* 0: no program */
	struct buf command; /* as it is told */
};
/* 0, -E_, or 1 after a message of its own. */
int rg_open(struct rg *g, struct rg_source *s, const char *path);
/* Tells, and returns false, if the program failed. */
bool rg_close(struct rg *g, struct rg_source *s, bool read_all);

/* types.c */
void rg_types_init(struct rg *g);
opt_fn rg_type_add;
opt_fn rg_type_clear;
opt_fn rg_type_choose;
int rg_types_check(struct rg *g);
enum ignore_verdict rg_types_verdict(struct rg *g, struct bytes name);
int rg_type_list(struct rg *g);

/* compile.c: compiles the patterns into g->re. 0, or a status after a message. */
int rg_compile(struct rg *g);
/* Why no pattern may match the character, or NULL: it may. */
const char *rg_refusal(struct rg *g, uint32_t code);

/* pattern.c: a pattern as the engine reads it. */
struct rg_pattern {
	struct buf text;
	bool literal; /* a character stands for itself */
	bool upper;   /* and is a capital */
};
/* NULL, or what is wrong with it. */
const char *rg_translate(struct rg *g, struct bytes pattern, struct rg_pattern *out);

/* walk.c: calls fn for every file to be searched, in order. */
typedef void rg_file_fn(struct rg *g, const char *path, const struct vfs_stat *st);
void rg_walk(struct rg *g, rg_file_fn *fn);
/* Whether --pre-glob takes the file. */
bool rg_pre_wants(struct rg *g, const char *path);

/* search.c */
void rg_search(struct rg *g, const char *path);
void rg_search_stdin(struct rg *g);

/* print.c: one line, or with -U a block of lines, [from, to) of the region with its newline. */
void rg_put_match(struct rg *g, size_t from, size_t to);
void rg_put_context(struct rg *g, size_t from, size_t to);
void rg_put_end(struct rg *g); /* of the file: counts and names */
enum rg_path_end { RG_PATH_BARE, RG_PATH_NEWLINE, RG_PATH_LINE }; /* the last: as lines end */
void rg_put_path(struct rg *g, const char *path, enum rg_path_end end);
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
