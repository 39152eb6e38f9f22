/* SPDX-License-Identifier: MIT
 *
 * git push: references of this repository into another one of this machine.
 */
#include "builtins/git/checkout.h"
#include "builtins/git/push.h"

enum { SUMMARY_WIDTH = 17 };

struct push_opts {
	bool quiet, all, mirror, delete, tags, dry_run, porcelain, force, prune, upstream, progress,
		no_verify, atomic, follow_tags, thin, if_includes;
	int verbose;
	bool lease_all;
	struct names leases;
	const char *repo;
	const char *receive;
};

static int add_lease(struct git *g, void *opts, const char *arg, bool unset)
{
	struct push_opts *o = opts;

	if (unset) {
		o->lease_all = false;
		o->leases.n = 0;
	} else if (arg == NULL) {
		o->lease_all = true;
	} else {
		names_add(g, &o->leases, arg);
	}
	return 0;
}

static int set_verify(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)arg;
	((struct push_opts *)opts)->no_verify = unset;
	return 0;
}

static const struct git_option push_options[] = {
	GIT_COUNT('v', "verbose", struct push_opts, verbose),
	GIT_FLAG('q', "quiet", struct push_opts, quiet),
	GIT_STR(0, "repo", struct push_opts, repo),
	GIT_FLAG(0, "all", struct push_opts, all),
	GIT_FLAG(0, "mirror", struct push_opts, mirror),
	GIT_FLAG('d', "delete", struct push_opts, delete),
	GIT_FLAG(0, "tags", struct push_opts, tags),
	GIT_FLAG('n', "dry-run", struct push_opts, dry_run),
	GIT_FLAG(0, "porcelain", struct push_opts, porcelain),
	GIT_FLAG('f', "force", struct push_opts, force),
	GIT_CALL_MAYBE(0, "force-with-lease", add_lease),
	GIT_FLAG(0, "force-if-includes", struct push_opts, if_includes),
	GIT_MISSING(0, "recurse-submodules"),
	GIT_FLAG(0, "thin", struct push_opts, thin),
	GIT_STR(0, "receive-pack", struct push_opts, receive),
	GIT_FLAG('u', "set-upstream", struct push_opts, upstream),
	GIT_FLAG(0, "progress", struct push_opts, progress),
	GIT_FLAG(0, "prune", struct push_opts, prune),
	GIT_CALL(0, "verify", set_verify),
	GIT_FLAG(0, "follow-tags", struct push_opts, follow_tags),
	GIT_MISSING(0, "signed"),
	GIT_FLAG(0, "atomic", struct push_opts, atomic),
	GIT_MISSING_ARG('o', "push-option"),
	GIT_END(),
};
static const char *const push_usage[] = { "git push [<options>] [<repository> [<refspec>...]]",
					  NULL };

struct pushing {
	struct git *g;
	struct git *to;
	struct push_opts o;
	struct remote remote;
	const char *given; /* the remote was named */
	struct ref *there;
	size_t nthere;
	struct ref *here;
	size_t nhere;
	struct push_ref *at;
	size_t n;
	size_t cap;
	bool failed;
	bool said_to;
};

/* --- what is pushed --- */

static const struct ref *ref_there(const struct pushing *p, const char *name)
{
	git_charge_search(p->g, p->nthere, name);
	for (size_t i = 0; i < p->nthere; i++)
		if (strcmp(p->there[i].name, name) == 0)
			return &p->there[i];
	return NULL;
}

static _Noreturn void give_up(struct pushing *p)
{
	git_error(p->g, "failed to push some refs to '%s'", p->remote.push_url);
	git_exit(p->g, 1);
}

static void add_push(struct pushing *p, const char *src, const char *local, const char *dst,
		     const struct oid *o, bool force)
{
	struct git *g = p->g;
	const struct ref *old = ref_there(p, dst);
	struct push_ref *r;

	git_charge_search(g, p->n, dst);
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->at[i].dst, dst) != 0)
			continue;
		if (src != NULL && p->at[i].src != NULL && strcmp(p->at[i].src, src) == 0)
			return;
		git_error(g, "dst ref %s receives from more than one src", dst);
		give_up(p);
	}
	LIST_ROOM(g, p->at, p->n, p->cap);
	r = &p->at[p->n++];
	*r = (struct push_ref){ .src = src, .local = local, .force = force || p->o.force };
	r->dst = arena_dup(g->keep, bytes_of(dst));
	r->new_oid = src != NULL ? *o : oid_null;
	r->has_old = old != NULL;
	if (old != NULL)
		r->old = old->oid;
}

