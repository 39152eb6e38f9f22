/* SPDX-License-Identifier: MIT
 *
 * Background jobs: the table, waiting, and what is said about them.
 */
#include "base/pack.h"
#include "interp/exec.h"
#include "interp/print.h"

int status_of_wait(int wait_status)
{
	if (is_stop(wait_status))
		return STATUS_SIGNAL + (wait_status >> 8 & 0xff);
	if ((wait_status & 0x7f) != 0)
		return STATUS_SIGNAL + (wait_status & 0x7f);
	return wait_status >> 8 & 0xff;
}

/* --- processes that ended --- */

enum { FINISHED_MAX = 1024 };

/* A ring of what `wait pid` may still ask for, and children of nobody. */
struct finished {
	int next;
	int pid[FINISHED_MAX];
	int status[FINISHED_MAX];
	int nexpected;
	int expected_cap;
	int *expected;
};

static struct finished *finished_of(struct shell *sh)
{
	if (sh->finished == NULL)
		sh->finished = pool_zalloc(sh->pool, sizeof(*sh->finished));
	return sh->finished;
}

void finished_add(struct shell *sh, int pid, int status)
{
	struct finished *f = finished_of(sh);

	child_ended(sh);
	f->pid[f->next] = pid;
	f->status[f->next] = status;
	f->next = (f->next + 1) % FINISHED_MAX;
}

bool finished_take(struct shell *sh, int pid, int *status)
{
	struct finished *f = sh->finished;

	for (int i = 0; f != NULL && i < FINISHED_MAX; i++) {
		if (f->pid[i] == pid) {
			*status = f->status[i];
			return true;
		}
	}
	return false;
}

void finished_forget(struct shell *sh)
{
	struct finished *f = sh->finished;

	if (f != NULL)
		memset(f->pid, 0, sizeof(f->pid));
}

/* Takes the statuses of ended children that nobody waits for. */
static void reap_expected(struct shell *sh)
{
	struct finished *f = sh->finished;
	int kept = 0;

	if (f == NULL)
		return;
	for (int i = 0; i < f->nexpected; i++) {
		int status = 0;
		int64_t got = sys_wait(sh->p, f->expected[i], &status, WNOHANG_);

		if (got == 0)
			f->expected[kept++] = f->expected[i];
		else if (got > 0)
			finished_add(sh, f->expected[i], status_of_wait(status));
	}
	f->nexpected = kept;
}

bool finished_expects(struct shell *sh, int pid)
{
	const struct finished *f = sh->finished;

	for (int i = 0; f != NULL && i < f->nexpected; i++) {
		if (f->expected[i] == pid)
			return true;
	}
	return false;
}

void finished_expect(struct shell *sh, int pid)
{
	struct finished *f = finished_of(sh);

	reap_expected(sh);
	if (f->nexpected == f->expected_cap) {
		int cap = f->expected_cap != 0 ? 2 * f->expected_cap : 16;

		f->expected = pool_resize(sh->pool, f->expected,
					  (size_t)f->expected_cap * sizeof(int),
					  (size_t)cap * sizeof(int));
		f->expected_cap = cap;
	}
	f->expected[f->nexpected++] = pid;
	reap_expected(sh);
}

/* --- the table --- */

enum { DONE_JOBS_MAX = 32 };

static int highest_number(struct shell *sh)
{
	int most = 0;

	for (struct job *j = sh->jobs; j != NULL; j = j->next)
		most = j->number > most ? j->number : most;
	return most;
}

static void free_job(struct shell *sh, struct job *j)
{
	pool_free(sh->pool, j->pids, (size_t)j->npids * sizeof(int));
	pool_free(sh->pool, j->statuses, (size_t)j->npids * sizeof(int));
	pool_free(sh->pool, j->text, strlen(j->text) + 1);
	if (j->stages != NULL)
		pool_free(sh->pool, j->stages, j->stages_len + 1);
	pool_free(sh->pool, j, sizeof(*j));
}

/* The job that %+ means once the current one is gone. */
static void choose_current(struct shell *sh)
{
	bool has_current = false;
	bool has_previous = false;

	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		has_current |= j->number == sh->current_job;
		has_previous |= j->number == sh->previous_job;
	}
	if (!has_current) {
		sh->current_job = has_previous ? sh->previous_job : 0;
		has_previous = false;
	}
	if (sh->current_job == 0 && sh->jobs != NULL)
		sh->current_job = sh->jobs->number;
	if (has_previous && sh->previous_job != sh->current_job)
		return;
	sh->previous_job = 0;
	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		if (j->number != sh->current_job) {
			sh->previous_job = j->number;
			return;
		}
	}
}

