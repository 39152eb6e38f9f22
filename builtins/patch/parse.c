/* SPDX-License-Identifier: MIT
 *
 * Reading patches. Text that is none is skipped; it is shown when a file can't be found.
 */
#include "builtins/patch/patch.h"

/* Up to `columns` of what mails and listings put in front of lines are left out. */
static struct bytes without_indent(struct bytes s, size_t columns, size_t *taken)
{
	size_t at = 0;
	size_t column = 0;

	for (; at < s.len && column < columns; at++) {
		if (s.ptr[at] == ' ' || s.ptr[at] == 'X')
			column++;
		else if (s.ptr[at] == '\t')
			column += 8 - column % 8;
		else
			break;
	}
	if (taken != NULL)
		*taken = column;
	return bytes_slice(s, at, s.len);
}

static struct bytes line_at(const struct patch_text *t, size_t i)
{
	struct bytes s = i < t->n ? t->line[i] : BYTES("");

	if (t->indent > 0)
		s = without_indent(s, t->indent, NULL);
	return t->strip_cr && s.len > 0 && s.ptr[s.len - 1] == '\r' ? bytes_slice(s, 0, s.len - 1)
								    : s;
}

struct bytes patch_text_line(const struct patch_text *t, size_t i)
{
	return line_at(t, i);
}

static bool starts(struct bytes s, const char *prefix)
{
	return bytes_starts(s, bytes_of(prefix));
}

/* The hunks before are tried first; then it ends patch. Always false. */
static bool bad_patch(struct patch_text *t, const char *what)
{
	t->bad = arena_dup(t->c->arena, bytes_of(what));
	return false;
}

static bool malformed(struct patch_text *t, size_t i)
{
	struct bytes s = line_at(t, i);
	struct buf text = buf_in(t->c->arena);

	buf_printf(&text, "malformed patch at line %zu: %.*s\n", i + 1, (int)s.len, s.ptr);
	return bad_patch(t, buf_cstr(&text));
}

/* Digits at *at of s. */
static bool take_number(struct bytes s, size_t *at, size_t *out)
{
	size_t from = *at;

	*out = 0;
	for (; *at < s.len && byte_is_digit(s.ptr[*at]) && *at - from < 18; ++*at)
		*out = *out * 10 + (size_t)(s.ptr[*at] - '0');
	return *at > from;
}

/* "3" or "3,5". */
static bool take_pair(struct bytes s, size_t *at, size_t *first, size_t *second, bool *has_second)
{
	*has_second = false;
	if (!take_number(s, at, first))
		return false;
	if (*at < s.len && s.ptr[*at] == ',') {
		++*at;
		*has_second = true;
		return take_number(s, at, second);
	}
	return true;
}

/* --- headings --- */

/* "Thu Jan  1 00:00:00 1970", or 1970-01-01 in any zone. */
static bool is_epoch(struct bytes s)
{
	return bytes_find(s, BYTES("1970-01-01 00:00:00")) != NULL ||
	       bytes_find(s, BYTES("Jan  1 00:00:00 1970")) != NULL ||
	       bytes_find(s, BYTES("1969-12-31 ")) != NULL;
}

/* A name in quotes as git and diff write it. */
static char *unquote(struct cmd *c, struct bytes s)
{
	struct buf out = buf_in(c->arena);

	for (size_t i = 1; i < s.len && s.ptr[i] != '"'; i++) {
		const char *hit;

		if (s.ptr[i] != '\\' || i + 1 == s.len) {
			buf_putc(&out, s.ptr[i]);
			continue;
		}
		i++;
		hit = strchr("abtnvfr", s.ptr[i]);
		if (s.ptr[i] >= '0' && s.ptr[i] <= '7' && i + 2 < s.len) {
			buf_putc(&out, (char)((s.ptr[i] - '0') * 64 + (s.ptr[i + 1] - '0') * 8 +
					      s.ptr[i + 2] - '0'));
			i += 2;
		} else {
			buf_putc(&out, hit != NULL ? "\a\b\t\n\v\f\r"[hit - strchr("abtnvfr", 'a')]
						   : s.ptr[i]);
		}
	}
	return buf_cstr(&out);
}

