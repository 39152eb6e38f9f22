/* SPDX-License-Identifier: MIT
 *
 * ar - archives of files, as compilers' libraries are.
 *
 * An archive is read whole; its members are views of it. Every change writes it anew. Names
 * longer than 15 bytes stand in a member "//"; a symbol table ("/") is left as it is by what
 * only reads, and left out by what changes the archive, with a warning.
 */
#include "builtins/zone.h"

#include "base/number.h"

enum { HEADER = 60, NAME_MAX = 15, NO_ARCHIVE_STATUS = 9, NS = 1000000000 };

struct member {
	const char *name;
	int64_t date;
	uint64_t uid;
	uint64_t gid;
	uint32_t mode;
	struct bytes data;
	uint64_t size;   /* as its header says: data may be cut short */
	uint64_t offset; /* of its header */
};

struct ar {
	struct cmd *c;
	char operation;
	bool verbose;
	bool real;   /* U: times and owners as they are */
	bool silent; /* c */
	bool offsets;
	bool full_names;
	bool keep_dates;
	bool newer_only;
	char where; /* a, b: relative to `beside` */
	const char *beside;
	uint64_t count; /* N: which of several with the same name */
	const char *output;
	const char *path;
	char **file;
	int nfiles;
	struct buf members; /* of struct member */
	bool exists;
	bool had_symbols;
	int status;
};

static struct member *all(const struct ar *r)
{
	return (void *)r->members.ptr;
}

static size_t count(const struct ar *r)
{
	return r->members.len / sizeof(struct member);
}

static void insert(struct ar *r, size_t at, struct member m)
{
	buf_put(&r->members, &m, sizeof m);
	memmove(all(r) + at + 1, all(r) + at, (count(r) - at - 1) * sizeof m);
	all(r)[at] = m;
}

static struct member take_out(struct ar *r, size_t at)
{
	struct member m = all(r)[at];

	memmove(all(r) + at, all(r) + at + 1, (count(r) - at - 1) * sizeof m);
	r->members.len -= sizeof m;
	return m;
}

/* --- reading --- */

/* The number in a field of a header. */
static bool field(struct bytes header, size_t at, size_t len, int base, uint64_t *out)
{
	struct bytes s = bytes_slice(header, at, at + len);

	while (s.len > 0 && s.ptr[s.len - 1] == ' ')
		s.len--;
	*out = 0;
	return s.len == 0 || number_parse_u64(s, base, out, NULL) == s.len;
}

/* A name behind "//": up to "/\n". */
static const char *long_name(struct ar *r, struct bytes names, struct bytes number)
{
	uint64_t at;
	const char *end;

	if (number_parse_u64(number, 10, &at, NULL) == 0 || at >= names.len)
		return "";
	struct bytes rest = bytes_slice(names, (size_t)at, names.len);

	end = memchr(rest.ptr, '\n', rest.len);
	rest.len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
	if (bytes_ends(rest, BYTES("/")))
		rest.len--;
	return arena_dup(r->c->arena, rest);
}

/* The name of a member. BSD's "#1/N": the first N bytes of its data, which are taken off. */
static const char *member_name(struct ar *r, struct bytes header, struct bytes names,
			       struct member *m)
{
	struct bytes name = bytes_slice(header, 0, 16);
	uint64_t n;

	if (name.ptr[0] == '/' && byte_is_digit(name.ptr[1]))
		return long_name(r, names, bytes_slice(name, 1, 16));
	if (bytes_starts(name, BYTES("#1/")) &&
	    number_parse_u64(bytes_slice(name, 3, 16), 10, &n, NULL) > 0 && n <= m->data.len) {
		struct bytes inner = bytes_slice(m->data, 0, (size_t)n);

		m->data = bytes_slice(m->data, (size_t)n, m->data.len);
		m->size -= n;
		while (inner.len > 0 && inner.ptr[inner.len - 1] == '\0')
			inner.len--;
		return arena_dup(r->c->arena, inner);
	}
	const char *slash = memchr(name.ptr, '/', name.len);

