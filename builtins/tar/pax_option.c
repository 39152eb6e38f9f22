/* SPDX-License-Identifier: MIT
 *
 * tar --pax-option: KEY=VALUE for the global header, KEY:=VALUE for every member, delete=PATTERN,
 * and the names and times of the headers themselves.
 */
#include "base/glob.h"
#include "builtins/tar/tar.h"

/* Records that tell how data are stored. */
static const char *const protected[] = {
	"GNU.dumpdir",       "GNU.sparse.major",    "GNU.sparse.map",       "GNU.sparse.minor",
	"GNU.sparse.name",   "GNU.sparse.offset",   "GNU.sparse.numblocks", "GNU.sparse.numbytes",
	"GNU.sparse.size",   "GNU.sparse.realsize", "GNU.volume.label",     "GNU.volume.filename",
	"GNU.volume.offset", "GNU.volume.size",
};

/* "{DATE}" is that time in seconds. */
static const char *time_value(struct tar *t, const char *text)
{
	struct buf out = buf_in(t->c->arena);
	size_t len = strlen(text);
	int64_t ns;

	if (len < 2 || text[0] != '{' || text[len - 1] != '}')
		return text;
	const char *date = arena_dup(t->c->arena, (struct bytes){ text + 1, len - 2 });

	if (!tar_read_date(t->c, date, &ns)) {
		tar_warn(t, 0, "Substituting 1970-01-01 00:00 for unknown date format %s",
			 cmd_quote(t->c, date));
		return text;
	}
	buf_put_i64(&out, ns / 1000000000 - (ns % 1000000000 < 0));
	return buf_cstr(&out);
}

static int put_deleted(struct tar *t, struct tar_keyword *k)
{
	struct cmd *c = t->c;

	k->glob = glob_compile(c->arena, bytes_of(k->value), c->utf8 ? GLOB_UTF8 : 0);
	glob_set_work(k->glob, cmd_work, c);
	for (size_t i = 0; i < sizeof protected / sizeof *protected; i++)
		if (glob_match(k->glob, c->arena, bytes_of(protected[i])))
			return TAR_USAGE(c, "Pattern %s cannot be used", cmd_quote(c, k->value));
	k->next = t->pax_deleted;
	t->pax_deleted = k;
	return 0;
}

static int put_keyword(struct tar *t, struct tar_keyword *k, bool forced)
{
	struct tar_keyword **list = forced ? &t->pax_forced : &t->pax_global;
	const struct {
		const char *key;
		const char **value;
	} own[] = {
		{ "exthdr.name", &t->exthdr_name },
		{ "exthdr.mtime", &t->exthdr_mtime },
		{ "globexthdr.name", &t->globexthdr_name },
		{ "globexthdr.mtime", &t->globexthdr_mtime },
	};

	if (strcmp(k->key, "delete") == 0)
		return put_deleted(t, k);
	for (size_t i = 0; i < sizeof protected / sizeof *protected; i++)
		if (strcmp(k->key, protected[i]) == 0)
			return TAR_USAGE(t->c, "Keyword %s cannot be overridden", k->key);
	k->value = time_value(t, k->value);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(k->key, own[i].key) == 0) {
			*own[i].value = k->value;
			return 0;
		}
	k->next = *list;
	*list = k;
	return 0;
}

static int one_word(struct tar *t, char *text)
{
	struct tar_keyword *k = arena_zalloc(t->c->arena, sizeof *k);
	char *equals = strchr(text, '=');
	bool forced = equals != NULL && equals != text && equals[-1] == ':';

	if (equals == text)
		return TAR_USAGE(t->c, "Malformed pax option: %s", cmd_quote(t->c, text));
	if (equals == NULL)
		return TAR_USAGE(t->c, "Keyword %s is unknown or not yet implemented", text);
	equals[forced ? -1 : 0] = '\0';
	k->key = text;
	k->value = equals + 1 + strspn(equals + 1, " \t");
	return put_keyword(t, k, forced);
}

int tar_pax_option(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	int status = 0;

	(void)o;
	t->has_pax_option = true;
	while (*arg != '\0' && status == 0) {
		struct bytes word = { arg, strcspn(arg, ",") };

		if (word.len > 0)
			status = one_word(t, arena_dup(c->arena, word));
		arg += word.len + (arg[word.len] == ',');
		cmd_charge(c, 1);
	}
	return status;
}
