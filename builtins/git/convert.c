/* SPDX-License-Identifier: MIT
 *
 * What happens to a file between the work tree and the store: line ends, and filters, which are
 * commands of the configuration.
 */
#include "builtins/git/git.h"

/* --- line ends --- */

enum eol { EOL_KEEP, EOL_TEXT, EOL_AUTO };

struct conversion {
	enum eol kind;
	bool crlf_out;
};

static struct conversion conversion_of(struct git *g, const char *path)
{
	struct conversion cv = { EOL_KEEP, false };
	const char *text = attr_get(g, path, "text");
	const char *eol = attr_get(g, path, "eol");
	const char *autocrlf = config_get(g, "core.autocrlf");
	const char *core_eol = config_get(g, "core.eol");

	if (text == NULL)
		text = attr_get(g, path, "crlf");
	if (text != NULL && strcmp(text, ATTR_FALSE) == 0)
		return cv;
	if (text != NULL)
		cv.kind = strcmp(text, "auto") == 0 ? EOL_AUTO : EOL_TEXT;
	else if (eol != NULL && eol[0] > '\1')
		cv.kind = EOL_TEXT;
	else if (autocrlf != NULL &&
		 (strcmp(autocrlf, "input") == 0 || config_truth(autocrlf) == 1))
		cv.kind = EOL_AUTO;
	if (cv.kind == EOL_KEEP)
		return cv;
	if (eol != NULL && eol[0] > '\1')
		cv.crlf_out = strcmp(eol, "crlf") == 0;
	else if (autocrlf != NULL && config_truth(autocrlf) == 1)
		cv.crlf_out = true;
	else if (core_eol != NULL && (autocrlf == NULL || strcmp(autocrlf, "input") != 0))
		cv.crlf_out = strcmp(core_eol, "crlf") == 0;
	return cv;
}

struct counts {
	size_t cr;
	size_t lf;
	size_t crlf;
	size_t odd;
	size_t plain;
	bool nul;
};

static struct counts count_bytes(struct bytes d)
{
	struct counts n = { 0, 0, 0, 0, 0, false };

	for (size_t i = 0; i < d.len; i++) {
		unsigned char ch = (unsigned char)d.ptr[i];

		if (ch == '\r') {
			if (i + 1 < d.len && d.ptr[i + 1] == '\n')
				n.crlf++, n.lf++, i++;
			else
				n.cr++;
		} else if (ch == '\n') {
			n.lf++;
		} else if (ch == 0) {
			n.nul = true;
			n.odd++;
		} else if (ch == 127 ||
			   (ch < 32 && ch != '\b' && ch != '\t' && ch != '\033' && ch != '\014')) {
			n.odd++;
		} else {
			n.plain++;
		}
	}
	return n;
}

static bool looks_binary(const struct counts *n)
{
	return n->cr != 0 || n->nul || n->plain / 128 < n->odd;
}

const char *convert_ends(struct bytes data)
{
	struct counts n = count_bytes(data);

	if (data.len != 0 && looks_binary(&n))
		return "-text";
	if (n.lf == 0)
		return "none";
	return n.crlf == 0 ? "lf" : n.crlf == n.lf ? "crlf" : "mixed";
}

const char *convert_attributes(struct git *g, const char *path)
{
	const char *text = attr_get(g, path, "text");
	const char *eol = attr_get(g, path, "eol");
	const char *kind;

	if (text == NULL)
		text = attr_get(g, path, "crlf");
	if (text != NULL && strcmp(text, ATTR_FALSE) == 0)
		return "-text";
	kind = text != NULL && strcmp(text, "auto") == 0 ? "text=auto" : "text";
	if (eol != NULL && (strcmp(eol, "lf") == 0 || strcmp(eol, "crlf") == 0))
		return git_format(g->a, "%s eol=%s", kind, eol);
	return text != NULL ? kind : "";
}

/* A file that has CRs in the index keeps them. */
static bool keeps_crs(struct git *g, struct arena *a, const char *path)
{
	struct entry *e = g->index != NULL ? index_find(g->index, path) : NULL;
	struct bytes old;
	struct counts o;

	if (e == NULL || object_read(g, a, &e->oid, &old) != OBJECT_BLOB)
		return false;
	o = count_bytes(old);
	return o.crlf != 0 && !looks_binary(&o);
}

