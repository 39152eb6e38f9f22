/* SPDX-License-Identifier: MIT
 *
 * Commands as text, the way bash prints functions (declare -f, type) and jobs.
 *
 * Inside a function each command of a list gets a line of its own; elsewhere lists stay on one
 * line while compound commands still span several. Bodies of here-documents wait until the
 * operator behind their command was printed. One deviation: the here-document of an if's test
 * stands behind its line; bash puts it into the body, or loses it.
 */
#include "interp/print.h"

/* --- here-documents --- */

static void add_doc(struct printer *pr, const struct redir *r)
{
	struct print_doc *d = arena_alloc(pr->out->arena, sizeof *d);

	*d = (struct print_doc){ .redir = r };
	if (pr->docs == NULL)
		pr->docs = d;
	else
		pr->last_doc->next = d;
	pr->last_doc = d;
}

/* The bodies that wait, each behind a newline of its own. False if none do. */
static bool end_line(struct printer *pr)
{
	if (pr->docs == NULL)
		return false;
	buf_putc(pr->out, '\n');
	for (const struct print_doc *d = pr->docs; d != NULL; d = d->next) {
		buf_add(pr->out, d->redir->target->text);
		if (pr->out->ptr[pr->out->len - 1] != '\n')
			buf_putc(pr->out, '\n');
		buf_add(pr->out, d->redir->delimiter);
		buf_putc(pr->out, '\n');
	}
	pr->docs = NULL;
	pr->had_doc = true;
	return true;
}

/* The same where bash shows them, which may be in the middle of a line: not to be read again. */
static bool print_docs(struct printer *pr)
{
	return !pr->source && end_line(pr);
}

/* --- lines --- */

void print_newline(struct printer *pr)
{
	if (!end_line(pr))
		buf_putc(pr->out, '\n');
	if (pr->indent > 0)
		buf_fill(pr->out, ' ', (size_t)pr->indent);
}

static void print_newline_at(struct printer *pr, int more)
{
	pr->indent += more;
	print_newline(pr);
}

/* A semicolon, where the end of what was printed needs one. */
static void print_semicolon(struct printer *pr)
{
	size_t end = pr->out->len;
	char last;

	while (end != 0 && pr->out->ptr[end - 1] == ' ')
		end--;
	last = end != 0 ? pr->out->ptr[end - 1] : '\n';
	if (last != '&' && last != '\n')
		buf_putc(pr->out, ';');
}

/* --- redirections --- */

static const char *redir_operator(const struct redir *r)
{
	switch (r->kind) {
	case REDIR_IN: return "< ";
	case REDIR_OUT: return "> ";
	case REDIR_CLOBBER: return ">| ";
	case REDIR_APPEND: return ">> ";
	case REDIR_RDWR: return "<> ";
	case REDIR_DUP_IN: return "<&";
	case REDIR_DUP_OUT: return ">&";
	case REDIR_BOTH: return "&> ";
	case REDIR_BOTH_APPEND: return "&>> ";
	case REDIR_HERESTRING: return "<<< ";
	default: return r->heredoc_tabs ? "<<-" : "<<";
	}
}

static bool writes(enum redir_kind kind)
{
	return kind == REDIR_OUT || kind == REDIR_CLOBBER || kind == REDIR_APPEND ||
	       kind == REDIR_DUP_OUT;
}

/* digits or digits-, or - : a descriptor known when it is parsed. */
static bool is_descriptor(struct bytes text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!byte_is_digit(text.ptr[i]) && !(text.ptr[i] == '-' && i == text.len - 1))
			return false;
	return text.len != 0;
}

/* The descriptor in front of the operator, where bash shows it. */
static void print_fd(struct printer *pr, const struct redir *r)
{
	int standard = writes(r->kind) ? 1 : 0;
	bool dup = r->kind == REDIR_DUP_IN || r->kind == REDIR_DUP_OUT;
	bool always = dup && is_descriptor(r->target->text);

	if (r->var.len != 0)
		buf_printf(pr->out, "{%.*s}", (int)r->var.len, r->var.ptr);
	else if (r->kind == REDIR_BOTH || r->kind == REDIR_BOTH_APPEND)
		return;
	else if (r->kind == REDIR_RDWR ? pr->source || r->fd != 1
				       : always || (r->fd >= 0 && r->fd != standard))
		buf_put_i64(pr->out, r->fd >= 0 ? r->fd : standard);
}

