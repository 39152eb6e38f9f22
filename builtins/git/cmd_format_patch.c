/* SPDX-License-Identifier: MIT
 *
 * git format-patch: commits as mails with patches, one file each.
 */
#include "builtins/git/format_extra.h"
#include "builtins/git/mail.h"

enum { NAME_MAX_DEFAULT = 64, NUMBER_LENGTH = 5, MAIL_STAT_WIDTH = 72 };

struct formatting {
	struct git *g;
	struct revs revs;
	const char *dir;
	bool to_stdout, keep, signoff, root, zero_commit, quiet, numbered_files, no_stat, raw,
		always;
	int cover; /* -1: if there are several */
	const char *cover_mode;
	int thread;              /* 0 no, 1 shallow, 2 deep */
	struct names references; /* of the mail that is written */
	const char *id;
	const char *boundary; /* --attach, --inline */
	bool is_inline;
	int numbered; /* -1: if there are several */
	const char *prefix;
	const char *suffix;
	const char *signature;
	const char *signature_file;
	const char *from;
	const char *reroll;
	int64_t start;
	int64_t name_max;
	struct names headers, to, cc;
	const char *base; /* --base */
	bool base_maybe;  /* none is fine */
	struct buf base_text;
	bool drop_upstream, has_interdiff;
	struct oid interdiff; /* the last series' tip */
	struct commits list;  /* oldest first */
	size_t written;       /* mails on standard output */
};

static const char *const format_usage[] = {
	"git format-patch [<options>] [<since> | <revision-range>]", NULL
};

/* --- options --- */

static int64_t need_number(struct git *g, const char *name, const char *text)
{
	int64_t n;

	if (!git_number(text, &n)) {
		git_error(g, "option `%s' expects a numerical value", name);
		git_exit(g, GIT_STATUS_USAGE);
	}
	return n;
}

/* "shallow", "deep" or a truth: -1 is neither. */
static int thread_of(const char *v)
{
	if (strcmp(v, "shallow") == 0 || strcmp(v, "deep") == 0)
		return v[0] == 's' ? 1 : 2;
	return config_truth(v);
}

static bool letter_option(struct formatting *f, const char *arg)
{
	if (strcmp(arg, "--cover-letter") == 0 || strcmp(arg, "--no-cover-letter") == 0) {
		f->cover = arg[2] == 'c';
	} else if (strcmp(arg, "--thread") == 0 || git_starts(arg, "--thread=")) {
		f->thread = arg[8] == '=' ? thread_of(arg + 9) : 1;
		if (f->thread < 0 || (arg[8] == '=' && arg[9] != 's' && arg[9] != 'd'))
			git_exit(f->g, GIT_STATUS_USAGE);
	} else if (strcmp(arg, "--no-thread") == 0) {
		f->thread = 0;
	} else if (strcmp(arg, "--attach") == 0 || git_starts(arg, "--attach=") ||
		   strcmp(arg, "--inline") == 0 || git_starts(arg, "--inline=")) {
		f->boundary = arg[8] == '=' ? arg + 9 : "2.39.5";
		f->is_inline = arg[2] == 'i';
	} else if (strcmp(arg, "--no-attach") == 0) {
		f->boundary = NULL;
	} else {
		return false;
	}
	return true;
}

