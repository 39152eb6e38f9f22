/* SPDX-License-Identifier: MIT
 *
 * parallel: jobs.
 *
 * A job writes into two files without names, which are copied out when it has ended (-k: when
 * all before it have), so that outputs do not mix. With -u it writes where parallel does; with
 * --lb whole lines are copied while it runs.
 */
#include "builtins/parallel/parallel.h"

#include "base/number.h"
#include "builtins/temp.h"

enum {
	SIG_TERM = 15,
	SIG_KILL = 9,
	SIG_ALRM = 14,
	HELD_MAX = 100, /* ended jobs that wait for their turn to be written */
	COPY_BLOCK = 16384,
	LOOK_NS = 20000000, /* --lb: how often running jobs are looked at */
	NS = 1000000000,
};

struct job {
	struct job *next;
	struct bytes command; /* in the pool */
	struct bytes tag;
	char *dir;         /* --results; NULL: none */
	char *file;        /* --cat: it is removed; NULL: none */
	struct bytes *arg; /* --results as a table: the values */
	size_t narg;
	uint64_t seq;
	uint64_t slot;
	uint64_t tries;
	int pid;
	int input;         /* --pipe: a file that holds its standard input, or -1 */
	int feeder;        /* the process that writes it into a pipe */
	int fd[2];         /* its output and errors, or -1 */
	uint64_t shown[2]; /* bytes already copied */
	uint64_t sent;
	int64_t start_ns;
	int64_t end_ns;
	bool timed_out;
	bool ended;
	int status; /* as wait has it */
};

struct runner {
	struct cmd *c;
	struct parallel_opts *o;
	struct job *first; /* running, or ended and held back, by number */
	uint64_t running;
	uint64_t held;
	uint64_t next_out;  /* -k: the job whose turn it is */
	uint64_t next_slot; /* given by runner_slot */
	uint64_t failed;
	uint64_t halts; /* jobs that count for --halt */
	uint64_t total;
	bool stopped;
	int halt_status;
	struct output log;
	bool logs;
	enum results_kind results;
	struct output table; /* --results as one */
	bool table_begun;
	struct buf done; /* --resume: a byte for each number */
	int64_t last_start_ns;
};

/* --- messages --- */

/* A line of a message that is no error of parallel's own. */
static void tell(struct cmd *c, const char *text, struct bytes command)
{
	struct buf line = buf_in(c->arena);

	cmd_flush(c);
	buf_printf(&line, "parallel: %s\n", text);
	buf_add(&line, command);
	buf_putc(&line, '\n');
	cmd_err_write(c, line.ptr, line.len);
}

static void tell_timeout(struct cmd *c, struct bytes command)
{
	struct buf text = buf_in(c->arena);

	buf_puts(&text, "parallel: Warning: This job was killed because it timed out:\n"
			"parallel: Warning: ");
	buf_add(&text, command);
	buf_putc(&text, '\n');
	cmd_flush(c);
	cmd_err_write(c, text.ptr, text.len);
}

/* --- the log, and what an earlier one says --- */

static void note_done(struct runner *r, uint64_t seq)
{
	if (seq > 10000000)
		return;
	if (seq >= r->done.len)
		buf_fill(&r->done, 0, heap_size(seq + 1 - r->done.len));
	r->done.ptr[seq] = 1;
}

/* Fields of a line: Seq Host Starttime JobRuntime Send Receive Exitval Signal Command */
static void read_log_line(struct runner *r, struct bytes line)
{
	struct bytes field[8];
	uint64_t seq;
	size_t at = 0;

	for (size_t i = 0; i < 8; i++) {
		const char *tab = memchr(line.ptr + at, '\t', line.len - at);

		if (tab == NULL)
			return;
		field[i] = bytes_slice(line, at, (size_t)(tab - line.ptr));
		at = (size_t)(tab - line.ptr) + 1;
	}
	bool good = bytes_is(field[6], "0") && bytes_is(field[7], "0");

	if (number_parse_u64(field[0], 10, &seq, NULL) > 0 && (good || r->o->resume == RESUME_ALL))
		note_done(r, seq);
}

