/* SPDX-License-Identifier: MIT
 *
 * rsync: filter rules. The first rule that matches decides.
 *
 * A pattern with a slash in front is anchored at the top of the transfer, or where the file is
 * that it stands in; one with a slash (or "**") within is compared with the end of the path,
 * others with its last part. A slash at the end restricts it to directories; "dir/" and three
 * stars mean the directory and all in it.
 *
 * A rule may name a file that each directory can have (dir-merge). While a tree is walked the
 * rules of the directories that lead to the current one are on a stack, one for each side; they
 * are asked where the dir-merge rule stands, the deepest first.
 */
#include "builtins/rsync/rsync.h"

enum { RULES_MAX = 100000, MERGE_DEPTH_MAX = 8, PATTERN_MAX = 4096, MERGES_MAX = 64 };

/* What the lines of a file are. */
enum lines { LINES_RULES, LINES_EXCLUDE, LINES_INCLUDE };

struct rule {
	struct bytes pattern; /* without the slash at its end */
	bool include;
	bool anchored;
	bool whole; /* compared with the path, not the last part */
	bool dir_only;
	bool dir_all; /* "dir/" and three stars: the directory itself matches, too */
	bool negate;
	bool perishable; /* says nothing about what is in a directory that is deleted */
	unsigned sides;
	int merge; /* dir-merge: which one, from 1; 0: a pattern */
};

struct rules {
	struct rule *at; /* in the pool */
	size_t n;
	size_t cap;
};

/* A file that directories may have. */
struct merge {
	const char *file;
	enum lines lines;
	bool inherited;
	bool words; /* blanks separate rules */
	bool above; /* directories above the transfer count, too */
	bool perishable;
	unsigned sides;
};

/* A directory on the way to the current one. */
struct level {
	struct level *up;
	char *dir; /* its name in the transfer; NULL: above it */
	size_t dir_len;
	struct level_rules {
		struct rules rules;
		char *text; /* what their patterns point into */
		size_t text_len;
	} of[]; /* for each merge */
};

struct filters {
	struct cmd *c;
	struct rules top;
	struct merge merge[MERGES_MAX];
	size_t nmerges;
	struct level *level[2]; /* by side */
	bool sender_only;
	int depth;
	const char *source; /* the file whose rule is read; NULL: the command line */
	const char *source_text;
	bool source_words;
};

struct filters *filters_new(struct cmd *c)
{
	struct filters *f = arena_zalloc(c->arena, sizeof *f);

	f->c = c;
	return f;
}

void filters_sender_only(struct filters *f)
{
	f->sender_only = true;
}

/* --- rules --- */

static struct rule *push_rule(struct filters *f, struct rules *to)
{
	if (to->n == to->cap) {
		size_t cap = to->cap * 2 + 8;

		to->at = pool_resize(f->c->pool, to->at, to->cap * sizeof *to->at,
				     cap * sizeof *to->at);
		to->cap = cap;
	}
	memset(&to->at[to->n], 0, sizeof *to->at);
	return &to->at[to->n++];
}

/* The pattern is not copied. `as` has its flags. */
static void add_rule(struct filters *f, struct rules *to, struct bytes p, const struct rule *as)
{
	if (p.len == 0 || to->n >= RULES_MAX)
		return;
	struct rule *r = push_rule(f, to);

	*r = *as;
	r->anchored = p.ptr[0] == '/';
	if (r->anchored)
		p = bytes_slice(p, 1, p.len);
	r->dir_all = bytes_ends(p, BYTES("/***"));
	if (r->dir_all)
		p.len -= 4;
	r->dir_only = !r->dir_all && bytes_ends(p, BYTES("/"));
	p.len -= r->dir_only;
	if (p.len > PATTERN_MAX)
		p.len = PATTERN_MAX;
	r->whole = r->anchored || r->dir_all || memchr(p.ptr, '/', p.len) != NULL ||
		   bytes_find(p, BYTES("**")) != NULL;
	r->pattern = p;
}

void filters_pattern(struct filters *f, struct bytes pattern, bool include)
{
	struct rule as = { .sides = SIDE_SENDER | SIDE_RECEIVER };

	/* "- x" and "+ x" mean the same in either option; "!" forgets what was before. */
	if (bytes_is(pattern, "!")) {
		f->top.n = 0;
		return;
	}
	if (pattern.len > 2 && pattern.ptr[1] == ' ' &&
	    (pattern.ptr[0] == '-' || pattern.ptr[0] == '+')) {
		include = pattern.ptr[0] == '+';
		pattern = bytes_slice(pattern, 2, pattern.len);
	}
	as.include = include;
	add_rule(f, &f->top, arena_bytes(f->c->arena, pattern), &as);
}

