/* SPDX-License-Identifier: MIT
 *
 * git bisect - finds the commit that made something bad by halving what may be it.
 *
 * What is known stands in refs/bisect (bad, good-OID, skip-OID, or other words) and the files
 * BISECT_*, as the real one keeps it. Among commits that were not skipped the one nearest to the
 * middle is tested next.
 */
#include "builtins/git/bisect.h"

#define USAGE_LINE                                                                                 \
	"usage: git bisect [help|start|bad|good|new|old|terms|skip|next|reset|visualize|view|"     \
	"replay|log|run]\n"

enum { RUN_SKIP = 125, RUN_NOT_RUN = 126, RUN_ERROR = 128 };

static const char *const files[] = { "BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK",
				     "BISECT_LOG",          "BISECT_NAMES",
				     "BISECT_RUN",          "BISECT_TERMS",
				     "BISECT_START",        "BISECT_HEAD",
				     "BISECT_FIRST_PARENT" };

static void need_start(struct git *g)
{
	if (state_read(g, "BISECT_START") != NULL)
		return;
	git_say(g, "You need to start by \"git bisect start\"\n\n");
	git_exit(g, 1);
}

static int reset_state(struct git *g)
{
	struct ref *list;
	size_t n = ref_list(g, "refs/bisect/", &list);

	for (size_t i = 0; i < n; i++)
		ref_delete(g, list[i].name);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		state_remove(g, files[i]);
	return 0;
}

/* --- start --- */

struct start_args {
	struct bisect_terms t;
	bool terms_given;
	bool no_checkout;
	bool first_parent;
	struct names revs;
	int paths; /* where "--" stands, or behind the last */
};

/* The value of --term-x=V or --term-x V. NULL: another option. */
static char *term_value(const struct args *args, int *i, const char *name)
{
	size_t n = strlen(name);
	char *arg = args->argv[*i];

	if (strncmp(arg, name, n) != 0 || (arg[n] != '=' && arg[n] != '\0'))
		return NULL;
	if (arg[n] == '=')
		return arg + n + 1;
	return *i + 1 < args->argc ? args->argv[++*i] : arg + n;
}

/* 1: it is an option; 0: none; -1: unknown, after a message. */
static int start_option(struct git *g, struct args *args, int *i, struct start_args *s)
{
	const char *arg = args->argv[*i];
	char *v = NULL;

	if (strcmp(arg, "--no-checkout") == 0) {
		s->no_checkout = true;
	} else if (strcmp(arg, "--first-parent") == 0) {
		s->first_parent = true;
	} else if ((v = term_value(args, i, "--term-good")) != NULL ||
		   (v = term_value(args, i, "--term-old")) != NULL) {
		s->terms_given = true;
		s->t.good = v;
	} else if ((v = term_value(args, i, "--term-bad")) != NULL ||
		   (v = term_value(args, i, "--term-new")) != NULL) {
		s->terms_given = true;
		s->t.bad = v;
	} else if (git_starts(arg, "--")) {
		git_error(g, "unrecognized option: '%s'", arg);
		return -1;
	} else {
		return 0;
	}
	/* There is no word behind it. */
	if (v != NULL && v[0] == '\0' && strchr(arg, '=') == NULL) {
		git_error(g, "'' is not a valid term");
		return -1;
	}
	return 1;
}

static int start_parse(struct git *g, struct args *args, struct start_args *s)
{
	bool dashdash = false;
	struct oid o;

	for (int i = 0; i < args->argc; i++)
		dashdash = dashdash || strcmp(args->argv[i], "--") == 0;
	s->paths = args->argc;
	for (int i = 0; i < args->argc; i++) {
		if (strcmp(args->argv[i], "--") == 0) {
			s->paths = i;
			break;
		}
		int is = start_option(g, args, &i, s);

		if (is < 0)
			return 1;
		if (is > 0)
			continue;
		if (rev_commit(g, args->argv[i], &o) == 0) {
			names_add(g, &s->revs, arena_dup(g->keep, bytes_of(oid_hex(g, &o))));
			continue;
		}
		if (dashdash)
			git_die(g, "'%s' does not appear to be a valid revision", args->argv[i]);
		break;
	}
	return 0;
}

