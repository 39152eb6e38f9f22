/* SPDX-License-Identifier: MIT
 *
 * The tests that `test`, `[` and `[[ ]]` share.
 */
#include "interp/file_test.h"
#include "interp/shell.h"
#include "interp/var_private.h"
#include "interp/var_special.h"

bool file_test_is_unary(char letter)
{
	return letter != '\0' && strchr("abcdefghknoprstuvwxzGLNORS", letter) != NULL;
}

/* --- variables --- */

static int test_positional(struct shell *sh, struct bytes text)
{
	int64_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (!byte_is_digit((unsigned char)text.ptr[i]) || n > INT32_MAX)
			return 0;
		n = n * 10 + (text.ptr[i] - '0');
	}
	return n == 0 ? 1 : n <= sh->params.count;
}

/* Of a variable that is not there: the index is looked at all the same. */
static int test_no_element(struct shell *sh, struct bytes name, struct bytes sub)
{
	int64_t index;

	if (bytes_is(sub, "@") || bytes_is(sub, "*"))
		return 0;
	if (subscript_text(sh, NULL, sub, &sub) != 0 || eval_subscript(sh, sub, &index) != 0)
		return -1;
	if (index < 0)
		var_before_start(sh, name);
	return 0;
}

int file_test_variable(struct shell *sh, struct bytes text, bool once)
{
	struct bytes name;
	struct bytes sub;
	struct bytes value;

	if (text.len != 0 && byte_is_digit((unsigned char)text.ptr[0]))
		return test_positional(sh, text);
	if (!parse_name_ref(text, &name, &sub))
		return 0;
	struct bytes ref = { NULL, 0 };
	struct var *v = var_resolve(sh, name, bytes_hash(name), &ref);

	if (v == NULL && sub.ptr != NULL)
		return test_no_element(sh, name, sub);
	if (v == NULL || ref.ptr != NULL) /* a reference to an element does not count */
		return 0;
	if (sub.ptr == NULL) {
		if ((v->flags & (VAR_ARRAY | VAR_ASSOC)) == 0)
			return var_scalar(sh, v, &value);
		sub = BYTES("0");
	} else if ((bytes_is(sub, "@") || bytes_is(sub, "*")) &&
		   ((v->flags & VAR_ASSOC) == 0 || var_compat_level(sh) < 52)) {
		return var_count(sh, v) != 0;
	}
	if ((once ? subscript_argument(sh, v, sub, &sub) : subscript_text(sh, v, sub, &sub)) != 0)
		return 0;
	if ((v->flags & VAR_ASSOC) != 0 && sub.len == 0) {
		shell_error(sh, "%.*s: bad array subscript", (int)v->name.len, v->name.ptr);
		return 0;
	}
	return var_element(sh, v, sub, &value) == 1;
}

static int test_nameref(struct shell *sh, struct bytes name)
{
	struct var *v = var_find(sh, name, bytes_hash(name));

	return v != NULL && (v->flags & VAR_NAMEREF) != 0 && (v->flags & VAR_SET) != 0;
}

static int test_option(struct shell *sh, struct bytes name)
{
	int o = set_option_of_name(name);

	return o >= 0 && opt_set(sh, (enum set_option)o);
}

static int test_terminal(struct shell *sh, struct bytes text)
{
	int64_t fd = 0;

	if (text.len == 0 || text.len > 9)
		return 0;
	for (size_t i = 0; i < text.len; i++) {
		if (!byte_is_digit((unsigned char)text.ptr[i]))
			return 0;
		fd = fd * 10 + (text.ptr[i] - '0');
	}
	return sys_isatty(sh->p, (int)fd);
}

/* --- files --- */

static bool test_mode(struct shell *sh, char letter, const struct vfs_stat *st)
{
	uint32_t type = st->mode & S_FMT;

	switch (letter) {
	case 'b': return type == S_BLK;
	case 'c': return type == S_CHR;
	case 'd': return type == S_DIR;
	case 'f': return type == S_REG;
	case 'h':
	case 'L': return type == S_LNK;
	case 'p': return type == S_FIFO;
	case 'S': return type == S_SOCK;
	case 'g': return (st->mode & S_SGID) != 0;
	case 'k': return (st->mode & S_SVTX) != 0;
	case 'u': return (st->mode & S_SUID) != 0;
	case 's': return st->size != 0;
	case 'O': return st->uid == sh->p->cred.uid;
	case 'G': return st->gid == sh->p->cred.gid;
	case 'N': return st->atime_ns <= st->mtime_ns;
	default: /* a e */ return true;
	}
}

static bool test_file(struct shell *sh, char letter, struct bytes operand)
{
	struct arena_mark mark = arena_mark(sh->arena);
	const char *path = arena_dup(sh->arena, operand);
	bool yes = false;

	if (bytes_starts(operand, BYTES("/proc/")))
		job_poll(sh); /* children that ended are not there any more */
	if (operand.len != 0 && (letter == 'r' || letter == 'w' || letter == 'x')) {
		unsigned mask = letter == 'r' ? 4 : letter == 'w' ? 2 : 1;

		yes = sys_access(sh->p, AT_FDCWD_, path, mask) == 0;
	} else if (operand.len != 0) {
		struct vfs_stat st;
		int flags = letter == 'L' || letter == 'h' ? AT_NOFOLLOW_ : 0;

		yes = sys_stat(sh->p, AT_FDCWD_, path, flags, &st) == 0 &&
		      test_mode(sh, letter, &st);
	}
	arena_release(sh->arena, mark);
	return yes;
}

int file_test_unary(struct shell *sh, char letter, struct bytes operand)
{
	switch (letter) {
	case 'n': return operand.len != 0;
	case 'z': return operand.len == 0;
	case 'v': return file_test_variable(sh, operand, true);
	case 'R': return test_nameref(sh, operand);
	case 'o': return test_option(sh, operand);
	case 't': return test_terminal(sh, operand);
	default: return test_file(sh, letter, operand);
	}
}

bool file_test_compare(struct shell *sh, char op, struct bytes a, struct bytes b)
{
	struct arena_mark mark = arena_mark(sh->arena);
	struct vfs_stat sa;
	struct vfs_stat sb;
	bool has_a = sys_stat(sh->p, AT_FDCWD_, arena_dup(sh->arena, a), 0, &sa) == 0;
	bool has_b = sys_stat(sh->p, AT_FDCWD_, arena_dup(sh->arena, b), 0, &sb) == 0;

	arena_release(sh->arena, mark);
	if (op == 'e')
		return has_a && has_b && sa.ino == sb.ino && sa.dev == sb.dev;
	if (op == 'n')
		return has_a && (!has_b || sa.mtime_ns > sb.mtime_ns);
	return has_b && (!has_a || sa.mtime_ns < sb.mtime_ns);
}