/* Where something goes that is neither branch nor tag must be said in full. */
static void say_unqualified(struct git *g, const struct refspec *s)
{
	static const struct {
		const char *what;
		const char *advice;
		const char *dir;
	} kinds[] = {
		[OBJECT_COMMIT] = { "commit object", "create a new branch", "heads" },
		[OBJECT_TREE] = { "tree object", "tag a new tree", "tags" },
		[OBJECT_BLOB] = { "blob object", "tag a new blob", "tags" },
		[OBJECT_TAG] = { "tag object", "create a new tag", "tags" },
	};
	struct oid o;
	uint64_t size;
	enum object_type type = rev_parse(g, s->src, &o) == 0 ? object_info(g, &o, &size)
							      : OBJECT_NONE;

	git_error(g,
		  "The destination you provided is not a full refname (i.e.,\n"
		  "starting with \"refs/\"). We tried to guess what you meant by:\n\n"
		  "- Looking for a ref that matches '%s' on the remote side.\n"
		  "- Checking if the <src> being pushed ('%s')\n"
		  "  is a ref in \"refs/{heads,tags}/\". If so we add a corresponding\n"
		  "  refs/{heads,tags}/ prefix on the remote side.\n\n"
		  "Neither worked, so we gave up. You must fully qualify the ref.",
		  s->dst, s->src);
	if (type == OBJECT_NONE)
		return;
	git_hint(g, "pushUnqualifiedRefName",
		 "The <src> part of the refspec is a %s.\n"
		 "Did you mean to %s by pushing to\n'%s:refs/%s/%s'?\n",
		 kinds[type].what, kinds[type].advice, s->src, kinds[type].dir, s->dst);
}

/* "x" there: a reference that it means, or a new one of the kind the source is. */
static char *full_dst(struct pushing *p, const struct refspec *s, const char *local)
{
	struct git *g = p->g;
	const char *dst = s->dst;
	static const char *const rules[] = { "refs/heads/", "refs/tags/", "refs/remotes/",
					     "refs/" };

	if (git_starts(dst, "refs/"))
		return arena_dup(g->keep, bytes_of(dst));
	for (size_t i = 0; i < 4; i++) {
		char *full = git_format(g->keep, "%s%s", rules[i], dst);

		if (ref_there(p, full) != NULL)
			return full;
	}
	if (s->src[0] == '\0') {
		git_error(g, "unable to delete '%s': remote ref does not exist", dst);
		return NULL;
	}
	if (local != NULL && git_starts(local, "refs/tags/"))
		return git_format(g->keep, "refs/tags/%s", dst);
	if (local != NULL && git_starts(local, "refs/heads/"))
		return git_format(g->keep, "refs/heads/%s", dst);
	say_unqualified(g, s);
	return NULL;
}
static void push_pattern(struct pushing *p, const struct refspec *s)
{
	git_charge_search(p->g, p->nhere * 4, s->src);
	for (size_t i = 0; i < p->nhere; i++) {
		struct refspec whole = *s;
		char *dst;

		if (strcmp(p->here[i].name, "HEAD") == 0)
			continue;
		if (s->dst == NULL)
			whole.dst = s->src;
		dst = refspec_map(p->g, &whole, p->here[i].name);
		if (dst != NULL)
			add_push(p, p->here[i].name, p->here[i].name, dst, &p->here[i].oid,
				 s->force);
	}
}

static void push_matching(struct pushing *p, bool force)
{
	for (size_t i = 0; i < p->nhere; i++)
		if (git_starts(p->here[i].name, "refs/heads/") &&
		    ref_there(p, p->here[i].name) != NULL)
			add_push(p, p->here[i].name, p->here[i].name, p->here[i].name,
				 &p->here[i].oid, force);
}

