/* SPDX-License-Identifier: MIT
 *
 * parallel: where arguments come from.
 *
 * Each source is a list of words (:::) or of lines (::::, -a, standard input). Sources linked by
 * :::+ go in step and form a group; groups are combined each with each, the last one turning
 * fastest. A single file is read as jobs need it; all else is read before the first job.
 */
#include "builtins/parallel/parallel.h"

#include "base/regex.h"

struct source {
	const char *path; /* NULL: the words below */
	struct bytes *val;
	size_t n;
	bool linked; /* to the source before */
};

struct group {
	size_t first; /* sources [first, first + n) */
	size_t n;
	size_t length; /* turns */
	size_t at;
};

struct inputs {
	struct cmd *c;
	const struct parallel_opts *o;
	struct source *source;
	size_t nsources;
	struct group *group;
	size_t ngroups;
	struct input in; /* of the single file */
	bool streaming;
	bool ended;
	bool warned;
	struct regex *colsep;
	struct record *all; /* inputs_count, --shuf */
	size_t nall;
	size_t next;
	bool counted;
	struct bytes *name;
	size_t nnames;
};

/* --- one value --- */

static void warn_nul(struct inputs *in)
{
	static const char *const text[] = {
		"Warning: A NUL character in the input was replaced with \\0.",
		"Warning: NUL cannot be passed through in the argument list.",
		"Warning: Did you mean to use the --null option?",
	};

	for (size_t i = 0; i < 3 && !in->warned; i++)
		cmd_warn(in->c, 0, "%s", text[i]);
	in->warned = true;
}

/* A line as a value: NULs can't be arguments. */
static struct bytes value_of_line(struct inputs *in, struct arena *a, struct bytes line)
{
	struct buf out = buf_in(a);

	if (line.len == 0 || memchr(line.ptr, '\0', line.len) == NULL)
		return arena_bytes(a, line);
	warn_nul(in);
	for (size_t i = 0; i < line.len; i++) {
		if (line.ptr[i] == '\0')
			buf_puts(&out, "\\0");
		else
			buf_putc(&out, line.ptr[i]);
	}
	return buf_bytes(&out);
}

static struct bytes trim(const struct parallel_opts *o, struct bytes s)
{
	const char *how = o->trim != NULL ? o->trim : o->colsep != NULL ? "rl" : "n";

