/* SPDX-License-Identifier: MIT
 *
 * locale - the locale of the environment. There are C, C.utf8 and POSIX.
 */
#include "builtins/builtin.h"

struct locale_opts {
	bool all;
	bool charmaps;
	bool keywords;
	bool categories;
	bool verbose;
};

static const struct opt locale_options[] = {
	OPT_FLAG('a', "all-locales", struct locale_opts, all, "write which locales there are"),
	OPT_FLAG('m', "charmaps", struct locale_opts, charmaps, "write which character sets"),
	OPT_FLAG('k', "keyword-name", struct locale_opts, keywords, "write names before values"),
	OPT_FLAG('c', "category-name", struct locale_opts, categories,
		 "write names of categories too"),
	OPT_FLAG('v', "verbose", struct locale_opts, verbose, "with -a: what they are"),
	OPT_END(),
};

static const char *const categories[] = {
	"LC_CTYPE",    "LC_NUMERIC",   "LC_TIME",        "LC_COLLATE",
	"LC_MONETARY", "LC_MESSAGES",  "LC_PAPER",       "LC_NAME",
	"LC_ADDRESS",  "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION",
};

static const struct {
	const char *name;
	const char *category;
	const char *value; /* NULL: the character set */
	bool text;         /* in quotes with -k */
} keywords[] = {
	{ "decimal_point", "LC_NUMERIC", ".", true },
	{ "thousands_sep", "LC_NUMERIC", "", true },
	{ "grouping", "LC_NUMERIC", "-1", false },
	{ "numeric-decimal-point-wc", "LC_NUMERIC", "46", false },
	{ "numeric-thousands-sep-wc", "LC_NUMERIC", "0", false },
	{ "numeric-codeset", "LC_NUMERIC", NULL, true },
	{ "abday", "LC_TIME", "Sun;Mon;Tue;Wed;Thu;Fri;Sat", true },
	{ "day", "LC_TIME", "Sunday;Monday;Tuesday;Wednesday;Thursday;Friday;Saturday", true },
	{ "abmon", "LC_TIME", "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec", true },
	{ "mon", "LC_TIME",
	  "January;February;March;April;May;June;July;August;September;October;November;December",
	  true },
	{ "am_pm", "LC_TIME", "AM;PM", true },
	{ "d_t_fmt", "LC_TIME", "%a %b %e %H:%M:%S %Y", true },
	{ "d_fmt", "LC_TIME", "%m/%d/%y", true },
	{ "t_fmt", "LC_TIME", "%H:%M:%S", true },
	{ "t_fmt_ampm", "LC_TIME", "%I:%M:%S %p", true },
	{ "era", "LC_TIME", "", false },
	{ "era_year", "LC_TIME", "", true },
	{ "era_d_fmt", "LC_TIME", "", true },
	{ "alt_digits", "LC_TIME", "", false },
	{ "era_d_t_fmt", "LC_TIME", "", true },
	{ "era_t_fmt", "LC_TIME", "", true },
	{ "time-era-num-entries", "LC_TIME", "0", false },
	{ "time-era-entries", "LC_TIME", "S", true },
	{ "week-ndays", "LC_TIME", "7", false },
	{ "week-1stday", "LC_TIME", "19971130", false },
	{ "week-1stweek", "LC_TIME", "4", false },
	{ "first_weekday", "LC_TIME", "1", false },
	{ "first_workday", "LC_TIME", "2", false },
	{ "cal_direction", "LC_TIME", "1", false },
	{ "timezone", "LC_TIME", "", true },
	{ "date_fmt", "LC_TIME", "%a %b %e %H:%M:%S %Z %Y", true },
	{ "time-codeset", "LC_TIME", NULL, true },
	{ "alt_mon", "LC_TIME",
	  "January;February;March;April;May;June;July;August;September;October;November;December",
	  true },
	{ "ab_alt_mon", "LC_TIME", "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec", true },
	{ "yesexpr", "LC_MESSAGES", "^[yY]", true },
	{ "noexpr", "LC_MESSAGES", "^[nN]", true },
	{ "yesstr", "LC_MESSAGES", "", true },
	{ "nostr", "LC_MESSAGES", "", true },
	{ "messages-codeset", "LC_MESSAGES", NULL, true },
	{ "int_curr_symbol", "LC_MONETARY", "", true },
};

