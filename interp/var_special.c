/* SPDX-License-Identifier: MIT
 *
 * Variables that are more than a value: those computed when they are read (RANDOM, LINENO,
 * FUNCNAME, ...), and plain ones whose changes have an effect (IFS, PATH, LANG, ...).
 */
#include "interp/exec.h"
#include "interp/hash.h"
#include "base/number.h"
#include "interp/state.h"
#include "interp/var_private.h"
#include "interp/var_special.h"

static bool give_i64(struct shell *sh, int64_t n, struct bytes *out)
{
	char *digits = arena_alloc(sh->arena, 24);

	*out = i64_text(n, digits);
	return true;
}

/* The number that was assigned: leading decimal digits, as strtol. */
static int64_t assigned_number(const struct var *v)
{
	uint64_t n = 0;
	size_t i = v->len != 0 && v->value[0] == '-';

	for (; i < v->len && byte_is_digit(v->value[i]); i++)
		n = n * 10 + (uint64_t)(v->value[i] - '0');
	return (int64_t)(v->len != 0 && v->value[0] == '-' ? 0 - n : n);
}

/* --- RANDOM --- */

/* The "minimal standard" generator of Park and Miller. */
static uint32_t next_random(uint32_t seed)
{
	int64_t s = seed != 0 ? seed : 123459876;
	int64_t t = 16807 * (s % 127773) - 2836 * (s / 127773);

	return (uint32_t)(t < 0 ? t + 0x7fffffff : t);
}

static bool get_random(struct shell *sh, struct var *v, struct bytes *out)
{
	uint32_t seed = (uint32_t)sh->random_state;
	uint32_t last = (uint32_t)(sh->random_state >> 32);
	/* Before bash 5.1 the lower half was taken as it is. */
	uint32_t fold = var_compat_level(sh) > 50 ? 0xffff : 0;
	uint32_t value;

	(void)v;
	/* A subshell does not repeat its parent's numbers. */
	if (sh->random_pid != sh->p->pid) {
		seed = (uint32_t)kernel_random(sh->p->k);
		sh->random_pid = sh->p->pid;
	}
	do {
		seed = next_random(seed);
		value = ((seed >> 16 & fold) ^ seed) & 0x7fff;
	} while (value == last);
	sh->random_state = (uint64_t)value << 32 | seed;
	return give_i64(sh, value, out);
}

static void set_random(struct shell *sh, struct var *v)
{
	sh->random_state = (uint32_t)assigned_number(v);
	sh->random_pid = sh->p->pid;
}

static bool get_srandom(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return give_i64(sh, (int64_t)(kernel_random(sh->p->k) & 0xffffffff), out);
}

/* --- time --- */

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* The values below are asked for while the environment is made, maybe for several processes at
 * once: a switch comes at the next charge. */
static int64_t time_now(struct shell *sh)
{
	kernel_fuel(sh->p->k)->left--;
	return kernel_now(sh->p->k);
}

static bool get_seconds(struct shell *sh, struct var *v, struct bytes *out)
{
	int64_t ns = (int64_t)((uint64_t)time_now(sh) - (uint64_t)sh->seconds_base_ns);

	v->flags |= VAR_INTEGER; /* from its first use on, as bash has it */
	return give_i64(sh, ns >= 0 ? ns / NS_PER_S : -((NS_PER_S - 1 - ns) / NS_PER_S), out);
}

static void set_seconds(struct shell *sh, struct var *v)
{
	int64_t seconds = 0;
	uint64_t ns;

	/* Before it is an integer nothing is calculated. */
	if ((v->flags & VAR_INTEGER) != 0)
		seconds = assigned_number(v);
	else if (!number_is_i64((struct bytes){ v->value, v->len }, &seconds))
		seconds = 0;
	ns = (uint64_t)seconds * (uint64_t)NS_PER_S;
	v->flags |= VAR_INTEGER;
	sh->seconds_base_ns = (int64_t)((uint64_t)sys_now(sh->p) - ns);
}