/* False after a message. */
static bool push_spec(struct pushing *p, struct refspec *s)
{
	struct git *g = p->g;
	struct oid o = oid_null;
	bool several;
	char *local = NULL;
	char *dst;

	if (s->negative)
		git_refuse(g, "a negative refspec");
	if (s->matching) {
		push_matching(p, s->force);
		return true;
	}
	if (s->pattern) {
		push_pattern(p, s);
		return true;
	}
	if (s->src[0] != '\0') {
		local = ref_expand(g, s->src, &o, &several);
		if (local != NULL && several && !git_starts(s->src, "refs/"))
			local = NULL;
		if (local == NULL && rev_parse(g, s->src, &o) < 0) {
			git_error(g, "src refspec %s does not match any", s->src);
			return false;
		}
		/* HEAD pushes the branch it stands for, under its own name. */
		if (local != NULL && strcmp(local, "HEAD") == 0) {
			char *head = head_ref(g);

			if (s->dst == NULL && head == NULL)
				git_die(g, "HEAD cannot be resolved to branch");
			if (s->dst == NULL)
				s->dst = head;
			local = head != NULL ? arena_dup(g->keep, bytes_of(head)) : NULL;
		}
	}
	if (s->dst == NULL) {
		if (local == NULL) {
			s->dst = s->src;
		} else {
			s->dst = local;
		}
	}
	dst = full_dst(p, s, local);
	if (dst == NULL)
		return false;
	if (s->src[0] == '\0' && ref_there(p, dst) == NULL) {
		/* Only a full name can be sent to be told so. */
		if (!git_starts(s->dst, "refs/"))
			return false;
	}
	const char *shown = strcmp(s->src, "HEAD") == 0 || strcmp(s->src, "@") == 0 ? "HEAD"
			    : local != NULL                                         ? local
										    : s->src;

	add_push(p, s->src[0] != '\0' ? shown : NULL, local, dst, &o, s->force);
	return true;
}

/* --- without refspecs: push.default --- */

static _Noreturn void no_upstream(struct git *g, const char *branch, const char *remote)
{
	git_die(g,
		"The current branch %s has no upstream branch.\n"
		"To push the current branch and set the remote as upstream, use\n\n"
		"    git push --set-upstream %s %s\n\n"
		"To have this happen automatically for branches without a tracking\n"
		"upstream, see 'push.autoSetupRemote' in 'git help config'.\n",
		branch, remote, branch);
}

static _Noreturn void other_upstream(struct pushing *p, const char *merge)
{
	const char *tail = git_starts(merge, "refs/heads/") ? merge + 11 : merge;

	git_die(p->g,
		"The upstream branch of your current branch does not match\n"
		"the name of your current branch.  To push to the upstream branch\n"
		"on the remote, use\n\n    git push %s HEAD:%s\n\n"
		"To push to the branch of the same name on the remote, use\n\n"
		"    git push %s HEAD\n\n"
		"To choose either option permanently, see push.default in 'git help config'.\n\n"
		"To avoid automatically configuring an upstream branch when its name\n"
		"won't match the local branch, see option 'simple' of branch.autoSetupMerge\n"
		"in 'git help config'.\n",
		p->remote.name, tail, p->remote.name);
}

static const char *config_default(struct git *g)
{
	const char *mode = config_get(g, "push.default");

	if (mode == NULL)
		return "simple";
	if (strcmp(mode, "tracking") == 0)
		return "upstream";
	for (const char *const *w = (const char *const[]){ "simple", "nothing", "matching",
							   "current", "upstream", NULL };
	     *w != NULL; w++)
		if (strcmp(mode, *w) == 0)
			return mode;
	git_error(g, "malformed value for push.default: %s", mode);
	git_error(g, "must be one of nothing, matching, simple, upstream or current");
	git_die(g, "unable to parse 'push.default' from command-line config");
}

