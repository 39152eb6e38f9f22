/* SPDX-License-Identifier: MIT
 *
 * Waiting for descriptors: poll and select.
 */
#include "microvm/private.h"

enum {
	POLL_MAX = 65536,
	POLLNVAL_ = 32,
	POLL_KNOWN = POLL_READ_ | POLL_WRITE_ | POLL_READ_NORMAL_ | POLL_WRITE_NORMAL_ |
		     POLL_READ_ENDED_,
	SELECT_MAX = 1024,
	RLIMIT_NOFILE_ = 7,
};

#define LONG_WAIT ((int64_t)1000000000) /* seconds: as good as for ever */

struct user_poll {
	int32_t fd;
	int16_t want;
	int16_t got;
};

static int64_t poll_list(struct task *t, uint64_t address, uint64_t n, int64_t ns)
{
	struct user_poll *u;
	struct poll_item *items;
	int bad = 0;
	int used = 0;
	int64_t r;

	if (n > POLL_MAX || n > proc_owner_of(t->p)->rlimit[RLIMIT_NOFILE_][0])
		return -E_INVAL;
	u = call_memory(t, (size_t)(n + 1) * sizeof *u);
	items = call_memory(t, (size_t)(n + 1) * sizeof *items);
	if (get_user(t, u, address, (size_t)n * sizeof *u) != 0)
		return -E_FAULT;
	for (size_t i = 0; i < n; i++) {
		u[i].got = 0;
		if (u[i].fd < 0)
			continue;
		if (sys_get_cloexec(t->p, u[i].fd) < 0) {
			u[i].got = POLLNVAL_;
			bad++;
			continue;
		}
		items[used++] = (struct poll_item){ .fd = u[i].fd,
						    .want = (unsigned)u[i].want & POLL_KNOWN };
	}
	r = sys_poll(t->p, items, used, bad != 0 ? 0 : call_left(t, ns));
	if (r < 0)
		return r;
	r = bad;
	used = 0;
	for (size_t i = 0; i < n; i++) {
		if (u[i].fd < 0 || u[i].got != 0)
			continue;
		u[i].got = (int16_t)items[used++].got;
		r += u[i].got != 0;
	}
	return put_user(t, address, u, (size_t)n * sizeof *u) != 0 ? -E_FAULT : r;
}

/* What is left of the time of a call, which began with ns, goes back to the program: in parts of a
 * second of that many nanoseconds. That it can't be written there is no error. */
static int64_t tell_left(struct task *t, uint64_t address, int64_t ns, int64_t unit, int64_t r)
{
	int64_t left = ns > 0 ? call_left_now(t) : 0;
	int64_t v[2] = { left / 1000000000, left % 1000000000 / unit };

	if (address != 0)
		(void)put_user(t, address, v, sizeof v);
	return r;
}

int64_t call_poll(struct task *t, const uint64_t *a)
{
	int64_t ms = (int)a[2];

	return poll_list(t, a[0], a[1], ms < 0 ? -1 : ms * 1000000);
}

int64_t call_ppoll(struct task *t, const uint64_t *a)
{
	int64_t ns = -1;
	int r = a[2] != 0 ? get_timespec(t, a[2], &ns) : 0;

	if (r == 0)
		r = (int)signal_mask_for_call(t, a[3]);
	return r != 0 ? r : tell_left(t, a[2], ns, 1, poll_list(t, a[0], a[1], ns));
}

/* --- select --- */

struct sets {
	unsigned char bits[3][SELECT_MAX / 8];
};

static bool has(const unsigned char *bits, int fd)
{
	return (bits[fd / 8] >> fd % 8 & 1) != 0;
}

static int64_t select_sets(struct task *t, int n, const uint64_t *address, int64_t ns)
{
	struct sets *in = call_memory(t, sizeof *in);
	struct sets *out = call_memory(t, sizeof *out);
	struct poll_item *items = call_memory(t, ((size_t)n + 1) * sizeof *items);
	size_t bytes = ((size_t)n + 63) / 64 * 8;
	int used = 0;
	int64_t r;

	memset(in, 0, sizeof *in);
	memset(out, 0, sizeof *out);
	for (int i = 0; i < 3; i++)
		if (address[i] != 0 && get_user(t, in->bits[i], address[i], bytes) != 0)
			return -E_FAULT;
	for (int fd = 0; fd < n; fd++) {
		unsigned want = (has(in->bits[0], fd) ? POLL_READ_ : 0u) |
				(has(in->bits[1], fd) ? POLL_WRITE_ : 0u);

		if (want == 0 && !has(in->bits[2], fd))
			continue;
		if (sys_get_cloexec(t->p, fd) < 0)
			return -E_BADF;
		items[used++] = (struct poll_item){ .fd = fd, .want = want };
	}
	r = sys_poll(t->p, items, used, call_left(t, ns));
	if (r < 0)
		return r;
	r = 0;
	for (int i = 0; i < used; i++) {
		int fd = items[i].fd;
		unsigned bit = 1u << fd % 8;
		bool reads = (items[i].got & (POLL_READ_ | POLL_HUP_ | POLL_ERR_)) != 0;
		bool writes = (items[i].got & (POLL_WRITE_ | POLL_ERR_)) != 0;

		if (reads && has(in->bits[0], fd)) {
			out->bits[0][fd / 8] |= (unsigned char)bit;
			r++;
		}
		if (writes && has(in->bits[1], fd)) {
			out->bits[1][fd / 8] |= (unsigned char)bit;
			r++;
		}
	}
	for (int i = 0; i < 3; i++)
		if (address[i] != 0 && put_user(t, address[i], out->bits[i], bytes) != 0)
			return -E_FAULT;
	return r;
}

int64_t call_select(struct task *t, const uint64_t *a)
{
	int64_t v[2];
	int64_t r;
	int64_t ns = -1;

	if ((int)a[0] < 0)
		return -E_INVAL;
	if (a[4] != 0) {
		if (get_user(t, v, a[4], sizeof v) != 0)
			return -E_FAULT;
		if (v[0] < 0 || v[1] < 0)
			return -E_INVAL;
		ns = v[0] > LONG_WAIT || v[1] / 1000000 > LONG_WAIT
			     ? LONG_WAIT * 1000000000
			     : v[0] * 1000000000 + v[1] * 1000;
	}
	r = select_sets(t, (int)a[0] < SELECT_MAX ? (int)a[0] : SELECT_MAX, a + 1, ns);
	return tell_left(t, a[4], ns, 1000, r);
}

int64_t call_pselect6(struct task *t, const uint64_t *a)
{
	uint64_t mask[2] = { 0, 0 };
	int64_t ns = -1;
	int64_t got;
	int r = a[4] != 0 ? get_timespec(t, a[4], &ns) : 0;

	if ((int)a[0] < 0)
		return -E_INVAL;
	if (r == 0 && a[5] != 0)
		r = get_user(t, mask, a[5], sizeof mask);
	if (r == 0)
		r = (int)signal_mask_for_call(t, mask[0]);
	if (r != 0)
		return r;
	got = select_sets(t, (int)a[0] < SELECT_MAX ? (int)a[0] : SELECT_MAX, a + 1, ns);
	return tell_left(t, a[4], ns, 1, got);
}
