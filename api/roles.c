/* SPDX-License-Identifier: MIT
 *
 * A table of common commands: what they do with their operands and with the values of some
 * options. Which options take a value at all, the commands' own tables say.
 *
 * Operands, a letter each: r read, w write, a append, d remove, m mode or times, u read and
 * write, v read and remove (moved), x execute, s not a path. A letter behind which + stands is
 * for all that are left between those before and those behind it.
 * Options, separated by spaces: LETTER or NAME, then
 *   :ROLE    its value is a path with that role
 *   !        there is no first operand `s` then (-e SCRIPT)
 *   !ROLE    both (-f FILE)
 *   ~ROLE    operands with + or x have this role then (sed -i, sh -c)
 */
#include "api/roles.h"

#include "base/bytes.h"
#include "builtins/builtin.h"

struct role {
	const char *name;
	const char *operands;
	const char *options;
};

#define READS(name)                                                                                \
	{                                                                                          \
		name, "r+", ""                                                                     \
	}

static const struct role roles[] = {
	{ ".", "x", "" },
	{ "awk", "sr+", "f!r file!r" },
	READS("b2sum"),
	READS("base32"),
	READS("base64"),
	{ "bash", "x", "c~s rcfile:r" },
	READS("bat"),
	{ "bc", "r+", "" },
	{ "bunzip2", "v+", "c~r k~r stdout~r keep~r" },
	{ "bzip2", "v+", "c~r k~r stdout~r keep~r" },
	READS("bzcat"),
	READS("cat"),
	{ "cc", "r+", "o:w" },
	{ "cd", "r", "" },
	{ "chgrp", "sm+", "reference:r" },
	{ "chmod", "sm+", "reference:r" },
	{ "chown", "sm+", "reference:r" },
	READS("cksum"),
	READS("cmp"),
	READS("column"),
	READS("comm"),
	{ "cp", "r+w", "t:w target-directory:w" },
	{ "csplit", "rs+", "" },
	{ "curl", "s+", "o:w output:w T:r upload-file:r K:r config:r D:w dump-header:w" },
	READS("cut"),
	READS("diff"),
	READS("diff3"),
	READS("dircolors"),
	{ "dos2unix", "u+", "" },
	READS("du"),
	{ "ed", "u", "" },
	{ "egrep", "sr+", "e! f!r" },
	READS("expand"),
	{ "fgrep", "sr+", "e! f!r" },
	READS("file"),
	READS("fmt"),
	READS("fold"),
	{ "g++", "r+", "o:w" },
	{ "gawk", "sr+", "f!r file!r" },
	{ "gcc", "r+", "o:w" },
	{ "grep", "sr+", "e! regexp! f!r file!r" },
	{ "gunzip", "v+", "c~r k~r stdout~r keep~r" },
	{ "gzip", "v+", "c~r k~r stdout~r keep~r" },
	READS("head"),
	READS("hexdump"),
	{ "install", "r+w", "d~w directory~w t:w target-directory:w" },
	READS("join"),
	{ "jq", "sr+", "f!r from-file!r" },
	READS("less"),
	{ "link", "rw", "" },
	{ "ln", "r+w", "t:w target-directory:w" },
	READS("ls"),
	{ "make", "s+", "f:r C:r" },
	{ "mapfile", "s", "" },
	READS("md5sum"),
	{ "mkdir", "w+", "" },
	{ "mkfifo", "w+", "" },
	{ "mknod", "ws+", "" },
	READS("more"),
	{ "mv", "v+w", "t:w target-directory:w" },
	READS("nl"),
	{ "node", "xs+", "" },
	READS("nm"),
	READS("objdump"),
	READS("od"),
	READS("paste"),
	{ "patch", "ur", "i:r input:r o:w output:w d:r directory:r" },
	{ "perl", "xs+", "e!" },
	READS("pr"),
	{ "pushd", "r", "" },
	{ "python", "xs+", "c~s" },
	{ "python3", "xs+", "c~s" },
	READS("readelf"),
	{ "rename", "su+", "" },
	READS("rev"),
	{ "rg", "sr+", "e! regexp! f!r file!r" },
	{ "rm", "d+", "" },
	{ "rmdir", "d+", "" },
	{ "rsync", "r+w", "" },
	{ "sed", "sr+", "e! expression! f!r file!r i~u in-place~u" },
	{ "sh", "x", "c~s" },
	READS("sha1sum"),
	READS("sha224sum"),
	READS("sha256sum"),
	READS("sha384sum"),
	READS("sha512sum"),
	{ "shred", "u+", "u~d remove~d" },
	{ "shuf", "r", "o:w output:w random-source:r e~s echo~s" },
	READS("size"),
	{ "sort", "r+", "o:w output:w files0-from:r T:w temporary-directory:w random-source:r" },
	{ "source", "x", "" },
	{ "split", "rs", "" },
	READS("stat"),
	READS("strings"),
	READS("strip"),
	READS("sum"),
	READS("tac"),
	READS("tail"),
	{ "tee", "w+", "a~a append~a" },
	{ "touch", "w+", "r:r reference:r" },
	READS("tree"),
	{ "truncate", "w+", "r:r reference:r" },
	READS("tsort"),
	READS("unexpand"),
	{ "uniq", "rw", "" },
	{ "unix2dos", "u+", "" },
	{ "unlink", "d", "" },
	{ "unxz", "v+", "c~r k~r stdout~r keep~r" },
	{ "unzip", "rs+", "d:w" },
	{ "unzstd", "r+", "" },
	READS("wc"),
	{ "wget", "s+", "O:w output-document:w o:w output-file:w i:r input-file:r P:w" },
	{ "xargs", "", "a:r arg-file:r" },
	READS("xxd"),
	{ "xz", "v+", "c~r k~r stdout~r keep~r" },
	READS("xzcat"),
	READS("yq"),
	READS("zcat"),
	READS("zgrep"),
	{ "zip", "wr+", "" },
	{ "zstd", "r+", "o:w" },
	READS("zstdcat"),
};

