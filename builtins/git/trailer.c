/* SPDX-License-Identifier: MIT
 *
 * Trailers found in a message, and changed as the command line and trailer.* want it.
 */
#include "builtins/git/commit.h"
#include "builtins/git/trailer.h"

/* --- rules --- */

static bool starts_nocase(const char *s, struct bytes prefix)
{
	struct bytes all = bytes_of(s);

	return all.len >= prefix.len && git_eq_nocase(bytes_slice(all, 0, prefix.len), prefix);
}

static bool same_word(const char *a, const char *b)
{
	return git_eq_nocase(bytes_of(a), bytes_of(b));
}

bool trailer_rule_where(const char *text, enum trailer_where *out)
{
	static const char *const words[] = { "", "end", "after", "before", "start" };

	for (int i = 1; i < 5; i++)
		if (same_word(text, words[i])) {
			*out = (enum trailer_where)i;
			return true;
		}
	return false;
}

bool trailer_rule_exists(const char *text, enum trailer_exists *out)
{
	static const char *const words[] = {
		"", "addIfDifferentNeighbor", "addIfDifferent", "add", "replace", "doNothing"
	};

	for (int i = 1; i < 6; i++)
		if (same_word(text, words[i])) {
			*out = (enum trailer_exists)i;
			return true;
		}
	return false;
}

bool trailer_rule_missing(const char *text, enum trailer_missing *out)
{
	if (!same_word(text, "add") && !same_word(text, "doNothing"))
		return false;
	*out = same_word(text, "add") ? MISSING_ADD : MISSING_NOTHING;
	return true;
}

/* trailer.NAME.* */
struct kind {
	const char *name;
	const char *key;
	const char *command; /* with $ARG in it */
	const char *cmd;     /* with $1 */
	struct trailer_rules rules;
};

struct item {
	struct bytes token; /* .ptr NULL: a line that is no trailer */
	struct bytes value; /* or the line */
	const struct kind *kind;
	struct trailer_rules rules;
};

struct trailers {
	struct git *g;
	const char *separators;
	struct trailer_rules rules;
	struct kind *kind;
	size_t nkinds, kinds_cap;
	struct item *at;
	size_t n, cap;
};

static struct kind *kind_at(struct trailers *t, struct bytes name)
{
	struct git *g = t->g;

	cmd_charge(g->c, t->nkinds / 8 + 1);
	for (size_t i = 0; i < t->nkinds; i++)
		if (git_eq_nocase(bytes_of(t->kind[i].name), name))
			return &t->kind[i];
	LIST_ROOM(g, t->kind, t->nkinds, t->kinds_cap);
	t->kind[t->nkinds] = (struct kind){ .name = arena_dup(g->keep, name), .rules = t->rules };
	return &t->kind[t->nkinds++];
}

static void set_rule(struct git *g, const struct config_entry *e, const char *what,
		     struct trailer_rules *rules)
{
	const char *v = e->value != NULL ? e->value : "";
	bool good = true;

	if (strcmp(what, "where") == 0)
		good = trailer_rule_where(v, &rules->where);
	else if (strcmp(what, "ifexists") == 0)
		good = trailer_rule_exists(v, &rules->exists);
	else if (strcmp(what, "ifmissing") == 0)
		good = trailer_rule_missing(v, &rules->missing);
	if (!good)
		git_warn(g, "unknown value '%s' for key '%s'", v, e->key);
}

static void load(struct git *g, struct trailers *t)
{
	*t = (struct trailers){ .g = g, .separators = ":" };
	t->rules = (struct trailer_rules){ WHERE_END, EXISTS_DIFFERENT_NEIGHBOR, MISSING_ADD };
	config_load(g);
	cmd_charge(g->c, g->config->n / 4);
	for (size_t i = 0; i < g->config->n; i++) {
		const struct config_entry *e = &g->config->at[i];

		if (!git_starts(e->key, "trailer.") || strchr(e->key + 8, '.') != NULL)
			continue;
		if (strcmp(e->key, "trailer.separators") == 0 && e->value != NULL)
			t->separators = e->value;
		set_rule(g, e, e->key + 8, &t->rules);
	}
	for (size_t i = 0; i < g->config->n; i++) {
		const struct config_entry *e = &g->config->at[i];
		const char *last = strrchr(e->key, '.');
		struct kind *k;

		if (!git_starts(e->key, "trailer.") || last < e->key + 8)
			continue;
		k = kind_at(t, (struct bytes){ e->key + 8, (size_t)(last - e->key) - 8 });
		if (strcmp(last, ".key") == 0)
			k->key = e->value;
		else if (strcmp(last, ".command") == 0)
			k->command = e->value;
		else if (strcmp(last, ".cmd") == 0)
			k->cmd = e->value;
		else
			set_rule(g, e, last + 1, &k->rules);
	}
}

