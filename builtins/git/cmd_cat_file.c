/* SPDX-License-Identifier: MIT
 *
 * git cat-file: one object, or as many as standard input names, each answered before the next
 * name is read.
 */
#include "builtins/git/commit.h"
#include "builtins/git/follow_links.h"
#include "builtins/git/userdiff.h"

struct cat_opts {
	bool check, type, size, pretty, textconv, filters, all, buffer, nul, unordered,
		unknown_type, follow;
	const char *batch, *batch_check, *batch_command; /* the format, "" the usual one */
	const char *path;
};

static const struct git_option cat_options[] = {
	GIT_FLAG('e', NULL, struct cat_opts, check),
	GIT_FLAG('p', NULL, struct cat_opts, pretty),
	GIT_FLAG('t', NULL, struct cat_opts, type),
	GIT_FLAG('s', NULL, struct cat_opts, size),
	GIT_FLAG(0, "allow-unknown-type", struct cat_opts, unknown_type),
	GIT_STR_MAYBE(0, "batch", struct cat_opts, batch),
	GIT_STR_MAYBE(0, "batch-check", struct cat_opts, batch_check),
	GIT_STR_MAYBE(0, "batch-command", struct cat_opts, batch_command),
	GIT_FLAG(0, "batch-all-objects", struct cat_opts, all),
	GIT_FLAG(0, "buffer", struct cat_opts, buffer),
	GIT_FLAG(0, "unordered", struct cat_opts, unordered),
	GIT_FLAG('z', NULL, struct cat_opts, nul),
	GIT_FLAG(0, "follow-symlinks", struct cat_opts, follow),
	GIT_FLAG(0, "textconv", struct cat_opts, textconv),
	GIT_FLAG(0, "filters", struct cat_opts, filters),
	GIT_STR(0, "path", struct cat_opts, path),
	GIT_END(),
};
static const char *const cat_usage[] = {
	"git cat-file <type> <object>",
	"git cat-file (-e | -p) <object>",
	"git cat-file (-t | -s) [--allow-unknown-type] <object>",
	"git cat-file (--batch | --batch-check | --batch-command) [--batch-all-objects]\n"
	"             [--buffer] [--follow-symlinks] [--unordered]\n"
	"             [--textconv | --filters] [-z]",
	"git cat-file (--textconv | --filters)\n"
	"             [<rev>:<path|tree-ish> | --path=<path|tree-ish> <rev>]",
	NULL
};

static void put_tree(struct git *g, struct bytes data)
{
	struct tree_entry e;

	while (tree_next(&data, &e) > 0)
		git_printf(g, "%06o %s %s\t%s\n", e.mode,
			   (e.mode & S_FMT) == S_DIR ? "tree"
			   : e.mode == MODE_GITLINK  ? "commit"
						     : "blob",
			   oid_hex(g, &e.oid), git_quoted(g, arena_dup(g->a, e.name)));
}

/* --- many --- */

struct batch {
	struct git *g;
	struct cat_opts *o;
	const char *format; /* NULL: the usual one */
	bool rest;          /* the format wants what stands behind the name */
};
struct batch_item {
	struct oid oid;
	enum object_type type;
	uint64_t size;
	const char *rest;
};

static void put_field(struct batch *b, struct bytes name, const struct batch_item *it)
{
	struct git *g = b->g;
	struct oid base;

	if (bytes_eq(name, BYTES("objectname")))
		git_printf(g, "%s", oid_hex(g, &it->oid));
	else if (bytes_eq(name, BYTES("objecttype")))
		git_printf(g, "%s", object_type_name(it->type));
	else if (bytes_eq(name, BYTES("objectsize")))
		git_printf(g, "%llu", (unsigned long long)it->size);
	else if (bytes_eq(name, BYTES("objectsize:disk")))
		git_printf(g, "%llu", (unsigned long long)object_stored(g, &it->oid, &base));
	else if (bytes_eq(name, BYTES("rest")))
		git_printf(g, "%s", it->rest != NULL ? it->rest : "");
	else if (bytes_eq(name, BYTES("deltabase")))
		object_stored(g, &it->oid, &base), git_printf(g, "%s", oid_hex(g, &base));
	else
		git_die(g, "unknown format element: %.*s", (int)name.len, name.ptr);
}

