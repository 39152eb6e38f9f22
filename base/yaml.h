/* SPDX-License-Identifier: MIT
 *
 * YAML 1.2 as trees that remember how they were written: styles, anchors, tags, comments.
 *
 *   text ── yaml_next ──> struct yaml_node ── yaml_emit ──> text
 *
 * A map's items are key, value, key, value...; an alias points to its node and is never
 * followed here, so a text of nested aliases stays as small as it was written. Nodes live in
 * the arena of whoever made them and are freed with it. Comments keep their '#', and their
 * lines are joined by newlines:
 *
 *   # head of a
 *   a: 1 # line of 1
 *   # foot of a, because an empty line follows
 *
 *   b: 2
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/buf.h"

enum {
	YAML_DEPTH_MAX = 1000, /* of nodes within nodes */
	YAML_STACK_NEED = 1 << 20,
	YAML_KEY_MAX = 1024, /* bytes of a key without '?', as libyaml has it */
};

enum yaml_kind { YAML_SCALAR, YAML_MAP, YAML_SEQ, YAML_ALIAS };

enum yaml_style { YAML_PLAIN, YAML_SINGLE, YAML_DOUBLE, YAML_LITERAL, YAML_FOLDED, YAML_FLOW };

struct yaml_node {
	uint8_t kind;
	uint8_t style;
	bool tagged; /* the tag was written */
	bool is_key;
	bool gone;     /* the holder's own */
	uint32_t line; /* from 1; 0: not read from a text */
	uint32_t column;
	uint32_t index;      /* in the parent's items */
	uint32_t source;     /* the holder's own: which document and file it comes from */
	struct bytes tag;    /* "!!str", "!mine" */
	struct bytes value;  /* of a scalar; of an alias the anchor's name */
	struct bytes anchor; /* empty: none */
	struct bytes head;
	struct bytes tail; /* the comment behind it in its line */
	struct bytes foot;
	struct yaml_node *target; /* of an alias */
	struct yaml_node *twin;   /* while it is copied */
	struct yaml_node *parent;
	struct yaml_node *name; /* the holder's own */
	struct yaml_node **items;
	uint32_t n;
	uint32_t cap;
};

/* --- nodes --- */

struct yaml_node *yaml_new(struct arena *a, enum yaml_kind kind, struct bytes tag);
/* A plain scalar; the value is not copied. */
struct yaml_node *yaml_scalar(struct arena *a, struct bytes tag, struct bytes value);
/* Appends; sets the child's parent. */
void yaml_push(struct arena *a, struct yaml_node *to, struct yaml_node *item);
void yaml_insert(struct arena *a, struct yaml_node *to, size_t at, struct yaml_node *item);
void yaml_remove(struct yaml_node *from, size_t at, size_t count);
/* A copy of the tree. Aliases to nodes within it point to the copies. */
struct yaml_node *yaml_copy(struct arena *a, struct yaml_node *n);
/* What an alias stands for, else the node itself. NULL: aliases that only lead to another. */
struct yaml_node *yaml_follow(struct yaml_node *n);

/* The tag of a plain scalar by its text: "!!null", "!!bool", "!!int", "!!float",
 * "!!timestamp", "!!merge" or "!!str". */
struct bytes yaml_resolve(struct bytes plain);
bool yaml_is(const struct yaml_node *n, const char *tag);

/* --- reading --- */

struct yaml_anchor {
	struct bytes name;
	struct yaml_node *node;
};

/* Lines of comment without an empty line between. */
struct yaml_comment {
	struct bytes text;
	struct buf lines; /* that text, if it is of several lines */
	uint32_t column;
	bool after_blank;  /* an empty line before it */
	bool before_blank; /* one behind it */
};

struct yaml_parser {
	struct arena *arena;
	struct bytes text;
	const char *at;
	const char *end;
	const char *bol; /* where the line begins */
	uint32_t line;   /* from 0 */
	int depth;
	bool started;                  /* a document was read */
	struct bytes mark;             /* what stands above the first document up to its "---" */
	struct yaml_node *last;        /* takes a comment behind it in its line */
	struct yaml_comment *comments; /* that wait for their node */
	size_t ncomments;
	size_t comments_cap;
	struct yaml_anchor *anchors; /* of the document: a hash table */
	size_t nanchors;
	size_t anchors_cap;
	struct bytes *handles; /* %TAG: handle, prefix, ... */
	size_t nhandles;
	/* after an error */
	const char *error;
	struct bytes error_name; /* of an unknown anchor */
	uint32_t error_line;     /* from 0 */
	uint32_t error_column;
	const char *context; /* "while parsing a flow sequence", or NULL */
	uint32_t context_line;
	uint32_t context_column;
	void (*poll)(void *arg, uint64_t work); /* may not return; may be NULL */
	void *arg;
};

void yaml_parser_init(struct yaml_parser *p, struct arena *a, struct bytes text);
/* 1: *out is the root of the next document (its head: what stands above it); 0: there is no
 * more; -1: an error. Needs YAML_STACK_NEED bytes of stack. */
int yaml_next(struct yaml_parser *p, struct yaml_node **out);

/* --- writing --- */

struct yaml_layout {
	int indent;      /* columns of a level */
	bool flat_lists; /* lists in maps are not indented */
	int width;       /* where plain and quoted text may be broken; 0: never */
	bool old_words;  /* yes, no, on, off are quoted */
	bool no_comments;
	bool python; /* as PyYAML: single quotes, not double, around strings like "1" */
	void (*poll)(void *arg, uint64_t work);
	void *arg;
};

/* Appends the document, a newline at its end. Needs YAML_STACK_NEED bytes of stack. */
void yaml_emit(struct buf *out, const struct yaml_node *n, const struct yaml_layout *layout);

#endif
