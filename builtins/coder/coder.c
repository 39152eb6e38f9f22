/* SPDX-License-Identifier: MIT
 *
 * Files through codecs.
 */
#include "builtins/coder/coder.h"

enum { STEP_BYTES = 8, PEEK_MAX = 18 };

void coder_begin(struct coder *k, struct cmd *c, int fd, const char *name)
{
	struct codec_options options = k->options;

	*k = (struct coder){ .c = c, .options = options };
	input_init(&k->in, c, fd, name);
	k->in.is_stdin = fd == 0;
	cmd_fstat(c, fd, &k->st);
	k->block = pool_alloc(c->pool, CODER_BLOCK);
}

int coder_create(struct coder *k, const char *name)
{
	int err = output_open(&k->out, k->c, name, O_EXCL_ | O_TRUNC_, false);

	if (err < 0)
		return err;
	k->out_name = k->out.drop = name;
	k->has_out = true;
	return 0;
}

void coder_to_stdout(struct coder *k)
{
	output_init(&k->out, k->c, 1, false);
	k->has_out = true;
}

size_t coder_peek(struct coder *k, uint8_t *out, size_t n)
{
	size_t have = k->in.to - k->in.from;

	/* The buffer is filled behind what is unread. */
	while (have < n && !k->at_end) {
		uint8_t kept[PEEK_MAX];
		struct bytes part;
		int more;

		if (have > 0)
			memcpy(kept, k->in.ptr + k->in.from, have);
		k->in.from = k->in.to;
		more = input_block(&k->in, &part);
		if (more <= 0) {
			k->at_end = true;
			k->in.from = k->in.to;
		}
		if (more < 0)
			k->read_err = more;
		if (have > 0) {
			/* Put what was kept in front again: there is always room for so little. */
			size_t fresh = more > 0 ? part.len : 0;

			if (k->in.cap < have + fresh) {
				k->in.ptr = pool_resize(k->c->pool, k->in.ptr, k->in.cap,
							have + fresh);
				k->in.cap = have + fresh;
			}
			memmove(k->in.ptr + have, k->in.ptr + k->in.to - fresh, fresh);
			memcpy(k->in.ptr, kept, have);
			k->in.to = have + fresh;
			k->in.from = 0;
		} else if (more > 0) {
			k->in.from = k->in.to - part.len;
		}
		have = k->in.to - k->in.from;
	}
	if (have > n)
		have = n;
	if (have > 0)
		memcpy(out, k->in.ptr + k->in.from, have);
	return have;
}

static bool refill(struct coder *k, struct codec *z)
{
	struct bytes part;
	int more = k->at_end ? 0 : input_block(&k->in, &part);

	if (more < 0)
		k->read_err = more;
	if (more <= 0) {
		k->at_end = true;
		return false;
	}
	z->in = (const uint8_t *)part.ptr;
	z->in_len = part.len;
	k->bytes_in += part.len;
	return true;
}

enum codec_result coder_stream(struct coder *k)
{
	enum codec_result result = CODEC_MORE;
	struct codec z;

	if (!codec_start(&z, k->c->pool, &k->options)) {
		codec_stop(&z);
		return CODEC_OPTIONS;
	}
	z.out_len = 1;
	while (result == CODEC_MORE) {
		bool ended = false;

		/* A full output may hide more of it. */
		if (z.in_len == 0 && z.out_len != 0)
			ended = !refill(k, &z);
		if (k->read_err < 0)
			break;
		z.out = k->block;
		z.out_len = CODER_BLOCK;
		result = codec_run(&z, ended);
		size_t made = CODER_BLOCK - z.out_len;

		if (k->has_out)
			output_write(&k->out, k->block, made);
		k->bytes_out += made;
		cmd_charge(k->c, (made + (k->options.decode ? 0 : CODER_BLOCK)) / STEP_BYTES + 1);
		/* Cut: the input is over and nothing comes of it any more. */
		if (ended && k->options.decode && (result == CODEC_BAD || made == 0) &&
		    result != CODEC_END) {
			result = CODEC_MORE;
			break;
		}
	}
	k->in.from -= z.in_len;
	k->bytes_in -= z.in_len;
	k->needed = z.needed;
	k->unchecked = z.unchecked;
	codec_stop(&z);
	k->streams++;
	return result;
}

void coder_copy(struct coder *k)
{
	struct bytes part;
	int more;

	/* What was peeked at is still there at the end. */
	while ((!k->at_end || k->in.from < k->in.to) && (more = input_block(&k->in, &part)) > 0) {
		if (k->has_out)
			output_write(&k->out, part.ptr, part.len);
		k->bytes_in += part.len;
		k->bytes_out += part.len;
	}
}

uint64_t coder_skip_zeros(struct coder *k)
{
	uint64_t n = 0;
	uint8_t byte;

	while (coder_peek(k, &byte, 1) == 1 && byte == 0) {
		k->in.from++;
		k->bytes_in++;
		n++;
		cmd_charge(k->c, 1);
	}
	return n;
}

void coder_finish(struct coder *k)
{
	if (!k->has_out)
		return;
	if (k->out_name == NULL) {
		output_flush(&k->out);
		return;
	}
	output_close(&k->out);
	cmd_chown(k->c, CMD_CWD, k->out_name, k->st.uid, k->st.gid, CMD_NOFOLLOW);
	cmd_chmod(k->c, CMD_CWD, k->out_name, k->st.mode & 0777, 0);
	cmd_utimes(k->c, CMD_CWD, k->out_name, k->st.atime_ns, k->st.mtime_ns, CMD_NOFOLLOW);
}

void coder_discard(struct coder *k)
{
	if (!k->has_out)
		return;
	if (k->out_name == NULL) {
		output_flush(&k->out);
		return;
	}
	output_close(&k->out);
	cmd_unlink(k->c, CMD_CWD, k->out_name, 0);
}

void coder_end(struct coder *k)
{
	pool_free(k->c->pool, k->block, CODER_BLOCK);
	input_close(&k->in);
}

/* --- names --- */

bool coder_has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name);
	size_t n = strlen(suffix);

	return len > n && strcmp(name + len - n, suffix) == 0 && name[len - n - 1] != '/';
}

const char *coder_add_suffix(struct cmd *c, const char *name, const char *suffix)
{
	struct buf out = buf_in(c->arena);

	buf_printf(&out, "%s%s", name, suffix);
	return buf_cstr(&out);
}

const char *coder_replace_suffix(struct cmd *c, const char *name, const char *from, const char *to)
{
	struct buf out = buf_in(c->arena);

	buf_put(&out, name, strlen(name) - strlen(from));
	buf_puts(&out, to);
	return buf_cstr(&out);
}
