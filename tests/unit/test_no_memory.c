/* SPDX-License-Identifier: MIT
 *
 * Every public function with the n-th allocation failing, for every n; once alone, once with
 * all after it failing too. Nothing may trap, the session stays usable and gives back all.
 */
#include "api/private.h"
#include "cowsh_analyze.h"
#include "cowsh_image.h"
#include "cowsh_journal.h"
#include "cowsh_watch.h"

#include <sys/mman.h>

#include "tests/unit/session.h"

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

/* --- watching --- */

static int ignore_process(void *user, const struct cowsh_process *process)
{
	(void)user;
	(void)process;
	return 0;
}

static int ignore_variable(void *user, const struct cowsh_variable *variable)
{
	(void)user;
	(void)variable;
	return 0;
}

static int ignore_descriptor(void *user, const struct cowsh_descriptor *descriptor)
{
	(void)user;
	(void)descriptor;
	return 0;
}

static void ignore_event(void *user, const struct cowsh_event *event)
{
	(void)user;
	(void)event;
}

static int try_trace(struct world *w)
{
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;
	int err;

	tracer.event = ignore_event;
	tracer.calls = true;
	err = cowsh_trace(w->s, &tracer);
	if (err == 0)
		err = run_text(w->s, "seq 3 | sort > /tmp/s; mv /tmp/s /tmp/t; f; rm /tmp/t");
	cowsh_trace(w->s, NULL);
	return err;
}

/* Stops in a function of a subshell, and looks at all there is. */
static int try_breakpoint(struct world *w)
{
	static const char script[] = "g() { local y=2; f; }; (cd /; g | cat)";
	struct cowsh_breakpoint point = COWSH_BREAKPOINT_INIT;
	struct cowsh_stop stop = { 0 };
	struct cowsh_result r;
	int worst = 0;
	int err;

	point.kind = COWSH_BREAK_COMMAND;
	point.pattern = "f";
	err = cowsh_break_add(w->s, &point);
	if (err < 0)
		return err;
	err = cowsh_start(w->s, script, sizeof script - 1);
	while (err >= 0 && (err = cowsh_step(w->s, 0)) == COWSH_BREAK) {
		cowsh_get_stop(w->s, &stop);
		worst |= cowsh_list_processes(w->s, ignore_process, NULL);
		worst |= cowsh_list_variables(w->s, stop.pid, ignore_variable, NULL);
		worst |= cowsh_list_descriptors(w->s, stop.pid, ignore_descriptor, NULL);
	}
	cowsh_break_remove(w->s, 0);
	if (err < 0)
		return err;
	cowsh_get_result(w->s, &r);
	return r.limit >= 0 || worst < 0 || stop.pid == 0 ? -COWSH_ENOMEM : 0;
}

static int try_undo(struct world *w)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *s;
	int err;

	(void)w;
	config.checkpoints = 2;
	err = cowsh_new(store, &config, &host, &s);
	if (err != 0)
		return err;
	err = run_text(s, "x=1; echo > /tmp/gone");
	if (err == 0)
		err = cowsh_undo(s);
	if (err == 0)
		err = run_text(s, "[ -z \"$x\" ] && [ ! -e /tmp/gone ]");
	cowsh_free(s);
	return err;
}

static int try_digest(struct world *w)
{
	static unsigned char known[COWSH_DIGEST_BYTES];
	static bool has;
	unsigned char got[COWSH_DIGEST_BYTES];
	int err = cowsh_digest(w->s, w->before, got);

	if (err == 0 && !has)
		memcpy(known, got, sizeof known);
	has = has || err == 0;
	return err != 0 ? err : memcmp(known, got, sizeof known) == 0 ? 0 : 1;
}

/* --- files of the host: images, saved sessions, journals --- */

enum { FILE_MAX = 1 << 20 };

struct file {
	_Alignas(4096) char bytes[FILE_MAX];
	size_t len;
};

/* Made once, with all the memory there is. */
static struct {
	struct file image;
	struct file session;
	struct file delta;
	struct file journal;
	char *tar;
	size_t tar_len;
} made;

static struct file scratch;

static int file_sink(void *user, const void *data, size_t len)
{
	struct file *f = user;

	if (len > FILE_MAX - f->len)
		return -COWSH_ENOSPC;
	memcpy(f->bytes + f->len, data, len);
	f->len += len;
	return 0;
}

static struct cowsh_sink sink_to(struct file *f)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;

	f->len = 0;
	sink.write = file_sink;
	sink.user = f;
	return sink;
}

static int64_t read_tar(void *user, void *into, size_t len)
{
	size_t *at = user;
	size_t left = made.tar_len - *at;
	size_t n = left < len ? left : len;

	memcpy(into, made.tar + *at, n);
	*at += n;
	return (int64_t)n;
}

static int64_t read_text(void *user, void *into, size_t len)
{
	(void)user;
	memcpy(into, "text", len < 4 ? len : 4);
	return (int64_t)(len < 4 ? len : 4);
}

