/* SPDX-License-Identifier: MIT
 *
 * The machine: registers in frames, forks to come back to (see jq.h).
 *
 * Frames lie one above the other. A frame is given up when its function returns and no fork
 * is younger than it; else it stays until the machine goes back to a fork that is older.
 */
#include "builtins/jq/jq.h"

enum { CHARGE_EVERY = 64, TAIL_ARGS_MAX = 8 };

/* --- registers --- */

static struct json *regs_of(struct vm *vm, uint32_t frame)
{
	return vm->stack + frame + FRAME_SLOTS;
}

static struct frame *frame_at(struct vm *vm, uint32_t frame)
{
	return (struct frame *)(void *)(vm->stack + frame);
}

static inline void set(struct jq *j, struct json *reg, struct json v)
{
	struct json old = *reg;

	v.mark = (uint32_t)j->vm.nforks;
	*reg = v;
	json_put(&j->m, old);
}

/* The value of a register; the register is emptied if it may be. */
static inline struct json take(struct jq *j, struct json *reg, bool move)
{
	struct json v = *reg;

	if (move && v.mark == j->vm.nforks) {
		*reg = json_simple(JSON_NONE);
		return v;
	}
	return json_copy(v);
}

/* --- frames and forks --- */

static void charge(struct jq *j)
{
	if (++j->vm.steps % CHARGE_EVERY == 0)
		cmd_charge(j->c, CHARGE_EVERY);
}

static void release_to(struct jq *j, uint32_t top)
{
	struct vm *vm = &j->vm;

	for (uint32_t at = top; at < vm->top;) {
		uint32_t n = frame_at(vm, at)->nregs;
		struct json *r = regs_of(vm, at);

		for (uint32_t i = 0; i < n; i++)
			json_put(&j->m, r[i]);
		at += (uint32_t)FRAME_SLOTS + n;
	}
	vm->top = top;
}

/* A new frame on top, its registers empty. */
static struct frame *push_frame(struct jq *j, struct fn *fn, int form)
{
	struct vm *vm = &j->vm;
	size_t need;
	struct frame *f;

	if (fn->code[form] == NULL)
		jq_compile_form(j, fn, form);
	need = (size_t)FRAME_SLOTS + fn->nregs[form];
	if (vm->top + need > vm->cap) {
		size_t cap = (vm->top + need) * 2;

		if (cap > UINT32_MAX / sizeof(*vm->stack))
			cap = SIZE_MAX / 2 / sizeof(*vm->stack); /* as no memory */
		vm->stack = pool_resize(j->m.pool, vm->stack, vm->cap * sizeof(*vm->stack),
					cap * sizeof(*vm->stack));
		vm->cap = cap;
	}
	f = frame_at(vm, vm->top);
	memset((void *)f, 0, need * sizeof(*vm->stack));
	f->fn = fn;
	f->form = (uint8_t)form;
	f->forks = (uint32_t)vm->nforks;
	f->nregs = fn->nregs[form];
	return f;
}

static struct fork *push_fork(struct jq *j, enum fork_kind kind, const struct insn *pc)
{
	struct vm *vm = &j->vm;
	struct fork *f;

	if (vm->nforks == vm->forks_cap) {
		size_t cap = vm->forks_cap * 2 + 16;

		vm->forks = pool_resize(j->m.pool, vm->forks, vm->forks_cap * sizeof(*f),
					cap * sizeof(*f));
		vm->forks_cap = cap;
	}
	f = &vm->forks[vm->nforks++];
	*f = (struct fork){ .pc = pc, .frame = vm->frame, .top = vm->top, .kind = kind };
	return f;
}

/* Goes back to the youngest fork: false if there is none. */
static bool backtrack(struct jq *j)
{
	struct vm *vm = &j->vm;

	while (vm->nforks > 0) {
		struct fork f = vm->forks[--vm->nforks];

		if (f.kind == FORK_TRY || f.kind == FORK_TRY_END || f.pc == NULL)
			continue;
		release_to(j, f.top);
		vm->frame = f.frame;
		vm->pc = f.pc;
		return true;
	}
	return false;
}

