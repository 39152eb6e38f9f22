/* SPDX-License-Identifier: MIT
 *
 * The words of ps' command line, in three styles: letters behind a dash are those of UNIX,
 * letters without one BSD's, and there are long options. Behind a number only numbers follow.
 *
 * When the words can't be read so, and all have dashes but for numbers, they are read again as
 * if none had (ps -aux).
 */
#include "base/number.h"
#include "builtins/ps/private.h"

struct words {
	struct ps *s;
	int at;
};

const char *ps_error(struct ps *s, const char *format, const char *a, const char *b)
{
	struct buf text = buf_in(s->c->arena);

	buf_printf(&text, format, a, b);
	return buf_cstr(&text);
}

/* The argument of an option: what follows in the word, or the next word; NULL: there is none. */
static const char *argument(struct words *w, const char *rest)
{
	struct cmd *c = w->s->c;

	if (*rest != '\0')
		return rest;
	return w->at < c->nargs ? c->args[w->at++] : NULL;
}

static const char *add_text(struct words *w, enum ps_list_kind kind, const char *text,
			    const char *missing)
{
	struct ps_options *o = &w->s->o;

	if (text == NULL || *text == '\0')
		return missing;
	o->list = arena_room(w->s->c->arena, o->list, o->nlists, sizeof *o->list);
	o->list[o->nlists++] = (struct ps_list){ kind, text };
	return NULL;
}

static const char *set_heading(struct ps_options *o, enum ps_heading heading)
{
	if (o->heading != HEADING_USUAL)
		return "only one heading option may be specified";
	o->heading = heading;
	return NULL;
}

/* Columns of a set; a second set must be the same. */
static void use_set(struct ps_options *o, const char *names)
{
	o->sets_differ |= o->set != NULL && strcmp(o->set, names) != 0;
	o->set = names;
}

static const char *alone(struct words *w, const char *word)
{
	if (w->s->c->nargs != 1 || strcmp(w->s->c->args[0], word) != 0)
		return ps_error(w->s, "the option is exclusive: %s%s", word, "");
	return NULL;
}

static const char *put_release(struct words *w, const char *word)
{
	const char *wrong = alone(w, word);

	if (wrong != NULL)
		return wrong;
	cmd_puts(w->s->c, "ps from procps-ng 4.0.2\n");
	cmd_exit(w->s->c, 0);
}

/* --- UNIX --- */

/* Letters with a list; *taken: the letter is one of them, and the word has ended. */
static const char *unix_list(struct words *w, char letter, const char *rest, bool *taken)
{
	static const struct {
		char letter;
		enum ps_by by;
		const char *what;
	} lists[] = {
		{ 'C', BY_NAME, "list of command names" },
		{ 'G', BY_REAL_GROUP, "list of real groups" },
		{ 'U', BY_REAL_USER, "list of real users" },
		{ 'p', BY_PID, "list of process IDs" },
		{ 's', BY_SID, "list of session IDs" },
		{ 't', BY_TTY, "list of terminals (pty, tty...)" },
		{ 'u', BY_USER, "list of users" },
	};
	char option[] = { '-', letter, '\0' };

	*taken = true;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].letter == letter)
			return ps_add_list(w->s, lists[i].by, argument(w, rest), lists[i].what,
					   arena_dup(w->s->c->arena, bytes_of(option)));
	switch (letter) {
	case 'g': return ps_add_sessions_or_groups(w->s, argument(w, rest));
	case 'q': return ps_add_quick(w->s, argument(w, rest), "-q");
	case 'o':
		return add_text(w, LIST_COLUMNS, argument(w, rest),
				"format specification must follow -o");
	case 'O':
		return add_text(w, LIST_AROUND, argument(w, rest),
				"format or sort specification must follow -O");
	default: break;
	}
	*taken = false;
	return NULL;
}

