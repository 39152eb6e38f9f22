/* SPDX-License-Identifier: MIT
 *
 * fmt - fill and join lines to a width, paragraph by paragraph.
 *
 * A paragraph's words are gathered, then line breaks are chosen so that the sum of costs is
 * least: a line costs more the farther its length is from the goal and from its neighbour's, and
 * breaks are better behind sentences and punctuation (Knuth and Plass). The costs and the size
 * of the window are GNU's, so the breaks are the same. A paragraph larger than the window is
 * written in parts, at breaks that were good.
 */
#include "builtins/builtin.h"

enum {
	WORDS_MAX = 1000,
	CHARS_MAX = 5000,
	WIDTH_MAX = CHARS_MAX / 2,
	WIDTH_DEFAULT = 75,
	GOAL_PERCENT_2 = 187, /* of 200: where lines should end */
	TAGGED_INDENT = 3,
	TAB = 8,
};

/* All costs are squares of a number of columns, times 100. */
enum {
	COST_LINE = 70 * 70,
	COST_NO_BREAK = 600 * 600,
	COST_WIDOW = 200 * 200,  /* divided by the length of the word */
	COST_ORPHAN = 150 * 150, /* the same */
	BONUS_SENTENCE = 50 * 50,
	BONUS_PUNCT = 40 * 40,
	BONUS_PAREN = 40 * 40,
	CREDIT_LINE = 3 * 3,
};

struct word {
	size_t text; /* offset into fmt.text */
	int64_t length;
	int64_t space; /* columns behind it */
	bool paren;    /* opens a parenthesis or quotation */
	bool period;   /* ends with .?! */
	bool punct;
	bool final; /* ends a sentence */
	/* If a line begins here: */
	int64_t line_length;
	int64_t best_cost; /* of this line and all that follow */
	struct word *next_break;
};

struct fmt_opts {
	bool crown;
	bool tagged;
	bool split;
	bool uniform;
	const char *width;
	const char *goal_text;
	const char *prefix_text;
	/* settled */
	int64_t max_width;
	int64_t goal;
	struct bytes prefix; /* without blanks around it */
	int64_t prefix_lead;
	int64_t prefix_full; /* its length with blanks behind it */
};

struct fmt {
	struct cmd *c;
	const struct fmt_opts *o;
	struct input *in;
	bool failed; /* to read */
	bool tabs;   /* the input has some: so has the output */
	int64_t in_column;
	int64_t out_column;
	int64_t prefix_indent;      /* of the paragraph */
	int64_t next_prefix_indent; /* of the next line */
	int64_t first_indent;
	int64_t other_indent;
	int64_t last_length; /* of the line written last in this paragraph; 0: none */
	int next;            /* first byte behind the next line's prefix */
	size_t ntext;
	struct word *limit; /* behind the last word; word[0..] are those of the paragraph */
	struct word word[WORDS_MAX];
	char text[CHARS_MAX];
};

/* --- reading --- */

static int read_byte(struct fmt *f)
{
	int ch = input_byte(f->in);

	if (ch >= -1)
		return ch;
	f->failed = true;
	return -1;
}

static bool at_end(int ch)
{
	return ch == '\n' || ch < 0;
}

/* Skips blanks from ch on. The byte behind them. */
static int skip_blanks(struct fmt *f, int ch)
{
	for (;; ch = read_byte(f)) {
		if (ch == ' ') {
			f->in_column++;
		} else if (ch == '\t') {
			f->tabs = true;
			f->in_column = (f->in_column / TAB + 1) * TAB;
		} else {
			return ch;
		}
	}
}

/* Reads the indentation of a line, and the prefix. The byte behind them, or the one that is not
 * the prefix's. */
static int read_prefix(struct fmt *f)
{
	const struct fmt_opts *o = f->o;
	int ch;

	f->in_column = 0;
	ch = skip_blanks(f, read_byte(f));
	f->next_prefix_indent = f->in_column;
	if (o->prefix.len == 0) {
		if (o->prefix_lead < f->in_column)
			f->next_prefix_indent = o->prefix_lead;
		return ch;
	}
	for (size_t i = 0; i < o->prefix.len; i++) {
		if (ch != (unsigned char)o->prefix.ptr[i])
			return ch;
		f->in_column++;
		ch = read_byte(f);
	}
	return skip_blanks(f, ch);
}

enum { OPENS = 1, CLOSES = 2, ENDS = 4 };

static const uint8_t kinds[256] = {
	['('] = OPENS,          ['['] = OPENS,
	['`'] = OPENS,          [')'] = CLOSES,
	[']'] = CLOSES,         ['.'] = ENDS,
	['?'] = ENDS,           ['!'] = ENDS,
	['"'] = OPENS | CLOSES, ['\''] = OPENS | CLOSES,
};