	name.len = slash != NULL ? (size_t)(slash - name.ptr) : name.len;
	while (slash == NULL && name.len > 0 && name.ptr[name.len - 1] == ' ')
		name.len--;
	return arena_dup(r->c->arena, name);
}

_Noreturn static void not_an_archive(struct ar *r, const char *text)
{
	cmd_fatal(r->c, 0, "%s: %s", r->path, text);
}

static bool parse_header(struct bytes header, struct member *m)
{
	uint64_t date;
	uint64_t mode;

	if (!field(header, 48, 10, 10, &m->size) || header.ptr[48] == ' ' ||
	    header.ptr[58] != '`' || header.ptr[59] != '\n' || !field(header, 40, 8, 8, &mode) ||
	    !field(header, 16, 12, 10, &date) || !field(header, 28, 6, 10, &m->uid) ||
	    !field(header, 34, 6, 10, &m->gid))
		return false;
	m->date = (int64_t)date;
	m->mode = (uint32_t)mode;
	return true;
}

static void parse(struct ar *r, struct bytes a)
{
	struct bytes names = BYTES("");
	size_t at = 8;

	if (bytes_starts(a, BYTES("!<thin>\n")))
		not_an_archive(r, "thin archives are not supported");
	if (!bytes_starts(a, BYTES("!<arch>\n")) || (a.len > 8 && a.len < 8 + HEADER))
		not_an_archive(r, "file format not recognized");
	while (a.len - at >= HEADER) {
		struct bytes header = bytes_slice(a, at, at + HEADER);
		struct member m = { .offset = at };

		if (!parse_header(header, &m))
			not_an_archive(r, "malformed archive");
		at += HEADER;
		m.data = bytes_slice(a, at, m.size < a.len - at ? at + (size_t)m.size : a.len);
		at += m.data.len + (m.size & 1);
		at = at < a.len ? at : a.len;
		cmd_charge(r->c, 4);
		if (bytes_starts(header, BYTES("//              "))) {
			names = m.data;
		} else if (bytes_starts(header, BYTES("/               ")) ||
			   bytes_starts(header, BYTES("/SYM64/ "))) {
			r->had_symbols = true;
		} else {
			m.name = member_name(r, header, names, &m);
			buf_put(&r->members, &m, sizeof m);
		}
	}
}

static void read_archive(struct ar *r)
{
	struct cmd *c = r->c;
	bool makes = strchr("tpx", r->operation) == NULL;
	struct bytes a;
	int err = cmd_read_all(c, r->path, &a);

	if (err == -E_NOENT && makes) {
		if (!r->silent)
			cmd_warn(c, 0, "creating %s", r->path);
		return;
	}
	if (err < 0)
		cmd_fatal_status(c, NO_ARCHIVE_STATUS, err, "%s", r->path);
	r->exists = true;
	parse(r, arena_bytes(c->arena, a));
}

/* --- writing --- */

static void put_header(struct buf *out, const char *name, const struct member *m)
{
	buf_printf(out, "%-16s%-12lld%-6llu%-6llu%-8o%-10llu`\n", name, (long long)m->date,
		   (unsigned long long)m->uid % 1000000, (unsigned long long)m->gid % 1000000,
		   m->mode, (unsigned long long)m->data.len);
}

static void put_padded(struct output *o, struct bytes data)
{
	output_write(o, data.ptr, data.len);
	if (data.len & 1)
		output_putc(o, '\n');
}

static void put_member(struct ar *r, struct output *o, const struct member *m, size_t *long_at)
{
	struct arena_mark mark = arena_mark(r->c->arena);
	struct buf name = buf_in(r->c->arena);
	struct buf header = buf_in(r->c->arena);

	if (strlen(m->name) <= NAME_MAX) {
		buf_printf(&name, "%s/", m->name);
	} else {
		buf_printf(&name, "/%zu", *long_at);
		*long_at += strlen(m->name) + 2;
	}
	put_header(&header, buf_cstr(&name), m);
	output_write(o, header.ptr, header.len);
	put_padded(o, m->data);
	cmd_charge_bytes(r->c, m->data.len);
	arena_release(r->c->arena, mark);
}

