/* SPDX-License-Identifier: MIT
 *
 * @text @json @csv @tsv @html @uri @sh @base64 @base64d @base32 @base32d.
 */
#include "builtins/jq/jq.h"

static struct json finish(struct jq *j, struct buf *b, struct json v, struct arena_mark mark)
{
	struct json out = json_simple(JSON_NONE);

	if (!j->raised)
		out = json_string_utf8(&j->m, buf_bytes(b));
	cmd_charge(j->c, 1);
	arena_release(&j->scratch, mark);
	json_put(&j->m, v);
	return out;
}

/* --- rows --- */

static void put_csv(struct jq *j, struct buf *b, struct json v)
{
	buf_putc(b, '"');
	for (size_t i = 0; i < v.u.str->len; i++) {
		jq_turn(j, i);
		if (v.u.str->ptr[i] == '"')
			buf_putc(b, '"');
		buf_putc(b, v.u.str->ptr[i]);
	}
	buf_putc(b, '"');
}

static void put_tsv(struct jq *j, struct buf *b, struct json v)
{
	for (size_t i = 0; i < v.u.str->len; i++) {
		char ch = v.u.str->ptr[i];
		const char *name = ch == '\t'   ? "\\t"
				   : ch == '\n' ? "\\n"
				   : ch == '\r' ? "\\r"
						: "\\\\";

		jq_turn(j, i);
		if (ch == '\t' || ch == '\n' || ch == '\r' || ch == '\\')
			buf_puts(b, name);
		else
			buf_putc(b, ch);
	}
}

static void put_sh(struct jq *j, struct buf *b, struct json v)
{
	buf_putc(b, '\'');
	for (size_t i = 0; i < v.u.str->len; i++) {
		jq_turn(j, i);
		if (v.u.str->ptr[i] == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, v.u.str->ptr[i]);
	}
	buf_putc(b, '\'');
}

static void put_row(struct jq *j, struct buf *b, struct json row, const char *sep,
		    void (*put)(struct jq *j, struct buf *b, struct json v), const char *what)
{
	for (size_t i = 0; i < json_len(row) && !j->raised; i++) {
		struct json v = json_at(row, i);

		if (i > 0)
			buf_puts(b, sep);
		if (v.kind == JSON_STRING)
			put(j, b, v);
		else if (v.kind == JSON_NULL && strcmp(what, "sh") != 0)
			continue;
		else if (v.kind >= JSON_ARRAY && strcmp(what, "sh") == 0)
			jq_bad(j, json_copy(v), "can not be escaped for shell");
		else if (v.kind >= JSON_ARRAY)
			jq_bad(j, json_copy(v), "is not valid in a csv row");
		else
			json_print(&j->m, b, v, NULL);
	}
}

static struct json format_row(struct jq *j, struct json v, bool csv)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);

	if (v.kind != JSON_ARRAY)
		return jq_bad(j, v,
			      csv ? "cannot be csv-formatted, only array"
				  : "cannot be tsv-formatted, only array");
	put_row(j, &b, v, csv ? "," : "\t", csv ? put_csv : put_tsv, csv ? "csv" : "tsv");
	return finish(j, &b, v, mark);
}

static struct json format_sh(struct jq *j, struct json v)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);

	if (v.kind != JSON_ARRAY)
		v = json_push(&j->m, json_array(&j->m, 1), v);
	put_row(j, &b, v, " ", put_sh, "sh");
	return finish(j, &b, v, mark);
}

/* --- text --- */

static struct json format_html(struct jq *j, struct json v)
{
	static const char *const names[] = { "&lt;", "&gt;", "&amp;", "&apos;", "&quot;" };
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);

	v = jq_tostring(j, v);
	for (size_t i = 0; i < v.u.str->len; i++) {
		char ch = v.u.str->ptr[i];
		const char *hit = ch != '\0' ? strchr("<>&'\"", ch) : NULL;

		jq_turn(j, i);
		if (hit != NULL)
			buf_puts(&b, names[hit - strchr("<>&'\"", '<')]);
		else
			buf_putc(&b, ch);
	}
	return finish(j, &b, v, mark);
}

