/* SPDX-License-Identifier: MIT
 *
 * fast-import's marks: numbers for objects, read from files and written to them; and what it
 * says about itself at its end.
 */
#include "base/time.h"
#include "builtins/git/import.h"

enum { MARKS_BLOCK = 1024, OBJECTS_BLOCK = 5000, BRANCHES_ACTIVE = 5 };

/* --- marks --- */

static struct import_mark *mark_at(struct import *im, uint64_t number)
{
	size_t at = (size_t)(uintptr_t)lookup_get(
		im->mark_of, (struct bytes){ (const char *)&number, sizeof(number) });

	return at != 0 ? &im->mark[at - 1] : NULL;
}

void import_set_mark(struct import *im, uint64_t number, struct import_object *o)
{
	struct git *g = im->g;
	struct import_mark *m;
	uint64_t *key;

	if (number == 0)
		return;
	m = mark_at(im, number);
	if (m != NULL) {
		m->object = o;
		return;
	}
	LIST_ROOM(g, im->mark, im->nmarks, im->marks_cap);
	im->mark[im->nmarks++] = (struct import_mark){ number, o };
	key = arena_alloc(g->keep, sizeof(*key));
	*key = number;
	*lookup_at(im->mark_of, (struct bytes){ (const char *)key,
						sizeof(*key) }) = (void *)(uintptr_t)im->nmarks;
}

struct import_object *import_marked(struct import *im, const char **at, char end)
{
	const struct import_mark *m;
	const char *first = ++*at;
	uint64_t number = import_number(at);

	if (*at == first)
		import_die(im, "No value after ':' in mark: %s", im->line.ptr);
	if (**at != end)
		import_die(im, "%s after mark: %s", end == ' ' ? "Missing space" : "Garbage",
			   im->line.ptr);
	m = mark_at(im, number);
	if (m == NULL)
		import_die(im, "mark :%llu not declared", (unsigned long long)number);
	return m->object;
}

/* ":5 NAME": false if it is not that. */
static bool split_mark(struct bytes line, uint64_t *number, struct oid *o)
{
	size_t i = 1;

	*number = 0;
	if (line.len == 0 || line.ptr[0] != ':')
		return false;
	for (; i < line.len && byte_is_digit((unsigned char)line.ptr[i]) && i < 20; i++)
		*number = *number * 10 + (unsigned)(line.ptr[i] - '0');
	return i > 1 && i < line.len && line.ptr[i] == ' ' &&
	       oid_parse_bytes(bytes_slice(line, i + 1, line.len), o);
}

static struct bytes read_file(struct import *im, const char *path, bool may_miss)
{
	struct git *g = im->g;
	struct bytes text;
	int err = file_read(g, g->keep, path_join(g->a, g->start, path), &text);

	if (err == -E_NOENT && may_miss)
		return BYTES("");
	if (err < 0)
		import_die(im, "cannot read '%s': %s", path, err_text(err));
	return text;
}

void import_read_marks(struct import *im, const char *path, bool may_miss)
{
	struct git *g = im->g;
	struct bytes text = read_file(im, path, may_miss), line;

	while (git_line(&text, &line)) {
		enum object_type type;
		uint64_t number;
		struct oid o;

		cmd_charge(g->c, 4);
		if (!split_mark(line, &number, &o))
			import_die(im, "corrupt mark line: %.*s\n", (int)line.len, line.ptr);
		type = import_type(im, &o);
		if (type == OBJECT_NONE)
			import_die(im, "object not found: %s", oid_hex(g, &o));
		import_set_mark(im, number, import_know(im, &o, type));
	}
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = ((const struct import_mark *)a)->number;
	uint64_t y = ((const struct import_mark *)b)->number;

	return (x > y) - (x < y);
}

void import_write_marks(struct import *im)
{
	struct git *g = im->g;
	struct import_mark *sorted;
	struct buf b = buf_in(g->a);
	char *path;

	if (im->marks_out == NULL || !im->seen_data)
		return;
	path = path_join(g->a, g->start, im->marks_out);
	file_make_parents(g, path);
	sorted = arena_array(g->a, im->nmarks + 1, sizeof(*sorted));
	for (size_t i = 0; i < im->nmarks; i++)
		sorted[i] = im->mark[i];
	git_sort(g, sorted, im->nmarks, sizeof(*sorted), by_number);
	for (size_t i = 0; i < im->nmarks; i++) {
		buf_printf(&b, ":%llu ", (unsigned long long)sorted[i].number);
		oid_put(&b, &sorted[i].object->oid);
		buf_putc(&b, '\n');
	}
	cmd_charge(g->c, im->nmarks + 1);
	file_write_locked(g, path, buf_bytes(&b));
}

/* --- commits of submodules that have other names here --- */

static const char *file_of(const struct names *list, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < list->n; i++)
		if (strncmp(list->at[i], name, n) == 0 && list->at[i][n] == ':')
			return list->at[i] + n + 1;
	return NULL;
}

static struct oid *find_number(struct lookup *by_mark, uint64_t *number)
{
	return lookup_get(by_mark, (struct bytes){ (const char *)number, sizeof(*number) });
}

