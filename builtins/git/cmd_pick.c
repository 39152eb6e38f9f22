/* SPDX-License-Identifier: MIT
 *
 * git cherry-pick and git revert. Of several commits, what remains is kept in sequencer/.
 */
#include "builtins/git/rerere.h"
#include "builtins/git/sequence.h"
#include "builtins/git/trailer.h"

struct pick_opts {
	struct sequence_choice choice; /* first */
	bool no_commit, origin, edit, sign_off, allow_empty, allow_empty_message, keep_redundant,
		ff;
	int mainline;
	const char *cleanup;
	struct names xopts;
};
struct sequence {
	struct git *g;
	struct pick_opts o;
	enum pick_kind kind;
	const char *name; /* "cherry-pick" or "revert" */
	struct todo todo;
	bool several; /* state is kept */
};

enum result { DONE, STOPPED };

#define DIR "sequencer/"

static bool has(struct git *g, const char *name)
{
	return file_exists(g, repo_path(g, g->a, name));
}

static const char *head_file(const struct sequence *s)
{
	return s->kind == REVERT ? "REVERT_HEAD" : "CHERRY_PICK_HEAD";
}

static void write_oid(struct git *g, const char *name, const struct oid *o)
{
	state_write(g, name, git_format(g->a, "%s\n", oid_hex(g, o)));
}

static _Noreturn void fail(struct sequence *s)
{
	git_die(s->g, "%s failed", s->name);
}

/* --- options --- */

static const struct git_option pick_options[] = {
	GIT_CALL(0, "quit", act_quit),
	GIT_CALL(0, "continue", act_continue),
	GIT_CALL(0, "abort", act_abort),
	GIT_CALL(0, "skip", act_skip),
	GIT_STR(0, "cleanup", struct pick_opts, cleanup),
	GIT_FLAG('n', "no-commit", struct pick_opts, no_commit),
	GIT_FLAG('e', "edit", struct pick_opts, edit),
	GIT_FLAG('s', "signoff", struct pick_opts, sign_off),
	GIT_INT('m', "mainline", struct pick_opts, mainline),
	GIT_CALL(0, "rerere-autoupdate", git_opt_rerere),
	GIT_CALL_ARG(0, "strategy", set_strategy),
	GIT_LIST('X', "strategy-option", struct pick_opts, xopts),
	GIT_CALL(0, "no-gpg-sign", git_opt_taken),
	GIT_MISSING('S', "gpg-sign"),
	/* Of cherry-pick alone. */
	GIT_FLAG('x', NULL, struct pick_opts, origin),
	GIT_FLAG(0, "ff", struct pick_opts, ff),
	GIT_FLAG(0, "allow-empty", struct pick_opts, allow_empty),
	GIT_FLAG(0, "allow-empty-message", struct pick_opts, allow_empty_message),
	GIT_FLAG(0, "keep-redundant-commits", struct pick_opts, keep_redundant),
	GIT_END(),
};
static const char *const pick_usage[] = {
	"git cherry-pick [--edit] [-n] [-m <parent-number>] [-s] [-x] [--ff]\n"
	"                       [-S[<keyid>]] <commit>...",
	"git cherry-pick (--continue | --skip | --abort | --quit)", NULL
};
static const char *const revert_usage[] = {
	"git revert [--[no-]edit] [-n] [-m <parent-number>] [-s] [-S[<keyid>]] <commit>...",
	"git revert (--continue | --skip | --abort | --quit)", NULL
};

/* --- one commit --- */

