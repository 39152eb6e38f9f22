/* SPDX-License-Identifier: MIT
 *
 * ls: the long format.
 */
#include "base/time.h"
#include "builtins/ls/ls.h"

enum { OWNER, GROUP, AUTHOR, LINKS, SIZE, MINOR, TIME, FIELDS };

/* One line's fields as text. */
struct row {
	struct bytes field[FIELDS];
};

static struct bytes number_text(struct cmd *c, uint64_t v)
{
	char text[20];
	size_t len = num_format_u64(v, text);

	return arena_bytes(c->arena, (struct bytes){ text, len });
}

static struct bytes owner_text(struct cmd *c, const struct ls_opts *o, uint32_t id, bool group)
{
	const char *name = o->numeric_ids ? NULL
			   : group        ? cmd_group_name(c, id)
					  : cmd_user_name(c, id);

	return name != NULL ? arena_bytes(c->arena, bytes_of(name)) : number_text(c, id);
}

static struct bytes time_text(struct cmd *c, const struct ls_opts *o, const struct ls_entry *e)
{
	struct buf out = buf_in(c->arena);
	struct civil civil;
	int64_t ns = ls_time_of(o, e);
	int64_t seconds = ns / 1000000000 - (ns % 1000000000 < 0);
	int64_t half_year = (int64_t)31556952 / 2 * 1000000000;
	bool recent = ns <= o->now_ns && ns > o->now_ns - half_year;

	time_civil(o->zone, seconds, &civil);
	time_format(&out, bytes_of(recent ? o->recent : o->old), &civil, seconds,
		    (uint32_t)(ns - seconds * 1000000000));
	return buf_bytes(&out);
}

/* Of the default form, in which an unknown time stands. */
enum { TIME_WIDTH = 12 };

static bool is_device(const struct ls_entry *e)
{
	return (e->st.mode & S_FMT) == S_CHR || (e->st.mode & S_FMT) == S_BLK;
}

static struct row make_row(struct cmd *c, const struct ls_opts *o, const struct ls_entry *e)
{
	struct row r;
	char text[32];

	for (int i = 0; i < FIELDS; i++)
		r.field[i] = BYTES("");
	if (!e->has_stat) {
		r.field[LINKS] = r.field[SIZE] = r.field[OWNER] = r.field[GROUP] = BYTES("?");
		r.field[AUTHOR] = r.field[TIME] = BYTES("?");
		return r;
	}
	r.field[LINKS] = number_text(c, e->st.nlink);
	r.field[OWNER] = owner_text(c, o, e->st.uid, false);
	r.field[AUTHOR] = r.field[OWNER];
	r.field[GROUP] = owner_text(c, o, e->st.gid, true);
	if (is_device(e)) {
		r.field[SIZE] = number_text(c, e->st.rdev >> 8);
		r.field[MINOR] = number_text(c, e->st.rdev & 0xff);
	} else {
		size_t len = ls_size_text(o, e->st.size, text);

		r.field[SIZE] = arena_bytes(c->arena, (struct bytes){ text, len });
	}
	r.field[TIME] = time_text(c, o, e);
	return r;
}

static void pad(struct cmd *c, size_t len, size_t width)
{
	for (; len < width; len++)
		cmd_putc(c, ' ');
}

static void put_left(struct cmd *c, struct bytes s, size_t width)
{
	cmd_bytes(c, s);
	pad(c, s.len, width);
	cmd_putc(c, ' ');
}

static void put_right(struct cmd *c, struct bytes s, size_t width)
{
	pad(c, s.len, width);
	cmd_bytes(c, s);
	cmd_putc(c, ' ');
}

static void put_row(struct cmd *c, struct ls_opts *o, const struct ls_entry *e, const struct row *r,
		    const size_t width[FIELDS])
{
	char mode[11];

	mode_text(e->st.mode, mode);
	if (!e->has_stat) {
		memset(mode + 1, '?', 9);
		mode[0] = mode[0] == '-' ? '?' : mode[0];
	}
	cmd_puts(c, mode);
	cmd_putc(c, ' ');
	put_right(c, r->field[LINKS], width[LINKS]);
	if (!o->no_owner)
		put_left(c, r->field[OWNER], width[OWNER]);
	if (!o->no_group)
		put_left(c, r->field[GROUP], width[GROUP]);
	if (o->author)
		put_left(c, r->field[AUTHOR], width[AUTHOR]);
	if (o->context)
		cmd_puts(c, "? ");
	if (is_device(e)) {
		size_t room = width[SIZE];

		pad(c, r->field[SIZE].len + width[MINOR] + 2, room);
		cmd_bytes(c, r->field[SIZE]);
		cmd_puts(c, ", ");
		put_right(c, r->field[MINOR], width[MINOR]);
	} else {
		put_right(c, r->field[SIZE], width[SIZE]);
	}
	put_right(c, r->field[TIME], e->has_stat ? 0 : TIME_WIDTH);
	ls_put_name(c, o, e);
	ls_put_target(c, o, e);
	ls_end_line(c, o);
}

/* The field of sizes also holds "major, minor". */
static void widen_for_devices(const struct ls_list *l, const struct row *rows, size_t width[FIELDS])
{
	size_t major = 0;

	for (size_t i = 0; i < l->n + l->behind; i++)
		if (is_device(&l->entry[i]) && rows[i].field[SIZE].len > major)
			major = rows[i].field[SIZE].len;
	if (major > 0 && major + 2 + width[MINOR] > width[SIZE])
		width[SIZE] = major + 2 + width[MINOR];
}

void ls_put_long(struct cmd *c, struct ls_opts *o, struct ls_list *l)
{
	struct row *rows = arena_array(c->arena, l->n + l->behind + 1, sizeof(*rows));
	size_t width[FIELDS] = { 0 };
	size_t inode = 0;
	size_t blocks = 0;
	char text[32];

	for (size_t i = 0; i < l->n + l->behind; i++) {
		rows[i] = make_row(c, o, &l->entry[i]);
		for (int k = 0; k < FIELDS; k++)
			if (rows[i].field[k].len > width[k])
				width[k] = rows[i].field[k].len;
		size_t ino_len = num_format_u64(l->entry[i].st.ino, text);
		size_t blk_len = ls_blocks_text(o, l->entry[i].st.blocks, text);

		inode = ino_len > inode ? ino_len : inode;
		blocks = blk_len > blocks ? blk_len : blocks;
	}
	widen_for_devices(l, rows, width);
	for (size_t i = 0; i < l->n; i++) {
		ls_put_prefix(c, o, &l->entry[i], inode, blocks);
		put_row(c, o, &l->entry[i], &rows[i], width);
	}
}
