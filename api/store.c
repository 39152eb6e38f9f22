/* SPDX-License-Identifier: MIT
 *
 * Stores, versions, error texts: what exists without a session.
 */
#include "api/private.h"

const char *cowsh_version(void)
{
	return COWSH_VERSION;
}

const char *cowsh_error_text(int error)
{
	return err_text(error);
}

/* The store's own struct lies at the beginning of its first region. */
int cowsh_store_new(const struct cowsh_store_config *config, cowsh_store **out)
{
	size_t least = (size_t)1 << 20;
	uintptr_t start;
	size_t head;
	char *region;
	size_t size;
	struct cowsh_store *store;

	if (config == NULL || config->size < sizeof *config || out == NULL)
		return -E_INVAL;
	region = config->region;
	size = config->region_size;
	if (region == NULL && config->grow != NULL) {
		region = config->grow(config->user, least);
		size = least;
	}
	if (region == NULL || size < least)
		return -E_NOMEM;
	start = ((uintptr_t)region + 63) & ~(uintptr_t)63;
	head = start - (uintptr_t)region + sizeof *store;
	store = (struct cowsh_store *)start;
	memset(store, 0, sizeof *store);
	atomic_flag_clear(&store->lock);
	*out = store;
	return store_init(&store->store, region + head, size - head, config->grow, config->user);
}

void cowsh_store_free(cowsh_store *store)
{
	if (store == NULL)
		return;
	if (store->standard != NULL)
		vfs_tree_put(store->standard);
	for (struct mounted *m = store->mounts, *next; m != NULL; m = next) {
		next = m->next;
		store_free(&store->store, m, sizeof *m);
	}
}

void store_lock(struct cowsh_store *store)
{
	while (atomic_flag_test_and_set_explicit(&store->lock, memory_order_acquire))
		;
}

void store_unlock(struct cowsh_store *store)
{
	atomic_flag_clear_explicit(&store->lock, memory_order_release);
}

size_t cowsh_store_used(const cowsh_store *store)
{
	return store->store.pages_used * PAGE_BYTES;
}

/* --- limits: cowsh.h repeats the kernel's list --- */

#define LIMIT(name, option, small, normal, large, what)                                            \
	_Static_assert((int)COWSH_LIMIT_##name == (int)LIMIT_##name, #name);
LIMIT_LIST(LIMIT)
#undef LIMIT
_Static_assert((int)COWSH_LIMIT_CANCEL == (int)LIMIT_CANCEL, "cancel");
_Static_assert((int)COWSH_PROFILE_LARGE == (int)PROFILE_LARGE, "profiles");

const char *cowsh_limit_name(int limit)
{
	if (limit < 0 || limit > COWSH_LIMIT_CANCEL || limit == COWSH_LIMIT_COUNT)
		return NULL;
	return limit_name((enum limit)limit);
}

int cowsh_limit_find(const char *name)
{
	enum limit l = limit_of_name(bytes_of(name));

	return l == LIMIT_COUNT ? -E_NOENT : (int)l;
}

uint64_t cowsh_limit_value(int limit, int profile)
{
	return limit >= 0 && limit < COWSH_LIMIT_COUNT
		       ? limit_value((enum limit)limit, (enum limit_profile)profile)
		       : 0;
}

const char *cowsh_limit_help(int limit)
{
	static const char *const help[] = {
#define LIMIT(name, option, small, normal, large, what) what,
		LIMIT_LIST(LIMIT)
#undef LIMIT
	};

	return limit >= 0 && limit < COWSH_LIMIT_COUNT ? help[limit] : NULL;
}
