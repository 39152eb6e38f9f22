/* SPDX-License-Identifier: MIT
 *
 * ulimit, umask, times.
 */
#include "base/err.h"
#include "interp/builtin.h"

/* --- ulimit --- */

enum { LIMIT_PIPE = -1 };

/* In the order of `ulimit -a`; resource is Linux's number. */
static const struct limit_row {
	char letter;
	int resource;
	int unit; /* bytes in one of what is shown */
	const char *name;
	const char *units;
} limits[] = {
	{ 'R', 15, 1, "real-time non-blocking time", "microseconds, " },
	{ 'c', 4, 1024, "core file size", "blocks, " },
	{ 'd', 2, 1024, "data seg size", "kbytes, " },
	{ 'e', 13, 1, "scheduling priority", "" },
	{ 'f', 1, 1024, "file size", "blocks, " },
	{ 'i', 11, 1, "pending signals", "" },
	{ 'l', 8, 1024, "max locked memory", "kbytes, " },
	{ 'm', 5, 1024, "max memory size", "kbytes, " },
	{ 'n', 7, 1, "open files", "" },
	{ 'p', LIMIT_PIPE, 512, "pipe size", "512 bytes, " },
	{ 'q', 12, 1, "POSIX message queues", "bytes, " },
	{ 'r', 14, 1, "real-time priority", "" },
	{ 's', 3, 1024, "stack size", "kbytes, " },
	{ 't', 0, 1, "cpu time", "seconds, " },
	{ 'u', 6, 1, "max user processes", "" },
	{ 'v', 9, 1024, "virtual memory", "kbytes, " },
	{ 'x', 10, 1, "file locks", "" },
};

enum { LIMIT_ROWS = sizeof(limits) / sizeof(limits[0]), SOFT = 1, HARD = 2 };

static const struct limit_row *limit_row(int letter)
{
	for (int i = 0; i < LIMIT_ROWS; i++) {
		if (limits[i].letter == letter)
			return &limits[i];
	}
	return NULL;
}

static uint64_t limit_get(const struct shell *sh, const struct limit_row *row, bool hard)
{
	if (row->resource == LIMIT_PIPE)
		return 8 * 512;
	return sh->p->rlimit[row->resource][hard];
}

static void put_limit(const struct shell *sh, struct buf *out, const struct limit_row *row,
		      bool hard)
{
	uint64_t v = limit_get(sh, row, hard);

	if (v == UINT64_MAX)
		buf_puts(out, "unlimited\n");
	else
		buf_printf(out, "%llu\n", (unsigned long long)(v / (uint64_t)row->unit));
}

/* "open files                          (-n) " */
static void put_title(struct buf *out, const struct limit_row *row)
{
	struct buf unit = buf_in(out->arena);

	buf_printf(&unit, "(%s-%c)", row->units, row->letter);
	size_t name = strlen(row->name);

	buf_puts(out, row->name);
	buf_fill(out, ' ', (name < 20 ? 20 - name : 0) + (unit.len < 20 ? 20 - unit.len : 0));
	buf_printf(out, "%s ", unit.ptr);
}

static int limit_refused(struct shell *sh, const struct limit_row *row, int err)
{
	builtin_error(sh, "ulimit", "%s: cannot modify limit: %s", row->name, err_text(err));
	return 1;
}

static int limit_set(struct shell *sh, const struct limit_row *row, const char *text, int which)
{
	uint64_t v;
	bool overflow;

	if (strcmp(text, "unlimited") == 0) {
		v = UINT64_MAX;
	} else if (strcmp(text, "hard") == 0 || strcmp(text, "soft") == 0) {
		v = limit_get(sh, row, *text == 'h');
	} else {
		size_t used = number_parse_u64(bytes_of(text), 10, &v, &overflow);

		if (text[strspn(text, "0123456789")] != '\0' || (used == 0 && *text != '\0')) {
			builtin_error(sh, "ulimit", "%s: invalid number", text);
			return 1;
		}
		if (overflow || v > INT64_MAX / (uint64_t)row->unit) {
			builtin_error(sh, "ulimit", "%s: limit out of range", text);
			return 1;
		}
		v *= (uint64_t)row->unit;
	}
	if (row->resource == LIMIT_PIPE)
		return limit_refused(sh, row, E_INVAL);
	uint64_t *limit = sh->p->rlimit[row->resource];
	uint64_t hard = (which & HARD) != 0 ? v : limit[1];

	if (hard > limit[1] && sh->p->cred.uid != 0)
		return limit_refused(sh, row, E_PERM);
	if ((which & SOFT) != 0 && v > hard)
		return limit_refused(sh, row, E_INVAL);
	if ((which & SOFT) != 0)
		limit[0] = v;
	limit[1] = hard;
	if (limit[0] > hard)
		limit[0] = hard;
	return 0;
}

static int show_all_limits(struct shell *sh, bool hard)
{
	struct buf out = buf_in(sh->arena);

	for (int i = 0; i < LIMIT_ROWS; i++) {
		put_title(&out, &limits[i]);
		put_limit(sh, &out, &limits[i], hard);
	}
	return out_flush(sh, "ulimit", &out);
}

/* A letter may be followed by its value. */
static int run_limits(struct shell *sh, int n, const struct limit_row **rows, char **values,
		      int which)
{
	struct buf out = buf_in(sh->arena);
	int shown = 0;
	int status = 0;

	for (int i = 0; i < n; i++)
		shown += values[i] == NULL;
	for (int i = 0; i < n && status == 0; i++) {
		if (values[i] != NULL) {
			status = limit_set(sh, rows[i], values[i],
					   which == 0 ? SOFT | HARD : which);
			continue;
		}
		if (shown > 1)
			put_title(&out, rows[i]);
		put_limit(sh, &out, rows[i], which == HARD);
	}
	out_flush_unchecked(sh, &out);
	return status;
}

