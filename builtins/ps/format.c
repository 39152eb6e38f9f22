/* SPDX-License-Identifier: MIT
 *
 * The lists of columns and of keys that options of ps have, and the columns there are without.
 */
#include "builtins/ps/private.h"

enum { WIDTH_MAX = 147 };

/* --- lists of columns --- */

static const char *add_field(struct ps *s, const struct ps_column *col, const char *header,
			     int width)
{
	if (s->v.nfields == PS_FIELDS_MAX)
		return "too many columns";
	s->v.field[s->v.nfields++] = (struct ps_field){ col, header, width, false };
	return NULL;
}

void ps_add_columns(struct ps *s, const char *names)
{
	while (*names != '\0') {
		size_t len = strcspn(names, " ");
		const struct ps_column *col = ps_column_find((struct bytes){ names, len });

		if (col != NULL)
			add_field(s, col, col->header, col->width);
		names += len + (names[len] != '\0');
	}
}

bool ps_is_mask(const struct ps_column *col)
{
	return col->kind == PS_PENDING || col->kind == PS_BLOCKED || col->kind == PS_IGNORED ||
	       col->kind == PS_CAUGHT;
}

/* "pid", "user:12" or "comm=NAME"; the header is whatever stands behind the sign. */
struct item {
	struct bytes name;
	struct bytes width;
	struct bytes header;
	bool has_width;
	bool has_header;
};

static size_t read_item(const char *list, struct item *it)
{
	size_t len = strcspn(list, ", \t\n");
	struct bytes rest = { list, len };
	const char *sign = memchr(list, '=', len);

	*it = (struct item){ .has_header = sign != NULL };
	if (sign != NULL) {
		rest.len = (size_t)(sign - list);
		it->header = (struct bytes){ sign + 1, len - rest.len - 1 };
	}
	it->name = rest;
	const char *colon = memchr(list, ':', rest.len);

	if (colon != NULL) {
		it->has_width = true;
		it->name.len = (size_t)(colon - list);
		it->width = bytes_slice(rest, it->name.len + 1, rest.len);
	}
	return len;
}

static bool read_width(struct bytes text, int *out)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!byte_is_digit(text.ptr[i]))
			return false;
		n = n * 10 + (uint64_t)(text.ptr[i] - '0');
		if (n > WIDTH_MAX)
			n = WIDTH_MAX;
	}
	*out = (int)n;
	return n != 0;
}

static const char *check_columns(const char *list)
{
	while (*list != '\0') {
		struct item it;
		size_t len = read_item(list, &it);

		if (len == 0)
			return "improper format list";
		list += len + (list[len] != '\0');
	}
	return NULL;
}

/* Columns that procps has names for. */
static const char *macro(struct bytes name)
{
	if (bytes_is(name, "DefSysV"))
		return "pid tname time cmd";
	return bytes_is(name, "DefBSD") ? "pid tname stat bsdtime args" : NULL;
}

static const char *add_item(struct ps *s, const struct item *it)
{
	struct arena *a = s->c->arena;
	const struct ps_column *col = ps_column_find(it->name);
	int width = 0;

	if (it->has_width && !read_width(it->width, &width))
		return "column widths must be unsigned decimal numbers";
	if (macro(it->name) != NULL) {
		ps_add_columns(s, macro(it->name));
		return NULL;
	}
	if (col == NULL)
		return ps_error(s, "unknown user-defined format specifier \"%s\"%s",
				arena_dup(a, it->name), "");
	/* Masks of signals are as wide as they are; others begin as much behind them as told. */
	if (it->has_width)
		width += ps_is_mask(col) ? 7 : 0;
	else
		width = it->has_header && it->header.len > (size_t)col->width &&
					it->header.len <= WIDTH_MAX
				? (int)it->header.len
				: col->width;
	return add_field(s, col, it->has_header ? arena_dup(a, it->header) : col->header, width);
}

