/* SPDX-License-Identifier: MIT
 *
 * White space that is wrong: rules, errors in a line, and their mending.
 */
#include "builtins/git/blanks.h"

enum { WIDTH_USUAL = 8 };

static const struct {
	const char *name;
	unsigned bits;
	bool usual_not; /* the attribute alone does not ask for it */
} names[] = {
	{ "trailing-space", RULE_TRAILING, false },
	{ "space-before-tab", RULE_BEFORE_TAB, false },
	{ "indent-with-non-tab", RULE_SPACES, false },
	{ "cr-at-eol", RULE_CR, true },
	{ "blank-at-eol", RULE_END, false },
	{ "blank-at-eof", RULE_EOF, false },
	{ "tab-in-indent", RULE_TABS, true },
};

static unsigned parse_rules(struct git *g, const char *text)
{
	unsigned rules = RULE_TRAILING | RULE_BEFORE_TAB | WIDTH_USUAL;

	while (text != NULL) {
		size_t n;
		int64_t width;
		bool without;

		text += strspn(text, ", \t\n\r");
		n = strcspn(text, ",");
		if (n == 0)
			break;
		without = *text == '-';
		text += without;
		n -= without;
		if (n == 0)
			break;
		/* The beginning of a name will do. */
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			if (strncmp(names[i].name, text, n) != 0)
				continue;
			rules = without ? rules & ~names[i].bits : rules | names[i].bits;
			break;
		}
		if (git_starts(text, "tabwidth=")) {
			char *number = git_format(g->a, "%.*s", (int)(n - 9), text + 9);

			if (git_number(number, &width) && width > 0 && width < 64)
				rules = (rules & ~(unsigned)RULE_WIDTH) | (unsigned)width;
			else
				git_warn(g, "tabwidth %s out of range", number);
		}
		text += n;
		cmd_charge(g->c, 1);
	}
	if ((rules & RULE_TABS) && (rules & RULE_SPACES))
		git_die(g, "cannot enforce both tab-in-indent and indent-with-non-tab");
	return rules;
}

