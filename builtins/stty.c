/* SPDX-License-Identifier: MIT
 *
 * stty - settings of a terminal: a session has none, unless its host says so.
 */
#include "builtins/builtin.h"

static const char *const words[] = {
	"parenb",  "parodd", "hupcl",  "hup",     "cstopb",  "cread",  "clocal", "crtscts",
	"ignbrk",  "brkint", "ignpar", "parmrk",  "inpck",   "istrip", "inlcr",  "igncr",
	"icrnl",   "ixon",   "ixoff",  "ixany",   "imaxbel", "iutf8",  "opost",  "olcuc",
	"ocrnl",   "onlcr",  "onocr",  "onlret",  "ofill",   "isig",   "icanon", "iexten",
	"echo",    "echoe",  "echok",  "echonl",  "noflsh",  "xcase",  "tostop", "echoprt",
	"echoctl", "echoke", "flusho", "extproc", "raw",     "cooked", "sane",   "evenp",
	"oddp",    "nl",     "ek",     "crt",     "dec",     "cbreak", "pass8",  "litout",
	"tabs",    "cs5",    "cs6",    "cs7",     "cs8",     "drain",
};

static const char *const with_value[] = {
	"rows",  "cols", "columns", "min",   "time",   "ispeed", "ospeed",  "line",
	"intr",  "quit", "erase",   "kill",  "eof",    "eol",    "eol2",    "swtch",
	"start", "stop", "susp",    "rprnt", "werase", "lnext",  "discard",
};

static const char all_text[] =
	"speed 38400 baud; rows 24; columns 80; line = 0;\n"
	"intr = ^C; quit = ^\\; erase = ^?; kill = ^U; eof = ^D; eol = <undef>;\n"
	"eol2 = <undef>; swtch = <undef>; start = ^Q; stop = ^S; susp = ^Z; rprnt = ^R;\n"
	"werase = ^W; lnext = ^V; discard = ^O; min = 1; time = 0;\n"
	"-parenb -parodd -cmspar cs8 -hupcl -cstopb cread -clocal -crtscts\n"
	"-ignbrk -brkint -ignpar -parmrk -inpck -istrip -inlcr -igncr icrnl ixon -ixoff\n"
	"-iuclc -ixany -imaxbel -iutf8\n"
	"opost -olcuc -ocrnl onlcr -onocr -onlret -ofill -ofdel nl0 cr0 tab0 bs0 vt0 ff0\n"
	"isig icanon iexten echo echoe echok -echonl -noflsh -xcase -tostop -echoprt\n"
	"echoctl echoke -flusho -extproc\n";

static bool is_in(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

/* Settings from args[at] on: 0 or a status. */
static int check(struct cmd *c, int at)
{
	uint64_t n;

	for (; at < c->nargs; at++) {
		const char *word = c->args[at];

		if (is_in(word, with_value, sizeof(with_value) / sizeof(with_value[0]))) {
			if (++at == c->nargs)
				return cmd_usage(c, "missing argument to %s", cmd_quote(c, word));
			continue;
		}
		if (strcmp(word, "size") == 0 || strcmp(word, "speed") == 0 || num_plain(word, &n))
			continue;
		if (!is_in(word + (*word == '-'), words, sizeof(words) / sizeof(words[0])))
			return cmd_usage(c, "invalid argument %s", cmd_quote(c, word));
	}
	return 0;
}

static int stty_run(struct cmd *c)
{
	const char *device = NULL;
	bool all = false;
	int at = 0;
	int fd = 0;

	for (; at < c->nargs && c->args[at][0] == '-'; at++) {
		if (strcmp(c->args[at], "-a") == 0 || strcmp(c->args[at], "--all") == 0)
			all = true;
		else if (strcmp(c->args[at], "-F") == 0 && at + 1 < c->nargs)
			device = c->args[++at];
		else if (strncmp(c->args[at], "--file=", 7) == 0)
			device = c->args[at] + 7;
		else if (strcmp(c->args[at], "-g") != 0 && strcmp(c->args[at], "--save") != 0)
			break;
	}
	int status = check(c, at);

	if (status != 0)
		return status;
	if (device != NULL && (fd = cmd_open(c, CMD_CWD, device, O_RDONLY_, 0)) < 0)
		return cmd_error(c, fd, "%s", cmd_quotef(c, device));
	if (!cmd_isatty(c, fd))
		return cmd_error(c, -E_NOTTY, "%s",
				 device != NULL ? cmd_quotef(c, device) : "'standard input'");
	if (at < c->nargs && strcmp(c->args[at], "size") == 0)
		cmd_puts(c, "24 80\n");
	else if (at < c->nargs && strcmp(c->args[at], "speed") == 0)
		cmd_puts(c, "38400\n");
	else if (all)
		cmd_puts(c, all_text);
	else if (at == c->nargs)
		cmd_puts(c, "speed 38400 baud; line = 0;\n");
	return 0;
}

static const struct opt stty_options[] = {
	OPT_CALL('a', "all", opt_ignored, "write all settings"),
	OPT_CALL('g', "save", opt_ignored, "write them for stty to read"),
	OPT_CALL_ARG('F', "file", opt_ignored, "DEVICE", "not of standard input"),
	OPT_END(),
};

const struct builtin builtin_stty = {
	.name = "stty",
	.usage = "[-a] [-F DEVICE] [SETTING]...",
	.summary = "Writes settings of a terminal; changes to them have no effect here.",
	.run = stty_run,
	.opts = stty_options,
	.flags = BUILTIN_RAW_HELP,
};