static bool term_is(const char *term, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(term, *list) == 0)
			return true;
	return false;
}

/* 0, or 1 after a message. */
static int check_term(struct git *g, const char *term, bool bad)
{
	static const char *const builtin[] = { "help",  "start",     "skip",  "next",
					       "reset", "visualize", "view",  "replay",
					       "log",   "run",       "terms", NULL };
	static const char *const bads[] = { "bad", "new", NULL };
	static const char *const goods[] = { "good", "old", NULL };

	if (term[0] == '\0' || !ref_name_valid(git_format(g->a, "refs/bisect/%s", term)))
		return git_error(g, "'%s' is not a valid term", term);
	if (term_is(term, builtin))
		return git_error(g, "can't use the builtin command '%s' as a term", term);
	if (term_is(term, bad ? goods : bads))
		return git_error(g, "can't change the meaning of the term '%s'", term);
	return 0;
}

static int write_terms(struct git *g, const struct bisect_terms *t)
{
	if (strcmp(t->bad, t->good) == 0)
		return git_error(g, "please use two different terms");
	if (check_term(g, t->bad, true) != 0 || check_term(g, t->good, false) != 0)
		return 1;
	state_write(g, "BISECT_TERMS", git_format(g->a, "%s\n%s\n", t->bad, t->good));
	return 0;
}

/* Where bisecting goes back to; NULL after a message. A bisection that goes on is left first. */
static char *start_point(struct git *g)
{
	char *before = state_read(g, "BISECT_START");
	const char *branch;
	struct oid head;

	if (!head_oid(g, &head))
		git_die(g, "bad HEAD - I need a HEAD");
	if (before != NULL) {
		if (!file_exists(g, repo_path(g, g->a, "BISECT_HEAD")) &&
		    bisect_checkout(g, bisect_first_line(before), false) != 0) {
			git_error(
				g,
				"checking out '%s' failed. Try 'git bisect start <valid-branch>'.",
				before);
			return NULL;
		}
		return before;
	}
	branch = head_ref(g);
	return arena_dup(g->keep,
			 bytes_of(branch != NULL ? ref_short(g, branch) : oid_hex(g, &head)));
}

static void put_words(struct buf *out, struct args *args, int from)
{
	for (int i = from; i < args->argc; i++) {
		buf_putc(out, ' ');
		git_quote_shell(out, args->argv[i]);
	}
}

static int start(struct git *g, struct args *args)
{
	struct start_args s = { .paths = 0 };
	struct buf line = buf_in(g->a);
	struct buf paths = buf_in(g->a);

	bisect_read_terms(g, &s.t);
	s.t.bad = arena_dup(g->keep, BYTES("bad"));
	s.t.good = arena_dup(g->keep, BYTES("good"));
	if (start_parse(g, args, &s) != 0)
		return 1;
	char *head = start_point(g);

	if (head == NULL)
		return 1;
	reset_state(g);
	if (s.no_checkout) {
		struct oid o;

		rev_commit(g, head, &o);
		ref_update(g, "BISECT_HEAD", &o, NULL, NULL, true);
	}
	state_write(g, "BISECT_START", git_format(g->a, "%s\n", head));
	if (s.first_parent)
		state_write(g, "BISECT_FIRST_PARENT", "\n");
	put_words(&paths, args, s.paths);
	state_write(g, "BISECT_NAMES", git_format(g->a, "%s\n", buf_cstr(&paths)));
	if ((s.terms_given || s.revs.n != 0) && write_terms(g, &s.t) != 0)
		return 1;
	for (size_t i = 0; i < s.revs.n; i++)
		bisect_mark(g, &s.t, i == 0 ? s.t.bad : s.t.good,
			    &bisect_commit(g, s.revs.at[i])->oid, NULL);
	buf_puts(&line, "git bisect start");
	put_words(&line, args, 0);
	buf_putc(&line, '\n');
	bisect_log(g, buf_cstr(&line));
	int status = bisect_next(g, false);

	if (status != 0 && status != BISECT_FOUND && status != BISECT_NOTHING_LEFT)
		reset_state(g);
	return status;
}

