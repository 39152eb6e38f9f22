/* SPDX-License-Identifier: MIT
 *
 * The members of a tar archive into an image: ustar, pax and GNU, as a stream.
 *
 * What an archive may say and an image can't hold is an error, never left out: parts of several
 * volumes; but for access lists and attributes beyond an image's, whose files are counted. Names
 * lose what leads out of the image: slashes and "." in front; one with ".." in it is an error.
 *
 * A sparse member has its map in its header and in blocks behind that (type S of old GNU tar), in
 * an extended header (GNU.sparse 0.0 and 0.1), or as text in front of its data (1.0).
 */
#include "api/image_sparse.h"
#include "api/private.h"
#include "cowsh_image.h"

enum { BLOCK = 512, EXTENDED_MAX = 1 << 20, NAME_MAX_BYTES = VFS_PATH_MAX };

/* What an extended header says about the next member; the length UINT64_MAX: nothing. */
struct extended {
	bool has_path, has_link, has_mtime, has_uid, has_gid;
	bool left_out;     /* an attribute that an image can't hold */
	bool encoded_only; /* LIBARCHIVE.xattr, which comes beside SCHILY.xattr */
	size_t xattrs_len; /* in tar.xattrs */
	bool is_sparse;
	bool has_sparse_name; /* path is that one */
	bool map_in_data;
	uint64_t sparse_begin; /* of the part whose length follows */
	uint64_t size;
	uint64_t uid;
	uint64_t gid;
	int64_t mtime_ns;
	char path[NAME_MAX_BYTES];
	char link[NAME_MAX_BYTES];
};

struct tar {
	cowsh_image_builder *builder;
	struct store *store;
	int64_t (*read)(void *user, void *into, size_t len);
	void *user;
	uint64_t left; /* bytes of the member that were not read */
	const char *why;
	uint8_t block[BLOCK];
	struct extended next;
	struct sparse sparse; /* of the next member */
	char path[NAME_MAX_BYTES];
	char link[NAME_MAX_BYTES];
	char *text; /* of an extended header: EXTENDED_MAX */
	/* Attributes of the next member: each its name with a NUL, its length in two bytes, value.
	 */
	char xattrs[VFS_XATTRS_MAX];
};

static int fail(struct tar *t, const char *why)
{
	t->why = why;
	return -E_INVAL;
}

