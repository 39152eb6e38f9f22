/* SPDX-License-Identifier: MIT
 *
 * sort --debug: what is doubtful about the keys, and under each line what each key takes of it.
 */
#include "base/number.h"
#include "builtins/sort/sort.h"

static bool is_numeric(const struct sort_key *k)
{
	return k->kind == SORT_NUMERIC || k->kind == SORT_HUMAN || k->kind == SORT_GENERAL;
}

/* --- warnings --- */

/* What all keys together need to say, and what of the global options no key has taken. */
struct findings {
	struct sort_order unused;
	bool basic; /* a numeric key */
	bool general;
	bool basic_span; /* one of several fields */
	bool general_span;
};

static void warn_obsolescent(struct cmd *c, const struct sort_key *k)
{
	struct buf old = buf_in(c->arena);
	struct buf new = buf_in(c->arena);

	buf_printf(&old, "+%llu", (unsigned long long)k->start_field);
	buf_printf(&new, "-k %llu", (unsigned long long)k->start_field + 1);
	if (k->has_end) {
		buf_printf(&old, " -%llu", (unsigned long long)k->end_field);
		buf_printf(&new, ",%llu", (unsigned long long)k->end_field);
	}
	cmd_warn(c, 0, "obsolescent key %s used; consider %s instead", cmd_quote(c, buf_cstr(&old)),
		 cmd_quote(c, buf_cstr(&new)));
}

/* Whether blanks in front of fields decide where the key begins or ends. */
static bool blanks_count(const struct sort_opts *o, const struct sort_key *k)
{
	bool skipped = k->order.skip_start || is_numeric(k) || k->kind == SORT_MONTH;
	bool from_line = k->has_end && k->end_field == 1 && k->end_char != 0;

	if (o->tab >= 0 || from_line)
		return false;
	return !skipped || (!k->order.skip_start && k->start_char != 0) ||
	       (!k->order.skip_end && k->end_char != 0);
}

/* Takes from *all what k has, too. */
static void use_order(struct sort_order *all, const struct sort_order *k)
{
	bool same_filter = all->dictionary ? k->dictionary : k->printable && !k->dictionary;

	all->kinds &= ~k->kinds;
	all->fold &= !k->fold;
	all->reverse &= !k->reverse;
	all->skip_start &= !k->skip_start;
	all->skip_end &= !k->skip_end;
	if (same_filter)
		all->dictionary = all->printable = false;
}

static void warn_key(struct cmd *c, const struct sort_opts *o, const struct sort_key *k,
		     unsigned long number, struct findings *f)
{
	bool empty = k->has_end && k->end_field <= k->start_field;

	if (k->obsolescent)
		warn_obsolescent(c, k);
	if (empty)
		cmd_warn(c, 0, "key %lu has zero width and will be ignored", number);
	else if (blanks_count(o, k))
		cmd_warn(c, 0,
			 "leading blanks are significant in key %lu; consider also specifying 'b'",
			 number);
	if (is_numeric(k) && (!k->has_end || k->start_field + 1 < k->end_field)) {
		cmd_warn(c, 0, "key %lu is numeric and spans multiple fields", number);
		f->basic_span |= k->kind != SORT_GENERAL;
		f->general_span |= k->kind == SORT_GENERAL;
	}
}

/* What of a number the separator would take apart. */
static void warn_numbers(struct cmd *c, const struct sort_opts *o, const struct findings *f)
{
	bool span = f->basic_span || f->general_span;
	const char *what = NULL;
	char tab[2] = { (char)o->tab, '\0' };

	if (span && o->tab == '.')
		what = "decimal point";
	else if (span && o->tab == '-')
		what = "minus sign";
	else if (f->general_span && o->tab == '+')
		what = "plus sign";
	if (what != NULL)
		cmd_warn(c, 0, "field separator %s is treated as a %s in numbers",
			 cmd_quote(c, tab), what);
	if ((f->basic || f->general) && !(span && o->tab == '.'))
		cmd_warn(c, 0, "%snumbers use %s as a decimal point in this locale",
			 o->tab == '.' ? "" : "note ", cmd_quote(c, "."));
}

static void warn_unused(struct cmd *c, const struct sort_opts *o, struct sort_order unused)
{
	bool only_last = unused.reverse && !o->stable && !o->unique && !o->keyless;
	const struct {
		char letter;
		bool set;
	} letters[] = {
		{ 'b', unused.skip_start || unused.skip_end },
		{ 'd', unused.dictionary },
		{ 'f', unused.fold },
		{ 'g', (unused.kinds & (1u << SORT_GENERAL)) != 0 },
		{ 'h', (unused.kinds & (1u << SORT_HUMAN)) != 0 },
		{ 'i', unused.printable && !unused.dictionary },
		{ 'M', (unused.kinds & (1u << SORT_MONTH)) != 0 },
		{ 'n', (unused.kinds & (1u << SORT_NUMERIC)) != 0 },
		{ 'R', (unused.kinds & (1u << SORT_RANDOM)) != 0 },
		{ 'r', unused.reverse && !only_last && !o->keyless },
		{ 'V', (unused.kinds & (1u << SORT_VERSION)) != 0 },
	};
	struct buf shown = buf_in(c->arena);

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].set)
			buf_putc(&shown, letters[i].letter);
	if (shown.len == 1)
		cmd_warn(c, 0, "option '-%s' is ignored", buf_cstr(&shown));
	else if (shown.len > 1)
		cmd_warn(c, 0, "options '-%s' are ignored", buf_cstr(&shown));
	if (only_last)
		cmd_warn(c, 0, "option '-r' only applies to last-resort comparison");
}

