/* SPDX-License-Identifier: MIT
 *
 * zip's options: Info-ZIP's own ways. Letters are bundled, some are two of them, -x and -i take a
 * list, long names may be cut short.
 */
#include "builtins/zip/make.h"

struct long_option {
	const char *name;
	const char *letters;
};

static const struct long_option long_options[] = {
	{ "recurse-paths", "r" },  { "quiet", "q" },           { "junk-paths", "j" },
	{ "exclude", "x" },        { "include", "i" },         { "delete", "d" },
	{ "update", "u" },         { "freshen", "f" },         { "move", "m" },
	{ "names-stdin", "@" },    { "verbose", "v" },         { "symlinks", "y" },
	{ "no-dir-entries", "D" }, { "strip-extra", "X" },     { "no-extra", "X" },
	{ "test", "T" },           { "filesync", "FS" },       { "show-files", "sf" },
	{ "latest-time", "o" },    { "suffixes", "n" },        { "from-crlf", "ll" },
	{ "to-crlf", "l" },        { "archive-comment", "z" }, { "from-date", "t" },
	{ "before-date", "tt" },   { "store", "0" },           { "encrypt", "e" },
	{ "password", "P" },
};

static bool flag(struct zip *z, char ch)
{
	switch (ch) {
	case 'r': z->recurse = true; return true;
	case 'j': z->junk = true; return true;
	case 'q': z->quiet = true; return true;
	case 'v':
		z->verbose++;
		z->quiet = false;
		return true;
	case 'd': z->action = ZIP_DELETE; return true;
	case 'u': z->action = ZIP_UPDATE; return true;
	case 'f': z->action = ZIP_FRESHEN; return true;
	case 'm': z->move = true; return true;
	case 'y': z->symlinks = true; return true;
	case 'D': z->no_dirs = true; return true;
	case 'X': z->no_extra = true; return true;
	case 'T': z->test = true; return true;
	case 'o': z->newest = true; return true;
	case 'z': z->comment = true; return true;
	case '@': z->from_stdin = true; return true;
	case 'l': z->convert = 1; return true;
	case 'e': z->ask_password = true; return true;
	default: break;
	}
	if (!byte_is_digit(ch))
		return false;
	z->level = ch - '0';
	return true;
}

static int64_t read_date(struct zip *z, const char *text)
{
	struct civil t = { 0 };
	bool iso = strlen(text) == 10 && text[4] == '-' && text[7] == '-';
	uint64_t digits = 0;

	for (const char *at = text; *at != '\0'; at++) {
		if (byte_is_digit(*at))
			digits = digits * 10 + (uint64_t)(*at - '0');
		if (digits > 99999999)
			return -1;
	}
	if (!iso && strlen(text) != 8)
		return -1;
	t.year = (int64_t)(iso ? digits / 10000 : digits % 10000);
	t.month = (int)(iso ? digits / 100 % 100 : digits / 1000000);
	t.day = (int)(iso ? digits % 100 : digits / 10000 % 100);
	return time_of_civil(z->zone, &t) * 1000000000;
}

struct parse {
	struct zip *z;
	int i;
	struct zip_names *list; /* of -x or -i that is being read */
};

static const char *value(struct parse *p, const char *rest)
{
	struct cmd *c = p->z->c;

	if (*rest != '\0')
		return rest + (*rest == '=');
	return p->i + 1 < c->argc ? c->argv[++p->i] : NULL;
}

