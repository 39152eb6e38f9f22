/* SPDX-License-Identifier: MIT
 *
 * Checking lists of digests. A line is one of
 *   HEX  NAME, HEX *NAME      as written by default
 *   HEX NAME                  BSD's reversed form: once seen, all lines are read so
 *   ALG (NAME) = HEX          tagged
 * with a backslash in front if the name is escaped.
 */
#include "builtins/digest/sums.h"

struct list {
	const char *name;
	int reversed; /* -1: not known yet */
	uint64_t line;
	uint64_t misformatted;
	uint64_t mismatched;
	uint64_t unreadable;
	int kind;     /* of the last tagged line; -1: none yet */
	bool proper;  /* a line of the right form was there */
	bool matched; /* a file was there and right */
};

struct entry {
	enum digest_kind kind;
	size_t size; /* bytes of the digest */
	struct bytes hex;
	char *name;
	bool tagged;
	bool universal;
};

static bool is_blank_or(char ch, char other)
{
	return ch == ' ' || ch == other;
}

static struct bytes skip_blanks(struct bytes s)
{
	while (s.len > 0 && byte_is_blank(s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	return s;
}

static size_t hex_prefix(struct bytes s)
{
	size_t n = 0;

	while (n < s.len && byte_is_xdigit(s.ptr[n]))
		n++;
	return n;
}

/* A copy of the name, up to a NUL, with \n \r \\ resolved; NULL if something else is escaped. */
static char *unescape(struct cmd *c, struct bytes s, bool escaped)
{
	struct buf out = buf_in(c->arena);

	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (ch == '\0' && escaped)
			return NULL;
		if (ch == '\0')
			break;
		if (escaped && ch == '\\') {
			if (++i == s.len)
				return NULL;
			ch = s.ptr[i] == 'n'    ? '\n'
			     : s.ptr[i] == 'r'  ? '\r'
			     : s.ptr[i] == '\\' ? '\\'
						: '\0';
			if (ch == '\0')
				return NULL;
		}
		buf_putc(&out, ch);
	}
	return buf_cstr(&out);
}

static bool is_sha(int kind)
{
	return kind >= DIGEST_SHA1 && kind <= DIGEST_SHA512_256;
}

/* Whether lists may have the tag: the cut off ones are shasum's alone. */
static bool is_wanted(const struct sums_opts *o, int kind)
{
	bool cut = kind == DIGEST_SHA512_224 || kind == DIGEST_SHA512_256;

	if (o->any_sha)
		return is_sha(kind);
	return o->any_algorithm ? !cut : kind == o->algorithm;
}

/* Which digest a tag names; the rest of the line behind it. False: none that is wanted. */
static bool take_tag(const struct sums_opts *o, struct bytes *s, struct entry *e)
{
	for (int kind = 0; kind < SUMS_TAGS; kind++) {
		struct bytes tag = bytes_of(sums_tag(kind));

		if (!is_wanted(o, kind) || !bytes_starts(*s, tag))
			continue;
		char after = s->len > tag.len ? s->ptr[tag.len] : '\0';

		if (!is_blank_or(after, '(') && !(kind == DIGEST_BLAKE2B && after == '-'))
			continue;
		e->kind = (enum digest_kind)kind;
		e->tagged = true;
		*s = bytes_slice(*s, tag.len, s->len);
		return true;
	}
	return false;
}

/* "-256" behind BLAKE2b. */
static bool take_length(struct bytes *s, struct entry *e)
{
	uint64_t bits = 0;
	size_t n = 1;

	if (e->kind != DIGEST_BLAKE2B || s->len == 0 || s->ptr[0] != '-')
		return true;
	for (; n < s->len && n < 5 && byte_is_digit(s->ptr[n]); n++)
		bits = bits * 10 + (uint64_t)(s->ptr[n] - '0');
	if (bits == 0 || bits > DIGEST_MAX * 8 || bits % 8 != 0)
		return false;
	e->size = (size_t)bits / 8;
	*s = bytes_slice(*s, n, s->len);
	return true;
}

/* What md5sum -z wrote is one long line, of which the first name counts. */
static struct bytes until_nul(struct bytes s)
{
	const char *nul = memchr(s.ptr, '\0', s.len);

