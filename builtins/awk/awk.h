/* SPDX-License-Identifier: MIT
 *
 * What the parts of awk share.
 *
 *   text ── lex.c, parse.c, expr.c ──> tree ── compile.c ──> code (code.h) ── vm.c ──> effects
 *
 *   value.c    strings with counted references, numbers as text and back
 *   array.c    associative arrays; natural.c: of natural numbers; walk.c, order.c: in which order
 *              they are walked and sorted
 *   record.c   $0 and its fields, split only as far as they are asked for; split.c: how
 *   reader.c   records out of files; source.c: ARGV and getline
 *   sink.c     print and its redirections, commands at the other end of pipes
 *   format.c   printf; text.c, subst.c, math.c, random.c, clock.c: the functions
 *   special.c  the variables that do something when they are set
 *
 * Everything long-lived is in the command's pool and freed as it is replaced: strings and
 * arrays count their references, so that memory is flat however many records there are.
 */
#ifndef BUILTINS_AWK_AWK_H
#define BUILTINS_AWK_AWK_H

#include "base/format.h"
#include "base/number.h"
#include "base/regex.h"
#include "builtins/builtin.h"

enum {
	AWK_DEPTH_MAX = 4000,      /* nesting of expressions and statements in a program */
	AWK_CALLS_MAX = 400000,    /* nesting of function calls */
	AWK_NESTED_RUNS_MAX = 100, /* of the machine in itself: BEGINFILE, order functions */
	AWK_INCLUDES_MAX = 100,
	AWK_FIELDS_MAX = 1 << 28,
	AWK_STACK_NEED = 24 * 1024, /* bytes of native stack for one more level of parsing */
	AWK_REGEXES = 64,           /* compiled ones that are kept */
	AWK_FATAL = 2,              /* exit status */
};

/* --- values --- */

enum look { LOOK_UNKNOWN, LOOK_NUMBER, LOOK_TEXT };

/* Text with counted references; what has one owner is appended to in place. */
struct str {
	uint32_t refs;
	uint8_t look; /* whether input text is a number: found when first asked for */
	size_t len;
	size_t cap;
	double num; /* if look is LOOK_NUMBER */
	char ptr[];
};

enum val_kind {
	VAL_UNINIT,
	VAL_NUM,
	VAL_BIG, /* -M only: big.h */
	VAL_STR,
	VAL_INPUT, /* text from outside: a number if it looks like one */
	VAL_REGEX, /* @/text/ */
	VAL_VIEW,  /* as VAL_INPUT, bytes of the record: for the next pure operation only */
	VAL_ARRAY,
	VAL_UNTYPED, /* passed to a function, not used yet: may become an array there */
	VAL_ITER,    /* a for-in loop, on the machine's stack only */
};

enum { NUM_BOOL = 1, NUM_FLOAT }; /* made by mkbool; with -M: a float, though it is whole */

struct val {
	uint8_t kind;
	/* VAL_UNINIT: used as a value, so it becomes no array; VAL_NUM: NUM_BOOL, NUM_FLOAT. */
	uint8_t assigned;
	uint32_t len; /* VAL_VIEW */
	union {
		double num;
		struct big *big;
		struct str *str;
		struct array *array;
		struct iter *iter;
		const char *view;
	} u;
};

/* A node of an array's hash table. */
struct elem {
	struct elem *next; /* in its bucket */
	uint32_t hash;
	bool integer;       /* which table gawk would keep it in: walk.c */
	uint8_t grown;      /* else how often that of strings had grown then */
	struct elem *older; /* neighbours in order of creation */
	struct elem *newer;
	struct str *key;
	struct val val;
};

/* Arrays that stand for parts of the program (table.c). */
enum table { TABLE_NONE, TABLE_VARIABLES, TABLE_FUNCTIONS };

struct array {
	uint32_t refs;
	uint8_t table; /* enum table */
	bool used;     /* has been used as an array; else only promised (VAL_UNTYPED) */
	bool scalar;   /* a promise nobody will keep: its variable was used as a value */
	size_t count;  /* all elements; those of the hash table are what is not in naturals */
	size_t mask;   /* buckets - 1 */
	struct elem **bucket;
	struct elem *oldest;
	struct elem *newest;
	struct walk *walk;         /* of the hash table; NULL: it never had an element */
	struct naturals *naturals; /* NULL: there never was one */
};

