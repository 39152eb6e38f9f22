/* SPDX-License-Identifier: MIT
 *
 * Arguments of declare, local, export, readonly and typeset: assignments among them are
 * expanded as assignments. "name=value" stays one argument of the builtin; an array literal
 * is handed over as it was parsed.
 */
#include "interp/declare.h"
#include "interp/exec.h"

struct declaring {
	struct fields *argv;
	const struct assign **args; /* args[i] belongs to argv->v[i]; NULL: an ordinary word */
	int cap;
};

struct word *literal_word(struct shell *sh, struct bytes text)
{
	struct word *w = arena_zalloc(sh->arena, sizeof(*w));
	struct part *part = arena_zalloc(sh->arena, sizeof(*part));

	w->flags = WORD_LITERAL | WORD_QUOTED;
	w->literal = arena_bytes(sh->arena, text);
	w->text = w->literal;
	w->parts = part;
	w->nparts = 1;
	part->kind = PART_TEXT;
	part->quoted = true;
	part->text = w->literal;
	return w;
}

/* Expands the words of one item of an array literal into items of out. */
static int expand_item(struct shell *sh, const struct array_item *item, struct assign *out,
		       int *cap)
{
	struct fields words = { 0 };
	struct bytes value;

	if (item->sub != NULL && item->braced == NULL) {
		if (expand_assignment(sh, item->value, &value) != 0)
			return -1;
		fields_add(sh, &words, arena_dup(sh->arena, value));
	} else if (expand_words(sh, item->braced != NULL ? &item->braced : &item->value, 1,
				&words) != 0) {
		return -1;
	}
	if (out->nitems + words.count > *cap) {
		int most = 2 * (out->nitems + words.count) + 8;

		out->items = arena_grow(sh->arena, out->items, (size_t)*cap * sizeof(*item),
					(size_t)most * sizeof(*item));
		*cap = most;
	}
	for (int i = 0; i < words.count; i++) {
		struct array_item *made = &out->items[out->nitems++];

		*made = *item;
		made->value = literal_word(sh, bytes_of(words.v[i]));
		if (item->braced != NULL)
			made->sub = made->braced = NULL;
	}
	return 0;
}

/* '...' whatever is in it. */
static void put_quoted(struct buf *out, struct bytes s)
{
	buf_putc(out, '\'');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'')
			buf_puts(out, "'\\'");
		buf_putc(out, s.ptr[i]);
	}
	buf_putc(out, '\'');
}

/* For tracing, an array literal with its items expanded, so that they are expanded only once. */
static struct assign *expanded_array(struct shell *sh, const struct assign *a)
{
	struct assign *out = arena_alloc(sh->arena, sizeof(*out));
	struct buf text = buf_in(sh->arena);
	int cap = 0;

	*out = *a;
	out->items = NULL;
	out->nitems = 0;
	buf_add(&text, a->name);
	buf_puts(&text, a->append ? "+=(" : "=(");
	for (int i = 0; i < a->nitems; i++) {
		if (expand_item(sh, &a->items[i], out, &cap) != 0)
			return NULL;
	}
	for (int i = 0; i < out->nitems; i++) {
		const struct array_item *item = &out->items[i];

		if (i > 0)
			buf_putc(&text, ' ');
		if (item->sub != NULL) {
			buf_putc(&text, '[');
			put_quoted(&text, item->sub->text);
			buf_puts(&text, item->append ? "]+=" : "]=");
		}
		put_quoted(&text, item->value->literal);
	}
	buf_putc(&text, ')');
	out->text = arena_bytes(sh->arena, buf_bytes(&text));
	return out;
}

/* An argument of a declaration builtin: one field "name=value", or an array literal that is
 * executed by the builtin. */
static int expand_argument(struct shell *sh, struct declaring *c, const struct assign *a)
{
	struct buf text = buf_in(sh->arena);
	struct bytes value;
	struct bytes sub;

	if (a->array) {
		if (opt_set(sh, SET_XTRACE))
			a = expanded_array(sh, a);
		if (a == NULL)
			return -1;
		c->args[c->argv->count] = a;
		fields_add(sh, c->argv, arena_dup(sh->arena, a->text));
		return 0;
	}
	if (expand_assignment(sh, a->value, &value) != 0)
		return -1;
	buf_add(&text, a->name);
	if (a->sub != NULL) {
		value = arena_bytes(sh->arena, value);
		if (expand_assignment(sh, a->sub, &sub) != 0)
			return -1;
		buf_putc(&text, '[');
		buf_add(&text, sub);
		buf_putc(&text, ']');
	}
	buf_puts(&text, a->append ? "+=" : "=");
	buf_add(&text, value);
	c->args[c->argv->count] = a;
	fields_add(sh, c->argv, buf_cstr(&text));
	return 0;
}

/* --- array literals beside other operands --- */

static bool is_option(const char *word)
{
	return word[0] == '-' || word[0] == '+';
}

/* Array literals are assigned while the words are expanded: in `local a=("$@") n=${#a[@]}` the
 * second sees the first. It makes no difference where there is one operand only. */
static bool assigns_early(const struct simple *s)
{
	int operands = 0;
	bool literal = false;

	for (int i = 1; i < s->nwords; i++) {
		const struct word *w = s->words[i];

		operands += !is_option(w->text.ptr);
		literal = literal || ((w->flags & WORD_ASSIGNMENT) != 0 && w->assign != NULL &&
				      w->assign->array);
	}
	return literal && operands > 1 && (s->words[0]->flags & WORD_LITERAL) != 0;
}

