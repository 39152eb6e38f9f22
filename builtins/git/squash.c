/* SPDX-License-Identifier: MIT
 *
 * What squash and fixup do to messages. rebase-merge/message-squash is what the editor will
 * show, with the messages that do not count as comments; message-fixup, if it exists, is the
 * message that is taken without asking; current-fixups has a line for each commit that melted.
 */
#include "builtins/git/sequence.h"

#define FIXUPS REBASE_DIR "current-fixups"
#define SQUASH REBASE_DIR "message-squash"
#define FIXUP  REBASE_DIR "message-fixup"

static const char first_shown[] = "# This is the 1st commit message:";
static const char first_skipped[] = "# The 1st commit message will be skipped:";

size_t squash_count(struct git *g)
{
	char *text = state_read(g, FIXUPS);
	size_t n = 0;

	if (text == NULL || *text == '\0')
		return 0;
	for (const char *p = text; *p != '\0'; p++)
		n += *p == '\n';
	return n + (text[strlen(text) - 1] != '\n');
}

bool squash_seen(struct git *g)
{
	char *text = state_read(g, FIXUPS);

	return text != NULL && (git_starts(text, "squash ") || strstr(text, "\nsquash ") != NULL);
}

void squash_forget(struct git *g)
{
	state_remove(g, FIXUPS);
	state_remove(g, SQUASH);
	state_remove(g, FIXUP);
}

static bool has(struct git *g, const char *name)
{
	return file_exists(g, repo_path(g, g->a, name));
}

static void put_commented(struct buf *b, struct bytes text)
{
	struct bytes line;

	while (git_line(&text, &line)) {
		buf_puts(b, line.len == 0 || line.ptr[0] == '\t' ? "#" : "# ");
		buf_add(b, line);
		buf_putc(b, '\n');
	}
}

static struct bytes body_of(struct git *g, const struct oid *o)
{
	struct commit_text t;

	commit_text(g, g->keep, o, &t);
	while (t.message.len != 0 && t.message.ptr[0] == '\n')
		t.message = bytes_slice(t.message, 1, t.message.len);
	return t.message;
}

/* "# This is the commit message #2:" begins a message that counts. */
static bool shown_header(struct bytes line, int *number)
{
	static const char nth[] = "# This is the commit message #";
	struct bytes rest;

	if (bytes_eq(line, bytes_of(first_shown))) {
		*number = 1;
		return true;
	}
	if (!bytes_starts(line, bytes_of(nth)) || line.ptr[line.len - 1] != ':')
		return false;
	rest = bytes_slice(line, sizeof(nth) - 1, line.len - 1);
	*number = 0;
	for (size_t i = 0; i < rest.len && i < 9; i++) {
		if (rest.ptr[i] < '0' || rest.ptr[i] > '9')
			return false;
		*number = *number * 10 + rest.ptr[i] - '0';
	}
	return true;
}

/* Messages so far become comments: fixup -C or -c brings the one that counts. */
static void skip_all(struct bytes text, struct buf *out)
{
	struct bytes line;
	bool shown = false;
	int number;

	while (git_line(&text, &line)) {
		if (shown_header(line, &number)) {
			shown = true;
			if (number == 1)
				buf_puts(out, first_skipped);
			else
				buf_printf(out,
					   "# The commit message #%d will be skipped:", number);
			buf_putc(out, '\n');
			if (git_line(&text, &line))
				buf_putc(out, '\n');
			continue;
		}
		if (bytes_starts(line, BYTES("# The ")))
			shown = false;
		if (shown && line.len == 0 && bytes_starts(text, BYTES("# T"))) {
			buf_putc(out, '\n');
			continue;
		}
		if (shown) {
			put_commented(out, line.len == 0 ? BYTES("\n") : line);
			continue;
		}
		buf_add(out, line);
		buf_putc(out, '\n');
	}
}

