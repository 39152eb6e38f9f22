/* SPDX-License-Identifier: MIT
 *
 * What is wrong inside of one object: commits, trees, tags as fsck judges them.
 */
#include "builtins/git/fsck.h"

static void report(struct fsck_report *r, bool error, const char *id, const char *text)
{
	if (!error && r->strict)
		error = true;
	r->say(r->arg, error, id, text);
	r->errors += error;
}

/* --- people --- */

/* False: an error was said. */
static bool check_person(struct fsck_report *r, struct bytes who)
{
	size_t before = r->errors;

	const char *open = who.len != 0 ? memchr(who.ptr, '<', who.len) : NULL;
	const char *close;
	const char *end = who.ptr + who.len;
	struct person p;

	if (who.len == 0 || who.ptr[0] == '<') {
		report(r, true, "missingNameBeforeEmail",
		       "invalid author/committer line - missing space before email");
		return false;
	}
	if (open == NULL) {
		report(r, true, "missingEmail", "invalid author/committer line - missing email");
		return false;
	}
	if (open[-1] != ' ') {
		report(r, true, "missingSpaceBeforeEmail",
		       "invalid author/committer line - missing space before email");
		return false;
	}
	close = memchr(open + 1, '>', (size_t)(end - open - 1));
	if (close == NULL || memchr(open + 1, '<', (size_t)(close - open - 1)) != NULL) {
		report(r, true, "badEmail", "invalid author/committer line - bad email");
		return false;
	}
	if (close + 1 == end || close[1] != ' ') {
		report(r, true, "missingSpaceBeforeDate",
		       "invalid author/committer line - missing space before date");
		return false;
	}
	if (end - close > 3 && close[2] == '0' && close[3] != ' ') {
		report(r, true, "zeroPaddedDate",
		       "invalid author/committer line - zero-padded date");
		return false;
	}
	person_split(who, &p);
	if (!p.valid)
		report(r, true, "badDate", "invalid author/committer line - bad date");
	else if (end - close < 8 || (end[-5] != '+' && end[-5] != '-'))
		report(r, true, "badTimezone", "invalid author/committer line - bad time zone");
	return r->errors == before;
}

/* --- commits, tags --- */

/* A line "key value" at the front: its value. False: another line. */
static bool take_line(struct bytes *rest, const char *key, struct bytes *value)
{
	struct bytes at = *rest;
	struct bytes line;
	size_t n = strlen(key);

	if (!git_line(&at, &line) || line.len < n + 1 || memcmp(line.ptr, key, n) != 0 ||
	    line.ptr[n] != ' ')
		return false;
	*value = bytes_slice(line, n + 1, line.len);
	*rest = at;
	return true;
}

static bool is_oid(struct bytes v)
{
	struct oid o;

	return v.len == OID_HEX && oid_parse(v.ptr, &o);
}

static void check_commit(struct fsck_report *r, struct bytes data)
{
	struct bytes v;
	int authors = 0;

	if (!take_line(&data, "tree", &v)) {
		report(r, true, "missingTree", "invalid format - expected 'tree' line");
		return;
	}
	if (!is_oid(v))
		report(r, true, "badTreeSha1", "invalid 'tree' line format - bad sha1");
	while (take_line(&data, "parent", &v))
		if (!is_oid(v))
			report(r, true, "badParentSha1", "invalid 'parent' line format - bad sha1");
	while (take_line(&data, "author", &v)) {
		authors++;
		if (!check_person(r, v))
			return;
	}
	if (authors == 0)
		report(r, true, "missingAuthor", "invalid format - expected 'author' line");
	else if (authors > 1)
		report(r, true, "multipleAuthors", "invalid format - multiple 'author' lines");
	if (!take_line(&data, "committer", &v)) {
		report(r, true, "missingCommitter", "invalid format - expected 'committer' line");
		return;
	}
	check_person(r, v);
	if (memchr(data.ptr, '\0', data.len) != NULL)
		report(r, false, "nulInCommit", "NUL byte in the commit object body");
}

