/* SPDX-License-Identifier: MIT
 *
 * --format=...: placeholders.
 */
#include "builtins/git/walk.h"
#include "builtins/git/notes.h"

enum pad_kind { PAD_NONE, PAD_LEFT, PAD_RIGHT, PAD_BOTH };
enum trunc_kind { TRUNC_NONE, TRUNC_END, TRUNC_LEFT, TRUNC_MIDDLE };

struct pad {
	enum pad_kind kind;
	enum trunc_kind trunc;
	size_t width;
	bool to_column; /* counted from the beginning of the line */
	bool steals;    /* blanks in front are room, too */
};

struct state {
	struct git *g;
	struct pretty *p;
	struct commit *c;
	struct arena a;
	struct commit_text t;
	struct buf *out;
	size_t line_from; /* where the text of this commit begins */
	struct pad pad;
	bool auto_color;
	struct git_wrapping wrap;
	size_t wrap_from;
};

/* --- people and dates --- */

static bool put_date(struct state *s, const struct person *who, char letter)
{
	static const struct {
		char letter;
		enum date_mode mode;
	} kinds[] = { { 'D', DATE_RFC },  { 'r', DATE_RELATIVE },   { 't', DATE_UNIX },
		      { 'i', DATE_ISO },  { 'I', DATE_ISO_STRICT }, { 's', DATE_SHORT },
		      { 'h', DATE_HUMAN } };
	struct date_style style = { .mode = DATE_NORMAL };

	if (letter == 'd') {
		date_put(s->g, s->out, who->time, who->zone, &s->p->date);
		return true;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].letter != letter)
			continue;
		style.mode = kinds[i].mode;
		date_put(s->g, s->out, who->time, who->zone, &style);
		return true;
	}
	return false;
}

static bool put_person(struct state *s, struct bytes text, char letter)
{
	struct person who;
	const char *at;

	person_split(text, &who);
	if (letter == 'N' || letter == 'E' || letter == 'L') {
		mailmap_apply(s->g, &who);
		letter = (char)byte_to_lower(letter);
	}
	switch (letter) {
	case 'n': buf_add(s->out, who.name); return true;
	case 'e': buf_add(s->out, who.mail); return true;
	case 'l':
		at = who.mail.len != 0 ? memchr(who.mail.ptr, '@', who.mail.len) : NULL;
		buf_put(s->out, who.mail.ptr,
			at != NULL ? (size_t)(at - who.mail.ptr) : who.mail.len);
		return true;
	default: return put_date(s, &who, letter);
	}
}

/* --- colours --- */

static size_t put_color(struct state *s, const char *f)
{
	static const struct {
		const char *name;
		const char *code;
	} short_names[] = { { "red", "\033[31m" },
			    { "green", "\033[32m" },
			    { "blue", "\033[34m" },
			    { "reset", COLOR_RESET } };

	if (f[1] == '(') {
		size_t len = strcspn(f, ")");
		char *name = git_format(s->g->a, "%.*s", (int)(len - 2), f + 2);
		const char *reset = s->p->use_color ? COLOR_RESET : "";
		bool always = git_starts(name, "always,");

		if (f[len] == '\0')
			return 0;
		if (strcmp(name, "auto") == 0) {
			s->auto_color = true;
			return len + 1;
		}
		if (always)
			name += 7;
		else if (git_starts(name, "auto,"))
			name += 5;
		if (!s->p->use_color && !always)
			return len + 1;
		(void)reset;
		if (strcmp(name, "reset") == 0) {
			buf_puts(s->out, COLOR_RESET);
			return len + 1;
		}
		buf_puts(s->out, color_text(s->g, name));
		return len + 1;
	}
	for (size_t i = 0; i < 4; i++)
		if (git_starts(f + 1, short_names[i].name)) {
			if (s->p->use_color)
				buf_puts(s->out, short_names[i].code);
			return 1 + strlen(short_names[i].name);
		}
	return 0;
}

/* --- names of objects --- */

static const char *hash(struct state *s, const struct oid *o, bool brief)
{
	return brief ? oid_short(s->g, o, s->p->abbrev) : oid_hex(s->g, o);
}

