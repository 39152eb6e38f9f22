/* SPDX-License-Identifier: MIT
 *
 * What becomes of names: --transform (sed's s command), names that would lead out of the
 * directory made safe, --strip-components.
 */
#include "base/regex.h"

#include "builtins/tar/tar.h"

enum { GROUPS_MAX = 10, STORE_LARGE_BYTES = 1 << 20, STORE_SMALL_REGIONS = 4 };

enum piece_kind { PIECE_TEXT, PIECE_GROUP, PIECE_CASE };

struct piece {
	struct piece *next;
	enum piece_kind kind;
	struct bytes text;
	int group;
	char letter; /* of \U \L \u \l \E */
};

struct tar_xform {
	struct tar_xform *next;
	struct regex *re;
	struct piece *pieces;
	bool global;
	uint64_t number;
	unsigned kinds;
	/* Expressions grow while they are used: in an arena that no release touches, whose
	 * chunks come from the pool and die with the command. */
	struct cmd *c;
	struct store store;
	struct heap heap;
	struct arena arena;
	int store_calls;
};

static void *grow_store(void *user, size_t bytes)
{
	struct tar_xform *x = user;

	if (bytes >= STORE_LARGE_BYTES && x->store_calls < STORE_SMALL_REGIONS) {
		x->store_calls++;
		return NULL;
	}
	return pool_alloc(x->c->pool, bytes);
}

/* --- reading expressions --- */

static void add_piece(struct tar_xform *x, struct piece ***end, struct piece p)
{
	struct piece *copy = arena_alloc(x->c->arena, sizeof *copy);

	*copy = p;
	copy->next = NULL;
	**end = copy;
	*end = &copy->next;
}

static void flush_text(struct tar_xform *x, struct piece ***end, struct buf *text)
{
	if (text->len == 0)
		return;
	add_piece(x, end,
		  (struct piece){ .kind = PIECE_TEXT,
				  .text = arena_bytes(x->c->arena, buf_bytes(text)) });
	text->len = 0;
}

static void parse_replacement(struct tar_xform *x, struct bytes s, char delim)
{
	struct buf text = buf_in(x->c->arena);
	struct piece **end = &x->pieces;

	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (ch == '&' || (ch == '\\' && i + 1 < s.len && byte_is_digit(s.ptr[i + 1]))) {
			flush_text(x, &end, &text);
			add_piece(x, &end,
				  (struct piece){ .kind = PIECE_GROUP,
						  .group = ch == '&' ? 0 : s.ptr[i + 1] - '0' });
			i += ch != '&';
		} else if (ch == '\\' && i + 1 < s.len && strchr("ULulE", s.ptr[i + 1]) != NULL) {
			flush_text(x, &end, &text);
			add_piece(x, &end,
				  (struct piece){ .kind = PIECE_CASE, .letter = s.ptr[++i] });
		} else if (ch == '\\' && i + 1 < s.len) {
			static const char from[] = "abfnrtv";
			static const char to[] = "\a\b\f\n\r\t\v";
			const char *hit = strchr(from, s.ptr[++i]);

			if (hit != NULL && s.ptr[i] != delim)
				buf_putc(&text, to[hit - from]);
			else
				buf_putc(&text, s.ptr[i]);
		} else {
			buf_putc(&text, ch);
		}
	}
	flush_text(x, &end, &text);
}

/* The end of a part: the next delimiter that is not escaped, or NULL. */
static const char *part_end(const char *at, char delim)
{
	for (; *at != '\0' && *at != delim; at++)
		if (*at == '\\' && at[1] != '\0')
			at++;
	return *at == delim ? at : NULL;
}

/* What a letter does to the kinds of names that are changed. False: it is none of those. */
static bool take_kind(unsigned *kinds, char ch)
{
	switch (ch) {
	case 'r': *kinds |= XFORM_FILE; break;
	case 's': *kinds |= XFORM_SYMLINK; break;
	case 'h': *kinds |= XFORM_LINK; break;
	case 'R': *kinds &= ~(unsigned)XFORM_FILE; break;
	case 'S': *kinds &= ~(unsigned)XFORM_SYMLINK; break;
	case 'H': *kinds &= ~(unsigned)XFORM_LINK; break;
	default: return false;
	}
	return true;
}

/* "flags=rsh": of all expressions behind it. */
static int parse_defaults(struct cmd *c, struct tar *t, const char **text)
{
	const char *at = *text + 6;

	for (t->xform_kinds = 0; *at != '\0' && *at != ';'; at++)
		if (!take_kind(&t->xform_kinds, *at))
			return TAR_USAGE(c, "Unknown transform flag: %c", *at);
	*text = at;
	return 0;
}

