/* SPDX-License-Identifier: MIT
 *
 * What fast-import is asked to do: on the command line, and by the stream's "feature" and
 * "option", which must come first.
 */
#include "builtins/git/import.h"

enum { DEPTH_MOST = 8191, PACK_LEAST = 1 << 20, PACK_OLD = 8192 };

/* What is behind "name=". */
static const char *value_of(const char *text, const char *name)
{
	size_t n = strlen(name);

	return strncmp(text, name, n) == 0 && text[n] == '=' ? text + n + 1 : NULL;
}

static void set_dates(struct import *im, const char *format)
{
	static const char *const names[] = { "raw", "raw-permissive", "rfc2822", "now" };

	for (int i = 0; i < 4; i++)
		if (strcmp(format, names[i]) == 0) {
			im->dates = (enum import_dates)i;
			return;
		}
	import_die(im, "unknown --date-format argument %s", format);
}

static uint64_t whole_number(struct import *im, const char *name, const char *text)
{
	int64_t v;

	if (!git_number(text, &v) || v < 0)
		import_die(im, "--%s: argument must be a non-negative integer", name);
	return (uint64_t)v;
}

static bool set_pack_size(struct import *im, const char *text)
{
	int64_t v;

	if (!config_number(text, &v) || v < 0)
		return false;
	if (v < PACK_OLD) {
		git_warn(im->g, "max-pack-size is now in bytes, assuming --max-pack-size=%lldm",
			 (long long)v);
		v *= 1 << 20;
	} else if (v < PACK_LEAST) {
		git_warn(im->g, "minimum max-pack-size is 1 MiB");
		v = PACK_LEAST;
	}
	im->pack_max = (uint64_t)v;
	return true;
}

/* What both the command line and "option" have. */
static bool take_option(struct import *im, const char *text)
{
	const char *v;
	int64_t size;

	if ((v = value_of(text, "max-pack-size")) != NULL)
		return set_pack_size(im, v);
	/* Larger blobs would not be tried as deltas: none is here that is larger than that. */
	if ((v = value_of(text, "big-file-threshold")) != NULL)
		return config_number(v, &size);
	if ((v = value_of(text, "depth")) != NULL) {
		uint64_t depth = whole_number(im, "depth", v);

		if (depth > DEPTH_MOST)
			import_die(im, "--depth cannot exceed %d", DEPTH_MOST);
		im->depth_max = (int)depth;
	} else if ((v = value_of(text, "active-branches")) != NULL) {
		whole_number(im, "active-branches", v);
	} else if ((v = value_of(text, "export-pack-edges")) != NULL) {
		im->edges = path_join(im->g->keep, im->g->start, v);
		file_append(im->g, im->edges, BYTES(""));
	} else if (strcmp(text, "quiet") == 0) {
		im->quiet = true;
	} else if (strcmp(text, "stats") == 0) {
		im->quiet = false;
	} else if (strcmp(text, "allow-unsafe-features") != 0) {
		return false;
	}
	return true;
}

/* --- features --- */

static const char *marks_path(struct import *im, const char *path)
{
	struct git *g = im->g;

	if (!im->relative_marks || path[0] == '/')
		return arena_dup(g->keep, bytes_of(path));
	return git_format(g->keep, "%s/info/fast-import/%s", g->dir, path);
}

static void check_safe(struct import *im, const char *text, bool from_stream)
{
	if (from_stream && !im->unsafe)
		import_die(im, "feature '%s' forbidden in input without --allow-unsafe-features",
			   text);
}

static void add_marks(struct import *im, const char *path, const char *how, bool from_stream)
{
	static const char from[] = "<";

	if (from_stream && im->marks_in.n != 0)
		return;
	/* The command line's takes the place of the stream's. */
	if (!from_stream && im->marks_in.n == 1 && im->marks_in.at[0][0] == from[0])
		im->marks_in.n = 0;
	names_add(im->g, &im->marks_in,
		  git_format(im->g->keep, "%s%s%s", from_stream ? from : "", how,
			     marks_path(im, path)));
}

