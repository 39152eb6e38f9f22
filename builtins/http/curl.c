/* SPDX-License-Identifier: MIT
 *
 * curl - transfer a URL.
 *
 * Reference: curl 7.88. http and https go to the host (see cmd_fetch), http on this machine to
 * servers inside first, file to the files of the sandbox. Not here: see docs/limits.md.
 */
#include "builtins/http/curl.h"

enum { RETRY_SECONDS_MAX = 600 };

/* --- again --- */

static bool is_transient(const struct curl_transfer *t)
{
	static const int statuses[] = { 408, 429, 500, 502, 503, 504 };

	if (t->set->retry_all && t->error != 0)
		return true;
	if (t->error == CURL_TIMEOUT || t->error == CURL_RESOLVE)
		return true;
	if (t->error == CURL_CONNECT)
		return t->set->retry_refused;
	if (t->error != 0 && t->error != CURL_HTTP)
		return false;
	for (size_t i = 0; t->has_answer && i < sizeof statuses / sizeof *statuses; i++)
		if (t->http.status == statuses[i])
			return true;
	return false;
}

static const char *reason(const struct curl_transfer *t)
{
	if (t->error == CURL_TIMEOUT || t->error == CURL_RESOLVE)
		return ": timeout";
	if (t->error == CURL_CONNECT)
		return ": connection refused";
	return t->error == 0 || t->error == CURL_HTTP ? ": HTTP error" : " (retrying all errors)";
}

static uint64_t seconds_to_wait(const struct curl_transfer *t, uint64_t doubled)
{
	struct bytes after;
	uint64_t seconds = 0;

	if (t->has_answer && http_field(&t->http, "Retry-After", &after) && after.len < 6 &&
	    num_plain(arena_dup(t->curl->c->arena, after), &seconds) && seconds != 0)
		return seconds;
	return t->set->retry_delay_ms != 0 ? t->set->retry_delay_ms / 1000 : doubled;
}

/* The same URL as often as --retry says; what was written stays, as with curl. */
static int run_with_retries(struct curl_transfer *t)
{
	const struct curl_transfer fresh = *t;
	uint64_t wait = 1;

	for (uint64_t left = t->set->retries;; left--) {
		uint64_t seconds;

		(void)curl_transfer_run(t);
		if (left == 0 || !is_transient(t))
			return t->error;
		seconds = seconds_to_wait(t, wait);
		curl_warn(t->curl, "Problem%s. Will retry in %llu seconds. %llu %s left.",
			  reason(t), (unsigned long long)seconds, (unsigned long long)left,
			  left == 1 ? "retry" : "retries");
		(void)cmd_sleep(t->curl->c, (int64_t)seconds * 1000000000);
		wait = wait * 2 < RETRY_SECONDS_MAX ? wait * 2 : RETRY_SECONDS_MAX;
		*t = fresh;
	}
}

/* --- URLs --- */

static void report(struct curl_transfer *t)
{
	const struct curl_set *s = t->curl->first;

	if (t->error == 0 || t->message.len == 0 || (s->silent && !s->show_error))
		return;
	cmd_warn(t->curl->c, 0, "(%d) %s", t->error, buf_cstr(&t->message));
}

static int run_one(struct curl *k, const struct curl_set *s, const struct curl_url *u,
		   struct curl_glob *g, const char *text, const char *upload)
{
	struct cmd *c = k->c;
	struct arena scratch;
	struct curl_transfer t = { .curl = k, .set = s, .text = text, .number = k->transfers++ };
	int status;

	arena_init_under(&scratch, k->lasting);
	c->arena = &scratch;
	t.upload = upload;
	t.remote_name = u->remote_name || (s->remote_all && !u->has_output);
	t.output = u->output != NULL ? curl_glob_fill(g, u->output) : NULL;
	status = run_with_retries(&t);
	report(&t);
	if (s->write_out != NULL)
		curl_write_out(&t);
	c->arena = k->lasting;
	arena_clear(&scratch);
	return status;
}

static const char *with_name(struct curl *k, const char *url, const char *upload)
{
	const char *slash = strrchr(upload, '/');
	const char *name = slash != NULL ? slash + 1 : upload;
	size_t len = strlen(url);
	struct buf b = buf_in(k->c->arena);

	buf_puts(&b, url);
	if (len != 0 && url[len - 1] == '/' && strcmp(upload, "-") != 0)
		url_encode(&b, bytes_of(name), "", "%20");
	return buf_cstr(&b);
}

