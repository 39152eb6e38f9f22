/* SPDX-License-Identifier: MIT
 *
 * Extended headers of POSIX: records "LENGTH KEY=VALUE\n" ahead of a member (x) or for all that
 * follow (g).
 */
#include "base/glob.h"
#include "builtins/tar/tar.h"

/* --- writing --- */

void pax_record(struct buf *out, const char *key, struct bytes value)
{
	size_t rest = strlen(key) + value.len + 3;
	size_t digits = 1;
	char text[20];

	/* The length counts its own digits. */
	while (num_format_u64(rest + digits, text) > digits)
		digits++;
	buf_put_u64(out, rest + digits);
	buf_printf(out, " %s=", key);
	buf_add(out, value);
	buf_putc(out, '\n');
}

/* %d and %f are the directory and last part of the name (NULL: of a global header), %n is how many
 * global headers there are. */
static char *header_name(struct tar *t, const char *format, const char *name)
{
	struct buf out = buf_in(t->c->arena);
	struct bytes path = bytes_of(name != NULL ? name : "");
	struct bytes dir = BYTES(".");
	struct bytes base;

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	const char *slash = bytes_rfind(path, BYTES("/"));

	if (slash != NULL)
		dir = bytes_slice(path, 0, (size_t)(slash - path.ptr));
	base = slash != NULL ? bytes_slice(path, dir.len + 1, path.len) : path;
	for (const char *at = format; *at != '\0'; at++) {
		if (*at != '%' || at[1] == '\0') {
			buf_putc(&out, *at);
			continue;
		}
		switch (*++at) {
		case 'd':
			if (name != NULL)
				buf_add(&out, dir);
			break;
		case 'f': buf_add(&out, base); break;
		case 'p': buf_put_i64(&out, cmd_pid(t->c)); break;
		case 'n': buf_putc(&out, name != NULL ? '0' : '1'); break;
		case '%': buf_putc(&out, '%'); break;
		default: buf_putc(&out, '%'); buf_putc(&out, *at);
		}
	}
	while (out.len > 1 && out.ptr[out.len - 1] == '/')
		out.len--;
	if (out.len > NAME_BYTES)
		out.len = NAME_BYTES;
	return buf_cstr(&out);
}

/* The time that an option gives a header; otherwise `seconds`. */
static int64_t header_time(struct tar *t, const char *text, int64_t seconds)
{
	uint64_t n;

	if (text == NULL)
		return seconds < 0 ? 0 : seconds;
	if (num_plain(text, &n) && n <= INT64_MAX)
		return (int64_t)n;
	tar_error(t, 0, "Time stamp is out of allowed range");
	return seconds < 0 ? 0 : seconds;
}

/* A header with records: x as it is but for its size, of a plain ustar member: it must not ask for
 * an extended header itself. */
static void put_records(struct tar *t, struct tar_member *x, struct bytes records)
{
	enum tar_format format = t->format;

	x->size = records.len;
	t->format = TAR_USTAR;
	header_write(t, x, 0, 0);
	t->format = format;
	archive_write(t, records.ptr, records.len);
	archive_pad(t, records.len);
}

/* What options give every header, in place of what would be there. */
static void put_forced(struct tar *t, struct buf *records)
{
	for (const struct tar_keyword *k = t->pax_forced; k != NULL; k = k->next) {
		pax_record(records, k->key, bytes_of(k->value));
		cmd_charge(t->c, 1);
	}
}

void pax_write(struct tar *t, const struct tar_member *m, struct buf *records)
{
	struct tar_member x = { .type = 'x', .mode = 0644 };
	const char *format = t->exthdr_name != NULL ? t->exthdr_name : "%d/PaxHeaders/%f";

	put_forced(t, records);
	x.name = header_name(t, format, m->name);
	x.mtime_s = header_time(t, t->exthdr_mtime, m->mtime_s);
	put_records(t, &x, buf_bytes(records));
}

