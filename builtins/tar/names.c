/* SPDX-License-Identifier: MIT
 *
 * Which files and members: operands, lists of names (-T), directories (-C), patterns.
 *
 * Options among the operands count from where they stand; so operands and those options make
 * one list of items, worked through in order.
 */
#include "base/glob.h"
#include "base/regex.h"

#include "builtins/tar/tar.h"

void tar_item_add(struct tar *t, struct tar_item item)
{
	if (t->nitems == t->items_cap) {
		size_t cap = t->items_cap * 2 + 16;

		t->items = pool_resize(t->c->pool, t->items, t->items_cap * sizeof *t->items,
				       cap * sizeof *t->items);
		t->items_cap = cap;
	}
	item.at = t->c->nargs;
	t->items[t->nitems++] = item;
}

char *names_unquote(struct tar *t, const char *text)
{
	static const char from[] = "abfnrtv";
	static const char to[] = "\a\b\f\n\r\t\v";
	struct buf out = buf_in(t->c->arena);

	if (t->no_unquote || strchr(text, '\\') == NULL)
		return arena_dup(t->c->arena, bytes_of(text));
	for (; *text != '\0'; text++) {
		if (*text != '\\' || text[1] == '\0') {
			buf_putc(&out, *text);
			continue;
		}
		const char *hit = strchr(from, *++text);

		if (*text == '?') {
			buf_putc(&out, '\177');
		} else if (*text >= '0' && *text <= '7') {
			int v = 0;

			for (int i = 0; i < 3 && *text >= '0' && *text <= '7'; i++)
				v = v * 8 + (*text++ - '0');
			text--;
			buf_putc(&out, (char)v);
		} else if (hit != NULL) {
			buf_putc(&out, to[hit - from]);
		} else {
			/* Other backslashes stand for themselves. */
			if (*text != '\\')
				buf_putc(&out, '\\');
			buf_putc(&out, *text);
		}
	}
	return buf_cstr(&out);
}

/* --- patterns --- */

static struct tar_pattern *new_pattern(struct tar *t, struct bytes text, unsigned flags, bool wild)
{
	struct tar_pattern *p = arena_zalloc(t->c->arena, sizeof *p);
	unsigned how = t->c->utf8 ? GLOB_UTF8 : 0;

	if (flags & MATCH_ICASE)
		how |= GLOB_ICASE;
	if (flags & MATCH_NO_SLASH)
		how |= GLOB_PATHNAME;
	p->text = arena_bytes(t->c->arena, text);
	p->flags = flags;
	if ((wild && glob_has_magic(text, false)) || (flags & MATCH_ICASE) ||
	    (wild && memchr(text.ptr, '\\', text.len) != NULL))
		p->glob = glob_compile(t->c->arena, text, wild ? how : how | GLOB_NOESCAPE);
	if (p->glob != NULL)
		glob_set_work(p->glob, cmd_work, t->c);
	return p;
}

static bool matches_whole(struct tar *t, const struct tar_pattern *p, struct bytes name)
{
	if (p->re != NULL)
		return regex_test(p->re, name, 0) == 0;
	if (p->glob != NULL)
		return glob_match(p->glob, t->c->arena, name);
	return bytes_eq(p->text, name);
}

/* The name, or (recursion) a directory that leads to it. */
static bool matches_at(struct tar *t, const struct tar_pattern *p, struct bytes name)
{
	if (p->glob == NULL && name.len > p->text.len)
		return !(p->flags & MATCH_NO_RECURSION) && bytes_starts(name, p->text) &&
		       name.ptr[p->text.len] == '/';
	if (matches_whole(t, p, name))
		return true;
	if (p->glob == NULL || (p->flags & MATCH_NO_RECURSION))
		return false;
	for (size_t i = 1; i < name.len; i++) {
		if (name.ptr[i] != '/')
			continue;
		cmd_charge(t->c, 1);
		if (matches_whole(t, p, bytes_slice(name, 0, i)))
			return true;
	}
	return false;
}