void job_remove(struct shell *sh, struct job *j)
{
	struct job **link = &sh->jobs;

	if (sh->jobs_foreign)
		return;
	while (*link != NULL && *link != j)
		link = &(*link)->next;
	if (*link == NULL)
		return;
	*link = j->next;
	for (int i = 0; i < j->npids; i++) {
		if (j->statuses[i] < 0)
			finished_expect(sh, j->pids[i]);
	}
	free_job(sh, j);
	choose_current(sh);
}

static void own_jobs(struct shell *sh)
{
	if (!sh->jobs_foreign)
		return;
	sh->jobs_foreign = false;
	sh->jobs = NULL;
	sh->current_job = sh->previous_job = 0;
}

/* Ended jobs that nobody asked about do not pile up. */
static void drop_done(struct shell *sh, int most)
{
	int done = 0;
	struct job *next;

	for (struct job *j = sh->jobs; j != NULL; j = next) {
		next = j->next;
		if (j->state == JOB_DONE && ++done > most)
			job_remove(sh, j);
	}
}

void job_drop_told(struct shell *sh)
{
	struct job *next;

	for (struct job *j = sh->jobs; j != NULL; j = next) {
		next = j->next;
		if (j->state == JOB_DONE && (j->told || j->notified) && !j->lost)
			job_remove(sh, j);
	}
}

struct job *job_add(struct shell *sh, const int *pids, int npids, int pgid, struct bytes text)
{
	struct job *j;

	own_jobs(sh);
	job_poll(sh);
	job_drop_told(sh);
	drop_done(sh, DONE_JOBS_MAX);
	j = pool_zalloc(sh->pool, sizeof(*j));
	j->number = highest_number(sh) + 1;
	j->pgid = pgid;
	j->npids = npids;
	j->pids = pool_alloc(sh->pool, (size_t)npids * sizeof(int));
	j->statuses = pool_alloc(sh->pool, (size_t)npids * sizeof(int));
	for (int i = 0; i < npids; i++) {
		j->pids[i] = pids[i];
		j->statuses[i] = -1;
	}
	j->text = pool_dup(sh->pool, text);
	j->controlled = opt_set(sh, SET_MONITOR);
	j->next = sh->jobs;
	sh->jobs = j;
	sh->previous_job = sh->current_job;
	sh->current_job = j->number;
	return j;
}

void job_set_stages(struct shell *sh, struct job *j, struct node *const *stages)
{
	struct buf text = buf_in(sh->arena);

	for (int i = 0; i < j->npids; i++) {
		print_command(&text, stages[i]);
		buf_putc(&text, '\0');
	}
	j->stages = pool_dup(sh->pool, buf_bytes(&text));
	j->stages_len = text.len;
}

struct job *job_of_pid(struct shell *sh, int pid)
{
	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		for (int i = 0; i < j->npids; i++) {
			if (j->pids[i] == pid)
				return j;
		}
	}
	return NULL;
}

static struct job *job_of_number(struct shell *sh, int64_t number)
{
	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		if (j->number == number)
			return j;
	}
	return NULL;
}

static struct job *job_of_text(struct shell *sh, const char *text)
{
	bool anywhere = *text == '?';
	struct bytes wanted = bytes_of(text + anywhere);

	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		struct bytes command = bytes_of(j->text);

		if (anywhere ? bytes_find(command, wanted) != NULL : bytes_starts(command, wanted))
			return j;
	}
	return NULL;
}

struct job *job_of_spec(struct shell *sh, const char *spec)
{
	int64_t number;

	if (*spec == '%')
		spec++;
	if (*spec == '\0' || strcmp(spec, "+") == 0 || strcmp(spec, "%") == 0)
		return job_of_number(sh, sh->current_job);
	if (strcmp(spec, "-") == 0)
		return job_of_number(sh,
				     sh->previous_job != 0 ? sh->previous_job : sh->current_job);
	if (arith_plain_number(bytes_of(spec), &number))
		return job_of_number(sh, number);
	return job_of_text(sh, spec);
}

/* --- copies --- */

static int *copy_numbers(struct shell *sh, const int *from, int n)
{
	int *copy = pool_alloc(sh->pool, (size_t)n * sizeof *copy);

	memcpy(copy, from, (size_t)n * sizeof *copy);
	return copy;
}