static void read_log(struct runner *r)
{
	struct input in;
	struct bytes line;

	if (input_open(&in, r->c, r->o->joblog) < 0)
		return;
	while (input_line(&in, '\n', &line) > 0) {
		cmd_charge_bytes(r->c, line.len);
		read_log_line(r, line);
	}
	input_close(&in);
}

static void open_log(struct runner *r)
{
	static const char head[] =
		"Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\t"
		"Command\n";
	const char *path = r->o->joblog;
	struct vfs_stat st;
	bool append = r->o->resume != RESUME_NONE;

	if (strcmp(path, "-") == 0) {
		output_init(&r->log, r->c, 1, false);
	} else if (output_open(&r->log, r->c, path, append ? O_APPEND_ : O_TRUNC_, false) < 0) {
		cmd_fatal_status(r->c, ERROR_STATUS, 0, "Error: Cannot write to --joblog %s.",
				 path);
	}
	r->logs = true;
	if (!append || cmd_fstat(r->c, r->log.fd, &st) < 0 || st.size == 0)
		output_write(&r->log, head, sizeof head - 1);
	output_flush(&r->log);
}

static void put_seconds(struct buf *out, int64_t ns, int width)
{
	struct buf text = buf_in(out->arena);

	ns = ns < 0 ? 0 : ns;
	buf_printf(&text, "%lld.%03lld", (long long)(ns / NS), (long long)(ns % NS / 1000000));
	buf_printf(out, "%*s", width, buf_cstr(&text));
}

static uint64_t size_of(struct cmd *c, int fd)
{
	struct vfs_stat st;

	return fd >= 0 && cmd_fstat(c, fd, &st) == 0 ? st.size : 0;
}

static void write_log(struct runner *r, const struct job *j)
{
	struct arena_mark mark = arena_mark(r->c->arena);
	struct buf line = buf_in(r->c->arena);
	int sig = j->status & 0x7f;
	int code = j->timed_out ? -1 : sig != 0 ? 0 : j->status >> 8 & 0xff;

	if (!r->logs)
		return;
	buf_printf(&line, "%llu\t:\t", (unsigned long long)j->seq);
	put_seconds(&line, j->start_ns, 10);
	buf_putc(&line, '\t');
	put_seconds(&line, j->end_ns - j->start_ns, 10);
	buf_printf(&line, "\t%llu\t%llu\t%d\t%d\t", (unsigned long long)j->sent,
		   (unsigned long long)size_of(r->c, j->fd[0]), code, sig);
	buf_add(&line, j->command);
	buf_putc(&line, '\n');
	cmd_flush(r->c);
	output_write(&r->log, line.ptr, line.len);
	output_flush(&r->log);
	arena_release(r->c->arena, mark);
}

/* --- output --- */

static void put(struct runner *r, int which, struct bytes s)
{
	if (which == 0)
		cmd_bytes(r->c, s);
	else
		cmd_err_write(r->c, s.ptr, s.len);
}

/* Text of a job, each line behind its tag. at_start: a line begins here. */
static void put_tagged(struct runner *r, const struct job *j, int which, struct bytes s,
		       bool at_start)
{
	bool tags = r->o->tag || r->o->tagstring != NULL;

	while (tags && s.len > 0) {
		const char *end = memchr(s.ptr, '\n', s.len);
		size_t n = end != NULL ? (size_t)(end - s.ptr) + 1 : s.len;

		if (at_start) {
			put(r, which, j->tag);
			put(r, which, BYTES("\t"));
		}
		put(r, which, bytes_slice(s, 0, n));
		at_start = end != NULL;
		s = bytes_slice(s, n, s.len);
		cmd_charge(r->c, 1);
	}
	put(r, which, s);
}

/* How much of a block may be copied: whole lines, or all of it. */
static size_t whole_lines(struct bytes s, bool all)
{
	size_t n = s.len;

	while (!all && n > 0 && s.ptr[n - 1] != '\n')
		n--;
	return n;
}

