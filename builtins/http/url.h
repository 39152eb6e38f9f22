/* SPDX-License-Identifier: MIT
 *
 * URLs as curl reads them (RFC 3986 with what the web adds): parts, references, text.
 */
#ifndef BUILTINS_HTTP_URL_H
#define BUILTINS_HTTP_URL_H

#include "base/buf.h"

struct url {
	struct bytes scheme; /* in small letters */
	bool has_user;
	struct bytes user; /* decoded */
	struct bytes password;
	struct bytes host;  /* as given, IPv6 in brackets; IPv4 as four numbers */
	unsigned port;      /* given, or the scheme's; 0: it has none */
	bool has_port;      /* it is not the scheme's own */
	struct bytes path;  /* begins with '/' */
	struct bytes query; /* without '?' */
	bool has_query;
	struct bytes fragment; /* with its '#' */
};

enum url_error { URL_OK, URL_BAD, URL_BAD_HOST, URL_BAD_PORT, URL_UNKNOWN };

enum url_flags {
	URL_GUESS = 1,  /* without a scheme it is http */
	URL_AS_IS = 2,  /* "." and ".." stay in the path */
	URL_BLANKS = 4, /* blanks are encoded, not refused: what servers say */
};

/* Parts are in the arena. URL_UNKNOWN: the scheme is none of http, https, file, ftp, ...; it is in
 * out->scheme. */
enum url_error url_parse(struct arena *a, struct bytes text, unsigned flags, struct url *out);
/* What `text` means where it is found at `base`. */
enum url_error url_join(struct arena *a, const struct url *base, struct bytes text, unsigned flags,
			struct url *out);
/* Without user and fragment. */
void url_put(struct buf *out, const struct url *u);
/* host, and port if it is not the scheme's own. */
void url_put_host(struct buf *out, const struct url *u);
/* path and query. */
void url_put_target(struct buf *out, const struct url *u);
/* %XX decoded; false: a NUL would come of it. */
bool url_decode(struct arena *a, struct bytes s, struct bytes *out);
/* All but letters, digits and -._~ encoded; `also` stays, too. blank: what a blank becomes. */
void url_encode(struct buf *out, struct bytes s, const char *also, const char *blank);
/* Path or query with what may not stand in a request encoded; what is encoded already stays. */
struct bytes url_safe(struct arena *a, struct bytes s);
bool url_is_http(const struct url *u);
/* Whether it is this machine by name or address: localhost, 127.0.0.0/8, ::1, 0.0.0.0. */
bool url_is_local(const struct url *u);
/* The last part of the path, "" if it ends in '/'. */
struct bytes url_file_name(const struct url *u);

#endif