	return nul != NULL ? (struct bytes){ s.ptr, (size_t)(nul - s.ptr) } : s;
}

static bool parse_tagged(struct cmd *c, struct bytes s, bool escaped, struct entry *e)
{
	struct digest d;

	digest_init(&d, e->kind, 0);
	e->size = d.size;
	if (!take_length(&s, e))
		return false;
	if (s.len > 0 && s.ptr[0] == ' ')
		s = bytes_slice(s, 1, s.len);
	if (s.len == 0 || s.ptr[0] != '(')
		return false;
	const char *close = bytes_rfind(s, BYTES(")"));

	if (close == NULL)
		return false;
	size_t at = (size_t)(close - s.ptr);

	e->name = unescape(c, bytes_slice(s, 1, at), escaped);
	s = skip_blanks(bytes_slice(s, at + 1, s.len));
	if (e->name == NULL || s.len == 0 || s.ptr[0] != '=')
		return false;
	e->hex = skip_blanks(until_nul(bytes_slice(s, 1, s.len)));
	return hex_prefix(e->hex) == e->hex.len && e->hex.len == e->size * 2;
}

/* The digest of the SHA family that has so many hexadecimal digits; MD5 if none. Those that are cut
 * off only if -a says so. */
static enum digest_kind sha_of_length(const struct sums_opts *o, size_t hex)
{
	struct digest d;
	int kind = DIGEST_SHA512;

	digest_init(&d, (enum digest_kind)o->algorithm, 0);
	if (d.size * 2 == hex)
		return d.kind;
	for (; kind > DIGEST_MD5; kind--) {
		digest_init(&d, (enum digest_kind)kind, 0);
		if (d.size * 2 == hex)
			break;
	}
	return (enum digest_kind)kind;
}

/* The length of an untagged digest says how long it is meant to be (BLAKE2b), or must fit. */
static bool fits(const struct sums_opts *o, size_t hex, struct entry *e)
{
	struct digest d;

	e->kind = o->any_sha ? sha_of_length(o, hex) : (enum digest_kind)o->algorithm;
	if (o->any_sha && e->kind == DIGEST_MD5)
		return false;
	digest_init(&d, e->kind, 0);
	e->size = e->kind == DIGEST_BLAKE2B ? hex / 2 : d.size;
	return hex == e->size * 2 && hex >= 2 && e->size <= d.size;
}

static bool parse_plain(struct cmd *c, const struct sums_opts *o, struct list *l, struct bytes s,
			bool escaped, struct entry *e)
{
	s = until_nul(s);

	size_t hex = hex_prefix(s);

	if (!fits(o, hex, e) || hex >= s.len || !byte_is_blank(s.ptr[hex]))
		return false;
	e->hex = bytes_slice(s, 0, hex);
	s = bytes_slice(s, hex + 1, s.len);
	if (s.len == 0)
		return false;
	e->universal = o->any_sha && s.len > 1 && s.ptr[0] == 'U';
	if (e->universal) {
		s = bytes_slice(s, 1, s.len);
	} else if (s.len == 1 || !is_blank_or(s.ptr[0], '*')) {
		if (l->reversed == 0)
			return false;
		l->reversed = 1;
	} else if (l->reversed != 1) {
		l->reversed = 0;
		s = bytes_slice(s, 1, s.len);
	}
	e->name = unescape(c, s, escaped);
	return e->name != NULL;
}

static bool parse_line(struct cmd *c, const struct sums_opts *o, struct list *l, struct bytes s,
		       struct entry *e)
{
	s = skip_blanks(s);
	bool escaped = s.len > 0 && s.ptr[0] == '\\';

