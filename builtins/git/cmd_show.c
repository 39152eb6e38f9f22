/* SPDX-License-Identifier: MIT
 *
 * git show, diff-tree: commits that are named, not walked to.
 */
#include "builtins/git/log.h"
#include "builtins/git/userdiff.h"

/* --- show --- */

static void show_tag(struct git *g, struct log_args *l, const struct oid *o, const char *name)
{
	struct bytes data = object_need(g, g->a, o, OBJECT_TAG);
	struct commit_text t;
	struct person who;
	struct buf b = buf_in(g->a);

	(void)name;
	commit_split(data, &t);
	if (l->any)
		buf_putc(&b, '\n');
	buf_printf(&b, "%stag %.*s%s\n",
		   l->pretty.use_color ? diff_escape(&l->revs.diff, g, "commit") : "",
		   (int)t.tag.len, t.tag.ptr, l->pretty.use_color ? COLOR_RESET : "");
	if (t.tagger.ptr != NULL) {
		person_split(t.tagger, &who);
		buf_puts(&b, "Tagger: ");
		buf_add(&b, who.name);
		buf_puts(&b, " <");
		buf_add(&b, who.mail);
		buf_puts(&b, ">\n");
		if (l->pretty.kind != PRETTY_RAW) {
			buf_puts(&b, "Date:   ");
			date_put(g, &b, who.time, who.zone, &l->pretty.date);
			buf_putc(&b, '\n');
		}
	}
	buf_putc(&b, '\n');
	buf_add(&b, t.message);
	cmd_bytes(g->c, buf_bytes(&b));
	l->any = true;
}

static void show_tree(struct git *g, struct log_args *l, const struct oid *o, const char *name)
{
	struct bytes data = object_need(g, g->a, o, OBJECT_TREE);
	struct tree_entry e;

	if (l->any)
		cmd_putc(g->c, '\n');
	git_printf(g, "%stree %s%s\n\n",
		   l->pretty.use_color ? diff_escape(&l->revs.diff, g, "commit") : "", name,
		   l->pretty.use_color ? COLOR_RESET : "");
	while (tree_next(&data, &e) > 0) {
		cmd_bytes(g->c, e.name);
		git_printf(g, "%s\n", (e.mode & S_FMT) == S_DIR ? "/" : "");
	}
	l->any = true;
}

static void show_object(struct git *g, struct log_args *l, const struct revs_item *it)
{
	struct oid o = it->oid;
	struct bytes data;
	uint64_t size;

	for (int depth = 0; depth < 16; depth++) {
		enum object_type type = object_info(g, &o, &size);
		struct commit_text t;

		switch (type) {
		case OBJECT_BLOB:
			data = object_need(g, g->a, &o, OBJECT_BLOB);
			if (it->path != NULL && l->revs.diff.textconv_asked)
				userdiff_textconv(g, g->a, it->path,
						  it->mode != 0 ? it->mode : MODE_FILE, &o, data,
						  &data);
			cmd_bytes(g->c, data);
			return;
		case OBJECT_TREE: show_tree(g, l, &o, it->name); return;
		case OBJECT_COMMIT: {
			struct commit *c = commit_at(g, &o);

			commit_need(g, c);
			if (log_has_change(g, l, c))
				log_one_commit(g, l, c);
			return;
		}
		case OBJECT_TAG:
			show_tag(g, l, &o, it->name);
			data = object_need(g, g->a, &o, OBJECT_TAG);
			commit_split(data, &t);
			if (!oid_parse_bytes(t.object, &o))
				git_die(g, "corrupt tag");
			break;
		default: git_die(g, "bad object %s", it->name);
		}
	}
}

int git_cmd_show(struct git *g, struct args *args)
{
	struct log_args l;
	bool ranges = false;

	log_init(g, &l);
	l.show = true;
	l.revs.no_walk = true;
	log_parse(g, &l, args);
	if (l.merges == 0 && !l.merges_off)
		l.merges = l.revs.first_parent ? 4 : 3;
	revs_operands(g, &l.revs, args);
	l.revs.diff.default_patch = true;
	log_settle(g, &l);
	pretty_load_decorations(g, &l.pretty);
	for (size_t i = 0; i < l.revs.nitems; i++)
		ranges = ranges || l.revs.item[i].uninteresting;
	l.revs.no_walk = !ranges;
	if (l.ranges.n != 0)
		return log_run_ranges(g, &l);
	if (ranges) {
		return log_run(g, &l);
	}
	for (size_t i = 0; i < l.revs.nitems; i++)
		show_object(g, &l, &l.revs.item[i]);
	return l.revs.diff.check_status;
}