static char *git_name(struct cmd *c, struct bytes s)
{
	return s.len > 0 && s.ptr[0] == '"' ? unquote(c, s) : arena_dup(c->arena, s);
}

static void set_name(struct patch_text *t, struct patch_file *f, int which, struct bytes s)
{
	size_t len = 0;
	const char *tab;

	while (s.len > 0 && byte_is_space((unsigned char)s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	if (s.len > 0 && s.ptr[0] == '"') {
		f->name[which] = unquote(t->c, s);
		if (which < 2 && strcmp(f->name[which], "/dev/null") == 0)
			f->nonexistent[which] = true;
		return;
	}
	tab = memchr(s.ptr, '\t', s.len);
	if (tab != NULL)
		len = (size_t)(tab - s.ptr);
	else
		while (len < s.len && !byte_is_space((unsigned char)s.ptr[len]))
			len++;
	f->name[which] = arena_dup(t->c->arena, bytes_slice(s, 0, len));
	if (which < 2 && len < s.len)
		f->stamp[which] = arena_dup(t->c->arena, bytes_slice(s, len + 1, s.len));
	if (which < 2)
		f->nonexistent[which] = strcmp(f->name[which], "/dev/null") == 0 || is_epoch(s);
}

static uint32_t octal_mode(struct bytes s)
{
	uint32_t mode = 0;

	for (size_t i = 0; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '7'; i++)
		mode = (mode << 3 | (uint32_t)(s.ptr[i] - '0')) & 0177777;
	return mode;
}

/* "a/x b/x" behind "diff --git ". */
static void set_git_names(struct patch_text *t, struct patch_file *f, struct bytes s)
{
	size_t half = s.len / 2;

	if (s.len < 3 || s.ptr[half] != ' ')
		return;
	f->name[0] = arena_dup(t->c->arena, bytes_slice(s, 0, half));
	f->name[1] = arena_dup(t->c->arena, bytes_slice(s, half + 1, s.len));
}

static void take_git_line(struct patch_text *t, struct patch_file *f, struct bytes s)
{
	if (starts(s, "new file mode ")) {
		f->mode[1] = octal_mode(bytes_slice(s, 14, s.len));
		f->says[0] = 2;
	} else if (starts(s, "deleted file mode ")) {
		f->mode[0] = octal_mode(bytes_slice(s, 18, s.len));
		f->says[1] = 2;
	} else if (starts(s, "old mode ") || starts(s, "new mode ")) {
		f->mode[s.ptr[0] == 'n'] = octal_mode(bytes_slice(s, 9, s.len));
	} else if (starts(s, "index ") && bytes_rfind(s, BYTES(" ")) > s.ptr + 5) {
		f->mode[0] = f->mode[1] = octal_mode(
			bytes_slice(s, (size_t)(bytes_rfind(s, BYTES(" ")) + 1 - s.ptr), s.len));
	} else if (starts(s, "rename from ") || starts(s, "copy from ")) {
		size_t skip = s.ptr[0] == 'r' ? 12 : 10;

		f->rename_from = git_name(t->c, bytes_slice(s, skip, s.len));
		f->is_copy = s.ptr[0] == 'c';
	} else if (starts(s, "rename to ") || starts(s, "copy to ")) {
		size_t skip = s.ptr[0] == 'r' ? 10 : 8;

		f->rename_to = git_name(t->c, bytes_slice(s, skip, s.len));
	} else if (starts(s, "GIT binary patch")) {
		f->binary = true;
	}
}

/* --- hunks --- */

static void add_line(struct cmd *c, struct patch_hunk *h, char kind, struct bytes text)
{
	if ((h->n & (h->n - 1)) == 0)
		h->line = arena_grow(c->arena, h->line, h->n * sizeof(*h->line),
				     (h->n * 2 + 1) * sizeof(*h->line));
	h->line[h->n++] = (struct patch_line){ .kind = kind, .text = text };
}

static void add_hunk(struct cmd *c, struct patch_file *f, const struct patch_hunk *h)
{
	if ((f->nhunks & (f->nhunks - 1)) == 0)
		f->hunk = arena_grow(c->arena, f->hunk, f->nhunks * sizeof(*h),
				     (f->nhunks * 2 + 1) * sizeof(*h));
	f->hunk[f->nhunks++] = *h;
}

/* "\ No newline at end of file" behind the last line. */
static void take_unended(struct patch_text *t, struct patch_hunk *h)
{
	if (h->n > 0 && starts(line_at(t, t->at), "\\ ")) {
		h->line[h->n - 1].unended = true;
		t->at++;
	}
}

static bool parse_range(struct bytes s, size_t *at, char sign, size_t *first, size_t *count)
{
	bool has_count;

	while (*at < s.len && s.ptr[*at] == ' ')
		++*at;
	if (*at == s.len || s.ptr[*at] != sign)
		return false;
	++*at;
	*count = 1;
	if (!take_pair(s, at, first, count, &has_count))
		return false;
	*first += *count == 0;
	return true;
}

static bool unified_head(struct bytes s, struct patch_hunk *h)
{
	size_t at = 3;

	if (!starts(s, "@@ -") || !parse_range(s, &at, '-', &h->old_first, &h->old_count) ||
	    !parse_range(s, &at, '+', &h->new_first, &h->new_count))
		return false;
	h->function = bytes_slice(s, at, s.len);
	const char *end = bytes_find(h->function, BYTES("@@"));

	if (end == NULL)
		return false;
	h->function = bytes_slice(s, (size_t)(end - s.ptr) + 2, s.len);
	return true;
}

/* The last line lacks its newline: it does not count. */
static bool is_cut(const struct patch_text *t)
{
	return t->unended && t->at + 1 == t->n;
}

/*
 * The text ends inside a hunk: up to three blank lines of context may have got lost. False: too
 * much is missing.
 */
static bool line_behind_end(struct patch_text *t, struct patch_file *f, size_t old_left,
			    size_t new_left)
{
	struct buf text = buf_in(t->c->arena);

	if (is_cut(t))
		f->torn = f->nhunks + 1;
	if (new_left > 3)
		return bad_patch(t, "unexpected end of file in patch");
	if (old_left > 0 && new_left > 0)
		return true;
	buf_printf(&text, "malformed patch at line %zu:  \n", t->n - is_cut(t));
	return bad_patch(t, buf_cstr(&text));
}

static bool bad_head(struct patch_text *t)
{
	struct bytes s = line_at(t, t->at);
	struct buf text = buf_in(t->c->arena);

	if (s.len > 4 && byte_is_digit(s.ptr[4]))
		return malformed(t, t->at);
	buf_printf(&text, "missing line number at line %zu: %.*s\n", t->at + 1, (int)s.len, s.ptr);
	return bad_patch(t, buf_cstr(&text));
}

static bool has_change(const struct patch_hunk *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->line[i].kind != ' ')
			return true;
	return false;
}

static bool parse_unified_hunk(struct patch_text *t, struct patch_file *f)
{
	struct patch_hunk h = { .n = 0 };

	if (!starts(line_at(t, t->at), "@@ -"))
		return false;
	if (!unified_head(line_at(t, t->at), &h))
		return bad_head(t);
	t->at++;
	size_t old_left = h.old_count;
	size_t new_left = h.new_count;

	while (old_left > 0 || new_left > 0) {
		struct bytes s = line_at(t, t->at);
		char kind = s.len == 0 || s.ptr[0] == '\t' ? ' ' : s.ptr[0];

		if (t->at >= t->n || (is_cut(t) && kind != '\\')) {
			if (!line_behind_end(t, f, old_left--, new_left--))
				return false;
			add_line(t->c, &h, ' ', BYTES(""));
			continue;
		}
		if (strchr(" +-=", kind) == NULL || kind == '\0' ||
		    (kind != '+' && old_left == 0) || (kind != '-' && new_left == 0))
			return malformed(t, t->at);
		kind = kind == '=' ? ' ' : kind;
		add_line(t->c, &h, kind,
			 s.len > 0 && s.ptr[0] != '\t' ? bytes_slice(s, 1, s.len) : s);
		old_left -= kind != '+';
		new_left -= kind != '-';
		t->at++;
		take_unended(t, &h);
		cmd_charge(t->c, 1);
	}
	if (f->torn == f->nhunks + 1)
		t->at = t->n;
	if (h.n > 0 && !has_change(&h))
		return malformed(t, t->at - 1);
	add_hunk(t->c, f, &h);
	return true;
}

/* "*** 1,5 ****": first and last line. */
static bool context_head(struct bytes s, char mark, size_t *first, size_t *count)
{
	size_t at = 4;
	size_t last = 0;
	bool has_last;
	char three[] = { mark, mark, mark, ' ', '\0' };

	if (!starts(s, three) || !take_pair(s, &at, first, &last, &has_last))
		return false;
	if (!has_last)
		last = *first;
	*count = *first == 0 && last == 0 ? 0 : last - *first + 1;
	return at + 4 < s.len && s.ptr[at] == ' ' && s.ptr[at + 1] == mark;
}

/* One half of a context hunk. */
static void parse_half(struct patch_text *t, struct patch_hunk *h, size_t count, char other)
{
	for (size_t i = 0; i < count; i++) {
		struct bytes s = line_at(t, t->at);

		if (t->at >= t->n || s.len == 0 || strchr(" !+-", s.ptr[0]) == NULL ||
		    (s.ptr[0] == other && s.len > 1 && s.ptr[1] == other))
			return;
		/* The blank behind the mark may have been lost. */
		size_t skip = s.len > 1 && byte_is_blank(s.ptr[1]) ? 2 : 1;

		add_line(t->c, h, s.ptr[0], bytes_slice(s, skip, s.len));
		t->at++;
		take_unended(t, h);
	}
}

/* Both halves of a context hunk into one; a half that is missing is the context of the other. */
static bool weave(struct cmd *c, struct patch_hunk *h, const struct patch_hunk *a,
		  const struct patch_hunk *b)
{
	size_t i = 0;
	size_t k = 0;

	while (i < a->n || k < b->n) {
		if (i < a->n && a->line[i].kind != ' ') {
			add_line(c, h, '-', a->line[i].text);
			h->line[h->n - 1].unended = a->line[i++].unended;
		} else if (k < b->n && b->line[k].kind != ' ') {
			add_line(c, h, '+', b->line[k].text);
			h->line[h->n - 1].unended = b->line[k++].unended;
		} else {
			const struct patch_line *l = i < a->n ? &a->line[i] : &b->line[k];

			if ((a->n > 0 && i == a->n) || (b->n > 0 && k == b->n))
				return false;
			add_line(c, h, ' ', l->text);
			h->line[h->n - 1].unended = l->unended;
			i += i < a->n;
			k += k < b->n;
		}
	}
	return true;
}

static void count_kinds(struct patch_hunk *h)
{
	h->old_count = h->new_count = 0;
	for (size_t i = 0; i < h->n; i++) {
		h->old_count += h->line[i].kind != '+';
		h->new_count += h->line[i].kind != '-';
	}
}

static bool parse_context_hunk(struct patch_text *t, struct patch_file *f)
{
	struct patch_hunk h = { .n = 0 };
	struct patch_hunk half[2] = { { .n = 0 }, { .n = 0 } };
	struct buf text = buf_in(t->c->arena);
	size_t begin = t->at + 2; /* counted from 1: where the old lines are announced */
	size_t old_count;
	size_t count;

	if (!starts(line_at(t, t->at), "***************") ||
	    !context_head(line_at(t, t->at + 1), '*', &h.old_first, &old_count))
		return false;
	h.function = bytes_slice(line_at(t, t->at), 15, line_at(t, t->at).len);
	t->at += 2;
	parse_half(t, &half[0], old_count, '-');
	if (half[0].n == 0)
		h.old_first += old_count == 0;
	if (!context_head(line_at(t, t->at), '-', &h.new_first, &count))
		return malformed(t, t->at);
	t->at++;
	h.new_first += count == 0;
	parse_half(t, &half[1], count, '*');
	if (!weave(t->c, &h, &half[0], &half[1]))
		return malformed(t, t->at - 1);
	count_kinds(&h);
	if (h.new_count != count || h.old_count != old_count) {
		buf_printf(&text, "replacement text or line numbers mangled in hunk at line %zu",
			   begin);
		return bad_patch(t, buf_cstr(&text));
	}
	add_hunk(t->c, f, &h);
	return true;
}

static bool normal_head(struct bytes s, size_t range[4], char *letter)
{
	size_t at = 0;
	bool has;

	if (!take_pair(s, &at, &range[0], &range[1], &has))
		return false;
	range[1] = has ? range[1] : range[0];
	if (at == s.len || strchr("acd", s.ptr[at]) == NULL)
		return false;
	*letter = s.ptr[at++];
	if (!take_pair(s, &at, &range[2], &range[3], &has))
		return false;
	range[3] = has ? range[3] : range[2];
	return at == s.len || (at + 1 == s.len && s.ptr[at] == '\r');
}

static bool parse_normal_hunk(struct patch_text *t, struct patch_file *f)
{
	struct patch_hunk h = { .n = 0 };
	size_t range[4];
	char letter;

	if (!normal_head(line_at(t, t->at), range, &letter))
		return false;
	t->at++;
	h.old_count = letter == 'a' ? 0 : range[1] - range[0] + 1;
	h.new_count = letter == 'd' ? 0 : range[3] - range[2] + 1;
	h.old_first = range[0] + (letter == 'a');
	h.new_first = range[2] + (letter == 'd');
	for (size_t i = 0; i < h.old_count + h.new_count; i++) {
		char mark = i < h.old_count ? '<' : '>';
		struct bytes s;

		if (i == h.old_count && letter == 'c' && starts(line_at(t, t->at), "---"))
			t->at++;
		s = line_at(t, t->at);
		if (t->at >= t->n || s.len < 2 || s.ptr[0] != mark)
			return malformed(t, t->at);
		add_line(t->c, &h, mark == '<' ? '-' : '+', bytes_slice(s, 2, s.len));
		t->at++;
		take_unended(t, &h);
	}
	add_hunk(t->c, f, &h);
	return true;
}

/* --- a file's part --- */

/* The format of the hunks that begin at line i, or unknown. */
static enum patch_format format_at(const struct patch_text *t, size_t i)
{
	size_t range[4];
	char letter;
	size_t first, count;
	struct bytes s = line_at(t, i);

	if (starts(s, "@@ -"))
		return PATCH_UNIFIED;
	if (starts(s, "***************") && context_head(line_at(t, i + 1), '*', &first, &count))
		return PATCH_CONTEXT;
	if (normal_head(s, range, &letter) &&
	    (starts(line_at(t, i + 1), "< ") || starts(line_at(t, i + 1), "> ")))
		return PATCH_NORMAL;
	return PATCH_UNKNOWN;
}

static bool ends_in_cr(struct bytes s)
{
	return s.len > 0 && s.ptr[s.len - 1] == '\r';
}

static struct bytes without_cr(struct bytes s)
{
	return ends_in_cr(s) ? bytes_slice(s, 0, s.len - 1) : s;
}

/* "Prereq: WORD": the file has to have that word. */
static void take_version(struct patch_text *t, struct patch_file *f, struct bytes s)
{
	size_t from = 0;

	while (from < s.len && byte_is_space((unsigned char)s.ptr[from]))
		from++;
	size_t to = from;

	while (to < s.len && !byte_is_space((unsigned char)s.ptr[to]))
		to++;
	if (to == from)
		return;
	f->version = arena_dup(t->c->arena, bytes_slice(s, from, to));
	while (to < s.len && byte_is_space((unsigned char)s.ptr[to]))
		to++;
	/* The real one also says where in bytes, and calls it a line. */
	if (to < s.len)
		buf_printf(&f->remark, "Prereq: with multiple words at line %zu of patch\n",
			   (size_t)(t->line[t->at].ptr - t->line[0].ptr));
}

static void take_header(struct patch_text *t, const struct patch_opts *o, struct patch_file *f)
{
	struct bytes s = without_indent(line_at(t, t->at), SIZE_MAX, NULL);
	struct bytes next = without_indent(line_at(t, t->at + 1), SIZE_MAX, NULL);

	if ((starts(s, "--- ") && starts(next, "+++ ")) ||
	    (starts(s, "*** ") && starts(next, "--- "))) {
		f->strip_cr = !o->binary && ends_in_cr(next);
		if (f->strip_cr) {
			s = without_cr(s);
			next = without_cr(next);
		}
		set_name(t, f, 0, bytes_slice(s, 4, s.len));
		set_name(t, f, 1, bytes_slice(next, 4, next.len));
		f->old_header = bytes_slice(s, 4, s.len);
		f->new_header = bytes_slice(next, 4, next.len);
		f->header_line = t->at + 1;
	} else if ((starts(s, "--- ") || starts(s, "+++ ")) &&
		   (f->header_line == 0 || f->header_line != t->at)) {
		/* The other half of the heading got lost. */
		struct bytes name = bytes_slice(s, 4, s.len);

		set_name(t, f, s.ptr[0] == '+', name);
		*(s.ptr[0] == '+' ? &f->new_header : &f->old_header) = name;
	} else if (starts(s, "Prereq:")) {
		take_version(t, f, bytes_slice(s, 7, s.len));
	} else if (starts(s, "Index:")) {
		set_name(t, f, 2, bytes_slice(s, 6, s.len));
	} else if (starts(s, "diff --git ")) {
		f->git = true;
		set_git_names(t, f, bytes_slice(o->binary ? s : without_cr(s), 11, s.len));
	} else if (f->git) {
		take_git_line(t, f, o->binary ? s : without_cr(s));
	}
}

/* A git patch without hunks: only a rename or a mode. */
static bool is_whole_git(const struct patch_file *f)
{
	return f->git && (f->rename_to != NULL || f->mode[1] != 0 || f->says[1] == 2 || f->binary);
}

static void parse_hunks(struct patch_text *t, struct patch_file *f)
{
	bool more = true;

	while (more && t->at < t->n) {
		if (f->format == PATCH_UNIFIED)
			more = parse_unified_hunk(t, f);
		else if (f->format == PATCH_CONTEXT)
			more = parse_context_hunk(t, f);
		else
			more = parse_normal_hunk(t, f);
	}
}

/* Hunks without a name are no patch, unless a file is given or only a normal diff is looked for. */
static bool has_file(const struct patch_opts *o, const struct patch_file *f)
{
	return o->named || f->name[0] != NULL || f->name[1] != NULL || f->name[2] != NULL;
}

/* A side without lines is an empty file, or none if its name or time says so. */
static void set_existence(struct patch_file *f)
{
	const struct patch_hunk *h = f->hunk;

	if (f->nhunks == 0 || f->format == PATCH_NORMAL)
		return;
	if (f->says[0] == 0 && h->old_count == 0 && h->old_first <= 1)
		f->says[0] = f->nonexistent[0] ? 2 : 1;
	if (f->says[1] == 0 && h->new_count == 0 && h->new_first <= 1)
		f->says[1] = f->nonexistent[1] ? 2 : 1;
}

/*
 * Goes to where hunks begin: their format, or unknown at the end. An ed script is told by a line
 * with a dot behind its first command, or by nothing else being there.
 */
static enum patch_format find_hunks(struct patch_text *t, const struct patch_opts *o,
				    struct patch_file *f)
{
	size_t script = SIZE_MAX;
	size_t script_indent = 0;
	char letter;

	for (; t->at < t->n; t->at++) {
		t->indent = 0;
		without_indent(line_at(t, t->at), SIZE_MAX, &f->indent);
		t->indent = f->indent;
		enum patch_format format = format_at(t, t->at);
		struct bytes s = line_at(t, t->at);

		if (script == SIZE_MAX && (!t->unended || t->at + 1 < t->n) &&
		    (o->format == PATCH_UNKNOWN || o->format == PATCH_ED) && has_file(o, f) &&
		    patch_is_ed_command(s, &letter)) {
			script = t->at;
			script_indent = f->indent;
		}
		if (script != SIZE_MAX && bytes_eq(s, BYTES(".")))
			break;
		if (format != PATCH_UNKNOWN &&
		    (o->format == PATCH_UNKNOWN || (int)format == o->format) &&
		    (format != PATCH_NORMAL || !f->git) &&
		    (has_file(o, f) || (format == PATCH_NORMAL && o->format == PATCH_NORMAL)))
			return format;
		t->indent = 0;
		if (f->git && is_whole_git(f) && starts(line_at(t, t->at), "diff --git "))
			return PATCH_UNKNOWN;
		take_header(t, o, f);
		cmd_charge(t->c, 1);
	}
	if (script == SIZE_MAX || is_whole_git(f))
		return PATCH_UNKNOWN;
	if (t->at == t->n && t->unended)
		cmd_puts(t->c, PATCH_CUT);
	t->at = script;
	t->indent = f->indent = script_indent;
	return PATCH_ED;
}

int patch_parse(struct patch_text *t, const struct patch_opts *o, struct patch_file *f)
{
	*f = (struct patch_file){ .intro_from = t->at, .remark = buf_in(t->c->arena) };
	t->strip_cr = false;
	f->format = find_hunks(t, o, f);
	f->intro_to = t->at;
	t->indent = f->format != PATCH_UNKNOWN ? f->indent : 0;
	if (f->format == PATCH_NORMAL)
		f->strip_cr = !o->binary && ends_in_cr(line_at(t, t->at));
	t->strip_cr = f->strip_cr;
	t->bad = NULL;
	if (f->format == PATCH_ED) {
		patch_read_script(t, f);
		return 1;
	}
	if (f->format != PATCH_UNKNOWN)
		parse_hunks(t, f);
	f->bad = t->bad;
	set_existence(f);
	return f->nhunks > 0 || is_whole_git(f) || f->bad != NULL;
}

void patch_reverse(struct cmd *c, struct patch_hunk *h)
{
	struct patch_line *line = arena_array(c->arena, h->n + 1, sizeof(*line));
	size_t n = 0;
	size_t first = h->old_first;
	size_t count = h->old_count;

	/* In a run of changes what is deleted comes first. */
	for (size_t i = 0; i < h->n;) {
		size_t end = i;

		if (h->line[i].kind == ' ') {
			line[n++] = h->line[i++];
			continue;
		}
		while (end < h->n && h->line[end].kind != ' ')
			end++;
		for (int pass = 0; pass < 2; pass++) {
			for (size_t k = i; k < end; k++) {
				if (h->line[k].kind != (pass == 0 ? '+' : '-'))
					continue;
				line[n] = h->line[k];
				line[n++].kind = pass == 0 ? '-' : '+';
			}
		}
		i = end;
	}
	h->line = line;
	h->old_first = h->new_first;
	h->old_count = h->new_count;
	h->new_first = first;
	h->new_count = count;
}