/* A file of patterns or rules that must be there. */
static struct bytes read_file(struct filters *f, const char *path, bool include)
{
	struct bytes text;
	int err = cmd_read_all(f->c, path, &text);

	if (err >= 0) {
		cmd_charge_bytes(f->c, text.len);
		return text;
	}
	struct buf line = buf_in(f->c->arena);

	buf_printf(&line,
		   "rsync: [client] failed to open %s file %s: %s (%d)\n"
		   "rsync error: error in file IO (code %d)\n",
		   include ? "include" : "exclude", path, err_text(err), -err, RSYNC_IO);
	cmd_err_write(f->c, line.ptr, line.len);
	cmd_exit(f->c, RSYNC_IO);
	return BYTES("");
}

/* The next line or word that is no comment. False: there is none. */
static bool next_line(struct bytes *text, char end, bool words, struct bytes *line)
{
	while (text->len > 0) {
		size_t n = 0;

		while (n < text->len &&
		       (words ? !byte_is_space(text->ptr[n]) : text->ptr[n] != end))
			n++;
		*line = bytes_slice(*text, 0, n);
		*text = bytes_slice(*text, n < text->len ? n + 1 : n, text->len);
		if (end != '\0' && bytes_ends(*line, BYTES("\r")))
			line->len--;
		bool comment = end != '\0' && !words && line->len > 0 &&
			       (line->ptr[0] == '#' || line->ptr[0] == ';');

		if (line->len > 0 && !comment)
			return true;
	}
	return false;
}

void filters_file(struct filters *f, const char *path, bool include, bool from0)
{
	struct bytes text = read_file(f, path, include);
	struct bytes line;

	while (next_line(&text, from0 ? '\0' : '\n', false, &line))
		filters_pattern(f, line, include);
}

/* --- the language of --filter --- */

struct kind {
	char letter;
	const char *word;
	const char *modifiers;
	bool include;
	unsigned sides;
};

static const struct kind kinds[] = {
	{ '-', "exclude", "!Csrpx", false, SIDE_SENDER | SIDE_RECEIVER },
	{ '+', "include", "!Csrpx", true, SIDE_SENDER | SIDE_RECEIVER },
	{ 'H', "hide", "!px", false, SIDE_SENDER },
	{ 'S', "show", "!px", true, SIDE_SENDER },
	{ 'P', "protect", "!px", false, SIDE_RECEIVER },
	{ 'R', "risk", "!px", true, SIDE_RECEIVER },
	{ '.', "merge", "+-Cenwsrpx", false, SIDE_SENDER | SIDE_RECEIVER },
	{ ':', "dir-merge", "+-Cenwsrpx", false, SIDE_SENDER | SIDE_RECEIVER },
	{ '!', "clear", "", false, 0 },
};

/* Where a rule of a file stands. */
static void put_place(struct filters *f, struct buf *out, struct bytes rule)
{
	struct bytes before = { f->source_text, (size_t)(rule.ptr - f->source_text) };

	buf_printf(out, "<rule from %s", f->source);
	if (!f->source_words)
		buf_printf(out, " line %llu", (unsigned long long)bytes_count(before, '\n') + 1);
	buf_putc(out, '>');
}

static int bad_rule(struct filters *f, const char *what, struct bytes rule)
{
	struct buf text = buf_in(f->c->arena);

	buf_printf(&text, "%s: ", what);
	if (f->source != NULL)
		put_place(f, &text, rule);
	else
		buf_printf(&text, "%.*s", (int)(rule.len < 1000 ? rule.len : 1000), rule.ptr);
	buf_puts(&text, "\nrsync error: syntax or usage error (code 1)\n");
	cmd_err_write(f->c, text.ptr, text.len);
	return RSYNC_SYNTAX;
}

/* Which kind of rule; *at moves behind its name. NULL: none. */
static const struct kind *take_kind(struct bytes rule, size_t *at)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t len = strlen(kinds[i].word);

		if (bytes_starts(rule, bytes_of(kinds[i].word)) &&
		    (rule.len == len || strchr(", _", rule.ptr[len]) != NULL)) {
			*at = len;
			return &kinds[i];
		}
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (rule.len > 0 && rule.ptr[0] == kinds[i].letter) {
			*at = 1;
			return &kinds[i];
		}
	return NULL;
}

