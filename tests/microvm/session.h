/* SPDX-License-Identifier: MIT
 *
 * What the tests of sessions with real programs share: a store with an image in it, what a
 * script wrote, what things cost.
 */
#ifndef TESTS_MICROVM_SESSION_H
#define TESTS_MICROVM_SESSION_H

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

static char out[65536];
static size_t nout;
static int failed;
static cowsh_store *store;
static cowsh_image *image;

static inline int output(void *user, int fd, const char *data, size_t n)
{
	(void)user;
	(void)fd;
	if (n > sizeof out - 1 - nout)
		n = sizeof out - 1 - nout;
	memcpy(out + nout, data, n);
	nout += n;
	return 0;
}

static inline double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static inline void expect(cowsh *s, const char *script, const char *wanted)
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

static inline struct cowsh_host host_of_tests(void)
{
	return (struct cowsh_host){ .size = sizeof(struct cowsh_host), .output = output };
}

static inline cowsh *fork_of(cowsh *s)
{
	struct cowsh_host host = host_of_tests();
	cowsh *f;
	int err = cowsh_fork(s, &host, &f);

	if (err < 0) {
		printf("FAILED: fork: %s\n", cowsh_error_text(err));
		exit(1);
	}
	return f;
}

static inline cowsh *session_of_tests(bool warm)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_host host = host_of_tests();
	struct cowsh_image_mount mount = { .path = "/", .image = image };
	cowsh *s;

	config.microvm = cowsh_kvm();
	config.warm_starts = warm;
	config.images = &mount;
	config.nimages = 1;
	config.user = "root";
	if (cowsh_new(store, &config, &host, &s) < 0)
		abort();
	return s;
}

/* The image that argv[1] names, in a new store; false: that fails. */
static inline bool open_store(int argc, char **argv)
{
	enum { REGION = 1 << 30 };
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct stat st;
	const char *why;
	void *bytes;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	cowsh_kvm_open();
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	config.region = mmap(NULL, REGION, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	config.region_size = REGION;
	return cowsh_store_new(&config, &store) == 0 &&
	       cowsh_image_open(store, bytes, (uint64_t)st.st_size, NULL, &image, &why) == 0;
}

/* Whether all went well: said, and as an exit status. */
static inline int verdict(size_t used)
{
	if (cowsh_store_used(store) > used) {
		printf("FAILED: %zu bytes stayed\n", cowsh_store_used(store) - used);
		failed++;
	}
	printf("%s\n", failed == 0 ? "passed" : "failed");
	return failed != 0;
}

#endif
