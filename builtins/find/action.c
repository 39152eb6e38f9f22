/* SPDX-License-Identifier: MIT
 *
 * find's actions: printing, running programs, deleting.
 */
#include "builtins/find/find.h"

enum { BATCH_BYTES = 128 * 1024 };

/* --- outputs --- */

struct find_file {
	struct find_file *next;
	const char *path;
	uint64_t dev;
	uint64_t ino;
	struct output out;
};

/* One file under two names is one output; /dev/stdout is the command's own output. */
struct output *find_output(struct find *f, const char *path)
{
	struct find_file *file;
	struct vfs_stat st;
	int err;

	if (strcmp(path, "/dev/stdout") == 0)
		return &f->c->out;
	err = cmd_stat(f->c, path, &st);
	for (file = f->files; file != NULL; file = file->next)
		if (strcmp(file->path, path) == 0 ||
		    (err == 0 && file->ino == st.ino && file->dev == st.dev))
			return &file->out;
	file = arena_zalloc(f->c->arena, sizeof *file);
	file->path = path;
	err = output_open(&file->out, f->c, path, O_TRUNC_, false);
	if (err < 0)
		cmd_fatal(f->c, err, "%s", cmd_quote(f->c, path));
	if (cmd_stat(f->c, path, &st) == 0) {
		file->ino = st.ino;
		file->dev = st.dev;
	}
	file->next = f->files;
	f->files = file;
	return &file->out;
}

static struct output *out_of(struct find *f, const struct expr *x)
{
	return x->out != NULL ? x->out : &f->c->out;
}

static bool act_print(struct find *f, const struct expr *x, struct walk_entry *e)
{
	struct output *o = out_of(f, x);

	output_write(o, e->path, strlen(e->path));
	output_putc(o, '\n');
	return true;
}

static bool act_print0(struct find *f, const struct expr *x, struct walk_entry *e)
{
	output_write(out_of(f, x), e->path, strlen(e->path) + 1);
	return true;
}

static void stat_entry(struct find *f, struct walk_entry *e)
{
	if (!e->has_stat && cmd_stat_at(f->c, e->dir, e->at, CMD_NOFOLLOW, &e->st) == 0)
		e->has_stat = true;
}

static bool act_printf(struct find *f, const struct expr *x, struct walk_entry *e)
{
	stat_entry(f, e);
	find_put_format(f, out_of(f, x), x->format, e);
	return true;
}

static bool act_ls(struct find *f, const struct expr *x, struct walk_entry *e)
{
	stat_entry(f, e);
	find_put_ls(f, out_of(f, x), e);
	return true;
}

static void prepare_file(struct find *f, struct expr *x, char **argv, int *at)
{
	x->out = find_output(f, argv[*at]);
}

static void prepare_printf(struct find *f, struct expr *x, char **argv, int *at)
{
	x->format = find_format(f, argv[*at]);
}

static void prepare_fprintf(struct find *f, struct expr *x, char **argv, int *at)
{
	if (*at + 1 >= f->c->argc)
		cmd_fatal(f->c, 0, "missing argument to `%s'", x->name);
	x->out = find_output(f, argv[*at]);
	x->format = find_format(f, argv[*at + 1]);
	*at += 2;
}

/* --- programs --- */

struct find_exec {
	struct find_exec *next;
	const char *name;
	char **words; /* as given */
	int nwords;
	bool batch;  /* ended by + */
	bool in_dir; /* -execdir, -okdir */
	bool ask;
	char **argv; /* of a batch being gathered: words, then paths */
	size_t npaths;
	size_t cap;
	size_t bytes;
	char *dir; /* of the paths gathered, if in_dir */
};

static char *replace_braces(struct find *f, const char *word, const char *path)
{
	struct buf out = buf_in(f->c->arena);
	const char *hit;

	while ((hit = strstr(word, "{}")) != NULL) {
		buf_put(&out, word, (size_t)(hit - word));
		buf_puts(&out, path);
		word = hit + 2;
	}
	buf_puts(&out, word);
	return buf_cstr(&out);
}

