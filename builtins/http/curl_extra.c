/* SPDX-License-Identifier: MIT
 *
 * What curl is told about protocols, addresses, logins and times: --proto, --resolve and
 * --connect-to, --netrc, --time-cond, --limit-rate.
 */
#include "builtins/http/curl.h"

#include "base/time.h"

enum { NETRC_TOKEN_MAX = 4096 };

/* --- protocols --- */

static unsigned protocol_bit(struct bytes name)
{
	if (http_name_is(name, "http"))
		return CURL_HTTP_BIT;
	if (http_name_is(name, "https"))
		return CURL_HTTPS_BIT;
	return http_name_is(name, "file") ? CURL_FILE_BIT : 0;
}

static bool is_protocol(struct bytes name)
{
	static const char *const others[] = { "dict",   "ftp",   "ftps", "gopher", "gophers",
					      "imap",   "imaps", "ldap", "ldaps",  "mqtt",
					      "pop3",   "pop3s", "rtmp", "rtsp",   "scp",
					      "sftp",   "smb",   "smbs", "smtp",   "smtps",
					      "telnet", "tftp" };

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (http_name_is(name, others[i]))
			return true;
	return protocol_bit(name) != 0;
}

unsigned curl_protocols(struct curl *k, unsigned allowed, const char *list)
{
	while (*list != '\0') {
		struct bytes word = { list, strcspn(list, ",") };
		unsigned bits;
		char how = '+';

		list += word.len + (list[word.len] != '\0');
		while (word.len > 0 && strchr("+-=", word.ptr[0]) != NULL) {
			how = word.ptr[0];
			word = bytes_slice(word, 1, word.len);
		}
		bits = bytes_is(word, "all") ? CURL_ALL_BITS : protocol_bit(word);
		if (word.len > 0 && bits == 0 && !is_protocol(word))
			curl_warn(k, "unrecognized protocol '%s'", arena_dup(k->c->arena, word));
		allowed = how == '=' ? bits : how == '-' ? allowed & ~bits : allowed | bits;
	}
	return allowed;
}

bool curl_protocol_allowed(unsigned allowed, struct bytes scheme)
{
	return (allowed & protocol_bit(scheme)) != 0;
}

/* --- addresses --- */

/* The part up to a colon, an address in brackets being one; *rest begins behind the colon. */
static bool take_part(struct bytes *rest, struct bytes *part)
{
	size_t at = 0;

	if (rest->len > 0 && rest->ptr[0] == '[')
		while (at < rest->len && rest->ptr[at] != ']')
			at++;
	while (at < rest->len && rest->ptr[at] != ':')
		at++;
	*part = bytes_slice(*rest, 0, at);
	if (at == rest->len) {
		*rest = BYTES("");
		return false;
	}
	*rest = bytes_slice(*rest, at + 1, rest->len);
	return true;
}

static bool read_port(struct cmd *c, struct bytes text, unsigned *port)
{
	uint64_t n = 0;

	if (!num_plain(arena_dup(c->arena, text), &n) || n > 65535)
		return false;
	*port = (unsigned)n;
	return true;
}

static void add_route(struct curl *k, const struct curl_route *r)
{
	struct curl_route **link = &k->set->routes;

	while (*link != NULL)
		link = &(*link)->next;
	*link = arena_zalloc(k->lasting, sizeof **link);
	**link = *r;
}

/* [+]HOST:PORT:ADDRESS[,ADDRESS]... */
int curl_resolve(struct curl *k, const char *arg)
{
	struct curl_route r = { .next = NULL };
	struct bytes rest = bytes_of(arg);
	struct bytes port;

	if (rest.len > 0 && rest.ptr[0] == '-')
		return 0;
	if (rest.len > 0 && rest.ptr[0] == '+')
		rest = bytes_slice(rest, 1, rest.len);
	if (!take_part(&rest, &r.host) || !take_part(&rest, &port) || rest.len == 0 ||
	    !read_port(k->c, port, &r.port)) {
		cmd_warn(k->c, 0, "(49) Couldn't parse CURLOPT_RESOLVE entry '%s'", arg);
		return 49;
	}
	r.any_host = bytes_is(r.host, "*");
	r.to = rest;
	add_route(k, &r);
	return 0;
}