static const char *value_of(struct cmd *c, const char *name)
{
	const char *value = cmd_getenv(c, name);

	return value != NULL ? value : "";
}

static int put_all(struct cmd *c)
{
	const char *lang = value_of(c, "LANG");
	const char *all = value_of(c, "LC_ALL");

	cmd_printf(c, "LANG=%s\nLANGUAGE=%s\n", lang, value_of(c, "LANGUAGE"));
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		const char *own = value_of(c, categories[i]);

		if (*own != '\0' && *all == '\0')
			cmd_printf(c, "%s=%s\n", categories[i], own);
		else
			cmd_printf(c, "%s=\"%s\"\n", categories[i],
				   *all != '\0'    ? all
				   : *lang != '\0' ? lang
						   : "POSIX");
	}
	cmd_printf(c, "LC_ALL=%s\n", all);
	return 0;
}

static void put_keyword(struct cmd *c, const char *name, const char *value, bool text)
{
	const struct locale_opts *o = c->opts;

	if (value == NULL)
		value = c->utf8 ? "UTF-8" : "ANSI_X3.4-1968";
	if (o->keywords)
		cmd_printf(c, text ? "%s=\"%s\"\n" : "%s=%s\n", name, value);
	else
		cmd_printf(c, "%s\n", value);
}

/* A keyword, or all of a category. */
static bool put_name(struct cmd *c, const char *name)
{
	const struct locale_opts *o = c->opts;
	bool found = false;

	if (strcmp(name, "charmap") == 0) {
		if (o->categories)
			cmd_puts(c, "LC_CTYPE\n");
		put_keyword(c, name, NULL, true);
		return true;
	}
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		bool category = strcmp(name, keywords[i].category) == 0;

		if (!category && strcmp(name, keywords[i].name) != 0)
			continue;
		if (o->categories && !found)
			cmd_printf(c, "%s\n", keywords[i].category);
		put_keyword(c, keywords[i].name, keywords[i].value, keywords[i].text);
		found = true;
	}
	return found;
}

static int locale_run(struct cmd *c)
{
	const struct locale_opts *o = c->opts;
	int status = 0;

	if (o->all && o->verbose) {
		cmd_puts(c, "locale: C.utf8          directory: /usr/lib/locale/C.utf8\n"
			    "----------------------------------------------------------------------"
			    "---------\n"
			    "    title | C locale\n"
			    "    email | bug-glibc-locales@gnu.org\n"
			    " revision | 2.1\n"
			    "     date | 2022-01-30\n"
			    "  codeset | UTF-8\n");
		return 0;
	}
	if (o->all) {
		cmd_puts(c, "C\nC.utf8\nPOSIX\n");
		return 0;
	}
	if (o->charmaps) {
		cmd_puts(c, "ANSI_X3.4-1968\nUTF-8\n");
		return 0;
	}
	if (c->nargs == 0)
		return put_all(c);
	for (int i = 0; i < c->nargs; i++)
		if (!put_name(c, c->args[i]))
			status = cmd_error(c, 0, "unknown name \"%s\"", c->args[i]);
	return status;
}

const struct builtin builtin_locale = {
	.name = "locale",
	.usage = "[OPTION]... [NAME]...",
	.summary = "Writes the locale of the environment, or what it says.",
	.run = locale_run,
	.opts = locale_options,
	.opts_size = sizeof(struct locale_opts),
	.hint = "Try `%s --help' or `%s --usage' for more information.\n",
	.usage_status = 64,
	.family = "glibc 2.36",
	.version = "locale (Debian GLIBC 2.36) 2.36",
};
