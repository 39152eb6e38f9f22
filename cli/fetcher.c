/* SPDX-License-Identifier: MIT
 *
 * The fetcher: makes the requests of a session that the command line allows, by the curl program
 * of the host. The runner is not trusted: every request is checked here, in the form in which curl
 * gets it.
 *
 * curl reads what to do from a file in memory, so that nothing of it is an option, follows nothing,
 * reads no configuration of the user, and speaks http and https only.
 */
#include "cli/allow.h"
#include "cli/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BODY_FD = 3, SECONDS_MAX = 3600 };

struct job {
	bool used;
	uint64_t id;
	pid_t pid;
	int fd;      /* what curl writes; -1: there is none */
	int64_t err; /* instead */
};

static struct job jobs[FETCH_OPEN_MAX];
static int messages, replies;
static char program[4096];

/* --- talking with the runner --- */

static bool receive(void *into, size_t len)
{
	return read_exactly(messages, into, len);
}

static void reply(int64_t result, const char *data)
{
	struct fetch_reply r = { result };

	if (write_all(replies, (const char *)&r, sizeof r) != 0 ||
	    (result > 0 && write_all(replies, data, (size_t)result) != 0))
		_exit(0);
}

/* --- what curl is told --- */

static int make_memory(const char *name)
{
	return (int)syscall(SYS_memfd_create, name, 1u /* closed by exec */);
}

static void put_quoted(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s = \"", name);
	for (; *value != '\0'; value++) {
		if (*value == '\\' || *value == '"')
			putc('\\', f);
		if (*value == '\t')
			fputs("\\t", f);
		else
			putc(*value, f);
	}
	fputs("\"\n", f);
}

static bool has_header(const char *headers, size_t len, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = headers; at < headers + len; at += strlen(at) + 1)
		if (strncasecmp(at, name, n) == 0 && at[n] == ':')
			return true;
	return false;
}

/* What curl would add by itself is taken away; an empty value stays one. */
static void put_headers(FILE *f, const char *headers, size_t len, bool has_body)
{
	static const char *const defaults[] = { "User-Agent", "Accept", "Content-Type", "Expect" };

	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		if (!has_header(headers, len, defaults[i]))
			fprintf(f, "header = \"%s:\"\n", defaults[i]);
	for (const char *at = headers; at < headers + len; at += strlen(at) + 1) {
		const char *colon = strchr(at, ':');
		char name[256];

		/* What curl says of a body by itself, in its place. */
		if (has_body && strcmp(at, "Content-Type: application/x-www-form-urlencoded") == 0)
			continue;
		if (colon[1 + strspn(colon + 1, " \t")] != '\0') {
			put_quoted(f, "header", at);
		} else if ((size_t)(colon - at) < sizeof name - 1) {
			snprintf(name, sizeof name, "%.*s;", (int)(colon - at), at);
			put_quoted(f, "header", name);
		}
	}
}

/* A URL of the parts that were checked. */
static void put_url(FILE *f, const struct allow_url *url)
{
	static char text[ALLOW_URL_MAX + ALLOW_HOST_MAX + 32];
	bool usual = url->port == (url->secure ? 443u : 80u);
	char port[16] = "";

	if (!usual)
		snprintf(port, sizeof port, ":%u", url->port);
	snprintf(text, sizeof text, "http%s://%s%s%s", url->secure ? "s" : "", url->host, port,
		 url->path);
	put_quoted(f, "url", text);
}

