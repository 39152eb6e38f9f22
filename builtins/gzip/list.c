/* SPDX-License-Identifier: MIT
 *
 * gzip -l: sizes and ratios.
 */
#include "builtins/gzip/gzip.h"

#include "builtins/zone.h"

/* In tenths of percent, rounded as printf rounds the quotient. */
void gzip_ratio(struct buf *text, int64_t num, int64_t den)
{
	double share = den != 0 ? 100.0 * (double)num / (double)den : 0;
	bool negative = share < 0;
	uint64_t tenths = (uint64_t)((negative ? -share : share) * 10 + 0.5);
	struct buf number = buf_in(text->arena);

	buf_printf(&number, "%s%llu.%llu", negative && tenths != 0 ? "-" : "",
		   (unsigned long long)tenths / 10, (unsigned long long)tenths % 10);
	buf_printf(text, "%5s%%", buf_cstr(&number));
}

static void put_heads(struct gzip *g)
{
	if (g->listed || g->quiet)
		return;
	if (g->verbose > 0)
		cmd_puts(g->c, "method  crc     date  time  ");
	cmd_puts(g->c, "         compressed        uncompressed  ratio uncompressed_name\n");
}

static void put_sizes(struct gzip *g, uint64_t in, uint64_t out, uint64_t head, const char *name)
{
	struct buf text = buf_in(g->c->arena);

	buf_printf(&text, "%19llu %19llu ", (unsigned long long)in, (unsigned long long)out);
	gzip_ratio(&text, (int64_t)out - (int64_t)(in - head), (int64_t)out);
	buf_printf(&text, " %s\n", name);
	cmd_bytes(g->c, buf_bytes(&text));
}

void gzip_list(struct gzip_job *j, const char *name)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct gzip *g = j->g;
	bool regular = (j->st.mode & S_FMT) == S_REG;
	uint64_t in = regular ? j->st.size : j->bytes_in;
	int64_t seconds = regular ? j->st.mtime_ns / 1000000000 : 0;
	struct civil t;

	if (!g->no_time && j->time != 0)
		seconds = j->time;
	put_heads(g);
	g->listed = true;
	if (g->verbose > 0) {
		if (g->zone == NULL)
			g->zone = zone_of_command(g->c);
		time_civil(g->zone, seconds, &t);
		cmd_printf(g->c, "%s %08x %.3s %2d %02d:%02d ",
			   j->format == GZIP_LZW ? "compr" : "defla",
			   j->format == GZIP_LZW ? 0xffffffff : j->crc, months + 3 * (t.month - 1),
			   t.day, t.hour, t.minute);
	}
	g->total_in += in;
	g->total_out += j->bytes_out;
	g->last_header = j->header_bytes;
	put_sizes(g, in, j->bytes_out, j->header_bytes, name);
}

void gzip_list_totals(struct gzip *g)
{
	if (!g->listed || g->quiet)
		return;
	if (g->verbose > 0)
		cmd_printf(g->c, "%28s", "");
	put_sizes(g, g->total_in, g->total_out, g->last_header, "(totals)");
}
