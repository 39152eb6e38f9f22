/* SPDX-License-Identifier: MIT
 *
 * Text: which encoding, which line ends, which language.
 */
#include "base/regex.h"
#include "builtins/file/file.h"

enum { LINE_LONG = 300, CSV_LINES = 10, JSON_DEPTH = 500 };

/* --- encodings --- */

/* T: text in any encoding, I: ISO-8859, X: other extended ASCII, 0: none. */
static char byte_class(unsigned char ch)
{
	if (ch >= 0xa0)
		return 'I';
	if (ch >= 0x80)
		return ch == 0x85 ? 'T' : 'X';
	if (ch >= 0x20)
		return ch == 0x7f ? 0 : 'T';
	return (ch >= 7 && ch <= 13 && ch != 11) || ch == 27 ? 'T' : 0;
}

static bool is_utf8(struct bytes s, bool whole)
{
	for (size_t at = 0; at < s.len;) {
		uint32_t ch;
		size_t n = utf8_decode(s, at, &ch);

		if (n == 0)
			return !whole && s.len - at < 4;
		if (n == 1 && byte_class((unsigned char)s.ptr[at]) != 'T')
			return false;
		at += n;
	}
	return true;
}

static void set_encoding(struct guess *g, const char *charset, const char *encoding)
{
	g->charset = charset;
	g->encoding = encoding;
}

static bool is_wide_text(struct bytes s, size_t size, bool big)
{
	for (size_t at = size; at + size <= s.len; at += size) {
		uint64_t ch = big ? load_be(s, at, size) : load_le(s, at, size);

		if (ch == 0xfffe || (size == 2 && ch == 0xffff) ||
		    (ch < 128 && byte_class((unsigned char)ch) != 'T'))
			return false;
	}
	return true;
}

void guess_encoding(struct guess *g)
{
	struct bytes s = g->data;
	bool whole = s.len < LOOK_TEXT_BYTES;
	bool seen[256] = { false };
	bool high = false;

	if (!whole)
		s.len = LOOK_TEXT_BYTES;
	set_encoding(g, "binary", NULL);
	if (s.len == 0)
		return;
	if (HAS(s, 0, "\xff\xfe\0\0") && is_wide_text(s, 4, false)) {
		set_encoding(g, "utf-32le", "Unicode text, UTF-32, little-endian");
		return;
	}
	if (HAS(s, 0, "\0\0\xfe\xff") && is_wide_text(s, 4, true)) {
		set_encoding(g, "utf-32be", "Unicode text, UTF-32, big-endian");
		return;
	}
	if (HAS(s, 0, "\xff\xfe") && is_wide_text(s, 2, false)) {
		set_encoding(g, "utf-16le", "Unicode text, UTF-16, little-endian text");
		return;
	}
	if (HAS(s, 0, "\xfe\xff") && is_wide_text(s, 2, true)) {
		set_encoding(g, "utf-16be", "Unicode text, UTF-16, big-endian text");
		return;
	}
	for (size_t i = 0; i < s.len; i++)
		seen[(unsigned char)s.ptr[i]] = true;
	bool extended = false;

	for (int ch = 0; ch < 256; ch++) {
		char class = seen[ch] ? byte_class((unsigned char)ch) : 'T';

		high |= seen[ch] && ch >= 0x80;
		if (class == 0)
			return;
		extended |= class == 'X';
	}
	if (!high)
		set_encoding(g, "us-ascii", "ASCII text");
	else if (HAS(s, 0, "\xef\xbb\xbf") && is_utf8(s, whole))
		set_encoding(g, "utf-8", "Unicode text, UTF-8 (with BOM) text");
	else if (is_utf8(s, whole))
		set_encoding(g, "utf-8", "Unicode text, UTF-8 text");
	else if (!extended)
		set_encoding(g, "iso-8859-1", "ISO-8859 text");
	else
		set_encoding(g, "unknown-8bit", "Non-ISO extended-ASCII text");
}

/* --- line ends --- */

struct lines {
	size_t lf;
	size_t crlf;
	size_t cr;
	size_t nel;
	size_t longest;
	bool escapes;
	bool overstrikes;
};

static void count_lines(const struct guess *g, struct lines *l)
{
	struct bytes s = g->data;
	size_t step = strncmp(g->charset, "utf-16", 6) == 0   ? 2
		      : strncmp(g->charset, "utf-32", 6) == 0 ? 4
							      : 1;
	size_t low = g->charset[strlen(g->charset) - 2] == 'b' ? step - 1 : 0;
	size_t length = 0;
	bool cr = false;

	*l = (struct lines){ 0 };
	if (s.len > LOOK_TEXT_BYTES)
		s.len = LOOK_TEXT_BYTES;
	for (size_t at = step > 1 ? step : 0; at + step <= s.len; at += step) {
		unsigned char ch = (unsigned char)s.ptr[at + low];

		if (step > 1 && load_le(s, at, step) != (uint64_t)ch && load_be(s, at, step) != ch)
			ch = 'x';
		if (ch == '\n') {
			l->lf += !cr;
			l->crlf += cr;
		} else {
			l->cr += cr;
		}
		cr = ch == '\r';
		l->nel += ch == 0x85 && strcmp(g->charset, "utf-8") != 0;
		l->escapes |= ch == 27;
		l->overstrikes |= ch == '\b';
		/* Bytes behind the first of a UTF-8 character do not count. */
		if (ch == '\n' || ch == '\r')
			length = 0;
		else if ((ch & 0xc0) != 0x80 || strcmp(g->charset, "utf-8") != 0)
			length++;
		l->longest = length > l->longest ? length : l->longest;
	}
	l->cr += cr;
}

