/* SPDX-License-Identifier: MIT
 *
 * How text is taken apart: FS, FPAT, FIELDWIDTHS, CSV, and the functions split and patsplit.
 */
#include "builtins/awk/awk.h"

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n';
}

static size_t end_of_blanks(struct bytes s, size_t i)
{
	while (i < s.len && is_blank(s.ptr[i]))
		i++;
	return i;
}

void awk_split_put(struct awk *a, struct splitter *s)
{
	if (s->regex != NULL)
		str_put(a, s->regex);
	if (s->widths != NULL)
		pool_free(a->pool, s->widths, (s->nwidths + 1) * sizeof *s->widths);
	*s = (struct splitter){ .mode = SPLIT_BLANKS };
}

void awk_split_set_fs(struct awk *a, struct splitter *s, const struct val *value, bool newline)
{
	struct str *fs = value->u.str;

	awk_split_put(a, s);
	s->newline = newline;
	if (fs->len == 1 && fs->ptr[0] == ' ') {
		s->mode = SPLIT_BLANKS;
	} else if (fs->len == 0) {
		s->mode = SPLIT_CHARS;
	} else if (fs->len == 1 && value->kind != VAL_REGEX) {
		s->mode = SPLIT_CHAR;
		s->ch = fs->ptr[0];
	} else if (fs->len == 2 && fs->ptr[0] == '\\' && !byte_is_alnum(fs->ptr[1]) &&
		   strchr("<>`'", fs->ptr[1]) == NULL) {
		s->mode = SPLIT_CHAR;
		s->ch = fs->ptr[1];
		s->newline = false;
	} else {
		s->mode = SPLIT_REGEX;
		s->regex = str_get(fs);
		s->newline = false;
	}
}

/* One of FIELDWIDTHS at text[i], the n-th: "3", "2:5", "*". Returns where it ends. */
static size_t parse_width(struct awk *a, struct bytes text, size_t i, size_t n, struct width *w)
{
	uint64_t value = 0;
	bool overflow = false;
	size_t used = number_parse_u64(bytes_slice(text, i, text.len), 10, &value, &overflow);

	*w = (struct width){ 0, 0 };
	if (used != 0 && i + used < text.len && text.ptr[i + used] == ':') {
		w->skip = (size_t)value;
		i += used + 1;
		used = number_parse_u64(bytes_slice(text, i, text.len), 10, &value, &overflow);
	}
	if (used == 0 && i < text.len && text.ptr[i] == '*') {
		if (end_of_blanks(text, i + 1) != text.len)
			awk_fatal(a, "`*' must be the last designator in FIELDWIDTHS");
		w->width = SIZE_MAX;
		return i + 1;
	}
	w->width = (size_t)value;
	if (used == 0 || overflow || text.ptr[i] == '-' || value == 0 ||
	    (i + used < text.len && !is_blank(text.ptr[i + used])))
		awk_fatal(a, "invalid FIELDWIDTHS value, for field %zu, near `%.*s'", n,
			  (int)(text.len - i), text.ptr + i);
	return i + used;
}

/* "3 2:5 *": skips before widths. */
struct width *awk_widths_parse(struct awk *a, struct bytes text, size_t *n)
{
	struct width *list = NULL;
	size_t cap = 0;
	size_t i = 0;

	*n = 0;
	while ((i = end_of_blanks(text, i)) < text.len) {
		if (*n + 1 >= cap) {
			list = pool_resize(a->pool, list, cap * sizeof *list,
					   (cap * 2 + 8) * sizeof *list);
			cap = cap * 2 + 8;
		}
		i = parse_width(a, text, i, *n + 1, &list[*n]);
		(*n)++;
	}
	return pool_resize(a->pool, list, cap * sizeof *list, (*n + 1) * sizeof *list);
}

/* --- any text --- */

static size_t end_of_word(struct bytes s, size_t i)
{
	while (i < s.len && !is_blank(s.ptr[i]))
		i++;
	return i;
}

