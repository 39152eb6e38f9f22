/* SPDX-License-Identifier: MIT
 *
 * chown, chgrp - change who owns files.
 *
 * chgrp is chown that reads a group. A message names owners as they were typed.
 */
#include "builtins/builtin.h"
#include "builtins/preserve_root.h"

enum { NO_ID = UINT32_MAX };
enum { FOLLOW_DEFAULT, FOLLOW_NO, FOLLOW_YES };

struct owner {
	uint32_t uid; /* NO_ID: any, or unchanged */
	uint32_t gid;
	const char *user; /* as typed; NULL: none */
	const char *group;
};

struct chown_opts {
	bool changes;
	bool quiet;
	bool verbose;
	bool recursive;
	bool preserve_root;
	int follow; /* --dereference, -h */
	int walk;   /* the last of -H, -L, -P */
	const char *reference;
	struct owner from;
	struct owner to;
};

/* --- OWNER:GROUP --- */

static bool plain_id(const char *text, uint32_t *out)
{
	uint64_t value;

	if (!num_plain(*text == '+' ? text + 1 : text, &value) || value >= NO_ID)
		return false;
	*out = (uint32_t)value;
	return true;
}

static const char *number_text(struct cmd *c, uint32_t id)
{
	struct buf out = buf_in(c->arena);

	buf_put_u64(&out, id);
	return buf_cstr(&out);
}

static const char *id_name(struct cmd *c, const char *name, uint32_t id)
{
	return name != NULL ? arena_dup(c->arena, bytes_of(name)) : number_text(c, id);
}

/* *known: it is a name, not a number. */
static bool parse_group(struct cmd *c, const char *name, struct owner *o, bool *known)
{
	*known = name[0] != '+' && cmd_group_id(c, name, &o->gid);
	if (!*known && !plain_id(name, &o->gid))
		return false;
	o->group = *known ? name : number_text(c, o->gid);
	return true;
}

/* USER, USER:, USER:GROUP or :GROUP with the separator at `sep` (NULL: none). The text of an
 * error, or NULL. */
static const char *parse_parts(struct cmd *c, const char *text, const char *sep, struct owner *o)
{
	size_t len = sep != NULL ? (size_t)(sep - text) : strlen(text);
	const char *user = arena_dup(c->arena, (struct bytes){ text, len });
	bool login = sep != NULL && sep[1] == '\0' && len > 0;
	bool known;
	uint32_t gid;

	*o = (struct owner){ NO_ID, NO_ID, NULL, NULL };
	if (len > 0) {
		known = user[0] != '+' && cmd_user_id(c, user, &o->uid, &gid);
		if (!known && login)
			return "invalid spec";
		if (!known && !plain_id(user, &o->uid))
			return "invalid user";
		o->user = known ? user : number_text(c, o->uid);
		if (login) {
			o->gid = gid;
			o->group = id_name(c, cmd_group_name(c, gid), gid);
		}
	}
	if (sep == NULL || sep[1] == '\0')
		return NULL;
	if (!parse_group(c, sep + 1, o, &known))
		return "invalid group";
	/* ":GROUP" is said to be an ownership, ":NUMBER" a group. */
	if (len == 0 && known)
		o->user = "";
	return NULL;
}

static int parse_owner(struct cmd *c, const char *text, struct owner *o)
{
	const char *colon = strchr(text, ':');
	const char *bad = parse_parts(c, text, colon, o);
	const char *dot = colon == NULL ? strchr(text, '.') : NULL;

	if (bad == NULL)
		return 0;
	if (dot != NULL && parse_parts(c, text, dot, o) == NULL) {
		cmd_error(c, 0, "warning: '.' should be ':': %s", cmd_quote(c, text));
		return 0;
	}
	return cmd_error(c, 0, "%s: %s", bad, cmd_quote(c, text));
}

static int set_from(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	return parse_owner(c, arg, &((struct chown_opts *)c->opts)->from);
}

