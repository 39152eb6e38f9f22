/* SPDX-License-Identifier: MIT
 *
 * git fast-export: a history as a stream of commands. Not here: --anonymize.
 */
#include "builtins/git/transport.h"

enum on_signed { SIGNED_ABORT, SIGNED_VERBATIM, SIGNED_WARN, SIGNED_WARN_STRIP, SIGNED_STRIP };
enum on_filtered { FILTERED_ABORT, FILTERED_DROP, FILTERED_REWRITE };
enum on_encoding { ENCODING_ABORT, ENCODING_YES, ENCODING_NO };

struct export_opts {
	int progress;
	enum on_signed signed_tags;
	enum on_filtered filtered;
	enum on_encoding encoding;
	const char *marks_out, *marks_in, *marks_in_maybe;
	bool fake_tagger, full_tree, done_feature, no_data, outside, originals, mark_tags;
	struct names refspecs;
	struct revs *revs;
};

/* A reference, or a tag on the way to what it stands for. */
struct export_ref {
	const char *name;
	struct oid oid;
	bool is_tag;
	struct commit *commit;
	bool gone; /* a commit was written under its name */
};

struct marked {
	struct oid oid;
	uint32_t number;
	bool is_commit;
};

struct exporting {
	struct git *g;
	const struct export_opts *o;
	struct revs *r;
	struct refspecs specs;
	struct lookup *mark_of;
	struct marked *marked;
	size_t nmarked, marked_cap;
	uint32_t last;
	struct export_ref *refs, *tags;
	size_t nrefs, refs_cap, ntags, tags_cap;
	size_t counted; /* for --progress */
};

static const char *const export_usage[] = { "git fast-export [<rev-list-opts>]", NULL };

/* --- options --- */

static int word_of(struct git *g, const char *arg, const char *const *words, const char *what)
{
	for (int i = 0; words[i] != NULL; i++)
		if (strcmp(arg, words[i]) == 0)
			return i;
	return git_error(g, "Unknown %s mode: %s", what, arg) - 2;
}

static int set_signed(struct git *g, void *opts, const char *arg, bool unset)
{
	static const char *const words[] = { "abort",      "verbatim", "warn",
					     "warn-strip", "strip",    NULL };
	int v = unset                        ? 0
		: strcmp(arg, "ignore") == 0 ? SIGNED_VERBATIM
					     : word_of(g, arg, words, "signed-tags");

	((struct export_opts *)opts)->signed_tags = (enum on_signed)v;
	return v < 0 ? GIT_STATUS_USAGE : 0;
}

static int set_filtered(struct git *g, void *opts, const char *arg, bool unset)
{
	static const char *const words[] = { "abort", "drop", "rewrite", NULL };
	int v = unset ? 0 : word_of(g, arg, words, "tag-of-filtered");

	((struct export_opts *)opts)->filtered = (enum on_filtered)v;
	return v < 0 ? GIT_STATUS_USAGE : 0;
}

static int set_encoding(struct git *g, void *opts, const char *arg, bool unset)
{
	int truth = unset ? -1 : config_truth(arg);

	((struct export_opts *)opts)->encoding = truth > 0    ? ENCODING_YES
						 : truth == 0 ? ENCODING_NO
							      : ENCODING_ABORT;
	if (unset || truth >= 0 || strcmp(arg, "abort") == 0)
		return 0;
	git_error(g, "Unknown reencoding mode: %s", arg);
	return GIT_STATUS_USAGE;
}

static const struct git_option export_options[] = {
	GIT_INT(0, "progress", struct export_opts, progress),
	GIT_CALL_ARG(0, "signed-tags", set_signed),
	GIT_CALL_ARG(0, "tag-of-filtered-object", set_filtered),
	GIT_CALL_ARG(0, "reencode", set_encoding),
	GIT_STR(0, "export-marks", struct export_opts, marks_out),
	GIT_STR(0, "import-marks", struct export_opts, marks_in),
	GIT_STR(0, "import-marks-if-exists", struct export_opts, marks_in_maybe),
	GIT_FLAG(0, "fake-missing-tagger", struct export_opts, fake_tagger),
	GIT_FLAG(0, "full-tree", struct export_opts, full_tree),
	GIT_FLAG(0, "use-done-feature", struct export_opts, done_feature),
	GIT_FLAG(0, "no-data", struct export_opts, no_data),
	GIT_LIST(0, "refspec", struct export_opts, refspecs),
	GIT_MISSING(0, "anonymize"),
	GIT_MISSING_ARG(0, "anonymize-map"),
	GIT_FLAG(0, "reference-excluded-parents", struct export_opts, outside),
	GIT_FLAG(0, "show-original-ids", struct export_opts, originals),
	GIT_FLAG(0, "mark-tags", struct export_opts, mark_tags),
	GIT_END(),
};

