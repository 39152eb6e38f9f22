/* SPDX-License-Identifier: MIT
 *
 * What the runner and the broker say to each other, over two pipes.
 *
 *   runner  request                                      broker
 *           reply, then result bytes, then another       READ
 *           reply, then records with their strings       LIST
 *           reply                                        SEEK
 *           reply                                        APPLY with its change; DATA; END
 *           reply, then failures with their paths        FINISH
 *
 * Objects are numbered: 0 ... are the mounted directories, the others come from lists. A
 * What follows the bytes of READ says how many of them are the file's, or what went wrong; the
 * others are zeros. A directory is read once: who asks again hears what was heard first, so that
 * what a session sees is one state, and what the host has changed since can be told from what a
 * script has.
 */
#ifndef CLI_BROKER_H
#define CLI_BROKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum broker_op {
	BROKER_READ,
	BROKER_LIST,
	BROKER_SEEK, /* len: 1 for the next data, 0 for the next hole */
	/* With --apply only: see apply_host.c. */
	BROKER_APPLY,  /* id: mounted directory; a struct broker_change follows */
	BROKER_DATA,   /* pos, len: bytes of the file that APPLY began follow */
	BROKER_END,    /* pos: size of the file; len not 0: it is given up */
	BROKER_FINISH, /* all was said; len not 0: it broke off, nothing is removed */
};

/* So much is read at once, and fits into a pipe of BROKER_PIPE bytes, a page in front included. */
enum { BROKER_PIPE = 1 << 20, BROKER_READ_MAX = BROKER_PIPE - 65536 };
enum { BROKER_CHUNK = 65536, BROKER_NAME_MAX = 255, BROKER_TARGET_MAX = 4096 };
enum { BROKER_PATH_MAX = 65536 };

struct broker_request {
	uint64_t op;
	uint64_t id;
	uint64_t pos;
	uint64_t len;
};

struct broker_reply {
	int64_t result; /* bytes that follow, or an error */
};

/* One entry of a directory; a name_len of 0 ends the list, with an error in size. */
struct broker_record {
	uint64_t id;
	uint64_t size;
	uint64_t hole_bytes;
	int64_t mtime_ns;
	uint32_t mode;
	uint16_t name_len; /* the name and the target follow */
	uint16_t target_len;
};

/* A change as cowsh_diff tells it. The answer is 0, BROKER_WANTS_DATA, what of it had to be left
 * out, or an error; one of the two below says that the host's file is not what the session saw. */
struct broker_change {
	uint32_t kind;
	uint32_t mode; /* 0: removed */
	int64_t mtime_ns;
	uint32_t uid; /* BROKER_NOBODY: it is not changed */
	uint32_t gid;
	uint32_t path_len; /* the path below the mounted directory, and the target, follow */
	uint32_t target_len;
	int64_t old_mtime_ns; /* what the session had there before: mode, size and time; mode 0: */
	uint64_t old_size;    /* nothing */
	uint32_t old_mode;
	uint32_t unused;
};
#define BROKER_NOBODY UINT32_MAX
enum { BROKER_NO_OWNER = 2, BROKER_NO_SET_ID = 4 }; /* what the host refused, as bits */
enum { BROKER_WANTS_DATA = 1, BROKER_CHANGED = -3000, BROKER_APPEARED = -3001 };
/* Not a file, directory or link: there is nothing of the kind on the host's side. */
enum { BROKER_NO_FILE = -3003 };
/* Nothing was removed, because something before had failed. */
enum { BROKER_KEPT = -3002 };

/* What went wrong at the end; a path_len of 0 ends the list. */
struct broker_failure {
	int64_t err;
	uint32_t id; /* of the mounted directory */
	uint32_t path_len;
};

enum broker_rights {
	BROKER_READS,
	BROKER_REHEARSES,
	BROKER_WRITES,
	BROKER_WRITES_OWNERS, /* and set-id bits of files */
};

/* Starts the process, which keeps the directories in `roots` open and is confined to them; of
 * those in `writable` it may change what is beneath, if `rights` say so. fds: where requests are
 * written, where replies are read. Before the runner is locked. */
void broker_start(const int *roots, const bool *writable, int count, enum broker_rights rights,
		  bool lock, int fds[2]);

/* hostdir.c: the runner's end. False: the broker is gone. */
bool broker_send(const void *data, size_t len);
bool broker_receive(void *into, size_t len);
/* A request without bytes behind it, and the answer. */
int64_t broker_ask(uint64_t op, uint64_t id, uint64_t pos, uint64_t len);
/* The answer to what was sent. */
int64_t broker_answer(void);

#endif