/* A process that stayed behind was killed, as far as this shell can know. */
static void lose(struct shell *sh, struct job *j, int i)
{
	j->statuses[i] = SIGKILL_;
	finished_add(sh, j->pids[i], status_of_wait(SIGKILL_));
	for (int k = 0; k < j->npids; k++)
		if (j->statuses[k] < 0)
			return;
	j->state = JOB_DONE;
	j->lost = j->notified = true;
}

static void copy_job(struct shell *sh, const struct job *from, struct job **link)
{
	struct job *j = pool_alloc(sh->pool, sizeof *j);

	*j = *from;
	j->next = NULL;
	j->pids = copy_numbers(sh, from->pids, j->npids);
	j->statuses = copy_numbers(sh, from->statuses, j->npids);
	j->text = pool_dup(sh->pool, bytes_of(from->text));
	if (from->stages != NULL)
		j->stages = pool_dup(sh->pool, (struct bytes){ from->stages, from->stages_len });
	for (int i = 0; i < j->npids; i++)
		if (j->statuses[i] < 0 && proc_find(sh->p->k, j->pids[i]) == NULL)
			lose(sh, j, i);
	*link = j;
}

void job_show(const struct shell *sh, struct shell *to)
{
	struct job **link = &to->jobs;

	to->jobs_foreign = true;
	if (to->overlay) {
		to->jobs = sh->jobs;
		return;
	}
	for (const struct job *j = sh->jobs; j != NULL; j = j->next) {
		copy_job(to, j, link);
		link = &(*link)->next;
	}
}

static void copy_finished(struct shell *sh, const struct finished *from)
{
	struct finished *f = finished_of(sh);

	*f = *from;
	f->nexpected = f->expected_cap = 0;
	f->expected = NULL;
	for (int i = 0; i < from->nexpected; i++)
		if (proc_find(sh->p->k, from->expected[i]) != NULL)
			finished_expect(sh, from->expected[i]);
		else
			finished_add(sh, from->expected[i], status_of_wait(SIGKILL_));
}

void job_copy_all(struct shell *sh, const struct shell *from)
{
	struct job **link = &sh->jobs;

	if (from->finished != NULL)
		copy_finished(sh, from->finished);
	if (from->jobs_foreign)
		return;
	for (const struct job *j = from->jobs; j != NULL; j = j->next) {
		copy_job(sh, j, link);
		link = &(*link)->next;
	}
	choose_current(sh);
}

/* --- saved sessions --- */

void job_pack_all(const struct shell *sh, struct buf *out)
{
	for (const struct job *j = sh->jobs_foreign ? NULL : sh->jobs; j != NULL; j = j->next) {
		pack_u64(out, 1);
		pack_u64(out, (uint64_t)j->number);
		pack_u64(out, (uint64_t)j->pgid);
		pack_u64(out, (uint64_t)j->state);
		pack_u64(out, (uint64_t)j->notified | (uint64_t)j->disowned << 1 |
				      (uint64_t)j->no_hup << 2 | (uint64_t)j->is_coproc << 3 |
				      (uint64_t)j->told << 4 | (uint64_t)j->controlled << 5 |
				      (uint64_t)j->stop_signal << 6);
		pack_text(out, j->text);
		pack_u64(out, 2 * (uint64_t)j->npids);
		for (int i = 0; i < j->npids; i++) {
			pack_u64(out, (uint64_t)j->pids[i]);
			pack_u64(out, (uint64_t)(uint32_t)j->statuses[i]);
		}
	}
	pack_u64(out, 0);
	pack_u64(out, (uint64_t)sh->current_job);
	pack_u64(out, (uint64_t)sh->previous_job);
}

static void unpack_job(struct shell *sh, struct unpack *in, struct job *j)
{
	struct bytes text;
	uint64_t flags;
	size_t n;

	j->number = (int)unpack_below(in, INT32_MAX);
	j->pgid = (int)unpack_below(in, INT32_MAX);
	j->state = (enum job_state)unpack_below(in, JOB_DONE);
	flags = unpack_below(in, 63 | SIG_COUNT << 6);
	j->notified = (flags & 1) != 0;
	j->disowned = (flags & 2) != 0;
	j->no_hup = (flags & 4) != 0;
	j->is_coproc = (flags & 8) != 0;
	j->told = (flags & 16) != 0;
	j->controlled = (flags & 32) != 0;
	j->stop_signal = (int)(flags >> 6);
	text = unpack_text(in);
	j->text = pool_dup(sh->pool, text.ptr != NULL ? text : BYTES(""));
	n = unpack_count(in) / 2;
	if (n == 0 || n > INT32_MAX / 2)
		in->bad = true;
	if (in->bad)
		return;
	j->npids = (int)n;
	j->pids = pool_zalloc(sh->pool, n * sizeof *j->pids);
	j->statuses = pool_zalloc(sh->pool, n * sizeof *j->statuses);
	for (size_t i = 0; i < n; i++) {
		j->pids[i] = (int)unpack_below(in, INT32_MAX);
		j->statuses[i] = (int)(uint32_t)unpack_below(in, UINT32_MAX);
	}
}

