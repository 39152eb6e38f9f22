/* SPDX-License-Identifier: MIT
 *
 * --apply, the runner's side: walks what changed and tells the broker, mount by mount.
 */
#include "cli/apply.h"

#include <string.h>

enum { APPLY_STATUS = 3 };

static enum broker_rights rights;

struct apply {
	struct runner *r;
	bool json;
	bool first; /* of the list in JSON */
	bool lost[MOUNTS_MAX];
	bool broken; /* something failed of which the broker does not know */
	uint64_t done;
	uint64_t failures;
	uint64_t no_owner; /* left out */
	uint64_t no_set_id;
};

bool apply_option(const char *arg)
{
	if (strcmp(arg, "--apply") == 0)
		rights = BROKER_WRITES;
	else if (strcmp(arg, "--apply=dry-run") == 0)
		rights = BROKER_REHEARSES;
	else if (strcmp(arg, "--apply=owners") == 0)
		rights = BROKER_WRITES_OWNERS;
	else if (strncmp(arg, "--apply=", 8) == 0)
		fatal("--apply takes no value but `owners` and `dry-run`, not '%s'", arg + 8);
	else
		return false;
	return true;
}

enum broker_rights apply_rights(void)
{
	return rights;
}

bool apply_wanted(void)
{
	return rights != BROKER_READS;
}

/* --- mounts by path --- */

static size_t mount_length(const struct cowsh_mount_config *m)
{
	size_t len = strlen(m->path);

	while (len > 0 && m->path[len - 1] == '/')
		len--;
	return len;
}

/* Changes are told by paths without links and dots, so that of a mount must have none. */
static void check_mount(struct runner *r, const struct cowsh_mount_config *m)
{
	char part[4096];
	size_t len = mount_length(m);
	struct cowsh_stat st;

	if (len == 0)
		fatal("--apply: what is mounted at / can't be told from the sandbox's own files");
	if (len >= sizeof part)
		fatal("--apply: path too long");
	for (size_t i = 1; i <= len; i++) {
		if (i < len && m->path[i] != '/')
			continue;
		memcpy(part, m->path, i);
		part[i] = '\0';
		if (strstr(part, "//") != NULL || strstr(part, "/./") != NULL ||
		    strstr(part, "/../") != NULL || strcmp(strrchr(part, '/'), "/.") == 0 ||
		    strcmp(strrchr(part, '/'), "/..") == 0 ||
		    cowsh_stat_file(r->session, part, &st) < 0 || (st.mode & 0170000) != 0040000)
			fatal("--apply wants mounts at plain paths without links, not '%s'",
			      m->path);
	}
}

void apply_check(struct runner *r)
{
	for (int i = 0; i < r->options->nmounts; i++)
		if (!r->options->mounts[i].read_only)
			check_mount(r, &r->options->mounts[i]);
}

/* The innermost mount a path lies in, or -1. */
static int mount_of(const struct options *o, const char *path)
{
	size_t longest = 0;
	int found = -1;

	for (int i = 0; i < o->nmounts; i++) {
		size_t len = mount_length(&o->mounts[i]);

		if (len >= longest && strncmp(path, o->mounts[i].path, len) == 0 &&
		    (path[len] == '/' || path[len] == '\0')) {
			found = i;
			longest = len;
		}
	}
	return found;
}

/* --- saying what happened --- */

static const char *reason(int64_t err)
{
	switch (err) {
	case BROKER_CHANGED: return "conflict: it was changed on the host meanwhile";
	case BROKER_APPEARED: return "conflict: the host has something new there";
	case BROKER_KEPT: return "not removed, because something else could not be applied";
	case BROKER_NO_FILE: return "neither a file nor a directory nor a link";
	default: return strerror((int)-err);
	}
}

static void start_item(struct apply *a, const char *path)
{
	out_text(a->first ? "{\"path\":" : ",{\"path\":");
	json_string(path, strlen(path));
	a->first = false;
}

static void fail(struct apply *a, const char *path, int64_t err)
{
	a->failures++;
	if (a->json) {
		start_item(a, path);
		out_format(",\"conflict\":%s,\"error\":\"%s\"}",
			   err == BROKER_CHANGED || err == BROKER_APPEARED ? "true" : "false",
			   reason(err));
		return;
	}
	out_text("cowsh: --apply: ");
	out_name(path);
	out_format(": %s\n", reason(err));
}

