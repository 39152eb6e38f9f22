/* SPDX-License-Identifier: MIT
 *
 * See url.h. A URL is split at its first "://", then at the first of "/?#"; what is before that is
 * user, host and port. So a '@' in the path never names a host.
 */
#include "builtins/http/url.h"

static const struct {
	const char *name;
	unsigned port;
} schemes[] = {
	{ "http", 80 },   { "https", 443 }, { "file", 0 },    { "ftp", 21 },    { "ftps", 990 },
	{ "ws", 80 },     { "wss", 443 },   { "dict", 2628 }, { "gopher", 70 }, { "imap", 143 },
	{ "ldap", 389 },  { "pop3", 110 },  { "sftp", 22 },   { "scp", 22 },    { "smtp", 25 },
	{ "telnet", 23 }, { "tftp", 69 },
};

static size_t length_before(struct bytes s, const char *stops)
{
	size_t i = 0;

	while (i < s.len && (s.ptr[i] == '\0' || strchr(stops, s.ptr[i]) == NULL))
		i++;
	return i;
}

static struct bytes rest(struct bytes s, size_t from)
{
	return bytes_slice(s, from, s.len);
}

/* --- codings --- */

bool url_decode(struct arena *a, struct bytes s, struct bytes *out)
{
	struct buf b = buf_in(a);

	for (size_t i = 0; i < s.len; i++) {
		int ch = s.ptr[i];

		if (ch == '%' && i + 2 < s.len && byte_is_xdigit(s.ptr[i + 1]) &&
		    byte_is_xdigit(s.ptr[i + 2])) {
			ch = byte_digit(s.ptr[i + 1]) * 16 + byte_digit(s.ptr[i + 2]);
			i += 2;
		}
		if (ch == '\0')
			return false;
		buf_putc(&b, (char)ch);
	}
	*out = buf_bytes(&b);
	return true;
}

static void put_escape(struct buf *out, unsigned char ch)
{
	static const char digits[] = "0123456789ABCDEF";

	buf_putc(out, '%');
	buf_putc(out, digits[ch >> 4]);
	buf_putc(out, digits[ch & 15]);
}

void url_encode(struct buf *out, struct bytes s, const char *also, const char *blank)
{
	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (byte_is_alnum(ch) || (ch != '\0' && strchr("-._~", ch) != NULL) ||
		    (ch != '\0' && strchr(also, ch) != NULL))
			buf_putc(out, ch);
		else if (ch == ' ')
			buf_puts(out, blank);
		else
			put_escape(out, (unsigned char)ch);
	}
}

struct bytes url_safe(struct arena *a, struct bytes s)
{
	struct buf b = buf_in(a);

	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];

		if (ch <= ' ' || ch >= 0x7f || strchr("\"<>\\^`{|}", ch) != NULL)
			put_escape(&b, ch);
		else
			buf_putc(&b, (char)ch);
	}
	return buf_bytes(&b);
}

/* --- paths --- */

/* Without "." and ".." as RFC 3986 says (5.2.4), "%2e" counting as a dot. */
static size_t dots(struct bytes segment)
{
	size_t n = 0;

	for (size_t i = 0; i < segment.len; i++, n++) {
		if (segment.ptr[i] == '.')
			continue;
		if (i + 2 >= segment.len || segment.ptr[i] != '%' || segment.ptr[i + 1] != '2' ||
		    (segment.ptr[i + 2] | 0x20) != 'e')
			return 0;
		i += 2;
	}
	return n <= 2 ? n : 0;
}

static struct bytes remove_dots(struct arena *a, struct bytes path)
{
	struct buf out = buf_in(a);

	while (path.len != 0) {
		size_t len = 1 + length_before(rest(path, 1), "/");
		size_t n = dots(bytes_slice(path, 1, len));
		bool last = len == path.len;

		if (n == 0)
			buf_put(&out, path.ptr, len);
		while (n == 2 && out.len != 0 && out.ptr[--out.len] != '/')
			;
		if (n != 0 && last)
			buf_putc(&out, '/');
		path = rest(path, len);
	}
	return out.len != 0 ? buf_bytes(&out) : BYTES("/");
}

static void set_path(struct arena *a, struct bytes s, unsigned flags, struct url *out)
{
	size_t len = length_before(s, "?#");
	struct bytes path = bytes_slice(s, 0, len);

	s = rest(s, len);
	out->has_query = s.len != 0 && s.ptr[0] == '?';
	if (out->has_query) {
		s = rest(s, 1);
		out->query = url_safe(a, bytes_slice(s, 0, length_before(s, "#")));
	}
	out->fragment = rest(s, length_before(s, "#"));
	path = path.len != 0 ? url_safe(a, path) : BYTES("/");
	out->path = (flags & URL_AS_IS) != 0 ? path : remove_dots(a, path);
}