static void put_lines(struct guess *g)
{
	struct lines l;
	const char *between = "";

	if (strncmp(g->charset, "utf-32", 6) == 0)
		return;
	count_lines(g, &l);
	if (l.longest > LINE_LONG)
		buf_printf(&g->text, ", with very long lines (%zu)", l.longest);
	if (l.lf + l.crlf + l.cr + l.nel == 0) {
		buf_puts(&g->text, ", with no line terminators");
	} else if (l.crlf + l.cr + l.nel > 0) {
		const size_t n[] = { l.crlf, l.cr, l.lf, l.nel };
		static const char *const names[] = { "CRLF", "CR", "LF", "NEL" };

		buf_puts(&g->text, ", with ");
		for (int i = 0; i < 4; i++)
			if (n[i] > 0) {
				buf_printf(&g->text, "%s%s", between, names[i]);
				between = ", ";
			}
		buf_puts(&g->text, " line terminators");
	}
	if (l.escapes)
		buf_puts(&g->text, ", with escape sequences");
	if (l.overstrikes)
		buf_puts(&g->text, ", with overstriking");
}

/* "NAME, ASCII text TAIL, with ..."; name NULL: without it. */
static void put_text(struct guess *g, const char *name, const char *mime, bool executable)
{
	if (name != NULL)
		buf_printf(&g->text, "%s, ", name);
	buf_printf(&g->text, "%s%s", g->encoding, executable ? " executable" : "");
	g->mime = mime;
	put_lines(g);
}

/* --- JSON --- */

struct json {
	struct bytes s;
	size_t at;
	struct cmd *c;
	unsigned depth;
	bool container; /* an object or array at the top */
};

static void skip_space(struct json *j)
{
	while (j->at < j->s.len && j->s.ptr[j->at] != '\0' &&
	       strchr(" \t\r\n", j->s.ptr[j->at]) != NULL)
		j->at++;
}

static bool take(struct json *j, char ch)
{
	if (j->at >= j->s.len || j->s.ptr[j->at] != ch)
		return false;
	j->at++;
	return true;
}

static bool json_string(struct json *j)
{
	if (!take(j, '"'))
		return false;
	while (j->at < j->s.len) {
		unsigned char ch = (unsigned char)j->s.ptr[j->at++];

		if (ch == '"')
			return true;
		if (ch < 0x20)
			return false;
		if (ch != '\\')
			continue;
		ch = j->at < j->s.len ? (unsigned char)j->s.ptr[j->at++] : 0;
		if (ch == 0 || strchr("\"\\/bfnrtu", ch) == NULL)
			return false;
		for (int i = 0; ch == 'u' && i < 4; i++)
			if (j->at >= j->s.len || !byte_is_xdigit((unsigned char)j->s.ptr[j->at++]))
				return false;
	}
	return false;
}

static bool json_number(struct json *j)
{
	size_t digits = 0;

	take(j, '-');
	for (; j->at < j->s.len && byte_is_digit(j->s.ptr[j->at]); j->at++)
		digits++;
	if (take(j, '.'))
		for (digits = 0; j->at < j->s.len && byte_is_digit(j->s.ptr[j->at]); j->at++)
			digits++;
	if (digits > 0 && (take(j, 'e') || take(j, 'E'))) {
		if (!take(j, '+'))
			take(j, '-');
		for (digits = 0; j->at < j->s.len && byte_is_digit(j->s.ptr[j->at]); j->at++)
			digits++;
	}
	return digits > 0;
}

static bool json_word(struct json *j)
{
	static const char *const words[] = { "true", "false", "null" };

	for (int i = 0; i < 3; i++)
		if (has_at(j->s, j->at, words[i], strlen(words[i]))) {
			j->at += strlen(words[i]);
			return true;
		}
	return false;
}

