/* SPDX-License-Identifier: MIT
 *
 * git log, whatchanged, reflog show.
 */
#include "builtins/git/line_range.h"
#include "builtins/git/log.h"
#include "builtins/git/notes.h"

static const char *const log_usage[] = { "git log [<options>] [<revision-range>] [[--] <path>...]",
					 "git show [<options>] <object>...", NULL };

/* --- options --- */

static void set_pretty(struct git *g, struct log_args *l, const char *text)
{
	if (!pretty_of(g, text, &l->pretty))
		git_die(g, "invalid --pretty format: %s", text);
	l->pretty_given = true;
}

static bool merge_form(struct log_args *l, const char *form)
{
	static const struct {
		const char *form;
		int merges;
	} forms[] = {
		{ "off", 0 },      { "none", 0 },         { "on", 1 },
		{ "m", 1 },        { "separate", 1 },     { "c", 2 },
		{ "combined", 2 }, { "cc", 3 },           { "dense-combined", 3 },
		{ "1", 4 },        { "first-parent", 4 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(forms[i].form, form) != 0)
			continue;
		l->merges = forms[i].merges;
		return true;
	}
	return false;
}

/* -m, -c and what --diff-merges=FORM says. */
static bool merge_option(struct git *g, struct log_args *l, const char *arg)
{
	static const char prefix[] = "--diff-merges=";
	const char *form = git_starts(arg, prefix)                ? arg + sizeof(prefix) - 1
			   : strcmp(arg, "-m") == 0               ? "m"
			   : strcmp(arg, "-c") == 0               ? "c"
			   : strcmp(arg, "--cc") == 0             ? "cc"
			   : strcmp(arg, "--no-diff-merges") == 0 ? "off"
								  : NULL;

	if (form == NULL)
		return false;
	if (merge_form(l, form)) {
		l->merges_on = strcmp(form, "on") == 0 || strcmp(arg, "-m") == 0;
		l->merges_off = l->merges == 0;
		l->merges_patch = l->merges != 0 && strcmp(arg, "-m") != 0;
		l->all_patch = l->merges_patch && arg[1] != 'd' && arg[2] != 'd';
		return true;
	}
	if (strcmp(form, "r") == 0 || strcmp(form, "remerge") == 0)
		git_refuse(g, git_format(g->a, "option '%s'", arg));
	git_die(g, "invalid value for '%s': '%s'", "--diff-merges", form);
}

/* How messages are written. */
static bool text_option(struct git *g, struct pretty *p, const char *arg)
{
	int64_t n;

	if (git_starts(arg, "--encoding=")) {
		g->log_encoding = strcmp(arg + 11, "none") == 0 ? "" : arg + 11;
	} else if (strcmp(arg, "--expand-tabs") == 0) {
		p->tabs = 8;
	} else if (strcmp(arg, "--no-expand-tabs") == 0) {
		p->tabs = 0;
	} else if (git_starts(arg, "--expand-tabs=")) {
		if (!git_number(arg + 14, &n) || n < 0 || n > INT32_MAX)
			git_die(g, "'%s': not a non-negative integer", arg + 14);
		p->tabs = (int)n;
	} else {
		return false;
	}
	return true;
}

