/* SPDX-License-Identifier: MIT
 *
 * Reading patches: unified ones and git's own, with binary changes.
 */
#include "builtins/git/apply.h"

static bool take(struct applying *p, struct bytes *line)
{
	if (!git_line(&p->rest, line))
		return false;
	p->line++;
	cmd_charge(p->g->c, 1);
	return true;
}

static struct bytes peek(const struct applying *p)
{
	struct bytes rest = p->rest, line = { "", 0 };

	git_line(&rest, &line);
	return line;
}

/* The name without its first parts; NULL: /dev/null. */
static char *strip_name(struct applying *p, struct bytes text)
{
	struct git *g = p->g;
	char *name;
	int n = p->o.strip;

	if (text.len != 0 && text.ptr[0] == '"') {
		const char *at = arena_dup(g->keep, text);

		name = git_unquote(g->keep, &at);
		if (name == NULL)
			return NULL;
	} else {
		const char *tab = memchr(text.ptr, '\t', text.len);

		if (tab != NULL)
			text.len = (size_t)(tab - text.ptr);
		if (text.len != 0 && text.ptr[text.len - 1] == '\r')
			text.len--;
		name = arena_dup(g->keep, text);
	}
	if (strcmp(name, "/dev/null") == 0)
		return NULL;
	for (; n > 0; n--) {
		char *slash = strchr(name, '/');

		if (slash == NULL) {
			p->too_short = true;
			return NULL;
		}
		name = slash + 1;
	}
	if (p->o.directory != NULL)
		name = path_join(g->keep, p->o.directory, name);
	/* Names of git's own diffs begin at the top, those of others where we are. */
	return p->git_names ? name : git_format(g->keep, "%s%s", g->prefix, name);
}

static struct file_patch *new_patch(struct applying *p)
{
	LIST_ROOM(p->g, p->at, p->n, p->cap);
	p->at[p->n] = (struct file_patch){ .mode = { 0, 0 } };
	return &p->at[p->n++];
}

static uint32_t read_mode(struct bytes text)
{
	uint32_t v = 0;

	for (size_t i = 0; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '7' && i < 7; i++)
		v = v << 3 | (uint32_t)(text.ptr[i] - '0');
	return v;
}

/* "a/x b/x": both names are the same. */
static void names_of_header(struct applying *p, struct file_patch *f, struct bytes text)
{
	struct bytes half;

	if (text.len % 2 == 0 || text.ptr[0] == '"')
		return;
	half = bytes_slice(text, 0, text.len / 2);
	if (text.ptr[half.len] != ' ')
		return;
	f->name[0] = strip_name(p, half);
	f->name[1] = strip_name(p, bytes_slice(text, half.len + 1, text.len));
}

/* "1234abc" of "1234abc..5678def 100644"; NULL: no name of an object. */
static const char *blob_prefix(struct git *g, struct bytes v)
{
	const char *dots = bytes_find(v, BYTES(".."));
	size_t n = dots != NULL ? (size_t)(dots - v.ptr) : 0;

	for (size_t i = 0; i < n; i++)
		if (!byte_is_xdigit((unsigned char)v.ptr[i]))
			return NULL;
	return n >= 4 && n <= OID_HEX ? arena_dup(g->keep, bytes_slice(v, 0, n)) : NULL;
}

static int read_percent(struct bytes v)
{
	int n = 0;

	for (size_t i = 0; i < v.len && byte_is_digit((unsigned char)v.ptr[i]) && n <= 100; i++)
		n = n * 10 + (v.ptr[i] - '0');
	return n <= 100 ? n : 0;
}

