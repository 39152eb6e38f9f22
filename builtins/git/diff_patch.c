/* SPDX-License-Identifier: MIT
 *
 * The unified text of one pair: header, hunks, colours.
 */
#include "builtins/git/moved.h"
#include "builtins/git/blanks.h"
#include "builtins/git/submodule.h"
#include "builtins/git/transport.h"
#include "builtins/git/userdiff.h"

enum { FAST = 1 }; /* git's level of compression */

struct patch {
	struct git *g;
	struct diff_opts *o;
	struct buf *out;
	struct lines l;
	const struct userdiff *names; /* of functions */
	const char *words;            /* what makes a word, or NULL */
	const char *meta, *frag, *func, *old, *new, *context, *space, *reset;
	size_t function_from; /* lines before it were searched */
	struct bytes function;
	const void *pair;     /* the one that is shown */
	size_t blank_from[2]; /* of each file, where blank lines at its end begin; 0: none came */
	size_t old_line;      /* the next one of the old file */
	unsigned rules;       /* of white space */
};

static void set_colors(struct patch *p)
{
	p->meta = diff_escape(p->o, p->g, "meta");
	p->frag = diff_escape(p->o, p->g, "frag");
	p->func = diff_escape(p->o, p->g, "func");
	p->old = diff_escape(p->o, p->g, "old");
	p->new = diff_escape(p->o, p->g, "new");
	p->context = diff_escape(p->o, p->g, "context");
	p->space = diff_escape(p->o, p->g, "whitespace");
	p->reset = p->o->use_color ? COLOR_RESET : "";
}

/* --- header --- */

static void put_name(struct git *g, struct buf *out, const char *prefix, const char *path)
{
	/* Outside of repositories paths may be absolute; in headers they are not. */
	path += path[0] == '/';
	git_quote(g, out, git_format(g->a, "%s%s", prefix, path));
}

static void meta_line(struct patch *p, const char *text)
{
	buf_printf(p->out, "%s%s%s\n", p->meta, text, p->reset);
}

static const char *short_oid(struct patch *p, struct diff_file *f, bool full)
{
	if (f->mode != 0 && !f->oid_known) {
		struct oid head;

		if (f->mode == MODE_GITLINK && submodule_head(p->g, f->path, &head)) {
			f->oid = head;
			f->oid_known = true;
			return full ? oid_hex(p->g, &head)
				    : git_format(p->g->a, "%.*s",
						 p->o->abbrev != 0 ? p->o->abbrev
								   : oid_default_length(p->g),
						 oid_hex(p->g, &head));
		}
		if (f->mode == MODE_GITLINK || !diff_load(p->g, f))
			return oid_short(p->g, &oid_null, p->o->abbrev);
		object_hash(OBJECT_BLOB, f->data, &f->oid);
		f->oid_known = true;
	}
	if (full)
		return oid_hex(p->g, &f->oid);
	if (oid_is_null(&f->oid)) {
		int n = p->o->abbrev != 0 ? p->o->abbrev : oid_default_length(p->g);

		return git_format(p->g->a, "%.*s", n, oid_hex(p->g, &f->oid));
	}
	return oid_short(p->g, &f->oid, p->o->abbrev);
}

static void put_renamed(struct patch *p, const struct diff_pair *d)
{
	struct git *g = p->g;

	if (d->status == 'R' || d->status == 'C') {
		const char *word = d->status == 'R' ? "rename" : "copy";

		meta_line(p, git_format(g->a, "similarity index %d%%", d->score * 100 / SCORE_MAX));
		meta_line(p, git_format(g->a, "%s from %s", word, git_quoted(g, d->one->path)));
		meta_line(p, git_format(g->a, "%s to %s", word, git_quoted(g, d->two->path)));
	} else if (diff_is_rewrite(d)) {
		meta_line(p,
			  git_format(g->a, "dissimilarity index %d%%", d->score * 100 / SCORE_MAX));
	}
}