static int other_option(struct git *g, void *opts, int argc, char **argv)
{
	struct export_opts *o = opts;
	int taken = strcmp(argv[0], "--no-data") == 0 ? 0 : revs_option(g, o->revs, argc, argv);

	if (taken == 0 && strcmp(argv[0], "--no-data") != 0)
		taken = diff_option(g, &o->revs->diff, argc, argv);
	return taken;
}

/* --- marks --- */

static uint32_t mark_of(const struct exporting *x, const struct oid *o)
{
	return (uint32_t)(uintptr_t)lookup_get(x->mark_of, oid_key(o));
}

static void set_mark(struct exporting *x, const struct oid *o, uint32_t number, bool is_commit)
{
	struct git *g = x->g;
	struct oid *key = arena_alloc(g->keep, sizeof(*key));

	*key = *o;
	LIST_ROOM(g, x->marked, x->nmarked, x->marked_cap);
	x->marked[x->nmarked++] = (struct marked){ *o, number, is_commit };
	*lookup_at(x->mark_of, oid_key(key)) = (void *)(uintptr_t)number;
}

static uint32_t next_mark(struct exporting *x, const struct oid *o, bool is_commit)
{
	set_mark(x, o, ++x->last, is_commit);
	return x->last;
}

static void read_marks(struct exporting *x, const char *path, bool may_miss)
{
	struct git *g = x->g;
	struct bytes text, line;
	int err = file_read(g, g->keep, path_join(g->a, g->start, path), &text);

	if (err == -E_NOENT && may_miss)
		return;
	if (err < 0)
		git_die_errno(g, err, "could not open '%s' for reading", path);
	while (git_line(&text, &line)) {
		uint64_t number, size;
		struct oid o;
		enum object_type type;
		const char *space = memchr(line.ptr, ' ', line.len);
		char *digits = arena_dup(
			g->a, bytes_slice(line, line.len != 0,
					  space != NULL ? (size_t)(space - line.ptr) : line.len));

		cmd_charge(g->c, 4);
		if (line.len < 2 || line.ptr[0] != ':' || space == NULL ||
		    !num_plain(digits, &number) || number == 0 || number > UINT32_MAX ||
		    !oid_parse_bytes(bytes_slice(line, (size_t)(space + 1 - line.ptr), line.len),
				     &o))
			git_die(g, "corrupt mark line: %.*s", (int)line.len, line.ptr);
		if (number > x->last)
			x->last = (uint32_t)number;
		type = object_info(g, &o, &size);
		if (type == OBJECT_NONE)
			git_die(g, "object not found: %s", oid_hex(g, &o));
		if (type != OBJECT_COMMIT)
			continue;
		if (mark_of(x, &o) != 0)
			git_error(g, "Object %s already has a mark", oid_hex(g, &o));
		set_mark(x, &o, (uint32_t)number, true);
		commit_at(g, &o)->flags |= COMMIT_SHOWN;
	}
}

/* The marks stand in the order of a table by the first bytes of names, as the real one has it. */
static size_t place(struct marked *table, size_t size, const struct marked *m)
{
	const uint8_t *h = m->oid.hash;
	size_t at = ((uint32_t)h[0] | (uint32_t)h[1] << 8 | (uint32_t)h[2] << 16 |
		     (uint32_t)h[3] << 24) %
		    size;

	while (table[at].number != 0 && !oid_eq(&table[at].oid, &m->oid))
		at = at + 1 < size ? at + 1 : 0;
	table[at] = *m;
	return at;
}

