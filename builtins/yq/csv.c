/* SPDX-License-Identifier: MIT
 *
 * CSV and TSV: a first row of names, then rows that become maps; and the reverse.
 */
#include "builtins/yq/yq.h"

/* --- writing --- */

static void put_cell(struct buf *out, struct bytes s, char separator)
{
	bool quote = s.len > 0 && (byte_is_space(s.ptr[0]) || bytes_is(s, "\\."));

	for (size_t i = 0; i < s.len; i++)
		quote |= s.ptr[i] == separator || s.ptr[i] == '"' || s.ptr[i] == '\n' ||
			 s.ptr[i] == '\r';
	if (!quote) {
		buf_add(out, s);
		return;
	}
	buf_putc(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"')
			buf_putc(out, '"');
		buf_putc(out, s.ptr[i]);
	}
	buf_putc(out, '"');
}

static void put_row(struct yq *y, struct buf *out, struct yaml_node *row, char separator)
{
	for (uint32_t i = 0; i < row->n; i++) {
		struct yaml_node *cell = yq_real_node(y, row->items[i]);

		cmd_charge(y->c, 1 + cell->value.len / 16);
		if (cell->kind != YAML_SCALAR)
			yq_fatal(y,
				 "csv encoding only works for arrays of scalars (string/numbers/"
				 "booleans), child[%u] is a %.*s",
				 i, (int)cell->tag.len, cell->tag.ptr);
		if (i > 0)
			buf_putc(out, separator);
		put_cell(out, yaml_is(cell, "!!null") ? BYTES("") : cell->value, separator);
	}
	buf_putc(out, '\n');
}

/* The names of the first map are the columns. */
static void put_maps(struct yq *y, struct buf *out, struct yaml_node *n, char separator)
{
	struct yaml_node *first = yq_real_node(y, n->items[0]);
	struct yaml_node *head = yq_seq(y);

	for (uint32_t k = 0; k < first->n; k += 2)
		yaml_push(y->a, head, yq_text(y, first->items[k]->value));
	put_row(y, out, head, separator);
	for (uint32_t i = 0; i < n->n; i++) {
		struct yaml_node *map = yq_real_node(y, n->items[i]);
		struct yaml_node *row = yq_seq(y);

		if (map->kind != YAML_MAP)
			yq_fatal(
				y,
				"csv object encoding only works for arrays of flat objects (string "
				"key => string/numbers/boolean value), child[%u] is a %.*s",
				i, (int)map->tag.len, map->tag.ptr);
		for (uint32_t k = 0; k < head->n; k++) {
			struct yaml_node *v = yq_get_own(map, head->items[k]->value);

			cmd_charge(y->c, map->n / 8 + 1);
			yaml_push(y->a, row, v != NULL ? yq_copy(y, v) : yq_null(y));
		}
		put_row(y, out, row, separator);
	}
}

void yq_write_csv(struct yq *y, struct buf *out, struct yaml_node *n, char separator)
{
	n = yq_real_node(y, n);
	if (n->kind == YAML_SCALAR) {
		cmd_charge_bytes(y->c, n->value.len);
		buf_add(out, n->value);
		buf_putc(out, '\n');
		return;
	}
	if (n->kind == YAML_MAP)
		yq_fatal(y, "csv encoding only works for arrays, got: %.*s", (int)n->tag.len,
			 n->tag.ptr);
	if (n->n == 0)
		return;
	enum yaml_kind first = yq_real_node(y, n->items[0])->kind;

	if (first == YAML_SCALAR) {
		put_row(y, out, n, separator);
	} else if (first == YAML_MAP) {
		put_maps(y, out, n, separator);
	} else {
		for (uint32_t i = 0; i < n->n; i++) {
			struct yaml_node *row = yq_real_node(y, n->items[i]);

			if (row->kind != YAML_SEQ)
				yq_fatal(y, "csv encoding only works for arrays of arrays");
			put_row(y, out, row, separator);
		}
	}
}

/* --- reading --- */

/* A cell from *at on; *at comes to the separator or the line's end. */
static struct bytes read_cell(struct yq *y, struct bytes s, size_t *at, char separator)
{
	struct buf b = buf_in(y->a);
	size_t i = *at;

	if (i < s.len && s.ptr[i] == '"') {
		for (i++; i < s.len; i++) {
			if (s.ptr[i] == '"' && !(i + 1 < s.len && s.ptr[i + 1] == '"'))
				break;
			i += s.ptr[i] == '"';
			buf_putc(&b, s.ptr[i]);
		}
		i += i < s.len;
	}
	while (i < s.len && s.ptr[i] != separator && s.ptr[i] != '\n') {
		if (s.ptr[i] != '\r' || (i + 1 < s.len && s.ptr[i + 1] != '\n'))
			buf_putc(&b, s.ptr[i]);
		i++;
	}
	*at = i;
	return buf_bytes(&b);
}

/* The next row in a list; NULL at the end. Empty lines are skipped. */
static struct yaml_node *read_row(struct yq *y, struct bytes s, size_t *at, char separator)
{
	struct yaml_node *row = yq_seq(y);

	while (*at < s.len && (s.ptr[*at] == '\n' || s.ptr[*at] == '\r'))
		++*at;
	if (*at >= s.len)
		return NULL;
	for (;;) {
		struct bytes cell = read_cell(y, s, at, separator);

		cmd_charge(y->c, 1);
		yaml_push(y->a, row, yaml_scalar(y->a, yaml_resolve(cell), cell));
		if (*at >= s.len || s.ptr[*at] == '\n')
			break;
		++*at;
	}
	*at += *at < s.len;
	return row;
}

struct yaml_node *yq_read_csv(struct yq *y, struct bytes s, char separator)
{
	struct yaml_node *out = yq_seq(y);
	struct yaml_node *row;
	size_t at = bytes_starts(s, BYTES("\xef\xbb\xbf")) ? 3 : 0;
	struct yaml_node *head = read_row(y, s, &at, separator);

	while (head != NULL && (row = read_row(y, s, &at, separator)) != NULL) {
		struct yaml_node *map = yq_map(y);

		for (uint32_t i = 0; i < row->n && i < head->n; i++) {
			struct yaml_node *key = yq_text(y, head->items[i]->value);

			key->is_key = true;
			yaml_push(y->a, map, key);
			yaml_push(y->a, map, row->items[i]);
		}
		yaml_push(y->a, out, map);
	}
	if (out->n == 0)
		out->style = YAML_FLOW;
	return out;
}
