/* SPDX-License-Identifier: MIT
 *
 * Recorded resolutions: conflicts found in files, named, kept, replayed.
 */
#include "base/digest.h"
#include "builtins/git/rerere.h"

enum { MARKER = 7, NEST_MAX = 64, VARIANT_MAX = 10000 };

bool rerere_is_on(struct git *g)
{
	char *dir = repo_path(g, g->a, "rr-cache");
	bool there = file_is_dir(g, dir);

	if (!config_bool(g, "rerere.enabled", there))
		return false;
	if (!there)
		file_make_dirs(g, dir);
	return true;
}

/* --- MERGE_RR --- */

struct rerere_item *rerere_find(struct rerere *r, const char *path)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->at[i].path, path) == 0)
			return &r->at[i];
	return NULL;
}

struct rerere_item *rerere_add(struct rerere *r, const char *path)
{
	struct git *g = r->g;
	struct rerere_item *it = rerere_find(r, path);
	size_t at = r->n;

	cmd_charge(g->c, 1);
	git_charge_search(g, 2 * r->n, path);
	if (it != NULL)
		return it;
	LIST_ROOM(g, r->at, r->n, r->cap);
	for (; at > 0 && strcmp(r->at[at - 1].path, path) > 0; at--)
		r->at[at] = r->at[at - 1];
	r->n++;
	r->at[at] = (struct rerere_item){ .path = arena_dup(g->keep, bytes_of(path)),
					  .variant = -1 };
	return &r->at[at];
}

static bool parse_item(struct rerere *r, struct bytes one)
{
	const char *tab = memchr(one.ptr, '\t', one.len);
	struct rerere_item *it;
	struct oid id;
	int64_t variant = 0;
	size_t head;

	if (tab == NULL || !oid_parse_bytes(one, &id))
		return false;
	head = (size_t)(tab - one.ptr);
	if (head != OID_HEX &&
	    (one.ptr[OID_HEX] != '.' ||
	     !git_number(arena_dup(r->g->a, bytes_slice(one, OID_HEX + 1, head)), &variant) ||
	     variant < 0 || variant > VARIANT_MAX))
		return false;
	it = rerere_add(r, arena_dup(r->g->a, bytes_slice(one, head + 1, one.len)));
	it->id = id;
	it->variant = (int)variant;
	return true;
}

void rerere_read(struct git *g, struct rerere *r)
{
	struct bytes text;

	*r = (struct rerere){ .g = g };
	if (file_read(g, g->keep, repo_path(g, g->a, "MERGE_RR"), &text) < 0)
		return;
	while (text.len != 0) {
		const char *nul = memchr(text.ptr, '\0', text.len);
		size_t n = nul != NULL ? (size_t)(nul - text.ptr) : text.len;

		if (nul == NULL || !parse_item(r, bytes_slice(text, 0, n)))
			git_die(g, "corrupt MERGE_RR");
		text = bytes_slice(text, n + 1, text.len);
	}
}

void rerere_write(struct rerere *r)
{
	struct git *g = r->g;
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < r->n; i++) {
		const struct rerere_item *it = &r->at[i];

		if (it->done)
			continue;
		oid_put(&b, &it->id);
		if (it->variant > 0)
			buf_printf(&b, ".%d", it->variant);
		buf_printf(&b, "\t%s", it->path);
		buf_putc(&b, '\0');
	}
	file_write_locked(g, repo_path(g, g->a, "MERGE_RR"), buf_bytes(&b));
}

/* --- rr-cache --- */

char *rerere_path(struct git *g, const struct rerere_item *it, const char *name)
{
	char *dir = repo_path(g, g->a, git_format(g->a, "rr-cache/%s", oid_hex(g, &it->id)));

	if (name == NULL)
		return dir;
	if (it->variant > 0 && strcmp(name, "thisimage") != 0)
		return git_format(g->a, "%s/%s.%d", dir, name, it->variant);
	return git_format(g->a, "%s/%s", dir, name);
}

static bool has(struct git *g, const struct rerere_item *it, const char *name)
{
	return file_exists(g, rerere_path(g, it, name));
}

