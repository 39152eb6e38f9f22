/* SPDX-License-Identifier: MIT
 *
 * References: files below refs/ and the list of packed ones. Loose ones win.
 */
#include "builtins/git/git.h"

struct refs {
	struct ref *packed;
	size_t n;
	size_t cap;
	bool loaded;
	bool peeled_known;
};

/* --- names --- */

bool ref_name_valid(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || name[0] == '/' || name[len - 1] == '/' || name[len - 1] == '.' ||
	    strcmp(name, "@") == 0 || strstr(name, "..") != NULL || strstr(name, "@{") != NULL ||
	    strstr(name, "//") != NULL)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)name[i];
		bool first = i == 0 || name[i - 1] == '/';

		if (ch < 0x21 || ch == 0x7f || strchr("~^:?*[\\", ch) != NULL)
			return false;
		if (first && ch == '.')
			return false;
		if ((name[i + 1] == '/' || name[i + 1] == '\0') && i >= 4 &&
		    strncmp(name + i - 4, ".lock", 5) == 0)
			return false;
	}
	return true;
}

bool ref_branch_valid(const char *name)
{
	/* Alone it is no name of a reference, below refs/heads it is. */
	return name[0] != '-' && strcmp(name, "HEAD") != 0 &&
	       (strcmp(name, "@") == 0 || ref_name_valid(name));
}

/* Names outside of refs/ that can be read: HEAD, ORIG_HEAD, ... */
static bool is_pseudo(const char *name)
{
	for (const char *p = name; *p != '\0'; p++)
		if (!byte_is_upper((unsigned char)*p) && *p != '_')
			return false;
	return name[0] != '\0';
}

static bool safe_name(const char *name)
{
	return is_pseudo(name) || (git_starts(name, "refs/") && ref_name_valid(name)) ||
	       (git_starts(name, "worktrees/") && ref_name_valid(name)) ||
	       (git_starts(name, "main-worktree/") && ref_name_valid(name));
}

/* --- packed ones --- */

static int cmp_refs(const void *a, const void *b)
{
	return strcmp(((const struct ref *)a)->name, ((const struct ref *)b)->name);
}

static struct refs *load_packed(struct git *g)
{
	struct refs *r = g->refs;
	struct bytes text;
	struct bytes line;

	if (r == NULL)
		r = g->refs = arena_zalloc(g->keep, sizeof(*r));
	if (r->loaded)
		return r;
	r->loaded = true;
	if (file_read(g, g->keep, repo_path(g, g->a, "packed-refs"), &text) < 0)
		return r;
	while (git_line(&text, &line)) {
		struct ref ref = { .name = NULL };

		cmd_charge(g->c, 1);
		if (line.len == 0 || line.ptr[0] == '#' || line.ptr[0] == '^')
			continue;
		if (line.len < OID_HEX + 2 || !oid_parse(line.ptr, &ref.oid) ||
		    line.ptr[OID_HEX] != ' ')
			git_die(g, "unexpected line in %s/packed-refs: %.*s", g->common,
				(int)(line.len < 200 ? line.len : 200), line.ptr);
		ref.name = arena_dup(g->keep, bytes_slice(line, OID_HEX + 1, line.len));
		if (!safe_name(ref.name))
			continue;
		LIST_ROOM(g, r->packed, r->n, r->cap);
		r->packed[r->n++] = ref;
	}
	git_sort(g, r->packed, r->n, sizeof(*r->packed), cmp_refs);
	return r;
}

