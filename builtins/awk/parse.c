/* SPDX-License-Identifier: MIT
 *
 * awk's statements, rules and functions; the sources they come from; the table of names.
 */
#include "builtins/awk/parse.h"

/* --- names --- */

struct name_slot {
	struct bytes name;
	int global; /* -1: none */
	struct function *function;
};

static struct name_slot *find_slot(struct program *p, struct bytes name)
{
	size_t i = (size_t)bytes_hash(name) & (p->nslots - 1);

	while (p->slots[i].name.ptr != NULL && !bytes_eq(p->slots[i].name, name))
		i = (i + 1) & (p->nslots - 1);
	return &p->slots[i];
}

static struct name_slot *add_slot(struct program *p, struct bytes name)
{
	struct name_slot *slot;

	if (p->nslots == 0 || p->slots_used * 2 >= p->nslots) {
		struct name_slot *old = p->slots;
		size_t n = p->nslots;

		p->nslots = n == 0 ? 128 : n * 2;
		p->slots = arena_array(p->arena, p->nslots, sizeof *p->slots);
		for (size_t i = 0; i < n; i++)
			if (old[i].name.ptr != NULL)
				*find_slot(p, old[i].name) = old[i];
	}
	slot = find_slot(p, name);
	if (slot->name.ptr == NULL) {
		slot->name = arena_bytes(p->arena, name);
		slot->global = -1;
		p->slots_used++;
	}
	return slot;
}

int awk_program_find_global(struct program *p, struct bytes name)
{
	return p->nslots != 0 && find_slot(p, name)->name.ptr != NULL ? find_slot(p, name)->global
								      : -1;
}

int awk_program_global(struct program *p, struct bytes name)
{
	struct name_slot *slot = add_slot(p, name);

	if (slot->global >= 0)
		return slot->global;
	if (p->nglobals == p->names_cap) {
		int cap = p->names_cap == 0 ? 64 : p->names_cap * 2;

		p->names = arena_grow(p->arena, p->names, (size_t)p->names_cap * sizeof *p->names,
				      (size_t)cap * sizeof *p->names);
		p->names_cap = cap;
	}
	slot->global = p->nglobals;
	p->names[p->nglobals] = slot->name;
	return p->nglobals++;
}

struct function *awk_program_find_function(struct program *p, struct bytes name)
{
	return p->nslots != 0 ? find_slot(p, name)->function : NULL;
}

struct function *awk_program_function(struct program *p, struct bytes name)
{
	struct name_slot *slot = add_slot(p, name);

	if (slot->function != NULL)
		return slot->function;
	struct function *f = arena_zalloc(p->arena, sizeof *f);

	f->name = slot->name;
	f->index = p->nfunctions++;
	f->next = p->functions;
	p->functions = f;
	slot->function = f;
	return f;
}

/* --- tokens --- */

bool awk_take(struct parser *p, int token)
{
	if (!at_token(p, token))
		return false;
	awk_lex_next(&p->l);
	return true;
}

void awk_expect(struct parser *p, int token)
{
	if (!awk_take(p, token))
		awk_lex_unexpected(&p->l);
}

void awk_skip_newlines(struct parser *p)
{
	while (at_token(p, T_NEWLINE))
		awk_lex_next(&p->l);
}

static void skip_terminators(struct parser *p)
{
	while (at_token(p, T_NEWLINE) || at_token(p, ';'))
		awk_lex_next(&p->l);
}

/* The end of a simple statement: ';' or a newline, or a '}' that is left. */
static void end_statement(struct parser *p, struct node *n)
{
	awk_keep_after(p, n);
	if (at_token(p, '}') || at_token(p, T_EOF))
		return;
	if (!at_token(p, ';') && !at_token(p, T_NEWLINE))
		awk_lex_unexpected(&p->l);
	awk_lex_next(&p->l);
	if (at_token(p, T_NEWLINE) || at_token(p, '}'))
		awk_keep_after(p, n);
	awk_skip_newlines(p);
}

/* --- statements --- */

static struct node *parse_statement(struct parser *p);
static struct node *parse_block(struct parser *p);

static struct node *statement(struct parser *p)
{
	struct comment *before = awk_take_comments(p);
	struct node *n = awk_parse_deeper(p, parse_statement);

