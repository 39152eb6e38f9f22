/* SPDX-License-Identifier: MIT
 *
 * rsync: what is said about entries, on standard output and in the file of --log-file.
 */
#include "builtins/rsync/rsync.h"

#include "builtins/zone.h"

static uint32_t kind(const struct vfs_stat *st)
{
	return st->mode & S_FMT;
}

/* --- the log --- */

void rsync_open_log(struct cmd *c, struct rsync_opts *o)
{
	if (o->log_file == NULL)
		return;
	int fd = cmd_open(c, CMD_CWD, o->log_file, O_WRONLY_ | O_CREAT_ | O_APPEND_ | O_CLOEXEC_,
			  0666);

	if (fd >= 0) {
		o->log_fd = fd;
		return;
	}
	struct buf line = buf_in(c->arena);

	buf_printf(&line,
		   "rsync: [client] failed to open log-file %s: %s (%d)\nIgnoring \"log file\" "
		   "setting.\n",
		   o->log_file, err_text(fd), -fd);
	cmd_err_write(c, line.ptr, line.len);
}

void rsync_log(struct cmd *c, const struct rsync_opts *o, struct bytes text)
{
	struct buf line = buf_in(c->arena);
	struct civil when;

	if (o->log_fd == 0)
		return;
	time_civil(zone_of_command(c), cmd_now(c) / NS, &when);
	time_format(&line, BYTES("%Y/%m/%d %H:%M:%S "), &when, 0, TIME_LIBC);
	buf_printf(&line, "[%d] ", cmd_pid(c));
	buf_add(&line, text);
	buf_putc(&line, '\n');
	int err = cmd_write_fd(c, o->log_fd, line.ptr, line.len);

	if (err < 0)
		cmd_fatal(c, err, "%s", o->log_file);
}

/* --- entries --- */

/* A name as reports have it: control characters, and bytes that are no UTF-8, as \#ooo. */
void rsync_name(struct cmd *c, const struct rsync_opts *o, struct buf *out, const char *name)
{
	struct bytes s = bytes_of(name);

	for (size_t at = 0; at < s.len;) {
		uint32_t code;
		size_t n = utf8_decode(s, at, &code);
		unsigned char ch = (unsigned char)s.ptr[at];
		bool plain = n > 1 ? c->utf8 && utf8_is(code, UTF8_PRINT)
				   : byte_is_print(ch) || ch == '\t' ||
					     (ch >= 0x80 && o->eight_bit);

		n = n == 0 || !plain ? 1 : n;
		if (plain)
			buf_put(out, s.ptr + at, n);
		else
			buf_printf(out, "\\#%03o", ch);
		at += n;
	}
}

/* --- reports --- */

static void put_flags(struct buf *out, const struct rsync_opts *o, const struct entry *e,
		      unsigned diff)
{
	uint32_t k = kind(&e->st);
	char type = k == S_DIR    ? 'd'
		    : k == S_LNK  ? 'L'
		    : k == S_REG  ? 'f'
		    : k == S_FIFO ? 'S'
				  : 'D';
	bool late = o->times && !(k == S_LNK && o->omit_link_times);
	char what = diff & DIFF_LINKED   ? 'h'
		    : diff & DIFF_COPIED ? '>'
		    : diff & DIFF_MADE   ? 'c'
					 : '.';

	buf_putc(out, what);
	buf_putc(out, type);
	if (diff & DIFF_NEW) {
		buf_puts(out, "+++++++++");
		return;
	}
	if ((diff & (DIFF_ATTRS | DIFF_COPIED | DIFF_MADE | DIFF_CHECKSUM | DIFF_SIZE)) == 0) {
		buf_puts(out, "         ");
		return;
	}
	buf_putc(out, diff & DIFF_CHECKSUM ? 'c' : '.');
	buf_putc(out, diff & DIFF_SIZE ? 's' : '.');
	buf_putc(out, diff & DIFF_TIME ? (late ? 't' : 'T') : '.');
	buf_putc(out, diff & DIFF_MODE ? 'p' : '.');
	buf_putc(out, diff & DIFF_OWNER ? 'o' : '.');
	buf_putc(out, diff & DIFF_GROUP ? 'g' : '.');
	buf_puts(out, diff & DIFF_XATTR ? "..x" : "...");
}

/* "name/", "name -> target", "name => the same file" */
static void put_name(struct updater *u, struct buf *out, const struct entry *e, const char *same)
{
	rsync_name(u->c, u->o, out, e->name);
	if (kind(&e->st) == S_DIR)
		buf_putc(out, '/');
	if (e->target != NULL && kind(&e->st) == S_LNK) {
		buf_puts(out, " -> ");
		rsync_name(u->c, u->o, out, e->target);
	}
	if (same != NULL) {
		buf_puts(out, " => ");
		rsync_name(u->c, u->o, out, same);
	}
}

