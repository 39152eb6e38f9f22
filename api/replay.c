/* SPDX-License-Identifier: MIT
 *
 * Replaying a journal: a session is made as it was, the host does what it did, and each command
 * runs again with the answers on the tape. The first thing that is not as it was ends the replay.
 */
#include "api/journal.h"

#include "cowsh_image.h"

struct cowsh_replay {
	struct cowsh_store *store;
	struct cowsh *s; /* NULL: taken */
	struct tape *t;
	const char *version;
	struct cowsh_replay_report report;
	uint64_t most[LIMIT_COUNT]; /* 0: any */
	int state;                  /* SAME: it goes on */
	uint64_t stop_at;           /* cowsh_replay_into: steps of the command; 0: its end */
	int stopped;                /* the state there */
	bool scanned;
	bool has_action; /* the next one of the host, as far as it was looked for */
	bool action_waits;
	uint64_t action_steps;
};

/* --- the limits that it may have --- */

/* Not those of steps, time and output: what a session may hold at once, and what runs without
 * a look at the host's deadline. */
static const struct {
	enum limit limit;
	const char *refused;
	const char *differs;
} bounded[] = {
#define BOUNDED(limit, what)                                                                       \
	{                                                                                          \
		limit, "it had more " what " than is allowed", "the " what " allowed"              \
	}
	BOUNDED(LIMIT_MEMORY, "memory"),       BOUNDED(LIMIT_DISK, "room for files"),
	BOUNDED(LIMIT_FILES, "files"),         BOUNDED(LIMIT_DESCRIPTORS, "descriptors"),
	BOUNDED(LIMIT_PROCESSES, "processes"), BOUNDED(LIMIT_RECURSION, "recursion"),
	BOUNDED(LIMIT_EXPANSION, "expansion"), BOUNDED(LIMIT_PATTERN, "steps of patterns"),
#undef BOUNDED
};

/* False: there is no such profile. Its limits would be none. */
static bool set_most(struct cowsh_replay *r, const struct cowsh_config *most)
{
	static const struct cowsh_config defaults = COWSH_CONFIG_INIT;
	struct cowsh_config c = defaults;

	if (most != NULL)
		memcpy(&c, most, most->size < sizeof c ? most->size : sizeof c);
	for (int i = 0; i < LIMIT_COUNT; i++)
		r->most[i] = (c.limits_set >> i & 1) != 0 ? c.limit[i]
							  : cowsh_limit_value(i, c.profile);
	return (unsigned)c.profile < PROFILE_COUNT;
}

/* Of `bounded` the row that does not allow this; -1: all do. */
static int refused(const struct cowsh_replay *r, uint64_t limit, uint64_t value)
{
	for (int i = 0; i < (int)(sizeof bounded / sizeof *bounded); i++)
		if (bounded[i].limit == limit && r->most[limit] != 0 &&
		    (value == 0 || value > r->most[limit]))
			return i;
	return -1;
}

/* --- the session as it was made --- */

struct made {
	struct cowsh_config config;
	struct cowsh_host host;
	const char **env;
	struct cowsh_mount_config *mounts;
	struct cowsh_image_mount *images;
	size_t nenv;
};

static int no_list(void *user, uint64_t id, int (*emit)(void *, const struct cowsh_entry *),
		   void *sink)
{
	(void)user, (void)id, (void)emit, (void)sink;
	return -E_IO;
}

static int64_t no_read(void *user, uint64_t id, uint64_t pos, void *into, size_t len)
{
	(void)user, (void)id, (void)pos, (void)into, (void)len;
	return -E_IO;
}

/* Asked only when there is no tape any more. */
static const struct cowsh_source no_source = { .size = sizeof no_source,
					       .list = no_list,
					       .read = no_read };

static int never_expired(void *user)
{
	(void)user;
	return 0;
}

static void *list_of(struct cowsh_replay *r, size_t count, size_t size)
{
	void *list = store_alloc(&r->store->store, (count + 1) * size);

	if (list != NULL)
		memset(list, 0, (count + 1) * size);
	return list;
}

