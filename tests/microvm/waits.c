/* SPDX-License-Identifier: MIT
 *
 * What a program has asked for of another one must be there when its own memory, for which the host
 * was waited, has come: another thread may have ended the other one (waits_guest.c). usage:
 * microvm-waits IMAGE
 */
#include "tests/microvm/session.h"

enum { FILE_BYTES = 16 << 20, TURNS = 1000 };

static bool ready;
static int waits;

static int list(void *user, uint64_t id, int (*emit)(void *sink, const struct cowsh_entry *entry),
		void *sink)
{
	const struct cowsh_entry data = {
		.name = "data", .id = 1, .mode = S_IFREG | 0644, .size = FILE_BYTES
	};

	(void)user;
	(void)id;
	return emit(sink, &data);
}

static int64_t read_later(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	(void)user;
	(void)id;
	if (!ready)
		return COWSH_PENDING;
	ready = false;
	len = pos + len > FILE_BYTES ? (size_t)(FILE_BYTES - pos) : len;
	memset(into, 8, len); /* as the length in a vector, too */
	return (int64_t)len;
}

static void run(cowsh *s, const char *way)
{
	char script[64];
	int state;

	snprintf(script, sizeof script, "/b/waits %s /slow/data", way);
	nout = 0;
	if (cowsh_start(s, script, strlen(script)) < 0)
		abort();
	while ((state = cowsh_step(s, 0)) != COWSH_DONE) {
		if (state != COWSH_WAIT)
			abort();
		waits++;
		ready = true;
		cowsh_wake(s);
	}
	out[nout] = '\0';
}

static void give(cowsh *s, const char *way, const char *wanted)
{
	int before = waits;

	/* A turn that ends before the program asks tests nothing: nothing was waited for. */
	for (int i = 0; i < TURNS && waits == before; i++)
		run(s, way);
	if (strcmp(out, wanted) != 0 || waits == before) {
		printf("FAILED: %d waits\nwanted: %sgot: %s", waits - before, wanted, out);
		failed++;
	}
}

int main(int argc, char **argv)
{
	struct cowsh_source source = { .size = sizeof source, .list = list, .read = read_later };
	size_t used;
	cowsh *s;

	if (!open_store(argc, argv)) {
		fprintf(stderr, "usage: microvm-waits IMAGE\n");
		return 2;
	}
	s = session_of_tests(false);
	if (cowsh_mount(s, "/slow", &source, 0, false) < 0)
		abort();
	expect(s, "/b/waits; echo $?", "2\n");
	used = cowsh_store_used(store);
	give(s, "info", "info: -1 No such process\n");
	give(s, "mask", "mask: -1 No such process\n");
	give(s, "registers", "registers: -1 No such process\n");
	give(s, "vector", "vector: -1 No such process\n");
	give(s, "write", "write: 8 moved\n");
	cowsh_free(s);
	return verdict(used);
}