	while (strchr(how, 'l') != NULL && s.len > 0 && byte_is_space(s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	while (strchr(how, 'r') != NULL && s.len > 0 && byte_is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

static bool is_blank(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_space(s.ptr[i]))
			return false;
	return true;
}

/* With -L a line that ends in a blank goes on in the next one. */
static bool goes_on(const struct parallel_opts *o, struct bytes s)
{
	return o->by_lines && s.len > 0 && byte_is_blank(s.ptr[s.len - 1]);
}

/* With --csv a value in quotes goes on in the next line. */
static bool in_quotes(const struct parallel_opts *o, const struct buf *s)
{
	bool open = false;

	for (size_t i = 0; o->csv && i < s->len; i++)
		open ^= s->ptr[i] == '"';
	return open;
}

static bool read_line(struct inputs *in, struct input *file, struct arena *a, struct bytes *out)
{
	const struct parallel_opts *o = in->o;
	struct buf joined = buf_in(a);
	struct bytes line;

	do {
		int got = input_line(file, (char)o->delimiter, &line);

		if (got < 0)
			cmd_fatal_status(in->c, ERROR_STATUS, got, "Error: %s", file->name);
		if (got == 0)
			break;
		cmd_charge_bytes(in->c, line.len);
		buf_add(&joined, value_of_line(in, a, line));
		if (in_quotes(o, &joined)) {
			buf_putc(&joined, '\n');
			continue;
		}
		if (!goes_on(o, line)) {
			*out = buf_bytes(&joined);
			return true;
		}
	} while (joined.len < LINE_MAX_BYTES);
	*out = buf_bytes(&joined);
	return joined.len > 0;
}

static bool ends_input(const struct parallel_opts *o, struct bytes s)
{
	return o->eof != NULL && bytes_is(s, o->eof);
}

/* --- columns --- */

static void split(struct inputs *in, struct arena *a, struct bytes s, struct buf *out)
{
	struct regex_span hit;
	size_t from = 0;
	size_t at = 0;

	while (at <= s.len && regex_search(in->colsep, s, at, 0, &hit, 1) == 0) {
		cmd_charge(in->c, 1);
		if (hit.to == hit.from) {
			at = hit.to + 1;
			continue;
		}
		struct bytes part = trim(in->o, bytes_slice(s, from, hit.from));

		buf_put(out, &part, sizeof part);
		from = at = hit.to;
	}
	struct bytes rest = trim(in->o, bytes_slice(s, from, s.len));

	(void)a;
	buf_put(out, &rest, sizeof rest);
}

/* --- CSV --- */

static size_t separator_at(const struct parallel_opts *o, struct bytes s, size_t at)
{
	struct bytes sep = bytes_of(o->colsep != NULL ? o->colsep : ",");

	return bytes_starts(bytes_slice(s, at, s.len), sep) ? sep.len : 0;
}

/* The value at *at, which goes behind it. False: quotes are where none may be. */
static bool csv_value(const struct parallel_opts *o, struct arena *a, struct bytes s, size_t *at,
		      struct bytes *out)
{
	struct buf text = buf_in(a);

	if (*at < s.len && s.ptr[*at] == '"') {
		for (++*at; *at < s.len; ++*at) {
			if (s.ptr[*at] == '"' && (++*at >= s.len || s.ptr[*at] != '"')) {
				*out = buf_bytes(&text);
				return *at >= s.len || separator_at(o, s, *at) > 0;
			}
			buf_putc(&text, s.ptr[*at]);
		}
		return false;
	}
	while (*at < s.len && separator_at(o, s, *at) == 0) {
		if (s.ptr[*at] == '"')
			return false;
		buf_putc(&text, s.ptr[*at]);
		++*at;
	}
	*out = buf_bytes(&text);
	return true;
}

static void split_csv(struct inputs *in, struct arena *a, struct bytes s, struct buf *out)
{
	const struct parallel_opts *o = in->o;
	size_t at = 0;

	for (;;) {
		struct bytes value;

		if (!csv_value(o, a, s, &at, &value))
			cmd_fatal_status(in->c, ERROR_STATUS, 0,
					 "Error: CSV has unexpected format: ^%.*s^", (int)s.len,
					 s.ptr);
		value = trim(o, value);
		buf_put(out, &value, sizeof value);
		cmd_charge_bytes(in->c, value.len);
		if (at >= s.len)
			return;
		at += separator_at(o, s, at);
	}
}

static struct record columns(struct inputs *in, struct arena *a, const struct bytes *val, size_t n)
{
	struct buf out = buf_in(a);

	for (size_t i = 0; i < n; i++) {
		struct bytes v = in->o->csv ? val[i] : trim(in->o, val[i]);

		if (in->o->csv)
			split_csv(in, a, v, &out);
		else if (in->colsep != NULL)
			split(in, a, v, &out);
		else
			buf_put(&out, &v, sizeof v);
	}
	return (struct record){ (void *)out.ptr, out.len / sizeof(struct bytes) };
}

/* --- sources --- */

static void open_source(struct inputs *in, const char *path, struct input *file)
{
	int err = input_open(file, in->c, path);

	if (err < 0)
		cmd_fatal_status(in->c, ERROR_STATUS, 0, "Error: Cannot open input file `%s': %s.",
				 path, err_text(err));
}

static void load(struct inputs *in, struct source *s)
{
	struct arena *a = in->c->arena;
	struct buf list = buf_in(a);
	struct input file;
	struct bytes line;

	if (s->path == NULL)
		return;
	open_source(in, s->path, &file);
	while (read_line(in, &file, a, &line) && !ends_input(in->o, line))
		buf_put(&list, &line, sizeof line);
	input_close(&file);
	s->val = (void *)list.ptr;
	s->n = list.len / sizeof(struct bytes);
}

static size_t separator(const char *word, bool *linked, bool *is_file)
{
	struct bytes w = bytes_of(word);

	*linked = bytes_ends(w, BYTES("+"));
	if (*linked)
		w.len--;
	*is_file = bytes_is(w, "::::");
	return *is_file || bytes_is(w, ":::");
}

static void add_source(struct inputs *in, struct source s)
{
	in->source = arena_room(in->c->arena, in->source, in->nsources, sizeof s);
	in->source[in->nsources++] = s;
}

static void add_words(struct inputs *in, char **word, int n, bool linked)
{
	struct source s = { .linked = linked, .n = (size_t)n };

	s.val = arena_array(in->c->arena, (size_t)n + 1, sizeof(struct bytes));
	for (int i = 0; i < n; i++)
		s.val[i] = bytes_of(word[i]);
	for (int i = n - 1; i >= 0; i--)
		if (ends_input(in->o, s.val[i]))
			s.n = (size_t)i;
	add_source(in, s);
}

/* The words behind the command. */
static void find_sources(struct inputs *in, int *ncommand)
{
	struct cmd *c = in->c;
	bool linked;
	bool is_file;
	int at = 0;

	/* --pipe-part reads the file itself. */
	for (size_t i = 0; i < in->o->nfiles && !in->o->part; i++)
		add_source(in, (struct source){ .path = in->o->files[i] });
	while (at < c->nargs && !separator(c->args[at], &linked, &is_file))
		at++;
	*ncommand = at;
	while (at < c->nargs) {
		bool next_linked = linked;
		bool next_file = is_file;
		int from = ++at;

		while (at < c->nargs && !separator(c->args[at], &next_linked, &next_file))
			at++;
		if (!is_file)
			add_words(in, c->args + from, at - from, linked);
		for (int i = from; is_file && i < at; i++)
			add_source(in, (struct source){ .path = c->args[i], .linked = linked });
		linked = next_linked;
		is_file = next_file;
	}
	if (in->nsources == 0 && !in->o->pipe)
		add_source(in, (struct source){ .path = "-" });
}

/* The name or names that a first value gives. */
static void take_names(struct inputs *in, struct bytes first)
{
	struct record r = columns(in, in->c->arena, &first, 1);
	size_t n = in->nnames;

	in->name = arena_grow(in->c->arena, in->name, n * sizeof(struct bytes),
			      (n + r.n) * sizeof(struct bytes));
	for (size_t i = 0; i < r.n; i++)
		in->name[n + i] = r.arg[i];
	in->nnames += r.n;
}

static void drop_first(struct inputs *in, struct source *s)
{
	if (s->n == 0)
		return;
	if (in->o->header)
		take_names(in, s->val[0]);
	s->val++;
	s->n--;
}

static void make_groups(struct inputs *in)
{
	in->group = arena_array(in->c->arena, in->nsources + 1, sizeof(struct group));
	for (size_t i = 0; i < in->nsources; i++) {
		const struct source *s = &in->source[i];
		bool joins = in->ngroups > 0 && (s->linked || in->o->link);
		/* A list without values beside others gives one empty value. */
		size_t n = s->n == 0 && in->nsources > 1 ? 1 : s->n;
		struct group *g = &in->group[in->ngroups - joins];

		if (!joins) {
			*g = (struct group){ .first = i, .length = n };
			in->ngroups++;
		} else if (s->linked ? n < g->length : n > g->length) {
			g->length = n;
		}
		g->n++;
	}
	in->ended = in->ngroups == 0 || in->group[0].length == 0;
}

static void start_stream(struct inputs *in)
{
	struct bytes first;

	open_source(in, in->source[0].path, &in->in);
	if ((in->o->header || in->o->skip_first) && read_line(in, &in->in, in->c->arena, &first) &&
	    in->o->header)
		take_names(in, first);
}

struct inputs *inputs_new(struct cmd *c, const struct parallel_opts *o, int *ncommand)
{
	struct inputs *in = arena_zalloc(c->arena, sizeof *in);
	const char *message;
	size_t offset;

	in->c = c;
	in->o = o;
	if (o->colsep != NULL && !o->csv) {
		if (regex_compile(c->arena, bytes_of(o->colsep), REGEX_PERL, &in->colsep, &message,
				  &offset) < 0)
			cmd_fatal_status(c, ERROR_STATUS, 0, "Error: --colsep %s: %s", o->colsep,
					 message);
		regex_set_work(in->colsep, cmd_work, c);
	}
	find_sources(in, ncommand);
	if (o->pipe && !o->tee)
		return in;
	in->streaming = in->nsources == 1 && in->source[0].path != NULL;
	if (in->streaming) {
		start_stream(in);
		return in;
	}
	for (size_t i = 0; i < in->nsources; i++) {
		load(in, &in->source[i]);
		if (o->header || (o->skip_first && i == 0))
			drop_first(in, &in->source[i]);
	}
	make_groups(in);
	return in;
}

/* --- records --- */

static bool next_line(struct inputs *in, struct arena *a, struct record *out)
{
	struct bytes line;

	if (in->ended || !read_line(in, &in->in, a, &line) || ends_input(in->o, line)) {
		in->ended = true;
		return false;
	}
	*out = columns(in, a, &line, 1);
	return true;
}

static void turn(struct inputs *in)
{
	for (size_t i = in->ngroups; i-- > 0;) {
		if (++in->group[i].at < in->group[i].length)
			return;
		in->group[i].at = 0;
	}
	in->ended = true;
}

static bool next_turn(struct inputs *in, struct arena *a, struct record *out)
{
	struct bytes *val = arena_array(a, in->nsources + 1, sizeof *val);

	if (in->ended)
		return false;
	for (size_t i = 0; i < in->ngroups; i++) {
		const struct group *g = &in->group[i];

		for (size_t k = g->first; k < g->first + g->n; k++) {
			const struct source *s = &in->source[k];

			val[k] = s->n > 0 ? s->val[g->at % s->n] : BYTES("");
		}
	}
	cmd_charge(in->c, in->nsources);
	*out = columns(in, a, val, in->nsources);
	turn(in);
	return true;
}

static bool read_record(struct inputs *in, struct arena *a, struct record *out)
{
	while (in->streaming ? next_line(in, a, out) : next_turn(in, a, out)) {
		bool empty = true;

		for (size_t i = 0; i < out->n; i++)
			empty &= is_blank(out->arg[i]);
		if (!in->o->no_empty || !empty)
			return true;
	}
	return false;
}

bool inputs_next(struct inputs *in, struct arena *a, struct record *out)
{
	if (in->o->shuffle)
		inputs_count(in);
	if (!in->counted)
		return read_record(in, a, out);
	if (in->next == in->nall)
		return false;
	*out = in->all[in->next++];
	return true;
}

static void shuffle(struct inputs *in)
{
	for (size_t i = in->nall; i > 1; i--) {
		size_t other = (size_t)(cmd_random(in->c) % i);
		struct record r = in->all[i - 1];

		in->all[i - 1] = in->all[other];
		in->all[other] = r;
	}
}

size_t inputs_count(struct inputs *in)
{
	struct buf list = buf_in(in->c->arena);
	struct record r;

	if (in->counted)
		return in->nall;
	while (read_record(in, in->c->arena, &r))
		buf_put(&list, &r, sizeof r);
	in->all = (void *)list.ptr;
	in->nall = list.len / sizeof r;
	in->counted = true;
	if (in->o->shuffle)
		shuffle(in);
	return in->nall;
}

size_t inputs_names(const struct inputs *in, const struct bytes **names)
{
	*names = in->name;
	return in->nnames;
}
