/* SPDX-License-Identifier: MIT
 *
 * awk -l and @load: the functions of gawk's extension libraries filefuncs (without fts), fnmatch,
 * intdiv, ordchr, readdir, readfile and time.
 */
#include "base/glob.h"
#include "builtins/awk/parse.h"

static const struct {
	const char *name;
	unsigned bit;
} libraries[] = {
	{ "filefuncs", LIBRARY_FILEFUNCS }, { "fnmatch", LIBRARY_FNMATCH },
	{ "intdiv", LIBRARY_INTDIV },       { "ordchr", LIBRARY_ORDCHR },
	{ "readdir", LIBRARY_READDIR },     { "readfile", LIBRARY_READFILE },
	{ "time", LIBRARY_TIME },
};

unsigned awk_library_find(const char *name)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strcmp(libraries[i].name, name) == 0)
			return libraries[i].bit;
	return 0;
}

int awk_library_function(const struct awk *a, struct bytes name)
{
	for (int i = FN_LIBRARY; i < FN_COUNT && a->libraries != 0; i++)
		if ((awk_fn_rows[i].library & a->libraries) != 0 &&
		    bytes_is(name, awk_fn_rows[i].name))
			return i;
	return -1;
}

/* --- loading --- */

void awk_program_load(struct program *prog, struct load **list, const char *name)
{
	while (*list != NULL)
		list = &(*list)->next;
	*list = arena_zalloc(prog->arena, sizeof **list);
	(*list)->name = arena_dup(prog->arena, bytes_of(name));
}

void awk_parse_load(struct parser *p)
{
	struct awk *a = p->a;

	awk_lex_next(&p->l);
	if (!at_token(p, T_STRING))
		awk_lex_unexpected(&p->l);
	const char *name = arena_dup(p->arena, p->l.name);
	unsigned bit = awk_library_find(name);

	if (a->o->sandbox)
		awk_lex_refuse(&p->l, "extensions are not allowed in sandbox mode");
	if (bit == 0)
		awk_lex_refuse(&p->l, "cannot open shared library `%s' for reading: %s", name,
			       err_text(-E_NOENT));
	a->libraries |= bit;
	awk_program_load(p->prog, &p->prog->loads, name);
	if (bit == LIBRARY_TIME)
		awk_lex_warn(&p->l, AWK_TIME_OBSOLETE);
	awk_lex_next(&p->l);
}

/* --- fnmatch --- */

static const struct {
	const char *name;
	unsigned bit;
} match_flags[] = {
	{ "PATHNAME", 1 }, { "FILE_NAME", 1 },   { "NOESCAPE", 2 },
	{ "PERIOD", 4 },   { "LEADING_DIR", 8 }, { "CASEFOLD", 16 },
};

void awk_library_declare(struct program *p)
{
	if ((p->a->libraries & LIBRARY_FNMATCH) == 0)
		return;
	awk_program_global(p, BYTES("FNM"));
	awk_program_global(p, BYTES("FNM_NOMATCH"));
}

void awk_library_fill(struct awk *a)
{
	if ((a->libraries & LIBRARY_FNMATCH) == 0)
		return;
	struct array *x = awk_var_array(a, &a->globals[awk_program_global(a->prog, BYTES("FNM"))]);

	for (size_t i = 0; i < sizeof match_flags / sizeof *match_flags; i++)
		awk_array_set(a, x, bytes_of(match_flags[i].name), val_num(match_flags[i].bit));
	a->globals[awk_program_global(a->prog, BYTES("FNM_NOMATCH"))] = val_num(1);
}

static double match(struct awk *a, struct val *args)
{
	static const unsigned own[] = { GLOB_PATHNAME, GLOB_NOESCAPE, GLOB_PERIOD, 0, GLOB_ICASE };
	struct str *pattern = awk_val_to_str(a, &args[0]);
	struct bytes text = str_bytes(awk_val_to_str(a, &args[1]));
	unsigned given = (unsigned)(int64_t)val_to_num(a, &args[2]);
	unsigned flags = a->utf8 ? GLOB_UTF8 : 0;

	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		flags |= (given >> i & 1) != 0 ? own[i] : 0;
	struct glob *g = glob_compile(&a->scratch, str_bytes(pattern), flags);

	if (g == NULL)
		return 1;
	glob_set_work(g, cmd_work, a->c);
	awk_work_bytes(a, text.len);
	if (glob_match(g, &a->scratch, text))
		return 0;
	/* LEADING_DIR: what is behind a '/' does not count. */
	for (size_t i = 0; (given & 8) != 0 && i < text.len; i++)
		if (text.ptr[i] == '/' && glob_match(g, &a->scratch, bytes_slice(text, 0, i)))
			return 0;
	return 1;
}