static const char *add_list(struct ps *s, const char *list)
{
	const char *wrong = check_columns(list);

	while (*list != '\0' && wrong == NULL) {
		struct item it;
		size_t len = read_item(list, &it);

		list += len + (list[len] != '\0');
		wrong = add_item(s, &it);
		cmd_charge(s->c, 20);
	}
	return wrong;
}

/* --- formats as in AIX: "%p %c" --- */

static const struct ps_column literal = { "", "", 0, PS_LITERAL, 0 };

static const char *add_literal(struct ps *s, struct bytes text)
{
	return add_field(s, &literal, arena_dup(s->c->arena, text), (int)text.len);
}

static const char *add_code(struct ps *s, char code)
{
	static const char codes[] = "CGPUacgnprtuxyz";
	static const char *const names[] = { "pcpu",  "group",  "ppid", "user",  "args",
					     "comm",  "rgroup", "nice", "pid",   "pgid",
					     "etime", "ruser",  "time", "tname", "vsz" };
	const char *hit = strchr(codes, code);

	if (code == '\0' || code == '%')
		return "missing AIX field descriptor";
	if (hit == NULL)
		return "unknown AIX field descriptor";
	const struct ps_column *col = ps_column_find(bytes_of(names[hit - codes]));

	return add_field(s, col, col->header, col->width);
}

/* Between codes only blanks are shown as they are, at the front also one other character. */
static const char *add_codes(struct ps *s, const char *text)
{
	const char *wrong = NULL;
	size_t at = text[0] != '%';

	for (size_t begin = 0; wrong == NULL; begin = at) {
		at += strspn(text + at, " ");
		if (at > begin || text[at] == '\0')
			wrong = add_literal(s, (struct bytes){ text + begin, at - begin });
		if (wrong != NULL || text[at] == '\0')
			break;
		if (text[at] != '%')
			return "improper AIX field descriptor";
		wrong = add_code(s, text[at + 1]);
		at += 2;
		cmd_charge(s->c, 20);
	}
	return wrong;
}

static const char *add_format(struct ps *s, const char *list)
{
	int before = s->v.nfields;
	const char *wrong = add_list(s, list);

	if (wrong != NULL && strchr(list, '%') != NULL) {
		s->v.nfields = before;
		wrong = add_codes(s, list);
	}
	s->format_given |= wrong == NULL;
	return wrong;
}

static const char *add_around(struct ps *s, const char *list, const char *command)
{
	ps_add_columns(s, "pid");
	const char *wrong = add_format(s, list);

	ps_add_columns(s, "s tname time");
	ps_add_columns(s, command);
	return wrong;
}

/* --- keys --- */

static const char *add_keys(struct ps *s, const char *list)
{
	if (s->nkeys != 0)
		return "multiple sort options";
	while (*list != '\0') {
		size_t len = strcspn(list, ", \t\n");
		bool sign = *list == '-' || *list == '+';
		const struct ps_column *col;

		if (len == 0)
			return "improper sort list";
		col = ps_column_find((struct bytes){ list + sign, len - sign });
		if (col == NULL)
			return "unknown sort specifier";
		if (s->nkeys == PS_KEYS_MAX)
			return "too many sort keys";
		s->key[s->nkeys++] = (struct ps_key){ col->kind, *list == '-' };
		list += len + (list[len] != '\0');
		cmd_charge(s->c, 20);
	}
	return NULL;
}

/* Letters with an optional sign before each; false: it is no such list. */
static bool read_letters(const char *list, struct ps_key *key, int *n)
{
	static const char letters[] = "cCfgGjJkmMnNopPrRsStTUuvy";
	static const enum ps_kind kinds[] = {
		PS_ARGS, PS_CPU_MILLE, PS_ZERO, PS_PGID,     PS_MINUS_ONE, PS_TIME_SUM, PS_ZERO,
		PS_TIME, PS_ZERO,      PS_ZERO, PS_ZERO,     PS_ZERO,      PS_SID,      PS_PID,
		PS_PPID, PS_RSS,       PS_RSS,  PS_VSZ,      PS_ZERO,      PS_ZERO,     PS_LSTART,
		PS_UID,  PS_USER,      PS_VSZ,  PS_PRIORITY,
	};
	uint32_t seen = 0;

	for (*n = 0; *list != '\0'; list++) {
		bool sign = *list == '-' || *list == '+';
		bool down = *list == '-';

		list += sign;
		const char *hit = *list != '\0' ? strchr(letters, *list) : NULL;
		uint32_t bit = hit != NULL ? (uint32_t)1 << (hit - letters) : 0;

		if (bit == 0 || (seen & bit) != 0)
			return false;
		seen |= bit;
		key[(*n)++] = (struct ps_key){ kinds[hit - letters], down };
	}
	return true;
}

