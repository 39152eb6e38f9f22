/* SPDX-License-Identifier: MIT
 *
 * cpio -i: entries into files, or a list of them.
 */
#include "builtins/cpio/cpio.h"

enum { CPIO_RECENT_S = 15778476 };

static bool wanted(struct cpio *p, const char *name)
{
	bool hit = p->npatterns == 0;

	for (size_t i = 0; i < p->npatterns && !hit; i++) {
		hit = p->patterns[i] != NULL &&
		      glob_match(p->patterns[i], p->c->arena, bytes_of(name));
		cmd_charge(p->c, 1);
	}
	return p->npatterns == 0 || hit != p->nonmatching;
}

static struct bytes read_text(struct cpio *p, uint64_t n)
{
	struct buf text = buf_in(p->c->arena);

	if (n > CPIO_NAME_MAX)
		cmd_fatal_status(p->c, 2, 0, "symbolic link of %llu bytes", (unsigned long long)n);
	for (uint64_t left = n; left > 0;) {
		struct bytes part = cpio_get(p, left);

		buf_add(&text, part);
		left -= part.len;
	}
	cpio_skip_pad(p, n);
	return (struct bytes){ buf_cstr(&text), text.len };
}

static const char *link_target(struct cpio *p, const struct cpio_entry *e)
{
	return e->link != NULL ? e->link : read_text(p, e->size).ptr;
}

static void put_owner(struct buf *row, const char *name, uint32_t id, bool numeric)
{
	char digits[20];

	if (name != NULL && !numeric)
		buf_printf(row, "%-8s ", name);
	else
		buf_printf(row, "%-8.*s ", (int)num_format_u64(id, digits), digits);
}

static void list_entry(struct cpio *p, const struct cpio_entry *e)
{
	struct buf row = buf_in(p->c->arena);
	struct civil t;
	char mode[11];
	int64_t now = cmd_now(p->c) / 1000000000;
	bool recent = (int64_t)e->mtime <= now && now - (int64_t)e->mtime < CPIO_RECENT_S;

	if (p->verbose == 0) {
		cmd_printf(p->c, "%s\n", e->name);
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
		return;
	}
	mode_text(e->mode, mode);
	buf_printf(&row, "%s %3u ", mode, e->nlink);
	put_owner(&row, cmd_user_name(p->c, e->uid), e->uid, p->numeric);
	put_owner(&row, cmd_group_name(p->c, e->gid), e->gid, p->numeric);
	if ((e->mode & S_FMT) == S_CHR || (e->mode & S_FMT) == S_BLK)
		buf_printf(&row, "%3u, %3u ", e->rdev_major, e->rdev_minor);
	else
		buf_printf(&row, "%8llu ", (unsigned long long)e->size);
	time_civil(p->zone, (int64_t)e->mtime, &t);
	time_format(&row, recent ? BYTES("%b %e %H:%M") : BYTES("%b %e  %Y"), &t, (int64_t)e->mtime,
		    0);
	buf_printf(&row, " %s", e->name);
	if ((e->mode & S_FMT) == S_LNK) {
		buf_puts(&row, " -> ");
		buf_puts(&row, link_target(p, e));
	} else {
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
	}
	buf_putc(&row, '\n');
	cmd_bytes(p->c, buf_bytes(&row));
}

void cpio_set_attributes(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	if (!p->no_owner && cmd_uid(p->c) == 0)
		cmd_chown(p->c, CMD_CWD, path, p->has_uid ? p->uid : e->uid,
			  p->has_gid ? p->gid : e->gid, CMD_NOFOLLOW);
	if ((e->mode & S_FMT) != S_LNK)
		cmd_chmod(p->c, CMD_CWD, path, e->mode & 07777, 0);
	if (p->keep_times)
		cmd_utimes(p->c, CMD_CWD, path, (int64_t)e->mtime * 1000000000,
			   (int64_t)e->mtime * 1000000000, CMD_NOFOLLOW);
}

/* False: what is there stays. */
bool cpio_may_replace(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	struct vfs_stat st;

	if (cmd_lstat(p->c, path, &st) < 0)
		return true;
	if ((e->mode & S_FMT) == S_DIR && (st.mode & S_FMT) == S_DIR)
		return true;
	if (!p->replace && st.mtime_ns / 1000000000 >= (int64_t)e->mtime) {
		cmd_warn(p->c, 0, "%s not created: newer or same age version exists", path);
		return false;
	}
	return cmd_unlink(p->c, CMD_CWD, path, (st.mode & S_FMT) == S_DIR ? CMD_REMOVEDIR : 0) ==
		       0 ||
	       (cpio_trouble(p, -E_EXIST, path, "remove current"), false);
}