/* Separators in front of the first piece come as the one behind a piece that is NULL. */
static void split_blanks(struct awk *a, struct bytes s, split_fn *fn, void *arg)
{
	size_t i = end_of_blanks(s, 0);

	if (i > 0)
		fn(a, arg, (struct bytes){ NULL, 0 }, bytes_slice(s, 0, i));
	while (i < s.len) {
		size_t end = end_of_word(s, i);
		size_t next = end_of_blanks(s, end);

		fn(a, arg, bytes_slice(s, i, end), bytes_slice(s, end, next));
		i = next;
	}
}

static void split_char(struct awk *a, const struct splitter *sp, struct bytes s, split_fn *fn,
		       void *arg)
{
	size_t from = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != sp->ch && !(sp->newline && s.ptr[i] == '\n'))
			continue;
		fn(a, arg, bytes_slice(s, from, i), bytes_slice(s, i, i + 1));
		from = i + 1;
	}
	fn(a, arg, bytes_slice(s, from, s.len), bytes_slice(s, s.len, s.len));
}

static void split_regex(struct awk *a, struct regex *re, struct bytes s, split_fn *fn, void *arg)
{
	size_t from = 0;
	size_t at = 0;
	struct regex_span m;

	while (at < s.len && awk_regex_find(a, re, s, at, &m, 1) == 0) {
		if (m.to == m.from) {
			at = m.to + 1;
			continue;
		}
		fn(a, arg, bytes_slice(s, from, m.from), bytes_slice(s, m.from, m.to));
		from = at = m.to;
	}
	fn(a, arg, bytes_slice(s, from, s.len), bytes_slice(s, s.len, s.len));
}

static size_t char_length(struct awk *a, struct bytes s, size_t at)
{
	uint32_t c;
	size_t n = a->utf8 ? utf8_decode(s, at, &c) : 1;

	return n != 0 ? n : 1;
}

static void split_chars(struct awk *a, struct bytes s, split_fn *fn, void *arg)
{
	for (size_t i = 0; i < s.len;) {
		size_t n = char_length(a, s, i);

		fn(a, arg, bytes_slice(s, i, i + n), bytes_slice(s, i + n, i + n));
		i += n;
	}
}

void awk_split_text(struct awk *a, const struct splitter *s, struct bytes text, split_fn *fn,
		    void *arg)
{
	if (text.len == 0)
		return;
	awk_work_bytes(a, text.len);
	switch (s->mode) {
	case SPLIT_CHAR: split_char(a, s, text, fn, arg); break;
	case SPLIT_REGEX: split_regex(a, awk_pattern_of(a, s->regex), text, fn, arg); break;
	case SPLIT_CHARS: split_chars(a, text, fn, arg); break;
	default: split_blanks(a, text, fn, arg); break;
	}
}

/* An empty match right behind a piece that is not empty is none. */
void awk_split_by_content(struct awk *a, struct regex *re, struct bytes text, split_fn *fn,
			  void *arg)
{
	size_t at = 0;
	size_t sep = 0;
	size_t barred = SIZE_MAX;
	struct regex_span m;

	while (at <= text.len && awk_regex_find(a, re, text, at, &m, 1) == 0) {
		if (m.from == m.to && m.from == barred) {
			if (m.from >= text.len)
				break;
			at = m.from + char_length(a, text, m.from);
			barred = SIZE_MAX;
			continue;
		}
		fn(a, arg, bytes_slice(text, m.from, m.to), bytes_slice(text, sep, m.from));
		sep = m.to;
		if (m.from == m.to) {
			if (m.to >= text.len)
				break;
			at = m.to + char_length(a, text, m.to);
		} else {
			at = m.to;
			barred = m.to;
		}
	}
	fn(a, arg, (struct bytes){ NULL, 0 }, bytes_slice(text, sep, text.len));
}

/* --- the record --- */

static void add_field(struct awk *a, void *arg, struct bytes piece, struct bytes sep)
{
	(void)arg;
	(void)sep;
	if (piece.ptr == NULL)
		return;
	struct field *f = awk_rec_add(a);

	f->ptr = piece.ptr;
	f->len = piece.len;
}

