/* SPDX-License-Identifier: MIT
 *
 * What comes from outside, put down or played back. Every function here stands for one callback
 * of the host: writing, it asks the host and notes the answer; replaying, it gives the answer
 * that was noted, if the session asks for the same as it did then.
 */
#include "api/journal.h"

uint64_t tape_steps(const struct tape *t)
{
	struct kernel_usage usage;

	if (t->s->kernel == NULL)
		return 0;
	kernel_get_usage(t->s->kernel, &usage);
	return usage.steps;
}

/* --- writing --- */

static struct pack *put(struct tape *t, enum entry_kind kind)
{
	/* Cancelling came before what is asked for because of it. */
	if (kind != ENTRY_CANCEL)
		tape_cancelled(t);
	if (t->entries.len >= TAPE_BATCH)
		journal_flush(t);
	pack_number(&t->entries, kind);
	return &t->entries;
}

/* --- replaying --- */

void tape_differ(struct tape *t, const char *what, uint64_t wanted, uint64_t got)
{
	if (t->differ != NULL)
		return;
	t->differ = what;
	t->wanted = wanted;
	t->got = got;
}

/* Goes on to the next record while that holds entries. */
static bool has_entry(struct tape *t)
{
	while (t->in.at == t->in.end) {
		uint8_t check[RECORD_CHECK];
		size_t at = t->at;
		struct record r;
		enum record_state state;

		memcpy(check, t->check, sizeof check);
		state = record_next(t->journal, &at, check, &r);
		if (state != RECORD_OK)
			t->next_state = state;
		if (state != RECORD_OK || r.type != RECORD_OUTSIDE)
			return false;
		memcpy(t->check, check, sizeof check);
		t->entries_at = t->at;
		t->at = at;
		t->in = r.body;
	}
	return !t->in.bad;
}

int tape_peek(struct tape *t)
{
	struct unpack look;
	uint64_t kind;

	if (!has_entry(t))
		return 0;
	look = t->in;
	kind = unpack_number(&look);
	return !look.bad && kind < ENTRY_END ? (int)kind : 0;
}

bool tape_take(struct tape *t, enum entry_kind kind)
{
	int next = t->differ == NULL ? tape_peek(t) : 0;

	if (next != (int)kind) {
		if (next == 0 && t->differ == NULL)
			t->cut = t->next_state;
		tape_differ(t, "what the host was asked for", (uint64_t)next, kind);
		return false;
	}
	(void)unpack_number(&t->in);
	return true;
}

/* After the fields of an entry: whether they were there, and as the session asks now. */
static bool taken(struct tape *t, bool same)
{
	if (t->in.bad)
		tape_differ(t, "an entry that is damaged", 0, 0);
	else if (!same)
		tape_differ(t, "what the host was asked for", 0, 0);
	return t->differ == NULL;
}

/* --- output, input, clock --- */

static int replay_output(struct tape *t, int fd, const char *data, size_t n)
{
	const struct cowsh_host *host = &t->s->host;

	if (tape_peek(t) == ENTRY_OUTPUT) {
		struct unpack before = t->in;

		(void)unpack_number(&t->in);
		if (unpack_number(&t->in) == t->out_bytes)
			return (int)unpack_signed(&t->in);
		t->in = before;
	}
	if (host->output != NULL)
		(void)host->output(host->user, fd, data, n);
	return 0;
}

int tape_output(struct cowsh *s, int fd, const char *data, size_t n)
{
	struct tape *t = s->tape;
	struct pack *p;
	int r = 0;

	if (t->replay)
		r = replay_output(t, fd, data, n);
	else if (s->host.output != NULL)
		r = s->host.output(s->host.user, fd, data, n);
	if (r == 0) {
		digest_update(&t->out[fd == 2], (struct bytes){ data, n });
		t->out_bytes += n;
	} else if (!t->replay) {
		p = put(t, ENTRY_OUTPUT);
		pack_number(p, t->out_bytes);
		pack_signed(p, r);
	}
	return r;
}

