/* SPDX-License-Identifier: MIT
 *
 * git count-objects, gc, repack, prune, prune-packed, update-server-info: the store of objects
 * kept in order.
 */
#include "builtins/git/rerere.h"
#include "builtins/git/transport.h"

enum { BLOCK = 4096, WEEK = 7 * 86400 };

/* --- files of the store --- */

/* Calls fn for each loose object's file. */
static void each_loose(struct git *g,
		       void (*fn)(struct git *g, void *arg, const struct oid *o, const char *path,
				  const struct vfs_stat *st),
		       void *arg)
{
	const char *dir = g->odb->dirs.at[0];

	for (unsigned first = 0; first < 256; first++) {
		char *sub = git_format(g->keep, "%s/%02x", dir, first);
		struct vfs_dirent *list;
		size_t n;

		if (cmd_list(g->c, CMD_CWD, sub, g->keep, &list, &n) < 0)
			continue;
		for (size_t i = 0; i < n; i++) {
			char *path = git_format(g->keep, "%s/%.*s", sub, (int)list[i].name.len,
						list[i].name.ptr);
			char *hex = git_format(g->a, "%02x%s", first, path + strlen(sub) + 1);
			struct vfs_stat st;
			struct oid o;

			if (strlen(hex) == OID_HEX && oid_parse(hex, &o) &&
			    cmd_lstat(g->c, path, &st) == 0)
				fn(g, arg, &o, path, &st);
			cmd_charge(g->c, 2);
		}
	}
}

static void drop_empty_dirs(struct git *g)
{
	for (unsigned first = 0; first < 256; first++)
		cmd_unlink(g->c, CMD_CWD, git_format(g->a, "%s/%02x", g->odb->dirs.at[0], first),
			   CMD_REMOVEDIR);
}

static bool in_own_pack(struct git *g, const struct oid *o)
{
	struct pack *p;
	uint64_t offset;

	return pack_find(g, o, &p, &offset);
}

/* --- count-objects --- */

struct counting {
	uint64_t n;
	uint64_t bytes;
	uint64_t prunable;
};

static void count_one(struct git *g, void *arg, const struct oid *o, const char *path,
		      const struct vfs_stat *st)
{
	struct counting *k = arg;

	(void)path;
	k->n++;
	k->bytes += (st->size + BLOCK - 1) / BLOCK * BLOCK;
	k->prunable += in_own_pack(g, o);
}

struct count_opts {
	bool verbose, human;
};
static const struct git_option count_options[] = {
	GIT_FLAG('v', "verbose", struct count_opts, verbose),
	GIT_FLAG('H', "human-readable", struct count_opts, human),
	GIT_END(),
};
static const char *const count_usage[] = { "git count-objects [-v] [-H | --human-readable]", NULL };

static const char *size_text(struct git *g, uint64_t bytes, bool human)
{
	static const char *const units[] = { "KiB", "MiB", "GiB" };
	uint64_t v = bytes;
	int u = -1;

	if (!human)
		return git_format(g->a, "%llu", (unsigned long long)(bytes / 1024));
	if (bytes < 1024)
		return git_format(g->a, "%llu bytes", (unsigned long long)bytes);
	for (uint64_t unit = 1024; u < 2 && bytes >= unit; unit *= 1024) {
		v = bytes * 100 / unit;
		u++;
	}
	return git_format(g->a, "%llu.%02u %s", (unsigned long long)(v / 100), (unsigned)(v % 100),
			  units[u]);
}

int git_cmd_count_objects(struct git *g, struct args *args)
{
	struct count_opts o = { .human = false };
	const struct git_parser p = { count_options, &o, count_usage, 0, NULL };
	struct counting k = { .n = 0 };
	uint64_t packs = 0, packed = 0, size = 0;

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, count_usage);
	each_loose(g, count_one, &k);
	if (!o.verbose) {
		git_printf(g, "%llu objects, %s%s\n", (unsigned long long)k.n,
			   size_text(g, k.bytes, o.human), o.human ? "" : " kilobytes");
		return 0;
	}
	pack_load(g);
	for (const struct pack *pk = g->odb->packs; pk != NULL; pk = pk->next) {
		struct vfs_stat st;

		packs++;
		packed += pk->n;
		size += pk->idx.len;
		if (cmd_stat(g->c, git_format(g->a, "%s.pack", pk->path), &st) == 0)
			size += st.size;
	}
	git_printf(g,
		   "count: %llu\nsize: %s\nin-pack: %llu\npacks: %llu\nsize-pack: %s\n"
		   "prune-packable: %llu\ngarbage: 0\nsize-garbage: %s\n",
		   (unsigned long long)k.n, size_text(g, k.bytes, o.human),
		   (unsigned long long)packed, (unsigned long long)packs,
		   size_text(g, size, o.human), (unsigned long long)k.prunable,
		   size_text(g, 0, o.human));
	for (size_t i = 1; i < g->odb->dirs.n; i++)
		git_printf(g, "alternate: %s\n", g->odb->dirs.at[i]);
	return 0;
}

