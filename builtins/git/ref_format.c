/* SPDX-License-Identifier: MIT
 *
 * --format and --sort of for-each-ref, tag, branch.
 *
 * %(align) and %(if) open a part that is held back until its %(end): a stack of parts.
 */
#include "builtins/git/ref_format.h"

/* --- --format --- */

enum part_kind { PART_WHOLE, PART_ALIGN, PART_IF, PART_ELSE };

/* What is between %(align) or %(if) and %(end). */
struct part {
	enum part_kind kind;
	struct buf text;
	/* of %(align) */
	char position; /* l, m, r */
	size_t width;
	/* of %(if) */
	const char *compare; /* with what; NULL: with nothing */
	bool unequal;
	bool then_seen, satisfied;
};

struct formatting {
	struct git *g;
	struct ref_subject *subject;
	enum ref_quote quote;
	struct part part[GIT_DEPTH_MAX];
	size_t depth;
	bool colored; /* a colour was set and not taken back */
};

/* As a word of that language. */
static void put_quoted(enum ref_quote quote, struct bytes s, struct buf *out)
{
	static const char tcl_escaped[] = "[]{}$\\\"";
	static const char controls[] = "\f\r\n\t\v", letters[] = "frntv";

	if (quote == REF_QUOTE_NONE) {
		buf_add(out, s);
		return;
	}
	buf_putc(out, quote == REF_QUOTE_TCL ? '"' : '\'');
	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];
		const char *control = ch != '\0' ? strchr(controls, ch) : NULL;

		if (quote == REF_QUOTE_SHELL && (ch == '\'' || ch == '!'))
			buf_printf(out, "'\\%c'", ch);
		else if (quote == REF_QUOTE_SHELL)
			buf_putc(out, ch);
		else if (quote == REF_QUOTE_TCL && control != NULL)
			buf_printf(out, "\\%c", letters[control - controls]);
		else if (quote == REF_QUOTE_PYTHON && ch == '\n')
			buf_puts(out, "\\n");
		else if (quote == REF_QUOTE_TCL ? ch != '\0' && strchr(tcl_escaped, ch) != NULL
						: ch == '\'' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else
			buf_putc(out, ch);
	}
	buf_putc(out, quote == REF_QUOTE_TCL ? '"' : '\'');
}

static struct part *top(struct formatting *f)
{
	return &f->part[f->depth];
}

static struct part *push(struct formatting *f, enum part_kind kind)
{
	if (f->depth + 1 == GIT_DEPTH_MAX)
		git_die(f->g, "format: too many parts in one another");
	f->depth++;
	*top(f) = (struct part){ .kind = kind, .text = buf_in(f->g->a) };
	return top(f);
}

/* "20,right", "width=20,position=middle" */
static void open_align(struct formatting *f, const char *opts)
{
	struct part *p = push(f, PART_ALIGN);
	int64_t width = -1;

	p->position = 'l';
	for (const char *s = opts; *s != '\0';) {
		size_t n = strcspn(s, ",");
		char *word = git_format(f->g->a, "%.*s", (int)n, s);
		char *value = git_starts(word, "position=") ? word + 9
			      : git_starts(word, "width=")  ? word + 6
							    : word;

		if (strcmp(value, "left") == 0 || strcmp(value, "right") == 0 ||
		    strcmp(value, "middle") == 0)
			p->position = value[0];
		else if (!git_number(value, &width) || width < 0 || width > INT32_MAX)
			git_die(f->g, "unrecognized %%(align) argument: %s", word);
		s += n + (s[n] == ',');
	}
	if (width < 0)
		git_die(f->g, "positive width expected with the %%(align) atom");
	p->width = (size_t)width;
}

static void open_if(struct formatting *f, const char *opts)
{
	struct part *p = push(f, PART_IF);

	if (git_starts(opts, ":equals="))
		p->compare = opts + 8;
	else if (git_starts(opts, ":notequals="))
		p->compare = opts + 11, p->unequal = true;
	else if (opts[0] != '\0')
		git_die(f->g, "unrecognized %%(if) argument: %s", opts + 1);
}

