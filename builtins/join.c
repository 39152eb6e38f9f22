/* SPDX-License-Identifier: MIT
 *
 * join - join the lines of two sorted files that have a field in common.
 *
 * All lines of one key are collected from both files (a group each) and crossed. Lines keep
 * their bytes in the pool; fields are spans found once.
 */
#include "builtins/builtin.h"

enum order { ORDER_DEFAULT, ORDER_CHECK, ORDER_IGNORE };

struct record {
	char *ptr;
	size_t cap;
	size_t len;
	struct bytes *field;
	size_t nfields;
	size_t field_cap;
	struct bytes key;
};

/* Lines with one key; the record behind them is the next line read. */
struct group {
	struct record **record;
	size_t n;
	size_t cap;
};

struct side {
	struct input in;
	const char *path;
	uint64_t field; /* counted from 0; UINT64_MAX: not given */
	struct group group;
	struct record *next; /* the line read ahead; NULL: the end */
	struct record *spare;
	struct record *last; /* the line before: for checking the order */
	uint64_t line;
	bool warned;
};

struct place {
	int file; /* 0: the key */
	uint64_t field;
};

struct join_opts {
	bool unpaired[2];
	bool only_unpaired;
	const char *empty;
	bool fold;
	int order;
	bool header;
	bool zero;
	const char *tab;
	bool auto_format;
	struct place *place;
	size_t nplaces;
	uint64_t auto_count[2];
	struct side side[2];
	bool seen_unpaired;
	char end;
};

static void set_join_field(struct cmd *c, uint64_t *field, uint64_t value)
{
	if (*field != UINT64_MAX && *field != value)
		cmd_fatal(c, 0, "incompatible join fields %llu, %llu",
			  (unsigned long long)*field + 1, (unsigned long long)value + 1);
	*field = value;
}

static uint64_t field_number(struct cmd *c, const char *text)
{
	uint64_t value;
	int err = num_parse_u64(text, "", &value);

	if ((err != 0 && err != -E_OVERFLOW) || value == 0)
		cmd_fatal(c, 0, "invalid field number: %s", cmd_quote(c, text));
	return value - 1;
}

static int set_field(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct join_opts *o = c->opts;
	uint64_t field = field_number(c, arg);

	if (opt->letter != '2')
		set_join_field(c, &o->side[0].field, field);
	if (opt->letter != '1')
		set_join_field(c, &o->side[1].field, field);
	return 0;
}

static int set_unpaired(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct join_opts *o = c->opts;
	uint64_t number = 0;

	if (num_parse_u64(arg, "", &number) != 0 || number < 1 || number > 2)
		return cmd_error(c, 0, "invalid field number: %s", cmd_quote(c, arg));
	o->unpaired[number - 1] = true;
	o->only_unpaired |= opt->letter == 'v';
	return 0;
}

static int set_empty(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct join_opts *o = c->opts;

	(void)opt;
	if (o->empty != NULL && strcmp(o->empty, arg) != 0)
		return cmd_error(c, 0, "conflicting empty-field replacement strings");
	o->empty = arg;
	return 0;
}

static int set_tab(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct join_opts *o = c->opts;
	const char *tab = arg[0] == '\0' ? "\n" : strcmp(arg, "\\0") == 0 ? "" : arg;

	(void)opt;
	if (tab[0] != '\0' && tab[1] != '\0')
		return cmd_error(c, 0, "multi-character tab %s", cmd_quote(c, arg));
	if (o->tab != NULL && o->tab[0] != tab[0])
		return cmd_error(c, 0, "incompatible tabs");
	o->tab = tab;
	return 0;
}

static struct place parse_place(struct cmd *c, const char *text)
{
	switch (text[0]) {
	case '0':
		if (text[1] != '\0')
			cmd_fatal(c, 0, "invalid field specifier: %s", cmd_quote(c, text));
		return (struct place){ 0, 0 };
	case '1':
	case '2':
		if (text[1] != '.')
			cmd_fatal(c, 0, "invalid field specifier: %s", cmd_quote(c, text));
		return (struct place){ text[0] - '0', field_number(c, text + 2) };
	default: cmd_fatal(c, 0, "invalid file number in field spec: %s", cmd_quote(c, text));
	}
}