static bool flag_option(struct formatting *f, const char *arg)
{
	const struct {
		const char *name;
		bool *field;
	} flags[] = {
		{ "--stdout", &f->to_stdout },
		{ "-k", &f->keep },
		{ "--keep-subject", &f->keep },
		{ "-s", &f->signoff },
		{ "--signoff", &f->signoff },
		{ "--root", &f->root },
		{ "--always", &f->always },
		{ "--zero-commit", &f->zero_commit },
		{ "-q", &f->quiet },
		{ "--quiet", &f->quiet },
		{ "--numbered-files", &f->numbered_files },
		{ "-p", &f->no_stat },
		{ "-u", &f->no_stat },
		{ "--patch", &f->no_stat },
		{ "--no-stat", &f->no_stat },
		{ "--no-encode-email-headers", &f->raw },
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (strcmp(arg, flags[i].name) == 0)
			return *flags[i].field = true;
	if (strcmp(arg, "-n") == 0 || strcmp(arg, "--numbered") == 0)
		f->numbered = 1;
	else if (strcmp(arg, "-N") == 0 || strcmp(arg, "--no-numbered") == 0)
		f->numbered = 0;
	else if (strcmp(arg, "--no-signature") == 0)
		f->signature = f->signature_file = NULL;
	else if (strcmp(arg, "--rfc") == 0)
		f->prefix = "RFC PATCH";
	else if (strcmp(arg, "--from") == 0)
		f->from = "";
	else if (strcmp(arg, "--encode-email-headers") == 0)
		f->raw = false;
	else if (strcmp(arg, "--no-from") == 0)
		f->from = NULL;
	else if (strcmp(arg, "--no-to") == 0)
		f->to.n = 0;
	else if (strcmp(arg, "--no-cc") == 0)
		f->cc.n = 0;
	else if (strcmp(arg, "--no-add-header") == 0)
		f->headers.n = f->to.n = f->cc.n = 0;
	else if (strcmp(arg, "--no-base") == 0)
		f->base = NULL;
	else if (strcmp(arg, "--ignore-if-in-upstream") == 0)
		f->drop_upstream = true;
	else if (!letter_option(f, arg) && strcmp(arg, "--no-force-in-body-from") != 0)
		return false;
	return true;
}

/* The name of a mail, with or without what is around it. */
static char *clean_id(struct git *g, const char *text)
{
	struct bytes id = git_trim(bytes_of(text));

	while (id.len != 0 && id.ptr[0] == '<')
		id = bytes_slice(id, 1, id.len);
	while (id.len != 0 && id.ptr[id.len - 1] == '>')
		id.len--;
	if (id.len == 0)
		git_die(g, "insane in-reply-to: %s", text);
	return arena_dup(g->keep, id);
}

static void set_value(struct formatting *f, size_t which, const char *v)
{
	struct git *g = f->g;

	switch (which) {
	case 0:
	case 1: f->dir = v; break;
	case 2: f->prefix = v; break;
	case 3: f->suffix = v; break;
	case 4:
		f->signature = v[0] != '\0' ? v : NULL;
		f->signature_file = NULL;
		break;
	case 5:
	case 6: f->reroll = v; break;
	case 7: f->start = need_number(g, "start-number", v); break;
	case 8: f->name_max = need_number(g, "filename-max-length", v); break;
	case 9: names_add(g, &f->to, v); break;
	case 10: names_add(g, &f->cc, v); break;
	case 11: names_add(g, &f->headers, v); break;
	case 12:
		if (strchr(v, '<') == NULL || strchr(strchr(v, '<'), '>') == NULL)
			git_die(g, "invalid ident line: %s", v);
		f->from = v;
		break;
	case 13: names_add(g, &f->references, clean_id(g, v)); break;
	case 14: f->cover_mode = v; break;
	case 15: f->signature_file = v; break;
	case 16:
		f->base = v;
		f->base_maybe = false;
		break;
	default:
		if (rev_commit(g, v, &f->interdiff) < 0) {
			git_error(g, "malformed object name '%s'", v);
			git_exit(g, GIT_STATUS_USAGE);
		}
		f->has_interdiff = true;
		break;
	}
}

/* "--name=value", "--name value", "-vvalue": how many arguments, or 0. */
static int value_option(struct formatting *f, int argc, char **argv)
{
	static const char *const names[] = { "-o",
					     "--output-directory",
					     "--subject-prefix",
					     "--suffix",
					     "--signature",
					     "-v",
					     "--reroll-count",
					     "--start-number",
					     "--filename-max-length",
					     "--to",
					     "--cc",
					     "--add-header",
					     "--from",
					     "--in-reply-to",
					     "--cover-from-description",
					     "--signature-file",
					     "--base",
					     "--interdiff" };
	const char *arg = argv[0];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(arg, names[i], n) != 0)
			continue;
		if (n == 2 && arg[n] != '\0') {
			set_value(f, i, arg + n);
			return 1;
		}
		if (arg[n] == '=') {
			set_value(f, i, arg + n + 1);
			return 1;
		}
		if (arg[n] == '\0' && argc > 1 && i != 12) {
			set_value(f, i, argv[1]);
			return 2;
		}
	}
	return 0;
}