static void then(struct formatting *f)
{
	struct part *p = top(f);

	if (p->kind == PART_ELSE)
		git_die(f->g, "format: %%(then) atom used after %%(else)");
	if (p->kind != PART_IF)
		git_die(f->g, "format: %%(then) atom used without a %%(if) atom");
	if (p->then_seen)
		git_die(f->g, "format: %%(then) atom used more than once");
	p->then_seen = true;
	if (p->compare != NULL)
		p->satisfied = bytes_eq(buf_bytes(&p->text), bytes_of(p->compare)) != p->unequal;
	else
		p->satisfied = git_trim(buf_bytes(&p->text)).len != 0;
	p->text.len = 0;
}

static void otherwise(struct formatting *f)
{
	struct part *p = top(f);

	if (p->kind == PART_ELSE)
		git_die(f->g, "format: %%(else) atom used more than once");
	if (p->kind != PART_IF)
		git_die(f->g, "format: %%(else) atom used without a %%(if) atom");
	if (!p->then_seen)
		git_die(f->g, "format: %%(else) atom used without a %%(then) atom");
	push(f, PART_ELSE);
}

static void put_aligned(const struct part *p, struct buf *out)
{
	size_t has = git_columns((struct bytes){ p->text.ptr, p->text.len });
	size_t gap = p->width > has ? p->width - has : 0;
	size_t left = p->position == 'r' ? gap : p->position == 'm' ? gap / 2 : 0;

	buf_fill(out, ' ', left);
	buf_add(out, (struct bytes){ p->text.ptr, p->text.len });
	buf_fill(out, ' ', gap - left);
}

static void end(struct formatting *f)
{
	struct buf text = buf_in(f->g->a);
	const struct part *p = top(f);

	if (p->kind == PART_WHOLE)
		git_die(f->g, "format: %%(end) atom used without corresponding atom");
	if (p->kind == PART_IF && !p->then_seen)
		git_die(f->g, "format: %%(if) atom used without a %%(then) atom");
	if (p->kind == PART_ALIGN) {
		put_aligned(p, &text);
	} else if (p->kind == PART_ELSE) {
		p = p[-1].satisfied ? p - 1 : p;
		buf_add(&text, (struct bytes){ p->text.ptr, p->text.len });
		f->depth--;
	} else if (p->satisfied) {
		buf_add(&text, (struct bytes){ p->text.ptr, p->text.len });
	}
	f->depth--;
	put_quoted(f->depth == 0 ? f->quote : REF_QUOTE_NONE, buf_bytes(&text), &top(f)->text);
}

static void put_field(struct formatting *f, const char *atom)
{
	struct buf text = buf_in(f->g->a);

	if (git_starts(atom, "align:")) {
		open_align(f, atom + 6);
	} else if (strcmp(atom, "align") == 0) {
		git_die(f->g, "expected format: %%(align:<width>,<position>)");
	} else if (strcmp(atom, "if") == 0 || git_starts(atom, "if:")) {
		open_if(f, atom + 2);
	} else if (strcmp(atom, "then") == 0) {
		then(f);
	} else if (strcmp(atom, "else") == 0) {
		otherwise(f);
	} else if (strcmp(atom, "end") == 0) {
		end(f);
	} else {
		if (git_starts(atom, "color:"))
			f->colored = strcmp(atom + 6, "reset") != 0;
		if (strcmp(atom, "raw") == 0 && f->quote > REF_QUOTE_PERL)
			git_die(f->g, "--format=%s cannot be used with --python, --shell, --tcl",
				"raw");
		ref_put_atom(f->g, f->subject, atom, &text);
		put_quoted(f->depth == 0 ? f->quote : REF_QUOTE_NONE, buf_bytes(&text),
			   &top(f)->text);
	}
}

