/* SPDX-License-Identifier: MIT
 *
 * What changed between two points, as a patch or an archive.
 *
 * A computer is made for it in which nothing exists but what changed: in /a as it was, in /b as
 * it is. There the session's own diff, git or tar do the work, and what they write on standard
 * output is the result. So the cost is the size of the difference; formats, streaming, limits
 * and hostile names are the commands' affair. Files are lazy: their bytes are asked from the two
 * trees when they are read.
 */
#include "api/private.h"

#include "base/number.h"
#include "builtins/builtin.h"

struct world {
	const struct cowsh_export *what;
	struct points points;
	struct kernel *kernel;
	struct kernel_host host;
	struct vfs_source source[2]; /* content of files in points.old and points.new */
	const char *below;           /* directory, without its final slash */
	size_t below_len;
	char path[VFS_PATH_MAX]; /* of the object being made */
	vfs_ino names;           /* the list of names for tar, as long as `named` */
	uint64_t named;
	const char *removed; /* the directory whose removal was told last */
	size_t removed_len;
	int err; /* of what->write */
	bool complained;
	bool posix; /* some file has large holes or extended attributes */
	int status;
};

/* Holes of so many bytes are told as holes. */
enum { HOLES_MIN = 1 << 20 };

static const struct vfs_cred root_cred = { .uid = 0, .gid = 0 };

/* --- content --- */

static int64_t read_old(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	struct world *w = user;

	return vfs_read(w->points.old, id, pos, out, n);
}

static int64_t read_new(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	struct world *w = user;

	return vfs_read(w->points.new, id, pos, out, n);
}

static int64_t seek_old(void *user, uint64_t id, uint64_t pos, int whence)
{
	struct world *w = user;

	return vfs_seek_data(w->points.old, id, pos, whence);
}

static int64_t seek_new(void *user, uint64_t id, uint64_t pos, int whence)
{
	struct world *w = user;

	return vfs_seek_data(w->points.new, id, pos, whence);
}

/* --- objects --- */

/* w->path becomes side, and what follows it. */
static int set_path(struct world *w, const char *side, const char *rest)
{
	size_t len = strlen(side);
	size_t more = strlen(rest);

	if (len + more >= sizeof w->path)
		return -E_NAMETOOLONG;
	memcpy(w->path, side, len);
	memcpy(w->path + len, rest, more + 1);
	return 0;
}

static int make_link(struct world *w, struct vfs *from, vfs_ino ino)
{
	char target[VFS_PATH_MAX];
	int64_t n = vfs_readlink(from, ino, target, sizeof target - 1);

	if (n < 0)
		return (int)n;
	target[n] = '\0';
	return vfs_symlink(kernel_vfs(w->kernel), &root_cred, target, VFS_ROOT, w->path);
}

/* A file with other names is also /links/NUMBER, which its next name finds. */
static int make_file(struct world *w, const struct vfs_source *source, const struct vfs_stat *st)
{
	struct vfs_cred owner = { .uid = st->uid, .gid = st->gid };
	struct vfs *v = kernel_vfs(w->kernel);
	char first[32] = "/links/";
	int err;

	if (st->blocks * 512 + HOLES_MIN <= st->size)
		w->posix = true;
	if (st->nlink == 1 || w->what->form != COWSH_FORM_TAR)
		return vfs_put_lazy(v, VFS_ROOT, w->path, source, st->ino, st->size, st->mode,
				    &owner);
	first[7 + number_put_u64(first + 7, st->ino, 10, false)] = '\0';
	err = vfs_link(v, &root_cred, VFS_ROOT, first, 0, VFS_ROOT, w->path);
	if (err != -E_NOENT)
		return err;
	err = vfs_put_lazy(v, VFS_ROOT, first, source, st->ino, st->size, st->mode, &owner);
	return err < 0 ? err : vfs_link(v, &root_cred, VFS_ROOT, first, 0, VFS_ROOT, w->path);
}

