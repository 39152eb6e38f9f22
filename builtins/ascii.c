/* SPDX-License-Identifier: MIT
 *
 * ascii - the table of ASCII, and what is known of a character: by itself, by name, escape or
 * number. Reference: ascii 3.18; the nicknames that it tells are not here.
 */
#include "builtins/builtin.h"

enum table { TABLE_BOTH, TABLE_DECIMAL, TABLE_OCTAL, TABLE_HEX, TABLE_BINARY };

struct ascii_opts {
	int table;    /* the first that was asked for */
	bool columns; /* -a: of 32, if it stands in front of the table's option */
	bool upright;
	bool one_line;
	bool string;
};

static int take_table(struct cmd *c, const struct opt *o, const char *arg)
{
	struct ascii_opts *opts = c->opts;

	(void)arg;
	if (opts->table == TABLE_BOTH) {
		opts->table = o->value;
		opts->columns = opts->upright;
	}
	return 0;
}

#define OPT_TABLE(letter_, table_, text)                                                           \
	{                                                                                          \
		.letter = (letter_), .kind = OPT_KIND_CALL, .fn = take_table, .value = (table_),   \
		.help = (text)                                                                     \
	}

static const struct opt ascii_options[] = {
	OPT_FLAG('a', NULL, struct ascii_opts, upright, "tables that follow have four columns"),
	OPT_TABLE('d', TABLE_DECIMAL, "the table, decimal"),
	OPT_TABLE('o', TABLE_OCTAL, "the table, octal"),
	OPT_TABLE('x', TABLE_HEX, "the table, hexadecimal"),
	OPT_TABLE('b', TABLE_BINARY, "the table, binary"),
	OPT_FLAG('t', NULL, struct ascii_opts, one_line, "one line for each character"),
	OPT_FLAG('s', NULL, struct ascii_opts, string, "arguments are strings of characters"),
	OPT_END(),
};

static const char *const controls[] = {
	"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS",  "HT",  "LF",
	"VT",  "FF",  "CR",  "SO",  "SI",  "DLE", "DC1", "DC2", "DC3", "DC4", "NAK",
	"SYN", "ETB", "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US",
};
static const char *const low_names[] = {
	"Null",
	"Start Of Header",
	"Start of Text",
	"End of Text",
	"End Of Transmission",
	"Enquiry",
	"Acknowledge",
	"Bell",
	"Backspace",
	"Character Tabulation",
	"Line Feed",
	"Line Tabulation",
	"Form Feed",
	"Carriage Return",
	"Shift Out",
	"Shift In",
	"Data Link Escape",
	"Device Control 1",
	"Device Control 2",
	"Device Control 3",
	"Device Control 4",
	"Negative Acknowledge",
	"Synchronous Idle",
	"End of Transmission Block",
	"Cancel",
	"End of Medium",
	"Substitute",
	"Escape",
	"File Separator",
	"Group Separator",
	"Record Separator",
	"Unit Separator",
	"SP",
	"Exclamation Mark",
	"Quotation Mark",
	"Number Sign",
	"Currency Sign",
	"Percent Sign",
	"Ampersand",
	"Apostrophe",
	"Left Parenthesis",
	"Right Parenthesis",
	"Asterisk",
	"Plus Sign",
	"Comma",
	"Hyphen",
	"Full Stop",
	"Solidus",
	"Digit Zero",
	"Digit One",
	"Digit Two",
	"Digit Three",
	"Digit Four",
	"Digit Five",
	"Digit Six",
	"Digit Seven",
	"Digit Eight",
	"Digit Nine",
	"Colon",
	"Semicolon",
	"Less-than Sign",
	"Equals Sign",
	"Greater-than sign",
	"Question Mark",
	"Commercial At",
};
static const struct {
	unsigned char code;
	const char *name;
} other_names[] = {
	{ '[', "Left Square Bracket" },
	{ '\\', "Reversed Solidus" },
	{ ']', "Right Square Bracket" },
	{ '^', "Circumflex Accent" },
	{ '_', "Low Line" },
	{ '`', "Grave Accent" },
	{ '{', "Left Curly Bracket" },
	{ '|', "Vertical Line" },
	{ '}', "Right Curly Bracket" },
	{ '~', "Overline" },
	{ 127, "Delete" },
	{ ' ', "Space" },
	{ '\n', "Newline" },
	{ '\n', "NL" },
	{ '\t', "Tab" },
	{ 127, "DEL" },
};

