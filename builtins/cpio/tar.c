/* SPDX-License-Identifier: MIT
 *
 * Headers of tar archives for cpio: the old form, and ustar. Each is a block of text fields with
 * numbers in octal digits; names end with '/' where they mean directories.
 */
#include "builtins/cpio/cpio.h"

enum {
	NAME = 0,
	NAME_LEN = CPIO_TAR_NAME,
	MODE = 100,
	UID = 108,
	GID = 116,
	ID_LEN = 8,
	SIZE = 124,
	MTIME = 136,
	LONG_LEN = 12,
	SUM = 148,
	TYPE = 156,
	LINK = 157,
	MAGIC = 257,
	USER = 265,
	GROUP = 297,
	WHO_LEN = 32,
	MAJOR = 329,
	MINOR = 337,
	PREFIX = 345,
	PREFIX_LEN = 155,
};

bool cpio_is_tar(const struct cpio *p)
{
	return p->format == CPIO_TAR || p->format == CPIO_USTAR;
}

static uint64_t sum_of(const char *block)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < CPIO_BLOCK; i++)
		sum += i >= SUM && i < SUM + ID_LEN ? ' ' : (unsigned char)block[i];
	return sum;
}

/* --- writing --- */

/* False, after a message: it has more digits than the field. */
static bool put_number(struct cpio *p, const struct cpio_entry *e, char *at, size_t len, uint64_t v,
		       const char *what)
{
	uint64_t most = ((uint64_t)1 << 3 * (len - 1)) - 1;

	if (v > most) {
		cmd_warn(p->c, 0, "%s: value %s %llu out of allowed range 0..%llu", e->name, what,
			 (unsigned long long)v, (unsigned long long)most);
		return false;
	}
	for (size_t i = len - 1; i-- > 0; v >>= 3)
		at[i] = (char)('0' + (v & 7));
	return true;
}

/* ustar has room for what stands before some '/' of a longer name. */
static bool put_name(struct cpio *p, char *block, const char *name)
{
	size_t len = strlen(name);
	size_t cut = len - 1 < PREFIX_LEN ? len - 1 : PREFIX_LEN;

	if (len <= NAME_LEN) {
		memcpy(block + NAME, name, len);
		return true;
	}
	while (cut > 0 && name[cut] != '/')
		cut--;
	if (p->format == CPIO_TAR || cut == 0 || len - cut - 1 > NAME_LEN)
		return false;
	memcpy(block + PREFIX, name, cut);
	memcpy(block + NAME, name + cut + 1, len - cut - 1);
	return true;
}

static char type_of(const struct cpio_entry *e)
{
	if (e->hard)
		return '1';
	switch (e->mode & S_FMT) {
	case S_LNK: return '2';
	case S_CHR: return '3';
	case S_BLK: return '4';
	case S_DIR: return '5';
	case S_FIFO: return '6';
	default: return '0';
	}
}

static void put_who(char *at, const char *name)
{
	if (name != NULL)
		memcpy(at, name, strlen(name) < WHO_LEN ? strlen(name) : WHO_LEN - 1);
}

static bool put_ustar(struct cpio *p, const struct cpio_entry *e, char *block)
{
	memcpy(block + MAGIC, "ustar\00000", 8);
	put_who(block + USER, cmd_user_name(p->c, e->uid));
	put_who(block + GROUP, cmd_group_name(p->c, e->gid));
	return put_number(p, e, block + MAJOR, ID_LEN, e->rdev_major, "rdev_major") &&
	       put_number(p, e, block + MINOR, ID_LEN, e->rdev_minor, "rdev_minor");
}

/* The caller keeps links short. */
bool cpio_put_tar(struct cpio *p, const struct cpio_entry *e)
{
	char block[CPIO_BLOCK] = { 0 };
	uint64_t size = e->link != NULL ? 0 : e->size;

	if (strcmp(e->name, "TRAILER!!!") == 0 && e->mode == 0) {
		cpio_put(p, block, sizeof block);
		cpio_put(p, block, sizeof block);
		return true;
	}
	if (!put_name(p, block, e->name)) {
		cmd_warn(p->c, 0, "%s: file name too long", e->name);
		return false;
	}
	if (e->link != NULL)
		memcpy(block + LINK, e->link, strlen(e->link));
	if (!put_number(p, e, block + MODE, ID_LEN, e->mode & 07777, "mode") ||
	    !put_number(p, e, block + UID, ID_LEN, e->uid, "uid") ||
	    !put_number(p, e, block + GID, ID_LEN, e->gid, "gid") ||
	    !put_number(p, e, block + SIZE, LONG_LEN, size, "size") ||
	    !put_number(p, e, block + MTIME, LONG_LEN, e->mtime, "mtime"))
		return false;
	block[TYPE] = type_of(e);
	if (p->format == CPIO_USTAR && !put_ustar(p, e, block))
		return false;
	put_number(p, e, block + SUM, ID_LEN, sum_of(block), "checksum");
	cpio_put(p, block, sizeof block);
	return true;
}

