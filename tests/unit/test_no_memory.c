/* SPDX-License-Identifier: MIT
 *
 * Every public function with the n-th allocation failing, for every n; once alone, once with
 * all after it failing too. Nothing may trap, the session stays usable and gives back all.
 */
#include "api/private.h"
#include "cowsh_analyze.h"

#include <sys/mman.h>

#include "tests/unit/check.h"

enum { TRIES_MAX = 20000, REGION_BYTES = 64 << 20 };

static cowsh_store *store;

/* What each function is tried on: a session with state worth losing. */
struct world {
	cowsh *s;
	cowsh_snapshot *before;
};

static int on_output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	(void)fd;
	(void)data;
	(void)len;
	return 0;
}

static const struct cowsh_host host = { .size = sizeof host, .output = on_output };

static int list_one(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		    void *sink)
{
	const struct cowsh_entry e = { .name = "file", .id = id + 1, .mode = 0100644, .size = 3 };

	(void)user;
	return emit(sink, &e);
}

static int64_t read_one(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	(void)user;
	(void)id;
	if (pos >= 3)
		return 0;
	len = len < 3 - pos ? len : 3 - pos;
	memcpy(into, &"abc"[pos], len);
	return (int64_t)len;
}

static const struct cowsh_source source = { .size = sizeof source,
					    .list = list_one,
					    .read = read_one };

static int run_text(cowsh *s, const char *text)
{
	struct cowsh_result r;
	int err = cowsh_run(s, text, strlen(text), &r);

	return err != 0 ? err : r.limit >= 0 ? -COWSH_ENOMEM : 0;
}

static int command(void *user, cowsh_call *call)
{
	static char big[20000];

	(void)user;
	return cowsh_call_write(call, 1, big, sizeof big) < 0 ? 9 : 0;
}

static int ignore_name(void *user, const char *name, unsigned mode)
{
	(void)user;
	(void)name;
	(void)mode;
	return 0;
}

static int ignore_change(void *user, const struct cowsh_change *change)
{
	(void)user;
	(void)change;
	return 0;
}

/* --- what is tried; each gives 0 or a negative error --- */