static const char *unix_letter(struct words *w, char letter)
{
	struct ps_options *o = &w->s->o;

	switch (letter) {
	case 'A':
	case 'e': o->all = true; break;
	case 'a': o->with_tty = true; break;
	case 'd': o->not_leaders = true; break;
	case 'N': o->negate = true; break;
	case 'F': o->extra_full = true; /* fall through */
	case 'f': o->full = true; break;
	case 'l': o->lines = true; break;
	case 'y': o->no_flags = true; break;
	case 'j': o->jobs = true; break;
	case 'c': o->classes = true; break;
	case 'P': o->processor = true; break;
	case 'M':
	case 'Z': o->label = true; break;
	case 'H': o->forest = FOREST_INDENT; break;
	case 'L': o->lwp = true; break;
	case 'T': o->spid = true; break;
	case 'm': o->threads_below = true; break;
	case 'w': o->wide++; break;
	case 'V': return put_release(w, "-V");
	case 'x': return "must set personality to get -x option";
	case '-': return "embedded '-' among SysV options makes no sense";
	default: return "unsupported SysV option";
	}
	return NULL;
}

static const char *unix_word(struct words *w, const char *at)
{
	const char *wrong = NULL;

	for (; *at != '\0' && wrong == NULL; at++) {
		bool taken;

		wrong = unix_list(w, *at, at + 1, &taken);
		if (taken)
			break;
		wrong = unix_letter(w, *at);
	}
	return wrong;
}

/* --- BSD --- */

/* As unix_list. */
static const char *bsd_list(struct words *w, char letter, const char *rest, bool *taken)
{
	struct ps *s = w->s;
	struct cmd *c = s->c;

	*taken = true;
	switch (letter) {
	case 'o':
		return add_text(w, LIST_COLUMNS, argument(w, rest),
				"format specification must follow o");
	case 'O':
		return add_text(w, LIST_EITHER, argument(w, rest),
				"format or sort specification must follow O");
	case 'k':
		return add_text(w, LIST_KEYS, argument(w, rest),
				"long sort specification must follow 'k'");
	case 'p': return ps_add_list(s, BY_PID, argument(w, rest), "list of process IDs", "p");
	case 'q': return ps_add_quick(s, argument(w, rest), "q");
	case 'U': return ps_add_list(s, BY_USER, argument(w, rest), "list of users", "U");
	case 't':
		if (*rest == '\0' && (w->at == c->nargs || c->args[w->at][0] == '\0'))
			break;
		return ps_add_list(s, BY_TTY, argument(w, rest), "list of terminals (pty, tty...)",
				   "t");
	default: *taken = false; return NULL;
	}
	*taken = false;
	return NULL;
}

static const char *bsd_set(struct words *w, char letter)
{
	switch (letter) {
	case 'j': return "ppid pid pgid sid tname tpgid stat uid bsdtime args";
	case 'l': return "f uid pid ppid priority ni vsz rss wchan stat tname bsdtime args";
	case 's': return "uid pid pending blocked ignored caught stat tname bsdtime args";
	case 'u': return "user pid %cpu %mem vsz rss tname stat start_time bsdtime args";
	case 'v': return "pid tname stat bsdtime maj_flt m_trs m_drs rss %mem args";
	case 'X': return "pid stackp esp eip tmout alarm stat tname bsdtime args";
	case 'm':
		/* The old ps had columns of memory here. */
		return w->s->o.again ? "pid tname majflt minflt m_trs m_drs m_size m_swap rss "
				       "m_share vm_lib m_dt args"
				     : NULL;
	default: return NULL;
	}
}

static const char *bsd_letter(struct words *w, char letter)
{
	struct ps_options *o = &w->s->o;
	const char *set = bsd_set(w, letter);

	if (set != NULL) {
		use_set(o, set);
		return NULL;
	}
	switch (letter) {
	case 'a': o->others = true; break;
	case 'x': o->without_tty = true; break;
	case 'g': o->leaders = true; break;
	case 'r': o->running = true; break;
	case 'T':
	case 't': return ps_add_list(w->s, BY_TTY, "-", "", "");
	case 'f': o->forest = FOREST_TREE; break;
	case 'c': o->command_short = true; break;
	case 'e': o->environment = true; break;
	case 'n': o->numeric = true; break;
	case 'S': o->cumulative = true; break;
	case 'h': return set_heading(o, HEADING_NONE);
	case 'H': o->threads_alone = true; break;
	case 'M':
	case 'm': o->threads_below_bsd = true; break;
	case 'Z': o->label = true; break;
	case 'w': o->wide++; break;
	case 'V': return put_release(w, "V");
	case 'L':
		if (alone(w, "L") != NULL)
			return alone(w, "L");
		ps_put_columns(w->s->c);
		cmd_exit(w->s->c, 0);
	case 'W': return "obsolete W option not supported (you have a /dev/drum?)";
	case '-': return "embedded '-' among BSD options makes no sense";
	default: return "unsupported option (BSD syntax)";
	}
	return NULL;
}

