/* SPDX-License-Identifier: MIT
 *
 * rg --json: a message a line for files, matches, context and the end. Times are zero: on a
 * virtual clock searching takes none.
 */
#include "builtins/rg/rg.h"

static void put_base64(struct buf *out, struct bytes s)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.len; i += 3) {
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < s.len ? (unsigned char)s.ptr[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_putc(out, i + k > s.len ? '=' : digits[v >> (18 - 6 * k) & 63]);
	}
}

/* {"text":"..."}, or {"bytes":"base64"} if it is no UTF-8. */
static void put_data(struct buf *out, struct bytes s)
{
	if (!utf8_valid(s)) {
		buf_puts(out, "{\"bytes\":\"");
		put_base64(out, s);
		buf_puts(out, "\"}");
		return;
	}
	buf_puts(out, "{\"text\":\"");
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];
		static const char letters[] = "btnvfr";

		if (ch == '"' || ch == '\\')
			buf_printf(out, "\\%c", ch);
		else if (ch >= 8 && ch <= 13 && ch != 11)
			buf_printf(out, "\\%c", letters[ch - 8]);
		else if (ch < 32)
			buf_printf(out, "\\u%04x", ch);
		else
			buf_putc(out, (char)ch);
	}
	buf_puts(out, "\"}");
}

static void put_path(struct rg *g, struct buf *out)
{
	buf_puts(out, "\"path\":");
	if (strcmp(g->name, "<stdin>") == 0)
		put_data(out, BYTES("<stdin>"));
	else
		put_data(out, bytes_of(g->name));
}

static void put_spans(struct rg *g, size_t from, struct buf *out)
{
	buf_puts(out, "\"submatches\":[");
	for (size_t i = 0; i < g->nspans; i++) {
		struct regex_span m = g->span[i];

		buf_puts(out, i > 0 ? ",{\"match\":" : "{\"match\":");
		put_data(out, bytes_slice(g->region, m.from, m.to));
		buf_printf(out, ",\"start\":%llu,\"end\":%llu}",
			   (unsigned long long)(m.from - from), (unsigned long long)(m.to - from));
	}
	buf_putc(out, ']');
}

void rg_json_lines(struct rg *g, size_t from, size_t to, bool match)
{
	struct buf *out = rg_tmp(g, RG_TMP_JSON);

	if (!g->wrote_file) {
		buf_puts(out, "{\"type\":\"begin\",\"data\":{");
		put_path(g, out);
		buf_puts(out, "}}\n");
		g->wrote_file = g->wrote = true;
	}
	buf_printf(out, "{\"type\":\"%s\",\"data\":{", match ? "match" : "context");
	put_path(g, out);
	buf_puts(out, ",\"lines\":");
	put_data(out, bytes_slice(g->region, from, to));
	buf_printf(out, ",\"line_number\":%llu,\"absolute_offset\":%llu,",
		   (unsigned long long)rg_line_number(g, from),
		   (unsigned long long)(g->base + from));
	put_spans(g, from, out);
	buf_puts(out, "}}\n");
	rg_write(g, out->ptr, out->len);
	cmd_charge_bytes(g->c, out->len);
}

#define NO_TIME "{\"secs\":0,\"nanos\":0,\"human\":\"0.000000s\"}"

void rg_json_end(struct rg *g)
{
	struct buf *out = rg_tmp(g, RG_TMP_JSON);

	if (!g->wrote_file)
		return;
	buf_puts(out, "{\"type\":\"end\",\"data\":{");
	put_path(g, out);
	if (g->nul >= 0)
		buf_printf(out, ",\"binary_offset\":%lld", (long long)g->nul);
	else
		buf_puts(out, ",\"binary_offset\":null");
	buf_printf(out,
		   ",\"stats\":{\"elapsed\":" NO_TIME ",\"searches\":1,\"searches_with_match\":%d,"
		   "\"bytes_searched\":%llu,\"bytes_printed\":%llu,\"matched_lines\":%llu,"
		   "\"matches\":%llu}}}\n",
		   g->selected > 0, (unsigned long long)g->file_bytes,
		   (unsigned long long)(g->printed - g->printed_before),
		   (unsigned long long)g->selected, (unsigned long long)g->matches);
	cmd_bytes(g->c, buf_bytes(out));
}

void rg_json_summary(struct rg *g)
{
	cmd_printf(
		g->c,
		"{\"data\":{\"elapsed_total\":{\"human\":\"0.000000s\",\"nanos\":0,\"secs\":0},"
		"\"stats\":{\"bytes_printed\":%llu,\"bytes_searched\":%llu,\"elapsed\":{\"human\":"
		"\"0.000000s\",\"nanos\":0,\"secs\":0},\"matched_lines\":%llu,\"matches\":%llu,"
		"\"searches\":%llu,\"searches_with_match\":%llu}},\"type\":\"summary\"}\n",
		(unsigned long long)g->printed, (unsigned long long)g->total_bytes,
		(unsigned long long)g->total_lines, (unsigned long long)g->total_matches,
		(unsigned long long)g->searched, (unsigned long long)g->total_files);
}