/* --- prune, prune-packed --- */

struct pruning {
	struct reach reach;
	bool dry_run, verbose, quiet;
	int64_t before; /* younger files stay */
};

static void prune_packed_one(struct git *g, void *arg, const struct oid *o, const char *path,
			     const struct vfs_stat *st)
{
	struct pruning *p = arg;

	(void)st;
	if (!in_own_pack(g, o))
		return;
	if (p->dry_run)
		git_printf(g, "rm -f %s\n", path);
	else
		cmd_unlink(g->c, CMD_CWD, path, 0);
}

static void prune_packed(struct git *g, struct pruning *p)
{
	object_forget_packs(g);
	each_loose(g, prune_packed_one, p);
	if (!p->dry_run)
		drop_empty_dirs(g);
}

static void prune_one(struct git *g, void *arg, const struct oid *o, const char *path,
		      const struct vfs_stat *st)
{
	struct pruning *p = arg;
	uint64_t size;

	if (lookup_get(p->reach.seen, oid_key(o)) != NULL || st->mtime_ns / 1000000000 > p->before)
		return;
	if (p->dry_run || p->verbose)
		git_printf(g, "%s %s\n", oid_hex(g, o), object_type_name(object_info(g, o, &size)));
	if (!p->dry_run)
		cmd_unlink(g->c, CMD_CWD, path, 0);
}

/* Everything that references, logs and indexes need. */
static void find_reachable(struct git *g, struct reach *r)
{
	struct oid *tips;
	size_t n = reach_tips(g, true, &tips);

	*r = (struct reach){ .g = g, .missing_ok = true };
	reach_find(r, tips, n, NULL, 0);
}

static void prune_loose(struct git *g, struct pruning *p)
{
	find_reachable(g, &p->reach);
	each_loose(g, prune_one, p);
	if (!p->dry_run)
		drop_empty_dirs(g);
}

/* "now", "never", "2.weeks.ago" as the youngest time that is dropped. */
static int64_t expiry(struct git *g, const char *text)
{
	if (strcmp(text, "now") == 0 || strcmp(text, "all") == 0)
		return INT64_MAX;
	if (strcmp(text, "never") == 0 || config_truth(text) == 0)
		return INT64_MIN;
	return date_approximate(g, text);
}

struct prune_opts {
	bool dry_run, verbose, quiet, progress;
	const char *expire;
};
static const struct git_option prune_options[] = {
	GIT_FLAG('n', "dry-run", struct prune_opts, dry_run),
	GIT_FLAG('v', "verbose", struct prune_opts, verbose),
	GIT_FLAG(0, "progress", struct prune_opts, progress),
	GIT_STR(0, "expire", struct prune_opts, expire),
	GIT_END(),
};
static const char *const prune_usage[] = {
	"git prune [-n] [-v] [--progress] [--expire <time>] [--] [<head>...]", NULL
};

int git_cmd_prune(struct git *g, struct args *args)
{
	struct prune_opts o = { .quiet = false };
	const struct git_parser parser = { prune_options, &o, prune_usage, 0, NULL };
	struct pruning p = { .before = INT64_MAX };

	git_parse(g, args, &parser);
	if (args->argc != 0)
		git_refuse(g, "git prune with heads");
	p.dry_run = o.dry_run;
	p.verbose = o.verbose;
	if (o.expire != NULL)
		p.before = expiry(g, o.expire);
	prune_loose(g, &p);
	if (!o.dry_run)
		prune_packed(g, &p);
	return 0;
}

static const struct git_option packed_options[] = {
	GIT_FLAG('n', "dry-run", struct prune_opts, dry_run),
	GIT_FLAG('q', "quiet", struct prune_opts, quiet),
	GIT_END(),
};
static const char *const packed_usage[] = { "git prune-packed [-n | --dry-run] [-q | --quiet]",
					    NULL };

int git_cmd_prune_packed(struct git *g, struct args *args)
{
	struct prune_opts o = { .quiet = false };
	const struct git_parser parser = { packed_options, &o, packed_usage, 0, NULL };
	struct pruning p = { .before = INT64_MAX };

	git_parse(g, args, &parser);
	if (args->argc != 0)
		git_usage(g, packed_usage);
	p.dry_run = o.dry_run;
	prune_packed(g, &p);
	return 0;
}

