/* SPDX-License-Identifier: MIT
 *
 * The network of a session: what its host's callback is asked, answers in pieces, pending and
 * hostile ones, limits, trace, journal; and, as the program links it in, what --allow-url lets
 * pass (cli/allow.c).
 */
#include "cowsh_journal.h"
#include "cowsh_watch.h"

#include <stdlib.h>

#include "cli/allow.c"
#include "tests/unit/session.h"

static cowsh_store *store;

static struct {
	char out[65536];
	size_t out_len;
	char asked[8192]; /* requests as they came */
	const char *answer;
	size_t answer_len;
	size_t piece;  /* bytes at once; 0: all */
	int pending;   /* how many times it is not ready */
	int64_t error; /* behind the answer */
	bool endless;
	int given_up;
} h;

static int on_output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	(void)fd;
	if (len > sizeof h.out - 1 - h.out_len)
		len = sizeof h.out - 1 - h.out_len;
	memcpy(h.out + h.out_len, data, len);
	h.out_len += len;
	h.out[h.out_len] = '\0';
	return 0;
}

static void note(const struct cowsh_request *r)
{
	size_t at = strlen(h.asked);

	at += (size_t)snprintf(h.asked + at, sizeof h.asked - at, "%s %s\n", r->method, r->url);
	for (size_t i = 0; r->headers[i] != NULL && at < sizeof h.asked; i++)
		at += (size_t)snprintf(h.asked + at, sizeof h.asked - at, "%s\n", r->headers[i]);
	if (r->body_len != 0 && at < sizeof h.asked)
		snprintf(h.asked + at, sizeof h.asked - at, "[%.*s]\n", (int)r->body_len, r->body);
}

static int64_t on_fetch(void *user, const struct cowsh_request *r, char *into, size_t len)
{
	size_t n;

	(void)user;
	if (len == 0) {
		h.given_up++;
		return 0;
	}
	if (h.pending > 0) {
		h.pending--;
		return COWSH_PENDING;
	}
	if (r->received == 0)
		note(r);
	if (h.endless && r->received >= h.answer_len) {
		memset(into, 'x', len);
		return (int64_t)len;
	}
	n = h.answer_len - (size_t)r->received;
	if (n == 0)
		return h.error;
	n = n < len ? n : len;
	if (h.piece != 0 && n > h.piece)
		n = h.piece;
	memcpy(into, h.answer + r->received, n);
	return (int64_t)n;
}

static struct cowsh_host callbacks(const char *answer)
{
	struct cowsh_host host = COWSH_HOST_INIT;

	memset(&h, 0, sizeof h);
	h.answer = answer;
	h.answer_len = strlen(answer);
	host.output = on_output;
	host.fetch = on_fetch;
	return host;
}

static cowsh *new_session(const char *answer)
{
	struct cowsh_host host = callbacks(answer);
	cowsh *s = NULL;

	if (cowsh_new(store, NULL, &host, &s) < 0)
		abort();
	return s;
}

#define PLAIN "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nhello\n"

TEST(an_answer_is_written)
{
	cowsh *s = new_session(PLAIN);

	CHECK_EQ(run(s, "curl -s -H 'X: y' -d a=b https://example.org:8443/p/../q?r#s").status, 0);
	CHECK_STR(h.out, "hello\n");
	CHECK_STR(h.asked,
		  "POST https://example.org:8443/q?r\nUser-Agent: curl/7.88.1\nAccept: */*\n"
		  "X: y\nContent-Type: application/x-www-form-urlencoded\n[a=b]\n");
	CHECK_EQ(h.given_up, 1); /* the length was known: nobody waited for the end */
	cowsh_free(s);
}

TEST(pieces_of_a_byte_are_the_same)
{
	cowsh *s = new_session(PLAIN);

	h.piece = 1;
	CHECK_EQ(run(s, "curl -si http://example.org/ | tr -d '\\r'").status, 0);
	CHECK_STR(h.out, "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 6\n\nhello\n");
	cowsh_free(s);
}

TEST(an_answer_may_come_later)
{
	cowsh *s = new_session(PLAIN);
	const char *script = "curl -s http://example.org/ & echo first; wait $!; echo \"then $?\"";

	h.pending = 2;
	h.piece = 20;
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
	CHECK_EQ(cowsh_step(s, 0), COWSH_WAIT);
	CHECK_STR(h.out, "first\n");
	cowsh_wake(s);
	CHECK_EQ(cowsh_step(s, 0), COWSH_WAIT);
	cowsh_wake(s);
	CHECK_EQ(cowsh_step(s, 0), COWSH_DONE);
	CHECK_STR(h.out, "first\nhello\nthen 0\n");
	cowsh_free(s);
}

