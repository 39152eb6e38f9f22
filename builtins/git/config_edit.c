/* SPDX-License-Identifier: MIT
 *
 * Configuration changed: one file, line by line, the rest of it as it was.
 */
#include "base/regex.h"
#include "builtins/git/git.h"

struct file_line {
	struct bytes text; /* with its newlines: a value may go on over several */
	char *section;     /* "section.sub." of a header line, or of the section it is in */
	bool header;
	char *key; /* full, of a variable */
	const char *value;
};

struct file_lines {
	struct git *g;
	struct file_line *at;
	size_t n;
	size_t cap;
};

struct found {
	struct git *g;
	char *key;
	char *value;
	bool has_value;
};

static int take_one(void *arg, const char *key, const char *value, int line)
{
	struct found *f = arg;

	(void)line;
	f->key = arena_dup(f->g->a, bytes_of(key));
	f->has_value = value != NULL;
	f->value = value != NULL ? arena_dup(f->g->a, bytes_of(value)) : NULL;
	return 0;
}

/* The name in "[a "b"]" as keys have it. */
static char *header_name(struct git *g, struct bytes line)
{
	struct found f = { .g = g };
	struct buf b = buf_in(g->a);

	const char *close = bytes_rfind(line, BYTES("]"));

	if (close == NULL)
		return NULL;
	buf_put(&b, line.ptr, (size_t)(close + 1 - line.ptr));
	buf_puts(&b, "\nx = 1\n");
	if (config_parse(g->a, buf_bytes(&b), take_one, &f) != 0 || f.key == NULL)
		return NULL;
	f.key[strlen(f.key) - 1] = '\0';
	return f.key;
}

static struct bytes logical_line(struct bytes *rest)
{
	struct bytes whole = { rest->ptr, 0 };
	struct bytes line;

	do {
		git_line(rest, &line);
		whole.len = (size_t)(rest->ptr - whole.ptr);
	} while (rest->len != 0 && line.len != 0 && line.ptr[line.len - 1] == '\\' &&
		 line.ptr[0] != '[' && git_trim(line).ptr[0] != '#');
	return whole;
}

static void split_file(struct git *g, struct bytes text, struct file_lines *l)
{
	char *section = NULL;

	l->g = g;
	while (text.len != 0) {
		struct file_line f = { .text = logical_line(&text), .section = section };
		struct bytes trimmed = git_trim(f.text);
		struct found found = { .g = g };
		struct buf b = buf_in(g->a);

		if (trimmed.len != 0 && trimmed.ptr[0] == '[') {
			section = header_name(g, trimmed);
			f.section = section;
			f.header = true;
		} else if (trimmed.len != 0 && byte_is_alpha((unsigned char)trimmed.ptr[0])) {
			buf_puts(&b, "[x]\n");
			buf_add(&b, f.text);
			if (config_parse(g->a, buf_bytes(&b), take_one, &found) == 0 &&
			    found.key != NULL && section != NULL) {
				f.key = git_format(g->a, "%s%s", section, found.key + 2);
				f.value = found.has_value ? found.value : "";
			}
		}
		LIST_ROOM(g, l->at, l->n, l->cap);
		l->at[l->n++] = f;
		cmd_charge(g->c, 2);
	}
}

static void put_value(struct buf *out, const char *v)
{
	bool quote = v[0] == ' ' || (v[0] != '\0' && v[strlen(v) - 1] == ' ') ||
		     strpbrk(v, ";#") != NULL;

	if (quote)
		buf_putc(out, '"');
	for (; *v != '\0'; v++) {
		if (*v == '\n')
			buf_puts(out, "\\n");
		else if (*v == '\t')
			buf_puts(out, "\\t");
		else if (*v == '"' || *v == '\\')
			buf_printf(out, "\\%c", *v);
		else
			buf_putc(out, *v);
	}
	if (quote)
		buf_putc(out, '"');
}

/* "[section "sub"]" of a key or section name. */
static void put_header(struct buf *out, const char *name, size_t section_len)
{
	size_t first = strcspn(name, ".");

	buf_printf(out, "[%.*s", (int)(first < section_len ? first : section_len), name);
	if (first < section_len) {
		buf_puts(out, " \"");
		for (size_t i = first + 1; i < section_len; i++) {
			if (name[i] == '"' || name[i] == '\\')
				buf_putc(out, '\\');
			buf_putc(out, name[i]);
		}
		buf_putc(out, '"');
	}
	buf_puts(out, "]\n");
}