/* [HOST]:[PORT]:[HOST]:[PORT] */
int curl_connect_to(struct curl *k, const char *arg)
{
	struct curl_route r = { .next = NULL };
	struct bytes rest = bytes_of(arg);
	struct bytes port, to_port;

	if (!take_part(&rest, &r.host) || !take_part(&rest, &port))
		return 0;
	take_part(&rest, &r.to);
	to_port = rest;
	if ((port.len > 0 && !read_port(k->c, port, &r.port)) ||
	    (to_port.len > 0 && !read_port(k->c, to_port, &r.to_port)))
		return 0;
	r.any_host = r.host.len == 0;
	r.any_port = port.len == 0;
	add_route(k, &r);
	return 0;
}

/* Whether one of the addresses is of this machine. */
static bool has_local(struct bytes list)
{
	while (list.len > 0) {
		const char *comma = memchr(list.ptr, ',', list.len);
		size_t n = comma != NULL ? (size_t)(comma - list.ptr) : list.len;
		struct bytes one = bytes_slice(list, 0, n);

		if (bytes_starts(one, BYTES("127.")) || bytes_is(one, "::1") ||
		    bytes_is(one, "[::1]") || http_name_is(one, "localhost"))
			return true;
		list = bytes_slice(list, n + (comma != NULL), list.len);
	}
	return false;
}

enum curl_routing curl_route(struct curl_transfer *t, unsigned *port)
{
	for (const struct curl_route *r = t->set->routes; r != NULL; r = r->next) {
		const char *host = arena_dup(t->curl->c->arena, t->url.host);

		if ((!r->any_host && !http_name_is(r->host, host)) ||
		    (!r->any_port && r->port != t->url.port))
			continue;
		*port = r->to_port != 0 ? r->to_port : t->url.port;
		if (r->to.len == 0 && r->to_port == 0)
			return ROUTE_USUAL;
		return r->to.len == 0 || has_local(r->to) ? ROUTE_INSIDE : ROUTE_ELSEWHERE;
	}
	return ROUTE_USUAL;
}

/* --- logins --- */

struct netrc {
	struct bytes text;
	size_t at;
};

/* A word, or one in quotes with its escapes. False: the end. */
static bool next_word(struct netrc *n, struct buf *out)
{
	out->len = 0;
	for (;;) {
		while (n->at < n->text.len && byte_is_space((unsigned char)n->text.ptr[n->at]))
			n->at++;
		if (n->at >= n->text.len)
			return false;
		if (n->text.ptr[n->at] != '#')
			break;
		while (n->at < n->text.len && n->text.ptr[n->at] != '\n')
			n->at++;
	}
	bool quoted = n->text.ptr[n->at] == '"';

	for (n->at += quoted; n->at < n->text.len && out->len < NETRC_TOKEN_MAX; n->at++) {
		char ch = n->text.ptr[n->at];

		if (quoted ? ch == '"' : byte_is_space((unsigned char)ch))
			break;
		if (quoted && ch == '\\' && n->at + 1 < n->text.len) {
			ch = n->text.ptr[++n->at];
			ch = ch == 'n' ? '\n' : ch == 'r' ? '\r' : ch == 't' ? '\t' : ch;
		}
		buf_putc(out, ch);
	}
	n->at += quoted;
	return true;
}

/* A macro ends at an empty line. */
static void skip_macro(struct netrc *n)
{
	const char *end = bytes_find(bytes_slice(n->text, n->at, n->text.len), BYTES("\n\n"));

	n->at = end != NULL ? (size_t)(end - n->text.ptr) + 2 : n->text.len;
}

/* The login for the host; with `user`, only that one's password. */
static bool find_login(struct netrc *n, struct cmd *c, const char *host, struct bytes user,
		       struct buf *login, struct buf *password)
{
	struct buf word = buf_in(c->arena);
	bool ours = false;
	bool other = false;
	bool any_user = false;

	while (next_word(n, &word)) {
		struct bytes w = buf_bytes(&word);

		cmd_charge(c, 1);
		if (bytes_is(w, "machine") || bytes_is(w, "default")) {
			if (ours && !other && login->len + password->len > 0)
				return true;
			any_user = bytes_is(w, "default");
			ours = any_user ||
			       (next_word(n, &word) && http_name_is(buf_bytes(&word), host));
			other = false;
			login->len = password->len = 0;
		} else if (bytes_is(w, "macdef")) {
			skip_macro(n);
		} else if (ours && bytes_is(w, "login") && next_word(n, login)) {
			other = !any_user && user.len > 0 && !bytes_eq(user, buf_bytes(login));
		} else if (ours && bytes_is(w, "password")) {
			(void)next_word(n, password);
		}
	}
	return ours && !other && login->len + password->len > 0;
}

