/* SPDX-License-Identifier: MIT
 *
 * git fast-import: the commands of the stream.
 */
#include "builtins/git/import.h"

/* --- branches --- */

static struct import_branch *find_branch(struct import *im, const char *name)
{
	return lookup_get(im->branch_of, bytes_of(name));
}

static struct import_branch *new_branch(struct import *im, const char *name)
{
	struct git *g = im->g;
	struct import_branch *b = arena_zalloc(g->keep, sizeof(*b));

	if (!ref_name_valid(name))
		import_die(im, "Branch name doesn't conform to GIT standards: %s", name);
	b->name = arena_dup(g->keep, bytes_of(name));
	*lookup_at(im->branch_of, bytes_of(b->name)) = b;
	*im->branches_end = b;
	im->branches_end = &b->next;
	import_tree_start(im, &b->root, NULL);
	return b;
}

/* --- objects by name --- */

static struct import_object *marked_commit(struct import *im, const char *text)
{
	const char *at = text;
	struct import_object *o = import_marked(im, &at, '\0');

	if (o->type != OBJECT_COMMIT)
		import_die(im, "Mark :%.*s not a commit", (int)(at - text - 1), text + 1);
	return o;
}

/* The text of a commit that may be in no pack yet; tags are followed. */
static struct bytes read_commit(struct import *im, struct oid *o)
{
	struct git *g = im->g;
	enum object_type type;
	struct bytes text;

	for (;;) {
		struct commit_text tag;

		type = import_read(im, g->a, o, &text);
		cmd_charge(g->c, 8);
		if (type != OBJECT_TAG)
			break;
		commit_split(text, &tag);
		if (!oid_parse_bytes(tag.object, o))
			break;
	}
	if (type != OBJECT_COMMIT || text.len < OID_HEX + 6)
		import_die(im, "Not a valid commit: %s", oid_hex(g, o));
	return text;
}

static void start_from(struct import *im, struct import_branch *b, struct oid *o)
{
	struct bytes text;
	struct oid tree;

	b->notes = 0;
	b->oid = *o;
	if (oid_is_null(o)) {
		import_tree_start(im, &b->root, NULL);
		b->deleted = true;
		return;
	}
	text = read_commit(im, &b->oid);
	if (!bytes_starts(text, BYTES("tree ")) ||
	    !oid_parse_bytes(bytes_slice(text, 5, text.len), &tree))
		import_die(im, "The commit %s is corrupt", oid_hex(im->g, &b->oid));
	import_tree_start(im, &b->root, &tree);
}

/* "from", if it is the line: the branch stands there then. */
static void parse_from(struct import *im, struct import_branch *b)
{
	const char *name = import_word(im, "from ");
	const struct import_branch *other;
	struct oid o;

	if (name == NULL)
		return;
	other = find_branch(im, name);
	if (other == b)
		import_die(im, "Can't create a branch from itself: %s", b->name);
	if (other != NULL) {
		/* What is stored is what its last commit has. */
		o = other->oid;
		b->oid = o;
		b->notes = 0;
		if (other->root.dirty)
			import_tree_start(im, &b->root, NULL);
		else
			import_tree_start(im, &b->root, &other->root.oid);
	} else if (name[0] == ':') {
		o = marked_commit(im, name)->oid;
		if (!oid_eq(&o, &b->oid))
			start_from(im, b, &o);
	} else if (rev_parse(im->g, name, &o) == 0) {
		start_from(im, b, &o);
	} else {
		import_die(im, "Invalid ref name or SHA1 expression: %s", name);
	}
	import_next(im);
}

static void parse_merges(struct import *im, struct buf *parents)
{
	const char *name;

	while ((name = import_word(im, "merge ")) != NULL) {
		const struct import_branch *b = find_branch(im, name);
		struct oid o;

		if (b != NULL)
			o = b->oid;
		else if (name[0] == ':')
			o = marked_commit(im, name)->oid;
		else if (rev_parse(im->g, name, &o) == 0)
			read_commit(im, &o);
		else
			import_die(im, "Invalid ref name or SHA1 expression: %s", name);
		buf_printf(parents, "parent %s\n", oid_hex(im->g, &o));
		import_next(im);
	}
}