static void put_format(struct batch *b, const struct batch_item *it)
{
	for (const char *p = b->format; *p != '\0'; p++) {
		const char *end = p[0] == '%' && p[1] == '(' ? strchr(p, ')') : NULL;

		if (p[0] == '%' && p[1] == '%')
			p++;
		if (end == NULL) {
			cmd_putc(b->g->c, *p);
			continue;
		}
		put_field(b, (struct bytes){ p + 2, (size_t)(end - p) - 2 }, it);
		p = end;
	}
	cmd_putc(b->g->c, '\n');
}

static void put_content(struct batch *b, const struct batch_item *it)
{
	struct git *g = b->g;
	struct bytes data = object_need(g, g->a, &it->oid, it->type);

	if ((b->o->filters || b->o->textconv) && it->type == OBJECT_BLOB) {
		if (it->rest == NULL)
			git_die(g, "missing path for '%s'", oid_hex(g, &it->oid));
		if (b->o->filters)
			data = convert_out(g, g->a, it->rest, data);
		else
			userdiff_textconv(g, g->a, it->rest, MODE_FILE, &it->oid, data, &data);
	}
	cmd_bytes(g->c, data);
	cmd_putc(g->c, '\n');
}

static void answer_object(struct batch *b, struct batch_item *it, bool content)
{
	if (b->format == NULL)
		git_printf(b->g, "%s %s %llu\n", oid_hex(b->g, &it->oid),
			   object_type_name(it->type), (unsigned long long)it->size);
	else
		put_format(b, it);
	if (content)
		put_content(b, it);
}

/* --follow-symlinks: false, where it does not end at an object, which is told. */
static bool followed(struct batch *b, const char *name, struct oid *out)
{
	static const char *const words[] = { [FOLLOWED_DANGLING] = "dangling",
					     [FOLLOWED_LOOP] = "loop",
					     [FOLLOWED_NOT_DIR] = "notdir",
					     [FOLLOWED_OUTSIDE] = "symlink" };
	const char *shown = name;
	enum followed_to to = follow_links(b->g, name, out, &shown);

	if (to == FOLLOWED_NONE)
		git_printf(b->g, "%s missing\n", name);
	else if (to != FOLLOWED_FOUND)
		git_printf(b->g, "%s %zu\n%s\n", words[to], strlen(shown), shown);
	return to == FOLLOWED_FOUND;
}

static void answer(struct batch *b, char *name, bool content)
{
	struct git *g = b->g;
	struct arena_mark mark = arena_mark(g->a);
	struct batch_item it = { .type = OBJECT_NONE };
	char *blank = b->rest || b->o->filters || b->o->textconv ? strpbrk(name, " \t") : NULL;

	if (blank != NULL) {
		*blank++ = '\0';
		it.rest = blank + strspn(blank, " \t");
	}
	bool known = b->o->follow ? followed(b, name, &it.oid) : rev_parse(g, name, &it.oid) == 0;

	if (known)
		it.type = object_info(g, &it.oid, &it.size);
	if (it.type != OBJECT_NONE)
		answer_object(b, &it, content);
	else if (known || !b->o->follow)
		git_printf(g, "%s missing\n", name);
	if (!b->o->buffer)
		cmd_flush(g->c);
	arena_release(g->a, mark);
}

/* --batch-command: "contents NAME", "info NAME", "flush". */
static void obey(struct batch *b, char *line)
{
	struct git *g = b->g;
	char *blank = strchr(line, ' ');

	if (*line == '\0')
		git_die(g, "empty command in input");
	if (byte_is_space((unsigned char)*line))
		git_die(g, "whitespace before command: '%s'", line);
	if (strcmp(line, "flush") == 0) {
		if (!b->o->buffer)
			git_die(g, "flush is only for --buffer mode");
		cmd_flush(g->c);
		return;
	}
	if (!git_starts(line, "contents") && !git_starts(line, "info"))
		git_die(g, "unknown command: '%s'", line);
	if (blank == NULL || blank[1] == '\0')
		git_die(g, "%s requires arguments", line);
	answer(b, blank + 1, line[0] == 'c');
}

