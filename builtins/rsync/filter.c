/* SPDX-License-Identifier: MIT
 *
 * rsync: filter rules. The first rule that matches decides.
 *
 * A pattern with a slash in front is anchored at the top of the transfer; one with a slash (or
 * "**") within is compared with the end of the path, others with its last part. A slash at the
 * end restricts it to directories; "dir/" and three stars mean the directory and all in it.
 */
#include "builtins/rsync/rsync.h"

enum { RULES_MAX = 100000, MERGE_DEPTH_MAX = 8, PATTERN_MAX = 4096 };

struct rule {
	struct bytes pattern; /* without the slash at its end */
	bool include;
	bool anchored;
	bool whole; /* compared with the path, not the last part */
	bool dir_only;
	bool dir_all; /* "dir/" and three stars: the directory itself matches, too */
	unsigned sides;
};

struct filters {
	struct cmd *c;
	struct buf rule; /* of struct rule */
	bool sender_only;
	int depth;
};

struct filters *filters_new(struct cmd *c)
{
	struct filters *f = arena_zalloc(c->arena, sizeof *f);

	f->c = c;
	f->rule = buf_in(c->arena);
	return f;
}

void filters_sender_only(struct filters *f)
{
	f->sender_only = true;
}

static void add_rule(struct filters *f, struct bytes p, bool include, unsigned sides)
{
	struct rule r = { .include = include, .sides = sides };

	if (p.len == 0 || f->rule.len / sizeof r >= RULES_MAX)
		return;
	r.anchored = p.ptr[0] == '/';
	if (r.anchored)
		p = bytes_slice(p, 1, p.len);
	r.dir_all = bytes_ends(p, BYTES("/***"));
	if (r.dir_all)
		p.len -= 4;
	r.dir_only = !r.dir_all && bytes_ends(p, BYTES("/"));
	p.len -= r.dir_only;
	if (p.len > PATTERN_MAX)
		p.len = PATTERN_MAX;
	r.whole = r.anchored || r.dir_all || memchr(p.ptr, '/', p.len) != NULL ||
		  bytes_find(p, BYTES("**")) != NULL;
	r.pattern = arena_bytes(f->c->arena, p);
	buf_put(&f->rule, &r, sizeof r);
}

void filters_pattern(struct filters *f, struct bytes pattern, bool include)
{
	/* "- x" and "+ x" mean the same in either option; "!" forgets what was before. */
	if (bytes_is(pattern, "!")) {
		f->rule.len = 0;
		return;
	}
	if (pattern.len > 2 && pattern.ptr[1] == ' ' &&
	    (pattern.ptr[0] == '-' || pattern.ptr[0] == '+')) {
		include = pattern.ptr[0] == '+';
		pattern = bytes_slice(pattern, 2, pattern.len);
	}
	add_rule(f, pattern, include, SIDE_SENDER | SIDE_RECEIVER);
}

/* Calls fn for each line of a file that is no comment. */
static void each_line(struct filters *f, const char *path, bool from0,
		      void (*fn)(struct filters *f, struct bytes line, const void *arg),
		      const void *arg)
{
	struct cmd *c = f->c;
	struct input in;
	struct bytes line;
	int err = input_open(&in, c, path);

	if (err < 0) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text,
			   "rsync: [client] failed to open %s file %s: %s (%d)\n"
			   "rsync error: error in file IO (code %d)\n",
			   arg != NULL && *(const bool *)arg ? "include" : "exclude", path,
			   err_text(err), -err, RSYNC_IO);
		cmd_err_write(c, text.ptr, text.len);
		cmd_exit(c, RSYNC_IO);
	}
	while (input_line(&in, from0 ? '\0' : '\n', &line) > 0) {
		if (!from0 && bytes_ends(line, BYTES("\r")))
			line.len--;
		cmd_charge_bytes(c, line.len);
		if (line.len > 0 && (from0 || (line.ptr[0] != '#' && line.ptr[0] != ';')))
			fn(f, line, arg);
	}
	input_close(&in);
}

