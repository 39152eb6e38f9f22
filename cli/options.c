/* SPDX-License-Identifier: MIT
 *
 * The options of the cowsh program. Those that are bash's own are handed on to it.
 */
#include "cli/changes.h"
#include "cli/cli.h"
#include "cli/lock.h"
#include "cli/debug.h"
#include "cli/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
	"usage: cowsh [OPTION]... [-c SCRIPT [NAME [ARG]...] | FILE [ARG]...]\n"
	"Run a bash script in a simulated computer: nothing it does reaches this one.\n"
	"\n"
	"Without a script, commands are read from standard input; on a terminal, with line\n"
	"editing. FILE is a script of this computer; it appears in the sandbox under its name.\n"
	"\n"
	"  -c SCRIPT               run SCRIPT; NAME is its $0\n"
	"  -e -u -x -v -n -f       and -o NAME, -O NAME: as bash has them\n"
	"      --mount DIR:PATH[:ro]\n"
	"                          the directory DIR appears at PATH; writes go to a copy in\n"
	"                          memory, or fail if `ro` is given (repeatable)\n"
	"      --image FILE[:PATH][:ro]\n"
	"                          the image FILE (see cowsh image --help) appears at PATH, or\n"
	"                          its files join those of the sandbox (repeatable)\n"
	"      --session FILE      go on with the session saved in FILE, and save it there at the\n"
	"                          end; it is made if it is missing\n"
	"      --base IMAGE[:PATH] of a new session: start with the image, and save only what is\n"
	"                          different; of an old one: where its image is now\n"
	"      --compress          pack the contents of files that are saved\n"
	"      --checkpoint        keep the state before: with --session in FILE.before, in a\n"
	"                          terminal for the command `undo`\n"
	"      --undo              with --session: FILE becomes FILE.before, nothing is run\n"
	"      --allow-url PREFIX  curl, wget and http reach URLs that begin with PREFIX, such as\n"
	"                          https://example.org/api/: scheme, host and port as given, the\n"
	"                          path up to a `/`. Also each redirect must be allowed. The "
	"host's\n"
	"                          curl makes the requests (repeatable; default: no network)\n"
	"      --allow-method NAME besides GET and HEAD (repeatable)\n"
	"      --cwd PATH          start in this directory of the sandbox\n"
	"      --env NAME=VALUE    set a variable of the environment (repeatable)\n"
	"      --user NAME         run as this user; `root` may do everything inside\n"
	"      --limit NAME=VALUE  see below; VALUE may end in K, M or G; 0 is no limit\n"
	"      --profile NAME      `small`, `default` or `large` values for all other limits\n"
	"      --seed N            of $RANDOM, mktemp, shuf, /dev/urandom (default 0)\n"
	"      --clock WHEN        `real`, or where the virtual clock starts: @SECONDS or\n"
	"                          YYYY-MM-DD[THH:MM:SS] in UTC (default: now)\n"
	"      --microvm auto|off  run real programs (ELF files) in a virtual machine of KVM, or\n"
	"                          not at all (default off)\n"
	"      --warm              keep what python3 does at its start for later starts of it\n"
	"      --image-programs all|none|NAME,...\n"
	"                          of a root filesystem that is mounted or an image: these "
	"programs\n"
	"                          answer, not the builtins of these names (default ar)\n"
	"      --json              print one JSON object: stdout, stderr, status, limit, changes\n"
	"      --diff[=FORM]       after the run, say on stderr what changed in the files: as\n"
	"                          `list`, `unified` or `git` patch\n"
	"      --export FILE       write what changed into FILE: a tar archive, or a patch as "
	"git's\n"
	"                          if its name ends in .patch or .diff\n"
	"      --apply[=HOW]       after the run, make of mounted directories what it has made of\n"
	"                          them, but for what the host has changed meanwhile. With HOW\n"
	"                          `owners` also owners and set-id bits, as far as the user may;\n"
	"                          with `dry-run` only say what would be done\n"
	"      --dry-run           run in a copy that is thrown away; say on stderr which "
	"commands\n"
	"                          ran and which files would change\n"
	"      --analyze           do not run: list commands, paths they read and write, and what\n"
	"                          can't be known\n"
	"      --changes-in PATH   --diff and --export: only what is below PATH\n"
	"      --journal FILE      write what is needed to run the same again: see cowsh replay "
	"--help\n"
	"      --trace FILE        write what happens to FILE, an event a line\n"
	"      --trace-format jsonl|otel\n"
	"                          JSON Lines, or spans of OpenTelemetry (OTLP/JSON)\n"
	"      --trace-calls       also the commands that shells run themselves\n"
	"      --break WHERE       stop before a command of that NAME, before a /PATH is opened "
	"for\n"
	"                          writing, made, renamed or removed, or at a step NUMBER; * and "
	"?\n"
	"                          are wildcards (repeatable). What the script has done stays\n"
	"                          visible, and nothing more happens, until it goes on\n"
	"      --at-break COMMAND  at each stop do this, then go on: where, processes, variables,\n"
	"                          print NAME, descriptors, files, break, delete, continue, step,\n"
	"                          next, fork, try SCRIPT, quit, help (repeatable, in order);\n"
	"                          `-` reads commands from standard input. Without it: on a\n"
	"                          terminal asks, else says where it stands, and ends the run\n"
	"      --no-lockdown       for debugging: keep the right to make system calls\n"
	"      --help              this text\n"
	"      --version           version of cowsh\n"
	"\n"
	"Limits:                        small         default           large\n";

