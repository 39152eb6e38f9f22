/* SPDX-License-Identifier: MIT
 *
 * git apply --whitespace: blanks at the end of lines that a patch adds, before tabs, and blank
 * lines at the end of files.
 */
#include "builtins/git/apply.h"
#include "builtins/git/blanks.h"

enum { TOLD_MAX = 5 };

void apply_space_mode(struct applying *p, const char *word, int status)
{
	static const struct {
		const char *word;
		enum apply_space mode;
	} modes[] = {
		{ "nowarn", SPACE_NOWARN },       { "warn", SPACE_WARN }, { "error", SPACE_ERROR },
		{ "error-all", SPACE_ERROR_ALL }, { "fix", SPACE_FIX },   { "strip", SPACE_FIX },
	};

	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(modes[i].word, word) == 0) {
			p->space = modes[i].mode;
			return;
		}
	git_error(p->g, "unrecognized whitespace option '%s'", word);
	git_exit(p->g, status);
}

static bool is_blank(struct bytes line)
{
	for (size_t i = 0; i < line.len; i++)
		if (!byte_is_space((unsigned char)line.ptr[i]))
			return false;
	return true;
}

static void tell(struct applying *p, const char *source, size_t number, const char *what,
		 struct bytes line)
{
	struct buf out = buf_in(p->g->a);

	p->space_errors++;
	if (p->o.quiet || (p->space != SPACE_ERROR_ALL && p->space_errors > TOLD_MAX))
		return;
	buf_printf(&out, "%s:%zu: %s.\n", source, number, what);
	buf_add(&out, line);
	if (!bytes_ends(line, BYTES("\n")))
		buf_putc(&out, '\n');
	cmd_err_write(p->g->c, out.ptr, out.len);
}

/* That a CR at the end goes is not counted. */
static struct bytes without_end(struct bytes line)
{
	if (bytes_ends(line, BYTES("\n")))
		line.len--;
	if (bytes_ends(line, BYTES("\r")))
		line.len--;
	return line;
}

static unsigned apply_space_rules(struct applying *p, struct file_patch *f)
{
	const char *name = f->name[1] != NULL ? f->name[1] : f->name[0];

	if (f->space_rules == 0)
		f->space_rules = blanks_rules(p->g, name);
	return f->space_rules;
}

void apply_space_line(struct applying *p, struct file_patch *f, struct hunk_line *l)
{
	bool adds = l->sign == (p->o.reverse ? '-' : '+');
	bool stays = l->sign == ' ' && p->space == SPACE_FIX && !p->o.reverse;
	bool crlf = bytes_ends(l->text, BYTES("\r\n"));
	struct bytes seen = l->text;
	unsigned rules, wrong;

	f->has_crlf |= !adds && crlf;
	crlf &= f->has_crlf;
	if (crlf)
		seen.len -= 2;
	rules = apply_space_rules(p, f); /* they may be none */
	if (p->space == SPACE_NOWARN || (!adds && !stays) || !apply_takes(p, f))
		return;
	wrong = blanks_find(seen, rules);
	if (wrong == 0)
		return;
	tell(p, p->source, p->line, blanks_words(p->g, wrong), l->text);
	if (p->space != SPACE_FIX || !adds)
		return;
	struct bytes before = without_end(l->text);

	l->text = blanks_fixed(p->g, seen, rules);
	p->space_fixed += !bytes_eq(without_end(l->text), before);
	if (crlf)
		l->text = bytes_of(
			git_format(p->g->keep, "%.*s\r\n", (int)l->text.len, l->text.ptr));
}

size_t apply_space_end_of_file(struct applying *p, struct file_patch *f, const struct hunk *h)
{
	size_t added = 0, first = 0;

	if (p->space == SPACE_NOWARN || !(apply_space_rules(p, f) & RULE_EOF))
		return 0;
	for (size_t i = 0; i < h->n; i++) {
		bool blank = is_blank(h->at[i].text);

		if (h->at[i].sign == '+' && blank)
			first = added++ == 0 ? i : first;
		else if (h->at[i].sign != ' ' || !blank)
			added = 0;
	}
	if (added != 0)
		tell(p, h->source, h->number + 1 + first, "new blank line at EOF", BYTES("+"));
	return p->space == SPACE_FIX ? added : 0;
}

bool apply_space_stops(const struct applying *p)
{
	return p->space_errors != 0 && (p->space == SPACE_ERROR || p->space == SPACE_ERROR_ALL);
}

void apply_space_sum(struct applying *p, bool applied)
{
	size_t n = p->space_errors;
	const char *plural = n == 1 ? "" : "s";

	if (n == 0 || p->o.quiet)
		return;
	if (p->space != SPACE_ERROR_ALL && n > TOLD_MAX)
		git_warn(p->g, "squelched %zu whitespace error%s", n - TOLD_MAX,
			 n - TOLD_MAX == 1 ? "" : "s");
	if (apply_space_stops(p))
		git_error(p->g, "%zu line%s add%s whitespace errors.", n, plural,
			  n == 1 ? "s" : "");
	else if (p->space_fixed != 0 && applied)
		git_warn(p->g, "%zu line%s applied after fixing whitespace errors.", p->space_fixed,
			 p->space_fixed == 1 ? "" : "s");
	else
		git_warn(p->g, "%zu line%s add%s whitespace errors.", n, plural, n == 1 ? "s" : "");
}
