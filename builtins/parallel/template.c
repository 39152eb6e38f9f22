/* SPDX-License-Identifier: MIT
 *
 * parallel: the command and its replacement strings.
 *
 * A command is cut into words at white space, a word into parts: text, or what stands for an
 * argument. {} (or {.}, {/}, ...) is all arguments of a job, joined by blanks; with -X, -N and -L
 * the word around it is repeated for each instead. {1} is one argument, and repeats nothing.
 */
#include "builtins/parallel/parallel.h"

enum quoting { QUOTE_VALUES, QUOTE_WORDS, QUOTE_NOTHING };
enum { PART_TEXT = -1, POSITION_ALL = 0, PARTS_MAX = 100000, TAG_MAX = 1000 };

struct part {
	int kind; /* PART_TEXT or enum replace_kind */
	struct bytes text;
	int position; /* POSITION_ALL, 1.., or -1.. from the end */
	struct edit *code;
};

struct word {
	size_t from; /* parts [from, to) */
	size_t to;
	bool repeats;
	bool space; /* white space between words */
};

struct template
{
	struct cmd *c;
	const struct parallel_opts *o;
	struct buf part; /* of struct part */
	struct buf word; /* of struct word */
	const struct bytes *name;
	size_t nnames;
	enum quoting quoting;
	bool replaces; /* there is any replacement string */
	bool wants_total;
	struct regex *plus[DYNAMIC_PLUS];
};

static const char *const default_name[REPLACE_NAMED] = {
	"{}", "{.}", "{/}", "{//}", "{/.}", "{#}", "{%}",
};

static const struct {
	const char *inner; /* between the braces */
	int kind;
	bool plus; /* only with --plus */
} inner_names[] = {
	{ "", REPLACE_ARG, false },           { ".", REPLACE_NO_EXT, false },
	{ "/", REPLACE_BASE, false },         { "//", REPLACE_DIR, false },
	{ "/.", REPLACE_BASE_NO_EXT, false }, { "+/", REPLACE_PATH_DIR, true },
	{ "+.", REPLACE_EXT, true },          { "+..", REPLACE_EXT2, true },
	{ "+...", REPLACE_EXT3, true },       { "..", REPLACE_NO_EXT2, true },
	{ "...", REPLACE_NO_EXT3, true },
};

void shell_quote(struct buf *out, struct bytes s)
{
	bool plain = s.len > 0;

	for (size_t i = 0; i < s.len; i++)
		plain &= byte_is_alnum((unsigned char)s.ptr[i]) ||
			 (s.ptr[i] != '\0' && strchr("_-+./", s.ptr[i]) != NULL);
	if (plain) {
		buf_add(out, s);
		return;
	}
	buf_putc(out, '\'');
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'')
			buf_puts(out, "'\"'\"'");
		else
			buf_putc(out, s.ptr[i]);
	}
	buf_putc(out, '\'');
}

/* --- reading --- */

static bool inner_kind(const struct parallel_opts *o, struct bytes inner, int *kind)
{
	for (size_t i = 0; i < sizeof inner_names / sizeof inner_names[0]; i++) {
		if (!bytes_is(inner, inner_names[i].inner) || (inner_names[i].plus && !o->plus))
			continue;
		*kind = inner_names[i].kind;
		/* A renamed {} is no longer one. */
		return inner_names[i].plus || o->name[*kind] == NULL;
	}
	return false;
}

/* The number at the beginning of {1.} or {-1/}: how many bytes, 0 if there is none. */
static size_t position_at(struct bytes s, int *out)
{
	size_t i = s.len > 0 && s.ptr[0] == '-';
	size_t first = i;
	int value = 0;

	for (; i < s.len && byte_is_digit(s.ptr[i]) && value < 1000000; i++)
		value = value * 10 + byte_digit(s.ptr[i]);
	if (i == first)
		return 0;
	*out = first > 0 ? -value : value;
	return i;
}

