/* SPDX-License-Identifier: MIT
 *
 * zip - package files in a zip archive.
 *
 * A new archive is written beside the old one and takes its name at the end: kept entries are
 * copied as they are, changed ones compressed anew in their places, new ones put behind.
 * Reference: Info-ZIP Zip 3.0. Not here: split archives, repair.
 */
#include "base/glob.h"

#include "builtins/zip/make.h"

/* --- messages --- */

static void say(struct zip *z, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct zip *z, const char *format, ...)
{
	struct arena_mark mark = arena_mark(z->c->arena);
	struct buf text = buf_in(z->c->arena);
	va_list args;

	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	output_write(z->say, text.ptr, text.len);
	arena_release(z->c->arena, mark);
}

static void warn(struct zip *z, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct zip *z, const char *format, ...)
{
	struct buf text = buf_in(z->c->arena);
	va_list args;

	if (z->quiet)
		return;
	buf_puts(&text, "\tzip warning: ");
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	output_write(z->say, text.ptr, text.len);
}

int zip_fail(struct zip *z, int status, const char *format, ...)
{
	struct buf text = buf_in(z->c->arena);
	va_list args;

	buf_puts(&text, "\nzip error: ");
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	output_write(z->say, text.ptr, text.len);
	return status;
}

/* --- choosing files --- */

static const char *name_in_archive(struct zip *z, const char *path, bool dir)
{
	struct buf name = buf_in(z->c->arena);
	const char *slash = strrchr(path, '/');

	if (z->junk)
		path = slash != NULL ? slash + 1 : path;
	while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
		path += path[0] == '/' ? 1 : 2;
	buf_puts(&name, path);
	if (dir && name.len > 0 && name.ptr[name.len - 1] != '/')
		buf_putc(&name, '/');
	return buf_cstr(&name);
}

static bool chosen(struct zip *z, const char *name)
{
	if (z->excludes.n > 0 && zip_names_match(z->c, &z->excludes, name))
		return false;
	return z->includes.n == 0 || zip_names_match(z->c, &z->includes, name);
}

/* What is no file for an archive: said, whatever -x leaves out. */
static bool passed_over(struct zip *z, const char *path, const struct vfs_stat *st)
{
	switch (st->mode & S_FMT) {
	case S_FIFO: warn(z, "ignoring FIFO (Named Pipe) - use -FI to read: %s", path); return true;
	case S_CHR: warn(z, "ignoring special file: %s", path); return true;
	case S_LNK:
		if (!z->symlinks) /* it leads nowhere */
			warn(z, "name not matched: %s", path);
		return !z->symlinks;
	default: return false;
	}
}

static void choose(struct zip *z, const char *path, const struct vfs_stat *st)
{
	bool dir = (st->mode & S_FMT) == S_DIR;
	const char *name = name_in_archive(z, path, dir);
	struct found *f;

	if (passed_over(z, path, st))
		return;
	if (dir && (z->no_dirs || z->junk))
		return;
	if (*name == '\0' || strcmp(name, "./") == 0 || !chosen(z, name))
		return;
	if ((z->after_ns != 0 && st->mtime_ns < z->after_ns) ||
	    (z->before_ns != 0 && st->mtime_ns >= z->before_ns))
		return;
	if (z->has_old && z->z.fd >= 0) {
		struct vfs_stat own;

		if (cmd_fstat(z->c, z->z.fd, &own) == 0 && own.ino == st->ino && own.dev == st->dev)
			return;
	}
	f = arena_zalloc(z->c->arena, sizeof *f);
	f->path = arena_dup(z->c->arena, bytes_of(path));
	f->name = name;
	f->st = *st;
	f->is_link = (st->mode & S_FMT) == S_LNK;
	*z->end = f;
	z->end = &f->next;
}

static int stat_source(struct zip *z, const char *path, struct vfs_stat *st)
{
	return z->symlinks ? cmd_lstat(z->c, path, st) : cmd_stat(z->c, path, st);
}

