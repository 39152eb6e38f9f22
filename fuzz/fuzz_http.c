/* SPDX-License-Identifier: MIT
 *
 * curl, wget, http: the input's first byte chooses the command, its first line is the URL (or the
 * path of one), the rest is what the host answers, and a file of cookies.
 */
#include "fuzz/session.h"

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
	struct cowsh_host host = COWSH_HOST_INIT;
	const char *argv[12];
	const uint8_t *stop = data + size;
	const uint8_t *line;
	char url[256] = "http://example.org/";
	int argc = 0;
	cowsh *s;

	if (size == 0)
		return 0;
	for (const char *const *at = commands[data[0] % FUZZ_COUNT(commands)]; *at != NULL; at++)
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
	s = fuzz_fork("mkdir d; cd d", &host);
	fuzz_put(s, "jar", answer, answer_len);
	fuzz_run(s, argc, argv);
	return 0;
}