static bool get_epochseconds(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return give_i64(sh, time_now(sh) / NS_PER_S, out);
}

static bool get_epochrealtime(struct shell *sh, struct var *v, struct bytes *out)
{
	int64_t us = time_now(sh) / NS_PER_US;
	struct buf b = buf_in(sh->arena);

	(void)v;
	buf_printf(&b, "%lld.%06lld", (long long)(us / 1000000), (long long)(us % 1000000));
	*out = buf_bytes(&b);
	return true;
}

/* --- the state of the shell --- */

static bool get_lineno(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return give_i64(sh, sh->line, out);
}

static void set_lineno(struct shell *sh, struct var *v)
{
	sh->line = (int)assigned_number(v);
}

static bool get_bashpid(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return give_i64(sh, sh->p->pid, out);
}

static bool get_subshell(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return give_i64(sh, sh->subshell_depth, out);
}

static bool get_command(struct shell *sh, struct var *v, struct bytes *out)
{
	struct buf b = buf_in(sh->arena);

	(void)v;
	if (sh->command != NULL && sh->command->kind == NODE_CFOR) {
		struct arith_node part = {
			.node.kind = NODE_ARITH,
			.expr = (struct arith_text *)(uintptr_t)sh->command_part
		};

		if (sh->command_part != NULL)
			print_command(&b, &part.node);
		else
			buf_puts(&b, "((1))");
	} else if (sh->command != NULL) {
		command_text(&b, sh->command);
	}
	buf_cstr(&b);
	*out = buf_bytes(&b);
	return true;
}

static bool get_argv0(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	*out = bytes_of(sh->arg0);
	return true;
}

static void set_argv0(struct shell *sh, struct var *v)
{
	sh->arg0 = pool_dup(sh->pool, (struct bytes){ v->value, v->len });
}

static bool get_histcmd(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return give_i64(sh, history_number(sh), out);
}

static bool get_last_arg(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	*out = bytes_of(sh->last_arg);
	return true;
}

static bool get_stored(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)sh;
	*out = (struct bytes){ v->value, v->len };
	return true;
}

/* --- SHELLOPTS, BASHOPTS --- */

struct option_text {
	const char *name;
	unsigned bit;
};

static const struct option_text set_texts[] = {
#define SET(letter, name, text, value) { text, SET_##name },
	SET_LIST(SET)
#undef SET
};

static const struct option_text shopt_texts[] = {
#define SHOPT(name, value) { #name, SHOPT_##name },
	SHOPT_LIST(SHOPT)
#undef SHOPT
};

static bool list_options(struct shell *sh, const struct option_text *list, size_t n, uint64_t on,
			 struct bytes *out)
{
	struct buf b = buf_in(sh->arena);

	for (size_t i = 0; i < n; i++) {
		if ((on >> list[i].bit & 1) == 0)
			continue;
		if (b.len != 0)
			buf_putc(&b, ':');
		buf_puts(&b, list[i].name);
	}
	buf_cstr(&b);
	*out = buf_bytes(&b);
	return true;
}

static bool get_shellopts(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return list_options(sh, set_texts, sizeof set_texts / sizeof *set_texts, sh->opt.set, out);
}

static bool get_bashopts(struct shell *sh, struct var *v, struct bytes *out)
{
	(void)v;
	return list_options(sh, shopt_texts, sizeof shopt_texts / sizeof *shopt_texts,
			    sh->opt.shopt, out);
}

/* --- the call stack --- */

static void begin_array(struct shell *sh, struct var *v)
{
	if (v->array != NULL)
		array_free(sh->pool, v->array);
	v->array = array_new(sh->pool);
	v->flags |= VAR_SET;
}

static void push(struct shell *sh, struct var *v, struct bytes value)
{
	array_put(sh->pool, v->array, array_last(v->array) + 1, value);
}

static void push_number(struct shell *sh, struct var *v, int64_t n)
{
	char digits[24];

	push(sh, v, i64_text(n, digits));
}