static struct bytes message_for(struct sequence *s, const struct commit *c,
				const struct commit *parent)
{
	struct git *g = s->g;
	struct buf b = buf_in(g->keep);
	struct commit_text t;

	if (s->kind == REVERT) {
		buf_printf(&b, "Revert \"%s\"\n\nThis reverts commit %s", pick_first_line(g, c),
			   oid_hex(g, &c->oid));
		if (c->nparents > 1)
			buf_printf(&b, ", reversing\nchanges made to %s", oid_hex(g, &parent->oid));
		buf_puts(&b, ".\n");
	} else {
		commit_text(g, g->keep, &c->oid, &t);
		buf_add(&b, t.message);
	}
	if (s->kind != REVERT && s->o.origin) {
		while (b.len > 0 && b.ptr[b.len - 1] == '\n')
			b.len--;
		buf_putc(&b, '\n');
		if (trailers_of(g, buf_bytes(&b)).len == 0)
			buf_putc(&b, '\n');
		buf_printf(&b, "(cherry picked from commit %s)\n", oid_hex(g, &c->oid));
	}
	struct bytes m = { buf_cstr(&b), b.len };

	return s->o.sign_off ? pick_sign_off(g, m) : m;
}

static struct commit *parent_of(struct sequence *s, const struct commit *c)
{
	struct git *g = s->g;

	if (c->nparents > 1 && s->o.mainline == 0) {
		git_error(g, "commit %s is a merge but no -m option was given.",
			  oid_hex(g, &c->oid));
		fail(s);
	}
	if (s->o.mainline > 1 && (uint32_t)s->o.mainline > c->nparents) {
		git_error(g, "commit %s does not have parent %d", oid_hex(g, &c->oid),
			  s->o.mainline);
		fail(s);
	}
	if (c->nparents == 0)
		return NULL;
	return c->parent[s->o.mainline > 0 ? s->o.mainline - 1 : 0];
}

static void say_conflict(struct sequence *s, const struct commit *c)
{
	struct git *g = s->g;

	cmd_flush(g->c); /* what the merge said comes first */
	git_error(g, "could not %s %s... %s", s->kind == REVERT ? "revert" : "apply",
		  oid_short(g, &c->oid, 0), pick_first_line(g, c));
	if (s->o.no_commit)
		git_hint(g, NULL,
			 "after resolving the conflicts, mark the corrected paths\n"
			 "with 'git add <paths>' or 'git rm <paths>'\n");
	else
		git_hint(g, NULL,
			 "After resolving the conflicts, mark them with\n"
			 "\"git add/rm <pathspec>\", then run\n"
			 "\"git %s --continue\".\n"
			 "You can instead skip this commit with \"git %s --skip\".\n"
			 "To abort and get back to the state before \"git %s\",\n"
			 "run \"git %s --abort\".\n",
			 s->name, s->name, s->name, s->name);
}

static enum result stop(struct sequence *s, struct picking *p, struct bytes message)
{
	struct git *g = s->g;

	pick_write_message(g, message, &p->merge);
	if (!s->o.no_commit)
		write_oid(g, head_file(s), &p->commit->oid);
	say_conflict(s, p->commit);
	rerere_run(g);
	return STOPPED;
}

/* git commit with the message of MERGE_MSG through an editor. */
static enum result commit_edited(struct sequence *s)
{
	struct git *g = s->g;
	char *argv[8];
	int n = 0;

	argv[n++] = arena_dup(g->keep, BYTES("commit"));
	argv[n++] = arena_dup(g->keep, BYTES("-n"));
	argv[n++] = arena_dup(g->keep, BYTES("-e"));
	if (s->o.allow_empty || s->o.keep_redundant)
		argv[n++] = arena_dup(g->keep, BYTES("--allow-empty"));
	argv[n] = NULL;
	g->reflog_action = s->name;
	int status = git_run(g, n, argv);

	g->reflog_action = NULL;
	g->index = NULL;
	return status == 0 ? DONE : STOPPED;
}

/* Nothing would change: git commit says so. */
static enum result stop_empty(struct sequence *s, struct picking *p, struct bytes message)
{
	struct git *g = s->g;
	struct status st;
	struct status_opts so = { .untracked = -1 };
	struct buf out = buf_in(g->a);

	pick_write_message(g, message, &p->merge);
	if (s->kind == PICK)
		write_oid(g, head_file(s), &p->commit->oid);
	cmd_flush(g->c);
	if (s->kind == PICK)
		git_say(g, "The previous cherry-pick is now empty, possibly due to conflict "
			   "resolution.\nIf you wish to commit it anyway, use:\n\n"
			   "    git commit --allow-empty\n\n"
			   "Otherwise, please use 'git cherry-pick --skip'\n");
	status_collect(g, &st, &so);
	st.o.for_commit = true;
	status_put(&st, &out);
	cmd_bytes(g->c, buf_bytes(&out));
	return STOPPED;
}

