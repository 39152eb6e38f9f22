/* SPDX-License-Identifier: MIT
 *
 * What the files of tar share.
 *
 *   tar.c      what is done in which order               names.c    operands, -T, -C, matching
 *   options.c  the table
 *   archive.c  blocks in and out, filters (gzip ...)      xform.c    names as stored, --transform
 *   header.c   one member's header, written               member.c   the same, read
 *   pax.c      extended headers                           sparse.c   maps of sparse files
 *   pax_option.c  --pax-option
 *   create.c   files into the archive                     extract.c  members into files
 *   list.c     the lines of -v and -t                     compare.c  -d
 *   update.c   -r -u -A --delete                      map.c      --owner-map, --group-map
 *   incremental.c  -c with -g and -G                  snapshot.c the file of -g
 *   volumes.c  -M
 *   purge.c    -x and -t with -g and -G            xattr.c    --xattrs
 */
#ifndef BUILTINS_TAR_TAR_H
#define BUILTINS_TAR_TAR_H

#include "base/time.h"
#include "builtins/builtin.h"
#include "builtins/copy.h"

enum {
	TAR_BLOCK = 512,
	TAR_FACTOR = 20,
	TAR_FACTOR_MAX = 1 << 16,
	TAR_NAME_MAX = 1 << 20,     /* bytes of a name that a header may announce */
	TAR_EXTENDED_MAX = 1 << 24, /* of an extended header */
	TAR_SPARSE_MAX = 1 << 20,   /* entries of a map */
};

enum tar_mode {
	TAR_NONE,
	TAR_CREATE,
	TAR_EXTRACT,
	TAR_LIST,
	TAR_APPEND,
	TAR_UPDATE,
	TAR_CONCAT,
	TAR_DELETE,
	TAR_DIFF,
	TAR_LABEL,
};

enum tar_format { TAR_GNU, TAR_OLDGNU, TAR_USTAR, TAR_V7, TAR_PAX };

/* A usage error of tar's own: the message, the hint, status 2. */
#define TAR_USAGE(...) (cmd_usage(__VA_ARGS__), 2)

enum tar_keep {
	KEEP_DEFAULT, /* files are replaced by new ones */
	KEEP_OVERWRITE,
	KEEP_OLD,
	KEEP_SKIP,
	KEEP_NEWER,
	KEEP_UNLINK,
	KEEP_DIRS, /* as by default, but directories stay as they are */
};

enum tar_match {
	MATCH_WILDCARDS = 1,
	MATCH_NO_WILDCARDS = 2,
	MATCH_ANCHORED = 4,
	MATCH_NO_ANCHORED = 8,
	MATCH_ICASE = 16,
	MATCH_NO_SLASH = 32, /* wildcards do not match '/' */
	MATCH_NO_RECURSION = 64,
};

/* Options and operands that count from where they stand. */
enum tar_item_kind { ITEM_NAME, ITEM_CHDIR, ITEM_FILES, ITEM_EXCLUDE, ITEM_EXCLUDES, ITEM_MATCH };

/* Where the fields of a header are, and how long some of them. */
enum {
	AT_NAME = 0,
	AT_MODE = 100,
	AT_UID = 108,
	AT_GID = 116,
	AT_SIZE = 124,
	AT_MTIME = 136,
	AT_CHECKSUM = 148,
	AT_TYPE = 156,
	AT_LINK = 157,
	AT_MAGIC = 257,
	AT_UNAME = 265,
	AT_GNAME = 297,
	AT_MAJOR = 329,
	AT_MINOR = 337,
	AT_PREFIX = 345,
	AT_GNU_ATIME = 345, /* in GNU's incremental archives */
	AT_GNU_CTIME = 357,
	AT_GNU_OFFSET = 369, /* of type M */
	NAME_BYTES = 100,
	PREFIX_BYTES = 155,
	OWNER_BYTES = 32,
};

struct tar_item {
	enum tar_item_kind kind;
	const char *arg;
	const char *option; /* as messages name it */
	unsigned flags;     /* ITEM_MATCH: the flags that are set */
	unsigned mask;      /* and those that are cleared before */
	bool null;          /* ITEM_FILES: names end with NUL */
	bool verbatim;
	int at; /* operands before it */
};

