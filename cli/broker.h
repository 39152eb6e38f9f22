/* SPDX-License-Identifier: MIT
 *
 * What the runner and the broker say to each other, over two pipes.
 *
 *   runner  request                                      broker
 *           reply, then result bytes                     READ
 *           reply, then records with their strings       LIST
 *
 * Objects are numbered: 0 ... are the mounted directories, the others come from lists.
 */
#ifndef CLI_BROKER_H
#define CLI_BROKER_H

#include <stdint.h>

enum broker_op { BROKER_READ, BROKER_LIST };

enum { BROKER_CHUNK = 65536, BROKER_NAME_MAX = 255, BROKER_TARGET_MAX = 4096 };

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
	int64_t mtime_ns;
	uint32_t mode;
	uint16_t name_len; /* the name and the target follow */
	uint16_t target_len;
};

/* Starts the process, which keeps the directories in `roots` open and is confined to them.
 * fds: where requests are written, where replies are read. Before the runner is locked. */
void broker_start(const int *roots, int count, bool lock, int fds[2]);

#endif
