/* SPDX-License-Identifier: MIT
 *
 * The tables of unzip -l, unzip -v and zipinfo.
 */
#include "builtins/zip/zip.h"

#include <limits.h>

static const char *method_name(const struct zip_entry *e, char text[7])
{
	static const char *const names[] = { "Stored",  "Shrunk",  "Reduce1", "Reduce2",
					     "Reduce3", "Reduce4", "Implode", "Tokenize" };
	static const char levels[] = "NXFS";

	if (e->method == ZIP_DEFLATED) {
		memcpy(text, "Defl:N", 7);
		text[5] = levels[e->flags >> 1 & 3];
		return text;
	}
	return e->method < 8 ? names[e->method] : e->method == 12 ? "BZip2" : "Unk:";
}

/* How much smaller an entry is, in tenths of a percent; below 0: larger. */
static int64_t tenths_saved(uint64_t size, uint64_t csize)
{
	uint64_t diff = csize > size ? csize - size : size - csize;
	double tenths = size != 0 ? (double)diff * 1000 / (double)size + 0.5 : 0;

	/* An archive may claim any sizes. */
	if (tenths > INT_MAX)
		tenths = INT_MAX;
	return csize > size ? -(int64_t)tenths : (int64_t)tenths;
}

/* The same in percent, rounded once more, as unzip does. */
static int percent_saved(uint64_t size, uint64_t csize)
{
	int64_t tenths = tenths_saved(size, csize);

	return (int)(tenths < 0 ? -((5 - tenths) / 10) : (tenths + 5) / 10);
}

static void list_row(struct unzip *u, const struct zip_entry *e)
{
	struct civil t;
	char method[8];
	struct buf row = buf_in(u->c->arena);

	zip_civil(e, u->zone, &t);
	if (u->verbose > 0) {
		buf_printf(&row, "%8llu  %-6s %8llu ", (unsigned long long)e->size,
			   method_name(e, method), (unsigned long long)zip_packed(e));
		buf_printf(&row, "%3d%% ", percent_saved(e->size, zip_packed(e)));
	} else {
		buf_printf(&row, "%9llu  ", (unsigned long long)e->size);
	}
	buf_printf(&row, "%04d-%02d-%02d %02d:%02d ", (int)t.year, t.month, t.day, t.hour,
		   t.minute);
	if (u->verbose > 0)
		buf_printf(&row, "%08x  ", e->crc);
	else
		buf_puts(&row, "  ");
	buf_printf(&row, "%s\n", e->name);
	cmd_bytes(u->c, buf_bytes(&row));
}

void unzip_list(struct unzip *u)
{
	uint64_t size = 0;
	uint64_t csize = 0;
	size_t files = 0;

	if (u->quiet < 2)
		cmd_puts(u->c,
			 u->verbose > 0
				 ? " Length   Method    Size  Cmpr    Date    Time   CRC-32   "
				   "Name\n--------  ------  ------- ---- ---------- -----"
				   " --------  ----\n"
				 : "  Length      Date    Time    Name\n"
				   "---------  ---------- -----   ----\n");
	for (size_t i = 0; i < u->z.n; i++) {
		const struct zip_entry *e = &u->z.entries[i];
		struct arena_mark mark = arena_mark(u->c->arena);

		if (!unzip_wanted(u, e))
			continue;
		list_row(u, e);
		arena_release(u->c->arena, mark);
		size += e->size;
		csize += zip_packed(e);
		files++;
		cmd_charge(u->c, 4);
	}
	if (u->quiet >= 2)
		return;
	const char *plural = files == 1 ? "" : "s";

	if (u->verbose > 0)
		cmd_printf(u->c,
			   "--------          -------  ---                            -------\n"
			   "%8llu         %8llu %3d%%                            %zu file%s\n",
			   (unsigned long long)size, (unsigned long long)csize,
			   percent_saved(size, csize), files, plural);
	else
		cmd_printf(u->c,
			   "---------                     -------\n"
			   "%9llu                     %zu file%s\n",
			   (unsigned long long)size, files, plural);
}

/* --- zipinfo --- */

static const char hosts[][4] = { "fat", "ami", "vms", "unx", "cms", "atr", "hpf",
				 "mac", "zzz", "cpm", "t20", "ntf", "qds", "aco",
				 "vft", "mvs", "be ", "nsk", "ths", "osx" };

static void put_mode(const struct zip_entry *e, struct buf *row)
{
	char mode[11];

	if (e->made_by >> 8 == ZIP_UNIX || e->made_by >> 8 == 19) {
		mode_text(e->external >> 16, mode);
		if ((e->external >> 16 & S_FMT) == 0)
			mode[0] = '?';
		buf_puts(row, mode);
		return;
	}
	buf_printf(row, "%s%s-%s%s     ", zip_is_dir(e) ? "d" : "-", e->external & 1 ? "r-" : "rw",
		   e->external & 2 ? "h" : "-", e->external & 4 ? "s" : "-");
	row->ptr[row->len - 1] = ' ';
}