static bool may_be_empty(struct sequence *s, const struct picking *p)
{
	if (!oid_eq(&p->merge.tree, &p->head_tree) || s->o.keep_redundant)
		return true;
	return s->o.allow_empty && oid_eq(&p->commit->tree, &p->base);
}

static struct bytes cleaned(struct sequence *s, struct bytes message)
{
	const char *how = s->o.cleanup;

	if (how == NULL && (s->o.origin || s->o.sign_off))
		how = "whitespace";
	if (how == NULL || strcmp(how, "verbatim") == 0)
		return message;
	if (strcmp(how, "strip") != 0 && strcmp(how, "whitespace") != 0 &&
	    strcmp(how, "default") != 0 && strcmp(how, "scissors") != 0)
		git_die(s->g, "Invalid cleanup mode %s", how);
	return message_clean(s->g, message, strcmp(how, "strip") == 0);
}

static enum result commit_merged(struct sequence *s, struct picking *p, struct bytes message)
{
	struct git *g = s->g;
	struct commit_text t;
	struct oid o;
	const char *author = NULL;

	if (s->o.no_commit) {
		pick_write_message(g, message, &p->merge);
		if (s->kind == REVERT)
			write_oid(g, "REVERT_HEAD", &p->commit->oid);
		return DONE;
	}
	if (!may_be_empty(s, p))
		return stop_empty(s, p, message);
	if (s->o.edit) {
		pick_write_message(g, message, &p->merge);
		if (s->kind == PICK)
			write_oid(g, head_file(s), &p->commit->oid);
		return commit_edited(s);
	}
	commit_text(g, g->keep, &p->commit->oid, &t);
	if (s->kind == PICK)
		author = arena_dup(g->keep, t.author);
	pick_record(g, &p->merge.tree, &p->head, oid_is_null(&p->head) ? 0 : 1, author,
		    cleaned(s, message), s->name, &o);
	commit_print(g, &o, oid_is_null(&p->head), true);
	return DONE;
}

static bool fast_forward(struct sequence *s, struct picking *p)
{
	struct git *g = s->g;
	struct switch_opts so = { .action = "merge" };

	if (!work_switch(g, &p->head_tree, &p->commit->tree, &so))
		return false;
	index_write(g, index_get(g));
	ref_update(g, "HEAD", &p->commit->oid, &p->head,
		   git_format(g->a, "%s: fast-forward", s->name), false);
	return true;
}

static enum result pick_one(struct sequence *s, struct commit *c)
{
	struct git *g = s->g;
	struct picking p = { .g = g,
			     .kind = s->kind,
			     .xopts = s->o.xopts,
			     .commit = c,
			     .no_commit = s->o.no_commit };
	struct commit *parent;
	struct bytes message;

	commit_need(g, c);
	parent = parent_of(s, c);
	if (parent != NULL)
		commit_need(g, parent);
	p.head_tree = oid_empty_tree;
	if (!head_oid(g, &p.head))
		p.head = oid_null;
	else if (!tree_of(g, &p.head, &p.head_tree))
		git_die(g, "could not parse HEAD commit");
	if (s->o.ff && parent != NULL && oid_eq(&parent->oid, &p.head)) {
		if (!fast_forward(s, &p))
			fail(s);
		return DONE;
	}
	message = message_for(s, c, parent);
	if (!pick_merge(&p, parent))
		fail(s);
	cmd_bytes(g->c, buf_bytes(&p.merge.messages));
	if (!p.merge.clean)
		return stop(s, &p, message);
	return commit_merged(s, &p, message);
}

/* --- several --- */

static void write_option(struct buf *b, const char *name, bool on)
{
	if (on)
		buf_printf(b, "\t%s = true\n", name);
}

