/* SPDX-License-Identifier: MIT
 *
 * The filesystem: a persistent (copy-on-write) tree of inodes. Knows nothing of processes.
 *
 *   struct vfs ──> root of the inode map (persistent radix tree: number -> node)
 *                     └─ node: metadata + one of
 *                          directory   persistent B-tree, name -> inode number, sorted by bytes
 *                          file        inline bytes, or persistent radix tree of 4 KiB pages
 *                          symlink     target
 *                          fifo, device, socket
 *                          lazy        bytes or entries that a source supplies at first use
 *                          dynamic     asked from a provider at every use (/proc)
 *
 * Everything reachable from a root is reference counted and shared between snapshots and
 * sessions. A part with one owner is edited in place; a shared part is copied first, and
 * only the path to it. Nothing points upwards, except that a directory knows its parent's
 * inode number. So a snapshot or fork takes one reference, whatever the tree holds.
 *
 * Who holds a reference to what: a vfs and a vfs_tree hold their root; a map node holds its
 * children; an inode node holds its name tree or page tree; a page leaf holds its pages; a
 * page into foreign memory holds nothing: its owner must outlive the store.
 *
 * Threads: a struct vfs belongs to one thread at a time; counts of shared parts are atomic.
 * Functions return 0 or more, or a negative E_ number with Linux's meaning. Names and paths
 * are bytes ended by NUL.
 */
#ifndef VFS_VFS_H
#define VFS_VFS_H

#include "base/err.h"
#include "base/heap.h"
#include "base/stat.h"

struct vfs;
struct vfs_tree; /* an immutable snapshot */

enum {
	VFS_ROOT = 1,
	VFS_NAME_MAX = 255,
	VFS_PATH_MAX = 4096,
	VFS_LINK_HOPS_MAX = 40,
	VFS_GROUPS_MAX = 32
};

struct vfs_cred {
	uint32_t uid;
	uint32_t gid;
	uint32_t ngroups;
	uint32_t groups[VFS_GROUPS_MAX];
};

/*
 * What this vfs may add to its tree; 0: no limit. Counted are the pages (or inline bytes) of
 * files that were written here, also when they replace a base's, and names (length and 16).
 * What the tree had when the vfs started costs nothing, and gives nothing back when removed.
 */
struct vfs_limits {
	uint64_t bytes;      /* of file data and names, E_NOSPC beyond */
	uint64_t inodes;     /* E_NOSPC beyond */
	uint64_t file_bytes; /* size of one file, E_FBIG beyond */
};

struct vfs_usage {
	uint64_t bytes;
	uint64_t inodes;
};

/*
 * Life. A vfs lives in the store; `tree` NULL means an empty root directory (mode 0755, owner
 * 0:0). now is asked for the time of every change (nanoseconds since 1970).
 */
int vfs_new(struct store *store, struct vfs_tree *tree, int64_t (*now)(void *user), void *user,
	    struct vfs **out);
void vfs_free(struct vfs *v);
/* A vfs just made from the tree goes on counting where the tree's maker was, instead of at 0. */
void vfs_continue(struct vfs *v, const struct vfs_tree *tree);
void vfs_set_limits(struct vfs *v, const struct vfs_limits *limits);
void vfs_get_usage(const struct vfs *v, struct vfs_usage *out);
/* Total and free space as df shows them, from the limits; without one a large number. */
struct vfs_statfs {
	uint64_t block_bytes;
	uint64_t blocks;
	uint64_t blocks_free;
	uint64_t inodes;
	uint64_t inodes_free;
};
void vfs_statfs(const struct vfs *v, struct vfs_statfs *out);

/* O(1): the state as it is now, or NULL: no memory. The caller puts the reference. */
struct vfs_tree *vfs_snapshot(struct vfs *v);
/*
 * O(1), and freeing what only the state left had: the vfs continues from that state;
 * descriptors' holds are kept where inodes remain. Providers stay where they are mounted in
 * both; else they are to be mounted again.
 */
