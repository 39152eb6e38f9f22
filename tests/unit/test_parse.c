/* SPDX-License-Identifier: MIT
 *
 * interp/ast.h: units, words, error texts, printing.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "interp/ast.h"
#include "tests/unit/check.h"

static struct store store;
static struct heap heap = { .store = &store };
static struct arena arena;
static struct parse_error error;
static int pulled;

static void start(void)
{
	size_t bytes = (size_t)64 << 20;

	if (arena.heap != NULL)
		return;
	store_init(&store, malloc(bytes), bytes, NULL, NULL);
	arena_init(&arena, &heap, (struct arena_fail){ 0 });
}

static bool alias(void *user, struct bytes name, struct bytes *out)
{
	(void)user;
	*out = bytes_is(name, "ll")   ? BYTES("ls -l")
	       : bytes_is(name, "ls") ? BYTES("ls -F ")
				      : BYTES("deep");
	return bytes_is(name, "ll") || bytes_is(name, "ls") || bytes_is(name, "d");
}

static unsigned alias_flag(void *user)
{
	(void)user;
	return PARSE_ALIASES;
}

static struct parse_config config_for(const char *text)
{
	start();
	return (struct parse_config){
		.heap = &heap, .scratch = &arena, .text = bytes_of(text), .line = 1
	};
}

/* The unit printed, or the messages of its error. */
static const char *parse_with(const struct parse_config *config)
{
	struct buf b = buf_in(&arena);
	struct parser *p = parse_new(config);
	struct ast *unit;
	int rc;

	while (rc = parse_unit(p, &unit, &error), rc == 1) {
		if (b.len != 0)
			buf_putc(&b, '\n');
		print_command(&b, unit->root);
		ast_put(unit);
	}
	if (rc < 0) {
		buf_printf(&b, "%s%d: %.*s", b.len != 0 ? "\n" : "", error.line,
			   (int)error.message[0].len, error.message[0].ptr);
		if (error.message[1].len != 0)
			buf_printf(&b, "\n%d: %.*s", error.second_line, (int)error.message[1].len,
				   error.message[1].ptr);
	}
	return buf_cstr(&b);
}

static const char *parse(const char *text)
{
	struct parse_config config = config_for(text);

	return parse_with(&config);
}

/* The first word behind echo. */
static const struct word *word_of(const char *text)
{
	struct parse_config config = config_for(text);
	struct ast *unit = NULL;

	if (parse_unit(parse_new(&config), &unit, &error) != 1)
		return NULL;
	return ((const struct simple *)unit->root)->words[1]; /* kept until the end */
}

TEST(printing)
{
	CHECK_STR(parse("a;b&c|d&&!  e"), "a; b & c | d && ! e");
	CHECK_STR(parse("if a\nthen b;fi >x"), "if a; then\n    b;\nfi > x");
	CHECK_STR(parse("{ a;b; }"), "{ a; b; }");
	CHECK_STR(parse("( a;b )"), "( a; b )");
	CHECK_STR(parse("x=(a [1]=b\n c) y+=1 cmd 2>&1"), "x=(a [1]=b c) y+=1 cmd 2>&1");
	CHECK_STR(parse("echo $( a;b )"), "echo $(a; b)");
	CHECK_STR(parse("echo $((echo a) )"), "echo $( ( echo a ))");
	CHECK_STR(parse("[[ a && ( b || ! -f c ) ]]"), "[[ -n a && ( -n b || ! -f c ) ]]");
	CHECK_STR(parse("for((i=0;i<3;i++)) { a; }"), "for ((i=0; i<3; i++))\ndo\n    a;\ndone");
	CHECK_STR(parse("f() (a)"), "function f () \n{ \n    ( a )\n}");
	CHECK_STR(parse("cat <<-A | b\n\tx\n\tA\n"), "cat <<-A |\nx\nA\n  b");
	CHECK_STR(parse("case x in a|b) c;; (d) ;& esac"),
		  "case x in \n    a | b)\n        c\n    ;;\n    d)\n\n    ;&\nesac");
}

TEST(errors)
{
	CHECK_STR(parse("if; fi"), "1: syntax error near unexpected token `;'\n1: `if; fi'");
	CHECK_STR(parse("a\nfoo() {\n echo (\n}"),
		  "a\n3: syntax error near unexpected token `newline'\n3: ` echo ('");
	CHECK_STR(parse("{ a"), "2: syntax error: unexpected end of file");
	CHECK(error.at_end);
	CHECK_STR(parse("a \"b\n"), "1: unexpected EOF while looking for matching `\"'");
	CHECK_STR(parse("echo $((1+"), "1: unexpected EOF while looking for matching `)'");
	CHECK_STR(parse("echo ${a b"), "1: unexpected EOF while looking for matching `}'");
	CHECK_STR(parse("[[ a b ]]"), "1: conditional binary operator expected");
	CHECK_STR(parse("[[ -f ]]"), "1: unexpected argument `]]' to conditional unary operator");
	CHECK_STR(parse("for ((i=0;i<1)); do :; done"),
		  "1: syntax error: arithmetic expression required\n"
		  "1: syntax error: `((i=0;i<1))'");
	CHECK_STR(parse("echo a=(1)"),
		  "1: syntax error near unexpected token `('\n1: `echo a=(1)'");
}

