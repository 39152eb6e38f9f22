/* SPDX-License-Identifier: MIT
 *
 * sed: the cycle, and what each command does.
 */
#include "builtins/sed/sed.h"

enum flow {
	FLOW_NEXT,
	FLOW_JUMP,   /* to cmd->target */
	FLOW_CYCLE,  /* the cycle is over: the pattern space is written */
	FLOW_DELETE, /* the same without writing it */
	FLOW_CUT,    /* the same by D */
	FLOW_QUIT,   /* FLOW_CYCLE, then the end */
	FLOW_STOP,   /* the end at once */
};

/* --- output --- */

static void put_space(struct sed *s, struct sed_out *out)
{
	sed_put(s, out, sed_bytes(&s->space), s->space.ended);
}

/* The first line of the pattern space. */
static struct bytes first_line(const struct sed *s)
{
	struct bytes text = sed_bytes(&s->space);
	const char *end = memchr(text.ptr, s->delim, text.len);

	return end != NULL ? bytes_slice(text, 0, (size_t)(end - text.ptr)) : text;
}

static void put_first_line(struct sed *s, struct sed_out *out)
{
	struct bytes line = first_line(s);

	sed_put(s, out, line, line.len < s->space.len || s->space.ended);
}

static void put_number(struct sed *s, uint64_t n)
{
	char digits[24];
	size_t len = num_format_u64(n, digits);

	digits[len++] = s->delim;
	sed_missing_newline(s, s->cur);
	output_write(s->cur->o, digits, len);
}

static void put_text(struct sed *s, struct bytes text)
{
	if (text.len > 0)
		sed_put(s, s->cur, bytes_slice(text, 0, text.len - 1), true);
}

/* --- l --- */

static size_t escape_byte(unsigned char byte, char out[5])
{
	static const char special[] = "\\\a\b\f\n\r\t\v";
	static const char letters[] = "\\abfnrtv";
	const char *hit = byte != 0 ? strchr(special, byte) : NULL;

	if (hit != NULL) {
		out[0] = '\\';
		out[1] = letters[hit - special];
		return 2;
	}
	if (byte_is_print(byte)) {
		out[0] = (char)byte;
		return 1;
	}
	out[0] = '\\';
	out[1] = (char)('0' + (byte >> 6));
	out[2] = (char)('0' + (byte >> 3 & 7));
	out[3] = (char)('0' + (byte & 7));
	return 4;
}

static void list_space(struct sed *s, int64_t width)
{
	size_t column = 0;

	sed_missing_newline(s, s->cur);
	cmd_charge_bytes(s->c, s->space.len);
	for (size_t i = 0; i < s->space.len; i++) {
		char text[5];
		size_t len = escape_byte((unsigned char)s->space.ptr[i], text);

		if (width > 0 && column + len > (uint64_t)width - 1) {
			output_putc(s->cur->o, '\\');
			output_putc(s->cur->o, s->delim);
			column = 0;
		}
		output_write(s->cur->o, text, len);
		column += len;
	}
	output_putc(s->cur->o, '$');
	output_putc(s->cur->o, s->delim);
}

/* --- commands --- */

static void defer(struct sed *s, char kind, struct bytes text, char *copy)
{
	if (s->nappends == s->appends_cap) {
		size_t cap = s->appends_cap * 2 + 8;

		s->appends = pool_resize(s->c->pool, s->appends,
					 s->appends_cap * sizeof *s->appends,
					 cap * sizeof *s->appends);
		s->appends_cap = cap;
	}
	s->appends[s->nappends++] = (struct sed_append){ .kind = kind, .text = text, .copy = copy };
}

static void defer_line(struct sed *s, struct sed_in *in)
{
	struct bytes line;

	if (in->failed)
		return;
	if (!in->opened) {
		in->opened = true;
		in->failed = input_open(&in->in, s->c, in->name) < 0;
	}
	int more = in->failed ? 0 : input_line(&in->in, s->delim, &line);

	if (more < 0)
		sed_read_failed(s, in->name, more);
	if (more == 0)
		return;
	char *copy = pool_alloc(s->c->pool, line.len + 1);

	memcpy(copy, line.ptr, line.len);
	copy[line.len] = s->delim;
	defer(s, 'R', (struct bytes){ copy, line.len + in->in.ended }, copy);
}

