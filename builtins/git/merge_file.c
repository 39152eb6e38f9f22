/* SPDX-License-Identifier: MIT
 *
 * One file that both sides of a merge changed: its mode, and its content by what the attribute
 * "merge" says: lines, lines of both, one side whole, or a program of the configuration.
 */
#include "builtins/git/merge_private.h"

enum driver { DRIVER_TEXT, DRIVER_BINARY, DRIVER_UNION, DRIVER_PROGRAM };

static struct bytes blob(struct git *g, const struct leaf *l)
{
	struct bytes data = { "", 0 };

	if (l != NULL)
		object_read(g, g->a, &l->oid, &data);
	return data;
}

/* The program of merge.NAME.driver in *command. */
static enum driver driver_of(struct merger *s, const char *path, const char **command)
{
	struct git *g = s->g;
	const char *name = attr_get(g, path, "merge");

	if (name == NULL)
		name = config_get(g, "merge.default");
	if (name == NULL || strcmp(name, ATTR_TRUE) == 0)
		return DRIVER_TEXT;
	if (strcmp(name, ATTR_FALSE) == 0)
		return DRIVER_BINARY;
	/* A virtual base may be made in another way. */
	if (s->m->depth > 0) {
		const char *inner = config_get(g, git_format(g->a, "merge.%s.recursive", name));

		name = inner != NULL ? inner : name;
	}
	*command = config_get(g, git_format(g->a, "merge.%s.driver", name));
	if (*command != NULL)
		return DRIVER_PROGRAM;
	return strcmp(name, "binary") == 0  ? DRIVER_BINARY
	       : strcmp(name, "union") == 0 ? DRIVER_UNION
					    : DRIVER_TEXT;
}

/* The command with %O %A %B %L %P in it. files: base, ours, theirs. */
static char *expand_command(struct git *g, const char *command, char *const files[3],
			    const struct merge_text *t, const char *path)
{
	struct buf b = buf_in(g->a);

	for (const char *p = command; *p != '\0'; p++) {
		if (*p != '%') {
			buf_putc(&b, *p);
			continue;
		}
		switch (*++p) {
		case 'O': git_quote_shell(&b, files[0]); break;
		case 'A': git_quote_shell(&b, files[1]); break;
		case 'B': git_quote_shell(&b, files[2]); break;
		case 'L': buf_printf(&b, "%d", t->marker_size); break;
		case 'P': git_quote_shell(&b, path); break;
		case '%': buf_putc(&b, '%'); break;
		default:
			buf_putc(&b, '%');
			p--;
			break;
		}
	}
	return buf_cstr(&b);
}

/* Lets a program merge; what it leaves in the file of our side is the result. */
static void run_driver(struct merger *s, struct merge_text *t, const char *command,
		       const char *path)
{
	struct git *g = s->g;
	static const char *const name[3] = { "merge_file_O", "merge_file_A", "merge_file_B" };
	const struct bytes text[3] = { t->base, t->ours, t->theirs };
	char *none[1] = { NULL };
	char *files[3];
	int status;

	for (int k = 0; k < 3; k++) {
		files[k] = repo_path(g, g->a, name[k]);
		if (file_write(g, files[k], text[k], 0600) < 0)
			git_die(g, "unable to create temp-file");
	}
	status = git_spawn_shell(g, expand_command(g, command, files, t, path), none, NULL);
	if (file_read(g, g->a, files[1], &t->result) < 0)
		t->result = (struct bytes){ "", 0 };
	for (int k = 0; k < 3; k++)
		cmd_unlink(g->c, CMD_CWD, files[k], 0);
	if (status > 128)
		git_error(g, "failed to execute internal merge");
	t->conflicts = status != 0;
}

/* One side whole: that which -X names; the base, if this is itself a base. False: a conflict. */
static bool whole_side(struct merger *s, struct merge_file *f, const struct leaf *leaf[3])
{
	struct merging *m = s->m;

	if (m->depth > 0) {
		if (leaf[0] != NULL)
			f->result = leaf[0]->oid;
		else
			object_write(s->g, OBJECT_BLOB, BYTES(""), &f->result);
		return true;
	}
	f->result = leaf[m->favor == FAVOR_THEIRS ? 2 : 1]->oid;
	return m->favor == FAVOR_THEIRS || m->favor == FAVOR_OURS;
}

/* Labels of markers: names of the file are told where they differ. */
static void set_labels(struct merger *s, struct merge_text *t, const struct leaf *leaf[3],
		       const char *names[3])
{
	const struct merging *m = s->m;
	const char *labels[3] = { m->ours, m->base, m->theirs };
	static const int order[3] = { 1, 0, 2 };
	bool differ = strcmp(names[1], names[2]) != 0 ||
		      (leaf[0] != NULL && strcmp(names[0], names[1]) != 0);

	for (int i = 0; i < 3; i++)
		t->label[i] = differ ? git_format(s->g->a, "%s:%s", labels[i], names[order[i]])
				     : labels[i];
}

