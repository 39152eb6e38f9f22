/* SPDX-License-Identifier: MIT
 *
 * Shell arithmetic: (( )), $(( )), let, array subscripts, ${x:offset:length}.
 *
 * An expression is compiled once to a short instruction list and evaluated many times.
 * Compiling never fails: bash evaluates while it parses, so what stands before a syntax error
 * takes effect (`$((i++ + ))` increments i). Here a syntax error becomes an instruction, reached
 * in the same order. Neither compiling nor evaluating recurses on the C stack.
 *
 * This file knows nothing of the shell: variables are reached through struct arith_env.
 */
#ifndef INTERP_ARITH_H
#define INTERP_ARITH_H

#include "base/heap.h"

struct arith;
struct param; /* ast.h */
struct word;

/* A variable as written in an expression; one object per place it stands. */
struct arith_name {
	struct bytes name; /* NUL behind */
	uint64_t hash;     /* bytes_hash(name) */
	void *cache;       /* the environment's, as `cache` fields of the tree; NULL at first */
	uint64_t cache_stamp;
};

enum arith_kind {
	ARITH_SCALAR, /* no subscript was written */
	ARITH_INDEX,  /* name[expression] of an indexed array (or of what may become one) */
	ARITH_KEY,    /* name[text] of an associative array */
};

/* What is read or assigned. */
struct arith_place {
	struct arith_name *name;
	enum arith_kind kind;
	int64_t index;    /* ARITH_INDEX: as evaluated, so maybe negative */
	bool plain;       /* of the environment: the key is not to be expanded */
	struct bytes key; /* the text between [ and ], as it stands in the expression; the
			   * ptr is NULL without subscript. Empty with ARITH_KEY, whatever the
			   * variable is: no subscript at all, to be reported */
};

enum {
	ARITH_ERROR = -1, /* env->error is the text for the user */
	ARITH_RETRY = -2, /* a code from arith_compile_word needs the expanded text (see there) */
	ARITH_DEPTH_MAX = 1024, /* variables that name variables */
};

struct arith_env {
	void *user;          /* first argument of the callbacks */
	struct arena *arena; /* scratch: released by the evaluation, but for `error` */
	/* Whether `name` is associative: ARITH_KEY, or else ARITH_INDEX. Asked only for names with
	 * a subscript. NULL: always ARITH_INDEX. */
	enum arith_kind (*kind)(void *user, struct arith_name *name);
	/*
	 * The value of a place: 1 and *value when it is known as an integer; 0 and *text when it
	 * is text, which is then evaluated as an expression (plain decimal text is recognised
	 * quickly); an unset variable is empty text. The text needs to live until the next call.
	 * Negative (except ARITH_ERROR and ARITH_RETRY: use -3 and below) stops the evaluation,
	 * which returns it: unbound variable under set -u, bad subscript; env has reported it.
	 */
	int (*get)(void *user, const struct arith_place *at, int64_t *value, struct bytes *text);
	/* Assigns; 0, or negative as above (readonly variable). */
	int (*set)(void *user, const struct arith_place *at, int64_t value);
	/* The number a parameter expansion stands for, see arith_compile_word: 1 if the value is
	 * plain decimal digits without superfluous zeros, maybe behind one '-'; else 0. May be
	 * NULL when such code is never evaluated. */
	int (*param)(void *user, const struct param *param, int64_t *value);
	/* The text of an index with quotes or expansions in it: what is to be evaluated, valid
	 * until the evaluation ends; 0, or negative as above. NULL: it is evaluated as it stands.
	 */
	int (*subscript)(void *user, struct bytes text, struct bytes *out);
	/* Steps since the last call; may not return. NULL: none. Called when variables nest. */
	void (*charge)(void *user, uint64_t steps);
	/* Out, with ARITH_ERROR: `1/0: division by 0 (error token is "0")`, in `arena`, to be
	 * printed behind "bash: line N: " and the caller's "((: " or "let: ". */
	struct bytes error;
	bool error_in_subscript; /* ... but without that; and it is worse */
	/* Nothing in a subscript is quoted: brackets in it are to be balanced, and a key is taken
	 * as it stands. */
	bool plain;
};

/* Compiles into the arena; text must live as long as the result. Never NULL. plain: as in struct
 * arith_env. */
struct arith *arith_compile(struct arena *arena, struct bytes text, bool plain);

/*
 * Compiles the word of an arith_text (ast.h) for any values of its expansions, or returns NULL
 * if that is not possible. A word without expansions is arith_compile of its text. Otherwise
 * each expansion must be a simple $x ${x} $1 $# standing where an operand stands; their values
 * are asked (env->param) before anything is evaluated, and if one is not a plain number,
 * arith_eval returns ARITH_RETRY without any effect: then the caller expands the word to text
 * and uses arith_eval_text.
 */
struct arith *arith_compile_word(struct arena *arena, const struct word *word);

/* Evaluates: 0 and *out, ARITH_ERROR, ARITH_RETRY, or what a callback returned. */
int arith_eval(const struct arith *code, struct arith_env *env, int64_t *out);

/* Compiles and evaluates text that is needed once. Plain decimal numbers take a short way. */
int arith_eval_text(struct bytes text, struct arith_env *env, int64_t *out);

/* The value of a code that is only a number: true and *out. For subscripts such as a[0]. */
bool arith_is_constant(const struct arith *code, int64_t *out);

/* Plain decimal digits without a superfluous zero in front, maybe behind one '-' : true and
 * *out. What bash's printing of a number gives back; overflow is refused. */
bool arith_plain_number(struct bytes text, int64_t *out);

#endif