static bool has(struct bytes modifiers, char letter)
{
	return modifiers.len > 0 && memchr(modifiers.ptr, letter, modifiers.len) != NULL;
}

static void add_words(struct filters *f, struct rules *to, struct bytes text, const struct rule *as)
{
	struct bytes word;

	while (next_line(&text, '\n', true, &word)) {
		if (bytes_is(word, "!"))
			to->n = 0;
		else
			add_rule(f, to, word, as);
	}
}

/* What CVS ignores, everywhere. */
static void add_cvs_rules(struct filters *f, struct rules *to, const struct rule *as)
{
	static const char names[] =
		"RCS SCCS CVS CVS.adm RCSLOG cvslog.* tags TAGS .make.state .nse_depinfo *~ #* .#* "
		",* _$* *$ *.old *.bak *.BAK *.orig *.rej .del-* *.a *.olb *.o *.obj *.so *.exe "
		"*.Z *.elc *.ln core .svn/ .git/ .hg/ .bzr/";
	const char *home = cmd_getenv(f->c, "HOME");
	const char *more = cmd_getenv(f->c, "CVSIGNORE");
	struct buf path = buf_in(f->c->arena);
	struct rule one = *as;
	struct bytes text;

	one.perishable = true;
	add_words(f, to, bytes_of(names), &one);
	buf_printf(&path, "%s/.cvsignore", home != NULL ? home : "");
	if (home != NULL && cmd_read_all(f->c, buf_cstr(&path), &text) >= 0)
		add_words(f, to, text, &one);
	if (more != NULL)
		add_words(f, to, arena_bytes(f->c->arena, bytes_of(more)), &one);
}

static int read_rules(struct filters *f, struct rules *to, struct bytes text,
		      const struct merge *m);
static int take_rule(struct filters *f, struct rules *to, struct bytes rule);

/* "." and ":" rules: the file is read now, or in each directory. */
static int take_merge(struct filters *f, struct rules *to, struct bytes rule,
		      struct bytes modifiers, struct bytes file, const struct rule *as, bool each)
{
	bool cvs = has(modifiers, 'C');

	/* What a directory's file says is forgotten with it. */
	if (to != &f->top)
		return bad_rule(f, "merge rules must be on the command line", rule);
	struct merge m = {
		.lines = has(modifiers, '-') || cvs ? LINES_EXCLUDE
			 : has(modifiers, '+')      ? LINES_INCLUDE
						    : LINES_RULES,
		.inherited = !has(modifiers, 'n') && !cvs,
		.words = has(modifiers, 'w') || cvs,
		.perishable = as->perishable,
		.sides = as->sides,
	};

	if (cvs && file.len == 0)
		file = BYTES(".cvsignore");
	m.above = each && file.ptr[0] == '/';
	m.file = arena_dup(f->c->arena, bytes_slice(file, m.above, file.len));
	if (f->depth == MERGE_DEPTH_MAX)
		return cmd_error(f->c, 0, "filter files are nested deeper than %d",
				 MERGE_DEPTH_MAX);
	if (!each) {
		f->depth++;
		int status = read_rules(f, to, read_file(f, m.file, m.lines == LINES_INCLUDE), &m);

		f->depth--;
		return status;
	}
	if (f->nmerges == MERGES_MAX)
		return cmd_error(f->c, 0, "more than %d dir-merge rules", MERGES_MAX);
	f->merge[f->nmerges++] = m;
	push_rule(f, to)->merge = (int)f->nmerges;
	if (has(modifiers, 'e')) {
		struct rule self = { .sides = SIDE_SENDER | SIDE_RECEIVER };

		add_rule(f, to, bytes_of(m.file), &self);
	}
	return 0;
}

