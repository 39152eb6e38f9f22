/* SPDX-License-Identifier: MIT
 *
 * stty - settings of a terminal: shows and changes them.
 *
 * All settings of a command line are first checked, then made, at once. The kernel keeps them; a
 * host may obey those of the session's own terminal.
 */
#include "builtins/builtin.h"

enum { SPEED_BITS = 0x100f, SIZE_BITS = 0x30, CS8 = 0x30, RECEIVE = 0x80, PARITY = 0x100 };
enum { MIN = 6, TIME = 5, END_OF_FILE = 4, END_OF_LINE = 11, ERASE = 2, KILL = 3, INTR = 0 };
enum { KEYS_SHOWN = 32, WIDTH = 80, KEY_ALIAS = -1 };

enum word { CONTROL, INPUT, OUTPUT, LOCAL, WORDS };

enum mode_flag {
	ON = 1,    /* sane terminals have it */
	OFF = 2,   /* sane terminals have it not */
	REV = 4,   /* may stand behind - */
	ALIAS = 8, /* of another name: not shown */
};

static const struct mode {
	const char *name;
	enum word word;
	unsigned flags;
	uint32_t bits;
	uint32_t mask; /* 0: the bits */
} modes[] = {
	{ "parenb", CONTROL, REV, 0x100, 0 },
	{ "parodd", CONTROL, REV, 0x200, 0 },
	{ "cmspar", CONTROL, REV, 0x40000000, 0 },
	{ "cs5", CONTROL, 0, 0, SIZE_BITS },
	{ "cs6", CONTROL, 0, 0x10, SIZE_BITS },
	{ "cs7", CONTROL, 0, 0x20, SIZE_BITS },
	{ "cs8", CONTROL, 0, CS8, SIZE_BITS },
	{ "hupcl", CONTROL, REV, 0x400, 0 },
	{ "hup", CONTROL, REV | ALIAS, 0x400, 0 },
	{ "cstopb", CONTROL, REV, 0x40, 0 },
	{ "cread", CONTROL, ON | REV, RECEIVE, 0 },
	{ "clocal", CONTROL, REV, 0x800, 0 },
	{ "crtscts", CONTROL, REV, 0x80000000, 0 },

	{ "ignbrk", INPUT, OFF | REV, 1, 0 },
	{ "brkint", INPUT, ON | REV, 2, 0 },
	{ "ignpar", INPUT, REV, 4, 0 },
	{ "parmrk", INPUT, REV, 8, 0 },
	{ "inpck", INPUT, REV, 0x10, 0 },
	{ "istrip", INPUT, REV, 0x20, 0 },
	{ "inlcr", INPUT, OFF | REV, 0x40, 0 },
	{ "igncr", INPUT, OFF | REV, 0x80, 0 },
	{ "icrnl", INPUT, ON | REV, 0x100, 0 },
	{ "ixon", INPUT, REV, 0x400, 0 },
	{ "ixoff", INPUT, OFF | REV, 0x1000, 0 },
	{ "tandem", INPUT, REV | ALIAS, 0x1000, 0 },
	{ "iuclc", INPUT, OFF | REV, 0x200, 0 },
	{ "ixany", INPUT, OFF | REV, 0x800, 0 },
	{ "imaxbel", INPUT, ON | REV, 0x2000, 0 },
	{ "iutf8", INPUT, OFF | REV, 0x4000, 0 },

	{ "opost", OUTPUT, ON | REV, 1, 0 },
	{ "olcuc", OUTPUT, OFF | REV, 2, 0 },
	{ "ocrnl", OUTPUT, OFF | REV, 8, 0 },
	{ "onlcr", OUTPUT, ON | REV, 4, 0 },
	{ "onocr", OUTPUT, OFF | REV, 0x10, 0 },
	{ "onlret", OUTPUT, OFF | REV, 0x20, 0 },
	{ "ofill", OUTPUT, OFF | REV, 0x40, 0 },
	{ "ofdel", OUTPUT, OFF | REV, 0x80, 0 },
	{ "nl1", OUTPUT, OFF, 0x100, 0x100 },
	{ "nl0", OUTPUT, ON, 0, 0x100 },
	{ "cr3", OUTPUT, OFF, 0x600, 0x600 },
	{ "cr2", OUTPUT, OFF, 0x400, 0x600 },
	{ "cr1", OUTPUT, OFF, 0x200, 0x600 },
	{ "cr0", OUTPUT, ON, 0, 0x600 },
	{ "tab3", OUTPUT, OFF, 0x1800, 0x1800 },
	{ "tab2", OUTPUT, OFF, 0x1000, 0x1800 },
	{ "tab1", OUTPUT, OFF, 0x800, 0x1800 },
	{ "tab0", OUTPUT, ON, 0, 0x1800 },
	{ "bs1", OUTPUT, OFF, 0x2000, 0x2000 },
	{ "bs0", OUTPUT, ON, 0, 0x2000 },
	{ "vt1", OUTPUT, OFF, 0x4000, 0x4000 },
	{ "vt0", OUTPUT, ON, 0, 0x4000 },
	{ "ff1", OUTPUT, OFF, 0x8000, 0x8000 },
	{ "ff0", OUTPUT, ON, 0, 0x8000 },

	{ "isig", LOCAL, ON | REV, 1, 0 },
	{ "icanon", LOCAL, ON | REV, TTY_LINES, 0 },
	{ "iexten", LOCAL, ON | REV, 0x8000, 0 },
	{ "echo", LOCAL, ON | REV, TTY_ECHO, 0 },
	{ "echoe", LOCAL, ON | REV, 0x10, 0 },
	{ "crterase", LOCAL, REV | ALIAS, 0x10, 0 },
	{ "echok", LOCAL, ON | REV, 0x20, 0 },
	{ "echonl", LOCAL, OFF | REV, 0x40, 0 },
	{ "noflsh", LOCAL, OFF | REV, 0x80, 0 },
	{ "xcase", LOCAL, OFF | REV, 4, 0 },
	{ "tostop", LOCAL, OFF | REV, 0x100, 0 },
	{ "echoprt", LOCAL, OFF | REV, 0x400, 0 },
	{ "prterase", LOCAL, REV | ALIAS, 0x400, 0 },
	{ "echoctl", LOCAL, ON | REV, 0x200, 0 },
	{ "ctlecho", LOCAL, REV | ALIAS, 0x200, 0 },
	{ "echoke", LOCAL, ON | REV, 0x800, 0 },
	{ "crtkill", LOCAL, REV | ALIAS, 0x800, 0 },
	{ "flusho", LOCAL, OFF | REV, 0x1000, 0 },
	{ "extproc", LOCAL, OFF | REV, 0x10000, 0 },
};
enum { NMODES = sizeof modes / sizeof *modes };

