/* SPDX-License-Identifier: MIT
 *
 * html-to-markdown - pages of HTML as Markdown.
 */
#include "builtins/html/html.h"

static const struct opt_word heading_words[] = { { "atx", 0 }, { "setext", 1 }, { NULL, 0 } };

struct page_opts {
	struct markdown_opts m;
	int heading;
};

static const struct opt page_options[] = {
	OPT_STR('b', "bullet", struct page_opts, m.bullet, "-", "CHAR", "-, + or *, before items"),
	OPT_STR('c', "code", struct page_opts, m.fence, "```", "FENCE", "``` or ~~~, around code"),
	OPT_STR('r', "hr", struct page_opts, m.rule, "---", "TEXT", "what a rule is"),
	OPT_ENUM(0, "heading-style", struct page_opts, heading, heading_words, "STYLE",
		 "atx: # before headings (default); setext: a line below"),
	OPT_END(),
};

static int page_run(struct cmd *c)
{
	struct page_opts *o = c->opts;
	struct buf out = buf_in(c->arena);
	struct bytes text;
	int status = cmd_operands(c, 0, 1);

	if (status != 0)
		return status;
	if (strlen(o->m.bullet) != 1 || strchr("-+*", o->m.bullet[0]) == NULL)
		return cmd_usage(c, "invalid bullet %s", cmd_quote(c, o->m.bullet));
	if (strcmp(o->m.fence, "```") != 0 && strcmp(o->m.fence, "~~~") != 0)
		return cmd_usage(c, "invalid fence %s", cmd_quote(c, o->m.fence));
	o->m.setext = o->heading == 1;
	int err = cmd_read_all(c, c->files[0], &text);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quote_input(c, c->files[0]));
	html_to_markdown(c, &o->m, html_parse(c, text), &out);
	cmd_bytes(c, buf_bytes(&out));
	if (out.len > 0)
		cmd_putc(c, '\n');
	return 0;
}

const struct builtin builtin_html_to_markdown = {
	.name = "html-to-markdown",
	.usage = "[OPTION]... [FILE]",
	.summary = "Writes a page of HTML, FILE or standard input, as Markdown: headings,\n"
		   "paragraphs, lists, links, images, code, quotes, tables. Scripts and styles\n"
		   "are left out.",
	.run = page_run,
	.opts = page_options,
	.opts_size = sizeof(struct page_opts),
	.family = "cowsh",
};