static int option(struct git *g, void *opts, int argc, char **argv)
{
	struct formatting *f = opts;
	static const char *const refused[] = { "--range-diff" };
	int64_t n;
	int taken;

	if (strcmp(argv[0], "-h") == 0)
		git_usage(g, format_usage);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (git_starts(argv[0], refused[i]))
			git_refuse(g, git_format(g->a, "format-patch %s", refused[i]));
	if (flag_option(f, argv[0]))
		return 1;
	taken = value_option(f, argc, argv);
	if (taken != 0)
		return taken;
	if (argv[0][0] == '-' && byte_is_digit((unsigned char)argv[0][1]) &&
	    git_number(argv[0] + 1, &n)) {
		f->revs.max_count = n;
		return 1;
	}
	taken = revs_option(g, &f->revs, argc, argv);
	return taken != 0 ? taken : diff_option(g, &f->revs.diff, argc, argv);
}

/* --- one mail --- */

static void find_changes(struct formatting *f, struct commit *c, struct diff_opts *o,
			 struct diff_queue *q)
{
	*o = f->revs.diff;
	diff_trees(f->g, o, c->nparents != 0 ? &c->parent[0]->tree : NULL, &c->tree, q);
	diff_finish(f->g, o, q);
}

static void put_interdiff(struct formatting *f, const char *indent, struct output *out)
{
	struct buf b = buf_in(f->g->a);
	int64_t n;

	if (f->reroll != NULL && git_number(f->reroll, &n))
		buf_printf(&b, "Interdiff against v%lld:\n", (long long)n - 1);
	else
		buf_puts(&b, "Interdiff:\n");
	format_interdiff(f->g, &f->interdiff, f->list.at[f->list.n - 1], &f->revs.diff, indent, &b);
	output_write(out, b.ptr, b.len);
}

/* The base is told once. */
static void put_base(struct formatting *f, struct output *out)
{
	output_write(out, f->base_text.ptr, f->base_text.len);
	f->base_text.len = 0;
}

/* name: of the attachment, or NULL. */
static void put_diff(struct formatting *f, struct diff_opts *o, struct diff_queue *q,
		     const char *name, struct output *out)
{
	struct git *g = f->g;
	bool stat = (o->format & DIFF_STAT) != 0;
	struct buf b = buf_in(g->a);

	o->to = out;
	o->stat_width = o->stat_width != 0 ? o->stat_width : MAIL_STAT_WIDTH;
	output_write(out, stat ? "---\n" : "\n", stat ? 4 : 1);
	if (f->has_interdiff && f->cover <= 0) {
		put_interdiff(f, "  ", out);
		output_putc(out, '\n');
	}
	if (name != NULL && stat) {
		o->format &= ~(unsigned)DIFF_PATCH;
		diff_output(g, o, q);
		o->format = DIFF_PATCH;
		buf_printf(&b,
			   "\n\n--------------%s\n"
			   "Content-Type: text/x-patch; name=\"%s\"\n"
			   "Content-Transfer-Encoding: 8bit\n"
			   "Content-Disposition: %s; filename=\"%s\"\n\n",
			   f->boundary, name, f->is_inline ? "inline" : "attachment", name);
		output_write(out, b.ptr, b.len);
	}
	diff_output(g, o, q);
	pool_free(g->c->pool, q->at, q->cap * sizeof(*q->at));
}