static bool simple_option(struct git *g, struct log_args *l, const char *arg)
{
	struct pretty *p = &l->pretty;

	if (strcmp(arg, "--oneline") == 0) {
		p->kind = PRETTY_ONELINE;
		p->abbrev_commit = true;
		l->pretty_given = true;
	} else if (strcmp(arg, "--graph") == 0) {
		l->graph = true;
	} else if (strcmp(arg, "--no-graph") == 0) {
		l->graph = false;
	} else if (strcmp(arg, "--abbrev-commit") == 0) {
		p->abbrev_commit = p->abbrev_asked = true;
	} else if (strcmp(arg, "--no-abbrev-commit") == 0) {
		p->abbrev_commit = false;
	} else if (strcmp(arg, "--no-abbrev") == 0) {
		p->no_abbrev = true;
		p->abbrev = OID_HEX;
		l->revs.diff.abbrev = OID_HEX;
		l->revs.diff.abbrev_given = true;
	} else if (strcmp(arg, "--relative-date") == 0) {
		p->date = (struct date_style){ .mode = DATE_RELATIVE };
		p->date_given = true;
	} else if (strcmp(arg, "--decorate") == 0 || strcmp(arg, "--decorate=short") == 0) {
		p->decorate = 1;
	} else if (strcmp(arg, "--decorate=full") == 0) {
		p->decorate = 2;
	} else if (strcmp(arg, "--no-decorate") == 0 || strcmp(arg, "--decorate=no") == 0) {
		p->decorate = 0;
	} else if (strcmp(arg, "--decorate=auto") == 0) {
		p->decorate = cmd_isatty(g->c, 1);
	} else if (merge_option(g, l, arg)) {
		return true;
	} else if (strcmp(arg, "--source") == 0) {
		l->source = true;
	} else if (strcmp(arg, "--log-size") == 0) {
		p->log_size = true;
	} else if (strcmp(arg, "--parents") == 0) {
		l->parents = l->revs.rewrite = true;
	} else if (strcmp(arg, "--children") == 0) {
		l->children = l->revs.rewrite = true;
	} else if (strcmp(arg, "--notes") == 0 || strcmp(arg, "--show-notes") == 0) {
		l->notes = 1;
		l->notes_default = true;
	} else if (git_starts(arg, "--notes=") || git_starts(arg, "--show-notes=")) {
		l->notes = 1;
		names_add(g, &l->notes_refs, strchr(arg, '=') + 1);
	} else if (strcmp(arg, "--no-notes") == 0) {
		l->notes = -1;
		l->notes_default = false;
		l->notes_refs.n = 0;
	} else if (git_starts(arg, "--decorate-refs=")) {
		names_add(g, &p->decorate_only, arg + 16);
	} else if (git_starts(arg, "--decorate-refs-exclude=")) {
		names_add(g, &p->decorate_without, arg + 24);
	} else if (strcmp(arg, "--clear-decorations") == 0) {
		p->decorate_only.n = p->decorate_without.n = 0;
		p->decorate_all = true;
	} else if (strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0) {
		l->quiet = true;
	} else if (strcmp(arg, "--full-diff") == 0) {
		l->full_diff = true;
	} else if (strcmp(arg, "--use-mailmap") == 0 || strcmp(arg, "--mailmap") == 0 ||
		   strcmp(arg, "--no-show-signature") == 0) {
		return true;
	} else if (text_option(g, p, arg)) {
		return true;
	} else {
		return false;
	}
	return true;
}

int log_option(struct git *g, void *opts, int argc, char **argv)
{
	struct log_args *l = opts;
	const char *arg = argv[0];
	int taken;

	if (strcmp(arg, "-h") == 0)
		git_usage(g, log_usage);
	if (strcmp(arg, "--not") == 0)
		return GIT_OPERAND; /* keeps its place among the revisions */
	if (git_starts(arg, "--pretty=") || git_starts(arg, "--format=")) {
		set_pretty(g, l, arg + 9);
		return 1;
	}
	if (strcmp(arg, "--pretty") == 0) {
		l->pretty.kind = PRETTY_MEDIUM;
		l->pretty_given = true;
		return 1;
	}
	if (git_starts(arg, "--date=") || (strcmp(arg, "--date") == 0 && argc > 1)) {
		const char *v = arg[6] == '=' ? arg + 7 : argv[1];

		if (!date_style_of(g, v, &l->pretty.date))
			git_die(g, "unknown date format %s", v);
		l->pretty.date_given = true;
		return arg[6] == '=' ? 1 : 2;
	}
	if (git_starts(arg, "--abbrev=")) {
		int64_t n;

		if (git_number(arg + 9, &n))
			l->pretty.abbrev = n < 4 ? 4 : n > OID_HEX ? OID_HEX : (int)n;
		return 1 + 0 * diff_option(g, &l->revs.diff, argc, argv);
	}
	if (git_starts(arg, "-L") && strcmp(g->command, "log") != 0 &&
	    strcmp(g->command, "show") != 0 && strcmp(g->command, "whatchanged") != 0)
		git_refuse(g, git_format(g->a, "%s -L", g->command));
	if (git_starts(arg, "-L")) {
		if (arg[2] == '\0' && argc < 2)
			git_die(g, "switch `L' requires a value");
		names_add(g, &l->ranges, arg[2] != '\0' ? arg + 2 : argv[1]);
		return arg[2] != '\0' ? 1 : 2;
	}
	if (simple_option(g, l, arg))
		return 1;
	if (git_starts(arg, "--show-signature") || git_starts(arg, "--remerge-diff"))
		git_refuse(g, git_format(g->a, "option '%s'", arg));
	taken = revs_option(g, &l->revs, argc, argv);
	if (taken == 0)
		taken = diff_option(g, &l->revs.diff, argc, argv);
	return taken;
}