static void write_marks(struct exporting *x, const char *path)
{
	struct git *g = x->g;
	struct marked *table = NULL;
	size_t size = 0, used = 0;
	struct buf b = buf_in(g->a);
	int err;

	for (size_t i = 0; i < x->nmarked; i++) {
		if (used > size * 2 / 3 || size == 0) {
			size_t bigger = (size + 1000) * 3 / 2;
			struct marked *next = arena_array(g->a, bigger, sizeof(*next));

			for (size_t k = 0; k < size; k++)
				if (table[k].number != 0)
					place(next, bigger, &table[k]);
			cmd_charge(g->c, bigger / 8);
			table = next;
			size = bigger;
		}
		place(table, size, &x->marked[i]);
		used++;
		cmd_charge(g->c, 1);
	}
	for (size_t k = 0; k < size; k++)
		if (table[k].number != 0 && table[k].is_commit)
			buf_printf(&b, ":%u %s\n", table[k].number, oid_hex(g, &table[k].oid));
	err = file_write(g, path_join(g->a, g->start, path), buf_bytes(&b), 0666);
	if (err < 0)
		git_error(g, "Unable to open marks file %s for writing: %s", path, err_text(err));
}

static void count_progress(struct exporting *x)
{
	if (x->o->progress > 0 && ++x->counted % (size_t)x->o->progress == 0)
		git_printf(x->g, "progress %zu objects\n", x->counted);
}

/* --- blobs and files --- */

static void put_original(struct exporting *x, const struct oid *o)
{
	if (x->o->originals)
		git_printf(x->g, "original-oid %s\n", oid_hex(x->g, o));
}

static void export_blob(struct exporting *x, const struct oid *o)
{
	struct git *g = x->g;
	struct arena a;
	struct bytes data;

	if (x->o->no_data || oid_is_null(o) || mark_of(x, o) != 0)
		return;
	arena_init_under(&a, g->a);
	data = object_need(g, &a, o, OBJECT_BLOB);
	git_printf(g, "blob\nmark :%u\n", next_mark(x, o, false));
	put_original(x, o);
	git_printf(g, "data %zu\n", data.len);
	cmd_bytes(g->c, data);
	cmd_putc(g->c, '\n');
	cmd_charge_bytes(g->c, data.len);
	count_progress(x);
	arena_clear(&a);
}

static void put_path(struct git *g, const char *path)
{
	const char *quoted = git_quoted(g, path);

	if (strcmp(quoted, path) == 0 && strchr(path, ' ') != NULL)
		git_printf(g, "\"%s\"", path);
	else
		cmd_puts(g->c, quoted);
}

static int deep_first(const void *a, const void *b)
{
	const struct diff_pair *x = a, *y = b;
	const char *xp = x->one->mode != 0 ? x->one->path : x->two->path;
	const char *yp = y->one->mode != 0 ? y->one->path : y->two->path;
	size_t xn = strlen(xp), yn = strlen(yp), n = xn < yn ? xn : yn;
	int cmp = memcmp(xp, yp, n);

	if (cmp != 0)
		return cmp;
	if (xn != yn)
		return xn > yn ? -1 : 1;
	return (x->status == 'R') - (y->status == 'R');
}

static void put_modified(struct exporting *x, const struct diff_file *f)
{
	struct git *g = x->g;

	git_printf(g, "M %06o ", (unsigned)f->mode);
	if (x->o->no_data || (f->mode & S_FMT) == 0160000)
		git_printf(g, "%s ", oid_hex(g, &f->oid));
	else
		git_printf(g, ":%u ", mark_of(x, &f->oid));
	put_path(g, f->path);
	cmd_putc(g->c, '\n');
}

/* What was changed by a copy or rename before can't be its source once more. */
static void put_moved(struct exporting *x, const struct diff_pair *p, struct lookup *changed)
{
	struct git *g = x->g;

	if (lookup_get(changed, bytes_of(p->one->path)) != NULL) {
		put_modified(x, p->two);
		return;
	}
	git_printf(g, "%c ", p->status);
	put_path(g, p->one->path);
	cmd_putc(g->c, ' ');
	put_path(g, p->two->path);
	cmd_putc(g->c, '\n');
	if (!oid_eq(&p->one->oid, &p->two->oid) || p->one->mode != p->two->mode)
		put_modified(x, p->two);
}