static int run_batch(struct git *g, struct cat_opts *o)
{
	struct batch b = { .g = g, .o = o };
	bool content = o->batch != NULL;
	const char *format = o->batch != NULL         ? o->batch
			     : o->batch_check != NULL ? o->batch_check
						      : o->batch_command;
	struct input in;
	struct bytes line;

	b.format = *format != '\0' ? format : NULL;
	b.rest = b.format != NULL && strstr(b.format, "%(rest)") != NULL;
	if (o->all) {
		struct oid *list;
		size_t n = object_list(g, &list);

		g->replaced = lookup_new(g); /* each is shown as it is stored */
		for (size_t i = 0; i < n; i++) {
			struct arena_mark mark = arena_mark(g->a);
			struct batch_item it = { .oid = list[i] };

			it.type = object_info(g, &it.oid, &it.size);
			answer_object(&b, &it, content);
			arena_release(g->a, mark);
		}
		return 0;
	}
	input_init(&in, g->c, 0, "-");
	while (input_line(&in, o->nul ? '\0' : '\n', &line) > 0) {
		char *text = arena_dup(g->a, line);

		cmd_charge(g->c, 1);
		if (o->batch_command != NULL)
			obey(&b, text);
		else
			answer(&b, text, content);
	}
	return 0;
}

/* --- one --- */

static _Noreturn void unknown_name(struct git *g, const char *name)
{
	rev_diagnose(g, name);
	git_die(g, "Not a valid object name %s", name);
}

static int put_converted(struct git *g, struct cat_opts *o, const char *name)
{
	struct rev_context cx = { .path = NULL };
	struct oid oid;
	const char *path = o->path;
	enum object_type type;
	uint64_t size;
	struct bytes data;

	if (rev_parse_context(g, name, &oid, &cx) < 0)
		unknown_name(g, name);
	path = path != NULL ? path : cx.path;
	if (path == NULL)
		git_die(g, "<object>:<path> required, only <object> '%s' given", name);
	type = object_info(g, &oid, &size);
	data = object_need(g, g->a, &oid, type);
	if (type == OBJECT_BLOB && o->filters)
		data = convert_out(g, g->a, path, data);
	if (type == OBJECT_BLOB && o->textconv)
		userdiff_textconv(g, g->a, path, cx.mode != 0 ? cx.mode : MODE_FILE, &oid, data,
				  &data);
	cmd_bytes(g->c, data);
	return 0;
}

static int put_as(struct git *g, const char *type_name, const char *name, struct oid *o)
{
	enum object_type type = object_type_of(bytes_of(type_name));

	if (type == OBJECT_NONE)
		git_die(g, "invalid object type \"%s\"", type_name);
	if (!object_peel(g, o, type, o))
		git_die(g, "git cat-file %s: bad file", name);
	cmd_bytes(g->c, object_need(g, g->a, o, type));
	return 0;
}

static int show_one(struct git *g, struct cat_opts *o, const char *name, struct oid *oid)
{
	uint64_t size;
	enum object_type type = object_info(g, oid, &size);
	struct bytes data;

	if (o->check)
		return type == OBJECT_NONE;
	if (type == OBJECT_NONE && o->pretty)
		git_die(g, "Not a valid object name %s", name);
	if (type == OBJECT_NONE)
		git_die(g, "git cat-file: could not get object info");
	if (o->type) {
		git_printf(g, "%s\n", object_type_name(type));
		return 0;
	}
	if (o->size) {
		git_printf(g, "%llu\n", (unsigned long long)size);
		return 0;
	}
	data = object_need(g, g->a, oid, type);
	if (type == OBJECT_TREE)
		put_tree(g, data);
	else
		cmd_bytes(g->c, data);
	return 0;
}

int git_cmd_cat_file(struct git *g, struct args *args)
{
	struct cat_opts o = { .path = NULL };
	const struct git_parser p = { cat_options, &o, cat_usage, 0, NULL };
	bool one;
	struct oid oid;
	const char *name;

	git_parse(g, args, &p);
	one = o.check || o.type || o.size || o.pretty;
	if (o.batch != NULL || o.batch_check != NULL || o.batch_command != NULL) {
		if (one || args->argc != 0)
			git_usage(g, cat_usage);
		return run_batch(g, &o);
	}
	if (o.follow) {
		git_say(g, "fatal: '%s' requires a batch mode\n\n", "--follow-symlinks");
		git_usage(g, cat_usage);
	}
	if (args->argc != (one || o.filters || o.textconv ? 1 : 2))
		git_usage(g, cat_usage);
	name = args->argv[args->argc - 1];
	if (o.filters || o.textconv)
		return put_converted(g, &o, name);
	if (rev_parse(g, name, &oid) < 0)
		unknown_name(g, name);
	return one ? show_one(g, &o, name, &oid) : put_as(g, args->argv[0], name, &oid);
}