static void put_modes(struct patch *p, const struct diff_pair *d)
{
	struct git *g = p->g;

	if (d->one->mode == 0) {
		meta_line(p, git_format(g->a, "new file mode %06o", d->two->mode));
	} else if (d->two->mode == 0) {
		meta_line(p, git_format(g->a, "deleted file mode %06o", d->one->mode));
	} else if (d->one->mode != d->two->mode) {
		meta_line(p, git_format(g->a, "old mode %06o", d->one->mode));
		meta_line(p, git_format(g->a, "new mode %06o", d->two->mode));
	}
	put_renamed(p, d);
}

static void put_index_line(struct patch *p, struct diff_pair *d)
{
	bool full = p->o->full_index || (p->o->binary && (diff_is_binary(p->g, p->o, d->one) ||
							  diff_is_binary(p->g, p->o, d->two)));
	const char *a = short_oid(p, d->one, full);
	const char *b = short_oid(p, d->two, full);

	if (strcmp(oid_hex(p->g, &d->one->oid), oid_hex(p->g, &d->two->oid)) == 0)
		return;
	if (d->one->mode == d->two->mode)
		meta_line(p, git_format(p->g->a, "index %s..%s %06o", a, b, d->one->mode));
	else
		meta_line(p, git_format(p->g->a, "index %s..%s", a, b));
}

static void put_header(struct patch *p, struct diff_pair *d)
{
	struct buf line = buf_in(p->g->a);

	buf_puts(&line, "diff --git ");
	put_name(p->g, &line, p->o->src_prefix, d->one->path);
	buf_putc(&line, ' ');
	put_name(p->g, &line, p->o->dst_prefix, d->two->path);
	meta_line(p, buf_cstr(&line));
	put_modes(p, d);
	put_index_line(p, d);
}

static void put_file_line(struct patch *p, const char *sign, const char *prefix,
			  const struct diff_file *f)
{
	struct buf line = buf_in(p->g->a);

	buf_puts(&line, sign);
	if (f->mode == 0)
		buf_puts(&line, "/dev/null");
	else
		put_name(p->g, &line, prefix, f->path);
	buf_printf(p->out, "%s%s%s", p->meta, buf_cstr(&line), p->reset);
	/* So that patch(1) sees where the name ends. */
	if (f->mode != 0 && strchr(f->path, ' ') != NULL)
		buf_putc(p->out, '\t');
	buf_putc(p->out, '\n');
}

/* --- lines --- */

static bool is_function(const struct patch *p, struct bytes line)
{
	return userdiff_function(p->g, p->names, line, NULL);
}

static void find_function(struct patch *p, size_t before)
{
	const struct lines_file *f = &p->l.file[0];

	for (size_t i = before; i > p->function_from; i--)
		if (userdiff_function(p->g, p->names, f->line[i - 1], &p->function))
			break;
	p->function_from = before;
}

/* A line whose white space errors are marked. */
static void put_marked(struct patch *p, const char *color, char sign, struct bytes text)
{
	const struct blanks_colors colors = { color, p->space, p->reset };

	buf_printf(p->out, "%s%c%s", color, sign, p->reset);
	blanks_put(text, p->rules, &colors, p->out);
}

static unsigned note_moved(struct patch *p, char sign, struct bytes text)
{
	if (sign == ' ' || p->o->moving == NULL)
		return 0;
	return moved_line(p->o->moving, p->pair, p->out->len, sign, text);
}

