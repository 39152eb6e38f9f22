/* SPDX-License-Identifier: MIT
 *
 * Commits applied again, one after the other.
 *
 *   todo.c            the list of what to do: read, written, put in another order
 *   pick.c            one commit onto HEAD, for cherry-pick, revert and rebase
 *   squash.c          the messages that squash and fixup collect
 *   rebase_run.c      the list, item by item (rebase_item.c: those that are no picks)
 *   rebase_merges.c   the list with merges and with branches that move along
 *   cmd_pick.c, cmd_rebase.c   the commands
 *
 * What remains when one stops is kept in sequencer/ or rebase-merge/, in git's own form.
 */
#ifndef BUILTINS_GIT_SEQUENCE_H
#define BUILTINS_GIT_SEQUENCE_H

#include "builtins/git/merge.h"
#include "builtins/git/status.h"

/* --- todo.c --- */

/* What is to become of a sequence that stopped: the first member of the options of those that have
 * --continue and its like. Naming two is an error. */
enum sequence_action {
	ACT_START,
	ACT_CONTINUE,
	ACT_SKIP,
	ACT_ABORT,
	ACT_QUIT,
	ACT_EDIT,
	ACT_SHOW,
};
struct sequence_choice {
	enum sequence_action action;
	const char *name; /* of the option */
};
int act_continue(struct git *g, void *opts, const char *arg, bool unset);
int act_skip(struct git *g, void *opts, const char *arg, bool unset);
int act_abort(struct git *g, void *opts, const char *arg, bool unset);
int act_quit(struct git *g, void *opts, const char *arg, bool unset);
int act_edit(struct git *g, void *opts, const char *arg, bool unset);
int act_show(struct git *g, void *opts, const char *arg, bool unset);
/* --strategy: there is but one, by two names. */
int set_strategy(struct git *g, void *opts, const char *arg, bool unset);

enum todo_kind {
	TODO_PICK,
	TODO_REVERT,
	TODO_EDIT,
	TODO_REWORD,
	TODO_FIXUP,
	TODO_SQUASH,
	TODO_EXEC,
	TODO_BREAK,
	TODO_LABEL,
	TODO_RESET,
	TODO_MERGE,
	TODO_UPDATE_REF,
	TODO_NOOP, /* this and what follows does nothing */
	TODO_DROP,
	TODO_COMMENT,
};
enum todo_flags {
	TODO_USE_MESSAGE = 1,  /* fixup -C, merge -C */
	TODO_EDIT_MESSAGE = 2, /* fixup -c, merge -c */
};
struct todo_item {
	enum todo_kind kind;
	unsigned flags;
	struct commit *commit; /* NULL: it names none */
	struct bytes arg;      /* what follows */
};
struct todo {
	struct todo_item *at;
	size_t n;
	size_t cap;
};

const char *todo_name(enum todo_kind kind);
bool todo_is_fixup(enum todo_kind kind);
/* Appends the lines of text, which must live. started: a commit stands before the first line.
 * False: something was no such line, and standard error says it. */
bool todo_parse(struct git *g, struct bytes text, bool started, struct todo *out);
struct todo_item *todo_add(struct git *g, struct todo *t, struct todo_item item);
/* Items from `from` on, as lines; brief: names of commits are short. */
void todo_put(struct git *g, const struct todo *t, size_t from, bool brief, struct buf *out);
size_t todo_count(const struct todo *t); /* without comments */
/* Commits named "fixup! x" and the like move behind x. */
void todo_autosquash(struct git *g, struct todo *t);
/* exec lines behind each commit and what melts into it. */
void todo_add_exec(struct git *g, struct todo *t, const struct names *commands);
/* What the editor shows below the list. onto NULL: it is edited again. */
void todo_put_help(struct git *g, struct buf *out, const char *range, const char *onto,
		   size_t count);

/* --- pick.c --- */

enum pick_kind { PICK, REVERT, REBASE };
struct picking {
	struct git *g;
	enum pick_kind kind;
	int mainline;
	struct names xopts; /* -X */
	struct merging merge;
	struct commit *commit;
	struct oid head, head_tree, base;
	bool no_commit;
};
/* All lines of a subject as one, and only the first of them, as messages have it. */
const char *pick_subject(struct git *g, const struct commit *c);
const char *pick_first_line(struct git *g, const struct commit *c);
/* The change of p->commit on top of HEAD (or the index): p->merge says what came of it. False
 * after a message: files are in the way. */
bool pick_merge(struct picking *p, const struct commit *parent);
/* A commit of tree on top of the parents, with reflog "action: subject". The null oid as head:
 * none was there. */
void pick_record(struct git *g, const struct oid *tree, const struct oid *parents, size_t n,
		 const char *author, struct bytes message, const char *action, struct oid *out);