/* First packed one that is not before the name. */
static size_t packed_from(const struct refs *r, const char *name)
{
	size_t lo = 0;
	size_t hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(r->packed[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct ref *find_packed(struct git *g, const char *name)
{
	struct refs *r = load_packed(g);
	size_t i = packed_from(r, name);

	return i < r->n && strcmp(r->packed[i].name, name) == 0 ? &r->packed[i] : NULL;
}

/* --- reading --- */

/* One step: 0 an object, 1 a symbolic one (*target), -1 not there or broken. */
static int read_step(struct git *g, const char *name, struct oid *out, char **target)
{
	struct bytes text;
	char *path = repo_path(g, g->a, name);
	int err;

	if (git_starts(name, "main-worktree/"))
		path = git_format(g->a, "%s/%s", g->common, name + 14);
	err = file_read(g, g->a, path, &text);

	if (err == 0) {
		if (bytes_starts(text, BYTES("ref:"))) {
			*target = arena_dup(g->a, git_trim(bytes_slice(text, 4, text.len)));
			return 1;
		}
		if (oid_parse_bytes(text, out) &&
		    (text.len == OID_HEX || byte_is_space((unsigned char)text.ptr[OID_HEX])))
			return 0;
		return -1;
	}
	if (git_starts(name, "refs/")) {
		const struct ref *p = find_packed(g, name);

		if (p != NULL) {
			*out = p->oid;
			return 0;
		}
	}
	return -1;
}

int ref_read(struct git *g, const char *name, struct oid *out, char **full)
{
	char *at = arena_dup(g->a, bytes_of(name));

	for (int depth = 0; depth < 6; depth++) {
		int got;

		if (!safe_name(at))
			break;
		if (full != NULL)
			*full = at;
		got = read_step(g, at, out, &at);
		if (got <= 0)
			return got;
	}
	if (full != NULL)
		*full = at;
	return -1;
}

bool ref_exists(struct git *g, const char *name)
{
	struct oid o;

	return ref_read(g, name, &o, NULL) == 0;
}

char *ref_symbolic(struct git *g, const char *name)
{
	struct oid o;
	char *target;

	if (!safe_name(name) || read_step(g, name, &o, &target) != 1)
		return NULL;
	return target;
}

char *head_ref(struct git *g)
{
	struct oid o;
	char *full = NULL;

	if (ref_symbolic(g, "HEAD") == NULL)
		return NULL;
	ref_read(g, "HEAD", &o, &full);
	return full;
}

bool head_oid(struct git *g, struct oid *out)
{
	return ref_read(g, "HEAD", out, NULL) == 0;
}

/* --- lists --- */

struct listing {
	struct ref *at;
	size_t n;
	size_t cap;
};

static void list_add(struct git *g, struct listing *l, const char *name)
{
	struct ref r = { .name = arena_dup(g->keep, bytes_of(name)) };

	r.target = ref_symbolic(g, name);
	if (r.target != NULL)
		r.target = arena_dup(g->keep, bytes_of(r.target));
	r.broken = ref_read(g, name, &r.oid, NULL) < 0;
	LIST_ROOM(g, l->at, l->n, l->cap);
	l->at[l->n++] = r;
}

static void list_loose(struct git *g, struct listing *l, const char *base, const char *prefix)
{
	char *root = git_format(g->a, "%s/%s", base, prefix);
	struct walk *w;
	struct walk_entry *e;

	if (!file_is_dir(g, root))
		return;
	w = walk_new(g->c, root, 0);
	while ((e = walk_next(w)) != NULL) {
		const char *name = e->path + strlen(base) + 1;

		cmd_charge(g->c, 1);
		if (e->kind == WALK_FILE && !git_ends(name, ".lock") && ref_name_valid(name))
			list_add(g, l, name);
	}
	walk_free(w);
}

/* Sorted by name; of two with one name the first (loose) stays. */
static void list_settle(struct git *g, struct listing *l)
{
	size_t kept = 0;

	git_sort(g, l->at, l->n, sizeof(*l->at), cmp_refs);
	for (size_t i = 0; i < l->n; i++)
		if (kept == 0 || strcmp(l->at[kept - 1].name, l->at[i].name) != 0)
			l->at[kept++] = l->at[i];
	l->n = kept;
}

size_t ref_list(struct git *g, const char *prefix, struct ref **out)
{
	struct listing l = { NULL, 0, 0 };
	struct refs *r = load_packed(g);
	/* Walk from the last whole directory of the prefix. */
	const char *slash = strrchr(prefix, '/');
	char *dir = slash != NULL ? git_format(g->a, "%.*s", (int)(slash - prefix), prefix)
				  : arena_dup(g->a, BYTES("refs"));
	size_t kept = 0;

	list_loose(g, &l, g->common, dir);
	if (strcmp(g->dir, g->common) != 0) {
		list_loose(g, &l, g->dir, "refs/bisect");
		list_loose(g, &l, g->dir, "refs/worktree");
	}
	for (size_t i = packed_from(r, prefix); i < r->n && git_starts(r->packed[i].name, prefix);
	     i++) {
		LIST_ROOM(g, l.at, l.n, l.cap);
		l.at[l.n++] = r->packed[i];
	}
	list_settle(g, &l);
	for (size_t i = 0; i < l.n; i++)
		if (git_starts(l.at[i].name, prefix))
			l.at[kept++] = l.at[i];
	*out = l.at;
	return kept;
}

/* --- short names --- */

static const char *const rules[] = {
	"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"
};
enum { RULES = 6 };

static char *by_rule(struct git *g, int rule, const char *name)
{
	static const char *const fore[] = {
		"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/", "refs/remotes/"
	};

	return git_format(g->a, "%s%s%s", fore[rule], name, rule == RULES - 1 ? "/HEAD" : "");
}

char *ref_expand(struct git *g, const char *name, struct oid *out, bool *several)
{
	char *found = NULL;

	(void)rules;
	*several = false;
	if (strcmp(name, "@") == 0)
		name = "HEAD";
	for (int i = 0; i < RULES; i++) {
		char *full = by_rule(g, i, name);
		struct oid o;

		if (ref_read(g, full, &o, NULL) < 0)
			continue;
		if (found != NULL) {
			*several = true;
			continue;
		}
		found = full;
		*out = o;
	}
	return found;
}

const char *ref_short(struct git *g, const char *name)
{
	static const char *const prefixes[] = { "refs/heads/", "refs/tags/", "refs/remotes/" };

	(void)g;
	for (size_t i = 0; i < 3; i++)
		if (git_starts(name, prefixes[i]))
			return name + strlen(prefixes[i]);
	return name;
}

const char *ref_shorten(struct git *g, const char *name)
{
	static const char *const prefixes[] = { "refs/", "refs/tags/", "refs/heads/",
						"refs/remotes/" };
	struct oid o;

	for (int i = 3; i >= 0; i--) {
		const char *tail;
		bool clash = false;

		if (!git_starts(name, prefixes[i]))
			continue;
		tail = name + strlen(prefixes[i]);
		for (int j = 0; j <= i && !clash; j++)
			clash = ref_read(g, by_rule(g, j, tail), &o, NULL) == 0 &&
				strcmp(by_rule(g, j, tail), name) != 0;
		if (!clash)
			return tail;
	}
	return name;
}

/* --- writing --- */

char *ref_conflict(struct git *g, const char *name)
{
	struct ref *list;

	for (const char *p = strchr(name, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char *part = git_format(g->a, "%.*s", (int)(p - name), name);

		if (ref_exists(g, part))
			return part;
	}
	if (ref_list(g, git_format(g->a, "%s/", name), &list) > 0)
		return list[0].name;
	return NULL;
}

static void write_ref(struct git *g, const char *name, const char *text)
{
	char *path = repo_path(g, g->a, name);

	file_make_parents(g, path);
	/* Directories left empty stand in the way. */
	if (file_is_dir(g, path))
		file_remove_tree(g, path);
	file_write_locked(g, path, bytes_of(text));
}

static bool check_old(struct git *g, const char *name, const struct oid *old, const struct oid *is,
		      bool exists)
{
	if (old == NULL)
		return true;
	if (oid_is_null(old) && exists) {
		git_die(g, "cannot lock ref '%s': reference already exists", name);
		return false;
	}
	if (!oid_is_null(old) && !exists) {
		git_die(g, "cannot lock ref '%s': unable to resolve reference '%s'", name, name);
		return false;
	}
	if (exists && !oid_eq(old, is)) {
		git_die(g, "cannot lock ref '%s': is at %s but expected %s", name, oid_hex(g, is),
			oid_hex(g, old));
		return false;
	}
	return true;
}

/* Whether updates of this reference are logged. */
static bool wants_log(struct git *g, const char *name)
{
	const char *v = config_get(g, "core.logallrefupdates");

	if (reflog_exists(g, name))
		return true;
	if (v != NULL && strcmp(v, "always") == 0)
		return true;
	if (v != NULL ? config_truth(v) != 1 : g->bare)
		return false;
	return strcmp(name, "HEAD") == 0 || git_starts(name, "refs/heads/") ||
	       git_starts(name, "refs/remotes/") || git_starts(name, "refs/notes/");
}

bool ref_update(struct git *g, const char *name, const struct oid *new_oid, const struct oid *old,
		const char *message, bool no_deref)
{
	struct oid before = oid_null;
	char *full = arena_dup(g->a, bytes_of(name));
	char *head;
	bool exists;

	if (no_deref)
		exists = read_step(g, name, &before, &full) == 0;
	else
		exists = ref_read(g, name, &before, &full) == 0;
	if (no_deref) {
		full = arena_dup(g->a, bytes_of(name));
		if (!exists && ref_read(g, name, &before, NULL) < 0)
			before = oid_null;
	}
	if (!check_old(g, name, old, &before, exists || !oid_is_null(&before)))
		return false;
	if (!exists && git_starts(full, "refs/")) {
		char *other = ref_conflict(g, full);

		if (other != NULL)
			git_die(g, "cannot lock ref '%s': '%s' exists; cannot create '%s'", full,
				other, full);
	}
	if (!exists || no_deref || !oid_eq(&before, new_oid))
		write_ref(g, full, git_format(g->a, "%s\n", oid_hex(g, new_oid)));
	if (message == NULL)
		return true;
	/* A reference that stays where it is has no entry, but HEAD that stands for it has. */
	if (wants_log(g, full) && !(exists && oid_eq(&before, new_oid)))
		reflog_add(g, full, &before, new_oid, message);
	head = head_ref(g);
	/* What HEAD stands for has moved: HEAD's log says so too. */
	if (head != NULL && strcmp(full, head) == 0 && wants_log(g, "HEAD"))
		reflog_add(g, "HEAD", &before, new_oid, message);
	return true;
}

void ref_set_symbolic(struct git *g, const char *name, const char *target, const char *message)
{
	struct oid before = oid_null;
	struct oid after = oid_null;

	if (ref_read(g, name, &before, NULL) < 0)
		before = oid_null;
	write_ref(g, name, git_format(g->a, "ref: %s\n", target));
	if (message != NULL && ref_read(g, name, &after, NULL) == 0 && wants_log(g, name))
		reflog_add(g, name, &before, &after, message);
}

static void write_packed(struct git *g)
{
	struct refs *r = load_packed(g);
	struct buf out = buf_in(g->a);

	buf_puts(&out, "# pack-refs with: peeled fully-peeled sorted \n");
	for (size_t i = 0; i < r->n; i++) {
		struct oid peeled;
		uint64_t size;

		buf_printf(&out, "%s %s\n", oid_hex(g, &r->packed[i].oid), r->packed[i].name);
		if (object_info(g, &r->packed[i].oid, &size) == OBJECT_TAG &&
		    object_peel(g, &r->packed[i].oid, OBJECT_NONE, &peeled))
			buf_printf(&out, "^%s\n", oid_hex(g, &peeled));
		cmd_charge(g->c, 4);
	}
	file_write_locked(g, repo_path(g, g->a, "packed-refs"), buf_bytes(&out));
}

void ref_add_packed(struct git *g, const struct ref *list, size_t n)
{
	struct refs *r = load_packed(g);

	for (size_t i = 0; i < n; i++) {
		LIST_ROOM(g, r->packed, r->n, r->cap);
		r->packed[r->n++] = list[i];
	}
	git_sort(g, r->packed, r->n, sizeof(*r->packed), cmp_refs);
	write_packed(g);
}

bool ref_delete(struct git *g, const char *name)
{
	char *path = repo_path(g, g->a, name);
	char *log = repo_path(g, g->a, git_format(g->a, "logs/%s", name));
	struct ref *packed = find_packed(g, name);
	int err = cmd_unlink(g->c, CMD_CWD, path, 0);

	if (packed != NULL) {
		struct refs *r = g->refs;
		size_t i = (size_t)(packed - r->packed);

		memmove(packed, packed + 1, (r->n - i - 1) * sizeof(*packed));
		r->n--;
		write_packed(g);
	}
	cmd_unlink(g->c, CMD_CWD, log, 0);
	file_prune_parents(g, path, git_format(g->a, "%s/refs/heads", g->common));
	file_prune_parents(g, log, git_format(g->a, "%s/logs/refs/heads", g->common));
	return err >= 0 || packed != NULL;
}

bool ref_delete_logged(struct git *g, const char *name, const char *message, bool no_deref)
{
	char *head = head_ref(g);
	char *full = NULL;
	struct oid was;

	if (ref_read(g, name, &was, &full) < 0)
		return ref_delete(g, name);
	if (no_deref)
		return ref_delete(g, name);
	if (!ref_delete(g, full))
		return false;
	if (head != NULL && strcmp(head, full) == 0 && wants_log(g, "HEAD"))
		reflog_add(g, "HEAD", &was, &oid_null, message);
	return true;
}

bool ref_rename(struct git *g, const char *from, const char *to, const char *message)
{
	struct reflog_entry *log;
	struct oid o;
	size_t n = reflog_read(g, from, &log);

	if (ref_read(g, from, &o, NULL) < 0)
		return false;
	ref_delete(g, from);
	char *other = ref_conflict(g, to);

	if (other != NULL) {
		write_ref(g, from, git_format(g->a, "%s\n", oid_hex(g, &o)));
		if (n != 0)
			reflog_write(g, from, log, n);
		return git_error(g, "'%s' exists; cannot create '%s'", other, to) == 0;
	}
	write_ref(g, to, git_format(g->a, "%s\n", oid_hex(g, &o)));
	if (n != 0)
		reflog_write(g, to, log, n);
	if (wants_log(g, to))
		reflog_add(g, to, &o, &o, message);
	return true;
}

bool ref_copy(struct git *g, const char *from, const char *to, const char *message)
{
	struct reflog_entry *log;
	struct oid o;
	size_t n = reflog_read(g, from, &log);
	char *other = ref_conflict(g, to);

	if (ref_read(g, from, &o, NULL) < 0)
		return false;
	if (other != NULL)
		return git_error(g, "'%s' exists; cannot create '%s'", other, to) == 0;
	write_ref(g, to, git_format(g->a, "%s\n", oid_hex(g, &o)));
	if (n != 0)
		reflog_write(g, to, log, n);
	if (wants_log(g, to))
		reflog_add(g, to, &o, &o, message);
	return true;
}

void ref_pack_all(struct git *g, bool all, bool prune)
{
	struct ref *list;
	struct refs *r = load_packed(g);
	size_t n = ref_list(g, all ? "refs/" : "refs/tags/", &list);

	for (size_t i = 0; i < n; i++) {
		struct ref *p;

		if (list[i].target != NULL || list[i].broken ||
		    git_starts(list[i].name, "refs/bisect/") ||
		    git_starts(list[i].name, "refs/worktree/"))
			continue;
		p = find_packed(g, list[i].name);
		if (p != NULL) {
			p->oid = list[i].oid;
			continue;
		}
		LIST_ROOM(g, r->packed, r->n, r->cap);
		r->packed[r->n++] = list[i];
		git_sort(g, r->packed, r->n, sizeof(*r->packed), cmp_refs);
	}
	write_packed(g);
	for (size_t i = 0; prune && i < n; i++) {
		char *path = repo_path(g, g->a, list[i].name);

		if (list[i].target != NULL || list[i].broken)
			continue;
		cmd_unlink(g->c, CMD_CWD, path, 0);
		file_prune_parents(g, path, git_format(g->a, "%s/refs/heads", g->common));
	}
}