struct telling {
	const struct cowsh_word *words;
	int n;
	const struct role *role;
	const struct builtin *builtin;
	void (*tell)(void *user, const struct cowsh_word *path, unsigned access);
	void *user;
	bool no_script; /* the first operand is not `s` */
	char instead;   /* of the role with +; '\0': none */
};

static unsigned access_of(char role)
{
	switch (role) {
	case 'r': return COWSH_ACCESS_READ;
	case 'w': return COWSH_ACCESS_WRITE;
	case 'a': return COWSH_ACCESS_APPEND;
	case 'd': return COWSH_ACCESS_REMOVE;
	case 'm': return COWSH_ACCESS_MODE;
	case 'u': return COWSH_ACCESS_READ | COWSH_ACCESS_WRITE;
	case 'v': return COWSH_ACCESS_READ | COWSH_ACCESS_REMOVE;
	case 'x': return COWSH_ACCESS_READ | COWSH_ACCESS_EXECUTE;
	default: return 0;
	}
}

static void tell_one(const struct telling *t, const struct cowsh_word *w, char role)
{
	unsigned access = access_of(role);
	bool standard = w->unknown == 0 && w->len == 1 && w->text[0] == '-';

	if (access != 0 && w->len != 0 && !standard)
		t->tell(t->user, w, access);
}

static struct bytes text_of(const struct cowsh_word *w)
{
	return (struct bytes){ w->text, w->len };
}

static bool is(const struct cowsh_word *w, const char *text)
{
	return w->unknown == 0 && bytes_is(text_of(w), text);
}

/* --- options --- */

