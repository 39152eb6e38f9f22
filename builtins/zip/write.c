/* SPDX-License-Identifier: MIT
 *
 * Zip archives written. Into a file a header is written again once the sizes are known; into a
 * pipe they follow the data. What does not become smaller is stored.
 */
#include "builtins/zip/zip.h"

enum {
	STEP_BYTES = 16,
	CRYPT_STEP = 4096,
	VERSION_STORED = 10,
	VERSION_DEFLATED = 20,
	VERSION_64 = 45,
	MADE_BY = 30,
};

static void put16(struct buf *b, unsigned v)
{
	buf_putc(b, (char)v);
	buf_putc(b, (char)(v >> 8));
}

static void put32(struct buf *b, uint32_t v)
{
	put16(b, v & 0xffff);
	put16(b, v >> 16);
}

static void put64(struct buf *b, uint64_t v)
{
	put32(b, (uint32_t)v);
	put32(b, (uint32_t)(v >> 32));
}

static void emit(struct zip_writer *w, const void *data, size_t n)
{
	output_write(&w->out, data, n);
	w->at += n;
}

/* --- headers --- */

static bool is_wide(uint64_t v)
{
	return v >= UINT32_MAX;
}

static void put_header_middle(struct buf *b, const struct zip_entry *e, bool wide)
{
	put16(b, wide ? VERSION_64 : e->needed);
	put16(b, e->flags);
	put16(b, e->method);
	put16(b, e->dos_time);
	put16(b, e->dos_date);
	put32(b, e->crc);
	put32(b, wide ? UINT32_MAX : (uint32_t)e->csize);
	put32(b, wide ? UINT32_MAX : (uint32_t)e->size);
	put16(b, (unsigned)strlen(e->name));
}

static void put_local(struct cmd *c, struct buf *b, const struct zip_entry *e, struct bytes extra,
		      bool wide)
{
	(void)c;
	put32(b, ZIP_LOCAL);
	put_header_middle(b, e, wide);
	put16(b, (unsigned)extra.len + (wide ? 20 : 0));
	buf_puts(b, e->name);
	buf_add(b, extra);
	if (wide) {
		put16(b, ZIP_EXTRA64);
		put16(b, 16);
		put64(b, e->size);
		put64(b, e->csize);
	}
}

/* An extra field without the 64-bit record, which is made anew. */
static struct bytes plain_extra(struct cmd *c, struct bytes s)
{
	struct buf out = buf_in(c->arena);

	while (s.len >= 4) {
		size_t n = (size_t)zip_get16(s.ptr + 2) + 4;

		if (n > s.len)
			break;
		if (zip_get16(s.ptr) != ZIP_EXTRA64)
			buf_put(&out, s.ptr, n);
		s = bytes_slice(s, n, s.len);
	}
	return buf_bytes(&out);
}

static void put_central(struct cmd *c, struct buf *b, const struct zip_entry *e)
{
	bool wide = is_wide(e->size) || is_wide(e->csize) || is_wide(e->offset);
	struct bytes extra = plain_extra(c, e->extra);

	put32(b, ZIP_CENTRAL);
	put16(b, e->made_by);
	put_header_middle(b, e, wide);
	put16(b, (unsigned)extra.len + (wide ? 28 : 0));
	put16(b, (unsigned)e->comment.len);
	put16(b, 0);
	put16(b, e->internal);
	put32(b, e->external);
	put32(b, wide ? UINT32_MAX : (uint32_t)e->offset);
	buf_puts(b, e->name);
	buf_add(b, extra);
	if (wide) {
		put16(b, ZIP_EXTRA64);
		put16(b, 24);
		put64(b, e->size);
		put64(b, e->csize);
		put64(b, e->offset);
	}
	buf_add(b, e->comment);
}

static void remember(struct zip_writer *w, const struct zip_entry *e)
{
	if (w->n == w->cap) {
		size_t cap = w->cap * 2 + 16;

		w->entries = arena_grow(w->c->arena, w->entries, w->cap * sizeof *w->entries,
					cap * sizeof *w->entries);
		w->cap = cap;
	}
	w->entries[w->n++] = *e;
}

static void put_end64(struct zip_writer *w, struct buf *b, uint64_t start, uint64_t size)
{
	put32(b, ZIP_END64);
	put64(b, ZIP_END64_BYTES - 12);
	put16(b, ZIP_UNIX << 8 | MADE_BY);
	put16(b, VERSION_64);
	put32(b, 0);
	put32(b, 0);
	put64(b, w->n);
	put64(b, w->n);
	put64(b, size);
	put64(b, start);
	put32(b, ZIP_LOCATOR64);
	put32(b, 0);
	put64(b, start + size);
	put32(b, 1);
}

