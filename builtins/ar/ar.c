/* SPDX-License-Identifier: MIT
 *
 * ar - archives of files, as compilers' libraries are; ranlib - their tables of symbols.
 * Reference: GNU binutils 2.40. Every change writes the archive anew.
 */
#include "builtins/ar/ar.h"

#include "builtins/zone.h"

void ar_insert(struct ar *r, size_t at, struct member m)
{
	buf_put(&r->members, &m, sizeof m);
	memmove(ar_all(r) + at + 1, ar_all(r) + at, (ar_count(r) - at - 1) * sizeof m);
	ar_all(r)[at] = m;
}

struct member ar_take_out(struct ar *r, size_t at)
{
	struct member m = ar_all(r)[at];

	memmove(ar_all(r) + at, ar_all(r) + at + 1, (ar_count(r) - at - 1) * sizeof m);
	r->members.len -= sizeof m;
	return m;
}

/* --- finding --- */

static const char *base_name(const struct ar *r, const char *path)
{
	const char *slash = r->full_names ? NULL : strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	if (r->truncate && strlen(name) > AR_NAME_MAX)
		name = arena_dup(r->c->arena, (struct bytes){ name, AR_NAME_MAX });
	return name;
}

size_t ar_find(const struct ar *r, const char *path)
{
	uint64_t left = r->count > 0 ? r->count : 1;
	bool whole = r->operation == 'd' || r->operation == 'm';
	const char *wanted = base_name(r, path);

	for (size_t i = 0; i < ar_count(r); i++) {
		const char *name = ar_all(r)[i].name;

		cmd_charge(r->c, 1);
		if (strcmp(whole ? name : base_name(r, name), wanted) == 0 && --left == 0)
			return i;
	}
	return SIZE_MAX;
}

/* Where new and moved members go. */
static size_t place(const struct ar *r)
{
	size_t at = r->where != '\0' ? ar_find(r, r->beside) : SIZE_MAX;

	return at == SIZE_MAX ? ar_count(r) : at + (r->where == 'a');
}

static void say(struct ar *r, char what, const char *name)
{
	if (r->verbose)
		cmd_printf(r->c, "%c - %s\n", what, name);
}

/* --- t, p, x --- */

void ar_list(struct ar *r, const struct member *m)
{
	struct cmd *c = r->c;
	struct buf when = buf_in(c->arena);
	struct civil civil;
	char mode[11];

	if (r->verbose) {
		time_civil(zone_of_command(c), m->date, &civil);
		time_format(&when, BYTES("%b %e %H:%M %Y"), &civil, m->date, TIME_LIBC);
		mode_text(m->mode, mode);
		cmd_printf(c, "%s %llu/%llu %6llu %s ", mode + 1, (unsigned long long)m->uid,
			   (unsigned long long)m->gid, (unsigned long long)m->size,
			   buf_cstr(&when));
	}
	cmd_puts(c, m->name);
	if (r->offsets)
		cmd_printf(c, " 0x%llx", (unsigned long long)m->offset + AR_HEADER);
	cmd_putc(c, '\n');
}

static void check_whole(struct ar *r, const struct member *m)
{
	if (m->data.len < m->size)
		cmd_fatal(r->c, 0, "%s is not a valid archive", r->path);
}

static void print(struct ar *r, struct member *m)
{
	if (!ar_load(r, m))
		cmd_exit(r->c, 1);
	if (r->verbose)
		cmd_printf(r->c, "\n<%s>\n\n", m->name);
	check_whole(r, m);
	cmd_bytes(r->c, m->data);
}