/* {N...} and {NAME...}; *len: with the braces. */
static bool braces_at(const struct template *t, struct bytes s, struct part *out, size_t *len)
{
	const char *end = s.len > 0 && s.ptr[0] == '{' ? memchr(s.ptr, '}', s.len) : NULL;
	int position;

	if (end == NULL)
		return false;
	struct bytes inner = bytes_slice(s, 1, (size_t)(end - s.ptr));
	size_t n = position_at(inner, &position);

	*len = inner.len + 2;
	if (t->o->plus) {
		static const struct {
			const char *name;
			int kind;
		} whole[] = { { "##", REPLACE_TOTAL },
			      { "0#", REPLACE_SEQ_PADDED },
			      { "0%", REPLACE_SLOT_PADDED } };

		for (int i = 0; i < 3; i++)
			if (bytes_is(inner, whole[i].name)) {
				*out = (struct part){ .kind = whole[i].kind };
				return true;
			}
	}
	if (inner_kind(t->o, inner, &out->kind))
		return true;
	if (n > 0 && inner_kind(t->o, bytes_slice(inner, n, inner.len), &out->kind)) {
		out->position = position;
		return true;
	}
	for (size_t i = 0; i < t->nnames; i++) {
		struct bytes name = t->name[i];

		if (name.len == 0 || !bytes_starts(inner, name) ||
		    !inner_kind(t->o, bytes_slice(inner, name.len, inner.len), &out->kind))
			continue;
		out->position = (int)i + 1;
		return true;
	}
	return false;
}

/* {= code =}, {=2 code =} */
static bool code_at(const struct template *t, struct bytes s, struct part *out, size_t *len)
{
	const char *end = bytes_starts(s, BYTES("{=")) ? bytes_find(s, BYTES("=}")) : NULL;
	const char *message;

	if (end == NULL || end < s.ptr + 2)
		return false;
	struct bytes code = bytes_slice(s, 2, (size_t)(end - s.ptr));
	size_t n = position_at(code, &out->position);

	*len = code.len + 4;
	out->kind = REPLACE_PERL;
	out->code = edit_compile(t->c, bytes_slice(code, n, code.len), false, &message);
	if (out->code == NULL)
		cmd_fatal_status(t->c, ERROR_STATUS, 0, "Error: {= perl code =}: %s", message);
	return true;
}

/* {2tag} as {tag}; false: there is no number. */
static bool without_position(const struct template *t, struct bytes *s, size_t *digits,
			     struct part *out)
{
	struct bytes rest = bytes_slice(*s, s->len > 0, s->len < TAG_MAX ? s->len : TAG_MAX);
	struct buf text = buf_in(t->c->arena);

	*digits = s->len > 0 && s->ptr[0] == '{' ? position_at(rest, &out->position) : 0;
	if (*digits == 0)
		return false;
	buf_putc(&text, '{');
	buf_add(&text, bytes_slice(rest, *digits, rest.len));
	*s = buf_bytes(&text);
	return true;
}

/* One of --rpl, the latest first; one in braces may have a number behind the first: {2tag}. */
static bool rpl_at(struct template *t, struct bytes s, struct part *out, size_t *len)
{
	for (size_t i = t->o->nrpl; i-- > 0;) {
		struct bytes tag = t->o->rpl[i].tag;
		bool braces = bytes_starts(tag, BYTES("{")) && bytes_starts(s, BYTES("{"));
		size_t n = braces ? position_at(bytes_slice(s, 1, s.len), &out->position) : 0;

		cmd_charge(t->c, 1);
		if (t->o->rpl[i].groups != NULL) {
			const struct parallel_rpl *r = &t->o->rpl[i];
			struct bytes rest = s;
			size_t digits = 0;

			out->kind = REPLACE_PERL;
			out->position = POSITION_ALL;
			out->code = dynamic_match(t->c, r->groups, r->text, s, len);
			if (out->code == NULL && without_position(t, &rest, &digits, out))
				out->code = dynamic_match(t->c, r->groups, r->text, rest, len);
			*len += digits;
			if (out->code != NULL)
				return true;
			continue;
		}
		if (bytes_starts(s, tag)) {
			n = 0;
			out->position = POSITION_ALL;
		} else if (n == 0 || !bytes_starts(bytes_slice(s, 1 + n, s.len),
						   bytes_slice(tag, 1, tag.len))) {
			continue;
		}
		*len = tag.len + n;
		out->kind = REPLACE_PERL;
		out->code = t->o->rpl[i].code;
		return true;
	}
	out->kind = PART_TEXT;
	out->position = POSITION_ALL;
	return false;
}

