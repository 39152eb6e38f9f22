/* SPDX-License-Identifier: MIT
 *
 * git rerere: what is recorded of conflicts, shown, forgotten, thrown away when it is old.
 */
#include "builtins/git/rerere.h"

enum { DAY = 86400, RESOLVED_DAYS = 60, UNRESOLVED_DAYS = 15 };

static const struct git_option rerere_options[] = {
	GIT_CALL(0, "rerere-autoupdate", git_opt_rerere),
	GIT_END(),
};
static const char *const rerere_usage[] = {
	"git rerere [clear | forget <pathspec>... | diff | status | remaining | gc]", NULL
};

/* --- diff --- */

static int show_diff(struct git *g, const struct rerere_item *it)
{
	struct bytes one, two;
	int err = file_read(g, g->a, rerere_path(g, it, "preimage"), &one);

	if (err == 0)
		err = file_read(g, g->a, it->path, &two);
	if (err < 0)
		git_die(g, "unable to generate diff for '%s'", rerere_path(g, it, NULL));
	git_printf(g, "--- a/%s\n+++ b/%s\n", it->path, it->path);
	plain_diff(g, one, two);
	return 0;
}

/* --- forget --- */

/* The conflict as the index has it. */
static bool merged_again(struct git *g, const struct index *x, const char *path, struct bytes *out)
{
	struct merge_text m = { .label = { "ours", "", "theirs" } };
	struct bytes *sides[] = { &m.base, &m.ours, &m.theirs };

	for (unsigned stage = 1; stage <= 3; stage++) {
		bool found;
		size_t at = index_search(x, path, stage, &found);

		*sides[stage - 1] = BYTES("");
		if (found)
			*sides[stage - 1] = object_need(g, g->a, &x->at[at].oid, OBJECT_BLOB);
	}
	m.marker_size = rerere_marker_size(g, path);
	merge_text(g, g->a, &m);
	*out = m.result;
	return true;
}

static void forget_one(struct rerere *r, const struct index *x, const char *path)
{
	struct git *g = r->g;
	struct rerere_item probe = { .path = arena_dup(g->keep, bytes_of(path)) }, *it;
	struct buf plain = buf_in(g->a);
	struct bytes text, result;
	int n;

	merged_again(g, x, path, &text);
	if (rerere_conflicts(g, text, rerere_marker_size(g, path), &plain, &probe.id) < 1) {
		git_error(g, "could not parse conflict hunks in '%s'", path);
		return;
	}
	n = rerere_variants(g, &probe);
	for (; probe.variant < n; probe.variant++)
		if (rerere_has_resolution(g, &probe) &&
		    rerere_replay(g, &probe, buf_bytes(&plain), &result))
			break;
	if (probe.variant == n ||
	    cmd_unlink(g->c, CMD_CWD, rerere_path(g, &probe, "postimage"), 0) < 0) {
		git_error(g, "no remembered resolution for '%s'", path);
		return;
	}
	file_write(g, rerere_path(g, &probe, "thisimage"), buf_bytes(&plain), 0666);
	file_write(g, rerere_path(g, &probe, "preimage"), buf_bytes(&plain), 0666);
	git_say(g, "Updated preimage for '%s'\n", path);
	it = rerere_add(r, path);
	it->id = probe.id;
	it->variant = probe.variant;
	git_say(g, "Forgot resolution for '%s'\n", path);
}

static int forget(struct git *g, struct args *args)
{
	const struct index *x = index_get(g);
	struct pathspec ps;
	struct rerere r;

	if (args->argc < 2)
		git_warn(g, "'git rerere forget' without paths is deprecated");
	pathspec_of(g, args->argv + 1, args->argc - 1, &ps);
	if (!rerere_is_on(g))
		return 0;
	rerere_read(g, &r);
	for (size_t i = 0; i < x->n;) {
		const char *path = x->at[i].path;
		enum rerere_kind kind = rerere_next_path(x, &i);

		cmd_charge(g->c, 1);
		if (kind == RERERE_THREE && pathspec_match(g, &ps, path, false))
			forget_one(&r, x, path);
	}
	rerere_write(&r);
	return 0;
}

