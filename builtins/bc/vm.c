/* SPDX-License-Identifier: MIT
 *
 * Runs bc's code: a stack of numbers, frames of calls, values saved by them.
 */
#include "builtins/bc/bc.h"

enum { PAGE_SIZE = 64, ARRAY_MAX = 16777215 };

struct frame {
	struct code *code;
	size_t next; /* instruction to go on with */
	size_t depth;
	size_t saved; /* values saved before the call */
	uint32_t function;
};

/* What a variable or array was before a call. */
struct saved {
	uint32_t id;
	bool is_array;
	struct num *value;
	struct array *array;
};

void bc_grow(struct bc *b, void *list, size_t *cap, size_t n, size_t size)
{
	void *block;

	if (n < *cap)
		return;
	memcpy(&block, list, sizeof(block));
	block = pool_resize(b->c->pool, block, *cap * size, (*cap * 2 + 16) * size);
	*cap = *cap * 2 + 16;
	memcpy(list, &block, sizeof(block));
}

/* --- names --- */

uint32_t bc_var(struct bc *b, struct name *n)
{
	if (n->var != 0)
		return n->var;
	bc_grow(b, &b->vars, &b->vars_cap, b->nvars, sizeof(struct num *));
	b->vars[b->nvars] = NULL;
	n->var = (uint32_t)b->nvars++;
	return n->var;
}

uint32_t bc_array(struct bc *b, struct name *n)
{
	if (n->array != 0)
		return n->array;
	if (b->narrays == 0)
		b->narrays = 1;
	bc_grow(b, &b->arrays, &b->arrays_cap, b->narrays, sizeof(struct array *));
	b->arrays[b->narrays] = NULL;
	n->array = (uint32_t)b->narrays++;
	return n->array;
}

uint32_t bc_function(struct bc *b, struct name *n)
{
	if (n->function != 0)
		return n->function - 1;
	size_t names_cap = b->functions_cap;

	bc_grow(b, &b->functions, &b->functions_cap, b->nfunctions, sizeof(struct function));
	bc_grow(b, &b->function_names, &names_cap, b->nfunctions, sizeof(struct bytes));
	b->functions[b->nfunctions] = (struct function){ .defined = false };
	b->function_names[b->nfunctions] = n->text;
	n->function = (uint32_t)++b->nfunctions;
	return n->function - 1;
}

/* --- output --- */

void bc_put(struct bc *b, struct bytes text)
{
	while (text.len > 0) {
		uint64_t room = b->line_length == 0              ? UINT64_MAX
				: b->column + 2 > b->line_length ? 0
								 : b->line_length - 2 - b->column;
		size_t n = text.len > room ? (size_t)room + 1 : text.len;
		const char *newline = memchr(text.ptr, '\n', n);

		if (newline != NULL)
			n = (size_t)(newline - text.ptr);
		if (n >= 64)
			cmd_charge_bytes(b->c, n);
		if (n > room) {
			cmd_write(b->c, text.ptr, (size_t)room);
			cmd_puts(b->c, "\\\n");
			text = bytes_slice(text, (size_t)room, text.len);
			b->column = 0;
			/* The byte that did not fit stands in the first column. */
			cmd_write(b->c, text.ptr, 1);
			text = bytes_slice(text, 1, text.len);
			b->column = 1;
			continue;
		}
		cmd_write(b->c, text.ptr, n);
		b->column += n;
		if (newline != NULL) {
			cmd_putc(b->c, '\n');
			b->column = 0;
			n++;
		}
		text = bytes_slice(text, n, text.len);
	}
}

static void put_number(struct bc *b, const struct num *x, bool newline)
{
	struct arena_mark mark = arena_mark(b->c->arena);
	struct buf text = buf_in(b->c->arena);

	num_format(b->c, &text, x, b->obase, false);
	if (newline)
		buf_putc(&text, '\n');
	bc_put(b, buf_bytes(&text));
	arena_release(b->c->arena, mark);
}

static void put_escaped(struct bc *b, struct bytes s)
{
	static const char letters[] = "abfnqrt\\";
	static const char values[] = "\a\b\f\n\"\r\t\\";

	for (size_t i = 0; i < s.len; i++) {
		const char *hit;

		if (s.ptr[i] != '\\' || i + 1 == s.len) {
			bc_put(b, bytes_slice(s, i, i + 1));
			continue;
		}
		hit = s.ptr[++i] != '\0' ? strchr(letters, s.ptr[i]) : NULL;
		if (hit != NULL)
			bc_put(b, (struct bytes){ values + (hit - letters), 1 });
	}
}