/* --- what a character is called --- */

static void put_name(struct buf *out, int code)
{
	if (code <= '@') {
		buf_puts(out, low_names[code]);
		return;
	}
	if (byte_is_alpha(code)) {
		buf_printf(out, "%s %c", byte_is_upper(code) ? "Majuscule" : "Miniscule", code);
		return;
	}
	for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
		if (other_names[i].code == code) {
			buf_puts(out, other_names[i].name);
			return;
		}
}

static void put_bits(struct cmd *c, int code, int from)
{
	for (int bit = from; bit >= 0; bit--)
		cmd_putc(c, code >> bit & 1 ? '1' : '0');
}

static void put_character(struct cmd *c, int code)
{
	static const char escapes[] = "\0\a\b\f\r";
	static const char letters[] = "0abfr";
	const struct ascii_opts *o = c->opts;
	struct buf name = buf_in(c->arena);
	const char *escape = code < 14 ? memchr(escapes, code, sizeof escapes - 1) : NULL;

	cmd_charge(c, 1);
	if (o->one_line || o->string) {
		cmd_printf(c, "%d/%d   %2d   0x%02X   0o%o   ", code / 16, code % 16, code,
			   (unsigned)code, (unsigned)code);
		put_bits(c, code, 7);
		cmd_putc(c, '\n');
		return;
	}
	cmd_printf(c, "ASCII %d/%d is decimal %03d, hex %02x, octal %03o, bits ", code / 16,
		   code % 16, code, (unsigned)code, (unsigned)code);
	put_bits(c, code, 7);
	if (code >= 128) {
		bool control = (code & 127) < ' ' || code == 255;

		cmd_printf(c, ": meta-%s%c\n", control ? "^" : "",
			   control ? (code & 127) ^ 64 : code & 127);
		return;
	}
	if (code < ' ' || code == 127)
		cmd_printf(c, ": called ^%c, %s%s\n", code ^ 64,
			   code < ' ' ? controls[code] : "DEL", code == '\n' ? ", NL" : "");
	else
		cmd_printf(c, ": prints as `%c'\n", code);
	put_name(&name, code);
	cmd_printf(c, "Official name: %s\n", buf_cstr(&name));
	if (escape != NULL)
		cmd_printf(c, "C escape: '\\%c'\n", letters[escape - escapes]);
	cmd_putc(c, '\n');
}

/* --- what an argument means --- */

static bool same_word(const char *a, const char *b)
{
	while (*a != '\0' && byte_to_lower((unsigned char)*a) == byte_to_lower((unsigned char)*b))
		a++, b++;
	return *a == *b;
}

static bool by_name(struct cmd *c, const char *arg)
{
	cmd_charge(c, 16);
	for (int code = 0; code < 128; code++) {
		struct buf name = buf_in(c->arena);

		put_name(&name, code);
		if (same_word(arg, buf_cstr(&name)) ||
		    (code < ' ' && same_word(arg, controls[code]))) {
			put_character(c, code);
			return true;
		}
	}
	for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++)
		if (same_word(arg, other_names[i].name)) {
			put_character(c, other_names[i].code);
			return true;
		}
	return false;
}

/* The number that all of text is in the base, or -1. Those above 255 are cut to 192. */
static int number(const char *text, int base)
{
	int value = 0;

	if (*text == '\0')
		return -1;
	for (; *text != '\0'; text++) {
		int digit = byte_digit((unsigned char)*text);

		if (digit < 0 || digit >= base || value > 255)
			return -1;
		value = value * base + digit;
	}
	return value <= 255 ? value : -1;
}

/* "x41", "0x41", "\x41", "d65", "o101", "b1000001". -1: none of them. */
static int prefixed(const char *arg)
{
	static const struct {
		const char *prefix;
		int base;
	} rows[] = { { "0x", 16 },  { "\\x", 16 }, { "x", 16 }, { "h", 16 },  { "0d", 10 },
		     { "\\d", 10 }, { "d", 10 },   { "0o", 8 }, { "\\o", 8 }, { "o", 8 },
		     { "0b", 2 },   { "\\b", 2 },  { "b", 2 } };

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t n = 0;

		while (rows[i].prefix[n] != '\0' &&
		       byte_to_lower((unsigned char)arg[n]) == rows[i].prefix[n])
			n++;
		if (rows[i].prefix[n] == '\0' && number(arg + n, rows[i].base) >= 0)
			return number(arg + n, rows[i].base);
	}
	return -1;
}