void log_parse(struct git *g, struct log_args *l, struct args *args)
{
	const char *unknown = git_take_options(g, args, log_option, l);

	if (unknown != NULL)
		git_die(g, "unrecognized argument: %s", unknown);
}

/* log.diffMerges is what -m (and "on") means. */
static void settle_merges(struct git *g, struct log_args *l)
{
	const char *form = config_get(g, "log.diffmerges");
	const struct log_args before = *l;

	if (form == NULL)
		return;
	if (!merge_form(l, form))
		config_die(g, "log.diffmerges");
	form = git_format(g->a, "%d", l->merges);
	*l = before;
	if (l->merges_on)
		l->merges = form[0] - '0';
}

void log_settle(struct git *g, struct log_args *l)
{
	struct pretty *p = &l->pretty;
	const char *decorate = config_get(g, "log.decorate");

	if (l->quiet && l->revs.diff.format == 0)
		l->revs.diff.format = DIFF_NONE;
	if (l->all_patch && l->revs.diff.format == 0)
		l->revs.diff.format = DIFF_PATCH;
	p->notes = l->notes > 0 || (l->notes == 0 && !l->pretty_given);
	p->no_notes = l->notes < 0;
	if (l->notes_default && l->notes_refs.n != 0)
		notes_show(g, NULL);
	for (size_t i = 0; i < l->notes_refs.n; i++)
		notes_show(g, l->notes_refs.at[i]);
	if (l->source || (p->kind == PRETTY_USER && strstr(p->format, "%S") != NULL))
		l->revs.sources = lookup_new(g);
	diff_settle(g, &l->revs.diff);
	p->use_color = l->revs.diff.use_color;
	p->in_graph = l->graph;
	if (p->decorate < 0) {
		p->decorate = cmd_isatty(g->c, 1) ? 1 : 0;
		if (decorate != NULL)
			p->decorate = strcmp(decorate, "full") == 0    ? 2
				      : strcmp(decorate, "short") == 0 ? 1
				      : strcmp(decorate, "auto") == 0  ? p->decorate
								      : config_truth(decorate) == 1;
	}
	if (!p->date_given && p->kind != PRETTY_REFERENCE) {
		const char *v = config_get(g, "log.date");

		if (v != NULL && !date_style_of(g, v, &p->date))
			git_die(g, "unknown date format %s", v);
	}
	if (config_bool(g, "log.abbrevcommit", false))
		p->abbrev_commit = true;
	if (p->kind == PRETTY_RAW && !p->abbrev_asked)
		p->abbrev_commit = false;
	if (l->graph) {
		if (l->revs.reverse)
			git_die(g, "options '%s' and '%s' cannot be used together", "--reverse",
				"--graph");
		if (l->revs.no_walk && !l->show)
			git_die(g, "options '%s' and '%s' cannot be used together", "--no-walk",
				"--graph");
		if (l->revs.order == ORDER_DATE)
			l->revs.order = ORDER_TOPO;
		l->revs.rewrite = true;
		l->revs.draw_graph = true;
	}
	if (l->revs.first_parent && l->merges == 0)
		l->merges = 4;
	settle_merges(g, l);
	if (config_bool(g, "log.showroot", true))
		l->revs.show_root = true;
	l->end = l->revs.diff.zero ? '\0' : '\n';
}

/* --- output --- */

/* Text with --line-prefix in front of each line. */
static void log_put(struct git *g, struct log_args *l, struct bytes text)
{
	const char *prefix = l->revs.diff.line_prefix;

	while (prefix != NULL && text.len != 0) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl != NULL ? (size_t)(nl - text.ptr) + 1 : text.len;

		if (!l->inside_line)
			cmd_write(g->c, prefix, strlen(prefix));
		cmd_write(g->c, text.ptr, n);
		l->inside_line = nl == NULL;
		text = bytes_slice(text, n, text.len);
	}
	cmd_bytes(g->c, text);
}

