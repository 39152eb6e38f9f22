/* SPDX-License-Identifier: MIT
 *
 * --journal: everything that is needed to run the same again, into a file that was opened before
 * the lock. A record is written as soon as it is whole. --break keeps one in memory.
 */
#include "cli/cli.h"
#include "cli/debug.h"
#include "cli/report.h"
#include "cowsh_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const char *path;
static int file = -1;

/* Address space until it is used. */
#define MEMORY_MAX ((size_t)1 << 34)
static struct {
	char *bytes; /* NULL: no journal is kept, or it was too long */
	size_t len;
} memory;

bool journal_option(int argc, char **argv, int *i)
{
	const char *v = option_value("--journal", argc, argv, i);

	if (v != NULL)
		path = v;
	return v != NULL;
}

void journal_refuse(const char *option)
{
	if (path != NULL)
		fatal("--journal does not go with %s", option);
}

static int write_record(void *user, const void *data, size_t len)
{
	(void)user;
	if (memory.bytes != NULL && len <= MEMORY_MAX - memory.len) {
		memcpy(memory.bytes + memory.len, data, len);
		memory.len += len;
	} else {
		memory.bytes = NULL;
	}
	return file >= 0 ? write_all(file, data, len) : 0;
}

const void *journal_in_memory(struct runner *r, size_t *len)
{
	if (memory.bytes == NULL || cowsh_journal_flush(r->session) < 0)
		return NULL;
	*len = memory.len;
	return memory.bytes;
}

void journal_open(const struct options *o)
{
	if (debug_wanted() && !rehearse_wanted() && !o->microvm)
		memory.bytes = map_region(MEMORY_MAX);
	if (path == NULL)
		return;
	if (o->microvm)
		fatal("--journal can't record real programs: not together with --microvm auto");
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0)
		fatal("can't write '%s': %s", path, strerror(errno));
}

int journal_session(struct runner *r)
{
	struct cowsh_journal journal = COWSH_JOURNAL_INIT;
	const struct cowsh_config *config = &r->options->config;

	if (file < 0 && memory.bytes == NULL)
		return cowsh_new(r->store, config, &r->host, &r->session);
	journal.write = write_record;
	return cowsh_new_journaled(r->store, config, &r->host, &journal, &r->session);
}

void journal_end(struct runner *r)
{
	int err;

	if (path == NULL)
		return;
	err = cowsh_journal_end(r->session);
	if (err < 0)
		fatal("%s: the journal is not complete: %s", path, cowsh_error_text(err));
}
