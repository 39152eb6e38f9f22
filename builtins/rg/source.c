/* SPDX-License-Identifier: MIT
 *
 * Where rg's text comes from: the file itself, or a program that reads it: one that unpacks (-z)
 * or the one of --pre. Its messages are kept aside and shown if it fails.
 */
#include "builtins/rg/rg.h"
#include "builtins/temp.h"

enum { MESSAGE_MAX = 16384 };

static const char rule[] =
	"-------------------------------------------------------------------------------";

static const struct {
	const char *endings;
	const char *argv[5];
} unpackers[] = {
	{ ".gz .tgz", { "gzip", "-d", "-c" } },
	{ ".bz2 .tbz2", { "bzip2", "-d", "-c" } },
	{ ".xz .txz", { "xz", "-d", "-c" } },
	{ ".lz4", { "lz4", "-d", "-c" } },
	{ ".lzma", { "xz", "--format=lzma", "-d", "-c" } },
	{ ".br", { "brotli", "-d", "-c" } },
	{ ".zst .zstd", { "zstd", "-q", "-d", "-c" } },
	{ ".Z", { "uncompress", "-c" } },
};

static bool ends_with_one_of(struct bytes path, const char *endings)
{
	while (*endings != '\0') {
		size_t len = strcspn(endings, " ");

		if (path.len > len && memcmp(path.ptr + path.len - len, endings, len) == 0)
			return true;
		endings += len + (endings[len] == ' ');
	}
	return false;
}

/* The program that reads the file, without the path; false: none. */
static bool choose_program(struct rg *g, const char *path, char **argv)
{
	int n = 0;

	if (g->pre != NULL) {
		if (g->npre_globs > 0 && !rg_pre_wants(g, path))
			return false;
		argv[n++] = arena_dup(g->c->arena, bytes_of(g->pre));
	}
	for (size_t i = 0; g->unpack && n == 0 && i < sizeof unpackers / sizeof *unpackers; i++)
		if (ends_with_one_of(bytes_of(path), unpackers[i].endings))
			for (; unpackers[i].argv[n] != NULL; n++)
				argv[n] = arena_dup(g->c->arena, bytes_of(unpackers[i].argv[n]));
	if (n == 0)
		return false;
	argv[n++] = arena_dup(g->c->arena, bytes_of(path));
	argv[n] = NULL;
	return true;
}

/* Starts it with its messages going to a file of their own. 0 or -E_. */
static int start(struct rg *g, struct rg_source *s, char **argv, const char *path)
{
	struct cmd *c = g->c;
	int ends[2];
	int in = cmd_open(c, CMD_CWD, path, O_RDONLY_ | O_CLOEXEC_, 0);

	if (in < 0)
		return in;
	if (g->messages_fd == 0)
		g->messages_fd = temp_open(c, NULL);
	cmd_truncate_fd(c, g->messages_fd, 0);
	int err = cmd_pipe(c, ends);

	if (err >= 0) {
		const int fds[] = { in, ends[1], g->messages_fd };
		struct cmd_program prog = { .argv = argv, .fds = fds, .nfds = 3 };

		err = s->pid = cmd_spawn(c, &prog);
		cmd_close(c, ends[1]);
		if (err < 0)
			cmd_close(c, ends[0]);
		else
			input_init(&s->in, c, ends[0], path);
	}
	cmd_close(c, in);
	s->in.is_stdin = false;
	return err < 0 ? err : 0;
}

static void name_command(struct buf *out, char *const *argv)
{
	for (int i = 0; argv[i] != NULL; i++)
		buf_printf(out, "%s\"%s\"", i > 0 ? " " : "", argv[i]);
}

int rg_open(struct rg *g, struct rg_source *s, const char *path)
{
	char *argv[8];

	*s = (struct rg_source){ .path = path };
	if (!choose_program(g, path, argv))
		return input_open(&s->in, g->c, path);
	int err = start(g, s, argv, path);

	if (err >= 0) {
		s->command = buf_in(g->c->arena);
		name_command(&s->command, argv);
		return 0;
	}
	if (g->pre == NULL)
		return input_open(&s->in, g->c, path);
	struct buf text = buf_in(g->c->arena);

	name_command(&text, argv);
	g->error = true;
	if (!g->no_messages)
		rg_fail(g, "%s: preprocessor command could not start: '%s': %s (os error %d)", path,
			buf_cstr(&text), err_text(err), -err);
	return 1;
}

/* What the program said, between lines. */
static const char *messages(struct rg *g)
{
	struct buf out = buf_in(g->c->arena);
	char *text = arena_alloc(g->c->arena, MESSAGE_MAX);
	int64_t got = cmd_pread(g->c, g->messages_fd, text, MESSAGE_MAX, 0);
	struct bytes said = bytes_trim((struct bytes){ text, got > 0 ? (size_t)got : 0 });

	if (said.len == 0)
		return "<stderr is empty>";
	buf_printf(&out, "\n%s\n", rule);
	buf_add(&out, said);
	buf_printf(&out, "\n%s", rule);
	return buf_cstr(&out);
}

/* A program that was not read to its end may fail silently: the pipe was closed. */
bool rg_close(struct rg *g, struct rg_source *s, bool read_all)
{
	input_close(&s->in);
	if (s->pid <= 0)
		return true;
	int status = cmd_wait_end(g->c, s->pid);
	const char *said = status != 0 ? messages(g) : NULL;

	if (status == 0 || (!read_all && *said == '<'))
		return true;
	g->error = true;
	if (g->no_messages)
		return false;
	if (g->pre != NULL && read_all)
		rg_fail(g, "%s: preprocessor command failed: '%s': %s", s->path,
			buf_cstr(&s->command), said);
	else
		rg_fail(g, "%s: %s", s->path, said);
	return false;
}
