/* SPDX-License-Identifier: MIT
 *
 * Who answers for /usr/bin/grep when an image that joins the sandbox's root has a program of that
 * name, too: the builtin, unless the session's configuration says that it is the image's. Then
 * the builtin's file goes before the image's files come.
 */
#include "api/private.h"

/* These the image's own tools need to be whole: ar, because it writes no index of symbols. */
static const char usual[] = "ar";

struct search {
	struct cowsh *s;
	const char *name; /* of the directory that is looked for; NULL: programs */
	uint64_t id;
	bool found;
	int err;
};

static bool has_name(const char *list, const char *name)
{
	size_t n = strlen(name);

	while (*list != '\0') {
		const char *end = list;

		while (*end != '\0' && *end != ',')
			end++;
		if ((size_t)(end - list) == n && memcmp(list, name, n) == 0)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

static bool is_images(const struct cowsh *s, const char *name)
{
	if (s->image_programs == NULL)
		return has_name(usual, name);
	return strcmp(s->image_programs, "all") == 0 || has_name(s->image_programs, name);
}

static int find_directory(void *sink, const struct vfs_source_entry *e)
{
	struct search *q = sink;

	if (strcmp(e->name, q->name) != 0 || (e->mode & S_FMT) != S_DIR)
		return 0;
	q->id = e->id;
	q->found = true;
	return 1;
}

static bool is_builtin(struct cowsh *s, const char *path)
{
	static const struct vfs_cred root = { 0 };
	struct vfs *v = kernel_vfs(s->kernel);
	char head[PROGRAM_IMAGE_MAX];
	vfs_ino ino;
	int64_t n;

	if (vfs_lookup(v, &root, VFS_ROOT, path, VFS_NOFOLLOW, &ino) != 0)
		return false;
	n = vfs_read(v, ino, 0, head, sizeof head);
	return n > 0 && program_is_ours((struct bytes){ head, (size_t)n });
}

static int give_way(void *sink, const struct vfs_source_entry *e)
{
	static const struct vfs_cred root = { 0 };
	struct search *q = sink;
	char path[16 + VFS_NAME_MAX] = "/usr/bin/";
	size_t n = strlen(e->name);

	if ((e->mode & S_FMT) == S_DIR || n > VFS_NAME_MAX || !is_images(q->s, e->name))
		return 0;
	memcpy(path + 9, e->name, n + 1);
	if (is_builtin(q->s, path))
		q->err = vfs_unlink(kernel_vfs(q->s->kernel), &root, VFS_ROOT, path);
	return q->err != 0;
}

static int replace_builtins(struct cowsh *s, const struct vfs_source *source, uint64_t root)
{
	struct search q = { .s = s, .name = "usr", .id = root };
	int err;

	for (int i = 0; i < 2; i++) {
		q.found = false;
		err = source->list(source->user, q.id, find_directory, &q);
		if (!q.found)
			return err < 0 ? err : 0;
		q.name = "bin";
	}
	err = source->list(source->user, q.id, give_way, &q);
	return q.err != 0 ? q.err : err < 0 ? err : 0;
}

int session_merge_source(struct cowsh *s, const char *path, const struct vfs_source *source,
			 uint64_t id)
{
	int err = 0;

	if (s->machine != NULL && strcmp(path, "/") == 0)
		err = replace_builtins(s, source, id);
	return err == 0 ? vfs_merge_source(kernel_vfs(s->kernel), path, source, id, NULL) : err;
}
