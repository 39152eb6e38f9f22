/* SPDX-License-Identifier: MIT
 *
 * xxd - bytes as a hexadecimal dump, and back.
 *
 * Its options are words of their own ("-ps", "-c8", "-s -5"), not letters that can be joined:
 * so they are parsed here.
 */
#include "base/number.h"
#include "builtins/builtin.h"

enum { COLUMNS_MAX = 256 };
enum xxd_form { XXD_HEX, XXD_BITS, XXD_LITTLE, XXD_PLAIN, XXD_INCLUDE };

struct xxd {
	struct cmd *c;
	enum xxd_form form;
	bool revert;
	bool autoskip;
	bool capitals;
	bool upper;
	bool decimal;
	bool ebcdic;
	bool has_columns;
	bool has_group;
	uint64_t columns;
	uint64_t group;
	uint64_t limit;
	uint64_t offset;
	const char *seek; /* NULL: none */
	const char *name;
	const char *files[2];
	int nfiles;
	const char *digits;
};

static const char usage_text[] = "Usage:\n"
				 "       xxd [options] [infile [outfile]]\n"
				 "    or\n"
				 "       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]\n"
				 "Options:\n"
				 "    -a          one '*' for lines of zeros, on and off\n"
				 "    -b          binary digits\n"
				 "    -C          capital letters in the names of -i\n"
				 "    -c cols     bytes of a line: 16, -i 12, -ps 30, -b 6\n"
				 "    -d          offsets in decimal\n"
				 "    -E          text in EBCDIC\n"
				 "    -e          little-endian groups\n"
				 "    -g bytes    bytes of a group: 2, -e 4, -b 1\n"
				 "    -i          an array in C\n"
				 "    -l len      at most len bytes\n"
				 "    -n name     of the array of -i\n"
				 "    -o off      added to offsets\n"
				 "    -ps         plain hexadecimal digits\n"
				 "    -r          back from a dump to bytes\n"
				 "    -s [+][-]off  begin at off; with -r, added to offsets\n"
				 "    -u          capital digits\n"
				 "    -v          version\n";

static _Noreturn void usage(struct cmd *c)
{
	cmd_err_write(c, usage_text, sizeof(usage_text) - 1);
	cmd_exit(c, 1);
}

static uint64_t number_of(const char *text)
{
	uint64_t n = 0;

	number_parse_u64(bytes_of(text), 0, &n, NULL);
	return n;
}

/* The value of an option: behind it, or the next argument. */
static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The option behind its dash; two are as good as one. */
static const char *option_word(struct xxd *x, int i)
{
	const char *word = x->c->argv[i] + 1;

	return word[0] == '-' && word[1] != '\0' ? word + 1 : word;
}

/* The value of an option: what follows its letter, or, if that is the rest of its long name, the
 * next argument. */
static const char *take_value(struct xxd *x, int *i, const char *rest)
{
	const char *word = option_word(x, *i);

	if (word[1] != '\0' && !begins(word + 1, rest))
		return word + 1;
	if (*i + 1 >= x->c->argc)
		usage(x->c);
	return x->c->argv[++*i];
}

static void set_form(struct xxd *x, enum xxd_form form)
{
	x->form = form;
}

static void take_option(struct xxd *x, int *i)
{
	const char *word = option_word(x, *i);

	switch (word[0]) {
	case 'a': x->autoskip = !x->autoskip; break;
	case 'b': set_form(x, XXD_BITS); break;
	case 'C': x->capitals = true; break;
	case 'c':
		if (begins(word + 1, "apitalize")) {
			x->capitals = true;
			break;
		}
		x->has_columns = true;
		x->columns = number_of(take_value(x, i, "ols"));
		break;
	case 'd': x->decimal = true; break;
	case 'e': set_form(x, XXD_LITTLE); break;
	case 'g':
		x->has_group = true;
		x->group = number_of(take_value(x, i, "roup"));
		break;
	case 'i': set_form(x, XXD_INCLUDE); break;
	case 'l': x->limit = number_of(take_value(x, i, "en")); break;
	case 'n': x->name = take_value(x, i, "ame"); break;
	case 'o': x->offset = number_of(take_value(x, i, "ffset")); break;
	case 'p': set_form(x, XXD_PLAIN); break;
	case 'r': x->revert = true; break;
	case 's': x->seek = take_value(x, i, word[1] == 'k' ? "kip" : "eek"); break;
	case 'u': x->upper = true; break;
	case 'v':
		cmd_err_write(x->c, "xxd 2022-01-14 by Juergen Weigert et al.\n", 41);
		cmd_exit(x->c, 0);
	case 'E': x->ebcdic = true; break;
	default: usage(x->c);
	}
}

