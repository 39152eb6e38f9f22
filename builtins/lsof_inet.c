/* SPDX-License-Identifier: MIT
 *
 * lsof -i: sockets of a network, from /proc/net.
 */
#include "builtins/lsof.h"

enum { FIELDS = 10, PORT_MAX = 65535 };

/* --- what is asked for --- */

/* A number of a port at *at, which moves behind it; -1: none. */
static int take_port(const char **at)
{
	int port = -1;

	for (; byte_is_digit((unsigned char)**at) && port <= PORT_MAX; ++*at)
		port = (port < 0 ? 0 : port) * 10 + (**at - '0');
	return port <= PORT_MAX ? port : -1;
}

static bool take_ports(struct lsof_filter *f, const char *at)
{
	for (;;) {
		int from = take_port(&at);
		int to = from;

		if (*at == '-') {
			at++;
			to = take_port(&at);
		}
		if (from < 0 || to < from || f->nports == LSOF_PORTS)
			return false;
		f->from[f->nports] = (uint16_t)from;
		f->to[f->nports++] = (uint16_t)to;
		if (*at == '\0')
			return true;
		if (*at++ != ',')
			return false;
	}
}

static bool take_host(struct lsof_filter *f, const char *at, size_t n)
{
	f->by_host = true;
	if (n == 9 && memcmp(at, "localhost", 9) == 0) {
		memcpy(f->ip, (const uint8_t[4]){ 127, 0, 0, 1 }, 4);
		return true;
	}
	for (int i = 0; i < 4; i++) {
		int v = take_port(&at);

		if (v < 0 || v > 255 || (i < 3 && *at++ != '.'))
			return false;
		f->ip[i] = (uint8_t)v;
	}
	return *at == '\0' || *at == ':';
}

static bool starts_with(const char *text, const char *word)
{
	for (; *word != '\0'; text++, word++)
		if (byte_to_lower((unsigned char)*text) != *word)
			return false;
	return true;
}

