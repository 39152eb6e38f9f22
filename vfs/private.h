/* SPDX-License-Identifier: MIT
 *
 * What the files of vfs/ share: the counted parts of the tree, and the struct vfs.
 *
 * Every part of a tree begins with its count of references. Rule for changes: first make the
 * whole path from the root to the part one's own (radix_own, names_own, inode_edit: copies
 * whatever is shared), which may fail and changes nothing that can be seen; then change. An
 * operation does everything that can fail before the first thing that shows.
 */
#ifndef VFS_PRIVATE_H
#define VFS_PRIVATE_H

#include <stdatomic.h>

#include "vfs/vfs.h"

typedef _Atomic uint32_t refcount;

static inline void ref_get(refcount *r)
{
	atomic_fetch_add_explicit(r, 1, memory_order_relaxed);
}

static inline bool ref_alone(refcount *r)
{
	return atomic_load_explicit(r, memory_order_acquire) == 1;
}

/* Gives a reference back; true when it was the last one. */
static inline bool ref_put(refcount *r)
{
	return ref_alone(r) || atomic_fetch_sub_explicit(r, 1, memory_order_acq_rel) == 1;
}

/* --- radix.c: number -> counted item --- */

enum { RADIX_BITS = 5, RADIX_FAN = 1 << RADIX_BITS, RADIX_MASK = RADIX_FAN - 1 };

struct radix_node {
	refcount refs;
	uint32_t used; /* slots that are not NULL */
	void *slot[RADIX_FAN];
};

/* Covers RADIX_FAN to the power of height numbers; height 0 is the empty map. */
struct radix {
	struct radix_node *root;
	uint32_t height;
};

typedef void radix_drop(struct store *s, void *item);

void *radix_get(const struct radix *r, uint64_t key);
/* The node whose slots are for key and its neighbours, or NULL. */
struct radix_node *radix_leaf(const struct radix *r, uint64_t key);
/* Makes every node that exists on the way to key one's own. 0 or -E_NOMEM. */
int radix_own(struct store *s, struct radix *r, uint64_t key);
/* As radix_own, and makes missing nodes: *out is the slot. */
int radix_slot(struct store *s, struct radix *r, uint64_t key, void ***out);
/* Puts an item where there is none; its reference passes to the map. */
int radix_put(struct store *s, struct radix *r, uint64_t key, void *item);
/* Removes the item of a key whose path is owned; its reference passes to the caller. */
void *radix_take(struct store *s, struct radix *r, uint64_t key);
/* Drops all items from key on. The path to key must be owned. */
void radix_cut(struct store *s, struct radix *r, uint64_t key, radix_drop *drop);
void radix_put_root(struct store *s, struct radix *r, radix_drop *drop);
/* The first key at or behind `key` that has an item, or UINT64_MAX. */
uint64_t radix_next(const struct radix *r, uint64_t key);

/* --- names.c: the sorted names of a directory --- */

enum { NAMES_DEPTH_MAX = 24 };

struct names; /* a node of the name tree */

struct name_entry {
	struct bytes name; /* points into the node, no NUL behind */
	uint64_t value;    /* inode number */
	uint32_t type;     /* mode >> 12 */
};

/* A walk in order; valid until the tree is changed. */
struct names_cursor {
	unsigned depth;
	struct {
		struct names *node;
		unsigned index;
	} at[NAMES_DEPTH_MAX];
};

bool names_get(struct names *root, struct bytes name, struct name_entry *out);
/* Adds a name that is not there. 0, -E_NOMEM or -E_NOSPC; the set of names is unchanged then. */
int names_insert(struct store *s, struct names **root, const struct name_entry *entry);
/* Makes the path to a name that is there one's own: then names_set and names_remove cannot fail. */
int names_own(struct store *s, struct names **root, struct bytes name);
void names_set(struct names *root, const struct name_entry *entry);
void names_remove(struct store *s, struct names **root, struct bytes name);
void names_put(struct store *s, struct names *root);
/* Starts behind `after`, or at the first name if after.ptr is NULL. */
void names_seek(struct names_cursor *c, struct names *root, struct bytes after);
bool names_next(struct names_cursor *c, struct name_entry *out);

/* --- inode.c --- */

enum { INLINE_MAX = 2032, DEV_NUMBER = 0x801, NAME_COST = 16 };

/* Bytes in the node: a small file, or the target of a symlink (with a NUL behind). */
struct blob {
	refcount refs;
	uint32_t cap;
	char bytes[];
};

/* Extended attributes, as xattr.c says. */
struct xattrs {
	refcount refs;
	uint32_t len;
	uint32_t owner; /* generation of the vfs that counts them; 0: none */
	char bytes[];
};

