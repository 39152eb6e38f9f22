/* SPDX-License-Identifier: MIT
 *
 * cowsh replay: runs again what a journal recorded, and says where it comes out otherwise.
 */
#include "cli/cli.h"
#include "cli/keep.h"
#include "cli/lock.h"
#include "cowsh_journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: cowsh replay [OPTION]... JOURNAL\n"
	"Run again what `cowsh --journal JOURNAL` recorded, and stop at the first difference.\n"
	"\n"
	"  -c SCRIPT         then run SCRIPT in the session\n"
	"      --image FILE  an image the session was made with (repeatable, in order)\n"
	"      --limit NAME=VALUE, --profile NAME\n"
	"                    the most that the session may have had, as `cowsh` takes them\n"
	"  -o, --output      write what the commands write\n"
	"      --seconds N   stop when it takes longer (default 600)\n"
	"      --step N      with --until: into the command after that, up to its step N\n"
	"      --until N     stop after N commands, and open the session there: with -c, on a\n"
	"                    terminal with its lines, else with the script on standard input\n"
	"  -v, --verbose     a line for each command\n"
	"      --help        this text\n"
	"\n"
	"Exit status: 0 the same, 1 different, 2 damaged, cut short, or not usable; after --until "
	"or\n"
	"-c that of the last command.\n";

enum { DIFFERENT = 1, UNUSABLE = 2, SECONDS_DEFAULT = 600 };

struct request {
	const char *journal;
	struct cowsh_config most;
	const char *script;
	const char *image_files[MOUNTS_MAX];
	struct image_file files[MOUNTS_MAX];
	cowsh_image *images[MOUNTS_MAX];
	int nimages;
	uint64_t until;
	uint64_t step;
	uint64_t seconds;
	bool bounded;
	bool output;
	bool verbose;
};

static struct request request;
static bool live; /* the session goes on by itself */

/* --- what the session sees of its host --- */

static int output(void *user, int fd, const char *data, size_t len)
{
	(void)user;
	return live || request.output ? write_all(fd, data, len) : 0;
}

static int64_t input(void *user, char *into, size_t len)
{
	ssize_t n = read(0, into, len);

	(void)user;
	return n < 0 ? -COWSH_EIO : n;
}

static int64_t clock_of_host(void *user)
{
	(void)user;
	return clock_now();
}

static int expired(void *user)
{
	(void)user;
	return deadline_passed() || (!live && interrupted());
}

/* --- the command line --- */

static uint64_t number(const char *name, const char *text)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0' || *text < '0' || *text > '9')
		fatal("replay: %s wants a number, not '%s'", name, text);
	return value;
}

static bool long_option(struct request *r, int argc, char **argv, int *i)
{
	const char *v;

	if ((v = option_value("--until", argc, argv, i)) != NULL) {
		r->until = number("--until", v);
		r->bounded = true;
	} else if ((v = option_value("--step", argc, argv, i)) != NULL) {
		r->step = number("--step", v);
	} else if ((v = option_value("--seconds", argc, argv, i)) != NULL) {
		r->seconds = number("--seconds", v);
	} else if ((v = option_value("--limit", argc, argv, i)) != NULL) {
		options_limit(&r->most, v);
	} else if ((v = option_value("--profile", argc, argv, i)) != NULL) {
		options_profile(&r->most, v);
	} else if ((v = option_value("--image", argc, argv, i)) != NULL) {
		if (r->nimages == MOUNTS_MAX)
			fatal("replay: more than %d images", MOUNTS_MAX);
		r->image_files[r->nimages++] = v;
	} else if (strcmp(argv[*i], "--output") == 0 || strcmp(argv[*i], "-o") == 0) {
		r->output = true;
	} else if (strcmp(argv[*i], "--verbose") == 0 || strcmp(argv[*i], "-v") == 0) {
		r->verbose = true;
	} else if (strcmp(argv[*i], "-c") == 0 && *i + 1 < argc) {
		r->script = argv[++*i];
	} else {
		return false;
	}
	return true;
}

static bool parse(struct request *r, int argc, char **argv)
{
	static const struct cowsh_config defaults = COWSH_CONFIG_INIT;

	r->most = defaults;
	r->seconds = SECONDS_DEFAULT;
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0)
			return false;
		if (argv[i][0] == '-' && argv[i][1] != '\0') {
			if (!long_option(r, argc, argv, &i))
				fatal("replay: unknown option '%s' (see cowsh replay --help)",
				      argv[i]);
		} else if (r->journal != NULL) {
			fatal("replay: one journal, not also '%s'", argv[i]);
		} else {
			r->journal = argv[i];
		}
	}
	if (r->journal == NULL)
		fatal("replay: which journal? (see cowsh replay --help)");
	if (r->step != 0 && !r->bounded)
		fatal("replay: --step goes with --until");
	return true;
}

/* --- running --- */

static void open_files(struct request *r, struct runner *runner, struct cowsh_replay_config *config)
{
	runner->store = program_store(false);
	for (int i = 0; i < r->nimages; i++)
		image_map(&r->files[i], r->image_files[i], NULL, runner->store);
	config->journal = map_file(r->journal, &config->journal_len, false);
	clock_start();
}

static cowsh_replay *open_replay(struct request *r, struct runner *runner,
				 struct cowsh_replay_config config)
{
	struct cowsh_host host = COWSH_HOST_INIT;
	cowsh_replay *replay;
	const char *why;

