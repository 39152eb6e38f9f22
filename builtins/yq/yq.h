/* SPDX-License-Identifier: MIT
 *
 * What the parts of yq share.
 *
 *   expression ── parse.c ──> struct yq_expr ──┐
 *   files ── input.c, csv.c, toml.c, xml.c ──> struct yaml_node ── eval.c ──> output.c
 *
 * An expression is evaluated over a list of nodes and gives a list of nodes: those of the
 * documents themselves, so that what is assigned to them is seen in the documents. A node that
 * a path names but a document lacks is a phantom: null, with the parent and name that it would
 * have; it joins its parent when something is assigned to it (yq_attach).
 *
 * What is no expression of yq's language is tried as a program of jq (jqlang.c), whose results
 * take the comments and styles of the documents that they came from.
 */
#ifndef BUILTINS_YQ_YQ_H
#define BUILTINS_YQ_YQ_H

#include "base/json.h"
#include "base/yaml.h"
#include "builtins/builtin.h"

enum {
	YQ_NESTING_MAX = 400, /* of an expression */
	YQ_REGEXES = 8,
	YQ_DEPTH_MAX = 300,       /* of evaluations within each other: eval, nested calls */
	YQ_EXPAND_MAX = 10 << 20, /* nodes that are compared through aliases */
	YQ_ALIAS_MAX = 500000,    /* nodes that are made for aliases */
	YQ_STACK_NEED = 2 << 20,
};

enum yq_format {
	YQ_AUTO,
	YQ_YAML,
	YQ_JSON,
	YQ_PROPS,
	YQ_CSV,
	YQ_TSV,
	YQ_XML,
	YQ_TOML,
	YQ_BASE64,
	YQ_URI,
	YQ_SHELL,
};

struct yq_list {
	struct yaml_node **items;
	size_t n;
	size_t cap;
};

struct yq_vars {
	const struct yq_vars *next;
	struct bytes name;
	struct yq_list value;
};

struct yq;
struct yq_expr;
struct yq_fn;

/* Evaluates a call over `in`. */
typedef struct yq_list yq_handler(struct yq *y, const struct yq_expr *e, struct yq_list in,
				  const struct yq_vars *vars);
/* Combines two nodes; NULL: no result. */
typedef struct yaml_node *yq_binary(struct yq *y, const struct yq_expr *e, struct yaml_node *a,
				    struct yaml_node *b);

enum yq_op {
	YQ_SELF,
	YQ_LITERAL, /* value */
	YQ_STRING,  /* args: parts of a string with \( ) */
	YQ_VAR,
	YQ_KEY,     /* l . text */
	YQ_INDEX,   /* l [ r ] */
	YQ_SLICE,   /* l [ args[0] : args[1] ], each may be NULL */
	YQ_EACH,    /* l [] */
	YQ_RECURSE, /* flag KEYS: ... */
	YQ_COLLECT, /* [ l ], l may be NULL */
	YQ_OBJECT,  /* args: key, value... */
	YQ_PIPE,
	YQ_UNION,
	YQ_BLOCK,            /* l ; r */
	YQ_BIND,             /* l as $text; in a pipe */
	YQ_REDUCE,           /* l as $text; args: start, step */
	YQ_BINARY,           /* binary */
	YQ_ASSIGN,           /* l = r */
	YQ_UPDATE,           /* l |= r */
	YQ_COMPOUND,         /* l op= r: binary */
	YQ_ASSIGN_ATTRIBUTE, /* fn */
	YQ_AND,
	YQ_OR,
	YQ_ALTERNATIVE,
	YQ_IF,   /* args: condition, then, else or NULL */
	YQ_CALL, /* fn, args */
};

enum {
	YQ_OPTIONAL = 1, /* "?" behind a path */
	YQ_KEYS = 2,
	YQ_APPEND = 4,         /* merge: + */
	YQ_DEEP_LISTS = 8,     /* d */
	YQ_ONLY_EXISTING = 16, /* ? */
	YQ_ONLY_NEW = 32,      /* n */
	YQ_CLOBBER = 64,       /* c */
	YQ_RELATIVE = 128,     /* |= of attributes */
};

struct yq_expr {
	uint8_t op;
	uint8_t flags;
	struct yq_expr *l;
	struct yq_expr *r;
	struct yq_expr **args;
	size_t nargs;
	struct bytes text;
	struct yaml_node *value;
	const struct yq_fn *fn;
	yq_binary *binary;
};

struct yq_fn {
	const char *name;
	int min; /* of arguments; max < 0: no more than min */
	int max;
	yq_handler *run;
	int arg; /* free for handlers */
};

