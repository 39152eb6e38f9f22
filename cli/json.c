/* SPDX-License-Identifier: MIT
 *
 * --json: one object on standard output. Bytes that are not UTF-8 become U+FFFD in the text,
 * and the exact bytes follow in base64 under "stdout_base64" or "stderr_base64".
 */
#include "cli/apply.h"
#include "cli/cli.h"
#include "cli/report.h"

#include <string.h>

/* Length of the well-formed sequence at s, or 0. */
static size_t sequence(const unsigned char *s, size_t left)
{
	size_t len = s[0] < 0x80                   ? 1
		     : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		     : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		     : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						   : 0;

	if (len == 0 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static void put_char(const unsigned char *s, size_t len)
{
	switch (s[0]) {
	case '"': out_text("\\\""); break;
	case '\\': out_text("\\\\"); break;
	case '\n': out_text("\\n"); break;
	case '\t': out_text("\\t"); break;
	case '\r': out_text("\\r"); break;
	default:
		if (s[0] < 0x20 || s[0] == 0x7f)
			out_format("\\u%04x", s[0]);
		else
			out_bytes((const char *)s, len);
	}
}

bool json_string(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	bool clean = true;

	out_char('"');
	for (size_t i = 0; i < len;) {
		size_t n = sequence(s + i, len - i);

		if (n == 0) {
			out_text("\\ufffd");
			clean = false;
			n = 1;
		} else {
			put_char(s + i, n);
		}
		i += n;
	}
	out_char('"');
	return clean;
}

static void put_base64(const char *text, size_t len)
{
	static const char set[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *s = (const unsigned char *)text;

	out_char('"');
	for (size_t i = 0; i < len; i += 3) {
		unsigned v = (unsigned)s[i] << 16 | (i + 1 < len ? (unsigned)s[i + 1] << 8 : 0) |
			     (i + 2 < len ? s[i + 2] : 0u);

		out_char(set[v >> 18]);
		out_char(set[v >> 12 & 63]);
		out_char(i + 1 < len ? set[v >> 6 & 63] : '=');
		out_char(i + 2 < len ? set[v & 63] : '=');
	}
	out_char('"');
}

static void put_output(const char *name, const char *text, size_t len)
{
	out_format("\"%s\":", name);
	if (!json_string(text, len)) {
		out_format(",\"%s_base64\":", name);
		put_base64(text, len);
	}
	out_char(',');
}

static int put_change(void *user, const struct cowsh_change *change)
{
	bool *first = user;
	char kind[2] = { change->kind, '\0' };

	out_format("%s{\"kind\":\"%s\",\"path\":", *first ? "" : ",", kind);
	json_string(change->path, strlen(change->path));
	out_format(",\"size\":%llu}", (unsigned long long)change->size);
	*first = false;
	return 0;
}

int json_result(struct runner *r, const struct cowsh_result *result, cowsh_snapshot *before)
{
	int status = 0;
	bool first = true;

	out_char('{');
	put_output("stdout", r->captured[1], r->captured_len[1]);
	put_output("stderr", r->captured[2], r->captured_len[2]);
	out_format("\"status\":%d,\"limit\":", result->status);
	if (result->limit >= 0) {
		out_format("\"%s\",\"limit_value\":%llu,\"limit_where\":",
			   cowsh_limit_name(result->limit),
			   (unsigned long long)result->limit_value);
		json_string(result->limit_where, strlen(result->limit_where));
	} else {
		out_text("null");
	}
	out_format(",\"steps\":%llu,\"memory_peak\":%llu,\"time_ns\":%lld,\"changes\":[",
		   (unsigned long long)result->steps, (unsigned long long)result->memory_peak,
		   (long long)result->time_ns);
	cowsh_diff(r->session, before, put_change, &first);
	out_char(']');
	if (rehearse_wanted())
		rehearse_tell(r, before);
	if (apply_wanted())
		status = apply_run(r, before, result);
	out_text("}\n");
	return status;
}
