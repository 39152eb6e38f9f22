/* SPDX-License-Identifier: MIT
 *
 * --journal: everything that is needed to run the same again, into a file that was opened before
 * the lock. A record is written as soon as it is whole.
 */
#include "cli/cli.h"
#include "cowsh_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static const char *path;
static int file = -1;

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
	return write_all(file, data, len);
}

int journal_session(struct runner *r, const struct cowsh_host *host)
{
	struct cowsh_journal journal = COWSH_JOURNAL_INIT;

	if (path == NULL)
		return cowsh_new(r->store, &r->options->config, host, &r->session);
	if (r->options->microvm)
		fatal("--journal can't record real programs: not together with --microvm auto");
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0)
		fatal("can't write '%s': %s", path, strerror(errno));
	journal.write = write_record;
	return cowsh_new_journaled(r->store, &r->options->config, host, &journal, &r->session);
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
