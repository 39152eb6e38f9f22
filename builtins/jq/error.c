/* SPDX-License-Identifier: MIT
 *
 * Errors of programs and of values, and going deep.
 */
#include "builtins/jq/jq.h"

int jq_deep(struct jq *j, int (*fn)(void *arg), void *arg)
{
	if (cmd_stack_left(j->c) < JQ_STACK_NEED)
		return cmd_deepen(j->c, JQ_STACK_NEED, fn, arg);
	return fn(arg);
}

/* The line that `at` is on, from its first byte to its last. */
static struct bytes line_at(struct bytes s, uint32_t at, size_t *number)
{
	size_t from = at < s.len ? at : s.len;
	size_t to = from;

	while (from > 0 && s.ptr[from - 1] != '\n')
		from--;
	while (to < s.len && s.ptr[to] != '\n')
		to++;
	*number = 1;
	for (size_t i = 0; i < from; i++)
		*number += s.ptr[i] == '\n';
	return bytes_slice(s, from, to);
}

void jq_write_complaints(struct jq *j)
{
	for (size_t i = 0; i < j->ncomplaints; i++)
		cmd_err_write(j->c, j->complaints[i].text.ptr, j->complaints[i].text.len);
	j->ncomplaints = 0;
}

/* Keeps those about one source in the order of their places. */
static void keep_complaint(struct jq *j, struct source *src, uint32_t at, struct bytes text)
{
	size_t i;

	if (j->ncomplaints == JQ_COMPLAINTS)
		jq_write_complaints(j);
	for (i = j->ncomplaints; i > 0; i--) {
		struct complaint *before = &j->complaints[i - 1];

		if (before->src != src || before->at <= at)
			break;
		j->complaints[i] = *before;
	}
	j->complaints[i] = (struct complaint){ src, at, text };
	j->ncomplaints++;
}

void jq_complain(struct jq *j, struct source *src, uint32_t at, uint32_t end, const char *format,
		 ...)
{
	struct buf b = buf_in(j->a);
	size_t number;
	struct bytes line = line_at(src->text, at, &number);
	va_list args;

	(void)end;
	j->nerrors++;
	buf_puts(&b, "jq: error: ");
	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	buf_printf(&b, " at %s, line %zu:\n", src->name, number);
	buf_add(&b, line);
	/* The place within the line, as so many spaces. */
	size_t column = (size_t)(src->text.ptr + at - line.ptr);

	buf_fill(&b, ' ', at <= src->text.len ? column : 0);
	buf_putc(&b, '\n');
	if (j->host != NULL && j->host->bad_program != NULL)
		return;
	if (j->sorts_complaints)
		keep_complaint(j, src, at, buf_bytes(&b));
	else
		cmd_err_write(j->c, b.ptr, b.len);
}

struct json jq_raise(struct jq *j, struct json error)
{
	json_put(&j->m, j->error);
	j->error = error;
	j->raised = true;
	return json_simple(JSON_NONE);
}

struct json jq_error(struct jq *j, const char *format, ...)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	jq_raise(j, json_string_utf8(&j->m, buf_bytes(&b)));
	arena_release(&j->scratch, mark);
	return json_simple(JSON_NONE);
}

static const char *dump(struct jq *j, struct json v, size_t max)
{
	struct buf b = buf_in(&j->scratch);
	struct json_style style = { .enough = max + 3 };

	json_print(&j->m, &b, v, &style);
	if (b.len <= max + 3)
		return buf_cstr(&b);
	b.len = max;
	buf_puts(&b, "...");
	return buf_cstr(&b);
}

const char *jq_dump(struct jq *j, struct json v)
{
	return dump(j, v, JQ_DUMP_MAX);
}

const char *jq_dump_long(struct jq *j, struct json v)
{
	return dump(j, v, JQ_DUMP_LONG_MAX);
}

struct json jq_bad(struct jq *j, struct json v, const char *text)
{
	JQ_SCRATCH(j, mark);

	jq_error(j, "%s (%s) %s", json_kind_name(v), jq_dump(j, v), text);
	arena_release(&j->scratch, mark);
	json_put(&j->m, v);
	return json_simple(JSON_NONE);
}

struct json jq_bad2(struct jq *j, struct json a, struct json b, const char *text)
{
	JQ_SCRATCH(j, mark);
	const char *shown = jq_dump(j, a);

	jq_error(j, "%s (%s) and %s (%s) %s", json_kind_name(a), shown, json_kind_name(b),
		 jq_dump(j, b), text);
	arena_release(&j->scratch, mark);
	json_put(&j->m, a);
	json_put(&j->m, b);
	return json_simple(JSON_NONE);
}