static void choose_tree(struct zip *z, const char *root)
{
	struct bytes path = bytes_of(root);

	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	struct walk *w = walk_new(z->c, arena_dup(z->c->arena, path),
				  z->symlinks ? 0 : WALK_FOLLOW);
	struct walk_entry *e;

	while ((e = walk_next(w)) != NULL) {
		cmd_charge(z->c, 4);
		if (e->kind == WALK_ERROR)
			warn(z, "could not open for reading: %s", e->path);
		else if (e->kind == WALK_FILE || e->kind == WALK_DIR)
			choose(z, e->path, &e->st);
	}
	walk_free(w);
}

/* An operand that is no file may be a pattern over what the archive has. */
static bool choose_from_archive(struct zip *z, const char *pattern)
{
	struct zip_names names = { 0 };
	bool any = false;

	zip_names_add(z->c, &names, pattern, false);
	for (size_t i = 0; i < z->z.n; i++) {
		const struct zip_entry *e = &z->z.entries[i];
		struct vfs_stat st;

		if (!zip_names_match(z->c, &names, e->name))
			continue;
		any = true;
		if (z->action != ZIP_DELETE && stat_source(z, e->name, &st) == 0)
			choose(z, e->name, &st);
	}
	return any;
}

static void choose_operand(struct zip *z, const char *path)
{
	struct vfs_stat st = { .mode = S_FIFO | 0600 };
	int err;

	if (strcmp(path, "-") == 0) {
		struct found *f = arena_zalloc(z->c->arena, sizeof *f);

		cmd_fstat(z->c, 0, &st);
		f->path = f->name = "-";
		st.mtime_ns = cmd_now(z->c);
		f->st = st;
		f->st.mode = S_FIFO | 0600;
		*z->end = f;
		z->end = &f->next;
		return;
	}
	err = stat_source(z, path, &st);
	if (err < 0) {
		if (!choose_from_archive(z, path))
			warn(z, "name not matched: %s", path);
		return;
	}
	if (z->recurse && (st.mode & S_FMT) == S_DIR)
		choose_tree(z, path);
	else
		choose(z, path, &st);
}

static int choose_all(struct zip *z)
{
	struct input in;
	struct bytes line;

	for (size_t i = 0; i < z->operands.n; i++)
		choose_operand(z, z->operands.texts[i]);
	if (z->from_stdin) {
		input_init(&in, z->c, 0, "-");
		while (input_line(&in, '\n', &line) > 0)
			if (line.len > 0)
				choose_operand(z, arena_dup(z->c->arena, line));
		input_close(&in);
	}
	/* -u and -f without operands look at all that is there. */
	if (z->operands.n == 0 && !z->from_stdin && z->has_old &&
	    (z->action == ZIP_UPDATE || z->action == ZIP_FRESHEN))
		for (size_t i = 0; i < z->z.n; i++) {
			struct vfs_stat st;

			if (stat_source(z, z->z.entries[i].name, &st) == 0)
				choose(z, z->z.entries[i].name, &st);
		}
	return 0;
}

/* --- a table of names --- */

struct table {
	struct found **slot;
	size_t mask;
};

static size_t place(const struct table *t, const char *name)
{
	size_t i = (size_t)bytes_hash(bytes_of(name)) & t->mask;

	while (t->slot[i] != NULL && strcmp(t->slot[i]->name, name) != 0)
		i = (i + 1) & t->mask;
	return i;
}