/* So many bytes, or fewer at the end of the archive. */
static int64_t take(struct tar *t, void *into, size_t len)
{
	size_t done = 0;

	while (done < len) {
		int64_t n = t->read(t->user, (char *)into + done, len - done);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

static int skip(struct tar *t, uint64_t len)
{
	while (len != 0) {
		uint8_t waste[BLOCK];
		size_t part = len < sizeof waste ? (size_t)len : sizeof waste;
		int64_t n = take(t, waste, part);

		if (n < 0)
			return (int)n;
		if ((size_t)n < part)
			return fail(t, "the archive is cut off");
		len -= part;
	}
	return 0;
}

/* --- headers --- */

/* Octal, or base 256 if the highest bit is set. */
static uint64_t number(const uint8_t *at, size_t n)
{
	uint64_t value = 0;

	if ((at[0] & 0x80) != 0) {
		for (size_t i = 1; i < n; i++)
			value = value << 8 | at[i];
		return at[0] == 0xff ? 0 : value;
	}
	for (size_t i = 0; i < n && at[i] != 0; i++)
		if (at[i] >= '0' && at[i] <= '7')
			value = value << 3 | (uint64_t)(at[i] - '0');
	return value;
}

static bool checksum_fits(const uint8_t *block)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : block[i];
	return sum == number(block + 148, 8);
}

static bool is_empty(const uint8_t *block)
{
	for (size_t i = 0; i < BLOCK; i++)
		if (block[i] != 0)
			return false;
	return true;
}

/* The text of a field: up to its end or a NUL. */
static size_t field_len(const uint8_t *at, size_t n)
{
	const uint8_t *end = memchr(at, '\0', n);

	return end != NULL ? (size_t)(end - at) : n;
}

static void header_path(const struct tar *t, char *out)
{
	const uint8_t *b = t->block;
	size_t prefix = memcmp(b + 257, "ustar\0", 6) == 0 ? field_len(b + 345, 155) : 0;
	size_t name = field_len(b, 100);

	memcpy(out, b + 345, prefix);
	if (prefix != 0)
		out[prefix++] = '/';
	memcpy(out + prefix, b, name);
	out[prefix + name] = '\0';
}

/* --- extended headers --- */

/* The member's data as text, with a NUL behind. */
static int take_text(struct tar *t, uint64_t size)
{
	int64_t n;

	if (size >= EXTENDED_MAX)
		return fail(t, "an extended header is too long");
	n = take(t, t->text, (size_t)size);
	if (n < 0)
		return (int)n;
	if ((uint64_t)n < size)
		return fail(t, "the archive is cut off");
	t->text[size] = '\0';
	return skip(t, (BLOCK - size % BLOCK) % BLOCK);
}

static int set_name(struct tar *t, char out[NAME_MAX_BYTES], const char *text, size_t len)
{
	if (len >= NAME_MAX_BYTES || memchr(text, '\0', len) != NULL)
		return fail(t, "a name is too long, or has a NUL in it");
	memcpy(out, text, len);
	out[len] = '\0';
	return 0;
}

static uint64_t decimal(const char *text, size_t len, size_t *used)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < len && text[i] >= '0' && text[i] <= '9' && value < UINT64_MAX / 10 - 1; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	*used = i;
	return value;
}

/* "1767225600.123456789", perhaps negative. */
static int64_t time_of(const char *text, size_t len)
{
	bool negative = len != 0 && text[0] == '-';
	size_t used;
	uint64_t s = decimal(text + negative, len - negative, &used);
	size_t at = used + negative;
	bool fraction = at < len && text[at] == '.';
	uint64_t ns = 0;
	int64_t time;

	for (int digits = 0; digits < 9; digits++) {
		fraction = fraction && ++at < len && text[at] >= '0' && text[at] <= '9';
		ns = ns * 10 + (fraction ? (uint64_t)(text[at] - '0') : 0);
	}
	if (s > INT64_MAX / 1000000000 - 1)
		s = INT64_MAX / 1000000000 - 1;
	time = (int64_t)(s * 1000000000 + ns);
	return negative ? -time : time;
}

static int add_part(struct tar *t, uint64_t begin, uint64_t len)
{
	int err = sparse_add(&t->sparse, begin, len);

	return err == -E_INVAL  ? fail(t, "damaged: a sparse member's map")
	       : err == -E_FBIG ? fail(t, "a sparse member has too many parts")
				: err;
}

/* "0,512,1048576,512": GNU.sparse.map of version 0.1. */
static int map_of_text(struct tar *t, struct bytes text)
{
	uint64_t number[2];
	size_t at = 0;
	int err = 0;

	while (err == 0 && at < text.len) {
		for (int i = 0; i < 2; i++) {
			size_t used;

			number[i] = decimal(text.ptr + at, text.len - at, &used);
			at += used;
			if (used == 0 || (at < text.len && text.ptr[at] != ',') ||
			    (i == 0 && at == text.len))
				return fail(t, "damaged: a sparse member's map");
			at += at < text.len;
		}
		err = add_part(t, number[0], number[1]);
	}
	return err;
}

