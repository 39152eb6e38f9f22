/* SPDX-License-Identifier: MIT
 *
 * Formats: by name and file name, documents of a text, a result as text.
 */
#include "builtins/yq/yq.h"

static const struct {
	const char *name;
	const char *letter;
	enum yq_format format;
	const char *suffixes; /* of files, each with a blank behind */
} formats[] = {
	{ "auto", "a", YQ_AUTO, "" },
	{ "yaml", "y", YQ_YAML, "yaml yml " },
	{ "yml", "y", YQ_YAML, "" },
	{ "json", "j", YQ_JSON, "json " },
	{ "props", "p", YQ_PROPS, "properties props " },
	{ "properties", "p", YQ_PROPS, "" },
	{ "csv", "c", YQ_CSV, "csv " },
	{ "tsv", "t", YQ_TSV, "tsv " },
	{ "xml", "x", YQ_XML, "xml " },
	{ "toml", "toml", YQ_TOML, "toml " },
	{ "base64", "b64", YQ_BASE64, "base64 " },
	{ "uri", "uri", YQ_URI, "uri " },
	{ "shell", "s", YQ_SHELL, "sh " },
};

bool yq_format_named(const char *name, int *out)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(name, formats[i].name) == 0 || strcmp(name, formats[i].letter) == 0) {
			*out = (int)formats[i].format;
			return true;
		}
	return false;
}

enum yq_format yq_format_of_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot != NULL && i < sizeof(formats) / sizeof(formats[0]); i++)
		for (const char *s = formats[i].suffixes; *s != '\0';) {
			size_t len = strcspn(s, " ");

			if (strlen(dot + 1) == len && strncmp(dot + 1, s, len) == 0)
				return formats[i].format;
			s += len + 1;
		}
	return YQ_YAML;
}

/* --- base64, URI --- */

/* A loop over n bytes, to be charged if it is long. */
static void charge_loop(struct buf *out, size_t n)
{
	if (n >= 1024)
		arena_charge(out->arena, n / 16);
}

void yq_base64(struct buf *out, struct bytes s)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	charge_loop(out, s.len);
	for (size_t i = 0; i < s.len; i += 3) {
		uint32_t v = (uint32_t)(unsigned char)s.ptr[i] << 16;

		if (i + 1 < s.len)
			v |= (uint32_t)(unsigned char)s.ptr[i + 1] << 8;
		if (i + 2 < s.len)
			v |= (unsigned char)s.ptr[i + 2];
		buf_putc(out, letters[v >> 18]);
		buf_putc(out, letters[v >> 12 & 63]);
		buf_putc(out, i + 1 < s.len ? letters[v >> 6 & 63] : '=');
		buf_putc(out, i + 2 < s.len ? letters[v & 63] : '=');
	}
}

static int base64_value(char c)
{
	if (byte_is_upper(c))
		return c - 'A';
	if (byte_is_lower(c))
		return c - 'a' + 26;
	if (byte_is_digit(c))
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool yq_base64_decode(struct buf *out, struct bytes s)
{
	uint32_t v = 0;
	int bits = 0;

	charge_loop(out, s.len);
	for (size_t i = 0; i < s.len; i++) {
		int d = base64_value(s.ptr[i]);

		if (byte_is_space(s.ptr[i]) || s.ptr[i] == '=')
			continue;
		if (d < 0)
			return false;
		v = v << 6 | (uint32_t)d;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			buf_putc(out, (char)(v >> bits));
			v &= (1u << bits) - 1;
		}
	}
	return bits < 6;
}

void yq_uri(struct buf *out, struct bytes s)
{
	charge_loop(out, s.len);
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (byte_is_alnum(c) || (c != '\0' && strchr("-_.~", c) != NULL))
			buf_putc(out, c);
		else if (c == ' ')
			buf_putc(out, '+');
		else
			buf_printf(out, "%%%c%c", "0123456789ABCDEF"[(unsigned char)c >> 4],
				   "0123456789ABCDEF"[c & 15]);
	}
}

bool yq_uri_decode(struct buf *out, struct bytes s)
{
	charge_loop(out, s.len);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != '%') {
			buf_putc(out, s.ptr[i] == '+' ? ' ' : s.ptr[i]);
			continue;
		}
		if (s.len - i < 3 || !byte_is_xdigit(s.ptr[i + 1]) || !byte_is_xdigit(s.ptr[i + 2]))
			return false;
		buf_putc(out, (char)(byte_digit(s.ptr[i + 1]) * 16 + byte_digit(s.ptr[i + 2])));
		i += 2;
	}
	return true;
}