/* Text of a commit: with --graph behind the graph's lines. */
static void emit(struct git *g, struct log_args *l, struct bytes text)
{
	struct buf b = buf_in(g->a);
	struct bytes line;
	bool first = true;

	if (l->graph_state == NULL) {
		log_put(g, l, text);
		return;
	}
	while (text.len != 0) {
		bool ended = memchr(text.ptr, '\n', text.len) != NULL;

		git_line(&text, &line);
		if (!first || !l->graph_line_begun)
			graph_next_line(l->graph_state, &b);
		first = false;
		l->graph_line_begun = !ended;
		buf_add(&b, line);
		if (ended)
			buf_putc(&b, '\n');
	}
	log_put(g, l, buf_bytes(&b));
}

static char mark_of(const struct revs *r, const struct commit *c)
{
	if (c->flags & COMMIT_BOUNDARY)
		return '-';
	if (c->flags & COMMIT_UNINTERESTING)
		return '^';
	if ((c->flags & COMMIT_PATCH_SAME) && r->cherry_mark)
		return '=';
	if (r->left_right)
		return c->flags & COMMIT_LEFT ? '<' : '>';
	if (r->cherry_mark)
		return '+';
	return '>';
}

static bool shows_mark(const struct revs *r, const struct commit *c)
{
	return (c->flags & COMMIT_BOUNDARY) || r->left_right || r->cherry_mark;
}

static void put_heading(struct git *g, struct log_args *l, struct commit *c, struct buf *out)
{
	struct pretty *p = &l->pretty;
	const char *color = p->use_color ? diff_escape(&l->revs.diff, g, "commit") : "";
	bool one = p->kind == PRETTY_ONELINE;

	if (p->kind == PRETTY_EMAIL || p->kind == PRETTY_MBOXRD)
		return;
	buf_puts(out, color);
	if (!one)
		buf_puts(out, "commit ");
	if (!l->graph && shows_mark(&l->revs, c)) {
		buf_putc(out, mark_of(&l->revs, c));
		if (!one)
			buf_putc(out, ' ');
		if (one)
			buf_putc(out, ' ');
	}
	buf_puts(out, p->abbrev_commit ? oid_short(g, &c->oid, p->abbrev) : oid_hex(g, &c->oid));
	if (l->parents)
		for (uint32_t i = 0; i < c->nparents; i++)
			buf_printf(out, " %s",
				   p->abbrev_commit ? oid_short(g, &c->parent[i]->oid, p->abbrev)
						    : oid_hex(g, &c->parent[i]->oid));
	if (l->children)
		for (struct child *k = lookup_get(l->child_of, oid_key(&c->oid)); k != NULL;
		     k = k->next)
			buf_printf(out, " %s",
				   p->abbrev_commit ? oid_short(g, &k->commit->oid, p->abbrev)
						    : oid_hex(g, &k->commit->oid));
	if (l->source)
		buf_printf(out, "\t%s", revs_source(&l->revs, c));
	if (l->from_parent != NULL)
		buf_printf(out, " (from %s)",
			   p->abbrev_commit ? oid_short(g, l->from_parent, p->abbrev)
					    : oid_hex(g, l->from_parent));
	buf_puts(out, p->use_color ? COLOR_RESET : "");
	if (p->decorate != 0)
		pretty_decorate(g, p, &c->oid, " (", ")", out);
	if (one && p->reflog != NULL)
		return;
	buf_putc(out, one ? ' ' : '\n');
}

static void put_reflog_lines(struct git *g, struct log_args *l, struct buf *out)
{
	struct person who;
	const struct pretty *p = &l->pretty;

	if (p->reflog == NULL || p->kind == PRETTY_USER)
		return;
	if (p->kind == PRETTY_ONELINE) {
		buf_printf(out, " %s: ", p->reflog_name);
		buf_add(out, p->reflog->message);
		buf_putc(out, '\n');
		return;
	}
	person_split(p->reflog->who, &who);
	buf_printf(out, "Reflog: %s (%.*s <%.*s>)\nReflog message: ", p->reflog_name,
		   (int)who.name.len, who.name.ptr, (int)who.mail.len, who.mail.ptr);
	buf_add(out, p->reflog->message);
	buf_putc(out, '\n');
	(void)g;
}

static void put_size(struct git *g, struct pretty *p, struct commit *c, struct buf *out)
{
	struct buf text = buf_in(g->a);

	pretty_commit(g, p, c, &text);
	buf_printf(out, "log size %zu\n", text.len - (p->kind == PRETTY_ONELINE));
}

static char *graph_prefix(struct git *g, struct log_args *l)
{
	struct buf b = buf_in(g->a);

	graph_put_padding(l->graph_state, &b);
	return buf_cstr(&b);
}