static struct json format_uri(struct jq *j, struct json v)
{
	static const char hex[] = "0123456789ABCDEF";
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);

	v = jq_tostring(j, v);
	for (size_t i = 0; i < v.u.str->len; i++) {
		unsigned char ch = (unsigned char)v.u.str->ptr[i];

		jq_turn(j, i);
		if (byte_is_alnum(ch) || (ch != '\0' && strchr("-_.~", ch) != NULL)) {
			buf_putc(&b, (char)ch);
			continue;
		}
		buf_putc(&b, '%');
		buf_putc(&b, hex[ch >> 4]);
		buf_putc(&b, hex[ch & 15]);
	}
	return finish(j, &b, v, mark);
}

/* --- bases: groups of `bits` bits as digits, padded to `unit` digits --- */

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char digits32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static struct json encode_base(struct jq *j, struct json v, const char *digits, unsigned bits,
			       size_t unit)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	uint32_t acc = 0;
	unsigned n = 0;

	v = jq_tostring(j, v);
	for (size_t i = 0; i < v.u.str->len; i++) {
		jq_turn(j, i);
		acc = acc << 8 | (unsigned char)v.u.str->ptr[i];
		for (n += 8; n >= bits; n -= bits)
			buf_putc(&b, digits[acc >> (n - bits) & ((1u << bits) - 1)]);
	}
	if (n > 0)
		buf_putc(&b, digits[acc << (bits - n) & ((1u << bits) - 1)]);
	while (b.len % unit != 0)
		buf_putc(&b, '=');
	return finish(j, &b, v, mark);
}

static struct json decode_base(struct jq *j, struct json v, const char *digits, unsigned bits)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);
	uint32_t acc = 0;
	unsigned n = 0;
	size_t used = 0;
	bool bad = false;

	v = jq_tostring(j, v);
	for (size_t i = 0; i < v.u.str->len && v.u.str->ptr[i] != '='; i++) {
		const char *hit = v.u.str->ptr[i] != '\0' ? strchr(digits, v.u.str->ptr[i]) : NULL;

		jq_turn(j, i);
		if (hit == NULL) {
			bad = true;
			break;
		}
		acc = acc << bits | (uint32_t)(hit - digits);
		used++;
		n += bits;
		if (n >= 8) {
			n -= 8;
			buf_putc(&b, (char)(acc >> n & 255));
		}
	}
	/* One digit alone holds no byte. */
	if (!bad && bits == 6 && used % 4 == 1)
		return jq_bad(j, v, "trailing base64 byte found");
	if (bad || (b.len == 0 && used > 0))
		return jq_bad(j, v,
			      bits == 6 ? "is not valid base64 data" : "is not valid base32 data");
	return finish(j, &b, v, mark);
}

struct json jq_format(struct jq *j, struct bytes name, struct json v)
{
	if (bytes_is(name, "@text"))
		return jq_tostring(j, v);
	if (bytes_is(name, "@json"))
		return jq_tojson(j, v);
	if (bytes_is(name, "@csv") || bytes_is(name, "@tsv"))
		return format_row(j, v, name.ptr[1] == 'c');
	if (bytes_is(name, "@sh"))
		return format_sh(j, v);
	if (bytes_is(name, "@html"))
		return format_html(j, v);
	if (bytes_is(name, "@uri"))
		return format_uri(j, v);
	if (bytes_is(name, "@base64"))
		return encode_base(j, v, digits64, 6, 4);
	if (bytes_is(name, "@base64d"))
		return decode_base(j, v, digits64, 6);
	if (bytes_is(name, "@base32"))
		return encode_base(j, v, digits32, 5, 8);
	if (bytes_is(name, "@base32d"))
		return decode_base(j, v, digits32, 5);
	json_put(&j->m, v);
	return jq_error(j, "%.*s is not a valid format", (int)name.len - 1, name.ptr + 1);
}
