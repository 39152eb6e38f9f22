/* SPDX-License-Identifier: MIT
 *
 * What nodes are beside their values: tags, kinds, styles, comments, anchors, places. Each can
 * be asked for (tag) and, most of them, assigned (tag = "!!str").
 */
#include "builtins/yq/yq.h"

#define HANDLER(name)                                                                              \
	static struct yq_list name(struct yq *y, const struct yq_expr *e, struct yq_list in,       \
				   const struct yq_vars *vars)

enum attribute {
	STYLE = 100, /* those from 100 on can be assigned: parse.c */
	TAG,
	LINE_COMMENT,
	HEAD_COMMENT,
	FOOT_COMMENT,
	COMMENTS,
	ANCHOR,
	ALIAS,
	KIND = 1,
	LINE,
	COLUMN,
};

static const char *const style_names[] = { "", "single", "double", "literal", "folded", "flow" };

/* Without the '#' of each line. */
static struct bytes without_marks(struct yq *y, struct bytes comment)
{
	struct buf b = buf_in(y->a);

	for (size_t at = 0; at < comment.len;) {
		const char *nl = memchr(comment.ptr + at, '\n', comment.len - at);
		size_t end = nl != NULL ? (size_t)(nl - comment.ptr) : comment.len;
		struct bytes line = bytes_slice(comment, at, end);

		at = end + 1;
		if (bytes_is(line, "---"))
			continue;
		if (b.len > 0)
			buf_putc(&b, '\n');
		if (bytes_starts(line, BYTES("# ")))
			line = bytes_slice(line, 2, line.len);
		else if (bytes_starts(line, BYTES("#")))
			line = bytes_slice(line, 1, line.len);
		buf_add(&b, line);
	}
	while (b.len > 0 && b.ptr[b.len - 1] == '\n')
		b.len--;
	return buf_bytes(&b);
}

static struct bytes with_marks(struct yq *y, struct bytes text)
{
	struct buf b = buf_in(y->a);

	if (text.len == 0)
		return BYTES("");
	for (size_t i = 0; i < text.len; i++) {
		if ((i == 0 || text.ptr[i - 1] == '\n') && text.ptr[i] != '#')
			buf_puts(&b, text.ptr[i] == '\n' ? "#" : "# ");
		buf_putc(&b, text.ptr[i]);
	}
	return buf_bytes(&b);
}

static struct yaml_node *ask(struct yq *y, struct yaml_node *n, int what)
{
	switch (what) {
	case STYLE:
		if (n->style == YAML_PLAIN && n->tagged)
			return yq_text(y, BYTES("tagged"));
		return yq_text(y, bytes_of(n->kind == YAML_ALIAS ? "" : style_names[n->style]));
	case TAG: return yq_text(y, yq_real_node(y, n)->tag);
	case LINE_COMMENT: return yq_text(y, without_marks(y, n->tail));
	case HEAD_COMMENT: return yq_text(y, without_marks(y, n->head));
	case FOOT_COMMENT: return yq_text(y, without_marks(y, n->foot));
	case ANCHOR: return yq_text(y, n->anchor);
	case ALIAS: return yq_text(y, n->kind == YAML_ALIAS ? n->value : BYTES(""));
	case KIND: return yq_text(y, bytes_of(yq_kind_name(n)));
	case LINE: return yq_number(y, n->line);
	default: return yq_number(y, n->column);
	}
}

static void set_style(struct yq *y, struct yaml_node *n, struct bytes name)
{
	if (bytes_is(name, "tagged")) {
		n->tagged = true;
		return;
	}
	for (size_t i = 0; i < sizeof(style_names) / sizeof(style_names[0]); i++)
		if (bytes_is(name, style_names[i])) {
			n->style = (uint8_t)i;
			n->tagged = false;
			return;
		}
	yq_fatal(y, "unknown style %.*s", (int)name.len, name.ptr);
}

