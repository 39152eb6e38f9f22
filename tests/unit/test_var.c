/* SPDX-License-Identifier: MIT
 *
 * Indexed and associative arrays, and the sort of names.
 */
#include <stdlib.h>

#include "interp/var.h"
#include "tests/unit/check.h"

enum { REGION_BYTES = 64 << 20 };

static struct store store;
static struct heap heap;
static struct pool pool;

static void no_memory(void *arg)
{
	(void)arg;
	abort();
}

static void begin(void)
{
	static void *region;

	if (region == NULL)
		region = aligned_alloc(65536, REGION_BYTES);
	store_init(&store, region, REGION_BYTES, NULL, NULL);
	heap = (struct heap){ .store = &store };
	pool_init(&pool, &heap, (struct arena_fail){ no_memory, NULL });
}

static void end(void)
{
	pool_clear(&pool);
	CHECK_EQ(heap.used, 0);
}

static const char *at(const struct array *a, int64_t index)
{
	struct bytes value;

	return array_get(a, index, &value) ? value.ptr : "(unset)";
}

TEST(dense_array)
{
	struct array *a;
	char text[32];

	begin();
	a = array_new(&pool);
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof text, "value number %d", i);
		array_put(&pool, a, i, bytes_of(text));
	}
	CHECK_EQ(array_count(a), 1000);
	CHECK_EQ(array_last(a), 999);
	CHECK_STR(at(a, 0), "value number 0");
	CHECK_STR(at(a, 999), "value number 999");
	CHECK_STR(at(a, 1000), "(unset)");
	CHECK(array_remove(&pool, a, 999));
	CHECK(array_remove(&pool, a, 500));
	CHECK(!array_remove(&pool, a, 500));
	CHECK_EQ(array_last(a), 998);
	CHECK_EQ(array_count(a), 998);
	end();
}

TEST(append_to_element)
{
	struct array *a;
	struct bytes value;

	begin();
	a = array_new(&pool);
	for (int i = 0; i < 1000; i++)
		array_append(&pool, a, 3, BYTES("abc"));
	CHECK(array_get(a, 3, &value));
	CHECK_EQ(value.len, 3000);
	CHECK_EQ(memcmp(value.ptr + 2997, "abc", 4), 0);
	end();
}

TEST(value_from_the_same_array)
{
	struct array *a;
	struct bytes value;

	begin();
	a = array_new(&pool);
	array_put(&pool, a, 0, BYTES("small"));
	array_put(&pool, a, 1, BYTES("a value that does not fit in place"));
	for (int i = 2; i < 200; i++) {
		array_get(a, i % 2, &value);
		array_put(&pool, a, i, value);
	}
	CHECK_STR(at(a, 198), "small");
	CHECK_STR(at(a, 199), "a value that does not fit in place");
	array_get(a, 1, &value);
	array_put(&pool, a, 1, bytes_slice(value, 2, 7));
	CHECK_STR(at(a, 1), "value");
	end();
}

/* The same operations on the array and on a plain table. */
TEST(random_indexes)
{
	enum { RANGE = 3000, STEPS = 200000, SCALE = 1000 };
	static int model[RANGE];
	struct array *a;
	uint32_t seed = 1;
	size_t count = 0;

	begin();
	a = array_new(&pool);
	memset(model, 0, sizeof model);
	for (int i = 0; i < STEPS; i++) {
		char text[32];
		int k;

		seed = seed * 1103515245 + 12345;
		k = (int)(seed >> 8) % RANGE;
		if (seed >> 28 < 6) {
			CHECK_EQ(array_remove(&pool, a, (int64_t)k * SCALE), model[k] != 0);
			model[k] = 0;
			continue;
		}
		snprintf(text, sizeof text, "%d", i);
		array_put(&pool, a, (int64_t)k * SCALE, bytes_of(text));
		model[k] = i;
	}
	for (int k = 0; k < RANGE; k++) {
		char text[32] = "(unset)";

		if (model[k] != 0)
			snprintf(text, sizeof text, "%d", model[k]);
		count += model[k] != 0;
		if (!CHECK_STR(at(a, (int64_t)k * SCALE), text))
			return;
	}
	CHECK_EQ(array_count(a), count);
	end();
}

TEST(walk_in_order)
{
	static const int64_t indexes[] = { 7, 0, INT64_MAX, 1000000, 8, 3 };
	static const int64_t sorted[] = { 0, 3, 7, 8, 1000000, INT64_MAX };
	struct array *a;
	struct array *copy;
	struct bytes value;
	int64_t index = -1;
	size_t n = 0;

	begin();
	a = array_new(&pool);
	for (int i = 0; i < 6; i++)
		array_put(&pool, a, indexes[i], BYTES("x"));
	copy = array_copy(&pool, a);
	array_free(&pool, a);
	while (index < INT64_MAX && array_next(copy, index + 1, &index, &value))
		CHECK_EQ(index, sorted[n++]);
	CHECK_EQ(n, 6);
	CHECK_EQ(array_last(copy), INT64_MAX);
	end();
}

TEST(assoc_order)
{
	static const char *const keys[] = { "a", "b", "c", "foo", "bar", "baz" };
	static const char *const listed[] = { "c", "b", "a", "foo", "bar", "baz" };
	struct assoc *a;
	struct bytes key;
	struct bytes value;
	size_t cursor = 0;

	begin();
	a = assoc_new(&pool, ASSOC_BUCKETS);
	for (int i = 0; i < 6; i++)
		assoc_put(&pool, a, bytes_of(keys[i]), BYTES("1"));
	for (int i = 0; assoc_next(a, &cursor, &key, &value); i++)
		CHECK_STR(key.ptr, listed[i]);
	CHECK_EQ(assoc_count(a), 6);
	end();
}

TEST(assoc_grows)
{
	struct assoc *a;
	struct bytes value;
	char key[32];

	begin();
	a = assoc_new(&pool, ASSOC_BUCKETS);
	for (int i = 0; i < 20000; i++) {
		snprintf(key, sizeof key, "key%d", i);
		assoc_put(&pool, a, bytes_of(key), bytes_of(key + 3));
		assoc_append(&pool, a, bytes_of(key), BYTES("!"));
	}
	for (int i = 0; i < 20000; i += 2) {
		snprintf(key, sizeof key, "key%d", i);
		CHECK(assoc_remove(&pool, a, bytes_of(key)));
	}
	CHECK_EQ(assoc_count(a), 10000);
	CHECK(!assoc_get(a, BYTES("key0"), &value));
	CHECK(assoc_get(a, BYTES("key19999"), &value));
	CHECK_STR(value.ptr, "19999!");
	end();
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

TEST(sort)
{
	enum { N = 5000 };
	static char text[N][8];
	static void *v[N];
	struct arena scratch;
	uint32_t seed = 7;

	begin();
	arena_init(&scratch, &heap, (struct arena_fail){ no_memory, NULL });
	for (int i = 0; i < N; i++) {
		seed = seed * 1103515245 + 12345;
		snprintf(text[i], sizeof text[i], "%u", seed >> 16 & 0xffff);
		v[i] = text[i];
	}
	sort_pointers(&scratch, v, N, by_text);
	for (int i = 1; i < N; i++) {
		if (!CHECK(strcmp(v[i - 1], v[i]) <= 0))
			break;
	}
	arena_clear(&scratch);
	end();
}

int main(void)
{
	RUN(dense_array);
	RUN(append_to_element);
	RUN(value_from_the_same_array);
	RUN(random_indexes);
	RUN(walk_in_order);
	RUN(assoc_order);
	RUN(assoc_grows);
	RUN(sort);
	return check_end();
}