static bool matches(struct tar *t, const struct tar_pattern *p, struct bytes name, bool anchored)
{
	if (matches_at(t, p, name))
		return true;
	if (anchored)
		return false;
	for (size_t i = 0; i + 1 < name.len; i++)
		if (name.ptr[i] == '/' && name.ptr[i + 1] != '/' &&
		    matches_at(t, p, bytes_slice(name, i + 1, name.len)))
			return true;
	return false;
}

void names_exclude(struct tar *t, const char *pattern, unsigned flags)
{
	struct bytes text = bytes_of(pattern);
	struct tar_pattern *p = new_pattern(t, text, flags, !(flags & MATCH_NO_WILDCARDS));

	p->next = t->excludes;
	t->excludes = p;
}

bool names_excluded(struct tar *t, const char *name)
{
	for (const struct tar_pattern *p = t->excludes; p != NULL; p = p->next) {
		cmd_charge(t->c, 1);
		if (matches(t, p, bytes_of(name), p->flags & MATCH_ANCHORED))
			return true;
	}
	return false;
}

static void exclude_from(struct tar *t, const char *path)
{
	struct input in;
	struct bytes line;
	int err = input_open(&in, t->c, path);

	if (err < 0)
		tar_fatal(t, err, "%s", tar_quote(t, path));
	while (input_line(&in, t->null_names ? '\0' : '\n', &line) > 0) {
		line = bytes_trim_end(line);
		if (line.len > 0)
			names_exclude(t, arena_dup(t->c->arena, line), t->match);
	}
	input_close(&in);
}

/* --- --exclude-ignore --- */

struct tar_ignored {
	struct tar_ignored *up;
	struct tar_pattern *patterns;
};

static void add_ignored(struct tar *t, struct tar_ignored *list, struct bytes text, bool regular)
{
	unsigned flags = MATCH_ANCHORED | MATCH_NO_SLASH | MATCH_NO_RECURSION;
	unsigned syntax = REGEX_ERE | (t->c->utf8 ? REGEX_UTF8 : 0);
	struct tar_pattern *p = new_pattern(t, text, flags, !regular);
	struct regex *re;
	const char *message;

	if (t->regexes.parent == NULL)
		arena_init_under(&t->regexes, t->c->arena);
	/* The real one takes a regular expression without any of these for a plain name. */
	if (regular && strpbrk(p->text.ptr, ".?*[{}()") != NULL) {
		if (regex_compile(&t->regexes, p->text, syntax, &re, &message, &(size_t){ 0 }) < 0)
			return;
		regex_set_work(re, cmd_work, t->c);
		p->re = re;
	}
	p->next = list->patterns;
	list->patterns = p;
	cmd_charge_bytes(t->c, text.len + 64);
}

/* One line; *regular: the last one said that regular expressions follow. */
static void ignored_line(struct tar *t, struct tar_ignored *list, enum tar_ignore_kind kind,
			 bool *regular, struct bytes line)
{
	if (kind == IGNORE_CVS) {
		for (size_t from = 0, at = 0; at <= line.len; at++) {
			if (at < line.len && !byte_is_space(line.ptr[at]))
				continue;
			if (at > from)
				add_ignored(t, list, bytes_slice(line, from, at), false);
			from = at + 1;
		}
		return;
	}
	if (kind != IGNORE_PLAIN) {
		line = bytes_trim(line);
		if (line.len == 0 || line.ptr[0] == '#')
			return;
	}
	if (kind == IGNORE_BZR && bytes_starts(line, BYTES("RE:"))) {
		if (line.len > 3)
			add_ignored(t, list, bytes_slice(line, 3, line.len), true);
	} else if (kind == IGNORE_HG && bytes_starts(line, BYTES("syntax:"))) {
		line = bytes_trim(bytes_slice(line, 7, line.len));
		if (bytes_eq(line, BYTES("regexp")) || bytes_eq(line, BYTES("glob")))
			*regular = line.ptr[0] == 'r';
	} else {
		add_ignored(t, list, line, *regular);
	}
}

struct tar_ignored *names_ignored_in(struct tar *t, int dir, const char *at, struct tar_ignored *up)
{
	struct tar_ignored *list = arena_zalloc(t->c->arena, sizeof *list);

