/* SPDX-License-Identifier: MIT
 *
 * $0 and its fields.
 *
 * The record is bytes in a reader's buffer, or in a string. Fields are spans of it, found from
 * the left as far as somebody asks; a field becomes a value when it is read as one, or
 * assigned. After an assignment the record is stale and made anew when next looked at.
 */
#include "builtins/awk/awk.h"

static void forget_fields(struct awk *a)
{
	struct record *r = &a->rec;

	for (size_t i = 0; i < r->made; i++) {
		val_put(a, r->f[i].val);
		r->f[i].val.kind = VAL_UNINIT;
	}
	r->made = 0;
	r->nf = 0;
	r->at = 0;
	r->split = false;
	r->stale = false;
}

static void forget_whole(struct awk *a)
{
	struct record *r = &a->rec;

	if (r->whole.kind != VAL_UNINIT) {
		val_put(a, r->whole);
		r->whole.kind = VAL_UNINIT;
	}
}

void awk_rec_set_view(struct awk *a, struct bytes s)
{
	struct record *r = &a->rec;

	forget_fields(a);
	forget_whole(a);
	if (r->owner != NULL)
		str_put(a, r->owner);
	r->owner = NULL;
	r->ptr = s.ptr;
	r->len = s.len;
}

void awk_rec_set_str(struct awk *a, struct str *s)
{
	struct record *r = &a->rec;
	struct str *old = r->owner;

	forget_fields(a);
	forget_whole(a);
	r->owner = s;
	r->ptr = s->ptr;
	r->len = s->len;
	if (old != NULL)
		str_put(a, old);
}

/* The same bytes now stand in s, whose reference is taken. */
static void move_to(struct awk *a, struct str *s)
{
	struct record *r = &a->rec;

	for (size_t i = 0; i < r->nf; i++)
		if (r->f[i].val.kind == VAL_UNINIT && r->f[i].len != 0)
			r->f[i].ptr = s->ptr + (r->f[i].ptr - r->ptr);
	if (r->owner != NULL)
		str_put(a, r->owner);
	r->owner = s;
	r->ptr = s->ptr;
}

void awk_rec_keep(struct awk *a)
{
	struct record *r = &a->rec;

	if (r->owner == NULL)
		move_to(a, awk_str_new(a, (struct bytes){ r->ptr, r->len }));
}

struct field *awk_rec_add(struct awk *a)
{
	struct record *r = &a->rec;

	if (r->nf == r->cap) {
		size_t cap = r->cap == 0 ? 32 : r->cap * 2;

		if (cap > AWK_FIELDS_MAX)
			awk_fatal(a, "too many fields");
		r->f = pool_resize(a->pool, r->f, r->cap * sizeof *r->f, cap * sizeof *r->f);
		r->cap = cap;
	}
	r->f[r->nf].val.kind = VAL_UNINIT;
	return &r->f[r->nf++];
}

void awk_rec_split_all(struct awk *a)
{
	if (!a->rec.split)
		awk_split_record(a, SIZE_MAX);
}

size_t awk_rec_nf(struct awk *a)
{
	awk_rec_split_all(a);
	return a->rec.nf;
}

static bool has_field(struct awk *a, size_t n)
{
	struct record *r = &a->rec;

	if (n > r->nf && !r->split)
		awk_split_record(a, n);
	return n <= r->nf;
}

/* Joins the fields; from then on they are spans of the new text. */
void awk_rec_rebuild(struct awk *a)
{
	struct record *r = &a->rec;
	struct text_room tmp;
	struct str *s = awk_str_alloc(a, 0);

	for (size_t i = 0; i < r->nf; i++) {
		struct field *f = &r->f[i];
		struct bytes text = { f->ptr, f->len };

		if (f->val.kind != VAL_UNINIT)
			text = awk_val_text(a, &f->val, &tmp);
		if (i > 0)
			s = awk_str_append(a, s, a->ofs);
		s = awk_str_append(a, s, text);
		f->len = text.len;
	}
	const char *at = s->ptr;

	for (size_t i = 0; i < r->nf; i++) {
		r->f[i].ptr = at;
		at += r->f[i].len + a->ofs.len;
	}
	forget_whole(a);
	if (r->owner != NULL)
		str_put(a, r->owner);
	r->owner = s;
	r->ptr = s->ptr;
	r->len = s->len;
	r->stale = false;
	/* What was put together here is no input: it is text, even "10". */
	r->whole = val_str(str_get(s));
}

struct bytes awk_rec_text(struct awk *a)
{
	if (a->rec.stale)
		awk_rec_rebuild(a);
	return (struct bytes){ a->rec.ptr, a->rec.len };
}

struct val awk_rec_whole(struct awk *a)
{
	struct record *r = &a->rec;
	struct bytes text = awk_rec_text(a);

	if (r->whole.kind == VAL_UNINIT)
		r->whole = val_input(a, text);
	return val_get(r->whole);
}

/* A field that does not exist is empty text, not nothing: it does not equal 0. */
static struct val no_field(struct awk *a)
{
	return (struct val){ .kind = VAL_INPUT, .assigned = 1, .u.str = str_get(a->empty) };
}

static struct val make_field(struct awk *a, size_t n)
{
	struct field *f = &a->rec.f[n - 1];