/* What -s, -S and -b make of the data. A piece has whole words. */
static void swap_piece(char *at, size_t len, size_t half)
{
	for (size_t i = 0; i + 2 * half <= len; i += 2 * half)
		for (size_t k = i; k < i + half; k++) {
			char first = at[k];

			at[k] = at[k + half];
			at[k + half] = first;
		}
}

/* Whether the data are of pairs of halves of that many bytes; else a message. */
static bool can_swap(struct cpio *p, const struct cpio_entry *e, bool wanted, size_t half)
{
	const char *what = half == 1 ? "bytes" : "halfwords";

	if (wanted && e->size % (2 * half) != 0)
		cmd_warn(p->c, 0, "cannot swap %s of %s: odd number of %s", what, e->name, what);
	return wanted && e->size % (2 * half) == 0;
}

static void read_data(struct cpio *p, const struct cpio_entry *e, int fd)
{
	char piece[4096];
	uint32_t sum = 0;
	int err = 0;
	bool halfwords = can_swap(p, e, p->swap_halfwords, 2);
	bool bytes = can_swap(p, e, p->swap_bytes, 1);

	for (uint64_t left = e->size; left > 0;) {
		struct bytes part = { piece, left < sizeof piece ? (size_t)left : sizeof piece };

		if (halfwords || bytes)
			cpio_get_all(p, piece, part.len);
		else
			part = cpio_get(p, left);

		for (size_t i = 0; p->format == CPIO_CRC && i < part.len; i++)
			sum += (unsigned char)part.ptr[i];
		if (halfwords)
			swap_piece(piece, part.len, 2);
		if (bytes)
			swap_piece(piece, part.len, 1);
		if (fd >= 0 && err == 0)
			err = cmd_write_fd(p->c, fd, part.ptr, part.len);
		left -= part.len;
		cmd_charge_bytes(p->c, part.len);
	}
	cpio_skip_pad(p, e->size);
	if (p->format == CPIO_CRC && sum != e->check)
		cmd_warn(p->c, 0, "%s: checksum error (0x%x, should be 0x%x)", e->name, sum,
			 e->check);
	if (err < 0)
		cmd_fatal_status(p->c, 2, err, "write error");
}

static uint64_t dev_of(const struct cpio_entry *e)
{
	return (uint64_t)e->dev_major << 32 | e->dev_minor;
}

const char *cpio_other_name(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	struct cpio_link **bucket = &p->seen[e->ino % CPIO_BUCKETS];

	for (struct cpio_link *l = *bucket; l != NULL; l = l->next) {
		cmd_charge(p->c, 1);
		if (l->ino == e->ino && l->dev == dev_of(e))
			return l->path;
	}
	struct cpio_link *l = pool_zalloc(p->c->pool, sizeof *l);

	l->ino = e->ino;
	l->dev = dev_of(e);
	l->path = pool_dup(p->c->pool, bytes_of(path));
	l->next = *bucket;
	*bucket = l;
	return NULL;
}

bool cpio_link_to_other(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	const char *other;
	int err;

	if (e->nlink < 2 || (other = cpio_other_name(p, e, path)) == NULL ||
	    strcmp(other, path) == 0)
		return false;
	err = cmd_link(p->c, CMD_CWD, other, CMD_CWD, path, false);
	if (err == -E_NOENT && p->dirs && cpio_make_parents(p, path))
		err = cmd_link(p->c, CMD_CWD, other, CMD_CWD, path, false);
	if (err < 0)
		return false;
	if (p->verbose > 0)
		cmd_warn(p->c, 0, "%s linked to %s", path, other);
	return true;
}

/* Names that came without data are links to this one, which has them. */
static void link_waiting(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	struct cpio_deferred *d;

	while ((d = cpio_take(p, e)) != NULL) {
		int err = cmd_link(p->c, CMD_CWD, path, CMD_CWD, d->path, false);

		if (err == -E_NOENT && p->dirs && cpio_make_parents(p, d->path))
			err = cmd_link(p->c, CMD_CWD, path, CMD_CWD, d->path, false);
		if (err < 0)
			cpio_trouble(p, err, d->path, "link");
		else if (p->verbose > 0)
			cmd_warn(p->c, 0, "%s linked to %s", path, d->path);
	}
}