static const struct key {
	const char *name;
	int at;
	int sane;
} keys[] = {
	{ "intr", INTR, 3 },        { "quit", 1, 28 },         { "erase", ERASE, 127 },
	{ "kill", KILL, 21 },       { "eof", END_OF_FILE, 4 }, { "eol", END_OF_LINE, 0 },
	{ "eol2", 16, 0 },          { "swtch", 7, 0 },         { "start", 8, 17 },
	{ "stop", 9, 19 },          { "susp", 10, 26 },        { "rprnt", 12, 18 },
	{ "werase", 14, 23 },       { "lnext", 15, 22 },       { "discard", 13, 15 },
	{ "flush", 13, KEY_ALIAS },
};
enum { NKEYS = sizeof keys / sizeof *keys };

/* What stands for several: without and with -, a list of words; NULL: there is none. */
static const struct combination {
	const char *name;
	const char *plain;
	const char *reversed;
} combinations[] = {
	{ "evenp", "parenb -parodd cs7", "-parenb cs8" },
	{ "parity", "parenb -parodd cs7", "-parenb cs8" },
	{ "oddp", "parenb parodd cs7", "-parenb cs8" },
	{ "nl", "-icrnl -onlcr", "icrnl -inlcr -igncr onlcr -ocrnl -onlret" },
	{ "ek", "erase ^? kill ^U", NULL },
	{ "cooked", "brkint ignpar istrip icrnl ixon opost isig icanon eof ^D eol ^-", "raw" },
	{ "raw",
	  "-ignbrk -brkint -ignpar -parmrk -inpck -istrip -inlcr -igncr -icrnl -ixon -ixoff -iuclc "
	  "-ixany -imaxbel -opost -isig -icanon -xcase min 1 time 0",
	  "cooked" },
	{ "cbreak", "-icanon", "icanon" },
	{ "pass8", "-parenb -istrip cs8", "parenb istrip cs7" },
	{ "litout", "-parenb -istrip -opost cs8", "parenb istrip opost cs7" },
	{ "decctlq", "-ixany", "ixany" },
	{ "tabs", "tab0", "tab3" },
	{ "lcase", "xcase iuclc olcuc", "-xcase -iuclc -olcuc" },
	{ "LCASE", "xcase iuclc olcuc", "-xcase -iuclc -olcuc" },
	{ "crt", "echoe echoctl echoke", NULL },
	{ "dec", "echoe echoctl echoke -ixany intr ^C erase ^? kill ^U", NULL },
};
enum { NCOMBINATIONS = sizeof combinations / sizeof *combinations };