/* O: letters of keys if it can be, else columns. */
static const char *add_either(struct ps *s, const char *list)
{
	struct ps_key key[32];
	int n;

	if (s->nkeys == 0 && read_letters(list, key, &n)) {
		memcpy(s->key, key, (size_t)n * sizeof key[0]);
		s->nkeys = n;
		return NULL;
	}
	if (s->format_given)
		return "option O is neither first format nor sort order";
	if (add_around(s, list, "comm") == NULL)
		return NULL;
	return s->nkeys != 0 ? "multiple sort options" : "bad sorting code";
}

const char *ps_read_lists(struct ps *s)
{
	const char *wrong = NULL;

	s->v.nfields = 0;
	s->nkeys = 0;
	s->format_given = false;
	for (size_t i = 0; i < s->o.nlists && wrong == NULL; i++) {
		const char *text = s->o.list[i].text;

		switch (s->o.list[i].kind) {
		case LIST_COLUMNS: wrong = add_format(s, text); break;
		case LIST_AROUND:
			wrong = s->format_given ? "option -O can not follow other format options"
						: add_around(s, text, "command");
			break;
		case LIST_EITHER: wrong = add_either(s, text); break;
		case LIST_KEYS: wrong = add_keys(s, text); break;
		}
	}
	return wrong;
}

/* --- without a list --- */

/* Where the field of that name is, or -1. */
static int find_field(const struct ps_view *v, const char *name)
{
	for (int i = 0; i < v->nfields; i++)
		if (strcmp(v->field[i].column->name, name) == 0)
			return i;
	return -1;
}

static void insert_field(struct ps_view *v, int at, const char *name)
{
	const struct ps_column *col = ps_column_find(bytes_of(name));

	memmove(v->field + at + 1, v->field + at, (size_t)(v->nfields - at) * sizeof v->field[0]);
	v->field[at] = (struct ps_field){ col, col->header, col->width, false };
	v->nfields++;
}

static void remove_field(struct ps_view *v, const char *name)
{
	int at = find_field(v, name);

	if (at < 0)
		return;
	v->nfields--;
	memmove(v->field + at, v->field + at + 1, (size_t)(v->nfields - at) * sizeof v->field[0]);
}

/* Behind the numbers of process, parent, group, session and thread. */
static int behind_numbers(const struct ps_view *v)
{
	static const char *const numbers[] = { "pid", "ppid", "pgid", "sid", "lwp", "spid" };
	int last = -1;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		int at = find_field(v, numbers[i]);

		last = at > last ? at : last;
	}
	return last + 1;
}

/* Classes of scheduling take the place of what there is of priorities. */
static const char *add_classes(struct ps_view *v)
{
	static const char *const others[] = { "c", "opri", "priority", "ni" };
	int at = -1;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		at = at < 0 ? find_field(v, others[i]) : at;
		remove_field(v, others[i]);
	}
	if (at < 0)
		at = find_field(v, "psr") >= 0 ? find_field(v, "psr") + 1 : behind_numbers(v);
	at += at == find_field(v, "nlwp");
	insert_field(v, at, "pri");
	insert_field(v, at, "class");
	return NULL;
}

static void add_jobs(struct ps *s)
{
	struct ps_view *v = &s->v;
	int at = find_field(v, "ppid");

	if (at < 0)
		at = find_field(v, "pid");
	insert_field(v, at + 1, "sid");
	insert_field(v, at + 1, "pgid");
}