/* Copies what a job has written since the last time. all: also a line that is not complete. */
static void copy_output(struct runner *r, struct job *j, int which, bool all)
{
	char block[COPY_BLOCK];
	bool at_start = true;
	int64_t got;

	if (which == 1)
		cmd_flush(r->c);
	while (j->fd[which] >= 0 &&
	       (got = cmd_pread(r->c, j->fd[which], block, sizeof block, j->shown[which])) > 0) {
		struct bytes s = { block, (size_t)got };

		/* A line longer than the block goes out in parts. */
		s.len = whole_lines(s, all || s.len == sizeof block);
		if (s.len == 0)
			break;
		put_tagged(r, j, which, s, at_start);
		at_start = s.ptr[s.len - 1] == '\n';
		j->shown[which] += s.len;
		cmd_charge_bytes(r->c, s.len);
	}
	cmd_flush(r->c);
}

static void save_file(struct runner *r, const struct job *j, const char *name, int fd)
{
	struct buf path = buf_in(r->c->arena);
	char block[COPY_BLOCK];
	struct output out;
	uint64_t pos = 0;
	int64_t got;

	buf_printf(&path, "%s%s", j->dir, name);
	int err = output_open(&out, r->c, buf_cstr(&path), O_TRUNC_, false);

	if (err < 0)
		cmd_fatal_status(r->c, ERROR_STATUS, 0, "Error: Cannot write to '%s'.",
				 buf_cstr(&path));
	while (fd >= 0 && (got = cmd_pread(r->c, fd, block, sizeof block, pos)) > 0) {
		output_write(&out, block, (size_t)got);
		pos += (uint64_t)got;
		cmd_charge_bytes(r->c, (size_t)got);
	}
	if (fd < 0) {
		struct buf seq = buf_in(r->c->arena);

		buf_put_u64(&seq, j->seq);
		output_write(&out, seq.ptr, seq.len);
	}
	output_close(&out);
}

static void save_results(struct runner *r, const struct job *j)
{
	struct arena_mark mark = arena_mark(r->c->arena);

	for (size_t i = 0; j->dir[i] != '\0'; i++) {
		if (i == 0 || j->dir[i] != '/')
			continue;
		j->dir[i] = '\0';
		cmd_mkdir(r->c, CMD_CWD, j->dir, 0777);
		j->dir[i] = '/';
	}
	save_file(r, j, "stdout", j->fd[0]);
	save_file(r, j, "stderr", j->fd[1]);
	save_file(r, j, "seq", -1);
	arena_release(r->c->arena, mark);
}

static void put_command(struct runner *r, const struct job *j)
{
	struct buf line = buf_in(r->c->arena);

	buf_add(&line, j->command);
	buf_putc(&line, '\n');
	put_tagged(r, j, 0, buf_bytes(&line), true);
}

static void free_job(struct runner *r, struct job *j)
{
	struct pool *pool = r->c->pool;

	for (int i = 0; i < 2; i++)
		if (j->fd[i] >= 0)
			cmd_close(r->c, j->fd[i]);
	if (j->input >= 0)
		cmd_close(r->c, j->input);
	if (j->dir != NULL)
		pool_free(pool, j->dir, strlen(j->dir) + 1);
	if (j->file != NULL) {
		cmd_unlink(r->c, CMD_CWD, j->file, 0);
		pool_free(pool, j->file, strlen(j->file) + 1);
	}
	for (size_t i = 0; i < j->narg; i++)
		pool_free(pool, (char *)(uintptr_t)j->arg[i].ptr, j->arg[i].len + 1);
	if (j->narg > 0)
		pool_free(pool, j->arg, j->narg * sizeof *j->arg);
	pool_free(pool, (char *)(uintptr_t)j->command.ptr, j->command.len + 1);
	pool_free(pool, (char *)(uintptr_t)j->tag.ptr, j->tag.len + 1);
	pool_free(pool, j, sizeof *j);
}