struct editing {
	struct git *g;
	const char *given; /* the key as the user wrote it */
	const char *key;
	const char *section_given; /* the same; only its section counts */
	size_t section_len;
	const char *value;
	struct regex *pattern;
	bool negated;
	struct file_lines l;
	struct buf out;
};

static bool selected(const struct editing *e, const struct file_line *f)
{
	if (f->key == NULL || strcmp(f->key, e->key) != 0)
		return false;
	if (e->pattern == NULL)
		return true;
	return (regex_test(e->pattern, bytes_of(f->value), 0) == 0) != e->negated;
}

static void put_variable(struct editing *e)
{
	const char *dot = strrchr(e->given, '.');

	buf_printf(&e->out, "\t%s = ", dot != NULL ? dot + 1 : e->given);
	put_value(&e->out, e->value);
	buf_putc(&e->out, '\n');
}

static bool in_section(const struct editing *e, const struct file_line *f)
{
	return f->section != NULL && strlen(f->section) == e->section_len + 1 &&
	       strncmp(f->section, e->key, e->section_len + 1) == 0;
}

/* A section that has nothing left, not even a comment, goes. */
static bool section_is_empty(const struct editing *e, const bool *gone, size_t header)
{
	for (size_t i = header + 1; i < e->l.n && !e->l.at[i].header; i++)
		if (!gone[i] && git_trim(e->l.at[i].text).len != 0)
			return false;
	/* A comment right above belongs to it. */
	return header == 0 || e->l.at[header - 1].header ||
	       git_trim(e->l.at[header - 1].text).len == 0 || e->l.at[header - 1].key != NULL ||
	       gone[header - 1];
}

static void drop_empty_sections(struct editing *e, bool *gone)
{
	for (size_t i = 0; i < e->l.n; i++) {
		bool any = false;

		if (!e->l.at[i].header || !in_section(e, &e->l.at[i]))
			continue;
		for (size_t j = i + 1; j < e->l.n && !e->l.at[j].header; j++)
			any = any || gone[j];
		if (!any || !section_is_empty(e, gone, i))
			continue;
		gone[i] = true;
		for (size_t j = i + 1; j < e->l.n && !e->l.at[j].header; j++)
			gone[j] = true;
	}
}

static void put_line(struct editing *e, size_t i)
{
	buf_add(&e->out, e->l.at[i].text);
	if (e->out.len != 0 && e->out.ptr[e->out.len - 1] != '\n')
		buf_putc(&e->out, '\n');
}

static void rebuild(struct editing *e, enum config_edit how, size_t replace, bool *gone)
{
	size_t insert = SIZE_MAX;

	if (e->value != NULL && replace == SIZE_MAX)
		for (size_t i = 0; i < e->l.n; i++)
			if (in_section(e, &e->l.at[i]) &&
			    (e->l.at[i].header || e->l.at[i].key != NULL))
				insert = i;
	for (size_t i = 0; i < e->l.n; i++) {
		if (i == replace)
			put_variable(e);
		else if (!gone[i])
			put_line(e, i);
		if (i == insert)
			put_variable(e);
	}
	if (e->value != NULL && replace == SIZE_MAX && insert == SIZE_MAX) {
		size_t sub = strlen(e->key);

		(void)sub;
		put_header(&e->out, e->section_given, e->section_len);
		put_variable(e);
	}
	(void)how;
}

static int compile_pattern(struct editing *e, const char *pattern)
{
	const char *message;

	if (pattern == NULL)
		return 0;
	e->negated = pattern[0] == '!';
	if (regex_compile(e->g->keep, bytes_of(pattern + e->negated), REGEX_ERE | e->g->utf8,
			  &e->pattern, &message, NULL) < 0) {
		git_error(e->g, "invalid pattern: %s", pattern);
		return 6;
	}
	return 0;
}