static bool merge_regular(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
			  const char *names[3])
{
	struct git *g = s->g;
	struct merging *m = s->m;
	struct merge_text t = { .style = m->style,
				.favor = m->favor,
				.lines = m->lines,
				.marker_size = m->depth * 2 + 7 + s->nested };
	const char *command = NULL;
	enum driver driver = driver_of(s, f->path, &command);
	bool clean;

	t.base = blob(g, leaf[0]);
	t.ours = blob(g, leaf[1]);
	t.theirs = blob(g, leaf[2]);
	set_labels(s, &t, leaf, names);
	if (driver != DRIVER_PROGRAM &&
	    (lines_binary(t.base) || lines_binary(t.ours) || lines_binary(t.theirs)))
		driver = DRIVER_BINARY;
	if (driver == DRIVER_BINARY) {
		clean = whole_side(s, f, leaf);
		if (!clean)
			merge_say(s, f->path,
				  "warning: Cannot merge binary files: %s (%s vs. %s)\n", f->path,
				  t.label[0], t.label[2]);
	} else {
		if (driver == DRIVER_UNION)
			t.favor = FAVOR_UNION;
		if (driver == DRIVER_PROGRAM)
			run_driver(s, &t, command, f->path);
		else
			merge_text(g, g->a, &t);
		object_write(g, OBJECT_BLOB, t.result, &f->result);
		clean = t.conflicts == 0;
	}
	merge_say(s, f->path, "Auto-merging %s\n", f->path);
	return clean;
}

/* Of two commits of a submodule the one that holds the other. False: neither does; *wanted is then
 * what may be merged there. */
static bool follow_submodule(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
			     const char **wanted)
{
	struct git *g = s->g;
	struct git *sub = g->work != NULL ? repo_open(g, path_join(g->a, g->work, f->path)) : NULL;
	struct commit *c[3];
	const char *why = NULL;

	for (int i = 0; sub != NULL && why == NULL && i < 3; i++) {
		c[i] = commit_at(sub, &leaf[i]->oid);
		if (!commit_load(sub, c[i]))
			why = "commits not present";
	}
	if (sub == NULL)
		why = "not checked out";
	else if (why == NULL && (!is_ancestor(sub, c[0], c[1]) || !is_ancestor(sub, c[0], c[2])))
		why = "commits don't follow merge-base";
	if (sub != NULL)
		*wanted = git_format(g->keep, "%s", oid_short(sub, &leaf[2]->oid, 0));
	if (why != NULL) {
		merge_say(s, f->path, "Failed to merge submodule %s (%s)\n", f->path, why);
		return false;
	}
	for (int i = 1; i < 3; i++) {
		if (!is_ancestor(sub, c[3 - i], c[i]))
			continue;
		f->result = leaf[i]->oid;
		merge_say(s, f->path, "Note: Fast-forwarding submodule %s to %s\n", f->path,
			  oid_hex(g, &leaf[i]->oid));
		return true;
	}
	merge_say(s, f->path, "Failed to merge submodule %s\n", f->path);
	return false;
}

static bool merge_submodule(struct merger *s, struct merge_file *f, const struct leaf *leaf[3])
{
	const char *wanted = "";

	f->result = s->m->depth > 0 && leaf[0] != NULL ? leaf[0]->oid : leaf[1]->oid;
	if (leaf[0] != NULL && s->m->depth == 0 && follow_submodule(s, f, leaf, &wanted))
		return true;
	if (leaf[0] != NULL && s->m->depth > 0)
		return false;
	names_add(s->g, &s->submodules, f->path);
	names_add(s->g, &s->submodule_commits, wanted);
	return false;
}

static bool merge_link(struct merger *s, struct merge_file *f, const struct leaf *leaf[3])
{
	const struct merging *m = s->m;

	if (m->depth > 0 && leaf[0] != NULL)
		f->result = leaf[0]->oid;
	else
		f->result = leaf[m->favor == FAVOR_THEIRS ? 2 : 1]->oid;
	return m->depth == 0 && (m->favor == FAVOR_OURS || m->favor == FAVOR_THEIRS);
}

/* Sets f->result; false: a conflict. */
static bool merge_blobs(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
			const char *names[3])
{
	if (oid_eq(&leaf[1]->oid, &leaf[2]->oid) ||
	    (leaf[0] != NULL && oid_eq(&leaf[0]->oid, &leaf[1]->oid))) {
		f->result = leaf[2]->oid;
		return true;
	}
	if (leaf[0] != NULL && oid_eq(&leaf[0]->oid, &leaf[2]->oid)) {
		f->result = leaf[1]->oid;
		return true;
	}
	switch (leaf[1]->mode & S_FMT) {
	case S_REG: return merge_regular(s, f, leaf, names);
	case S_LNK: return merge_link(s, f, leaf);
	default: return merge_submodule(s, f, leaf);
	}
}

bool merge_content(struct merger *s, struct merge_file *f, const struct leaf *leaf[3],
		   const char *names[3])
{
	uint32_t base = leaf[0] != NULL ? leaf[0]->mode : 0;
	uint32_t ours = leaf[1]->mode, theirs = leaf[2]->mode;
	bool one_mode = ours == theirs || ours == base || theirs == base;
	bool clean = merge_blobs(s, f, leaf, names) && one_mode;

	f->result_mode = ours == base ? theirs : ours;
	if (!clean && !s->nested)
		merge_say(s, f->path, "CONFLICT (%s): Merge conflict in %s\n",
			  ours == MODE_GITLINK ? "submodule"
			  : leaf[0] == NULL    ? "add/add"
					       : "content",
			  f->path);
	return clean;
}
