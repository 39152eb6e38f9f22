/* SPDX-License-Identifier: MIT
 *
 * One request and its answer, for curl, wget and http.
 *
 *   http_start ──> http_head (status, header) ──> http_read ... ──> http_end
 *
 * A server inside the sandbox is spoken to over its socket; all else is asked of the host. Either
 * way the answer is an attacker's: its header is bounded, its body comes in pieces.
 */
#ifndef BUILTINS_HTTP_HTTP_H
#define BUILTINS_HTTP_HTTP_H

#include "base/codec.h"
#include "builtins/builtin.h"
#include "builtins/http/url.h"

enum { HTTP_HEAD_MAX = 300 << 10, HTTP_BUFFER = 32 << 10 };

/* What goes wrong besides -E_ numbers (see cmd_fetch). */
enum http_error {
	HTTP_OK,
	HTTP_EMPTY,     /* no answer at all */
	HTTP_WEIRD,     /* it does not begin as HTTP does */
	HTTP_LONG_HEAD, /* more than HTTP_HEAD_MAX */
	HTTP_SHORT,     /* the body ends too early */
	HTTP_BAD_CHUNK,
	HTTP_BAD_CODE,  /* of a body that was to be unpacked */
	HTTP_UNSAYABLE, /* the header names what is not the command's to say */
};

/* Lines "Name: value", in order. */
struct http_lines {
	struct arena *a;
	const char **v;
	size_t n;
};
void http_add(struct http_lines *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of that name, or NULL. */
const char *http_line(const struct http_lines *l, const char *name);

struct http_call {
	const char *method;
	const struct url *url;
	struct http_lines *lines; /* all but Host, Content-Length */
	bool has_body;
	bool only_head; /* the answer's body is not wanted */
	struct bytes body;
	uint64_t timeout_ms; /* 0: none */
	bool http10;
	bool inside_only; /* a server of the sandbox, at inside_port */
	unsigned inside_port;
};

enum http_body { HTTP_NONE, HTTP_TO_END, HTTP_LENGTH, HTTP_CHUNKS, HTTP_LAST_CHUNK };

struct http {
	struct cmd *c;
	int fd;
	bool inside;  /* a server of the sandbox */
	bool is_head; /* no body comes, or is wanted */
	/* The answer. */
	struct buf head; /* status line and header lines as they came, the empty one included */
	int status;
	struct bytes version; /* "1.1" */
	struct bytes reason;
	enum http_body body;
	uint64_t left;  /* HTTP_LENGTH, HTTP_CHUNKS: of the body or chunk */
	bool ended;     /* the other side has closed */
	uint64_t taken; /* bytes of the body */
	char *data;
	size_t from;
	size_t to;
};

/* Begins. 0, HTTP_UNSAYABLE or -E_. Memory is of c->arena. */
int http_start(struct http *h, struct cmd *c, const struct http_call *call);
/* The lines that are sent, with Host and Content-Length, as HTTP/1.1 writes them. */
struct bytes http_request_text(struct arena *a, const struct http_call *call);
/* The answer's header; interim ones (100 ...) are passed over. 0, an http_error or -E_. */
int http_head(struct http *h);
/* The next piece of the body, valid until the next call: 0 and a length of 0 at the end. */
int http_read(struct http *h, struct bytes *piece);
void http_end(struct http *h);

/* Header fields of a head, one after the other; folded lines count as nothing. */
bool http_next(struct bytes *rest, struct bytes *name, struct bytes *value);
/* The first field of that name; false, and an empty value: there is none. */
bool http_field(const struct http *h, const char *name, struct bytes *value);
bool http_name_is(struct bytes name, const char *want);

/* A body that is packed: gzip, deflate, zstd. */
struct http_decoder {
	struct cmd *c;
	struct codec codec;
	enum { DECODE_NOTHING, DECODE_GZIP, DECODE_ZLIB, DECODE_ZSTD } kind;
	bool started;
	bool ended;
	struct buf wrap; /* what is in front of a deflate stream, or behind it */
	uint32_t crc;
	uint8_t *room;
};
/* What Content-Encoding asks for; false: it is not known. */
bool http_decoder_init(struct http_decoder *d, struct cmd *c, struct bytes coding);
/* Takes a piece and gives what comes of it to `put`: 0 or HTTP_BAD_CODE. An empty piece is the
 * end. */
int http_decode(struct http_decoder *d, struct bytes piece,
		void (*put)(void *arg, struct bytes part), void *arg);
void http_decoder_clear(struct http_decoder *d);

void http_base64(struct buf *out, struct bytes s);
/* Seconds since 1970 of a date in a header, any of its three forms; false: it is none. */
bool http_date(struct bytes s, int64_t *seconds);

#endif
