/* SPDX-License-Identifier: MIT
 *
 * Sessions that are saved and resumed, forked and restored: nothing is lost, a fork has no more
 * than its parent, and damaged files give errors.
 */
#include <stdlib.h>

#include "api/private.h"
#include "base/pack.h"
#include "cowsh_image.h"
#include "interp/var.h"
#include "tests/unit/session.h"
#include "vfs/image.h"

enum { REGION = 192 << 20, FILE_MAX = 32 << 20 };

static cowsh_store *store;
static char output[1 << 16];
static size_t output_len;

struct file {
	char *bytes; /* page aligned */
	size_t len;
};

static int put_output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	(void)fd;
	if (len > sizeof output - 1 - output_len)
		len = sizeof output - 1 - output_len;
	memcpy(output + output_len, data, len);
	output_len += len;
	output[output_len] = '\0';
	return 0;
}

static struct cowsh_host host(void)
{
	struct cowsh_host h = COWSH_HOST_INIT;

	h.output = put_output;
	return h;
}

static const char *output_of(cowsh *s, const char *script)
{
	struct cowsh_result result;

	output_len = 0;
	output[0] = '\0';
	CHECK_EQ(cowsh_run(s, script, strlen(script), &result), 0);
	return output;
}

static cowsh *new_session(const struct cowsh_config *config)
{
	struct cowsh_host h = host();
	cowsh *s = NULL;

	CHECK_EQ(cowsh_new(store, config, &h, &s), 0);
	return s;
}

static int put_bytes(void *user, const void *data, size_t len)
{
	struct file *f = user;

	if (f->len + len > FILE_MAX)
		return -COWSH_ENOSPC;
	memcpy(f->bytes + f->len, data, len);
	f->len += len;
	return 0;
}

static struct file new_file(void)
{
	return (struct file){ aligned_alloc(4096, FILE_MAX), 0 };
}

static struct file save(cowsh *s, cowsh_image *base)
{
	struct file f = new_file();
	struct cowsh_sink sink = COWSH_SINK_INIT;

	sink.write = put_bytes;
	sink.user = &f;
	CHECK_EQ(cowsh_save(s, &sink, base, "base", NULL), 0);
	return f;
}

static int try_load(const struct file *f, const struct cowsh_config *config, cowsh_image **image,
		    cowsh **out)
{
	struct cowsh_host h = host();
	const char *why;
	int err = cowsh_image_open(store, f->bytes, f->len, NULL, image, &why);

	if (err != 0)
		return err;
	err = cowsh_load(store, config, &h, *image, out);
	if (err != 0)
		cowsh_image_close(*image);
	return err;
}

/* Everything that a script can see of a session. */
static const char look[] =
	"set; set +o; shopt; declare -p; declare -f; declare -F; trap -p; alias; pwd; dirs; umask;"
	"echo $? $! $$ $# \"$@\" $- $_ $RANDOM $SRANDOM $SECONDS $BASHPID $PPID; ulimit -a; date "
	"+%N;"
	"ls -liR / 2> /dev/null; cat /tmp/*; ls -l /proc/self/fd; df; history; complete -p; mktemp "
	"-u;"
	"for i in ${!assoc[@]}; do echo $i; done; env; cat /proc/uptime; id; hostname";