/* --- messages --- */

struct place {
	const char *function;
	uint32_t address;
};

static void say(struct bc *b, const char *what, const struct ins *i, uint32_t address,
		const char *text)
{
	struct arena_mark mark = arena_mark(b->c->arena);
	struct buf out = buf_in(b->c->arena);
	const char *function = "(main)";

	if (b->nframes > 0)
		function = b->function_names[b->frames[b->nframes - 1].function].ptr;
	buf_printf(&out, "Runtime %s (func=%s, adr=%u): %s\n", what, function,
		   address != 0 ? address : i->end, text);
	cmd_flush(b->c);
	cmd_err_write(b->c, out.ptr, out.len);
	arena_release(b->c->arena, mark);
}

static void fail(struct bc *b, const struct ins *i, const char *text)
{
	say(b, "error", i, 0, text);
	b->error = true;
}

static void warn(struct bc *b, const struct ins *i, const char *text)
{
	say(b, "warning", i, 0, text);
}

/* --- the stack --- */

static void push(struct bc *b, struct num *x)
{
	bc_grow(b, &b->stack, &b->stack_cap, b->depth, sizeof(struct num *));
	b->stack[b->depth++] = x;
}

static struct num *pop(struct bc *b)
{
	return b->stack[--b->depth];
}

static void drop(struct bc *b)
{
	num_put(b->c, pop(b));
}

/* The value on top is replaced. */
static void set_top(struct bc *b, struct num *x)
{
	num_put(b->c, b->stack[b->depth - 1]);
	b->stack[b->depth - 1] = x;
}

/* --- variables --- */

static struct num *load(struct bc *b, uint32_t id)
{
	switch (id) {
	case VAR_IBASE: return num_of_i64(b->c, b->ibase);
	case VAR_OBASE: return num_get(b->obase);
	case VAR_SCALE: return num_of_i64(b->c, (int64_t)b->scale);
	case VAR_HISTORY: return num_of_i64(b->c, -1);
	default: return num_get(b->vars[id] != NULL ? b->vars[id] : b->zero);
	}
}

static void store_base(struct bc *b, const struct ins *i, struct num *x, bool input)
{
	bool fits;
	int64_t v = num_to_i64(x, &fits);
	int64_t most = input ? 36 : INT32_MAX;

	if (!fits && !x->negative)
		v = INT64_MAX;
	if (v < 2) {
		warn(b, i,
		     x->negative ? input ? "negative ibase, set to 2" : "negative obase, set to 2"
		     : input     ? "ibase too small, set to 2"
				 : "obase too small, set to 2");
		v = 2;
	} else if (v > most) {
		warn(b, i,
		     input ? "ibase too large, set to 36" : "obase too large, set to 2147483647");
		v = most;
	}
	if (input) {
		b->ibase = (unsigned)v;
		return;
	}
	num_put(b->c, b->obase);
	b->obase = num_of_i64(b->c, v);
}

static void store(struct bc *b, const struct ins *i, uint32_t id, struct num *x)
{
	bool fits;
	int64_t v;

	switch (id) {
	case VAR_IBASE:
	case VAR_OBASE: store_base(b, i, x, id == VAR_IBASE); return;
	case VAR_SCALE:
		v = num_to_i64(x, &fits);
		if (x->negative && v != 0) {
			warn(b, i, "negative scale, set to 0");
			v = 0;
		} else if (v > INT32_MAX) {
			warn(b, i, "scale too large, set to 2147483647");
			v = INT32_MAX;
		}
		b->scale = (size_t)v;
		return;
	case VAR_HISTORY: return;
	default: break;
	}
	num_put(b->c, b->vars[id]);
	b->vars[id] = num_get(x);
}

static struct array *new_array(struct bc *b)
{
	struct array *a = pool_zalloc(b->c->pool, sizeof(*a));

	a->refs = 1;
	return a;
}

static void put_array(struct bc *b, struct array *a)
{
	if (a == NULL || --a->refs > 0)
		return;
	for (size_t p = 0; p < a->npages; p++) {
		if (a->pages[p] == NULL)
			continue;
		for (size_t k = 0; k < PAGE_SIZE; k++)
			num_put(b->c, a->pages[p][k]);
		pool_free(b->c->pool, a->pages[p], PAGE_SIZE * sizeof(struct num *));
	}
	pool_free(b->c->pool, a->pages, a->npages * sizeof(*a->pages));
	pool_free(b->c->pool, a, sizeof(*a));
}

