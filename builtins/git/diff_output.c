/* SPDX-License-Identifier: MIT
 *
 * What is shown of a list of pairs, in git's order of formats.
 */
#include "builtins/git/moved.h"
#include "builtins/git/userdiff.h"

void diff_write(struct git *g, const struct diff_opts *o, struct bytes text)
{
	struct output *to = o->to != NULL ? o->to : &g->c->out;
	struct bytes line;

	if (o->prefix == NULL && o->line_prefix == NULL) {
		output_write(to, text.ptr, text.len);
		return;
	}
	while (git_line(&text, &line)) {
		if (o->line_prefix != NULL)
			output_write(to, o->line_prefix, strlen(o->line_prefix));
		if (o->prefix != NULL)
			output_write(to, o->prefix, strlen(o->prefix));
		output_write(to, line.ptr, line.len);
		output_putc(to, '\n');
	}
}

static void flush(struct git *g, const struct diff_opts *o, struct buf *b)
{
	if (b->len != 0)
		diff_write(g, o, buf_bytes(b));
	b->len = 0;
}

bool diff_is_rewrite(const struct diff_pair *p)
{
	return p->status == 'M' && p->score != 0;
}

static bool has_summary(const struct diff_queue *q)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];

		if (p->status == 'R' || p->status == 'C' || diff_is_rewrite(p) ||
		    p->one->mode == 0 || p->two->mode == 0 || p->one->mode != p->two->mode)
			return true;
	}
	return false;
}

/* False: git shows the pair itself. */
static bool put_by_program(struct git *g, struct diff_opts *o, struct diff_pair *p, size_t number,
			   size_t total)
{
	const char *program = diff_external_of(g, o, p);
	struct diff_pair half[2] = { *p };
	struct buf header = buf_in(g->a);
	int n;

	if (program == NULL)
		return false;
	n = p->status != 'U' && diff_splits(g, p, half) ? 2 : 1;
	if (strcmp(p->one->path, p->two->path) != 0)
		diff_put_notes(g, o, p, &header);
	for (int i = 0; i < n; i++)
		diff_run_external(g, program, &half[i], number, total, buf_cstr(&header));
	return true;
}

static void put_patches(struct git *g, struct diff_opts *o, struct diff_queue *q, bool written)
{
	for (size_t i = 0; i < q->n; i++) {
		struct arena_mark mark = arena_mark(g->a);
		struct buf b = buf_in(g->a);
		struct diff_file one = *q->at[i].one;
		struct diff_file two = *q->at[i].two;

		if (!written && diff_external_of(g, o, &q->at[i]) == NULL)
			diff_patch(g, o, &q->at[i], &b);
		else if (written && !put_by_program(g, o, &q->at[i], i + 1, q->n))
			diff_patch(g, o, &q->at[i], &b);
		if (written)
			flush(g, o, &b);
		/* What was loaded is not needed again. */
		if (!one.loaded && !two.loaded) {
			*q->at[i].one = one;
			*q->at[i].two = two;
			arena_release(g->a, mark);
		}
	}
}

void diff_output(struct git *g, struct diff_opts *o, struct diff_queue *q)
{
	struct buf b = buf_in(g->a);
	int above = 0;

	if (q->n == 0 || (o->format & DIFF_NONE))
		return;
	if (o->format & DIFF_CHECK) {
		o->check_status |= diff_put_check(g, o, q, &b);
		flush(g, o, &b);
		return;
	}
	if (o->format & DIFF_RAW) {
		diff_put_raw(g, o, q, &b);
		above++;
	}
	if (o->format & (DIFF_NAMES | DIFF_NAME_STATUS)) {
		diff_put_names(g, o, q, &b);
		above++;
	}
	if (o->format & DIFF_NUMSTAT) {
		diff_put_numstat(g, o, q, &b);
		above++;
	}
	if (o->format & DIFF_STAT) {
		diff_put_stat(g, o, q, &b);
		above++;
	}
	if (o->format & DIFF_SHORTSTAT) {
		diff_put_shortstat(g, o, q, &b);
		above++;
	}
	if (o->format & DIFF_DIRSTAT) {
		diff_put_dirstat(g, o, q, &b);
		above++;
	}
	if ((o->format & DIFF_SUMMARY) && has_summary(q)) {
		diff_put_summary(g, o, q, &b);
		above++;
	}
	if ((o->format & DIFF_PATCH) && above != 0)
		buf_putc(&b, o->zero ? '\0' : '\n');
	flush(g, o, &b);
	if (!(o->format & DIFF_PATCH))
		return;
	if (o->moved != NULL && o->use_color) {
		o->moving = moved_new(g, o);
		put_patches(g, o, q, false);
		moved_find(o->moving);
	}
	put_patches(g, o, q, true);
	o->moving = NULL;
}

/* --- filters --- */

static bool filter_takes(const char *filter, char status)
{
	bool any_upper = strchr(filter, '*') != NULL;
	char low = (char)byte_to_lower(status);

	if (strchr(filter, low) != NULL)
		return false;
	for (const char *p = filter; *p != '\0'; p++)
		any_upper = any_upper || byte_is_upper(*p);
	return !any_upper || strchr(filter, status) != NULL;
}