	if (before != NULL)
		awk_remarks_of(p, n)->before = before;
	return n;
}

/* A statement that may stand on the next line, or be empty. */
static struct node *parse_body(struct parser *p)
{
	awk_skip_newlines(p);
	if (at_token(p, ';')) {
		awk_lex_next(&p->l);
		awk_skip_newlines(p);
		return awk_node_new(p, N_BLOCK);
	}
	if (at_token(p, '}') || at_token(p, T_EOF))
		awk_lex_unexpected(&p->l);
	bool braces = at_token(p, '{');
	struct node *n = statement(p);

	/* What follows without braces belongs to it. */
	if (!braces && p->l.comments != NULL)
		awk_take_rest(p, &awk_remarks_of(p, n)->after);
	return n;
}

static enum redirect redirect_of(const struct parser *p)
{
	switch (p->l.token) {
	case '>': return REDIRECT_FILE;
	case T_APPEND: return REDIRECT_APPEND;
	case '|': return REDIRECT_PIPE;
	case T_BOTH: return REDIRECT_BOTH;
	default: return REDIRECT_NONE;
	}
}

static bool ends_print(const struct parser *p)
{
	return at_token(p, ';') || at_token(p, T_NEWLINE) || at_token(p, '}') ||
	       at_token(p, T_EOF) || redirect_of(p) != REDIRECT_NONE;
}

/* "print (1, 2)" has two arguments, "print (1)(2)" one, "print (1, 2) in a" one. */
static void parse_print_list(struct parser *p, struct node *n)
{
	if (at_token(p, '(')) {
		struct node *list = awk_node_new(p, N_GROUP);
		bool no_gt = p->no_gt;
		bool no_pipe = p->no_pipe;

		awk_lex_next(&p->l);
		if (at_token(p, ')'))
			awk_lex_unexpected(&p->l);
		p->no_gt = p->no_pipe = false;
		awk_parse_list(p, list, ')');
		p->no_gt = no_gt;
		p->no_pipe = no_pipe;
		awk_expect(p, ')');
		if (list->count > 1 && ends_print(p)) {
			n->list = list->list;
			n->last = list->last;
			n->count = list->count;
			return;
		}
		p->pending = list->count == 1 ? list->list : list;
		awk_node_group(p->pending);
	}
	awk_node_add(n, awk_parse_expr(p));
	while (at_token(p, ',')) {
		awk_lex_next(&p->l);
		awk_skip_newlines(p);
		awk_node_add(n, awk_parse_expr(p));
	}
}

static struct node *parse_print(struct parser *p)
{
	struct node *n = awk_node_new(p, at_token(p, T_PRINT) ? N_PRINT : N_PRINTF);
	bool no_gt = p->no_gt;
	bool no_pipe = p->no_pipe;

	awk_lex_next(&p->l);
	p->no_gt = p->no_pipe = true;
	if (!ends_print(p))
		parse_print_list(p, n);
	p->no_gt = no_gt;
	n->sub = (uint8_t)redirect_of(p);
	if (n->sub != REDIRECT_NONE) {
		bool both = n->sub == REDIRECT_BOTH;

		awk_lex_next(&p->l);
		p->no_gt = true;
		p->no_pipe = !both;
		n->a = awk_parse_deeper(p, awk_parse_target);
		p->no_gt = no_gt;
	}
	p->no_pipe = no_pipe;
	if (n->op == N_PRINTF && n->count == 0) {
		awk_lex_fatal(&p->l, "printf: no arguments");
	}
	return n;
}

static struct node *parse_if(struct parser *p)
{
	struct node *n = awk_node_new(p, N_IF);

	awk_lex_next(&p->l);
	awk_expect(p, '(');
	n->a = awk_parse_expr(p);
	awk_expect(p, ')');
	n->b = parse_body(p);
	awk_keep_after(p, n);
	awk_skip_newlines(p);
	if (awk_take(p, T_ELSE)) {
		n->var = (int)++p->prog->ncounters;
		n->c = parse_body(p);
	}
	return n;
}

static struct node *parse_while(struct parser *p)
{
	struct node *n = awk_node_new(p, N_WHILE);

