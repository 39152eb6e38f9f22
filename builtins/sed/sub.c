/* SPDX-License-Identifier: MIT
 *
 * sed: what changes the pattern space: s and y, and the memory it lives in.
 */
#include "builtins/sed/sed.h"

void sed_own(struct sed *s, struct sed_space *space, size_t n)
{
	if (space->ptr == space->own && space->cap - space->len >= n && space->own != NULL)
		return;
	if (space->cap < space->len + n || space->own == NULL) {
		size_t cap = space->len + n + space->len / 2 + 64;
		bool is_own = space->ptr == space->own;

		if (!is_own)
			cmd_charge_bytes(s->c, space->len);
		space->own = pool_resize(s->c->pool, space->own, space->cap, cap);
		space->cap = cap;
		if (is_own)
			space->ptr = space->own;
	}
	if (space->ptr != space->own && space->len > 0)
		memcpy(space->own, space->ptr, space->len);
	space->ptr = space->own;
}

void sed_append(struct sed *s, struct sed_space *space, struct bytes text)
{
	sed_own(s, space, text.len);
	if (text.len > 0)
		memcpy(space->ptr + space->len, text.ptr, text.len);
	space->len += text.len;
}

/* --- changing case --- */

struct case_state {
	enum sed_case all;
	enum sed_case once;
};

static size_t convert(struct bytes text, size_t at, bool utf8, enum sed_case to, char out[4],
		      size_t *out_len)
{
	uint32_t c;
	size_t len = utf8 ? utf8_decode(text, at, &c) : 0;

	if (len <= 1) {
		unsigned char byte = (unsigned char)text.ptr[at];

		out[0] = (char)(to == CASE_UPPER   ? byte_to_upper(byte)
				: to == CASE_LOWER ? byte_to_lower(byte)
						   : byte);
		*out_len = 1;
		return 1;
	}
	if (to != CASE_NONE)
		c = to == CASE_UPPER ? utf8_to_upper(c) : utf8_to_lower(c);
	*out_len = utf8_encode(c, out);
	return len;
}

static void append_cased(struct sed *s, struct sed_space *out, struct bytes text,
			 struct case_state *state)
{
	size_t at = 0;

	if (state->all == CASE_NONE && state->once == CASE_NONE) {
		sed_append(s, out, text);
		return;
	}
	while (at < text.len) {
		char bytes[4];
		size_t len;
		enum sed_case to = state->once != CASE_NONE ? state->once : state->all;

		at += convert(text, at, s->c->utf8, to, bytes, &len);
		state->once = CASE_NONE;
		sed_append(s, out, (struct bytes){ bytes, len });
	}
}

static void set_case(struct case_state *state, const struct sed_piece *piece)
{
	state->once = piece->once ? piece->letters : CASE_NONE;
	if (!piece->once)
		state->all = piece->letters;
}

static struct bytes group_text(const struct sed *s, struct bytes text, int group)
{
	struct regex_span span = { SIZE_MAX, SIZE_MAX };

	if (group >= 0 && (size_t)group < s->nspans)
		span = s->spans[group];
	if (span.from == SIZE_MAX)
		return BYTES("");
	return bytes_slice(text, span.from, span.to);
}

void sed_put_replacement(struct sed *s, const struct sed_sub *sub, struct bytes text,
			 struct sed_space *out)
{
	struct case_state state = { CASE_NONE, CASE_NONE };

	for (size_t i = 0; i < sub->npieces; i++) {
		const struct sed_piece *piece = &sub->pieces[i];
		struct bytes group = group_text(s, text, piece->group);

		if (sub->has_case) {
			append_cased(s, out, piece->text, &state);
			append_cased(s, out, group, &state);
			if (piece->set_case)
				set_case(&state, piece);
			continue;
		}
		sed_append(s, out, piece->text);
		sed_append(s, out, group);
	}
}

/* --- s --- */

static size_t char_length(const struct sed *s, struct bytes text, size_t at)
{
	uint32_t c;
	size_t len = s->c->utf8 && (unsigned char)text.ptr[at] >= 128 ? utf8_decode(text, at, &c)
								      : 1;

	return len != 0 ? len : 1;
}

/* An empty expression brings its number of groups along only now. */
static void check_reference(struct sed *s, const struct sed_sub *sub)
{
	const struct sed_re *re = s->last_re;

	if (sub->re->re == NULL && re != NULL && (unsigned)sub->max_group > regex_groups(re->re))
		cmd_fatal(s->c, 0,
			  "-e expression #1, char 0: invalid reference \\%d on `s' "
			  "command's RHS",
			  sub->max_group);
}

