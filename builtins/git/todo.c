/* SPDX-License-Identifier: MIT
 *
 * The list of an interactive rebase: lines read and written, fixups put where they belong. What
 * people write there is only trusted after todo_parse.
 */
#include "builtins/git/sequence.h"

static const struct {
	const char *name;
	char letter;
} words[] = {
	[TODO_PICK] = { "pick", 'p' },     [TODO_REVERT] = { "revert", 0 },
	[TODO_EDIT] = { "edit", 'e' },     [TODO_REWORD] = { "reword", 'r' },
	[TODO_FIXUP] = { "fixup", 'f' },   [TODO_SQUASH] = { "squash", 's' },
	[TODO_EXEC] = { "exec", 'x' },     [TODO_BREAK] = { "break", 'b' },
	[TODO_LABEL] = { "label", 'l' },   [TODO_RESET] = { "reset", 't' },
	[TODO_MERGE] = { "merge", 'm' },   [TODO_UPDATE_REF] = { "update-ref", 'u' },
	[TODO_NOOP] = { "noop", 0 },       [TODO_DROP] = { "drop", 'd' },
	[TODO_COMMENT] = { "comment", 0 },
};

const char *todo_name(enum todo_kind kind)
{
	return words[kind].name;
}

bool todo_is_fixup(enum todo_kind kind)
{
	return kind == TODO_FIXUP || kind == TODO_SQUASH;
}

struct todo_item *todo_add(struct git *g, struct todo *t, struct todo_item item)
{
	LIST_ROOM(g, t->at, t->n, t->cap);
	t->at[t->n] = item;
	return &t->at[t->n++];
}

size_t todo_count(const struct todo *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->at[i].kind != TODO_COMMENT;
	return n;
}

/* --- reading --- */

static size_t blanks(struct bytes s)
{
	size_t n = 0;

	while (n < s.len && (s.ptr[n] == ' ' || s.ptr[n] == '\t'))
		n++;
	return n;
}

static size_t word_length(struct bytes s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] != ' ' && s.ptr[n] != '\t')
		n++;
	return n;
}

static struct bytes behind(struct bytes s, size_t n)
{
	return bytes_slice(s, n, s.len);
}

/* The command at the front of the line, which is cut off. False: none. */
static bool take_word(struct bytes *line, enum todo_kind *kind)
{
	struct bytes word = bytes_slice(*line, 0, word_length(*line));

	for (int k = 0; k < TODO_COMMENT; k++)
		if (bytes_eq(word, bytes_of(words[k].name)) ||
		    (word.len == 1 && word.ptr[0] == words[k].letter)) {
			*kind = (enum todo_kind)k;
			*line = behind(*line, word.len);
			return true;
		}
	return false;
}

/* "-C" or "-c" in front of a commit. */
static void take_flag(struct bytes *line, struct todo_item *item)
{
	if (bytes_starts(*line, BYTES("-C")))
		item->flags = TODO_USE_MESSAGE;
	else if (bytes_starts(*line, BYTES("-c")))
		item->flags = TODO_EDIT_MESSAGE;
	else
		return;
	*line = behind(*line, 2);
	*line = behind(*line, blanks(*line));
}

static bool take_commit(struct git *g, struct bytes *line, struct todo_item *item)
{
	struct bytes word = bytes_slice(*line, 0, word_length(*line));
	struct oid o;

	if (rev_commit(g, arena_dup(g->a, word), &o) < 0) {
		git_error(g, "could not parse '%.*s'", (int)word.len, word.ptr);
		return false;
	}
	item->commit = commit_at(g, &o);
	*line = behind(*line, word.len);
	*line = behind(*line, blanks(*line));
	item->arg = *line;
	return true;
}

static bool check_ref(struct git *g, struct bytes name)
{
	char *text = arena_dup(g->a, name);

	if (ref_name_valid(text) && git_starts(text, "refs/"))
		return true;
	if (ref_name_valid(text) || strchr(text, '/') != NULL)
		git_error(g, "update-ref requires a fully qualified refname e.g. refs/heads/%s",
			  text);
	else
		git_error(g, "'%s' is not a valid refname", text);
	return false;
}