/* --- reading --- */

/* Octal digits behind blanks, up to a blank or NUL. *bad: there is something else. */
static uint64_t get_number(const char *at, size_t len, bool *bad)
{
	uint64_t v = 0;
	size_t i = 0;

	while (i < len && at[i] == ' ')
		i++;
	for (; i < len && at[i] >= '0' && at[i] <= '7'; i++)
		v = v << 3 | (uint64_t)(at[i] - '0');
	*bad = i < len && at[i] != '\0' && at[i] != ' ';
	return v;
}

static struct bytes field_text(const char *at, size_t len)
{
	const char *end = memchr(at, '\0', len);

	return (struct bytes){ at, end != NULL ? (size_t)(end - at) : len };
}

static uint64_t take_number(struct cpio *p, const char *at, size_t len)
{
	bool bad;
	uint64_t v = get_number(at, len, &bad);

	if (bad)
		cmd_warn(p->c, 0, "Malformed number %.*s", (int)field_text(at, len).len, at);
	return bad ? 0 : v;
}

static const char *take_text(struct cpio *p, const char *at, size_t len)
{
	return arena_dup(p->c->arena, field_text(at, len));
}

enum cpio_format cpio_tar_format(const char *block)
{
	bool bad;

	if (get_number(block + SUM, ID_LEN, &bad) != sum_of(block) || bad)
		return CPIO_UNKNOWN;
	return memcmp(block + MAGIC, "ustar", 5) == 0 ? CPIO_USTAR : CPIO_TAR;
}

static uint32_t mode_of(char type, const char *name)
{
	size_t len = strlen(name);

	switch (type) {
	case '2': return S_LNK;
	case '3': return S_CHR;
	case '4': return S_BLK;
	case '5': return S_DIR;
	case '6': return S_FIFO;
	default: return len > 0 && name[len - 1] == '/' ? S_DIR : S_REG;
	}
}

static void take_fields(struct cpio *p, const char *block, struct cpio_entry *e)
{
	char type = block[TYPE];
	bool ustar = memcmp(block + MAGIC, "ustar", 6) == 0;

	*e = (struct cpio_entry){
		.name = take_text(p, block + NAME, NAME_LEN),
		.nlink = 1,
		.mode = (uint32_t)take_number(p, block + MODE, ID_LEN) & 07777,
		.uid = (uint32_t)take_number(p, block + UID, ID_LEN),
		.gid = (uint32_t)take_number(p, block + GID, ID_LEN),
		.size = take_number(p, block + SIZE, LONG_LEN),
		.mtime = take_number(p, block + MTIME, LONG_LEN),
		.hard = type == '1',
	};
	if (ustar && block[PREFIX] != '\0') {
		struct buf whole = buf_in(p->c->arena);

		buf_printf(&whole, "%s/%s", take_text(p, block + PREFIX, PREFIX_LEN), e->name);
		e->name = buf_cstr(&whole);
	}
	e->mode |= mode_of(type, e->name);
	if (type == '1' || type == '2')
		e->link = take_text(p, block + LINK, NAME_LEN);
	if ((e->mode & S_FMT) != S_REG || e->hard)
		e->size = 0;
	if (type == '3' || type == '4') {
		e->rdev_major = (uint32_t)take_number(p, block + MAJOR, ID_LEN);
		e->rdev_minor = (uint32_t)take_number(p, block + MINOR, ID_LEN);
	}
}

bool cpio_get_tar(struct cpio *p, struct cpio_entry *e)
{
	static const char zeros[CPIO_BLOCK];
	char block[CPIO_BLOCK];
	uint64_t skipped = 0;

	cpio_get_all(p, block, sizeof block);
	if (memcmp(block, zeros, sizeof block) == 0)
		return false;
	while (cpio_tar_format(block) == CPIO_UNKNOWN) {
		if (skipped == 0)
			cmd_warn(p->c, 0, "invalid header: checksum error");
		memmove(block, block + 1, sizeof block - 1);
		cpio_get_all(p, block + sizeof block - 1, 1);
		skipped++;
		cmd_charge(p->c, 16);
	}
	if (skipped > 0)
		cmd_warn(p->c, 0, "warning: skipped %llu byte%s of junk",
			 (unsigned long long)skipped, skipped == 1 ? "" : "s");
	take_fields(p, block, e);
	return true;
}