static void parse_arguments(struct xxd *x)
{
	struct cmd *c = x->c;
	bool options = true;

	for (int i = 1; i < c->argc; i++) {
		const char *word = c->argv[i];

		if (options && strcmp(word, "--") == 0) {
			options = false;
		} else if (options && word[0] == '-' && word[1] != '\0') {
			take_option(x, &i);
		} else {
			if (x->nfiles == 2)
				usage(c);
			x->files[x->nfiles++] = word;
		}
	}
	if (!x->has_columns || (x->columns == 0 && x->form != XXD_PLAIN))
		x->columns = x->form == XXD_PLAIN     ? 30
			     : x->form == XXD_INCLUDE ? 12
			     : x->form == XXD_BITS    ? 6
						      : 16;
	if (!x->has_group)
		x->group = x->form == XXD_BITS ? 1 : x->form == XXD_LITTLE ? 4 : 2;
	if (x->columns > COLUMNS_MAX && x->form <= XXD_LITTLE)
		cmd_fatal_status(c, 1, 0, "invalid number of columns (max. 256).");
	if (x->group == 0 || x->group > x->columns)
		x->group = x->columns;
	if (x->form == XXD_LITTLE && (x->group & (x->group - 1)) != 0)
		cmd_fatal_status(c, 1, 0,
				 "number of octets per group must be a power of 2 with -e.");
	x->digits = x->upper ? "0123456789ABCDEF" : "0123456789abcdef";
}

/* --- dumps --- */

static void put_byte(struct xxd *x, uint8_t b)
{
	if (x->form == XXD_BITS) {
		for (int bit = 7; bit >= 0; bit--)
			cmd_putc(x->c, (b >> bit & 1) != 0 ? '1' : '0');
		return;
	}
	cmd_putc(x->c, x->digits[b >> 4]);
	cmd_putc(x->c, x->digits[b & 15]);
}

/* A byte of the text beside the digits. */
static char shown_as(const struct xxd *x, uint8_t b)
{
	/* EBCDIC from 0x40 on. */
	static const char ebcdic[] = " ...........<(+|&.........!$*);~"
				     "-/.........,%_>?.........`:#@'=\""
				     ".abcdefghi.......jklmnopqr^....."
				     "..stuvwxyz...[...............].."
				     "{ABCDEFGHI......}JKLMNOPQR......"
				     "\\.STUVWXYZ......0123456789......";

	if (x->ebcdic)
		return b >= 0x40 ? ebcdic[b - 0x40] : '.';
	return byte_is_print(b) ? (char)b : '.';
}

static void put_line(struct xxd *x, uint64_t offset, const uint8_t *at, size_t n)
{
	size_t width = x->form == XXD_BITS ? 8 : 2;
	struct cmd *c = x->c;

	cmd_printf(c, x->decimal ? "%08llu:" : "%08llx:", (unsigned long long)offset);
	for (size_t i = 0; i < x->columns; i++) {
		size_t k = i;

		if (i % x->group == 0)
			cmd_putc(c, ' ');
		if (x->form == XXD_LITTLE) {
			size_t start = i / x->group * x->group;

			k = start + (size_t)x->group - 1 - (i - start);
		}
		if (k < n)
			put_byte(x, at[k]);
		else
			for (size_t w = 0; w < width; w++)
				cmd_putc(c, ' ');
	}
	cmd_puts(c, "  ");
	for (size_t i = 0; i < n; i++)
		cmd_putc(c, shown_as(x, at[i]));
	cmd_putc(c, '\n');
	cmd_charge(c, n / 8 + 1);
}

static size_t read_line(struct xxd *x, struct input *in, uint8_t *out, size_t n)
{
	size_t have = 0;

	for (; have < n && x->limit > 0; x->limit--) {
		int b = input_byte(in);

		if (b < -1)
			cmd_fatal_status(x->c, 2, 0, "%s", err_text(b + 1));
		if (b < 0)
			break;
		out[have++] = (uint8_t)b;
	}
	return have;
}

