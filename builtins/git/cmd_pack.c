/* SPDX-License-Identifier: MIT
 *
 * git pack-objects, unpack-objects, index-pack, verify-pack, show-index.
 */
#include "builtins/git/transport.h"

struct pack_opts {
	bool to_stdout, revs, all, quiet, thin, delta_base, incremental, local, progress, unpacked,
		honor, keep_true;
	const char *window;
	const char *depth;
	const char *threads;
	const char *compression;
};

static int set_reuse(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts, (void)arg;
	g->fresh_deltas = unset;
	return 0;
}

static const struct git_option pack_options[] = {
	GIT_FLAG(0, "stdout", struct pack_opts, to_stdout),
	GIT_FLAG(0, "revs", struct pack_opts, revs),
	GIT_FLAG(0, "all", struct pack_opts, all),
	GIT_FLAG('q', "quiet", struct pack_opts, quiet),
	GIT_FLAG(0, "progress", struct pack_opts, progress),
	GIT_FLAG(0, "all-progress", struct pack_opts, progress),
	GIT_FLAG(0, "all-progress-implied", struct pack_opts, progress),
	GIT_FLAG(0, "delta-base-offset", struct pack_opts, delta_base),
	GIT_FLAG(0, "honor-pack-keep", struct pack_opts, honor),
	GIT_CALL(0, "reuse-delta", set_reuse),
	GIT_CALL(0, "reuse-object", set_reuse),
	GIT_MISSING(0, "thin"),
	GIT_MISSING(0, "incremental"),
	GIT_MISSING(0, "unpacked"),
	GIT_STR(0, "window", struct pack_opts, window),
	GIT_STR(0, "depth", struct pack_opts, depth),
	GIT_STR(0, "threads", struct pack_opts, threads),
	GIT_STR(0, "compression", struct pack_opts, compression),
	GIT_END(),
};
static const char *const pack_usage[] = {
	"git pack-objects --stdout [<options>] [< <ref-list> | < <object-list>]",
	"git pack-objects [<options>] <base-name> [< <ref-list> | < <object-list>]", NULL
};

struct objects {
	struct oid *at;
	size_t n;
	size_t cap;
};

static void add_object(struct git *g, struct objects *list, const struct oid *o)
{
	LIST_ROOM(g, list->at, list->n, list->cap);
	list->at[list->n++] = *o;
}

/* Lines of "object [name]": the objects themselves, no others. */
static void read_objects(struct git *g, struct reach *r)
{
	struct bytes in = file_stdin(g), line;
	struct lookup *seen = lookup_new(g);

	while (git_line(&in, &line)) {
		struct reached one = { .hint = 0 };
		uint64_t size;

		if (line.len < OID_HEX || !oid_parse(line.ptr, &one.oid))
			git_die(g, "expected object ID, got garbage:\n %.*s\n", (int)line.len,
				line.ptr);
		if (lookup_get(seen, oid_key(&one.oid)) != NULL)
			continue;
		one.type = object_info(g, &one.oid, &size);
		if (one.type == OBJECT_NONE)
			git_die(g, "unable to get size of %s", oid_hex(g, &one.oid));
		for (size_t i = OID_HEX; i < line.len; i++)
			one.hint = (one.hint >> 2) + ((uint32_t)(unsigned char)line.ptr[i] << 24);
		LIST_ROOM(g, r->at, r->n, r->cap);
		r->at[r->n++] = one;
		*lookup_at(seen,
			   (struct bytes){
				   arena_dup(g->keep, (struct bytes){ (const char *)one.oid.hash,
								      OID_BYTES }),
				   OID_BYTES }) = seen;
		cmd_charge(g->c, 4);
	}
}

/* Lines of revisions, "^x" and "--not" too. */
static void read_revisions(struct git *g, struct reach *r, bool all)
{
	struct bytes in = all ? BYTES("") : file_stdin(g), line;
	struct objects want = { NULL, 0, 0 }, have = { NULL, 0, 0 };
	bool negate = false;
	struct oid *tips;
	size_t n = all ? reach_tips(g, false, &tips) : 0;

	for (size_t i = 0; i < n; i++)
		add_object(g, &want, &tips[i]);
	while (git_line(&in, &line)) {
		char *text = arena_dup(g->a, line);
		bool minus = text[0] == '^';
		struct oid o;

		if (strcmp(text, "--not") == 0) {
			negate = !negate;
			continue;
		}
		if (text[0] == '\0')
			break;
		if (rev_parse(g, text + minus, &o) < 0)
			git_die(g, "bad revision '%s'", text);
		add_object(g, minus != negate ? &have : &want, &o);
	}
	reach_find(r, want.at, want.n, have.at, have.n);
}

