/* SPDX-License-Identifier: MIT
 *
 * rg's command line before it is parsed: the arguments of the configuration file go in front, and
 * what is no option is told as ripgrep tells it. Names are never abbreviated.
 */
#include "builtins/rg/rg.h"

static const char usage_text[] = "\nUSAGE:\n    \n"
				 "    rg [OPTIONS] PATTERN [PATH ...]\n"
				 "    rg [OPTIONS] -e PATTERN ... [PATH ...]\n"
				 "    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]\n"
				 "    rg [OPTIONS] --files [PATH ...]\n"
				 "    rg [OPTIONS] --type-list\n"
				 "    command | rg [OPTIONS] PATTERN\n"
				 "    rg [OPTIONS] --help\n"
				 "    rg [OPTIONS] --version\n"
				 "\nFor more information try --help\n";

int rg_usage(struct cmd *c, const char *format, ...)
{
	struct buf text = buf_in(c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	((struct rg *)c->opts)->c = c;
	return rg_fail(c->opts, "error: %s\n%s", buf_cstr(&text), usage_text);
}

int rg_bad_value(struct cmd *c, const struct opt *opt, const char *arg, const char *words)
{
	return rg_usage(c, "'%s' isn't a valid value for '--%s <%s>'\n\t[possible values: %s]\n",
			arg, opt->name, opt->metavar, words);
}

/* --- names that are nearly right --- */

enum { NAME_MAX_ = 64 };

/* Letters that both have at nearly the same place; *swaps: how many stand in another order. */
static size_t common_letters(struct bytes a, struct bytes b, size_t *swaps)
{
	size_t longer = a.len > b.len ? a.len : b.len;
	size_t reach = longer / 2 > 0 ? longer / 2 - 1 : 0;
	bool used[NAME_MAX_] = { false };
	char mine[NAME_MAX_];
	size_t n = 0;
	size_t k = 0;

	for (size_t i = 0; i < a.len; i++) {
		size_t to = i + reach + 1 < b.len ? i + reach + 1 : b.len;

		for (size_t j = i > reach ? i - reach : 0; j < to; j++) {
			if (used[j] || a.ptr[i] != b.ptr[j])
				continue;
			used[j] = true;
			mine[n++] = a.ptr[i];
			break;
		}
	}
	*swaps = 0;
	for (size_t j = 0; j < b.len; j++)
		if (used[j])
			*swaps += b.ptr[j] != mine[k++];
	*swaps /= 2;
	return n;
}

/* Jaro's and Winkler's measure of likeness, in millionths: a common beginning counts more. */
static uint64_t likeness(struct bytes a, struct bytes b)
{
	const uint64_t one = 1000000;
	size_t swaps;
	size_t prefix = 0;

	if (a.len == 0 || b.len == 0 || a.len >= NAME_MAX_ || b.len >= NAME_MAX_)
		return 0;
	size_t n = common_letters(a, b, &swaps);

	if (n == 0)
		return 0;
	uint64_t jaro = (one * n / a.len + one * n / b.len + one * (n - swaps) / n) / 3;

	while (prefix < a.len && prefix < b.len && a.ptr[prefix] == b.ptr[prefix])
		prefix++;
	uint64_t sum = jaro + prefix * (one - jaro) / 10;

	return sum < one ? sum : one;
}

static const char *similar_name(struct bytes name)
{
	const char *best = NULL;
	uint64_t most = 800000;

	for (const struct opt *o = rg_options; o->kind != OPT_KIND_END; o++) {
		uint64_t like = o->name != NULL ? likeness(name, bytes_of(o->name)) : 0;

		if (like > most || (best != NULL && like == most && strcmp(o->name, best) < 0)) {
			most = like;
			best = o->name;
		}
	}
	return best;
}

/* --- the check --- */

static int unexpected(struct cmd *c, const char *what, const char *instead)
{
	struct buf hint = buf_in(c->arena);

	if (instead != NULL)
		buf_printf(&hint, "\tDid you mean --%s?\n", instead);
	return rg_usage(c,
			"Found argument '%s' which wasn't expected, or isn't valid in this context"
			"%s%.*s",
			what, instead != NULL ? "\n" : "", (int)(hint.len > 0 ? hint.len - 1 : 0),
			hint.len > 0 ? hint.ptr : "");
}

int rg_no_pattern(struct cmd *c)
{
	return rg_usage(c, "The following required arguments were not provided:\n"
			   "    <PATTERN>");
}

/* The command line ends behind an option that takes a value. */
static int needs_value(struct cmd *c, const struct opt *o)
{
	static const char *const lists[] = { "regexp",   "file",        "glob",     "iglob",
					     "type",     "type-not",    "type-add", "type-clear",
					     "pre-glob", "ignore-file", "colors" };
	bool list = false;

	if (c->argc == 2 && o->letter != 'e' && o->letter != 'f')
		return rg_no_pattern(c);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		list |= strcmp(o->name, lists[i]) == 0;
	return rg_usage(c, "The argument '--%s <%s>%s' requires a value but none was supplied",
			o->name, o->metavar, list ? "..." : "");
}

/* A number can't be negative: it would be an option. */
static bool is_minus_number(const struct opt *o, const char *next)
{
	return strcmp(o->metavar, "NUM") == 0 && next[0] == '-' && byte_is_digit(next[1]);
}

/* The option takes a value, which is the next argument. 0, or a status. */
static int check_next(struct cmd *c, const struct opt *o, int *i)
{
	if (++*i >= c->argc)
		return needs_value(c, o);
	if (!is_minus_number(o, c->argv[*i]))
		return 0;
	return unexpected(c, arena_dup(c->arena, (struct bytes){ c->argv[*i], 2 }), NULL);
}

static int check_long(struct cmd *c, int *i)
{
	const char *text = c->argv[*i] + 2;
	const char *equals = strchr(text, '=');
	struct bytes name = { text, equals != NULL ? (size_t)(equals - text) : strlen(text) };

	if (bytes_is(name, "help") || bytes_is(name, "version"))
		return 0;
	for (const struct opt *o = rg_options; o->kind != OPT_KIND_END; o++)
		if (o->name != NULL && bytes_is(name, o->name))
			return equals == NULL && o->arg == OPT_ARG_REQUIRED ? check_next(c, o, i)
									    : 0;
	struct buf given = buf_in(c->arena);

	buf_puts(&given, "--");
	buf_add(&given, name);
	return unexpected(c, buf_cstr(&given), similar_name(name));
}

static int check_letters(struct cmd *c, int *i)
{
	for (const char *at = c->argv[*i] + 1; *at != '\0'; at++) {
		const struct opt *o = rg_options;

		if (*at == 'h' || *at == 'V')
			return 0;
		while (o->kind != OPT_KIND_END && o->letter != *at)
			o++;
		if (o->kind == OPT_KIND_END)
			return unexpected(
				c, arena_dup(c->arena, (struct bytes){ (char[]){ '-', *at }, 2 }),
				NULL);
		if (o->arg == OPT_ARG_REQUIRED)
			return at[1] == '\0' ? check_next(c, o, i) : 0;
	}
	return 0;
}

static int check_arguments(struct cmd *c)
{
	int status = 0;

	for (int i = 1; i < c->argc && status == 0; i++) {
		const char *arg = c->argv[i];

		if (strcmp(arg, "--") == 0)
			return 0;
		if (arg[0] != '-' || arg[1] == '\0')
			continue;
		status = arg[1] == '-' ? check_long(c, &i) : check_letters(c, &i);
		cmd_charge(c, 4);
	}
	return status;
}

/* --- the configuration file: an argument a line --- */

static void add_config(struct cmd *c, struct bytes text)
{
	char **argv = arena_array(c->arena, (size_t)c->argc + bytes_count(text, '\n') + 2,
				  sizeof *argv);
	int n = 0;

	argv[n++] = c->argv[0];
	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t to = end != NULL ? (size_t)(end - text.ptr) : text.len;
		struct bytes line = bytes_trim(bytes_slice(text, 0, to));

		if (line.len > 0 && line.ptr[0] != '#')
			argv[n++] = arena_dup(c->arena, line);
		text = bytes_slice(text, end != NULL ? to + 1 : to, text.len);
	}
	for (int i = 1; i < c->argc; i++)
		argv[n++] = c->argv[i];
	argv[n] = NULL;
	c->argv = argv;
	c->argc = n;
}

static void read_config(struct cmd *c)
{
	const char *path = cmd_getenv(c, "RIPGREP_CONFIG_PATH");
	struct bytes text;

	if (path == NULL || *path == '\0')
		return;
	for (int i = 1; i < c->argc && strcmp(c->argv[i], "--") != 0; i++)
		if (strcmp(c->argv[i], "--no-config") == 0)
			return;
	int err = cmd_read_all(c, path, &text);

	if (err >= 0)
		add_config(c, text);
	else if (err == -E_ISDIR)
		rg_fail(c->opts, "%s (os error %d)", err_text(err), -err);
	else
		rg_fail(c->opts, "%s: %s (os error %d)", path, err_text(err), -err);
}

void rg_read_arguments(struct cmd *c)
{
	read_config(c);
	int status = check_arguments(c);

	if (status != 0)
		cmd_exit(c, status);
}