TEST(who_is_killed_gives_up)
{
	cowsh *s = new_session(PLAIN);

	h.pending = 1000;
	CHECK_EQ(run(s, "curl -s http://example.org/ & true | cat; kill $!; wait $!; echo $?")
			 .status,
		 0);
	CHECK_STR(h.out, "143\n");
	CHECK_EQ(h.given_up, 1);
	cowsh_free(s);
}

TEST(without_a_network)
{
	struct cowsh_host host = callbacks("");
	cowsh *s = NULL;

	host.fetch = NULL;
	CHECK_EQ(cowsh_new(store, NULL, &host, &s), 0);
	run(s, "curl -sS http://example.org/; echo $?; wget -q http://x.org/; echo $?");
	CHECK_STR(h.out, "curl: (6) Could not resolve host: example.org (this session has no "
			 "network)\n6\n4\n");
	cowsh_free(s);
}

TEST(errors_of_the_host)
{
	static const struct {
		int64_t error;
		int status;
	} all[] = { { -COWSH_EACCES, 7 },
		    { -COWSH_ECONNREFUSED, 7 },
		    { -COWSH_EHOSTUNREACH, 6 },
		    { -COWSH_ETIMEDOUT, 28 },
		    { -COWSH_EPROTO, 35 },
		    { -COWSH_EIO, 56 },
		    { INT64_MIN, 56 },
		    { -1999, 56 },
		    { 0, 52 } };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		cowsh *s = new_session("");

		h.error = all[i].error;
		CHECK_EQ(run(s, "curl -s http://example.org/").status, all[i].status);
		cowsh_free(s);
	}
}

/* --- a host that lies --- */

static int64_t too_much(void *user, const struct cowsh_request *r, char *into, size_t len)
{
	(void)user;
	(void)r;
	(void)into;
	return (int64_t)len + 1000000;
}

TEST(lies_are_errors)
{
	static const char *const lies[] = {
		"HTTP/1.1 -20 no\r\n\r\nx",
		"HTTP/1.1 99999999999 no\r\n\r\n",
		"HTTP/9999999999999999999 200\r\n\r\n",
		"HTTP/1.1 2\r\n\r\n",
		"not http\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\nshort",
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nshort",
		"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nshort",
		"HTTP/1.1 302 Found\r\nLocation: \r\r\nLocation: \x01\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: http://a@b:99999/\r\n\r\n",
		"HTTP/1.1 200 OK\r\nSet-Cookie: =;;;=;domain=\r\nSet-Cookie: a\x01=b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x1f",
		"HTTP/1.1 200 OK\r\n no name\r\n: no name either\r\n\r\n",
	};
	struct cowsh_host host = callbacks("");
	cowsh *s = NULL;

	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		s = new_session(lies[i]);
		run(s,
		    "curl -sLb x --compressed -o /tmp/o -c /tmp/jar http://example.org/;"
		    "wget -qO /tmp/p http://example.org/; http -d http://example.org/ < /dev/null;"
		    "curl -sSJO -w '%{json} %{header_json}' http://example.org/f; true");
		CHECK_EQ(run(s, "echo alive").status, 0);
		cowsh_free(s);
	}
	host.fetch = too_much;
	CHECK_EQ(cowsh_new(store, NULL, &host, &s), 0);
	CHECK_EQ(run(s, "curl -s http://example.org/").status, 56);
	cowsh_free(s);
}

TEST(nul_bytes_in_a_header)
{
	static const char answer[] =
		"HTTP/1.1 200 OK\r\nX: a\0b\r\nLocation: x\0y\r\n"
		"Content-Disposition: attachment; filename=\"../a\0/../b\"\r\n\r\nbody";
	cowsh *s = new_session("");

	h.answer = answer;
	h.answer_len = sizeof answer - 1;
	CHECK_EQ(run(s, "cd /tmp; mkdir d; cd d; curl -sJO http://example.org/f; ls; ls .. | wc -l")
			 .status,
		 0);
	CHECK_STR(h.out, "b\n1\n");
	cowsh_free(s);
}

TEST(an_endless_header_ends)
{
	cowsh *s = new_session("HTTP/1.1 200 OK\r\nX: ");

	h.endless = true;
	CHECK_EQ(run(s, "curl -s http://example.org/").status, 56);
	CHECK_EQ(h.given_up, 1);
	cowsh_free(s);
}

