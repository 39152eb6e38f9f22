/* SPDX-License-Identifier: MIT
 *
 * What cowsh.mjs calls, over cowsh.h: one store in an instance, whose sessions ("computers") are
 * pointers. Sessions run on Emscripten's fibers: a function that reaches them comes back to
 * JavaScript before it is done, and is done when control comes back; what it returns is lost. So
 * all that may do so put their results into `answer`.
 */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "cowsh.h"
#include "cowsh_image.h"

/* --- what JavaScript reads: as `Answer` in cowsh.mjs --- */

static struct answer {
	double steps;
	double output_bytes;
	double processes;
	double memory_peak;
	double time_ms; /* virtual */
	double limit_value;
	double size; /* of a file; bytes or time, as a function says */
	double mtime_ms;
	int32_t result; /* 0 or more, or a negative error */
	int32_t status;
	int32_t limit;
	int32_t exited;
	int32_t mode;
	int32_t uid;
	int32_t gid;
	int32_t nlink;
	const char *where; /* the limit was met; or a file's bytes */
	void *made;        /* a computer, a snapshot */
} answer;

EMSCRIPTEN_KEEPALIVE struct answer *glue_answer(void)
{
	return &answer;
}

/* --- what JavaScript is asked --- */

EM_JS(int, js_output, (int id, int fd, const char *data, size_t len),
      { return Module.host.output(id, fd, data, len); });
EM_JS(int, js_input, (int id, char *into, size_t len),
      { return Module.host.input(id, into, len); });
EM_JS(int, js_expired, (int id), { return Module.host.expired(id); });
EM_JS(double, js_clock, (void), { return Date.now(); });
EM_JS(int, js_fetch,
      (int id, double request, const char *method, const char *url, const char *const *headers,
       const char *body, size_t body_len, double timeout_ms, char *into, size_t len),
      {
	      return Module.host.fetch(id, request, method, url, headers, body, body_len,
				       timeout_ms, into, len);
      });
EM_JS(int, js_read, (double id, double pos, char *into, size_t len),
      { return Module.host.read(id, pos, into, len); });
EM_JS(int, js_command, (int handler, cowsh_call *call),
      { return Module.host.command(handler, call); });
EM_JS(int, js_emit, (const char *data, size_t len), { return Module.host.emit(data, len); });
EM_JS(int, js_each, (const char *name, unsigned mode, int kind, double size),
      { return Module.host.each(name, mode, kind, size); });

static int id_of(void *user)
{
	return (int)(intptr_t)user;
}

static int on_output(void *user, int fd, const char *data, size_t len)
{
	return js_output(id_of(user), fd, data, len);
}

static int64_t on_input(void *user, char *into, size_t len)
{
	return js_input(id_of(user), into, len);
}

static int on_expired(void *user)
{
	return js_expired(id_of(user));
}

static int64_t on_clock(void *user)
{
	(void)user;
	return (int64_t)(js_clock() * 1e6);
}

static int64_t on_fetch(void *user, const struct cowsh_request *r, char *into, size_t len)
{
	return js_fetch(id_of(user), (double)r->id, r->method, r->url, r->headers, r->body,
			r->body_len, (double)r->timeout_ms, into, len);
}

static int64_t on_read(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	(void)user;
	return js_read((double)id, (double)pos, into, len);
}

static const struct cowsh_source lazy_files = { .size = sizeof lazy_files, .read = on_read };

static int on_command(void *user, cowsh_call *call)
{
	return js_command(id_of(user), call);
}

/* --- computers --- */

/* What is chosen for a computer; the strings are JavaScript's to free. */
struct choice {
	const char *user;
	const char *hostname;
	const char *cwd;
	const char *const *env;
	double seed;
	double epoch_ms;                 /* NaN: the default */
	double limit[COWSH_LIMIT_COUNT]; /* negative: the profile's */
	int32_t profile;
	int32_t checkpoints;
	int32_t real_clock;
	int32_t network;
	int32_t terminal;
	int32_t id;
};

static cowsh_store *store;