/* --- diff-tree --- */

static const char *const tree_usage[] = {
	"git diff-tree [--stdin] [-m] [-s] [-v] [--no-commit-id] [--pretty]\n"
	"              [-t] [-r] [-c | --cc] [--combined-all-paths] [--root] [--merge-base]\n"
	"              [<common-diff-options>] <tree-ish> [<tree-ish>] [<path>...]",
	NULL
};

struct tree_args {
	struct log_args l;
	bool recurse, from_stdin, merge_base, always;
	bool changed; /* of --quiet: something is */
};

static int tree_option(struct git *g, void *opts, int argc, char **argv)
{
	struct tree_args *t = opts;
	const char *arg = argv[0];

	if (strcmp(arg, "-h") == 0)
		git_usage(g, tree_usage);
	if (strcmp(arg, "-r") == 0)
		t->recurse = true;
	else if (strcmp(arg, "-t") == 0)
		t->l.revs.diff.tree_entries = t->recurse = true;
	else if (strcmp(arg, "--root") == 0)
		t->l.revs.show_root = true;
	else if (strcmp(arg, "--no-commit-id") == 0)
		t->l.no_id = true;
	else if (strcmp(arg, "--quiet") == 0)
		t->l.revs.diff.quiet = t->l.revs.diff.exit_code = true;
	else if (strcmp(arg, "--stdin") == 0)
		t->from_stdin = true;
	else if (strcmp(arg, "--merge-base") == 0)
		t->merge_base = true;
	else if (strcmp(arg, "--always") == 0)
		t->always = true;
	else if (strcmp(arg, "-v") == 0)
		t->l.pretty_given = true;
	else
		return log_option(g, &t->l, argc, argv);
	return 1;
}

/* Whether something of a commit is shown without --always. */
static bool tree_shows(struct git *g, struct log_args *l, struct commit *c)
{
	struct buf b = buf_in(g->a);
	struct diff_opts o = l->revs.diff;

	if (c->nparents == 0 && !l->revs.show_root)
		return false;
	if (c->nparents < 2 || l->merges == 1)
		return log_has_change(g, l, c);
	if (l->merges == 0)
		return false;
	o.format = DIFF_RAW;
	diff_merge_text(g, &o, c, l->merges == 3, &b);
	return b.len != 0;
}

static void tree_commit(struct git *g, struct tree_args *t, struct commit *c)
{
	commit_need(g, c);
	if (t->l.revs.diff.quiet) {
		bool shows = tree_shows(g, &t->l, c);

		t->changed = t->changed || (shows && c->nparents < 2);
		if (shows && !t->l.no_id)
			git_printf(g, "%s\n", oid_hex(g, &c->oid));
		return;
	}
	if (t->always || tree_shows(g, &t->l, c))
		log_one_commit(g, &t->l, c);
	cmd_flush(g->c);
}

static int tree_pair(struct git *g, struct tree_args *t, const struct oid *a, const struct oid *b)
{
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct diff_opts *o = &t->l.revs.diff;
	bool changed;

	diff_trees(g, o, a, b, &q);
	diff_finish(g, o, &q);
	changed = q.n != 0;
	diff_output(g, o, &q);
	return o->check_status | (o->exit_code && changed ? 1 : 0);
}