	awk_lex_next(&p->l);
	awk_expect(p, '(');
	n->a = awk_parse_expr(p);
	awk_expect(p, ')');
	p->loops++;
	n->b = parse_body(p);
	p->loops--;
	return n;
}

static struct node *parse_do(struct parser *p)
{
	struct node *n = awk_node_new(p, N_DO);

	awk_lex_next(&p->l);
	p->loops++;
	n->b = parse_body(p);
	p->loops--;
	awk_skip_newlines(p);
	awk_expect(p, T_WHILE);
	awk_expect(p, '(');
	n->a = awk_parse_expr(p);
	awk_expect(p, ')');
	awk_skip_newlines(p);
	return n;
}

static struct node *parse_delete(struct parser *p)
{
	struct node *n = awk_node_new(p, N_DELETE);
	const struct node *base;

	awk_lex_next(&p->l);
	if (!at_token(p, T_NAME))
		awk_lex_unexpected(&p->l);
	n->a = awk_parse_variable(p);
	for (base = n->a; base->op == N_INDEX; base = base->a)
		;
	if (base->var != GLOBAL_SYMTAB && base->var != GLOBAL_FUNCTAB)
		return n;
	p->l.line += at_token(p, T_NEWLINE);
	awk_lex_fatal(&p->l, "`delete' is not allowed with %.*s", (int)base->text.len,
		      base->text.ptr);
}

static struct node *parse_simple(struct parser *p)
{
	if (at_token(p, T_PRINT) || at_token(p, T_PRINTF))
		return parse_print(p);
	if (at_token(p, T_DELETE))
		return parse_delete(p);
	struct node *n = awk_node_new(p, N_EXPR);

	n->a = awk_parse_expr(p);
	return n;
}

/* "(name in array)" behind for: true, or nothing was read. */
static bool parse_for_in(struct parser *p, struct node *n)
{
	struct lex before = p->l;

	if (!at_token(p, T_NAME))
		return false;
	awk_lex_next(&p->l);
	bool is_in = at_token(p, T_IN);

	if (is_in) {
		awk_lex_next(&p->l);
		is_in = at_token(p, T_NAME);
	}
	p->l = before;
	if (!is_in)
		return false;
	n->a = awk_parse_variable(p);
	awk_lex_next(&p->l);
	n->b = awk_parse_variable(p);
	if (at_token(p, ')'))
		return true;
	p->l = before;
	return false;
}

static struct node *parse_for(struct parser *p)
{
	struct node *n = awk_node_new(p, N_FOR);

	awk_lex_next(&p->l);
	awk_expect(p, '(');
	if (parse_for_in(p, n)) {
		n->op = N_FORIN;
		awk_lex_next(&p->l);
		p->loops++;
		n->c = parse_body(p);
		p->loops--;
		return n;
	}
	if (!at_token(p, ';'))
		n->a = parse_simple(p);
	awk_expect(p, ';');
	awk_skip_newlines(p);
	if (!at_token(p, ';'))
		n->b = awk_parse_expr(p);
	awk_expect(p, ';');
	awk_skip_newlines(p);
	if (!at_token(p, ')'))
		n->c = parse_simple(p);
	awk_expect(p, ')');
	p->loops++;
	n->d = parse_body(p);
	p->loops--;
	return n;
}

/* The number that is the token, with a sign. */
static struct bytes number_text(struct parser *p, const char *sign)
{
	struct buf text = buf_in(p->arena);

	buf_puts(&text, sign);
	buf_add(&text, bytes_slice(p->l.text, p->l.start, p->l.at));
	return buf_bytes(&text);
}

/* The value of a case: a number, a string or a regular expression. */
static struct node *parse_case_value(struct parser *p)
{
	bool negative = at_token(p, '-');
	const char *sign = negative ? "-" : at_token(p, '+') ? "+" : "";
	struct node *n;

	if (negative || at_token(p, '+'))
		awk_lex_next(&p->l);
	if (at_token(p, '/')) {
		awk_lex_regex(&p->l);
		n = awk_node_new(p, N_REGEX);
		n->text = p->l.name;
	} else if (at_token(p, T_NUMBER)) {
		n = awk_node_new(p, N_NUM);
		n->num = negative ? -p->l.num : p->l.num;
		n->text = number_text(p, sign);
	} else if (at_token(p, T_STRING)) {
		n = awk_node_new(p, N_STR);
		n->text = p->l.name;
	} else if (at_token(p, '@')) {
		awk_lex_next(&p->l);
		if (!at_token(p, '/'))
			awk_lex_unexpected(&p->l);
		awk_lex_regex(&p->l);
		n = awk_node_new(p, N_REGEX);
		n->text = p->l.name;
	} else {
		awk_lex_unexpected(&p->l);
	}
	awk_lex_next(&p->l);
	return n;
}