struct page {
	refcount refs;
	uint32_t owner; /* generation of the vfs that added it */
	char *data;
};

/* Where an object came from; shared by all its copies. */
struct origin {
	refcount refs;
	uint32_t masked; /* owner below is used instead of the source's */
	const struct vfs_source *source;
	uint64_t id;
	uint32_t uid;
	uint32_t gid;
	uint32_t links;      /* how many names a numbered source said it has */
	uint32_t owner;      /* generation that made what the source says is owned */
	vfs_ino first;       /* what a numbered source's numbers are added to */
	uint64_t data_pages; /* of a file that are no holes; UINT64_MAX: not known */
};

enum inode_flags {
	INODE_UNLOADED = 1,     /* a directory whose entries were not yet asked for */
	INODE_SIZE_UNKNOWN = 2, /* a lazy file never read */
	INODE_PRISTINE = 4,     /* content is still what the origin has */
	INODE_MOUNT = 8,        /* may not be renamed or removed */
	INODE_DYNAMIC = 16,     /* stands for a provider's root */
	INODE_INLINE = 32,      /* content is in blob */
	INODE_LINKED = 64,      /* has, or had, more than one name */
	INODE_SEALABLE = 128,
	INODE_SEALS = 8, /* its seals are the bits from here on */
};

struct inode {
	refcount refs;
	uint32_t owner; /* generation of the vfs that made it */
	uint32_t mode;
	uint32_t nlink;
	uint32_t uid;
	uint32_t gid;
	uint32_t flags;
	uint32_t charged_by; /* generation that `charged` belongs to */
	int64_t atime_ns;
	int64_t mtime_ns;
	int64_t ctime_ns;
	int64_t btime_ns;
	uint64_t size;    /* of data; of a directory: its entries */
	uint64_t charged; /* bytes counted in that vfs's usage */
	vfs_ino parent;   /* directory of its name; not sure if INODE_LINKED */
	union {
		uint64_t rdev;     /* devices */
		uint64_t lazy_end; /* files: holes below this are the origin's bytes */
	};
	union {
		struct radix pages; /* NULL: a hole, or the origin's bytes */
		struct blob *blob;
		struct names *names;
	};
	struct origin *origin;
	struct xattrs *xattrs; /* NULL: none */
	union {
		uint32_t inlined;  /* bytes in blob; what follows up to size is a hole */
		uint32_t provider; /* index, if INODE_DYNAMIC */
	};
	uint32_t names_loaded; /* of an object of a numbered source */
	uint64_t npages;       /* in pages */
};

struct hold {
	vfs_ino ino; /* 0: free slot */
	uint32_t count;
	uint32_t orphan; /* its last name is gone */
};

enum { PROVIDERS_MAX = 16 };

struct vfs_mount {
	const struct vfs_provider *provider;
	uint64_t root;
	vfs_ino at; /* the directory covered */
};

struct vfs {
	struct store *store;
	struct radix inodes;
	vfs_ino next_ino;
	uint32_t generation; /* one more than that of the tree it started from */
	uint32_t orphans;    /* holds with orphan set */
	struct vfs_usage usage;
	struct vfs_limits limits;
	int64_t (*now)(void *user);
	void *now_user;
	void *asker;
	struct hold *holds; /* open addressing, a power of two */
	uint32_t holds_cap;
	uint32_t holds_used;
	struct vfs_mount mount[PROVIDERS_MAX];
	uint64_t looked; /* vfs_looked */
};

/* So many names or directories that are looked at are worth a step. */
enum { NAMES_A_STEP = 16 };

struct vfs_tree {
	refcount refs;
	uint32_t generation;
	struct store *store;
	struct radix inodes;
	vfs_ino next_ino;
	struct vfs_usage usage;
	uint32_t norphans;
	vfs_ino orphan[];
};

/* A provider's object; it is not in the tree. */
#define DYNAMIC_BIT ((vfs_ino)1 << 63)

/* Numbers are below: those of an image say how many it may need. */
#define INO_END       ((vfs_ino)1 << 56)
#define IMAGE_INO_END ((vfs_ino)1 << 48)

static inline bool ino_is_dynamic(vfs_ino ino)
{
	return (ino & DYNAMIC_BIT) != 0;
}