static char *prefix_of(struct formatting *f, size_t number, size_t total)
{
	struct git *g = f->g;
	char *prefix = f->reroll != NULL ? git_format(g->a, "%s v%s", f->prefix, f->reroll)
					 : arena_dup(g->a, bytes_of(f->prefix));
	bool numbered = f->numbered > 0 || (f->numbered < 0 && (f->list.n > 1 || f->cover > 0));
	char width[24];

	if (f->keep)
		return NULL;
	if (!numbered)
		return prefix;
	size_t digits = num_format_u64(total, width);

	return git_format(g->a, "%s%s%0*zu/%zu", prefix, prefix[0] != '\0' ? " " : "", (int)digits,
			  number, total);
}

static void add_list(struct formatting *f, const char *name, const struct names *list)
{
	struct git *g = f->g;
	struct buf b = buf_in(g->keep);

	for (size_t i = 0; i < list->n; i++)
		buf_printf(&b, "%s%s", i == 0 ? name : ",\n    ", list->at[i]);
	if (list->n != 0)
		names_add(g, &f->headers, buf_cstr(&b));
}

static char *ident_text(struct git *g, const char *ident)
{
	const char *end = strchr(ident, '>');

	return arena_dup(g->keep,
			 (struct bytes){ ident, end != NULL ? (size_t)(end + 1 - ident) : 0 });
}

/* c NULL: of the cover letter. */
static char *file_name(struct formatting *f, struct commit *c, size_t number)
{
	struct git *g = f->g;
	struct buf b = buf_in(g->keep);
	struct commit_text t;
	size_t suffix = strlen(f->suffix);
	size_t max = f->name_max > 0 ? (size_t)f->name_max : 0;

	if (f->dir != NULL)
		buf_printf(&b, "%s%s", f->dir, git_ends(f->dir, "/") ? "" : "/");
	if (f->numbered_files) {
		buf_printf(&b, "%zu", number);
		return buf_cstr(&b);
	}
	size_t from = b.len;

	if (f->reroll != NULL)
		buf_printf(&b, "v%s-", f->reroll);
	buf_printf(&b, "%04zu-", number);
	if (c != NULL) {
		commit_text(g, g->a, &c->oid, &t);
		pretty_file_name(message_subject(g->a, t.message), &b);
	} else {
		buf_puts(&b, "cover-letter");
	}
	if (max <= suffix + NUMBER_LENGTH)
		max = suffix + NUMBER_LENGTH;
	if (b.len - from > max - suffix - 1)
		b.len = from + max - suffix - 1;
	buf_puts(&b, f->suffix);
	return buf_cstr(&b);
}

static void settle_style(struct formatting *f, size_t number, struct mail_style *s)
{
	struct git *g = f->g;

	*s = (struct mail_style){
		.prefix = prefix_of(f, number, (size_t)f->start + f->list.n - 1),
		.headers = &f->headers,
		.zero_commit = f->zero_commit,
		.raw = f->raw,
		.id = f->id,
		.references = &f->references,
	};
	if (f->from != NULL)
		s->from = f->from[0] != '\0' ? f->from : ident_text(g, ident_committer(g));
	if (f->signoff)
		s->signoff = ident_text(g, ident_committer(g));
}

static void put_signature(struct formatting *f, struct output *out)
{
	if (f->signature == NULL)
		return;
	char *text = git_format(f->g->a, "-- \n%s%s\n", f->signature,
				git_ends(f->signature, "\n") ? "" : "\n");

	output_write(out, text, strlen(text));
}

static void write_mail(struct formatting *f, size_t i, struct output *out)
{
	struct git *g = f->g;
	struct commit *c = f->list.at[i];
	struct buf b = buf_in(g->a);
	size_t number = (size_t)f->start + i;
	struct mail_style s;
	struct diff_opts o;
	struct diff_queue q = { NULL, 0, 0, { NULL, 0, 0 } };
	char *name = NULL;

	/* A commit without changes is an empty mail. */
	find_changes(f, c, &o, &q);
	if (q.n == 0 && !f->always)
		return;
	if (f->to_stdout && f->written++ > 0)
		output_putc(out, '\n');
	settle_style(f, number, &s);
	s.boundary = f->boundary;
	if (f->boundary != NULL) {
		name = file_name(f, c, number);
		if (strrchr(name, '/') != NULL)
			name = strrchr(name, '/') + 1;
	}
	mail_put(g, &c->oid, &s, &b);
	output_write(out, b.ptr, b.len);
	if (q.n != 0)
		put_diff(f, &o, &q, name, out);
	put_base(f, out);
	if (f->boundary == NULL) {
		put_signature(f, out);
		return;
	}
	name = git_format(g->a, "\n--------------%s--\n\n\n", f->boundary);
	output_write(out, name, strlen(name));
}