static int try_new(struct world *w)
{
	struct cowsh_mount_config mount = { "/mnt/a", &source, 0, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	const char *env[] = { "A=b", NULL };
	cowsh *s;
	int err;

	(void)w;
	config.env = env;
	config.user = "somebody";
	config.mounts = &mount;
	config.nmounts = 1;
	err = cowsh_new(store, &config, &host, &s);
	if (err == 0)
		cowsh_free(s);
	return err;
}

static int try_fork(struct world *w)
{
	cowsh *s;
	int err = cowsh_fork(w->s, &host, &s);

	if (err != 0)
		return err;
	err = run_text(s, "f; echo ${a[@]}");
	cowsh_free(s);
	return err;
}

static int try_run(struct world *w)
{
	return run_text(w->s, "x=$(echo a | tr a b); { echo $x > /tmp/x; } 2> /dev/null; "
			      "g() { local y=1; echo $y | cat; }; g; cd /; cd - > /dev/null");
}

static int try_program(struct world *w)
{
	const char *argv[] = { "bash", "-c", "seq 10 | sort -r | head -n 2 > /tmp/p" };
	struct cowsh_result r;
	int state = cowsh_start_program(w->s, 3, argv);

	if (state < 0)
		return state;
	while (cowsh_step(w->s, 100) == COWSH_SLICE)
		;
	cowsh_get_result(w->s, &r);
	return r.limit >= 0 || r.status != 0 ? -COWSH_ENOMEM : 0;
}

static int try_incomplete(struct world *w)
{
	return cowsh_incomplete(w->s, "if true; then echo $(cat <<E\n", 29) ? 0 : -COWSH_ENOMEM;
}

static int try_put(struct world *w)
{
	static char big[100000];
	int err = cowsh_put_file(w->s, "/tmp/new/dir/file", big, sizeof big, 0600);

	return err != 0 ? err : cowsh_put_file(w->s, "relative", "x", 1, 0600);
}

static int try_get(struct world *w)
{
	char *data;
	size_t len;
	int err = cowsh_get_file(w->s, "/tmp/kept", &data, &len);

	if (err == 0)
		cowsh_bytes_free(w->s, data, len);
	return err;
}

static int try_directory(struct world *w)
{
	return cowsh_make_directory(w->s, "/tmp/d/e/f", 0755);
}

static int try_remove(struct world *w)
{
	int err = cowsh_remove(w->s, "/tmp/tree");

	return err == -COWSH_ENOENT ? 0 : err;
}

static int try_stat(struct world *w)
{
	struct cowsh_stat st;
	int err = cowsh_mount(w->s, "/mnt/lazy", &source, 0, false);

	return err != 0 ? err : cowsh_stat_file(w->s, "/mnt/lazy/file", &st);
}

static int try_list(struct world *w)
{
	return cowsh_list(w->s, "/usr/bin", ignore_name, NULL);
}

static int try_mount(struct world *w)
{
	int err = cowsh_mount(w->s, "/mnt/x/y", &source, 0, true);

	return err != 0 ? err : cowsh_put_lazy(w->s, "/mnt/x.txt", &source, 5, 3, 0644);
}

static int try_snapshot(struct world *w)
{
	cowsh_snapshot *snapshot;
	int err = cowsh_snapshot_new(w->s, &snapshot);

	if (err != 0)
		return err;
	err = cowsh_restore(w->s, snapshot);
	cowsh_snapshot_free(snapshot);
	return err;
}

static int try_diff(struct world *w)
{
	return cowsh_diff(w->s, w->before, ignore_change, NULL);
}

static int count_bytes(void *user, const char *data, size_t len)
{
	(void)data;
	*(size_t *)user += len;
	return 0;
}

/* What is told to be complete is complete. */
static int try_form(struct world *w, int form, size_t *whole)
{
	size_t got = 0;
	struct cowsh_export what = { .size = sizeof what,
				     .form = form,
				     .since = w->before,
				     .write = count_bytes,
				     .user = &got };
	int err = cowsh_export_changes(w->s, &what);

	if (err == 0 && *whole == 0)
		*whole = got;
	return err != 0 ? err : got == *whole ? 0 : 1;
}

static int try_unified(struct world *w)
{
	static size_t whole;

	return try_form(w, COWSH_FORM_UNIFIED, &whole);
}

static int try_git(struct world *w)
{
	static size_t whole;

	return try_form(w, COWSH_FORM_GIT, &whole);
}

static int try_archive(struct world *w)
{
	static size_t whole;

	return try_form(w, COWSH_FORM_TAR, &whole);
}

static int ignore_finding(void *user, const struct cowsh_finding *finding)
{
	(void)user;
	(void)finding;
	return 0;
}

static int try_analyze(struct world *w)
{
	static const char script[] = "f() { cp a \"$(cat b)\"; }; eval 'x=1 env sort -o y z'; f "
				     "| xargs rm {a,b}; [[ $x ]] && for i in *; do g; done < in";

	return cowsh_analyze(w->s, script, sizeof script - 1, ignore_finding, NULL);
}

static int try_variable(struct world *w)
{
	static const char *const names[] = { "a",        "ref",           "circle",
					     "RANDOM",   "BASH_VERSINFO", "DIRSTACK",
					     "FUNCNAME", "PIPESTATUS",    "GROUPS" };
	const char *value;
	size_t len;
	int worst = 0;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int err = cowsh_get_variable(w->s, names[i], &value, &len);

		if (err == -COWSH_ENOMEM)
			worst = err;
	}
	return worst;
}

static int try_command(struct world *w)
{
	static const struct cowsh_command big = { sizeof big, "big", true, command, NULL };
	int err = cowsh_add_command(w->s, &big);

	return err != 0
		       ? err
		       : run_text(w->s, "echo a | big | wc -c > /tmp/n; [ $(cat /tmp/n) = 20000 ]");
}

/* --- the harness --- */

static bool make_world(struct world *w)
{
	static const char setup[] =
		"a=(1 2 3); declare -n ref='a[$(echo 1)]'; declare -n circle=circle; f() { :; }; "
		"mkdir -p /tmp/tree/a/b; echo kept > /tmp/kept; echo 1 > /tmp/tree/a/b/c; "
		"trap 'echo bye' USR1; shopt -s extglob; pushd /tmp > /dev/null; alias l=ls; "
		"exec 7> /tmp/seven; set -- x y";

	w->before = NULL;
	return cowsh_new(store, NULL, &host, &w->s) == 0 &&
	       cowsh_snapshot_new(w->s, &w->before) == 0 && run_text(w->s, setup) == 0;
}

static void free_world(struct world *w)
{
	cowsh_snapshot_free(w->before);
	cowsh_free(w->s);
}