/* The word for a state must be one of the two that are in use; the first one says which they are.
 * 0, or 1 after a message. */
static int settle_terms(struct git *g, const char *word, struct bisect_terms *t)
{
	bool known = bisect_read_terms(g, t);
	bool old_new = strcmp(word, "new") == 0 || strcmp(word, "old") == 0;

	if (strcmp(word, "skip") == 0 || strcmp(word, "start") == 0 || strcmp(word, "terms") == 0)
		return 0;
	if (known && strcmp(word, t->bad) != 0 && strcmp(word, t->good) != 0)
		return git_error(g, "Invalid command: you're currently in a %s/%s bisect", t->bad,
				 t->good);
	if (known || (!old_new && strcmp(word, "bad") != 0 && strcmp(word, "good") != 0))
		return 0;
	if (old_new) {
		t->bad = arena_dup(g->keep, BYTES("new"));
		t->good = arena_dup(g->keep, BYTES("old"));
	}
	return write_terms(g, t);
}

static const char *tested(struct git *g)
{
	return file_exists(g, repo_path(g, g->a, "BISECT_HEAD")) ? "BISECT_HEAD" : "HEAD";
}

/* What the user expected to be tested was not: another base may count then. */
static void check_expected(struct git *g, const struct oid *o)
{
	char *expected = state_read(g, "BISECT_EXPECTED_REV");

	if (expected != NULL && strcmp(bisect_first_line(expected), oid_hex(g, o)) != 0) {
		state_remove(g, "BISECT_EXPECTED_REV");
		state_remove(g, "BISECT_ANCESTORS_OK");
	}
}

static int set_state(struct git *g, const char *term, struct args *args)
{
	struct bisect_terms t;
	struct commits list = { .at = NULL };

	need_start(g);
	if (settle_terms(g, term, &t) != 0)
		return 1;
	if (strcmp(term, t.bad) == 0 && args->argc > 1)
		return git_error(g, "'git bisect %s' can take only one argument.", t.bad);
	for (int i = 0; i < args->argc || i == 0; i++) {
		LIST_ROOM(g, list.at, list.n, list.cap);
		list.at[list.n++] = bisect_commit(g, args->argc == 0 ? tested(g) : args->argv[i]);
	}
	for (size_t i = 0; i < list.n; i++) {
		bisect_mark(g, &t, term, &list.at[i]->oid, oid_hex(g, &list.at[i]->oid));
		check_expected(g, &list.at[i]->oid);
	}
	return bisect_next(g, false);
}

/* Commits and ranges of them. */
static int skip(struct git *g, struct args *args)
{
	struct args all = { 0, NULL, -1 };
	struct names list = { .at = NULL };

	for (int i = 0; i < args->argc; i++) {
		struct revs r;

		if (strstr(args->argv[i], "..") == NULL) {
			names_add(g, &list, args->argv[i]);
			continue;
		}
		revs_init(g, &r);
		if (!revs_add(g, &r, args->argv[i]))
			git_die(g, "bad revision '%s'", args->argv[i]);
		for (struct commit *c; (c = revs_next(&r)) != NULL;)
			names_add(g, &list, arena_dup(g->keep, bytes_of(oid_hex(g, &c->oid))));
		revs_forget(g);
	}
	all.argc = (int)list.n;
	all.argv = list.at;
	return set_state(g, "skip", &all);
}

