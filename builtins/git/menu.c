/* SPDX-License-Identifier: MIT
 *
 * Lists of which people choose on standard input.
 */
#include "builtins/git/columns.h"
#include "builtins/git/menu.h"

enum { PREFIX_MAX = 4 };

void menu_add(struct git *g, struct menu *m, const char *name, const char *columns)
{
	LIST_ROOM(g, m->at, m->n, m->cap);
	m->at[m->n++] = (struct menu_item){ name, columns, false };
}

/* --- names --- */

static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	return n;
}

/* How many bytes tell item i from the others; 0: none that can be typed. */
static size_t telling(const struct menu *m, size_t i)
{
	const char *name = m->at[i].name;
	size_t need = 1;

	for (size_t k = 0; k < m->n; k++) {
		size_t n = k == i ? 0 : common(name, m->at[k].name) + 1;

		need = n > need ? n : need;
	}
	if (need > PREFIX_MAX || need > strlen(name) || strcspn(name, " \t\r\n,") < need ||
	    name[0] == '-' || byte_is_digit((unsigned char)name[0]) ||
	    (need == 1 && (name[0] == '*' || name[0] == '?')))
		return 0;
	return need;
}

static size_t find_name(const struct menu *m, const char *text)
{
	size_t found = SIZE_MAX, len = strlen(text);

	for (size_t i = 0; i < m->n; i++) {
		if (strncmp(m->at[i].name, text, len) != 0)
			continue;
		if (m->at[i].name[len] == '\0')
			return i;
		if (found != SIZE_MAX)
			return SIZE_MAX - 1;
		found = i;
	}
	return found;
}

size_t menu_find(const struct menu *m, const char *text)
{
	int64_t n;
	size_t i;

	if (byte_is_digit((unsigned char)text[0]) && git_number(text, &n))
		return n >= 1 && (uint64_t)n <= m->n ? (size_t)n - 1 : SIZE_MAX;
	i = find_name(m, text);
	return i == SIZE_MAX - 1 ? SIZE_MAX : i;
}

/* --- showing --- */

static void show_beside(struct git *g, const struct menu *m)
{
	const struct columns layout = {
		.when = COLUMNS_ALWAYS, .layout = 'r', .padding = 2, .indent = "  ", .newline = "\n"
	};
	struct names cells = { NULL, 0, 0 };

	for (size_t i = 0; i < m->n; i++)
		names_add(g, &cells,
			  git_format(g->keep, "%c%2zu: %s", m->at[i].chosen ? '*' : ' ', i + 1,
				     m->at[i].name));
	columns_put(g, &layout, &cells);
}

void menu_show(struct git *g, const struct menu *m, bool marked)
{
	if (m->n == 0)
		return;
	if (m->beside) {
		show_beside(g, m);
		return;
	}
	if (m->header != NULL)
		git_printf(g, "%s\n", m->header);
	for (size_t i = 0; i < m->n; i++) {
		const struct menu_item *it = &m->at[i];
		size_t n = marked ? telling(m, i) : 0;

		git_printf(g, "%c%2zu: %s", it->chosen ? '*' : ' ', i + 1, it->columns);
		if (n != 0)
			git_printf(g, "[%.*s]%s\n", (int)n, it->name, it->name + n);
		else
			git_printf(g, "%s\n", it->name);
		cmd_charge(g->c, m->n);
	}
}

void menu_help(struct git *g, bool one)
{
	if (one) {
		git_printf(g, "Prompt help:\n"
			      "1          - select a numbered item\n"
			      "foo        - select item based on unique prefix\n"
			      "           - (empty) select nothing\n");
		return;
	}
	git_printf(g, "Prompt help:\n"
		      "1          - select a single item\n"
		      "3-5        - select a range of items\n"
		      "2-3,6-9    - select multiple ranges\n"
		      "foo        - select item based on unique prefix\n"
		      "-...       - unselect specified items\n"
		      "*          - choose all items\n"
		      "           - (empty) finish selecting\n");
}

/* --- choosing --- */

char *menu_line(struct git *g, struct input *in)
{
	struct bytes line;

	cmd_flush(g->c);
	if (input_line(in, '\n', &line) <= 0)
		return NULL;
	if (line.len != 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	return arena_dup(g->a, git_trim(line));
}

/* "3", "3-5", "3-", "*" or a name: items [*from, *to). */
static bool read_range(const struct menu *m, const char *word, size_t *from, size_t *to)
{
	const char *dash = strchr(word, '-');
	int64_t a, b = (int64_t)m->n;

	*from = 0;
	*to = m->n;
	if (strcmp(word, "*") == 0)
		return true;
	if (byte_is_digit((unsigned char)word[0]) && word[strspn(word, "0123456789-")] == '\0') {
		char first[24] = "";
		size_t n = dash != NULL ? (size_t)(dash - word) : strlen(word);

		if (n >= sizeof(first))
			return false;
		memcpy(first, word, n);
		if (!git_number(first, &a) ||
		    (dash != NULL && dash[1] != '\0' && !git_number(dash + 1, &b)))
			return false;
		if (dash == NULL)
			b = a;
		if (a < 1 || (uint64_t)a > m->n)
			return false;
		*from = (size_t)a - 1;
		*to = b > (int64_t)m->n ? m->n : b < a ? *from : (size_t)b;
		return true;
	}
	*from = menu_find(m, word);
	*to = *from + 1;
	return *from != SIZE_MAX;
}

/* Whether it ends the question: all at once. */
static bool take_word(struct git *g, struct menu *m, char *word)
{
	bool choose = word[0] != '-';
	size_t from, to;

	word += !choose;
	if (!read_range(m, word, &from, &to)) {
		git_printf(g, "Huh (%s)?\n", word);
		return false;
	}
	for (size_t i = from; i < to; i++)
		m->at[i].chosen = choose;
	cmd_charge(g->c, m->n);
	return choose && strcmp(word, "*") == 0;
}

static size_t count_chosen(const struct menu *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += m->at[i].chosen;
	return n;
}

size_t menu_choose(struct git *g, struct menu *m, struct input *in)
{
	for (;;) {
		bool all = false;
		char *line;

		menu_show(g, m, true);
		git_printf(g, "%s>> ", m->prompt);
		line = menu_line(g, in);
		if (line == NULL) {
			if (!m->beside)
				git_printf(g, "\n");
			return 0;
		}
		if (*line == '\0')
			return count_chosen(m);
		if (strcmp(line, "?") == 0) {
			menu_help(g, false);
			continue;
		}
		for (char *at = line + strspn(line, " \t\r\n,"); *at != '\0';) {
			char *word = at;

			at += strcspn(at, " \t\r\n,");
			if (*at != '\0')
				*at++ = '\0';
			at += strspn(at, " \t\r\n,");
			all = take_word(g, m, word) || all;
		}
		if (count_chosen(m) != 0 && (m->once || (all && !m->beside)))
			return count_chosen(m);
	}
}