/* What stands behind `name` in the role's options, or NULL. */
static const char *rule_of(const struct role *r, struct bytes name)
{
	for (const char *at = r->options; *at != '\0';) {
		size_t len = strcspn(at, ":!~ ");

		if (len == name.len && memcmp(at, name.ptr, len) == 0)
			return at + len;
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	return NULL;
}

/* Whether an option takes a value: as the command's table has it, else if its rule has a role. */
static bool takes_value(const struct telling *t, struct bytes name, bool letter, const char *rule)
{
	const struct opt *o = t->builtin != NULL ? t->builtin->opts : NULL;

	for (; o != NULL && o->kind != OPT_KIND_END; o++) {
		bool same = letter ? o->letter == (unsigned char)name.ptr[0]
				   : o->name != NULL && strncmp(o->name, name.ptr, name.len) == 0;

		if (same)
			return o->arg == OPT_ARG_REQUIRED;
	}
	return rule != NULL && (rule[0] == ':' || rule[0] == '!');
}

static void apply_rule(struct telling *t, const char *rule, const struct cowsh_word *value)
{
	if (rule == NULL)
		return;
	t->no_script = t->no_script || rule[0] == '!';
	if (rule[0] == '~')
		t->instead = rule[1];
	else if (value != NULL && rule[1] != '\0' && rule[1] != ' ')
		tell_one(t, value, rule[1]);
}

/* An option's value within its own word. */
static struct cowsh_word rest_of(const struct cowsh_word *w, size_t from)
{
	return (struct cowsh_word){ w->text + from, w->len - from, w->unknown };
}

/* --name, --name=value. Returns how many words were taken. */
static int long_option(struct telling *t, int i)
{
	const struct cowsh_word *w = &t->words[i];
	const char *equals = memchr(w->text, '=', w->len);
	size_t len = equals != NULL ? (size_t)(equals - w->text) : w->len;
	struct bytes name = { w->text + 2, len - 2 };
	const char *rule = rule_of(t->role, name);
	struct cowsh_word value;

	if (equals != NULL) {
		value = rest_of(w, len + 1);
		apply_rule(t, rule, &value);
		return 1;
	}
	if (!takes_value(t, name, false, rule) || i + 1 >= t->n) {
		apply_rule(t, rule, NULL);
		return 1;
	}
	apply_rule(t, rule, &t->words[i + 1]);
	return 2;
}

static int short_options(struct telling *t, int i)
{
	const struct cowsh_word *w = &t->words[i];

	for (size_t k = 1; k < w->len; k++) {
		struct bytes name = { w->text + k, 1 };
		const char *rule = rule_of(t->role, name);
		struct cowsh_word value;

		if (!takes_value(t, name, true, rule)) {
			apply_rule(t, rule, NULL);
			continue;
		}
		value = k + 1 < w->len ? rest_of(w, k + 1) : i + 1 < t->n ? t->words[i + 1] : *w;
		apply_rule(t, rule, &value);
		return k + 1 < w->len ? 1 : 2;
	}
	return 1;
}

/* --- operands --- */

/* The role of operand i of n. */
static char role_at(const struct telling *t, int i, int n)
{
	const char *operands = t->role->operands + (t->no_script && t->role->operands[0] == 's');
	const char *plus = strchr(operands, '+');
	int before = plus != NULL ? (int)(plus - operands) - 1 : (int)strlen(operands);
	int behind = plus != NULL ? (int)strlen(plus + 1) : 0;

	if (i < before)
		return operands[i] == 'x' && t->instead != '\0' ? t->instead : operands[i];
	if (plus == NULL)
		return 's';
	if (n - i <= behind && i > before)
		return plus[1 + behind - (n - i)];
	return t->instead != '\0' ? t->instead : plus[-1];
}

static bool is_option(const struct cowsh_word *w)
{
	return w->len > 1 && w->text[0] == '-';
}

static void ignore(void *user, const struct cowsh_word *path, unsigned access)
{
	(void)user;
	(void)path;
	(void)access;
}

/* Options are looked at first: some say what the operands are. */
static void tell_by_table(struct telling *t)
{
	bool stop = t->builtin != NULL && (t->builtin->flags & BUILTIN_STOP) != 0;
	int count = 0;

	for (int pass = 0; pass < 2; pass++) {
		int operand = 0;
		bool ended = false;

		for (int i = 1; i < t->n;) {
			const struct cowsh_word *w = &t->words[i];
			struct telling silent = *t;
			int taken;

			if (ended || !is_option(w)) {
				if (pass == 1)
					tell_one(t, w, role_at(t, operand, count));
				operand++;
				i++;
				ended = ended || stop;
				continue;
			}
			if (is(w, "--")) {
				ended = true;
				i++;
				continue;
			}
			if (pass == 1)
				silent.tell = ignore;
			taken = w->text[1] == '-' ? long_option(&silent, i)
						  : short_options(&silent, i);
			if (pass == 0) {
				t->no_script = silent.no_script;
				t->instead = silent.instead;
			}
			i += taken;
		}
		count = operand;
	}
}

/* --- commands with a syntax of their own --- */

static void tell_dd(const struct telling *t)
{
	for (int i = 1; i < t->n; i++) {
		struct bytes text = text_of(&t->words[i]);
		struct cowsh_word value = rest_of(&t->words[i], text.len >= 3 ? 3 : text.len);

		if (bytes_starts(text, BYTES("if=")) || bytes_starts(text, BYTES("of=")))
			tell_one(t, &value, text.ptr[0] == 'i' ? 'r' : 'w');
	}
}

/* Places to begin at, then an expression. */
static void tell_find(const struct telling *t)
{
	bool deletes = false;
	int i = 1;

	for (int k = 1; k < t->n; k++) {
		deletes = deletes || is(&t->words[k], "-delete");
		if (k + 1 < t->n && (is(&t->words[k], "-fprint") || is(&t->words[k], "-fls") ||
				     is(&t->words[k], "-fprint0") || is(&t->words[k], "-fprintf")))
			tell_one(t, &t->words[k + 1], 'w');
	}
	for (; i < t->n && !is_option(&t->words[i]) && !is(&t->words[i], "(") &&
	       !is(&t->words[i], "!");
	     i++)
		tell_one(t, &t->words[i], deletes ? 'v' : 'r');
}

/* tar cf FILE ..., tar -xf FILE -C DIR ...: values of a first group of letters follow it. */
static void tell_tar(const struct telling *t)
{
	char mode = '\0';
	int value = 0;

	for (int i = 1; i < t->n; i++) {
		const struct cowsh_word *w = &t->words[i];
		bool group = i == 1 || (is_option(w) && w->text[1] != '-');

		for (size_t k = 0; group && k < w->len; k++)
			if (memchr("cxtru", w->text[k], 5) != NULL)
				mode = w->text[k];
		if (is(w, "--create") || is(w, "--extract") || is(w, "--list"))
			mode = w->text[2] == 'c' ? 'c' : w->text[2] == 'e' ? 'x' : 't';
	}
	for (int i = 1; i < t->n; i++) {
		const struct cowsh_word *w = &t->words[i];
		bool group = i == 1 || (is_option(w) && w->text[1] != '-');

		if (group && value < t->n && memchr(w->text, 'f', w->len) != NULL && i + 1 < t->n)
			tell_one(t, &t->words[++i], mode == 'x' || mode == 't' ? 'r' : 'w');
		else if (bytes_starts(text_of(w), BYTES("--file="))) {
			struct cowsh_word file = rest_of(w, 7);

			tell_one(t, &file, mode == 'x' || mode == 't' ? 'r' : 'w');
		} else if (group && memchr(w->text, 'C', w->len) != NULL && i + 1 < t->n)
			tell_one(t, &t->words[++i], mode == 'x' ? 'w' : 'r');
		else if (!group && !is_option(w) && mode != 'x' && mode != 't')
			tell_one(t, w, 'r');
	}
}

static struct bytes base_name(struct bytes path)
{
	size_t from = path.len;

	while (from > 0 && path.ptr[from - 1] != '/')
		from--;
	return bytes_slice(path, from, path.len);
}

void roles_tell(const struct cowsh_word *words, int n,
		void (*tell)(void *user, const struct cowsh_word *path, unsigned access),
		void *user)
{
	struct bytes name = base_name(text_of(&words[0]));
	struct telling t = { .words = words, .n = n, .tell = tell, .user = user };
	char text[32];

	if (name.len == 0 || name.len >= sizeof text)
		return;
	memcpy(text, name.ptr, name.len);
	text[name.len] = '\0';
	if (strcmp(text, "dd") == 0)
		tell_dd(&t);
	else if (strcmp(text, "find") == 0)
		tell_find(&t);
	else if (strcmp(text, "tar") == 0)
		tell_tar(&t);
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		if (strcmp(roles[i].name, text) != 0)
			continue;
		t.role = &roles[i];
		t.builtin = builtin_lookup(text);
		tell_by_table(&t);
	}
}