static void add_line(struct filters *f, struct bytes line, const void *arg)
{
	filters_pattern(f, line, *(const bool *)arg);
}

void filters_file(struct filters *f, const char *path, bool include, bool from0)
{
	each_line(f, path, from0, add_line, &include);
}

static void merge_line(struct filters *f, struct bytes line, const void *arg)
{
	(void)arg;
	if (filters_rule(f, line) != 0)
		cmd_exit(f->c, RSYNC_SYNTAX);
}

static int merge(struct filters *f, struct bytes path)
{
	if (f->depth == MERGE_DEPTH_MAX)
		return cmd_error(f->c, 0, "filter files are nested deeper than %d",
				 MERGE_DEPTH_MAX);
	f->depth++;
	each_line(f, arena_dup(f->c->arena, path), false, merge_line, NULL);
	f->depth--;
	return 0;
}

/* The rest of a rule behind one of its names ("-", "exclude"), or ptr NULL. */
static struct bytes behind(struct bytes rule, const char *letter, const char *word)
{
	struct bytes names[2] = { bytes_of(letter), bytes_of(word) };

	for (int i = 0; i < 2; i++) {
		struct bytes n = names[i];

		if (bytes_starts(rule, n) && rule.len > n.len + 1 &&
		    (rule.ptr[n.len] == ' ' || rule.ptr[n.len] == '_'))
			return bytes_slice(rule, n.len + 1, rule.len);
	}
	return (struct bytes){ NULL, 0 };
}

int filters_rule(struct filters *f, struct bytes rule)
{
	static const struct {
		const char *letter;
		const char *word;
		bool include;
		unsigned sides;
	} kinds[] = {
		{ "-", "exclude", false, SIDE_SENDER | SIDE_RECEIVER },
		{ "+", "include", true, SIDE_SENDER | SIDE_RECEIVER },
		{ "H", "hide", false, SIDE_SENDER },
		{ "S", "show", true, SIDE_SENDER },
		{ "P", "protect", false, SIDE_RECEIVER },
		{ "R", "risk", true, SIDE_RECEIVER },
	};

	if (bytes_is(rule, "!") || bytes_is(rule, "clear")) {
		f->rule.len = 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct bytes rest = behind(rule, kinds[i].letter, kinds[i].word);

		if (rest.ptr == NULL)
			continue;
		add_rule(f, rest, kinds[i].include, kinds[i].sides);
		return 0;
	}
	struct bytes file = behind(rule, ".", "merge");

	if (file.ptr != NULL)
		return merge(f, file);
	struct buf text = buf_in(f->c->arena);

	buf_printf(&text,
		   "Unknown filter rule: %.*s\nrsync error: syntax or usage error (code 1)\n",
		   (int)(rule.len < 1000 ? rule.len : 1000), rule.ptr);
	cmd_err_write(f->c, text.ptr, text.len);
	return RSYNC_SYNTAX;
}

/* --- matching --- */

/* The end of the bracket expression at p[at], or 0 if it is not closed. */
static size_t bracket_end(struct bytes p, size_t at)
{
	size_t i = at + 1;

	if (i < p.len && (p.ptr[i] == '!' || p.ptr[i] == '^'))
		i++;
	if (i < p.len && p.ptr[i] == ']')
		i++;
	while (i < p.len && p.ptr[i] != ']')
		i += p.ptr[i] == '\\' && i + 1 < p.len ? 2 : 1;
	return i < p.len ? i + 1 : 0;
}

static bool in_bracket(struct bytes set, unsigned char ch)
{
	bool negated = set.ptr[1] == '!' || set.ptr[1] == '^';
	bool hit = false;

	for (size_t i = 1 + negated; i + 1 < set.len; i++) {
		if (set.ptr[i] == '\\' && i + 2 < set.len)
			i++;
		unsigned char from = (unsigned char)set.ptr[i];
		unsigned char to = from;

		if (i + 3 < set.len && set.ptr[i + 1] == '-') {
			to = (unsigned char)set.ptr[i + 2];
			i += 2;
		}
		hit |= ch >= from && ch <= to;
	}
	return hit != negated && ch != '/';
}

