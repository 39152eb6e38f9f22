/* SPDX-License-Identifier: MIT
 *
 * What stands behind the opaque types of cowsh.h. Only api/ knows all the rooms.
 */
#ifndef API_PRIVATE_H
#define API_PRIVATE_H

#include "cowsh.h"

#include "interp/interp.h"
#include "kernel/kernel.h"
#include "kernel/pack.h"

struct cowsh_image_builder;

enum { PROGRAM_NAME_MAX = 64, PROGRAM_IMAGE_MAX = PROGRAM_NAME_MAX + 16 };

struct cowsh_store {
	struct store store;
	atomic_flag lock;          /* of what follows */
	struct vfs_tree *standard; /* the tree new sessions start from; made by the first one */
	struct mounted *mounts;    /* trees point to them, so they live as long as the store */
};

/* One custom command of a session; a list. */
struct custom {
	struct custom *next;
	char name[PROGRAM_NAME_MAX];
	struct cowsh_command command;
};

/* One run of a custom command. The host may know of it longer than the process that runs it lives:
 * it is the store's, all in it is the process's. */
struct cowsh_call {
	struct store *store;
	struct proc *p; /* NULL: it has ended */
	const struct custom *custom;
	uint64_t number; /* of a journal: 0, 1, 2, ... */
	int argc;
	char **argv;
	const char *cwd;
	struct bytes input;
	struct buf output[2];
	bool finished;
	bool replayed; /* no host knows of it */
	int status;
};

struct mounted {
	struct mounted *next;
	struct tape *tape;             /* of the session that mounted it, or NULL */
	uint64_t number;               /* there */
	struct vfs_source source;      /* what the vfs calls */
	struct cowsh_source callbacks; /* what the host gave */
};

struct cowsh {
	struct cowsh_store *store;
	struct kernel *kernel;
	struct kernel_host kernel_host;
	struct cowsh_host host;
	struct custom *customs;
	const struct cowsh_microvm *machine;
	bool warm_starts;
	struct microvm *microvm;
	const char *image_programs; /* cowsh_config; while the session is made */
	struct proc *shell_proc;
	struct shell *shell;
	struct vfs_cred cred;
	unsigned lost; /* processes of its parent that it has not */
	bool running;
	int program_pid; /* of cowsh_start_program, else 0 */
	char *script;    /* being run: freed at the end */
	size_t script_len;
	bool command_done;
	bool exited;
	int status;
	int64_t started_ns;
	uint64_t started_processes;
	struct cowsh_result result;
	char limit_where[64];       /* of it */
	struct trace_state *trace;  /* watch.h; NULL: off */
	struct tape *tape;          /* journal.h; NULL: none */
	struct break_state *breaks; /* NULL: there never were any */
	char *temp;                 /* what a getter returned last */
	size_t temp_size;
	/* checkpoint.c: forks from before commands, the newest first; a list by `older`. */
	cowsh *checkpoints;
	cowsh *older;
	size_t ncheckpoints;
	size_t checkpoints_max;
};

/* session.c. Allocates a session with its host and calls begin for the rest. */
int session_make(cowsh_store *store, const struct cowsh_config *config,
		 const struct cowsh_host *host,
		 int (*begin)(struct cowsh *s, const struct cowsh_config *c, void *arg), void *arg,
		 cowsh **out);
void session_settings(struct cowsh *s, const struct cowsh_config *c, struct kernel_config *out);
/* What a new kernel needs of its session: formats, real programs, mounts. */
int session_connect(struct cowsh *s, const struct cowsh_config *c);
/* A copy; without programs, what is in the background stays behind: for who only looks. */
int session_fork(struct cowsh *from, const struct cowsh_host *host, bool programs,
		 struct cowsh **out);
/* Its processes but the shell. */
unsigned session_others(const struct cowsh *s);
/* Runs what the host itself started, without limits of steps and time. */
void session_run_free(struct cowsh *s);
/* As much of text as fits, with a NUL. */
static inline void copy_text(char *into, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size)
		len = size - 1;
	memcpy(into, text, len);
	into[len] = '\0';
}