static void put_colored(struct state *s, const char *text)
{
	bool color = s->auto_color && s->p->use_color;

	if (color)
		buf_puts(s->out, color_of(s->g, "color.diff.commit", "\033[33m"));
	buf_puts(s->out, text);
	if (color)
		buf_puts(s->out, COLOR_RESET);
}

static bool put_object(struct state *s, char letter)
{
	uint32_t n = s->c->parents_saved ? s->c->saved_nparents : s->c->nparents;
	struct commit *const *parent = s->c->parents_saved ? s->c->saved_parent : s->c->parent;

	switch (letter) {
	case 'H': put_colored(s, hash(s, &s->c->oid, false)); return true;
	case 'h': put_colored(s, hash(s, &s->c->oid, true)); return true;
	case 'T': buf_puts(s->out, hash(s, &s->c->tree, false)); return true;
	case 't': buf_puts(s->out, hash(s, &s->c->tree, true)); return true;
	case 'P':
	case 'p':
		for (uint32_t i = 0; i < n; i++)
			buf_printf(s->out, "%s%s", i > 0 ? " " : "",
				   hash(s, &parent[i]->oid, letter == 'p'));
		return true;
	default: return false;
	}
}

/* --- the message --- */

struct bytes message_body(struct bytes message)
{
	struct bytes line;
	bool any = false;

	while (git_line(&message, &line)) {
		if (git_trim(line).len != 0)
			any = true;
		else if (any)
			break;
	}
	while (message.len != 0) {
		struct bytes rest = message;

		if (!git_line(&rest, &line) || git_trim(line).len != 0)
			break;
		message = rest;
	}
	return message;
}

/* --- one placeholder --- */

static bool put_reflog(struct state *s, char letter)
{
	struct person who;
	const struct reflog_entry *e = s->p->reflog;

	if (e == NULL)
		return strchr("dDsnNeE", letter) != NULL;
	switch (letter) {
	case 'D': buf_puts(s->out, s->p->reflog_name); return true;
	case 'd': buf_puts(s->out, ref_short(s->g, s->p->reflog_name)); return true;
	case 's': buf_add(s->out, e->message); return true;
	case 'n':
	case 'N':
		person_split(e->who, &who);
		buf_add(s->out, who.name);
		return true;
	case 'e':
	case 'E':
		person_split(e->who, &who);
		buf_add(s->out, who.mail);
		return true;
	default: return false;
	}
}

/* %<(10,trunc) and its kin: how much of the format it is. */
static size_t parse_pad(struct state *s, const char *f)
{
	struct pad pad = { .kind = PAD_NONE };
	const char *p = f;
	size_t close;
	size_t width = 0;
	bool from_right;

	if (p[0] == '>' && p[1] == '<') {
		pad.kind = PAD_BOTH;
		p += 2;
	} else if (p[0] == '>') {
		pad.kind = PAD_LEFT;
		pad.steals = p[1] == '>';
		p += pad.steals ? 2 : 1;
	} else {
		pad.kind = PAD_RIGHT;
		p++;
	}
	if (*p == '|') {
		pad.to_column = true;
		p++;
	}
	close = strcspn(p, ")");
	if (*p != '(' || p[close] == '\0')
		return 0;
	from_right = pad.to_column && p[1] == '-';
	size_t digits = from_right ? 2 : 1;

	for (; byte_is_digit((unsigned char)p[digits]); digits++)
		width = width < 10000 ? width * 10 + (size_t)(p[digits] - '0') : width;
	if (from_right) {
		size_t columns = git_terminal_columns(s->g);

		width = columns > width ? columns - width : 0;
	}
	if (width == 0)
		return 0;
	pad.width = width;
	s->pad = pad;
	if (git_starts(p + digits, ",trunc)"))
		pad.trunc = TRUNC_END;
	else if (git_starts(p + digits, ",ltrunc)"))
		pad.trunc = TRUNC_LEFT;
	else if (git_starts(p + digits, ",mtrunc)"))
		pad.trunc = TRUNC_MIDDLE;
	else if (p[digits] != ')')
		return 0;
	s->pad = pad;
	return (size_t)(p - f) + close + 1;
}