static const char *unpack_env(struct cowsh_replay *r, struct made *m, struct unpack *u)
{
	m->nenv = (size_t)unpack_number(u);
	if (u->bad || m->nenv > JOURNAL_ENV_MAX)
		return "damaged";
	m->env = list_of(r, m->nenv, sizeof *m->env);
	if (m->env == NULL)
		return "no memory";
	for (size_t i = 0; i < m->nenv; i++) {
		m->env[i] = unpack_text(u);
		if (m->env[i] == NULL)
			return "damaged";
	}
	m->config.env = m->env;
	return NULL;
}

static const char *unpack_images(struct cowsh_replay *r, struct made *m, struct unpack *u,
				 const struct cowsh_replay_config *c)
{
	struct cowsh_image_info info = COWSH_IMAGE_INFO_INIT;
	uint64_t n = unpack_number(u);

	if (u->bad || n > JOURNAL_MOUNTS_MAX)
		return "damaged";
	if (n != c->nimages)
		return n != 0 ? "it needs its images" : "it has no images";
	m->images = list_of(r, c->nimages, sizeof *m->images);
	if (m->images == NULL)
		return "no memory";
	for (size_t i = 0; i < c->nimages; i++) {
		struct bytes id;

		m->images[i].path = unpack_text(u);
		m->images[i].read_only = unpack_number(u) != 0;
		m->images[i].image = c->images[i];
		id = unpack_bytes(u);
		if (m->images[i].path == NULL || u->bad)
			return "damaged";
		cowsh_image_get_info(c->images[i], &info);
		if (id.len != sizeof info.id || memcmp(id.ptr, info.id, id.len) != 0)
			return "it was made with another image";
	}
	m->config.images = m->images;
	m->config.nimages = c->nimages;
	return NULL;
}

static const char *unpack_mounts(struct cowsh_replay *r, struct made *m, struct unpack *u,
				 const struct cowsh_replay_config *c)
{
	uint64_t n = unpack_number(u);

	if (u->bad || n > JOURNAL_MOUNTS_MAX)
		return "damaged";
	if (c->mounts != NULL && c->nmounts != n)
		return "it has other mounts";
	m->config.nmounts = (size_t)n;
	m->mounts = list_of(r, m->config.nmounts, sizeof *m->mounts);
	if (m->mounts == NULL)
		return "no memory";
	for (size_t i = 0; i < m->config.nmounts; i++) {
		m->mounts[i].path = unpack_text(u);
		m->mounts[i].id = unpack_number(u);
		m->mounts[i].read_only = unpack_number(u) != 0;
		m->mounts[i].source = c->mounts != NULL ? c->mounts[i].source : &no_source;
		if (m->mounts[i].path == NULL)
			return "damaged";
	}
	m->config.mounts = m->mounts;
	return NULL;
}

static const char *unpack_host(struct made *m, struct unpack *u,
			       const struct cowsh_replay_config *c)
{
	static const struct cowsh_host none = COWSH_HOST_INIT;

	m->host = none;
	if (c->host != NULL)
		memcpy(&m->host, c->host,
		       c->host->size < sizeof m->host ? c->host->size : sizeof m->host);
	m->host.size = sizeof m->host;
	for (int i = 0; i < 3; i++)
		m->host.terminal[i] = unpack_number(u) != 0;
	if (m->host.expired == NULL)
		m->host.expired = never_expired;
	if (unpack_number(u) == 0)
		m->host.clock = NULL;
	else if (m->host.clock == NULL)
		return "it has readings of a clock, and the host has none";
	if ((unpack_number(u) != 0) != (c->tree != NULL))
		return c->tree != NULL ? "it starts with the standard files"
				       : "it needs the files it started with";
	m->config.tree = c->tree;
	return NULL;
}