/* The lines that the graph still needs for this commit. */
static void put_graph_rest(struct git *g, struct log_args *l)
{
	struct buf b = buf_in(g->a);

	if (l->graph_state == NULL)
		return;
	if (l->pretty.separate && l->pretty.kind == PRETTY_USER) {
		/* The remaining lines of the graph come in front of the separator. */
		if (!graph_is_finished(l->graph_state)) {
			if (l->graph_line_begun)
				buf_putc(&b, '\n');
			graph_show_remainder(l->graph_state, &b);
			l->graph_line_begun = true;
		}
		log_put(g, l, buf_bytes(&b));
		return;
	}
	graph_show_remainder(l->graph_state, &b);
	if (b.len != 0)
		buf_putc(&b, '\n');
	log_put(g, l, buf_bytes(&b));
}

/* The commit itself, without its differences. */
static void put_commit(struct git *g, struct log_args *l, struct commit *c)
{
	struct buf out = buf_in(g->a);
	struct pretty *p = &l->pretty;
	bool user = p->kind == PRETTY_USER || p->kind == PRETTY_REFERENCE;

	if (l->no_id)
		return;
	if (l->id_only) {
		git_printf(g, "%s%c", oid_hex(g, &c->oid), l->end);
		return;
	}
	p->mark = mark_of(&l->revs, c);
	/* Between two: an empty line, or what separates formats. */
	if (l->any && !user && p->kind != PRETTY_ONELINE) {
		if (l->graph_state == NULL)
			log_put(g, l, (struct bytes){ &l->end, 1 });
		else
			log_put(g, l, bytes_of(git_format(g->a, "%s\n", graph_prefix(g, l))));
	} else if (l->any && user && p->separate) {
		if (l->graph_state == NULL || l->graph_line_begun) {
			log_put(g, l, (struct bytes){ &l->end, 1 });
			l->graph_line_begun = false;
		}
	}
	l->any = true;
	if (l->graph_state != NULL) {
		struct buf b = buf_in(g->a);

		/* -m: only once. */
		if (l->graph_commit_shown)
			graph_put_padding(l->graph_state, &b);
		else
			graph_show_commit(l->graph_state, &b);
		l->graph_commit_shown = true;
		log_put(g, l, buf_bytes(&b));
		l->graph_line_begun = true;
	}
	if (l->revs.sources != NULL)
		p->source = revs_source(&l->revs, c);
	if (!user) {
		put_heading(g, l, c, &out);
		put_reflog_lines(g, l, &out);
		if (p->log_size)
			put_size(g, p, c, &out);
		if (!(p->kind == PRETTY_ONELINE && p->reflog != NULL))
			pretty_commit(g, p, c, &out);
		if (p->kind == PRETTY_ONELINE && l->end == '\0' && out.len != 0)
			out.ptr[out.len - 1] = '\0';
	} else {
		if (p->log_size)
			put_size(g, p, c, &out);
		pretty_commit(g, p, c, &out);
		if (!p->separate && (out.len != 0 || p->format == NULL || p->format[0] != '\0'))
			buf_putc(&out, l->end);
	}
	emit(g, l, buf_bytes(&out));
	put_graph_rest(g, l);
}

/* --format= */
static bool is_empty_format(const struct pretty *p)
{
	return p->kind == PRETTY_USER && p->format[0] == '\0';
}

/* Lines between the commit and its differences; a format that separates ends with it. */
static void put_gap(struct git *g, struct log_args *l)
{
	struct pretty *p = &l->pretty;
	unsigned f = l->revs.diff.format;
	bool patch = (f & DIFF_PATCH) != 0;

	if (p->kind == PRETTY_ONELINE || is_empty_format(p) || l->id_only || l->no_id)
		return;
	if ((f & DIFF_STAT) && patch && !l->graph && (f & DIFF_STAT))
		emit(g, l, BYTES("---\n"));
	else
		emit(g, l, BYTES("\n"));
}

static bool want_diff(const struct log_args *l, const struct commit *c)
{
	uint32_t parents = c->parents_saved ? c->saved_nparents : c->nparents;

	if (l->revs.diff.format == 0)
		return l->merges_patch && parents > 1;
	return !(l->revs.diff.format & DIFF_NONE);
}

static void put_queue(struct git *g, struct log_args *l, struct diff_queue *q, bool *gap)
{
	struct diff_opts *o = &l->revs.diff;

	if (q->n == 0)
		return;
	if (*gap)
		put_gap(g, l);
	*gap = false;
	if (l->graph_state != NULL)
		o->prefix = graph_prefix(g, l);
	diff_output(g, o, q);
	o->prefix = NULL;
}

