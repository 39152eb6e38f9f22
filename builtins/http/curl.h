/* SPDX-License-Identifier: MIT
 *
 * curl: what its files share.
 *
 *   struct curl ── struct curl_set (options up to --next) ── struct curl_url (with -o, -T)
 *                                └ globs ──> struct curl_transfer (one URL, with redirects)
 */
#ifndef BUILTINS_HTTP_CURL_H
#define BUILTINS_HTTP_CURL_H

#include "builtins/http/http.h"

/* Exit statuses. */
enum curl_status {
	CURL_OK,
	CURL_PROTOCOL = 1,
	CURL_USAGE = 2,
	CURL_URL = 3,
	CURL_MISSING = 4,
	CURL_RESOLVE = 6,
	CURL_CONNECT = 7,
	CURL_PARTIAL = 18,
	CURL_HTTP = 22,
	CURL_WRITE = 23,
	CURL_READ = 26,
	CURL_TIMEOUT = 28,
	CURL_RANGE = 33,
	CURL_SECURE = 35,
	CURL_FILE = 37,
	CURL_ARGUMENT = 43,
	CURL_REDIRECTS = 47,
	CURL_EMPTY = 52,
	CURL_RECEIVE = 56,
	CURL_ENCODING = 61,
	CURL_TOO_LARGE = 63,
};

struct curl_url {
	struct curl_url *next;
	const char *url;    /* NULL: there is only an output or an upload yet */
	const char *output; /* -o; NULL: standard output */
	bool remote_name;   /* -O */
	bool has_output;
	const char *upload; /* -T */
};

/* --resolve, --connect-to: where a host and port are. */
struct curl_route {
	struct curl_route *next;
	struct bytes host;
	unsigned port;
	bool any_host;
	bool any_port;
	struct bytes to;  /* addresses or a host; empty: the same */
	unsigned to_port; /* 0: the same */
};

/* A part of -F. */
struct curl_part {
	struct curl_part *next;
	struct bytes name;
	struct bytes content; /* or the name of the file */
	bool is_file;         /* '@' */
	bool is_text;         /* '<': a file's content as a field */
	struct bytes type;
	struct bytes filename;
	bool has_filename;
};

/* Options; those up to `local` hold for all of the command line. */
struct curl_set {
	bool silent;
	bool show_error;
	bool verbose;
	bool bar;
	const char *trace; /* --trace or --trace-ascii: a file */
	bool trace_ascii;
	struct output *trace_out;
	bool fail_early;
	bool missing_url;
	struct curl_set *next; /* here the local ones begin: see curl_next */
	struct curl_url *urls;
	bool fail;
	bool fail_body;
	bool follow;
	bool trusted;
	bool keep301, keep302, keep303;
	bool include;
	bool head;
	bool get;
	bool no_glob;
	bool as_is;
	bool compressed;
	bool create_dirs;
	bool disposition;
	bool remote_time;
	bool remote_all;
	bool no_clobber;
	bool remove_on_error;
	bool retry_all;
	bool retry_refused;
	bool junk_session;
	bool no_buffer;
	bool insecure;
	bool unused;
	const char *method;
	const char *agent;
	const char *referer;
	const char *user;
	const char *bearer;
	const char *range;
	const char *resume;
	const char *output_dir;
	const char *dump;
	const char *jar;
	const char *write_out;
	const char *time_header; /* -z: If-Modified-Since, ...; NULL: none */
	int64_t time_seconds;
	unsigned protocols; /* CURL_..._BIT */
	unsigned redirect_protocols;
	const char *default_protocol;
	struct curl_route *routes;
	bool netrc;
	bool netrc_optional;
	const char *netrc_file;
	bool http10;
	uint64_t unused_number;
	uint64_t rate; /* bytes a second; 0: any */
	const char *etag_save;
	const char *etag_compare;
	uint64_t max_time_ms;
	uint64_t connect_time_ms;
	uint64_t retries;
	uint64_t retry_delay_ms;
	uint64_t retry_time_ms;
	uint64_t max_size;
	int64_t max_redirects;   /* -1: any number */
	struct http_lines lines; /* -H */
	struct buf data;         /* -d and its like */
	bool has_data;
	bool json;
	struct buf query; /* --url-query */
	struct curl_part *parts;
	struct buf cookie; /* -b NAME=VALUE */
	bool cookies;      /* the cookie engine is on */
};

struct cookie {
	struct cookie *next; /* the newest first */
	struct bytes name;
	struct bytes value;
	struct bytes domain;
	struct bytes path;
	bool tail; /* also of hosts below the domain */
	bool secure;
	bool http_only;
	int64_t expires; /* 0: with the session */
};