static void format_ref(struct formatting *f, const char *format)
{
	for (const char *p = format; *p != '\0'; p++) {
		cmd_charge(f->g->c, 1);
		if (p[0] == '%' && p[1] == '(') {
			size_t n = strcspn(p, ")");

			if (p[n] == '\0')
				git_die(f->g, "malformed format string %s", p);
			put_field(f, git_format(f->g->a, "%.*s", (int)n - 2, p + 2));
			p += n;
		} else if (p[0] == '%' && p[1] == '%') {
			buf_putc(&top(f)->text, '%');
			p++;
		} else if (p[0] == '%' && byte_is_xdigit((unsigned char)p[1]) &&
			   byte_is_xdigit((unsigned char)p[2])) {
			buf_putc(&top(f)->text, (char)(byte_digit(p[1]) << 4 | byte_digit(p[2])));
			p += 2;
		} else {
			buf_putc(&top(f)->text, *p);
		}
	}
	if (f->depth != 0)
		git_die(f->g, "format: %%(end) atom missing");
}

void ref_put_format(struct git *g, const char *format, enum ref_quote quote, const char *name,
		    const struct oid *o, const char *target)
{
	struct ref_subject r = { .name = name, .oid = *o, .target = target };
	struct formatting *f = arena_zalloc(g->a, sizeof(*f));

	f->g = g;
	f->subject = &r;
	f->quote = quote;
	f->part[0].text = buf_in(g->a);
	format_ref(f, format);
	if (f->colored && color_wanted(g, "color.ui"))
		buf_puts(&f->part[0].text, COLOR_RESET);
	buf_putc(&f->part[0].text, '\n');
	cmd_bytes(g->c, buf_bytes(&f->part[0].text));
}

/* --- sorting --- */

struct sort_row {
	struct ref *ref;
	char *key;
	int64_t number;
	bool numeric;
	bool version;
};

static int version_cmp(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		if (byte_is_digit((unsigned char)*a) && byte_is_digit((unsigned char)*b)) {
			size_t na, nb;

			while (*a == '0' && byte_is_digit((unsigned char)a[1]))
				a++;
			while (*b == '0' && byte_is_digit((unsigned char)b[1]))
				b++;
			for (na = 0; byte_is_digit((unsigned char)a[na]); na++)
				;
			for (nb = 0; byte_is_digit((unsigned char)b[nb]); nb++)
				;
			int got = na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);

			if (got != 0)
				return got;
			a += na;
			b += nb;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	return 0;
}

static int row_cmp(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;

	if (x->numeric)
		return (x->number > y->number) - (x->number < y->number);
	return x->version ? version_cmp(x->key, y->key) : strcmp(x->key, y->key);
}

static int row_cmp_down(const void *a, const void *b)
{
	return row_cmp(b, a);
}

void ref_sort(struct git *g, struct ref *list, size_t n, const struct names *keys, bool icase)
{
	struct sort_row *rows = arena_array(g->a, n + 1, sizeof(*rows));
	struct ref *copy = arena_array(g->a, n + 1, sizeof(*copy));

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		rows[i].ref = &list[i];
	for (size_t k = 0; k < keys->n; k++) {
		const char *key = keys->at[k];
		bool down = key[0] == '-';
		bool version;

		key += down;
		version = git_starts(key, "version:") || git_starts(key, "v:");
		if (version)
			key = strchr(key, ':') + 1;
		for (size_t i = 0; i < n; i++) {
			struct ref_subject r = { .name = rows[i].ref->name,
						 .oid = rows[i].ref->oid,
						 .target = rows[i].ref->target };
			struct buf b = buf_in(g->a);
			bool date = git_ends(key, "date");

			ref_put_atom(g, &r, date ? git_format(g->a, "%s:unix", key) : key, &b);
			rows[i].key = buf_cstr(&b);
			for (char *p = rows[i].key; icase && *p != '\0'; p++)
				*p = (char)byte_to_lower((unsigned char)*p);
			rows[i].version = version;
			rows[i].numeric = date || strcmp(key, "objectsize") == 0;
			rows[i].number = 0;
			git_number(rows[i].key, &rows[i].number);
		}
		git_sort(g, rows, n, sizeof(*rows), down ? row_cmp_down : row_cmp);
	}
	for (size_t i = 0; i < n; i++)
		copy[i] = *rows[i].ref;
	memcpy(list, copy, n * sizeof(*list));
}