const char *curl_netrc_login(struct curl_transfer *t)
{
	struct cmd *c = t->curl->c;
	const struct curl_set *s = t->set;
	const char *home = cmd_getenv(c, "HOME");
	struct buf path = buf_in(c->arena);
	struct buf login = buf_in(c->arena);
	struct buf password = buf_in(c->arena);
	struct netrc n = { .at = 0 };
	struct bytes user = t->url.has_user ? t->url.user : BYTES("");

	if (!s->netrc && !s->netrc_optional && s->netrc_file == NULL)
		return NULL;
	if (t->url.has_user && t->url.password.len > 0)
		return NULL;
	buf_printf(&path, "%s/.netrc", home != NULL ? home : "");
	if (cmd_read_all(c, s->netrc_file != NULL ? s->netrc_file : buf_cstr(&path), &n.text) < 0 ||
	    !find_login(&n, c, arena_dup(c->arena, t->url.host), user, &login, &password))
		return NULL;
	if (user.len > 0) {
		login.len = 0;
		buf_add(&login, user);
	}
	buf_putc(&login, ':');
	buf_add(&login, buf_bytes(&password));
	return buf_cstr(&login);
}

/* --- times --- */

static const char days[] = "SunMonTueWedThuFriSat";
static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

void curl_put_date(struct buf *b, int64_t seconds)
{
	int64_t day = seconds / 86400 - (seconds % 86400 < 0);
	int64_t clock = seconds - day * 86400;
	int64_t year = 1970 + day / 366;
	int month = 1;

	while (time_days(year + 1, 1, 1) <= day)
		year++;
	while (time_days(year, 1, 1) > day)
		year--;
	while (month < 12 && time_days(year, month + 1, 1) <= day)
		month++;
	buf_printf(b, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + ((day + 4) % 7 + 7) % 7 * 3,
		   (int)(day - time_days(year, month, 1) + 1), months + (month - 1) * 3, (int)year,
		   (int)(clock / 3600), (int)(clock / 60 % 60), (int)(clock % 60));
}

/* Which of names of three letters a word is, or -1. */
static int name_at(const char *names, struct bytes word)
{
	for (int i = 0; word.len == 3 && names[i * 3] != '\0'; i++) {
		const char name[] = { names[i * 3], names[i * 3 + 1], names[i * 3 + 2], '\0' };

		if (http_name_is(word, name))
			return i;
	}
	return -1;
}

struct date {
	int day; /* -1: not yet said */
	int month;
	int year;
	int64_t clock;
	int64_t zone;
	bool bad;
};

static void take_name(struct date *d, struct bytes word)
{
	static const char *const whole_days[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
						  "Thursday", "Friday", "Saturday" };
	static const struct {
		const char *name;
		int minutes;
	} zones[] = { { "GMT", 0 },    { "UTC", 0 },   { "UT", 0 },    { "WET", 0 },
		      { "BST", -60 },  { "CET", -60 }, { "MET", -60 }, { "CEST", -120 },
		      { "EET", -120 }, { "EST", 300 }, { "EDT", 240 }, { "CST", 360 },
		      { "CDT", 300 },  { "MST", 420 }, { "MDT", 360 }, { "PST", 480 },
		      { "PDT", 420 },  { "Z", 0 },     { "JST", -540 } };

	if (name_at(days, word) >= 0)
		return;
	for (int i = 0; i < 7; i++)
		if (http_name_is(word, whole_days[i]))
			return;
	if (d->month < 0 && name_at(months, word) >= 0) {
		d->month = name_at(months, word);
		return;
	}
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++)
		if (http_name_is(word, zones[i].name)) {
			d->zone = zones[i].minutes * 60;
			return;
		}
	d->bad = true;
}

static void take_digits(struct date *d, struct bytes s, char before)
{
	int value = 0;

	for (size_t i = 0; i < s.len && i < 8; i++)
		value = value * 10 + s.ptr[i] - '0';
	if ((before == '+' || before == '-') && s.len == 4 && value <= 1400 && d->year >= 0) {
		d->zone = (value / 100 * 60 + value % 100) * (before == '+' ? -60 : 60);
	} else if (s.len == 8 && d->year < 0) {
		d->year = value / 10000;
		d->month = value / 100 % 100 - 1;
		d->day = value % 100;
	} else if (d->day < 0 && value > 0 && value < 32 && s.len < 3) {
		d->day = value;
	} else if (d->year < 0 && s.len <= 4) {
		d->year = s.len > 2 ? value : value > 70 ? value + 1900 : value + 2000;
	} else {
		d->bad = true;
	}
}

