/* SPDX-License-Identifier: MIT
 *
 * bc: lex.c reads tokens, parse.c compiles a line or a function to code, vm.c runs it.
 *
 *   source ──> tokens ──> struct code (instructions of a stack machine) ──> run
 *
 * Instructions know the address GNU bc would tell in messages ("func=f, adr=3"): `end` counts
 * the bytes of its code. Scopes are dynamic: a call saves the values of the function's
 * parameters and auto variables and puts them back at its return.
 */
#ifndef BUILTINS_BC_BC_H
#define BUILTINS_BC_BC_H

#include "builtins/bc/num.h"

enum token {
	TOKEN_END,
	TOKEN_NEWLINE,
	TOKEN_NUMBER,
	TOKEN_STRING,
	TOKEN_NAME,
	TOKEN_CHAR,   /* one of + - * / % ^ ( ) [ ] { } , ; ! & (by reference) */
	TOKEN_ASSIGN, /* op in `ch`, '=' for the plain one */
	TOKEN_COMPARE,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_STEP, /* ++ -- : '+' or '-' */
	TOKEN_WORD, /* reserved: `word` */
};

enum word {
	WORD_AUTO,
	WORD_BREAK,
	WORD_CONTINUE,
	WORD_DEFINE,
	WORD_ELSE,
	WORD_FOR,
	WORD_HALT,
	WORD_HISTORY,
	WORD_IBASE,
	WORD_IF,
	WORD_LAST,
	WORD_LENGTH,
	WORD_LIMITS,
	WORD_OBASE,
	WORD_PRINT,
	WORD_QUIT,
	WORD_RANDOM,
	WORD_READ,
	WORD_RETURN,
	WORD_SCALE,
	WORD_SQRT,
	WORD_VOID,
	WORD_WARRANTY,
	WORD_WHILE,
	WORDS
};

enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

/* Variables that are always there. */
enum { VAR_IBASE, VAR_OBASE, VAR_SCALE, VAR_HISTORY, VAR_LAST, VARS_FIXED };

enum op {
	OP_CONST,
	OP_LOAD,
	OP_LOAD_ELEMENT,
	OP_STORE,
	OP_STORE_ELEMENT,
	OP_STEP, /* arg: variable, aux: '+' or '-' */
	OP_STEP_ELEMENT,
	OP_DUP,
	OP_SWAP,
	OP_POP,
	OP_NEG,
	OP_NOT,
	OP_BINARY,  /* arg: + - * / % ^ */
	OP_COMPARE, /* arg: enum compare */
	OP_BRANCH_ZERO,
	OP_BRANCH,
	OP_JUMP,
	OP_WRITE,      /* a value and a newline */
	OP_PRINT,      /* a value */
	OP_TEXT,       /* a string statement */
	OP_PRINT_TEXT, /* a string of print, with escapes */
	OP_ARRAY,      /* an array as argument: only in calls */
	OP_CALL,       /* arg: function, aux: index of its struct call */
	OP_RETURN,
	OP_LENGTH,
	OP_SCALE,
	OP_SQRT,
	OP_READ,
	OP_RANDOM,
	OP_HALT,
};

struct ins {
	enum op op;
	uint32_t arg;
	uint32_t aux;
	uint32_t end;      /* address behind it */
	struct num *value; /* OP_CONST of 0 and 1 */
	struct bytes text; /* OP_CONST: digits, read with ibase when run; strings */
};

struct code {
	struct ins *ins;
	size_t n;
	size_t cap;
	uint32_t address;
	uint32_t *labels; /* index of the instruction */
	size_t nlabels;
	size_t labels_cap;
};

struct param {
	uint32_t id; /* variable or array */
	bool array;
	bool by_reference;
};

struct array {
	unsigned refs;
	struct num ***pages; /* of PAGE_SIZE elements; NULL: zeros */
	size_t npages;
};

struct function {
	bool defined;
	bool is_void;
	struct param *params;
	size_t nparams;
	struct param *autos;
	size_t nautos;
	struct code code;
};

struct name {
	struct bytes text;
	uint32_t var; /* 0: none yet (0 is ibase) */
	uint32_t array;
	uint32_t function; /* number + 1 */
};

/* The kinds of arguments of a call, in order. */
struct call {
	size_t n;
	const bool *arrays;
};

struct bc {
	struct cmd *c;
	bool library; /* -l */
	bool posix;   /* -s: what POSIX bc lacks is an error */
	bool warn;    /* -w: or is warned of */
	/* source */
	struct input file;
	struct input standard;
	struct input *in; /* one of them; NULL: none is open */
	bool has_standard;
	int next_file;
	const char *source; /* "(standard_in)" or a file */
	uint64_t line;
	/* token */
	enum token token;
	int ch;
	enum word word;
	struct buf text;
	/* compiling */
	struct code *code;
	struct call *calls;
	size_t ncalls;
	size_t calls_cap;
	bool failed; /* a message was written: nothing more is compiled */
	bool bad;    /* there was one: the line is not run */
	bool in_function;
	bool in_void;
	bool compares;      /* the last expression has a comparison as its value */
	bool in_parens;     /* it is one in parentheses */
	bool array_allowed; /* the next name may be an array: an argument */
	int break_label;
	int continue_label;
	/* names */
	struct name *names;
	size_t nnames;
	size_t names_cap;
	size_t *buckets;
	size_t nbuckets;
	struct num **vars;
	size_t nvars;
	size_t vars_cap;
	struct array **arrays;
	size_t narrays;
	size_t arrays_cap;
	struct function *functions;
	struct bytes *function_names;
	size_t nfunctions;
	size_t functions_cap;
	/* running */
	struct num **stack;
	size_t depth;
	size_t stack_cap;
	struct frame *frames;
	size_t nframes;
	size_t frames_cap;
	struct saved *saved;
	size_t nsaved;
	size_t saved_cap;
	unsigned ibase;
	size_t scale;
	struct num *obase;
	struct num *zero;
	struct num *one;
	uint64_t column;
	uint64_t line_length;
	bool error; /* a runtime error stopped the code */
	uint64_t random_state;
};

/* --- lex.c --- */

void bc_next(struct bc *b);
/* "source line: message", and the line is not run. */
void bc_error(struct bc *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says that POSIX bc lacks this, if -s or -w asks for it. */
void bc_extension(struct bc *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of a name of several letters. */
void bc_long_name(struct bc *b, struct bytes text);
/* The same of the last expression, if its value is a comparison's. */
void bc_no_compare(struct bc *b, const char *where);
/* The next byte of standard input, for read(); -1 at the end. */
int bc_read_byte(struct bc *b);

/* --- parse.c --- */

/* Compiles and runs all input. */
void bc_program(struct bc *b);

/* --- vm.c --- */

void bc_run(struct bc *b, struct code *code);
void bc_put(struct bc *b, struct bytes text);
uint32_t bc_var(struct bc *b, struct name *n);
uint32_t bc_array(struct bc *b, struct name *n);
uint32_t bc_function(struct bc *b, struct name *n);
void bc_start(struct bc *b);
/* Room for one more element. */
void bc_grow(struct bc *b, void *list, size_t *cap, size_t n, size_t size);

#endif