static const struct {
	const char *name;
	int number;
} profiles[] = {
	{ "small", COWSH_PROFILE_SMALL },
	{ "default", COWSH_PROFILE_DEFAULT },
	{ "large", COWSH_PROFILE_LARGE },
};

/* Powers of 1024 are shown as such. */
static void print_amount(uint64_t value)
{
	const char *unit = "";

	for (const char *next = "KMGTP"; value % 1024 == 0 && value % 1000 != 0 && *next != '\0';
	     next++, value /= 1024)
		unit = next;
	out_format(" %*llu%.1s", unit[0] != '\0' ? 15 : 16, (unsigned long long)value, unit);
}

void options_profile(struct cowsh_config *config, const char *name)
{
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		if (strcmp(profiles[i].name, name) == 0) {
			config->profile = profiles[i].number;
			return;
		}
	}
	fatal("there is no profile '%s': small, default or large", name);
}

static void print_help(void)
{
	out_text(usage);
	for (int i = 0; i < COWSH_LIMIT_COUNT; i++) {
		out_format("  %-17s", cowsh_limit_name(i));
		for (size_t p = 0; p < sizeof profiles / sizeof *profiles; p++)
			print_amount(cowsh_limit_value(i, profiles[p].number));
		out_format("  %s\n", cowsh_limit_help(i));
	}
}

/* Ends the program when all that was asked for is said. */
static _Noreturn void said(void)
{
	out_flush();
	leave(out_status(0));
}

static uint64_t number(const char *text, const char *what)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (end == text || errno != 0 || !isdigit((unsigned char)text[0]))
		fatal("bad number in %s", what);
	unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit != NULL) {
		unsigned shift = (unsigned)(unit - units + 1) * 10;

		if (value > UINT64_MAX >> shift)
			fatal("number too large in %s", what);
		value <<= shift;
		end++;
	}
	if (*end != '\0')
		fatal("bad number in %s", what);
	return value;
}

void options_limit(struct cowsh_config *config, const char *arg)
{
	char name[32];
	const char *equals = strchr(arg, '=');
	size_t len = equals != NULL ? (size_t)(equals - arg) : 0;
	int limit;

	if (len == 0 || len >= sizeof name)
		fatal("--limit wants NAME=VALUE, not '%s'", arg);
	memcpy(name, arg, len);
	name[len] = '\0';
	limit = cowsh_limit_find(name);
	if (limit < 0)
		fatal("there is no limit '%s' (see --help)", name);
	config->limit[limit] = number(equals + 1, arg);
	config->limits_set |= (uint64_t)1 << limit;
}

static void set_mount(struct options *o, char *arg)
{
	struct cowsh_mount_config *m = &o->mounts[o->nmounts];
	char *colon = strchr(arg, ':');
	char *flag;

	if (colon == NULL || colon == arg || colon[1] != '/')
		fatal("--mount wants HOSTDIR:PATH[:ro] with an absolute PATH, not '%s'", arg);
	if (o->nmounts == MOUNTS_MAX)
		fatal("more than %d mounts", MOUNTS_MAX);
	*colon = '\0';
	o->host_dirs[o->nmounts] = arg;
	m->path = colon + 1;
	flag = strchr(colon + 1, ':');
	if (flag != NULL) {
		if (strcmp(flag, ":ro") != 0)
			fatal("--mount: unknown flag '%s'", flag + 1);
		m->read_only = true;
		*flag = '\0';
	}
	o->nmounts++;
}