/* Runs argv, in dir if that is not NULL; its exit status, or -1 if it could not be started. */
static int run_program(struct find *f, char **argv, const char *dir)
{
	struct cmd_program program = { .argv = argv };
	char *cwd = NULL;
	int status = 0;
	int pid;

	for (struct find_file *file = f->files; file != NULL; file = file->next)
		output_flush(&file->out);
	if (dir != NULL && (cmd_getcwd(f->c, &cwd) < 0 || cmd_chdir(f->c, dir) < 0)) {
		find_error(f, -E_NOENT, dir);
		return -1;
	}
	pid = cmd_spawn(f->c, &program);
	if (cwd != NULL)
		cmd_chdir(f->c, cwd);
	if (pid < 0) {
		find_error(f, pid, argv[0]);
		f->failed = false;
		return -1;
	}
	cmd_wait(f->c, pid, &status, false);
	if ((status & 0x7f) != 0)
		cmd_error(f->c, 0, "%s terminated by signal %d", cmd_quote(f->c, argv[0]),
			  status & 0x7f);
	return cmd_exit_status(status);
}

static char *directory_of(struct find *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct bytes dir = { ".", 1 };

	if (slash != NULL)
		dir = (struct bytes){ path, slash == path ? 1 : (size_t)(slash - path) };
	return arena_dup(f->c->arena, dir);
}

static char *name_in_directory(struct find *f, const struct walk_entry *e)
{
	const char *name = strrchr(e->path, '/');
	struct buf out = buf_in(f->c->arena);

	name = name != NULL && name[1] != '\0' ? name + 1 : e->path;
	if (strcmp(name, "/") != 0)
		buf_puts(&out, "./");
	buf_puts(&out, name);
	return buf_cstr(&out);
}

static void run_batch(struct find *f, struct find_exec *b)
{
	struct arena_mark mark = arena_mark(f->c->arena);

	if (b->npaths == 0)
		return;
	b->argv[(size_t)b->nwords + b->npaths] = NULL;
	if (run_program(f, b->argv, b->dir) != 0)
		f->failed = true;
	arena_release(f->c->arena, mark);
	for (size_t i = 0; i < b->npaths; i++) {
		char *path = b->argv[(size_t)b->nwords + i];

		pool_free(f->c->pool, path, strlen(path) + 1);
	}
	b->npaths = 0;
	b->bytes = 0;
}

static void add_to_batch(struct find *f, struct find_exec *b, const char *path)
{
	size_t len = strlen(path) + 1;

	if (b->bytes + len + 8 > BATCH_BYTES)
		run_batch(f, b);
	if ((size_t)b->nwords + b->npaths + 2 > b->cap) {
		size_t cap = b->cap == 0 ? 64 : b->cap * 2;

		cap = cap < (size_t)b->nwords + 2 ? (size_t)b->nwords + 64 : cap;
		b->argv = pool_resize(f->c->pool, b->argv, b->cap * sizeof *b->argv,
				      cap * sizeof *b->argv);
		b->cap = cap;
		memcpy(b->argv, b->words, (size_t)b->nwords * sizeof *b->argv);
	}
	b->argv[(size_t)b->nwords + b->npaths++] = pool_dup(f->c->pool,
							    (struct bytes){ path, len - 1 });
	b->bytes += len + 8;
}

static bool gather(struct find *f, struct find_exec *b, struct walk_entry *e)
{
	if (!b->in_dir) {
		add_to_batch(f, b, e->path);
		return true;
	}
	char *dir = directory_of(f, e->path);

	if (b->dir != NULL && strcmp(b->dir, dir) != 0)
		run_batch(f, b);
	b->dir = dir;
	add_to_batch(f, b, name_in_directory(f, e));
	return true;
}

/* "< ls ... x > ? ": y or Y at the beginning of the answer means yes. */
static bool confirmed(struct find *f, const struct find_exec *x, const char *path)
{
	struct buf ask = buf_in(f->c->arena);
	char answer = 'n';
	char byte;

	cmd_flush(f->c);
	buf_printf(&ask, "< %s ... %s > ? ", x->words[0], path);
	cmd_err_write(f->c, ask.ptr, ask.len);
	for (bool first = true; cmd_read(f->c, 0, &byte, 1) == 1 && byte != '\n'; first = false)
		if (first)
			answer = byte;
	return answer == 'y' || answer == 'Y';
}

static bool act_exec(struct find *f, const struct expr *x, struct walk_entry *e)
{
	struct find_exec *run = x->exec;
	struct arena_mark mark = arena_mark(f->c->arena);
	const char *path = run->in_dir && !run->batch ? name_in_directory(f, e) : e->path;
	char **argv;
	int status;

	if (run->batch)
		return gather(f, run, e);
	if (run->ask && !confirmed(f, run, path)) {
		arena_release(f->c->arena, mark);
		return false;
	}
	argv = arena_array(f->c->arena, (size_t)run->nwords + 1, sizeof *argv);
	for (int i = 0; i < run->nwords; i++)
		argv[i] = replace_braces(f, run->words[i], path);
	status = run_program(f, argv, run->in_dir ? directory_of(f, e->path) : NULL);
	arena_release(f->c->arena, mark);
	return status == 0;
}

