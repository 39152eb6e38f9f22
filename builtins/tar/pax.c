/* SPDX-License-Identifier: MIT
 *
 * Extended headers of POSIX: records "LENGTH KEY=VALUE\n" ahead of a member (x) or for all that
 * follow (g).
 */
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

/* "%d/PaxHeaders/%f" with the directory and last part of the name. */
static void header_name(struct tar *t, struct buf *out, const char *name)
{
	const char *format = t->exthdr_name != NULL ? t->exthdr_name : "%d/PaxHeaders/%f";
	struct bytes path = bytes_of(name);

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	const char *slash = bytes_rfind(path, BYTES("/"));
	struct bytes dir = slash != NULL ? bytes_slice(path, 0, (size_t)(slash - path.ptr))
					 : BYTES(".");
	struct bytes base = slash != NULL ? bytes_slice(path, dir.len + 1, path.len) : path;

	for (const char *at = format; *at != '\0'; at++) {
		if (*at != '%') {
			buf_putc(out, *at);
			continue;
		}
		at++;
		if (*at == 'd')
			buf_add(out, dir);
		else if (*at == 'f')
			buf_add(out, base);
		else if (*at == 'p')
			buf_put_i64(out, cmd_pid(t->c));
		else if (*at == 'n')
			buf_puts(out, "1");
		else if (*at == '%')
			buf_putc(out, '%');
		if (*at == '\0')
			break;
	}
}

void pax_write(struct tar *t, const struct tar_member *m, struct bytes records)
{
	struct buf name = buf_in(t->c->arena);
	struct tar_member x = { .type = 'x', .mode = 0644, .size = records.len };
	enum tar_format format = t->format;

	header_name(t, &name, m->name);
	if (name.len > 100)
		name.ptr[100] = '\0';
	x.name = buf_cstr(&name);
	name.len = strlen(x.name);
	x.mtime_s = m->mtime_s < 0 ? 0 : m->mtime_s;
	/* As a plain ustar member: it must not ask for an extended header itself. */
	t->format = TAR_USTAR;
	header_write(t, &x, 0, 0);
	t->format = format;
	archive_write(t, records.ptr, records.len);
	archive_pad(t, records.len);
}

int tar_pax_option(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;

	(void)o;
	t->has_pax_option = true;
	while (*arg != '\0') {
		struct bytes word = { arg, strcspn(arg, ",") };
		char *text = arena_dup(c->arena, word);

		if (strncmp(text, "exthdr.name=", 12) == 0 ||
		    strncmp(text, "exthdr.name:=", 13) == 0)
			t->exthdr_name = strchr(text, '=') + 1;
		else if (strcmp(text, "delete=atime") == 0 || strcmp(text, "delete:=atime") == 0)
			t->delete_atime = true;
		else if (strcmp(text, "delete=ctime") == 0 || strcmp(text, "delete:=ctime") == 0)
			t->delete_ctime = true;
		else if (strcmp(text, "delete=mtime") == 0 || strcmp(text, "delete:=mtime") == 0)
			t->delete_mtime = true;
		else
			return TAR_USAGE(c, "--pax-option=%s is not supported", text);
		arg += word.len + (arg[word.len] == ',');
	}
	return 0;
}

/* --- reading --- */

static bool decimal(const char *text, uint64_t *out)
{
	return num_plain(text, out);
}

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
	bool number = decimal(value, &n);

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
		v->has_size = decimal(value, &v->size);
	else if (strcmp(key, "uid") == 0)
		v->has_uid = decimal(value, &v->uid);
	else if (strcmp(key, "gid") == 0)
		v->has_gid = decimal(value, &v->gid);
	else if (strcmp(key, "mtime") == 0)
		v->has_mtime = read_time(value, &v->mtime_s, &v->mtime_ns);
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
	else
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