static int fill_image(cowsh_image_builder *b)
{
	struct cowsh_image_object o = COWSH_IMAGE_OBJECT_INIT;
	size_t at = 0;
	int err;

	o.path = "deep/dir/file";
	o.mode = 0100644;
	o.length = 100000;
	o.read = read_text;
	err = cowsh_image_add(b, &o);
	if (err == 0)
		err = cowsh_image_add_xattr(b, "deep/dir/file", "user.a", "b", 1);
	o = (struct cowsh_image_object)COWSH_IMAGE_OBJECT_INIT;
	o.path = "link";
	o.mode = 0120777;
	o.target = "deep/dir/file";
	if (err == 0)
		err = cowsh_image_add(b, &o);
	return err != 0 ? err : cowsh_image_add_tar(b, read_tar, &at, NULL);
}

static int build_image(struct file *f)
{
	struct cowsh_sink sink = sink_to(f);
	cowsh_image_builder *b;
	int err = cowsh_image_builder_new(store, &sink, &b);

	if (err != 0)
		return err;
	err = fill_image(b);
	if (err == 0)
		err = cowsh_image_finish(b, NULL);
	cowsh_image_builder_free(b);
	return err;
}

/* The same, and every command of the script did what it should. */
static int run_well(cowsh *s, const char *text)
{
	struct cowsh_result r;
	int err = cowsh_run(s, text, strlen(text), &r);

	return err != 0 ? err : r.limit >= 0 || r.status != 0 ? -COWSH_ENOMEM : 0;
}

/* What is told to be written is what is written with all the memory there is. */
static int same_file(int err, const struct file *known)
{
	if (err != 0)
		return err;
	return scratch.len == known->len && memcmp(scratch.bytes, known->bytes, known->len) == 0
		       ? 0
		       : 1;
}

static int try_build(struct world *w)
{
	(void)w;
	return same_file(build_image(&scratch), &made.image);
}

static int open_image(const struct file *f, cowsh_image *base, cowsh_image **out)
{
	const char *why;
	int err = cowsh_image_open(store, f->bytes, f->len, base, out, &why);

	return err;
}

static int try_verify(struct world *w)
{
	cowsh_image *image;
	int err = open_image(&made.image, NULL, &image);

	(void)w;
	if (err != 0)
		return err;
	err = cowsh_image_verify(image);
	cowsh_image_close(image);
	return err;
}

/* Reads, changes and removes in an image, and mounts it once more in the running session. */
static int use_image(cowsh *s, cowsh_image *image)
{
	int err = run_text(s,
			   "wc -c < /i/link; echo more >> /i/deep/dir/file; rm -r /i/d; ls -lR /i");

	return err != 0 ? err : cowsh_mount_image(s, "/other", image, true);
}