/* Two files under one name are an error. */
static int index_found(struct zip *z, struct table *t)
{
	size_t n = 0;
	size_t size = 16;

	for (const struct found *f = z->found; f != NULL; f = f->next)
		n++;
	while (size < n * 2)
		size *= 2;
	t->slot = arena_array(z->c->arena, size, sizeof *t->slot);
	t->mask = size - 1;
	for (struct found *f = z->found; f != NULL; f = f->next) {
		size_t i = place(t, f->name);

		cmd_charge(z->c, 1);
		if (t->slot[i] == NULL) {
			t->slot[i] = f;
		} else if (strcmp(t->slot[i]->path, f->path) == 0) {
			f->used = true;
		} else {
			const char *other = t->slot[i]->path;
			bool before = strcmp(f->path, other) < 0;

			if (!z->quiet)
				warn(z,
				     "  first full name: %s\n                      second full "
				     "name: "
				     "%s\n                     name in zip file repeated: %s%s",
				     before ? f->path : other, before ? other : f->path, f->name,
				     z->junk ? "\n                     this may be a result of "
					       "using -j"
					     : "");
			return zip_fail(z, ZIP_E_PARAMS,
					"Invalid command arguments (cannot repeat "
					"names in zip file)");
		}
	}
	return 0;
}

/* --- adding --- */

static bool stored_suffix(const struct zip *z, const char *name)
{
	static const char usual[] = ".Z:.zip:.zoo:.arc:.lzh:.arj";
	const char *at = z->suffixes != NULL ? z->suffixes : usual;
	size_t len = strlen(name);

	while (*at != '\0') {
		size_t n = strcspn(at, ":;,");

		if (n > 0 && n <= len && strncmp(name + len - n, at, n) == 0)
			return true;
		at += n + (at[n] != '\0');
	}
	return false;
}

static void tell(struct zip *z, const char *what, const struct zip_entry *e)
{
	int percent = zip_percent(e->size, zip_packed(e));

	z->in_total += e->size;
	z->added++;
	z->out_total += e->csize;
	if (z->quiet)
		return;
	if (z->verbose > 0)
		say(z, "%*s: %s\t(in=%llu) (out=%llu) (%s %d%%)\n",
		    (int)(strlen(what) > 8 ? strlen(what) : 8), what, e->name,
		    (unsigned long long)e->size, (unsigned long long)e->csize,
		    e->method == ZIP_DEFLATED ? "deflated" : "stored", percent);
	else
		say(z, "%*s: %s (%s %d%%)\n", (int)(strlen(what) > 8 ? strlen(what) : 8), what,
		    e->name, e->method == ZIP_DEFLATED ? "deflated" : "stored", percent);
}

static void skip(struct zip *z, const char *what, const struct found *f, int err)
{
	struct buf text = buf_in(z->c->arena);

	if (!z->quiet)
		say(z, "%8s: %s\n", what, f->name);
	buf_printf(&text, "zip warning: %s\n", err_text(err));
	output_flush(z->say);
	cmd_err_write(z->c, text.ptr, text.len);
	warn(z, "could not open for reading: %s", f->path);
	z->skipped++;
	z->skipped_bytes += f->st.size;
	z->status = ZIP_E_OPEN;
}

/* A file that can't be read is left out with a warning. */
static void add(struct zip *z, const char *what, struct found *f)
{
	struct zip_source s = { .name = f->name, .st = f->st, .fd = -1, .is_link = f->is_link };
	struct zip_entry e;
	int err = 0;

	s.stream = strcmp(f->path, "-") == 0 && (f->st.mode & S_FMT) == S_FIFO;
	s.store = stored_suffix(z, f->name);
	if (s.stream)
		s.fd = 0;
	else if (f->is_link)
		err = cmd_readlink(z->c, CMD_CWD, f->path, &s.text);
	else if ((f->st.mode & S_FMT) == S_REG)
		err = s.fd = cmd_open(z->c, CMD_CWD, f->path, O_RDONLY_ | O_CLOEXEC_, 0);
	else if ((f->st.mode & S_FMT) != S_DIR)
		return;
	if (err < 0) {
		skip(z, what, f, err);
		return;
	}
	err = zip_add(&z->w, &s, &e);
	if (s.fd > 0)
		cmd_close(z->c, s.fd);
	if (err < 0) {
		warn(z, "could not read: %s", f->path);
		z->status = ZIP_E_OPEN;
	}
	f->used = true;
	tell(z, what, &e);
}