static void extract_file(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	bool new_format = p->format == CPIO_NEWC || p->format == CPIO_CRC;
	unsigned flags = O_WRONLY_ | O_CLOEXEC_ | O_CREAT_ | O_EXCL_;
	int fd;

	if (new_format && e->nlink > 1 && e->size == 0) {
		cpio_defer(p, e, path);
		return;
	}
	if (!new_format && cpio_link_to_other(p, e, path)) {
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
		return;
	}
	fd = cmd_open(p->c, CMD_CWD, path, flags, 0600);
	if (fd == -E_NOENT && p->dirs && cpio_make_parents(p, path))
		fd = cmd_open(p->c, CMD_CWD, path, flags, 0600);
	if (fd < 0) {
		cpio_trouble(p, fd, path, "open");
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
		return;
	}
	read_data(p, e, fd);
	cmd_close(p->c, fd);
	cpio_set_attributes(p, e, path);
	if (new_format && e->nlink > 1)
		link_waiting(p, e, path);
}

/* Empty files with several names. */
static void extract_rest(struct cpio *p)
{
	for (size_t i = 0; i < CPIO_BUCKETS; i++) {
		while (p->deferred[i] != NULL) {
			struct cpio_deferred *d = p->deferred[i];
			int fd = cmd_open(p->c, CMD_CWD, d->path,
					  O_WRONLY_ | O_CREAT_ | O_EXCL_ | O_CLOEXEC_, 0600);

			p->deferred[i] = d->next;
			if (fd < 0) {
				cpio_trouble(p, fd, d->path, "open");
				continue;
			}
			cmd_close(p->c, fd);
			cpio_set_attributes(p, &d->e, d->path);
			link_waiting(p, &d->e, d->path);
		}
	}
}

int cpio_make_other(struct cpio *p, const struct cpio_entry *e, const char *path,
		    const char *target)
{
	struct vfs_stat st;
	int err;

	switch (e->mode & S_FMT) {
	case S_LNK: return cmd_symlink(p->c, target, CMD_CWD, path);
	case S_DIR:
		err = cmd_mkdir(p->c, CMD_CWD, path, (e->mode & 0777) | 0700);
		if (err == -E_EXIST && cmd_lstat(p->c, path, &st) == 0 &&
		    (st.mode & S_FMT) == S_DIR)
			err = 0;
		return err;
	default:
		return cmd_mknod(p->c, CMD_CWD, path, e->mode,
				 (uint64_t)e->rdev_major << 8 | (e->rdev_minor & 0xff));
	}
}

static void extract_other(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	uint32_t type = e->mode & S_FMT;
	const char *target = type == S_LNK ? link_target(p, e) : "";
	int err;

	if (type != S_LNK) {
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
	}
	err = cpio_make_other(p, e, path, target);
	if (err == -E_NOENT && p->dirs && cpio_make_parents(p, path))
		err = cpio_make_other(p, e, path, target);
	if (err < 0)
		cpio_trouble(p, err, path,
			     type == S_LNK   ? "symlink"
			     : type == S_DIR ? "make directory"
					     : "mknod");
	else
		cpio_set_attributes(p, e, path);
}

/* Directories of tar end with one. */
static const char *without_slashes(struct cpio *p, const char *name)
{
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	return arena_dup(p->c->arena, (struct bytes){ name, len });
}

/* Another name of a file, in tar. */
static void extract_hard(struct cpio *p, const struct cpio_entry *e, const char *path)
{
	const char *other = cpio_safe_name(p, e->link);
	int err = cmd_link(p->c, CMD_CWD, other, CMD_CWD, path, false);

	if (err == -E_NOENT && p->dirs && cpio_make_parents(p, path))
		err = cmd_link(p->c, CMD_CWD, other, CMD_CWD, path, false);
	if (err < 0)
		cmd_error(p->c, err, "cannot link %s to %s", other, path);
	else if (p->verbose > 0)
		cmd_warn(p->c, 0, "%s linked to %s", other, path);
	if (err < 0)
		p->status = 2;
}

