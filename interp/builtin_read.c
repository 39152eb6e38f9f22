/* SPDX-License-Identifier: MIT
 *
 * read: one line (or N characters) of a descriptor, split into variables.
 *
 * Nothing is taken from the descriptor beyond what is used. A line that lies in one piece and
 * contains no backslash is never copied. Not here: line editing (-e, -i have no effect).
 */
#include "base/err.h"
#include "base/utf8.h"
#include "interp/builtin.h"
#include "interp/var_private.h"
#include "interp/exec.h"

enum { STATUS_TIMEOUT = 128 + SIGALRM_, CHUNK_BYTES = 65536 };

struct read_options {
	bool raw;     /* -r */
	bool exact;   /* -N */
	bool counted; /* -n or -N */
	bool silent;  /* -s */
	char delim;
	int fd;
	int64_t chars;
	int64_t timeout_ns; /* -1: none */
	const char *array;
	const char *prompt;
};

/* What was read, backslashes removed. */
struct line {
	struct bytes text;
	struct buf copy;  /* in use when the text does not lie in one piece */
	struct buf marks; /* a byte for each of copy: 1 if it was behind a backslash */
	bool any_mark;
	bool escape;   /* a backslash is waiting for its character */
	int64_t chars; /* complete characters so far */
	int partial;   /* bytes that the last character still needs */
	int64_t deadline_ns;
	int status;
	bool failed; /* the input could not be read, or not to its end: nothing is assigned */
};

static const char *wanted_timeout(struct shell *sh, struct read_options *o, const char *text)
{
	int64_t ns = 0;
	int64_t unit = 100000000;
	const char *at = text;

	(void)sh;
	for (; byte_is_digit((unsigned char)*at); at++)
		ns = ns < 1000000000 ? ns * 10 + (*at - '0') : ns;
	ns *= 1000000000;
	if (*at == '.') {
		for (at++; byte_is_digit((unsigned char)*at); at++, unit /= 10)
			ns += (*at - '0') * unit;
	}
	if (*at != '\0' || at == text)
		return "%s: invalid timeout specification";
	o->timeout_ns = ns - ns % 1000; /* bash counts microseconds */
	return NULL;
}

static const char *wanted_fd(struct shell *sh, struct read_options *o, const char *text)
{
	int64_t fd;

	if (!number_argument(text, &fd) || fd < 0 || fd > INT32_MAX)
		return "%s: invalid file descriptor specification";
	o->fd = (int)fd;
	if (sys_getfl(sh->p, o->fd) < 0)
		return "%s: invalid file descriptor: Bad file descriptor";
	return NULL;
}

static const char *wanted_chars(struct read_options *o, const char *text, bool exact)
{
	if (!number_argument(text, &o->chars) || o->chars < 0 || o->chars > INT32_MAX)
		return "%s: invalid number";
	o->counted = true;
	o->exact = exact;
	return NULL;
}

/* 0, or the status after a message. */
static int read_option(struct shell *sh, struct read_options *o, int c, char *value)
{
	const char *wrong = NULL;

	switch (c) {
	case 'a': o->array = value; break;
	case 'd': o->delim = *value; break;
	case 'n':
	case 'N': wrong = wanted_chars(o, value, c == 'N'); break;
	case 'p': o->prompt = value; break;
	case 'r': o->raw = true; break;
	case 's': o->silent = true; break;
	case 't': wrong = wanted_timeout(sh, o, value); break;
	case 'u': wrong = wanted_fd(sh, o, value); break;
	default: /* e i */ break;
	}
	if (wrong == NULL)
		return 0;
	builtin_error(sh, "read", wrong, value);
	return 1;
}

/* --- reading --- */

/* Moves what was not copied so far into the buffer. */
static void own_text(struct shell *sh, struct line *l)
{
	if (l->copy.arena != NULL)
		return;
	l->copy = buf_in(sh->arena);
	l->marks = buf_in(sh->arena);
	buf_add(&l->copy, l->text);
	buf_fill(&l->marks, '\0', l->text.len);
}

static void count_byte(struct line *l, unsigned char c, bool utf8)
{
	if (!utf8 || c < 0x80) {
		l->chars += 1 + (l->partial > 0);
		l->partial = 0;
	} else if (c >= 0xc2 && c < 0xf5) {
		l->chars += l->partial > 0;
		l->partial = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	} else if (l->partial > 0) {
		l->chars += --l->partial == 0;
	} else {
		l->chars++;
	}
}

/* One byte at a time: backslashes, NULs, counting. True when the line is complete. */
static bool take_bytes(struct shell *sh, const struct read_options *o, struct line *l,
		       struct bytes piece)
{
	own_text(sh, l);
	for (size_t i = 0; i < piece.len; i++) {
		char c = piece.ptr[i];
		bool escaped = l->escape;

		l->escape = false;
		if (escaped && c == '\n')
			continue;
		if (!escaped && c == o->delim && !o->exact)
			return true;
		if (!escaped && c == '\\' && !o->raw) {
			l->escape = true;
			continue;
		}
		if (c == '\0')
			continue;
		buf_putc(&l->copy, c);
		buf_putc(&l->marks, escaped);
		l->any_mark = l->any_mark || escaped;
		count_byte(l, (unsigned char)c, sh->utf8);
	}
	return o->counted && l->chars >= o->chars;
}