static void show_queue(struct git *g, struct log_args *l, struct diff_queue *q, bool *gap)
{
	diff_finish(g, &l->revs.diff, q);
	put_queue(g, l, q, gap);
}

static void show_merge(struct git *g, struct log_args *l, struct commit *c)
{
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	bool gap = true;

	if (l->merges >= 2 && l->merges <= 3 &&
	    (l->revs.diff.format & ~(unsigned)DIFF_PATCH) != 0) {
		/* Statistics are against the first parent. */
		struct diff_opts save = l->revs.diff;
		const unsigned together = DIFF_PATCH | DIFF_RAW | DIFF_NAMES | DIFF_NAME_STATUS;

		l->revs.diff.format &= ~together;
		commit_need(g, c->parent[0]);
		diff_trees(g, &l->revs.diff, &c->parent[0]->tree, &c->tree, &q);
		if (l->revs.diff.format != 0)
			show_queue(g, l, &q, &gap);
		l->revs.diff = save;
		if (!(save.format & together)) {
			if (gap && l->pretty.kind != PRETTY_ONELINE &&
			    l->pretty.kind != PRETTY_USER)
				emit(g, l, BYTES("\n"));
			return;
		}
	}
	if (l->merges >= 2 && l->merges <= 3) {
		struct buf b = buf_in(g->a);
		struct diff_opts o = l->revs.diff;

		diff_merge_text(g, &o, c, l->merges == 3, &b);
		if (b.len != 0) {
			if (gap && l->pretty.kind != PRETTY_ONELINE)
				put_gap(g, l);
			else if ((!l->id_only && !l->no_id) || (!gap && (o.format & DIFF_PATCH)))
				emit(g, l, BYTES("\n"));
			if (l->graph_state != NULL)
				o.prefix = graph_prefix(g, l);
			diff_write(g, &o, buf_bytes(&b));
		} else if (gap && !is_empty_format(&l->pretty)) {
			emit(g, l, BYTES("\n"));
		}
		return;
	}
	if (l->merges == 1) {
		uint32_t n = c->nparents;
		bool any = false;

		for (uint32_t i = 0; i < n; i++) {
			struct diff_queue each = { NULL, 0, 0, { NULL, 0, 0 } };

			commit_need(g, c->parent[i]);
			diff_trees(g, &l->revs.diff, &c->parent[i]->tree, &c->tree, &each);
			diff_finish(g, &l->revs.diff, &each);
			if (each.n == 0)
				continue;
			any = gap = true;
			l->from_parent = &c->parent[i]->oid;
			put_commit(g, l, c);
			l->from_parent = NULL;
			put_queue(g, l, &each, &gap);
		}
		if (!any && !l->changed_only)
			put_commit(g, l, c);
		return;
	}
	commit_need(g, c->parent[0]);
	diff_trees(g, &l->revs.diff, &c->parent[0]->tree, &c->tree, &q);
	show_queue(g, l, &q, &gap);
}

static void put_diff(struct git *g, struct log_args *l, struct commit *c)
{
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct commit real = *c;
	bool gap = true;

	if (!want_diff(l, c))
		return;
	if (c->parents_saved) {
		real.parent = c->saved_parent;
		real.nparents = c->saved_nparents;
	}
	if (real.nparents > 1) {
		unsigned format = l->revs.diff.format;

		if (format == 0)
			l->revs.diff.format = DIFF_PATCH;
		if (l->merges != 0 && !l->merges_off)
			show_merge(g, l, &real);
		l->revs.diff.format = format;
		return;
	}
	if (real.nparents == 0 && !l->revs.show_root)
		return;
	if (real.nparents == 1)
		commit_need(g, real.parent[0]);
	diff_trees(g, &l->revs.diff, real.nparents == 1 ? &real.parent[0]->tree : NULL, &c->tree,
		   &q);
	show_queue(g, l, &q, &gap);
	pool_free(g->c->pool, q.at, q.cap * sizeof(*q.at));
}