static bool plus_at(struct template *t, struct bytes s, struct part *out, size_t *len)
{
	if (!t->o->plus)
		return false;
	size_t digits = 0;

	out->kind = REPLACE_PERL;
	out->code = dynamic_plus(t->c, t->plus, s, len);
	if (out->code == NULL && without_position(t, &s, &digits, out))
		out->code = dynamic_plus(t->c, t->plus, s, len);
	*len += digits;
	return out->code != NULL;
}

/* A replacement string at the beginning of s. */
static bool replacement_at(struct template *t, struct bytes s, struct part *out, size_t *len)
{
	*out = (struct part){ .kind = PART_TEXT, .position = POSITION_ALL };
	*len = 0;
	if (rpl_at(t, s, out, len))
		return true;
	for (int k = 0; k < REPLACE_NAMED; k++) {
		const char *given = t->o->name[k];
		struct bytes name = bytes_of(given != NULL ? given : default_name[k]);

		if (name.len <= *len || !bytes_starts(s, name))
			continue;
		*len = name.len;
		out->kind = k;
	}
	return *len > 0 || code_at(t, s, out, len) || braces_at(t, s, out, len) ||
	       plus_at(t, s, out, len);
}

static void add_part(struct template *t, struct part p)
{
	if (t->part.len / sizeof p >= PARTS_MAX)
		cmd_fatal_status(t->c, ERROR_STATUS, 0, "Error: more than %d replacement strings.",
				 PARTS_MAX);
	buf_put(&t->part, &p, sizeof p);
}

static bool repeats_word(const struct part *p)
{
	return p->kind != PART_TEXT && p->position == POSITION_ALL && p->kind != REPLACE_SEQ &&
	       p->kind != REPLACE_SLOT && p->kind != REPLACE_TOTAL &&
	       p->kind != REPLACE_SEQ_PADDED && p->kind != REPLACE_SLOT_PADDED;
}

/* One word, in which white space means nothing. */
static void add_word(struct template *t, struct bytes s, bool space)
{
	struct word w = { .from = t->part.len / sizeof(struct part), .space = space };
	size_t text = 0;
	size_t at = 0;

	while (at < s.len) {
		struct part p;
		size_t len;

		cmd_charge(t->c, 1);
		if (!replacement_at(t, bytes_slice(s, at, s.len), &p, &len)) {
			at++;
			continue;
		}
		if (at > text)
			add_part(t, (struct part){ .kind = PART_TEXT,
						   .text = bytes_slice(s, text, at) });
		add_part(t, p);
		w.repeats |= repeats_word(&p);
		t->replaces = true;
		t->wants_total |= p.kind == REPLACE_TOTAL || p.kind == REPLACE_SEQ_PADDED;
		at += len;
		text = at;
	}
	if (s.len > text)
		add_part(t,
			 (struct part){ .kind = PART_TEXT, .text = bytes_slice(s, text, s.len) });
	w.to = t->part.len / sizeof(struct part);
	buf_put(&t->word, &w, sizeof w);
}

/* How many bytes the word at the beginning of s has: {= =} holds its blanks. */
static size_t word_length(const struct template *t, struct bytes s)
{
	size_t at = 0;

	(void)t;
	while (at < s.len && !byte_is_space(s.ptr[at])) {
		struct bytes tail = bytes_slice(s, at, s.len);
		const char *end = bytes_starts(tail, BYTES("{=")) ? bytes_find(tail, BYTES("=}"))
								  : NULL;

		at = end != NULL ? (size_t)(end - s.ptr) + 2 : at + 1;
	}
	return at;
}

static void add_text(struct template *t, struct bytes s)
{
	size_t at = 0;

	while (at < s.len) {
		size_t from = at;

		while (at < s.len && byte_is_space(s.ptr[at]))
			at++;
		if (at > from)
			add_word(t, bytes_slice(s, from, at), true);
		size_t n = word_length(t, bytes_slice(s, at, s.len));

		if (n > 0)
			add_word(t, bytes_slice(s, at, at + n), false);
		at += n;
	}
}