/* h:mm[:ss] at the beginning: its length, or 0. */
static size_t take_clock(struct date *d, struct bytes s)
{
	size_t n = 0;
	int part[3] = { 0 };

	for (int i = 0; i < 3; i++) {
		size_t from = n + (i > 0);

		if (i > 0 && (n >= s.len || s.ptr[n] != ':'))
			break;
		for (n = from; n < s.len && n < from + 2 && byte_is_digit(s.ptr[n]); n++)
			part[i] = part[i] * 10 + s.ptr[n] - '0';
		if (n == from || (i == 0 && (n >= s.len || s.ptr[n] != ':')))
			return 0;
	}
	d->bad |= part[0] > 23 || part[1] > 59 || part[2] > 60;
	d->clock = part[0] * 3600 + part[1] * 60 + part[2];
	return n;
}

/* As curl_getdate: names of days, months and zones, a clock, and numbers in any order. */
static bool read_date(struct bytes s, int64_t *seconds)
{
	struct date d = { .day = -1, .month = -1, .year = -1 };
	size_t at = 0;

	while (at < s.len && !d.bad) {
		size_t n = 0;
		struct bytes rest = bytes_slice(s, at, s.len);

		while (n < rest.len && byte_is_alpha(rest.ptr[n]))
			n++;
		if (n > 0) {
			take_name(&d, bytes_slice(rest, 0, n));
		} else if (byte_is_digit(rest.ptr[0])) {
			n = take_clock(&d, rest);
			if (n == 0) {
				while (n < rest.len && byte_is_digit(rest.ptr[n]))
					n++;
				take_digits(&d, bytes_slice(rest, 0, n),
					    at > 0 ? s.ptr[at - 1] : ' ');
			}
		}
		at += n > 0 ? n : 1;
	}
	if (d.bad || d.day < 1 || d.day > 31 || d.month < 0 || d.month > 11 || d.year < 0)
		return false;
	*seconds = time_days(d.year, d.month + 1, d.day) * 86400 + d.clock + d.zone;
	return true;
}

/* "-DATE" is of what is older, "=DATE" of what has that very date; a file's name is its time. */
int curl_time_condition(struct curl *k, const char *arg)
{
	struct curl_set *s = k->set;
	struct vfs_stat st;
	struct bytes text = bytes_of(arg);

	s->time_header = "If-Modified-Since";
	if (text.len > 0 && text.ptr[0] == '-')
		s->time_header = "If-Unmodified-Since";
	else if (text.len > 0 && text.ptr[0] == '=')
		s->time_header = "Last-Modified";
	if (text.len > 0 && strchr("+-=", text.ptr[0]) != NULL)
		text = bytes_slice(text, 1, text.len);
	if (read_date(text, &s->time_seconds))
		return 0;
	if (cmd_stat(k->c, text.ptr, &st) == 0) {
		s->time_seconds = st.mtime_ns / INT64_C(1000000000);
		return 0;
	}
	s->time_header = NULL;
	curl_warn(k, "Illegal date format for -z, --time-cond (and not a file name). Disabling "
		     "time condition. See curl_getdate(3) for valid date syntax.");
	return 0;
}

/* --- rates --- */

/* Bytes a second, with K, M or G behind. */
int curl_limit_rate(struct curl *k, const char *arg)
{
	size_t digits = strspn(arg, "0123456789");
	static const char units[] = "bkmg";
	const char *unit = arg[digits] != '\0'
				   ? strchr(units, byte_to_lower((unsigned char)arg[digits]))
				   : units;
	uint64_t n = 0;
	const char *what = "is badly used here";

	if (digits == 0)
		curl_warn(k, "invalid number specified for rate");
	else if (unit == NULL || (arg[digits] != '\0' && arg[digits + 1] != '\0'))
		curl_warn(k, "unsupported rate unit. Use G, M, K or B!");
	else if (!num_plain(arena_dup(k->c->arena, (struct bytes){ arg, digits }), &n) ||
		 n > (UINT64_C(1) << 63) >> (unit - units) * 10)
		what = "too large number";
	else
		what = NULL;
	if (what != NULL) {
		cmd_warn(k->c, 0, "option --limit-rate: %s", what);
		cmd_warn(k->c, 0, "try 'curl --help' or 'curl --manual' for more information");
		return CURL_USAGE;
	}
	k->set->rate = n << (unit - units) * 10;
	return 0;
}

/* The transfer takes the time that it would at that rate. */
void curl_wait_rate(struct curl_transfer *t, uint64_t bytes)
{
	uint64_t rate = t->set->rate;

	if (rate != 0)
		(void)cmd_sleep(t->curl->c, (int64_t)((double)bytes * 1e9 / (double)rate));
}
