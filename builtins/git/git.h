/* SPDX-License-Identifier: MIT
 *
 * git: version control on git's own on-disk format, for one machine.
 *
 *   git.c       global options, aliases, the table of subcommands      options.c  their options
 *   text.c      messages, quoting        file.c    files, locks        lookup.c   a table by key
 *   config*.c   configuration            repo.c    where the repository is
 *   zip.c       inflate, deflate         object.c  objects, loose      pack*.c    packs
 *   parse.c     commits, trees, tags     refs.c    references          reflog.c   their logs
 *   date*.c     dates read and written   ident.c   people              rev.c      names of objects
 *   index.c     the staging area         tree.c    trees from it       work.c     files from it
 *   ignore.c    what is not tracked      pathspec.c, wildmatch.c       attr.c     attributes
 *   convert.c   line ends and filters
 *   lines.c     which lines change       diff*.c   what is shown of it (diff.h)
 *   walk.c      histories (walk.h)       pretty.c  how commits look    graph.c    log --graph
 *   merge*.c    three ways into one (merge.h)                          status.c   status
 *   remote.c, reach.c, transport.c, bundle.c, pack_write.c, delta.c
 *               between repositories (transport.h)
 *   sparse.c    files that are left out (sparse.h)
 *   rerere.c    conflicts that were resolved before (rerere.h)
 *   notes.c     texts on objects (notes.h)      columns.c  texts side by side (columns.h)
 *   cmd_*.c     one family of subcommands each
 *
 * Everything below .git is read as if an attacker wrote it: lengths are checked, recursion has
 * limits, what is broken ends the command with git's own "fatal:" and status 128.
 *
 * Memory: g->keep lives as long as the command and holds all that is remembered. g->a is for
 * results; loops over commits or files may release it to a mark between two of them. Functions
 * that return large things take the arena they shall live in, and never release it.
 */
#ifndef BUILTINS_GIT_GIT_H
#define BUILTINS_GIT_GIT_H

#include "builtins/builtin.h"

enum {
	OID_BYTES = 20,
	OID_HEX = 40,
	GIT_DEPTH_MAX = 256,        /* of trees, of symbolic references, of includes */
	GIT_STACK = 512 * 1024,     /* enough for trees that deep */
	GIT_DELTA_DEPTH_MAX = 4096, /* of chains of deltas in packs */
	GIT_STATUS_FATAL = 128,
	GIT_STATUS_USAGE = 129,
	GIT_STATUS_INVALID = 255, /* an option that diff does not know */
};

struct oid {
	uint8_t hash[OID_BYTES];
};

enum object_type {
	OBJECT_NONE = 0,
	OBJECT_COMMIT = 1,
	OBJECT_TREE = 2,
	OBJECT_BLOB = 3,
	OBJECT_TAG = 4,
};

/* Modes of tree entries. */
enum {
	MODE_FILE = 0100644,
	MODE_EXEC = 0100755,
	MODE_LINK = 0120000,
	MODE_TREE = 0040000,
	MODE_GITLINK = 0160000,
};

/* A growing list of names. */
struct names {
	char **at;
	size_t n;
	size_t cap;
};

struct lookup; /* lookup.c */
struct zone;
struct ignore;
struct attrs;
struct mailmap;
struct notes;
struct config;
struct odb;
struct refs;
struct index;
struct bundle;
struct sparse;

struct git {
	struct cmd *c;
	struct arena *a;       /* may be released to a mark by a loop over commits or files */
	struct arena *keep;    /* what is remembered from one use to the next */
	const char *command;   /* the subcommand */
	char *dir;             /* .git, absolute; NULL: no repository */
	char *common;          /* what all work trees share; usually the same */
	char *work;            /* top of the work tree, absolute; NULL: bare */
	char *prefix;          /* where the command was started below work: "" or "a/b/" */
	char *start_dir;       /* the same before any -C */
	char *start;           /* the directory the command was started in */
	const char *dir_shown; /* GIT_DIR as given, or NULL */
	bool bare;
	int shared;    /* share.c: permissions that files get besides, or (negative) get; 0: none */
	unsigned utf8; /* REGEX_UTF8 or 0, for every pattern */
	struct config *config;
	struct odb *odb;
	struct refs *refs;
	struct index *index;
	struct lookup *commits;
	struct lookup *replaced;     /* replace.c: once asked for */
	struct names shallow;        /* commits whose parents are not here */
	const struct bundle *bundle; /* it is this file, no repository; or NULL */
	struct sparse *sparse;       /* once asked for */
	struct ignore *ignore;
	struct attrs *attrs;
	struct mailmap *mailmap;
	struct lookup *drivers; /* userdiff.c: by name, once asked for */
	struct notes *notes;
	const char *reflog_action; /* GIT_REFLOG_ACTION or what a command sets */
	const char *index_file;    /* what hooks and editors are told; NULL: the usual one */
	const char *temporary;     /* a file that goes when the command ends; NULL: none */
	const struct zone *zone;   /* of TZ, once asked for */
	const struct zone *utc;
	struct bytes dir_seen; /* a directory without symlinks on the way: work.c */
	bool hook_hinted;
	enum { ENDS_QUIET, ENDS_WARN, ENDS_REFUSE } ends; /* what is said of line ends: convert.c */
	bool fresh_deltas;        /* packs are made without what others have: repack -f */
	int nested;               /* this one is a submodule, looked at from above */
	const char *log_encoding; /* --encoding; NULL: as configured */
	int abbrev;               /* default length of short names; 0: not known */
	const char *columns;      /* --column as given; "": without a value; NULL: not given */
	int rerere;               /* enum rerere_update: what --rerere-autoupdate said */
	int color;                /* --no-color etc. of the running command; -1: not said */
};

