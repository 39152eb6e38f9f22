/* SPDX-License-Identifier: MIT
 *
 * The tree as JSON and as XML.
 */
#include "builtins/tree/tree.h"

/* --- JSON --- */

static void put_json_text(struct cmd *c, const char *s)
{
	cmd_putc(c, '"');
	for (; *s != '\0'; s++) {
		unsigned char b = (unsigned char)*s;

		if (b == '"' || b == '\\')
			cmd_printf(c, "\\%c", b);
		else if (b >= '\b' && b <= '\r' && b != '\v')
			cmd_printf(c, "\\%c", "btn?fr"[b - '\b']);
		else if (b < ' ')
			cmd_printf(c, "\\u00%02x", b);
		else
			cmd_putc(c, (char)b);
	}
	cmd_putc(c, '"');
}

/* Time of change as -D shows it, in the arena. */
static const char *time_text(struct tree *t, const struct tree_node *n)
{
	struct civil when;
	struct buf text = buf_in(t->c->arena);
	int64_t seconds = n->st.mtime_ns / 1000000000;
	bool recent = cmd_now(t->c) / 1000000000 - seconds < 15778476;
	const char *format = t->o->time_format != NULL ? t->o->time_format
			     : recent                  ? "%b %e %H:%M"
						       : "%b %e  %Y";

	time_civil(t->zone, seconds, &when);
	time_format(&text, bytes_of(format), &when, seconds, TIME_LIBC);
	return buf_cstr(&text);
}

/* ,"name":"text" or  name="text" */
static void put_word(struct tree *t, const char *name, const char *text, bool quoted)
{
	const char *quote = quoted || t->o->xml ? "\"" : "";

	cmd_printf(t->c, t->o->xml ? " %s=%s%s%s" : ",\"%s\":%s%s%s", name, quote, text, quote);
}

static void put_number(struct tree *t, const char *name, uint64_t value)
{
	char text[24];

	text[num_format_u64(value, text)] = '\0';
	put_word(t, name, text, false);
}

/* The same facts as in front of names. */
static void put_details(struct tree *t, const struct tree_node *n)
{
	const struct tree_opts *o = t->o;
	const char *user = o->users ? cmd_user_name(t->c, n->st.uid) : NULL;
	const char *group = o->groups ? cmd_group_name(t->c, n->st.gid) : NULL;
	struct buf octal = buf_in(t->c->arena);
	char mode[11];

	if (o->inodes)
		put_number(t, "inode", n->st.ino);
	if (o->devices)
		put_number(t, "dev", n->st.dev);
	if (o->modes) {
		mode_text(n->st.mode, mode);
		buf_printf(&octal, "%04o", n->st.mode & 07777);
		put_word(t, "mode", buf_cstr(&octal), true);
		put_word(t, "prot", mode, true);
	}
	if (o->users)
		put_word(t, "user", user != NULL ? user : "?", true);
	if (o->groups)
		put_word(t, "group", group != NULL ? group : "?", true);
	if (o->sizes)
		put_number(t, "size", n->size);
	if (o->dates)
		put_word(t, "time", time_text(t, n), true);
}

/* What both forms call a file. */
static const char *kind_of(const struct tree_node *n)
{
	if (n->link)
		return "link";
	switch (n->st.mode & S_FMT) {
	case S_DIR: return "directory";
	case S_LNK: return "link";
	case S_FIFO: return "fifo";
	case S_SOCK: return "socket";
	case S_CHR: return "char";
	case S_BLK: return "block";
	case S_REG: return "file";
	default: return "unknown";
	}
}

/* A directory of a list of paths of which nothing is shown. */
static bool is_hollow(const struct tree *t, const struct tree_node *n)
{
	return t->o->from_file && n->is_dir && !n->link && n->st.nlink > 0 && n->nchildren == 0;
}

static void count(struct tree *t, const struct tree_node *n, size_t level)
{
	if (level <= 1)
		return;
	if (n->is_dir)
		t->dirs++;
	else
		t->files++;
	t->bytes += n->size;
}

static void put_indent(struct tree *t, size_t level)
{
	for (size_t i = 0; i < level && !t->o->no_indent; i++)
		cmd_puts(t->c, "  ");
}

/* The real tree forgets what begins an operand that is not there. */
static bool is_there(const struct tree_writing *w)
{
	return w->level > 1 || w->n->st.mode != 0;
}

