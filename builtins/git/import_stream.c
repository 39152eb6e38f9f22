/* SPDX-License-Identifier: MIT
 *
 * The stream of fast-import: lines, data, and what lines are made of.
 */
#include "builtins/git/import.h"

void import_die(struct import *im, const char *format, ...)
{
	struct buf b = buf_in(im->g->keep);
	va_list args;

	va_start(args, format);
	buf_vprintf(&b, format, args);
	va_end(args);
	git_say(im->g, "fatal: %s\n", buf_cstr(&b));
	import_crash(im, buf_cstr(&b));
	import_end_pack(im);
	import_write_marks(im);
	git_exit(im->g, GIT_STATUS_FATAL);
}

/* --- lines --- */

static bool read_line(struct import *im)
{
	struct bytes line;
	int got;

	im->line.len = 0;
	got = input_line(&im->in, '\n', &line);
	if (got < 0)
		git_die_errno(im->g, got, "could not read from standard input");
	if (got == 0) {
		im->at_end = true;
		buf_cstr(&im->line);
		return false;
	}
	cmd_charge_bytes(im->g->c, line.len);
	/* What is behind a NUL is not seen, but the line is not empty. */
	buf_add(&im->line, line);
	im->at_end = !im->in.ended;
	buf_cstr(&im->line);
	return true;
}

static void remember(struct import *im)
{
	char **at = &im->recent[im->nrecent++ % IMPORT_RECENT];

	if (*at != NULL)
		pool_free(im->g->c->pool, *at, strlen(*at) + 1);
	*at = pool_dup(im->g->c->pool, bytes_of(im->line.ptr));
}

bool import_next(struct import *im)
{
	/* The line stays what it was. */
	if (im->at_end) {
		im->unread = false;
		return false;
	}
	if (im->unread) {
		im->unread = false;
	} else {
		do {
			if (!read_line(im))
				return false;
		} while (im->line.len != 0 && im->line.ptr[0] == '#');
		remember(im);
	}
	if (!im->seen_data && import_word(im, "feature ") == NULL &&
	    import_word(im, "option ") == NULL)
		import_arguments(im);
	return true;
}

const char *import_word(const struct import *im, const char *word)
{
	return git_starts(im->line.ptr, word) ? im->line.ptr + strlen(word) : NULL;
}

void import_skip_newline(struct import *im)
{
	int ch = input_byte(&im->in);

	if (ch < 0)
		im->at_end = true;
	else if (ch != '\n')
		input_unbyte(&im->in);
}

/* --- data --- */

static struct bytes data_to_word(struct import *im, struct arena *a, const char *word)
{
	struct buf b = buf_in(a);
	struct bytes line;

	for (;;) {
		int got = input_line(&im->in, '\n', &line);

		if (got <= 0)
			import_die(im, "EOF in data (terminator '%s' not found)", word);
		if (bytes_is(line, word))
			break;
		cmd_charge_bytes(im->g->c, line.len);
		buf_add(&b, line);
		buf_putc(&b, '\n');
	}
	return buf_bytes(&b);
}

/* Room grows with what is there: a length may lie. */
static struct bytes data_of_length(struct import *im, struct arena *a, uint64_t n)
{
	struct buf b = buf_in(a);

	if (n < 1 << 16)
		buf_reserve(&b, (size_t)n);
	while (b.len < n) {
		int ch = input_byte(&im->in);
		size_t have;

		if (ch < 0)
			import_die(im, "EOF in data (%llu bytes remaining)",
				   (unsigned long long)(n - b.len));
		buf_putc(&b, (char)ch);
		have = im->in.to - im->in.from;
		if (have > n - b.len)
			have = (size_t)(n - b.len);
		buf_put(&b, im->in.ptr + im->in.from, have);
		im->in.from += have;
		cmd_charge_bytes(im->g->c, have);
	}
	return buf_bytes(&b);
}

uint64_t import_number(const char **at)
{
	const char *text = *at + strspn(*at, " \t");
	uint64_t v = 0;

	text += *text == '+' && byte_is_digit((unsigned char)text[1]);
	if (byte_is_digit((unsigned char)*text))
		*at = text;
	for (; byte_is_digit((unsigned char)*text); *at = ++text) {
		unsigned digit = (unsigned)(*text - '0');

		v = v > (UINT64_MAX - digit) / 10 ? UINT64_MAX : v * 10 + digit;
	}
	return v;
}