static void push_default(struct pushing *p, struct refspecs *out)
{
	struct git *g = p->g;
	const char *mode = config_default(g);
	char *head = head_ref(g);
	const char *branch, *merge, *own;
	struct remote usual;
	bool triangular;

	if (strcmp(mode, "nothing") == 0)
		git_die(g, "You didn't specify any refspecs to push, and push.default is "
			   "\"nothing\".");
	if (strcmp(mode, "matching") == 0) {
		refspec_add(g, out, ":", false);
		return;
	}
	if (head == NULL)
		git_die(g,
			"You are not currently on a branch.\n"
			"To push the history leading to the current (detached HEAD)\n"
			"state now, use\n\n    git push %s HEAD:<name-of-remote-branch>\n",
			p->remote.name);
	branch = ref_short(g, head);
	merge = config_get(g, git_format(g->a, "branch.%s.merge", branch));
	own = config_get(g, git_format(g->a, "branch.%s.remote", branch));
	remote_get(g, own != NULL ? own : remote_default(g), &usual);
	triangular = usual.configured && strcmp(p->remote.name, usual.name) != 0;
	if (strcmp(mode, "current") == 0 || (strcmp(mode, "simple") == 0 && triangular)) {
		refspec_add(g, out, git_format(g->a, "%s:%s", head, head), false);
		return;
	}
	if (merge == NULL || own == NULL) {
		if (p->o.upstream || config_bool(g, "push.autosetupremote", false)) {
			p->o.upstream = true;
			refspec_add(g, out, git_format(g->a, "%s:%s", head, head), false);
			return;
		}
		no_upstream(g, branch, p->remote.name);
	}
	if (strcmp(mode, "simple") == 0 && strcmp(merge, head) != 0)
		other_upstream(p, merge);
	if (strcmp(mode, "upstream") == 0 && triangular)
		git_die(g,
			"You are pushing to remote '%s', which is not the upstream of\n"
			"your current branch '%s', without telling me what to push\n"
			"to update which remote branch.",
			p->remote.name, branch);
	refspec_add(g, out, git_format(g->a, "%s:%s", head, merge), false);
}

/* Tags of what is pushed: --follow-tags. */
static void push_tags_along(struct pushing *p)
{
	struct git *g = p->g;
	size_t n = p->n;

	for (size_t i = 0; i < p->nhere; i++) {
		const struct ref *r = &p->here[i];
		struct oid c;
		uint64_t size;
		bool reached = false;

		if (!git_starts(r->name, "refs/tags/") || ref_there(p, r->name) != NULL ||
		    object_info(g, &r->oid, &size) != OBJECT_TAG ||
		    !object_peel(g, &r->oid, OBJECT_COMMIT, &c))
			continue;
		for (size_t k = 0; k < n && !reached; k++) {
			struct oid tip;

			cmd_charge(g->c, 1);
			reached = p->at[k].src != NULL &&
				  object_peel(g, &p->at[k].new_oid, OBJECT_COMMIT, &tip) &&
				  is_ancestor(g, commit_at(g, &c), commit_at(g, &tip));
		}
		if (reached)
			add_push(p, r->name, r->name, r->name, &r->oid, false);
	}
}

static void prune_there(struct pushing *p, const struct refspecs *specs)
{
	for (size_t i = 0; i < p->nthere; i++) {
		bool kept = strcmp(p->there[i].name, "HEAD") == 0;
		bool ours = p->o.mirror;

		git_charge_search(p->g, specs->n * 4 + p->n, p->there[i].name);
		for (size_t k = 0; k < specs->n && !ours; k++) {
			struct refspec back = specs->at[k];

			back.src = specs->at[k].dst != NULL ? specs->at[k].dst : specs->at[k].src;
			back.dst = specs->at[k].src;
			ours = refspec_map(p->g, &back, p->there[i].name) != NULL;
		}
		for (size_t k = 0; k < p->n && !kept; k++)
			kept = strcmp(p->at[k].dst, p->there[i].name) == 0;
		if (ours && !kept)
			add_push(p, NULL, NULL, p->there[i].name, &oid_null, true);
	}
}

/* What the command line and the configuration want pushed. */
static struct refspecs settle_specs(struct pushing *p, char **specs, int n)
{
	struct git *g = p->g;
	struct refspecs list = { NULL, 0, 0 };