static int take_rule(struct filters *f, struct rules *to, struct bytes rule)
{
	size_t at = 0;
	const struct kind *k = take_kind(rule, &at);

	if (k == NULL)
		return bad_rule(f, "Unknown filter rule", rule);
	if (k->letter == '!') {
		if (at < rule.len)
			return bad_rule(f, "'!' rule has trailing characters", rule);
		to->n = 0;
		return 0;
	}
	at += at < rule.len && rule.ptr[at] == ',';
	size_t from = at;

	for (; at < rule.len && rule.ptr[at] != ' ' && rule.ptr[at] != '_'; at++) {
		struct buf what = buf_in(f->c->arena);

		if (strchr(k->modifiers, rule.ptr[at]) != NULL && rule.ptr[at] != '\0')
			continue;
		if (f->source != NULL)
			buf_puts(&what, "invalid modifier in filter rule");
		else
			buf_printf(&what, "invalid modifier '%c' at position %zu in filter rule",
				   rule.ptr[at], at);
		return bad_rule(f, buf_cstr(&what), rule);
	}
	struct bytes modifiers = bytes_slice(rule, from, at);
	struct bytes rest = bytes_slice(rule, at < rule.len ? at + 1 : at, rule.len);
	struct rule as = { .include = k->include,
			   .sides = k->sides,
			   .negate = has(modifiers, '!'),
			   .perishable = has(modifiers, 'p') };
	bool merges = k->letter == '.' || k->letter == ':';

	if (has(modifiers, 's') != has(modifiers, 'r'))
		as.sides = has(modifiers, 's') ? SIDE_SENDER : SIDE_RECEIVER;
	if (rest.len == 0 && !has(modifiers, 'C'))
		return bad_rule(f, "unexpected end of filter rule", rule);
	if (merges)
		return take_merge(f, to, rule, modifiers, rest, &as, k->letter == ':');
	if (has(modifiers, 'C') && to != &f->top)
		return bad_rule(f, "modifier 'C' must be on the command line", rule);
	if (has(modifiers, 'C'))
		add_cvs_rules(f, to, &as);
	else if (!has(modifiers, 'x')) /* attributes are not copied */
		add_rule(f, to, rest, &as);
	return 0;
}

/* The rules of a file's text, which stays. */
static int read_rules(struct filters *f, struct rules *to, struct bytes text, const struct merge *m)
{
	struct rule as = { .include = m->lines == LINES_INCLUDE,
			   .sides = m->sides,
			   .perishable = m->perishable };
	struct bytes line;
	int status = 0;

	while (status == 0 && next_line(&text, '\n', m->words, &line)) {
		if (m->lines == LINES_RULES)
			status = take_rule(f, to, line);
		else if (bytes_is(line, "!"))
			to->n = 0;
		else
			add_rule(f, to, line, &as);
	}
	return status;
}

int filters_rule(struct filters *f, struct bytes rule)
{
	return take_rule(f, &f->top, arena_bytes(f->c->arena, rule));
}

void filters_cvs(struct filters *f)
{
	filters_rule(f, BYTES(":C"));
	filters_rule(f, BYTES("-C"));
}

/* --- the rules of directories --- */

static size_t side_index(enum side side)
{
	return (side & SIDE_SENDER) != 0 ? 0 : 1;
}

static void pop_level(struct filters *f, size_t side)
{
	struct level *l = f->level[side];
	size_t size = sizeof *l + f->nmerges * sizeof l->of[0];

	for (size_t i = 0; i < f->nmerges; i++) {
		struct rules *r = &l->of[i].rules;

		pool_free(f->c->pool, r->at, r->cap * sizeof *r->at);
		pool_free(f->c->pool, l->of[i].text, l->of[i].text_len);
	}
	pool_free(f->c->pool, l->dir, l->dir_len);
	f->level[side] = l->up;
	pool_free(f->c->pool, l, size);
}

/* Whether the name is below the level's directory. */
static bool is_below(const struct level *l, struct bytes name)
{
	return l->dir_len == 0 || (name.len > l->dir_len && name.ptr[l->dir_len] == '/' &&
				   memcmp(name.ptr, l->dir, l->dir_len) == 0);
}

static void leave_others(struct filters *f, size_t side, struct bytes name)
{
	while (f->level[side] != NULL && !is_below(f->level[side], name))
		pop_level(f, side);
}

/* Reads the directory's file, if there is one. */
static void read_level(struct filters *f, struct level_rules *of, const struct merge *m,
		       const char *dir)
{
	struct cmd *c = f->c;
	struct arena_mark mark = arena_mark(c->arena);
	struct buf path = buf_in(c->arena);
	struct bytes text;
	char *shown;

	buf_printf(&path, "%s%s%s", dir, bytes_ends(bytes_of(dir), BYTES("/")) ? "" : "/", m->file);
	if (cmd_read_all(c, buf_cstr(&path), &text) >= 0 && text.len > 0) {
		of->text = pool_alloc(c->pool, text.len);
		of->text_len = text.len;
		memcpy(of->text, text.ptr, text.len);
		if (cmd_canonical(c, buf_cstr(&path), CANON_MISSING, &shown) >= 0)
			f->source = shown;
		f->source_text = of->text;
		f->source_words = m->words;
		cmd_charge_bytes(c, text.len);
		if (read_rules(f, &of->rules, (struct bytes){ of->text, text.len }, m) != 0)
			cmd_exit(c, RSYNC_SYNTAX);
		f->source = NULL;
	}
	arena_release(c->arena, mark);
}

