/* SPDX-License-Identifier: MIT
 *
 * The standard tree: what a new session finds. It is made once per store and shared.
 *
 * Commands are files in /usr/bin whose content names the builtin (see programs.c); /bin and
 * /sbin are links as on Debian.
 */
#include "api/private.h"

#include "builtins/builtin.h"

static const char passwd[] = "root:x:0:0:root:/root:/bin/bash\n"
			     "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
			     "bin:x:2:2:bin:/bin:/usr/sbin/nologin\n"
			     "sys:x:3:3:sys:/dev:/usr/sbin/nologin\n"
			     "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
			     "user:x:1000:1000:user:/home/user:/bin/bash\n";
static const char group[] = "root:x:0:\ndaemon:x:1:\nbin:x:2:\nsys:x:3:\nadm:x:4:\ntty:x:5:\n"
			    "disk:x:6:\nmail:x:8:\nstaff:x:50:\nusers:x:100:\n"
			    "nogroup:x:65534:\nuser:x:1000:\n";
static const char os_release[] =
	"PRETTY_NAME=\"cowsh\"\nNAME=\"cowsh\"\nVERSION_ID=\"" COWSH_VERSION
	"\"\nID=cowsh\nID_LIKE=debian\n";

struct entry {
	const char *path;
	uint32_t mode;       /* type and permissions */
	const char *content; /* of files: text; of links: target */
};

static const struct entry standard[] = {
	{ "/usr", S_DIR | 0755, NULL },
	{ "/usr/bin", S_DIR | 0755, NULL },
	{ "/usr/sbin", S_DIR | 0755, NULL },
	{ "/usr/lib", S_DIR | 0755, NULL },
	{ "/usr/local", S_DIR | 0755, NULL },
	{ "/usr/local/bin", S_DIR | 0755, NULL },
	{ "/usr/local/sbin", S_DIR | 0755, NULL },
	{ "/usr/share", S_DIR | 0755, NULL },
	{ "/bin", S_LNK | 0777, "usr/bin" },
	{ "/sbin", S_LNK | 0777, "usr/sbin" },
	{ "/lib", S_LNK | 0777, "usr/lib" },
	{ "/etc", S_DIR | 0755, NULL },
	{ "/etc/passwd", S_REG | 0644, passwd },
	{ "/etc/group", S_REG | 0644, group },
	{ "/etc/hosts", S_REG | 0644, "127.0.0.1\tlocalhost\n127.0.1.1\tcowsh\n" },
	{ "/etc/hostname", S_REG | 0644, "cowsh\n" },
	{ "/etc/shells", S_REG | 0644, "/bin/sh\n/bin/bash\n" },
	{ "/etc/os-release", S_REG | 0644, os_release },
	{ "/home", S_DIR | 0755, NULL },
	{ "/root", S_DIR | 0700, NULL },
	{ "/tmp", S_DIR | 01777, NULL },
	{ "/var", S_DIR | 0755, NULL },
	{ "/var/tmp", S_DIR | 01777, NULL },
	{ "/var/log", S_DIR | 0755, NULL },
	{ "/opt", S_DIR | 0755, NULL },
	{ "/mnt", S_DIR | 0755, NULL },
	{ "/srv", S_DIR | 0755, NULL },
	{ "/run", S_DIR | 0755, NULL },
};

static const struct vfs_cred root_cred = { .uid = 0, .gid = 0 };

int write_file(struct vfs *v, const struct vfs_cred *owner, vfs_ino dir, const char *path,
	       struct bytes content, unsigned mode)
{
	vfs_ino ino;
	bool created;
	int64_t n = 0;
	int err = vfs_open(v, &root_cred, dir, path, O_WRONLY_ | O_CREAT_ | O_TRUNC_, mode & 07777,
			   &ino, &created);

	if (err < 0)
		return err;
	if (content.len != 0)
		n = vfs_write(v, ino, 0, content.ptr, content.len);
	if (n == (int64_t)content.len)
		err = vfs_chmod(v, &root_cred, ino, mode & 07777);
	else
		err = n < 0 ? (int)n : -E_NOSPC;
	if (err == 0 && created)
		err = vfs_chown(v, &root_cred, ino, owner->uid, owner->gid);
	vfs_drop(v, ino);
	return err;
}

