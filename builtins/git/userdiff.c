/* SPDX-License-Identifier: MIT
 *
 * Drivers by name, as configuration and what is built in say; which lines name functions.
 */
#include "builtins/git/userdiff.h"

enum { FUNCTION_MAX = 80 };

/* --- drivers --- */

static struct regex *compile(struct git *g, struct bytes pattern, unsigned flags)
{
	const char *message;
	struct regex *re;

	if (regex_compile(g->keep, pattern, flags | REGEX_NEWLINE | (g->c->utf8 ? REGEX_UTF8 : 0u),
			  &re, &message, NULL) < 0)
		git_die(g, "Invalid regexp to look for hunk header: %.*s", (int)pattern.len,
			pattern.ptr);
	regex_set_work(re, cmd_work, g->c);
	return re;
}

/* Patterns, one a line. */
static void set_rules(struct git *g, struct userdiff *u, const char *text, unsigned flags)
{
	struct bytes rest = bytes_of(text);
	struct bytes line;
	size_t cap = 0;

	u->rule = NULL;
	u->nrules = 0;
	while (git_line(&rest, &line)) {
		bool negated = line.len != 0 && line.ptr[0] == '!';

		if (negated && rest.len == 0)
			git_die(g, "Last expression must not be negated: %.*s", (int)line.len,
				line.ptr);
		LIST_ROOM(g, u->rule, u->nrules, cap);
		u->rule[u->nrules++] = (struct function_rule){
			compile(g, bytes_slice(line, negated, line.len), flags), negated
		};
	}
}

static const char *text_of(struct git *g, const struct config_entry *e)
{
	if (e->value != NULL)
		return e->value;
	git_error(g, "missing value for '%s'", e->key);
	if (e->scope == CONFIG_COMMAND)
		git_die(g, "unable to parse '%s' from command-line config", e->key);
	git_die(g, "bad config variable '%s' in file '%s' at line %d", e->key, e->file, e->line);
}

static void take_entry(struct git *g, struct userdiff *u, const struct config_entry *e,
		       const char *what)
{
	if (strcmp(what, "xfuncname") == 0) {
		set_rules(g, u, text_of(g, e), REGEX_ERE);
	} else if (strcmp(what, "funcname") == 0) {
		set_rules(g, u, text_of(g, e), REGEX_BRE);
	} else if (strcmp(what, "wordregex") == 0) {
		u->words = text_of(g, e);
	} else if (strcmp(what, "textconv") == 0) {
		u->textconv = text_of(g, e);
	} else if (strcmp(what, "command") == 0) {
		u->command = text_of(g, e);
	} else if (strcmp(what, "binary") == 0) {
		if (e->value == NULL || strcmp(e->value, "auto") != 0) {
			int truth = e->value == NULL ? 1 : config_truth(e->value);

			if (truth < 0)
				git_die(g, "bad boolean config value '%s' for '%s'", e->value,
					e->key);
			u->binary = truth;
		} else {
			u->binary = -1;
		}
	}
}

static struct userdiff *load(struct git *g, const char *name)
{
	struct userdiff *u = arena_zalloc(g->keep, sizeof(*u));
	const char *prefix = git_format(g->a, "diff.%s.", name);

	u->binary = -1;
	config_load(g);
	git_charge_search(g, g->config->n, prefix);
	for (size_t i = 0; i < g->config->n; i++)
		if (git_starts(g->config->at[i].key, prefix))
			take_entry(g, u, &g->config->at[i], g->config->at[i].key + strlen(prefix));
	return u;
}

static const struct userdiff *by_name(struct git *g, const char *name)
{
	struct bytes key = bytes_of(name);
	void **at;

	if (g->drivers == NULL)
		g->drivers = lookup_new(g);
	if (lookup_get(g->drivers, key) == NULL) {
		struct userdiff *u = load(g, name);

		at = lookup_at(g->drivers, bytes_of(arena_dup(g->keep, key)));
		*at = u;
	}
	return lookup_get(g->drivers, key);
}

/* The driver that the attribute names; NULL: it says nothing. */
static const struct userdiff *by_attribute(struct git *g, const char *path)
{
	static const struct userdiff text = { .binary = 0 }, binary = { .binary = 1 };
	const char *value = attr_get(g, path, "diff");

	if (value == NULL)
		return NULL;
	if (strcmp(value, ATTR_FALSE) == 0)
		return &binary;
	return value[0] == '\0' ? &text : by_name(g, value);
}

const struct userdiff *userdiff_of(struct git *g, const char *path)
{
	const struct userdiff *u = by_attribute(g, path);

	return u != NULL ? u : by_name(g, "default");
}

const char *userdiff_command(struct git *g, const char *path)
{
	const struct userdiff *u = by_attribute(g, path);

	return u != NULL ? u->command : NULL;
}

/* --- pairs --- */

const struct userdiff *userdiff_names(struct git *g, const struct diff_pair *p)
{
	const struct userdiff *u = userdiff_of(g, p->one->path);

	return u->nrules != 0 ? u : userdiff_of(g, p->two->path);
}

const char *userdiff_words(struct git *g, const struct diff_pair *p)
{
	const char *words = userdiff_of(g, p->one->path)->words;

	if (words == NULL)
		words = userdiff_of(g, p->two->path)->words;
	return words != NULL ? words : config_get(g, "diff.wordregex");
}

/* --- lines that name functions --- */

static bool usual(struct bytes line)
{
	return line.len != 0 && (byte_is_alpha((unsigned char)line.ptr[0]) || line.ptr[0] == '_' ||
				 line.ptr[0] == '$');
}

/* The first rule that matches decides. */
static bool by_rules(const struct userdiff *u, struct bytes *line)
{
	struct regex_span m[2];

	if (line->len != 0 && line->ptr[line->len - 1] == '\n')
		line->len--;
	for (size_t i = 0; i < u->nrules; i++) {
		m[1].from = SIZE_MAX;
		if (regex_search(u->rule[i].re, *line, 0, 0, m, 2) != 0)
			continue;
		if (u->rule[i].negated)
			return false;
		const struct regex_span *s = regex_groups(u->rule[i].re) > 0 &&
							     m[1].from != SIZE_MAX
						     ? &m[1]
						     : &m[0];

		*line = bytes_slice(*line, s->from, s->to);
		return true;
	}
	return false;
}

bool userdiff_function(struct git *g, const struct userdiff *u, struct bytes line,
		       struct bytes *shown)
{
	cmd_charge(g->c, 1);
	if (u->nrules != 0 ? !by_rules(u, &line) : !usual(line))
		return false;
	if (line.len > FUNCTION_MAX)
		line.len = FUNCTION_MAX;
	while (line.len > 0 && byte_is_space((unsigned char)line.ptr[line.len - 1]))
		line.len--;
	if (shown != NULL)
		*shown = line;
	return true;
}
