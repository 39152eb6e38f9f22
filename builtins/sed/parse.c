/* SPDX-License-Identifier: MIT
 *
 * sed: from the script's text to commands.
 *
 * Positions in messages count the characters read so far, as GNU's do; so reading and giving
 * back follow its order.
 */
#include "builtins/sed/sed.h"

enum { BLOCKS_MAX = 10000 };

int sed_next(struct sed_parser *p)
{
	if (p->at >= p->text.len)
		return -1;
	int ch = (unsigned char)p->text.ptr[p->at++];

	p->line += ch == '\n';
	return ch;
}

void sed_back(struct sed_parser *p, int ch)
{
	if (ch < 0)
		return;
	p->at--;
	p->line -= ch == '\n';
}

int sed_next_nonblank(struct sed_parser *p)
{
	int ch = sed_next(p);

	while (byte_is_blank(ch))
		ch = sed_next(p);
	return ch;
}

static _Noreturn void bad_at(struct sed_parser *p, const char *file, size_t number, size_t at,
			     const char *message)
{
	if (file != NULL)
		cmd_fatal(p->s->c, 0, "file %s line %zu: %s", file, number, message);
	cmd_fatal(p->s->c, 0, "-e expression #%zu, char %zu: %s", number, at, message);
}

_Noreturn void sed_bad(struct sed_parser *p, const char *format, ...)
{
	struct buf text = buf_in(p->s->c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	bad_at(p, p->file, p->file != NULL ? p->line : p->source, p->at, buf_cstr(&text));
}

void sed_end_of_command(struct sed_parser *p)
{
	int ch = sed_next_nonblank(p);

	if (ch == '}' || ch == '#')
		sed_back(p, ch);
	else if (ch == '\r')
		sed_end_of_command(p);
	else if (ch >= 0 && ch != '\n' && ch != ';')
		sed_bad(p, "extra characters after command");
}

uint64_t sed_number(struct sed_parser *p, int ch)
{
	uint64_t n = 0;

	for (; byte_is_digit(ch); ch = sed_next(p))
		n = n > UINT64_MAX / 16 ? n : n * 10 + (uint64_t)(ch - '0');
	sed_back(p, ch);
	return n;
}

static void skip_comment(struct sed_parser *p)
{
	int ch = sed_next(p);

	/* The real one does not look at what follows "#n". */
	if (ch == 'n' && p->first && p->at == 2)
		p->s->quiet = true;
	while (ch >= 0 && ch != '\n')
		ch = sed_next(p);
}

/* --- addresses --- */

static struct sed_re *parse_address_regex(struct sed_parser *p, int delim)
{
	struct bytes pattern;
	unsigned flags = 0;

	if (!sed_read_slash(p, delim, SLASH_REGEX, &pattern))
		sed_bad(p, "unterminated address regex");
	for (;;) {
		int ch = sed_next_nonblank(p);

		if (ch == 'I' && !p->s->posix)
			flags |= REGEX_ICASE;
		else if (ch == 'M' && !p->s->posix)
			flags |= REGEX_NEWLINE;
		else {
			sed_back(p, ch);
			return sed_compile(p, pattern, flags);
		}
	}
}

static void parse_line_number(struct sed_parser *p, struct sed_addr *a, int ch)
{
	a->kind = ADDR_LINE;
	a->n = sed_number(p, ch);
	ch = sed_next_nonblank(p);
	if (ch != '~' || p->s->posix) {
		sed_back(p, ch);
		return;
	}
	ch = sed_next_nonblank(p);
	if (!byte_is_digit(ch)) {
		sed_back(p, ch);
		return;
	}
	a->step = sed_number(p, ch);
	if (a->step > 0)
		a->kind = ADDR_STEP;
}

static bool parse_address(struct sed_parser *p, struct sed_addr *a, int ch)
{
	if (ch == '/' || ch == '\\') {
		if (ch == '\\')
			ch = sed_next(p);
		if (ch < 0)
			sed_bad(p, "unterminated address regex");
		a->kind = ADDR_REGEX;
		a->re = parse_address_regex(p, ch);
	} else if (byte_is_digit(ch)) {
		parse_line_number(p, a, ch);
	} else if ((ch == '+' || ch == '~') && !p->s->posix) {
		a->kind = ch == '+' ? ADDR_PLUS : ADDR_MULTIPLE;
		ch = sed_next_nonblank(p);
		if (byte_is_digit(ch))
			a->n = sed_number(p, ch);
		else
			sed_back(p, ch);
	} else if (ch == '$') {
		a->kind = ADDR_LAST;
	} else {
		return false;
	}
	return true;
}

/* The addresses of a command; returns what follows them. */
static int parse_addresses(struct sed_parser *p, struct sed_cmd *cmd, int ch)
{
	if (!parse_address(p, &cmd->a1, ch))
		return ch;
	if (cmd->a1.kind == ADDR_PLUS || cmd->a1.kind == ADDR_MULTIPLE)
		sed_bad(p, "invalid usage of +N or ~N as first address");
	ch = sed_next_nonblank(p);
	if (ch == ',') {
		if (!parse_address(p, &cmd->a2, sed_next_nonblank(p)))
			sed_bad(p, "unexpected `,'");
		ch = sed_next_nonblank(p);
	}
	if (cmd->a1.kind == ADDR_LINE && cmd->a1.n == 0) {
		cmd->before = cmd->a2.kind == ADDR_NONE && ch == 'r' && !p->s->posix;
		if (cmd->before) {
			cmd->a1.n = 1;
			return ch;
		}
		if (cmd->a2.kind != ADDR_REGEX || p->s->posix)
			sed_bad(p, "invalid usage of line address 0");
		cmd->a1.kind = ADDR_ZERO;
		cmd->active = true;
	}
	return ch;
}

/* --- blocks --- */

static void open_block(struct sed_parser *p, size_t index)
{
	if (p->nblocks == BLOCKS_MAX)
		sed_bad(p, "blocks are nested too deeply");
	if (p->nblocks == p->blocks_cap) {
		size_t cap = p->blocks_cap * 2 + 16;

		p->blocks = arena_grow(p->s->c->arena, p->blocks, p->blocks_cap * sizeof *p->blocks,
				       cap * sizeof *p->blocks);
		p->blocks_cap = cap;
	}
	p->blocks[p->nblocks++] = (struct sed_block){
		.cmd = index,
		.source = p->source,
		.file = p->file,
		.line = p->line,
	};
}

static void close_block(struct sed_parser *p, const struct sed_cmd *cmd, size_t index)
{
	if (p->nblocks == 0)
		sed_bad(p, "unexpected `}'");
	if (cmd->a1.kind != ADDR_NONE)
		sed_bad(p, "`}' doesn't want any addresses");
	sed_end_of_command(p);
	p->s->cmds[p->blocks[--p->nblocks].cmd].target = index + 1;
}

/* --- commands --- */

static void check_version(struct sed_parser *p)
{
	struct bytes text = sed_read_label(p);
	static const unsigned ours[] = { 4, 9, 0 };
	size_t at = 0;
	bool equal = true;

	for (int i = 0; i < 3; i++) {
		uint64_t n;
		size_t used = number_parse_u64(bytes_slice(text, at, text.len), 10, &n, NULL);

		if (used == 0)
			break;
		if (equal && n > ours[i])
			sed_bad(p, "expected newer version of sed");
		equal = equal && n == ours[i];
		at += used;
		if (at == text.len || text.ptr[at] != '.')
			break;
		at++;
	}
	if (at != text.len)
		sed_bad(p, "expected newer version of sed");
}

static void parse_number_argument(struct sed_parser *p, struct sed_cmd *cmd)
{
	int ch = sed_next_nonblank(p);

	cmd->number = -1;
	if (byte_is_digit(ch) && !p->s->posix)
		cmd->number = (int64_t)sed_number(p, ch);
	else
		sed_back(p, ch);
	sed_end_of_command(p);
}

static void parse_label(struct sed_parser *p, struct sed_cmd *cmd)
{
	if (cmd->a1.kind != ADDR_NONE)
		sed_bad(p, ": doesn't want any addresses");
	cmd->label = sed_read_label(p);
	if (cmd->label.len == 0)
		sed_bad(p, "\":\" lacks a label");
}

static void parse_file_command(struct sed_parser *p, struct sed_cmd *cmd)
{
	if (p->s->sandbox)
		sed_bad(p, "e/r/w commands disabled in sandbox mode");
	cmd->text = sed_read_file_name(p);
	if (cmd->name == 'e')
		return;
	if (cmd->text.len == 0)
		sed_bad(p, "missing filename in r/R/w/W commands");
	if (cmd->name == 'w' || cmd->name == 'W')
		cmd->out = sed_open_out(p->s, cmd->text);
	else if (cmd->name == 'R')
		cmd->in = sed_open_in(p->s, cmd->text);
}

/* What --posix forbids. */
static void check_posix(struct sed_parser *p, const struct sed_cmd *cmd)
{
	if (strchr("eFvzQTLRW", cmd->name) != NULL)
		sed_bad(p, "unknown command: `%c'", cmd->name);
	if (strchr("ailr=", cmd->name) != NULL && cmd->a2.kind != ADDR_NONE)
		sed_bad(p, "command only uses one address");
}

/* What follows the name of a command. */
static void parse_arguments(struct sed_parser *p, struct sed_cmd *cmd, size_t index)
{
	if (p->s->posix)
		check_posix(p, cmd);
	switch (cmd->name) {
	case '{': open_block(p, index); break;
	case '}': close_block(p, cmd, index); break;
	case 'a':
	case 'c':
	case 'i': sed_read_text(p, cmd, index); break;
	case ':': parse_label(p, cmd); break;
	case 'b':
	case 't':
	case 'T': cmd->label = sed_read_label(p); break;
	case 'q':
	case 'Q':
		if (cmd->a2.kind != ADDR_NONE)
			sed_bad(p, "command only uses one address");
		parse_number_argument(p, cmd);
		break;
	case 'l':
	case 'L': parse_number_argument(p, cmd); break;
	case 'e':
	case 'r':
	case 'R':
	case 'w':
	case 'W': parse_file_command(p, cmd); break;
	case 's': cmd->sub = sed_parse_sub(p); break;
	case 'y':
		cmd->map = sed_parse_map(p);
		sed_end_of_command(p);
		break;
	case 'v': check_version(p); break;
	default:
		if (strchr("=dDFgGhHnNpPxz", cmd->name) == NULL)
			sed_bad(p, "unknown command: `%c'", cmd->name);
		sed_end_of_command(p);
	}
}

static size_t new_command(struct sed_parser *p)
{
	struct sed *s = p->s;

	if (s->ncmds == p->cap) {
		size_t cap = p->cap * 2 + 8;

		s->cmds = arena_grow(s->c->arena, s->cmds, p->cap * sizeof *s->cmds,
				     cap * sizeof *s->cmds);
		p->cap = cap;
	}
	memset(&s->cmds[s->ncmds], 0, sizeof *s->cmds);
	return s->ncmds++;
}

/* False at the end of the part. */
static bool parse_command(struct sed_parser *p)
{
	int ch = sed_next(p);

	while (ch == ';' || byte_is_space(ch))
		ch = sed_next(p);
	if (ch < 0)
		return false;
	size_t index = new_command(p);
	struct sed_cmd *cmd = &p->s->cmds[index];

	ch = parse_addresses(p, cmd, ch);
	while (byte_is_blank(ch))
		ch = sed_next(p);
	if (ch == '!') {
		cmd->negate = true;
		ch = sed_next_nonblank(p);
		if (ch == '!')
			sed_bad(p, "multiple `!'s");
	}
	if (ch < 0)
		sed_bad(p, "missing command");
	if (ch == '#') {
		if (cmd->a1.kind != ADDR_NONE)
			sed_bad(p, "comments don't accept any addresses");
		skip_comment(p);
		p->s->ncmds--;
		return true;
	}
	cmd->name = (char)ch;
	if (ch == '\0' || ch >= 128)
		sed_bad(p, "unknown command: `%c'", ch);
	parse_arguments(p, cmd, index);
	return true;
}

void sed_parse(struct sed *s, struct bytes text, const char *name)
{
	struct sed_parser *p = s->parser;

	if (p == NULL) {
		p = s->parser = arena_zalloc(s->c->arena, sizeof *p);
		p->s = s;
		p->first = true;
		p->pending_text = buf_in(s->c->arena);
	}
	p->text = text;
	p->at = 0;
	p->file = name;
	p->line = 1;
	if (name == NULL)
		p->source++;
	if (p->pending)
		sed_go_on_with_text(p);
	while (parse_command(p))
		cmd_charge(s->c, 1);
	p->first = false;
}

static size_t find_label(const struct sed *s, struct bytes label)
{
	for (size_t i = 0; i < s->ncmds; i++)
		if (s->cmds[i].name == ':' && bytes_eq(s->cmds[i].label, label))
			return i;
	return SIZE_MAX;
}

void sed_parse_end(struct sed *s)
{
	struct sed_parser *p = s->parser;

	if (p->nblocks > 0) {
		const struct sed_block *b = &p->blocks[p->nblocks - 1];

		bad_at(p, b->file, b->file != NULL ? b->line : b->source, 0, "unmatched `{'");
	}
	if (p->pending && s->posix && p->pending_text.len == 0)
		sed_bad(p, "incomplete command");
	for (size_t i = 0; i < s->ncmds; i++) {
		struct sed_cmd *cmd = &s->cmds[i];

		if (strchr("btT", cmd->name) == NULL)
			continue;
		cmd_charge(s->c, s->ncmds / 64 + 1);
		cmd->target = cmd->label.len == 0 ? s->ncmds : find_label(s, cmd->label);
		if (cmd->target == SIZE_MAX)
			cmd_fatal_status(s->c, 4, 0, "can't find label for jump to `%.*s'",
					 (int)cmd->label.len, cmd->label.ptr);
	}
}
