/* SPDX-License-Identifier: MIT
 *
 * Results: what stands between documents, how scalars are unwrapped, files of --split-exp.
 */
#include "builtins/yq/yq.h"

/* --pretty-print: no styles, but for words that older readers take for booleans. */
static bool is_old_bool(struct bytes s)
{
	static const char *const words[] = { "y", "yes", "n", "no", "on", "off" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t k = 0;

		while (k < s.len && words[i][k] != '\0' && byte_to_lower(s.ptr[k]) == words[i][k])
			k++;
		if (k == s.len && words[i][k] == '\0')
			return true;
	}
	return false;
}

static void strip_styles(struct yq *y, struct yaml_node *n)
{
	cmd_charge(y->c, 1);
	if (n->kind != YAML_SCALAR || !yaml_is(n, "!!str") || !is_old_bool(n->value))
		n->style = YAML_PLAIN;
	n->tagged = n->tagged && !bytes_starts(n->tag, BYTES("!!"));
	for (uint32_t i = 0; i < n->n; i++)
		strip_styles(y, n->items[i]);
}

static bool unwraps(const struct yq *y)
{
	if (y->o.raw_set)
		return y->o.raw;
	return y->o.out_format == YQ_YAML || y->o.out_format == YQ_PROPS;
}

static void put_yaml(struct yq *y, struct buf *b, struct yaml_node *n)
{
	if (n->kind == YAML_SCALAR && n->value.len == 0 && yaml_is(n, "!!null") &&
	    n->head.len > 0) {
		buf_add(b, n->head);
		buf_putc(b, '\n');
	} else if (n->line == 0 && n->value.len == 0 && yaml_is(n, "!!null")) {
		return; /* of an empty file */
	} else if (n->kind == YAML_SCALAR && unwraps(y)) {
		buf_add(b, n->value);
		buf_putc(b, '\n');
	} else {
		yq_write(y, b, n, YQ_YAML, y->o.indent);
	}
}

static bool same_document(const struct yq *y, const struct yq_source *s)
{
	return s->doc == y->last_doc && s->file == y->last_file;
}

/* A result's text. An alias' own text names what stands elsewhere: it is kept. */
static void put_result(struct yq *y, struct buf *b, struct yaml_node *n)
{
	const struct yq_source *s = &y->sources[n->source];
	bool head = n->parent == NULL && !n->is_key;
	struct yaml_node shown = *n;

	/* A part of a document is shown without the comments around it. */
	if (!head) {
		shown.head = shown.foot = BYTES("");
		if (shown.kind != YAML_SCALAR)
			shown.tail = BYTES("");
	}
	if (y->o.pretty) {
		n = yq_copy(y, &shown);
		strip_styles(y, n);
		shown = *n;
	}
	if (y->o.out_format == YQ_YAML && y->printed && !y->o.no_separators && !y->o.nul &&
	    y->o.split == NULL && !same_document(y, s))
		buf_puts(b, "---\n");
	y->last_doc = s->doc;
	y->last_file = s->file;
	y->printed = true;
	if (y->o.out_format == YQ_YAML) {
		put_yaml(y, b, &shown);
	} else if (shown.kind == YAML_SCALAR && y->o.out_format == YQ_JSON && unwraps(y) &&
		   yaml_is(&shown, "!!str")) {
		buf_add(b, shown.value);
		buf_putc(b, '\n');
	} else {
		yq_write(y, b, &shown, (enum yq_format)y->o.out_format, y->o.indent);
		if (b->len == 0 || b->ptr[b->len - 1] != '\n')
			buf_putc(b, '\n');
	}
}

static const char *extension(const struct yq *y)
{
	switch (y->o.out_format) {
	case YQ_JSON: return "json";
	case YQ_XML: return "xml";
	case YQ_PROPS: return "properties";
	case YQ_CSV: return "csv";
	case YQ_TSV: return "tsv";
	case YQ_TOML: return "toml";
	default: return "yml";
	}
}

/* --split-exp: a file of its own for each result. */
static void write_file(struct yq *y, struct yaml_node *n, struct bytes text)
{
	struct yq_expr *e = yq_parse(y, bytes_of(y->o.split));
	struct yq_vars index = { NULL, BYTES("index"),
				 yq_list_of(y, yq_number(y, (int64_t)y->split_count++)) };
	struct yaml_node *name;
	struct buf path = buf_in(y->a);
	struct output file;
	int err;

	if (e == NULL)
		yq_fatal(y, "bad split document expression: %s", y->error);
	name = yq_first(y, e, n, &index);
	if (name == NULL || name->value.len == 0)
		yq_fatal(y, "split expression gave no file name");
	buf_add(&path, name->value);
	if (strrchr(buf_cstr(&path), '.') == NULL)
		buf_printf(&path, ".%s", extension(y));
	err = output_open(&file, y->c, buf_cstr(&path), O_TRUNC_, true);
	if (err < 0)
		yq_fatal(y, "open %s: %s", buf_cstr(&path), yq_error_text(y, err));
	output_write(&file, text.ptr, text.len);
	err = output_close(&file);
	if (err < 0)
		yq_fatal(y, "write %s: %s", buf_cstr(&path), yq_error_text(y, err));
}

void yq_print(struct yq *y, struct yaml_node *n)
{
	struct buf b = buf_in(y->a);

	y->truth |= yq_truth(n);
	put_result(y, &b, n);
	if (y->o.nul) {
		if (b.len > 0 && b.ptr[b.len - 1] == '\n')
			b.len--;
		if (memchr(b.ptr, '\0', b.len) != NULL)
			yq_fatal(y,
				 "can't serialize value because it contains NUL char and you are "
				 "using NUL separator");
		buf_putc(&b, '\0');
	}
	cmd_charge_bytes(y->c, b.len);
	if (y->o.split != NULL)
		write_file(y, n, buf_bytes(&b));
	else if (y->in_place != NULL)
		buf_add(y->in_place, buf_bytes(&b));
	else
		cmd_bytes(y->c, buf_bytes(&b));
	if (y->o.unbuffered)
		cmd_flush(y->c);
}
