/* SPDX-License-Identifier: MIT
 *
 * mapfile and readarray: lines into an indexed array.
 */
#include "base/err.h"
#include "interp/builtin.h"
#include "interp/exec.h"

enum { LINE_BYTES = 65536 };

struct mapfile {
	struct shell *sh;
	const char *name; /* of the builtin */
	struct var *array;
	char delim;
	bool trim; /* -t */
	bool has_origin;
	int64_t count; /* -n; 0: all */
	int64_t origin;
	int64_t skip;
	int64_t quantum;
	const char *callback;
	struct bytes key; /* the array's name and its hash */
	uint64_t hash;
	int fd;
};

static int mapfile_fail(struct mapfile *m, const char *format, const char *value)
{
	builtin_error(m->sh, m->name, format, value);
	return 1;
}

/* As bash has it: what an unsigned int holds. */
static bool natural(const char *text, int64_t *out)
{
	return number_argument(text, out) && *out >= 0 && *out <= UINT32_MAX;
}

static int mapfile_fd(struct mapfile *m, const char *value)
{
	int64_t fd;

	if (!natural(value, &fd) || fd > INT32_MAX)
		return mapfile_fail(m, "%s: invalid file descriptor specification", value);
	m->fd = (int)fd;
	if (sys_getfl(m->sh->p, m->fd) < 0)
		return mapfile_fail(m, "%s: invalid file descriptor: Bad file descriptor", value);
	return 0;
}

static int mapfile_option(struct mapfile *m, int c, const char *value)
{
	switch (c) {
	case 'd': m->delim = *value; return 0;
	case 't': m->trim = true; return 0;
	case 'C': m->callback = value; return 0;
	case 'c':
		if (natural(value, &m->quantum) && m->quantum > 0)
			return 0;
		return mapfile_fail(m, "%s: invalid callback quantum", value);
	case 'n':
		return natural(value, &m->count) ? 0
						 : mapfile_fail(m, "%s: invalid line count", value);
	case 's':
		return natural(value, &m->skip) ? 0
						: mapfile_fail(m, "%s: invalid line count", value);
	case 'O':
		m->has_origin = true;
		return natural(value, &m->origin)
			       ? 0
			       : mapfile_fail(m, "%s: invalid array origin", value);
	default: return mapfile_fd(m, value);
	}
}

/* The next line with its delimiter: 1, 0 at the end. */
static int next_line(struct mapfile *m, struct bytes *out)
{
	struct buf whole = { .arena = NULL };
	const char *ptr;

	for (;;) {
		int64_t n = sys_view_line(m->sh->p, m->fd, m->delim, LINE_BYTES, &ptr);

		if (n == -E_INTR) {
			signals_note(m->sh);
			continue;
		}
		if (n <= 0) {
			*out = whole.arena != NULL ? buf_bytes(&whole) : BYTES("");
			return out->len != 0;
		}
		if (whole.arena == NULL && ptr[n - 1] == m->delim) {
			*out = (struct bytes){ ptr, (size_t)n };
			return 1;
		}
		if (whole.arena == NULL)
			whole = buf_in(m->sh->arena);
		buf_put(&whole, ptr, (size_t)n);
		if (ptr[n - 1] == m->delim) {
			*out = buf_bytes(&whole);
			return 1;
		}
	}
}

/* As it is stored: up to the first NUL, without the delimiter if -t is given. */
static struct bytes stored_line(const struct mapfile *m, struct bytes line)
{
	if ((m->trim || m->delim == '\0') && line.len != 0 && line.ptr[line.len - 1] == m->delim)
		line.len--;
	const char *nul = memchr(line.ptr, '\0', line.len);

	if (nul != NULL)
		line.len = (size_t)(nul - line.ptr);
	return line;
}

static void run_callback(struct mapfile *m, int64_t index, struct bytes line)
{
	struct buf text = buf_in(m->sh->arena);

	buf_puts(&text, m->callback);
	buf_putc(&text, ' ');
	buf_put_i64(&text, index);
	buf_putc(&text, ' ');
	quote_for_at_q(m->sh, &text, line);
	exec_text(m->sh, buf_bytes(&text), NULL, m->sh->line);
}

/* The callback may have removed the array, or made something else of it. */
static int find_array(struct mapfile *m)
{
	struct var *v = var_ensure(m->sh, m->key, m->hash);

	if ((v->flags & VAR_ASSOC) != 0)
		return mapfile_fail(m, "%s: not an indexed array", v->name.ptr);
	var_make_array(m->sh, v, false);
	m->array = v;
	return 0;
}

static int read_lines(struct mapfile *m)
{
	struct arena_mark mark = arena_mark(m->sh->arena);
	struct bytes line;
	int64_t taken = 0;

	for (int64_t i = 0; i < m->skip; i++) {
		if (next_line(m, &line) == 0)
			return 0;
	}
	while ((m->count == 0 || taken < m->count) && m->sh->flow == FLOW_NONE &&
	       next_line(m, &line) != 0) {
		int64_t index = (uint32_t)(m->origin + taken++);

		line = stored_line(m, line);
		if (m->callback != NULL && taken % m->quantum == 0) {
			line = arena_bytes(m->sh->arena, line);
			run_callback(m, index, line);
			if (find_array(m) != 0)
				return 1;
		}
		if (var_assign_at(m->sh, m->array, index, line, 0) != 0)
			return 1;
		arena_release(m->sh->arena, mark);
	}
	return 0;
}

/* Makes the target an empty array, unless -O is given. */
static int prepare_array(struct mapfile *m, const char *name)
{
	struct bytes key = bytes_of(name);
	struct bytes sub;

	if (*name == '\0') {
		builtin_error(m->sh, m->name, "empty array variable name");
		return STATUS_MISUSE;
	}
	if (!is_name(key))
		return mapfile_fail(m, "`%s': not a valid identifier", name);
	uint64_t hash = name_hash(key);
	struct var *v;

	if (var_follow(m->sh, &key, &hash, &sub, &v) != 0)
		return 1;
	if (sub.ptr != NULL)
		return -var_refuse_element(m->sh, m->name, key, sub);
	v = v != NULL ? var_own(m->sh, v) : var_ensure(m->sh, key, hash);
	if ((v->flags & VAR_NAMEREF) != 0) {
		shell_error(m->sh, "warning: %s: removing nameref attribute", v->name.ptr);
		v->flags &= ~(unsigned)VAR_NAMEREF;
	}
	if ((v->flags & VAR_READONLY) != 0) {
		shell_error(m->sh, "%s: readonly variable", name);
		exec_errexit(m->sh);
		return 1;
	}
	if ((v->flags & VAR_ASSOC) != 0)
		return mapfile_fail(m, "%s: not an indexed array", name);
	var_make_array(m->sh, v, false);
	if (!m->has_origin)
		var_clear_array(m->sh, v);
	m->array = v;
	m->key = arena_bytes(m->sh->arena, key);
	m->hash = hash;
	return 0;
}

int do_mapfile(struct shell *sh, int argc, char **argv)
{
	struct mapfile m = { .sh = sh, .name = argv[0], .delim = '\n', .quantum = 5000 };
	struct optscan o = { 0 };
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "d:u:n:O:tC:c:s:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (mapfile_option(&m, c, o.value) != 0)
			return 1;
	}
	int status = prepare_array(&m, o.index < argc ? argv[o.index] : "MAPFILE");

	return status != 0 ? status : read_lines(&m);
}

int do_readarray(struct shell *sh, int argc, char **argv)
{
	return do_mapfile(sh, argc, argv);
}
