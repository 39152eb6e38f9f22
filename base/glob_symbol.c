/* SPDX-License-Identifier: MIT
 *
 * The names that POSIX gives to the characters of its portable set, for [.name.] in shell
 * patterns. Letters and other single characters name themselves.
 */
#include "base/glob_private.h"

struct symbol {
	const char *name;
	char c;
};

static const struct symbol symbols[] = {
	{ "NUL", 0 },
	{ "SOH", 1 },
	{ "STX", 2 },
	{ "ETX", 3 },
	{ "EOT", 4 },
	{ "ENQ", 5 },
	{ "ACK", 6 },
	{ "alert", 7 },
	{ "BEL", 7 },
	{ "backspace", 8 },
	{ "BS", 8 },
	{ "tab", 9 },
	{ "HT", 9 },
	{ "newline", 10 },
	{ "LF", 10 },
	{ "vertical-tab", 11 },
	{ "VT", 11 },
	{ "form-feed", 12 },
	{ "FF", 12 },
	{ "carriage-return", 13 },
	{ "CR", 13 },
	{ "SO", 14 },
	{ "SI", 15 },
	{ "DLE", 16 },
	{ "DC1", 17 },
	{ "DC2", 18 },
	{ "DC3", 19 },
	{ "DC4", 20 },
	{ "NAK", 21 },
	{ "SYN", 22 },
	{ "ETB", 23 },
	{ "CAN", 24 },
	{ "EM", 25 },
	{ "SUB", 26 },
	{ "ESC", 27 },
	{ "IS4", 28 },
	{ "FS", 28 },
	{ "IS3", 29 },
	{ "GS", 29 },
	{ "IS2", 30 },
	{ "RS", 30 },
	{ "IS1", 31 },
	{ "US", 31 },
	{ "space", ' ' },
	{ "exclamation-mark", '!' },
	{ "quotation-mark", '"' },
	{ "number-sign", '#' },
	{ "dollar-sign", '$' },
	{ "percent-sign", '%' },
	{ "ampersand", '&' },
	{ "apostrophe", '\'' },
	{ "left-parenthesis", '(' },
	{ "right-parenthesis", ')' },
	{ "asterisk", '*' },
	{ "plus-sign", '+' },
	{ "comma", ',' },
	{ "hyphen", '-' },
	{ "hyphen-minus", '-' },
	{ "minus", '-' },
	{ "dash", '-' },
	{ "period", '.' },
	{ "full-stop", '.' },
	{ "slash", '/' },
	{ "solidus", '/' },
	{ "zero", '0' },
	{ "one", '1' },
	{ "two", '2' },
	{ "three", '3' },
	{ "four", '4' },
	{ "five", '5' },
	{ "six", '6' },
	{ "seven", '7' },
	{ "eight", '8' },
	{ "nine", '9' },
	{ "colon", ':' },
	{ "semicolon", ';' },
	{ "less-than-sign", '<' },
	{ "equals-sign", '=' },
	{ "greater-than-sign", '>' },
	{ "question-mark", '?' },
	{ "commercial-at", '@' },
	{ "left-square-bracket", '[' },
	{ "backslash", '\\' },
	{ "reverse-solidus", '\\' },
	{ "right-square-bracket", ']' },
	{ "circumflex", '^' },
	{ "circumflex-accent", '^' },
	{ "underscore", '_' },
	{ "grave-accent", '`' },
	{ "left-brace", '{' },
	{ "left-curly-bracket", '{' },
	{ "vertical-line", '|' },
	{ "right-brace", '}' },
	{ "right-curly-bracket", '}' },
	{ "tilde", '~' },
	{ "DEL", 127 },
};

uint32_t glob_symbol(struct bytes name)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (bytes_is(name, symbols[i].name))
			return (unsigned char)symbols[i].c;
	}
	return GLOB_NO_SYMBOL;
}
