/* SPDX-License-Identifier: MIT
 *
 * pstree - the processes of the session as a tree.
 *
 * Every process becomes a node; a node's text tells whether two trees look the same, and such
 * neighbours are written once with their number. Reference: PSmisc 23.6.
 * Not here: threads, namespaces, colours by age (no process has them).
 */
#include "builtins/builtin.h"

#include "builtins/tput.h"

enum { DEPTH_MAX = 100, WIDTH = 132 };

struct symbols {
	const char *gap, *branch, *down, *last, *single, *first;
};
static const struct symbols ascii = { "  ", "|-", "| ", "`-", "---", "-+-" };
static const struct symbols unicode = { "  ", "├─", "│ ", "└─", "───", "─┬─" };
#define VT100(text) "\033(0\017" text "\033(B"
static const struct symbols vt100 = {
	"  ", VT100("tq"), VT100("x") " ", VT100("mq"), VT100("qqq"), VT100("qwq"),
};

struct pstree_opts {
	bool arguments;
	bool separate; /* -c */
	bool pgids;
	bool pids;
	bool users;
	bool by_number;
	bool parents;
	bool wide;
	bool highlight;
	const char *highlight_pid;
	int symbols;
	/* state */
	struct cmd *c;
	const struct symbols *sym;
	const char *bold, *plain;
	uint64_t width;
	uint64_t column;
};

struct node {
	const struct cmd_proc *proc;
	struct node *parent;
	struct node *first; /* children */
	struct node *next;
	const char *label;
	struct bytes shape; /* label and those of all below */
	bool bright;
};

enum { SYMBOLS_ASCII, SYMBOLS_UNICODE, SYMBOLS_VT100 };

static const struct opt pstree_options[] = {
	OPT_FLAG('a', "arguments", struct pstree_opts, arguments, "show arguments"),
	OPT_SET('A', "ascii", struct pstree_opts, symbols, SYMBOLS_ASCII, "lines of ASCII"),
	OPT_FLAG('c', "compact-not", struct pstree_opts, separate, "equal trees one by one"),
	OPT_FLAG('g', "show-pgids", struct pstree_opts, pgids, "show process groups; implies -c"),
	OPT_SET('G', "vt100", struct pstree_opts, symbols, SYMBOLS_VT100, "lines of a VT100"),
	OPT_FLAG('h', "highlight-all", struct pstree_opts, highlight,
		 "stress this process and its ancestors"),
	OPT_STR('H', "highlight-pid", struct pstree_opts, highlight_pid, NULL, "PID",
		"stress that process and its ancestors"),
	OPT_FLAG('l', "long", struct pstree_opts, wide, "do not cut lines"),
	OPT_FLAG('n', "numeric-sort", struct pstree_opts, by_number, "sort by number"),
	OPT_MISSING_ARG('N', "ns-sort"),
	OPT_FLAG('p', "show-pids", struct pstree_opts, pids, "show numbers; implies -c"),
	OPT_FLAG('s', "show-parents", struct pstree_opts, parents, "show parents of PID"),
	OPT_MISSING('S', "ns-changes"),
	OPT_IGNORED('t', "thread-names", "no effect: there are no threads"),
	OPT_IGNORED('T', "hide-threads", "no effect: there are no threads"),
	OPT_FLAG('u', "uid-changes", struct pstree_opts, users, "show changes of user"),
	OPT_SET('U', "unicode", struct pstree_opts, symbols, SYMBOLS_UNICODE, "lines of Unicode"),
	OPT_MISSING('Z', "security-context"),
	OPT_MISSING_ARG('C', "color"),
	OPT_END(),
};

/* --- the tree --- */

static struct node *find(struct node *nodes, size_t n, int pid)
{
	for (size_t i = 0; i < n; i++)
		if (nodes[i].proc->pid == pid)
			return &nodes[i];
	return NULL;
}

/* NAME(PID,PGID,USER) and arguments, as far as they are wanted. */
static const char *make_label(const struct pstree_opts *o, const struct node *node)
{
	struct cmd *c = o->c;
	const struct cmd_proc *p = node->proc;
	struct buf text = buf_in(c->arena);
	const char *open = "(";

	buf_puts(&text, p->name);
	if (o->pids) {
		buf_printf(&text, "%s%d", open, p->pid);
		open = ",";
	}
	if (o->pgids) {
		buf_printf(&text, "%s%d", open, p->pgid);
		open = ",";
	}
	if (o->users && node->parent != NULL && node->parent->proc->uid != p->uid) {
		const char *user = cmd_user_name(c, p->uid);

		if (user != NULL)
			buf_printf(&text, "%s%s", open, user);
		else
			buf_printf(&text, "%s%u", open, p->uid);
		open = ",";
	}
	if (open[0] == ',')
		buf_putc(&text, ')');
	if (o->arguments && strlen(p->argv0) < strlen(p->args))
		buf_puts(&text, p->args + strlen(p->argv0));
	return buf_cstr(&text);
}

