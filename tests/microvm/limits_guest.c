/* SPDX-License-Identifier: MIT
 *
 * A program that does one thing without end, natively compiled for the sandbox.
 * usage: guest
 * spin|fork|thread|swap|maps|copies|grow|call|map|protect|signal|pipe|write|exec|sparse|details|
 * poll|views|sync|cut|dead|left
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *spin_thread(void *arg)
{
	for (;;)
		*(volatile int *)arg += 1;
	return NULL;
}

static void spin(char **argv)
{
	volatile int n = 0;

	(void)argv;
	for (;;)
		n++;
}

static void fork_always(char **argv)
{
	(void)argv;
	for (;;)
		fork();
}

static void thread(char **argv)
{
	static int n;
	pthread_t t;

	(void)argv;
	for (;;)
		pthread_create(&t, NULL, spin_thread, &n);
}

/* More than there is, touched again and again as far as it comes. */
static void swap(char **argv)
{
	enum { PIECE = 1 << 20, PIECES = 64 };
	char *all[PIECES];

	(void)argv;
	for (int i = 0; i < PIECES; i++) {
		all[i] = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		if (all[i] != MAP_FAILED)
			memset(all[i], i, PIECE);
	}
	for (unsigned k = 0;; k++) {
		char *p = all[k % PIECES];

		if (p == MAP_FAILED)
			continue;
		madvise(p, PIECE, MADV_DONTNEED);
		memset(p, (int)k, PIECE);
	}
}

static void grow(char **argv)
{
	(void)argv;
	for (;;) {
		char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p != MAP_FAILED)
			memset(p, 1, 1 << 20);
	}
}

static void call(char **argv)
{
	(void)argv;
	for (;;)
		syscall(SYS_getppid);
}

static void map(char **argv)
{
	size_t n = 1UL << 40;

	(void)argv;
	for (;;)
		munmap(mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
		       n);
}

static void protect(char **argv)
{
	enum { BYTES = 64 << 20 };
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argv;
	memset(p, 1, BYTES / 2);
	for (int k = 0;; k++) /* every second page: as many areas as pages */
		for (size_t at = 0; at < BYTES; at += 8192)
			mprotect(p + at, 4096, k & 1 ? PROT_READ : PROT_READ | PROT_WRITE);
}

/* The list of all areas, again and again. */
static void maps(char **argv)
{
	enum { BYTES = 256 << 20 };
	static char text[1 << 20];
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	(void)argv;
	for (size_t at = 0; at < BYTES; at += 8192)
		mprotect(p + at, 4096, PROT_READ);
	for (;;) {
		int fd = open("/proc/self/maps", O_RDONLY);

		while (read(fd, text, sizeof text) > 0)
			;
		close(fd);
	}
}

/* Children of a process with much memory, which end at once. */
static void copies(char **argv)
{
	enum { BYTES = 40 << 20 };
	char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)argv;
	memset(p, 1, BYTES);
	for (;;) {
		if (fork() == 0)
			_exit(0);
		waitpid(-1, NULL, 0);
	}
}

static void handler(int sig)
{
	(void)sig;
}

static void send_signals(char **argv)
{
	(void)argv;
	signal(SIGUSR1, handler);
	for (;;)
		kill(getpid(), SIGUSR1);
}

static void pipes(char **argv)
{
	int to[2], from[2];
	char c = 0;

	(void)argv;
	if (pipe(to) < 0 || pipe(from) < 0)
		return;
	if (fork() == 0)
		for (;;)
			if (read(to[0], &c, 1) + write(from[1], &c, 1) == 0)
				_exit(1);
	for (;;)
		if (write(to[1], &c, 1) + read(from[0], &c, 1) == 0)
			_exit(1);
}

static void write_always(char **argv)
{
	static char text[65536];

	(void)argv;
	memset(text, 'x', sizeof text);
	while (write(2, text, sizeof text) > 0)
		;
}

static void exec(char **argv)
{
	execv("/b/guest", argv);
}

static void sparse(char **argv)
{
	int fd = memfd_create("x", 0);
	uint64_t page[512] = { 1 };

	(void)argv;
	for (uint64_t at = 0;; at += 1UL << 24)
		if (pwrite(fd, page, sizeof page, (off_t)(at & INT64_MAX)) < 0)
			at = 0;
}