/* --- hosts --- */

/* A number as C writes it, below 2^32. */
static bool plain_number(struct bytes s, uint64_t *out)
{
	int base = s.len > 1 && s.ptr[0] == '0' ? 8 : 10;
	size_t i = 0;

	if (s.len > 2 && base == 8 && (s.ptr[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	*out = 0;
	if (i == s.len)
		return false;
	for (; i < s.len; i++) {
		int digit = byte_digit(s.ptr[i]);

		if (digit < 0 || digit >= base)
			return false;
		*out = *out * (unsigned)base + (unsigned)digit;
		if (*out > UINT32_MAX)
			return false;
	}
	return true;
}

/* Numbers as inet_aton takes them: 127.1, 0x7f000001. *out becomes four of them. */
static bool plain_address(struct arena *a, struct bytes host, struct bytes *out)
{
	struct buf b = buf_in(a);
	uint64_t value = 0;
	uint64_t n = 0;
	unsigned parts = 1;

	for (size_t len; (len = length_before(host, ".")) < host.len; parts++) {
		if (parts == 4 || !plain_number(bytes_slice(host, 0, len), &n) || n > 255)
			return false;
		value |= n << (8 * (4 - parts));
		host = rest(host, len + 1);
	}
	if (!plain_number(host, &n) || n >> (8 * (5 - parts)) != 0)
		return false;
	value |= n;
	buf_printf(&b, "%u.%u.%u.%u", (unsigned)(value >> 24), (unsigned)(value >> 16 & 255),
		   (unsigned)(value >> 8 & 255), (unsigned)(value & 255));
	*out = buf_bytes(&b);
	return true;
}

static bool host_is_good(struct bytes host)
{
	bool bracket = host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';

	for (size_t i = bracket; i < host.len - bracket; i++) {
		char ch = host.ptr[i];

		if (bracket ? !byte_is_xdigit(ch) && ch != ':' && ch != '.'
			    : ch <= ' ' || ch >= 0x7f ||
				      strchr("/:#?!@{}[]\\$'\"^`*<>=;,&()+|%", ch) != NULL)
			return false;
	}
	return host.len != 0 && host.len <= 255 + 2;
}

static enum url_error set_port(struct bytes port, struct url *out)
{
	unsigned n = 0;

	if (port.len == 0)
		return URL_OK;
	for (size_t i = 0; i < port.len; i++) {
		if (!byte_is_digit(port.ptr[i]))
			return URL_BAD_PORT;
		n = n * 10 + (unsigned)(port.ptr[i] - '0');
		if (n > 65535)
			return URL_BAD_PORT;
	}
	if (n == 0)
		return URL_BAD_PORT;
	out->has_port = n != out->port;
	out->port = n;
	return URL_OK;
}

static enum url_error set_authority(struct arena *a, struct bytes s, struct url *out)
{
	const char *at = bytes_rfind(s, BYTES("@"));
	size_t len;

	if (at != NULL) {
		struct bytes user = bytes_slice(s, 0, (size_t)(at - s.ptr));
		size_t colon = length_before(user, ":");

		out->has_user = true;
		if (!url_decode(a, bytes_slice(user, 0, colon), &out->user) ||
		    (colon < user.len && !url_decode(a, rest(user, colon + 1), &out->password)))
			return URL_BAD;
		s = rest(s, user.len + 1);
	}
	len = s.len != 0 && s.ptr[0] == '[' ? length_before(s, "]") + 1 : length_before(s, ":");
	if (len > s.len)
		return URL_BAD_HOST;
	out->host = bytes_slice(s, 0, len);
	if (!host_is_good(out->host))
		return URL_BAD_HOST;
	(void)plain_address(a, out->host, &out->host);
	if (len == s.len)
		return URL_OK;
	return s.ptr[len] == ':' ? set_port(rest(s, len + 1), out) : URL_BAD_HOST;
}

/* --- whole URLs --- */

static struct bytes scheme_of(struct bytes text)
{
	size_t i = 0;

	while (i < text.len && (byte_is_alnum(text.ptr[i]) ||
				(text.ptr[i] != '\0' && strchr("+-.", text.ptr[i]) != NULL)))
		i++;
	if (i == 0 || text.len < i + 3 || memcmp(text.ptr + i, "://", 3) != 0)
		return (struct bytes){ "", 0 };
	return bytes_slice(text, 0, i);
}

static bool has_bad_byte(struct bytes text, bool blanks)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f ||
		    (text.ptr[i] == ' ' && !blanks))
			return true;
	return false;
}

static bool know_scheme(struct url *out)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		if (bytes_is(out->scheme, schemes[i].name)) {
			out->port = schemes[i].port;
			return true;
		}
	}
	return false;
}