/* The words up to ";" or "{} +". */
static void prepare_exec(struct find *f, struct expr *x, char **argv, int *at)
{
	struct find_exec *run = arena_zalloc(f->c->arena, sizeof *run);
	int braces = 0;
	int i = *at;

	run->name = x->name;
	run->ask = x->name[1] == 'o';
	f->asks |= run->ask;
	run->in_dir = strstr(x->name, "dir") != NULL;
	for (; i < f->c->argc && strcmp(argv[i], ";") != 0; i++) {
		bool plus = strcmp(argv[i], "+") == 0 && i > *at && !run->ask;

		if (plus && strcmp(argv[i - 1], "{}") == 0) {
			run->batch = true;
			break;
		}
		if (plus && i + 1 == f->c->argc && strstr(argv[i - 1], "{}") != NULL)
			cmd_fatal(f->c, 0,
				  "In %s the %s must appear by itself, but you specified %s",
				  cmd_quote(f->c, x->name[5] == 'd' ? "-execdir ... {} +"
								    : "-exec ... {} +"),
				  cmd_quote(f->c, "{}"), cmd_quote(f->c, argv[i - 1]));
		braces += strstr(argv[i], "{}") != NULL;
	}
	if (i >= f->c->argc || i == *at)
		cmd_fatal(f->c, 0, "missing argument to `%s'", x->name);
	if (run->batch && braces > 1)
		cmd_fatal(f->c, 0, "Only one instance of {} is supported with %s ... +", x->name);
	run->words = argv + *at;
	run->nwords = i - *at - run->batch;
	if (run->batch) {
		run->next = f->batches;
		f->batches = run;
	}
	x->exec = run;
	*at = i + 1;
}

/* --- others --- */

static bool act_delete(struct find *f, const struct expr *x, struct walk_entry *e)
{
	bool dir = (e->st.mode & S_FMT) == S_DIR;
	int err;

	(void)x;
	if (strcmp(e->path, ".") == 0)
		return true;
	err = cmd_unlink(f->c, e->dir, e->at, dir ? CMD_REMOVEDIR : 0);
	if (err == 0)
		return true;
	cmd_error(f->c, err, "cannot delete %s", cmd_quote(f->c, e->path));
	f->failed = true;
	return false;
}

static void prepare_delete(struct find *f, struct expr *x, char **argv, int *at)
{
	(void)x, (void)argv, (void)at;
	f->deletes = true;
}

static bool act_prune(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)x, (void)e;
	f->skip = true;
	return true;
}

static void prepare_prune(struct find *f, struct expr *x, char **argv, int *at)
{
	(void)x, (void)argv, (void)at;
	f->prune = true;
}

static bool act_quit(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)x, (void)e;
	f->quit = true;
	return true;
}

void find_finish(struct find *f)
{
	for (struct find_exec *b = f->batches; b != NULL; b = b->next)
		run_batch(f, b);
	for (struct find_file *file = f->files; file != NULL; file = file->next)
		output_close(&file->out);
}

static const struct predicate actions[] = {
	{ "-delete", 0, act_delete, prepare_delete, true },
	{ "-exec", -1, act_exec, prepare_exec, true },
	{ "-execdir", -1, act_exec, prepare_exec, true },
	{ "-fls", 1, act_ls, prepare_file, true },
	{ "-fprint", 1, act_print, prepare_file, true },
	{ "-fprint0", 1, act_print0, prepare_file, true },
	{ "-fprintf", -1, act_printf, prepare_fprintf, true },
	{ "-ls", 0, act_ls, NULL, true },
	{ "-ok", -1, act_exec, prepare_exec, true },
	{ "-okdir", -1, act_exec, prepare_exec, true },
	{ "-print", 0, act_print, NULL, true },
	{ "-print0", 0, act_print0, NULL, true },
	{ "-printf", 1, act_printf, prepare_printf, true },
	{ "-prune", 0, act_prune, prepare_prune, false },
	{ "-quit", 0, act_quit, NULL, false },
};

const struct predicate *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}
