/* SPDX-License-Identifier: MIT
 *
 * What is inside objects: commits, tags, trees, people.
 */
#include "builtins/git/git.h"

enum { TAG_DEPTH_MAX = 64 };

/* --- commits in memory --- */

struct commit *commit_at(struct git *g, const struct oid *o)
{
	struct commit *c = lookup_get(g->commits, oid_key(o));

	if (c == NULL) {
		c = arena_zalloc(g->keep, sizeof(*c));
		c->oid = *o;
		*lookup_at(g->commits, oid_key(&c->oid)) = c;
	}
	return c;
}

static bool header_oid(struct bytes *rest, const char *key, struct oid *out)
{
	size_t n = strlen(key);

	if (rest->len < n + 1 + OID_HEX + 1 || memcmp(rest->ptr, key, n) != 0 ||
	    rest->ptr[n] != ' ' || rest->ptr[n + 1 + OID_HEX] != '\n' ||
	    !oid_parse(rest->ptr + n + 1, out))
		return false;
	*rest = bytes_slice(*rest, n + 2 + OID_HEX, rest->len);
	return true;
}

static bool parse_commit(struct git *g, struct commit *c, struct bytes data)
{
	struct bytes rest = data;
	struct commit_text t;
	struct person who;
	struct oid o;
	size_t n = 0;

	if (!header_oid(&rest, "tree", &c->tree))
		return false;
	for (struct bytes r = rest; header_oid(&r, "parent", &o);)
		n++;
	c->parent = arena_array(g->keep, n, sizeof(*c->parent));
	for (uint32_t i = 0; i < n && header_oid(&rest, "parent", &o); i++)
		c->parent[i] = commit_at(g, &o);
	c->nparents = (uint32_t)n;
	commit_split(data, &t);
	person_split(t.committer, &who);
	c->date = who.time;
	return true;
}

/* .git/info/grafts is not read; shallow is: such commits have no parents. */
static void cut_shallow(struct git *g, struct commit *c)
{
	if (g->shallow.n != 0 && names_has(g, &g->shallow, oid_hex(g, &c->oid)))
		c->nparents = 0;
}

bool commit_load(struct git *g, struct commit *c)
{
	struct arena a;
	struct bytes data;
	enum object_type type;

	if (c->parsed || c->missing)
		return c->parsed;
	arena_init_under(&a, g->a);
	type = object_read(g, &a, &c->oid, &data);
	if (type == OBJECT_COMMIT && parse_commit(g, c, data))
		c->parsed = true;
	else
		c->missing = true;
	arena_clear(&a);
	if (type == OBJECT_COMMIT && c->missing) {
		git_error(g, "bad tree in commit %s", oid_hex(g, &c->oid));
		git_die(g, "unable to parse commit %s", oid_hex(g, &c->oid));
	}
	if (g->shallow.n != 0)
		cut_shallow(g, c);
	return c->parsed;
}

void commit_need(struct git *g, struct commit *c)
{
	if (commit_load(g, c))
		return;
	git_error(g, "Could not read %s", oid_hex(g, &c->oid));
	git_die(g, "Failed to traverse parents of commit %s", oid_hex(g, &c->oid));
}

/* --- text --- */

static void take_header(struct bytes line, struct commit_text *out)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "author ", offsetof(struct commit_text, author) },
		{ "committer ", offsetof(struct commit_text, committer) },
		{ "encoding ", offsetof(struct commit_text, encoding) },
		{ "tagger ", offsetof(struct commit_text, tagger) },
		{ "object ", offsetof(struct commit_text, object) },
		{ "type ", offsetof(struct commit_text, type) },
		{ "tag ", offsetof(struct commit_text, tag) },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct bytes *field = (struct bytes *)(void *)((char *)out + keys[i].offset);

		if (field->ptr == NULL && bytes_starts(line, bytes_of(keys[i].key)))
			*field = bytes_slice(line, strlen(keys[i].key), line.len);
	}
}

void commit_split(struct bytes text, struct commit_text *out)
{
	struct bytes rest = text;
	struct bytes line;

	*out = (struct commit_text){ .all = text, .message = { "", 0 } };
	while (git_line(&rest, &line) && line.len != 0)
		take_header(line, out);
	out->header = (struct bytes){ text.ptr, text.len - rest.len };
	out->message = rest;
}

