/* SPDX-License-Identifier: MIT
 *
 * The message of a merge, out of what is merged: "Merge branch 'x' of URL into y", what annotated
 * tags say, the subjects of the commits; git fmt-merge-msg.
 */
#include "builtins/git/branch.h"
#include "builtins/git/commit.h"
#include "builtins/git/merge_run.h"

enum { LOG_DEFAULT = 20 };

/* --- FETCH_HEAD --- */

bool fetch_head_line(struct git *g, struct bytes line, struct merge_head *out, bool *merged)
{
	struct bytes rest;

	if (line.len < OID_HEX + 2 || line.ptr[OID_HEX] != '\t' ||
	    !oid_parse_bytes(bytes_slice(line, 0, OID_HEX), &out->object))
		return false;
	rest = bytes_slice(line, OID_HEX + 1, line.len);
	*merged = rest.ptr[0] == '\t';
	if (!*merged)
		return bytes_starts(rest, BYTES("not-for-merge\t"));
	out->name = oid_hex(g, &out->object);
	out->note = arena_dup(g->keep, bytes_slice(rest, 1, rest.len));
	return out->note[0] != '\0';
}

size_t fetch_head_read(struct git *g, struct merge_head **out)
{
	struct bytes text, line;
	size_t n = 0, cap = 0;

	*out = NULL;
	if (file_read(g, g->keep, repo_path(g, g->a, "FETCH_HEAD"), &text) < 0)
		return 0;
	while (git_line(&text, &line)) {
		struct merge_head h;
		bool merged;

		if (!fetch_head_line(g, line, &h, &merged) || !merged)
			continue;
		LIST_ROOM(g, *out, n, cap);
		(*out)[n++] = h;
	}
	return n;
}

/* --- names --- */

enum kind { KIND_HEAD, KIND_BRANCH, KIND_REMOTE, KIND_TAG, KIND_OTHER, KINDS };

/* A note in its parts: of what has no source, all of it is the source. */
struct note {
	enum kind kind;
	struct bytes name; /* with its quotes */
	struct bytes source;
};

static struct note split_note(const char *text)
{
	static const struct {
		const char *text;
		enum kind kind;
	} prefixes[] = {
		{ "branch ", KIND_BRANCH },
		{ "tag ", KIND_TAG },
		{ "remote-tracking branch ", KIND_REMOTE },
	};
	const char *of = strstr(text, " of ");
	struct note n = { .kind = KIND_HEAD, .name = BYTES(""), .source = bytes_of(text) };

	if (of == NULL)
		return n;
	n.kind = KIND_OTHER;
	n.name = (struct bytes){ text, (size_t)(of - text) };
	n.source = bytes_of(of + 4);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (bytes_starts(n.name, bytes_of(prefixes[i].text))) {
			n.kind = prefixes[i].kind;
			n.name = bytes_slice(n.name, strlen(prefixes[i].text), n.name.len);
			break;
		}
	return n;
}

static bool is_here(const struct note *n)
{
	return bytes_eq(n->source, BYTES("."));
}

/* As logs and texts of tags are headed. */
static const char *note_title(struct git *g, const char *text)
{
	struct note n = split_note(text);
	const char *what = n.kind == KIND_TAG ? "tag " : "";
	struct bytes name = n.name;

	if (n.kind == KIND_HEAD || n.kind == KIND_OTHER)
		return arena_dup(g->a, n.source);
	if (!is_here(&n))
		return git_format(g->a, "%s%.*s of %.*s", what, (int)name.len, name.ptr,
				  (int)n.source.len, n.source.ptr);
	if (n.kind != KIND_TAG && name.len > 2 && name.ptr[0] == '\'' &&
	    name.ptr[name.len - 1] == '\'')
		name = bytes_slice(name, 1, name.len - 1);
	return git_format(g->a, "%s%.*s", what, (int)name.len, name.ptr);
}

const char *merge_branch_named(struct git *g, const char *name)
{
	if (strcmp(name, "-") == 0)
		name = "@{-1}";
	return git_starts(name, "@{-") ? branch_name(g, name, "heads") : name;
}