static bool json_value(struct json *j)
{
	skip_space(j);
	cmd_charge(j->c, 1);
	if (j->at >= j->s.len || ++j->depth > JSON_DEPTH)
		return false;
	char open = j->s.ptr[j->at];
	bool good;

	if (open == '{' || open == '[') {
		char close = open == '{' ? '}' : ']';

		j->container = true;
		j->at++;
		skip_space(j);
		if (take(j, close)) {
			j->depth--;
			return true;
		}
		do {
			skip_space(j);
			/* A comma behind the last member is let pass. */
			if (open == '{' && j->at < j->s.len && j->s.ptr[j->at] == '}')
				break;
			if (open == '{') {
				good = json_string(j);
				skip_space(j);
				if (!good || !take(j, ':'))
					return false;
			}
			if (!json_value(j))
				return false;
			skip_space(j);
		} while (take(j, ','));
		good = take(j, close);
	} else {
		good = open == '"'                          ? json_string(j)
		       : open == '-' || byte_is_digit(open) ? json_number(j)
							    : json_word(j);
	}
	j->depth--;
	return good;
}

/* 0: no JSON, 1: one value, 2: a value a line. */
static int json_kind(struct guess *g)
{
	struct json j = { .s = g->data, .c = g->c };
	int values = 0;

	if (strcmp(g->charset, "us-ascii") != 0 && strcmp(g->charset, "utf-8") != 0)
		return 0;
	skip_space(&j);
	if (j.at >= j.s.len || (j.s.ptr[j.at] != '{' && j.s.ptr[j.at] != '['))
		return 0;
	while (j.at < j.s.len) {
		j.depth = 0;
		if (!json_value(&j))
			return 0;
		values++;
		size_t end = j.at;

		skip_space(&j);
		/* Further values begin on lines of their own. */
		if (j.at < j.s.len && memchr(j.s.ptr + end, '\n', j.at - end) == NULL)
			return 0;
	}
	return values > 1 ? 2 : values;
}

/* --- CSV --- */

static bool is_csv(const struct guess *g)
{
	struct bytes s = g->data;
	size_t lines = 0;
	size_t fields = 0;
	size_t commas = 0;
	bool quoted = false;

	for (size_t i = 0; i < s.len; i++) {
		char ch = s.ptr[i];

		if (ch == '"') {
			quoted = !quoted;
		} else if (ch == ',' && !quoted) {
			commas++;
		} else if (ch == '\n' && !quoted) {
			if (++lines > 1 && commas != fields)
				return false;
			fields = commas;
			commas = 0;
			if (fields == 0)
				return false;
			if (lines == CSV_LINES)
				return true;
		}
	}
	return fields > 0 && lines > 2;
}

/* --- scripts --- */

struct interpreter {
	const char *name;
	const char *text;
	const char *mime;
	bool env; /* known behind env, too */
};

static const struct interpreter interpreters[] = {
	{ "sh", "POSIX shell script", "text/x-shellscript", false },
	{ "bash", "Bourne-Again shell script", "text/x-shellscript", true },
	{ "csh", "C shell script", "text/x-shellscript", false },
	{ "tcsh", "Tenex C shell script", "text/x-shellscript", false },
	{ "zsh", "Paul Falstad's zsh script", "text/x-shellscript", true },
	{ "ksh", "Korn shell script", "text/x-shellscript", false },
	{ "fish", "fish shell script", "text/x-shellscript", true },
	{ "awk", "awk script", "text/x-awk", false },
	{ "gawk", "GNU awk script", "text/x-gawk", false },
	{ "nawk", "new awk script", "text/x-nawk", false },
	{ "python", "Python script", "text/x-script.python", true },
	{ "ruby", "Ruby script", "text/x-ruby", true },
	{ "lua", "Lua script", "text/x-lua", true },
	{ "tclsh", "Tcl/Tk script", "text/x-tcl", true },
	{ "wish", "Tcl/Tk script", "text/x-tcl", true },
	{ "php", "PHP script", "text/x-php", false },
};

/* The name up to a blank without digits and points behind: python3.11 is python. */
static bool is_interpreter(struct bytes word, const char *name)
{
	size_t len = strlen(name);

	if (word.len < len || memcmp(word.ptr, name, len) != 0)
		return false;
	for (size_t i = len; i < word.len; i++)
		if (!byte_is_digit(word.ptr[i]) && word.ptr[i] != '.')
			return false;
	return word.len == len || strcmp(name, "python") == 0 || strcmp(name, "lua") == 0 ||
	       strcmp(name, "php") == 0 || strcmp(name, "ruby") == 0 || strcmp(name, "tclsh") == 0;
}