static void put_line(struct patch *p, char sign, struct bytes line)
{
	bool ended = line.len != 0 && line.ptr[line.len - 1] == '\n';
	struct bytes text = ended ? bytes_slice(line, 0, line.len - 1) : line;
	int kind = sign == '+' ? 0 : sign == '-' ? 1 : 2;
	const char *color = kind == 0 ? p->new : kind == 1 ? p->old : p->context;
	const unsigned marks[] = { SPACE_NEW, SPACE_OLD, SPACE_CONTEXT };
	char shown = p->o->indicators[kind] != '\0' ? p->o->indicators[kind] : sign;
	unsigned moved = note_moved(p, sign, text);

	if (moved != 0)
		color = moved_color(p->g, p->o, sign, moved);

	if (!p->o->use_color) {
		buf_putc(p->out, shown);
		buf_add(p->out, text);
	} else if (p->o->space_marks & marks[kind]) {
		put_marked(p, color, shown, text);
	} else {
		bool cr = bytes_ends(text, BYTES("\r"));

		buf_printf(p->out, "%s%c", color, shown);
		buf_add(p->out, bytes_slice(text, 0, text.len - cr));
		buf_printf(p->out, "%s%s", p->reset, cr ? "\r" : "");
	}
	buf_putc(p->out, '\n');
	if (sign != ' ' && p->o->moving != NULL)
		moved_line_end(p->o->moving, p->out->len);
	if (!ended) {
		buf_printf(p->out, "%s\\ No newline at end of file%s\n",
			   p->o->use_color ? p->context : "", p->reset);
	}
}

static void put_range(struct buf *out, size_t from, size_t count)
{
	buf_printf(out, "%zu", count == 0 ? from : from + 1);
	if (count != 1)
		buf_printf(out, ",%zu", count);
}

static void put_hunk_head(struct patch *p, size_t a, size_t na, size_t b, size_t nb)
{
	buf_printf(p->out, "%s@@ -", p->frag);
	put_range(p->out, a, na);
	buf_puts(p->out, " +");
	put_range(p->out, b, nb);
	buf_printf(p->out, " @@%s", p->reset);
	find_function(p, a);
	if (p->function.len != 0) {
		buf_printf(p->out, "%s %s%s", p->context, p->reset, p->func);
		buf_add(p->out, p->function);
		buf_puts(p->out, p->reset);
	}
	buf_putc(p->out, '\n');
}

/* The change behind the last one of the hunk that begins at i. */
static size_t hunk_end(const struct patch *p, size_t i)
{
	size_t context = (size_t)p->o->context;
	size_t common = 2 * context + (p->o->inter_hunk > 0 ? (size_t)p->o->inter_hunk : 0);
	const struct lines_change *c = p->l.change;
	size_t last = i;
	size_t ignored = 0;
	size_t j = i + 1;

	for (; j < p->l.n; j++) {
		size_t distance = c[j].from[0] - (c[j - 1].from[0] + c[j - 1].count[0]);

		if (distance > common)
			break;
		if (distance < context && (!c[j].ignored || last == j - 1)) {
			last = j;
			ignored = 0;
		} else if (distance < context && c[j].ignored) {
			ignored += c[j].count[1];
		} else if (last != j - 1 &&
			   c[j].from[0] + ignored - (c[last].from[0] + c[last].count[0]) > common) {
			break;
		} else if (!c[j].ignored) {
			last = j;
			ignored = 0;
		} else {
			ignored += c[j].count[1];
		}
	}
	return last + 1;
}

/* Ignored changes in front of a hunk that are too far from it. */
static size_t skip_ignored(const struct patch *p, size_t i)
{
	const struct lines_change *c = p->l.change;
	size_t from = i;

	for (; i < p->l.n && c[i].ignored; i++)
		if (i + 1 == p->l.n ||
		    c[i + 1].from[0] - (c[i].from[0] + c[i].count[0]) >= (size_t)p->o->context)
			from = i + 1;
	return from;
}

void diff_count_hunks(struct git *g, struct diff_opts *o, const struct lines *l,
		      struct diff_counts *out)
{
	const struct patch p = { .g = g, .o = o, .l = *l };

	for (size_t i = skip_ignored(&p, 0); i < l->n;) {
		size_t end = hunk_end(&p, i);

		for (; i < end; i++) {
			out->added += l->change[i].count[1];
			out->deleted += l->change[i].count[0];
		}
		i = skip_ignored(&p, end);
	}
}

/* Where a hunk begins and ends in both files. */
struct span {
	size_t from[2];
	size_t to[2];
};

/* Words are compared in lines that all end. */
static void add_ended(struct buf *b, struct bytes line)
{
	buf_add(b, line);
	if (line.len == 0 || line.ptr[line.len - 1] != '\n')
		buf_putc(b, '\n');
}