/* The description of the branch that the series is of. */
static const char *description(struct formatting *f)
{
	struct git *g = f->g;
	const char *name = NULL;

	for (size_t i = 0; i < f->revs.nitems; i++)
		if (!f->revs.item[i].uninteresting) {
			if (name != NULL)
				return NULL;
			name = f->revs.item[i].name;
		}
	if (name == NULL)
		return NULL;
	if (strcmp(name, "HEAD") == 0) {
		char *head = head_ref(g);

		name = head != NULL ? ref_short(g, head) : name;
	}
	return config_get(g, git_format(g->a, "branch.%s.description", name));
}

static void write_cover(struct formatting *f, struct output *out)
{
	struct git *g = f->g;
	struct buf b = buf_in(g->a);
	struct mail_style s;
	struct mail_cover cover = { .list = &f->list,
				    .description = description(f),
				    .mode = f->cover_mode,
				    .diff = f->revs.diff };

	cover.diff.format = DIFF_STAT | DIFF_SUMMARY;
	cover.diff.stat_width = cover.diff.stat_width != 0 ? cover.diff.stat_width
							   : MAIL_STAT_WIDTH;
	cover.diff.paths.n = 0;
	settle_style(f, 0, &s);
	mail_put_cover(g, &cover, &s, &b);
	output_write(out, b.ptr, b.len);
	if (f->has_interdiff)
		put_interdiff(f, "", out);
	put_base(f, out);
	put_signature(f, out);
}

/* i SIZE_MAX: the cover letter. */
static void write_one(struct formatting *f, size_t i, struct output *out)
{
	if (i == SIZE_MAX)
		write_cover(f, out);
	else
		write_mail(f, i, out);
}

static void write_file(struct formatting *f, size_t i)
{
	struct git *g = f->g;
	char *name = i == SIZE_MAX ? file_name(f, NULL, 0)
				   : file_name(f, f->list.at[i], (size_t)f->start + i);
	char *full = path_join(g->keep, g->start, name);
	struct output out;
	int err = output_open(&out, g->c, full, O_WRONLY_ | O_CREAT_ | O_TRUNC_, false);

	if (err < 0)
		git_die_errno(g, err, "cannot open patch file %s", name);
	if (!f->quiet)
		git_printf(g, "%s\n", name);
	write_one(f, i, &out);
	output_close(&out);
}

/* The name of the mail that comes next, and what it is an answer to. */
static void next_thread(struct formatting *f, size_t i)
{
	struct git *g = f->g;
	struct person who;

	if (f->thread == 0)
		return;
	if (f->id != NULL &&
	    !(f->thread == 1 && f->references.n > 0 && (f->cover <= 0 || (size_t)f->start + i > 1)))
		names_add(g, &f->references, f->id);
	person_split(bytes_of(ident_committer(g)), &who);
	f->id = git_format(g->keep, "%s.%lld.git.%.*s",
			   i == SIZE_MAX ? "cover" : oid_hex(g, &f->list.at[i]->oid),
			   (long long)date_now(g), (int)who.mail.len, who.mail.ptr);
}

static void write_all(struct formatting *f)
{
	struct git *g = f->g;

	for (size_t i = f->cover > 0 ? SIZE_MAX : 0; i == SIZE_MAX || i < f->list.n; i++) {
		struct arena_mark mark;

		next_thread(f, i);
		mark = arena_mark(g->a);
		if (f->to_stdout)
			write_one(f, i, &g->c->out);
		else
			write_file(f, i);
		arena_release(g->a, mark);
	}
}