TEST(limits_of_requests_and_bytes)
{
	cowsh *s = new_session("HTTP/1.1 200 OK\r\n\r\n");

	h.endless = true;
	cowsh_set_limit(s, COWSH_LIMIT_NETWORK, 100000);
	CHECK_EQ(run(s, "curl -s http://example.org/ > /dev/null").limit, COWSH_LIMIT_NETWORK);
	h.endless = false;
	cowsh_set_limit(s, COWSH_LIMIT_REQUESTS, 3);
	CHECK_EQ(run(s, "curl -s http://example.org/[1-3]").limit, -1);
	CHECK_EQ(run(s, "curl -s http://example.org/[1-4]").limit, COWSH_LIMIT_REQUESTS);
	cowsh_free(s);
}

TEST(requests_are_clean)
{
	cowsh *s = new_session(PLAIN);

	CHECK(run(s, "curl -s -H $'X: y\\r\\nZ: w' http://example.org/").status != 0);
	CHECK(run(s, "curl -s -X 'GET /x' http://example.org/").status != 0);
	CHECK(run(s, "curl -s -H 'Host: other' http://example.org/").status != 0);
	CHECK(run(s, "curl -s -H 'Transfer-Encoding: chunked' -d x http://example.org/").status !=
	      0);
	CHECK(run(s, "curl -s 'http://a b/'; ").status != 0);
	CHECK(run(s, "wget -q --header $'X: y\\nZ: w' http://example.org/").status != 0);
	CHECK_STR(h.asked, "");
	CHECK_EQ(run(s, "curl -s $'http://me:pw@example.org/\\xff\"<{' -g").status, 0);
	CHECK_STR(h.asked, "GET http://example.org/%FF%22%3C%7B\nAuthorization: Basic bWU6cHc=\n"
			   "User-Agent: curl/7.88.1\nAccept: */*\n");
	cowsh_free(s);
}

TEST(another_host_is_told_no_secrets)
{
	cowsh *s = new_session("HTTP/1.1 302 Found\r\nLocation: http://evil.org/\r\n"
			       "Content-Length: 0\r\n\r\n");

	run(s, "curl -sL --max-redirs 1 -u a:b -H 'Authorization: x' -b 'k=v' http://example.org/");
	CHECK(strstr(h.asked, "GET http://evil.org/\nUser-Agent: curl/7.88.1\nAccept: */*\n") !=
	      NULL);
	cowsh_free(s);
}

/* --- trace and journal --- */

static char traced[4096];

static void on_event(void *user, const struct cowsh_event *e)
{
	size_t at = strlen(traced);

	(void)user;
	if (e->kind == COWSH_EVENT_NETWORK)
		snprintf(traced + at, sizeof traced - at, "%s %s %d %llu %llu\n", e->name, e->path,
			 e->status, (unsigned long long)e->bytes_read,
			 (unsigned long long)e->bytes_written);
}

TEST(requests_are_traced)
{
	cowsh *s = new_session(PLAIN);
	struct cowsh_tracer tracer = COWSH_TRACER_INIT;

	traced[0] = '\0';
	tracer.event = on_event;
	CHECK_EQ(cowsh_trace(s, &tracer), 0);
	run(s, "curl -s -d abc http://example.org/x");
	h.answer_len = 0;
	h.error = -COWSH_EACCES;
	run(s, "curl -s http://example.org/y");
	CHECK_STR(traced, "POST http://example.org/x 200 70 3\nGET http://example.org/y 0 0 0\n");
	CHECK_EQ(cowsh_trace(s, NULL), 0);
	cowsh_free(s);
}

static char journal[1 << 16];
static size_t journal_len;

static int keep(void *user, const void *data, size_t len)
{
	(void)user;
	if (len > sizeof journal - journal_len)
		return -COWSH_ENOSPC;
	memcpy(journal + journal_len, data, len);
	journal_len += len;
	return 0;
}

static int replay(void)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report report;
	cowsh_replay *r;
	const char *why;
	int state;

	config.journal = journal;
	config.journal_len = journal_len;
	state = cowsh_replay_new(store, &config, &r, &why);
	if (state < 0)
		return state;
	while ((state = cowsh_replay_next(r, &report)) == COWSH_REPLAY_SAME)
		;
	cowsh_replay_free(r);
	return state;
}

TEST(a_journal_has_the_answers)
{
	struct cowsh_host host = callbacks(PLAIN);
	struct cowsh_journal j = COWSH_JOURNAL_INIT;
	const char *script =
		"curl -sd x http://example.org/a > f; cat f; curl -s http://example.org/b";
	cowsh *s;
	int state;

	journal_len = 0;
	j.write = keep;
	h.piece = 7;
	h.pending = 1;
	CHECK_EQ(cowsh_new_journaled(store, NULL, &host, &j, &s), 0);
	CHECK_EQ(cowsh_start(s, script, strlen(script)), 0);
	while ((state = cowsh_step(s, 0)) == COWSH_WAIT)
		cowsh_wake(s);
	CHECK_EQ(state, COWSH_DONE);
	CHECK_STR(h.out, "hello\nhello\n");
	cowsh_free(s);
	(void)callbacks("");
	CHECK_EQ(replay(), COWSH_REPLAY_END);
	CHECK_STR(h.asked, "");
}