/* The token without what separates it from its value. */
static struct bytes bare(struct bytes token)
{
	while (token.len > 0 && !byte_is_alnum((unsigned char)token.ptr[token.len - 1]))
		token.len--;
	return token;
}

static const struct kind *kind_of(const struct trailers *t, struct bytes token)
{
	token = bare(token);
	cmd_charge(t->g->c, t->nkinds * (token.len / 64 + 1) / 4);
	for (size_t i = 0; i < t->nkinds; i++) {
		const struct kind *k = &t->kind[i];

		if (starts_nocase(k->name, token) ||
		    (k->key != NULL && starts_nocase(k->key, token)))
			return k;
	}
	return NULL;
}

/* --- reading --- */

/* Where the token of a line ends; -1: it is no trailer. */
static int64_t separator_at(const struct trailers *t, struct bytes line)
{
	bool blank = false;

	for (size_t i = 0; i < line.len; i++) {
		char ch = line.ptr[i];

		if (strchr(t->separators, ch) != NULL && ch != '\0')
			return (int64_t)i;
		if (!blank && (byte_is_alnum((unsigned char)ch) || ch == '-'))
			continue;
		if (i == 0 || (ch != ' ' && ch != '\t'))
			break;
		blank = true;
	}
	return -1;
}

struct line_list {
	struct bytes *at; /* with their newlines */
	size_t n;
};

static bool blank_line(struct bytes line)
{
	return git_trim(line).len == 0;
}

/* Lines [from, to) that hold the trailers; empty behind the text if there are none. */
static void find_block(const struct trailers *t, const struct line_list *l, size_t *from,
		       size_t *to)
{
	char comment = message_comment_char(t->g);
	size_t good = 0, bad = 0, further = 0, title = 0, i = l->n;
	bool known = false;

	while (i > 0 && (blank_line(l->at[i - 1]) || l->at[i - 1].ptr[0] == comment))
		i--;
	*from = *to = i > 0 ? i : l->n;
	while (title < i && (l->at[title].ptr[0] == comment || !blank_line(l->at[title])))
		title++;
	while (i > title) {
		struct bytes line = l->at[--i];
		int64_t at;

		cmd_charge(t->g->c, 1);
		if (line.ptr[0] == comment) {
			bad += further;
			further = 0;
			continue;
		}
		if (blank_line(line)) {
			bad += further;
			if ((known && good * 3 >= bad) || (good > 0 && bad == 0))
				*from = i + 1;
			return;
		}
		at = separator_at(t, line);
		if (bytes_starts(line, BYTES("Signed-off-by: ")) ||
		    bytes_starts(line, BYTES("(cherry picked from commit "))) {
			known = true;
			good++;
			further = 0;
		} else if (at >= 1 && !byte_is_space((unsigned char)line.ptr[0])) {
			known = known || kind_of(t, bytes_slice(line, 0, (size_t)at)) != NULL;
			good++;
			further = 0;
		} else if (byte_is_space((unsigned char)line.ptr[0])) {
			further++;
		} else {
			bad += 1 + further;
			further = 0;
		}
	}
}

static void split(struct arena *a, struct bytes text, bool divider, struct line_list *out)
{
	out->n = lines_split(a, text, &out->at);
	for (size_t i = 0; divider && i < out->n; i++)
		if (bytes_starts(out->at[i], BYTES("---")) && out->at[i].len > 3 &&
		    byte_is_space((unsigned char)out->at[i].ptr[3]))
			out->n = i;
}

static struct bytes join(const struct line_list *l, size_t from, size_t to, struct bytes text)
{
	const char *start = from < l->n ? l->at[from].ptr : text.ptr + text.len;
	const char *end = to > 0 ? l->at[to - 1].ptr + l->at[to - 1].len : text.ptr;

	return end > start ? (struct bytes){ start, (size_t)(end - start) }
			   : (struct bytes){ start, 0 };
}

struct bytes trailers_of(struct git *g, struct bytes message)
{
	struct trailers t;
	struct line_list l;
	size_t from, to;

	load(g, &t);
	split(g->a, message, false, &l);
	find_block(&t, &l, &from, &to);
	return join(&l, from, to, message);
}

size_t trailers_list(struct git *g, struct bytes message, struct trailer_item **out)
{
	struct trailers t;
	struct line_list l;
	size_t from, to, n = 0;
	char comment = message_comment_char(g);

	load(g, &t);
	split(g->a, message, false, &l);
	find_block(&t, &l, &from, &to);
	*out = arena_array(g->a, to - from + 1, sizeof(**out));
	for (; from < to; from++) {
		struct bytes line = l.at[from];

		cmd_charge(g->c, 1);
		if (line.ptr[0] == comment)
			continue;
		if (n > 0 && byte_is_space((unsigned char)line.ptr[0]) &&
		    (*out)[n - 1].text.ptr + (*out)[n - 1].text.len == line.ptr) {
			(*out)[n - 1].text.len += line.len;
			continue;
		}
		(*out)[n++] = (struct trailer_item){ line, separator_at(&t, line) };
	}
	return n;
}