static size_t put_one(struct state *s, const char *f);

static void put_argument(struct buf *command, const char *word)
{
	buf_putc(command, ' ');
	git_quote_shell(command, word);
}

/* %(describe:OPTS) is what the command of that name says. False: there are no such options. */
static bool put_description(struct state *s, struct bytes opts)
{
	struct buf command = buf_in(&s->a);
	struct bytes said;

	buf_puts(&command, "git describe");
	if (opts.len != 0 && opts.ptr[0] != ':')
		return false;
	opts = bytes_slice(opts, opts.len != 0, opts.len);
	while (opts.len != 0) {
		const char *comma = memchr(opts.ptr, ',', opts.len);
		size_t n = comma != NULL ? (size_t)(comma - opts.ptr) : opts.len;
		char *word = arena_dup(&s->a, bytes_slice(opts, 0, n));
		int64_t abbrev;

		if (strcmp(word, "tags") == 0 ||
		    (git_starts(word, "tags=") && config_truth(word + 5) == 1))
			buf_puts(&command, " --tags");
		else if (git_starts(word, "tags=") && config_truth(word + 5) == 0)
			buf_puts(&command, " --no-tags");
		else if ((git_starts(word, "abbrev=") && git_number(word + 7, &abbrev) &&
			  abbrev >= 0) ||
			 (git_starts(word, "match=") && word[6] != '\0') ||
			 (git_starts(word, "exclude=") && word[8] != '\0'))
			put_argument(&command, git_format(&s->a, "--%s", word));
		else
			return false;
		opts = bytes_slice(opts, n + (comma != NULL), opts.len);
	}
	buf_printf(&command, " %s 2>/dev/null", oid_hex(s->g, &s->c->oid));
	if (git_filter(s->g, &s->a, buf_cstr(&command), BYTES(""), &said) == 0)
		buf_add(s->out, git_trim(said));
	return true;
}

static size_t long_placeholder(struct state *s, const char *f)
{
	size_t len = strcspn(f, ")");
	struct bytes inside;

	if (f[len] == '\0')
		return 0;
	inside = (struct bytes){ f + 1, len - 1 };
	if (bytes_starts(inside, BYTES("trailers"))) {
		inside = bytes_slice(inside, 8, inside.len);
		if (inside.len != 0 && inside.ptr[0] != ':')
			return 0;
		return pretty_trailers(s->g, s->t.message,
				       bytes_slice(inside, inside.len != 0, inside.len), s->out)
			       ? len + 1
			       : 0;
	}
	if (bytes_starts(inside, BYTES("describe")))
		return put_description(s, bytes_slice(inside, 8, inside.len)) ? len + 1 : 0;
	return 0;
}

static void put_decorations(struct state *s, const char *before, const char *after)
{
	struct pretty plain = *s->p;

	pretty_load_decorations(s->g, s->p);
	plain.decorations = s->p->decorations;
	plain.use_color = s->p->use_color && s->auto_color;
	if (plain.decorate == 0)
		plain.decorate = 1;
	pretty_decorate(s->g, &plain, &s->c->oid, before, after, s->out);
}

static void put_note(struct state *s)
{
	struct bytes text;

	for (struct notes *ns = notes_shown(s->g); ns != NULL; ns = ns->next)
		if (notes_text(s->g, ns, &s->c->oid, &text))
			buf_add(s->out, text);
}

static size_t simple(struct state *s, const char *f)
{
	switch (*f) {
	case 'n': buf_putc(s->out, '\n'); return 1;
	case '%': buf_putc(s->out, '%'); return 1;
	case 'x':
		if (!byte_is_xdigit((unsigned char)f[1]) || !byte_is_xdigit((unsigned char)f[2]))
			return 0;
		buf_putc(s->out, (char)(byte_digit(f[1]) << 4 | byte_digit(f[2])));
		return 3;
	case 's': buf_add(s->out, message_subject(&s->a, s->t.message)); return 1;
	case 'f': pretty_file_name(message_subject(&s->a, s->t.message), s->out); return 1;
	case 'b': buf_add(s->out, message_body(s->t.message)); return 1;
	case 'B': buf_add(s->out, s->t.message); return 1;
	case 'e': buf_add(s->out, s->t.encoding.ptr != NULL ? s->t.encoding : BYTES("")); return 1;
	case 'N':
		if (s->p->no_notes)
			return 0;
		put_note(s);
		return 1;
	case 'm': buf_putc(s->out, s->p->mark != 0 ? s->p->mark : '>'); return 1;
	case 'd': put_decorations(s, " (", ")"); return 1;
	case 'D': put_decorations(s, "", ""); return 1;
	case 'S': buf_puts(s->out, s->p->source != NULL ? s->p->source : ""); return 1;
	default: return 0;
	}
}

