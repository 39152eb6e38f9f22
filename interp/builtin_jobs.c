/* SPDX-License-Identifier: MIT
 *
 * jobs, wait, fg, bg, disown, suspend.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/var_private.h"

/* %spec or the number of a process: its job, or NULL. */
static struct job *job_of_word(struct shell *sh, const char *word)
{
	int64_t pid;

	if (*word != '%' && number_argument(word, &pid) && pid > 0 && pid <= INT32_MAX)
		return job_of_pid(sh, (int)pid);
	return *word == '%' ? job_of_spec(sh, word) : NULL;
}

static int no_such_job(struct shell *sh, const char *who, const char *word)
{
	builtin_error(sh, who, "%s: no such job", word);
	return 1;
}

/* --- jobs --- */

struct jobs_options {
	bool pids;      /* -l */
	bool only_pids; /* -p */
	bool changed;   /* -n */
	bool running;
	bool stopped;
};

/* A subshell shows a job that ended only once. */
static bool was_shown(const struct shell *sh, const struct job *j)
{
	return sh->jobs_foreign && j->number < 64 && (sh->jobs_shown >> j->number & 1) != 0;
}

static void show_job(struct shell *sh, struct buf *out, struct job *j, const struct jobs_options *o)
{
	if (was_shown(sh, j))
		return;
	if (sh->jobs_last && j->state == JOB_DONE && j->pids[j->npids - 1] != sh->last_background)
		return;
	if ((o->running && j->state != JOB_RUNNING) || (o->stopped && j->state != JOB_STOPPED) ||
	    (o->changed && j->notified) || (o->changed && j->state == JOB_RUNNING))
		return;
	if (o->only_pids)
		buf_printf(out, "%d\n", j->pids[0]);
	else
		job_print(sh, out, j, o->pids);
	if (sh->jobs_foreign) { /* the parent may still be asked */
		if (j->state == JOB_DONE && j->number < 64)
			sh->jobs_shown |= (uint64_t)1 << j->number;
		return;
	}
	j->notified = true;
	j->lost = false;
}

/* Oldest first. */
static void show_jobs(struct shell *sh, struct buf *out, const struct jobs_options *o)
{
	int highest = 0;

	if (!sh->jobs_foreign)
		job_drop_told(sh);
	for (struct job *j = sh->jobs; j != NULL; j = j->next)
		highest = j->number > highest ? j->number : highest;
	for (int n = 1; n <= highest; n++) {
		for (struct job *j = sh->jobs; j != NULL; j = j->next) {
			if (j->number == n)
				show_job(sh, out, j, o);
		}
	}
}

/* What has been shown as done is forgotten. */
static void drop_ended(struct shell *sh)
{
	struct job *next;

	for (struct job *j = sh->jobs; j != NULL; j = next) {
		next = j->next;
		if (j->state == JOB_DONE && j->notified && !j->lost)
			job_remove(sh, j);
	}
}

void jobs_tell(struct shell *sh)
{
	struct jobs_options changed = { .changed = true };
	struct arena_mark mark = arena_mark(sh->arena);
	struct buf out = buf_in(sh->arena);

	job_poll(sh);
	show_jobs(sh, &out, &changed);
	if (out.len != 0)
		sys_write(sh->p, 2, out.ptr, out.len);
	drop_ended(sh);
	arena_release(sh->arena, mark);
}

bool jobs_hold(struct shell *sh)
{
	bool all = opt_shopt(sh, SHOPT_checkjobs);
	struct jobs_options none = { 0 };
	struct buf out = buf_in(sh->arena);
	bool stopped = false;
	bool running = false;

	if (sh->jobs_known != 0 && sh->command_number - sh->jobs_known <= 1)
		return false;
	job_poll(sh);
	for (const struct job *j = sh->jobs; j != NULL; j = j->next) {
		stopped |= j->state == JOB_STOPPED;
		running |= j->state == JOB_RUNNING && all;
	}
	if (!stopped && !running)
		return false;
	sh->jobs_known = sh->command_number;
	buf_printf(&out, "There are %s jobs.\n", stopped ? "stopped" : "running");
	if (all)
		show_jobs(sh, &out, &none);
	sys_write(sh->p, 2, out.ptr, out.len);
	return true;
}

/* jobs -x: runs a command with job specifications replaced by process groups. */
static int jobs_run(struct shell *sh, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		struct job *j = argv[i][0] == '%' ? job_of_spec(sh, argv[i]) : NULL;
		char text[24];

		if (j == NULL)
			continue;
		size_t len = number_put_i64(text, j->pids[0]);

		argv[i] = arena_dup(sh->arena, (struct bytes){ text, len });
	}
	return argc > 0 ? exec_argv(sh, argc, argv, 0) : 0;
}