void pax_write_global(struct tar *t)
{
	struct tar_member x = { .type = 'g', .mode = 0644 };
	struct buf records = buf_in(t->c->arena);
	struct buf format = buf_in(t->c->arena);
	const char *dir = cmd_getenv(t->c, "TMPDIR");

	if (t->label != NULL && t->format == TAR_PAX)
		pax_record(&records, "GNU.volume.label", bytes_of(t->label));
	for (const struct tar_keyword *k = t->pax_global; k != NULL; k = k->next)
		pax_record(&records, k->key, bytes_of(k->value));
	if (records.len == 0)
		return;
	put_forced(t, &records);
	buf_printf(&format, "%s/GlobalHead.%%n", dir != NULL ? dir : "/tmp");
	x.name = header_name(t, t->globexthdr_name != NULL ? t->globexthdr_name : buf_cstr(&format),
			     NULL);
	x.mtime_s = header_time(t, t->globexthdr_mtime, cmd_now(t->c) / 1000000000);
	put_records(t, &x, buf_bytes(&records));
}

static bool is_deleted(const struct tar *t, const char *key)
{
	for (const struct tar_keyword *k = t->pax_deleted; k != NULL; k = k->next) {
		if (glob_match(k->glob, t->c->arena, bytes_of(key)))
			return true;
		cmd_charge(t->c, 1);
	}
	return false;
}

void pax_put(struct tar *t, struct buf *records, const char *key, struct bytes value)
{
	if (is_deleted(t, key))
		return;
	for (const struct tar_keyword *k = t->pax_forced; k != NULL; k = k->next) {
		if (strcmp(k->key, key) == 0) {
			t->pax_wanted = true;
			return;
		}
		cmd_charge(t->c, 1);
	}
	pax_record(records, key, value);
}

/* --- reading --- */

static bool read_time(const char *text, int64_t *seconds, uint32_t *ns)
{
	bool negative = *text == '-';
	uint64_t v = 0;
	uint32_t fraction = 0;
	uint32_t unit = 100000000;

	text += negative;
	if (!byte_is_digit(*text))
		return false;
	for (; byte_is_digit(*text); text++) {
		if (v > (uint64_t)INT64_MAX / 16)
			return false;
		v = v * 10 + (uint64_t)(*text - '0');
	}
	if (*text == '.')
		for (text++; byte_is_digit(*text); text++, unit /= 10)
			fraction += (uint32_t)(*text - '0') * unit;
	*seconds = negative ? -(int64_t)v : (int64_t)v;
	*ns = fraction;
	if (negative && fraction != 0) {
		--*seconds;
		*ns = 1000000000 - fraction;
	}
	return *text == '\0';
}

static void add_sparse(struct tar *t, struct pax_values *v, uint64_t offset)
{
	if (v->nmap == v->cap) {
		size_t cap = v->cap * 2 + 16;

		v->map = arena_grow(t->c->arena, v->map, v->cap * sizeof *v->map,
				    cap * sizeof *v->map);
		v->cap = cap;
	}
	v->map[v->nmap++] = (struct tar_sparse){ offset, 0 };
	v->has_map = true;
}

/* GNU.sparse.map: "offset,size,offset,size". */
static void read_map(struct tar *t, struct pax_values *v, const char *text)
{
	uint64_t pair[2] = { 0, 0 };

	for (int i = 0; *text != '\0' && v->nmap < TAR_SPARSE_MAX; i ^= 1) {
		pair[i] = 0;
		for (; byte_is_digit(*text); text++)
			pair[i] = pair[i] * 10 + (uint64_t)(*text - '0');
		if (i == 1) {
			add_sparse(t, v, pair[0]);
			v->map[v->nmap - 1].size = pair[1];
		}
		if (*text != ',')
			return;
		text++;
		cmd_charge(t->c, 1);
	}
}

static void sparse_value(struct tar *t, struct pax_values *v, const char *key, const char *value)
{
	uint64_t n = 0;
	bool number = num_plain(value, &n);

	if (strcmp(key, "name") == 0)
		v->sparse_name = value;
	else if (strcmp(key, "map") == 0)
		read_map(t, v, value);
	else if (strcmp(key, "major") == 0 && number)
		v->sparse_major = n > 100 ? 100 : (int)n;
	else if (strcmp(key, "minor") == 0 && number)
		v->sparse_minor = n > 100 ? 100 : (int)n;
	else if ((strcmp(key, "realsize") == 0 || strcmp(key, "size") == 0) && number) {
		v->real = n;
		v->has_real = true;
	} else if (strcmp(key, "offset") == 0 && number && v->nmap < TAR_SPARSE_MAX) {
		add_sparse(t, v, n);
	} else if (strcmp(key, "numbytes") == 0 && number && v->nmap > 0) {
		v->map[v->nmap - 1].size = n;
	}
}

