/* SPDX-License-Identifier: MIT
 *
 * Programs that show files: textconv makes a text of each side, an external program shows both.
 * A side is a file of the work tree, where that has the content; else a temporary file.
 */
#include "builtins/git/userdiff.h"

/* --- files --- */

struct temporary {
	const char *path;
	char *dir; /* to be removed; NULL: it is a file of the work tree */
};

static char *make_dir(struct git *g)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *top = cmd_getenv(g->c, "TMPDIR");

	for (int tries = 0; tries < 100; tries++) {
		struct buf b = buf_in(g->a);

		buf_printf(&b, "%s/git-blob-", top != NULL && top[0] != '\0' ? top : "/tmp");
		for (int i = 0; i < 6; i++)
			buf_putc(&b, letters[cmd_random(g->c) % (sizeof(letters) - 1)]);
		int err = cmd_mkdir(g->c, CMD_CWD, buf_cstr(&b), 0700);

		if (err == 0)
			return buf_cstr(&b);
		if (err != -E_EXIST)
			git_die_errno(g, err, "unable to create temp-file");
	}
	git_die(g, "unable to create temp-file");
}

/* Whether the file of the work tree is the blob as it is. */
static bool in_work(struct git *g, const char *path, const struct oid *o)
{
	struct entry *e;

	if (g->work == NULL || g->index == NULL)
		return false;
	e = index_find(g->index, path);
	return e != NULL && oid_eq(&e->oid, o) && !work_behind_link(g, path) &&
	       index_check(g, g->index, e, NULL) == ENTRY_SAME;
}

static void make_file(struct git *g, const char *path, uint32_t mode, const struct oid *o,
		      struct bytes data, struct temporary *out)
{
	*out = (struct temporary){ .path = path };
	if (o == NULL ? (mode & S_FMT) == S_REG : (mode & S_FMT) == S_REG && in_work(g, path, o))
		return;
	out->dir = make_dir(g);
	out->path = path_join(g->a, out->dir, path_base(path));
	if ((mode & S_FMT) == S_REG)
		data = convert_out(g, g->a, path, data);
	int err = file_write(g, out->path, data, 0600);

	if (err < 0)
		git_die_errno(g, err, "unable to write temp-file");
}

static void remove_file(struct git *g, const struct temporary *t)
{
	if (t->dir != NULL)
		file_remove_tree(g, t->dir);
}

/* --- textconv --- */

bool diff_has_textconv(struct git *g, const struct diff_opts *o, const struct diff_file *f)
{
	return o->textconv && (f->mode & S_FMT) == S_REG &&
	       userdiff_of(g, f->path)->textconv != NULL;
}

bool userdiff_textconv(struct git *g, struct arena *a, const char *path, uint32_t mode,
		       const struct oid *o, struct bytes data, struct bytes *out)
{
	const char *program = (mode & S_FMT) == S_REG ? userdiff_of(g, path)->textconv : NULL;
	struct temporary t;
	int status;

	if (program == NULL)
		return false;
	make_file(g, path, mode, o, data, &t);
	char *args[] = { arena_dup(g->a, bytes_of(t.path)), NULL };

	status = git_capture(g, a, git_shell_argv(g, program, args), -1, out);
	remove_file(g, &t);
	if (status == 0)
		return true;
	if (status < 0)
		git_error(g, "cannot run %s: %s", program, err_text(status));
	git_die(g, "unable to read files to diff");
}

struct diff_file *diff_textconv(struct git *g, struct diff_file *f)
{
	struct diff_file *copy = arena_zalloc(g->a, sizeof(*copy));

	diff_load(g, f);
	*copy = *f;
	copy->binary = 0;
	userdiff_textconv(g, g->a, f->path, f->mode, f->from_work ? NULL : &f->oid, f->data,
			  &copy->data);
	return copy;
}

/* --- external programs --- */

const char *diff_external_of(struct git *g, const struct diff_opts *o, const struct diff_pair *p)
{
	const char *program;

	if (!o->external)
		return NULL;
	program = userdiff_command(g, p->one->path);
	if (program == NULL)
		program = cmd_getenv(g->c, "GIT_EXTERNAL_DIFF");
	return program != NULL ? program : config_get(g, "diff.external");
}

/* Name, object and mode of a side, as the program is told. */
static size_t put_side(struct git *g, struct diff_file *f, char **argv, struct temporary *t)
{
	*t = (struct temporary){ .path = "/dev/null" };
	if (f->mode == 0) {
		argv[0] = arena_dup(g->a, bytes_of(t->path));
		argv[1] = argv[2] = arena_dup(g->a, BYTES("."));
		return 3;
	}
	diff_load(g, f);
	make_file(g, f->path, f->mode, f->from_work ? NULL : &f->oid, f->data, t);
	argv[0] = arena_dup(g->a, bytes_of(t->path));
	argv[1] = arena_dup(g->a, bytes_of(oid_hex(g, f->from_work ? &oid_null : &f->oid)));
	argv[2] = git_format(g->a, "%06o", f->mode);
	return 3;
}

static int run(struct git *g, const char *program, char *const *args, size_t number, size_t total)
{
	char *const *argv = git_shell_argv(g, program, args);
	struct cmd_program prog = { .argv = argv };
	struct env e;
	int pid, status = 0;

	env_init(&e, g->c, false);
	env_put(&e, git_format(g->a, "GIT_DIFF_PATH_COUNTER=%zu", number));
	env_put(&e, git_format(g->a, "GIT_DIFF_PATH_TOTAL=%zu", total));
	env_put(&e, git_format(g->a, "GIT_PREFIX=%s", g->prefix));
	prog.envp = e.list;
	cmd_flush(g->c);
	pid = cmd_spawn(g->c, &prog);
	if (pid < 0) {
		git_error(g, "cannot run %s: %s", program, err_text(pid));
		return 1;
	}
	cmd_wait(g->c, pid, &status, false);
	return cmd_exit_status(status);
}

void diff_run_external(struct git *g, const char *program, struct diff_pair *p, size_t number,
		       size_t total, const char *header)
{
	struct temporary t[2] = { { NULL, NULL }, { NULL, NULL } };
	const char *name = p->one->path;
	char *args[10];
	size_t n = 0;
	int status;

	args[n++] = arena_dup(g->a, bytes_of(name));
	if (p->status != 'U') {
		n += put_side(g, p->one, args + n, &t[0]);
		n += put_side(g, p->two, args + n, &t[1]);
		if (strcmp(name, p->two->path) != 0) {
			args[n++] = arena_dup(g->a, bytes_of(p->two->path));
			args[n++] = arena_dup(g->a, bytes_of(header));
		}
	}
	args[n] = NULL;
	status = run(g, program, args, number, total);
	for (int k = 0; k < 2; k++)
		remove_file(g, &t[k]);
	if (status != 0)
		git_die(g, "external diff died, stopping at %s", name);
}
