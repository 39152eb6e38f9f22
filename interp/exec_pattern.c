/* SPDX-License-Identifier: MIT
 *
 * Patterns of case and [[ ]]: those without expansions are compiled once and kept in the word.
 */
#include "interp/exec.h"

struct ast *current_ast(struct shell *sh)
{
	while (sh->units == NULL && sh->overlay)
		sh = sh->parent;
	return sh->units != NULL ? sh->units->ast : NULL;
}

bool word_is_constant(const struct word *w)
{
	for (int i = 0; i < w->nparts; i++) {
		if (w->parts[i].kind != PART_TEXT)
			return false;
	}
	return true;
}

static unsigned glob_flags_now(const struct shell *sh, bool in_cond)
{
	unsigned flags = 0;

	if (in_cond || opt_shopt(sh, SHOPT_extglob))
		flags |= GLOB_EXTGLOB;
	if (opt_shopt(sh, SHOPT_nocasematch))
		flags |= GLOB_ICASE;
	if (sh->utf8)
		flags |= GLOB_UTF8;
	return flags;
}

static void charge_work(void *arg, uint64_t work)
{
	proc_charge(kernel_current(arg), work);
}

static struct glob *compile(struct shell *sh, struct word *w, unsigned flags)
{
	bool kept = word_is_constant(w) && current_ast(sh) != NULL;
	struct bytes pattern;
	struct glob *g;

	if (kept && w->cache_glob != NULL && w->cache_glob_flags == flags)
		return w->cache_glob;
	kept = kept && w->cache_glob == NULL;
	if (expand_pattern(sh, w, &pattern) != 0)
		return NULL;
	kept = kept && pattern.len <= GLOB_KEPT_BYTES;
	g = glob_compile(kept ? &current_ast(sh)->arena : sh->arena, pattern, flags);
	proc_charge(sh->p, pattern.len / 8);
	if (g == NULL) {
		shell_error(sh, "%.*s: pattern too complex", (int)w->text.len, w->text.ptr);
		sh->status = 1;
		sh->flow = FLOW_ABORT;
		return NULL;
	}
	if (kept) {
		w->cache_glob = g;
		w->cache_glob_flags = flags;
	}
	return g;
}

int pattern_matches(struct shell *sh, const struct word *w, struct bytes subject, bool in_cond)
{
	struct word *own = (struct word *)(uintptr_t)w;
	struct glob *g;
	bool matches;

	if ((w->flags & (WORD_LITERAL | WORD_GLOB)) == WORD_LITERAL &&
	    !opt_shopt(sh, SHOPT_nocasematch))
		return bytes_eq(w->literal, subject);
	g = compile(sh, own, glob_flags_now(sh, in_cond));
	if (g == NULL)
		return -1;
	glob_set_work(g, charge_work, sh->p->k);
	matches = glob_match(g, sh->arena, subject);
	return matches ? 1 : 0;
}
