/* SPDX-License-Identifier: MIT
 *
 * What a run has changed, told at its end: --diff on standard error, --export into a file that
 * was opened before the lock.
 */
#include "cli/changes.h"
#include "cli/apply.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum { FORM_LIST = -1 };

static bool wants_list;
static int form = FORM_LIST; /* of --diff */
static const char *export_path;
static int export_fd = -1;
static const char *directory; /* --changes-in */

static void set_form(const char *name)
{
	if (strcmp(name, "list") == 0)
		form = FORM_LIST;
	else if (strcmp(name, "unified") == 0)
		form = COWSH_FORM_UNIFIED;
	else if (strcmp(name, "git") == 0)
		form = COWSH_FORM_GIT;
	else
		fatal("--diff wants `list`, `unified` or `git`, not '%s'", name);
	wants_list = true;
}

bool changes_option(int argc, char **argv, int *i)
{
	char *v;

	if (apply_option(argv[*i]))
		return true;
	if (strcmp(argv[*i], "--diff") == 0) {
		wants_list = true;
	} else if (strncmp(argv[*i], "--diff=", 7) == 0) {
		set_form(argv[*i] + 7);
	} else if ((v = option_value("--export", argc, argv, i)) != NULL) {
		export_path = v;
	} else if ((v = option_value("--changes-in", argc, argv, i)) != NULL) {
		if (v[0] != '/')
			fatal("--changes-in wants an absolute path, not '%s'", v);
		directory = v;
	} else {
		return false;
	}
	return true;
}

bool changes_wanted(void)
{
	return wants_list || export_path != NULL;
}

void changes_open(void)
{
	if (export_path == NULL)
		return;
	export_fd = strcmp(export_path, "-") == 0
			    ? 1
			    : open(export_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (export_fd < 0)
		fatal("can't write '%s': %s", export_path, strerror(errno));
}

static bool in_directory(const char *path)
{
	size_t len = directory != NULL ? strlen(directory) : 0;

	while (len > 0 && directory[len - 1] == '/')
		len--;
	return len == 0 ||
	       (strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0'));
}

static int print_change(void *user, const struct cowsh_change *change)
{
	(void)user;
	if (!in_directory(change->path))
		return 0;
	out_format("%c ", change->kind);
	out_name(change->path);
	out_char('\n');
	return 0;
}

static int to_fd(void *user, const char *data, size_t len)
{
	return write_all(*(const int *)user, data, len);
}

static int export_to(struct runner *r, const cowsh_snapshot *before, int as, int fd)
{
	struct cowsh_export what = { .size = sizeof what,
				     .form = as,
				     .since = before,
				     .path = directory,
				     .write = to_fd,
				     .user = &fd };

	return cowsh_export_changes(r->session, &what);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t len = strlen(name);
	size_t n = strlen(suffix);

	return len >= n && strcmp(name + len - n, suffix) == 0;
}

static int fail(const char *option, int err)
{
	out_to(2);
	out_format("cowsh: %s: %s\n", option, cowsh_error_text(err));
	out_flush();
	return 2;
}

int changes_tell(struct runner *r, const cowsh_snapshot *before)
{
	bool patch = export_path != NULL &&
		     (ends_in(export_path, ".patch") || ends_in(export_path, ".diff"));
	int err = 0;
	int status = 0;

	out_flush();
	out_to(2);
	if (wants_list && form == FORM_LIST && !r->options->json)
		err = cowsh_diff(r->session, before, print_change, NULL);
	else if (wants_list && form != FORM_LIST)
		err = export_to(r, before, form, 2);
	out_flush();
	if (err < 0)
		status = fail("--diff", err);
	if (export_path == NULL)
		return status;
	err = export_to(r, before, patch ? COWSH_FORM_GIT : COWSH_FORM_TAR, export_fd);
	return err < 0 ? fail("--export", err) : status;
}
