/* SPDX-License-Identifier: MIT
 *
 * Between repositories: what a remote is, which references go where, how objects get there.
 *
 *   remote.c     remotes, URLs, refspecs          reach.c       which objects are wanted
 *   transport.c  objects from here to there       pack_write.c  packs, delta.c: their deltas
 *   bundle.c     files that stand for repositories
 *   cmd_clone.c, cmd_fetch.c, cmd_push.c, cmd_remote.c
 *
 * Both repositories are on this machine: there is no network. The other one is a second
 * struct git (repo_open) of the same command.
 */
#ifndef BUILTINS_GIT_TRANSPORT_H
#define BUILTINS_GIT_TRANSPORT_H

#include "base/digest.h"
#include "builtins/git/walk.h"

/* --- remote.c --- */

struct refspec {
	bool force;
	bool pattern; /* both sides hold a '*' */
	bool negative;
	bool matching;   /* ":" alone */
	const char *src; /* "" nothing: a deletion */
	const char *dst; /* NULL: not given */
};
struct refspecs {
	struct refspec *at;
	size_t n;
	size_t cap;
};

struct remote {
	const char *name; /* as given: perhaps a URL */
	const char *url;  /* after url.X.insteadOf */
	const char *push_url;
	bool configured;
	bool mirror;
	struct refspecs fetch;
	struct refspecs push;
};

/* Ends the command on a text that is none. */
void refspec_add(struct git *g, struct refspecs *list, const char *text, bool for_fetch);
/* The other side of a name; NULL: the refspec does not take it. */
char *refspec_map(struct git *g, const struct refspec *s, const char *name);
/* Of what is a name here the name there; NULL: nothing. */
char *refspecs_source(struct git *g, const struct refspecs *list, const char *name);
/* The same for all, with those that exclude: the first that takes it. */
char *refspecs_map(struct git *g, const struct refspecs *list, const char *name,
		   const struct refspec **which);

/* Names of all that are configured, sorted. */
void remote_list(struct git *g, struct names *out);
/* The same in the order of the configuration. */
void remote_list_as_configured(struct git *g, struct names *out);
void remote_get(struct git *g, const char *name, struct remote *out);
/* The remote of the current branch, or "origin". */
const char *remote_default(struct git *g);
/* All values of a key, in order. */
void config_all(struct git *g, const char *key, struct names *out);
/* Forgets and reads the configuration again: it was changed. */
void config_reload(struct git *g);
/* The directory that a URL names; ends the command if it is on another machine. */
char *remote_path(struct git *g, const char *url);
bool remote_is_url(const char *url); /* "scheme://" or "host:path" */
/* The repository at a URL; ends the command with git's words if there is none. */
struct git *remote_open(struct git *g, const char *url);
/* A URL as messages show it: without slashes and ".git" at its end. */
char *remote_shown(struct git *g, const char *url);

/* The name that HEAD stands for, or NULL. */
char *remote_head(struct git *from);
/* What a repository offers: HEAD (if it is born), then everything below refs/. */
size_t remote_refs(struct git *from, struct ref **out);

/* --- reach.c --- */

struct reached {
	struct oid oid;
	enum object_type type;
	uint32_t hint; /* alike for files that are alike */
};
struct reach {
	struct git *g;
	int depth;               /* 0: all of the history */
	struct names shallow;    /* with a depth: commits whose parents were left out */
	const struct names *cut; /* the other side does not have parents of these; or NULL */
	struct reached *at;
	size_t n;
	size_t cap;
	struct lookup *seen;
	bool missing_ok; /* what is not there is passed over */
	size_t missing;
};
/* Everything the wanted objects need that the others do not reach: commits first. */
void reach_find(struct reach *r, const struct oid *want, size_t nwant, const struct oid *have,
		size_t nhave);
/* All tips of a repository: references, HEAD, logs, index of every work tree. */
size_t reach_tips(struct git *g, bool logs, struct oid **out);

/* --- transport.c --- */

struct copying {
	struct git *from;
	struct git *to;
	int depth;
	bool keep_pack; /* one pack, however few */
	bool whole;     /* behind the cuts too: --unshallow */
};
void transport_copy(struct copying *t, const struct oid *want, size_t n);
/* What is shallow in `to` follows the list of `from`. */
void shallow_write(struct git *g);

/* --- delta.c --- */

