/* SPDX-License-Identifier: MIT
 *
 * The state of a session's shell as bytes, and back: variables, functions, aliases, options,
 * traps, parameters, and the small things that scripts can see.
 *
 * Between commands only: there are no scopes and frames then that would matter, and jobs only if
 * real programs are saved, too. What is read
 * may have been written by an attacker: it is taken only if the shell could have made it.
 */
#include "base/pack.h"
#include "interp/dirs.h"
#include "interp/exec.h"
#include "interp/hash.h"
#include "interp/interp.h"
#include "interp/state.h"
#include "interp/var_private.h"
#include "interp/var_special.h"

enum { PARAMS_MAX = 1 << 24, STATUSES_MAX = 1 << 16, BUCKETS_MAX = 1 << 28 };

/* What of a variable's flags can be saved. */
#define KEPT_FLAGS                                                                                 \
	(VAR_SET | VAR_EXPORT | VAR_READONLY | VAR_INTEGER | VAR_ARRAY | VAR_ASSOC | VAR_NAMEREF | \
	 VAR_LOWER | VAR_UPPER | VAR_CAPITAL | VAR_TRACE)

#define LISTS (VAR_ARRAY | VAR_ASSOC)

/* --- variables --- */

static void pack_elements(struct buf *out, const struct var *v)
{
	struct bytes key, value;
	int64_t index;
	size_t cursor = 0;

	if ((v->flags & VAR_ASSOC) != 0) {
		pack_u64(out, v->assoc != NULL ? assoc_buckets(v->assoc) : 0);
		pack_u64(out, v->assoc != NULL ? assoc_count(v->assoc) : 0);
		while (v->assoc != NULL && assoc_next(v->assoc, &cursor, &key, &value)) {
			pack_bytes(out, key);
			pack_bytes(out, value);
		}
	} else if ((v->flags & VAR_ARRAY) != 0) {
		pack_u64(out, v->array != NULL);
		pack_u64(out, v->array != NULL ? array_count(v->array) : 0);
		index = -1;
		while (v->array != NULL && index < INT64_MAX &&
		       array_next(v->array, index + 1, &index, &value)) {
			pack_u64(out, (uint64_t)index);
			pack_bytes(out, value);
		}
	}
}

static void pack_variable(struct buf *out, const struct var *v)
{
	bool dynamic = (v->flags & VAR_DYNAMIC) != 0;

	pack_bytes(out, v->name);
	pack_u64(out, dynamic);
	pack_u64(out, v->flags & KEPT_FLAGS);
	pack_u64(out, v->order);
	pack_u64(out, v->value != NULL);
	if (v->value != NULL)
		pack_bytes(out, (struct bytes){ v->value, v->len });
	/* Listings show dynamic lists as they were when they were last looked at. */
	if (!dynamic || (v->flags & VAR_ARRAY) != 0)
		pack_elements(out, v);
}

static void pack_variables(struct shell *sh, struct buf *out)
{
	struct var **all;
	size_t n = var_list(sh, &all);

	pack_u64(out, n);
	for (size_t i = 0; i < n; i++)
		pack_variable(out, all[i]);
	pack_u64(out, sh->vars.order);
	n = 0;
	while (sh->vars.foreign != NULL && sh->vars.foreign[n] != NULL)
		n++;
	pack_u64(out, n);
	for (size_t i = 0; i < n; i++)
		pack_text(out, sh->vars.foreign[i]);
}

/* A value: bytes without NUL. */
static struct bytes unpack_value(struct unpack *in)
{
	struct bytes s = unpack_bytes(in);

	if (memchr(s.ptr, '\0', s.len) != NULL)
		in->bad = true;
	return s;
}

static void unpack_assoc(struct shell *sh, struct unpack *in, struct var *v)
{
	/* There may be far more than keys: those that are gone had them. None: never assigned. */
	uint64_t buckets = unpack_below(in, BUCKETS_MAX);
	size_t n = unpack_count(in);
	struct bytes *list = arena_array(sh->arena, 2 * n, sizeof *list);

	for (size_t i = 0; i < 2 * n; i++)
		list[i] = unpack_value(in);
	if ((buckets & (buckets - 1)) != 0 || (buckets == 0 && n != 0))
		in->bad = true;
	if (in->bad || buckets == 0)
		return;
	v->assoc = assoc_new(sh->pool, (size_t)buckets);
	/* The newest of a bucket is listed first. */
	for (size_t i = n; i-- > 0;)
		assoc_put(sh->pool, v->assoc, list[2 * i], list[2 * i + 1]);
}

