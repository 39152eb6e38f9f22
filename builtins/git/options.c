/* SPDX-License-Identifier: MIT
 *
 * Options of subcommands, in the manner of git: long ones may be cut short while that is
 * unique, --no-x takes back, operands may stand between them.
 */
#include "builtins/git/rerere.h"

void git_usage(struct git *g, const char *const *usage)
{
	struct buf b = buf_in(g->a);

	for (size_t i = 0; usage[i] != NULL; i++)
		buf_printf(&b, "%s%s\n", i == 0 ? "usage: " : "   or: ", usage[i]);
	buf_putc(&b, '\n');
	cmd_err_write(g->c, b.ptr, b.len);
	git_exit(g, GIT_STATUS_USAGE);
}

static _Noreturn void show_help(struct git *g, const struct git_parser *p)
{
	for (size_t i = 0; p->usage[i] != NULL; i++)
		git_printf(g, "%s%s\n", i == 0 ? "usage: " : "   or: ", p->usage[i]);
	git_printf(g, "\n");
	for (const struct git_option *o = p->table; o->kind != GIT_OPT_END; o++) {
		bool arg = o->kind == GIT_OPT_STR || o->kind == GIT_OPT_INT ||
			   o->kind == GIT_OPT_LIST || o->kind == GIT_OPT_CALL_ARG;

		if (o->kind == GIT_OPT_MISSING || o->kind == GIT_OPT_MISSING_ARG)
			continue;
		git_printf(g, "    ");
		if (o->letter != 0)
			git_printf(g, "-%c%s", o->letter, o->name != NULL ? ", " : "");
		if (o->name != NULL)
			git_printf(g, "--%s", o->name);
		git_printf(g, "%s\n", arg ? " <...>" : "");
	}
	git_printf(g, "\n");
	git_exit(g, GIT_STATUS_USAGE);
}

/* What the table calls the option, in messages. */
static const char *shown(struct git *g, const struct git_option *o, bool by_letter)
{
	if (by_letter)
		return git_format(g->a, "switch `%c'", o->letter);
	return git_format(g->a, "option `%s'", o->name);
}

static bool takes_arg(const struct git_option *o)
{
	switch (o->kind) {
	case GIT_OPT_STR:
	case GIT_OPT_INT:
	case GIT_OPT_LIST:
	case GIT_OPT_CALL_ARG:
	case GIT_OPT_MISSING_ARG: return true;
	default: return false;
	}
}

static void set_int(struct git *g, const struct git_option *o, int *field, const char *arg,
		    bool by_letter)
{
	int64_t v;

	if (!config_number(arg, &v) || v > INT32_MAX || v < INT32_MIN) {
		git_error(g, "%s expects a numerical value", shown(g, o, by_letter));
		git_exit(g, GIT_STATUS_USAGE);
	}
	*field = (int)v;
}

/* One option with its argument (NULL: none). */
static void apply(struct git *g, const struct git_parser *p, const struct git_option *o,
		  const char *arg, bool unset, bool by_letter)
{
	void *field = (char *)p->opts + o->offset;
	int status;

	switch (o->kind) {
	case GIT_OPT_FLAG: *(bool *)field = !unset; return;
	case GIT_OPT_SET: *(int *)field = unset ? 0 : o->value; return;
	case GIT_OPT_COUNT: *(int *)field = unset ? 0 : *(int *)field + 1; return;
	case GIT_OPT_STR: *(const char **)field = unset ? NULL : arg; return;
	case GIT_OPT_STR_MAYBE:
		*(const char **)field = unset ? NULL : arg != NULL ? arg : "";
		return;
	case GIT_OPT_INT:
		if (unset)
			*(int *)field = 0;
		else
			set_int(g, o, field, arg, by_letter);
		return;
	case GIT_OPT_LIST:
		if (unset)
			((struct names *)field)->n = 0;
		else
			names_add(g, field, arg);
		return;
	case GIT_OPT_MISSING:
	case GIT_OPT_MISSING_ARG:
		git_die(g, "%s of git %s is not supported here", shown(g, o, by_letter),
			g->command);
	default: break;
	}
	status = o->fn(g, p->opts, arg, unset);
	if (status != 0)
		git_exit(g, status);
}

/* --- long options --- */

struct match {
	const struct git_option *o;
	bool unset;
	bool several;
};

