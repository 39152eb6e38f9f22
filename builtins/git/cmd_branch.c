/* SPDX-License-Identifier: MIT
 *
 * git branch.
 */
#include "builtins/git/columns.h"
#include "builtins/git/ref_format.h"
#include "builtins/git/worktree.h"

struct branch_opts {
	bool remotes, all, quiet, force, show_current, copy, list, unset_upstream, create_reflog,
		icase;
	int verbose;
	int deletion; /* 1 -d, 2 -D */
	int rename;   /* 1 -m, 2 -M */
	int copying;  /* 1 -c, 2 -C */
	bool track, no_track;
	const char *set_upstream;
	const char *format;
	struct names contains, no_contains, merged, no_merged, points_at;
	struct names sort;
	bool has_merged, has_no_merged;
	int color;
	bool edit_description;
	int abbrev; /* 0: as usual */
};

static int track_option(struct git *g, void *opts, const char *arg, bool unset)
{
	struct branch_opts *o = opts;

	(void)g, (void)arg;
	o->track = !unset;
	o->no_track = unset;
	return 0;
}

static int abbrev_option(struct git *g, void *opts, const char *arg, bool unset)
{
	int64_t n = OID_HEX;

	if (!unset && (arg == NULL || !git_number(arg, &n)))
		n = 0;
	else if (n == 0)
		n = OID_HEX;
	((struct branch_opts *)opts)->abbrev = (int)(n < 0 ? 4 : n > OID_HEX ? OID_HEX : n);
	(void)g;
	return 0;
}

static const struct git_option branch_options[] = {
	GIT_COUNT('v', "verbose", struct branch_opts, verbose),
	GIT_FLAG('q', "quiet", struct branch_opts, quiet),
	GIT_CALL_MAYBE('t', "track", track_option),
	GIT_STR('u', "set-upstream-to", struct branch_opts, set_upstream),
	GIT_FLAG(0, "unset-upstream", struct branch_opts, unset_upstream),
	GIT_CALL_MAYBE(0, "color", git_opt_color),
	GIT_FLAG('r', "remotes", struct branch_opts, remotes),
	GIT_FLAG('a', "all", struct branch_opts, all),
	GIT_SET('d', "delete", struct branch_opts, deletion, 1),
	GIT_SET('D', NULL, struct branch_opts, deletion, 2),
	GIT_SET('m', "move", struct branch_opts, rename, 1),
	GIT_SET('M', NULL, struct branch_opts, rename, 2),
	GIT_SET('c', "copy", struct branch_opts, copying, 1),
	GIT_SET('C', NULL, struct branch_opts, copying, 2),
	GIT_FLAG('l', "list", struct branch_opts, list),
	GIT_FLAG(0, "show-current", struct branch_opts, show_current),
	GIT_FLAG(0, "create-reflog", struct branch_opts, create_reflog),
	GIT_FLAG('f', "force", struct branch_opts, force),
	GIT_FLAG('i', "ignore-case", struct branch_opts, icase),
	GIT_STR(0, "format", struct branch_opts, format),
	GIT_LIST(0, "sort", struct branch_opts, sort),
	GIT_LIST(0, "points-at", struct branch_opts, points_at),
	GIT_MISSING(0, "edit-description"),
	GIT_CALL_MAYBE(0, "column", git_opt_columns),
	GIT_CALL_MAYBE(0, "abbrev", abbrev_option),
	GIT_LIST_HEAD("contains", struct branch_opts, contains),
	GIT_LIST_HEAD("no-contains", struct branch_opts, no_contains),
	GIT_LIST_HEAD("merged", struct branch_opts, merged),
	GIT_LIST_HEAD("no-merged", struct branch_opts, no_merged),
	GIT_END(),
};
static const char *const branch_usage[] = {
	"git branch [<options>] [-r | -a] [--merged] [--no-merged]",
	"git branch [<options>] [-f] [--recurse-submodules] <branch-name> [<start-point>]",
	"git branch [<options>] [-l] [<pattern>...]",
	"git branch [<options>] [-r] (-d | -D) <branch-name>...",
	"git branch [<options>] (-m | -M) [<old-branch>] <new-branch>",
	"git branch [<options>] (-c | -C) [<old-branch>] <new-branch>",
	"git branch [<options>] [-r | -a] [--points-at]",
	"git branch [<options>] [-r | -a] [--format]",
	NULL
};