/* rest: from this line to the end of the text, for a message. */
static bool parse_line(struct git *g, struct bytes line, struct bytes rest, struct todo_item *item)
{
	line = behind(line, blanks(line));
	if (line.len != 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	*item = (struct todo_item){ .kind = TODO_COMMENT, .arg = line };
	if (line.len == 0 || line.ptr[0] == '#')
		return true;
	if (!take_word(&line, &item->kind))
		return false;
	size_t gap = blanks(line);

	line = behind(line, gap);
	item->arg = line;
	if (item->kind == TODO_NOOP || item->kind == TODO_BREAK) {
		if (line.len == 0)
			return true;
		git_error(g, "%s does not accept arguments: '%.*s'", todo_name(item->kind),
			  (int)(rest.ptr + rest.len - line.ptr), line.ptr);
		return false;
	}
	if (gap == 0 || line.len == 0) {
		git_error(g, "missing arguments for %s", todo_name(item->kind));
		return false;
	}
	if (item->kind == TODO_UPDATE_REF)
		return check_ref(g, line);
	if (item->kind == TODO_EXEC || item->kind == TODO_LABEL || item->kind == TODO_RESET)
		return true;
	if (item->kind == TODO_FIXUP || item->kind == TODO_MERGE)
		take_flag(&line, item);
	if (item->kind == TODO_MERGE && item->flags == 0) {
		item->flags = TODO_EDIT_MESSAGE;
		return true;
	}
	return take_commit(g, &line, item);
}

bool todo_parse(struct git *g, struct bytes text, bool started, struct todo *out)
{
	struct bytes line, rest = text;
	bool good = true;
	int number = 0;

	while (git_line(&text, &line)) {
		struct todo_item item;

		number++;
		cmd_charge(g->c, 1 + line.len / 64);
		if (!parse_line(g, line, rest, &item)) {
			git_error(g, "invalid line %d: %.*s", number, (int)line.len, line.ptr);
			item = (struct todo_item){ .kind = TODO_COMMENT, .arg = line };
			good = false;
		}
		todo_add(g, out, item);
		rest = text;
		if (!started && todo_is_fixup(item.kind)) {
			git_error(g, "cannot '%s' without a previous commit", todo_name(item.kind));
			good = false;
		}
		started = started || item.kind < TODO_NOOP;
	}
	return good;
}

/* --- writing --- */

static void put_item(struct git *g, const struct todo_item *item, bool brief, bool letters,
		     struct buf *out)
{
	char letter = words[item->kind].letter;

	if (item->kind == TODO_COMMENT) {
		buf_add(out, item->arg);
		buf_putc(out, '\n');
		return;
	}
	if (letters && letter != 0)
		buf_putc(out, letter);
	else
		buf_puts(out, todo_name(item->kind));
	if (item->commit != NULL) {
		if (item->flags != 0)
			buf_puts(out, item->flags & TODO_EDIT_MESSAGE ? " -c" : " -C");
		buf_printf(out, " %s",
			   brief ? oid_short(g, &item->commit->oid, 0)
				 : oid_hex(g, &item->commit->oid));
	}
	if (item->arg.len != 0) {
		buf_putc(out, ' ');
		buf_add(out, item->arg);
	}
	buf_putc(out, '\n');
}

void todo_put(struct git *g, const struct todo *t, size_t from, bool brief, struct buf *out)
{
	bool letters = brief && config_bool(g, "rebase.abbreviatecommands", false);

	for (size_t i = from; i < t->n; i++) {
		cmd_charge(g->c, 1);
		put_item(g, &t->at[i], brief, letters, out);
	}
}

/* One line of help is the name, its operands and what it does. */
static const char help_commands[] =
	"\nCommands:\n"
	"p, pick <commit> = use commit\n"
	"r, reword <commit> = use commit, but edit the commit message\n"
	"e, edit <commit> = use commit, but stop for amending\n"
	"s, squash <commit> = use commit, but meld into previous commit\n"
	"f, fixup [-C | -c] <commit> = like \"squash\" but keep only the previous\n"
	"                   commit's log message, unless -C is used, in which case\n"
	"                   keep only this commit's message; -c is same as -C but\n"
	"                   opens the editor\n"
	"x, exec <command> = run command (the rest of the line) using shell\n"
	"b, break = stop here (continue rebase later with 'git rebase --continue')\n"
	"d, drop <commit> = remove commit\n"
	"l, label <label> = label current HEAD with a name\n"
	"t, reset <label> = reset HEAD to a label\n"
	"m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]\n"
	"        create a merge commit using the original merge commit's\n"
	"        message (or the oneline, if no original merge commit was\n"
	"        specified); use -c <commit> to reword the commit message\n"
	"u, update-ref <ref> = track a placeholder for the <ref> to be updated\n"
	"                      to this position in the new commits. The <ref> is\n"
	"                      updated at the end of the rebase\n"
	"\n"
	"These lines can be re-ordered; they are executed from top to bottom.\n";
static const char help_new[] =
	"\nHowever, if you remove everything, the rebase will be aborted.\n\n";
static const char help_again[] =
	"\nYou are editing the todo file of an ongoing interactive rebase.\n"
	"To continue rebase after editing, run:\n"
	"    git rebase --continue\n\n";

static void put_commented(struct buf *out, const char *text)
{
	struct bytes rest = bytes_of(text), line;

	while (git_line(&rest, &line)) {
		buf_puts(out, line.len != 0 ? "# " : "#");
		buf_add(out, line);
		buf_putc(out, '\n');
	}
}

void todo_put_help(struct git *g, struct buf *out, const char *range, const char *onto,
		   size_t count)
{
	const char *check = config_get(g, "rebase.missingcommitscheck");

	if (onto != NULL)
		buf_printf(out, "\n# Rebase %s onto %s (%zu command%s)\n", range, onto, count,
			   count == 1 ? "" : "s");
	put_commented(out, help_commands);
	put_commented(
		out,
		check != NULL && strcmp(check, "error") == 0
			? "\nDo not remove any line. Use 'drop' explicitly to remove a commit.\n"
			: "\nIf you remove a line here THAT COMMIT WILL BE LOST.\n");
	put_commented(out, onto != NULL ? help_new : help_again);
}

/* --- another order --- */

struct squashing {
	struct git *g;
	struct todo *t;
	struct bytes *subject;
	long *next;                /* what comes behind an item, or -1 */
	long *tail;                /* the last of what came behind it, or -1 */
	struct lookup *by_subject; /* index + 1 */
	struct lookup *by_oid;
};

static bool strip_prefix(struct bytes *s)
{
	static const char *const prefixes[] = { "fixup! ", "squash! ", "amend! " };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (bytes_starts(*s, bytes_of(prefixes[i]))) {
			*s = behind(*s, strlen(prefixes[i]));
			*s = behind(*s, blanks(*s));
			return true;
		}
	return false;
}

/* The item in front of i that a fixup with this rest of a subject means; -1: none. */
static long find_target(struct squashing *q, size_t i, struct bytes name)
{
	struct git *g = q->g;
	void *found = lookup_get(q->by_subject, name);
	struct oid o;

	if (found != NULL)
		return (long)(uintptr_t)found - 1;
	if (memchr(name.ptr, ' ', name.len) == NULL && name.len != 0 &&
	    rev_commit(g, arena_dup(g->a, name), &o) == 0) {
		found = lookup_get(q->by_oid, oid_key(&o));
		if (found != NULL)
			return (long)(uintptr_t)found - 1;
	}
	for (size_t j = 0; j < i; j++) {
		cmd_charge(g->c, 1);
		if (q->subject[j].ptr != NULL && bytes_starts(q->subject[j], name))
			return (long)j;
	}
	return -1;
}

static void chain(struct squashing *q, size_t i, long target)
{
	long last = q->tail[target] < 0 ? target : q->tail[target];
	struct todo_item *item = &q->t->at[i];

	item->kind = bytes_starts(q->subject[i], BYTES("squash!")) ? TODO_SQUASH : TODO_FIXUP;
	item->flags = bytes_starts(q->subject[i], BYTES("amend!")) ? TODO_USE_MESSAGE : 0;
	q->next[i] = q->next[last];
	q->next[last] = (long)i;
	q->tail[target] = (long)i;
}

static void place(struct squashing *q, size_t i)
{
	struct git *g = q->g;
	struct todo_item *item = &q->t->at[i];
	long target = -1;

	q->next[i] = q->tail[i] = -1;
	if (item->commit == NULL || item->kind == TODO_DROP)
		return;
	q->subject[i] = bytes_of(pick_subject(g, item->commit));
	struct bytes name = q->subject[i];
	bool is_fixup = false;

	while (strip_prefix(&name))
		is_fixup = true;
	if (is_fixup)
		target = find_target(q, i, name);
	*lookup_at(q->by_oid, oid_key(&item->commit->oid)) = (void *)(uintptr_t)(i + 1);
	if (target >= 0) {
		chain(q, i, target);
		return;
	}
	void **slot = lookup_at(q->by_subject, q->subject[i]);

	if (*slot == NULL)
		*slot = (void *)(uintptr_t)(i + 1);
}

void todo_autosquash(struct git *g, struct todo *t)
{
	struct squashing q = { .g = g, .t = t };
	struct todo out = { NULL, 0, 0 };

	q.subject = arena_array(g->keep, t->n + 1, sizeof(*q.subject));
	memset(q.subject, 0, (t->n + 1) * sizeof(*q.subject));
	q.next = arena_array(g->keep, t->n + 1, sizeof(*q.next));
	q.tail = arena_array(g->keep, t->n + 1, sizeof(*q.tail));
	q.by_subject = lookup_new(g);
	q.by_oid = lookup_new(g);
	for (size_t i = 0; i < t->n; i++) {
		cmd_charge(g->c, 1);
		place(&q, i);
	}
	for (size_t i = 0; i < t->n; i++) {
		if (todo_is_fixup(t->at[i].kind))
			continue;
		for (long j = (long)i; j >= 0; j = q.next[j])
			todo_add(g, &out, t->at[j]);
	}
	*t = out;
}

void todo_add_exec(struct git *g, struct todo *t, const struct names *commands)
{
	struct todo out = { NULL, 0, 0 };
	bool pending = false;

	if (commands->n == 0)
		return;
	for (size_t i = 0; i <= t->n; i++) {
		bool melts = i < t->n && todo_is_fixup(t->at[i].kind);

		for (size_t k = 0; pending && !melts && k < commands->n; k++)
			todo_add(g, &out,
				 (struct todo_item){ .kind = TODO_EXEC,
						     .arg = bytes_of(commands->at[k]) });
		if (i == t->n)
			break;
		if (!melts)
			pending = t->at[i].kind <= TODO_REWORD || t->at[i].kind == TODO_MERGE;
		todo_add(g, &out, t->at[i]);
	}
	*t = out;
}