/* Tables of the files with functions; ended by a name of NULL. */
extern const struct yq_fn yq_fns_core[];
extern const struct yq_fn yq_fns_lists[];
extern const struct yq_fn yq_fns_text[];
extern const struct yq_fn yq_fns_meta[];
extern const struct yq_fn yq_fns_code[];
extern const struct yq_fn yq_fns_time[];
const struct yq_fn *yq_function(struct bytes name);

/* A document's origin. */
struct yq_source {
	uint32_t doc;
	uint32_t file;
	const char *name;
};

struct yq_opts {
	int in_format;
	int out_format;
	bool in_place;
	bool null_input;
	bool all; /* eval-all */
	bool raw;
	bool raw_set;
	bool pretty;
	bool exit_status;
	bool no_separators;
	bool nul;
	bool unbuffered;
	int color; /* 0: by the output, 1: yes, -1: no */
	int indent;
	const char *front_matter;
	const char *split;
	const char *expression_file;
	/* xml, csv, props */
	const char *attribute_prefix;
	const char *content_name;
	char csv_separator;
	const char *props_separator;
	bool keep_names_space;
	bool python; /* as the wrappers of jq read and write */
};

struct yq {
	struct cmd *c;
	struct arena *a;
	struct yq_opts o;
	struct yq_source *sources;
	size_t nsources;
	size_t sources_cap;
	int depth;
	size_t expanded; /* nodes that aliases have become */
	int in_alias;    /* while they do */
	struct yq_regex {
		struct bytes pattern;
		struct regex *re;
		struct arena arena;
	} regexes[YQ_REGEXES];
	size_t next_regex;
	struct bytes layout; /* of times: with_dtf */
	/* parsing an expression */
	struct bytes text;
	size_t at;
	int nesting;
	const char *error; /* NULL: none */
	size_t error_at;
	const char *program; /* given to jq because of that */
	/* output */
	struct buf *in_place; /* collects the output, else NULL */
	struct zone *utc;
	uint32_t last_doc;
	uint32_t last_file;
	bool printed;
	bool truth; /* of the last result: neither null nor false */
	size_t split_count;
	const char **forced; /* names of elements that are always lists */
	size_t nforced;
};

