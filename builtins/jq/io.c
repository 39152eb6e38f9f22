/* SPDX-License-Identifier: MIT
 *
 * Functions that look beyond their input: env, input, debug, halt.
 */
#include <math.h>

#include "builtins/jq/gen.h"

static struct json fn_env(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	if (j->env.kind == JSON_NONE) {
		j->env = json_object(&j->m, 16);
		for (char *const *e = j->c->envp; e != NULL && *e != NULL; e++) {
			const char *eq = strchr(*e, '=');
			struct bytes name = { *e, eq != NULL ? (size_t)(eq - *e) : strlen(*e) };

			if (eq != NULL)
				j->env = json_set(&j->m, j->env, json_string_utf8(&j->m, name),
						  json_string_utf8(&j->m, bytes_of(eq + 1)));
		}
	}
	return json_copy(j->env);
}

static struct json fn_input(struct jq *j, struct json in, struct json *arg)
{
	struct json out;
	int more = jq_input(j, &out);

	(void)arg;
	json_put(&j->m, in);
	if (more == 0)
		return jq_error(j, "break");
	return more > 0 ? out : json_simple(JSON_NONE);
}

static struct json fn_input_filename(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	return jq_input_filename(j);
}

static struct json fn_input_line_number(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	return json_number((double)jq_input_line(j));
}

static void write_error(struct jq *j, struct json v, const char *before, const char *after)
{
	JQ_SCRATCH(j, mark);
	struct buf b = buf_in(&j->scratch);

	buf_puts(&b, before);
	json_print(&j->m, &b, v, NULL);
	buf_puts(&b, after);
	cmd_flush(j->c);
	cmd_err_write(j->c, b.ptr, b.len);
	arena_release(&j->scratch, mark);
}

static struct json fn_debug(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	write_error(j, in, "[\"DEBUG:\",", "]\n");
	return in;
}

static struct json fn_stderr(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	if (in.kind == JSON_STRING) {
		cmd_flush(j->c);
		cmd_err_write(j->c, in.u.str->ptr, in.u.str->len);
	} else {
		write_error(j, in, "", "");
	}
	return in;
}

static struct json fn_halt(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	j->halted = true;
	j->halt_status = 0;
	return jq_raise(j, json_simple(JSON_NULL));
}

static struct json fn_halt_error(struct jq *j, struct json in, struct json *arg)
{
	if (!json_is_number(arg[0])) {
		json_put(&j->m, arg[0]);
		return jq_bad(j, in, "halt_error/1: number required");
	}
	j->halted = true;
	j->halt_status = fabs(json_num(arg[0])) < 1e9 ? (int)json_num(arg[0]) & 255 : 255;
	if (in.kind == JSON_STRING) {
		cmd_flush(j->c);
		cmd_err_write(j->c, in.u.str->ptr, in.u.str->len);
	} else if (in.kind != JSON_NULL) {
		write_error(j, in, "", "\n");
	}
	json_put(&j->m, in);
	json_put(&j->m, arg[0]);
	return jq_raise(j, json_simple(JSON_NULL));
}

static struct json fn_builtins(struct jq *j, struct json in, struct json *arg)
{
	struct json out = json_array(&j->m, 200);
	JQ_SCRATCH(j, mark);
	const struct native *n;
	struct bytes name;
	size_t nparams;

	(void)arg;
	json_put(&j->m, in);
	for (size_t i = 0; (n = jq_native_nth(i)) != NULL; i++) {
		struct buf b = buf_in(&j->scratch);

		if (n->name[0] == '_')
			continue;
		buf_printf(&b, "%s/%u", n->name, n->nargs);
		out = json_push(&j->m, out, json_string(&j->m, buf_bytes(&b)));
	}
	for (size_t i = 0; (name = gen_special_nth(i, &nparams)).len > 0; i++) {
		struct buf b = buf_in(&j->scratch);

		buf_add(&b, name);
		buf_printf(&b, "/%zu", nparams);
		out = json_push(&j->m, out, json_string(&j->m, buf_bytes(&b)));
	}
	for (size_t i = 0; (name = jq_prelude_nth(i, &nparams)).len > 0; i++) {
		struct buf b = buf_in(&j->scratch);

		if (name.ptr[0] == '_')
			continue;
		buf_add(&b, name);
		buf_printf(&b, "/%zu", nparams);
		out = json_push(&j->m, out, json_string(&j->m, buf_bytes(&b)));
	}
	arena_release(&j->scratch, mark);
	return out;
}

/* --- where things come from --- */

static struct json fn_search_list(struct jq *j, struct json in, struct json *arg)
{
	static const char *const usual[] = { "~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib" };
	struct json out = json_array(&j->m, 3);

	(void)arg;
	json_put(&j->m, in);
	for (size_t i = 0; i < j->opts.ndirs; i++)
		out = json_push(&j->m, out, json_string_utf8(&j->m, bytes_of(j->opts.dirs[i])));
	for (size_t i = 0; j->opts.ndirs == 0 && i < 3; i++)
		out = json_push(&j->m, out, json_string(&j->m, bytes_of(usual[i])));
	return out;
}

static struct json fn_jq_origin(struct jq *j, struct json in, struct json *arg)
{
	(void)arg;
	json_put(&j->m, in);
	return json_string(&j->m, BYTES("/usr/bin"));
}

static struct json fn_prog_origin(struct jq *j, struct json in, struct json *arg)
{
	char *cwd;

	(void)arg;
	json_put(&j->m, in);
	if (cmd_getcwd(j->c, &cwd) < 0)
		return json_simple(JSON_NULL);
	return json_string_utf8(&j->m, bytes_of(cwd));
}

const struct native jq_natives_io[] = {
	{ "get_search_list", 0, fn_search_list },
	{ "get_jq_origin", 0, fn_jq_origin },
	{ "get_prog_origin", 0, fn_prog_origin },
	{ "modulemeta", 0, jq_modulemeta },
	{ "env", 0, fn_env },
	{ "input", 0, fn_input },
	{ "input_filename", 0, fn_input_filename },
	{ "input_line_number", 0, fn_input_line_number },
	{ "debug", 0, fn_debug },
	{ "stderr", 0, fn_stderr },
	{ "halt", 0, fn_halt },
	{ "halt_error", 1, fn_halt_error },
	{ "builtins", 0, fn_builtins },
	{ NULL, 0, NULL },
};