int config_change(struct git *g, const char *file, const char *key, const char *value,
		  const char *pattern, enum config_edit how)
{
	struct editing e = { .g = g, .given = key, .value = value, .out = buf_in(g->a) };
	struct bytes text = { "", 0 };
	size_t hits = 0, last = SIZE_MAX;
	bool *gone;
	int err;

	e.key = config_key(g, g->a, key);
	if (e.key == NULL)
		return 2 - (strrchr(key, '.') != NULL && strrchr(key, '.')[1] != '\0');
	e.section_len = (size_t)(strrchr(e.key, '.') - e.key);
	e.section_given = key;
	err = compile_pattern(&e, pattern);
	if (err != 0)
		return err;
	err = file_read(g, g->a, file, &text);
	if (err < 0 && err != -E_NOENT) {
		git_error(g, "could not lock config file %s: %s", file, err_text(err));
		return 4;
	}
	split_file(g, text, &e.l);
	gone = arena_array(g->a, e.l.n + 1, sizeof(*gone));
	for (size_t i = 0; i < e.l.n; i++) {
		if (!selected(&e, &e.l.at[i]))
			continue;
		hits++;
		last = i;
		gone[i] = how != CONFIG_ADD;
	}
	if (value == NULL && hits == 0)
		return 5;
	if (hits > 1 && (how == CONFIG_SET || how == CONFIG_UNSET)) {
		git_warn(g, "%s has multiple values", key);
		if (how == CONFIG_SET)
			git_error(g,
				  "cannot overwrite multiple values with a single value\n"
				  "       Use a regexp, --add or --replace-all to change %s.",
				  key);
		return 5;
	}
	if (how == CONFIG_ADD)
		last = SIZE_MAX;
	if (value == NULL)
		drop_empty_sections(&e, gone);
	rebuild(&e, how, value != NULL ? last : SIZE_MAX, gone);
	if (file_make_parents(g, file) < 0) {
		git_error(g, "could not lock config file %s: %s", file, err_text(-E_NOENT));
		return 255;
	}
	err = cmd_access(g->c, CMD_CWD, path_join(g->a, file, ".."), 0);
	file_write_locked(g, file, buf_bytes(&e.out));
	return 0;
}

int config_rename_section(struct git *g, const char *file, const char *from, const char *to)
{
	struct file_lines l = { .at = NULL };
	struct bytes text;
	struct buf out = buf_in(g->a);
	char *wanted = git_format(g->a, "%s.", from);
	bool any = false;
	bool dropping = false;

	if (file_read(g, g->a, file, &text) < 0)
		return 1;
	for (char *p = wanted; *p != '\0' && *p != '.'; p++)
		*p = (char)byte_to_lower((unsigned char)*p);
	split_file(g, text, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct file_line *f = &l.at[i];

		if (f->header) {
			bool hit = f->section != NULL && strcmp(f->section, wanted) == 0;

			any = any || hit;
			dropping = hit && to == NULL;
			if (hit && to != NULL) {
				put_header(&out, to, strlen(to));
				continue;
			}
		}
		if (!dropping)
			buf_add(&out, f->text);
	}
	if (!any)
		return 1;
	file_write_locked(g, file, buf_bytes(&out));
	return 0;
}

void config_copy_section(struct git *g, const char *file, const char *from, const char *to)
{
	struct file_lines l = { .at = NULL };
	struct bytes text;
	struct buf out = buf_in(g->a), copy = buf_in(g->a);
	char *wanted = git_format(g->a, "%s.", from);

	if (file_read(g, g->a, file, &text) < 0)
		return;
	for (char *p = wanted; *p != '\0' && *p != '.'; p++)
		*p = (char)byte_to_lower((unsigned char)*p);
	split_file(g, text, &l);
	for (size_t i = 0; i < l.n; i++) {
		const struct file_line *f = &l.at[i];
		bool hit = f->section != NULL && strcmp(f->section, wanted) == 0;

		if (f->header) {
			buf_add(&out, buf_bytes(&copy));
			copy.len = 0;
		}
		buf_add(&out, f->text);
		if (hit && f->header)
			put_header(&copy, to, strlen(to));
		else if (hit)
			buf_add(&copy, f->text);
	}
	buf_add(&out, buf_bytes(&copy));
	file_write_locked(g, file, buf_bytes(&out));
}