/* -S, -G, --diff-filter: commits without such changes are not shown. */
bool log_has_change(struct git *g, struct log_args *l, struct commit *c)
{
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	struct diff_opts o = l->revs.diff;

	if (o.pickaxe == NULL && !o.object_wanted && o.filter == NULL && !l->changed_only)
		return true;
	if ((c->nparents > 1 && l->merges == 0) ||
	    (c->nparents == 0 && l->changed_only && !l->revs.show_root))
		return false;
	if (c->nparents > 0)
		commit_need(g, c->parent[0]);
	diff_trees(g, &o, c->nparents > 0 ? &c->parent[0]->tree : NULL, &c->tree, &q);
	diff_finish(g, &o, &q);
	return q.n != 0;
}

void log_one_commit(struct git *g, struct log_args *l, struct commit *c)
{
	struct arena_mark mark = arena_mark(g->a);

	if (l->graph_state != NULL)
		graph_update(l->graph_state, c);
	l->graph_commit_shown = false;
	if (l->merges == 1 && want_diff(l, c) && c->nparents > 1) {
		put_diff(g, l, c);
	} else {
		put_commit(g, l, c);
		put_diff(g, l, c);
	}
	if (l->graph_state == NULL)
		arena_release(g->a, mark);
}

/* --children: all that is shown must be known first. */
static void collect_children(struct git *g, struct log_args *l, struct commits *shown)
{
	struct commit *c;

	l->child_of = lookup_new(g);
	while ((c = revs_next(&l->revs)) != NULL) {
		LIST_ROOM(g, shown->at, shown->n, shown->cap);
		shown->at[shown->n++] = c;
		for (uint32_t i = 0; i < c->nparents; i++) {
			void **first = lookup_at(l->child_of, oid_key(&c->parent[i]->oid));
			struct child *child = arena_alloc(g->keep, sizeof(*child));

			*child = (struct child){ *first, c };
			*first = child;
			cmd_charge(g->c, 1);
		}
	}
}

static struct commit *next_commit(struct log_args *l, const struct commits *shown, size_t *at)
{
	if (!l->children)
		return revs_next(&l->revs);
	return *at < shown->n ? shown->at[(*at)++] : NULL;
}

int log_run(struct git *g, struct log_args *l)
{
	struct commit *c;
	struct commits shown = { NULL, 0, 0 };
	size_t at = 0;
	int64_t left = -1;

	if (l->graph)
		l->graph_state = graph_new(g, &l->revs, l->pretty.use_color);
	if (l->revs.diff.pickaxe != NULL || l->revs.diff.object_wanted ||
	    l->revs.diff.filter != NULL || l->changed_only) {
		left = l->revs.max_count;
		l->revs.max_count = -1;
	}
	/* Remembered things must not be allocated between marks. */
	pretty_load_decorations(g, &l->pretty);
	if (l->children)
		collect_children(g, l, &shown);
	while (left != 0 && (c = next_commit(l, &shown, &at)) != NULL) {
		if (!log_has_change(g, l, c))
			continue;
		log_one_commit(g, l, c);
		left -= left > 0;
	}
	return l->revs.diff.check_status;
}

/* --- -L --- */

struct ranged {
	struct commit *c;
	struct bytes patch;
};

/* The one commit that is wanted: the ranges are of its files. */
static struct commit *range_tip(struct git *g, const struct log_args *l)
{
	const struct revs_item *tip = NULL;

	for (size_t i = 0; i < l->revs.nitems; i++) {
		const struct revs_item *it = &l->revs.item[i];

		if (it->uninteresting)
			continue;
		if (it->c == NULL)
			git_die(g, "Non commit %s?", it->name);
		if (tip != NULL)
			git_die(g, "More than one commit to dig from: %s and %s?", it->name,
				tip->name);
		tip = it;
	}
	if (tip == NULL)
		git_die(g, "No commit specified?");
	return tip->c;
}

static void show_ranged(struct git *g, struct log_args *l, const struct ranged *r)
{
	if (l->graph_state != NULL)
		graph_update(l->graph_state, r->c);
	l->graph_commit_shown = false;
	put_commit(g, l, r->c);
	if (l->revs.diff.format & DIFF_NONE)
		return;
	emit(g, l, BYTES("\n"));
	emit(g, l, r->patch);
}

/* A commit on its own: nothing was there before. Of a merge nothing is shown. */
static void show_alone(struct git *g, struct log_args *l, struct line_log *log, struct commit *c)
{
	struct ranged r = { c, BYTES("") };
	struct commit alone = *c;

	alone.nparents = 0;
	if (c->nparents < 2)
		line_log_step(log, &alone, &l->revs.diff, &r.patch);
	show_ranged(g, l, &r);
}