/* FILE.FIELD and 0, separated by commas or blanks. */
static void add_places(struct cmd *c, struct join_opts *o, const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ", \t");
		char *word = arena_dup(c->arena, (struct bytes){ list, len });

		o->place = arena_room(c->arena, o->place, o->nplaces, sizeof(*o->place));
		o->place[o->nplaces++] = parse_place(c, word);
		if (list[len] == '\0')
			return;
		list += len + 1;
	}
}

static int set_format(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct join_opts *o = c->opts;

	(void)opt;
	if (strcmp(arg, "auto") == 0)
		o->auto_format = true;
	else
		add_places(c, o, arg);
	return 0;
}

static const struct opt join_options[] = {
	OPT_CALL_ARG('a', NULL, set_unpaired, "FILENUM", "also lines of that file without partner"),
	OPT_CALL_ARG('e', NULL, set_empty, "STRING", "what stands for missing fields"),
	OPT_FLAG('i', "ignore-case", struct join_opts, fold, "lower case counts as upper case"),
	OPT_CALL_ARG('j', NULL, set_field, "FIELD", "join on this field of both files"),
	OPT_CALL_ARG('o', NULL, set_format, "FORMAT", "FILENUM.FIELD or 0 (the key), ...; auto"),
	OPT_CALL_ARG('t', NULL, set_tab, "CHAR", "what separates fields"),
	OPT_CALL_ARG('v', NULL, set_unpaired, "FILENUM", "as -a, and no joined lines"),
	OPT_CALL_ARG('1', NULL, set_field, "FIELD", "join on this field of the first file"),
	OPT_CALL_ARG('2', NULL, set_field, "FIELD", "join on this field of the second file"),
	OPT_SET(0, "check-order", struct join_opts, order, ORDER_CHECK,
		"fail if a file is not sorted"),
	OPT_SET(0, "nocheck-order", struct join_opts, order, ORDER_IGNORE,
		"do not check that files are sorted"),
	OPT_FLAG(0, "header", struct join_opts, header, "the first lines are headings"),
	OPT_FLAG('z', "zero-terminated", struct join_opts, zero, "lines end with NUL"),
	OPT_END(),
};

/* --- lines --- */

static void add_field(struct cmd *c, struct record *r, const char *from, const char *to)
{
	if (r->nfields == r->field_cap) {
		size_t cap = r->field_cap * 2 + 8;

		r->field = pool_resize(c->pool, r->field, r->field_cap * sizeof(*r->field),
				       cap * sizeof(*r->field));
		r->field_cap = cap;
	}
	r->field[r->nfields++] = (struct bytes){ from, (size_t)(to - from) };
}

static void split_at(struct cmd *c, struct record *r, char tab)
{
	const char *at = r->ptr;
	const char *end = at + r->len;
	const char *hit;

	while ((hit = memchr(at, tab, (size_t)(end - at))) != NULL) {
		add_field(c, r, at, hit);
		at = hit + 1;
	}
	add_field(c, r, at, end);
}

static bool is_gap(char ch)
{
	return byte_is_blank(ch) || ch == '\n';
}

static void split_at_blanks(struct cmd *c, struct record *r)
{
	const char *at = r->ptr;
	const char *end = at + r->len;

	while (at < end && is_gap(*at))
		at++;
	if (at == end)
		return;
	for (;;) {
		const char *from = at;

		while (at < end && !is_gap(*at))
			at++;
		add_field(c, r, from, at);
		if (at == end)
			return;
		/* Blanks at the end have an empty field behind them, as in GNU join. */
		while (at < end && is_gap(*at))
			at++;
	}
}

static void set_record(struct cmd *c, const struct join_opts *o, struct record *r,
		       struct bytes line, uint64_t key)
{
	if (r->cap < line.len + 1) {
		size_t cap = line.len * 2 + 64;

		r->ptr = pool_resize(c->pool, r->ptr, r->cap, cap);
		r->cap = cap;
	}
	memcpy(r->ptr, line.ptr, line.len);
	r->len = line.len;
	r->nfields = 0;
	if (o->tab == NULL)
		split_at_blanks(c, r);
	else if (o->tab[0] == '\n')
		add_field(c, r, r->ptr, r->ptr + r->len);
	else if (r->len > 0)
		split_at(c, r, o->tab[0]);
	r->key = key < r->nfields ? r->field[key] : BYTES("");
}

