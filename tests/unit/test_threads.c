/* SPDX-License-Identifier: MIT
 *
 * What the kernel offers to real programs: threads, futexes, event counters, epoll, pairs of
 * sockets, held pages of files, and a source merged with what a directory has.
 */
#include "tests/unit/kernel_env.h"

/* --- threads --- */

static const struct futex_key key = { 1, 2 };
static int order;

static int thread_body(struct proc *t, void *arg)
{
	struct proc *owner = arg;
	char buf[8];

	CHECK(proc_owner_of(t) == owner && t->pid != owner->pid);
	/* Descriptors and directory are the owner's. */
	CHECK_EQ(sys_write(t, 1, "thread\n", 7), 7);
	CHECK_EQ(sys_chdir(t, "/d"), 0);
	CHECK_EQ(sys_open(t, AT_FDCWD_, "f", O_CREAT_ | O_RDWR_, 0644), 3);
	CHECK_EQ(sys_futex_wait(t, key, 1, 0), 0);
	CHECK_EQ(order++, 1);
	CHECK_EQ(sys_pread(t, 3, buf, 8, 0), 2);
	CHECK_EQ(sys_futex_wait(t, key, 2, kernel_now(t->k) + 1000), -E_TIMEDOUT);
	return 0;
}

static int with_thread(struct proc *p, void *arg)
{
	struct spawn s = { .fn = thread_body, .arg = p };
	struct proc *t;

	(void)arg;
	CHECK_EQ(sys_mkdir(p, AT_FDCWD_, "/d", 0755), 0);
	CHECK(sys_spawn_thread(p, &s, &t) > 0);
	CHECK(proc_has_threads(p));
	sys_sleep(p, 1000);
	CHECK_EQ(sys_write(p, 3, "hi", 2), 2);
	CHECK_EQ(order++, 0);
	CHECK_EQ(kernel_futex_wake(p->k, key, 2, 9), 0);
	CHECK_EQ(kernel_futex_wake(p->k, key, 1, 9), 1);
	sys_sleep(p, 1000000);
	CHECK(!proc_has_threads(p));
	/* A thread is nobody's child. */
	CHECK_EQ(sys_wait(p, -1, NULL, 0), -E_CHILD);
	return 5;
}

TEST(threads)
{
	if (!env_open())
		return;
	order = 0;
	CHECK_EQ(env_run(with_thread, NULL), 5 << 8);
	CHECK_EQ(order, 2);
	env_close();
}

/* --- threads in /proc --- */

static struct bytes read_proc(struct proc *t, int id, const char *name)
{
	struct buf b = buf_in(&t->arena);
	struct bytes text = { "", 0 };

	buf_printf(&b, "/proc/%d/%s", id, name);
	CHECK_EQ(sys_read_file(t, buf_cstr(&b), &t->arena, &text), 0);
	return text;
}

static int looks_at_itself(struct proc *t, void *arg)
{
	const struct proc *owner = arg;
	struct buf b = buf_in(&t->arena);
	struct vfs_dirent entry[64];
	int fd;

	for (int i = 20; i < 22; i++) {
		b.len = 0;
		buf_printf(&b, "fdinfo/%d", i);
		CHECK(bytes_eq(read_proc(t, t->pid, buf_cstr(&b)),
			       read_proc(t, owner->pid, buf_cstr(&b))));
	}
	b.len = 0;
	buf_printf(&b, "/proc/%d/fd", t->pid);
	fd = (int)sys_open(t, AT_FDCWD_, buf_cstr(&b), O_RDONLY_ | O_DIRECTORY_, 0);
	/* 0, 1, 2, 20, 21 and this one. */
	CHECK_EQ(sys_readdir(t, fd, &t->arena, entry, 64), 6);
	return 0;
}

static int many_descriptors(struct proc *p, void *arg)
{
	struct spawn s = { .fn = looks_at_itself, .arg = p };
	struct proc *t;

	(void)arg;
	CHECK_EQ(sys_dup2(p, 1, 20, false), 20);
	CHECK_EQ(sys_dup2(p, 1, 21, true), 21);
	CHECK(sys_spawn_thread(p, &s, &t) > 0);
	sys_sleep(p, 1000);
	return 0;
}

