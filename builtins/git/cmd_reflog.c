/* SPDX-License-Identifier: MIT
 *
 * git reflog: show, exists, expire, delete.
 */
#include "builtins/git/walk.h"

enum { DAY = 86400, KEEP_DAYS = 90, KEEP_UNREACHABLE_DAYS = 30 };

struct expire_opts {
	const char *expire;
	const char *unreachable;
	bool all, dry_run, verbose, rewrite, update_ref, stale_fix, single;
};

static const struct git_option expire_options[] = {
	GIT_STR(0, "expire", struct expire_opts, expire),
	GIT_STR(0, "expire-unreachable", struct expire_opts, unreachable),
	GIT_FLAG(0, "all", struct expire_opts, all),
	GIT_FLAG(0, "dry-run", struct expire_opts, dry_run),
	GIT_FLAG(0, "verbose", struct expire_opts, verbose),
	GIT_FLAG(0, "rewrite", struct expire_opts, rewrite),
	GIT_FLAG(0, "updateref", struct expire_opts, update_ref),
	GIT_FLAG(0, "single-worktree", struct expire_opts, single),
	GIT_MISSING(0, "stale-fix"),
	GIT_END(),
};
static const char *const expire_usage[] = {
	"git reflog expire [--expire=<time>] [--expire-unreachable=<time>]\n"
	"                  [--rewrite] [--updateref] [--stale-fix]\n"
	"                  [--dry-run | -n] [--verbose] [--all [--single-worktree] | <refs>...]",
	NULL
};
static const char *const delete_usage[] = {
	"git reflog delete [--rewrite] [--updateref]\n"
	"                  [--dry-run | -n] [--verbose] <ref>@{<specifier>}...",
	NULL
};

/* The youngest time that goes. */
static int64_t time_of(struct git *g, const char *text, int days)
{
	if (text == NULL)
		return date_now(g) - (int64_t)days * DAY;
	if (strcmp(text, "now") == 0 || strcmp(text, "all") == 0)
		return INT64_MAX;
	if (strcmp(text, "never") == 0 || config_truth(text) == 0)
		return INT64_MIN;
	return date_approximate(g, text);
}

struct expiring {
	struct git *g;
	const struct expire_opts *o;
	int64_t total;
	int64_t unreachable;
	struct oid tip;
	bool has_tip;
};

static bool is_reached(struct expiring *x, const struct oid *o)
{
	struct oid c;

	if (oid_is_null(o))
		return true;
	return x->has_tip && object_exists(x->g, o) && object_peel(x->g, o, OBJECT_COMMIT, &c) &&
	       is_ancestor(x->g, commit_at(x->g, &c), commit_at(x->g, &x->tip));
}

static bool goes(struct expiring *x, const struct reflog_entry *e)
{
	struct person who;

	person_split(e->who, &who);
	if (who.time < x->total)
		return true;
	return who.time < x->unreachable &&
	       (!is_reached(x, &e->after) || !is_reached(x, &e->before));
}

static void write_kept(struct git *g, const char *ref, const struct expire_opts *o,
		       struct reflog_entry *kept, size_t n)
{
	struct oid last = oid_null;

	for (size_t i = 0; i < n; i++) {
		if (o->rewrite)
			kept[i].before = last;
		last = kept[i].after;
	}
	if (o->dry_run)
		return;
	reflog_write(g, ref, kept, n);
	if (o->update_ref && n > 0 && ref_symbolic(g, ref) == NULL)
		ref_update(g, ref, &kept[n - 1].after, NULL, NULL, true);
}

static void expire_one(struct expiring *x, const char *ref)
{
	struct git *g = x->g;
	struct reflog_entry *e;
	size_t n = reflog_read(g, ref, &e), kept = 0;
	struct oid o;

	x->has_tip = ref_read(g, ref, &o, NULL) == 0 && object_peel(g, &o, OBJECT_COMMIT, &x->tip);
	for (size_t i = 0; i < n; i++) {
		bool gone = goes(x, &e[i]);

		if (x->o->verbose)
			git_printf(g, "%s %.*s\n",
				   !gone           ? "keep"
				   : x->o->dry_run ? "would prune"
						   : "prune",
				   (int)e[i].message.len, e[i].message.ptr);
		if (!gone)
			e[kept++] = e[i];
	}
	if (kept != n)
		write_kept(g, ref, x->o, e, kept);
}