static struct item *insert(struct trailers *t, size_t at, struct item item)
{
	LIST_ROOM(t->g, t->at, t->n, t->cap);
	memmove(t->at + at + 1, t->at + at, (t->n - at) * sizeof(item));
	t->at[at] = item;
	t->n++;
	return &t->at[at];
}

struct bytes trailer_unfolded(struct git *g, struct bytes v)
{
	struct buf b = buf_in(g->keep);

	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] != '\n') {
			buf_putc(&b, v.ptr[i]);
			continue;
		}
		while (i + 1 < v.len && byte_is_space((unsigned char)v.ptr[i + 1]))
			i++;
		buf_putc(&b, ' ');
	}
	return git_trim(buf_bytes(&b));
}

/* The token as it is written: its kind's key takes its place. */
static void take_token(const struct trailers *t, struct item *it, struct bytes token, bool given)
{
	it->kind = kind_of(t, token);
	it->token = it->kind != NULL && it->kind->key != NULL ? bytes_of(it->kind->key)
		    : given || it->kind == NULL               ? token
							      : bytes_of(it->kind->name);
}

static void read_block(struct trailers *t, const struct line_list *l, size_t from, size_t to,
		       const struct trailer_opts *o)
{
	char comment = message_comment_char(t->g);

	for (size_t i = from; i < to; i++) {
		struct bytes line = l->at[i];
		int64_t at = separator_at(t, line);
		struct item it = { .kind = NULL };

		cmd_charge(t->g->c, 1);
		if (line.ptr[0] == comment)
			continue;
		if (at < 1 || byte_is_space((unsigned char)line.ptr[0])) {
			if (line.len > 0 && line.ptr[line.len - 1] == '\n')
				line.len--;
			if (o->only_trailers)
				continue;
			it.value = line;
			insert(t, t->n, it);
			continue;
		}
		while (i + 1 < to && l->at[i + 1].len > 0 &&
		       byte_is_space((unsigned char)l->at[i + 1].ptr[0]))
			line.len += l->at[++i].len;
		take_token(t, &it, git_trim(bytes_slice(line, 0, (size_t)at)), true);
		it.value = git_trim(bytes_slice(line, (size_t)at + 1, line.len));
		if (o->unfold)
			it.value = trailer_unfolded(t->g, it.value);
		insert(t, t->n, it);
	}
}

/* --- changing --- */

static bool same_token(struct bytes a, struct bytes b)
{
	size_t least;

	if (a.ptr == NULL)
		return false;
	a = bare(a);
	b = bare(b);
	least = a.len < b.len ? a.len : b.len;
	return git_eq_nocase(bytes_slice(a, 0, least), bytes_slice(b, 0, least));
}

static bool same_item(const struct item *a, const struct item *b)
{
	return same_token(a->token, b->token) && git_eq_nocase(a->value, b->value);
}

/* What the kind's command makes of the value. */
static void run_command(struct trailers *t, struct item *arg, const struct item *in)
{
	const struct kind *k = arg->kind;
	struct git *g = t->g;
	struct bytes value = arg->value.len != 0 ? arg->value : in != NULL ? in->value : arg->value;
	struct bytes out = { "", 0 };
	struct buf b = buf_in(g->keep);

	if (k == NULL || (k->command == NULL && k->cmd == NULL))
		return;
	if (k->cmd != NULL) {
		buf_printf(&b, "set -- ");
		git_quote_shell(&b, arena_dup(g->a, value));
		buf_printf(&b, "\n%s \"$@\"", k->cmd);
	} else {
		struct bytes rest = bytes_of(k->command);
		const char *at;

		for (; (at = bytes_find(rest, BYTES("$ARG"))) != NULL;
		     rest = bytes_slice(rest, (size_t)(at - rest.ptr) + 4, rest.len)) {
			buf_put(&b, rest.ptr, (size_t)(at - rest.ptr));
			buf_add(&b, value);
		}
		buf_add(&b, rest);
	}
	if (git_filter(g, g->keep, buf_cstr(&b), BYTES(""), &out) != 0) {
		git_error(g, "running trailer command '%s' failed",
			  k->cmd != NULL ? k->cmd : buf_cstr(&b));
		out.len = 0;
	}
	arg->value = git_trim(out);
}

/* Whether nothing from at on, to the front or to the end, is the same. */
static bool is_different(const struct trailers *t, const struct item *arg, size_t at, bool back)
{
	for (;;) {
		if (same_item(&t->at[at], arg))
			return false;
		if (back ? at == 0 : at + 1 >= t->n)
			return true;
		at = back ? at - 1 : at + 1;
	}
}