void job_unpack_all(struct shell *sh, struct unpack *in)
{
	struct job **link = &sh->jobs;

	while (unpack_below(in, 1) != 0) {
		struct job *j = pool_zalloc(sh->pool, sizeof *j);

		unpack_job(sh, in, j);
		if (in->bad)
			return;
		for (int i = 0; i < j->npids; i++)
			if (j->statuses[i] < 0 && proc_find(sh->p->k, j->pids[i]) == NULL)
				lose(sh, j, i);
		*link = j;
		link = &j->next;
	}
	sh->current_job = (int)unpack_below(in, INT32_MAX);
	sh->previous_job = (int)unpack_below(in, INT32_MAX);
	choose_current(sh);
}

/* --- what is shown --- */

/* Of process i of the job. */
static void put_state(struct buf *out, const struct job *j, int i)
{
	int status = j->statuses[i];

	if (j->state == JOB_RUNNING)
		buf_puts(out, "Running");
	else if (j->state == JOB_STOPPED)
		buf_puts(out, "Stopped");
	else if ((status & 0x7f) != 0)
		buf_puts(out, sig_text(status & 0x7f));
	else if (status >> 8 != 0)
		buf_printf(out, "Exit %d", status >> 8 & 0xff);
	else
		buf_puts(out, "Done");
}

void job_print(struct shell *sh, struct buf *out, const struct job *j, bool with_pids)
{
	const char *stage = with_pids && j->npids > 1 ? j->stages : NULL;
	struct buf state = buf_in(sh->arena);
	char mark = j->number == sh->current_job ? '+' : j->number == sh->previous_job ? '-' : ' ';

	put_state(&state, j, stage != NULL ? 0 : j->npids - 1);
	buf_printf(out, "[%d]%c ", j->number, mark);
	if (with_pids)
		buf_printf(out, "%5d", j->pids[0]);
	buf_printf(out, " %-24s", buf_cstr(&state));
	buf_puts(out, stage != NULL ? stage : j->text);
	for (int i = 1; stage != NULL && i < j->npids; i++) {
		stage += strlen(stage) + 1;
		state.len = 0;
		if (j->statuses[i] != j->statuses[0])
			put_state(&state, j, i);
		/* bash leaves out two columns where it leaves out the state. */
		buf_printf(out, "\n     %5d %-*s| %s", j->pids[i], state.len != 0 ? 24 : 22,
			   buf_cstr(&state), stage);
	}
	if (j->state == JOB_RUNNING)
		buf_puts(out, " &");
	buf_putc(out, '\n');
}

/* --- ending --- */

static bool worth_saying(const struct shell *sh, int wait_status)
{
	int sig = wait_status & 0x7f;

	return sig != 0 && sig != 0x7f && sig != SIGINT_ && sig != SIGPIPE_ && sig != SIGTERM_ &&
	       !sh->is_command_sub && !trap_is_set(sh, sig);
}

/* SIGTERM and signals that the shell itself traps are told without a name and a line; by an
 * interactive shell all. */
static bool told_in_short(const struct shell *sh, int sig)
{
	if (sh->is_command_sub || sig == SIGINT_ || sig == SIGPIPE_)
		return false;
	return sig == SIGTERM_ || opt_set(sh, SET_INTERACTIVE) || trap_is_set(sh, sig);
}

static void put_line(struct buf *out, int pid, const char *what, const char *text)
{
	buf_printf(out, "%5d %-24s", pid, what);
	buf_puts(out, text);
	buf_putc(out, '\n');
}

static void say_killed(struct shell *sh, struct job *j)
{
	int status = j->statuses[j->npids - 1];
	struct buf out = buf_in(sh->arena);

	j->told = true;
	if (j->notified)
		return;
	if (worth_saying(sh, status)) {
		shell_error_prefix(sh, &out);
		put_line(&out, j->pids[j->npids - 1], sig_text(status & 0x7f), j->text);
	} else if (opt_set(sh, SET_MONITOR) && sh->task == NULL) {
		job_print(sh, &out, j, false);
	} else {
		return;
	}
	j->notified = true;
	sys_write(sh->p, 2, out.ptr, out.len);
}

