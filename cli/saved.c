/* SPDX-License-Identifier: MIT
 *
 * Images and saved sessions of the host.
 */
#include "cli/cli.h"
#include "cli/keep.h"

#include <string.h>

/* The base of a saved session: given, or where the session says. */
static cowsh_image *base_of(const char *path, const void *bytes, size_t size, const char *base,
			    cowsh_store *store)
{
	char name[PATH_MAX] = "";
	const char *why;
	cowsh_image *image;

	if (base == NULL && cowsh_image_base_name(store, bytes, size, name, sizeof name) <= 0)
		return NULL;
	if (base == NULL)
		base = name;
	bytes = map_file(base, &size, true);
	if (bytes == NULL)
		fatal("%s: its base %s is not there (--base says where it is)", path, base);
	if (cowsh_image_open(store, bytes, size, NULL, &image, &why) < 0)
		fatal("%s: %s", base, why);
	return image;
}

cowsh_image *image_of_file(const char *path, const char *base, cowsh_store *store)
{
	size_t size;
	const void *bytes = map_file(path, &size, false);
	cowsh_image *under = base_of(path, bytes, size, base, store);
	cowsh_image *image;
	const char *why;

	if (cowsh_image_open(store, bytes, size, under, &image, &why) < 0)
		fatal("%s: %s", path, why);
	return image;
}

void images_open(struct options *o, cowsh_store *store)
{
	for (int i = 0; i < o->nimages; i++)
		o->images[i].image = image_of_file(o->image_files[i], NULL, store);
}
