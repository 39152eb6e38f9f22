/* SPDX-License-Identifier: MIT
 *
 * sort: key definitions, and finding keys in lines.
 */
#include "builtins/sort/sort.h"

/* --- parsing --- */

bool sort_set_letter(struct sort_order *order, char letter, bool start, bool end)
{
	static const char letters[] = "?nghMRV";
	const char *kind = letter != '?' && letter != '\0' ? strchr(letters, letter) : NULL;

	if (kind != NULL) {
		order->kinds |= 1u << (kind - letters);
		return true;
	}
	switch (letter) {
	case 'b':
		order->skip_start |= start;
		order->skip_end |= end;
		return true;
	case 'd': order->dictionary = true; return true;
	case 'f': order->fold = true; return true;
	case 'i': order->printable = true; return true;
	case 'r': order->reverse = true; return true;
	default: return false;
	}
}

static int bad_spec(struct cmd *c, const char *spec, const char *what)
{
	return cmd_error(c, 0, "%s: invalid field specification %s", what, cmd_quote(c, spec));
}

/* A number at *at, saturated. 0, or a status. */
static int take_count(struct cmd *c, const char **at, uint64_t *out, const char *what)
{
	const char *start = *at;

	*out = 0;
	*at = num_start(start);
	for (; byte_is_digit(**at); ++*at) {
		uint64_t digit = (uint64_t)(**at - '0');

		*out = *out > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *out * 10 + digit;
	}
	if (*at != start && byte_is_digit((*at)[-1]))
		return 0;
	return cmd_error(c, 0, "%s: invalid count at start of %s", what, cmd_quote(c, start));
}

static void add_key(struct sort_opts *o, struct sort_key *key)
{
	*o->tail = key;
	o->tail = &key->next;
}

static const char *take_letters(struct sort_key *key, const char *at, bool end)
{
	while (sort_set_letter(&key->order, *at, !end, end))
		at++;
	return at;
}

static int parse_end(struct cmd *c, struct sort_key *key, const char **at, const char *text)
{
	int status = take_count(c, at, &key->end_field, "invalid number after ','");

	if (status != 0)
		return status;
	if (key->end_field == 0)
		return bad_spec(c, text, "field number is zero");
	if (**at == '.') {
		++*at;
		status = take_count(c, at, &key->end_char, "invalid number after '.'");
	}
	key->has_end = true;
	*at = take_letters(key, *at, true);
	return status;
}

int sort_parse_key(struct cmd *c, struct sort_opts *o, const char *text)
{
	struct sort_key *key = arena_zalloc(c->arena, sizeof(*key));
	const char *at = text;
	int status = take_count(c, &at, &key->start_field, "invalid number at field start");

	if (status != 0)
		return status;
	if (key->start_field-- == 0)
		return bad_spec(c, text, "field number is zero");
	if (*at == '.') {
		at++;
		status = take_count(c, &at, &key->start_char, "invalid number after '.'");
		if (status != 0)
			return status;
		if (key->start_char-- == 0)
			return bad_spec(c, text, "character offset is zero");
	}
	at = take_letters(key, at, false);
	if (*at == ',') {
		at++;
		status = parse_end(c, key, &at, text);
		if (status != 0)
			return status;
	}
	if (*at != '\0')
		return bad_spec(c, text, "stray character in field spec");
	add_key(o, key);
	return 0;
}

/* N[.C][letters] counted from 0. */
static bool parse_old(struct sort_key *key, const char *at, uint64_t *field, uint64_t *ch, bool end)
{
	if (!byte_is_digit(*at))
		return false;
	for (*field = 0; byte_is_digit(*at) && *field < UINT64_MAX / 16; at++)
		*field = *field * 10 + (uint64_t)(*at - '0');
	*ch = 0;
	if (*at == '.')
		for (at++; byte_is_digit(*at) && *ch < UINT64_MAX / 16; at++)
			*ch = *ch * 10 + (uint64_t)(*at - '0');
	return *take_letters(key, at, end) == '\0';
}

int sort_parse_old_key(struct cmd *c, struct sort_opts *o, const char *from, const char *to)
{
	struct sort_key *key = arena_zalloc(c->arena, sizeof(*key));

	if (!parse_old(key, from, &key->start_field, &key->start_char, false))
		return -1;
	if (to != NULL) {
		if (!parse_old(key, to, &key->end_field, &key->end_char, true))
			return -1;
		/* "-2" ends before field 3; "-2.1" within it. */
		key->has_end = true;
		key->end_field += key->end_char != 0;
		if (key->end_field == 0)
			return -1;
	}
	key->obsolescent = true;
	add_key(o, key);
	return 0;
}

/* --- after all options --- */

