/* SPDX-License-Identifier: MIT
 *
 * pstree - the processes of the session as a tree.
 *
 * Every process becomes a node; a node's text tells whether two trees look the same, and such
 * siblings are written once with their number. Reference: PSmisc 23.6.
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
	const struct node *root;
	uint64_t width;
	uint64_t column;
};

struct node {
	const struct cmd_proc *proc;
	struct node *parent;
	struct node *first; /* children */
	struct node *next;
	const char *label;
	struct bytes shape; /* what it looks like with all below, but for groups */
	bool bright;
	bool written; /* with a sibling that looks the same */
};

enum { SYMBOLS_ASCII, SYMBOLS_UNICODE, SYMBOLS_VT100 };

static const struct opt pstree_options[] = {
	OPT_FLAG('a', "arguments", struct pstree_opts, arguments, "show arguments"),
	OPT_SET('A', "ascii", struct pstree_opts, symbols, SYMBOLS_ASCII, "lines of ASCII"),
	OPT_FLAG('c', "compact-not", struct pstree_opts, separate, "equal trees one by one"),
	OPT_FLAG('g', "show-pgids", struct pstree_opts, pgids, "show process groups"),
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

static void put_user(struct cmd *c, struct buf *text, uint32_t uid)
{
	const char *user = cmd_user_name(c, uid);

	if (user != NULL)
		buf_puts(text, user);
	else
		buf_printf(text, "%u", uid);
}

/* NAME(PID,PGID,USER) as far as they are wanted; with arguments behind, commas take the place of
 * the brackets. The parent of the first process is root's. */
static const char *make_label(const struct pstree_opts *o, const struct node *node, bool groups)
{
	struct cmd *c = o->c;
	const struct cmd_proc *p = node->proc;
	struct buf text = buf_in(c->arena);
	const char *open = o->arguments ? "," : "(";
	uint32_t above = node->parent != NULL ? node->parent->proc->uid : 0;

	buf_puts(&text, p->name);
	if (o->pids) {
		buf_printf(&text, "%s%d", open, p->pid);
		open = ",";
	}
	if (groups) {
		buf_printf(&text, "%s%d", open, p->pgid);
		open = ",";
	}
	if (o->users && (above != p->uid || node == o->root)) {
		buf_puts(&text, open);
		put_user(c, &text, p->uid);
		open = ",";
	}
	if (!o->arguments)
		buf_puts(&text, open[0] == ',' ? ")" : "");
	else if (strlen(p->argv0) < strlen(p->args))
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
	node->label = make_label(o, node, o->pgids);
	buf_puts(&shape, o->pgids ? make_label(o, node, false) : node->label);
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

/* How many siblings from node on look the same: they are written with it. *next is the first
 * behind it that is not. */
static int count_same(const struct pstree_opts *o, struct node *node, struct node **next)
{
	int n = 1;

	*next = NULL;
	for (struct node *at = node->next; at != NULL; at = at->next) {
		cmd_charge(o->c, 1);
		if (at->written)
			continue;
		if (!o->separate && bytes_eq(at->shape, node->shape)) {
			at->written = true;
			n++;
		} else if (*next == NULL) {
			*next = at;
		}
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
	if (!o->wide && !o->arguments && o->column >= o->width) {
		/* What is below can't be seen. */
		put_line_end(o);
		return;
	}
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

/* A message without the program's name. */
static void complain(struct cmd *c, const char *message)
{
	cmd_err_write(c, message, strlen(message));
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
	if (term == NULL || !terminal_is_known(term)) {
		if (o->highlight_pid == NULL)
			return;
		complain(o->c,
			 term == NULL ? "TERM is not set\n" : "Can't get terminal capabilities\n");
		cmd_exit(o->c, 1);
	}
	if (!terminal_capability(term, "bold", 0, NULL, &bold) ||
	    !terminal_capability(term, "sgr0", 0, NULL, &plain))
		return;
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
	o->root = root;
	make_shape(o, root, 0);
	put_tree(o, root, NULL, 1, 0);
}

static void set_up(struct pstree_opts *o)
{
	const char *columns = cmd_getenv(o->c, "COLUMNS");

	o->separate |= o->pids || o->arguments;
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

static int show_user(struct pstree_opts *o, struct node *nodes, size_t n, uint32_t uid)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (nodes[i].proc->uid != uid ||
		    (nodes[i].parent != NULL && nodes[i].parent->proc->uid == uid))
			continue;
		show(o, &nodes[i]);
		any = true;
	}
	if (!any)
		complain(o->c, "No processes found.\n");
	return any ? 0 : 1;
}

static int show_process(struct pstree_opts *o, struct node *nodes, size_t n, uint64_t pid)
{
	struct node *root = find(nodes, n, pid <= INT32_MAX ? (int)pid : 0);
	struct buf text = buf_in(o->c->arena);

	if (root != NULL)
		show(o, o->parents ? with_parents(root) : root);
	if (root != NULL || !o->parents)
		return 0;
	buf_printf(&text, "Process %llu not found.\n", (unsigned long long)pid);
	complain(o->c, buf_cstr(&text));
	return 1;
}

static int pstree_run(struct cmd *c)
{
	struct pstree_opts *o = c->opts;
	size_t n;
	uint64_t pid = 1;
	uint32_t uid = 0;
	uint32_t gid;
	bool user = c->nargs == 1 && !num_plain(c->args[0], &pid);

	o->c = c;
	set_up(o);
	if (c->nargs > 1)
		return cmd_usage(c, NULL);
	if (user && byte_is_digit(c->args[0][0]))
		return cmd_usage(c, NULL);
	if (user && !cmd_user_id(c, c->args[0], &uid, &gid)) {
		complain(c, "No such user name: ");
		complain(c, c->args[0]);
		complain(c, "\n");
		return 1;
	}
	struct node *nodes = make_nodes(o, &n);

	highlight(o, nodes, n);
	return user ? show_user(o, nodes, n, uid) : show_process(o, nodes, n, pid);
}

const struct builtin builtin_pstree = {
	.name = "pstree",
	.usage = "[OPTION]... [PID | USER]",
	.summary = "Shows the processes as a tree.",
	.run = pstree_run,
	.opts = pstree_options,
	.opts_size = sizeof(struct pstree_opts),
	.family = "PSmisc 23.6",
};