static void write_options(struct sequence *s)
{
	struct git *g = s->g;
	struct buf b = buf_in(g->a);

	write_option(&b, "no-commit", s->o.no_commit);
	write_option(&b, "edit", s->o.edit);
	write_option(&b, "allow-empty", s->o.allow_empty);
	write_option(&b, "allow-empty-message", s->o.allow_empty_message);
	write_option(&b, "keep-redundant-commits", s->o.keep_redundant);
	write_option(&b, "signoff", s->o.sign_off);
	write_option(&b, "record-origin", s->o.origin);
	write_option(&b, "allow-ff", s->o.ff);
	if (s->o.mainline != 0)
		buf_printf(&b, "\tmainline = %d\n", s->o.mainline);
	for (size_t i = 0; i < s->o.xopts.n; i++)
		buf_printf(&b, "\tstrategy-option = %s\n", s->o.xopts.at[i]);
	if (b.len != 0)
		state_write(g, DIR "opts", git_format(g->a, "[options]\n%s", buf_cstr(&b)));
}

static bool option(struct git *g, const struct config *cf, const char *name)
{
	const struct config_entry *e = config_find(g, cf, git_format(g->a, "options.%s", name));

	return e != NULL && config_truth(e->value) == 1;
}

static void read_options(struct sequence *s)
{
	struct git *g = s->g;
	struct config cf = { NULL, 0, 0, false };
	int64_t n;

	config_add_file(g, &cf, repo_path(g, g->a, DIR "opts"), CONFIG_COMMAND, false, 0);
	s->o.no_commit = option(g, &cf, "no-commit");
	s->o.edit = option(g, &cf, "edit");
	s->o.allow_empty = option(g, &cf, "allow-empty");
	s->o.keep_redundant = option(g, &cf, "keep-redundant-commits");
	s->o.sign_off = option(g, &cf, "signoff");
	s->o.origin = option(g, &cf, "record-origin");
	s->o.ff = option(g, &cf, "allow-ff");
	const struct config_entry *e = config_find(g, &cf, "options.mainline");

	if (e != NULL && e->value != NULL && git_number(e->value, &n) && n > 0 && n < INT32_MAX)
		s->o.mainline = (int)n;
	for (size_t i = 0; i < cf.n; i++)
		if (strcmp(cf.at[i].key, "options.strategy-option") == 0 && cf.at[i].value != NULL)
			names_add(g, &s->o.xopts, cf.at[i].value);
}

static void note_head(struct sequence *s)
{
	struct oid head;

	if (s->several && head_oid(s->g, &head))
		write_oid(s->g, DIR "abort-safety", &head);
}

static int pick_all(struct sequence *s)
{
	struct git *g = s->g;

	for (size_t i = 0; i < s->todo.n; i++) {
		struct buf b = buf_in(g->a);

		if (s->several) {
			todo_put(g, &s->todo, i, true, &b);
			state_write(g, DIR "todo", buf_cstr(&b));
			note_head(s);
		}
		if (s->todo.at[i].commit == NULL)
			continue;
		cmd_charge(g->c, 10);
		if (pick_one(s, s->todo.at[i].commit) == STOPPED) {
			note_head(s);
			return 1;
		}
	}
	if (s->several)
		file_remove_tree(g, repo_path(g, g->a, "sequencer"));
	return 0;
}

static void forget(struct git *g)
{
	file_remove_tree(g, repo_path(g, g->a, "sequencer"));
	state_remove(g, "CHERRY_PICK_HEAD");
	state_remove(g, "REVERT_HEAD");
}

static _Noreturn void not_in_progress(struct sequence *s)
{
	git_error(s->g, "no cherry-pick or revert in progress");
	fail(s);
}

static void reset_merge(struct git *g, const struct oid *to)
{
	struct oid tree;
	char *argv[4] = { arena_dup(g->keep, BYTES("reset")), arena_dup(g->keep, BYTES("--merge")),
			  NULL, NULL };

	argv[2] = arena_dup(g->keep, bytes_of(oid_hex(g, to)));
	if (!tree_of(g, to, &tree))
		git_die(g, "could not read HEAD");
	git_run(g, 3, argv);
	g->index = NULL;
}