static const struct speed {
	const char *name;
	unsigned baud;
	uint32_t bits;
} speeds[] = {
	{ "0", 0, 0 },
	{ "50", 50, 1 },
	{ "75", 75, 2 },
	{ "110", 110, 3 },
	{ "134", 134, 4 },
	{ "134.5", 134, 4 },
	{ "150", 150, 5 },
	{ "200", 200, 6 },
	{ "300", 300, 7 },
	{ "600", 600, 8 },
	{ "1200", 1200, 9 },
	{ "1800", 1800, 10 },
	{ "2400", 2400, 11 },
	{ "4800", 4800, 12 },
	{ "9600", 9600, 13 },
	{ "19200", 19200, 14 },
	{ "exta", 19200, 14 },
	{ "38400", 38400, 15 },
	{ "extb", 38400, 15 },
	{ "57600", 57600, 0x1001 },
	{ "115200", 115200, 0x1002 },
	{ "230400", 230400, 0x1003 },
	{ "460800", 460800, 0x1004 },
	{ "500000", 500000, 0x1005 },
	{ "576000", 576000, 0x1006 },
	{ "921600", 921600, 0x1007 },
	{ "1000000", 1000000, 0x1008 },
	{ "1152000", 1152000, 0x1009 },
	{ "1500000", 1500000, 0x100a },
	{ "2000000", 2000000, 0x100b },
	{ "2500000", 2500000, 0x100c },
	{ "3000000", 3000000, 0x100d },
	{ "3500000", 3500000, 0x100e },
	{ "4000000", 4000000, 0x100f },
};
enum { NSPEEDS = sizeof speeds / sizeof *speeds };

struct stty {
	struct cmd *c;
	int fd;
	const char *device; /* -F */
	bool all;           /* -a */
	bool save;          /* -g */
	bool half_speed;    /* only one of the speeds was asked for */
	bool checking;      /* the first of two passes */
	char **args;        /* the settings */
	int nargs;
	struct tty_settings set;
	int width;  /* of the terminal that shows them */
	int column; /* of what is shown */
};

static uint32_t *word_of(struct tty_settings *s, enum word w)
{
	return w == CONTROL  ? &s->control
	       : w == INPUT  ? &s->input
	       : w == OUTPUT ? &s->output
			     : &s->local;
}

static const char *device_name(const struct stty *s)
{
	return s->device != NULL ? cmd_quotef(s->c, s->device) : "'standard input'";
}

static uint32_t mode_mask(const struct mode *m)
{
	return m->mask != 0 ? m->mask : m->bits;
}

/* --- showing --- */

static void end_line(struct stty *s)
{
	if (s->column != 0)
		cmd_puts(s->c, "\n");
	s->column = 0;
}

/* One more text of a line, or of the next where it would be too wide. */
static void show(struct stty *s, const char *text)
{
	int len = (int)strlen(text);

	if (s->column != 0 && s->column + 1 + len > s->width)
		end_line(s);
	cmd_printf(s->c, "%s%s", s->column != 0 ? " " : "", text);
	s->column += len + (s->column != 0);
}

static unsigned baud_of(const struct tty_settings *set)
{
	for (int i = 0; i < NSPEEDS; i++)
		if (speeds[i].bits == (set->control & SPEED_BITS))
			return speeds[i].baud;
	return 0;
}

static const char *key_text(struct cmd *c, uint8_t k)
{
	struct buf out = buf_in(c->arena);

	if (k == 0)
		return "<undef>";
	if (k >= 128)
		buf_puts(&out, "M-");
	k &= 127;
	if (k < 32 || k == 127)
		buf_putc(&out, '^');
	buf_putc(&out, (char)(k < 32 || k == 127 ? k ^ 64 : k));
	return buf_cstr(&out);
}