/* Labels are the same if their texts are; the last ones are told first. */
static void find_duplicates(struct parser *p, const struct node *list)
{
	struct lex place = p->l;
	struct node **labels = arena_array(p->arena, (size_t)list->count + 1, sizeof *labels);
	struct bytes *texts = arena_array(p->arena, (size_t)list->count + 1, sizeof *texts);
	struct text_room room;
	int n = 0;

	for (struct node *label = list->list; label != NULL; label = label->next) {
		if (label->a == NULL || label->a->op == N_REGEX)
			continue;
		texts[n] = label->a->text;
		if (label->a->op == N_NUM)
			texts[n] = arena_bytes(
				p->arena, awk_num_text(p->a, label->a->num, SP_CONVFMT, &room));
		labels[n++] = label;
	}
	for (int i = n - 1; i >= 0; i--) {
		awk_work(p->a, (uint64_t)(n - i));
		for (int k = i + 1; k < n; k++) {
			if (!bytes_eq(texts[i], texts[k]))
				continue;
			place.line = labels[i]->line;
			awk_lex_complain(&place, "duplicate case values in switch body: %.*s",
					 (int)texts[i].len, texts[i].ptr);
			p->l.failed = true;
		}
	}
}

static struct node *parse_switch(struct parser *p)
{
	bool has_default = false;
	struct node *n = awk_node_new(p, N_SWITCH);

	awk_lex_next(&p->l);
	awk_expect(p, '(');
	n->a = awk_parse_expr(p);
	awk_expect(p, ')');
	awk_skip_newlines(p);
	awk_expect(p, '{');
	p->switches++;
	if (p->l.comments != NULL && !p->l.comments->own_line)
		awk_remarks_of(p, n)->open = awk_take_line_end(p);
	skip_terminators(p);
	while (!at_token(p, '}')) {
		struct node *label = awk_node_new(p, N_CASE);

		if (p->l.comments != NULL)
			awk_remarks_of(p, label)->before = awk_take_comments(p);
		if (awk_take(p, T_CASE))
			label->a = parse_case_value(p);
		else
			awk_expect(p, T_DEFAULT);
		if (label->a == NULL && has_default)
			awk_lex_refuse(&p->l, "duplicate `default' detected in switch body");
		has_default |= label->a == NULL;
		awk_expect(p, ':');
		awk_keep_after(p, label);
		skip_terminators(p);
		while (!at_token(p, T_CASE) && !at_token(p, T_DEFAULT) && !at_token(p, '}')) {
			awk_node_add(label, statement(p));
			skip_terminators(p);
		}
		awk_node_add(n, label);
	}
	p->switches--;
	find_duplicates(p, n);
	if (p->l.comments != NULL)
		awk_remarks_of(p, n)->inner = awk_take_comments(p);
	awk_lex_next(&p->l);
	return n;
}

static struct node *parse_jump(struct parser *p)
{
	int token = p->l.token;
	struct node *n = awk_node_new(p, token == T_BREAK      ? N_BREAK
					 : token == T_CONTINUE ? N_CONTINUE
					 : token == T_NEXT     ? N_NEXT
					 : token == T_NEXTFILE ? N_NEXTFILE
					 : token == T_EXIT     ? N_EXIT
							       : N_RETURN);