static int set_attributes(struct world *w, const struct vfs_stat *st)
{
	struct vfs *v = kernel_vfs(w->kernel);
	vfs_ino ino;
	int err = vfs_lookup(v, &root_cred, VFS_ROOT, w->path, VFS_NOFOLLOW, &ino);

	if (err == 0 && (st->mode & S_FMT) == S_REG)
		vfs_set_data_pages(v, ino, st->blocks * 512 / PAGE_BYTES);
	if (err == 0)
		err = vfs_chown(v, &root_cred, ino, st->uid, st->gid);
	if (err == 0 && (st->mode & S_FMT) != S_LNK)
		err = vfs_chmod(v, &root_cred, ino, st->mode & 07777);
	if (err == 0 && w->what->form == COWSH_FORM_TAR) {
		struct bytes all = vfs_xattrs(w->points.new, st->ino);

		w->posix = w->posix || all.len != 0;
		err = vfs_xattrs_copy(v, ino, all);
	}
	return err < 0 ? err : vfs_utimes(v, &root_cred, ino, VFS_UTIME_OMIT, st->mtime_ns);
}

/* Makes w->path as the object is in points.old or points.new. */
static int make_object(struct world *w, bool new, vfs_ino ino)
{
	struct vfs *from = new ? w->points.new : w->points.old;
	struct vfs *v = kernel_vfs(w->kernel);
	bool archive = w->what->form == COWSH_FORM_TAR;
	struct vfs_stat st;
	int err = vfs_getattr(from, ino, &st);

	if (err == 0)
		err = make_parents(v, &root_cred, VFS_ROOT, w->path);
	if (err < 0)
		return err;
	if ((st.mode & S_FMT) == S_DIR)
		err = archive ? vfs_mkdir(v, &root_cred, VFS_ROOT, w->path, 0755) : 1;
	else if ((st.mode & S_FMT) == S_REG)
		err = make_file(w, &w->source[new], &st);
	else if ((st.mode & S_FMT) == S_LNK)
		err = w->what->form != COWSH_FORM_UNIFIED ? make_link(w, from, ino) : 1;
	else
		err = archive && (st.mode & S_FMT) != S_SOCK
			      ? vfs_mknod(v, &root_cred, VFS_ROOT, w->path, st.mode, st.rdev)
			      : 1;
	/* 1: nothing that this form can say. A directory that was made on the way is there. */
	if (err == -E_EXIST && (st.mode & S_FMT) == S_DIR)
		err = 0;
	return err < 0 ? err : err == 0 ? set_attributes(w, &st) : 0;
}

/* --- changes --- */

static bool in_repository(const char *path)
{
	for (const char *at = path; (at = strstr(at, "/.git")) != NULL; at++)
		if (at[5] == '/' || at[5] == '\0')
			return true;
	return false;
}

static int add_to_patch(struct world *w, const struct vfs_change *c, const char *rest)
{
	bool git = w->what->form == COWSH_FORM_GIT;
	struct vfs_stat old;
	struct vfs_stat new;
	int err = 0;

	if (git && in_repository(rest))
		return 0;
	if (!git && c->kind == 'T')
		return 0;
	if (c->kind == 'm') {
		err = vfs_getattr(w->points.old, c->old_ino, &old);
		if (err == 0)
			err = vfs_getattr(w->points.new, c->new_ino, &new);
		if (err < 0 || !git || ((old.mode ^ new.mode) & 0111) == 0)
			return err;
	}
	if (c->old_ino != 0)
		err = set_path(w, "/a", rest);
	if (err == 0 && c->old_ino != 0)
		err = make_object(w, false, c->old_ino);
	if (err == 0 && c->new_ino != 0)
		err = set_path(w, "/b", rest);
	return err < 0 || c->new_ino == 0 ? err : make_object(w, true, c->new_ino);
}

/* Names in tar's list are relative, and end with a NUL. */
static int add_name(struct world *w)
{
	const char *name = w->path + 3;
	size_t len = strlen(name) + 1;
	int64_t n = vfs_write(kernel_vfs(w->kernel), w->names, w->named, name, len);

	if (n != (int64_t)len)
		return n < 0 ? (int)n : -E_NOSPC;
	w->named += len;
	return 0;
}

/* Whether it lies in a directory whose own whiteout says all; else it may be the next one. */
static bool is_covered(struct world *w, const struct vfs_change *c)
{
	struct vfs_stat st;
	size_t len = strlen(c->path);
	char *copy;

	if (w->removed != NULL && len > w->removed_len && c->path[w->removed_len] == '/' &&
	    memcmp(c->path, w->removed, w->removed_len) == 0)
		return true;
	if (vfs_getattr(w->points.old, c->old_ino, &st) < 0 || (st.mode & S_FMT) != S_DIR)
		return false;
	copy = heap_alloc(kernel_heap(w->kernel), len + 1);
	if (copy == NULL)
		return false;
	memcpy(copy, c->path, len + 1);
	heap_free(kernel_heap(w->kernel), (char *)(uintptr_t)w->removed, w->removed_len + 1);
	w->removed = copy;
	w->removed_len = len;
	return false;
}

