/* SPDX-License-Identifier: MIT
 *
 * The questions of --patch, and what the answers do.
 */
#include "builtins/git/patch_mode.h"

/* What a mode says and does. */
struct mode_text {
	const char *verb;   /* "Stage" */
	const char *object; /* behind what it is done to: " from worktree" */
	const char *edited; /* "marked for staging" */
	const char *help;
	bool reverse;     /* the patch is applied backwards */
	bool backwards;   /* the difference is shown from the other side */
	bool index, work; /* where it is applied */
};

static const struct mode_text modes[] = {
	[PATCH_STAGE] = { "Stage", "", "staging", "stage this hunk", false, false, true, false },
	[PATCH_STASH] = { "Stash", "", "stashing", "stash this hunk", false, false, true, false },
	[PATCH_UNSTAGE] = { "Unstage", "", "unstaging", "unstage this hunk", true, false, true,
			    false },
	[PATCH_RESET] = { "Apply", " to index", "applying", "apply this hunk to index", false, true,
			  true, false },
	[PATCH_CHECKOUT_INDEX] = { "Discard", " from worktree", "discarding",
				   "discard this hunk from worktree", true, false, false, true },
	[PATCH_CHECKOUT_HEAD] = { "Discard", " from index and worktree", "discarding",
				  "discard this hunk from index and worktree", true, false, true,
				  true },
	[PATCH_CHECKOUT_TREE] = { "Apply", " to index and worktree", "applying",
				  "apply this hunk to index and worktree", false, true, true,
				  true },
	[PATCH_WORK_HEAD] = { "Discard", " from worktree", "discarding",
			      "discard this hunk from worktree", true, false, false, true },
	[PATCH_WORK_TREE] = { "Apply", " to worktree", "applying", "apply this hunk to worktree",
			      false, true, false, true },
};

enum allowed {
	ALLOW_BEFORE_UNDECIDED = 1,
	ALLOW_BEFORE = 2,
	ALLOW_AFTER_UNDECIDED = 4,
	ALLOW_AFTER = 8,
	ALLOW_GO = 16,
	ALLOW_SPLIT = 32,
	ALLOW_EDIT = 64,
};

struct asking {
	struct git *g;
	enum patch_mode mode;
	const struct mode_text *t;
	struct input *in;
	struct asked_file *f;
	size_t at;
	size_t before, after; /* the nearest undecided ones; SIZE_MAX: none */
	unsigned allowed;     /* what was once, stays so */
	char options[32];     /* ",j,J": letters that are offered */
	bool quit;
};

/* --- input --- */

