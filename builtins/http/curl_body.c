/* SPDX-License-Identifier: MIT
 *
 * What curl sends: -d and its like, -F, -T.
 */
#include "builtins/http/curl.h"

/* --- -d --- */

/* ASCII: line ends and NULs are left out. */
static void put_plain(struct buf *out, struct bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\r' && text.ptr[i] != '\n' && text.ptr[i] != '\0')
			buf_putc(out, text.ptr[i]);
}

static bool read_data_file(struct curl *k, const char *path, struct bytes *text)
{
	if (cmd_read_all(k->c, path, text) == 0)
		return true;
	curl_warn(k, "Couldn't read data from file \"%s\", this makes an empty POST.", path);
	*text = (struct bytes){ "", 0 };
	return false;
}

/* "content", "=content", "name=content", "@file", "name@file" */
static void put_urlencoded(struct curl *k, struct buf *out, const char *arg)
{
	size_t name = strcspn(arg, "=@");
	struct bytes content = bytes_of(arg);

	if (arg[name] != '\0') {
		if (name != 0)
			buf_printf(out, "%.*s=", (int)name, arg);
		content = bytes_of(arg + name + 1);
		if (arg[name] == '@')
			(void)read_data_file(k, arg + name + 1, &content);
	}
	url_encode(out, content, "", "+");
}

int curl_add_data(struct curl *k, const char *arg, int how)
{
	struct curl_set *s = k->set;
	struct bytes text = bytes_of(arg);

	if (s->has_data && how != DATA_JSON)
		buf_putc(&s->data, '&');
	s->has_data = true;
	s->json |= how == DATA_JSON;
	if (how == DATA_URLENCODE) {
		put_urlencoded(k, &s->data, arg);
		return 0;
	}
	if (arg[0] == '@' && how != DATA_RAW) {
		(void)read_data_file(k, arg + 1, &text);
		if (how == DATA_ASCII) {
			put_plain(&s->data, text);
			return 0;
		}
	}
	buf_add(&s->data, text);
	return 0;
}

int curl_url_query(struct curl *k, const char *arg)
{
	struct buf *q = &k->set->query;

	if (q->len != 0)
		buf_putc(q, '&');
	if (arg[0] == '+')
		buf_puts(q, arg + 1);
	else
		put_urlencoded(k, q, arg);
	return 0;
}

/* --- -F --- */

/* A value of a part's parameter, in quotes or up to the next ';'. */
static struct bytes parameter(struct arena *a, struct bytes *at)
{
	struct buf b = buf_in(a);
	size_t i = 0;

	if (at->len != 0 && at->ptr[0] == '"') {
		for (i = 1; i < at->len && at->ptr[i] != '"'; i++) {
			if (at->ptr[i] == '\\' && i + 1 < at->len)
				i++;
			buf_putc(&b, at->ptr[i]);
		}
		while (i < at->len && at->ptr[i] != ';')
			i++;
	} else {
		while (i < at->len && at->ptr[i] != ';')
			i++;
		buf_put(&b, at->ptr, i);
	}
	*at = bytes_slice(*at, i < at->len ? i + 1 : i, at->len);
	return bytes_trim(buf_bytes(&b));
}

/* The content ends where a parameter begins; other semicolons belong to it. */
static void read_parameters(struct arena *a, struct curl_part *p, struct bytes text)
{
	struct bytes first;

	p->content = parameter(a, &text);
	while (text.len != 0) {
		text = bytes_trim(text);
		if (bytes_starts(text, BYTES("type="))) {
			text = bytes_slice(text, 5, text.len);
			p->type = parameter(a, &text);
		} else if (bytes_starts(text, BYTES("filename="))) {
			text = bytes_slice(text, 9, text.len);
			p->filename = parameter(a, &text);
			p->has_filename = true;
		} else {
			struct buf b = buf_in(a);

			first = parameter(a, &text);
			buf_add(&b, p->content);
			buf_putc(&b, ';');
			buf_add(&b, first);
			p->content = buf_bytes(&b);
		}
	}
}

int curl_add_part(struct curl *k, const char *arg, bool plain)
{
	struct arena *a = k->c->arena;
	const char *equals = strchr(arg, '=');
	struct curl_part **link = &k->set->parts;
	struct curl_part *p = arena_zalloc(a, sizeof *p);
	struct bytes text;

	if (equals == NULL) {
		curl_warn(k, "Illegally formatted input field!");
		cmd_warn(k->c, 0, "option %s: is badly used here", plain ? "--form-string" : "-F");
		cmd_warn(k->c, 0, "try 'curl --help' or 'curl --manual' for more information");
		return CURL_USAGE;
	}
	text = bytes_of(equals + 1);
	p->name = (struct bytes){ arg, (size_t)(equals - arg) };
	p->is_file = !plain && equals[1] == '@';
	p->is_text = !plain && equals[1] == '<';
	if (plain)
		p->content = text;
	else
		read_parameters(a, p, bytes_slice(text, p->is_file || p->is_text, text.len));
	while (*link != NULL)
		link = &(*link)->next;
	*link = p;
	return 0;
}