static void put_changes(struct exporting *x, struct diff_queue *q)
{
	struct git *g = x->g;
	struct lookup *changed = lookup_new(g);

	git_sort(g, q->at, q->n, sizeof(*q->at), deep_first);
	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];

		cmd_charge(g->c, 2);
		if (p->status == 'D') {
			git_printf(g, "D ");
			put_path(g, p->one->path);
			cmd_putc(g->c, '\n');
			*lookup_at(changed, bytes_of(p->one->path)) = changed;
			continue;
		}
		if (p->status == 'C' || p->status == 'R')
			put_moved(x, p, changed);
		else
			put_modified(x, p->two);
		*lookup_at(changed, bytes_of(p->two->path)) = changed;
	}
}

/* --- commits --- */

static struct bytes header_line(struct git *g, struct bytes header, const char *key,
				const struct commit *c)
{
	struct bytes rest = header, line;

	while (git_line(&rest, &line))
		if (bytes_starts(line, bytes_of(key)))
			return line;
	git_die(g, "could not find %.*s in commit %s", (int)strlen(key) - 1, key,
		oid_hex(g, &c->oid));
}

/* As far as its first NUL. */
static struct bytes as_text(struct bytes s)
{
	const char *nul = s.len != 0 ? memchr(s.ptr, '\0', s.len) : NULL;

	return nul != NULL ? bytes_slice(s, 0, (size_t)(nul - s.ptr)) : s;
}

static void put_parents(struct exporting *x, const struct commit *c)
{
	const char *word = "from";

	for (uint32_t i = 0; i < c->nparents; i++) {
		const struct oid *o = &c->parent[i]->oid;
		uint32_t mark = mark_of(x, o);

		if (mark == 0 && !x->o->outside)
			continue;
		if (mark != 0)
			git_printf(x->g, "%s :%u\n", word, mark);
		else
			git_printf(x->g, "%s %s\n", word, oid_hex(x->g, o));
		word = "merge";
	}
}

static void find_changes(struct exporting *x, struct commit *c, struct diff_queue *q)
{
	struct git *g = x->g;
	struct diff_opts *o = &x->r->diff;
	const struct oid *before = NULL;

	if (c->nparents > 0 && (mark_of(x, &c->parent[0]->oid) != 0 || x->o->outside) &&
	    !x->o->full_tree) {
		commit_need(g, c->parent[0]);
		before = &c->parent[0]->tree;
	}
	diff_trees(g, o, before, &c->tree, q);
	diff_finish(g, o, q);
	for (size_t i = 0; i < q->n; i++)
		if (q->at[i].two->mode != 0 && (q->at[i].two->mode & S_FMT) != 0160000)
			export_blob(x, &q->at[i].two->oid);
}