void zip_finish(struct zip_writer *w, struct bytes comment)
{
	uint64_t start = w->at;
	struct buf b = buf_in(w->c->arena);

	for (size_t i = 0; i < w->n; i++) {
		b.len = 0;
		put_central(w->c, &b, &w->entries[i]);
		emit(w, b.ptr, b.len);
		cmd_charge(w->c, 2);
	}
	uint64_t size = w->at - start;
	bool wide = w->n >= 0xffff || is_wide(start) || is_wide(size);

	b.len = 0;
	if (wide)
		put_end64(w, &b, start, size);
	put32(&b, ZIP_END);
	put32(&b, 0);
	put16(&b, w->n >= 0xffff ? 0xffff : (unsigned)w->n);
	put16(&b, w->n >= 0xffff ? 0xffff : (unsigned)w->n);
	put32(&b, is_wide(size) ? UINT32_MAX : (uint32_t)size);
	put32(&b, is_wide(start) ? UINT32_MAX : (uint32_t)start);
	put16(&b, (unsigned)comment.len);
	buf_add(&b, comment);
	emit(w, b.ptr, b.len);
}

/* --- what a source is --- */

static void set_times(struct zip_writer *w, const struct zip_source *s, struct zip_entry *e)
{
	struct civil t;
	/* DOS counts in pairs of seconds: odd ones are rounded up. */
	int64_t seconds = s->st.mtime_ns / 1000000000;

	e->mtime_s = seconds;
	e->has_mtime = true;
	time_civil(w->zone, (seconds + 1) & ~(int64_t)1, &t);
	if (t.year < 1980 || t.year > 2107)
		t = (struct civil){ .year = 1980, .month = 1, .day = 1 };
	e->dos_time = (uint16_t)(t.hour << 11 | t.minute << 5 | t.second / 2);
	e->dos_date = (uint16_t)((t.year - 1980) << 9 | t.month << 5 | t.day);
}

/* The times in UTC and the owner. Locally two times, in the directory one. */
static struct bytes make_extra(struct zip_writer *w, const struct zip_source *s, bool local)
{
	struct buf b = buf_in(w->c->arena);

	if (w->no_extra || s->stream)
		return BYTES("");
	put16(&b, ZIP_EXTRA_TIME);
	put16(&b, local ? 9 : 5);
	buf_putc(&b, 3);
	put32(&b, (uint32_t)(s->st.mtime_ns / 1000000000));
	if (local)
		put32(&b, (uint32_t)(s->st.atime_ns / 1000000000));
	put16(&b, ZIP_EXTRA_OWNER);
	put16(&b, 11);
	buf_putc(&b, 1);
	buf_putc(&b, 4);
	put32(&b, s->st.uid);
	buf_putc(&b, 4);
	put32(&b, s->st.gid);
	return buf_bytes(&b);
}

/* Text has no control characters but those that move. */
static bool looks_like_text(const unsigned char *at, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		unsigned char ch = at[i];

		if (ch <= 6 || (ch >= 14 && ch <= 25) || (ch >= 28 && ch <= 31))
			return false;
		any |= ch == 9 || ch == 10 || ch == 13 || ch >= 32;
	}
	return any;
}

/* --- data --- */

struct feed {
	struct zip_writer *w;
	const struct zip_source *s;
	struct input in;
	bool begun;
	struct zip_entry *e;
	bool held;
	struct zip_keys *keys; /* NULL: not encrypted */
	struct buf converted;
	size_t text_at;
};

/* -l adds carriage returns, -ll takes them out. */
static struct bytes convert(struct feed *f, struct bytes part)
{
	struct buf *b = &f->converted;

	b->len = 0;
	for (size_t i = 0; i < part.len; i++) {
		char ch = part.ptr[i];

		if (f->w->convert == 1 && ch == '\n')
			buf_putc(b, '\r');
		if (f->w->convert == 2) {
			if (f->held && ch != '\n')
				buf_putc(b, '\r');
			f->held = ch == '\r';
			if (f->held)
				continue;
		}
		buf_putc(b, ch);
	}
	return buf_bytes(b);
}

/* The next bytes of the source: 1, 0 at the end, -E_. */
static int next_part(struct feed *f, struct bytes *part)
{
	int more;

	if (f->s->fd < 0) {
		*part = bytes_slice(f->s->text, f->text_at, f->s->text.len);
		f->text_at = f->s->text.len;
		more = part->len > 0;
	} else {
		more = input_block(&f->in, part);
	}
	if (more <= 0)
		return more;
	if (!f->begun && f->w->level > 0 && !f->s->is_link &&
	    looks_like_text((const unsigned char *)part->ptr, part->len))
		f->e->internal = 1;
	f->begun = true;
	if (f->w->convert != 0 && f->e->internal == 1)
		*part = convert(f, *part);
	f->e->crc = codec_crc32(f->e->crc, part->ptr, part->len);
	f->e->size += part->len;
	return 1;
}