static void put_method(const struct zip_entry *e, struct buf *row)
{
	static const char *const names[] = { "stor", "shrk", "re:1", "re:2",
					     "re:3", "re:4", "i4:2", "tokn" };
	static const char levels[] = "NXFS";

	if (e->method == ZIP_DEFLATED)
		buf_printf(row, "def%c", levels[e->flags >> 1 & 3]);
	else if (e->method < 8)
		buf_puts(row, names[e->method]);
	else
		buf_printf(row, "u%03x", e->method);
}

static void info_row(struct unzip *u, const struct zip_entry *e)
{
	static const char months[] = "???JanFebMarAprMayJunJulAugSepOctNovDec";
	struct buf row = buf_in(u->c->arena);
	unsigned version = e->made_by & 0xff;
	unsigned host = e->made_by >> 8;
	struct civil t;

	put_mode(e, &row);
	buf_printf(&row, "%3u.%u %s %8llu ", version / 10, version % 10,
		   host < sizeof hosts / sizeof hosts[0] ? hosts[host] : "???",
		   (unsigned long long)e->size);
	buf_putc(&row, e->internal & 1 ? (e->flags & 1 ? 'T' : 't') : (e->flags & 1 ? 'B' : 'b'));
	buf_putc(&row, e->extra.len > 0 ? (e->flags & ZIP_FLAG_DESCRIPTOR ? 'X' : 'x')
					: (e->flags & ZIP_FLAG_DESCRIPTOR ? 'l' : '-'));
	if (u->format == 'l')
		buf_printf(&row, " %8llu", (unsigned long long)e->csize);
	else if (u->format == 'm')
		buf_printf(&row, " %2d%%", percent_saved(e->size, zip_packed(e)));
	buf_putc(&row, ' ');
	put_method(e, &row);
	zip_civil(e, u->zone, &t);
	if (u->sortable)
		buf_printf(&row, " %04d%02d%02d.%02d%02d%02d ", (int)t.year, t.month, t.day, t.hour,
			   t.minute, t.second);
	else
		buf_printf(&row, " %02d-%.3s-%02d %02d:%02d ", (int)(t.year % 100),
			   months + 3 * (t.month >= 1 && t.month <= 12 ? t.month : 0), t.day,
			   t.hour, t.minute);
	buf_printf(&row, "%s\n", e->name);
	cmd_bytes(u->c, buf_bytes(&row));
}

static void put_share(struct buf *text, uint64_t size, uint64_t csize)
{
	int64_t tenths = tenths_saved(size, csize);
	long long shown = tenths < 0 ? -tenths : tenths;

	buf_printf(text, "%s%lld.%lld%%", csize > size ? "-" : "", shown / 10, shown % 10);
}

int zipinfo_run_file(struct unzip *u)
{
	bool names_only = u->format == '1' || u->format == '2';
	bool explicit = u->explicit_header || u->explicit_totals;
	bool selective = u->names.n > 0 || u->excluded.n > 0;
	bool rows = !explicit || u->format != 0;
	uint64_t size = 0;
	uint64_t csize = 0;
	size_t n = 0;

	if (u->format != '1' && (u->explicit_header || (!explicit && !names_only && !selective)))
		cmd_printf(u->c,
			   "Archive:  %s\nZip file size: %llu bytes, number of entries: %zu\n",
			   u->z.path, (unsigned long long)u->z.size, u->z.n);
	for (size_t i = 0; i < u->z.n; i++) {
		const struct zip_entry *e = &u->z.entries[i];
		struct arena_mark mark = arena_mark(u->c->arena);

		if (!unzip_wanted(u, e))
			continue;
		if (rows && names_only)
			cmd_printf(u->c, "%s\n", e->name);
		else if (rows)
			info_row(u, e);
		arena_release(u->c->arena, mark);
		size += e->size;
		csize += zip_packed(e);
		n++;
		cmd_charge(u->c, 4);
	}
	if (u->format == '1' || !(u->explicit_totals || (!explicit && !names_only && !selective)))
		return n == 0 && selective ? 11 : 0;
	struct buf text = buf_in(u->c->arena);

	buf_printf(&text, "%zu file%s, %llu bytes uncompressed, %llu bytes compressed:  ", n,
		   n == 1 ? "" : "s", (unsigned long long)size, (unsigned long long)csize);
	put_share(&text, size, csize);
	buf_putc(&text, '\n');
	cmd_bytes(u->c, buf_bytes(&text));
	return n == 0 && selective ? 11 : 0;
}
