/* SPDX-License-Identifier: MIT
 *
 * Writing a journal: what the session was made with, what the host did with it, each command,
 * and digests of what came of it.
 */
#include "api/journal.h"

#include "cowsh_image.h"

/* --- records --- */

static void write_out(struct tape *t, const void *data, size_t len)
{
	int err;

	if (t->error != 0)
		return;
	err = t->write(t->user, data, len);
	if (err < 0)
		t->error = err;
}

void journal_record(struct tape *t, int type, struct bytes body)
{
	uint8_t head[RECORD_HEAD];
	char whole[RECORD_SMALL];

	if (body.len > UINT32_MAX)
		t->error = t->error != 0 ? t->error : -E_FBIG;
	record_seal(t->check, type, body, head);
	if (body.len <= sizeof whole - RECORD_HEAD - RECORD_CHECK) {
		memcpy(whole, head, RECORD_HEAD);
		memcpy(whole + RECORD_HEAD, body.ptr, body.len);
		memcpy(whole + RECORD_HEAD + body.len, t->check, RECORD_CHECK);
		write_out(t, whole, RECORD_HEAD + body.len + RECORD_CHECK);
		return;
	}
	write_out(t, head, sizeof head);
	write_out(t, body.ptr, body.len);
	write_out(t, t->check, sizeof t->check);
}

void journal_flush(struct tape *t)
{
	struct pack *p = &t->entries;

	if (p->failed && t->error == 0)
		t->error = -E_NOMEM;
	if (p->len != 0)
		journal_record(t, RECORD_OUTSIDE, (struct bytes){ p->ptr, p->len });
	p->len = 0;
	if (p->cap > 4 * TAPE_BATCH)
		pack_clear(p);
}

/* Writes a record of what was packed, and forgets it. */
static void put_record(struct tape *t, int type, struct pack *p)
{
	journal_flush(t);
	if (p->failed && t->error == 0)
		t->error = -E_NOMEM;
	journal_record(t, type, (struct bytes){ p->ptr, p->len });
	pack_clear(p);
}

/* --- the session --- */

static void pack_images(struct pack *p, const struct cowsh_config *c)
{
	struct cowsh_image_info info = COWSH_IMAGE_INFO_INIT;

	pack_number(p, c->nimages);
	for (size_t i = 0; i < c->nimages; i++) {
		pack_text(p, c->images[i].path);
		pack_number(p, c->images[i].read_only);
		cowsh_image_get_info(c->images[i].image, &info);
		pack_bytes(p, (struct bytes){ (const char *)info.id, sizeof info.id });
	}
}

static void pack_config(struct pack *p, const struct cowsh_config *c, const struct cowsh_host *host)
{
	size_t nenv = 0;

	while (c->env != NULL && c->env[nenv] != NULL)
		nenv++;
	pack_text(p, cowsh_version());
	pack_number(p, sizeof(void *) * 8);
	pack_number(p, LIMIT_COUNT);
	for (int i = 0; i < LIMIT_COUNT; i++)
		pack_number(p,
			    (c->limits_set >> i & 1) != 0
				    ? c->limit[i]
				    : limit_value((enum limit)i, (enum limit_profile)c->profile));
	pack_number(p, c->seed);
	pack_signed(p, c->epoch_ns);
	pack_text(p, c->user);
	pack_text(p, c->hostname);
	pack_text(p, c->cwd);
	pack_text(p, c->arg0);
	pack_number(p, nenv);
	for (size_t i = 0; i < nenv; i++)
		pack_text(p, c->env[i]);
	for (int i = 0; i < 3; i++)
		pack_number(p, host != NULL && host->terminal[i]);
	pack_number(p, host != NULL && host->clock != NULL);
	pack_number(p, c->tree != NULL);
	pack_images(p, c);
	pack_number(p, c->nmounts);
	for (size_t i = 0; i < c->nmounts; i++) {
		pack_text(p, c->mounts[i].path);
		pack_number(p, c->mounts[i].id);
		pack_number(p, c->mounts[i].read_only);
	}
}

static void put_head(struct tape *t)
{
	uint8_t head[JOURNAL_HEAD] = { 0 };

	memcpy(head, journal_magic, sizeof journal_magic);
	head[8] = JOURNAL_VERSION;
	write_out(t, head, sizeof head);
}

int cowsh_new_journaled(cowsh_store *store, const struct cowsh_config *config,
			const struct cowsh_host *host, const struct cowsh_journal *journal,
			cowsh **out)
{
	static const struct cowsh_config defaults = COWSH_CONFIG_INIT;
	struct cowsh_config c = defaults;
	struct pack p = { 0 };
	struct tape *t;
	int err;

	if (store == NULL || out == NULL || journal == NULL || journal->size < sizeof *journal ||
	    journal->write == NULL || (config != NULL && config->size > sizeof c))
		return -E_INVAL;
	if (config != NULL)
		memcpy(&c, config, config->size);
	if ((unsigned)c.profile >= PROFILE_COUNT || c.microvm != NULL)
		return -E_INVAL;
	t = store_alloc(&store->store, sizeof *t);
	if (t == NULL)
		return -E_NOMEM;
	*t = (struct tape){ .store = &store->store,
			    .write = journal->write,
			    .user = journal->user,
			    .entries = { .store = &store->store } };
	p.store = t->store;
	put_head(t);
	pack_config(&p, &c, host);
	put_record(t, RECORD_CONFIG, &p);
	err = t->error;
	if (err == 0)
		err = session_new(store, &c, host, t, out);
	else
		tape_free(t);
	return err;
}

int cowsh_journal_flush(cowsh *s)
{
	if (s == NULL || s->tape == NULL || s->tape->replay)
		return -E_INVAL;
	journal_flush(s->tape);
	return s->tape->error;
}