	/* These two are told twice by gawk. */
	for (int i = 0; i < 2 && token == T_BREAK && p->loops == 0 && p->switches == 0; i++)
		awk_lex_complain(&p->l, "`break' is not allowed outside a loop or switch");
	for (int i = 0; i < 2 && token == T_CONTINUE && p->loops == 0; i++)
		awk_lex_complain(&p->l, "`continue' is not allowed outside a loop");
	if (token == T_RETURN && p->fn == NULL)
		awk_lex_error(&p->l, "`return' used outside function context");
	if (token == T_NEXT && p->fn == NULL && p->rule != RULE_MAIN) {
		static const char *const names[] = { "BEGIN", "", "END", "BEGINFILE", "ENDFILE" };

		awk_lex_complain(&p->l, "`next' used in %s action", names[p->rule]);
	}
	if (token == T_NEXTFILE && p->fn == NULL &&
	    (p->rule == RULE_BEGIN || p->rule == RULE_END || p->rule == RULE_ENDFILE)) {
		static const char *const names[] = { "BEGIN", "", "END", "BEGINFILE", "ENDFILE" };

		awk_lex_complain(&p->l, "`nextfile' used in %s action", names[p->rule]);
	}
	awk_lex_next(&p->l);
	if ((token == T_EXIT || token == T_RETURN) && !at_token(p, ';') &&
	    !at_token(p, T_NEWLINE) && !at_token(p, '}') && !at_token(p, T_EOF))
		n->a = awk_parse_expr(p);
	return n;
}

static struct node *parse_compound(struct parser *p)
{
	switch (p->l.token) {
	case T_IF: return parse_if(p);
	case T_WHILE: return parse_while(p);
	case T_DO: return parse_do(p);
	case T_FOR: return parse_for(p);
	default: return parse_switch(p);
	}
}

static struct node *parse_statement(struct parser *p)
{
	struct node *n;

	switch (p->l.token) {
	case '{':
		n = parse_block(p);
		awk_skip_newlines(p);
		return n;
	case T_IF:
	case T_WHILE:
	case T_DO:
	case T_FOR:
	case T_SWITCH:
		n = parse_compound(p);
		awk_keep_after(p, n);
		return n;
	case T_BREAK:
	case T_CONTINUE:
	case T_NEXT:
	case T_NEXTFILE:
	case T_EXIT:
	case T_RETURN: n = parse_jump(p); break;
	default: n = parse_simple(p); break;
	}
	end_statement(p, n);
	return n;
}

/* { statements }: the token behind it is not looked at for newlines. */
static struct node *parse_block(struct parser *p)
{
	struct node *block = awk_node_new(p, N_BLOCK);

	awk_expect(p, '{');
	if (p->l.comments != NULL && !p->l.comments->own_line)
		awk_remarks_of(p, block)->open = awk_take_line_end(p);
	skip_terminators(p);
	while (!at_token(p, '}')) {
		if (at_token(p, T_EOF))
			awk_lex_unexpected(&p->l);
		awk_node_add(block, statement(p));
		skip_terminators(p);
	}
	if (p->l.comments != NULL)
		awk_remarks_of(p, block)->inner = awk_take_comments(p);
	awk_lex_next(&p->l);
	return block;
}

/* --- rules and functions --- */

static void parse_params(struct parser *p, struct function *f)
{
	int cap = 0;

	while (!at_token(p, ')')) {
		if (!at_token(p, T_NAME))
			awk_lex_unexpected(&p->l);
		if (bytes_eq(p->l.name, f->name))
			awk_lex_complain(
				&p->l,
				"function `%.*s': cannot use function name as parameter name",
				(int)f->name.len, f->name.ptr);
		for (int i = 0; i < f->nparams; i++)
			if (bytes_eq(f->params[i], p->l.name))
				awk_lex_complain(&p->l,
						 "function `%.*s': parameter #%d, `%.*s', "
						 "duplicates parameter #%d",
						 (int)f->name.len, f->name.ptr, f->nparams + 1,
						 (int)p->l.name.len, p->l.name.ptr, i + 1);
		if (awk_special_find(p->l.name) >= 0)
			awk_lex_complain(&p->l,
					 "function `%.*s': cannot use special variable `%.*s' as a "
					 "function parameter",
					 (int)f->name.len, f->name.ptr, (int)p->l.name.len,
					 p->l.name.ptr);
		if (f->nparams == cap) {
			f->params = arena_grow(p->arena, f->params, (size_t)cap * sizeof *f->params,
					       (size_t)(cap * 2 + 8) * sizeof *f->params);
			cap = cap * 2 + 8;
		}
		f->params[f->nparams++] = arena_bytes(p->arena, p->l.name);
		awk_lex_next(&p->l);
		if (!at_token(p, ','))
			break;
		awk_lex_next(&p->l);
		awk_skip_newlines(p);
		if (at_token(p, ')'))
			awk_lex_unexpected(&p->l);
	}
	p->l.in_params = false;
	awk_expect(p, ')');
}

