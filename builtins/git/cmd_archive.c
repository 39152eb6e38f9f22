/* SPDX-License-Identifier: MIT
 *
 * git archive: a tree as a tar or zip file; get-tar-commit-id.
 *
 * Attributes (export-ignore, export-subst) are those of the work tree.
 */
#include "builtins/git/walk.h"

enum { BLOCK = 512, RECORD = 10240, ZIP_UNIX = 0x0317 };

struct archive_opts {
	bool list, verbose, worktree_attributes;
	int level; /* of compression, plus 1; 0: as if 6 were given */
	const char *format;
	const char *prefix;
	const char *output;
	const char *remote;
	const char *exec;
	struct names add_files;
	struct names add_as; /* what they are called: with the prefix given before them */
};

static int add_file(struct git *g, void *opts, const char *arg, bool unset)
{
	struct archive_opts *o = opts;

	(void)unset;
	names_add(g, &o->add_files, arg);
	names_add(g, &o->add_as,
		  git_format(g->keep, "%s%s", o->prefix != NULL ? o->prefix : "", path_base(arg)));
	return 0;
}

static const struct git_option archive_options[] = {
	GIT_STR(0, "format", struct archive_opts, format),
	GIT_STR(0, "prefix", struct archive_opts, prefix),
	GIT_CALL_ARG(0, "add-file", add_file),
	GIT_MISSING_ARG(0, "add-virtual-file"),
	GIT_STR('o', "output", struct archive_opts, output),
	GIT_FLAG(0, "worktree-attributes", struct archive_opts, worktree_attributes),
	GIT_FLAG('v', "verbose", struct archive_opts, verbose),
	GIT_FLAG('l', "list", struct archive_opts, list),
	GIT_MISSING_ARG(0, "remote"),
	GIT_MISSING_ARG(0, "exec"),
	GIT_SET('0', NULL, struct archive_opts, level, 1),
	GIT_SET('1', NULL, struct archive_opts, level, 2),
	GIT_SET('2', NULL, struct archive_opts, level, 3),
	GIT_SET('3', NULL, struct archive_opts, level, 4),
	GIT_SET('4', NULL, struct archive_opts, level, 5),
	GIT_SET('5', NULL, struct archive_opts, level, 6),
	GIT_SET('6', NULL, struct archive_opts, level, 7),
	GIT_SET('7', NULL, struct archive_opts, level, 8),
	GIT_SET('8', NULL, struct archive_opts, level, 9),
	GIT_SET('9', NULL, struct archive_opts, level, 10),
	GIT_END(),
};
static const char *const archive_usage[] = {
	"git archive [<options>] <tree-ish> [<path>...]", "git archive --list",
	"git archive --remote <repo> [--exec <cmd>] [<options>] <tree-ish> [<path>...]",
	"git archive --remote <repo> [--exec <cmd>] --list", NULL
};

struct archiving {
	struct git *g;
	struct archive_opts o;
	struct pathspec paths;
	struct commit *commit; /* NULL: a tree alone */
	int64_t time;
	bool zip;
	struct buf out;
	struct buf directory; /* of a zip file: it comes last */
	uint32_t entries;
};

static int level_of(const struct archive_opts *o)
{
	return o->level != 0 ? o->level - 1 : 6;
}

/* --- tar --- */

static void put_octal(char *field, size_t n, uint64_t v)
{
	for (size_t i = n - 1; i > 0; i--, v >>= 3)
		field[i - 1] = (char)('0' + (v & 7));
}

static void pad_block(struct archiving *k)
{
	if (k->out.len % BLOCK != 0)
		buf_fill(&k->out, '\0', BLOCK - k->out.len % BLOCK);
}