static const char *what_is_done(const struct cowsh_change *c)
{
	bool directory = (c->mode & 0170000) == 0040000;

	return c->mode == 0     ? "remove"
	       : c->kind == 'm' ? "set mode and time of"
	       : directory      ? "make directory"
	       : c->kind == '+' ? "create"
				: "replace";
}

static void succeed(struct apply *a, const struct cowsh_change *c)
{
	a->done++;
	if (rights >= BROKER_WRITES)
		return;
	if (a->json) {
		start_item(a, c->path);
		out_format(",\"would\":\"%s\",\"size\":%llu}", what_is_done(c),
			   (unsigned long long)c->size);
		return;
	}
	out_format("would %s ", what_is_done(c));
	out_name(c->path);
	if (c->kind != 'm' && (c->mode & 0170000) == 0100000)
		out_format(" (%llu bytes)", (unsigned long long)c->size);
	out_char('\n');
}

/* --- telling the broker --- */

static int64_t send_content(struct apply *a, const struct cowsh_change *c)
{
	static char data[BROKER_CHUNK];
	uint64_t pos = 0;
	int64_t err = 0;
	int64_t n = 0;

	while (err == 0 &&
	       (n = cowsh_read_at(a->r->session, c->path, &pos, data, sizeof data)) > 0) {
		struct broker_request r = { BROKER_DATA, 0, pos, (uint64_t)n };

		err = broker_send(&r, sizeof r) && broker_send(data, (size_t)n) ? broker_answer()
										: -COWSH_EIO;
		pos += (uint64_t)n;
	}
	return broker_ask(BROKER_END, 0, c->size, n < 0);
}

/* What could not be applied is asked for, so that the broker gives up nothing of it. */
static void want_content(struct apply *a, const struct cowsh_change *c)
{
	static char data[BROKER_CHUNK];
	uint64_t pos = 0;
	int64_t n = 1;

	while ((c->mode & 0170000) == 0100000 && n > 0) {
		n = cowsh_read_at(a->r->session, c->path, &pos, data, sizeof data);
		pos += n > 0 ? (uint64_t)n : 0;
	}
}

static bool is_link(const struct cowsh_change *c)
{
	return (c->mode & 0170000) == 0120000;
}

/* Whether the script has set it: what is mounted, and what is made, is the session's user's. */
static bool has_new_owner(const struct apply *a, const struct cowsh_change *c)
{
	const char *user = a->r->options->config.user;
	unsigned own = user != NULL && strcmp(user, "root") == 0 ? 0 : 1000;

	if (c->mode == 0)
		return false;
	if (c->old_mode != 0)
		return c->uid != c->old_uid || c->gid != c->old_gid;
	return c->uid != own || c->gid != own;
}

/* Notes what was left out: the broker said so, or it was not asked for. */
static void count_left(struct apply *a, const struct cowsh_change *c, int64_t left)
{
	unsigned old = c->kind == 'm' ? c->old_mode : 0;
	bool set_id = (c->mode & 0170000) == 0100000 && (c->mode & ~old & 06000) != 0;

	if (rights == BROKER_WRITES_OWNERS) {
		a->no_owner += (left & BROKER_NO_OWNER) != 0 || (is_link(c) && has_new_owner(a, c));
		a->no_set_id += (left & BROKER_NO_SET_ID) != 0;
		return;
	}
	a->no_owner += has_new_owner(a, c);
	a->no_set_id += set_id || (left & BROKER_NO_SET_ID) != 0;
}

static void say_left(const char *what, uint64_t n)
{
	if (n != 0)
		out_format("cowsh: --apply: %s left out: %llu%s\n", what, (unsigned long long)n,
			   rights == BROKER_WRITES_OWNERS ? "" : " (--apply=owners brings them)");
}