	if (escaped)
		s = bytes_slice(s, 1, s.len);
	if (take_tag(o, &s, e))
		return parse_tagged(c, s, escaped, e);
	return !o->any_algorithm && parse_plain(c, o, l, s, escaped, e);
}

static void put_result(struct cmd *c, const char *name, const char *result)
{
	bool escape = strpbrk(name, "\n\r") != NULL;

	if (escape)
		cmd_putc(c, '\\');
	for (; *name != '\0'; name++) {
		if (escape && (*name == '\n' || *name == '\r' || *name == '\\')) {
			cmd_putc(c, '\\');
			cmd_putc(c, *name == '\n' ? 'n' : *name == '\r' ? 'r' : '\\');
		} else {
			cmd_putc(c, *name);
		}
	}
	cmd_printf(c, ": %s\n", result);
}

static bool same_hex(struct bytes hex, const uint8_t *sum)
{
	for (size_t i = 0; i < hex.len; i++) {
		int nibble = i % 2 == 0 ? sum[i / 2] >> 4 : sum[i / 2] & 15;

		if (byte_digit((unsigned char)hex.ptr[i]) != nibble)
			return false;
	}
	return true;
}

static void check_entry(struct cmd *c, const struct sums_opts *o, struct list *l,
			const struct entry *e)
{
	struct input in;
	struct digest d;
	uint8_t sum[DIGEST_MAX];
	int err = input_open(&in, c, e->name);

	if (err == -E_NOENT && o->ignore_missing)
		return;
	digest_init(&d, e->kind, e->size);
	if (err >= 0) {
		err = e->universal ? sums_digest_universal(&in, &d, sum)
				   : sums_digest(&in, &d, sum);
		input_close(&in);
	}
	if (err < 0) {
		cmd_error(c, err, "%s", cmd_quotef(c, e->name));
		l->unreadable++;
		if (!o->status)
			put_result(c, e->name, "FAILED open or read");
		return;
	}
	bool ok = same_hex(e->hex, sum);

	l->matched |= ok;
	l->mismatched += !ok;
	if (!o->status && (!ok || !o->quiet))
		put_result(c, e->name, ok ? "OK" : "FAILED");
}

static void check_line(struct cmd *c, const struct sums_opts *o, struct list *l, struct bytes line)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct entry e = { .name = NULL };

	l->line++;
	if (line.len > 0 && line.ptr[0] == '#')
		return;
	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (line.len == 0)
		return;
	bool good = parse_line(c, o, l, line, &e);

	if (e.tagged)
		l->kind = (int)e.kind;
	if (good) {
		l->proper = true;
		check_entry(c, o, l, &e);
	} else {
		l->misformatted++;
		if (o->warn)
			cmd_error(c, 0, "%s: %llu: improperly formatted %s checksum line",
				  cmd_quotef(c, l->name), (unsigned long long)l->line,
				  o->any_sha    ? "SHA"
				  : l->kind < 0 ? "CRC"
						: sums_tag(l->kind));
	}
	arena_release(c->arena, mark);
}

static void warn_counts(struct cmd *c, const struct list *l)
{
	if (l->misformatted > 0)
		cmd_error(c, 0,
			  l->misformatted == 1 ? "WARNING: %llu line is improperly formatted"
					       : "WARNING: %llu lines are improperly formatted",
			  (unsigned long long)l->misformatted);
	if (l->unreadable > 0)
		cmd_error(c, 0,
			  l->unreadable == 1 ? "WARNING: %llu listed file could not be read"
					     : "WARNING: %llu listed files could not be read",
			  (unsigned long long)l->unreadable);
	if (l->mismatched > 0)
		cmd_error(c, 0,
			  l->mismatched == 1 ? "WARNING: %llu computed checksum did NOT match"
					     : "WARNING: %llu computed checksums did NOT match",
			  (unsigned long long)l->mismatched);
}

static int check_list(struct cmd *c, const struct sums_opts *o, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct list l = { .name = is_stdin ? "standard input" : path,
			  .reversed = -1,
			  .kind = o->any_algorithm ? -1 : o->algorithm };
	struct input in;
	struct bytes line;
	int err = input_open(&in, c, path);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, path));
	while ((err = input_line(&in, '\n', &line)) > 0)
		check_line(c, o, &l, line);
	input_close(&in);
	if (err < 0)
		return cmd_error(c, 0, "%s: read error", cmd_quotef(c, l.name));
	if (!l.proper)
		return cmd_error(c, 0, "%s: no properly formatted %schecksum lines found",
				 o->any_sha ? l.name : cmd_quotef(c, l.name),
				 o->any_sha ? "SHA " : "");
	if (!o->status)
		warn_counts(c, &l);
	if (!o->status && o->ignore_missing && !l.matched)
		cmd_error(c, 0, "%s: no file was verified", cmd_quotef(c, l.name));
	return (o->ignore_missing && !l.matched) || l.mismatched > 0 || l.unreadable > 0 ||
	       (o->strict && l.misformatted > 0);
}

int sums_check(struct cmd *c, const struct sums_opts *o)
{
	int status = 0;

	for (int i = 0; i < c->nfiles; i++)
		if (check_list(c, o, c->files[i]) != 0)
			status = 1;
	return status;
}