static const char *unpack_config(struct cowsh_replay *r, struct made *m, struct unpack *u,
				 const struct cowsh_replay_config *c)
{
	static const struct cowsh_config defaults = COWSH_CONFIG_INIT;
	const char *why;

	m->config = defaults;
	r->version = unpack_text(u);
	(void)unpack_number(u); /* bits of a pointer, for those who look */
	if (unpack_number(u) != LIMIT_COUNT)
		return "it was written by a version with other limits";
	for (int i = 0; i < LIMIT_COUNT; i++) {
		int row;

		m->config.limit[i] = unpack_number(u);
		row = refused(r, (uint64_t)i, m->config.limit[i]);
		if (row >= 0 && !u->bad)
			return bounded[row].refused;
	}
	m->config.limits_set = ((uint64_t)1 << LIMIT_COUNT) - 1;
	m->config.seed = unpack_number(u);
	m->config.epoch_ns = unpack_signed(u);
	m->config.user = unpack_text(u);
	m->config.hostname = unpack_text(u);
	m->config.cwd = unpack_text(u);
	m->config.arg0 = unpack_text(u);
	why = unpack_env(r, m, u);
	if (why == NULL)
		why = unpack_host(m, u, c);
	if (why == NULL)
		why = unpack_images(r, m, u, c);
	if (why == NULL)
		why = unpack_mounts(r, m, u, c);
	return why == NULL && (u->bad || r->version == NULL) ? "damaged" : why;
}

static void free_made(struct cowsh_replay *r, struct made *m)
{
	struct store *store = &r->store->store;

	store_free(store, m->env, (m->nenv + 1) * sizeof *m->env);
	store_free(store, m->mounts, (m->config.nmounts + 1) * sizeof *m->mounts);
	store_free(store, m->images, (m->config.nimages + 1) * sizeof *m->images);
}

static const char *read_head(struct tape *t, struct record *config)
{
	const uint8_t *head = (const uint8_t *)t->journal.ptr;

	if (t->journal.len < JOURNAL_HEAD || memcmp(head, journal_magic, sizeof journal_magic) != 0)
		return "this is no journal";
	if (digest_le32(head + 8) != JOURNAL_VERSION || digest_le32(head + 12) != 0)
		return "it has another version";
	t->at = JOURNAL_HEAD;
	if (record_next(t->journal, &t->at, t->check, config) != RECORD_OK ||
	    config->type != RECORD_CONFIG)
		return "damaged";
	return NULL;
}

static int make(struct cowsh_replay *r, const struct cowsh_replay_config *c, const char **why)
{
	struct tape *t = r->t;
	struct made m = { .nenv = 0 };
	struct record record;
	int err = -E_INVAL;

	*why = read_head(t, &record);
	if (*why == NULL)
		*why = unpack_config(r, &m, &record.body, c);
	if (*why == NULL) {
		r->t = NULL; /* the session's, from now on */
		err = session_new(r->store, &m.config, &m.host, t, &r->s);
		*why = err < 0 ? "the session can't be made" : "";
		r->t = err < 0 ? NULL : t;
	}
	free_made(r, &m);
	return err;
}

int cowsh_replay_new(cowsh_store *store, const struct cowsh_replay_config *config,
		     cowsh_replay **out, const char **why)
{
	const char *reason = "";
	struct cowsh_replay *r;
	int err;

	if (store == NULL || config == NULL || config->size < sizeof *config || out == NULL ||
	    config->journal == NULL)
		return -E_INVAL;
	r = store_alloc(&store->store, sizeof *r);
	if (r == NULL)
		return -E_NOMEM;
	*r = (struct cowsh_replay){ .store = store, .state = COWSH_REPLAY_SAME };
	err = set_most(r, config->most) ? 0 : -E_INVAL;
	r->t = err == 0 ? store_alloc(&store->store, sizeof *r->t) : NULL;
	if (err == 0 && r->t == NULL)
		err = -E_NOMEM;
	if (err == 0) {
		*r->t = (struct tape){ .store = &store->store,
				       .replay = true,
				       .entries = { .store = &store->store },
				       .journal = { config->journal, config->journal_len } };
		err = make(r, config, &reason);
	}
	if (why != NULL)
		*why = reason;
	if (err < 0) {
		cowsh_replay_free(r);
		return err;
	}
	*out = r;
	return 0;
}

/* --- what the host did between commands --- */

static int replay_call(void *user, cowsh_call *call);

static void add_command(struct cowsh_replay *r, const char *name, bool want_input)
{
	struct cowsh_command command = { sizeof command, name, want_input, replay_call, r->t };

	(void)cowsh_add_command(r->s, &command);
}

static void put_lazy(struct cowsh_replay *r, const char *path, uint64_t id, uint64_t size,
		     struct bytes data)
{
	struct unpack u = { data.ptr, data.ptr + data.len, false };
	unsigned mode = (unsigned)unpack_number(&u);