int do_jobs(struct shell *sh, int argc, char **argv)
{
	struct jobs_options o = { 0 };
	struct buf out = buf_in(sh->arena);
	struct optscan scan = { 0 };
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "lpnxrs")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c == 'x')
			return jobs_run(sh, argc - scan.index, argv + scan.index);
		o.pids = o.pids || c == 'l';
		o.only_pids = o.only_pids || c == 'p';
		o.changed = o.changed || c == 'n';
		o.running = o.running || c == 'r';
		o.stopped = o.stopped || c == 's';
	}
	sh->jobs_known = sh->command_number;
	job_poll(sh);
	if (scan.index == argc)
		show_jobs(sh, &out, &o);
	for (int i = scan.index; i < argc; i++) {
		struct job *j = job_of_word(sh, argv[i]);

		if (j != NULL && was_shown(sh, j))
			j = NULL;
		if (j == NULL)
			out_lines(sh, "jobs", &out);
		if (j == NULL)
			status = no_such_job(sh, "jobs", argv[i]);
		else
			show_job(sh, &out, j, &o);
	}
	return out_flush(sh, "jobs", &out) != 0 ? 1 : status;
}

/* --- wait --- */

struct wait_options {
	bool any;         /* -n */
	bool ends;        /* -f */
	const char *name; /* -p */
	bool element;     /* it was written as name[sub] */
};

/* In a script it may be waited for once more, unless jobs showed it. An interactive shell tells of
 * it before its next prompt. */
static void waited_for(struct shell *sh, struct job *j)
{
	bool known = j->notified || j->told || opt_set(sh, SET_COMMAND);

	if (opt_set(sh, SET_INTERACTIVE))
		return;
	j->lost = false;
	j->notified = known;
	job_drop_told(sh);
	if (!known)
		j->notified = true;
}

static void wait_tell(struct shell *sh, const struct wait_options *o, int pid)
{
	char digits[24];

	if (o->name != NULL)
		var_set_ref(sh, "wait", bytes_of(o->name), o->element, i64_text(pid, digits));
}

/* With job control until it is stopped, too; by its number that is told if it was before. */
static int wait_job(struct shell *sh, const struct wait_options *o, struct job *j, bool by_number)
{
	int options = o->ends ? 0 : exec_wait_options(sh);

	job_poll(sh);
	if (options == 0 || j->state != JOB_STOPPED)
		return job_wait(sh, j, options);
	if (by_number)
		shell_error(sh, "warning: wait_for_job: job %d is stopped", j->number);
	return STATUS_SIGNAL + j->stop_signal;
}

static int wait_word(struct shell *sh, const struct wait_options *o, const char *word)
{
	int64_t pid;
	int status;

	if (*word == '%') {
		struct job *j = job_of_spec(sh, word);

		if (j == NULL) {
			no_such_job(sh, "wait", word);
			return STATUS_NOT_FOUND;
		}
		int last = j->pids[j->npids - 1];

		status = wait_job(sh, o, j, true);
		wait_tell(sh, o, last);
		j = job_of_pid(sh, last);
		if (j != NULL && j->state == JOB_DONE)
			waited_for(sh, j);
		return status;
	}
	if (!number_argument(word, &pid) || pid < 0) {
		builtin_error(sh, "wait", "`%s': not a pid or valid job spec", word);
		return 1;
	}
	job_poll(sh);
	if (pid > INT32_MAX ||
	    (job_of_pid(sh, (int)pid) == NULL && !finished_expects(sh, (int)pid) &&
	     !finished_take(sh, (int)pid, &status))) {
		builtin_error(sh, "wait", "pid %lld is not a child of this shell", (long long)pid);
		return STATUS_NOT_FOUND;
	}
	/* A job ends with the last of its processes. */
	struct job *ended = job_of_pid(sh, (int)pid);

	status = ended != NULL ? wait_job(sh, o, ended, false) : job_wait_pid(sh, (int)pid, 0);
	wait_tell(sh, o, (int)pid);
	ended = job_of_pid(sh, (int)pid);

	if (ended != NULL && ended->state == JOB_DONE)
		waited_for(sh, ended);
	return status;
}

static void remove_done(struct shell *sh)
{
	struct job *next;

	for (struct job *j = sh->jobs; j != NULL; j = next) {
		next = j->next;
		if (j->state == JOB_DONE && !opt_set(sh, SET_INTERACTIVE))
			job_remove(sh, j);
	}
}

static void warn_of_stopped(struct shell *sh)
{
	for (const struct job *j = sh->jobs; j != NULL; j = j->next)
		if (j->state == JOB_STOPPED)
			builtin_error(sh, "wait", "warning: job %d[%d] stopped", j->number,
				      j->pids[0]);
}

