/* SPDX-License-Identifier: MIT
 *
 * find's tests: what can be asked of an entry.
 */
#include "builtins/find/find.h"

#define SECOND_NS 1000000000

void find_bad_argument(struct find *f, const struct expr *x, const char *arg)
{
	cmd_fatal(f->c, 0, "invalid argument `%s' to `%s'", arg, x->name);
}

int64_t find_time(const struct vfs_stat *st, char field)
{
	switch (field) {
	case 'a': return st->atime_ns;
	case 'c': return st->ctime_ns;
	case 'B': return st->btime_ns;
	default: return st->mtime_ns;
	}
}

/* The entry's metadata, read now if the walk left them out. */
static const struct vfs_stat *stat_of(struct find *f, struct walk_entry *e)
{
	if (!e->has_stat && cmd_stat_at(f->c, e->dir, e->at, CMD_NOFOLLOW, &e->st) == 0)
		e->has_stat = true;
	return &e->st;
}

/* --- names --- */

static bool test_name(struct find *f, const struct expr *x, struct walk_entry *e)
{
	const char *path = e->level == 0 ? e->path : e->name;
	size_t len = strlen(path);
	size_t begin;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (begin = len; begin > 0 && path[begin - 1] != '/'; begin--)
		;
	if (begin == len)
		begin = 0;
	return glob_match(x->glob, f->c->arena, (struct bytes){ path + begin, len - begin });
}

static bool test_path(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return glob_match(x->glob, f->c->arena, bytes_of(e->path));
}

static bool test_lname(struct find *f, const struct expr *x, struct walk_entry *e)
{
	struct bytes target;

	return (e->st.mode & S_FMT) == S_LNK && cmd_readlink(f->c, e->dir, e->at, &target) >= 0 &&
	       glob_match(x->glob, f->c->arena, target);
}

static void prepare_glob(struct find *f, struct expr *x, char **argv, int *at)
{
	unsigned flags = f->c->utf8 ? GLOB_UTF8 : 0;

	if (x->name[1] == 'i')
		flags |= GLOB_ICASE;
	x->glob = glob_compile(f->c->arena, bytes_of(argv[*at]), flags);
	if (x->glob == NULL)
		find_bad_argument(f, x, argv[*at]);
	glob_set_work(x->glob, cmd_work, f->c);
}

static void prepare_path(struct find *f, struct expr *x, char **argv, int *at)
{
	if (bytes_ends(bytes_of(argv[*at]), BYTES("/")))
		cmd_warn(f->c, 0, "warning: %s %s will not match anything because it ends with /.",
			 x->name, argv[*at]);
	prepare_glob(f, x, argv, at);
}

static bool test_regex(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)f;
	return regex_test(x->regex, bytes_of(e->path), 0) == 0;
}

static void prepare_regex(struct find *f, struct expr *x, char **argv, int *at)
{
	unsigned flags = f->regex_flags | REGEX_LINE | (f->c->utf8 ? REGEX_UTF8 : 0);
	struct bytes pattern = bytes_of(argv[*at]);
	const char *message;

	if (f->regex_emacs) {
		pattern = regex_from_emacs(f->c->arena, argv[*at]);
		flags |= REGEX_EMACS;
	}
	if (x->name[1] == 'i')
		flags |= REGEX_ICASE;
	if (regex_compile_set(f->c->arena, &pattern, 1, flags, &x->regex, &message) < 0)
		cmd_fatal(f->c, 0, "failed to compile regular expression '%s': %s", argv[*at],
			  message);
	regex_set_work(x->regex, cmd_work, f->c);
}

/* --- types and modes --- */

static char type_letter(uint32_t mode)
{
	switch (mode & S_FMT) {
	case S_DIR: return 'd';
	case S_LNK: return 'l';
	case S_FIFO: return 'p';
	case S_SOCK: return 's';
	case S_CHR: return 'c';
	case S_BLK: return 'b';
	default: return 'f';
	}
}

static bool test_type(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)f;
	return (x->types >> (type_letter(e->st.mode) - 'a') & 1) != 0;
}