static void set_tag(struct yaml_node *n, struct bytes tag)
{
	n->tag = tag;
	n->tagged = !bytes_starts(tag, BYTES("!!"));
	if (n->kind == YAML_SCALAR && bytes_is(tag, "!!str") && n->style == YAML_PLAIN &&
	    !bytes_is(yaml_resolve(n->value), "!!str"))
		n->style = YAML_DOUBLE;
	else if (n->kind == YAML_SCALAR && bytes_eq(yaml_resolve(n->value), tag))
		n->style = YAML_PLAIN;
}

/* The anchor's node is looked for in the document that n is in. */
static struct yaml_node *find_anchor(struct yq *y, struct yaml_node *n, struct bytes name)
{
	struct yaml_node *found = NULL;

	cmd_charge(y->c, 1);
	if (n->kind != YAML_ALIAS && bytes_eq(n->anchor, name))
		return n;
	for (uint32_t i = 0; i < n->n && found == NULL; i++)
		found = find_anchor(y, n->items[i], name);
	return found;
}

static void set_alias(struct yq *y, struct yaml_node *n, struct bytes name)
{
	struct yaml_node *root = n;

	if (name.len == 0)
		return;
	while (root->parent != NULL)
		root = root->parent;
	n->kind = YAML_ALIAS;
	n->value = name;
	n->style = YAML_PLAIN;
	n->tagged = false;
	n->anchor = BYTES("");
	n->n = 0;
	n->target = find_anchor(y, root, name);
	for (struct yaml_node *up = n; up != NULL; up = up->parent)
		if (up == n->target)
			yq_fatal(y, "alias '%.*s' would hold itself", (int)name.len, name.ptr);
}

static void assign(struct yq *y, struct yaml_node *n, int what, struct bytes value)
{
	switch (what) {
	case STYLE: set_style(y, n, value); break;
	case TAG: set_tag(n, value); break;
	case LINE_COMMENT: n->tail = with_marks(y, value); break;
	case HEAD_COMMENT: n->head = with_marks(y, value); break;
	case FOOT_COMMENT: n->foot = with_marks(y, value); break;
	case COMMENTS: n->tail = n->head = n->foot = with_marks(y, value); break;
	case ANCHOR: n->anchor = value; break;
	default: set_alias(y, n, value); break;
	}
}

HANDLER(fn_attribute)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	if (e->op == YQ_ASSIGN_ATTRIBUTE) {
		assign(y, in.items[0], e->fn->arg, in.items[1]->value);
		return in;
	}
	if (e->fn->arg == COMMENTS)
		yq_fatal(y, "comments can only be assigned: comments=\"\"");
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, ask(y, in.items[i], e->fn->arg));
	return out;
}

const struct yq_fn yq_fns_meta[] = {
	{ "style", 0, 0, fn_attribute, STYLE },
	{ "tag", 0, 0, fn_attribute, TAG },
	{ "type", 0, 0, fn_attribute, TAG },
	{ "line_comment", 0, 0, fn_attribute, LINE_COMMENT },
	{ "lineComment", 0, 0, fn_attribute, LINE_COMMENT },
	{ "head_comment", 0, 0, fn_attribute, HEAD_COMMENT },
	{ "headComment", 0, 0, fn_attribute, HEAD_COMMENT },
	{ "foot_comment", 0, 0, fn_attribute, FOOT_COMMENT },
	{ "footComment", 0, 0, fn_attribute, FOOT_COMMENT },
	{ "comments", 0, 0, fn_attribute, COMMENTS },
	{ "anchor", 0, 0, fn_attribute, ANCHOR },
	{ "alias", 0, 0, fn_attribute, ALIAS },
	{ "kind", 0, 0, fn_attribute, KIND },
	{ "line", 0, 0, fn_attribute, LINE },
	{ "column", 0, 0, fn_attribute, COLUMN },
	{ NULL, 0, 0, NULL, 0 },
};
