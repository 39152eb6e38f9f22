/* SPDX-License-Identifier: MIT
 *
 * cpio - archives of files named on standard input, and copies of trees.
 * Reference: GNU cpio 2.13. Not here: tapes.
 */
#include "builtins/cpio/cpio.h"

#include "builtins/zone.h"

/* --- options --- */

static int opt_mode(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cpio *p = c->opts;

	(void)arg;
	if (o->value == 't') {
		p->list = true;
		return 0;
	}
	if (p->mode != 0 && p->mode != o->value)
		return cmd_usage(c, "Mode already defined") != 0 ? 2 : 0;
	p->mode = o->value;
	return 0;
}

static int opt_format(struct cmd *c, const struct opt *o, const char *arg)
{
	static const struct opt_word words[] = {
		{ "bin", CPIO_BIN }, { "odc", CPIO_ODC }, { "newc", CPIO_NEWC },
		{ "crc", CPIO_CRC }, { "tar", CPIO_TAR }, { "ustar", CPIO_USTAR },
		{ "BIN", CPIO_BIN }, { "ODC", CPIO_ODC }, { "NEWC", CPIO_NEWC },
		{ "CRC", CPIO_CRC }, { "TAR", CPIO_TAR }, { "USTAR", CPIO_USTAR },
		{ NULL, 0 },
	};
	struct cpio *p = c->opts;

	(void)o;
	p->has_format = true;
	if (arg == NULL) {
		p->format = CPIO_ODC;
		return 0;
	}
	for (const struct opt_word *w = words; w->word != NULL; w++)
		if (strcmp(w->word, arg) == 0) {
			p->format = (enum cpio_format)w->value;
			return 0;
		}
	cmd_usage(c,
		  "invalid archive format `%s'; valid formats are:\n"
		  "crc newc odc bin ustar tar (all-caps also recognized)",
		  arg);
	return 2;
}

static int opt_block(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cpio *p = c->opts;
	uint64_t v = 5120;

	if (arg != NULL && (num_parse_u64(arg, "", &v) != 0 || v == 0 || v > 1 << 24))
		cmd_fatal_status(c, 2, 0, "invalid block size");
	p->block = o->value != 0 && arg != NULL ? v * 512 : v;
	return 0;
}

/* An id: "+5", or a name, or if there is none of that name "5". */
static bool take_id(struct cmd *c, const char *text, bool group, uint32_t *id, uint32_t *login)
{
	uint64_t number;

	if (group ? cmd_group_id(c, text, id) : cmd_user_id(c, text, id, login))
		return true;
	if (!num_plain(text + (*text == '+'), &number))
		return false;
	*login = UINT32_MAX;
	*id = (uint32_t)number;
	return true;
}

static int bad_owner(struct cmd *c, const char *arg, const char *text)
{
	cmd_usage(c, "%s: %s", arg, text);
	return 2;
}

/* USER, USER:GROUP, :GROUP; "USER:" is with the user's login group. '.' stands for ':'. */
static int opt_owner(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cpio *p = c->opts;
	uint32_t login = UINT32_MAX;
	const char *mark = strchr(arg, ':');

	(void)o;
	if (mark == NULL && !cmd_user_id(c, arg, &p->uid, &login))
		mark = strchr(arg, '.');
	struct bytes user = { arg, mark != NULL ? (size_t)(mark - arg) : strlen(arg) };
	const char *group = mark != NULL ? mark + 1 : "";

	if (user.len == 0 && *group == '\0')
		return bad_owner(c, arg, "can not omit both user and group");
	p->has_uid = user.len > 0;
	p->has_gid = *group != '\0' || (mark != NULL && user.len > 0);
	if (p->has_uid && !take_id(c, arena_dup(c->arena, user), false, &p->uid, &login))
		return bad_owner(c, arg, "invalid user");
	if (*group != '\0')
		return take_id(c, group, true, &p->gid, &login)
			       ? 0
			       : bad_owner(c, arg, "invalid group");
	if (p->has_gid && login == UINT32_MAX)
		return bad_owner(c, arg, "cannot get the login group of a numeric UID");
	p->gid = login;
	return 0;
}

