/* SPDX-License-Identifier: MIT
 *
 * Lists and exports of what changed between any two points, through the public interface; and
 * files read in pieces.
 */
#include "cowsh.h"

#include <stdlib.h>

#include "tests/unit/session.h"

static cowsh_store *store;
static char text[1 << 20];
static size_t text_len;
static int stop_after;

static cowsh *new_session(const struct cowsh_config *config)
{
	cowsh *s = NULL;

	if (cowsh_new(store, config, NULL, &s) < 0)
		abort();
	return s;
}

static cowsh_snapshot *point(cowsh *s)
{
	cowsh_snapshot *p = NULL;

	CHECK_EQ(cowsh_snapshot_new(s, &p), 0);
	return p;
}

static int add(void *user, const char *data, size_t len)
{
	(void)user;
	if (stop_after != 0 && --stop_after == 0)
		return 77;
	if (len > sizeof text - 1 - text_len)
		return -COWSH_ENOSPC;
	memcpy(text + text_len, data, len);
	text_len += len;
	text[text_len] = '\0';
	return 0;
}

static int note(void *user, const struct cowsh_change *c)
{
	char line[256];

	(void)user;
	return add(NULL, line,
		   (size_t)snprintf(line, sizeof line, "%c %s %o:%d %o:%d|", c->kind, c->path,
				    c->old_mode, (int)c->old_size, c->mode, (int)c->size));
}

static int export(cowsh *s, int form, const cowsh_snapshot *since, const cowsh_snapshot *until)
{
	struct cowsh_export what = { .size = sizeof what,
				     .form = form,
				     .since = since,
				     .until = until,
				     .path = "/home/user/",
				     .write = add };

	text_len = 0;
	text[0] = '\0';
	return cowsh_export_changes(s, &what);
}

TEST(any_two_points_compare)
{
	cowsh *s = new_session(NULL);
	cowsh_snapshot *first, *second;

	run(s, "echo one > a; mkdir d");
	first = point(s);
	run(s, "echo three > a; chmod 600 a; rmdir d; ln -s a l");
	second = point(s);
	run(s, "rm a; echo now > b");
	text_len = 0;
	CHECK_EQ(cowsh_diff_between(s, first, second, note, NULL), 0);
	CHECK_STR(text, "M /home/user/a 100644:4 100600:6|- /home/user/d 40755:4096 0:0|"
			"+ /home/user/l 0:0 120777:1|");
	text_len = 0;
	CHECK_EQ(cowsh_diff(s, second, note, NULL), 0);
	CHECK_STR(text, "- /home/user/a 100600:6 0:0|+ /home/user/b 0:0 100644:4|");
	CHECK_EQ(export(s, COWSH_FORM_GIT, first, second), 0);
	CHECK_STR(text, "diff --git a/a b/a\nindex 5626abf..2bdf67a 100644\n--- a/a\n+++ b/a\n"
			"@@ -1 +1 @@\n-one\n+three\n"
			"diff --git a/l b/l\nnew file mode 120000\nindex 0000000..2e65efe\n"
			"--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a\n"
			"\\ No newline at end of file\n");
	CHECK_EQ(export(s, COWSH_FORM_GIT, second, first), 0);
	CHECK(strstr(text, "-three\n+one\n") != NULL);
	CHECK_EQ(export(s, COWSH_FORM_UNIFIED, second, NULL), 0);
	CHECK(strstr(text, "-three\n") != NULL && strstr(text, "+now\n") != NULL);
	cowsh_snapshot_free(first);
	cowsh_snapshot_free(second);
	cowsh_free(s);
}

TEST(export_goes_through_in_pieces_and_can_be_stopped)
{
	cowsh *s = new_session(NULL);
	cowsh_snapshot *before = point(s);
	size_t used = cowsh_store_used(store);

	run(s, "head -c 300000 /dev/zero > f");
	CHECK_EQ(export(s, COWSH_FORM_TAR, before, NULL), 0);
	CHECK(text_len > 300000 && text_len % 512 == 0);
	CHECK(memcmp(text + 257, "ustar", 5) == 0);
	stop_after = 3;
	CHECK_EQ(export(s, COWSH_FORM_TAR, before, NULL), 77);
	stop_after = 0;
	run(s, "rm f");
	CHECK(cowsh_store_used(store) < used + 200000);
	cowsh_snapshot_free(before);
	cowsh_free(s);
}

