/* SPDX-License-Identifier: MIT
 *
 * git apply: patches to files, to the index, or both. All or nothing.
 */
#include "builtins/git/diff.h"

struct apply_opts {
	bool check, cached, index, reverse, stat, numstat, summary, three_way, verbose, quiet,
		reject, apply_anyway, no_add, recount, allow_empty, unidiff_zero, ignore_space,
		inaccurate_eof;
	int strip;
	int context;
	const char *directory;
	const char *whitespace;
	struct names exclude, include;
};

static const struct git_option apply_options[] = {
	GIT_LIST(0, "exclude", struct apply_opts, exclude),
	GIT_LIST(0, "include", struct apply_opts, include),
	GIT_INT('p', NULL, struct apply_opts, strip),
	GIT_FLAG(0, "stat", struct apply_opts, stat),
	GIT_FLAG(0, "numstat", struct apply_opts, numstat),
	GIT_FLAG(0, "summary", struct apply_opts, summary),
	GIT_FLAG(0, "check", struct apply_opts, check),
	GIT_FLAG(0, "index", struct apply_opts, index),
	GIT_FLAG(0, "cached", struct apply_opts, cached),
	GIT_FLAG(0, "apply", struct apply_opts, apply_anyway),
	GIT_MISSING('3', "3way"),
	GIT_INT('C', NULL, struct apply_opts, context),
	GIT_STR(0, "whitespace", struct apply_opts, whitespace),
	GIT_FLAG('R', "reverse", struct apply_opts, reverse),
	GIT_FLAG(0, "unidiff-zero", struct apply_opts, unidiff_zero),
	GIT_MISSING(0, "reject"),
	GIT_MISSING(0, "recount"),
	GIT_MISSING(0, "ignore-whitespace"),
	GIT_FLAG('v', "verbose", struct apply_opts, verbose),
	GIT_FLAG('q', "quiet", struct apply_opts, quiet),
	GIT_STR(0, "directory", struct apply_opts, directory),
	GIT_FLAG(0, "allow-empty", struct apply_opts, allow_empty),
	GIT_END(),
};
static const char *const apply_usage[] = { "git apply [<options>] [<patch>...]", NULL };

struct hunk_line {
	char sign;
	struct bytes text; /* with its newline, unless the file has none there */
};

struct hunk {
	size_t from[2], count[2];
	struct hunk_line *at;
	size_t n, cap;
	size_t number; /* of its line in the patch */
};

/* One direction of a binary change. */
struct binary_hunk {
	bool there;
	bool delta; /* against the other side, else all of it */
	struct bytes data;
};

struct file_patch {
	char *name[2]; /* NULL: /dev/null */
	uint32_t mode[2];
	bool is_new, is_delete, is_rename, is_copy, binary;
	struct hunk *hunk;
	size_t n, cap;
	size_t added, deleted;
	struct binary_hunk bin[2]; /* forwards, backwards */
	struct oid blob[2];        /* what the index line says, if it says all of it */
	bool has_blobs;
	/* the outcome */
	struct bytes result;
	uint32_t result_mode;
};

struct applying {
	struct git *g;
	struct apply_opts o;
	struct bytes rest;
	size_t line; /* counted from 1 */
	const char *source;
	bool git_names;
	bool too_short; /* a name had fewer parts than -p takes */
	struct file_patch *at;
	size_t n, cap;
};

/* --- reading --- */

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
		case 10:
			f->has_blobs = v.len >= 2 * OID_HEX + 2 && v.ptr[OID_HEX] == '.' &&
				       oid_parse(v.ptr, &f->blob[0]) &&
				       oid_parse(v.ptr + OID_HEX + 2, &f->blob[1]);
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

static void read_hunk(struct applying *p, struct file_patch *f)
{
	struct bytes line;
	struct hunk h = { .number = p->line + 1 };
	const char *at;
	const char *end;
	size_t left[2];

	take(p, &line);
	at = line.ptr + 4;
	end = line.ptr + line.len;
	if (!read_range(&at, end, &h.from[0], &h.count[0]) || end - at < 3 || at[0] != ' ' ||
	    at[1] != '+')
		corrupt(p);
	at += 2;
	if (!read_range(&at, end, &h.from[1], &h.count[1]))
		corrupt(p);
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

static bool patch_binary(struct applying *p, struct file_patch *f, const char *name,
			 struct bytes text)
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
	while (bytes_starts(peek(p), BYTES("@@ -")))
		read_hunk(p, f);
}

static _Noreturn void stray(struct applying *p, struct bytes line)
{
	git_error(p->g, "patch fragment without header at line %zu: %.*s", p->line + 1,
		  (int)(line.len < 200 ? line.len : 200), line.ptr);
	git_exit(p->g, GIT_STATUS_FATAL);
}