static void print_delimiter(struct printer *pr, const struct redir *r)
{
	if (!r->heredoc_quoted) {
		buf_add(pr->out, r->delimiter);
		return;
	}
	buf_putc(pr->out, '\'');
	for (size_t i = 0; i < r->delimiter.len; i++) {
		if (r->delimiter.ptr[i] == '\'')
			buf_puts(pr->out, "'\\'");
		buf_putc(pr->out, r->delimiter.ptr[i]);
	}
	buf_putc(pr->out, '\'');
}

static void print_redir(struct printer *pr, const struct redir *r)
{
	bool dup = r->kind == REDIR_DUP_IN || r->kind == REDIR_DUP_OUT;
	bool closes = dup && bytes_is(r->target->text, "-");

	print_fd(pr, r);
	if (closes) {
		buf_puts(pr->out, ">&-");
		return;
	}
	buf_puts(pr->out, redir_operator(r));
	if (r->kind == REDIR_HEREDOC) {
		print_delimiter(pr, r);
		add_doc(pr, r);
	} else {
		print_word(pr, r->target);
	}
}

static void print_redirs(struct printer *pr, const struct node *n, bool first)
{
	if (n->nredirs != 0)
		pr->had_doc = false; /* as bash forgets it */
	for (int i = 0; i < n->nredirs; i++) {
		if (!first || i > 0)
			buf_putc(pr->out, ' ');
		print_redir(pr, &n->redirs[i]);
	}
}

/* --- lists --- */

/* The ; between commands: left out behind one that showed a here-document. */
static void print_separator(struct printer *pr, char separator)
{
	if (separator == '\n') {
		if (!print_docs(pr))
			buf_putc(pr->out, '\n');
		return;
	}
	if (pr->docs == NULL) {
		if (!pr->had_doc ||
		    (!pr->in_function && !pr->pretty && pr->out->ptr[pr->out->len - 1] != '\n'))
			buf_putc(pr->out, ';');
		pr->had_doc = false;
		return;
	}
	if (!pr->in_function && !pr->pretty)
		buf_putc(pr->out, ';');
	print_docs(pr);
}

static void print_list(struct printer *pr, const struct list *list)
{
	for (int i = 0; i < list->count; i++) {
		bool last = i == list->count - 1;
		char separator = last || list->separators == NULL ? ';' : list->separators[i];

		print_node(pr, list->commands[i]);
		if (i > 0)
			print_docs(pr);
		if (last || list->commands[i]->kind == NODE_BACKGROUND) {
			if (!last)
				buf_putc(pr->out, ' ');
			continue;
		}
		print_separator(pr, separator);
		if (pr->in_function)
			print_newline(pr);
		else if (separator != '\n')
			buf_putc(pr->out, ' ');
	}
}

/* The spine of a chain of && and || leans left and may be long. */
static void print_and_or(struct printer *pr, const struct binary *b)
{
	const struct binary *chain = NULL;
	const struct node *n = &b->node;
	struct chain {
		const struct binary *at;
		struct chain *next;
	} *list = NULL;

	for (; n->kind == NODE_AND || n->kind == NODE_OR; n = chain->left) {
		struct chain *link = arena_alloc(pr->out->arena, sizeof *link);

		chain = (const struct binary *)n;
		*link = (struct chain){ .at = chain, .next = list };
		list = link;
	}
	print_node(pr, n);
	for (const struct chain *first = list; list != NULL; list = list->next) {
		/* Only those of the first command wait for the operator. */
		if (list != first)
			print_docs(pr);
		buf_puts(pr->out, list->at->node.kind == NODE_AND ? " && " : " || ");
		if (print_docs(pr))
			buf_putc(pr->out, ' ');
		print_node(pr, list->at->right);
	}
	print_docs(pr);
}

/* A lone `!` or `time`, which only a newline or a semicolon ends. */
static bool is_empty(const struct pipeline *pl)
{
	const struct simple *s = (const struct simple *)pl->commands[0];

	return pl->ncommands == 1 && s->node.kind == NODE_SIMPLE && s->nwords == 0 &&
	       s->nassigns == 0 && s->node.nredirs == 0;
}