int job_status(const struct shell *sh, const struct job *j)
{
	int status = status_of_wait(j->statuses[j->npids - 1]);

	for (int i = j->npids - 1; i >= 0 && status == 0 && opt_set(sh, SET_PIPEFAIL); i--)
		status = status_of_wait(j->statuses[i]);
	return status;
}

/* The oldest job that a signal ended without a word so far; with -c and job control any that
 * ended. */
static struct job *next_untold(struct shell *sh)
{
	bool all = opt_set(sh, SET_COMMAND) && opt_set(sh, SET_MONITOR) && sh->task == NULL;
	struct job *oldest = NULL;

	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		bool killed = (j->statuses[j->npids - 1] & 0x7f) != 0;

		if (j->state == JOB_DONE && !j->told && ((all && !j->foreground) || killed))
			oldest = j; /* the newest come first */
	}
	return oldest;
}

void job_tell(struct shell *sh)
{
	struct job *j;

	if (sh->jobs_foreign || opt_set(sh, SET_INTERACTIVE))
		return;
	while ((j = next_untold(sh)) != NULL)
		say_killed(sh, j);
}

void job_ended(struct shell *sh, struct job *j, int i, int wait_status)
{
	bool running = false;

	j->statuses[i] = wait_status;
	finished_add(sh, j->pids[i], status_of_wait(wait_status));
	for (int k = 0; k < j->npids; k++)
		running |= j->statuses[k] < 0;
	if (running)
		return;
	j->state = JOB_DONE;
	j->notified = false;
	if (j->is_coproc)
		coproc_ended(sh, j->pids[i]);
}

/* %+ means the job that was stopped last. */
static void stopped(struct shell *sh, struct job *j, int wait_status)
{
	j->state = JOB_STOPPED;
	j->stop_signal = wait_status >> 8 & 0xff;
	j->notified = false;
	if (sh->current_job == j->number)
		return;
	sh->previous_job = sh->current_job;
	sh->current_job = j->number;
}

void job_stopped(struct shell *sh, struct job *j, int wait_status)
{
	bool interactive = opt_set(sh, SET_INTERACTIVE);
	struct buf out = buf_in(sh->arena);

	stopped(sh, j, wait_status);
	j->foreground = false;
	if (!interactive && !opt_set(sh, SET_COMMAND))
		return;
	j->notified = true;
	buf_putc(&out, '\n');
	job_print(sh, &out, j, false);
	sys_write(sh->p, 2, out.ptr, out.len);
	if (interactive && sh->loop_depth > 0) {
		sh->flow = FLOW_BREAK;
		sh->flow_count = sh->loop_depth;
	}
}

void job_poll(struct shell *sh)
{
	if (sh->jobs_foreign)
		return;
	reap_expected(sh);
	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		for (int i = 0; i < j->npids; i++) {
			int status = 0;
			int64_t got;

			if (j->statuses[i] >= 0)
				continue;
			got = sys_wait(sh->p, j->pids[i], &status,
				       WNOHANG_ | WUNTRACED_ | WCONTINUED_);
			if (got <= 0)
				continue;
			if (status == 0xffff)
				j->state = JOB_RUNNING;
			else if (is_stop(status))
				stopped(sh, j, status);
			else
				job_ended(sh, j, i, status);
		}
	}
}

void job_settle(struct shell *sh)
{
	sh->unsettled = false;
	if ((sh->jobs == NULL && sh->coproc == NULL) || sh->jobs_foreign)
		return;
	job_poll(sh);
	job_tell(sh);
	if (opt_set(sh, SET_COMMAND))
		drop_done(sh, 0);
	else
		job_drop_told(sh);
}

/* A caught signal cut a wait short: its status; the trap runs after the command. */
static int interrupted(struct shell *sh)
{
	trap_note(sh);
	for (int sig = 1; sig < SIG_COUNT; sig++) {
		if ((sh->traps_pending & trap_bit(sig)) != 0 &&
		    (sig != SIGCHLD_ || opt_set(sh, SET_POSIX)))
			return STATUS_SIGNAL + sig;
	}
	return 0;
}