static struct bytes in_small_letters(struct arena *a, struct bytes s)
{
	char *copy = arena_dup(a, s);

	for (size_t i = 0; i < s.len; i++)
		copy[i] = (char)byte_to_lower(copy[i]);
	return (struct bytes){ copy, s.len };
}

enum url_error url_parse(struct arena *a, struct bytes text, unsigned flags, struct url *out)
{
	struct bytes scheme = scheme_of(text);
	enum url_error err;
	size_t len;

	*out = (struct url){ .scheme = BYTES("http"), .path = BYTES("/") };
	if (has_bad_byte(text, (flags & URL_BLANKS) != 0) ||
	    (scheme.len == 0 && (flags & URL_GUESS) == 0))
		return URL_BAD;
	text = arena_bytes(a, text);
	if (scheme.len != 0) {
		out->scheme = in_small_letters(a, scheme);
		text = rest(text, scheme.len + 3);
	}
	if (!know_scheme(out))
		return URL_UNKNOWN;
	len = length_before(text, "/?#");
	if (bytes_is(out->scheme, "file")) {
		struct bytes host = bytes_slice(text, 0, len);

		if (host.len != 0 && !bytes_is(host, "localhost") && !bytes_is(host, "127.0.0.1"))
			return URL_BAD;
	} else {
		err = set_authority(a, bytes_slice(text, 0, len), out);
		if (err != URL_OK)
			return err;
	}
	set_path(a, rest(text, len), flags, out);
	return URL_OK;
}

/* The directory of the base's path, with what the reference says behind. */
static struct bytes merge(struct arena *a, const struct url *base, struct bytes text)
{
	const char *slash = bytes_rfind(base->path, BYTES("/"));
	struct buf b = buf_in(a);

	if (text.len == 0 || text.ptr[0] == '?' || text.ptr[0] == '#') {
		buf_add(&b, base->path);
		if (base->has_query && (text.len == 0 || text.ptr[0] == '#')) {
			buf_putc(&b, '?');
			buf_add(&b, base->query);
		}
	} else if (text.ptr[0] != '/') {
		buf_put(&b, base->path.ptr, (size_t)(slash - base->path.ptr) + 1);
	}
	buf_add(&b, text);
	return buf_bytes(&b);
}

enum url_error url_join(struct arena *a, const struct url *base, struct bytes text, unsigned flags,
			struct url *out)
{
	struct buf b = buf_in(a);

	flags |= URL_BLANKS;
	if (scheme_of(text).len != 0)
		return url_parse(a, text, flags & ~(unsigned)URL_GUESS, out);
	if (bytes_starts(text, BYTES("//"))) {
		buf_add(&b, base->scheme);
		buf_putc(&b, ':');
		buf_add(&b, text);
		return url_parse(a, buf_bytes(&b), flags, out);
	}
	if (has_bad_byte(text, true))
		return URL_BAD;
	*out = *base;
	out->has_query = false;
	out->query = (struct bytes){ "", 0 };
	set_path(a, merge(a, base, text), flags, out);
	return URL_OK;
}

void url_put_host(struct buf *out, const struct url *u)
{
	buf_add(out, u->host);
	if (u->has_port)
		buf_printf(out, ":%u", u->port);
}

void url_put_target(struct buf *out, const struct url *u)
{
	buf_add(out, u->path);
	if (u->has_query) {
		buf_putc(out, '?');
		buf_add(out, u->query);
	}
}

void url_put(struct buf *out, const struct url *u)
{
	buf_add(out, u->scheme);
	buf_puts(out, "://");
	url_put_host(out, u);
	url_put_target(out, u);
}

bool url_is_http(const struct url *u)
{
	return bytes_is(u->scheme, "http") || bytes_is(u->scheme, "https");
}

bool url_is_local(const struct url *u)
{
	return bytes_is(u->host, "localhost") || bytes_is(u->host, "[::1]") ||
	       bytes_is(u->host, "0.0.0.0") ||
	       (bytes_starts(u->host, BYTES("127.")) &&
		byte_is_digit(u->host.ptr[u->host.len - 1]));
}

struct bytes url_file_name(const struct url *u)
{
	const char *slash = bytes_rfind(u->path, BYTES("/"));

	return rest(u->path, (size_t)(slash - u->path.ptr) + 1);
}