static int make_config(const struct fetch_message *m, const char *method,
		       const struct allow_url *url, const char *headers)
{
	int fd = make_memory("config");
	FILE *f = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
	uint64_t seconds = m->timeout_ms / 1000 < SECONDS_MAX ? m->timeout_ms / 1000 : SECONDS_MAX;

	if (f == NULL)
		return -1;
	put_url(f, url);
	if (strcmp(method, "HEAD") == 0)
		fputs("head\n", f);
	else
		put_quoted(f, "request", method);
	if (m->timeout_ms != 0)
		fprintf(f, "max-time = %llu.%03u\n", (unsigned long long)seconds,
			(unsigned)(m->timeout_ms % 1000));
	else
		fprintf(f, "max-time = %d\n", SECONDS_MAX);
	put_headers(f, headers, m->headers_len, m->len != 0);
	if (m->len != 0)
		fprintf(f, "data-binary = \"@/dev/fd/%d\"\n", BODY_FD);
	if (fclose(f) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static _Noreturn void become_curl(int config, int body, int out)
{
	static char *const argv[] = { "curl",
				      "--disable",
				      "--silent",
				      "--include",
				      "--no-buffer",
				      "--globoff",
				      "--path-as-is",
				      "--proto",
				      "=http,https",
				      "--max-redirs",
				      "0",
				      "--http1.1",
				      "--suppress-connect-headers",
				      "--connect-timeout",
				      "30",
				      "--config",
				      "-",
				      NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* It ends with the fetcher, however that ends. */
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	/* Numbers above what they become. */
	config = fcntl(config, F_DUPFD_CLOEXEC, 10);
	out = fcntl(out, F_DUPFD_CLOEXEC, 10);
	if (body >= 0)
		body = fcntl(body, F_DUPFD_CLOEXEC, 10);
	dup2(config, 0);
	dup2(out, 1);
	dup2(null, 2);
	if (body >= 0)
		dup2(body, BODY_FD);
	execv(program, argv);
	_exit(127);
}

/* --- jobs --- */

static struct job *find(uint64_t id)
{
	for (int i = 0; i < FETCH_OPEN_MAX; i++)
		if (jobs[i].used && jobs[i].id == id)
			return &jobs[i];
	return NULL;
}

static struct job *new_job(uint64_t id)
{
	for (int i = 0; i < FETCH_OPEN_MAX; i++) {
		if (!jobs[i].used) {
			jobs[i] = (struct job){ .used = true, .id = id, .fd = -1 };
			return &jobs[i];
		}
	}
	return NULL;
}

/* Waits for curl: its exit status, -1 if it was killed. */
static int reap(struct job *j)
{
	int status;
	pid_t pid;

	if (j->fd < 0)
		return -1;
	close(j->fd);
	j->fd = -1;
	do {
		pid = waitpid(j->pid, &status, 0);
	} while (pid < 0 && errno == EINTR);
	return pid == j->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void close_job(uint64_t id)
{
	struct job *j = find(id);

	if (j == NULL)
		return;
	if (j->fd >= 0) {
		kill(j->pid, SIGKILL);
		(void)reap(j);
	}
	j->used = false;
}

/* curl's statuses as the session is told them. */
static int64_t error_of(int status)
{
	switch (status) {
	case 0:
	case 52: return 0; /* nothing came: the session sees that itself */
	case 5:
	case 6: return -COWSH_EHOSTUNREACH;
	case 7: return -COWSH_ECONNREFUSED;
	case 18:
	case 55:
	case 56: return -COWSH_ECONNRESET;
	case 28: return -COWSH_ETIMEDOUT;
	case 35:
	case 51:
	case 53:
	case 54:
	case 58:
	case 59:
	case 60:
	case 77:
	case 83:
	case 90:
	case 91: return -COWSH_EPROTO;
	default: return -COWSH_EIO;
	}
}

static int make_body(const struct fetch_message *m)
{
	static char data[FETCH_CHUNK];
	uint64_t left = m->len;
	int fd = m->len != 0 ? make_memory("body") : -1;

	while (left != 0) {
		size_t n = left < sizeof data ? (size_t)left : sizeof data;

		if (!receive(data, n))
			_exit(0);
		if (fd >= 0 && write_all(fd, data, n) != 0) {
			close(fd);
			fd = -1;
		}
		left -= n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int64_t start(struct job *j, int config, int body)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return -COWSH_EIO;
	j->pid = fork();
	if (j->pid == 0)
		become_curl(config, body, out[1]);
	close(out[1]);
	j->fd = out[0];
	if (j->pid > 0)
		return 0;
	close(j->fd);
	j->fd = -1;
	return -COWSH_ENOMEM;
}

static bool headers_are_good(const char *headers, size_t len)
{
	for (const char *at = headers; at < headers + len; at += strlen(at) + 1)
		if (!allow_header(at))
			return false;
	return len == 0 || headers[len - 1] == '\0';
}

/* False: the runner says nonsense. */
static bool open_request(const struct fetch_message *m)
{
	static char method[FETCH_METHOD_MAX + 1];
	static char url[FETCH_URL_MAX + 1];
	static char headers[FETCH_HEADERS_MAX + 1];
	struct allow_url parts;
	struct job *j;
	int config = -1;
	int body;

	if (m->method_len > FETCH_METHOD_MAX || m->url_len > FETCH_URL_MAX ||
	    m->headers_len > FETCH_HEADERS_MAX || m->len > FETCH_BODY_MAX || find(m->id) != NULL ||
	    !receive(method, m->method_len) || !receive(url, m->url_len) ||
	    !receive(headers, m->headers_len))
		return false;
	method[m->method_len] = '\0';
	url[m->url_len] = '\0';
	headers[m->headers_len] = '\0';
	body = make_body(m);
	j = new_job(m->id);
	if (j == NULL) {
		/* The question for its answer finds nothing. */
		if (body >= 0)
			close(body);
		return true;
	}
	if (!allow_read(url, &parts) || !headers_are_good(headers, m->headers_len) ||
	    !allow_check(method, &parts))
		j->err = -COWSH_EACCES;
	else if ((m->len != 0 && body < 0) ||
		 (config = make_config(m, method, &parts, headers)) < 0)
		j->err = -COWSH_ENOMEM;
	else
		j->err = start(j, config, body);
	if (config >= 0)
		close(config);
	if (body >= 0)
		close(body);
	return true;
}

/* Waits for bytes of the job: false if the runner wants them no more. */
static bool wait_for(const struct job *j)
{
	struct pollfd fds[2] = { { .fd = j->fd, .events = POLLIN },
				 { .fd = messages, .events = POLLIN } };
	struct fetch_message m;

	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents != 0)
			return true;
		if (!receive(&m, sizeof m) || m.op != FETCH_CANCEL)
			_exit(0);
		return false;
	}
}

static void read_answer(const struct fetch_message *m)
{
	static char data[FETCH_CHUNK];
	size_t len = m->len < sizeof data ? (size_t)m->len : sizeof data;
	struct job *j = find(m->id);
	ssize_t n;

	if (j == NULL) {
		reply(-COWSH_ENXIO, NULL);
		return;
	}
	if (j->err == 0 && !wait_for(j)) {
		reply(-COWSH_EAGAIN, NULL);
		return;
	}
	n = j->err == 0 ? read(j->fd, data, len) : j->err;
	if (n <= 0) {
		/* That was all of it: the session does not ask again. */
		if (j->err == 0)
			n = (ssize_t)error_of(reap(j));
		j->used = false;
	}
	reply(n, data);
}

static _Noreturn void serve(void)
{
	struct fetch_message m;
	bool sane = true;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	for (int fd = 0; fd < 3; fd++) {
		int null = open("/dev/null", O_RDWR);

		if (null >= 0 && null != fd) {
			dup2(null, fd);
			close(null);
		}
	}
	while (sane && receive(&m, sizeof m)) {
		if (m.op == FETCH_OPEN)
			sane = open_request(&m);
		else if (m.op == FETCH_READ)
			read_answer(&m);
		else if (m.op == FETCH_CLOSE)
			close_job(m.id);
		else
			sane = m.op == FETCH_CANCEL; /* what it was about has been answered */
	}
	for (int i = 0; i < FETCH_OPEN_MAX; i++)
		if (jobs[i].used)
			close_job(jobs[i].id);
	_exit(0);
}

/* The curl of the host, as PATH names it now. */
static void find_program(void)
{
	const char *path = getenv("PATH");

	if (path == NULL)
		path = "/usr/local/bin:/usr/bin:/bin";
	while (*path != '\0') {
		size_t n = strcspn(path, ":");

		if (path[0] == '/' && n + 6 < sizeof program) {
			snprintf(program, sizeof program, "%.*s/curl", (int)n, path);
			if (access(program, X_OK) == 0)
				return;
		}
		path += n + (path[n] == ':');
	}
	fatal("--allow-url needs the program curl, which is not in PATH");
}

void fetcher_start(int fds[2])
{
	int to[2], from[2];
	pid_t pid;

	find_program();
	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		fatal("can't make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		fatal("can't start the fetcher: %s", strerror(errno));
	if (pid == 0) {
		close(to[1]);
		close(from[0]);
		messages = to[0];
		replies = from[1];
		serve();
	}
	close(to[0]);
	close(from[1]);
	fds[0] = to[1];
	fds[1] = from[0];
}