int do_ulimit(struct shell *sh, int argc, char **argv)
{
	const struct limit_row *rows[LIMIT_ROWS + 1];
	char *values[LIMIT_ROWS + 1];
	struct optscan o = { 0 };
	bool all = false;
	int which = 0;
	int n = 0;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "SHacdefilmnpqrstuvxR")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c == 'S' || c == 'H') {
			which |= c == 'S' ? SOFT : HARD;
			continue;
		}
		all = all || c == 'a';
		if (c == 'a' || n == LIMIT_ROWS)
			continue;
		rows[n] = limit_row(c);
		values[n] = NULL;
		/* The rest of the word, or a next word that is no option, is the value. */
		if (o.pos != 0) {
			values[n] = argv[o.index] + o.pos;
			o.index++;
			o.pos = 0;
		} else if (o.index < argc && argv[o.index][0] != '-') {
			values[n] = argv[o.index++];
		}
		n++;
	}
	if (all)
		return show_all_limits(sh, which == HARD);
	if (n == 0) {
		rows[0] = limit_row('f');
		values[0] = o.index < argc ? argv[o.index] : NULL;
		n = 1;
	}
	return run_limits(sh, n, rows, values, which);
}

/* --- umask --- */

static void put_symbolic(struct buf *out, uint32_t mask)
{
	for (int who = 0; who < 3; who++) {
		unsigned bits = ~(mask >> (6 - 3 * who)) & 7;

		if (who > 0)
			buf_putc(out, ',');
		buf_putc(out, "ugo"[who]);
		buf_putc(out, '=');
		for (int i = 0; i < 3; i++) {
			if ((bits >> (2 - i) & 1) != 0)
				buf_putc(out, "rwx"[i]);
		}
	}
}

static int umask_fail(struct shell *sh, const char *what, char c)
{
	builtin_error(sh, "umask", "`%c': invalid symbolic mode %s", c, what);
	return -1;
}

static unsigned who_bits(char c)
{
	switch (c) {
	case 'u': return 0700;
	case 'g': return 0070;
	case 'o': return 0007;
	default: return c == 'a' ? 0777 : 0;
	}
}

static unsigned permission_bits(char c)
{
	switch (c) {
	case 'r': return 0444;
	case 'w': return 0222;
	default: return c == 'x' ? 0111 : 0;
	}
}

/* Works on permissions, the complement of the mask. -1 after a message. */
static int parse_symbolic(struct shell *sh, const char *text, uint32_t mask)
{
	unsigned mode = ~mask & 0777;

	for (;;) {
		unsigned who = 0;
		unsigned bits = 0;

		while (who_bits(*text) != 0)
			who |= who_bits(*text++);
		char op = *text;

		if (op == '\0' || strchr("+-=", op) == NULL)
			return umask_fail(sh, "operator", op);
		for (text++; permission_bits(*text) != 0; text++)
			bits |= permission_bits(*text);
		who = who == 0 ? 0777 : who;
		bits &= who;
		mode = op == '+' ? mode | bits : op == '-' ? mode & ~bits : (mode & ~who) | bits;
		if (*text == '\0')
			return (int)(~mode & 0777);
		if (*text != ',')
			return umask_fail(sh, "character", *text);
		text++;
	}
}

static int parse_mask(struct shell *sh, const char *text, uint32_t mask)
{
	int v = 0;

	if (!byte_is_digit((unsigned char)*text))
		return parse_symbolic(sh, text, mask);
	for (const char *at = text; *at != '\0'; at++) {
		if (*at < '0' || *at > '7' || v > 07777) {
			v = 010000;
			break;
		}
		v = v * 8 + (*at - '0');
	}
	if (v <= 07777)
		return v & 0777;
	builtin_error(sh, "umask", "%s: octal number out of range", text);
	return -1;
}

int do_umask(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	struct optscan o = { 0 };
	bool symbolic = false;
	bool reusable = false;
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "Sp")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		symbolic = symbolic || c == 'S';
		reusable = reusable || c == 'p';
	}
	if (o.index < argc) {
		int mask = parse_mask(sh, argv[o.index], sh->p->umask);

		if (mask < 0)
			return 1;
		sys_umask(sh->p, (uint32_t)mask);
		if (!symbolic)
			return 0;
		reusable = false;
	}
	if (reusable)
		buf_puts(&out, symbolic ? "umask -S " : "umask ");
	if (symbolic)
		put_symbolic(&out, sh->p->umask);
	else
		buf_printf(&out, "%04o", (unsigned)sh->p->umask);
	buf_putc(&out, '\n');
	return out_flush(sh, "umask", &out);
}

/* --- times --- */

static void put_time(struct buf *out, uint64_t ms)
{
	buf_printf(out, "%llum%llu.%03llus", (unsigned long long)(ms / 60000),
		   (unsigned long long)(ms / 1000 % 60), (unsigned long long)(ms % 1000));
}

int do_times(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);
	int i = no_options(sh, argc, argv);

	if (i < 0)
		return STATUS_MISUSE;
	/* Virtual time: a step counts as user time, and nothing is known of ended children. */
	put_time(&out, sh->p->steps / 100000);
	buf_putc(&out, ' ');
	put_time(&out, 0);
	buf_putc(&out, '\n');
	put_time(&out, 0);
	buf_putc(&out, ' ');
	put_time(&out, 0);
	buf_putc(&out, '\n');
	return out_flush(sh, "times", &out);
}
