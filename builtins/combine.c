/* SPDX-License-Identifier: MIT
 *
 * combine - the lines of two files joined by and, not, or, xor.
 *
 * Both files are read; of each a table of its lines is made, in which the other's are looked up.
 */
#include "builtins/builtin.h"

struct lines {
	struct bytes *line;
	size_t n;
	size_t *slot; /* number + 1 of a line by its hash; 0: free */
	size_t nslots;
};

enum operation { OP_AND, OP_NOT, OP_OR, OP_XOR };

static void read_lines(struct cmd *c, const char *path, struct lines *out)
{
	struct buf list = buf_in(c->arena);
	struct bytes all;
	int err = cmd_read_all(c, path, &all);

	if (err < 0) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "%s: %s\n", path, err_text(err));
		cmd_err_write(c, text.ptr, text.len);
		cmd_exit(c, 2);
	}
	all = arena_bytes(c->arena, all);
	while (all.len > 0) {
		const char *end = memchr(all.ptr, '\n', all.len);
		struct bytes line = bytes_slice(all, 0,
						end != NULL ? (size_t)(end - all.ptr) : all.len);

		buf_put(&list, &line, sizeof line);
		all = bytes_slice(all, line.len + (end != NULL), all.len);
		cmd_charge_bytes(c, line.len);
	}
	out->line = (void *)list.ptr;
	out->n = list.len / sizeof(struct bytes);
}

/* The slot of a line, or the free one where it would be. */
static size_t *find(const struct lines *l, struct bytes line)
{
	size_t at = (size_t)bytes_hash(line) & (l->nslots - 1);

	while (l->slot[at] != 0 && !bytes_eq(l->line[l->slot[at] - 1], line))
		at = (at + 1) & (l->nslots - 1);
	return &l->slot[at];
}

static void index_lines(struct cmd *c, struct lines *l)
{
	l->nslots = 16;
	while (l->nslots < l->n * 2)
		l->nslots *= 2;
	l->slot = arena_array(c->arena, l->nslots, sizeof *l->slot);
	for (size_t i = 0; i < l->n; i++) {
		*find(l, l->line[i]) = i + 1;
		cmd_charge(c, 1);
	}
}

/* The lines of one that the other has, or has not. */
static void put_lines(struct cmd *c, const struct lines *l, const struct lines *other, bool wanted)
{
	for (size_t i = 0; i < l->n; i++) {
		cmd_charge(c, 1);
		if (other != NULL && (*find(other, l->line[i]) != 0) != wanted)
			continue;
		cmd_bytes(c, l->line[i]);
		cmd_putc(c, '\n');
	}
}

static int parse_operation(struct cmd *c, const char *word)
{
	static const char *const names[] = { "and", "not", "or", "xor" };
	struct buf text = buf_in(c->arena);

	for (int i = 0; i < 4; i++) {
		size_t k = 0;

		while (word[k] != '\0' && byte_to_lower(word[k]) == names[i][k])
			k++;
		if (word[k] == '\0' && names[i][k] == '\0')
			return i;
	}
	buf_printf(&text, "unknown operation, %s\n", word);
	cmd_err_write(c, text.ptr, text.len);
	cmd_exit(c, 255);
}

static int combine_run(struct cmd *c)
{
	struct lines a;
	struct lines b;

	if (c->nargs != 3)
		return cmd_usage(c, "two files and an operation between them are needed");
	int operation = parse_operation(c, c->args[1]);

	read_lines(c, c->args[0], &a);
	read_lines(c, c->args[2], &b);
	index_lines(c, &a);
	index_lines(c, &b);
	put_lines(c, &a, operation == OP_OR ? NULL : &b, operation == OP_AND);
	if (operation == OP_OR || operation == OP_XOR)
		put_lines(c, &b, operation == OP_OR ? NULL : &a, false);
	return 0;
}

const struct builtin builtin_combine = {
	.name = "combine",
	.usage = "FILE1 OPERATION FILE2",
	.summary = "Writes the lines of FILE1 that are also in FILE2 (and), that are not (not),\n"
		   "those of both (or), those that are in one only (xor).",
	.run = combine_run,
	.usage_status = 255,
	.family = "moreutils 0.67",
};