bool job_wait_ends(struct shell *sh)
{
	if (sh->traps_pending == trap_bit(SIGCHLD_) && !opt_set(sh, SET_POSIX))
		trap_poll(sh);
	return sh->traps_pending != 0 || sh->flow != FLOW_NONE;
}

int job_wait_pid(struct shell *sh, int pid, int options)
{
	struct job *j;
	int status = 0;
	int early;

	if (finished_take(sh, pid, &status)) {
		job_tell(sh);
		return status;
	}
	for (;;) {
		int64_t got = sys_wait(sh->p, pid, &status, options);

		if (got == -E_INTR) {
			int code = interrupted(sh);

			if (code != 0)
				return code;
			if (job_wait_ends(sh))
				return sh->status;
			continue;
		}
		if (got < 0)
			return STATUS_NOT_FOUND;
		break;
	}
	early = interrupted(sh);
	/* Traps that ran meanwhile may have removed the job. */
	j = job_of_pid(sh, pid);
	if (is_stop(status)) {
		if (j != NULL)
			stopped(sh, j, status);
		return status_of_wait(status);
	}
	for (int i = 0; j != NULL && i < j->npids; i++) {
		if (j->pids[i] == pid)
			job_ended(sh, j, i, status);
	}
	if (j == NULL)
		finished_add(sh, pid, status_of_wait(status));
	job_tell(sh);
	/* The child may have sent the signal before it ended. */
	return early != 0 ? early : status_of_wait(status);
}

int job_wait(struct shell *sh, struct job *j, int options)
{
	int npids = j->npids;
	int *pids = arena_alloc(sh->arena, (size_t)npids * sizeof *pids);
	int status = 0;

	memcpy(pids, j->pids, (size_t)npids * sizeof *pids);
	for (int i = 0; i < npids; i++) {
		j = job_of_pid(sh, pids[i]);
		if (j != NULL && i < j->npids && j->statuses[i] >= 0)
			status = status_of_wait(j->statuses[i]);
		else
			status = job_wait_pid(sh, pids[i], options);
		if (job_wait_ends(sh))
			return status;
	}
	j = job_of_pid(sh, pids[npids - 1]);
	if (j != NULL && j->state == JOB_DONE)
		status = job_status(sh, j);
	else if (j != NULL && j->state == JOB_STOPPED)
		status = STATUS_SIGNAL + j->stop_signal;
	job_tell(sh);
	return status;
}

/* --- foreground children --- */

void job_report_signal(struct shell *sh)
{
	int pid = sh->killed_pid;
	int wait_status = sh->killed_status;
	const struct node *n = sh->killed_node;
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);
	struct buf text = buf_in(sh->arena);
	int sig = wait_status & 0x7f;

	sh->killed_pid = 0;
	if (told_in_short(sh, sig)) {
		buf_printf(&out, "%s\n", sig_text(sig));
	} else if (worth_saying(sh, wait_status)) {
		shell_error_prefix(sh, &out);
		if (n != NULL)
			print_command(&text, n);
		put_line(&out, pid, sig_text(sig), buf_cstr(&text));
	}
	if (out.len != 0)
		sys_write(sh->p, 2, out.ptr, out.len);
	arena_release(sh->arena, mark);
}

static const char *state_text(struct shell *sh, int status)
{
	struct buf out = buf_in(sh->arena);

	if ((status & 0x7f) != 0)
		return sig_text(status & 0x7f);
	if (status >> 8 == 0)
		return "Done";
	buf_printf(&out, "Exit %d", status >> 8 & 0xff);
	return buf_cstr(&out);
}

void job_report_pipeline(struct shell *sh, const struct pipeline *p, const int *pids,
			 const int *wait_statuses)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);
	int last = wait_statuses[p->ncommands - 1];

	bool in_short = told_in_short(sh, last & 0x7f);
	bool in_full = !in_short && worth_saying(sh, last);

	if (in_short)
		buf_printf(&out, "%s\n", sig_text(last & 0x7f));
	if (in_full)
		shell_error_prefix(sh, &out);
	for (int i = 0; i < p->ncommands && in_full; i++) {
		struct buf text = buf_in(sh->arena);

		if (i > 0) {
			buf_puts(&out, "     ");
			buf_puts(&text, "| ");
		}
		print_command(&text, p->commands[i]);
		put_line(&out, pids[i], state_text(sh, wait_statuses[i]), buf_cstr(&text));
	}
	if (out.len != 0)
		sys_write(sh->p, 2, out.ptr, out.len);
	arena_release(sh->arena, mark);
}
