/* SPDX-License-Identifier: MIT
 *
 * Fields of references: --format and --sort of for-each-ref, tag, branch.
 */
#include "builtins/git/walk.h"

/* --- --format --- */

struct atom_of {
	const char *name;
	struct oid oid;
	const char *target;
	enum object_type type;
	struct bytes data;
	struct commit_text t;
	bool loaded;
};

static void load(struct git *g, struct atom_of *r)
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
		if (strcmp(what, "email:trim") == 0) {
			buf_add(out, p.mail);
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

	if (git_starts(opt, "short"))
		return ref_shorten(g, name);
	if ((git_starts(opt, "lstrip=") || git_starts(opt, "strip=")) &&
	    git_number(strchr(opt, '=') + 1, &n)) {
		if (n < 0) {
			int64_t parts = 1;

			for (const char *p = name; *p != '\0'; p++)
				parts += *p == '/';
			n = parts + n;
		}
		for (; n > 0 && strchr(name, '/') != NULL; n--)
			name = strchr(name, '/') + 1;
		return name;
	}
	if (git_starts(opt, "rstrip=") && git_number(opt + 7, &n)) {
		char *copy = arena_dup(g->a, bytes_of(name));

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

static bool name_atom(struct git *g, struct atom_of *r, const char *atom, struct buf *out)
{
	const char *why;

	if (git_starts(atom, "refname")) {
		buf_puts(out, atom[7] == ':' ? strip_parts(g, r->name, atom + 8) : r->name);
	} else if (git_starts(atom, "objectname")) {
		int64_t n = 0;

		if (git_starts(atom, "objectname:short=") && git_number(atom + 17, &n))
			buf_puts(out, oid_short(g, &r->oid, (int)(n < 4 ? 4 : n > 40 ? 40 : n)));
		else
			buf_puts(out,
				 atom[10] == ':' ? oid_short(g, &r->oid, 0) : oid_hex(g, &r->oid));
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
		else if (strcmp(opt, ":trackshort") == 0)
			put_track(g, r->name, up, false, true, out);
		else if (git_starts(opt, ":track"))
			put_track(g, r->name, up, strstr(opt, "nobracket") == NULL, false, out);
		else
			buf_puts(out, strip_parts(g, up, opt + 1));
	} else if (strcmp(atom, "HEAD") == 0) {
		char *head = head_ref(g);

		buf_puts(out, head != NULL && strcmp(head, r->name) == 0 ? "*" : " ");
	} else {
		return false;
	}
	return true;
}

static void put_contents(struct git *g, struct atom_of *r, const char *atom, struct buf *out)
{
	struct bytes m = r->t.message;
	const char *end = bytes_find(m, BYTES("\n\n"));

	if (r->type != OBJECT_COMMIT && r->type != OBJECT_TAG)
		return;
	if (strcmp(atom, "contents") == 0) {
		buf_add(out, m);
	} else if (strcmp(atom, "subject") == 0 || strcmp(atom, "contents:subject") == 0) {
		buf_add(out, message_subject(g->a, m));
	} else if (strcmp(atom, "body") == 0 || strcmp(atom, "contents:body") == 0) {
		if (end != NULL)
			buf_add(out, bytes_slice(m, (size_t)(end + 2 - m.ptr), m.len));
	} else {
		git_die(g, "unrecognized %%(contents) argument: %s", atom);
	}
}

static void put_atom(struct git *g, struct atom_of *r, const char *atom, struct buf *out)
{
	static const struct {
		const char *name;
		size_t offset;
	} people[] = { { "author", offsetof(struct commit_text, author) },
		       { "committer", offsetof(struct commit_text, committer) },
		       { "tagger", offsetof(struct commit_text, tagger) } };

	if (name_atom(g, r, atom, out))
		return;
	load(g, r);
	if (atom[0] == '*') {
		struct atom_of peeled = { .name = r->name };

		if (r->type == OBJECT_TAG && object_peel(g, &r->oid, OBJECT_NONE, &peeled.oid))
			put_atom(g, &peeled, atom + 1, out);
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
	} else if (strcmp(atom, "tree") == 0 || strcmp(atom, "parent") == 0) {
		struct commit *c = commit_at(g, &r->oid);

		if (r->type == OBJECT_COMMIT && commit_load(g, c)) {
			if (atom[0] == 't')
				buf_puts(out, oid_hex(g, &c->tree));
			for (uint32_t i = 0; atom[0] == 'p' && i < c->nparents; i++)
				buf_printf(out, "%s%s", i > 0 ? " " : "",
					   oid_hex(g, &c->parent[i]->oid));
		}
	} else if (strcmp(atom, "numparent") == 0) {
		struct commit *c = commit_at(g, &r->oid);

		if (r->type == OBJECT_COMMIT && commit_load(g, c))
			buf_printf(out, "%u", c->nparents);
	} else if (git_starts(atom, "contents") || strcmp(atom, "subject") == 0 ||
		   strcmp(atom, "body") == 0) {
		put_contents(g, r, atom, out);
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
	} else if (git_starts(atom, "if") || git_starts(atom, "align") ||
		   strcmp(atom, "then") == 0 || git_starts(atom, "ahead-behind") ||
		   git_starts(atom, "worktreepath") || git_starts(atom, "end") ||
		   git_starts(atom, "else") || git_starts(atom, "trailers")) {
		git_refuse(g, git_format(g->a, "the field %%(%s)", atom));
	} else {
		git_die(g, "unknown field name: %s", atom);
	}
}

static void format_ref(struct git *g, const char *format, struct atom_of *r, struct buf *out)
{
	for (const char *p = format; *p != '\0'; p++) {
		if (p[0] == '%' && p[1] == '(') {
			size_t n = strcspn(p, ")");

			if (p[n] == '\0')
				git_die(g, "malformed format string %s", p);
			put_atom(g, r, git_format(g->a, "%.*s", (int)n - 2, p + 2), out);
			p += n;
		} else if (p[0] == '%' && p[1] == '%') {
			buf_putc(out, '%');
			p++;
		} else if (p[0] == '%' && byte_is_xdigit((unsigned char)p[1]) &&
			   byte_is_xdigit((unsigned char)p[2])) {
			buf_putc(out, (char)(byte_digit(p[1]) << 4 | byte_digit(p[2])));
			p += 2;
		} else {
			buf_putc(out, *p);
		}
	}
}

void ref_put_format(struct git *g, const char *format, const char *name, const struct oid *o,
		    const char *target)
{
	struct atom_of r = { .name = name, .oid = *o, .target = target };
	struct buf out = buf_in(g->a);

	format_ref(g, format, &r, &out);
	buf_putc(&out, '\n');
	cmd_bytes(g->c, buf_bytes(&out));
}

/* --- sorting --- */

struct sort_row {
	struct ref *ref;
	char *key;
	int64_t number;
	bool numeric;
	bool version;
};

static int version_cmp(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		if (byte_is_digit((unsigned char)*a) && byte_is_digit((unsigned char)*b)) {
			size_t na, nb;

			while (*a == '0' && byte_is_digit((unsigned char)a[1]))
				a++;
			while (*b == '0' && byte_is_digit((unsigned char)b[1]))
				b++;
			for (na = 0; byte_is_digit((unsigned char)a[na]); na++)
				;
			for (nb = 0; byte_is_digit((unsigned char)b[nb]); nb++)
				;
			int got = na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);

			if (got != 0)
				return got;
			a += na;
			b += nb;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	return 0;
}

static int row_cmp(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;

	if (x->numeric)
		return (x->number > y->number) - (x->number < y->number);
	return x->version ? version_cmp(x->key, y->key) : strcmp(x->key, y->key);
}

static int row_cmp_down(const void *a, const void *b)
{
	return row_cmp(b, a);
}

void ref_sort(struct git *g, struct ref *list, size_t n, const struct names *keys)
{
	struct sort_row *rows = arena_array(g->a, n + 1, sizeof(*rows));
	struct ref *copy = arena_array(g->a, n + 1, sizeof(*copy));

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		rows[i].ref = &list[i];
	for (size_t k = 0; k < keys->n; k++) {
		const char *key = keys->at[k];
		bool down = key[0] == '-';
		bool version;

		key += down;
		version = git_starts(key, "version:") || git_starts(key, "v:");
		if (version)
			key = strchr(key, ':') + 1;
		for (size_t i = 0; i < n; i++) {
			struct atom_of r = { .name = rows[i].ref->name,
					     .oid = rows[i].ref->oid,
					     .target = rows[i].ref->target };
			struct buf b = buf_in(g->a);
			bool date = git_ends(key, "date");

			put_atom(g, &r, date ? git_format(g->a, "%s:unix", key) : key, &b);
			rows[i].key = buf_cstr(&b);
			rows[i].version = version;
			rows[i].numeric = date || strcmp(key, "objectsize") == 0;
			rows[i].number = 0;
			git_number(rows[i].key, &rows[i].number);
		}
		git_sort(g, rows, n, sizeof(*rows), down ? row_cmp_down : row_cmp);
	}
	for (size_t i = 0; i < n; i++)
		copy[i] = *rows[i].ref;
	memcpy(list, copy, n * sizeof(*list));
}