static unsigned kind_of(char ch)
{
	return kinds[(unsigned char)ch];
}

static void judge_word(const struct fmt *f, struct word *w)
{
	const char *start = f->text + w->text;
	const char *last = start + w->length - 1;

	w->paren = (kind_of(*start) & OPENS) != 0;
	w->punct = byte_is_punct((unsigned char)*last);
	while (start < last && (kind_of(*last) & CLOSES) != 0)
		last--;
	w->period = (kind_of(*last) & ENDS) != 0;
}

/* --- writing --- */

static void put_blanks(struct fmt *f, int64_t n)
{
	int64_t target = f->out_column + n;
	int64_t stop = target / TAB * TAB;

	if (f->tabs && f->out_column + 1 < stop)
		for (; f->out_column < stop; f->out_column = (f->out_column / TAB + 1) * TAB)
			cmd_putc(f->c, '\t');
	for (; f->out_column < target; f->out_column++)
		cmd_putc(f->c, ' ');
}

static void put_line(struct fmt *f, const struct word *w, int64_t indent)
{
	const struct word *end = w->next_break;

	f->out_column = 0;
	put_blanks(f, f->prefix_indent);
	cmd_bytes(f->c, f->o->prefix);
	f->out_column += (int64_t)f->o->prefix.len;
	put_blanks(f, indent - f->out_column);
	for (; w < end; w++) {
		cmd_write(f->c, f->text + w->text, (size_t)w->length);
		f->out_column += w->length;
		if (w + 1 < end)
			put_blanks(f, w->space);
	}
	f->last_length = f->out_column;
	cmd_putc(f->c, '\n');
}

/* The lines of the paragraph up to the one that begins with `end`. */
static void put_paragraph(struct fmt *f, const struct word *end)
{
	put_line(f, f->word, f->first_indent);
	for (const struct word *w = f->word->next_break; w != end; w = w->next_break)
		put_line(f, w, f->other_indent);
}

/* --- choosing breaks --- */

static int64_t square(int64_t n)
{
	return n * n;
}

/* Of a difference of n columns between neighbouring lines. */
static int64_t ragged_cost(int64_t n)
{
	return square(n * 10) / 2;
}

/* Of beginning a line with w. */
static int64_t break_cost(const struct fmt *f, const struct word *w)
{
	int64_t cost = COST_LINE;

	if (w > f->word) {
		if (w[-1].period)
			cost += w[-1].final ? -BONUS_SENTENCE : COST_NO_BREAK;
		else if (w[-1].punct)
			cost -= BONUS_PUNCT;
		else if (w > f->word + 1 && w[-2].final)
			cost += COST_WIDOW / (w[-1].length + 2);
	}
	if (w->paren)
		cost -= BONUS_PAREN;
	else if (w->final)
		cost += COST_ORPHAN / (w->length + 2);
	return cost;
}

/* Of a line of this length before the word `next`. */
static int64_t line_cost(const struct fmt *f, const struct word *next, int64_t length)
{
	int64_t cost;

	if (next == f->limit)
		return 0;
	cost = square((f->o->goal - length) * 10);
	if (next->next_break != f->limit)
		cost += ragged_cost(length - next->line_length);
	return cost;
}

/* Finds the best line that begins with `start`; those that begin later are known. */
static void choose_break(struct fmt *f, struct word *start)
{
	int64_t length = start == f->word ? f->first_indent : f->other_indent;
	int64_t best = INT64_MAX;
	struct word *w = start;

	length += w->length;
	do {
		w++;
		int64_t cost = line_cost(f, w, length) + w->best_cost;

		if (start == f->word && f->last_length > 0)
			cost += ragged_cost(length - f->last_length);
		if (cost < best) {
			best = cost;
			start->next_break = w;
			start->line_length = length;
		}
		if (w == f->limit)
			break;
		length += w[-1].space + w->length;
	} while (length < f->o->max_width);
	start->best_cost = best + break_cost(f, start);
	cmd_charge(f->c, (uint64_t)(w - start) / 8 + 1);
}

static void choose_breaks(struct fmt *f)
{
	f->limit->best_cost = 0;
	for (struct word *start = f->limit; start-- > f->word;)
		choose_break(f, start);
}