/* --- repack --- */

struct old_pack {
	char *path;
	bool kept;
};

static size_t own_packs(struct git *g, struct old_pack **out)
{
	struct old_pack *list = NULL;
	size_t n = 0, cap = 0;
	char *dir = git_format(g->keep, "%s/pack/", g->odb->dirs.at[0]);

	object_forget_packs(g);
	pack_load(g);
	for (const struct pack *p = g->odb->packs; p != NULL; p = p->next) {
		if (!git_starts(p->path, dir))
			continue;
		LIST_ROOM(g, list, n, cap);
		list[n++] = (struct old_pack){ p->path, file_exists(g, git_format(g->a, "%s.keep",
										  p->path)) };
	}
	*out = list;
	return n;
}

static void drop_file(struct git *g, const char *name)
{
	cmd_unlink(g->c, CMD_CWD, path_join(g->a, g->odb->dirs.at[0], name), 0);
}

static void drop_pack(struct git *g, const char *path)
{
	static const char *const kinds[] = { "idx", "pack", "rev", "bitmap", "mtimes", "promisor" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		cmd_unlink(g->c, CMD_CWD, git_format(g->a, "%s.%s", path, kinds[i]), 0);
}

/* Objects of packs that go and that nothing needs become loose again: they may be young. */
static void loosen(struct git *g, const struct lookup *wanted)
{
	for (const struct pack *p = g->odb->packs; p != NULL; p = p->next)
		for (uint32_t i = 0; i < p->n; i++) {
			struct arena a;
			struct bytes data;
			struct oid o, same;
			enum object_type type;

			pack_oid(p, i, &o);
			if (lookup_get(wanted, oid_key(&o)) != NULL)
				continue;
			arena_init_under(&a, g->a);
			type = object_read(g, &a, &o, &data);
			if (type != OBJECT_NONE)
				object_write_loose(g, type, data, &same);
			arena_clear(&a);
		}
}

struct repack_opts {
	bool all, all_loosen, drop, local, force, force_objects, quiet, no_info, cruft, keep_dates;
	const char *window;
	const char *depth;
	const char *threads;
	const char *window_memory;
};

/* All that is reachable into one pack; with drop the others go. False: nothing to do. */
static bool repack(struct git *g, const struct repack_opts *o)
{
	struct reach r;
	struct old_pack *old;
	size_t n = own_packs(g, &old), kept = 0;
	struct reached *list;
	char *name;
	bool all = o->all || o->all_loosen;

	g->fresh_deltas = o->force || o->force_objects;
	find_reachable(g, &r);
	list = arena_array(g->keep, r.n + 1, sizeof(*list));
	for (size_t i = 0; i < r.n; i++)
		if (all || !in_own_pack(g, &r.at[i].oid))
			list[kept++] = r.at[i];
	if (kept == 0)
		return false;
	name = pack_write(g, path_join(g->keep, g->odb->dirs.at[0], "pack"), list, kept);
	if (o->drop && all) {
		if (o->all_loosen)
			loosen(g, r.seen);
		for (size_t i = 0; i < n; i++)
			if (!old[i].kept && strcmp(path_base(old[i].path), name) != 0) {
				/* Of the real git: an index of packs that go would mislead it. */
				drop_file(g, "pack/multi-pack-index");
				drop_pack(g, old[i].path);
			}
	}
	object_forget_packs(g);
	return true;
}

/* Lists that clients without a server program read. */
static void write_info(struct git *g)
{
	struct buf refs = buf_in(g->keep), packs = buf_in(g->keep);
	struct old_pack *list;
	struct ref *r;
	size_t n = ref_list(g, "refs/", &r);

	for (size_t i = 0; i < n; i++) {
		struct oid peeled;

		if (r[i].broken)
			continue;
		buf_printf(&refs, "%s\t%s\n", oid_hex(g, &r[i].oid), r[i].name);
		if (object_peel(g, &r[i].oid, OBJECT_NONE, &peeled) && !oid_eq(&peeled, &r[i].oid))
			buf_printf(&refs, "%s\t%s^{}\n", oid_hex(g, &peeled), r[i].name);
	}
	n = own_packs(g, &list);
	for (size_t i = n; i > 0; i--)
		buf_printf(&packs, "P %s.pack\n", path_base(list[i - 1].path));
	buf_putc(&packs, '\n');
	file_write(g, repo_path(g, g->a, "info/refs"), buf_bytes(&refs), 0666);
	file_write(g, path_join(g->a, g->odb->dirs.at[0], "info/packs"), buf_bytes(&packs), 0666);
}

int git_cmd_update_server_info(struct git *g, struct args *args)
{
	(void)args;
	write_info(g);
	rerere_gc(g);
	return 0;
}

static const struct git_option repack_options[] = {
	GIT_FLAG('a', NULL, struct repack_opts, all),
	GIT_FLAG('A', NULL, struct repack_opts, all_loosen),
	GIT_FLAG('d', NULL, struct repack_opts, drop),
	GIT_FLAG('f', NULL, struct repack_opts, force),
	GIT_FLAG('F', NULL, struct repack_opts, force_objects),
	GIT_FLAG('n', NULL, struct repack_opts, no_info),
	GIT_FLAG('q', "quiet", struct repack_opts, quiet),
	GIT_FLAG('l', "local", struct repack_opts, local),
	GIT_MISSING(0, "cruft"),
	GIT_MISSING('b', "write-bitmap-index"),
	GIT_MISSING('m', "write-midx"),
	GIT_MISSING('g', "geometric"),
	GIT_STR(0, "window", struct repack_opts, window),
	GIT_STR(0, "window-memory", struct repack_opts, window_memory),
	GIT_STR(0, "depth", struct repack_opts, depth),
	GIT_STR(0, "threads", struct repack_opts, threads),
	GIT_END(),
};
static const char *const repack_usage[] = { "git repack [<options>]", NULL };

int git_cmd_repack(struct git *g, struct args *args)
{
	struct repack_opts o = { .all = false };
	const struct git_parser parser = { repack_options, &o, repack_usage, 0, NULL };
	struct pruning p = { .before = INT64_MAX };

	git_parse(g, args, &parser);
	if (args->argc != 0)
		git_usage(g, repack_usage);
	if (!repack(g, &o) && !o.quiet)
		git_printf(g, "Nothing new to pack.\n");
	if (o.drop)
		prune_packed(g, &p);
	if (!o.no_info)
		write_info(g);
	return 0;
}

/* --- gc --- */

struct gc_opts {
	bool quiet, auto_, aggressive, force, keep_largest, no_prune;
	const char *prune;
};

static int set_prune(struct git *g, void *opts, const char *arg, bool unset)
{
	struct gc_opts *o = opts;

	(void)g;
	o->no_prune = unset;
	if (arg != NULL)
		o->prune = arg;
	return 0;
}

static const struct git_option gc_options[] = {
	GIT_FLAG('q', "quiet", struct gc_opts, quiet),
	GIT_CALL_MAYBE(0, "prune", set_prune),
	GIT_FLAG(0, "aggressive", struct gc_opts, aggressive),
	GIT_FLAG(0, "auto", struct gc_opts, auto_),
	GIT_FLAG(0, "force", struct gc_opts, force),
	GIT_MISSING(0, "cruft"),
	GIT_MISSING(0, "keep-largest-pack"),
	GIT_END(),
};
static const char *const gc_usage[] = { "git gc [<options>]", NULL };

static void count_simply(struct git *g, void *arg, const struct oid *o, const char *path,
			 const struct vfs_stat *st)
{
	(void)g, (void)o, (void)path, (void)st;
	++*(uint64_t *)arg;
}

static bool needs_gc(struct git *g)
{
	uint64_t n = 0;
	int64_t limit = config_int(g, "gc.auto", 6700);

	each_loose(g, count_simply, &n);
	return limit > 0 && n > (uint64_t)limit;
}

int git_cmd_gc(struct git *g, struct args *args)
{
	struct gc_opts o = { .quiet = false };
	const struct git_parser parser = { gc_options, &o, gc_usage, 0, NULL };
	struct repack_opts ro = { .drop = true, .local = true };
	struct pruning p = { .before = INT64_MAX };
	const char *text = config_get(g, "gc.pruneexpire");

	git_parse(g, args, &parser);
	if (args->argc != 0)
		git_usage(g, gc_usage);
	if (o.auto_ && !needs_gc(g))
		return 0;
	if (o.prune != NULL)
		text = o.prune;
	if (text == NULL)
		text = "2.weeks.ago";
	ref_pack_all(g, true, true);
	reflog_expire_all(g, config_get(g, "gc.reflogexpire"),
			  config_get(g, "gc.reflogexpireunreachable"));
	ro.all_loosen = strcmp(text, "now") != 0;
	ro.all = true;
	repack(g, &ro);
	prune_packed(g, &p);
	if (!o.no_prune) {
		/* Of the real git: it may name commits that go. */
		drop_file(g, "info/commit-graph");
		file_remove_tree(g, path_join(g->a, g->odb->dirs.at[0], "info/commit-graphs"));
		p.before = expiry(g, text);
		prune_loose(g, &p);
	}
	write_info(g);
	return 0;
}
