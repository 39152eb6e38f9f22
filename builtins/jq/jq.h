/* SPDX-License-Identifier: MIT
 *
 * What the parts of jq share.
 *
 *   text ── lex.c, parse.c ──> tree ── compile.c, gen*.c ──> code ── vm.c ──> values
 *
 *   prelude.c   the functions that are written in jq
 *   native*.c   those that are written in C; format.c: @csv and its kin
 *   path.c      getpath, setpath, delpaths; arith.c: the operators
 *   input.c     where values come from; jq.c: options, output
 *
 * The machine has registers. An expression writes its result to a register of its own and
 * never to one that holds something an earlier expression needs, so a point to come back to
 * (a fork) is only a place in the code, a frame and a height of the stack of frames: nothing
 * is saved, and what runs again writes its registers again. Each expression has two forms of
 * code: one that gives values, one that gives pairs of value and path (`path(f)`,
 * assignments), in which a path's register follows that of its value.
 *
 * A register may be emptied by its last use only if no fork has been made since it was
 * written, else going back would miss it: each write notes the number of forks.
 */
#ifndef BUILTINS_JQ_JQ_H
#define BUILTINS_JQ_JQ_H

#include "base/json.h"
#include "builtins/builtin.h"

enum {
	JQ_NESTING_MAX = 10000,    /* of parentheses and the like in a program */
	JQ_TREE_MAX = 200000,      /* depth of the tree: long chains of operators */
	JQ_STACK_NEED = 24 * 1024, /* native stack for one more level of a recursion */
	JQ_MODULES_MAX = 200,
	JQ_REGS_MAX = 60000,
	JQ_REGEXES = 32,
	JQ_COMPLAINTS = 32,
	JQ_DUMP_MAX = 11,      /* bytes of a value shown in messages */
	JQ_DUMP_LONG_MAX = 26, /* the same, in messages about paths */
};

struct jq;

/* --- the tree --- */

enum node_kind {
	N_IDENTITY,
	N_RECURSE, /* .. */
	N_INDEX,   /* a[b]; op 1 here and in SLICE, EACH: errors are none (?) */
	N_SLICE,   /* a[b:c], either may be NULL */
	N_EACH,    /* a[] */
	N_LITERAL,
	N_STRING, /* list: parts; name: format or empty */
	N_FORMAT, /* @name */
	N_ARRAY,  /* [a], a may be NULL */
	N_OBJECT, /* list: key, value, ...; a key that is a literal is one */
	N_NEGATE,
	N_PIPE,
	N_COMMA,
	N_BINARY, /* op */
	N_AND,
	N_OR,
	N_ALT,     /* a // b */
	N_ASSIGN,  /* a op= b */
	N_IF,      /* a then b else c; c may be NULL */
	N_TRY,     /* try a catch b; b may be NULL */
	N_REDUCE,  /* reduce a as pattern (b; c) */
	N_FOREACH, /* foreach a as pattern (b; c; d); d may be NULL */
	N_DEF,     /* def; a is what it is for */
	N_CALL,    /* name, list: arguments */
	N_VAR,
	N_AS,    /* a as patterns | b */
	N_LABEL, /* label name | a */
	N_BREAK,
	N_LOC,
};

enum binary {
	B_ADD,
	B_SUB,
	B_MUL,
	B_DIV,
	B_MOD,
	B_EQ,
	B_NE,
	B_LT,
	B_LE,
	B_GT,
	B_GE,
	B_ALT,    /* in //= only */
	B_SET,    /* = */
	B_UPDATE, /* |= */
};

/* A text that programs are read from. */
struct source {
	const char *name; /* in messages: "<top-level>" or a path */
	struct bytes text;
	bool own;         /* ours: it may call functions that trust their arguments (_name) */
	struct bytes dir; /* of a module: where it looks for others */
};

struct pattern {
	struct pattern *next; /* ?// alternative */
	enum { P_VAR, P_ARRAY, P_OBJECT } kind;
	struct bytes name; /* VAR; of an OBJECT's member with key $name */
	size_t n;
	struct pattern **parts;
	struct node **keys;  /* OBJECT */
	struct bytes *names; /* OBJECT: of members written as $name, else empty */
};

