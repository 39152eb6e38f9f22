/* SPDX-License-Identifier: MIT
 *
 * isutf8 - says which files are not UTF-8, and where.
 */
#include "builtins/builtin.h"

enum { SHOWN = 16, BEFORE = 8 };

struct isutf8_opts {
	bool quiet;
	bool list;
	bool invert;
	bool verbose;
};

static const struct opt isutf8_options[] = {
	OPT_FLAG('q', "quiet", struct isutf8_opts, quiet, "write nothing"),
	OPT_FLAG('l', "list", struct isutf8_opts, list, "only names of files that are not UTF-8"),
	OPT_FLAG('i', "invert", struct isutf8_opts, invert, "names of files that are UTF-8"),
	OPT_FLAG('v', "verbose", struct isutf8_opts, verbose, "show the bytes at fault"),
	OPT_END(),
};

/* What may follow a first byte: how many bytes, and which second one. */
struct lead {
	uint8_t from, to;
	uint8_t more;
	uint8_t low, high;   /* of the second byte */
	const char *text[4]; /* the file ends; the second, third, fourth byte is wrong */
};

#define AFTER(lead, what) "After a first byte " lead ", " what
#define E1_EC             "between E1 and EC"
#define EE_EF             "between EE and EF"
#define F1_F3             "of F1, F2, or F3"

/* The texts are those of the real one, down to their spelling. */
static const struct lead leads[] = {
	{ 0x00, 0x7f, 0, 0, 0, { NULL } },
	{ 0xc2,
	  0xdf,
	  1,
	  0x80,
	  0xbf,
	  { AFTER("between C2 and DF", "expecting a 2nd byte."),
	    AFTER("between C2 and DF", "expecting a 2nd byte between 80 and BF") } },
	{ 0xe0,
	  0xe0,
	  2,
	  0xa0,
	  0xbf,
	  { AFTER("of E0", "expecting two following bytes."),
	    AFTER("of E0", "expecting a 2nd byte between A0 and BF."),
	    AFTER("of E0", "expecting a 3nd byte between 80 and BF.") } },
	{ 0xe1,
	  0xec,
	  2,
	  0x80,
	  0xbf,
	  { AFTER(E1_EC, "expecting two following bytes."),
	    AFTER(E1_EC, "expecting the 2nd byte between 80 and BF."),
	    AFTER(E1_EC, "expecting the 3rd byte between 80 and BF.") } },
	{ 0xed,
	  0xed,
	  2,
	  0x80,
	  0x9f,
	  { AFTER("of ED", "expecting two following bytes."),
	    AFTER("of ED", "expecting 2nd byte between 80 and 9F."),
	    AFTER("of ED", "expecting 3rd byte between 80 and BF.") } },
	{ 0xee,
	  0xef,
	  2,
	  0x80,
	  0xbf,
	  { AFTER(EE_EF, "two following bytes."),
	    AFTER(EE_EF, "expecting 2nd byte between 80 and BF."),
	    AFTER(EE_EF, "expecting 3rd byte between 80 and BF.") } },
	{ 0xf0,
	  0xf0,
	  3,
	  0x90,
	  0xbf,
	  { AFTER("of F0", "expecting three following bytes."),
	    AFTER("of F0", "expecting 2nd byte between 90 and BF."),
	    AFTER("of F0", "expecting 3rd byte between 80 and BF."),
	    AFTER("of F0", "expecting 4th byte between 80 and BF.") } },
	{ 0xf1,
	  0xf3,
	  3,
	  0x80,
	  0xbf,
	  { AFTER(F1_F3, "expecting three following bytes."),
	    AFTER(F1_F3, "expecting a 2nd byte between 80 and BF."),
	    AFTER(F1_F3, "expecting a 3rd byte between 80 and BF."),
	    AFTER(F1_F3, "expecting a 4th byte between 80 and BF.") } },
	{ 0xf4,
	  0xf4,
	  3,
	  0x80,
	  0x8f,
	  { AFTER("of F4", "expecting three following bytes."),
	    AFTER("of F4", "expecting 2nd byte between 80 and 8F."),
	    AFTER("of F4", "expecting 3rd byte between 80 and BF."),
	    AFTER("of F4", "expecting 4th byte between 80 and BF.") } },
};

/* A place that is not UTF-8. */
struct fault {
	const char *text; /* NULL: none */
	size_t at;
	size_t bytes;
	size_t line;
	size_t character;
};