void vfs_restore(struct vfs *v, struct vfs_tree *tree);
/* Whether the number of a file that is held, not of a directory, is another file's in that tree,
 * as it may be in one of another line of vfs: what is written by it would go there. */
bool vfs_restore_mixes(const struct vfs *v, const struct vfs_tree *tree);
struct vfs_tree *vfs_tree_get(struct vfs_tree *t);
void vfs_tree_put(struct vfs_tree *t);

/*
 * Differences between two trees of one lineage, each as a vfs of its own (vfs_new), which loads
 * what its tree has not: a directory first, then what is in it, by name. The cost is the size of
 * the difference, and of the directories it lies in. kind: '+' added, '-' removed, 'M' content
 * changed (also a link's target, a device's number), 'm' only mode, owner, extended attributes or,
 * but for directories, mtime changed, 'T' type changed. What is below an added or removed directory
 * is told too. A renamed file is one removed and one added. Lazy objects that were only loaded show
 * no change. A non-zero return of emit ends the walk and is returned; so is VFS_PENDING of a
 * source. emit may read both, but change neither.
 */
struct vfs_change {
	char kind;
	const char *path; /* absolute; valid during the call */
	vfs_ino old_ino;  /* in old; 0 if added */
	vfs_ino new_ino;  /* in new; 0 if removed */
};
int vfs_diff(struct vfs *old, struct vfs *new, int (*emit)(void *user, const struct vfs_change *),
	     void *user);

/*
 * Path lookups. `dir` is where a relative path starts (an inode number of a directory). With
 * VFS_NOFOLLOW a symlink in last place is not followed. A path that ends in '/' must be a
 * directory. Search permission is checked on every directory passed.
 */
enum vfs_lookup_flags {
	VFS_NOFOLLOW = 1,
	VFS_EMPTY_PATH = 2, /* "" means dir itself */
	VFS_REAL_CRED = 4,  /* reserved for access(2) */
};
int vfs_lookup(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
	       unsigned flags, vfs_ino *out);
/* What finding names since the last call was worth in steps, where it was more than usual: long
 * paths through many links, directories that are looked for among all names of another. */
uint64_t vfs_looked(struct vfs *v);
int vfs_getattr(struct vfs *v, vfs_ino ino, struct vfs_stat *out);
/* mask: 4 read, 2 write, 1 execute, as access(2). */
int vfs_access(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, unsigned mask);
/* The absolute path of a directory, into the arena; -E_NOENT if it was removed. */
int vfs_dir_path(struct vfs *v, vfs_ino dir, struct arena *a, char **out);

/*
 * open(2) without the descriptor: follows, creates (mode already masked by umask), truncates,
 * and checks permissions as the flags say. The inode is held: call vfs_drop when done.
 * *created says whether the file was made. FIFOs and devices are opened by the kernel.
 */
int vfs_open(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
	     unsigned oflags, uint32_t mode, vfs_ino *out, bool *created);
/*
 * A held inode lives on when its last name goes. Holding fails with -E_NOENT for a number that
 * is not there, and with -E_NOMEM, but not for an inode that is held already.
 */
int vfs_hold(struct vfs *v, vfs_ino ino);
void vfs_drop(struct vfs *v, vfs_ino ino);
/*
 * A vfs made from a tree whose maker had nameless files open has them too, held by nobody.
 * Once what is still needed was held, this frees the rest.
 */
void vfs_reap(struct vfs *v);

/*
 * Data of regular files. Positions past the end read as nothing, holes as zeros. Permission
 * was checked at open. Reading changes no times (as a mount with noatime). Writing is short
 * when space ends in the middle; at file_bytes it is E_FBIG.
 */
int64_t vfs_read(struct vfs *v, vfs_ino ino, uint64_t pos, void *out, size_t n);
int64_t vfs_write(struct vfs *v, vfs_ino ino, uint64_t pos, const void *data, size_t n);
/* Seals of a file that was made for them (memfd_create), which others don't have: -E_INVAL. What is
 * sealed stays so; of these, only size is looked after here. Not kept in saved sessions. */