int git_cmd_pack_objects(struct git *g, struct args *args)
{
	struct pack_opts o = { .revs = false };
	const struct git_parser p = { pack_options, &o, pack_usage, 0, NULL };
	struct reach r = { .g = g };
	struct oid name;

	git_parse(g, args, &p);
	if (args->argc != (o.to_stdout ? 0 : 1))
		git_usage(g, pack_usage);
	if (o.revs || o.all)
		read_revisions(g, &r, o.all);
	else
		read_objects(g, &r);
	if (o.to_stdout) {
		cmd_flush(g->c);
		pack_stream(g, 1, r.at, r.n, &name);
		return 0;
	}
	git_printf(g, "%s\n",
		   pack_write_as(g, path_join(g->keep, g->start, args->argv[0]), r.at, r.n));
	return 0;
}

/* --- reading packs --- */

/* Standard input as a file that can be read again: an open descriptor without a name. */
static int spool(struct git *g)
{
	char *path = git_format(g->a, "%s/pack/tmp_pack_in_%08x", g->odb->dirs.at[0],
				(unsigned)cmd_pid(g->c));
	struct input in;
	struct bytes part;
	int fd;

	file_make_parents(g, path);
	fd = cmd_open(g->c, CMD_CWD, path, O_RDWR_ | O_CREAT_ | O_TRUNC_, 0600);
	if (fd < 0)
		git_die_errno(g, fd, "unable to create temporary file '%s'", path);
	cmd_unlink(g->c, CMD_CWD, path, 0);
	input_init(&in, g->c, 0, "-");
	while (input_block(&in, &part) > 0) {
		int err = cmd_write_fd(g->c, fd, part.ptr, part.len);

		if (err < 0)
			git_die_errno(g, err, "write error");
	}
	return fd;
}

static void scan_or_die(struct git *g, int fd, bool thin, struct pack_scan *s)
{
	const char *why = pack_scan(g, fd, thin, s);

	if (why != NULL)
		git_die(g, "%s", why);
	if (s->unresolved != 0)
		git_die(g, "pack has %zu unresolved delta%s", s->unresolved,
			s->unresolved == 1 ? "" : "s");
}

void pack_unpack(struct git *g, int fd, bool dry_run)
{
	struct pack_scan s;

	scan_or_die(g, fd, true, &s);
	for (size_t i = 0; i < s.n && !dry_run; i++) {
		struct arena a;
		struct bytes data;
		struct oid o;

		arena_init_under(&a, g->a);
		object_write(g, pack_scan_read(g, &a, &s, i, &data), data, &o);
		arena_clear(&a);
	}
}

struct unpack_opts {
	bool dry_run, quiet, recover, strict;
};
static const struct git_option unpack_options[] = {
	GIT_FLAG('n', NULL, struct unpack_opts, dry_run),
	GIT_FLAG('q', NULL, struct unpack_opts, quiet),
	GIT_MISSING('r', NULL),
	GIT_MISSING(0, "strict"),
	GIT_END(),
};
static const char *const unpack_usage[] = { "git unpack-objects [-n] [-q] [-r] [--strict]", NULL };

int git_cmd_unpack_objects(struct git *g, struct args *args)
{
	struct unpack_opts o = { .quiet = false };
	const struct git_parser p = { unpack_options, &o, unpack_usage, 0, NULL };
	int fd;

	git_parse(g, args, &p);
	if (args->argc != 0)
		git_usage(g, unpack_usage);
	fd = spool(g);
	pack_unpack(g, fd, o.dry_run);
	cmd_close(g->c, fd);
	return 0;
}