/* --- upstream --- */

void branch_track(struct git *g, const char *branch, const char *upstream, bool quiet,
		  struct buf *out)
{
	char *config = config_local_path(g);
	const char *remote = ".";
	const char *merge = upstream;

	if (git_starts(upstream, "refs/remotes/")) {
		const char *slash = strchr(upstream + 13, '/');

		if (slash == NULL)
			return;
		remote = git_format(g->a, "%.*s", (int)(slash - upstream - 13), upstream + 13);
		merge = git_format(g->a, "refs/heads/%s", slash + 1);
	}
	config_change(g, config, git_format(g->a, "branch.%s.remote", branch), remote, NULL,
		      CONFIG_SET);
	config_change(g, config, git_format(g->a, "branch.%s.merge", branch), merge, NULL,
		      CONFIG_SET);
	g->config->loaded = false;
	g->config->n = 0;
	config_load(g);
	(void)quiet;
	buf_printf(out, "branch '%s' set up to track '%s'%s.\n", branch, ref_short(g, upstream),
		   config_bool(g, "branch.autosetuprebase", false) ? " by rebasing" : "");
}

static const char *branch_or_head(struct git *g, struct args *args, int at, const char *what)
{
	char *head;

	if (args->argc > at)
		return args->argv[at];
	head = head_ref(g);
	if (head == NULL)
		git_die(g,
			"could not set upstream of HEAD to %s when it does not point to any "
			"branch.",
			what);
	return ref_short(g, head);
}

static int set_upstream(struct git *g, const struct branch_opts *o, struct args *args)
{
	const char *branch = branch_or_head(g, args, 0, o->set_upstream);
	bool several;
	struct oid oid;
	char *full = ref_expand(g, o->set_upstream, &oid, &several);
	struct buf b = buf_in(g->a);

	if (!ref_exists(g, git_format(g->a, "refs/heads/%s", branch)))
		git_die(g, "branch '%s' does not exist", branch);
	if (full == NULL) {
		git_say(g, "fatal: the requested upstream branch '%s' does not exist\n",
			o->set_upstream);
		git_hint(g, "setUpstreamFailure",
			 "\nIf you are planning on basing your work on an upstream\n"
			 "branch that already exists at the remote, you may need to\n"
			 "run \"git fetch\" to retrieve it.\n\n"
			 "If you are planning to push out a new local branch that\n"
			 "will track its remote counterpart, you may want to use\n"
			 "\"git push -u\" to set the upstream config as you push.\n"
			 "Disable this message with \"git config advice.setUpstreamFailure "
			 "false\"\n");
		return GIT_STATUS_FATAL;
	}
	branch_track(g, branch, full, o->quiet, &b);
	if (!o->quiet)
		cmd_bytes(g->c, buf_bytes(&b));
	return 0;
}

static int unset_upstream(struct git *g, struct args *args)
{
	const char *branch = branch_or_head(g, args, 0, "");
	char *config = config_local_path(g);

	if (config_get(g, git_format(g->a, "branch.%s.merge", branch)) == NULL)
		git_die(g, "Branch '%s' has no upstream information", branch);
	config_change(g, config, git_format(g->a, "branch.%s.remote", branch), NULL, NULL,
		      CONFIG_UNSET_ALL);
	config_change(g, config, git_format(g->a, "branch.%s.merge", branch), NULL, NULL,
		      CONFIG_UNSET_ALL);
	return 0;
}

/* --- deleting, renaming --- */

static bool checked_out(struct git *g, const char *full)
{
	char *head = head_ref(g);

	return head != NULL && strcmp(head, full) == 0;
}

static bool is_merged(struct git *g, const char *full, const struct oid *o)
{
	const char *why;
	char *upstream = rev_upstream(g, full, &why);
	struct oid to, c;

	if (!object_peel(g, o, OBJECT_COMMIT, &c))
		return true;
	if (upstream != NULL && ref_read(g, upstream, &to, NULL) == 0)
		return is_ancestor(g, commit_at(g, &c), commit_at(g, &to));
	if (!head_oid(g, &to))
		return true;
	return is_ancestor(g, commit_at(g, &c), commit_at(g, &to));
}