#define SHARED_OPTIONS                                                                             \
	OPT_FLAG('c', "changes", struct chown_opts, changes, "say what was changed"),              \
		OPT_SET(0, "dereference", struct chown_opts, follow, FOLLOW_YES,                   \
			"change what links point to (default)"),                                   \
		OPT_SET('h', "no-dereference", struct chown_opts, follow, FOLLOW_NO,               \
			"change links themselves"),                                                \
		OPT_FLAG('f', "silent", struct chown_opts, quiet,                                  \
			 "no messages about most errors"),                                         \
		OPT_FLAG('f', "quiet", struct chown_opts, quiet, NULL),                            \
		OPT_SET('H', NULL, struct chown_opts, walk, 'H',                                   \
			"with -R: enter directories that operands link to"),                       \
		OPT_SET('L', NULL, struct chown_opts, walk, 'L',                                   \
			"with -R: enter all linked directories"),                                  \
		OPT_SET('P', NULL, struct chown_opts, walk, 'P',                                   \
			"with -R: enter no linked directories (default)"),                         \
		OPT_IGNORED(0, "no-preserve-root", "/ is nothing special (default)"),              \
		OPT_FLAG(0, "preserve-root", struct chown_opts, preserve_root,                     \
			 "refuse to change / with -R"),                                            \
		OPT_FLAG('R', "recursive", struct chown_opts, recursive,                           \
			 "directories and what is in them"),                                       \
		OPT_STR(0, "reference", struct chown_opts, reference, NULL, "FILE",                \
			"as FILE has it"),                                                         \
		OPT_FLAG('v', "verbose", struct chown_opts, verbose,                               \
			 "say what is done for each file"),                                        \
		OPT_END()

static const struct opt chown_options[] = {
	OPT_CALL_ARG(0, "from", set_from, "OWNER:GROUP", "change only what they own"),
	SHARED_OPTIONS,
};

static const struct opt chgrp_options[] = { SHARED_OPTIONS };

/* --- messages --- */

/* "user:group" as far as wanted; NULL: nothing. */
static const char *both(struct cmd *c, const char *user, const char *group)
{
	struct buf out = buf_in(c->arena);

	if (user == NULL)
		return group;
	buf_puts(&out, user);
	if (group != NULL)
		buf_printf(&out, ":%s", group);
	return buf_cstr(&out);
}

/* How a change went: "changed", "failed to change"; NULL: nothing was to be done. */
static void say(struct cmd *c, const struct chown_opts *o, const char *path, const char *verb,
		const struct vfs_stat *st)
{
	const struct owner *to = &o->to;
	const char *what = to->user != NULL || to->group == NULL ? "ownership" : "group";
	const char *now = both(c, to->user, to->group);
	const char *before = NULL;

	if (!o->verbose && !(o->changes && verb != NULL && verb[0] == 'c'))
		return;
	if (st != NULL)
		before = both(
			c, to->user != NULL ? id_name(c, cmd_user_name(c, st->uid), st->uid) : NULL,
			to->group != NULL ? id_name(c, cmd_group_name(c, st->gid), st->gid) : NULL);
	if (verb == NULL && now == NULL)
		cmd_printf(c, "%s of %s retained\n", what, cmd_quoteaf(c, path));
	else if (verb == NULL)
		cmd_printf(c, "%s of %s retained as %s\n", what, cmd_quoteaf(c, path), before);
	else if (now == NULL)
		cmd_printf(c,
			   verb[0] == 'c' ? "no change to ownership of %s\n"
					  : "failed to change ownership of %s\n",
			   cmd_quoteaf(c, path));
	else if (before != NULL)
		cmd_printf(c, "%s %s of %s from %s to %s\n", verb, what, cmd_quoteaf(c, path),
			   before, now);
	else
		cmd_printf(c, "%s %s of %s to %s\n", verb, what, cmd_quoteaf(c, path), now);
}

/* --- one file --- */

static int change_entry(struct cmd *c, const struct chown_opts *o, const struct walk_entry *e)
{
	bool link = (e->st.mode & S_FMT) == S_LNK;
	bool follow = o->follow != FOLLOW_NO;
	const struct owner *to = &o->to;
	struct vfs_stat st = e->st;
	int err = 0;

	if (link && follow)
		err = cmd_stat_at(c, e->dir, e->at, 0, &st);
	if (err < 0) {
		if (!o->quiet)
			cmd_error(c, err, "cannot dereference %s", cmd_quoteaf(c, e->path));
		say(c, o, e->path, "failed to change", &e->st);
		return 1;
	}
	bool wanted = (o->from.uid == NO_ID || o->from.uid == st.uid) &&
		      (o->from.gid == NO_ID || o->from.gid == st.gid);
	bool same = (to->uid == NO_ID || to->uid == st.uid) &&
		    (to->gid == NO_ID || to->gid == st.gid);

	if (wanted)
		err = cmd_chown(c, e->dir, e->at, to->uid, to->gid, follow ? 0 : CMD_NOFOLLOW);
	if (err < 0 && !o->quiet)
		cmd_error(c, err, "changing %s of %s", to->uid != NO_ID ? "ownership" : "group",
			  cmd_quoteaf(c, e->path));
	say(c, o, e->path, err < 0 ? "failed to change" : wanted && !same ? "changed" : NULL, &st);
	return err < 0;
}