struct inode *inode_get(const struct vfs *v, vfs_ino ino);
/* The inode for changing, with its path owned. NULL: no memory. ino must exist. */
struct inode *inode_edit(struct vfs *v, vfs_ino ino);
/* A new inode with nlink 1 in the map. 0, -E_NOMEM or -E_NOSPC. */
int inode_new(struct vfs *v, uint32_t mode, vfs_ino *ino, struct inode **out);
/* Takes a new or edited inode out of the map and frees it. */
void inode_remove(struct vfs *v, vfs_ino ino);
/* A name of an edited inode is gone; frees it unless it is held. */
void inode_unlinked(struct vfs *v, vfs_ino ino, struct inode *n);
void inode_put(struct store *s, struct inode *n);
void inode_drop(struct store *s, void *inode);
void inode_fill_stat(vfs_ino ino, const struct inode *n, struct vfs_stat *out);
void origin_put(struct store *s, struct origin *o);
/* Counts more bytes for an inode. 0, or -E_NOSPC unless forced. */
int inode_charge(struct vfs *v, struct inode *n, uint64_t bytes, bool force);
/* Gives back; returns how many bytes of these were counted here. */
uint64_t inode_uncharge(struct vfs *v, struct inode *n, uint64_t bytes);

static inline bool inode_is(const struct inode *n, uint32_t type)
{
	return (n->mode & S_FMT) == type;
}

static inline bool inode_read_only(const struct inode *n)
{
	return n->origin != NULL && n->origin->source->read_only;
}

static inline int64_t vfs_now(struct vfs *v)
{
	return v->now != NULL ? v->now(v->now_user) : 0;
}

/* --- hold.c --- */

/* Room for one more entry: then hold_add cannot fail. */
int hold_reserve(struct vfs *v);
struct hold *hold_find(const struct vfs *v, vfs_ino ino);
int hold_add(struct vfs *v, vfs_ino ino, struct hold **out);
void hold_remove(struct vfs *v, struct hold *h);
void hold_free_all(struct vfs *v);

/* --- file.c, pages.c --- */

void page_drop(struct store *s, void *page);
void blob_put(struct store *s, struct blob *b);
struct blob *blob_new(struct store *s, size_t cap);
enum page_flags {
	PAGE_WHOLE = 1, /* all of it will be written: the old bytes are not needed */
	PAGE_FORCE = 2, /* whatever the quota says */
};

/* A page with undefined contents that is in no file yet. NULL: no memory. */
struct page *page_new(struct vfs *v);
/* The page at an index of an edited file, to be written. */
int page_own(struct vfs *v, struct inode *n, uint64_t index, unsigned flags, struct page **out);
/* Fetches the origin's bytes of a page of an edited file (and some behind it) into the tree. */
int page_fetch(struct vfs *v, struct inode *n, uint64_t index);
/* Data or a hole in the part that the source has, from page `index` on: a page, rounded down for
 * data and up for holes; UINT64_MAX if there is none before the end of that part. */
enum { SEEK_DATA_ = 3, SEEK_HOLE_ = 4 };
uint64_t page_seek(const struct inode *n, uint64_t index, int whence);
/* Reads len bytes of the origin; what it lacks is zeroed. Their number, or an error. */
int64_t origin_read(const struct origin *o, uint64_t pos, char *out, size_t len);
/* The origin's bytes in place, as many as a map gives from pos on; 0: there is no map. */
int64_t page_map(const struct inode *n, uint64_t pos, size_t max, const char **out);

/* --- xattr.c --- */

void xattrs_put(struct store *s, struct xattrs *x);
struct bytes xattrs_of(const struct inode *n);
/* Whether bytes from outside are attributes as xattr.c keeps them. */
bool xattrs_are_sound(struct bytes all);
/* Gives a new inode these, which are sound. 0 or -E_NOMEM. */
int xattrs_take(struct store *s, struct inode *n, struct bytes all);
/* Their bytes that v's usage has in it. */
uint64_t xattrs_cost(const struct vfs *v, const struct inode *n);

/* --- perm.c: all 0 or a negative error --- */

enum { MAY_EXEC = 1, MAY_WRITE = 2, MAY_READ = 4 };

int may_stat(const struct vfs_cred *c, uint32_t mode, uint32_t uid, uint32_t gid, unsigned mask);
static inline int may(const struct vfs_cred *c, const struct inode *n, unsigned mask)
{
	return may_stat(c, n->mode, n->uid, n->gid, mask);
}
bool cred_in_group(const struct vfs_cred *c, uint32_t gid);
static inline bool cred_owns(const struct vfs_cred *c, const struct inode *n)
{
	return c->uid == 0 || c->uid == n->uid;
}
/* The mode without the set-id bits that a change by c, or a new owner, takes away. */
uint32_t mode_without_setid(const struct vfs_cred *c, const struct inode *n);

/* --- walk.c --- */

enum walk_kind { WALK_NAME, WALK_DOT, WALK_DOTDOT, WALK_ROOT };