/* Compressed data, or what they are without compression. */
static void put_data(struct feed *f, const void *data, size_t n)
{
	unsigned char locked[CRYPT_STEP];
	const char *at = data;

	f->e->csize += n;
	if (f->keys == NULL) {
		emit(f->w, data, n);
		return;
	}
	for (size_t step; n > 0; n -= step, at += step) {
		step = n < CRYPT_STEP ? n : CRYPT_STEP;
		zip_encrypt(f->keys, locked, at, step);
		emit(f->w, locked, step);
		cmd_charge_bytes(f->w->c, step * 16);
	}
}

/* Ahead of encrypted data: noise, and two bytes that tell a wrong password. */
static void put_lock(struct feed *f)
{
	unsigned char head[ZIP_CRYPT_BYTES];

	if (f->keys == NULL)
		return;
	zip_keys_init(f->keys, f->w->password);
	cmd_random_bytes(f->w->c, head, sizeof head - 2);
	head[sizeof head - 2] = (unsigned char)f->e->dos_time;
	head[sizeof head - 1] = (unsigned char)(f->e->dos_time >> 8);
	put_data(f, head, sizeof head);
}

static int put_stored(struct feed *f)
{
	struct bytes part;
	int more;

	put_lock(f);
	while ((more = next_part(f, &part)) > 0)
		put_data(f, part.ptr, part.len);
	return more;
}

static void drain(struct feed *f, struct codec *z, uint8_t *block, bool finish)
{
	enum codec_result result;

	do {
		z->out = block;
		z->out_len = ZIP_BLOCK;
		result = codec_run(z, finish);
		put_data(f, block, ZIP_BLOCK - z->out_len);
	} while (z->out_len == 0 || (finish && result == CODEC_MORE));
}

static int put_deflated(struct feed *f)
{
	struct cmd *c = f->w->c;
	struct codec_options options = { .kind = CODEC_DEFLATE, .level = f->w->level };
	uint8_t *block = pool_alloc(c->pool, ZIP_BLOCK);
	struct codec z;
	struct bytes part;
	int more;

	put_lock(f);
	codec_start(&z, c->pool, &options);
	while ((more = next_part(f, &part)) > 0) {
		z.in = (const uint8_t *)part.ptr;
		z.in_len = part.len;
		drain(f, &z, block, false);
		cmd_charge(c, part.len / STEP_BYTES + 1);
	}
	z.in_len = 0;
	drain(f, &z, block, true);
	codec_stop(&z);
	pool_free(c->pool, block, ZIP_BLOCK);
	return more;
}

static void begin(struct feed *f)
{
	f->e->crc = 0;
	f->e->size = 0;
	f->e->csize = 0;
	f->e->internal = 0;
	f->begun = false;
	f->held = false;
	f->text_at = 0;
	if (f->s->fd >= 0) {
		if (!f->s->stream)
			cmd_seek(f->w->c, f->s->fd, 0, 0);
		input_init(&f->in, f->w->c, f->s->fd, f->s->name);
		f->in.is_stdin = false;
	}
	f->converted = buf_in(f->w->c->arena);
}

static void rewind_to(struct zip_writer *w, uint64_t at)
{
	output_flush(&w->out);
	cmd_seek(w->c, w->out.fd, (int64_t)at, 0);
	cmd_truncate_fd(w->c, w->out.fd, at);
	w->at = at;
}

static void rewrite_header(struct zip_writer *w, uint64_t at, const struct buf *head)
{
	output_flush(&w->out);
	cmd_seek(w->c, w->out.fd, (int64_t)at, 0);
	cmd_write_fd(w->c, w->out.fd, head->ptr, head->len);
	cmd_seek(w->c, w->out.fd, (int64_t)w->at, 0);
}

static void put_descriptor(struct zip_writer *w, const struct zip_entry *e, bool wide)
{
	struct buf b = buf_in(w->c->arena);

	put32(&b, ZIP_DESCRIPTOR);
	put32(&b, e->crc);
	if (wide) {
		put64(&b, e->csize);
		put64(&b, e->size);
	} else {
		put32(&b, (uint32_t)e->csize);
		put32(&b, (uint32_t)e->size);
	}
	emit(w, b.ptr, b.len);
}

static uint16_t level_flags(int level)
{
	return level <= 2 ? 4 : level >= 8 ? 2 : 0;
}