/* The messages before this one. count: how many melted already. */
static void put_before(struct git *g, size_t count, bool replaces, struct buf *out)
{
	struct bytes text, line;
	struct oid head;
	const char *before;

	buf_printf(out, "# This is a combination of %zu commits.\n", count + 2);
	if (count == 0) {
		if (!head_oid(g, &head))
			git_die(g, "need a HEAD to fixup");
		text = body_of(g, &head);
		buf_printf(out, "%s\n\n", replaces ? first_skipped : first_shown);
		if (replaces)
			put_commented(out, text);
		else
			buf_add(out, text);
		if (!replaces)
			state_write(g, FIXUP, arena_dup(g->a, text));
		return;
	}
	before = state_read(g, SQUASH);
	text = bytes_of(before != NULL ? before : "");
	git_line(&text, &line);
	if (replaces && !squash_seen(g))
		skip_all(text, out);
	else
		buf_add(out, text);
}

/* Bytes of the subject that is shown as a comment: "squash! x" says nothing new. */
static size_t commented_subject(struct git *g, const struct todo_item *item, struct bytes body)
{
	const char *end = memchr(body.ptr, '\n', body.len);
	bool fixes = bytes_starts(body, BYTES("squash!")) || bytes_starts(body, BYTES("fixup!"));
	bool squashes = item->kind == TODO_SQUASH || squash_seen(g);

	if (!bytes_starts(body, BYTES("amend!")) && !(fixes && squashes))
		return 0;
	return end != NULL ? (size_t)(end - body.ptr) : body.len;
}

/* A message that is kept, and what becomes of message-fixup. */
static void put_kept(struct git *g, const struct todo_item *item, struct bytes body, size_t number,
		     bool sign_off, struct buf *out)
{
	size_t commented = commented_subject(g, item, body);
	struct bytes rest = bytes_slice(body, commented, body.len);
	bool replaces = item->kind == TODO_FIXUP && item->flags != 0;
	bool seen = squash_seen(g);

	buf_printf(out, "\n# This is the commit message #%zu:\n\n", number);
	put_commented(out, bytes_slice(body, 0, commented));
	if (sign_off && replaces && !seen)
		rest = pick_sign_off(g, rest);
	buf_add(out, rest);
	if (replaces && !seen && (item->flags & TODO_USE_MESSAGE) &&
	    (has(g, FIXUP) || !has(g, SQUASH))) {
		while (rest.len != 0 && rest.ptr[0] == '\n')
			rest = bytes_slice(rest, 1, rest.len);
		state_write(g, FIXUP, arena_dup(g->a, rest));
		return;
	}
	state_remove(g, FIXUP);
}

void squash_add(struct git *g, const struct todo_item *item, bool sign_off)
{
	size_t count = squash_count(g);
	struct buf b = buf_in(g->keep);
	bool replaces = item->kind == TODO_FIXUP && item->flags != 0;
	struct bytes body = body_of(g, &item->commit->oid);
	char *fixups = state_read(g, FIXUPS);

	put_before(g, count, replaces, &b);
	if (item->kind == TODO_SQUASH || replaces) {
		put_kept(g, item, body, count + 2, sign_off, &b);
	} else {
		buf_printf(&b, "\n# The commit message #%zu will be skipped:\n\n", count + 2);
		put_commented(&b, body);
	}
	state_write(g, SQUASH, buf_cstr(&b));
	state_write(g, FIXUPS,
		    git_format(g->a, "%s%s%s %s", fixups != NULL ? fixups : "",
			       fixups != NULL && *fixups != '\0' ? "\n" : "", todo_name(item->kind),
			       oid_hex(g, &item->commit->oid)));
}

bool squash_drop_last(struct git *g)
{
	char *text = state_read(g, FIXUPS);
	char *end = text != NULL ? strrchr(text, '\n') : NULL;

	if (end == NULL) {
		state_remove(g, FIXUPS);
		return true;
	}
	*end = '\0';
	state_write(g, FIXUPS, text);
	return !squash_seen(g);
}