static int sparse_record(struct tar *t, struct bytes key, struct bytes value)
{
	struct extended *n = &t->next;
	size_t used;
	uint64_t number = decimal(value.ptr, value.len, &used);

	n->is_sparse = true;
	if (bytes_eq(key, BYTES("GNU.sparse.map")))
		return map_of_text(t, value);
	if (bytes_eq(key, BYTES("GNU.sparse.name"))) {
		n->has_path = n->has_sparse_name = true;
		return set_name(t, n->path, value.ptr, value.len);
	}
	if (used != value.len)
		return fail(t, "a bad extended header");
	if (bytes_eq(key, BYTES("GNU.sparse.major"))) {
		n->map_in_data = number == 1;
		return number > 1 ? fail(t, "a sparse member of a new kind") : 0;
	}
	if (bytes_eq(key, BYTES("GNU.sparse.size")) || bytes_eq(key, BYTES("GNU.sparse.realsize")))
		t->sparse.size = number;
	else if (bytes_eq(key, BYTES("GNU.sparse.offset")))
		n->sparse_begin = number;
	else if (bytes_eq(key, BYTES("GNU.sparse.numbytes")))
		return add_part(t, n->sparse_begin, number);
	return 0;
}

static void keep_xattr(struct tar *t, struct bytes name, struct bytes value)
{
	struct extended *n = &t->next;
	char *to = t->xattrs + n->xattrs_len;
	size_t at = 0;

	if (name.len + value.len + 3 > sizeof t->xattrs - n->xattrs_len) {
		n->left_out = true;
		return;
	}
	/* GNU tar writes "=" and "%" of names so. */
	for (size_t i = 0; i < name.len; i++) {
		struct bytes rest = bytes_slice(name, i, name.len);
		bool equals = bytes_starts(rest, BYTES("%3D"));

		if (equals || bytes_starts(rest, BYTES("%25")))
			i += 2;
		to[at++] = equals ? '=' : rest.ptr[0];
	}
	to[at++] = '\0';
	to[at++] = (char)(value.len & 0xff);
	to[at++] = (char)(value.len >> 8);
	memcpy(to + at, value.ptr, value.len);
	n->xattrs_len += at + value.len;
}

static void attribute_record(struct tar *t, struct bytes key, struct bytes value)
{
	static const struct bytes prefix = { "SCHILY.xattr.", 13 };

	if (bytes_starts(key, prefix))
		keep_xattr(t, bytes_slice(key, prefix.len, key.len), value);
	else if (bytes_starts(key, BYTES("LIBARCHIVE.xattr.")))
		t->next.encoded_only = true;
	else if (bytes_starts(key, BYTES("SCHILY.acl.")) ||
		 bytes_eq(key, BYTES("RHT.security.selinux")))
		t->next.left_out = true;
}

/* What could be kept is; what not, is counted once. */
static int add_xattrs(struct tar *t, const char *path)
{
	struct extended *n = &t->next;
	bool left_out = n->left_out || (n->encoded_only && n->xattrs_len == 0);

	for (size_t at = 0; at < n->xattrs_len;) {
		const char *name = t->xattrs + at;
		const uint8_t *len;
		size_t size;
		int err;

		at += strlen(name) + 1;
		len = (const uint8_t *)t->xattrs + at;
		size = len[0] | (size_t)len[1] << 8;
		at += 2;
		err = cowsh_image_add_xattr(t->builder, path, name, t->xattrs + at, size);
		if (err == -E_NOMEM)
			return err;
		left_out = left_out || err != 0;
		at += size;
	}
	if (left_out)
		builder_leave_out(t->builder);
	return 0;
}

static int pax_record(struct tar *t, struct bytes key, struct bytes value)
{
	struct extended *n = &t->next;
	size_t used;

	if (bytes_eq(key, BYTES("path"))) {
		if (n->has_sparse_name)
			return 0;
		n->has_path = true;
		return set_name(t, n->path, value.ptr, value.len);
	}
	if (bytes_eq(key, BYTES("linkpath"))) {
		n->has_link = true;
		return set_name(t, n->link, value.ptr, value.len);
	}
	if (bytes_starts(key, BYTES("GNU.sparse.")))
		return sparse_record(t, key, value);
	attribute_record(t, key, value);
	if (bytes_eq(key, BYTES("size"))) {
		n->size = decimal(value.ptr, value.len, &used);
	} else if (bytes_eq(key, BYTES("mtime"))) {
		n->has_mtime = true;
		n->mtime_ns = time_of(value.ptr, value.len);
	} else if (bytes_eq(key, BYTES("uid"))) {
		n->has_uid = true;
		n->uid = decimal(value.ptr, value.len, &used);
	} else if (bytes_eq(key, BYTES("gid"))) {
		n->has_gid = true;
		n->gid = decimal(value.ptr, value.len, &used);
	}
	return 0;
}