/* A number or a time that can't be read. */
static bool checked(struct tar *t, bool good, const char *key, const char *value)
{
	if (!good)
		tar_error(t, 0, "Malformed extended header: invalid %s=%s", key, value);
	return good;
}

static void one_value(struct tar *t, struct pax_values *v, const char *key, const char *value)
{
	if (strcmp(key, "path") == 0)
		v->path = value;
	else if (strcmp(key, "linkpath") == 0)
		v->linkpath = value;
	else if (strcmp(key, "uname") == 0)
		v->uname = value;
	else if (strcmp(key, "gname") == 0)
		v->gname = value;
	else if (strcmp(key, "size") == 0)
		v->has_size = checked(t, num_plain(value, &v->size), key, value);
	else if (strcmp(key, "uid") == 0)
		v->has_uid = checked(t, num_plain(value, &v->uid), key, value);
	else if (strcmp(key, "gid") == 0)
		v->has_gid = checked(t, num_plain(value, &v->gid), key, value);
	else if (strcmp(key, "mtime") == 0)
		v->has_mtime = checked(t, read_time(value, &v->mtime_s, &v->mtime_ns), key, value);
	else if (strcmp(key, "GNU.volume.label") == 0)
		v->label = value;
	else if (strncmp(key, "GNU.sparse.", 11) == 0)
		sparse_value(t, v, key + 11, value);
	else if (strcmp(key, "atime") != 0 && strcmp(key, "ctime") != 0 &&
		 strcmp(key, "comment") != 0 && strchr(key, '.') == NULL)
		tar_note(t, NOTE_KEYWORD, "Ignoring unknown extended header keyword '%s'", key);
}

/* One record; how many bytes it has, 0: it is malformed. */
static size_t read_record(struct tar *t, struct bytes text, struct pax_values *v)
{
	size_t len = 0;
	size_t i = 0;

	for (; i < text.len && byte_is_digit(text.ptr[i]) && len < TAR_EXTENDED_MAX; i++)
		len = len * 10 + (size_t)(text.ptr[i] - '0');
	if (i == 0) {
		tar_error(t, 0, "Malformed extended header: missing length");
		return 0;
	}
	if (len > text.len || len <= i) {
		tar_error(t, 0, "Extended header length %llu is out of range",
			  (unsigned long long)len);
		return 0;
	}
	while (i < len && byte_is_blank(text.ptr[i]))
		i++;
	const char *equals = memchr(text.ptr + i, '=', len - i);

	if (equals == NULL) {
		tar_error(t, 0, "Malformed extended header: missing equal sign");
		return 0;
	}
	if (text.ptr[len - 1] != '\n') {
		tar_error(t, 0, "Malformed extended header: missing newline");
		return 0;
	}
	size_t at = (size_t)(equals - text.ptr);
	char *key = arena_dup(t->c->arena, bytes_slice(text, i, at));
	char *value = at + 1 < len ? arena_dup(t->c->arena, bytes_slice(text, at + 1, len - 1))
				   : arena_dup(t->c->arena, BYTES(""));

	if (strcmp(key, "GNU.dumpdir") == 0)
		v->list = (struct bytes){ value, len - 2 - at };
	else if (!is_deleted(t, key) &&
		 !xattr_read(t, v, key, (struct bytes){ value, len - 2 - at }))
		one_value(t, v, key, value);
	return len;
}

void pax_read(struct tar *t, struct bytes text, struct pax_values *v)
{
	while (text.len > 0 && text.ptr[0] != '\0') {
		size_t n = read_record(t, text, v);

		if (n == 0)
			return;
		text = bytes_slice(text, n, text.len);
		cmd_charge_bytes(t->c, n);
	}
}

/* What options say of every member: before its own headers, or in their place. */
void pax_apply(struct tar *t, const struct tar_keyword *list, struct pax_values *v)
{
	for (const struct tar_keyword *k = list; k != NULL; k = k->next) {
		one_value(t, v, k->key, k->value);
		cmd_charge(t->c, 1);
	}
}
