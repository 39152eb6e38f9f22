/* SPDX-License-Identifier: MIT
 *
 * shred - overwrites files, and removes them.
 *
 * Old contents that a snapshot or another session shares stay what they were: what is overwritten
 * is this session's copy.
 */
#include "builtins/builtin.h"

enum {
	PASSES_DEFAULT = 3,
	BLOCK = 4096,
	CHUNK = 1 << 16,
	RANDOM = -1,
};

enum remove_how { REMOVE_NOT, REMOVE_UNLINK, REMOVE_WIPE, REMOVE_WIPE_SYNC };

static const struct opt_word remove_words[] = {
	{ "unlink", REMOVE_UNLINK },
	{ "wipe", REMOVE_WIPE },
	{ "wipesync", REMOVE_WIPE_SYNC },
	{ NULL, 0 },
};

struct shred_opts {
	bool force;
	uint64_t passes;
	const char *random_source;
	bool has_size;
	uint64_t size;
	int remove;
	bool verbose;
	bool exact;
	bool zero;
};

static int set_passes(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct shred_opts *o = c->opts;

	(void)opt;
	if (num_parse_u64(arg, "", &o->passes) == 0 && o->passes <= UINT32_MAX)
		return 0;
	return cmd_error(c, 0, "invalid number of passes: %s", cmd_quote(c, arg));
}

static int set_size(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct shred_opts *o = c->opts;

	(void)opt;
	o->has_size = true;
	if (num_parse_u64(arg, "cbBkKMGTPEZYRQ0", &o->size) == 0 && o->size <= INT64_MAX)
		return 0;
	return cmd_error(c, 0, "invalid file size: %s", cmd_quote(c, arg));
}

static const struct opt shred_options[] = {
	OPT_FLAG('f', "force", struct shred_opts, force, "change permissions if needed"),
	OPT_CALL_ARG('n', "iterations", set_passes, "N", "overwrite N times (3)"),
	OPT_STR(0, "random-source", struct shred_opts, random_source, NULL, "FILE",
		"of random bytes"),
	OPT_CALL_ARG('s', "size", set_size, "N", "so many bytes (K, M, G... behind N)"),
	OPT_SET('u', NULL, struct shred_opts, remove, REMOVE_WIPE_SYNC,
		"remove the file when it is overwritten"),
	OPT_ENUM_OPTIONAL(0, "remove", struct shred_opts, remove, remove_words, REMOVE_WIPE_SYNC,
			  "HOW", "the same: unlink, wipe (its name, too), wipesync"),
	OPT_FLAG('v', "verbose", struct shred_opts, verbose, "say what is done"),
	OPT_FLAG('x', "exact", struct shred_opts, exact, "do not round sizes up to whole blocks"),
	OPT_FLAG('z', "zero", struct shred_opts, zero, "at last, overwrite with zeros"),
	OPT_END(),
};

struct shred {
	struct cmd *c;
	const struct shred_opts *o;
	int random; /* descriptor of --random-source, or -1 */
	char *chunk;
};

/* What a pass writes: RANDOM, or 24 bits. Up to three passes are random; of more, every third,
 * and patterns between. */
static int32_t pattern_of(uint64_t pass, uint64_t passes)
{
	static const int32_t patterns[] = { 0x000000, 0xffffff, 0x555555, 0xaaaaaa, 0x249249,
					    0x492492, 0x6db6db, 0x924924, 0xb6db6d, 0xdb6db6 };

	if (passes <= PASSES_DEFAULT || pass % 2 == 1 || pass == passes)
		return RANDOM;
	return patterns[(pass / 2 - 1) % (sizeof(patterns) / sizeof(patterns[0]))];
}

static void fill_chunk(struct shred *s, int32_t pattern, uint64_t at)
{
	if (pattern != RANDOM) {
		for (size_t i = 0; i < CHUNK; i++)
			s->chunk[i] = (char)(pattern >> (16 - 8 * (int)((at + i) % 3)));
		return;
	}
	if (s->random < 0) {
		cmd_random_bytes(s->c, s->chunk, CHUNK);
		return;
	}
	for (size_t n = 0; n < CHUNK;) {
		int64_t got = cmd_read(s->c, s->random, s->chunk + n, CHUNK - n);

		if (got == 0)
			cmd_fatal(s->c, 0, "%s: end of file",
				  cmd_quotef(s->c, s->o->random_source));
		if (got < 0)
			cmd_fatal(s->c, (int)got, "%s: read error",
				  cmd_quotef(s->c, s->o->random_source));
		n += (size_t)got;
	}
}

/* One pass over the file. */
static int overwrite(struct shred *s, int fd, const char *name, uint64_t size, int32_t pattern)
{
	for (uint64_t at = 0; at < size;) {
		size_t n = size - at < CHUNK ? (size_t)(size - at) : CHUNK;

		fill_chunk(s, pattern, at);
		int64_t done = cmd_pwrite(s->c, fd, s->chunk, n, at);

		if (done <= 0)
			return cmd_error(s->c, (int)done, "%s: error writing at offset %llu",
					 cmd_quotef(s->c, name), (unsigned long long)at);
		cmd_charge_bytes(s->c, n);
		at += (uint64_t)done;
	}
	return 0;
}

