/* SPDX-License-Identifier: MIT
 *
 * git bundle: a history as a file, to be carried where git cannot reach.
 */
#include "builtins/git/transport.h"

struct bundle_opts {
	bool quiet, progress;
	int version;
};

static const char create_usage[] =
	"git bundle create [-q | --quiet | --progress | --all-progress] "
	"[--all-progress-implied]\n"
	"                         [--version=<version>] <file> <git-rev-list-args>";
static const char verify_usage[] = "git bundle verify [-q | --quiet] <file>";
static const char list_usage[] = "git bundle list-heads <file> [<refname>...]";
static const char unbundle_usage[] = "git bundle unbundle [--progress] <file> [<refname>...]";
static const char *const bundle_usage[] = { create_usage, verify_usage, list_usage, unbundle_usage,
					    NULL };

/* The file as messages show it, and where it is. */
static const char *file_operand(struct git *g, struct args *args, const char *usage)
{
	const char *const lines[] = { usage, NULL };
	const char *file;

	if (args->argc == 0) {
		git_say(g, "fatal: need a <file> argument\n\n");
		git_usage(g, lines);
	}
	file = args->argv[0];
	args->argc--;
	args->argv++;
	if (g->prefix == NULL || file[0] == '/' || strcmp(file, "-") == 0)
		return file;
	return git_format(g->keep, "%s%s", g->prefix, file);
}

static char *full_path(struct git *g, const char *shown)
{
	return path_join(g->keep, g->work != NULL ? g->work : g->start, shown);
}

/* --- create --- */

struct creating {
	struct git *g;
	struct revs revs;
	struct buf head;
	struct oid *want;
	struct oid *have;
	size_t nwant, nhave;
	size_t have_cap;
	size_t nrefs;
	struct lookup *shown; /* commits of the pack */
	struct lookup *needed;
};

static void put_need(struct creating *k, struct commit *c)
{
	struct git *g = k->g;
	struct arena_mark mark = arena_mark(g->a);
	struct commit_text text;

	LIST_ROOM(g, k->have, k->nhave, k->have_cap);
	k->have[k->nhave++] = c->oid;
	commit_text(g, g->a, &c->oid, &text);
	buf_printf(&k->head, "-%s ", oid_hex(g, &c->oid));
	buf_add(&k->head, message_subject(g->a, text.message));
	buf_putc(&k->head, '\n');
	arena_release(g->a, mark);
}

/* Parents that are left out though their children are not: the reader must have them. Git has
 * those found last first. */
static void put_needs(struct creating *k)
{
	struct git *g = k->g;
	struct commits shown = { NULL, 0, 0 }, need = { NULL, 0, 0 };
	struct commit *c;

	while ((c = revs_next(&k->revs)) != NULL) {
		cmd_charge(g->c, 2);
		*lookup_at(k->shown, oid_key(&c->oid)) = c;
		LIST_ROOM(g, shown.at, shown.n, shown.cap);
		shown.at[shown.n++] = c;
	}
	for (size_t i = 0; i < shown.n; i++)
		for (uint32_t n = 0; n < shown.at[i]->nparents; n++) {
			struct commit *p = shown.at[i]->parent[n];

			cmd_charge(g->c, 2);
			if (lookup_get(k->shown, oid_key(&p->oid)) != NULL ||
			    lookup_get(k->needed, oid_key(&p->oid)) != NULL)
				continue;
			*lookup_at(k->needed, oid_key(&p->oid)) = p;
			LIST_ROOM(g, need.at, need.n, need.cap);
			need.at[need.n++] = p;
		}
	while (need.n > 0)
		put_need(k, need.at[--need.n]);
}

