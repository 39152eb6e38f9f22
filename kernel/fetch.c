/* SPDX-License-Identifier: MIT
 *
 * Requests to the network of the host: an open file whose bytes are the answer, as the host's
 * callback gives them. What a request may say is checked here once, for every host.
 */
#include "kernel/internal.h"

enum { HEADERS_MAX = 1000, LINE_MAX_BYTES = 65536, STATUS_PLACE = 16 };

struct fetch {
	struct fetch *next; /* of k->dropped */
	struct fetch_request request;
	size_t size; /* of this block, with all strings */
	bool over;   /* the host has told the end, or an error */
	int err;     /* that is told again */
	struct trace_event event;
	char head[STATUS_PLACE]; /* first bytes of the answer */
};

struct transfer {
	struct kernel *k;
	struct fetch *f;
	char *into;
	size_t n;
};

static int64_t call_fetch(void *arg)
{
	const struct transfer *t = arg;
	const struct kernel_host *h = &t->k->host;

	return h->fetch(h->user, &t->f->request, t->into, t->n);
}

/* --- what a request may say --- */

static bool is_token(struct bytes s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!byte_is_alnum(s.ptr[i]) && strchr("!#$%&'*+-.^_`|~", s.ptr[i]) == NULL)
			return false;
	return s.len != 0 && memchr(s.ptr, '\0', s.len) == NULL;
}

static bool is_url(const char *url)
{
	size_t len = strlen(url);
	size_t scheme = strncmp(url, "http://", 7) == 0    ? 7
			: strncmp(url, "https://", 8) == 0 ? 8
							   : 0;
	size_t host = strcspn(url + scheme, "/?");

	for (size_t i = 0; i < len; i++)
		if (url[i] <= ' ' || url[i] >= 0x7f || strchr("#\"<>\\^`{|}", url[i]) != NULL)
			return false;
	return scheme != 0 && host != 0 && len < LINE_MAX_BYTES &&
	       memchr(url + scheme, '@', host) == NULL;
}

bool fetch_header_is_ours(struct bytes name)
{
	static const char *const names[] = { "connection", "content-length", "expect",
					     "host",       "http2-settings", "keep-alive",
					     "te",         "trailer",        "transfer-encoding",
					     "upgrade",    "proxy-" };
	enum { COUNT = sizeof names / sizeof *names };

	for (size_t i = 0; i < COUNT; i++) {
		size_t len = strlen(names[i]);
		size_t at = 0;

		while (at < len && at < name.len && byte_to_lower(name.ptr[at]) == names[i][at])
			at++;
		if (at == len && (len == name.len || names[i][len - 1] == '-'))
			return true;
	}
	return false;
}