static bool names_option(const char *name, const char *text, size_t len, bool *exact)
{
	*exact = strlen(name) == len;
	return strncmp(name, text, len) == 0;
}

static void consider(struct match *m, bool *exact_found, const struct git_option *o, bool unset,
		     bool fits, bool exact)
{
	if (!fits || *exact_found)
		return;
	if (!exact && m->o != NULL &&
	    (m->o->fn != o->fn || m->o->offset != o->offset || m->o->value != o->value ||
	     m->unset != unset)) {
		m->several = true;
		return;
	}
	*exact_found = exact;
	if (exact)
		m->several = false;
	m->o = o;
	m->unset = unset;
}

static struct match find_long(const struct git_option *table, const char *text, size_t len)
{
	struct match m = { NULL, false, false };
	bool found = false;

	for (const struct git_option *o = table; o->kind != GIT_OPT_END; o++)
		if (o->name != NULL && strlen(o->name) == len && strncmp(o->name, text, len) == 0)
			return (struct match){ o, false, false };
	for (const struct git_option *o = table; o->kind != GIT_OPT_END; o++) {
		bool exact = false;
		bool fits;

		if (o->name == NULL)
			continue;
		fits = names_option(o->name, text, len, &exact);
		consider(&m, &found, o, false, fits, exact);
		if (git_starts(o->name, "no-")) {
			fits = names_option(o->name + 3, text, len, &exact);
			consider(&m, &found, o, true, fits && exact, exact);
		} else if (len > 3 && strncmp(text, "no-", 3) == 0) {
			fits = names_option(o->name, text + 3, len - 3, &exact);
			consider(&m, &found, o, true, fits, exact);
		}
	}
	return m;
}

static int long_option(struct git *g, const struct git_parser *p, struct args *args, int i)
{
	const char *text = args->argv[i] + 2;
	size_t len = strcspn(text, "=");
	const char *arg = text[len] == '=' ? text + len + 1 : NULL;
	struct match m = find_long(p->table, text, len);

	if (m.several) {
		git_error(g, "ambiguous option: %.*s", (int)len, text);
		git_usage(g, p->usage);
	}
	if (m.o == NULL) {
		if (p->flags & GIT_KEEP_UNKNOWN)
			return 0;
		git_error(g, "unknown option `%s'", text);
		git_usage(g, p->usage);
	}
	if (m.unset || !(takes_arg(m.o) || m.o->kind == GIT_OPT_STR_MAYBE ||
			 m.o->kind == GIT_OPT_CALL_MAYBE)) {
		if (arg != NULL) {
			git_error(g, "option `%s%s' takes no value", m.unset ? "no-" : "",
				  m.o->name);
			git_exit(g, GIT_STATUS_USAGE);
		}
		apply(g, p, m.o, NULL, m.unset, false);
		return 1;
	}
	if (arg != NULL || !takes_arg(m.o)) {
		apply(g, p, m.o, arg, false, false);
		return 1;
	}
	if (i + 1 >= args->argc && m.o->last != NULL) {
		apply(g, p, m.o, m.o->last, false, false);
		return 1;
	}
	if (i + 1 >= args->argc) {
		git_error(g, "option `%s' requires a value", m.o->name);
		git_exit(g, GIT_STATUS_USAGE);
	}
	apply(g, p, m.o, args->argv[i + 1], false, false);
	return 2;
}

/* --- letters --- */

static const struct git_option *find_letter(const struct git_option *table, int letter)
{
	for (; table->kind != GIT_OPT_END; table++)
		if (table->letter == letter)
			return table;
	return NULL;
}

static int letters(struct git *g, const struct git_parser *p, struct args *args, int i)
{
	const char *text = args->argv[i] + 1;

	for (; *text != '\0'; text++) {
		const struct git_option *o = find_letter(p->table, *text);

		if (o == NULL && *text == 'h' && args->argv[i][2] == '\0')
			show_help(g, p);
		if (o == NULL && (p->flags & GIT_KEEP_UNKNOWN))
			return 0;
		if (o == NULL) {
			git_error(g, "unknown switch `%c'", *text);
			git_usage(g, p->usage);
		}
		if (o->kind == GIT_OPT_CALL_MAYBE || o->kind == GIT_OPT_STR_MAYBE) {
			apply(g, p, o, text[1] != '\0' ? text + 1 : NULL, false, true);
			return 1;
		}
		if (!takes_arg(o)) {
			apply(g, p, o, NULL, false, true);
			continue;
		}
		if (text[1] != '\0') {
			apply(g, p, o, text + 1, false, true);
			return 1;
		}
		if (i + 1 >= args->argc) {
			git_error(g, "switch `%c' requires a value", *text);
			git_exit(g, GIT_STATUS_USAGE);
		}
		apply(g, p, o, args->argv[i + 1], false, true);
		return 2;
	}
	return 1;
}