/* Where an element is; NULL if it is 0 and `make` is not set. */
static struct num **element(struct bc *b, uint32_t id, size_t index, bool make)
{
	struct array *a = b->arrays[id];
	size_t page = index / PAGE_SIZE;

	if (a == NULL) {
		if (!make)
			return NULL;
		a = b->arrays[id] = new_array(b);
	}
	if (page >= a->npages) {
		size_t n = page + 1 > a->npages * 2 ? page + 1 : a->npages * 2;

		if (!make)
			return NULL;
		a->pages = pool_resize(b->c->pool, a->pages, a->npages * sizeof(*a->pages),
				       n * sizeof(*a->pages));
		memset(a->pages + a->npages, 0, (n - a->npages) * sizeof(*a->pages));
		cmd_charge(b->c, n / 8 + 1);
		a->npages = n;
	}
	if (a->pages[page] == NULL) {
		if (!make)
			return NULL;
		a->pages[page] = pool_zalloc(b->c->pool, PAGE_SIZE * sizeof(struct num *));
	}
	return &a->pages[page][index % PAGE_SIZE];
}

static struct array *copy_array(struct bc *b, const struct array *from)
{
	struct array *a = new_array(b);

	if (from == NULL || from->npages == 0)
		return a;
	a->npages = from->npages;
	a->pages = pool_zalloc(b->c->pool, a->npages * sizeof(*a->pages));
	for (size_t p = 0; p < a->npages; p++) {
		cmd_charge(b->c, 1);
		if (from->pages[p] == NULL)
			continue;
		a->pages[p] = pool_zalloc(b->c->pool, PAGE_SIZE * sizeof(struct num *));
		for (size_t k = 0; k < PAGE_SIZE; k++)
			if (from->pages[p][k] != NULL)
				a->pages[p][k] = num_get(from->pages[p][k]);
		cmd_charge(b->c, 4);
	}
	return a;
}

/* A subscript; false after a message. */
static bool subscript(struct bc *b, const struct ins *i, const struct num *x, size_t *out)
{
	bool fits;
	int64_t v = num_to_i64(x, &fits);

	if (fits && v >= 0 && v <= ARRAY_MAX && !(x->negative && v != 0)) {
		*out = (size_t)v;
		return true;
	}
	struct arena_mark mark = arena_mark(b->c->arena);
	struct buf text = buf_in(b->c->arena);
	const char *name = "";

	for (size_t k = 0; k < b->nnames; k++)
		if (b->names[k].array == i->arg)
			name = b->names[k].text.ptr;
	buf_printf(&text, "Array %s subscript out of bounds.", name);
	fail(b, i, buf_cstr(&text));
	arena_release(b->c->arena, mark);
	return false;
}

/* --- calls --- */

static void save(struct bc *b, const struct param *p)
{
	bc_grow(b, &b->saved, &b->saved_cap, b->nsaved, sizeof(struct saved));
	struct saved *s = &b->saved[b->nsaved++];

	*s = (struct saved){ p->id, p->array, NULL, NULL };
	if (p->array) {
		s->array = b->arrays[p->id];
		b->arrays[p->id] = NULL;
	} else {
		s->value = b->vars[p->id];
		b->vars[p->id] = NULL;
	}
}

static void restore(struct bc *b, size_t down_to)
{
	while (b->nsaved > down_to) {
		struct saved *s = &b->saved[--b->nsaved];

		if (s->is_array) {
			put_array(b, b->arrays[s->id]);
			b->arrays[s->id] = s->array;
		} else {
			num_put(b->c, b->vars[s->id]);
			b->vars[s->id] = s->value;
		}
	}
}

/* Whether the arguments are what the function takes; else messages as bc gives them. */
static bool check_args(struct bc *b, const struct ins *i, const struct function *f,
		       const struct call *call)
{
	size_t param = 0;
	uint32_t start = i->end - (uint32_t)call->n - 1;

	for (size_t k = 0; k < call->n; k++) {
		if (param >= f->nparams) {
			say(b, "error", i, start + (uint32_t)k + 1, "Parameter number mismatch");
			b->error = true;
			return false;
		}
		if (call->arrays[k] != f->params[param].array) {
			say(b, "error", i, start + (uint32_t)k + 1,
			    "Parameter type mismatch, parameter (null).");
			b->error = true;
			continue;
		}
		param++;
	}
	if (param == f->nparams)
		return !b->error;
	say(b, "error", i, i->end, "Parameter number mismatch");
	b->error = true;
	return false;
}