static void read_file(struct sed *s, const struct sed_cmd *cmd)
{
	if (!cmd->before) {
		defer(s, 'r', cmd->text, NULL);
		return;
	}
	sed_missing_newline(s, s->cur);
	sed_put_file(s, cmd->text);
}

static void copy_space(struct sed *s, struct sed_space *to, const struct sed_space *from)
{
	cmd_charge_bytes(s->c, from->len);
	to->len = 0;
	to->ptr = to->own;
	sed_append(s, to, sed_bytes(from));
	to->ended = from->ended;
}

static void join_space(struct sed *s, struct sed_space *to, const struct sed_space *from)
{
	cmd_charge_bytes(s->c, from->len);
	sed_append(s, to, (struct bytes){ &s->delim, 1 });
	sed_append(s, to, sed_bytes(from));
	to->ended = from->ended;
}

static void exchange(struct sed *s)
{
	struct sed_space space = s->space;

	s->space = s->hold;
	s->hold = space;
	/* A view would not outlive the next line. */
	sed_own(s, &s->hold, 0);
}

static enum flow delete_first_line(struct sed *s)
{
	struct bytes line = first_line(s);

	if (line.len == s->space.len)
		return FLOW_CUT;
	sed_own(s, &s->space, 0);
	cmd_charge_bytes(s->c, s->space.len);
	s->space.len -= line.len + 1;
	memmove(s->space.ptr, s->space.ptr + line.len + 1, s->space.len);
	s->restart = true;
	return FLOW_CUT;
}

/* c: in a range only its last line writes the text. */
static enum flow change(struct sed *s, struct sed_cmd *cmd)
{
	if (cmd->a2.kind == ADDR_NONE || cmd->negate || !cmd->active || s->posix)
		put_text(s, cmd->text);
	return FLOW_DELETE;
}

static enum flow next_line(struct sed *s, bool append)
{
	if (!sed_has_next(s)) {
		if (append && (s->posix || cmd_getenv(s->c, "POSIXLY_CORRECT") != NULL))
			return FLOW_DELETE;
		if (append)
			return FLOW_CYCLE;
	}
	if (!append && !s->quiet)
		put_space(s, s->cur);
	if (!sed_has_next(s))
		return FLOW_DELETE;
	sed_dump_appends(s);
	s->replaced = false;
	sed_read_line(s, append);
	return FLOW_NEXT;
}

static void run_shell(struct sed *s, const struct sed_cmd *cmd)
{
	struct sed_space out = { .ended = true };

	if (cmd->text.len > 0) {
		sed_shell(s, cmd->text, &out);
		sed_missing_newline(s, s->cur);
		output_write(s->cur->o, out.ptr, out.len);
		pool_free(s->c->pool, out.own, out.cap);
		return;
	}
	sed_shell(s, sed_bytes(&s->space), &out);
	if (out.len > 0 && out.ptr[out.len - 1] == s->delim)
		out.len--;
	pool_free(s->c->pool, s->space.own, s->space.cap);
	s->space = out;
}

static void put_name(struct sed *s)
{
	sed_missing_newline(s, s->cur);
	output_write(s->cur->o, s->open_name, strlen(s->open_name));
	output_putc(s->cur->o, s->delim);
}