/* The other side of a link: what it points to, or where links are followed the link itself. */
static bool test_xtype(struct find *f, const struct expr *x, struct walk_entry *e)
{
	struct vfs_stat st = e->st;
	bool followed = (f->walk_flags & WALK_FOLLOW) != 0 ||
			((f->walk_flags & WALK_FOLLOW_ROOT) != 0 && e->level == 0);
	int err = cmd_stat_at(f->c, e->dir, e->at, followed ? CMD_NOFOLLOW : 0, &st);

	if (err == -E_LOOP) {
		find_error(f, err, e->path);
		return false;
	}
	if (err < 0)
		cmd_stat_at(f->c, e->dir, e->at, CMD_NOFOLLOW, &st);
	return (x->types >> (type_letter(st.mode) - 'a') & 1) != 0;
}

static void prepare_type(struct find *f, struct expr *x, char **argv, int *at)
{
	const char *arg = argv[*at];

	if (*arg == '\0')
		cmd_fatal(f->c, 0, "Arguments to %s should contain at least one letter", x->name);
	for (const char *p = arg; *p != '\0'; p++) {
		if (strchr("bcdpflsD", *p) == NULL)
			cmd_fatal(f->c, 0, "Unknown argument to %s: %c", x->name, *p);
		if (*p == 'D')
			cmd_fatal(f->c, 0,
				  "%s D is not supported because Solaris doors are not supported "
				  "on the platform find was compiled on.",
				  x->name);
		if (x->types >> (*p - 'a') & 1)
			cmd_fatal(f->c, 0, "Duplicate file type '%c' in the argument list to %s.",
				  *p, x->name);
		if (p[1] != '\0' && p[1] != ',')
			cmd_fatal(f->c, 0, "Must separate multiple arguments to %s using: ','",
				  x->name);
		if (p[1] == ',' && p[2] == '\0')
			cmd_fatal(f->c, 0,
				  "Last file type in list argument to %s is missing, "
				  "i.e., list is ending on: ','",
				  x->name);
		x->types |= (uint64_t)1 << (*p - 'a');
		if (p[1] == ',')
			p++;
	}
}

static bool test_perm(struct find *f, const struct expr *x, struct walk_entry *e)
{
	const struct vfs_stat *st = stat_of(f, e);
	uint32_t mode = st->mode & 07777;
	uint32_t wanted = (st->mode & S_FMT) == S_DIR ? x->dir_mode : x->mode;

	if (x->how == '-')
		return (mode & wanted) == wanted;
	if (x->how == '/')
		return wanted == 0 || (mode & wanted) != 0;
	return mode == wanted;
}

static void prepare_perm(struct find *f, struct expr *x, char **argv, int *at)
{
	const char *arg = argv[*at];
	struct mode_change *m;

	if (*arg == '-' || *arg == '/')
		x->how = *arg++;
	m = mode_parse(f->c, arg);
	/* Once it asked for any of the bits, as / does now. */
	if (m == NULL || (argv[*at][0] == '+' && byte_is_digit(arg[1])))
		cmd_fatal(f->c, 0, "invalid mode %s", cmd_quote(f->c, argv[*at]));
	x->mode = mode_apply(m, 0, false, 0);
	x->dir_mode = mode_apply(m, 0, true, 0);
	if (x->how == '/' && x->mode == 0)
		cmd_warn(f->c, 0,
			 "warning: you have specified a mode pattern %s (which is equivalent to "
			 "/000). The meaning of -perm /000 has now been changed to be consistent "
			 "with -perm -000; that is, while it used to match no files, it now "
			 "matches all files.",
			 argv[*at]);
}

/* --- numbers --- */

static bool compare(const struct expr *x, int64_t v)
{
	return x->cmp == FIND_MORE   ? v > x->number
	       : x->cmp == FIND_LESS ? v < x->number
				     : v == x->number;
}

static const char *read_sign(struct expr *x, const char *arg)
{
	x->cmp = *arg == '+' ? FIND_MORE : *arg == '-' ? FIND_LESS : FIND_EQUAL;
	return x->cmp == FIND_EQUAL ? arg : arg + 1;
}

static void prepare_number(struct find *f, struct expr *x, char **argv, int *at)
{
	uint64_t v;

	if (!num_plain(read_sign(x, argv[*at]), &v) || v > INT64_MAX)
		find_bad_argument(f, x, argv[*at]);
	x->number = (int64_t)v;
}

