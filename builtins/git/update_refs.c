/* SPDX-License-Identifier: MIT
 *
 * git update-ref --stdin: changes of references that happen together or not at all.
 */
#include "builtins/git/git.h"

enum change_kind { CHANGE_UPDATE, CHANGE_CREATE, CHANGE_DELETE, CHANGE_VERIFY };
struct change {
	enum change_kind kind;
	const char *name;
	struct oid to, from;
	bool has_from;
	bool no_deref;
};
struct transaction {
	struct git *g;
	bool zero;
	bool no_deref, no_deref_next;
	const char *message;
	struct input in;
	struct change *at;
	size_t n, cap;
	bool explicit, prepared, closed;
};

/* --- words --- */

static _Noreturn void no_extra(struct transaction *t, const char *command, const char *name,
			       const char *rest)
{
	git_die(t->g, "%s %s: extra input: %s", command, name, rest);
}

/* The next word of the line: plain, or in "..." with escapes. NULL: there is none. */
static char *next_word(struct transaction *t, char **rest)
{
	char *p = *rest, *start;

	if (*p == '\0')
		return NULL;
	if (*p == '"') {
		const char *at = p;
		char *word = git_unquote(t->g->keep, &at);

		if (word == NULL)
			git_die(t->g, "badly quoted argument: %s", p);
		p += at - p;
		*rest = *p != '\0' ? p + 1 : p;
		return word;
	}
	start = p;
	while (*p != '\0' && !byte_is_space((unsigned char)*p))
		p++;
	*rest = *p != '\0' ? p + 1 : p;
	return git_format(t->g->keep, "%.*s", (int)(p - start), start);
}

/* With -z words end in NUL: the next of the input. */
static char *next_field(struct transaction *t, const char *command, const char *name)
{
	struct bytes line;

	if (input_line(&t->in, '\0', &line) <= 0)
		git_die(t->g, "%s %s: unexpected end of input when reading %s", command, name,
			"<oldvalue>");
	return arena_dup(t->g->keep, line);
}

static char *take(struct transaction *t, char **rest, const char *command, const char *name)
{
	return t->zero ? next_field(t, command, name) : next_word(t, rest);
}

static void resolve(struct transaction *t, const char *command, const char *name, const char *text,
		    const char *what, struct oid *out)
{
	if (*text == '\0')
		*out = oid_null;
	else if (rev_parse(t->g, text, out) < 0)
		git_die(t->g, "%s %s: invalid %s: %s", command, name, what, text);
}

/* --- the transaction --- */

static bool fits(struct transaction *t, const struct change *c)
{
	struct git *g = t->g;
	struct oid is;
	bool there = ref_read(g, c->name, &is, NULL) == 0;

	if (c->kind == CHANGE_CREATE && there) {
		git_say(g, "fatal: cannot lock ref '%s': reference already exists\n", c->name);
		return false;
	}
	if (!c->has_from)
		return true;
	if (there == oid_is_null(&c->from) || (there && !oid_eq(&is, &c->from))) {
		if (there && oid_is_null(&c->from))
			git_say(g, "fatal: cannot lock ref '%s': reference already exists\n",
				c->name);
		else if (!there)
			git_say(g,
				"fatal: cannot lock ref '%s': unable to resolve reference '%s'\n",
				c->name, c->name);
		else
			git_say(g, "fatal: cannot lock ref '%s': is at %s but expected %s\n",
				c->name, oid_hex(g, &is), oid_hex(g, &c->from));
		return false;
	}
	return true;
}

static bool prepare(struct transaction *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct change *c = &t->at[i];

		for (size_t j = 0; j < i; j++)
			if (strcmp(t->at[j].name, c->name) == 0)
				git_die(t->g, "multiple updates for ref '%s' not allowed", c->name);
		cmd_charge(t->g->c, 1 + i / 16);
		if (!fits(t, c))
			return false;
	}
	t->prepared = true;
	return true;
}

static void commit(struct transaction *t)
{
	struct git *g = t->g;

	if (!t->prepared && !prepare(t))
		git_exit(g, GIT_STATUS_FATAL);
	for (size_t i = 0; i < t->n; i++) {
		struct change *c = &t->at[i];

		if (c->kind == CHANGE_VERIFY)
			continue;
		if (c->kind == CHANGE_DELETE || oid_is_null(&c->to)) {
			if (ref_exists(g, c->name))
				ref_delete_logged(g, c->name, t->message != NULL ? t->message : "",
						  c->no_deref);
		} else if (!ref_update(g, c->name, &c->to, NULL,
				       t->message != NULL ? t->message : "", c->no_deref)) {
			git_exit(g, GIT_STATUS_FATAL);
		}
	}
	t->n = 0;
	t->prepared = false;
}