static void read_all(struct applying *p, struct bytes text)
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

static void reverse_all(struct applying *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct file_patch *f = &p->at[i];
		char *name = f->name[0];
		uint32_t mode = f->mode[0];
		bool fresh = f->is_new;
		size_t added = f->added;

		f->name[0] = f->name[1];
		f->name[1] = name;
		f->mode[0] = f->mode[1];
		f->mode[1] = mode;
		f->is_new = f->is_delete;
		f->is_delete = fresh;
		f->added = f->deleted;
		f->deleted = added;
		struct binary_hunk bin = f->bin[0];
		struct oid blob = f->blob[0];

		f->bin[0] = f->bin[1];
		f->bin[1] = bin;
		f->blob[0] = f->blob[1];
		f->blob[1] = blob;
		for (size_t k = 0; k < f->n; k++) {
			struct hunk *h = &f->hunk[k];
			size_t from = h->from[0], count = h->count[0];

			h->from[0] = h->from[1];
			h->count[0] = h->count[1];
			h->from[1] = from;
			h->count[1] = count;
			for (size_t j = 0; j < h->n; j++)
				h->at[j].sign = h->at[j].sign == '+'   ? '-'
						: h->at[j].sign == '-' ? '+'
								       : ' ';
		}
	}
}

/* --- where a hunk fits --- */

static bool fits(struct git *g, const struct hunk *h, const struct bytes *line, size_t n, size_t at)
{
	for (size_t j = 0; j < h->n; j++) {
		if (h->at[j].sign == '+')
			continue;
		if (at >= n || !bytes_eq(line[at], h->at[j].text))
			return false;
		at++;
	}
	cmd_charge(g->c, 1);
	return true;
}

static size_t locate(struct git *g, const struct apply_opts *o, const struct hunk *h,
		     const struct bytes *line, size_t n, size_t floor, size_t guess)
{
	bool at_end = h->n != 0 && h->at[h->n - 1].sign != ' ' && !o->unidiff_zero;
	bool at_begin = h->from[0] <= 1 && !o->unidiff_zero;

	if (h->n != 0 && h->at[0].sign == ' ' && h->from[0] > 1)
		at_begin = false;
	if (at_begin)
		return floor == 0 && fits(g, h, line, n, 0) && (!at_end || h->count[0] == n)
			       ? 0
			       : SIZE_MAX;
	if (at_end)
		return n >= h->count[0] && n - h->count[0] >= floor &&
				       fits(g, h, line, n, n - h->count[0])
			       ? n - h->count[0]
			       : SIZE_MAX;
	for (size_t d = 0; d <= n; d++) {
		if (guess + d <= n && guess + d >= floor && fits(g, h, line, n, guess + d))
			return guess + d;
		if (d != 0 && d <= guess && guess - d >= floor && fits(g, h, line, n, guess - d))
			return guess - d;
	}
	return SIZE_MAX;
}

static bool patch_text(struct applying *p, struct file_patch *f, const char *name,
		       struct bytes text)
{
	struct git *g = p->g;
	struct bytes *line;
	size_t n = lines_split(g->a, text, &line);
	struct buf out = buf_in(g->keep);
	size_t done = 0;
	int64_t shift = 0;

	for (size_t k = 0; k < f->n; k++) {
		const struct hunk *h = &f->hunk[k];
		int64_t guess = (int64_t)(h->from[0] > 0 && h->count[0] > 0 ? h->from[0] - 1
									    : h->from[0]) +
				shift;
		size_t want = guess < 0 ? 0 : (size_t)guess > n ? n : (size_t)guess;
		size_t at = locate(g, &p->o, h, line, n, done, want);

		if (at == SIZE_MAX) {
			git_error(g, "patch failed: %s:%zu", name, h->from[0]);
			git_error(g, "%s: patch does not apply", name);
			return false;
		}
		if (p->o.verbose && at != want)
			git_say(g, "Hunk #%zu succeeded at %zu (offset %lld line%s).\n", k + 1,
				at + 1, (long long)at - (long long)want, "s");
		shift += (int64_t)at - (int64_t)want;
		for (; done < at; done++)
			buf_add(&out, line[done]);
		for (size_t j = 0; j < h->n; j++)
			if (h->at[j].sign != '-')
				buf_add(&out, h->at[j].text);
		done = at + h->count[0];
	}
	for (; done < n; done++)
		buf_add(&out, line[done]);
	f->result = (struct bytes){ buf_cstr(&out), out.len };
	return true;
}

/* --- files --- */

