/* SPDX-License-Identifier: MIT
 *
 * Inside the broker: what reading (broker.c) and writing (apply_host.c) share.
 */
#ifndef CLI_BROKER_PRIVATE_H
#define CLI_BROKER_PRIVATE_H

#include "cli/broker.h"

#include <sys/stat.h>

/* An object as its directory's list showed it; its number is its index. */
struct object {
	uint64_t name; /* offset in the names; a link's target follows it */
	uint64_t size;
	uint64_t hole_bytes;
	uint64_t ino;
	int64_t mtime_ns;
	int64_t ctime_ns;
	uint32_t mode;
	uint32_t parent;
	uint32_t first; /* of a directory that was listed: what is in it is numbered from here */
	uint32_t count;
	bool listed;
	bool imagined; /* a rehearsal: it would have been made */
	bool wanted;   /* its content may have been to go elsewhere, and not have got there */
	int kept_fd;   /* its content, if something else has taken its place: open here, */
	uint64_t kept; /* or with another name beside it: its offset; 0: none */
};

enum { NO_OBJECT = 0 }; /* also a mounted directory's number, which is in no list */

extern enum broker_rights broker_rights;

const struct object *object_of(uint64_t id);
/* The object of that name in a directory, or NO_OBJECT. With --apply only. */
uint64_t object_find(uint64_t dir, const char *name, size_t len);
/* Something else is there from now on. False: there is no memory. */
bool object_set(uint64_t dir, const char *name, const struct stat *st);
/* Something else takes its place, but what it has is still to be read: by that name beside it, or
 * (NULL) by a descriptor. 0 or a negative errno. */
int object_keep(uint64_t id, const char *name);
void object_want(uint64_t id);
/* Space for bytes that stay, with a NUL behind; UINT64_MAX: there is none. */
uint64_t names_add(const char *text, size_t len);
const char *names_at(uint64_t offset);
int root_descriptor(uint64_t id); /* -1: there is none, or it is not to be written */
void *reserve(uint64_t size);

int64_t mtime_of(const struct stat *st);
int64_t ctime_of(const struct stat *st);
/* fstatat without following; name "": the descriptor itself. 0 or a negative errno. */
int stat_at(int dir, const char *name, struct stat *st);

bool receive_all(void *into, size_t len);
void send_all(const void *data, size_t len);
void send_result(int64_t result);

/* apply_host.c. False: the runner says nonsense. */
void apply_prepare(void);
/* An object is read: for the file that is being made, or since that could not be made. */
void apply_reads(uint64_t id);
bool apply_request(const struct broker_request *r);
/* The runner is gone: what still waits for FINISH is dropped, with its name beside. */
void apply_end(void);

#endif
