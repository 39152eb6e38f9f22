/* SPDX-License-Identifier: MIT
 *
 * sed: lines by the block.
 *
 * Most scripts only act on lines that match something: /re/d, s/a/b/, /x/{...}. Where every
 * command is of that kind, the lines up to the next match of any of them pass unchanged, found
 * in the input's buffer without cutting it into lines. A script of one s command is run on the
 * whole buffer, if its regular expression can match neither a newline nor nothing.
 */
#include "builtins/sed/sed.h"

struct sed_skip {
	struct regex *re;          /* matches lines that need the script */
	const struct sed_sub *sub; /* the only command, run on blocks; or NULL */
	struct regex *sub_re;      /* its expression, for many lines at once */
	bool count;                /* line numbers matter */
	size_t end;                /* behind the last newline found in the buffer */
	unsigned hits;             /* tries in vain: the very next line needed the script */
	unsigned pause;            /* lines before the next try */
};

enum { PAUSE_MAX = 32 };

/* --- may it be done? --- */

static bool contains(struct bytes text, const char *what)
{
	return bytes_find(text, bytes_of(what)) != NULL;
}

/* Anchors to the whole pattern space mean something else in a block. */
static bool has_space_anchor(struct bytes text)
{
	return contains(text, "\\`") || contains(text, "\\'");
}

static bool may_match_newline(struct bytes text)
{
	if (contains(text, "[:space:]") || contains(text, "[:cntrl:]") || contains(text, "[.") ||
	    contains(text, "[="))
		return true;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char ch = (unsigned char)text.ptr[i];

		if (ch < 0x20 && (ch != '\t' || (i + 1 < text.len && text.ptr[i + 1] == '-')))
			return true;
		if (ch != '\\' || i + 1 == text.len)
			continue;
		ch = (unsigned char)text.ptr[++i];
		if (ch == '\0' || strchr("nsWdoxcafrtv", ch) != NULL)
			return true;
	}
	return false;
}

static bool may_match_nothing(struct regex *re)
{
	static const char *const probes[] = { "", "a", " ", "aa", "a b", "  " };

	for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
		struct bytes text = bytes_of(probes[i]);
		struct regex_span span;

		for (size_t at = 0; at <= text.len; at++)
			if (regex_search(re, text, at, 0, &span, 1) == 0 && span.from == span.to)
				return true;
	}
	return false;
}

/* The expression without a match of which the command does nothing; NULL: there is none. */
static struct sed_re *trigger(const struct sed_cmd *cmd)
{
	if (cmd->negate)
		return NULL;
	if (cmd->a1.kind == ADDR_REGEX)
		return cmd->a1.re;
	return cmd->a1.kind == ADDR_NONE && cmd->name == 's' ? cmd->sub->re : NULL;
}

static bool does_nothing(const struct sed_cmd *cmd)
{
	/* t jumps only after a replacement; 0,/re/ has no second beginning. */
	return cmd->a1.kind == ADDR_ZERO ? !cmd->negate
					 : cmd->a1.kind == ADDR_NONE && !cmd->negate &&
						   strchr(":}tv", cmd->name) != NULL;
}

static bool counts_lines(const struct sed_addr *a)
{
	return a->kind != ADDR_NONE && a->kind != ADDR_REGEX && a->kind != ADDR_LAST &&
	       a->kind != ADDR_ZERO;
}

/* What any command, in a block or not, may forbid. */
static bool allows_skipping(const struct sed *s, struct sed_skip *skip)
{
	for (size_t i = 0; i < s->ncmds; i++) {
		const struct sed_cmd *cmd = &s->cmds[i];
		const struct sed_re *used[] = {
			cmd->a1.re,
			cmd->a2.re,
			cmd->sub != NULL ? cmd->sub->re : NULL,
		};

		/* The empty expression would see which was used last. */
		for (int k = 0; k < 3; k++)
			if (used[k] != NULL && used[k]->re == NULL)
				return false;
		skip->count |= counts_lines(&cmd->a1) || counts_lines(&cmd->a2) || cmd->name == '=';
	}
	return true;
}

static bool has_reference(struct bytes text)
{
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.ptr[i] == '\\' && byte_is_digit(text.ptr[i + 1]))
			return true;
	return false;
}

/* The triggers of all commands in list. 0: there is a command without one. */
static size_t collect(const struct sed *s, struct bytes *list, unsigned *flags)
{
	size_t n = 0;
	bool references = false;

	for (size_t i = 0; i < s->ncmds; i++) {
		const struct sed_cmd *cmd = &s->cmds[i];
		const struct sed_re *re = trigger(cmd);

		if (re == NULL && does_nothing(cmd)) {
			if (cmd->name == '{')
				i = cmd->target - 1;
			continue;
		}
		if (re == NULL || has_space_anchor(re->text) ||
		    (n > 0 && (re->flags & ~(unsigned)REGEX_NEWLINE) != *flags))
			return 0;
		*flags = re->flags & ~(unsigned)REGEX_NEWLINE;
		references |= has_reference(re->text);
		list[n++] = re->text;
		if (cmd->name == '{')
			i = cmd->target - 1;
	}
	return references && n > 1 ? 0 : n;
}