static const char work[] =
	"x=1; declare -A assoc; for i in {1..40}; do assoc[k$i]=v$i; done; list=(a b [7]=c);"
	"f() { local y=2; echo $x $LINENO; }\ng() { echo \"$(f)\" <<< 'x'; }; export -f g;"
	"declare -n ref=x; declare -i n=4; declare -u up=abc; readonly ro=1; export ex=2;"
	"unset RANDOM; IFS=:; PATH=/usr/bin; OPTIND=3; LANG=C; cd /tmp; pushd /usr > /dev/null;"
	"trap 'echo int' INT; trap '' TERM; trap 'echo err >> /tmp/err' ERR; alias a='b c';"
	"set -o pipefail; set -f; shopt -s extglob nullglob; umask 027; set -- one 'two three';"
	"mkdir /tmp/none; exec 10< /tmp/none; rmdir /tmp/none;"
	"exec 5> /tmp/five; echo abc >&5; exec 6< /etc/passwd; read line <&6; exec 7<&6 8< /tmp;"
	"echo gone > /tmp/gone; exec 9<> /tmp/gone; rm /tmp/gone; ln /tmp/five /tmp/again;"
	"head -c 100000 /dev/urandom > /tmp/big; truncate -s 50000 /tmp/hole; mkfifo /tmp/fifo2;"
	"rm /tmp/fifo2; ln -s nowhere /tmp/link; chmod 600 /tmp/five;"
	"echo $DIRSTACK $GROUPS $BASH_ARGC > /dev/null; (exit 3) | (exit 4); ulimit "
	"-n 50";

TEST(a_resumed_session_is_the_same)
{
	cowsh *s = new_session(NULL);
	cowsh *again, *fork;
	cowsh_image *image;
	struct file f;
	static char want[sizeof output];

	output_of(s, work);
	f = save(s, NULL);
	CHECK_EQ(try_load(&f, NULL, &image, &again), 0);
	CHECK_EQ(cowsh_fork(s, NULL, &fork), 0);
	cowsh_free(fork);
	strcpy(want, output_of(s, look));
	CHECK(strlen(want) > 4000);
	CHECK_STR(output_of(again, look), want);
	CHECK_STR(
		output_of(again, "cat <&9; read -r l <&6; echo $l; echo more >&5; cat /tmp/again"),
		output_of(s, "cat <&9; read -r l <&6; echo $l; echo more >&5; cat /tmp/again"));
	cowsh_free(again);
	cowsh_image_close(image);
	cowsh_free(s);
	free(f.bytes);
}

static char mark_bytes[16];

static const char *steps_of(cowsh *s)
{
	struct cowsh_result result;

	CHECK_EQ(cowsh_run(s, "echo x", 6, &result), 0);
	snprintf(mark_bytes, sizeof mark_bytes, "%d", (int)result.steps);
	return mark_bytes;
}

TEST(loading_says_nothing)
{
	cowsh *a = new_session(NULL);
	cowsh *b = NULL;
	cowsh_image *image;
	struct file f;

	output_of(a, "mkdir /tmp/d; cd /tmp/d; rmdir /tmp/d; exec 2> /tmp/err");
	f = save(a, NULL);
	output_len = 0;
	CHECK_EQ(try_load(&f, NULL, &image, &b), 0);
	CHECK_EQ(output_len, 0);
	CHECK_STR(output_of(b, "cat /tmp/err; pwd"), "/tmp/d\n");
	cowsh_free(a);
	cowsh_free(b);
	cowsh_image_close(image);
	free(f.bytes);
}

TEST(what_is_open_but_gone)
{
	cowsh *a = new_session(NULL);
	cowsh *b = NULL;
	cowsh_snapshot *before;
	cowsh_image *image;
	struct file f;

	CHECK_EQ(cowsh_snapshot_new(a, &before), 0);
	output_of(a, "exec 5> /tmp/a; mkdir /tmp/d; cd /tmp/d; exec 6< /tmp/d; mkfifo /tmp/p;"
		     "exec 7<> /tmp/p");
	CHECK_EQ(cowsh_restore(a, before), 0);
	f = save(a, NULL);
	CHECK_EQ(try_load(&f, NULL, &image, &b), 0);
	CHECK_STR(output_of(b, "ls /tmp; { : >&5; } 2> /dev/null || echo lost"), "lost\n");
	cowsh_free(b);
	cowsh_image_close(image);
	free(f.bytes);
	cowsh_snapshot_free(before);
	cowsh_free(a);
}