static int opt_reproducible(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cpio *p = c->opts;

	(void)o, (void)arg;
	p->renumber = p->ignore_devno = true;
	return 0;
}

static int opt_warning(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cpio *p = c->opts;

	(void)o;
	if (strcmp(arg, "none") != 0 && strcmp(arg, "truncate") != 0 && strcmp(arg, "all") != 0) {
		cmd_usage(c, "Invalid value for --warning option: %s", arg);
		return 2;
	}
	p->warn_truncate = strcmp(arg, "none") != 0;
	return 0;
}

static int opt_swap(struct cmd *c, const struct opt *o, const char *arg)
{
	struct cpio *p = c->opts;

	(void)o, (void)arg;
	p->swap_bytes = p->swap_halfwords = true;
	return 0;
}

#define MODE(s, l, text)                                                                           \
	{                                                                                          \
		.letter = (s), .name = (l), .kind = OPT_KIND_CALL, .value = (s), .fn = opt_mode,   \
		.help = (text)                                                                     \
	}

static const struct opt cpio_options[] = {
	MODE('o', "create", "make an archive of the files named on standard input"),
	MODE('i', "extract", "extract files"),
	MODE('p', "pass-through", "copy the files named on standard input"),
	MODE('t', "list", "list the archive"),
	OPT_FLAG('0', "null", struct cpio, null, "names end with NUL"),
	OPT_FLAG('a', "reset-access-time", struct cpio, dots, NULL),
	OPT_FLAG('A', "append", struct cpio, append, "append to the archive of -O"),
	OPT_CALL('B', NULL, opt_block, "blocks of 5120 bytes"),
	{ .name = "block-size",
	  .kind = OPT_KIND_CALL,
	  .arg = OPT_ARG_REQUIRED,
	  .value = 1,
	  .fn = opt_block,
	  .metavar = "N",
	  .help = "blocks of N * 512 bytes" },
	OPT_CALL('c', NULL, opt_format, "-H odc"),
	OPT_CALL_ARG('C', "io-size", opt_block, "N", "blocks of N bytes"),
	OPT_FLAG('d', "make-directories", struct cpio, dirs, "make directories as needed"),
	OPT_STR('D', "directory", struct cpio, directory, NULL, "DIR", "work in DIR"),
	OPT_STR('E', "pattern-file", struct cpio, pattern_file, NULL, "FILE",
		"patterns out of FILE"),
	OPT_FLAG('f', "nonmatching", struct cpio, nonmatching, "what matches no pattern"),
	OPT_STR('F', "file", struct cpio, archive, NULL, "FILE", "the archive"),
	OPT_STR('I', NULL, struct cpio, archive, NULL, "FILE", "the archive to read"),
	OPT_STR('O', NULL, struct cpio, archive, NULL, "FILE", "the archive to write"),
	OPT_CALL_ARG('H', "format", opt_format, "FORMAT", "bin, odc, newc, crc, tar or ustar"),
	OPT_FLAG('l', "link", struct cpio, links, "link instead of copying, with -p"),
	OPT_FLAG('L', "dereference", struct cpio, follow, "what links point to"),
	OPT_FLAG('m', "preserve-modification-time", struct cpio, keep_times, "restore times"),
	OPT_FLAG('n', "numeric-uid-gid", struct cpio, numeric, "numbers for owners"),
	OPT_FLAG('u', "unconditional", struct cpio, replace, "replace newer files too"),
	OPT_COUNT('v', "verbose", struct cpio, verbose, "list the files"),
	OPT_FLAG(0, "quiet", struct cpio, quiet, "no count of blocks"),
	OPT_FLAG(0, "no-absolute-filenames", struct cpio, no_absolute, "below this directory"),
	OPT_IGNORED(0, "absolute-filenames", "the default"),
	OPT_FLAG(0, "no-preserve-owner", struct cpio, no_owner, "do not change owners"),
	OPT_CALL_ARG('R', "owner", opt_owner, "[USER][:GROUP]", "whose files are"),
	OPT_FLAG(0, "to-stdout", struct cpio, to_stdout, "extract to standard output"),
	OPT_FLAG(0, "only-verify-crc", struct cpio, only_verify, "check sums of -H crc"),
	OPT_FLAG(0, "renumber-inodes", struct cpio, renumber, "number inodes anew"),
	OPT_FLAG(0, "ignore-devno", struct cpio, ignore_devno, "store 0 for devices"),
	OPT_CALL(0, "reproducible", opt_reproducible, "both of these"),
	OPT_IGNORED(0, "sparse", "no effect"),
	OPT_IGNORED(0, "force-local", NULL),
	OPT_FLAG('r', "rename", struct cpio, rename, "ask for new names on the terminal"),
	OPT_STR(0, "rename-batch-file", struct cpio, rename_file, NULL, "FILE",
		"new names, a line for each file"),
	OPT_FLAG('s', "swap-bytes", struct cpio, swap_bytes, "swap the bytes of halfwords"),
	OPT_FLAG('S', "swap-halfwords", struct cpio, swap_halfwords, "swap halfwords of 4 bytes"),
	OPT_CALL('b', "swap", opt_swap, "-s -S"),
	OPT_FLAG('V', "dot", struct cpio, dot, "a dot for each file"),
	OPT_CALL_ARG('W', "warning", opt_warning, "WORD", "none, truncate or all"),
	OPT_IGNORED_ARG('M', "message", "STRING", "no effect: archives are files"),
	OPT_END(),
};

