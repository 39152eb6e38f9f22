/* SPDX-License-Identifier: MIT
 *
 * Names of objects as people write them: HEAD~2, main@{1}, v1^{tree}, :path, abc123, :/text.
 */
#include "builtins/git/rev.h"

enum { TEXT_MAX = 1 << 16, SUFFIXES_MAX = 4096 };

/* --- references with @{...} --- */

char *rev_previous(struct git *g, int n)
{
	struct reflog_entry *log;
	size_t count = reflog_read(g, "HEAD", &log);

	for (size_t i = count; i > 0; i--) {
		struct bytes m = log[i - 1].message;
		const char *to;

		if (!bytes_starts(m, BYTES("checkout: moving from ")))
			continue;
		m = bytes_slice(m, 22, m.len);
		to = bytes_find(m, BYTES(" to "));
		if (to != NULL && --n == 0)
			return arena_dup(g->a, (struct bytes){ m.ptr, (size_t)(to - m.ptr) });
	}
	return NULL;
}

/* The n-th entry of a log from its end: 0; -1 there is no log; else "only has". */
static int log_entry(struct git *g, const char *ref, int64_t n, struct oid *out)
{
	struct reflog_entry *log;
	size_t count = reflog_read(g, ref, &log);

	if (count == 0 && n > 0 && reflog_exists(g, ref))
		git_die(g, "log for %s is empty", ref_short(g, ref));
	if (count == 0)
		return n == 0 ? ref_read(g, ref, out, NULL) : -1;
	if (n < 0 || (uint64_t)n > count)
		git_die(g, "log for '%s' only has %zu entries", ref_short(g, ref), count);
	*out = (uint64_t)n == count ? log[0].before : log[count - 1 - (size_t)n].after;
	if ((uint64_t)n == count && oid_is_null(out))
		git_die(g, "log for '%s' only has %zu entries", ref_short(g, ref), count);
	return 0;
}

static int log_date(struct git *g, const char *ref, const char *date, struct oid *out)
{
	struct reflog_entry *log;
	size_t count = reflog_read(g, ref, &log);
	int64_t when = date_approximate(g, date);

	for (size_t i = count; i > 0; i--) {
		struct person who;

		person_split(log[i - 1].who, &who);
		if (who.time <= when) {
			*out = log[i - 1].after;
			return 0;
		}
	}
	if (count == 0)
		return -1;
	*out = oid_is_null(&log[0].before) ? log[0].after : log[0].before;
	git_warn(g, "log for '%s' only goes back to %s", ref_short(g, ref),
		 rev_log_start(g, &log[0]));
	return 0;
}

const char *rev_log_start(struct git *g, const struct reflog_entry *e)
{
	struct buf b = buf_in(g->a);
	struct person who;
	struct date_style style = { .mode = DATE_RFC };

	person_split(e->who, &who);
	date_put(g, &b, who.time, who.zone, &style);
	return buf_cstr(&b);
}

char *rev_upstream(struct git *g, const char *branch, const char **why)
{
	const char *name = ref_short(g, branch);
	const char *remote = config_get(g, git_format(g->a, "branch.%s.remote", name));
	const char *merge = config_get(g, git_format(g->a, "branch.%s.merge", name));

	*why = NULL;
	if (remote == NULL || merge == NULL) {
		*why = git_format(g->a, "no upstream configured for branch '%s'", name);
		return NULL;
	}
	if (strcmp(remote, ".") == 0)
		return arena_dup(g->a, bytes_of(merge));
	cmd_charge(g->c, g->config->n);
	for (size_t i = 0; i < g->config->n; i++) {
		const struct config_entry *e = &g->config->at[i];
		const char *v = e->value;
		const char *star;
		const char *colon;

		if (v == NULL || strcmp(e->key, git_format(g->a, "remote.%s.fetch", remote)) != 0)
			continue;
		v += *v == '+';
		colon = strchr(v, ':');
		star = strchr(v, '*');
		if (colon == NULL)
			continue;
		if (star == NULL) {
			if (strncmp(merge, v, (size_t)(colon - v)) == 0 &&
			    strlen(merge) == (size_t)(colon - v))
				return arena_dup(g->a, bytes_of(colon + 1));
			continue;
		}
		if (star > colon || strncmp(merge, v, (size_t)(star - v)) != 0)
			continue;
		const char *target = strchr(colon, '*');

		if (target != NULL)
			return git_format(g->a, "%.*s%s%s", (int)(target - colon - 1), colon + 1,
					  merge + (star - v), target + 1);
	}
	*why = git_format(g->a, "upstream branch '%s' not stored as a remote-tracking branch",
			  merge);
	return NULL;
}

