/* SPDX-License-Identifier: MIT
 *
 * See allow.h. Used by the process that makes the requests, after anything the sandbox has checked.
 */
#include "cli/allow.h"

#include <string.h>
#include <strings.h>

enum { DECODINGS_MAX = 8 };

struct rule {
	struct allow_url url;
	size_t path_len;
};

static struct rule rules[ALLOW_RULES_MAX];
static size_t nrules;
static const char *methods[ALLOW_RULES_MAX] = { "GET", "HEAD" };
static size_t nmethods = 2;

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* --- paths --- */

static int hex(char c)
{
	if (is_digit(c))
		return c - '0';
	c = small(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX once, in place; false: there was nothing to decode. */
static bool decode(char *text, size_t *len)
{
	size_t to = 0;
	bool found = false;

	for (size_t i = 0; i < *len; i++) {
		if (text[i] == '%' && i + 2 < *len && hex(text[i + 1]) >= 0 &&
		    hex(text[i + 2]) >= 0) {
			text[to++] = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
			i += 2;
			found = true;
		} else {
			text[to++] = text[i];
		}
	}
	*len = to;
	return found;
}

/* Whether a part of a path is "." or "..", also with parameters behind a ';', or holds a NUL:
 * servers disagree about these. */
static bool has_odd_part(const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i <= len; i++) {
		size_t n = i - from;

		if (i < len && text[i] == '\0')
			return true;
		if (i < len && text[i] != '/' && text[i] != '\\' && text[i] != ';')
			continue;
		if ((n == 1 || n == 2) && text[from] == '.' && text[i - 1] == '.')
			return true;
		from = i + 1;
	}
	return false;
}

/* However often it is decoded; who encodes more often than that hides something. */
static bool path_is_plain(const char *path)
{
	static char text[ALLOW_URL_MAX];
	size_t len = strcspn(path, "?");

	memcpy(text, path, len);
	for (int i = 0; i < DECODINGS_MAX; i++) {
		if (has_odd_part(text, len))
			return false;
		if (!decode(text, &len))
			return true;
	}
	return false;
}

/* --- URLs --- */

static bool read_port(const char *text, size_t len, unsigned *port)
{
	unsigned n = 0;

	if (len == 0 || len > 5 || text[0] == '0')
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(text[i]))
			return false;
		n = n * 10 + (unsigned)(text[i] - '0');
	}
	*port = n;
	return n <= 65535;
}

static bool read_host(const char *text, size_t len, struct allow_url *out)
{
	bool bracket = len != 0 && text[0] == '[';
	size_t host = bracket ? strcspn(text, "]") + 1 : strcspn(text, ":/?");

	if (host > len || host == 0 || host >= sizeof out->host)
		return false;
	for (size_t i = 0; i < host; i++) {
		char c = text[i];
		bool inner = i != 0 && i != host - 1;

		if (bracket ? inner && hex(c) < 0 && c != ':' && c != '.'
			    : !is_letter(c) && !is_digit(c) && c != '-' && c != '.' && c != '_')
			return false;
		out->host[i] = small(c);
	}
	out->host[host] = '\0';
	if (bracket && host < 4)
		return false;
	if (host == len)
		return true;
	return text[host] == ':' && read_port(text + host + 1, len - host - 1, &out->port);
}

bool allow_read(const char *text, struct allow_url *out)
{
	size_t len = strlen(text);
	size_t authority;

	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] >= 0x7f || strchr("#\"<>\\^`{|}", text[i]) != NULL)
			return false;
	out->secure = strncasecmp(text, "https://", 8) == 0;
	if (len >= ALLOW_URL_MAX || (!out->secure && strncasecmp(text, "http://", 7) != 0))
		return false;
	text += out->secure ? 8 : 7;
	out->port = out->secure ? 443 : 80;
	authority = strcspn(text, "/?");
	if (memchr(text, '@', authority) != NULL || !read_host(text, authority, out))
		return false;
	out->path = text[authority] == '\0' ? "/" : text + authority;
	return out->path[0] == '/' && path_is_plain(out->path);
}

/* --- rules --- */

bool allow_add_url(const char *prefix)
{
	struct rule *r = &rules[nrules];

	if (nrules == ALLOW_RULES_MAX || !allow_read(prefix, &r->url) ||
	    strchr(r->url.path, '?') != NULL)
		return false;
	r->path_len = strlen(r->url.path);
	nrules++;
	return true;
}

bool allow_add_method(const char *method)
{
	if (nmethods == ALLOW_RULES_MAX || method[0] == '\0' ||
	    strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != strlen(method) ||
	    strlen(method) > 32 || method[0] == '-')
		return false;
	methods[nmethods++] = method;
	return true;
}

bool allow_any(void)
{
	return nrules != 0;
}

/* The prefix ends where a part of the path does. */
static bool path_begins(const char *path, const struct rule *r)
{
	size_t n = r->path_len;

	return strncmp(path, r->url.path, n) == 0 &&
	       (r->url.path[n - 1] == '/' || path[n] == '\0' || path[n] == '/' || path[n] == '?');
}

bool allow_check(const char *method, const struct allow_url *url)
{
	size_t m = 0;

	while (m < nmethods && strcmp(methods[m], method) != 0)
		m++;
	if (m == nmethods)
		return false;
	for (size_t i = 0; i < nrules; i++) {
		const struct allow_url *rule = &rules[i].url;

		if (rule->secure == url->secure && rule->port == url->port &&
		    strcmp(rule->host, url->host) == 0 && path_begins(url->path, &rules[i]))
			return true;
	}
	return false;
}

/* --- headers --- */

bool allow_header(const char *line)
{
	static const char *const ours[] = { "connection", "content-length", "expect",
					    "host",       "http2-settings", "keep-alive",
					    "te",         "trailer",        "transfer-encoding",
					    "upgrade" };
	size_t name = strcspn(line, ":");

	if (line[name] != ':' || name == 0)
		return false;
	for (size_t i = 0; i < name; i++)
		if (!is_letter(line[i]) && !is_digit(line[i]) &&
		    strchr("!#$%&'*+-.^_`|~", line[i]) == NULL)
			return false;
	for (const char *at = line + name; *at != '\0'; at++)
		if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
			return false;
	if (strncasecmp(line, "proxy-", 6) == 0)
		return false;
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strlen(ours[i]) == name && strncasecmp(line, ours[i], name) == 0)
			return false;
	return true;
}
