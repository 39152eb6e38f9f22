/* SPDX-License-Identifier: MIT
 *
 * The broker, spoken to by a runner that somebody has taken over: messages of all kinds, out of
 * order, with lengths, numbers and paths that lie, cut off anywhere. It must come to its end by
 * itself, never by a signal, and nothing outside of the mounted directory may change; nor inside,
 * where it may only read.
 */
#include "tests/unit/check.h"

/* In this order none hides a name of another. */
#include "cli/lock.c"

#include "cli/apply_host.c"

#include "cli/whole.c"

#include "cli/broker.c"

#include <ftw.h>
#include <stdarg.h>
#include <sys/wait.h>

enum { TALKS = 500, TALK_BYTES_MAX = 48000, SECRET_TIME = 1000000000 };

static char talk[TALK_BYTES_MAX + (1 << 17)];
static size_t talk_len;
static uint64_t random_state = 1;

void fatal(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	_exit(2);
}

static uint64_t any(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

/* --- the host's side --- */

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode) < 0)
		abort();
	close(fd);
}

static int open_up(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)at;
	if (type == FTW_D || type == FTW_DNR)
		(void)chmod(path, 0700);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void remove_all(const char *path)
{
	(void)nftw(path, open_up, 16, FTW_PHYS);
	(void)nftw(path, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

static void fresh(void)
{
	struct timespec times[2] = { { SECRET_TIME, 0 }, { SECRET_TIME, 0 } };

	remove_all("root");
	remove_all("outside");
	if (mkdir("root", 0755) < 0 || mkdir("outside", 0755) < 0 || mkdir("root/d", 0755) < 0 ||
	    mkdir("root/e", 0755) < 0)
		abort();
	put_file("outside/secret", "secret", 0600);
	put_file("root/f", "file", 0644);
	put_file("root/d/x", "deep", 0644);
	if (symlink("../outside", "root/link") < 0 || link("outside/secret", "root/hard") < 0 ||
	    utimensat(AT_FDCWD, "outside/secret", times, 0) < 0)
		abort();
}

static int names_in(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n - 2;
}

static bool has_text(const char *path, const char *text)
{
	char got[16] = "";
	int fd = open(path, O_RDONLY | O_NOFOLLOW);
	ssize_t n = fd >= 0 ? read(fd, got, sizeof got - 1) : -1;

	close(fd);
	return n >= 0 && strcmp(got, text) == 0;
}

static void check_outside(void)
{
	struct stat st;

	CHECK(stat("outside/secret", &st) == 0 && (st.st_mode & 07777) == 0600 &&
	      st.st_mtime == SECRET_TIME && st.st_uid == geteuid());
	CHECK(has_text("outside/secret", "secret"));
	CHECK_EQ(names_in("outside"), 1);
	CHECK_EQ(names_in("."), 2);
	CHECK(stat("outside", &st) == 0 && (st.st_mode & 07777) == 0755);
}

static void check_inside(void)
{
	struct stat st;

	CHECK_EQ(names_in("root"), 5);
	CHECK_EQ(names_in("root/d"), 1);
	CHECK(has_text("root/f", "file") && has_text("root/d/x", "deep"));
	CHECK(stat("root/f", &st) == 0 && (st.st_mode & 07777) == 0644);
}

/* --- the runner's side --- */

static void say(const void *data, size_t len)
{
	memcpy(talk + talk_len, data, len);
	talk_len += len;
}

static uint64_t some_number(void)
{
	static const uint64_t odd[] = { 0,
					1,
					255,
					4096,
					BROKER_CHUNK,
					BROKER_CHUNK + 1,
					(uint64_t)1 << 26,
					UINT32_MAX,
					(uint64_t)1 << 40,
					INT64_MAX,
					(uint64_t)INT64_MAX + 1,
					UINT64_MAX };

	return any(3) == 0 ? odd[any(sizeof odd / sizeof *odd)] : any(24);
}

static void ask(uint64_t op, uint64_t id, uint64_t pos, uint64_t len)
{
	struct broker_request r = { op, id, pos, len };

	say(&r, sizeof r);
}

/* It has seen what is there. */
static void see(struct broker_change *c, const char *path)
{
	char below[256];
	struct stat st;

	snprintf(below, sizeof below, "root/%s", path);
	if (lstat(below, &st) < 0)
		return;
	c->old_mode = st.st_mode;
	c->old_size = (uint64_t)st.st_size;
	c->old_mtime_ns = mtime_of(&st);
}

static void say_change(void)
{
	static const char *const paths[] = { "f",
					     "d/x",
					     "d",
					     "e",
					     "link",
					     "hard",
					     "new",
					     "new/x",
					     "d/new",
					     "e/new",
					     "link/secret",
					     "link/new",
					     "..",
					     ".",
					     "",
					     "/",
					     "/etc/passwd",
					     "../outside/secret",
					     "d/../../outside/secret",
					     "d//x",
					     "d/./x",
					     "d/",
					     "../root/f" };
	static const char *const targets[] = { "", "x", "/etc", "../outside/secret", "../outside" };
	static const uint32_t modes[] = { 0,       0,       0100644, 0100644, 0104755, 0106777,
					  0040755, 0040000, 0120777, 0020666, 0010644, 0777 };
	static const char kinds[] = "+-MmmT";
	static char waste[1 << 17];
	const char *path = paths[any(sizeof paths / sizeof *paths)];
	const char *target = targets[any(sizeof targets / sizeof *targets)];
	struct broker_change c = { .kind = (unsigned char)kinds[any(sizeof kinds)],
				   .mode = modes[any(sizeof modes / sizeof *modes)],
				   .mtime_ns = (int64_t)some_number(),
				   .uid = any(3) == 0 ? 5 : BROKER_NOBODY,
				   .gid = any(3) == 0 ? 5 : BROKER_NOBODY,
				   .path_len = (uint32_t)strlen(path),
				   .target_len = (uint32_t)strlen(target) };
	bool lies = any(12) == 0;

	if (any(12) != 0)
		see(&c, path);
	memset(waste, 'w', sizeof waste);
	if (lies)
		c.path_len = (uint32_t)any(BROKER_PATH_MAX + 10);
	if (any(30) == 0)
		c.target_len = (uint32_t)some_number();
	ask(BROKER_APPLY, any(8) == 0 ? some_number() : 0, 0, 0);
	say(&c, sizeof c);
	say(lies ? waste : path, c.path_len < 70000 ? c.path_len : 0);
	say(c.target_len == strlen(target) ? target : waste,
	    c.target_len < 10000 ? c.target_len : 0);
}

static void say_something(void)
{
	static const char bytes[64] = "written";
	uint64_t len;

	switch (any(10)) {
	case 0: ask(BROKER_READ, some_number(), some_number(), some_number()); break;
	case 1: ask(BROKER_LIST, some_number(), 0, 0); break;
	case 2: ask(BROKER_SEEK, some_number(), some_number(), some_number()); break;
	case 3:
		len = any(15) == 0 ? some_number() : any(sizeof bytes);
		ask(BROKER_DATA, 0, some_number(), len);
		say(bytes, len < sizeof bytes ? (size_t)len : 0);
		break;
	case 4: ask(BROKER_END, 0, some_number(), any(4) == 0); break;
	case 5:
		if (any(4) == 0)
			ask(BROKER_FINISH, 0, 0, 0);
		break;
	case 6:
		if (any(20) == 0)
			ask(some_number(), some_number(), some_number(), some_number());
		break;
	default:
		say_change();
		if (any(2) == 0) {
			ask(BROKER_DATA, 0, any(100), sizeof bytes);
			say(bytes, sizeof bytes);
		}
		if (any(3) != 0)
			ask(BROKER_END, 0, any(2) == 0 ? sizeof bytes : some_number(), 0);
	}
}

/* Most talks begin by looking around: what was not listed can't be changed. */
static void make_talk(void)
{
	talk_len = 0;
	for (uint64_t id = 0; id < 6 && any(10) != 0; id++)
		ask(BROKER_LIST, id, 0, 0);
	for (uint64_t n = any(12); n != 0 && talk_len < TALK_BYTES_MAX; n--)
		say_something();
	if (any(2) == 0)
		ask(BROKER_FINISH, 0, 0, 0);
	if (talk_len > TALK_BYTES_MAX)
		talk_len = TALK_BYTES_MAX;
	if (any(8) == 0 && talk_len != 0)
		talk_len -= any(talk_len);
}

/* Says it all, hears it all, and waits for the end. */
static void hold_talk(enum broker_rights rights, bool lock, bool writable)
{
	char answer[4096];
	int root = open("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fds[2];
	int status = -1;

	broker_start(&root, &writable, 1, rights, lock, fds);
	close(root);
	CHECK_EQ(write(fds[0], talk, talk_len), talk_len);
	close(fds[0]);
	while (read(fds[1], answer, sizeof answer) > 0)
		;
	close(fds[1]);
	CHECK(wait(&status) > 0);
	CHECK_EQ(status, 0);
}

static void hold_talks(enum broker_rights rights)
{
	for (int i = 0; i < TALKS && !check_bad; i++) {
		fresh();
		make_talk();
		hold_talk(rights, i % 2 == 0, any(6) != 0);
		check_outside();
		if (rights < BROKER_WRITES)
			check_inside();
	}
}

TEST(one_that_only_reads)
{
	hold_talks(BROKER_READS);
}

TEST(one_that_rehearses)
{
	hold_talks(BROKER_REHEARSES);
}

TEST(one_that_writes)
{
	hold_talks(BROKER_WRITES);
}

TEST(one_that_sets_owners)
{
	hold_talks(BROKER_WRITES_OWNERS);
}

/* "Only its mode has changed", it says of a set-id program with two names, whose content it gives.
 */
TEST(one_that_makes_set_id_programs)
{
	static const char bytes[] = "attack";
	struct broker_change c = { .kind = 'm',
				   .mode = 0104755,
				   .uid = BROKER_NOBODY,
				   .gid = BROKER_NOBODY,
				   .path_len = 3 };
	struct stat st;

	for (int i = 0; i < 12; i++) {
		fresh();
		put_file("root/set", "program", 04755);
		if (link("root/set", "root/again") < 0)
			abort();
		see(&c, "set");
		talk_len = 0;
		ask(BROKER_LIST, 0, 0, 0);
		ask(BROKER_APPLY, 0, 0, 0);
		say(&c, sizeof c);
		say("set", 3);
		ask(BROKER_DATA, 0, 0, sizeof bytes - 1);
		say(bytes, sizeof bytes - 1);
		ask(BROKER_END, 0, sizeof bytes - 1, 0);
		hold_talk(BROKER_WRITES, i % 2 == 0, true);
		CHECK(stat("root/set", &st) == 0);
		CHECK(has_text("root/set", "program") || (st.st_mode & 06000) == 0);
	}
}

/* A file in the place of a directory, and a removal, wait for the end: how it comes. */
TEST(one_that_breaks_off)
{
	for (int i = 0; i < 8; i++) {
		bool whole = i / 2 == 0;

		fresh();
		talk_len = 0;
		ask(BROKER_LIST, 0, 0, 0);
		for (int k = 0; k < 3; k++) {
			static const char *const which[] = { "e", "f", "n" };
			struct broker_change c = { .kind = k == 2 ? '+' : 'M',
						   .mode = k == 1 ? 0 : 0100644,
						   .uid = BROKER_NOBODY,
						   .gid = BROKER_NOBODY,
						   .path_len = 1 };

			see(&c, which[k]);
			ask(BROKER_APPLY, 0, 0, 0);
			say(&c, sizeof c);
			say(which[k], 1);
			if (k != 1 && !(k == 2 && i / 2 == 3))
				ask(BROKER_END, 0, 0, 0);
		}
		if (i / 2 < 2)
			ask(BROKER_FINISH, 0, 0, !whole);
		hold_talk(BROKER_WRITES, i % 2 == 0, true);
		CHECK_EQ(has_text("root/e", ""), whole);
		CHECK_EQ(has_text("root/f", "file"), !whole);
		CHECK_EQ(has_text("root/n", ""), i / 2 < 3);
		CHECK_EQ(names_in("root"), whole || i / 2 == 3 ? 5 : 6);
	}
}

/* A list and, behind it, so many answers. */
static void hear(int fd, int answers)
{
	struct broker_reply reply;
	struct broker_record r;
	char text[BROKER_TARGET_MAX];

	CHECK(read_exactly(fd, &reply, sizeof reply));
	do {
		CHECK(read_exactly(fd, &r, sizeof r) && read_exactly(fd, text, r.name_len) &&
		      read_exactly(fd, text, r.target_len));
	} while (r.name_len != 0 && !check_bad);
	while (answers-- > 0)
		CHECK(read_exactly(fd, &reply, sizeof reply) && reply.result >= 0);
}

/* Then nobody hears it any more: no name of what was begun stays. */
TEST(one_that_hears_nothing)
{
	for (int i = 0; i < 4; i++) {
		bool directory = i / 2 == 0;
		struct broker_change c = { .kind = 'M',
					   .mode = 0100644,
					   .uid = BROKER_NOBODY,
					   .gid = BROKER_NOBODY,
					   .path_len = 1 };
		const char *name = directory ? "e" : "f";
		const bool writable = true;
		int root, fds[2];
		int status = -1;

		fresh();
		see(&c, name);
		talk_len = 0;
		ask(BROKER_LIST, 0, 0, 0);
		ask(BROKER_APPLY, 0, 0, 0);
		say(&c, sizeof c);
		say(name, 1);
		if (directory)
			ask(BROKER_END, 0, 0, 0);
		root = open("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		broker_start(&root, &writable, 1, BROKER_WRITES, i % 2 == 0, fds);
		close(root);
		CHECK_EQ(write(fds[0], talk, talk_len), talk_len);
		hear(fds[1], directory ? 2 : 1);
		CHECK_EQ(names_in("root"), 6);
		close(fds[1]);
		talk_len = 0;
		ask(BROKER_SEEK, 0, 0, 0);
		CHECK_EQ(write(fds[0], talk, talk_len), talk_len);
		CHECK(wait(&status) > 0);
		close(fds[0]);
		CHECK_EQ(status, 0);
		CHECK_EQ(names_in("root"), 5);
	}
}

int main(void)
{
	char dir[] = "/tmp/cowsh-broker-XXXXXX";

	signal(SIGPIPE, SIG_IGN);
	if (mkdtemp(dir) == NULL || chdir(dir) < 0)
		return 2;
	RUN(one_that_only_reads);
	RUN(one_that_rehearses);
	RUN(one_that_writes);
	RUN(one_that_sets_owners);
	RUN(one_that_makes_set_id_programs);
	RUN(one_that_breaks_off);
	RUN(one_that_hears_nothing);
	remove_all(dir);
	return check_end();
}