/* The window is full: writes a part of the paragraph and makes room. */
static void flush_part(struct fmt *f)
{
	struct word *split = f->limit;
	int64_t best = INT64_MAX;

	if (f->limit == f->word) {
		cmd_write(f->c, f->text, f->ntext);
		f->ntext = 0;
		return;
	}
	choose_breaks(f);
	for (struct word *w = f->word->next_break; w != f->limit; w = w->next_break) {
		int64_t cost = w->best_cost - w->next_break->best_cost;

		if (cost < best) {
			split = w;
			best = cost;
		}
		if (best <= INT64_MAX - CREDIT_LINE)
			best += CREDIT_LINE;
	}
	put_paragraph(f, split);
	size_t gone = split->text;
	size_t left = (size_t)(f->limit - split) + 1;

	memmove(f->text, f->text + gone, f->ntext - gone);
	f->ntext -= gone;
	memmove(f->word, split, left * sizeof(*split));
	for (size_t i = 0; i < left; i++)
		f->word[i].text -= gone;
	f->limit -= split - f->word;
}

/* --- paragraphs --- */

/* The indentation of all lines but the first. same: the next line is of the paragraph. */
static void settle_indent(struct fmt *f, bool same)
{
	const struct fmt_opts *o = f->o;

	if (o->split || (!o->crown && !o->tagged)) {
		f->other_indent = f->first_indent;
	} else if (o->crown) {
		f->other_indent = same ? f->in_column : f->first_indent;
	} else if (same && f->in_column != f->first_indent) {
		f->other_indent = f->in_column;
	} else if (f->other_indent == f->first_indent) {
		/* A paragraph of one line: tagged, if it does not look like the one before. */
		f->other_indent = f->first_indent == 0 ? TAGGED_INDENT : 0;
	}
}

static void make_room(struct fmt *f)
{
	settle_indent(f, true);
	flush_part(f);
}

/* Adds the words of a line from its byte ch on. The first byte of the next line. */
static int read_line(struct fmt *f, int ch)
{
	do {
		f->limit->text = f->ntext;
		do {
			if (f->ntext == CHARS_MAX)
				make_room(f);
			f->text[f->ntext++] = (char)ch;
			ch = read_byte(f);
		} while (ch >= 0 && !byte_is_space(ch));
		struct word *w = f->limit;

		w->length = (int64_t)(f->ntext - w->text);
		f->in_column += w->length;
		judge_word(f, w);
		int64_t start = f->in_column;

		ch = skip_blanks(f, ch);
		w->space = f->in_column - start;
		w->final = ch < 0 || (w->period && (ch == '\n' || w->space > 1));
		if (at_end(ch) || f->o->uniform)
			w->space = w->final ? 2 : 1;
		if (f->limit == f->word + WORDS_MAX - 2)
			make_room(f);
		f->limit++;
	} while (!at_end(ch));
	return read_prefix(f);
}

/* Copies a line that is in no paragraph, without its end. Its last byte: newline or the end. */
static int copy_line(struct fmt *f, int ch)
{
	const struct fmt_opts *o = f->o;

	f->out_column = 0;
	if (f->in_column > f->next_prefix_indent || !at_end(ch)) {
		put_blanks(f, f->next_prefix_indent);
		for (size_t i = 0; f->out_column != f->in_column && i < o->prefix.len; i++) {
			cmd_putc(f->c, o->prefix.ptr[i]);
			f->out_column++;
		}
		if (!at_end(ch))
			put_blanks(f, f->in_column - f->out_column);
		if (ch < 0 && f->in_column >= f->next_prefix_indent + (int64_t)o->prefix.len)
			cmd_putc(f->c, '\n');
	}
	for (; !at_end(ch); ch = read_byte(f))
		cmd_putc(f->c, (char)ch);
	cmd_charge(f->c, 2);
	return ch;
}

static bool has_prefix(const struct fmt *f)
{
	return f->in_column >= f->next_prefix_indent + f->o->prefix_full;
}

static bool same_paragraph(const struct fmt *f, int ch)
{
	return f->next_prefix_indent == f->prefix_indent && has_prefix(f) && !at_end(ch);
}

/* Reads a paragraph; what is none before it is copied. False at the end. */
static bool read_paragraph(struct fmt *f)
{
	const struct fmt_opts *o = f->o;
	int ch = f->next;

	f->last_length = 0;
	while (at_end(ch) || f->next_prefix_indent < o->prefix_lead || !has_prefix(f)) {
		if (copy_line(f, ch) < 0)
			return false;
		cmd_putc(f->c, '\n');
		ch = read_prefix(f);
	}
	f->prefix_indent = f->next_prefix_indent;
	f->first_indent = f->in_column;
	f->ntext = 0;
	f->limit = f->word;
	ch = read_line(f, ch);
	settle_indent(f, same_paragraph(f, ch));
	bool more = !o->split && same_paragraph(f, ch);

	if (o->tagged && !o->crown)
		more = more && f->in_column != f->first_indent;
	else if (!o->crown)
		more = more && f->in_column == f->other_indent;
	while (more) {
		ch = read_line(f, ch);
		more = same_paragraph(f, ch) && f->in_column == f->other_indent;
	}
	f->limit[-1].period = true;
	f->limit[-1].final = true;
	f->next = ch;
	return true;
}