/* A line in which no word changes. */
static void put_same(struct patch *p, struct bytes line)
{
	bool porcelain = p->o->words == WORDS_PORCELAIN;

	if (line.len != 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	if (porcelain)
		buf_putc(p->out, ' ');
	if (line.len != 0 || porcelain) {
		buf_puts(p->out, p->context);
		buf_add(p->out, line);
		buf_puts(p->out, p->reset);
	}
	buf_puts(p->out, porcelain ? "\n~\n" : "\n");
}

static void put_words(struct patch *p, size_t i, size_t end, const struct span *s)
{
	const struct lines_file *f = p->l.file;
	size_t at = s->from[1];

	for (; i <= end; i++) {
		struct buf minus = buf_in(p->g->a);
		struct buf plus = buf_in(p->g->a);
		size_t to = i < end ? p->l.change[i].from[1] : s->to[1];

		for (; at < to; at++)
			put_same(p, f[1].line[at]);
		if (i == end)
			break;
		const struct lines_change *c = &p->l.change[i];

		for (size_t k = 0; k < c->count[0]; k++)
			add_ended(&minus, f[0].line[c->from[0] + k]);
		for (size_t k = 0; k < c->count[1]; k++)
			add_ended(&plus, f[1].line[c->from[1] + k]);
		diff_words_hunk(p->g, p->o, p->words, buf_bytes(&minus), buf_bytes(&plus), p->out);
		at = c->from[1] + c->count[1];
	}
}

static bool is_blank(struct bytes line)
{
	return lines_blank(line, LINES_IGNORE_ALL_SPACE);
}

/* More blank lines at the end than there were are marked. */
static void find_blank_end(struct patch *p)
{
	size_t blank[2] = { 0, 0 };

	for (int k = 0; k < 2; k++) {
		const struct lines_file *f = &p->l.file[k];

		while (blank[k] < f->n && is_blank(f->line[f->n - 1 - blank[k]]))
			blank[k]++;
		p->blank_from[k] = f->n - blank[k] + 1;
		cmd_charge(p->g->c, blank[k] + 1);
	}
	if (blank[1] <= blank[0])
		p->blank_from[0] = p->blank_from[1] = 0;
}

static void put_added(struct patch *p, size_t at)
{
	struct bytes line = p->l.file[1].line[at];

	if (!p->o->use_color || !(p->o->space_marks & SPACE_NEW) || p->blank_from[1] == 0 ||
	    !(p->rules & RULE_EOF) || at + 1 < p->blank_from[1] || p->old_line < p->blank_from[0] ||
	    !is_blank(line)) {
		put_line(p, '+', line);
		return;
	}
	if (bytes_ends(line, BYTES("\n")))
		line.len--;
	note_moved(p, '+', line);
	buf_printf(p->out, "%s%c%.*s%s\n", p->space,
		   p->o->indicators[0] != '\0' ? p->o->indicators[0] : '+', (int)line.len, line.ptr,
		   p->reset);
	if (p->o->moving != NULL)
		moved_line_end(p->o->moving, p->out->len);
}

static void put_lines(struct patch *p, size_t i, size_t end, const struct span *s)
{
	const struct lines_file *f = p->l.file;
	size_t at = s->from[1];

	p->old_line = s->from[0] + (s->to[0] != s->from[0]);
	for (; i < end; i++) {
		const struct lines_change *c = &p->l.change[i];

		p->old_line += c->from[1] - at + c->count[0];
		for (; at < c->from[1]; at++)
			put_line(p, ' ', f[1].line[at]);
		for (size_t k = 0; k < c->count[0]; k++)
			put_line(p, '-', f[0].line[c->from[0] + k]);
		for (size_t k = 0; k < c->count[1]; k++)
			put_added(p, c->from[1] + k);
		at += c->count[1];
	}
	for (; at < s->to[1]; at++)
		put_line(p, ' ', f[1].line[at]);
}

/* -W: the hunk grows upwards to the function its first change is in, with what stands right
 * above it; not if whole functions were added behind the last line. */
static void grow_up(const struct patch *p, size_t i, struct span *s)
{
	const struct lines_file *f = p->l.file;
	size_t at = p->l.change[i].from[0];

	if (at >= f[0].n) {
		for (size_t k = p->l.change[i].from[1]; k < f[1].n; k++)
			if (is_function(p, f[1].line[k]))
				return;
		if (f[0].n == 0)
			return;
		at = f[0].n - 1;
	}
	while (at > 0 && !is_function(p, f[0].line[at]))
		at--;
	while (at > 0 && !is_blank(f[0].line[at - 1]) && !is_function(p, f[0].line[at - 1]))
		at--;
	if (at < s->from[0]) {
		s->from[1] -= s->from[0] - at;
		s->from[0] = at;
	}
	cmd_charge(p->g->c, 1 + s->to[0] - s->from[0]);
}

/* ... and downwards to the next function, without the blank lines in front of it. */
static void grow_down(const struct patch *p, size_t end, struct span *s)
{
	const struct lines_file *f = p->l.file;
	const struct lines_change *last = &p->l.change[end - 1];
	size_t at = last->from[0] + last->count[0];

	while (at < f[0].n && !is_function(p, f[0].line[at]))
		at++;
	while (at < f[0].n && at > 0 && is_blank(f[0].line[at - 1]))
		at--;
	if (at > s->to[0]) {
		s->to[1] += at - s->to[0];
		s->to[0] = at;
	}
	s->to[1] = s->to[1] < f[1].n ? s->to[1] : f[1].n;
	cmd_charge(p->g->c, 1 + s->to[0] - s->from[0]);
}

/* Whether a hunk up to line `to` of the old file takes in change i. */
static bool reaches(const struct patch *p, size_t i, size_t to)
{
	const struct lines_file *f = &p->l.file[0];
	size_t at = p->l.change[i].from[0];

	if (f->n == 0)
		return true;
	at = at < f->n ? at : f->n - 1;
	if (at <= to + (size_t)p->o->context)
		return true;
	cmd_charge(p->g->c, 1 + (at - to) / 8);
	for (; at > to; at--)
		if (is_function(p, f->line[at]))
			return false;
	return true;
}

/* The lines around the changes i to end. */
static struct span span_of(const struct patch *p, size_t i, size_t end)
{
	const struct lines_change *first = &p->l.change[i];
	const struct lines_change *last = &p->l.change[end - 1];
	size_t before = (size_t)p->o->context;
	size_t after = before;
	struct span s;

	for (int w = 0; w < 2; w++) {
		size_t rest = p->l.file[w].n - (last->from[w] + last->count[w]);

		before = before < first->from[w] ? before : first->from[w];
		after = after < rest ? after : rest;
	}
	for (int w = 0; w < 2; w++) {
		s.from[w] = first->from[w] - before;
		s.to[w] = last->from[w] + last->count[w] + after;
	}
	return s;
}

/* Shows the hunk that begins with change i; the change behind it. */
static size_t put_hunk(struct patch *p, size_t i)
{
	size_t end = hunk_end(p, i);
	struct span s = span_of(p, i, end);

	if (p->o->function_context) {
		grow_up(p, i, &s);
		grow_down(p, end, &s);
		/* Changes that it reaches now, or that are in the same function, are part of it. */
		while (end < p->l.n && reaches(p, end, s.to[0])) {
			size_t from[2] = { s.from[0], s.from[1] };

			end = hunk_end(p, end);
			s = span_of(p, i, end);
			s.from[0] = from[0];
			s.from[1] = from[1];
			grow_down(p, end, &s);
		}
	}
	put_hunk_head(p, s.from[0], s.to[0] - s.from[0], s.from[1], s.to[1] - s.from[1]);
	if (p->o->words != WORDS_OFF)
		put_words(p, i, end, &s);
	else
		put_lines(p, i, end, &s);
	cmd_charge(p->g->c, 1 + (s.to[1] - s.from[1]) / 2);
	return end;
}

/* --- binary files --- */

static void put_base85(struct buf *out, struct bytes data)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"!#$%&()*+-;<=>?@^_`{|}~";

	for (size_t i = 0; i < data.len; i += 52) {
		size_t n = data.len - i < 52 ? data.len - i : 52;

		buf_putc(out, (char)(n <= 26 ? 'A' + (int)n - 1 : 'a' + (int)n - 27));
		for (size_t j = 0; j < n; j += 4) {
			uint32_t v = 0;
			char five[5];

			for (size_t k = 0; k < 4; k++)
				v = v << 8 | (j + k < n ? (unsigned char)data.ptr[i + j + k] : 0);
			for (int k = 4; k >= 0; k--) {
				five[k] = digits[v % 85];
				v /= 85;
			}
			buf_put(out, five, 5);
		}
		buf_putc(out, '\n');
	}
	buf_putc(out, '\n');
}