static void unpack_array(struct shell *sh, struct unpack *in, struct var *v)
{
	bool there = unpack_below(in, 1) != 0;
	size_t n = unpack_count(in);
	int64_t last = -1;

	if (there && !in->bad) {
		if (v->array != NULL)
			array_free(sh->pool, v->array);
		v->array = array_new(sh->pool);
	}
	for (size_t i = 0; i < n; i++) {
		int64_t index = (int64_t)unpack_below(in, INT64_MAX);
		struct bytes value = unpack_value(in);

		if (in->bad || !there || index <= last) {
			in->bad = true;
			return;
		}
		array_put(sh->pool, v->array, index, value);
		last = index;
	}
}

/* The shell's own dynamic variable of that name. */
static struct var *dynamic_of(struct var *const *own, size_t nown, struct bytes name)
{
	for (size_t i = 0; i < nown; i++)
		if (bytes_eq(own[i]->name, name))
			return own[i];
	return NULL;
}

static void unpack_variable(struct shell *sh, struct unpack *in, struct var *const *own,
			    size_t nown)
{
	struct bytes name = unpack_value(in);
	bool dynamic = unpack_below(in, 1) != 0;
	unsigned flags = (unsigned)unpack_below(in, KEPT_FLAGS) & KEPT_FLAGS;
	unsigned order = (unsigned)unpack_below(in, UINT32_MAX);
	bool has_value = unpack_below(in, 1) != 0;
	struct bytes value = has_value ? unpack_value(in) : (struct bytes){ "", 0 };
	uint64_t hash = bytes_hash(name);
	struct var *v;

	if (in->bad || !is_name(name) || var_table_find(&sh->vars, name, hash) != NULL) {
		in->bad = true;
		return;
	}
	v = dynamic ? dynamic_of(own, nown, name) : var_new(sh, name, hash);
	if (v == NULL) {
		in->bad = true;
		return;
	}
	/* Also what its hook makes is one or the other. */
	if (((flags | (dynamic ? v->hook->flags : 0)) & LISTS) == LISTS) {
		in->bad = true;
		return;
	}
	if (dynamic)
		v->flags = (v->flags & ~(unsigned)KEPT_FLAGS) | v->hook->flags | flags;
	else
		v->flags |= flags;
	var_table_insert(sh, v);
	v->order = order;
	if (has_value)
		var_store(sh, v, value);
	if (!dynamic && (flags & VAR_ASSOC) != 0)
		unpack_assoc(sh, in, v);
	else if ((v->flags & VAR_ARRAY) != 0)
		unpack_array(sh, in, v);
}

/* Takes all variables out of the table; what is dynamic is returned, the rest is gone. */
static size_t clear_variables(struct shell *sh, struct var ***own)
{
	struct var **all;
	size_t n = var_list(sh, &all);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		var_table_replace(sh, all[i], NULL);
		if ((all[i]->flags & VAR_DYNAMIC) != 0)
			all[kept++] = all[i];
		else
			var_free(sh, all[i]);
	}
	*own = all;
	return kept;
}

static void unpack_variables(struct shell *sh, struct unpack *in)
{
	struct var **own;
	size_t nown = clear_variables(sh, &own);
	size_t n = unpack_count(in);

	for (size_t i = 0; i < n && !in->bad; i++)
		unpack_variable(sh, in, own, nown);
	sh->vars.order = (unsigned)unpack_below(in, UINT32_MAX);
	n = unpack_count(in);
	sh->vars.foreign = n != 0 ? pool_zalloc(sh->pool, (n + 1) * sizeof(char *)) : NULL;
	for (size_t i = 0; i < n && !in->bad; i++) {
		struct bytes s = unpack_text(in);

		in->bad |= s.ptr == NULL;
		sh->vars.foreign[i] = pool_dup(sh->pool, in->bad ? BYTES("") : s);
	}
	sh->vars.export_serial++;
	if (!in->bad)
		var_refresh_hooks(sh);
}

/* --- aliases, traps, directories, parameters --- */