static const char *type_of_name(struct bytes name)
{
	static const char *const types[][2] = {
		{ ".gif", "image/gif" },       { ".jpg", "image/jpeg" },
		{ ".jpeg", "image/jpeg" },     { ".png", "image/png" },
		{ ".svg", "image/svg+xml" },   { ".txt", "text/plain" },
		{ ".htm", "text/html" },       { ".html", "text/html" },
		{ ".pdf", "application/pdf" }, { ".xml", "application/xml" },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (bytes_ends(name, bytes_of(types[i][0])))
			return types[i][1];
	return "application/octet-stream";
}

/* A name in quotes, with what would end them encoded. */
static void put_name(struct buf *out, const char *what, struct bytes name)
{
	buf_printf(out, "; %s=\"", what);
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '"')
			buf_puts(out, "%22");
		else if (name.ptr[i] == '\r')
			buf_puts(out, "%0D");
		else if (name.ptr[i] == '\n')
			buf_puts(out, "%0A");
		else
			buf_putc(out, name.ptr[i]);
	}
	buf_putc(out, '"');
}

static int put_part(struct curl_transfer *t, struct buf *out, const struct curl_part *p)
{
	struct cmd *c = t->curl->c;
	struct bytes content = p->content;
	const char *slash = bytes_rfind(content, BYTES("/"));
	struct bytes file = slash != NULL ? bytes_slice(content, (size_t)(slash - content.ptr) + 1,
							content.len)
					  : content;

	if ((p->is_file || p->is_text) &&
	    cmd_read_all(c, arena_dup(c->arena, p->content), &content) < 0)
		return curl_fail(t, CURL_READ,
				 "Failed to open/read local data from file/application");
	buf_puts(out, "Content-Disposition: form-data");
	put_name(out, "name", p->name);
	if (p->has_filename || (p->is_file && !bytes_is(p->content, "-")))
		put_name(out, "filename", p->has_filename ? p->filename : file);
	buf_puts(out, "\r\n");
	if (p->type.len != 0) {
		buf_puts(out, "Content-Type: ");
		buf_add(out, p->type);
		buf_puts(out, "\r\n");
	} else if (p->is_file) {
		buf_printf(out, "Content-Type: %s\r\n",
			   type_of_name(p->has_filename ? p->filename : file));
	}
	buf_puts(out, "\r\n");
	buf_add(out, content);
	buf_puts(out, "\r\n");
	return 0;
}

static int make_form(struct curl_transfer *t)
{
	struct arena *a = t->curl->c->arena;
	struct buf boundary = buf_in(a);
	struct buf type = buf_in(a);
	struct buf out = buf_in(a);

	buf_printf(&boundary, "------------------------%08x%08x", (unsigned)cmd_random(t->curl->c),
		   (unsigned)cmd_random(t->curl->c));
	for (const struct curl_part *p = t->set->parts; p != NULL; p = p->next) {
		int status;

		buf_printf(&out, "--%s\r\n", buf_cstr(&boundary));
		status = put_part(t, &out, p);
		if (status != 0)
			return status;
	}
	buf_printf(&out, "--%s--\r\n", buf_cstr(&boundary));
	buf_printf(&type, "multipart/form-data; boundary=%s", buf_cstr(&boundary));
	t->body = buf_bytes(&out);
	t->body_type = buf_cstr(&type);
	return 0;
}

/* --- -T --- */

static int make_upload(struct curl_transfer *t)
{
	struct cmd *c = t->curl->c;

	if (cmd_read_all(c, strcmp(t->upload, ".") == 0 ? "-" : t->upload, &t->body) == 0)
		return 0;
	cmd_warn(c, 0, "Can't open '%s'!", t->upload);
	cmd_warn(c, 0, "try 'curl --help' or 'curl --manual' for more information");
	return curl_fail(t, CURL_READ, "Failed to open/read local data from file/application");
}

int curl_make_body(struct curl_transfer *t)
{
	const struct curl_set *s = t->set;

	t->has_body = t->upload != NULL || s->parts != NULL || (s->has_data && !s->get);
	if (t->upload != NULL)
		return make_upload(t);
	if (s->parts != NULL)
		return make_form(t);
	t->body = buf_bytes(&s->data);
	t->body_type = s->json ? "application/json" : "application/x-www-form-urlencoded";
	return 0;
}