static const char *locale_name(struct cmd *c)
{
	static const char *const names[] = { "LC_ALL", "LC_COLLATE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = cmd_getenv(c, names[i]);

		if (value != NULL && *value != '\0')
			return value;
	}
	return "C";
}

static void warn_locale(struct cmd *c)
{
	const char *name = locale_name(c);

	if (strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0)
		cmd_warn(c, 0, "text ordering performed using simple byte comparison");
	else
		cmd_warn(c, 0, "text ordering performed using %s sorting rules",
			 cmd_quote(c, name));
}

void sort_warn(struct cmd *c, const struct sort_opts *o)
{
	struct findings f = { .unused = o->global };
	unsigned long number = 1;

	warn_locale(c);
	for (const struct sort_key *k = o->keys; k != NULL; k = k->next, number++) {
		f.basic |= k->kind == SORT_NUMERIC || k->kind == SORT_HUMAN;
		f.general |= k->kind == SORT_GENERAL;
		if (!o->keyless)
			warn_key(c, o, k, number, &f);
		use_order(&f.unused, &k->order);
	}
	warn_numbers(c, o, &f);
	warn_unused(c, o, f.unused);
}

/* --- marks --- */

/* Columns that s takes where tabs are shown as one character. */
static size_t width_of(struct bytes s, bool utf8)
{
	size_t width = 0;

	for (size_t at = 0; at < s.len;) {
		uint32_t ch = (unsigned char)s.ptr[at];
		size_t n = utf8 ? utf8_decode(s, at, &ch) : 1;

		if (s.ptr[at] == '\t' || n == 0) {
			width++;
		} else {
			int columns = utf8_width(ch);

			/* What is not printable takes one, controls none. */
			width += columns >= 0 ? (size_t)columns : !(ch < 0x20 || ch == 0x7f);
		}
		at += n == 0 ? 1 : n;
	}
	return width;
}

/* The bytes of a number in decimal, its unit included; 0: there is no number. */
static size_t decimal_len(struct bytes s, bool human)
{
	size_t at = s.len > 0 && s.ptr[0] == '-';
	size_t digits = 0;

	for (; at < s.len && byte_is_digit(s.ptr[at]); at++)
		digits++;
	if (at < s.len && s.ptr[at] == '.')
		for (at++; at < s.len && byte_is_digit(s.ptr[at]); at++)
			digits++;
	if (digits == 0)
		return 0;
	return at + (human && at < s.len && memchr("KMGTPEZYk", s.ptr[at], 9) != NULL);
}

/* What of a key is compared: of numbers and months often less than there is. */
static struct bytes tighten(const struct sort_key *k, struct bytes key)
{
	size_t skip = 0;
	struct real r;

	if (!is_numeric(k) && k->kind != SORT_MONTH)
		return key;
	while (skip < key.len && (byte_is_blank(key.ptr[skip]) || key.ptr[skip] == '\n'))
		skip++;
	key = bytes_slice(key, skip, key.len);
	if (k->kind == SORT_MONTH)
		key.len = sort_month(key) != 0 ? 3 : 0;
	else if (k->kind == SORT_GENERAL)
		key.len = real_parse(key, REAL_LONG, &r, NULL);
	else
		key.len = decimal_len(key, k->kind == SORT_HUMAN);
	return key;
}

static void put_mark(struct cmd *c, struct bytes line, struct bytes key)
{
	size_t before = width_of((struct bytes){ line.ptr, (size_t)(key.ptr - line.ptr) }, c->utf8);
	size_t width = width_of(key, c->utf8);

	for (size_t i = 0; i < before; i++)
		cmd_putc(c, ' ');
	if (width == 0)
		cmd_puts(c, "^ no match for key");
	for (size_t i = 0; i < width; i++)
		cmd_putc(c, '_');
	cmd_putc(c, '\n');
	cmd_charge_bytes(c, before + width);
}

void sort_put_marked(struct cmd *c, const struct sort_opts *o, struct bytes line)
{
	for (size_t i = 0; i < line.len; i++)
		cmd_putc(c, line.ptr[i] == '\t' ? '>' : line.ptr[i]);
	cmd_putc(c, '\n');
	if (!o->keyless || o->has_global)
		for (const struct sort_key *k = o->keys; k != NULL; k = k->next)
			put_mark(c, line, tighten(k, sort_key_of(o, k, line)));
	if ((o->keyless && !o->has_global) || o->last_resort)
		put_mark(c, line, line);
}