/* Members go into the directory, whatever their names say. */
void ar_extract(struct ar *r, struct member *m)
{
	struct cmd *c = r->c;
	const char *slash = strrchr(m->name, '/');
	const char *name = slash != NULL ? slash + 1 : m->name;
	struct buf path = buf_in(c->arena);
	struct output o;

	check_whole(r, m);
	if (slash != NULL || strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
		cmd_warn(c, 0, "illegal output pathname for archive member: %s, using '%s' instead",
			 m->name, name);
	if (r->output != NULL)
		buf_printf(&path, "%s/", r->output);
	buf_puts(&path, name);
	say(r, 'x', buf_cstr(&path));
	int err = output_open(&o, c, path.ptr, O_TRUNC_, false);

	if (err < 0) {
		struct buf text = buf_in(c->arena);

		buf_printf(&text, "%s: %s\n", path.ptr, err_text(err));
		cmd_flush(c);
		cmd_err_write(c, text.ptr, text.len);
		cmd_exit(c, 1);
	}
	output_write(&o, m->data.ptr, m->data.len);
	output_close(&o);
	cmd_chmod(c, CMD_CWD, path.ptr, m->mode & 0777 & ~cmd_umask(c), 0);
	if (r->keep_dates)
		cmd_utimes(c, CMD_CWD, path.ptr, m->date * AR_NS, m->date * AR_NS, 0);
}

static void show(struct ar *r, struct member *m)
{
	struct arena_mark mark = arena_mark(r->c->arena);
	struct member asked = *m;

	m = &asked; /* what is loaded is forgotten */

	if (r->operation == 't')
		ar_list(r, m);
	else if (r->operation == 'p')
		print(r, m);
	else
		ar_extract(r, m);
	cmd_charge_bytes(r->c, m->data.len);
	arena_release(r->c->arena, mark);
}

static void show_all(struct ar *r)
{
	if (r->operation == 'x' && r->thin)
		cmd_fatal(r->c, 0, "`x' cannot be used on thin archives.");
	for (size_t i = 0; i < ar_count(r) && r->nfiles == 0; i++)
		show(r, &ar_all(r)[i]);
	for (int k = 0; k < r->nfiles; k++) {
		size_t i = ar_find(r, r->file[k]);

		if (i != SIZE_MAX) {
			show(r, &ar_all(r)[i]);
		} else {
			struct buf text = buf_in(r->c->arena);

			buf_printf(&text, "no entry %s in archive\n", r->file[k]);
			cmd_flush(r->c);
			cmd_err_write(r->c, text.ptr, text.len);
		}
	}
}

/* --- r, q, d, m --- */

bool ar_read_file(struct ar *r, const char *path, struct member *m)
{
	struct cmd *c = r->c;
	struct vfs_stat st;
	int err = cmd_stat(c, path, &st);

	*m = (struct member){ .name = base_name(r, path), .mode = 0644, .fresh = true };
	if (err >= 0)
		err = cmd_read_all(c, path, &m->data);
	if (err < 0) {
		m->size = (uint64_t)-err;
		return false;
	}
	m->data = arena_bytes(c->arena, m->data);
	m->size = m->data.len;
	if (r->make_thin) {
		m->name = path;
		m->stored = ar_relative(r, path);
	}
	if (r->real) {
		m->mode = st.mode;
		m->uid = st.uid;
		m->gid = st.gid;
		m->date = st.mtime_ns / AR_NS;
	}
	return true;
}

/* The member that a file replaces: files given twice do not replace each other. */
static size_t find_old(const struct ar *r, const char *name)
{
	for (size_t i = 0; i < ar_count(r); i++) {
		const struct member *m = &ar_all(r)[i];

		cmd_charge(r->c, 1);
		if (!m->fresh && strcmp(base_name(r, m->name), base_name(r, name)) == 0)
			return i;
	}
	return SIZE_MAX;
}

static void put_in(struct ar *r, struct member m, const char *path)
{
	size_t old = r->operation == 'r' ? find_old(r, m.name) : SIZE_MAX;

	if (old != SIZE_MAX && r->newer_only && r->real && m.date <= ar_all(r)[old].date)
		return;
	say(r, old != SIZE_MAX ? 'r' : 'a', path);
	if (old != SIZE_MAX) {
		ar_take_out(r, old);
		ar_insert(r, r->where != '\0' ? place(r) : old, m);
	} else {
		ar_insert(r, place(r), m);
	}
}

/* An archive in a thin one: its members. */
static void add_archive(struct ar *r, struct member m, const char *path)
{
	struct ar inner = {
		.c = r->c, .operation = 't', .path = path, .members = buf_in(r->c->arena)
	};
	int err = ar_read(&inner);

	if (err < 0)
		cmd_fatal(r->c, err, "%s", path);
	for (size_t i = 0; i < ar_count(&inner); i++) {
		struct member each = ar_all(&inner)[i];

		if (!inner.thin) {
			each.stored = m.stored;
			each.inner = each.offset;
		} else {
			each.stored = ar_relative(r, ar_beside(&inner, each.stored));
		}
		put_in(r, each, each.name);
		cmd_charge(r->c, 4);
	}
}

static void add(struct ar *r, const char *path)
{
	struct member m;

	if (!ar_read_file(r, path, &m))
		cmd_fatal(r->c, -(int)m.size, "%s", path);
	if (r->make_thin &&
	    (bytes_starts(m.data, BYTES("!<arch>\n")) || bytes_starts(m.data, BYTES("!<thin>\n"))))
		add_archive(r, m, path);
	else
		put_in(r, m, path);
}

/* What the library needs, for linkers, in a member of its own. */
static void add_deps(struct ar *r)
{
	struct member m = { .name = "__.LIBDEP", .stored = "__.LIBDEP", .mode = 0644 };

	m.data = (struct bytes){ r->deps, strlen(r->deps) + 1 };
	m.size = m.data.len;
	put_in(r, m, m.name);
}

static void change_all(struct ar *r)
{
	for (int k = 0; k < r->nfiles; k++) {
		size_t i = r->operation == 'd' || r->operation == 'm' ? ar_find(r, r->file[k])
								      : SIZE_MAX;

		if (r->operation == 'r' || r->operation == 'q') {
			add(r, r->file[k]);
		} else if (i == SIZE_MAX) {
			if (r->operation == 'm')
				cmd_fatal(r->c, 0, "no entry %s in archive %s!", r->file[k],
					  r->path);
			if (r->verbose)
				cmd_printf(r->c, "No member named `%s'\n", r->file[k]);
		} else {
			struct member m = ar_take_out(r, i);

			say(r, r->operation, m.name);
			if (r->operation == 'm')
				ar_insert(r, place(r), m);
		}
	}
	if (r->deps != NULL && (r->operation == 'r' || r->operation == 'q'))
		add_deps(r);
	if (r->nfiles > 0 || !r->exists || r->deps != NULL || r->operation == 's')
		ar_write(r);
}

/* --- the command line --- */

static void take_letter(struct ar *r, char ch, bool *wants_count)
{
	struct cmd *c = r->c;

	if (strchr("dmpqrtx", ch) != NULL) {
		if (r->operation != '\0')
			cmd_fatal(c, 0, "two different operation options specified");
		r->operation = ch;
		return;
	}
	switch (ch) {
	case 'a': r->where = 'a'; break;
	case 'b':
	case 'i': r->where = 'b'; break;
	case 'c': r->silent = true; break;
	case 'D': r->real = false; break;
	case 'U': r->real = true; break;
	case 'N': *wants_count = true; break;
	case 'O': r->offsets = true; break;
	case 'o': r->keep_dates = true; break;
	case 'P': r->full_names = true; break;
	case 'u': r->newer_only = true; break;
	case 'v': r->verbose = true; break;
	case 's': r->symbols = true; break;
	case 'S': r->no_symbols = true; break;
	case 'f': r->truncate = true; break;
	case 'l': r->wants_deps = true; break;
	case 'T': r->make_thin = true; break;
	case 'V': cmd_put_version(c); cmd_exit(c, 0);
	default: cmd_usage(c, "invalid option -- '%c'", ch); cmd_exit(c, 1);
	}
}

/* Takes --output out of the arguments; others of that form are errors. */
static void take_long(struct ar *r, char **argv, int *argc)
{
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		if (strncmp(argv[i], "--output=", 9) == 0) {
			r->output = argv[i] + 9;
		} else if (strcmp(argv[i], "--output") == 0 && i + 1 < *argc) {
			r->output = argv[++i];
		} else if (strcmp(argv[i], "--thin") == 0) {
			r->make_thin = true;
		} else if (strncmp(argv[i], "--record-libdeps=", 17) == 0) {
			r->deps = argv[i] + 17;
		} else if (strncmp(argv[i], "--", 2) == 0) {
			cmd_usage(r->c, "unrecognized option '%s'", argv[i]);
			cmd_exit(r->c, 1);
		} else {
			argv[kept++] = argv[i];
		}
	}
	*argc = kept;
}