static int delete_branches(struct git *g, const struct branch_opts *o, struct args *args)
{
	int status = 0;

	if (args->argc == 0)
		git_die(g, "branch name required");
	for (int i = 0; i < args->argc; i++) {
		const char *name = args->argv[i];
		char *full;
		struct oid oid;
		bool force = o->deletion == 2 || o->force;

		if (strcmp(name, "-") == 0 && rev_previous(g, 1) != NULL)
			name = rev_previous(g, 1);
		full = git_format(g->a, "refs/%s/%s", o->remotes ? "remotes" : "heads", name);
		if (!o->remotes && checked_out(g, full)) {
			status = git_error(g, "Cannot delete branch '%s' checked out at '%s'", name,
					   g->work != NULL ? g->work : g->dir);
			continue;
		}
		const char *used = o->remotes ? NULL : worktree_using(g, full);

		if (used != NULL) {
			status = git_error(g, "Cannot delete branch '%s' checked out at '%s'", name,
					   used);
			continue;
		}
		if (ref_read(g, full, &oid, NULL) < 0) {
			status = git_error(g, "%sbranch '%s' not found.",
					   o->remotes ? "remote-tracking " : "", name);
			continue;
		}
		if (!force && !o->remotes && !is_merged(g, full, &oid)) {
			git_error(g,
				  "The branch '%s' is not fully merged.\n"
				  "If you are sure you want to delete it, run 'git branch -D %s'.",
				  name, name);
			status = 1;
			continue;
		}
		ref_delete(g, full);
		config_rename_section(g, config_local_path(g), git_format(g->a, "branch.%s", name),
				      NULL);
		if (!o->quiet)
			git_printf(g, "Deleted %sbranch %s (was %s).\n",
				   o->remotes ? "remote-tracking " : "", name,
				   oid_short(g, &oid, 0));
	}
	return status;
}

static int rename_branch(struct git *g, const struct branch_opts *o, struct args *args)
{
	bool copy = o->copying != 0;
	bool force = o->rename == 2 || o->copying == 2 || o->force;
	char *head = head_ref(g);
	const char *from;
	const char *to;
	char *old_full, *new_full;
	struct oid oid;

	if (args->argc == 0)
		git_die(g, "branch name required");
	if (args->argc > 2)
		git_die(g, copy ? "too many branches for a copy operation"
				: "too many arguments for a rename operation");
	if (args->argc == 1 && head == NULL)
		git_die(g, "cannot %s the current branch while not on any.",
			copy ? "copy" : "rename");
	from = args->argc == 2 ? args->argv[0] : ref_short(g, head);
	to = args->argv[args->argc - 1];
	old_full = git_format(g->keep, "refs/heads/%s", from);
	new_full = git_format(g->keep, "refs/heads/%s", to);
	if (!ref_branch_valid(to))
		git_die(g, "'%s' is not a valid branch name", to);
	if (ref_read(g, old_full, &oid, NULL) < 0) {
		if (head != NULL && strcmp(head, old_full) == 0 && !copy) {
			ref_set_symbolic(g, "HEAD", new_full, NULL); /* unborn */
			return 0;
		}
		git_die(g, "No branch named '%s'.", from);
	}
	if (!force && strcmp(from, to) != 0 && ref_exists(g, new_full))
		git_die(g, "a branch named '%s' already exists", to);
	if (strcmp(from, to) == 0)
		return 0;
	if (ref_exists(g, new_full)) {
		if (checked_out(g, new_full))
			git_die(g, "cannot force update the branch '%s' checked out at '%s'", to,
				g->work != NULL ? g->work : g->dir);
		ref_delete(g, new_full);
	}
	char *message = git_format(g->a, "Branch: %s %s to %s", copy ? "copied" : "renamed",
				   old_full, new_full);

	if (copy)
		ref_update(g, new_full, &oid, NULL, message, true);
	else
		ref_rename(g, old_full, new_full, message);
	if (!copy && head != NULL && strcmp(head, old_full) == 0) {
		ref_set_symbolic(g, "HEAD", new_full, NULL);
		reflog_add(g, "HEAD", &oid, &oid_null, message);
		reflog_add(g, "HEAD", &oid_null, &oid, message);
	}
	if (!copy)
		config_rename_section(g, config_local_path(g), git_format(g->a, "branch.%s", from),
				      git_format(g->a, "branch.%s", to));
	return 0;
}

