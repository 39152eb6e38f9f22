/* SPDX-License-Identifier: MIT
 *
 * awk's program: the tree that the parser makes, and the instructions made of it.
 */
#ifndef BUILTINS_AWK_CODE_H
#define BUILTINS_AWK_CODE_H

#include <math.h>

#include "builtins/awk/awk.h"

/* --- the tree --- */

enum node_op {
	/* expressions */
	N_NUM,
	N_STR,
	N_REGEX,
	N_TYPED_REGEX,
	N_VAR,
	N_INDEX,
	N_FIELD,
	N_ASSIGN,
	N_OPASSIGN,
	N_COND,
	N_AND,
	N_OR,
	N_NOT,
	N_NEG,
	N_PLUS,
	N_BINARY,
	N_COMPARE,
	N_MATCH,
	N_IN,
	N_CONCAT,
	N_INCR,
	N_CALL,
	N_INDIRECT,
	N_BUILTIN,
	N_GETLINE,
	N_GROUP,
	/* statements */
	N_EXPR,
	N_PRINT,
	N_PRINTF,
	N_IF,
	N_WHILE,
	N_DO,
	N_FOR,
	N_FORIN,
	N_SWITCH,
	N_CASE,
	N_BREAK,
	N_CONTINUE,
	N_NEXT,
	N_NEXTFILE,
	N_EXIT,
	N_RETURN,
	N_DELETE,
	N_BLOCK,
};

enum arith { ARITH_ADD, ARITH_SUB, ARITH_MUL, ARITH_DIV, ARITH_MOD, ARITH_POW };
enum compare { CMP_LT, CMP_LE, CMP_EQ, CMP_NE, CMP_GT, CMP_GE };
enum { INCR_POST = 1, INCR_DOWN = 2 };

/* With -o: a comment, and those of the same place. */
struct comment {
	struct comment *next;
	struct bytes text; /* from the '#' on */
	size_t at;         /* where that is in the source */
	bool own_line;
	int gap; /* empty lines in front, behind another comment */
};

/* The comments of a statement, a label or a block. */
struct remarks {
	struct comment *before;
	struct comment *after; /* on its last line, and behind that */
	struct comment *open;  /* behind a '{' */
	struct comment *inner; /* before a '}' */
};

/* An extension library that the program names. */
struct load {
	struct load *next;
	const char *name;
};

struct node {
	uint8_t op;
	uint8_t sub; /* arith, compare, INCR_, redirect; N_MATCH: negated; N_STR: to be translated
		      */
	uint8_t grouped; /* in how many parentheses: at most 255 */
	uint16_t fn;     /* N_BUILTIN */
	uint32_t line;
	const char *file; /* NULL: the command line */
	double num;
	struct bytes text;
	int var; /* N_VAR: global (>= 0) or ~local */
	struct node *a;
	struct node *b;
	struct node *c;
	struct node *d;
	struct node *list; /* arguments, subscripts, statements: linked by next */
	struct node *last;
	struct node *next;
	int count;               /* of list */
	struct remarks *remarks; /* NULL: none */
	uint32_t counter;        /* -p: of how often it ran, of a condition: how often it held */
};

struct function {
	struct bytes name;
	struct function *next;
	bool defined;
	bool used;
	uint32_t line; /* of the first use or definition */
	const char *file;
	int nparams;
	struct bytes *params;
	struct node *body;
	int32_t entry;
	int index;
	int stack; /* values it needs beyond its locals */
	struct comment *before;
	uint32_t counter; /* -p: of calls */
};

enum rule_kind { RULE_BEGIN, RULE_MAIN, RULE_END, RULE_BEGINFILE, RULE_ENDFILE, RULE_KINDS };

struct rule {
	struct rule *next;
	struct node *pattern; /* NULL: always */
	struct node *until;   /* of a range */
	struct node *body;    /* NULL: print */
	uint32_t line;
	const char *file;
	struct comment *before;
	uint32_t counter; /* -p: how often it was looked at */
	uint32_t taken;   /* and ran */
};

/* --- the code --- */