struct node {
	uint8_t kind;
	uint8_t op;
	uint32_t at; /* offset in the source */
	uint32_t end;
	struct source *src;
	struct node *a;
	struct node *b;
	struct node *c;
	struct node *d;
	struct bytes name;
	struct json value;
	size_t n;
	struct node **list;
	struct pattern *pattern;
	struct def *def;
};

struct param {
	struct bytes name;
	bool value;   /* $name */
	bool closure; /* used as a filter */
	int uses;
};

/* A function of the program. */
struct def {
	struct bytes name;
	size_t nparams;
	struct param *params;
	struct node *body;
	bool recursive;      /* calls itself by name, maybe */
	struct scope *scope; /* of its body, its own name included; set when it is compiled */
	struct fn *owner;    /* the function around it */
	struct fn *fn;
};

/* import and include */
struct import {
	struct import *next;
	struct bytes path;
	struct bytes as; /* empty: include */
	bool data;
	struct json meta;
	struct node *at;
};

struct program {
	struct import *imports;
	struct json meta;
	struct def **defs; /* of a module, or before the main expression */
	size_t ndefs;
	struct node *main; /* NULL: none */
};

/* --- code --- */

enum op {
	OP_MOVE,
	OP_TAKE,
	OP_CONST,
	OP_LOAD_UP,
	OP_INDEX,
	OP_INDEX_CONST,
	OP_SLICE,
	OP_EACH,
	OP_EACH_NEXT,
	OP_RANGE,
	OP_RANGE_NEXT,
	OP_BINARY,
	OP_NEGATE,
	OP_TRUTH,
	OP_JUMP,
	OP_JUMP_FALSE,
	OP_JUMP_TRUE,
	OP_FORK,
	OP_BACKTRACK,
	OP_TRY,
	OP_TRY_END,
	OP_LABEL,
	OP_BREAK,
	OP_CUT,
	OP_NEW_ARRAY,
	OP_APPEND,
	OP_MAKE_ARRAY,
	OP_MAKE_OBJECT,
	OP_MAKE_STRING,
	OP_FORMAT,
	OP_CLOSURE,
	OP_CALL,
	OP_CALL_CLOSURE,
	OP_TAIL_CALL,
	OP_RET,
	OP_OUTPUT,
	OP_NATIVE,
	OP_GET_PATH,
	OP_TAKE_PATH,
	OP_SET_PATH,
	OP_DEL_PATHS,
	OP_CHECK_PATH,
	OP_NO_PATH,
	OP_RAISE,
	OP_LIMIT,
};

enum {
	INSN_MOVE_A = 1, /* last use of register a */
	INSN_MOVE_B = 2,
	INSN_PATH = 4,     /* values with paths */
	INSN_OPTIONAL = 8, /* errors go back silently */
};

struct insn {
	uint8_t op;
	uint8_t flags;
	uint16_t dst;
	uint16_t a;
	uint16_t b;
	union {
		uint32_t to; /* an index in the code */
		uint32_t n;
		const struct json *value;
		struct fn *fn;
		const struct native *native;
	} u;
};

/*
 * Code in both forms, made when it is first wanted. Its frame: register 0 (and 1) the input
 * (and its path), then the parameters.
 */
struct fn {
	struct fn *parent; /* the function around it; NULL: none whose frame is needed */
	struct scope *scope;
	struct node *body;
	struct def *def; /* NULL: an argument, or the main program */
	struct insn *code[2];
	size_t ncode[2];
	uint16_t nregs[2];
	uint16_t nparams;
};

struct call_arg {
	uint16_t reg;  /* a value or a closure of the caller's... */
	uint16_t hops; /* unused: 0 */
	struct fn *fn; /* ...or the code of a new closure */
};

/* --- the machine --- */

enum fork_kind { FORK_PLAIN, FORK_TRY, FORK_TRY_END, FORK_LABEL };

struct fork {
	const struct insn *pc;
	uint32_t frame;
	uint32_t top;
	uint32_t kind;
	uint32_t arg; /* TRY: the register for the error; TRY_END: the height of its TRY */
};