/* Lines of zeros but for the first and the last become one '*'. */
static void dump(struct xxd *x, struct input *in, uint64_t offset)
{
	uint8_t line[COLUMNS_MAX];
	size_t columns = (size_t)x->columns;
	uint64_t zeros = 0;
	size_t n;

	offset += x->offset;
	while ((n = read_line(x, in, line, columns)) > 0) {
		bool zero = x->autoskip && n == columns &&
			    bytes_are_zero((struct bytes){ (const char *)line, n });

		if (!zero) {
			if (zeros > 2)
				cmd_puts(x->c, "*\n");
			if (zeros == 2)
				put_line(x, offset - columns, (const uint8_t[COLUMNS_MAX]){ 0 },
					 columns);
			zeros = 0;
		} else {
			zeros++;
		}
		if (zeros < 2)
			put_line(x, offset, line, n);
		offset += n;
		cmd_charge(x->c, 1);
	}
	if (zeros > 2)
		cmd_puts(x->c, "*\n");
	if (zeros > 1)
		put_line(x, offset - columns, (const uint8_t[COLUMNS_MAX]){ 0 }, columns);
}

static void dump_plain(struct xxd *x, struct input *in)
{
	uint64_t column = 0;
	uint8_t b;

	while (read_line(x, in, &b, 1) > 0) {
		put_byte(x, b);
		if (++column == x->columns) {
			cmd_putc(x->c, '\n');
			column = 0;
			cmd_charge(x->c, 1);
		}
	}
	if (column > 0)
		cmd_putc(x->c, '\n');
}

static void put_name(struct xxd *x, const char *name)
{
	if (x->name == NULL && byte_is_digit(name[0]))
		cmd_puts(x->c, "__");
	for (; *name != '\0'; name++) {
		int ch = byte_is_alnum((unsigned char)*name) ? *name : '_';

		cmd_putc(x->c, (char)(x->capitals ? byte_to_upper(ch) : ch));
	}
}

static void dump_include(struct xxd *x, struct input *in, const char *path)
{
	const char *name = x->name != NULL ? x->name : path;
	uint64_t n = 0;
	uint8_t b;

	if (name != NULL) {
		cmd_puts(x->c, "unsigned char ");
		put_name(x, name);
		cmd_puts(x->c, "[] = {\n");
	}
	for (; read_line(x, in, &b, 1) > 0; n++) {
		cmd_puts(x->c, n == 0 ? "  " : n % x->columns == 0 ? ",\n  " : ", ");
		cmd_puts(x->c, x->upper ? "0X" : "0x");
		put_byte(x, b);
		cmd_charge(x->c, n % 16 == 0);
	}
	if (n > 0)
		cmd_putc(x->c, '\n');
	if (name == NULL)
		return;
	cmd_puts(x->c, "};\nunsigned int ");
	put_name(x, name);
	cmd_printf(x->c, "%s = %llu;\n", x->capitals ? "_LEN" : "_len", (unsigned long long)n);
}

/* --- back --- */

/* Moves the output to an offset: by seeking, or with zeros. */
static void move_to(struct xxd *x, uint64_t *have, uint64_t want)
{
	struct cmd *c = x->c;

	if (want == *have)
		return;
	cmd_flush(c);
	if (cmd_seek(c, 1, (int64_t)(want - *have), 1) >= 0) {
		*have = want;
		return;
	}
	if (want < *have)
		cmd_fatal_status(c, 5, 0, "sorry, cannot seek backwards.");
	for (; *have < want; ++*have) {
		cmd_putc(c, '\0');
		if (*have % 4096 == 0)
			cmd_charge(c, 64);
	}
}

/* "00000010: 6865 6c6c  text": as many bytes as a line has, until two blanks. */
static void revert_line(struct xxd *x, struct bytes s, uint64_t *have)
{
	int64_t base = 0;
	uint64_t offset = 0;
	uint64_t n = 0;
	size_t at = 0;

	if (x->seek != NULL)
		number_parse_i64(bytes_of(x->seek), 0, &base, NULL);
	while (at < s.len && s.ptr[at] == ' ')
		at++;
	size_t start = at;

	for (; at < s.len && byte_is_xdigit((unsigned char)s.ptr[at]); at++)
		offset = offset << 4 | (uint64_t)byte_digit((unsigned char)s.ptr[at]);
	if (at == start || at == s.len || s.ptr[at] != ':')
		return;
	offset += (uint64_t)base;
	for (at++; at < s.len && n < x->columns;) {
		if (s.ptr[at] == ' ') {
			if (at + 1 < s.len && s.ptr[at + 1] == ' ')
				break;
			at++;
			continue;
		}
		int high = byte_digit((unsigned char)s.ptr[at]);
		int low = at + 1 < s.len ? byte_digit((unsigned char)s.ptr[at + 1]) : -1;

		if (high < 0 || high > 15 || low < 0 || low > 15)
			break;
		if (n == 0)
			move_to(x, have, offset);
		cmd_putc(x->c, (char)(high << 4 | low));
		++*have;
		n++;
		at += 2;
	}
}