char *rev_push(struct git *g, const char *branch, const char **why)
{
	const char *name = ref_short(g, branch);
	const char *remote = config_get(g, git_format(g->a, "branch.%s.pushremote", name));

	*why = NULL;
	if (remote == NULL)
		remote = config_get(g, "remote.pushdefault");
	if (remote != NULL)
		return git_format(g->a, "refs/remotes/%s/%s", remote, name);
	return rev_upstream(g, branch, why);
}

/* name@{inside}: 0, -1. */
static int braces(struct git *g, const char *name, const char *inside, struct oid *out)
{
	bool several;
	struct oid o;
	int64_t n;
	char *full;
	const char *why;

	if (name[0] == '\0' && git_number(inside, &n) && n < 0) {
		char *previous = n > -INT32_MAX ? rev_previous(g, (int)-n) : NULL;

		return previous != NULL ? rev_parse(g, previous, out) : -1;
	}
	if (name[0] == '\0') {
		full = head_ref(g);
		if (full == NULL)
			full = arena_dup(g->a, BYTES("HEAD"));
	} else {
		full = ref_expand(g, name, &o, &several);
	}
	if (full == NULL)
		return -1;
	if (strcmp(inside, "u") == 0 || strcmp(inside, "upstream") == 0 ||
	    strcmp(inside, "push") == 0) {
		char *head = strcmp(full, "HEAD") == 0 ? head_ref(g) : NULL;

		if (head != NULL)
			full = head;
		full = inside[0] == 'u' ? rev_upstream(g, full, &why) : rev_push(g, full, &why);
		if (full == NULL)
			git_die(g, "%s", why);
		return ref_read(g, full, out, NULL);
	}
	if (git_number(inside, &n) && n >= 0 && strlen(inside) < 9)
		return log_entry(g, full, n, out);
	return log_date(g, full, inside, out);
}

/* --- the part in front of suffixes --- */

static bool all_hex(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!byte_is_xdigit((unsigned char)s[i]))
			return false;
	return true;
}

static char *lower(struct git *g, const char *s)
{
	char *copy = arena_dup(g->a, bytes_of(s));

	for (char *p = copy; *p != '\0'; p++)
		*p = (char)byte_to_lower((unsigned char)*p);
	return copy;
}

/* v1.0-3-gabc1234 */
static const char *describe_digits(const char *s)
{
	const char *dash = strrchr(s, '-');

	if (dash != NULL && dash[1] == 'g' && strlen(dash + 2) >= 4 &&
	    all_hex(dash + 2, strlen(dash + 2)))
		return dash + 2;
	return NULL;
}

static void say_ambiguous(struct git *g, const char *prefix)
{
	struct oid *list;
	size_t n = oid_candidates(g, prefix, &list);
	struct buf b = buf_in(g->a);

	git_error(g, "short object ID %s is ambiguous", prefix);
	buf_puts(&b, "The candidates are:\n");
	for (int type = 0; type < 4; type++) {
		static const enum object_type order[] = { OBJECT_TAG, OBJECT_COMMIT, OBJECT_TREE,
							  OBJECT_BLOB };

		for (size_t i = 0; i < n; i++)
			rev_put_candidate(g, &b, &list[i], order[type]);
	}
	git_hint(g, NULL, "%s", buf_cstr(&b));
}