/* Goes to the handler of the error that was raised: false if there is none. */
static bool handle_error(struct jq *j)
{
	struct vm *vm = &j->vm;

	/* halt is raised as an error, but nothing catches it. */
	while (vm->nforks > 0 && !j->halted) {
		struct fork f = vm->forks[--vm->nforks];

		if (f.kind == FORK_TRY_END)
			vm->nforks = f.arg;
		if (f.kind != FORK_TRY)
			continue;
		release_to(j, f.top);
		vm->frame = f.frame;
		vm->pc = f.pc;
		j->raised = false;
		set(j, &regs_of(vm, vm->frame)[f.arg], j->error);
		j->error = json_simple(JSON_NONE);
		return true;
	}
	return false;
}

/* Forgets the forks from height on. */
static void cut(struct jq *j, size_t height)
{
	struct vm *vm = &j->vm;

	if (height >= vm->nforks)
		return;
	release_to(j, vm->forks[height].top);
	vm->nforks = height;
}

static void try_end(struct jq *j, struct json height)
{
	struct vm *vm = &j->vm;

	/* Alternatives of a pattern: the last one is not tried. */
	if (height.kind != JSON_NUMBER)
		return;

	size_t at = (size_t)height.u.num;

	if (at + 1 == vm->nforks)
		vm->nforks = at;
	else
		push_fork(j, FORK_TRY_END, NULL)->arg = (uint32_t)at;
}

/* --- calls --- */

static uint32_t frame_up(struct vm *vm, unsigned hops)
{
	uint32_t f = vm->frame;

	while (hops-- > 0)
		f = frame_at(vm, f)->env;
	return f;
}

static struct json argument(struct jq *j, const struct insn *arg)
{
	struct vm *vm = &j->vm;
	struct json v;

	if (arg->op == OP_MOVE)
		return take(j, &regs_of(vm, vm->frame)[arg->a], true);
	if (arg->op == OP_LOAD_UP)
		return regs_of(vm, frame_up(vm, arg->b))[arg->a];
	v = json_simple(JSON_NONE);
	v.u.ptr = arg->u.fn;
	v.mark = vm->frame;
	return v;
}

static void enter(struct jq *j, struct frame *f, struct json in, struct json path)
{
	struct vm *vm = &j->vm;
	struct json *r = (struct json *)(void *)f + FRAME_SLOTS;

	in.mark = path.mark = f->forks;
	r[0] = in;
	if (f->form)
		r[1] = path;
	vm->frame = (uint32_t)((struct json *)(void *)f - vm->stack);
	vm->top = vm->frame + (uint32_t)FRAME_SLOTS + f->nregs;
	vm->pc = f->fn->code[f->form];
}

static void set_args(struct json *params, const struct json *args, const struct insn *insn,
		     size_t n, size_t forks)
{
	for (size_t i = 0; i < n; i++) {
		params[i] = args[i];
		if (insn[i].op == OP_MOVE)
			params[i].mark = (uint32_t)forks;
	}
}

/* Calls fn; the arguments are the nargs instructions behind pc. */
static void call(struct jq *j, const struct insn *pc, struct fn *fn, uint32_t env, size_t nargs)
{
	struct vm *vm = &j->vm;
	int form = pc->flags & INSN_PATH ? 1 : 0;
	struct frame *f = push_frame(j, fn, form);
	struct json *r = regs_of(vm, vm->frame);
	struct json *params = (struct json *)(void *)f + FRAME_SLOTS + form + 1;
	bool move = pc->flags & INSN_MOVE_A;
	struct json path = json_simple(JSON_NONE);

	for (size_t i = 0; i < nargs; i++) {
		struct json v = argument(j, &pc[1 + i]);

		set_args(&params[i], &v, &pc[1 + i], 1, vm->nforks);
	}
	f->ret = pc + 1 + nargs;
	f->caller = vm->frame;
	f->env = env;
	f->dst = pc->dst;
	if (form)
		path = take(j, &r[pc->a + 1], move);
	charge(j);
	enter(j, f, take(j, &r[pc->a], move), path);
}