/* Records "27 path=a/long/name\n". */
static int pax_records(struct tar *t, size_t size)
{
	size_t at = 0;
	int err = 0;

	while (err == 0 && at < size && t->text[at] != '\0') {
		size_t used;
		uint64_t len = decimal(t->text + at, size - at, &used);
		const char *equals;
		struct bytes key;

		if (len > size - at || len < used + 3 || t->text[at + used] != ' ' ||
		    t->text[at + len - 1] != '\n')
			return fail(t, "a bad extended header");
		key.ptr = t->text + at + used + 1;
		equals = memchr(key.ptr, '=', (size_t)len - used - 1);
		if (equals == NULL)
			return fail(t, "a bad extended header");
		key.len = (size_t)(equals - key.ptr);
		/* Names of attributes are kept with a NUL behind. */
		if (memchr(key.ptr, '\0', key.len) != NULL)
			return fail(t, "a bad extended header");
		err = pax_record(t, key,
				 (struct bytes){ equals + 1,
						 (size_t)(t->text + at + len - 1 - (equals + 1)) });
		at += (size_t)len;
	}
	return err;
}

/* --- members --- */

static int64_t read_member(void *user, void *into, size_t len)
{
	struct tar *t = user;
	int64_t n;

	if (len > t->left)
		len = (size_t)t->left;
	if (len == 0)
		return 0;
	n = take(t, into, len);
	if (n >= 0 && (size_t)n < len)
		return fail(t, "the archive is cut off");
	if (n > 0)
		t->left -= (uint64_t)n;
	return n;
}

/* --- sparse members --- */

static int64_t read_sparse(void *user, void *into, size_t len)
{
	struct tar *t = user;

	return sparse_read(&t->sparse, read_member, t, into, len);
}

static uint64_t skip_sparse(void *user, uint64_t unit)
{
	struct tar *t = user;

	return sparse_skip(&t->sparse, unit);
}

/* Parts in a header: up to n of them. */
static int map_of_block(struct tar *t, const uint8_t *at, int n)
{
	int err = 0;

	for (int i = 0; err == 0 && i < n && at[0] != 0; i++, at += 24)
		err = add_part(t, number(at, 12), number(at + 12, 12));
	return err;
}

/* Type S: the header has four parts, blocks behind it 21 each. */
static int old_map(struct tar *t)
{
	uint8_t block[BLOCK];
	bool more = t->block[482] != 0;
	int err = map_of_block(t, t->block + 386, 4);

	t->sparse.size = number(t->block + 483, 12);
	while (err == 0 && more) {
		int64_t n = take(t, block, BLOCK);

		if (n < 0)
			return (int)n;
		if (n < BLOCK)
			return fail(t, "the archive is cut off");
		err = map_of_block(t, block, 21);
		more = block[504] != 0;
	}
	return err;
}

/* The next of the lines with a number each in front of the data. */
static int next_line(struct tar *t, uint8_t block[BLOCK], size_t *at, uint64_t *out)
{
	int digits = 0;

	*out = 0;
	for (;; digits++) {
		uint8_t c;

		if (*at == BLOCK) {
			int64_t n = t->left < BLOCK ? 0 : read_member(t, block, BLOCK);

			if (n < BLOCK)
				return n < 0 ? (int)n : fail(t, "damaged: a sparse member's map");
			*at = 0;
		}
		c = block[(*at)++];
		if (c == '\n' && digits != 0)
			return 0;
		if (c < '0' || c > '9' || *out > INT64_MAX / 10 - 1)
			return fail(t, "damaged: a sparse member's map");
		*out = *out * 10 + (uint64_t)(c - '0');
	}
}

