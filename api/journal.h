/* SPDX-License-Identifier: MIT
 *
 * The journal of a session: what digest.c, pack.c, tape.c, journal.c and replay.c share.
 *
 *   journal = head, then records; docs/formats.md has the bytes
 *   record  = CONFIG | HOST action | COMMAND | OUTSIDE entries | RESULT | END
 *
 * A tape stands between a session and its host. Writing, it puts down what the host answers;
 * replaying, it answers from what was put down. Both go through the same functions, so that what
 * is asked for, and in which order, is compared on the way.
 */
#ifndef API_JOURNAL_H
#define API_JOURNAL_H

#include "api/private.h"
#include "base/digest.h"
#include "cowsh_journal.h"

enum {
	JOURNAL_VERSION = 1,
	JOURNAL_HEAD = 16,
	RECORD_HEAD = 5,  /* length, type */
	RECORD_CHECK = 8, /* first bytes of a digest over all records so far */
	TAPE_BATCH = 65536,
	RECORD_SMALL = 1024, /* these are written in one piece */
	JOURNAL_ENV_MAX = 4096,
	JOURNAL_MOUNTS_MAX = 1024,
};

extern const char journal_magic[8];

enum record_type {
	RECORD_CONFIG = 1,
	RECORD_HOST,
	RECORD_COMMAND,
	RECORD_OUTSIDE,
	RECORD_RESULT,
	RECORD_END,
};

enum command_kind { COMMAND_SCRIPT, COMMAND_PROGRAM, COMMAND_DRAIN };

/* What the host does between commands. */
enum host_kind {
	HOST_PUT_FILE,
	HOST_MAKE_DIRECTORY,
	HOST_REMOVE,
	HOST_SET_LIMIT,
	HOST_SIGNAL,
	HOST_MOUNT,
	HOST_PUT_LAZY,
	HOST_ADD_COMMAND,
	HOST_INCOMPLETE,
	HOST_SET_INTERACTIVE,
	HOST_WAKE,
	HOST_TERMINAL_SIZE,
};

/* What comes from outside. Those from WAKE on are the host's doing, the others answers. */
enum entry_kind {
	ENTRY_INPUT = 1, /* result, bytes */
	ENTRY_OUTPUT,    /* a result that is not 0, after so many bytes */
	ENTRY_CLOCK,     /* difference to the reading before */
	ENTRY_EXPIRED,   /* at so many steps */
	ENTRY_LIST,      /* source, id, result, entries */
	ENTRY_READ,      /* source, id, position, length, result, bytes */
	ENTRY_PENDING,   /* a custom command that answers later */
	ENTRY_FINISH,    /* number of a custom command, status, output, errors */
	ENTRY_FETCH,     /* request, bytes received, length, result, the request, bytes */
	ENTRY_WAKE,      /* steps, whether the session waited */
	ENTRY_SIGNAL,    /* steps, whether it waited, signal */
	ENTRY_CANCEL,    /* steps */
	ENTRY_END
};

/* --- pack.c: numbers and bytes, one after the other --- */

struct pack {
	struct store *store;
	char *ptr;
	size_t len;
	size_t cap;
	bool failed; /* there was no memory */
};

void pack_number(struct pack *p, uint64_t v); /* 7 bits a byte, lowest first */
void pack_signed(struct pack *p, int64_t v);
void pack_bytes(struct pack *p, struct bytes b);  /* with their length */
void pack_text(struct pack *p, const char *text); /* a NUL counts as part of it; NULL: length 0 */
void pack_raw(struct pack *p, struct bytes b);    /* without */
void pack_clear(struct pack *p);

/* Reading never goes past the end: what is missing or wrong sets bad and gives 0 or "". */
struct unpack {
	const char *at;
	const char *end;
	bool bad;
};

uint64_t unpack_number(struct unpack *u);
int64_t unpack_signed(struct unpack *u);
struct bytes unpack_bytes(struct unpack *u);
const char *unpack_text(struct unpack *u); /* NULL for length 0 */

struct record {
	int type;
	struct unpack body;
	size_t offset; /* of the record in the journal */
};

enum record_state { RECORD_OK, RECORD_NONE, RECORD_CUT, RECORD_DAMAGED };

/* The head of a record and, given the check of the one before, its check. */
void record_seal(uint8_t check[RECORD_CHECK], int type, struct bytes body,
		 uint8_t head[RECORD_HEAD]);
/* The record at *at, which moves on behind it. */
enum record_state record_next(struct bytes journal, size_t *at, uint8_t check[RECORD_CHECK],
			      struct record *out);

/* --- tape.c --- */

