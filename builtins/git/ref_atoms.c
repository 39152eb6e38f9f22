/* SPDX-License-Identifier: MIT
 *
 * Fields of references: %(...) of for-each-ref, tag, branch.
 */
#include "builtins/git/commit.h"
#include "builtins/git/ref_format.h"
#include "builtins/git/worktree.h"

static void load(struct git *g, struct ref_subject *r)
{
	if (r->loaded)
		return;
	r->loaded = true;
	r->type = object_read(g, g->a, &r->oid, &r->data);
	if (r->type == OBJECT_COMMIT || r->type == OBJECT_TAG)
		commit_split(r->data, &r->t);
}

static void put_person(struct git *g, struct bytes who, const char *what, struct buf *out)
{
	struct person p;
	struct date_style style = { .mode = DATE_NORMAL };

	if (who.ptr == NULL)
		return;
	person_split(who, &p);
	if (what[0] == '\0') {
		buf_add(out, who);
	} else if (git_starts(what, "name")) {
		buf_add(out, p.name);
	} else if (git_starts(what, "email")) {
		const char *at = memchr(p.mail.ptr, '@', p.mail.len);

		if (strcmp(what, "email:trim") == 0) {
			buf_add(out, p.mail);
		} else if (strcmp(what, "email:localpart") == 0) {
			buf_add(out,
				bytes_slice(p.mail, 0,
					    at != NULL ? (size_t)(at - p.mail.ptr) : p.mail.len));
		} else {
			buf_putc(out, '<');
			buf_add(out, p.mail);
			buf_putc(out, '>');
		}
	} else if (git_starts(what, "date")) {
		if (what[4] == ':' && !date_style_of(g, what + 5, &style))
			git_die(g, "unknown date format %s", what + 5);
		date_put(g, out, p.time, p.zone, &style);
	}
}

static const char *strip_parts(struct git *g, const char *name, const char *opt)
{
	int64_t n = 0;
	int64_t parts = 1;

	for (const char *p = name; *p != '\0'; p++)
		parts += *p == '/';
	if (git_starts(opt, "short"))
		return ref_shorten(g, name);
	if ((git_starts(opt, "lstrip=") || git_starts(opt, "strip=")) &&
	    git_number(strchr(opt, '=') + 1, &n)) {
		n = n < 0 ? parts + n : n;
		for (; n > 0 && strchr(name, '/') != NULL; n--)
			name = strchr(name, '/') + 1;
		return name;
	}
	if (git_starts(opt, "rstrip=") && git_number(opt + 7, &n)) {
		char *copy = arena_dup(g->a, bytes_of(name));

		n = n < 0 ? parts + n : n;
		for (; n > 0 && strrchr(copy, '/') != NULL; n--)
			*strrchr(copy, '/') = '\0';
		return copy;
	}
	git_die(g, "unrecognized %%(refname) argument: %s", opt);
}

static void put_track(struct git *g, const char *branch, const char *upstream, bool brackets,
		      bool brief, struct buf *out)
{
	struct oid a, b;
	size_t ahead, behind;

	if (ref_read(g, upstream, &b, NULL) < 0) {
		buf_puts(out, brackets ? "[gone]" : brief ? "" : "gone");
		return;
	}
	if (ref_read(g, branch, &a, NULL) < 0)
		return;
	count_ahead_behind(g, commit_at(g, &a), commit_at(g, &b), &ahead, &behind);
	if (brief) {
		buf_puts(out, ahead != 0 && behind != 0 ? "<>"
			      : ahead != 0              ? ">"
			      : behind != 0             ? "<"
							: "=");
		return;
	}
	if (ahead == 0 && behind == 0)
		return;
	if (brackets)
		buf_putc(out, '[');
	if (ahead != 0)
		buf_printf(out, "ahead %zu%s", ahead, behind != 0 ? ", " : "");
	if (behind != 0)
		buf_printf(out, "behind %zu", behind);
	if (brackets)
		buf_putc(out, ']');
}

/* A name of an object, with what is said behind its colon. */
static void put_oid(struct git *g, const struct oid *o, const char *opt, struct buf *out)
{
	int64_t n = 0;

	if (opt[0] == '\0')
		buf_puts(out, oid_hex(g, o));
	else if (git_starts(opt, ":short=") && git_number(opt + 7, &n))
		buf_puts(out, oid_short(g, o, (int)(n < 4 ? 4 : n > 40 ? 40 : n)));
	else
		buf_puts(out, oid_short(g, o, 0));
}