struct walk {
	struct vfs *v;
	const struct vfs_cred *cred;
	vfs_ino at;        /* the directory that holds `last` */
	struct bytes last; /* last name of the path; what follows is '/' or NUL */
	enum walk_kind kind;
	bool slash; /* a '/' follows */
	unsigned hops;
	unsigned depth;
	unsigned names;                           /* that were taken off paths */
	const char *rest[VFS_LINK_HOPS_MAX];      /* paths to go on with after a symlink */
	struct blob *text[VFS_LINK_HOPS_MAX + 1]; /* targets being walked, held */
};

/* Walks to the directory of the last name. walk_end must follow, whatever comes back. */
int walk_start(struct walk *w, struct vfs *v, const struct vfs_cred *c, vfs_ino dir,
	       const char *path);
/* The inode the last name stands for, not followed. */
int walk_last(struct walk *w, vfs_ino *out);
/* Goes on along the symlink `link` found by walk_last. *jump is set, or the walk moved on. */
int walk_follow(struct walk *w, vfs_ino link, vfs_ino *jump);
/* walk_last, and follows symlinks as flags say; checks that a path with '/' is a directory. */
int walk_target(struct walk *w, unsigned flags, vfs_ino *out);
void walk_end(struct walk *w);
/* A name in a directory of the tree, without permission checks; loads lazy directories. */
int dir_find(struct vfs *v, vfs_ino dir, struct bytes name, vfs_ino *out);

/* Whether a directory of the tree was removed, and is only still held. */
static inline bool dir_is_dead(struct vfs *v, vfs_ino dir)
{
	return !ino_is_dynamic(dir) && inode_get(v, dir)->nlink == 0;
}

/* --- dirs.c: changes of directories --- */

/* May c add a name to (remove `victim` from) the edited or read inode of a directory? */
int may_add(const struct vfs_cred *c, const struct inode *dir);
int may_remove(const struct vfs_cred *c, const struct inode *dir, const struct inode *victim,
	       bool as_dir);
/* Adds an entry to an edited directory; counts its name. */
int dir_add(struct vfs *v, struct inode *dir, struct bytes name, vfs_ino ino, uint32_t mode);
/* Removes an entry from an edited directory whose name path is owned. */
void dir_take(struct vfs *v, struct inode *dir, struct bytes name);
int dir_check_empty(struct vfs *v, vfs_ino ino);
void dir_touch(struct vfs *v, struct inode *dir);
/* Makes a new object at the end of a walk: parent edited, entry added, times set. */
int dir_create(struct walk *w, uint32_t mode, vfs_ino *ino, struct inode **out);

/* --- lazy.c --- */

struct origin *origin_new(struct store *s, const struct vfs_source *source, uint64_t id,
			  const struct vfs_cred *owner);
/* Makes the entries of a lazy directory. 0, an error, or VFS_PENDING. */
int lazy_load_dir(struct vfs *v, vfs_ino dir);
/* Learns the size of a file by reading it whole. */
int lazy_load_file(struct vfs *v, vfs_ino ino);
/* Puts an object of a numbered source into the tree without a name; nobody holds it yet. */
int lazy_put_nameless(struct vfs *v, struct origin *origin, const struct vfs_source_entry *e);

/* --- marks.c: which inodes differ between two trees --- */

struct marks {
	struct store *store;
	vfs_ino *slot; /* hash set; 0: free */
	uint64_t cap;
	uint64_t used;
	bool all; /* names of a changed file are not known: look everywhere */
};

/* Marks the inodes that differ, and the directories above them. marks_clear must follow. */
int marks_find(struct marks *m, const struct vfs *old, const struct vfs *new);
bool marks_has(const struct marks *m, vfs_ino ino);
void marks_clear(struct marks *m);

/* --- provider.c --- */

/* The number shown for the inode: a provider's root stands for the directory it covers. */
vfs_ino dynamic_cover(struct vfs *v, vfs_ino ino, const struct inode *n);
/* The other way: the directory of the tree that a provider's root covers. */
vfs_ino dynamic_uncover(struct vfs *v, vfs_ino ino);
int dynamic_find(struct vfs *v, vfs_ino dir, struct bytes name, vfs_ino *out);
int dynamic_parent(struct vfs *v, vfs_ino dir, vfs_ino *out);
int dynamic_stat(struct vfs *v, vfs_ino ino, struct vfs_stat *out);
int dynamic_readlink(struct vfs *v, vfs_ino ino, struct blob **out, size_t *len, vfs_ino *jump);
int dynamic_readdir(struct vfs *v, vfs_ino dir, const char *after, struct arena *a,
		    struct vfs_dirent *out, size_t n);

#endif