/* --- cli/allow.c --- */

static bool allowed(const char *method, const char *url)
{
	struct allow_url parts;

	return allow_read(url, &parts) && allow_check(method, &parts);
}

TEST(what_is_allowed)
{
	CHECK(allow_add_url("https://Good.example/api"));
	CHECK(allow_add_url("http://127.0.0.1:8080/"));
	CHECK(!allow_add_url("good.example"));
	CHECK(!allow_add_url("ftp://good.example/"));
	CHECK(!allow_add_url("https://good.example/?x"));
	CHECK(!allow_add_url("https://u@good.example/"));
	CHECK(allowed("GET", "https://good.example/api"));
	CHECK(allowed("HEAD", "https://GOOD.example:443/api/x?y=../z"));
	CHECK(allowed("GET", "https://good.example/api?x"));
	CHECK(allowed("GET", "http://127.0.0.1:8080/any/thing"));
	CHECK(!allowed("POST", "https://good.example/api"));
	CHECK(allow_add_method("POST"));
	CHECK(!allow_add_method("po st"));
	CHECK(allowed("POST", "https://good.example/api"));
}

TEST(what_is_not_allowed)
{
	static const char *const bad[] = {
		"http://good.example/api",
		"https://good.example:8443/api",
		"https://good.example/apix",
		"https://good.example/",
		"https://good.example/API",
		"https://good.example/%61pi",
		"https://good.example@evil/api",
		"https://good.example:443@evil/api",
		"https://good.example\\@evil/api",
		"https://good.example%2fapi@evil/api",
		"https://good.example.evil/api",
		"https://good.example./api",
		"https://good.example:/api",
		"https://good.example:0443/api",
		"https://good.example:00000443/api",
		"https://good.example:443x/api",
		"https://good.example/api/../secret",
		"https://good.example/api/..",
		"https://good.example/api/./x",
		"https://good.example/api/%2e%2e/secret",
		"https://good.example/api/%2E./secret",
		"https://good.example/api/%252e%252e/secret",
		"https://good.example/api/..%2fsecret",
		"https://good.example/api/..%5csecret",
		"https://good.example/api/..;x/secret",
		"https://good.example/api/x%00",
		"https://good.example/api/%25252525252525252525252e",
		"https://good.example/api#x",
		"https://good.example/api x",
		"https://good.example/api\r\nx",
		"https://good.example/api\xff",
		"https:///good.example/api",
		"https://",
		"https:/good.example/api",
		"https://[good.example]/api",
		"http://127.0.0.1/",
		"http://127.1:8080/",
		"http://0x7f000001:8080/",
		"http://2130706433:8080/",
		"http://localhost:8080/",
		"file:///etc/passwd",
		"",
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (!CHECK(!allowed("GET", bad[i])))
			printf("  %s\n", bad[i]);
}

TEST(headers_that_are_not_the_scripts)
{
	CHECK(allow_header("X-Y: z"));
	CHECK(allow_header("Empty:"));
	CHECK(!allow_header("Host: x"));
	CHECK(!allow_header("hOsT:x"));
	CHECK(!allow_header("Content-Length: 5"));
	CHECK(!allow_header("transfer-encoding: chunked"));
	CHECK(!allow_header("Proxy-Authorization: x"));
	CHECK(!allow_header("@file"));
	CHECK(!allow_header("X: a\nHost: b"));
	CHECK(!allow_header("X : a"));
	CHECK(!allow_header(": a"));
}

int main(void)
{
	store = new_store((size_t)512 << 20);
	RUN(an_answer_is_written);
	RUN(pieces_of_a_byte_are_the_same);
	RUN(an_answer_may_come_later);
	RUN(who_is_killed_gives_up);
	RUN(without_a_network);
	RUN(errors_of_the_host);
	RUN(lies_are_errors);
	RUN(nul_bytes_in_a_header);
	RUN(an_endless_header_ends);
	RUN(limits_of_requests_and_bytes);
	RUN(requests_are_clean);
	RUN(another_host_is_told_no_secrets);
	RUN(requests_are_traced);
	RUN(a_journal_has_the_answers);
	RUN(what_is_allowed);
	RUN(what_is_not_allowed);
	RUN(headers_that_are_not_the_scripts);
	return check_end();
}