/* The same where the result is the caller's: in its frame's place if nothing needs it. */
static void tail_call(struct jq *j, const struct insn *pc, struct fn *fn, size_t nargs)
{
	struct vm *vm = &j->vm;
	struct frame old = *frame_at(vm, vm->frame);
	unsigned hops = pc->b >> 8;
	uint32_t env = frame_up(vm, hops);
	struct json args[TAIL_ARGS_MAX];
	bool fits = old.forks == vm->nforks && nargs <= TAIL_ARGS_MAX &&
		    (fn->parent == NULL || hops > 0);

	for (size_t i = 0; i < nargs && fits; i++)
		fits = pc[1 + i].op != OP_CLOSURE;
	if (!fits) {
		call(j, pc, fn, env, nargs);
		return;
	}
	struct json *r = regs_of(vm, vm->frame);
	struct json path = json_simple(JSON_NONE);
	struct json in;
	struct frame *f;

	for (size_t i = 0; i < nargs; i++)
		args[i] = argument(j, &pc[1 + i]);
	if (old.form)
		path = take(j, &r[pc->a + 1], true);
	in = take(j, &r[pc->a], true);
	release_to(j, vm->frame);
	f = push_frame(j, fn, old.form);
	f->ret = old.ret;
	f->caller = old.caller;
	f->env = env;
	f->dst = old.dst;
	set_args((struct json *)(void *)f + FRAME_SLOTS + old.form + 1, args, pc + 1, nargs,
		 vm->nforks);
	charge(j);
	enter(j, f, in, path);
}

static void ret(struct jq *j, const struct insn *pc)
{
	struct vm *vm = &j->vm;
	struct frame f = *frame_at(vm, vm->frame);
	struct json *r = regs_of(vm, vm->frame);
	bool leave = f.forks == vm->nforks;
	struct json path = json_simple(JSON_NONE);
	struct json v;

	v = take(j, &r[pc->a], leave);
	if (f.form)
		path = take(j, &r[pc->a + 1], leave);
	if (leave)
		release_to(j, vm->frame);
	vm->frame = f.caller;
	r = regs_of(vm, f.caller);
	set(j, &r[f.dst], v);
	if (f.form)
		set(j, &r[f.dst + 1], path);
	vm->pc = f.ret;
}

/* --- access with paths --- */

static bool path_ok(struct jq *j, struct json path, struct json v, struct json *key)
{
	if (path.kind == JSON_ARRAY)
		return true;
	j->no_path = true;
	if (key == NULL) {
		jq_error(j, "Invalid path expression near attempt to iterate through %s",
			 jq_dump_long(j, v));
		return false;
	}
	char text[64];
	const char *shown = jq_dump(j, *key);
	size_t n = strlen(shown) < sizeof(text) ? strlen(shown) : sizeof(text) - 1;

	memcpy(text, shown, n);
	text[n] = '\0';
	jq_error(j, "Invalid path expression near attempt to access element %s of %s", text,
		 jq_dump_long(j, v));
	return false;
}

/* dst = a[key], its path grown by the key; consumes key. */
static void access(struct jq *j, struct json *r, const struct insn *pc, struct json key)
{
	bool move = pc->flags & INSN_MOVE_A;
	struct json v = r[pc->a];
	struct json path;

	if ((pc->flags & INSN_PATH) && !path_ok(j, r[pc->a + 1], v, &key)) {
		json_put(&j->m, key);
		return;
	}
	if (pc->flags & INSN_PATH) {
		path = json_push(&j->m, take(j, &r[pc->a + 1], move), json_copy(key));
		set(j, &r[pc->dst + 1], path);
	}
	v = jq_index(j, take(j, &r[pc->a], move), key);
	if (!j->raised)
		set(j, &r[pc->dst], v);
}

static struct json slice_key(struct jq *j, struct json from, struct json to)
{
	struct json o = json_object(&j->m, 2);

	o = json_set(&j->m, o, json_key(&j->m, BYTES("start")), from);
	return json_set(&j->m, o, json_key(&j->m, BYTES("end")), to);
}

static void slice(struct jq *j, struct json *r, const struct insn *pc)
{
	bool move = pc->flags & INSN_MOVE_A;
	struct json v;

	if (pc->flags & INSN_PATH) {
		access(j, r, pc, slice_key(j, json_copy(r[pc->b]), json_copy(r[pc->b + 1])));
		return;
	}
	v = jq_slice(j, take(j, &r[pc->a], move), json_copy(r[pc->b]), json_copy(r[pc->b + 1]));
	if (!j->raised)
		set(j, &r[pc->dst], v);
}