static void parse_function(struct parser *p)
{
	struct comment *before = awk_take_comments(p);
	struct function *f;

	awk_lex_next(&p->l);
	if (at_token(p, T_BUILTIN) && p->l.sub >= FN_LIBRARY)
		awk_lex_refuse(&p->l, "function name `%s' previously defined",
			       awk_fn_rows[p->l.sub].name);
	if (at_token(p, T_BUILTIN))
		awk_lex_error(&p->l, "`%s' is a built-in function, it cannot be redefined",
			      awk_fn_rows[p->l.sub].name);
	if (!at_token(p, T_FUNC_NAME) && !at_token(p, T_NAME))
		awk_lex_unexpected(&p->l);
	f = awk_program_function(p->prog, p->l.name);
	if (f->defined || awk_program_find_global(p->prog, f->name) >= 0)
		awk_lex_refuse(&p->l, "function name `%.*s' previously defined", (int)f->name.len,
			       f->name.ptr);
	f->defined = true;
	f->line = p->l.line;
	f->file = p->l.file;
	f->before = before;
	f->counter = ++p->prog->ncounters;
	awk_lex_next(&p->l);
	p->l.in_params = true;
	awk_expect(p, '(');
	parse_params(p, f);
	awk_skip_newlines(p);
	p->fn = f;
	p->l.fn = f;
	awk_take_rest(p, &f->before);
	f->body = parse_block(p);
	p->fn = NULL;
	p->l.fn = NULL;
}

static void add_rule(struct parser *p, enum rule_kind kind, struct rule *r)
{
	*p->prog->last[kind] = r;
	p->prog->last[kind] = &r->next;
}

/* Whether the rule has no action of its own. */
static bool parse_rule(struct parser *p)
{
	static const char *const names[] = { "BEGIN", "", "END", "BEGINFILE", "ENDFILE" };
	struct rule *r = arena_zalloc(p->arena, sizeof *r);
	int token = p->l.token;

	r->line = p->l.line;
	r->file = p->l.file;
	r->before = awk_take_comments(p);
	r->counter = ++p->prog->ncounters;
	r->taken = ++p->prog->ncounters;
	p->rule = token == T_BEGIN       ? RULE_BEGIN
		  : token == T_END       ? RULE_END
		  : token == T_BEGINFILE ? RULE_BEGINFILE
		  : token == T_ENDFILE   ? RULE_ENDFILE
					 : RULE_MAIN;
	if (p->rule != RULE_MAIN) {
		awk_lex_next(&p->l);
		if (!at_token(p, '{')) {
			p->l.line += at_token(p, T_NEWLINE) && !awk_lex_is_last(&p->l);
			awk_lex_place_error(&p->l, "%s blocks must have an action part",
					    names[p->rule]);
		}
		r->body = parse_block(p);
	} else {
		if (!at_token(p, '{'))
			r->pattern = awk_parse_expr(p);
		if (r->pattern != NULL && at_token(p, ',')) {
			awk_lex_next(&p->l);
			awk_skip_newlines(p);
			r->until = awk_parse_expr(p);
		}
		if (at_token(p, '{'))
			r->body = parse_block(p);
		else
			awk_take_rest(p, &r->before);
	}
	add_rule(p, p->rule, r);
	return r->body == NULL;
}

/* --- sources --- */

/* A file that has been read, known by its identity. */
struct include {
	struct include *next;
	uint64_t dev;
	uint64_t ino;
	bool library; /* by @include or -i, else by -f */
	bool given;   /* by an option */
};

static void parse_text(struct parser *p, struct bytes text, const char *file);