/* Runs the declaration with its options so far and this literal alone. False if it is to go the
 * usual way: what prints or makes references takes all operands at once. *status is its status. */
static bool assign_early(struct shell *sh, struct declaring *d, const struct assign *a, int *status)
{
	struct fields *argv = d->argv;
	const struct shell_builtin *b = shell_builtin_find(sh, bytes_of(argv->v[0]));
	int n = 1;

	while (n < argv->count && is_option(argv->v[n]) &&
	       strspn(argv->v[n] + 1, "aAcgIilrtux") == strlen(argv->v[n] + 1))
		n++;
	if (b == NULL || (strcmp(b->name, "local") == 0 && declare_scope(sh) == 0) ||
	    (n < argv->count && is_option(argv->v[n])))
		return false;
	const struct assign **args = arena_zalloc(sh->arena, (size_t)(n + 2) * sizeof(*args));
	char **words = arena_array(sh->arena, (size_t)n + 2, sizeof(*words));

	if (opt_set(sh, SET_XTRACE)) {
		a = expanded_array(sh, a);
		if (a == NULL) {
			*status = 1;
			return true;
		}
		xtrace_text(sh, a->text);
	}
	memcpy(words, argv->v, (size_t)n * sizeof(*words));
	words[n] = arena_dup(sh->arena, a->text);
	words[n + 1] = NULL;
	args[n] = a;
	sh->declare_args = args;
	*status = exec_builtin(sh, b, n + 1, words);
	sh->declare_args = NULL;
	/* The declaration finds it assigned. */
	if (*status == 0)
		fields_add(sh, argv, arena_dup(sh->arena, a->name));
	return true;
}

static void grow_args(struct shell *sh, struct declaring *c, int want)
{
	if (want <= c->cap)
		return;
	want += 16;
	c->args = arena_grow(sh->arena, c->args, (size_t)c->cap * sizeof(*c->args),
			     (size_t)want * sizeof(*c->args));
	for (int i = c->cap; i < want; i++)
		c->args[i] = NULL;
	c->cap = want;
}

int declare_expand(struct shell *sh, const struct simple *s, struct fields *argv,
		   struct declared *out)
{
	struct declaring d = { .argv = argv };
	bool early = assigns_early(s);

	for (int i = 0; i < s->nwords; i++) {
		const struct word *w = s->words[i];
		bool assigns = (w->flags & WORD_ASSIGNMENT) != 0 && w->assign != NULL;
		int status = 0;

		grow_args(sh, &d, argv->count + 1);
		if (early && assigns && w->assign->array &&
		    assign_early(sh, &d, w->assign, &status)) {
			out->status = status != 0 ? status : out->status;
			status = sh->flow != FLOW_NONE;
		} else if (assigns) {
			status = expand_argument(sh, &d, w->assign);
		} else {
			status = expand_words(sh, &s->words[i], 1, argv);
		}
		if (status != 0)
			return -1;
		grow_args(sh, &d, argv->count + 1);
	}
	out->nothing_left = out->status != 0 &&
			    (argv->count == 1 || is_option(argv->v[argv->count - 1]));
	out->args = d.args;
	return 0;
}

static bool is_element(const struct word *w)
{
	struct bytes name;
	struct bytes sub;

	return parse_name_ref(w->text, &name, &sub) && sub.ptr != NULL;
}

int elements_expand(struct shell *sh, const struct simple *s, struct fields *argv,
		    const bool **elements)
{
	int *written = arena_array(sh->arena, (size_t)s->nwords, sizeof(*written));
	int n = 0;
	bool *out;

	for (int i = 0; i < s->nwords; i++) {
		int at = argv->count;

		if (expand_words(sh, &s->words[i], 1, argv) != 0)
			return -1;
		if (argv->count == at + 1 && is_element(s->words[i]))
			written[n++] = at;
	}
	out = arena_zalloc(sh->arena, (size_t)argv->count + 1);
	for (int i = 0; i < n; i++)
		out[written[i]] = true;
	*elements = out;
	return 0;
}

/* --- tracing --- */

/* What export and readonly assign is shown once more. */
static void trace_exports(struct shell *sh, const struct fields *argv,
			  const struct assign *const *args)
{
	for (int i = 1; i < argv->count; i++) {
		struct bytes text = bytes_of(argv->v[i]);
		const char *equals = strchr(text.ptr, '=');
		struct assign a = { 0 };
		struct word w = { .flags = WORD_LITERAL };

		if (equals == NULL || *text.ptr == '-' ||
		    (args != NULL && args[i] != NULL && args[i]->array))
			continue;
		a.name = bytes_slice(text, 0, (size_t)(equals - text.ptr));
		w.literal = bytes_slice(text, a.name.len + 1, text.len);
		a.value = &w;
		xtrace_assign(sh, &a);
	}
}

/* Array literals of a declaration are shown before it; then only their names. */
void declare_trace(struct shell *sh, const struct fields *argv, const struct assign *const *args,
		   bool exports)
{
	char **shown = argv->v;

	if (args != NULL) {
		size_t size = (size_t)(argv->count + 1) * sizeof(*shown);

		shown = arena_alloc(sh->arena, size);
		memcpy(shown, argv->v, size);
		for (int i = 0; i < argv->count; i++) {
			const struct assign *a = args[i];

			if (a == NULL || !a->array)
				continue;
			xtrace_text(sh, a->text);
			shown[i] = arena_dup(sh->arena, a->name);
		}
	}
	xtrace_words(sh, shown, argv->count);
	if (exports)
		trace_exports(sh, argv, args);
}