enum { SEAL_SEAL = 1, SEAL_SHRINK = 2, SEAL_GROW = 4, SEAL_WRITE = 8, SEAL_FUTURE_WRITE = 16 };
int vfs_make_sealable(struct vfs *v, vfs_ino ino);
int vfs_seals(struct vfs *v, vfs_ino ino);
int vfs_seal(struct vfs *v, vfs_ino ino, unsigned seals);
/* To be called when c writes: takes set-user-id and set-group-id away, unless c is root. */
int vfs_drop_setid(struct vfs *v, const struct vfs_cred *c, vfs_ino ino);
/*
 * Zero-copy reading: *out points at the bytes of the file at pos, as many as are contiguous
 * (at most max). Returns their number, 0 at the end. Valid until the file is next written,
 * truncated or freed through this vfs. Files over 2 KiB lie in pages: at a position that is a
 * multiple of 4096 the bytes are page aligned, and what a last page holds behind the end of
 * the file is zero.
 */
int64_t vfs_view(struct vfs *v, vfs_ino ino, uint64_t pos, size_t max, const char **out);
/*
 * The page of a file at index, held until vfs_page_put: its bytes never change (a writer gets a
 * copy). What is not in the tree yet is fetched into it, also from a mapped source, or is
 * -E_NOENT without `fetch`. -E_NODATA where the file has no pages: holes, small files.
 */
struct vfs_page;
int vfs_page_get(struct vfs *v, vfs_ino ino, uint64_t index, bool fetch, struct vfs_page **out);
/* The next index from this one on of a page that is in the tree; UINT64_MAX: there is none. */
uint64_t vfs_page_next(struct vfs *v, vfs_ino ino, uint64_t index);
/* The pages from index up to end will be got one after the other: tells a source that asks. */
void vfs_page_ahead(struct vfs *v, vfs_ino ino, uint64_t index, uint64_t end);
struct vfs_page *vfs_page_again(struct vfs_page *page);
const char *vfs_page_bytes(const struct vfs_page *page);
void vfs_page_put(struct store *s, struct vfs_page *page);
/* Makes a page of the store that is in no file one that can be held several times; NULL: no
 * memory. And back, for who alone holds it; NULL: others do. */
struct vfs_page *vfs_page_of(struct store *s, void *bytes);
void *vfs_page_take(struct store *s, struct vfs_page *page);
int vfs_truncate(struct vfs *v, vfs_ino ino, uint64_t size);
/* Where data (SEEK_DATA, 3) or a hole (SEEK_HOLE, 4) is next, from pos on: -E_NXIO if no data
 * follow; the end of the file is a hole. */
int64_t vfs_seek_data(struct vfs *v, vfs_ino ino, uint64_t pos, int whence);

/* Names. mode is already masked by umask. As the *at(2) calls; errno as Linux's tmpfs/ext4. */
int vfs_mkdir(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path,
	      uint32_t mode);
int vfs_mknod(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path, uint32_t mode,
	      uint64_t rdev);
/*
 * A new file of root's with its whole content (1 to VFS_SMALL_MAX bytes) in a directory of the
 * tree that is loaded, without walking a path or asking for permission: standard trees have
 * hundreds. 0, -E_EXIST, -E_INVAL, -E_NOMEM or -E_NOSPC.
 */
enum { VFS_SMALL_MAX = 1024 };
int vfs_put_small(struct vfs *v, vfs_ino dir, struct bytes name, struct bytes content,
		  uint32_t mode);
int vfs_symlink(struct vfs *v, const struct vfs_cred *c, const char *target, vfs_ino dir,
		const char *path);
/* flags as vfs_lookup's, for the old path: link(2) is VFS_NOFOLLOW. */
int vfs_link(struct vfs *v, const struct vfs_cred *c, vfs_ino old_dir, const char *old_path,
	     unsigned flags, vfs_ino new_dir, const char *new_path);
