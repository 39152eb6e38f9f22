/* SPDX-License-Identifier: MIT
 *
 * git config --get-urlmatch: of http.<url>.<name> and its like, what is said for one URL. URLs
 * are compared in a normal form: letters of scheme and host small, no default port, no "." and
 * "..", nothing in %XX that need not be.
 */
#include "builtins/git/git.h"

struct url {
	struct bytes scheme, user, host, port, path;
	bool has_user;
};

/* How well an URL of the configuration fits: what is longer is said of less. */
struct fit {
	size_t host, path;
	bool user;
};

/* NULL, or why it is broken. stops: where the part ends. */
static const char *plain_part(struct git *g, struct bytes s, struct bytes *out)
{
	struct buf b = buf_in(g->a);

	for (size_t i = 0; i < s.len; i++) {
		int c = (unsigned char)s.ptr[i];
		bool coded = c == '%';

		if (coded) {
			if (i + 2 >= s.len || !byte_is_xdigit((unsigned char)s.ptr[i + 1]) ||
			    !byte_is_xdigit((unsigned char)s.ptr[i + 2]))
				return "invalid %XX escape sequence";
			c = byte_digit((unsigned char)s.ptr[i + 1]) * 16 +
			    byte_digit((unsigned char)s.ptr[i + 2]);
			i += 2;
		}
		if (c <= 0x1f || c >= 0x7f || strchr(" <>\"%{}|\\^`", c) != NULL ||
		    (coded && strchr(":/?#[]@!$&'()*+,;=", c) != NULL))
			buf_printf(&b, "%%%02X", (unsigned)c);
		else
			buf_putc(&b, (char)c);
	}
	*out = buf_bytes(&b);
	return NULL;
}

static const char *plain_path(struct git *g, struct bytes s, struct bytes *out)
{
	struct buf b = buf_in(g->a);

	buf_putc(&b, '/');
	if (s.len > 0 && s.ptr[0] == '/')
		s = bytes_slice(s, 1, s.len);
	while (s.len > 0 && s.ptr[0] != '?' && s.ptr[0] != '#') {
		size_t n = 0;
		struct bytes part;
		const char *why;

		while (n < s.len && s.ptr[n] != '/' && s.ptr[n] != '?' && s.ptr[n] != '#')
			n++;
		why = plain_part(g, bytes_slice(s, 0, n), &part);
		if (why != NULL)
			return why;
		s = bytes_slice(s, n, s.len);
		if (bytes_eq(part, BYTES(".."))) {
			if (b.len == 1)
				return "invalid '..' path segment";
			b.len--;
			while (b.ptr[b.len - 1] != '/')
				b.len--;
		} else if (!bytes_eq(part, BYTES("."))) {
			buf_add(&b, part);
			if (s.len > 0 && s.ptr[0] == '/')
				buf_putc(&b, '/');
		}
		if (s.len > 0 && s.ptr[0] == '/')
			s = bytes_slice(s, 1, s.len);
	}
	buf_add(&b, s);
	*out = buf_bytes(&b);
	return NULL;
}

static struct bytes small(struct git *g, struct bytes s)
{
	char *p = arena_dup(g->a, s);

	for (size_t i = 0; i < s.len; i++)
		p[i] = (char)byte_to_lower((unsigned char)p[i]);
	return (struct bytes){ p, s.len };
}

static bool host_valid(struct bytes s, bool wild)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_alnum((unsigned char)s.ptr[i]) &&
		    strchr(wild ? ".-_[:]*" : ".-_[:]", s.ptr[i]) == NULL)
			return false;
	return true;
}

/* "HOST:PORT", a port that goes without saying is left out. */
static const char *read_host(struct git *g, struct bytes s, struct url *u, bool wild)
{
	const char *colon = bytes_rfind(s, BYTES(":"));
	int64_t port = 0;

	u->port = BYTES("");
	if (s.len == 0 && !bytes_eq(u->scheme, BYTES("file")))
		return "missing host and scheme is not 'file:'";
	if (s.len > 0 && s.ptr[0] == ':' && bytes_eq(u->scheme, BYTES("file")))
		return "a 'file:' URL may not have a port number";
	if (colon != NULL && memchr(colon, ']', (size_t)(s.ptr + s.len - colon)) == NULL) {
		struct bytes digits = bytes_slice(s, (size_t)(colon - s.ptr) + 1, s.len);

		s.len = (size_t)(colon - s.ptr);
		if (digits.len > 0 &&
		    (!git_number(arena_dup(g->a, digits), &port) || port < 1 || port > 65535))
			return "invalid port number";
		if (port != 0 && !(port == 80 && bytes_eq(u->scheme, BYTES("http"))) &&
		    !(port == 443 && bytes_eq(u->scheme, BYTES("https"))))
			u->port = bytes_of(git_format(g->a, "%d", (int)port));
	}
	if (!host_valid(s, wild))
		return "invalid characters in host name";
	u->host = small(g, s);
	return NULL;
}