/* --- filefuncs --- */

static void put_num(struct awk *a, struct array *x, const char *key, double d)
{
	awk_array_set(a, x, bytes_of(key), val_num(d));
}

static void put_text(struct awk *a, struct array *x, const char *key, struct bytes s)
{
	awk_array_set(a, x, bytes_of(key), val_bytes(a, s));
}

static const char *type_of(uint32_t mode)
{
	switch (mode & S_FMT) {
	case S_REG: return "file";
	case S_DIR: return "directory";
	case S_LNK: return "symlink";
	case S_FIFO: return "fifo";
	case S_SOCK: return "socket";
	case S_BLK: return "blockdev";
	case S_CHR: return "chardev";
	default: return "unknown";
	}
}

static double seconds(int64_t ns)
{
	return (double)(ns / 1000000000 - (ns % 1000000000 < 0));
}

static void put_stat(struct awk *a, struct array *x, const char *path, const struct vfs_stat *st)
{
	char mode[11];
	struct bytes target;

	mode_text(st->mode, mode);
	put_text(a, x, "name", bytes_of(path));
	put_num(a, x, "dev", (double)st->dev);
	put_num(a, x, "ino", (double)st->ino);
	put_num(a, x, "mode", st->mode);
	put_num(a, x, "nlink", st->nlink);
	put_num(a, x, "uid", st->uid);
	put_num(a, x, "gid", st->gid);
	put_num(a, x, "size", (double)st->size);
	put_num(a, x, "blocks", (double)st->blocks);
	put_num(a, x, "atime", seconds(st->atime_ns));
	put_num(a, x, "mtime", seconds(st->mtime_ns));
	put_num(a, x, "ctime", seconds(st->ctime_ns));
	put_num(a, x, "blksize", 4096);
	put_num(a, x, "devbsize", 512);
	put_text(a, x, "pmode", bytes_of(mode));
	put_text(a, x, "type", bytes_of(type_of(st->mode)));
	if ((st->mode & S_FMT) == S_BLK || (st->mode & S_FMT) == S_CHR) {
		put_num(a, x, "rdev", (double)st->rdev);
		put_num(a, x, "major", (double)(st->rdev >> 8));
		put_num(a, x, "minor", (double)(st->rdev & 0xff));
	}
	if ((st->mode & S_FMT) == S_LNK && cmd_readlink(a->c, CMD_CWD, path, &target) == 0)
		put_text(a, x, "linkval", target);
}

static char *path_of(struct awk *a, struct val *v)
{
	struct bytes text = str_bytes(awk_val_to_str(a, v));

	awk_work_long(a, text.len);
	return arena_dup(&a->scratch, text);
}

static double stat_file(struct awk *a, struct val *args, int n)
{
	char *path = path_of(a, &args[0]);
	struct array *x = args[1].u.array;
	struct vfs_stat st;
	int err = n > 2 && awk_val_true(a, &args[2]) ? cmd_stat(a->c, path, &st)
						     : cmd_lstat(a->c, path, &st);

	awk_array_clear(a, x);
	if (err < 0) {
		awk_set_errno(a, err);
		return -1;
	}
	put_stat(a, x, path, &st);
	return 0;
}

static double change_directory(struct awk *a, struct val *args)
{
	int err = cmd_chdir(a->c, path_of(a, &args[0]));

	if (err < 0)
		awk_set_errno(a, err);
	return err < 0 ? -1 : 0;
}

/* --- readdir, readfile --- */

static char type_letter(uint32_t mode)
{
	switch (mode & S_FMT) {
	case S_REG: return 'f';
	case S_DIR: return 'd';
	case S_LNK: return 'l';
	case S_FIFO: return 'p';
	case S_SOCK: return 's';
	case S_BLK: return 'b';
	case S_CHR: return 'c';
	default: return 'u';
	}
}

