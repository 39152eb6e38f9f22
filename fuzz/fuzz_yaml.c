/* SPDX-License-Identifier: MIT
 *
 * YAML: what is read is written, and what was written is read back as the same values.
 *
 * Input: a byte for the layout, the text.
 */
#include <setjmp.h>
#include <stdlib.h>

#include "base/yaml.h"

enum { REGION_BYTES = 64 << 20 };

static jmp_buf out_of_memory;

static void no_memory(void *arg)
{
	(void)arg;
	longjmp(out_of_memory, 1);
}

/* Numbers of nodes by kind and the bytes of their values: what a layout must not change. */
struct sum {
	size_t nodes[4];
	size_t bytes;
};

static void add_up(const struct yaml_node *n, struct sum *s)
{
	s->nodes[n->kind]++;
	s->bytes += n->kind == YAML_SCALAR ? n->value.len : 0;
	for (uint32_t i = 0; i < n->n; i++)
		add_up(n->items[i], s);
}

static void round_trip(struct arena *a, struct bytes text, unsigned how)
{
	struct yaml_layout layout = { .indent = 2 + (int)(how & 3),
				      .flat_lists = (how & 4) != 0,
				      .width = (how & 8) != 0 ? 20 : 0,
				      .old_words = (how & 16) != 0,
				      .no_comments = (how & 32) != 0,
				      .python = (how & 64) != 0 };
	struct yaml_parser p;
	struct yaml_node *root;

	yaml_parser_init(&p, a, text);
	while (yaml_next(&p, &root) > 0) {
		struct buf out = buf_in(a);
		struct yaml_parser again;
		struct yaml_node *back;
		struct sum one = { { 0 }, 0 };
		struct sum two = { { 0 }, 0 };

		yaml_emit(&out, yaml_copy(a, root), &layout);
		yaml_parser_init(&again, a, buf_bytes(&out));
		add_up(root, &one);
		if (yaml_next(&again, &back) > 0)
			add_up(back, &two);
		/* Set YAML_STRICT to look for texts that are not read back. */
		if (getenv("YAML_STRICT") != NULL && memcmp(&one, &two, sizeof(one)) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store store;
	static struct heap heap = { .store = &store };
	static void *region;
	struct arena_fail fail = { no_memory, NULL };
	struct arena arena;

	if (size < 1)
		return 0;
	if (region == NULL) {
		region = malloc(REGION_BYTES);
		store_init(&store, region, REGION_BYTES, NULL, NULL);
	}
	arena_init(&arena, &heap, fail);
	if (setjmp(out_of_memory) == 0)
		round_trip(&arena, (struct bytes){ (const char *)data + 1, size - 1 }, data[0]);
	arena_clear(&arena);
	return 0;
}