/* One side whole, or as a delta of the other where that takes less. */
static void put_side(struct patch *p, struct bytes from, struct bytes to)
{
	struct git *g = p->g;
	struct buf whole = buf_in(g->a), delta = buf_in(g->a), packed = buf_in(g->a);
	struct delta_index *x;

	zlib_deflate(g, to, FAST, &whole);
	x = to.len != 0 ? delta_index_new(g, g->a, from) : NULL;
	if (x != NULL && delta_make(g, x, to, whole.len, &delta))
		zlib_deflate(g, buf_bytes(&delta), FAST, &packed);
	if (packed.len != 0 && packed.len < whole.len) {
		buf_printf(p->out, "delta %zu\n", delta.len);
		whole = packed;
	} else {
		buf_printf(p->out, "literal %zu\n", to.len);
	}
	put_base85(p->out, buf_bytes(&whole));
}

static void put_binary(struct patch *p, struct diff_pair *d)
{
	struct buf line = buf_in(p->g->a);

	if (p->o->binary) {
		buf_puts(p->out, "GIT binary patch\n");
		put_side(p, d->one->data, d->two->data);
		put_side(p, d->two->data, d->one->data);
		return;
	}
	buf_puts(&line, "Binary files ");
	if (d->one->mode == 0)
		buf_puts(&line, "/dev/null");
	else
		put_name(p->g, &line, p->o->src_prefix, d->one->path);
	buf_puts(&line, " and ");
	if (d->two->mode == 0)
		buf_puts(&line, "/dev/null");
	else
		put_name(p->g, &line, p->o->dst_prefix, d->two->path);
	buf_puts(&line, " differ\n");
	buf_add(p->out, buf_bytes(&line));
}