static bool test_links(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return compare(x, stat_of(f, e)->nlink);
}

static bool test_inum(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return compare(x, (int64_t)stat_of(f, e)->ino);
}

static bool test_uid(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return compare(x, stat_of(f, e)->uid);
}

static bool test_gid(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return compare(x, stat_of(f, e)->gid);
}

static bool test_size(struct find *f, const struct expr *x, struct walk_entry *e)
{
	uint64_t unit = (uint64_t)x->unit;
	uint64_t size = stat_of(f, e)->size;

	return compare(x, (int64_t)(size / unit + (size % unit != 0)));
}

_Noreturn static void bad_size(struct find *f, const char *arg)
{
	size_t len = strlen(arg);

	if (len == 0)
		cmd_fatal(f->c, 0, "invalid null argument to -size");
	if (!byte_is_digit(arg[len - 1]) && strchr("bcwkMG", arg[len - 1]) == NULL)
		cmd_fatal(f->c, 0, "invalid -size type `%c'", arg[len - 1]);
	cmd_fatal(f->c, 0, "Invalid argument `%s' to -size", arg);
}

static void prepare_size(struct find *f, struct expr *x, char **argv, int *at)
{
	static const char letters[] = "bcwkMG";
	static const int64_t units[] = { 512, 1, 2, 1024, 1 << 20, 1 << 30 };
	const char *arg = read_sign(x, argv[*at]);
	size_t digits = 0;
	const char *letter;
	uint64_t v = 0;

	while (byte_is_digit(arg[digits])) {
		if (v > (INT64_MAX - 9) / 10)
			bad_size(f, argv[*at]);
		v = v * 10 + (uint64_t)(arg[digits++] - '0');
	}
	letter = arg[digits] == '\0' ? letters : strchr(letters, arg[digits]);
	if (letter == NULL || (arg[digits] != '\0' && arg[digits + 1] != '\0') || digits == 0)
		bad_size(f, argv[*at]);
	x->number = (int64_t)v;
	x->unit = units[letter - letters];
}

/* --- times --- */

/* Ages: -mtime counts whole days that have passed, -mmin minutes begun. */
static bool test_age(struct find *f, const struct expr *x, struct walk_entry *e)
{
	int64_t now = f->daystart ? f->day_end_ns : f->now_ns;
	int64_t limit = now - x->number;
	int64_t t = find_time(stat_of(f, e), x->field);
	bool days = x->unit == (int64_t)86400 * SECOND_NS;

	if (x->cmp == FIND_LESS)
		return t > limit;
	if (x->cmp == FIND_MORE)
		return days ? t <= limit - x->unit : t < limit;
	return days ? t <= limit && t > limit - x->unit : t >= limit && t < limit + x->unit;
}

/* A decimal fraction of the unit, such as 1.5. */
static bool read_fraction(const char *text, int64_t unit, int64_t *out)
{
	int64_t whole = 0;
	int64_t scale = unit;
	int64_t part = 0;
	bool any = false;

	for (; byte_is_digit(*text); text++, any = true)
		if (whole < 100000000)
			whole = whole * 10 + (*text - '0');
	if (*text == '.')
		for (text++; byte_is_digit(*text); text++, any = true) {
			scale /= 10;
			part += scale * (*text - '0');
		}
	if (!any || *text != '\0')
		return false;
	if (__builtin_mul_overflow(whole, unit, out) || __builtin_add_overflow(*out, part, out))
		*out = INT64_MAX / 4;
	return true;
}

static void prepare_age(struct find *f, struct expr *x, char **argv, int *at)
{
	x->field = x->name[1];
	x->unit = (x->name[2] == 't' ? 86400 : (int64_t)60) * SECOND_NS;
	if (!read_fraction(read_sign(x, argv[*at]), x->unit, &x->number))
		find_bad_argument(f, x, argv[*at]);
}

static bool test_newer(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return find_time(stat_of(f, e), x->field) > x->number;
}

static void stat_reference(struct find *f, const char *path, struct vfs_stat *st)
{
	int err = (f->walk_flags & (WALK_FOLLOW | WALK_FOLLOW_ROOT)) != 0
			  ? cmd_stat(f->c, path, st)
			  : cmd_lstat(f->c, path, st);

	if (err < 0)
		cmd_fatal(f->c, err, "%s", cmd_quote(f->c, path));
}