static void apply(struct trailers *t, struct item arg)
{
	struct trailer_rules r = arg.rules;
	bool back = r.where == WHERE_AFTER || r.where == WHERE_END;
	bool middle = r.where == WHERE_AFTER || r.where == WHERE_BEFORE;
	size_t in = t->n, on;

	cmd_charge(t->g->c, 1 + t->n);
	for (size_t k = 0; k < t->n && in == t->n; k++) {
		size_t i = back ? t->n - 1 - k : k;

		if (same_token(t->at[i].token, arg.token))
			in = i;
	}
	if (in == t->n) {
		if (r.missing == MISSING_NOTHING)
			return;
		run_command(t, &arg, NULL);
		insert(t, back ? t->n : 0, arg);
		return;
	}
	on = middle ? in : back ? t->n - 1 : 0;
	if (r.exists == EXISTS_NOTHING)
		return;
	run_command(t, &arg, &t->at[in]);
	if ((r.exists == EXISTS_DIFFERENT && !is_different(t, &arg, in, back)) ||
	    (r.exists == EXISTS_DIFFERENT_NEIGHBOR && same_item(&t->at[on], &arg)))
		return;
	on += back;
	insert(t, on, arg);
	if (r.exists == EXISTS_REPLACE) {
		in += on <= in;
		memmove(t->at + in, t->at + in + 1, (t->n - in - 1) * sizeof(*t->at));
		t->n--;
	}
}

static void apply_rules(const struct trailer_rules *from, struct trailer_rules *to)
{
	if (from->where != WHERE_UNSAID)
		to->where = from->where;
	if (from->exists != EXISTS_UNSAID)
		to->exists = from->exists;
	if (from->missing != MISSING_UNSAID)
		to->missing = from->missing;
}

static void apply_arg(struct trailers *t, const struct trailer_arg *arg)
{
	struct bytes text = git_trim(bytes_of(arg->text));
	size_t n = 0;
	struct item it = { .kind = NULL };

	while (n < text.len && text.ptr[n] != '=' && strchr(t->separators, text.ptr[n]) == NULL)
		n++;
	if (n == 0) {
		git_error(t->g, "empty trailer token in trailer '%.*s'", (int)text.len, text.ptr);
		return;
	}
	take_token(t, &it, git_trim(bytes_slice(text, 0, n)), true);
	it.value = n < text.len ? git_trim(bytes_slice(text, n + 1, text.len)) : BYTES("");
	it.rules = it.kind != NULL ? it.kind->rules : t->rules;
	apply_rules(&arg->rules, &it.rules);
	apply(t, it);
}

static void put_item(const struct trailers *t, const struct item *it, struct buf *out)
{
	char last;

	if (it->token.ptr == NULL) {
		buf_add(out, it->value);
		buf_putc(out, '\n');
		return;
	}
	struct bytes trimmed = git_trim(it->token);

	if (trimmed.len == 0)
		return;
	last = trimmed.ptr[trimmed.len - 1];
	buf_add(out, it->token);
	if (strchr(t->separators, last) == NULL)
		buf_printf(out, "%c ", t->separators[0]);
	buf_add(out, it->value);
	buf_putc(out, '\n');
}

struct bytes trailers_apply(struct git *g, struct bytes message, const struct trailer_args *args,
			    const struct trailer_opts *o)
{
	struct buf out = buf_in(g->keep);
	struct trailers t;
	struct line_list l;
	size_t from, to;

	load(g, &t);
	split(g->keep, message, !o->no_divider, &l);
	find_block(&t, &l, &from, &to);
	read_block(&t, &l, from, to, o);
	for (size_t i = 0; !o->only_input && i < t.nkinds; i++) {
		struct item it = { .kind = &t.kind[i], .value = BYTES("") };

		if (t.kind[i].command == NULL)
			continue;
		it.token = bytes_of(t.kind[i].key != NULL ? t.kind[i].key : t.kind[i].name);
		it.rules = t.kind[i].rules;
		apply(&t, it);
	}
	for (size_t i = 0; !o->only_input && i < args->n; i++)
		apply_arg(&t, &args->at[i]);
	if (!o->only_trailers) {
		buf_add(&out, join(&l, 0, from, message));
		if (from == 0 || !blank_line(l.at[from - 1]))
			buf_putc(&out, '\n');
	}
	for (size_t i = 0; i < t.n; i++)
		if (!o->trim_empty || git_trim(t.at[i].value).len != 0)
			put_item(&t, &t.at[i], &out);
	if (!o->only_trailers) {
		const char *end = to > 0 ? l.at[to - 1].ptr + l.at[to - 1].len : message.ptr;

		buf_put(&out, end, message.len - (size_t)(end - message.ptr));
	}
	return (struct bytes){ buf_cstr(&out), out.len };
}