	(void)cowsh_put_lazy(r->s, path, &no_source, id, size, mode);
}

static void set_limit(struct cowsh_replay *r, uint64_t limit, uint64_t value)
{
	int row = refused(r, limit, value);

	if (row >= 0)
		tape_differ(r->t, bounded[row].differs, value, r->most[limit]);
	else
		(void)cowsh_set_limit(r->s, limit < LIMIT_COUNT ? (int)limit : -1, value);
}

/* What failed then fails now: results are not looked at. */
static bool do_host(struct cowsh_replay *r, struct unpack *u)
{
	uint64_t kind = unpack_number(u);
	const char *path = unpack_text(u);
	uint64_t a = unpack_number(u);
	uint64_t b = unpack_number(u);
	struct bytes data = unpack_bytes(u);
	bool no_path = kind == HOST_SET_LIMIT || kind == HOST_SIGNAL || kind == HOST_INCOMPLETE ||
		       kind == HOST_SET_INTERACTIVE || kind == HOST_TERMINAL_SIZE ||
		       kind == HOST_WAKE;

	if (u->bad || (path == NULL) != no_path)
		return false;
	switch (kind) {
	case HOST_PUT_FILE:
		(void)cowsh_put_file(r->s, path, data.ptr, data.len, (unsigned)a);
		break;
	case HOST_MAKE_DIRECTORY: (void)cowsh_make_directory(r->s, path, (unsigned)a); break;
	case HOST_REMOVE: (void)cowsh_remove(r->s, path); break;
	case HOST_SET_LIMIT: set_limit(r, a, b); break;
	case HOST_SIGNAL: (void)cowsh_signal(r->s, a < SIG_COUNT ? (int)a : 0); break;
	case HOST_MOUNT: (void)cowsh_mount(r->s, path, &no_source, a, b != 0); break;
	case HOST_PUT_LAZY: put_lazy(r, path, a, b, data); break;
	case HOST_ADD_COMMAND: add_command(r, path, a != 0); break;
	case HOST_INCOMPLETE: (void)cowsh_incomplete(r->s, data.ptr, data.len); break;
	case HOST_SET_INTERACTIVE: (void)cowsh_set_interactive(r->s, a != 0); break;
	case HOST_WAKE: cowsh_wake(r->s); break;
	case HOST_TERMINAL_SIZE:
		(void)cowsh_set_terminal_size(r->s, (unsigned)a, (unsigned)b);
		break;
	default: return false;
	}
	return true;
}

/* --- what it did while a command ran --- */

/* Gives a custom command the answer that is next on the tape; its status. */
static int answer(struct tape *t, uint64_t number)
{
	bool same = unpack_number(&t->in) == number;
	int status = (int)unpack_signed(&t->in);
	struct bytes out = unpack_bytes(&t->in);
	struct bytes errors = unpack_bytes(&t->in);
	struct cowsh_call *call = number < t->calls_cap ? t->calls[number] : NULL;

	if (t->in.bad || !same || call == NULL) {
		tape_differ(t, "a custom command", 0, 0);
		return 1;
	}
	(void)cowsh_call_write(call, 1, out.ptr, out.len);
	(void)cowsh_call_write(call, 2, errors.ptr, errors.len);
	t->calls[number] = NULL;
	return status;
}

static int replay_call(void *user, cowsh_call *call)
{
	struct tape *t = user;

	if (tape_peek(t) == ENTRY_PENDING && tape_take(t, ENTRY_PENDING))
		return COWSH_PENDING;
	return tape_take(t, ENTRY_FINISH) ? answer(t, call->number) : 1;
}

static void finish_call(struct tape *t)
{
	struct unpack look;
	uint64_t number;
	struct cowsh_call *call;

	(void)tape_take(t, ENTRY_FINISH);
	look = t->in;
	number = unpack_number(&look);
	call = !look.bad && number < t->calls_cap ? t->calls[number] : NULL;
	if (call != NULL)
		cowsh_call_finish(call, answer(t, number));
	else
		tape_differ(t, "a custom command", 0, 0);
}