void commit_text(struct git *g, struct arena *a, const struct oid *o, struct commit_text *out)
{
	commit_split(object_need(g, a, o, OBJECT_COMMIT), out);
}

bool encoding_is_utf8(const char *name)
{
	return name == NULL || git_eq_nocase(bytes_of(name), BYTES("UTF-8")) ||
	       git_eq_nocase(bytes_of(name), BYTES("UTF8"));
}

bool text_recode(struct git *g, struct arena *a, const char *from, const char *to,
		 struct bytes text, struct bytes *out)
{
	struct buf b = buf_in(a);

	buf_puts(&b, "iconv -t ");
	git_quote_shell(&b, to);
	buf_puts(&b, " -f ");
	git_quote_shell(&b, from);
	buf_puts(&b, " 2>/dev/null");
	return git_filter(g, a, buf_cstr(&b), text, out) == 0;
}

void commit_text_shown(struct git *g, struct arena *a, const struct oid *o, struct commit_text *out,
		       bool utf8)
{
	const char *to = g->log_encoding, *from;
	struct bytes encoding, text;
	struct buf b = buf_in(a);

	commit_text(g, a, o, out);
	if (to == NULL)
		to = config_get(g, "i18n.logoutputencoding");
	if (to == NULL)
		to = config_get(g, "i18n.commitencoding");
	encoding = out->encoding;
	from = encoding.ptr != NULL ? arena_dup(a, encoding) : "UTF-8";
	if (to != NULL && to[0] == '\0' && !utf8)
		return;
	if ((encoding_is_utf8(to) && encoding_is_utf8(from)) ||
	    (to != NULL && git_eq_nocase(bytes_of(to), bytes_of(from))))
		return;
	if (!text_recode(g, a, from, to != NULL ? to : "UTF-8", out->all, &text) &&
	    !(utf8 && text_recode(g, a, from, "UTF-8", out->all, &text)))
		return;
	if (encoding.ptr != NULL) {
		const char *line = bytes_find(text, BYTES("\nencoding "));
		struct bytes rest = bytes_slice(text, (size_t)(line + 1 - text.ptr), text.len);
		struct bytes old;

		git_line(&rest, &old);
		buf_put(&b, text.ptr, (size_t)(line + 1 - text.ptr));
		if (!encoding_is_utf8(to))
			buf_printf(&b, "encoding %s\n", to);
		buf_add(&b, rest);
		text = buf_bytes(&b);
	}
	commit_split(text, out);
	out->encoding = encoding;
}

struct bytes message_subject(struct arena *a, struct bytes message)
{
	struct buf b = buf_in(a);
	struct bytes line;
	bool any = false;

	while (git_line(&message, &line)) {
		while (line.len != 0 && byte_is_space((unsigned char)line.ptr[line.len - 1]))
			line.len--;
		if (line.len == 0 && !any)
			continue;
		if (line.len == 0)
			break;
		if (any)
			buf_putc(&b, ' ');
		buf_add(&b, line);
		any = true;
	}
	return (struct bytes){ buf_cstr(&b), b.len };
}

void person_split(struct bytes text, struct person *out)
{
	const char *open = text.len != 0 ? memchr(text.ptr, '<', text.len) : NULL;
	const char *close;
	struct bytes rest;
	size_t i = 0;

	*out = (struct person){ .name = { "", 0 }, .mail = { "", 0 } };
	if (open == NULL)
		return;
	close = bytes_rfind(text, BYTES(">"));
	if (close == NULL || close < open)
		return;
	out->name = git_trim((struct bytes){ text.ptr, (size_t)(open - text.ptr) });
	const char *first = memchr(open, '>', (size_t)(close - open) + 1);

	out->mail = (struct bytes){ open + 1, (size_t)(first - open - 1) };
	rest = bytes_slice(text, (size_t)(close + 1 - text.ptr), text.len);
	while (i < rest.len && rest.ptr[i] == ' ')
		i++;
	if (i == rest.len || !byte_is_digit((unsigned char)rest.ptr[i]))
		return;
	for (; i < rest.len && byte_is_digit((unsigned char)rest.ptr[i]); i++) {
		if (out->time > INT64_MAX / 10 - 1)
			return;
		out->time = out->time * 10 + (rest.ptr[i] - '0');
	}
	out->valid = true;
	while (i < rest.len && rest.ptr[i] == ' ')
		i++;
	if (i + 1 < rest.len && (rest.ptr[i] == '+' || rest.ptr[i] == '-')) {
		int v = 0;
		bool minus = rest.ptr[i++] == '-';

		for (; i < rest.len && byte_is_digit((unsigned char)rest.ptr[i]) && v < 100000; i++)
			v = v * 10 + (rest.ptr[i] - '0');
		out->zone = minus ? -v : v;
	}
}