/* The outermost frame counts only when it is a script file's. */
static bool frame_shows(const struct frame *f)
{
	return f->up != NULL || (f->source != NULL && *f->source != '\0');
}

static bool in_function(const struct shell *sh)
{
	for (const struct frame *f = sh->frame; f != NULL; f = f->up) {
		if (f->is_function)
			return true;
	}
	return false;
}

static void refresh_funcname(struct shell *sh, struct var *v)
{
	begin_array(sh, v);
	if (!in_function(sh) && !sh->entered_main) {
		v->flags &= ~(unsigned)VAR_SET;
		return;
	}
	for (const struct frame *f = sh->frame; f != NULL && frame_shows(f); f = f->up)
		push(sh, v, bytes_of(f->function));
}

static void refresh_source(struct shell *sh, struct var *v)
{
	begin_array(sh, v);
	for (const struct frame *f = sh->frame; f != NULL && frame_shows(f); f = f->up)
		push(sh, v, bytes_of(f->source != NULL ? f->source : ""));
}

static void refresh_lineno(struct shell *sh, struct var *v)
{
	begin_array(sh, v);
	for (const struct frame *f = sh->frame; f != NULL && frame_shows(f); f = f->up)
		push_number(sh, v, f->up != NULL ? f->call_line : 0);
}

void var_record_arguments(struct shell *sh)
{
	struct bytes name = BYTES("BASH_ARGV");
	struct var *v = var_find(sh, name, bytes_hash(name));

	if (sh->base_argc >= 0 || v == NULL || (v->flags & VAR_DYNAMIC) == 0)
		return;
	v = var_own(sh, v);
	begin_array(sh, v);
	for (int i = sh->params.count; i > 0; i--)
		push(sh, v, bytes_of(sh->params.values[i - 1]));
	sh->base_argc = sh->params.count;
}

static void record_when_asked(struct shell *sh)
{
	if (!sh->listing && !in_function(sh))
		var_record_arguments(sh);
}

static void refresh_argc(struct shell *sh, struct var *v)
{
	record_when_asked(sh);
	begin_array(sh, v);
	for (const struct frame *f = sh->frame; f != NULL; f = f->up) {
		if (f->argc >= 0)
			push_number(sh, v, f->argc);
	}
	if (sh->base_argc >= 0)
		push_number(sh, v, sh->base_argc);
}

static void refresh_argv(struct shell *sh, struct var *v)
{
	struct bytes *old = NULL;
	size_t n = 0;
	int64_t index = -1;
	struct bytes value;

	record_when_asked(sh);
	if (sh->base_argc > 0 && v->array != NULL) {
		old = arena_array(sh->arena, array_count(v->array), sizeof(*old));
		while (array_next(v->array, index + 1, &index, &value))
			old[n++] = arena_bytes(sh->arena, value);
	}
	begin_array(sh, v);
	for (const struct frame *f = sh->frame; f != NULL; f = f->up) {
		for (int i = f->argc; i > 0; i--)
			push(sh, v, bytes_of(f->argv[i - 1]));
	}
	for (size_t i = n > (size_t)sh->base_argc ? n - (size_t)sh->base_argc : 0; i < n; i++)
		push(sh, v, old[i]);
}

static void refresh_pipestatus(struct shell *sh, struct var *v)
{
	begin_array(sh, v);
	if (sh->npipestatus == 0) /* nothing has run yet */
		v->flags &= ~(unsigned)VAR_SET;
	for (int i = 0; i < sh->npipestatus; i++)
		push_number(sh, v, sh->pipestatus[i]);
}

static void refresh_groups(struct shell *sh, struct var *v)
{
	const struct vfs_cred *c = &sh->p->cred;

	if (sh->listing)
		return;
	begin_array(sh, v);
	push_number(sh, v, c->gid);
	for (uint32_t i = 0; i < c->ngroups; i++) {
		if (c->groups[i] != c->gid)
			push_number(sh, v, c->groups[i]);
	}
}

/* --- tables of the builtins --- */