/* What the session had before is there, and it works. */
static void check_world(const struct world *w)
{
	static const char test[] =
		"[ \"${a[*]}\" = '1 2 3' ] && [ \"$(cat /tmp/kept)\" = kept ] && "
		"[ \"$#\" = 2 ] && f && [ -e /tmp/seven ]";
	struct cowsh_result r = { .status = -1 };

	CHECK_EQ(cowsh_run(w->s, test, sizeof test - 1, &r), 0);
	CHECK_EQ(r.status, 0);
	CHECK_EQ(r.limit, -1);
}

/* Whether the n-th allocation was reached. */
static bool survives(int (*fn)(struct world *), uint64_t n, bool on)
{
	struct world w;
	bool reached;
	int err;

	if (!CHECK(make_world(&w)))
		return false;
	store->store.fail_at = n;
	store->store.fail_on = on;
	err = fn(&w);
	reached = store->store.fail_at == 0 || (on && store->store.fail_at == 1);
	store->store.fail_at = 0;
	CHECK(err <= 0);
	if (!reached)
		CHECK_EQ(err, 0);
	check_world(&w);
	free_world(&w);
	return reached;
}

static void try_all(int (*fn)(struct world *))
{
	struct world w;
	size_t used;

	/* The store keeps one slab of each class. */
	if (!CHECK(make_world(&w)))
		return;
	fn(&w);
	free_world(&w);
	used = cowsh_store_used(store);
	for (int on = 0; on < 2 && !check_bad; on++) {
		uint64_t n = 1;

		while (n < TRIES_MAX && !check_bad && survives(fn, n, on != 0))
			n++;
		CHECK(n < TRIES_MAX);
		if (check_bad)
			printf("at allocation %d%s\n", (int)n, on != 0 ? " and after" : "");
	}
	CHECK(cowsh_store_used(store) <= used + 40 * 4 * PAGE_BYTES);
}

#define TRY(name)                                                                                  \
	TEST(name)                                                                                 \
	{                                                                                          \
		try_all(try_##name);                                                               \
	}
TRY(new)
TRY(fork)
TRY(run)
TRY(program)
TRY(incomplete)
TRY(put)
TRY(get)
TRY(directory)
TRY(remove)
TRY(stat)
TRY(list)
TRY(mount)
TRY(snapshot)
TRY(diff)
TRY(unified)
TRY(git)
TRY(archive)
TRY(analyze)
TRY(variable)
TRY(command)

/* A store of every size from the least on: making, running, forking. */
TEST(tiny_stores)
{
	void *region = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	for (size_t size = 4096; size < (4u << 20); size += size < (2u << 20) ? 32768 : 200000) {
		struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
		cowsh_store *tiny;
		cowsh *s;
		cowsh *copy;

		config.region = region;
		config.region_size = size;
		if (cowsh_store_new(&config, &tiny) < 0)
			continue;
		if (cowsh_new(tiny, NULL, &host, &s) == 0) {
			run_text(s, "x=$(seq 1000); f() { f; }; f; echo $x | sort | wc");
			for (int i = 0; i < 100; i++) {
				char name[32];

				snprintf(name, sizeof name, "/tmp/d%d/f", i);
				cowsh_put_file(s, name, region, 5000, 0644);
			}
			if (cowsh_fork(s, &host, &copy) == 0) {
				run_text(copy, "while :; do x+=xxxxxxxxxxxxxxxxxxxxxx; done");
				CHECK(run_text(copy, ":") == 0 || size < (2u << 20));
				cowsh_free(copy);
			}
			cowsh_free(s);
		}
		cowsh_store_free(tiny);
	}
	munmap(region, REGION_BYTES);
}

int main(void)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;

	config.region_size = REGION_BYTES;
	config.region = mmap(NULL, config.region_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (config.region == MAP_FAILED || cowsh_store_new(&config, &store) < 0)
		return 1;
	RUN(new);
	RUN(fork);
	RUN(run);
	RUN(program);
	RUN(incomplete);
	RUN(put);
	RUN(get);
	RUN(directory);
	RUN(remove);
	RUN(stat);
	RUN(list);
	RUN(mount);
	RUN(snapshot);
	RUN(diff);
	RUN(unified);
	RUN(git);
	RUN(archive);
	RUN(analyze);
	RUN(variable);
	RUN(command);
	RUN(tiny_stores);
	return check_end();
}