static bool header_line(struct applying *p, struct file_patch *f, struct bytes line)
{
	static const char *const words[] = { "old mode ",
					     "new mode ",
					     "deleted file mode ",
					     "new file mode ",
					     "rename from ",
					     "rename to ",
					     "copy from ",
					     "copy to ",
					     "similarity index ",
					     "dissimilarity index ",
					     "index " };
	int saved = p->o.strip;

	for (int i = 0; i < 11; i++) {
		size_t n = strlen(words[i]);
		struct bytes v;

		if (!bytes_starts(line, bytes_of(words[i])))
			continue;
		v = bytes_slice(line, n, line.len);
		p->o.strip = saved > 0 ? saved - 1 : 0;
		switch (i) {
		case 0: f->mode[0] = read_mode(v); break;
		case 1: f->mode[1] = read_mode(v); break;
		case 2: f->mode[0] = read_mode(v), f->is_delete = true; break;
		case 3: f->mode[1] = read_mode(v), f->is_new = true; break;
		case 4:
		case 6:
			f->name[0] = strip_name(p, v), f->is_rename = i == 4, f->is_copy = i == 6;
			break;
		case 5:
		case 7: f->name[1] = strip_name(p, v); break;
		case 8:
		case 9: f->similarity = read_percent(v); break;
		case 10:
			f->has_blobs = v.len >= 2 * OID_HEX + 2 && v.ptr[OID_HEX] == '.' &&
				       oid_parse(v.ptr, &f->blob[0]) &&
				       oid_parse(v.ptr + OID_HEX + 2, &f->blob[1]);
			f->blob_prefix = blob_prefix(p->g, v);
			break;
		default: break;
		}
		p->o.strip = saved;
		return true;
	}
	return false;
}

static bool read_number(const char **at, const char *end, size_t *out)
{
	const char *p = *at;

	*out = 0;
	for (; p < end && byte_is_digit((unsigned char)*p); p++)
		*out = *out < SIZE_MAX / 20 ? *out * 10 + (size_t)(*p - '0') : *out;
	if (p == *at)
		return false;
	*at = p;
	return true;
}

static bool read_range(const char **at, const char *end, size_t *from, size_t *count)
{
	*count = 1;
	if (!read_number(at, end, from))
		return false;
	if (*at < end && **at == ',') {
		++*at;
		return read_number(at, end, count);
	}
	return true;
}

static _Noreturn void corrupt(struct applying *p)
{
	git_error(p->g, "corrupt patch at line %zu", p->line);
	git_exit(p->g, GIT_STATUS_FATAL);
}

/* --recount: lines are counted to the end of the hunk. */
static void recount(struct applying *p, struct hunk *h)
{
	struct bytes rest = p->rest, line;

	h->count[0] = h->count[1] = 0;
	while (git_line(&rest, &line)) {
		char sign = line.len != 0 ? line.ptr[0] : ' ';

		if (bytes_starts(line, BYTES("@@ -")) || bytes_starts(line, BYTES("diff ")) ||
		    strchr(" +-\\", sign) == NULL)
			break;
		h->count[0] += sign == ' ' || sign == '-';
		h->count[1] += sign == ' ' || sign == '+';
		cmd_charge(p->g->c, 1);
	}
}

static void read_hunk(struct applying *p, struct file_patch *f)
{
	struct bytes line;
	struct hunk h = { .number = p->line + 1, .source = p->source };
	const char *at;
	const char *end;
	size_t left[2];
	const char *start = p->rest.ptr;

	take(p, &line);
	at = line.ptr + 4;
	end = line.ptr + line.len;
	if (!read_range(&at, end, &h.from[0], &h.count[0]) || end - at < 3 || at[0] != ' ' ||
	    at[1] != '+')
		corrupt(p);
	at += 2;
	if (!read_range(&at, end, &h.from[1], &h.count[1]))
		corrupt(p);
	if (p->o.recount)
		recount(p, &h);
	left[0] = h.count[0];
	left[1] = h.count[1];
	while (left[0] != 0 || left[1] != 0) {
		const char *from = p->rest.ptr;
		struct hunk_line l = { ' ', { "\n", 1 } };

		if (!take(p, &line)) {
			p->line++;
			corrupt(p);
		}
		if (line.len != 0) {
			l.sign = line.ptr[0];
			l.text = (struct bytes){ from + 1, (size_t)(p->rest.ptr - from) - 1 };
		}
		if (strchr(" +-", l.sign) == NULL)
			corrupt(p);
		if ((l.sign != '+' && left[0]-- == 0) || (l.sign != '-' && left[1]-- == 0))
			corrupt(p);
		apply_space_line(p, f, &l);
		f->added += l.sign == '+';
		f->deleted += l.sign == '-';
		if (bytes_starts(peek(p), BYTES("\\ "))) {
			take(p, &line);
			l.text.len -= l.text.len != 0;
		}
		LIST_ROOM(p->g, h.at, h.n, h.cap);
		h.at[h.n++] = l;
	}
	if (bytes_starts(peek(p), BYTES("\\ ")))
		take(p, &line);
	h.raw = (struct bytes){ start, (size_t)(p->rest.ptr - start) };
	LIST_ROOM(p->g, f->hunk, f->n, f->cap);
	f->hunk[f->n++] = h;
}