static void put_format(struct updater *u, struct buf *out, const struct entry *e, unsigned diff,
		       const char *same)
{
	for (const char *at = u->o->out_format; *at != '\0'; at++) {
		if (*at != '%' || at[1] == '\0') {
			buf_putc(out, *at);
			continue;
		}
		switch (*++at) {
		case 'n':
			rsync_name(u->c, u->o, out, e->name);
			buf_puts(out, kind(&e->st) == S_DIR ? "/" : "");
			break;
		case 'i': put_flags(out, u->o, e, diff); break;
		case 'l': buf_put_u64(out, e->st.size); break;
		case 'f': rsync_name(u->c, u->o, out, e->path); break;
		case 'o': buf_puts(out, "send"); break;
		case 'L':
			if (e->target != NULL && kind(&e->st) == S_LNK)
				buf_printf(out, " -> %s", e->target);
			else if (same != NULL)
				buf_printf(out, " => %s", same);
			break;
		default: buf_putc(out, *at); break;
		}
	}
}

/* Whether a change is worth a line: with -i any, else data and what was made. */
static bool reported(const struct rsync_opts *o, const struct entry *e, unsigned diff)
{
	bool itemized = o->itemize > 0 ||
			(o->out_format != NULL && strstr(o->out_format, "%i") != NULL);
	bool local = (diff & (DIFF_NEW | DIFF_COPIED | DIFF_MADE | DIFF_LINKED)) != 0;

	if (o->quiet)
		return false;
	if (itemized)
		return o->itemize > 1 || local || (diff & DIFF_ATTRS) != 0;
	if (rsync_says(o, INFO_NAME) == 0 && o->out_format == NULL)
		return false;
	return local || (kind(&e->st) == S_DIR && (diff & DIFF_ATTRS) != 0);
}

/* The log has what differs, however little is said. */
static void log_entry(struct updater *u, const struct entry *e, unsigned diff, const char *same)
{
	struct buf line = buf_in(u->c->arena);

	if (u->o->log_fd == 0 || diff == 0)
		return;
	put_flags(&line, u->o, e, diff);
	buf_putc(&line, ' ');
	put_name(u, &line, e, same);
	rsync_log(u->c, u->o, buf_bytes(&line));
}

void rsync_report(struct updater *u, const struct entry *e, unsigned diff, const char *same)
{
	const struct rsync_opts *o = u->o;
	struct buf line = buf_in(u->c->arena);

	log_entry(u, e, diff, same);
	if (!reported(o, e, diff)) {
		if (rsync_says(o, INFO_NAME) > 1 && kind(&e->st) != S_DIR && diff == 0) {
			rsync_name(u->c, o, &line, e->name);
			buf_puts(&line, " is uptodate\n");
			cmd_bytes(u->c, buf_bytes(&line));
		}
		return;
	}
	if (o->out_format != NULL) {
		put_format(u, &line, e, diff, same);
	} else {
		if (o->itemize > 0) {
			put_flags(&line, o, e, diff);
			buf_putc(&line, ' ');
		}
		put_name(u, &line, e, same);
	}
	buf_putc(&line, '\n');
	cmd_bytes(u->c, buf_bytes(&line));
	u->totals.sent += line.len + 20;
}

static void put_grouped(struct buf *out, uint64_t number)
{
	char digits[20];
	size_t n = num_format_u64(number, digits);

	for (size_t i = 0; i < n; i++) {
		buf_putc(out, digits[i]);
		if ((n - i) % 3 == 1 && i + 1 < n)
			buf_putc(out, ',');
	}
}

/* How far it is: twice, since the real one says it before it knows that the file is done. */
static void put_progress(struct updater *u, uint64_t done, uint64_t all, const char *end)
{
	struct buf size = buf_in(u->c->arena);
	struct buf text = buf_in(u->c->arena);
	uint64_t percent = all == 0                  ? 100
			   : done > UINT64_MAX / 100 ? done / (all / 100)
						     : done * 100 / all;

	put_grouped(&size, done);
	for (int i = 0; i < 2; i++)
		buf_printf(&text, "\r%15s %3llu%%    0.00kB/s    0:00:00%s", buf_cstr(&size),
			   (unsigned long long)percent, i == 0 ? "  " : "");
	buf_printf(&text, " (xfr#%llu, to-chk=%zu/%zu)%s",
		   (unsigned long long)u->totals.transferred, u->list->n - u->done - 1, u->list->n,
		   end);
	cmd_bytes(u->c, buf_bytes(&text));
}

void rsync_progress(struct updater *u, const struct entry *e)
{
	if (rsync_says(u->o, INFO_PROGRESS) > 1)
		put_progress(u, u->totals.transferred_size, u->list->size, "");
	else
		put_progress(u, e->st.size, e->st.size, "\n");
}

void rsync_report_deleted(struct updater *u, const char *name, bool dir)
{
	struct buf line = buf_in(u->c->arena);

	u->totals.deleted++;
	if (u->o->log_fd != 0) {
		buf_puts(&line, "*deleting   ");
		rsync_name(u->c, u->o, &line, name);
		buf_puts(&line, dir ? "/" : "");
		rsync_log(u->c, u->o, buf_bytes(&line));
		line.len = 0;
	}
	if ((rsync_says(u->o, INFO_DEL) == 0 && rsync_says(u->o, INFO_NAME) == 0 &&
	     u->o->itemize == 0 && u->o->out_format == NULL) ||
	    u->o->quiet)
		return;
	buf_puts(&line, u->o->itemize > 0 ? "*deleting   " : "deleting ");
	rsync_name(u->c, u->o, &line, name);
	buf_puts(&line, dir ? "/\n" : "\n");
	cmd_bytes(u->c, buf_bytes(&line));
}