int awk_library_directory(struct awk *a, const char *path, struct reader *r)
{
	struct arena_mark mark = arena_mark(a->c->arena);
	struct buf text = buf_in(a->c->arena);
	struct vfs_dirent *list;
	struct vfs_stat st;
	size_t n;
	int fd = cmd_open(a->c, CMD_CWD, path, O_RDONLY_ | O_DIRECTORY_ | O_CLOEXEC_, 0);
	int err = fd < 0 ? fd : cmd_list(a->c, CMD_CWD, path, a->c->arena, &list, &n);

	if (err < 0)
		return err;
	for (size_t i = 0; i < n + 2; i++) {
		const char *name = i == 0   ? "."
				   : i == 1 ? ".."
					    : arena_dup(a->c->arena, list[i - 2].name);

		if (cmd_stat_at(a->c, fd, name, CMD_NOFOLLOW, &st) == 0)
			buf_printf(&text, "%llu/%s/%c\n", (unsigned long long)st.ino, name,
				   type_letter(st.mode));
		awk_work(a, 1);
	}
	cmd_close(a->c, fd);
	*r = (struct reader){ .fd = -1, .eof = true, .to = text.len, .cap = text.len };
	r->buf = pool_alloc(a->pool, text.len);
	memcpy(r->buf, buf_bytes(&text).ptr, text.len);
	r->fill = ++a->fills;
	arena_release(a->c->arena, mark);
	return 0;
}

static struct val read_file(struct awk *a, struct val *args)
{
	struct arena_mark mark = arena_mark(a->c->arena);
	struct bytes text;
	int err = cmd_read_all(a->c, path_of(a, &args[0]), &text);
	struct val v = val_str(str_get(a->empty));

	if (err < 0) {
		awk_set_errno(a, err);
		return v;
	}
	v = val_bytes(a, text);
	awk_work_bytes(a, text.len);
	arena_release(a->c->arena, mark);
	return v;
}

/* --- time, ordchr, intdiv --- */

static double sleep_for(struct awk *a, struct val *args)
{
	double d = val_to_num(a, &args[0]);

	if (d < 0) {
		awk_special_set(a, SP_ERRNO, val_bytes(a, BYTES("sleep: argument is negative")));
		return -1;
	}
	cmd_flush(a->c);
	int err = cmd_sleep(a->c, d < 1e9 ? (int64_t)(d * 1e9) : INT64_MAX);

	if (err < 0)
		awk_set_errno(a, err);
	return err < 0 ? -1 : 0;
}

static struct val character(struct awk *a, struct val *args)
{
	double d = val_to_num(a, &args[0]);
	char ch = (char)(d > -1e18 && d < 1e18 ? (int64_t)d & 0xff : 0);

	return val_bytes(a, (struct bytes){ &ch, 1 });
}

static double whole(double d)
{
	return d < 0 ? ceil(d) : floor(d);
}

static struct val divide(struct awk *a, struct val *args)
{
	struct array *x = args[2].u.array;
	struct val p = a->o->bignum ? awk_big_int(a, &args[0])
				    : val_num(whole(val_to_num(a, &args[0])));
	struct val q = a->o->bignum ? awk_big_int(a, &args[1])
				    : val_num(whole(val_to_num(a, &args[1])));

	awk_array_clear(a, x);
	if (q.kind == VAL_NUM && q.u.num == 0) {
		awk_warn(a, "intdiv: division by zero attempted");
		val_put(a, p);
		return val_num(-1);
	}
	struct val rest = a->o->bignum ? awk_big_arith(a, ARITH_MOD, &p, &q)
				       : val_num(fmod(p.u.num, q.u.num));
	struct val quotient;

	if (a->o->bignum) {
		struct val exact = awk_big_arith(a, ARITH_SUB, &p, &rest);

		quotient = awk_big_arith(a, ARITH_DIV, &exact, &q);
		val_put(a, exact);
	} else {
		quotient = val_num(whole(p.u.num / q.u.num));
	}
	awk_array_set(a, x, BYTES("quotient"), quotient);
	awk_array_set(a, x, BYTES("remainder"), rest);
	val_put(a, p);
	val_put(a, q);
	return val_num(0);
}

/* --- all of them --- */

struct val awk_library_call(struct awk *a, unsigned id, struct val *args, int n)
{
	const struct fn_row *row = &awk_fn_rows[id];
	struct bytes s;

	if (n < row->need)
		awk_fatal(a, "%s: called with %d arguments, expecting at least %d", row->name, n,
			  row->need);
	switch ((enum builtin_fn)id) {
	case FN_ORD:
		s = str_bytes(awk_val_to_str(a, &args[0]));
		return val_num(s.len > 0 ? (unsigned char)s.ptr[0] : 0);
	case FN_CHR: return character(a, args);
	case FN_READFILE: return read_file(a, args);
	case FN_GETTIMEOFDAY: return val_num((double)cmd_now(a->c) / 1e9);
	case FN_SLEEP: return val_num(sleep_for(a, args));
	case FN_INTDIV: return divide(a, args);
	case FN_FNMATCH: return val_num(match(a, args));
	case FN_CHDIR: return val_num(change_directory(a, args));
	default: return val_num(stat_file(a, args, n));
	}
}