static void begin_assoc(struct shell *sh, struct var *v, size_t buckets)
{
	if (v->assoc != NULL)
		assoc_free(sh->pool, v->assoc);
	v->assoc = assoc_new(sh->pool, buckets);
	v->flags |= VAR_SET;
}

static void refresh_aliases(struct shell *sh, struct var *v)
{
	struct bytes *names;
	struct bytes *values;
	int n = alias_list(sh, &names, &values);

	begin_assoc(sh, v, ASSOC_ALIASES);
	for (int i = 0; i < n; i++)
		assoc_put(sh->pool, v->assoc, names[i], values[i]);
}

static void set_alias(struct shell *sh, struct bytes name, struct bytes value)
{
	/* Unsetting an element leaves the alias, in bash too. */
	if (value.ptr != NULL)
		alias_set(sh, name, value);
}

static void refresh_commands(struct shell *sh, struct var *v)
{
	struct hash_entry **all;
	size_t n = hash_list(sh, &all);

	begin_assoc(sh, v, ASSOC_COMMANDS);
	for (size_t i = 0; i < n; i++)
		assoc_put(sh->pool, v->assoc, all[i]->name, bytes_of(all[i]->path));
}

static void set_command(struct shell *sh, struct bytes name, struct bytes value)
{
	const char *path;

	if (value.ptr == NULL)
		return;
	path = arena_dup(sh->arena, value);
	if (opt_set(sh, SET_RESTRICTED)) {
		if (strchr(path, '/') != NULL)
			shell_error(sh, "%s: restricted", path);
		else if (find_program(sh, path, var_get_text(sh, "PATH")) == NULL)
			shell_error(sh, "%s: not found", path);
		else
			hash_put(sh, name, value);
		return;
	}
	hash_put(sh, name, value);
}

/* --- plain variables with an effect --- */

static void ifs_changed(struct shell *sh, struct var *v)
{
	struct bytes ifs = BYTES(" \t\n");
	struct bytes value;

	sh->ifs_set = v != NULL && (v->flags & VAR_NAMEREF) == 0 && var_scalar(sh, v, &value);
	if (sh->ifs_set)
		ifs = value;
	sh->ifs = ifs;
	memset(sh->ifs_class, 0, sizeof sh->ifs_class);
	for (size_t i = 0; i < ifs.len; i++) {
		unsigned char c = (unsigned char)ifs.ptr[i];

		sh->ifs_class[c] = c == ' ' || c == '\t' || c == '\n' ? 1 : 2;
	}
}

static void path_changed(struct shell *sh, struct var *v)
{
	(void)v;
	hash_clear(sh);
}

static bool ends_in_utf8(struct bytes s)
{
	static const char *const spellings[] = { "utf-8", "utf8" };

	for (int k = 0; k < 2; k++) {
		size_t n = strlen(spellings[k]);
		size_t same = 0;

		if (s.len < n)
			continue;
		while (same < n && byte_to_lower(s.ptr[s.len - n + same]) == spellings[k][same])
			same++;
		if (same == n)
			return true;
	}
	return false;
}