static void each(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json v = r[pc->a];
	bool move = pc->flags & INSN_MOVE_A;

	if ((pc->flags & INSN_PATH) && !path_ok(j, r[pc->a + 1], v, NULL))
		return;
	if (v.kind != JSON_ARRAY && v.kind != JSON_OBJECT) {
		if (v.kind == JSON_NULL)
			jq_error(j, "Cannot iterate over null (null)");
		else
			jq_error(j, "Cannot iterate over %s (%s)", json_kind_name(v),
				 jq_dump(j, v));
		return;
	}
	if (pc->flags & INSN_PATH)
		set(j, &r[pc->b + 2], take(j, &r[pc->a + 1], move));
	set(j, &r[pc->b], take(j, &r[pc->a], move));
	r[pc->b + 1] = json_simple(JSON_NONE);
}

/* The next member; false: there are no more. */
static bool each_next(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json box = r[pc->b];
	size_t i = r[pc->b + 1].mark;
	size_t total = box.kind == JSON_ARRAY ? json_len(box) : box.u.obj->used;
	size_t next;
	struct json v;

	if (box.kind == JSON_OBJECT)
		i = json_next_slot(box, i);
	if (i >= total)
		return false;
	next = box.kind == JSON_OBJECT ? json_next_slot(box, i + 1) : i + 1;
	if (next < total)
		push_fork(j, FORK_PLAIN, pc);
	r[pc->b + 1].mark = (uint32_t)next;
	v = box.kind == JSON_ARRAY ? json_at(box, i) : box.u.obj->slots[i].val;
	if (pc->flags & INSN_PATH) {
		struct json key = json_number((double)i);

		if (box.kind == JSON_OBJECT)
			key = json_copy((struct json){ .kind = JSON_STRING,
						       .u.str = box.u.obj->slots[i].key });
		set(j, &r[pc->dst + 1], json_push(&j->m, json_copy(r[pc->b + 2]), key));
	}
	set(j, &r[pc->dst], json_copy(v));
	if (next >= total) {
		/* The members of what nobody else holds get their owner back. */
		set(j, &r[pc->b], json_simple(JSON_NONE));
		set(j, &r[pc->b + 2], json_simple(JSON_NONE));
	}
	return true;
}

static void get_path(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json key = r[pc->b];
	struct json v;

	v = jq_getpath(j, json_copy(r[pc->a]), json_copy(key));
	if (j->raised)
		return;
	if ((pc->flags & INSN_PATH) && !path_ok(j, r[pc->a + 1], r[pc->a], &key)) {
		json_put(&j->m, v);
		return;
	}
	if (pc->flags & INSN_PATH)
		set(j, &r[pc->dst + 1],
		    json_concat(&j->m, json_copy(r[pc->a + 1]), json_copy(key)));
	set(j, &r[pc->dst], v);
}

/* --- construction --- */

static struct json make_array(struct jq *j, struct json *r, size_t n)
{
	struct json a = json_array(&j->m, n);

	for (size_t i = 0; i < n; i++)
		a = json_push(&j->m, a, take(j, &r[i], true));
	return a;
}

static struct json make_object(struct jq *j, struct json *r, size_t n)
{
	struct json o = json_object(&j->m, n / 2 + 1);

	for (size_t i = 0; i < n; i += 2) {
		if (r[i].kind != JSON_STRING) {
			json_put(&j->m, o);
			return jq_error(j, "Cannot use %s (%s) as object key", json_kind_name(r[i]),
					jq_dump(j, r[i]));
		}
		o = json_set(&j->m, o, json_copy(r[i]), take(j, &r[i + 1], true));
	}
	return o;
}

static struct json make_string(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json out = json_string(&j->m, BYTES(""));
	struct bytes format = json_text(*pc->u.value);

	for (size_t i = 0; i < pc->b; i++) {
		struct json v = json_copy(r[pc->a + i]);

		if (pc[1 + i].a == 0)
			v = format.len > 0 ? jq_format(j, format, v) : jq_tostring(j, v);
		if (j->raised) {
			json_put(&j->m, out);
			return v;
		}
		out = json_append(&j->m, out, json_text(v));
		json_put(&j->m, v);
	}
	return out;
}

/* --- running --- */

