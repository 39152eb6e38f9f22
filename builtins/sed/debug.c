/* SPDX-License-Identifier: MIT
 *
 * sed: --debug: the script in canonical form, and what each command of it does.
 *
 * Nothing here ends a line that a command left open, and a block that is left by a jump stays
 * open for the indentation: as with the real one.
 */
#include "builtins/sed/sed.h"

static void put(struct sed *s, struct bytes text)
{
	cmd_charge_bytes(s->c, text.len);
	output_write(&s->c->out, text.ptr, text.len);
}

static void put_word(struct sed *s, const char *word)
{
	put(s, bytes_of(word));
}

static void put_char(struct sed *s, char ch)
{
	output_putc(&s->c->out, ch);
}

static void put_count(struct sed *s, uint64_t n)
{
	char digits[24];

	put(s, (struct bytes){ digits, num_format_u64(n, digits) });
}

/* The real one counts in signed characters: what is not ASCII has eleven digits. */
static void put_visible(struct sed *s, char ch)
{
	static const char special[] = "\\\a\f\n\r\t\v";
	static const char letters[] = "\\afnrtv";
	const char *hit = ch != '\0' ? strchr(special, ch) : NULL;
	uint32_t code = (uint32_t)(signed char)ch;

	if (hit != NULL) {
		put_char(s, '\\');
		put_char(s, letters[hit - special]);
	} else if (byte_is_print((unsigned char)ch)) {
		put_char(s, ch);
	} else {
		put_word(s, "\\o");
		for (unsigned shift = 33; shift > 0; shift -= 3)
			if (shift <= 9 || code >> (shift - 3) != 0)
				put_char(s, (char)('0' + (code >> (shift - 3) & 7)));
	}
}

static void put_space_named(struct sed *s, const char *name, const struct sed_space *space)
{
	put_word(s, name);
	for (size_t i = 0; i < space->len; i++)
		put_visible(s, space->ptr[i]);
	cmd_charge_bytes(s->c, space->len);
	put_char(s, '\n');
}

/* --- commands --- */

static void put_regex(struct sed *s, const struct sed_re *re)
{
	struct bytes text = re->text;

	put_char(s, '/');
	for (size_t i = 0; i < text.len; i++) {
		bool pair = text.ptr[i] == '\\' && i + 1 < text.len;

		if (text.ptr[i] == '/')
			put_char(s, '\\');
		if (pair && text.ptr[i + 1] == 'n')
			put_char(s, '\\');
		else
			put_visible(s, text.ptr[i]);
		if (!pair)
			continue;
		i++;
		if (text.ptr[i] == '/')
			put_char(s, '\\');
		put_visible(s, text.ptr[i]);
	}
	put_char(s, '/');
}

static void put_address(struct sed *s, const struct sed_addr *a)
{
	switch (a->kind) {
	case ADDR_LINE: put_count(s, a->n); break;
	case ADDR_STEP:
		put_count(s, a->n);
		put_char(s, '~');
		put_count(s, a->step);
		break;
	case ADDR_LAST: put_char(s, '$'); break;
	case ADDR_ZERO: put_char(s, '0'); break;
	case ADDR_REGEX:
		put_regex(s, a->re);
		if ((a->re->flags & REGEX_ICASE) != 0)
			put_char(s, 'I');
		if ((a->re->flags & REGEX_NEWLINE) != 0)
			put_char(s, 'M');
		break;
	default:
		if (a->n == 0) {
			put_word(s, "[ADDR-NULL]");
			break;
		}
		put_char(s, a->kind == ADDR_PLUS ? '+' : '~');
		put_count(s, a->n);
	}
}

static void put_addresses(struct sed *s, const struct sed_cmd *cmd)
{
	if (cmd->a1.kind != ADDR_NONE)
		put_address(s, &cmd->a1);
	if (cmd->a2.kind != ADDR_NONE) {
		put_char(s, ',');
		put_address(s, &cmd->a2);
	}
	if (cmd->negate)
		put_char(s, '!');
	if (cmd->a1.kind != ADDR_NONE)
		put_char(s, ' ');
}

static void put_replacement(struct sed *s, const struct sed_sub *sub)
{
	static const char lasting[] = "EUL";
	char state = 'E'; /* what is written */
	char kept = 'E';  /* what holds behind a \u or \l */
	char now = 'E';   /* what holds for the next piece */

	for (size_t i = 0; i < sub->npieces; i++) {
		const struct sed_piece *piece = &sub->pieces[i];

		if (now != state) {
			put_char(s, '\\');
			put_char(s, now);
		}
		state = now;
		now = kept;
		put(s, piece->text);
		if (piece->group > 0)
			put_char(s, '\\');
		if (piece->group >= 0)
			put_char(s, piece->group > 0 ? (char)('0' + piece->group) : '&');
		if (!piece->set_case)
			continue;
		now = lasting[piece->letters];
		if (piece->once)
			now = (char)byte_to_lower(now);
		else
			kept = now;
	}
	put_char(s, '/');
}