static void check_tag(struct fsck_report *r, struct bytes data)
{
	struct bytes v;

	if (!take_line(&data, "object", &v)) {
		report(r, true, "missingObject", "invalid format - expected 'object' line");
		return;
	}
	if (!is_oid(v))
		report(r, true, "badObjectSha1", "invalid 'object' line format - bad sha1");
	if (!take_line(&data, "type", &v)) {
		report(r, true, "missingTypeEntry", "invalid format - expected 'type' line");
		return;
	}
	if (object_type_of(v) == OBJECT_NONE)
		report(r, true, "badType", "invalid 'type' value");
	if (!take_line(&data, "tag", &v)) {
		report(r, true, "missingTagEntry", "invalid format - expected 'tag' line");
		return;
	}
	if (!take_line(&data, "tagger", &v)) {
		if (r->strict)
			report(r, false, "missingTaggerEntry",
			       "invalid format - expected 'tagger' line");
		return;
	}
	check_person(r, v);
}

/* --- trees --- */

struct tree_flaws {
	bool null_oid, full_path, empty, dot, dotdot, dot_git, zero_padded, bad_mode, duplicate,
		not_sorted;
};

static void check_name(struct tree_flaws *f, struct bytes name)
{
	f->full_path = f->full_path || memchr(name.ptr, '/', name.len) != NULL;
	f->empty = f->empty || name.len == 0;
	f->dot = f->dot || bytes_is(name, ".");
	f->dotdot = f->dotdot || bytes_is(name, "..");
}

static void check_order(struct tree_flaws *f, const struct tree_entry *a,
			const struct tree_entry *b)
{
	if (bytes_eq(a->name, b->name))
		f->duplicate = true;
	else if (tree_name_cmp(a->name, a->mode, b->name, b->mode) > 0)
		f->not_sorted = true;
}

static bool mode_known(uint32_t mode)
{
	return mode == MODE_FILE || mode == MODE_EXEC || mode == MODE_LINK || mode == MODE_TREE ||
	       mode == MODE_GITLINK;
}

static void check_tree(struct git *g, struct fsck_report *r, struct bytes data)
{
	struct tree_flaws f = { .empty = false };
	struct tree_entry last = { .mode = 0 }, e;
	bool first = true;
	int got;

	while (data.len != 0) {
		f.zero_padded = f.zero_padded || data.ptr[0] == '0';
		got = tree_next(&data, &e);
		if (got < 0) {
			report(r, true, "badTree", "cannot be parsed as a tree");
			return;
		}
		check_name(&f, e.name);
		f.dot_git = f.dot_git || (!path_safe(arena_dup(g->a, e.name)) && !f.full_path &&
					  !f.dot && !f.dotdot);
		f.null_oid = f.null_oid || oid_is_null(&e.oid);
		f.bad_mode = f.bad_mode || !mode_known(e.mode);
		if (!first)
			check_order(&f, &last, &e);
		first = false;
		last = e;
		cmd_charge(g->c, 1);
	}
	const struct {
		bool is;
		bool error;
		const char *id;
		const char *text;
	} found[] = {
		{ f.null_oid, false, "nullSha1", "contains entries pointing to null sha1" },
		{ f.full_path, false, "fullPathname", "contains full pathnames" },
		{ f.empty, false, "emptyName", "contains empty pathname" },
		{ f.dot, false, "hasDot", "contains '.'" },
		{ f.dotdot, false, "hasDotdot", "contains '..'" },
		{ f.dot_git, false, "hasDotgit", "contains '.git'" },
		{ f.zero_padded, false, "zeroPaddedFilemode", "contains zero-padded file modes" },
		{ f.bad_mode && r->strict, false, "badFilemode", "contains bad file modes" },
		{ f.duplicate, true, "duplicateEntries", "contains duplicate file entries" },
		{ f.not_sorted, true, "treeNotSorted", "not properly sorted" },
	};

	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
		if (found[i].is)
			report(r, found[i].error, found[i].id, found[i].text);
}

bool fsck_object(struct git *g, enum object_type type, struct bytes data, struct fsck_report *r)
{
	r->errors = 0;
	if (type == OBJECT_COMMIT)
		check_commit(r, data);
	else if (type == OBJECT_TREE)
		check_tree(g, r, data);
	else if (type == OBJECT_TAG)
		check_tag(r, data);
	return r->errors == 0;
}