static inline bool both_numbers(struct json a, struct json b)
{
	return a.kind == JSON_NUMBER && b.kind == JSON_NUMBER;
}

/* The common cases of operators on numbers; false: not one of them. */
static inline bool quick_binary(unsigned op, double a, double b, struct json *out)
{
	switch (op) {
	case B_ADD: *out = json_number(a + b); return true;
	case B_SUB: *out = json_number(a - b); return true;
	case B_MUL: *out = json_number(a * b); return true;
	case B_EQ: *out = json_bool(a == b); return true;
	case B_NE: *out = json_bool(a != b); return true;
	case B_LT: *out = json_bool(a < b || a != a); return true;
	case B_LE: *out = json_bool(a <= b || a != a); return true;
	case B_GT: *out = json_bool(!(a <= b || a != a)); return true;
	case B_GE: *out = json_bool(!(a < b || a != a)); return true;
	default: return false;
	}
}

static void operate(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json v;

	if (both_numbers(r[pc->a], r[pc->b]) &&
	    quick_binary(pc->u.n, r[pc->a].u.num, r[pc->b].u.num, &v)) {
		set(j, &r[pc->dst], v);
		return;
	}
	struct json b = take(j, &r[pc->b], pc->flags & INSN_MOVE_B && pc->a != pc->b);

	v = jq_binary(j, (enum binary)pc->u.n, take(j, &r[pc->a], pc->flags & INSN_MOVE_A), b);
	if (!j->raised)
		set(j, &r[pc->dst], v);
}

static void native(struct jq *j, struct json *r, const struct insn *pc)
{
	const struct native *n = pc->u.native;
	struct json args[6];
	struct json v;

	for (unsigned i = 0; i < n->nargs; i++)
		args[i] = take(j, &r[pc->b + i], true);
	v = n->fn(j, take(j, &r[pc->a], pc->flags & INSN_MOVE_A), args);
	if (!j->raised)
		set(j, &r[pc->dst], v);
}

static void range(struct jq *j, struct json *r, const struct insn *pc)
{
	if (!json_is_number(r[pc->a]) || !json_is_number(r[pc->b])) {
		jq_error(j, "Range bounds must be numeric");
		return;
	}
	set(j, &r[pc->dst], json_number(json_num(r[pc->a])));
}

static bool range_next(struct jq *j, struct json *r, const struct insn *pc)
{
	double at = r[pc->a].u.num;
	double to = json_num(r[pc->b]);

	if (!(at < to))
		return false;
	if (at + 1 < to)
		push_fork(j, FORK_PLAIN, pc);
	r[pc->a].u.num = at + 1;
	set(j, &r[pc->dst], json_number(at));
	return true;
}

/* limit: whether to jump (see special_limit), or after a result: the last one cuts. */
static bool limit(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json left = r[pc->a];
	bool number = json_is_number(left);

	if (pc->flags & INSN_OPTIONAL)
		return pc->dst == 0 ? number && json_num(left) == 0
				    : !number || !(json_num(left) > 0);
	r[pc->a].kind = JSON_NUMBER;
	r[pc->a].u.num = json_num(left) - 1;
	json_put(&j->m, left.kind == JSON_LITERAL ? left : json_simple(JSON_NULL));
	if (!(r[pc->a].u.num > 0))
		cut(j, (size_t)r[pc->b].u.num);
	return false;
}

static void check_path(struct jq *j, struct json *r, const struct insn *pc)
{
	if (r[pc->a + 1].kind != JSON_ARRAY)
		jq_error(j, "Invalid path expression with result %s", jq_dump_long(j, r[pc->a]));
}