/* core.safecrlf: tells of line ends that a checkout would not bring back. */
static void check_ends(struct git *g, const char *path, const struct conversion *cv,
		       const struct counts *n, bool converts)
{
	const char *safe = config_get(g, "core.safecrlf");
	size_t crlf = converts ? 0 : n->crlf, lf = n->lf - n->crlf;
	const char *old = "LF", *new = "CRLF";

	if (g->ends == ENDS_QUIET ||
	    (safe != NULL && strcmp(safe, "warn") != 0 && config_truth(safe) == 0))
		return;
	if (converts)
		lf = n->lf;
	if (cv->crlf_out && lf != 0 && (cv->kind != EOL_AUTO || (crlf == 0 && !looks_binary(n)))) {
		crlf += lf;
		lf = 0;
	}
	if (n->crlf != 0 && crlf == 0) {
		old = "CRLF";
		new = "LF";
	} else if (n->lf == n->crlf || lf != 0) {
		return;
	}
	if (g->ends == ENDS_REFUSE && safe != NULL && config_truth(safe) == 1)
		git_die(g, "%s would be replaced by %s in %s", old, new, path);
	git_warn(g,
		 "in the working copy of '%s', %s will be replaced by %s the next time Git "
		 "touches it",
		 path, old, new);
}

static struct bytes ends_in(struct git *g, struct arena *a, const char *path, struct bytes data)
{
	struct conversion cv = conversion_of(g, path);
	struct counts n;
	char *out;
	size_t len = 0;
	bool converts;

	if (cv.kind == EOL_KEEP || data.len == 0 ||
	    (g->ends == ENDS_QUIET && memchr(data.ptr, '\r', data.len) == NULL))
		return data;
	n = count_bytes(data);
	if (cv.kind == EOL_AUTO && looks_binary(&n))
		return data;
	converts = n.crlf != 0 && !(cv.kind == EOL_AUTO && keeps_crs(g, a, path));
	check_ends(g, path, &cv, &n, converts);
	if (!converts)
		return data;
	out = arena_alloc(a, data.len + 1);
	for (size_t i = 0; i < data.len; i++)
		if (!(data.ptr[i] == '\r' && i + 1 < data.len && data.ptr[i + 1] == '\n'))
			out[len++] = data.ptr[i];
	out[len] = '\0';
	return (struct bytes){ out, len };
}

static struct bytes ends_out(struct git *g, struct arena *a, const char *path, struct bytes data)
{
	struct conversion cv = conversion_of(g, path);
	struct counts n;
	struct buf out = buf_in(a);

	if (!cv.crlf_out)
		return data;
	n = count_bytes(data);
	if (n.lf == n.crlf || (cv.kind == EOL_AUTO && (looks_binary(&n) || n.crlf != 0)))
		return data;
	for (size_t i = 0; i < data.len; i++) {
		if (data.ptr[i] == '\n' && (i == 0 || data.ptr[i - 1] != '\r'))
			buf_putc(&out, '\r');
		buf_putc(&out, data.ptr[i]);
	}
	return (struct bytes){ buf_cstr(&out), out.len };
}

/* --- filters --- */

/* The command with %f as the path, quoted. */
static char *filter_command(struct git *g, const char *text, const char *path)
{
	struct buf b = buf_in(g->a);

	for (; *text != '\0'; text++) {
		if (text[0] == '%' && text[1] == 'f') {
			git_quote_shell(&b, path);
			text++;
		} else if (text[0] == '%' && text[1] == '%') {
			buf_putc(&b, *text++);
		} else {
			buf_putc(&b, *text);
		}
	}
	return buf_cstr(&b);
}

/* how: "clean" or "smudge". Data that can't be filtered stays as it is, unless it must be. */
static struct bytes filtered(struct git *g, struct arena *a, const char *path, struct bytes data,
			     const char *how)
{
	const char *name = attr_get(g, path, "filter");
	const char *command;
	struct bytes out;
	bool required;
	int status;

	if (name == NULL || name[0] <= '\1')
		return data;
	if (config_get(g, git_format(g->a, "filter.%s.process", name)) != NULL)
		git_refuse(g, git_format(g->a, "filter.%s.process", name));
	command = config_get(g, git_format(g->a, "filter.%s.%s", name, how));
	required = config_bool(g, git_format(g->a, "filter.%s.required", name), false);
	if (command != NULL && *command != '\0') {
		status = git_filter(g, a, filter_command(g, command, path), data, &out);
		if (status == 0)
			return out;
		git_error(g, "external filter '%s' failed %d", command, status);
		git_error(g, "external filter '%s' failed", command);
	}
	if (required && strcmp(how, "clean") == 0)
		git_die(g, "%s: clean filter '%s' failed", path, name);
	if (required)
		git_die(g, "%s: smudge filter %s failed", path, name);
	return data;
}

