/* SPDX-License-Identifier: MIT
 *
 * File modes as text: changes like "u+x,go=rX" or "0644" (chmod, mkdir -m), and "drwxr-xr-x".
 *
 * A numeric mode shorter than five digits leaves set-id bits of directories alone, and so does
 * "=" unless it names them: `mentioned` remembers what was named.
 */
#include "builtins/cmd_private.h"

enum { BITS_ALL = 07777, BITS_RWX = 0777, BITS_SETID = S_SUID | S_SGID };

struct change {
	char op;
	uint32_t who; /* bits that may change; 0: all, masked by umask */
	uint32_t value;
	uint32_t mentioned;
	bool cond_x; /* X */
	bool copy;   /* value selects old bits (g=u) */
};

struct mode_change {
	struct change *list;
	size_t n;
};

static struct change *add(struct cmd *c, struct mode_change *m)
{
	m->list = arena_room(c->arena, m->list, m->n, sizeof(*m->list));
	m->list[m->n] = (struct change){ .op = '=' };
	return &m->list[m->n++];
}

/* Up to 4 significant digits; advances *at. False if too large. */
static bool parse_octal(const char **at, uint32_t *out, size_t *digits)
{
	*out = 0;
	*digits = 0;
	while (**at >= '0' && **at <= '7') {
		*out = *out * 8 + (uint32_t)(**at - '0');
		if (*out > BITS_ALL)
			return false;
		++*at;
		++*digits;
	}
	return true;
}

static uint32_t numeric_mentioned(uint32_t value, size_t digits)
{
	return digits < 5 ? (value & BITS_SETID) | S_SVTX | BITS_RWX : BITS_ALL;
}

static uint32_t who_bits(char letter)
{
	switch (letter) {
	case 'u': return S_SUID | 0700;
	case 'g': return S_SGID | 0070;
	case 'o': return S_SVTX | 0007;
	case 'a': return BITS_ALL;
	default: return 0;
	}
}

static uint32_t perm_bits(char letter)
{
	switch (letter) {
	case 'r': return 0444;
	case 'w': return 0222;
	case 'x': return 0111;
	case 's': return BITS_SETID;
	case 't': return S_SVTX;
	default: return 0;
	}
}

/* What follows an operator: octal digits, one of ugo, or letters of rwxXst. */
static bool parse_perms(const char **at, struct change *ch)
{
	size_t digits;

	if (**at >= '0' && **at <= '7') {
		if (!parse_octal(at, &ch->value, &digits) || ch->who != 0)
			return false;
		ch->who = ch->mentioned = BITS_ALL;
		return **at == '\0' || **at == ',';
	}
	if (**at == 'u' || **at == 'g' || **at == 'o') {
		ch->value = who_bits(*(*at)++) & BITS_RWX;
		ch->copy = true;
	} else {
		for (; **at == 'X' || perm_bits(**at) != 0; ++*at) {
			ch->cond_x |= **at == 'X';
			ch->value |= perm_bits(**at);
		}
	}
	ch->mentioned = ch->who != 0 ? ch->who & ch->value : ch->value;
	return true;
}

/* One clause up to ',' or the end. */
static bool parse_clause(struct cmd *c, const char **at, struct mode_change *m)
{
	uint32_t who = 0;

	while (who_bits(**at) != 0)
		who |= who_bits(*(*at)++);
	if (**at != '+' && **at != '-' && **at != '=')
		return false;
	while (**at == '+' || **at == '-' || **at == '=') {
		struct change *ch = add(c, m);

		ch->op = *(*at)++;
		ch->who = who;
		if (!parse_perms(at, ch))
			return false;
	}
	return true;
}

struct mode_change *mode_parse(struct cmd *c, const char *text)
{
	struct mode_change *m = arena_zalloc(c->arena, sizeof(*m));
	const char *at = text;
	size_t digits;

	if (*at >= '0' && *at <= '7') {
		struct change *ch = add(c, m);

		if (!parse_octal(&at, &ch->value, &digits) || *at != '\0')
			return NULL;
		ch->who = BITS_ALL;
		ch->mentioned = numeric_mentioned(ch->value, digits);
		return m;
	}
	for (;;) {
		if (!parse_clause(c, &at, m))
			return NULL;
		if (*at == '\0')
			return m;
		if (*at++ != ',')
			return NULL;
	}
}

static uint32_t copied(uint32_t bits)
{
	uint32_t out = 0;

	if (bits & 0444)
		out |= 0444;
	if (bits & 0222)
		out |= 0222;
	if (bits & 0111)
		out |= 0111;
	return out;
}

uint32_t mode_apply(const struct mode_change *m, uint32_t old, bool is_dir, uint32_t umask)
{
	uint32_t mode = old & BITS_ALL;

	for (size_t i = 0; i < m->n; i++) {
		const struct change *ch = &m->list[i];
		uint32_t omit = (is_dir ? BITS_SETID : 0) & ~ch->mentioned;
		uint32_t value = ch->copy ? copied(mode & ch->value) : ch->value;

		if (ch->cond_x && (is_dir || (mode & 0111) != 0))
			value |= 0111;
		value &= (ch->who != 0 ? ch->who : ~umask) & ~omit;
		if (ch->op == '+')
			mode |= value;
		else if (ch->op == '-')
			mode &= ~value;
		else
			mode = (mode & ((ch->who != 0 ? ~ch->who : 0) | omit)) | value;
	}
	return mode & BITS_ALL;
}

static char type_letter(uint32_t mode)
{
	switch (mode & S_FMT) {
	case S_DIR: return 'd';
	case S_LNK: return 'l';
	case S_CHR: return 'c';
	case S_BLK: return 'b';
	case S_FIFO: return 'p';
	case S_SOCK: return 's';
	case S_REG: return '-';
	default: return '?';
	}
}

void mode_text(uint32_t mode, char out[11])
{
	static const char letters[] = "rwxrwxrwx";

	out[0] = type_letter(mode);
	for (int i = 0; i < 9; i++)
		out[i + 1] = mode >> (8 - i) & 1 ? letters[i] : '-';
	if (mode & S_SUID)
		out[3] = out[3] == 'x' ? 's' : 'S';
	if (mode & S_SGID)
		out[6] = out[6] == 'x' ? 's' : 'S';
	if (mode & S_SVTX)
		out[9] = out[9] == 'x' ? 't' : 'T';
	out[10] = '\0';
}

const char *mode_type_text(const struct vfs_stat *st)
{
	switch (st->mode & S_FMT) {
	case S_DIR: return "directory";
	case S_LNK: return "symbolic link";
	case S_CHR: return "character special file";
	case S_BLK: return "block special file";
	case S_FIFO: return "fifo";
	case S_SOCK: return "socket";
	case S_REG: return st->size == 0 ? "regular empty file" : "regular file";
	default: return "weird file";
	}
}
