/* SPDX-License-Identifier: MIT
 *
 * One commit applied on top of another: what cherry-pick, revert and rebase have in common.
 */
#include "builtins/git/sequence.h"
#include "builtins/git/trailer.h"

const char *pick_subject(struct git *g, const struct commit *c)
{
	struct commit_text t;
	struct bytes s;

	commit_text(g, g->keep, &c->oid, &t);
	s = message_subject(g->keep, t.message);
	return git_format(g->keep, "%.*s", (int)s.len, s.ptr);
}

const char *pick_first_line(struct git *g, const struct commit *c)
{
	struct commit_text t;
	struct bytes line = BYTES("");

	commit_text(g, g->keep, &c->oid, &t);
	while (git_line(&t.message, &line) && bytes_trim(line).len == 0)
		continue;
	return git_format(g->keep, "%.*s", (int)line.len, line.ptr);
}

bool pick_merge(struct picking *p, const struct commit *parent)
{
	struct git *g = p->g;
	struct merging *m = &p->merge;
	const char *label = git_format(g->keep, "%s (%s)", oid_short(g, &p->commit->oid, 0),
				       pick_first_line(g, p->commit));
	const char *parent_label = parent != NULL ? git_format(g->keep, "parent of %s", label)
						  : "(empty tree)";

	*m = (struct merging){
		.g = g, .ours = "HEAD", .style = merge_style_of(g, NULL), .lines = LINES_HISTOGRAM
	};
	p->base = parent != NULL ? parent->tree : oid_empty_tree;
	if (p->no_commit && !tree_write_index(g, index_get(g), false, &p->head_tree)) {
		git_error(g, "your index file is unmerged.");
		return false;
	}
	m->theirs = p->kind == REVERT ? parent_label : label;
	m->base = p->kind == REVERT ? label : parent_label;
	for (size_t i = 0; i < p->xopts.n; i++)
		if (!merge_option(m, p->xopts.at[i]))
			git_die(g, "unknown strategy option: -X%s", p->xopts.at[i]);
	if (p->kind == REVERT)
		merge_trees(m, &p->commit->tree, &p->head_tree, &p->base);
	else
		merge_trees(m, &p->base, &p->head_tree, &p->commit->tree);
	return merge_apply(m, &p->head_tree, "merge");
}

/* The message as prepare-commit-msg leaves it. */
static struct bytes ask_hook(struct git *g, struct bytes message, const char *action)
{
	char *path = repo_path(g, g->keep, "COMMIT_EDITMSG");
	char *args[3] = { git_hook_path(g, "COMMIT_EDITMSG"), arena_dup(g->a, BYTES("message")),
			  NULL };
	int err;

	if (!git_hook_exists(g, "prepare-commit-msg"))
		return message;
	file_write(g, path, message, 0666);
	if (git_hook(g, "prepare-commit-msg", args, NULL) != 0) {
		git_error(g, "'prepare-commit-msg' hook failed");
		git_exit(g, 1);
	}
	err = file_read(g, g->keep, path, &message);
	if (err < 0) {
		git_error(g, "unable to read commit message from '.git/COMMIT_EDITMSG': %s",
			  err_text(err));
		git_die(g, "%s failed", action);
	}
	return message;
}

void pick_record(struct git *g, const struct oid *tree, const struct oid *parents, size_t n,
		 const char *author, struct bytes message, const char *action, struct oid *out)
{
	struct bytes line, rest = message;
	struct oid head;
	bool has_head = head_oid(g, &head);

	message = rest = ask_hook(g, message, action);
	commit_write(g, tree, parents, n, author, message, out);
	if (!git_line(&rest, &line))
		line = BYTES("");
	ref_update(g, "HEAD", out, has_head ? &head : NULL,
		   git_format(g->a, "%s: %.*s", action, (int)line.len, line.ptr), false);
	git_hook(g, "post-commit", NULL, NULL);
}

void pick_write_message(struct git *g, struct bytes message, const struct merging *m)
{
	struct buf b = buf_in(g->a);

	buf_add(&b, message);
	if (!m->clean)
		buf_puts(&b, "\n# Conflicts:\n");
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].conflict)
			buf_printf(&b, "#\t%s\n", m->at[i].path);
	state_write(g, "MERGE_MSG", buf_cstr(&b));
}

struct bytes pick_sign_off(struct git *g, struct bytes message)
{
	struct buf b = buf_in(g->keep);
	struct person who;
	struct bytes block;
	const char *line;

	person_split(bytes_of(ident_committer(g)), &who);
	line = git_format(g->a, "Signed-off-by: %.*s <%.*s>", (int)who.name.len, who.name.ptr,
			  (int)who.mail.len, who.mail.ptr);
	buf_add(&b, message);
	while (b.len > 0 && b.ptr[b.len - 1] == '\n')
		b.len--;
	buf_putc(&b, '\n');
	block = trailers_of(g, buf_bytes(&b));
	if (bytes_find(block, bytes_of(line)) != NULL)
		return message;
	buf_printf(&b, "%s%s\n", block.len == 0 ? "\n" : "", line);
	return (struct bytes){ buf_cstr(&b), b.len };
}

void pick_reset_hard(struct git *g)
{
	struct oid o, tree = oid_empty_tree;

	if (head_oid(g, &o))
		tree_of(g, &o, &tree);
	work_reset(g, &tree);
	index_write(g, index_get(g));
}

bool pick_unstaged_changes(struct git *g)
{
	struct diff_opts d;
	struct diff_queue q = { .at = NULL };

	diff_init(g, &d);
	d.renames = 0;
	d.submodules_asked = SUBMODULE_IGNORE_ALL;
	diff_settle(g, &d);
	diff_work(g, &d, &q);
	diff_finish(g, &d, &q);
	return q.n != 0;
}

bool pick_staged_changes(struct git *g)
{
	struct oid head, tree = oid_empty_tree;

	if (head_oid(g, &head))
		tree_of(g, &head, &tree);
	return diff_staged_paths(g, &tree) != NULL;
}
