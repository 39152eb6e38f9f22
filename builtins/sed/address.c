/* SPDX-License-Identifier: MIT
 *
 * sed: whether a command applies to the current line.
 */
#include "builtins/sed/sed.h"

bool sed_matches(struct sed *s, struct sed_re *re, struct bytes text, size_t from, size_t nspans)
{
	if (re->re == NULL)
		re = s->last_re;
	if (re == NULL) {
		sed_drop_temp(s);
		const struct sed_parser *p = s->parser; /* at the end of the script */

		if (p->file != NULL)
			cmd_fatal(s->c, 0, "file %s line %zu: no previous regular expression",
				  p->file, p->line);
		cmd_fatal(s->c, 0, "-e expression #%zu, char 0: no previous regular expression",
			  p->source);
	}
	s->last_re = re;
	int found = regex_search(re->re, text, from, 0, s->spans, nspans);

	if (found < 0) {
		sed_drop_temp(s);
		cmd_fatal_status(s->c, 4, 0, "regex work limit exceeded");
	}
	return found == 0;
}

static bool matches(struct sed *s, const struct sed_addr *a)
{
	switch (a->kind) {
	case ADDR_LINE: return s->line == a->n;
	case ADDR_STEP: return s->line >= a->n && (s->line - a->n) % a->step == 0;
	case ADDR_LAST: return !sed_has_next(s);
	case ADDR_REGEX: return sed_matches(s, a->re, sed_bytes(&s->space), 0, 1);
	default: return true;
	}
}

static void set_active(struct sed *s, struct sed_cmd *cmd, bool active)
{
	if (cmd->active == active)
		return;
	cmd->active = active;
	if (active)
		s->active_ranges++;
	else
		s->active_ranges--;
}

/* The line a range ends with, from its first line; 0: its second address is no number. */
static uint64_t end_line(const struct sed *s, const struct sed_addr *a2)
{
	switch (a2->kind) {
	case ADDR_LINE: return a2->n != 0 ? a2->n : 1;
	case ADDR_PLUS: return s->line + a2->n;
	case ADDR_MULTIPLE: return a2->n == 0 ? s->line : (s->line / a2->n + 1) * a2->n;
	default: return 0;
	}
}

static bool range_begins(struct sed *s, struct sed_cmd *cmd)
{
	if (cmd->a1.kind == ADDR_ZERO)
		return false;
	if (cmd->a1.kind == ADDR_LINE) {
		if (cmd->closed || s->line < cmd->a1.n)
			return false;
		/* The first line may have been passed by n or N. */
		if (cmd->a2.kind == ADDR_LINE && s->line != cmd->a1.n && s->line > cmd->a2.n)
			return false;
		cmd->closed = true;
	} else if (!matches(s, &cmd->a1)) {
		return false;
	}
	/* first~step and $, unlike a pattern, may end a range where it begins. */
	if ((cmd->a2.kind == ADDR_STEP || cmd->a2.kind == ADDR_LAST) && matches(s, &cmd->a2))
		return true;
	cmd->range_end = end_line(s, &cmd->a2);
	if (cmd->range_end == 0 || s->line < cmd->range_end)
		set_active(s, cmd, true);
	return true;
}

static bool in_range(struct sed *s, struct sed_cmd *cmd)
{
	if (!cmd->active)
		return range_begins(s, cmd);
	if (cmd->range_end != 0) {
		if (s->line >= cmd->range_end)
			set_active(s, cmd, false);
		/* Where the last line was passed by N, addr,+N takes the one it landed on. */
		return s->line <= cmd->range_end || cmd->a2.kind != ADDR_LINE;
	}
	if (matches(s, &cmd->a2))
		set_active(s, cmd, false);
	return true;
}

bool sed_applies(struct sed *s, struct sed_cmd *cmd)
{
	if (cmd->a1.kind == ADDR_NONE)
		return !cmd->negate;
	if (cmd->a2.kind == ADDR_NONE)
		return matches(s, &cmd->a1) != cmd->negate;
	return in_range(s, cmd) != cmd->negate;
}

void sed_reset_ranges(struct sed *s)
{
	s->active_ranges = 0;
	for (size_t i = 0; i < s->ncmds; i++) {
		struct sed_cmd *cmd = &s->cmds[i];

		cmd->active = cmd->a1.kind == ADDR_ZERO;
		cmd->closed = false;
		cmd->range_end = 0;
		s->active_ranges += cmd->active;
	}
}
