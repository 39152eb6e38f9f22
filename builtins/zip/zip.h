/* SPDX-License-Identifier: MIT
 *
 * What zip, unzip and zipinfo share: the format (APPNOTE, with zip64) and its entries.
 *
 *   read.c    the central directory of an archive     zip.c     zip's options and what it does
 *   unzip.c   unzip's options, extraction, tests      write.c   entries written
 *   list.c    the tables of unzip -l, -v and zipinfo  names.c   patterns
 *   crypt.c   encryption by a password
 */
#ifndef BUILTINS_ZIP_ZIP_H
#define BUILTINS_ZIP_ZIP_H

#include "base/codec.h"
#include "base/time.h"
#include "builtins/builtin.h"

enum {
	ZIP_LOCAL = 0x04034b50,
	ZIP_CENTRAL = 0x02014b50,
	ZIP_END = 0x06054b50,
	ZIP_END64 = 0x06064b50,
	ZIP_LOCATOR64 = 0x07064b50,
	ZIP_DESCRIPTOR = 0x08074b50,
	ZIP_LOCAL_BYTES = 30,
	ZIP_CENTRAL_BYTES = 46,
	ZIP_END_BYTES = 22,
	ZIP_END64_BYTES = 56,
	ZIP_LOCATOR_BYTES = 20,
	ZIP_EXTRA64 = 1,
	ZIP_EXTRA_TIME = 0x5455,
	ZIP_EXTRA_OWNER = 0x7875,
	ZIP_STORED = 0,
	ZIP_DEFLATED = 8,
	ZIP_BLOCK = 65536,
	ZIP_FLAG_ENCRYPTED = 1,
	ZIP_FLAG_DESCRIPTOR = 8,
	ZIP_FLAG_UTF8 = 0x800,
	ZIP_UNIX = 3,
	ZIP_CRYPT_BYTES = 12, /* ahead of encrypted data, and counted with them */
};

struct zip_entry {
	const char *name;
	struct bytes extra;
	struct bytes comment;
	uint16_t made_by;
	uint16_t needed;
	uint16_t flags;
	uint16_t method;
	uint16_t dos_time;
	uint16_t dos_date;
	uint32_t crc;
	uint64_t csize;
	uint64_t size;
	uint16_t internal;
	uint32_t external;
	uint64_t offset; /* of the local header, what stands before the archive included */
	bool has_mtime;  /* from the extra field, in UTC */
	int64_t mtime_s;
	bool drop; /* zip: not kept */
};

struct zip_file {
	struct cmd *c;
	const char *password; /* of encrypted entries; NULL: none */
	const char *path;
	int fd;
	uint64_t size;      /* of the file */
	uint64_t before;    /* bytes in front of the archive */
	uint64_t directory; /* where the central directory stands */
	struct zip_entry *entries;
	size_t n;
	struct bytes comment;
};

static inline uint16_t zip_get16(const char *at)
{
	return (uint16_t)((unsigned char)at[0] | (unsigned char)at[1] << 8);
}
static inline uint32_t zip_get32(const char *at)
{
	return zip_get16(at) | (uint32_t)zip_get16(at + 2) << 16;
}
static inline uint64_t zip_get64(const char *at)
{
	return zip_get32(at) | (uint64_t)zip_get32(at + 4) << 32;
}

enum zip_state { ZIP_GOOD, ZIP_NO_END, ZIP_BAD };

/* Reads the central directory of an open file. Memory: the command's arena. */
enum zip_state zip_read(struct zip_file *z);
/* Where the data of an entry begin: 0 if its local header is bad. */
uint64_t zip_data_offset(struct zip_file *z, const struct zip_entry *e);
/* Whether entries lie over one another or over the directory, as bombs have it. */
bool zip_overlaps(struct zip_file *z);
bool zip_is_dir(const struct zip_entry *e);
bool zip_is_link(const struct zip_entry *e);
/* Its time in civil form, and in nanoseconds since 1970. */
void zip_civil(const struct zip_entry *e, const struct zone *zone, struct civil *out);
int64_t zip_time_ns(const struct zip_entry *e, const struct zone *zone);
/* Percent saved: rounded. */
int zip_percent(uint64_t size, uint64_t csize);