static int abort_all(struct sequence *s)
{
	struct git *g = s->g;
	char *saved = state_read(g, DIR "head");
	char *safety = state_read(g, DIR "abort-safety");
	struct oid o, now, safe;

	if (saved == NULL) {
		if (!head_oid(g, &o) || (!has(g, "CHERRY_PICK_HEAD") && !has(g, "REVERT_HEAD")))
			not_in_progress(s);
		reset_merge(g, &o);
		forget(g);
		return 0;
	}
	if (!oid_parse(saved, &o))
		git_die(g, "stored pre-cherry-pick HEAD file '%s' is corrupt",
			repo_path(g, g->a, DIR "head"));
	if (safety != NULL && oid_parse(safety, &safe) && head_oid(g, &now) && !oid_eq(&now, &safe))
		git_warn(g, "You seem to have moved HEAD. Not rewinding, check your HEAD!");
	else
		reset_merge(g, &o);
	forget(g);
	return 0;
}

/* What is left of the sequence; its first line is the commit that stopped. */
static void read_rest(struct sequence *s)
{
	struct git *g = s->g;
	char *text = state_read(g, DIR "todo");

	if (text == NULL)
		return;
	s->several = true;
	read_options(s);
	if (!todo_parse(g, bytes_of(text), true, &s->todo)) {
		git_error(g, "unusable instruction sheet: '%s'", repo_path(g, g->a, DIR "todo"));
		fail(s);
	}
	if (s->todo.n > 0) {
		s->todo.at++;
		s->todo.n--;
	}
}

static int finish_one(struct sequence *s)
{
	struct git *g = s->g;
	char *argv[4] = { arena_dup(g->keep, BYTES("commit")), NULL, NULL, NULL };
	int status;

	if (!s->o.edit) {
		argv[1] = arena_dup(g->keep, BYTES("--no-edit"));
		argv[2] = arena_dup(g->keep, BYTES("--cleanup=strip"));
	}
	status = git_run(g, s->o.edit ? 1 : 3, argv);
	g->index = NULL;
	return status;
}

static int resume(struct sequence *s)
{
	struct git *g = s->g;
	bool stopped = has(g, "CHERRY_PICK_HEAD") || has(g, "REVERT_HEAD");

	if (!stopped && !has(g, DIR "todo"))
		not_in_progress(s);
	read_rest(s);
	if (stopped) {
		int status = finish_one(s);

		if (status != 0)
			return status;
	}
	return pick_all(s);
}

static int skip(struct sequence *s)
{
	struct git *g = s->g;
	struct oid o;
	char *text = state_read(g, DIR "todo");
	bool ours = text != NULL && git_starts(text, s->kind == REVERT ? "revert" : "pick");

	if (!has(g, head_file(s)) && !ours) {
		git_error(g, "no %s in progress", s->name);
		fail(s);
	}
	if (!has(g, head_file(s)) && pick_staged_changes(g)) {
		git_error(g, "there is nothing to skip");
		git_hint(g, NULL, "have you committed already?\ntry \"git %s --continue\"\n",
			 s->name);
		fail(s);
	}
	if (head_oid(g, &o))
		reset_merge(g, &o);
	state_clear(g);
	read_rest(s);
	return pick_all(s);
}

/* --- the start --- */

static void refuse_unmerged(struct sequence *s)
{
	struct git *g = s->g;

	if (s->o.no_commit || !index_unmerged(index_get(g)))
		return;
	git_error(g, "%s is not possible because you have unmerged files.",
		  s->kind == REVERT ? "Reverting" : "Cherry-picking");
	git_hint(g, "resolveConflict",
		 "Fix them up in the work tree, and then use 'git add/rm <file>'\n"
		 "as appropriate to mark resolution and make a commit.\n");
	fail(s);
}

static void refuse_staged(struct sequence *s)
{
	struct git *g = s->g;

	if (s->o.no_commit || !pick_staged_changes(g))
		return;
	git_error(g, "your local changes would be overwritten by %s.", s->name);
	git_hint(g, "commitBeforeMerge", "commit your changes or stash them to proceed.\n");
	fail(s);
}