static size_t count_hits(struct git *g, const struct diff_opts *o, struct diff_file *f)
{
	struct bytes rest;
	size_t n = 0;
	size_t len = strlen(o->pickaxe);

	if (f->mode == 0 || !diff_load(g, f))
		return 0;
	if (diff_has_textconv(g, o, f))
		f = diff_textconv(g, f);
	rest = f->data;
	cmd_charge_bytes(g->c, rest.len);
	if (o->pickaxe_re != NULL) {
		struct regex_span m;
		size_t at = 0;

		while (at < rest.len && regex_search(o->pickaxe_re, rest, at,
						     at > 0 ? REGEX_NOTBOL : 0, &m, 1) == 0) {
			n++;
			at = m.to > m.from ? m.to : m.to + 1;
		}
		return n;
	}
	for (const char *hit; len != 0 && (hit = bytes_find(rest, bytes_of(o->pickaxe))) != NULL;
	     n++)
		rest = bytes_slice(rest, (size_t)(hit - rest.ptr) + len, rest.len);
	return n;
}

/* -G: whether a changed line matches. */
static bool lines_match(struct git *g, const struct diff_opts *o, struct diff_pair *p)
{
	struct lines l;

	struct diff_file *file[2] = { p->one, p->two };

	for (int k = 0; k < 2; k++) {
		diff_load(g, file[k]);
		if (diff_has_textconv(g, o, file[k]))
			file[k] = diff_textconv(g, file[k]);
		if (!o->text && diff_is_binary(g, o, file[k]))
			return false;
	}
	lines_diff(g, g->a, file[0]->data, file[1]->data, o->lines, &l);
	for (int w = 0; w < 2; w++)
		for (size_t i = 0; i < l.file[w].n; i++) {
			struct bytes line = l.file[w].line[i];

			if (!l.file[w].changed[i])
				continue;
			if (line.len != 0 && line.ptr[line.len - 1] == '\n')
				line.len--;
			if (regex_test(o->pickaxe_re, line, 0) == 0)
				return true;
		}
	return false;
}

static bool pickaxe_takes(struct git *g, const struct diff_opts *o, struct diff_pair *p)
{
	if (p->status == 'U')
		return false;
	if (p->one->oid_known && p->two->oid_known && oid_eq(&p->one->oid, &p->two->oid))
		return false;
	if (o->pickaxe_kind == 'G')
		return lines_match(g, o, p);
	return count_hits(g, o, p->one) != count_hits(g, o, p->two);
}

static void filter(struct git *g, struct diff_opts *o, struct diff_queue *q)
{
	size_t kept = 0;
	bool any = false;

	if (o->pickaxe != NULL) {
		for (size_t i = 0; i < q->n; i++) {
			bool takes = pickaxe_takes(g, o, &q->at[i]);

			any = any || takes;
			if (takes || o->pickaxe_all)
				q->at[kept++] = q->at[i];
		}
		q->n = any ? kept : 0;
		kept = 0;
	}
	if (o->filter == NULL)
		return;
	for (size_t i = 0; i < q->n; i++) {
		const struct diff_pair *p = &q->at[i];

		if (!filter_takes(o->filter, diff_is_rewrite(p) ? 'B' : p->status))
			continue;
		/* With a '*' all stay, if one does. */
		if (strchr(o->filter, '*') != NULL)
			return;
		q->at[kept++] = q->at[i];
	}
	q->n = kept;
}

static bool hash_now(struct git *g, const struct diff_opts *o, struct diff_file *f, struct oid *out)
{
	struct arena_mark mark = arena_mark(g->a);
	struct bytes data;
	int err;

	/* Who does not ask for a format wants no text. */
	f->warned = o->format != 0;
	g->ends = f->warned ? ENDS_WARN : ENDS_QUIET;
	err = work_read(g, g->a, f->path, f->mode, &data);
	g->ends = ENDS_QUIET;
	if (err >= 0) {
		object_hash(OBJECT_BLOB, data, out);
		cmd_charge_bytes(g->c, data.len * 4);
	}
	arena_release(g->a, mark);
	return err >= 0;
}

/* A file of the work tree whose content turns out to be the same is no change. */
static void drop_same(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		bool same = p->status == 'M' && p->one->mode == p->two->mode &&
			    p->one->oid_known != p->two->oid_known;

		if (same) {
			struct diff_file *f = p->one->oid_known ? p->two : p->one;
			struct oid now;

			same = f->mode != MODE_GITLINK && !f->outside && !(o->quiet && kept > 0) &&
			       hash_now(g, o, f, &now) &&
			       oid_eq(&now, f == p->two ? &p->one->oid : &p->two->oid);
		}
		if (!same)
			q->at[kept++] = *p;
	}
	q->n = kept;
}

/* Paths as seen from the directory --relative names. */
static void make_relative(struct diff_opts *o, struct diff_queue *q)
{
	size_t n = strlen(o->relative);

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];

		diff_shown(p->one, n);
		if (p->two != p->one)
			diff_shown(p->two, n);
	}
}

void diff_shown(struct diff_file *f, size_t skip)
{
	if (f->cut || strlen(f->path) < skip)
		return;
	f->cut = true;
	f->path += skip;
	while (*f->path == '/')
		f->path++;
}

void diff_finish(struct git *g, struct diff_opts *o, struct diff_queue *q)
{
	drop_same(g, o, q);
	if (o->breaks)
		diff_break(g, o, q);
	if (o->renames > 0)
		diff_renames(g, o, q);
	if (o->breaks)
		diff_mend(g, q);
	filter(g, o, q);
	diff_choose(g, o, q);
	if (o->relative != NULL && o->relative[0] != '\0') {
		for (size_t i = 0; i < q->n; i++) {
			diff_load(g, q->at[i].one);
			diff_load(g, q->at[i].two);
		}
		make_relative(o, q);
	}
}