/* One element of a pattern at p[*at] against a byte: *at moves behind it. */
static bool element_matches(struct bytes p, size_t *at, unsigned char ch)
{
	size_t end = p.ptr[*at] == '[' ? bracket_end(p, *at) : 0;

	if (end != 0) {
		struct bytes set = bytes_slice(p, *at, end);

		*at = end;
		return in_bracket(set, ch);
	}
	if (p.ptr[*at] == '\\' && *at + 1 < p.len)
		++*at;
	else if (p.ptr[*at] == '?')
		return ++*at, ch != '/';
	return (unsigned char)p.ptr[(*at)++] == ch;
}

/* The places of the pattern that can be reached without a byte of text: behind stars. */
static void pass_stars(struct bytes p, bool *live)
{
	for (size_t at = 0; at < p.len; at++)
		if (live[at] && p.ptr[at] == '*' && (at == 0 || p.ptr[at - 1] != '\\'))
			live[at + 1] = true;
}

/* '*' passes no slash, "**" does. All places of the pattern are followed at once. */
static bool glob(struct cmd *c, struct bytes p, struct bytes text)
{
	bool live[2][PATTERN_MAX + 1] = { { false } };
	bool(*now) = live[0];
	bool(*next) = live[1];

	now[0] = true;
	pass_stars(p, now);
	for (size_t i = 0; i < text.len; i++) {
		unsigned char ch = (unsigned char)text.ptr[i];

		memset(next, 0, p.len + 1);
		for (size_t at = 0; at < p.len; at++) {
			size_t then = at;

			if (!now[at])
				continue;
			if (p.ptr[at] == '*') {
				bool two = (at + 1 < p.len && p.ptr[at + 1] == '*') ||
					   (at > 0 && p.ptr[at - 1] == '*');

				next[at] |= ch != '/' || two;
			} else if (element_matches(p, &then, ch)) {
				next[then] = true;
			}
		}
		pass_stars(p, next);
		cmd_charge(c, p.len / 16 + 1);
		bool *swap = now;

		now = next;
		next = swap;
	}
	return now[p.len];
}

static bool pattern_matches(const struct filters *f, const struct rule *r, struct bytes name)
{
	size_t at = name.len;

	if (r->anchored)
		return glob(f->c, r->pattern, name);
	while (at > 0 && name.ptr[at - 1] != '/')
		at--;
	if (!r->whole)
		return glob(f->c, r->pattern, bytes_slice(name, at, name.len));
	/* The end of the path, from any of its parts on. */
	for (at = 0; at <= name.len; at++)
		if ((at == 0 || name.ptr[at - 1] == '/') &&
		    glob(f->c, r->pattern, bytes_slice(name, at, name.len)))
			return true;
	return false;
}

static bool rule_matches(const struct filters *f, const struct rule *r, struct bytes name,
			 bool is_dir)
{
	if (r->dir_only && !is_dir)
		return false;
	if (!r->dir_all)
		return pattern_matches(f, r, name);
	/* The directory, or anything below it. */
	if (is_dir && pattern_matches(f, r, name))
		return true;
	for (size_t at = name.len; at > 0; at--)
		if (name.ptr[at - 1] == '/' && pattern_matches(f, r, bytes_slice(name, 0, at - 1)))
			return true;
	return false;
}

bool filters_exclude(const struct filters *f, struct bytes name, bool is_dir, enum side side)
{
	const struct rule *rule = (const void *)f->rule.ptr;

	for (size_t i = 0; i < f->rule.len / sizeof *rule; i++) {
		unsigned sides = rule[i].sides;

		if (f->sender_only && sides == (SIDE_SENDER | SIDE_RECEIVER))
			sides = SIDE_SENDER;
		if ((sides & side) != 0 && rule_matches(f, &rule[i], name, is_dir))
			return !rule[i].include;
	}
	return false;
}