int vfs_unlink(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path);
int vfs_rmdir(struct vfs *v, const struct vfs_cred *c, vfs_ino dir, const char *path);
enum vfs_rename_flags { VFS_RENAME_NOREPLACE = 1, VFS_RENAME_EXCHANGE = 2 };
int vfs_rename(struct vfs *v, const struct vfs_cred *c, vfs_ino old_dir, const char *old_path,
	       vfs_ino new_dir, const char *new_path, unsigned flags);
/* The target's length; at most n bytes are copied, without a NUL. */
int64_t vfs_readlink(struct vfs *v, vfs_ino ino, char *out, size_t n);

/*
 * Extended attributes, with Linux's rules and errors: "user." of regular files and directories,
 * "trusted." of root. Those of an inode take at most VFS_XATTRS_MAX bytes together (their names,
 * values, and 3 for each), -E_NOSPC beyond. get and list (names, each with a NUL behind) return
 * the length; with n 0 nothing is copied, and it is -E_RANGE if n is less otherwise.
 */
enum { VFS_XATTR_CREATE = 1, VFS_XATTR_REPLACE = 2, VFS_XATTRS_MAX = 4000 };
int64_t vfs_xattr_get(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, const char *name,
		      void *out, size_t n);
int64_t vfs_xattr_list(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, char *out, size_t n);
int vfs_xattr_set(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, const char *name,
		  struct bytes value, unsigned how);
int vfs_xattr_remove(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, const char *name);
/* All of an inode's in one text, as xattr.c keeps them; it lasts until the next change. */
struct bytes vfs_xattrs(struct vfs *v, vfs_ino ino);
/* An inode of another vfs has such a text: this one gets the same. */
int vfs_xattrs_copy(struct vfs *v, vfs_ino ino, struct bytes all);

/* Metadata, with Linux's permission rules (owner or root; setgid cleared, ...). */
int vfs_chmod(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, uint32_t mode);
enum { VFS_KEEP_ID = 0xffffffffu };
int vfs_chown(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, uint32_t uid, uint32_t gid);
/* VFS_UTIME_NOW and VFS_UTIME_OMIT as utimensat(2) has them. */
#define VFS_UTIME_NOW  INT64_MAX
#define VFS_UTIME_OMIT INT64_MIN
int vfs_utimes(struct vfs *v, const struct vfs_cred *c, vfs_ino ino, int64_t atime_ns,
	       int64_t mtime_ns);

/*
 * Directory listing, in byte order of names, without "." and "..". `after` is the last name
 * seen, NULL at the start: entries may come and go between calls. Fills up to n entries;
 * returns how many. Names live in the arena.
 */
int vfs_readdir(struct vfs *v, vfs_ino dir, const char *after, struct arena *a,
		struct vfs_dirent *out, size_t n);

/*
 * A source supplies files from outside: a directory of the host, an image, single lazy files.
 * Called on first use, then the result is part of the tree and copied on write. `id` is the
 * source's own number for the object. Errors are negative E_ numbers; VFS_PENDING says that
 * the answer comes later: the operation returns it unchanged and is tried again. A source is
 * called on the thread of the vfs that asks, and may not call back into that vfs.
 */
enum { VFS_PENDING = -2000 };

struct vfs_source_entry {
	const char *name;
	uint64_t id;
	uint32_t mode;
	uint32_t uid;
	uint32_t gid;
	uint64_t size;
	int64_t mtime_ns;
	const char *target;  /* of a symlink */
	uint64_t hole_bytes; /* of a regular file, if the source has seek */
	uint64_t rdev;
	/* Only from a numbered source, whose rdev of a regular file is how many pages are no holes:
	 */
	vfs_ino ino; /* names with the same number are links to one object */
	uint32_t nlink;
	uint64_t charged; /* bytes that the vfs which saved it had counted for it, */
	bool owned;       /* if it had made it */
	int64_t atime_ns;
	int64_t ctime_ns;
	int64_t btime_ns;
	struct bytes xattrs; /* as vfs/xattr.c keeps them, and sound */
};