struct tar_pattern {
	struct tar_pattern *next;
	struct bytes text;
	struct glob *glob; /* NULL: a plain text */
	struct regex *re;  /* or this: found anywhere */
	unsigned flags;
	bool found;
	uint64_t hits; /* members that matched */
	int dir;       /* index of the directory that was current */
};

/* A file with patterns of what its directory leaves out, and how its lines are read. */
enum tar_ignore_kind { IGNORE_PLAIN, IGNORE_CVS, IGNORE_GIT, IGNORE_BZR, IGNORE_HG };

struct tar_ignore_file {
	const char *name;
	enum tar_ignore_kind kind;
};

struct tar_sparse {
	uint64_t offset;
	uint64_t size;
};

/* One member, from its headers. */
/* An extended attribute; in the arena of its member. */
struct tar_xattr {
	const char *name;
	struct bytes value;
	struct tar_xattr *next;
};

/* --xattrs-include, --xattrs-exclude. */
struct tar_mask {
	struct glob *glob;
	struct tar_mask *next;
};

struct tar_member {
	char type;
	enum tar_format format;
	const char *stored; /* as in the archive */
	const char *name;   /* as it is used: transformed, without trailing slashes */
	const char *link;
	bool slash; /* the stored name ends in one */
	uint32_t mode;
	uint64_t uid;
	uint64_t gid;
	const char *uname;
	const char *gname;
	int64_t mtime_s;
	uint32_t mtime_ns;
	uint64_t size; /* bytes of data in the archive */
	uint64_t real; /* bytes of the file */
	uint32_t major;
	uint32_t minor;
	bool is_sparse;
	struct tar_sparse *map;
	size_t nmap;
	uint64_t block;    /* number of its first header block */
	uint64_t start;    /* of its first header of any kind */
	uint64_t offset;   /* of type M: the bytes on earlier volumes */
	struct bytes list; /* of an incremental archive's directory: what is in it */
	struct tar_xattr *xattrs;
};

/* Values out of extended headers. */
struct pax_values {
	const char *path;
	const char *linkpath;
	const char *uname;
	const char *gname;
	const char *sparse_name;
	bool has_size, has_uid, has_gid, has_mtime, has_real;
	uint64_t size;
	uint64_t uid;
	uint64_t gid;
	uint64_t real;
	int64_t mtime_s;
	uint32_t mtime_ns;
	int sparse_major; /* -1: none */
	int sparse_minor;
	struct tar_sparse *map;
	size_t nmap;
	size_t cap;
	bool has_map;
	struct bytes list; /* GNU.dumpdir */
	const char *label; /* GNU.volume.label */
	struct tar_xattr *xattrs;
	struct tar_xattr *xattrs_end;
};

struct tar_archive {
	int fd;
	int pid; /* of a filter, or 0 */
	bool fifo;
	bool seekable;
	struct vfs_stat own; /* of the archive's file; ino 0: it has none */
	/* reading */
	char *buf;
	size_t cap;
	size_t from;
	size_t to;
	bool at_end;
	uint64_t base; /* offset in the archive of buf[0] */
	/* writing */
	struct output out;
	uint64_t written;
	uint64_t total;
	uint64_t next_checkpoint;
	bool open_write;
	bool bad_end; /* a write failed: said so already */
};

/* -M */
struct tar_volumes {
	bool wanted;
	uint64_t bytes;    /* -L: of a volume; 0: no limit */
	const char **file; /* -f, in order */
	size_t n;
	size_t cap;
	size_t at;
	bool used_up;            /* all were volumes: the next ones are asked for */
	char *home;              /* the directory where tar was started */
	const char *script;      /* -F */
	const char *number_file; /* --volno-file */
	uint64_t number;
	uint64_t start; /* what was written before this volume */
	/* the member whose data is written or read */
	const char *name;
	uint64_t total; /* of the file */
	uint64_t size;  /* in the archive */
	uint64_t left;
	bool at_header; /* of a file with data */
	bool inside;    /* the beginning of a volume is read */
};

struct tar_xform;
struct tar_links;
struct tar_inc;