/* Version 1.0: how many parts, then each. What is left of the last block is not used. */
static int map_in_data(struct tar *t)
{
	uint8_t block[BLOCK];
	size_t at = BLOCK;
	uint64_t count, begin, len;
	int err = next_line(t, block, &at, &count);

	for (; err == 0 && count != 0; count--) {
		err = next_line(t, block, &at, &begin);
		if (err == 0)
			err = next_line(t, block, &at, &len);
		if (err == 0)
			err = add_part(t, begin, len);
	}
	return err;
}

/* The object's content is what the map makes of the member's data. */
static int begin_sparse(struct tar *t, struct cowsh_image_object *o)
{
	int err = t->next.map_in_data ? map_in_data(t) : 0;

	if (err != 0)
		return err;
	if (t->sparse.size > INT64_MAX / 2 || !sparse_fits(&t->sparse, t->left))
		return fail(t, "damaged: a sparse member's map");
	o->length = t->sparse.size;
	o->read = read_sparse;
	o->skip = skip_sparse;
	return 0;
}

/* --- adding --- */

/* A name as it is in the image, in place. */
static int clean_name(struct tar *t, char *name)
{
	char *from = name;
	char *to = name;

	while (*from != '\0') {
		size_t len = strcspn(from, "/");

		if (len == 2 && from[0] == '.' && from[1] == '.')
			return fail(t, "a member's name has '..' in it");
		if (len != 0 && (len != 1 || from[0] != '.')) {
			if (to != name)
				*to++ = '/';
			memmove(to, from, len);
			to += len;
		}
		from += len;
		from += *from == '/';
	}
	*to = '\0';
	return 0;
}

static unsigned type_of(char type)
{
	switch (type) {
	case '0':
	case '\0':
	case '7':
	case 'S':
	case '1': return S_REG;
	case '2': return S_LNK;
	case '3': return S_CHR;
	case '4': return S_BLK;
	case '5': return S_DIR;
	case '6': return S_FIFO;
	default: return 0;
	}
}

/* Linux's number of a device. */
static uint64_t device_of(const uint8_t *block)
{
	uint64_t major = number(block + 329, 8);
	uint64_t minor = number(block + 337, 8);

	return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~(uint64_t)0xff) << 12 |
	       (major & ~(uint64_t)0xfff) << 32;
}

static int add_member(struct tar *t, uint64_t size)
{
	struct cowsh_image_object o = COWSH_IMAGE_OBJECT_INIT;
	const uint8_t *b = t->block;
	const struct extended *x = &t->next;
	char type = (char)b[156];
	size_t len;
	int err = 0;

	header_path(t, t->path);
	if (x->has_path)
		memcpy(t->path, x->path, sizeof t->path);
	len = field_len(b + 157, 100);
	memcpy(t->link, b + 157, len);
	t->link[len] = '\0';
	if (x->has_link)
		memcpy(t->link, x->link, sizeof t->link);
	o.mode = type_of(type) | ((unsigned)number(b + 100, 8) & 07777);
	/* Old archives mark directories by a slash. */
	len = strlen(t->path);
	if ((type == '0' || type == '\0') && len != 0 && t->path[len - 1] == '/')
		o.mode = (o.mode & 07777) | S_DIR;
	if (type_of(type) == 0)
		return fail(t, "a member of a kind that is not supported");
	err = clean_name(t, t->path);
	if (err == 0 && type == '1')
		err = clean_name(t, t->link);
	if (err != 0)
		return err;
	o.path = t->path;
	o.uid = (unsigned)(x->has_uid ? x->uid : number(b + 108, 8));
	o.gid = (unsigned)(x->has_gid ? x->gid : number(b + 116, 8));
	o.mtime_ns = x->has_mtime ? x->mtime_ns
				  : (int64_t)(number(b + 136, 12) & 0x1ffffffff) * 1000000000;
	o.rdev = device_of(b);
	o.target = t->link;
	o.link = type == '1' ? t->link : NULL;
	o.length = size;
	o.read = read_member;
	o.user = t;
	t->left = size;
	if (x->is_sparse && (o.mode & S_FMT) == S_REG && type != '1')
		err = begin_sparse(t, &o);
	if (err == 0)
		err = cowsh_image_add(t->builder, &o);
	if (err == 0 && o.link == NULL)
		err = add_xattrs(t, o.path);
	if (err != 0)
		return err;
	return skip(t, t->left + (BLOCK - size % BLOCK) % BLOCK);
}