/* --- binary changes --- */

static _Noreturn void corrupt_binary(struct applying *p, struct bytes line)
{
	git_error(p->g, "corrupt binary patch at line %zu: %.*s", p->line,
		  (int)(line.len < 200 ? line.len : 200), line.ptr);
	git_error(p->g, "No valid patches in input (allow with \"--allow-empty\")");
	git_exit(p->g, GIT_STATUS_FATAL);
}

static int digit85(char ch)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"!#$%&()*+-;<=>?@^_`{|}~";
	const char *at = ch != '\0' ? strchr(digits, ch) : NULL;

	return at != NULL ? (int)(at - digits) : -1;
}

/* A letter for the number of bytes, then five digits for each four of them. */
static bool put_line85(struct buf *out, struct bytes line)
{
	size_t n;

	if (line.len < 6 || (line.len - 1) % 5 != 0)
		return false;
	if (byte_is_upper((unsigned char)line.ptr[0]))
		n = (size_t)(line.ptr[0] - 'A' + 1);
	else if (byte_is_lower((unsigned char)line.ptr[0]))
		n = (size_t)(line.ptr[0] - 'a' + 27);
	else
		return false;
	if ((n + 3) / 4 * 5 != line.len - 1)
		return false;
	for (size_t i = 1; i < line.len; i += 5) {
		uint64_t v = 0;

		for (size_t k = 0; k < 5; k++) {
			int d = digit85(line.ptr[i + k]);

			if (d < 0)
				return false;
			v = v * 85 + (unsigned)d;
		}
		if (v > UINT32_MAX)
			return false;
		for (int shift = 24; shift >= 0 && n > 0; shift -= 8, n--)
			buf_putc(out, (char)(v >> shift & 0xff));
	}
	return true;
}

/* "literal 12" or "delta 34", lines of base 85, a blank line. */
static void read_binary(struct applying *p, struct binary_hunk *h)
{
	struct git *g = p->g;
	struct bytes line = peek(p), packed;
	struct buf text = buf_in(g->a), data = buf_in(g->keep);
	bool delta = bytes_starts(line, BYTES("delta "));
	int64_t size;

	if (!delta && !bytes_starts(line, BYTES("literal ")))
		return;
	take(p, &line);
	if (!git_number(arena_dup(g->a, bytes_slice(line, delta ? 6 : 8, line.len)), &size) ||
	    size < 0)
		corrupt_binary(p, line);
	while (take(p, &line) && line.len != 0)
		if (!put_line85(&text, line))
			corrupt_binary(p, line);
	packed = buf_bytes(&text);
	if (!zlib_inflate(g, &packed, (size_t)size, &data) || data.len != (size_t)size)
		corrupt_binary(p, BYTES(""));
	*h = (struct binary_hunk){ true, delta, buf_bytes(&data) };
}

