/* SPDX-License-Identifier: MIT
 *
 * The line discipline of terminals: lines that can be edited, echo, signals of keys, and what
 * becomes of line ends. As termios(3) describes it; not here: flow control by ^S and ^Q, delays,
 * parity, case mapping.
 */
#include "kernel/tty.h"

enum {
	IN_INLCR = 0100,
	IN_IGNCR = 0200,
	IN_ICRNL = 0400,
	IN_IUTF8 = 040000,
	OUT_OPOST = 1,
	OUT_ONLCR = 4,
	OUT_OCRNL = 010,
	OUT_ONLRET = 040,
	L_ISIG = 1,
	L_ICANON = 2,
	L_ECHO = 010,
	L_ECHOE = 020,
	L_ECHOK = 040,
	L_ECHONL = 0100,
	L_NOFLSH = 0200,
	L_ECHOCTL = 01000,
	L_IEXTEN = 0100000,
	C_SIZE = 060,
	C_CS8 = 060,
	C_CREAD = 0200,
	C_PARENB = 0400,
	C_INTR = 0,
	C_QUIT,
	C_ERASE,
	C_KILL,
	C_EOF,
	C_EOL = 11,
	C_SUSP = 10,
	C_WERASE = 14,
	C_LNEXT = 15,
	C_EOL2 = 16,
};

const struct tty_settings tty_usual = {
	.input = 0x500,
	.output = 5,
	.control = 0xbf,
	.local = 0x8a3b,
	.keys = { 3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22 },
};

void tty_assign(struct tty_settings *to, const struct tty_settings *from)
{
	*to = *from;
	to->control = (to->control & ~(uint32_t)(C_SIZE | C_PARENB)) | C_CS8 | C_CREAD;
}

void tty_init(struct tty *t, struct kernel *k)
{
	t->k = k;
	t->set = tty_usual;
}

static bool local(const struct tty *t, unsigned flag)
{
	return (t->set.local & flag) != 0;
}

static bool is_key(const struct tty *t, int which, unsigned char c)
{
	return t->set.keys[which] != 0 && t->set.keys[which] == c;
}

/* --- output --- */

static bool put(struct tty *t, const char *s, size_t n)
{
	if (TTY_OUTPUT - t->out_len < n)
		return false;
	memcpy(t->out + t->out_len, s, n);
	t->out_len += n;
	return true;
}

static bool print(struct tty *t, char c)
{
	if ((t->set.output & OUT_OPOST) != 0) {
		if (c == '\n' && (t->set.output & OUT_ONLCR) != 0)
			return put(t, "\r\n", 2);
		if (c == '\r' && (t->set.output & OUT_OCRNL) != 0)
			c = '\n';
	}
	return put(t, &c, 1);
}

size_t tty_print(struct tty *t, const char *data, size_t n)
{
	size_t done = 0;

	while (done < n && print(t, data[done]))
		done++;
	return done;
}

static void echo(struct tty *t, unsigned char c)
{
	char caret[2] = { '^', (char)(c ^ 64) };

	if (!local(t, L_ECHO) && !(c == '\n' && local(t, L_ECHONL) && local(t, L_ICANON)))
		return;
	if (local(t, L_ECHOCTL) && (c < 32 || c == 127) && c != '\n' && c != '\t')
		put(t, caret, 2);
	else
		print(t, (char)c);
}

/* --- input --- */

static void store(struct tty *t, unsigned char c, uint8_t mark)
{
	t->in[t->in_len] = (char)c;
	t->mark[t->in_len++] = mark;
	if (mark != MARK_NONE || !local(t, L_ICANON))
		t->in_ready = t->in_len;
}

static bool key_signal(struct tty *t, unsigned char c)
{
	int sig = is_key(t, C_INTR, c)   ? SIGINT_
		  : is_key(t, C_QUIT, c) ? SIGQUIT_
		  : is_key(t, C_SUSP, c) ? SIGTSTP_
					 : 0;

	if (sig == 0 || !local(t, L_ISIG))
		return false;
	if (!local(t, L_NOFLSH))
		tty_flush(t, true, true);
	echo(t, c);
	if (t->group > 0)
		sig_send_group(t->k, t->group, sig);
	return true;
}