static const char *bsd_word(struct words *w, const char *at)
{
	const char *wrong = NULL;

	w->s->o.bsd = true;
	for (; *at != '\0' && wrong == NULL; at++) {
		bool taken;

		if (byte_is_digit(*at))
			return ps_add_list(w->s, BY_PID, at, "", "");
		wrong = bsd_list(w, *at, at + 1, &taken);
		if (taken)
			break;
		if (wrong == NULL)
			wrong = bsd_letter(w, *at);
	}
	return wrong;
}

/* --- long options --- */

/* With a sign, zero and 0x as strtol has them. */
static bool read_size(const char *text, int64_t *out)
{
	bool overflow = false;
	size_t len = text != NULL ? strlen(text) : 0;

	return len != 0 &&
	       number_parse_i64((struct bytes){ text, len }, 0, out, &overflow) == len &&
	       !overflow && *out > 0 && *out < INT32_MAX;
}

enum long_kind {
	LONG_LIST,
	LONG_COLS,
	LONG_ROWS,
	LONG_FORMAT,
	LONG_SORT,
	LONG_QUICK,
	LONG_HELP,
	LONG_INFO,
	LONG_VERSION,
	/* Those behind have no argument. */
	LONG_CONTEXT,
	LONG_CUMULATIVE,
	LONG_DESELECT,
	LONG_FOREST,
	LONG_HEADING,
	LONG_NO_HEADING,
};

struct long_option {
	const char *name;
	enum long_kind kind;
	enum ps_by by;
	const char *what; /* LONG_LIST: what the list has; else what the option is an alias of */
};

static const struct long_option long_options[] = {
	{ "Group", LONG_LIST, BY_REAL_GROUP, "list of real groups" },
	{ "User", LONG_LIST, BY_REAL_USER, "list of real users" },
	{ "cols", LONG_COLS, 0, NULL },
	{ "columns", LONG_COLS, 0, NULL },
	{ "context", LONG_CONTEXT, 0, "context" },
	{ "cumulative", LONG_CUMULATIVE, 0, "cumulative" },
	{ "deselect", LONG_DESELECT, 0, "deselect" },
	{ "forest", LONG_FOREST, 0, "forest" },
	{ "format", LONG_FORMAT, 0, NULL },
	{ "group", LONG_LIST, BY_GROUP, "list of effective groups" },
	{ "header", LONG_HEADING, 0, "heading" },
	{ "headers", LONG_HEADING, 0, "heading" },
	{ "heading", LONG_HEADING, 0, "heading" },
	{ "headings", LONG_HEADING, 0, "heading" },
	{ "help", LONG_HELP, 0, NULL },
	{ "info", LONG_INFO, 0, NULL },
	{ "lines", LONG_ROWS, 0, NULL },
	{ "no-header", LONG_NO_HEADING, 0, "no-heading" },
	{ "no-headers", LONG_NO_HEADING, 0, "no-heading" },
	{ "no-heading", LONG_NO_HEADING, 0, "no-heading" },
	{ "no-headings", LONG_NO_HEADING, 0, "no-heading" },
	{ "noheader", LONG_NO_HEADING, 0, "no-heading" },
	{ "noheaders", LONG_NO_HEADING, 0, "no-heading" },
	{ "noheading", LONG_NO_HEADING, 0, "no-heading" },
	{ "noheadings", LONG_NO_HEADING, 0, "no-heading" },
	{ "pid", LONG_LIST, BY_PID, "list of process IDs" },
	{ "ppid", LONG_LIST, BY_PPID, "list of process IDs" },
	{ "quick-pid", LONG_QUICK, 0, NULL },
	{ "rows", LONG_ROWS, 0, NULL },
	{ "sid", LONG_LIST, BY_SID, "some sid thing(s)" },
	{ "sort", LONG_SORT, 0, NULL },
	{ "tty", LONG_LIST, BY_TTY, "list of ttys" },
	{ "user", LONG_LIST, BY_USER, "list of effective users" },
	{ "version", LONG_VERSION, 0, NULL },
	{ "width", LONG_COLS, 0, NULL },
};