/* Binds the arguments on the stack to the parameters. */
static void bind(struct bc *b, const struct function *f)
{
	size_t base = b->depth - f->nparams;
	/* All are looked up before any name is bound. */
	struct array **arrays = pool_zalloc(b->c->pool, (f->nparams + 1) * sizeof(*arrays));

	for (size_t k = 0; k < f->nparams; k++) {
		const struct param *p = &f->params[k];

		if (!p->array)
			continue;
		uint32_t id = (uint32_t)num_to_i64(b->stack[base + k], NULL);

		if (p->by_reference && b->arrays[id] == NULL)
			b->arrays[id] = new_array(b);
		arrays[k] = p->by_reference ? b->arrays[id] : copy_array(b, b->arrays[id]);
		arrays[k]->refs += p->by_reference;
	}
	for (size_t k = 0; k < f->nparams; k++) {
		const struct param *p = &f->params[k];

		save(b, p);
		if (p->array)
			b->arrays[p->id] = arrays[k];
		else
			b->vars[p->id] = num_get(b->stack[base + k]);
	}
	pool_free(b->c->pool, arrays, (f->nparams + 1) * sizeof(*arrays));
	while (b->depth > base)
		drop(b);
	for (size_t k = 0; k < f->nautos; k++)
		save(b, &f->autos[k]);
}

static bool call_math(struct bc *b, const struct ins *i)
{
	struct bytes name = b->function_names[i->arg];
	const struct call *call = &b->calls[i->aux];
	struct num *args[2];
	size_t want = bytes_is(name, "j") ? 2 : 1;
	struct function shape = { .nparams = want };
	struct param params[2] = { { 0, false, false }, { 0, false, false } };

	if (!b->library || !bc_has_math(name))
		return false;
	shape.params = params;
	if (!check_args(b, i, &shape, call))
		return true;
	for (size_t k = want; k > 0; k--)
		args[k - 1] = pop(b);
	struct num *x = bc_math(b->c, name.ptr[0], args, b->scale);

	for (size_t k = 0; k < want; k++)
		num_put(b->c, args[k]);
	push(b, x);
	return true;
}

static void enter(struct bc *b, const struct ins *i, struct code **code, size_t *pc)
{
	struct function *f = &b->functions[i->arg];
	const struct call *call = &b->calls[i->aux];

	if (!f->defined) {
		if (call_math(b, i))
			return;
		struct arena_mark mark = arena_mark(b->c->arena);
		struct buf text = buf_in(b->c->arena);

		buf_printf(&text, "Function %s not defined.", b->function_names[i->arg].ptr);
		say(b, "error", i, i->end - (uint32_t)call->n - 1, buf_cstr(&text));
		b->error = true;
		arena_release(b->c->arena, mark);
		return;
	}
	if (!check_args(b, i, f, call))
		return;
	bc_grow(b, &b->frames, &b->frames_cap, b->nframes, sizeof(struct frame));
	b->frames[b->nframes++] = (struct frame){
		.code = *code,
		.next = *pc,
		.depth = b->depth - f->nparams,
		.saved = b->nsaved,
		.function = i->arg,
	};
	bind(b, f);
	*code = &f->code;
	*pc = 0;
}

static void leave(struct bc *b, struct code **code, size_t *pc)
{
	struct frame *f = &b->frames[--b->nframes];
	struct num *x = pop(b);

	while (b->depth > f->depth)
		drop(b);
	restore(b, f->saved);
	push(b, x);
	*code = f->code;
	*pc = f->next;
}

/* --- operators --- */

static struct num *power(struct bc *b, const struct ins *i, const struct num *x,
			 const struct num *y)
{
	bool fits;
	int64_t exponent = num_to_i64(y, &fits);

	if (y->scale != 0)
		warn(b, i, "non-zero scale in exponent");
	if (!fits) {
		fail(b, i, "exponent too large in raise");
		return NULL;
	}
	struct num *out = num_pow(b->c, x, exponent, b->scale);

	if (out == NULL)
		fail(b, i, "divide by zero");
	return out;
}

