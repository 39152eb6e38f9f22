/* SPDX-License-Identifier: MIT
 *
 * rsync: the list of what the sources hold.
 *
 * Names are those in the destination: of "src/d" they begin with "d", of "src/d/" they are
 * relative to it, with -R they are whole. The list is sorted, files before directories in each
 * directory; of entries with the same name the first source's counts.
 */
#include "builtins/rsync/rsync.h"

struct reader {
	struct cmd *c;
	struct rsync_opts *o;
	struct buf entry; /* of struct entry * */
	struct list *out;
};

void rsync_failed(struct cmd *c, const char *who, const char *what, const char *path, int err)
{
	struct buf line = buf_in(c->arena);
	char *cwd = NULL;

	cmd_flush(c);
	buf_printf(&line, "rsync: [%s] %s \"", who, what);
	if (path[0] != '/' && cmd_getcwd(c, &cwd) == 0)
		buf_printf(&line, "%s/", cwd);
	/* What says itself that it failed does not say it twice. */
	buf_printf(&line, "%s\"%s: %s (%d)\n", path,
		   strstr(what, "failed") != NULL ? "" : " failed", err_text(err),
		   err < 0 ? -err : err);
	cmd_err_write(c, line.ptr, line.len);
}

static void say_no_referent(struct cmd *c, const char *path)
{
	struct buf line = buf_in(c->arena);
	char *cwd = NULL;

	cmd_flush(c);
	buf_puts(&line, "symlink has no referent: \"");
	if (path[0] != '/' && cmd_getcwd(c, &cwd) == 0)
		buf_printf(&line, "%s/", cwd);
	buf_printf(&line, "%s\"\n", path);
	cmd_err_write(c, line.ptr, line.len);
}

/* --- order --- */

/* The next part of a path, which is a directory if more follows or the whole is one. */
static struct bytes next_part(const char **at, bool whole_is_dir, bool *is_dir)
{
	const char *slash = strchr(*at, '/');
	struct bytes part = { *at, slash != NULL ? (size_t)(slash - *at) : strlen(*at) };

	*is_dir = slash != NULL || whole_is_dir;
	*at = slash != NULL ? slash + 1 : *at + part.len;
	return part;
}

int list_order(const char *a, bool a_is_dir, const char *b, bool b_is_dir)
{
	/* The top comes first. */
	if (strcmp(a, ".") == 0 || strcmp(b, ".") == 0)
		return (strcmp(b, ".") == 0) - (strcmp(a, ".") == 0);
	while (*a != '\0' && *b != '\0') {
		bool a_dir;
		bool b_dir;
		struct bytes x = next_part(&a, a_is_dir, &a_dir);
		struct bytes y = next_part(&b, b_is_dir, &b_dir);

		if (a_dir != b_dir)
			return a_dir ? 1 : -1;
		int order = bytes_cmp(x, y);

		if (order != 0)
			return order;
	}
	return (*a != '\0') - (*b != '\0');
}

static bool is_dir(const struct entry *e)
{
	return (e->st.mode & S_FMT) == S_DIR;
}

static int entry_order(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;

	return list_order(x->name, is_dir(x), y->name, is_dir(y));
}

/* Merges runs, from short to long: stable, and no deeper than a loop. */
void list_sort(struct cmd *c, void **at, size_t n, int (*order)(const void *a, const void *b))
{
	void **other = arena_array(c->arena, n + 1, sizeof *other);
	void **from = at;

	for (size_t run = 1; run < n; run *= 2) {
		for (size_t low = 0; low < n; low += 2 * run) {
			size_t mid = low + run < n ? low + run : n;
			size_t high = low + 2 * run < n ? low + 2 * run : n;
			size_t i = low;
			size_t k = mid;

			for (size_t to = low; to < high; to++) {
				bool left = k >= high || (i < mid && order(from[i], from[k]) <= 0);

				other[to] = left ? from[i++] : from[k++];
			}
			cmd_charge(c, (high - low) / 4 + 1);
		}
		void **swap = from;

		from = other;
		other = swap;
	}
	if (from != at && n > 0)
		memcpy(at, from, n * sizeof *at);
}

struct entry *list_find(const struct list *l, const char *name, bool dir)
{
	size_t low = 0;
	size_t high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		struct entry *e = l->entry[mid];
		int order = list_order(name, dir, e->name, is_dir(e));