static void pack_aliases(struct shell *sh, struct buf *out)
{
	struct bytes *names, *values;
	int n = alias_list(sh, &names, &values);

	pack_u64(out, (uint64_t)n);
	for (int i = 0; i < n; i++) {
		pack_bytes(out, names[i]);
		pack_bytes(out, values[i]);
	}
}

static void unpack_aliases(struct shell *sh, struct unpack *in)
{
	size_t n = unpack_count(in);

	for (size_t i = 0; i < n && !in->bad; i++) {
		struct bytes name = unpack_value(in);
		struct bytes value = unpack_value(in);

		if (!in->bad)
			alias_set(sh, name, value);
	}
}

static void pack_traps(const struct shell *sh, struct buf *out)
{
	for (int i = 0; i < TRAP_COUNT; i++) {
		pack_text(out, sh->traps[i].text);
		pack_u64(out, sh->traps[i].inherited_ignored);
	}
}

static void unpack_traps(struct shell *sh, struct unpack *in)
{
	for (int i = 0; i < TRAP_COUNT && !in->bad; i++) {
		struct bytes text = unpack_text(in);
		bool inherited = unpack_below(in, 1) != 0;

		if (text.ptr != NULL && !in->bad)
			trap_set(sh, i, arena_bytes(sh->arena, text).ptr);
		sh->traps[i].inherited_ignored = inherited;
	}
}

static void pack_directories(struct shell *sh, struct buf *out)
{
	const struct dir_stack *d = sh->dirs;

	pack_text(out, d != NULL ? d->cwd : NULL);
	pack_u64(out, d != NULL ? (uint64_t)d->count : 0);
	for (int i = 0; d != NULL && i < d->count; i++)
		pack_text(out, d->entry[i]);
}

static void unpack_directories(struct shell *sh, struct unpack *in)
{
	struct bytes cwd = unpack_text(in);
	size_t n = unpack_count(in);

	if (cwd.ptr != NULL && !in->bad)
		dirs_set_cwd(sh, arena_bytes(sh->arena, cwd).ptr);
	for (size_t i = 0; i < n && !in->bad; i++) {
		struct bytes entry = unpack_text(in);

		in->bad |= entry.ptr == NULL;
		if (!in->bad)
			dirs_push(sh, arena_bytes(sh->arena, entry).ptr);
	}
}

static void unpack_params(struct shell *sh, struct unpack *in)
{
	size_t n = unpack_count(in);
	char **values;

	if (n > PARAMS_MAX)
		in->bad = true;
	if (in->bad)
		return;
	values = arena_array(sh->arena, n + 1, sizeof *values);
	for (size_t i = 0; i < n; i++) {
		struct bytes s = unpack_text(in);

		values[i] = arena_dup(sh->arena, s.ptr != NULL ? s : BYTES(""));
	}
	params_set(sh, (int)n, values);
}

static void unpack_pipestatus(struct shell *sh, struct unpack *in)
{
	size_t n = unpack_count(in);
	int *statuses;

	if (n > STATUSES_MAX)
		in->bad = true;
	if (in->bad)
		return;
	statuses = arena_array(sh->arena, n + 1, sizeof *statuses);
	for (size_t i = 0; i < n; i++)
		statuses[i] = (int)unpack_below(in, 255);
	set_pipestatus(sh, statuses, (int)n);
}

static const char *unpack_name(struct shell *sh, struct unpack *in, const char *otherwise)
{
	struct bytes s = unpack_text(in);

	return s.ptr != NULL ? pool_dup(sh->pool, s) : otherwise;
}

/* --- all of it --- */

static void pack_numbers(const struct shell *sh, struct buf *out)
{
	pack_u64(out, sh->opt.set);
	pack_u64(out, sh->opt.shopt);
	pack_u64(out, (uint64_t)sh->status);
	pack_u64(out, (uint64_t)sh->last_background);
	pack_u64(out, (uint64_t)sh->shell_pid);
	pack_u64(out, sh->random_state);
	pack_u64(out, (uint64_t)sh->random_pid);
	pack_u64(out, (uint64_t)sh->seconds_base_ns);
	pack_u64(out, (uint64_t)sh->getopts_index);
	pack_u64(out, (uint64_t)sh->getopts_word);
	pack_u64(out, sh->builtins_disabled);
	pack_u64(out, sh->substitutions);
	pack_u64(out, sh->is_sh);
	pack_u64(out, (uint64_t)(sh->base_argc + 1));
}