static int show_terms(struct git *g, struct args *args)
{
	struct bisect_terms t;
	const char *arg = args->argc > 0 ? args->argv[0] : NULL;

	if (args->argc > 1)
		return git_error(g, "--bisect-terms requires 0 or 1 argument");
	if (!bisect_read_terms(g, &t))
		return git_error(g, "no terms defined");
	if (arg == NULL)
		git_printf(g,
			   "Your current terms are %s for the old state\nand %s for the new "
			   "state.\n",
			   t.good, t.bad);
	else if (strcmp(arg, "--term-good") == 0 || strcmp(arg, "--term-old") == 0)
		git_printf(g, "%s\n", t.good);
	else if (strcmp(arg, "--term-bad") == 0 || strcmp(arg, "--term-new") == 0)
		git_printf(g, "%s\n", t.bad);
	else
		return git_error(g,
				 "invalid argument %s for 'git bisect terms'.\nSupported options "
				 "are: --term-good|--term-old and --term-bad|--term-new.",
				 arg);
	return 0;
}

static int reset(struct git *g, struct args *args)
{
	char *branch = state_read(g, "BISECT_START");
	struct oid o;

	if (args->argc > 1)
		return git_error(g, "--bisect-reset requires either no argument or a commit");
	if (args->argc > 0 && rev_commit(g, args->argv[0], &o) != 0)
		return git_error(g, "'%s' is not a valid commit", args->argv[0]);
	if (args->argc == 0 && branch == NULL) {
		git_printf(g, "We are not bisecting.\n");
		return 0;
	}
	const char *target = args->argc > 0 ? args->argv[0] : bisect_first_line(branch);

	if (!file_exists(g, repo_path(g, g->a, "BISECT_HEAD")) &&
	    bisect_checkout(g, target, false) != 0)
		return git_error(g,
				 "could not check out original HEAD '%s'. Try 'git bisect reset "
				 "<commit>'.",
				 target);
	return reset_state(g);
}

static int show_log(struct git *g)
{
	char *log = state_read(g, "BISECT_LOG");

	if (log == NULL)
		return git_error(g, "We are not bisecting.");
	git_printf(g, "%s", log);
	return 0;
}

/* --- replay --- */

static struct bytes take_word(struct bytes *line)
{
	size_t n = 0;
	struct bytes word;

	*line = git_trim(*line);
	while (n < line->len && !byte_is_space((unsigned char)line->ptr[n]))
		n++;
	word = (struct bytes){ line->ptr, n };
	*line = git_trim((struct bytes){ line->ptr + n, line->len - n });
	return word;
}

static int replay_line(struct git *g, struct bytes line)
{
	struct bytes word = take_word(&line);
	struct names words = { .at = NULL };
	struct bisect_terms t;

	if (bytes_eq(word, BYTES("git")))
		word = take_word(&line);
	else if (!bytes_eq(word, BYTES("git-bisect")))
		return 0;
	if (bytes_eq(word, BYTES("bisect")) || bytes_eq(word, BYTES("git-bisect")))
		word = take_word(&line);
	else
		return 0;
	char *what = arena_dup(g->keep, word);
	char *rest = arena_dup(g->keep, line);
	const char *at = rest;

	if (settle_terms(g, what, &t) != 0)
		return 1;
	if (strcmp(what, "start") == 0) {
		for (char *one; (one = git_unquote_shell(g->keep, &at)) != NULL;)
			names_add(g, &words, one);
		struct args args = { (int)words.n, words.at, -1 };

		return start(g, &args);
	}
	if (strcmp(what, "terms") == 0) {
		struct args args = { rest[0] != '\0', &rest, -1 };

		return show_terms(g, &args);
	}
	if (strcmp(what, "skip") != 0 && strcmp(what, t.bad) != 0 && strcmp(what, t.good) != 0)
		return git_error(g, "?? what are you talking about?");
	bisect_mark(g, &t, what, &bisect_commit(g, rest)->oid, rest);
	return 0;
}

static int replay(struct git *g, struct args *args)
{
	struct args none = { 0, NULL, -1 };
	struct bytes text, line;
	int status = 0;

	if (args->argc != 1)
		return git_error(g, "no logfile given");
	if (file_read(g, g->keep, args->argv[0], &text) != 0 || text.len == 0)
		return git_error(g, "cannot read file '%s' for replaying", args->argv[0]);
	status = reset(g, &none);
	while (status == 0 && git_line(&text, &line))
		status = replay_line(g, line);
	return status != 0 && status != BISECT_FOUND ? status : bisect_next(g, false);
}