/* NULL, or why it is none. wild: '*' may stand in the host. */
static const char *read_url(struct git *g, struct bytes s, bool wild, struct url *u)
{
	size_t n = 0;
	struct bytes place;
	const char *at, *why, *colon;

	while (n < s.len &&
	       (byte_is_alnum((unsigned char)s.ptr[n]) || strchr("+-.", s.ptr[n]) != NULL) &&
	       s.ptr[n] != '\0')
		n++;
	if (n == 0 || s.len < n + 3 || memcmp(s.ptr + n, "://", 3) != 0)
		return "invalid URL scheme name or missing '://' suffix";
	u->scheme = small(g, bytes_slice(s, 0, n));
	s = bytes_slice(s, n + 3, s.len);
	for (n = 0; n < s.len && s.ptr[n] != '/' && s.ptr[n] != '?' && s.ptr[n] != '#';)
		n++;
	place = bytes_slice(s, 0, n);
	s = bytes_slice(s, n, s.len);
	at = bytes_find(place, BYTES("@"));
	u->has_user = at != NULL;
	if (at != NULL) {
		struct bytes user = bytes_slice(place, 0, (size_t)(at - place.ptr));

		place = bytes_slice(place, user.len + 1, place.len);
		colon = bytes_find(user, BYTES(":"));
		if (colon != NULL)
			user.len = (size_t)(colon - user.ptr);
		why = plain_part(g, user, &u->user);
		if (why != NULL)
			return why;
	}
	why = read_host(g, place, u, wild);
	return why != NULL ? why : plain_path(g, s, &u->path);
}

/* Part by part between dots; "*" is any. */
static bool host_fits(struct bytes pattern, struct bytes host)
{
	for (;;) {
		const char *p = bytes_find(pattern, BYTES(".")), *h = bytes_find(host, BYTES("."));
		size_t np = p != NULL ? (size_t)(p - pattern.ptr) : pattern.len;
		size_t nh = h != NULL ? (size_t)(h - host.ptr) : host.len;
		struct bytes part = bytes_slice(pattern, 0, np);

		if (!bytes_eq(part, BYTES("*")) && !bytes_eq(part, bytes_slice(host, 0, nh)))
			return false;
		if (p == NULL || h == NULL)
			return p == h;
		pattern = bytes_slice(pattern, np + 1, pattern.len);
		host = bytes_slice(host, nh + 1, host.len);
	}
}

static bool url_fits(const struct url *pattern, const struct url *u, struct fit *out)
{
	struct bytes path = pattern->path;

	if (!bytes_eq(pattern->scheme, u->scheme) || !bytes_eq(pattern->port, u->port) ||
	    !host_fits(pattern->host, u->host))
		return false;
	if (pattern->has_user && (!u->has_user || !bytes_eq(pattern->user, u->user)))
		return false;
	if (path.ptr[path.len - 1] == '/')
		path.len--;
	if (u->path.len < path.len || memcmp(u->path.ptr, path.ptr, path.len) != 0 ||
	    (u->path.len > path.len && u->path.ptr[path.len] != '/'))
		return false;
	*out = (struct fit){ pattern->host.len, path.len + 1, pattern->has_user };
	return true;
}

static bool fits_as_well(const struct fit *f, const struct fit *than)
{
	if (f->host != than->host)
		return f->host > than->host;
	if (f->path != than->path)
		return f->path > than->path;
	return f->user >= than->user;
}

/* An entry whose name is chosen, and how well it fits. */
struct choice {
	const struct config_entry *e;
	struct fit fit;
	const char *name;
};

/* Whether the entry is of "section", and for this URL. */
static bool entry_fits(struct git *g, const struct config_entry *e, const char *section,
		       const struct url *u, struct fit *fit, const char **name)
{
	size_t n = strlen(section);
	const char *last = strrchr(e->key, '.');
	struct bytes pattern;
	struct url p;

	*fit = (struct fit){ 0, 0, false };
	if (last == NULL || strncmp(e->key, section, n) != 0 || e->key[n] != '.')
		return false;
	*name = last + 1;
	if (last == e->key + n)
		return true;
	pattern = (struct bytes){ e->key + n + 1, (size_t)(last - e->key) - n - 1 };
	return read_url(g, pattern, true, &p) == NULL && url_fits(&p, u, fit);
}

static int compare_choices(const void *a, const void *b)
{
	return strcmp(((const struct choice *)a)->name, ((const struct choice *)b)->name);
}

size_t config_for_url(struct git *g, const struct config *cf, const char *section,
		      const char *wanted, const char *text, const struct config_entry ***out)
{
	struct lookup *chosen = lookup_new(g);
	struct choice *all = arena_array(g->a, cf->n + 1, sizeof(*all));
	struct url u;
	size_t n = 0;
	const char *why = read_url(g, bytes_of(text), false, &u);

	if (why != NULL)
		git_die(g, "%s", why);
	for (size_t i = 0; i < cf->n; i++) {
		const char *name;
		struct fit fit;
		void **at;
		struct choice *c;

		cmd_charge(g->c, 1);
		if (!entry_fits(g, &cf->at[i], section, &u, &fit, &name) ||
		    (wanted != NULL && strcmp(name, wanted) != 0))
			continue;
		at = lookup_at(chosen, bytes_of(name));
		if (*at == NULL)
			*at = &all[n++];
		c = *at;
		if (c->e == NULL || fits_as_well(&fit, &c->fit))
			*c = (struct choice){ &cf->at[i], fit, name };
	}
	git_sort(g, all, n, sizeof(*all), compare_choices);
	*out = arena_array(g->a, n + 1, sizeof(**out));
	for (size_t i = 0; i < n; i++)
		(*out)[i] = all[i].e;
	return n;
}