/* branch.NAME.remote or .merge of a branch. */
static void put_branch_key(struct git *g, const char *name, const char *key, struct buf *out)
{
	const char *v = config_get(g, git_format(g->a, "branch.%s.%s", ref_short(g, name), key));

	buf_puts(out, v != NULL ? v : "");
}

/* The work tree that has the branch checked out. */
static const char *checked_out_at(struct git *g, const char *name)
{
	struct worktree *list;
	size_t n = worktree_list(g, &list);

	for (size_t i = 0; i < n; i++)
		if (list[i].branch != NULL && strcmp(list[i].branch, name) == 0)
			return list[i].path;
	return "";
}

static bool name_atom(struct git *g, struct ref_subject *r, const char *atom, struct buf *out)
{
	const char *why;

	if (git_starts(atom, "refname")) {
		buf_puts(out, atom[7] == ':' ? strip_parts(g, r->name, atom + 8) : r->name);
	} else if (git_starts(atom, "objectname")) {
		put_oid(g, &r->oid, atom + 10, out);
	} else if (git_starts(atom, "symref")) {
		if (r->target != NULL)
			buf_puts(out,
				 atom[6] == ':' ? strip_parts(g, r->target, atom + 7) : r->target);
	} else if (git_starts(atom, "upstream") || git_starts(atom, "push")) {
		char *up = git_starts(r->name, "refs/heads/") ? rev_upstream(g, r->name, &why)
							      : NULL;
		const char *opt = strchr(atom, ':');

		if (up == NULL)
			return true;
		if (opt == NULL)
			buf_puts(out, up);
		else if (strcmp(opt, ":remotename") == 0)
			put_branch_key(g, r->name, "remote", out);
		else if (strcmp(opt, ":remoteref") == 0)
			put_branch_key(g, r->name, "merge", out);
		else if (strcmp(opt, ":trackshort") == 0)
			put_track(g, r->name, up, false, true, out);
		else if (git_starts(opt, ":track"))
			put_track(g, r->name, up, strstr(opt, "nobracket") == NULL, false, out);
		else
			buf_puts(out, strip_parts(g, up, opt + 1));
	} else if (strcmp(atom, "HEAD") == 0) {
		char *head = head_ref(g);

		buf_puts(out, head != NULL && strcmp(head, r->name) == 0 ? "*" : " ");
	} else if (strcmp(atom, "worktreepath") == 0) {
		buf_puts(out, checked_out_at(g, r->name));
	} else {
		return false;
	}
	return true;
}

/* A message in its parts. */
struct parts {
	struct bytes all;
	struct bytes subject;
	struct bytes body; /* with the signature */
	struct bytes signature;
};

static struct bytes without_newlines(struct bytes s)
{
	while (s.len != 0 && s.ptr[0] == '\n')
		s = bytes_slice(s, 1, s.len);
	return s;
}

static struct parts parts_of(struct bytes message)
{
	struct parts p = { .all = without_newlines(message) };
	const char *end = bytes_find(p.all, BYTES("\n\n"));

	p.signature = message_signature(p.all);
	p.subject = end != NULL ? bytes_slice(p.all, 0, (size_t)(end - p.all.ptr)) : p.all;
	p.body = without_newlines(bytes_slice(p.all, p.subject.len, p.all.len));
	return p;
}

/* The first lines, all but the first behind four blanks. */
static void put_lines(struct bytes text, int64_t n, struct buf *out)
{
	struct bytes line;

	for (int64_t i = 0; i < n && git_line(&text, &line); i++) {
		buf_puts(out, i > 0 ? "\n    " : "");
		buf_add(out, line);
	}
}

/* False: there is no such field. */
static bool put_contents(struct git *g, struct ref_subject *r, const char *atom, struct buf *out)
{
	bool has = r->type == OBJECT_COMMIT || r->type == OBJECT_TAG;
	struct parts p = parts_of(has ? r->t.message : BYTES(""));
	size_t signed_at = p.all.len - p.signature.len;
	const char *opt = git_starts(atom, "contents:") ? atom + 9 : atom;
	int64_t n;

	if (strcmp(atom, "contents") == 0)
		buf_add(out, p.all);
	else if (strcmp(opt, "subject") == 0)
		buf_add(out, message_subject(g->a, p.subject));
	else if (strcmp(opt, "subject:sanitize") == 0)
		pretty_file_name(message_subject(g->a, p.subject), out);
	else if (strcmp(atom, "body") == 0)
		buf_add(out, p.body);
	else if (strcmp(opt, "body") == 0)
		buf_add(out, bytes_slice(p.body, 0,
					 p.body.len > p.signature.len ? p.body.len - p.signature.len
								      : 0));
	else if (strcmp(opt, "signature") == 0)
		buf_add(out, p.signature);
	else if (strcmp(opt, "size") == 0 && has)
		buf_printf(out, "%zu", p.all.len);
	else if (strcmp(opt, "size") == 0)
		return true;
	else if (git_starts(opt, "lines=") && git_number(opt + 6, &n))
		put_lines(bytes_slice(p.all, 0, signed_at), n, out);
	else if (strcmp(opt, "trailers") == 0 || git_starts(opt, "trailers:"))
		pretty_trailers(g, p.all, bytes_of(opt[8] == ':' ? opt + 9 : ""), out);
	else if (opt != atom)
		git_die(g, "unrecognized %%(contents) argument: %s", opt);
	else
		return false;
	return true;
}