/* With job control a job that is stopped is not waited for. */
static int wait_all(struct shell *sh, const struct wait_options *o)
{
	int options = o->ends ? 0 : exec_wait_options(sh);
	struct job *running;

	do {
		job_poll(sh);
		running = sh->jobs;
		while (running != NULL && running->state != JOB_RUNNING)
			running = running->next;
		if (running != NULL) {
			int status = job_wait(sh, running, options);

			if (job_wait_ends(sh))
				return status;
		}
	} while (running != NULL);
	/* And for the process substitution that was started last. */
	if (finished_expects(sh, sh->last_background))
		job_wait_pid(sh, sh->last_background, 0);
	job_tell(sh);
	remove_done(sh);
	finished_forget(sh);
	if (options != 0)
		warn_of_stopped(sh);
	return 0;
}

static bool job_is_wanted(struct shell *sh, const struct job *j, int n, char **words)
{
	for (int i = 0; i < n; i++) {
		if (job_of_word(sh, words[i]) == j)
			return true; /* words that name no job were told of */
	}
	return n == 0;
}

/* Waits for one child of any wanted job to end. */
static struct job *next_ended(struct shell *sh, int n, char **words, bool *left)
{
	struct job *found = NULL;

	*left = false;
	job_poll(sh);
	for (struct job *j = sh->jobs; j != NULL; j = j->next) {
		if (!job_is_wanted(sh, j, n, words))
			continue;
		if (j->state == JOB_RUNNING)
			*left = true;
		else if (j->state == JOB_DONE && !j->notified && !j->told &&
			 (found == NULL || j->number < found->number))
			found = j;
	}
	return found;
}

static void take_status(struct shell *sh, int pid, int wait_status)
{
	struct job *j = job_of_pid(sh, pid);

	if (j == NULL)
		finished_add(sh, pid, status_of_wait(wait_status));
	for (int i = 0; j != NULL && i < j->npids; i++) {
		if (j->pids[i] == pid)
			job_ended(sh, j, i, wait_status);
	}
}

static int wait_next(struct shell *sh, const struct wait_options *o, int n, char **words)
{
	bool left;
	int unknown = 0;

	for (int i = 0; i < n; i++) {
		if (job_of_word(sh, words[i]) == NULL)
			unknown += no_such_job(sh, "wait", words[i]);
	}
	if (n > 0 && unknown == n)
		return STATUS_NOT_FOUND;
	for (;;) {
		struct job *j = next_ended(sh, n, words, &left);

		if (j != NULL) {
			int status = job_status(sh, j);

			wait_tell(sh, o, j->pids[j->npids - 1]);
			job_tell(sh);
			job_remove(sh, j);
			return status;
		}
		if (!left)
			return STATUS_NOT_FOUND;
		int wait_status = 0;
		int64_t pid = sys_wait(sh->p, -1, &wait_status, 0);

		if (pid == -E_INTR) {
			signals_note(sh);
			if (sh->traps_pending != 0)
				return STATUS_SIGNAL + __builtin_ctzll(sh->traps_pending) + 1;
		} else if (pid < 0) {
			return STATUS_NOT_FOUND;
		} else {
			take_status(sh, (int)pid, wait_status);
		}
	}
}

/* A variable that -p names is unset until it is known what ended. 0, or -1 after a message. */
static int wait_begin(struct shell *sh, const struct wait_options *o)
{
	struct bytes name;
	struct bytes sub;
	struct var *v;

	if (!argument_ref(sh, bytes_of(o->name), o->element, &name, &sub)) {
		builtin_error(sh, "wait", "`%s': not a valid identifier", o->name);
		return -1;
	}
	if (sub.ptr != NULL)
		return 0;
	v = var_find(sh, name, name_hash(name));
	if (v != NULL && (v->flags & VAR_READONLY) != 0) {
		builtin_error(sh, "wait", "%s: cannot unset: readonly variable", o->name);
		return -1;
	}
	return var_unset(sh, name, name_hash(name), false);
}

int do_wait(struct shell *sh, int argc, char **argv)
{
	struct wait_options o = { 0 };
	struct optscan scan = { 0 };
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "fnp:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		o.any = o.any || c == 'n';
		o.ends = o.ends || c == 'f';
		if (c != 'p')
			continue;
		o.name = scan.value;
		o.element = sh->elements != NULL && sh->elements[scan.index - 1];
	}
	if (o.name != NULL && wait_begin(sh, &o) != 0)
		return 1;
	if (o.any)
		return wait_next(sh, &o, argc - scan.index, argv + scan.index);
	if (scan.index == argc)
		return wait_all(sh, &o);
	for (int i = scan.index; i < argc && !job_wait_ends(sh); i++)
		status = wait_word(sh, &o, argv[i]);
	return status;
}