TEST(threads_in_proc)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(many_descriptors, NULL), 0);
	env_close();
}

static int sleeper(struct proc *t, void *arg)
{
	(void)arg;
	sys_sleep(t, 1000000000);
	CHECK(false);
	return 0;
}

static int killer(struct proc *t, void *arg)
{
	sys_kill(t, ((struct proc *)arg)->pid, SIGTERM_);
	CHECK(false);
	return 0;
}

static int group(struct proc *p, void *arg)
{
	struct spawn s = { .fn = sleeper };
	struct spawn k = { .fn = killer, .arg = p };
	struct proc *t;

	CHECK(sys_spawn_thread(p, &s, &t) > 0);
	if (arg != NULL)
		CHECK(sys_spawn_thread(p, &k, &t) > 0);
	else
		proc_exit_group(p, 7 << 8);
	sys_sleep(p, 5000000000);
	CHECK(false);
	return 0;
}

static int with_groups(struct proc *p, void *arg)
{
	(void)arg;
	CHECK_EQ(env_wait(p, env_spawn(p, group, NULL)), 7 << 8);
	CHECK_EQ(env_wait(p, env_spawn(p, group, p)), SIGTERM_);
	return 0;
}

TEST(groups_end_together)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(with_groups, NULL), 0);
	env_close();
}

/* --- events --- */

static int add_later(struct proc *p, void *arg)
{
	uint64_t two = 2;

	sys_sleep(p, 1000);
	CHECK_EQ(sys_write(p, (int)(intptr_t)arg, &two, 8), 8);
	return 0;
}

static int events(struct proc *p, void *arg)
{
	struct epoll_event_ e = { POLL_READ_, 77 };
	struct epoll_event_ got[4];
	uint64_t n = 0;
	int ep = (int)sys_epoll(p, false);
	int fd = (int)sys_eventfd(p, 0, false, O_NONBLOCK_);
	int pair[2];

	(void)arg;
	CHECK_EQ(sys_read(p, fd, &n, 8), -E_AGAIN);
	CHECK_EQ(sys_epoll_ctl(p, ep, 1, fd, &e), 0);
	CHECK_EQ(sys_epoll_ctl(p, ep, 1, fd, &e), -E_EXIST);
	CHECK_EQ(sys_epoll_wait(p, ep, got, 4, 0), 0);
	env_spawn(p, add_later, (void *)(intptr_t)fd);
	CHECK_EQ(sys_epoll_wait(p, ep, got, 4, -1), 1);
	CHECK(got[0].events == POLL_READ_ && got[0].data == 77);
	CHECK_EQ(sys_read(p, fd, &n, 8), 8);
	CHECK_EQ((int64_t)n, 2);
	CHECK_EQ(sys_epoll_wait(p, ep, got, 4, 1000), 0);
	CHECK_EQ(sys_close(p, fd), 0);
	CHECK_EQ(sys_epoll_wait(p, ep, got, 4, 0), 0);
	CHECK_EQ(sys_socketpair(p, SOCKET_STREAM, pair, O_NONBLOCK_), 0);
	CHECK_EQ(sys_write(p, pair[0], "ab", 2), 2);
	CHECK_EQ(sys_read(p, pair[1], &n, 8), 2);
	CHECK_EQ(sys_read(p, pair[1], &n, 8), -E_AGAIN);
	CHECK_EQ(sys_shutdown(p, pair[0], 1), 0);
	CHECK_EQ(sys_read(p, pair[1], &n, 8), 0);
	CHECK_EQ(sys_write(p, pair[1], "c", 1), 1);
	CHECK_EQ(sys_read(p, pair[0], &n, 8), 1);
	CHECK_EQ(sys_close(p, pair[0]), 0);
	sys_sigaction(p, SIGPIPE_, SIG_IGNORED);
	CHECK_EQ(sys_write(p, pair[1], "c", 1), -E_PIPE);
	return 0;
}

TEST(events)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(events, NULL), 0);
	env_close();
}