/* A key to look for: its text, and its number if it is a whole one of 32 bits. */
struct key {
	struct bytes text; /* ptr NULL: that of the number */
	int64_t number;
	bool whole;
};

/* An element as lists show it. */
struct member {
	struct str *key; /* NULL: it is the natural number. No reference. */
	uint32_t natural;
	struct val *val;
};

/* A for-in loop: the keys as they were when it began, with references. */
struct iter {
	struct array *array;
	struct member *list; /* val is not used: the array may change */
	size_t n;
	size_t at;
};

/* --- patterns --- */

struct pattern {
	struct str *text;
	unsigned flags;
	uint64_t used; /* for eviction */
	struct arena arena;
	struct regex *regex; /* NULL: this slot is free */
};

/* A regular expression written in the program: compiled for both states of IGNORECASE. */
struct re_const {
	struct str *text;
	struct regex *re[2];
	struct arena arena;
	int literal; /* 0: a pattern; else all of it is plain text (not when ignoring case) */
	/* Before `hope` nothing matches in the buffer that the main reader filled as its fill-th
	 * one; of re[hope_of]. */
	uint64_t fill;
	const char *hope;
	int hope_of;
};

/* --- records --- */

struct field {
	const char *ptr;
	size_t len;
	struct val val; /* VAL_UNINIT: not made yet; of an assigned field all there is */
};

enum split_mode {
	SPLIT_BLANKS, /* FS = " " */
	SPLIT_CHAR,
	SPLIT_REGEX,
	SPLIT_CHARS,   /* FS = "": each character */
	SPLIT_PATTERN, /* FPAT */
	SPLIT_WIDTHS,  /* FIELDWIDTHS */
	SPLIT_CSV,
};

struct width {
	size_t skip;
	size_t width; /* SIZE_MAX: the rest ("*") */
};

/* How text is taken apart. */
struct splitter {
	enum split_mode mode;
	bool newline; /* a newline separates too (RS = "") */
	char ch;
	struct str *regex; /* the pattern's text */
	struct width *widths;
	size_t nwidths;
};

struct record {
	const char *ptr;
	size_t len;
	struct str *owner; /* holds the bytes; NULL: they are in a reader's buffer */
	struct val whole;  /* $0 as a value, once asked for */
	bool stale;        /* fields were assigned: $0 is to be made of them */
	bool split;        /* all fields are known */
	size_t nf;         /* fields found so far; all of them if split */
	size_t at;         /* where splitting goes on */
	size_t made;       /* fields from here on have no value */
	struct field *f;   /* f[0] is $1 */
	size_t cap;
};

enum rs_mode { RS_CHAR, RS_PARAGRAPH, RS_REGEX, RS_CSV };

/* Records out of a descriptor. */
struct reader {
	int fd; /* -1: closed */
	char *buf;
	size_t cap;
	size_t from; /* unread bytes are buf[from..to) */
	size_t to;
	bool eof;
	bool begun;    /* a record was taken: "^" in RS matches no more */
	uint64_t fill; /* a number of its own for each state of the buffer */
};

/* --- redirections --- */

enum redirect {
	REDIRECT_NONE,
	REDIRECT_FILE,
	REDIRECT_APPEND,
	REDIRECT_PIPE,
	REDIRECT_BOTH,
	REDIRECT_FROM_FILE,
	REDIRECT_FROM_PIPE
};

struct stream {
	struct stream *next;
	enum redirect kind;
	struct str *name;
	struct output *out; /* what print writes to; NULL: none, or closed */
	struct output own;
	bool has_reader;
	bool unbuffered;
	struct reader in;
	int pid;     /* of the command; 0: none */
	bool shared; /* a descriptor of the command's own (/dev/stdout): not to be closed */
	bool socket; /* out and in are one descriptor */
};

/* --- special variables --- */