	for (size_t i = 0; i < t->nignore_files; i++) {
		const struct tar_ignore_file *file = &t->ignore_files[i];
		struct buf path = buf_in(t->c->arena);
		bool regular = file->kind == IGNORE_HG;
		struct input in;
		struct bytes line;

		buf_printf(&path, "%s/%s", at, file->name);
		int fd = cmd_open(t->c, dir, buf_cstr(&path), O_RDONLY_ | O_CLOEXEC_, 0);

		if (fd < 0)
			continue;
		input_init(&in, t->c, fd, path.ptr);
		while (input_line(&in, '\n', &line) > 0) {
			while (line.len > 0 && byte_is_space(line.ptr[line.len - 1]))
				line.len--;
			if (line.len > 0)
				ignored_line(t, list, file->kind, &regular, line);
		}
		input_close(&in);
	}
	if (list->patterns == NULL)
		return up;
	list->up = up;
	t->keeps_memory = true;
	return list;
}

/* Patterns are compared with the whole name and with its last part. */
bool names_is_ignored(struct tar *t, const struct tar_ignored *list, const char *name)
{
	const char *slash = strrchr(name, '/');
	struct bytes whole = bytes_of(strncmp(name, "./", 2) == 0 ? name + 2 : name);
	struct bytes last = bytes_of(slash != NULL ? slash + 1 : name);

	for (; list != NULL; list = list->up)
		for (const struct tar_pattern *p = list->patterns; p != NULL; p = p->next) {
			cmd_charge(t->c, 1);
			if (matches_whole(t, p, whole) || matches_whole(t, p, last))
				return true;
		}
	return false;
}

/* --- directories --- */

static const char *absolute_here(struct tar *t)
{
	char *path;
	int err = cmd_getcwd(t->c, &path);

	return err < 0 ? "." : path;
}

void names_chdir(struct tar *t, int i)
{
	if (t->here == i || i < 0)
		return;
	int err = cmd_chdir(t->c, t->dirs[i]);

	if (err < 0)
		tar_fatal(t, err, "%s: Cannot open", tar_quote(t, t->dirs[i]));
	t->here = i;
}

/* Goes there now, and remembers the place. */
static void enter(struct tar *t, const char *path)
{
	int err = cmd_chdir(t->c, path);

	if (err < 0)
		tar_fatal(t, err, "%s: Cannot open", tar_quote(t, path));
	const char **grown = arena_array(t->c->arena, t->ndirs + 1, sizeof *grown);

	if (t->ndirs > 0)
		memcpy(grown, t->dirs, t->ndirs * sizeof *grown);
	t->dirs = grown;
	t->dirs[t->ndirs] = absolute_here(t);
	t->here = (int)t->ndirs++;
}

/* --- the list in order --- */

struct names_each {
	void (*fn)(struct tar *t, const char *name);
	bool any; /* a name was seen since the last option */
};

static void name(struct tar *t, struct names_each *e, const char *text)
{
	e->any = true;
	e->fn(t, text);
}

/* A list of names that was begun. */
struct tar_list {
	struct tar_list *next;
	const char *path;
	const char *from; /* the list that names it */
};

static void names_from(struct tar *t, struct names_each *e, const struct tar_item *item);

/* Each list is read once: two could name each other. */
static void list_in(struct tar *t, struct names_each *e, const struct tar_item *item,
		    const char *from)
{
	struct tar_list *list = t->lists;

	while (list != NULL && strcmp(list->path, item->arg) != 0)
		list = list->next;
	if (list != NULL) {
		tar_error(t, 0, "%s: file list requested from %s already read from %s",
			  tar_quote(t, item->arg), from, list->from);
		return;
	}
	list = arena_zalloc(t->c->arena, sizeof *list);
	*list = (struct tar_list){ t->lists, item->arg, from };
	t->lists = list;
	names_from(t, e, item);
}