struct tape {
	struct cowsh *s;
	struct store *store;
	bool replay;
	int error; /* writing: the first one, nothing is written behind it; replaying: of memory */
	/* writing */
	int (*write)(void *user, const void *data, size_t len);
	void *user;
	struct pack entries; /* of the next OUTSIDE record */
	/* replaying */
	struct bytes journal;
	size_t at;          /* of the next record */
	struct unpack in;   /* entries of the record before */
	size_t entries_at;  /* where those begin in the journal */
	const char *differ; /* what is not as it was: static text */
	uint64_t wanted;    /* as numbers, if it has any */
	uint64_t got;
	struct cowsh_call **calls; /* custom commands that have not answered, by number */
	size_t calls_cap;
	enum record_state next_state; /* of the next record, if it is not OK */
	enum record_state cut;        /* of the record that should have had the next answer */
	bool over;                    /* the journal has ended: the host answers itself */
	/* both */
	uint8_t check[RECORD_CHECK];
	uint64_t sources;
	uint64_t calls_made;
	uint64_t commands; /* that have ended */
	uint64_t out_bytes;
	int64_t clock_ns; /* the last reading */
	bool waits;       /* the session does, for the host */
	bool in_command;
	bool listens; /* what sources are asked for is the session's doing, nobody's who looks */
	bool draining;
	bool cancelled; /* the command was, and the entry is there */
	struct digest out[2];
	struct cowsh_result result; /* of the command, as it goes into the record */
	struct vfs_tree *before;    /* files as the last command left them */
	uint8_t tree[COWSH_DIGEST_BYTES];
};

/* What a session asks its host, through the tape. Each only if s->tape is set. */
int tape_output(struct cowsh *s, int fd, const char *data, size_t n);
int64_t tape_input(struct cowsh *s, char *into, size_t n);
int64_t tape_clock(struct cowsh *s);
int tape_expired(struct cowsh *s);
int64_t tape_fetch(struct cowsh *s, const struct cowsh_request *r, char *into, size_t n);
int tape_list(struct mounted *m, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
	      void *sink);
int64_t tape_read(struct mounted *m, uint64_t id, uint64_t pos, void *into, size_t n);
/* A custom command begins; it ends. Returns whether it is done already. */
void tape_call(struct cowsh_call *call);
void tape_finish(struct cowsh_call *call);
/* The host's doing while a command runs. */
void tape_action(struct tape *t, enum entry_kind kind, uint64_t value);
/* The command may have been cancelled: that is noted once. */
void tape_cancelled(struct tape *t);
/* Whether what sources are asked for is for the tape's session. */
static inline bool tape_listens(const struct tape *t)
{
	return t != NULL && t->listens;
}
/* From now on it is, or is not; as it was before. */
static inline bool tape_listen(struct tape *t, bool on)
{
	bool was = tape_listens(t);

	if (t != NULL)
		t->listens = on;
	return was;
}
/* Replaying: the next answer must be of that kind; false, and a difference is noted. */
bool tape_take(struct tape *t, enum entry_kind kind);
/* The kind of the next entry; 0: none before the next record of another type. */
int tape_peek(struct tape *t);
void tape_differ(struct tape *t, const char *what, uint64_t wanted, uint64_t got);
uint64_t tape_steps(const struct tape *t);
void tape_free(struct tape *t);

/* --- journal.c --- */

void journal_record(struct tape *t, int type, struct bytes body);
/* Writes the entries that have gathered. */
void journal_flush(struct tape *t);
void journal_command(struct cowsh *s, enum command_kind kind, struct bytes text, int argc,
		     const char *const *argv);
/* It could not be started, for want of memory: the journal can't go on. */
void journal_failed(struct cowsh *s, int err);
void journal_result(struct cowsh *s);
/* cowsh_drain begins and ends. */
void journal_drain(struct cowsh *s);
void journal_drained(struct cowsh *s);
/* The host is about to do something between commands. 0, or -E_BUSY while one runs; also 0 if
 * there is no journal. */
int journal_note(struct cowsh *s, enum host_kind kind, const char *path, uint64_t a, uint64_t b,
		 struct bytes data);
int journal_note_lazy(struct cowsh *s, const char *path, uint64_t id, uint64_t size, unsigned mode);
#define NOTHING ((struct bytes){ "", 0 })
/* What a RESULT record says, packed: after the command, before the next. */
void journal_pack_result(struct tape *t, struct pack *p);
void journal_begin_command(struct tape *t);

/* --- digest.c --- */

/* Of what changed since that tree; NULL: of all. */
int tree_digest(struct cowsh *s, struct vfs_tree *since, uint8_t out[COWSH_DIGEST_BYTES]);

#endif