struct vfs_source {
	/* Calls emit for each entry of directory id; stops when emit returns non-zero. */
	int (*list)(void *user, uint64_t id,
		    int (*emit)(void *sink, const struct vfs_source_entry *), void *sink);
	/* Reads up to n bytes at pos; fewer only at the end. */
	int64_t (*read)(void *user, uint64_t id, uint64_t pos, void *out, size_t n);
	/* Optional: memory with the whole content, valid as long as the store; else NULL. */
	const char *(*map)(void *user, uint64_t id, uint64_t *size);
	/* Optional, instead of map: how many bytes lie contiguous at pos, at most max, and where,
	 * as long as the store; 0 if they must be read. A hole may be shown as zeros. */
	int64_t (*view)(void *user, uint64_t id, uint64_t pos, size_t max, const char **out);
	/* Optional: as vfs_seek_data. NULL: a file has no holes. */
	int64_t (*seek)(void *user, uint64_t id, uint64_t pos, int whence);
	/* Optional: reads from pos on, of up to n bytes, will follow. */
	void (*ahead)(void *user, uint64_t id, uint64_t pos, uint64_t n);
	void *user;
	bool read_only; /* changes below it fail with E_ROFS */
	/* Entries have inode numbers of their own, below this: a mount sets so many aside. 0: they
	 * get the next free ones, and an object with two names becomes two. */
	vfs_ino numbers;
};

/*
 * Grafts the source's directory `id` at `path`, which is made if missing and must be an empty
 * directory otherwise. The struct source must outlive the store. Entries keep the owner given
 * by `owner`, or their own if that is NULL.
 */
int vfs_mount_source(struct vfs *v, const char *path, const struct vfs_source *source, uint64_t id,
		     const struct vfs_cred *owner);
/* The same where the tree has a directory with entries: they stay, and what the source has
 * besides is added, also in the directories that both have. */
int vfs_merge_source(struct vfs *v, const char *path, const struct vfs_source *source, uint64_t id,
		     const struct vfs_cred *owner);
/* One lazy file. size may be UINT64_MAX when it is not known before the first read. */
int vfs_put_lazy(struct vfs *v, vfs_ino dir, const char *path, const struct vfs_source *source,
		 uint64_t id, uint64_t size, uint32_t mode, const struct vfs_cred *owner);
/* Of a lazy file with holes: how many pages it really has. */
void vfs_set_data_pages(struct vfs *v, vfs_ino ino, uint64_t pages);

/*
 * A provider answers for a dynamic directory (/proc) each time; nothing of it is stored.
 * Objects are named by the provider's own ids, below 2^56. Inode numbers shown are made from
 * them, with the highest bit set. Mounting again at the same path replaces the provider: a
 * session made from a tree must do that, as the tree knows the place but not the provider.
 * The provider sees `asker`, which vfs_set_asker stored: the process that is asking.
 */
struct vfs_provider {
	/* ".." is asked for below the root. */
	int (*lookup)(void *user, void *asker, uint64_t dir, struct bytes name, uint64_t *id);
	int (*getattr)(void *user, void *asker, uint64_t id, struct vfs_stat *out);
	/*
	 * The entry after `after` (NULL: the first), or -E_NOENT at the end. out->ino is set to
	 * its id.
	 */
	int (*next)(void *user, void *asker, uint64_t dir, const char *after, struct arena *a,
		    struct vfs_dirent *out);
	/* The whole content, made at open; into the arena. */
	int (*content)(void *user, void *asker, uint64_t id, struct arena *a, struct bytes *out);
	/*
	 * A symlink's text, into the arena. *jump is set to an inode number when following it
	 * leads there whatever the text says (/proc/self/fd/3, cwd), else 0.
	 */
	int (*readlink)(void *user, void *asker, uint64_t id, struct arena *a, struct bytes *out,
			vfs_ino *jump);
	void *user;
};
int vfs_mount_provider(struct vfs *v, const char *path, const struct vfs_provider *p,
		       uint64_t root);
void vfs_set_asker(struct vfs *v, void *asker);
/* For the kernel's open: whether ino is a provider's object, and which. */
bool vfs_is_dynamic(struct vfs *v, vfs_ino ino, const struct vfs_provider **p, uint64_t *id);

#endif
