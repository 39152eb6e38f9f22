/* SPDX-License-Identifier: MIT
 *
 * cowsh image build|info|verify: images of directories and tar archives.
 *
 * An archive is read by a process that can only read and write; the one that started it gives
 * the image its name when it is complete.
 */
#include "cli/cli.h"
#include "cli/keep.h"
#include "cli/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char usage[] =
	"usage: cowsh image build [-o FILE] [--compress] DIR|TAR|-\n"
	"       cowsh image info FILE\n"
	"       cowsh image verify [--base IMAGE] FILE\n"
	"Make an image of a directory or a tar archive (`-`: from standard input), show what an\n"
	"image or a saved session is, or read all of one and say whether it is as it was written.\n"
	"Use images with `cowsh --image FILE[:PATH]`.\n"
	"\n"
	"  -o FILE          where the image goes; else to standard output\n"
	"      --compress   pack the contents of files\n"
	"      --base IMAGE what a session was based on, if it is not where it was\n"
	"      --no-lockdown\n"
	"                   for debugging: keep the right to make system calls\n";

struct request {
	const char *output;
	const char *base;
	const char *operand;
	bool compress;
	bool no_lockdown;
};

static int write_image(void *user, const void *data, size_t len)
{
	return write_all(*(const int *)user, data, len);
}

/* --- directories --- */

enum { DIR_DEPTH_MAX = 512 };

/* Files with several names: the first one. Open addressing, a power of two. */
struct first_name {
	dev_t dev;
	ino_t ino;
	char *path;
};

struct walk {
	cowsh_image_builder *builder;
	const char *root;
	struct first_name *first;
	size_t first_cap;
	size_t first_count;
	uint64_t left_out; /* files with attributes that an image can't hold */
	char path[PATH_MAX];
};

static struct first_name *first_slot(struct walk *w, const struct stat *st)
{
	size_t at = (size_t)(st->st_ino * 0x9e3779b97f4a7c15u >> 20) & (w->first_cap - 1);

	while (w->first[at].path != NULL &&
	       (w->first[at].ino != st->st_ino || w->first[at].dev != st->st_dev))
		at = (at + 1) & (w->first_cap - 1);
	return &w->first[at];
}

/* The name under which a file with several was met first; NULL: this one is it. */
static const char *first_name(struct walk *w, const struct stat *st)
{
	struct first_name *slot;

	if (w->first_count * 2 >= w->first_cap) {
		struct first_name *old = w->first;
		size_t cap = w->first_cap;

		w->first_cap = cap != 0 ? 2 * cap : 256;
		w->first = calloc(w->first_cap, sizeof *w->first);
		if (w->first == NULL)
			fatal("out of memory");
		for (size_t i = 0; i < cap; i++) {
			struct stat key = { .st_dev = old[i].dev, .st_ino = old[i].ino };

			if (old[i].path != NULL)
				*first_slot(w, &key) = old[i];
		}
		free(old);
	}
	slot = first_slot(w, st);
	if (slot->path != NULL)
		return slot->path;
	*slot = (struct first_name){ st->st_dev, st->st_ino, strdup(w->path) };
	w->first_count++;
	return NULL;
}