enum special {
	SP_NR,
	SP_FNR,
	SP_NF,
	SP_FS,
	SP_OFS,
	SP_ORS,
	SP_RS,
	SP_RT,
	SP_SUBSEP,
	SP_CONVFMT,
	SP_OFMT,
	SP_IGNORECASE,
	SP_FPAT,
	SP_FIELDWIDTHS,
	SP_FILENAME,
	SP_RSTART,
	SP_RLENGTH,
	SP_ERRNO,
	SP_ARGIND,
	SP_ARGC,
	SP_BINMODE,
	SP_LINT,
	SP_TEXTDOMAIN,
	SP_PREC,
	SP_ROUNDMODE,
	SP_COUNT,
	/* from here on plain globals that are there from the start */
	GLOBAL_ARGV = SP_COUNT,
	GLOBAL_ENVIRON,
	GLOBAL_PROCINFO,
	GLOBAL_SYMTAB,
	GLOBAL_FUNCTAB,
	GLOBAL_FIRST
};

/* --- the machine --- */

struct program;
struct frame;

enum run_end { RUN_DONE, RUN_NEXT, RUN_NEXTFILE, RUN_EXIT, RUN_RETURN };

struct awk_source {
	struct awk_source *next;
	const char *text; /* of -e and of the operand */
	const char *path; /* of -f; NULL: text */
	bool library;     /* -i: read once, and it must hold no rules of its own kind */
};

struct awk_opts {
	struct awk_source *sources;
	struct awk_source **last_source;
	char **assigns; /* -v */
	int nassigns;
	const char *fs;
	bool has_inplace;
	bool has_source;
	bool bytes;
	bool posix;
	bool traditional;
	bool non_decimal;
	bool sandbox;
	bool csv;
	bool exec; /* -E: no assignments among the operands */
	bool bignum;
	char **loads; /* -l */
	int nloads;
	bool pot;            /* -g: texts to be translated are written, nothing runs */
	const char *profile; /* -p: where it is, with counts, after it ran */
	const char *pretty;  /* -o: where the program is laid out */
	const char *dump;    /* -d: where variables are listed */
};

struct awk {
	struct cmd *c;
	struct pool *pool;
	struct store store; /* private: cut from the pool, so that it dies with it */
	struct heap heap;   /* of that store: for arenas that come and go */
	unsigned store_calls;
	struct arena scratch; /* for one operation */
	const struct awk_opts *o;
	const char *name;   /* in messages */
	bool dying;         /* a fatal error was reported */
	unsigned libraries; /* that are loaded, a bit each */
	bool utf8;
	struct program *prog;

	struct val *globals;
	struct val *sp; /* top of the stack, while a function is called */
	struct frame *frames;
	size_t nframes;
	size_t frames_cap;
	struct chunk *chunk;         /* of the stack */
	int depth;                   /* nested runs */
	const struct ins *ip;        /* being executed: for messages */
	uint64_t work;               /* not charged yet */
	const struct array *elem_of; /* of the element being assigned, and its key: for messages */
	struct key elem_key;
	double reg; /* result of SUBST and GETLINE_VAR, taken at once */
	bool *ranges;
	uint64_t *counts; /* -p */
	int status;
	enum { PHASE_BEGIN, PHASE_MAIN, PHASE_END } phase;
	bool in_beginfile;
	bool in_endfile;
	bool exiting;

	double nr;
	double fnr;
	struct val special[SP_COUNT]; /* the values; NR, FNR and NF are elsewhere */
	struct bytes ofs;             /* the same as bytes */
	struct bytes ors;
	struct bytes subsep;
	int prec;      /* -M: bits of floats */
	char round;    /* -M: one of NZUDA */
	int convfmt_g; /* precision if CONVFMT is "%.{n}g", else -1 */
	int ofmt_g;
	bool converting; /* by CONVFMT, at the moment */
	bool ignorecase;
	bool warned[256];        /* of such an escape in a pattern */
	bool escape_warned[256]; /* the same for strings */
	bool warned_bytes;       /* that some are no characters */
	struct splitter fs;
	enum rs_mode rs;
	char rs_char;
	struct record rec;
	struct str *rt_str; /* the text of RT in single character mode */
	struct str *empty;
	struct str *digit[10];

