/* SPDX-License-Identifier: MIT
 *
 * semver - versions as semver.org has them: checked, sorted, chosen by ranges, incremented. npm's
 * command of that name.
 *
 * A range is several sets, of which one must hold; a set is comparators (>=1.2.3), all of which
 * must hold. ^ ~ - and 1.x are written out as such. A version with a prerelease is only chosen if
 * a comparator names one of the same version.
 */
#include "builtins/builtin.h"

enum { PART_MAX_DIGITS = 16, BOUNDS_MAX = 64 };
static const uint64_t part_max = 9007199254740991; /* JavaScript's */

struct version {
	uint64_t part[3];
	struct bytes pre; /* "beta.1"; empty: none */
};

/* A version of which parts may be missing: 1, 1.x, *. */
struct partial {
	struct version v;
	int parts; /* how many are given */
};

enum comparison { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL };

struct comparator {
	enum comparison op;
	struct version v;
};

struct set {
	struct comparator bound[BOUNDS_MAX];
	int n;
};

struct semver_opts {
	bool loose;
	bool prereleases;
	bool coerce;
	bool rtl;
	const char *increment;
	const char *preid;
	const char *base;
};

/* --- reading versions --- */

struct reader {
	struct bytes s;
	size_t at;
	bool loose;
};

static char peek(const struct reader *r)
{
	return r->at < r->s.len ? r->s.ptr[r->at] : '\0';
}

static bool take_part(struct reader *r, uint64_t *out)
{
	size_t from = r->at;

	*out = 0;
	while (byte_is_digit(peek(r)) && r->at - from < PART_MAX_DIGITS)
		*out = *out * 10 + (uint64_t)(r->s.ptr[r->at++] - '0');
	return r->at > from && !byte_is_digit(peek(r)) && *out <= part_max &&
	       (r->loose || r->s.ptr[from] != '0' || r->at == from + 1);
}

static bool is_number(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_digit(s.ptr[i]))
			return false;
	return s.len > 0;
}

/* Identifiers between dots, of letters, digits and hyphens. */
static bool take_identifiers(struct reader *r, bool numbers_checked, struct bytes *out)
{
	size_t begin = r->at;

	for (;;) {
		size_t from = r->at;

		while (byte_is_alnum((unsigned char)peek(r)) || peek(r) == '-')
			r->at++;
		struct bytes one = bytes_slice(r->s, from, r->at);

		if (one.len == 0)
			return false;
		if (numbers_checked && !r->loose && one.len > 1 && one.ptr[0] == '0' &&
		    is_number(one))
			return false;
		if (peek(r) != '.')
			break;
		r->at++;
	}
	*out = bytes_slice(r->s, begin, r->at);
	return true;
}

/* "-beta.1+build" behind the numbers; what is built is forgotten. */
static bool take_suffix(struct reader *r, struct version *v)
{
	struct bytes build;

	v->pre = BYTES("");
	if (peek(r) == '-' || (r->loose && byte_is_alpha((unsigned char)peek(r)))) {
		r->at += peek(r) == '-';
		if (!take_identifiers(r, true, &v->pre))
			return false;
	}
	if (peek(r) != '+')
		return true;
	r->at++;
	return take_identifiers(r, false, &build);
}

static void skip_prefix(struct reader *r)
{
	while (peek(r) == 'v' || peek(r) == '=' || byte_is_space((unsigned char)peek(r)))
		r->at++;
}

static bool parse_version(struct bytes s, bool loose, struct version *v)
{
	struct reader r = { .s = bytes_trim(s), .loose = loose };

	skip_prefix(&r);
	for (int i = 0; i < 3; i++) {
		if (i > 0 && peek(&r) != '.')
			return false;
		r.at += i > 0;
		if (!take_part(&r, &v->part[i]))
			return false;
	}
	return take_suffix(&r, v) && r.at == r.s.len;
}