TEST(export_keeps_to_the_limits)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;
	cowsh *s = new_session(&config);
	cowsh_snapshot *before = point(s);

	run(s, "seq 100000 > a");
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 1000);
	CHECK_EQ(export(s, COWSH_FORM_GIT, before, NULL), -COWSH_EFBIG);
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 0);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 300000);
	CHECK_EQ(export(s, COWSH_FORM_GIT, before, NULL), -COWSH_EFBIG);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 0);
	CHECK_EQ(export(s, COWSH_FORM_GIT, before, NULL), 0);
	run(s, "echo still here; mkdir -p x/.wh.y");
	CHECK_EQ(export(s, COWSH_FORM_TAR, before, NULL), -COWSH_EINVAL);
	cowsh_snapshot_free(before);
	cowsh_free(s);
}

TEST(nonsense_is_refused)
{
	cowsh *s = new_session(NULL);
	cowsh_snapshot *p = point(s);
	struct cowsh_export what = { .size = sizeof what, .since = p, .write = add };

	CHECK_EQ(cowsh_export_changes(s, NULL), -COWSH_EINVAL);
	CHECK_EQ(cowsh_export_changes(NULL, &what), -COWSH_EINVAL);
	what.form = 3;
	CHECK_EQ(cowsh_export_changes(s, &what), -COWSH_EINVAL);
	what.form = 0;
	what.path = "relative";
	CHECK_EQ(cowsh_export_changes(s, &what), -COWSH_EINVAL);
	what.path = NULL;
	what.since = NULL;
	CHECK_EQ(cowsh_export_changes(s, &what), -COWSH_EINVAL);
	CHECK_EQ(cowsh_diff_between(s, NULL, p, note, NULL), -COWSH_EINVAL);
	cowsh_snapshot_free(p);
	cowsh_free(s);
}

TEST(files_are_read_in_pieces_without_their_holes)
{
	cowsh *s = new_session(NULL);
	uint64_t pos = 1;
	char data[16];

	run(s, "printf abcdef > f; truncate -s 1G h; printf end >> h; ln -s f l; mkdir d");
	CHECK_EQ(cowsh_read_at(s, "f", &pos, data, 3), 3);
	CHECK(pos == 1 && memcmp(data, "bcd", 3) == 0);
	pos = 6;
	CHECK_EQ(cowsh_read_at(s, "f", &pos, data, 3), 0);
	pos = 0;
	CHECK_EQ(cowsh_read_at(s, "h", &pos, data, sizeof data), 3);
	CHECK(pos == 1 << 30 && memcmp(data, "end", 3) == 0);
	CHECK_EQ(cowsh_read_at(s, "l", &pos, data, 3), -COWSH_EINVAL);
	CHECK_EQ(cowsh_read_at(s, "d", &pos, data, 3), -COWSH_EISDIR);
	CHECK_EQ(cowsh_read_at(s, "none", &pos, data, 3), -COWSH_ENOENT);
	CHECK_EQ(cowsh_read_link(s, "l", data, sizeof data), 1);
	CHECK_EQ(data[0], 'f');
	CHECK_EQ(cowsh_read_link(s, "f", data, sizeof data), -COWSH_EINVAL);
	cowsh_free(s);
}

int main(void)
{
	store = new_store((size_t)256 << 20);
	RUN(any_two_points_compare);
	RUN(export_goes_through_in_pieces_and_can_be_stopped);
	RUN(export_keeps_to_the_limits);
	RUN(nonsense_is_refused);
	RUN(files_are_read_in_pieces_without_their_holes);
	cowsh_store_free(store);
	return check_end();
}