static void put_sub(struct sed *s, const struct sed_sub *sub)
{
	put_regex(s, sub->re);
	put_replacement(s, sub);
	if ((sub->re->flags & REGEX_ICASE) != 0)
		put_char(s, 'i');
	if ((sub->re->flags & REGEX_NEWLINE) != 0)
		put_char(s, 'm');
	if (sub->global)
		put_char(s, 'g');
	if (sub->eval)
		put_char(s, 'e');
	if (sub->print)
		put_char(s, 'p');
	if (sub->number != 0)
		put_count(s, sub->number);
	if (sub->out != NULL) {
		put_char(s, 'w');
		put_word(s, sub->out->name);
	}
}

static void put_map(struct sed *s, const struct sed_map *map)
{
	put_char(s, '/');
	if (s->c->utf8) {
		put(s, map->from);
		put_char(s, '/');
		put(s, map->to);
	} else {
		for (int i = 0; i < 256; i++)
			if (map->byte[i] != i)
				put_char(s, (char)i);
		put_char(s, '/');
		for (int i = 0; i < 256; i++)
			if (map->byte[i] != i)
				put_char(s, (char)map->byte[i]);
	}
	put_char(s, '/');
}

/* What stands behind the name of the command. */
static void put_arguments(struct sed *s, const struct sed_cmd *cmd)
{
	switch (cmd->name) {
	case 'a':
	case 'c':
	case 'i':
		put_char(s, '\\');
		put(s, cmd->text);
		break;
	case 'e':
		put_char(s, ' ');
		put(s, cmd->text);
		if (cmd->text.len > 0)
			put_char(s, cmd->shown ? '\0' : '\n');
		break;
	case 'r':
	case 'R':
		put_char(s, ' ');
		put(s, cmd->text);
		break;
	case 'w':
	case 'W':
	case ':': put(s, cmd->name == ':' ? cmd->label : cmd->text); break;
	case 'b':
	case 't':
	case 'T':
		put_word(s, cmd->label.len > 0 ? " " : "");
		put(s, cmd->label);
		break;
	case 'l':
	case 'L':
	case 'q':
	case 'Q':
		if (cmd->number < 0)
			break;
		put_char(s, ' ');
		put_count(s, (uint64_t)cmd->number);
		break;
	case 's': put_sub(s, cmd->sub); break;
	case 'y': put_map(s, cmd->map); break;
	default: break;
	}
}

static void put_command(struct sed *s, const struct sed_cmd *cmd)
{
	if (cmd->name == '}')
		s->depth--;
	for (int i = 0; i < s->depth; i++)
		put_word(s, "  ");
	put_addresses(s, cmd);
	put_char(s, cmd->name);
	put_arguments(s, cmd);
	put_char(s, '\n');
	if (cmd->name == '{')
		s->depth++;
}

void sed_debug_script(struct sed *s)
{
	put_word(s, "SED PROGRAM:\n");
	s->depth = 1;
	for (size_t i = 0; i < s->ncmds; i++)
		if (s->cmds[i].name != 'v')
			put_command(s, &s->cmds[i]);
	s->depth = 0;
}

/* --- running --- */

void sed_debug_line(struct sed *s)
{
	const char *name = strcmp(s->open_name, "-") == 0 ? "STDIN" : s->open_name;

	put_word(s, "INPUT:   '");
	put_word(s, name);
	put_word(s, "' line ");
	put_count(s, s->line);
	put_char(s, '\n');
	sed_debug_space(s);
}

void sed_debug_space(struct sed *s)
{
	put_space_named(s, "PATTERN: ", &s->space);
}

void sed_debug_before(struct sed *s, struct sed_cmd *cmd)
{
	if (cmd->name == 'v')
		return;
	put_word(s, "COMMAND: ");
	put_command(s, cmd);
	cmd->shown = true;
}

void sed_debug_after(struct sed *s, const struct sed_cmd *cmd)
{
	if (strchr("DGNnsxyz", cmd->name) != NULL)
		sed_debug_space(s);
	if (strchr("ghHx", cmd->name) != NULL)
		put_space_named(s, "HOLD:    ", &s->hold);
}

void sed_debug_match(struct sed *s, struct bytes text, size_t nspans)
{
	put_word(s, "MATCHED REGEX REGISTERS\n");
	for (size_t i = 0; i < nspans; i++) {
		struct regex_span span = s->spans[i];

		if (span.from == SIZE_MAX)
			continue;
		put_word(s, "  regex[");
		put_count(s, i);
		put_word(s, "] = ");
		put_count(s, span.from);
		put_char(s, '-');
		put_count(s, span.to);
		put_word(s, " '");
		put(s, bytes_slice(text, span.from, span.to));
		put_word(s, "'\n");
	}
}

void sed_debug_end(struct sed *s)
{
	put_word(s, "END-OF-CYCLE:\n");
}
