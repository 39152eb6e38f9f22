/* SPDX-License-Identifier: MIT
 *
 * Journals: records as an attacker writes them, with checks that are right, so that what is in
 * them is read (a first byte of 'R': the rest as it is). They are replayed, in little time, and the
 * session is taken over and used.
 *
 * Input: type, length (2 bytes, lowest first), body; again and again.
 */
#include "api/journal.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_BYTES = 256 << 20, TURNS = 40, JOURNAL_MAX = 1 << 20 };

static cowsh_store *store;
static int turns; /* of 10,000 steps that this input may still run */

static int expired(void *user)
{
	(void)user;
	return --turns < 0;
}

static int64_t no_input(void *user, char *into, size_t len)
{
	(void)user;
	(void)into;
	(void)len;
	return 0;
}

static int64_t some_time(void *user)
{
	(void)user;
	return 1000000000;
}

/* A journal of the records in the input; its length. */
static size_t build(const uint8_t *data, size_t size, char out[JOURNAL_MAX])
{
	uint8_t check[RECORD_CHECK] = { 0 };
	size_t at = JOURNAL_HEAD;

	memset(out, 0, JOURNAL_HEAD);
	memcpy(out, journal_magic, sizeof journal_magic);
	out[8] = JOURNAL_VERSION;
	while (size >= 3) {
		size_t len = data[1] | (size_t)data[2] << 8;
		uint8_t head[RECORD_HEAD];
		struct bytes body;

		if (len > size - 3)
			len = size - 3;
		body = (struct bytes){ (const char *)data + 3, len };
		if (at + len + RECORD_HEAD + RECORD_CHECK > JOURNAL_MAX)
			break;
		record_seal(check, data[0], body, head);
		memcpy(out + at, head, RECORD_HEAD);
		memcpy(out + at + RECORD_HEAD, body.ptr, len);
		memcpy(out + at + RECORD_HEAD + len, check, RECORD_CHECK);
		at += RECORD_HEAD + len + RECORD_CHECK;
		data += 3 + len;
		size -= 3 + len;
	}
	return at;
}

static void replay(const char *journal, size_t len)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report report;
	struct cowsh_host host = COWSH_HOST_INIT;
	cowsh_replay *r;
	const char *why;
	cowsh *s;

	host.expired = expired;
	host.clock = some_time;
	host.input = no_input;
	config.journal = journal;
	config.journal_len = len;
	config.host = &host;
	turns = TURNS;
	if (cowsh_replay_new(store, &config, &r, &why) < 0)
		return;
	while (cowsh_replay_next(r, &report) == COWSH_REPLAY_SAME)
		;
	s = cowsh_replay_take(r);
	cowsh_replay_free(r);
	turns = 2;
	cowsh_run(s, "ls -R / > /dev/null; echo *", 27, NULL);
	cowsh_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *journal;

	if (store == NULL) {
		struct cowsh_store_config memory = COWSH_STORE_CONFIG_INIT;

		memory.region_size = REGION_BYTES;
		memory.region = malloc(REGION_BYTES);
		journal = malloc(JOURNAL_MAX);
		if (memory.region == NULL || journal == NULL ||
		    cowsh_store_new(&memory, &store) < 0)
			abort();
	}
	if (size != 0 && data[0] == 'R')
		replay((const char *)data + 1, size - 1);
	else
		replay(journal, build(data, size, journal));
	return 0;
}