/* The commands that only change or write the pattern space and the hold space. */
static void run_simple(struct sed *s, struct sed_cmd *cmd)
{
	switch (cmd->name) {
	case '=': put_number(s, s->line); break;
	case 'F': put_name(s); break;
	case 'P': put_first_line(s, s->cur); break;
	case 'R': defer_line(s, cmd->in); break;
	case 'W': put_first_line(s, cmd->out); break;
	case 'a': defer(s, 'a', cmd->text, NULL); break;
	case 'e': run_shell(s, cmd); break;
	case 'g': copy_space(s, &s->space, &s->hold); break;
	case 'G': join_space(s, &s->space, &s->hold); break;
	case 'h': copy_space(s, &s->hold, &s->space); break;
	case 'H': join_space(s, &s->hold, &s->space); break;
	case 'i': put_text(s, cmd->text); break;
	case 'l': list_space(s, cmd->number >= 0 ? cmd->number : s->line_wrap); break;
	case 'p': put_space(s, s->cur); break;
	case 'r': read_file(s, cmd); break;
	case 's': sed_substitute(s, cmd); break;
	case 'w': put_space(s, cmd->out); break;
	case 'x': exchange(s); break;
	case 'y': sed_map(s, cmd->map); break;
	case 'z': s->space.len = 0; break;
	default: break;
	}
}

static enum flow jump_if(struct sed *s, bool wanted)
{
	bool replaced = s->replaced;

	if (wanted)
		s->replaced = false;
	else if (replaced) {
		s->replaced = false;
		return FLOW_NEXT;
	}
	return replaced == wanted ? FLOW_JUMP : FLOW_NEXT;
}

static enum flow run_command(struct sed *s, struct sed_cmd *cmd)
{
	switch (cmd->name) {
	case 'b': return FLOW_JUMP;
	case 't': return jump_if(s, true);
	case 'T': return jump_if(s, false);
	case 'c': return change(s, cmd);
	case 'd': return FLOW_DELETE;
	case 'D': return delete_first_line(s);
	case 'n': return next_line(s, false);
	case 'N': return next_line(s, true);
	case 'q': return FLOW_QUIT;
	case 'Q': return FLOW_STOP;
	default: run_simple(s, cmd); return FLOW_NEXT;
	}
}

static void quit(struct sed *s, const struct sed_cmd *cmd)
{
	s->done = true;
	if (cmd->number >= 0)
		/* That a file could not be read stays the status. */
		if (s->status != 2)
			s->status = (int)(cmd->number & 0xff);
}

/* Runs the script on one pattern space. */
static enum flow run_script(struct sed *s)
{
	size_t pc = 0;

	while (pc < s->ncmds) {
		struct sed_cmd *cmd = &s->cmds[pc++];

		if (pc % 32 == 0)
			cmd_charge(s->c, 1);
		if (s->debug)
			sed_debug_before(s, cmd);
		if (!sed_applies(s, cmd)) {
			/* --debug shows the end of the block. */
			if (cmd->name == '{')
				pc = cmd->target - s->debug;
			continue;
		}
		enum flow flow = run_command(s, cmd);

		if (s->debug && (flow == FLOW_NEXT || s->restart))
			sed_debug_after(s, cmd);
		if (flow == FLOW_NEXT)
			continue;
		if (flow == FLOW_QUIT || flow == FLOW_STOP)
			quit(s, cmd);
		if (flow != FLOW_JUMP)
			return flow;
		cmd_charge(s->c, 1);
		pc = cmd->target;
	}
	return FLOW_CYCLE;
}

void sed_execute(struct sed *s)
{
	while (!s->done) {
		if (!s->restart) {
			if (s->skip != NULL)
				sed_skip_lines(s);
			if (!sed_read_line(s, false))
				return;
			s->replaced = false;
			if (s->debug)
				sed_debug_line(s);
		}
		s->restart = false;
		cmd_charge(s->c, 1);
		enum flow flow = run_script(s);

		if (s->debug && (flow == FLOW_CYCLE || flow == FLOW_DELETE))
			sed_debug_end(s);
		if ((flow == FLOW_CYCLE || flow == FLOW_QUIT) && !s->quiet)
			put_space(s, s->cur);
		if (flow == FLOW_QUIT)
			sed_missing_newline(s, s->cur);
		if (flow != FLOW_STOP)
			sed_dump_appends(s);
		if (s->unbuffered)
			output_flush(s->cur->o);
	}
}