/* topic~2, topic^^: that branch, of which not all is merged. NULL: it is none. */
static char *early_part(struct git *g, const char *name)
{
	size_t n = strlen(name), digits;
	bool early = false;
	const char *base;

	while (n > 0 && name[n - 1] == '^') {
		early = true;
		n--;
	}
	if (!early) {
		for (digits = n; digits > 0 && byte_is_digit((unsigned char)name[digits - 1]);
		     digits--)
			early = early || name[digits - 1] != '0';
		if (digits == 0 || name[digits - 1] != '~')
			return NULL;
		early = early || digits == n;
		n = digits - 1;
	}
	base = merge_branch_named(g, git_format(g->a, "%.*s", (int)n, name));
	if (!ref_exists(g, git_format(g->a, "refs/heads/%s", base)))
		return NULL;
	return git_format(g->keep, "branch '%s'%s of .", base, early ? " (early part)" : "");
}

static bool is_tag(struct git *g, const struct oid *o)
{
	uint64_t size;

	return object_info(g, o, &size) == OBJECT_TAG;
}

const char *merge_note(struct git *g, const char *name, const struct oid *object)
{
	static const struct {
		const char *prefix;
		const char *what;
	} kinds[] = {
		{ "refs/heads/", "branch" },
		{ "refs/tags/", "tag" },
		{ "refs/remotes/", "remote-tracking branch" },
	};
	struct oid o;
	bool several;
	char *full = ref_expand(g, name, &o, &several);
	char *early;

	for (size_t i = 0; full != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (git_starts(full, kinds[i].prefix))
			return git_format(g->keep, "%s '%s' of .", kinds[i].what, name);
	early = early_part(g, name);
	if (early != NULL)
		return early;
	if (is_tag(g, object))
		return git_format(g->keep, "tag '%s' of .", name);
	return git_format(g->keep, "commit '%s'", name);
}

/* What is merged, in its parts. */
struct title {
	struct git *g;
	struct note *notes;
	size_t *first; /* of each, the first one from the same source */
	size_t n;
	struct buf *out;
};

/* "branches 'a', 'b' and 'c'": whether there are some from the source of number s. */
static bool put_kind(struct title *t, enum kind kind, size_t s, const char *separator)
{
	static const char *const one[] = { NULL, "branch", "remote-tracking branch", "tag",
					   "commit" };
	static const char *const many[] = { NULL, "branches", "remote-tracking branches", "tags",
					    "commits" };
	size_t total = 0, done = 0;

	cmd_charge(t->g->c, t->n);
	for (size_t i = s; i < t->n; i++)
		total += t->notes[i].kind == kind && t->first[i] == s;
	if (total == 0)
		return false;
	buf_puts(t->out, separator);
	if (kind == KIND_HEAD) {
		buf_puts(t->out, "HEAD");
		return true;
	}
	buf_printf(t->out, "%s ", total == 1 ? one[kind] : many[kind]);
	for (size_t i = s; i < t->n; i++) {
		if (t->notes[i].kind != kind || t->first[i] != s)
			continue;
		buf_puts(t->out, done == 0 ? "" : done + 1 == total ? " and " : ", ");
		buf_add(t->out, t->notes[i].name);
		done++;
	}
	return true;
}

/* All that is from one source: "branch 'a', tag 'b' of URL". */
static void put_source(struct title *t, size_t s)
{
	bool more = false, any = false;

	for (size_t i = s; i < t->n; i++)
		more = more || (t->notes[i].kind != KIND_HEAD && t->first[i] == s);
	for (int k = 0; k < KINDS && more; k++)
		any |= put_kind(t, (enum kind)k, s, any ? ", " : "");
	if (more && is_here(&t->notes[s]))
		return;
	if (more)
		buf_puts(t->out, " of ");
	buf_add(t->out, t->notes[s].source);
}

void merge_title_put(const struct merge_run *m, struct buf *out)
{
	struct title t = { .g = m->g, .n = m->nheads, .out = out };

	t.notes = arena_array(m->g->keep, t.n, sizeof(*t.notes));
	t.first = arena_array(m->g->keep, t.n, sizeof(*t.first));
	for (size_t i = 0; i < t.n; i++) {
		t.notes[i] = split_note(m->heads[i].note);
		t.first[i] = 0;
		while (t.first[i] < i && !bytes_eq(t.notes[t.first[i]].source, t.notes[i].source))
			t.first[i]++;
		cmd_charge_bytes(m->g->c, strlen(m->heads[i].note) * (t.first[i] + 1));
	}
	buf_puts(out, "Merge");
	for (size_t i = 0; i < t.n; i++) {
		if (t.first[i] != i)
			continue;
		buf_puts(out, i == 0 ? " " : "; ");
		put_source(&t, i);
	}
}

/* --- into --- */

/* merge.suppressDest: patterns of branches that are not named; an empty one drops those before. */
static bool is_usual_dest(struct git *g, const char *branch)
{
	const struct config *cf = g->config;
	bool given = false, found = false;

	for (size_t i = 0; i < cf->n; i++) {
		const char *v = cf->at[i].value;

		if (strcmp(cf->at[i].key, "merge.suppressdest") != 0)
			continue;
		given = true;
		if (v == NULL || v[0] == '\0')
			found = false;
		else
			found = found || wild_match(v, bytes_of(branch), WILD_PATHNAME);
	}
	return given ? found : strcmp(branch, "main") == 0 || strcmp(branch, "master") == 0;
}

void merge_into_put(struct git *g, const char *into, struct buf *out)
{
	char *head = head_ref(g);

	if (into == NULL)
		into = head != NULL ? ref_short(g, head) : "HEAD";
	if (!is_usual_dest(g, into))
		buf_printf(out, " into %s", into);
}

/* --- what tags say --- */

/* The message of a tag object, without a signature. */
static struct bytes tag_message(struct git *g, const struct oid *o)
{
	struct bytes text;
	const char *at;

	object_read(g, g->keep, o, &text);
	at = bytes_find(text, BYTES("\n\n"));
	text = at != NULL ? bytes_slice(text, (size_t)(at - text.ptr) + 2, text.len) : BYTES("");
	return bytes_slice(text, 0, text.len - message_signature(text).len);
}

static void put_tags(struct git *g, const struct merge_head *heads, size_t n, struct buf *out)
{
	char comment = message_comment_char(g);
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += is_tag(g, &heads[i].object);
	for (size_t i = 0; i < n; i++) {
		struct bytes text;

		if (!is_tag(g, &heads[i].object))
			continue;
		if (total > 1)
			buf_printf(out, "\n%c %s\n", comment, note_title(g, heads[i].note));
		text = tag_message(g, &heads[i].object);
		buf_add(out, text);
		if (text.len != 0 && text.ptr[text.len - 1] != '\n')
			buf_putc(out, '\n');
	}
}

/* --- --log --- */

/* merge.branchdesc: what the configuration says of a branch. */
static void put_description(struct git *g, const char *note, struct buf *out)
{
	struct note n = split_note(note);
	const char *text;
	struct bytes rest, line;

	if (n.kind != KIND_BRANCH || !is_here(&n) || !config_bool(g, "merge.branchdesc", false))
		return;
	text = config_get(g, git_format(g->a, "branch.%s.description", note_title(g, note)));
	rest = bytes_of(text != NULL ? text : "");
	while (git_line(&rest, &line))
		buf_printf(out, "  : %.*s\n", (int)line.len, line.ptr);
}

/* The subjects of what one head brings. */
static void put_log(struct git *g, const struct merge_head *h, struct commit *ours, size_t most,
		    struct buf *out)
{
	struct revs r;
	struct commit *c;
	struct names subjects = { NULL, 0, 0 };

	revs_init(g, &r);
	r.max_parents = 1;
	revs_add_commit(g, &r, h->commit, false);
	revs_add_commit(g, &r, ours, true);
	while ((c = revs_next(&r)) != NULL) {
		struct commit_text t;

		commit_text(g, g->a, &c->oid, &t);
		names_add(g, &subjects, arena_dup(g->keep, message_subject(g->a, t.message)));
	}
	revs_forget(g);
	buf_printf(out, "\n* %s:", note_title(g, h->note));
	if (subjects.n > most)
		buf_printf(out, " (%zu commits)", subjects.n);
	buf_putc(out, '\n');
	put_description(g, h->note, out);
	for (size_t k = 0; k < subjects.n && k < most; k++)
		buf_printf(out, "  %s\n", subjects.at[k]);
	if (subjects.n > most)
		buf_puts(out, "  ...\n");
}

/* How many subjects of a head are shown: what --log said (-1: nothing), or the configuration. */
static int log_limit(struct git *g, int said)
{
	const char *v = config_get(g, "merge.log");
	int64_t number = 0;

	if (said >= 0 || v == NULL)
		return said;
	if (config_truth(v) == 1 && !git_number(v, &number))
		return LOG_DEFAULT;
	return config_truth(v) == 0 ? 0 : (int)number;
}

int merge_set_log(struct git *g, int *log, const char *a, bool unset)
{
	int64_t n = LOG_DEFAULT;

	if (unset)
		n = 0;
	else if (a != NULL && (!git_number(a, &n) || n < 0 || n > INT32_MAX))
		git_die(g, "option `log' expects a numerical value");
	*log = (int)n;
	return 0;
}

void merge_message_rest(struct merge_run *m, bool given, int log, struct buf *out)
{
	struct git *g = m->g;
	int most = log_limit(g, log);
	struct buf tags = buf_in(g->keep);

	if (out->len != 0 && out->ptr[out->len - 1] != '\n')
		buf_putc(out, '\n');
	if (!given || most > 0)
		put_tags(g, m->heads, m->nheads, &tags);
	if (tags.len != 0 && !given)
		buf_putc(out, '\n');
	buf_add(out, buf_bytes(&tags));
	for (size_t i = 0; i < m->nheads && most > 0; i++)
		put_log(g, &m->heads[i], m->ours, (size_t)most, out);
}

/* --- git fmt-merge-msg --- */

struct fmt_opts {
	int log;
	const char *message, *into, *file;
};

static int set_log(struct git *g, void *o, const char *a, bool unset)
{
	return merge_set_log(g, &((struct fmt_opts *)o)->log, a, unset);
}

static const struct git_option fmt_options[] = {
	GIT_CALL_MAYBE(0, "log", set_log),
	GIT_CALL_MAYBE(0, "summary", set_log),
	GIT_STR('m', "message", struct fmt_opts, message),
	GIT_STR(0, "into-name", struct fmt_opts, into),
	GIT_STR('F', "file", struct fmt_opts, file),
	GIT_END(),
};
static const char *const fmt_usage[] = {
	"git fmt-merge-msg [-m <message>] [--log[=<n>] | --no-log] [--file <file>]", NULL
};

static size_t read_lines(struct git *g, struct bytes text, struct merge_head **out)
{
	struct bytes line;
	size_t n = 0, cap = 0;
	long number = 0;

	while (git_line(&text, &line)) {
		struct merge_head h = { .name = NULL };
		struct oid commit;
		bool merged;

		number++;
		if (!fetch_head_line(g, line, &h, &merged))
			git_die(g, "error in line %ld: %.*s", number, (int)line.len, line.ptr);
		if (!merged || !object_peel(g, &h.object, OBJECT_COMMIT, &commit))
			continue;
		h.commit = commit_at(g, &commit);
		commit_need(g, h.commit);
		LIST_ROOM(g, *out, n, cap);
		(*out)[n++] = h;
	}
	return n;
}

int git_cmd_fmt_merge_msg(struct git *g, struct args *args)
{
	struct fmt_opts o = { .log = -1 };
	const struct git_parser p = { fmt_options, &o, fmt_usage, 0, NULL };
	struct merge_run m = { .g = g };
	struct buf out = buf_in(g->keep);
	struct bytes text;
	int err;

	git_parse(g, args, &p);
	if (args->argc > 0)
		git_usage(g, fmt_usage);
	if (o.file == NULL || strcmp(o.file, "-") == 0)
		text = file_stdin(g);
	else if ((err = file_read(g, g->keep, path_join(g->a, g->start, o.file), &text)) < 0)
		git_die_errno(g, err, "cannot open '%s'", o.file);
	m.nheads = read_lines(g, text, &m.heads);
	if (!head_oid(g, &m.head))
		git_die(g, "No current branch");
	m.ours = commit_at(g, &m.head);
	commit_need(g, m.ours);
	if (m.nheads > 0)
		merge_reduce(&m);
	if (o.message != NULL) {
		buf_puts(&out, o.message);
	} else if (m.nheads > 0) {
		merge_title_put(&m, &out);
		merge_into_put(g, o.into, &out);
	}
	merge_message_rest(&m, o.message != NULL, o.log, &out);
	cmd_bytes(g->c, buf_bytes(&out));
	return 0;
}