		if (order == 0)
			return e->unsafe ? NULL : e;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* --- reading --- */

/* Whether a symlink of that name points out of the transfer: it is absolute, has more ".." in front
 * than directories lead to it, or one behind something else. */
static bool leads_out(const char *name, const char *target)
{
	size_t depth = 0;
	bool front = true;

	if (target[0] == '/' || target[0] == '\0')
		return true;
	for (; *name != '\0'; name++)
		depth += *name == '/';
	for (const char *at = target; *at != '\0';) {
		size_t n = strcspn(at, "/");
		bool up = n == 2 && at[0] == '.' && at[1] == '.';

		if (up && (!front || depth-- == 0))
			return true;
		front &= up || n == 0 || (n == 1 && at[0] == '.');
		at += n + (at[n] == '/');
	}
	return false;
}

static struct entry *add(struct reader *r, const char *name, const char *path,
			 const struct vfs_stat *st)
{
	struct entry *e = arena_zalloc(r->c->arena, sizeof *e);
	struct bytes target;

	e->name = arena_dup(r->c->arena, bytes_of(name));
	e->path = arena_dup(r->c->arena, bytes_of(path));
	e->st = *st;
	if (r->o->chown_uid != UINT32_MAX)
		e->st.uid = r->o->chown_uid;
	if (r->o->chown_gid != UINT32_MAX)
		e->st.gid = r->o->chown_gid;
	if ((st->mode & S_FMT) == S_LNK && cmd_readlink(r->c, CMD_CWD, path, &target) >= 0)
		e->target = arena_dup(r->c->arena, target);
	e->unsafe = r->o->safe_links && e->target != NULL && leads_out(name, e->target);
	buf_put(&r->entry, &e, sizeof e);
	return e;
}

static int stat_source(struct reader *r, const char *path, struct vfs_stat *st)
{
	bool follow = r->o->copy_links || bytes_ends(bytes_of(path), BYTES("/"));

	return follow ? cmd_stat(r->c, path, st) : cmd_lstat(r->c, path, st);
}

/* "d/e" under "n" is "n/e" for the walk's path below its root. */
static const char *joined(struct cmd *c, const char *top, const char *below)
{
	struct buf out = buf_in(c->arena);

	while (*below == '/')
		below++;
	if (strcmp(top, ".") == 0)
		return *below != '\0' ? below : ".";
	buf_puts(&out, top);
	if (*below != '\0')
		buf_printf(&out, "/%s", below);
	return buf_cstr(&out);
}

/* The one below `top` of all that is in the directory `path`. */
static void read_tree(struct reader *r, const char *path, const char *top)
{
	struct cmd *c = r->c;
	unsigned flags = WALK_FOLLOW_ROOT | (r->o->copy_links ? WALK_FOLLOW : 0) |
			 (r->o->one_device ? WALK_ONE_DEVICE : 0);
	struct walk *w = walk_new(c, path, flags);
	struct walk_entry *at;

	while ((at = walk_next(w)) != NULL) {
		const char *name = joined(c, top, at->path + strlen(path));
		bool dir = (at->st.mode & S_FMT) == S_DIR;

		cmd_charge(c, 2);
		if (at->kind == WALK_ERROR || at->kind == WALK_LOOP) {
			rsync_failed(c, "sender", at->in_dir ? "opendir" : "readlink_stat",
				     at->path, at->err);
			r->out->failed = true;
			continue;
		}
		if (at->level > 0 &&
		    filters_exclude(r->o->filters, bytes_of(name), dir, SIDE_SENDER)) {
			walk_skip(w);
			continue;
		}
		if (!r->o->recursive && at->level > 0)
			walk_skip(w);
		if (r->o->copy_links && (at->st.mode & S_FMT) == S_LNK) {
			say_no_referent(c, at->path);
			r->out->failed = true;
			continue;
		}
		struct entry *e = add(r, name, at->path, &at->st);

		e->listed = dir && (r->o->recursive || at->level == 0);
		if (e->listed)
			filters_enter(r->o->filters, SIDE_SENDER, name, at->path);
	}
	walk_free(w);
	filters_leave(r->o->filters, SIDE_SENDER);
}

/* The directories that lead to a name, for -R. */
static void add_parents(struct reader *r, const char *base, const char *name)
{
	struct cmd *c = r->c;
	struct vfs_stat st;

	for (const char *at = strchr(name, '/'); at != NULL; at = strchr(at + 1, '/')) {
		struct bytes part = { name, (size_t)(at - name) };
		const char *parent = arena_dup(c->arena, part);
		const char *path = joined(c, base, parent);

		if (part.len == 0 || r->o->no_implied_dirs || cmd_stat(c, path, &st) < 0)
			continue;
		add(r, parent, path, &st)->implied = true;
	}
}

/* A source: where it is, and its name in the destination. */
static void read_source(struct reader *r, const char *path, const char *base, const char *name)
{
	struct cmd *c = r->c;
	struct vfs_stat st;
	int err = stat_source(r, path, &st);

	if (err == -E_NOENT && r->o->ignore_missing)
		return;
	if (err < 0) {
		rsync_failed(c, "sender", "link_stat", path, err);
		r->out->failed = true;
		return;
	}
	bool dir = (st.mode & S_FMT) == S_DIR;

	if (strcmp(name, ".") != 0 &&
	    filters_exclude(r->o->filters, bytes_of(name), dir, SIDE_SENDER))
		return;
	if (r->o->relative)
		add_parents(r, base, name);
	if (!dir) {
		add(r, name, path, &st);
	} else if (r->o->recursive) {
		read_tree(r, path, name);
	} else if (r->o->dirs && strcmp(name, ".") == 0 && r->out->root == NULL) {
		read_tree(r, path, name);
	} else if (r->o->dirs) {
		add(r, name, path, &st);
	} else {
		cmd_printf(c, "skipping directory %s\n", name);
	}
}

static char *without_slashes(struct cmd *c, const char *path)
{
	struct bytes p = bytes_of(path);

	while (p.len > 1 && p.ptr[p.len - 1] == '/')
		p.len--;
	return arena_dup(c->arena, p);
}

/* -R: the whole path is the name, or what is behind "/./". */
static void read_relative(struct reader *r, const char *source)
{
	struct cmd *c = r->c;
	const char *cut = strstr(source, "/./");
	struct bytes head = { source, cut != NULL ? (size_t)(cut - source) : 0 };
	const char *top = source[0] == '/' ? "/" : ".";
	const char *base = cut != NULL ? arena_dup(c->arena, head) : top;
	const char *name = cut != NULL ? cut + 3 : source;

	while (*name == '/')
		name++;
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	read_source(r, without_slashes(c, source), base,
		    *name != '\0' ? without_slashes(c, name) : ".");
}

static void read_plain(struct reader *r, const char *source)
{
	struct cmd *c = r->c;
	struct bytes s = bytes_of(source);
	bool contents = bytes_ends(s, BYTES("/")) || strcmp(source, ".") == 0 ||
			strcmp(source, "..") == 0 || bytes_ends(s, BYTES("/.")) ||
			bytes_ends(s, BYTES("/.."));
	char *path = without_slashes(c, source);
	char *slash = strrchr(path, '/');
	struct vfs_stat st;

	if (contents && cmd_stat(c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR) {
		/* Followed if it is a symlink: the slash says so. */
		if (r->o->recursive || r->o->dirs)
			read_tree(r, path, ".");
		else
			cmd_puts(c, "skipping directory .\n");
		return;
	}
	read_source(r, contents ? source : path, ".",
		    slash != NULL && slash[1] != '\0' ? slash + 1 : path);
}

/* --files-from: each line is a path below the source. */
static void read_named(struct reader *r, const char *root)
{
	struct cmd *c = r->c;
	struct input in;
	struct bytes line;
	int err = input_open(&in, c, r->o->files_from);

	if (err < 0) {
		rsync_failed(c, "client", "failed to open files-from file", r->o->files_from, err);
		cmd_exit(c, RSYNC_IO);
	}
	while (input_line(&in, r->o->from0 ? '\0' : '\n', &line) > 0) {
		const char *name = arena_dup(c->arena, line);

		if (line.len == 0 || (!r->o->from0 && strchr("#;", line.ptr[0]) != NULL))
			continue;
		while (*name == '/')
			name++;
		name = without_slashes(c, name);
		read_source(r, joined(c, root, name), root, *name != '\0' ? name : ".");
	}
	input_close(&in);
}

/* Sorted, and each name once: a directory that any source lists is listed. */
static void finish(struct reader *r)
{
	struct list *l = r->out;
	struct entry **all = (void *)r->entry.ptr;
	size_t n = r->entry.len / sizeof *all;

	for (size_t i = 0; i < n; i++)
		if (!is_dir(all[i]))
			l->size += all[i]->st.size;
	list_sort(r->c, (void **)all, n, entry_order);
	l->entry = all;
	l->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct entry *last = l->n > 0 ? all[l->n - 1] : NULL;

		if (last != NULL && entry_order(last, all[i]) == 0) {
			last->listed |= all[i]->listed;
			last->implied &= all[i]->implied;
			continue;
		}
		all[l->n++] = all[i];
	}
}

/* -m: directories in which no file is are dropped. */
static void prune(struct list *l)
{
	size_t kept = l->n;

	for (size_t i = l->n; i-- > 0;) {
		struct entry *e = l->entry[i];
		size_t len = strlen(e->name);
		const struct entry *next = kept < l->n ? l->entry[kept] : NULL;
		bool top = strcmp(e->name, ".") == 0;
		bool used = next != NULL && strncmp(next->name, e->name, len) == 0 &&
			    next->name[len] == '/';

		if (!is_dir(e) || top || used)
			l->entry[--kept] = e;
	}
	memmove(l->entry, l->entry + kept, (l->n - kept) * sizeof(struct entry *));
	l->n -= kept;
}

void list_read(struct cmd *c, struct rsync_opts *o, char *const *source, size_t n, struct list *out)
{
	struct reader r = { .c = c, .o = o, .entry = buf_in(c->arena), .out = out };

	*out = (struct list){ .n = 0 };
	if (o->files_from != NULL) {
		out->root = without_slashes(c, source[0]);
		read_named(&r, out->root);
	}
	for (size_t i = 0; i < n && o->files_from == NULL; i++) {
		if (o->relative)
			read_relative(&r, source[i]);
		else
			read_plain(&r, source[i]);
	}
	finish(&r);
	if (o->prune_empty)
		prune(out);
}