static void set_method(struct feed *f, bool deflate)
{
	const struct zip_writer *w = f->w;
	struct zip_entry *e = f->e;

	e->method = deflate ? ZIP_DEFLATED : ZIP_STORED;
	e->needed = deflate ? VERSION_DEFLATED : VERSION_STORED;
	e->flags = deflate ? level_flags(w->level) : 0;
	if (f->keys != NULL)
		e->flags |= ZIP_FLAG_ENCRYPTED | ZIP_FLAG_DESCRIPTOR;
}

/* Into a pipe: nothing can be changed afterwards. */
static int add_streamed(struct feed *f, struct bytes extra, bool wide)
{
	struct buf head = buf_in(f->w->c->arena);
	struct zip_entry *e = f->e;
	bool data = f->s->fd >= 0 || f->s->text.len > 0;
	int err = 0;

	begin(f);
	if (data)
		e->flags |= ZIP_FLAG_DESCRIPTOR;
	if (f->keys != NULL)
		e->crc = (uint32_t)e->dos_time << 16;
	put_local(f->w->c, &head, e, extra, wide && data);
	emit(f->w, head.ptr, head.len);
	e->crc = 0;
	if (!data)
		return 0;
	err = e->method == ZIP_DEFLATED ? put_deflated(f) : put_stored(f);
	put_descriptor(f->w, e, wide);
	return err;
}

static int add_seekable(struct feed *f, struct bytes extra, bool wide)
{
	struct zip_writer *w = f->w;
	struct zip_entry *e = f->e;
	struct buf head = buf_in(w->c->arena);
	uint64_t start = w->at;
	int err = 0;

	put_local(w->c, &head, e, extra, wide);
	emit(w, head.ptr, head.len);
	begin(f);
	if (f->s->fd >= 0 || f->s->text.len > 0 || f->keys != NULL)
		err = e->method == ZIP_DEFLATED ? put_deflated(f) : put_stored(f);
	if (err == 0 && e->method == ZIP_DEFLATED && zip_packed(e) >= e->size && !f->s->stream) {
		rewind_to(w, start + head.len);
		set_method(f, false);
		begin(f);
		err = put_stored(f);
	}
	if (f->keys != NULL)
		put_descriptor(w, e, wide);
	head.len = 0;
	put_local(w->c, &head, e, extra, wide);
	rewrite_header(w, start, &head);
	return err;
}

int zip_add(struct zip_writer *w, const struct zip_source *s, struct zip_entry *out)
{
	struct feed f = { .w = w, .s = s, .e = out };
	bool dir = (s->st.mode & S_FMT) == S_DIR;
	bool wide = s->stream || is_wide(s->st.size + s->st.size / 16);
	struct bytes extra = make_extra(w, s, true);
	struct zip_keys keys;
	int err;

	*out = (struct zip_entry){ .name = s->name, .made_by = ZIP_UNIX << 8 | MADE_BY };
	out->offset = w->at;
	out->external = s->st.mode << 16 | (dir ? 0x10 : 0);
	set_times(w, s, out);
	if (w->password != NULL && !dir)
		f.keys = &keys;
	set_method(&f, w->level > 0 && !s->store && (s->fd >= 0 || s->text.len > 0) &&
			       !s->is_link && (s->stream || s->st.size > 0));
	if (w->seekable)
		err = add_seekable(&f, extra, wide);
	else
		err = add_streamed(&f, extra, wide);
	if (f.s->fd >= 0)
		pool_free(w->c->pool, f.in.ptr, f.in.cap);
	out->extra = make_extra(w, s, false);
	remember(w, out);
	return err;
}

int zip_copy(struct zip_writer *w, struct zip_file *z, const struct zip_entry *e)
{
	uint64_t end = zip_data_offset(z, e);
	uint64_t at = e->offset;
	struct zip_entry copy = *e;
	char *block;

	if (end == 0)
		return -E_INVAL;
	end += e->csize;
	if (e->flags & ZIP_FLAG_DESCRIPTOR) {
		char head[4];
		bool wide = e->needed >= VERSION_64;

		if (cmd_pread(z->c, z->fd, head, 4, end) == 4)
			end += (zip_get32(head) == ZIP_DESCRIPTOR ? 4u : 0u) + (wide ? 20u : 12u);
		if (end > z->directory)
			end = z->directory;
	}
	copy.offset = w->at;
	block = pool_alloc(w->c->pool, ZIP_BLOCK);
	while (at < end) {
		size_t n = end - at < ZIP_BLOCK ? (size_t)(end - at) : ZIP_BLOCK;
		int64_t got = cmd_pread(z->c, z->fd, block, n, at);

		if (got <= 0)
			break;
		emit(w, block, (size_t)got);
		at += (uint64_t)got;
		cmd_charge_bytes(w->c, (size_t)got);
	}
	pool_free(w->c->pool, block, ZIP_BLOCK);
	remember(w, &copy);
	return at == end ? 0 : -E_IO;
}