static bool parse_partial(struct bytes s, bool loose, struct partial *p)
{
	struct reader r = { .s = s, .loose = loose };
	bool wild = false;

	*p = (struct partial){ .v.pre = BYTES("") };
	skip_prefix(&r);
	for (int i = 0; i < 3 && r.at < s.len; i++) {
		if (i > 0 && peek(&r) != '.')
			return false;
		r.at += i > 0;
		if (peek(&r) == 'x' || peek(&r) == 'X' || peek(&r) == '*') {
			r.at++;
			wild = true;
		} else if (!take_part(&r, &p->v.part[i])) {
			return false;
		} else if (!wild) {
			p->parts++;
		} else {
			p->v.part[i] = 0;
		}
	}
	return r.at == s.len || (take_suffix(&r, &p->v) && r.at == r.s.len);
}

/* --- order --- */

static struct bytes next_identifier(struct bytes *rest)
{
	const char *dot = rest->len > 0 ? memchr(rest->ptr, '.', rest->len) : NULL;
	size_t n = dot != NULL ? (size_t)(dot - rest->ptr) : rest->len;
	struct bytes one = bytes_slice(*rest, 0, n);

	*rest = bytes_slice(*rest, dot != NULL ? n + 1 : n, rest->len);
	return one;
}

static int compare_identifiers(struct bytes a, struct bytes b)
{
	bool a_number = is_number(a);
	bool b_number = is_number(b);

	if (a_number != b_number)
		return a_number ? -1 : 1;
	if (a_number && a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return bytes_cmp(a, b);
}

static int compare_pre(struct bytes a, struct bytes b)
{
	if (a.len == 0 || b.len == 0)
		return (a.len == 0) - (b.len == 0);
	while (a.len > 0 && b.len > 0) {
		struct bytes one = next_identifier(&a);
		struct bytes other = next_identifier(&b);
		int order = compare_identifiers(one, other);

		if (order != 0)
			return order;
	}
	return (a.len > 0) - (b.len > 0);
}

static int compare(const struct version *a, const struct version *b)
{
	for (int i = 0; i < 3; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return compare_pre(a->pre, b->pre);
}

/* --- ranges --- */

static void add_bound(struct set *s, enum comparison op, uint64_t major, uint64_t minor,
		      uint64_t patch, struct bytes pre)
{
	if (s->n < BOUNDS_MAX)
		s->bound[s->n++] = (struct comparator){ op, { { major, minor, patch }, pre } };
}

/* Below the next version in which part `i` is larger, and its prereleases. */
static void add_below_next(struct set *s, const struct version *v, int i)
{
	add_bound(s, LESS, v->part[0] + (i == 0), i >= 1 ? v->part[1] + (i == 1) : 0,
		  i >= 2 ? v->part[2] + 1 : 0, BYTES("0"));
}

static void add_from(struct set *s, const struct partial *p, bool prereleases)
{
	struct bytes least = prereleases ? BYTES("0") : BYTES("");

	add_bound(s, GREATER_EQUAL, p->v.part[0], p->v.part[1], p->v.part[2],
		  p->parts == 3 ? p->v.pre : least);
}

static void add_caret(struct set *s, const struct partial *p, bool prereleases)
{
	const uint64_t *part = p->v.part;
	int i = part[0] != 0 || p->parts == 1 ? 0 : part[1] != 0 || p->parts == 2 ? 1 : 2;

	if (p->parts == 0)
		return;
	add_from(s, p, prereleases);
	add_below_next(s, &p->v, i);
}

static void add_tilde(struct set *s, const struct partial *p, bool prereleases)
{
	if (p->parts == 0)
		return;
	add_from(s, p, prereleases);
	add_below_next(s, &p->v, p->parts == 1 ? 0 : 1);
}

/* An operator before something that is not a whole version. */
static void add_partial(struct set *s, enum comparison op, const struct partial *p,
			bool prereleases)
{
	struct bytes least = prereleases ? BYTES("0") : BYTES("");
	struct version next = p->v;

	if (p->parts == 0) {
		if (op == LESS || op == GREATER)
			add_bound(s, LESS, 0, 0, 0, BYTES("0"));
		return;
	}
	next.part[p->parts - 1]++;
	if (op == EQUAL || op == GREATER_EQUAL)
		add_from(s, p, prereleases);
	if (op == GREATER)
		add_bound(s, GREATER_EQUAL, next.part[0], next.part[1], 0, least);
	if (op == EQUAL || op == LESS_EQUAL)
		add_below_next(s, &p->v, p->parts - 1);
	if (op == LESS)
		add_bound(s, LESS, p->v.part[0], p->v.part[1], 0, BYTES("0"));
}

static enum comparison take_operator(struct bytes *s)
{
	static const struct {
		struct bytes text;
		enum comparison op;
	} known[] = {
		{ { "<=", 2 }, LESS_EQUAL }, { { ">=", 2 }, GREATER_EQUAL }, { { "<", 1 }, LESS },
		{ { ">", 1 }, GREATER },     { { "=", 1 }, EQUAL },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (bytes_starts(*s, known[i].text)) {
			*s = bytes_trim(bytes_slice(*s, known[i].text.len, s->len));
			return known[i].op;
		}
	return EQUAL;
}

/* One word of a set. */
static bool add_word(struct set *s, struct bytes word, const struct semver_opts *o)
{
	char first = word.len > 0 ? word.ptr[0] : '\0';
	struct partial p;

	if (first == '^' || first == '~') {
		size_t skip = first == '~' && word.len > 1 && word.ptr[1] == '>' ? 2 : 1;

		if (!parse_partial(bytes_slice(word, skip, word.len), o->loose, &p))
			return false;
		(first == '^' ? add_caret : add_tilde)(s, &p, o->prereleases);
		return true;
	}
	enum comparison op = take_operator(&word);

	if (!parse_partial(word, o->loose, &p))
		return false;
	if (p.parts == 3)
		add_bound(s, op, p.v.part[0], p.v.part[1], p.v.part[2], p.v.pre);
	else
		add_partial(s, op, &p, o->prereleases);
	return true;
}

/* The next word; an operator and what follows it behind blanks are one. */
static struct bytes next_word(struct cmd *c, struct bytes *rest)
{
	struct buf word = buf_in(c->arena);

	*rest = bytes_trim(*rest);
	while (rest->len > 0) {
		char ch = rest->ptr[0];
		bool open = word.len > 0 && strchr("<>=~^", word.ptr[word.len - 1]) != NULL;

		if (byte_is_space((unsigned char)ch) && !open)
			break;
		if (!byte_is_space((unsigned char)ch))
			buf_putc(&word, ch);
		*rest = bytes_slice(*rest, 1, rest->len);
	}
	return buf_bytes(&word);
}

/* "1.2 - 2.3": true if the set is one. */
static bool add_hyphen(struct set *s, struct bytes text, const struct semver_opts *o)
{
	const char *dash = bytes_find(text, BYTES(" - "));
	struct partial from;
	struct partial to;

	if (dash == NULL)
		return false;
	size_t at = (size_t)(dash - text.ptr);

	if (!parse_partial(bytes_trim(bytes_slice(text, 0, at)), o->loose, &from) ||
	    !parse_partial(bytes_trim(bytes_slice(text, at + 3, text.len)), o->loose, &to))
		return false;
	if (from.parts > 0)
		add_from(s, &from, o->prereleases);
	if (to.parts == 3)
		add_bound(s, o->prereleases && to.v.pre.len == 0 ? LESS : LESS_EQUAL, to.v.part[0],
			  to.v.part[1], to.v.part[2] + (o->prereleases && to.v.pre.len == 0),
			  o->prereleases && to.v.pre.len == 0 ? BYTES("0") : to.v.pre);
	else if (to.parts > 0)
		add_below_next(s, &to.v, to.parts - 1);
	return true;
}

static bool holds(const struct comparator *b, const struct version *v)
{
	int order = compare(v, &b->v);

	switch (b->op) {
	case LESS: return order < 0;
	case LESS_EQUAL: return order <= 0;
	case GREATER: return order > 0;
	case GREATER_EQUAL: return order >= 0;
	case EQUAL: break;
	}
	return order == 0;
}

static bool set_holds(const struct set *s, const struct version *v, bool prereleases)
{
	bool named = v->pre.len == 0 || prereleases;

	for (int i = 0; i < s->n; i++) {
		const struct comparator *b = &s->bound[i];

		if (!holds(b, v))
			return false;
		if (b->v.pre.len > 0 && memcmp(b->v.part, v->part, sizeof v->part) == 0)
			named = true;
	}
	return named;
}

/* Whether one set of the range holds; a range that can't be read never does. */
static bool in_range(struct cmd *c, struct bytes range, const struct version *v)
{
	const struct semver_opts *o = c->opts;
	struct arena_mark mark = arena_mark(c->arena);
	struct set *s = arena_alloc(c->arena, sizeof *s);
	bool found = false;
	bool more = true;

	while (more && !found) {
		const char *bar = bytes_find(range, BYTES("||"));
		size_t n = bar != NULL ? (size_t)(bar - range.ptr) : range.len;
		struct bytes text = bytes_trim(bytes_slice(range, 0, n));
		bool good = true;

		more = bar != NULL;
		range = bytes_slice(range, more ? n + 2 : n, range.len);
		s->n = 0;
		if (!add_hyphen(s, text, o))
			while (good && text.len > 0)
				good = add_word(s, next_word(c, &text), o);
		found = good && set_holds(s, v, o->prereleases);
		cmd_charge(c, 4);
	}
	arena_release(c->arena, mark);
	return found;
}

/* --- incrementing --- */

static const char *number_text(struct cmd *c, uint64_t n)
{
	struct buf text = buf_in(c->arena);

	buf_put_u64(&text, n);
	return buf_cstr(&text);
}

/* The prerelease behind this one: its last number is larger, or there is a new one. */
static void next_pre(struct cmd *c, struct version *v)
{
	const struct semver_opts *o = c->opts;
	bool numbered = o->base == NULL || strcmp(o->base, "false") != 0;
	const char *first = o->base != NULL && strcmp(o->base, "1") == 0 ? "1" : "0";
	struct buf pre = buf_in(c->arena);
	struct bytes rest = v->pre;
	bool raised = false;
	size_t last_number = SIZE_MAX;
	size_t count = 0;

	for (struct bytes scan = v->pre; scan.len > 0; count++)
		if (is_number(next_identifier(&scan)))
			last_number = count;
	for (size_t i = 0; rest.len > 0; i++) {
		struct bytes one = next_identifier(&rest);
		uint64_t value = 0;

		buf_puts(&pre, i > 0 ? "." : "");
		if (i != last_number) {
			buf_add(&pre, one);
			continue;
		}
		for (size_t k = 0; k < one.len; k++)
			value = value * 10 + (uint64_t)(one.ptr[k] - '0');
		buf_puts(&pre, number_text(c, value + 1));
		raised = true;
	}
	if (!raised) {
		buf_puts(&pre, pre.len > 0 && numbered ? "." : "");
		buf_puts(&pre, numbered ? first : "");
	}
	if (o->preid != NULL) {
		struct bytes id = bytes_of(o->preid);
		struct bytes before = v->pre;
		struct bytes head = next_identifier(&before);
		struct bytes second = next_identifier(&before);

		if (!bytes_eq(head, id) || !is_number(second)) {
			pre.len = 0;
			buf_add(&pre, id);
			if (numbered)
				buf_printf(&pre, ".%s", first);
		}
	}
	v->pre = buf_bytes(&pre);
}

static void raise(struct version *v, int i)
{
	v->part[i]++;
	for (int k = i + 1; k < 3; k++)
		v->part[k] = 0;
	v->pre = BYTES("");
}

/* False if the level is none. */
static bool increment(struct cmd *c, struct version *v, const char *level)
{
	static const char *const levels[] = { "major", "minor", "patch" };
	bool pre = strncmp(level, "pre", 3) == 0;
	bool has_pre = v->pre.len > 0;

	if (strcmp(level, "prerelease") == 0) {
		if (!has_pre)
			raise(v, 2);
		next_pre(c, v);
		return true;
	}
	if (strcmp(level, "release") == 0) {
		if (!has_pre)
			return false;
		v->pre = BYTES("");
		return true;
	}
	for (int i = 0; i < 3; i++) {
		bool rest_is_zero = (i >= 1 || v->part[1] == 0) && (i >= 2 || v->part[2] == 0);

		if (strcmp(level + (pre ? 3 : 0), levels[i]) != 0)
			continue;
		/* A prerelease of that very version becomes the version. */
		if (!pre && has_pre && rest_is_zero)
			v->pre = BYTES("");
		else
			raise(v, i);
		if (pre)
			next_pre(c, v);
		return true;
	}
	return false;
}

/* --- the command --- */

/* The first (rtl: last) thing that looks like a version in a text. */
static bool coerce(struct bytes s, bool rtl, struct version *v)
{
	bool found = false;

	for (size_t i = 0; i < s.len; i++) {
		struct reader r = { .s = s, .at = i, .loose = true };
		struct version one = { .pre = BYTES("") };
		bool starts = byte_is_digit(s.ptr[i]) && (i == 0 || !byte_is_digit(s.ptr[i - 1]));

		if (!starts || !take_part(&r, &one.part[0]))
			continue;
		for (int k = 1; k < 3 && peek(&r) == '.'; k++) {
			size_t dot = r.at++;

			if (!take_part(&r, &one.part[k])) {
				one.part[k] = 0;
				r.at = dot;
				break;
			}
		}
		*v = one;
		found = true;
		if (!rtl)
			return true;
		i = r.at - 1;
	}
	return found;
}

static void put_version(struct cmd *c, const struct version *v)
{
	cmd_printf(c, "%llu.%llu.%llu", (unsigned long long)v->part[0],
		   (unsigned long long)v->part[1], (unsigned long long)v->part[2]);
	if (v->pre.len > 0) {
		cmd_putc(c, '-');
		cmd_bytes(c, v->pre);
	}
	cmd_putc(c, '\n');
}

/* Merge sort: equal versions stay in their order. */
static void sort_versions(struct cmd *c, struct version *v, size_t n, struct version *room)
{
	size_t half = n / 2;
	size_t a = 0;
	size_t b = half;

	if (n < 2)
		return;
	sort_versions(c, v, half, room);
	sort_versions(c, v + half, n - half, room);
	cmd_charge(c, n / 4 + 1);
	memcpy(room, v, n * sizeof *v);
	for (size_t i = 0; i < n; i++)
		v[i] = b == n || (a < half && compare(&room[a], &room[b]) <= 0) ? room[a++]
										: room[b++];
}

struct words {
	const char **list;
	int n;
};

static bool is_level(const char *text)
{
	static const char *const levels[] = { "major",    "minor",    "patch",      "premajor",
					      "preminor", "prepatch", "prerelease", "release" };

	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
		if (strcmp(text, levels[i]) == 0)
			return true;
	return false;
}

static int usage(struct cmd *c)
{
	cmd_puts(c, "Usage: semver [options] <version> [<version> [...]]\n"
		    "Prints valid versions sorted by SemVer precedence; "
		    "see semver --help for the options\n");
	return 0;
}

/* One option, at c->argv[*i]. Returns the status of a failure, or 0. */
static int take_option(struct cmd *c, int *i, struct words *ranges)
{
	struct semver_opts *o = c->opts;
	const char *arg = c->argv[*i];
	const char *next = *i + 1 < c->argc ? c->argv[*i + 1] : NULL;
	const struct {
		const char *names;
		bool *flag;
		bool value;
	} flags[] = {
		{ " -l --loose ", &o->loose, true },
		{ " -p --include-prerelease ", &o->prereleases, true },
		{ " -c --coerce ", &o->coerce, true },
		{ " --rtl ", &o->rtl, true },
		{ " --ltr ", &o->rtl, false },
	};
	struct buf word = buf_in(c->arena);

	buf_printf(&word, " %s ", arg);
	for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
		if (strstr(flags[k].names, buf_cstr(&word)) != NULL) {
			*flags[k].flag = flags[k].value;
			return 0;
		}
	if (strcmp(arg, "-i") == 0 || strncmp(arg, "--inc", 5) == 0) {
		o->increment = next != NULL && is_level(next) ? next : "patch";
		*i += next != NULL && is_level(next);
		return 0;
	}
	if (next == NULL)
		return cmd_usage(c, "option '%s' is unknown, or needs an argument", arg);
	++*i;
	if (strcmp(arg, "-r") == 0 || strcmp(arg, "--range") == 0)
		ranges->list[ranges->n++] = next;
	else if (strcmp(arg, "--preid") == 0)
		o->preid = next;
	else if (strcmp(arg, "-n") == 0)
		o->base = next;
	else
		return cmd_usage(c, "unknown option '%s'", arg);
	return 0;
}

static bool all_ranges(struct cmd *c, const struct words *ranges, const struct version *v)
{
	for (int i = 0; i < ranges->n; i++)
		if (!in_range(c, bytes_of(ranges->list[i]), v))
			return false;
	return true;
}

static int semver_run(struct cmd *c)
{
	struct semver_opts *o = arena_zalloc(c->arena, sizeof *o);
	struct words ranges = { arena_array(c->arena, (size_t)c->argc, sizeof(char *)), 0 };
	struct version *found = arena_array(c->arena, (size_t)c->argc + 1, sizeof *found);
	struct words given = { arena_array(c->arena, (size_t)c->argc, sizeof(char *)), 0 };
	size_t n = 0;

	c->opts = o;
	if (c->argc < 2)
		return usage(c);
	for (int i = 1; i < c->argc; i++) {
		int status = 0;

		if (c->argv[i][0] == '-')
			status = take_option(c, &i, &ranges);
		else
			given.list[given.n++] = c->argv[i];
		if (status != 0)
			return status;
	}
	if (o->increment != NULL && (given.n != 1 || ranges.n > 0))
		return cmd_error(c, 0, "--inc can only be used on a single version with no range");
	for (int i = 0; i < given.n; i++) {
		struct version *v = &found[n];
		struct bytes text = bytes_of(given.list[i]);

		if ((o->coerce ? coerce(text, o->rtl, v) : parse_version(text, o->loose, v)) &&
		    all_ranges(c, &ranges, v))
			n++;
	}
	if (n == 0 || (o->increment != NULL && !increment(c, &found[0], o->increment)))
		return 1;
	sort_versions(c, found, n, arena_array(c->arena, n, sizeof *found));
	for (size_t i = 0; i < n; i++)
		put_version(c, &found[i]);
	return 0;
}

const struct builtin builtin_semver = {
	.name = "semver",
	.usage = "[OPTION]... VERSION...",
	.summary = "Writes the versions that are valid, in their order; fails if there are none.\n"
		   "  -r, --range RANGE         only those in the range: ^1.2 ~1.2.3 >=1 <2 1.x 1 "
		   "- 2 a||b\n"
		   "  -i, --increment [LEVEL]   the next major, minor, patch (default), premajor,\n"
		   "                            preminor, prepatch, prerelease or release\n"
		   "      --preid ID, -n BASE   what prereleases are called, and count from (0, 1, "
		   "false)\n"
		   "  -p, --include-prerelease  prereleases are in ranges as others are\n"
		   "  -l, --loose               take versions that are nearly right\n"
		   "  -c, --coerce [--rtl]      the first (last) version in each text",
	.run = semver_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "npm semver 7",
};
