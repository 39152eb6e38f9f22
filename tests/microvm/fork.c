/* SPDX-License-Identifier: MIT
 *
 * Forks of a session that keeps started interpreters: the fork's first python3 is a warm one, both
 * go their own way, and nothing of it stays. usage: microvm-fork IMAGE [COUNT]
 * Prints what a fork costs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cowsh.h"
#include "cowsh_image.h"
#include "cowsh_microvm.h"

enum { REGION = 1 << 30 };

static char out[4096];
static size_t nout;
static int failed;
static cowsh_store *store;

static int output(void *user, int fd, const char *data, size_t n)
{
	(void)user;
	(void)fd;
	if (n > sizeof out - 1 - nout)
		n = sizeof out - 1 - nout;
	memcpy(out + nout, data, n);
	nout += n;
	return 0;
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void expect(cowsh *s, const char *script, const char *wanted)
{
	struct cowsh_result result;

	nout = 0;
	if (cowsh_run(s, script, strlen(script), &result) < 0)
		abort();
	out[nout] = '\0';
	if (strcmp(out, wanted) != 0) {
		printf("FAILED: %s\nwanted: %sgot: %s", script, wanted, out);
		failed++;
	}
}

static cowsh *fork_of(cowsh *s)
{
	struct cowsh_host host = { .size = sizeof host, .output = output };
	cowsh *f;

	if (cowsh_fork(s, &host, &f) < 0)
		abort();
	return f;
}

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

static void session(cowsh_image *image, int count)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = { .size = sizeof host, .output = output };
	struct cowsh_image_mount mount = { .path = "/", .image = image };
	double start = cpu_ms();
	cowsh *s;

	config.microvm = cowsh_kvm();
	config.warm_starts = true;
	config.images = &mount;
	config.nimages = 1;
	config.user = "root";
	if (cowsh_new(store, &config, &host, &s) < 0)
		abort();
	expect(s, "python3 -c 'print(1)'", "1\n");
	printf("session and first python3: %.1f ms\n", cpu_ms() - start);
	for (int i = 0; i < count; i++)
		forks(s);
	cowsh_free(s);
}

int main(int argc, char **argv)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	cowsh_image *image;
	const char *why;
	size_t used;
	void *bytes;

	if (fd < 0 || fstat(fd, &st) < 0)
		return 2;
	cowsh_kvm_open();
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	config.region = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	config.region_size = REGION;
	if (cowsh_store_new(&config, &store) < 0 ||
	    cowsh_image_open(store, bytes, (uint64_t)st.st_size, NULL, &image, &why) < 0)
		return 2;
	session(image, argc > 2 ? atoi(argv[2]) : 1);
	used = cowsh_store_used(store);
	session(image, 2);
	if (cowsh_store_used(store) > used) {
		printf("FAILED: %zu bytes stayed\n", cowsh_store_used(store) - used);
		failed++;
	}
	printf("%s\n", failed == 0 ? "passed" : "failed");
	return failed != 0;
}