struct tar {
	struct cmd *c;
	enum tar_mode mode;
	int verbose;
	const char *file;
	enum tar_format format;
	bool has_format;
	bool old_archive;     /* -o */
	bool with_attributes; /* one of these was given */
	int xattrs;           /* 1: --xattrs, -1: --no-xattrs */
	int acls;             /* no file here has any, nor labels */
	int selinux;
	struct tar_mask *xattr_include;
	struct tar_mask *xattr_exclude;
	const char *filter; /* program and options, or NULL */
	int auto_filter;    /* -a */
	uint64_t factor;
	/* names */
	struct tar_item *items;
	size_t nitems;
	size_t items_cap;
	bool null_names;
	bool verbatim;
	bool no_unquote;
	struct tar_pattern *excludes;
	struct tar_pattern *names;
	struct tar_ignore_file *ignore_files; /* --exclude-ignore */
	size_t nignore_files;
	struct arena regexes; /* of theirs: they grow while they are used */
	struct tar_pattern **names_end;
	const char **dirs;
	size_t ndirs;
	int here; /* index of the current directory */
	unsigned match;
	bool absolute;
	struct tar_xform *xforms;
	struct tar_xform **xforms_end;
	unsigned xform_kinds;       /* of the next ones */
	struct bytes seen_prefixes; /* "/\0../\0" of members, then of links */
	struct bytes seen_links;
	uint64_t strip;
	bool show_transformed;
	uint64_t occurrence;
	/* attributes */
	const char *owner;
	const char *group;
	bool has_uid, has_gid;
	uint64_t uid;
	uint64_t gid;
	const char *owner_map;
	const char *group_map;
	struct tar_map *owners;
	struct tar_map **owners_end;
	struct tar_map *groups;
	struct tar_map **groups_end;
	struct mode_change *mode_change;
	const char *mtime; /* as given */
	const char *newer;
	bool has_mtime;
	bool clamp;
	int64_t mtime_ns;
	int64_t newer_ns;
	bool has_newer;
	bool newer_mtime;
	bool numeric;
	int same_owner; /* -1: not said */
	int same_mode;
	bool touch;
	/* creating */
	bool follow;
	bool hard_dereference;
	bool one_device;
	bool remove_files;
	bool sparse;
	bool no_failed_read;
	bool by_inode;
	const char *label;
	bool label_seen; /* the archive was asked for it */
	bool same_order;
	bool starting; /* -K */
	const char *keep_option;
	bool check_links;
	int caches; /* --exclude-caches: 1 contents, 2 under, 3 all */
	struct tar_tag *tags;
	struct tar_links *links;
	const char *exthdr_name;
	const char *exthdr_mtime;
	const char *globexthdr_name;
	const char *globexthdr_mtime;
	struct tar_keyword *pax_global;  /* --pax-option=KEY=VALUE, the last first */
	struct tar_keyword *pax_forced;  /* KEY:=VALUE */
	struct tar_keyword *pax_deleted; /* delete=PATTERN */
	bool pax_wanted;                 /* a record was left out for one of pax_forced */
	bool pax_begun;                  /* pax_global is in `global` */
	bool has_pax_option;
	bool many; /* more than one name: files may come twice */
	bool verify;
	bool incremental;     /* -G, -g */
	const char *snapshot; /* -g */
	bool has_level;
	bool level_zero;
	int no_device_check;
	struct tar_inc *inc;
	/* extracting */
	int keep;
	struct backup_opts backup;
	bool no_overwrite_dir;
	bool keep_dir_symlink;
	struct tar_list *lists; /* -T: those that were read */
	bool has_environment;   /* TAR_OPTIONS was read */
	bool recursive_unlink;
	bool to_stdout;
	const char *to_command;
	bool ignore_command;
	const char *top_level;
	bool has_top_level;
	bool ignore_zeros;
	bool interactive;
	/* telling */
	bool full_time;
	bool utc;
	bool totals;
	bool block_numbers;
	uint64_t checkpoint;
	bool checkpoint_dots;
	int quoting;
	const char *index_file;
	unsigned unwanted; /* --warning: enum tar_note that are not told */
	unsigned wanted;   /* that are told without -v */
	struct output out; /* what -v and -t write to */
	struct output *listing;
	size_t width; /* of owners and sizes in listings */
	struct zone *zone;
	struct input answers; /* of -w */
	bool has_answers;
	int status;
	struct tar_archive a;
	struct tar_volumes volumes;
	struct pax_values global;
	struct tar_restore *restore; /* attributes to set when all is extracted */
	struct tar_delayed *delayed; /* links to make then */
	int64_t start_ns;
	int read_state;          /* of the last header */
	bool keeps_memory;       /* the member's memory is still needed */
	struct tar_known *known; /* -u: what the archive holds */
};

