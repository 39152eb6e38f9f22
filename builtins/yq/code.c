/* SPDX-License-Identifier: MIT
 *
 * Functions that turn values into texts of a format, and texts into values.
 */
#include "builtins/yq/yq.h"

#define HANDLER(name)                                                                              \
	static struct yq_list name(struct yq *y, const struct yq_expr *e, struct yq_list in,       \
				   const struct yq_vars *vars)

/* to_json: two blanks, @json: none; or as many as the argument says. */
static int indent_of(struct yq *y, const struct yq_expr *e, struct yaml_node *in,
		     const struct yq_vars *vars)
{
	int64_t n = e->text.ptr[0] == '@' && bytes_is(e->text, "@json") ? 0 : 2;

	if (e->nargs > 0) {
		struct yaml_node *arg = yq_first(y, e->args[0], in, vars);

		if (arg == NULL || !yq_int(arg, &n) || n < 0 || n > 40)
			yq_fatal(y, "%s takes an indentation", e->fn->name);
	}
	return (int)n;
}

HANDLER(fn_encode)
{
	struct yq_list out = { NULL, 0, 0 };
	enum yq_format format = (enum yq_format)e->fn->arg;
	bool lines = format == YQ_YAML || format == YQ_PROPS || format == YQ_XML ||
		     format == YQ_TOML;

	for (size_t i = 0; i < in.n; i++) {
		struct buf b = buf_in(y->a);
		int indent = indent_of(y, e, in.items[i], vars);

		yq_write(y, &b, in.items[i], format, indent);
		/* Texts of one line do not end with a break; those of several do. */
		if (b.len > 0 && b.ptr[b.len - 1] == '\n' &&
		    (!lines || memchr(b.ptr, '\n', b.len - 1) == NULL) &&
		    !(format == YQ_JSON && indent > 0))
			b.len--;
		yq_add(y, &out, yq_text(y, buf_bytes(&b)));
	}
	return out;
}

HANDLER(fn_decode)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct yaml_node *n = yq_real_node(y, in.items[i]);
		struct yq_list docs = { NULL, 0, 0 };

		if (n->kind != YAML_SCALAR)
			yq_fatal(y, "cannot decode %.*s", (int)n->tag.len, n->tag.ptr);
		yq_read(y, n->value, (enum yq_format)e->fn->arg, "string", &docs);
		yq_add(y, &out, docs.n > 0 ? docs.items[0] : yq_null(y));
	}
	return out;
}

/* 'word', quotes inside as the shell reads them. */
HANDLER(fn_shell)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++) {
		struct bytes s = yq_real_node(y, in.items[i])->value;
		struct buf b = buf_in(y->a);
		bool quoted = false;

		cmd_charge(y->c, 1 + s.len / 16);
		for (size_t k = 0; k < s.len; k++) {
			char c = s.ptr[k];
			bool plain = byte_is_alnum(c) || (unsigned char)c >= 0x80 ||
				     (c != '\0' && strchr("%+,-./:=@_", c) != NULL);

			if (c == '\'') {
				buf_puts(&b, quoted ? "'\\'" : "\\'");
				quoted = false;
				continue;
			}
			if (!plain && !quoted) {
				buf_putc(&b, '\'');
				quoted = true;
			}
			buf_putc(&b, c);
		}
		if (quoted || s.len == 0)
			buf_puts(&b, s.len == 0 ? "''" : "'");
		yq_add(y, &out, yq_text(y, buf_bytes(&b)));
	}
	return out;
}

HANDLER(fn_text)
{
	struct yq_list out = { NULL, 0, 0 };

	(void)e, (void)vars;
	for (size_t i = 0; i < in.n; i++)
		yq_add(y, &out, yq_text(y, yq_real_node(y, in.items[i])->value));
	return out;
}

const struct yq_fn yq_fns_code[] = {
	{ "to_json", 0, 1, fn_encode, YQ_JSON },
	{ "tojson", 0, 1, fn_encode, YQ_JSON },
	{ "@json", 0, 0, fn_encode, YQ_JSON },
	{ "to_yaml", 0, 1, fn_encode, YQ_YAML },
	{ "@yaml", 0, 0, fn_encode, YQ_YAML },
	{ "to_props", 0, 0, fn_encode, YQ_PROPS },
	{ "@props", 0, 0, fn_encode, YQ_PROPS },
	{ "to_csv", 0, 0, fn_encode, YQ_CSV },
	{ "@csv", 0, 0, fn_encode, YQ_CSV },
	{ "to_tsv", 0, 0, fn_encode, YQ_TSV },
	{ "@tsv", 0, 0, fn_encode, YQ_TSV },
	{ "to_xml", 0, 1, fn_encode, YQ_XML },
	{ "@xml", 0, 0, fn_encode, YQ_XML },
	{ "to_toml", 0, 0, fn_encode, YQ_TOML },
	{ "@toml", 0, 0, fn_encode, YQ_TOML },
	{ "@base64", 0, 0, fn_encode, YQ_BASE64 },
	{ "@uri", 0, 0, fn_encode, YQ_URI },
	{ "@sh", 0, 0, fn_shell, 0 },
	{ "@text", 0, 0, fn_text, 0 },
	{ "from_json", 0, 0, fn_decode, YQ_JSON },
	{ "fromjson", 0, 0, fn_decode, YQ_JSON },
	{ "@jsond", 0, 0, fn_decode, YQ_JSON },
	{ "from_yaml", 0, 0, fn_decode, YQ_YAML },
	{ "@yamld", 0, 0, fn_decode, YQ_YAML },
	{ "from_props", 0, 0, fn_decode, YQ_PROPS },
	{ "@propsd", 0, 0, fn_decode, YQ_PROPS },
	{ "from_csv", 0, 0, fn_decode, YQ_CSV },
	{ "@csvd", 0, 0, fn_decode, YQ_CSV },
	{ "from_tsv", 0, 0, fn_decode, YQ_TSV },
	{ "@tsvd", 0, 0, fn_decode, YQ_TSV },
	{ "from_xml", 0, 0, fn_decode, YQ_XML },
	{ "@xmld", 0, 0, fn_decode, YQ_XML },
	{ "from_toml", 0, 0, fn_decode, YQ_TOML },
	{ "@tomld", 0, 0, fn_decode, YQ_TOML },
	{ "@base64d", 0, 0, fn_decode, YQ_BASE64 },
	{ "@urid", 0, 0, fn_decode, YQ_URI },
	{ NULL, 0, 0, NULL, 0 },
};