static void write_archive(struct ar *r)
{
	struct cmd *c = r->c;
	struct buf names = buf_in(c->arena);
	struct buf header = buf_in(c->arena);
	struct output o;
	size_t long_at = 0;
	int err = output_open(&o, c, r->path, O_TRUNC_, false);

	if (err < 0)
		cmd_fatal(c, err, "%s", r->path);
	if (r->had_symbols)
		cmd_warn(c, 0, "%s: the symbol table is left out", r->path);
	output_write(&o, "!<arch>\n", 8);
	for (size_t i = 0; i < count(r); i++)
		if (strlen(all(r)[i].name) > NAME_MAX)
			buf_printf(&names, "%s/\n", all(r)[i].name);
	if (names.len > 0) {
		if (names.len & 1)
			buf_putc(&names, '\n');
		buf_printf(&header, "%-48s%-10zu`\n", "//", names.len);
		output_write(&o, header.ptr, header.len);
		output_write(&o, names.ptr, names.len);
	}
	for (size_t i = 0; i < count(r); i++)
		put_member(r, &o, &all(r)[i], &long_at);
	output_close(&o);
}

/* --- finding --- */

static const char *base_name(const struct ar *r, const char *path)
{
	const char *slash = r->full_names ? NULL : strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* The member of that name (with N: the count-th), or SIZE_MAX. */
static size_t find(const struct ar *r, const char *path)
{
	uint64_t left = r->count > 0 ? r->count : 1;

	for (size_t i = 0; i < count(r); i++) {
		cmd_charge(r->c, 1);
		if (strcmp(all(r)[i].name, base_name(r, path)) == 0 && --left == 0)
			return i;
	}
	return SIZE_MAX;
}

/* Where new and moved members go. */
static size_t place(const struct ar *r)
{
	size_t at = r->where != '\0' ? find(r, r->beside) : SIZE_MAX;

	return at == SIZE_MAX ? count(r) : at + (r->where == 'a');
}

static void say(struct ar *r, char what, const char *name)
{
	if (r->verbose)
		cmd_printf(r->c, "%c - %s\n", what, name);
}

/* --- t, p, x --- */

static void list(struct ar *r, const struct member *m)
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
		cmd_printf(c, " 0x%llx", (unsigned long long)m->offset + HEADER);
	cmd_putc(c, '\n');
}

static void check_whole(struct ar *r, const struct member *m)
{
	if (m->data.len < m->size)
		cmd_fatal(r->c, 0, "%s is not a valid archive", r->path);
}

static void print(struct ar *r, const struct member *m)
{
	if (r->verbose)
		cmd_printf(r->c, "\n<%s>\n\n", m->name);
	check_whole(r, m);
	cmd_bytes(r->c, m->data);
}

/* Members go into the directory, whatever their names say. */
static void extract(struct ar *r, const struct member *m)
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
	cmd_unlink(c, CMD_CWD, path.ptr, 0);
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
		cmd_utimes(c, CMD_CWD, path.ptr, m->date * NS, m->date * NS, 0);
}

static void show(struct ar *r, const struct member *m)
{
	struct arena_mark mark = arena_mark(r->c->arena);

	if (r->operation == 't')
		list(r, m);
	else if (r->operation == 'p')
		print(r, m);
	else
		extract(r, m);
	cmd_charge_bytes(r->c, m->data.len);
	arena_release(r->c->arena, mark);
}

static void show_all(struct ar *r)
{
	for (size_t i = 0; i < count(r) && r->nfiles == 0; i++)
		show(r, &all(r)[i]);
	for (int k = 0; k < r->nfiles; k++) {
		size_t i = find(r, r->file[k]);

		if (i != SIZE_MAX) {
			show(r, &all(r)[i]);
		} else {
			struct buf text = buf_in(r->c->arena);

			buf_printf(&text, "no entry %s in archive\n", r->file[k]);
			cmd_flush(r->c);
			cmd_err_write(r->c, text.ptr, text.len);
		}
	}
}

/* --- r, q, d, m --- */

static struct member read_file(struct ar *r, const char *path)
{
	struct cmd *c = r->c;
	struct member m = { .name = base_name(r, path), .mode = 0644 };
	struct vfs_stat st;
	int err = cmd_stat(c, path, &st);

