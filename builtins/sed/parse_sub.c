/* SPDX-License-Identifier: MIT
 *
 * sed: the s command with its replacement and flags, and the y command.
 */
#include "builtins/sed/sed.h"

/* --- replacements --- */

struct pieces {
	struct sed_parser *p;
	struct sed_sub *sub;
	size_t cap;
	struct buf text; /* of the piece being read */
};

static struct sed_piece *add_piece(struct pieces *w)
{
	struct sed_sub *sub = w->sub;
	struct arena *a = w->p->s->c->arena;

	if (sub->npieces == w->cap) {
		size_t cap = w->cap * 2 + 4;

		sub->pieces = arena_grow(a, sub->pieces, w->cap * sizeof *sub->pieces,
					 cap * sizeof *sub->pieces);
		w->cap = cap;
	}
	struct sed_piece *piece = &sub->pieces[sub->npieces++];

	*piece = (struct sed_piece){ .group = -1, .text = buf_bytes(&w->text) };
	w->text = buf_in(a);
	return piece;
}

static void add_group(struct pieces *w, int group)
{
	add_piece(w)->group = group;
	if (group > w->sub->max_group)
		w->sub->max_group = group;
}

static bool add_case(struct pieces *w, char letter)
{
	if (strchr("LUEul", letter) == NULL || letter == '\0' || w->p->s->posix)
		return false;
	struct sed_piece *piece = add_piece(w);

	piece->set_case = true;
	piece->once = letter == 'u' || letter == 'l';
	piece->letters = letter == 'E'                  ? CASE_NONE
			 : byte_to_upper(letter) == 'U' ? CASE_UPPER
							: CASE_LOWER;
	w->sub->has_case = true;
	return true;
}

static void parse_replacement(struct sed_parser *p, struct sed_sub *sub, struct bytes text)
{
	struct pieces w = { .p = p, .sub = sub, .text = buf_in(p->s->c->arena) };
	size_t at = 0;

	while (at < text.len) {
		char ch = text.ptr[at++];

		if (ch == '&') {
			add_group(&w, 0);
			continue;
		}
		if (ch != '\\' || at == text.len) {
			buf_putc(&w.text, ch);
			continue;
		}
		if (sed_is_cut_control(text, at)) {
			buf_putc(&w.text, ch);
			break;
		}
		ch = text.ptr[at];
		int byte = sed_escape(p, text, &at);

		if (byte >= 0) {
			buf_putc(&w.text, (char)byte);
			continue;
		}
		at++;
		if (byte_is_digit(ch))
			add_group(&w, ch - '0');
		else if (!add_case(&w, ch))
			buf_putc(&w.text, ch == 'n' ? '\n' : ch);
	}
	if (w.text.len > 0)
		add_piece(&w);
}

/* --- flags --- */

static void parse_sub_number(struct sed_parser *p, struct sed_sub *sub, int ch)
{
	if (sub->number != 0)
		sed_bad(p, "multiple number options to `s' command");
	sub->number = sed_number(p, ch);
	if (sub->number == 0)
		sed_bad(p, "number option to `s' command may not be zero");
}

static void parse_sub_file(struct sed_parser *p, struct sed_sub *sub)
{
	if (p->s->sandbox)
		sed_bad(p, "e/r/w commands disabled in sandbox mode");
	struct bytes name = sed_read_file_name(p);

	if (name.len == 0)
		sed_bad(p, "missing filename in r/R/w/W commands");
	sub->out = sed_open_out(p->s, name);
}

static void parse_sub_eval(struct sed_parser *p, struct sed_sub *sub)
{
	if (p->s->sandbox)
		sed_bad(p, "e/r/w commands disabled in sandbox mode");
	sub->eval = true;
	sub->print_first = sub->print;
}

static void set_once(struct sed_parser *p, bool *flag, char letter)
{
	if (*flag)
		sed_bad(p, "multiple `%c' options to `s' command", letter);
	*flag = true;
}

/* One flag; false behind the last. */
static bool parse_sub_flag(struct sed_parser *p, struct sed_sub *sub, unsigned *flags)
{
	int ch = sed_next(p);

	if (p->s->posix && ch > 0 && strchr("iImMe", ch) != NULL)
		sed_bad(p, "unknown option to `s'");
	switch (ch) {
	case 'i':
	case 'I': *flags |= REGEX_ICASE; return true;
	case 'm':
	case 'M': *flags |= REGEX_NEWLINE; return true;
	case 'e': parse_sub_eval(p, sub); return true;
	case 'p': set_once(p, &sub->print, 'p'); return true;
	case 'g': set_once(p, &sub->global, 'g'); return true;
	case 'w': parse_sub_file(p, sub); return false;
	case ' ': return true;
	case '\r':
		ch = sed_next(p);
		if (ch != '\n')
			sed_bad(p, "unknown option to `s'");
		return false;
	case '}':
	case '#': sed_back(p, ch); return false;
	case -1:
	case '\n':
	case ';': return false;
	default:
		if (!byte_is_digit(ch))
			sed_bad(p, "unknown option to `s'");
		parse_sub_number(p, sub, ch);
		return true;
	}
}