static uint64_t parse_mark(struct import *im)
{
	const char *text = import_word(im, "mark :");
	uint64_t v;

	if (text == NULL)
		return 0;
	v = import_number(&text);
	import_next(im);
	return v;
}

static void skip_original(struct import *im)
{
	if (import_word(im, "original-oid ") != NULL)
		import_next(im);
}

/* --- answers --- */

static void cat_blob(struct import *im, const char *text)
{
	struct git *g = im->g;
	struct buf b = buf_in(g->a);
	struct bytes data;
	enum object_type type;
	struct oid o;

	if (text[0] == ':') {
		o = import_marked(im, &text, '\0')->oid;
	} else {
		if (!import_hex(im, &text, &o))
			import_die(im, "Invalid dataref: %s", im->line.ptr);
		if (*text != '\0')
			import_die(im, "Garbage after SHA1: %s", im->line.ptr);
	}
	type = import_read(im, g->a, &o, &data);
	if (type == OBJECT_NONE) {
		import_reply(im, bytes_of(git_format(g->a, "%s missing\n", oid_hex(g, &o))));
		return;
	}
	if (type != OBJECT_BLOB)
		import_die(im, "Object %s is a %s but a blob was expected.", oid_hex(g, &o),
			   object_type_name(type));
	buf_printf(&b, "%s blob %zu\n", oid_hex(g, &o), data.len);
	buf_add(&b, data);
	buf_putc(&b, '\n');
	import_reply(im, buf_bytes(&b));
}

static void get_mark(struct import *im, const char *text)
{
	const struct import_object *o;

	if (text[0] != ':')
		import_die(im, "Not a mark: %s", text);
	o = import_marked(im, &text, '\0');
	import_reply(im, bytes_of(git_format(im->g->a, "%s\n", oid_hex(im->g, &o->oid))));
}

/* A name in digits, with a blank behind it. */
static void hex_named(struct import *im, const char **at, struct oid *o)
{
	if (!import_hex(im, at, o))
		import_die(im, "Invalid dataref: %s", im->line.ptr);
	if (**at != ' ')
		import_die(im, "Missing space after SHA1: %s", im->line.ptr);
}

/* The tree of what a name stands for. */
static void tree_named(struct import *im, const char **at, struct oid *o)
{
	struct git *g = im->g;

	if (**at == ':') {
		*o = import_marked(im, at, ' ')->oid;
	} else {
		hex_named(im, at, o);
	}
	(*at)++;
	for (;;) {
		enum object_type type = import_type(im, o);
		struct bytes text;

		cmd_charge(g->c, 8);
		if (type == OBJECT_TREE)
			return;
		if (type == OBJECT_NONE)
			import_die(im, "object not found: %s", oid_hex(g, o));
		if (type == OBJECT_BLOB)
			import_die(im, "Not a tree-ish: %s", im->line.ptr);
		import_read(im, g->a, o, &text);
		/* "tree " or "object ". */
		text = bytes_slice(text, type == OBJECT_TAG ? 7 : 5, text.len);
		if (!oid_parse_bytes(text, o))
			import_die(im, "Invalid SHA1 in %s", type == OBJECT_TAG ? "tag" : "commit");
	}
}

static void list_path(struct import *im, const char *at, struct import_branch *b)
{
	static const char *const types[] = { "blob", "tree", "commit" };
	struct git *g = im->g;
	struct import_node other = { .mode = S_DIR }, leaf;
	struct import_node *root = &other;
	struct buf out = buf_in(g->a);
	char *path;
	unsigned type;

	if (*at == '"') {
		if (b == NULL)
			import_die(im, "Not in a commit: %s", im->line.ptr);
		root = &b->root;
	} else {
		tree_named(im, &at, &other.oid);
	}
	if (*at == '"' && !import_quoted(im, at))
		import_die(im, "Invalid path: %s", im->line.ptr);
	path = import_path(im, &at, true);
	if (*at != '\0')
		import_die(im, "Garbage after path in: %s", im->line.ptr);
	import_tree_get(im, root, path, &leaf);
	type = (leaf.mode & S_FMT) == S_DIR ? 1 : (leaf.mode & S_FMT) == 0160000 ? 2 : 0;
	if (type == 1)
		import_tree_store(im, &leaf);
	if (leaf.mode == 0)
		buf_puts(&out, "missing ");
	else
		buf_printf(&out, "%06o %s %s\t", (unsigned)leaf.mode, types[type],
			   oid_hex(g, &leaf.oid));
	git_quote(g, &out, path);
	buf_putc(&out, '\n');
	import_reply(im, buf_bytes(&out));
	import_tree_clear(im, &leaf);
	import_tree_clear(im, &other);
}