static void say_pass(struct shred *s, const char *name, uint64_t pass, uint64_t passes,
		     int32_t pattern)
{
	char what[8] = "random";

	if (!s->o->verbose)
		return;
	for (int i = 0; pattern != RANDOM && i < 6; i++)
		what[i] = "0123456789abcdef"[pattern >> (20 - 4 * i) & 15];
	cmd_warn(s->c, 0, "%s: pass %llu/%llu (%s)...", cmd_quotef(s->c, name),
		 (unsigned long long)pass, (unsigned long long)passes, what);
}

static int overwrite_all(struct shred *s, int fd, const char *name)
{
	uint64_t passes = s->o->passes + s->o->zero;
	struct vfs_stat st;
	int err = cmd_fstat(s->c, fd, &st);

	if (err < 0)
		return cmd_error(s->c, err, "%s: fstat failed", cmd_quotef(s->c, name));
	if ((st.mode & S_FMT) == S_FIFO || cmd_isatty(s->c, fd))
		return cmd_error(s->c, 0, "%s: invalid file type", cmd_quotef(s->c, name));
	uint64_t size = s->o->has_size ? s->o->size : st.size;

	if (!s->o->has_size && !s->o->exact && (st.mode & S_FMT) == S_REG)
		size += (BLOCK - size % BLOCK) % BLOCK;
	for (uint64_t pass = 1; pass <= passes && size > 0; pass++) {
		int32_t pattern = pass > s->o->passes ? 0 : pattern_of(pass, s->o->passes);

		say_pass(s, name, pass, passes, pattern);
		int status = overwrite(s, fd, name, size, pattern);

		if (status != 0)
			return status;
	}
	return 0;
}

/* Gives the file shorter and shorter names of zeros, so that nothing tells the old one. */
static const char *wipe_name(struct shred *s, const char *path)
{
	struct cmd *c = s->c;
	char *now = arena_dup(c->arena, bytes_of(path));
	char *slash = strrchr(now, '/');
	size_t base = slash != NULL ? (size_t)(slash - now) + 1 : 0;
	struct vfs_stat st;

	for (size_t len = strlen(now) - base; len > 0; len--) {
		char *next = arena_dup(c->arena, (struct bytes){ now, base + len });

		memset(next + base, '0', len);
		if (cmd_lstat(c, next, &st) == 0 ||
		    cmd_rename(c, CMD_CWD, now, CMD_CWD, next, 1) < 0)
			continue;
		if (s->o->verbose)
			cmd_warn(c, 0, "%s: renamed to %s", cmd_quotef(c, now), next);
		now = next;
	}
	return now;
}

static int remove_file(struct shred *s, const char *path)
{
	struct cmd *c = s->c;

	if (s->o->verbose)
		cmd_warn(c, 0, "%s: removing", cmd_quotef(c, path));
	const char *now = s->o->remove == REMOVE_UNLINK ? path : wipe_name(s, path);
	int err = cmd_unlink(c, CMD_CWD, now, 0);

	if (err < 0)
		return cmd_error(c, err, "%s: failed to remove", cmd_quotef(c, now));
	if (s->o->verbose)
		cmd_warn(c, 0, "%s: removed", cmd_quotef(c, path));
	return 0;
}

static int shred_file(struct shred *s, const char *path)
{
	struct cmd *c = s->c;

	if (strcmp(path, "-") == 0)
		return overwrite_all(s, 1, path);
	int fd = cmd_open(c, CMD_CWD, path, O_WRONLY_, 0);

	if (fd == -E_ACCES && s->o->force && cmd_chmod(c, CMD_CWD, path, 0200, 0) == 0)
		fd = cmd_open(c, CMD_CWD, path, O_WRONLY_, 0);
	if (fd < 0)
		return cmd_error(c, fd, "%s: failed to open for writing", cmd_quotef(c, path));
	int status = overwrite_all(s, fd, path);

	if (status == 0 && s->o->remove != REMOVE_NOT)
		cmd_truncate_fd(c, fd, 0);
	cmd_close(c, fd);
	return status == 0 && s->o->remove != REMOVE_NOT ? remove_file(s, path) : status;
}

static int shred_run(struct cmd *c)
{
	const struct shred_opts *o = c->opts;
	struct shred s = { .c = c, .o = o, .random = -1 };
	int status = 0;

	if (c->nargs == 0)
		return cmd_usage(c, "missing file operand");
	if (o->random_source != NULL) {
		s.random = cmd_open(c, CMD_CWD, o->random_source, O_RDONLY_, 0);
		if (s.random < 0)
			return cmd_error(c, s.random, "%s", cmd_quotef(c, o->random_source));
	}
	s.chunk = arena_alloc(c->arena, CHUNK);
	for (int i = 0; i < c->nargs; i++)
		status |= shred_file(&s, c->args[i]);
	return status;
}

static void shred_defaults(struct cmd *c)
{
	((struct shred_opts *)c->opts)->passes = PASSES_DEFAULT;
}

const struct builtin builtin_shred = {
	.name = "shred",
	.usage = "[OPTION]... FILE...",
	.summary = "Overwrites files with random bytes; - is standard output.",
	.run = shred_run,
	.opts = shred_options,
	.opts_size = sizeof(struct shred_opts),
	.defaults = shred_defaults,
};