/* "Error: message" and the end of the command with status 1. */
_Noreturn void yq_fatal(struct yq *y, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The number of a new source. */
uint32_t yq_add_source(struct yq *y, struct yq_source s);
/* "no such file or directory". */
const char *yq_error_text(struct yq *y, int err);

/* --- parse.c --- */

/* NULL: it is no expression; y->error says why. */
struct yq_expr *yq_parse(struct yq *y, struct bytes text);

/* --- eval.c --- */

struct yq_list yq_eval(struct yq *y, const struct yq_expr *e, struct yq_list in,
		       const struct yq_vars *vars);
/* Over one node. */
struct yq_list yq_eval_one(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
			   const struct yq_vars *vars);
/* The first result, or NULL. */
struct yaml_node *yq_first(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
			   const struct yq_vars *vars);
void yq_add(struct yq *y, struct yq_list *l, struct yaml_node *n);
struct yq_list yq_list_of(struct yq *y, struct yaml_node *n);
bool yq_truth(const struct yaml_node *n);
/* n[key]: a phantom if there is none, NULL if there can't be one. */
struct yaml_node *yq_child(struct yq *y, struct yaml_node *n, struct yaml_node *key, bool quiet);
/* The value of a key of a map (aliases and merges are followed), or NULL. */
struct yaml_node *yq_get(struct yq *y, struct yaml_node *map, struct bytes key);
/* The same without looking into merges. */
struct yaml_node *yq_get_own(struct yaml_node *map, struct bytes key);
/* Whether all of the context stand for one input: eval-all. */
bool yq_together(const struct yq *y, struct yq_list in);

/* --- assign.c --- */

/* Joins a phantom to its parent; the node that stands there now. */
struct yaml_node *yq_attach(struct yq *y, struct yaml_node *n);
/* n takes over what `from` is, keeping its style and comments where they fit. */
void yq_update(struct yq *y, struct yaml_node *n, struct yaml_node *from, bool clobber);
void yq_set(struct yq *y, struct yaml_node *map, struct bytes key, struct yaml_node *value);
void yq_delete(struct yq *y, struct yq_list gone);
struct yq_list yq_assign(struct yq *y, const struct yq_expr *e, struct yq_list in,
			 const struct yq_vars *vars);

/* --- arith.c --- */

yq_binary yq_op_add, yq_op_subtract, yq_op_multiply, yq_op_divide, yq_op_modulo, yq_op_equal,
	yq_op_unequal, yq_op_less, yq_op_less_equal, yq_op_greater, yq_op_greater_equal;
bool yq_equal(struct yq *y, struct yaml_node *a, struct yaml_node *b);
/* The order of sort. */
int yq_compare(struct yq *y, struct yaml_node *a, struct yaml_node *b);
bool yq_int(const struct yaml_node *n, int64_t *out);
bool yq_double(const struct yaml_node *n, double *out);
/* Whether text fits a pattern with * and ?. */
bool yq_match(struct yq *y, struct bytes text, struct bytes pattern);

/* A time and a span, or NULL if they are none: time.c. sign -1: minus. */
struct yaml_node *yq_add_time(struct yq *y, struct yaml_node *time, struct yaml_node *span,
			      int sign);
/* Nanoseconds since 1970. */
bool yq_time_of(struct yq *y, const struct yaml_node *n, int64_t *out);
/* The parts between separators, in a list. */
struct yaml_node *yq_split(struct yq *y, struct bytes s, struct bytes separator);

/* --- nodes --- */

struct yaml_node *yq_null(struct yq *y);
struct yaml_node *yq_bool(struct yq *y, bool b);
struct yaml_node *yq_number(struct yq *y, int64_t n);
struct yaml_node *yq_real(struct yq *y, double d);
struct yaml_node *yq_text(struct yq *y, struct bytes s); /* not copied */
struct yaml_node *yq_seq(struct yq *y);
struct yaml_node *yq_map(struct yq *y);
/* A copy that stands alone and remembers where it comes from. */
struct yaml_node *yq_copy(struct yq *y, struct yaml_node *n);
/* The node itself or what an alias stands for. */
struct yaml_node *yq_real_node(struct yq *y, struct yaml_node *n);
/* A copy without aliases and merges. */
struct yaml_node *yq_explode(struct yq *y, struct yaml_node *n);
bool yq_is_number(const struct yaml_node *n);
const char *yq_kind_name(const struct yaml_node *n);
/* The name of a node within its parent, or NULL. */
struct yaml_node *yq_key_of(struct yq *y, struct yaml_node *n);
struct yaml_node *yq_path_of(struct yq *y, struct yaml_node *n);
bool yq_is_phantom(const struct yaml_node *n);

/* --- formats: input.c, output.c and one file each --- */

/* Documents of a text, appended to *out; a message in y->error... is fatal. */
void yq_read(struct yq *y, struct bytes text, enum yq_format format, const char *name,
	     struct yq_list *out);
void yq_read_json(struct yq *y, struct bytes text, const char *name, struct yq_list *out);
struct yaml_node *yq_read_props(struct yq *y, struct bytes text);
struct yaml_node *yq_read_csv(struct yq *y, struct bytes text, char separator);
/* NULL after an error, whose text is in *error. */
struct yaml_node *yq_read_xml(struct yq *y, struct bytes text, struct buf *error);
struct yaml_node *yq_read_toml(struct yq *y, struct bytes text, struct buf *error);
/* Appends n in that format, a newline at its end where the format has one. */
void yq_write(struct yq *y, struct buf *out, struct yaml_node *n, enum yq_format format,
	      int indent);
void yq_write_json(struct yq *y, struct buf *out, struct yaml_node *n, int indent);
void yq_write_props(struct yq *y, struct buf *out, struct yaml_node *n);
void yq_write_csv(struct yq *y, struct buf *out, struct yaml_node *n, char separator);
void yq_write_xml(struct yq *y, struct buf *out, struct yaml_node *n, int indent);
void yq_write_toml(struct yq *y, struct buf *out, struct yaml_node *n);
void yq_write_shell(struct yq *y, struct buf *out, struct yaml_node *n);
void yq_base64(struct buf *out, struct bytes s);
bool yq_base64_decode(struct buf *out, struct bytes s);
void yq_uri(struct buf *out, struct bytes s);
bool yq_uri_decode(struct buf *out, struct bytes s);
struct yaml_node *yq_node_of_json(struct yq *y, struct json_mem *m, struct json v);
enum yq_format yq_format_of_file(const char *name);
bool yq_format_named(const char *name, int *out);
/* One result. */
void yq_print(struct yq *y, struct yaml_node *n);

/* --- jqlang.c --- */

/* wrapper.c: the command as the wrapper of jq for that format. */
int yq_python_main(struct cmd *c, enum yq_format format);
/* n, or the old node (or parts of it) where both say the same: with its styles and comments. */
struct yaml_node *yq_reconcile(struct yq *y, struct yaml_node *n, struct yaml_node *old);
/* Runs a program of jq over the documents; the status. */
int yq_run_jq(struct yq *y, const char *program, struct yq_list docs);

#endif