/* Instructions that neither jump nor call. */
static void plain(struct jq *j, struct json *r, const struct insn *pc)
{
	struct json_mem *m = &j->m;
	struct json v;

	switch ((enum op)pc->op) {
	case OP_TAKE:
		v = r[pc->a];
		r[pc->a] = json_simple(JSON_NULL);
		set(j, &r[pc->dst], v);
		break;
	case OP_LOAD_UP:
		set(j, &r[pc->dst], json_copy(regs_of(&j->vm, frame_up(&j->vm, pc->b))[pc->a]));
		break;
	case OP_NEGATE:
		v = jq_negate(j, take(j, &r[pc->a], pc->flags & INSN_MOVE_A));
		if (!j->raised)
			set(j, &r[pc->dst], v);
		break;
	case OP_NEW_ARRAY: set(j, &r[pc->dst], json_array(m, 4)); break;
	case OP_APPEND:
		r[pc->dst] = json_push(m, r[pc->dst], take(j, &r[pc->b], pc->flags & INSN_MOVE_B));
		break;
	case OP_MAKE_ARRAY: set(j, &r[pc->dst], make_array(j, &r[pc->a], pc->b)); break;
	case OP_MAKE_OBJECT:
		v = make_object(j, &r[pc->a], pc->b);
		if (!j->raised)
			set(j, &r[pc->dst], v);
		break;
	case OP_FORMAT:
		v = jq_format(j, json_text(*pc->u.value),
			      take(j, &r[pc->a], pc->flags & INSN_MOVE_A));
		if (!j->raised)
			set(j, &r[pc->dst], v);
		break;
	case OP_TAKE_PATH:
		v = jq_takepath(j, &r[pc->a], json_copy(r[pc->b]));
		if (!j->raised)
			set(j, &r[pc->dst], v);
		break;
	case OP_SET_PATH:
		v = r[pc->dst];
		r[pc->dst] = json_simple(JSON_NONE);
		v = jq_setpath(j, v, json_copy(r[pc->a]), take(j, &r[pc->b], true));
		if (!j->raised)
			r[pc->dst] = v;
		break;
	case OP_DEL_PATHS:
		v = r[pc->a];
		r[pc->a] = json_simple(JSON_NULL);
		if (json_len(r[pc->b]) > 0)
			v = jq_delpaths(j, v, json_copy(r[pc->b]));
		if (!j->raised)
			set(j, &r[pc->dst], v);
		break;
	case OP_NO_PATH: set(j, &r[pc->dst], json_simple(JSON_FALSE)); break;
	case OP_RAISE: jq_raise(j, json_copy(r[pc->a])); break;
	default: break;
	}
}