/* --- fg and bg --- */

/* The index of the first operand, or minus the status: there is no job control, but for --help. */
static int job_operands(struct shell *sh, int argc, char **argv)
{
	int first;

	bool help = argc > 1 && strcmp(argv[1], "--help") == 0;
	bool foreign = sh->jobs_foreign && sh->is_command_sub;

	if (!help && (!opt_set(sh, SET_MONITOR) || (sh->task != NULL && !foreign))) {
		builtin_error(sh, argv[0], "no job control");
		return -1;
	}
	if (!help && foreign) {
		builtin_error(sh, argv[0], "no current jobs");
		return -1;
	}
	first = no_options(sh, argc, argv);
	return first < 0 ? -STATUS_MISUSE : first;
}

static struct job *job_to_move(struct shell *sh, const char *who, const char *word)
{
	struct job *j;

	job_poll(sh);
	j = word != NULL && *word != '%' ? job_of_word(sh, word)
					 : job_of_spec(sh, word != NULL ? word : "%%");
	if (j == NULL)
		no_such_job(sh, who, word != NULL ? word : "current");
	if (j == NULL || j->controlled)
		return j;
	builtin_error(sh, who, "job %d started without job control", j->number);
	return NULL;
}

int do_fg(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);

	int i = job_operands(sh, argc, argv);

	if (i < 0)
		return -i;
	struct job *j = job_to_move(sh, "fg", i < argc ? argv[i] : NULL);

	if (j == NULL)
		return 1;
	buf_printf(&out, "%s\n", j->text);
	out_flush(sh, "fg", &out);
	if (j->state == JOB_STOPPED)
		sys_kill(sh->p, -j->pgid, SIGCONT_);
	j->state = JOB_RUNNING;
	j->foreground = true;
	int last = j->pids[j->npids - 1];
	int status = job_wait(sh, j, exec_wait_options(sh));

	j = job_of_pid(sh, last); /* unless a trap removed it */
	if (j != NULL)
		j->foreground = false;
	if (j != NULL && j->state == JOB_STOPPED)
		job_stopped(sh, j, j->stop_signal << 8 | 0x7f);
	if (j != NULL && j->state == JOB_DONE)
		job_remove(sh, j);
	return status;
}

int do_bg(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	int status = 0;

	int i = job_operands(sh, argc, argv);

	if (i < 0)
		return -i;
	do {
		struct job *j = job_to_move(sh, "bg", i < argc ? argv[i] : NULL);

		if (j == NULL) {
			status = 1;
		} else if (j->state == JOB_RUNNING) {
			builtin_error(sh, "bg", "job %d already in background", j->number);
		} else {
			sys_kill(sh->p, -j->pgid, SIGCONT_);
			j->state = JOB_RUNNING;
			buf_printf(&out, "[%d]%c %s &\n", j->number,
				   j->number == sh->current_job ? '+' : ' ', j->text);
		}
	} while (++i < argc);
	return out_flush(sh, "bg", &out) != 0 ? 1 : status;
}

/* --- disown, suspend --- */

static void disown_job(struct shell *sh, struct job *j, bool keep)
{
	j->no_hup = true;
	if (!keep)
		job_remove(sh, j);
}

static void disown_all(struct shell *sh, bool keep, bool only_running)
{
	struct job *next;

	for (struct job *j = sh->jobs; j != NULL; j = next) {
		next = j->next;
		if (!only_running || j->state == JOB_RUNNING)
			disown_job(sh, j, keep);
	}
}

int do_disown(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };
	bool keep = false;
	bool all = false;
	bool running = false;
	int status = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "ahr")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		keep = keep || c == 'h';
		all = all || c == 'a';
		running = running || c == 'r';
	}
	job_poll(sh);
	if (o.index == argc && (all || running)) {
		disown_all(sh, keep, running);
		return 0;
	}
	for (int i = o.index; i < argc || i == o.index; i++) {
		struct job *j = i < argc ? job_of_word(sh, argv[i]) : job_of_spec(sh, "%%");

		if (j == NULL)
			status = no_such_job(sh, "disown", i < argc ? argv[i] : "current");
		else
			disown_job(sh, j, keep);
	}
	return status;
}

int do_suspend(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };
	bool force = false;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "f")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		force = true;
	}
	if (o.index < argc) {
		builtin_error(sh, "suspend", "too many arguments");
		return 1;
	}
	if (!force && !opt_set(sh, SET_MONITOR)) {
		builtin_error(sh, "suspend", "cannot suspend: no job control");
		return 1;
	}
	return sys_kill(sh->p, sh->p->pid, SIGSTOP_) < 0;
}