static void prepare_newer(struct find *f, struct expr *x, char **argv, int *at)
{
	struct vfs_stat st;

	x->field = x->name[1] == 'n' ? 'm' : x->name[1];
	stat_reference(f, argv[*at], &st);
	x->number = st.mtime_ns;
}

/* -newerXY: X of the entry is newer than Y of the reference, or than the time given (Y is t). */
static void prepare_newer_xy(struct find *f, struct expr *x, char **argv, int *at)
{
	char mine = x->name[6];
	char other = x->name[7];
	struct vfs_stat st;

	if (strchr("aBcm", mine) == NULL || strchr("aBcmt", other) == NULL)
		cmd_fatal(f->c, 0, "invalid predicate `%s'", x->name);
	x->field = mine;
	if (other == 't') {
		if (!date_parse(f->c, argv[*at], f->now_ns, f->zone, &x->number))
			cmd_fatal(f->c, 0,
				  "I cannot figure out how to interpret %s as a date or time",
				  cmd_quote(f->c, argv[*at]));
		return;
	}
	stat_reference(f, argv[*at], &st);
	x->number = find_time(&st, other);
}

static bool test_used(struct find *f, const struct expr *x, struct walk_entry *e)
{
	const struct vfs_stat *st = stat_of(f, e);
	int64_t delta = st->atime_ns - st->ctime_ns;

	int64_t days = (delta + (int64_t)86400 * SECOND_NS - 1) / ((int64_t)86400 * SECOND_NS);

	if (delta < 0)
		return false;
	if (x->cmp == FIND_LESS)
		return days <= x->number;
	return x->cmp == FIND_MORE ? days > x->number : delta > 0 && days == x->number;
}

static void prepare_used(struct find *f, struct expr *x, char **argv, int *at)
{
	uint64_t v;

	if (!num_plain(read_sign(x, argv[*at]), &v))
		cmd_fatal(f->c, 0, "Invalid argument %s to -used", argv[*at]);
	x->number = (int64_t)v;
}

/* --- owners --- */

static void prepare_user(struct find *f, struct expr *x, char **argv, int *at)
{
	uint32_t uid, gid;
	uint64_t v;

	if (argv[*at][0] == '\0')
		cmd_fatal(f->c, 0, "The argument to -user should not be empty");
	if (cmd_user_id(f->c, argv[*at], &uid, &gid))
		x->number = uid;
	else if (num_plain(argv[*at], &v))
		x->number = (int64_t)v;
	else
		cmd_fatal(f->c, 0, "%s is not the name of a known user",
			  cmd_quote(f->c, argv[*at]));
}

static void prepare_group(struct find *f, struct expr *x, char **argv, int *at)
{
	uint32_t gid;
	uint64_t v;

	if (argv[*at][0] == '\0')
		cmd_fatal(f->c, 0, "argument to -group is empty, but should be a group name");
	if (cmd_group_id(f->c, argv[*at], &gid))
		x->number = gid;
	else if (num_plain(argv[*at], &v))
		x->number = (int64_t)v;
	else
		cmd_fatal(f->c, 0, "%s is not the name of an existing group",
			  cmd_quote(f->c, argv[*at]));
}

static bool test_nouser(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)x;
	return cmd_user_name(f->c, stat_of(f, e)->uid) == NULL;
}

static bool test_nogroup(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)x;
	return cmd_group_name(f->c, stat_of(f, e)->gid) == NULL;
}

/* --- others --- */

static bool test_empty(struct find *f, const struct expr *x, struct walk_entry *e)
{
	const struct vfs_stat *st = stat_of(f, e);
	struct arena_mark mark = arena_mark(f->c->arena);
	struct vfs_dirent *list;
	size_t n = 1;

	(void)x;
	if ((st->mode & S_FMT) == S_REG)
		return st->size == 0;
	if ((st->mode & S_FMT) != S_DIR)
		return false;
	if (cmd_list(f->c, e->dir, e->at, f->c->arena, &list, &n) < 0)
		n = 1;
	arena_release(f->c->arena, mark);
	return n == 0;
}

