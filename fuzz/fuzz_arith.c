/* SPDX-License-Identifier: MIT
 *
 * Any bytes as an arithmetic expression, evaluated twice; and as the value of a variable that
 * the expression names.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "interp/arith.h"

enum { REGION_BYTES = 64 << 20, CHARGE_MAX = 5000 };

struct world {
	struct store store;
	struct heap heap;
	struct arena scratch;
	struct bytes text; /* value of every variable not assigned */
	int64_t values[64];
	bool known[64];
	uint64_t charged;
};

static struct world world;
static char *region;

static void out_of_memory(void *arg)
{
	(void)arg;
	abort();
}

static enum arith_kind kind(void *user, struct arith_name *name)
{
	(void)user;
	return name->hash & 1 ? ARITH_KEY : ARITH_INDEX;
}

static unsigned slot(const struct arith_place *at)
{
	return (unsigned)((at->name->hash + (uint64_t)at->index + at->key.len) % 64);
}

static int get(void *user, const struct arith_place *at, int64_t *value, struct bytes *text)
{
	struct world *w = user;
	unsigned n = slot(at);

	if (w->charged > CHARGE_MAX)
		return -3;
	if (w->known[n]) {
		*value = w->values[n];
		return 1;
	}
	*text = n % 2 != 0 ? w->text : BYTES("1+a[2]");
	return 0;
}

static int set(void *user, const struct arith_place *at, int64_t value)
{
	struct world *w = user;

	w->values[slot(at)] = value;
	w->known[slot(at)] = true;
	return 0;
}

static void charge(void *user, uint64_t steps)
{
	((struct world *)user)->charged += steps;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arith_env env = { .user = &world,
				 .arena = &world.scratch,
				 .kind = kind,
				 .get = get,
				 .set = set,
				 .charge = charge };
	struct arith *code;
	int64_t first = 0, second = 0;

	if (region == NULL)
		region = malloc(REGION_BYTES);
	memset(&world, 0, sizeof world);
	store_init(&world.store, region, REGION_BYTES, NULL, NULL);
	world.heap.store = &world.store;
	arena_init(&world.scratch, &world.heap, (struct arena_fail){ out_of_memory, NULL });
	world.text = (struct bytes){ (const char *)data, size };
	code = arith_compile(&world.scratch, world.text, false);
	arith_eval(code, &env, &first);
	memset(world.known, 0, sizeof world.known);
	world.charged = 0;
	arith_eval_text(world.text, &env, &second);
	arena_clear(&world.scratch);
	return 0;
}