bool rerere_has_resolution(struct git *g, const struct rerere_item *it)
{
	return it->variant >= 0 && has(g, it, "preimage") && has(g, it, "postimage");
}

int rerere_variants(struct git *g, const struct rerere_item *it)
{
	struct rerere_item probe = *it;
	int n = 0;

	for (probe.variant = 0; probe.variant < VARIANT_MAX; probe.variant++)
		if (has(g, &probe, "preimage") || has(g, &probe, "postimage"))
			n = probe.variant + 1;
		else if (probe.variant > n + 8)
			break;
	return n;
}

static void remove_images(struct git *g, const struct rerere_item *it)
{
	cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, "thisimage"), 0);
	cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, "preimage"), 0);
	cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, "postimage"), 0);
	cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, NULL), CMD_REMOVEDIR);
}

void rerere_clear(struct git *g)
{
	struct rerere r;

	if (!rerere_is_on(g))
		return;
	rerere_read(g, &r);
	for (size_t i = 0; i < r.n; i++)
		if (!rerere_has_resolution(g, &r.at[i]))
			remove_images(g, &r.at[i]);
	cmd_unlink(g->c, CMD_CWD, repo_path(g, g->a, "MERGE_RR"), 0);
}

/* --- conflicts in a text --- */

int rerere_marker_size(struct git *g, const char *path)
{
	const char *v = attr_get(g, path, "conflict-marker-size");
	int64_t n;

	return v != NULL && git_number(v, &n) && n > 0 && n < 1000 ? (int)n : MARKER;
}