/* The option's argument, behind its name and '=' or blanks; NULL: it is not that option. */
static const char *option_value(const char *line, char letter, const char *word)
{
	size_t len = strlen(word);
	const char *value = NULL;

	if (line[0] == '-' && line[1] == letter && letter != '\0')
		value = line + 2;
	else if (strncmp(line, "--", 2) == 0 && strncmp(line + 2, word, len) == 0 &&
		 (line[len + 2] == '=' || byte_is_blank(line[len + 2])))
		value = line + len + 2 + (line[len + 2] == '=');
	if (value == NULL)
		return NULL;
	value += strspn(value, " \t");
	return *value != '\0' ? value : NULL;
}

static void one_item(struct tar *t, struct names_each *e, const struct tar_item *item);

/* A line of a -T file that is an option. */
static void option_line(struct tar *t, struct names_each *e, const char *line, const char *file,
			size_t number)
{
	static const struct {
		char letter;
		const char *word;
		enum tar_item_kind kind;
	} valued[] = {
		{ 'C', "directory", ITEM_CHDIR },       { 'T', "files-from", ITEM_FILES },
		{ 'X', "exclude-from", ITEM_EXCLUDES }, { '\0', "exclude", ITEM_EXCLUDE },
		{ '\0', "add-file", ITEM_NAME },
	};
	struct tar_item item = { .kind = ITEM_MATCH };

	for (size_t i = 0; i < sizeof valued / sizeof *valued; i++) {
		const char *value = option_value(line, valued[i].letter, valued[i].word);

		if (value == NULL)
			continue;
		item.kind = valued[i].kind;
		item.arg = arena_dup(t->c->arena, bytes_of(value));
		if (item.kind == ITEM_FILES)
			list_in(t, e, &item, arena_dup(t->c->arena, bytes_of(file)));
		else
			one_item(t, e, &item);
		return;
	}
	if (strncmp(line, "--", 2) == 0 && tar_match_option(line + 2, &item.flags, &item.mask))
		one_item(t, e, &item);
	else
		tar_error(t, 0, "%s:%zu: unrecognized option", file, number);
}

static void names_from(struct tar *t, struct names_each *e, const struct tar_item *item)
{
	struct input in;
	struct bytes line;
	size_t number = 0;
	bool null = item->null;
	int err = input_open(&in, t->c, item->arg);

	if (err < 0)
		tar_fatal(t, err, "%s: Cannot open", tar_quote(t, item->arg));
	while (input_line(&in, null ? '\0' : '\n', &line) > 0) {
		struct arena_mark mark = arena_mark(t->c->arena);

		number++;
		if (!null && number == 1 && memchr(line.ptr, '\0', line.len) != NULL) {
			tar_note(t, NOTE_NULS, "%s: file name read contains nul character",
				 tar_quote(t, item->arg));
			input_close(&in);
			struct tar_item again = *item;

			again.null = again.verbatim = true;
			err = input_open(&in, t->c, item->arg);
			if (err == 0 && !in.is_stdin) {
				input_close(&in);
				names_from(t, e, &again);
				return;
			}
			null = true;
			continue;
		}
		char *text = arena_dup(t->c->arena, line);

		if (*text == '\0')
			continue;
		if (*text == '-' && !item->verbatim && !null)
			option_line(t, e, text, item->arg, number);
		else
			name(t, e, null || item->verbatim ? text : names_unquote(t, text));
		cmd_charge(t->c, 1);
		if (t->names_end == NULL && *text != '-')
			arena_release(t->c->arena, mark);
	}
	input_close(&in);
}

static void one_item(struct tar *t, struct names_each *e, const struct tar_item *item)
{
	switch (item->kind) {
	case ITEM_NAME: name(t, e, item->arg); return;
	case ITEM_CHDIR: enter(t, item->arg); return;
	case ITEM_FILES: list_in(t, e, item, "command line"); return;
	case ITEM_EXCLUDE: names_exclude(t, item->arg, t->match); return;
	case ITEM_EXCLUDES: exclude_from(t, item->arg); return;
	case ITEM_MATCH: t->match = (t->match & ~item->mask) | item->flags; return;
	}
}

static bool is_name(const struct tar_item *item)
{
	return item->kind == ITEM_NAME || item->kind == ITEM_FILES;
}