static int compare(const struct join_opts *o, struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len;

	if (!o->fold)
		return bytes_cmp(a, b);
	for (size_t i = 0; i < len; i++) {
		int order = byte_to_upper((unsigned char)a.ptr[i]) -
			    byte_to_upper((unsigned char)b.ptr[i]);

		if (order != 0)
			return order;
	}
	return a.len < b.len ? -1 : a.len > b.len;
}

static void check_order(struct cmd *c, struct join_opts *o, struct side *s)
{
	if (o->order == ORDER_IGNORE || (o->order == ORDER_DEFAULT && !o->seen_unpaired) ||
	    s->warned || s->last == NULL || s->next == NULL)
		return;
	if (compare(o, s->last->key, s->next->key) <= 0)
		return;
	s->warned = true;
	int len = s->next->len < INT32_MAX ? (int)s->next->len : INT32_MAX;

	if (o->order == ORDER_CHECK)
		cmd_fatal(c, 0, "%s:%llu: is not sorted: %.*s", s->path,
			  (unsigned long long)s->line, len, s->next->ptr);
	cmd_error(c, 0, "%s:%llu: is not sorted: %.*s", s->path, (unsigned long long)s->line, len,
		  s->next->ptr);
}

static struct record *take_record(struct cmd *c, struct side *s)
{
	struct record *r = s->spare;

	s->spare = NULL;
	return r != NULL ? r : pool_zalloc(c->pool, sizeof(*r));
}

static void free_record(struct cmd *c, struct record *r)
{
	pool_free(c->pool, r->ptr, r->cap);
	pool_free(c->pool, r->field, r->field_cap * sizeof(*r->field));
	pool_free(c->pool, r, sizeof(*r));
}

static void drop_record(struct cmd *c, struct side *s, struct record *r)
{
	if (s->spare == NULL)
		s->spare = r;
	else
		free_record(c, r);
}

/* Reads the next line; `kept` is the line before, if it is still there. */
static void read_next(struct cmd *c, struct join_opts *o, struct side *s, struct record *kept)
{
	struct bytes line;
	int more = input_line(&s->in, o->end, &line);

	if (more < 0)
		cmd_fatal(c, more, "read error");
	s->last = kept;
	s->next = NULL;
	if (more == 0)
		return;
	s->line++;
	s->next = take_record(c, s);
	set_record(c, o, s->next, line, s->field);
	check_order(c, o, s);
	cmd_charge(c, 1);
}

static void clear_group(struct cmd *c, struct side *s)
{
	for (size_t i = 0; i < s->group.n; i++)
		drop_record(c, s, s->group.record[i]);
	s->group.n = 0;
}

/* Moves the next line to the group, and reads on. */
static void add_to_group(struct cmd *c, struct join_opts *o, struct side *s)
{
	struct group *g = &s->group;

	if (g->n == g->cap) {
		size_t cap = g->cap * 2 + 8;

		g->record = pool_resize(c->pool, g->record, g->cap * sizeof(g->record[0]),
					cap * sizeof(g->record[0]));
		g->cap = cap;
	}
	g->record[g->n++] = s->next;
	read_next(c, o, s, s->next);
}

static void take_group(struct cmd *c, struct join_opts *o, struct side *s)
{
	do
		add_to_group(c, o, s);
	while (s->next != NULL && compare(o, s->next->key, s->group.record[0]->key) == 0);
}

/* --- output --- */

static void put_field(struct cmd *c, const struct join_opts *o, const struct record *r, uint64_t n)
{
	if (r != NULL && n < r->nfields && r->field[n].len > 0)
		cmd_bytes(c, r->field[n]);
	else if (o->empty != NULL)
		cmd_puts(c, o->empty);
}

static void put_tab(struct cmd *c, const struct join_opts *o)
{
	cmd_putc(c, o->tab != NULL ? o->tab[0] : ' ');
}

static void put_others(struct cmd *c, const struct join_opts *o, const struct record *r, int side)
{
	uint64_t key = o->side[side].field;
	uint64_t n = o->auto_format ? o->auto_count[side] : r != NULL ? r->nfields : 0;

	for (uint64_t i = 0; i < n; i++) {
		if (i == key)
			continue;
		put_tab(c, o);
		put_field(c, o, r, i);
	}
}

