/* SPDX-License-Identifier: MIT
 *
 * ptx: its patterns, and moving in a text by words and spaces.
 */
#include "base/format.h"
#include "builtins/ptx/ptx.h"

/* -F, -S and -W know escapes; what is none keeps its backslash. */
const char *ptx_unescape(struct cmd *c, const char *text)
{
	struct bytes s = bytes_of(text);
	struct buf out = buf_in(c->arena);

	for (size_t at = 0; at < s.len;) {
		if (s.ptr[at] != '\\') {
			buf_putc(&out, s.ptr[at++]);
		} else if (at + 1 < s.len && strchr("abcfnrtvx0", s.ptr[at + 1]) == NULL) {
			buf_putc(&out, s.ptr[at++]);
			buf_putc(&out, s.ptr[at++]);
		} else if (format_escape(&out, s, &at, ESCAPE_ECHO, false) == ESCAPE_STOP) {
			break;
		}
	}
	return out.len > 0 ? out.ptr : "";
}

static struct regex *compile_one(struct ptx *x, const char *text, struct bytes pattern)
{
	struct cmd *c = x->c;
	unsigned flags = REGEX_EMACS | REGEX_NEWLINE;
	const char *message;
	struct regex *re;
	size_t at;

	flags |= (c->utf8 ? REGEX_UTF8 : 0u) | (x->o->fold ? REGEX_ICASE : 0u);
	if (regex_compile(c->arena, pattern, flags, &re, &message, &at) < 0)
		cmd_fatal(c, 0, "%s (for regexp %s)", message, cmd_quote(c, text));
	regex_set_work(re, cmd_work, c);
	return re;
}

/* A group around a pattern would renumber what its back-references mean. */
static bool has_reference(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text != '\\')
			continue;
		if (*++text == '\0')
			return false;
		if (byte_is_digit(*text))
			return true;
	}
	return false;
}

static void compile(struct ptx *x, struct ptx_matcher *m, const char *text)
{
	struct bytes pattern = regex_from_emacs(x->c->arena, text);
	struct buf here = buf_in(x->c->arena);

	m->text = text;
	m->re = compile_one(x, text, pattern);
	m->here = m->re;
	if (has_reference(text))
		return;
	buf_puts(&here, "\\`\\(");
	buf_put(&here, pattern.ptr, pattern.len);
	buf_puts(&here, "\\)");
	m->here = compile_one(x, text, buf_bytes(&here));
}

/* The first match in [from, end), of which nothing else is seen. False: there is none. */
bool ptx_match(struct ptx *x, struct regex *re, const char *from, const char *end,
	       struct regex_span *out)
{
	int found = regex_search(re, (struct bytes){ from, (size_t)(end - from) }, 0, 0, out, 1);

	if (found == REGEX_EWORK)
		cmd_fatal(x->c, 0, "error in regular expression matcher");
	return found == 0;
}

void ptx_init_patterns(struct ptx *x)
{
	const struct ptx_opts *o = x->o;
	const char *word = o->word != NULL ? ptx_unescape(x->c, o->word) : "";
	const char *sentence = "\n";

	if (o->sentence != NULL)
		sentence = ptx_unescape(x->c, o->sentence);
	else if (!o->traditional && !o->input_reference)
		sentence = "[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*";
	if (*sentence != '\0')
		compile(x, &x->sentence, sentence);
	if (*word != '\0')
		compile(x, &x->word, word);
	for (int i = 0; i < 256; i++)
		x->in_word[i] = o->traditional ? i != ' ' && i != '\t' && i != '\n'
					       : byte_is_alpha(i);
}

const char *ptx_skip_space(const char *at, const char *end)
{
	while (at < end && byte_is_space((unsigned char)*at))
		at++;
	return at;
}

const char *ptx_skip_nonspace(const char *at, const char *end)
{
	while (at < end && !byte_is_space((unsigned char)*at))
		at++;
	return at;
}

const char *ptx_skip_space_back(const char *at, const char *start)
{
	while (at > start && byte_is_space((unsigned char)at[-1]))
		at--;
	return at;
}

/* Behind the word at `at`, or behind one byte that begins none. at < end. */
const char *ptx_skip_something(struct ptx *x, const char *at, const char *end)
{
	const char *from = at;
	struct regex_span span;

	if (x->word.text != NULL) {
		bool found = ptx_match(x, x->word.here, at, end, &span) && span.from == 0;

		at += found && span.to > 0 ? span.to : 1;
	} else if (x->in_word[(unsigned char)*at]) {
		while (at < end && x->in_word[(unsigned char)*at])
			at++;
	} else {
		at++;
	}
	x->work += (size_t)(at - from);
	return at;
}