static int add_whiteout(struct world *w, const char *rest)
{
	size_t dir = (size_t)(strrchr(rest, '/') - rest) + 1;
	struct vfs *v = kernel_vfs(w->kernel);
	int err = set_path(w, "/b", rest);
	size_t len = strlen(w->path);

	if (err < 0 || len + 4 >= sizeof w->path)
		return -E_NAMETOOLONG;
	memmove(w->path + 2 + dir + 4, w->path + 2 + dir, len - dir - 1);
	memcpy(w->path + 2 + dir, ".wh.", 4);
	err = make_parents(v, &root_cred, VFS_ROOT, w->path);
	if (err == 0)
		err = write_file(v, &root_cred, VFS_ROOT, w->path, (struct bytes){ "", 0 }, 0644);
	return err < 0 ? err : add_name(w);
}

static int add_to_archive(struct world *w, const struct vfs_change *c, const char *rest)
{
	int err;

	if (strncmp(strrchr(rest, '/'), "/.wh.", 5) == 0)
		return -E_INVAL;
	if (c->kind == '-')
		return is_covered(w, c) ? 0 : add_whiteout(w, rest);
	/* What was in a directory that is no directory any more went with it. */
	if (c->kind == 'T')
		(void)is_covered(w, c);
	err = set_path(w, "/b", rest);
	if (err == 0)
		err = make_object(w, true, c->new_ino);
	return err < 0 ? err : add_name(w);
}

static int add_change(void *user, const struct vfs_change *c)
{
	struct world *w = user;
	const char *rest = c->path + w->below_len;

	if (strncmp(c->path, w->below, w->below_len) != 0 || rest[0] != '/' || rest[1] == '\0')
		return 0;
	return w->what->form == COWSH_FORM_TAR ? add_to_archive(w, c, rest)
					       : add_to_patch(w, c, rest);
}

/* Directories' times were changed by what came into them. */
static int restore_times(void *user, const struct vfs_change *c)
{
	struct world *w = user;
	const char *rest = c->path + w->below_len;
	struct vfs_stat st;

	if (c->new_ino == 0 || strncmp(c->path, w->below, w->below_len) != 0 || rest[0] != '/' ||
	    rest[1] == '\0' || vfs_getattr(w->points.new, c->new_ino, &st) < 0 ||
	    (st.mode & S_FMT) != S_DIR || set_path(w, "/b", rest) < 0)
		return 0;
	return set_attributes(w, &st);
}

static int fill(struct world *w)
{
	static const char *const dirs[] = { "/a", "/b", "/links" };
	struct vfs *v = kernel_vfs(w->kernel);
	bool created;
	int err = 0;

	for (size_t i = 0; i < 3 && err == 0; i++)
		err = vfs_mkdir(v, &root_cred, VFS_ROOT, dirs[i], 0755);
	if (err == 0)
		err = vfs_open(v, &root_cred, VFS_ROOT, "/names", O_WRONLY_ | O_CREAT_, 0644,
			       &w->names, &created);
	if (err < 0)
		return err;
	err = vfs_diff(w->points.old, w->points.new, add_change, w);
	vfs_drop(v, w->names);
	if (err == 0 && w->what->form == COWSH_FORM_TAR)
		err = vfs_diff(w->points.old, w->points.new, restore_times, w);
	heap_free(kernel_heap(w->kernel), (char *)(uintptr_t)w->removed, w->removed_len + 1);
	return err;
}

/* --- the command --- */

enum { FORM_POSIX = COWSH_FORM_TAR + 1 };

static char *const commands[][14] = {
	[COWSH_FORM_UNIFIED] = { "diff", "-ruN", "--no-dereference", "a", "b", NULL },
	[COWSH_FORM_GIT] = { "git", "diff", "--no-index", "--from-operands", "--binary", "-M", "a",
			     "b", NULL },
	[COWSH_FORM_TAR] = { "tar", "--create", "--file=-", "--directory=/b", "--no-recursion",
			     "--null", "--verbatim-files-from", "--files-from=/names", NULL },
	/* The map stands before the data, in text, and sizes have no end: GNU's pax form 1.0. */
	[FORM_POSIX] = { "tar", "--create", "--file=-", "--directory=/b", "--no-recursion",
			 "--null", "--verbatim-files-from", "--files-from=/names", "--sparse",
			 "--format=posix", "--xattrs", NULL },
};

