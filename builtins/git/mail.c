/* SPDX-License-Identifier: MIT
 *
 * Commits written as mail: headers in ASCII, long ones folded.
 */
#include "builtins/git/mail.h"
#include "builtins/git/trailer.h"

enum { FOLD_AT = 78, ENCODED_MAX = 76 };

static bool is_ascii(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] >= 0x80 || (unsigned char)s.ptr[i] == 0x1b)
			return false;
	return true;
}

/* Bytes of the character at i: kept together in encoded words. */
static size_t char_length(struct bytes s, size_t i)
{
	size_t n = 1;

	while (i + n < s.len && ((unsigned char)s.ptr[i + n] & 0xc0) == 0x80 && n < 4)
		n++;
	return n;
}

/* =?UTF-8?q?...?= words, each on a line of its own when it gets long. */
static void put_encoded(struct buf *out, struct bytes s, size_t column, bool is_name)
{
	static const char open[] = "=?UTF-8?q?";
	size_t used = column + sizeof(open) - 1;

	buf_puts(out, open);
	for (size_t i = 0; i < s.len;) {
		size_t n = char_length(s, i);
		unsigned char ch = (unsigned char)s.ptr[i];
		bool plain = n == 1 && (byte_is_alnum(ch) ||
					(!is_name && ch > 0x20 && ch < 0x7f && ch != '=' &&
					 ch != '?' && ch != '_') ||
					(is_name && strchr("!*+-/", ch) != NULL));
		size_t width = plain ? 1 : 3 * n;

		if (used + width + 2 > ENCODED_MAX) {
			buf_puts(out, "?=\n ");
			buf_puts(out, open);
			used = 1 + sizeof(open) - 1;
		}
		for (size_t k = 0; k < n; k++) {
			if (plain)
				buf_putc(out, s.ptr[i + k]);
			else
				buf_printf(out, "=%c%c",
					   "0123456789ABCDEF"[(unsigned char)s.ptr[i + k] >> 4],
					   "0123456789ABCDEF"[s.ptr[i + k] & 15]);
		}
		used += width;
		i += n;
	}
	buf_puts(out, "?=");
}

/* Words, folded before a line gets too long. */
static void put_folded(struct buf *out, struct bytes s, size_t column)
{
	size_t i = 0;
	bool first = true;

	while (i < s.len) {
		size_t n = 0;

		while (i + n < s.len && s.ptr[i + n] != ' ')
			n++;
		if (column + !first + n > FOLD_AT) {
			buf_puts(out, "\n ");
			column = 1;
		} else if (!first) {
			buf_putc(out, ' ');
			column++;
		}
		buf_put(out, s.ptr + i, n);
		column += n;
		first = false;
		i += n;
		while (i < s.len && s.ptr[i] == ' ')
			i++;
	}
}

static void put_from(struct buf *out, struct bytes name, struct bytes mail, bool raw)
{
	bool encoded = !raw && !is_ascii(name);
	bool special = false;
	size_t at;

	for (size_t i = 0; i < name.len; i++)
		special = special || strchr("()<>[]:;@,.\"\\", name.ptr[i]) != NULL;
	buf_puts(out, "From: ");
	if (encoded) {
		put_encoded(out, name, 6, true);
	} else if (special) {
		struct buf quoted = buf_in(out->arena);

		buf_putc(&quoted, '"');
		for (size_t i = 0; i < name.len; i++) {
			if (name.ptr[i] == '"' || name.ptr[i] == '\\')
				buf_putc(&quoted, '\\');
			buf_putc(&quoted, name.ptr[i]);
		}
		buf_putc(&quoted, '"');
		put_folded(out, buf_bytes(&quoted), 6);
	} else {
		put_folded(out, name, 6);
	}
	for (at = out->len; at > 0 && out->ptr[at - 1] != '\n'; at--)
		;
	if (out->len - at + 3 + mail.len > (encoded ? ENCODED_MAX : FOLD_AT))
		buf_putc(out, '\n');
	buf_printf(out, " <%.*s>\n", (int)mail.len, mail.ptr);
}

