/* SPDX-License-Identifier: MIT
 *
 * JSON in pieces of any size, as values and as events: what is read is printed, and what is
 * printed is read back as the same value.
 *
 * Input: a byte for the size of the pieces, the text.
 */
#include "fuzz/arena.h"

#include "base/json.h"

/* A number that is none of this machine's is kept as text, where an exponent is written with E. */
static bool same_text(struct bytes a, struct bytes b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (a.ptr[i] != b.ptr[i] && !(a.ptr[i] == 'e' && b.ptr[i] == 'E'))
			return false;
	return true;
}

static void check_value(struct json_mem *m, struct arena *a, struct json v)
{
	struct buf text = buf_in(a);
	struct buf again = buf_in(a);
	struct buf message = buf_in(a);
	struct json_style sorted = { .pretty = true, .indent = 1, .sort = true };
	struct json back;

	json_print(m, &text, v, NULL);
	if (json_parse(m, buf_bytes(&text), &back, &message) == JSON_VALUE) {
		json_print(m, &again, back, NULL);
		require(same_text(buf_bytes(&text), buf_bytes(&again)));
		json_put(m, back);
	}
	json_print(m, &again, v, &sorted);
	json_cmp(m, v, v);
}

static void parse(struct json_mem *m, struct arena *a, struct bytes s, size_t piece, bool events)
{
	struct json_parser p;
	enum json_next got;
	struct json v;
	size_t at = 0;

	json_parser_init(&p, m);
	p.streaming = events;
	do {
		size_t n = s.len - at < piece ? s.len - at : piece;

		json_parser_feed(&p, bytes_slice(s, at, at + n));
		at += n;
		while ((got = json_parser_next(&p, &v)) == JSON_VALUE) {
			check_value(m, a, v);
			json_put(m, v);
		}
	} while (got == JSON_MORE && at < s.len);
	if (got == JSON_MORE && json_parser_finish(&p, &v) == JSON_VALUE)
		json_put(m, v);
	json_parser_reset(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heap *heap = fuzz_heap();
	struct arena arena;
	struct pool pool;
	struct json_mem m;

	if (size < 1)
		return 0;
	arena_init(&arena, heap, fuzz_fail);
	pool_init(&pool, heap, fuzz_fail);
	json_mem_init(&m, &pool);
	if (setjmp(fuzz_full) == 0) {
		struct bytes s = { (const char *)data + 1, size - 1 };

		parse(&m, &arena, s, data[0] % 16 + 1, false);
		parse(&m, &arena, s, s.len + 1, true);
	}
	pool_clear(&pool);
	arena_clear(&arena);
	return 0;
}