static void *grow(void *user, size_t bytes)
{
	enum { LEAST = 1 << 20, PAGE = 65536 };

	(void)user;
	return aligned_alloc(PAGE,
			     bytes < LEAST ? LEAST : (bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
}

static int open_store(void)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;

	config.grow = grow;
	return store != NULL ? 0 : cowsh_store_new(&config, &store);
}

EMSCRIPTEN_KEEPALIVE size_t glue_choice_bytes(void)
{
	return sizeof(struct choice);
}

EMSCRIPTEN_KEEPALIVE int glue_limit_count(void)
{
	return COWSH_LIMIT_COUNT;
}

static struct cowsh_host host_of(const struct choice *c)
{
	struct cowsh_host host = COWSH_HOST_INIT;

	host.output = on_output;
	host.input = on_input;
	host.expired = on_expired;
	host.clock = c->real_clock ? on_clock : NULL;
	host.fetch = c->network ? on_fetch : NULL;
	host.user = (void *)(intptr_t)c->id;
	for (int i = 0; i < 3; i++)
		host.terminal[i] = c->terminal != 0;
	return host;
}

static struct cowsh_config config_of(const struct choice *c)
{
	struct cowsh_config config = COWSH_CONFIG_INIT;

	config.user = c->user;
	config.hostname = c->hostname;
	config.cwd = c->cwd;
	config.env = c->env;
	config.seed = (uint64_t)c->seed;
	config.profile = c->profile;
	config.checkpoints = (size_t)c->checkpoints;
	if (c->epoch_ms == c->epoch_ms)
		config.epoch_ns = (int64_t)(c->epoch_ms * 1e6);
	for (int i = 0; i < COWSH_LIMIT_COUNT; i++) {
		if (c->limit[i] < 0)
			continue;
		config.limit[i] = (uint64_t)c->limit[i];
		config.limits_set |= (uint64_t)1 << i;
	}
	return config;
}

EMSCRIPTEN_KEEPALIVE void glue_new(const struct choice *c)
{
	struct cowsh_host host = host_of(c);
	struct cowsh_config config = config_of(c);
	cowsh *s = NULL;
	int r = open_store();

	if (r == 0)
		r = cowsh_new(store, &config, &host, &s);
	answer.result = r;
	answer.made = s;
}

EMSCRIPTEN_KEEPALIVE void glue_fork(cowsh *s, const struct choice *c)
{
	struct cowsh_host host = host_of(c);
	cowsh *fork = NULL;

	answer.result = cowsh_fork(s, &host, &fork);
	answer.made = fork;
}

EMSCRIPTEN_KEEPALIVE void glue_free(cowsh *s)
{
	cowsh_free(s);
}

EMSCRIPTEN_KEEPALIVE double glue_used(void)
{
	return store != NULL ? (double)cowsh_store_used(store) : 0;
}

/* --- running --- */

EMSCRIPTEN_KEEPALIVE void glue_start(cowsh *s, const char *script, size_t len)
{
	answer.result = cowsh_start(s, script, len);
}

EMSCRIPTEN_KEEPALIVE void glue_start_program(cowsh *s, int argc, const char *const *argv)
{
	answer.result = cowsh_start_program(s, argc, argv);
}

EMSCRIPTEN_KEEPALIVE void glue_step(cowsh *s, double steps)
{
	answer.result = cowsh_step(s, (uint64_t)steps);
}

EMSCRIPTEN_KEEPALIVE void glue_drain(cowsh *s, double steps)
{
	answer.result = cowsh_drain(s, (uint64_t)steps);
}

EMSCRIPTEN_KEEPALIVE void glue_result(cowsh *s)
{
	struct cowsh_result r;

	answer.result = cowsh_get_result(s, &r);
	if (answer.result != 0)
		return;
	answer.status = r.status;
	answer.limit = r.limit;
	answer.exited = r.exited;
	answer.steps = (double)r.steps;
	answer.output_bytes = (double)r.output_bytes;
	answer.processes = (double)r.processes;
	answer.memory_peak = (double)r.memory_peak;
	answer.time_ms = (double)r.time_ns / 1e6;
	answer.limit_value = (double)r.limit_value;
	answer.where = r.limit >= 0 ? r.limit_where : NULL;
}

/* Milliseconds since 1970; Infinity: nobody sleeps. */
EMSCRIPTEN_KEEPALIVE void glue_next_timer(cowsh *s)
{
	int64_t ns = cowsh_next_timer(s);

	answer.size = ns == INT64_MAX ? 1.0 / 0.0 : (double)ns / 1e6;
}

EMSCRIPTEN_KEEPALIVE void glue_wake(cowsh *s)
{
	cowsh_wake(s);
}

EMSCRIPTEN_KEEPALIVE void glue_cancel(cowsh *s)
{
	cowsh_cancel(s);
}

EMSCRIPTEN_KEEPALIVE void glue_signal(cowsh *s, int sig)
{
	answer.result = cowsh_signal(s, sig);
}

EMSCRIPTEN_KEEPALIVE void glue_incomplete(cowsh *s, const char *text, size_t len)
{
	answer.result = cowsh_incomplete(s, text, len);
}

EMSCRIPTEN_KEEPALIVE void glue_prompt(cowsh *s, const char *name, char *text, size_t size)
{
	answer.result = (int32_t)cowsh_prompt(s, name, text, size);
}

EMSCRIPTEN_KEEPALIVE void glue_interactive(cowsh *s, int on)
{
	answer.result = cowsh_set_interactive(s, on != 0);
}

EMSCRIPTEN_KEEPALIVE void glue_terminal_size(cowsh *s, unsigned rows, unsigned columns)
{
	answer.result = cowsh_set_terminal_size(s, rows, columns);
}

EMSCRIPTEN_KEEPALIVE void glue_variable(cowsh *s, const char *name)
{
	size_t len = 0;

	answer.result = cowsh_get_variable(s, name, &answer.where, &len);
	answer.size = (double)len;
}

EMSCRIPTEN_KEEPALIVE void glue_set_limit(cowsh *s, int limit, double value)
{
	answer.result = cowsh_set_limit(s, limit, (uint64_t)value);
}

/* --- files --- */

EMSCRIPTEN_KEEPALIVE void glue_put_file(cowsh *s, const char *path, const void *data, size_t len,
					unsigned mode)
{
	answer.result = cowsh_put_file(s, path, data, len, mode);
}

EMSCRIPTEN_KEEPALIVE void glue_put_lazy(cowsh *s, const char *path, double id, double size,
					unsigned mode)
{
	answer.result = cowsh_put_lazy(s, path, &lazy_files, (uint64_t)id, (uint64_t)size, mode);
}

/* where and size: a copy, to be given back. */
EMSCRIPTEN_KEEPALIVE void glue_get_file(cowsh *s, const char *path)
{
	char *bytes = NULL;
	size_t len = 0;

	answer.result = cowsh_get_file(s, path, &bytes, &len);
	answer.where = bytes;
	answer.size = (double)len;
}

EMSCRIPTEN_KEEPALIVE void glue_bytes_free(cowsh *s, char *bytes, size_t len)
{
	cowsh_bytes_free(s, bytes, len);
}

EMSCRIPTEN_KEEPALIVE void glue_stat(cowsh *s, const char *path)
{
	struct cowsh_stat st;

	answer.result = cowsh_stat_file(s, path, &st);
	if (answer.result != 0)
		return;
	answer.mode = (int32_t)st.mode;
	answer.uid = (int32_t)st.uid;
	answer.gid = (int32_t)st.gid;
	answer.nlink = (int32_t)st.nlink;
	answer.size = (double)st.size;
	answer.mtime_ms = (double)st.mtime_ns / 1e6;
}

EMSCRIPTEN_KEEPALIVE void glue_read_link(cowsh *s, const char *path, char *into, size_t len)
{
	answer.result = (int32_t)cowsh_read_link(s, path, into, len);
}

EMSCRIPTEN_KEEPALIVE void glue_make_directory(cowsh *s, const char *path, unsigned mode)
{
	answer.result = cowsh_make_directory(s, path, mode);
}

EMSCRIPTEN_KEEPALIVE void glue_remove(cowsh *s, const char *path)
{
	answer.result = cowsh_remove(s, path);
}

static int on_name(void *user, const char *name, unsigned mode)
{
	(void)user;
	return js_each(name, mode, 0, 0);
}

EMSCRIPTEN_KEEPALIVE void glue_list(cowsh *s, const char *path)
{
	answer.result = cowsh_list(s, path, on_name, NULL);
}

/* --- states and changes --- */

EMSCRIPTEN_KEEPALIVE void glue_snapshot(cowsh *s)
{
	cowsh_snapshot *snapshot = NULL;

	answer.result = cowsh_snapshot_new(s, &snapshot);
	answer.made = snapshot;
}

EMSCRIPTEN_KEEPALIVE void glue_snapshot_free(cowsh_snapshot *snapshot)
{
	cowsh_snapshot_free(snapshot);
}

EMSCRIPTEN_KEEPALIVE void glue_restore(cowsh *s, const cowsh_snapshot *snapshot)
{
	answer.result = cowsh_restore(s, snapshot);
}

EMSCRIPTEN_KEEPALIVE void glue_undo(cowsh *s)
{
	answer.result = cowsh_undo(s);
}

static int on_change(void *user, const struct cowsh_change *c)
{
	(void)user;
	return js_each(c->path, c->mode, c->kind, (double)c->size);
}

EMSCRIPTEN_KEEPALIVE void glue_diff(cowsh *s, const cowsh_snapshot *since,
				    const cowsh_snapshot *until)
{
	answer.result = cowsh_diff_between(s, since, until, on_change, NULL);
}

static int on_bytes(void *user, const char *data, size_t len)
{
	(void)user;
	return js_emit(data, len);
}

EMSCRIPTEN_KEEPALIVE void glue_export(cowsh *s, int form, const cowsh_snapshot *since,
				      const cowsh_snapshot *until, const char *path)
{
	const struct cowsh_export what = { .size = sizeof what,
					   .form = form,
					   .since = since,
					   .until = until,
					   .path = path,
					   .write = on_bytes };

	answer.result = cowsh_export_changes(s, &what);
}

static int on_saved(void *user, const void *data, size_t len)
{
	(void)user;
	return js_emit(data, len);
}

EMSCRIPTEN_KEEPALIVE void glue_save(cowsh *s, int compress)
{
	struct cowsh_sink sink = COWSH_SINK_INIT;

	sink.write = on_saved;
	sink.compress = compress != 0;
	answer.result = cowsh_save(s, &sink, NULL, NULL, NULL);
}

/* Memory where an image may lie; as long as the store. */
EMSCRIPTEN_KEEPALIVE void *glue_image_memory(size_t len)
{
	enum { PAGE = 4096 };

	return open_store() == 0 ? aligned_alloc(PAGE, (len + PAGE - 1) & ~(size_t)(PAGE - 1))
				 : NULL;
}

/* made: the image; where: why it is none. */
EMSCRIPTEN_KEEPALIVE void glue_image_open(const void *bytes, size_t len)
{
	cowsh_image *image = NULL;

	answer.where = "";
	answer.result = cowsh_image_open(store, bytes, len, NULL, &image, &answer.where);
	answer.made = image;
}

EMSCRIPTEN_KEEPALIVE void glue_load(cowsh_image *image, const struct choice *c)
{
	struct cowsh_host host = host_of(c);
	struct cowsh_config config = config_of(c);
	cowsh *s = NULL;

	answer.result = cowsh_load(store, &config, &host, image, &s);
	answer.made = s;
}

EMSCRIPTEN_KEEPALIVE void glue_mount_image(cowsh *s, const char *path, cowsh_image *image,
					   int read_only)
{
	answer.result = cowsh_mount_image(s, path, image, read_only != 0);
}

/* --- custom commands --- */

EMSCRIPTEN_KEEPALIVE void glue_add_command(cowsh *s, const char *name, int handler, int want_input)
{
	const struct cowsh_command c = { .size = sizeof c,
					 .name = name,
					 .want_input = want_input != 0,
					 .run = on_command,
					 .user = (void *)(intptr_t)handler };

	answer.result = cowsh_add_command(s, &c);
}

EMSCRIPTEN_KEEPALIVE const char *const *glue_call_argv(const cowsh_call *call)
{
	return cowsh_call_argv(call);
}

EMSCRIPTEN_KEEPALIVE const char *glue_call_cwd(const cowsh_call *call)
{
	return cowsh_call_cwd(call);
}

EMSCRIPTEN_KEEPALIVE const char *glue_call_getenv(const cowsh_call *call, const char *name)
{
	return cowsh_call_getenv(call, name);
}

EMSCRIPTEN_KEEPALIVE const char *glue_call_input(const cowsh_call *call)
{
	size_t len = 0;
	const char *input = cowsh_call_input(call, &len);

	answer.size = (double)len;
	return input;
}

EMSCRIPTEN_KEEPALIVE void glue_call_write(cowsh_call *call, int fd, const void *data, size_t len)
{
	answer.result = cowsh_call_write(call, fd, data, len);
}

EMSCRIPTEN_KEEPALIVE void glue_call_finish(cowsh_call *call, int status)
{
	cowsh_call_finish(call, status);
}

/* --- names --- */

EMSCRIPTEN_KEEPALIVE const char *glue_error_text(int error)
{
	return cowsh_error_text(error);
}

EMSCRIPTEN_KEEPALIVE const char *glue_limit_name(int limit)
{
	return cowsh_limit_name(limit);
}