static void unpack_numbers(struct shell *sh, struct unpack *in)
{
	uint64_t sets = ((uint64_t)1 << (SET_RESTRICTED + 1)) - 1;

	sh->opt.set = unpack_u64(in) & sets;
	sh->opt.shopt = unpack_below(in, ((uint64_t)1 << SHOPT_COUNT) - 1);
	sh->status = (int)unpack_below(in, 255);
	sh->last_background = (int)unpack_below(in, INT32_MAX);
	sh->shell_pid = (int)unpack_below(in, INT32_MAX);
	sh->random_state = unpack_u64(in);
	sh->random_pid = (int)unpack_below(in, INT32_MAX);
	sh->seconds_base_ns = (int64_t)unpack_u64(in);
	sh->getopts_index = (int)unpack_below(in, INT32_MAX);
	sh->getopts_word = (int)unpack_below(in, INT32_MAX);
	sh->builtins_disabled = unpack_u64(in);
	sh->substitutions = (unsigned)unpack_below(in, UINT32_MAX);
	sh->is_sh = unpack_below(in, 1) != 0;
	sh->compat_asked = true;
	sh->base_argc = (int)unpack_below(in, INT32_MAX) - 1;
}

int interp_pack(struct shell *sh, struct buf *out, struct shell *original, bool jobs)
{
	const struct var_table *t = &original->vars;
	int lost;

	pack_numbers(sh, out);
	pack_text(out, sh->arg0);
	pack_text(out, sh->script_name);
	pack_variables(sh, out);
	lost = function_pack(sh, out);
	pack_aliases(sh, out);
	pack_traps(sh, out);
	pack_u64(out, (uint64_t)sh->params.count);
	for (int i = 0; i < sh->params.count; i++)
		pack_text(out, sh->params.values[i]);
	pack_u64(out, (uint64_t)sh->npipestatus);
	for (int i = 0; i < sh->npipestatus; i++)
		pack_u64(out, (uint64_t)sh->pipestatus[i]);
	pack_text(out, sh->last_arg);
	pack_directories(sh, out);
	hash_pack(sh, out);
	history_pack(sh, out);
	completion_pack(sh, out);
	pack_u64(out, jobs);
	if (jobs) {
		job_pack_all(original, out);
		coproc_pack(original, out);
	}
	/* Whether the environment of programs is ready: making it takes steps. */
	pack_u64(out, t->environ != NULL && t->environ_serial == t->export_serial);
	return lost;
}

struct shell *interp_unpack(struct proc *p, struct unpack *in, char *const *env)
{
	struct shell *sh = shell_new(p, NULL, false);
	struct unpack numbers = *in;
	struct bytes last;

	unpack_numbers(sh, in);
	sh->arg0 = unpack_name(sh, in, "bash");
	sh->script_name = unpack_name(sh, in, "bash");
	unpack_variables(sh, in);
	/* Taking over variables has effects of its own. */
	unpack_numbers(sh, &numbers);
	function_unpack(sh, in);
	unpack_aliases(sh, in);
	unpack_traps(sh, in);
	unpack_params(sh, in);
	unpack_pipestatus(sh, in);
	last = unpack_text(in);
	if (last.ptr != NULL)
		set_last_arg(sh, arena_bytes(sh->arena, last).ptr);
	unpack_directories(sh, in);
	hash_unpack(sh, in);
	history_unpack(sh, in);
	completion_unpack(sh, in);
	if (unpack_below(in, 1) != 0) {
		job_unpack_all(sh, in);
		coproc_unpack(sh, in);
	}
	if (unpack_below(in, 1) != 0 && !in->bad)
		(void)var_environ(sh);
	if (in->bad)
		return NULL;
	for (; env != NULL && *env != NULL; env++) {
		const char *equals = strchr(*env, '=');
		struct bytes name = { *env, equals != NULL ? (size_t)(equals - *env) : 0 };
		uint64_t hash = bytes_hash(name);

		if (!is_name(name) || var_set(sh, name, hash, bytes_of(equals + 1), 0) != 0)
			continue;
		var_ensure(sh, name, hash)->flags |= VAR_EXPORT;
		sh->vars.export_serial++;
	}
	sh->session = true;
	sh->idle = arena_mark(sh->arena);
	return sh;
}