static bool is_marker(struct bytes line, char mark, int size)
{
	size_t n = (size_t)size;

	if (line.len <= n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (line.ptr[i] != mark)
			return false;
	if (mark == '<' || mark == '>')
		return line.ptr[n] == ' ';
	return byte_is_space((unsigned char)line.ptr[n]);
}

static void put_marker(struct buf *out, char mark, int size)
{
	buf_fill(out, mark, (size_t)size);
	buf_putc(out, '\n');
}

struct scan {
	struct git *g;
	struct bytes rest;
	int marker;
	struct digest *sum;
};

/* A line with its newline. */
static bool take_line(struct scan *s, struct bytes *line)
{
	const char *end = s->rest.len != 0 ? memchr(s->rest.ptr, '\n', s->rest.len) : NULL;
	size_t n = end != NULL ? (size_t)(end + 1 - s->rest.ptr) : s->rest.len;

	if (n == 0)
		return false;
	*line = bytes_slice(s->rest, 0, n);
	s->rest = bytes_slice(s->rest, n, s->rest.len);
	cmd_charge_bytes(s->g->c, n);
	return true;
}

static void put_conflict(struct scan *s, struct buf *one, struct buf *two, struct buf *out)
{
	if (bytes_cmp(buf_bytes(one), buf_bytes(two)) > 0) {
		struct buf swap = *one;

		*one = *two;
		*two = swap;
	}
	put_marker(out, '<', s->marker);
	buf_add(out, buf_bytes(one));
	put_marker(out, '=', s->marker);
	buf_add(out, buf_bytes(two));
	put_marker(out, '>', s->marker);
	if (s->sum != NULL) {
		/* Each with the NUL behind it. */
		digest_update(s->sum, (struct bytes){ buf_cstr(one), one->len + 1 });
		digest_update(s->sum, (struct bytes){ buf_cstr(two), two->len + 1 });
	}
}

/* From behind the first marker to the last one. False: it is broken. */
static bool take_conflict(struct scan *s, struct buf *out, int depth)
{
	struct buf side[2] = { buf_in(s->g->a), buf_in(s->g->a) };
	int part = 0; /* 0 ours, 1 base, 2 theirs */
	struct bytes line;

	if (depth > NEST_MAX)
		return false;
	while (take_line(s, &line)) {
		if (is_marker(line, '<', s->marker)) {
			struct buf inner = buf_in(s->g->a);
			struct scan below = *s;

			below.sum = NULL;
			if (!take_conflict(&below, &inner, depth + 1))
				return false;
			s->rest = below.rest;
			if (part != 1)
				buf_add(&side[part == 2], buf_bytes(&inner));
		} else if (is_marker(line, '|', s->marker)) {
			if (part != 0)
				return false;
			part = 1;
		} else if (is_marker(line, '=', s->marker)) {
			if (part == 2)
				return false;
			part = 2;
		} else if (is_marker(line, '>', s->marker)) {
			if (part != 2)
				return false;
			put_conflict(s, &side[0], &side[1], out);
			return true;
		} else if (part != 1) {
			buf_add(&side[part == 2], line);
		}
	}
	return false;
}

int rerere_conflicts(struct git *g, struct bytes text, int marker, struct buf *out, struct oid *id)
{
	struct digest sum;
	struct scan s = { .g = g, .rest = text, .marker = marker, .sum = &sum };
	struct buf unused = buf_in(g->a);
	uint8_t result[DIGEST_MAX];
	struct bytes line;
	int n = 0;

	digest_init(&sum, DIGEST_SHA1, 0);
	out = out != NULL ? out : &unused;
	while (take_line(&s, &line)) {
		if (!is_marker(line, '<', marker)) {
			buf_add(out, line);
			continue;
		}
		if (!take_conflict(&s, out, 0))
			return -1;
		n++;
	}
	digest_final(&sum, result);
	if (id != NULL)
		memcpy(id->hash, result, OID_BYTES);
	return n;
}

/* --- recording and replaying --- */

static int file_conflicts(struct git *g, const char *path, struct buf *out, struct oid *id)
{
	struct bytes text;
	int err = file_read(g, g->a, path, &text);
	int n;

	if (err < 0) {
		git_error(g, "could not open '%s': %s", path, err_text(err));
		return -1;
	}
	n = rerere_conflicts(g, text, rerere_marker_size(g, path), out, id);
	if (n < 0)
		git_error(g, "could not parse conflict hunks in '%s'", path);
	return n;
}

bool rerere_replay(struct git *g, const struct rerere_item *it, struct bytes text,
		   struct bytes *out)
{
	struct merge_text m = { .label = { "", "", "" }, .ours = text };

	if (file_read(g, g->a, rerere_path(g, it, "preimage"), &m.base) < 0 ||
	    file_read(g, g->a, rerere_path(g, it, "postimage"), &m.theirs) < 0)
		return false;
	merge_text(g, g->a, &m);
	*out = m.result;
	return m.conflicts == 0;
}

enum rerere_kind rerere_next_path(const struct index *x, size_t *i)
{
	const struct entry *e = &x->at[*i];
	enum rerere_kind kind = RERERE_PUNTED;

	if (e->stage == 0) {
		(*i)++;
		return RERERE_RESOLVED;
	}
	while (*i < x->n && x->at[*i].stage == 1 && strcmp(x->at[*i].path, e->path) == 0)
		(*i)++;
	if (*i + 1 < x->n) {
		const struct entry *two = &x->at[*i], *three = &x->at[*i + 1];

		if (two->stage == 2 && three->stage == 3 && strcmp(two->path, three->path) == 0 &&
		    strcmp(two->path, e->path) == 0 && (two->mode & S_FMT) == S_REG &&
		    (three->mode & S_FMT) == S_REG)
			kind = RERERE_THREE;
	}
	while (*i < x->n && strcmp(x->at[*i].path, e->path) == 0)
		(*i)++;
	return kind;
}

/* Conflicts that nothing is known of yet. */
static void find_new(struct rerere *r, const struct index *x)
{
	struct git *g = r->g;

	for (size_t i = 0; i < x->n;) {
		const char *path = x->at[i].path;
		struct rerere_item *it;
		struct oid id;

		cmd_charge(g->c, 1);
		if (rerere_next_path(x, &i) != RERERE_THREE || rerere_find(r, path) != NULL ||
		    file_conflicts(g, path, NULL, &id) < 1)
			continue;
		it = rerere_add(r, path);
		it->id = id;
		file_make_dirs(g, rerere_path(g, it, NULL));
	}
}

static void write_image(struct git *g, const struct rerere_item *it, const char *name,
			struct bytes text)
{
	char *path = rerere_path(g, it, name);

	file_make_parents(g, path);
	if (file_write(g, path, text, 0666) < 0)
		git_die(g, "could not write '%s'", path);
}

/* Whether it was resolved by hand: then that is kept. */
static bool record(struct git *g, struct rerere_item *it)
{
	struct bytes text;

	if (it->variant < 0 || file_conflicts(g, it->path, NULL, NULL) != 0)
		return false;
	if (file_read(g, g->a, it->path, &text) < 0)
		return false;
	write_image(g, it, "postimage", text);
	git_say(g, "Recorded resolution for '%s'.\n", it->path);
	it->done = true;
	return true;
}

static bool replay(struct git *g, struct rerere_item *it, struct names *staged, bool update)
{
	struct rerere_item one = *it;
	struct buf plain = buf_in(g->a);
	int n = rerere_variants(g, it);
	struct bytes result, used;

	if (file_conflicts(g, it->path, &plain, NULL) < 0)
		return false;
	for (one.variant = 0; one.variant < n; one.variant++) {
		if (!rerere_has_resolution(g, &one))
			continue;
		write_image(g, &one, "thisimage", buf_bytes(&plain));
		if (!rerere_replay(g, &one, buf_bytes(&plain), &result))
			continue;
		/* It was used: gc looks at its time. */
		if (file_read(g, g->a, rerere_path(g, &one, "postimage"), &used) == 0)
			write_image(g, &one, "postimage", used);
		if (file_write(g, it->path, result, 0666) < 0)
			git_die(g, "could not write '%s'", it->path);
		if (it->variant >= 0 && it->variant != one.variant)
			remove_images(g, it);
		if (update)
			names_add(g, staged, it->path);
		else
			git_say(g, "Resolved '%s' using previous resolution.\n", it->path);
		it->done = true;
		return true;
	}
	return false;
}

static void remember(struct git *g, struct rerere_item *it)
{
	struct buf plain = buf_in(g->a);

	if (it->variant < 0)
		for (it->variant = 0; it->variant < VARIANT_MAX; it->variant++)
			if (!has(g, it, "preimage") && !has(g, it, "postimage"))
				break;
	if (file_conflicts(g, it->path, &plain, NULL) < 0)
		return;
	write_image(g, it, "preimage", buf_bytes(&plain));
	cmd_unlink(g->c, CMD_CWD, rerere_path(g, it, "postimage"), 0);
	git_say(g, "Recorded preimage for '%s'\n", it->path);
}

static void stage(struct git *g, const struct names *list)
{
	struct index *x = index_get(g);

	for (size_t i = 0; i < list->n; i++) {
		const char *path = list->at[i];
		struct vfs_stat st;
		struct oid o;

		if (cmd_lstat(g->c, path, &st) < 0 ||
		    work_hash(g, path, work_mode(g, &st, NULL), true, &o) < 0)
			continue;
		index_stat(g, index_put(x, path, work_mode(g, &st, NULL), &o), &st);
		git_say(g, "Staged '%s' using previous resolution.\n", path);
	}
	if (list->n != 0)
		index_write(g, x);
}

void rerere_run(struct git *g)
{
	struct names staged = { NULL, 0, 0 };
	bool update = g->rerere == RERERE_UPDATE || (g->rerere == RERERE_AS_CONFIGURED &&
						     config_bool(g, "rerere.autoupdate", false));
	struct rerere r;

	if (!rerere_is_on(g))
		return;
	cmd_flush(g->c); /* what the merge said comes first */
	rerere_read(g, &r);
	find_new(&r, index_get(g));
	for (size_t i = 0; i < r.n; i++) {
		struct arena_mark mark = arena_mark(g->a);

		cmd_charge(g->c, 16);
		if (!record(g, &r.at[i]) && !replay(g, &r.at[i], &staged, update))
			remember(g, &r.at[i]);
		arena_release(g->a, mark);
	}
	stage(g, &staged);
	rerere_write(&r);
}
