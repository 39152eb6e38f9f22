/* SPDX-License-Identifier: MIT
 *
 * zstd -l: what is in files, from the headers of their frames; -v: in lines of their own.
 */
#include "builtins/coder/zstd.h"

#define FRAME_MAGIC 0xfd2fb528u

enum fault { FAULT_NONE, FAULT_OTHER, FAULT_CUT, FAULT_FRAME };

struct frames {
	uint64_t frames, skips, in, out;
	uint64_t window, dict_id;
	uint8_t sum[4]; /* of the last frame */
	bool unknown;   /* the size of a content */
	bool check;
	enum fault fault;
};

struct lister {
	struct frames all;
	uint64_t files;
	bool all_check;
};

static uint64_t little(const uint8_t *at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = n; i-- > 0;)
		v = v << 8 | at[i];
	return v;
}

static uint64_t fails(struct frames *f, enum fault fault)
{
	f->fault = fault;
	return 0;
}

uint64_t zstd_window(const uint8_t h[6])
{
	uint64_t window = UINT64_C(1) << (10 + (h[5] >> 3));

	return h[4] & 0x20 ? 0 : window + (window >> 3) * (h[5] & 7);
}

/* The header of a frame: how long it is. */
static size_t read_header(const uint8_t *h, struct frames *f)
{
	static const uint8_t content_bytes[] = { 0, 2, 4, 8 };
	static const uint8_t id_bytes[] = { 0, 1, 2, 4 };
	bool single = h[4] & 0x20;
	size_t n = content_bytes[h[4] >> 6];
	size_t at = 5 + (single ? 0u : 1u);
	size_t id = id_bytes[h[4] & 3];

	if (n == 0 && single)
		n = 1;
	f->dict_id = little(h + at, id);
	at += id;
	uint64_t content = little(h + at, n) + (n == 2 ? 256 : 0);

	f->unknown |= n == 0;
	f->out += content;
	f->window = single ? content : zstd_window(h);
	return at + n;
}

/* The blocks of a frame: where they end; 0: the file does before that. */
static uint64_t skip_blocks(struct zstd *z, int fd, uint64_t at)
{
	uint8_t block[3];

	while (cmd_pread(z->c, fd, block, 3, at) == 3) {
		uint32_t head = (uint32_t)little(block, 3);

		at += 3 + ((head >> 1 & 3) == 1 ? 1 : head >> 3);
		cmd_charge(z->c, 1);
		if (head & 1)
			return at;
	}
	return 0;
}

/* One frame from its headers: where the next begins; 0: damaged. */
static uint64_t read_frame(struct zstd *z, int fd, uint64_t at, uint64_t size, struct frames *f)
{
	uint8_t h[18] = { 0 };
	int64_t got = cmd_pread(z->c, fd, h, sizeof h, at);
	bool skipped = got >= 8 && (h[0] & 0xf0) == 0x50 && little(h + 1, 3) == 0x184d2a;

	if (got >= 5 && little(h, 4) != FRAME_MAGIC && !skipped)
		return fails(f, FAULT_OTHER);
	size_t header = got >= 5 && !skipped ? read_header(h, f) : 0;

	if (got < 5 || (uint64_t)got < header) {
		zstd_put(z, 1, "Error: reached end of file with incomplete frame \n");
		return fails(f, FAULT_OTHER);
	}
	if (skipped) {
		f->skips++;
		at += 8 + little(h + 4, 4);
	} else {
		at = skip_blocks(z, fd, at + header);
		if (at == 0) {
			zstd_put(z, 1, "Error while reading block header \n");
			return fails(f, FAULT_FRAME);
		}
		if (h[4] & 4) {
			f->check = true;
			if (cmd_pread(z->c, fd, f->sum, 4, at) != 4) {
				zstd_put(z, 1, "Error: could not read checksum \n");
				return fails(f, FAULT_FRAME);
			}
			at += 4;
		}
		f->frames++;
	}
	if (at <= size)
		return at;
	zstd_put(z, 1, "Error: seeked to position %llu, which is beyond file size of %llu\n \n",
		 (unsigned long long)at, (unsigned long long)size);
	return fails(f, FAULT_CUT);
}

/* Three or four digits behind the point. */
static void put_ratio(struct buf *out, const struct frames *f, int digits)
{
	uint64_t scale = digits == 3 ? 1000 : 10000;
	uint64_t ratio = f->in == 0
				 ? 0
				 : (uint64_t)((double)f->out / (double)f->in * (double)scale + 0.5);

	buf_printf(out, digits == 3 ? "%llu.%03llu" : "%llu.%04llu",
		   (unsigned long long)(ratio / scale), (unsigned long long)(ratio % scale));
}

