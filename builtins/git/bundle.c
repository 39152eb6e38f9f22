/* SPDX-License-Identifier: MIT
 *
 * A bundle: references and the pack of what they reach, in one file.
 *
 *   # v2 git bundle            (v3: then lines of "@capability")
 *   -OID subject               commits that who reads it must have
 *   OID refs/heads/x           what it offers
 *                              (an empty line)
 *   PACK...
 *
 * It is read as another repository: its references, and objects out of the file itself. The
 * pack gets an index in memory, nothing is unpacked before it is wanted.
 */
#include "builtins/git/transport.h"

enum { HEAD_MAX = 1 << 26, CHUNK = 1 << 16 };

static const char *signature(const char *text)
{
	if (git_starts(text, "# v2 git bundle\n") || git_starts(text, "# v3 git bundle\n"))
		return text + 16;
	return NULL;
}

/* The first bytes of the file, up to the empty line in front of the pack. */
static struct bytes read_head(struct git *g, int fd)
{
	struct buf b = buf_in(g->keep);
	size_t searched = 0;

	while (b.len < HEAD_MAX) {
		int64_t got;

		buf_reserve(&b, CHUNK);
		got = cmd_pread(g->c, fd, b.ptr + b.len, CHUNK, b.len);
		if (got <= 0)
			break;
		b.len += (size_t)got;
		cmd_charge_bytes(g->c, (size_t)got);
		if (bytes_find(bytes_slice(buf_bytes(&b), searched, b.len), BYTES("\n\n")) != NULL)
			break;
		searched = b.len - 1;
	}
	return (struct bytes){ buf_cstr(&b), b.len };
}

static bool is_capability(struct git *g, struct bytes line)
{
	char *text = arena_dup(g->keep, line);

	if (strcmp(text, "object-format=sha1") == 0)
		return true;
	if (git_starts(text, "object-format=") || git_starts(text, "filter="))
		git_refuse(g, git_format(g->a, "a bundle with %s", text));
	git_error(g, "unknown capability '%s'", text);
	return false;
}

/* One line behind the signature. */
static bool read_line(struct git *g, struct bundle *b, struct bytes line)
{
	bool need = line.len != 0 && line.ptr[0] == '-';
	struct bytes rest = bytes_slice(line, need, line.len);
	struct bundle_list *list = need ? &b->needs : &b->refs;
	struct ref r = { .name = NULL };

	cmd_charge(g->c, 2);
	if (b->version == 3 && line.len != 0 && line.ptr[0] == '@')
		return is_capability(g, bytes_slice(line, 1, line.len));
	if (rest.len < OID_HEX || !oid_parse(rest.ptr, &r.oid) ||
	    (rest.len > OID_HEX && rest.ptr[OID_HEX] != ' ') || (rest.len == OID_HEX && !need)) {
		git_error(g, "unrecognized header: %.*s (%d)", (int)line.len, line.ptr,
			  (int)line.len);
		return false;
	}
	/* The subject of a commit that is needed is for who reads the file itself. */
	r.name = arena_dup(g->keep, need ? BYTES("") : bytes_slice(rest, OID_HEX + 1, rest.len));
	LIST_ROOM(g, list->at, list->n, list->cap);
	list->at[list->n++] = r;
	return true;
}

bool bundle_read(struct git *g, const char *path, const char *shown, struct bundle *b)
{
	struct bytes head, line;
	const char *start;

	*b = (struct bundle){ .shown = shown };
	b->fd = cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);
	if (b->fd < 0) {
		git_error(g, "could not open '%s'", shown);
		return false;
	}
	head = read_head(g, b->fd);
	start = signature(head.ptr);
	if (start == NULL) {
		git_error(g, "'%s' does not look like a v2 or v3 bundle file", shown);
		return false;
	}
	b->version = head.ptr[3] - '0';
	b->pack = 16;
	head = bytes_slice(head, 16, head.len);
	while (head.len != 0 && head.ptr[0] != '\n' && git_line(&head, &line)) {
		if (!read_line(g, b, line))
			return false;
		b->pack += line.len + 1;
	}
	b->pack += head.len != 0;
	return true;
}

bool bundle_is(struct git *g, const char *path)
{
	char head[17] = "";
	int fd = cmd_open(g->c, CMD_CWD, path, O_RDONLY_, 0);
	bool is = fd >= 0 && cmd_pread(g->c, fd, head, 16, 0) == 16 && signature(head) != NULL;

	if (fd >= 0)
		cmd_close(g->c, fd);
	return is;
}