static const char *long_flag(struct ps *s, const struct long_option *l, const char *arg)
{
	struct ps_options *o = &s->o;

	if (arg != NULL && *arg != '\0' && l->kind != LONG_CONTEXT)
		return ps_error(s, "option --%s does not take an argument%s", l->what, "");
	switch (l->kind) {
	case LONG_CONTEXT: use_set(o, "pid context command"); break;
	case LONG_CUMULATIVE: o->cumulative = true; break;
	case LONG_DESELECT: o->negate = true; break;
	case LONG_FOREST: o->forest = FOREST_TREE; break;
	case LONG_HEADING: return set_heading(o, HEADING_PAGES);
	default: return set_heading(o, HEADING_NONE);
	}
	return NULL;
}

static const char *long_value(struct words *w, const struct long_option *l, const char *arg)
{
	struct ps *s = w->s;
	const char *option = ps_error(s, "--%s%s", l->name, "");

	if (l->kind != LONG_HELP && arg == NULL)
		arg = argument(w, "");
	switch (l->kind) {
	case LONG_COLS:
		s->o.columns_given = true;
		return read_size(arg, &s->o.columns) ? NULL
						     : "number of columns must follow --cols, "
						       "--width, or --columns";
	case LONG_ROWS:
		return read_size(arg, &s->o.rows) ? NULL
						  : "number of rows must follow --rows or --lines";
	case LONG_FORMAT:
		return add_text(w, LIST_COLUMNS, arg, "format specification must follow --format");
	case LONG_SORT:
		return add_text(w, LIST_KEYS, arg, "long sort specification must follow --sort");
	case LONG_QUICK: return ps_add_quick(s, arg, option);
	case LONG_HELP: ps_put_help(s->c, arg != NULL ? arg : argument(w, "")); cmd_exit(s->c, 0);
	default: return ps_add_list(s, l->by, arg, l->what, option);
	}
}

static const char *long_word(struct words *w, const char *text)
{
	size_t len = strcspn(text, "=");
	const char *arg = text[len] == '=' ? text + len + 1 : NULL;
	const struct long_option *l = long_options;
	const struct long_option *end = l + sizeof(long_options) / sizeof(long_options[0]);

	if (len == 0)
		return "garbage option";
	while (l < end && !bytes_is((struct bytes){ text, len }, l->name))
		l++;
	if (l == end)
		return "unknown gnu long option";
	if (l->kind == LONG_VERSION)
		return put_release(w, "--version");
	if (l->kind == LONG_INFO)
		return alone(w, "--info") != NULL ? alone(w, "--info") : "--info is not supported";
	return l->kind >= LONG_CONTEXT ? long_flag(w->s, l, arg) : long_value(w, l, arg);
}

/* --- words --- */

/* 12 is a process, -12 a group, +12 a session. */
static const char *numbers(struct words *w, const char *word)
{
	for (;;) {
		bool sign = *word == '-' || *word == '+';
		const char *wrong = ps_add_number(w->s,
						  *word == '-'   ? BY_PGID
						  : *word == '+' ? BY_SID
								 : BY_PID,
						  word + sign);

		if (wrong != NULL || w->at == w->s->c->nargs)
			return wrong;
		word = w->s->c->args[w->at++];
	}
}

static bool begins_number(const char *word)
{
	return byte_is_digit(word[0]) || word[0] == '+' ||
	       (word[0] == '-' && byte_is_digit(word[1]));
}

const char *ps_read_words(struct ps *s, bool again)
{
	struct words w = { .s = s };
	const char *wrong = NULL;

	s->o = (struct ps_options){ .again = again };
	while (w.at < s->c->nargs && wrong == NULL) {
		const char *word = s->c->args[w.at++];

		if (word[0] == '\0' || strcmp(word, "-") == 0 || strcmp(word, "--") == 0)
			return "garbage option";
		if (begins_number(word)) {
			s->o.bsd = true;
			return numbers(&w, word);
		}
		if (word[0] == '-' && word[1] == '-')
			wrong = long_word(&w, word + 2);
		else if (word[0] == '-' && !again)
			wrong = unix_word(&w, word + 1);
		else if (word[0] != '-' && again)
			wrong = "a word that can't be read";
		else
			wrong = bsd_word(&w, word + (word[0] == '-'));
	}
	return wrong;
}