/* A piece without anything special, or byte by byte. */
static bool take_piece(struct shell *sh, const struct read_options *o, struct line *l,
		       struct bytes piece)
{
	bool ends = piece.ptr[piece.len - 1] == o->delim;
	struct bytes body = { piece.ptr, piece.len - ends };

	if (o->counted || l->escape || memchr(body.ptr, '\0', body.len) != NULL ||
	    (!o->raw && memchr(body.ptr, '\\', body.len) != NULL))
		return take_bytes(sh, o, l, piece);
	if (l->copy.arena == NULL && l->text.len == 0) {
		l->text = body;
		if (!ends) /* more is to come: the view will not last */
			own_text(sh, l);
		return ends;
	}
	own_text(sh, l);
	buf_add(&l->copy, body);
	buf_fill(&l->marks, '\0', body.len);
	return ends;
}

/* 0 when the time is over, -E_INTR after a signal. */
static int64_t wait_input(struct shell *sh, const struct read_options *o, const struct line *l)
{
	struct poll_item item = { .fd = o->fd, .want = POLL_READ_ };

	if (o->timeout_ns < 0)
		return 1;
	int64_t left = l->deadline_ns - sys_now(sh->p);

	if (left <= 0)
		left = 0;
	return sys_poll(sh->p, &item, 1, left);
}

static int64_t next_piece(struct shell *sh, const struct read_options *o, const struct line *l,
			  const char **out)
{
	size_t max = CHUNK_BYTES;

	if (o->counted) {
		int64_t want = o->chars - l->chars;

		if (l->partial > 0)
			want += l->partial - 1;
		max = want < CHUNK_BYTES ? (size_t)want : CHUNK_BYTES;
	}
	if (o->exact)
		return sys_view(sh->p, o->fd, max, out);
	return sys_view_line(sh->p, o->fd, o->delim, max, out);
}

/* The signal that ends `read` in posix mode: its trap runs behind it. 0: none. */
static int interrupted_by(const struct shell *sh)
{
	uint64_t pending = sh->traps_pending & ~trap_bit(SIGCHLD_);

	return opt_set(sh, SET_POSIX) && pending != 0 ? __builtin_ctzll(pending) + 1 : 0;
}

static void read_text(struct shell *sh, const struct read_options *o, struct line *l)
{
	while (!o->counted || l->chars < o->chars) {
		const char *ptr;

		int64_t n = wait_input(sh, o, l);

		if (n == 0) {
			l->status = STATUS_TIMEOUT;
			break;
		}
		if (n != -E_INTR)
			n = next_piece(sh, o, l, &ptr);
		if (n == -E_INTR) {
			signals_note(sh);
			if (interrupted_by(sh) != 0) {
				l->status = STATUS_SIGNAL + interrupted_by(sh);
				l->failed = true;
				return;
			}
			trap_poll(sh);
			if (sh->flow != FLOW_NONE)
				return;
			continue;
		}
		if (n < 0) {
			builtin_error(sh, "read", "read error: %d: %s", o->fd, err_text((int)n));
			l->failed = true;
		}
		if (n <= 0) {
			l->status = 1;
			break;
		}
		if (take_piece(sh, o, l, (struct bytes){ ptr, (size_t)n }))
			break;
	}
	if (l->copy.arena != NULL)
		l->text = buf_bytes(&l->copy);
}

/* --- assigning --- */

static const uint8_t *marks_of(const struct line *l)
{
	return l->any_mark ? (const uint8_t *)l->marks.ptr : NULL;
}

static int assign_array(struct shell *sh, const char *name, const struct line *l, bool exact)
{
	struct bytes key = bytes_of(name);
	struct fields fields = { 0 };
	struct bytes sub;

	if (!is_name(key)) {
		builtin_error(sh, "read", "`%s': not a valid identifier", name);
		return 1;
	}
	uint64_t hash = name_hash(key);
	struct var *v;

	if (var_follow(sh, &key, &hash, &sub, &v) != 0)
		return 1;
	if (sub.ptr != NULL)
		return -var_refuse_element(sh, "read", key, sub);
	v = v != NULL ? var_own(sh, v) : var_ensure(sh, key, hash);
	if ((v->flags & VAR_ASSOC) != 0) {
		builtin_error(sh, "read", "%s: not an indexed array", name);
		return 1;
	}
	if ((v->flags & VAR_READONLY) != 0) {
		shell_error(sh, "%s: readonly variable", name);
		exec_errexit(sh);
		return 1;
	}
	if (exact && l->text.len != 0)
		fields_add(sh, &fields, arena_dup(sh->arena, l->text));
	else if (!exact)
		split_fields(sh, l->text, marks_of(l), 0, &fields);
	var_make_array(sh, v, false);
	var_clear_array(sh, v);
	for (int i = 0; i < fields.count; i++) {
		if (var_assign_at(sh, v, i, bytes_of(fields.v[i]), 0) != 0)
			return 1;
	}
	return 0;
}

