/* SPDX-License-Identifier: MIT
 *
 * Parts of messages in formats: %(trailers), and the subject as part of a file's name.
 */
#include "builtins/git/trailer.h"
#include "builtins/git/walk.h"

void pretty_file_name(struct bytes subject, struct buf *out)
{
	int space = 2;
	size_t from = out->len;

	for (size_t i = 0; i < subject.len; i++) {
		unsigned char ch = (unsigned char)subject.ptr[i];

		if (byte_is_alnum(ch) || ch == '.' || ch == '_') {
			if (space == 1)
				buf_putc(out, '-');
			space = 0;
			buf_putc(out, (char)ch);
			if (ch == '.')
				while (i + 1 < subject.len && subject.ptr[i + 1] == '.')
					i++;
		} else {
			space |= 1;
		}
	}
	while (out->len > from && (out->ptr[out->len - 1] == '.' || out->ptr[out->len - 1] == '-'))
		out->len--;
}

static bool truth_of(struct bytes v)
{
	return v.len == 0 || bytes_is(v, "true") || bytes_is(v, "yes") || bytes_is(v, "on");
}

struct trailer_form {
	struct bytes keys[8];
	size_t nkeys;
	struct bytes separator;
	struct bytes key_separator;
	bool value_only;
	bool key_only;
	bool has_separator;
	bool only;
};

static void parse_trailer_opts(struct bytes text, struct trailer_form *o)
{
	while (text.len != 0) {
		const char *comma = memchr(text.ptr, ',', text.len);
		size_t n = comma != NULL ? (size_t)(comma - text.ptr) : text.len;
		struct bytes word = bytes_slice(text, 0, n);
		const char *equals = memchr(word.ptr, '=', word.len);
		struct bytes value = { "", 0 };
		struct bytes name = word;

		if (equals != NULL) {
			name.len = (size_t)(equals - word.ptr);
			value = bytes_slice(word, name.len + 1, word.len);
		}
		if (bytes_is(name, "key") && o->nkeys < 8)
			o->keys[o->nkeys++] = value;
		else if (bytes_is(name, "separator"))
			o->separator = value, o->has_separator = true;
		else if (bytes_is(name, "key_value_separator"))
			o->key_separator = value;
		else if (bytes_is(name, "valueonly"))
			o->value_only = truth_of(value);
		else if (bytes_is(name, "keyonly"))
			o->key_only = truth_of(value);
		text = bytes_slice(text, n + (comma != NULL), text.len);
	}
}

static void put_escaped(struct buf *out, struct bytes s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '%' && i + 1 < s.len && s.ptr[i + 1] == 'n') {
			buf_putc(out, '\n');
			i++;
		} else if (s.ptr[i] == '%' && i + 3 < s.len && s.ptr[i + 1] == 'x') {
			buf_putc(out,
				 (char)(byte_digit(s.ptr[i + 2]) << 4 | byte_digit(s.ptr[i + 3])));
			i += 3;
		} else {
			buf_putc(out, s.ptr[i]);
		}
	}
}

static bool key_matches(const struct trailer_form *o, struct bytes key)
{
	if (o->nkeys == 0)
		return true;
	for (size_t i = 0; i < o->nkeys; i++) {
		struct bytes k = o->keys[i];

		if (k.len != 0 && k.ptr[k.len - 1] == ':')
			k.len--;
		if (k.len != key.len)
			continue;
		size_t j = 0;

		while (j < k.len && byte_to_lower((unsigned char)k.ptr[j]) ==
					    byte_to_lower((unsigned char)key.ptr[j]))
			j++;
		if (j == k.len)
			return true;
	}
	return false;
}

void pretty_trailers(struct git *g, struct bytes message, struct bytes opts, struct buf *out)
{
	struct trailer_form o = { .separator = BYTES("\n"), .key_separator = BYTES(": ") };
	struct bytes block = trailers_of(g, message);
	struct bytes line;
	bool any = false;

	parse_trailer_opts(opts, &o);
	while (git_line(&block, &line)) {
		const char *colon = memchr(line.ptr, ':', line.len);
		struct bytes key, value;

		if (colon == NULL)
			continue;
		key = (struct bytes){ line.ptr, (size_t)(colon - line.ptr) };
		value = git_trim(bytes_slice(line, key.len + 1, line.len));
		if (!key_matches(&o, key))
			continue;
		if (any && o.has_separator)
			put_escaped(out, o.separator);
		any = true;
		if (!o.value_only)
			buf_add(out, key);
		if (!o.value_only && !o.key_only)
			put_escaped(out, o.key_separator);
		if (!o.key_only)
			buf_add(out, value);
		if (!o.has_separator)
			buf_putc(out, '\n');
	}
}