/* --- one pair --- */

/* Of a file that was rewritten all lines go and all come. */
static void put_rewrite(struct patch *p, const struct diff_pair *d)
{
	const struct diff_file *side[2] = { d->one, d->two };
	struct lines_file *f = p->l.file;

	for (int k = 0; k < 2; k++)
		f[k].n = lines_split(p->g->a, side[k]->data, &f[k].line);
	put_file_line(p, "--- ", p->o->src_prefix, d->one);
	put_file_line(p, "+++ ", p->o->dst_prefix, d->two);
	buf_printf(p->out, "%s@@ -", p->frag);
	if (p->o->irreversible)
		buf_puts(p->out, "?,?");
	else
		put_range(p->out, 0, f[0].n);
	buf_puts(p->out, " +");
	put_range(p->out, 0, f[1].n);
	buf_printf(p->out, " @@%s\n", p->reset);
	for (size_t i = 0; i < f[0].n && !p->o->irreversible; i++)
		put_line(p, '-', f[0].line[i]);
	for (size_t i = 0; i < f[1].n; i++)
		put_line(p, '+', f[1].line[i]);
	cmd_charge(p->g->c, f[0].n + f[1].n);
}

static void put_pair(struct patch *p, struct diff_pair *d)
{
	size_t header = p->out->len;
	size_t body;
	struct diff_pair shown = *d;

	p->pair = d->two->mode != 0 ? d->two : d->one;

	diff_load(p->g, d->one);
	diff_load(p->g, d->two);
	put_header(p, d);
	body = p->out->len;
	if (diff_has_textconv(p->g, p->o, d->one))
		shown.one = diff_textconv(p->g, d->one);
	if (diff_has_textconv(p->g, p->o, d->two))
		shown.two = diff_textconv(p->g, d->two);
	d = &shown;
	if (p->o->irreversible && d->two->mode == 0)
		return;
	if (diff_is_binary(p->g, p->o, d->one) || diff_is_binary(p->g, p->o, d->two)) {
		if (!bytes_eq(d->one->data, d->two->data))
			put_binary(p, d);
		return;
	}
	if (bytes_eq(d->one->data, d->two->data))
		return;
	p->names = userdiff_names(p->g, d);
	p->rules = blanks_rules(p->g, d->two->path);
	if (p->o->words != WORDS_OFF)
		p->words = p->o->word_regex != NULL ? p->o->word_regex : userdiff_words(p->g, d);
	if (diff_is_rewrite(d)) {
		put_rewrite(p, d);
		return;
	}
	diff_lines(p->g, p->g->a, p->o, d, &p->l);
	bool any = false;

	find_blank_end(p);
	for (size_t i = skip_ignored(p, 0); i < p->l.n;) {
		if (!any) {
			put_file_line(p, "--- ", p->o->src_prefix, d->one);
			put_file_line(p, "+++ ", p->o->dst_prefix, d->two);
		}
		any = true;
		i = skip_ignored(p, put_hunk(p, i));
	}
	/* Nothing but white space that does not count: not even a header, if only content changed.
	 */
	if (!any &&
	    ((p->o->lines & (LINES_SPACE | LINES_IGNORE_BLANK_LINES)) || p->o->nignored != 0) &&
	    p->out->len == body && d->one->mode == d->two->mode && d->status == 'M')
		p->out->len = header;
}