/* --- common --- */

void cpio_trouble(struct cpio *p, int err, const char *name, const char *what)
{
	cmd_error(p->c, err, "%s: Cannot %s", name, what);
	p->status = 2;
}

void cpio_tell(struct cpio *p, const char *name)
{
	struct buf line = buf_in(p->c->arena);

	if (p->verbose > 0)
		buf_printf(&line, "%s\n", name);
	if (p->dot)
		buf_putc(&line, '.');
	cmd_err_write(p->c, line.ptr, line.len);
}

void cpio_put_blocks(struct cpio *p)
{
	struct buf line = buf_in(p->c->arena);
	uint64_t n = (p->bytes + p->block - 1) / p->block;

	if (p->dot)
		buf_putc(&line, '\n');
	if (!p->quiet)
		buf_printf(&line, "%llu block%s\n", (unsigned long long)n, n == 1 ? "" : "s");
	/* A list is still in the buffer then, as the real one's. */
	if (!p->list)
		cmd_flush(p->c);
	cmd_err_write(p->c, line.ptr, line.len);
}

const char *cpio_safe_name(struct cpio *p, const char *name)
{
	size_t prefix = 0;
	const char *at = name;

	if (!p->no_absolute)
		return name;
	while (*at != '\0') {
		if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == '\0'))
			prefix = (size_t)(at + 2 - name);
		while (*at != '\0' && *at++ != '/')
			;
	}
	while (name[prefix] == '/')
		prefix++;
	if (prefix > 0 && !p->told_prefix) {
		cmd_warn(p->c, 0, "Removing leading `%.*s' from member names", (int)prefix, name);
		p->told_prefix = true;
	}
	return name[prefix] != '\0' ? name + prefix : ".";
}

/* The directories that lead to a file. False: there is none to make. */
bool cpio_make_parents(struct cpio *p, const char *path)
{
	bool made = false;

	/* A name may be empty. */
	for (const char *at = path[0] != '\0' ? strchr(path + 1, '/') : NULL;
	     at != NULL && at[1] != '\0'; at = strchr(at + 1, '/')) {
		char *dir = arena_dup(p->c->arena, (struct bytes){ path, (size_t)(at - path) });

		made |= cmd_mkdir(p->c, CMD_CWD, dir, 0777) == 0;
		cmd_charge(p->c, 1);
	}
	return made;
}

