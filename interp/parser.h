/* SPDX-License-Identifier: MIT
 *
 * Inside the parser: what lex*.c and parse*.c share.
 *
 * One pass. The lexer pulls lines into `src` as they are needed, so nothing is read beyond the
 * current unit; a word is analysed into parts while it is read, and a $( ) in it is parsed in
 * place by the same parser. The source buffer moves while it grows, so slices of the source are
 * kept as offsets (in the `ptr` of their struct bytes) and registered with source_keep; when the
 * unit is complete its text is copied once and all registered slices are turned into pointers.
 *
 * Errors: the first one sets `failed`; from then on the lexer gives TOK_ERROR only, so that
 * every loop ends. Functions that build something return NULL (or false) after a failure.
 */
#ifndef INTERP_PARSER_H
#define INTERP_PARSER_H

#include "base/buf.h"
#include "interp/ast.h"

enum tok_kind {
	TOK_EOF,
	TOK_ERROR,
	TOK_NEWLINE,
	TOK_WORD,
	TOK_ASSIGN,
	TOK_IO_NUMBER,
	TOK_IO_VAR, /* before a redirection: fd in `number`, name in `text` */
	TOK_SEMI,
	TOK_AMP,
	TOK_PIPE,
	TOK_AND,
	TOK_OR,
	TOK_PIPE_AMP,
	TOK_DSEMI,
	TOK_SEMI_AMP,
	TOK_DSEMI_AMP,
	TOK_LPAREN,
	TOK_RPAREN,
	TOK_REDIR_FIRST,
	TOK_LESS = TOK_REDIR_FIRST,
	TOK_GREAT,
	TOK_CLOBBER,
	TOK_DGREAT,
	TOK_LESSGREAT,
	TOK_LESSAND,
	TOK_GREATAND,
	TOK_ANDGREAT,
	TOK_ANDDGREAT,
	TOK_DLESS,
	TOK_DLESSDASH,
	TOK_TLESS,
};

/* Reserved words, in the order of the table in lex.c. */
enum reserved {
	RW_NONE,
	RW_IF,
	RW_THEN,
	RW_ELSE,
	RW_ELIF,
	RW_FI,
	RW_CASE,
	RW_ESAC,
	RW_FOR,
	RW_SELECT,
	RW_WHILE,
	RW_UNTIL,
	RW_DO,
	RW_DONE,
	RW_IN,
	RW_FUNCTION,
	RW_TIME,
	RW_LBRACE,
	RW_RBRACE,
	RW_BANG,
	RW_COND,
	RW_CONDEND,
	RW_COPROC,
	RW_COUNT
};

/* Where a token is looked for. */
enum tok_context {
	CTX_ARG = 0,
	CTX_COMMAND = 1 << 0, /* assignments and aliases are recognised */
	CTX_DECL = 1 << 1,    /* an argument of declare and friends */
	CTX_ITEM = 1 << 2,    /* inside name=( ): [sub]=value is recognised by the caller */
	CTX_COND = 1 << 3,    /* inside [[ ]]: extended globs always; < and > are operators */
	CTX_NO_BRACES = 1 << 4,
	CTX_KEYWORD = 1 << 6, /* behind the command name, with set -k: assignments */
	CTX_VALUE = 1 << 8,   /* a here-string: ~ as in the value of an assignment */
	CTX_DUP = 1 << 7,     /* behind >& and <&: a number is a word, whatever follows */
	CTX_ANY = 1 << 5,     /* only for has_token: whatever context it was read in */
};

struct token {
	enum tok_kind kind;
	enum reserved reserved; /* of an unquoted literal word */
	int line;
	int number;
	size_t start; /* offsets in src */
	size_t end;
	struct word *word;
	struct assign *assign;
	struct bytes text; /* IO_VAR: the name */
};

/* Items of lists under construction, of any size; taken off in one piece. */
struct stack {
	char *ptr;
	size_t len;
	size_t cap;
};