static int create_branch(struct git *g, const struct branch_opts *o, struct args *args)
{
	const char *name = args->argv[0];
	const char *start = args->argc > 1 ? args->argv[1] : "HEAD";
	char *full = git_format(g->a, "refs/heads/%s", name);
	struct oid oid, c;
	bool exists, several;
	char *start_ref;
	char *head = head_ref(g);
	struct buf b = buf_in(g->a);

	if (args->argc > 2)
		git_usage(g, branch_usage);
	if (!ref_branch_valid(name))
		git_die(g, "'%s' is not a valid branch name", name);
	exists = ref_exists(g, full);
	if (exists && !o->force)
		git_die(g, "a branch named '%s' already exists", name);
	if (exists && checked_out(g, full))
		git_die(g, "cannot force update the branch '%s' checked out at '%s'", name,
			g->work != NULL ? g->work : g->dir);
	if (rev_parse(g, start, &oid) < 0) {
		if (args->argc < 2 && head != NULL)
			git_die(g, "not a valid object name: '%s'", ref_short(g, head));
		git_die(g, "not a valid object name: '%s'", start);
	}
	if (!object_peel(g, &oid, OBJECT_COMMIT, &c))
		git_die(g, "not a valid branch point: '%s'", start);
	ref_update(g, full, &c, NULL,
		   git_format(g->a, exists ? "branch: Reset to %s" : "branch: Created from %s",
			      args->argc > 1 ? start
			      : head != NULL ? ref_short(g, head)
					     : "HEAD"),
		   false);
	start_ref = ref_expand(g, start, &oid, &several);
	if (start_ref != NULL && !o->no_track &&
	    (o->track || (git_starts(start_ref, "refs/remotes/") &&
			  (config_get(g, "branch.autosetupmerge") == NULL ||
			   config_truth(config_get(g, "branch.autosetupmerge")) != 0)))) {
		branch_track(g, name, start_ref, o->quiet, &b);
		if (!o->quiet)
			cmd_bytes(g->c, buf_bytes(&b));
	}
	return 0;
}

/* --- listing --- */

struct branch_row {
	const char *name; /* full; NULL: detached HEAD */
	const char *shown;
	struct oid oid;
	const char *target;
	bool current;
};

static char *detached_name(struct git *g)
{
	struct buf b = buf_in(g->a);
	char *text;

	status_put_detached(g, "", "", &b);
	text = buf_cstr(&b);
	text[strcspn(text, "\n")] = '\0';
	if (git_starts(text, "rebase in progress; onto ") ||
	    git_starts(text, "interactive rebase in progress; onto ")) {
		char *name = state_read(g, "rebase-merge/head-name");

		if (name != NULL) {
			name[strcspn(name, "\n")] = '\0';
			return git_format(g->a, "(no branch, rebasing %s)", ref_short(g, name));
		}
	}
	if (strcmp(text, "Not currently on any branch.") == 0)
		return arena_dup(g->a, BYTES("(no branch)"));
	return git_format(g->a, "(%s)", text);
}

static bool commit_filter(struct git *g, const struct names *list, const struct oid *o,
			  bool contains, bool want)
{
	struct oid c, other;

	if (list->n == 0)
		return true;
	if (!object_peel(g, o, OBJECT_COMMIT, &c))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		bool yes;

		if (rev_parse(g, list->at[i], &other) < 0) {
			if (!contains)
				git_die(g, "malformed object name %s", list->at[i]);
			git_error(g, "malformed object name %s", list->at[i]);
			git_exit(g, GIT_STATUS_USAGE);
		}
		if (!object_peel(g, &other, OBJECT_COMMIT, &other))
			git_die(g, "no such commit %s", list->at[i]);
		yes = contains ? is_ancestor(g, commit_at(g, &other), commit_at(g, &c))
			       : is_ancestor(g, commit_at(g, &c), commit_at(g, &other));
		if (yes)
			return want;
	}
	return !want;
}

static bool row_wanted(struct git *g, const struct branch_opts *o, const struct branch_row *r,
		       struct args *args)
{
	bool hit = args->argc == 0;