	if (err >= 0)
		err = cmd_read_all(c, path, &m.data);
	if (err < 0)
		cmd_fatal(c, err, "%s", path);
	m.data = arena_bytes(c->arena, m.data);
	m.size = m.data.len;
	if (r->real) {
		m.mode = st.mode;
		m.uid = st.uid;
		m.gid = st.gid;
		m.date = st.mtime_ns / NS;
	}
	return m;
}

static void add(struct ar *r, const char *path)
{
	size_t old = r->operation == 'r' ? find(r, path) : SIZE_MAX;
	struct member m = read_file(r, path);

	if (old != SIZE_MAX && r->newer_only && r->real && m.date <= all(r)[old].date)
		return;
	say(r, old != SIZE_MAX ? 'r' : 'a', path);
	if (old != SIZE_MAX) {
		take_out(r, old);
		insert(r, r->where != '\0' ? place(r) : old, m);
	} else {
		insert(r, place(r), m);
	}
}

static void change_all(struct ar *r)
{
	for (int k = 0; k < r->nfiles; k++) {
		size_t i = r->operation == 'd' || r->operation == 'm' ? find(r, r->file[k])
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
			struct member m = take_out(r, i);

			say(r, r->operation, m.name);
			if (r->operation == 'm')
				insert(r, place(r), m);
		}
	}
	if (r->nfiles > 0 || !r->exists)
		write_archive(r);
}

/* --- the command line --- */

static void take_letter(struct ar *r, char ch, bool *wants_count)
{
	struct cmd *c = r->c;

	if (strchr("dmpqrtx", ch) != NULL || (ch == 's' && r->operation == '\0')) {
		if (r->operation != '\0' && r->operation != 's')
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
	case 's':
	case 'S': break;
	case 'f':
	case 'l':
	case 'T':
	case 'M':
	case 'V': cmd_usage(c, "option '%c' is not supported", ch); cmd_exit(c, 1);
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
	if (r->operation == '\0')
		next(r, &at, &(int){ 0 });
	if (r->where != '\0')
		r->beside = next(r, &at, &left);
	if (wants_count && r->operation != 'x' && r->operation != 'd')
		cmd_fatal(c, 0, "`N' is only meaningful with the `x' and `d' options.");
	if (wants_count && (!num_plain(next(r, &at, &left), &r->count) || r->count == 0))
		cmd_fatal(c, 0, "Value for `N' must be positive.");
	/* The real one takes "mc" for "rc". */
	if (r->operation == 'm' && r->silent)
		r->operation = 'r';
	r->path = next(r, &at, &left);
	r->file = at;
	r->nfiles = left;
	if (r->newer_only && !r->real && r->operation == 'r')
		cmd_warn(c, 0, "`u' modifier ignored since `D' is the default (see `U')");
}

static int ar_run(struct cmd *c)
{
	struct ar r = { .c = c, .members = buf_in(c->arena) };

	parse_arguments(&r);
	read_archive(&r);
	if (r.operation == 't' || r.operation == 'p' || r.operation == 'x')
		show_all(&r);
	else if (r.operation != 's' || !r.exists)
		change_all(&r);
	return r.status;
}

const struct builtin builtin_ar = {
	.name = "ar",
	.usage = "[-]{dmpqrtx}[abcDioNOPsSuUv] [--output=DIR] [MEMBER] [COUNT] ARCHIVE [FILE]...",
	.summary =
		"Keeps files in an archive: d deletes, m moves, p prints, q appends, r replaces\n"
		"or adds, t lists, x extracts. a, b (i): behind, before MEMBER; c: say nothing\n"
		"of a new archive; D, U: times and owners 0 (the default), or real; N: the "
		"COUNT-th\n"
		"of a name; O: offsets; o: keep times; P: whole paths; u: only newer ones;\n"
		"v: say what is done.",
	.run = ar_run,
	.flags = BUILTIN_RAW_HELP,
	.family = "GNU ar 2.40",
	.version = "GNU ar (GNU Binutils for Debian) 2.40",
};
