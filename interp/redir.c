/* SPDX-License-Identifier: MIT
 *
 * Redirections: applied from left to right; the descriptors they replace are kept above 9
 * and put back in the opposite order.
 */
#include "interp/exec.h"
#include "interp/expand.h"
#include "interp/var_private.h"

enum { KEPT_FD_LEAST = 10 };

/* --- saving and restoring --- */

static void remember(struct shell *sh, int fd, int copy)
{
	struct saved_fd *s = arena_alloc(sh->arena, sizeof(*s));

	s->up = sh->saved_fds;
	s->fd = fd;
	s->copy = copy;
	sh->saved_fds = s;
}

/* A copy above 9, or at least somewhere. */
static int64_t copy_of(struct shell *sh, int fd)
{
	int64_t copy = sys_dup_from(sh->p, fd, KEPT_FD_LEAST, true);

	if (copy >= 0 || copy == -E_BADF)
		return copy;
	copy = sys_dup_from(sh->p, fd, 0, true);
	sh->kept_low = sh->kept_low || copy >= 0;
	return copy;
}

/* The script asks for a number under which a replaced descriptor is kept: that moves. */
static void make_way(struct shell *sh, int fd)
{
	for (struct saved_fd *s = sh->saved_fds; s != NULL; s = s->up) {
		int64_t copy;

		if (s->copy != fd)
			continue;
		copy = copy_of(sh, fd);
		if (copy < 0)
			return;
		s->copy = (int)copy;
		sys_close(sh->p, fd);
	}
}

/* 0, or -1 after a message: there is no room for what is to be put back. */
static int save(struct shell *sh, int fd, bool keep)
{
	int line = sh->line;
	int64_t copy;

	if (fd >= KEPT_FD_LEAST || sh->kept_low)
		make_way(sh, fd);
	if (keep)
		return 0;
	copy = copy_of(sh, fd);
	if (copy >= 0 || copy == -E_BADF) {
		remember(sh, fd, copy >= 0 ? (int)copy : -1);
		return 0;
	}
	sh->line = 0;
	shell_error(sh, "redirection error: cannot duplicate fd: %s", err_text((int)copy));
	sh->line = line;
	return -1;
}

int redir_save(struct shell *sh, int fd)
{
	return save(sh, fd, false);
}

void redir_undo(struct shell *sh, struct saved_fd *mark)
{
	/* `exit` may have put all back before. */
	while (sh->saved_fds != mark && sh->saved_fds != NULL) {
		struct saved_fd *s = sh->saved_fds;

		/* It is still known if the shell is stopped in between. */
		if (s->copy >= 0) {
			sys_dup2(sh->p, s->copy, s->fd, false);
			sys_close(sh->p, s->copy);
		} else {
			sys_close(sh->p, s->fd);
		}
		sh->saved_fds = s->up;
	}
}

/* --- one redirection --- */

struct redirection {
	const struct redir *r;
	int fd; /* which it sets; -1 with a variable: one that is free */
	bool keep;
};

static int fail(struct shell *sh, const char *what, int64_t err)
{
	shell_error(sh, "%s: %s", what, err_text((int)err));
	return -1;
}

static int not_saved(struct shell *sh, const struct redirection *d)
{
	return fail(sh, arena_dup(sh->arena, d->r->target->text), -E_MFILE);
}

/* Gives the open descriptor `from` the number that was asked for. */
static int place(struct shell *sh, const struct redirection *d, int from)
{
	int64_t err;

	if (from == d->fd) {
		/* The number was free, so nothing is to be put back but that. */
		if (!d->keep)
			remember(sh, d->fd, -1);
		sys_set_cloexec(sh->p, from, false);
		sys_set_passing(sh->p, from, false);
		return 0;
	}
	if (save(sh, d->fd, d->keep) != 0) {
		sys_close(sh->p, from);
		return not_saved(sh, d);
	}
	err = sys_dup2(sh->p, from, d->fd, false);
	sys_close(sh->p, from);
	if (err < 0) {
		struct arena_mark mark = arena_mark(sh->arena);
		struct buf text = buf_in(sh->arena);

		buf_put_i64(&text, d->fd);
		fail(sh, buf_cstr(&text), err);
		arena_release(sh->arena, mark);
		return -1;
	}
	return 0;
}