	if (f->val.kind == VAL_UNINIT) {
		f->val = val_input(a, (struct bytes){ f->ptr, f->len });
		if (a->rec.made < n) {
			a->rec.made = n;
		}
	}
	return val_get(f->val);
}

struct val awk_rec_field(struct awk *a, size_t n)
{
	if (n == 0)
		return awk_rec_whole(a);
	if (!has_field(a, n))
		return no_field(a);
	return make_field(a, n);
}

struct val awk_rec_view(struct awk *a, size_t n)
{
	struct record *r = &a->rec;
	struct bytes s;

	if (n > 0) {
		if (!has_field(a, n))
			return no_field(a);
		if (r->stale || r->f[n - 1].val.kind != VAL_UNINIT)
			return make_field(a, n);
		s = (struct bytes){ r->f[n - 1].ptr, r->f[n - 1].len };
	} else {
		if (r->stale || r->whole.kind != VAL_UNINIT)
			return awk_rec_whole(a);
		s = (struct bytes){ r->ptr, r->len };
	}
	if (s.len > UINT32_MAX)
		return val_input(a, s);
	return (struct val){ .kind = VAL_VIEW, .len = (uint32_t)s.len, .u.view = s.ptr };
}

/* The text of a field that is not a number by assignment. False if it has to be converted. */
bool awk_rec_field_bytes(struct awk *a, size_t n, struct bytes *out)
{
	if (n == 0) {
		*out = awk_rec_text(a);
		return true;
	}
	if (!has_field(a, n)) {
		*out = (struct bytes){ "", 0 };
		return true;
	}
	struct field *f = &a->rec.f[n - 1];

	if (f->val.kind == VAL_NUM)
		return false;
	*out = f->val.kind == VAL_UNINIT ? (struct bytes){ f->ptr, f->len }
					 : str_bytes(f->val.u.str);
	return true;
}

double awk_rec_num(struct awk *a, size_t n)
{
	if (n == 0)
		return awk_text_to_num(a, awk_rec_text(a));
	if (!has_field(a, n))
		return 0;
	struct field *f = &a->rec.f[n - 1];

	if (f->val.kind != VAL_UNINIT)
		return val_to_num(a, &f->val);
	return awk_text_to_num(a, (struct bytes){ f->ptr, f->len });
}

static void grow_to(struct awk *a, size_t n)
{
	if (n > AWK_FIELDS_MAX)
		awk_fatal(a, "too many fields");
	while (a->rec.nf < n) {
		struct field *f = awk_rec_add(a);

		f->ptr = "";
		f->len = 0;
		f->val = no_field(a);
		a->rec.made = a->rec.nf;
		if (a->rec.nf % 4096 == 0)
			awk_work(a, 64);
	}
}

void awk_rec_touch(struct awk *a, size_t n)
{
	awk_rec_split_all(a);
	grow_to(a, n);
}

void awk_rec_set_field(struct awk *a, size_t n, struct val v)
{
	struct record *r = &a->rec;

	if (n == 0) {
		bool is_text = v.kind == VAL_STR;
		struct val number = v.kind == VAL_NUM ? v : (struct val){ .kind = VAL_UNINIT };
		struct str *s = str_get(awk_val_to_str(a, &v));

		/* A number and a text made inside stay what they are. */
		awk_rec_set_str(a, s);
		r->whole = is_text ? v : number;
		if (!is_text)
			val_put(a, v);
		return;
	}
	awk_rec_split_all(a);
	grow_to(a, n);
	if (v.kind == VAL_UNINIT || v.kind == VAL_UNTYPED)
		v = val_str(str_get(a->empty));
	val_put(a, r->f[n - 1].val);
	r->f[n - 1].val = v;
	/* Fields in between have no values yet, which is as good. */
	if (r->made < n)
		r->made = n;
	r->stale = true;
	forget_whole(a);
}

void awk_rec_set_nf(struct awk *a, double nf)
{
	struct record *r = &a->rec;

	if (nf < 0)
		awk_fatal(a, "NF set to negative value");
	awk_rec_split_all(a);
	size_t n = nf > AWK_FIELDS_MAX ? AWK_FIELDS_MAX + (size_t)1 : (size_t)nf;

	for (size_t i = n; i < r->nf && i < r->made; i++) {
		val_put(a, r->f[i].val);
		r->f[i].val.kind = VAL_UNINIT;
	}
	if (n < r->nf) {
		r->nf = n;
		r->made = r->made < n ? r->made : n;
	}
	grow_to(a, n);
	r->stale = true;
	forget_whole(a);
}

size_t awk_field_index(struct awk *a, struct val *v)
{
	double d = val_to_num(a, v);
	struct text_room tmp;

	if (!(d > -1)) {
		struct bytes text = awk_num_text(a, d < 0 ? (double)(int64_t)d : d, SP_CONVFMT,
						 &tmp);

		awk_fatal(a, "attempt to access field %.*s", (int)text.len, text.ptr);
	}
	if (d >= 9223372036854775808.0)
		awk_fatal(a, "attempt to access field %lld", (long long)INT64_MIN);
	return d >= 4e18 ? SIZE_MAX / 4 : (size_t)d;
}