struct here_doc {
	struct word *body; /* filled when it is read */
	struct bytes delimiter;
	bool quoted;
	bool tabs;
};

/* The words of bodies that were read within guesses: what is around them is read again. */
struct here_text {
	struct here_text *next;
	struct bytes text;
	int line;
	struct word *word;
};

enum { HERE_TEXT_CHAINS = 256 };

struct here_texts {
	bool used;
	struct here_text *chain[HERE_TEXT_CHAINS]; /* by hash */
};

struct alias_use {
	struct bytes name;
	size_t start; /* its text in src: not expanded again in there */
	size_t end;
	bool blank; /* and with a blank: the next word may be an alias too */
};

/* An unquoted { , or } in a part of a word; '.' stands for two of them. */
struct brace_mark {
	int part;
	size_t at;
	char c;
	size_t match;  /* of {: its }, or SIZE_MAX */
	size_t owner;  /* the { around it */
	size_t commas; /* of {: directly inside */
	bool dots;     /* of {: .. directly inside, not just before a } */
};

struct sub_span {
	size_t from;
	size_t to;
	struct command_sub *command;
	struct bytes text;
};

struct parser {
	struct parse_config config;
	unsigned flags;
	struct arena *scratch;
	struct ast *ast;
	struct arena *arena; /* of the tree under construction */
	struct bytes rest;   /* of config.text, not yet pulled */
	char *src;
	size_t pos;
	size_t len;
	size_t cap;
	size_t last_line;      /* where the line pulled last begins */
	struct bytes original; /* what the line at original_at was before aliases; or ptr NULL */
	size_t original_at;
	bool ended;     /* nothing more to pull */
	bool text_only; /* not lines of a script: no newline is added at the end */
	bool begun;     /* some token of the unit was read */
	int line;       /* of src[pos] */
	int depth;
	struct parser *spare; /* inner parsers to use again */

	bool has_tok;
	unsigned tok_context;
	struct token tok;

	struct stack items; /* parts, words, nodes */
	struct stack redirs;
	struct stack assigns;
	struct buf lit; /* literal text under construction; used as a stack */
	size_t *drops;  /* offsets of removed backslash-newline pairs, ascending */
	size_t ndrops, drops_cap;
	struct bytes **kept; /* slices to turn into pointers */
	size_t nkept, kept_cap;
	size_t *not_tried; /* offsets where $(( or name[ turned out to be something else */
	size_t nnot, not_cap;
	struct sub_span *subs; /* word_sub of the words being read */
	size_t nsubs, subs_cap;
	struct brace_mark *marks;
	size_t nmarks, marks_cap;
	struct here_doc *docs;
	size_t ndocs, docs_cap, docs_base;
	struct alias_use *aliases;
	size_t naliases, aliases_cap;
	int begin_line;  /* of the first token of the unit */
	bool in_doc;     /* the body of a here-document is read */
	bool in_sub;     /* in $( ): printing tells newlines from ; there */
	bool in_quotes;  /* in "${ }": $'...' in a name, subscript or offset is bare text */
	bool alias_next; /* the word read next is behind an alias that ends in a blank */
	int guessing;    /* inside a guess: source_return may come */
	bool guessed;    /* ... of a parser around this one */
	struct here_texts *texts; /* of all parsers of a unit; NULL: none yet */
	const struct declaration *decl;

	bool failed;
	struct parse_error error;
	struct parse_warning *warnings, **warnings_end;
};

/* --- input: lex_input.c --- */