/* What was written since the last %w() gets its line breaks. */
static void end_wrap(struct state *s)
{
	struct bytes text = { s->out->ptr + s->wrap_from, s->out->len - s->wrap_from };

	if (s->wrap.width == 0 && s->wrap.indent1 == 0 && s->wrap.indent2 == 0)
		return;
	if (s->out->len > s->wrap_from) {
		text = (struct bytes){ arena_dup(&s->a, text), text.len };
		s->out->len = s->wrap_from;
		git_wrap(s->out, text, &s->wrap);
	}
}

/* %w(), %w(width,first,next) */
static size_t begin_wrap(struct state *s, const char *f)
{
	size_t len = strcspn(f, ")");
	struct git_wrapping w = { 0, 0, 0 };
	int *const fields[] = { &w.width, &w.indent1, &w.indent2 };
	const char *at = f + 2;

	if (f[1] != '(' || f[len] == '\0')
		return 0;
	for (size_t i = 0; i < 3 && *at != ')'; i++) {
		while (*at == ' ')
			at++;
		for (; byte_is_digit((unsigned char)*at); at++)
			*fields[i] = *fields[i] < 16384 ? *fields[i] * 10 + (*at - '0') : 16384;
		if (*at == ',' && i < 2)
			at++;
		else if (*at != ')')
			return 0;
	}
	if (w.width > 16384 || w.indent1 > 16384 || w.indent2 > 16384)
		return 0;
	end_wrap(s);
	s->wrap = w;
	s->wrap_from = s->out->len;
	return len + 1;
}

static size_t put_one(struct state *s, const char *f)
{
	size_t n = simple(s, f);

	if (n != 0)
		return n;
	if (put_object(s, *f))
		return 1;
	switch (*f) {
	case 'a': return f[1] != '\0' && put_person(s, s->t.author, f[1]) ? 2 : 0;
	case 'c': return f[1] != '\0' && put_person(s, s->t.committer, f[1]) ? 2 : 0;
	case 'g': return f[1] != '\0' && put_reflog(s, f[1]) ? 2 : 0;
	case 'C': return put_color(s, f);
	case 'G':
		if (f[1] == '?')
			buf_putc(s->out, 'N');
		return f[1] != '\0' && strchr("?GSKFPT", f[1]) != NULL ? 2 : 0;
	case '(': return long_placeholder(s, f);
	case 'w': return begin_wrap(s, f);
	default: return 0;
	}
}

/* --- padding --- */

static size_t shown_columns(struct bytes text)
{
	size_t n = git_columns(text);

	/* Escapes take no room. */
	for (size_t i = 0; i + 1 < text.len; i++) {
		size_t j = i;

		if (text.ptr[i] != '\033' || text.ptr[i + 1] != '[')
			continue;
		for (j = i + 2; j < text.len && text.ptr[j] != 'm'; j++)
			;
		n -= j - i;
		i = j;
	}
	return n;
}

