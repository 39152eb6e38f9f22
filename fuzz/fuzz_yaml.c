/* SPDX-License-Identifier: MIT
 *
 * YAML: what is read is written, and what was written is read back as the same values.
 *
 * Input: a byte for the layout, the text.
 */
#include "fuzz/arena.h"

#include "base/yaml.h"

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

static void round_trip(struct arena *a, const uint8_t *data, size_t size)
{
	struct bytes text = { (const char *)data + 1, size - 1 };
	unsigned how = data[0];
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return size >= 1 ? fuzz_in_arena(round_trip, data, size) : 0;
}