/* --- -o --- */

static void fill_entry(struct cpio *p, struct cpio_entry *e, const char *name,
		       const struct vfs_stat *st)
{
	*e = (struct cpio_entry){
		.name = name,
		.ino = st->ino,
		.mode = st->mode,
		.uid = p->has_uid ? p->uid : st->uid,
		.gid = p->has_gid ? p->gid : st->gid,
		.nlink = st->nlink,
		.mtime = (uint64_t)(st->mtime_ns / 1000000000),
		.size = (st->mode & S_FMT) == S_REG ? st->size : 0,
		.dev_major = p->ignore_devno ? 0 : (uint32_t)(st->dev >> 8 & 0xff),
		.dev_minor = p->ignore_devno ? 0 : (uint32_t)(st->dev & 0xff),
	};
	if ((st->mode & S_FMT) == S_CHR || (st->mode & S_FMT) == S_BLK) {
		e->rdev_major = (uint32_t)(st->rdev >> 8);
		e->rdev_minor = (uint32_t)(st->rdev & 0xff);
	}
}

/* New numbers in the order of first appearance; links share one. */
static void renumber(struct cpio *p, struct cpio_entry *e, const struct vfs_stat *st)
{
	struct cpio_link **bucket = &p->seen[st->ino % CPIO_BUCKETS];

	for (struct cpio_link *l = *bucket; l != NULL && st->nlink > 1; l = l->next)
		if (l->dev == st->ino && (st->mode & S_FMT) != S_DIR) {
			e->ino = l->ino;
			return;
		}
	struct cpio_link *l = pool_zalloc(p->c->pool, sizeof *l);

	l->dev = st->ino;
	l->ino = p->next_ino++;
	l->next = *bucket;
	*bucket = l;
	e->ino = l->ino;
}

static void put_data(struct cpio *p, int fd, uint64_t size, const char *path)
{
	uint64_t left = size;

	while (left > 0) {
		const char *view;
		int64_t got = cmd_view(p->c, fd, left < 1 << 18 ? (size_t)left : 1 << 18, &view);

		if (got <= 0) {
			static const char zeros[512];

			cmd_warn(p->c, 0, "File %s shrunk by %llu bytes, padding with zeros", path,
				 (unsigned long long)left);
			for (; left > 0; left -= left < 512 ? left : 512)
				cpio_put(p, zeros, left < 512 ? (size_t)left : 512);
			break;
		}
		cpio_put(p, view, (size_t)got);
		left -= (uint64_t)got;
	}
	cpio_pad(p, size);
}

static uint32_t sum_of(struct cpio *p, int fd)
{
	const char *view;
	uint32_t sum = 0;
	int64_t got;

	while ((got = cmd_view(p->c, fd, 1 << 18, &view)) > 0) {
		for (int64_t i = 0; i < got; i++)
			sum += (unsigned char)view[i];
		cmd_charge_bytes(p->c, (size_t)got);
	}
	cmd_seek(p->c, fd, 0, 0);
	return sum;
}

static void put_file(struct cpio *p, struct cpio_entry *e, const char *path)
{
	int fd = cmd_open(p->c, CMD_CWD, path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0) {
		cpio_trouble(p, fd, path, "open");
		return;
	}
	if (p->format == CPIO_CRC)
		e->check = sum_of(p, fd);
	if (cpio_put_header(p, e))
		put_data(p, fd, e->size, path);
	else
		p->untold = true;
	cmd_close(p->c, fd);
}

struct cpio_deferred *cpio_defer(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	struct cpio_deferred **bucket = &p->deferred[e->ino % CPIO_BUCKETS];
	struct cpio_deferred *d = pool_zalloc(p->c->pool, sizeof *d);

	d->e = *e;
	d->e.name = pool_dup(p->c->pool, bytes_of(e->name));
	d->path = pool_dup(p->c->pool, bytes_of(path));
	d->next = *bucket;
	*bucket = d;
	return d;
}

