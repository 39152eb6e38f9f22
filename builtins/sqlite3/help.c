/* SPDX-License-Identifier: MIT
 *
 * What .help says: SQLite's own lines, for the commands and options there are here.
 */
#include "builtins/sqlite3/shell.h"

/* A line that begins with '.' begins a command's entry. */
static const char *const lines[] = {
	".auth ON|OFF             Show authorizer callbacks",
	".backup ?DB? FILE        Backup DB (default \"main\") to FILE",
	"   Options:",
	"       --async             Write to FILE without journal and fsync()",
	".bail on|off             Stop after hitting an error.  Default OFF",
	".binary on|off           Turn binary output on or off.  Default OFF",
	".cd DIRECTORY            Change the working directory to DIRECTORY",
	".changes on|off          Show number of rows changed by SQL",
	".clone NEWDB             Clone data into NEWDB from the existing database",
	".databases               List names and files of attached databases",
	".dbconfig ?op? ?val?     List or change sqlite3_db_config() options",
	".dump ?OBJECTS?          Render database content as SQL",
	"   Options:",
	"     --data-only            Output only INSERT statements",
	"     --newlines             Allow unescaped newline characters in output",
	"     --nosys                Omit system tables (ex: \"sqlite_stat1\")",
	"     --preserve-rowids      Include ROWID values in the output",
	"   OBJECTS is a LIKE pattern for tables, indexes, triggers or views to dump",
	"   Additional LIKE patterns can be given in subsequent arguments",
	".echo on|off             Turn command echo on or off",
	".eqp on|off|full|...     Enable or disable automatic EXPLAIN QUERY PLAN",
	"   Other Modes:",
	"      trigger               Like \"full\" but also show trigger bytecode",
	".exit ?CODE?             Exit this program with return-code CODE",
	".explain ?on|off|auto?   Change the EXPLAIN formatting mode.  Default: auto",
	".fullschema ?--indent?   Show schema and the content of sqlite_stat tables",
	".headers on|off          Turn display of headers on or off",
	".help ?-all? ?PATTERN?   Show help text for PATTERN",
	".import FILE TABLE       Import data from FILE into TABLE",
	"   Options:",
	"     --ascii               Use \\037 and \\036 as column and row separators",
	"     --csv                 Use , and \\n as column and row separators",
	"     --skip N              Skip the first N rows of input",
	"     --schema S            Target table to be S.TABLE",
	"     -v                    \"Verbose\" - increase auxiliary output",
	"   Notes:",
	"     *  If TABLE does not exist, it is created.  The first row of input",
	"        determines the column names.",
	"     *  If neither --csv or --ascii are used, the input mode is derived",
	"        from the \".mode\" output mode",
	"     *  If FILE begins with \"|\" then it is a command that generates the",
	"        input text.",
	".indexes ?TABLE?         Show names of indexes",
	"                           If TABLE is specified, only show indexes for",
	"                           tables matching TABLE using the LIKE operator.",
	".limit ?LIMIT? ?VAL?     Display or change the value of an SQLITE_LIMIT",
	".lint OPTIONS            Report potential schema issues.",
	"     Options:",
	"        fkey-indexes     Find missing foreign key indexes",
	".mode MODE ?OPTIONS?     Set output mode",
	"   MODE is one of:",
	"     ascii       Columns/rows delimited by 0x1F and 0x1E",
	"     box         Tables using unicode box-drawing characters",
	"     csv         Comma-separated values",
	"     column      Output in columns.  (See .width)",
	"     html        HTML <table> code",
	"     insert      SQL insert statements for TABLE",
	"     json        Results in a JSON array",
	"     line        One value per line",
	"     list        Values delimited by \"|\"",
	"     markdown    Markdown table format",
	"     qbox        Shorthand for \"box --wrap 60 --quote\"",
	"     quote       Escape answers as for SQL",
	"     table       ASCII-art table",
	"     tabs        Tab-separated values",
	"     tcl         TCL list elements",
	"   OPTIONS: (for columnar modes or insert mode):",
	"     --wrap N       Wrap output lines to no longer than N characters",
	"     --wordwrap B   Wrap or not at word boundaries per B (on/off)",
	"     --ww           Shorthand for \"--wordwrap 1\"",
	"     --quote        Quote output text as SQL literals",
	"     --noquote      Do not quote output text",
	"     TABLE          The name of SQL table used for \"insert\" mode",
	".nullvalue STRING        Use STRING in place of NULL values",
	".once ?OPTIONS? ?FILE?   Output for the next SQL command only to FILE",
	"     If FILE begins with '|' then open as a pipe",
	"       --bom  Put a UTF8 byte-order mark at the beginning",
	".open ?OPTIONS? ?FILE?   Close existing database and reopen FILE",
	"     Options:",
	"        --new           Initialize FILE to an empty database",
	"        --nofollow      Do not follow symbolic links",
	"        --readonly      Open FILE readonly",
	".output ?FILE?           Send output to FILE or stdout if FILE is omitted",
	"   If FILE begins with '|' then open it as a pipe.",
	"   Options:",
	"     --bom                 Prefix output with a UTF8 byte-order mark",
	".parameter CMD ...       Manage SQL parameter bindings",
	"   clear                   Erase all bindings",
	"   init                    Initialize the TEMP table that holds bindings",
	"   list                    List the current parameter bindings",
	"   set PARAMETER VALUE     Given SQL parameter PARAMETER a value of VALUE",
	"                           PARAMETER should start with one of: $ : @ ?",
	"   unset PARAMETER         Remove PARAMETER from the binding table",
	".print STRING...         Print literal STRING",
	".prompt MAIN CONTINUE    Replace the standard prompts",
	".quit                    Exit this program",
	".read FILE               Read input from FILE or command output",
	"    If FILE begins with \"|\", it is a command that generates the input.",
	".restore ?DB? FILE       Restore content of DB (default \"main\") from FILE",
	".save ?OPTIONS? FILE     Write database to FILE (an alias for .backup ...)",
	".schema ?PATTERN?        Show the CREATE statements matching PATTERN",
	"   Options:",
	"      --indent             Try to pretty-print the schema",
	"      --nosys              Omit objects whose names start with \"sqlite_\"",
	".separator COL ?ROW?     Change the column and row separators",
	".sha3sum ...             Compute a SHA3 hash of database content",
	"    Options:",
	"      --schema              Also hash the sqlite_schema table",
	"      --sha3-224            Use the sha3-224 algorithm",
	"      --sha3-256            Use the sha3-256 algorithm (default)",
	"      --sha3-384            Use the sha3-384 algorithm",
	"      --sha3-512            Use the sha3-512 algorithm",
	"    Any other argument is a LIKE pattern for tables to hash",
	".shell CMD ARGS...       Run CMD ARGS... in a system shell",
	".show                    Show the current values for various settings",
	".system CMD ARGS...      Run CMD ARGS... in a system shell",
	".tables ?TABLE?          List names of tables matching LIKE pattern TABLE",
	".timeout MS              Try opening locked tables for MS milliseconds",
	".timer on|off            Turn SQL timer on or off",
	".trace ?OPTIONS?         Output each SQL statement as it is run",
	"    FILE                    Send output to FILE",
	"    stdout                  Send output to stdout",
	"    stderr                  Send output to stderr",
	"    off                     Disable tracing",
	"    --expanded              Expand query parameters",
	"    --plain                 Show SQL as it is input",
	".width NUM1 NUM2 ...     Set minimum column widths for columnar output",
	"     Negative values right-justify",
};