static void expire_all(struct expiring *x)
{
	struct ref *list;
	size_t n = ref_list(x->g, "refs/", &list);

	if (reflog_exists(x->g, "HEAD"))
		expire_one(x, "HEAD");
	for (size_t i = 0; i < n; i++) {
		struct expiring own = *x;

		/* What is stashed is nothing but its log: it goes only if someone says so. */
		if (strcmp(list[i].name, "refs/stash") == 0) {
			own.total = x->o->expire != NULL ? x->total : INT64_MIN;
			own.unreachable = x->o->unreachable != NULL ? x->unreachable : INT64_MIN;
		}
		if (reflog_exists(x->g, list[i].name))
			expire_one(&own, list[i].name);
	}
}

void reflog_expire_all(struct git *g, const char *total, const char *unreachable)
{
	struct expire_opts o = { .all = true };
	struct expiring x = { .g = g, .o = &o };

	x.total = time_of(g, total, KEEP_DAYS);
	x.unreachable = time_of(g, unreachable, KEEP_UNREACHABLE_DAYS);
	expire_all(&x);
}

static int reflog_expire(struct git *g, struct args *args)
{
	struct expire_opts o = { .all = false };
	const struct git_parser p = { expire_options, &o, expire_usage, 0, NULL };
	struct expiring x = { .g = g, .o = &o };
	int status = 0;

	git_parse(g, args, &p);
	x.total = time_of(g, o.expire != NULL ? o.expire : config_get(g, "gc.reflogexpire"),
			  KEEP_DAYS);
	x.unreachable = time_of(g,
				o.unreachable != NULL ? o.unreachable
						      : config_get(g, "gc.reflogexpireunreachable"),
				KEEP_UNREACHABLE_DAYS);
	if (o.all)
		expire_all(&x);
	for (int i = 0; i < args->argc; i++) {
		struct oid oid;
		bool several;
		char *full = ref_expand(g, args->argv[i], &oid, &several);

		if (full == NULL || !reflog_exists(g, full)) {
			git_error(g, "%s points nowhere!", args->argv[i]);
			status = 255;
			continue;
		}
		expire_one(&x, full);
	}
	return status;
}

static int delete_one(struct git *g, const struct expire_opts *o, const char *spec)
{
	const char *at = strstr(spec, "@{");
	struct reflog_entry *e;
	char *full;
	struct oid oid;
	bool several;
	int64_t index;
	size_t n;

	if (at == NULL)
		return git_error(g, "not a reflog: %s", spec) + 254;
	char *name = git_format(g->a, "%.*s", (int)(at - spec), spec);

	full = name[0] != '\0' ? ref_expand(g, name, &oid, &several) : head_ref(g);
	if (full == NULL || !reflog_exists(g, full))
		return git_error(g, "no reflog for '%s'", spec) + 254;
	n = reflog_read(g, full, &e);
	char *inside = git_format(g->a, "%.*s", (int)strcspn(at + 2, "}"), at + 2);

	if (!git_number(inside, &index))
		git_refuse(g, "reflog delete by date");
	if (index < 0 || (uint64_t)index >= n)
		return 0;
	for (size_t i = n - 1 - (size_t)index; i + 1 < n; i++)
		e[i] = e[i + 1];
	write_kept(g, full, o, e, n - 1);
	return 0;
}

static int reflog_delete(struct git *g, struct args *args)
{
	struct expire_opts o = { .all = false };
	const struct git_parser p = { expire_options, &o, delete_usage, 0, NULL };
	int status = 0;

	git_parse(g, args, &p);
	if (args->argc == 0) {
		git_error(g, "no reflog specified to delete");
		return 255;
	}
	for (int i = 0; i < args->argc; i++)
		status |= delete_one(g, &o, args->argv[i]);
	return status;
}

int git_cmd_reflog(struct git *g, struct args *args)
{
	struct args rest = { args->argc - 1, args->argv + 1, -1 };

	if (args->argc == 0)
		return log_show_reflog(g, args);
	if (strcmp(args->argv[0], "show") == 0)
		return log_show_reflog(g, &rest);
	if (strcmp(args->argv[0], "exists") == 0)
		return args->argc < 2 || !reflog_exists(g, args->argv[1]);
	if (strcmp(args->argv[0], "expire") == 0)
		return reflog_expire(g, &rest);
	if (strcmp(args->argv[0], "delete") == 0)
		return reflog_delete(g, &rest);
	return log_show_reflog(g, args);
}