/* Appends the next line to src: false at the end of the input. */
bool source_pull(struct parser *p);
/* The byte at pos, or -1 at the end of the input; may pull. */
static inline int source_raw(struct parser *p)
{
	if (p->pos < p->len || source_pull(p))
		return (unsigned char)p->src[p->pos];
	return -1;
}
int source_skip_continuation(struct parser *p);
/* As source_raw, behind any backslash-newline pairs. */
static inline int source_peek(struct parser *p)
{
	int c = source_raw(p);

	return c == '\\' ? source_skip_continuation(p) : c;
}
/* The byte behind pos, without pulling: -1 if it is not there. */
static inline int source_second(const struct parser *p)
{
	return p->pos + 1 < p->len ? (unsigned char)p->src[p->pos + 1] : -1;
}
/* At a < or >: whether a ( is next, behind any backslash-newline pairs; may pull. */
bool source_opens_process(struct parser *p);
/* A newline was read: another line begins, unless it belongs to the text of an alias. */
void source_count_line(struct parser *p);
static inline void source_step(struct parser *p)
{
	if (p->src[p->pos++] == '\n')
		source_count_line(p);
}
/* Consumes c if it is next. */
bool source_accept(struct parser *p, char c);

/* A place to return to when a guess was wrong. */
struct source_mark {
	size_t pos, ndrops, nkept, ndocs, nsubs, items, redirs, assigns, lit;
	size_t docs_base;
	int line, depth;
};
struct source_mark source_mark(const struct parser *p);
void source_return(struct parser *p, struct source_mark m);
/* Remembers, or tells, that a guess at this offset was wrong. */
void source_guess_failed(struct parser *p, size_t at);
bool source_guess_known(const struct parser *p, size_t at);

/* Puts text in the place of src[from..to), which was read last, and goes back to it. */
void source_replace(struct parser *p, size_t from, size_t to, struct bytes text);
/* *slice becomes src[from..to) when the unit is complete; must stay at its address. */
void source_keep(struct parser *p, struct bytes *slice, size_t from, size_t to);
/* src[from..to) now, without continuations, valid until the next pull. */
struct bytes source_slice(struct parser *p, size_t from, size_t to);
/* How long that is. */
size_t source_distance(const struct parser *p, size_t from, size_t to);
/* All registered slices become pointers into a copy of the text, which is returned. */
struct bytes source_resolve(struct parser *p);

/* --- building --- */

void *stack_push(struct parser *p, struct stack *s, const void *item, size_t size);
/* Moves everything above `base` into the arena; *count is the number of items of `size`. */
void *stack_take(struct parser *p, struct stack *s, size_t base, size_t size, int *count);
/* A grown array of *cap elements, for n of them. */
void *parser_grow(struct parser *p, void *array, size_t *cap, size_t n, size_t size);
void *node_new(struct parser *p, enum node_kind kind, size_t size, int line);
/* The bytes of `lit` above base as a NUL-terminated string in the arena; lit shrinks to base. */
struct bytes lit_take(struct parser *p, size_t base);