static const char *next(struct ar *r, char ***at, int *left)
{
	if (*left == 0) {
		cmd_usage(r->c, "an archive and its operation are needed");
		cmd_exit(r->c, 1);
	}
	--*left;
	return *(*at)++;
}

static void parse_arguments(struct ar *r)
{
	struct cmd *c = r->c;
	char **at = c->args;
	int left = c->nargs;
	bool wants_count = false;

	take_long(r, at, &left);
	const char *letters = next(r, &at, &left);

	for (letters += letters[0] == '-'; *letters != '\0'; letters++)
		take_letter(r, *letters, &wants_count);
	if (r->operation == '\0' && !r->symbols)
		next(r, &at, &(int){ 0 });
	if (r->operation == '\0')
		r->operation = 's';
	if (r->where != '\0')
		r->beside = next(r, &at, &left);
	if (wants_count && r->operation != 'x' && r->operation != 'd')
		cmd_fatal(c, 0, "`N' is only meaningful with the `x' and `d' options.");
	if (wants_count && (!num_plain(next(r, &at, &left), &r->count) || r->count == 0))
		cmd_fatal(c, 0, "Value for `N' must be positive.");
	if (r->wants_deps)
		r->deps = next(r, &at, &left);
	/* The real one takes "mc" for "rc". */
	if (r->operation == 'm' && r->silent)
		r->operation = 'r';
	r->path = next(r, &at, &left);
	r->file = at;
	r->nfiles = left;
	if (r->newer_only && !r->real && r->operation == 'r')
		cmd_warn(c, 0, "`u' modifier ignored since `D' is the default (see `U')");
}