	for (int i = 0; i < n; i++) {
		const char *text = specs[i];

		if (p->o.delete) {
			if (text[0] == ':' || strchr(text, ':') != NULL)
				git_die(g, "--delete only accepts plain target ref names");
			text = git_format(g->keep, ":%s", text);
		} else if (strcmp(text, "tag") == 0 && i + 1 < n) {
			i++;
			text = git_format(g->keep, "refs/tags/%s", specs[i]);
		}
		refspec_add(g, &list, text, false);
	}
	if (p->o.all)
		refspec_add(g, &list, "refs/heads/*", false);
	if (p->o.mirror)
		refspec_add(g, &list, "+refs/*:refs/*", false);
	if (list.n == 0 && !p->o.tags && p->remote.push.n != 0)
		list = p->remote.push;
	if (p->o.tags)
		refspec_add(g, &list, "refs/tags/*", false);
	if (list.n == 0)
		push_default(p, &list);
	return list;
}

static void choose(struct pushing *p, const struct refspecs *list)
{
	struct git *g = p->g;
	bool good = true;

	for (size_t i = 0; i < list->n; i++)
		good = push_spec(p, &list->at[i]) && good;
	if (!good)
		give_up(p);
	if (p->o.follow_tags || config_bool(g, "push.followtags", false))
		push_tags_along(p);
	if (p->o.prune || p->o.mirror)
		prune_there(p, list);
}

/* --- whether it may be --- */

/* Where the remote's branch was when it was last seen here; false: nowhere. */
static bool tracked(struct pushing *p, const char *dst, struct oid *out, char **name)
{
	*name = refspecs_map(p->g, &p->remote.fetch, dst, NULL);
	return *name != NULL && ref_read(p->g, *name, out, NULL) == 0;
}

/* --force-with-lease: 1 as expected, 0 not, -1 nothing is expected. */
static int lease(struct pushing *p, const struct push_ref *r)
{
	struct git *g = p->g;
	struct oid expected;
	char *name;

	for (size_t i = 0; i < p->o.leases.n; i++) {
		const char *text = p->o.leases.at[i];
		size_t n = strcspn(text, ":");
		const char *tail = ref_short(g, r->dst);

		if (strncmp(text, tail, n) != 0 || strlen(tail) != n)
			continue;
		if (text[n] == ':' && text[n + 1] == '\0')
			return !r->has_old;
		if (text[n] == ':') {
			if (rev_parse(g, text + n + 1, &expected) < 0)
				git_die(g, "cannot parse expected object name '%s'", text + n + 1);
			return r->has_old && oid_eq(&expected, &r->old);
		}
		return tracked(p, r->dst, &expected, &name) && r->has_old &&
		       oid_eq(&expected, &r->old);
	}
	if (!p->o.lease_all)
		return -1;
	if (!tracked(p, r->dst, &expected, &name))
		return name != NULL && !r->has_old;
	return r->has_old && oid_eq(&expected, &r->old);
}

static enum push_state judge(struct pushing *p, struct push_ref *r)
{
	struct git *g = p->g;
	enum push_state bad = PUSH_OK;
	struct oid a, b;
	int leased;

	if (r->src != NULL && r->has_old && oid_eq(&r->old, &r->new_oid))
		return PUSH_UP_TO_DATE;
	leased = lease(p, r);
	if (leased == 0 && !r->force)
		return PUSH_STALE;
	if (r->src == NULL || !r->has_old)
		return PUSH_OK;
	if (git_starts(r->dst, "refs/tags/"))
		bad = PUSH_EXISTS;
	else if (!object_exists(g, &r->old))
		bad = PUSH_FETCH_FIRST;
	else if (!object_peel(g, &r->old, OBJECT_COMMIT, &a) || !oid_eq(&a, &r->old) ||
		 !object_peel(g, &r->new_oid, OBJECT_COMMIT, &b) || !oid_eq(&b, &r->new_oid))
		bad = PUSH_NEEDS_FORCE;
	else if (!is_ancestor(g, commit_at(g, &a), commit_at(g, &b)))
		bad = PUSH_NON_FORWARD;
	if (bad == PUSH_OK || r->force || leased == 1) {
		r->forced = bad != PUSH_OK;
		return PUSH_OK;
	}
	return bad;
}

/* --- messages --- */

