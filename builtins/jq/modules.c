/* SPDX-License-Identifier: MIT
 *
 * import and include: where modules are looked for, and what they define.
 */
#include "builtins/jq/jq.h"

static bool is_file(struct jq *j, const char *path)
{
	struct vfs_stat st;

	return cmd_stat(j->c, path, &st) == 0 && (st.mode & 0170000) == 0100000;
}

static struct bytes last_part(struct bytes path)
{
	const char *slash = bytes_rfind(path, BYTES("/"));

	return slash == NULL ? path : bytes_slice(path, (size_t)(slash - path.ptr) + 1, path.len);
}

/* dir/path.jq or dir/path/last.jq, if it is there; else NULL. */
static const char *try_dir(struct jq *j, struct bytes dir, struct bytes path, const char *suffix)
{
	for (int deep = 0; deep < 2; deep++) {
		struct buf b = buf_in(j->a);

		if (dir.len > 0) {
			buf_add(&b, dir);
			buf_putc(&b, '/');
		}
		buf_add(&b, path);
		if (deep) {
			buf_putc(&b, '/');
			buf_add(&b, last_part(path));
		}
		buf_puts(&b, suffix);
		char *whole;

		if (is_file(j, buf_cstr(&b)))
			return cmd_canonical(j->c, buf_cstr(&b), CANON_EXISTING, &whole) == 0
				       ? whole
				       : buf_cstr(&b);
	}
	return NULL;
}

/* A directory of the search list as a path: ~ is HOME, relative ones start at `base`. */
static struct bytes resolve(struct jq *j, struct bytes dir, struct bytes base)
{
	struct buf b = buf_in(j->a);
	const char *home = cmd_getenv(j->c, "HOME");

	if (dir.len > 0 && dir.ptr[0] == '~') {
		buf_puts(&b, home != NULL ? home : "");
		buf_add(&b, bytes_slice(dir, 1, dir.len));
	} else if (dir.len > 0 && dir.ptr[0] == '/') {
		return dir;
	} else {
		buf_add(&b, base);
		buf_puts(&b, base.len > 0 ? "/" : "./");
		buf_add(&b, dir);
	}
	return buf_bytes(&b);
}

static const char *find_module(struct jq *j, struct import *i, struct source *from)
{
	const char *suffix = i->data ? ".json" : ".jq";
	struct json search = i->meta.kind == JSON_OBJECT ? json_get_bytes(i->meta, BYTES("search"))
							 : json_simple(JSON_NONE);
	const char *hit = NULL;

	if (search.kind == JSON_STRING)
		hit = try_dir(j, resolve(j, json_text(search), from->dir), i->path, suffix);
	for (size_t k = 0; search.kind == JSON_ARRAY && hit == NULL && k < json_len(search); k++)
		if (json_at(search, k).kind == JSON_STRING)
			hit = try_dir(j, resolve(j, json_text(json_at(search, k)), from->dir),
				      i->path, suffix);
	for (size_t k = 0; hit == NULL && k < j->opts.ndirs; k++)
		hit = try_dir(j, resolve(j, bytes_of(j->opts.dirs[k]), BYTES("")), i->path, suffix);
	if (hit == NULL && j->opts.ndirs == 0)
		hit = try_dir(j, resolve(j, BYTES("~/.jq"), BYTES("")), i->path, suffix);
	if (hit == NULL && j->opts.ndirs == 0)
		hit = try_dir(j, from->dir, i->path, suffix);
	return hit;
}

static struct scope *import_data(struct jq *j, struct scope *scope, struct import *i,
				 const char *path, struct bytes text)
{
	struct buf message = buf_in(j->a);
	struct buf name = buf_in(j->a);
	struct json v;

	if (!jq_parse_all(j, text, &v, &message)) {
		j->nerrors++;
		cmd_warn(j->c, 0, "error loading data file %s: %s", path, buf_cstr(&message));
		return scope;
	}
	buf_add(&name, i->as);
	buf_puts(&name, "::");
	buf_add(&name, i->as);
	scope = jq_scope_data(j, scope, i->as, v);
	return jq_scope_data(j, scope, buf_bytes(&name), v);
}

static struct bytes directory_of(struct bytes path)
{
	const char *slash = bytes_rfind(path, BYTES("/"));