static void print_pipeline(struct printer *pr, const struct pipeline *pl)
{
	if (pl->timed)
		buf_puts(pr->out, pl->time_posix ? "time -p " : "time ");
	if (pl->negated)
		buf_puts(pr->out, "! ");
	if (pr->source && is_empty(pl) && !pl->timed && !pl->negated)
		buf_puts(pr->out, "! ! "); /* bash shows nothing, which can't be read */
	for (int i = 0; i < pl->ncommands; i++) {
		print_node(pr, pl->commands[i]);
		if (i == pl->ncommands - 1) {
			if (i > 0)
				print_docs(pr);
			break;
		}
		buf_puts(pr->out, " |");
		if (print_docs(pr))
			buf_putc(pr->out, ' ');
		buf_putc(pr->out, ' ');
	}
}

static void print_background(struct printer *pr, const struct group *g)
{
	print_node(pr, g->body);
	buf_puts(pr->out, " &");
	if (print_docs(pr))
		buf_putc(pr->out, ' ');
}

/* --- compound commands --- */

/* A body on lines of its own, one step to the right. */
static void print_body(struct printer *pr, const struct node *n)
{
	print_newline_at(pr, 4);
	print_node(pr, n);
	print_docs(pr);
	print_semicolon(pr);
	print_newline_at(pr, -4);
}

static void print_test(struct printer *pr, const struct node *n)
{
	print_node(pr, n);
	print_docs(pr);
	print_semicolon(pr);
}

static void print_group(struct printer *pr, const struct group *g)
{
	buf_puts(pr->out, "{ ");
	if (!pr->in_function) {
		print_node(pr, g->body);
		print_docs(pr);
		print_semicolon(pr);
		buf_puts(pr->out, " }");
		return;
	}
	print_newline_at(pr, 4);
	print_node(pr, g->body);
	print_docs(pr);
	print_newline_at(pr, -4);
	buf_putc(pr->out, '}');
}

static bool ends_empty(const struct node *n)
{
	n = node_last(n);
	return n->kind == NODE_PIPELINE && is_empty((const struct pipeline *)n);
}

static void print_subshell(struct printer *pr, const struct group *g)
{
	buf_puts(pr->out, "( ");
	print_node(pr, g->body);
	print_docs(pr);
	if (pr->source && ends_empty(g->body))
		buf_putc(pr->out, ';');
	buf_puts(pr->out, " )");
}

static void print_if(struct printer *pr, const struct if_node *n)
{
	int levels = 0;

	for (;; levels++) {
		const struct node *rest = n->otherwise;

		buf_puts(pr->out, "if ");
		print_node(pr, n->test);
		if (pr->pretty && !pr->in_function)
			print_docs(pr);
		print_semicolon(pr);
		buf_puts(pr->out, " then");
		print_body(pr, n->then);
		if (rest == NULL)
			break;
		buf_puts(pr->out, "else");
		if (rest->kind != NODE_IF || !((const struct if_node *)rest)->is_elif) {
			print_body(pr, rest);
			break;
		}
		print_newline_at(pr, 4);
		n = (const struct if_node *)rest;
	}
	buf_puts(pr->out, "fi");
	for (; levels > 0; levels--) {
		buf_putc(pr->out, ';');
		print_newline_at(pr, -4);
		buf_puts(pr->out, "fi");
	}
}

static void print_loop(struct printer *pr, const struct loop *n)
{
	buf_puts(pr->out, n->node.kind == NODE_WHILE ? "while " : "until ");
	print_test(pr, n->test);
	buf_puts(pr->out, " do");
	print_body(pr, n->body);
	buf_puts(pr->out, "done");
}

static void print_for(struct printer *pr, const struct for_node *n)
{
	buf_printf(pr->out, "%s %.*s in", n->node.kind == NODE_FOR ? "for" : "select",
		   (int)n->name.len, n->name.ptr);
	if (!n->has_in)
		buf_puts(pr->out, " \"$@\"");
	for (int i = 0; i < n->nwords; i++) {
		buf_putc(pr->out, ' ');
		print_word(pr, n->words[i]);
	}
	if (n->has_in && n->nwords == 0)
		buf_putc(pr->out, ' ');
	buf_putc(pr->out, ';');
	print_newline(pr);
	buf_puts(pr->out, "do");
	print_body(pr, n->body);
	buf_puts(pr->out, "done");
}

static void print_cfor_part(struct printer *pr, const struct arith_text *a)
{
	if (a == NULL)
		buf_putc(pr->out, '1');
	else
		print_word(pr, a->word);
}