/* What options add to the usual columns. */
static const char *add_modifiers(struct ps *s)
{
	const struct ps_options *o = &s->o;
	struct ps_view *v = &s->v;
	int use = find_field(v, "%cpu") >= 0 ? find_field(v, "%cpu") : find_field(v, "c");

	if (o->jobs)
		add_jobs(s);
	if (o->no_flags)
		remove_field(v, "f");
	if (o->lwp && (o->full || find_field(v, "%cpu") >= 0))
		insert_field(v, (o->jobs ? 2 : 0) + use + 1, "nlwp");
	if (o->lwp)
		insert_field(v, behind_numbers(v), "lwp");
	if (o->spid)
		insert_field(v, find_field(v, "pid") + 1, "spid");
	if (o->processor && o->set == NULL) {
		remove_field(v, "psr");
		insert_field(v, behind_numbers(v), "psr");
	}
	if (o->classes && o->set != NULL && find_field(v, "priority") < 0)
		return "-c works with no BSD format";
	if (o->classes)
		add_classes(v);
	if (o->label)
		insert_field(v, 0, "label");
	return NULL;
}

/* In BSD's style the command has its arguments and times are short. */
static void usual_columns(struct ps *s)
{
	const struct ps_options *o = &s->o;
	bool bsd = o->bsd;

	if (o->set != NULL) {
		ps_add_columns(s, o->set);
	} else if (o->lines) {
		ps_add_columns(s, o->no_flags ? "s" : "f s");
		ps_add_columns(s, o->full ? "uid_hack" : "uid");
		ps_add_columns(s, "pid ppid c");
		ps_add_columns(s, o->no_flags ? "opri ni rss sz wchan" : "opri ni addr_1 sz wchan");
		ps_add_columns(s, o->extra_full ? "rss psr" : "");
		ps_add_columns(s, o->full ? "stime tname" : "tname");
		ps_add_columns(s, bsd ? "bsdtime" : "time");
		ps_add_columns(s, o->full || bsd ? "cmd" : "ucmd");
	} else if (o->full) {
		ps_add_columns(s, "uid_hack pid ppid c");
		ps_add_columns(s, o->extra_full ? "sz rss psr" : "");
		ps_add_columns(s, "stime tname");
		ps_add_columns(s, bsd ? "stat bsdtime cmd" : "time cmd");
	} else {
		ps_add_columns(s, bsd ? "pid tname stat bsdtime args" : "pid tname time ucmd");
	}
}

static const char *check_options(const struct ps *s)
{
	const struct ps_options *o = &s->o;
	bool format = o->full || o->lines;

	if (o->sets_differ || (o->set != NULL && (format || s->format_given)) ||
	    (format && s->format_given))
		return "conflicting format options";
	if (s->format_given && (o->jobs || o->no_flags || o->classes || o->processor || o->label))
		return "can not use output modifiers with user-defined output";
	if (o->no_flags && !o->lines && o->set == NULL)
		return "modifier -y without format -l makes no sense";
	return NULL;
}

/* PS_FORMAT is the format if no option says what is shown. */
static bool from_environment(struct ps *s)
{
	const struct ps_options *o = &s->o;
	const char *list = cmd_getenv(s->c, "PS_FORMAT");

	if (list == NULL || *list == '\0' || o->set != NULL || o->full || o->lines || o->jobs ||
	    o->no_flags || o->classes || o->processor || o->label)
		return false;
	const char *wrong = add_format(s, list);

	if (wrong == NULL)
		return true;
	s->v.nfields = 0;
	struct buf text = buf_in(s->c->arena);

	buf_printf(&text, "warning: $PS_FORMAT ignored. (%s)\n", wrong);
	cmd_err_write(s->c, text.ptr, text.len);
	return false;
}

const char *ps_choose_columns(struct ps *s)
{
	const char *wrong = check_options(s);

	if (wrong != NULL || s->format_given || from_environment(s))
		return wrong;
	usual_columns(s);
	return add_modifiers(s);
}
