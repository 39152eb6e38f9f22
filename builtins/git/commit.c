/* SPDX-License-Identifier: MIT
 *
 * Commits made: messages cleaned and edited, objects written, what is printed of them.
 */
#include "builtins/git/commit.h"

static void trim_end(struct bytes *line)
{
	while (line->len != 0 && byte_is_space((unsigned char)line->ptr[line->len - 1]))
		line->len--;
}

char message_comment_char(struct git *g)
{
	const char *v = config_get(g, "core.commentchar");

	return v != NULL && v[0] != '\0' && v[1] == '\0' ? v[0] : '#';
}

void message_put_comment(struct git *g, struct bytes text, struct buf *out)
{
	char comment = message_comment_char(g);
	struct bytes line;

	while (git_line(&text, &line)) {
		buf_printf(out, "%c%s", comment, line.len == 0 || line.ptr[0] == '\t' ? "" : " ");
		buf_add(out, line);
		buf_putc(out, '\n');
	}
}

struct bytes message_signature(struct bytes text)
{
	static const char *const signatures[] = { "-----BEGIN PGP SIGNATURE-----",
						  "-----BEGIN PGP MESSAGE-----",
						  "-----BEGIN SIGNED MESSAGE-----",
						  "-----BEGIN SSH SIGNATURE-----" };
	struct bytes rest = text, line;

	while (rest.len != 0) {
		struct bytes from = rest;

		git_line(&rest, &line);
		for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++)
			if (bytes_starts(line, bytes_of(signatures[i])))
				return from;
	}
	return bytes_slice(text, text.len, text.len);
}

struct bytes message_clean(struct git *g, struct bytes text, bool comments)
{
	struct buf out = buf_in(g->keep);
	struct bytes line;
	bool blank = false;
	char comment = message_comment_char(g);

	while (git_line(&text, &line)) {
		if (comments && line.len != 0 && line.ptr[0] == comment)
			continue;
		trim_end(&line);
		if (line.len == 0) {
			blank = true;
			continue;
		}
		if (blank && out.len != 0)
			buf_putc(&out, '\n');
		blank = false;
		buf_add(&out, line);
		buf_putc(&out, '\n');
		cmd_charge(g->c, 1);
	}
	return (struct bytes){ buf_cstr(&out), out.len };
}

static const char scissors[] = " ------------------------ >8 ------------------------\n";

void message_put_cut(struct git *g, struct buf *out)
{
	buf_printf(out, "%c%s", message_comment_char(g), scissors);
	message_put_comment(g,
			    BYTES("Do not modify or remove the line above.\n"
				  "Everything below it will be ignored.\n"),
			    out);
}

struct bytes message_cut(struct git *g, struct bytes text)
{
	const char *line = git_format(g->a, "\n%c%s", message_comment_char(g), scissors);
	const char *at = bytes_starts(text, bytes_of(line + 1)) ? text.ptr
								: bytes_find(text, bytes_of(line));

	if (at == NULL)
		return text;
	return bytes_slice(text, 0, (size_t)(at - text.ptr) + (at != text.ptr));
}

bool message_edit(struct git *g, const char *path)
{
	return message_edit_with(g, NULL, path);
}

bool message_edit_with(struct git *g, const char *editor, const char *path)
{
	const char *term = cmd_getenv(g->c, "TERM");
	bool dumb = term == NULL || strcmp(term, "dumb") == 0;
	char *args[2] = { arena_dup(g->a, bytes_of(path)), NULL };
	struct env e;
	int status;

	if (editor == NULL)
		editor = cmd_getenv(g->c, "GIT_EDITOR");
	if (editor == NULL)
		editor = config_get(g, "core.editor");
	if (editor == NULL && !dumb)
		editor = cmd_getenv(g->c, "VISUAL");
	if (editor == NULL)
		editor = cmd_getenv(g->c, "EDITOR");
	if (editor == NULL && dumb) {
		git_error(g, "Terminal is dumb, but EDITOR unset");
		return false;
	}
	if (editor == NULL)
		editor = "vi";
	if (strcmp(editor, ":") == 0)
		return true;
	if (g->index_file != NULL) {
		env_init(&e, g->c, false);
		env_put(&e, git_format(g->a, "GIT_INDEX_FILE=%s", g->index_file));
	}
	status = git_spawn_shell(g, editor, args, g->index_file != NULL ? e.list : NULL);
	if (status != 0) {
		git_error(g, "There was a problem with the editor '%s'.", editor);
		return false;
	}
	return true;
}

void commit_write(struct git *g, const struct oid *tree, const struct oid *parents, size_t n,
		  const char *author, struct bytes message, struct oid *out)
{
	struct buf b = buf_in(g->a);

	if (message.len != 0 && memchr(message.ptr, '\0', message.len) != NULL) {
		git_error(g, "a NUL byte in commit log message not allowed.");
		git_die(g, "failed to write commit object");
	}
	buf_printf(&b, "tree %s\n", oid_hex(g, tree));
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "parent %s\n", oid_hex(g, &parents[i]));
	buf_printf(&b, "author %s\n", author != NULL ? author : ident_author(g));
	buf_printf(&b, "committer %s\n", ident_committer(g));
	if (!encoding_is_utf8(config_get(g, "i18n.commitencoding")))
		buf_printf(&b, "encoding %s\n", config_get(g, "i18n.commitencoding"));
	buf_putc(&b, '\n');
	buf_add(&b, message);
	object_write(g, OBJECT_COMMIT, buf_bytes(&b), out);
}