static bool guess_script(struct guess *g)
{
	static const char *const places[] = { "/bin/", "/usr/bin/", "/usr/local/bin/" };
	struct bytes s = g->data;
	size_t end = 2;

	if (!HAS(s, 0, "#!"))
		return false;
	while (end < s.len && s.ptr[end] != '\n' && s.ptr[end] != '\r')
		end++;
	struct bytes line = bytes_slice(s, 2, end);

	while (line.len > 0 && byte_is_blank(line.ptr[0]))
		line = bytes_slice(line, 1, line.len);
	while (line.len > 0 && byte_is_blank(line.ptr[line.len - 1]))
		line.len--;
	if (line.len == 0)
		return false;
	struct bytes whole = line;
	struct bytes name = BYTES("");
	bool env = bytes_starts(line, BYTES("/usr/bin/env "));

	if (env) {
		whole = name = bytes_slice(line, 13, line.len);
	} else {
		for (int i = 0; i < 3; i++)
			if (bytes_starts(line, bytes_of(places[i])))
				name = bytes_slice(line, strlen(places[i]), line.len);
	}
	const char *blank = name.len > 0 ? memchr(name.ptr, ' ', name.len) : NULL;

	if (blank != NULL)
		name.len = (size_t)(blank - name.ptr);
	if (bytes_is(name, "perl")) {
		buf_puts(&g->text, "Perl script text executable");
		g->mime = "text/x-perl";
		return true;
	}
	if (bytes_is(name, "node") || bytes_is(name, "nodejs")) {
		put_text(g, "Node.js script executable", "application/javascript", false);
		return true;
	}
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters); i++)
		if ((interpreters[i].env || !env) && is_interpreter(name, interpreters[i].name)) {
			put_text(g, interpreters[i].text, interpreters[i].mime, true);
			return true;
		}
	struct buf text = buf_in(g->c->arena);

	buf_printf(&text, "a %.*s script", (int)whole.len, whole.ptr);
	put_text(g, buf_cstr(&text), "text/plain", true);
	return true;
}

/* --- languages --- */

struct mark {
	const char *start;
	const char *text;
	const char *mime;
};

/* A text that must occur, and an expression that must match (NULL: none; start: see there). */
struct rule {
	const char *word;
	const char *pattern;
	const char *text;
	const char *mime;
	bool executable;
	short reach; /* how far it is looked for, in bytes or, below 0, lines; 0: as far as any */
};

static const char c_text[] = "C source";
static const char c_mime[] = "text/x-c";
static const char cpp_text[] = "C++ source";
static const char cpp_mime[] = "text/x-c++";
static const char py_text[] = "Python script";
static const char py_mime[] = "text/x-script.python";
static const char js_text[] = "JavaScript source";
static const char js_mime[] = "application/javascript";

static const char html_text[] = "HTML document";
static const char html_mime[] = "text/html";
static const char make_text[] = "makefile script";
static const char make_mime[] = "text/x-makefile";
static const char asm_text[] = "assembler source";
static const char asm_mime[] = "text/x-asm";
static const char ruby_text[] = "Ruby script";
static const char ruby_mime[] = "text/x-ruby";
static const char pod_text[] = "Perl POD document";
static const char troff_text[] = "troff or preprocessor input";
static const char troff_mime[] = "text/troff";
static const char tex_text[] = "LaTeX document";
static const char tex_mime[] = "text/x-tex";
static const char lisp_text[] = "Lisp/Scheme program";
static const char lisp_mime[] = "text/x-lisp";
static const char m4_text[] = "M4 macro processor script";
static const char m4_mime[] = "text/x-m4";
static const char sgml_text[] = "exported SGML document";
static const char plain[] = "text/plain";
static const char mail_mime[] = "message/rfc822";

/* In place of an expression: the text begins with the word. */
static const char start[] = "";

#define PY_DEF   "^[ \t]*def +[A-Za-z0-9_]+ *\\([A-Za-z, *]*\\):$"
#define RB_DEF   "^[ \t]*def [a-z].*\n(.*\n)*[ \t]*end([ \t]|$)"
#define RB_CLASS "^[ \t]*(class|module)[ \t][A-Z].*\n(.*\n)*[ \t]*end([ \t]|$)"
#define SRT_TIME "^[0-9]+\r?\n[0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3} --> "