/* --- visualize --- */

/* The commits that are left in another command, mostly log. */
static int visualize(struct git *g, struct args *args)
{
	struct bisect_terms t;
	struct names words = { .at = NULL };
	struct ref *good;
	struct oid o;

	bisect_read_terms(g, &t);
	size_t ngood = ref_list(g, bisect_good_prefix(g, &t), &good);

	if (ref_read(g, bisect_bad_ref(g, &t), &o, NULL) != 0 || ngood == 0)
		return 1;
	const char *first = args->argc > 0 ? args->argv[0] : "";
	bool other = first[0] != '-' && first[0] != '\0';

	if (!other || (!git_starts(first, "git") && strcmp(first, "tig") != 0))
		names_add(g, &words, "git");
	if (!other)
		names_add(g, &words, "log");
	for (int i = 0; i < args->argc; i++)
		names_add(g, &words, args->argv[i]);
	names_add(g, &words, oid_hex(g, &o));
	names_add(g, &words, "--not");
	for (size_t i = 0; i < ngood; i++)
		names_add(g, &words, good[i].name);
	names_add(g, &words, "--");
	names_add(g, &words, "");
	words.at[words.n - 1] = NULL;
	cmd_flush(g->c);
	return git_spawn(g, words.at, NULL, -1, -1);
}

/* --- run --- */

static int run_once(struct git *g, const char *line)
{
	git_printf(g, "running %s\n", line);
	cmd_flush(g->c);
	char *none[] = { NULL };

	return git_spawn_shell(g, line, none, NULL);
}

/* A command that can't be run at all says nothing about a commit: a good one shows it. 0: go on. */
static int check_on_good(struct git *g, const char *line, int status)
{
	struct bisect_terms t;
	struct ref *good;
	char *now = state_read(g, "BISECT_EXPECTED_REV");

	bisect_read_terms(g, &t);
	if (now == NULL || ref_list(g, bisect_good_prefix(g, &t), &good) == 0)
		return 0;
	now = arena_dup(g->keep, bytes_of(bisect_first_line(now)));
	bisect_go_to(g, &good[0].oid);
	int at_good = run_once(g, line);
	struct oid o;

	oid_parse(now, &o);
	bisect_go_to(g, &o);
	if (at_good < 0 || at_good >= RUN_ERROR)
		return git_error(g, "unable to verify %s on good revision", line);
	if (at_good == status)
		return git_error(g, "bogus exit code %d for good revision", at_good);
	return 0;
}

/* Runs a command at each commit: what its status says is what the commit is. */
static int run(struct git *g, struct args *args)
{
	struct buf text = buf_in(g->keep);
	struct args none = { 0, NULL, -1 };
	struct bisect_terms t;
	struct ref *good;
	struct oid o;
	bool first = true;

	if (args->argc == 0)
		return git_error(g, "bisect run failed: no command provided.");
	bisect_read_terms(g, &t);
	if (ref_read(g, bisect_bad_ref(g, &t), &o, NULL) != 0 ||
	    ref_list(g, bisect_good_prefix(g, &t), &good) == 0)
		return 1;
	put_words(&text, args, 0);
	const char *line = buf_cstr(&text);

	for (;; first = false) {
		int status = run_once(g, line);

		if (first && (status == RUN_NOT_RUN || status == RUN_NOT_RUN + 1) &&
		    check_on_good(g, line, status) != 0)
			return 1;
		if (status < 0 || status >= RUN_ERROR) {
			git_error(g, "bisect run failed: exit code %d from '%s' is < 0 or >= 128",
				  status, line);
			return (RUN_ERROR * 2 - status) & 0xff;
		}
		status = set_state(g,
				   status == RUN_SKIP ? "skip"
				   : status == 0      ? t.good
						      : t.bad,
				   &none);
		if (status == BISECT_NOTHING_LEFT)
			return git_error(g, "bisect run cannot continue any more") + 1;
		if (status == BISECT_FOUND)
			git_printf(g, "bisect found first bad commit");
		if (status != 0)
			return status;
	}
}