static void put_subject(struct buf *out, const char *prefix, struct bytes subject, bool raw)
{
	size_t from = out->len;

	buf_puts(out, "Subject: ");
	if (prefix != NULL && prefix[0] != '\0')
		buf_printf(out, "[%s] ", prefix);
	if (raw || is_ascii(subject))
		put_folded(out, subject, out->len - from);
	else
		put_encoded(out, subject, out->len - from, false);
	buf_putc(out, '\n');
}

/* Behind the first paragraph. */
static struct bytes body_of(struct bytes message)
{
	struct bytes line, rest = message;
	bool any = false;

	while (git_line(&rest, &line)) {
		bool blank = git_trim(line).len == 0;

		if (blank && any)
			break;
		any = any || !blank;
	}
	while (rest.len != 0) {
		struct bytes at = rest;

		git_line(&rest, &line);
		if (git_trim(line).len != 0)
			return at;
	}
	return rest;
}

static void trim_end(struct bytes *s)
{
	while (s->len != 0 && byte_is_space((unsigned char)s->ptr[s->len - 1]))
		s->len--;
}

/* A trailer joins trailers that are there, else begins a paragraph. */
static void put_signoff(struct git *g, const struct bytes *body, const char *who, struct buf *out)
{
	struct bytes trailers = trailers_of(g, *body);

	buf_add(out, *body);
	if (trailers.len != 0 && bytes_find(trailers, bytes_of(who)) != NULL)
		return;
	if (body->len != 0)
		buf_puts(out, trailers.len != 0 ? "\n" : "\n\n");
	buf_printf(out, "Signed-off-by: %s", who);
}

static void put_references(struct buf *out, const struct mail_style *s)
{
	if (s->id != NULL)
		buf_printf(out, "Message-Id: <%s>\n", s->id);
	if (s->references == NULL || s->references->n == 0)
		return;
	buf_printf(out, "In-Reply-To: <%s>\n", s->references->at[s->references->n - 1]);
	for (size_t i = 0; i < s->references->n; i++)
		buf_printf(out, "%s<%s>\n", i > 0 ? "\t" : "References: ", s->references->at[i]);
}

static void put_headers(struct git *g, const struct mail_style *s, const struct oid *o,
			const struct person *who, const struct person *dated, struct bytes subject,
			bool is_8bit, struct buf *out)
{
	static const struct date_style rfc = { .mode = DATE_RFC };

	buf_printf(out, "From %s Mon Sep 17 00:00:00 2001\n",
		   oid_hex(g, s->zero_commit ? &oid_null : o));
	put_references(out, s);
	put_from(out, who->name, who->mail, s->raw);
	buf_puts(out, "Date: ");
	date_put(g, out, dated->time, dated->zone, &rfc);
	buf_putc(out, '\n');
	put_subject(out, s->prefix, subject, s->raw);
	if (is_8bit && s->boundary == NULL)
		buf_puts(out, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
			      "Content-Transfer-Encoding: 8bit\n");
	for (size_t i = 0; s->headers != NULL && i < s->headers->n; i++)
		buf_printf(out, "%s\n", s->headers->at[i]);
	if (s->boundary != NULL)
		buf_printf(out,
			   "MIME-Version: 1.0\n"
			   "Content-Type: multipart/mixed; boundary=\"------------%s\"\n\n"
			   "This is a multi-part message in MIME format.\n"
			   "--------------%s\n"
			   "Content-Type: text/plain; charset=UTF-8; format=fixed\n"
			   "Content-Transfer-Encoding: 8bit\n\n",
			   s->boundary, s->boundary);
	buf_putc(out, '\n');
}

/* --- the cover letter --- */

struct commit *mail_origin(struct git *g, const struct commits *list)
{
	struct commit *origin = NULL;