static int64_t read_file(void *user, void *into, size_t len)
{
	ssize_t n;

	do {
		n = read(*(const int *)user, into, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -COWSH_EIO : n;
}

static uint64_t skip_hole(void *user, uint64_t unit)
{
	int fd = *(const int *)user;
	off_t at = lseek(fd, 0, SEEK_CUR);
	off_t data = lseek(fd, at, SEEK_DATA);
	off_t n;

	/* Behind the last data there is only a hole. */
	if (data < 0)
		data = errno == ENXIO ? lseek(fd, 0, SEEK_END) : at;
	n = data > at ? (data - at) / (off_t)unit * (off_t)unit : 0;
	return lseek(fd, at + n, SEEK_SET) == at + n ? (uint64_t)n : 0;
}

static _Noreturn void object_failed(const struct walk *w, const char *why)
{
	fatal("%s/%s: %s", w->root, w->path, why);
}

/* The extended attributes of what was added last. */
static void add_xattrs(struct walk *w, int fd)
{
	static char names[XATTR_LIST_MAX + 1];
	static char value[XATTR_SIZE_MAX];
	ssize_t len = flistxattr(fd, names, XATTR_LIST_MAX);
	bool all = len >= 0 || errno == ENOTSUP;

	for (ssize_t at = 0; at < len; at += (ssize_t)strlen(names + at) + 1) {
		ssize_t n = fgetxattr(fd, names + at, value, sizeof value);
		int err = n >= 0 ? cowsh_image_add_xattr(w->builder, w->path, names + at, value,
							 (size_t)n)
				 : -1;

		if (err == -COWSH_ENOMEM)
			object_failed(w, cowsh_error_text(err));
		all = all && err == 0;
	}
	w->left_out += !all;
}

static void add_object(struct walk *w, int dir, const char *name, const struct stat *st)
{
	struct cowsh_image_object o = COWSH_IMAGE_OBJECT_INIT;
	char target[PATH_MAX];
	ssize_t len;
	int fd = -1;
	int err;

	o.path = w->path;
	o.mode = st->st_mode;
	o.uid = st->st_uid;
	o.gid = st->st_gid;
	o.mtime_ns = st->st_mtim.tv_sec * (int64_t)1000000000 + st->st_mtim.tv_nsec;
	o.rdev = st->st_rdev;
	if (S_ISLNK(st->st_mode)) {
		len = readlinkat(dir, name, target, sizeof target - 1);
		if (len < 0)
			object_failed(w, strerror(errno));
		target[len] = '\0';
		o.target = target;
	}
	if (!S_ISDIR(st->st_mode) && st->st_nlink > 1)
		o.link = first_name(w, st);
	if (S_ISREG(st->st_mode) && o.link == NULL) {
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			object_failed(w, strerror(errno));
		o.length = (uint64_t)st->st_size;
		o.read = read_file;
		o.user = &fd;
		if (st->st_blocks * 512 < st->st_size)
			o.skip = skip_hole;
	}
	err = cowsh_image_add(w->builder, &o);
	if (err < 0)
		object_failed(w, cowsh_error_text(err));
	if (fd >= 0) {
		add_xattrs(w, fd);
		close(fd);
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted. */
static size_t read_names(struct walk *w, int fd, char ***out)
{
	DIR *dir = fdopendir(dup(fd));
	struct dirent *d;
	size_t n = 0, cap = 0;

	*out = NULL;
	if (dir == NULL)
		object_failed(w, strerror(errno));
	while ((d = readdir(dir)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (n == cap) {
			cap = cap != 0 ? 2 * cap : 16;
			*out = realloc(*out, cap * sizeof **out);
		}
		if (*out == NULL || ((*out)[n++] = strdup(d->d_name)) == NULL)
			fatal("out of memory");
	}
	closedir(dir);
	if (n != 0)
		qsort(*out, n, sizeof **out, by_bytes);
	return n;
}

/* Closes fd. In the order of names, so that equal trees make equal images. */
static void add_directory(struct walk *w, int fd, int depth)
{
	char **names;
	size_t len = strlen(w->path);
	size_t n;

	if (depth > DIR_DEPTH_MAX)
		object_failed(w, "directories lie too deep");
	n = read_names(w, fd, &names);
	for (size_t i = 0; i < n; i++) {
		const char *name = names[i];
		struct stat st;

		if (len + strlen(name) + 2 > sizeof w->path)
			object_failed(w, "a name is too long");
		snprintf(w->path + len, sizeof w->path - len, "%s%s", len != 0 ? "/" : "", name);
		if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			object_failed(w, strerror(errno));
		add_object(w, fd, name, &st);
		if (S_ISDIR(st.st_mode)) {
			int sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (sub < 0)
				object_failed(w, strerror(errno));
			add_xattrs(w, sub);
			add_directory(w, sub, depth + 1);
		}
		free(names[i]);
	}
	free(names);
	w->path[len] = '\0';
	close(fd);
}

/* How many files had attributes that the image has not. */
static uint64_t add_tree(cowsh_image_builder *builder, int fd, const char *root)
{
	static struct walk w;
	struct stat st;

	w.builder = builder;
	w.root = root;
	if (fstat(fd, &st) < 0)
		fatal("%s: %s", root, strerror(errno));
	add_object(&w, fd, ".", &st);
	add_xattrs(&w, fd);
	add_directory(&w, fd, 0);
	return w.left_out;
}

/* --- build --- */

static void make_image(const struct request *r, int in, int out, bool directory)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;
	struct cowsh_image_info info = COWSH_IMAGE_INFO_INIT;
	cowsh_image_builder *builder;
	const char *why = "";
	uint64_t left_out = 0;
	int err;

	sink.write = write_image;
	sink.user = &out;
	sink.compress = r->compress;
	err = cowsh_image_builder_new(program_store(false), &sink, &builder);
	if (err < 0)
		fatal("%s", cowsh_error_text(err));
	if (!directory && !r->no_lockdown)
		lock_down(LOCK_RUNNER);
	if (directory)
		left_out = add_tree(builder, in, r->operand);
	else
		err = cowsh_image_add_tar(builder, read_file, &in, &why);
	if (err < 0)
		fatal("%s: %s", r->operand, why);
	err = cowsh_image_finish(builder, &info);
	if (err < 0)
		fatal("can't write the image: %s", cowsh_error_text(err));
	left_out += cowsh_image_left_out(builder);
	out_to(2);
	if (left_out != 0)
		out_format("cowsh: left out: access lists or attributes of %llu files\n",
			   (unsigned long long)left_out);
	out_format("%llu files, %llu bytes in %llu\n", (unsigned long long)info.files,
		   (unsigned long long)info.bytes, (unsigned long long)info.stored);
	out_flush();
	leave(0);
}

static int build(const struct request *r)
{
	bool standard = strcmp(r->operand, "-") == 0;
	struct kept kept = { .dir = -1, .fd = 1 };
	struct stat st;
	int status = 2;
	int in = standard ? 0 : open(r->operand, O_RDONLY | O_CLOEXEC);
	int err;
	pid_t pid;

	if (in < 0 || fstat(in, &st) < 0)
		fatal("%s: %s", r->operand, strerror(errno));
	if (r->output != NULL)
		keep_open(&kept, r->output, 0666);
	else if (isatty(1))
		fatal("an image is not for a terminal: -o FILE");
	pid = fork();
	if (pid < 0)
		fatal("can't start a process: %s", strerror(errno));
	if (pid == 0)
		make_image(r, in, kept.fd, S_ISDIR(st.st_mode));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status)) {
		keep_drop(&kept);
		fatal("%s: making the image was ended by signal %d", r->operand, WTERMSIG(status));
	}
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	err = status == 0 ? keep_commit(&kept) : 0;
	if (status != 0 || err != 0)
		keep_drop(&kept);
	if (err != 0)
		fatal("%s: %s", r->output, strerror(err));
	return status;
}

/* --- info, verify --- */

static void print_id(const char *what, const unsigned char *id)
{
	out_text(what);
	for (int i = 0; i < 32; i++)
		out_format("%02x", id[i]);
	out_char('\n');
}

static cowsh_image *open_locked(const struct request *r)
{
	static struct image_file file;
	cowsh_store *store = program_store(false);

	image_map(&file, r->operand, r->base, store);
	if (!r->no_lockdown)
		lock_down(LOCK_RUNNER);
	return image_read(&file, store);
}

static int show(const struct request *r)
{
	struct cowsh_image_info info = COWSH_IMAGE_INFO_INIT;
	cowsh_image *image = open_locked(r);

	cowsh_image_get_info(image, &info);
	out_format("%s, %llu files, %llu bytes in %llu\n", info.session ? "session" : "image",
		   (unsigned long long)info.files, (unsigned long long)info.bytes,
		   (unsigned long long)info.stored);
	print_id("id   ", info.id);
	if (info.has_base)
		print_id("base ", info.base_id);
	out_flush();
	return 0;
}

static int verify(const struct request *r)
{
	int err = cowsh_image_verify(open_locked(r));

	if (err < 0)
		fatal("%s: %s", r->operand, err == -COWSH_EIO ? "damaged" : cowsh_error_text(err));
	return 0;
}

static void parse(struct request *r, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
			r->output = argv[++i];
		else if (strcmp(argv[i], "--base") == 0 && i + 1 < argc)
			r->base = argv[++i];
		else if (strcmp(argv[i], "--compress") == 0)
			r->compress = true;
		else if (strcmp(argv[i], "--no-lockdown") == 0)
			r->no_lockdown = true;
		else if (argv[i][0] == '-' && argv[i][1] != '\0')
			fatal("image: unknown option '%s' (see cowsh image --help)", argv[i]);
		else if (r->operand != NULL)
			fatal("image: more than one operand (see cowsh image --help)");
		else
			r->operand = argv[i];
	}
	if (r->operand == NULL)
		fatal("image: an operand is missing (see cowsh image --help)");
}

int image_command(int argc, char **argv)
{
	struct request r = { 0 };

	if (argc > 0 && strcmp(argv[0], "--help") == 0) {
		out_text(usage);
		out_flush();
		return 0;
	}
	if (argc == 0)
		fatal("image: build, info or verify (see cowsh image --help)");
	parse(&r, argc - 1, argv + 1);
	if (strcmp(argv[0], "build") == 0)
		return build(&r);
	if (strcmp(argv[0], "info") == 0)
		return show(&r);
	if (strcmp(argv[0], "verify") == 0)
		return verify(&r);
	fatal("image: there is no '%s': build, info or verify", argv[0]);
}