/* The first that holds is the answer, so the strongest come first. */
static const struct rule rules[] = {
	{ "\nmsgid ", "^msgstr ", "GNU gettext message catalogue", "text/x-po", false, 1024 },
	{ "+++ ", "^--- .*\n\\+\\+\\+ ", "unified diff output", "text/x-diff", false, 4096 },
	{ "export", "^export (function|class|default|const|var|let|async)[ \t(]", js_text, js_mime,
	  false, 0 },
	{ "Received:", start, "RFC 822 mail", mail_mime, false, 0 },
	{ "Return-Path:", start, "SMTP mail", mail_mime, false, 0 },
	{ "Relay-Version:", start, "old news", mail_mime, false, 0 },
	{ " --> ", "^WEBVTT", "WebVTT subtitles", "text/vtt", false, 0 },
	{ " --> ", SRT_TIME, "SubRip", "application/x-subrip", false, 0 },
	{ "require", "^(const|let|var) .*= *require\\(", js_text, js_mime, false, 0 },
	{ "module.exports", "^[ \t]*module\\.exports.*=", js_text, js_mime, false, 0 },
	{ " from ", "^(import|export).* from ", js_text, js_mime, false, 0 },
	{ "end", RB_CLASS, ruby_text, ruby_mime, false, 0 },
	{ "typeof", "typeof .* [!=]==", js_text, js_mime, false, 0 },
	{ "(function", "\\(function( .*)?\\(", js_text, js_mime, false, 0 },
	{ "From: ", start, "news or mail", mail_mime, false, 0 },
	{ "package", "^package[ \t]+[0-9A-Za-z_:]+ *;", "Perl5 module source", plain, false, 0 },
	{ "use strict", "^[ \t]*['\"]use strict['\"]", js_text, js_mime, false, 0 },
	{ "namespace", "^namespace[ \t]+[_A-Za-z]+[ \t]*\\{", cpp_text, cpp_mime, false, 0 },
	{ "protected", "^[ \t]*protected:", cpp_text, cpp_mime, false, 0 },
	{ "private", "^[ \t]*private:", cpp_text, cpp_mime, false, 0 },
	{ "using namespace std", NULL, cpp_text, cpp_mime, false, 0 },
	{ "<?", "\\`<\\?([Pp][Hh][Pp]|\n)", "PHP script", "text/x-php", false, 0 },
	{ "template", "^[ \t]*template[ \t]*<.*>[ \t]*$", cpp_text, cpp_mime, false, 0 },
	{ "virtual", "^[ \t]*virtual[ \t]+.*[};][ \t]*$", cpp_text, cpp_mime, false, 0 },
	{ "class", "^[ \t]*class[ \t]+[A-Za-z0-9_:]+[ \t]*\\{(\n|[^}])*\\}", cpp_text, cpp_mime,
	  false, 0 },
	{ "public", "^[ \t]*public:", cpp_text, cpp_mime, false, 0 },
	{ "#import", "^#import", "Objective-C source", "text/x-objective-c", false, 0 },
	{ "\\documentclass", NULL, "LaTeX 2e document", tex_mime, false, 4096 },
	{ "\\documentstyle", NULL, tex_text, tex_mime, false, 4096 },
	{ "\"\"\"", start, py_text, plain, true, 0 },
	{ "__main__", "^ *if +__name__ *== *['\"]__main__['\"]", py_text, py_mime, true, 4096 },
	{ "class ", "^class [A-Za-z0-9_]+(\\(.*\\))?:( pass)?$", py_text, py_mime, true, 0 },
	{ "AC_DEFUN", "^AC_DEFUN\\(\\[", m4_text, m4_mime, false, 0 },
	{ "\\begin", NULL, tex_text, tex_mime, false, 4096 },
	{ "\\section", NULL, tex_text, tex_mime, false, 4096 },
	{ "\\chapter", NULL, tex_text, tex_mime, false, 4096 },
	{ "def ", PY_DEF, py_text, py_mime, true, 0 },
	{ "try:", "^ *try:.*\n(.*\n)* *(except|finally).*:", py_text, py_mime, true, 4096 },
	{ "\\input", "^\\\\input", "TeX document", tex_mime, false, 0 },
	{ "\\setlength", start, tex_text, tex_mime, false, 0 },
	{ "\\relax", start, "LaTeX auxiliary file", tex_mime, false, 0 },
	{ "<", "<[Ss][Cc][Rr][Ii][Pp][Tt][ \t\n>]", html_text, html_mime, false, 4096 },
	{ "<", "<[Aa] [Hh][Rr][Ee][Ff]=", html_text, html_mime, false, 4096 },
	{ "#include", "^[ \t]*#[ \t]*include", c_text, c_mime, false, 0 },
	{ "all:", "^all:", make_text, make_mime, false, -100 },
	{ "SUBDIRS", "^SUBDIRS[ \t]+=", "automake makefile script", make_mime, false, -100 },
	{ "CFLAGS", "^CFLAGS", make_text, make_mime, false, -100 },
	{ "LDFLAGS", "^LDFLAGS", make_text, make_mime, false, -100 },
	{ "VPATH", "^VPATH", make_text, make_mime, false, -100 },
	{ "import", "^from[ \t]+[A-Za-z0-9_.]+[ \t]+import", py_text, py_mime, true, 0 },
	{ "<", "<[Hh][Tt][Mm][Ll][ \t\n>]", html_text, html_mime, false, 4096 },
	{ "<!", "<![Dd][Oo][Cc][Tt][Yy][Pp][Ee] [Hh][Tt][Mm][Ll]", html_text, html_mime, false,
	  4096 },
	{ "<", "<[Tt][Ii][Tt][Ll][Ee][ \t\n>]", html_text, html_mime, false, 4096 },
	{ "<", "<[Hh][Ee][Aa][Dd][ \t\n>]", html_text, html_mime, false, 4096 },
	{ "<", "<([Ss][Tt][Yy]|[Tt][Aa][Bb])[Ll][Ee][ \t\n>]", html_text, html_mime, false, 4096 },
	{ "end", RB_DEF, ruby_text, ruby_mime, false, 0 },
	{ "package require", start, "Tcl script", plain, false, 0 },
	{ "endif", "^#[ \t]*if(n)?def", c_text, c_mime, false, 0 },
	{ "union", "^union[ \t]+", c_text, c_mime, false, 0 },
	{ "public static void main(", NULL, "Java source", "text/x-java", false, 0 },
	{ "main(", "main\\([^)]*\\)[ \t\n]*\\{", c_text, c_mime, false, 0 },
	{ "@", "\\`@([Ee][Cc][Hh][Oo] [Oo][Ff][Ff]|[Rr][Ee][Mm]|[Ss][Ee][Tt] )", "DOS batch file",
	  "text/x-msdos-batch", false, 0 },
	{ "diff ", start, "diff output", "text/x-diff", false, 0 },
	{ "Only in ", start, "diff output", "text/x-diff", false, 0 },
	{ "Index:", start, "RCS/CVS diff output", "text/x-diff", false, 0 },
	{ "dnl ", start, m4_text, m4_mime, false, 0 },
	{ "\ndnl ", NULL, m4_text, m4_mime, false, 0 },
	{ "=pod\n", start, pod_text, plain, false, 0 },
	{ "\n=pod\n", NULL, pod_text, plain, false, 1024 },
	{ "*** ", "\\`\n*\\*\\*\\* .*\n--- ", "context diff output", "text/x-diff", false, 0 },
	{ ".\\\"", start, troff_text, troff_mime, false, 0 },
	{ "'\\\"", start, troff_text, troff_mime, false, 0 },
	{ "<!DOCTYPE ", NULL, sgml_text, plain, false, 4096 },
	{ "<!doctype ", NULL, sgml_text, plain, false, 4096 },
	{ ".", "^\\.[A-Za-z][A-Za-z0-9][ \t\n]", troff_text, troff_mime, false, -20 },
	{ "BEGIN", "^[ \t]*BEGIN[ \t]*\\{", "awk or perl script", plain, false, 4096 },
	{ "require", "^[ \t]*require[ \t]+'[A-Za-z_/.]+'", ruby_text, ruby_mime, false, 0 },
	{ "\n=head1 ", NULL, pod_text, plain, false, 1024 },
	{ "\n=head2 ", NULL, pod_text, plain, false, 1024 },
	{ "=encoding ", start, pod_text, plain, false, 1024 },
	{ "#EXTM3U", start, "M3U playlist", plain, false, 0 },
	{ ".globl", "^[ \t]*\\.globl", asm_text, asm_mime, false, 0 },
	{ ".asciiz", "^[ \t]*\\.asciiz", asm_text, asm_mime, false, 0 },
	{ "#pragma", "^#pragma", c_text, c_mime, false, 0 },
	{ "struct", "^struct[ \t]+", c_text, c_mime, false, 0 },
	{ "extern", "^[ \t]*extern[ \t]+", c_text, c_mime, false, 0 },
	{ "import", "^import .*;$", "Java source", "text/x-java", false, 0 },
	{ "(ns ", start, "Clojure module source", "text/x-clojure", false, 0 },
	{ "(", "^\\((defun|defvar|defmacro) ", lisp_text, lisp_mime, false, 4096 },
	{ "=head1 ", start, pod_text, plain, false, 1024 },
	{ "=head2 ", start, pod_text, plain, false, 1024 },
	{ ".", "^[ \t]*\\.(file|text|type|byte|even)", asm_text, asm_mime, false, 0 },
	{ "(setq ", "^\\(setq ", lisp_text, lisp_mime, false, 4096 },
	{ "package", "^package[ \t]+require", "Tcl script", plain, false, 0 },
	{ "a libtool library file", "^# Generated by libtool", "libtool library file", plain, false,
	  0 },
	{ "<!--", NULL, sgml_text, plain, false, 4096 },
};