/* The answer without its line's end; false: there is no more. */
static bool read_answer(struct asking *k, char **out)
{
	struct bytes line;

	cmd_flush(k->g->c);
	if (input_line(k->in, '\n', &line) <= 0)
		return false;
	if (line.len != 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	*out = arena_dup(k->g->a, line);
	return true;
}

static char *trimmed(char *s)
{
	size_t n;

	while (*s != '\0' && byte_is_space((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n > 0 && byte_is_space((unsigned char)s[n - 1]))
		s[--n] = '\0';
	return s;
}

/* 1 yes, 0 no, -1 the end. */
static int yes_or_no(struct asking *k, const char *question)
{
	char *answer;

	for (;;) {
		git_printf(k->g, "%s", question);
		if (!read_answer(k, &answer))
			return -1;
		if (answer[0] == 'y' || answer[0] == 'Y')
			return 1;
		if (answer[0] == 'n' || answer[0] == 'N')
			return 0;
		cmd_charge(k->g->c, 10);
	}
}

/* --- what is offered --- */

static void find_undecided(struct asking *k)
{
	const struct asked_file *f = k->f;

	k->before = k->after = SIZE_MAX;
	for (size_t i = k->at; i > 0 && k->before == SIZE_MAX; i--)
		if (f->at[i - 1].use == HUNK_UNDECIDED)
			k->before = i - 1;
	for (size_t i = k->at + 1; i < f->n && k->after == SIZE_MAX; i++)
		if (f->at[i].use == HUNK_UNDECIDED)
			k->after = i;
}

static void offer(struct asking *k, const char *letters, unsigned bit, bool on)
{
	if (!on)
		return;
	memcpy(k->options + strlen(k->options), letters, strlen(letters) + 1);
	k->allowed |= bit;
}

static void set_offers(struct asking *k)
{
	const struct asked_file *f = k->f;

	k->options[0] = '\0';
	if (f->n == 0)
		return;
	offer(k, ",k", ALLOW_BEFORE_UNDECIDED, k->before != SIZE_MAX);
	offer(k, ",K", ALLOW_BEFORE, k->at > 0);
	offer(k, ",j", ALLOW_AFTER_UNDECIDED, k->after != SIZE_MAX);
	offer(k, ",J", ALLOW_AFTER, k->at + 1 < f->n);
	offer(k, ",g,/", ALLOW_GO, f->n > 1);
	offer(k, ",s", ALLOW_SPLIT, f->at[k->at].groups > 1);
	offer(k, ",e", ALLOW_EDIT, k->at + 1 > (f->mode_change ? 1u : 0u) && !f->deleted);
}

static void ask(struct asking *k)
{
	struct git *g = k->g;
	const struct asked_file *f = k->f;
	struct buf b = buf_in(g->a);
	const char *what = f->deleted                     ? "deletion"
			   : f->added                     ? "addition"
			   : f->mode_change && k->at == 0 ? "mode change"
							  : "this hunk";

	if (f->n > 0)
		asked_put(f, k->at, &b);
	buf_printf(&b, "(%zu/%zu) %s %s%s [y,n,q,a,d%s,?]? ", k->at + 1, f->n > 0 ? f->n : 1,
		   k->t->verb, what, k->t->object, k->options);
	cmd_bytes(g->c, buf_bytes(&b));
}

static void put_help(struct asking *k)
{
	static const char *const rest[] = {
		"j - leave this hunk undecided, see next undecided hunk",
		"J - leave this hunk undecided, see next hunk",
		"k - leave this hunk undecided, see previous undecided hunk",
		"K - leave this hunk undecided, see previous hunk",
		"g - select a hunk to go to",
		"/ - search for a hunk matching the given regex",
		"s - split the current hunk into smaller hunks",
		"e - manually edit the current hunk",
	};
	struct git *g = k->g;
	const char *does = k->t->help;
	const char *space = strchr(does, ' ');
	const char *verb = git_format(g->a, "%.*s", (int)(space - does), does);

	git_printf(g,
		   "y - %s\nn - do not %s\n"
		   "q - quit; do not %s this hunk or any of the remaining ones\n"
		   "a - %s this hunk and all later hunks in the file\n"
		   "d - do not %s this hunk or any of the later hunks in the file\n",
		   does, does, verb, verb, verb);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		if (strchr(k->options, rest[i][0]) != NULL)
			git_printf(g, "%s\n", rest[i]);
	git_printf(g, "? - print help\n");
}

/* --- answers --- */

static void soft_next(struct asking *k)
{
	k->at = k->after == SIZE_MAX ? k->f->n : k->after;
}

static void decide(struct asking *k, enum hunk_use use)
{
	if (k->f->n > 0)
		k->f->at[k->at].use = use;
	else
		k->f->use = use;
}

/* This hunk and all behind it that are undecided. */
static void decide_rest(struct asking *k, enum hunk_use use)
{
	struct asked_file *f = k->f;

	if (f->n == 0 && f->use == HUNK_UNDECIDED)
		f->use = use;
	for (; k->at < f->n; k->at++)
		if (f->at[k->at].use == HUNK_UNDECIDED)
			f->at[k->at].use = use;
}

/* Twenty lines that name hunks, from *i on. */
static void list_hunks(struct asking *k, size_t *i)
{
	enum { SHOWN = 20, HEADER = 20, LINE = 80 };
	struct git *g = k->g;
	size_t end = *i + SHOWN < k->f->n ? *i + SHOWN : k->f->n;

	for (; *i < end; ++*i) {
		const struct asked_hunk *h = &k->f->at[*i];
		struct buf b = buf_in(g->a);
		struct bytes rest = h->text, line;

		buf_printf(&b, " -%zu,%zu +%zu,%zu ", h->at[0], h->count[0], h->at[1], h->count[1]);
		if (b.len < HEADER)
			buf_fill(&b, ' ', HEADER - b.len);
		while (git_line(&rest, &line))
			if (line.len != 0 && line.ptr[0] != ' ') {
				buf_add(&b, line);
				break;
			}
		if (b.len > LINE)
			b.len = LINE;
		git_printf(g, "%c%2zu: %.*s\n",
			   h->use == HUNK_USE    ? '+'
			   : h->use == HUNK_SKIP ? '-'
						 : ' ',
			   *i + 1, (int)b.len, b.ptr);
	}
}

static void go_to(struct asking *k, char *answer)
{
	struct git *g = k->g;
	size_t i = k->at > 10 ? k->at - 10 : 0;
	size_t least = k->f->mode_change ? 1 : 0;
	int64_t n;

	if (!(k->allowed & ALLOW_GO)) {
		git_say(g, "No other hunks to goto\n");
		return;
	}
	i = i < least ? least : i;
	answer = trimmed(answer + 1);
	while (*answer == '\0') {
		list_hunks(k, &i);
		git_printf(g, "%s",
			   i < k->f->n ? "go to which hunk (<ret> to see more)? "
				       : "go to which hunk? ");
		if (!read_answer(k, &answer))
			break;
		cmd_charge(g->c, 10);
	}
	answer = trimmed(answer);
	if (!git_number(answer, &n))
		git_say(g, "Invalid number: '%s'\n", answer);
	else if (n > 0 && (uint64_t)n <= k->f->n)
		k->at = (size_t)n - 1;
	else
		git_say(g, "Sorry, only %zu hunk%s available.\n", k->f->n, k->f->n == 1 ? "" : "s");
}

static void search(struct asking *k, char *answer)
{
	struct git *g = k->g;
	struct regex *re;
	const char *message;
	size_t i = k->at;

	if (!(k->allowed & ALLOW_GO)) {
		git_say(g, "No other hunks to search\n");
		return;
	}
	answer++;
	if (*answer == '\0') {
		git_printf(g, "search for regex? ");
		if (!read_answer(k, &answer) || *answer == '\0')
			return;
	}
	if (regex_compile(g->keep, bytes_of(answer),
			  REGEX_ERE | REGEX_NEWLINE | REGEX_NOSUB | g->utf8, &re, &message,
			  NULL) < 0) {
		git_say(g, "Malformed search regexp %s: Invalid regular expression\n", answer);
		return;
	}
	regex_set_work(re, cmd_work, g->c);
	do {
		struct buf b = buf_in(g->a);

		asked_put(k->f, i, &b);
		if (regex_test(re, buf_bytes(&b), 0) == 0) {
			k->at = i;
			return;
		}
		i = i + 1 < k->f->n ? i + 1 : 0;
	} while (i != k->at);
	git_say(g, "No hunk matches the given pattern\n");
}

static void split(struct asking *k)
{
	size_t groups = k->f->n > 0 ? k->f->at[k->at].groups : 0;

	if (!(k->allowed & ALLOW_SPLIT)) {
		git_say(k->g, "Sorry, cannot split this hunk\n");
		return;
	}
	if (groups > 1)
		asked_split(k->g, k->f, k->at);
	git_printf(k->g, "Split into %zu hunks.\n", groups);
}

/* --- editing --- */

static char *editor_text(struct asking *k)
{
	struct git *g = k->g;
	struct buf b = buf_in(g->a);
	bool back = k->t->reverse;

	buf_puts(&b, "# Manual hunk edit mode -- see bottom for a quick guide.\n");
	asked_put(k->f, k->at, &b);
	buf_printf(&b,
		   "# ---\n# To remove '%c' lines, make them ' ' lines (context).\n"
		   "# To remove '%c' lines, delete them.\n"
		   "# Lines starting with # will be removed.\n"
		   "# If the patch applies cleanly, the edited hunk will immediately be marked for "
		   "%s.\n"
		   "# If it does not apply cleanly, you will be given an opportunity to\n"
		   "# edit again.  If all lines of the hunk are removed, then the edit is\n"
		   "# aborted and the hunk is left unchanged.\n",
		   back ? '+' : '-', back ? '-' : '+', k->t->edited);
	return buf_cstr(&b);
}

static bool apply_wanted(struct asking *k, unsigned more)
{
	struct git *g = k->g;
	struct bytes patch = asked_patch(g, k->f, k->t->reverse);
	unsigned flags = more | (k->t->reverse ? APPLY_REVERSE : 0u);
	bool good = true;

	if (k->t->index)
		good = apply_text(g, patch, flags | APPLY_CACHED);
	if (k->t->work)
		good = apply_text(g, patch, flags) && good;
	return good;
}

/* Whether the patch with this hunk alone more would fit. */
static bool would_fit(struct asking *k)
{
	struct git *g = k->g;
	enum hunk_use before = k->f->at[k->at].use;
	bool good;

	k->f->at[k->at].use = HUNK_USE;
	good = apply_wanted(k, APPLY_CHECK);
	if (!good)
		git_error(g, "'git apply --cached' failed");
	k->f->at[k->at].use = before;
	return good;
}

/* True: the hunk is as it was edited, and fits. */
static bool edit(struct asking *k)
{
	struct git *g = k->g;
	struct asked_hunk backup = k->f->at[k->at];
	char *path = repo_path(g, g->keep, "addp-hunk-edit.diff");
	struct bytes text;

	for (;;) {
		struct asked_hunk *h = &k->f->at[k->at];

		file_write(g, path, bytes_of(editor_text(k)), 0666);
		cmd_flush(g->c);
		bool edited = message_edit(g, path) && file_read(g, g->keep, path, &text) == 0;

		if (!edited)
			git_error(g, "could not edit '.git/addp-hunk-edit.diff': Success");
		if (edited && !asked_replace(g, h, text)) {
			*h = backup;
			return false;
		}
		if (edited && would_fit(k))
			return true;
		*h = backup;
		if (yes_or_no(k, "Your edited hunk does not apply. Edit again (saying \"no\" "
				 "discards!) [y/n]? ") < 1)
			return false;
	}
}

/* --- a file --- */

static void move(struct asking *k, unsigned bit, size_t to, const char *missing)
{
	if (k->allowed & bit)
		k->at = to;
	else
		git_say(k->g, "%s\n", missing);
}

/* One answer. False: the file is done. */
static bool obey(struct asking *k, char *answer)
{
	char ch = (char)byte_to_lower((unsigned char)answer[0]);

	switch (answer[0]) {
	case 'K': move(k, ALLOW_BEFORE, k->at - 1, "No previous hunk"); return true;
	case 'J': move(k, ALLOW_AFTER, k->at + 1, "No next hunk"); return true;
	case 'k': move(k, ALLOW_BEFORE_UNDECIDED, k->before, "No previous hunk"); return true;
	case 'j': move(k, ALLOW_AFTER_UNDECIDED, k->after, "No next hunk"); return true;
	case 'g': go_to(k, answer); return true;
	case '/': search(k, answer); return true;
	case 's': split(k); return true;
	case 'e':
		if (!(k->allowed & ALLOW_EDIT))
			git_say(k->g, "Sorry, cannot edit this hunk\n");
		else if (edit(k)) {
			decide(k, HUNK_USE);
			soft_next(k);
		}
		return true;
	default: break;
	}
	switch (ch) {
	case 'y':
	case 'n':
		decide(k, ch == 'y' ? HUNK_USE : HUNK_SKIP);
		soft_next(k);
		return true;
	case 'a': decide_rest(k, HUNK_USE); return true;
	case 'd': decide_rest(k, HUNK_SKIP); return true;
	case 'q':
		decide_rest(k, HUNK_SKIP);
		k->quit = true;
		return false;
	default: put_help(k); return true;
	}
}

static bool is_decided(const struct asking *k)
{
	const struct asked_file *f = k->f;

	if (k->before != SIZE_MAX || k->after != SIZE_MAX)
		return false;
	return (f->n > 0 ? f->at[k->at].use : f->use) != HUNK_UNDECIDED;
}

static bool any_wanted(const struct asked_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].use == HUNK_USE)
			return true;
	return f->n == 0 && f->use == HUNK_USE;
}

/* To index and files, if both can take it. */
static void apply_to_both(struct asking *k)
{
	struct git *g = k->g;
	struct bytes patch = asked_patch(g, k->f, k->t->reverse);
	unsigned flags = k->t->reverse ? APPLY_REVERSE : 0;
	bool index = apply_text(g, patch, flags | APPLY_CACHED | APPLY_CHECK);
	bool work = apply_text(g, patch, flags | APPLY_CHECK);

	if (index && work) {
		apply_wanted(k, 0);
		return;
	}
	if (index) {
		return;
	}
	git_say(g, "The selected hunks do not apply to the index!\n");
	if (work && yes_or_no(k, "Apply them to the worktree anyway? ") > 0)
		apply_text(g, patch, flags);
	else if (work)
		git_say(g, "Nothing was applied.\n\n");
}

static void ask_file(struct asking *k)
{
	struct git *g = k->g;
	char *answer;

	cmd_bytes(g->c, k->f->shown);
	k->at = 0;
	k->allowed = 0;
	for (;;) {
		if (k->at >= k->f->n)
			k->at = 0;
		find_undecided(k);
		if (is_decided(k))
			break;
		set_offers(k);
		ask(k);
		cmd_charge(g->c, 10);
		if (!read_answer(k, &answer))
			break;
		if (*answer != '\0' && !obey(k, answer))
			break;
	}
	if (any_wanted(k->f)) {
		if (k->t->index && k->t->work)
			apply_to_both(k);
		else if (!apply_wanted(k, 0))
			git_error(g, "'git apply' failed");
	}
	git_printf(g, "\n");
}

/* --- the start --- */

struct bytes patch_difference(struct git *g, enum patch_mode mode, const struct oid *tree,
			      char **paths, int n)
{
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };
	struct buf b = buf_in(g->keep);

	diff_init(g, &d);
	d.format = DIFF_PATCH;
	d.renames = 0;
	d.color = 0;
	d.reverse = modes[mode].backwards;
	pathspec_of(g, paths, n, &d.paths);
	diff_settle(g, &d);
	d.renames = 0;
	if (mode == PATCH_STAGE || mode == PATCH_CHECKOUT_INDEX)
		diff_work(g, &d, &q);
	else if (mode == PATCH_UNSTAGE || mode == PATCH_RESET)
		diff_cached(g, &d, tree, &q);
	else
		diff_tree_work(g, &d, tree, &q);
	diff_finish(g, &d, &q);
	for (size_t i = 0; i < q.n; i++)
		diff_patch(g, &d, &q.at[i], &b);
	return (struct bytes){ buf_cstr(&b), b.len };
}

int patch_ask(struct git *g, enum patch_mode mode, struct bytes patch)
{
	struct input in;

	input_init(&in, g->c, 0, "-");
	return patch_ask_from(g, mode, patch, &in);
}

int patch_ask_from(struct git *g, enum patch_mode mode, struct bytes patch, struct input *in)
{
	struct asking k = { .g = g, .mode = mode, .t = &modes[mode], .in = in };
	struct asked_files files = { NULL, 0, 0 };
	size_t binary = 0;

	asked_read(g, patch, &files);
	for (size_t i = 0; i < files.n && !k.quit; i++) {
		k.f = &files.at[i];
		if (k.f->binary && k.f->n == 0)
			binary++;
		else
			ask_file(&k);
	}
	if (files.n == 0)
		git_say(g, "No changes.\n");
	else if (binary == files.n)
		git_say(g, "Only binary files changed.\n");
	return 0;
}

int patch_mode(struct git *g, enum patch_mode mode, const struct oid *tree, char **paths, int n)
{
	return patch_ask(g, mode, patch_difference(g, mode, tree, paths, n));
}