	for (int i = 0; i < r->nimages; i++)
		r->images[i] = image_read(&r->files[i], runner->store);
	config.most = &r->most;
	config.images = r->images;
	config.nimages = (size_t)r->nimages;
	host.output = output;
	host.input = input;
	host.clock = clock_of_host;
	host.expired = expired;
	config.host = &host;
	if (cowsh_replay_new(runner->store, &config, &replay, &why) < 0)
		fatal("%s: %s", r->journal, why);
	return replay;
}

static void put_first_line(const char *text, size_t len)
{
	const char *end = len != 0 ? memchr(text, '\n', len) : NULL;

	out_source(text, end != NULL ? (size_t)(end - text) : len);
	out_text(end != NULL ? " ...\n" : "\n");
}

static void tell_command(const struct cowsh_replay_report *report)
{
	out_format("%llu: status %d, %llu steps: ", (unsigned long long)report->command,
		   report->result.status, (unsigned long long)report->result.steps);
	put_first_line(report->text, report->text_len);
	out_flush();
}

/* One line on standard error; the exit status. */
static int tell_end(const struct request *r, int state, const struct cowsh_replay_report *report)
{
	out_to(2);
	out_format("cowsh: %s: ", r->journal);
	if (state < 0) {
		out_format("%s\n", cowsh_error_text(state));
	} else if (state == COWSH_REPLAY_DIFFERENT) {
		out_format("command %llu: %s differ%s", (unsigned long long)report->command,
			   report->what, "s");
		if (report->recorded != report->replayed)
			out_format(": %lld were recorded, now %lld", (long long)report->recorded,
				   (long long)report->replayed);
		out_text(": ");
		put_first_line(report->text, report->text_len);
	} else {
		out_format("%s at byte %llu, after %llu commands that were the same\n",
			   state == COWSH_REPLAY_CUT ? "cut short" : "damaged",
			   (unsigned long long)report->offset, (unsigned long long)report->command);
	}
	out_to(1);
	return state == COWSH_REPLAY_DIFFERENT ? DIFFERENT : UNUSABLE;
}

/* Replays as far as asked for: the state it ended with. */
static int run(struct request *r, cowsh_replay *replay, struct cowsh_replay_report *report)
{
	int state = COWSH_REPLAY_SAME;

	while (state == COWSH_REPLAY_SAME && (!r->bounded || report->command < r->until)) {
		state = cowsh_replay_next(replay, report);
		if (r->verbose && state == COWSH_REPLAY_SAME)
			tell_command(report);
	}
	return state;
}

/* A whole script from standard input. */
static size_t read_script(char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(0, text + len, size - len)) != 0) {
		if (n < 0 && errno != EINTR)
			fatal("replay: can't read the script: %s", strerror(errno));
		len += n > 0 ? (size_t)n : 0;
		if (len == size)
			fatal("replay: the script is too long");
	}
	return len;
}

/* Goes on with the session: what was under way, then the script or the lines that come. */
static int open_session(struct request *r, cowsh_replay *replay, struct runner *runner,
			bool terminal)
{
	static struct options options;
	struct cowsh_result result = { 0 };
	static char text[16 << 20];
	size_t len;
	int state = COWSH_DONE;

	if (r->step != 0)
		state = cowsh_replay_into(replay, r->step);
	if (state < 0)
		fatal("%s: there is no such step", r->journal);
	runner->session = cowsh_replay_take(replay);
	runner->options = &options;
	options.no_lockdown = true; /* it is locked */
	live = true;
	while (state == COWSH_SLICE || state == COWSH_WAIT) {
		state = cowsh_step(runner->session, 0);
		if (state == COWSH_WAIT)
			runner_wait(runner);
	}
	if (terminal)
		return interactive(runner);
	len = r->script != NULL ? strlen(r->script) : read_script(text, sizeof text);
	state = cowsh_start(runner->session, r->script != NULL ? r->script : text, len);
	while (state >= 0 && (state = cowsh_step(runner->session, 0)) == COWSH_WAIT)
		runner_wait(runner);
	cowsh_get_result(runner->session, &result);
	return result.status;
}

int replay_command(int argc, char **argv)
{
	static struct runner runner;
	struct cowsh_replay_config config = COWSH_REPLAY_CONFIG_INIT;
	struct cowsh_replay_report report = { 0 };
	cowsh_replay *replay;
	bool terminal;
	int state;

	if (!parse(&request, argc, argv)) {
		out_text(usage);
		out_flush();
		return 0;
	}
	open_files(&request, &runner, &config);
	deadline_arm(request.seconds * 1000, false);
	terminal = request.bounded && request.script == NULL && isatty(0) && isatty(1);
	if (terminal)
		interactive_open(true);
	lock_down(LOCK_RUNNER);
	replay = open_replay(&request, &runner, config);
	state = run(&request, replay, &report);
	if (state != COWSH_REPLAY_SAME && state != COWSH_REPLAY_END)
		return tell_end(&request, state, &report);
	if (request.bounded || request.script != NULL)
		return open_session(&request, replay, &runner, terminal);
	out_format("%s: %llu commands, the same\n", request.journal,
		   (unsigned long long)report.command);
	out_flush();
	return 0;
}