static int basic(struct git *g, const char *name, enum object_type want, struct oid *out)
{
	size_t len = strlen(name);
	bool several;
	char *full;
	const char *at;
	int got;

	if (len == OID_HEX && oid_parse(name, out))
		return 0;
	at = strstr(name, "@{");
	if (at != NULL && name[len - 1] == '}' && strstr(at + 2, "@{") == NULL)
		return braces(
			g, git_format(g->a, "%.*s", (int)(at - name), name),
			git_format(g->a, "%.*s", (int)(len - (size_t)(at - name) - 3), at + 2),
			out);
	full = ref_expand(g, name, out, &several);
	if (full != NULL) {
		if (several && config_bool(g, "core.warnambiguousrefs", true))
			git_warn(g, "refname '%s' is ambiguous.", name);
		return 0;
	}
	at = describe_digits(name);
	if (at != NULL && oid_complete(g, lower(g, at), OBJECT_COMMIT, out) == 0)
		return 0;
	if (len < 4 || len > OID_HEX || !all_hex(name, len))
		return -1;
	got = oid_complete(g, lower(g, name), want, out);
	if (got == -2)
		say_ambiguous(g, lower(g, name));
	return got == 0 ? 0 : -1;
}

/* --- suffixes --- */

static bool nth_parent(struct git *g, struct oid *o, int64_t n)
{
	struct oid c;

	if (!object_peel(g, o, OBJECT_COMMIT, &c))
		return false;
	struct commit *cm = commit_at(g, &c);

	if (!commit_load(g, cm))
		return false;
	if (n == 0) {
		*o = c;
		return true;
	}
	if ((uint64_t)n > cm->nparents)
		return false;
	*o = cm->parent[n - 1]->oid;
	return true;
}

static bool nth_ancestor(struct git *g, struct oid *o, int64_t n)
{
	if (!nth_parent(g, o, 0))
		return false;
	for (; n > 0; n--) {
		cmd_charge(g->c, 1);
		if (!nth_parent(g, o, 1))
			return false;
	}
	return true;
}

static bool peel_to(struct git *g, struct oid *o, const char *what, size_t len)
{
	struct bytes name = { what, len };
	enum object_type type = object_type_of(name);
	struct oid from = *o;

	if (len == 0)
		return object_peel(g, &from, OBJECT_NONE, o);
	if (what[0] == '/') {
		struct oid c;

		return object_peel(g, &from, OBJECT_COMMIT, &c) &&
		       rev_find_text(g, arena_dup(g->a, bytes_slice(name, 1, len)), &c, o);
	}
	if (bytes_is(name, "object"))
		return object_exists(g, o);
	return type != OBJECT_NONE && object_peel(g, &from, type, o);
}

/* Where the suffixes of text begin. */
static size_t base_length(const char *text)
{
	size_t i = 0;

	while (text[i] != '\0' && text[i] != '^' && text[i] != '~') {
		if (text[i] == '@' && text[i + 1] == '{') {
			const char *close = strchr(text + i, '}');

			if (close == NULL)
				return strlen(text);
			i = (size_t)(close - text);
		}
		i++;
	}
	return i;
}

static bool apply_suffixes(struct git *g, const char *p, struct oid *o)
{
	for (int count = 0; *p != '\0'; count++) {
		char op = *p++;
		int64_t n = 0;
		bool digits = byte_is_digit((unsigned char)*p);

		if (count == SUFFIXES_MAX)
			return false;
		if (op == '^' && *p == '{') {
			size_t len = strcspn(p, "}");

			if (p[len] != '}' || !peel_to(g, o, p + 1, len - 1))
				return false;
			p += len + 1;
			continue;
		}
		for (; byte_is_digit((unsigned char)*p); p++)
			n = n > INT32_MAX / 10 ? INT32_MAX : n * 10 + (*p - '0');
		if (!digits)
			n = 1;
		if (op == '^' ? !nth_parent(g, o, n) : op != '~' || !nth_ancestor(g, o, n))
			return false;
	}
	return true;
}