TEST(saving_changes_nothing)
{
	cowsh *a = new_session(NULL);
	cowsh *b = new_session(NULL);
	struct file f;
	static char want[sizeof output];

	output_of(a, work);
	output_of(b, work);
	f = save(a, NULL);
	strcpy(want, output_of(b, look));
	CHECK_STR(output_of(a, look), want);
	strcpy(want, steps_of(b));
	CHECK_STR(steps_of(a), want);
	cowsh_free(a);
	cowsh_free(b);
	free(f.bytes);
}

/* Limits come from the host; what was used comes from the session. */
TEST(budgets_go_on)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_result result;
	cowsh_image *image;
	cowsh *s, *again, *fork;
	struct file f;

	config.limit[COWSH_LIMIT_SESSION_PROCESSES] = 40;
	config.limit[COWSH_LIMIT_DISK] = 100000;
	config.limit[COWSH_LIMIT_FILES] = 20;
	config.limits_set = (uint64_t)1 << COWSH_LIMIT_SESSION_PROCESSES |
			    (uint64_t)1 << COWSH_LIMIT_DISK | (uint64_t)1 << COWSH_LIMIT_FILES;
	s = new_session(&config);
	output_of(s, "cd /tmp; head -c 60000 /dev/zero > a; for i in {1..10}; do : > f$i; done");
	f = save(s, NULL);
	CHECK_EQ(try_load(&f, &config, &image, &again), 0);
	CHECK_EQ(cowsh_fork(s, NULL, &fork), 0);
	for (int i = 0; i < 2; i++) {
		cowsh *one = i == 0 ? again : fork;
		static const char script[] =
			"head -c 60000 /dev/zero > b 2> /dev/null; s=$?; set -e;"
			"for i in {11..25}; do : > f$i 2> /dev/null; done";

		CHECK_EQ(cowsh_run(one, script, sizeof script - 1, &result), 0);
		CHECK_EQ(result.status, 1);
		CHECK_EQ(cowsh_run(one, "(( s == 1 )) && rm a f*", 23, &result), 0);
		CHECK_EQ(result.status, 0);
		CHECK_EQ(cowsh_run(one, "head -c 60000 /dev/zero > c", 27, &result), 0);
		CHECK_EQ(result.status, i == 0 ? 0 : 0);
		CHECK_EQ(cowsh_run(one, "for i in {1..50}; do /bin/true; done", 36, &result), 0);
		CHECK_EQ(result.limit, COWSH_LIMIT_SESSION_PROCESSES);
	}
	cowsh_free(fork);
	cowsh_free(again);
	cowsh_image_close(image);
	cowsh_free(s);
	free(f.bytes);
}

/* Forks of forks, each of which outlives the one before, have what that had, however many. */
TEST(a_line_of_forks)
{
	struct cowsh_host h = host();
	cowsh *s = new_session(NULL);
	cowsh *next;

	output_of(s, "x=0; IFS=:; set -- a b; true | (exit 3) | (exit 4)");
	for (int i = 0; i < 100; i++) {
		if (!CHECK(cowsh_fork(s, &h, &next) == 0))
			break;
		cowsh_free(s);
		s = next;
		output_of(s, "echo \"${PIPESTATUS[*]} $((x++)) $*\"; true | (exit 3) | (exit 4)");
		CHECK(strncmp(output, "0:3:4 ", 6) == 0 && strstr(output, " a:b\n") != NULL);
	}
	CHECK_STR(output_of(s, "echo \"${PIPESTATUS[*]} $x $*\""), "0:3:4 100 a:b\n");
	cowsh_free(s);
}