static void skip_entry(struct unpack *u, int kind)
{
	static const uint8_t numbers[ENTRY_END] = {
		[ENTRY_INPUT] = 1, [ENTRY_OUTPUT] = 2, [ENTRY_CLOCK] = 1,  [ENTRY_EXPIRED] = 1,
		[ENTRY_LIST] = 3,  [ENTRY_READ] = 5,   [ENTRY_FINISH] = 2, [ENTRY_FETCH] = 4,
	};
	int blobs = kind == ENTRY_FINISH || kind == ENTRY_FETCH ? 2
		    : kind == ENTRY_INPUT || kind == ENTRY_READ ? 1
								: 0;

	for (int i = 0; i < numbers[kind]; i++)
		(void)unpack_number(u);
	for (int i = 0; i < blobs; i++)
		(void)unpack_bytes(u);
	while (kind == ENTRY_LIST && unpack_number(u) == 1 && !u->bad) {
		(void)unpack_text(u);
		for (int i = 0; i < 4; i++)
			(void)unpack_number(u);
		(void)unpack_text(u);
	}
}

/* Looks ahead for what the host did next, and when: each entry is looked at once more for it. */
static void find_action(struct cowsh_replay *r)
{
	const struct tape *t = r->t;
	uint8_t check[RECORD_CHECK];
	struct unpack u = t->in;
	size_t at = t->at;
	struct record record;

	r->scanned = true;
	r->has_action = false;
	memcpy(check, t->check, sizeof check);
	for (;;) {
		uint64_t kind;

		while (u.at == u.end) {
			if (record_next(t->journal, &at, check, &record) != RECORD_OK ||
			    record.type != RECORD_OUTSIDE)
				return;
			u = record.body;
		}
		kind = unpack_number(&u);
		if (u.bad || kind == 0 || kind >= ENTRY_END)
			return;
		if (kind >= ENTRY_WAKE) {
			r->action_steps = unpack_number(&u);
			r->action_waits = unpack_number(&u) != 0;
			r->has_action = !u.bad;
			return;
		}
		skip_entry(&u, (int)kind);
		if (u.bad)
			return;
	}
}

/* Does what is next on the tape, if that is the host's doing. */
static bool act(struct cowsh_replay *r)
{
	struct tape *t = r->t;
	int kind;
	uint64_t value;

	while ((kind = tape_peek(t)) == ENTRY_FINISH && t->differ == NULL)
		finish_call(t);
	if (kind < ENTRY_WAKE || !tape_take(t, (enum entry_kind)kind))
		return false;
	(void)unpack_number(&t->in);
	(void)unpack_number(&t->in);
	value = unpack_number(&t->in);
	r->scanned = false;
	if (kind == ENTRY_WAKE)
		cowsh_wake(r->s);
	else if (kind == ENTRY_SIGNAL)
		(void)cowsh_signal(r->s, value < SIG_COUNT ? (int)value : 0);
	else
		cowsh_cancel(r->s);
	return true;
}

/* --- commands --- */

/* How many steps until the host did something; 0: until the session waits or is done. A run ends
 * when more than its steps are used. */
static uint64_t budget(struct cowsh_replay *r)
{
	uint64_t used = tape_steps(r->t);
	uint64_t until = 0;

	if (!r->scanned)
		find_action(r);
	if (r->has_action && !r->action_waits)
		until = r->action_steps;
	if (r->stop_at != 0 && (until == 0 || r->stop_at < until))
		until = r->stop_at;
	if (until == 0)
		return 0;
	return until > used + 1 ? until - used - 1 : 1;
}

/* Whether the host did something where the session stands. */
static bool action_due(struct cowsh_replay *r)
{
	if (!r->scanned)
		find_action(r);
	return r->has_action && !r->action_waits && tape_steps(r->t) >= r->action_steps;
}

/* What it did there: more than once, or before the first step. */
static void act_all(struct cowsh_replay *r)
{
	while (r->t->differ == NULL && action_due(r) && act(r))
		;
}

static int step(struct cowsh_replay *r, bool drain)
{
	uint64_t steps = budget(r);

	return drain ? cowsh_drain(r->s, steps) : cowsh_step(r->s, steps);
}