/* What there is of each of many large areas, and nobody reads it. */
static void details(char **argv)
{
	enum { AREAS = 1500, PIECES = 500 };
	const size_t bytes = 400UL << 20;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *at = (char *)(1UL << 44);

	(void)argv;
	for (int i = 0; i < AREAS; i++, at += bytes)
		mmap(at, bytes, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE, flags, -1, 0);
	at = mmap(NULL, (size_t)PIECES << 21, PROT_READ | PROT_WRITE, flags, -1, 0);
	for (size_t i = 0; i < PIECES; i++)
		at[i << 21] = 1;
	for (;;)
		close(open("/proc/self/smaps", O_RDONLY));
}

/* Many wait for many sets of descriptors, and each look is for nothing. */
static void poll_always(char **argv)
{
	enum { CHILDREN = 40, SET = 900, MOST = 65536 };
	static struct pollfd list[MOST];
	int set = epoll_create1(0);
	int p[2], q[2];
	char c = 0;

	(void)argv;
	if (pipe(p) < 0 || pipe(q) < 0)
		return;
	for (int i = 0; i < SET; i++) {
		struct epoll_event e = { .events = EPOLLIN };
		int fd = dup(p[0]);

		if (fd >= 0)
			epoll_ctl(set, EPOLL_CTL_ADD, fd, &e);
	}
	for (int i = 0; i < MOST; i++)
		list[i] = (struct pollfd){ .fd = set, .events = POLLIN };
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			for (nfds_t n = MOST;; n = 1000)
				poll(list, n, -1);
	for (;;)
		if (write(q[1], &c, 1) + read(q[0], &c, 1) == 0)
			return;
}

static char *mapped(int fd, size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* Children with many views of one file, which are compared with it at each end. */
static void views(char **argv)
{
	enum { BYTES = 16 << 20, VIEWS = 600 };
	int fd = memfd_create("x", 0);

	(void)argv;
	if (ftruncate(fd, BYTES) < 0)
		return;
	memset(mapped(fd, BYTES), 1, BYTES);
	for (int i = 0; i < VIEWS; i++)
		mapped(fd, BYTES);
	for (;;) {
		if (fork() == 0)
			_exit(0);
		waitpid(-1, NULL, 0);
	}
}

static void sync_always(char **argv)
{
	enum { BYTES = 32 << 20 };
	int fd = memfd_create("x", 0);
	char *p;

	(void)argv;
	if (ftruncate(fd, BYTES) < 0)
		return;
	p = mapped(fd, BYTES);
	memset(p, 1, BYTES);
	for (;;)
		msync(p, BYTES, MS_SYNC);
}

/* A file whose mapped pages are few and far between. */
static void cut(char **argv)
{
	const size_t bytes = 30UL << 30;
	int fd = memfd_create("x", 0);
	char *p;

	(void)argv;
	if (ftruncate(fd, (off_t)bytes) < 0)
		return;
	p = mapped(fd, bytes);
	p[bytes - 1] = 1;
	for (size_t n = bytes;; n--)
		if (ftruncate(fd, (off_t)n) < 0)
			return;
}

/* Very many children that have ended and that nobody waits for, among all that are signalled. */
static void dead(char **argv)
{
	(void)argv;
	for (int i = 0; i < 6000; i++)
		if (vfork() == 0)
			_exit(0);
	for (;;)
		kill(-1, 0);
}

static void *sleep_always(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The first thread ends, the other waits for ever. */
static void leave(char **argv)
{
	pthread_t t;

	(void)argv;
	pthread_create(&t, NULL, sleep_always, NULL);
	syscall(SYS_exit, 0);
}

static const struct {
	const char *name;
	void (*run)(char **argv);
} ways[] = {
	{ "spin", spin },
	{ "fork", fork_always },
	{ "thread", thread },
	{ "swap", swap },
	{ "maps", maps },
	{ "copies", copies },
	{ "grow", grow },
	{ "call", call },
	{ "map", map },
	{ "protect", protect },
	{ "signal", send_signals },
	{ "pipe", pipes },
	{ "write", write_always },
	{ "exec", exec },
	{ "sparse", sparse },
	{ "details", details },
	{ "poll", poll_always },
	{ "views", views },
	{ "sync", sync_always },
	{ "cut", cut },
	{ "dead", dead },
	{ "left", leave },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof ways[0]; i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			ways[i].run(argv);
	return 2;
}