/* What a rule sees of the text. A line counts for 80 bytes. */
static struct bytes within(struct bytes s, int reach)
{
	size_t most = reach > 0 ? (size_t)reach : reach < 0 ? (size_t)-reach * 80 : s.len;
	size_t at = 0;

	s.len = s.len < most ? s.len : most;
	for (int line = 0; line < -reach; line++) {
		const char *end = memchr(s.ptr + at, '\n', s.len - at);

		if (end == NULL)
			return s;
		at = (size_t)(end - s.ptr) + 1;
	}
	return reach < 0 ? bytes_slice(s, 0, at) : s;
}

static bool matches(struct guess *g, const struct rule *r, struct bytes s)
{
	struct arena_mark mark = arena_mark(g->c->arena);
	struct regex *re;
	const char *message;

	s = within(s, r->reach);
	if (r->pattern == start)
		return bytes_starts(s, bytes_of(r->word));
	if (bytes_find(s, bytes_of(r->word)) == NULL)
		return false;
	if (r->pattern == NULL)
		return true;
	if (regex_compile(g->c->arena, bytes_of(r->pattern),
			  REGEX_ERE | REGEX_NOSUB | REGEX_NEWLINE, &re, &message, NULL) != 0)
		return false;
	regex_set_work(re, cmd_work, g->c);
	bool found = regex_test(re, s, 0) == 0;

	arena_release(g->c->arena, mark);
	return found;
}

static struct bytes rule_text(const struct guess *g)
{
	struct bytes s = g->data;

