/* SPDX-License-Identifier: MIT
 *
 * ar -M: commands of MRI librarians on standard input. An archive is changed in memory until
 * SAVE writes it. Lines are words; commas are blanks, "+" at the end goes on with the next line,
 * "*" and ";" begin comments.
 */
#include "builtins/ar/ar.h"

enum { LINE_WORDS = 4096, SCRIPT_STATUS = 9 };

struct script {
	struct cmd *c;
	struct ar r;
	bool open;
	bool verbose;
	char **word; /* of a line: the command and its operands */
	int n;
};

/* --- what commands do --- */

_Noreturn static void quit(struct script *s, const char *format, const char *arg)
{
	struct buf text = buf_in(s->c->arena);

	buf_printf(&text, format, arg);
	cmd_fatal_status(s->c, SCRIPT_STATUS, 0, "%s", buf_cstr(&text));
}

static void start(struct script *s, const char *path)
{
	s->r = (struct ar){ .c = s->c,
			    .operation = 'm',
			    .full_names = true,
			    .path = path,
			    .members = buf_in(s->c->arena) };
	s->open = true;
}

static void do_open(struct script *s)
{
	struct bytes data;

	start(s, s->word[1]);
	if (cmd_read_all(s->c, s->word[1], &data) < 0)
		quit(s, "Can't open input archive %s", s->word[1]);
	if (!bytes_starts(data, BYTES("!<arch>\n")))
		quit(s, "file %s is not an archive", s->word[1]);
	ar_read(&s->r);
}

/* The real one puts each in front, beginning with the last of a list. */
static void do_addmod(struct script *s)
{
	for (int i = s->n; i-- > 1;) {
		const char *slash = strrchr(s->word[i], '/');
		struct member m;

		if (!ar_read_file(&s->r, s->word[i], &m))
			quit(s, "can't open file %s", s->word[i]);
		m.name = slash != NULL ? slash + 1 : m.name;
		ar_insert(&s->r, 0, m);
	}
}

/* The words from `first` up to ")"; where that stands, or the number of words. */
static int list_end(const struct script *s, int first)
{
	int end = first;

	while (end < s->n && strcmp(s->word[end], ")") != 0)
		end++;
	return end;
}

static void read_other(struct script *s, struct ar *other, const char *path)
{
	int err;

	*other = (struct ar){ .c = s->c,
			      .operation = 't',
			      .full_names = true,
			      .verbose = s->verbose,
			      .path = path,
			      .members = buf_in(s->c->arena) };
	err = ar_read(other);
	if (err < 0)
		cmd_fatal_status(s->c, SCRIPT_STATUS, err, "%s", path);
}

static void take_from(struct script *s, struct ar *other, size_t i)
{
	if (!ar_load(other, &ar_all(other)[i]))
		cmd_exit(s->c, SCRIPT_STATUS);
	ar_insert(&s->r, 0, ar_all(other)[i]);
}

static size_t find_in(struct script *s, struct ar *other, const char *name)
{
	size_t at = ar_find(other, name);

	if (at == SIZE_MAX) {
		struct buf text = buf_in(s->c->arena);

		buf_printf(&text, "No entry %s in archive.\n", name);
		cmd_bytes(s->c, buf_bytes(&text));
	}
	return at;
}

static void do_addlib(struct script *s)
{
	struct ar other;

	if (!s->open)
		quit(s, "no output archive specified yet%s", "");
	read_other(s, &other, s->word[1]);
	for (int i = list_end(s, 3); i-- > 3;) {
		size_t at = find_in(s, &other, s->word[i]);

		if (at != SIZE_MAX)
			take_from(s, &other, at);
	}
	for (size_t i = 0; i < ar_count(&other) && s->n == 2; i++)
		take_from(s, &other, i);
}

static void do_delete(struct script *s)
{
	for (int i = s->n; i-- > 1;) {
		size_t at = ar_find(&s->r, s->word[i]);

		if (at == SIZE_MAX)
			quit(s, "can't find module file %s", s->word[i]);
		ar_take_out(&s->r, at);
	}
}

static void do_replace(struct script *s)
{
	for (int i = s->n; i-- > 1;) {
		const char *slash = strrchr(s->word[i], '/');
		const char *name = slash != NULL ? slash + 1 : s->word[i];
		size_t at = ar_find(&s->r, name);
		struct member m;

		if (at == SIZE_MAX)
			cmd_warn(s->c, 0, "can't find module file %s", s->word[i]);
		if (!ar_read_file(&s->r, s->word[i], &m))
			quit(s, "can't open file %s", s->word[i]);
		m.name = name;
		if (at != SIZE_MAX)
			ar_take_out(&s->r, at);
		ar_insert(&s->r, at != SIZE_MAX ? at : ar_count(&s->r), m);
	}
}

static void do_extract(struct script *s)
{
	for (int i = s->n; i-- > 1;) {
		size_t at = ar_find(&s->r, s->word[i]);

		s->r.verbose = s->verbose;
		if (at == SIZE_MAX)
			cmd_warn(s->c, 0, "can't find module file %s", s->word[i]);
		else
			ar_extract(&s->r, &ar_all(&s->r)[at]);
	}
}

static void list_all(struct ar *r)
{
	for (size_t i = 0; i < ar_count(r); i++) {
		bool verbose = r->verbose;

		r->verbose = verbose && !ar_all(r)[i].fresh;
		ar_list(r, &ar_all(r)[i]);
		r->verbose = verbose;
		cmd_charge(r->c, 4);
	}
}