static bool same_file(const struct cpio_entry *a, const struct cpio_entry *b)
{
	return a->ino == b->ino && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

/* Takes the first that waits for the same file as e, or NULL. */
struct cpio_deferred *cpio_take(struct cpio *p, const struct cpio_entry *e)
{
	struct cpio_deferred **link = &p->deferred[e->ino % CPIO_BUCKETS];
	struct cpio_deferred *d;

	while (*link != NULL && !same_file(&(*link)->e, e)) {
		link = &(*link)->next;
		cmd_charge(p->c, 1);
	}
	d = *link;
	if (d != NULL)
		*link = d->next;
	return d;
}

/* In the new formats the data of a file with several names stand behind its last one. */
static void put_linked(struct cpio *p, struct cpio_entry *e, const char *path)
{
	struct cpio_deferred *d = p->deferred[e->ino % CPIO_BUCKETS];
	uint32_t seen = 1;

	for (; d != NULL; d = d->next) {
		seen += same_file(&d->e, e);
		cmd_charge(p->c, 1);
	}
	if (seen < e->nlink) {
		cpio_defer(p, e, path);
		return;
	}
	while ((d = cpio_take(p, e)) != NULL) {
		d->e.size = 0;
		cpio_put_header(p, &d->e);
	}
	put_file(p, e, path);
}

/* Files whose other names never came. */
static void put_rest(struct cpio *p)
{
	for (size_t i = 0; i < CPIO_BUCKETS; i++) {
		while (p->deferred[i] != NULL) {
			struct cpio_deferred *d = p->deferred[i];
			bool last = true;

			p->deferred[i] = d->next;
			for (struct cpio_deferred *at = d->next; at != NULL; at = at->next)
				last = last && !same_file(&at->e, &d->e);
			if (last) {
				put_file(p, &d->e, d->path);
			} else {
				d->e.size = 0;
				cpio_put_header(p, &d->e);
			}
			cmd_charge(p->c, 1);
		}
	}
}

/* Without "./" in front, unless nothing else is there. */
static const char *without_dot(const char *path)
{
	while (path[0] == '.' && path[1] == '/') {
		const char *rest = path + 1 + strspn(path + 1, "/");

		if (*rest == '\0')
			break;
		path = rest;
	}
	return path;
}

static const char *with_slash(struct cpio *p, const char *name)
{
	struct buf dir = buf_in(p->c->arena);

	buf_printf(&dir, "%s/", name);
	return buf_cstr(&dir);
}

/* What other formats say with data or with device and inode, tar says in the header. */
static void dump_tar(struct cpio *p, struct cpio_entry *e, const char *path)
{
	uint32_t type = e->mode & S_FMT;
	struct bytes target;

	p->untold = false;
	if (type == S_SOCK ||
	    (type != S_REG && type != S_LNK && type != S_DIR && p->format == CPIO_TAR)) {
		cmd_warn(p->c, 0, "%s not dumped: not a regular file", e->name);
		return;
	}
	if (type == S_REG && e->nlink > 1)
		e->link = cpio_other_name(p, e, e->name);
	if (e->link != NULL && strlen(e->link) > CPIO_TAR_NAME)
		e->link = NULL;
	e->hard = e->link != NULL;
	if (type == S_DIR)
		e->name = with_slash(p, e->name);
	if (type == S_LNK) {
		if (cmd_readlink(p->c, CMD_CWD, path, &target) < 0)
			return;
		e->link = arena_dup(p->c->arena, target);
	}
	if (type == S_LNK && target.len > CPIO_TAR_NAME)
		cmd_warn(p->c, 0, "%s: symbolic link too long", e->name);
	else if (type == S_REG && !e->hard)
		put_file(p, e, path);
	else
		p->untold = !cpio_put_header(p, e);
	if (!p->untold)
		cpio_tell(p, type == S_DIR ? with_slash(p, path) : path);
}

static void dump(struct cpio *p, const char *path)
{
	struct vfs_stat st;
	struct cpio_entry e;
	struct bytes target;
	int err = p->follow ? cmd_stat(p->c, path, &st) : cmd_lstat(p->c, path, &st);

	if (err < 0) {
		cpio_trouble(p, err, path, "stat");
		return;
	}
	if (p->archive != NULL) {
		struct vfs_stat own;

		if (cmd_fstat(p->c, p->out.fd, &own) == 0 && own.ino == st.ino)
			return;
	}
	fill_entry(p, &e, cpio_safe_name(p, without_dot(path)), &st);
	if (p->renumber)
		renumber(p, &e, &st);
	if (cpio_is_tar(p)) {
		dump_tar(p, &e, path);
		return;
	}
	cpio_tell(p, path);
	if ((st.mode & S_FMT) == S_REG && st.nlink > 1 &&
	    (p->format == CPIO_NEWC || p->format == CPIO_CRC)) {
		put_linked(p, &e, path);
	} else if ((st.mode & S_FMT) == S_REG) {
		put_file(p, &e, path);
	} else if ((st.mode & S_FMT) == S_LNK) {
		if (cmd_readlink(p->c, CMD_CWD, path, &target) < 0)
			return;
		e.size = target.len;
		cpio_put_header(p, &e);
		cpio_put(p, target.ptr, target.len);
		cpio_pad(p, target.len);
	} else {
		cpio_put_header(p, &e);
	}
}

/* -A: what is there is kept up to its trailer. */
static void find_trailer(struct cpio *p)
{
	struct cpio_entry e;
	uint64_t at;
	int fd = cmd_open(p->c, CMD_CWD, p->archive, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0)
		cmd_fatal_status(p->c, 2, fd, "Cannot open %s", p->archive);
	input_init(&p->in, p->c, fd, p->archive);
	p->in.is_stdin = false;
	for (;;) {
		at = p->bytes;
		if (!cpio_get_header(p, &e))
			break;
		cpio_skip(p, e.size);
		cpio_skip_pad(p, e.size);
	}
	input_close(&p->in);
	p->bytes = at;
	p->start = at - at % p->block;
	output_init(&p->out, p->c, cmd_open(p->c, CMD_CWD, p->archive, O_WRONLY_ | O_CLOEXEC_, 0),
		    false);
	cmd_truncate_fd(p->c, p->out.fd, at);
	cmd_seek(p->c, p->out.fd, (int64_t)at, 0);
}

void cpio_enter(struct cpio *p)
{
	if (p->directory == NULL)
		return;
	if (p->dirs && p->mode != 'o') {
		cpio_make_parents(p, p->directory);
		cmd_mkdir(p->c, CMD_CWD, p->directory, 0777);
	}
	int err = cmd_chdir(p->c, p->directory);

	if (err < 0)
		cmd_fatal_status(p->c, 2, err, "cannot change to directory `%s'", p->directory);
}

static void each_name(struct cpio *p, void (*fn)(struct cpio *p, const char *name))
{
	struct input names;
	struct bytes line;

	input_init(&names, p->c, 0, "-");
	while (input_line(&names, p->null ? '\0' : '\n', &line) > 0) {
		struct arena_mark mark = arena_mark(p->c->arena);

		if (line.len == 0)
			cmd_warn(p->c, 0, "blank line ignored");
		else
			fn(p, arena_dup(p->c->arena, line));
		arena_release(p->c->arena, mark);
		cmd_charge(p->c, 4);
	}
	input_close(&names);
}

static int create(struct cpio *p)
{
	struct cpio_entry end = { .name = "TRAILER!!!", .nlink = 1 };
	static const char zeros[CPIO_BLOCK];

	if (!p->has_format)
		p->format = CPIO_BIN;
	if (p->append) {
		if (p->archive == NULL)
			cmd_fatal_status(p->c, 2, 0,
					 "--append is used but no archive file name is "
					 "given (use -F or -O options)");
		find_trailer(p);
	} else if (p->archive != NULL) {
		int err = output_open(&p->out, p->c, p->archive, O_TRUNC_, false);

		if (err < 0)
			cmd_fatal_status(p->c, 2, err, "Cannot open %s", p->archive);
	} else {
		output_init(&p->out, p->c, 1, false);
	}
	cpio_enter(p);
	each_name(p, dump);
	put_rest(p);
	cpio_put_header(p, &end);
	uint64_t bytes = p->bytes - p->start;

	while (p->bytes % p->block != 0) {
		uint64_t n = p->block - p->bytes % p->block;

		cpio_put(p, zeros, n < CPIO_BLOCK ? (size_t)n : CPIO_BLOCK);
	}
	output_flush(&p->out);
	p->bytes = bytes;
	cpio_put_blocks(p);
	return p->status;
}

/* --- -p --- */

static void pass_file(struct cpio *p, const char *from, const char *to, struct cpio_entry *e)
{
	int in = cmd_open(p->c, CMD_CWD, from, O_RDONLY_ | O_CLOEXEC_, 0);
	int out = in;
	const char *view;
	int64_t got;

	if (in >= 0)
		out = cmd_open(p->c, CMD_CWD, to, O_WRONLY_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_,
			       0600);
	if (out == -E_NOENT && in >= 0 && p->dirs && cpio_make_parents(p, to))
		out = cmd_open(p->c, CMD_CWD, to, O_WRONLY_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_,
			       0600);
	if (out < 0) {
		cpio_trouble(p, out, in < 0 ? from : to, "open");
		return;
	}
	while ((got = cmd_view(p->c, in, 1 << 18, &view)) > 0) {
		cmd_write_fd(p->c, out, view, (size_t)got);
		p->bytes += (uint64_t)got;
		cmd_charge_bytes(p->c, (size_t)got);
	}
	cmd_close(p->c, in);
	cmd_close(p->c, out);
	cpio_set_attributes(p, e, to);
}

static void pass(struct cpio *p, const char *name)
{
	struct buf to = buf_in(p->c->arena);
	struct vfs_stat st;
	struct cpio_entry e;
	struct bytes target = { "", 0 };
	int err = p->follow ? cmd_stat(p->c, name, &st) : cmd_lstat(p->c, name, &st);

	if (err < 0) {
		cpio_trouble(p, err, name, "stat");
		return;
	}
	buf_printf(&to, "%s/%s", p->c->args[0], name + strspn(name, "/"));
	buf_cstr(&to);
	fill_entry(p, &e, name, &st);
	if (!cpio_may_replace(p, &e, to.ptr))
		return;
	bool regular = (st.mode & S_FMT) == S_REG;

	if (regular && p->links) {
		err = cmd_link(p->c, CMD_CWD, name, CMD_CWD, to.ptr, false);
		if (err == -E_NOENT && p->dirs && cpio_make_parents(p, to.ptr))
			err = cmd_link(p->c, CMD_CWD, name, CMD_CWD, to.ptr, false);
	}
	if (regular && p->links && err == 0) {
		cpio_tell(p, to.ptr);
		return;
	}
	if (regular && cpio_link_to_other(p, &e, to.ptr)) {
		cpio_tell(p, to.ptr);
		return;
	}
	if (regular) {
		pass_file(p, name, to.ptr, &e);
	} else {
		if ((st.mode & S_FMT) == S_LNK)
			cmd_readlink(p->c, CMD_CWD, name, &target);
		const char *text = arena_dup(p->c->arena, target);

		err = cpio_make_other(p, &e, to.ptr, text);
		if (err == -E_NOENT && p->dirs && cpio_make_parents(p, to.ptr))
			err = cpio_make_other(p, &e, to.ptr, text);
		if (err < 0)
			cpio_trouble(p, err, to.ptr, "create");
		else
			cpio_set_attributes(p, &e, to.ptr);
	}
	cpio_tell(p, to.ptr);
}

/* Options that make no sense with what is to be done: 0, or the status after a message. */
static int refuse_options(struct cpio *p)
{
	const struct {
		char mode;
		bool given;
		const char *name;
	} rows[] = {
		{ 'o', p->dirs, "make-directories" },
		{ 'o', p->replace, "unconditional" },
		{ 'o', p->keep_times, "preserve-modification-time" },
		{ 'o', p->no_owner, "no-preserve-owner" },
		{ 'o', p->swap_bytes, "swap-bytes (--swap)" },
		{ 'o', p->swap_halfwords, "swap-halfwords (--swap)" },
		{ 'o', p->to_stdout, "to-stdout" },
		{ 'o', p->links, "link" },
		{ 'o', p->rename, "rename" },
		{ 'o', p->rename_file != NULL, "rename-batch-file" },
		{ 'o', p->list, "list" },
		{ 'i', p->links, "link" },
		{ 'i', p->dots, "reset" },
		{ 'i', p->append, "append" },
		{ 'i', p->renumber, "renumber-inodes" },
		{ 'i', p->ignore_devno, "ignore-devno" },
		{ 'i', p->follow, "dereference" },
		{ 'p', p->append, "append" },
		{ 'p', p->list, "list" },
		{ 'p', p->to_stdout, "to-stdout" },
		{ 'p', p->rename, "rename" },
		{ 'p', p->rename_file != NULL, "rename-batch-file" },
		{ 'p', p->swap_bytes, "swap-bytes (--swap)" },
		{ 'p', p->swap_halfwords, "swap-halfwords (--swap)" },
		{ 'p', p->renumber, "renumber-inodes" },
		{ 'p', p->ignore_devno, "ignore-devno" },
		{ 'p', p->no_absolute, "no-absolute-pathnames" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].mode != p->mode || !rows[i].given)
			continue;
		cmd_usage(p->c, "--%s is meaningless with --%s", rows[i].name,
			  p->mode == 'i'   ? "extract"
			  : p->mode == 'o' ? "create"
					   : "pass-through");
		return 2;
	}
	return 0;
}