/* --- which --- */

/* One revision alone means: everything since. */
static void settle_range(struct formatting *f, struct args *args)
{
	struct git *g = f->g;
	struct oid o;
	bool given = f->revs.nitems != 0 || f->revs.gave_rev; /* --all and the like */

	if (given && args->argc == 0 && f->revs.nitems == 1 && f->revs.max_count < 0 && !f->root) {
		f->revs.item[0].uninteresting = true;
		revs_add(g, &f->revs, "HEAD");
	}
	if (given)
		return;
	if (args->argc == 1 && f->revs.max_count < 0 && !f->root &&
	    strstr(args->argv[0], "..") == NULL && args->argv[0][0] != '^' &&
	    rev_commit(g, args->argv[0], &o) == 0)
		args->argv[0] = git_format(g->keep, "%s..HEAD", args->argv[0]);
	else if (args->argc == 0 && f->revs.max_count < 0 && !f->root) {
		const char *why;
		char *head = head_ref(g);
		char *up = head != NULL ? rev_upstream(g, head, &why) : NULL;

		if (up == NULL)
			git_exit(g, 0);
		args->argv = arena_array(g->keep, 2, sizeof(*args->argv));
		args->argv[0] = git_format(g->keep, "%s..HEAD", up);
		args->argv[1] = NULL;
		args->argc = 1;
	}
}

static void collect(struct formatting *f)
{
	struct git *g = f->g;
	struct commit *c;

	while ((c = revs_next(&f->revs)) != NULL) {
		LIST_ROOM(g, f->list.at, f->list.n, f->list.cap);
		f->list.at[f->list.n++] = c;
	}
	for (size_t i = 0; i < f->list.n / 2; i++) {
		struct commit *other = f->list.at[f->list.n - 1 - i];

		f->list.at[f->list.n - 1 - i] = f->list.at[i];
		f->list.at[i] = other;
	}
	revs_forget(g);
}

static void add_header(struct formatting *f, const char *text)
{
	struct bytes line = git_trim(bytes_of(text));
	char *value = arena_dup(f->g->keep,
				bytes_slice(line, line.len < 4 ? line.len : 4, line.len));
	char line_start[5] = { 0 };

	for (size_t i = 0; i < 4 && i < line.len; i++)
		line_start[i] = (char)byte_to_lower((unsigned char)line.ptr[i]);
	if (line.len > 4 && git_starts(line_start, "to: "))
		names_add(f->g, &f->to, value);
	else if (line.len > 4 && git_starts(line_start, "cc: "))
		names_add(f->g, &f->cc, value);
	else
		names_add(f->g, &f->headers, arena_dup(f->g->keep, line));
}

static void config_headers(struct formatting *f)
{
	static const char *const keys[] = { "format.headers", "format.to", "format.cc" };

	for (size_t k = 0; k < 3; k++) {
		const struct config *all = f->g->config;

		for (size_t i = 0; i < all->n; i++) {
			const char *value = all->at[i].value;

			if (value == NULL || strcmp(all->at[i].key, keys[k]) != 0)
				continue;
			if (k == 0)
				add_header(f, value);
			else
				names_add(f->g, k == 1 ? &f->to : &f->cc, value);
		}
	}
}

/* The text of the file without the newline that is put there anyway. */
static void read_signature(struct formatting *f)
{
	struct git *g = f->g;
	struct bytes text;
	int err;

	if (f->signature_file == NULL)
		return;
	err = file_read(g, g->keep, path_join(g->a, g->start, f->signature_file), &text);
	if (err < 0)
		git_die_errno(g, err, "unable to read signature file '%s'", f->signature_file);
	f->signature = arena_dup(g->keep, text);
}