static bool load_old(struct applying *p, struct file_patch *f, struct bytes *text, uint32_t *mode)
{
	struct git *g = p->g;
	const char *name = f->name[0];
	struct vfs_stat st;
	struct entry *e = NULL;

	/* An earlier part of the patch may have made it. */
	for (size_t i = 0; &p->at[i] != f; i++)
		if (p->at[i].name[1] != NULL && strcmp(p->at[i].name[1], name) == 0) {
			*text = p->at[i].result;
			*mode = p->at[i].result_mode;
			return true;
		}
	if (p->o.index || p->o.cached) {
		e = index_find(index_get(g), name);
		if (e == NULL) {
			git_error(g, "%s: does not exist in index", name);
			return false;
		}
	}
	if (p->o.cached) {
		*mode = e->mode;
		return object_read(g, g->keep, &e->oid, text) == OBJECT_BLOB;
	}
	if (cmd_lstat(g->c, name, &st) < 0) {
		git_error(g, "%s: %s", name, err_text(-E_NOENT));
		return false;
	}
	if (p->o.index && index_check(g, index_get(g), e, NULL) != ENTRY_SAME) {
		git_error(g, "%s: does not match index", name);
		return false;
	}
	*mode = work_mode(g, &st, e);
	if (g->dir != NULL)
		return work_read(g, g->keep, name, *mode, text) >= 0;
	return file_read(g, g->keep, name, text) == 0;
}

static bool gone_before(const struct applying *p, const struct file_patch *f, const char *name)
{
	for (size_t i = 0; &p->at[i] != f; i++)
		if (p->at[i].name[0] != NULL && strcmp(p->at[i].name[0], name) == 0 &&
		    (p->at[i].name[1] == NULL || p->at[i].is_rename))
			return true;
	return false;
}

/* Whether a directory on the way is a symbolic link. */
static bool through_link(struct git *g, const char *path)
{
	for (const char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
		char *part = git_format(g->a, "%.*s", (int)(p - path), path);
		struct vfs_stat st;

		if (cmd_lstat(g->c, part, &st) == 0 && (st.mode & S_FMT) == S_LNK)
			return true;
	}
	return false;
}

static bool check_file(struct applying *p, struct file_patch *f)
{
	struct git *g = p->g;
	struct bytes text = { "", 0 };
	uint32_t mode = MODE_FILE;
	const char *name = f->name[0] != NULL ? f->name[0] : f->name[1];

	if (p->o.verbose)
		git_say(g, "Checking patch %s...\n", name);
	if (f->name[0] != NULL && !load_old(p, f, &text, &mode))
		return false;
	if (f->name[1] != NULL && (f->name[0] == NULL || strcmp(f->name[0], f->name[1]) != 0) &&
	    !gone_before(p, f, f->name[1])) {
		if ((p->o.index || p->o.cached) && index_has(index_get(g), f->name[1])) {
			git_error(g, "%s: already exists in index", f->name[1]);
			return false;
		}
		if (!p->o.cached && file_exists(g, f->name[1])) {
			git_error(g, "%s: already exists in working directory", f->name[1]);
			return false;
		}
	}
	for (int k = 0; k < 2; k++)
		if (f->name[k] != NULL && !path_safe(f->name[k])) {
			git_error(g, "invalid path '%s'", f->name[k]);
			git_exit(g, GIT_STATUS_FATAL);
		}
	if (f->name[1] != NULL && through_link(g, f->name[1])) {
		git_error(g, "affected file '%s' is beyond a symbolic link", f->name[1]);
		return false;
	}
	if (f->binary && !patch_binary(p, f, name, text)) {
		git_error(g, "%s: patch does not apply", name);
		return false;
	}
	if (!f->binary && !patch_text(p, f, name, text))
		return false;
	f->result_mode = f->mode[1] != 0 ? f->mode[1] : mode;
	return true;
}

static void write_files(struct applying *p)
{
	struct git *g = p->g;
	struct index *x = p->o.index || p->o.cached ? index_get(g) : NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];

		if (f->name[0] == NULL || f->is_copy ||
		    (f->name[1] != NULL && strcmp(f->name[0], f->name[1]) == 0))
			continue;
		if (x != NULL)
			index_remove(x, f->name[0]);
		if (!p->o.cached)
			work_remove(g, f->name[0]);
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];
		struct vfs_stat st;
		struct oid o;

		if (f->name[1] == NULL)
			continue;
		if (!p->o.cached)
			work_write_bytes(g, f->name[1], f->result_mode, f->result);
		if (p->o.verbose)
			git_say(g, "Applied patch %s cleanly.\n", f->name[1]);
		if (x == NULL)
			continue;
		object_write(g, OBJECT_BLOB, f->result, &o);
		struct entry *e = index_put(x, f->name[1], f->result_mode, &o);

		if (!p->o.cached && cmd_lstat(g->c, f->name[1], &st) == 0)
			index_stat(g, e, &st);
	}
	if (x != NULL)
		index_write(g, x);
}