struct curl {
	struct cmd *c; /* its arena lasts as long as one transfer while that runs */
	struct arena *lasting;
	struct curl_set *first;
	struct curl_set *set; /* the last one */
	struct cookie *cookies;
	bool parsing_file;
	bool told_meter; /* the meter's head line was written */
	uint64_t transfers;
};

/* One URL, with all that happened to it. */
struct curl_transfer {
	struct curl *curl;
	const struct curl_set *set;
	const char *text; /* the URL as it was asked for */
	struct url url;   /* of the last hop */
	const char *method;
	bool drops_body; /* a redirect made a GET of it */
	bool foreign;    /* a redirect led to another host */
	bool has_body;
	struct bytes body;
	const char *body_type;
	const char *upload;
	const char *output; /* NULL: standard output */
	bool remote_name;
	struct output out;
	bool opened;
	uint64_t resume_at;
	struct http http;
	struct http_decoder decoder;
	bool has_answer;
	int error; /* enum curl_status */
	struct buf message;
	uint64_t number;
	/* For -w. */
	uint64_t size_download;
	uint64_t size_upload;
	uint64_t size_header;
	uint64_t size_request;
	uint64_t num_headers;
	uint64_t num_redirects;
	uint64_t num_connects;
	uint64_t retries_done;
	bool told_data; /* -v: that the body has begun */
	const char *redirect_url;
	const char *content_type;
};

/* curl_options.c: 0 or an exit status, whose message is written. */
int curl_parse(struct curl *k, int argc, char **argv);
int curl_parse_file(struct curl *k, const char *path);
struct curl_set *curl_new_set(struct curl *k);
/* The next place for a URL of the set, or for its output or upload. */
struct curl_url *curl_place(struct curl *k, bool (*free)(const struct curl_url *u));

/* curl_body.c */
int curl_add_data(struct curl *k, const char *arg, int how);
enum { DATA_ASCII, DATA_BINARY, DATA_RAW, DATA_URLENCODE, DATA_JSON };
int curl_url_query(struct curl *k, const char *arg);
int curl_add_part(struct curl *k, const char *arg, bool plain);
/* What a transfer sends: 0 or a curl_status with t->message. */
int curl_make_body(struct curl_transfer *t);

/* curl_glob.c: the URLs that one with {a,b} and [1-3] stands for. */
struct curl_glob;
/* NULL: the message is written. */
struct curl_glob *curl_glob_new(struct curl *k, const struct curl_set *s, const char *url);
/* The next one; NULL at the end. */
const char *curl_glob_next(struct curl_glob *g);
/* #1 in an output's name. */
const char *curl_glob_fill(struct curl_glob *g, const char *name);

/* curl_transfer.c: the exit status. */
int curl_transfer_run(struct curl_transfer *t);
int curl_fail(struct curl_transfer *t, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* curl_report.c */
void curl_write_out(struct curl_transfer *t);
void curl_verbose(struct curl_transfer *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Header lines with "> " or "< " in front. */
void curl_verbose_lines(struct curl_transfer *t, const char *mark, struct bytes lines);
/* Bytes of a body, for --trace; -v only says how many. */
void curl_trace_data(struct curl_transfer *t, bool sent, struct bytes data);
void curl_meter_begin(struct curl_transfer *t);
void curl_meter_end(struct curl_transfer *t);
void curl_warn(struct curl *k, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* curl_extra.c */
enum { CURL_HTTP_BIT = 1, CURL_HTTPS_BIT = 2, CURL_FILE_BIT = 4, CURL_ALL_BITS = 7 };
/* What a list such as "=https,-file" makes of what is allowed. */
unsigned curl_protocols(struct curl *k, unsigned allowed, const char *list);
bool curl_protocol_allowed(unsigned allowed, struct bytes scheme);
int curl_resolve(struct curl *k, const char *arg);
int curl_connect_to(struct curl *k, const char *arg);
/* Where the transfer's URL is: as usual, at a port inside, or where only the host could go. */
enum curl_routing { ROUTE_USUAL, ROUTE_INSIDE, ROUTE_ELSEWHERE };
enum curl_routing curl_route(struct curl_transfer *t, unsigned *port);
/* "USER:PASSWORD" of the file of logins, or NULL. */
const char *curl_netrc_login(struct curl_transfer *t);
int curl_time_condition(struct curl *k, const char *arg);
void curl_put_date(struct buf *b, int64_t seconds);
int curl_limit_rate(struct curl *k, const char *arg);
void curl_wait_rate(struct curl_transfer *t, uint64_t bytes);

/* curl_cookies.c */
int curl_cookies_read(struct curl *k, const char *path);
void curl_cookies_see(struct curl_transfer *t);
/* "a=1; b=2" for a URL; empty: none. */
struct bytes curl_cookies_for(struct curl_transfer *t);
int curl_cookies_write(struct curl *k, const char *path);

#endif