/* Opens a program file: as it is, or along AWKPATH, with and without ".awk". */
static int read_program(struct parser *p, const char *name, struct bytes *out, char **path)
{
	struct cmd *c = p->a->c;
	const char *list = cmd_getenv(c, "AWKPATH");
	int err;

	*path = arena_dup(p->arena, bytes_of(name));
	err = cmd_read_all(c, strcmp(name, "/dev/stdin") == 0 ? "-" : name, out);
	if (err == 0 || strchr(name, '/') != NULL)
		return err;
	if (list == NULL || *list == '\0')
		list = ".:/usr/local/share/awk:/usr/share/awk";
	for (;;) {
		size_t n = strcspn(list, ":");

		for (int tail = 0; tail < 2; tail++) {
			struct buf full = buf_in(p->arena);

			buf_put(&full, list, n);
			buf_puts(&full, n > 0 ? "/" : "");
			buf_puts(&full, name);
			buf_puts(&full, tail ? ".awk" : "");
			*path = buf_cstr(&full);
			if (cmd_read_all(c, *path, out) == 0)
				return 0;
		}
		if (list[n] == '\0')
			return err;
		list += n + 1;
	}
}

static struct include *included(struct parser *p, const struct vfs_stat *st)
{
	struct include *i = p->includes;

	while (i != NULL && (i->dev != st->dev || i->ino != st->ino))
		i = i->next;
	return i;
}

/* A file is a library or a program, not both. */
static _Noreturn void mixed_use(struct parser *p, const char *name, bool given)
{
	static const char text[] = "cannot include `%s' and use it as a program file";

	if (given)
		awk_fatal(p->a, text, name);
	p->l.line += at_token(p, T_STRING);
	p->l.from = NULL;
	awk_lex_fatal(&p->l, text, name);
}

/* A library's text is parsed once, however often it is included. */
static void parse_file(struct parser *p, const char *name, bool library)
{
	bool given = p->l.text.ptr == NULL;
	struct bytes text;
	char *path;
	int err = read_program(p, name, &text, &path);

	if (err < 0 && p->l.text.ptr != NULL)
		awk_lex_refuse(&p->l, "cannot open source file `%s' for reading: %s", name,
			       err_text(err));
	if (err < 0)
		awk_fatal(p->a, "cannot open source file `%s' for reading: %s", name,
			  err_text(err));
	struct vfs_stat st = { .ino = 0 };

	struct include *before = cmd_stat(p->a->c, path, &st) == 0 ? included(p, &st) : NULL;

	if (before != NULL && before->library != library)
		mixed_use(p, name, given && before->given);
	if (before != NULL && library)
		return;
	if (++p->nincludes > AWK_INCLUDES_MAX)
		awk_lex_refuse(&p->l, "too many source files");
	struct include *i = arena_zalloc(p->arena, sizeof *i);

	i->dev = st.dev;
	i->ino = st.ino;
	i->library = library;
	if (library)
		awk_program_load(p->prog, &p->prog->includes, name);
	i->given = given;
	i->next = p->includes;
	p->includes = i;
	parse_text(p, text, arena_dup(p->arena, bytes_of(name)));
}

static void parse_include(struct parser *p)
{
	struct lex outer;
	const char *name;

	awk_lex_next(&p->l);
	if (!at_token(p, T_STRING))
		awk_lex_unexpected(&p->l);
	name = arena_dup(p->arena, p->l.name);
	outer = p->l;
	p->from = &outer;
	parse_file(p, name, true);
	p->from = outer.from;
	p->l = outer;
	awk_lex_next(&p->l);
}

static bool is_identifier(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_name(s.ptr[i]))
			return false;
	return s.len > 0 && !byte_is_digit(s.ptr[0]);
}

static void parse_namespace(struct parser *p)
{
	awk_lex_next(&p->l);
	if (!at_token(p, T_STRING))
		awk_lex_unexpected(&p->l);
	struct bytes name = p->l.name;

	if (!is_identifier(name))
		awk_lex_complain(&p->l, "namespace name `%.*s' must meet identifier naming rules",
				 (int)name.len, name.ptr);
	else if (awk_lex_is_reserved(name))
		awk_lex_complain(&p->l,
				 "using reserved identifier `%.*s' as a namespace is not allowed",
				 (int)name.len, name.ptr);
	else
		p->l.space = bytes_is(name, "awk") ? (struct bytes){ "", 0 } : name;
	awk_lex_next(&p->l);
}

