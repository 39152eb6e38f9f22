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
	ZYGOTES_MAX = 4,
};

/* What a program is asked to run. */
enum zygote_form {
	FORM_NONE,    /* something else: no warm start */
	FORM_COMMAND, /* -c TEXT */
	FORM_MODULE,  /* -m NAME */
	FORM_SCRIPT,  /* FILE */
	FORM_STDIN,   /* nothing */
	FORM_DASH,    /* - */
};

/* Something the start asked the filesystem, and the answer. */
struct zygote_record {
	struct zygote_record *next;
	size_t size;
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

struct zygote {
	struct zygote *next;
	struct microvm *m;
	enum zygote_form form;
	char *key;
	size_t nkey;
	bool frozen;
	bool unusable; /* starts of this kind can't be kept */
	struct zygote_record *records;
	int nrecords;
	struct file *file[256]; /* what was open before, not held: compared only */
	int nfds;
	struct space *space;
	void *context;
	struct handler handler[NSIG_];
	uint8_t sig_action[SIG_COUNT];
	uint64_t sig_blocked;
	struct cowsh_vm_registers r;
	uint64_t clear_tid, robust_list;
	uint64_t alt_stack, alt_bytes, alt_flags;
	struct zygote_place place[ZYGOTE_PLACES_MAX];
	int nplaces;
	uint64_t copies;
};

/* --- zygote_python.c: what is known about Python --- */

extern const struct bytes zygote_launcher;
enum zygote_form zygote_form(const char *path, int argc, char *const *argv, char *const *envp);
/* Whether a variable may differ between starts from one zygote. */
bool zygote_free_variable(const char *variable);
/* The arguments and the environment that a zygote is made with. */
char **zygote_arguments(struct arena *a, enum zygote_form form, const char *arg0);
char **zygote_environment(struct arena *a, char *const *envp);
/* The text that takes the placeholder's place; NULL: it can't. */
const char *zygote_text(struct task *t, enum zygote_form form, char *const *argv);
const char *zygote_placeholder(struct arena *a);

/* --- zygote_record.c: what the start depended on --- */

/* Whether the call may be part of a start that is kept; what it asks of files is recorded. */
bool zygote_allows(struct task *t, uint64_t number, const uint64_t *a);
/* The program and all that is mapped, which no call may have named. */
bool zygote_record_files(struct task *t);
/* 1, 0, or -E_AGAIN: the zygote may be gone. */
int zygote_still_true(struct task *t, const struct zygote *z);
void zygote_forget_records(struct zygote *z);

#endif
