/* SPDX-License-Identifier: MIT
 *
 * Renames and copies: files that are gone against files that are new. First those with the same
 * content, then those with a name in common, then all against all by how much is shared.
 *
 * What is shared is counted in pieces (lines, at most 64 bytes), by a hash of each piece.
 */
#include "builtins/git/diff.h"

enum { PIECE_MAX = 64, HASH_BASE = 107927, CANDIDATES = 4 };

struct piece {
	uint32_t hash;
	uint32_t bytes;
};

/* Pieces sorted by hash, each hash once. */
struct hash_counts {
	struct piece *at;
	size_t n;
};

static int piece_cmp(const void *a, const void *b)
{
	const struct piece *x = a;
	const struct piece *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static struct hash_counts *count_pieces(struct git *g, struct diff_file *f)
{
	struct hash_counts *h = f->counts;
	struct piece *list = NULL;
	size_t n = 0, cap = 0, kept = 0;
	uint32_t a = 0, b = 0, length = 0;
	bool text;

	if (h != NULL)
		return h;
	h = f->counts = arena_zalloc(g->a, sizeof(*h));
	text = !lines_binary(f->data);
	for (size_t i = 0; i < f->data.len; i++) {
		uint32_t ch = (unsigned char)f->data.ptr[i];
		uint32_t old = a;

		if (text && ch == '\r' && i + 1 < f->data.len && f->data.ptr[i + 1] == '\n')
			continue;
		a = (a << 7) ^ (b >> 25);
		b = (b << 7) ^ (old >> 25);
		a += ch;
		if (++length < PIECE_MAX && ch != '\n')
			continue;
		LIST_ROOM(g, list, n, cap);
		list[n++] = (struct piece){ (a + b * 0x61) % HASH_BASE, length };
		length = a = b = 0;
	}
	if (length > 0) {
		LIST_ROOM(g, list, n, cap);
		list[n++] = (struct piece){ (a + b * 0x61) % HASH_BASE, length };
	}
	git_sort(g, list, n, sizeof(*list), piece_cmp);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && list[kept - 1].hash == list[i].hash)
			list[kept - 1].bytes += list[i].bytes;
		else
			list[kept++] = list[i];
	}
	cmd_charge_bytes(g->c, f->data.len * 4);
	h->at = arena_alloc(g->a, kept * sizeof(*list) + 1);
	h->n = kept;
	if (kept != 0)
		memcpy(h->at, list, kept * sizeof(*list));
	pool_free(g->c->pool, list, cap * sizeof(*list));
	return h;
}

static uint64_t size_of(struct git *g, struct diff_file *f)
{
	if (f->loaded)
		return f->data.len;
	if (f->size == 0 && f->oid_known && f->mode != MODE_GITLINK)
		object_info(g, &f->oid, &f->size);
	else if (f->size == 0 && diff_load(g, f))
		f->size = f->data.len;
	return f->size;
}

static uint64_t count_copied(struct git *g, struct diff_file *a, struct diff_file *b)
{
	const struct hash_counts *x = count_pieces(g, a);
	const struct hash_counts *y = count_pieces(g, b);
	uint64_t copied = 0;

	for (size_t i = 0, j = 0; i < x->n; i++) {
		while (j < y->n && y->at[j].hash < x->at[i].hash)
			j++;
		if (j < y->n && y->at[j].hash == x->at[i].hash)
			copied += x->at[i].bytes < y->at[j].bytes ? x->at[i].bytes : y->at[j].bytes;
	}
	cmd_charge(g->c, (x->n + y->n) / 8 + 1);
	return copied;
}

uint64_t diff_copied(struct git *g, struct diff_file *a, struct diff_file *b, uint64_t *added)
{
	const struct hash_counts *y = count_pieces(g, b);
	uint64_t copied = count_copied(g, a, b);

	*added = 0;
	for (size_t i = 0; i < y->n; i++)
		*added += y->at[i].bytes;
	*added -= copied;
	return copied;
}

uint64_t diff_damage(struct git *g, struct diff_file *a, struct diff_file *b)
{
	if (a->mode == 0 || b->mode == 0)
		return size_of(g, a->mode != 0 ? a : b);
	if (!diff_load(g, a) || !diff_load(g, b))
		return 0;
	/* A line end of DOS counts as that of Unix: then less is there than the sizes say. */
	uint64_t copied = count_copied(g, a, b);
	uint64_t went = a->data.len > copied ? a->data.len - copied : 0;

	return went + (b->data.len > copied ? b->data.len - copied : 0);
}

int diff_similarity(struct git *g, struct diff_file *a, struct diff_file *b, int least)
{
	uint64_t big, delta;

	if ((a->mode & S_FMT) != S_REG || (b->mode & S_FMT) != S_REG)
		return 0;
	if (a->oid_known && b->oid_known && oid_eq(&a->oid, &b->oid))
		return SCORE_MAX;
	big = size_of(g, a) > size_of(g, b) ? size_of(g, a) : size_of(g, b);
	delta = big - (size_of(g, a) < size_of(g, b) ? size_of(g, a) : size_of(g, b));
	if (big * (uint64_t)(SCORE_MAX - least) < delta * SCORE_MAX)
		return 0;
	if (!diff_load(g, a) || !diff_load(g, b) || big == 0)
		return 0;
	return (int)(count_copied(g, a, b) * SCORE_MAX / big);
}