	if (HAS(s, 0, "\xef\xbb\xbf"))
		s = bytes_slice(s, 3, s.len);
	if (s.len > LOOK_RULE_BYTES)
		s.len = LOOK_RULE_BYTES;
	return s;
}

/* Whether the text begins with a word, in any case. */
static bool begins(struct bytes s, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < len; i++)
		if (i >= s.len || byte_to_lower((unsigned char)s.ptr[i]) != word[i])
			return false;
	return true;
}

/* A tag of a page, first of all. */
static bool begins_page(struct guess *g, struct bytes s)
{
	static const char *const tags[] = { "<!doctype html", "<html" };

	while (s.len > 0 && byte_is_space((unsigned char)s.ptr[0]))
		s = bytes_slice(s, 1, s.len);
	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
		size_t len = strlen(tags[i]);

		if (begins(s, tags[i]) && s.len > len && memchr(" \t\n>", s.ptr[len], 4) != NULL) {
			put_text(g, html_text, html_mime, false);
			return true;
		}
	}
	return false;
}

static bool guess_markup(struct guess *g, struct bytes s)
{
	if (HAS(s, 0, "<?xml")) {
		const char *version = bytes_find(s, BYTES("version="));
		struct buf name = buf_in(g->c->arena);

		if (bytes_find(s, BYTES("<svg")) != NULL) {
			buf_puts(&g->text, "SVG Scalable Vector Graphics image");
			g->mime = "image/svg+xml";
			return true;
		}
		size_t at = version != NULL ? (size_t)(version - s.ptr) + 9 : s.len;

		buf_puts(&name, "XML ");
		for (; at < s.len && (byte_is_digit(s.ptr[at]) || s.ptr[at] == '.'); at++)
			buf_putc(&name, s.ptr[at]);
		buf_puts(&name, " document");
		put_text(g, buf_cstr(&name), "text/xml", false);
		return true;
	}
	if (HAS(s, 0, "<svg")) {
		buf_puts(&g->text, "SVG Scalable Vector Graphics image");
		g->mime = "image/svg+xml";
		return true;
	}
	if (begins_page(g, s))
		return true;
	if (HAS(s, 0, "<!DOCTYPE svg")) {
		buf_puts(&g->text, "SVG XML document");
		g->mime = "image/svg+xml";
		return true;
	}
	return false;
}

static bool is_section(unsigned char ch)
{
	return byte_is_alnum(ch) || ch == '_' || ch == ' ';
}

/* Settings of DOS and Windows: by the first section, or the second of those that CRs end. */
static bool guess_ini(struct guess *g, struct bytes s)
{
	static const char wine[] = "application/x-wine-extension-ini";
	static const char setup[] = "application/x-setupscript";
	static const struct mark known[] = {
		{ "[version]", "Windows setup INFormation", setup },
		{ "[strings]", "Windows setup INFormation", setup },
		{ "[autorun]", "Microsoft Windows Autorun file", setup },
		{ "[.shellclassinfo]", "Windows desktop.ini", wine },
		{ "[boot loader]", "Windows boot.ini", wine },
	};
	size_t from = 0;
	size_t to;

	if (!HAS(s, 0, "[") && !HAS(s, 0, ";") && !HAS(s, 0, "\r\n"))
		return false;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (begins(s, known[i].start)) {
			buf_puts(&g->text, known[i].text);
			g->mime = known[i].mime;
			return true;
		}
	for (int i = 0; i < 2; i++) {
		const char *open = memchr(s.ptr + from, '[', s.len - from);

		if (open == NULL)
			return false;
		from = (size_t)(open - s.ptr) + 1;
	}
	for (to = from; to < s.len && is_section((unsigned char)s.ptr[to]);)
		to++;
	if (to == from || !HAS(s, to, "]\r"))
		return false;
	buf_printf(&g->text, "Generic INItialization configuration [%.*s]", (int)(to - from),
		   s.ptr + from);
	g->mime = wine;
	return true;
}

/* A link of Windows to a page. */
static bool guess_shortcut(struct guess *g, struct bytes s)
{
	struct buf name = buf_in(g->c->arena);
	const char *url = bytes_find(s, BYTES("URL="));

	if (bytes_find(s, BYTES("[InternetShortcut]")) == NULL)
		return false;
	buf_puts(&name, "MS Windows 95 Internet shortcut");
	if (url != NULL) {
		struct bytes rest = bytes_slice(s, (size_t)(url - s.ptr) + 4, s.len);
		size_t n = 0;

		while (n < rest.len && rest.ptr[n] != '\r' && rest.ptr[n] != '\n')
			n++;
		buf_printf(&name, " text (URL=<%.*s>)", (int)n, rest.ptr);
	}
	put_text(g, buf_cstr(&name), "application/x-mswinurl", false);
	return true;
}

