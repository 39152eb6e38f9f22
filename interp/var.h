/* SPDX-License-Identifier: MIT
 *
 * Variables: scalars, indexed and associative arrays, namerefs, scopes, environment.
 *
 * A table maps a name to its current binding. `local` pushes a binding on top of the one
 * before (`shadowed`); leaving the function pops it, so a lookup is one probe however deep
 * the calls are. A subshell that reads through to its parent copies a chain of bindings into
 * its own table at the first write, and hides an unset name with a binding without VAR_SET.
 *
 * Values are bytes with a NUL behind, in the shell's pool.
 */
#ifndef INTERP_VAR_H
#define INTERP_VAR_H

#include "base/heap.h"

struct shell;
struct array; /* sparse, ordered by index; dense ones are a plain vector */
struct assoc; /* lists in bash's order: see assoc.c */

enum var_flags {
	VAR_SET = 1 << 0, /* has a value (an array: at least was assigned) */
	VAR_EXPORT = 1 << 1,
	VAR_READONLY = 1 << 2,
	VAR_INTEGER = 1 << 3,
	VAR_ARRAY = 1 << 4,
	VAR_ASSOC = 1 << 5,
	VAR_NAMEREF = 1 << 6,
	VAR_LOWER = 1 << 7,
	VAR_UPPER = 1 << 8,
	VAR_CAPITAL = 1 << 9,
	VAR_TRACE = 1 << 10,
	VAR_LOCAL = 1 << 11,
	VAR_TEMPORARY = 1 << 12, /* from `x=1 command` */
	VAR_DYNAMIC = 1 << 13,   /* read and written through hooks: RANDOM, SECONDS, LINENO, ... */
	VAR_HOOKED = 1 << 14,    /* plain value, but a change has an effect: IFS, PATH, LANG, ... */
	VAR_DELETED = 1 << 15,   /* in an overlay: hides the parent's */
	VAR_NOASSIGN = 1 << 16,  /* assignments are silently ignored: GROUPS, FUNCNAME, ... */
	VAR_HIDDEN = 1 << 17,    /* taken out of the table by scope_hide */
	VAR_KEPT = 1 << 18,      /* temporary, but exported meanwhile: goes to the binding below */
	VAR_PASSED = 1 << 19,    /* temporary, but the builtin assigned to it: so does the value */
	VAR_NOUNSET = 1 << 20,   /* BASH_ARGC and its like, for debuggers */
};

struct var {
	struct bytes name;
	uint64_t hash;
	unsigned flags;
	int scope;            /* sh->scope of the function that made it local; 0: global */
	struct var *shadowed; /* the binding below */
	struct var *next;     /* in the hash chain (only the top binding is linked) */
	char *value;          /* scalar; value[len] is NUL */
	size_t len;
	size_t cap;
	union {
		struct array *array;
		struct assoc *assoc;
	};
	const struct var_hook *hook;
	struct var *local_next; /* the other bindings of the same scope */
	unsigned order;         /* of creation: the environment lists the newest first */
};

struct var_hook {
	const char *name;
	unsigned flags;
	/* VAR_DYNAMIC scalars: the value now, in sh->arena; false: unset. */
	bool (*get)(struct shell *sh, struct var *v, struct bytes *out);
	/* VAR_DYNAMIC arrays: brings v->array or v->assoc up to date before it is read. */
	void (*refresh)(struct shell *sh, struct var *v);
	/* VAR_DYNAMIC scalars: the new value is in v->value. VAR_HOOKED: after any change; v is
	 * the binding now in force, NULL when there is none. */
	void (*changed)(struct shell *sh, struct var *v);
	/* VAR_DYNAMIC arrays: an element was assigned; value.ptr NULL: removed. */
	void (*changed_element)(struct shell *sh, struct bytes sub, struct bytes value);
};

struct var_table {
	struct var **slot;
	size_t size; /* a power of two, or 0 */
	size_t count;
	unsigned export_serial; /* changes when the environment does */
	char **environ;         /* cached for environ_serial */
	size_t environ_count;
	unsigned environ_serial;
	struct var **locals; /* by scope: its bindings, linked by local_next */
	int locals_cap;
	unsigned order;
	/* Of a shell that is no overlay: what nobody has asked for yet (var_late.c). */
	uint32_t unmade;
	char **foreign; /* imported "a.b=c" whose names are no names; NULL-ended */
};

/* --- finding --- */

/* The current binding, namerefs not followed; NULL if there is none (or hidden). In an overlay
 * it may belong to the parent: call var_own before changing it. */
struct var *var_find(struct shell *sh, struct bytes name, uint64_t hash);
/* Follows namerefs; a reference to an element gives its subscript text (else ptr NULL).
 * Says "circular name reference" and gives NULL on a loop. */