struct frame {
	const struct fn *fn;
	const struct insn *ret;
	uint32_t caller; /* as offsets in units of struct json */
	uint32_t env;
	uint32_t forks; /* when it was made */
	uint32_t nregs;
	uint16_t dst;
	uint8_t form; /* 1: with paths */
};

enum {
	FRAME_SLOTS = (int)((sizeof(struct frame) + sizeof(struct json) - 1) / sizeof(struct json))
};

struct vm {
	struct json *stack; /* frames, one above the other */
	size_t cap;
	uint32_t top;
	uint32_t frame;
	struct fork *forks;
	size_t nforks;
	size_t forks_cap;
	const struct insn *pc;
	uint64_t steps;
	bool started;
};

/* --- all of it --- */

struct jq_regex {
	struct json pattern; /* NONE: free */
	unsigned flags;
	uint64_t used;
	struct arena arena;
	struct regex *re;
};

struct jq_opts {
	bool raw, join, ascii, compact, sort, exit_status, null_input, slurp, raw_input, seq;
	bool stream, stream_errors, raw0, tab, color, unbuffered;
	bool color_set;
	int indent;
	const char *from_file;
	struct json named;
	struct json positional;
	char **dirs;
	size_t ndirs;
};

/* What a command around jq (yq, tomlq, xq) does in its place. */
struct jq_host {
	struct bytes input; /* JSON texts instead of files */
	/* Takes each result, which it looks at, instead of printing it; may be NULL. */
	void (*result)(void *arg, struct json_mem *m, struct json v);
	/* Called instead of writing messages about the program; does not return; may be NULL. */
	void (*bad_program)(void *arg);
	void *arg;
};

struct jq {
	struct cmd *c;
	const struct jq_host *host; /* NULL: jq itself */
	struct arena *a;
	struct json_mem m;
	struct arena scratch;
	struct arena_mark scratch_base;
	struct json error; /* raised; NONE: nothing is */
	bool raised;
	bool no_path; /* it was raised because a path was wanted of what has none */
	struct vm vm;
	struct jq_opts opts;
	/* compiling */
	struct source *main_source;
	int nerrors;
	struct complaint {
		struct source *src;
		uint32_t at;
		struct bytes text;
	} complaints[JQ_COMPLAINTS];
	size_t ncomplaints;
	bool sorts_complaints; /* while compiling, which does not go from left to right */
	struct scope *globals; /* functions written in jq hang on it */
	struct scope *top;     /* named arguments, on globals */
	struct pending *pending;
	int modules;
	struct json env;
	/* input */
	struct reader *reader;
	bool halted;
	int halt_status;
	struct jq_regex regexes[JQ_REGEXES];
	uint64_t clock;
};

/* --- jq.c --- */

/* jq with the arguments in c->argv; host may be NULL. */
int jq_main(struct cmd *c, const struct jq_host *host);

/* --- lex.c, parse.c --- */

/* The program of a source, or NULL after its errors were written. */
struct program *jq_parse(struct jq *j, struct source *src);
/* Writes "jq: error: message at place" and counts. */
void jq_complain(struct jq *j, struct source *src, uint32_t at, uint32_t end, const char *format,
		 ...) __attribute__((format(printf, 5, 6)));
/* Writes those that were kept while sorts_complaints was set. */
void jq_write_complaints(struct jq *j);
/* Calls fn(arg), on a fresh stack if this one gets short. */
int jq_deep(struct jq *j, int (*fn)(void *arg), void *arg);

/* --- compile.c --- */

/* The main program ready to run, or NULL after messages. */
struct fn *jq_compile(struct jq *j, struct program *prog);
/* Code in a form that is not there yet: 0 values, 1 paths. */
void jq_compile_form(struct jq *j, struct fn *fn, int form);
/* The text of a function that is written in jq, or an empty one. */
struct bytes jq_prelude(struct bytes name, size_t nparams);
struct bytes jq_prelude_nth(size_t i, size_t *nparams);
/* Modules: modules.c. The definitions are added to *scope. */
struct scope *jq_import(struct jq *j, struct scope *scope, struct import *imports,
			struct source *from);