/* --- files --- */

static int pages(struct proc *p, void *arg)
{
	static char data[8192];
	struct vfs_page *page;
	struct file *f;
	int fd = (int)sys_open(p, AT_FDCWD_, "/big", O_CREAT_ | O_RDWR_, 0644);

	(void)arg;
	memset(data, 'a', sizeof data);
	CHECK_EQ(sys_write(p, fd, data, sizeof data), (int64_t)sizeof data);
	f = sys_file(p, fd);
	CHECK_EQ(sys_file_page(p, f, 2, true, &page), -E_NODATA);
	CHECK_EQ(sys_file_page(p, f, 1, true, &page), 0);
	/* Who writes to the file does not change the page that is held. */
	CHECK_EQ(sys_pwrite(p, fd, "xyz", 3, 4096), 3);
	CHECK(memcmp(vfs_page_bytes(page), "aaa", 3) == 0);
	vfs_page_put(&env.store, page);
	CHECK_EQ(sys_file_page(p, f, 1, true, &page), 0);
	CHECK(memcmp(vfs_page_bytes(page), "xyz", 3) == 0);
	vfs_page_put(&env.store, page);
	file_put(f);
	return 0;
}

TEST(pages_are_held)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(pages, NULL), 0);
	env_close();
}

static int list(void *user, uint64_t id, int (*emit)(void *, const struct vfs_source_entry *),
		void *sink)
{
	static const struct vfs_source_entry root[] = {
		{ .name = "usr", .id = 1, .mode = S_DIR | 0755 },
		{ .name = "own", .id = 2, .mode = S_REG | 0644, .size = 3 },
	};
	static const struct vfs_source_entry usr[] = {
		{ .name = "a", .id = 3, .mode = S_REG | 0644, .size = 3 },
		{ .name = "b", .id = 4, .mode = S_REG | 0644, .size = 3 },
	};

	(void)user;
	for (int i = 0; i < 2; i++)
		if (emit(sink, id == 0 ? &root[i] : &usr[i]) != 0)
			break;
	return 0;
}

static int64_t read_source(void *user, uint64_t id, uint64_t pos, void *out, size_t n)
{
	(void)user;
	(void)id;
	n = pos >= 3 ? 0 : n < 3 ? n : 3;
	memcpy(out, "new", n);
	return (int64_t)n;
}

static int merged(struct proc *p, void *arg)
{
	static const struct vfs_source source = { .list = list, .read = read_source };
	struct vfs_stat st;
	char buf[8];
	int fd;

	(void)arg;
	CHECK_EQ(sys_mkdir(p, AT_FDCWD_, "/usr", 0755), 0);
	fd = (int)sys_open(p, AT_FDCWD_, "/usr/a", O_CREAT_ | O_WRONLY_, 0644);
	CHECK_EQ(sys_write(p, fd, "old", 3), 3);
	CHECK_EQ(vfs_mount_source(kernel_vfs(p->k), "/", &source, 0, NULL), -E_NOTEMPTY);
	CHECK_EQ(vfs_merge_source(kernel_vfs(p->k), "/", &source, 0, NULL), 0);
	fd = (int)sys_open(p, AT_FDCWD_, "/usr/a", O_RDONLY_, 0);
	CHECK(sys_read(p, fd, buf, 8) == 3 && memcmp(buf, "old", 3) == 0);
	fd = (int)sys_open(p, AT_FDCWD_, "/usr/b", O_RDONLY_, 0);
	CHECK(sys_read(p, fd, buf, 8) == 3 && memcmp(buf, "new", 3) == 0);
	CHECK_EQ(sys_stat(p, AT_FDCWD_, "/own", 0, &st), 0);
	return 0;
}

TEST(merged_sources)
{
	if (!env_open())
		return;
	CHECK_EQ(env_run(merged, NULL), 0);
	env_close();
}

int main(void)
{
	RUN(threads);
	RUN(threads_in_proc);
	RUN(groups_end_together);
	RUN(events);
	RUN(pages_are_held);
	RUN(merged_sources);
	return check_end();
}