static int cpio_run(struct cmd *c)
{
	struct cpio *p = c->opts;

	p->c = c;
	p->zone = zone_of_command(c);
	if (p->list && p->mode == 0)
		p->mode = 'i';
	if (p->mode == 0) {
		cmd_usage(c, "You must specify one of -oipt options.");
		return 2;
	}
	if (refuse_options(p) != 0)
		return 2;
	if (p->mode == 'i')
		return cpio_copy_in(p);
	if (p->mode == 'o') {
		if (c->nargs > 0) {
			cmd_usage(c, "Too many arguments");
			return 2;
		}
		return create(p);
	}
	if (c->nargs != 1) {
		cmd_usage(c, c->nargs > 1 ? "Too many arguments" : "Not enough arguments");
		return 2;
	}
	cpio_enter(p);
	each_name(p, pass);
	cpio_put_blocks(p);
	return p->status;
}

static void cpio_defaults(struct cmd *c)
{
	struct cpio *p = c->opts;
	const char *slash = strrchr(c->name, '/');

	if (slash != NULL)
		c->name = slash + 1;
	p->block = CPIO_BLOCK;
}

const struct builtin builtin_cpio = {
	.name = "cpio",
	.usage = "[OPTION...] [destination-directory]",
	.summary = "Makes archives (-o) of the files named on standard input, extracts them (-i),\n"
		   "or copies files (-p).",
	.run = cpio_run,
	.opts = cpio_options,
	.opts_size = sizeof(struct cpio),
	.usage_status = 64,
	.error_status = 2,
	.defaults = cpio_defaults,
	.family = "GNU cpio 2.13",
	.hint = "Try '%s --help' or 'cpio --usage' for more information.\n",
};