static int one_member(struct tar *t)
{
	char type = (char)t->block[156];
	uint64_t size = t->next.size != UINT64_MAX ? t->next.size : number(t->block + 124, 12);
	int err;

	if (size > INT64_MAX / 2)
		return fail(t, "a member's size is impossible");
	switch (type) {
	case 'x': err = take_text(t, size); return err != 0 ? err : pax_records(t, (size_t)size);
	case 'g': return skip(t, (size + BLOCK - 1) / BLOCK * BLOCK);
	case 'L':
		err = take_text(t, size);
		t->next.has_path = true;
		return err != 0 ? err : set_name(t, t->next.path, t->text, strlen(t->text));
	case 'K':
		err = take_text(t, size);
		t->next.has_link = true;
		return err != 0 ? err : set_name(t, t->next.link, t->text, strlen(t->text));
	case 'V': return skip(t, (size + BLOCK - 1) / BLOCK * BLOCK);
	default:
		t->next.is_sparse = t->next.is_sparse || type == 'S';
		err = type == 'S' ? old_map(t) : 0;
		if (type != '0' && type != '\0' && type != '7' && type != 'S')
			size = 0;
		if (err == 0)
			err = add_member(t, size);
		t->next = (struct extended){ .size = UINT64_MAX };
		sparse_clear(&t->sparse);
		return err;
	}
}

static int all_members(struct tar *t)
{
	int empty = 0;
	bool any = false;

	for (;;) {
		int64_t n = take(t, t->block, BLOCK);
		int err;

		if (n < 0)
			return (int)n;
		if (n == 0 && any)
			return 0;
		if (n < BLOCK)
			return fail(t, any ? "the archive is cut off" : "not a tar archive");
		if (is_empty(t->block)) {
			if (++empty == 2)
				return 0;
			any = true;
			continue;
		}
		empty = 0;
		if (!checksum_fits(t->block))
			return fail(t, any ? "damaged: the checksum of a header is wrong"
					   : "not a tar archive");
		any = true;
		err = one_member(t);
		if (err != 0)
			return err;
	}
}

int cowsh_image_add_tar(cowsh_image_builder *b, int64_t (*read)(void *, void *, size_t), void *user,
			const char **why)
{
	struct store *store = builder_store(b);
	struct tar *t = store != NULL ? store_alloc(store, sizeof *t) : NULL;
	int err = -E_NOMEM;

	if (b == NULL || read == NULL)
		return -E_INVAL;
	if (t == NULL)
		return -E_NOMEM;
	memset(t, 0, sizeof *t);
	t->builder = b;
	t->store = store;
	t->read = read;
	t->user = user;
	t->sparse.store = store;
	t->next.size = UINT64_MAX;
	t->text = store_alloc(store, EXTENDED_MAX);
	if (t->text != NULL)
		err = all_members(t);
	if (why != NULL)
		*why = t->why != NULL ? t->why : err_text(err);
	sparse_clear(&t->sparse);
	store_free(store, t->text, EXTENDED_MAX);
	store_free(store, t, sizeof *t);
	return err;
}