struct delta_index;
/* The index of a base, in a; NULL: too short. The bytes must live. */
struct delta_index *delta_index_new(struct git *g, struct arena *a, struct bytes base);
/* Instructions that make target out of it; false: they would be longer than `max`. */
bool delta_make(struct git *g, const struct delta_index *x, struct bytes target, size_t max,
		struct buf *out);

/* --- pack_put.c: a pack's bytes on their way into a descriptor --- */

struct pack_out {
	struct git *g;
	int fd;
	struct digest sum;
	struct buf text; /* not written yet */
	uint64_t written;
	uint32_t crc; /* of the last object */
};
void pack_out_begin(struct pack_out *o, struct git *g, int fd, size_t n);
void pack_out_object(struct pack_out *o, enum object_type type, struct bytes data);
/* base: where the object it is made from begins. */
void pack_out_delta(struct pack_out *o, uint64_t base, struct bytes delta);
/* The same with bytes that are deflated already. kind: a type, or PACK_OFS_DELTA. */
void pack_out_raw(struct pack_out *o, int kind, size_t size, uint64_t base, struct bytes packed);
void pack_out_flush(struct pack_out *o);
/* name: the sum of all. */
void pack_out_end(struct pack_out *o, struct oid *name);

/* --- pack_write.c --- */

/* One pack of these objects below `dir` (".../objects/pack"): its name without directory and
 * suffix. An object whose bytes are not what its name says ends the command. */
char *pack_write(struct git *g, const char *dir, struct reached *list, size_t n);
/* The same as PREFIX-name.pack; only the name is returned. */
char *pack_write_as(struct git *g, const char *prefix, struct reached *list, size_t n);
/* The same into a descriptor, without index. *name is the pack's sum. */
void pack_stream(struct git *g, int fd, struct reached *list, size_t n, struct oid *name);
struct placed {
	struct oid oid;
	uint64_t offset; /* in the pack */
	uint32_t crc;
};
/* Sorts the objects of a pack and appends its index. */
void pack_put_index(struct git *g, struct placed *at, size_t n, const struct oid *pack_name,
		    struct buf *out);

/* cmd_pack.c: all objects of a pack, as files. */
void pack_unpack(struct git *g, int fd, bool dry_run);

/* --- pack_scan.c --- */

struct scanned {
	uint64_t offset;
	uint64_t end;
	int kind; /* as stored: perhaps a delta */
	uint64_t stored_size;
	uint64_t base_offset;
	struct oid base_oid;
	uint32_t crc;
	struct oid oid;
	enum object_type type; /* OBJECT_NONE: its base is not known */
	uint64_t size;
};
struct pack_scan {
	struct pack pack;
	uint64_t start;  /* of the pack in the file */
	struct oid name; /* the sum of all bytes */
	uint32_t count;
	struct scanned *at;
	size_t n;
	size_t unresolved;
};
/* NULL, or what is broken. thin: bases may be in the repository. */
const char *pack_scan(struct git *g, int fd, bool thin, struct pack_scan *s);
/* The same for a pack that begins inside of the file; offsets are those of the file. */
const char *pack_scan_from(struct git *g, int fd, uint64_t start, bool thin, struct pack_scan *s);
/* Gives s->pack an index of what is known: it can be searched. */
void pack_scan_index(struct git *g, struct pack_scan *s);
/* The bytes of one object found. */
enum object_type pack_scan_read(struct git *g, struct arena *a, struct pack_scan *s, size_t i,
				struct bytes *out);

/* --- bundle.c --- */

struct bundle_list {
	struct ref *at;
	size_t n;
	size_t cap;
};
struct bundle {
	const char *shown; /* the path in messages */
	int fd;
	int version;
	uint64_t pack;            /* where it begins */
	struct bundle_list needs; /* commits without names */
	struct bundle_list refs;
};
/* Whether the file begins as one. */
bool bundle_is(struct git *g, const char *path);
/* The file without its pack; false after a message. */
bool bundle_read(struct git *g, const char *path, const char *shown, struct bundle *b);
/* Whether g has what the bundle is based on; false after a message that names the commits. */
bool bundle_check(struct git *g, const struct bundle *b);
/* A bundle as a repository that has references only: struct git with `bundle` set. NULL after a
 * message. */
struct git *bundle_open(struct git *g, const char *path, const char *shown);
/* Its objects too, together with those of `to`; false after a message. */
bool bundle_attach(struct git *from, struct git *to);
size_t bundle_refs(struct git *from, struct ref **out);
/* The branch that HEAD seems to be (the file does not say it), born or not; NULL: none. */
char *bundle_head(struct git *from);

#endif