static struct bytes cut_columns(struct arena *a, struct bytes text, enum trunc_kind how,
				size_t width)
{
	struct buf b = buf_in(a);
	size_t total = git_columns(text);
	size_t keep = width >= 2 ? width - 2 : 0;
	size_t left = how == TRUNC_END ? keep : how == TRUNC_LEFT ? 0 : keep / 2;
	size_t right_from = total - (keep - left);
	size_t column = 0;
	bool dots = false;

	for (size_t i = 0; i < text.len;) {
		uint32_t cp;
		size_t n = utf8_decode(text, i, &cp);
		size_t w = n == 0 ? 1 : utf8_width(cp) > 0 ? (size_t)utf8_width(cp) : 0;

		n = n == 0 ? 1 : n;
		if (column + w <= left || column >= right_from)
			buf_put(&b, text.ptr + i, n);
		else if (!dots)
			buf_puts(&b, "..");
		dots = dots || !(column + w <= left || column >= right_from);
		column += w;
		i += n;
	}
	return buf_bytes(&b);
}

static size_t padded(struct state *s, const char *f)
{
	struct pad pad = s->pad;
	struct buf *out = s->out;
	struct buf part = buf_in(&s->a);
	struct bytes text;
	size_t used, width, column = 0;

	s->pad = (struct pad){ .kind = PAD_NONE };
	s->out = &part;
	used = put_one(s, f);
	/* Colours stand with what follows. */
	for (const char *at = f; used != 0 && *at == 'C' && f[used] == '%';) {
		size_t more = put_one(s, f + used + 1);

		at = f + used + 1;
		if (more == 0)
			break;
		used += 1 + more;
	}
	s->out = out;
	if (used == 0)
		return 0;
	text = buf_bytes(&part);
	width = pad.width;
	if (pad.to_column) {
		struct bytes line = { out->ptr + s->line_from, out->len - s->line_from };
		const char *nl = bytes_rfind(line, BYTES("\n"));

		if (nl != NULL)
			line = bytes_slice(line, (size_t)(nl + 1 - line.ptr), line.len);
		column = shown_columns(line);
		width = width > column ? width - column : 0;
	}
	size_t has = shown_columns(text);

	while (pad.steals && has > width && out->len > s->line_from &&
	       out->ptr[out->len - 1] == ' ') {
		out->len--;
		width++;
	}
	if (has > width && pad.trunc != TRUNC_NONE) {
		text = cut_columns(&s->a, text, pad.trunc, width);
		has = git_columns(text);
	}
	size_t gap = width > has ? width - has : 0;
	size_t left = pad.kind == PAD_LEFT ? gap : pad.kind == PAD_BOTH ? gap / 2 : 0;

	buf_fill(out, ' ', left);
	buf_add(out, text);
	buf_fill(out, ' ', gap - left);
	return used;
}

/* %+x %-x % x: a newline or blank in front if x is not empty. */
static size_t with_magic(struct state *s, const char *f)
{
	char magic = *f;
	size_t from = s->out->len;
	struct buf part = buf_in(&s->a);
	struct buf *out = s->out;
	size_t used;

	s->out = &part;
	used = f[1] == 'w' ? 0 : put_one(s, f + 1);
	s->out = out;
	if (used == 0)
		return 0;
	if (part.len == 0 && magic == '-') {
		while (from > 0 && out->ptr[from - 1] == '\n')
			from--;
		out->len = from;
	}
	if (part.len != 0 && magic != '-')
		buf_putc(out, magic == '+' ? '\n' : ' ');
	buf_add(out, buf_bytes(&part));
	return used + 1;
}

void pretty_format(struct git *g, struct pretty *p, struct commit *c, const char *format,
		   struct buf *out)
{
	struct state s = { .g = g, .p = p, .c = c, .out = out, .line_from = out->len };

	arena_init_under(&s.a, g->a);
	commit_text_shown(g, &s.a, &c->oid, &s.t, true);
	for (const char *f = format; *f != '\0';) {
		size_t used = 0;

		if (*f != '%') {
			buf_putc(out, *f++);
			continue;
		}
		f++;
		if (*f == '<' || *f == '>')
			used = parse_pad(&s, f);
		else if (*f == '+' || *f == '-' || *f == ' ')
			used = with_magic(&s, f);
		else if (s.pad.kind != PAD_NONE)
			used = padded(&s, f);
		else if (*f != '\0')
			used = put_one(&s, f);
		if (used == 0)
			buf_putc(out, '%');
		f += used;
		cmd_charge(g->c, 1);
	}
	end_wrap(&s);
	arena_clear(&s.a);
	buf_cstr(out);
}