/* References among what was named; each name once. */
static void put_refs(struct creating *k)
{
	struct git *g = k->g;
	struct lookup *seen = lookup_new(g);
	bool excludes = false;

	for (size_t i = 0; i < k->revs.nitems; i++)
		excludes = excludes || k->revs.item[i].uninteresting;
	k->want = arena_array(g->keep, k->revs.nitems + 1, sizeof(*k->want));
	for (size_t i = 0; i < k->revs.nitems; i++) {
		const struct revs_item *it = &k->revs.item[i];
		const char *name = strcmp(it->name, "@") == 0 ? head_ref(g) : it->name;
		void **place = lookup_at(seen, bytes_of(it->name));
		char *full;
		bool several;
		struct oid o;

		cmd_charge(g->c, 4);
		if (it->uninteresting) {
			LIST_ROOM(g, k->have, k->nhave, k->have_cap);
			k->have[k->nhave++] = it->oid;
			continue;
		}
		if (*place != NULL)
			continue;
		*place = seen;
		full = name != NULL ? ref_expand(g, name, &o, &several) : NULL;
		if (full == NULL) {
			k->want[k->nwant++] = it->oid;
			continue;
		}
		if (it->c != NULL && oid_eq(&it->c->oid, &o) &&
		    lookup_get(k->shown, oid_key(&o)) == NULL) {
			if (lookup_get(k->needed, oid_key(&o)) == NULL &&
			    !(excludes && (it->c->flags & COMMIT_UNINTERESTING)))
				git_warn(g, "ref '%s' is excluded by the rev-list options",
					 it->name);
			continue;
		}
		k->want[k->nwant++] = o;
		k->nrefs++;
		buf_printf(&k->head, "%s %s\n", oid_hex(g, &o), full);
	}
}

static void write_bundle(struct creating *k, const char *shown)
{
	struct git *g = k->g;
	struct reach r = { .g = g };
	struct oid name;
	char *path = full_path(g, shown);
	char *lock = git_format(g->keep, "%s.lock", path);
	bool to_stdout = strcmp(shown, "-") == 0;
	int fd = 1, err;

	cmd_flush(g->c);
	if (!to_stdout)
		fd = cmd_open(g->c, CMD_CWD, lock, O_WRONLY_ | O_CREAT_ | O_EXCL_, 0666);
	if (fd < 0)
		git_die(g, "Unable to create '%s': %s", lock, err_text(fd));
	reach_find(&r, k->want, k->nwant, k->have, k->nhave);
	err = cmd_write_fd(g->c, fd, k->head.ptr, k->head.len);
	if (err < 0)
		git_die_errno(g, err, "unable to write '%s'", shown);
	pack_stream(g, fd, r.at, r.n, &name);
	if (to_stdout)
		return;
	cmd_close(g->c, fd);
	err = cmd_rename(g->c, CMD_CWD, lock, CMD_CWD, path, 0);
	if (err < 0)
		git_die_errno(g, err, "cannot create '%s'", shown);
}

static const struct git_option create_options[] = {
	GIT_FLAG('q', "quiet", struct bundle_opts, quiet),
	GIT_FLAG(0, "progress", struct bundle_opts, progress),
	GIT_FLAG(0, "all-progress", struct bundle_opts, progress),
	GIT_FLAG(0, "all-progress-implied", struct bundle_opts, progress),
	GIT_INT(0, "version", struct bundle_opts, version),
	GIT_END(),
};

static int create(struct git *g, struct args *args)
{
	struct bundle_opts o = { .version = 2 };
	const char *const usage[] = { create_usage, NULL };
	const struct git_parser p = { create_options, &o, usage,
				      GIT_STOP_AT_OPERAND | GIT_KEEP_DASHDASH, NULL };
	struct creating k = {
		.g = g, .head = buf_in(g->keep), .shown = lookup_new(g), .needed = lookup_new(g)
	};
	const char *file, *unknown;

	git_parse(g, args, &p);
	file = file_operand(g, args, create_usage);
	if (g->dir == NULL)
		git_die(g, "Need a repository to create a bundle.");
	if (o.version != 2 && o.version != 3)
		git_die(g, "unsupported bundle version %d", o.version);
	buf_printf(&k.head, "# v%d git bundle\n%s", o.version,
		   o.version == 3 ? "@object-format=sha1\n" : "");
	revs_init(g, &k.revs);
	unknown = git_take_options(g, args, revs_option, &k.revs);
	if (unknown != NULL)
		return git_error(g, "unrecognized argument: %s", unknown);
	revs_operands(g, &k.revs, args);
	put_needs(&k);
	put_refs(&k);
	if (k.nrefs == 0)
		git_die(g, "Refusing to create empty bundle.");
	buf_putc(&k.head, '\n');
	write_bundle(&k, file);
	return 0;
}