static bool is_header(const char *line)
{
	size_t name = strcspn(line, ":");
	size_t len = strlen(line);

	if (line[name] != ':' || len >= LINE_MAX_BYTES || !is_token((struct bytes){ line, name }))
		return false;
	for (size_t i = name; i < len; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return false;
	return !fetch_header_is_ours((struct bytes){ line, name });
}

static int count_headers(const struct fetch_request *r, size_t *count, size_t *bytes)
{
	*count = 0;
	*bytes = 0;
	for (; r->headers != NULL && r->headers[*count] != NULL; ++*count) {
		if (*count == HEADERS_MAX || !is_header(r->headers[*count]))
			return -E_INVAL;
		*bytes += strlen(r->headers[*count]) + 1;
	}
	return 0;
}

/* --- a request of the kernel's own --- */

static char *put_text(char **at, const void *text, size_t len)
{
	char *place = *at;

	if (len != 0)
		memcpy(place, text, len);
	*at += len;
	return place;
}

static struct fetch *copy_request(struct kernel *k, const struct fetch_request *r, size_t count,
				  size_t header_bytes)
{
	size_t list = (count + 1) * sizeof(char *);
	size_t method = strlen(r->method) + 1;
	size_t url = strlen(r->url) + 1;
	size_t size = sizeof(struct fetch) + list + header_bytes + method + url;
	struct fetch *f;
	const char **headers;
	char *at;

	if (r->body_len > SIZE_MAX - size)
		return NULL;
	size += r->body_len;
	f = heap_alloc(&k->heap, size);
	if (f == NULL)
		return NULL;
	headers = (const char **)(void *)(f + 1);
	at = (char *)(f + 1) + list;
	*f = (struct fetch){ .request = *r, .size = size };
	for (size_t i = 0; i < count; i++)
		headers[i] = put_text(&at, r->headers[i], strlen(r->headers[i]) + 1);
	headers[count] = NULL;
	f->request.headers = headers;
	f->request.method = put_text(&at, r->method, method);
	f->request.url = put_text(&at, r->url, url);
	f->request.body = put_text(&at, r->body, r->body_len);
	f->request.received = 0;
	return f;
}

/* --- the answer --- */

static void count_bytes(struct proc *p, uint64_t n)
{
	struct kernel *k = p->k;
	uint64_t limit = k->limit[LIMIT_NETWORK];

	k->network_bytes += n;
	if (limit != 0 && k->network_bytes > limit)
		proc_limit(p, LIMIT_NETWORK);
}

static int64_t fetch_read(struct proc *p, struct file *file, void *out, size_t n)
{
	struct fetch *f = file->u.object;
	struct transfer t = { .k = p->k, .f = f, .into = out, .n = n };
	uint64_t at = f->request.received;
	int64_t r;

	if (f->over || n == 0)
		return f->err;
	while ((r = kernel_on_host(p->k, call_fetch, &t)) == KERNEL_PENDING) {
		r = (file->flags & O_NONBLOCK_) != 0 ? -E_AGAIN : proc_wait_host(p);
		if (r != 0)
			return r;
	}
	if (r > (int64_t)n)
		r = -E_IO;
	if (r <= 0) {
		f->over = true;
		f->err = r < -4095 ? -E_IO : (int)r;
		return f->err;
	}
	if (at < sizeof f->head)
		memcpy(f->head + at, out,
		       (size_t)r < sizeof f->head - at ? (size_t)r : sizeof f->head - at);
	f->request.received += (uint64_t)r;
	count_bytes(p, (uint64_t)r);
	return r;
}

/* The number in the first line: "HTTP/1.1 200"; 0: there is none. */
static int status_of(const struct fetch *f)
{
	const char *blank = memchr(f->head, ' ', sizeof f->head - 4);
	int status = 0;

	if (blank == NULL || memcmp(f->head, "HTTP/", 5) != 0)
		return 0;
	for (int i = 1; i <= 3; i++) {
		if (!byte_is_digit(blank[i]))
			return 0;
		status = status * 10 + blank[i] - '0';
	}
	return status;
}

/* The host hears of it, and it is gone. */
static void drop(struct kernel *k, struct fetch *f)
{
	struct transfer t = { .k = k, .f = f };

	if (!f->over)
		(void)kernel_on_host(k, call_fetch, &t);
	if (tracing(k)) {
		f->event.status = status_of(f);
		f->event.bytes_read = f->request.received;
		f->event.bytes_written = f->request.body_len;
		f->event.name = f->request.method;
		f->event.path = f->request.url;
		trace_emit(k, &f->event);
	}
	heap_free(&k->heap, f, f->size);
}

void fetch_settle(struct kernel *k)
{
	while (k->dropped != NULL) {
		struct fetch *f = k->dropped;

		k->dropped = f->next;
		drop(k, f);
	}
}

/* A process that ends has no stack any more from which the host could be called. */
static void fetch_close(struct kernel *k, struct file *file)
{
	struct fetch *f = file->u.object;

	if (k->current == NULL || k->current->priv->top != NULL) {
		drop(k, f);
		return;
	}
	f->next = k->dropped;
	k->dropped = f;
}

static const struct file_ops file_fetch = {
	.name = "socket",
	.read = fetch_read,
	.stat = anonymous_stat,
	.close = fetch_close,
};

int64_t sys_fetch(struct proc *p, const struct fetch_request *r)
{
	struct kernel *k = p->k;
	uint64_t limit = k->limit[LIMIT_REQUESTS];
	size_t count, header_bytes;
	struct fetch *f;
	struct file *file;

	proc_charge(p, 100 + r->body_len / 64);
	if (k->host.fetch == NULL)
		return -E_NETUNREACH;
	if (!is_token(bytes_of(r->method)) || strlen(r->method) > 32 || !is_url(r->url) ||
	    count_headers(r, &count, &header_bytes) != 0)
		return -E_INVAL;
	if (limit != 0 && k->network_requests >= limit)
		proc_limit(p, LIMIT_REQUESTS);
	k->network_requests++;
	count_bytes(p, r->body_len);
	f = copy_request(k, r, count, header_bytes);
	file = f != NULL ? file_new(k, &file_fetch, O_RDONLY_) : NULL;
	if (file == NULL) {
		if (f != NULL)
			heap_free(&k->heap, f, f->size);
		return -E_NOMEM;
	}
	f->request.id = ++k->requests_made;
	f->event = trace_network(p);
	file->u.object = f;
	return fd_install(p, file, true);
}