struct index_opts {
	bool from_stdin, verbose, fix_thin, strict, verify;
	const char *output;
	const char *keep;
	const char *threads;
	const char *version;
};
static const struct git_option index_options[] = {
	GIT_FLAG(0, "stdin", struct index_opts, from_stdin),
	GIT_FLAG('v', NULL, struct index_opts, verbose),
	GIT_FLAG(0, "verify", struct index_opts, verify),
	GIT_MISSING(0, "fix-thin"),
	GIT_MISSING(0, "strict"),
	GIT_STR('o', NULL, struct index_opts, output),
	GIT_STR_MAYBE(0, "keep", struct index_opts, keep),
	GIT_STR(0, "threads", struct index_opts, threads),
	GIT_MISSING_ARG(0, "index-version"),
	GIT_END(),
};
static const char *const index_usage[] = {
	"git index-pack [-v] [-o <index-file>] [--keep | --keep=<msg>] [--[no-]rev-index] "
	"[--verify] [--strict] (<pack-file> | --stdin [--fix-thin] [<pack-file>])",
	NULL
};

static void write_index(struct git *g, const struct pack_scan *s, const char *path)
{
	struct placed *list = arena_array(g->keep, s->n, sizeof(*list));
	struct buf idx = buf_in(g->keep);
	int err;

	for (size_t i = 0; i < s->n; i++)
		list[i] = (struct placed){ s->at[i].oid, s->at[i].offset, s->at[i].crc };
	pack_put_index(g, list, s->n, &s->name, &idx);
	cmd_unlink(g->c, CMD_CWD, path, 0);
	err = file_write(g, path, buf_bytes(&idx), 0444);
	if (err < 0)
		git_die_errno(g, err, "unable to create '%s'", path);
}

/* The pack from standard input into the repository. */
static int keep_stdin(struct git *g, const struct index_opts *o)
{
	struct pack_scan s;
	struct buf all = buf_in(g->keep);
	int fd = spool(g);
	char *base;
	int64_t got;

	scan_or_die(g, fd, false, &s);
	base = git_format(g->keep, "%s/pack/pack-%s", g->odb->dirs.at[0], oid_hex(g, &s.name));
	buf_reserve(&all, heap_size(s.pack.size));
	got = cmd_pread(g->c, fd, all.ptr, (size_t)s.pack.size, 0);
	cmd_close(g->c, fd);
	cmd_unlink(g->c, CMD_CWD, git_format(g->a, "%s.pack", base), 0);
	if (got != (int64_t)s.pack.size ||
	    file_write(g, git_format(g->a, "%s.pack", base), (struct bytes){ all.ptr, (size_t)got },
		       0444) < 0)
		git_die(g, "cannot write '%s.pack'", base);
	write_index(g, &s, git_format(g->a, "%s.idx", base));
	if (o->keep != NULL)
		file_write(g, git_format(g->a, "%s.keep", base), bytes_of(o->keep), 0444);
	git_printf(g, "%s\t%s\n", o->keep != NULL ? "keep" : "pack", oid_hex(g, &s.name));
	return 0;
}

static char *pack_base(struct git *g, const char *path)
{
	if (git_ends(path, ".pack"))
		return git_format(g->keep, "%.*s", (int)(strlen(path) - 5), path);
	if (git_ends(path, ".idx"))
		return git_format(g->keep, "%.*s", (int)(strlen(path) - 4), path);
	return NULL;
}

int git_cmd_index_pack(struct git *g, struct args *args)
{
	struct index_opts o = { .verbose = false };
	const struct git_parser p = { index_options, &o, index_usage, 0, NULL };
	struct pack_scan s;
	char *path, *base;
	int fd;

	git_parse(g, args, &p);
	if (o.from_stdin) {
		repo_need(g);
		if (args->argc != 0)
			git_refuse(g, "index-pack --stdin with a file");
		return keep_stdin(g, &o);
	}
	if (args->argc != 1)
		git_usage(g, index_usage);
	base = pack_base(g, args->argv[0]);
	if (base == NULL)
		git_die(g, "packfile name '%s' does not end with '.pack'", args->argv[0]);
	path = path_join(g->keep, g->start, args->argv[0]);
	fd = cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);
	if (fd < 0)
		git_die_errno(g, fd, "could not open '%s' for reading", args->argv[0]);
	scan_or_die(g, fd, false, &s);
	cmd_close(g->c, fd);
	if (!o.verify)
		write_index(
			g, &s,
			path_join(g->keep, g->start,
				  o.output != NULL ? o.output : git_format(g->a, "%s.idx", base)));
	git_printf(g, "%s\n", oid_hex(g, &s.name));
	return 0;
}