static void read_config(struct formatting *f)
{
	struct git *g = f->g;
	const char *v = config_get(g, "format.subjectprefix");

	f->prefix = v != NULL ? v : "PATCH";
	v = config_get(g, "format.suffix");
	f->suffix = v != NULL ? v : ".patch";
	v = config_get(g, "format.signature");
	f->signature = v == NULL ? "2.39.5" : v[0] != '\0' ? v : NULL;
	f->dir = config_get(g, "format.outputdirectory");
	f->signoff = config_bool(g, "format.signoff", false);
	f->signature_file = v == NULL ? config_get(g, "format.signaturefile") : NULL;
	v = config_get(g, "format.from");
	if (v != NULL)
		f->from = config_truth(v) == 1 ? "" : config_truth(v) == 0 ? NULL : v;
	f->raw = !config_bool(g, "format.encodeemailheaders", true);
	config_headers(f);
	v = config_get(g, "format.numbered");
	f->numbered = v == NULL || strcmp(v, "auto") == 0
			      ? -1
			      : config_bool(g, "format.numbered", false);
	v = config_get(g, "format.coverletter");
	f->cover = v == NULL                ? 0
		   : strcmp(v, "auto") == 0 ? -1
					    : config_bool(g, "format.coverletter", false);
	v = config_get(g, "format.coverfromdescription");
	f->cover_mode = v != NULL ? v : "message";
	v = config_get(g, "format.thread");
	f->thread = v != NULL ? thread_of(v) : 0;
	if (f->thread < 0)
		git_die(g, "bad boolean config value '%s' for '%s'", v, "format.thread");
	v = config_get(g, "format.useautobase");
	if (v != NULL && byte_to_lower((unsigned char)v[0]) == 'w' &&
	    git_eq_nocase(bytes_of(v), BYTES("whenable")))
		f->base_maybe = true;
	else if (v != NULL && !config_bool(g, "format.useautobase", false))
		v = NULL;
	f->base = v != NULL ? "auto" : NULL;
	f->start = 1;
	f->name_max = config_int(g, "format.filenamemaxlength", NAME_MAX_DEFAULT);
}

int git_cmd_format_patch(struct git *g, struct args *args)
{
	struct formatting f = { .g = g };
	const char *unknown;

	read_config(&f);
	revs_init(g, &f.revs);
	unknown = git_take_options(g, args, option, &f);
	if (unknown != NULL)
		git_die(g, "unrecognized argument: %s", unknown);
	if (strcmp(f.cover_mode, "default") == 0)
		f.cover_mode = "message";
	if (strcmp(f.cover_mode, "message") != 0 && strcmp(f.cover_mode, "subject") != 0 &&
	    strcmp(f.cover_mode, "auto") != 0 && strcmp(f.cover_mode, "none") != 0)
		git_die(g, "%s: invalid cover from description mode", f.cover_mode);
	settle_range(&f, args);
	f.revs.default_head = true;
	f.revs.max_parents = 1;
	revs_operands(g, &f.revs, args);
	f.revs.diff.binary = true;
	if ((f.revs.diff.format == 0 || f.revs.diff.format == DIFF_PATCH) && !f.no_stat)
		f.revs.diff.format = DIFF_STAT | DIFF_SUMMARY;
	f.revs.diff.format |= DIFF_PATCH;
	diff_settle(g, &f.revs.diff);
	if (f.revs.diff.renames < 0)
		f.revs.diff.renames = 1;
	collect(&f);
	if (f.drop_upstream)
		format_drop_upstream(g, &f.revs, &f.list);
	read_signature(&f);
	add_list(&f, "To: ", &f.to);
	add_list(&f, "Cc: ", &f.cc);
	if (f.dir != NULL && !f.to_stdout)
		file_make_dirs(g, path_join(g->a, g->start, f.dir));
	f.cover = f.cover < 0 ? f.list.n > 1 : f.cover;
	if (f.has_interdiff && f.cover <= 0 && f.list.n != 1)
		git_die(g, "--interdiff requires --cover-letter or single patch");
	f.base_text = buf_in(g->keep);
	if (f.base != NULL)
		format_base(g, f.base, f.base_maybe, &f.list, &f.base_text);
	if (f.list.n != 0)
		write_all(&f);
	return 0;
}