static void record_blanks(struct awk *a, size_t need)
{
	struct record *r = &a->rec;
	const char *p = r->ptr + r->at;
	const char *end = r->ptr + r->len;

	while (r->nf < need) {
		while (p < end && is_blank(*p))
			p++;
		if (p == end) {
			r->split = true;
			break;
		}
		const char *from = p;

		while (p < end && !is_blank(*p))
			p++;
		struct field *f = awk_rec_add(a);

		f->ptr = from;
		f->len = (size_t)(p - from);
	}
	r->at = (size_t)(p - r->ptr);
}

static void record_char(struct awk *a, size_t need)
{
	struct record *r = &a->rec;
	char ch = a->fs.ch;

	while (r->nf < need && !r->split) {
		const char *from = r->ptr + r->at;
		const char *end = r->ptr + r->len;
		const char *p = from;

		if (a->fs.newline)
			while (p < end && *p != ch && *p != '\n')
				p++;
		else
			while (p < end && *p != ch)
				p++;
		struct field *f = awk_rec_add(a);

		f->ptr = from;
		f->len = (size_t)(p - from);
		r->split = p == end;
		r->at += f->len + 1;
	}
}

static void record_widths(struct awk *a)
{
	struct record *r = &a->rec;
	struct bytes s = { r->ptr, r->len };
	size_t at = 0;

	awk_work_long(a, s.len);
	for (size_t i = 0; i < a->fs.nwidths && at < s.len; i++) {
		struct width w = a->fs.widths[i];
		struct bytes rest = bytes_slice(s, at, s.len);
		size_t skip = a->utf8             ? utf8_offset(rest, w.skip)
			      : w.skip < rest.len ? w.skip
						  : rest.len;

		at += skip;
		rest = bytes_slice(s, at, s.len);
		size_t n = w.width == SIZE_MAX  ? rest.len
			   : a->utf8            ? utf8_offset(rest, w.width)
			   : w.width < rest.len ? w.width
						: rest.len;

		add_field(a, NULL, bytes_slice(rest, 0, n), (struct bytes){ "", 0 });
		at += n;
	}
}

/* "a ""quoted"" field",b: the doubled quotes are taken out, so such fields are values. */
static size_t add_quoted(struct awk *a, struct bytes s, size_t at)
{
	struct str *text = awk_str_alloc(a, 0);
	size_t from = ++at;

	for (; at < s.len; at++) {
		if (s.ptr[at] != '"')
			continue;
		text = awk_str_append(a, text, bytes_slice(s, from, at));
		from = at + 1;
		if (from >= s.len || s.ptr[from] != '"')
			break;
		at++;
	}
	if (at >= s.len)
		text = awk_str_append(a, text, bytes_slice(s, from < s.len ? from : s.len, s.len));
	struct field *f = awk_rec_add(a);

	f->ptr = "";
	f->len = 0;
	f->val = (struct val){ .kind = VAL_INPUT, .u.str = text };
	a->rec.made = a->rec.nf;
	return at < s.len ? at + 1 : s.len;
}

static void record_csv(struct awk *a)
{
	struct bytes s = { a->rec.ptr, a->rec.len };
	size_t at = 0;

	awk_work_long(a, s.len);
	for (;;) {
		const char *comma;

		if (at < s.len && s.ptr[at] == '"') {
			at = add_quoted(a, s, at);
			while (at < s.len && s.ptr[at] != ',')
				at++;
		} else {
			comma = memchr(s.ptr + at, ',', s.len - at);
			size_t end = comma != NULL ? (size_t)(comma - s.ptr) : s.len;

			add_field(a, NULL, bytes_slice(s, at, end), (struct bytes){ "", 0 });
			at = end;
		}
		if (at >= s.len)
			return;
		at++;
	}
}

