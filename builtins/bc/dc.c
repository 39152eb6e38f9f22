/* SPDX-License-Identifier: MIT
 *
 * dc - a calculator with a stack, in Polish notation turned around.
 *
 * Programs are strings on a stack of their own, so macros may call macros without end; a call
 * at the end of a string takes the place of its caller.
 *
 * Reference: GNU dc 1.4.1.
 */
#include "base/number.h"
#include "builtins/bc/num.h"

/* A string, counted; a value is a number or a string. */
struct text {
	unsigned refs;
	struct bytes s;
};

struct value {
	struct num *num; /* or NULL */
	struct text *text;
};

struct cell {
	uint64_t index;
	struct value value;
};

/* A level of a register. */
struct level {
	struct level *below;
	struct value value;
	bool set;
	struct cell *cells; /* by index */
	size_t ncells;
	size_t cells_cap;
};

struct frame {
	struct text *text;
	size_t at;
	uint64_t calls; /* how many this one stands for */
};

struct dc {
	struct cmd *c;
	struct value *stack;
	size_t depth;
	size_t cap;
	struct frame *frames;
	size_t nframes;
	size_t frames_cap;
	struct level *registers[256];
	unsigned ibase;
	struct num *obase;
	size_t scale;
	uint64_t line_length;
	struct input in; /* standard input */
	bool has_input;
	bool worked; /* -e or -f was given */
};

static void complain(struct dc *d, const char *text)
{
	cmd_error(d->c, 0, "%s", text);
}

/* --- values --- */

static struct text *new_text(struct dc *d, struct bytes s)
{
	struct text *t = pool_alloc(d->c->pool, sizeof(*t));

	t->refs = 1;
	t->s = (struct bytes){ pool_dup(d->c->pool, s), s.len };
	cmd_charge_bytes(d->c, s.len);
	return t;
}

static void put_text(struct dc *d, struct text *t)
{
	if (t == NULL || --t->refs > 0)
		return;
	pool_free(d->c->pool, (void *)(uintptr_t)t->s.ptr, t->s.len + 1);
	pool_free(d->c->pool, t, sizeof(*t));
}

static struct value copy_value(struct value v)
{
	if (v.num != NULL)
		num_get(v.num);
	else if (v.text != NULL)
		v.text->refs++;
	return v;
}

static void put_value(struct dc *d, struct value v)
{
	num_put(d->c, v.num);
	put_text(d, v.text);
}

static void push(struct dc *d, struct value v)
{
	if (d->depth == d->cap) {
		d->stack = pool_resize(d->c->pool, d->stack, d->cap * sizeof(v),
				       (d->cap * 2 + 16) * sizeof(v));
		d->cap = d->cap * 2 + 16;
	}
	d->stack[d->depth++] = v;
}

static void push_num(struct dc *d, struct num *x)
{
	push(d, (struct value){ x, NULL });
}

/* Whether there are n values; else a message. */
static bool need(struct dc *d, size_t n)
{
	if (d->depth < n)
		complain(d, "stack empty");
	return d->depth >= n;
}

/* The n-th value from the top, from 0. */
static struct value *top(struct dc *d, size_t n)
{
	return &d->stack[d->depth - 1 - n];
}