static void drop_ref(struct exporting *x, const char *name)
{
	size_t lo = 0, hi = x->nrefs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int got = strcmp(name, x->refs[mid].name);

		if (got == 0) {
			x->refs[mid].gone = true;
			return;
		}
		if (got > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
}

static void export_commit(struct exporting *x, struct commit *c)
{
	struct git *g = x->g;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct commit_text t;
	struct bytes message, author, committer;
	const char *name = revs_source(x->r, c);
	bool recoded = false;

	commit_text(g, g->a, &c->oid, &t);
	author = header_line(g, t.header, "author ", c);
	committer = header_line(g, t.header, "committer ", c);
	find_changes(x, c, &q);
	drop_ref(x, name);
	message = as_text(t.message);
	next_mark(x, &c->oid, true);
	if (t.encoding.ptr != NULL && x->o->encoding == ENCODING_ABORT)
		git_die(g,
			"Encountered commit-specific encoding %.*s in commit %s; use "
			"--reencode=[yes|no] to handle it",
			(int)t.encoding.len, t.encoding.ptr, oid_hex(g, &c->oid));
	if (t.encoding.ptr != NULL && x->o->encoding == ENCODING_YES)
		recoded = text_recode(g, g->a, arena_dup(g->a, t.encoding), "UTF-8", message,
				      &message);
	if (c->nparents == 0)
		git_printf(g, "reset %s\n", name);
	git_printf(g, "commit %s\nmark :%u\n", name, x->last);
	put_original(x, &c->oid);
	git_printf(g, "%.*s\n%.*s\n", (int)author.len, author.ptr, (int)committer.len,
		   committer.ptr);
	if (t.encoding.ptr != NULL && !recoded)
		git_printf(g, "encoding %.*s\n", (int)t.encoding.len, t.encoding.ptr);
	git_printf(g, "data %zu\n", message.len);
	cmd_bytes(g->c, message);
	put_parents(x, c);
	if (x->o->full_tree)
		git_printf(g, "deleteall\n");
	put_changes(x, &q);
	cmd_putc(g->c, '\n');
	count_progress(x);
}

/* --- tags and other references --- */

/* The nearest commit above that is exported; NULL: there is none. */
static struct commit *nearest(struct exporting *x, struct commit *c)
{
	for (;;) {
		cmd_charge(x->g->c, 1);
		commit_need(x->g, c);
		if (c->nparents > 1 || (c->flags & COMMIT_UNINTERESTING) ||
		    !(c->flags & COMMIT_SAME))
			return c;
		if (c->nparents == 0)
			return NULL;
		c = c->parent[0];
	}
}

static void put_reset(struct git *g, const char *name, const struct oid *o)
{
	git_printf(g, "reset %s\nfrom %s\n\n", name, oid_hex(g, o));
}

static void export_ref(struct exporting *x, const struct export_ref *ref)
{
	struct git *g = x->g;
	struct commit *c = nearest(x, ref->commit);
	uint32_t mark = c != NULL ? mark_of(x, &c->oid) : 0;

	if (c == NULL || (mark == 0 && !x->o->outside)) {
		put_reset(g, ref->name, &oid_null);
	} else if (mark == 0) {
		put_reset(g, ref->name, &c->oid);
	} else {
		git_printf(g, "reset %s\nfrom :%u\n\n", ref->name, mark);
		count_progress(x);
	}
}

/* The part of a tag's message that is exported. */
static struct bytes signed_part(struct exporting *x, const struct oid *o, struct bytes message)
{
	struct git *g = x->g;
	const char *at = bytes_find(message, BYTES("\n-----BEGIN PGP SIGNATURE-----\n"));

	if (at == NULL)
		return message;
	switch (x->o->signed_tags) {
	case SIGNED_ABORT:
		git_die(g, "encountered signed tag %s; use --signed-tags=<mode> to handle it",
			oid_hex(g, o));
	case SIGNED_WARN: git_warn(g, "exporting signed tag %s", oid_hex(g, o)); break;
	case SIGNED_WARN_STRIP:
		git_warn(g, "stripping signature from tag %s", oid_hex(g, o));
		/* fall through */
	case SIGNED_STRIP: return bytes_slice(message, 0, (size_t)(at + 1 - message.ptr));
	default: break;
	}
	return message;
}

/* What the tag hangs on: its mark in *mark (0: its name must do). False: nothing is written. */
static bool tagged_mark(struct exporting *x, const struct export_ref *tag, struct oid *on,
			enum object_type type, uint32_t *mark)
{
	struct git *g = x->g;
	struct commit *c;

	*mark = mark_of(x, on);
	if (*mark != 0)
		return true;
	if (x->o->filtered == FILTERED_ABORT)
		git_die(g,
			"tag %s tags unexported object; use --tag-of-filtered-object=<mode> to "
			"handle it",
			oid_hex(g, &tag->oid));
	if (x->o->filtered == FILTERED_DROP)
		return false;
	if (type == OBJECT_TAG && !x->o->mark_tags)
		git_die(g, "Error: Cannot export nested tags unless --mark-tags is specified.");
	if (type != OBJECT_COMMIT)
		return true;
	c = nearest(x, commit_at(g, on));
	if (c == NULL) {
		put_reset(g, tag->name, &oid_null);
		return false;
	}
	*mark = mark_of(x, &c->oid);
	return true;
}

static void export_tag(struct exporting *x, const struct export_ref *tag)
{
	struct git *g = x->g;
	struct bytes text = object_need(g, g->a, &tag->oid, OBJECT_TAG), message;
	struct commit_text t;
	struct oid on, end;
	enum object_type type;
	const char *name = tag->name;
	uint64_t size;
	uint32_t mark;

	commit_split(text, &t);
	if (!oid_parse_bytes(t.object, &on))
		return;
	type = object_info(g, &on, &size);
	if (object_peel(g, &on, OBJECT_NONE, &end) && object_info(g, &end, &size) == OBJECT_TREE) {
		git_warn(g,
			 "Omitting tag %s,\nsince tags of trees (or tags of tags of trees, etc.) "
			 "are not supported.",
			 oid_hex(g, &tag->oid));
		return;
	}
	message = signed_part(x, &tag->oid, as_text(t.message));
	if (!tagged_mark(x, tag, &on, type, &mark))
		return;
	if (type == OBJECT_TAG)
		put_reset(g, name, &oid_null);
	if (git_starts(name, "refs/tags/"))
		name += 10;
	git_printf(g, "tag %s\n", name);
	if (x->o->mark_tags)
		git_printf(g, "mark :%u\n", next_mark(x, &tag->oid, false));
	if (mark != 0)
		git_printf(g, "from :%u\n", mark);
	else
		git_printf(g, "from %s\n", oid_hex(g, &on));
	put_original(x, &tag->oid);
	if (t.tagger.ptr != NULL)
		git_printf(g, "tagger %.*s\n", (int)t.tagger.len, t.tagger.ptr);
	else if (x->o->fake_tagger)
		git_printf(g, "tagger Unspecified Tagger <unspecified-tagger> 0 +0000\n");
	git_printf(g, "data %zu\n", message.len);
	cmd_bytes(g->c, message);
	cmd_putc(g->c, '\n');
}

static void export_all_refs(struct exporting *x, const struct export_ref *list, size_t n)
{
	for (size_t i = n; i > 0; i--) {
		struct arena_mark mark = arena_mark(x->g->a);

		cmd_charge(x->g->c, 4);
		if (list[i - 1].is_tag)
			export_tag(x, &list[i - 1]);
		else if (!list[i - 1].gone)
			export_ref(x, &list[i - 1]);
		arena_release(x->g->a, mark);
	}
}

/* --- what was asked for --- */

/* A name on the command line as a reference and its object; NULL: it is none, or several. */
static const char *full_name(struct exporting *x, const char *name, struct oid *o)
{
	bool several = false;
	char *full = ref_expand(x->g, name, o, &several);
	const char *other;

	if (full == NULL || several)
		return NULL;
	if (strcmp(full, "HEAD") == 0) {
		char *head = head_ref(x->g);

		full = head != NULL ? head : full;
	}
	other = refspecs_map(x->g, &x->specs, full, NULL);
	return arena_dup(x->g->keep, bytes_of(other != NULL ? other : full));
}

static void add_ref(struct exporting *x, const char *name, struct commit *c)
{
	struct git *g = x->g;

	LIST_ROOM(g, x->refs, x->nrefs, x->refs_cap);
	x->refs[x->nrefs++] = (struct export_ref){ .name = name, .commit = c };
}

/* The commit that a name stands for, tags on the way noted; NULL: there is none. */
static struct commit *take_tags(struct exporting *x, const char *given, struct oid o,
				const char *name)
{
	struct git *g = x->g;

	for (bool tagged = false;; tagged = true) {
		uint64_t size;
		enum object_type type = object_info(g, &o, &size);
		struct commit_text t;

		cmd_charge(g->c, 4);
		if (type == OBJECT_COMMIT)
			return commit_at(g, &o);
		if (type != OBJECT_TAG) {
			if (type == OBJECT_BLOB && tagged)
				export_blob(x, &o);
			else if (tagged)
				git_warn(g, "Tag points to object of unexpected type %s, skipping.",
					 object_type_name(type));
			else
				git_warn(g, "%s: Unexpected object of type %s, skipping.", given,
					 object_type_name(type));
			return NULL;
		}
		LIST_ROOM(g, x->tags, x->ntags, x->tags_cap);
		x->tags[x->ntags++] = (struct export_ref){ .name = name, .oid = o, .is_tag = true };
		commit_split(object_need(g, g->a, &o, OBJECT_TAG), &t);
		if (!oid_parse_bytes(t.object, &o))
			return NULL;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct export_ref *)a)->name, ((const struct export_ref *)b)->name);
}

