/* SPDX-License-Identifier: MIT
 *
 * curl, wget, http: the input's first byte chooses the command, its first line is the URL (or the
 * path of one), the rest is what the host answers, and a file of cookies.
 */
#include "cowsh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *answer;
static size_t answer_len;

static int64_t on_fetch(void *user, const struct cowsh_request *r, char *into, size_t len)
{
	size_t n = r->received < answer_len ? answer_len - (size_t)r->received : 0;

	(void)user;
	/* What reaches a host is clean, whatever the script says. */
	for (const char *at = r->url; *at != '\0'; at++)
		if (*at <= ' ' || *at >= 0x7f)
			abort();
	for (size_t i = 0; r->headers[i] != NULL; i++)
		if (strpbrk(r->headers[i], "\r\n") != NULL)
			abort();
	n = n < len ? n : len;
	if (n > 100)
		n = 100; /* more pieces */
	if (n != 0)
		memcpy(into, answer + r->received, n);
	return (int64_t)n;
}

static cowsh *make_base(void)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh_store *store;
	cowsh *s;

	config.region_size = (size_t)256 << 20;
	config.region = malloc(config.region_size);
	if (cowsh_store_new(&config, &store) < 0 || cowsh_new(store, NULL, NULL, &s) < 0 ||
	    cowsh_run(s, "mkdir d; cd d", 13, NULL) < 0)
		abort();
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const commands[][8] = {
		{ "curl", "-sSiL", "--compressed", "-b", "jar", "-c", "jar2", NULL },
		{ "curl", "-vOJ", "-w", "%{json}%{header_json}", "-D", "-", "-R", NULL },
		{ "curl", "-sG", "-d", "a=b", "--url-query", "x=y", "-C-", NULL },
		{ "wget", "-SN", "--content-disposition", "-t1", "-x", NULL },
		{ "wget", "-O-", "-c", "-t2", "--post-data", "x", NULL },
		{ "http", "-hbF", "--print=HBhb", "--check-status", NULL },
		{ "curl", "-K", "jar", NULL },
	};
	enum { COMMANDS = sizeof commands / sizeof *commands };
	static cowsh *base;
	struct cowsh_host host = COWSH_HOST_INIT;
	const char *argv[12];
	const uint8_t *stop = data + size;
	const uint8_t *line;
	char url[256] = "http://example.org/";
	int argc = 0;
	cowsh *s;

	if (size == 0)
		return 0;
	if (base == NULL)
		base = make_base();
	for (const char *const *at = commands[data[0] % COMMANDS]; *at != NULL; at++)
		argv[argc++] = *at;
	line = memchr(data + 1, '\n', size - 1);
	answer = data + 1;
	if (line != NULL && (size_t)(line - data) < sizeof url - 32) {
		size_t at = data[0] >= 128 ? strlen(url) : 0;
		size_t n = (size_t)(line - data) - 1;

		memcpy(url + at, data + 1, n);
		url[at + n] = '\0';
		answer = line + 1;
	}
	answer_len = (size_t)(stop - answer);
	argv[argc++] = url;
	host.fetch = on_fetch;
	if (cowsh_fork(base, &host, &s) < 0)
		abort();
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 32 << 20);
	if (cowsh_put_file(s, "jar", answer, answer_len, 0644) < 0)
		abort();
	if (cowsh_start_program(s, argc, argv) == 0)
		cowsh_step(s, 0);
	cowsh_free(s);
	return 0;
}
