/* SPDX-License-Identifier: MIT
 *
 * --results FILE.csv, .tsv, .json: a row for each job, with its output.
 */
#include "builtins/parallel/parallel.h"

enum { NS_A_MS = 1000000, READ_BLOCK = 16384 };

enum results_kind results_kind(const char *path)
{
	struct bytes s = bytes_of(path != NULL ? path : "");

	return bytes_ends(s, BYTES(".csv"))    ? RESULTS_CSV
	       : bytes_ends(s, BYTES(".tsv"))  ? RESULTS_TSV
	       : bytes_ends(s, BYTES(".json")) ? RESULTS_JSON
					       : RESULTS_FILES;
}

struct bytes results_read(struct cmd *c, struct arena *a, int fd)
{
	struct buf out = buf_in(a);
	char block[READ_BLOCK];
	uint64_t pos = 0;
	int64_t got;

	while (fd >= 0 && (got = cmd_pread(c, fd, block, sizeof block, pos)) > 0) {
		buf_put(&out, block, (size_t)got);
		pos += (uint64_t)got;
		cmd_charge_bytes(c, (size_t)got);
	}
	return buf_bytes(&out);
}

static void put_field(struct buf *out, struct bytes s, char sep, const char *end)
{
	bool plain = true;

	for (size_t i = 0; i < s.len; i++)
		plain &= s.ptr[i] != sep && s.ptr[i] != '"' &&
			 !byte_is_space((unsigned char)s.ptr[i]);
	buf_puts(out, plain ? "" : "\"");
	for (size_t i = 0; i < s.len; i++) {
		buf_puts(out, s.ptr[i] == '"' ? "\"" : "");
		buf_putc(out, s.ptr[i]);
	}
	buf_puts(out, plain ? "" : "\"");
	buf_puts(out, end);
}

static void put_json(struct buf *out, struct bytes s)
{
	buf_putc(out, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];

		if (ch < 0x20)
			buf_printf(out, "\\u%04x", ch);
		else if (ch == '"' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else
			buf_putc(out, s.ptr[i]);
	}
	buf_putc(out, '"');
}

static void put_ms(struct buf *out, int64_t ns)
{
	int64_t ms = ns / NS_A_MS;

	buf_printf(out, "%lld.%03lld", (long long)(ms / 1000), (long long)(ms % 1000));
}

static void put_json_row(struct buf *out, const struct result_row *row)
{
	buf_printf(out, "{ \"Seq\": %llu, \"Host\": \":\", \"Starttime\": ",
		   (unsigned long long)row->seq);
	put_ms(out, row->start_ns);
	buf_puts(out, ", \"JobRuntime\": ");
	put_ms(out, row->end_ns - row->start_ns);
	buf_printf(out, ", \"Send\": %llu, \"Receive\": %zu, \"Exitval\": %d, \"Signal\": %d",
		   (unsigned long long)row->sent, row->out.len, row->status >> 8 & 0xff,
		   row->status & 0x7f);
	buf_puts(out, ", \"Command\": ");
	put_json(out, row->command);
	buf_puts(out, ", \"V\": [ ");
	for (size_t i = 0; i < row->n; i++) {
		buf_puts(out, i > 0 ? ", " : "");
		put_json(out, row->arg[i]);
	}
	buf_puts(out, " ], \"Stdout\": ");
	put_json(out, row->out);
	buf_puts(out, ", \"Stderr\": ");
	put_json(out, row->err);
	buf_puts(out, " }\n");
}

void results_head(struct buf *out, enum results_kind kind, const struct bytes *names, size_t nnames,
		  size_t n)
{
	char sep = kind == RESULTS_CSV ? ',' : '\t';
	char end[2] = { sep, '\0' };
	static const char *const columns[] = { "Seq",        "Host",   "Starttime",
					       "JobRuntime", "Send",   "Receive",
					       "Exitval",    "Signal", "Command" };

	if (kind == RESULTS_JSON)
		return;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		buf_printf(out, "%s%s", columns[i], end);
	for (size_t i = 0; i < n; i++) {
		if (i < nnames)
			put_field(out, names[i], sep, end);
		else
			buf_printf(out, "V%zu%s", i + 1, end);
	}
	buf_printf(out, "Stdout%sStderr\n", end);
}

void results_put(struct buf *out, enum results_kind kind, const struct result_row *row)
{
	char sep = kind == RESULTS_CSV ? ',' : '\t';
	char end[2] = { sep, '\0' };

	if (kind == RESULTS_JSON) {
		put_json_row(out, row);
		return;
	}
	buf_printf(out, "%llu%s:%s", (unsigned long long)row->seq, end, end);
	put_ms(out, row->start_ns);
	buf_puts(out, end);
	put_ms(out, row->end_ns - row->start_ns);
	buf_printf(out, "%s%llu%s%zu%s%d%s%d%s", end, (unsigned long long)row->sent, end,
		   row->out.len, end, row->status >> 8 & 0xff, end, row->status & 0x7f, end);
	put_field(out, row->command, sep, end);
	for (size_t i = 0; i < row->n; i++)
		put_field(out, row->arg[i], sep, end);
	put_field(out, row->out, sep, end);
	put_field(out, row->err, sep, "\n");
}