/* The operands: names of variables and elements. */
struct names {
	int n;
	char **v;
	const bool *elements; /* as sh->elements */
};

static int assign_name(struct shell *sh, const struct names *names, int i, struct bytes value)
{
	struct bytes key = bytes_of(names->v[i]);

	if (is_name(key))
		return var_set(sh, key, name_hash(key), value, 0) != 0;
	return var_set_ref(sh, "read", key, names->elements != NULL && names->elements[i], value) !=
	       0;
}

static int assign_names(struct shell *sh, const struct read_options *o, const struct line *l,
			const struct names *names)
{
	int n = names->n;
	struct fields fields = { 0 };

	if (!o->exact)
		split_fields(sh, l->text, marks_of(l), n, &fields);
	for (int i = 0; i < n; i++) {
		struct bytes value = BYTES("");

		if (o->exact && i == 0)
			value = l->text;
		else if (i < fields.count)
			value = bytes_of(fields.v[i]);
		if (assign_name(sh, names, i, value) != 0)
			return 1;
	}
	return 0;
}

/* -t 0: whether there is something to read. */
static int probe(struct shell *sh, const struct read_options *o)
{
	struct poll_item item = { .fd = o->fd, .want = POLL_READ_ };

	if (sys_poll(sh->p, &item, 1, 0) > 0)
		return 0;
	sys_yield(sh->p); /* who is about to write had no turn yet */
	return sys_poll(sh->p, &item, 1, 0) > 0 ? 0 : 1;
}

/* A terminal shows nothing with -s, and gives bytes as they come where they are not lines. False
 * if it stays as it was. */
static bool prepare_terminal(struct shell *sh, const struct read_options *o,
			     struct tty_settings *was)
{
	bool bytes = o->counted || o->delim != '\n';
	struct tty_settings set;

	if ((!bytes && !o->silent) || sys_tty_get(sh->p, o->fd, was) != 0)
		return false;
	set = *was;
	if (o->silent)
		set.local &= ~(uint32_t)TTY_ECHO;
	if (bytes) {
		set.local &= ~(uint32_t)TTY_LINES;
		set.keys[TTY_KEY_MIN] = 1;
		set.keys[TTY_KEY_TIME] = 0;
	}
	return sys_tty_set(sh->p, o->fd, &set, false) == 0;
}

static int read_line(struct shell *sh, const struct read_options *o, const struct names *names)
{
	struct line l = { .text = BYTES("") };
	struct tty_settings was;
	bool changed = prepare_terminal(sh, o, &was);
	int failed;

	if (o->timeout_ns >= 0)
		l.deadline_ns = sys_now(sh->p) + o->timeout_ns;
	read_text(sh, o, &l);
	if (changed)
		sys_tty_set(sh->p, o->fd, &was, false);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	if (l.failed)
		return l.status;
	if (o->array != NULL) {
		failed = assign_array(sh, o->array, &l, o->exact);
	} else if (names->n == 0) {
		failed = var_set(sh, BYTES("REPLY"), name_hash(BYTES("REPLY")), l.text, 0) != 0;
	} else {
		failed = assign_names(sh, o, &l, names);
	}
	return failed != 0 ? 1 : l.status;
}

/* $TMOUT is the default of -t. */
static void default_timeout(struct shell *sh, struct read_options *o)
{
	const char *text = var_get_text(sh, "TMOUT");
	int64_t seconds;

	if (text != NULL && number_argument(text, &seconds) && seconds > 0 && seconds < 1000000000)
		o->timeout_ns = seconds * 1000000000;
}

int do_read(struct shell *sh, int argc, char **argv)
{
	struct read_options o = { .delim = '\n', .timeout_ns = -1 };
	struct optscan scan = { 0 };
	struct bytes name;
	struct bytes sub;
	int c;

	default_timeout(sh, &o);
	while ((c = optscan_next(sh, NULL, &scan, argc, argv, "ersa:d:i:n:p:t:u:N:")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (read_option(sh, &o, c, scan.value) != 0)
			return 1;
	}
	if (o.timeout_ns == 0)
		return probe(sh, &o);
	struct names names = { .n = argc - scan.index, .v = argv + scan.index };

	if (sh->elements != NULL)
		names.elements = sh->elements + scan.index;
	if (names.n != 0 &&
	    !argument_ref(sh, bytes_of(names.v[0]), names.elements != NULL && names.elements[0],
			  &name, &sub)) {
		builtin_error(sh, "read", "`%s': not a valid identifier", names.v[0]);
		return 1;
	}
	if (o.prompt != NULL && sys_isatty(sh->p, o.fd))
		err_write(sh, bytes_of(o.prompt));
	return read_line(sh, &o, &names);
}