static void put_result(struct runner *r, const struct job *j)
{
	struct arena_mark mark = arena_mark(r->c->arena);
	struct buf out = buf_in(r->c->arena);
	struct result_row row = {
		.seq = j->seq,
		.start_ns = j->start_ns,
		.end_ns = j->end_ns,
		.sent = j->sent,
		.status = j->status,
		.command = j->command,
		.arg = j->arg,
		.n = j->narg,
		.out = results_read(r->c, r->c->arena, j->fd[0]),
		.err = results_read(r->c, r->c->arena, j->fd[1]),
	};

	if (!r->table_begun)
		results_head(&out, r->results, r->o->names, r->o->nnames, j->narg);
	r->table_begun = true;
	results_put(&out, r->results, &row);
	output_write(&r->table, out.ptr, out.len);
	output_flush(&r->table);
	arena_release(r->c->arena, mark);
}

/* --files: the output stays there. */
static void keep_output(struct runner *r, const struct job *j)
{
	struct buf path = buf_in(r->c->arena);
	int fd = temp_open_named(r->c, r->o->tmpdir, "par", ".par", &path);

	temp_copy(r->c, j->fd[0], fd);
	cmd_close(r->c, fd);
	buf_putc(&path, '\n');
	put_tagged(r, j, 0, buf_bytes(&path), true);
}

/* Writes an ended job and forgets it. */
static void show(struct runner *r, struct job *j)
{
	if (r->results != RESULTS_FILES) {
		put_result(r, j);
	} else if (j->dir != NULL) {
		save_results(r, j);
	} else if (r->o->keep_files) {
		keep_output(r, j);
	} else {
		if (r->o->verbose && r->o->grouping == GROUP_JOB)
			put_command(r, j);
		copy_output(r, j, 0, true);
		copy_output(r, j, 1, true);
	}
}

static void unlink_job(struct runner *r, struct job *j)
{
	struct job **at = &r->first;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	free_job(r, j);
}

/* Writes what may be written now: with -k only those in front. */
static void show_ended(struct runner *r)
{
	struct job *next;

	for (struct job *j = r->first; j != NULL; j = next) {
		next = j->next;
		if (!j->ended) {
			if (r->o->keep_order)
				break;
			continue;
		}
		show(r, j);
		r->held--;
		unlink_job(r, j);
	}
}

/* --- halting --- */

static bool counts_for_halt(const struct runner *r, bool failed)
{
	return r->o->halt_why == HALT_DONE || (r->o->halt_why == HALT_FAIL) == failed;
}

static uint64_t percent(const struct runner *r, uint64_t n)
{
	return r->total > 0 ? n * 100 / r->total : 0;
}

static int halt_status(const struct runner *r, const struct job *j)
{
	if (r->o->halt_why == HALT_SUCCESS)
		return 0;
	if (r->o->halt_why == HALT_FAIL && r->o->halt_percent)
		return (int)percent(r, r->failed);
	if (r->o->halt_why == HALT_FAIL && r->o->halt_count == 1)
		return cmd_exit_status(j->status);
	return r->failed > FAILED_MAX - 1 ? FAILED_MAX : (int)r->failed;
}

static void kill_all(struct runner *r, int sig)
{
	for (struct job *j = r->first; j != NULL; j = j->next)
		if (!j->ended)
			cmd_kill(r->c, -j->pid, sig);
}

static void check_halt(struct runner *r, const struct job *j, bool failed)
{
	static const char *const text[] = { "This job failed:", "This job succeeded:",
					    "This job finished:" };
	const struct parallel_opts *o = r->o;

	if (o->halt_when == HALT_NEVER || !counts_for_halt(r, failed))
		return;
	tell(r->c, text[o->halt_why], j->command);
	r->halts++;
	if (o->halt_percent ? percent(r, r->halts) < o->halt_count : r->halts < o->halt_count)
		return;
	if (!r->stopped)
		r->halt_status = halt_status(r, j);
	r->stopped = true;
	if (o->halt_when == HALT_NOW) {
		kill_all(r, SIG_TERM);
		cmd_exit(r->c, r->halt_status);
	}
	if (r->running > 0) {
		struct buf line = buf_in(r->c->arena);

		buf_printf(&line,
			   "parallel: Starting no more jobs. Waiting for %llu jobs to finish.\n",
			   (unsigned long long)r->running);
		cmd_err_write(r->c, line.ptr, line.len);
	}
}

/* --- starting and waiting --- */