static void do_list(struct script *s)
{
	cmd_printf(s->c, "Current open archive is %s\n", s->r.path);
	s->r.verbose = s->verbose = true;
	list_all(&s->r);
}

/* DIRECTORY ARCHIVE [(MODULES)] [FILE] */
static void do_directory(struct script *s)
{
	struct ar other;
	bool listed = s->n > 2 && strcmp(s->word[2], "(") == 0;
	int end = listed ? list_end(s, 3) : 1;
	const char *to = s->n > end + 1 ? s->word[end + 1] : NULL;

	read_other(s, &other, s->word[1]);
	cmd_flush(s->c);
	struct output was = s->c->out;
	int err = to != NULL ? output_open(&s->c->out, s->c, to, O_TRUNC_, false) : 0;

	if (err < 0)
		cmd_fatal_status(s->c, SCRIPT_STATUS, err, "%s", to);
	for (int i = end; i-- > 3;) {
		size_t at = find_in(s, &other, s->word[i]);

		if (at != SIZE_MAX)
			ar_list(&other, &ar_all(&other)[at]);
	}
	if (!listed)
		list_all(&other);
	if (to != NULL) {
		output_close(&s->c->out);
		s->c->out = was;
	}
}

/* --- lines --- */

enum { NEEDS_OPEN = 1, NEEDS_OPERAND = 2 };

static void do_create(struct script *s)
{
	start(s, s->word[1]);
}

static void do_clear(struct script *s)
{
	s->r.members.len = 0;
}

static void do_save(struct script *s)
{
	ar_write(&s->r);
	s->open = false;
}

static void do_verbose(struct script *s)
{
	s->verbose = !s->verbose;
}

static const struct {
	const char *name;
	int needs;
	int most; /* words; 0: any number */
	void (*run)(struct script *s);
} commands[] = {
	{ "ADDLIB", NEEDS_OPERAND, 0, do_addlib },
	{ "ADDMOD", NEEDS_OPEN, 0, do_addmod },
	{ "CLEAR", 0, 1, do_clear },
	{ "CREATE", NEEDS_OPERAND, 2, do_create },
	{ "DELETE", NEEDS_OPEN, 0, do_delete },
	{ "DIRECTORY", NEEDS_OPERAND, 0, do_directory },
	{ "EXTRACT", NEEDS_OPEN, 0, do_extract },
	{ "LIST", NEEDS_OPEN, 1, do_list },
	{ "OPEN", NEEDS_OPERAND, 2, do_open },
	{ "REPLACE", NEEDS_OPEN, 0, do_replace },
	{ "SAVE", NEEDS_OPEN, 1, do_save },
	{ "VERBOSE", 0, 1, do_verbose },
};

static bool same_word(const char *a, const char *b)
{
	while (*a != '\0' && byte_to_lower((unsigned char)*a) == byte_to_lower((unsigned char)*b))
		a++, b++;
	return *a == *b;
}

/* False: the script ends. */
static bool run_line(struct script *s, int number)
{
	bool missing = false;

	if (s->n > 0 && same_word(s->word[0], "END"))
		return false;
	for (size_t i = 0; i < sizeof commands / sizeof *commands && s->n > 0; i++) {
		if (!same_word(s->word[0], commands[i].name))
			continue;
		missing = commands[i].needs == NEEDS_OPERAND && s->n < 2;
		if (missing || (commands[i].most > 0 && s->n > commands[i].most))
			break;
		if (commands[i].needs == NEEDS_OPEN && !s->open)
			quit(s, "no open %sarchive",
			     commands[i].run == do_extract ? "" : "output ");
		commands[i].run(s);
		return true;
	}
	/* What is missing is missed at the end of the line, which counts as the next. */
	if (s->n > 0)
		cmd_printf(s->c, "Syntax error in archive script, line %d\n",
			   missing ? number + 1 : number);
	return true;
}

/* Adds the words of a line. False: it goes on. */
static bool take_words(struct script *s, struct bytes line)
{
	size_t i = 0;

	while (i < line.len) {
		size_t from = i;

		cmd_charge(s->c, 1);
		if (line.ptr[i] == ';' || line.ptr[i] == '*')
			break;
		while (i < line.len && line.ptr[i] != '\0' &&
		       strchr(" \t\r,();*", line.ptr[i]) == NULL)
			i++;
		if (i == from && (line.ptr[i] == '(' || line.ptr[i] == ')'))
			i++;
		if (i - from == 1 && line.ptr[from] == '+')
			return false;
		if (i > from && s->n < LINE_WORDS)
			s->word[s->n++] = arena_dup(s->c->arena, bytes_slice(line, from, i));
		if (i == from)
			i++;
	}
	return true;
}

int ar_script(struct cmd *c)
{
	struct script s = { .c = c };
	struct input in;
	struct bytes line;
	int number = 0;

	s.word = arena_array(c->arena, LINE_WORDS, sizeof *s.word);
	input_init(&in, c, 0, "-");
	while (input_line(&in, '\n', &line) > 0) {
		number++;
		if (!take_words(&s, line))
			continue;
		if (!run_line(&s, number))
			break;
		s.n = 0;
	}
	input_close(&in);
	return 0;
}
