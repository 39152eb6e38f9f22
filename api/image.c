/* SPDX-License-Identifier: MIT
 *
 * Images: opening, mounting, building. cowsh_image.h; a cowsh_image is the vfs's struct image,
 * a builder the vfs's builder.
 */
#include "api/private.h"
#include "cowsh_image.h"

#include "vfs/image.h"

static struct image *inside(const cowsh_image *image)
{
	return (struct image *)(uintptr_t)image;
}

void image_give_info(const struct image_info *from, uint64_t stored, struct cowsh_image_info *out)
{
	struct cowsh_image_info info = { .size = sizeof info,
					 .session = from->kind == IMAGE_SESSION,
					 .has_base = from->has_base,
					 .files = from->files,
					 .bytes = from->bytes,
					 .stored = stored };

	memcpy(info.id, from->id, sizeof info.id);
	memcpy(info.base_id, from->base_id, sizeof info.base_id);
	if (out != NULL)
		memcpy(out, &info, out->size < sizeof info ? out->size : sizeof info);
}

int cowsh_image_open(cowsh_store *store, const void *bytes, uint64_t size, cowsh_image *base,
		     cowsh_image **out, const char **why)
{
	enum image_fault fault = IMAGE_FINE;
	struct image *image;
	int err;

	if (why != NULL)
		*why = "bad arguments";
	if (store == NULL || bytes == NULL || out == NULL || (uintptr_t)bytes % PAGE_BYTES != 0)
		return -E_INVAL;
	err = image_open(&store->store, bytes, size, inside(base), &image, &fault);
	if (why != NULL)
		*why = err == -E_NOMEM ? err_text(err) : image_fault_text(fault);
	if (err == 0)
		*out = (cowsh_image *)image;
	return err;
}

void cowsh_image_close(cowsh_image *image)
{
	image_close(inside(image));
}

int cowsh_image_get_info(const cowsh_image *image, struct cowsh_image_info *out)
{
	struct image_info info;

	if (image == NULL || out == NULL)
		return -E_INVAL;
	image_get_info(inside(image), &info);
	image_give_info(&info, image_size(inside(image)), out);
	return 0;
}

int64_t cowsh_image_base_name(cowsh_store *store, const void *bytes, uint64_t size, char *name,
			      size_t name_size)
{
	if (store == NULL || bytes == NULL || name == NULL || name_size == 0)
		return -E_INVAL;
	return image_base_name(&store->store, bytes, size, name, name_size);
}

int cowsh_image_verify(cowsh_image *image)
{
	return image != NULL ? image_verify(inside(image)) : -E_INVAL;
}

int cowsh_mount_image(cowsh *s, const char *path, cowsh_image *image, bool read_only)
{
	const struct vfs_source *source;
	struct vfs *v;
	uint64_t root;
	int err;

	if (s == NULL || path == NULL || path[0] != '/' || image == NULL)
		return -E_INVAL;
	/* A journal names the images its session was made with. */
	if (s->tape != NULL && s->shell != NULL)
		return -E_INVAL;
	v = kernel_vfs(s->kernel);
	source = image_source(inside(image), read_only, &root);
	err = make_parents(v, &s->cred, VFS_ROOT, path);
	if (err == 0)
		err = vfs_mount_source(v, path, source, root, &s->cred);
	/* A system's root is its own, not the user's. */
	if (err == -E_NOTEMPTY)
		err = session_merge_source(s, path, source, root);
	return err;
}

/* --- building --- */

/* The vfs's builder, and how much it has given out. */
struct cowsh_image_builder {
	struct cowsh_store *store;
	struct cowsh_sink sink;
	struct image_builder *builder;
	uint64_t stored;
	uint64_t left_out;
};

struct store *builder_store(struct cowsh_image_builder *b)
{
	return b != NULL ? &b->store->store : NULL;
}

void builder_leave_out(struct cowsh_image_builder *b)
{
	b->left_out++;
}

uint64_t cowsh_image_left_out(const cowsh_image_builder *b)
{
	return b != NULL ? b->left_out : 0;
}

static int count_and_write(void *user, const void *data, size_t len)
{
	struct cowsh_image_builder *b = user;

	b->stored += len;
	return b->sink.write(b->sink.user, data, len);
}

int cowsh_image_builder_new(cowsh_store *store, const struct cowsh_sink *sink,
			    cowsh_image_builder **out)
{
	struct cowsh_image_builder *b;
	struct image_sink to;
	int err;

	if (store == NULL || sink == NULL || sink->size < sizeof *sink || sink->write == NULL ||
	    out == NULL)
		return -E_INVAL;
	b = store_alloc(&store->store, sizeof *b);
	if (b == NULL)
		return -E_NOMEM;
	*b = (struct cowsh_image_builder){ .store = store, .sink = *sink };
	to = (struct image_sink){ count_and_write, b, sink->compress };
	err = image_builder_new(&store->store, &to, &b->builder);
	if (err != 0) {
		store_free(&store->store, b, sizeof *b);
		return err;
	}
	*out = b;
	return 0;
}

int cowsh_image_add(cowsh_image_builder *b, const struct cowsh_image_object *o)
{
	struct image_object object;

	if (b == NULL || o == NULL || o->size < sizeof *o || o->path == NULL ||
	    ((o->mode & S_FMT) == S_REG && o->link == NULL && o->length != 0 && o->read == NULL))
		return -E_INVAL;
	object = (struct image_object){ .path = o->path,
					.mode = o->mode,
					.uid = o->uid,
					.gid = o->gid,
					.mtime_ns = o->mtime_ns,
					.rdev = o->rdev,
					.target = o->target,
					.link = o->link,
					.size = o->length,
					.read = o->read,
					.skip = o->skip,
					.user = o->user };
	return image_builder_add(b->builder, &object);
}

int cowsh_image_add_xattr(cowsh_image_builder *b, const char *path, const char *name,
			  const void *value, size_t len)
{
	int err;

	if (b == NULL || path == NULL || name == NULL || (value == NULL && len != 0))
		return -E_INVAL;
	err = image_builder_xattr(b->builder, path, name, (struct bytes){ value, len });
	return err == -E_OPNOTSUPP || err == -E_PERM || err == -E_RANGE ? -E_INVAL
	       : err == -E_2BIG                                         ? -E_NOSPC
									: err;
}

int cowsh_image_finish(cowsh_image_builder *b, struct cowsh_image_info *out)
{
	struct image_info info;
	int err = b != NULL ? image_builder_finish(b->builder, &info) : -E_INVAL;

	if (err == 0)
		image_give_info(&info, b->stored, out);
	return err;
}

void cowsh_image_builder_free(cowsh_image_builder *b)
{
	if (b == NULL)
		return;
	image_builder_free(b->builder);
	store_free(&b->store->store, b, sizeof *b);
}