static const char *shell_path(struct cmd *c)
{
	const char *wanted = cmd_getenv(c, "PARALLEL_SHELL");

	return wanted != NULL && *wanted != '\0' ? wanted : "/usr/bin/bash";
}

static char *const *job_env(struct cmd *c, const struct job *j)
{
	struct env env;
	struct buf text = buf_in(c->arena);

	env_init(&env, c, false);
	buf_printf(&text, "PARALLEL_PID=%d", cmd_pid(c));
	env_put(&env, buf_cstr(&text));
	text.len = 0;
	buf_printf(&text, "PARALLEL_SEQ=%llu", (unsigned long long)j->seq);
	env_put(&env, buf_cstr(&text));
	text.len = 0;
	buf_printf(&text, "PARALLEL_JOBSLOT=%llu", (unsigned long long)j->slot);
	env_put(&env, buf_cstr(&text));
	text.len = 0;
	buf_printf(&text, "PARALLEL_TMP=%s", j->file != NULL ? j->file : "");
	if (j->file != NULL)
		env_put(&env, buf_cstr(&text));
	return env.list;
}

static void enter(struct cmd *c, const char *dir)
{
	int err = cmd_chdir(c, dir);

	if (err < 0)
		cmd_fatal_status(c, ERROR_STATUS, err, "Error: Cannot change into %s", dir);
}

static void wait_one(struct runner *r);

/* A pipe in which a job's standard input comes, as it does from the real one. */
static int feed(struct runner *r, struct job *j)
{
	struct cmd *c = r->c;
	char *argv[] = { arena_dup(c->arena, BYTES("/usr/bin/cat")), NULL };
	struct cmd_program prog = { .argv = argv, .nfds = 3, .pgid = -1 };
	int ends[2];
	int err = cmd_pipe(c, ends);

	if (err < 0)
		cmd_fatal_status(c, ERROR_STATUS, err, "Error: pipe");
	const int fds[3] = { j->input, ends[1], 2 };

	prog.fds = fds;
	cmd_seek(c, j->input, 0, 0);
	while ((j->feeder = cmd_spawn(c, &prog)) == -E_AGAIN && r->running > 0)
		wait_one(r);
	cmd_close(c, ends[1]);
	if (j->feeder < 0)
		cmd_fatal_status(c, ERROR_STATUS, j->feeder, "Error: %s", argv[0]);
	return ends[0];
}

static void spawn(struct runner *r, struct job *j)
{
	struct cmd *c = r->c;
	struct arena_mark mark = arena_mark(c->arena);
	char *argv[] = { arena_dup(c->arena, bytes_of(shell_path(c))),
			 arena_dup(c->arena, BYTES("-c")), arena_dup(c->arena, j->command), NULL };
	struct cmd_program prog = { .argv = argv, .envp = job_env(c, j), .nfds = 3, .pgid = -1 };
	char *home = NULL;

	int in = j->input >= 0 ? feed(r, j)
			       : cmd_open(c, CMD_CWD, "/dev/null", O_RDONLY_ | O_CLOEXEC_, 0);
	int fds[3] = { in, j->fd[0] >= 0 ? j->fd[0] : 1, j->fd[1] >= 0 ? j->fd[1] : 2 };

	prog.fds = fds;
	if (r->o->wd != NULL && cmd_getcwd(c, &home) == 0)
		enter(c, r->o->wd);
	while ((j->pid = cmd_spawn(c, &prog)) == -E_AGAIN && r->running > 0)
		wait_one(r);
	if (home != NULL)
		enter(c, home);
	if (in >= 0)
		cmd_close(c, in);
	if (j->pid < 0)
		cmd_fatal_status(c, ERROR_STATUS, j->pid, "Error: %s", argv[0]);
	j->start_ns = cmd_now(c);
	r->running++;
	arena_release(c->arena, mark);
}

/* A job that failed begins again: what it wrote is dropped. */
static bool retry(struct runner *r, struct job *j)
{
	if (j->status == 0 || ++j->tries >= r->o->retries || r->stopped)
		return false;
	for (int i = 0; i < 2; i++) {
		if (j->fd[i] >= 0)
			cmd_truncate_fd(r->c, j->fd[i], 0);
		j->shown[i] = 0;
	}
	j->timed_out = false;
	spawn(r, j);
	return true;
}

