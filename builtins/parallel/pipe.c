/* SPDX-License-Identifier: MIT
 *
 * parallel --pipe: standard input is cut into blocks of whole records, each the input of a job.
 *
 * A record ends with --recend (a newline) and the next begins with --recstart. A block is the
 * longest run of records within --block bytes, or exactly N of them. With --pipe-part the input is
 * a file, and a block the shortest run that is longer.
 */
#include "builtins/parallel/parallel.h"

#include "builtins/temp.h"

enum { PARTS = 10 }; /* blocks for each slot, of a file */

struct cutter {
	struct cmd *c;
	const struct parallel_opts *o;
	struct input in;
	char *ptr; /* unread bytes, in the pool */
	size_t len;
	size_t cap;
	size_t head; /* --header: these first bytes go to every job */
	char *header;
	bool at_end;
	struct bytes recend;
	struct bytes recstart;
	uint64_t block;
};

/* Reads until `want` bytes are there, or the input ends. */
static void fill(struct cutter *k, size_t want)
{
	while (!k->at_end && k->len < want) {
		struct bytes got;
		int result = input_block(&k->in, &got);

		if (result < 0)
			cmd_fatal_status(k->c, ERROR_STATUS, result, "Error: standard input");
		if (result == 0) {
			k->at_end = true;
			return;
		}
		if (k->len + got.len > k->cap) {
			size_t cap = (k->len + got.len) * 2;

			k->ptr = pool_resize(k->c->pool, k->ptr, k->cap, cap);
			k->cap = cap;
		}
		memcpy(k->ptr + k->len, got.ptr, got.len);
		k->len += got.len;
		cmd_charge_bytes(k->c, got.len);
	}
}

/* Whether a record ends at `at`, which is not the beginning. */
static bool is_boundary(const struct cutter *k, size_t at)
{
	struct bytes before = { k->ptr, at };
	struct bytes after = { k->ptr + at, k->len - at };

	return bytes_ends(before, k->recend) && bytes_starts(after, k->recstart);
}

/* The end of the first record behind `from` (at least one byte), or 0. */
static size_t next_boundary(struct cutter *k, size_t from)
{
	for (size_t at = from + 1; at < k->len; at++) {
		const char *hit = k->recend.len > 0 && at >= k->recend.len
					  ? bytes_find(
						    (struct bytes){ k->ptr + at - k->recend.len,
								    k->len - at + k->recend.len },
						    k->recend)
					  : k->ptr + at;

		if (hit == NULL)
			return 0;
		if (k->recend.len > 0 && at >= k->recend.len)
			at = (size_t)(hit - k->ptr) + k->recend.len;
		cmd_charge(k->c, 1);
		if (at < k->len && is_boundary(k, at))
			return at;
	}
	return 0;
}

/* N records: where they end. */
static size_t cut_records(struct cutter *k)
{
	size_t end = 0;
	size_t want = 65536;

	fill(k, want);
	for (uint64_t i = 0; i < k->o->n;) {
		size_t next = next_boundary(k, end);

		if (next != 0) {
			end = next;
			i++;
			continue;
		}
		if (k->at_end)
			return k->len;
		want = k->len * 2;
		fill(k, want);
	}
	return end;
}

/* As many records as fit. */
static size_t cut_block(struct cutter *k)
{
	for (;;) {
		fill(k, (size_t)k->block + 1);
		if (k->len <= k->block)
			return k->len;
		for (size_t at = (size_t)k->block; at > 0; at--) {
			if ((at & 63) == 0)
				cmd_charge(k->c, 1);
			if (is_boundary(k, at))
				return at;
		}
		uint64_t larger = k->block + (k->block * 3 + 9) / 10 + 1;

		if (k->at_end)
			return k->len;
		cmd_warn(k->c, 0,
			 "Warning: A record was longer than %llu. Increasing to --blocksize %llu.",
			 (unsigned long long)k->block, (unsigned long long)larger);
		k->block = larger;
	}
}

/* The first record that ends behind --block bytes is the last. */
static size_t cut_part(struct cutter *k)
{
	for (size_t want = (size_t)k->block * 2 + 65536;; want *= 2) {
		fill(k, want);
		size_t end = k->len > k->block ? next_boundary(k, (size_t)k->block) : 0;

		if (end != 0)
			return end;
		if (k->at_end)
			return k->len;
	}
}

static void take_header(struct cutter *k)
{
	const char *end;

	for (size_t want = 65536;; want *= 2) {
		fill(k, want);
		end = k->len > 0 ? memchr(k->ptr, '\n', k->len) : NULL;
		if (end != NULL || k->at_end)
			break;
	}
	k->head = end != NULL ? (size_t)(end - k->ptr) + 1 : k->len;
	k->header = pool_dup(k->c->pool, (struct bytes){ k->ptr, k->head });
	memmove(k->ptr, k->ptr + k->head, k->len - k->head);
	k->len -= k->head;
}