static void locale_changed(struct shell *sh, struct var *v)
{
	static const char *const order[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	(void)v;
	sh->utf8 = true;
	for (int i = 0; i < 3; i++) {
		const char *value = var_get_text(sh, order[i]);

		if (value != NULL && *value != '\0') {
			sh->utf8 = ends_in_utf8(bytes_of(value));
			return;
		}
	}
}

/* A number from 2 on is that of the next word, behind the group that is being read. */
static void optind_changed(struct shell *sh, struct var *v)
{
	struct bytes text;
	int64_t n;

	if (v == NULL || !var_scalar(sh, v, &text) || !arith_plain_number(text, &n) || n <= 1)
		sh->getopts_index = 0;
}

static void posix_changed(struct shell *sh, struct var *v)
{
	shell_set_option(sh, SET_POSIX, v != NULL && (v->flags & VAR_SET) != 0);
}

static void ignoreeof_changed(struct shell *sh, struct var *v)
{
	shell_set_option(sh, SET_IGNOREEOF, v != NULL && (v->flags & VAR_SET) != 0);
}

/* Setting GLOBIGNORE to something switches dotglob on, unsetting it off. */
static void globignore_changed(struct shell *sh, struct var *v)
{
	uint64_t bit = (uint64_t)1 << SHOPT_dotglob;
	struct bytes value;

	if (v != NULL && var_scalar(sh, v, &value) && value.len != 0)
		sh->opt.shopt |= bit;
	else if (v == NULL || (v->flags & VAR_SET) == 0)
		sh->opt.shopt &= ~bit;
}

enum { COMPAT_NOW = 52 };

/* 44 for "44" and "4.4"; -1: none of bash's versions since 3.1. */
static int compat_version(struct bytes text)
{
	const char *s = text.ptr;
	int version;

	if (text.len != 2 && (text.len != 3 || s[1] != '.'))
		return -1;
	if (!byte_is_digit(s[0]) || !byte_is_digit(s[text.len - 1]))
		return -1;
	version = 10 * (s[0] - '0') + s[text.len - 1] - '0';
	return version >= 31 && version <= COMPAT_NOW ? version : -1;
}

int var_compat_level(struct shell *sh)
{
	const char *value = sh->compat_asked ? var_get_text(sh, "BASH_COMPAT") : NULL;
	int version = value != NULL ? compat_version(bytes_of(value)) : -1;

	return version >= 0 ? version : COMPAT_NOW;
}

static void compat_changed(struct shell *sh, struct var *v)
{
	static const int levels[] = { 31, 32, 40, 41, 42, 43, 44 }; /* that have a shopt option */
	int level;
	struct bytes value;

	sh->compat_asked = true;
	level = var_compat_level(sh);
	if (v != NULL && var_scalar(sh, v, &value) && value.len != 0 && compat_version(value) < 0)
		shell_error(sh, "BASH_COMPAT: %.*s: compatibility value out of range",
			    (int)value.len, value.ptr);
	for (int i = 0; i <= SHOPT_compat44 - SHOPT_compat31; i++) {
		uint64_t bit = (uint64_t)1 << (SHOPT_compat31 + i);

		sh->opt.shopt = levels[i] == level ? sh->opt.shopt | bit : sh->opt.shopt & ~bit;
	}
}

static const struct var_hook hooked[] = {
	{ .name = "BASH_COMPAT", .changed = compat_changed },
	{ .name = "BASH_XTRACEFD", .changed = xtrace_fd_changed },
	{ .name = "HISTFILESIZE", .changed = history_size_changed },
	{ .name = "GLOBIGNORE", .changed = globignore_changed },
	{ .name = "IFS", .changed = ifs_changed },
	{ .name = "IGNOREEOF", .changed = ignoreeof_changed },
	{ .name = "LANG", .changed = locale_changed },
	{ .name = "LC_ALL", .changed = locale_changed },
	{ .name = "LC_CTYPE", .changed = locale_changed },
	{ .name = "OPTIND", .changed = optind_changed },
	{ .name = "PATH", .changed = path_changed },
	{ .name = "POSIXLY_CORRECT", .changed = posix_changed },
};

const struct var_hook *var_hook_of(struct bytes name)
{
	/* The names above begin with these letters. */
	if (name.len < 3 || strchr("BGHILOP", name.ptr[0]) == NULL)
		return NULL;
	for (size_t i = 0; i < sizeof hooked / sizeof *hooked; i++) {
		if (bytes_is(name, hooked[i].name))
			return &hooked[i];
	}
	return NULL;
}

void var_refresh_ifs(struct shell *sh)
{
	ifs_changed(sh, var_find(sh, BYTES("IFS"), bytes_hash(BYTES("IFS"))));
}

void var_refresh_hooks(struct shell *sh)
{
	for (size_t i = 0; i < sizeof hooked / sizeof *hooked; i++) {
		struct bytes name = bytes_of(hooked[i].name);

		/* What BASH_COMPAT sets is kept with the other options; no descriptors are. */
		if (hooked[i].changed != compat_changed && hooked[i].changed != xtrace_fd_changed &&
		    hooked[i].changed != history_size_changed)
			hooked[i].changed(sh, var_find(sh, name, bytes_hash(name)));
	}
}

enum { ROW_LIST = VAR_ARRAY | VAR_NOASSIGN, ROW_STAYS = ROW_LIST | VAR_NOUNSET };

const struct var_hook var_dynamic[] = {
	{ .name = "BASHOPTS", .flags = VAR_READONLY | VAR_SET, .get = get_bashopts },
	{ .name = "BASHPID", .flags = VAR_INTEGER | VAR_NOASSIGN, .get = get_bashpid },
	{ .name = "BASH_ALIASES",
	  .flags = VAR_ASSOC,
	  .refresh = refresh_aliases,
	  .changed_element = set_alias },
	{ .name = "BASH_ARGC", .flags = ROW_STAYS, .refresh = refresh_argc },
	{ .name = "BASH_ARGV", .flags = ROW_STAYS, .refresh = refresh_argv },
	{ .name = "BASH_ARGV0", .get = get_argv0, .changed = set_argv0 },
	{ .name = "BASH_CMDS",
	  .flags = VAR_ASSOC,
	  .refresh = refresh_commands,
	  .changed_element = set_command },
	{ .name = "BASH_COMMAND", .flags = VAR_NOASSIGN, .get = get_command },
	{ .name = "BASH_LINENO", .flags = ROW_STAYS, .refresh = refresh_lineno },
	{ .name = "BASH_SOURCE", .flags = ROW_STAYS, .refresh = refresh_source },
	{ .name = "BASH_SUBSHELL", .flags = VAR_NOASSIGN, .get = get_subshell },
	{ .name = "COMP_WORDBREAKS", .get = get_stored },
	{ .name = "EPOCHREALTIME", .flags = VAR_NOASSIGN, .get = get_epochrealtime },
	{ .name = "EPOCHSECONDS", .flags = VAR_NOASSIGN, .get = get_epochseconds },
	{ .name = "FUNCNAME", .flags = ROW_LIST, .refresh = refresh_funcname },
	{ .name = "GROUPS", .flags = ROW_LIST, .refresh = refresh_groups },
	{ .name = "HISTCMD", .flags = VAR_INTEGER | VAR_NOASSIGN, .get = get_histcmd },
	{ .name = "LINENO", .get = get_lineno, .changed = set_lineno },
	{ .name = "PIPESTATUS", .flags = ROW_LIST, .refresh = refresh_pipestatus },
	{ .name = "RANDOM", .flags = VAR_INTEGER, .get = get_random, .changed = set_random },
	{ .name = "SECONDS", .get = get_seconds, .changed = set_seconds },
	{ .name = "SHELLOPTS", .flags = VAR_READONLY | VAR_SET, .get = get_shellopts },
	{ .name = "SRANDOM", .flags = VAR_INTEGER | VAR_NOASSIGN, .get = get_srandom },
	{ .name = "_", .flags = VAR_SET, .get = get_last_arg },
};

_Static_assert(sizeof var_dynamic / sizeof *var_dynamic == VAR_DYNAMIC_ROWS, "all of them");

void var_use_hook(struct var *v, const struct var_hook *hook)
{
	v->hook = hook;
	v->flags = hook->flags | VAR_DYNAMIC | (v->flags & VAR_EXPORT);
	if ((hook->flags & VAR_ARRAY) != 0)
		v->flags |= VAR_SET;
}

void var_add_dynamic(struct shell *sh, const struct var_hook *hook)
{
	struct bytes name = bytes_of(hook->name);

	var_use_hook(var_ensure(sh, name, bytes_hash(name)), hook);
}

void var_init_special(struct shell *sh)
{
	sh->random_pid = sh->p->pid;
	sh->base_argc = -1;
	sh->utf8 = true;
	locale_changed(sh, NULL);
}
