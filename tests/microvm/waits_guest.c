/* SPDX-License-Identifier: MIT
 *
 * A program that gives another one what is in a file that takes time to come, and ends the other
 * one meanwhile, natively compiled for the sandbox. Prints what the call said.
 * usage: guest info|mask|registers|vector|write FILE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SETSIGMASK = 0x420b, FILE_BYTES = 16 << 20, STEP = 1 << 20 };

static pid_t other;
static int start[2]; /* a byte: the other one may be ended */
static int end[2];   /* it has been */

static void *killer(void *arg)
{
	int status;
	char c;

	if (read(start[0], &c, 1) != 1)
		return NULL;
	kill(other, SIGKILL);
	while (waitpid(other, &status, __WALL) == other && !WIFSIGNALED(status))
		;
	if (write(end[1], "", 1) != 1)
		abort();
	return arg;
}

static void be_other(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (;;)
		pause();
}

static long give(const char *way, char *slow)
{
	static char own[64];
	struct iovec vector = { slow, 216 };
	struct iovec here = { slow, 8 };
	struct iovec there = { own, 8 };

	if (strcmp(way, "info") == 0)
		return ptrace(PTRACE_SETSIGINFO, other, NULL, slow);
	if (strcmp(way, "mask") == 0)
		return syscall(SYS_ptrace, SETSIGMASK, other, 8, slow);
	if (strcmp(way, "registers") == 0)
		return ptrace(PTRACE_SETREGSET, other, 1, &vector);
	if (strcmp(way, "vector") == 0)
		return ptrace(PTRACE_GETREGSET, other, 1, slow);
	return process_vm_writev(other, &here, 1, &there, 1, 0);
}

int main(int argc, char **argv)
{
	static const char *const ways[] = { "info", "mask", "registers", "vector", "write" };
	int fd = argc > 2 ? open(argv[2], O_RDONLY) : -1;
	char *m = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	pthread_t t;
	long r;
	char c;

	if (m == MAP_FAILED || pipe(start) != 0 || pipe(end) != 0)
		return 2;
	/* Where nothing has been read. */
	for (size_t i = 0; i < sizeof ways / sizeof ways[0] && strcmp(ways[i], argv[1]) != 0; i++)
		m += STEP;
	other = fork();
	if (other == 0)
		be_other();
	waitpid(other, NULL, __WALL);
	pthread_create(&t, NULL, killer, NULL);
	if (write(start[1], "", 1) != 1)
		return 2;
	r = give(argv[1], m);
	printf("%s: %ld %s\n", argv[1], r, r < 0 ? strerror(errno) : "moved");
	return read(end[0], &c, 1) != 1;
}