static bool marks_feature(struct import *im, const char *text, bool from_stream)
{
	const char *v;

	if ((v = value_of(text, "import-marks")) != NULL) {
		check_safe(im, text, from_stream);
		add_marks(im, v, "!", from_stream);
	} else if ((v = value_of(text, "import-marks-if-exists")) != NULL) {
		check_safe(im, text, from_stream);
		add_marks(im, v, "?", from_stream);
	} else if ((v = value_of(text, "export-marks")) != NULL) {
		check_safe(im, text, from_stream);
		im->marks_out = marks_path(im, v);
	} else {
		return false;
	}
	return true;
}

static bool take_rewrite(struct import *im, const char *text)
{
	const char *from = value_of(text, "rewrite-submodules-from");
	const char *to = value_of(text, "rewrite-submodules-to");

	if (from == NULL && to == NULL)
		return false;
	if (strchr(from != NULL ? from : to, ':') == NULL)
		import_die(im, "Expected format name:filename for submodule rewrite option");
	names_add(im->g, from != NULL ? &im->rewrite_from : &im->rewrite_to,
		  from != NULL ? from : to);
	return true;
}

static bool take_feature(struct import *im, const char *text, bool from_stream)
{
	static const char *const always[] = { "alias", "get-mark", "cat-blob", "notes", "ls" };
	const char *v;

	if (marks_feature(im, text, from_stream) || take_rewrite(im, text))
		return true;
	for (int i = 0; i < 5; i++)
		if (strcmp(text, always[i]) == 0)
			return true;
	if ((v = value_of(text, "date-format")) != NULL)
		set_dates(im, v);
	else if (strcmp(text, "relative-marks") == 0)
		im->relative_marks = true;
	else if (strcmp(text, "no-relative-marks") == 0)
		im->relative_marks = false;
	else if (strcmp(text, "done") == 0)
		im->need_done = true;
	else if (strcmp(text, "force") == 0)
		im->force = true;
	else
		return false;
	return true;
}

void import_feature(struct import *im, const char *text)
{
	if (im->seen_data)
		import_die(im, "Got feature command '%s' after data command", text);
	if (!take_feature(im, text, true))
		import_die(im, "This version of fast-import does not support feature %s.", text);
}

void import_option(struct import *im, const char *text)
{
	if (im->seen_data)
		import_die(im, "Got option command '%s' after data command", text);
	if (!take_option(im, text))
		import_die(im, "This version of fast-import does not support option: %s", text);
}

/* --- the command line --- */

static void read_all_marks(struct import *im)
{
	for (size_t i = 0; i < im->marks_in.n; i++) {
		const char *one = im->marks_in.at[i];

		if (one[0] == '<')
			one++;
		import_read_marks(im, one + 1, one[0] == '?');
	}
}

void import_usage(struct import *im)
{
	git_say(im->g, "usage: git fast-import [--date-format=<f>] [--max-pack-size=<n>] "
		       "[--big-file-threshold=<n>] [--depth=<n>] [--active-branches=<n>] "
		       "[--export-marks=<marks.file>]\n");
	git_exit(im->g, GIT_STATUS_USAGE);
}

void import_arguments(struct import *im)
{
	const struct args *args = im->args;
	int i = 0;

	for (; i < args->argc && args->argv[i][0] == '-'; i++) {
		const char *text = args->argv[i];
		const char *v;

		if (strcmp(text, "--") == 0)
			break;
		if (!git_starts(text, "--"))
			import_die(im, "unknown option %s", text);
		text += 2;
		if (take_option(im, text) || take_feature(im, text, false))
			continue;
		v = value_of(text, "cat-blob-fd");
		if (v == NULL)
			import_die(im, "unknown option --%s", text);
		im->reply_fd = (int)(whole_number(im, "cat-blob-fd", v) & INT32_MAX);
	}
	if (i != args->argc)
		import_usage(im);
	im->seen_data = true;
	read_all_marks(im);
	import_read_rewritten(im);
}