	for (size_t i = 0; i < list->n; i++)
		list->at[i]->flags |= COMMIT_IN_LIST;
	for (size_t i = 0; i < list->n; i++)
		for (uint32_t k = 0; k < list->at[i]->nparents; k++) {
			struct commit *p = list->at[i]->parent[k];

			if ((p->flags & COMMIT_IN_LIST) || p == origin)
				continue;
			if (origin != NULL) {
				revs_forget(g);
				return NULL;
			}
			origin = p;
		}
	revs_forget(g);
	return origin;
}

/* Which part of the branch's description is what: the subject stays NULL if it is none. */
static void split_description(struct git *g, const struct mail_cover *cover, const char **subject,
			      struct bytes *body)
{
	struct bytes text = bytes_of(cover->description != NULL ? cover->description : "");
	struct bytes first = message_subject(g->a, text);
	const char *mode = cover->mode;

	if (text.len == 0 || strcmp(mode, "none") == 0)
		return;
	*body = text;
	if (strcmp(mode, "subject") != 0 && !(strcmp(mode, "auto") == 0 && first.len <= 100))
		return;
	*subject = arena_dup(g->a, first);
	*body = body_of(text);
}

void mail_put_cover(struct git *g, const struct mail_cover *cover, const struct mail_style *s,
		    struct buf *out)
{
	struct commit *head = cover->list->at[cover->list->n - 1];
	struct commit *origin = mail_origin(g, cover->list);
	const char *subject = "*** SUBJECT HERE ***";
	struct bytes body = BYTES("*** BLURB HERE ***");
	struct person who;
	bool is_8bit = false;

	for (size_t i = 0; i < cover->list->n && !is_8bit; i++) {
		struct commit_text t;

		commit_text(g, g->a, &cover->list->at[i]->oid, &t);
		is_8bit = !is_ascii(t.header) || !is_ascii(t.message);
	}
	split_description(g, cover, &subject, &body);
	trim_end(&body);
	person_split(bytes_of(ident_committer(g)), &who);
	put_headers(g, s, &head->oid, &who, &who, bytes_of(subject), is_8bit, out);
	buf_add(out, body);
	buf_puts(out, "\n\n");
	shortlog_put(g, cover->list, out);
	if (origin == NULL)
		return;
	struct diff_opts o = cover->diff;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };

	commit_need(g, origin);
	diff_trees(g, &o, &origin->tree, &head->tree, &q);
	diff_finish(g, &o, &q);
	diff_put_stat(g, &o, &q, out);
	diff_put_summary(g, &o, &q, out);
	buf_putc(out, '\n');
}

void mail_put(struct git *g, const struct oid *o, const struct mail_style *s, struct buf *out)
{
	struct arena a;
	struct commit_text t;
	struct person who;
	struct bytes subject, body;
	struct buf whole;

	arena_init_under(&a, g->a);
	commit_text_shown(g, &a, o, &t, false);
	person_split(t.author, &who);
	subject = message_subject(&a, t.message);
	body = body_of(t.message);
	trim_end(&body);
	struct person sender = who;

	if (s->from != NULL)
		person_split(bytes_of(git_format(&a, "%s 0 +0000", s->from)), &sender);
	put_headers(g, s, o, &sender, &who, subject,
		    !is_ascii(subject) || !is_ascii(body) ||
			    (s->signoff != NULL && !is_ascii(bytes_of(s->signoff))),
		    out);
	bool other = s->from != NULL &&
		     !(bytes_eq(sender.name, who.name) && bytes_eq(sender.mail, who.mail));

	/* As the real one has it. */
	if (s->boundary != NULL && body.len == 0 && !other)
		out->len--;
	if (other)
		buf_printf(out, "From: %.*s <%.*s>\n\n", (int)who.name.len, who.name.ptr,
			   (int)who.mail.len, who.mail.ptr);
	whole = buf_in(&a);
	if (s->signoff != NULL)
		put_signoff(g, &body, s->signoff, &whole);
	else
		buf_add(&whole, body);
	if (whole.len != 0) {
		buf_add(out, buf_bytes(&whole));
		buf_putc(out, '\n');
	}
	arena_clear(&a);
}