static void job_ended(struct runner *r, struct job *j, int status)
{
	struct arena_mark mark = arena_mark(r->c->arena);

	r->running--;
	j->status = status;
	j->end_ns = cmd_now(r->c);
	if (j->timed_out)
		tell_timeout(r->c, j->command);
	if (retry(r, j))
		return;
	bool failed = status != 0;
	struct job copy = *j;

	copy.command = arena_bytes(r->c->arena, j->command);
	r->failed += failed;
	write_log(r, j);
	j->ended = true;
	r->held++;
	show_ended(r);
	check_halt(r, &copy, failed);
	arena_release(r->c->arena, mark);
}

static int64_t next_look(const struct runner *r)
{
	int64_t now = cmd_now(r->c);
	int64_t ns = r->o->grouping == GROUP_LINE ? LOOK_NS : INT64_MAX;

	for (struct job *j = r->first; j != NULL && r->o->timeout_ns > 0; j = j->next) {
		int64_t left = j->start_ns + r->o->timeout_ns - now;

		if (!j->ended && !j->timed_out && left < ns)
			ns = left > 1 ? left : 1;
	}
	return ns;
}

static void look(struct runner *r)
{
	int64_t now = cmd_now(r->c);

	for (struct job *j = r->first; j != NULL; j = j->next) {
		bool late = r->o->timeout_ns > 0 && now - j->start_ns >= r->o->timeout_ns;

		if (!j->ended && late && !j->timed_out) {
			j->timed_out = true;
			cmd_kill(r->c, -j->pid, SIG_TERM);
		}
		if (r->o->grouping == GROUP_LINE && j->dir == NULL && !r->o->keep_files &&
		    r->results == RESULTS_FILES) {
			copy_output(r, j, 0, false);
			copy_output(r, j, 1, false);
		}
		if (r->o->keep_order)
			break;
	}
}

/* Waits until a job has ended. */
static void wait_one(struct runner *r)
{
	struct cmd *c = r->c;
	uint64_t before = r->running;

	while (r->running >= before && r->running > 0) {
		int64_t ns = next_look(r);
		int status;

		cmd_alarm(c, ns != INT64_MAX ? ns : 0);
		int pid = cmd_wait(c, -1, &status, false);
		struct job *j = r->first;

		cmd_charge(c, 1);
		if (pid < 0) {
			cmd_next_signal(c);
			look(r);
			continue;
		}
		while (j != NULL && (j->pid != pid || j->ended))
			j = j->next;
		if (j != NULL)
			job_ended(r, j, status);
	}
	cmd_alarm(c, 0);
}

uint64_t runner_slot(struct runner *r)
{
	uint64_t slot = 1;
	bool taken = true;

	while (!r->stopped && (r->running >= r->o->slots || (r->held > HELD_MAX && r->running > 0)))
		wait_one(r);
	while (taken) {
		taken = false;
		for (const struct job *j = r->first; j != NULL && !taken; j = j->next)
			taken = !j->ended && j->slot == slot;
		slot += taken;
	}
	return slot;
}

/* DIR/1/VALUE/2/VALUE/ with what can't be in a name written as escapes. */
static char *results_dir(struct runner *r, const struct job_values *v)
{
	struct buf path = buf_in(r->c->arena);

	if (r->o->results == NULL || r->results != RESULTS_FILES)
		return NULL;
	buf_puts(&path, r->o->results);
	if (path.len == 0 || path.ptr[path.len - 1] != '/')
		buf_putc(&path, '/');
	for (size_t i = 0; i < v->n; i++) {
		buf_printf(&path, "%zu/", i + 1);
		for (size_t k = 0; k < v->arg[i].len; k++) {
			char ch = v->arg[i].ptr[k];

			if (ch == '/')
				buf_puts(&path, "\\_");
			else if (ch == '\\')
				buf_puts(&path, "\\\\");
			else if (ch == '\t')
				buf_puts(&path, "\\t");
			else
				buf_putc(&path, ch);
		}
		buf_putc(&path, '/');
	}
	return pool_dup(r->c->pool, buf_bytes(&path));
}