/* --- matching --- */

struct renaming {
	struct git *g;
	const struct diff_opts *o;
	struct diff_queue *q;
	struct diff_file **source;
	bool *source_used; /* stays (a copy's source), or taken by a rename */
	bool *source_stays;
	size_t nsources;
	size_t *target;          /* pairs of the queue that are new files */
	struct diff_file **from; /* of each target, or NULL */
	int *score;
	size_t ntargets;
};

static bool same_base(const char *a, const char *b)
{
	return strcmp(path_base(a), path_base(b)) == 0;
}

static void pair_up(struct renaming *r, size_t target, size_t source, int score)
{
	r->from[target] = r->source[source];
	r->score[target] = score;
	r->source_used[source] = true;
}

/* The object of a file, for exact matches. */
static void know_oid(struct git *g, struct diff_file *f)
{
	if (f->oid_known || !diff_load(g, f))
		return;
	object_hash(OBJECT_BLOB, f->data, &f->oid);
	f->oid_known = true;
}

static void exact(struct renaming *r)
{
	for (size_t t = 0; t < r->ntargets; t++) {
		struct diff_file *two = r->q->at[r->target[t]].two;
		size_t best = SIZE_MAX;
		int best_score = -1;

		know_oid(r->g, two);
		for (size_t s = 0; s < r->nsources; s++) {
			struct diff_file *one = r->source[s];
			int score;

			if (!oid_eq(&one->oid, &two->oid) ||
			    (one->mode & S_FMT) != (two->mode & S_FMT))
				continue;
			score = !r->source_used[s] && !r->source_stays[s];
			if (r->o->renames != 2 && score == 0)
				continue;
			score += same_base(one->path, two->path);
			if (score > best_score) {
				best = s;
				best_score = score;
			}
		}
		cmd_charge(r->g->c, r->nsources / 4 + 1);
		if (best != SIZE_MAX)
			pair_up(r, t, best, SCORE_MAX);
	}
}

/* Names that only one source and one target have: likely the same file moved. */
static void by_base_name(struct renaming *r, int least)
{
	struct lookup *sources = lookup_new(r->g);
	struct lookup *targets = lookup_new(r->g);

	for (size_t s = 0; s < r->nsources; s++) {
		void **at = lookup_at(sources, bytes_of(path_base(r->source[s]->path)));

		if (!r->source_used[s] && !r->source_stays[s])
			*at = *at == NULL ? (void *)(s + 1) : (void *)UINTPTR_MAX;
	}
	for (size_t t = 0; t < r->ntargets; t++) {
		void **at = lookup_at(targets,
				      bytes_of(path_base(r->q->at[r->target[t]].two->path)));

		if (r->from[t] == NULL)
			*at = *at == NULL ? (void *)(t + 1) : (void *)UINTPTR_MAX;
	}
	for (size_t t = 0; t < r->ntargets; t++) {
		struct bytes base = bytes_of(path_base(r->q->at[r->target[t]].two->path));
		uintptr_t s = (uintptr_t)lookup_get(sources, base);
		int score;

		if (r->from[t] != NULL || (uintptr_t)lookup_get(targets, base) != t + 1 || s == 0 ||
		    s == UINTPTR_MAX)
			continue;
		score = diff_similarity(r->g, r->source[s - 1], r->q->at[r->target[t]].two, least);
		if (score >= least)
			pair_up(r, t, s - 1, score);
	}
}

struct candidate {
	size_t target;
	size_t source;
	int score;
	bool base;
};

static int candidate_cmp(const void *a, const void *b)
{
	const struct candidate *x = a;
	const struct candidate *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (int)y->base - (int)x->base;
}

/* Keeps the best few of one target. */
static void keep_candidate(struct candidate *list, struct candidate c)
{
	size_t worst = 0;

	for (size_t i = 1; i < CANDIDATES; i++)
		if (candidate_cmp(&list[i], &list[worst]) > 0)
			worst = i;
	if (candidate_cmp(&list[worst], &c) > 0)
		list[worst] = c;
}

static size_t collect(struct renaming *r, struct candidate *list, int least)
{
	size_t n = 0;

	for (size_t t = 0; t < r->ntargets; t++) {
		struct diff_file *two = r->q->at[r->target[t]].two;
		struct candidate *mine = list + n;

		if (r->from[t] != NULL)
			continue;
		for (size_t i = 0; i < CANDIDATES; i++)
			mine[i] = (struct candidate){ t, SIZE_MAX, -1, false };
		for (size_t s = 0; s < r->nsources; s++) {
			if (r->o->renames != 2 && (r->source_used[s] || r->source_stays[s]))
				continue;
			keep_candidate(
				mine, (struct candidate){
					      t, s, diff_similarity(r->g, r->source[s], two, least),
					      same_base(r->source[s]->path, two->path) });
		}
		n += CANDIDATES;
	}
	return n;
}