/* --- reading --- */

static void poll_work(void *arg, uint64_t work)
{
	cmd_charge(arg, work);
}

static void read_yaml(struct yq *y, struct bytes text, const char *name, struct yq_list *out)
{
	struct yaml_parser p;
	struct yaml_node *root;
	int more;

	yaml_parser_init(&p, y->a, text);
	p.poll = poll_work;
	p.arg = y->c;
	while ((more = yaml_next(&p, &root)) > 0)
		yq_add(y, out, root);
	if (more == 0)
		return;
	if (p.error_name.len > 0)
		yq_fatal(y, "bad file '%s': yaml: unknown anchor '%.*s' referenced", name,
			 (int)p.error_name.len, p.error_name.ptr);
	yq_fatal(y, "bad file '%s': yaml: line %u: %s", name, p.error_line + 1, p.error);
}

static struct yaml_node *read_base64(struct yq *y, struct bytes text, const char *name)
{
	struct buf b = buf_in(y->a);

	if (!yq_base64_decode(&b, text))
		yq_fatal(y, "bad file '%s': illegal base64 data", name);
	return yq_text(y, buf_bytes(&b));
}

static struct yaml_node *read_uri(struct yq *y, struct bytes text, const char *name)
{
	struct buf b = buf_in(y->a);

	while (text.len > 0 && text.ptr[text.len - 1] == '\n')
		text.len--;
	if (!yq_uri_decode(&b, text))
		yq_fatal(y, "bad file '%s': invalid URL escape", name);
	return yq_text(y, buf_bytes(&b));
}

void yq_read(struct yq *y, struct bytes text, enum yq_format format, const char *name,
	     struct yq_list *out)
{
	struct buf error = buf_in(y->a);
	struct yaml_node *n = NULL;

	cmd_charge_bytes(y->c, text.len);
	switch (format) {
	case YQ_AUTO:
	case YQ_YAML: read_yaml(y, text, name, out); return;
	case YQ_JSON: yq_read_json(y, text, name, out); return;
	case YQ_PROPS: n = yq_read_props(y, text); break;
	case YQ_CSV:
		n = yq_read_csv(y, text, y->o.csv_separator != 0 ? y->o.csv_separator : ',');
		break;
	case YQ_TSV: n = yq_read_csv(y, text, '\t'); break;
	case YQ_XML: n = yq_read_xml(y, text, &error); break;
	case YQ_TOML: n = yq_read_toml(y, text, &error); break;
	case YQ_BASE64: n = read_base64(y, text, name); break;
	case YQ_URI: n = read_uri(y, text, name); break;
	case YQ_SHELL: yq_fatal(y, "no support for %s input format", "shell");
	}
	if (n == NULL)
		yq_fatal(y, "bad file '%s': %s", name, buf_cstr(&error));
	yq_add(y, out, n);
}

/* --- writing --- */

static void write_scalar_only(struct yq *y, struct buf *out, struct yaml_node *n,
			      enum yq_format format)
{
	if (n->kind != YAML_SCALAR)
		yq_fatal(y,
			 "cannot encode %.*s as %s, can only operate on strings. Please first pipe "
			 "through another encoding operator to convert the value to a string",
			 (int)n->tag.len, n->tag.ptr, format == YQ_URI ? "URI" : "base64");
	if (format == YQ_URI)
		yq_uri(out, n->value);
	else
		yq_base64(out, n->value);
}

void yq_write(struct yq *y, struct buf *out, struct yaml_node *n, enum yq_format format, int indent)
{
	struct yaml_layout layout = { .indent = indent > 1 ? indent : 2,
				      .poll = poll_work,
				      .arg = y->c };

	switch (format) {
	case YQ_AUTO:
	case YQ_YAML: yaml_emit(out, n, &layout); break;
	case YQ_JSON: yq_write_json(y, out, n, indent); break;
	case YQ_PROPS: yq_write_props(y, out, n); break;
	case YQ_CSV:
		yq_write_csv(y, out, n, y->o.csv_separator != 0 ? y->o.csv_separator : ',');
		break;
	case YQ_TSV: yq_write_csv(y, out, n, '\t'); break;
	case YQ_XML: yq_write_xml(y, out, n, indent); break;
	case YQ_TOML: yq_write_toml(y, out, n); break;
	case YQ_SHELL: yq_write_shell(y, out, n); break;
	case YQ_BASE64:
	case YQ_URI: write_scalar_only(y, out, yq_real_node(y, n), format); break;
	}
}
