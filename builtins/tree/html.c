/* SPDX-License-Identifier: MIT
 *
 * -H: the tree as a page with links. Names in links are below the base, whatever the root's own.
 */
#include "builtins/tree/tree.h"

static const char head[] =
	" <style type=\"text/css\">\n"
	"  BODY { font-family : monospace, sans-serif;  color: black;}\n"
	"  P { font-family : monospace, sans-serif; color: black; margin:0px; padding: 0px;}\n"
	"  A:visited { text-decoration : none; margin : 0px; padding : 0px;}\n"
	"  A:link    { text-decoration : none; margin : 0px; padding : 0px;}\n"
	"  A:hover   { text-decoration: underline; background-color : yellow; margin : 0px; "
	"padding : 0px;}\n"
	"  A:active  { margin : 0px; padding : 0px;}\n"
	"  .VERSION { font-size: small; font-family : arial, sans-serif; }\n"
	"  .NORM  { color: black;  }\n"
	"  .FIFO  { color: purple; }\n"
	"  .CHAR  { color: yellow; }\n"
	"  .DIR   { color: blue;   }\n"
	"  .BLOCK { color: yellow; }\n"
	"  .LINK  { color: aqua;   }\n"
	"  .SOCK  { color: fuchsia;}\n"
	"  .EXEC  { color: green;  }\n"
	" </style>\n</head>\n<body>\n";

/* --- names --- */

static void put_byte(struct cmd *c, char b, const char *other)
{
	switch (b) {
	case '<': cmd_puts(c, "&lt;"); break;
	case '>': cmd_puts(c, "&gt;"); break;
	case '&': cmd_puts(c, "&amp;"); break;
	case '"': cmd_puts(c, "&quot;"); break;
	case ' ': cmd_puts(c, other); break;
	default: cmd_putc(c, b);
	}
}

static void put_text(struct cmd *c, const char *s)
{
	for (; *s != '\0'; s++)
		put_byte(c, *s, " ");
}

static void put_url(struct cmd *c, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char b = (unsigned char)s.ptr[i];

		if (b <= ' ' || b >= 0x7f || strchr("\"#%+<>?[\\]^", b) != NULL)
			cmd_printf(c, "%%%02X", b);
		else
			put_byte(c, (char)b, " ");
	}
}

/* Links to devices are like files, and there are none that nothing is behind. */
static const char *class_of(const struct tree_node *n)
{
	uint32_t mode = n->link ? n->target_mode : n->st.mode;

	if (n->is_dir)
		return "DIR";
	switch (mode & S_FMT) {
	case S_FIFO: return "FIFO";
	case S_SOCK: return "SOCK";
	case S_CHR: return n->link ? "NORM" : "CHAR";
	case S_BLK: return n->link ? "NORM" : "BLOCK";
	case S_REG: return (mode & 0111) != 0 ? "EXEC" : "NORM";
	default: return "NORM";
	}
}

void tree_put_html(struct tree *t, const struct tree_node *n, const char *path)
{
	const char *base = t->o->html;
	struct cmd *c = t->c;
	bool root = n == t->root;
	size_t base_len = strlen(base);

	base_len -= base_len > 1 && base[base_len - 1] == '/';
	base = arena_dup(c->arena, (struct bytes){ base, base_len });
	for (const char *s = tree_details(t, n); *s != '\0'; s++)
		put_byte(c, *s, s[1] == '\0' || strcmp(s, "  ") == 0 ? "&nbsp;&nbsp;" : "&nbsp;");
	cmd_puts(c, "<a");
	if (t->colors != NULL)
		cmd_printf(c, " class=\"%s\"", class_of(n));
	if (!t->o->no_links && (!root || n->st.mode != 0)) {
		const char *below = path + t->root_len;
		const char *slash = root ? NULL : strrchr(below, '/');

		cmd_printf(c, " href=\"%s", base);
		if (!root) {
			put_url(c, (struct bytes){ below,
						   slash != NULL ? (size_t)(slash - below) : 0 });
			cmd_putc(c, '/');
			put_url(c, bytes_of(t->o->full_path ? path : n->name));
		}
		cmd_puts(c, n->is_dir || root ? "/\"" : "\"");
	}
	cmd_putc(c, '>');
	put_text(c, root ? base : t->o->full_path ? path : n->name);
	cmd_puts(c, "</a>");
	if (n->note != NULL)
		cmd_printf(c, "  [%s]", n->note);
	cmd_puts(c, "<br>\n");
}

/* --- around the tree --- */

/* A file that is not there is an empty one, as the real tree has it. */
static void put_file(struct tree *t, const char *path)
{
	struct vfs_stat st;
	struct bytes text;

	if (cmd_stat(t->c, path, &st) == 0 && (st.mode & S_FMT) != S_DIR &&
	    cmd_read_all(t->c, path, &text) == 0)
		cmd_bytes(t->c, text);
}

static const char *copyright(const struct tree *t)
{
	return t->o->latin1 ? "&copy;" : t->o->ascii ? "(c)" : "©";
}

void tree_put_intro(struct tree *t)
{
	const char *title = t->o->title != NULL ? t->o->title : "Directory Tree";

	if (t->o->intro != NULL) {
		put_file(t, t->o->intro);
		return;
	}
	cmd_printf(t->c,
		   "<!DOCTYPE html>\n<html>\n<head>\n"
		   " <meta http-equiv=\"Content-Type\" content=\"text/html; charset=%s\">\n"
		   " <meta name=\"Author\" content=\"Made by 'tree'\">\n"
		   " <meta name=\"GENERATOR\" content=\"tree v2.1.0 %s 1996 - 2022 by Steve Baker, "
		   "Thomas Moore, Francesc Rocher, Florian Sesser, Kyosuke Tokoro\">\n"
		   " <title>%s</title>\n%s\t<h1>%s</h1><p>\n",
		   t->o->charset != NULL ? t->o->charset
		   : t->c->utf8          ? "UTF-8"
					 : "iso-8859-1",
		   copyright(t), title, head, title);
}

void tree_put_outro(struct tree *t)
{
	const char *mark = copyright(t);

	if (t->o->outro != NULL) {
		put_file(t, t->o->outro);
		return;
	}
	cmd_printf(t->c,
		   "\t<hr>\n\t<p class=\"VERSION\">\n"
		   "\t\t tree v2.1.0 %s 1996 - 2022 by Steve Baker and Thomas Moore <br>\n"
		   "\t\t HTML output hacked and copyleft %s 1998 by Francesc Rocher <br>\n"
		   "\t\t JSON output hacked and copyleft %s 2014 by Florian Sesser <br>\n"
		   "\t\t Charsets / OS/2 support %s 2001 by Kyosuke Tokoro\n"
		   "\t</p>\n</body>\n</html>\n",
		   mark, mark, mark, mark);
}