/* --- gc --- */

/* What is older goes; 0: nothing. */
static int64_t cutoff(struct git *g, const char *key, int days)
{
	const char *v = config_get(g, key);
	int64_t n = days;

	if (v != NULL && !git_number(v, &n))
		return strcmp(v, "never") == 0 || strcmp(v, "false") == 0 ? 0
									  : date_approximate(g, v);
	return date_now(g) - n * DAY;
}

static void gc_one(struct git *g, struct rerere_item *it, const int64_t limits[2])
{
	int n = rerere_variants(g, it);

	for (it->variant = 0; it->variant < n; it->variant++) {
		static const char *const images[] = { "postimage", "preimage" };
		struct vfs_stat st;

		cmd_charge(g->c, 4);
		for (int i = 0; i < 2; i++) {
			if (cmd_stat(g->c, rerere_path(g, it, images[i]), &st) < 0)
				continue;
			if (st.mtime_ns / 1000000000 < limits[i])
				for (int k = 0; k < 2; k++)
					cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, images[k]), 0);
			break;
		}
	}
	it->variant = 0;
	if (rerere_variants(g, it) == 0) {
		cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, "thisimage"), 0);
		cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, NULL), CMD_REMOVEDIR);
	}
}

void rerere_gc(struct git *g)
{
	const int64_t limits[] = { cutoff(g, "gc.rerereresolved", RESOLVED_DAYS),
				   cutoff(g, "gc.rerereunresolved", UNRESOLVED_DAYS) };
	struct vfs_dirent *list;
	size_t n;

	if (!rerere_is_on(g) ||
	    cmd_list(g->c, CMD_CWD, repo_path(g, g->a, "rr-cache"), g->keep, &list, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct rerere_item it = { .variant = 0 };
		struct arena_mark mark = arena_mark(g->a);

		if (list[i].name.len == OID_HEX && oid_parse_bytes(list[i].name, &it.id))
			gc_one(g, &it, limits);
		arena_release(g->a, mark);
	}
}

/* --- the command --- */

static void show_remaining(struct git *g, struct rerere *r)
{
	const struct index *x = index_get(g);

	for (size_t i = 0; i < x->n;) {
		const char *path = x->at[i].path;
		enum rerere_kind kind = rerere_next_path(x, &i);
		struct rerere_item *it;

		cmd_charge(g->c, 1);
		it = kind == RERERE_PUNTED ? rerere_add(r, path) : rerere_find(r, path);
		if (it != NULL && kind == RERERE_RESOLVED)
			it->done = true;
	}
	for (size_t i = 0; i < r->n; i++)
		if (!r->at[i].done)
			git_printf(g, "%s\n", r->at[i].path);
}

static int run_word(struct git *g, struct args *args, const char *word)
{
	struct rerere r;

	if (strcmp(word, "forget") == 0)
		return forget(g, args);
	if (strcmp(word, "clear") == 0) {
		rerere_clear(g);
	} else if (strcmp(word, "gc") == 0) {
		rerere_gc(g);
	} else if (strcmp(word, "status") == 0 || strcmp(word, "remaining") == 0 ||
		   strcmp(word, "diff") == 0) {
		if (!rerere_is_on(g))
			return 0;
		rerere_read(g, &r);
		if (word[0] == 'r')
			show_remaining(g, &r);
		for (size_t i = 0; i < r.n && word[0] != 'r'; i++) {
			if (word[0] == 's')
				git_printf(g, "%s\n", r.at[i].path);
			else
				show_diff(g, &r.at[i]);
		}
	} else {
		git_usage(g, rerere_usage);
	}
	return 0;
}

int git_cmd_rerere(struct git *g, struct args *args)
{
	const struct git_parser p = { rerere_options, NULL, rerere_usage, 0, NULL };

	git_parse(g, args, &p);
	if (args->argc > 0)
		return run_word(g, args, args->argv[0]);
	rerere_run(g);
	return 0;
}