static bool need_numbers(struct dc *d, size_t n)
{
	if (!need(d, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (top(d, i)->num == NULL) {
			complain(d, "non-numeric value");
			return false;
		}
	return true;
}

static void drop(struct dc *d, size_t n)
{
	while (n-- > 0)
		put_value(d, d->stack[--d->depth]);
}

/* --- printing --- */

static void put_wrapped(struct dc *d, struct bytes s)
{
	size_t room = d->line_length == 0 ? SIZE_MAX : (size_t)d->line_length - 1;

	while (s.len > room) {
		cmd_write(d->c, s.ptr, room);
		cmd_puts(d->c, "\\\n");
		s = bytes_slice(s, room, s.len);
	}
	cmd_bytes(d->c, s);
}

static void put_number(struct dc *d, const struct num *x)
{
	struct arena_mark mark = arena_mark(d->c->arena);
	struct buf text = buf_in(d->c->arena);

	num_format(d->c, &text, x, d->obase, false);
	put_wrapped(d, buf_bytes(&text));
	arena_release(d->c->arena, mark);
}

static void print(struct dc *d, struct value v)
{
	if (v.num != NULL)
		put_number(d, v.num);
	else
		cmd_bytes(d->c, v.text->s);
}

/* Takes a value off the stack, of which there must be one: its whole part as an int, as dc takes
   it. -1 for a string, and with a message for what is too large, or becomes 0 though it is not. */
static int take_int(struct dc *d)
{
	enum { TENS_MAX = INT32_MAX / 10 }; /* what may come before the last digit */
	const struct num *x = top(d, 0)->num;
	int64_t v = x != NULL ? num_to_i64(x, NULL) : -1;

	if (v / 10 > TENS_MAX || v / 10 < -TENS_MAX || (v == 0 && !num_is_zero(x))) {
		complain(d, "value overflows simple integer; punting...");
		v = -1;
	}
	drop(d, 1);
	return (int)(uint32_t)(uint64_t)v;
}

/* The bytes of the whole part, as digits of base 256; one at least. */
static struct bytes number_bytes(struct dc *d, const struct num *x)
{
	struct buf out = buf_in(d->c->arena);
	struct num *left = num_rescale(d->c, x, 0);

	while ((left->len = mag_trim(left->limb, left->len)) > 0) {
		buf_putc(&out, (char)mag_div_small(left->limb, left->len, 256));
		cmd_charge(d->c, left->len / 16 + 1);
	}
	num_put(d->c, left);
	if (out.len == 0)
		buf_putc(&out, '\0');
	for (size_t i = 0, k = out.len; i + 1 < k; i++) {
		char ch = out.ptr[i];

		out.ptr[i] = out.ptr[--k];
		out.ptr[k] = ch;
	}
	return buf_bytes(&out);
}

static void print_bytes(struct dc *d)
{
	struct arena_mark mark = arena_mark(d->c->arena);

	if (!need(d, 1))
		return;
	cmd_bytes(d->c,
		  top(d, 0)->num != NULL ? number_bytes(d, top(d, 0)->num) : top(d, 0)->text->s);
	drop(d, 1);
	arena_release(d->c->arena, mark);
}

static void to_char(struct dc *d)
{
	if (!need(d, 1))
		return;
	const struct text *t = top(d, 0)->text;
	char ch = t != NULL && t->s.len > 0 ? t->s.ptr[0] : '\0';

	if (t == NULL)
		ch = (char)take_int(d);
	else
		drop(d, 1);
	push(d, (struct value){ NULL, new_text(d, (struct bytes){ &ch, 1 }) });
}

/* --- arithmetic --- */

static struct num *power(struct dc *d, const struct num *a, const struct num *b)
{
	static const char warning[] = "Runtime warning: non-zero scale in exponent\n";
	bool fits;
	int64_t exponent = num_to_i64(b, &fits);

	cmd_flush(d->c);
	if (b->scale != 0)
		cmd_err_write(d->c, warning, sizeof(warning) - 1);
	if (!fits) {
		static const char error[] = "Runtime error: exponent too large in raise\n";

		cmd_err_write(d->c, error, sizeof(error) - 1);
		exponent = 0;
	}
	struct num *x = num_pow(d->c, a, exponent, d->scale);

	return x != NULL ? x : num_of_i64(d->c, 0);
}

static void binary(struct dc *d, char op)
{
	struct cmd *c = d->c;
	struct num *quotient = NULL;
	struct num *x;

	if (!need_numbers(d, 2))
		return;
	struct num *b = top(d, 0)->num;
	struct num *a = top(d, 1)->num;

	switch (op) {
	case '+': x = num_add(c, a, b, 0); break;
	case '-': x = num_sub(c, a, b, 0); break;
	case '*': x = num_mul(c, a, b, d->scale); break;
	case '/': x = num_div(c, a, b, d->scale); break;
	case '^': x = power(d, a, b); break;
	default: x = num_mod(c, a, b, d->scale, op == '~' ? &quotient : NULL); break;
	}
	if (x == NULL) {
		complain(d, op == '%' ? "remainder by zero" : "divide by zero");
		return;
	}
	drop(d, 2);
	if (quotient != NULL)
		push_num(d, quotient);
	push_num(d, x);
}

static void modexp(struct dc *d)
{
	if (!need_numbers(d, 3))
		return;
	struct num *m = num_rescale(d->c, top(d, 0)->num, 0);
	struct num *e = num_rescale(d->c, top(d, 1)->num, 0);
	struct num *x = e->negative ? NULL : num_modexp(d->c, top(d, 2)->num, e, m, d->scale);

	if (x == NULL && num_is_zero(m))
		complain(d, "remainder by zero");
	num_put(d->c, m);
	num_put(d->c, e);
	if (x == NULL)
		return;
	drop(d, 3);
	push_num(d, x);
}

static void root(struct dc *d)
{
	if (!need(d, 1))
		return;
	const struct num *square = top(d, 0)->num;
	struct num *x = square != NULL ? num_sqrt(d->c, square, d->scale) : NULL;

	if (x == NULL)
		complain(d, square != NULL ? "square root of negative number"
					   : "square root of nonnumeric attempted");
	drop(d, 1);
	if (x != NULL)
		push_num(d, x);
}

/* --- stack and parameters --- */

static void measure(struct dc *d, char op)
{
	if (!need(d, 1))
		return;
	const struct num *x = top(d, 0)->num;
	size_t n = 0;

	if (x == NULL)
		n = op == 'Z' ? top(d, 0)->text->s.len : 0;
	else if (op == 'X')
		n = x->scale;
	else
		n = num_digits(x);
	if (x != NULL && op == 'Z' && n == 0)
		n = 1;
	drop(d, 1);
	push_num(d, num_of_i64(d->c, (int64_t)n));
}

static void rotate(struct dc *d)
{
	if (!need(d, 1))
		return;
	int64_t n = take_int(d);
	uint64_t count = n < 0 ? -(uint64_t)n : (uint64_t)n;

	if (count > d->depth)
		count = d->depth;
	if (count < 2)
		return;
	struct value *base = &d->stack[d->depth - count];
	struct value moved = n > 0 ? base[0] : base[count - 1];

	if (n > 0)
		memmove(base, base + 1, (size_t)(count - 1) * sizeof(*base));
	else
		memmove(base + 1, base, (size_t)(count - 1) * sizeof(*base));
	base[n > 0 ? count - 1 : 0] = moved;
	cmd_charge(d->c, count / 16 + 1);
}

static void set_parameter(struct dc *d, char which)
{
	if (!need(d, 1))
		return;
	int v = take_int(d);

	if (which == 'k') {
		if (v < 0)
			complain(d, "scale must be a nonnegative number");
		else
			d->scale = (size_t)v;
	} else if (which == 'i') {
		if (v < 2 || v > 16)
			complain(d, "input base must be a number between 2 and 16 (inclusive)");
		else
			d->ibase = (unsigned)v;
	} else if (v < 2) {
		complain(d, "output base must be a number greater than 1");
	} else {
		num_put(d->c, d->obase);
		d->obase = num_of_i64(d->c, v);
	}
}

/* --- registers --- */

static struct level *level_of(struct dc *d, unsigned char name)
{
	if (d->registers[name] == NULL)
		d->registers[name] = pool_zalloc(d->c->pool, sizeof(struct level));
	return d->registers[name];
}

static void store(struct dc *d, unsigned char name, bool deeper)
{
	if (!need(d, 1))
		return;
	struct level *l = level_of(d, name);

	if (deeper) {
		struct level *above = pool_zalloc(d->c->pool, sizeof(*above));

		above->below = l;
		d->registers[name] = l = above;
	}
	if (l->set)
		put_value(d, l->value);
	l->value = *top(d, 0);
	l->set = true;
	d->depth--;
}

static void load(struct dc *d, unsigned char name)
{
	const struct level *l = level_of(d, name);

	if (l->set)
		push(d, copy_value(l->value));
	else
		push_num(d, num_of_i64(d->c, 0));
}

static void unload(struct dc *d, unsigned char name)
{
	struct level *l = level_of(d, name);

	if (!l->set) {
		cmd_error(d->c, 0, "stack register '%c' (0%o) is empty", name, name);
		return;
	}
	push(d, l->value);
	for (size_t i = 0; i < l->ncells; i++)
		put_value(d, l->cells[i].value);
	pool_free(d->c->pool, l->cells, l->cells_cap * sizeof(struct cell));
	d->registers[name] = l->below;
	pool_free(d->c->pool, l, sizeof(*l));
}

/* Where an index is, or would be. */
static size_t find_cell(const struct level *l, uint64_t index)
{
	size_t low = 0;
	size_t high = l->ncells;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->cells[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const char bad_index[] = "array index must be a nonnegative integer";

static void store_cell(struct dc *d, unsigned char name)
{
	struct level *l = level_of(d, name);

	if (!need(d, 1))
		return;
	int i = take_int(d);

	if (!need(d, 1))
		return;
	if (i < 0) {
		complain(d, bad_index);
		drop(d, 1);
		return;
	}
	uint64_t index = (uint64_t)i;
	size_t at = find_cell(l, index);
	struct value v = d->stack[--d->depth];

	if (at < l->ncells && l->cells[at].index == index) {
		put_value(d, l->cells[at].value);
		l->cells[at].value = v;
		return;
	}
	if (l->ncells == l->cells_cap) {
		size_t cap = l->cells_cap * 2 + 8;

		l->cells = pool_resize(d->c->pool, l->cells, l->cells_cap * sizeof(struct cell),
				       cap * sizeof(struct cell));
		l->cells_cap = cap;
	}
	memmove(l->cells + at + 1, l->cells + at, (l->ncells - at) * sizeof(struct cell));
	cmd_charge(d->c, (l->ncells - at) / 8 + 1);
	l->cells[at] = (struct cell){ index, v };
	l->ncells++;
}

static void load_cell(struct dc *d, unsigned char name)
{
	const struct level *l = level_of(d, name);

	if (!need(d, 1))
		return;
	int i = take_int(d);

	if (i < 0) {
		complain(d, bad_index);
		return;
	}
	uint64_t index = (uint64_t)i;
	size_t at = find_cell(l, index);

	if (at < l->ncells && l->cells[at].index == index)
		push(d, copy_value(l->cells[at].value));
	else
		push_num(d, num_of_i64(d->c, 0));
}

/* --- macros --- */

static void end_frame(struct dc *d)
{
	put_text(d, d->frames[--d->nframes].text);
}

static void call(struct dc *d, struct text *t)
{
	uint64_t calls = 1;

	if (d->nframes > 0) {
		struct frame *f = &d->frames[d->nframes - 1];

		/* The first frame is the program: it is never replaced. */
		if (f->at == f->text->s.len && d->nframes > 1) {
			calls += f->calls;
			end_frame(d);
		}
	}
	if (d->nframes == d->frames_cap) {
		d->frames = pool_resize(d->c->pool, d->frames, d->frames_cap * sizeof(*d->frames),
					(d->frames_cap * 2 + 8) * sizeof(*d->frames));
		d->frames_cap = d->frames_cap * 2 + 8;
	}
	t->refs++;
	d->frames[d->nframes++] = (struct frame){ t, 0, calls };
}

static void execute(struct dc *d)
{
	if (!need(d, 1) || top(d, 0)->num != NULL)
		return;
	struct value v = d->stack[--d->depth];

	call(d, v.text);
	put_value(d, v);
}

/* Leaves n levels of macros. False: there are not so many. */
static bool leave(struct dc *d, uint64_t n)
{
	uint64_t have = 0;

	for (size_t i = 1; i < d->nframes; i++)
		have += d->frames[i].calls;
	if (n > have)
		return false;
	while (n > 0) {
		struct frame *f = &d->frames[d->nframes - 1];
		uint64_t take = f->calls < n ? f->calls : n;

		f->calls -= take;
		n -= take;
		if (f->calls == 0) {
			end_frame(d);
		} else {
			/* It stood in for callers that had come to their ends. */
			end_frame(d);
			break;
		}
	}
	return true;
}

static void quit_levels(struct dc *d)
{
	if (!need(d, 1))
		return;
	int n = take_int(d);

	if (n < 1)
		complain(d, "Q command requires a number >= 1");
	else if (n == 1 && d->nframes > 1)
		return; /* as GNU dc does */
	else if (!leave(d, (uint64_t)n))
		complain(d, "Q command argument exceeded string execution depth");
}

static void compare(struct dc *d, char op, bool negated, unsigned char name)
{
	if (!need_numbers(d, 2))
		return;
	int order = num_cmp(d->c, top(d, 0)->num, top(d, 1)->num);
	bool yes = op == '=' ? order == 0 : op == '<' ? order < 0 : order > 0;
	const struct level *l = level_of(d, name);

	drop(d, 2);
	if (yes == negated || !l->set)
		return;
	push(d, copy_value(l->value));
	execute(d);
}

static void shell(struct dc *d, struct bytes line)
{
	char *argv[] = { arena_dup(d->c->arena, BYTES("/bin/sh")),
			 arena_dup(d->c->arena, BYTES("-c")), arena_dup(d->c->arena, line), NULL };
	int status;
	int pid;

	if (d->has_input)
		input_unread(&d->in);
	pid = cmd_spawn(d->c, &(struct cmd_program){ .argv = argv });
	if (pid > 0)
		cmd_wait(d->c, pid, &status, false);
}

/* ?: a line of standard input is run. */
static void run_line(struct dc *d)
{
	struct bytes line;

	if (!d->has_input)
		input_open(&d->in, d->c, "-");
	d->has_input = true;
	cmd_flush(d->c);
	if (input_line(&d->in, '\n', &line) <= 0)
		return;
	struct text *t = new_text(d, line);

	call(d, t);
	put_text(d, t);
}

/* --- programs --- */

static bool is_digit(char ch)
{
	return byte_is_digit((unsigned char)ch) || (ch >= 'A' && ch <= 'F');
}

static void read_number(struct dc *d, struct frame *f)
{
	struct bytes s = f->text->s;
	bool negative = false;
	bool point = false;
	size_t from = f->at - 1;
	size_t to;

	if (s.ptr[from] == '_') {
		negative = true;
		from++;
		while (from < s.len && byte_is_space((unsigned char)s.ptr[from]))
			from++;
	}
	for (to = from; to < s.len && (is_digit(s.ptr[to]) || (s.ptr[to] == '.' && !point)); to++)
		point |= s.ptr[to] == '.';
	f->at = to;
	struct bytes digits = bytes_slice(s, from, to);
	struct num *x = num_parse(d->c, digits, d->ibase, false);

	cmd_charge_bytes(d->c, digits.len);
	if (negative) {
		struct num *minus = num_neg(d->c, x);

		num_put(d->c, x);
		x = minus;
	}
	push_num(d, x);
}

/* The string behind '[', up to its ']'. */
static void read_string(struct dc *d, struct frame *f)
{
	struct bytes s = f->text->s;
	size_t from = f->at;
	size_t to = from;
	size_t open = 1;

	for (; to < s.len; to++) {
		open += s.ptr[to] == '[';
		open -= s.ptr[to] == ']';
		if (open == 0)
			break;
	}
	f->at = to < s.len ? to + 1 : to;
	push(d, (struct value){ NULL, new_text(d, bytes_slice(s, from, to)) });
}

static struct bytes rest_of_line(struct frame *f)
{
	struct bytes s = f->text->s;
	size_t from = f->at;
	const char *newline = memchr(s.ptr + from, '\n', s.len - from);
	size_t to = newline != NULL ? (size_t)(newline - s.ptr) : s.len;

	f->at = newline != NULL ? to + 1 : to;
	return bytes_slice(s, from, to);
}

/* Commands that take the byte behind them. */
static void with_register(struct dc *d, char op, bool negated)
{
	struct frame *f = &d->frames[d->nframes - 1];
	unsigned char name = 0;

	if (f->at < f->text->s.len)
		name = (unsigned char)f->text->s.ptr[f->at++];
	switch (op) {
	case 's':
	case 'S': store(d, name, op == 'S'); return;
	case 'l': load(d, name); return;
	case 'L': unload(d, name); return;
	case ':': store_cell(d, name); return;
	case ';': load_cell(d, name); return;
	default: compare(d, op, negated, name); return;
	}
}

static void bang(struct dc *d, struct frame *f)
{
	char next = f->at < f->text->s.len ? f->text->s.ptr[f->at] : '\n';

	if (next == '<' || next == '>' || next == '=') {
		f->at++;
		with_register(d, next, true);
		return;
	}
	shell(d, rest_of_line(f));
}

static void stack_command(struct dc *d, char op)
{
	switch (op) {
	case 'p':
		if (need(d, 1)) {
			print(d, *top(d, 0));
			cmd_putc(d->c, '\n');
		}
		return;
	case 'n':
		if (need(d, 1)) {
			print(d, *top(d, 0));
			drop(d, 1);
		}
		return;
	case 'f':
		for (size_t i = 0; i < d->depth; i++) {
			print(d, *top(d, i));
			cmd_putc(d->c, '\n');
			cmd_charge(d->c, 1);
		}
		return;
	case 'c': drop(d, d->depth); return;
	case 'd':
		if (need(d, 1))
			push(d, copy_value(*top(d, 0)));
		return;
	default:
		/* One alone stays where it is, without a word. */
		if (d->depth > 1) {
			struct value v = *top(d, 0);

			*top(d, 0) = *top(d, 1);
			*top(d, 1) = v;
		}
		return;
	}
}

/* The name of the command goes to standard error, the rest, as in GNU dc, to the output. */
static void unimplemented(struct dc *d, unsigned char op)
{
	cmd_flush(d->c);
	cmd_err_write(d->c, "dc: ", 4);
	if (byte_is_print(op))
		cmd_printf(d->c, "'%c' (0%o) unimplemented\n", op, op);
	else
		cmd_printf(d->c, op != 0 ? "0%o unimplemented\n" : "%o unimplemented\n", op);
}

/* long: one case for each command */
static void command(struct dc *d, char op)
{
	struct frame *f = &d->frames[d->nframes - 1];

	switch (op) {
	case ' ':
	case '\t':
	case '\n':
	case '\r':
	case '\f':
	case '\v': return;
	case '[': read_string(d, f); return;
	case '#': rest_of_line(f); return;
	case '!': bang(d, f); return;
	case '?': run_line(d); return;
	case '+':
	case '-':
	case '*':
	case '/':
	case '%':
	case '~':
	case '^': binary(d, op); return;
	case '|': modexp(d); return;
	case 'v': root(d); return;
	case 'p':
	case 'n':
	case 'f':
	case 'c':
	case 'd':
	case 'r': stack_command(d, op); return;
	case 'R': rotate(d); return;
	case 'P': print_bytes(d); return;
	case 'a': to_char(d); return;
	case 'Z':
	case 'X': measure(d, op); return;
	case 'z': push_num(d, num_of_i64(d->c, (int64_t)d->depth)); return;
	case 'i':
	case 'o':
	case 'k': set_parameter(d, op); return;
	case 'I': push_num(d, num_of_i64(d->c, d->ibase)); return;
	case 'O': push_num(d, num_get(d->obase)); return;
	case 'K': push_num(d, num_of_i64(d->c, (int64_t)d->scale)); return;
	case 's':
	case 'S':
	case 'l':
	case 'L':
	case ':':
	case ';':
	case '<':
	case '>':
	case '=': with_register(d, op, false); return;
	case 'x': execute(d); return;
	case 'q':
		if (!leave(d, 2))
			cmd_exit(d->c, 0);
		return;
	case 'Q': quit_levels(d); return;
	default: break;
	}
	if (is_digit(op) || op == '_' || op == '.')
		read_number(d, f);
	else
		unimplemented(d, (unsigned char)op);
}

static void run(struct dc *d, struct bytes program)
{
	struct text *t = new_text(d, program);

	call(d, t);
	put_text(d, t);
	while (d->nframes > 0) {
		struct frame *f = &d->frames[d->nframes - 1];

		if (f->at == f->text->s.len) {
			end_frame(d);
			continue;
		}
		command(d, f->text->s.ptr[f->at++]);
		cmd_charge(d->c, 1);
	}
}

/* How many '[' of the text are open. */
static size_t open_brackets(struct bytes s, size_t open)
{
	for (size_t i = 0; i < s.len; i++) {
		open += s.ptr[i] == '[';
		open -= s.ptr[i] == ']' && open > 0;
	}
	return open;
}

/* Standard input is run line by line; a string may span lines. */
static void run_input(struct dc *d)
{
	struct arena_mark mark = arena_mark(d->c->arena);
	struct buf program = buf_in(d->c->arena);
	struct bytes line;
	size_t open = 0;

	if (!d->has_input)
		input_open(&d->in, d->c, "-");
	d->has_input = true;
	while (cmd_flush(d->c), input_line(&d->in, '\n', &line) > 0) {
		buf_add(&program, line);
		if (d->in.ended)
			buf_putc(&program, '\n');
		open = open_brackets(line, open);
		cmd_charge_bytes(d->c, line.len);
		if (open > 0)
			continue;
		run(d, buf_bytes(&program));
		arena_release(d->c->arena, mark);
		program = buf_in(d->c->arena);
	}
	run(d, buf_bytes(&program));
}

static void run_file(struct dc *d, const char *path)
{
	struct bytes all;

	d->worked = true;
	if (strcmp(path, "-") == 0) {
		run_input(d);
		return;
	}
	if (cmd_read_all(d->c, path, &all) < 0) {
		cmd_error(d->c, 0, "Could not open file %s", path);
		return;
	}
	run(d, all);
}

/* --- options: each is run when it is read --- */

static void start(struct dc *d, struct cmd *c)
{
	const char *length = cmd_getenv(c, "DC_LINE_LENGTH");
	int64_t n;

	if (d->c != NULL)
		return;
	d->c = c;
	d->ibase = 10;
	d->obase = num_of_i64(c, 10);
	d->line_length = 70;
	if (length != NULL && num_parse_i64(length, "", &n) == 0 && (n == 0 || n > 1))
		d->line_length = (uint64_t)n;
}

static int run_option(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct dc *d = c->opts;

	start(d, c);
	d->worked = true;
	if (opt->letter == 'e')
		run(d, bytes_of(arg));
	else
		run_file(d, arg);
	return 0;
}

static const struct opt dc_options[] = {
	OPT_CALL_ARG('e', "expression", run_option, "EXPR", "run EXPR"),
	OPT_CALL_ARG('f', "file", run_option, "FILE", "run what FILE contains"),
	OPT_CALL('V', NULL, cmd_opt_version, NULL),
	OPT_END(),
};

static int dc_run(struct cmd *c)
{
	struct dc *d = c->opts;

	start(d, c);
	for (int i = 0; i < c->nargs; i++)
		run_file(d, c->args[i]);
	if (!d->worked)
		run_input(d);
	return 0;
}

const struct builtin builtin_dc = {
	.name = "dc",
	.usage = "[OPTION] [file ...]",
	.summary = "Calculates in reverse Polish notation, with numbers of any length.",
	.run = dc_run,
	.opts = dc_options,
	.opts_size = sizeof(struct dc),
	.family = "GNU dc 1.4.1",
	.version = "dc (GNU bc 1.07.1) 1.4.1",
	.write_error = "error writing to stdout",
};
