/* SPDX-License-Identifier: MIT
 *
 * Reads case files.
 */
#include "tests/cases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *t, const char *data, size_t len)
{
	if (t->len + len + 1 > t->cap) {
		t->cap = (t->len + len + 1) * 2;
		t->ptr = realloc(t->ptr, t->cap);
		if (t->ptr == NULL)
			abort();
	}
	if (len != 0)
		memcpy(t->ptr + t->len, data, len);
	t->len += len;
	t->ptr[t->len] = '\0';
}

char *case_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	struct text t = { 0 };
	char data[65536];
	size_t n;

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	while ((n = fread(data, 1, sizeof data, f)) > 0)
		text_add(&t, data, n);
	fclose(f);
	*len = t.len;
	return t.ptr;
}

static bool next_line(struct case_reader *r, char **line, size_t *len)
{
	char *newline;

	if (r->at == r->end)
		return false;
	*line = r->at;
	newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
	*len = newline != NULL ? (size_t)(newline - r->at) + 1 : (size_t)(r->end - r->at);
	r->at += *len;
	return true;
}

static bool is_header(const char *line, size_t len, const char *header)
{
	size_t n = strlen(header);

	return len >= n && memcmp(line, header, n) == 0 && (len == n || line[n] == '\n');
}

/* The blank line that separates cases belongs to none. */
static void drop_separator(struct text *t)
{
	if (t->len >= 2 && t->ptr[t->len - 1] == '\n' && t->ptr[t->len - 2] == '\n')
		t->ptr[--t->len] = '\0';
	else if (t->len == 1 && t->ptr[0] == '\n')
		t->ptr[--t->len] = '\0';
}

bool case_next(struct case_reader *r, struct test *t)
{
	struct text *into = &t->part[SCRIPT];
	char *line;
	size_t len;

	while (r->pending == NULL && next_line(r, &line, &len))
		if (len > 4 && memcmp(line, "### ", 4) == 0) {
			r->pending = line;
			r->pending_len = len;
		}
	if (r->pending == NULL)
		return false;
	memset(t, 0, sizeof *t);
	snprintf(t->name, sizeof t->name, "%.*s", (int)r->pending_len - 5, r->pending + 4);
	r->pending = NULL;
	for (int i = 0; i < SECTIONS; i++)
		text_add(&t->part[i], "", 0);
	while (next_line(r, &line, &len)) {
		if (len > 4 && memcmp(line, "### ", 4) == 0) {
			r->pending = line;
			r->pending_len = len;
			break;
		}
		if (is_header(line, len, "--- stdin"))
			into = &t->part[INPUT];
		else if (is_header(line, len, "--- stdout"))
			into = &t->part[OUTPUT];
		else if (is_header(line, len, "--- stderr"))
			into = &t->part[ERRORS];
		else if (strncmp(line, "--- status ", 11) == 0)
			t->status = atoi(line + 11);
		else if (strncmp(line, "--- differs: ", 13) == 0)
			snprintf(t->differs, sizeof t->differs, "%.*s", (int)len - 14, line + 13);
		else
			text_add(into, line, len);
	}
	if (r->pending != NULL)
		drop_separator(into);
	return true;
}