static int64_t replay_input(struct tape *t, char *into, size_t n)
{
	struct bytes data;
	int64_t r;

	if (!tape_take(t, ENTRY_INPUT))
		return 0;
	r = unpack_signed(&t->in);
	data = unpack_bytes(&t->in);
	if (!taken(t, data.len <= n && (r < 0 ? data.len == 0 : (uint64_t)r == data.len)))
		return 0;
	if (data.len != 0)
		memcpy(into, data.ptr, data.len);
	return r;
}

int64_t tape_input(struct cowsh *s, char *into, size_t n)
{
	struct tape *t = s->tape;
	struct pack *p;
	int64_t r;

	if (t->replay)
		return replay_input(t, into, n);
	r = s->host.input != NULL ? s->host.input(s->host.user, into, n) : 0;
	if (r > (int64_t)n)
		r = -E_IO;
	p = put(t, ENTRY_INPUT);
	pack_signed(p, r);
	pack_bytes(p, (struct bytes){ into, r > 0 ? (size_t)r : 0 });
	return r;
}

int64_t tape_clock(struct cowsh *s)
{
	struct tape *t = s->tape;
	int64_t now;

	if (t->replay) {
		if (tape_take(t, ENTRY_CLOCK))
			t->clock_ns = (int64_t)((uint64_t)t->clock_ns +
						(uint64_t)unpack_signed(&t->in));
		(void)taken(t, true);
		return t->clock_ns;
	}
	now = s->host.clock(s->host.user);
	pack_signed(put(t, ENTRY_CLOCK), now - t->clock_ns);
	t->clock_ns = now;
	return now;
}

/* A replay that differs, and one that its own host finds too long, ends as soon as possible. */
static int replay_expired(struct tape *t)
{
	const struct cowsh_host *host = &t->s->host;
	struct unpack before;

	if (host->expired != NULL && host->expired(host->user) != 0)
		tape_differ(t, "the time it may take", 0, 0);
	if (t->differ != NULL)
		return 1;
	if (tape_peek(t) != ENTRY_EXPIRED)
		return 0;
	before = t->in;
	(void)unpack_number(&t->in);
	if (unpack_number(&t->in) == tape_steps(t))
		return 1;
	t->in = before;
	return 0;
}

int tape_expired(struct cowsh *s)
{
	struct tape *t = s->tape;
	int r;

	if (t->replay)
		return replay_expired(t);
	r = s->host.expired != NULL ? s->host.expired(s->host.user) : 0;
	if (r != 0)
		pack_number(put(t, ENTRY_EXPIRED), tape_steps(t));
	return r;
}

/* --- sources --- */

static int note_entry(void *sink, const struct cowsh_entry *e)
{
	struct pack *p = sink;

	pack_number(p, 1);
	pack_text(p, e->name);
	pack_number(p, e->id);
	pack_number(p, e->mode);
	pack_number(p, e->size);
	pack_signed(p, e->mtime_ns);
	pack_text(p, e->target);
	return 0;
}

static bool next_entry(struct unpack *u, struct cowsh_entry *e)
{
	if (unpack_number(u) != 1)
		return false;
	*e = (struct cowsh_entry){ .name = unpack_text(u) };
	e->id = unpack_number(u);
	e->mode = (unsigned)unpack_number(u);
	e->size = unpack_number(u);
	e->mtime_ns = unpack_signed(u);
	e->target = unpack_text(u);
	u->bad |= e->name == NULL;
	return !u->bad;
}

static int emit_all(struct unpack list, int (*emit)(void *, const struct cowsh_entry *), void *sink)
{
	struct cowsh_entry e;
	int stop = 0;

	while (stop == 0 && next_entry(&list, &e))
		stop = emit(sink, &e);
	return stop;
}

