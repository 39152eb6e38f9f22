/* SPDX-License-Identifier: MIT
 *
 * What cp, mv, ln and install share: copying trees, backups, the rule of the last operand.
 */
#ifndef BUILTINS_COPY_H
#define BUILTINS_COPY_H

#include "builtins/builtin.h"

enum backup_kind { BACKUP_NONE, BACKUP_SIMPLE, BACKUP_EXISTING, BACKUP_NUMBERED };
enum copy_links { LINKS_DEFAULT, LINKS_FOLLOW, LINKS_FOLLOW_ROOT, LINKS_KEEP };
enum copy_ask { ASK_DEFAULT, ASK_ALWAYS, ASK_NEVER, ASK_FORCE };

struct backup_opts {
	bool wanted;           /* -b, --backup, -S */
	const char *control;   /* --backup=CONTROL */
	const char *suffix;    /* -S */
	enum backup_kind kind; /* set by backup_setup */
};

/* How cp and mv treat one pair of names. */
struct copy_opts {
	bool move;
	bool recursive;
	bool force;
	bool update;
	bool verbose;
	bool hard_link; /* cp -l */
	bool sym_link;  /* cp -s */
	bool one_device;
	bool remove_first; /* --remove-destination */
	bool repeats;      /* an operand given twice is not warned about (install) */
	bool attributes_only;
	bool copy_contents; /* of fifos and devices */
	bool keep_mode;
	bool keep_owner;
	bool keep_times;
	bool keep_links;
	bool keep_xattrs;
	bool need_xattrs; /* and says so when that fails */
	bool plain_mode;  /* --no-preserve=mode: as if newly made */
	int links;        /* enum copy_links */
	int ask;          /* enum copy_ask */
	struct backup_opts backup;
};

/* Options that all of them have, over a member `target` of type struct target_opts. */
struct target_opts {
	const char *directory; /* -t */
	bool no_directory;     /* -T */
	bool strip_slashes;
	bool of_ln; /* ln has texts of its own */
};

struct copier;
struct copier *copier_new(struct cmd *c, const struct copy_opts *o);
/* Copies or moves one operand to that very name: 0, or the status of a failure. */
int copier_run(struct copier *k, const char *from, const char *to, bool several);

/* Reads --backup's word, VERSION_CONTROL, SIMPLE_BACKUP_SUFFIX: 0, or a status. */
int backup_setup(struct cmd *c, struct backup_opts *b);
/* The name to which an existing file is to be moved; in the arena. */
char *backup_name(struct cmd *c, const struct backup_opts *b, const char *path);
/* -t DIRECTORY, once, for tables over T whose `field` is a struct target_opts. */
opt_fn opt_target;
#define OPT_TARGET(T, field, text)                                                                 \
	{                                                                                          \
		.letter = 't', .name = "target-directory", .kind = OPT_KIND_CALL,                  \
		.arg = OPT_ARG_REQUIRED, .fn = opt_target, .metavar = "DIRECTORY", .help = (text), \
		.offset = offsetof(T, field)                                                       \
	}

opt_fn opt_backup; /* for the options below: finds struct backup_opts at o->offset */

/* -b and --backup[=CONTROL], and -S, for tables over T whose `field` is a struct backup_opts;
 * text says what is kept. */
#define OPT_BACKUP(T, field, text)                                                                 \
	{ .letter = 'b',                                                                           \
	  .kind = OPT_KIND_CALL,                                                                   \
	  .fn = opt_backup,                                                                        \
	  .help = "--backup without a word",                                                       \
	  .offset = offsetof(T, field) },                                                          \
	{                                                                                          \
		.name = "backup", .kind = OPT_KIND_CALL, .fn = opt_backup,                         \
		.arg = OPT_ARG_OPTIONAL, .offset = offsetof(T, field), .metavar = "CONTROL",       \
		.help = (text)                                                                     \
	}
#define OPT_SUFFIX(T, field)                                                                       \
	{                                                                                          \
		.letter = 'S', .name = "suffix", .kind = OPT_KIND_CALL, .fn = opt_backup,          \
		.arg = OPT_ARG_REQUIRED, .offset = offsetof(T, field), .metavar = "SUFFIX",        \
		.help = "what names of backups end with (~)"                                       \
	}

/*
 * Splits operands into sources and a destination: *dir is the directory they go into, or NULL
 * if the (only) source is to get the name *name. 0, or a status after a message.
 */
int target_split(struct cmd *c, const struct target_opts *t, int *nsources, const char **dir,
		 const char **name);
/* Whether two names are one entry of one directory. */
bool target_same_entry(struct cmd *c, const char *a, const char *b);
/* dir/last part of path, in the arena. */
char *target_join(struct cmd *c, const char *dir, const char *path);

#endif