static int no_descriptor(struct shell *sh, const struct redirection *d, int64_t err)
{
	const char *text = err_text(err == -E_MFILE ? E_INVAL : (int)err);
	int line = sh->line;

	sh->line = 0;
	shell_error(sh, "redirection error: cannot duplicate fd: %s", text);
	sh->line = line;
	shell_error(sh, "%.*s: %s", (int)d->r->target->text.len, d->r->target->text.ptr, text);
	return -1;
}

/* {name}>file: a free descriptor, whose number goes into the variable. */
static int place_in_variable(struct shell *sh, const struct redirection *d, int from)
{
	int64_t fd = sys_dup_from(sh->p, from, KEPT_FD_LEAST, false);
	struct buf number = buf_in(sh->arena);

	sys_close(sh->p, from);
	if (fd < 0)
		return no_descriptor(sh, d, fd);
	buf_put_i64(&number, fd);
	if (var_set_ref(sh, NULL, d->r->var, false, buf_bytes(&number)) != 0) {
		shell_error(sh, "%.*s: cannot assign fd to variable", (int)d->r->var.len,
			    d->r->var.ptr);
		sys_close(sh->p, (int)fd);
		return -1;
	}
	if (opt_shopt(sh, SHOPT_varredir_close) && !d->keep)
		remember(sh, (int)fd, -1);
	return 0;
}

static int put_in_place(struct shell *sh, const struct redirection *d, int from)
{
	sys_set_passing(sh->p, from, true);
	return d->r->var.len != 0 ? place_in_variable(sh, d, from) : place(sh, d, from);
}

/* noclobber: a regular file that exists is refused. */
static int64_t open_new(struct shell *sh, const char *path, bool *refused)
{
	struct vfs_stat st;

	if (sys_stat(sh->p, AT_FDCWD_, path, 0, &st) == 0) {
		*refused = (st.mode & S_FMT) == S_REG;
		return *refused ? -E_EXIST : sys_open(sh->p, AT_FDCWD_, path, O_WRONLY_, 0);
	}
	int64_t fd = sys_open(sh->p, AT_FDCWD_, path, O_WRONLY_ | O_CREAT_ | O_EXCL_, 0666);

	*refused = fd == -E_EXIST; /* a link to nothing */
	return fd;
}

static int64_t open_target(struct shell *sh, enum redir_kind kind, const char *path, bool *refused)
{
	unsigned flags;

	if (redir_is_network(bytes_of(path)))
		return redir_connect(sh, bytes_of(path));
	switch (kind) {
	case REDIR_IN: flags = O_RDONLY_; break;
	case REDIR_APPEND:
	case REDIR_BOTH_APPEND: flags = O_WRONLY_ | O_CREAT_ | O_APPEND_; break;
	case REDIR_RDWR: flags = O_RDWR_ | O_CREAT_; break;
	default:
		if (kind != REDIR_CLOBBER && opt_set(sh, SET_NOCLOBBER))
			return open_new(sh, path, refused);
		flags = O_WRONLY_ | O_CREAT_ | O_TRUNC_;
	}
	return sys_open(sh->p, AT_FDCWD_, path, flags, 0666);
}

/* A signal came while a FIFO waits for its other end. Traps run meanwhile, but not those that come
 * while a program's FIFO is opened: in bash its process waits there. False: nothing is to be opened
 * any more. */
static bool still_waits(struct shell *sh)
{
	trap_note(sh);
	if (sh->redirs_of_program && (sh->traps_pending & trap_bit(SIGINT_)) == 0)
		return true;
	trap_poll(sh);
	return !sh->redirs_of_program && sh->flow == FLOW_NONE;
}