/* --- the archive --- */

static bool is_newer(const struct zip *z, const struct found *f, const struct zip_entry *e)
{
	int64_t there = zip_time_ns(e, z->zone) / 1000000000;

	if (z->action == ZIP_SYNC)
		return f->st.mtime_ns / 1000000000 != there || f->st.size != e->size;
	return f->st.mtime_ns / 1000000000 > there;
}

/* What becomes of an entry that is there: true if the archive changes by it. */
static bool old_entry(struct zip *z, struct table *t, const struct zip_entry *e)
{
	struct found *f = t->slot[place(t, e->name)];

	if (z->action == ZIP_DELETE) {
		if (zip_names_match(z->c, &z->operands, e->name) && chosen(z, e->name)) {
			if (!z->quiet)
				say(z, "deleting: %s\n", e->name);
			return true;
		}
	} else if (f != NULL) {
		f->used = true;
		if (z->action == ZIP_ADD || is_newer(z, f, e)) {
			add(z, z->action == ZIP_FRESHEN ? "freshening" : "updating", f);
			return true;
		}
	} else if (z->action == ZIP_SYNC) {
		if (!z->quiet)
			say(z, "deleting: %s\n", e->name);
		return true;
	}
	if (zip_copy(&z->w, &z->z, e) < 0)
		warn(z, "could not copy: %s", e->name);
	return false;
}

static bool write_entries(struct zip *z, struct table *t)
{
	bool changed = false;

	for (size_t i = 0; z->has_old && i < z->z.n; i++) {
		changed |= old_entry(z, t, &z->z.entries[i]);
		cmd_charge(z->c, 4);
	}
	if (z->action == ZIP_DELETE || z->action == ZIP_FRESHEN)
		return changed;
	for (struct found *f = z->found; f != NULL; f = f->next) {
		if (f->used)
			continue;
		add(z, "adding", f);
		changed = true;
	}
	return changed;
}

static const char *temp_name(struct zip *z)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *slash = strrchr(z->archive, '/');
	struct buf name = buf_in(z->c->arena);
	uint64_t random = cmd_random(z->c);

	if (slash != NULL)
		buf_put(&name, z->archive, (size_t)(slash - z->archive) + 1);
	buf_puts(&name, "zi");
	for (int i = 0; i < 6; i++, random /= 62)
		buf_putc(&name, letters[random % 62]);
	return buf_cstr(&name);
}

static void remove_moved(struct zip *z)
{
	for (struct found *f = z->found; f != NULL; f = f->next)
		if (f->used && (f->st.mode & S_FMT) != S_DIR && strcmp(f->path, "-") != 0)
			cmd_unlink(z->c, CMD_CWD, f->path, 0);
	/* Directories last, the deepest first: the list has them before their contents. */
	size_t n = 0;

	for (struct found *f = z->found; f != NULL; f = f->next)
		n++;
	struct found **list = arena_array(z->c->arena, n + 1, sizeof *list);

	n = 0;
	for (struct found *f = z->found; f != NULL; f = f->next)
		list[n++] = f;
	while (n-- > 0)
		if (list[n]->used && (list[n]->st.mode & S_FMT) == S_DIR)
			cmd_unlink(z->c, CMD_CWD, list[n]->path, CMD_REMOVEDIR);
}

static struct bytes read_comment(struct zip *z)
{
	struct buf text = buf_in(z->c->arena);
	struct input in;
	struct bytes line;

	cmd_puts(z->c, "enter new zip file comment (end with .):\n");
	cmd_flush(z->c);
	input_init(&in, z->c, 0, "-");
	while (input_line(&in, '\n', &line) > 0 && !bytes_is(line, ".")) {
		if (text.len > 0)
			buf_puts(&text, "\r\n");
		buf_add(&text, line);
	}
	input_close(&in);
	if (text.len > 65535)
		text.len = 65535;
	return buf_bytes(&text);
}

