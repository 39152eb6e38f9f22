/* SPDX-License-Identifier: MIT
 *
 * What the files of ar share: ar.c has the command line and the operations, archive.c reads and
 * writes, symbols.c makes the table of symbols, script.c is -M.
 */
#ifndef BUILTINS_AR_AR_H
#define BUILTINS_AR_AR_H

#include "base/number.h"
#include "builtins/builtin.h"

enum { AR_HEADER = 60, AR_NAME_MAX = 15, AR_NO_ARCHIVE_STATUS = 9, AR_NS = 1000000000 };

struct member {
	const char *name;   /* in thin archives the path from here */
	const char *stored; /* thin: as the archive has it */
	int64_t date;
	uint64_t uid;
	uint64_t gid;
	uint32_t mode;
	struct bytes data;
	uint64_t size;   /* as its header says: data may be cut short */
	uint64_t offset; /* of its header */
	uint64_t inner;  /* thin: where its data are in the archive `stored`, 0: it is a file */
	bool outside;    /* thin: the data were not read yet */
	bool fresh;      /* a file that was added, not in the archive so far */
};

struct ar {
	struct cmd *c;
	char operation;
	bool verbose;
	bool real;   /* U: times and owners as they are */
	bool silent; /* c */
	bool offsets;
	bool full_names;
	bool keep_dates;
	bool newer_only;
	bool truncate;   /* f */
	bool make_thin;  /* T */
	bool thin;       /* what the archive is */
	bool inner;      /* it is read for a member of a thin one */
	bool no_symbols; /* S */
	bool symbols;    /* s */
	bool wants_deps; /* l: its text is an argument */
	const char *deps;
	char where; /* a, b: relative to `beside` */
	const char *beside;
	uint64_t count; /* N: which of several with the same name */
	const char *output;
	const char *path;
	char **file;
	int nfiles;
	struct buf members; /* of struct member */
	bool exists;
	bool had_symbols;
	int status;
};

static inline struct member *ar_all(const struct ar *r)
{
	return (void *)r->members.ptr;
}

static inline size_t ar_count(const struct ar *r)
{
	return r->members.len / sizeof(struct member);
}

/* --- ar.c --- */
void ar_insert(struct ar *r, size_t at, struct member m);
struct member ar_take_out(struct ar *r, size_t at);
/* The member of that name (with N: the count-th), or SIZE_MAX. */
size_t ar_find(const struct ar *r, const char *path);
void ar_list(struct ar *r, const struct member *m);
void ar_extract(struct ar *r, struct member *m);
/* A file as a member. False, after a message: there is none. */
bool ar_read_file(struct ar *r, const char *path, struct member *m);

/* --- archive.c --- */
/* Reads r->path; ends the command where it is no archive. 0, or -E_ of opening it. */
int ar_read(struct ar *r);
/* The data of a member; those of thin archives are read now. False, after a message: they are
 * not there. */
bool ar_load(struct ar *r, struct member *m);
void ar_write(struct ar *r);
/* The directory of the archive in front of a name in it. */
const char *ar_beside(struct ar *r, const char *name);
/* From the directory of the archive to the file, as thin archives name it. */
const char *ar_relative(struct ar *r, const char *path);

/* --- symbols.c --- */
/* Adds a member's number (8 bytes) and a NUL-ended name to the lists for each symbol that it
 * defines for others; the count of them. -1: it is no object. */
int64_t ar_symbols(struct cmd *c, struct bytes object, uint64_t number, struct buf *numbers,
		   struct buf *names);

/* --- script.c --- */
int ar_script(struct cmd *c);

#endif