TEST(words)
{
	const struct word *w = word_of("echo a\"b c\"'d'");

	CHECK(w->flags & WORD_LITERAL);
	CHECK(w->flags & WORD_QUOTED);
	CHECK_STR(w->literal.ptr, "ab cd");
	w = word_of("echo \"$x\"y${z:-w}");
	CHECK_EQ(w->nparts, 3);
	CHECK(w->parts[0].kind == PART_PARAM && w->parts[0].quoted);
	CHECK(w->parts[2].param->op == OP_DEFAULT && w->parts[2].param->colon);
	w = word_of("echo $'a\\tb\\x41'");
	CHECK_STR(w->literal.ptr, "a\tbA");
	w = word_of("echo *.c");
	CHECK(w->flags & WORD_GLOB);
	w = word_of("echo ~u/x");
	CHECK(w->parts[0].kind == PART_TILDE);
	w = word_of("echo a{b,{c,d}}e");
	CHECK(w->nparts == 3 && w->parts[1].kind == PART_BRACE && w->parts[1].brace->nalt == 2);
	w = word_of("echo {1..10..2}");
	CHECK(w->parts[0].brace->sequence && w->parts[0].brace->step == 2);
	w = word_of("echo {a}");
	CHECK_STR(w->literal.ptr, "{a}");
	w = word_of("echo $x{a,b}");
	CHECK_STR(w->parts[1].brace->alt[1]->parts[0].param->name.ptr, "xb");
}

TEST(aliases)
{
	struct parse_config config = config_for("ll; ls d; echo ll\n");

	config.alias = alias;
	config.flags = alias_flag;
	CHECK_STR(parse_with(&config), "ls -F -l; ls -F deep; echo ll");
}

static int one_line(void *user, bool continued, struct bytes *line)
{
	static const char *const lines[] = { "if a\n", "then b; fi\n", "c\n" };

	(void)user;
	(void)continued;
	if (pulled == 3)
		return 0;
	*line = bytes_of(lines[pulled++]);
	return 1;
}

TEST(reads_no_further)
{
	struct parse_config config = config_for("");
	struct parser *p;
	struct ast *unit = NULL;

	config.more = one_line;
	p = parse_new(&config);
	CHECK_EQ(parse_unit(p, &unit, &error), 1);
	CHECK_EQ(pulled, 2);
	CHECK_EQ(parse_line(p), 3);
	ast_put(unit);
}

TEST(here_documents)
{
	struct parse_config config = config_for("cat <<A <<'B'\n$x\nA\ny\n");
	struct parser *p = parse_new(&config);
	struct ast *unit = NULL;
	const struct node *n;

	CHECK_EQ(parse_unit(p, &unit, &error), 1);
	n = unit->root;
	CHECK_EQ(n->nredirs, 2);
	CHECK(n->redirs[0].target->parts[0].kind == PART_PARAM);
	CHECK_STR(n->redirs[1].target->literal.ptr, "y\n");
	CHECK_STR(parse_warnings(p)->message.ptr,
		  "warning: here-document at line 3 delimited by end-of-file (wanted `B')");
	ast_put(unit);
}

TEST(deep)
{
	struct buf b;

	start();
	b = buf_in(&arena);
	for (int i = 0; i < 100000; i++)
		buf_puts(&b, "( ");
	CHECK_STR(parse(buf_cstr(&b)), "1: syntax error: commands nested too deeply");
	b.len = 0;
	for (int i = 0; i < 5000; i++)
		buf_puts(&b, "${a:-");
	CHECK_STR(parse(buf_cstr(&b)), "1: syntax error: commands nested too deeply");
}

TEST(names)
{
	struct bytes name, sub;

	CHECK(parse_name_ref(BYTES("a_1"), &name, &sub) && sub.ptr == NULL);
	CHECK(parse_name_ref(BYTES("a[x y]"), &name, &sub) && bytes_is(sub, "x y"));
	CHECK(!parse_name_ref(BYTES("1a"), &name, &sub));
	CHECK(!parse_name_ref(BYTES("a[]"), &name, &sub));
	CHECK(is_reserved_word(BYTES("esac")) && !is_reserved_word(BYTES("echo")));
}

int main(void)
{
	RUN(printing);
	RUN(errors);
	RUN(words);
	RUN(aliases);
	RUN(reads_no_further);
	RUN(here_documents);
	RUN(deep);
	RUN(names);
	return check_end();
}