/* "tree", "tree:short", "tree:short=5" */
static bool is_oid_field(const char *atom, const char *name)
{
	size_t n = strlen(name);

	return strncmp(atom, name, n) == 0 && (atom[n] == '\0' || git_starts(atom + n, ":short"));
}

/* long: one branch for each field */
void ref_put_atom(struct git *g, struct ref_subject *r, const char *atom, struct buf *out)
{
	static const struct {
		const char *name;
		size_t offset;
	} people[] = { { "author", offsetof(struct commit_text, author) },
		       { "committer", offsetof(struct commit_text, committer) },
		       { "tagger", offsetof(struct commit_text, tagger) } };
	struct oid base;

	if (name_atom(g, r, atom, out))
		return;
	load(g, r);
	if (atom[0] == '*') {
		struct ref_subject peeled = { .name = r->name };

		if (r->type == OBJECT_TAG && object_peel(g, &r->oid, OBJECT_NONE, &peeled.oid))
			ref_put_atom(g, &peeled, atom + 1, out);
		return;
	}
	for (size_t i = 0; i < 3; i++) {
		size_t n = strlen(people[i].name);

		if (strncmp(atom, people[i].name, n) != 0)
			continue;
		put_person(g, *(struct bytes *)(void *)((char *)&r->t + people[i].offset), atom + n,
			   out);
		return;
	}
	if (git_starts(atom, "creator")) {
		put_person(g, r->type == OBJECT_TAG ? r->t.tagger : r->t.committer, atom + 7, out);
	} else if (strcmp(atom, "objecttype") == 0) {
		buf_puts(out, object_type_name(r->type));
	} else if (strcmp(atom, "objectsize") == 0) {
		buf_printf(out, "%zu", r->data.len);
	} else if (strcmp(atom, "objectsize:disk") == 0) {
		buf_printf(out, "%llu", (unsigned long long)object_stored(g, &r->oid, &base));
	} else if (strcmp(atom, "deltabase") == 0) {
		object_stored(g, &r->oid, &base);
		buf_puts(out, oid_hex(g, &base));
	} else if (strcmp(atom, "raw") == 0) {
		buf_add(out, r->data);
	} else if (strcmp(atom, "raw:size") == 0) {
		buf_printf(out, "%zu", r->data.len);
	} else if (is_oid_field(atom, "tree") || is_oid_field(atom, "parent")) {
		struct commit *c = commit_at(g, &r->oid);

		if (r->type == OBJECT_COMMIT && commit_load(g, c)) {
			if (atom[0] == 't')
				put_oid(g, &c->tree, atom + 4, out);
			for (uint32_t i = 0; atom[0] == 'p' && i < c->nparents; i++) {
				buf_puts(out, i > 0 ? " " : "");
				put_oid(g, &c->parent[i]->oid, atom + 6, out);
			}
		}
	} else if (strcmp(atom, "numparent") == 0) {
		struct commit *c = commit_at(g, &r->oid);

		if (r->type == OBJECT_COMMIT && commit_load(g, c))
			buf_printf(out, "%u", c->nparents);
	} else if (strcmp(atom, "object") == 0 || strcmp(atom, "type") == 0 ||
		   strcmp(atom, "tag") == 0) {
		if (r->type == OBJECT_TAG)
			buf_add(out, atom[0] == 'o'   ? r->t.object
				     : atom[1] == 'y' ? r->t.type
						      : r->t.tag);
	} else if (git_starts(atom, "color:")) {
		if (color_wanted(g, "color.ui"))
			buf_puts(out, strcmp(atom + 6, "reset") == 0 ? COLOR_RESET
								     : color_text(g, atom + 6));
	} else if (strcmp(atom, "rest") == 0) {
		git_die(g, "this command reject atom %%(%s)", atom);
	} else if (git_starts(atom, "flag")) {
		git_refuse(g, "the field %(flag)");
	} else if (!put_contents(g, r, atom, out)) {
		git_die(g, "unknown field name: %s", atom);
	}
}