/* only_above: of the files that directories above the transfer may have, too. */
static void push_level(struct filters *f, enum side side, struct bytes name, const char *path,
		       bool only_above)
{
	size_t index = side_index(side);
	size_t size = sizeof(struct level) + f->nmerges * sizeof(struct level_rules);
	struct level *l = pool_alloc(f->c->pool, size);

	memset(l, 0, size);
	l->up = f->level[index];
	if (name.len > 0 && !bytes_is(name, ".")) {
		l->dir = pool_alloc(f->c->pool, name.len);
		l->dir_len = name.len;
		memcpy(l->dir, name.ptr, name.len);
	}
	f->level[index] = l;
	for (size_t i = 0; i < f->nmerges; i++)
		if ((f->merge[i].sides & side) != 0 && (!only_above || f->merge[i].above))
			read_level(f, &l->of[i], &f->merge[i], path);
}

/* The directories above a path, from "/" down. */
static void push_above(struct filters *f, enum side side, const char *path)
{
	char *all;
	size_t len;

	if (cmd_canonical(f->c, path, CANON_MISSING, &all) < 0)
		return;
	len = strlen(all);
	for (size_t i = 0; i < len; i++) {
		if (all[i] != '/' || len == 1)
			continue;
		push_level(f, side, BYTES(""),
			   arena_dup(f->c->arena, (struct bytes){ all, i > 0 ? i : 1 }), true);
	}
}

void filters_enter(struct filters *f, enum side side, const char *name, const char *path)
{
	struct bytes n = bytes_of(name);
	size_t index = side_index(side);

	if (f->nmerges == 0)
		return;
	leave_others(f, index, n);
	if (f->level[index] == NULL)
		push_above(f, side, path);
	push_level(f, side, n, path, false);
}

void filters_leave(struct filters *f, enum side side)
{
	while (f->level[side_index(side)] != NULL)
		pop_level(f, side_index(side));
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

enum verdict { VERDICT_NONE, VERDICT_TAKE, VERDICT_LEAVE };

static enum verdict ask(const struct filters *f, const struct rules *rules, struct bytes name,
			bool is_dir, unsigned side);

/* The rules that directories have in their own files. */
static enum verdict ask_levels(const struct filters *f, size_t merge, struct bytes name,
			       bool is_dir, unsigned side)
{
	enum verdict v = VERDICT_NONE;

	for (struct level *l = f->level[side_index((enum side)side)];
	     l != NULL && v == VERDICT_NONE; l = l->up) {
		size_t skip = l->dir_len > 0 ? l->dir_len + 1 : 0;

		v = ask(f, &l->of[merge].rules, bytes_slice(name, skip, name.len), is_dir, side);
		if (!f->merge[merge].inherited)
			break;
	}
	return v;
}

static enum verdict ask(const struct filters *f, const struct rules *rules, struct bytes name,
			bool is_dir, unsigned side)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct rule *r = &rules->at[i];
		unsigned sides = r->sides;
		enum verdict v = VERDICT_NONE;

		if (f->sender_only && sides == (SIDE_SENDER | SIDE_RECEIVER))
			sides = SIDE_SENDER;
		if (r->merge > 0)
			v = ask_levels(f, (size_t)r->merge - 1, name, is_dir, side);
		else if ((sides & side) != 0 && !(r->perishable && (side & SIDE_DELETED) != 0) &&
			 rule_matches(f, r, name, is_dir) != r->negate)
			v = r->include ? VERDICT_TAKE : VERDICT_LEAVE;
		if (v != VERDICT_NONE)
			return v;
	}
	return VERDICT_NONE;
}

bool filters_exclude(struct filters *f, struct bytes name, bool is_dir, unsigned side)
{
	leave_others(f, side_index((enum side)side), name);
	return ask(f, &f->top, name, is_dir, side) == VERDICT_LEAVE;
}
