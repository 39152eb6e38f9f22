/* SPDX-License-Identifier: MIT
 *
 * Pairs of files and of directories: what is compared with what, and what is said about it.
 */
#include "base/glob.h"
#include "builtins/diff/diff.h"

enum { BINARY_WINDOW = 4096, LARGE_BYTES = 1 << 20, STACK_NEEDED = 24576, DEPTH_MAX = 2100 };

struct pair {
	struct cmd *c;
	const struct diff_opts *o;
	const char *name[2];
	struct vfs_stat st[2];
	bool absent[2];
	int depth;
};

static int compare_pair(struct pair *p);

/* --- two files --- */

bool diff_looks_binary(struct bytes s)
{
	return memchr(s.ptr, '\0', s.len < BINARY_WINDOW ? s.len : BINARY_WINDOW) != NULL;
}

static void put_command(const struct pair *p)
{
	if (p->depth == 0)
		return;
	cmd_printf(p->c, "diff%s %s %s\n", p->o->switches, diff_quote(p->c, p->name[0]),
		   diff_quote(p->c, p->name[1]));
}

static const char *label_of(const struct pair *p, int i)
{
	return p->o->label[i] != NULL ? p->o->label[i] : p->name[i];
}

/* A line about a whole file; with -l they stand behind all pages. */
__attribute__((format(printf, 2, 3))) static void say(const struct pair *p, const char *format, ...)
{
	struct diff_opts *o = p->c->opts;
	struct buf text = buf_in(p->c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	output_write(o->paginate ? &o->late : &p->c->out, text.ptr, text.len);
}

static int say_same(const struct pair *p)
{
	if (p->o->same)
		say(p, "Files %s and %s are identical\n", label_of(p, 0), label_of(p, 1));
	return 0;
}

static int say_different(const struct pair *p, const char *what)
{
	say(p, "%s %s and %s differ\n", what, label_of(p, 0), label_of(p, 1));
	return 1;
}

/* -l: what is written goes through pr until end_pages. */
struct pages {
	int pid;
	int old_fd;
};

static void begin_pages(const struct pair *p, struct pages *pages)
{
	static char pr[] = "/usr/bin/pr";
	static char flag[] = "-h";
	struct cmd *c = p->c;
	struct buf title = buf_in(c->arena);
	int ends[2];

	buf_printf(&title, "diff%s %s %s", p->o->switches, diff_quote(c, label_of(p, 0)),
		   diff_quote(c, label_of(p, 1)));
	char *argv[] = { pr, flag, buf_cstr(&title), NULL };
	int err = cmd_pipe(c, ends);

	if (err < 0)
		cmd_fatal(c, err, "pipe");
	const int fds[3] = { ends[0], 1, 2 };

	pages->pid = cmd_spawn(c, &(struct cmd_program){ .argv = argv, .fds = fds, .nfds = 3 });
	if (pages->pid < 0)
		cmd_fatal(c, pages->pid, "%s", pr);
	cmd_close(c, ends[0]);
	pages->old_fd = c->out.fd;
	c->out.fd = ends[1];
}

static void end_pages(const struct pair *p, const struct pages *pages)
{
	struct cmd *c = p->c;

	cmd_flush(c);
	cmd_close(c, c->out.fd);
	c->out.fd = pages->old_fd;
	if (cmd_wait_end(c, pages->pid) != 0)
		cmd_fatal(c, 0, "subsidiary program '/usr/bin/pr' failed");
}

static void put_style(const struct pair *p, struct diff *d)
{
	switch (p->o->style) {
	case DIFF_CONTEXT: diff_put_context(d); break;
	case DIFF_UNIFIED: diff_put_unified(d); break;
	case DIFF_SIDE: diff_put_side(d); break;
	case DIFF_FORMAT: diff_put_format(d); break;
	case DIFF_NORMAL: diff_put_normal(d); break;
	default: diff_put_script(d);
	}
}

static void put_pair(const struct pair *p, struct diff *d)
{
	struct pages pages = { 0 };

	diff_prepare_colors(p->c, p->c->opts);
	if (p->o->paginate)
		begin_pages(p, &pages);
	else if (d->nchanges > 0 || !p->o->suppress_common)
		put_command(p);
	put_style(p, d);
	if (p->o->paginate)
		end_pages(p, &pages);
}

static int put_changes(const struct pair *p, struct diff *d)
{
	if (p->o->brief)
		return say_different(p, "Files");
	put_pair(p, d);
	return 1;
}

/* ed has no way to say that a file does not end in a newline. */
static int say_unended(const struct pair *p, const struct diff *d)
{
	int status = 0;

	for (int i = 0; i < 2 && (p->o->style == DIFF_ED || p->o->style == DIFF_FORWARD_ED); i++)
		if (d->file[i].unended)
			status = cmd_error(p->c, 0, "%s: No newline at end of file\n",
					   label_of(p, i));
	return status;
}

/* Whether files without changes are shown at all. */
static bool shows_same(const struct diff_opts *o)
{
	return !o->brief &&
	       (o->style == DIFF_SIDE || (o->style == DIFF_FORMAT && diff_formats_show_same(o)));
}

static int compare_texts(const struct pair *p, struct bytes text[2])
{
	const struct diff_opts *o = p->o;
	struct diff *d = arena_zalloc(p->c->arena, sizeof(*d));
	bool same_bytes = bytes_eq(text[0], text[1]);
	bool ignoring = o->space != 0 || o->fold || o->blank_lines || o->ignore_lines != NULL ||
			o->strip_cr;

	cmd_charge_bytes(p->c, text[0].len);
	if (same_bytes && !shows_same(o))
		return say_same(p);
	if (!o->text && (diff_looks_binary(text[0]) || diff_looks_binary(text[1])))
		return same_bytes ? say_same(p)
				  : say_different(p, o->brief ? "Files" : "Binary files");
	if (o->brief && !ignoring)
		return same_bytes ? say_same(p) : say_different(p, "Files");
	d->c = p->c;
	d->o = o;
	for (int i = 0; i < 2; i++) {
		d->file[i].name = p->name[i];
		d->file[i].absent = p->absent[i];
		d->file[i].st = p->st[i];
		d->file[i].all = text[i];
	}
	diff_find_changes(d);
	int status = diff_matters(d) ? put_changes(p, d) : 0;

	if (status == 0 && shows_same(o))
		put_pair(p, d);
	if (say_unended(p, d) != 0)
		return 2;
	return status == 0 ? say_same(p) : status;
}

static int read_side(const struct pair *p, int i, struct bytes *out)
{
	*out = BYTES("");
	if (p->absent[i])
		return 0;
	int err = cmd_read_all(p->c, p->name[i], out);

	return err < 0 ? cmd_error(p->c, err, "%s", p->name[i]) : 0;
}

static bool same_file(const struct pair *p)
{
	const struct vfs_stat *a = &p->st[0];
	const struct vfs_stat *b = &p->st[1];

	return !p->absent[0] && !p->absent[1] && a->dev == b->dev && a->ino == b->ino &&
	       (a->mode & S_FMT) == S_REG;
}

/* --- large files that are no text: they need not fit into memory --- */

static bool begins_binary(const struct pair *p, int i)
{
	char *window = arena_alloc(p->c->arena, BINARY_WINDOW);
	int fd = cmd_open(p->c, CMD_CWD, p->name[i], O_RDONLY_ | O_CLOEXEC_, 0);
	int64_t n = fd >= 0 ? cmd_pread(p->c, fd, window, BINARY_WINDOW, 0) : 0;

	if (fd >= 0)
		cmd_close(p->c, fd);
	return n > 0 && diff_looks_binary((struct bytes){ window, (size_t)n });
}

static bool is_regular(const struct pair *p, int i)
{
	return !p->absent[i] && (p->st[i].mode & S_FMT) == S_REG;
}

static bool is_large_binary(const struct pair *p)
{
	bool large = false;
	bool binary = false;

	for (int i = 0; i < 2; i++) {
		if (strcmp(p->name[i], "-") == 0)
			return false;
		large |= is_regular(p, i) && p->st[i].size >= LARGE_BYTES;
	}
	for (int i = 0; i < 2 && large && !p->o->text; i++)
		binary |= is_regular(p, i) && begins_binary(p, i);
	return binary;
}

/* 1 or 0, or a negative error of the file *bad. */
static int same_bytes(const struct pair *p, struct input in[2], int *bad)
{
	struct bytes left[2] = { { NULL, 0 }, { NULL, 0 } };

	for (;;) {
		size_t n;

		for (int i = 0; i < 2; i++) {
			int got = left[i].len == 0 ? input_block(&in[i], &left[i]) : 1;

			*bad = i;
			if (got < 0)
				return got;
			if (got == 0)
				left[i].len = 0;
		}
		n = left[0].len < left[1].len ? left[0].len : left[1].len;
		if (n == 0)
			return left[0].len == left[1].len;
		cmd_charge_bytes(p->c, n);
		if (memcmp(left[0].ptr, left[1].ptr, n) != 0)
			return 0;
		for (int i = 0; i < 2; i++)
			left[i] = bytes_slice(left[i], n, left[i].len);
	}
}

/* Whether their sizes, or that one is not there, say that they differ. */
static bool sizes_differ(const struct pair *p)
{
	if (p->absent[0] || p->absent[1])
		return true;
	return is_regular(p, 0) && is_regular(p, 1) && p->st[0].size != p->st[1].size;
}

static int compare_binary(const struct pair *p)
{
	struct input in[2];
	int same = 0;
	int bad = 0;

	if (!sizes_differ(p)) {
		for (int i = 0; i < 2; i++) {
			int err = input_open(&in[i], p->c, p->name[i]);

			if (err < 0) {
				cmd_error(p->c, err, "%s", p->name[i]);
				return 2;
			}
		}
		same = same_bytes(p, in, &bad);
		input_close(&in[0]);
		input_close(&in[1]);
	}
	if (same < 0) {
		cmd_error(p->c, same, "%s", p->name[bad]);
		return 2;
	}
	return same != 0 ? say_same(p) : say_different(p, p->o->brief ? "Files" : "Binary files");
}

static int compare_files(const struct pair *p)
{
	struct arena_mark mark = arena_mark(p->c->arena);
	struct bytes text[2];
	int status = 0;

	bool both_input = strcmp(p->name[0], "-") == 0 && strcmp(p->name[1], "-") == 0;

	if ((both_input || same_file(p)) && !shows_same(p->o))
		return say_same(p);
	if (is_large_binary(p))
		return compare_binary(p);
	if (read_side(p, 0, &text[0]) != 0)
		status = 2;
	if (both_input)
		text[1] = text[0];
	else if (read_side(p, 1, &text[1]) != 0)
		status = 2;
	if (status == 0)
		status = compare_texts(p, text);
	/* The arena can only go back if no regular expression grew in it. */
	if (p->o->ignore_lines == NULL && p->o->function == NULL && p->o->nexclude == 0)
		arena_release(p->c->arena, mark);
	return status;
}

/* --- two directories --- */

struct names {
	struct vfs_dirent *entry;
	size_t n;
	size_t at;
};

static bool excluded(const struct pair *p, struct bytes name)
{
	for (size_t i = 0; i < p->o->nexclude; i++) {
		cmd_charge(p->c, 1);
		if (glob_match(p->o->exclude_glob[i], p->c->arena, name))
			return true;
	}
	return false;
}

static int compare_names(const struct diff_opts *o, struct bytes a, struct bytes b)
{
	size_t len = a.len < b.len ? a.len : b.len;

	for (size_t i = 0; o->fold_names && i < len; i++) {
		int order = byte_to_lower((unsigned char)a.ptr[i]) -
			    byte_to_lower((unsigned char)b.ptr[i]);

		if (order != 0)
			return order;
	}
	if (o->fold_names)
		return a.len < b.len ? -1 : a.len > b.len;
	return bytes_cmp(a, b);
}

static int list_side(const struct pair *p, int i, struct names *out)
{
	*out = (struct names){ NULL, 0, 0 };
	if (p->absent[i])
		return 0;
	int err = cmd_list(p->c, CMD_CWD, p->name[i], p->c->arena, &out->entry, &out->n);

	if (err < 0)
		return cmd_error(p->c, err, "%s", p->name[i]);
	/* Insertion: byte order is nearly the order without case. */
	for (size_t k = 1; p->o->fold_names && k < out->n; k++) {
		struct vfs_dirent e = out->entry[k];
		size_t at = k;

		for (; at > 0 && compare_names(p->o, out->entry[at - 1].name, e.name) > 0; at--)
			out->entry[at] = out->entry[at - 1];
		out->entry[at] = e;
		cmd_charge(p->c, k - at + 1);
	}
	return 0;
}

static const char *join_path(struct cmd *c, const char *dir, struct bytes name)
{
	struct buf path = buf_in(c->arena);
	size_t len = strlen(dir);

	buf_put(&path, dir, len);
	if (len > 0 && dir[len - 1] != '/')
		buf_putc(&path, '/');
	buf_add(&path, name);
	return buf_cstr(&path);
}

static int say_only(const struct pair *p, int i, struct bytes name)
{
	size_t len = strlen(p->name[i]);

	while (len > 1 && p->name[i][len - 1] == '/')
		len--;
	say(p, "Only in %.*s: %.*s\n", (int)len, p->name[i], (int)name.len, name.ptr);
	return 1;
}

static int stat_side(struct pair *p, int i)
{
	if (p->absent[i])
		return 0;
	int err = p->o->no_dereference ? cmd_lstat(p->c, p->name[i], &p->st[i])
				       : cmd_stat(p->c, p->name[i], &p->st[i]);

	return err < 0 ? cmd_error(p->c, err, "%s", p->name[i]) : 0;
}

/* An entry that both (or, with -N, one) of the directories have. */
static int compare_entry(const struct pair *p, const struct vfs_dirent *a,
			 const struct vfs_dirent *b)
{
	struct pair inner = { .c = p->c, .o = p->o, .depth = p->depth + 1 };
	struct bytes name = a != NULL ? a->name : b->name;
	bool fill = p->o->new_file || (p->o->new_first && a == NULL);

	if (a == NULL && !fill)
		return say_only(p, 1, name);
	if (b == NULL && !fill)
		return say_only(p, 0, name);
	inner.absent[0] = a == NULL;
	inner.absent[1] = b == NULL;
	inner.name[0] = join_path(p->c, p->name[0], a != NULL ? a->name : name);
	inner.name[1] = join_path(p->c, p->name[1], b != NULL ? b->name : name);
	int status = stat_side(&inner, 0);
	int other = stat_side(&inner, 1);

	if (status != 0 || other != 0)
		return 2;
	return compare_pair(&inner);
}

static int compare_dirs(const struct pair *p)
{
	struct names side[2];
	int status = 0;

	for (int i = 0; i < 2; i++)
		if (list_side(p, i, &side[i]) != 0)
			return 2;
	while (side[0].at < side[0].n || side[1].at < side[1].n) {
		const struct vfs_dirent *a = side[0].at < side[0].n ? &side[0].entry[side[0].at]
								    : NULL;
		const struct vfs_dirent *b = side[1].at < side[1].n ? &side[1].entry[side[1].at]
								    : NULL;
		int order = a == NULL ? 1 : b == NULL ? -1 : compare_names(p->o, a->name, b->name);
		struct bytes name = order <= 0 ? a->name : b->name;

		side[0].at += order <= 0;
		side[1].at += order >= 0;
		cmd_charge(p->c, 1);
		if (excluded(p, name) ||
		    (p->depth == 0 && p->o->start_file != NULL &&
		     compare_names(p->o, name, bytes_of(p->o->start_file)) < 0))
			continue;
		int one = compare_entry(p, order <= 0 ? a : NULL, order >= 0 ? b : NULL);

		status = one > status ? one : status;
	}
	return status;
}

/* --- any two --- */

static const char *type_of(const struct vfs_stat *st)
{
	return mode_type_text(st);
}

static int say_types(const struct pair *p)
{
	say(p, "File %s is a %s while file %s is a %s\n", p->name[0], type_of(&p->st[0]),
	    p->name[1], type_of(&p->st[1]));
	return 1;
}

static int compare_links(const struct pair *p)
{
	struct bytes target[2];

	for (int i = 0; i < 2; i++) {
		int err = cmd_readlink(p->c, CMD_CWD, p->name[i], &target[i]);

		if (err < 0)
			return cmd_error(p->c, err, "%s", p->name[i]);
	}
	return bytes_eq(target[0], target[1]) ? 0 : say_different(p, "Symbolic links");
}

static bool is_type(const struct pair *p, int i, uint32_t type)
{
	return (p->st[i].mode & S_FMT) == type;
}

static int compare_pair_now(void *arg)
{
	struct pair *p = arg;

	for (int i = 0; i < 2; i++)
		if (p->absent[i])
			p->st[i].mode = p->st[1 - i].mode;
	if (is_type(p, 0, S_DIR) && is_type(p, 1, S_DIR)) {
		if (p->o->style == DIFF_FORMAT)
			return cmd_error(p->c, 0, "-D option not supported with directories");
		if (p->depth == 0 || p->o->recursive)
			return p->depth < DEPTH_MAX
				       ? compare_dirs(p)
				       : cmd_error(p->c, E_NAMETOOLONG, "%s", p->name[0]);
		say(p, "Common subdirectories: %s and %s\n", p->name[0], p->name[1]);
		return 0;
	}
	if (is_type(p, 0, S_LNK) && is_type(p, 1, S_LNK))
		return compare_links(p);
	bool plain = (is_type(p, 0, S_REG) && is_type(p, 1, S_REG)) || p->depth == 0;

	if (!plain || is_type(p, 0, S_DIR) || is_type(p, 1, S_DIR) || is_type(p, 0, S_LNK) ||
	    is_type(p, 1, S_LNK))
		return say_types(p);
	return compare_files(p);
}

static int compare_pair(struct pair *p)
{
	if (cmd_stack_left(p->c) < STACK_NEEDED)
		return cmd_deepen(p->c, STACK_NEEDED, compare_pair_now, p);
	return compare_pair_now(p);
}

static int stat_operand(struct pair *p, int i)
{
	int err;

	if (strcmp(p->name[i], "-") == 0) {
		err = cmd_fstat(p->c, 0, &p->st[i]);
		if (err >= 0 && (p->st[i].mode & S_FMT) != S_REG)
			p->st[i].mtime_ns = cmd_now(p->c);
		return err;
	}
	err = p->o->no_dereference ? cmd_lstat(p->c, p->name[i], &p->st[i])
				   : cmd_stat(p->c, p->name[i], &p->st[i]);
	if (err == -E_NOENT && (p->o->new_file || (p->o->new_first && i == 0))) {
		p->absent[i] = true;
		return 0;
	}
	return err;
}

/* A file and a directory: the file of that name in the directory. */
static int look_inside(struct pair *p, int dir)
{
	const char *name = p->name[1 - dir];
	const char *slash = strrchr(name, '/');

	if (strcmp(name, "-") == 0)
		return cmd_error(p->c, 0, "cannot compare '-' to a directory");
	p->name[dir] = join_path(p->c, p->name[dir], bytes_of(slash != NULL ? slash + 1 : name));
	/* Also with -N it must be there. */
	return stat_side(p, dir);
}

int diff_operands(struct cmd *c, const struct diff_opts *o, const char *a, const char *b)
{
	struct pair p = { .c = c, .o = o, .name = { a, b } };
	int status = 0;

	for (int i = 0; i < 2; i++) {
		int err = stat_operand(&p, i);

		if (err < 0)
			status = cmd_error(c, err, "%s", p.name[i]);
	}
	if (p.absent[0] && p.absent[1])
		for (int i = 0; i < 2; i++)
			status = cmd_error(c, E_NOENT, "%s", p.name[i]);
	if (status != 0)
		return status;
	for (int i = 0; i < 2; i++)
		if (is_type(&p, i, S_DIR) && !is_type(&p, 1 - i, S_DIR) && !p.absent[1 - i] &&
		    look_inside(&p, i) != 0)
			return 2;
	if (is_type(&p, 0, S_DIR) && p.st[0].dev == p.st[1].dev && p.st[0].ino == p.st[1].ino &&
	    !p.absent[0] && !p.absent[1] && o->style != DIFF_SIDE && o->style != DIFF_FORMAT)
		return 0; /* nothing is said of what is the same */
	return compare_pair(&p);
}