static int64_t newest_ns(const struct zip *z)
{
	int64_t newest = 0;

	for (size_t i = 0; i < z->w.n; i++) {
		int64_t ns = zip_time_ns(&z->w.entries[i], z->zone);

		if (ns > newest)
			newest = ns;
	}
	return newest;
}

static int nothing(struct zip *z)
{
	struct buf hint = buf_in(z->c->arena);

	if (z->action == ZIP_UPDATE || z->action == ZIP_FRESHEN || z->action == ZIP_SYNC)
		return z->found == NULL && z->action != ZIP_SYNC && !z->has_old
			       ? zip_fail(z, ZIP_E_NONE, "Nothing to do! (%s)", z->archive)
			       : ZIP_E_NONE;
	if (z->recurse && z->operands.n > 0 && z->action == ZIP_ADD && z->excludes.n == 0 &&
	    z->includes.n == 0) {
		buf_printf(&hint, "try: zip -r%s %s . -i", z->quiet ? "q" : "", z->archive);
		for (size_t i = 0; i < z->operands.n; i++)
			buf_printf(&hint, " %s", z->operands.texts[i]);
		return zip_fail(z, ZIP_E_NONE, "Nothing to do! (%s)", buf_cstr(&hint));
	}
	return zip_fail(z, ZIP_E_NONE, "Nothing to do! (%s)", z->archive);
}

static int write_archive(struct zip *z, struct table *t)
{
	bool stream = strcmp(z->archive, "-") == 0;
	const char *temp = stream ? NULL : temp_name(z);
	struct bytes comment = z->has_old ? z->z.comment : BYTES("");
	int err = 0;

	z->w.c = z->c;
	z->w.level = z->level;
	z->w.no_extra = z->no_extra;
	z->w.password = z->password;
	z->w.zone = z->zone;
	z->w.convert = z->convert;
	z->w.seekable = !stream;
	if (stream)
		output_init(&z->w.out, z->c, 1, false);
	else
		err = output_open(&z->w.out, z->c, temp, O_EXCL_ | O_TRUNC_, false);
	if (err < 0) {
		struct buf text = buf_in(z->c->arena);

		buf_printf(&text, "zip I/O error: %s", err_text(err));
		output_write(z->say, text.ptr, text.len);
		return zip_fail(z, ZIP_E_TEMP, "Could not create output file (%s)", z->archive);
	}
	z->w.out.by_line = false;
	z->w.out.drop = temp;
	bool changed = write_entries(z, t);

	for (size_t i = 0; i < z->operands.n && z->action == ZIP_DELETE; i++)
		if (!z->operands.found[i])
			warn(z, "name not matched: %s", z->operands.texts[i]);
	if (!changed && !z->comment && !(z->newest && z->has_old)) {
		output_close(&z->w.out);
		if (temp != NULL)
			cmd_unlink(z->c, CMD_CWD, temp, 0);
		return z->status != 0 ? z->status : nothing(z);
	}
	if (z->comment)
		comment = read_comment(z);
	zip_finish(&z->w, comment);
	if (stream) {
		output_flush(&z->w.out);
		return 0;
	}
	output_close(&z->w.out);
	struct vfs_stat st;
	uint32_t mode = z->has_old && cmd_fstat(z->c, z->z.fd, &st) == 0 ? st.mode & 07777 : 0;

	if (z->w.n == 0)
		warn(z, "zip file empty");
	if (mode != 0)
		cmd_chmod(z->c, CMD_CWD, temp, mode, 0);
	err = cmd_rename(z->c, CMD_CWD, temp, CMD_CWD, z->archive, 0);
	if (err < 0) {
		cmd_unlink(z->c, CMD_CWD, temp, 0);
		return zip_fail(z, ZIP_E_TEMP, "Could not create output file (%s)",
				"was replacing the original zip file");
	}
	if (z->newest)
		cmd_utimes(z->c, CMD_CWD, z->archive, newest_ns(z), newest_ns(z), 0);
	return 0;
}