static void run(struct cowsh_replay *r, bool drain)
{
	struct tape *t = r->t;
	int state;

	r->scanned = false;
	act_all(r);
	while ((state = step(r, drain)) != COWSH_DONE && state >= 0) {
		r->stopped = state;
		if (r->stop_at != 0 && tape_steps(t) >= r->stop_at && t->differ == NULL)
			return;
		if (t->differ == NULL && state == COWSH_WAIT && !act(r))
			tape_differ(t, "what the session waits for", 0, 0);
		act_all(r);
		if (t->differ != NULL)
			cowsh_cancel(r->s);
	}
	r->stopped = state;
	if (state < 0)
		tape_differ(t, "that the session runs", 0, 0);
}

/* Runs what a COMMAND record says; -E_IO: it is none. */
static int start(struct cowsh_replay *r, struct unpack *u)
{
	uint64_t kind = unpack_number(u);
	struct bytes text = unpack_bytes(u);
	uint64_t argc = unpack_number(u);
	const char **argv;
	int err = 0;

	if (u->bad || kind > COMMAND_DRAIN || argc > (size_t)(u->end - u->at))
		return -E_IO;
	argv = list_of(r, (size_t)argc, sizeof *argv);
	if (argv == NULL)
		return -E_NOMEM;
	for (uint64_t i = 0; i < argc; i++)
		if ((argv[i] = unpack_text(u)) == NULL)
			u->bad = true;
	if (!u->bad && argc != 0)
		text = bytes_of(argv[argc > 2 && strcmp(argv[1], "-c") == 0 ? 2 : 0]);
	if (kind == COMMAND_DRAIN)
		text = bytes_of("(what was left in the background)");
	r->report.text = text.ptr;
	r->report.text_len = text.len;
	if (u->bad)
		err = -E_IO;
	else if (kind == COMMAND_SCRIPT)
		err = cowsh_start(r->s, text.ptr, text.len);
	else if (kind == COMMAND_PROGRAM)
		err = cowsh_start_program(r->s, (int)argc, argv);
	store_free(&r->store->store, argv, ((size_t)argc + 1) * sizeof *argv);
	if (err == 0)
		run(r, kind == COMMAND_DRAIN);
	return err == 0 && r->t->error != 0 ? r->t->error : err;
}

/* --- comparing --- */

static const struct {
	const char *what;
	enum { FIELD_NUMBER, FIELD_SIGNED, FIELD_DIGEST } type;
} fields[] = {
	{ "the status", FIELD_SIGNED },
	{ "the limit", FIELD_SIGNED },
	{ "whether the shell exited", FIELD_NUMBER },
	{ "the steps", FIELD_NUMBER },
	{ "the bytes of output", FIELD_NUMBER },
	{ "the processes", FIELD_NUMBER },
	{ "the virtual time", FIELD_SIGNED },
	{ "standard output", FIELD_DIGEST },
	{ "standard error", FIELD_DIGEST },
	{ "the files", FIELD_DIGEST },
};

static void compare(struct tape *t, struct unpack *was, struct unpack *is)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields && t->differ == NULL; i++) {
		if (fields[i].type == FIELD_DIGEST) {
			struct bytes a = unpack_bytes(was);
			struct bytes b = unpack_bytes(is);

			if (a.len != b.len || memcmp(a.ptr, b.ptr, b.len) != 0)
				tape_differ(t, fields[i].what, 0, 0);
		} else {
			bool sign = fields[i].type == FIELD_SIGNED;
			uint64_t a = sign ? (uint64_t)unpack_signed(was) : unpack_number(was);
			uint64_t b = sign ? (uint64_t)unpack_signed(is) : unpack_number(is);

			if (a != b)
				tape_differ(t, fields[i].what, a, b);
		}
	}
}

static int ended(enum record_state state)
{
	return state == RECORD_DAMAGED ? COWSH_REPLAY_DAMAGED : COWSH_REPLAY_CUT;
}

static int different(struct cowsh_replay *r)
{
	if (r->t->cut != RECORD_OK)
		return ended(r->t->cut);
	r->report.what = r->t->differ;
	r->report.recorded = r->t->wanted;
	r->report.replayed = r->t->got;
	return COWSH_REPLAY_DIFFERENT;
}