static const char *text(struct cmd *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static const char *text(struct cmd *c, const char *format, ...)
{
	struct buf out = buf_in(c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&out, format, args);
	va_end(args);
	return buf_cstr(&out);
}

static void show_keys(struct stty *s, bool all)
{
	bool counted = (s->set.local & TTY_LINES) == 0;

	for (int i = 0; i < NKEYS; i++) {
		uint8_t k = s->set.keys[keys[i].at];

		if (keys[i].sane != KEY_ALIAS && (all || k != keys[i].sane))
			show(s, text(s->c, "%s = %s;", keys[i].name, key_text(s->c, k)));
	}
	if (all || counted) {
		show(s, text(s->c, "min = %u;", s->set.keys[MIN]));
		show(s, text(s->c, "time = %u;", s->set.keys[TIME]));
	}
	end_line(s);
}

/* All, or those that are not as sane terminals have them. */
static void show_modes(struct stty *s, bool all)
{
	enum word last = CONTROL;

	for (int i = 0; i < NMODES; i++) {
		const struct mode *m = &modes[i];
		bool is_set = (*word_of(&s->set, m->word) & mode_mask(m)) == m->bits;

		if (m->word != last)
			end_line(s);
		last = m->word;
		if ((m->flags & ALIAS) != 0)
			continue;
		if (is_set && (all || (m->flags & OFF) != 0))
			show(s, m->name);
		else if (!is_set && (m->flags & REV) != 0 && (all || (m->flags & ON) != 0))
			show(s, text(s->c, "-%s", m->name));
	}
	end_line(s);
}

static void show_settings(struct stty *s)
{
	unsigned columns = cmd_terminal_columns(s->c, 1);

	s->width = columns != 0 ? (int)columns : WIDTH;
	show(s, text(s->c, "speed %u baud;", baud_of(&s->set)));
	if (s->all) {
		show(s, text(s->c, "rows %u;", cmd_terminal_rows(s->c, s->fd)));
		show(s, text(s->c, "columns %u;", cmd_terminal_columns(s->c, s->fd)));
	}
	show(s, text(s->c, "line = %u;", s->set.line));
	end_line(s);
	show_keys(s, s->all);
	show_modes(s, s->all);
}

static void show_saved(struct stty *s)
{
	cmd_printf(s->c, "%x:%x:%x:%x", s->set.input, s->set.output, s->set.control, s->set.local);
	for (size_t i = 0; i < KEYS_SHOWN; i++)
		cmd_printf(s->c, ":%x", i < sizeof s->set.keys ? s->set.keys[i] : 0);
	cmd_puts(s->c, "\n");
}

static void show_size(struct stty *s)
{
	cmd_printf(s->c, "%u %u\n", cmd_terminal_rows(s->c, s->fd),
		   cmd_terminal_columns(s->c, s->fd));
}

/* --- changing --- */

/* Moves behind a number; false if there is none, or too large a one (then UINT64_MAX). */
static bool digits(const char **at, unsigned base, uint64_t *out)
{
	const char *start = *at;
	bool fits = true;

	for (*out = 0;; (*at)++) {
		unsigned char c = (unsigned char)**at;
		unsigned d = byte_is_digit(c)                         ? (unsigned)c - '0'
			     : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20u) - 'a' + 10
								      : 16;

		if (d >= base)
			break;
		fits = fits && *out <= (UINT64_MAX - d) / base;
		*out = fits ? *out * base + d : UINT64_MAX;
	}
	return fits && *at != start;
}

/* What -g wrote. False: it is not that, and nothing is changed. */
static bool restore(struct tty_settings *set, const char *saved)
{
	struct tty_settings new = { .line = set->line };
	uint32_t *words[] = { &new.input, &new.output, &new.control, &new.local };

	for (int i = 0; i < 4 + KEYS_SHOWN; i++) {
		const char *end = saved;
		uint64_t n;

		if (!digits(&end, 16, &n) || n > (i < 4 ? UINT32_MAX : UINT8_MAX) ||
		    *end != (i < 3 + KEYS_SHOWN ? ':' : '\0'))
			return false;
		saved = end + 1;
		if (i < 4)
			*words[i] = (uint32_t)n;
		else if ((size_t)i - 4 < sizeof new.keys)
			new.keys[i - 4] = (uint8_t)n;
	}
	*set = new;
	return true;
}