void awk_split_record(struct awk *a, size_t need)
{
	struct record *r = &a->rec;
	struct bytes text = { r->ptr, r->len };
	size_t at = r->at;

	if (r->len == 0) {
		r->split = true;
		return;
	}
	if (a->fs.mode == SPLIT_BLANKS) {
		record_blanks(a, need);
		awk_work_long(a, r->at - at);
		return;
	}
	if (a->fs.mode == SPLIT_CHAR) {
		record_char(a, need);
		awk_work_long(a, r->at - at);
		return;
	}
	r->split = true;
	if (a->fs.mode == SPLIT_PATTERN)
		awk_split_by_content(a, awk_pattern_of(a, a->fs.regex), text, add_field, NULL);
	else if (a->fs.mode == SPLIT_WIDTHS)
		record_widths(a);
	else if (a->fs.mode == SPLIT_CSV)
		record_csv(a);
	else
		awk_split_text(a, &a->fs, text, add_field, NULL);
}

/* --- split(), patsplit() --- */

struct gather {
	struct array *pieces;
	struct array *seps; /* NULL: not wanted */
	double n;
	bool by_content;
	const char *end; /* of the text: the piece that ends here has no separator behind it */
};

static void gather_piece(struct awk *a, void *arg, struct bytes piece, struct bytes sep)
{
	struct gather *g = arg;

	/* By content a separator comes before its piece, else behind it. */
	if (g->by_content && g->seps != NULL && (piece.ptr != NULL || g->n > 0))
		awk_array_set_num(a, g->seps, g->n, val_bytes(a, sep));
	if (piece.ptr != NULL)
		awk_array_set_num(a, g->pieces, ++g->n, val_input(a, piece));
	if (!g->by_content && g->seps != NULL &&
	    (sep.len != 0 || piece.ptr == NULL || sep.ptr != g->end))
		awk_array_set_num(a, g->seps, g->n, val_bytes(a, sep));
}

static void prepare(struct awk *a, struct gather *g, struct val *args, int n)
{
	g->pieces = args[1].u.array;
	if (n > 3)
		g->seps = args[3].u.array;
	if (g->seps == g->pieces)
		awk_fatal(a, "%s: cannot use the same array for second and fourth args",
			  g->by_content ? "patsplit" : "split");
	if (g->pieces->table != TABLE_NONE)
		awk_table_refuse(a, g->pieces, g->by_content ? "patsplit" : "split");
	awk_array_clear(a, g->pieces);
	if (g->seps != NULL)
		awk_array_clear(a, g->seps);
}

struct val awk_fn_split(struct awk *a, struct val *args, int n)
{
	struct gather g = { .n = 0 };
	struct splitter own = { .mode = SPLIT_BLANKS };
	struct str *text = str_get(awk_val_to_str(a, &args[0]));

	prepare(a, &g, args, n);
	g.end = text->ptr + text->len;
	if (n > 2 && args[2].kind == VAL_REGEX && args[2].u.str->len != 0) {
		own.mode = SPLIT_REGEX;
		own.regex = str_get(args[2].u.str);
	} else {
		struct val fs = n > 2 ? val_get(args[2]) : val_get(a->special[SP_FS]);

		awk_val_to_str(a, &fs);
		awk_split_set_fs(a, &own, &fs, false);
		val_put(a, fs);
	}
	awk_split_text(a, &own, str_bytes(text), gather_piece, &g);
	awk_split_put(a, &own);
	str_put(a, text);
	return val_num(g.n);
}

struct val awk_fn_patsplit(struct awk *a, struct val *args, int n)
{
	struct gather g = { .by_content = true };
	struct str *text = str_get(awk_val_to_str(a, &args[0]));
	struct val pattern = n > 2 ? val_get(args[2]) : val_get(a->special[SP_FPAT]);

	prepare(a, &g, args, n);
	if (text->len != 0)
		awk_split_by_content(a, awk_pattern_of_val(a, &pattern), str_bytes(text),
				     gather_piece, &g);
	val_put(a, pattern);
	str_put(a, text);
	return val_num(g.n);
}