/* Reads the old archive if there is one. */
static int open_old(struct zip *z)
{
	struct vfs_stat st;

	z->z = (struct zip_file){ .c = z->c, .path = z->archive, .fd = -1 };
	if (strcmp(z->archive, "-") == 0 || cmd_stat(z->c, z->archive, &st) < 0 || st.size == 0)
		return 0;
	z->z.fd = cmd_open(z->c, CMD_CWD, z->archive, O_RDONLY_ | O_CLOEXEC_, 0);
	if (z->z.fd < 0)
		return zip_fail(z, ZIP_E_OPEN, "Could not open: %s", z->archive);
	if (zip_read(&z->z) != ZIP_GOOD) {
		warn(z, "missing end signature--probably not a zip file (did you");
		warn(z, "remember to use binary mode when you transferred it?)");
		warn(z, "(if you are trying to read a damaged archive try -F)");
		return zip_fail(z, ZIP_E_FORMAT, "Zip file structure invalid (%s)", z->archive);
	}
	z->has_old = z->z.n > 0;
	return 0;
}

static int show_files(struct zip *z)
{
	uint64_t total = 0;
	size_t n = 0;

	say(z, z->found != NULL ? "Would Add/Update:\n" : "Archive contains:\n");
	for (const struct found *f = z->found; f != NULL; f = f->next, n++) {
		say(z, "  %s\n", f->name);
		total += (f->st.mode & S_FMT) == S_REG ? f->st.size : 0;
	}
	for (size_t i = 0; z->found == NULL && i < z->z.n; i++, n++) {
		say(z, "  %s\n", z->z.entries[i].name);
		total += z->z.entries[i].size;
	}
	say(z, "Total %zu entries (%llu bytes)\n", n, (unsigned long long)total);
	return 0;
}

static void drop(void *arg, const void *data, size_t n)
{
	(void)arg, (void)data, (void)n;
}

/* -T: reads what was written. */
static int test_archive(struct zip *z)
{
	struct zip_file f = { .c = z->c, .path = z->archive };
	uint32_t crc;
	uint64_t made;
	bool good;

	f.fd = cmd_open(z->c, CMD_CWD, z->archive, O_RDONLY_ | O_CLOEXEC_, 0);
	good = f.fd >= 0 && zip_read(&f) == ZIP_GOOD;
	for (size_t i = 0; good && i < f.n; i++)
		if (f.entries[i].flags & ZIP_FLAG_ENCRYPTED) {
			say(z, "   skipping: %-22s  unable to get password\n", f.entries[i].name);
			good = false;
		} else
			good = zip_inflate(&f, &f.entries[i], drop, NULL, &crc, &made) == 0 &&
			       crc == f.entries[i].crc;
	if (!good) {
		say(z, "test of %s FAILED\n", z->archive);
		return zip_fail(z, 8,
				"Zip file invalid, could not spawn unzip, or wrong unzip "
				"(original files unmodified)");
	}
	if (!z->quiet)
		say(z, "test of %s OK\n", z->archive);
	return 0;
}