/* --- verify, list-heads, unbundle --- */

static void list_refs(struct git *g, const struct bundle_list *list, const struct args *names)
{
	for (size_t i = 0; i < list->n; i++) {
		bool wanted = names == NULL || names->argc == 0;

		for (int k = 0; !wanted && k < names->argc; k++)
			wanted = strcmp(names->argv[k], list->at[i].name) == 0;
		cmd_charge(g->c, 2 + (names != NULL ? (uint64_t)names->argc : 0));
		if (wanted)
			git_printf(g, "%s %s\n", oid_hex(g, &list->at[i].oid), list->at[i].name);
	}
}

static void list_counted(struct git *g, const char *what, const struct bundle_list *list)
{
	if (list->n == 1)
		git_printf(g, "The bundle %s this ref:\n", what);
	else
		git_printf(g, "The bundle %s these %zu refs:\n", what, list->n);
	list_refs(g, list, NULL);
}

static const struct git_option verify_options[] = {
	GIT_FLAG('q', "quiet", struct bundle_opts, quiet),
	GIT_END(),
};

static int verify(struct git *g, struct args *args)
{
	struct bundle_opts o = { .quiet = false };
	const char *const usage[] = { verify_usage, NULL };
	const struct git_parser p = { verify_options, &o, usage, GIT_STOP_AT_OPERAND, NULL };
	struct bundle b;
	const char *file;

	git_parse(g, args, &p);
	file = file_operand(g, args, verify_usage);
	if (!bundle_read(g, full_path(g, file), file, &b))
		return 1;
	if (g->dir == NULL)
		return git_error(g, "need a repository to verify a bundle");
	if (!bundle_check(g, &b))
		return 1;
	if (!o.quiet) {
		list_counted(g, "contains", &b.refs);
		if (b.needs.n == 0)
			git_printf(g, "The bundle records a complete history.\n");
		else
			list_counted(g, "requires", &b.needs);
		git_printf(g, "The bundle uses this hash algorithm: sha1\n");
	}
	git_say(g, "%s is okay\n", file);
	return 0;
}

static const struct git_option list_options[] = { GIT_END() };

static int list_heads(struct git *g, struct args *args)
{
	struct bundle_opts o = { .quiet = false };
	const char *const usage[] = { list_usage, NULL };
	const struct git_parser p = { list_options, &o, usage, GIT_STOP_AT_OPERAND, NULL };
	struct bundle b;
	const char *file;

	git_parse(g, args, &p);
	file = file_operand(g, args, list_usage);
	if (!bundle_read(g, full_path(g, file), file, &b))
		return 1;
	list_refs(g, &b.refs, args);
	return 0;
}

static const struct git_option unbundle_options[] = {
	GIT_FLAG(0, "progress", struct bundle_opts, progress),
	GIT_END(),
};

static int unbundle(struct git *g, struct args *args)
{
	struct bundle_opts o = { .quiet = false };
	const char *const usage[] = { unbundle_usage, NULL };
	const struct git_parser p = { unbundle_options, &o, usage, GIT_STOP_AT_OPERAND, NULL };
	struct copying t = { .to = g };
	const struct bundle *b;
	const char *file;
	struct oid *want;

	git_parse(g, args, &p);
	file = file_operand(g, args, unbundle_usage);
	t.from = bundle_open(g, full_path(g, file), file);
	if (t.from == NULL)
		return 1;
	if (g->dir == NULL)
		git_die(g, "Need a repository to unbundle.");
	if (!bundle_attach(t.from, g))
		return 1;
	b = t.from->bundle;
	want = arena_array(g->keep, b->refs.n + 1, sizeof(*want));
	for (size_t i = 0; i < b->refs.n; i++)
		want[i] = b->refs.at[i].oid;
	transport_copy(&t, want, b->refs.n);
	list_refs(g, &b->refs, args);
	return 0;
}

int git_cmd_bundle(struct git *g, struct args *args)
{
	static const struct git_action actions[] = {
		{ "create", create },     { "list-heads", list_heads },
		{ "unbundle", unbundle }, { "verify", verify },
		{ NULL, NULL },
	};

	return git_run_action(g, args, actions, bundle_usage);
}