/* An operand as a number up to max, as C writes it, perhaps with b or B behind it: 0, or a status
 * after a message. */
static int number(struct stty *s, const char *word, uint64_t max, uint64_t *out)
{
	const char *at = num_start(word);
	bool hex = at[0] == '0' && (at[1] | 0x20) == 'x';
	uint64_t unit = 1;
	bool fits;

	at += hex ? 2 : 0;
	if (!hex && !byte_is_digit((unsigned char)*at))
		return cmd_error(s->c, 0, "invalid integer argument: %s", cmd_quote(s->c, word));
	fits = digits(&at, hex ? 16 : *at == '0' ? 8 : 10, out);
	if (*at == 'b' || *at == 'B')
		unit = *at++ == 'b' ? 512 : 1024;
	if (*at != '\0')
		return cmd_error(s->c, 0, "invalid integer argument: %s", cmd_quote(s->c, word));
	if (!fits || *out > max / unit)
		return cmd_error(s->c, fits ? -E_RANGE : -E_OVERFLOW,
				 "invalid integer argument: %s", cmd_quote(s->c, word));
	*out *= unit;
	return 0;
}

static int set_key(struct stty *s, int at, const char *word)
{
	uint64_t n = 0;
	int status = 0;

	if (strcmp(word, "undef") == 0 || strcmp(word, "^-") == 0)
		n = 0;
	else if (word[0] == '^' && word[1] != '\0')
		n = word[1] == '?' ? 127 : (unsigned char)word[1] & ~0140u;
	else if (word[0] == '\0' || word[1] == '\0')
		n = (unsigned char)word[0];
	else
		status = number(s, word, UINT8_MAX, &n);
	if (status == 0)
		s->set.keys[at] = (uint8_t)n;
	return status;
}

static void set_mode(struct tty_settings *set, const struct mode *m, bool reversed)
{
	uint32_t *word = word_of(set, m->word);

	*word = (*word & ~mode_mask(m)) | (reversed ? 0 : m->bits);
}

static void set_sane(struct tty_settings *set)
{
	for (int i = 0; i < NMODES; i++) {
		if ((modes[i].flags & ON) != 0)
			set_mode(set, &modes[i], false);
		else if ((modes[i].flags & OFF) != 0)
			set_mode(set, &modes[i], true);
	}
	for (int i = 0; i < NKEYS; i++)
		if (keys[i].sane != KEY_ALIAS)
			set->keys[keys[i].at] = (uint8_t)keys[i].sane;
	set->keys[MIN] = 1;
	set->keys[TIME] = 0;
}

static int set_words(struct stty *s, char *const *words, int n);

enum { LIST_WORDS = 32, LIST_BYTES = 256 };

static int set_combination(struct stty *s, const char *list)
{
	char copy[LIST_BYTES];
	char *words[LIST_WORDS];
	size_t len = strlen(list);
	int n = 0;

	memcpy(copy, list, len + 1);
	for (char *at = copy; at <= copy + len; at += strlen(at) + 1) {
		words[n++] = at;
		at[strcspn(at, " ")] = '\0';
	}
	return set_words(s, words, n);
}

enum value {
	NO_VALUE,
	KEY_VALUE,
	ROWS_VALUE,
	COLUMNS_VALUE,
	MIN_VALUE,
	TIME_VALUE,
	LINE_VALUE,
	SPEED_VALUE
};

static int set_size(struct stty *s, enum value which, const char *word)
{
	uint64_t n;
	int status = number(s, word, INT32_MAX, &n);

	if (status != 0 || s->checking)
		return status;
	cmd_terminal_resize(
		s->c, s->fd, which == ROWS_VALUE ? (unsigned)n : cmd_terminal_rows(s->c, s->fd),
		which == COLUMNS_VALUE ? (unsigned)n : cmd_terminal_columns(s->c, s->fd));
	return 0;
}

static const struct speed *speed_of(const char *word)
{
	for (int i = 0; i < NSPEEDS; i++)
		if (strcmp(speeds[i].name, word) == 0)
			return &speeds[i];
	return NULL;
}

static void set_speed(struct stty *s, const struct speed *speed)
{
	s->half_speed |= speed->bits == 0; /* it hangs up, and is no speed */
	s->set.control = (s->set.control & ~(uint32_t)SPEED_BITS) | speed->bits;
}