static int failed(struct cmd *c, const struct chown_opts *o, const struct walk_entry *e)
{
	if (!o->quiet)
		cmd_error(c, e->err, e->in_dir ? "cannot read directory %s" : "cannot access %s",
			  cmd_quoteaf(c, e->path));
	say(c, o, e->path, "failed to change", NULL);
	return 1;
}

static int change_tree(struct cmd *c, const struct chown_opts *o, const char *path)
{
	unsigned flags = o->recursive && o->walk == 'L'   ? WALK_FOLLOW | WALK_FOLLOW_ROOT
			 : o->recursive && o->walk == 'H' ? WALK_FOLLOW_ROOT
							  : 0;
	enum walk_kind in_vain = o->recursive ? WALK_DIR : WALK_DIR_END;
	struct walk *w = walk_new(c, path, flags | WALK_POST);
	struct walk_entry *e;
	int status = 0;

	while ((e = walk_next(w)) != NULL) {
		struct arena_mark mark = arena_mark(c->arena);

		if (e->kind == WALK_ERROR)
			status |= failed(c, o, e);
		else if (e->kind != in_vain)
			status |= change_entry(c, o, e);
		if (!o->recursive)
			walk_skip(w);
		arena_release(c->arena, mark);
	}
	walk_free(w);
	return status;
}

/* --- operands --- */

static int by_reference(struct cmd *c, struct chown_opts *o, bool group)
{
	struct vfs_stat st;
	int err = cmd_stat(c, o->reference, &st);

	if (err < 0)
		return cmd_error(c, err, "failed to get attributes of %s",
				 cmd_quoteaf(c, o->reference));
	o->to = (struct owner){ NO_ID, st.gid, NULL,
				id_name(c, cmd_group_name(c, st.gid), st.gid) };
	if (!group) {
		o->to.uid = st.uid;
		o->to.user = id_name(c, cmd_user_name(c, st.uid), st.uid);
	}
	return 0;
}

static int parse_target(struct cmd *c, struct chown_opts *o, bool group)
{
	bool known;

	if (o->reference != NULL)
		return by_reference(c, o, group);
	if (!group)
		return parse_owner(c, c->args[0], &o->to);
	o->to = (struct owner){ NO_ID, NO_ID, NULL, NULL };
	/* The number that means "unchanged" is taken from chgrp alone. */
	if (c->args[0][0] == '\0' || strcmp(c->args[0], "4294967295") == 0)
		return 0;
	if (parse_group(c, c->args[0], &o->to, &known)) {
		o->to.group = c->args[0];
		return 0;
	}
	return cmd_error(c, 0, "invalid group: %s", cmd_quote(c, c->args[0]));
}

static int change_all(struct cmd *c, bool group)
{
	struct chown_opts *o = c->opts;
	int first = o->reference == NULL;
	int status = 0;

	if (o->recursive && (o->walk == 0 || o->walk == 'P')) {
		if (o->follow == FOLLOW_YES)
			return cmd_error(c, 0, "-R --dereference requires either -H or -L");
		o->follow = FOLLOW_NO;
	}
	if (c->nargs < first + 1 && c->nargs > 0)
		return cmd_usage(c, "missing operand after %s", cmd_quote(c, c->args[0]));
	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (parse_target(c, o, group) != 0)
		return 1;
	for (int i = first; i < c->nargs; i++) {
		if (o->recursive && o->preserve_root &&
		    is_root(c, c->args[i], o->walk == 'H' || o->walk == 'L')) {
			status = refuse_root(c, c->args[i]);
			continue;
		}
		status |= change_tree(c, o, c->args[i]);
	}
	return status;
}

static int chown_run(struct cmd *c)
{
	return change_all(c, false);
}

static int chgrp_run(struct cmd *c)
{
	return change_all(c, true);
}

static void chown_defaults(struct cmd *c)
{
	((struct chown_opts *)c->opts)->from = (struct owner){ NO_ID, NO_ID, NULL, NULL };
}

const struct builtin builtin_chown = {
	.name = "chown",
	.usage = "[OPTION]... [OWNER][:[GROUP]] FILE...",
	.summary = "Changes the owner and the group of files.",
	.run = chown_run,
	.opts = chown_options,
	.opts_size = sizeof(struct chown_opts),
	.defaults = chown_defaults,
};

const struct builtin builtin_chgrp = {
	.name = "chgrp",
	.usage = "[OPTION]... GROUP FILE...",
	.summary = "Changes the group of files.",
	.run = chgrp_run,
	.opts = chgrp_options,
	.opts_size = sizeof(struct chown_opts),
	.defaults = chown_defaults,
};
