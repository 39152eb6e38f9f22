/* SPDX-License-Identifier: MIT
 *
 * sed, inside: the compiled script and the machine that runs it.
 *
 *   sed.c      options, the order of things
 *   parse.c    script text -> array of struct sed_cmd; parse_text.c: its strings
 *   parse_sub.c  s and y
 *   exec.c     one cycle after another; address.c: which commands apply
 *   sub.c      the s command on the pattern space; shell.c: e
 *   files.c    input files, -i, what w r R use
 *   debug.c    --debug: the script in canonical form, and each of its steps
 *   skip.c     lines the script can't change, passed on by the block
 *
 * The pattern space is a view of the input's buffer until something changes it.
 */
#ifndef BUILTINS_SED_SED_H
#define BUILTINS_SED_SED_H

#include "base/number.h"
#include "base/regex.h"
#include "builtins/builtin.h"

struct sed_re {
	struct regex *re; /* NULL: the empty regex, which stands for the last one used */
	struct bytes text;
	unsigned flags;
};

enum sed_addr_kind {
	ADDR_NONE,
	ADDR_LINE,
	ADDR_STEP,
	ADDR_LAST,
	ADDR_REGEX,
	ADDR_ZERO,
	ADDR_PLUS,
	ADDR_MULTIPLE, /* second address only */
};

struct sed_addr {
	enum sed_addr_kind kind;
	uint64_t n;
	uint64_t step;
	struct sed_re *re;
};

enum sed_case { CASE_NONE, CASE_UPPER, CASE_LOWER };

/* A piece of a replacement: text, then a group; or a change of case. */
struct sed_piece {
	struct bytes text;
	int group; /* -1: none */
	bool set_case;
	bool once; /* \u \l: only the next character */
	enum sed_case letters;
};

struct sed_out {
	const char *name;
	struct output *o;
	struct output own;
	bool missing_newline; /* the last line written had none: due before the next */
	struct sed_out *next;
};

/* A file that R reads line by line. */
struct sed_in {
	const char *name;
	struct input in;
	bool opened;
	bool failed;
	struct sed_in *next;
};

struct sed_sub {
	struct sed_re *re;
	struct sed_piece *pieces;
	size_t npieces;
	int max_group;
	bool has_case;
	bool global;
	bool print;
	bool print_first; /* p came before e */
	bool eval;
	uint64_t number; /* 0: the first */
	struct sed_out *out;
};

struct sed_pair {
	uint32_t from;
	struct bytes to;
};

/* y: bytes below 128 by table, other characters in a list sorted by `from`. */
struct sed_map {
	unsigned char byte[256];
	struct bytes ascii[128]; /* ptr NULL: `byte` has it */
	struct sed_pair *wide;
	size_t nwide;
	bool by_bytes;
	struct bytes from; /* as they stand in the script, for --debug */
	struct bytes to;
};

struct sed_cmd {
	char name;
	bool negate;
	bool active; /* a range that has begun */
	bool before; /* 0r: the file goes before the first line */
	bool closed; /* LINE,x: begins only once */
	bool shown;  /* --debug has seen it run */
	struct sed_addr a1;
	struct sed_addr a2;
	uint64_t range_end;
	int64_t number; /* q Q l; -1: none */
	size_t target;  /* { b t T: index of the next command */
	struct bytes label;
	struct bytes text; /* a i c e r R w W */
	struct sed_sub *sub;
	struct sed_map *map;
	struct sed_out *out;
	struct sed_in *in;
};

struct sed_space {
	char *ptr;
	size_t len;
	char *own; /* in the pool; ptr == own, or ptr is a view */
	size_t cap;
	bool ended; /* a newline goes behind it */
};

/* What a, r and R have put off to the end of the cycle. */
struct sed_append {
	char kind; /* a r R */
	struct bytes text;
	char *copy; /* R: in the pool, text.len + 1 */
};

struct sed_skip;
struct sed_parser;

struct sed {
	struct cmd *c;
	/* options */
	bool quiet;
	bool extended;
	bool posix;
	bool separate;
	bool unbuffered;
	bool null_data;
	bool sandbox;
	bool follow;
	bool binary;
	bool in_place;
	bool debug;
	const char *suffix;
	int64_t line_wrap;
	bool have_script;
	struct sed_parser *parser;
	char delim;
	/* script */
	struct sed_cmd *cmds;
	size_t ncmds;
	struct sed_out *outs; /* of w; the first is standard output */
	struct sed_in *ins;
	/* input */
	char **files;
	int nfiles;
	int next_file;
	struct input in;
	bool is_open;
	const char *open_name;
	uint64_t line;
	int status;
	/* -i */
	struct sed_out *cur; /* where lines go: standard output or `edited` */
	struct sed_out edited;
	struct vfs_stat edited_st;
	char *edited_path;
	char *temp_path;
	/* running */
	struct sed_space space;
	struct sed_space hold;
	struct sed_space work;
	struct regex_span *spans;
	size_t nspans;
	struct sed_re *last_re;
	bool replaced;
	bool restart; /* D: the next cycle reads nothing */
	bool done;
	size_t active_ranges;
	int depth; /* --debug: of blocks */
	struct sed_append *appends;
	size_t nappends;
	size_t appends_cap;
	struct sed_skip *skip;
};

/* --- parse.c --- */

/* Adds a part of the script: the text of -e (name NULL) or of a file, and compiles it. */
void sed_parse(struct sed *s, struct bytes text, const char *name);
/* After the last part: checks blocks, resolves labels. */
void sed_parse_end(struct sed *s);