static struct job *new_job(struct runner *r, struct bytes command, struct bytes tag,
			   const struct job_values *v)
{
	struct pool *pool = r->c->pool;
	struct job *j = pool_zalloc(pool, sizeof *j);
	struct job **at = &r->first;

	*j = (struct job){ .seq = v->seq, .slot = v->slot, .input = -1, .fd = { -1, -1 } };
	j->command = (struct bytes){ pool_dup(pool, command), command.len };
	j->tag = (struct bytes){ pool_dup(pool, tag), tag.len };
	j->dir = results_dir(r, v);
	j->file = v->file != NULL ? pool_dup(pool, bytes_of(v->file)) : NULL;
	if (r->results != RESULTS_FILES && v->n > 0 && v->file == NULL) {
		j->narg = v->n;
		j->arg = pool_zalloc(pool, v->n * sizeof *j->arg);
		for (size_t i = 0; i < v->n; i++)
			j->arg[i] = (struct bytes){ pool_dup(pool, v->arg[i]), v->arg[i].len };
	}
	while (*at != NULL)
		at = &(*at)->next;
	*at = j;
	return j;
}

static void pause_between(struct runner *r)
{
	int64_t left = r->last_start_ns + r->o->delay_ns - cmd_now(r->c);

	if (r->o->delay_ns > 0 && r->last_start_ns != 0 && left > 0)
		cmd_sleep(r->c, left);
	r->last_start_ns = cmd_now(r->c);
}

void runner_start(struct runner *r, struct bytes command, struct bytes tag,
		  const struct job_values *values, int input)
{
	struct cmd *c = r->c;
	struct arena_mark mark = arena_mark(c->arena);

	pause_between(r);
	r->total = values->total;
	struct job *j = new_job(r, command, tag, values);

	if (r->o->dry_run) {
		put_command(r, j);
		unlink_job(r, j);
		arena_release(c->arena, mark);
		return;
	}
	if (r->o->trace) {
		struct buf line = buf_in(c->arena);

		buf_add(&line, command);
		buf_putc(&line, '\n');
		cmd_flush(c);
		cmd_err_write(c, line.ptr, line.len);
	}
	if (r->o->verbose && r->o->grouping != GROUP_JOB)
		put_command(r, j);
	if (r->o->grouping != GROUP_NONE || j->dir != NULL || r->o->keep_files ||
	    r->results != RESULTS_FILES) {
		j->fd[0] = temp_open(c, r->o->tmpdir);
		j->fd[1] = temp_open(c, r->o->tmpdir);
	}
	j->input = input;
	j->sent = input >= 0 ? size_of(c, input) : 0;
	spawn(r, j);
	arena_release(c->arena, mark);
}

bool runner_done_before(const struct runner *r, uint64_t seq)
{
	return seq < r->done.len && r->done.ptr[seq] != 0;
}

bool runner_stopped(const struct runner *r)
{
	return r->stopped;
}

int runner_finish(struct runner *r, uint64_t total)
{
	r->total = total;
	while (r->running > 0)
		wait_one(r);
	show_ended(r);
	if (r->stopped)
		return r->halt_status;
	return r->failed >= FAILED_MAX ? FAILED_MAX : (int)r->failed;
}

struct runner *runner_new(struct cmd *c, struct parallel_opts *o)
{
	struct runner *r = arena_zalloc(c->arena, sizeof *r);

	r->c = c;
	r->o = o;
	r->done = buf_in(c->arena);
	if (o->resume != RESUME_NONE)
		read_log(r);
	if (o->joblog != NULL)
		open_log(r);
	r->results = results_kind(o->results);
	if (r->results != RESULTS_FILES &&
	    output_open(&r->table, c, o->results, O_TRUNC_, false) < 0)
		cmd_fatal_status(c, ERROR_STATUS, 0, "Error: Cannot write to '%s'.", o->results);
	cmd_signal(c, SIG_ALRM, CMD_SIG_CATCH);
	return r;
}