static void take_items(struct exporting *x)
{
	struct revs *r = x->r;
	size_t kept = 0;

	r->sources = lookup_new(x->g);
	for (size_t i = 0; i < r->nitems; i++) {
		const struct revs_item *it = &r->item[i];
		struct oid o;
		const char *name = it->uninteresting ? NULL : full_name(x, it->name, &o);
		struct commit *c = name != NULL ? take_tags(x, it->name, o, name) : NULL;
		void **at;

		cmd_charge(x->g->c, 4);
		if (c == NULL)
			continue;
		at = lookup_at(r->sources, oid_key(&c->oid));
		/* It is set at the end, unless a commit is written under its name. */
		if (oid_eq(&o, &c->oid))
			add_ref(x, name, c);
		if (*at == NULL)
			*at = (void *)(uintptr_t)name;
	}
	git_sort(x->g, x->refs, x->nrefs, sizeof(*x->refs), by_name);
	for (size_t i = 0; i < x->nrefs; i++)
		if (kept == 0 || strcmp(x->refs[kept - 1].name, x->refs[i].name) != 0)
			x->refs[kept++] = x->refs[i];
	x->nrefs = kept;
}

static void delete_refs(struct exporting *x)
{
	for (size_t i = 0; i < x->specs.n; i++)
		if (x->specs.at[i].src[0] == '\0' && x->specs.at[i].dst != NULL)
			put_reset(x->g, x->specs.at[i].dst, &oid_null);
}