/* A session that used up its steps can still be saved and forked. */
TEST(an_exhausted_session)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	struct cowsh_result result;
	cowsh_image *image;
	cowsh *s, *again;
	struct file f;

	config.limit[COWSH_LIMIT_SESSION_STEPS] = 200000;
	config.limits_set = (uint64_t)1 << COWSH_LIMIT_SESSION_STEPS;
	s = new_session(&config);
	output_of(s, "f() { :; }; x=1; while :; do :; done");
	f = save(s, NULL);
	CHECK_EQ(try_load(&f, &config, &image, &again), 0);
	CHECK_EQ(cowsh_run(again, "while :; do :; done", 19, &result), 0);
	CHECK_EQ(result.limit, COWSH_LIMIT_SESSION_STEPS);
	CHECK(result.steps < 20000);
	cowsh_free(again);
	CHECK_EQ(cowsh_load(store, NULL, NULL, image, &again), 0);
	CHECK_EQ(cowsh_run(again, "f && (( x == 1 ))", 17, &result), 0);
	CHECK_EQ(result.status, 0);
	cowsh_free(again);
	cowsh_image_close(image);
	cowsh_free(s);
	free(f.bytes);
}

/* A wrong byte anywhere, and a cut anywhere, in a small session. */
TEST(damaged_sessions)
{
	cowsh *s = new_session(NULL);
	cowsh_image *image;
	cowsh *again;
	struct file f;
	int loaded = 0;

	output_of(s, "x=1; f() { echo f; }; echo content > file");
	f = save(s, NULL);
	cowsh_free(s);
	for (size_t at = 0; at < f.len; at += 61) {
		f.bytes[at] = (char)(f.bytes[at] ^ 1 << at % 8);
		if (try_load(&f, NULL, &image, &again) == 0) {
			const char *got = output_of(again, "echo $x $(f) $(< file)");

			/* What is not damaged is right; what is gives errors on descriptor 2. */
			CHECK(strcmp(got, "1 f content\n") == 0 || strstr(got, "rror") != NULL ||
			      strstr(got, "not found") != NULL);
			loaded++;
			cowsh_free(again);
			cowsh_image_close(image);
		}
		f.bytes[at] = (char)(f.bytes[at] ^ 1 << at % 8);
	}
	CHECK(loaded > 0);
	for (size_t len = 0; len < f.len; len += 499) {
		struct file cut = { f.bytes, len };

		CHECK_EQ(try_load(&cut, NULL, &image, &again), -COWSH_EINVAL);
	}
	free(f.bytes);
}

/* The same session with another state; takes the file. */
static struct file with_state(struct file f, void (*change)(struct arena *a, struct bytes *state))
{
	struct file out = new_file();
	struct image_sink sink = { .write = put_bytes, .user = &out };
	struct image_save save = { .base_name = { "", 0 } };
	struct arena_fail fail = { NULL, NULL };
	struct heap heap = { .store = &store->store };
	enum image_fault fault;
	struct image_info info;
	struct vfs_tree *tree;
	struct image *image;
	struct arena a;
	struct vfs *v;

	arena_init(&a, &heap, fail);
	CHECK_EQ(image_open(&store->store, f.bytes, f.len, NULL, &image, &fault), 0);
	CHECK_EQ(image_state(image, &a, &save.state), 0);
	change(&a, &save.state);
	CHECK_EQ(image_tree(image, &tree), 0);
	CHECK_EQ(vfs_new(&store->store, tree, NULL, NULL, &v), 0);
	CHECK_EQ(image_write(v, &sink, &save, &info), 0);
	vfs_free(v);
	vfs_tree_put(tree);
	image_close(image);
	arena_clear(&a);
	free(f.bytes);
	return out;
}

/* The flags of a variable of the shell's own. */
static char *flags_of(const struct bytes *state, const char *name)
{
	char *at = memmem(state->ptr, state->len, name, strlen(name));

	CHECK(at != NULL && at[strlen(name)] == 1);
	return at + strlen(name) + 8;
}

static void make_assoc(struct arena *a, struct bytes *state)
{
	(void)a;
	flags_of(state, "FUNCNAME")[0] |= VAR_ASSOC;
}