void diff_put_notes(struct git *g, struct diff_opts *o, struct diff_pair *d, struct buf *out)
{
	struct patch p = { .g = g, .o = o, .out = out };

	set_colors(&p);
	put_renamed(&p, d);
	put_index_line(&p, d);
}

bool diff_splits(struct git *g, const struct diff_pair *d, struct diff_pair out[2])
{
	struct diff_file *none;

	if (d->one->mode == 0 || d->two->mode == 0 ||
	    (d->one->mode & S_FMT) == (d->two->mode & S_FMT))
		return false;
	out[0] = (struct diff_pair){ .one = d->one, .status = 'D' };
	out[1] = (struct diff_pair){ .two = d->two, .status = 'A' };
	for (int k = 0; k < 2; k++) {
		none = diff_file_new(g, k == 0 ? d->one->path : d->two->path, 0, &oid_null);
		none->loaded = true;
		none->data = (struct bytes){ "", 0 };
		*(k == 0 ? &out[0].two : &out[1].one) = none;
	}
	return true;
}

static void put_pair_or_change(struct patch *p, struct diff_pair *d)
{
	if (p->o->submodule_format != SUBMODULE_SHORT &&
	    (d->one->mode == 0 || d->one->mode == MODE_GITLINK) &&
	    (d->two->mode == 0 || d->two->mode == MODE_GITLINK))
		submodule_put_change(p->g, p->o, d, p->out);
	else
		put_pair(p, d);
}

void diff_patch(struct git *g, struct diff_opts *o, struct diff_pair *d, struct buf *out)
{
	struct patch p = { .g = g, .o = o, .out = out };
	struct diff_pair half[2];

	set_colors(&p);
	if (d->status == 'U') {
		buf_printf(out, "%s* Unmerged path %s%s\n", p.meta, git_quoted(g, d->one->path),
			   p.reset);
		return;
	}
	if (!diff_splits(g, d, half)) {
		put_pair_or_change(&p, d);
		return;
	}
	put_pair_or_change(&p, &half[0]);
	p = (struct patch){ .g = g, .o = o, .out = out };
	set_colors(&p);
	put_pair_or_change(&p, &half[1]);
}