static void add(struct transaction *t, enum change_kind kind, const char *command, char *rest)
{
	struct git *g = t->g;
	struct change c = { .kind = kind, .no_deref = t->no_deref || t->no_deref_next };
	char *word;

	t->no_deref_next = false;
	c.name = t->zero ? rest : next_word(t, &rest);
	if (c.name == NULL || *c.name == '\0')
		git_die(g, "%s: missing <ref>", command);
	if (!ref_name_valid(c.name))
		git_die(g, "invalid ref format: %s", c.name);
	if (kind == CHANGE_UPDATE || kind == CHANGE_CREATE) {
		word = take(t, &rest, command, c.name);
		if (word == NULL)
			git_die(g, "%s %s: missing <newvalue>", command, c.name);
		resolve(t, command, c.name, word, "<newvalue>", &c.to);
		if (kind == CHANGE_CREATE && oid_is_null(&c.to))
			git_die(g, "%s %s: zero <newvalue>", command, c.name);
	}
	if (kind != CHANGE_CREATE) {
		word = take(t, &rest, command, c.name);
		c.has_from = word != NULL && (*word != '\0' || kind == CHANGE_VERIFY);
		if (word != NULL)
			resolve(t, command, c.name, word, "<oldvalue>", &c.from);
		if (kind == CHANGE_VERIFY)
			c.has_from = true;
		if (kind == CHANGE_DELETE && c.has_from && oid_is_null(&c.from))
			git_die(g, "%s %s: zero <oldvalue>", command, c.name);
	}
	if (!t->zero && *rest != '\0')
		no_extra(t, command, c.name, rest);
	LIST_ROOM(g, t->at, t->n, t->cap);
	t->at[t->n++] = c;
}

static void say_ok(struct transaction *t, const char *command)
{
	git_printf(t->g, "%s: ok\n", command);
	cmd_flush(t->g->c);
}

/* start, prepare, commit, abort. */
static bool control(struct transaction *t, const char *line)
{
	if (strcmp(line, "start") == 0) {
		if (t->n > 0)
			commit(t);
		t->explicit = true;
		t->closed = false;
	} else if (strcmp(line, "prepare") == 0) {
		if (!prepare(t))
			git_exit(t->g, GIT_STATUS_FATAL);
	} else if (strcmp(line, "commit") == 0) {
		commit(t);
		t->closed = true;
	} else if (strcmp(line, "abort") == 0) {
		t->n = 0;
		t->prepared = false;
		t->closed = true;
	} else {
		return false;
	}
	say_ok(t, line);
	return true;
}

static void obey(struct transaction *t, char *line)
{
	static const char *const words[] = { "update", "create", "delete", "verify" };
	struct git *g = t->g;

	if (*line == '\0')
		git_die(g, "empty command in input");
	if (byte_is_space((unsigned char)*line))
		git_die(g, "whitespace before command: %s", line);
	if (control(t, line))
		return;
	if (strcmp(line, "option no-deref") == 0) {
		t->no_deref_next = true;
		return;
	}
	if (git_starts(line, "option "))
		git_die(g, "option unknown: %s", line + strlen("option "));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (strncmp(line, words[i], n) != 0 || line[n] != ' ')
			continue;
		if (t->prepared)
			git_die(g, "prepared transactions can only be closed");
		if (t->closed)
			git_die(g, "transaction is closed");
		add(t, (enum change_kind)i, words[i], line + n + 1);
		return;
	}
	git_die(g, "unknown command: %s%s", line, t->zero ? "" : "\n");
}

int update_refs_stdin(struct git *g, bool zero, bool no_deref, const char *message)
{
	struct transaction t = { .g = g, .zero = zero, .no_deref = no_deref, .message = message };
	struct bytes line;

	input_init(&t.in, g->c, 0, "-");
	while (input_line(&t.in, zero ? '\0' : '\n', &line) > 0) {
		cmd_charge(g->c, 1);
		obey(&t, arena_dup(g->keep, line));
	}
	if (!t.explicit && t.n > 0)
		commit(&t);
	return 0;
}