static void say_ref(struct pushing *p, const struct push_ref *r, char flag, const char *summary,
		    const char *why)
{
	struct git *g = p->g;
	bool fine = r->state == PUSH_OK || r->state == PUSH_UP_TO_DATE;

	if (p->o.quiet && fine)
		return;
	if (!p->said_to) {
		if (p->o.porcelain)
			git_printf(g, "To %s\n", p->remote.push_url);
		else
			git_say(g, "To %s\n", p->remote.push_url);
	}
	p->said_to = true;
	if (p->o.porcelain) {
		git_printf(g, "%c\t%s:%s\t%s", flag, r->src != NULL ? r->src : "", r->dst, summary);
		git_printf(g, why != NULL ? " (%s)\n" : "\n", why);
		return;
	}
	git_say(g, " %c %-*s ", flag, SUMMARY_WIDTH, summary);
	if (r->src != NULL)
		git_say(g, "%s -> ", ref_short(g, r->src));
	git_say(g, why != NULL ? "%s (%s)\n" : "%s\n", ref_short(g, r->dst), why);
}

static void say_pushed(struct pushing *p, const struct push_ref *r)
{
	struct git *g = p->g;
	const char *range;

	if (r->src == NULL) {
		say_ref(p, r, '-', "[deleted]", NULL);
	} else if (!r->has_old) {
		say_ref(p, r, '*',
			git_starts(r->dst, "refs/tags/")    ? "[new tag]"
			: git_starts(r->dst, "refs/heads/") ? "[new branch]"
							    : "[new reference]",
			NULL);
	} else {
		range = git_format(g->a, "%s%s%s", oid_short(g, &r->old, 0),
				   r->forced ? "..." : "..", oid_short(g, &r->new_oid, 0));
		say_ref(p, r, r->forced ? '+' : ' ', range, r->forced ? "forced update" : NULL);
	}
}

static void say_rejected(struct pushing *p, const struct push_ref *r)
{
	static const char *const why[] = {
		[PUSH_NON_FORWARD] = "non-fast-forward",
		[PUSH_FETCH_FIRST] = "fetch first",
		[PUSH_EXISTS] = "already exists",
		[PUSH_NEEDS_FORCE] = "needs force",
		[PUSH_STALE] = "stale info",
	};

	if (r->state == PUSH_REMOTE)
		say_ref(p, r, '!', "[remote rejected]", r->why);
	else
		say_ref(p, r, '!', "[rejected]", why[r->state]);
}

static void hint_rejected(struct pushing *p)
{
	struct git *g = p->g;
	char *head = head_ref(g);
	unsigned seen = 0;
	bool own = false;

	for (size_t i = 0; i < p->n; i++) {
		seen |= 1u << p->at[i].state;
		if (p->at[i].state == PUSH_NON_FORWARD && head != NULL && p->at[i].local != NULL &&
		    strcmp(p->at[i].local, head) == 0)
			own = true;
	}
	if (own)
		git_hint(g, "pushNonFFCurrent",
			 "Updates were rejected because the tip of your current branch is behind\n"
			 "its remote counterpart. Integrate the remote changes (e.g.\n"
			 "'git pull ...') before pushing again.\n"
			 "See the 'Note about fast-forwards' in 'git push --help' for details.\n");
	else if (seen & 1u << PUSH_NON_FORWARD)
		git_hint(g, "pushNonFFMatching",
			 "Updates were rejected because a pushed branch tip is behind its remote\n"
			 "counterpart. Check out this branch and integrate the remote changes\n"
			 "(e.g. 'git pull ...') before pushing again.\n"
			 "See the 'Note about fast-forwards' in 'git push --help' for details.\n");
	else if (seen & 1u << PUSH_EXISTS)
		git_hint(g, "pushAlreadyExists",
			 "Updates were rejected because the tag already exists in the remote.\n");
	else if (seen & 1u << PUSH_FETCH_FIRST)
		git_hint(g, "pushFetchFirst",
			 "Updates were rejected because the remote contains work that you do\n"
			 "not have locally. This is usually caused by another repository pushing\n"
			 "to the same ref. You may want to first integrate the remote changes\n"
			 "(e.g., 'git pull ...') before pushing again.\n"
			 "See the 'Note about fast-forwards' in 'git push --help' for details.\n");
	else if (seen & 1u << PUSH_NEEDS_FORCE)
		git_hint(g, "pushNeedsForce",
			 "You cannot update a remote ref that points at a non-commit object,\n"
			 "or update a remote ref to make it point at a non-commit object,\n"
			 "without using the '--force' option.\n");
}