static int unknown(struct git *g, const char *what)
{
	static const char *const usage[] = {
		"git bisect--helper --bisect-reset [<commit>]",
		"git bisect--helper --bisect-terms [--term-good | --term-old | --term-bad | "
		"--term-new]",
		"git bisect--helper --bisect-start [--term-{new,bad}=<term> "
		"--term-{old,good}=<term>] [--no-checkout] [--first-parent] [<bad> [<good>...]] "
		"[--] [<paths>...]",
		"git bisect--helper --bisect-next",
		"git bisect--helper --bisect-state (bad|new) [<rev>]",
		"git bisect--helper --bisect-state (good|old) [<rev>...]",
		"git bisect--helper --bisect-replay <filename>",
		"git bisect--helper --bisect-skip [(<rev>|<range>)...]",
		"git bisect--helper --bisect-visualize",
		"git bisect--helper --bisect-run <cmd>...",
		NULL,
	};

	git_error(g, "unknown subcommand: `%s'", what);
	git_usage(g, usage);
}

static int help(struct git *g, struct args *args)
{
	(void)args;
	git_printf(
		g, "%s",
		USAGE_LINE
		"\n"
		"git bisect help\n"
		"\tprint this long help message.\n"
		"git bisect start [--term-{new,bad}=<term> --term-{old,good}=<term>]\n"
		"\t\t [--no-checkout] [--first-parent] [<bad> [<good>...]] [--] [<pathspec>...]\n"
		"\treset bisect state and start bisection.\n"
		"git bisect (bad|new) [<rev>]\n"
		"\tmark <rev> a known-bad revision/\n"
		"\t\ta revision after change in a given property.\n"
		"git bisect (good|old) [<rev>...]\n"
		"\tmark <rev>... known-good revisions/\n"
		"\t\trevisions before change in a given property.\n"
		"git bisect terms [--term-good | --term-bad]\n"
		"\tshow the terms used for old and new commits (default: bad, good)\n"
		"git bisect skip [(<rev>|<range>)...]\n"
		"\tmark <rev>... untestable revisions.\n"
		"git bisect next\n"
		"\tfind next bisection to test and check it out.\n"
		"git bisect reset [<commit>]\n"
		"\tfinish bisection search and go back to commit.\n"
		"git bisect (visualize|view)\n"
		"\tshow bisect status in gitk.\n"
		"git bisect replay <logfile>\n"
		"\treplay bisection log.\n"
		"git bisect log\n"
		"\tshow bisect log.\n"
		"git bisect run <cmd>...\n"
		"\tuse <cmd>... to automatically bisect.\n"
		"\n"
		"Please use \"git help bisect\" to get the full man page.\n");
	return 0;
}

static int run_named(struct git *g, const char *what, struct args *rest)
{
	static const char *const states[] = { "bad", "good", "new", "old", NULL };
	static const struct git_action actions[] = {
		{ "help", help },        { "start", start },         { "skip", skip },
		{ "terms", show_terms }, { "reset", reset },         { "replay", replay },
		{ "run", run },          { "visualize", visualize }, { "view", visualize },
		{ NULL, NULL },
	};
	struct bisect_terms t;

	for (const struct git_action *a = actions; a->name != NULL; a++)
		if (strcmp(a->name, what) == 0)
			return a->run(g, rest);
	if (strcmp(what, "log") == 0)
		return show_log(g);
	if (strcmp(what, "next") == 0) {
		need_start(g);
		return bisect_next(g, true);
	}
	bisect_read_terms(g, &t);
	if (term_is(what, states) || strcmp(what, t.bad) == 0 || strcmp(what, t.good) == 0)
		return set_state(g, what, rest);
	return unknown(g, what);
}

int git_cmd_bisect(struct git *g, struct args *args)
{
	struct args rest = { args->argc - 1, args->argv + 1, -1 };

	if (args->argc == 0) {
		git_say(g, USAGE_LINE);
		return 1;
	}
	int status = run_named(g, args->argv[0], &rest);

	return status == BISECT_FOUND ? 0 : status;
}