/* Takes the last character of the edited line away. */
static bool erase(struct tty *t)
{
	unsigned char c;

	if (t->in_len == t->in_ready)
		return false;
	c = (unsigned char)t->in[--t->in_len];
	while ((t->set.input & IN_IUTF8) != 0 && (c & 0xc0) == 0x80 && t->in_len > t->in_ready)
		c = (unsigned char)t->in[--t->in_len];
	if (local(t, L_ECHO) && local(t, L_ECHOE))
		put(t, c < 32 && c != '\t' ? "\b \b\b \b" : "\b \b", c < 32 && c != '\t' ? 6 : 3);
	return true;
}

static void erase_word(struct tty *t)
{
	while (t->in_len > t->in_ready && byte_is_blank((unsigned char)t->in[t->in_len - 1]))
		erase(t);
	while (t->in_len > t->in_ready && !byte_is_blank((unsigned char)t->in[t->in_len - 1]))
		erase(t);
}

static bool edit(struct tty *t, unsigned char c)
{
	if (!local(t, L_ICANON))
		return false;
	if (is_key(t, C_ERASE, c)) {
		erase(t);
	} else if (is_key(t, C_KILL, c)) {
		while (erase(t))
			continue;
	} else if (is_key(t, C_WERASE, c) && local(t, L_IEXTEN)) {
		erase_word(t);
	} else if (is_key(t, C_EOF, c)) {
		store(t, c, MARK_END);
	} else {
		return false;
	}
	return true;
}

static bool ends_line(const struct tty *t, unsigned char c)
{
	return c == '\n' || is_key(t, C_EOL, c) || is_key(t, C_EOL2, c);
}

static void type_byte(struct tty *t, unsigned char c)
{
	if (c == '\r' && (t->set.input & IN_IGNCR) != 0)
		return;
	if (c == '\r' && (t->set.input & IN_ICRNL) != 0)
		c = '\n';
	else if (c == '\n' && (t->set.input & IN_INLCR) != 0)
		c = '\r';
	if (key_signal(t, c) || edit(t, c))
		return;
	/* A line that fills the buffer leaves room for its end. */
	if (t->in_len == TTY_INPUT - 1 && !(local(t, L_ICANON) && ends_line(t, c)))
		return;
	echo(t, c);
	store(t, c, local(t, L_ICANON) && ends_line(t, c) ? MARK_LINE : MARK_NONE);
}

size_t tty_type(struct tty *t, const char *data, size_t n)
{
	size_t done = 0;

	while (done < n && t->in_len < TTY_INPUT &&
	       (local(t, L_ICANON) || t->in_len + 1 < TTY_INPUT))
		type_byte(t, (unsigned char)data[done++]);
	return done;
}

/* --- reading --- */

bool tty_readable(const struct tty *t)
{
	return t->in_ready != 0;
}

static void consume(struct tty *t, size_t n)
{
	memmove(t->in, t->in + n, t->in_len - n);
	memmove(t->mark, t->mark + n, t->in_len - n);
	t->in_len -= n;
	t->in_ready -= n;
}

int64_t tty_take(struct tty *t, char *out, size_t n)
{
	size_t got = 0;
	size_t gone = 0;

	if (t->in_ready == 0)
		return -1;
	while (got < n && gone < t->in_ready) {
		uint8_t mark = t->mark[gone];

		if (mark == MARK_END && local(t, L_ICANON)) {
			gone++;
			break;
		}
		out[got++] = t->in[gone++];
		if (mark == MARK_LINE && local(t, L_ICANON))
			break;
	}
	/* An end right behind what was read belongs to it. */
	if (local(t, L_ICANON) && got != 0 && got == n && gone < t->in_ready &&
	    t->mark[gone] == MARK_END)
		gone++;
	consume(t, gone);
	return (int64_t)got;
}

void tty_flush(struct tty *t, bool input, bool output)
{
	if (input)
		t->in_len = t->in_ready = 0;
	if (output)
		t->out_len = 0;
}

void tty_changed(struct tty *t, bool was_canonical)
{
	if (was_canonical && !local(t, L_ICANON))
		t->in_ready = t->in_len;
}