/* References that are there come in their order, new ones as they were given. */
static void sort_pushes(struct pushing *p)
{
	struct push_ref *sorted = arena_array(p->g->keep, p->n + 1, sizeof(*sorted));
	size_t n = 0;

	for (size_t i = 0; i < p->nthere; i++)
		for (size_t k = 0; k < p->n; k++)
			if (strcmp(p->at[k].dst, p->there[i].name) == 0)
				sorted[n++] = p->at[k];
	for (size_t k = 0; k < p->n; k++)
		if (!p->at[k].has_old)
			sorted[n++] = p->at[k];
	for (size_t k = 0; k < n; k++)
		p->at[k] = sorted[k];
}

static bool say_all(struct pushing *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].state == PUSH_UP_TO_DATE && (p->o.verbose > 0 || p->o.porcelain))
			say_ref(p, &p->at[i], '=', "[up to date]", NULL);
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].state == PUSH_OK) {
			say_pushed(p, &p->at[i]);
			any = true;
		}
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].state > PUSH_UP_TO_DATE) {
			say_rejected(p, &p->at[i]);
			p->failed = true;
			any = true;
		}
	return any;
}

/* --- doing it --- */

static void send_objects(struct pushing *p)
{
	struct git *g = p->g;
	struct copying t = { .from = g, .to = p->to };
	struct oid *want = arena_array(g->keep, p->n, sizeof(*want));
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->at[i].state == PUSH_OK && p->at[i].src != NULL)
			want[n++] = p->at[i].new_oid;
	if (n != 0)
		transport_copy(&t, want, n);
}

/* What is remembered here of the remote's branches moves along. */
static void follow(struct pushing *p)
{
	struct git *g = p->g;

	for (size_t i = 0; i < p->n; i++) {
		struct push_ref *r = &p->at[i];
		struct oid old;
		char *name;

		if (r->state > PUSH_UP_TO_DATE)
			continue;
		name = refspecs_map(g, &p->remote.fetch, r->dst, NULL);
		if (name == NULL || (r->src == NULL && !r->has_old))
			continue;
		if (p->o.verbose > 0)
			git_say(g, "updating local tracking ref '%s'\n", name);
		if (r->src == NULL)
			ref_delete(g, name);
		else if (ref_read(g, name, &old, NULL) < 0 || !oid_eq(&old, &r->new_oid))
			ref_update(g, name, &r->new_oid, NULL, "update by push", false);
	}
}

static void set_upstreams(struct pushing *p)
{
	struct git *g = p->g;
	char *config = config_local_path(g);

	for (size_t i = 0; i < p->n && p->o.upstream; i++) {
		const struct push_ref *r = &p->at[i];
		const char *branch;

		if (r->state > PUSH_UP_TO_DATE || r->local == NULL ||
		    !git_starts(r->local, "refs/heads/") || !git_starts(r->dst, "refs/heads/"))
			continue;
		branch = r->local + 11;
		if (p->o.dry_run) {
			git_printf(g, "Would set upstream of '%s' to '%s' of '%s'\n", branch,
				   r->dst + 11, p->remote.name);
			continue;
		}
		config_change(g, config, git_format(g->a, "branch.%s.remote", branch),
			      p->remote.name, NULL, CONFIG_SET);
		config_change(g, config, git_format(g->a, "branch.%s.merge", branch), r->dst, NULL,
			      CONFIG_SET);
		if (!p->o.quiet)
			git_printf(g, "branch '%s' set up to track '%s/%s'.\n", branch,
				   p->remote.name, r->dst + 11);
	}
}

static int pre_push(struct pushing *p)
{
	struct git *g = p->g;
	char *args[3] = { arena_dup(g->a, bytes_of(p->remote.name)),
			  arena_dup(g->a, bytes_of(p->remote.push_url)), NULL };
	struct buf text = buf_in(g->a);

	if (p->o.no_verify || !git_hook_exists(g, "pre-push"))
		return 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct push_ref *r = &p->at[i];

		if (r->state == PUSH_OK)
			buf_printf(&text, "%s %s %s %s\n",
				   r->src == NULL     ? "(delete)"
				   : r->local != NULL ? r->local
						      : r->src,
				   oid_hex(g, r->src != NULL ? &r->new_oid : &oid_null), r->dst,
				   oid_hex(g, r->has_old ? &r->old : &oid_null));
	}
	return git_hook_text(g, "pre-push", args, buf_bytes(&text));
}