static int put_json_node(void *arg)
{
	struct tree_writing *w = arg;
	struct tree *t = w->t;
	const struct tree_node *n = w->n;
	const char *end = t->o->no_indent ? "" : "\n";

	if (is_there(w)) {
		put_indent(t, w->level);
		cmd_printf(t->c, "{\"type\":\"%s\"", kind_of(n));
	}
	cmd_puts(t->c, ",\"name\":");
	put_json_text(t->c, t->o->full_path ? w->path : n->name);
	if (n->link) {
		cmd_puts(t->c, ",\"target\":");
		put_json_text(t->c, n->target != NULL ? n->target : "");
	}
	put_details(t, n);
	if (n->note != NULL)
		cmd_printf(t->c, ",\"contents\":[{\"error\": \"%s\"}%s%s]}", n->note,
			   w->level == 1 ? end : "", t->o->no_indent ? "" : "\n  ");
	count(t, n, w->level);
	if (n->note != NULL || (n->nchildren == 0 && !is_hollow(t, n))) {
		cmd_puts(t->c, n->note != NULL ? "" : "}");
		return 0;
	}
	cmd_printf(t->c, ",\"contents\":[%s", end);
	for (size_t i = 0; i < n->nchildren; i++) {
		struct tree_writing inner = { t, n->child[i],
					      tree_join(t->c, w->path, "/", n->child[i]->name), "",
					      w->level + 1 };

		cmd_charge(t->c, 1);
		if (cmd_stack_left(t->c) < TREE_STACK_NEEDED)
			cmd_deepen(t->c, TREE_STACK_NEEDED, put_json_node, &inner);
		else
			put_json_node(&inner);
		cmd_printf(t->c, "%s%s", i + 1 < n->nchildren ? "," : "", end);
	}
	put_indent(t, w->level);
	cmd_puts(t->c, "]}");
	return 0;
}

void tree_put_json(struct tree *t, const struct tree_node *root)
{
	struct tree_writing w = { t, root, root->name, "", 1 };

	put_json_node(&w);
}

/* --- XML --- */

static void put_xml_text(struct cmd *c, const char *s)
{
	for (; *s != '\0'; s++) {
		const char *entity = *s == '&'   ? "&amp;"
				     : *s == '<' ? "&lt;"
				     : *s == '>' ? "&gt;"
				     : *s == '"' ? "&quot;"
						 : NULL;

		if (entity != NULL)
			cmd_puts(c, entity);
		else
			cmd_putc(c, *s);
	}
}

static int put_xml_node(void *arg)
{
	struct tree_writing *w = arg;
	struct tree *t = w->t;
	const struct tree_node *n = w->n;
	const char *kind = kind_of(n);
	const char *end = t->o->no_indent ? "" : "\n";

	if (is_there(w)) {
		put_indent(t, w->level);
		cmd_printf(t->c, "<%s", kind);
	}
	cmd_puts(t->c, " name=\"");
	put_xml_text(t->c, t->o->full_path ? w->path : n->name);
	cmd_putc(t->c, '"');
	if (n->link && n->target != NULL) {
		cmd_puts(t->c, " target=\"");
		put_xml_text(t->c, n->target);
		cmd_putc(t->c, '"');
	}
	put_details(t, n);
	cmd_putc(t->c, '>');
	count(t, n, w->level);
	if (n->note != NULL)
		cmd_printf(t->c, "<error>%s</error>", n->note);
	/* A root that says nothing but an error still ends on a line of its own. */
	if (n->nchildren > 0 || (w->level == 1 && n->is_dir) ||
	    (n->note != NULL && w->level == 1) || is_hollow(t, n)) {
		cmd_putc(t->c, '\n');
		for (size_t i = 0; i < n->nchildren; i++) {
			bool slash = bytes_ends(bytes_of(w->path), BYTES("/"));
			struct tree_writing inner = { t, n->child[i],
						      tree_join(t->c, w->path, slash ? "" : "/",
								n->child[i]->name),
						      "", w->level + 1 };

			cmd_charge(t->c, 1);
			if (cmd_stack_left(t->c) < TREE_STACK_NEEDED)
				cmd_deepen(t->c, TREE_STACK_NEEDED, put_xml_node, &inner);
			else
				put_xml_node(&inner);
		}
		put_indent(t, w->level);
	}
	cmd_printf(t->c, "</%s>%s", kind, end);
	return 0;
}

void tree_put_xml(struct tree *t, const struct tree_node *root)
{
	struct tree_writing w = { t, root, root->name, "", 1 };

	put_xml_node(&w);
}
