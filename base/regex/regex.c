/* SPDX-License-Identifier: MIT
 *
 * The engine's front: compiling, and choosing how to search.
 */
#include "base/regex/private.h"

enum { BACKTRACK_DEFAULT = 10 * 1000 * 1000 };

static struct rx_node *parse(struct rx_parse *p)
{
	switch (p->flags & REGEX_SYNTAX) {
	case REGEX_PERL: return rx_parse_perl(p);
	case REGEX_FIXED: return rx_parse_fixed(p);
	default: return rx_parse_posix(p);
	}
}

/* What REGEX_LINE and REGEX_WORD ask of both sides of a match. */
static struct rx_node *bounded(struct rx_parse *p, struct rx_node *one)
{
	bool line = (p->flags & REGEX_LINE) != 0;
	struct rx_node *cat;

	if ((p->flags & (REGEX_LINE | REGEX_WORD)) == 0)
		return one;
	cat = rx_node(p, RX_CAT);
	rx_append(p, cat, rx_assertion(p, line ? RX_LINE_BEGIN : RX_NO_WORD_BEFORE));
	rx_append(p, cat, one);
	rx_append(p, cat, rx_assertion(p, line ? RX_LINE_END : RX_NO_WORD_BEHIND));
	return cat;
}

/* All patterns as alternatives of one tree; NULL on error. */
static struct rx_node *parse_all(struct rx_parse *p, const struct bytes *patterns, size_t n)
{
	struct rx_node *alt = rx_node(p, RX_ALT);

	for (size_t i = 0; i < n; i++) {
		struct rx_node *one;

		p->p = patterns[i];
		p->at = 0;
		if (p->p.len > REGEX_PATTERN_MAX) {
			rx_error(p, RX_TOO_BIG);
			return NULL;
		}
		one = parse(p);
		if (one == NULL || p->error != NULL)
			return NULL;
		rx_append(p, alt, bounded(p, one));
	}
	if (n == 0)
		rx_append(p, alt, rx_node(p, RX_FAIL));
	return p->error == NULL ? rx_simplify(p, alt) : NULL;
}

static struct rx_prog *build_automaton(struct rx_parse *p, const struct rx_node *tree)
{
	tree = rx_factor(p->arena, p->flags, tree, false);
	return rx_prog_build(p->arena, tree, p->ngroups, RX_FORWARD, rx_utf8(p), &p->error);
}

static struct regex *finish(struct rx_parse *p, struct rx_node *tree)
{
	bool perl = (p->flags & REGEX_SYNTAX) == REGEX_PERL;
	struct regex *re = arena_zalloc(p->arena, sizeof(*re));

	re->arena = p->arena;
	re->flags = p->flags;
	re->ngroups = p->ngroups;
	re->names = p->names;
	re->tree = tree;
	re->backtrack_max = BACKTRACK_DEFAULT;
	re->extent = rx_extent(tree, rx_utf8(p));
	re->anchored = rx_anchored(tree, (p->flags & REGEX_NEWLINE) != 0);
	re->by_dfa = !p->backrefs;
	re->backtrack = perl || p->backrefs;
	re->prog = re->backtrack ? rx_prog_build(p->arena, tree, p->ngroups, RX_PERL, rx_utf8(p),
						 &p->error)
				 : build_automaton(p, tree);
	re->automaton = re->by_dfa && re->backtrack ? build_automaton(p, tree) : re->prog;
	if (re->prog == NULL || re->automaton == NULL)
		return NULL;
	re->literals = rx_literals(p->arena, tree, p->flags);
	/* Perl takes the first of several strings, not the longest. */
	if (re->literals != NULL && re->backtrack && re->literals->n > 1)
		re->literals->exact = false;
	return re;
}

static int compile(struct rx_parse *p, const struct bytes *patterns, size_t n, struct regex **out,
		   const char **message)
{
	struct rx_node *tree = parse_all(p, patterns, n);

	*out = tree != NULL ? finish(p, tree) : NULL;
	if (*out != NULL)
		return 0;
	*message = p->error;
	return -1;
}

int regex_compile(struct arena *arena, struct bytes pattern, unsigned flags, struct regex **out,
		  const char **message, size_t *offset)
{
	struct rx_parse p = { .arena = arena, .flags = flags };
	int err = compile(&p, &pattern, 1, out, message);

	if (err != 0 && offset != NULL)
		*offset = p.error_at;
	return err;
}

int regex_compile_set(struct arena *arena, const struct bytes *patterns, size_t npatterns,
		      unsigned flags, struct regex **out, const char **message)
{
	struct rx_parse p = { .arena = arena, .flags = flags };

	return compile(&p, patterns, npatterns, out, message);
}

unsigned regex_groups(const struct regex *re)
{
	return re->ngroups;
}

const char *regex_group_name(const struct regex *re, unsigned n)
{
	return re->names != NULL && n <= re->ngroups ? re->names[n] : NULL;
}

void regex_set_work(struct regex *re, void (*poll)(void *arg, uint64_t work), void *arg)
{
	re->poll = poll;
	re->poll_arg = arg;
}

void regex_set_backtrack_limit(struct regex *re, uint64_t steps)
{
	re->backtrack_max = steps;
}