/* Options behind the last name of a list to be written do nothing: that is an error. */
static void report_late(struct tar *t, size_t from)
{
	bool first = true;

	for (size_t i = from; i < t->nitems; i++) {
		const struct tar_item *item = &t->items[i];

		if (is_name(item))
			continue;
		if (first)
			tar_error(t, 0,
				  "The following options were used after any non-optional "
				  "arguments in archive create or update mode.  These options are "
				  "positional and affect only arguments that follow them.  Please, "
				  "rearrange them properly.");
		first = false;
		if (item->arg != NULL)
			tar_error(t, 0, "%s %s has no effect", item->option,
				  cmd_quote(t->c, item->arg));
		else
			tar_error(t, 0, "%s has no effect", item->option);
	}
}

/* Where the options begin that no name follows; SIZE_MAX if there is no name at all. */
static size_t last_name(const struct tar *t)
{
	struct cmd *c = t->c;
	size_t end = t->nitems;

	while (end > 0 && !is_name(&t->items[end - 1]) && t->items[end - 1].at >= c->nargs)
		end--;
	return end;
}

static void walk_items(struct tar *t, struct names_each *e, size_t end)
{
	struct cmd *c = t->c;
	size_t next = 0;

	for (int i = 0; i <= c->nargs; i++) {
		while (next < end && t->items[next].at <= i)
			one_item(t, e, &t->items[next++]);
		if (i < c->nargs)
			name(t, e, names_unquote(t, c->args[i]));
	}
}

void names_each(struct tar *t, void (*fn)(struct tar *t, const char *name))
{
	struct names_each e = { fn, false };
	size_t end = last_name(t);
	bool any = t->c->nargs > 0;

	for (size_t i = 0; i < t->nitems; i++)
		any |= is_name(&t->items[i]);
	t->lists = NULL;
	walk_items(t, &e, any ? end : t->nitems);
	if (any)
		report_late(t, end);
}

/* --- names of members --- */

static void add_name(struct tar *t, const char *text)
{
	struct bytes s = bytes_of(text);
	bool wild = t->match & MATCH_WILDCARDS;

	while (s.len > 1 && s.ptr[s.len - 1] == '/')
		s.len--;
	struct tar_pattern *p = new_pattern(t, s, t->match, wild);

	p->dir = t->here;
	*t->names_end = p;
	t->names_end = &p->next;
}

void names_gather(struct tar *t)
{
	struct names_each e = { add_name, false };

	t->names_end = &t->names;
	walk_items(t, &e, t->nitems);
}

bool names_match(struct tar *t, const char *text)
{
	struct bytes s = bytes_of(text);

	if (t->names == NULL)
		return true;
	for (struct tar_pattern *p = t->names; p != NULL; p = p->next) {
		cmd_charge(t->c, 1);
		if (t->occurrence != 0 && p->found)
			continue;
		if (!matches(t, p, s, !(p->flags & MATCH_NO_ANCHORED)))
			continue;
		if (++p->hits < t->occurrence)
			return false;
		p->found = true;
		names_chdir(t, p->dir);
		return true;
	}
	return false;
}

bool names_done(const struct tar *t)
{
	if (t->occurrence == 0 || t->names == NULL)
		return false;
	for (const struct tar_pattern *p = t->names; p != NULL; p = p->next)
		if (!p->found)
			return false;
	return true;
}

/* A name that was not found, and may have been meant as a pattern. */
static void warn_pattern(struct tar *t, const struct tar_pattern *p, const char *text)
{
	if (p->glob != NULL || (p->flags & MATCH_NO_WILDCARDS) || strpbrk(text, "*?[") == NULL)
		return;
	tar_warn(t, 0, "Pattern matching characters used in file names");
	tar_warn(t, 0,
		 "Use --wildcards to enable pattern matching, or --no-wildcards to suppress this "
		 "warning");
}

void names_report(struct tar *t)
{
	for (const struct tar_pattern *p = t->names; p != NULL; p = p->next) {
		const char *text = arena_dup(t->c->arena, p->text);

		cmd_charge(t->c, 1);
		if (p->found)
			continue;
		warn_pattern(t, p, text);
		tar_error(t, 0,
			  p->hits > 0 ? "%s: Required occurrence not found in archive"
				      : "%s: Not found in archive",
			  tar_quote(t, text));
	}
}