/* Ranges pass from children to parents, so nothing may be left out in front of that. */
static void walk_ranges(struct git *g, struct log_args *l, struct line_log *log)
{
	int64_t left = l->revs.max_count, skip = l->revs.skip;
	bool reverse = l->revs.reverse, whole = l->revs.rewrite && !reverse;
	struct ranged *list = NULL;
	size_t n = 0, cap = 0;
	struct commit *c;
	struct ranged r;

	l->revs.max_count = -1;
	l->revs.skip = 0;
	l->revs.reverse = false;
	l->revs.order = ORDER_TOPO;
	while ((whole || left != 0) && (c = revs_next(&l->revs)) != NULL) {
		r.c = c;
		if (!line_log_step(log, c, &l->revs.diff, &r.patch) || skip-- > 0)
			continue;
		left -= left > 0 && !whole;
		if (!reverse && !whole) {
			show_ranged(g, l, &r);
			continue;
		}
		LIST_ROOM(g, list, n, cap);
		list[n++] = r;
	}
	if (l->graph)
		l->graph_state = graph_new(g, &l->revs, l->pretty.use_color);
	for (size_t i = 0; whole && i < n && left != 0; i++, left -= left > 0) {
		line_log_parents(log, list[i].c);
		show_ranged(g, l, &list[i]);
	}
	while (reverse && n > 0)
		show_ranged(g, l, &list[--n]);
}

int log_run_ranges(struct git *g, struct log_args *l)
{
	struct line_log *log;
	struct commit *tip;

	if (l->revs.paths.n != 0)
		git_die(g, "-L<range>:<file> cannot be used with pathspec");
	if (l->revs.diff.format & ~(unsigned)(DIFF_PATCH | DIFF_NONE))
		git_die(g, "-L does not yet support diff formats besides -p and -s");
	tip = range_tip(g, l);
	log = line_log_new(g, &l->ranges, tip);
	pretty_load_decorations(g, &l->pretty);
	if (l->revs.no_walk)
		show_alone(g, l, log, tip);
	else
		walk_ranges(g, l, log);
	return 0;
}

void log_init(struct git *g, struct log_args *l)
{
	const char *format = config_get(g, "format.pretty");

	*l = (struct log_args){ .pretty = { .kind = PRETTY_MEDIUM, .decorate = -1, .tabs = -1 } };
	revs_init(g, &l->revs);
	l->revs.diff.textconv = true;
	l->revs.default_head = true;
	if (format != NULL)
		set_pretty(g, l, format);
}

/* --- -g --- */

static int run_reflogs(struct git *g, struct log_args *l)
{
	struct reflog_walk *w = reflog_walk_new(g, &l->revs);
	struct commit *c;

	if (l->graph)
		git_die(g, "options '%s' and '%s' cannot be used together", "--walk-reflogs",
			"--graph");
	while ((c = reflog_walk_next(w, &l->pretty)) != NULL)
		log_one_commit(g, l, c);
	return 0;
}

int git_cmd_log(struct git *g, struct args *args)
{
	struct log_args l;

	log_init(g, &l);
	l.revs.follow_configured = config_bool(g, "log.follow", false);
	log_parse(g, &l, args);
	revs_operands(g, &l.revs, args);
	if (l.full_diff)
		l.revs.diff.paths = (struct pathspec){ .n = 0 };
	log_settle(g, &l);
	if (l.ranges.n != 0)
		return log_run_ranges(g, &l);
	if (l.revs.reflogs)
		return run_reflogs(g, &l);
	return log_run(g, &l);
}

int git_cmd_whatchanged(struct git *g, struct args *args)
{
	struct log_args l;

	log_init(g, &l);
	log_parse(g, &l, args);
	revs_operands(g, &l.revs, args);
	if (l.revs.diff.format == 0 && l.ranges.n == 0)
		l.revs.diff.format = DIFF_RAW;
	log_settle(g, &l);
	l.changed_only = l.ranges.n == 0;
	return l.ranges.n != 0 ? log_run_ranges(g, &l) : log_run(g, &l);
}

/* --- reflog show --- */

int log_show_reflog(struct git *g, struct args *args)
{
	struct log_args l;

	log_init(g, &l);
	l.pretty.kind = PRETTY_ONELINE;
	l.pretty.abbrev_commit = true;
	log_parse(g, &l, args);
	revs_operands(g, &l.revs, args);
	log_settle(g, &l);
	return run_reflogs(g, &l);
}