/* -r: the next line of the terminal, or of a file, is the name. False: an empty one. */
static bool ask_name(struct cpio *p, struct cpio_entry *e)
{
	struct buf prompt = buf_in(p->c->arena);
	struct bytes line;

	if (!p->rename && p->rename_file == NULL)
		return true;
	buf_printf(&prompt, "rename %s -> ", e->name);
	if (p->tty >= 0)
		cmd_write_fd(p->c, p->tty, prompt.ptr, prompt.len);
	if (input_line(&p->names, '\n', &line) <= 0 || line.len == 0)
		return false;
	e->name = arena_dup(p->c->arena, line);
	return true;
}

static void open_names(struct cpio *p)
{
	const char *from = p->rename_file != NULL ? p->rename_file : "/dev/tty";
	int err = 0;

	p->tty = -1;
	if (p->rename || p->rename_file != NULL)
		err = input_open(&p->names, p->c, from);
	if (err >= 0 && p->rename && p->rename_file == NULL)
		err = p->tty = cmd_open(p->c, CMD_CWD, from, O_WRONLY_ | O_CLOEXEC_, 0);
	if (err < 0)
		cmd_fatal_status(p->c, 2, err, "%s", from);
}

static void extract(struct cpio *p, struct cpio_entry *e)
{
	bool regular = (e->mode & S_FMT) == S_REG;

	if (!ask_name(p, e)) {
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
		return;
	}
	const char *path = cpio_safe_name(p, without_slashes(p, e->name));

	if (p->to_stdout || p->only_verify) {
		read_data(p, e, p->to_stdout && regular ? 1 : -1);
		if (!p->to_stdout)
			cpio_tell(p, path);
		return;
	}
	if (!cpio_may_replace(p, e, path)) {
		cpio_skip(p, e->size);
		cpio_skip_pad(p, e->size);
	} else if (e->hard) {
		extract_hard(p, e, path);
	} else if (regular) {
		extract_file(p, e, path);
	} else {
		extract_other(p, e, path);
	}
	cpio_tell(p, path);
}

static void read_patterns(struct cpio *p)
{
	struct cmd *c = p->c;
	struct bytes text = { "", 0 };
	size_t n = (size_t)c->nargs;
	size_t lines = 1;
	int err = p->pattern_file != NULL ? cmd_read_all(c, p->pattern_file, &text) : 0;

	if (err < 0)
		cmd_fatal_status(c, 2, err, "Cannot open %s", p->pattern_file);
	for (size_t i = 0; i < text.len; i++)
		lines += text.ptr[i] == '\n';
	p->patterns = arena_array(c->arena, n + lines, sizeof *p->patterns);
	for (size_t i = 0; i < n; i++)
		p->patterns[p->npatterns++] = glob_compile(c->arena, bytes_of(c->args[i]),
							   c->utf8 ? GLOB_UTF8 : 0);
	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;

		if (len > 0)
			p->patterns[p->npatterns++] = glob_compile(
				c->arena, bytes_slice(text, 0, len), c->utf8 ? GLOB_UTF8 : 0);
		text = bytes_slice(text, len + (end != NULL), text.len);
	}
}

/* The rest of the block that was read counts, and is not left for another cpio to find. */
static void drop_block(struct cpio *p)
{
	p->bytes += p->in.to - p->in.from + p->peek_to - p->peek_from;
	p->in.from = p->in.to;
}

int cpio_copy_in(struct cpio *p)
{
	struct cpio_entry e;
	int err = input_open(&p->in, p->c, p->archive != NULL ? p->archive : "-");

	if (err < 0)
		cmd_fatal_status(p->c, 2, err, "Cannot open %s", p->archive);
	p->in.most = (size_t)p->block;
	open_names(p);
	read_patterns(p);
	if (!p->has_format || !cpio_is_tar(p))
		p->format = CPIO_UNKNOWN;
	cpio_enter(p);
	/* Read once, before memory is released between entries. */
	cmd_user_name(p->c, 0);
	cmd_group_name(p->c, 0);
	for (;;) {
		struct arena_mark mark = arena_mark(p->c->arena);

		if (!cpio_get_header(p, &e))
			break;
		if (!wanted(p, e.name)) {
			cpio_skip(p, e.size);
			cpio_skip_pad(p, e.size);
		} else if (p->list) {
			list_entry(p, &e);
		} else {
			extract(p, &e);
		}
		arena_release(p->c->arena, mark);
		cmd_charge(p->c, 8);
	}
	extract_rest(p);
	drop_block(p);
	cpio_put_blocks(p);
	input_close(&p->in);
	return p->status;
}