static void put_author_lines(struct git *g, const struct commit_text *t, bool date, struct buf *out)
{
	struct person a, c;
	struct date_style style = { .mode = DATE_NORMAL };

	person_split(t->author, &a);
	person_split(t->committer, &c);
	if (!bytes_eq(a.name, c.name) || !bytes_eq(a.mail, c.mail)) {
		buf_puts(out, " Author: ");
		buf_add(out, a.name);
		buf_puts(out, " <");
		buf_add(out, a.mail);
		buf_puts(out, ">\n");
	}
	if (date) {
		buf_puts(out, " Date: ");
		date_put(g, out, a.time, a.zone, &style);
		buf_putc(out, '\n');
	}
	if (ident_is_implicit(g, false)) {
		buf_puts(out, " Committer: ");
		buf_add(out, c.name);
		buf_puts(out, " <");
		buf_add(out, c.mail);
		buf_puts(out, ">\n");
	}
}

void commit_print(struct git *g, const struct oid *o, bool root, bool show_author_date)
{
	struct commit *c = commit_at(g, o);
	struct commit_text t;
	struct diff_opts d;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct buf out = buf_in(g->a);
	struct bytes subject;
	char *head = head_ref(g);

	commit_need(g, c);
	commit_text(g, g->a, o, &t);
	subject = message_subject(g->a, t.message);
	buf_printf(&out, "[%s%s %s] ", head != NULL ? ref_short(g, head) : "detached HEAD",
		   root ? " (root-commit)" : "", oid_short(g, o, 0));
	buf_add(&out, subject);
	buf_putc(&out, '\n');
	put_author_lines(g, &t, show_author_date, &out);
	cmd_bytes(g->c, buf_bytes(&out));
	if (c->nparents > 1)
		return;
	diff_init(g, &d);
	d.format = DIFF_SHORTSTAT | DIFF_SUMMARY;
	d.renames = 1;
	diff_settle(g, &d);
	if (c->nparents == 1)
		commit_need(g, c->parent[0]);
	diff_trees(g, &d, c->nparents == 1 ? &c->parent[0]->tree : NULL, &c->tree, &q);
	diff_finish(g, &d, &q);
	diff_output(g, &d, &q);
}

/* --- files of operations under way --- */

char *state_read(struct git *g, const char *name)
{
	struct bytes text;

	if (file_read(g, g->keep, repo_path(g, g->a, name), &text) < 0)
		return NULL;
	return arena_dup(g->keep, text);
}

void state_write(struct git *g, const char *name, const char *text)
{
	char *path = repo_path(g, g->a, name);
	int err;

	file_make_parents(g, path);
	err = file_write(g, path, bytes_of(text), 0666);
	if (err < 0)
		git_die_errno(g, err, "could not open '%s' for writing", path);
}

void state_remove(struct git *g, const char *name)
{
	cmd_unlink(g->c, CMD_CWD, repo_path(g, g->a, name), 0);
}

static void clear(struct git *g, bool merge_goes_on)
{
	static const char *const names[] = { "MERGE_HEAD", "MERGE_MSG",        "MERGE_MODE",
					     "SQUASH_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD",
					     "AUTO_MERGE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		state_remove(g, names[i]);
	/* What a merge put away waits for its commit; else it is kept with the others. */
	char *stash = state_read(g, "MERGE_AUTOSTASH");
	struct oid o;

	if (stash == NULL || merge_goes_on)
		return;
	state_remove(g, "MERGE_AUTOSTASH");
	if (oid_parse(stash, &o))
		stash_keep_auto(g, &o);
}

void state_clear(struct git *g)
{
	clear(g, false);
}

void state_clear_committed(struct git *g)
{
	clear(g, true);
}

void state_end_pick(struct git *g)
{
	const char *todo = repo_path(g, g->a, "sequencer/todo");
	struct bytes text, line;

	if (!file_exists(g, repo_path(g, g->a, "CHERRY_PICK_HEAD")) &&
	    !file_exists(g, repo_path(g, g->a, "REVERT_HEAD")))
		return;
	state_remove(g, "CHERRY_PICK_HEAD");
	state_remove(g, "REVERT_HEAD");
	/* The first line is the one that stopped. */
	if (file_read(g, g->a, todo, &text) == 0 && git_line(&text, &line) && text.len == 0)
		file_remove_tree(g, repo_path(g, g->a, "sequencer"));
}

void state_clear_merge(struct git *g)
{
	state_end_pick(g);
	state_clear(g);
	state_remove(g, "MERGE_RR");
}