struct var *var_resolve(struct shell *sh, struct bytes name, uint64_t hash, struct bytes *sub);
/* The binding of this process that v stands for: a copy if v is the parent's. */
struct var *var_own(struct shell *sh, struct var *v);
/* Replaces name, hash (and sub, as above) by what namerefs lead to; the name that a reference
 * to an element gives may be one again. *out may be NULL: the variable does not exist yet. -1
 * after the message of a loop. */
int var_follow(struct shell *sh, struct bytes *name, uint64_t *hash, struct bytes *sub,
	       struct var **out);
/* A reference without a target: what is assigned to it becomes that. */
bool var_names_nothing(struct shell *sh, struct bytes name, uint64_t hash);
void var_say_circular(struct shell *sh, struct bytes name);
/* Before element sub of *base is written, where a reference led to it: if *base is itself a
 * reference it becomes a plain variable, after a warning. -1: it refers to its own element. */
int var_unreference(struct shell *sh, struct var **base, struct bytes sub);
/* The binding of this process to be changed, made if missing. */
struct var *var_ensure(struct shell *sh, struct bytes name, uint64_t hash);

/* --- reading; views valid until the next change --- */

/* The value as a scalar ($x): element 0 of an array. False if unset. */
bool var_get(struct shell *sh, struct bytes name, uint64_t hash, struct bytes *out);
/* For C code: the value or NULL. */
const char *var_get_text(struct shell *sh, const char *name);
bool var_scalar(struct shell *sh, struct var *v, struct bytes *out);
/* Element by subscript text: arithmetic for indexed arrays (negative counts from the end),
 * key for associative ones. 1 found, 0 unset, -1 after a message. */
int var_element(struct shell *sh, struct var *v, struct bytes sub, struct bytes *out);
int var_element_at(struct shell *sh, struct var *v, int64_t index, struct bytes *out);
/* Says that a negative index is before the beginning; with -e that ends the shell. */
void var_before_start(struct shell *sh, struct bytes name);
/* All values (keys), in order, into sh->arena. A set scalar is an array of one. Count. */
size_t var_values(struct shell *sh, struct var *v, struct bytes **out);
size_t var_keys(struct shell *sh, struct var *v, struct bytes **out);
size_t var_count(struct shell *sh, struct var *v);

/* --- writing. 0, or -1 after a message ("x: readonly variable"): the caller decides what that
 * ends. Values go through -i, -l, -u. --- */

enum {
	VAR_APPEND = 1,
	VAR_FORCE = 2 /* readonly too */,
	VAR_NO_REF = 4 /* the nameref itself */,
	VAR_GLOBAL = 8
};
int var_set(struct shell *sh, struct bytes name, uint64_t hash, struct bytes value, unsigned how);
int var_set_text(struct shell *sh, const char *name, const char *value);
int var_set_int(struct shell *sh, const char *name, int64_t value);
int var_assign(struct shell *sh, struct var *v, struct bytes value, unsigned how);
int var_assign_element(struct shell *sh, struct var *v, struct bytes sub, struct bytes value,
		       unsigned how);
/* sub: how the index was written, for messages. */
int var_assign_index(struct shell *sh, struct var *v, struct bytes sub, int64_t index,
		     struct bytes value, unsigned how);
int var_assign_at(struct shell *sh, struct var *v, int64_t index, struct bytes value, unsigned how);
/* "name" or "name[sub]" given at run time (read, printf -v, wait -p, {name}>file). builtin for
 * messages ("`1x': not a valid identifier"); element: it was written as name[sub]. */
int var_set_ref(struct shell *sh, const char *builtin, struct bytes ref, bool element,
		struct bytes value);
/* Says that the element name[sub], to which a reference led, is no array: -1. */
int var_refuse_element(struct shell *sh, const char *builtin, struct bytes name, struct bytes sub);
/* Makes v an empty array (indexed or associative), keeping other attributes. */
int var_make_array(struct shell *sh, struct var *v, bool assoc);
int var_clear_array(struct shell *sh, struct var *v);
/* Says that v can't be unset, if so. */
bool var_stays(struct shell *sh, const struct var *v);
/* unset name; unset name[sub]. */
int var_unset(struct shell *sh, struct bytes name, uint64_t hash, bool ref_itself);
/* The binding goes; what it hid is seen again. */
void var_drop(struct shell *sh, struct var *v);
/* expanded: sub is the key or index itself, nothing in it is to be expanded. */
int var_unset_element(struct shell *sh, struct var *v, struct bytes sub, bool expanded);