	for (int i = 0; i < args->argc && !hit; i++)
		hit = wild_match(args->argv[i], bytes_of(r->shown), o->icase ? WILD_ICASE : 0);
	for (size_t i = 0; i < o->points_at.n; i++) {
		struct oid p;

		if (rev_parse(g, o->points_at.at[i], &p) < 0)
			git_die(g, "malformed object name %s", o->points_at.at[i]);
		hit = hit && oid_eq(&p, &r->oid);
	}
	return hit && commit_filter(g, &o->contains, &r->oid, true, true) &&
	       commit_filter(g, &o->no_contains, &r->oid, true, false) &&
	       commit_filter(g, &o->merged, &r->oid, false, true) &&
	       commit_filter(g, &o->no_merged, &r->oid, false, false);
}

static void put_verbose(struct git *g, const struct branch_opts *o, const struct branch_row *r,
			struct buf *out)
{
	struct commit_text t;
	const char *why;
	char *upstream = r->name != NULL && git_starts(r->name, "refs/heads/")
				 ? rev_upstream(g, r->name, &why)
				 : NULL;
	bool color = color_wanted(g, "color.branch");
	struct oid b;

	if (r->target != NULL) {
		buf_printf(out, "-> %s", ref_short(g, r->target));
		return;
	}
	buf_printf(out, "%s ", oid_short(g, &r->oid, o->abbrev));
	if (o->verbose > 1 && !r->current && r->name != NULL && worktree_using(g, r->name) != NULL)
		buf_printf(out, "(%s%s%s) ", color ? "\033[36m" : "", worktree_using(g, r->name),
			   color ? COLOR_RESET : "");
	if (upstream != NULL) {
		size_t ahead = 0, behind = 0;
		bool gone = ref_read(g, upstream, &b, NULL) < 0;

		if (!gone)
			count_ahead_behind(g, commit_at(g, &r->oid), commit_at(g, &b), &ahead,
					   &behind);
		if (o->verbose > 1)
			buf_printf(out, "[%s%s%s", color ? "\033[34m" : "",
				   ref_shorten(g, upstream), color ? COLOR_RESET : "");
		if (gone || ahead != 0 || behind != 0) {
			buf_puts(out, o->verbose > 1 ? ": " : "[");
			if (gone)
				buf_puts(out, "gone");
			if (ahead != 0)
				buf_printf(out, "ahead %zu%s", ahead, behind != 0 ? ", " : "");
			if (behind != 0)
				buf_printf(out, "behind %zu", behind);
			buf_puts(out, "] ");
		} else if (o->verbose > 1) {
			buf_puts(out, "] ");
		}
	}
	commit_text(g, g->a, &r->oid, &t);
	buf_add(out, message_subject(g->a, t.message));
}

/* Of rows in order of their names. */
static const struct branch_row *row_of(const struct branch_row *rows, size_t n, const char *name)
{
	size_t from = 0, to = n;

	while (to - from > 1) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(rows[middle].name, name) <= 0)
			from = middle;
		else
			to = middle;
	}
	return &rows[from];
}