enum op {
	OP_CONST,
	OP_NUM,
	OP_UNINIT,
	OP_GLOBAL,
	OP_LOCAL,
	OP_SPECIAL,
	OP_FIELD,
	OP_FIELD_DYN,
	OP_VIEW,
	OP_VIEW_DYN,
	OP_FIELD_NUM,
	OP_ARRAY_GLOBAL,
	OP_ARRAY_LOCAL,
	OP_SUBARRAY,
	OP_NO_ARRAY,
	OP_ARG_GLOBAL,
	OP_ARG_LOCAL,
	OP_ARG_ELEM,
	OP_ANY_GLOBAL,
	OP_ANY_LOCAL,
	OP_ANY_ELEM,
	OP_ELEM,
	OP_ELEM_PEEK,
	OP_FIELD_PEEK,
	OP_IN,
	OP_DELETE,
	OP_CLEAR,
	OP_JOIN,
	OP_STORE_GLOBAL,
	OP_STORE_LOCAL,
	OP_STORE_SPECIAL,
	OP_STORE_FIELD,
	OP_STORE_FIELD_DYN,
	OP_STORE_ELEM,
	OP_SET_GLOBAL,
	OP_SET_LOCAL,
	OP_SET_SPECIAL,
	OP_SET_FIELD_DYN,
	OP_SET_ELEM,
	OP_INCR_GLOBAL,
	OP_INCR_LOCAL,
	OP_INCR_SPECIAL,
	OP_INCR_FIELD_DYN,
	OP_INCR_ELEM,
	OP_APPEND_GLOBAL,
	OP_APPEND_LOCAL,
	OP_APPEND_ELEM,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_POW,
	OP_COUNT, /* -p */
	OP_BIG,   /* these are of -M */
	OP_BIG_UNARY,
	OP_BIG_UPDATE,
	OP_NEG,
	OP_PLUS,
	OP_NOT,
	OP_BOOL,
	OP_COMPARE,
	OP_JUMP_COMPARE,
	OP_MATCH,
	OP_MATCH_CONST,
	OP_MATCH_RECORD,
	OP_CONCAT,
	OP_JUMP,
	OP_LOOP,
	OP_JUMP_FALSE,
	OP_JUMP_TRUE,
	OP_POP,
	OP_ITER,
	OP_ITER_NEXT,
	OP_CASE,
	OP_CASE_REGEX,
	OP_RANGE,
	OP_SET_RANGE,
	OP_CALL,
	OP_INDIRECT,
	OP_RETURN,
	OP_BUILTIN,
	OP_TOUCH,
	OP_SUBST,
	OP_REG,
	OP_GETLINE,
	OP_GETLINE_VAR,
	OP_PRINT,
	OP_PRINTF,
	OP_OUT_FIELD,
	OP_OUT_VAL,
	OP_OUT_END,
	OP_OUT_RECORD,
	OP_NEXT,
	OP_NEXTFILE,
	OP_EXIT,
	OP_DONE,
};

enum { BIG_UPDATE_SHIFT = 4 }; /* OP_BIG_UPDATE: y holds the instruction above its own y */

struct ins {
	uint8_t op;
	uint8_t x;
	uint16_t y;
	int32_t z;
};

struct place {
	const char *file; /* NULL: the command line */
	uint32_t line;
};

struct program {
	struct awk *a;
	struct arena *arena;
	struct bytes *names; /* of globals */
	int nglobals;
	int names_cap;
	struct name_slot *slots; /* a hash table over names and functions */
	size_t nslots;
	size_t slots_used;
	struct function *functions;
	struct function **by_index;
	int nfunctions;
	struct rule *rules[RULE_KINDS];
	struct rule **last[RULE_KINDS];
	int32_t entry[RULE_KINDS];
	int nranges;
	uint32_t ncounters;
	bool reads;            /* there is something to do with records */
	struct bytes space;    /* -o: the namespace, if there is but one */
	struct load *loads;    /* in their order */
	struct load *includes; /* -o: of -i and @include */
	struct comment *first; /* -o: comments before all else */
	struct comment *rest;  /* and at the end */
	bool tables;           /* SYMTAB, FUNCTAB or PROCINFO are named */

	struct ins *code;
	struct place *places;
	size_t ncode;
	size_t code_cap;
	struct val *consts;
	int nconsts;
	int consts_cap;
	struct re_const **regexes;
	int nregexes;
	int regexes_cap;
	int stack_main;
	uint32_t max_stack;
};