static void put_row(struct zstd *z, const struct frames *f, const char *check, const char *name)
{
	struct buf row = buf_in(z->c->arena);
	struct buf ratio = buf_in(z->c->arena);

	buf_printf(&row, "%6llu  %5llu  ", (unsigned long long)(f->frames + f->skips),
		   (unsigned long long)f->skips);
	zstd_put_size(&row, f->in, true);
	if (f->unknown) {
		buf_printf(&row, "%21s", "");
	} else {
		buf_puts(&row, "    ");
		zstd_put_size(&row, f->out, true);
		put_ratio(&ratio, f, 3);
		buf_printf(&row, "  %5s", buf_cstr(&ratio));
	}
	buf_printf(&row, "  %5s  %s\n", check, name);
	cmd_bytes(z->c, buf_bytes(&row));
}

static void put_detail(struct zstd *z, const char *what, uint64_t n)
{
	struct buf size = buf_in(z->c->arena);

	zstd_put_size(&size, n, false);
	struct bytes text = bytes_trim(buf_bytes(&size));

	cmd_printf(z->c, "%s: %.*s (%llu B)\n", what, (int)text.len, text.ptr,
		   (unsigned long long)n);
}

static void put_details(struct zstd *z, const struct frames *f, const char *name)
{
	struct buf ratio = buf_in(z->c->arena);

	cmd_printf(z->c, "%s \n# Zstandard Frames: %llu\n", name, (unsigned long long)f->frames);
	if (f->skips > 0)
		cmd_printf(z->c, "# Skippable Frames: %llu\n", (unsigned long long)f->skips);
	cmd_printf(z->c, "DictID: %llu\n", (unsigned long long)f->dict_id);
	put_detail(z, "Window Size", f->window);
	put_detail(z, "Compressed Size", f->in);
	if (!f->unknown) {
		put_detail(z, "Decompressed Size", f->out);
		put_ratio(&ratio, f, 4);
		cmd_printf(z->c, "Ratio: %s\n", buf_cstr(&ratio));
	}
	cmd_printf(z->c, "Check: %s", f->check ? "XXH64" : "None");
	if (f->check && f->frames == 1)
		cmd_printf(z->c, " %08llx", (unsigned long long)little(f->sum, 4));
	cmd_puts(z->c, "\n");
}

static void list_file(struct zstd *z, struct lister *l, const char *name)
{
	struct frames f = { 0 };
	struct vfs_stat st;
	uint64_t at = 0;
	int fd = cmd_open(z->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);

	if (fd < 0 || cmd_fstat(z->c, fd, &st) < 0 || (st.mode & S_FMT) != S_REG) {
		zstd_put(z, 1, "Error : %s is not a file \n", name);
		z->status = 1;
		return;
	}
	f.in = st.size;
	do
		at = read_frame(z, fd, at, st.size, &f);
	while (at != 0 && at < st.size);
	cmd_close(z->c, fd);
	if (f.out > INT64_MAX / 20000)
		f.fault = FAULT_OTHER;
	z->status |= f.fault != FAULT_NONE;
	if (f.fault == FAULT_OTHER || f.fault == FAULT_CUT) {
		cmd_printf(z->c,
			   f.fault == FAULT_CUT ? "File \"%s\" is truncated \n"
						: "File \"%s\" not compressed by zstd \n",
			   name);
		return;
	}
	if (f.fault == FAULT_FRAME)
		zstd_put(z, 1, "Error while parsing \"%s\" \n", name);
	if (z->display > 2)
		put_details(z, &f, name);
	else
		put_row(z, &f, f.check ? "XXH64" : "None", name);
	l->files++;
	l->all.frames += f.frames;
	l->all.skips += f.skips;
	l->all.in += f.in;
	l->all.out += f.out;
	l->all.unknown |= f.unknown;
	l->all_check &= f.check;
}

int zstd_list(struct zstd *z)
{
	struct lister l = { .all_check = true };
	struct buf name = buf_in(z->c->arena);
	int n = 0;

	for (size_t at = 0; at < z->names.len; at += strlen(z->names.ptr + at) + 1)
		if (strcmp(z->names.ptr + at, "-") == 0) {
			zstd_put(z, 1,
				 "zstd: --list does not support reading from standard input \n");
			if (z->c->nargs == 0)
				zstd_put(z, 1, "No files given \n");
			return 1;
		}
	if (z->display <= 2)
		cmd_puts(z->c, "Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
	for (size_t at = 0; at < z->names.len; at += strlen(z->names.ptr + at) + 1, n++) {
		list_file(z, &l, z->names.ptr + at);
		if (z->display > 2)
			cmd_putc(z->c, '\n');
	}
	if (n > 1 && z->display <= 2) {
		buf_printf(&name, "%llu files", (unsigned long long)l.files);
		cmd_puts(z->c, "-----------------------------------------------------------------"
			       " \n");
		put_row(z, &l.all, l.all_check ? "XXH64" : "", buf_cstr(&name));
	}
	return z->status;
}