struct bytes import_data(struct import *im, struct arena *a)
{
	const char *how = import_word(im, "data ");
	struct bytes data;

	if (how == NULL)
		import_die(im, "Expected 'data n' command, found: %s", im->line.ptr);
	if (git_starts(how, "<<"))
		data = data_to_word(im, a, arena_dup(im->g->a, bytes_of(how + 2)));
	else
		data = data_of_length(im, a, import_number(&how));
	import_skip_newline(im);
	return data;
}

/* --- people --- */

/* "123 +0100", as it must be. */
static bool date_is_raw(const char *text, bool strict)
{
	size_t digits = strspn(text, "0123456789");
	const char *zone = text + digits;
	size_t n;

	if (digits == 0 || zone[0] != ' ' || (zone[1] != '+' && zone[1] != '-'))
		return false;
	n = strspn(zone + 2, "0123456789");
	if (n == 0 || zone[2 + n] != '\0')
		return false;
	zone += 2;
	return !strict || import_number(&zone) <= 1400;
}

static void put_date(struct import *im, struct buf *out, const char *date, const char *whole)
{
	struct git *g = im->g;
	int64_t seconds;
	int zone;

	switch (im->dates) {
	case IMPORT_NOW:
		if (strcmp(date, "now") != 0)
			import_die(im, "Date in ident must be 'now': %s", whole);
		seconds = date_now(g);
		zone = date_local_zone(g, seconds);
		break;
	case IMPORT_RFC2822:
		if (!date_exact(g, date, &seconds, &zone))
			import_die(im, "Invalid rfc2822 date \"%s\" in ident: %s", date, whole);
		break;
	default:
		if (!date_is_raw(date, im->dates == IMPORT_RAW))
			import_die(im, "Invalid raw date \"%s\" in ident: %s", date, whole);
		buf_puts(out, date);
		return;
	}
	buf_printf(out, "%lld %c%04d", (long long)seconds, zone < 0 ? '-' : '+',
		   zone < 0 ? -zone : zone);
}

char *import_person(struct import *im, const char *text)
{
	struct buf b = buf_in(im->g->a);
	const char *at;

	/* A name that is not there still has its blank. */
	if (text[0] == '<')
		text--;
	at = text + strcspn(text, "<>");
	if (*at != '<')
		import_die(im, "Missing < in ident string: %s", text);
	if (at != text && at[-1] != ' ')
		import_die(im, "Missing space before < in ident string: %s", text);
	at += 1 + strcspn(at + 1, "<>");
	if (*at != '>')
		import_die(im, "Missing > in ident string: %s", text);
	if (*++at != ' ')
		import_die(im, "Missing space after > in ident string: %s", text);
	at++;
	buf_put(&b, text, (size_t)(at - text));
	put_date(im, &b, at, text);
	return buf_cstr(&b);
}

/* --- names --- */

char *import_path(struct import *im, const char **at, bool whole)
{
	struct git *g = im->g;
	const char *from = *at;
	const char *end;

	if (*from == '"') {
		char *path = git_unquote(g->a, at);

		if (path != NULL)
			return path;
		*at = from;
	}
	end = whole ? from + strlen(from) : strchr(from, ' ');
	if (end == NULL)
		return NULL;
	*at = end;
	return arena_dup(g->a, (struct bytes){ from, (size_t)(end - from) });
}

bool import_quoted(struct import *im, const char *at)
{
	return git_unquote(im->g->a, &at) != NULL;
}

bool import_hex(struct import *im, const char **at, struct oid *out)
{
	const struct oid *other;

	if (strlen(*at) < OID_HEX || !oid_parse(*at, out))
		return false;
	*at += OID_HEX;
	other = im->rewritten != NULL ? lookup_get(im->rewritten, oid_key(out)) : NULL;
	if (other != NULL)
		*out = *other;
	return true;
}

void import_reply(struct import *im, struct bytes text)
{
	struct git *g = im->g;
	int err = 0;

	if (im->reply_fd == 1) {
		cmd_bytes(g->c, text);
		cmd_flush(g->c);
		return;
	}
	cmd_flush(g->c);
	err = cmd_write_fd(g->c, im->reply_fd, text.ptr, text.len);
	if (err < 0)
		git_die_errno(g, err, "Write to frontend failed");
}