static void make_array(struct arena *a, struct bytes *state)
{
	(void)a;
	flags_of(state, "BASH_ALIASES")[0] |= VAR_ARRAY;
}

/* A list that is said to be a table, and the other way round. */
TEST(variables_of_another_kind)
{
	static void (*const change[])(struct arena *, struct bytes *) = { make_assoc, make_array };
	cowsh_image *image;
	cowsh *again;

	for (int i = 0; i < 2; i++) {
		cowsh *s = new_session(NULL);
		struct file f;

		output_of(s, "alias a=b; f() { declare -p FUNCNAME BASH_ALIASES; }; f");
		f = with_state(save(s, NULL), change[i]);
		cowsh_free(s);
		CHECK_EQ(try_load(&f, NULL, &image, &again), -COWSH_EIO);
		free(f.bytes);
	}
}

/* Whatever a script has done, what was saved of it can be loaded. */
TEST(nothing_makes_a_session_unreadable)
{
	static const char *const script[] = {
		"declare -A h",
		"declare -A h; for i in {1..20000}; do h[$i]=1; done;"
		"for i in {2..20000}; do unset \"h[$i]\"; done",
		"a[9223372036854775807]=x; a[5]=y",
		"exec 9< /dev/null; ulimit -n 0",
		"SECONDS=9999999999999",
		"SECONDS=-9999999999999",
		"sleep 3000000000",
		"sleep 9000000000; sleep 9000000000; sleep 9000000000; date",
	};
	static const int64_t epoch[] = { 0, 3000000000, -1000000000 };
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh_image *image;
	cowsh *s, *again;

	for (size_t i = 0; i < sizeof epoch / sizeof *epoch; i++) {
		for (size_t k = 0; k < sizeof script / sizeof *script; k++) {
			static char want[sizeof output];
			struct file f;

			config.epoch_ns = epoch[i] * 1000000000;
			s = new_session(&config);
			output_of(s, script[k]);
			f = save(s, NULL);
			strcpy(want, output_of(s, "declare -p; date; sleep 1"));
			if (CHECK_EQ(try_load(&f, &config, &image, &again), 0)) {
				CHECK_STR(output_of(again, "declare -p; date; sleep 1"), want);
				cowsh_free(again);
				cowsh_image_close(image);
			}
			cowsh_free(s);
			free(f.bytes);
		}
	}
}

TEST(commands_are_undone)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	static char want[sizeof output];
	cowsh *s;

	config.checkpoints = 3;
	s = new_session(&config);
	CHECK_EQ(cowsh_undo(s), -COWSH_ENOENT);
	output_of(s, work);
	output_of(s, "echo one > /tmp/file");
	strcpy(want, output_of(s, look));
	/* Looking is a command, too. */
	CHECK_EQ(cowsh_undo(s), 0);
	output_of(
		s,
		"rm -rf /tmp/*; x=9; unset -f f; cd /; trap - INT; sleep 100 & exec 5>&-; shopt -u "
		"extglob");
	CHECK_EQ(cowsh_undo(s), 0);
	CHECK_STR(output_of(s, look), want);
	CHECK_EQ(cowsh_undo(s), 0);
	CHECK_EQ(cowsh_undo(s), 0);
	CHECK_STR(output_of(s, "cat /tmp/file; echo $x"),
		  "cat: /tmp/file: No such file or directory\n1\n");
	CHECK_EQ(cowsh_undo(s), 0);
	CHECK_EQ(cowsh_undo(s), 0);
	CHECK_STR(output_of(s, "echo \"[$x]\""), "[]\n");
	for (int i = 0; i < 10; i++)
		output_of(s, "i=$((i + 1))");
	for (int i = 0; i < 3; i++)
		CHECK_EQ(cowsh_undo(s), 0);
	CHECK_EQ(cowsh_undo(s), -COWSH_ENOENT);
	CHECK_STR(output_of(s, "echo $i"), "7\n");
	cowsh_free(s);
}