static int one_option(struct git *g, const struct git_parser *p, struct args *args, int i)
{
	int taken = 0;

	if (p->other != NULL)
		taken = p->other(g, p->opts, args->argc - i, args->argv + i);
	if (taken != 0)
		return taken;
	if (args->argv[i][1] == '-')
		return long_option(g, p, args, i);
	return letters(g, p, args, i);
}

void git_parse(struct git *g, struct args *args, const struct git_parser *p)
{
	int kept = 0;
	int i = 0;

	args->dashdash = -1;
	while (i < args->argc) {
		char *arg = args->argv[i];

		if (strcmp(arg, "--") == 0) {
			args->dashdash = kept;
			if (p->flags & GIT_KEEP_DASHDASH)
				args->argv[kept++] = arg;
			i++;
			break;
		}
		if (arg[0] != '-' || arg[1] == '\0') {
			if (p->flags & GIT_STOP_AT_OPERAND)
				break;
			args->argv[kept++] = arg;
			i++;
			continue;
		}
		int taken = one_option(g, p, args, i);

		if (taken == 0) {
			args->argv[kept++] = arg;
			taken = 1;
		}
		i += taken;
	}
	while (i < args->argc)
		args->argv[kept++] = args->argv[i++];
	args->argc = kept;
	args->argv[kept] = NULL;
}

const char *git_take_options(struct git *g, struct args *args, git_take_fn *take, void *opts)
{
	int kept = 0;
	int i = 0;

	while (i < args->argc && strcmp(args->argv[i], "--") != 0) {
		char **at = args->argv + i;
		bool option = at[0][0] == '-' && at[0][1] != '\0';
		int taken = option ? take(g, opts, args->argc - i, at) : GIT_OPERAND;

		if (taken == 0)
			return at[0];
		if (taken == GIT_OPERAND) {
			args->argv[kept++] = at[0];
			taken = 1;
		}
		i += taken;
	}
	while (i < args->argc)
		args->argv[kept++] = args->argv[i++];
	args->argc = kept;
	args->argv[kept] = NULL;
	return NULL;
}

int git_opt_taken(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)g, (void)opts, (void)arg, (void)unset;
	return 0;
}

int git_opt_columns(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts;
	g->columns = unset ? "never" : arg != NULL ? arg : "";
	return 0;
}

int git_opt_rerere(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts, (void)arg;
	g->rerere = unset ? RERERE_NO_UPDATE : RERERE_UPDATE;
	return 0;
}

int git_opt_color(struct git *g, void *opts, const char *arg, bool unset)
{
	(void)opts;
	g->color = unset || (arg != NULL && strcmp(arg, "never") == 0) ? 0
		   : arg == NULL || strcmp(arg, "always") == 0         ? 1
								       : -1;
	return 0;
}

int git_run_action(struct git *g, struct args *args, const struct git_action *actions,
		   const char *const *usage)
{
	if (args->argc == 0) {
		git_error(g, "need a subcommand");
		git_usage(g, usage);
	}
	for (; actions->name != NULL; actions++)
		if (strcmp(args->argv[0], actions->name) == 0) {
			struct args rest = { args->argc - 1, args->argv + 1, -1 };

			return actions->run(g, &rest);
		}
	if (strcmp(args->argv[0], "-h") != 0)
		git_error(g, "unknown subcommand: `%s'", args->argv[0]);
	git_usage(g, usage);
}

void git_one_of(struct git *g, const char *const *given, size_t n)
{
	struct buf b = buf_in(g->a);
	size_t total = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		total += given[i] != NULL;
	if (total < 2)
		return;
	for (size_t i = 0; i < n; i++) {
		if (given[i] == NULL)
			continue;
		if (k != 0)
			buf_puts(&b, total == 2 ? " and " : k + 1 == total ? ", and " : ", ");
		buf_printf(&b, "'%s'", given[i]);
		k++;
	}
	git_die(g, "options %s cannot be used together", buf_cstr(&b));
}