/* Builds the new text in s->work. Returns whether anything was replaced. */
static bool replace(struct sed *s, const struct sed_sub *sub)
{
	struct bytes text = sed_bytes(&s->space);
	size_t nspans = s->debug ? s->nspans : (size_t)sub->max_group + 1;
	size_t copied = 0; /* of the text, so far */
	size_t from = 0;
	size_t last_end = SIZE_MAX;
	uint64_t count = 0;
	bool any = false;

	check_reference(s, sub);
	s->work.len = 0;
	s->work.ptr = s->work.own;
	while (from <= text.len && sed_matches(s, sub->re, text, from, nspans)) {
		struct regex_span m = s->spans[0];
		bool again = m.from == m.to && m.from == last_end;

		cmd_charge(s->c, 1);
		if (s->debug && last_end == SIZE_MAX)
			sed_debug_match(s, text, regex_groups(s->last_re->re) + 1);
		/* An empty match right behind another one does not count. */
		if (!again && ++count >= sub->number) {
			sed_append(s, &s->work, bytes_slice(text, copied, m.from));
			sed_put_replacement(s, sub, text, &s->work);
			copied = m.to;
			any = true;
			if (!sub->global)
				break;
		}
		last_end = m.to;
		from = m.to;
		if (m.from == m.to)
			from += m.to < text.len ? char_length(s, text, m.to) : 1;
	}
	if (any) {
		sed_append(s, &s->work, bytes_slice(text, copied, text.len));
		cmd_charge_bytes(s->c, s->work.len);
	}
	return any;
}

/* The result of the command that the pattern space holds. */
static void evaluate(struct sed *s)
{
	struct sed_space out = s->work;

	out.len = 0;
	out.ptr = out.own;
	sed_shell(s, sed_bytes(&s->space), &out);
	if (out.len > 0 && out.ptr[out.len - 1] == s->delim)
		out.len--;
	out.ended = s->space.ended;
	s->work = s->space;
	s->space = out;
}

void sed_substitute(struct sed *s, const struct sed_cmd *cmd)
{
	const struct sed_sub *sub = cmd->sub;

	if (!replace(s, sub))
		return;
	struct sed_space old = s->space;

	s->space = s->work;
	s->space.ended = old.ended;
	s->work = old;
	s->replaced = true;
	if (sub->print_first)
		sed_put(s, s->cur, sed_bytes(&s->space), s->space.ended);
	if (sub->eval)
		evaluate(s);
	if (sub->print && !sub->print_first)
		sed_put(s, s->cur, sed_bytes(&s->space), s->space.ended);
	if (sub->out != NULL)
		sed_put(s, sub->out, sed_bytes(&s->space), s->space.ended);
}

/* --- y --- */

static const struct bytes *mapped(const struct sed_map *map, uint32_t c)
{
	size_t low = 0;
	size_t high = map->nwide;

	if (c < 128)
		return map->ascii[c].ptr != NULL ? &map->ascii[c] : NULL;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (map->wide[middle].from < c)
			low = middle + 1;
		else
			high = middle;
	}
	return low < map->nwide && map->wide[low].from == c ? &map->wide[low].to : NULL;
}

static void map_wide(struct sed *s, const struct sed_map *map)
{
	struct bytes text = sed_bytes(&s->space);
	size_t at = 0;

	s->work.len = 0;
	s->work.ptr = s->work.own;
	sed_own(s, &s->work, text.len);
	while (at < text.len) {
		uint32_t c;
		size_t len = utf8_decode(text, at, &c);

		if (len == 0)
			c = 0x110000 + (unsigned char)text.ptr[at];
		len = len != 0 ? len : 1;
		const struct bytes *to = mapped(map, c);

		sed_append(s, &s->work, to != NULL ? *to : bytes_slice(text, at, at + len));
		at += len;
	}
	struct sed_space old = s->space;

	s->space = s->work;
	s->space.ended = old.ended;
	s->work = old;
}

void sed_map(struct sed *s, const struct sed_map *map)
{
	cmd_charge_bytes(s->c, s->space.len);
	if (!map->by_bytes) {
		map_wide(s, map);
		return;
	}
	sed_own(s, &s->space, 0);
	for (size_t i = 0; i < s->space.len; i++)
		s->space.ptr[i] = (char)map->byte[(unsigned char)s->space.ptr[i]];
}