static void binary(struct bc *b, const struct ins *i)
{
	struct cmd *c = b->c;
	struct num *y = pop(b);
	struct num *x = pop(b);
	struct num *out = NULL;

	switch (i->arg) {
	case '+': out = num_add(c, x, y, 0); break;
	case '-': out = num_sub(c, x, y, 0); break;
	case '*': out = num_mul(c, x, y, b->scale); break;
	case '/':
		out = num_div(c, x, y, b->scale);
		if (out == NULL)
			fail(b, i, "Divide by zero");
		break;
	case '%':
		out = num_mod(c, x, y, b->scale, NULL);
		if (out == NULL)
			fail(b, i, "Modulo by zero");
		break;
	default: out = power(b, i, x, y); break;
	}
	num_put(c, x);
	num_put(c, y);
	push(b, out != NULL ? out : num_get(b->zero));
}

static void compare(struct bc *b, enum compare how)
{
	struct num *y = pop(b);
	struct num *x = pop(b);
	int order = num_cmp(b->c, x, y);
	bool yes = how == COMPARE_EQ   ? order == 0
		   : how == COMPARE_NE ? order != 0
		   : how == COMPARE_LT ? order < 0
		   : how == COMPARE_LE ? order <= 0
		   : how == COMPARE_GT ? order > 0
				       : order >= 0;

	num_put(b->c, x);
	num_put(b->c, y);
	push(b, num_get(yes ? b->one : b->zero));
}

static struct num *stepped(struct bc *b, const struct num *x, uint32_t sign)
{
	return sign == '+' ? num_add(b->c, x, b->one, 0) : num_sub(b->c, x, b->one, 0);
}

static void step_element(struct bc *b, const struct ins *i)
{
	struct num *index = pop(b);
	size_t at;

	if (subscript(b, i, index, &at)) {
		struct num **slot = element(b, i->arg, at, true);
		struct num *old = *slot != NULL ? *slot : num_get(b->zero);

		*slot = stepped(b, old, i->aux);
		num_put(b->c, old);
	}
	num_put(b->c, index);
}

static void load_element(struct bc *b, const struct ins *i)
{
	struct num *index = pop(b);
	size_t at;
	struct num **slot = subscript(b, i, index, &at) ? element(b, i->arg, at, false) : NULL;

	num_put(b->c, index);
	push(b, num_get(slot != NULL && *slot != NULL ? *slot : b->zero));
}

static void store_element(struct bc *b, const struct ins *i)
{
	struct num *x = pop(b);
	struct num *index = pop(b);
	size_t at;

	if (subscript(b, i, index, &at)) {
		struct num **slot = element(b, i->arg, at, true);

		num_put(b->c, *slot);
		*slot = num_get(x);
	}
	num_put(b->c, index);
	push(b, x);
}

/* read(): the next number of the input, blanks before it skipped. */
static struct num *read_number(struct bc *b)
{
	struct arena_mark mark = arena_mark(b->c->arena);
	struct buf text = buf_in(b->c->arena);
	bool negative = false;
	int ch = bc_read_byte(b);

	while (ch >= 0 && byte_is_space(ch))
		ch = bc_read_byte(b);
	if (ch == '-' || ch == '+') {
		negative = ch == '-';
		ch = bc_read_byte(b);
	}
	for (; ch == '.' || byte_is_digit(ch) || byte_is_upper(ch); ch = bc_read_byte(b)) {
		buf_putc(&text, (char)ch);
		cmd_charge(b->c, 1);
	}
	while (ch >= 0 && ch != '\n')
		ch = bc_read_byte(b);
	struct num *x = num_parse(b->c, buf_bytes(&text), b->ibase, true);

	if (negative) {
		struct num *minus = num_neg(b->c, x);

		num_put(b->c, x);
		x = minus;
	}
	arena_release(b->c->arena, mark);
	return x;
}