/* A word of --pax-option. */
struct tar_keyword {
	struct tar_keyword *next;
	const char *key;
	const char *value;
	struct glob *glob; /* delete=PATTERN */
};

/* A file whose presence keeps a directory out. */
struct tar_tag {
	struct tar_tag *next;
	const char *name;
	int what; /* as tar.caches */
};

/* Releases what one member took, unless something still points there. */
void tar_release(struct tar *t, struct arena_mark mark);

/* --- messages: names are quoted as the options say --- */
void tar_error(struct tar *t, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* What --warning can turn on and off. */
enum tar_note {
	NOTE_ZERO_BLOCK = 1 << 0,
	NOTE_CACHEDIR = 1 << 1,
	NOTE_IGNORED = 1 << 2,
	NOTE_REMOVED = 1 << 3,
	NOTE_UNCHANGED = 1 << 4,
	NOTE_NULS = 1 << 5,
	NOTE_ARCHIVE = 1 << 6,
	NOTE_NEWER = 1 << 7,
	NOTE_NEW_DIRECTORY = 1 << 8,
	NOTE_RENAMED_DIRECTORY = 1 << 9,
	NOTE_TIME = 1 << 10,
	NOTE_KEYWORD = 1 << 11,
	NOTE_EXISTING = 1 << 12,
	NOTE_XATTR = 1 << 13,
};

/* tar_warn, unless --warning has turned that off. */
void tar_note(struct tar *t, enum tar_note kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Whether what is told with -v only is told. */
bool tar_tells(const struct tar *t, enum tar_note kind);
void tar_warn(struct tar *t, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void tar_fatal(struct tar *t, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A name for a message; in the arena. */
const char *tar_quote(struct tar *t, const char *name);
void tar_put_name(struct tar *t, struct buf *out, const char *name);

/* --- archive.c --- */
void archive_open_read(struct tar *t);
void archive_open_write(struct tar *t);
/* Opens for reading and then writing in place (-r, -u, -A, --delete). */
void archive_open_update(struct tar *t);
/* The next block, valid until the next call; NULL at the end. */
const char *archive_block(struct tar *t);
/* The next data bytes, at most max; 0 bytes at the end. */
struct bytes archive_data(struct tar *t, uint64_t max);
/* Skips n bytes and the padding behind them: fatal when they are not there. */
void archive_skip(struct tar *t, uint64_t n);
/* Skips what fills the last block of n data bytes that were read. */
void archive_skip_padding(struct tar *t, uint64_t n);
/* Where the next block begins. */
uint64_t archive_tell(const struct tar *t);

/* --- -M --- */
/* Reads --volno-file. */
void volumes_begin(struct tar *t);
/* Writes it. */
void volumes_end(struct tar *t);
/* Bytes that may still be written to this volume. */
uint64_t volumes_room(const struct tar *t);
void volumes_next_write(struct tar *t);
/* Opens the next volume, and checks that it goes on with the member that is read. */
void volumes_next_read(struct tar *t);
/* The header of a member comes next, or was read; m lives until its data has passed. */
void volumes_header(struct tar *t, const struct tar_member *m);
/* Its data comes next. */
void volumes_data(struct tar *t);
void volumes_put_label(struct tar *t);

/* The option that chose what is done, for messages. */
const char *tar_mode_option(const struct tar *t);
void header_put_checksum(char *header);
enum header_state { HEADER_GOOD, HEADER_ZERO, HEADER_BAD };
enum header_state header_check(const char *header);
void archive_write(struct tar *t, const void *data, size_t n);
/* Zeros to the end of a block. */
void archive_pad(struct tar *t, uint64_t n);
void archive_end(struct tar *t);
void archive_close_read(struct tar *t);
/* Forgets what was read and writes from `offset` on. */
void archive_rewrite(struct tar *t, uint64_t offset);
bool archive_is(struct tar *t, const struct vfs_stat *st);
/* The program for a suffix ("tgz"), or NULL. */
const char *archive_filter_of(const char *name);

/* --- member.c --- */
enum tar_read { TAR_MEMBER, TAR_END };
/* The next member; says what is wrong on the way. Its memory is the caller's to release. */
enum tar_read tar_next(struct tar *t, struct tar_member *m);
void tar_skip_data(struct tar *t, const struct tar_member *m);
/* The archive's label, or NULL. first: its first member, or NULL. */
const char *tar_label_of(const struct tar *t, const struct tar_member *first);
/* An archive that is read or changed with -V has that label, which may be a pattern: else tar
 * ends. first: its first member, or NULL. Does nothing but the first time. */
void tar_check_label(struct tar *t, const struct tar_member *first);
/* Calls fn for each member that operands and excludes select; the data are skipped by fn. */
void tar_each(struct tar *t, void (*fn)(struct tar *t, struct tar_member *m));
bool tar_number(const char *field, size_t n, int64_t *out);
int64_t tar_field(struct tar *t, const char *field, size_t n, const char *what);

/* --- pax.c --- */
void pax_read(struct tar *t, struct bytes text, struct pax_values *v);
/* Writes an extended header with those records ahead of m. */
void pax_write(struct tar *t, const struct tar_member *m, struct buf *records);
/* The header for all members, if options ask for one. */
void pax_write_global(struct tar *t);
void pax_record(struct buf *out, const char *key, struct bytes value);
/* pax_record, unless options delete the key or give it a value. */
void pax_put(struct tar *t, struct buf *records, const char *key, struct bytes value);
void pax_apply(struct tar *t, const struct tar_keyword *list, struct pax_values *v);

/* --- pax_option.c --- */
int tar_pax_option(struct cmd *c, const struct opt *o, const char *arg);

/* --- sparse.c --- */
void sparse_read_old(struct tar *t, const char *header, struct tar_member *m);
void sparse_read_map(struct tar *t, struct tar_member *m);
/* The map of an open file: false if it has no holes. */
bool sparse_scan(struct tar *t, int fd, struct tar_member *m);
/* The rest of an old sparse header's map: how many entries the header holds. */
void sparse_write_old(struct tar *t, char *header, const struct tar_member *m);
void sparse_write_more(struct tar *t, const struct tar_member *m);
struct bytes sparse_map_text(struct tar *t, const struct tar_member *m);

/* --- xattr.c --- */
/* What --xattrs takes of a file that is stored. */
void xattr_take(struct tar *t, struct walk_entry *e, struct tar_member *m);
void xattr_records(struct tar *t, const struct tar_member *m, struct buf *records);
/* Whether the record is one, which v keeps then. */
bool xattr_read(struct tar *t, struct pax_values *v, const char *key, struct bytes value);
bool xattr_any(struct tar *t, const struct tar_member *m);
/* Their lines behind a member's. */
void xattr_list(struct tar *t, const struct tar_member *m, struct buf *out);
/* Gives them to a file. */
void xattr_restore(struct tar *t, const char *path, const struct tar_member *m);
/* --xattrs-include (value 1), --xattrs-exclude. */
int tar_xattr_mask(struct cmd *c, const struct opt *o, const char *arg);

/* --- header.c --- */
/* Octal digits and a NUL, or, where GNU's formats allow it, base 256. False: it does not fit. */
bool tar_put_number(struct tar *t, char *at, size_t n, int64_t v);
/* Writes the headers of m. False (after a message) if the format can't hold it. */
bool header_write(struct tar *t, struct tar_member *m, int64_t atime_ns, int64_t ctime_ns);

/* A date as options take it: false, it is none. */
bool tar_read_date(struct cmd *c, const char *arg, int64_t *out);

/* --- names.c --- */
void tar_item_add(struct tar *t, struct tar_item item);
/* For reading modes: patterns of operands, excludes, directories. */
void names_gather(struct tar *t);
/* For writing modes: calls fn for each name in order. */
void names_each(struct tar *t, void (*fn)(struct tar *t, const char *name));
bool names_match(struct tar *t, const char *name);
/* Whether every operand was found (--occurrence), so that reading may stop. */
bool names_done(const struct tar *t);
void names_report(struct tar *t);
bool names_excluded(struct tar *t, const char *name);
void names_exclude(struct tar *t, const char *pattern, unsigned flags);
/* --exclude-ignore: the patterns that a directory has for what is in it; up: those of the one that
 * holds it. */
struct tar_ignored;
struct tar_ignored *names_ignored_in(struct tar *t, int dir, const char *at,
				     struct tar_ignored *up);
bool names_is_ignored(struct tar *t, const struct tar_ignored *list, const char *name);
char *names_unquote(struct tar *t, const char *text);
/* Changes to directory number i of tar.dirs; -1: where tar began. */
void names_chdir(struct tar *t, int i);

/* --- options.c --- */
extern const struct opt tar_options[];
int tar_old_options(struct cmd *c, int argc, char **argv, int i);
void tar_set_defaults(struct cmd *c);

/* --- map.c --- */
/* Reads the file (NULL: there is none); ends tar if it is wrong. */
void tar_read_map(struct tar *t, const char *path, bool group);
/* Who is stored for an owner or a group; false: itself. */
bool tar_map_owner(struct tar *t, uint32_t uid, uint64_t *out, const char **name);
bool tar_map_group(struct tar *t, uint32_t gid, uint64_t *out, const char **name);

/* --- xform.c --- */
enum xform_kind { XFORM_FILE = 1, XFORM_SYMLINK = 2, XFORM_LINK = 4 };
int tar_xform_option(struct cmd *c, const struct opt *o, const char *arg);
char *xform_name(struct tar *t, const char *name, enum xform_kind kind);
/* Without what would lead out of the directory: says so once for each prefix. */
const char *xform_safe(struct tar *t, const char *name, bool link);
/* All that is done to the names of a member that is read. */
void xform_member(struct tar *t, struct tar_member *m);

/* --- list.c --- */
void tar_list_line(struct tar *t, const struct tar_member *m, bool details);
void tar_list_member(struct tar *t, struct tar_member *m);
void tar_time_text(struct tar *t, struct buf *out, int64_t seconds, uint32_t ns, bool full);

/* --- the modes --- */
/* -l: links to files that were not stored. */
void tar_report_links(struct tar *t);
/* --backup: moves what stands at path aside. False (after a message): it can't be. */
bool tar_backup(struct tar *t, const char *path);
void tar_create(struct tar *t);
void tar_dump(struct tar *t, const char *name);
/* One file that is no directory; a directory with the list of what is in it. */
void tar_dump_file(struct tar *t, const char *path);
void tar_dump_listed(struct tar *t, const char *path, struct bytes list);
/* --- incremental.c --- */
void tar_dump_changed(struct tar *t);
/* --- purge.c --- */
/* Reads the list of a directory into m, its data are gone then. False: it has none. */
bool tar_read_list(struct tar *t, struct tar_member *m);
void tar_show_list(struct tar *t, const struct tar_member *m);
/* Renames what the list says, and deletes what is in dir but not in the list. */
void tar_purge(struct tar *t, const char *dir, struct bytes list);
/* Removes a file, or a directory with all that is in it. 0, or why it is still there. */
int tar_remove_tree(struct tar *t, const char *path);
/* Whom the member belongs to here: by its names, where they are known. */
void tar_owner_of(struct tar *t, const struct tar_member *m, uint32_t *uid, uint32_t *gid);
void tar_extract_member(struct tar *t, struct tar_member *m);
void tar_extract_begin(struct tar *t);
void tar_extract_end(struct tar *t);
void tar_diff_member(struct tar *t, struct tar_member *m);
void tar_append(struct tar *t);
/* -u: whether the archive has the file, and not an older one. */
bool tar_is_known(struct tar *t, const char *path, const struct vfs_stat *st);
void tar_concat(struct tar *t);
void tar_delete(struct tar *t);
void tar_label(struct tar *t);
bool tar_confirm(struct tar *t, const char *action, const char *name);
/* Whether the name of path contains a component "..". */
bool tar_has_dotdot(const char *path);

/* What an option such as "recursion" sets and clears; false: there is none of that name. */
bool tar_match_option(const char *name, unsigned *set, unsigned *clear);

#endif