struct tape;
/* cowsh_new with a tape, which becomes the session's, also when it can't be made. */
int session_new(struct cowsh_store *store, const struct cowsh_config *config,
		const struct cowsh_host *host, struct tape *tape, struct cowsh **out);
/* The session goes on without. */
void session_drop_tape(struct cowsh *s);

/* checkpoint.c: before a command of a session that has none running; no memory for it is an
 * error. And freeing all. */
int checkpoint_take(struct cowsh *s);
void checkpoints_free(struct cowsh *s);

/* tree.c: the standard tree, as a snapshot the store keeps. */
int standard_tree(struct cowsh_store *store, struct vfs_tree **out);
/* The user's ids and home. Unknown names get uid 1000 and /home/NAME. */
void user_lookup(const char *user, struct vfs_cred *cred, char home[128]);
/* Creates directories up to the last '/' of path. */
int make_parents(struct vfs *v, const struct vfs_cred *owner, vfs_ino dir, const char *path);
int write_file(struct vfs *v, const struct vfs_cred *owner, vfs_ino dir, const char *path,
	       struct bytes content, unsigned mode);

/* changes.c: two points of a session, each as a vfs that loads what its tree has not. */
struct points {
	struct vfs *old;
	struct vfs *new;
};
/* until NULL: as it is now. To be closed if 0 is returned. */
int points_open(struct cowsh *s, const cowsh_snapshot *since, const cowsh_snapshot *until,
		struct points *out);
void points_close(struct points *p);

/* escalate_*.c: real programs, if the host supplies s->machine. */
int escalate_start(struct cowsh *s);
/* After the kernel is freed. */
void escalate_end(struct cowsh *s);
/* Before the kernel is freed: what no process holds goes. */
void escalate_clear(struct cowsh *s);
/* Before its files are replaced: kept starts go. */
void escalate_forget(struct cowsh *s);
/* What a session keeps of starts serves its forks too. */
void escalate_share(const struct cowsh *from, struct cowsh *to);
/* Before a fork: lets programs come to where they can be copied. -E_AGAIN: one does not. */
int escalate_settle(struct cowsh *s);
/* The programs that are alive go on in the fork, too. */
int escalate_copy(struct cowsh *from, struct cowsh *to, struct copying *w);
/* Whether any are alive; and those of a fork that has not run, as bytes and pages: microvm_pack. */
struct memory_list;
bool escalate_has_programs(const struct cowsh *s);
int escalate_pack(struct cowsh *s, struct packing *w, struct memory_list *pages);
/* And back. memory: the inode with their pages. */
int escalate_unpack(struct cowsh *s, struct unpacking *u, vfs_ino memory);
/* The inode with pages that the session was loaded with, or 0. */
vfs_ino escalate_saved(const struct cowsh *s);

/* programs.c: program formats; the content of a program file of ours. */
int register_formats(struct kernel *k);
size_t program_image(char out[PROGRAM_IMAGE_MAX], const char *name);
bool program_is_ours(struct bytes head);

/* image_programs.c: what the source has joins the tree, as vfs_merge_source; at the root its own
 * programs take the places of builtins for which they are to answer. */
int session_merge_source(struct cowsh *s, const char *path, const struct vfs_source *source,
			 uint64_t id);

/* image.c: what the vfs says of an image, as the host sees it. */
struct image_info;
struct cowsh_image_info;
void image_give_info(const struct image_info *from, uint64_t stored, struct cowsh_image_info *out);
/* NULL for no builder. */
struct store *builder_store(struct cowsh_image_builder *b);
/* Counts an object whose attributes the image has not. */
void builder_leave_out(struct cowsh_image_builder *b);

/* Spin lock of the store's own lists. */
void store_lock(struct cowsh_store *store);
void store_unlock(struct cowsh_store *store);

/* How long the command has run, by the session's clock; INT64_MAX if that can't be told. run.c. */
int64_t elapsed_ns(const struct cowsh *s);

#endif