static bool guess_language(struct guess *g)
{
	struct bytes s = rule_text(g);

	if (guess_script(g) || guess_markup(g, s) || guess_ini(g, s))
		return true;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (matches(g, &rules[i], s)) {
			put_text(g, rules[i].text, rules[i].mime, rules[i].executable);
			return true;
		}
	return guess_shortcut(g, s);
}

static const struct mark marks[] = {
	{ "-----BEGIN CERTIFICATE-----", "PEM certificate", "text/plain" },
	{ "-----BEGIN CERTIFICATE REQ", "PEM certificate request", "text/plain" },
	{ "-----BEGIN RSA PRIVATE", "PEM RSA private key", "text/plain" },
	{ "-----BEGIN DSA PRIVATE", "PEM DSA private key", "text/plain" },
	{ "-----BEGIN EC PRIVATE", "PEM EC private key", "text/plain" },
	{ "-----BEGIN OPENSSH PRIVATE KEY", "OpenSSH private key", "text/plain" },
	{ "ssh-rsa ", "OpenSSH RSA public key", "text/plain" },
	{ "ssh-dss ", "OpenSSH DSA public key", "text/plain" },
	{ "ssh-ed25519 ", "OpenSSH ED25519 public key", "text/plain" },
	{ "ecdsa-sha2-", "OpenSSH ECDSA public key", "text/plain" },
	{ "-----BEGIN PGP SIGNED MESSAGE-", "PGP signed message", "text/PGP" },
	{ "StartFontMetrics", "ASCII font metrics", "text/plain" },
	{ "-----BEGIN PGP MESSAGE-", "PGP message", "application/pgp-encrypted" },
	{ "-----BEGIN PGP PUBLIC KEY BLOCK-", "PGP public key block", "application/pgp-keys" },
	{ "-----BEGIN PGP SIGNATURE-", "PGP signature", "application/pgp-signature" },
	{ "BEGIN:VCALENDAR", "vCalendar calendar file", "text/calendar" },
	{ "d8:announce", "BitTorrent file", "application/x-bittorrent" },
	{ "{\\rtf1\\ansi", "Rich Text Format data, version 1, ANSI", "text/rtf" },
	{ "{\\rtf1", "Rich Text Format data, version 1", "text/rtf" },
};

/* "WIDTH HEIGHT COLOURS CHARACTERS" is the first string. */
static void put_pixmap(struct guess *g)
{
	struct bytes s = within(g->data, LOOK_RULE_BYTES);
	const char *open = memchr(s.ptr, '"', s.len);
	unsigned n[4] = { 0 };
	size_t at = open != NULL ? (size_t)(open - s.ptr) + 1 : s.len;

	buf_puts(&g->text, "X pixmap image text");
	g->mime = "image/x-xpixmap";
	for (int i = 0; i < 4; i++) {
		while (at < s.len && s.ptr[at] == ' ')
			at++;
		if (at >= s.len || !byte_is_digit(s.ptr[at]))
			return;
		for (; at < s.len && byte_is_digit(s.ptr[at]) && n[i] < 1000000; at++)
			n[i] = n[i] * 10 + (unsigned)(s.ptr[at] - '0');
	}
	buf_printf(&g->text, ", %u x %u x %u, %u chars/pixel", n[0], n[1], n[2], n[3]);
}

bool guess_marked_text(struct guess *g)
{
	struct bytes s = g->data;

	if (HAS(s, 0, "/* XPM */")) {
		put_pixmap(g);
		return true;
	}

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (has_at(s, 0, marks[i].start, strlen(marks[i].start))) {
			buf_puts(&g->text, marks[i].text);
			g->mime = marks[i].mime;
			return true;
		}
	if (!HAS(s, 0, "%!"))
		return false;
	buf_puts(&g->text, "PostScript document text");
	g->mime = "application/postscript";
	if (HAS(s, 0, "%!PS-Adobe-") && s.len > 14) {
		buf_printf(&g->text, " conforming DSC level %.*s", 3, s.ptr + 11);
		if (HAS(s, 14, " EPS"))
			buf_puts(&g->text, ", type EPS");
	}
	return true;
}

bool guess_text(struct guess *g)
{
	int json = (g->skip & SKIP_JSON) == 0 ? json_kind(g) : 0;

	if (json != 0) {
		buf_puts(&g->text,
			 json == 1 ? "JSON text data" : "New Line Delimited JSON text data");
		g->mime = json == 1 ? "application/json" : "application/x-ndjson";
		return true;
	}
	if (g->encoding == NULL)
		return false;
	if (strncmp(g->charset, "utf-16", 6) != 0 && strncmp(g->charset, "utf-32", 6) != 0) {
		if ((g->skip & SKIP_CSV) == 0 && is_csv(g)) {
			buf_puts(&g->text, "CSV text");
			g->mime = "text/csv";
			return true;
		}
		if ((g->skip & (SKIP_SOFT | SKIP_TEXT)) == 0 && guess_language(g))
			return true;
	}
	if ((g->skip & SKIP_TEXT) != 0)
		return false;
	put_text(g, NULL, "text/plain", false);
	return true;
}