static int simple(struct git *g, const char *text, enum object_type last, struct oid *out)
{
	size_t len = base_length(text);
	const char *rest = text + len;
	enum object_type want = OBJECT_NONE;

	if (len == 0)
		return -1;
	if (rest[0] == '~' || (rest[0] == '^' && rest[1] != '{') || git_starts(rest, "^{commit}"))
		want = OBJECT_COMMIT;
	else if (git_starts(rest, "^{tree}"))
		want = OBJECT_TREE;
	else if (*rest == '\0')
		want = last;
	if (basic(g, git_format(g->a, "%.*s", (int)len, text), want, out) < 0)
		return -1;
	return apply_suffixes(g, rest, out) ? 0 : -1;
}

/* --- paths --- */

static char *relative_path(struct git *g, const char *path)
{
	if (git_starts(path, "./") || git_starts(path, "../") || strcmp(path, ".") == 0)
		return path_normal(g->a, git_format(g->a, "%s%s", g->prefix, path));
	return arena_dup(g->a, bytes_of(path));
}

/* :path and :n:path. */
static int in_index(struct git *g, const char *text, struct oid *out, struct rev_context *cx)
{
	unsigned stage = 0;
	bool found;
	size_t i;

	if (text[0] >= '0' && text[0] <= '3' && text[1] == ':') {
		stage = (unsigned)(text[0] - '0');
		text += 2;
	}
	cx->path = relative_path(g, text);
	if (cx->path == NULL)
		return -1;
	i = index_search(index_get(g), cx->path, stage, &found);
	if (!found)
		return -1;
	*out = g->index->at[i].oid;
	cx->mode = g->index->at[i].mode;
	return 0;
}

static int in_tree(struct git *g, const char *rev, const char *path, struct oid *out,
		   struct rev_context *cx)
{
	struct oid o;
	struct oid tree;

	if (simple(g, rev, OBJECT_TREE, &o) < 0 || !tree_of(g, &o, &tree))
		return -1;
	cx->path = relative_path(g, path);
	if (cx->path == NULL)
		return -1;
	return tree_find(g, &tree, cx->path, &cx->mode, out) ? 0 : -1;
}

int rev_parse_as(struct git *g, const char *text, enum object_type want, struct oid *out,
		 struct rev_context *cx)
{
	*cx = (struct rev_context){ 0, NULL };
	if (strlen(text) > TEXT_MAX || g->dir == NULL)
		return -1;
	if (text[0] == ':' && text[1] == '/')
		return rev_find_text(g, text + 2, NULL, out) ? 0 : -1;
	if (text[0] == ':')
		return in_index(g, text + 1, out, cx);
	/* A colon that is not inside of braces. */
	int depth = 0;

	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '{')
			depth++;
		else if (*p == '}' && depth > 0)
			depth--;
		else if (*p == ':' && depth == 0)
			return in_tree(g, git_format(g->a, "%.*s", (int)(p - text), text), p + 1,
				       out, cx);
	}
	return simple(g, text, want, out);
}

int rev_parse_context(struct git *g, const char *text, struct oid *out, struct rev_context *cx)
{
	return rev_parse_as(g, text, OBJECT_NONE, out, cx);
}

int rev_parse(struct git *g, const char *text, struct oid *out)
{
	struct rev_context cx;

	return rev_parse_as(g, text, OBJECT_NONE, out, &cx);
}

int rev_commit(struct git *g, const char *text, struct oid *out)
{
	struct rev_context cx;
	struct oid o;

	if (rev_parse_as(g, text, OBJECT_COMMIT, &o, &cx) < 0)
		return -1;
	return object_peel(g, &o, OBJECT_COMMIT, out) ? 0 : -1;
}