struct json jq_modulemeta(struct jq *j, struct json in, struct json *arg);
struct scope *jq_scope_defs(struct jq *j, struct scope *scope, struct def **defs, size_t n,
			    struct bytes prefix);
struct scope *jq_scope_data(struct jq *j, struct scope *scope, struct bytes name,
			    struct json value);

/* --- vm.c --- */

void jq_start(struct jq *j, const struct fn *main, struct json input);
/* 1: *out is the next result; 0: there are no more; -1: j->error is the error. */
int jq_next(struct jq *j, struct json *out);

/* --- errors: all return JSON_NONE --- */

struct json jq_raise(struct jq *j, struct json error);
struct json jq_error(struct jq *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "kind (value) text", "kind (value) and kind (value) text"; consume. */
struct json jq_bad(struct jq *j, struct json v, const char *text);
struct json jq_bad2(struct jq *j, struct json a, struct json b, const char *text);
/* The beginning of v as text, as it stands in messages; in scratch. Looks at v. */
const char *jq_dump(struct jq *j, struct json v);
const char *jq_dump_long(struct jq *j, struct json v);

/* --- arith.c, path.c --- */

struct json jq_binary(struct jq *j, enum binary op, struct json a, struct json b);
struct json jq_negate(struct jq *j, struct json v);
struct json jq_index(struct jq *j, struct json v, struct json key);
struct json jq_slice(struct jq *j, struct json v, struct json from, struct json to);
struct json jq_getpath(struct jq *j, struct json v, struct json path);
struct json jq_setpath(struct jq *j, struct json v, struct json path, struct json to);
/* The value at path, and null in its place in *v: so that it may have one owner. Paths that
 * can't be taken apart are copied. */
struct json jq_takepath(struct jq *j, struct json *v, struct json path);
struct json jq_delpaths(struct jq *j, struct json v, struct json paths);
struct json jq_contains(struct jq *j, struct json a, struct json b);
struct json jq_set(struct jq *j, struct json v, struct json key, struct json to);

/* --- native functions: consume input and arguments --- */

typedef struct json native_fn(struct jq *j, struct json in, struct json *arg);
struct native {
	const char *name;
	unsigned nargs;
	native_fn *fn;
};
const struct native *jq_native(struct bytes name, size_t nargs);
const struct native *jq_native_nth(size_t i);
/* Tables of the native*.c files, NULL-ended. */
extern const struct native jq_natives_core[];
extern const struct native jq_natives_text[];
extern const struct native jq_natives_math[];
extern const struct native jq_natives_time[];
extern const struct native jq_natives_io[];

/* The values of an object as an array. */
struct json jq_values(struct jq *j, struct json in);
struct json jq_tostring(struct jq *j, struct json v);
struct json jq_tojson(struct jq *j, struct json v);
struct json jq_format(struct jq *j, struct bytes name, struct json v);
/* Whether there is such a format. */
struct json jq_match(struct jq *j, struct json in, struct json *arg);

/* --- input.c --- */

/* 1: the next input; 0: none; -1: j->error (a parse error: jq_error's text). */
int jq_input(struct jq *j, struct json *out);
struct json jq_input_filename(struct jq *j);
uint64_t jq_input_line(struct jq *j);
/* For messages; NULL: there is no input. */
const char *jq_input_name(struct jq *j);
/* Whether a file could not be read. */
bool jq_input_failed(struct jq *j);
void jq_input_open(struct jq *j, char **files, int n);
/* Values of a text, in an array; false after an error in *message. */
bool jq_parse_all(struct jq *j, struct bytes text, struct json *out, struct buf *message);

/* Charges for turns of a loop in an operation: of every so many, the last. */
static inline void jq_turn(struct jq *j, size_t turn)
{
	if (turn % 512 == 511)
		cmd_charge(j->c, 32);
}

/* Scratch memory for one operation. */
#define JQ_SCRATCH(j, mark) struct arena_mark mark = arena_mark(&(j)->scratch)

#endif