static void check_options(struct pushing *p, int argc)
{
	struct git *g = p->g;

	if (p->o.delete &&(p->o.all || p->o.mirror || p->o.tags))
		git_die(g, "options '%s' and '%s' cannot be used together", "--delete",
			"--all/--branches/--mirror/--tags");
	if (p->o.delete &&argc < 2)
		git_die(g, "--delete doesn't make sense without any refs");
	if (p->o.all && p->o.tags)
		git_die(g, "options '%s' and '%s' cannot be used together", "--all", "--tags");
	if (p->o.all && argc > 1)
		git_die(g, "--all can't be combined with refspecs");
	if (p->o.mirror && argc > 1)
		git_die(g, "--mirror can't be combined with refspecs");
	if (p->o.all && p->o.mirror)
		git_die(g, "options '%s' and '%s' cannot be used together", "--all", "--mirror");
}

static const char *push_remote(struct git *g)
{
	char *head = head_ref(g);
	const char *name = NULL;

	if (head != NULL)
		name = config_get(g, git_format(g->a, "branch.%s.pushremote", ref_short(g, head)));
	if (name == NULL)
		name = config_get(g, "remote.pushdefault");
	return name != NULL ? name : remote_default(g);
}

static _Noreturn void no_destination(struct git *g)
{
	git_die(g, "No configured push destination.\n"
		   "Either specify the URL from the command-line or configure a remote repository "
		   "using\n\n    git remote add <name> <url>\n\nand then push using the remote "
		   "name\n\n    git push <name>\n");
}

int git_cmd_push(struct git *g, struct args *args)
{
	struct pushing p = { .g = g };
	const struct git_parser parser = { push_options, &p.o, push_usage, 0, NULL };
	struct refspecs specs;
	const char *name;
	bool any;

	git_parse(g, args, &parser);
	check_options(&p, args->argc);
	name = args->argc > 0 ? args->argv[0] : p.o.repo != NULL ? p.o.repo : push_remote(g);
	remote_get(g, name, &p.remote);
	if (args->argc == 0 && p.o.repo == NULL && !p.remote.configured && !file_exists(g, name))
		no_destination(g);
	p.o.mirror = p.o.mirror || (p.remote.mirror && args->argc < 2 && !p.o.all && !p.o.tags);
	if (p.o.verbose > 0)
		git_say(g, "Pushing to %s\n", p.remote.push_url);
	specs = settle_specs(&p, args->argv + (args->argc > 0), args->argc - (args->argc > 0));
	p.to = remote_open(g, p.remote.push_url);
	if (p.to->bundle != NULL)
		return git_error(g, "failed to push some refs to '%s'", p.remote.push_url);
	p.nthere = remote_refs(p.to, &p.there);
	p.nhere = remote_refs(g, &p.here);
	choose(&p, &specs);
	sort_pushes(&p);
	for (size_t i = 0; i < p.n; i++) {
		p.at[i].state = judge(&p, &p.at[i]);
		p.failed = p.failed || p.at[i].state > PUSH_UP_TO_DATE;
	}
	if (p.failed && p.o.atomic)
		git_refuse(g, "push --atomic of what is rejected");
	if (!p.o.dry_run) {
		if (pre_push(&p) != 0)
			give_up(&p);
		send_objects(&p);
		receive_refs(g, p.to, p.at, p.n, p.o.atomic);
	}
	any = say_all(&p);
	if (!p.o.dry_run)
		follow(&p);
	set_upstreams(&p);
	if (p.o.porcelain && !p.failed)
		git_printf(g, "Done\n");
	if (p.failed) {
		git_error(g, "failed to push some refs to '%s'", p.remote.push_url);
		hint_rejected(&p);
	} else if (!any && !p.o.quiet && !p.o.porcelain) {
		git_say(g, "Everything up-to-date\n");
	}
	return p.failed;
}