/* "COMMIT [PARENT]..." or "TREE TREE"; other lines pass as they are. */
static void tree_line(struct git *g, struct tree_args *t, struct bytes line)
{
	struct oid o, second;
	struct commit *c;
	struct commit as_told;
	uint64_t size;

	if (!oid_parse_bytes(bytes_slice(line, 0, line.len < OID_HEX ? line.len : OID_HEX), &o)) {
		cmd_bytes(g->c, line);
		cmd_putc(g->c, '\n');
		cmd_flush(g->c);
		return;
	}
	line = bytes_slice(line, OID_HEX, line.len);
	switch (object_info(g, &o, &size)) {
	case OBJECT_TREE:
		line = git_trim(line);
		if (!oid_parse_bytes(line, &second)) {
			git_error(g, "Need exactly two trees, separated by a space");
			return;
		}
		git_printf(g, "%s %s\n", oid_hex(g, &o), oid_hex(g, &second));
		tree_pair(g, t, &o, &second);
		cmd_flush(g->c);
		return;
	case OBJECT_COMMIT: break;
	default:
		git_error(g, "Object %s is a %s, not a commit or tree", oid_hex(g, &o),
			  object_type_name(object_info(g, &o, &size)));
		return;
	}
	c = commit_at(g, &o);
	commit_need(g, c);
	if (line.len > OID_HEX) {
		as_told = *c;
		as_told.parent = arena_array(g->keep, line.len / OID_HEX + 1, sizeof(*c->parent));
		as_told.nparents = 0;
		while (line.len > OID_HEX &&
		       oid_parse_bytes(bytes_slice(line, 1, OID_HEX + 1), &second)) {
			as_told.parent[as_told.nparents++] = commit_at(g, &second);
			line = bytes_slice(line, OID_HEX + 1, line.len);
		}
		c = &as_told;
	}
	tree_commit(g, t, c);
}

static void settle_tree(struct git *g, struct tree_args *t)
{
	struct log_args *l = &t->l;
	struct diff_opts *o = &l->revs.diff;
	const unsigned deep = DIFF_PATCH | DIFF_STAT | DIFF_NUMSTAT | DIFF_SHORTSTAT |
			      DIFF_SUMMARY | DIFF_DIRSTAT | DIFF_CHECK;
	bool root = l->revs.show_root;

	if (o->format == 0)
		o->format = l->merges == 3 ? DIFF_PATCH : DIFF_RAW;
	o->raw_full = !o->abbrev_given;
	l->id_only = !l->pretty_given;
	l->changed_only = true;
	if (l->pretty.decorate < 0)
		l->pretty.decorate = 0;
	log_settle(g, l);
	l->revs.show_root = root;
	l->pretty.notes = l->notes > 0;
	o->not_recursive = !t->recurse && !(o->format & deep) && l->merges != 2 && l->merges != 3;
}

int git_cmd_diff_tree(struct git *g, struct args *args)
{
	struct tree_args t = { .recurse = false };
	struct revs *r = &t.l.revs;
	const char *unknown;
	struct oid two[2];
	struct bytes line;

	log_init(g, &t.l);
	t.l.pretty_given = false;
	t.l.pretty.kind = PRETTY_MEDIUM;
	r->default_head = false;
	r->diff.renames = 0;
	r->diff.textconv = false;
	unknown = git_take_options(g, args, tree_option, &t);
	if (unknown != NULL)
		git_usage(g, tree_usage);
	revs_operands(g, r, args);
	settle_tree(g, &t);
	if (t.merge_base && t.from_stdin)
		git_die(g, "options '%s' and '%s' cannot be used together", "--merge-base",
			"--stdin");
	if (t.merge_base && r->nitems != 2)
		git_die(g, "--merge-base only works with two commits");
	if (r->nitems == 0 && !t.from_stdin)
		git_usage(g, tree_usage);
	if (r->nitems == 1) {
		if (r->item[0].c != NULL)
			tree_commit(g, &t, r->item[0].c);
	} else if (r->nitems > 1) {
		/* A..B has its excluded end behind; A...B has the merge base in the middle. */
		const struct revs_item *a = r->item[1].uninteresting ? &r->item[1] : &r->item[0];
		const struct revs_item *b = a == &r->item[1] ? &r->item[0]
							     : &r->item[r->nitems - 1];
		struct commit **bases;

		if (!tree_of(g, &a->oid, &two[0]) || !tree_of(g, &b->oid, &two[1]))
			git_die(g, "not a tree object");
		if (t.merge_base) {
			if (a->c == NULL || b->c == NULL || merge_bases(g, a->c, b->c, &bases) != 1)
				git_die(g, "no merge base found");
			two[0] = bases[0]->tree;
		}
		return tree_pair(g, &t, &two[0], &two[1]);
	}
	if (t.from_stdin) {
		struct bytes text = file_stdin(g);

		while (git_line(&text, &line))
			tree_line(g, &t, line);
	}
	return t.changed;
}