/* long: the dispatch loop; what is not short is in functions above */
static int run(struct jq *j)
{
	struct vm *vm = &j->vm;
	struct json *r = regs_of(vm, vm->frame);
	const struct insn *pc = vm->pc;
	struct json v;
	bool go_back = false;

	for (;;) {
		switch ((enum op)pc->op) {
		case OP_MOVE:
			v = take(j, &r[pc->a], pc->flags & INSN_MOVE_A);
			set(j, &r[pc->dst], v);
			break;
		case OP_CONST: set(j, &r[pc->dst], json_copy(*pc->u.value)); break;
		case OP_INDEX_CONST:
			v = r[pc->a];
			if (v.kind == JSON_OBJECT && !(pc->flags & INSN_PATH)) {
				struct json hit = json_get(v, *pc->u.value);

				hit = hit.kind == JSON_NONE ? json_simple(JSON_NULL)
							    : json_copy(hit);
				if (pc->flags & INSN_MOVE_A)
					json_put(&j->m, take(j, &r[pc->a], true));
				set(j, &r[pc->dst], hit);
				break;
			}
			access(j, r, pc, json_copy(*pc->u.value));
			break;
		case OP_INDEX: access(j, r, pc, json_copy(r[pc->b])); break;
		case OP_SLICE: slice(j, r, pc); break;
		case OP_EACH: each(j, r, pc); break;
		case OP_EACH_NEXT: go_back = !each_next(j, r, pc); break;
		case OP_RANGE: range(j, r, pc); break;
		case OP_RANGE_NEXT: go_back = !range_next(j, r, pc); break;
		case OP_BINARY: operate(j, r, pc); break;
		case OP_TRUTH:
			set(j, &r[pc->dst],
			    json_bool(json_truth(r[pc->a]) != ((pc->flags & INSN_OPTIONAL) != 0)));
			break;
		case OP_JUMP:
			pc = frame_at(vm, vm->frame)->fn->code[frame_at(vm, vm->frame)->form] +
			     pc->u.to;
			continue;
		case OP_JUMP_FALSE:
		case OP_JUMP_TRUE:
			if (json_truth(r[pc->a]) == (pc->op == OP_JUMP_TRUE)) {
				struct frame *f = frame_at(vm, vm->frame);

				pc = f->fn->code[f->form] + pc->u.to;
				continue;
			}
			break;
		case OP_LIMIT:
			if (limit(j, r, pc)) {
				struct frame *f = frame_at(vm, vm->frame);

				pc = f->fn->code[f->form] + pc->u.to;
				continue;
			}
			break;
		case OP_FORK:
		case OP_TRY:
		case OP_LABEL: {
			struct frame *f = frame_at(vm, vm->frame);
			bool silent = pc->op == OP_LABEL && !(pc->flags & INSN_OPTIONAL);
			struct fork *fork;

			if (pc->op != OP_FORK)
				set(j, &r[pc->dst], json_number((double)vm->nforks));
			fork = push_fork(j,
					 pc->op == OP_FORK  ? FORK_PLAIN
					 : pc->op == OP_TRY ? FORK_TRY
							    : FORK_LABEL,
					 silent ? NULL : f->fn->code[f->form] + pc->u.to);
			fork->arg = pc->a;
			break;
		}
		case OP_TRY_END: try_end(j, r[pc->a]); break;
		case OP_BREAK:
			vm->nforks = (size_t)r[pc->a].u.num;
			go_back = true;
			break;
		case OP_CUT: cut(j, (size_t)r[pc->a].u.num); break;
		case OP_BACKTRACK: go_back = true; break;
		case OP_MAKE_STRING:
			v = make_string(j, r, pc);
			if (j->raised)
				break;
			set(j, &r[pc->dst], v);
			pc += pc->b;
			break;
		case OP_CALL:
			call(j, pc, pc->u.fn, frame_up(vm, pc->b >> 8), pc->b & 255);
			r = regs_of(vm, vm->frame);
			pc = vm->pc;
			continue;
		case OP_TAIL_CALL:
			tail_call(j, pc, pc->u.fn, pc->b & 255);
			r = regs_of(vm, vm->frame);
			pc = vm->pc;
			continue;
		case OP_CALL_CLOSURE:
			v = regs_of(vm, frame_up(vm, pc->u.n >> 16))[pc->u.n & 0xffff];
			call(j, pc, v.u.ptr, v.mark, 0);
			r = regs_of(vm, vm->frame);
			pc = vm->pc;
			continue;
		case OP_RET:
			ret(j, pc);
			r = regs_of(vm, vm->frame);
			pc = vm->pc;
			continue;
		case OP_OUTPUT: vm->pc = pc; return 1;
		case OP_NATIVE: native(j, r, pc); break;
		case OP_GET_PATH: get_path(j, r, pc); break;
		case OP_CHECK_PATH: check_path(j, r, pc); break;
		default: plain(j, r, pc); break;
		}
		pc++;
		if (!j->raised && !go_back)
			continue;
		/* `?` is about the access, not about whether there is a path to it. */
		if (j->raised && (pc[-1].flags & INSN_OPTIONAL) && !j->no_path && !j->halted) {
			json_put(&j->m, j->error);
			j->error = json_simple(JSON_NONE);
			j->raised = false;
			go_back = true;
		}
		j->no_path = false;
		/* What messages were made of. */
		arena_release(&j->scratch, j->scratch_base);
		charge(j);
		if (j->raised && !handle_error(j))
			return -1;
		if (go_back && !backtrack(j))
			return 0;
		go_back = false;
		r = regs_of(vm, vm->frame);
		pc = vm->pc;
	}
}

void jq_start(struct jq *j, const struct fn *main, struct json input)
{
	struct vm *vm = &j->vm;
	struct fn *fn;

	release_to(j, 0);
	memcpy(&fn, &main, sizeof(fn));
	vm->nforks = 0;
	vm->frame = 0;
	vm->started = false;
	enter(j, push_frame(j, fn, 0), input, json_simple(JSON_NONE));
}

int jq_next(struct jq *j, struct json *out)
{
	struct vm *vm = &j->vm;
	int more;

	if (vm->started && !backtrack(j))
		return 0;
	vm->started = true;
	more = run(j);
	if (more == 1)
		*out = take(j, &regs_of(vm, vm->frame)[vm->pc->a], true);
	if (more <= 0)
		release_to(j, 0);
	if (more < 0)
		vm->nforks = 0;
	return more;
}
