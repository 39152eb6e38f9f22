/* SPDX-License-Identifier: MIT
 *
 * What the files of the warm start share: see zygote.c.
 */
#ifndef MICROVM_ZYGOTE_H
#define MICROVM_ZYGOTE_H

#include "microvm/private.h"

#define ZYGOTE_DIR     "/proc/self/zygote"
#define ZYGOTE_REQUEST ZYGOTE_DIR "/request"

enum {
	ZYGOTE_TEXT_MAX = 8192, /* characters of the argument that differs */
	ZYGOTE_PLACES_MAX = 8,
	ZYGOTE_RECORDS_MAX = 4000,
	/* V8 gives a string of so many characters of two bytes pages of its own. */
	ZYGOTE_NODE_TEXT_MAX = 70000,
};

/* What a program is asked to run. */
enum zygote_form {
	FORM_NONE,    /* something else: no warm start */
	FORM_COMMAND, /* -c TEXT */
	FORM_MODULE,  /* -m NAME */
	FORM_SCRIPT,  /* FILE */
	FORM_STDIN,   /* nothing */
	FORM_DASH,    /* - */
	FORM_NODE_EVAL,
	FORM_NODE_PRINT,
	FORM_NODE_SCRIPT,
};

/* Something the start asked the filesystem, and the answer. */
struct zygote_record {
	struct zygote_record *next;
	int flags;
	int64_t result;
	struct vfs_stat st;
	char path[];
};

/* Where the placeholder stands in memory, as wchar_t. */
struct zygote_place {
	uint64_t address;
	bool line; /* a newline is behind it */
};

struct zygote_file {
	char *path;
	vfs_ino ino;
};

struct zygote_area {
	uint64_t start, length, offset;
	int file; /* -1: none */
	uint8_t prot;
	bool stack, special, shared, program;
};

struct zygote_thread {
	struct task state; /* without what it holds */
	uint64_t sig_blocked;
	_Alignas(64) char fpu[VECTOR_BYTES_MAX];
};

struct zygote_block {
	struct zygote_block *next;
	size_t size;
};

/*
 * Memory of the store, counted in each session that holds it. Once it is frozen it is a value:
 * nothing in it changes any more, and sessions on several threads may hold it.
 */
struct zygote {
	_Atomic uint32_t refs;
	struct store *store;
	size_t bytes; /* all of it */
	struct zygote_block *blocks;
	enum zygote_form form;
	char *key;
	size_t nkey;
	bool frozen;
	bool unusable; /* starts of this kind can't be kept */
	bool second;   /* that was tried before: the first one may have written what is missing */
	struct zygote_record *records;
	int nrecords;
	struct file *open[256]; /* while it is made: what was open before, only compared */
	int nopen;
	struct zygote_file *files;
	size_t nfiles;
	struct zygote_area *areas;
	size_t nareas;
	uint64_t *addresses; /* of its own pages */
	char *contents;      /* and what is in them */
	size_t npages;
	uint64_t brk_start, brk, vdso;
	struct handler handler[NSIG_];
	uint8_t sig_action[SIG_COUNT];
	uint64_t sig_blocked;
	uint64_t rlimit[16][2];
	struct cowsh_vm_registers r;
	uint64_t clear_tid, robust_list;
	uint64_t alt_stack, alt_bytes, alt_flags;
	struct zygote_place place[ZYGOTE_PLACES_MAX];
	int nplaces;
	struct zygote_thread *threads; /* besides the first */
	int nthreads;
	char *made; /* open files that it has made, packed */
	size_t nmade;
	unsigned stream_kind[3];
	uint64_t streams; /* where Node's record of the standard streams is */
	size_t nfpu;
	_Alignas(64) char fpu[VECTOR_BYTES_MAX];
};

/* Memory of a zygote that is being made, counted in the session; NULL: its limit is reached. */
void *zygote_alloc(struct microvm *m, struct zygote *z, size_t n);

/* Whether a descriptor is one that the program was given. */
bool zygote_was_open(const struct zygote *z, const struct proc *p, int fd);

/* --- zygote_threads.c --- */

/* Lets the other threads run until all wait: how many there are. */
bool zygote_rest(struct task *t, int *n);
/* Those, and the open files; false: they can't be kept. */
bool zygote_keep_threads(struct task *t, struct zygote *z);
/* In a task whose memory is there. */
int zygote_start_threads(struct task *t, const struct zygote *z);

/* --- zygote_space.c: its memory --- */

/* The task's memory as it is; false: it can't be kept, or there is no room. */
bool zygote_keep_space(struct task *t, struct zygote *z);
/* Fills the empty space of a task. May wait. */
int zygote_fill_space(struct task *t, const struct zygote *z);

/* --- zygote_python.c: what is known about Python --- */

extern const struct bytes zygote_launcher;
enum zygote_form zygote_form(const char *path, int argc, char *const *argv, char *const *envp);
/* Whether a variable may differ between starts from one zygote. */
bool zygote_free_variable(const char *variable);
/* The arguments that a zygote is made with. */
char **zygote_arguments(struct arena *a, enum zygote_form form, const char *arg0);
/* A variable more in the environment, by which the launcher is found. */
#define ZYGOTE_PYTHON_VARIABLE "PYTHONPATH=" ZYGOTE_DIR
/* The text that takes the placeholder's place; NULL: it can't. */
const char *zygote_text(struct task *t, enum zygote_form form, char *const *argv);
const char *zygote_placeholder(struct arena *a);

/* --- zygote_node.c: what is known about Node --- */

extern const struct bytes zygote_node_launcher;
bool zygote_is_node(enum zygote_form form);
enum zygote_form zygote_node_form(const char *path, int argc, char *const *argv, char *const *envp);
char **zygote_node_arguments(struct arena *a, enum zygote_form form, const char *arg0);
#define ZYGOTE_NODE_VARIABLE "NODE_OPTIONS=--require " ZYGOTE_DIR "/run.js"
/* Finds in memory what has to be replaced, and takes the launcher's name out of it. */
bool zygote_node_find(struct task *t, struct zygote *z);
/* Puts there what this process was given. */
int zygote_node_dress(struct task *t, const struct zygote *z, struct bytes text);

/* --- zygote_record.c: what the start depended on --- */

/* Whether the call may be part of a start that is kept; what it asks of files is recorded. */
bool zygote_allows(struct task *t, uint64_t number, const uint64_t *a);
/* Writes down a path that no call has named. */
bool zygote_record(struct task *t, const char *path, int flags);
/* May wait. */
bool zygote_still_true(struct task *t, const struct zygote *z);

#endif