/* FILE[:PATH][:ro]; the path is what follows the last ":/". */
static void set_image(struct options *o, char *arg)
{
	struct cowsh_image_mount *m = &o->images[o->nimages];
	size_t len = strlen(arg);
	char *path = NULL;

	if (o->nimages == MOUNTS_MAX)
		fatal("more than %d images", MOUNTS_MAX);
	if (len > 3 && strcmp(arg + len - 3, ":ro") == 0) {
		m->read_only = true;
		arg[len - 3] = '\0';
	}
	for (char *at = arg; (at = strstr(at, ":/")) != NULL; at++)
		path = at;
	if (path == arg || arg[0] == '\0')
		fatal("--image wants FILE[:PATH][:ro]");
	m->path = path != NULL ? path + 1 : "/";
	if (path != NULL)
		*path = '\0';
	o->image_files[o->nimages++] = arg;
}

static int64_t days_from_civil(int year, int month, int day)
{
	int y = year - (month <= 2);
	int era = (y >= 0 ? y : y - 399) / 400;
	int yoe = y - era * 400;
	int doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return (int64_t)era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

/* 0 would be the default: now. */
static int64_t epoch_of(int64_t seconds, const char *arg)
{
	if (seconds > INT64_MAX / 1000000000 - 1 || seconds < -(INT64_MAX / 1000000000 - 1))
		fatal("--clock: %s is not between 1678 and 2262", arg);
	return seconds != 0 ? seconds * 1000000000 : 1;
}

static void set_clock(struct options *o, const char *arg)
{
	const char *whole = arg;
	int year, month, day, hour = 0, minute = 0, second = 0;
	int used = 0;

	if (strcmp(arg, "real") == 0) {
		o->real_clock = true;
		return;
	}
	if (arg[0] == '@') {
		uint64_t seconds = number(arg + 1, arg);

		o->config.epoch_ns = epoch_of(seconds < INT64_MAX ? (int64_t)seconds : INT64_MAX,
					      arg);
		return;
	}
	if (sscanf(arg, "%4d-%2d-%2d%n", &year, &month, &day, &used) != 3 || month < 1 ||
	    month > 12 || day < 1 || day > 31)
		fatal("--clock wants `real`, @SECONDS or YYYY-MM-DD[THH:MM:SS], not '%s'", arg);
	arg += used;
	if ((arg[0] == 'T' || arg[0] == ' ') &&
	    sscanf(arg + 1, "%2d:%2d:%2d%n", &hour, &minute, &second, &used) == 3)
		arg += 1 + used;
	if (strcmp(arg, "Z") != 0 && arg[0] != '\0')
		fatal("--clock: unexpected '%s'", arg);
	o->config.epoch_ns = epoch_of(days_from_civil(year, month, day) * 86400 + hour * 3600 +
					      minute * 60 + second,
				      whole);
}

static void set_env(struct options *o, const char *arg)
{
	if (strchr(arg, '=') == NULL || arg[0] == '=')
		fatal("--env wants NAME=VALUE, not '%s'", arg);
	if (o->nenv == ENV_MAX)
		fatal("more than %d --env options", ENV_MAX);
	o->env[o->nenv++] = arg;
}

void options_add_terminal(struct options *o)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";
	static char text[80];
	const char *term = getenv("TERM");

	for (int i = 0; i < o->nenv; i++)
		if (strncmp(o->env[i], "TERM=", 5) == 0)
			return;
	if (term == NULL || *term == '\0' || strlen(term) > 64 ||
	    term[strspn(term, letters)] != '\0' || o->nenv == ENV_MAX)
		return;
	snprintf(text, sizeof text, "TERM=%s", term);
	o->env[o->nenv++] = text;
}

static void set_microvm(struct options *o, const char *arg)
{
	o->microvm = strcmp(arg, "auto") == 0;
	if (!o->microvm && strcmp(arg, "off") != 0)
		fatal("--microvm wants `auto` or `off`, not '%s'", arg);
}

static void hand_on(struct options *o, const char *arg)
{
	if (o->shell_argc + 1 >= (int)(sizeof o->shell_argv / sizeof o->shell_argv[0]))
		fatal("too many shell options");
	o->shell_argv[o->shell_argc++] = arg;
}

char *option_value(const char *name, int argc, char **argv, int *i)
{
	size_t len = strlen(name);
	char *arg = argv[*i];

	if (strncmp(arg, name, len) != 0)
		return NULL;
	if (arg[len] == '=')
		return arg + len + 1;
	if (arg[len] != '\0')
		return NULL;
	if (*i + 1 >= argc)
		fatal("option '%s' needs a value", name);
	return argv[++*i];
}