/* Executes assignments as parsed: x=1 a[i]=2 a=(...) a+=(...). flags: attributes to give
 * (declare), VAR_* writing flags. In assign.c. */
struct assign;
int assign_execute(struct shell *sh, const struct assign *a, unsigned how);
/* The literal of a = ( ... ) to v, whatever the name in it. */
int assign_list(struct shell *sh, const struct assign *a, struct var *v, unsigned how);
/* Assigns the compound text "(a b [3]=c)" given at run time (declare "x=(...)"). */
int assign_compound_text(struct shell *sh, struct var *v, struct bytes text, bool append);

/* --- scopes --- */

/* A local binding in the current scope (the existing one if it is already local here). */
struct var *var_local(struct shell *sh, struct bytes name, uint64_t hash);
/* Copies value and attributes of the binding below a new local one (local -I). */
void var_inherit(struct shell *sh, struct var *v);
/* Pops all bindings of the current scope; sh->scope is lowered. */
void scope_push(struct shell *sh);
/* Takes the bindings of the current scope out of sight, and puts them back. */
void scope_hide(struct shell *sh);
void scope_show(struct shell *sh);
void scope_pop(struct shell *sh);

/* --- whole table --- */

/* All current bindings sorted by name, overlays resolved, in sh->arena. */
size_t var_list(struct shell *sh, struct var ***out);
/* The same for who only looks: nothing is charged or copied; without dynamic ones. */
size_t var_peek(struct shell *sh, struct var ***out);
/* Names beginning with prefix, sorted. */
size_t var_names(struct shell *sh, struct bytes prefix, struct bytes **out);
/* NULL-ended "NAME=value" of the exported variables, valid until one changes. */
char *const *var_environ(struct shell *sh);
/* To be called after flags of a variable were changed by hand (export, declare -x). */
void var_flags_changed(struct shell *sh, struct var *v);
void var_init(struct shell *sh, char *const *envp);
/* Copies all bindings of `from` into sh (a full copy for & and coproc). */
void var_copy_all(struct shell *sh, struct shell *from);
bool is_name(struct bytes s);

/* --- array.c: indexed arrays --- */

struct array *array_new(struct pool *pool);
void array_free(struct pool *pool, struct array *a);
struct array *array_copy(struct pool *pool, const struct array *a);
bool array_get(const struct array *a, int64_t index, struct bytes *out);
void array_put(struct pool *pool, struct array *a, int64_t index, struct bytes value);
/* Appends to the value at index in place. */
void array_append(struct pool *pool, struct array *a, int64_t index, struct bytes more);
bool array_remove(struct pool *pool, struct array *a, int64_t index);
size_t array_count(const struct array *a);
int64_t array_last(const struct array *a); /* -1 if empty */
/* Walks in order: the first element with an index >= from; false at the end. */
bool array_next(const struct array *a, int64_t from, int64_t *index, struct bytes *out);

enum { NAMEREF_HOPS_MAX = 8 };

/* --- assoc.c: associative arrays, listed in the order in which bash lists them --- */

/* How many buckets bash gives to a variable, to one that was a scalar, to BASH_ALIASES and
 * BASH_CMDS: it decides the order. */
enum { ASSOC_BUCKETS = 1024, ASSOC_CONVERTED = 128, ASSOC_ALIASES = 64, ASSOC_COMMANDS = 256 };
struct assoc *assoc_new(struct pool *pool, size_t buckets);
size_t assoc_buckets(const struct assoc *a);
void assoc_free(struct pool *pool, struct assoc *a);
struct assoc *assoc_copy(struct pool *pool, const struct assoc *a);
bool assoc_get(const struct assoc *a, struct bytes key, struct bytes *out);
void assoc_put(struct pool *pool, struct assoc *a, struct bytes key, struct bytes value);
void assoc_append(struct pool *pool, struct assoc *a, struct bytes key, struct bytes more);
bool assoc_remove(struct pool *pool, struct assoc *a, struct bytes key);
size_t assoc_count(const struct assoc *a);
/* How many keys were passed since the last call to find others: scripts can choose keys that all
 * share a bucket. */
size_t assoc_passed(struct assoc *a);
/* Walks: *cursor starts at 0. */
bool assoc_next(const struct assoc *a, size_t *cursor, struct bytes *key, struct bytes *value);
/* bash's hash of a string (32-bit FNV-1 over signed bytes): it orders the environment too. */
uint32_t assoc_hash(struct bytes key);

/* --- sort.c --- */

/* Sorts pointers, stably, in n log n comparisons. */
void sort_pointers(struct arena *scratch, void **v, size_t n,
		   int (*cmp)(const void *a, const void *b));

#endif