/* --- working-tree-encoding --- */

/* From the encoding that the file has to UTF-8, or back. */
static struct bytes encoded(struct git *g, struct arena *a, const char *path, struct bytes data,
			    bool out)
{
	const char *name = attr_get(g, path, "working-tree-encoding");
	struct bytes text;

	if (name == NULL || name[0] <= '\1' || encoding_is_utf8(name) || data.len == 0)
		return data;
	if (text_recode(g, a, out ? "UTF-8" : name, out ? name : "UTF-8", data, &text))
		return text;
	if (!out && g->ends != ENDS_QUIET)
		git_die(g, "failed to encode '%s' from %s to UTF-8", path, name);
	git_error(g, "failed to encode '%s' from %s to %s", path, out ? "UTF-8" : name,
		  out ? name : "UTF-8");
	return data;
}

/* --- $Id$ --- */

static bool wants_ident(struct git *g, const char *path)
{
	const char *value = attr_get(g, path, "ident");

	return value != NULL && value[0] == '\0';
}

/* "$Id$" or "$Id: ... $" on one line: what is behind it; NULL: it is none. */
static const char *ident_end(const char *at, const char *end)
{
	const char *p = at + 3;

	if (end - at < 4 || memcmp(at, "$Id", 3) != 0)
		return NULL;
	if (*p == '$')
		return p + 1;
	if (*p != ':')
		return NULL;
	while (p < end && *p != '\n' && *p != '$')
		p++;
	return p < end && *p == '$' ? p + 1 : NULL;
}

/* A name that another system has put there has blanks in it. */
static bool is_foreign(const char *at, const char *end)
{
	const char *blank;

	if (end - at < 7)
		return false;
	blank = memchr(at + 5, ' ', (size_t)(end - at) - 5);
	return blank != NULL && blank < end - 2;
}

/* Names are taken out, or put in. */
static struct bytes put_ident(struct git *g, struct arena *a, const char *path, struct bytes data,
			      bool out)
{
	const char *at = data.ptr, *end = data.ptr + data.len;
	struct buf b = buf_in(a);
	struct oid o;

	if (!wants_ident(g, path) || bytes_find(data, BYTES("$Id")) == NULL)
		return data;
	if (out)
		object_hash(OBJECT_BLOB, data, &o);
	while (at < end) {
		const char *dollar = memchr(at, '$', (size_t)(end - at));
		const char *behind = dollar != NULL ? ident_end(dollar, end) : NULL;

		if (dollar == NULL)
			break;
		if (behind == NULL || (out && is_foreign(dollar, behind))) {
			/* Behind "$$" nothing begins. */
			behind = dollar + 1 + (dollar + 1 < end && dollar[1] == '$');
			buf_put(&b, at, (size_t)(behind - at));
			at = behind;
			continue;
		}
		buf_put(&b, at, (size_t)(dollar - at));
		if (out)
			buf_printf(&b, "$Id: %s $", oid_hex(g, &o));
		else
			buf_puts(&b, "$Id$");
		at = behind;
	}
	buf_put(&b, at, (size_t)(end - at));
	cmd_charge_bytes(g->c, data.len);
	return buf_bytes(&b);
}

struct bytes convert_in(struct git *g, struct arena *a, const char *path, struct bytes data)
{
	data = encoded(g, a, path, filtered(g, a, path, data, "clean"), false);
	data = ends_in(g, a, path, data);
	return put_ident(g, a, path, data, false);
}

struct bytes convert_out(struct git *g, struct arena *a, const char *path, struct bytes data)
{
	data = put_ident(g, a, path, data, true);
	data = encoded(g, a, path, ends_out(g, a, path, data), true);
	return filtered(g, a, path, data, "smudge");
}