static int replay_list(struct tape *t, struct mounted *m, uint64_t id,
		       int (*emit)(void *, const struct cowsh_entry *), void *sink)
{
	struct cowsh_entry e;
	struct unpack list;
	bool same;
	int r;

	if (!tape_take(t, ENTRY_LIST))
		return -E_IO;
	same = unpack_number(&t->in) == m->number;
	same &= unpack_number(&t->in) == id;
	r = (int)unpack_signed(&t->in);
	list = t->in;
	while (next_entry(&t->in, &e))
		;
	if (!taken(t, same))
		return -E_IO;
	return r != 0 ? r : emit_all(list, emit, sink);
}

/* The list is taken whole before it is told: telling it may ask the clock. */
int tape_list(struct mounted *m, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
	      void *sink)
{
	struct tape *t = m->tape;
	struct pack list = { .store = t->store };
	struct pack *p;
	int r;

	if (t->replay)
		return t->over ? -E_IO : replay_list(t, m, id, emit, sink);
	r = m->callbacks.list != NULL ? m->callbacks.list(m->callbacks.user, id, note_entry, &list)
				      : -E_NOTDIR;
	pack_number(&list, 0);
	if (list.failed)
		r = -E_NOMEM;
	p = put(t, ENTRY_LIST);
	pack_number(p, m->number);
	pack_number(p, id);
	pack_signed(p, r);
	pack_raw(p, (struct bytes){ list.ptr, list.len });
	if (r == 0)
		r = emit_all((struct unpack){ list.ptr, list.ptr + list.len, false }, emit, sink);
	pack_clear(&list);
	return r;
}

static int64_t replay_read(struct tape *t, struct mounted *m, uint64_t id, uint64_t pos, void *into,
			   size_t n)
{
	struct bytes data;
	bool same;
	int64_t r;

	if (!tape_take(t, ENTRY_READ))
		return -E_IO;
	same = unpack_number(&t->in) == m->number;
	same &= unpack_number(&t->in) == id;
	same &= unpack_number(&t->in) == pos;
	same &= unpack_number(&t->in) == n;
	r = unpack_signed(&t->in);
	data = unpack_bytes(&t->in);
	if (!taken(t, same && (r < 0 ? data.len == 0 : (uint64_t)r == data.len && data.len <= n)))
		return -E_IO;
	if (data.len != 0)
		memcpy(into, data.ptr, data.len);
	return r;
}

int64_t tape_read(struct mounted *m, uint64_t id, uint64_t pos, void *into, size_t n)
{
	struct tape *t = m->tape;
	struct pack *p;
	int64_t r;

	if (t->replay)
		return t->over ? -E_IO : replay_read(t, m, id, pos, into, n);
	r = m->callbacks.read(m->callbacks.user, id, pos, into, n);
	if (r > (int64_t)n)
		r = -E_IO;
	p = put(t, ENTRY_READ);
	pack_number(p, m->number);
	pack_number(p, id);
	pack_number(p, pos);
	pack_number(p, n);
	pack_signed(p, r);
	pack_bytes(p, (struct bytes){ into, r > 0 ? (size_t)r : 0 });
	return r;
}

/* --- network --- */

/* What is asked for, in front of the first bytes of the answer only. */
static void pack_request(struct pack *p, const struct cowsh_request *r)
{
	if (r->received != 0)
		return;
	pack_text(p, r->method);
	pack_text(p, r->url);
	for (size_t i = 0; r->headers[i] != NULL; i++)
		pack_text(p, r->headers[i]);
	pack_text(p, NULL);
	pack_number(p, r->timeout_ms);
	pack_bytes(p, (struct bytes){ r->body, r->body_len });
}

static int64_t replay_fetch(struct tape *t, const struct cowsh_request *r, struct bytes request,
			    char *into, size_t n)
{
	struct bytes data;
	bool same;
	int64_t result;

	if (!tape_take(t, ENTRY_FETCH))
		return -E_IO;
	same = unpack_number(&t->in) == r->id;
	same &= unpack_number(&t->in) == r->received;
	same &= unpack_number(&t->in) == n;
	result = unpack_signed(&t->in);
	same &= bytes_eq(unpack_bytes(&t->in), request);
	data = unpack_bytes(&t->in);
	same &= result < 0 ? data.len == 0 : (uint64_t)result == data.len && data.len <= n;
	if (!taken(t, same))
		return -E_IO;
	if (data.len != 0)
		memcpy(into, data.ptr, data.len);
	return result;
}