/* Prints as bash the lines of a message; all return NULL. */
void *parse_fail(struct parser *p, int line, struct bytes message);
void *parse_fail_token(struct parser *p); /* near unexpected token */
/* As it is, or as $'...' if it has unprintable characters (expand_quote.c). */
void quote_unprintable(struct buf *out, struct bytes s, bool utf8);
void *parse_fail_matching(struct parser *p, int line, char wanted);
void *parse_fail_depth(struct parser *p);
struct bytes parse_text(struct parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void parse_warn(struct parser *p, int line, struct bytes message);

/* One level deeper; false (and failed) at the limit. */
bool parse_enter(struct parser *p);
static inline void parse_leave(struct parser *p)
{
	p->depth--;
}
/* Runs fn(arg) one level deeper, on another stack when this one may be short. */
void parse_deeper(struct parser *p, int (*fn)(void *arg), void *arg);

/* A parser for text that stands inside p's (already without its quoting); same arena. */
struct parser *parse_inner_new(struct parser *p, struct bytes text, int line);
/* Ends it: its slices become pointers. Its error, kept in the arena, or NULL. */
const struct parse_error *parse_inner_done(struct parser *p, struct parser *inner);

/* --- tokens: lex.c --- */

/* The kind of the next token, which stays until token_next. */
enum tok_kind token_peek(struct parser *p, unsigned context);
static inline void token_next(struct parser *p)
{
	p->has_tok = false;
}
/* Whether the next token is the reserved word; never pulls what a command does not need. */
static inline bool token_is(struct parser *p, enum reserved word)
{
	return token_peek(p, CTX_COMMAND) == TOK_WORD && p->tok.reserved == word;
}
/* Consumes the reserved word, or fails with the token that stands there. */
bool token_expect(struct parser *p, enum reserved word);
void token_skip_newlines(struct parser *p, unsigned context);
/* Blanks, continuations and a comment. Returns the byte that follows. */
int lex_skip_blanks(struct parser *p);
enum reserved reserved_find(struct bytes text);
/* True if the word token was replaced by its alias, so that it has to be read again. */
bool lex_alias(struct parser *p, const struct token *t);

/* --- words: parse_word.c --- */

enum word_mode {
	MODE_WORD,       /* ends at a metacharacter */
	MODE_REGEX,      /* behind =~ */
	MODE_ARG,        /* ${x-...}: ends at }, quotes as in a word */
	MODE_ARG_DQ,     /* the same inside double quotes */
	MODE_PATTERN,    /* ${x/...}: ends at / or } */
	MODE_DQ,         /* inside "...": ends at the quote */
	MODE_ARITH,      /* ends at the closing ) of $(( or ; of for((, as told by `stop` */
	MODE_OFFSET,     /* ${x:...}: arithmetic that ends at : or } */
	MODE_BRACKET,    /* arithmetic of $[...]: ends at ] */
	MODE_SUB,        /* a subscript: ends at ], quotes as in a word */
	MODE_SUB_BRACED, /* the same in ${a[...]}: none if the word ends before the ] */
	MODE_ARITH_TEXT, /* arithmetic that ends with the text */
	MODE_TEXT,       /* a here-document or prompt: ends with the text */
	MODE_TEXT_WORD,  /* unquoted text up to its end (alternatives of braces) */
};

struct word_state {
	enum word_mode mode;
	char stop;         /* MODE_ARITH: ')' or ';'; MODE_TEXT_WORD: ')' or nothing */
	bool dq;           /* parts are quoted */
	bool stop_dq;      /* MODE_SUB_BRACED: the word around it is in double quotes */
	bool brace_closed; /* MODE_SUB_BRACED: a } was read, with which the word may end */
	bool inner_quotes; /* MODE_ARG_DQ, ARITH: inside a " that was opened here */
	bool inner_single; /* MODE_ARG_DQ: inside ', which only protects a } */
	bool tilde;        /* an unquoted ~ here may begin a tilde prefix */
	bool assignment;   /* and so it may behind : */
	bool unposix;      /* but not in posix mode */
	bool extglob;
	bool begun;       /* something was read */
	int nesting;      /* parentheses or brackets opened here */
	int questions;    /* ? without its : so far */
	int brackets;     /* of subscripts in arithmetic, not yet closed */
	unsigned flags;   /* of the word so far */
	bool brace;       /* an unquoted { was seen */
	bool part_quoted; /* of the literal text being collected */
	bool part_open;   /* there is such text, maybe empty */
	bool string_open; /* a " was opened, and nothing read since */
	size_t lit_base;
	size_t items_base;
	size_t subs_base;
};

/* One of those that end an unquoted word. */
bool is_metacharacter(int c);
/* Begins a word; parts follow by word_pieces and word_finish. */
void word_begin(struct parser *p, struct word_state *w, enum word_mode mode);
/* Reads up to what ends the word in its mode (not consumed). False on failure. */
bool word_pieces(struct parser *p, struct word_state *w);
/* Ends the literal text collected so far: what follows is another part. */
void word_flush(struct parser *p, struct word_state *w);
void word_char(struct parser *p, struct word_state *w, char c, bool quoted);
void word_text(struct parser *p, struct word_state *w, struct bytes text, bool quoted);
void word_add(struct parser *p, struct word_state *w, const struct part *part);
/* The word whose source begins at `start`. */
struct word *word_finish(struct parser *p, struct word_state *w, size_t start, int line);
/* word_begin, word_pieces, word_finish. */
struct word *word_read(struct parser *p, enum word_mode mode, bool dq);
/* A word of the parts [from..] of another, for the value of name=value. */
struct word *word_tail(struct parser *p, const struct word *w, int from, size_t start);
/* Finds the brace expressions of a word that contains an unquoted { . */
void word_braces(struct parser *p, struct word *w);
/* Flags and literal of a word from its parts. */
void word_classify(struct parser *p, struct word *w);
/* A word token at pos, with assignments as the context wants. */
enum tok_kind lex_word(struct parser *p, struct token *t, unsigned context);
/* name[sub]= name+= ... at pos: false and nothing consumed if it is none. */
struct assign *lex_assignment(struct parser *p, unsigned context);

/* --- expansions: parse_dollar.c, parse_param.c, parse_sub.c --- */

/* At $: adds a part, or a literal dollar. */
bool parse_dollar(struct parser *p, struct word_state *w);
bool parse_braced_param(struct parser *p, struct word_state *w, size_t start);
bool parse_backquote(struct parser *p, struct word_state *w);
/* src[from..pos) prints as the command, or as the text if that is NULL. */
void note_sub(struct parser *p, size_t from, struct command_sub *command, struct bytes text);
/* At the ( of $( or $((, the [ of $[, the < or > of a process substitution. */
bool parse_command_sub(struct parser *p, struct word_state *w, size_t start);
bool parse_bracket_arith(struct parser *p, struct word_state *w, size_t start);
bool parse_process_sub(struct parser *p, struct word_state *w);
/* Behind (( : the expression up to )) which is consumed; NULL without failure if it does not
 * end so. */
struct arith_text *parse_arith_parens(struct parser *p, int line);
struct arith_text *arith_of_word(struct parser *p, struct word *w);
/* '...' and $'...' behind their opening: into the word as quoted text. */
bool parse_single_quotes(struct parser *p, struct word_state *w);
bool parse_ansi_quotes(struct parser *p, struct word_state *w);
/* $'...' at pos becomes its text, which is read next: bare inside double quotes, else in '...'. */
bool parse_ansi_plain(struct parser *p);
/* Skips a quotation or expansion at pos of which only the end matters. */
bool parse_double_quotes(struct parser *p, struct word_state *w);

/* --- commands: parse.c, parse_simple.c, parse_compound.c, parse_cond.c --- */

/* Commands up to what can not begin one; at least one, else failure. */
struct node *parse_compound_list(struct parser *p);
/* The same inside $( ) or a unit, where it may be empty: *out NULL. */
bool parse_optional_list(struct parser *p, struct node **out);
struct node *parse_line_list(struct parser *p);
struct node *parse_pipeline(struct parser *p);
struct node *parse_command(struct parser *p);
struct node *parse_compound(struct parser *p);
struct node *parse_simple(struct parser *p);
/* name ( was read up to the parenthesis. */
struct node *parse_function_parens(struct parser *p, const struct word *name, int line);
struct node *parse_cond_command(struct parser *p);
/* Redirections behind a compound command. */
bool parse_redirs(struct parser *p, struct node *n);
/* At a redirection token: pushes onto p->redirs. */
bool parse_redir(struct parser *p);
bool token_is_redir(enum tok_kind kind);
bool parse_array(struct parser *p, struct assign *a);
const struct declaration *declaration_find(struct bytes name);

/* --- here-documents: parse_heredoc.c --- */

/* Behind << or <<-: the delimiter is read, the body is due at the next newline. */
bool heredoc_start(struct parser *p, struct redir *r);
/* Called behind a newline token. */
void heredoc_read(struct parser *p);
/* Something ended without the newline: warns and leaves them empty. */
void heredoc_abandon(struct parser *p, size_t base);

#endif
