/* SPDX-License-Identifier: MIT
 *
 * The lines of -t and -v.
 */
#include "builtins/tar/tar.h"

#include "builtins/zone.h"

void tar_time_text(struct tar *t, struct buf *out, int64_t seconds, uint32_t ns, bool full)
{
	struct civil civil;

	if (t->zone == NULL)
		t->zone = t->utc ? zone_of_text(t->c->arena, "UTC0") : zone_of_command(t->c);
	time_civil(t->zone, seconds, &civil);
	time_format(out, full ? BYTES("%Y-%m-%d %H:%M:%S") : BYTES("%Y-%m-%d %H:%M"), &civil,
		    seconds, ns);
	if (full && ns != 0) {
		struct buf digits = buf_in(t->c->arena);

		buf_printf(&digits, "%09u", ns);
		while (digits.len > 0 && digits.ptr[digits.len - 1] == '0')
			digits.len--;
		buf_putc(out, '.');
		buf_add(out, buf_bytes(&digits));
	}
}

static char type_letter(char type)
{
	static const char types[] = "012345SLKVMNDx";
	static const char letters[] = "-hlcbp-LLVMNdX";
	const char *hit = type == '6' ? NULL : strchr(types, type);

	if (type == '5' || type == 'D')
		return 'd';
	if (type == '6')
		return 'p';
	if (hit == NULL || type == '\0')
		return '?';
	return letters[hit - types];
}

static void put_owner(struct tar *t, struct buf *out, const char *name, uint64_t id)
{
	if (name != NULL && *name != '\0' && !t->numeric)
		buf_puts(out, name);
	else
		buf_put_u64(out, id);
}

static void put_details(struct tar *t, const struct tar_member *m, struct buf *out)
{
	struct buf owner = buf_in(t->c->arena);
	struct buf size = buf_in(t->c->arena);
	char mode[11];

	mode_text(m->mode, mode);
	mode[0] = type_letter(m->type);
	put_owner(t, &owner, m->uname, m->uid);
	buf_putc(&owner, '/');
	put_owner(t, &owner, m->gname, m->gid);
	if (m->type == '3' || m->type == '4')
		buf_printf(&size, "%u,%u", m->major, m->minor);
	else
		buf_put_u64(&size, m->real);
	/* The column never becomes narrower again. */
	size_t pad = owner.len + size.len + 1;

	if (pad > t->width)
		t->width = pad;
	buf_puts(out, mode);
	if (t->xattrs > 0 || t->acls > 0 || t->selinux > 0)
		buf_putc(out, xattr_any(t, m) ? '*' : ' ');
	buf_printf(out, " %s ", buf_cstr(&owner));
	buf_fill(out, ' ', t->width - pad);
	buf_printf(out, "%s ", buf_cstr(&size));
	tar_time_text(t, out, m->mtime_s, m->mtime_ns, t->full_time);
	buf_putc(out, ' ');
}

static void put_link(struct tar *t, const struct tar_member *m, struct buf *out)
{
	if (m->type == '2') {
		buf_puts(out, " -> ");
		tar_put_name(t, out, m->link);
	} else if (m->type == '1') {
		buf_puts(out, " link to ");
		tar_put_name(t, out, m->link);
	} else if (m->type == 'V') {
		buf_puts(out, "--Volume Header--");
	} else if (m->type == 'M') {
		buf_printf(out, "--Continued at byte %llu--", (unsigned long long)m->offset);
	} else if (type_letter(m->type) == '?') {
		struct buf c = buf_in(t->c->arena);

		quote_put(&c, (struct bytes){ &m->type, 1 }, QUOTE_LOCALE, "", t->c->utf8);
		buf_printf(out, " unknown file type %s", buf_cstr(&c));
	}
}

void tar_list_line(struct tar *t, const struct tar_member *m, bool details)
{
	struct arena_mark mark = arena_mark(t->c->arena);
	struct buf out = buf_in(t->c->arena);

	if (t->block_numbers)
		buf_printf(&out, "block %llu: ", (unsigned long long)m->block);
	if (details)
		put_details(t, m, &out);
	if (t->show_transformed && m->type != 'V') {
		tar_put_name(t, &out, m->name);
		if (m->slash)
			buf_putc(&out, '/');
	} else {
		tar_put_name(t, &out, m->stored);
	}
	if (details)
		put_link(t, m, &out);
	buf_putc(&out, '\n');
	if (t->verbose > 2)
		xattr_list(t, m, &out);
	output_write(t->listing, out.ptr, out.len);
	arena_release(t->c->arena, mark);
}

void tar_list_member(struct tar *t, struct tar_member *m)
{
	tar_list_line(t, m, t->verbose > 1);
	if (t->incremental && t->verbose > 2 && tar_read_list(t, m))
		tar_show_list(t, m);
	tar_skip_data(t, m);
}