bool bundle_check(struct git *g, const struct bundle *b)
{
	bool complete = true;

	for (size_t i = 0; i < b->needs.n; i++) {
		const struct oid *o = &b->needs.at[i].oid;

		cmd_charge(g->c, 2);
		if (g->dir != NULL && object_exists(g, o))
			continue;
		if (complete)
			git_error(g, "Repository lacks these prerequisite commits:");
		complete = false;
		git_error(g, "%s ", oid_hex(g, o));
	}
	return complete;
}

struct git *bundle_open(struct git *g, const char *path, const char *shown)
{
	struct bundle *b = arena_zalloc(g->keep, sizeof(*b));
	struct git *from = arena_zalloc(g->keep, sizeof(*from));

	if (!bundle_read(g, path, shown, b))
		return NULL;
	*from = (struct git){
		.c = g->c,
		.a = g->a,
		.keep = g->keep,
		.command = g->command,
		.start = g->start,
		.prefix = g->prefix,
		.bare = true,
		.config = g->config,
		.color = -1,
		.zone = g->zone,
		.utc = g->utc,
		.bundle = b,
	};
	from->commits = lookup_new(from);
	from->replaced = lookup_new(from);
	from->odb = arena_zalloc(g->keep, sizeof(*from->odb));
	return from;
}

bool bundle_attach(struct git *from, struct git *to)
{
	const struct bundle *b = from->bundle;
	struct pack_scan *s = arena_zalloc(from->keep, sizeof(*s));
	const char *why;

	if (!bundle_check(to, b))
		return false;
	if (to->dir != NULL)
		for (size_t i = 0; i < to->odb->dirs.n; i++)
			names_add(from, &from->odb->dirs, to->odb->dirs.at[i]);
	why = pack_scan_from(from, b->fd, b->pack, true, s);
	if (why == NULL && s->unresolved != 0)
		why = git_format(from->a, "pack has %zu unresolved delta%s", s->unresolved,
				 s->unresolved == 1 ? "" : "s");
	if (why != NULL) {
		git_say(from, "fatal: %s\n", why);
		git_error(from, "index-pack died");
		return false;
	}
	pack_scan_index(from, s);
	s->pack.next = from->odb->packs;
	from->odb->packs = &s->pack;
	return true;
}

/* Whether it could be a reference here: names are what the file says, "refs/heads/../../x" too. */
static bool is_usable(const struct ref *r)
{
	return strcmp(r->name, "HEAD") == 0 ||
	       (git_starts(r->name, "refs/") && ref_name_valid(r->name));
}

size_t bundle_refs(struct git *from, struct ref **out)
{
	const struct bundle *b = from->bundle;
	size_t n = 0;

	/* The last comes first, as git has it. */
	*out = arena_array(from->keep, b->refs.n + 1, sizeof(**out));
	for (size_t i = b->refs.n; i > 0; i--)
		if (is_usable(&b->refs.at[i - 1]))
			(*out)[n++] = b->refs.at[i - 1];
	return n;
}

static const struct ref *offered(const struct bundle *b, const char *name)
{
	for (size_t i = 0; i < b->refs.n; i++)
		if (is_usable(&b->refs.at[i]) && strcmp(b->refs.at[i].name, name) == 0)
			return &b->refs.at[i];
	return NULL;
}

char *bundle_head(struct git *from)
{
	const struct bundle *b = from->bundle;
	const struct ref *head = offered(b, "HEAD");
	const char *usual = config_get(from, "init.defaultbranch");
	const char *names[2] = { usual, "master" };

	if (usual == NULL || !ref_name_valid(git_format(from->a, "refs/heads/%s", usual)))
		names[0] = "master";
	if (head == NULL)
		return git_format(from->keep, "refs/heads/%s", names[0]);
	for (int i = 0; i < 2; i++) {
		const struct ref *r = offered(b, git_format(from->keep, "refs/heads/%s", names[i]));

		if (r != NULL && oid_eq(&r->oid, &head->oid))
			return r->name;
	}
	for (size_t i = b->refs.n; i > 0; i--)
		if (is_usable(&b->refs.at[i - 1]) &&
		    git_starts(b->refs.at[i - 1].name, "refs/heads/") &&
		    oid_eq(&b->refs.at[i - 1].oid, &head->oid))
			return b->refs.at[i - 1].name;
	return NULL;
}