static struct template *new_template(struct cmd *c, const struct parallel_opts *o,
				     const struct bytes *names, size_t nnames)
{
	struct template *t = arena_zalloc(c->arena, sizeof *t);

	*t = (struct template){ .c = c,
				.o = o,
				.name = names,
				.nnames = nnames,
				.part = buf_in(c->arena),
				.word = buf_in(c->arena) };
	return t;
}

struct template *template_new(struct cmd *c, const struct parallel_opts *o, char *const *words,
			      size_t nwords, const struct bytes *names, size_t nnames)
{
	struct template *t = new_template(c, o, names, nnames);
	struct buf text = buf_in(c->arena);

	/* Without a command the values are commands. */
	bool bare = nwords == 0 || (nwords == 1 && strcmp(words[0], "{}") == 0);

	t->quoting = bare || o->cat ? QUOTE_NOTHING : o->quote ? QUOTE_WORDS : QUOTE_VALUES;
	for (size_t i = 0; i < nwords; i++) {
		if (o->quote && i > 0)
			add_word(t, BYTES(" "), true);
		if (o->quote)
			add_word(t, bytes_of(words[i]), false);
		else
			buf_printf(&text, "%s%s", i > 0 ? " " : "", words[i]);
	}
	add_text(t, buf_bytes(&text));
	if (t->replaces || (o->pipe && !o->cat))
		return t;
	if (nwords > 0)
		add_word(t, BYTES(" "), true);
	struct part arg = { .kind = REPLACE_ARG };
	struct word w = { .from = t->part.len / sizeof arg, .repeats = true };

	add_part(t, arg);
	w.to = w.from + 1;
	buf_put(&t->word, &w, sizeof w);
	return t;
}

struct template *template_plain(struct cmd *c, const struct parallel_opts *o, struct bytes text,
				const struct bytes *names, size_t nnames)
{
	struct template *t = new_template(c, o, names, nnames);

	t->quoting = QUOTE_NOTHING;
	add_text(t, text);
	return t;
}

bool template_wants_total(const struct template *t)
{
	return t->wants_total;
}

/* --- values --- */

/* Where the last extension begins, with its dot; s.len: there is none. */
static size_t extension(struct bytes s)
{
	size_t at = s.len;

	while (at > 0 && s.ptr[at - 1] != '.' && s.ptr[at - 1] != '/')
		at--;
	return at > 0 && s.ptr[at - 1] == '.' ? at - 1 : s.len;
}

static struct bytes strip_extensions(struct bytes s, int n)
{
	struct bytes out = s;

	for (int i = 0; i < n; i++) {
		size_t at = extension(out);

		/* Two or three are taken off only if there are as many. */
		if (at == out.len)
			return i == 0 ? out : s;
		out.len = at;
	}
	return out;
}

static struct bytes last_extensions(struct bytes s, int n)
{
	struct bytes stripped = strip_extensions(s, n);

	return stripped.len < s.len ? bytes_slice(s, stripped.len + 1, s.len) : BYTES("");
}

static struct bytes base_name(struct bytes s)
{
	size_t at = s.len;

	while (at > 0 && s.ptr[at - 1] != '/')
		at--;
	return bytes_slice(s, at, s.len);
}

/* As Perl's File::Basename. */
static struct bytes directory(struct bytes s)
{
	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	size_t at = s.len;

	while (at > 0 && s.ptr[at - 1] != '/')
		at--;
	if (at == 0)
		return BYTES(".");
	while (at > 1 && s.ptr[at - 1] == '/')
		at--;
	return bytes_slice(s, 0, at);
}

static struct bytes path_part(struct bytes s)
{
	struct bytes base = base_name(s);

	return base.len == s.len ? BYTES("") : bytes_slice(s, 0, s.len - base.len - 1);
}

static struct bytes value_of(const struct part *p, struct arena *a, struct bytes s)
{
	switch (p->kind) {
	case REPLACE_NO_EXT: return strip_extensions(s, 1);
	case REPLACE_BASE: return base_name(s);
	case REPLACE_DIR: return directory(s);
	case REPLACE_BASE_NO_EXT: return strip_extensions(base_name(s), 1);
	case REPLACE_PATH_DIR: return path_part(s);
	case REPLACE_EXT: return last_extensions(s, 1);
	case REPLACE_EXT2: return last_extensions(s, 2);
	case REPLACE_EXT3: return last_extensions(s, 3);
	case REPLACE_NO_EXT2: return strip_extensions(s, 2);
	case REPLACE_NO_EXT3: return strip_extensions(s, 3);
	case REPLACE_PERL: return edit_apply(p->code, a, s);
	default: return s;
	}
}