/* The length of the character at s[at], or 0 and the fault. */
static size_t check_character(struct bytes s, size_t at, struct fault *out)
{
	const uint8_t *p = (const uint8_t *)s.ptr + at;

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		const struct lead *l = &leads[i];

		if (p[0] < l->from || p[0] > l->to)
			continue;
		*out = (struct fault){ .text = l->text[0], .bytes = 1 };
		if (s.len - at <= l->more)
			return 0;
		for (size_t k = 1; k <= l->more; k++) {
			if (p[k] >= (k == 1 ? l->low : 0x80) && p[k] <= (k == 1 ? l->high : 0xbf))
				continue;
			*out = (struct fault){ .text = l->text[k], .bytes = k + 1 };
			return 0;
		}
		return (size_t)l->more + 1;
	}
	*out = (struct fault){ "Expecting bytes in the following ranges: 00..7F C2..F4.", 0, 1, 0,
			       0 };
	return 0;
}

static struct fault find_fault(struct bytes s)
{
	struct fault fault = { .text = NULL };
	size_t line = 1;
	size_t character = 1;

	for (size_t at = 0; at < s.len;) {
		size_t n = check_character(s, at, &fault);

		if (n == 0) {
			fault.at = at;
			fault.line = line;
			fault.character = character;
			return fault;
		}
		character = s.ptr[at] == '\n' ? 1 : character + 1;
		line += s.ptr[at] == '\n';
		at += n;
	}
	return (struct fault){ .text = NULL };
}

/* The bytes around the fault, in hex and as text, with marks below. */
static void put_bytes(struct cmd *c, struct bytes s, const struct fault *f)
{
	size_t from = f->at > BEFORE ? f->at - BEFORE : 0;
	size_t to = s.len - from > SHOWN ? from + SHOWN : s.len;

	for (size_t i = from; i < from + SHOWN; i++) {
		if (i < to)
			cmd_printf(c, "%02X ", (unsigned)(uint8_t)s.ptr[i]);
		else
			cmd_puts(c, "   ");
	}
	cmd_puts(c, " | ");
	for (size_t i = from; i < to; i++)
		cmd_putc(c, byte_is_print((unsigned char)s.ptr[i]) ? s.ptr[i] : '.');
	cmd_putc(c, '\n');
	for (size_t i = from; i < from + SHOWN; i++) {
		bool marked = i >= f->at && i < f->at + f->bytes;

		cmd_puts(c, !marked ? "   " : i + 1 < f->at + f->bytes ? "^^^" : "^^ ");
	}
	cmd_puts(c, " | ");
	for (size_t i = from; i < f->at + f->bytes; i++)
		cmd_putc(c, i >= f->at ? '^' : ' ');
	cmd_puts(c, "\n\n");
}

static void put_fault(struct cmd *c, const char *name, struct bytes s, const struct fault *f)
{
	const struct isutf8_opts *o = c->opts;

	if (o->list) {
		cmd_printf(c, "%s\n", name);
		return;
	}
	cmd_printf(c, "%s: line %zu, char %zu, byte %zu: %s\n", name, f->line, f->character, f->at,
		   f->text);
	if (o->verbose)
		put_bytes(c, s, f);
}

static int isutf8_run(struct cmd *c)
{
	const struct isutf8_opts *o = c->opts;
	int status = 0;

	for (int i = 0; i < c->nfiles; i++) {
		struct arena_mark mark = arena_mark(c->arena);
		const char *name = strcmp(c->files[i], "-") == 0 ? "(standard input)" : c->files[i];
		struct bytes s;
		int err = cmd_read_all(c, c->files[i], &s);

		if (err < 0) {
			struct buf text = buf_in(c->arena);

			buf_printf(&text, "open: %s\n", err_text(err));
			cmd_err_write(c, text.ptr, text.len);
			status = 1;
			continue;
		}
		struct fault fault = find_fault(s);

		/* The real one counts characters of a stream from 0. */
		fault.character -= strcmp(c->files[i], "-") == 0;
		cmd_charge_bytes(c, s.len);
		if (fault.text != NULL)
			status = 1;
		if (fault.text != NULL && !o->invert && !o->quiet)
			put_fault(c, name, s, &fault);
		else if (fault.text == NULL && o->invert && !o->quiet && s.len != 0 &&
			 strcmp(c->files[i], "-") != 0)
			cmd_printf(c, "%s\n", name);
		arena_release(c->arena, mark);
	}
	return status;
}

const struct builtin builtin_isutf8 = {
	.name = "isutf8",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Says which files are not UTF-8, and where. The status is 1 if any is not.",
	.run = isutf8_run,
	.opts = isutf8_options,
	.opts_size = sizeof(struct isutf8_opts),
	.family = "moreutils 0.67",
};