	struct reader main;
	int argind;
	bool main_open;
	bool main_done;
	bool used_file;    /* some operand was a file */
	bool skip_file;    /* nextfile */
	int beginfile_err; /* the file could not be opened, BEGINFILE decides */
	const char *main_name;

	struct stream *streams;
	struct inplace *inplace;
	struct output *stdout_to; /* c->out, or the new file of -i inplace */
	struct stream *err_stream;

	struct pattern patterns[AWK_REGEXES];
	uint64_t fills; /* of all readers */
	uint64_t pattern_clock;
	struct str *last_text; /* of the pattern used last, and its slot */
	struct pattern *last_pattern;

	struct random *random; /* NULL: not asked since it was seeded */
	int64_t seed;
	struct zone *zone[2]; /* the command's own, UTC */
	struct str *sort_by;  /* the function of asort, while it runs */
};

/* --- awk.c: messages --- */

/* "awk: cmd. line:1: (FILENAME=f FNR=3) fatal: message", the end with status 2. */
_Noreturn void awk_fatal(struct awk *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void awk_warn(struct awk *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void awk_exit(struct awk *a, int status);

/* value.c: prepares a->heap and a->scratch. */
void awk_heap_init(struct awk *a);

/* Work that is charged now and then. */
void awk_charge(struct awk *a);
static inline void awk_work(struct awk *a, uint64_t n)
{
	a->work += n;
	if (a->work > 512)
		awk_charge(a);
}
/* Neither --traditional nor --posix. */
static inline bool awk_is_gnu(const struct awk *a)
{
	return !a->o->traditional && !a->o->posix;
}
static inline void awk_work_bytes(struct awk *a, size_t n)
{
	awk_work(a, n / 64 + 1);
}
/* The same for what is mostly short, and costs nothing then. */
static inline void awk_work_long(struct awk *a, size_t n)
{
	if (n >= 4096)
		awk_work(a, n / 64);
}

/* --- value.c --- */

struct str *awk_str_alloc(struct awk *a, size_t len); /* contents undefined */
struct str *awk_str_new(struct awk *a, struct bytes s);
void awk_str_free(struct awk *a, struct str *s);
/* s with more bytes behind: in place if the caller's is the only reference, which it takes. */
struct str *awk_str_append(struct awk *a, struct str *s, struct bytes more);

static inline struct str *str_get(struct str *s)
{
	s->refs++;
	return s;
}
static inline void str_put(struct awk *a, struct str *s)
{
	if (--s->refs == 0)
		awk_str_free(a, s);
}
static inline struct bytes str_bytes(const struct str *s)
{
	return (struct bytes){ s->ptr, s->len };
}

static inline struct val val_num(double d)
{
	return (struct val){ .kind = VAL_NUM, .u.num = d };
}
/* Takes the reference. */
static inline struct val val_str(struct str *s)
{
	return (struct val){ .kind = VAL_STR, .u.str = s };
}
static inline struct val val_bytes(struct awk *a, struct bytes s)
{
	return val_str(awk_str_new(a, s));
}
static inline struct val val_input(struct awk *a, struct bytes s)
{
	return (struct val){ .kind = VAL_INPUT, .u.str = awk_str_new(a, s) };
}
static inline bool val_has_str(struct val v)
{
	return v.kind == VAL_STR || v.kind == VAL_INPUT || v.kind == VAL_REGEX;
}

void awk_big_put(struct awk *a, struct big *b);
struct big *awk_big_get(struct big *b);
void awk_val_put_slow(struct awk *a, struct val v);
static inline void val_put(struct awk *a, struct val v)
{
	if (v.kind > VAL_NUM)
		awk_val_put_slow(a, v);
}
static inline struct val val_get(struct val v)
{
	if (val_has_str(v))
		v.u.str->refs++;
	else if (v.kind == VAL_BIG)
		awk_big_get(v.u.big);
	else if (v.kind == VAL_ARRAY || v.kind == VAL_UNTYPED)
		v.u.array->refs++;
	return v;
}
/* A value that may be kept: views are copied. Takes the reference. */
static inline struct val val_own(struct awk *a, struct val v)
{
	if (v.kind == VAL_VIEW)
		return val_input(a, (struct bytes){ v.u.view, v.len });
	return v;
}

double awk_val_to_num_slow(struct awk *a, struct val *v);
static inline double val_to_num(struct awk *a, struct val *v)
{
	return v->kind == VAL_NUM ? v->u.num : awk_val_to_num_slow(a, v);
}
/* The text of v; numbers are written by CONVFMT, into tmp or scratch. Valid while v is. */
struct text_room {
	char ptr[336]; /* any double without its fraction */
};
struct bytes awk_val_text(struct awk *a, const struct val *v, struct text_room *tmp);
/* v becomes a string; returns it, v keeps the reference. */
struct str *awk_val_to_str(struct awk *a, struct val *v);
bool awk_val_true(struct awk *a, struct val *v);
/* Whether v counts as a number in comparisons. */
bool awk_val_is_numeric(struct awk *a, struct val *v);
int awk_val_compare(struct awk *a, struct val *x, struct val *y);
/* Compares as far as both go, in small letters (IGNORECASE). */
int awk_text_fold(struct awk *a, struct bytes x, struct bytes y);
/* As an index: clamped to 0..2^53, rounding down; NaN is 0. */
bool awk_num_is_integer(double d);
/* A number as print writes it; format: SP_CONVFMT or SP_OFMT. */
struct bytes awk_num_text(struct awk *a, double d, enum special format, struct text_room *tmp);
/* Appends a number as CONVFMT or OFMT says. A "%s" in CONVFMT, which would ask for itself, gives
 * what it is at the start. */
void awk_num_format(struct awk *a, struct buf *out, struct val *v, enum special format);
double awk_text_to_num(struct awk *a, struct bytes s);
bool awk_text_is_number(struct awk *a, struct bytes s, double *out);
double awk_strtonum_text(struct awk *a, struct bytes s);

/* Ends the program: x, known by that name (empty: that of its variable), is used as a value. */
_Noreturn void awk_array_as_scalar(struct awk *a, struct bytes name, const struct array *x);

/* --- big.c, big_math.c, big_text.c: -M; results are new references --- */

struct format_spec;
/* The number that v is, VAL_NUM or VAL_BIG. */
struct val awk_big_of(struct awk *a, const struct val *v);
/* The number that s begins with; bases: also 0x11 and 011. */
struct val awk_big_parse(struct awk *a, struct bytes s, bool bases);
double awk_big_to_double(struct awk *a, const struct big *b);
/* Both count as numbers. */
int awk_big_compare(struct awk *a, const struct val *x, const struct val *y);
struct val awk_big_negate(struct awk *a, const struct val *v);
struct val awk_big_math(struct awk *a, unsigned id, struct val *args, int n);
struct val awk_big_int(struct awk *a, const struct val *v);
struct val awk_big_bits(struct awk *a, unsigned id, struct val *args, int n);
/* As print writes v, a VAL_BIG, with that format; in scratch. */
struct bytes awk_big_text(struct awk *a, const struct val *v, enum special format);
/* v, but no VAL_NUM if that can't be written for conv as it should; takes v. */
struct val awk_big_wide(struct awk *a, struct val v, char conv);
void awk_big_format(struct awk *a, struct buf *out, const struct format_spec *spec,
		    const struct val *v);
void awk_big_set_precision(struct awk *a, struct val *v);
void awk_big_set_rounding(struct awk *a, struct val *v);

/* --- array.c --- */

struct array *awk_array_new(struct awk *a);
void awk_array_put(struct awk *a, struct array *x);
void awk_array_clear(struct awk *a, struct array *x);
/* The key of that text. */
struct key awk_key(struct bytes text);
/* The key of a number; its text, if it has one yet, in *tmp or in scratch. */
struct key awk_key_of_num(struct awk *a, double d, struct text_room *tmp);
/* In *tmp, or where it was. */
struct bytes awk_key_text(const struct key *k, struct text_room *tmp);
/* The element's value, made if need be. Valid until the element is deleted. */
struct val *awk_array_at(struct awk *a, struct array *x, struct key k);
struct val *awk_array_find(const struct array *x, struct key k); /* NULL: it is not there */
void awk_array_delete(struct awk *a, struct array *x, struct key k);
/* Takes v. */
void awk_array_set(struct awk *a, struct array *x, struct bytes key, struct val v);
void awk_array_set_num(struct awk *a, struct array *x, double key, struct val v);

/* --- natural.c: t NULL has none --- */

size_t awk_natural_count(const struct naturals *t);
/* NULL: it is not there. t has an element. */
struct val *awk_natural_find(struct naturals *t, uint32_t number);
/* Whether a number that is not there belongs into t, rather than the hash table. */
bool awk_natural_fits(const struct naturals *t, uint32_t number);
/* A new element, unset. *t is made if it is NULL. */
struct val *awk_natural_add(struct awk *a, struct naturals **t, uint32_t number);
/* Of an element that is there. */
void awk_natural_remove(struct awk *a, struct naturals *t, uint32_t number);
void awk_natural_free(struct awk *a, struct naturals *t);
/* All of them, ascending. */
void awk_natural_list(struct awk *a, const struct naturals *t, struct member *out);

/* --- walk.c: the order of for-in loops --- */

/* To be told of each element that comes into the hash table of x, behind it in the list, and
 * that leaves. whole: the key is a whole number of 32 bits. */
void awk_walk_add(struct awk *a, struct array *x, struct elem *e, bool whole);
void awk_walk_remove(struct awk *a, struct array *x, const struct elem *e);
/* NULL: nothing. */
void awk_walk_free(struct awk *a, struct walk *w);
/* All elements, as a loop meets them; out has room for x->count. Valid while x stays as it is. */
void awk_walk_list(struct awk *a, const struct array *x, struct member *out);

/* --- table.c --- */

struct program;
/* Before globals are numbered for good, and when they have room. */
void awk_tables_declare(struct program *p);
void awk_tables_fill(struct awk *a);
/* What stands for an element of a table; what is not there ends the program. */
struct val *awk_table_at(struct awk *a, struct array *x, struct key k, bool write);
/* The element was assigned to. */
void awk_table_stored(struct awk *a, struct array *x, struct key k);
/* Ends the program: a table can't be emptied, by delete or by that function. */
_Noreturn void awk_table_refuse(struct awk *a, const struct array *x, const char *function);

/* The place of an element to be read or written. */
static inline struct val *elem_place(struct awk *a, struct array *x, struct key k, bool write)
{
	return x->table == TABLE_NONE ? awk_array_at(a, x, k) : awk_table_at(a, x, k, write);
}
static inline void elem_stored(struct awk *a, struct array *x, struct key k)
{
	if (x->table != TABLE_NONE)
		awk_table_stored(a, x, k);
}

/* --- order.c --- */

/* The text of an element's key; of a natural number in *tmp. */
static inline struct bytes member_key(const struct member *m, struct text_room *tmp)
{
	if (m->key != NULL)
		return str_bytes(m->key);
	return (struct bytes){ tmp->ptr, number_put_u64(tmp->ptr, m->natural, 10, false) };
}
/* The same as a string: the list's reference, or a new one. */
struct str *awk_member_str(struct awk *a, const struct member *m);
struct iter *awk_iter_new(struct awk *a, struct array *x);
void awk_iter_free(struct awk *a, struct iter *it);
double awk_fn_asort(struct awk *a, struct val *args, int n, bool by_index);

/* --- pattern.c --- */

struct regex *awk_pattern_of(struct awk *a, struct str *text);
struct regex *awk_re_const_get(struct awk *a, struct re_const *r);
/* The pattern of an argument: VAL_REGEX and text alike. */
struct regex *awk_pattern_of_val(struct awk *a, struct val *v);
void awk_regex_warn(struct awk *a, struct bytes text, const char *file, unsigned line);
bool awk_regex_hits(struct awk *a, struct regex *re, struct bytes s);
/* Whether it matches $0. */
bool awk_regex_hits_record(struct awk *a, struct re_const *r);
int awk_regex_find(struct awk *a, struct regex *re, struct bytes s, size_t from,
		   struct regex_span *spans, size_t n);
/* Compiles or says what is wrong with it. */
struct regex *awk_regex_make(struct awk *a, struct arena *arena, struct bytes text, unsigned flags,
			     const char **message);
unsigned awk_regex_flags_now(struct awk *a);

/* --- dump.c --- */

/* -d: the variables as they are at the end. */
void awk_dump_variables(struct awk *a);
/* s as a string of a program, in quotes. */
void awk_put_quoted(struct buf *out, struct bytes s, char quote);
/* Opens where a listing (what) goes. True: it is to be closed. */
bool awk_open_report(struct awk *a, struct output *o, const char *path, const char *what);

/* --- record.c --- */

void awk_rec_set_view(struct awk *a, struct bytes s);
void awk_rec_set_str(struct awk *a, struct str *s); /* takes the reference */
/* The record's bytes become its own: the reader's buffer is about to move. */
void awk_rec_keep(struct awk *a);
struct bytes awk_rec_text(struct awk *a);
struct val awk_rec_whole(struct awk *a); /* a new reference */
size_t awk_rec_nf(struct awk *a);
void awk_rec_set_nf(struct awk *a, double nf);
/* Field n (0: the record) as a value of its own, or as a view. */
struct val awk_rec_field(struct awk *a, size_t n);
struct val awk_rec_view(struct awk *a, size_t n);
double awk_rec_num(struct awk *a, size_t n);
bool awk_rec_field_bytes(struct awk *a, size_t n, struct bytes *out);
void awk_rec_set_field(struct awk *a, size_t n, struct val v); /* takes v */
/* Field n exists from now on, the text stays: what sub and gsub may change. */
void awk_rec_touch(struct awk *a, size_t n);
void awk_rec_split_all(struct awk *a);
void awk_rec_rebuild(struct awk *a);
size_t awk_field_index(struct awk *a, struct val *v);
struct field *awk_rec_add(struct awk *a);

/* --- split.c --- */

/* fs: a value that is text or a pattern; one character of a pattern is a pattern. */
void awk_split_set_fs(struct awk *a, struct splitter *s, const struct val *fs, bool newline);
void awk_split_put(struct awk *a, struct splitter *s);
struct width *awk_widths_parse(struct awk *a, struct bytes text, size_t *n);
/* Splits on from rec.at until there are `need` fields or no more. */
void awk_split_record(struct awk *a, size_t need);
/* Takes text apart: each piece and the separator behind it. */
typedef void split_fn(struct awk *a, void *arg, struct bytes piece, struct bytes sep);
void awk_split_text(struct awk *a, const struct splitter *s, struct bytes text, split_fn *fn,
		    void *arg);
/* Pieces are what the pattern matches; sep is given before each piece, and once at the end. */
void awk_split_by_content(struct awk *a, struct regex *re, struct bytes text, split_fn *fn,
			  void *arg);

/* --- reader.c --- */

void awk_reader_init(struct reader *r, int fd);
void awk_reader_close(struct awk *a, struct reader *r);
/* 1: the next record by RS, valid until the next call; RT is set. 0: the end; -E_. */
int awk_reader_next(struct awk *a, struct reader *r, struct bytes *out);

/* library.c: the entries of a directory as records, "inode/name/letter". 0 or -E_. */
int awk_library_directory(struct awk *a, const char *path, struct reader *r);

/* lex.c: whether it is a keyword or the name of a function of awk's own. */
bool awk_lex_is_reserved(struct bytes name);

/* --- source.c --- */

/* The next record of the operands into $0: false at the end. */
bool awk_main_next(struct awk *a);
/* The same as bytes, for getline var. 1, 0 or -E_. */
int awk_main_next_bytes(struct awk *a, struct bytes *out);
void awk_main_nextfile(struct awk *a);
void awk_main_close(struct awk *a);
/* getline: 1, 0, -1. The record in *out; kind: enum redirect, NONE for the main input. */
int awk_source_getline(struct awk *a, enum redirect kind, struct val *name, struct bytes *out);
/* "name=value" of the command line. */
bool awk_is_assignment(const char *text);
bool awk_command_assign(struct awk *a, const char *text, bool check);
void awk_inplace_begin(struct awk *a, const char *path);
void awk_inplace_end(struct awk *a);

/* --- sink.c --- */

/* Where print writes; NULL: nowhere, which is in ERRNO (PROCINFO["NONFATAL"]). */
struct output *awk_sink_of(struct awk *a, enum redirect kind, struct val *name,
			   struct stream **stream);
/* The same for getline: NULL whenever it can't be opened. */
struct output *awk_sink_try(struct awk *a, enum redirect kind, struct val *name,
			    struct stream **stream);
/* Behind each print: /dev/stderr and its kin are not buffered. */
void awk_sink_done(struct awk *a, struct stream *s);
struct stream *awk_stream_of(struct awk *a, enum redirect kind, struct bytes name);
struct stream *awk_stream_new(struct awk *a, enum redirect kind, struct bytes name);
int awk_spawn_shell(struct awk *a, const char *text, int in, int out);
void awk_sink_flush_all(struct awk *a);
/* Where print writes from now on; /dev/stdout follows, and commands that are started. */
void awk_sink_set_stdout(struct awk *a, struct output *o);
double awk_fn_close(struct awk *a, struct val *args, int n);
double awk_fn_fflush(struct awk *a, struct val *args, int n);
double awk_fn_system(struct awk *a, struct val *args);
void awk_sink_close_all(struct awk *a);
void awk_set_errno(struct awk *a, int err);

/* --- net.c --- */

/* Whether it names a connection: /inet/tcp/0/HOST/PORT. */
bool awk_net_is(struct awk *a, struct bytes name);
/* A descriptor, or -E_. */
int awk_net_open(struct awk *a, struct bytes name);

/* --- format.c --- */

/* printf: appends to out. */
void awk_format_values(struct awk *a, struct buf *out, struct bytes format, struct val *args,
		       int n);

/* --- special.c --- */

void awk_special_init(struct awk *a);
struct val awk_special_get(struct awk *a, enum special n);         /* a new reference */
void awk_special_set(struct awk *a, enum special n, struct val v); /* takes v */
int awk_special_find(struct bytes name);
/* The array a variable holds; it becomes one if it was nothing yet. */
struct array *awk_var_array(struct awk *a, struct val *v);
void awk_procinfo_set(struct awk *a, const char *key, const char *text);
void awk_fill_procinfo(struct awk *a);

/* --- functions: args are the machine's stack, results are new references --- */

struct val awk_fn_substr(struct awk *a, struct val *args, int n);
struct val awk_fn_index(struct awk *a, struct val *args);
struct val awk_fn_length(struct awk *a, struct val *v);
struct val awk_fn_case(struct awk *a, struct val *v, bool upper);
struct val awk_fn_split(struct awk *a, struct val *args, int n);
struct val awk_fn_patsplit(struct awk *a, struct val *args, int n);
struct val awk_fn_match(struct awk *a, struct val *args, int n);
struct val awk_fn_gensub(struct awk *a, struct val *args, int n);
/* sub and gsub: how many; *out is the new text. */
size_t awk_fn_subst(struct awk *a, struct val *args, bool all, struct str **out);
struct val awk_fn_sprintf(struct awk *a, struct val *args, int n);
struct val awk_fn_math(struct awk *a, unsigned id, struct val *args, int n);
struct val awk_fn_bits(struct awk *a, unsigned id, struct val *args, int n);
struct val awk_fn_strtonum(struct awk *a, struct val *v);
struct val awk_fn_strftime(struct awk *a, struct val *args, int n);
struct val awk_fn_mktime(struct awk *a, struct val *args, int n);
struct val awk_fn_typeof(struct awk *a, const struct val *v, bool isarray);
/* x to the power of y. */
double awk_power(double x, double y);

/* --- random.c --- */

/* What rand() gives: at least 0, less than 1. */
double awk_random_next(struct awk *a);
void awk_random_seed(struct awk *a, int64_t seed);
/* srand(): the seed before. */
double awk_random_reseed(struct awk *a, struct val *args, int n);

#endif
