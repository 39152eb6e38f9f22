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

struct trailer_form {
	struct bytes keys[8];
	size_t nkeys;
	struct bytes separator;
	struct bytes key_separator;
	bool value_only, key_only, has_separator, has_key_separator, unfold;
	int only; /* -1: as keys say */
};

static bool take_truth(struct git *g, struct bytes value, bool given, bool *out)
{
	int truth = given ? config_truth(arena_dup(g->a, value)) : 1;

	*out = truth == 1;
	return truth >= 0;
}

/* False: there is no such option, or it can't have that value. */
static bool parse_trailer_opt(struct git *g, struct bytes word, struct trailer_form *o)
{
	const char *equals = memchr(word.ptr, '=', word.len);
	struct bytes name = word, value = BYTES("");
	bool only;

	if (equals != NULL) {
		name.len = (size_t)(equals - word.ptr);
		value = bytes_slice(word, name.len + 1, word.len);
	}
	if (bytes_is(name, "key") && equals != NULL) {
		if (o->nkeys < sizeof(o->keys) / sizeof(o->keys[0]))
			o->keys[o->nkeys++] = value;
		return true;
	}
	if (bytes_is(name, "separator") && equals != NULL) {
		o->separator = value;
		return o->has_separator = true;
	}
	if (bytes_is(name, "key_value_separator") && equals != NULL) {
		o->key_separator = value;
		return o->has_key_separator = true;
	}
	if (bytes_is(name, "only")) {
		if (!take_truth(g, value, equals != NULL, &only))
			return false;
		o->only = only;
		return true;
	}
	if (bytes_is(name, "valueonly"))
		return take_truth(g, value, equals != NULL, &o->value_only);
	if (bytes_is(name, "keyonly"))
		return take_truth(g, value, equals != NULL, &o->key_only);
	if (bytes_is(name, "unfold"))
		return take_truth(g, value, equals != NULL, &o->unfold);
	return false;
}

static bool parse_trailer_opts(struct git *g, struct bytes text, struct trailer_form *o)
{
	while (text.len != 0) {
		const char *comma = memchr(text.ptr, ',', text.len);
		size_t n = comma != NULL ? (size_t)(comma - text.ptr) : text.len;

		if (!parse_trailer_opt(g, bytes_slice(text, 0, n), o))
			return false;
		text = bytes_slice(text, n + (comma != NULL), text.len);
	}
	return true;
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

static void put_trailer(struct git *g, const struct trailer_form *o, const struct trailer_item *it,
			struct buf *out)
{
	struct bytes key = git_trim(bytes_slice(it->text, 0, (size_t)it->separator));
	struct bytes value = git_trim(
		bytes_slice(it->text, (size_t)it->separator + 1, it->text.len));

	if (o->unfold)
		value = trailer_unfolded(g, value);
	if (!o->value_only)
		buf_add(out, key);
	if (!o->value_only && !o->key_only)
		put_escaped(out, o->key_separator);
	if (!o->key_only)
		buf_add(out, value);
}

bool pretty_trailers(struct git *g, struct bytes message, struct bytes opts, struct buf *out)
{
	struct trailer_form o = { .key_separator = BYTES(": "), .only = -1 };
	struct trailer_item *item;
	size_t n;
	bool any = false;

	if (!parse_trailer_opts(g, opts, &o))
		return false;
	if (o.only < 0)
		o.only = o.nkeys != 0;
	if (!o.only && o.nkeys == 0 && !o.unfold && !o.has_separator && !o.has_key_separator &&
	    !o.value_only && !o.key_only) {
		buf_add(out, trailers_of(g, message));
		return true;
	}
	n = trailers_list(g, message, &item);
	for (size_t i = 0; i < n; i++) {
		if (item[i].separator < 1
			    ? o.only != 0
			    : !key_matches(&o, git_trim(bytes_slice(item[i].text, 0,
								    (size_t)item[i].separator))))
			continue;
		if (any && o.has_separator)
			put_escaped(out, o.separator);
		any = true;
		if (item[i].separator >= 1)
			put_trailer(g, &o, &item[i], out);
		else
			buf_add(out, git_trim(item[i].text));
		if (!o.has_separator)
			buf_putc(out, '\n');
	}
	return true;
}