static void print_cfor(struct printer *pr, const struct cfor *n)
{
	buf_puts(pr->out, "for ((");
	print_cfor_part(pr, n->init);
	buf_puts(pr->out, "; ");
	print_cfor_part(pr, n->test);
	buf_puts(pr->out, "; ");
	print_cfor_part(pr, n->step);
	buf_puts(pr->out, "))");
	print_newline(pr);
	buf_puts(pr->out, "do");
	print_body(pr, n->body);
	buf_puts(pr->out, "done");
}

static void print_case_item(struct printer *pr, const struct case_item *item)
{
	static const char *const ends[] = { ";;", ";&", ";;&" };

	if (pr->source) /* bash leaves it out even where the pattern is esac */
		buf_putc(pr->out, '(');
	for (int i = 0; i < item->npatterns; i++) {
		if (i > 0)
			buf_puts(pr->out, " | ");
		print_word(pr, item->patterns[i]);
	}
	buf_putc(pr->out, ')');
	if (item->body != NULL) {
		print_newline_at(pr, 4);
		print_node(pr, item->body);
		print_docs(pr);
		pr->indent -= 4;
	} else {
		buf_putc(pr->out, '\n');
	}
	print_newline(pr);
	buf_puts(pr->out, ends[item->end]);
}

static void print_case(struct printer *pr, const struct case_node *n)
{
	buf_puts(pr->out, "case ");
	print_word(pr, n->subject);
	buf_puts(pr->out, " in ");
	pr->indent += 4;
	for (int i = 0; i < n->nitems; i++) {
		print_newline(pr);
		print_case_item(pr, &n->items[i]);
	}
	print_newline_at(pr, -4);
	buf_puts(pr->out, "esac");
}

/* The body of a function in braces, which may be its own. */
static void print_function_body(struct printer *pr, const struct node *body)
{
	const struct node *inner = body;
	bool was = pr->in_function;

	if (body->kind == NODE_GROUP)
		inner = ((const struct group *)body)->body;
	print_newline(pr);
	buf_puts(pr->out, "{ ");
	pr->in_function = true;
	print_newline_at(pr, 4);
	print_node(pr, inner);
	print_docs(pr);
	print_newline_at(pr, -4);
	buf_putc(pr->out, '}');
	pr->in_function = was;
	pr->had_doc = false;
	if (body->kind == NODE_GROUP && body->nredirs != 0) {
		print_redirs(pr, body, false);
		print_docs(pr);
	}
}

static void print_nested_function(struct printer *pr, const struct function_node *f)
{
	buf_printf(pr->out, "%s%.*s () ", pr->posix ? "" : "function ", (int)f->name.len,
		   f->name.ptr);
	print_function_body(pr, f->body);
}

static void print_coproc(struct printer *pr, const struct coproc_node *n)
{
	buf_printf(pr->out, "coproc %.*s ", (int)n->name.len, n->name.ptr);
	print_node(pr, n->body);
}

/* --- simple commands --- */

static void print_simple(struct printer *pr, const struct simple *s)
{
	/* `>f if` runs a command called if, which it would not be in front: bash forgets that. */
	bool redirs_first = s->nassigns == 0 && s->nwords != 0 && s->node.nredirs != 0 &&
			    is_reserved_word(s->words[0]->text);
	bool first = !redirs_first;

	if (redirs_first)
		print_redirs(pr, &s->node, true);
	for (int i = 0; i < s->nassigns; i++, first = false) {
		if (!first)
			buf_putc(pr->out, ' ');
		print_assign(pr, &s->assigns[i]);
	}
	for (int i = 0; i < s->nwords; i++, first = false) {
		if (!first)
			buf_putc(pr->out, ' ');
		print_argument(pr, s->words[i]);
	}
	if (!redirs_first)
		print_redirs(pr, &s->node, first);
}

/* --- all of them --- */