static char *const *command_of(const struct world *w)
{
	bool posix = w->posix && w->what->form == COWSH_FORM_TAR;

	return commands[posix ? FORM_POSIX : w->what->form];
}

static char *const environment[] = { "HOME=/", "LC_ALL=C.UTF-8", "TZ=UTC", NULL };

static int on_output(void *user, int fd, const char *data, size_t n)
{
	struct world *w = user;

	/* git warns when there are too many files to look for renames. */
	if (fd != 1)
		w->complained = w->complained || n < 9 || memcmp(data, "warning: ", 9) != 0;
	else if (w->err == 0)
		w->err = w->what->write(w->what->user, data, n);
	return w->err != 0 ? -E_IO : 0;
}

static int run_command(struct proc *p, void *arg)
{
	struct world *w = arg;
	char *const *words = command_of(w);
	char **argv;
	int argc = 0;

	while (words[argc] != NULL)
		argc++;
	/* Commands put their operands in order. */
	argv = arena_array(&p->arena, (size_t)argc + 1, sizeof *argv);
	memcpy(argv, words, ((size_t)argc + 1) * sizeof *argv);
	return builtin_run(p, builtin_lookup(argv[0]), argc, argv, environment);
}

static int finish(struct world *w, struct proc *p)
{
	int pid = p->pid;
	enum kernel_state state;
	int status = 0;

	do {
		state = kernel_run(w->kernel, 0);
	} while (state == KERNEL_SLICE && kernel_limit_hit(w->kernel) < 0);
	kernel_flush(w->kernel);
	if (w->err != 0)
		return w->err;
	if (kernel_limit_hit(w->kernel) >= 0)
		return -E_FBIG;
	if (state == KERNEL_WAIT)
		return -E_AGAIN;
	/* 1: there are differences; of git, maybe something else. */
	if (kernel_reap(w->kernel, pid, &status) < 0 || status >> 8 > 1 || w->complained)
		return -E_IO;
	return 0;
}

static int run_world(struct world *w)
{
	int err = fill(w);
	char *const *argv = command_of(w);
	struct spawn spawn = { .fn = run_command, .arg = w, .name = argv[0] };
	struct proc *p;

	if (err == 0)
		err = kernel_start(w->kernel, &spawn, argv, environment, &p);
	if (err < 0)
		return err;
	kernel_begin(w->kernel);
	return finish(w, p);
}

/* Limits of the session where they bound the work, none where the result is large. */
static int make_kernel(struct world *w, struct cowsh *s)
{
	static const enum limit kept[] = { LIMIT_STEPS, LIMIT_MEMORY, LIMIT_DESCRIPTORS,
					   LIMIT_PATTERN };
	struct kernel_config config = { .store = &s->store->store,
					.host = &w->host,
					.epoch_ns = kernel_now(s->kernel),
					.hostname = "cowsh" };

	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		config.limit[kept[i]] = kernel_limit(s->kernel, kept[i]);
	w->host = (struct kernel_host){ .output = on_output, .user = w };
	w->source[0] = (struct vfs_source){ .read = read_old, .seek = seek_old, .user = w };
	w->source[1] = (struct vfs_source){ .read = read_new, .seek = seek_new, .user = w };
	return kernel_new(&config, &w->kernel);
}

int cowsh_export_changes(cowsh *s, const struct cowsh_export *what)
{
	struct world *w;
	int err;

	if (s == NULL || what == NULL || what->size < sizeof *what || what->since == NULL ||
	    what->write == NULL || what->form < COWSH_FORM_UNIFIED || what->form > COWSH_FORM_TAR ||
	    (what->path != NULL && what->path[0] != '/'))
		return -E_INVAL;
	w = store_alloc(&s->store->store, sizeof *w);
	if (w == NULL)
		return -E_NOMEM;
	memset(w, 0, sizeof *w);
	w->what = what;
	w->below = what->path != NULL ? what->path : "";
	w->below_len = strlen(w->below);
	while (w->below_len > 0 && w->below[w->below_len - 1] == '/')
		w->below_len--;
	err = points_open(s, what->since, what->until, &w->points);
	if (err == 0) {
		err = make_kernel(w, s);
		if (err == 0)
			err = run_world(w);
		if (w->kernel != NULL)
			kernel_free(w->kernel);
		points_close(&w->points);
	}
	store_free(&s->store->store, w, sizeof *w);
	return err == VFS_PENDING ? -E_AGAIN : err;
}