static int set_line(struct stty *s, const char *word)
{
	uint64_t n;
	int status = number(s, word, UINT64_MAX, &n);

	if (status != 0)
		return status;
	if (n > UINT8_MAX)
		cmd_warn(s->c, 0, "invalid line discipline %s", cmd_quote(s->c, word));
	s->set.line = (uint8_t)n;
	return 0;
}

static int set_count(struct stty *s, int at, const char *word)
{
	uint64_t n;
	int status = number(s, word, UINT8_MAX, &n);

	if (status == 0)
		s->set.keys[at] = (uint8_t)n;
	return status;
}

/* What a setting takes; of a key, *key is its place. */
static enum value value_of(const char *word, int *key)
{
	static const struct {
		const char *name;
		enum value value;
	} settings[] = {
		{ "rows", ROWS_VALUE },    { "cols", COLUMNS_VALUE }, { "columns", COLUMNS_VALUE },
		{ "min", MIN_VALUE },      { "time", TIME_VALUE },    { "line", LINE_VALUE },
		{ "ispeed", SPEED_VALUE }, { "ospeed", SPEED_VALUE },
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (strcmp(word, settings[i].name) == 0)
			return settings[i].value;
	for (int i = 0; i < NKEYS; i++) {
		if (strcmp(word, keys[i].name) == 0) {
			*key = keys[i].at;
			return KEY_VALUE;
		}
	}
	return NO_VALUE;
}

/* Both speeds are one. */
static int set_both_speeds(struct stty *s, const char *value)
{
	const struct speed *speed = speed_of(value);

	if (speed == NULL)
		return 0;
	s->half_speed |= (s->set.control & SPEED_BITS) != speed->bits;
	set_speed(s, speed);
	return 0;
}

static int set_value(struct stty *s, enum value which, int key, const char *value)
{
	switch (which) {
	case KEY_VALUE: return set_key(s, key, value);
	case ROWS_VALUE:
	case COLUMNS_VALUE: return set_size(s, which, value);
	case MIN_VALUE: return set_count(s, MIN, value);
	case TIME_VALUE: return set_count(s, TIME, value);
	case LINE_VALUE: return set_line(s, value);
	case SPEED_VALUE: return set_both_speeds(s, value);
	case NO_VALUE: break;
	}
	return 0;
}

/* A setting without a value; false: it is none. */
static bool set_plain(struct stty *s, const char *word)
{
	bool reversed = *word == '-';
	const char *name = word + reversed;
	const struct speed *speed = speed_of(word);

	for (int i = 0; i < NMODES; i++) {
		if (strcmp(name, modes[i].name) != 0)
			continue;
		if (reversed && (modes[i].flags & REV) == 0)
			return false;
		set_mode(&s->set, &modes[i], reversed);
		return true;
	}
	for (int i = 0; i < NCOMBINATIONS; i++) {
		const struct combination *m = &combinations[i];

		if (strcmp(name, m->name) != 0)
			continue;
		if (reversed && m->reversed == NULL)
			return false;
		return set_combination(s, reversed ? m->reversed : m->plain) == 0;
	}
	if (strcmp(word, "sane") == 0)
		set_sane(&s->set);
	else if (strcmp(word, "size") == 0)
		s->checking ? (void)0 : show_size(s);
	else if (strcmp(word, "speed") == 0)
		s->checking ? (void)0 : cmd_printf(s->c, "%u\n", baud_of(&s->set));
	else if (speed != NULL)
		set_speed(s, speed);
	else
		return restore(&s->set, word);
	return true;
}

static int set_words(struct stty *s, char *const *words, int n)
{
	for (int i = 0; i < n; i++) {
		const char *word = words[i];
		int key = 0;
		enum value value = value_of(word, &key);
		int status = 0;

		if (value != NO_VALUE && i + 1 == n)
			return cmd_usage(s->c, "missing argument to %s", cmd_quote(s->c, word));
		if (value != NO_VALUE)
			status = set_value(s, value, key, words[++i]);
		else if (!set_plain(s, word))
			return cmd_usage(s->c, "invalid argument %s", cmd_quote(s->c, word));
		if (status != 0)
			return status;
	}
	return 0;
}

static int change(struct stty *s)
{
	struct tty_settings before = s->set;
	struct tty_settings after;
	uint32_t differs;
	int status = set_words(s, s->args, s->nargs);

	if (status != 0 || memcmp(&before, &s->set, sizeof before) == 0)
		return status;
	cmd_terminal_set(s->c, s->fd, &s->set);
	cmd_terminal_get(s->c, s->fd, &after);
	differs = after.control ^ s->set.control;
	if ((s->set.control & SIZE_BITS) == 0)
		differs &= ~(uint32_t)SIZE_BITS;
	/* As tcsetattr(3) of glibc has it: an error only if nothing was changed. */
	if ((differs & (PARITY | RECEIVE | SIZE_BITS)) != 0 &&
	    memcmp(&after, &before, sizeof after) == 0)
		return cmd_error(s->c, -E_INVAL, "%s", device_name(s));
	if (memcmp(&after, &s->set, sizeof after) != 0 || s->half_speed)
		return cmd_error(s->c, 0, "%s: unable to perform all requested operations",
				 device_name(s));
	return 0;
}

/* --- options --- */

static bool is_long(const char *arg, const char *name, size_t len)
{
	return len > 2 && strncmp(arg, name, len) == 0;
}

/* Takes the options out of the arguments, wherever they stand; what is none is a setting. */
static bool read_options(struct stty *s)
{
	struct cmd *c = s->c;

	for (int i = 0; i < c->nargs; i++) {
		const char *arg = c->args[i];
		const char *equals = strchr(arg, '=');
		bool is_file = equals != NULL && is_long(arg, "--file", (size_t)(equals - arg));
		const char *file = is_file ? equals + 1 : NULL;

		if (is_long(arg, "--all", strlen(arg))) {
			s->all = true;
		} else if (is_long(arg, "--save", strlen(arg))) {
			s->save = true;
		} else if (file != NULL) {
			if (s->device != NULL)
				return false;
			s->device = file;
		} else if (arg[0] == '-' && arg[1] != '\0' && strchr("agF", arg[1]) != NULL) {
			const char *at = arg + 1;

			for (; *at == 'a' || *at == 'g'; at++)
				*(*at == 'a' ? &s->all : &s->save) = true;
			if (*at == '\0')
				continue;
			if (*at != 'F' || (at[1] == '\0' && i + 1 == c->nargs)) {
				s->args[s->nargs++] = c->args[i];
				continue;
			}
			if (s->device != NULL)
				return false;
			s->device = at[1] != '\0' ? at + 1 : c->args[++i];
		} else if (strcmp(arg, "--") == 0 && s->nargs == 0) {
			break; /* GNU's looks at nothing behind it */
		} else if (strcmp(arg, "drain") != 0 && strcmp(arg, "-drain") != 0) {
			s->args[s->nargs++] = c->args[i];
		}
	}
	return true;
}

static int stty_run(struct cmd *c)
{
	struct stty s = { .c = c };
	int err;
	int status;

	s.args = arena_array(c->arena, (size_t)c->nargs + 1, sizeof *s.args);
	if (!read_options(&s))
		return cmd_error(c, 0, "only one device may be specified");
	if (s.all && s.save)
		return cmd_error(c, 0,
				 "the options for verbose and stty-readable output styles are\n"
				 "mutually exclusive");
	if (s.nargs != 0 && (s.all || s.save))
		return cmd_error(c, 0, "when specifying an output style, modes may not be set");
	s.checking = true;
	status = set_words(&s, s.args, s.nargs);
	if (status != 0)
		return status;
	s.checking = false;
	if (s.device != NULL && (s.fd = cmd_open(c, CMD_CWD, s.device, O_RDONLY_, 0)) < 0)
		return cmd_error(c, s.fd, "%s", device_name(&s));
	err = cmd_terminal_get(c, s.fd, &s.set);
	if (err != 0)
		return cmd_error(c, err, "%s", device_name(&s));
	if (s.save)
		show_saved(&s);
	else if (s.nargs == 0)
		show_settings(&s);
	else
		return change(&s);
	return 0;
}

static const struct opt stty_options[] = {
	OPT_CALL('a', "all", opt_ignored, "write all settings"),
	OPT_CALL('g', "save", opt_ignored, "write them for stty to read"),
	OPT_CALL_ARG('F', "file", opt_ignored, "DEVICE", "not of standard input"),
	OPT_END(),
};

const struct builtin builtin_stty = {
	.name = "stty",
	.usage = "[-a | -g] [-F DEVICE] [SETTING]...",
	.summary = "Writes or changes settings of a terminal.",
	.run = stty_run,
	.opts = stty_options,
	.flags = BUILTIN_RAW_HELP,
};