/* Whatever the case of its letters is. */
static bool same_state(const char *text, size_t n, const char *state)
{
	if (strlen(state) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (byte_to_upper((unsigned char)text[i]) != state[i])
			return false;
	return true;
}

int lsof_set_states(struct cmd *c, struct lsof_sockets *s, const char *text)
{
	static const char *const names[] = { "ESTABLISHED", "SYN_SENT",  "SYN_RECV", "FIN_WAIT1",
					     "FIN_WAIT2",   "TIME_WAIT", "CLOSED",   "CLOSE_WAIT",
					     "LAST_ACK",    "LISTEN",    "CLOSING" };

	if (!same_state(text, strcspn(text, ":") + 1, "TCP:"))
		return cmd_error(c, 0, "no protocol, or not TCP, in: -s %s", text);
	s->states = text + 4;
	for (const char *at = s->states; *at != '\0';) {
		size_t skip = *at == '^';
		size_t len = strcspn(at, ",");
		bool known = false;

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			known |= same_state(at + skip, len - skip, names[i]);
		if (!known)
			return cmd_error(c, 0, "unknown TCP state name: %.*s", (int)len, at);
		at += len + (at[len] != '\0');
	}
	return 0;
}

int lsof_add_filter(struct cmd *c, struct lsof_sockets *s, const char *text)
{
	const char *at = text;
	struct lsof_filter f = { .tcp = true, .udp = true, .v4 = true, .v6 = true };
	bool good = true;

	if (*at == '4' || *at == '6') {
		f.v4 = *at == '4';
		f.v6 = *at++ == '6';
	}
	if (starts_with(at, "tcp"))
		f.udp = false;
	else if (starts_with(at, "udp"))
		f.tcp = false;
	at += f.tcp != f.udp ? 3 : 0;
	if (*at == '@') {
		good = take_host(&f, at + 1, strcspn(at + 1, ":"));
		at += 1 + strcspn(at + 1, ":");
	}
	if (*at == ':')
		good = good && take_ports(&f, at + 1);
	else
		good = good && *at == '\0';
	if (!good || s->nfilters == LSOF_FILTERS)
		return cmd_error(c, 0, "unacceptable Internet address specification in: -i %s",
				 text);
	s->filter[s->nfilters++] = f;
	return 0;
}

/* --- what there is --- */

static uint64_t hex_at(const char *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 4 | (uint64_t)byte_digit((unsigned char)at[i]);
	return v;
}

/* "0100007F:1F90": of IPv6, the last word counts. */
static void read_address(struct bytes field, uint8_t *ip, uint16_t *port)
{
	const char *colon = memchr(field.ptr, ':', field.len);
	uint32_t word;

	if (colon == NULL || colon - field.ptr < 8 || field.ptr + field.len - colon < 5)
		return;
	word = (uint32_t)hex_at(colon - 8, 8);
	memcpy(ip, &word, 4);
	*port = (uint16_t)hex_at(colon + 1, 4);
}

static const char *state_name(uint64_t state)
{
	switch (state) {
	case 1: return "ESTABLISHED";
	case 5: return "FIN_WAIT2";
	case 7: return "CLOSED";
	case 8: return "CLOSE_WAIT";
	case 10: return "LISTEN";
	default: return NULL;
	}
}

static size_t split(struct bytes line, struct bytes *field)
{
	size_t n = 0;
	size_t at = 0;

	while (n < FIELDS) {
		size_t from;

		while (at < line.len && line.ptr[at] == ' ')
			at++;
		for (from = at; at < line.len && line.ptr[at] != ' ';)
			at++;
		if (from == at)
			break;
		field[n++] = bytes_slice(line, from, at);
	}
	return n;
}

static void read_line(struct lsof_sockets *s, struct bytes line, bool udp, bool six)
{
	struct lsof_socket *k = &s->socket[s->n];
	struct bytes field[FIELDS];

	if (split(line, field) < FIELDS)
		return;
	*k = (struct lsof_socket){ .udp = udp, .six = six };
	read_address(field[1], k->ip, &k->port);
	read_address(field[2], k->peer_ip, &k->peer_port);
	k->has_peer = k->peer_port != 0;
	k->state = udp ? NULL : state_name(hex_at(field[3].ptr, field[3].len));
	for (size_t i = 0; i < field[9].len; i++)
		k->inode = k->inode * 10 + (uint64_t)(field[9].ptr[i] - '0');
	s->n++;
}

void lsof_read_sockets(struct cmd *c, struct lsof_sockets *s)
{
	static const char *const files[4] = { "tcp", "tcp6", "udp", "udp6" };
	struct bytes text[4];
	size_t lines = 0;

	for (int i = 0; i < 4; i++) {
		struct buf path = buf_in(c->arena);

		buf_printf(&path, "/proc/net/%s", files[i]);
		if (cmd_read_all(c, buf_cstr(&path), &text[i]) != 0)
			text[i] = bytes_of("");
		text[i] = bytes_of(arena_dup(c->arena, text[i]));
		for (size_t at = 0; at < text[i].len; at++)
			lines += text[i].ptr[at] == '\n';
		cmd_charge(c, text[i].len / 16);
	}
	s->socket = arena_array(c->arena, lines + 1, sizeof *s->socket);
	s->n = 0;
	for (int i = 0; i < 4; i++)
		for (size_t at = 0; at < text[i].len;) {
			const char *end = memchr(text[i].ptr + at, '\n', text[i].len - at);
			size_t to = end != NULL ? (size_t)(end - text[i].ptr) : text[i].len;

			if (at != 0)
				read_line(s, bytes_slice(text[i], at, to), i >= 2, i % 2 != 0);
			at = to + 1;
		}
}

const struct lsof_socket *lsof_find_socket(const struct lsof_sockets *s, const char *target)
{
	uint64_t inode = 0;

	if (strncmp(target, "socket:[", 8) != 0)
		return NULL;
	for (const char *at = target + 8; byte_is_digit((unsigned char)*at); at++)
		inode = inode * 10 + (uint64_t)(*at - '0');
	for (size_t i = 0; i < s->n; i++)
		if (s->socket[i].inode == inode)
			return &s->socket[i];
	return NULL;
}

/* --- whether, and how it is shown --- */

static bool fits(const struct lsof_filter *f, const struct lsof_socket *k)
{
	bool host = !f->by_host || memcmp(f->ip, k->ip, 4) == 0 ||
		    (k->has_peer && memcmp(f->ip, k->peer_ip, 4) == 0);
	bool port = f->nports == 0;

	for (int i = 0; i < f->nports; i++)
		port |= (k->port >= f->from[i] && k->port <= f->to[i]) ||
			(k->has_peer && k->peer_port >= f->from[i] && k->peer_port <= f->to[i]);
	return (k->udp ? f->udp : f->tcp) && (k->six ? f->v6 : f->v4) && host && port;
}

static bool has_state(const char *list, const char *state)
{
	bool excludes = *list == '^';
	bool found = false;

	while (state != NULL && *list != '\0') {
		size_t len = strcspn(list, ",");
		size_t skip = *list == '^';

		found |= same_state(list + skip, len - skip, state);
		list += len + (list[len] != '\0');
	}
	return found != excludes;
}

bool lsof_wants_socket(const struct lsof_sockets *s, const struct lsof_socket *k)
{
	if (s->states != NULL && !k->udp && !has_state(s->states, k->state))
		return false;
	for (int i = 0; i < s->nfilters; i++)
		if (fits(&s->filter[i], k))
			return true;
	return false;
}

static void put_end(struct buf *b, const struct lsof_sockets *s, const struct lsof_socket *k,
		    const uint8_t *ip, uint16_t port)
{
	uint32_t word;
	bool here = ip[3] == 1 && (ip[0] == 127 || (k->six && ip[0] == 0));

	memcpy(&word, ip, 4);
	if (word == 0)
		buf_puts(b, "*");
	else if (here && !s->numeric)
		buf_puts(b, "localhost");
	else if (k->six && ip[0] == 0)
		buf_puts(b, "[::1]");
	else
		buf_printf(b, k->six ? "[::ffff:%u.%u.%u.%u]" : "%u.%u.%u.%u", ip[0], ip[1], ip[2],
			   ip[3]);
	buf_printf(b, ":%u", port);
}

char *lsof_socket_name(struct cmd *c, const struct lsof_sockets *s, const struct lsof_socket *k)
{
	struct buf b = buf_in(c->arena);

	put_end(&b, s, k, k->ip, k->port);
	if (k->has_peer) {
		buf_puts(&b, "->");
		put_end(&b, s, k, k->peer_ip, k->peer_port);
	}
	if (k->state != NULL)
		buf_printf(&b, " (%s)", k->state);
	return buf_cstr(&b);
}