/* --- changes of files --- */

static struct import_object *inline_blob(struct import *im)
{
	const char *text;

	while (import_next(im)) {
		text = import_word(im, "cat-blob ");
		if (text == NULL)
			return import_put_blob(im, import_data(im, im->g->a));
		cat_blob(im, text);
	}
	return NULL;
}

/* The object of M and N; NULL: it is inline. *known: its struct, if there is one. */
static bool parse_data_name(struct import *im, const char **at, struct oid *o,
			    struct import_object **known)
{
	*known = NULL;
	if (**at == ':') {
		*known = import_marked(im, at, ' ');
		*o = (*known)->oid;
	} else if (git_starts(*at, "inline ")) {
		*at += 6;
		(*at)++;
		return false;
	} else {
		hex_named(im, at, o);
		*known = import_known(im, o);
	}
	(*at)++;
	return true;
}

static uint32_t parse_mode(struct import *im, const char **at)
{
	static const struct {
		const char *text;
		uint32_t mode;
	} modes[] = {
		{ "644 ", MODE_FILE },    { "755 ", MODE_EXEC },    { "100644 ", MODE_FILE },
		{ "100755 ", MODE_EXEC }, { "120000 ", MODE_LINK }, { "160000 ", MODE_GITLINK },
		{ "40000 ", MODE_TREE },  { "040000 ", MODE_TREE },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (git_starts(*at, modes[i].text)) {
			*at += strlen(modes[i].text);
			return modes[i].mode;
		}
	import_die(im, "Corrupt mode: %s", im->line.ptr);
}

/* Ends the command unless the object is what the mode says. */
static void check_kind(struct import *im, const char *line, uint32_t mode, const struct oid *o,
		       const struct import_object *known)
{
	enum object_type want = mode == MODE_TREE ? OBJECT_TREE : OBJECT_BLOB;
	enum object_type type;

	if (mode == MODE_GITLINK) {
		if (known != NULL && known->type != OBJECT_COMMIT)
			import_die(im, "Not a commit (actually a %s): %s",
				   object_type_name(known->type), line);
		return;
	}
	type = import_type(im, o);
	if (type == OBJECT_NONE && mode == MODE_TREE && oid_eq(o, &oid_empty_tree))
		type = OBJECT_TREE;
	if (type == OBJECT_NONE)
		import_die(im, "%s not found: %s", mode == MODE_TREE ? "Tree" : "Blob", line);
	if (type != want)
		import_die(im, "Not a %s (actually a %s): %s", object_type_name(want),
			   object_type_name(type), line);
}

static void replace_root(struct import *im, struct import_branch *b, struct import_node *leaf)
{
	if ((leaf->mode & S_FMT) != S_DIR)
		import_die(im, "Root cannot be a non-directory");
	import_tree_clear(im, &b->root);
	b->root = *leaf;
}

static void set_path(struct import *im, struct import_branch *b, const char *path,
		     struct import_node *leaf)
{
	if (path[0] == '\0')
		replace_root(im, b, leaf);
	else
		import_tree_set(im, &b->root, path, leaf);
}

static void change_modify(struct import *im, const char *at, struct import_branch *b)
{
	struct git *g = im->g;
	struct import_node leaf = { .mode = parse_mode(im, &at) };
	struct import_object *known = NULL;
	const char *line = arena_dup(g->a, buf_bytes(&im->line));
	bool named;
	char *path;

	named = parse_data_name(im, &at, &leaf.oid, &known);
	path = import_path(im, &at, true);
	if (*at != '\0')
		import_die(im, "Garbage after path in: %s", line);
	if (leaf.mode == MODE_TREE && named && oid_eq(&leaf.oid, &oid_empty_tree) &&
	    path[0] != '\0') {
		/* Directories without files are none. */
		import_tree_remove(im, &b->root, path, NULL);
		return;
	}
	if (!named && leaf.mode == MODE_GITLINK)
		import_die(im, "Git links cannot be specified 'inline': %s", line);
	if (!named && leaf.mode == MODE_TREE)
		import_die(im, "Directories cannot be specified 'inline': %s", line);
	if (named) {
		check_kind(im, line, leaf.mode, &leaf.oid, known);
	} else {
		known = inline_blob(im);
		if (known != NULL)
			leaf.oid = known->oid;
	}
	set_path(im, b, path, &leaf);
}

static void change_delete(struct import *im, const char *at, struct import_branch *b)
{
	char *path = import_path(im, &at, true);

	if (*at != '\0')
		import_die(im, "Garbage after path in: %s", im->line.ptr);
	import_tree_remove(im, &b->root, path, NULL);
}

static void change_copy(struct import *im, const char *at, struct import_branch *b, bool rename)
{
	char *from = import_path(im, &at, false);
	struct import_node leaf;
	char *to;

	if (from == NULL || *at != ' ')
		import_die(im, "Missing space after source: %s", im->line.ptr);
	at++;
	if (*at == '\0')
		import_die(im, "Missing dest: %s", im->line.ptr);
	to = import_path(im, &at, true);
	if (*at != '\0')
		import_die(im, "Garbage after dest in: %s", im->line.ptr);
	if (rename)
		import_tree_remove(im, &b->root, from, &leaf);
	else
		import_tree_get(im, &b->root, from, &leaf);
	if (leaf.mode == 0)
		import_die(im, "Path %s not in branch", from);
	set_path(im, b, to, &leaf);
}

static int fanout_of(uint64_t notes)
{
	int fanout = 0;

	while ((notes >>= 8) != 0)
		fanout++;
	return fanout;
}

static void note_object(struct import *im, const char *name, struct oid *out)
{
	const struct import_branch *b = find_branch(im, name);

	if (b != NULL && oid_is_null(&b->oid))
		import_die(im, "Can't add a note on empty branch.");
	if (b != NULL)
		*out = b->oid;
	else if (name[0] == ':')
		*out = marked_commit(im, name)->oid;
	else if (rev_parse(im->g, name, out) == 0)
		read_commit(im, out);
	else
		import_die(im, "Invalid ref name or SHA1 expression: %s", name);
}

static void change_note(struct import *im, const char *at, struct import_branch *b, int *fanout)
{
	struct git *g = im->g;
	struct import_node leaf = { .mode = MODE_FILE }, old;
	struct import_object *known = NULL;
	const char *line = arena_dup(g->a, buf_bytes(&im->line));
	struct oid on;
	const char *hex;
	bool named;

	/* The notes of a branch that was there before are counted first. */
	if (b->notes == 0 && *fanout == 0) {
		b->notes = import_tree_notes(im, &b->root, -1);
		*fanout = fanout_of(b->notes);
	}
	named = parse_data_name(im, &at, &leaf.oid, &known);
	note_object(im, at, &on);
	if (!named) {
		known = inline_blob(im);
		if (known != NULL)
			leaf.oid = known->oid;
	}
	if (named && !oid_is_null(&leaf.oid))
		check_kind(im, line, MODE_FILE, &leaf.oid, known);
	hex = oid_hex(g, &on);
	import_tree_get(im, &b->root, import_note_path(g, hex, *fanout), &old);
	b->notes -= old.mode != 0 && b->notes > 0;
	import_tree_clear(im, &old);
	import_tree_remove(im, &b->root, import_note_path(g, hex, *fanout), NULL);
	if (oid_is_null(&leaf.oid))
		return;
	b->notes++;
	import_tree_set(im, &b->root, import_note_path(g, hex, fanout_of(b->notes)), &leaf);
}

/* One line of a commit that changes files; false: it is none. */
static bool change(struct import *im, struct import_branch *b, int *fanout)
{
	const char *at;

	if ((at = import_word(im, "M ")) != NULL)
		change_modify(im, at, b);
	else if ((at = import_word(im, "D ")) != NULL)
		change_delete(im, at, b);
	else if ((at = import_word(im, "R ")) != NULL)
		change_copy(im, at, b, true);
	else if ((at = import_word(im, "C ")) != NULL)
		change_copy(im, at, b, false);
	else if ((at = import_word(im, "N ")) != NULL)
		change_note(im, at, b, fanout);
	else if ((at = import_word(im, "ls ")) != NULL)
		list_path(im, at, b);
	else if ((at = import_word(im, "cat-blob ")) != NULL)
		cat_blob(im, at);
	else if (strcmp(im->line.ptr, "deleteall") == 0) {
		import_tree_empty(im, &b->root);
		b->notes = 0;
		*fanout = 0;
	} else
		return false;
	return true;
}

static void change_files(struct import *im, struct import_branch *b)
{
	struct git *g = im->g;
	int before = fanout_of(b->notes), after;

	while (im->line.len > 0) {
		struct arena_mark mark = arena_mark(g->a);
		bool known = change(im, b, &before);

		arena_release(g->a, mark);
		cmd_charge(g->c, 4);
		if (!known) {
			im->unread = true;
			break;
		}
		if (!import_next(im))
			break;
	}
	after = fanout_of(b->notes);
	if (after != before)
		b->notes = import_tree_notes(im, &b->root, after);
}

/* --- the commands --- */

static void new_blob(struct import *im)
{
	uint64_t mark;

	import_next(im);
	mark = parse_mark(im);
	skip_original(im);
	import_set_mark(im, mark, import_put_blob(im, import_data(im, im->g->a)));
}

static void new_commit(struct import *im, const char *name)
{
	struct git *g = im->g;
	struct import_branch *b = find_branch(im, name);
	struct buf text = buf_in(g->a), merges = buf_in(g->a);
	const char *author = NULL, *committer = NULL, *encoding = NULL, *v;
	struct import_object *o;
	struct bytes message;
	uint64_t mark;

	if (b == NULL)
		b = new_branch(im, name);
	import_next(im);
	mark = parse_mark(im);
	skip_original(im);
	if ((v = import_word(im, "author ")) != NULL) {
		author = import_person(im, v);
		import_next(im);
	}
	if ((v = import_word(im, "committer ")) == NULL)
		import_die(im, "Expected committer but didn't get one");
	committer = import_person(im, v);
	import_next(im);
	if ((v = import_word(im, "encoding ")) != NULL) {
		encoding = arena_dup(g->a, bytes_of(v));
		import_next(im);
	}
	message = import_data(im, g->a);
	import_next(im);
	parse_from(im, b);
	parse_merges(im, &merges);
	change_files(im, b);
	import_tree_store(im, &b->root);
	buf_printf(&text, "tree %s\n", oid_hex(g, &b->root.oid));
	if (!oid_is_null(&b->oid))
		buf_printf(&text, "parent %s\n", oid_hex(g, &b->oid));
	buf_add(&text, buf_bytes(&merges));
	buf_printf(&text, "author %s\ncommitter %s\n", author != NULL ? author : committer,
		   committer);
	if (encoding != NULL)
		buf_printf(&text, "encoding %s\n", encoding);
	buf_putc(&text, '\n');
	buf_add(&text, message);
	o = import_put(im, OBJECT_COMMIT, buf_bytes(&text), NULL);
	b->oid = o->oid;
	b->deleted = false;
	import_set_mark(im, mark, o);
}

static enum object_type tagged(struct import *im, const char *name, struct oid *o)
{
	const struct import_branch *b = find_branch(im, name);
	enum object_type type;

	if (b != NULL) {
		if (oid_is_null(&b->oid))
			import_die(im, "Can't tag an empty branch.");
		*o = b->oid;
		return OBJECT_COMMIT;
	}
	if (name[0] == ':') {
		const struct import_object *it = import_marked(im, &name, '\0');

		*o = it->oid;
		return it->type;
	}
	if (rev_parse(im->g, name, o) != 0)
		import_die(im, "Invalid ref name or SHA1 expression: %s", name);
	type = import_type(im, o);
	if (type == OBJECT_NONE)
		import_die(im, "Not a valid object: %s", name);
	return type;
}

static void new_tag(struct import *im, const char *name)
{
	struct git *g = im->g;
	struct import_tag *t = arena_zalloc(g->keep, sizeof(*t));
	struct buf text = buf_in(g->a);
	struct import_object *made;
	enum object_type type;
	const char *v;
	struct oid o;
	uint64_t mark;

	t->name = arena_dup(g->keep, bytes_of(name));
	*im->tags_end = t;
	im->tags_end = &t->next;
	import_next(im);
	mark = parse_mark(im);
	if ((v = import_word(im, "from ")) == NULL)
		import_die(im, "Expected from command, got %s", im->line.ptr);
	type = tagged(im, v, &o);
	buf_printf(&text, "object %s\ntype %s\ntag %s\n", oid_hex(g, &o), object_type_name(type),
		   t->name);
	import_next(im);
	skip_original(im);
	if ((v = import_word(im, "tagger ")) != NULL) {
		buf_printf(&text, "tagger %s\n", import_person(im, v));
		import_next(im);
	}
	buf_putc(&text, '\n');
	buf_add(&text, import_data(im, g->a));
	made = import_put(im, OBJECT_TAG, buf_bytes(&text), NULL);
	t->oid = made->oid;
	import_set_mark(im, mark, made);
}

static void drop_tag(struct import *im, const char *name)
{
	struct import_tag **at = &im->tags;

	while (*at != NULL) {
		cmd_charge(im->g->c, 1);
		if (strcmp((*at)->name, name) == 0)
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
	im->tags_end = at;
}

static void reset_branch(struct import *im, const char *name)
{
	struct import_branch *b = find_branch(im, name);

	if (b != NULL) {
		b->oid = oid_null;
		b->notes = 0;
		b->deleted = false;
		import_tree_start(im, &b->root, NULL);
	} else {
		b = new_branch(im, name);
	}
	import_next(im);
	parse_from(im, b);
	if (b->deleted && git_starts(b->name, "refs/tags/"))
		drop_tag(im, b->name + 10);
	im->unread = im->line.len > 0;
}

static void new_alias(struct import *im)
{
	const struct import_branch *b;
	struct import_object *o;
	const char *name;
	struct oid oid;
	uint64_t mark;

	import_skip_newline(im);
	import_next(im);
	mark = parse_mark(im);
	if (mark == 0)
		import_die(im, "Expected 'mark' command, got %s", im->line.ptr);
	if ((name = import_word(im, "to ")) == NULL)
		import_die(im, "Expected 'to' command, got %s", im->line.ptr);
	b = find_branch(im, name);
	if (b != NULL)
		o = import_know(im, &b->oid, OBJECT_COMMIT);
	else if (name[0] == ':')
		o = marked_commit(im, name);
	else if (rev_parse(im->g, name, &oid) == 0)
		o = import_know(im, &oid, OBJECT_COMMIT);
	else
		import_die(im, "Invalid ref name or SHA1 expression: %s", name);
	import_set_mark(im, mark, o);
	/* As the real one does: the line behind it is read, and lost. */
	import_next(im);
}

/* --- references --- */

static bool may_move(struct import *im, const struct import_branch *b, const struct oid *old)
{
	struct git *g = im->g;
	struct commit *from = commit_at(g, old), *to = commit_at(g, &b->oid);

	if (im->force)
		return true;
	if (!commit_load(g, from) || !commit_load(g, to)) {
		git_error(g, "Branch %s is missing commits.", b->name);
		return false;
	}
	if (is_ancestor(g, from, to))
		return true;
	git_warn(g, "Not updating %s (new tip %s does not contain %s)", b->name,
		 oid_hex(g, &b->oid), oid_hex(g, old));
	return false;
}

static bool update_branch(struct import *im, const struct import_branch *b)
{
	struct git *g = im->g;
	struct oid old;
	bool there = ref_read(g, b->name, &old, NULL) == 0;

	if (oid_is_null(&b->oid)) {
		if (b->deleted && there)
			ref_delete(g, b->name);
		return true;
	}
	if (there && !may_move(im, b, &old))
		return false;
	if (there && oid_eq(&old, &b->oid))
		return true;
	return ref_update(g, b->name, &b->oid, there ? &old : &oid_null, "fast-import", false);
}

static void update_refs(struct import *im)
{
	struct git *g = im->g;

	for (const struct import_branch *b = im->branches; b != NULL; b = b->next) {
		struct arena_mark mark = arena_mark(g->a);

		if (!update_branch(im, b))
			im->status = 1;
		arena_release(g->a, mark);
	}
	for (const struct import_tag *t = im->tags; t != NULL; t = t->next) {
		const char *name = git_format(g->a, "refs/tags/%s", t->name);

		if (!ref_name_valid(name)) {
			im->status = git_error(g, "refusing to update ref with bad name '%s'",
					       name);
			return;
		}
	}
	for (const struct import_tag *t = im->tags; t != NULL; t = t->next)
		if (!ref_update(g, git_format(g->a, "refs/tags/%s", t->name), &t->oid, NULL, NULL,
				false))
			im->status = 1;
}

static void checkpoint(struct import *im)
{
	import_end_pack(im);
	update_refs(im);
	import_write_marks(im);
}

/* False: the stream says that it is done. */
static bool run_line(struct import *im)
{
	const char *v;

	if (strcmp(im->line.ptr, "blob") == 0)
		new_blob(im);
	else if ((v = import_word(im, "commit ")) != NULL)
		new_commit(im, arena_dup(im->g->a, bytes_of(v)));
	else if ((v = import_word(im, "tag ")) != NULL)
		new_tag(im, v);
	else if ((v = import_word(im, "reset ")) != NULL)
		reset_branch(im, arena_dup(im->g->a, bytes_of(v)));
	else if ((v = import_word(im, "ls ")) != NULL)
		list_path(im, v, NULL);
	else if ((v = import_word(im, "cat-blob ")) != NULL)
		cat_blob(im, v);
	else if ((v = import_word(im, "get-mark ")) != NULL)
		get_mark(im, v);
	else if (strcmp(im->line.ptr, "checkpoint") == 0) {
		checkpoint(im);
		import_skip_newline(im);
	} else if (strcmp(im->line.ptr, "done") == 0)
		return false;
	else if (strcmp(im->line.ptr, "alias") == 0)
		new_alias(im);
	else if (import_word(im, "progress ") != NULL) {
		git_printf(im->g, "%s\n", im->line.ptr);
		cmd_flush(im->g->c);
		import_skip_newline(im);
	} else if ((v = import_word(im, "feature ")) != NULL)
		import_feature(im, v);
	else if ((v = import_word(im, "option git ")) != NULL)
		import_option(im, v);
	else if (import_word(im, "option ") == NULL)
		import_die(im, "Unsupported command: %s", im->line.ptr);
	return true;
}

int git_cmd_fast_import(struct git *g, struct args *args)
{
	struct import *im = arena_zalloc(g->keep, sizeof(*im));

	*im = (struct import){ .g = g, .args = args, .depth_max = 50, .reply_fd = 1 };
	im->line = buf_in(g->keep);
	im->objects = lookup_new(g);
	im->mark_of = lookup_new(g);
	im->branch_of = lookup_new(g);
	im->branches_end = &im->branches;
	im->tags_end = &im->tags;
	for (int i = 0; i < args->argc; i++)
		im->unsafe |= strcmp(args->argv[i], "--allow-unsafe-features") == 0;
	if (args->argc == 1 && strcmp(args->argv[0], "-h") == 0)
		import_usage(im);
	input_init(&im->in, g->c, 0, "-");
	while (import_next(im)) {
		struct arena_mark mark = arena_mark(g->a);
		bool more = run_line(im);

		arena_release(g->a, mark);
		cmd_charge(g->c, 4);
		if (!more) {
			im->need_done = false;
			break;
		}
	}
	if (!im->seen_data)
		import_arguments(im);
	if (im->need_done)
		import_die(im, "stream ends early");
	import_end_pack(im);
	update_refs(im);
	import_write_marks(im);
	if (!im->quiet)
		import_put_stats(im);
	return im->status;
}