static bool comes_before(const struct pstree_opts *o, const struct node *a, const struct node *b)
{
	int order = o->by_number ? 0 : strcmp(a->proc->name, b->proc->name);

	return order != 0 ? order < 0 : a->proc->pid < b->proc->pid;
}

/* Children by name or number: processes are few and come by number. */
static void add_child(const struct pstree_opts *o, struct node *parent, struct node *child)
{
	struct node **at = &parent->first;

	while (*at != NULL && comes_before(o, *at, child)) {
		at = &(*at)->next;
		cmd_charge(o->c, 1);
	}
	child->next = *at;
	*at = child;
}

/* Depth first from the root; deeper than DEPTH_MAX ends the command as in the real one. */
static void make_shape(const struct pstree_opts *o, struct node *node, int depth)
{
	struct buf shape = buf_in(o->c->arena);

	if (depth >= DEPTH_MAX)
		cmd_fatal(o->c, 0, "Internal error: MAX_DEPTH not big enough.");
	buf_puts(&shape, node->label);
	buf_putc(&shape, '\1');
	for (struct node *child = node->first; child != NULL; child = child->next) {
		make_shape(o, child, depth + 1);
		buf_add(&shape, child->shape);
	}
	buf_putc(&shape, '\2');
	cmd_charge_bytes(o->c, shape.len);
	node->shape = buf_bytes(&shape);
}

static struct node *make_nodes(struct pstree_opts *o, size_t *count)
{
	struct cmd *c = o->c;
	struct cmd_proc *list;
	size_t n = cmd_procs(c, &list);
	struct node *nodes = arena_zalloc(c->arena, (n + 1) * sizeof *nodes);

	for (size_t i = 0; i < n; i++)
		nodes[i].proc = &list[i];
	for (size_t i = 0; i < n; i++) {
		nodes[i].parent = find(nodes, n, list[i].ppid);
		cmd_charge(c, n / 16 + 1);
		if (nodes[i].parent != NULL)
			add_child(o, nodes[i].parent, &nodes[i]);
	}
	for (size_t i = 0; i < n; i++)
		nodes[i].label = make_label(o, &nodes[i]);
	*count = n;
	return nodes;
}

/* --- output --- */

/* Bytes of a character each take a column; what is behind the width becomes one '+'. */
static void put_text(struct pstree_opts *o, const char *text)
{
	for (; *text != '\0'; text++) {
		bool inside = ((unsigned char)*text & 0xc0) == 0x80;

		o->column += !inside;
		if (o->wide || o->column < o->width)
			cmd_putc(o->c, *text);
		else if (o->column == o->width && !inside)
			cmd_putc(o->c, '+');
	}
}

static void put_line_end(struct pstree_opts *o)
{
	cmd_putc(o->c, '\n');
	o->column = 0;
	cmd_charge(o->c, 1);
}

/* What stands left of a node's line: for each level above the blanks and the symbol. */
struct margin {
	const struct margin *above;
	uint64_t blanks;
	const char *symbol;
};

static void put_margin(struct pstree_opts *o, const struct margin *m)
{
	if (m == NULL)
		return;
	put_margin(o, m->above);
	for (uint64_t i = 0; i < m->blanks; i++)
		put_text(o, " ");
	put_text(o, m->symbol);
}

static void put_label(struct pstree_opts *o, const struct node *node)
{
	if (node->bright)
		cmd_puts(o->c, o->bold);
	put_text(o, node->label);
	if (node->bright)
		cmd_puts(o->c, o->plain);
}

/* How many neighbours from node on look the same; *next is the one behind them. */
static int count_same(const struct pstree_opts *o, const struct node *node, struct node **next)
{
	int n = 1;

	*next = node->next;
	while (!o->separate && *next != NULL && bytes_eq((*next)->shape, node->shape) &&
	       (*next)->bright == node->bright) {
		*next = (*next)->next;
		n++;
	}
	return n;
}