static void show(struct applying *p)
{
	struct git *g = p->g;
	struct buf out = buf_in(g->a);
	size_t added = 0, deleted = 0, width = 0, most = 0, digits = 1;

	for (size_t i = 0; i < p->n; i++) {
		const char *name = p->at[i].name[1] != NULL ? p->at[i].name[1] : p->at[i].name[0];
		size_t w = strlen(name);

		width = w > width ? w : width;
		most = p->at[i].added + p->at[i].deleted > most ? p->at[i].added + p->at[i].deleted
								: most;
		added += p->at[i].added;
		deleted += p->at[i].deleted;
	}
	for (size_t v = most; v >= 10; v /= 10)
		digits++;
	for (size_t i = 0; i < p->n; i++) {
		const struct file_patch *f = &p->at[i];
		const char *name = f->name[1] != NULL ? f->name[1] : f->name[0];
		size_t a = f->added, d = f->deleted, total = a + d;

		if (p->o.numstat && f->binary)
			buf_printf(&out, "-\t-\t%s\n", git_quoted(g, name));
		else if (p->o.numstat)
			buf_printf(&out, "%zu\t%zu\t%s\n", a, d, git_quoted(g, name));
		if (!p->o.stat)
			continue;
		if (most > 60) {
			a = a * 60 / most;
			d = total * 60 / most - a;
		}
		buf_printf(&out, " %-*s |", (int)(width < 50 ? width : 50), name);
		if (f->binary) {
			buf_puts(&out, "  Bin\n");
			continue;
		}
		buf_printf(&out, " %*zu ", digits < 4 ? 4 : (int)digits, total);
		buf_fill(&out, '+', a);
		buf_fill(&out, '-', d);
		buf_putc(&out, '\n');
	}
	if (p->o.stat) {
		buf_printf(&out, " %zu file%s changed", p->n, p->n == 1 ? "" : "s");
		if (added != 0 || deleted == 0)
			buf_printf(&out, ", %zu insertion%s(+)", added, added == 1 ? "" : "s");
		if (deleted != 0 || added == 0)
			buf_printf(&out, ", %zu deletion%s(-)", deleted, deleted == 1 ? "" : "s");
		buf_putc(&out, '\n');
	}
	for (size_t i = 0; p->o.summary && i < p->n; i++) {
		const struct file_patch *f = &p->at[i];

		if (f->is_new)
			buf_printf(&out, " create mode %06o %s\n", f->mode[1], f->name[1]);
		else if (f->is_delete)
			buf_printf(&out, " delete mode %06o %s\n", f->mode[0], f->name[0]);
	}
	cmd_bytes(g->c, buf_bytes(&out));
}

/* long: read, check, write */
int git_cmd_apply(struct git *g, struct args *args)
{
	struct applying p = { .g = g, .o = { .strip = 1 } };
	const struct git_parser parser = { apply_options, &p.o, apply_usage, 0, NULL };
	bool only_show, good = true;

	git_parse(g, args, &parser);
	if (p.o.exclude.n + p.o.include.n != 0)
		git_refuse(g, "apply --include and --exclude");
	if (p.o.cached && p.o.index)
		p.o.index = false;
	if ((p.o.index || p.o.cached) && g->dir == NULL)
		git_die(g, "'%s' outside a repository", p.o.index ? "--index" : "--cached");
	for (int i = 0; i < args->argc || i == 0; i++) {
		struct bytes text;
		int err = 0;

		if (args->argc == 0 || strcmp(args->argv[i], "-") == 0)
			text = file_stdin(g);
		else
			err = file_read(g, g->keep, path_join(g->a, g->start, args->argv[i]),
					&text);
		if (err < 0) {
			git_error(g, "can't open patch '%s': %s", args->argv[i], err_text(err));
			return GIT_STATUS_FATAL;
		}
		read_all(&p, text);
	}
	if (p.n == 0 && !p.o.allow_empty) {
		git_error(g, "No valid patches in input (allow with \"--allow-empty\")");
		return GIT_STATUS_FATAL;
	}
	if (p.o.reverse)
		reverse_all(&p);
	/* What is outside of the directory we are in is left alone. */
	size_t kept = 0;

	for (size_t i = 0; i < p.n; i++)
		if (git_starts(p.at[i].name[1] != NULL ? p.at[i].name[1] : p.at[i].name[0],
			       g->prefix))
			p.at[kept++] = p.at[i];
	p.n = kept;
	only_show = (p.o.stat || p.o.numstat || p.o.summary) && !p.o.apply_anyway;
	for (size_t i = 0; i < p.n && (!only_show || p.o.check); i++)
		good = check_file(&p, &p.at[i]) && good;
	if (!good)
		return 1;
	if (!only_show && !p.o.check)
		write_files(&p);
	show(&p);
	return 0;
}