bool apply_binary(struct applying *p, struct file_patch *f, const char *name, struct bytes text)
{
	struct git *g = p->g;
	const struct binary_hunk *h = &f->bin[0];
	struct oid is;

	if (!f->has_blobs) {
		git_error(g, "cannot apply binary patch to '%s' without full index line", name);
		return false;
	}
	object_hash(OBJECT_BLOB, text, &is);
	if (f->name[0] != NULL && !oid_eq(&is, &f->blob[0])) {
		git_error(g,
			  "the patch applies to '%s' (%s), which does not match the current "
			  "contents.",
			  name, oid_hex(g, &is));
		return false;
	}
	if (!h->there) {
		git_error(g, "cannot reverse-apply a binary patch without the reverse hunk to '%s'",
			  name);
		return false;
	}
	f->result = h->data;
	if (h->delta && !delta_apply(g, g->keep, text, h->data, &f->result)) {
		git_error(g, "binary patch does not apply to '%s'", name);
		return false;
	}
	object_hash(OBJECT_BLOB, f->result, &is);
	if (f->name[1] != NULL && !oid_eq(&is, &f->blob[1])) {
		git_error(g, "binary patch to '%s' creates incorrect result (expecting %s, got %s)",
			  name, oid_hex(g, &f->blob[1]), oid_hex(g, &is));
		return false;
	}
	return true;
}

static void read_file(struct applying *p, bool git)
{
	struct bytes line;
	struct file_patch *f = new_patch(p);

	p->git_names = git;
	if (git) {
		take(p, &line);
		names_of_header(p, f, bytes_slice(line, 11, line.len));
		while (header_line(p, f, peek(p)))
			take(p, &line);
	}
	if (bytes_starts(peek(p), BYTES("GIT binary patch"))) {
		take(p, &line);
		f->binary = true;
		read_binary(p, &f->bin[0]);
		if (!f->bin[0].there)
			corrupt_binary(p, line);
		read_binary(p, &f->bin[1]);
	}
	if (bytes_starts(peek(p), BYTES("Binary files "))) {
		take(p, &line);
		f->binary = true;
	}
	if (bytes_starts(peek(p), BYTES("--- "))) {
		char *one, *two;

		take(p, &line);
		one = strip_name(p, bytes_slice(line, 4, line.len));
		if (!bytes_starts(peek(p), BYTES("+++ ")))
			corrupt(p);
		take(p, &line);
		two = strip_name(p, bytes_slice(line, 4, line.len));
		if (!git || f->name[0] == NULL)
			f->name[0] = one;
		if (!git || f->name[1] == NULL)
			f->name[1] = two;
		f->is_new = f->is_new || one == NULL;
		f->is_delete = f->is_delete || two == NULL;
	}
	if (f->is_new)
		f->name[0] = NULL;
	if (f->is_delete)
		f->name[1] = NULL;
	if (f->name[0] == NULL && f->name[1] == NULL) {
		git_error(p->g,
			  "git diff header lacks filename information when removing %d leading "
			  "pathname component%s (line %zu)",
			  p->o.strip, p->o.strip == 1 ? "" : "s", p->line + 1);
		git_exit(p->g, GIT_STATUS_FATAL);
	}
	if ((f->name[0] == NULL && !f->is_new) || (f->name[1] == NULL && !f->is_delete)) {
		git_error(p->g, "git diff header lacks filename information (line %zu)",
			  p->line + 1);
		git_exit(p->g, GIT_STATUS_FATAL);
	}
	while (bytes_starts(peek(p), BYTES("@@ -")))
		read_hunk(p, f);
}

static _Noreturn void stray(struct applying *p, struct bytes line)
{
	git_error(p->g, "patch fragment without header at line %zu: %.*s", p->line + 1,
		  (int)(line.len < 200 ? line.len : 200), line.ptr);
	git_exit(p->g, GIT_STATUS_FATAL);
}

void apply_read(struct applying *p, struct bytes text)
{
	struct bytes line;

	p->rest = text;
	p->line = 0;
	while (p->rest.len != 0) {
		line = peek(p);
		if (bytes_starts(line, BYTES("diff --git ")))
			read_file(p, true);
		else if (bytes_starts(line, BYTES("--- ")) &&
			 bytes_find(p->rest, BYTES("\n+++ ")) == line.ptr + line.len)
			read_file(p, false);
		else if (bytes_starts(line, BYTES("@@ -")))
			stray(p, line);
		else
			take(p, &line);
	}
}