struct sed_block {
	size_t cmd;
	size_t source;
	const char *file;
	size_t line;
};

struct sed_parser {
	struct sed *s;
	struct bytes text;
	size_t at;
	const char *file; /* NULL: -e */
	size_t source;    /* which -e, from 1 */
	size_t line;
	bool first; /* the very first part: "#n" counts */
	size_t cap;
	struct sed_block *blocks;
	size_t nblocks;
	size_t blocks_cap;
	bool pending; /* a part ended in the middle of a text */
	size_t pending_cmd;
	struct buf pending_text;
};

/* The next byte, or -1 at the end of the part. */
int sed_next(struct sed_parser *p);
/* Gives ch, the last one read, back. */
void sed_back(struct sed_parser *p, int ch);
int sed_next_nonblank(struct sed_parser *p);
_Noreturn void sed_bad(struct sed_parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void sed_end_of_command(struct sed_parser *p);
uint64_t sed_number(struct sed_parser *p, int ch);

/* --- parse_text.c --- */

enum sed_slash { SLASH_REGEX, SLASH_REPLACEMENT, SLASH_MAP };
/* Reads up to the delimiter, which loses its backslash. False: it does not come. */
bool sed_read_slash(struct sed_parser *p, int delim, enum sed_slash kind, struct bytes *out);
/* The text of a, i, c. */
void sed_read_text(struct sed_parser *p, struct sed_cmd *cmd, size_t index);
void sed_go_on_with_text(struct sed_parser *p);
struct bytes sed_read_label(struct sed_parser *p);
struct bytes sed_read_file_name(struct sed_parser *p);
/*
 * An escape that stands for a byte (\a \f \t \v \cX \dNNN \oNNN \xHH): text.ptr[*at] is what
 * follows the backslash. Returns the byte and moves *at behind, or -1.
 */
int sed_escape(struct sed_parser *p, struct bytes text, size_t *at);
/* Whether what follows a backslash is a last c: it controls nothing, and is not for sed_escape. */
bool sed_is_cut_control(struct bytes text, size_t at);
struct sed_re *sed_compile(struct sed_parser *p, struct bytes pattern, unsigned flags);

/* --- parse_sub.c --- */

struct sed_sub *sed_parse_sub(struct sed_parser *p);
struct sed_map *sed_parse_map(struct sed_parser *p);

/* --- address.c --- */

bool sed_applies(struct sed *s, struct sed_cmd *cmd);
bool sed_matches(struct sed *s, struct sed_re *re, struct bytes text, size_t from, size_t nspans);
void sed_reset_ranges(struct sed *s);

/* --- exec.c --- */

void sed_execute(struct sed *s);

/* --- sub.c --- */

void sed_substitute(struct sed *s, const struct sed_cmd *cmd);
void sed_map(struct sed *s, const struct sed_map *map);
/* Appends what a match of sub is replaced with. text holds what s->spans speak of. */
void sed_put_replacement(struct sed *s, const struct sed_sub *sub, struct bytes text,
			 struct sed_space *out);
/* Room for n more bytes in memory of its own. */
void sed_own(struct sed *s, struct sed_space *space, size_t n);
void sed_append(struct sed *s, struct sed_space *space, struct bytes text);
static inline struct bytes sed_bytes(const struct sed_space *space)
{
	return (struct bytes){ space->len != 0 ? space->ptr : "", space->len };
}

/* --- shell.c --- */

/* Runs a command by sh: what it writes is appended to out. */
void sed_shell(struct sed *s, struct bytes command, struct sed_space *out);

/* --- files.c --- */

struct sed_out *sed_open_out(struct sed *s, struct bytes name);
struct sed_in *sed_open_in(struct sed *s, struct bytes name);
/* Before a line of output. */
void sed_missing_newline(struct sed *s, struct sed_out *out);
void sed_put(struct sed *s, struct sed_out *out, struct bytes text, bool ended);
/* Reads the next line into the pattern space, or behind it. False: there is none. */
bool sed_read_line(struct sed *s, bool append);
/* Whether another line follows (in this file, if files are separate). */
bool sed_has_next(struct sed *s);
void sed_dump_appends(struct sed *s);
/* Writes a whole file, if it can be read. */
void sed_put_file(struct sed *s, struct bytes name);
/* Before the end by an error: removes the new file of -i. */
void sed_drop_temp(struct sed *s);
/* "read error on NAME: ..." */
_Noreturn void sed_read_failed(struct sed *s, const char *name, int err);
void sed_close_files(struct sed *s);

/* --- debug.c --- */

/* The script in canonical form. */
void sed_debug_script(struct sed *s);
/* A line of input was read for a new cycle. */
void sed_debug_line(struct sed *s);
void sed_debug_space(struct sed *s);
/* Before a command is run (whether its addresses match or not), and after it was. */
void sed_debug_before(struct sed *s, struct sed_cmd *cmd);
void sed_debug_after(struct sed *s, const struct sed_cmd *cmd);
/* s has found its first match: s->spans speak of text. */
void sed_debug_match(struct sed *s, struct bytes text, size_t nspans);
void sed_debug_end(struct sed *s);

/* --- skip.c --- */

/* Prepares skipping if the script allows it. */
void sed_skip_prepare(struct sed *s);
/* Passes on the lines, from here, that the script leaves as they are. */
void sed_skip_lines(struct sed *s);

#endif