static void open_archive(struct ar *r)
{
	struct cmd *c = r->c;
	bool adds = r->operation == 'r' || r->operation == 'q';
	int err = ar_read(r);

	if (err == -E_NOENT && r->operation == 's')
		cmd_fatal(c, 0, "'%s': No such file", r->path);
	if (err == -E_NOENT && strchr("tpx", r->operation) == NULL) {
		if (!r->silent)
			cmd_warn(c, 0, "creating %s", r->path);
		r->thin = r->make_thin && r->nfiles > 0;
		return;
	}
	if (err < 0)
		cmd_fatal_status(c, AR_NO_ARCHIVE_STATUS, err, "%s", r->path);
	if (adds && r->thin && !r->make_thin)
		cmd_fatal(c, 0, "Cannot convert existing thin library %s to normal format",
			  r->path);
	if (adds && !r->thin && r->make_thin && ar_count(r) > 0)
		cmd_fatal(c, 0, "Cannot convert existing library %s to thin format", r->path);
	r->thin |= r->nfiles > 0 && adds && r->make_thin;
}

/* The next word of a text, without quotes and backslashes. */
static bool take_word(struct cmd *c, struct bytes *text, struct bytes *word)
{
	struct buf out = buf_in(c->arena);
	char quote = '\0';
	size_t i = 0;

	while (i < text->len && byte_is_space((unsigned char)text->ptr[i]))
		i++;
	bool found = i < text->len;

	for (; i < text->len; i++) {
		char ch = text->ptr[i];

		if (quote == '\0' && byte_is_space((unsigned char)ch))
			break;
		if (ch == '\\' && i + 1 < text->len)
			buf_putc(&out, text->ptr[++i]);
		else if (quote != '\0' ? ch == quote : ch == '"' || ch == '\'')
			quote = quote != '\0' ? '\0' : ch;
		else
			buf_putc(&out, ch);
		cmd_charge(c, 1);
	}
	*text = bytes_slice(*text, i, text->len);
	*word = buf_bytes(&out);
	return found;
}

