/* SPDX-License-Identifier: MIT
 *
 * Journals of cases in one file, so that what one processor wrote is replayed by another: of each
 * case a line "LENGTH NAME", then so many bytes of its journal.
 */
#include "tests/cases.h"

#include "cowsh_journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct text journal; /* of the case that runs */

static int keep(void *user, const void *data, size_t len)
{
	(void)user;
	text_add(&journal, data, len);
	return 0;
}

int journals_session(struct cowsh_store *store, const struct cowsh_config *config,
		     const struct cowsh_host *host, struct cowsh **out)
{
	struct cowsh_journal to = COWSH_JOURNAL_INIT;

	journal.len = 0;
	to.write = keep;
	return cowsh_new_journaled(store, config, host, &to, out);
}

void journals_put(FILE *f, struct cowsh *session, const char *file, const struct test *t)
{
	if (cowsh_journal_end(session) < 0)
		abort();
	fprintf(f, "%zu %s: %s\n", journal.len, file, t->name);
	fwrite(journal.ptr, 1, journal.len, f);
}

/* --- replaying --- */

static bool replay(struct cowsh_store *store, const char *name, const char *bytes, size_t len)
{
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report report = { .what = "" };
	cowsh_replay *r;
	int state;

	config.journal = bytes;
	config.journal_len = len;
	if (cowsh_replay_new(store, &config, &r, &report.what) < 0) {
		printf("FAIL %s: %s\n", name, report.what);
		return false;
	}
	while ((state = cowsh_replay_next(r, &report)) == COWSH_REPLAY_SAME)
		;
	if (state != COWSH_REPLAY_END)
		printf("FAIL %s: state %d in command %d: %s: %lld was %lld\n", name, state,
		       (int)report.command, report.what, (long long)report.replayed,
		       (long long)report.recorded);
	cowsh_replay_free(r);
	return state == COWSH_REPLAY_END;
}

int journals_replay(struct cowsh_store *store, const char *path, int *passed)
{
	size_t size;
	char *text = case_file(path, &size);
	char *at = text;
	int failed = 0;

	while (at < text + size) {
		char *name;
		size_t len = strtoull(at, &name, 10);
		char *end = memchr(name, '\n', (size_t)(text + size - name));

		if (end == NULL || len > (size_t)(text + size - end - 1))
			abort();
		*end = '\0';
		if (replay(store, name + 1, end + 1, len))
			(*passed)++;
		else
			failed++;
		at = end + 1 + len;
	}
	free(text);
	return failed;
}