/* One option at `at`: how many letters it took, 0: none such, -1: it took the whole rest. */
static int one_option(struct parse *p, const char *at)
{
	struct zip *z = p->z;
	const char *arg;

	if (strncmp(at, "FS", 2) == 0) {
		z->action = ZIP_SYNC;
		return 2;
	}
	if (strncmp(at, "sf", 2) == 0) {
		z->show = true;
		return 2;
	}
	if (strncmp(at, "ll", 2) == 0) {
		z->convert = 2;
		return 2;
	}
	if (*at == 'x' || *at == 'i') {
		p->list = *at == 'x' ? &z->excludes : &z->includes;
		/* A pattern in the same argument is the only one. */
		if (at[1] != '\0') {
			zip_names_add(z->c, p->list, at + 1 + (at[1] == '='), false);
			p->list = NULL;
		}
		return -1;
	}
	if (*at == 'P') {
		z->password = value(p, at + 1);
		return z->password != NULL ? -1 : 0;
	}
	if (*at == 'n' || *at == 't' || *at == 'b') {
		bool before = strncmp(at, "tt", 2) == 0;

		arg = value(p, at + (before ? 2 : 1));
		if (arg == NULL)
			return 0;
		if (*at == 'n')
			z->suffixes = arg;
		else if (*at == 't')
			*(before ? &z->before_ns : &z->after_ns) = read_date(z, arg);
		return -1;
	}
	return flag(z, *at) ? 1 : 0;
}

static int parse_letters(struct parse *p, const char *at)
{
	while (*at != '\0') {
		int n = one_option(p, at);

		if (n < 0)
			return 0;
		if (n == 0 && *at == 'P')
			return zip_fail(p->z, ZIP_E_PARAMS,
					"Invalid command arguments (option 'P' (encrypt entries, "
					"option value is password) requires a value)");
		if (n == 0)
			return zip_fail(
				p->z, ZIP_E_PARAMS,
				"Invalid command arguments (short option '%c' not supported)", *at);
		at += n;
		if (*at == '-')
			at++;
	}
	return 0;
}

/* "name" or "name=value", the name cut short if no other begins so. */
static int parse_long(struct parse *p, const char *name)
{
	size_t len = strcspn(name, "=");
	const char *found = NULL;
	int fitting = 0;

	for (size_t i = 0; i < sizeof long_options / sizeof long_options[0]; i++) {
		const struct long_option *o = &long_options[i];

		if (len == 0 || strncmp(o->name, name, len) != 0)
			continue;
		found = o->letters;
		fitting++;
		if (o->name[len] == '\0') {
			fitting = 1;
			break;
		}
	}
	if (fitting == 1) {
		struct buf letters = buf_in(p->z->c->arena);

		buf_printf(&letters, "%s%s", found, name[len] == '=' ? name + len + 1 : "");
		return parse_letters(p, buf_cstr(&letters));
	}
	return zip_fail(p->z, ZIP_E_PARAMS, "Invalid command arguments (long option '%.*s' %s)",
			(int)len, name, fitting > 1 ? "ambiguous" : "not supported");
}

static int check_password(struct zip *z)
{
	if (z->password != NULL && *z->password == '\0')
		return zip_fail(z, ZIP_E_PARAMS,
				"Invalid command arguments (zero length password not allowed)");
	if (z->ask_password && z->password == NULL)
		return zip_fail(z, ZIP_E_PARAMS, "Invalid command arguments (stderr is not a tty)");
	return 0;
}

int zip_options(struct zip *z)
{
	struct cmd *c = z->c;
	struct parse p = { .z = z, .i = 1 };
	bool ended = false;
	int status = 0;

	for (; p.i < c->argc && status == 0; p.i++) {
		const char *arg = c->argv[p.i];

		if (!ended && strcmp(arg, "--") == 0) {
			ended = true;
		} else if (!ended && arg[0] == '-' && arg[1] == '-') {
			p.list = NULL;
			status = parse_long(&p, arg + 2);
		} else if (!ended && arg[0] == '-' && arg[1] != '\0') {
			p.list = NULL;
			status = parse_letters(&p, arg + 1);
		} else if (p.list != NULL && strcmp(arg, "@") == 0) {
			p.list = NULL;
		} else if (p.list != NULL) {
			zip_names_add(c, p.list, arg, false);
		} else if (z->archive == NULL) {
			z->archive = arg;
		} else {
			zip_names_add(c, &z->operands, arg, false);
		}
	}
	return status != 0 ? status : check_password(z);
}