	return slash == NULL ? BYTES(".") : bytes_slice(path, 0, (size_t)(slash - path.ptr));
}

static struct scope *import_one(struct jq *j, struct scope *scope, struct import *i,
				struct source *from)
{
	const char *path = find_module(j, i, from);
	struct bytes text;
	struct source *src;
	struct program *prog;
	struct scope *inner;

	if (path == NULL || ++j->modules > JQ_MODULES_MAX) {
		j->nerrors++;
		cmd_warn(j->c, 0, "error: module not found: %.*s\n", (int)i->path.len, i->path.ptr);
		return scope;
	}
	if (cmd_read_all(j->c, path, &text) < 0) {
		j->nerrors++;
		cmd_warn(j->c, 0, "error: module not found: %.*s\n", (int)i->path.len, i->path.ptr);
		return scope;
	}
	text = arena_bytes(j->a, text);
	if (i->data)
		return import_data(j, scope, i, path, text);
	src = arena_zalloc(j->a, sizeof(*src));
	src->name = path;
	src->text = text;
	src->dir = directory_of(bytes_of(path));
	prog = jq_parse(j, src);
	if (prog == NULL)
		return scope;
	if (prog->main != NULL) {
		jq_complain(j, src, prog->main->at, prog->main->end,
			    "library should only have function definitions, not a main expression");
		return scope;
	}
	inner = jq_import(j, j->globals, prog->imports, src);
	jq_scope_defs(j, inner, prog->defs, prog->ndefs, BYTES(""));
	return jq_scope_defs(j, scope, prog->defs, prog->ndefs, i->as);
}

/* --- what a module says of itself --- */

static struct json meta_set(struct jq *j, struct json o, const char *name, struct json v)
{
	return json_set(&j->m, o, json_key(&j->m, bytes_of(name)), v);
}

static struct json describe(struct jq *j, struct program *prog)
{
	struct json o = prog->meta.kind == JSON_OBJECT ? json_copy(prog->meta)
						       : json_object(&j->m, 2);
	struct json deps = json_array(&j->m, 2);
	struct json defs = json_array(&j->m, prog->ndefs);

	for (struct import *i = prog->imports; i != NULL; i = i->next) {
		struct json d = i->meta.kind == JSON_OBJECT ? json_copy(i->meta)
							    : json_object(&j->m, 3);

		if (i->as.len > 0)
			d = meta_set(j, d, "as", json_string(&j->m, i->as));
		d = meta_set(j, d, "is_data", json_bool(i->data));
		d = meta_set(j, d, "relpath", json_string(&j->m, i->path));
		deps = json_push(&j->m, deps, d);
	}
	for (size_t i = 0; i < prog->ndefs; i++) {
		struct buf b = buf_in(j->a);

		buf_add(&b, prog->defs[i]->name);
		buf_printf(&b, "/%zu", prog->defs[i]->nparams);
		defs = json_push(&j->m, defs, json_string(&j->m, buf_bytes(&b)));
	}
	return meta_set(j, meta_set(j, o, "deps", deps), "defs", defs);
}

struct json jq_modulemeta(struct jq *j, struct json in, struct json *arg)
{
	struct import i = { 0 };
	struct source *src = arena_zalloc(j->a, sizeof(*src));
	struct program *prog = NULL;
	const char *path;
	struct json out;

	(void)arg;
	if (in.kind != JSON_STRING) {
		json_put(&j->m, in);
		return jq_error(j, "modulemeta input module name must be a string");
	}
	i.path = arena_bytes(j->a, json_text(in));
	path = find_module(j, &i, j->main_source);
	if (path != NULL && cmd_read_all(j->c, path, &src->text) == 0) {
		src->name = path;
		src->text = arena_bytes(j->a, src->text);
		prog = jq_parse(j, src);
	}
	out = prog != NULL ? describe(j, prog) : jq_error(j, "module not found: %s", in.u.str->ptr);
	json_put(&j->m, in);
	return out;
}

struct scope *jq_import(struct jq *j, struct scope *scope, struct import *imports,
			struct source *from)
{
	for (struct import *i = imports; i != NULL; i = i->next)
		scope = import_one(j, scope, i, from);
	return scope;
}