/* The block as a file to read from. path: with a name, which is put there. */
static int block_file(struct cutter *k, size_t n, struct buf *path)
{
	int fd = path != NULL ? temp_open_named(k->c, k->o->tmpdir, "par", "", path)
			      : temp_open(k->c, k->o->tmpdir);
	int err = k->head > 0 ? cmd_write_fd(k->c, fd, k->header, k->head) : 0;

	if (err >= 0)
		err = cmd_write_fd(k->c, fd, k->ptr, n);
	if (err < 0)
		cmd_fatal_status(k->c, ERROR_STATUS, err, "Error: standard input");
	memmove(k->ptr, k->ptr + n, k->len - n);
	k->len -= n;
	return fd;
}

/* --block -N: so that each slot gets N blocks. */
static uint64_t part_size(struct cutter *k, const char *path)
{
	uint64_t n = (k->o->blocks > 0 ? k->o->blocks : PARTS) * k->o->slots;
	struct vfs_stat st;

	if (cmd_stat(k->c, path, &st) < 0 || st.size == 0)
		return 1;
	return (st.size + n - 1) / n;
}

static struct cutter *start(struct cmd *c, const struct parallel_opts *o)
{
	struct cutter *k = arena_zalloc(c->arena, sizeof *k);

	k->c = c;
	k->o = o;
	k->block = o->block;
	k->recstart = bytes_of(o->recstart != NULL ? o->recstart : "");
	k->recend = o->recend != NULL     ? bytes_of(o->recend)
		    : k->recstart.len > 0 ? BYTES("")
					  : BYTES("\n");
	const char *path = o->part ? o->files[0] : "-";
	int err = input_open(&k->in, c, path);

	if (err < 0)
		cmd_fatal_status(c, ERROR_STATUS, err, "Error: %s",
				 o->part ? path : "standard input");
	if (o->part && (o->blocks > 0 || o->block == 0))
		k->block = part_size(k, path);
	if (o->header)
		take_header(k);
	return k;
}

/* How long the next block is; 0: there is none. */
static size_t next_block(struct cutter *k)
{
	if (k->o->part)
		return cut_part(k);
	return k->o->has_n && k->o->n > 0 ? cut_records(k) : cut_block(k);
}

/* --round-robin: blocks are dealt out to the inputs of as many jobs as there are slots. */
static void deal(struct cutter *k, struct runner *r, const struct template *command,
		 const struct template *tag)
{
	struct cmd *c = k->c;
	struct job_values v = { .n = 0 };
	int *fd = arena_array(c->arena, heap_size(k->o->slots), sizeof *fd);
	uint64_t jobs = 0;
	size_t n;

	for (uint64_t i = 0; (n = next_block(k)) > 0; i = (i + 1) % k->o->slots) {
		if (i == jobs) {
			fd[jobs++] = block_file(k, n, NULL);
			continue;
		}
		int err = cmd_write_fd(c, fd[i], k->ptr, n);

		if (err < 0)
			cmd_fatal_status(c, ERROR_STATUS, err, "Error: standard input");
		memmove(k->ptr, k->ptr + n, k->len - n);
		k->len -= n;
	}
	for (uint64_t i = 0; i < jobs; i++) {
		struct buf text = buf_in(c->arena);
		struct buf tag_text = buf_in(c->arena);

		v.slot = runner_slot(r);
		if (runner_stopped(r))
			return;
		v.total = jobs;
		v.seq++;
		template_expand(command, &v, &text);
		template_expand(tag, &v, &tag_text);
		runner_start(r, buf_bytes(&text), buf_bytes(&tag_text), &v, fd[i]);
	}
}

void pipe_run(struct cmd *c, const struct parallel_opts *o, struct runner *r,
	      const struct template *command, const struct template *tag)
{
	struct cutter *k = start(c, o);
	const struct bytes variable = BYTES("$PARALLEL_TMP");
	struct job_values v = { .arg = &variable, .n = o->cat };
	struct arena scratch;

	if (o->round_robin && !o->cat && !o->part) {
		deal(k, r, command, tag);
		return;
	}
	arena_init_under(&scratch, c->arena);
	for (;;) {
		size_t n = next_block(k);
		struct buf text = buf_in(&scratch);
		struct buf tag_text = buf_in(&scratch);

		if (n == 0)
			break;
		v.slot = runner_slot(r);
		if (runner_stopped(r))
			break;
		v.total = ++v.seq;
		template_expand(command, &v, &text);
		template_expand(tag, &v, &tag_text);
		struct buf path = buf_in(&scratch);
		int fd = block_file(k, n, o->cat ? &path : NULL);

		if (o->cat) {
			cmd_close(c, fd);
			fd = -1;
			v.file = buf_cstr(&path);
		}
		runner_start(r, buf_bytes(&text), buf_bytes(&tag_text), &v, fd);
		arena_clear(&scratch);
	}
	arena_clear(&scratch);
}