static void put_joined(struct cmd *c, const struct join_opts *o, const struct record *a,
		       const struct record *b)
{
	const struct record *keyed = a != NULL ? a : b;
	uint64_t key = o->side[a != NULL ? 0 : 1].field;

	cmd_charge(c, 1);
	for (size_t i = 0; i < o->nplaces; i++) {
		const struct place *p = &o->place[i];

		if (i > 0)
			put_tab(c, o);
		if (p->file == 0)
			put_field(c, o, keyed, key);
		else
			put_field(c, o, p->file == 1 ? a : b, p->field);
	}
	if (o->nplaces == 0) {
		put_field(c, o, keyed, key);
		put_others(c, o, a, 0);
		put_others(c, o, b, 1);
	}
	cmd_putc(c, o->end);
}

static void put_cross(struct cmd *c, const struct join_opts *o)
{
	const struct group *a = &o->side[0].group;
	const struct group *b = &o->side[1].group;

	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			put_joined(c, o, a->record[i], b->record[k]);
}

static void put_alone(struct cmd *c, struct join_opts *o, int side)
{
	struct side *s = &o->side[side];
	struct record *r = s->next;

	if (o->unpaired[side])
		put_joined(c, o, side == 0 ? r : NULL, side == 0 ? NULL : r);
	/* The line is kept as the one before, for the order. */
	add_to_group(c, o, s);
	s->group.n = 0;
	if (s->next == NULL)
		return;
	drop_record(c, s, r);
	s->last = NULL;
}

static void join_lines(struct cmd *c, struct join_opts *o)
{
	struct side *a = &o->side[0];
	struct side *b = &o->side[1];

	while (a->next != NULL && b->next != NULL) {
		int order = compare(o, a->next->key, b->next->key);

		if (order != 0) {
			put_alone(c, o, order > 0);
			o->seen_unpaired = true;
			continue;
		}
		take_group(c, o, a);
		take_group(c, o, b);
		if (!o->only_unpaired)
			put_cross(c, o);
		clear_group(c, a);
		clear_group(c, b);
	}
	for (int i = 0; i < 2; i++) {
		bool check = o->order != ORDER_IGNORE && (!a->warned || !b->warned);

		if (!o->unpaired[i] && !check)
			continue;
		while (o->side[i].next != NULL)
			put_alone(c, o, i);
	}
}

static void join_headers(struct cmd *c, struct join_opts *o)
{
	struct record *a = o->side[0].next;
	struct record *b = o->side[1].next;

	if (a == NULL && b == NULL)
		return;
	put_joined(c, o, a, b);
	for (int i = 0; i < 2; i++)
		if (o->side[i].next != NULL)
			read_next(c, o, &o->side[i], NULL);
}

static void open_sides(struct cmd *c, struct join_opts *o)
{
	for (int i = 0; i < 2; i++) {
		struct side *s = &o->side[i];
		int err;

		s->path = c->args[i];
		if (s->field == UINT64_MAX)
			s->field = 0;
		err = input_open(&s->in, c, s->path);
		if (err < 0)
			cmd_fatal(c, err, "%s", cmd_quotef(c, s->path));
	}
	if (o->side[0].in.is_stdin && o->side[1].in.is_stdin)
		cmd_fatal(c, E_NOENT, "both files cannot be standard input");
	for (int i = 0; i < 2; i++) {
		read_next(c, o, &o->side[i], NULL);
		o->auto_count[i] = o->side[i].next != NULL ? o->side[i].next->nfields : 0;
	}
}

static int join_run(struct cmd *c)
{
	struct join_opts *o = c->opts;

	if (c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (c->nargs == 1)
		return cmd_usage(c, "missing operand after %s", cmd_quote(c, c->args[0]));
	if (c->nargs > 2)
		return cmd_usage(c, "extra operand %s", cmd_quoteaf(c, c->args[2]));
	o->end = o->zero ? '\0' : '\n';
	open_sides(c, o);
	if (o->header)
		join_headers(c, o);
	join_lines(c, o);
	if (o->side[0].warned || o->side[1].warned)
		return cmd_error(c, 0, "input is not in sorted order");
	return 0;
}

static void join_defaults(struct cmd *c)
{
	struct join_opts *o = c->opts;

	o->side[0].field = o->side[1].field = UINT64_MAX;
}

const struct builtin builtin_join = {
	.name = "join",
	.usage = "[OPTION]... FILE1 FILE2",
	.summary =
		"Joins lines of two files, sorted on the join field, where that field is equal.\n"
		"By default it is the first field, fields are separated by blanks.",
	.run = join_run,
	.opts = join_options,
	.opts_size = sizeof(struct join_opts),
	.defaults = join_defaults,
};