TEST(nothing_is_left)
{
	size_t used = 0;

	/* Slabs may stay that are not quite empty. */
	for (int i = 0; i < 6; i++) {
		test_a_resumed_session_is_the_same();
		test_budgets_go_on();
		test_damaged_sessions();
		test_commands_are_undone();
		if (i == 2)
			used = cowsh_store_used(store);
	}
	CHECK_EQ(cowsh_store_used(store), used);
}

enum { CHILDREN = 40000, CHILD_FIRST = 1000 };

/* As kernel/pack.c: numbers until the credentials' groups, limits, directory, accounts. */
static void put_child(struct buf *out, uint64_t pid)
{
	pack_u64(out, 1);
	pack_u64(out, pid);
	for (int i = 0; i < 18; i++)
		pack_u64(out, 0);
	for (int i = 0; i < 32; i++)
		pack_u64(out, 1000);
	pack_text(out, "/");
	pack_u64(out, 0);
	for (int i = 0; i < 18; i++)
		pack_u64(out, 0);
	pack_u64(out, PROC_PIDS_FIRST);
	pack_text(out, "child");
}

static void put_children(struct arena *a, struct bytes *state, bool down)
{
	/* No programs; three numbers that say: no children, locks, sets. */
	static const uint64_t none[] = { 0, 24, 0, 0, UINT64_MAX };
	size_t at = (size_t)((char *)memmem(state->ptr, state->len, none, sizeof none) -
			     state->ptr);
	struct buf section = buf_in(a);
	struct buf out = buf_in(a);

	for (uint64_t i = 0; i < CHILDREN; i++)
		put_child(&section, CHILD_FIRST + 64 * (down ? CHILDREN - i : i));
	for (int i = 2; i < 5; i++)
		pack_u64(&section, none[i]);
	buf_add(&out, bytes_slice(*state, 0, at + 8));
	pack_bytes(&out, buf_bytes(&section));
	buf_add(&out, bytes_slice(*state, at + sizeof none, state->len));
	*state = buf_bytes(&out);
}

static void put_children_up(struct arena *a, struct bytes *state)
{
	put_children(a, state, false);
}

static void put_children_down(struct arena *a, struct bytes *state)
{
	put_children(a, state, true);
}

/* Very many children that have ended: each is found, and loading them takes no square of time. */
TEST(ended_children)
{
	cowsh *s = new_session(NULL);
	struct file f = with_state(save(s, NULL), put_children_up);
	cowsh_image *image;
	cowsh *again;

	CHECK_EQ(try_load(&f, NULL, &image, &again), 0);
	for (int i = 0; i < CHILDREN; i += 997)
		CHECK(proc_find(again->kernel, CHILD_FIRST + 64 * i) != NULL);
	CHECK(proc_find(again->kernel, CHILD_FIRST + 64 * CHILDREN) == NULL);
	CHECK_STR(output_of(again, "echo $(echo alive)"), "alive\n");
	cowsh_free(again);
	cowsh_image_close(image);
	free(f.bytes);
	f = with_state(save(s, NULL), put_children_down);
	CHECK_EQ(try_load(&f, NULL, &image, &again), -COWSH_EIO);
	free(f.bytes);
	cowsh_free(s);
}

int main(void)
{
	store = new_store(REGION);
	RUN(a_resumed_session_is_the_same);
	RUN(loading_says_nothing);
	RUN(what_is_open_but_gone);
	RUN(saving_changes_nothing);
	RUN(budgets_go_on);
	RUN(a_line_of_forks);
	RUN(an_exhausted_session);
	RUN(damaged_sessions);
	RUN(variables_of_another_kind);
	RUN(nothing_makes_a_session_unreadable);
	RUN(commands_are_undone);
	RUN(nothing_is_left);
	RUN(ended_children);
	return check_end();
}