/* All that it may mean: a character, an escape, and a number in each base that it fits. */
static void explain(struct cmd *c, const char *arg)
{
	static const int bases[] = { 16, 10, 8, 2 };
	static const char letters[] = "abtnvfr0e";
	static const char values[] = "\a\b\t\n\v\f\r\0\033";
	const char *slash = strchr(arg, '/');
	size_t len = strlen(arg);
	int shown = -1;

	if (len == 1)
		put_character(c, shown = (unsigned char)arg[0]);
	if (len == 2 && arg[0] == '^') {
		put_character(c, byte_to_upper((unsigned char)arg[1]) ^ 64);
		return;
	}
	if (len == 2 && arg[0] == '\\' && strchr(letters, arg[1]) != NULL) {
		put_character(c, values[strchr(letters, arg[1]) - letters]);
		return;
	}
	if (slash != NULL && slash != arg) {
		int high = number(arena_dup(c->arena, (struct bytes){ arg, (size_t)(slash - arg) }),
				  10);
		int low = number(slash + 1, 10);

		if (high >= 0 && high < 16 && low >= 0 && low < 16)
			put_character(c, high * 16 + low);
		return;
	}
	for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
		int code = number(arg, bases[i]);

		if (code >= 0 && code != shown)
			put_character(c, shown = code);
	}
	if (shown < 0 && !by_name(c, arg) && prefixed(arg) >= 0)
		put_character(c, prefixed(arg));
}

/* --- tables --- */

static const char *glyph_of(int code, char text[2])
{
	text[0] = (char)code;
	text[1] = '\0';
	return code < ' ' ? controls[code] : code == 127 ? "DEL" : text;
}

static void put_cell(struct cmd *c, int code, int table)
{
	char text[2];

	switch (table) {
	case TABLE_DECIMAL: cmd_printf(c, "%5d", code); break;
	case TABLE_OCTAL: cmd_printf(c, "  %03o", (unsigned)code); break;
	case TABLE_HEX: cmd_printf(c, "   %02X", (unsigned)code); break;
	case TABLE_BINARY:
		cmd_puts(c, "   ");
		put_bits(c, code, 6);
		break;
	default: cmd_printf(c, "%*d %02X", code < 96 ? 3 : 4, code, (unsigned)code);
	}
	/* Names of control characters are wider, but for the last. */
	cmd_printf(c, " %-*s", code < ' ' ? 3 : 1, glyph_of(code, text));
	if (table != TABLE_BOTH || code < 112)
		cmd_putc(c, ' ');
}

static int ascii_run(struct cmd *c)
{
	const struct ascii_opts *o = c->opts;

	int rows = o->columns ? 32 : 16;

	for (int i = 0; i < c->nargs && o->table == TABLE_BOTH; i++) {
		struct arena_mark mark = arena_mark(c->arena);

		for (const char *at = c->args[i]; o->string && *at != '\0'; at++)
			put_character(c, (unsigned char)*at);
		if (!o->string)
			explain(c, c->args[i]);
		arena_release(c->arena, mark);
	}
	if (c->nargs > 0 && o->table == TABLE_BOTH)
		return 0;
	if (o->table == TABLE_BOTH)
		cmd_puts(c, "Dec Hex    Dec Hex    Dec Hex  Dec Hex  Dec Hex  Dec Hex   Dec Hex   "
			    "Dec Hex  \n");
	for (int row = 0; row < rows; row++) {
		for (int code = row; code < 128; code += rows)
			put_cell(c, code, o->table);
		cmd_putc(c, '\n');
	}
	return 0;
}

const struct builtin builtin_ascii = {
	.name = "ascii",
	.usage = "[OPTION]... [CHARACTER]...",
	.summary =
		"Shows the table of ASCII, or what is known of characters: given as they are, by "
		"name,\nescape or number.",
	.run = ascii_run,
	.opts = ascii_options,
	.opts_size = sizeof(struct ascii_opts),
	.family = "ascii 3.18",
};