static int try_image(struct world *w)
{
	struct cowsh_image_mount mount = { "/i", NULL, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *s;
	int err = open_image(&made.image, NULL, &mount.image);

	(void)w;
	if (err != 0)
		return err;
	config.images = &mount;
	config.nimages = 1;
	err = cowsh_new(store, &config, &host, &s);
	if (err == 0) {
		err = use_image(s, mount.image);
		cowsh_free(s);
	}
	cowsh_image_close(mount.image);
	return err;
}

static int save_to(cowsh *s, struct file *f, bool compress)
{
	struct cowsh_sink sink = sink_to(f);

	sink.compress = compress;
	return cowsh_save(s, &sink, NULL, NULL, NULL);
}

static int try_save(struct world *w)
{
	return same_file(save_to(w->s, &scratch, false), &made.session);
}

static int try_save_packed(struct world *w)
{
	return save_to(w->s, &scratch, true);
}

static int load_and_look(const struct file *f, cowsh_image *base)
{
	static const char look[] = "f && [ \"${a[*]}\" = '1 2 3' ] && cat /tmp/kept > /dev/null";
	struct cowsh_result r = { .status = -1 };
	cowsh_image *image;
	cowsh *s;
	int err = open_image(f, base, &image);

	if (err != 0)
		return err;
	err = cowsh_load(store, NULL, &host, image, &s);
	if (err == 0) {
		err = cowsh_run(s, look, sizeof look - 1, &r);
		if (err == 0 && r.status != 0)
			err = -COWSH_ENOMEM;
		cowsh_free(s);
	}
	cowsh_image_close(image);
	return err;
}

static int try_load(struct world *w)
{
	(void)w;
	return load_and_look(&made.session, NULL);
}

/* A session on an image, saved as its difference, and loaded. */
static int save_delta(struct file *f)
{
	struct cowsh_image_mount mount = { "/", NULL, false };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_sink sink = sink_to(f);
	cowsh *s;
	int err = open_image(&made.image, NULL, &mount.image);

	if (err != 0)
		return err;
	config.images = &mount;
	config.nimages = 1;
	config.user = "root";
	err = cowsh_new(store, &config, &host, &s);
	if (err == 0) {
		err = run_well(s, "a=(1 2 3); f() { :; }; echo x >> /deep/dir/file && rm /link && "
				  "echo kept > /tmp/kept");
		if (err == 0)
			err = cowsh_save(s, &sink, mount.image, "base", NULL);
		cowsh_free(s);
	}
	cowsh_image_close(mount.image);
	return err;
}

static int try_save_delta(struct world *w)
{
	(void)w;
	return same_file(save_delta(&scratch), &made.delta);
}

static int try_load_delta(struct world *w)
{
	cowsh_image *base;
	int err = open_image(&made.image, NULL, &base);

	(void)w;
	if (err != 0)
		return err;
	err = load_and_look(&made.delta, base);
	cowsh_image_close(base);
	return err;
}

static int record(struct file *f)
{
	struct cowsh_mount_config mount = { "/mnt/a", &source, 0, false };
	struct cowsh_journal journal = COWSH_JOURNAL_INIT;
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *s;
	int ended;
	int err;

	f->len = 0;
	journal.write = file_sink;
	journal.user = f;
	config.mounts = &mount;
	config.nmounts = 1;
	err = cowsh_new_journaled(store, &config, &host, &journal, &s);
	if (err != 0)
		return err;
	err = run_text(s, "cat /mnt/a/file > /tmp/f && seq 9 > /tmp/s && { (sleep 1; echo late > "
			  "/tmp/l) & }");
	if (err == 0)
		err = cowsh_put_file(s, "/tmp/put", "x", 1, 0600);
	if (err == 0)
		err = cowsh_drain(s, 0);
	if (err == 0)
		err = run_well(s, "[ -s /tmp/f ] && [ -s /tmp/s ] && [ -s /tmp/l ]");
	ended = cowsh_journal_end(s);
	cowsh_free(s);
	return err != 0 ? err : ended;
}

static int replay_file(const struct file *f)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report report;
	cowsh_replay *replay;
	const char *why;
	int state;

	config.journal = f->bytes;
	config.journal_len = f->len;
	config.host = &host;
	state = cowsh_replay_new(store, &config, &replay, &why);
	if (state < 0)
		return state;
	do
		state = cowsh_replay_next(replay, &report);
	while (state == COWSH_REPLAY_SAME);
	if (state == COWSH_REPLAY_END)
		cowsh_free(cowsh_replay_take(replay));
	cowsh_replay_free(replay);
	/* Running out of memory is a difference of its own, but nothing is wrong with the journal.
	 */
	return state == COWSH_REPLAY_END                                    ? 0
	       : state == COWSH_REPLAY_DAMAGED || state == COWSH_REPLAY_CUT ? 1
									    : -COWSH_ENOMEM;
}

static int try_replay(struct world *w)
{
	(void)w;
	return replay_file(&made.journal);
}

/* A journal that is told to be complete is whole. (What went without memory may come out
 * otherwise, with all the memory there is.) */
static int try_journal(struct world *w)
{
	int err = record(&scratch);
	uint64_t left = store->store.fail_at;

	(void)w;
	if (err != 0)
		return err;
	store->store.fail_at = 0;
	err = replay_file(&scratch);
	store->store.fail_at = left;
	return err > 0 ? 1 : 0;
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

static void make_files(void)
{
	struct world w;

	CHECK(make_world(&w));
	CHECK_EQ(
		run_text(w.s,
			 "mkdir d; seq 20000 > d/f; ln d/f d/g; ln -s x d/l; truncate -s 99999 d/s;"
			 "echo >> d/s; tar cSf /tmp/tar d"),
		0);
	CHECK_EQ(cowsh_get_file(w.s, "/tmp/tar", &made.tar, &made.tar_len), 0);
	CHECK_EQ(build_image(&made.image), 0);
	CHECK_EQ(save_delta(&made.delta), 0);
	CHECK_EQ(record(&made.journal), 0);
	/* The session of the archive stays: it has its bytes. */
	CHECK(make_world(&w));
	CHECK_EQ(save_to(w.s, &made.session, false), 0);
	free_world(&w);
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
TRY(trace)
TRY(breakpoint)
TRY(undo)
TRY(digest)
TRY(build)
TRY(verify)
TRY(image)
TRY(save)
TRY(save_packed)
TRY(load)
TRY(save_delta)
TRY(load_delta)
TRY(journal)
TRY(replay)

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
	store = new_store(REGION_BYTES);
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
	make_files();
	RUN(trace);
	RUN(breakpoint);
	RUN(undo);
	RUN(digest);
	RUN(build);
	RUN(verify);
	RUN(image);
	RUN(save);
	RUN(save_packed);
	RUN(load);
	RUN(save_delta);
	RUN(load_delta);
	RUN(journal);
	RUN(replay);
	RUN(tiny_stores);
	return check_end();
}