/*
 * Digits in pairs, with what separates them: two other characters behind a pair, or three behind
 * a single digit, and the rest of the line does not count. Before the first digit all may stand.
 */
static void revert_plain(struct xxd *x, struct input *in)
{
	enum { BEHIND_PAIR = 1, BEHIND_DIGIT = 2 };
	int high = -1;
	int patience = -1; /* how many more may stand here; -1: any number */
	bool skip = false;
	int b;

	while ((b = input_byte(in)) >= 0) {
		int digit = byte_digit(b);

		skip = skip && b != '\n';
		if (skip || b == '\n' || b == ' ' || b == '\t' || b == '\r')
			continue;
		if (digit < 0 || digit > 15) {
			high = -1;
			skip = patience == 0;
			patience -= patience >= 0;
			continue;
		}
		patience = high < 0 ? BEHIND_DIGIT : BEHIND_PAIR;
		if (high < 0) {
			high = digit;
			continue;
		}
		cmd_putc(x->c, (char)(high << 4 | digit));
		high = -1;
	}
}

static void revert(struct xxd *x, struct input *in)
{
	struct bytes line;
	uint64_t have = 0;

	if (x->form == XXD_PLAIN) {
		revert_plain(x, in);
		return;
	}
	if (x->form != XXD_HEX)
		cmd_fatal_status(x->c, 255, 0, "Sorry, cannot revert this type of hexdump");
	while (input_line(in, '\n', &line) > 0) {
		revert_line(x, line, &have);
		cmd_charge(x->c, 1);
	}
}

/* --- all --- */

/* Where the dump begins. */
static uint64_t seek_input(struct xxd *x, struct input *in)
{
	const char *text = x->seek;
	bool plus = text[0] == '+';
	bool minus = text[plus] == '-';
	uint64_t n = number_of(text + plus + minus);
	int64_t pos;

	if (minus && !plus) {
		pos = cmd_seek(x->c, in->fd, (int64_t)(0 - n), 2);
	} else {
		pos = cmd_seek(x->c, in->fd, (int64_t)(minus ? 0 - n : n), plus ? 1 : 0);
	}
	if (pos >= 0)
		return (uint64_t)pos;
	if (minus)
		cmd_fatal_status(x->c, 4, 0, "Sorry, cannot seek.");
	for (uint64_t left = n; left > 0 && input_byte(in) >= 0; left--)
		cmd_charge(x->c, left % 64 == 0);
	return n;
}

static int xxd_run(struct cmd *c)
{
	struct xxd *x = arena_zalloc(c->arena, sizeof(*x));
	struct input in;
	uint64_t offset = 0;

	x->c = c;
	x->limit = UINT64_MAX;
	parse_arguments(x);
	const char *path = x->nfiles > 0 ? x->files[0] : "-";
	int err = input_open(&in, c, path);

	if (err < 0)
		return cmd_error(c, err, "%s", path);
	if (x->nfiles == 2 && strcmp(x->files[1], "-") != 0) {
		unsigned flags = O_WRONLY_ | O_CREAT_ | (x->revert ? 0 : O_TRUNC_);
		int fd = cmd_open(c, CMD_CWD, x->files[1], flags, 0666);

		if (fd < 0)
			return cmd_error(c, fd, "%s", x->files[1]) + 1;
		cmd_dup2(c, fd, 1);
		cmd_close(c, fd);
	}
	if (x->revert) {
		revert(x, &in);
		return 0;
	}
	if (x->seek != NULL)
		offset = seek_input(x, &in);
	if (x->form == XXD_PLAIN)
		dump_plain(x, &in);
	else if (x->form == XXD_INCLUDE)
		dump_include(x, &in, strcmp(path, "-") == 0 ? NULL : path);
	else
		dump(x, &in, offset);
	return 0;
}

const struct builtin builtin_xxd = {
	.name = "xxd",
	.usage = "[OPTION]... [INFILE [OUTFILE]]",
	.summary = usage_text,
	.run = xxd_run,
	.flags = BUILTIN_RAW | BUILTIN_RAW_HELP,
	.error_status = 2,
	.family = "xxd 2022-01-14",
	.version = "xxd 2022-01-14 by Juergen Weigert et al.",
	.write_status = 3,
};