static int parse_flags(struct cmd *c, struct tar_xform *x, const char **at, unsigned *syntax)
{
	for (; **at != '\0' && **at != ';'; ++*at) {
		char ch = **at;

		if (ch == 'g')
			x->global = true;
		else if (ch == 'i')
			*syntax |= REGEX_ICASE;
		else if (ch == 'x')
			*syntax |= REGEX_ERE;
		else if (byte_is_digit(ch))
			x->number = x->number * 10 + (uint64_t)(ch - '0');
		else if (!take_kind(&x->kinds, ch))
			return TAR_USAGE(c, "Unknown flag in transform expression: %c", ch);
		if (x->number > INT32_MAX)
			x->number = INT32_MAX;
	}
	return 0;
}

static int parse_one(struct cmd *c, struct tar_xform *x, const char **text)
{
	static const char invalid[] = "Invalid transform expression";
	const char *at = *text;
	unsigned syntax = REGEX_BRE | (c->utf8 ? REGEX_UTF8 : 0);
	const char *message;

	if (at[0] != 's' || at[1] == '\0')
		return TAR_USAGE(c, invalid);
	char delim = at[1];
	const char *middle = part_end(at + 2, delim);
	const char *end = middle != NULL ? part_end(middle + 1, delim) : NULL;

	if (end == NULL)
		return TAR_USAGE(c, invalid);
	struct bytes pattern = { at + 2, (size_t)(middle - at - 2) };

	*text = end + 1;
	x->kinds = ((struct tar *)c->opts)->xform_kinds;
	int status = parse_flags(c, x, text, &syntax);

	if (status != 0)
		return status;
	if (regex_compile(&x->arena, pattern, syntax, &x->re, &message, &(size_t){ 0 }) < 0)
		return TAR_USAGE(c, "Invalid transform expression: %s", message);
	regex_set_work(x->re, cmd_work, c);
	parse_replacement(x, (struct bytes){ middle + 1, (size_t)(end - middle - 1) }, delim);
	for (const struct piece *p = x->pieces; p != NULL; p = p->next)
		if (p->kind == PIECE_GROUP && (unsigned)p->group > regex_groups(x->re))
			return TAR_USAGE(
				c, "Invalid transform replacement: back reference out of range");
	return 0;
}

int tar_xform_option(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	for (; *arg != '\0'; arg += *arg == ';') {
		if (strncmp(arg, "flags=", 6) == 0) {
			if (parse_defaults(c, t, &arg) != 0)
				return 2;
			continue;
		}
		struct tar_xform *x = arena_zalloc(c->arena, sizeof *x);

		x->c = c;
		store_init(&x->store, NULL, 0, grow_store, x);
		x->heap = (struct heap){ .store = &x->store };
		arena_init(&x->arena, &x->heap, c->arena->fail);
		x->arena.work = c->arena->work;
		int status = parse_one(c, x, &arg);

		if (status != 0)
			return status;
		*t->xforms_end = x;
		t->xforms_end = &x->next;
	}
	return 0;
}

/* --- using them --- */

struct letters {
	char all;  /* U, L or 0 */
	char once; /* u, l or 0 */
};

static void put_letters(struct buf *out, struct bytes text, struct letters *l)
{
	for (size_t i = 0; i < text.len; i++) {
		int ch = (unsigned char)text.ptr[i];

		if (l->once != 0)
			ch = l->once == 'u' ? byte_to_upper(ch) : byte_to_lower(ch);
		else if (l->all != 0)
			ch = l->all == 'U' ? byte_to_upper(ch) : byte_to_lower(ch);
		l->once = 0;
		buf_putc(out, (char)ch);
	}
}

static void put_replacement(const struct tar_xform *x, struct bytes text,
			    const struct regex_span *spans, struct buf *out)
{
	struct letters l = { 0, 0 };

	for (const struct piece *p = x->pieces; p != NULL; p = p->next) {
		struct regex_span span = spans[p->group];

		if (p->kind == PIECE_TEXT)
			put_letters(out, p->text, &l);
		else if (p->kind == PIECE_GROUP && span.from != SIZE_MAX)
			put_letters(out, bytes_slice(text, span.from, span.to), &l);
		else if (p->kind == PIECE_CASE && byte_is_lower(p->letter))
			l.once = p->letter;
		else if (p->kind == PIECE_CASE)
			l = (struct letters){ p->letter == 'E' ? 0 : p->letter, 0 };
	}
}

