/* SPDX-License-Identifier: MIT
 *
 * ps --help SECTION.
 */
#include "builtins/ps/private.h"

static const char simple[] =
	"Basic options:\n"
	" -A, -e               all processes\n"
	" -a                   all that have a terminal, but for leaders of sessions\n"
	"  a                   all that have a terminal\n"
	" -d                   all but leaders of sessions\n"
	" -N, --deselect       all but the chosen ones\n"
	"  r                   only those that run\n"
	"  T                   all of this terminal\n"
	"  x                   also those without a terminal\n";

static const char list[] = "Selection by list:\n"
			   " -C <command>         name of the program\n"
			   " -G, --Group <group>  real group, number or name\n"
			   " -g <group>           session, or effective group by name\n"
			   "     --group <group>  effective group, number or name\n"
			   " -p, p, --pid <PID>   number of the process\n"
			   "     --ppid <PID>     number of the parent\n"
			   " -q, q, --quick-pid <PID>\n"
			   "                      these, in the order of the list\n"
			   " -s, --sid <session>  session\n"
			   " -t, t, --tty <tty>   terminal\n"
			   " -u, U, --user <user> effective user, number or name\n"
			   " -U, --User <user>    real user, number or name\n"
			   "\n"
			   "  Items of a list have commas or blanks between them.\n";

static const char output[] =
	"Output formats:\n"
	" -F                   -f and more\n"
	" -f                   full lines, with the arguments\n"
	"  f, --forest         a tree, drawn\n"
	" -H                   a tree, by indentation\n"
	" -j                   groups and sessions\n"
	"  j                   the same, BSD's columns\n"
	" -l                   long lines\n"
	"  l                   the same, BSD's columns\n"
	" -M, -Z, Z            a column of security labels\n"
	" -O <format>          these columns between those of the default\n"
	"  O <format>          the same, or an order by letters\n"
	" -o, o, --format <format>\n"
	"                      columns: NAME[:WIDTH][=HEADER],...\n"
	" -P                   a column of processors\n"
	"  s                   signals\n"
	"  u                   users and what they use\n"
	"  v                   memory\n"
	"  X                   registers\n"
	" -y                   no flags, memory instead of addresses (with -l)\n"
	"     --context        security labels\n"
	"     --headers        headers on each page\n"
	"     --no-headers     no headers\n"
	"     --cols, --columns, --width <num>\n"
	"                      how wide lines are\n"
	"     --rows, --lines <num>\n"
	"                      how long pages are\n";

static const char threads[] = "Show threads:\n"
			      "  H                   as if they were processes\n"
			      " -L                   perhaps with columns LWP and NLWP\n"
			      " -m, m                below their processes\n"
			      " -T                   perhaps with a column SPID\n";

static const char misc[] = "Miscellaneous options:\n"
			   " -c                   classes of scheduling\n"
			   "  c                   names of programs instead of their arguments\n"
			   "  e                   the environment behind the arguments\n"
			   "  k, --sort <order>   order: [+|-]COLUMN,...\n"
			   "  L                   names of all columns\n"
			   "  n                   numbers instead of names\n"
			   "  S, --cumulative     times with those of children that ended\n"
			   " -V, V, --version     say which version this is, and exit\n"
			   " -w, w                wide lines, twice: of any width\n"
			   "\n"
			   "     --help <simple|list|output|threads|misc|all>\n"
			   "                      say how to use this command, and exit\n";

static const char more[] = " Try 'ps --help <simple|list|output|threads|misc|all>'\n"
			   "  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n";

void ps_put_help(struct cmd *c, const char *section)
{
	static const struct {
		const char *name;
		const char *text;
	} sections[] = {
		{ "simple", simple },   { "list", list }, { "output", output },
		{ "threads", threads }, { "misc", misc },
	};
	bool all = section != NULL && (strcmp(section, "all") == 0 || strcmp(section, "a") == 0);
	bool any = false;

	cmd_puts(c, "\nUsage:\n ps [options]\n\n");
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const char *name = sections[i].name;

		if (!all && (section == NULL || (strcmp(section, name) != 0 &&
						 (section[0] != name[0] || section[1] != '\0'))))
			continue;
		cmd_printf(c, "%s\n", sections[i].text);
		any = true;
	}
	cmd_printf(c, "%s%sFor more details see ps(1).\n", any ? "" : more, any ? "" : "\n");
}
