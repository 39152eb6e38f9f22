/* SPDX-License-Identifier: MIT
 *
 * Sessions of one store on threads of the host at once: forks of one session, snapshots that are
 * restored, an image that all of them mount, sessions that are saved and loaded. What each sees
 * is its own. Meant to be run with the thread sanitizer, too.
 */
#include <pthread.h>
#include <stdio.h>

#include "cowsh_image.h"
#include "tests/unit/session.h"

enum { THREADS = 4, ROUNDS = 12, FILE_BYTES = 8 << 20 };

struct file {
	char *bytes;
	size_t len;
};

static cowsh_store *store;
static cowsh_image *image;     /* mounted, and loaded, by all */
static cowsh_snapshot *common; /* the files of the first session */

struct worker {
	cowsh *s; /* a fork of the first session, this thread's from now on */
	unsigned number;
	int failed;
};

static int put_bytes(void *user, const void *data, size_t len)
{
	struct file *f = user;

	if (f->len + len > FILE_BYTES)
		return -COWSH_ENOSPC;
	memcpy(f->bytes + f->len, data, len);
	f->len += len;
	return 0;
}

static int save(cowsh *s, struct file *f)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;

	f->bytes = aligned_alloc(4096, FILE_BYTES);
	f->len = 0;
	sink.write = put_bytes;
	sink.user = f;
	return cowsh_save(s, &sink, NULL, NULL, NULL);
}

/* The script ends with status 0. */
static void must(struct worker *w, cowsh *s, const char *script)
{
	struct cowsh_result r = { .status = -1 };

	if (s == NULL || cowsh_run(s, script, strlen(script), &r) != 0 || r.status != 0)
		w->failed++;
}

static void run_numbered(struct worker *w, cowsh *s, const char *format)
{
	char script[512];

	snprintf(script, sizeof script, format, w->number, w->number, w->number);
	must(w, s, script);
}

static void work_on_fork(struct worker *w)
{
	cowsh_snapshot *before = NULL;
	cowsh *fork = NULL;

	run_numbered(w, w->s,
		     "echo %u > own; for i in {1..20}; do echo %u >> d/$i; rm -f d/1$i; "
		     "done; sort d/* | uniq -c > counts; grep -q %u own");
	w->failed += cowsh_snapshot_new(w->s, &before) != 0;
	w->failed += cowsh_fork(w->s, NULL, &fork) != 0;
	run_numbered(w, fork, "[ $(< own) = %u ] && rm -r d && mkdir d && echo %u > d/%u");
	must(w, w->s, "rm own counts; head -c 200000 /dev/urandom > big; gzip -k big; rm big");
	w->failed += before != NULL && cowsh_restore(w->s, before) != 0;
	run_numbered(w, w->s, "[ $(< own) = %u ] && [ ! -e big.gz ] && [ -e counts ]");
	cowsh_free(fork);
	cowsh_snapshot_free(before);
	w->failed += cowsh_restore(w->s, common) != 0;
	must(w, w->s, "[ $(ls d | wc -l) = 200 ] && [ ! -e own ] && [ $(< d/7) = common ]");
}

static void work_on_image(struct worker *w)
{
	struct file f;
	cowsh_image *mine = NULL;
	cowsh *s = NULL;

	w->failed += cowsh_load(store, NULL, NULL, image, &s) != 0;
	run_numbered(w, s,
		     "[ $x = 1 ] && [ $(cat d/* | sort -u) = common ] && echo %u >> d/3 && "
		     "cksum large > sum && echo %u%u > /tmp/t");
	if (s != NULL && save(s, &f) == 0) {
		cowsh *again = NULL;

		cowsh_free(s);
		w->failed += cowsh_image_open(store, f.bytes, f.len, NULL, &mine, NULL) != 0;
		w->failed += mine != NULL && cowsh_load(store, NULL, NULL, mine, &again) != 0;
		run_numbered(w, again,
			     "tail -n 1 d/3 | grep -qx %u && cksum large | cmp - sum && "
			     "[ $(< /tmp/t) = %u%u ]");
		cowsh_free(again);
		cowsh_image_close(mine);
		free(f.bytes);
	} else {
		w->failed++;
	}
}

static void mount(struct worker *w)
{
	cowsh *s = NULL;
	char path[32];

	w->failed += cowsh_fork(w->s, NULL, &s) != 0;
	snprintf(path, sizeof path, "/mnt%u", w->number);
	w->failed += s != NULL && cowsh_mount_image(s, path, image, w->number % 2 != 0) != 0;
	run_numbered(w, s,
		     "cd /mnt%u/home/* && cat d/* | sort -u | grep -qx common && "
		     "tail -c 1000 large | cksum > /tmp/%u && cmp d/1 d/2 && [ -s /tmp/%u ]");
	cowsh_free(s);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < ROUNDS; i++) {
		work_on_fork(w);
		work_on_image(w);
		mount(w);
	}
	cowsh_free(w->s);
	return NULL;
}

TEST(sessions_on_threads)
{
	pthread_t thread[THREADS];
	struct worker w[THREADS];
	struct file f;
	cowsh *s = NULL;
	size_t before;

	store = new_store((size_t)512 << 20);
	CHECK_EQ(cowsh_new(store, NULL, NULL, &s), 0);
	CHECK_EQ(run(s, "x=1; mkdir d; for i in {1..200}; do echo common > d/$i; done;"
			"seq 100000 > large")
			 .status,
		 0);
	CHECK_EQ(save(s, &f), 0);
	CHECK_EQ(cowsh_image_open(store, f.bytes, f.len, NULL, &image, NULL), 0);
	CHECK_EQ(cowsh_snapshot_new(s, &common), 0);
	before = cowsh_store_used(store);
	for (unsigned i = 0; i < THREADS; i++) {
		w[i] = (struct worker){ .number = i };
		CHECK_EQ(cowsh_fork(s, NULL, &w[i].s), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&thread[i], NULL, work, &w[i]), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK_EQ(w[i].failed, 0);
	}
	CHECK_EQ(run(s, "[ $(cat d/* | sort -u) = common ]").status, 0);
	/* What the image has read stays. */
	CHECK(cowsh_store_used(store) < before + (4 << 20));
	cowsh_free(s);
	cowsh_snapshot_free(common);
	cowsh_image_close(image);
	free(f.bytes);
	cowsh_store_free(store);
}

int main(void)
{
	RUN(sessions_on_threads);
	return check_end();
}
