/* SPDX-License-Identifier: MIT
 *
 * Forks of a session that keeps started interpreters: the fork's first python3 is a warm one, both
 * go their own way, and nothing of it stays. usage: microvm-fork IMAGE [COUNT]
 * Prints what a fork costs.
 */
#include "tests/microvm/session.h"

static void forks(cowsh *s)
{
	double start = cpu_ms();
	size_t before = cowsh_store_used(store);
	cowsh *f = fork_of(s);
	cowsh *g;

	printf("fork: %.2f ms, %zu KiB\n", cpu_ms() - start,
	       (cowsh_store_used(store) - before) / 1024);
	start = cpu_ms();
	expect(f, "python3 -c 'import sys; print(sys.argv)' a b", "['-c', 'a', 'b']\n");
	printf("its first python3, with the machine: %.1f ms\n", cpu_ms() - start);
	start = cpu_ms();
	expect(f, "python3 -c 'print(2)'", "2\n");
	printf("its second: %.1f ms\n", cpu_ms() - start);
	printf("memory of the fork after them: %zu KiB\n",
	       (cowsh_store_used(store) - before) / 1024);
	/* A file that the start had asked for changes in one of them. */
	expect(f, "echo 'print(5)' > /usr/lib/python3.11/sitecustomize.py; python3 -c 'print(3)'",
	       "5\n3\n");
	expect(s, "python3 -c 'print(4)'", "4\n");
	g = fork_of(f);
	expect(g, "python3 -c 'print(6)'", "5\n6\n");
	cowsh_free(f);
	expect(g, "python3 -c 'print(7)'", "5\n7\n");
	cowsh_free(g);
}

static void session(int count)
{
	double start = cpu_ms();
	cowsh *s = session_of_tests(true);

	expect(s, "python3 -c 'print(1)'", "1\n");
	printf("session and first python3: %.1f ms\n", cpu_ms() - start);
	for (int i = 0; i < count; i++)
		forks(s);
	cowsh_free(s);
}

int main(int argc, char **argv)
{
	size_t used;

	if (!open_store(argc, argv))
		return 2;
	session(argc > 2 ? atoi(argv[2]) : 1);
	used = cowsh_store_used(store);
	session(2);
	return verdict(used);
}
