/* SPDX-License-Identifier: MIT
 *
 * base/json.h: the parser at every cut of its text, objects against a plain list, the order of
 * values, counted references down to the last block.
 */
#include <stdlib.h>

#include "base/json.h"
#include "tests/unit/check.h"

enum { REGION_BYTES = 64 << 20, KEYS = 300, TURNS = 20000 };

static struct store store;
static struct heap heap = { .store = &store };
static struct arena arena;
static struct pool pool;
static struct json_mem mem;

static void no_memory(void *arg)
{
	(void)arg;
	abort();
}

static void start(void)
{
	struct arena_fail fail = { no_memory, NULL };

	store_init(&store, malloc(REGION_BYTES), REGION_BYTES, NULL, NULL);
	arena_init(&arena, &heap, fail);
	pool_init(&pool, &heap, fail);
	json_mem_init(&mem, &pool);
}

static const char *text_of(struct json v)
{
	struct buf b = buf_in(&arena);

	json_print(&mem, &b, v, NULL);
	return buf_cstr(&b);
}

static struct json value_of(const char *text)
{
	struct buf message = buf_in(&arena);
	struct json v;

	CHECK(json_parse(&mem, bytes_of(text), &v, &message) == JSON_VALUE);
	return v;
}

/* All values of the text, fed in two pieces, printed one behind the other. */
static const char *read_cut(const char *text, size_t cut, bool events)
{
	struct buf b = buf_in(&arena);
	struct bytes s = bytes_of(text);
	struct json_parser p;
	struct json v;

	json_parser_init(&p, &mem);
	p.streaming = events;
	for (int i = 0; i < 2; i++) {
		json_parser_feed(&p, bytes_slice(s, i == 0 ? 0 : cut, i == 0 ? cut : s.len));
		while (json_parser_next(&p, &v) == JSON_VALUE) {
			json_print(&mem, &b, v, NULL);
			json_put(&mem, v);
		}
	}
	if (json_parser_finish(&p, &v) == JSON_VALUE) {
		json_print(&mem, &b, v, NULL);
		json_put(&mem, v);
	}
	json_parser_reset(&p);
	return buf_cstr(&b);
}

TEST(text_may_be_cut_anywhere)
{
	static const char text[] = "{\"a\":[1,-2.50e3,\"x\\u00e9\\n\\\"\\ud83d\\ude00\"],\"b\":{}}"
				   " [true,null] \"\xc3\xa9\" 12345678901234567890 [[]]";
	static const char values[] =
		"{\"a\":[1,-2.50E+3,\"x\xc3\xa9\\n\\\"\xf0\x9f\x98\x80\"],\"b\":{}}"
		"[true,null]\"\xc3\xa9\"12345678901234567890[[]]";
	static const char events[] =
		"[[\"a\",0],1][[\"a\",1],-2.50E+3][[\"a\",2],"
		"\"x\xc3\xa9\\n\\\"\xf0\x9f\x98\x80\"][[\"a\",2]][[\"b\"],{}][[\"b\"]]"
		"[[0],true][[1],null][[1]][[],\"\xc3\xa9\"]"
		"[[],12345678901234567890][[0],[]][[0]]";

	for (size_t cut = 0; cut <= sizeof(text) - 1; cut++) {
		if (!CHECK_STR(read_cut(text, cut, false), values) ||
		    !CHECK_STR(read_cut(text, cut, true), events))
			return;
	}
}

TEST(objects_are_what_a_list_would_be)
{
	struct json o = json_object(&mem, 0);
	int list[KEYS];
	unsigned seed = 1;
	size_t live = 0;

	memset(list, 0xff, sizeof(list));
	for (int turn = 0; turn < TURNS; turn++) {
		struct buf b = buf_in(&arena);
		unsigned k = (seed = seed * 1664525 + 1013904223) >> 8;
		struct json key;

		buf_printf(&b, "key %u", k % KEYS);
		key = json_string(&mem, buf_bytes(&b));
		if (k / KEYS % 3 == 0) {
			o = json_delete(&mem, o, key);
			json_put(&mem, key);
			list[k % KEYS] = -1;
		} else {
			o = json_set(&mem, o, key, json_number(turn));
			list[k % KEYS] = turn;
		}
	}
	live = 0;
	for (int i = 0; i < KEYS; i++) {
		struct buf b = buf_in(&arena);
		struct json v;

		buf_printf(&b, "key %d", i);
		v = json_get_bytes(o, buf_bytes(&b));
		live += list[i] >= 0;
		CHECK_EQ(v.kind == JSON_NONE ? -1 : (int)json_num(v), list[i]);
	}
	CHECK_EQ(json_count(o), live);
	json_put(&mem, o);
}

TEST(values_have_an_order)
{
	static const char *const sorted[] = {
		"null",
		"false",
		"true",
		"-1",
		"0.5",
		"9007199254740992",
		"9007199254740993",
		"\"\"",
		"\"A\"",
		"\"a\"",
		"[]",
		"[0]",
		"[0,1]",
		"[1]",
		"{}",
		"{\"a\":2}",
		"{\"a\":0,\"b\":0}",
		"{\"b\":1}",
	};
	size_t n = sizeof(sorted) / sizeof(sorted[0]);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			struct json a = value_of(sorted[i]);
			struct json b = value_of(sorted[k]);
			int cmp = json_cmp(&mem, a, b);

			CHECK((cmp > 0) - (cmp < 0) == (i > k) - (i < k));
			CHECK_EQ(json_equal(&mem, a, b), i == k);
			json_put(&mem, a);
			json_put(&mem, b);
		}
}

TEST(what_is_shared_is_copied_before_it_changes)
{
	struct json a = value_of("[1,[2],{\"k\":[3]}]");
	struct json b = json_set_at(&mem, json_copy(a), 1, json_number(9));
	struct json o = value_of("{\"x\":1}");
	struct json p = json_set(&mem, json_copy(o), json_key(&mem, BYTES("y")), json_number(2));

	CHECK_STR(text_of(a), "[1,[2],{\"k\":[3]}]");
	CHECK_STR(text_of(b), "[1,9,{\"k\":[3]}]");
	CHECK_STR(text_of(o), "{\"x\":1}");
	CHECK_STR(text_of(p), "{\"x\":1,\"y\":2}");
	json_put(&mem, a);
	json_put(&mem, b);
	json_put(&mem, o);
	json_put(&mem, p);
}

TEST(deep_values_are_freed_without_recursion)
{
	struct json v = json_number(1);

	for (int i = 0; i < 1000000; i++)
		v = json_push(&mem, json_array(&mem, 1), v);
	json_put(&mem, v);
	CHECK(mem.ndead == 0);
}

int main(void)
{
	start();
	RUN(text_may_be_cut_anywhere);
	RUN(objects_are_what_a_list_would_be);
	RUN(values_have_an_order);
	RUN(what_is_shared_is_copied_before_it_changes);
	RUN(deep_values_are_freed_without_recursion);
	return check_end();
}