static void inexact(struct renaming *r, int least)
{
	struct candidate *list;
	size_t n;

	if (r->nsources * r->ntargets > (size_t)r->o->rename_limit * (size_t)r->o->rename_limit) {
		return;
	}
	list = pool_alloc(r->g->c->pool, (r->ntargets * CANDIDATES + 1) * sizeof(*list));
	n = collect(r, list, least);
	git_sort(r->g, list, n, sizeof(*list), candidate_cmp);
	for (int copies = 0; copies < (r->o->renames == 2 ? 2 : 1); copies++) {
		for (size_t i = 0; i < n && list[i].score >= least; i++) {
			const struct candidate *c = &list[i];

			if (r->from[c->target] != NULL || c->source == SIZE_MAX)
				continue;
			if (!copies && (r->source_used[c->source] || r->source_stays[c->source]))
				continue;
			pair_up(r, c->target, c->source, c->score);
		}
	}
	pool_free(r->g->c->pool, list, (r->ntargets * CANDIDATES + 1) * sizeof(*list));
}

static void gather(struct renaming *r)
{
	struct diff_queue *q = r->q;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];

		if (p->status == 'U')
			continue;
		if (p->one->mode == 0) {
			uint64_t size = 1;

			/* Empty files are all alike: no renames of them by git's merges. */
			(void)size;
			r->target[r->ntargets++] = i;
		} else if (p->two->mode == 0) {
			/* It was only broken to find what became of it. */
			r->source_stays[r->nsources] = p->broken && p->score == 0;
			r->source[r->nsources++] = p->one;
		} else if (r->o->renames == 2) {
			r->source_stays[r->nsources] = true;
			r->source[r->nsources++] = p->one;
		}
	}
}

/* Queued for --find-copies-harder alone: a file that is as it was. */
static bool is_unchanged(const struct diff_pair *p)
{
	return p->status == 'M' && p->one->oid_known && p->two->oid_known &&
	       p->one->mode == p->two->mode && oid_eq(&p->one->oid, &p->two->oid);
}

static void drop_unchanged(struct diff_queue *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++)
		if (!is_unchanged(&q->at[i]))
			q->at[kept++] = q->at[i];
	q->n = kept;
}

/* The queue again: new files with a source become renames or copies, what moved is not deleted. */
static void rebuild(struct renaming *r)
{
	struct diff_queue *q = r->q;
	size_t kept = 0;
	size_t t = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair p = q->at[i];

		if (t < r->ntargets && r->target[t] == i) {
			if (r->from[t] != NULL) {
				p.one = r->from[t];
				p.score = r->score[t];
				p.status = 'R';
			}
			t++;
		} else if (p.status == 'D' && p.broken) {
			/* The other half, which comes next, was found to be another file. */
			if (t < r->ntargets && r->target[t] == i + 1 && r->from[t] != NULL)
				continue;
		} else if (p.status == 'D') {
			bool moved = false;

			for (size_t s = 0; s < r->nsources && !moved; s++)
				moved = r->source[s] == p.one && r->source_used[s];
			if (moved)
				continue;
		}
		q->at[kept++] = p;
	}
	q->n = kept;
	diff_mend(r->g, q);
	/* Of several with one source the last is the rename, unless the source stays. */
	for (size_t i = 0; i < q->n; i++) {
		struct diff_pair *p = &q->at[i];
		bool later = false;

		if (p->status != 'R')
			continue;
		for (size_t j = i + 1; j < q->n && !later; j++)
			later = q->at[j].status == 'R' && q->at[j].one == p->one;
		for (size_t j = 0; j < q->n && !later; j++)
			later = q->at[j].broken && q->at[j].status == 'M' && q->at[j].one == p->one;
		for (size_t s = 0; s < r->nsources && !later; s++)
			later = r->source[s] == p->one && r->source_stays[s];
		if (later)
			p->status = 'C';
	}
}

static void match(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	struct renaming r = { .g = g, .o = o, .q = q };
	int least = o->rename_score != 0 ? o->rename_score : SCORE_DEFAULT;

	r.source = arena_array(g->a, q->n + 1, sizeof(*r.source));
	r.source_used = arena_array(g->a, q->n + 1, sizeof(bool));
	r.source_stays = arena_array(g->a, q->n + 1, sizeof(bool));
	r.target = arena_array(g->a, q->n + 1, sizeof(*r.target));
	gather(&r);
	if (r.nsources == 0 || r.ntargets == 0)
		return;
	r.from = arena_array(g->a, r.ntargets, sizeof(*r.from));
	r.score = arena_array(g->a, r.ntargets, sizeof(int));
	exact(&r);
	if (least < SCORE_MAX) {
		if (o->renames != 2)
			by_base_name(&r, (least + SCORE_MAX) / 2);
		inexact(&r, least);
	}
	rebuild(&r);
}

void diff_renames(struct git *g, const struct diff_opts *o, struct diff_queue *q)
{
	match(g, o, q);
	if (o->find_copies_harder)
		drop_unchanged(q);
}