/* Rows come in order of their names, that of a detached HEAD first, which stays there. */
static void sort_rows(struct git *g, struct branch_opts *o, struct branch_row *rows, size_t n)
{
	struct branch_row *copy;
	struct ref *refs;

	if (n != 0 && rows[0].name == NULL)
		rows++, n--;
	if (o->sort.n == 0 && config_get(g, "branch.sort") != NULL)
		names_add(g, &o->sort, config_get(g, "branch.sort"));
	if (n == 0 || o->sort.n == 0)
		return;
	copy = arena_array(g->a, n, sizeof(*copy));
	refs = arena_array(g->a, n, sizeof(*refs));
	memcpy(copy, rows, n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		refs[i] = (struct ref){ .name = (char *)(uintptr_t)rows[i].name,
					.oid = rows[i].oid };
	ref_sort(g, refs, n, &o->sort);
	for (size_t i = 0; i < n; i++)
		rows[i] = *row_of(copy, n, refs[i].name);
}

static char *row_text(struct git *g, const struct branch_opts *o, const struct branch_row *r,
		      size_t width, bool color)
{
	struct buf b = buf_in(g->a);
	const char *set = !color                                                    ? ""
			  : r->current                                              ? "\033[32m"
			  : r->name != NULL && git_starts(r->name, "refs/remotes/") ? "\033[31m"
										    : "";
	bool elsewhere = !r->current && r->name != NULL && worktree_using(g, r->name) != NULL;

	buf_printf(&b, "%s %s%s", r->current ? "*" : elsewhere ? "+" : " ", set, r->shown);
	if (o->verbose > 0)
		buf_fill(&b, ' ', width - git_columns(bytes_of(r->shown)));
	if (color)
		buf_puts(&b, COLOR_RESET);
	if (o->verbose > 0) {
		buf_putc(&b, ' ');
		put_verbose(g, o, r, &b);
	} else if (r->target != NULL) {
		buf_printf(&b, " -> %s", ref_short(g, r->target));
	}
	return buf_cstr(&b);
}

static int list_branches(struct git *g, struct branch_opts *o, struct args *args)
{
	struct branch_row *rows = NULL;
	size_t n = 0, cap = 0, width = 0;
	struct ref *list;
	struct oid head;
	char *current = head_ref(g);
	bool color = color_wanted(g, "color.branch");

	if (current == NULL && head_oid(g, &head) && !o->remotes) {
		LIST_ROOM(g, rows, n, cap);
		rows[n] = (struct branch_row){ .shown = detached_name(g),
					       .oid = head,
					       .current = true };
		n += row_wanted(g, o, &rows[n], args);
	}
	for (int k = 0; k < 2; k++) {
		size_t count;

		if (k == 0 ? o->remotes && !o->all : !o->remotes && !o->all)
			continue;
		count = ref_list(g, k == 0 ? "refs/heads/" : "refs/remotes/", &list);
		for (size_t i = 0; i < count; i++) {
			LIST_ROOM(g, rows, n, cap);
			rows[n] = (struct branch_row){ .name = list[i].name,
						       .oid = list[i].oid,
						       .shown = list[i].name + (k == 0   ? 11
										: o->all ? 5
											 : 13),
						       .target = list[i].target };
			rows[n].current = k == 0 && current != NULL &&
					  strcmp(current, list[i].name) == 0;
			n += !list[i].broken && row_wanted(g, o, &rows[n], args);
		}
	}
	sort_rows(g, o, rows, n);
	if (o->format != NULL) {
		for (size_t i = 0; i < n; i++)
			ref_put_format(g, o->format, REF_QUOTE_NONE,
				       rows[i].name != NULL ? rows[i].name : rows[i].shown,
				       &rows[i].oid, rows[i].target);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		size_t w = git_columns(bytes_of(rows[i].shown));

		width = w > width ? w : width;
	}
	struct names cells = { NULL, 0, 0 };
	struct columns columns;

	columns_settle(g, "branch", &columns);
	if (o->verbose > 0 && g->columns != NULL && columns_active(g, &columns))
		git_die(g, "options '%s' and '%s' cannot be used together", "--column",
			"--verbose");
	bool aside = o->verbose == 0 && columns_active(g, &columns);

	for (size_t i = 0; i < n; i++) {
		char *text = row_text(g, o, &rows[i], width, color);

		if (aside)
			names_add(g, &cells, text);
		else
			git_printf(g, "%s\n", text);
	}
	if (aside)
		columns_put(g, &columns, &cells);
	return 0;
}

int git_cmd_branch(struct git *g, struct args *args)
{
	struct branch_opts o = { .quiet = false };
	const struct git_parser p = { branch_options, &o, branch_usage, 0, NULL };
	bool filters;

	git_parse(g, args, &p);
	filters = o.contains.n + o.no_contains.n + o.merged.n + o.no_merged.n + o.points_at.n != 0;
	if (o.show_current) {
		char *head = head_ref(g);

		if (head != NULL)
			git_printf(g, "%s\n", ref_short(g, head));
		return 0;
	}
	if (o.set_upstream != NULL)
		return set_upstream(g, &o, args);
	if (o.unset_upstream)
		return unset_upstream(g, args);
	if (o.deletion != 0)
		return delete_branches(g, &o, args);
	if (o.rename != 0 || o.copying != 0)
		return rename_branch(g, &o, args);
	if (o.list || filters || args->argc == 0 || o.format != NULL)
		return list_branches(g, &o, args);
	if (o.remotes || o.all)
		git_die(g, "The -a, and -r, options to 'git branch' do not take a branch name.\n"
			   "Did you mean to use: -a|-r --list <pattern>?");
	return create_branch(g, &o, args);
}
