/* SPDX-License-Identifier: MIT
 *
 * whereis - where the program, the manual page and the source of a command are.
 */
#include "builtins/builtin.h"

enum { DIRS_MAX = 100 };
enum whereis_kind { BINARY = 1, MANUAL = 2, SOURCE = 4 };

/* The directories of one kind: those of -B, -M, -S, or the usual ones and those of PATH. */
struct places {
	const char *dir[DIRS_MAX];
	size_t n;
};

struct whereis {
	struct cmd *c;
	unsigned kinds;
	bool unusual; /* -u: only what is not there exactly once */
	struct places binary;
	struct places manual;
	struct places source;
};

static void add_dir(struct places *p, const char *dir)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->dir[i], dir) == 0)
			return;
	if (p->n < DIRS_MAX)
		p->dir[p->n++] = dir;
}

/* A directory that is a link to another one counts once, under its real name. */
static void add_real(struct cmd *c, struct places *p, const char *dir)
{
	struct vfs_stat st;
	char *real;

	if (cmd_canonical(c, dir, CANON_EXISTING, &real) == 0 && cmd_stat(c, real, &st) == 0 &&
	    (st.mode & S_FMT) == S_DIR)
		add_dir(p, real);
}

static void usual_places(struct whereis *w)
{
	static const char *const binaries[] = { "/usr/bin",   "/usr/sbin",      "/bin",
						"/sbin",      "/usr/local/bin", "/usr/local/sbin",
						"/usr/games", "/usr/lib",       "/etc",
						"/usr/share", "/usr/local/lib", "/opt" };
	const char *path = cmd_getenv(w->c, "PATH");

	for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++)
		add_real(w->c, &w->binary, binaries[i]);
	while (path != NULL && *path != '\0') {
		size_t len = strcspn(path, ":");

		if (len > 0)
			add_real(w->c, &w->binary,
				 arena_dup(w->c->arena, (struct bytes){ path, len }));
		path += len + (path[len] == ':');
	}
	static const char *const manuals[] = { "/usr/share/man/man1", "/usr/share/man/man8",
					       "/usr/share/man/man5", "/usr/share/info" };

	for (size_t i = 0; i < sizeof manuals / sizeof manuals[0]; i++)
		add_real(w->c, &w->manual, manuals[i]);
	add_real(w->c, &w->source, "/usr/src");
}

/* A program has the very name; a manual page is "ls.1.gz", a source "ls.c" or "s.ls". */
static bool is_of(struct bytes file, struct bytes name, unsigned kind)
{
	if (kind == SOURCE && bytes_starts(file, BYTES("s.")))
		file = bytes_slice(file, 2, file.len);
	if (!bytes_starts(file, name))
		return false;
	if (file.len == name.len || kind == BINARY)
		return file.len == name.len;
	return file.ptr[name.len] == '.';
}

static size_t put_of_dir(struct whereis *w, const char *dir, struct bytes name, unsigned kind,
			 bool dry)
{
	struct vfs_dirent *entries;
	size_t n;
	size_t found = 0;

	if (cmd_list(w->c, CMD_CWD, dir, w->c->arena, &entries, &n) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_of(entries[i].name, name, kind))
			continue;
		found++;
		if (!dry)
			cmd_printf(w->c, " %s/%s", dir, entries[i].name.ptr);
	}
	cmd_charge(w->c, n / 8 + 1);
	return found;
}

static size_t put_kind(struct whereis *w, const struct places *p, struct bytes name, unsigned kind,
		       bool dry)
{
	size_t found = 0;

	for (size_t i = 0; (w->kinds & kind) != 0 && i < p->n; i++) {
		struct arena_mark mark = arena_mark(w->c->arena);

		found += put_of_dir(w, p->dir[i], name, kind, dry);
		arena_release(w->c->arena, mark);
	}
	return found;
}

/* How much there is of each kind; dry: nothing is written. Whether one is not exactly once. */
static bool put_all(struct whereis *w, struct bytes name, bool dry)
{
	size_t binary = put_kind(w, &w->binary, name, BINARY, dry);
	size_t manual = put_kind(w, &w->manual, name, MANUAL, dry);
	size_t source = put_kind(w, &w->source, name, SOURCE, dry);

	return ((w->kinds & BINARY) != 0 && binary != 1) ||
	       ((w->kinds & MANUAL) != 0 && manual != 1) ||
	       ((w->kinds & SOURCE) != 0 && source != 1);
}

static void look_up(struct whereis *w, const char *arg)
{
	const char *slash = strrchr(arg, '/');
	struct bytes name = bytes_of(slash != NULL ? slash + 1 : arg);

	if (w->unusual && !put_all(w, name, true))
		return;
	cmd_bytes(w->c, name);
	cmd_putc(w->c, ':');
	put_all(w, name, false);
	cmd_putc(w->c, '\n');
}

/* -B DIR... -f: the arguments up to the next option. How many there are. */
static int take_places(struct whereis *w, struct places *p, int i)
{
	int from = i + 1;

	p->n = 0;
	for (i = from; i < w->c->argc && w->c->argv[i][0] != '-'; i++)
		add_real(w->c, p, w->c->argv[i]);
	return i - from;
}

static void list_places(struct whereis *w)
{
	for (size_t i = 0; i < w->binary.n; i++)
		cmd_printf(w->c, "bin: %s\n", w->binary.dir[i]);
	for (size_t i = 0; i < w->manual.n; i++)
		cmd_printf(w->c, "man: %s\n", w->manual.dir[i]);
	for (size_t i = 0; i < w->source.n; i++)
		cmd_printf(w->c, "src: %s\n", w->source.dir[i]);
}

static int whereis_run(struct cmd *c)
{
	struct whereis *w = arena_zalloc(c->arena, sizeof *w);
	bool listed = false;
	int names = 0;

	w->c = c;
	usual_places(w);
	if (c->argc < 2)
		return cmd_usage(c, "not enough arguments");
	/* Options hold for the names behind them; kinds given anew replace those before. */
	for (int i = 1; i < c->argc; i++) {
		const char *arg = c->argv[i];
		bool kinds_ended = names > 0 && c->argv[i - 1][0] != '-';

		if (arg[0] != '-') {
			names++;
			if (w->kinds == 0)
				w->kinds = BINARY | MANUAL | SOURCE;
			look_up(w, arg);
			continue;
		}
		if (kinds_ended)
			w->kinds = 0;
		for (const char *o = arg + 1; *o != '\0'; o++) {
			switch (*o) {
			case 'b': w->kinds |= BINARY; break;
			case 'm': w->kinds |= MANUAL; break;
			case 's': w->kinds |= SOURCE; break;
			case 'u': w->unusual = true; break;
			case 'f': break;
			case 'g': return cmd_usage(c, "option -g is not available");
			case 'l':
				list_places(w);
				listed = true;
				break;
			case 'B': i += take_places(w, &w->binary, i); break;
			case 'M': i += take_places(w, &w->manual, i); break;
			case 'S': i += take_places(w, &w->source, i); break;
			default: return cmd_usage(c, "bad usage");
			}
		}
	}
	return names > 0 || listed ? 0 : cmd_usage(c, "not enough arguments");
}

const struct builtin builtin_whereis = {
	.name = "whereis",
	.usage = "[-b|-m|-s|-u|-l] [-BMS DIR... -f] NAME...",
	.summary = "Writes where the program (-b), the manual page (-m) and the source (-s) of\n"
		   "each NAME are. -u: only names that do not have exactly one of each. -l: where\n"
		   "it looks. -B, -M, -S: the directories to look in, -f behind them.",
	.run = whereis_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "util-linux 2.38.1",
};