/* MERGE_MSG with the files in conflict behind it as comments. */
void pick_write_message(struct git *g, struct bytes message, const struct merging *m);
/* "Signed-off-by:" of the committer, unless it is there. */
struct bytes pick_sign_off(struct git *g, struct bytes message);
/* Index and files are HEAD's again. */
void pick_reset_hard(struct git *g);
/* What the index or the files have and HEAD has not. */
bool pick_unstaged_changes(struct git *g);
bool pick_staged_changes(struct git *g);

/* --- squash.c: message-squash, message-fixup, current-fixups of rebase-merge/ --- */

size_t squash_count(struct git *g);
bool squash_seen(struct git *g); /* a squash is among them */
void squash_add(struct git *g, const struct todo_item *item, bool sign_off);
/* The last one is taken back. True: none of them needs an editor. */
bool squash_drop_last(struct git *g);
void squash_forget(struct git *g);

/* --- rebases --- */

enum rebase_empty { EMPTY_UNSAID, EMPTY_DROP, EMPTY_KEEP, EMPTY_ASK };
struct rebase {
	struct git *g;
	struct todo todo;
	size_t at;   /* of the next item */
	size_t done; /* commands done, and all: as they are counted for people */
	size_t total;
	bool quiet, verbose, sign_off, no_ff, reschedule, author_date, ignore_date;
	enum rebase_empty empty;
	struct names xopts;
	const char *strategy;
	const char *action; /* of a reset since the last pick: merges are logged with it */
	bool root;          /* the first commit has no parent: root_oid stands in for it */
	struct oid root_oid;
};
#define REBASE_DIR     "rebase-merge/"
#define REBASE_MESSAGE REBASE_DIR "message"
#define REBASE_AMEND   REBASE_DIR "amend"       /* the commit that --continue may amend */
#define REBASE_STOPPED REBASE_DIR "stopped-sha" /* what was being applied */

/* What an item came to: the next one follows; it is to be done again; else a status. */
enum rebase_step { STEP_DONE = -1, STEP_AGAIN = -2 };
/* git commit, with the author of author-script. file NULL: HEAD's message. */
enum rebase_commit_flags {
	RUN_EDIT = 1,
	RUN_AMEND = 2,
	RUN_STRIP = 4,  /* comments leave the message */
	RUN_VERIFY = 8, /* hooks are asked */
};
int rebase_run_commit(struct rebase *r, const char *file, unsigned flags);
/* The author of a commit, the date as --ignore-date has it. */
const char *rebase_author_of(struct rebase *r, const struct oid *o);
/* The line that tells how far it is goes away. */
void rebase_clear_line(const struct rebase *r);
/* Whether the next item is a fixup or squash. */
bool rebase_next_melts(const struct rebase *r);
/* Of a file of the state; NULL: there is none. */
char *rebase_first_line(struct git *g, const char *name);

/* Notes the commit at which it stops, and its message. */
void rebase_note_stop(struct rebase *r, const struct todo_item *item);
/* The author of what --continue commits. */
void rebase_put_author(struct git *g, const struct commit *c);

/* rebase_item.c */
int rebase_exec(struct rebase *r, const struct todo_item *item);
int rebase_break(struct rebase *r);
int rebase_label(struct rebase *r, const struct todo_item *item);
int rebase_reset(struct rebase *r, const struct todo_item *item);
int rebase_merge(struct rebase *r, const struct todo_item *item);

/* rebase_merges.c */
struct rebase_merges {
	bool cousins; /* what does not descend from the base is moved, too */
	bool root;
	struct commit **base; /* what onto takes the place of */
	size_t nbases;
	/* Adds a commit that is no merge. */
	void (*pick)(void *user, struct commit *c, struct todo *out);
	void *user;
};
/* The list with labels, resets and merges of commits, oldest first. */
void rebase_list_merges(struct git *g, const struct rebase_merges *m, const struct commits *list,
			struct todo *out);
/* Behind each commit the branches that are there; own is the one that is moved anyway. */
void rebase_list_refs(struct git *g, const char *own, struct todo *t);
void rebase_note_refs(struct git *g, const struct todo *t);
int rebase_note_ref(struct rebase *r, const struct todo_item *item);
void rebase_update_refs(struct git *g, bool quiet);

/* rebase_continue.c: what --continue finds staged becomes a commit. False after a message. */
bool rebase_commit_staged(struct rebase *r);

/* "rebase (step)", or "pull --rebase (step)", for the log. */
const char *rebase_action(struct git *g, const char *step);
/* The first picks that change nothing are taken as they are: moves *onto. */
void rebase_skip_same(struct rebase *r, struct oid *onto);
/* Does what remains and finishes. The exit status. */
int rebase_run(struct rebase *r);
void rebase_record_rewritten(struct rebase *r, const struct oid *o, bool pending);
/* What --autostash put away comes back. */
void rebase_apply_autostash(struct git *g);

/* cmd_stash.c: what is changed as a commit, files reset (the name in *out); false: nothing. */
bool stash_make_auto(struct git *g, struct oid *out);
/* Applied; if that fails it is stored as a stash. */
void stash_apply_auto(struct git *g, const struct oid *stash);

#endif