static char *transform(struct tar *t, struct tar_xform *x, const char *name)
{
	struct regex_span spans[GROUPS_MAX];
	struct bytes text = bytes_of(name);
	struct buf out = buf_in(t->c->arena);
	size_t copied = 0;
	size_t from = 0;
	uint64_t count = 0;

	while (from <= text.len && regex_search(x->re, text, from, 0, spans, GROUPS_MAX) == 0) {
		struct regex_span m = spans[0];

		cmd_charge(t->c, 1);
		if (++count >= x->number) {
			buf_add(&out, bytes_slice(text, copied, m.from));
			put_replacement(x, text, spans, &out);
			copied = m.to;
			if (!x->global)
				break;
		}
		from = m.to;
		if (m.from == m.to) {
			if (from < text.len && copied <= from) {
				buf_add(&out, bytes_slice(text, copied, from + 1));
				copied = from + 1;
			}
			from++;
		}
	}
	if (copied < text.len)
		buf_add(&out, bytes_slice(text, copied, text.len));
	return buf_cstr(&out);
}

char *xform_name(struct tar *t, const char *name, enum xform_kind kind)
{
	const char *at = name;

	for (struct tar_xform *x = t->xforms; x != NULL; x = x->next)
		if (x->kinds & kind)
			at = transform(t, x, at);
	return at == name ? arena_dup(t->c->arena, bytes_of(name))
			  : arena_dup(t->c->arena, bytes_of(at));
}

/* --- names that would lead out --- */

bool tar_has_dotdot(const char *path)
{
	for (;;) {
		if (path[0] == '.' && path[1] == '.' && (path[2] == '/' || path[2] == '\0'))
			return true;
		path = strchr(path, '/');
		if (path == NULL)
			return false;
		path++;
	}
}

/* How much of a name must go: through the last "..", and slashes. */
static size_t unsafe_prefix(const char *name)
{
	size_t prefix = 0;
	const char *p = name;

	while (*p != '\0') {
		if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
			prefix = (size_t)(p + 2 - name);
		do {
			if (*p++ == '/')
				break;
		} while (*p != '\0');
	}
	while (name[prefix] == '/')
		prefix++;
	return prefix;
}

/* Whether a prefix was not told before. The list lives in the pool. */
static bool is_new(struct tar *t, struct bytes *seen, struct bytes prefix)
{
	struct bytes rest = *seen;

	while (rest.len > 0) {
		struct bytes one = bytes_of(rest.ptr);

		if (bytes_eq(one, prefix))
			return false;
		rest = bytes_slice(rest, one.len + 1, rest.len);
	}
	char *grown = pool_resize(t->c->pool, (char *)(uintptr_t)seen->ptr, seen->len,
				  seen->len + prefix.len + 1);

	memcpy(grown + seen->len, prefix.ptr, prefix.len);
	grown[seen->len + prefix.len] = '\0';
	*seen = (struct bytes){ grown, seen->len + prefix.len + 1 };
	return true;
}

const char *xform_safe(struct tar *t, const char *name, bool link)
{
	enum { SEEN_MAX = 65536 };
	struct bytes *seen = link ? &t->seen_links : &t->seen_prefixes;
	size_t n;

	if (t->absolute)
		return name;
	n = unsafe_prefix(name);
	if (n > 0 && seen->len < SEEN_MAX && is_new(t, seen, (struct bytes){ name, n })) {
		char *prefix = arena_dup(t->c->arena, (struct bytes){ name, n });

		tar_warn(t, 0,
			 link ? "Removing leading `%s' from hard link targets"
			      : "Removing leading `%s' from member names",
			 prefix);
	}
	if (name[n] != '\0')
		return name + n;
	if (n == 0)
		tar_warn(t, 0,
			 link ? "Substituting `.' for empty hard link target"
			      : "Substituting `.' for empty member name");
	return ".";
}

static const char *strip(const struct tar *t, const char *name)
{
	for (uint64_t i = 0; i < t->strip; i++) {
		const char *slash = strchr(name, '/');

		if (slash == NULL)
			return "";
		name = slash + strspn(slash, "/");
	}
	return name;
}

void xform_member(struct tar *t, struct tar_member *m)
{
	m->name = strip(t, xform_safe(t, xform_name(t, m->name, XFORM_FILE), false));
	if (m->type == '2')
		m->link = xform_name(t, m->link, XFORM_SYMLINK);
	else if (m->type == '1')
		m->link = strip(t, xform_safe(t, xform_name(t, m->link, XFORM_LINK), true));
}