/* --- verify-pack --- */

struct verify_opts {
	bool verbose, stat_only;
};
static const struct git_option verify_options[] = {
	GIT_FLAG('v', "verbose", struct verify_opts, verbose),
	GIT_FLAG('s', "stat-only", struct verify_opts, stat_only),
	GIT_END(),
};
static const char *const verify_usage[] = {
	"git verify-pack [-v | --verbose] [-s | --stat-only] [--] <pack>.idx...", NULL
};

static size_t entry_at(const struct pack_scan *s, uint64_t offset)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->at[mid].offset < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t entry_named(struct git *g, const struct pack_scan *s, const struct oid *o)
{
	cmd_charge(g->c, s->n / 8);
	for (size_t i = 0; i < s->n; i++)
		if (oid_eq(&s->at[i].oid, o))
			return i;
	return 0;
}

static void report(struct git *g, const struct pack_scan *s, const struct verify_opts *o)
{
	uint32_t *chain = arena_array(g->keep, s->n, sizeof(*chain));
	uint32_t *count = arena_zalloc(g->keep, (s->n + 2) * sizeof(*count));

	/* A base may stand behind its delta only if it is named: so bases are looked up. */
	for (size_t i = 0; i < s->n; i++) {
		const struct scanned *e = &s->at[i];
		size_t base = i;

		for (chain[i] = 0; s->at[base].kind > OBJECT_TAG && chain[i] <= s->n; chain[i]++)
			base = s->at[base].kind == PACK_OFS_DELTA
				       ? entry_at(s, s->at[base].base_offset)
				       : entry_named(g, s, &s->at[base].base_oid);
		count[chain[i] <= s->n ? chain[i] : 0]++;
		cmd_charge(g->c, 1 + chain[i]);
		if (o->stat_only)
			continue;
		git_printf(g, "%s %-6s %llu %llu %llu", oid_hex(g, &e->oid),
			   object_type_name(e->type), (unsigned long long)e->stored_size,
			   (unsigned long long)(e->end - e->offset), (unsigned long long)e->offset);
		base = e->kind == PACK_OFS_DELTA ? entry_at(s, e->base_offset)
						 : entry_named(g, s, &e->base_oid);
		if (chain[i] != 0)
			git_printf(g, " %u %s", chain[i], oid_hex(g, &s->at[base].oid));
		cmd_putc(g->c, '\n');
	}
	if (count[0] != 0)
		git_printf(g, "non delta: %u object%s\n", count[0], count[0] == 1 ? "" : "s");
	for (size_t i = 1; i <= s->n; i++)
		if (count[i] != 0)
			git_printf(g, "chain length = %zu: %u object%s\n", i, count[i],
				   count[i] == 1 ? "" : "s");
}

static int verify_one(struct git *g, const char *arg, const struct verify_opts *o)
{
	char *base = pack_base(g, arg);
	char *path;
	struct pack_scan s;
	const char *why;
	int fd;

	if (base == NULL)
		base = arena_dup(g->keep, bytes_of(arg));
	path = path_join(g->keep, g->start, git_format(g->a, "%s.pack", base));
	fd = cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);
	if (fd < 0) {
		git_say(g, "fatal: cannot open packfile '%s.pack': %s\n", base, err_text(fd));
		return 1;
	}
	why = pack_scan(g, fd, false, &s);
	cmd_close(g->c, fd);
	if (why == NULL && s.unresolved != 0)
		why = "unresolved deltas";
	if (why != NULL)
		git_say(g, "fatal: %s\n", why);
	if (why == NULL && (o->verbose || o->stat_only))
		report(g, &s, o);
	if (o->verbose && !o->stat_only)
		git_printf(g, "%s.pack: %s\n", base, why == NULL ? "ok" : "bad");
	return why != NULL;
}

int git_cmd_verify_pack(struct git *g, struct args *args)
{
	struct verify_opts o = { .verbose = false };
	const struct git_parser p = { verify_options, &o, verify_usage, 0, NULL };
	int status = 0;

	git_parse(g, args, &p);
	if (args->argc == 0)
		git_usage(g, verify_usage);
	for (int i = 0; i < args->argc; i++)
		status |= verify_one(g, args->argv[i], &o);
	return status;
}