static void refuse_second(struct sequence *s)
{
	struct git *g = s->g;
	char *text = state_read(g, DIR "todo");
	const char *running = text == NULL                 ? NULL
			      : git_starts(text, "revert") ? "revert"
							   : "cherry-pick";

	if (!s->several)
		return;
	if (running == NULL && has(g, "REVERT_HEAD"))
		running = "revert";
	if (running == NULL)
		return;
	git_error(g, "%s is already in progress", running);
	git_hint(g, "sequencerInUse", "try \"git %s (--continue | %s--abort | --quit)\"\n", running,
		 has(g, head_file(s)) ? "--skip | " : "");
	fail(s);
}

static void add(struct sequence *s, struct commit *c)
{
	todo_add(s->g, &s->todo,
		 (struct todo_item){ .kind = s->kind == REVERT ? TODO_REVERT : TODO_PICK,
				     .commit = c,
				     .arg = bytes_of(pick_subject(s->g, c)) });
}

static void find_commits(struct sequence *s, struct args *args)
{
	struct git *g = s->g;
	struct revs r;
	struct commit *c;
	bool range = false;

	revs_init(g, &r);
	for (int i = 0; i < args->argc; i++)
		if (!revs_add(g, &r, args->argv[i]))
			git_die(g, "bad revision '%s'", args->argv[i]);
	for (size_t i = 0; i < r.nitems; i++)
		range = range || r.item[i].uninteresting;
	for (size_t i = 0; i < r.nitems && !range; i++)
		add(s, r.item[i].c);
	if (range) {
		r.reverse = s->kind != REVERT;
		while ((c = revs_next(&r)) != NULL)
			add(s, c);
		revs_forget(g);
	}
	s->several = range || s->todo.n > 1;
	if (s->todo.n == 0) {
		git_error(g, "empty commit set passed");
		fail(s);
	}
}

static int start(struct sequence *s, struct args *args)
{
	struct git *g = s->g;
	struct oid head;

	find_commits(s, args);
	refuse_second(s);
	refuse_unmerged(s);
	refuse_staged(s);
	if (s->several && head_oid(g, &head)) {
		write_oid(g, DIR "head", &head);
		write_options(s);
	}
	return pick_all(s);
}

static void check_options(struct sequence *s)
{
	struct git *g = s->g;

	if (s->kind == REVERT && (s->o.origin || s->o.ff || s->o.allow_empty ||
				  s->o.allow_empty_message || s->o.keep_redundant))
		git_usage(g, revert_usage);
	if (s->o.keep_redundant)
		s->o.allow_empty = true;
	if (!s->o.ff)
		return;
	const char *other = s->o.sign_off    ? "--signoff"
			    : s->o.no_commit ? "--no-commit"
			    : s->o.origin    ? "-x"
			    : s->o.edit      ? "--edit"
					     : NULL;

	if (other != NULL)
		git_die(g, "cherry-pick: --ff cannot be used with %s", other);
}

static int pick_main(struct git *g, struct args *args, enum pick_kind kind)
{
	struct sequence s = { .g = g,
			      .kind = kind,
			      .name = kind == REVERT ? "revert" : "cherry-pick" };
	const struct git_parser parser = { pick_options, &s.o,
					   kind == REVERT ? revert_usage : pick_usage, 0, NULL };

	git_parse(g, args, &parser);
	check_options(&s);
	switch (s.o.choice.action) {
	case ACT_QUIT: forget(g); return 0;
	case ACT_ABORT: return abort_all(&s);
	case ACT_CONTINUE: return resume(&s);
	case ACT_SKIP: return skip(&s);
	default: break;
	}
	if (args->argc == 0)
		git_usage(g, parser.usage);
	return start(&s, args);
}

int git_cmd_cherry_pick(struct git *g, struct args *args)
{
	return pick_main(g, args, PICK);
}

int git_cmd_revert(struct git *g, struct args *args)
{
	return pick_main(g, args, REVERT);
}