static int redirect_file(struct shell *sh, const struct redirection *d, const char *path)
{
	enum redir_kind kind = d->r->kind;
	bool both = kind == REDIR_BOTH || kind == REDIR_BOTH_APPEND || kind == REDIR_DUP_OUT;
	bool refused = false;
	int64_t fd;

	if (kind != REDIR_IN && opt_set(sh, SET_RESTRICTED)) {
		struct bytes shown = d->r->var.len != 0 ? d->r->var : bytes_of(path);

		shell_error(sh, "%.*s: restricted: cannot redirect output", (int)shown.len,
			    shown.ptr);
		return -1;
	}
	do
		fd = open_target(sh, kind, path, &refused);
	while (fd == -E_INTR && still_waits(sh));
	if (fd == -E_INTR && sh->flow != FLOW_NONE)
		return -1;
	if (refused) {
		shell_error(sh, "%s: cannot overwrite existing file", path);
		return -1;
	}
	if (fd < 0)
		return fail(sh, path, fd);
	if (put_in_place(sh, d, (int)fd) != 0)
		return -1;
	if (both && save(sh, 2, d->keep) != 0)
		return not_saved(sh, d);
	if (both)
		sys_dup2(sh->p, 1, 2, false);
	return 0;
}

/* What a pipe can hold. */
enum { PIPED_BYTES = 64 * 1024 };

/* A descriptor from which a here-document is read: as in bash a pipe, if the text fits into one. */
static int64_t open_text(struct shell *sh, struct bytes text)
{
	int ends[2];
	int64_t n;

	if (text.len > PIPED_BYTES)
		return sys_memfile(sh->p, text);
	n = sys_pipe(sh->p, ends, false);
	if (n < 0)
		return n;
	sys_set_passing(sh->p, ends[0], true);
	sys_set_passing(sh->p, ends[1], true);
	n = text.len != 0 ? sys_write(sh->p, ends[1], text.ptr, text.len) : 0;
	sys_close(sh->p, ends[1]);
	if (n >= 0)
		return ends[0];
	sys_close(sh->p, ends[0]);
	return n;
}

static int redirect_text(struct shell *sh, const struct redirection *d)
{
	struct bytes text;
	int64_t fd;

	if (d->r->kind == REDIR_HERESTRING) {
		struct buf line = buf_in(sh->arena);

		if (expand_one(sh, d->r->target, EXPAND_HERESTRING, &text) != 0)
			return -1;
		buf_add(&line, text);
		buf_putc(&line, '\n');
		text = buf_bytes(&line);
	} else if (d->r->heredoc_quoted && d->r->target != NULL &&
		   (d->r->target->flags & WORD_LITERAL) != 0) {
		text = d->r->target->literal;
	} else if (expand_heredoc(sh, d->r->target, &text) != 0) {
		return -1;
	}
	fd = open_text(sh, text);
	if (fd < 0)
		return fail(sh, "cannot create temp file for here-document", fd);
	return put_in_place(sh, d, (int)fd);
}

/* --- n>&m --- */

/* The value of "name" or "name[sub]" as in {name}>&-. */
static bool variable_text(struct shell *sh, struct bytes ref, struct bytes *out)
{
	struct bytes name;
	struct bytes sub;
	struct var *v;

	if (!parse_name_ref(ref, &name, &sub))
		return false;
	if (sub.ptr == NULL)
		return var_get(sh, name, bytes_hash(name), out);
	v = var_find(sh, name, bytes_hash(name));
	return v != NULL && subscript_text(sh, v, sub, &sub) == 0 &&
	       var_element(sh, v, sub, out) == 1;
}

/* Also if it is only for one command: bash never puts back what it forgets then. */
static void note_closed(struct shell *sh, int fd)
{
	coproc_closed(sh, fd);
	if (fd == sh->trace_fd)
		sh->trace_fd = -1;
}

static int close_fd(struct shell *sh, const struct redirection *d)
{
	if (d->r->var.len != 0) {
		struct bytes value;
		int64_t fd;

		if (!variable_text(sh, d->r->var, &value) || value.len == 0) {
			shell_error(sh, "%.*s: ambiguous redirect", (int)d->r->var.len,
				    d->r->var.ptr);
			return -1;
		}
		if (!arith_plain_number(value, &fd) || fd < 0) {
			shell_error(sh, "%.*s: %s", (int)d->r->var.len, d->r->var.ptr,
				    err_text(E_BADF));
			return -1;
		}
		sys_close(sh->p, (int)fd);
		note_closed(sh, (int)fd);
		return 0;
	}
	if (save(sh, d->fd, d->keep) != 0)
		return not_saved(sh, d);
	sys_close(sh->p, d->fd);
	note_closed(sh, d->fd);
	return 0;
}