/* --- trees --- */

int tree_next(struct bytes *rest, struct tree_entry *out)
{
	size_t i = 0;
	const char *nul;

	if (rest->len == 0)
		return 0;
	out->mode = 0;
	for (; i < rest->len && rest->ptr[i] >= '0' && rest->ptr[i] <= '7' && i < 7; i++)
		out->mode = out->mode << 3 | (uint32_t)(rest->ptr[i] - '0');
	if (i == 0 || i >= rest->len || rest->ptr[i] != ' ')
		return -1;
	i++;
	nul = memchr(rest->ptr + i, '\0', rest->len - i);
	if (nul == NULL || nul == rest->ptr + i ||
	    rest->len - (size_t)(nul - rest->ptr) < OID_BYTES + 1)
		return -1;
	out->name = (struct bytes){ rest->ptr + i, (size_t)(nul - rest->ptr) - i };
	memcpy(out->oid.hash, nul + 1, OID_BYTES);
	*rest = bytes_slice(*rest, (size_t)(nul - rest->ptr) + 1 + OID_BYTES, rest->len);
	/* Old trees have other permissions: what counts is the kind and whether it can be run. */
	if ((out->mode & S_FMT) == S_REG)
		out->mode = out->mode & 0100 ? MODE_EXEC : MODE_FILE;
	return 1;
}

bool object_peel(struct git *g, const struct oid *o, enum object_type want, struct oid *out)
{
	struct oid at = *o;

	for (int depth = 0; depth < TAG_DEPTH_MAX; depth++) {
		struct arena a;
		struct bytes data;
		struct commit_text t;
		uint64_t size;
		enum object_type type = object_info(g, &at, &size);
		bool ok = true;

		if (type == want || (want == OBJECT_NONE && type != OBJECT_TAG)) {
			*out = at;
			return type != OBJECT_NONE;
		}
		if (type == OBJECT_COMMIT && want == OBJECT_TREE) {
			struct commit *c = commit_at(g, &at);

			if (!commit_load(g, c))
				return false;
			*out = c->tree;
			return true;
		}
		if (type != OBJECT_TAG)
			return false;
		arena_init_under(&a, g->a);
		if (object_read(g, &a, &at, &data) != OBJECT_TAG)
			ok = false;
		else
			commit_split(data, &t);
		ok = ok && oid_parse_bytes(t.object, &at);
		arena_clear(&a);
		if (!ok)
			return false;
	}
	return false;
}

bool tree_of(struct git *g, const struct oid *o, struct oid *out)
{
	return object_peel(g, o, OBJECT_TREE, out);
}

static bool find_name(struct git *g, const struct oid *tree, struct bytes name,
		      struct tree_entry *out)
{
	struct arena a;
	struct bytes rest;
	bool found = false;

	arena_init_under(&a, g->a);
	if (object_read(g, &a, tree, &rest) == OBJECT_TREE) {
		while (!found && tree_next(&rest, out) > 0)
			found = bytes_eq(out->name, name);
		cmd_charge_bytes(g->c, rest.len);
	}
	arena_clear(&a);
	return found;
}

bool tree_find(struct git *g, const struct oid *tree, const char *path, uint32_t *mode,
	       struct oid *out)
{
	struct tree_entry e = { .mode = MODE_TREE, .oid = *tree };

	while (*path == '/')
		path++;
	while (*path != '\0') {
		size_t len = strcspn(path, "/");

		if ((e.mode & S_FMT) != S_DIR)
			return false;
		struct oid at = e.oid;

		if (!find_name(g, &at, (struct bytes){ path, len }, &e))
			return false;
		path += len;
		while (*path == '/')
			path++;
	}
	*mode = e.mode;
	*out = e.oid;
	return true;
}