static int run_url(struct curl *k, const struct curl_set *s, const struct curl_url *u)
{
	struct curl_glob *g;
	const char *text;
	int status = 0;

	g = curl_glob_new(k, s, u->url);
	if (g == NULL)
		return CURL_URL;
	while ((text = curl_glob_next(g)) != NULL) {
		if (u->upload != NULL)
			text = with_name(k, text, u->upload);
		status = run_one(k, s, u, g, text, u->upload);
		if (status != 0 && k->first->fail_early)
			break;
	}
	return status;
}

static int run_set(struct curl *k, const struct curl_set *s)
{
	int status = 0;
	bool extra = false;

	for (const struct curl_url *u = s->urls; u != NULL; u = u->next) {
		if (u->url == NULL) {
			extra |= u->has_output;
			continue;
		}
		status = run_url(k, s, u);
		if (status != 0 && k->first->fail_early)
			break;
	}
	if (extra)
		curl_warn(k, "Got more output options than URLs");
	if (s->jar != NULL)
		(void)curl_cookies_write(k, s->jar);
	return status;
}

/* What does not go together. */
static int check(struct curl *k, const struct curl_set *s)
{
	static const char *const names[] = { "POST (-d, --data)", "multipart formpost (-F, --form)",
					     "PUT (-T, --upload-file)", "HEAD (-I, --head)" };
	const bool asked[] = { s->has_data && !s->get, s->parts != NULL,
			       s->urls != NULL && s->urls->upload != NULL, s->head };
	const char *first[2];
	int n = 0;

	if (s->urls == NULL || s->urls->url == NULL) {
		cmd_warn(k->c, 0, "try 'curl --help' or 'curl --manual' for more information");
		return CURL_USAGE;
	}
	if (s->disposition && (s->include || s->head || s->resume != NULL)) {
		cmd_warn(k->c, 0, "%s and --remote-header-name cannot be combined",
			 s->resume != NULL ? "--continue-at" : "showing headers");
		cmd_warn(k->c, 0, "try 'curl --help' or 'curl --manual' for more information");
		return CURL_USAGE;
	}
	for (int i = 0; i < 4; i++)
		if (asked[i] && n < 2)
			first[n++] = names[i];
	if (n == 2) {
		curl_warn(k,
			  "You can only select one HTTP request method! You asked for both %s "
			  "and %s.",
			  first[0], first[1]);
		return CURL_USAGE;
	}
	return 0;
}

static int curl_run(struct cmd *c)
{
	struct curl k = { .c = c, .lasting = c->arena };
	struct bytes text;
	int status = 0;
	const char *home = cmd_getenv(c, "HOME");
	struct buf rc = buf_in(c->arena);

	(void)curl_new_set(&k);
	buf_printf(&rc, "%s/.curlrc", home != NULL ? home : "");
	if (home != NULL &&
	    !(c->argc > 1 &&
	      (strcmp(c->argv[1], "-q") == 0 || strcmp(c->argv[1], "--disable") == 0)) &&
	    cmd_access(c, CMD_CWD, buf_cstr(&rc), 4) == 0 && cmd_read_all(c, rc.ptr, &text) == 0)
		status = curl_parse_file(&k, rc.ptr);
	if (status == 0)
		status = curl_parse(&k, c->argc - 1, c->argv + 1);
	for (const struct curl_set *s = k.first; s != NULL && status == 0; s = s->next)
		status = check(&k, s);
	if (status != 0)
		return status < 0 ? 0 : status;
	for (const struct curl_set *s = k.first; s != NULL; s = s->next) {
		status = run_set(&k, s);
		if (status != 0 && k.first->fail_early)
			break;
	}
	if (k.first->trace_out != NULL && k.first->trace_out != &c->out)
		(void)output_close(k.first->trace_out);
	return status;
}

const struct builtin builtin_curl = {
	.name = "curl",
	.usage = "[options...] <url>",
	.summary = "Transfer data from or to a server, using URLs.",
	.run = curl_run,
	.flags = BUILTIN_RAW | BUILTIN_NO_HELP,
	.usage_status = 2,
	.family = "curl 7.88.1",
};