static int duplicate(struct shell *sh, const struct redirection *d, int from, bool moves)
{
	/* With a variable the copy that counts is still to be made, from a low number. */
	int64_t copy = sys_dup_from(sh->p, from, d->r->var.len != 0 ? 0 : KEPT_FD_LEAST, true);

	if (copy < 0 && copy != -E_BADF)
		copy = sys_dup_from(sh->p, from, 0, true);
	if (copy < 0) {
		shell_error(sh, "%.*s: %s", (int)d->r->target->text.len, d->r->target->text.ptr,
			    err_text((int)copy));
		return -1;
	}
	if (d->r->var.len == 0 && from == d->fd) {
		sys_close(sh->p, (int)copy);
		return 0;
	}
	if (put_in_place(sh, d, (int)copy) != 0)
		return -1;
	if (moves) {
		if (save(sh, from, d->keep) != 0)
			return not_saved(sh, d);
		sys_close(sh->p, from);
		note_closed(sh, from);
	}
	return 0;
}

/* "5" or "5-"; false if the text is neither. */
static bool scan_fd(const char *text, int *fd, bool *moves)
{
	int64_t value = 0;
	const char *at = text;

	while (byte_is_digit(*at) && value < 100000)
		value = value * 10 + (*at++ - '0');
	*moves = *at == '-';
	*fd = (int)value;
	return at != text && at[*moves ? 1 : 0] == '\0';
}

static int ambiguous(struct shell *sh, struct bytes text)
{
	shell_error(sh, "%.*s: ambiguous redirect", (int)text.len, text.ptr);
	return -1;
}

static int redirect_dup(struct shell *sh, const struct redirection *d)
{
	const struct redir *r = d->r;
	char *text;
	int from;
	bool moves;

	if (expand_redirect(sh, r->target, &text) != 0)
		return -1;
	if (strcmp(text, "-") == 0)
		return close_fd(sh, d);
	if (scan_fd(text, &from, &moves))
		return duplicate(sh, d, from, moves);
	if (*text == '\0' && (r->target->flags & WORD_QUOTED) != 0) {
		shell_error(sh, "%.*s: %s", (int)r->target->text.len, r->target->text.ptr,
			    err_text(E_BADF));
		return -1;
	}
	if (*text != '\0' && r->kind == REDIR_DUP_OUT && r->var.len == 0 &&
	    (r->fd == -1 || r->fd == 1))
		return redirect_file(sh, d, text);
	return ambiguous(sh, r->target->text);
}

static int default_fd(enum redir_kind kind)
{
	switch (kind) {
	case REDIR_IN:
	case REDIR_RDWR:
	case REDIR_DUP_IN:
	case REDIR_HEREDOC:
	case REDIR_HERESTRING: return 0;
	default: return 1;
	}
}

static int apply_one(struct shell *sh, const struct redir *r, bool keep)
{
	struct redirection d = { r, r->fd >= 0 ? r->fd : default_fd(r->kind), keep };
	char *path;

	if (r->kind == REDIR_HEREDOC || r->kind == REDIR_HERESTRING)
		return redirect_text(sh, &d);
	if (r->kind == REDIR_DUP_IN || r->kind == REDIR_DUP_OUT)
		return redirect_dup(sh, &d);
	if (expand_redirect(sh, r->target, &path) != 0)
		return -1;
	return redirect_file(sh, &d, path);
}

/* What -e and ERR forgive a command they don't forgive the substitutions in its redirections. */
int redir_apply(struct shell *sh, const struct redir *r, int n, bool keep)
{
	int forgiven = sh->no_errexit;
	int err = 0;

	sh->no_errexit = 0;
	for (int i = 0; i < n && err == 0; i++)
		err = apply_one(sh, &r[i], keep);
	sh->no_errexit = forgiven;
	return err != 0 ? -1 : 0;
}