static void unary(struct bc *b, const struct ins *i)
{
	struct num *x = b->stack[b->depth - 1];
	size_t whole = num_digits(x) > x->scale ? num_digits(x) : x->scale;

	switch (i->op) {
	case OP_NEG: set_top(b, num_neg(b->c, x)); return;
	case OP_NOT: set_top(b, num_get(num_is_zero(x) ? b->one : b->zero)); return;
	case OP_LENGTH: set_top(b, num_of_i64(b->c, whole == 0 ? 1 : (int64_t)whole)); return;
	case OP_SCALE: set_top(b, num_of_i64(b->c, (int64_t)x->scale)); return;
	default: break;
	}
	struct num *root = num_sqrt(b->c, x, b->scale);

	if (root == NULL)
		fail(b, i, "Square root of a negative number");
	else
		set_top(b, root);
}

static void constant(struct bc *b, const struct ins *i)
{
	struct bytes s = i->text;

	if (i->value != NULL) {
		push(b, num_get(i->value));
		return;
	}
	push(b, num_parse(b->c, s, b->ibase, true));
	cmd_charge_bytes(b->c, s.len);
}

static void write_top(struct bc *b, bool newline)
{
	struct num *x = pop(b);

	put_number(b, x, newline);
	num_put(b->c, b->vars[VAR_LAST]);
	b->vars[VAR_LAST] = x;
}

/* --- the machine --- */

/* Everything but jumps, calls and returns. */
static void simple(struct bc *b, const struct ins *i)
{
	struct num *x;

	switch (i->op) {
	case OP_CONST: constant(b, i); return;
	case OP_LOAD: push(b, load(b, i->arg)); return;
	case OP_LOAD_ELEMENT: load_element(b, i); return;
	case OP_STORE: store(b, i, i->arg, b->stack[b->depth - 1]); return;
	case OP_STORE_ELEMENT: store_element(b, i); return;
	case OP_STEP: {
		struct num *old = load(b, i->arg);

		x = stepped(b, old, i->aux);
		store(b, i, i->arg, x);
		num_put(b->c, old);
		num_put(b->c, x);
		return;
	}
	case OP_STEP_ELEMENT: step_element(b, i); return;
	case OP_DUP: push(b, num_get(b->stack[b->depth - 1])); return;
	case OP_SWAP:
		x = b->stack[b->depth - 1];
		b->stack[b->depth - 1] = b->stack[b->depth - 2];
		b->stack[b->depth - 2] = x;
		return;
	case OP_POP: drop(b); return;
	case OP_BINARY: binary(b, i); return;
	case OP_COMPARE: compare(b, (enum compare)i->arg); return;
	case OP_WRITE: write_top(b, true); return;
	case OP_PRINT: write_top(b, false); return;
	case OP_TEXT: bc_put(b, i->text); return;
	case OP_PRINT_TEXT: put_escaped(b, i->text); return;
	case OP_ARRAY: push(b, num_of_i64(b->c, i->arg)); return;
	case OP_READ: push(b, read_number(b)); return;
	case OP_RANDOM: push(b, num_of_i64(b->c, (int64_t)(cmd_random(b->c) >> 33))); return;
	case OP_HALT: cmd_exit(b->c, 0);
	default: unary(b, i); return;
	}
}

static void unwind(struct bc *b)
{
	while (b->depth > 0)
		drop(b);
	b->nframes = 0;
	restore(b, 0);
}

void bc_run(struct bc *b, struct code *code)
{
	size_t pc = 0;

	b->error = false;
	while (!b->error) {
		const struct ins *i;

		if (pc >= code->n)
			break;
		i = &code->ins[pc++];
		cmd_charge(b->c, 1);
		switch (i->op) {
		case OP_JUMP: pc = code->labels[i->arg]; break;
		case OP_BRANCH:
		case OP_BRANCH_ZERO: {
			struct num *x = pop(b);

			if (num_is_zero(x) == (i->op == OP_BRANCH_ZERO))
				pc = code->labels[i->arg];
			num_put(b->c, x);
			break;
		}
		case OP_CALL: enter(b, i, &code, &pc); break;
		case OP_RETURN: leave(b, &code, &pc); break;
		default: simple(b, i); break;
		}
	}
	unwind(b);
}

void bc_start(struct bc *b)
{
	struct cmd *c = b->c;

	b->zero = num_of_i64(c, 0);
	b->one = num_of_i64(c, 1);
	b->obase = num_of_i64(c, 10);
	b->ibase = 10;
	b->scale = b->library ? 20 : 0;
	b->nvars = VARS_FIXED;
	bc_grow(b, &b->vars, &b->vars_cap, VARS_FIXED, sizeof(struct num *));
	memset(b->vars, 0, VARS_FIXED * sizeof(struct num *));
}