static void export_everything(struct exporting *x)
{
	struct git *g = x->g;
	struct commit *c;

	if (x->o->done_feature)
		git_printf(g, "feature done\n");
	take_items(x);
	while ((c = revs_next(x->r)) != NULL) {
		struct arena_mark mark = arena_mark(g->a);

		export_commit(x, c);
		arena_release(g->a, mark);
	}
	export_all_refs(x, x->refs, x->nrefs);
	export_all_refs(x, x->tags, x->ntags);
	delete_refs(x);
}

/* What stands among the revisions. */
static bool is_ref_option(const char *arg)
{
	static const char *const names[] = { "--all",     "--branches", "--tags",
					     "--remotes", "--glob=",    "--exclude=" };

	for (int i = 0; i < 6; i++)
		if (git_starts(arg, names[i]))
			return true;
	return strcmp(arg, "--not") == 0 || strcmp(arg, "--") == 0;
}

int git_cmd_fast_export(struct git *g, struct args *args)
{
	struct revs r;
	struct export_opts o = { .revs = &r };
	const struct git_parser p = { export_options, &o, export_usage, GIT_KEEP_UNKNOWN,
				      other_option };
	struct exporting x = { .g = g, .o = &o, .r = &r };
	uint32_t imported;

	if (args->argc == 0)
		git_usage(g, export_usage);
	revs_init(g, &r);
	git_parse(g, args, &p);
	for (int i = 0; i < args->argc; i++)
		if (args->argv[i][0] == '-' && !is_ref_option(args->argv[i]))
			git_usage(g, export_usage);
	r.order = ORDER_TOPO;
	r.reverse = true;
	r.rewrite = true;
	revs_operands(g, &r, args);
	for (size_t i = 0; i < o.refspecs.n; i++)
		refspec_add(g, &x.specs, o.refspecs.at[i], false);
	x.mark_of = lookup_new(g);
	if (o.marks_in != NULL && o.marks_in_maybe != NULL)
		git_die(g, "options '%s' and '%s' cannot be used together", "--import-marks",
			"--import-marks-if-exists");
	if (o.marks_in != NULL)
		read_marks(&x, o.marks_in, false);
	else if (o.marks_in_maybe != NULL)
		read_marks(&x, o.marks_in_maybe, true);
	imported = x.last;
	if ((o.marks_in != NULL || o.marks_in_maybe != NULL) && r.paths.n != 0)
		o.full_tree = true;
	if (r.diff.renames < 0)
		r.diff.renames = 0;
	diff_settle(g, &r.diff);
	export_everything(&x);
	if (o.marks_out != NULL && imported != x.last)
		write_marks(&x, o.marks_out);
	if (o.done_feature)
		git_printf(g, "done\n");
	return 0;
}