static void print_command_kind(struct printer *pr, const struct node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE: print_simple(pr, (const struct simple *)n); break;
	case NODE_PIPELINE: print_pipeline(pr, (const struct pipeline *)n); break;
	case NODE_AND:
	case NODE_OR: print_and_or(pr, (const struct binary *)n); break;
	case NODE_LIST: print_list(pr, (const struct list *)n); break;
	case NODE_BACKGROUND: print_background(pr, (const struct group *)n); break;
	case NODE_SUBSHELL: print_subshell(pr, (const struct group *)n); break;
	case NODE_GROUP: print_group(pr, (const struct group *)n); break;
	case NODE_IF: print_if(pr, (const struct if_node *)n); break;
	case NODE_WHILE:
	case NODE_UNTIL: print_loop(pr, (const struct loop *)n); break;
	case NODE_FOR:
	case NODE_SELECT: print_for(pr, (const struct for_node *)n); break;
	case NODE_CFOR: print_cfor(pr, (const struct cfor *)n); break;
	case NODE_CASE: print_case(pr, (const struct case_node *)n); break;
	case NODE_FUNCTION: print_nested_function(pr, (const struct function_node *)n); break;
	case NODE_COND: print_cond_command(pr, (const struct cond_node *)n); break;
	case NODE_ARITH:
		buf_puts(pr->out, "((");
		print_word(pr, ((const struct arith_node *)n)->expr->word);
		buf_puts(pr->out, "))");
		break;
	case NODE_COPROC: print_coproc(pr, (const struct coproc_node *)n); break;
	}
}

static int count_lines(struct bytes text)
{
	int lines = 0;

	for (size_t i = 0; i < text.len; i++)
		lines += text.ptr[i] == '\n';
	return lines;
}

/* Where its first item ends, or the second: see parse_simple. */
static int item_lines(const struct simple *s)
{
	int lines = 0;

	if (s->nassigns != 0)
		return count_lines(s->assigns[0].text);
	for (int i = 0; i < s->nwords && i < 2; i++)
		lines += count_lines(s->words[i]->text);
	return lines;
}

static void number_node(struct printer *pr, struct node *n)
{
	pr->lines += count_lines(bytes_slice(buf_bytes(pr->out), pr->counted, pr->out->len));
	pr->counted = pr->out->len;
	n->line = pr->lines;
	if (n->kind == NODE_SIMPLE)
		n->line += item_lines((const struct simple *)n);
}

void print_node(struct printer *pr, const struct node *n)
{
	if (pr->number)
		number_node(pr, (struct node *)(uintptr_t)n);

	if (pr->depth == PRINT_DEPTH_MAX) {
		buf_puts(pr->out, "...");
		return;
	}
	pr->depth++;
	print_command_kind(pr, n);
	if (n->kind != NODE_SIMPLE)
		print_redirs(pr, n, false);
	pr->depth--;
}

/* Whether the text of a command begins with ( : then $( needs a blank behind it. */
static bool begins_with_paren(const struct node *n)
{
	for (;;) {
		switch (n->kind) {
		case NODE_SUBSHELL:
		case NODE_ARITH: return true;
		case NODE_LIST: n = ((const struct list *)n)->commands[0]; break;
		case NODE_AND:
		case NODE_OR: n = ((const struct binary *)n)->left; break;
		case NODE_BACKGROUND: n = ((const struct group *)n)->body; break;
		case NODE_PIPELINE:
			if (((const struct pipeline *)n)->negated ||
			    ((const struct pipeline *)n)->timed)
				return false;
			n = ((const struct pipeline *)n)->commands[0];
			break;
		default: return false;
		}
	}
}

void print_sub_text(struct printer *pr, const struct node *n)
{
	struct printer inner = { .out = pr->out, .depth = pr->depth, .source = pr->source };

	if (n == NULL)
		return;
	if (begins_with_paren(n))
		buf_putc(pr->out, ' ');
	print_node(&inner, n);
	end_line(&inner);
}

static void print_whole(struct printer *pr, const struct node *n)
{
	print_node(pr, n);
	end_line(pr);
}

void print_command(struct buf *out, const struct node *n)
{
	struct printer pr = { .out = out };

	print_whole(&pr, n);
}

void print_posix_command(struct buf *out, const struct node *n)
{
	struct printer pr = { .out = out, .posix = true, .pretty = true };

	print_whole(&pr, n);
}

int print_number(struct buf *out, const struct node *n)
{
	struct printer pr = { .out = out, .number = true };

	print_node(&pr, n);
	return count_lines(buf_bytes(out));
}

static void print_definition(struct printer *pr, const struct function_node *f)
{
	buf_printf(pr->out, "%.*s () ", (int)f->name.len, f->name.ptr);
	print_function_body(pr, f->body);
	end_line(pr);
}

void print_function(struct buf *out, const struct function_node *f, bool posix)
{
	print_definition(&(struct printer){ .out = out, .posix = posix }, f);
}

void print_function_source(struct buf *out, const struct function_node *f, bool posix)
{
	print_definition(&(struct printer){ .out = out, .posix = posix, .source = true }, f);
}