enum { LINES = sizeof lines / sizeof lines[0] };

static void put_entry(struct shell *s, size_t i)
{
	do
		say(s, "%s\n", lines[i]);
	while (++i < LINES && lines[i][0] != '.');
}

/* Entries whose first line matches; of a single one all lines (but never the last of all: as
 * SQLite's shell). */
static int put_matching(struct shell *s, const char *glob)
{
	size_t last = 0;
	int found = 0;

	for (size_t i = 0; i < LINES; i++)
		if (lines[i][0] == '.' && sqlite3_strglob(glob, lines[i]) == 0) {
			say(s, "%s\n", lines[i]);
			last = i + 1;
			found++;
		}
	if (found == 1)
		for (size_t i = last; i + 1 < LINES && lines[i][0] != '.'; i++)
			say(s, "%s\n", lines[i]);
	return found;
}

/* Entries with the pattern anywhere in their text. */
static int put_mentioning(struct shell *s, const char *like)
{
	size_t entry = 0;
	int found = 0;

	for (size_t i = 0; i < LINES; i++) {
		if (lines[i][0] == '.')
			entry = i;
		if (sqlite3_strlike(like, lines[i], 0) != 0)
			continue;
		put_entry(s, entry);
		found++;
		while (i + 1 < LINES && lines[i + 1][0] != '.')
			i++;
	}
	return found;
}

void dot_help(struct shell *s, const char *pattern, bool all)
{
	if (pattern == NULL || all) {
		for (size_t i = 0; i < LINES; i++)
			if (all || lines[i][0] == '.')
				say(s, "%s\n", lines[i]);
		return;
	}
	if (put_matching(s, compose(s, ".%s*", pattern)) > 0 ||
	    put_mentioning(s, compose(s, "%%%s%%", pattern)) > 0)
		return;
	say(s, "Nothing matches '%s'\n", pattern);
}