static bool long_option(struct options *o, int argc, char **argv, int *i)
{
	char *v;

	if ((v = option_value("--mount", argc, argv, i)) != NULL)
		set_mount(o, v);
	else if ((v = option_value("--image", argc, argv, i)) != NULL)
		set_image(o, v);
	else if ((v = option_value("--cwd", argc, argv, i)) != NULL)
		o->config.cwd = v;
	else if ((v = option_value("--env", argc, argv, i)) != NULL)
		set_env(o, v);
	else if ((v = option_value("--user", argc, argv, i)) != NULL)
		o->config.user = v;
	else if ((v = option_value("--limit", argc, argv, i)) != NULL)
		options_limit(&o->config, v);
	else if ((v = option_value("--profile", argc, argv, i)) != NULL)
		options_profile(&o->config, v);
	else if ((v = option_value("--seed", argc, argv, i)) != NULL)
		o->config.seed = number(v, "--seed");
	else if ((v = option_value("--clock", argc, argv, i)) != NULL)
		set_clock(o, v);
	else if ((v = option_value("--microvm", argc, argv, i)) != NULL)
		set_microvm(o, v);
	else if (strcmp(argv[*i], "--warm") == 0)
		o->config.warm_starts = true;
	else if ((v = option_value("--image-programs", argc, argv, i)) != NULL)
		o->config.image_programs = strcmp(v, "none") == 0 ? "" : v;
	else if (strcmp(argv[*i], "--json") == 0)
		o->json = true;
	else if (strcmp(argv[*i], "--no-lockdown") == 0)
		o->no_lockdown = true;
	else if (strcmp(argv[*i], "--posix") == 0 || strcmp(argv[*i], "--norc") == 0 ||
		 strcmp(argv[*i], "--noprofile") == 0 || strcmp(argv[*i], "--login") == 0)
		hand_on(o, argv[*i]);
	else
		return fetch_option(argc, argv, i) || trace_option(argc, argv, i) ||
		       debug_option(argc, argv, i) || journal_option(argc, argv, i) ||
		       saved_option(argc, argv, i) || changes_option(argc, argv, i) ||
		       report_option(argv[*i]);
	return true;
}

/* A group such as -xeuc: c takes the script from the next argument, o and O their names. */
static void short_options(struct options *o, int argc, char **argv, int *i)
{
	const char *arg = argv[*i];
	bool command = false;

	for (const char *c = arg + 1; *c != '\0'; c++)
		if (strchr("abcefhiklmnoprstuvxBCEHOPT", *c) == NULL)
			fatal("unknown option '-%c' (see --help)", *c);
	for (const char *c = arg + 1; *c != '\0'; c++) {
		static char letters[64][3];
		char *one = letters[o->shell_argc & 63];

		if (*c == 'c') {
			command = true;
			continue;
		}
		one[0] = arg[0];
		one[1] = *c;
		hand_on(o, one);
		if (*c == 'o' || *c == 'O') {
			if (*i + 1 >= argc)
				fatal("option '%s' needs a name", arg);
			hand_on(o, argv[++*i]);
		}
	}
	if (command) {
		if (*i + 1 >= argc)
			fatal("option '-c' needs a script");
		o->script = argv[++*i];
	}
}

void options_parse(int argc, char **argv, struct options *o)
{
	static const struct cowsh_config defaults = COWSH_CONFIG_INIT;
	int i = 1;

	o->config = defaults;
	for (; i < argc && o->script == NULL && (argv[i][0] == '-' || argv[i][0] == '+') &&
	       argv[i][1] != '\0';
	     i++) {
		if (strcmp(argv[i], "--help") == 0) {
			print_help();
			said();
		}
		if (strcmp(argv[i], "--version") == 0) {
			out_format("cowsh %s\n", cowsh_version());
			said();
		}
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (argv[i][1] != '-')
			short_options(o, argc, argv, &i);
		else if (!long_option(o, argc, argv, &i))
			fatal("unknown option '%s' (see --help)", argv[i]);
	}
	if (o->script == NULL && i < argc)
		o->file = argv[i++];
	o->args = argv + i;
	o->nargs = argc - i;
	o->config.env = o->env;
	o->time_limit_ms = (o->config.limits_set >> COWSH_LIMIT_TIME & 1) != 0
				   ? o->config.limit[COWSH_LIMIT_TIME]
				   : cowsh_limit_value(COWSH_LIMIT_TIME, o->config.profile);
}