static void note_fetch(struct tape *t, const struct cowsh_request *r, struct bytes request,
		       size_t n, int64_t result, const char *data)
{
	struct pack *p = put(t, ENTRY_FETCH);

	pack_number(p, r->id);
	pack_number(p, r->received);
	pack_number(p, n);
	pack_signed(p, result);
	pack_bytes(p, request);
	pack_bytes(p, (struct bytes){ data, result > 0 ? (size_t)result : 0 });
}

int64_t tape_fetch(struct cowsh *s, const struct cowsh_request *r, char *into, size_t n)
{
	struct tape *t = s->tape;
	bool has_network = s->host.fetch != NULL;
	struct pack request = { .store = t->store };
	int64_t result = -E_NETUNREACH;

	/* Who gives up a request asks for nothing. */
	if (n == 0)
		return has_network && !t->replay ? s->host.fetch(s->host.user, r, into, n) : 0;
	pack_request(&request, r);
	if (request.failed)
		result = -E_NOMEM;
	else if (t->replay)
		result = replay_fetch(t, r, (struct bytes){ request.ptr, request.len }, into, n);
	else if (has_network)
		result = s->host.fetch(s->host.user, r, into, n);
	if (result > (int64_t)n)
		result = -E_IO;
	if (!t->replay)
		note_fetch(t, r, (struct bytes){ request.ptr, request.len }, n, result, into);
	pack_clear(&request);
	return result;
}

/* --- custom commands --- */

void tape_call(struct cowsh_call *call)
{
	struct tape *t = ((struct cowsh *)kernel_user(call->p->k))->tape;
	size_t need = (size_t)t->calls_made + 1;

	call->number = t->calls_made++;
	if (!t->replay)
		return;
	if (need > t->calls_cap) {
		size_t cap = need * 2 + 14;
		struct cowsh_call **calls = store_alloc(t->store,
							cap * sizeof(struct cowsh_call *));

		if (calls == NULL) {
			tape_differ(t, "memory for a custom command", 0, 0);
			return;
		}
		memset(calls, 0, cap * sizeof(struct cowsh_call *));
		if (t->calls_cap != 0)
			memcpy(calls, t->calls, t->calls_cap * sizeof(struct cowsh_call *));
		store_free(t->store, t->calls, t->calls_cap * sizeof(struct cowsh_call *));
		t->calls = calls;
		t->calls_cap = cap;
	}
	t->calls[call->number] = call;
}

void tape_finish(struct cowsh_call *call)
{
	struct tape *t = ((struct cowsh *)kernel_user(call->p->k))->tape;
	struct pack *p = put(t, ENTRY_FINISH);

	pack_number(p, call->number);
	pack_signed(p, call->status);
	pack_bytes(p, buf_bytes(&call->output[0]));
	pack_bytes(p, buf_bytes(&call->output[1]));
}

void tape_action(struct tape *t, enum entry_kind kind, uint64_t value)
{
	struct pack *p;

	if (t->replay || !(t->in_command || kind == ENTRY_PENDING))
		return;
	p = put(t, kind);
	if (kind == ENTRY_PENDING)
		return;
	pack_number(p, tape_steps(t));
	pack_number(p, t->waits);
	pack_number(p, value);
	/* What is done besides, before the next step, does not have to be waited for. */
	t->waits = false;
}

void tape_cancelled(struct tape *t)
{
	if (!t->in_command || t->cancelled || kernel_limit_hit(t->s->kernel) != LIMIT_CANCEL)
		return;
	t->cancelled = true;
	tape_action(t, ENTRY_CANCEL, 0);
}

void tape_free(struct tape *t)
{
	struct store *store = t->store;

	if (t->before != NULL)
		vfs_tree_put(t->before);
	pack_clear(&t->entries);
	store_free(store, t->calls, t->calls_cap * sizeof(struct cowsh_call *));
	store_free(store, t, sizeof *t);
}