/* --- preparing --- */

static void prepare_blocks(struct sed *s, struct sed_skip *skip)
{
	const struct sed_cmd *cmd = &s->cmds[0];
	const char *message;

	if (s->ncmds != 1 || cmd->name != 's' || cmd->a1.kind != ADDR_NONE)
		return;
	const struct sed_sub *sub = cmd->sub;

	if (sub->number != 0 || sub->eval || sub->print || sub->out != NULL || s->quiet ||
	    may_match_newline(sub->re->text) || may_match_nothing(sub->re->re))
		return;
	if (regex_compile(s->c->arena, sub->re->text, sub->re->flags | REGEX_NEWLINE, &skip->sub_re,
			  &message, NULL) < 0)
		return;
	regex_set_work(skip->sub_re, cmd_work, s->c);
	skip->sub = sub;
}

void sed_skip_prepare(struct sed *s)
{
	struct bytes *list = arena_array(s->c->arena, s->ncmds + 1, sizeof *list);
	struct sed_skip *skip = arena_zalloc(s->c->arena, sizeof *skip);
	const char *message;
	unsigned flags = 0;
	size_t n;

	if (s->unbuffered || s->null_data || !allows_skipping(s, skip))
		return;
	n = collect(s, list, &flags);
	flags |= REGEX_NEWLINE | REGEX_NOSUB;
	if (n == 0 || regex_compile_set(s->c->arena, list, n, flags, &skip->re, &message) < 0)
		return;
	regex_set_work(skip->re, cmd_work, s->c);
	prepare_blocks(s, skip);
	s->skip = skip;
}

/* --- doing it --- */

static void pass(struct sed *s, struct bytes lines)
{
	if (s->skip->count) {
		const char *at = lines.ptr;
		const char *end = lines.ptr + lines.len;

		while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
			s->line++;
			at++;
		}
	}
	if (s->quiet || lines.len == 0)
		return;
	sed_missing_newline(s, s->cur);
	output_write(s->cur->o, lines.ptr, lines.len);
}

static size_t next_line(struct bytes lines, size_t at)
{
	const char *hit = memchr(lines.ptr + at, '\n', lines.len - at);

	return hit != NULL ? (size_t)(hit - lines.ptr) + 1 : lines.len;
}

/* The s command on many lines. False: it found an empty match, which needs another way. */
static bool substitute_lines(struct sed *s, struct bytes lines)
{
	const struct sed_sub *sub = s->skip->sub;
	struct sed_space *work = &s->work;
	size_t nspans = (size_t)sub->max_group + 1;
	size_t copied = 0;
	size_t at = 0;

	work->len = 0;
	work->ptr = work->own;
	while (at < lines.len &&
	       regex_search(s->skip->sub_re, lines, at, 0, s->spans, nspans) == 0) {
		struct regex_span m = s->spans[0];

		if (m.from == m.to)
			return false;
		sed_append(s, work, bytes_slice(lines, copied, m.from));
		sed_put_replacement(s, sub, lines, work);
		copied = m.to;
		at = sub->global ? m.to : next_line(lines, m.to);
	}
	cmd_charge_bytes(s->c, lines.len);
	if (copied > 0) {
		sed_append(s, work, bytes_slice(lines, copied, lines.len));
		lines = sed_bytes(work);
	}
	pass(s, lines);
	return true;
}

static void move_on(struct sed *s, size_t n)
{
	s->in.from += n;
	s->in.scanned = s->in.from;
}

/* Whole lines in the buffer; it is filled if it is empty. */
static struct bytes buffered_lines(struct sed *s)
{
	struct input *in = &s->in;
	struct sed_skip *skip = s->skip;

	if (in->from == in->to) {
		s->space.len = 0;
		if (!sed_has_next(s))
			return BYTES("");
	}
	/* The end found last time may still be one, whatever was read since. */
	if (skip->end <= in->from || skip->end > in->to || in->ptr[skip->end - 1] != '\n') {
		skip->end = in->to;
		while (skip->end > in->from && in->ptr[skip->end - 1] != '\n')
			skip->end--;
	}
	return (struct bytes){ in->ptr + in->from, skip->end - in->from };
}

void sed_skip_lines(struct sed *s)
{
	struct sed_skip *skip = s->skip;

	if (skip->pause > 0) {
		skip->pause--;
		return;
	}
	while (s->is_open && s->active_ranges == 0) {
		struct bytes lines = buffered_lines(s);
		struct regex_span line;

		if (lines.len == 0)
			return;
		if (skip->sub != NULL && substitute_lines(s, lines)) {
			move_on(s, lines.len);
			continue;
		}
		skip->sub = NULL;
		cmd_charge(s->c, 1);
		if (regex_search_line(skip->re, lines, 0, &line) != 0) {
			pass(s, lines);
			move_on(s, lines.len);
			continue;
		}
		pass(s, bytes_slice(lines, 0, line.from));
		move_on(s, line.from);
		skip->hits = line.from == 0 ? skip->hits + 1 : 0;
		if (skip->hits > 4)
			skip->pause = skip->hits < PAUSE_MAX ? skip->hits : PAUSE_MAX;
		return;
	}
}