/* Whether what was read needs a newline or ';' behind it. */
static bool parse_item(struct parser *p)
{
	if (!at_token(p, T_FUNCTION) && p->l.token < T_INCLUDE)
		return parse_rule(p);
	if (at_token(p, T_FUNCTION)) {
		parse_function(p);
		return false;
	}
	if (at_token(p, T_INCLUDE))
		parse_include(p);
	else if (at_token(p, T_NAMESPACE))
		parse_namespace(p);
	else if (at_token(p, T_LOAD))
		awk_parse_load(p);
	return true;
}

/* The end of a rule: newlines and one ';', in that order only behind a '}'. */
static void end_item(struct parser *p, bool open)
{
	if (open && !at_token(p, T_EOF) && !at_token(p, ';') && !at_token(p, T_NEWLINE))
		awk_lex_unexpected(&p->l);
	if (!open)
		awk_skip_newlines(p);
	awk_take(p, ';');
	awk_skip_newlines(p);
}

static void parse_text(struct parser *p, struct bytes text, const char *file)
{
	struct lex l = {
		.a = p->a, .arena = p->arena, .text = text, .file = file, .line = 1, .from = p->from
	};
	const char *nul = text.len != 0 ? memchr(text.ptr, '\0', text.len) : NULL;

	if (nul != NULL) {
		for (const char *s = text.ptr; s < nul; s++)
			l.line += *s == '\n';
		awk_lex_fatal(&l, "error: invalid character '\\000' in source code");
	}

	if (bytes_starts(text, BYTES("#!")) && p->a->o->pretty == NULL) {
		const char *end = memchr(text.ptr, '\n', text.len);

		l.at = end != NULL ? (size_t)(end - text.ptr) : text.len;
	}
	p->l = l;
	awk_lex_next(&p->l);
	awk_skip_newlines(p);
	if (!p->begun)
		p->prog->first = awk_take_comments(p);
	p->begun = true;
	while (!at_token(p, T_EOF)) {
		if (!at_token(p, ';')) {
			end_item(p, parse_item(p));
			continue;
		}
		end_item(p, true);
		awk_lex_complain_plainly(&p->l, "each rule must have a pattern or an action part");
	}
	p->failed |= p->l.failed;
	if (p->l.space.len != 0)
		p->prog->space = p->l.space;
	awk_take_rest(p, &p->prog->rest);
}

static void check_functions(struct parser *p)
{
	for (struct function *f = p->prog->functions; f != NULL; f = f->next) {
		/* What is not there at all is told when it is called. */
		if (f->defined || awk_program_find_global(p->prog, f->name) < 0)
			continue;
		struct buf out = buf_in(p->arena);

		if (f->file == NULL)
			buf_printf(&out, "%s: cmd. line:%u: ", p->a->name, f->line);
		else
			buf_printf(&out, "%s: %s:%u: ", p->a->name, f->file, f->line);
		buf_printf(&out, "error: attempt to use non-function `%.*s' in function call\n",
			   (int)f->name.len, f->name.ptr);
		cmd_err_write(p->a->c, out.ptr, out.len);
		cmd_exit(p->a->c, 1);
	}
}

struct program *awk_program_parse(struct awk *a)
{
	struct program *prog = arena_zalloc(a->c->arena, sizeof *prog);
	struct parser p = { .a = a, .prog = prog, .arena = a->c->arena };

	prog->a = a;
	prog->arena = a->c->arena;
	for (int k = 0; k < RULE_KINDS; k++)
		prog->last[k] = &prog->rules[k];
	a->prog = prog;
	awk_special_init(a);
	for (const struct awk_source *s = a->o->sources; s != NULL; s = s->next) {
		p.l.text.ptr = NULL;
		if (s->path != NULL)
			parse_file(&p, s->path, s->library);
		else
			parse_text(&p, bytes_of(s->text), NULL);
	}
	if (p.failed)
		cmd_exit(a->c, 1);
	check_functions(&p);
	prog->by_index = arena_array(prog->arena, (size_t)prog->nfunctions + 1, sizeof(void *));
	for (struct function *f = prog->functions; f != NULL; f = f->next)
		prog->by_index[f->index] = f;
	prog->reads = prog->rules[RULE_MAIN] != NULL || prog->rules[RULE_END] != NULL ||
		      prog->rules[RULE_BEGINFILE] != NULL || prog->rules[RULE_ENDFILE] != NULL;
	return prog;
}