unsigned blanks_rules(struct git *g, const char *path)
{
	const char *attribute = path != NULL ? attr_get(g, path, "whitespace") : NULL;
	unsigned configured, rules;

	if (attribute != NULL && strcmp(attribute, ATTR_TRUE) != 0 &&
	    strcmp(attribute, ATTR_FALSE) != 0)
		return parse_rules(g, attribute);
	configured = parse_rules(g, config_get(g, "core.whitespace"));
	if (attribute == NULL)
		return configured;
	rules = configured & RULE_WIDTH;
	for (size_t i = 0;
	     strcmp(attribute, ATTR_TRUE) == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		rules |= names[i].usual_not ? 0 : names[i].bits;
	return rules;
}

/* A line in parts: text, CR that may be there, newline. */
struct parts {
	size_t text;  /* without what is wrong at the end */
	size_t blank; /* where blanks that are wrong end */
};

static struct parts part(struct bytes line, unsigned rules)
{
	struct parts p;
	size_t end = line.len;

	if (end > 0 && line.ptr[end - 1] == '\n')
		end--;
	if ((rules & RULE_CR) && end > 0 && line.ptr[end - 1] == '\r')
		end--;
	p = (struct parts){ end, end };
	while ((rules & RULE_END) && p.text > 0 &&
	       byte_is_space((unsigned char)line.ptr[p.text - 1]))
		p.text--;
	return p;
}

static void put_part(struct buf *out, const char *color, struct bytes line, size_t from, size_t to,
		     const struct blanks_colors *c)
{
	if (out == NULL || from >= to)
		return;
	buf_puts(out, color);
	buf_put(out, line.ptr + from, to - from);
	buf_puts(out, c->reset);
}

static void put_plain(struct buf *out, struct bytes line, size_t from, size_t to)
{
	if (out != NULL)
		buf_put(out, line.ptr + from, to - from);
}

/* What is wrong; written too if out is not NULL. */
static unsigned look(struct bytes line, unsigned rules, const struct blanks_colors *c,
		     struct buf *out)
{
	struct parts p = part(line, rules);
	unsigned wrong = p.text < p.blank ? RULE_END : 0;
	size_t done = 0, i;

	for (i = 0; i < p.text && byte_is_blank((unsigned char)line.ptr[i]); i++) {
		if (line.ptr[i] == ' ')
			continue;
		if ((rules & RULE_BEFORE_TAB) && done < i) {
			wrong |= RULE_BEFORE_TAB;
			put_part(out, c->mark, line, done, i, c);
			put_plain(out, line, i, i + 1);
		} else if (rules & RULE_TABS) {
			wrong |= RULE_TABS;
			put_plain(out, line, done, i);
			put_part(out, c->mark, line, i, i + 1, c);
		} else {
			put_plain(out, line, done, i + 1);
		}
		done = i + 1;
	}
	if ((rules & RULE_SPACES) && i - done >= (rules & RULE_WIDTH)) {
		wrong |= RULE_SPACES;
		put_part(out, c->mark, line, done, i, c);
		done = i;
	}
	if (out == NULL)
		return wrong;
	put_part(out, c->set, line, done, p.text, c);
	put_part(out, c->mark, line, p.text, p.blank, c);
	put_plain(out, line, p.blank, line.len);
	return wrong;
}

unsigned blanks_find(struct bytes line, unsigned rules)
{
	static const struct blanks_colors none = { "", "", "" };

	return look(line, rules, &none, NULL);
}

void blanks_put(struct bytes line, unsigned rules, const struct blanks_colors *c, struct buf *out)
{
	look(line, rules, c, out);
}

const char *blanks_words(struct git *g, unsigned wrong)
{
	static const struct {
		unsigned bit;
		const char *words;
	} texts[] = {
		{ RULE_END, "trailing whitespace" },
		{ RULE_EOF, "new blank line at EOF" },
		{ RULE_BEFORE_TAB, "space before tab in indent" },
		{ RULE_SPACES, "indent with spaces" },
		{ RULE_TABS, "tab in indent" },
	};
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (wrong & texts[i].bit)
			buf_printf(&b, "%s%s", b.len != 0 ? ", " : "", texts[i].words);
	return buf_cstr(&b);
}

/* Blanks of the indent up to `end` as tabs, as far as they fill them. */
static void put_tabbed(struct bytes line, size_t end, unsigned width, struct buf *out)
{
	size_t blanks = 0;

	for (size_t i = 0; i < end; i++) {
		if (line.ptr[i] != ' ' || ++blanks == width) {
			buf_putc(out, line.ptr[i] != ' ' ? line.ptr[i] : '\t');
			blanks = 0;
		}
	}
	buf_fill(out, ' ', blanks);
}

static void put_untabbed(struct bytes line, size_t end, unsigned width, struct buf *out)
{
	size_t column = 0;

	for (size_t i = 0; i < end; i++) {
		size_t n = line.ptr[i] == '\t' ? width - column % width : 1;

		buf_fill(out, ' ', n);
		column += n;
	}
}

struct bytes blanks_fixed(struct git *g, struct bytes line, unsigned rules)
{
	struct buf out = buf_in(g->keep);
	unsigned width = rules & RULE_WIDTH;
	bool newline = bytes_ends(line, BYTES("\n"));
	bool cr = (rules & RULE_CR) && bytes_ends(line, BYTES("\r\n"));
	size_t end = line.len - newline, tab = 0, blank = 0, i = 0;
	bool leading = false;

	if (rules & RULE_END) {
		size_t text = line.len;

		while (text > 0 && byte_is_space((unsigned char)line.ptr[text - 1]))
			text--;
		end = text;
	} else {
		cr = false;
	}
	/* tab, blank: behind the last one of the indent. */
	for (; i < end && byte_is_blank((unsigned char)line.ptr[i]); i++) {
		if (line.ptr[i] == '\t') {
			tab = i + 1;
			leading |= (rules & RULE_BEFORE_TAB) && blank != 0;
		} else {
			blank = i + 1;
			leading |= (rules & RULE_SPACES) && i + 1 - tab >= width;
		}
	}
	i = 0;
	if (leading) {
		i = (rules & RULE_SPACES) && blank > tab ? blank : tab;
		put_tabbed(line, i, width, &out);
	} else if ((rules & RULE_TABS) && tab != 0) {
		i = tab;
		put_untabbed(line, i, width, &out);
	}
	buf_put(&out, line.ptr + i, end - i);
	if (cr)
		buf_putc(&out, '\r');
	if (newline)
		buf_putc(&out, '\n');
	return buf_bytes(&out);
}