/* "@FILE" among the arguments is the words in that file. */
static void expand_arguments(struct cmd *c)
{
	struct buf args = buf_in(c->arena);
	bool found = false;

	for (int i = 0; i < c->nargs; i++) {
		struct bytes text;

		if (c->args[i][0] != '@' || cmd_read_all(c, c->args[i] + 1, &text) < 0) {
			buf_put(&args, &c->args[i], sizeof *c->args);
			continue;
		}
		found = true;
		for (struct bytes word; take_word(c, &text, &word);) {
			char *copy = arena_dup(c->arena, word);

			buf_put(&args, &copy, sizeof copy);
		}
	}
	if (found) {
		c->args = (void *)args.ptr;
		c->nargs = (int)(args.len / sizeof *c->args);
	}
}

static int ar_run(struct cmd *c)
{
	struct ar r = { .c = c, .members = buf_in(c->arena) };

	expand_arguments(c);
	if (c->nargs > 0 && strcmp(c->args[0], "-M") == 0)
		return ar_script(c);
	parse_arguments(&r);
	open_archive(&r);
	if (r.operation == 't' || r.operation == 'p' || r.operation == 'x')
		show_all(&r);
	else if (r.operation != 's' || !r.had_symbols)
		change_all(&r);
	return r.status;
}

const struct builtin builtin_ar = {
	.name = "ar",
	.usage = "[-]{dmpqrstx}[abcDfilNoOPsSTuUvV] [MEMBER] [COUNT] ARCHIVE [FILE]...\n       ar "
		 "-M < SCRIPT",
	.summary =
		"Keeps files in an archive: d deletes, m moves, p prints, q appends, r replaces\n"
		"or adds, t lists, x extracts. a, b (i): behind, before MEMBER; c: say nothing\n"
		"of a new archive; D, U: times and owners 0 (the default), or real; N: the "
		"COUNT-th\n"
		"of a name; O: offsets; o: keep times; P: whole paths; u: only newer ones;\n"
		"v: say what is done; f: short names; l TEXT: what the library depends on;\n"
		"s: make the table of symbols, also without an operation; S: make none;\n"
		"T, --thin: keep names instead of files. --output=DIR, --record-libdeps=TEXT.",
	.run = ar_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "GNU ar 2.40",
	.version = "GNU ar (GNU Binutils for Debian) 2.40",
};

static void ranlib_letters(struct ar *r, const char *letters)
{
	for (; *letters != '\0'; letters++) {
		if (*letters == 'V' || *letters == 'v') {
			cmd_put_version(r->c);
			cmd_exit(r->c, 0);
		}
		if (strchr("DUt", *letters) == NULL) {
			cmd_usage(r->c, "invalid option -- '%c'", *letters);
			cmd_exit(r->c, 1);
		}
		if (*letters != 't')
			r->real = *letters == 'U';
	}
}

static int ranlib_run(struct cmd *c)
{
	struct ar r = { .c = c, .operation = 's' };
	int archives = 0;

	expand_arguments(c);
	for (int i = 0; i < c->nargs; i++)
		if (c->args[i][0] == '-')
			ranlib_letters(&r, c->args[i] + 1);
	for (int i = 0; i < c->nargs; i++) {
		if (c->args[i][0] == '-')
			continue;
		struct ar each = r;

		each.members = buf_in(c->arena);
		each.path = c->args[i];
		open_archive(&each);
		if (!each.had_symbols || each.real)
			ar_write(&each);
		archives++;
	}
	return archives > 0 ? 0 : cmd_usage(c, "an archive is needed");
}

const struct builtin builtin_ranlib = {
	.name = "ranlib",
	.usage = "[-DUt] ARCHIVE...",
	.summary =
		"Makes the table of symbols of archives, as \"ar s\" does. -D: its time is 0 (the\n"
		"default); -U: it is now.",
	.run = ranlib_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "GNU ranlib 2.40",
	.version = "GNU ranlib (GNU Binutils for Debian) 2.40",
};
