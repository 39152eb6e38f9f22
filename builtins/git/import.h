/* SPDX-License-Identifier: MIT
 *
 * git fast-import: a history out of a stream of commands.
 *
 *   import_stream.c   lines, data, names of objects and people    import_marks.c    marks, reports
 *   import_store.c    objects into a pack                         import_tree.c     trees in memory
 *   import_options.c  arguments, "feature", "option"              cmd_fast_import.c the commands
 *
 * Objects go into one pack while the stream is read; it gets its name at a checkpoint or at the
 * end, when the references are set. Trees of branches are loaded where paths lead, and stored
 * with each commit.
 */
#ifndef BUILTINS_GIT_IMPORT_H
#define BUILTINS_GIT_IMPORT_H

#include "builtins/git/transport.h"

enum { IMPORT_RECENT = 100 };

struct import_object {
	struct oid oid;
	enum object_type type;
	bool here; /* in the pack that is being written */
	int depth; /* of its chain of deltas */
	uint64_t offset;
};

struct import_dir;

struct import_node {
	char *name;
	size_t length;
	uint32_t mode; /* 0: nothing is here */
	struct oid oid;
	bool dirty;             /* oid is not known: dir is newer */
	struct import_dir *dir; /* NULL: a file, or not loaded */
};

struct import_branch {
	const char *name;
	struct oid oid; /* null: it has no commit */
	struct import_node root;
	uint64_t notes; /* among its files; 0: not counted */
	bool deleted;   /* the reference is to go */
	struct import_branch *next;
};

struct import_tag {
	const char *name;
	struct oid oid;
	struct import_tag *next;
};

struct import_mark {
	uint64_t number;
	struct import_object *object;
};

struct import_counts {
	uint64_t stored, again, deltas, attempts;
};

enum import_dates { IMPORT_RAW, IMPORT_PERMISSIVE, IMPORT_RFC2822, IMPORT_NOW };

struct import {
	struct git *g;
	/* import_stream.c */
	struct input in;
	struct buf line;
	bool unread; /* line was not used */
	bool at_end; /* of the input */
	char *recent[IMPORT_RECENT];
	size_t nrecent;
	/* options */
	struct args *args;
	bool seen_data; /* too late for features */
	bool quiet, force, relative_marks, need_done, unsafe;
	enum import_dates dates;
	int depth_max;
	uint64_t pack_max;
	int reply_fd;
	const char *marks_out;
	struct names marks_in; /* with "?" in front if the file may be missing, else "!" */
	const char *edges;
	struct names rewrite_from, rewrite_to;
	struct lookup *rewritten; /* names of commits of submodules */
	/* import_store.c */
	struct lookup *objects;
	struct pack_out out;
	bool open;
	char *temporary;
	struct pack pack; /* the same, to read from */
	struct placed *placed;
	size_t nplaced, placed_cap;
	struct bytes last; /* the blob before, in the pool */
	struct import_object *last_at;
	struct import_counts counts[5];
	/* import_marks.c */
	struct lookup *mark_of;
	struct import_mark *mark;
	size_t nmarks, marks_cap;
	/* branches */
	struct lookup *branch_of;
	struct import_branch *branches, **branches_end;
	struct import_tag *tags, **tags_end;
	int status;
};

/* --- import_stream.c --- */

/* Ends the command: "fatal: ...", what was stored is kept, marks are written. */
_Noreturn void import_die(struct import *im, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The next line that is no comment into im->line; false at the end. */
bool import_next(struct import *im);
/* What follows a word the line begins with; NULL: it begins otherwise. */
const char *import_word(const struct import *im, const char *word);
/* A number at *at, behind blanks; *at moves behind it. 0: there is none. */
uint64_t import_number(const char **at);
/* The bytes that "data" in im->line announces, in a. */
struct bytes import_data(struct import *im, struct arena *a);
/* A newline that may follow is taken. */
void import_skip_newline(struct import *im);
/* "Name <mail> date" as commits hold it, in g->a. */
char *import_person(struct import *im, const char *text);
/* A path at *at: in quotes, or up to a space (dest false), or the whole rest. NULL: there is no
 * end to it. */
char *import_path(struct import *im, const char **at, bool whole);
/* Whether a path in quotes ends as it must. */
bool import_quoted(struct import *im, const char *at);
/* A name of 40 digits at *at, renamed as options say; false: it is none. */
bool import_hex(struct import *im, const char **at, struct oid *out);
/* On the descriptor for answers, at once. */
void import_reply(struct import *im, struct bytes text);

/* --- import_marks.c --- */

/* The object with the mark that *at begins with (":5"), and `end` behind: *at moves there. */
struct import_object *import_marked(struct import *im, const char **at, char end);
void import_set_mark(struct import *im, uint64_t number, struct import_object *o);
void import_read_marks(struct import *im, const char *path, bool may_miss);
void import_write_marks(struct import *im);
void import_read_rewritten(struct import *im);
void import_put_stats(struct import *im);
void import_crash(struct import *im, const char *message);

/* --- import_store.c --- */

/* What a new object may be a delta of; at NULL: nothing. */
struct import_base {
	struct bytes data;
	struct import_object *at;
};
struct import_object *import_put(struct import *im, enum object_type type, struct bytes data,
				 const struct import_base *base);
/* A blob, perhaps as a delta of the one before. */
struct import_object *import_put_blob(struct import *im, struct bytes data);
struct import_object *import_known(struct import *im, const struct oid *o);
/* The one struct for an object; its type is known already. */
struct import_object *import_know(struct import *im, const struct oid *o, enum object_type type);
/* Also what is in no pack yet. OBJECT_NONE: it is not there. */
enum object_type import_type(struct import *im, const struct oid *o);
enum object_type import_read(struct import *im, struct arena *a, const struct oid *o,
			     struct bytes *out);
void import_end_pack(struct import *im);

/* --- import_tree.c --- */

void import_tree_clear(struct import *im, struct import_node *n);
/* Becomes an unloaded tree; NULL: an empty one. */
void import_tree_start(struct import *im, struct import_node *root, const struct oid *tree);
void import_tree_empty(struct import *im, struct import_node *root);
/* leaf: mode, oid, dir (which moves into the tree). */
void import_tree_set(struct import *im, struct import_node *root, const char *path,
		     const struct import_node *leaf);
/* What is at a path, as a copy; mode 0: nothing. */
void import_tree_get(struct import *im, struct import_node *root, const char *path,
		     struct import_node *out);
/* Taken out, into *out unless that is NULL (then it is gone). */
void import_tree_remove(struct import *im, struct import_node *root, const char *path,
			struct import_node *out);
/* Stores what is dirty: oid is known then. */
void import_tree_store(struct import *im, struct import_node *n);
/* Paths of all notes get this many "xx/" in front; fanout -1: they are only counted. How many. */
uint64_t import_tree_notes(struct import *im, struct import_node *root, int fanout);
/* Where the note on an object is. */
char *import_note_path(struct git *g, const char *hex, int fanout);

/* --- import_options.c --- */

/* The command line, once the stream's own options were read. */
void import_arguments(struct import *im);
_Noreturn void import_usage(struct import *im);
void import_feature(struct import *im, const char *text);
void import_option(struct import *im, const char *text);

#endif