static int64_t send_change(struct apply *a, int mount, const struct cowsh_change *c)
{
	const char *path = c->path + mount_length(&a->r->options->mounts[mount]) + 1;
	char target[BROKER_TARGET_MAX];
	size_t len = strlen(path);
	int64_t n = 0;
	struct broker_request r = { .op = BROKER_APPLY, .id = (uint64_t)mount };
	struct broker_change change = { .kind = (unsigned char)c->kind,
					.mode = c->mode,
					.mtime_ns = c->mtime_ns,
					.uid = BROKER_NOBODY,
					.gid = BROKER_NOBODY,
					.path_len = (uint32_t)len,
					.old_mtime_ns = c->old_mtime_ns,
					.old_size = c->old_size,
					.old_mode = c->old_mode };

	a->broken |= len >= BROKER_PATH_MAX;
	if (len >= BROKER_PATH_MAX)
		return -COWSH_ENAMETOOLONG;
	if (rights == BROKER_WRITES_OWNERS && has_new_owner(a, c)) {
		change.uid = c->uid;
		change.gid = c->gid;
	}
	if (is_link(c))
		n = cowsh_read_link(a->r->session, c->path, target, sizeof target);
	a->broken |= n < 0;
	if (n < 0)
		return n;
	change.target_len = (uint32_t)n;
	if (!broker_send(&r, sizeof r) || !broker_send(&change, sizeof change) ||
	    !broker_send(path, len) || !broker_send(target, (size_t)n))
		return -COWSH_EIO;
	n = broker_answer();
	return n == BROKER_WANTS_DATA ? send_content(a, c) : n;
}

static int apply_change(void *user, const struct cowsh_change *c)
{
	struct apply *a = user;
	int mount = mount_of(a->r->options, c->path);
	int64_t err;

	if (mount < 0 || a->r->options->mounts[mount].read_only || a->lost[mount])
		return 0;
	if (c->path[mount_length(&a->r->options->mounts[mount])] == '\0') {
		/* The mounted directory's own mode stays. */
		a->lost[mount] = c->kind != 'm';
		a->broken |= a->lost[mount];
		if (a->lost[mount])
			fail(a, c->path, BROKER_NO_FILE);
		return 0;
	}
	err = send_change(a, mount, c);
	if (err < 0) {
		want_content(a, c);
		fail(a, c->path, err);
		return 0;
	}
	count_left(a, c, err);
	succeed(a, c);
	return 0;
}

/* What had to wait is done now; its failures come with their paths. */
static int finish(struct apply *a, bool broken)
{
	static char path[BROKER_PATH_MAX + 4096];
	struct broker_failure f;
	int64_t err = broker_ask(BROKER_FINISH, 0, 0, broken);

	if (err < 0)
		return (int)err;
	while (broker_receive(&f, sizeof f)) {
		const struct cowsh_mount_config *m;
		size_t len;

		if (f.path_len == 0)
			return 0;
		if (f.id >= (uint32_t)a->r->options->nmounts || f.path_len >= BROKER_PATH_MAX)
			break;
		m = &a->r->options->mounts[f.id];
		len = mount_length(m);
		memcpy(path, m->path, len);
		path[len] = '/';
		if (!broker_receive(path + len + 1, f.path_len))
			break;
		path[len + 1 + f.path_len] = '\0';
		fail(a, path, f.err);
		a->done--;
	}
	return -COWSH_EIO;
}

static int apply_all(struct apply *a, const cowsh_snapshot *before)
{
	int err = a->r->options->nmounts == 0 ? 0
					      : cowsh_diff(a->r->session, before, apply_change, a);

	/* What was begun is finished also when the list broke off. */
	if (a->r->options->nmounts != 0) {
		int end = finish(a, err < 0 || a->broken);

		err = err < 0 ? err : end;
	}
	return err;
}

int apply_run(struct runner *r, const cowsh_snapshot *before, const struct cowsh_result *result)
{
	struct apply a = { .r = r, .json = r->options->json, .first = true };
	int err = 0;

	if (a.json)
		out_text(",\"apply\":{\"list\":[");
	else
		out_to(2);
	if (result->limit < 0)
		err = apply_all(&a, before);
	if (a.json)
		out_format("],\"applied\":%llu,\"failed\":%llu,\"owners_left_out\":%llu,"
			   "\"set_id_left_out\":%llu,\"error\":%s%s%s}",
			   (unsigned long long)(rights >= BROKER_WRITES ? a.done : 0),
			   (unsigned long long)a.failures, (unsigned long long)a.no_owner,
			   (unsigned long long)a.no_set_id, err < 0 ? "\"" : "",
			   err < 0              ? strerror(-err)
			   : result->limit >= 0 ? "\"stopped by a limit\""
						: "null",
			   err < 0 ? "\"" : "");
	else if (err < 0)
		out_format("cowsh: --apply: %s\n", strerror(-err));
	else if (result->limit >= 0)
		out_text("cowsh: --apply: the run was stopped: nothing is applied\n");
	if (!a.json) {
		say_left("owners", a.no_owner);
		say_left("set-id bits", a.no_set_id);
		out_flush();
	}
	return err < 0 || a.failures != 0 ? APPLY_STATUS : 0;
}