static bool test_access(struct find *f, const struct expr *x, struct walk_entry *e)
{
	return cmd_access(f->c, e->dir, e->at, x->mode) == 0;
}

static void prepare_access(struct find *f, struct expr *x, char **argv, int *at)
{
	(void)f, (void)argv, (void)at;
	x->mode = x->name[1] == 'r' ? 4 : x->name[1] == 'w' ? 2 : 1;
}

static bool test_samefile(struct find *f, const struct expr *x, struct walk_entry *e)
{
	const struct vfs_stat *st = stat_of(f, e);

	return (int64_t)st->ino == x->number && (int64_t)st->dev == x->unit;
}

static void prepare_samefile(struct find *f, struct expr *x, char **argv, int *at)
{
	struct vfs_stat st;

	stat_reference(f, argv[*at], &st);
	x->number = (int64_t)st.ino;
	x->unit = (int64_t)st.dev;
}

static bool test_fstype(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)f, (void)e;
	return strcmp(x->text, "tmpfs") == 0;
}

static void prepare_text(struct find *f, struct expr *x, char **argv, int *at)
{
	(void)f;
	x->text = argv[*at];
}

static bool test_true(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)f, (void)x, (void)e;
	return true;
}

static bool test_false(struct find *f, const struct expr *x, struct walk_entry *e)
{
	(void)f, (void)x, (void)e;
	return false;
}

static const struct predicate tests[] = {
	{ "-amin", 1, test_age, prepare_age, false },
	{ "-anewer", 1, test_newer, prepare_newer, false },
	{ "-atime", 1, test_age, prepare_age, false },
	{ "-cmin", 1, test_age, prepare_age, false },
	{ "-cnewer", 1, test_newer, prepare_newer, false },
	{ "-ctime", 1, test_age, prepare_age, false },
	{ "-empty", 0, test_empty, NULL, false },
	{ "-executable", 0, test_access, prepare_access, false },
	{ "-false", 0, test_false, NULL, false },
	{ "-fstype", 1, test_fstype, prepare_text, false },
	{ "-gid", 1, test_gid, prepare_number, false },
	{ "-group", 1, test_gid, prepare_group, false },
	{ "-ilname", 1, test_lname, prepare_glob, false },
	{ "-iname", 1, test_name, prepare_glob, false },
	{ "-inum", 1, test_inum, prepare_number, false },
	{ "-ipath", 1, test_path, prepare_path, false },
	{ "-iregex", 1, test_regex, prepare_regex, false },
	{ "-iwholename", 1, test_path, prepare_path, false },
	{ "-links", 1, test_links, prepare_number, false },
	{ "-lname", 1, test_lname, prepare_glob, false },
	{ "-mmin", 1, test_age, prepare_age, false },
	{ "-mtime", 1, test_age, prepare_age, false },
	{ "-name", 1, test_name, prepare_glob, false },
	{ "-newer", 1, test_newer, prepare_newer, false },
	{ "-newerXY", 1, test_newer, prepare_newer_xy, false },
	{ "-nogroup", 0, test_nogroup, NULL, false },
	{ "-nouser", 0, test_nouser, NULL, false },
	{ "-path", 1, test_path, prepare_path, false },
	{ "-perm", 1, test_perm, prepare_perm, false },
	{ "-readable", 0, test_access, prepare_access, false },
	{ "-regex", 1, test_regex, prepare_regex, false },
	{ "-samefile", 1, test_samefile, prepare_samefile, false },
	{ "-size", 1, test_size, prepare_size, false },
	{ "-true", 0, test_true, NULL, false },
	{ "-type", 1, test_type, prepare_type, false },
	{ "-uid", 1, test_uid, prepare_number, false },
	{ "-used", 1, test_used, prepare_used, false },
	{ "-user", 1, test_uid, prepare_user, false },
	{ "-wholename", 1, test_path, prepare_path, false },
	{ "-writable", 0, test_access, prepare_access, false },
	{ "-xtype", 1, test_xtype, prepare_type, false },
};

const struct predicate *find_test(const char *name)
{
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		if (strcmp(tests[i].name, name) == 0)
			return &tests[i];
	return NULL;
}