/* Bytes of compressed data, without what encryption adds. */
static inline uint64_t zip_packed(const struct zip_entry *e)
{
	bool more = (e->flags & ZIP_FLAG_ENCRYPTED) && e->csize >= ZIP_CRYPT_BYTES;

	return e->csize - (more ? ZIP_CRYPT_BYTES : 0);
}

/* --- crypt.c --- */
struct zip_keys {
	uint32_t key[3];
	uint32_t table[256];
};
void zip_keys_init(struct zip_keys *k, const char *password);
void zip_encrypt(struct zip_keys *k, unsigned char *out, const void *data, size_t n);
void zip_decrypt(struct zip_keys *k, void *data, size_t n);

/* Whether z's password may be that of an encrypted entry: one of 256 wrong ones is not noticed. */
bool zip_password_fits(struct zip_file *z, const struct zip_entry *e);
/*
 * Decompresses an entry: put gets the bytes. 0; 1: damaged data (*crc is what was computed);
 * -E_ of reading.
 */
int zip_inflate(struct zip_file *z, const struct zip_entry *e,
		void (*put)(void *arg, const void *data, size_t n), void *arg, uint32_t *crc,
		uint64_t *made);

/* --- patterns: * and ? also match '/' --- */
struct zip_names {
	struct glob **globs;
	const char **texts;
	bool *found;
	size_t n;
	size_t cap;
};
void zip_names_add(struct cmd *c, struct zip_names *names, const char *text, bool icase);
bool zip_names_match(struct cmd *c, struct zip_names *names, const char *name);

/* --- list.c --- */
struct unzip;
void unzip_list(struct unzip *u);
int zipinfo_run_file(struct unzip *u);

/* --- unzip.c --- */
enum unzip_mode { UNZIP_EXTRACT, UNZIP_LIST, UNZIP_TEST, UNZIP_PIPE, UNZIP_COMMENT, UNZIP_INFO };
struct unzip {
	struct cmd *c;
	struct zip_file z;
	enum unzip_mode mode;
	struct zone *zone;
	int verbose; /* -v, with -l's table */
	int quiet;
	bool show; /* -c */
	bool overwrite, never, junk, icase, freshen, update, keep_modes, owners;
	int lower; /* -L */
	int text;  /* -a */
	bool literal_links;
	const char *password;
	size_t locked; /* entries that it did not open */
	const char *dir;
	struct zip_names names;
	struct zip_names excluded;
	int status;
	struct unzip_link *links;
	struct input answers;
	bool has_answers;
	/* zipinfo */
	int format; /* '1' '2' 's' 'm' 'l' 'v' */
	bool header, totals, sortable;
	bool explicit_header, explicit_totals;
};
bool unzip_wanted(struct unzip *u, const struct zip_entry *e);

/* --- write.c --- */
struct zip_writer {
	struct cmd *c;
	struct output out;
	bool seekable;
	uint64_t at; /* bytes written */
	int level;
	bool no_extra;
	const char *password;
	const struct zone *zone;
	struct zip_entry *entries;
	size_t n;
	size_t cap;
	int convert; /* -l: 1, -ll: 2 */
};
struct zip_source {
	const char *name;
	struct vfs_stat st;
	int fd;            /* -1: none */
	struct bytes text; /* of a symbolic link */
	bool is_link;
	bool store;
	bool stream; /* standard input: the size is not known */
};
/* Compresses a source as a new entry. 0 or -E_. */
int zip_add(struct zip_writer *w, const struct zip_source *s, struct zip_entry *out);
/* Copies an entry of an archive as it is. */
int zip_copy(struct zip_writer *w, struct zip_file *z, const struct zip_entry *e);
void zip_finish(struct zip_writer *w, struct bytes comment);

/* --- environment.c --- */

/* Words of that variable, or else of the other, become the first arguments. */
void zip_take_environment(struct cmd *c, const char *name, const char *other);

#endif