/* --- text.c: messages --- */

char *git_format(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "fatal: ..." and status 128. */
_Noreturn void git_die(struct git *g, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
_Noreturn void git_die_errno(struct git *g, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "error: ..."; returns 1, as a status. */
int git_error(struct git *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
void git_warn(struct git *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text on standard error as it is. */
void git_say(struct git *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each line behind "hint: ", unless the configuration says advice.NAME=false (NULL: always). */
void git_hint(struct git *g, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
_Noreturn void git_exit(struct git *g, int status);
/* g->temporary goes now. */
void git_clean_up(struct git *g);
/* What real git has and this one has not: a clear refusal, status 128. */
_Noreturn void git_refuse(struct git *g, const char *what);
#define git_printf(g, ...) cmd_printf((g)->c, __VA_ARGS__)
/* A name as git shows it: in double quotes with C escapes where it must be. */
void git_quote(struct git *g, struct buf *out, const char *name);
const char *git_quoted(struct git *g, const char *name);
/* The same with "..." around also where a blank is inside (status). */
const char *git_quoted_blank(struct git *g, const char *name);
/* Reads a C-quoted name at *at (which begins with '"'); NULL: malformed. */
char *git_unquote(struct arena *a, const char **at);
/* Shell quoting as 'a b'. */
void git_quote_shell(struct buf *out, const char *s);
/* The next word of a line of such words; NULL: there is none. */
char *git_unquote_shell(struct arena *a, const char **at);
struct git_wrapping {
	int width; /* 0: lines are only moved */
	int indent1;
	int indent2;
};
/* Text with line breaks between words, and blanks in front of its first and its other lines. */
void git_wrap(struct buf *out, struct bytes text, const struct git_wrapping *w);
/* Columns that text takes. */
size_t git_columns(struct bytes s);
/* Those of the terminal, or what COLUMNS says. */
size_t git_terminal_columns(struct git *g);
/* Of a number in decimal. */
size_t git_digits(size_t v);
/* A line from *rest: false at its end. The newline is not in *line. */
bool git_line(struct bytes *rest, struct bytes *line);
struct bytes git_trim(struct bytes s);
bool git_starts(const char *s, const char *prefix);
/* Equal, but for the case of ASCII letters. */
bool git_eq_nocase(struct bytes a, struct bytes b);
bool git_ends(const char *s, const char *suffix);
/* Whole decimal text. */
bool git_number(const char *s, int64_t *out);
int git_name_cmp(const void *a, const void *b); /* of two char * */
/* Sorts n elements by merging: stable, n log n whatever the input. */
void git_sort(struct git *g, void *base, size_t n, size_t size,
	      int (*cmp)(const void *, const void *));

void names_add(struct git *g, struct names *list, const char *name);
bool names_has(struct git *g, const struct names *list, const char *name);
/* Charges for comparing a name with n others. */
void git_charge_search(struct git *g, size_t n, const char *name);

/* Makes room for one more element of a list in the command's pool. */
#define LIST_ROOM(g, ptr, n, cap)                                                                  \
	((n) < (cap) ? (void)0 : git_grow((g), (void **)&(ptr), &(cap), sizeof(*(ptr))))
void git_grow(struct git *g, void **ptr, size_t *cap, size_t size);

#include "builtins/git/options.h"

/* --- file.c --- */

/* The whole file in the arena with a NUL behind. 0 or -E_, with what was read; never NULL. */
int file_read(struct git *g, struct arena *a, const char *path, struct bytes *out);
/* Standard input. */
struct bytes file_stdin(struct git *g);
bool file_exists(struct git *g, const char *path); /* symlinks not followed */
bool file_is_dir(struct git *g, const char *path); /* followed */
/* All missing directories above path. 0 or -E_. */
int file_make_parents(struct git *g, const char *path);
int file_make_dirs(struct git *g, const char *path);
/* Empty directories above path, up to but without stop, are removed. */
void file_prune_parents(struct git *g, const char *path, const char *stop);
/* path.lock is written and renamed. Ends the command if it is locked. */
void file_write_locked(struct git *g, const char *path, struct bytes data);
/* Ends the command: another one is at work on path. */
_Noreturn void file_is_locked(struct git *g, const char *path);
/* Without lock, replacing. 0 or -E_. */
int file_write(struct git *g, const char *path, struct bytes data, uint32_t mode);
int file_append(struct git *g, const char *path, struct bytes data);
/* Everything below; false: it was not all removed. */
bool file_remove_tree(struct git *g, const char *path);
/* a/b; without a slash twice. */
char *path_join(struct arena *a, const char *dir, const char *name);
/* Whether git may write there: below the top, never into a ".git" of any spelling. */
bool path_safe(const char *path);
/* Ends the command if not. */
void path_need_safe(struct git *g, const char *path);
/* Lexically: "." and ".." and double slashes are gone. NULL: leaves the root. */
char *path_normal(struct arena *a, const char *path);
/* path below the work tree, of an operand given in the start directory: no slash at the end
 * unless the operand had one. Ends the command if it is outside. */
char *path_in_work(struct git *g, const char *operand);
/* The same; NULL if it is outside. */
char *path_in_work_try(struct git *g, const char *operand);
/* A path of the work tree as seen from the start directory: "../x". */
const char *path_relative(struct git *g, const char *path);
const char *path_base(const char *path);
/* Runs a program with arguments; standard input from in (-1: as it is). Its status. */
int git_spawn(struct git *g, char *const *argv, char *const *envp, int in, int out);
/* Runs `sh -c command` with arguments. */
int git_spawn_shell(struct git *g, const char *command, char *const *args, char *const *envp);
/* Runs `sh -c command` with data as its standard input: what it writes, in a. Its status. */
int git_filter(struct git *g, struct arena *a, const char *command, struct bytes data,
	       struct bytes *out);
/* Runs a program: what it writes, in a. Its status, or -E_ if it can't be started. */
int git_capture(struct git *g, struct arena *a, char *const *argv, int in, struct bytes *out);
/* How a configured command is started with arguments: by the shell if it is more than a name. */
char *const *git_shell_argv(struct git *g, const char *command, char *const *args);
/* Hook NAME if it is there and executable: its status; 0 if there is none. */
int git_hook(struct git *g, const char *name, char *const *args, char *const *env_extra);
/* The same with a file as standard input. */
int git_hook_input(struct git *g, const char *name, char *const *args, const char *path);
/* The same with a text that a pipe can hold. */
int git_hook_text(struct git *g, const char *name, char *const *args, struct bytes text);
bool git_hook_exists(struct git *g, const char *name);
/* A file of the repository as hooks are told of it: ".git/x" where it is that. */
char *git_hook_path(struct git *g, const char *name);

/* --- lookup.c: values by key, in the command's pool --- */

struct lookup *lookup_new(struct git *g);
/* The value's place; a new one holds NULL. The key must live. */
void **lookup_at(struct lookup *t, struct bytes key);
/* NULL if the key is not there. */
void *lookup_get(const struct lookup *t, struct bytes key);
size_t lookup_count(const struct lookup *t);
/* Calls fn for every value. */
void lookup_each(const struct lookup *t, void (*fn)(void *value));

/* --- config.c --- */

enum config_scope {
	CONFIG_SYSTEM,
	CONFIG_GLOBAL,
	CONFIG_LOCAL,
	CONFIG_WORKTREE,
	CONFIG_COMMAND,
};

struct config_entry {
	const char *key;   /* section.Sub.name */
	const char *value; /* NULL: none, which means true */
	const char *file;
	int line;
	enum config_scope scope;
};

struct config {
	struct config_entry *at;
	size_t n;
	size_t cap;
	bool loaded;
};

void config_load(struct git *g);
/* Adds what is in the file; missing is fine. */
void config_add_file(struct git *g, struct config *into, const char *path, enum config_scope s,
		     bool includes, int depth);
/* The same from a text; called name in messages. False: it is broken, and that is said. */
bool config_add_text(struct git *g, struct config *into, struct bytes text, const char *name,
		     bool includes);
/* config_url.c: the entries SECTION.NAME and SECTION.<URL>.NAME that are said for an URL, one for
 * each name (or for wanted alone), sorted. Ends the command if it is none. */
size_t config_for_url(struct git *g, const struct config *cf, const char *section,
		      const char *wanted, const char *url, const struct config_entry ***out);
/* The last value, or NULL. */
const char *config_get(struct git *g, const char *key);
const struct config_entry *config_find(struct git *g, const struct config *cf, const char *key);
bool config_bool(struct git *g, const char *key, bool otherwise);
int64_t config_int(struct git *g, const char *key, int64_t otherwise);
/* 1, 0, or -1: no boolean. */
int config_truth(const char *value);
bool config_number(const char *value, int64_t *out);
/* section.sub.name in the letters git stores it in; NULL: not a key. Says why if g is not NULL. */
char *config_key(struct git *g, struct arena *a, const char *text);
/* Ends the command: the value of key is none it can have. */
_Noreturn void config_die(struct git *g, const char *key);
char *config_path_global(struct git *g);
/* "~" at the front is the home directory. */
char *config_expand_path(struct git *g, const char *path);
/* One text of configuration: calls fn for each; -line on a syntax error, else 0. */
int config_parse(struct arena *a, struct bytes text,
		 int (*fn)(void *arg, const char *key, const char *value, int line), void *arg);

/* config_edit.c: changes one file. value NULL: removes. */
enum config_edit { CONFIG_SET, CONFIG_ADD, CONFIG_REPLACE_ALL, CONFIG_UNSET, CONFIG_UNSET_ALL };
/* 0, or git's exit status. pattern: which values (NULL: any). */
int config_change(struct git *g, const char *file, const char *key, const char *value,
		  const char *pattern, enum config_edit how);
/* to NULL: removes it. 0; 1: it is not there. */
int config_rename_section(struct git *g, const char *file, const char *from, const char *to);
/* Puts a copy behind each part of the section. */
void config_copy_section(struct git *g, const char *file, const char *from, const char *to);
char *config_local_path(struct git *g);

/* --- repo.c --- */

/* Finds the repository; false if there is none. Goes to the top of the work tree. */
bool repo_find(struct git *g);
/* The same, or "fatal: not a git repository ...". */
void repo_need(struct git *g);
/* Also a work tree, or "fatal: this operation must be run in a work tree". */
void repo_need_work(struct git *g);
/* What a path is if it is a repository's directory: has HEAD, objects, refs. */
bool repo_is_dir(struct git *g, const char *path);
/* The repository of a directory's .git, which may be a file; NULL: it has none. */
char *repo_of_dir(struct git *g, const char *dir);
/* Whether a directory of the work tree is the work tree of another repository. */
bool repo_is_nested(struct git *g, const char *path);
/* Makes one at dir (the .git itself). */
void repo_create(struct git *g, const char *dir, const char *work, bool bare, const char *branch);
/* A file of the repository: of this work tree, or shared, as git sorts them. */
char *repo_path(struct git *g, struct arena *a, const char *name);
/* Opens the repository at path as another struct git (for clone, fetch, push); NULL: none. */
struct git *repo_open(struct git *g, const char *path);
/* The branch that init makes. */
const char *repo_initial_branch(struct git *g, bool quiet);

/* --- zip.c --- */

/* Inflates bytes; in->ptr moves past what was used. size_max bounds the result. False: broken. */
bool zlib_inflate(struct git *g, struct bytes *in, size_t size_max, struct buf *out);
/* The same from a file at pos. *used: compressed bytes. */
bool zlib_inflate_fd(struct git *g, int fd, uint64_t pos, size_t size_max, struct buf *out,
		     uint64_t *used);
void zlib_deflate(struct git *g, struct bytes in, int level, struct buf *out);
/* Raw deflate, as inside of zip archives and gzip. */
void zlib_deflate_raw(struct git *g, struct bytes in, int level, struct buf *out);
uint32_t zlib_crc32(uint32_t crc, struct bytes in);

/* --- oid.c --- */

bool oid_eq(const struct oid *a, const struct oid *b);
int oid_cmp(const struct oid *a, const struct oid *b);
bool oid_is_null(const struct oid *o);
/* 40 hexadecimal digits at text. */
bool oid_parse(const char *text, struct oid *out);
bool oid_parse_bytes(struct bytes text, struct oid *out);
/* In g->a. */
char *oid_hex(struct git *g, const struct oid *o);
void oid_put(struct buf *out, const struct oid *o);
/* The shortest unique prefix of at least `length` digits; 0: the default; 40: all. */
const char *oid_short(struct git *g, const struct oid *o, int length);
int oid_default_length(struct git *g);
struct bytes oid_key(const struct oid *o);
/* The object whose name begins with these digits. 0; -1 none; -2 several. kinds: wanted type or
 * OBJECT_NONE; several of which one is of the type are no ambiguity. */
int oid_complete(struct git *g, const char *prefix, enum object_type want, struct oid *out);
/* All of them, in order. */
size_t oid_candidates(struct git *g, const char *prefix, struct oid **out);
extern const struct oid oid_empty_tree;
extern const struct oid oid_empty_blob;
extern const struct oid oid_null;

/* --- object.c, pack.c --- */

const char *object_type_name(enum object_type t);
enum object_type object_type_of(struct bytes name);
/* replace.c: the object that is read in place of this one (mostly the same). */
const struct oid *object_replaced(struct git *g, const struct oid *o);
/* The object, or OBJECT_NONE if it is not there. A broken one ends the command. */
enum object_type object_read(struct git *g, struct arena *a, const struct oid *o,
			     struct bytes *out);
/* The same but *why says what is broken (then OBJECT_NONE), or is NULL. */
enum object_type object_try(struct git *g, struct arena *a, const struct oid *o, struct bytes *out,
			    const char **why);
/* Only what it is and how long. */
enum object_type object_info(struct git *g, const struct oid *o, uint64_t *size);
bool object_exists(struct git *g, const struct oid *o);
/* Ends the command unless it is there and of this type. */
struct bytes object_need(struct git *g, struct arena *a, const struct oid *o,
			 enum object_type type);
void object_hash(enum object_type type, struct bytes data, struct oid *out);
void object_hash_named(const char *type, struct bytes data, struct oid *out);
/* Stored unless it is there. */
void object_write(struct git *g, enum object_type type, struct bytes data, struct oid *out);
void object_write_named(struct git *g, const char *type, struct bytes data, struct oid *out);
/* The same, though it may be in a pack. */
void object_write_loose(struct git *g, enum object_type type, struct bytes data, struct oid *out);
/* Every object there is, once, sorted. */
size_t object_list(struct git *g, struct oid **out);
char *object_loose_path(struct git *g, struct arena *a, const char *objects, const struct oid *o);
void object_forget_packs(struct git *g);
/* A copy of an object from one repository into another. */
void object_copy(struct git *from, struct git *to, const struct oid *o);

struct pack {
	char *path; /* without .pack, .idx */
	struct bytes idx;
	uint32_t n;
	int fd; /* of the pack; -1 not open yet */
	uint64_t size;
	bool broken;
	bool thin;                 /* bases of deltas may be elsewhere */
	struct pack_place *places; /* in the order of offsets, once asked for */
	struct pack *next;
};
struct odb {
	struct names dirs; /* objects directories: own first, then alternates */
	struct pack *packs;
	bool packs_loaded;
	/* Bases of deltas read lately. */
	struct delta_base *cache;
};
/* The header of an entry in a pack. */
enum { PACK_OFS_DELTA = 6, PACK_REF_DELTA = 7 };
struct pack_item {
	int kind; /* a type, or one of the deltas */
	uint64_t size;
	uint64_t data; /* where the compressed bytes begin */
	uint64_t base; /* of PACK_OFS_DELTA */
	struct oid base_oid;
};
bool pack_read_item(struct git *g, struct pack *p, uint64_t offset, struct pack_item *out);
void pack_load(struct git *g);
/* The object that a delta makes of a base. False: broken. */
bool delta_apply(struct git *g, struct arena *a, struct bytes base, struct bytes d,
		 struct bytes *out);
bool pack_find(struct git *g, const struct oid *o, struct pack **p, uint64_t *offset);
enum object_type pack_read(struct git *g, struct arena *a, struct pack *p, uint64_t offset,
			   struct bytes *out, const char **why);
enum object_type pack_info(struct git *g, struct pack *p, uint64_t offset, uint64_t *size);
void pack_oid(const struct pack *p, uint32_t i, struct oid *out);
uint64_t pack_offset(const struct pack *p, uint32_t i);
/* Which object begins there, where it ends, and the sum of its bytes that the index has. False:
 * none does, or the index has no sums. */
struct pack_place {
	uint64_t offset, end;
	uint32_t number; /* for pack_oid */
	uint32_t crc;
};
bool pack_place(struct git *g, struct pack *p, uint64_t offset, struct pack_place *out);
/* First entry >= the key of `digits` hexadecimal digits. */
uint32_t pack_lower_bound(const struct pack *p, const struct oid *key);

/* Bytes that an object takes where it is stored, and what it is a delta of (else zero). */
uint64_t object_stored(struct git *g, const struct oid *o, struct oid *base);

/* --- parse.c --- */

struct commit {
	struct oid oid;
	struct oid tree;
	struct commit **parent;
	uint32_t nparents;
	uint32_t flags; /* of the walk */
	int64_t date;   /* of the committer, seconds */
	bool parsed;
	bool missing;
	void *data;                   /* of the walk */
	struct commit **saved_parent; /* before they were rewritten */
	uint32_t saved_nparents;
	bool parents_saved;
	uint32_t mark;
	uint32_t indegree;
	uint64_t order;
};

/* The one struct for this object. It may not be a commit. */
struct commit *commit_at(struct git *g, const struct oid *o);
/* Reads it. False: not there or no commit. */
bool commit_load(struct git *g, struct commit *c);
/* The same, or the end of the command. */
void commit_need(struct git *g, struct commit *c);

/* The text of a commit or tag taken apart; views into text. */
struct commit_text {
	struct bytes all;
	struct bytes header;
	struct bytes author; /* "Name <mail> 123 +0000" */
	struct bytes committer;
	struct bytes encoding;
	struct bytes message;
	struct bytes tagger;
	struct bytes object; /* of a tag */
	struct bytes type;
	struct bytes tag;
};
void commit_split(struct bytes text, struct commit_text *out);
void commit_text(struct git *g, struct arena *a, const struct oid *o, struct commit_text *out);
/* The same in the encoding that logs are written in; if that can't be, in UTF-8 perhaps. */
void commit_text_shown(struct git *g, struct arena *a, const struct oid *o, struct commit_text *out,
		       bool utf8);
/* A text in another encoding; false: it can't be had. */
bool text_recode(struct git *g, struct arena *a, const char *from, const char *to,
		 struct bytes text, struct bytes *out);
/* Whether a name of an encoding (NULL: none) means UTF-8. */
bool encoding_is_utf8(const char *name);
/* What follows the first paragraph. */
struct bytes message_body(struct bytes message);
/* First paragraph as one line. */
struct bytes message_subject(struct arena *a, struct bytes message);

struct person {
	struct bytes name;
	struct bytes mail;
	int64_t time;
	int zone; /* as +0130 is 130 */
	bool valid;
};
void person_split(struct bytes text, struct person *out);

struct tree_entry {
	uint32_t mode;
	struct bytes name;
	struct oid oid;
};
/* The next entry of a tree's bytes. 1; 0: the end; -1: broken. */
int tree_next(struct bytes *rest, struct tree_entry *out);
/* The object's tree (of a commit, tag or tree); false: it has none. */
bool tree_of(struct git *g, const struct oid *o, struct oid *out);
/* Follows tags (and to a tree from a commit if wanted). */
bool object_peel(struct git *g, const struct oid *o, enum object_type want, struct oid *out);
/* What is at a path of a tree; "" is the tree itself. */
bool tree_find(struct git *g, const struct oid *tree, const char *path, uint32_t *mode,
	       struct oid *out);

/* --- refs.c --- */

struct ref {
	char *name;
	struct oid oid;
	char *target; /* of a symbolic one, or NULL */
	bool broken;
	bool has_peeled;
};

/* Symbolic references followed: 0 and the object; -1 there is none. *full: the last name. */
int ref_read(struct git *g, const char *name, struct oid *out, char **full);
bool ref_exists(struct git *g, const char *name);
/* What a symbolic one points to; NULL if it is not one. */
char *ref_symbolic(struct git *g, const char *name);
/* All below a prefix ("" all, HEAD not among them), sorted. */
size_t ref_list(struct git *g, const char *prefix, struct ref **out);
/* "main" as refs/heads/main and so on: the full name, or NULL. *several if more than one. */
char *ref_expand(struct git *g, const char *name, struct oid *out, bool *several);
/* refs/heads/x as x. */
const char *ref_short(struct git *g, const char *name);
/* The shortest form that is unique. */
const char *ref_shorten(struct git *g, const char *name);
bool ref_name_valid(const char *name);
/* As check-ref-format --branch. */
bool ref_branch_valid(const char *name);
/* Sets name (symbolic ones followed) and writes the log. old NULL: any; the null one: must be
 * new. False after a message. message NULL: no log entry. */
bool ref_update(struct git *g, const char *name, const struct oid *new_oid, const struct oid *old,
		const char *message, bool no_deref);
bool ref_delete(struct git *g, const char *name);
/* The same with an entry in HEAD's log if HEAD stands for it. Symbolic ones are followed unless
 * no_deref. */
bool ref_delete_logged(struct git *g, const char *name, const char *message, bool no_deref);
void ref_set_symbolic(struct git *g, const char *name, const char *target, const char *message);
/* With its log. False after a message. */
bool ref_copy(struct git *g, const char *from, const char *to, const char *message);
bool ref_rename(struct git *g, const char *from, const char *to, const char *message);
/* The reference that a new name can't stand beside, since one is the other's directory; or
 * NULL. */
char *ref_conflict(struct git *g, const char *name);
/* New names, all at once, into the packed ones. */
void ref_add_packed(struct git *g, const struct ref *list, size_t n);
void ref_pack_all(struct git *g, bool all, bool prune);
/* The branch HEAD points to (refs/heads/x), or NULL if detached. */
char *head_ref(struct git *g);
/* False: unborn. */
bool head_oid(struct git *g, struct oid *out);

/* update_refs.c: changes as standard input says them. The exit status. */
int update_refs_stdin(struct git *g, bool zero, bool no_deref, const char *message);

/* --- reflog.c --- */

struct reflog_entry {
	struct oid before;
	struct oid after;
	struct bytes who; /* with time and zone */
	struct bytes message;
};
/* Oldest first. */
size_t reflog_read(struct git *g, const char *ref, struct reflog_entry **out);
void reflog_add(struct git *g, const char *ref, const struct oid *before, const struct oid *after,
		const char *message);
bool reflog_exists(struct git *g, const char *ref);
void reflog_create(struct git *g, const char *ref); /* an empty one, unless it is there */
/* cmd_reflog.c: entries older than gc wants them go. Texts may be NULL. */
void reflog_expire_all(struct git *g, const char *total, const char *unreachable);
void reflog_write(struct git *g, const char *ref, const struct reflog_entry *e, size_t n);

/* --- ident.c --- */

/* "Name <mail> time zone" of the author or committer. Ends the command if nobody is known. */
char *ident_author(struct git *g);
char *ident_committer(struct git *g);
/* The committer as logs of references name him: known or not. */
char *ident_log(struct git *g);
char *ident_make(struct git *g, bool author, const char *name, const char *mail, const char *date);
/* Tells the programs that git starts from here on who the author is. */
void ident_export_author(struct git *g, const char *author);
/* Whether name and mail were made up from the machine. */
bool ident_is_implicit(struct git *g, bool author);

/* --- date.c, date_read.c --- */

enum date_mode {
	DATE_NORMAL,
	DATE_RELATIVE,
	DATE_HUMAN,
	DATE_ISO,
	DATE_ISO_STRICT,
	DATE_RFC,
	DATE_SHORT,
	DATE_RAW,
	DATE_UNIX,
	DATE_FORMAT,
};
struct date_style {
	enum date_mode mode;
	bool local;
	const char *format;
};
bool date_style_of(struct git *g, const char *text, struct date_style *out);
void date_put(struct git *g, struct buf *out, int64_t seconds, int zone,
	      const struct date_style *style);
/* A date as commits want it: false if it is none. */
bool date_exact(struct git *g, const char *text, int64_t *seconds, int *zone);
/* What people write: "yesterday", "2 weeks ago". Never fails. */
int64_t date_approximate(struct git *g, const char *text);
int date_local_zone(struct git *g, int64_t seconds);
int64_t date_now(struct git *g);

/* --- rev.c --- */

/* The object a revision expression names. 0, or -1. */
int rev_parse(struct git *g, const char *text, struct oid *out);
struct rev_context {
	uint32_t mode; /* of "tree:path"; 0 else */
	char *path;
};
int rev_parse_context(struct git *g, const char *text, struct oid *out, struct rev_context *cx);
/* The commit: tags followed. */
int rev_commit(struct git *g, const char *text, struct oid *out);
/* -1, -2 (HEAD@{n} form) as full names: "refs/heads/x"; NULL: not a reference. */
char *rev_symbolic_name(struct git *g, const char *text);
/* @{-n}: the branch or object name; NULL. */
char *rev_previous(struct git *g, int n);
/* The upstream of a branch (full names); NULL: none, why says it. */
char *rev_upstream(struct git *g, const char *branch, const char **why);
char *rev_push(struct git *g, const char *branch, const char **why);
/* Ends the command: ambiguous argument 'x'. */
_Noreturn void rev_die_ambiguous(struct git *g, const char *arg);
/* Ends the command if arg is not a path ("ambiguous argument"), or (if it is a file) both. */
void rev_check_path(struct git *g, const char *arg, bool first);
/* Dies if REV:PATH or :PATH can't be one, and says why; else returns. */
void rev_diagnose(struct git *g, const char *arg);
void rev_check_not_path(struct git *g, const char *arg);

/* --- index.c --- */

enum {
	ENTRY_STAGE_SHIFT = 12,
	ENTRY_VALID = 0x8000,
	ENTRY_EXTENDED = 0x4000,
	ENTRY_INTENT = 0x2000,        /* of xflags */
	ENTRY_SKIP_WORKTREE = 0x4000, /* of xflags */
};

struct entry {
	uint32_t ctime_s, ctime_ns;
	uint32_t mtime_s, mtime_ns;
	uint32_t dev, ino;
	uint32_t mode;
	uint32_t uid, gid;
	uint32_t size;
	struct oid oid;
	uint16_t flags;
	uint16_t xflags;
	uint8_t stage;
	bool gone;    /* to be left out when written */
	bool checked; /* known to be as the file */
	bool fresh;   /* put here by this command */
	char *path;
	size_t length;
};

struct index {
	struct git *g;
	struct entry *at;
	size_t n;
	size_t cap;
	uint32_t version;
	int64_t mtime_ns; /* of the index file */
	bool exists;
	bool dirty;
	bool unsaved; /* lives in memory alone: index_write does nothing */
	bool read;    /* from the file ino, 0: there was none */
	uint64_t ino;
};

/* The repository's index, read once. */
struct index *index_get(struct git *g);
struct index *index_new(struct git *g); /* an empty one */
struct index *index_read(struct git *g, const char *path);
/* From bytes: NULL and *why if they are no index. */
struct index *index_of_bytes(struct git *g, struct bytes data, const char **why);
/* Ends the command as if the file was locked if another process has written it since it was read:
 * what that did would be lost. */
void index_write(struct git *g, struct index *x);
bool index_is_others(struct git *g, const struct index *x);
/* A program that was started may do so. */
void index_changed_by_child(struct git *g);
void index_write_to(struct git *g, struct index *x, const char *path);
/* Where (path, stage) is or belongs; *found. */
size_t index_search(const struct index *x, const char *path, unsigned stage, bool *found);
struct entry *index_find(struct index *x, const char *path); /* stage 0 */
/* Any stage. */
bool index_has(const struct index *x, const char *path);
/* Whether something below the directory is there. */
bool index_has_dir(const struct index *x, const char *dir, size_t length);
/* Adds or replaces at stage 0 (other stages, and files in the way, go). */
struct entry *index_put(struct index *x, const char *path, uint32_t mode, const struct oid *o);
struct entry *index_put_stage(struct index *x, const char *path, uint32_t mode, const struct oid *o,
			      unsigned stage);
/* All stages. */
void index_remove(struct index *x, const char *path);
/* Entries that are marked gone leave. */
void index_sweep(struct index *x);
bool index_unmerged(const struct index *x);
/* "PATH: needs merge" for each unmerged one: whether there are some. */
bool index_put_unmerged(struct git *g, const struct index *x);
/* What stat says goes into the entry. */
void index_stat(struct git *g, struct entry *e, const struct vfs_stat *st);
/* Whether they are as they were then. */
bool index_stat_same(const struct entry *e, const struct vfs_stat *st);
/* Whether the file at the entry's path is as the entry says (content looked at if need be).
 * *st may be NULL. */
enum entry_state { ENTRY_SAME, ENTRY_CHANGED, ENTRY_TYPE_CHANGED, ENTRY_MISSING };
enum entry_state index_check(struct git *g, struct index *x, struct entry *e, struct vfs_stat *st);
/* Replaces everything by a tree. */
void index_read_tree(struct git *g, struct index *x, const struct oid *tree);

/* --- tree.c --- */

/* One file of a flattened tree. */
struct leaf {
	char *path;
	uint32_t mode;
	struct oid oid;
};
struct leaves {
	struct leaf *at;
	size_t n;
	size_t cap;
};
/* All files, sorted as an index is. */
void tree_flatten(struct git *g, struct arena *a, const struct oid *tree, struct leaves *out);
const struct leaf *leaves_find(const struct leaves *l, const char *path);
/* Writes the trees of the index: false if it is unmerged or an object is missing. */
bool tree_write_index(struct git *g, struct index *x, bool missing_ok, struct oid *out);
void tree_write_leaves(struct git *g, const struct leaves *l, struct oid *out);
/* Order of entries in trees: directories as if they ended in '/'. */
int tree_name_cmp(struct bytes a, uint32_t amode, struct bytes b, uint32_t bmode);

/* --- ignore.c --- */

enum ignore_state { IGNORE_NO, IGNORE_YES, IGNORE_INCLUDED };
struct ignore_match {
	const char *source;
	int line;
	const char *pattern;
	bool negated;
};
/* For a path of the work tree whose directories are not ignored themselves. */
bool gitignore_path(struct git *g, const char *path, bool is_dir, struct ignore_match *why);
/* The same, directories above looked at too. */
bool gitignore_path_deep(struct git *g, const char *path, bool is_dir, struct ignore_match *why);
void gitignore_add_pattern(struct git *g, const char *pattern); /* -x, -e */
void gitignore_add_file(struct git *g, const char *path);
void gitignore_standard(struct git *g, bool on);
void gitignore_per_directory(struct git *g, const char *name);

/* What is in the work tree but not in the index. */
enum untracked_flags {
	UNTRACKED_ALL = 1,        /* files, not only directories that hold nothing else */
	UNTRACKED_IGNORED = 2,    /* the ignored ones instead */
	UNTRACKED_EVERYTHING = 4, /* no rules */
	UNTRACKED_EMPTY_DIRS = 8, /* also directories without files */
	UNTRACKED_BOTH = 16,      /* ignored ones in a second list */
	UNTRACKED_REPOS = 32,     /* also what other repositories hold */
	UNTRACKED_MATCHING = 64,  /* ignored directories stand for what is in them by rules only */
	UNTRACKED_KEEP = 128, /* a directory that holds ignored ones does not stand for the rest */
};
struct pathspec;
void work_untracked(struct git *g, struct index *x, unsigned flags, const struct pathspec *ps,
		    struct names *out, struct names *ignored);

/* --- pathspec.c, wildmatch.c, attr.c --- */

struct pathspec_item {
	const char *original;
	char *match; /* below the work tree */
	size_t length;
	size_t plain; /* bytes in front of the first wildcard */
	bool exclude;
	bool icase;
	bool literal;
	bool glob; /* ** and / are special */
	bool top;
	bool dir_only;
	bool seen;
	char *attr;
};
struct pathspec {
	struct pathspec_item *at;
	size_t n;
	bool has_exclude;
	bool has_wild;
	bool all_literal, all_glob, all_noglob, all_icase; /* git --glob-pathspecs etc. */
};
void pathspec_of(struct git *g, char **operands, int n, struct pathspec *out);
/* --pathspec-from-file, --pathspec-file-nul */
struct pathspec_file {
	const char *name;
	bool zero;
};
#define GIT_PATHSPEC_FILE(T, f)                                                                    \
	GIT_STR(0, "pathspec-from-file", T, f.name), GIT_FLAG(0, "pathspec-file-nul", T, f.zero)
/* What is in the file becomes the operands; with dashdash it stands behind "--", and operands
 * may be in front of that. Nothing happens if there is no file. */
void pathspec_from_file(struct git *g, const struct pathspec_file *f, struct args *args,
			bool dashdash);
/* Marks items seen. is_dir: a whole directory may match (without what is in it). */
bool pathspec_match(struct git *g, struct pathspec *ps, const char *path, bool is_dir);
/* Whether something below this directory could match. */
bool pathspec_below(const struct pathspec *ps, const char *dir, size_t length);
enum { WILD_PATHNAME = 1, WILD_ICASE = 2 };
bool wild_match(const char *pattern, struct bytes text, unsigned flags);
bool wild_has_magic(const char *s);

/* The value of an attribute: NULL unspecified, "" set (true), "\1" unset (false). */
const char *attr_get(struct git *g, const char *path, const char *name);
#define ATTR_TRUE  ""
#define ATTR_FALSE "\1"
struct attr_value {
	const char *name;
	const char *value;
};
size_t attr_all(struct git *g, const char *path, struct attr_value **out);
/* Conversions by attributes (line ends, filters) and core.autocrlf. */
struct bytes convert_in(struct git *g, struct arena *a, const char *path, struct bytes data);
struct bytes convert_out(struct git *g, struct arena *a, const char *path, struct bytes data);
/* How lines end in a text: none, lf, crlf, mixed; "-text": it looks binary. */
const char *convert_ends(struct bytes data);
/* What attributes say of a file's line ends, as `ls-files --eol` shows it. */
const char *convert_attributes(struct git *g, const char *path);

/* --- lines.c: which lines change --- */

enum lines_flags {
	LINES_IGNORE_ALL_SPACE = 1,
	LINES_IGNORE_SPACE_CHANGE = 2,
	LINES_IGNORE_SPACE_AT_EOL = 4,
	LINES_IGNORE_CR_AT_EOL = 8,
	LINES_IGNORE_BLANK_LINES = 16,
	LINES_SPACE = 15,
	LINES_MINIMAL = 32,
	LINES_NO_INDENT_HEURISTIC = 64,
	LINES_PATIENCE = 128,
	LINES_HISTOGRAM = 256,
	LINES_NO_CONTEXT = 512, /* nothing unchanged is shown: equal ends take no part */
	LINES_ALGORITHM = LINES_MINIMAL | LINES_PATIENCE | LINES_HISTOGRAM,
};
struct lines_file {
	struct bytes *line; /* with their newlines */
	size_t n;
	uint32_t *class;
	char *changed; /* with a 0 in front and behind */
};
struct lines_change {
	size_t from[2];
	size_t count[2];
	bool ignored;
};
struct lines {
	struct lines_file file[2];
	struct lines_change *change;
	size_t n;
	const struct names *anchors; /* while they are compared; or NULL */
};
void lines_diff(struct git *g, struct arena *a, struct bytes one, struct bytes two, unsigned flags,
		struct lines *out);
/* The same; lines that begin with one of the anchors and are unique stay (with LINES_PATIENCE). */
void lines_diff_anchored(struct git *g, struct arena *a, struct bytes one, struct bytes two,
			 unsigned flags, const struct names *anchors, struct lines *out);
/* Splits into lines with their newlines. */
size_t lines_split(struct arena *a, struct bytes text, struct bytes **out);
/* Whether git takes it for binary. */
bool lines_binary(struct bytes data);
bool lines_blank(struct bytes line, unsigned flags);
/* Whether they are the same but for white space that is to be ignored. */
bool lines_equal(struct arena *a, struct bytes x, struct bytes y, unsigned flags);
/* A line as it is compared: what white space is to be ignored is gone. */
struct bytes lines_compared(struct arena *a, struct bytes line, unsigned flags);

/* Patterns as an option said (the last one), or grep.patternType: their flags for regex.h. */
enum grep_kind { GREP_CONFIGURED, GREP_BASIC, GREP_EXTENDED, GREP_FIXED, GREP_PERL };
unsigned grep_kind_flags(struct git *g, enum grep_kind kind);

/* --- color.c --- */

bool color_wanted(struct git *g, const char *key);
/* The same for messages, on standard error. */
bool color_wanted_in_errors(struct git *g, const char *key);
/* The escape of a slot ("color.diff.old"), or its default. */
const char *color_of(struct git *g, const char *key, const char *otherwise);
/* "bold red" as an escape. */
const char *color_text(struct git *g, const char *v);
/* The same; NULL after a message if it is none. */
const char *color_try(struct git *g, const char *v);
#define COLOR_RESET "\033[m"
#define COLOR_CYAN  "\033[36m"

/* --- subcommands --- */

typedef int git_fn(struct git *g, struct args *args);
enum git_command_flags {
	GIT_NEEDS_REPO = 1,
	GIT_NEEDS_WORK = 2,
	GIT_MAYBE_REPO = 4,
};
struct git_command {
	const char *name;
	git_fn *run;
	unsigned flags;
};
/* Runs one subcommand with these arguments (the name is argv[0]). */
int git_run(struct git *g, int argc, char **argv);
#define GIT_COMMAND(name, fn, flags) git_fn fn;
#include "builtins/git/list.h"
#undef GIT_COMMAND

#include "builtins/git/work.h"

#endif