/* An option that says how keys compare, besides -r. */
static bool has_kind(const struct sort_order *order)
{
	return order->kinds != 0 || order->dictionary || order->fold || order->printable ||
	       order->skip_start || order->skip_end;
}

static int conflict(struct cmd *c, const struct sort_order *order)
{
	enum { ANY_TEXT = 1u << SORT_VERSION | 1u << SORT_RANDOM };
	unsigned kinds = order->kinds;
	int n = (kinds & ANY_TEXT) != 0 || order->dictionary || order->printable;
	const struct {
		char letter;
		bool set;
	} letters[] = {
		{ 'd', order->dictionary },
		{ 'f', order->fold },
		{ 'g', (kinds & (1u << SORT_GENERAL)) != 0 },
		{ 'h', (kinds & (1u << SORT_HUMAN)) != 0 },
		{ 'i', order->printable && !order->dictionary }, /* -d implies -i */
		{ 'M', (kinds & (1u << SORT_MONTH)) != 0 },
		{ 'n', (kinds & (1u << SORT_NUMERIC)) != 0 },
		{ 'R', (kinds & (1u << SORT_RANDOM)) != 0 },
		{ 'V', (kinds & (1u << SORT_VERSION)) != 0 },
	};
	struct buf shown = buf_in(c->arena);

	for (unsigned bits = kinds & ~(unsigned)ANY_TEXT; bits != 0; bits &= bits - 1)
		n++;
	if (n <= 1)
		return 0;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].set)
			buf_putc(&shown, letters[i].letter);
	return cmd_error(c, 0, "options '-%s' are incompatible", buf_cstr(&shown));
}

static enum sort_kind kind_of(unsigned kinds)
{
	static const enum sort_kind first[] = { SORT_NUMERIC, SORT_GENERAL, SORT_HUMAN,
						SORT_MONTH,   SORT_RANDOM,  SORT_VERSION };

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		if (kinds & (1u << first[i]))
			return first[i];
	return SORT_TEXT;
}

int sort_finish_keys(struct cmd *c, struct sort_opts *o)
{
	o->has_global = has_kind(&o->global);
	if (o->keys == NULL) {
		struct sort_key *all = arena_zalloc(c->arena, sizeof(*all));

		o->keyless = true;
		all->order = o->global;
		all->whole = !o->global.skip_start && !o->global.skip_end;
		add_key(o, all);
	}
	for (struct sort_key *k = o->keys; k != NULL; k = k->next) {
		if (!has_kind(&k->order) && !k->order.reverse)
			k->order = o->global;
		int status = conflict(c, &k->order);

		if (status != 0)
			return status;
		k->kind = kind_of(k->order.kinds);
		k->plain = k->kind == SORT_TEXT && !k->order.dictionary && !k->order.fold &&
			   !k->order.printable;
	}
	return 0;
}

/* --- finding --- */

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t' || ch == '\n';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static const char *skip_text(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

static const char *to_tab(const char *at, const char *end, int tab)
{
	const char *hit = at < end ? memchr(at, tab, (size_t)(end - at)) : NULL;

	return hit != NULL ? hit : end;
}

static const char *move(const char *at, const char *end, uint64_t n)
{
	return n < (uint64_t)(end - at) ? at + n : end;
}

static const char *key_begin(const struct sort_opts *o, const struct sort_key *k, const char *at,
			     const char *end)
{
	for (uint64_t n = k->start_field; n > 0 && at < end; n--) {
		if (o->tab >= 0) {
			at = to_tab(at, end, o->tab);
			at += at < end;
		} else {
			at = skip_text(skip_blanks(at, end), end);
		}
	}
	if (k->order.skip_start)
		at = skip_blanks(at, end);
	return move(at, end, k->start_char);
}

static const char *key_end(const struct sort_opts *o, const struct sort_key *k, const char *at,
			   const char *end)
{
	/* Whole fields up to the last one, whose end (or a character in it) ends the key. */
	uint64_t fields = k->end_field - (k->end_char != 0);

	for (uint64_t n = fields; n > 0 && at < end; n--) {
		if (o->tab >= 0) {
			at = to_tab(at, end, o->tab);
			at += at < end && (n > 1 || k->end_char != 0);
		} else {
			at = skip_text(skip_blanks(at, end), end);
		}
	}
	if (k->end_char == 0)
		return at;
	if (k->order.skip_end)
		at = skip_blanks(at, end);
	return move(at, end, k->end_char);
}

struct bytes sort_key_of(const struct sort_opts *o, const struct sort_key *k, struct bytes line)
{
	if (k->whole)
		return line;
	const char *end = line.ptr + line.len;
	const char *from = key_begin(o, k, line.ptr, end);
	const char *to = k->has_end ? key_end(o, k, line.ptr, end) : end;

	return (struct bytes){ from, to > from ? (size_t)(to - from) : 0 };
}