/* The command has run: the next record must say the same of it. */
static int judge(struct cowsh_replay *r)
{
	struct tape *t = r->t;
	struct pack p = { .store = t->store };
	struct record record;
	struct unpack is;
	enum record_state state;

	if (!t->in_command) {
		tape_differ(t, "that something was left to do", 0, 0);
		return different(r);
	}
	(void)tape_listen(t, true);
	journal_pack_result(t, &p);
	(void)tape_listen(t, false);
	if (p.failed || t->error != 0) {
		pack_clear(&p);
		return -E_NOMEM;
	}
	if (tape_peek(t) != 0)
		tape_differ(t, "what the host was asked for", (uint64_t)tape_peek(t), 0);
	r->report.result = t->result;
	state = t->differ == NULL ? record_next(t->journal, &t->at, t->check, &record) : RECORD_OK;
	is = (struct unpack){ p.ptr, p.ptr + p.len, false };
	if (state == RECORD_OK && t->differ == NULL) {
		if (record.type != RECORD_RESULT)
			state = record.type == RECORD_END ? RECORD_CUT : RECORD_DAMAGED;
		else
			compare(t, &record.body, &is);
	}
	pack_clear(&p);
	if (state != RECORD_OK)
		return ended(state);
	return t->differ != NULL ? different(r) : COWSH_REPLAY_SAME;
}

/* Up to the end of the next command; COWSH_REPLAY_END at that of the journal. */
static int next(struct cowsh_replay *r)
{
	struct tape *t = r->t;
	struct record record;
	int err;

	for (;;) {
		enum record_state state;

		if (t->differ == NULL && t->in.at != t->in.end)
			tape_differ(t, "what the host was asked for", (uint64_t)tape_peek(t), 0);
		if (t->differ != NULL)
			return different(r);
		r->report.offset = t->at;
		state = record_next(t->journal, &t->at, t->check, &record);
		if (state != RECORD_OK)
			return ended(state);
		switch (record.type) {
		case RECORD_END: return COWSH_REPLAY_END;
		case RECORD_OUTSIDE: tape_differ(t, "what the host was asked for", 0, 0); continue;
		case RECORD_HOST:
			/* There may be as many as an attacker likes. */
			if (r->s->host.expired(r->s->host.user) != 0)
				tape_differ(t, "the time it may take", 0, 0);
			else if (!do_host(r, &record.body))
				return COWSH_REPLAY_DAMAGED;
			continue;
		case RECORD_COMMAND:
			r->report.command++;
			err = start(r, &record.body);
			if (err < 0)
				return err == -E_NOMEM ? err : COWSH_REPLAY_DAMAGED;
			return r->stop_at != 0 ? COWSH_REPLAY_END : judge(r);
		default: return COWSH_REPLAY_DAMAGED;
		}
	}
}

int cowsh_replay_next(cowsh_replay *r, struct cowsh_replay_report *out)
{
	if (r == NULL || out == NULL || r->s == NULL)
		return -E_INVAL;
	r->report.what = "";
	if (r->state == COWSH_REPLAY_SAME)
		r->state = next(r);
	else if (r->state == COWSH_REPLAY_DIFFERENT)
		(void)different(r);
	*out = r->report;
	return r->state;
}

int cowsh_replay_into(cowsh_replay *r, uint64_t steps)
{
	if (r == NULL || steps == 0 || r->s == NULL || r->state != COWSH_REPLAY_SAME)
		return -E_INVAL;
	r->stopped = -E_NOENT; /* there is no next command */
	r->stop_at = steps;
	r->state = next(r);
	return r->state < 0 ? r->state : r->t->differ != NULL ? -E_INVAL : r->stopped;
}

const char *cowsh_replay_version(const cowsh_replay *r)
{
	return r->version;
}

cowsh *cowsh_replay_session(cowsh_replay *r)
{
	return r->s;
}

cowsh *cowsh_replay_take(cowsh_replay *r)
{
	struct cowsh *s = r->s;

	if (s == NULL)
		return NULL;
	session_drop_tape(s);
	r->s = NULL;
	r->t = NULL;
	return s;
}

void cowsh_replay_free(cowsh_replay *r)
{
	struct cowsh_store *store;

	if (r == NULL)
		return;
	store = r->store;
	if (r->s != NULL)
		cowsh_free(r->s);
	else if (r->t != NULL)
		tape_free(r->t);
	store_free(&store->store, r, sizeof *r);
}