static int work(struct zip *z)
{
	struct table t;
	int status = open_old(z);

	if (status != 0)
		return status;
	if (!z->has_old && z->action != ZIP_ADD && z->action != ZIP_SYNC)
		warn(z, "%s not found or empty", z->archive);
	if (z->has_old && z->test && z->operands.n == 0 && !z->from_stdin)
		return test_archive(z);
	if (z->action != ZIP_DELETE && !(z->action == ZIP_FRESHEN && !z->has_old))
		choose_all(z);
	if (z->show)
		return show_files(z);
	status = index_found(z, &t);
	if (status != 0)
		return status;
	if (z->action == ZIP_DELETE && !z->has_old)
		return nothing(z);
	if (z->found == NULL && z->action == ZIP_ADD && !z->comment && !(z->newest && z->has_old))
		return nothing(z);
	status = write_archive(z, &t);
	if (status == 0 && z->test && strcmp(z->archive, "-") != 0)
		status = test_archive(z);
	if (status == 0 && z->move)
		remove_moved(z);
	if (status == 0 && z->verbose > 0 && z->action != ZIP_DELETE)
		say(z, "total bytes=%llu, compressed=%llu -> %d%% savings\n",
		    (unsigned long long)z->in_total, (unsigned long long)z->out_total,
		    zip_percent(z->in_total, z->out_total));
	if (z->skipped > 0 && !z->quiet)
		say(z,
		    "\nzip warning: Not all files were readable\n"
		    "  files/entries read:  %zu (%llu bytes)  skipped:  %zu (%llu bytes)\n",
		    z->added, (unsigned long long)z->in_total, z->skipped,
		    (unsigned long long)z->skipped_bytes);
	return status != 0 ? status : z->status;
}

/* A name without a dot in its last part gets ".zip". */
static void name_archive(struct zip *z)
{
	const char *slash;
	struct vfs_stat st;

	/* Without any name: a filter. */
	if (z->archive == NULL) {
		z->archive = "-";
		if (!z->from_stdin)
			zip_names_add(z->c, &z->operands, "-", false);
		return;
	}
	slash = strrchr(z->archive, '/');
	if (strcmp(z->archive, "-") == 0 ||
	    strchr(slash != NULL ? slash : z->archive, '.') != NULL ||
	    (cmd_stat(z->c, z->archive, &st) == 0 && (st.mode & S_FMT) == S_REG))
		return;
	struct buf name = buf_in(z->c->arena);

	buf_printf(&name, "%s.zip", z->archive);
	z->archive = buf_cstr(&name);
}

static int zip_run(struct cmd *c)
{
	struct zip z = { .c = c, .level = 6, .say = &c->out };
	int status;

	zip_take_environment(c, "ZIPOPT", "ZIP");
	z.end = &z.found;
	z.zone = zone_of_command(c);
	status = zip_options(&z);
	if (status != 0)
		return status;
	if (z.archive == NULL && c->argc > 1 && z.verbose > 0) {
		cmd_put_version(c);
		return 0;
	}
	if (z.archive == NULL && (z.includes.n > 0 || z.excludes.n > 0)) {
		status = zip_fail(&z, ZIP_E_PARAMS,
				  "Invalid command arguments (nothing to select from)");
		return status;
	}
	name_archive(&z);
	if (c->argc < 2 && cmd_isatty(c, 1)) {
		cmd_put_help(c);
		return 0;
	}
	if (strcmp(z.archive, "-") == 0 && cmd_isatty(c, 1))
		return zip_fail(&z, ZIP_E_PARAMS,
				"Invalid command arguments "
				"(cannot write zip file to terminal)");
	if (strcmp(z.archive, "-") == 0) {
		output_init(&z.messages, c, 2, true);
		z.say = &z.messages;
	}
	status = work(&z);
	output_flush(z.say);
	return status;
}

const struct builtin builtin_zip = {
	.name = "zip",
	.usage = "[-0..9 -dfFSjlmoqruvyDTX@] [-b PATH] [-n SUFFIXES] [ARCHIVE[.zip] [FILE...]] "
		 "[-x|-i NAME...]",
	.summary =
		"Packages files in a zip archive.\n"
		"  -r into directories      -j without directories   -m remove what was packed\n"
		"  -u newer files only      -f existing ones only    -d delete from the archive\n"
		"  -FS make the same        -@ names from input      -y links as links\n"
		"  -0 store, -9 smallest    -q quiet                 -T test",
	.run = zip_run,
	.flags = BUILTIN_RAW_HELP,
	.usage_status = 16,
	.family = "Info-ZIP Zip 3.0",
	.version = "This is Zip 3.0 (July 5th 2008), by Info-ZIP.",
	.write_status = 14,
};