static void fmt_input(struct fmt *f)
{
	f->failed = false;
	f->tabs = false;
	f->other_indent = 0;
	f->next = read_prefix(f);
	while (read_paragraph(f)) {
		choose_breaks(f);
		put_paragraph(f, f->limit);
	}
}

/* --- options --- */

/* fmt -72: only as the first argument. */
static int fmt_legacy(struct cmd *c, int argc, char **argv, int i)
{
	(void)argc;
	if (i != 1 || argv[i][0] != '-' || !byte_is_digit(argv[i][1]))
		return 0;
	((struct fmt_opts *)c->opts)->width = argv[i] + 1;
	return 1;
}

static int refuse_digit(struct cmd *c, const struct opt *opt, const char *arg)
{
	(void)opt;
	cmd_error(c, 0,
		  "invalid option -- %c; -WIDTH is recognized only when it is the first\n"
		  "option; use -w N instead",
		  arg[0]);
	return cmd_usage(c, NULL);
}

static const struct opt fmt_options[] = {
	OPT_FLAG('c', "crown-margin", struct fmt_opts, crown,
		 "keep the indentation of the first two lines"),
	OPT_STR('p', "prefix", struct fmt_opts, prefix_text, NULL, "STRING",
		"only lines that begin with STRING, which stays before each"),
	OPT_FLAG('s', "split-only", struct fmt_opts, split, "split lines, do not join them"),
	OPT_FLAG('t', "tagged-paragraph", struct fmt_opts, tagged,
		 "the first line is indented otherwise than the second"),
	OPT_FLAG('u', "uniform-spacing", struct fmt_opts, uniform,
		 "one blank between words, two behind sentences"),
	OPT_STR('w', "width", struct fmt_opts, width, NULL, "WIDTH", "columns of a line (75)"),
	OPT_STR('g', "goal", struct fmt_opts, goal_text, NULL, "WIDTH",
		"columns that lines should have (93% of the width)"),
	OPT_DIGIT(refuse_digit),
	OPT_END(),
};

static int64_t take_width(struct cmd *c, const char *text, int64_t max)
{
	uint64_t value = 0;
	int err = num_parse_u64(text, "", &value);

	if (err == 0 && value > (uint64_t)max)
		err = value > INT32_MAX / 2 ? -E_OVERFLOW : -E_RANGE;
	if (err != 0)
		cmd_fatal(c, err == -E_INVAL ? 0 : err, "invalid width: %s", cmd_quote(c, text));
	return (int64_t)value;
}

static void settle(struct cmd *c, struct fmt_opts *o)
{
	o->max_width = WIDTH_DEFAULT;
	if (o->width != NULL)
		o->max_width = take_width(c, o->width, WIDTH_MAX);
	o->goal = o->max_width * GOAL_PERCENT_2 / 200;
	if (o->goal_text != NULL) {
		o->goal = take_width(c, o->goal_text, o->max_width);
		if (o->width == NULL)
			o->max_width = o->goal + 10;
	}
	struct bytes prefix = bytes_of(o->prefix_text != NULL ? o->prefix_text : "");

	for (; prefix.len > 0 && prefix.ptr[0] == ' '; o->prefix_lead++)
		prefix = bytes_slice(prefix, 1, prefix.len);
	o->prefix_full = (int64_t)prefix.len;
	while (prefix.len > 0 && prefix.ptr[prefix.len - 1] == ' ')
		prefix.len--;
	o->prefix = prefix;
}

static int fmt_run(struct cmd *c)
{
	struct fmt *f = arena_zalloc(c->arena, sizeof(*f));
	int status = 0;

	f->c = c;
	f->o = c->opts;
	settle(c, c->opts);
	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		int err = input_open(&in, c, c->files[i]);

		if (err < 0) {
			status = cmd_error(c, err, "cannot open %s for reading",
					   cmd_quoteaf(c, c->files[i]));
			continue;
		}
		f->in = &in;
		fmt_input(f);
		if (f->failed)
			status = cmd_error(c, 0, "read error");
		input_close(&in);
	}
	return status;
}

const struct builtin builtin_fmt = {
	.name = "fmt",
	.usage = "[-WIDTH] [OPTION]... [FILE]...",
	.summary = "Fills and joins the lines of each paragraph of FILE.",
	.run = fmt_run,
	.opts = fmt_options,
	.opts_size = sizeof(struct fmt_opts),
	.legacy = fmt_legacy,
};
