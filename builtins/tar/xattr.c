/* SPDX-License-Identifier: MIT
 *
 * Extended attributes of files: records SCHILY.xattr.NAME of the members' headers.
 */
#include "base/glob.h"
#include "builtins/tar/tar.h"

static const struct bytes prefix = { "SCHILY.xattr.", 13 };

static bool matches(struct tar *t, const struct tar_mask *list, const char *name)
{
	for (; list != NULL; list = list->next) {
		cmd_charge(t->c, 1);
		if (glob_match(list->glob, t->c->arena, bytes_of(name)))
			return true;
	}
	return false;
}

/* Unless the options name some, all are stored, but only those of users come back. */
static bool is_wanted(struct tar *t, const char *name, bool extract)
{
	bool wanted = t->xattr_include != NULL ? matches(t, t->xattr_include, name)
					       : !extract || strncmp(name, "user.", 5) == 0;

	return wanted && !matches(t, t->xattr_exclude, name);
}

/* '=' ends a record's keyword. */
static char *encoded(struct tar *t, const char *name)
{
	struct buf out = buf_in(t->c->arena);

	buf_add(&out, prefix);
	for (; *name != '\0'; name++) {
		if (*name == '%' || *name == '=')
			buf_puts(&out, *name == '%' ? "%25" : "%3D");
		else
			buf_putc(&out, *name);
	}
	return buf_cstr(&out);
}

static char *decoded(struct tar *t, const char *name)
{
	struct buf out = buf_in(t->c->arena);

	while (*name != '\0') {
		bool equals = strncmp(name, "%3D", 3) == 0;
		bool known = equals || strncmp(name, "%25", 3) == 0;

		buf_putc(&out, equals ? '=' : *name);
		name += known ? 3 : 1;
	}
	return buf_cstr(&out);
}

static struct tar_xattr *new_xattr(struct tar *t, const char *name, struct bytes value)
{
	struct tar_xattr *x = arena_alloc(t->c->arena, sizeof *x);

	*x = (struct tar_xattr){ .name = name, .value = value };
	return x;
}

void xattr_take(struct tar *t, struct walk_entry *e, struct tar_member *m)
{
	struct tar_xattr **end = &m->xattrs;
	int flags = t->follow ? 0 : CMD_NOFOLLOW;
	struct bytes names;

	if (t->xattrs <= 0 || cmd_listxattr(t->c, e->dir, e->at, flags, &names) < 0)
		return;
	for (size_t at = 0; at < names.len; at += strlen(names.ptr + at) + 1) {
		const char *name = names.ptr + at;
		struct bytes value;

		cmd_charge(t->c, 1);
		if (!is_wanted(t, name, false) ||
		    cmd_getxattr(t->c, e->dir, e->at, flags, name, &value) < 0)
			continue;
		*end = new_xattr(t, name, value);
		end = &(*end)->next;
	}
}

void xattr_records(struct tar *t, const struct tar_member *m, struct buf *records)
{
	for (const struct tar_xattr *x = m->xattrs; x != NULL; x = x->next)
		pax_put(t, records, encoded(t, x->name), x->value);
}

bool xattr_read(struct tar *t, struct pax_values *v, const char *key, struct bytes value)
{
	struct tar_xattr *x;

	if (!bytes_starts(bytes_of(key), prefix))
		return false;
	x = new_xattr(t, decoded(t, key + prefix.len), value);
	*(v->xattrs != NULL ? &v->xattrs_end->next : &v->xattrs) = x;
	v->xattrs_end = x;
	return true;
}

bool xattr_any(struct tar *t, const struct tar_member *m)
{
	return t->xattrs > 0 && m->xattrs != NULL;
}

void xattr_list(struct tar *t, const struct tar_member *m, struct buf *out)
{
	if (t->xattrs <= 0)
		return;
	for (const struct tar_xattr *x = m->xattrs; x != NULL; x = x->next) {
		cmd_charge(t->c, 1);
		buf_printf(out, "  x: %llu ", (unsigned long long)x->value.len);
		tar_put_name(t, out, x->name);
		buf_putc(out, '\n');
	}
}

void xattr_restore(struct tar *t, const char *path, const struct tar_member *m)
{
	for (const struct tar_xattr *x = m->xattrs; x != NULL && t->xattrs > 0; x = x->next) {
		int err = 0;

		cmd_charge(t->c, 1);
		if (is_wanted(t, x->name, true))
			err = cmd_setxattr(t->c, path, CMD_NOFOLLOW, x->name, x->value);
		if (err < 0)
			tar_note(t, NOTE_XATTR,
				 "setxattrat: Cannot set '%s' extended attribute for file '%s': %s",
				 x->name, path, err_text(err));
	}
}

int tar_xattr_mask(struct cmd *c, const struct opt *o, const char *arg)
{
	struct tar *t = c->opts;
	struct tar_mask **list = o->value ? &t->xattr_include : &t->xattr_exclude;
	struct tar_mask *mask = arena_zalloc(c->arena, sizeof *mask);

	mask->glob = glob_compile(c->arena, bytes_of(arg), c->utf8 ? GLOB_UTF8 : 0);
	mask->next = *list;
	*list = mask;
	t->xattrs = 1;
	t->with_attributes = true;
	return 0;
}