/* A header of the old kind: name and prefix must fit. */
static void put_header(struct archiving *k, const char *name, size_t prefix, uint32_t mode,
		       uint64_t size, char kind, const char *link)
{
	char h[BLOCK] = { 0 };
	unsigned sum = 0;
	const char *tail = prefix != 0 ? name + prefix + 1 : name;
	size_t len = strlen(tail);

	memcpy(h, tail, len < 100 ? len : 100);
	put_octal(h + 100, 8, mode);
	put_octal(h + 108, 8, 0);
	put_octal(h + 116, 8, 0);
	put_octal(h + 124, 12, size);
	put_octal(h + 136, 12, (uint64_t)k->time);
	memset(h + 148, ' ', 8);
	h[156] = kind;
	len = strlen(link);
	memcpy(h + 157, link, len < 100 ? len : 100);
	memcpy(h + 257, "ustar\00000root", 12);
	memcpy(h + 297, "root", 4);
	put_octal(h + 329, 8, 0);
	put_octal(h + 337, 8, 0);
	memcpy(h + 345, name, prefix < 155 ? prefix : 155);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	put_octal(h + 148, 8, sum);
	h[155] = '\0';
	buf_put(&k->out, h, BLOCK);
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts itself. */
static void put_record(struct git *g, struct buf *out, const char *key, const char *value)
{
	size_t body = strlen(key) + strlen(value) + 3;
	size_t len = body + 1;

	while (strlen(git_format(g->a, "%zu", len)) + body != len)
		len++;
	buf_printf(out, "%zu %s=%s\n", len, key, value);
}

/* Where a long path can be cut for the prefix field; 0: nowhere. */
static size_t cut_at(const char *path)
{
	size_t n = strlen(path);
	size_t i = n < 156 ? n : 156;

	while (i > 0 && !(path[i - 1] == '/' && i < n))
		i--;
	return i > 0 ? i - 1 : 0;
}

static void put_tar(struct archiving *k, const char *path, uint32_t mode, struct bytes data,
		    const struct oid *o)
{
	struct git *g = k->g;
	struct buf extra = buf_in(g->a);
	bool dir = (mode & S_FMT) == S_DIR || mode == MODE_GITLINK;
	bool link = (mode & S_FMT) == S_LNK;
	uint32_t bits = link ? 0777u : dir ? 0775u : mode & 0100 ? 0775u : 0664u;
	const char *name = path;
	const char *target = link ? arena_dup(g->a, data) : "";
	size_t prefix = 0;

	if (strlen(path) > 100) {
		size_t cut = cut_at(path);

		if (cut > 0 && cut < 155 && strlen(path) - cut - 1 <= 100) {
			prefix = cut;
		} else {
			put_record(g, &extra, "path", path);
			name = git_format(g->a, "%s.data", oid_hex(g, o));
		}
	}
	if (strlen(target) > 100) {
		put_record(g, &extra, "linkpath", target);
		target = git_format(g->a, "see %s.paxheader", oid_hex(g, o));
	}
	if (extra.len != 0) {
		put_header(k, git_format(g->a, "%s.paxheader", oid_hex(g, o)), 0, 0100666 & 07777,
			   extra.len, 'x', "");
		buf_add(&k->out, buf_bytes(&extra));
		pad_block(k);
	}
	put_header(k, name, prefix, bits, link || dir ? 0 : data.len,
		   link  ? '2'
		   : dir ? '5'
			 : '0',
		   target);
	if (!link && !dir) {
		buf_add(&k->out, data);
		pad_block(k);
	}
}

/* --- zip --- */

static void put_le(struct buf *out, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_putc(out, (char)(v >> 8 * i & 0xff));
}

/* Local time as zip files have it. */
static uint32_t dos_time(struct archiving *k)
{
	struct git *g = k->g;
	struct date_style style = { .mode = DATE_FORMAT,
				    .local = true,
				    .format = "%Y %m %d %H %M %S" };
	struct buf b = buf_in(g->a);
	int64_t v[6] = { 1980, 1, 1, 0, 0, 0 };
	const char *p;

	date_put(g, &b, k->time, 0, &style);
	p = buf_cstr(&b);
	for (int i = 0; i < 6; i++) {
		v[i] = 0;
		for (; byte_is_digit((unsigned char)*p); p++)
			v[i] = v[i] * 10 + (*p - '0');
		p += *p == ' ';
	}
	return (uint32_t)((v[0] - 1980) << 25 | v[1] << 21 | v[2] << 16 | v[3] << 11 | v[4] << 5 |
			  v[5] / 2);
}

static void put_zip(struct archiving *k, const char *path, uint32_t mode, struct bytes data)
{
	struct git *g = k->g;
	bool dir = (mode & S_FMT) == S_DIR || mode == MODE_GITLINK;
	bool link = (mode & S_FMT) == S_LNK;
	struct buf packed = buf_in(g->a);
	uint32_t crc = zlib_crc32(0, data);
	uint32_t attrs = link ? (mode | 0777u) << 16 : dir ? 16u : mode & 0100 ? mode << 16 : 0u;
	uint64_t at = k->out.len;
	size_t name = strlen(path);
	uint32_t time = dos_time(k);
	int method = 0;
	int kind = attrs > 0xffff ? ZIP_UNIX : 0;

	if (dir)
		data.len = 0;
	if (!link && !dir && data.len != 0) {
		zlib_deflate_raw(g, data, level_of(&k->o), &packed);
		if (packed.len < data.len)
			method = 8;
	}
	struct bytes stored = method == 8 ? buf_bytes(&packed) : data;

	for (int pass = 0; pass < 2; pass++) {
		struct buf *out = pass == 0 ? &k->out : &k->directory;

		buf_put(out, pass == 0 ? "PK\3\4" : "PK\1\2", 4);
		if (pass == 1)
			put_le(out, (uint64_t)kind, 2);
		put_le(out, 10, 2);
		put_le(out, 0, 2);
		put_le(out, (uint64_t)method, 2);
		put_le(out, time, 4);
		put_le(out, crc, 4);
		put_le(out, stored.len, 4);
		put_le(out, data.len, 4);
		put_le(out, name, 2);
		put_le(out, 9, 2);
		if (pass == 1) {
			put_le(out, 0, 2);
			put_le(out, 0, 2);
			put_le(out, !lines_binary(data) && !dir, 2);
			put_le(out, attrs, 4);
			put_le(out, at, 4);
		}
		buf_put(out, path, name);
		buf_put(out, "UT", 2);
		put_le(out, 5, 2);
		buf_putc(out, 1);
		put_le(out, (uint64_t)k->time, 4);
	}
	buf_add(&k->out, stored);
	k->entries++;
}

static void end_zip(struct archiving *k)
{
	uint64_t at = k->out.len;

	buf_add(&k->out, buf_bytes(&k->directory));
	buf_put(&k->out, "PK\5\6", 4);
	put_le(&k->out, 0, 4);
	put_le(&k->out, k->entries, 2);
	put_le(&k->out, k->entries, 2);
	put_le(&k->out, k->directory.len, 4);
	put_le(&k->out, at, 4);
	put_le(&k->out, k->commit != NULL ? OID_HEX : 0, 2);
	if (k->commit != NULL)
		buf_puts(&k->out, oid_hex(k->g, &k->commit->oid));
}

/* --- entries --- */

/* "$Format:...$" of files that ask for it. */
static struct bytes substitute(struct archiving *k, struct arena *a, struct bytes data)
{
	struct buf out = buf_in(a);
	struct pretty p = { .kind = PRETTY_USER };

	for (;;) {
		const char *at = bytes_find(data, BYTES("$Format:"));
		const char *end;
		struct bytes rest;

		if (at == NULL)
			break;
		rest = bytes_slice(data, (size_t)(at + 8 - data.ptr), data.len);
		end = rest.len != 0 ? memchr(rest.ptr, '$', rest.len) : NULL;
		if (end == NULL)
			break;
		buf_put(&out, data.ptr, (size_t)(at - data.ptr));
		pretty_format(k->g, &p, k->commit,
			      arena_dup(a, (struct bytes){ rest.ptr, (size_t)(end - rest.ptr) }),
			      &out);
		data = bytes_slice(rest, (size_t)(end + 1 - rest.ptr), rest.len);
	}
	buf_add(&out, data);
	return buf_bytes(&out);
}

static void put_entry(struct archiving *k, const char *path, uint32_t mode, struct bytes data,
		      const struct oid *o)
{
	if (k->o.verbose)
		git_say(k->g, "%s\n", path);
	if (k->zip)
		put_zip(k, path, mode, data);
	else
		put_tar(k, path, mode, data, o);
}

static bool is_set(struct git *g, const char *path, const char *attr)
{
	const char *v = g->work != NULL ? attr_get(g, path, attr) : NULL;

	return v != NULL && strcmp(v, ATTR_TRUE) == 0;
}

static void put_file(struct archiving *k, const char *path, const struct tree_entry *e)
{
	struct git *g = k->g;
	struct arena a;
	struct bytes data = { "", 0 };
	char *full = path_join(g->keep, g->prefix, path);

	arena_init_under(&a, g->a);
	if (e->mode != MODE_GITLINK) {
		if (object_read(g, &a, &e->oid, &data) != OBJECT_BLOB)
			git_die(g, "cannot read '%s'", oid_hex(g, &e->oid));
		if ((e->mode & S_FMT) == S_REG) {
			data = convert_out(g, &a, full, data);
			if (k->commit != NULL && is_set(g, full, "export-subst"))
				data = substitute(k, &a, data);
		}
	}
	put_entry(k,
		  git_format(g->keep, "%s%s%s", k->o.prefix, path,
			     e->mode == MODE_GITLINK ? "/" : ""),
		  e->mode, data, &e->oid);
	cmd_charge_bytes(g->c, data.len);
	arena_clear(&a);
}

static bool wants(struct archiving *k, const char *path, bool dir)
{
	return k->paths.n == 0 || pathspec_match(k->g, &k->paths, path, dir) ||
	       (dir && pathspec_below(&k->paths, path, strlen(path)));
}

/* Directories are written once something in them is. */
static void put_tree(struct archiving *k, const struct oid *tree, const char *path, int depth)
{
	struct git *g = k->g;
	struct arena a;
	struct bytes rest;
	struct tree_entry e;

	if (depth > GIT_DEPTH_MAX)
		git_die(g, "tree %s is too deep", oid_hex(g, tree));
	arena_init_under(&a, g->a);
	rest = object_need(g, &a, tree, OBJECT_TREE);
	while (tree_next(&rest, &e) > 0) {
		char *name = git_format(g->keep, "%s%s%.*s", path, path[0] != '\0' ? "/" : "",
					(int)e.name.len, e.name.ptr);
		bool dir = (e.mode & S_FMT) == S_DIR;

		cmd_charge(g->c, 1);
		path_need_safe(g, name);
		if (!wants(k, name, dir) ||
		    is_set(g, path_join(g->a, g->prefix, name), "export-ignore"))
			continue;
		if (!dir) {
			put_file(k, name, &e);
			continue;
		}
		put_entry(k, git_format(g->keep, "%s%s/", k->o.prefix, name), e.mode, BYTES(""),
			  &e.oid);
		put_tree(k, &e.oid, name, depth + 1);
	}
	arena_clear(&a);
}

static void put_extra(struct archiving *k)
{
	struct git *g = k->g;

	for (size_t i = 0; i < k->o.add_files.n; i++) {
		const char *name = k->o.add_files.at[i];
		char *path = path_join(g->keep, g->start, name);
		struct vfs_stat st;
		struct bytes data;
		struct oid o;

		if (cmd_stat(g->c, path, &st) < 0 || file_read(g, g->keep, path, &data) < 0)
			git_die(g, "File not found: %s", name);
		object_hash(OBJECT_BLOB, data, &o);
		put_entry(k, k->o.add_as.at[i], st.mode & 0100 ? MODE_EXEC : MODE_FILE, data, &o);
	}
}

/* --- all of it --- */

static const char *format_of(struct git *g, const struct archive_opts *o)
{
	static const char *const formats[] = { "tar", "tgz", "tar.gz", "zip" };

	for (size_t i = 0; i < 4; i++) {
		if (o->format != NULL
			    ? strcmp(o->format, formats[i]) == 0
			    : o->output != NULL &&
				      git_ends(o->output, git_format(g->a, ".%s", formats[i])))
			return formats[i];
	}
	if (o->format != NULL)
		git_die(g, "Unknown archive format '%s'", o->format);
	return "tar";
}

static void check_paths(struct archiving *k, const struct oid *tree, struct args *args)
{
	struct git *g = k->g;

	for (int i = 1; i < args->argc; i++) {
		uint32_t mode;
		struct oid o;
		char *path = path_normal(g->a, args->argv[i]);

		if (path == NULL || args->argv[i][0] == '/')
			git_die(g, "%s: '%s' is outside repository at '%s'", args->argv[i],
				args->argv[i], g->work != NULL ? g->work : g->dir);
		if (strlen(path) > 1 && git_ends(path, "/"))
			path[strlen(path) - 1] = '\0';
		if (!wild_has_magic(path) && path[0] != ':' && path[0] != '\0' &&
		    !tree_find(g, tree, path, &mode, &o))
			git_die(g, "pathspec '%s' did not match any files", args->argv[i]);
	}
}

/* gzip's frame around a deflate stream. */
static void pack_gzip(struct archiving *k)
{
	struct git *g = k->g;
	struct buf packed = buf_in(g->keep);

	buf_put(&packed, "\037\213\010\0\0\0\0\0\0\003", 10);
	zlib_deflate_raw(g, buf_bytes(&k->out), level_of(&k->o), &packed);
	put_le(&packed, zlib_crc32(0, buf_bytes(&k->out)), 4);
	put_le(&packed, k->out.len & 0xffffffffu, 4);
	k->out = packed;
}

static void write_out(struct archiving *k)
{
	struct git *g = k->g;

	if (k->o.output == NULL) {
		cmd_bytes(g->c, buf_bytes(&k->out));
		return;
	}
	if (file_write(g, path_join(g->a, g->start, k->o.output), buf_bytes(&k->out), 0666) < 0)
		git_die(g, "could not create archive file '%s'", k->o.output);
}

static void find_tree(struct archiving *k, const char *name, struct oid *tree)
{
	struct git *g = k->g;
	struct oid o, c;

	if (rev_parse(g, name, &o) < 0)
		git_die(g, "not a valid object name: %s", name);
	k->time = date_now(g);
	if (object_peel(g, &o, OBJECT_COMMIT, &c)) {
		k->commit = commit_at(g, &c);
		commit_need(g, k->commit);
		k->time = k->commit->date;
	}
	if (!tree_of(g, &o, tree))
		git_die(g, "not a tree object: %s", oid_hex(g, &o));
	if (g->prefix[0] != '\0') {
		char *below = git_format(g->a, "%.*s", (int)(strlen(g->prefix) - 1), g->prefix);
		uint32_t mode;
		struct oid whole = *tree;

		if (!tree_find(g, &whole, below, &mode, tree) || (mode & S_FMT) != S_DIR)
			git_die(g, "current working directory is untracked");
	}
}

/* The pathspecs begin where the command was started, and so does the archive. */
static void read_paths(struct archiving *k, struct args *args)
{
	struct git *g = k->g;
	char *saved = g->prefix;
	char none[] = "";

	g->prefix = none;
	pathspec_of(g, args->argv + 1, args->argc - 1, &k->paths);
	g->prefix = saved;
}

int git_cmd_archive(struct git *g, struct args *args)
{
	struct archiving k = { .g = g };
	const struct git_parser p = { archive_options, &k.o, archive_usage, 0, NULL };
	const char *format;
	struct oid tree;

	git_parse(g, args, &p);
	if (k.o.list) {
		git_printf(g, "tar\ntgz\ntar.gz\nzip\n");
		return 0;
	}
	if (args->argc == 0)
		git_usage(g, archive_usage);
	if (k.o.prefix == NULL)
		k.o.prefix = "";
	format = format_of(g, &k.o);
	if (k.o.level != 0 && strcmp(format, "tar") == 0)
		git_die(g, "Argument not supported for format 'tar': -%d", k.o.level - 1);
	find_tree(&k, args->argv[0], &tree);
	check_paths(&k, &tree, args);
	read_paths(&k, args);
	k.zip = strcmp(format, "zip") == 0;
	k.out = buf_in(g->keep);
	k.directory = buf_in(g->keep);
	if (!k.zip && k.commit != NULL) {
		struct buf b = buf_in(g->a);

		put_record(g, &b, "comment", oid_hex(g, &k.commit->oid));
		put_header(&k, "pax_global_header", 0, 0666, b.len, 'g', "");
		buf_add(&k.out, buf_bytes(&b));
		pad_block(&k);
	}
	if (k.o.prefix[0] != '\0' && git_ends(k.o.prefix, "/"))
		put_entry(&k, k.o.prefix, MODE_TREE, BYTES(""), &tree);
	put_tree(&k, &tree, "", 0);
	put_extra(&k);
	if (k.zip) {
		end_zip(&k);
	} else {
		buf_fill(&k.out, '\0', 2 * BLOCK);
		if (k.out.len % RECORD != 0)
			buf_fill(&k.out, '\0', RECORD - k.out.len % RECORD);
		if (strcmp(format, "tar") != 0)
			pack_gzip(&k);
	}
	write_out(&k);
	return 0;
}

int git_cmd_get_tar_commit_id(struct git *g, struct args *args)
{
	struct bytes in = file_stdin(g);

	if (args->argc != 0) {
		git_say(g, "usage: git get-tar-commit-id\n");
		return GIT_STATUS_USAGE;
	}
	if (in.len < 2 * BLOCK)
		git_die(g, "git get-tar-commit-id: EOF before reading tar header");
	if (in.ptr[156] != 'g' ||
	    !bytes_starts(bytes_slice(in, BLOCK, in.len), BYTES("52 comment=")))
		return 1;
	git_printf(g, "%.*s\n", OID_HEX, in.ptr + BLOCK + 11);
	return 0;
}