static void rewrite_one(struct import *im, const char *from, const char *to)
{
	struct git *g = im->g;
	struct lookup *by_mark = lookup_new(g);
	struct bytes text = read_file(im, to, false), line;
	struct oid o;
	uint64_t number;

	while (git_line(&text, &line)) {
		uint64_t *key = arena_alloc(g->keep, sizeof(*key));
		struct oid *value = arena_alloc(g->keep, sizeof(*value));

		if (!split_mark(line, key, value))
			import_die(im, "corrupt mark line: %.*s\n", (int)line.len, line.ptr);
		*lookup_at(by_mark, (struct bytes){ (const char *)key, sizeof(*key) }) = value;
	}
	text = read_file(im, from, false);
	while (git_line(&text, &line)) {
		struct oid *key = arena_alloc(g->keep, sizeof(*key)), *value;

		if (!split_mark(line, &number, &o))
			import_die(im, "corrupt mark line: %.*s\n", (int)line.len, line.ptr);
		value = find_number(by_mark, &number);
		*key = o;
		if (value != NULL)
			*lookup_at(im->rewritten, oid_key(key)) = value;
	}
}

void import_read_rewritten(struct import *im)
{
	struct git *g = im->g;

	if (im->rewrite_from.n == 0 && im->rewrite_to.n == 0)
		return;
	im->rewritten = lookup_new(g);
	for (size_t i = 0; i < im->rewrite_from.n; i++) {
		const char *one = im->rewrite_from.at[i];
		char *name = arena_dup(g->a, (struct bytes){ one, strcspn(one, ":") });
		const char *to = file_of(&im->rewrite_to, name);

		if (to == NULL)
			import_die(im, "Missing to marks for submodule '%s'", name);
		rewrite_one(im, one + strlen(name) + 1, to);
	}
}

/* --- reports --- */

static const char report_line[] =
	"---------------------------------------------------------------------\n";

void import_put_stats(struct import *im)
{
	static const char *const names[] = { "blobs  ", "trees  ", "commits", "tags   " };
	static const enum object_type types[] = { OBJECT_BLOB, OBJECT_TREE, OBJECT_COMMIT,
						  OBJECT_TAG };
	struct git *g = im->g;
	unsigned long long stored = 0, again = 0, branches = 0, known = lookup_count(im->objects);
	unsigned long long memory = (arena_size(g->keep) + pool_size(g->c->pool)) / 1024;

	for (int i = 0; i < 4; i++) {
		stored += im->counts[types[i]].stored;
		again += im->counts[types[i]].again;
	}
	for (const struct import_branch *b = im->branches; b != NULL; b = b->next)
		branches++;
	known = (known / OBJECTS_BLOCK + 1) * OBJECTS_BLOCK;
	git_say(g, "fast-import statistics:\n%s", report_line);
	git_say(g, "Alloc'd objects: %10llu\n", known);
	git_say(g, "Total objects:   %10llu (%10llu duplicates                  )\n", stored,
		again);
	for (int i = 0; i < 4; i++) {
		const struct import_counts *n = &im->counts[types[i]];

		git_say(g,
			"      %s:   %10llu (%10llu duplicates %10llu deltas of %10llu attempts)\n",
			names[i], (unsigned long long)n->stored, (unsigned long long)n->again,
			(unsigned long long)n->deltas, (unsigned long long)n->attempts);
	}
	git_say(g, "Total branches:  %10llu (%10llu loads     )\n", branches, branches);
	git_say(g, "      marks:     %10llu (%10llu unique    )\n",
		(unsigned long long)(im->nmarks / MARKS_BLOCK + 1) * MARKS_BLOCK,
		(unsigned long long)im->nmarks);
	git_say(g, "Memory total:    %10llu KiB\n%s\n", memory, report_line);
}

static void put_branches(struct import *im, struct buf *b)
{
	struct git *g = im->g;

	for (const struct import_branch *br = im->branches; br != NULL; br = br->next)
		buf_printf(b, "%s:\n  tip commit  : %s\n", br->name, oid_hex(g, &br->oid));
}

void import_crash(struct import *im, const char *message)
{
	struct git *g = im->g;
	struct buf b = buf_in(g->keep);
	const char *name = git_format(g->keep, "fast_import_crash_%d", cmd_pid(g->c));
	size_t first = im->nrecent > IMPORT_RECENT ? im->nrecent - IMPORT_RECENT : 0;
	const struct date_style style = { .mode = DATE_ISO };

	buf_printf(&b, "fast-import crash report:\n    fast-import process: %d\n", cmd_pid(g->c));
	buf_printf(&b, "    parent process     : %d\n    at ", cmd_ppid(g->c));
	date_put(g, &b, date_now(g), 0, &style);
	buf_printf(&b, "\n\nfatal: %s\n\n", message);
	buf_puts(&b, "Most Recent Commands Before Crash\n---------------------------------\n");
	for (size_t i = first; i < im->nrecent; i++)
		buf_printf(&b, "%c %s\n", i + 1 == im->nrecent ? '*' : ' ',
			   im->recent[i % IMPORT_RECENT]);
	buf_puts(&b, "\nBranches\n--------\n");
	put_branches(im, &b);
	buf_puts(&b, "\nMarks\n-----\n");
	for (size_t i = 0; i < im->nmarks && im->marks_out == NULL; i++)
		buf_printf(&b, ":%llu %s\n", (unsigned long long)im->mark[i].number,
			   oid_hex(g, &im->mark[i].object->oid));
	if (im->marks_out != NULL)
		buf_printf(&b, "  exported to %s\n", im->marks_out);
	buf_puts(&b, "\n-------------------\nEND OF CRASH REPORT\n");
	git_say(g, "fast-import: dumping crash report to %s\n", git_hook_path(g, name));
	file_write(g, repo_path(g, g->a, name), buf_bytes(&b), 0666);
}