struct sed_sub *sed_parse_sub(struct sed_parser *p)
{
	struct sed_sub *sub = arena_zalloc(p->s->c->arena, sizeof *sub);
	struct bytes pattern;
	struct bytes replacement;
	unsigned flags = 0;
	int delim = sed_next(p);

	if (delim < 0 || delim == '\n' || delim == '\\' ||
	    !sed_read_slash(p, delim, SLASH_REGEX, &pattern) ||
	    !sed_read_slash(p, delim, SLASH_REPLACEMENT, &replacement))
		sed_bad(p, "unterminated `s' command");
	parse_replacement(p, sub, replacement);
	while (parse_sub_flag(p, sub, &flags))
		;
	sub->re = sed_compile(p, pattern, flags);
	if (sub->re->re != NULL && !p->s->posix &&
	    (unsigned)sub->max_group > regex_groups(sub->re->re))
		sed_bad(p, "invalid reference \\%d on `s' command's RHS", sub->max_group);
	return sub;
}

/* --- y --- */

/* The text between two delimiters without its escapes. */
static struct bytes map_text(struct sed_parser *p, struct bytes text)
{
	struct buf out = buf_in(p->s->c->arena);
	size_t at = 0;

	while (at < text.len) {
		char ch = text.ptr[at++];

		/* A \c with nothing behind it is left out. */
		if (ch == '\\' && sed_is_cut_control(text, at))
			break;
		if (ch == '\\' && at < text.len) {
			int byte = sed_escape(p, text, &at);

			if (byte >= 0)
				ch = (char)byte;
			else if (text.ptr[at] == 'n')
				ch = '\n', at++;
			else
				ch = text.ptr[at++];
		}
		buf_putc(&out, ch);
	}
	return buf_bytes(&out);
}

static bool is_ascii(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 128)
			return false;
	return true;
}

/* Where from belongs among the pairs. */
static size_t find_pair(const struct sed_map *map, uint32_t from)
{
	size_t low = 0;
	size_t high = map->nwide;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (map->wide[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t take_char(struct bytes s, size_t at, uint32_t *out)
{
	size_t len = utf8_decode(s, at, out);

	if (len == 0)
		*out = 0x110000 + (unsigned char)s.ptr[at];
	return len != 0 ? len : 1;
}

static void add_pair(struct sed_map *map, uint32_t from, struct bytes to)
{
	if (from < 128) {
		if (map->ascii[from].ptr == NULL)
			map->ascii[from] = to;
		return;
	}
	size_t at = find_pair(map, from);

	if (at < map->nwide && map->wide[at].from == from)
		return;
	memmove(map->wide + at + 1, map->wide + at, (map->nwide - at) * sizeof *map->wide);
	map->wide[at] = (struct sed_pair){ from, to };
	map->nwide++;
}

static void fill_wide(struct sed_parser *p, struct sed_map *map, struct bytes a, struct bytes b)
{
	size_t i = 0;
	size_t j = 0;

	map->wide = arena_array(p->s->c->arena, a.len + 1, sizeof *map->wide);
	while (i < a.len && j < b.len) {
		uint32_t from;
		uint32_t to;
		size_t to_len = take_char(b, j, &to);

		i += take_char(a, i, &from);
		add_pair(map, from, (struct bytes){ b.ptr + j, to_len });
		j += to_len;
		cmd_charge(p->s->c, map->nwide / 64 + 1);
	}
	if (i < a.len || j < b.len)
		sed_bad(p, "strings for `y' command are different lengths");
}

struct sed_map *sed_parse_map(struct sed_parser *p)
{
	struct sed_map *map = arena_zalloc(p->s->c->arena, sizeof *map);
	struct bytes a;
	struct bytes b;
	int delim = sed_next(p);

	if (delim < 0 || delim == '\n' || delim == '\\' ||
	    !sed_read_slash(p, delim, SLASH_MAP, &a) || !sed_read_slash(p, delim, SLASH_MAP, &b))
		sed_bad(p, "unterminated `y' command");
	a = map_text(p, a);
	b = map_text(p, b);
	map->from = a;
	map->to = b;
	map->by_bytes = !p->s->c->utf8 || (is_ascii(a) && is_ascii(b));
	if (!map->by_bytes) {
		fill_wide(p, map, a, b);
		return map;
	}
	if (a.len != b.len)
		sed_bad(p, "strings for `y' command are different lengths");
	for (int i = 0; i < 256; i++)
		map->byte[i] = (unsigned char)i;
	/* Of a character named twice the first counts. */
	for (size_t i = a.len; i-- > 0;)
		map->byte[(unsigned char)a.ptr[i]] = (unsigned char)b.ptr[i];
	return map;
}