/* A node and all below; closing: brackets to be closed behind the last of them. */
static void put_tree(struct pstree_opts *o, const struct node *node, const struct margin *above,
		     int same, int closing)
{
	const struct symbols *sym = o->sym;
	struct margin inner = { .above = above };
	uint64_t from = o->column;

	if (same > 1) {
		char text[24];

		text[num_format_u64((uint64_t)same, text)] = '\0';
		put_text(o, text);
		put_text(o, "*[");
		closing++;
	}
	put_label(o, node);
	inner.blanks = o->arguments ? 2 : o->column - from + 1;
	if (node->first == NULL || o->arguments) {
		for (; closing > 0 && node->first == NULL; closing--)
			put_text(o, "]");
		put_line_end(o);
	}
	for (struct node *child = node->first, *next; child != NULL; child = next) {
		int n = count_same(o, child, &next);
		bool first = child == node->first;
		bool last = next == NULL;
		bool alone = first && last && !o->arguments;

		inner.symbol = alone ? "" : last ? sym->last : sym->branch;
		if (first && !o->arguments)
			put_text(o, alone ? sym->single : sym->first);
		else
			put_margin(o, &inner);
		inner.symbol = last ? sym->gap : sym->down;
		put_tree(o, child, &inner, n, last ? closing : 0);
	}
}

static void highlight(struct pstree_opts *o, struct node *nodes, size_t n)
{
	struct buf bold = buf_in(o->c->arena);
	struct buf plain = buf_in(o->c->arena);
	const char *term = cmd_getenv(o->c, "TERM");
	uint64_t pid = (uint64_t)cmd_pid(o->c);

	if (!o->highlight && o->highlight_pid == NULL)
		return;
	if (o->highlight_pid != NULL && !num_plain(o->highlight_pid, &pid))
		cmd_exit(o->c, cmd_usage(o->c, NULL));
	if (term == NULL || !terminal_capability(term, "bold", 0, NULL, &bold) ||
	    !terminal_capability(term, "sgr0", 0, NULL, &plain)) {
		if (o->highlight_pid != NULL)
			cmd_fatal(o->c, 0, "Terminal is not capable of highlighting");
		return;
	}
	o->bold = buf_cstr(&bold);
	o->plain = "\033[0m";
	for (struct node *at = find(nodes, n, pid <= INT32_MAX ? (int)pid : 0); at != NULL;
	     at = at->parent)
		at->bright = true;
}

/* -s: of the ancestors only what leads to the process. */
static struct node *with_parents(struct node *node)
{
	while (node->parent != NULL) {
		node->parent->first = node;
		node->next = NULL;
		node = node->parent;
	}
	return node;
}

static void show(struct pstree_opts *o, struct node *root)
{
	make_shape(o, root, 0);
	put_tree(o, root, NULL, 1, 0);
}

static void set_up(struct pstree_opts *o)
{
	const char *columns = cmd_getenv(o->c, "COLUMNS");

	o->separate |= o->pids || o->pgids || o->arguments;
	o->wide |= o->symbols == SYMBOLS_VT100; /* its sequences have no width */
	o->sym = o->symbols == SYMBOLS_UNICODE ? &unicode
		 : o->symbols == SYMBOLS_VT100 ? &vt100
					       : &ascii;
	o->width = cmd_terminal_columns(o->c, 1);
	if (o->width != 0)
		return;
	o->width = WIDTH;
	if (columns != NULL && (!num_plain(columns, &o->width) || o->width == 0))
		o->width = WIDTH;
}

static void show_user(struct pstree_opts *o, struct node *nodes, size_t n, uint32_t uid)
{
	for (size_t i = 0; i < n; i++)
		if (nodes[i].proc->uid == uid &&
		    (nodes[i].parent == NULL || nodes[i].parent->proc->uid != uid))
			show(o, &nodes[i]);
}

static int pstree_run(struct cmd *c)
{
	struct pstree_opts *o = c->opts;
	size_t n;
	uint64_t pid = 1;
	uint32_t uid = 0;
	uint32_t gid;
	bool user = false;

	o->c = c;
	set_up(o);
	if (c->nargs > 1)
		return cmd_usage(c, NULL);
	if (c->nargs == 1 && !num_plain(c->args[0], &pid)) {
		if (!cmd_user_id(c, c->args[0], &uid, &gid)) {
			cmd_err_write(c, "No such user name: ", 19);
			cmd_err_write(c, c->args[0], strlen(c->args[0]));
			cmd_err_write(c, "\n", 1);
			return 1;
		}
		user = true;
	}
	struct node *nodes = make_nodes(o, &n);

	highlight(o, nodes, n);
	if (user) {
		show_user(o, nodes, n, uid);
		return 0;
	}
	struct node *root = find(nodes, n, pid <= INT32_MAX ? (int)pid : 0);

	if (root != NULL)
		show(o, o->parents ? with_parents(root) : root);
	return 0;
}

const struct builtin builtin_pstree = {
	.name = "pstree",
	.usage = "[OPTION]... [PID | USER]",
	.summary = "Shows the processes as a tree.",
	.run = pstree_run,
	.opts = pstree_options,
	.opts_size = sizeof(struct pstree_opts),
	.family = "psmisc 23.6",
};