int make_parents(struct vfs *v, const struct vfs_cred *owner, vfs_ino dir, const char *path)
{
	char part[VFS_PATH_MAX];
	size_t len = strlen(path);

	if (len >= sizeof part)
		return -E_NAMETOOLONG;
	memcpy(part, path, len + 1);
	for (size_t i = 1; i < len; i++) {
		vfs_ino ino;
		int err;

		if (part[i] != '/')
			continue;
		part[i] = '\0';
		err = vfs_mkdir(v, &root_cred, dir, part, 0755);
		if (err == 0 && vfs_lookup(v, &root_cred, dir, part, 0, &ino) == 0)
			err = vfs_chown(v, &root_cred, ino, owner->uid, owner->gid);
		if (err < 0 && err != -E_EXIST)
			return err;
		part[i] = '/';
	}
	return 0;
}

static int make_entry(struct vfs *v, const struct entry *e)
{
	vfs_ino ino;
	int err;

	if ((e->mode & S_FMT) == S_LNK)
		return vfs_symlink(v, &root_cred, e->content, VFS_ROOT, e->path);
	if ((e->mode & S_FMT) == S_REG)
		return write_file(v, &root_cred, VFS_ROOT, e->path, bytes_of(e->content), e->mode);
	err = vfs_mkdir(v, &root_cred, VFS_ROOT, e->path, e->mode & 07777);
	if (err == 0)
		err = vfs_lookup(v, &root_cred, VFS_ROOT, e->path, 0, &ino);
	return err < 0 ? err : vfs_chmod(v, &root_cred, ino, e->mode & 07777);
}

static int make_program(struct vfs *v, vfs_ino bin, const char *name)
{
	char image[PROGRAM_IMAGE_MAX];
	size_t n = program_image(image, name);

	return vfs_put_small(v, bin, bytes_of(name), (struct bytes){ image, n }, 0755);
}

static int fill(struct vfs *v)
{
	static const char *const shells[] = { "bash", "rbash", "sh" };
	static const struct vfs_cred user = { .uid = 1000, .gid = 1000 };
	vfs_ino bin = VFS_ROOT;
	vfs_ino ino;
	int err = 0;

	for (size_t i = 0; err == 0 && i < sizeof standard / sizeof standard[0]; i++)
		err = make_entry(v, &standard[i]);
	if (err == 0)
		err = vfs_lookup(v, &root_cred, VFS_ROOT, "/usr/bin", 0, &bin);
	for (size_t i = 0; err == 0 && builtin_nth(i) != NULL; i++)
		err = make_program(v, bin, builtin_nth(i)->name);
	for (size_t i = 0; err == 0 && i < sizeof shells / sizeof shells[0]; i++)
		err = make_program(v, bin, shells[i]);
	if (err == 0)
		err = vfs_mkdir(v, &root_cred, VFS_ROOT, "/home/user", 0755);
	if (err == 0)
		err = vfs_lookup(v, &root_cred, VFS_ROOT, "/home/user", 0, &ino);
	if (err == 0)
		err = vfs_chown(v, &root_cred, ino, user.uid, user.gid);
	return err;
}

/* A fixed time: the standard tree is the same in every store. */
static int64_t standard_time(void *user)
{
	(void)user;
	return (int64_t)1767225600 * 1000000000;
}

static int build(struct cowsh_store *store)
{
	struct vfs *v;
	int err = vfs_new(&store->store, NULL, standard_time, NULL, &v);

	if (err < 0)
		return err;
	err = kernel_furnish(v);
	if (err == 0)
		err = fill(v);
	if (err == 0) {
		store->standard = vfs_snapshot(v);
		err = store->standard != NULL ? 0 : -E_NOMEM;
	}
	vfs_free(v);
	return err;
}

int standard_tree(struct cowsh_store *store, struct vfs_tree **out)
{
	int err = 0;

	store_lock(store);
	if (store->standard == NULL)
		err = build(store);
	if (err == 0)
		*out = vfs_tree_get(store->standard);
	store_unlock(store);
	return err;
}

void user_lookup(const char *user, struct vfs_cred *cred, char home[128])
{
	bool root = strcmp(user, "root") == 0;
	size_t len = strlen(user);

	*cred = (struct vfs_cred){ .uid = root ? 0 : 1000, .gid = root ? 0 : 1000, .ngroups = 1 };
	cred->groups[0] = cred->gid;
	if (root || len > 100) {
		memcpy(home, "/root", 6);
		return;
	}
	memcpy(home, "/home/", 6);
	memcpy(home + 6, user, len + 1);
}