int cowsh_journal_end(cowsh *s)
{
	struct tape *t = s != NULL ? s->tape : NULL;
	int err;

	if (t == NULL || t->replay)
		return -E_INVAL;
	if (s->running || t->draining)
		return -E_BUSY;
	journal_flush(t);
	journal_record(t, RECORD_END, (struct bytes){ "", 0 });
	err = t->error;
	session_drop_tape(s);
	return err;
}

int cowsh_journal_error(const cowsh *s)
{
	return s != NULL && s->tape != NULL ? s->tape->error : 0;
}

uint64_t cowsh_journal_commands(const cowsh *s)
{
	return s != NULL && s->tape != NULL ? s->tape->commands : 0;
}

/* --- commands --- */

void journal_begin_command(struct tape *t)
{
	t->in_command = true;
	t->cancelled = false;
	t->waits = false;
	for (int i = 0; i < 2; i++)
		digest_init(&t->out[i], DIGEST_SHA256, 0);
	if (t->before == NULL)
		t->before = vfs_snapshot(kernel_vfs(t->s->kernel));
}

void journal_command(struct cowsh *s, enum command_kind kind, struct bytes text, int argc,
		     const char *const *argv)
{
	struct tape *t = s->tape;
	struct pack p = { .store = t->store };

	journal_begin_command(t);
	if (t->replay)
		return;
	pack_number(&p, kind);
	pack_bytes(&p, text);
	pack_number(&p, (uint64_t)argc);
	for (int i = 0; i < argc; i++)
		pack_text(&p, argv[i]);
	put_record(t, RECORD_COMMAND, &p);
}

void journal_failed(struct cowsh *s, int err)
{
	s->tape->in_command = false;
	if (s->tape->error == 0)
		s->tape->error = err;
}

/* The digest of the files goes on from the one before: only what changed is looked at. */
static void add_tree(struct tape *t)
{
	uint8_t result[DIGEST_MAX];
	uint8_t here[COWSH_DIGEST_BYTES] = { 0 };
	struct digest d;
	int err = t->before != NULL ? tree_digest(t->s, t->before, here) : -E_NOMEM;

	if (err == -E_NOMEM && t->error == 0)
		t->error = err;
	if (err < 0)
		here[0] = (uint8_t)-err;
	digest_init(&d, DIGEST_SHA256, 0);
	digest_update(&d, (struct bytes){ (const char *)t->tree, sizeof t->tree });
	digest_update(&d, (struct bytes){ (const char *)here, sizeof here });
	digest_final(&d, result);
	memcpy(t->tree, result, sizeof t->tree);
	if (t->before != NULL)
		vfs_tree_put(t->before);
	t->before = vfs_snapshot(kernel_vfs(t->s->kernel));
	if (t->before == NULL && t->error == 0)
		t->error = -E_NOMEM;
}

void journal_pack_result(struct tape *t, struct pack *p)
{
	const struct cowsh_result *r = &t->result;
	uint8_t result[DIGEST_MAX];

	add_tree(t);
	pack_signed(p, r->status);
	pack_signed(p, r->limit);
	pack_number(p, r->exited);
	pack_number(p, r->steps);
	pack_number(p, r->output_bytes);
	pack_number(p, r->processes);
	pack_signed(p, r->time_ns);
	for (int i = 0; i < 2; i++) {
		digest_final(&t->out[i], result);
		pack_bytes(p, (struct bytes){ (const char *)result, COWSH_DIGEST_BYTES });
	}
	pack_bytes(p, (struct bytes){ (const char *)t->tree, sizeof t->tree });
	t->in_command = false;
	t->draining = false;
}

static void put_result(struct tape *t)
{
	struct pack p = { .store = t->store };

	t->commands++;
	if (t->replay)
		return;
	journal_pack_result(t, &p);
	put_record(t, RECORD_RESULT, &p);
}

void journal_result(struct cowsh *s)
{
	s->tape->result = s->result;
	put_result(s->tape);
}

void journal_drain(struct cowsh *s)
{
	s->tape->draining = true;
	journal_command(s, COMMAND_DRAIN, NOTHING, 0, NULL);
}

/* Its result: what the command before had, but for what went on. */
void journal_drained(struct cowsh *s)
{
	struct kernel_usage usage;

	kernel_get_usage(s->kernel, &usage);
	s->tape->result = s->result;
	s->tape->result.steps = usage.steps;
	s->tape->result.output_bytes = usage.output_bytes;
	s->tape->result.time_ns = elapsed_ns(s);
	put_result(s->tape);
}

int journal_note(struct cowsh *s, enum host_kind kind, const char *path, uint64_t a, uint64_t b,
		 struct bytes data)
{
	struct tape *t = s->tape;
	struct pack p = { 0 };

	/* What the session is made with is in CONFIG. */
	if (t == NULL || t->replay || s->shell == NULL)
		return 0;
	if (s->running || t->draining)
		return -E_BUSY;
	p.store = t->store;
	pack_number(&p, kind);
	pack_text(&p, path);
	pack_number(&p, a);
	pack_number(&p, b);
	pack_bytes(&p, data);
	put_record(t, RECORD_HOST, &p);
	return 0;
}

int journal_note_lazy(struct cowsh *s, const char *path, uint64_t id, uint64_t size, unsigned mode)
{
	struct pack p = { 0 };
	int err;

	if (s->tape == NULL)
		return 0;
	p.store = s->tape->store;
	pack_number(&p, mode);
	err = journal_note(s, HOST_PUT_LAZY, path, id, size, (struct bytes){ p.ptr, p.len });
	pack_clear(&p);
	return err;
}
