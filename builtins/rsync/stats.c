/* SPDX-License-Identifier: MIT
 *
 * rsync: what is counted and told at the end.
 */
#include "builtins/rsync/rsync.h"

/* 1,234,567, or with -h 1.23M. */
void rsync_number(struct buf *out, const struct rsync_opts *o, uint64_t n)
{
	static const char units[] = "KMGTP";
	char digits[20];
	size_t len = num_format_u64(n, digits);
	uint64_t unit = 1000;
	size_t k = 0;

	if (o->human && n >= 1000) {
		while (k < 4 && n / unit >= 1000) {
			unit *= 1000;
			k++;
		}
		uint64_t hundredths = n / (unit / 100);

		buf_printf(out, "%llu.%02llu%c", (unsigned long long)(hundredths / 100),
			   (unsigned long long)(hundredths % 100), units[k]);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		buf_putc(out, digits[i]);
		if ((len - i) % 3 == 1 && i + 1 < len)
			buf_putc(out, ',');
	}
}

static void put_ratio(struct buf *out, const struct rsync_opts *o, uint64_t a, uint64_t b)
{
	uint64_t hundredths = a * 100 / (b > 0 ? b : 1);

	rsync_number(out, o, hundredths / 100);
	buf_printf(out, ".%02llu", (unsigned long long)(hundredths % 100));
}

/* "12 (reg: 6, dir: 5, link: 1)" */
static void put_counts(struct cmd *c, const char *what, const uint64_t count[4])
{
	static const char *const names[] = { "reg", "dir", "link", "special" };
	struct buf line = buf_in(c->arena);
	uint64_t sum = count[0] + count[1] + count[2] + count[3];
	bool first = true;

	buf_printf(&line, "%s: ", what);
	rsync_number(&line, ((struct rsync_opts *)c->opts), sum);
	for (int i = 0; i < 4; i++) {
		if (count[i] == 0)
			continue;
		buf_printf(&line, "%s%s: ", first ? " (" : ", ", names[i]);
		rsync_number(&line, ((struct rsync_opts *)c->opts), count[i]);
		first = false;
	}
	buf_puts(&line, first ? "\n" : ")\n");
	cmd_bytes(c, buf_bytes(&line));
}

static void put_line(struct cmd *c, const char *what, uint64_t n, const char *unit)
{
	struct buf line = buf_in(c->arena);

	buf_printf(&line, "%s: ", what);
	rsync_number(&line, ((struct rsync_opts *)c->opts), n);
	buf_printf(&line, "%s\n", unit);
	cmd_bytes(c, buf_bytes(&line));
}

static void put_stats(struct cmd *c, const struct updater *u)
{
	const struct totals *t = &u->totals;
	uint64_t all[4] = { 0 };

	for (size_t i = 0; i < u->list->n; i++) {
		uint32_t k = u->list->entry[i]->st.mode & S_FMT;

		all[k == S_REG ? 0 : k == S_DIR ? 1 : k == S_LNK ? 2 : 3]++;
	}
	cmd_putc(c, '\n');
	put_counts(c, "Number of files", all);
	put_counts(c, "Number of created files", t->created);
	put_line(c, "Number of deleted files", t->deleted, "");
	put_line(c, "Number of regular files transferred", t->transferred, "");
	put_line(c, "Total file size", u->list->size, " bytes");
	put_line(c, "Total transferred file size", t->transferred_size, " bytes");
	put_line(c, "Literal data", t->literal, " bytes");
	put_line(c, "Matched data", 0, " bytes");
	put_line(c, "File list size", 0, "");
	cmd_puts(c, "File list generation time: 0.001 seconds\n"
		    "File list transfer time: 0.000 seconds\n");
	put_line(c, "Total bytes sent", t->sent, "");
	put_line(c, "Total bytes received", t->received, "");
}

static void put_summary(struct cmd *c, const struct updater *u)
{
	const struct rsync_opts *o = u->o;
	uint64_t both = u->totals.sent + u->totals.received;
	struct buf line = buf_in(c->arena);

	buf_puts(&line, "\nsent ");
	rsync_number(&line, o, u->totals.sent);
	buf_puts(&line, " bytes  received ");
	rsync_number(&line, o, u->totals.received);
	buf_puts(&line, " bytes  ");
	put_ratio(&line, o, both * 2, 1);
	buf_puts(&line, " bytes/sec\ntotal size is ");
	rsync_number(&line, o, u->list->size);
	buf_puts(&line, "  speedup is ");
	put_ratio(&line, o, u->list->size, both);
	buf_puts(&line, o->dry_run ? " (DRY RUN)\n" : "\n");
	cmd_bytes(c, buf_bytes(&line));
}

/* The log's end. */
static void log_totals(struct cmd *c, const struct updater *u)
{
	struct buf line = buf_in(c->arena);

	buf_puts(&line, "sent ");
	rsync_number(&line, u->o, u->totals.sent);
	buf_puts(&line, " bytes  received ");
	rsync_number(&line, u->o, u->totals.received);
	buf_puts(&line, " bytes  total size ");
	rsync_number(&line, u->o, u->list->size);
	rsync_log(c, u->o, buf_bytes(&line));
}

int rsync_end(struct cmd *c, const struct updater *u)
{
	const struct rsync_opts *o = u->o;
	bool partial = u->status != 0 || u->list->failed;

	if (rsync_says(o, INFO_PROGRESS) > 1 && u->totals.transferred > 0 && !o->dry_run)
		cmd_putc(c, '\n');
	if (o->verbose > 1 && !o->quiet) {
		struct buf line = buf_in(c->arena);

		buf_puts(&line, "total: matches=0  hash_hits=0  false_alarms=0 data=");
		rsync_number(&line, o, u->totals.literal);
		buf_putc(&line, '\n');
		cmd_bytes(c, buf_bytes(&line));
	}
	if (rsync_says(o, INFO_STATS) > 1)
		put_stats(c, u);
	if (rsync_says(o, INFO_STATS) > 0)
		put_summary(c, u);
	log_totals(c, u);
	if (u->totals.kept > 0) {
		struct buf line = buf_in(c->arena);

		cmd_flush(c);
		buf_printf(&line, "Deletions stopped due to --max-delete limit (%llu skipped)\n",
			   (unsigned long long)u->totals.kept);
		cmd_err_write(c, line.ptr, line.len);
	}
	return rsync_finish(c, partial ? RSYNC_PARTIAL : u->totals.kept > 0 ? RSYNC_DELETES : 0);
}