enum builtin_fn {
	FN_ATAN2,
	FN_COS,
	FN_EXP,
	FN_INT,
	FN_LOG,
	FN_RAND,
	FN_SIN,
	FN_SQRT,
	FN_SRAND,
	FN_AND,
	FN_OR,
	FN_XOR,
	FN_COMPL,
	FN_LSHIFT,
	FN_RSHIFT,
	FN_ASORT,
	FN_ASORTI,
	FN_CLOSE,
	FN_FFLUSH,
	FN_GENSUB,
	FN_GSUB,
	FN_INDEX,
	FN_ISARRAY,
	FN_LENGTH,
	FN_MATCH,
	FN_MKTIME,
	FN_PATSPLIT,
	FN_SPLIT,
	FN_SPRINTF,
	FN_STRFTIME,
	FN_STRTONUM,
	FN_SUB,
	FN_SUBSTR,
	FN_SYSTEM,
	FN_SYSTIME,
	FN_TOLOWER,
	FN_TOUPPER,
	FN_TYPEOF,
	FN_BINDTEXTDOMAIN,
	FN_DCGETTEXT,
	FN_DCNGETTEXT,
	FN_MKBOOL,
	FN_LIBRARY, /* those behind are of extension libraries */
	FN_ORD = FN_LIBRARY,
	FN_CHR,
	FN_READFILE,
	FN_GETTIMEOFDAY,
	FN_SLEEP,
	FN_INTDIV,
	FN_FNMATCH,
	FN_CHDIR,
	FN_STAT,
	FN_COUNT
};

struct fn_row {
	const char *name;
	int8_t min;
	int8_t max;
	uint8_t array_args; /* bit i: argument i is an array */
	uint8_t regex_args; /* bit i: a regular expression there is itself, not a match of $0 */
	bool gnu;           /* not in POSIX awk: off with --traditional and --posix */
	bool pure;          /* changes nothing, reads no input */
	unsigned library;   /* that it is in; 0: none */
	int8_t need;        /* arguments, of a library's function */
};
extern const struct fn_row awk_fn_rows[FN_COUNT];
int awk_fn_find(struct bytes name);
/* Calls one, except sub and gsub; args are not released. */
struct val awk_fn_call(struct awk *a, unsigned id, struct val *args, int n);
/* The same for a call by name: arguments are checked, sub and gsub (of $0) are there too. */
struct val awk_fn_call_indirect(struct awk *a, unsigned id, struct val *args, int n);

/* parse.c: the whole program out of a->o->sources. Ends the command on errors. */
struct program *awk_program_parse(struct awk *a);
int awk_program_global(struct program *p, struct bytes name);
struct function *awk_program_function(struct program *p, struct bytes name);
struct function *awk_program_find_function(struct program *p, struct bytes name);
/* The number of a global by name, or -1. */
int awk_program_find_global(struct program *p, struct bytes name);

/* Adds a name to a list. */
void awk_program_load(struct program *prog, struct load **list, const char *name);

/* --- library.c: extension libraries --- */

enum {
	LIBRARY_FILEFUNCS = 1,
	LIBRARY_FNMATCH = 2,
	LIBRARY_INTDIV = 4,
	LIBRARY_ORDCHR = 8,
	LIBRARY_READDIR = 16,
	LIBRARY_READFILE = 32,
	LIBRARY_TIME = 64,
};
#define AWK_TIME_OBSOLETE                                                                          \
	"The time extension is obsolete. Use the timex extension from gawkextlib instead."
/* The bit of a library; 0: there is none. */
unsigned awk_library_find(const char *name);
/* The number of a function of those that are loaded, or -1. */
int awk_library_function(const struct awk *a, struct bytes name);
/* Before globals are numbered for good, and when they have room. */
void awk_library_declare(struct program *p);
void awk_library_fill(struct awk *a);
struct val awk_library_call(struct awk *a, unsigned id, struct val *args, int n);

/* pretty.c: -o */
void awk_pretty_print(struct awk *a);

/* compile.c */
void awk_program_compile(struct program *p);

/* vm.c */
enum run_end awk_vm_run(struct awk *a, int32_t entry);
/* Calls a function with arguments that are copied; the result is a new reference. */
struct val awk_vm_call(struct awk *a, struct function *f, const struct val *args, int n);
/* The result r of x and y: a NaN that numbers make has the sign of x86-64 on every processor. */
static inline double awk_made(double r, double x, double y)
{
	return !isnan(r) || isnan(x) || isnan(y) ? r : -(double)NAN;
}

/* The arithmetic of one operator with -M; a new reference. */
struct val awk_big_arith(struct awk *a, enum arith op, const struct val *x, const struct val *y);
/* The arithmetic of one operator; ends the program on division by zero. */
double awk_arith(struct awk *a, enum arith op, double x, double y);

#endif