/* --- writing --- */

struct expansion {
	const struct template *t;
	const struct job_values *v;
	struct buf *out;
	size_t word_from; /* where the word being written begins in out */
};

/* -q: what was written since the word began, or its last blank, becomes one word. */
static void end_word(struct expansion *x)
{
	struct buf raw = buf_in(x->out->arena);

	if (x->t->quoting != QUOTE_WORDS)
		return;
	buf_reserve(x->out, 0);
	buf_put(&raw, x->out->ptr + x->word_from, x->out->len - x->word_from);
	x->out->len = x->word_from;
	shell_quote(x->out, buf_bytes(&raw));
}

static void put_blank(struct expansion *x)
{
	end_word(x);
	buf_putc(x->out, ' ');
	x->word_from = x->out->len;
}

static void put_value(const struct expansion *x, const struct part *p, struct bytes s)
{
	struct bytes value = value_of(p, x->out->arena, s);

	if (x->t->quoting == QUOTE_VALUES)
		shell_quote(x->out, value);
	else
		buf_add(x->out, value);
}

/* The number of an argument from 0, or SIZE_MAX if there is none. */
static size_t index_of(const struct job_values *v, int position)
{
	size_t n = (size_t)(position < 0 ? -(int64_t)position : position);

	if (n == 0 || n > v->n)
		return SIZE_MAX;
	return position < 0 ? v->n - n : n - 1;
}

/* With as many digits as the largest has. */
static void put_padded(struct buf *out, uint64_t v, uint64_t largest)
{
	char digits[20];
	size_t width = num_format_u64(largest, digits);
	size_t n = num_format_u64(v, digits);

	for (; n < width; n++)
		buf_putc(out, '0');
	buf_put_u64(out, v);
}

static void put_part(struct expansion *x, const struct part *p, size_t turn)
{
	const struct job_values *v = x->v;

	if (p->kind == PART_TEXT) {
		buf_add(x->out, p->text);
	} else if (p->kind == REPLACE_SEQ_PADDED) {
		put_padded(x->out, v->seq, v->total);
	} else if (p->kind == REPLACE_SLOT_PADDED) {
		put_padded(x->out, v->slot, x->t->o->slots);
	} else if (p->kind == REPLACE_SEQ || p->kind == REPLACE_SLOT || p->kind == REPLACE_TOTAL) {
		buf_put_u64(x->out, p->kind == REPLACE_SEQ    ? v->seq
				    : p->kind == REPLACE_SLOT ? v->slot
							      : v->total);
	} else if (p->position != POSITION_ALL) {
		size_t i = index_of(v, p->position);

		if (i != SIZE_MAX)
			put_value(x, p, v->arg[i]);
	} else if (!x->t->o->context) {
		for (size_t i = 0; i < v->n; i++) {
			if (i > 0)
				put_blank(x);
			put_value(x, p, v->arg[i]);
		}
	} else if (turn < v->n) {
		put_value(x, p, v->arg[turn]);
	}
}

static void put_turn(struct expansion *x, const struct word *w, size_t turn)
{
	const struct part *part = (const void *)x->t->part.ptr;

	x->word_from = x->out->len;
	for (size_t i = w->from; i < w->to; i++)
		put_part(x, &part[i], turn);
	if (!w->space)
		end_word(x);
}

void template_expand(const struct template *t, const struct job_values *v, struct buf *out)
{
	struct expansion x = { t, v, out, 0 };
	const struct word *word = (const void *)t->word.ptr;
	size_t nwords = t->word.len / sizeof *word;

	for (size_t i = 0; i < nwords; i++) {
		bool repeats = word[i].repeats && t->o->context;
		size_t turns = repeats && v->n > 1 ? v->n : 1;

		for (size_t turn = 0; turn < turns; turn++) {
			if (turn > 0)
				buf_putc(out, ' ');
			put_turn(&x, &word[i], turn);
		}
		cmd_charge_bytes(t->c, out->len / (nwords + 1) + turns);
	}
}
