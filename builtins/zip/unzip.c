/* SPDX-License-Identifier: MIT
 *
 * unzip, zipinfo - look into zip archives and extract them.
 *
 * An archive must not write outside the directory it is extracted in: ".." and leading slashes
 * are taken out of names, symbolic links are made last, entries that lie over one another
 * (bombs) are refused. Reference: Info-ZIP UnZip 6.00. Not here: old methods.
 */
#include "builtins/zip/zip.h"

#include "builtins/zone.h"

enum {
	UNZIP_WARN = 1,
	UNZIP_ERROR = 2,
	UNZIP_NO_ZIP = 9,
	UNZIP_USAGE = 10,
	UNZIP_NO_MATCH = 11,
	UNZIP_BOMB = 12,
	UNZIP_METHOD = 81,
	UNZIP_NO_TERMINAL = 5,
	UNZIP_PASSWORD = 82,
	LINK_MAX = 4096
};

struct unzip_link {
	struct unzip_link *next;
	const char *path;
	const char *target;
};

static void raise(struct unzip *u, int status)
{
	if (u->status < status)
		u->status = status;
}

static void put_message(struct unzip *u, bool to_stdout, const char *format, va_list args)
{
	struct buf text = buf_in(u->c->arena);

	buf_vprintf(&text, format, args);
	if (to_stdout) {
		cmd_bytes(u->c, buf_bytes(&text));
		return;
	}
	cmd_flush(u->c);
	cmd_err_write(u->c, text.ptr, text.len);
}

static void complain_of(struct unzip *u, bool to_stdout, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void complain_of(struct unzip *u, bool to_stdout, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(u, to_stdout, format, args);
	va_end(args);
}

/* In tests and tables, but not in lists of names, messages are part of the report. */
static bool reports(const struct unzip *u)
{
	return u->mode == UNZIP_TEST ||
	       (u->mode == UNZIP_INFO && u->format != '1' && u->format != '2');
}

static void complain(struct unzip *u, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void complain(struct unzip *u, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_message(u, reports(u), format, args);
	va_end(args);
}

bool unzip_wanted(struct unzip *u, const struct zip_entry *e)
{
	if (u->names.n > 0 && !zip_names_match(u->c, &u->names, e->name))
		return false;
	return u->excluded.n == 0 || !zip_names_match(u->c, &u->excluded, e->name);
}

/* --- names of files --- */

/* The name without what leads out of the directory; "" when nothing is left. */
static const char *safe_name(struct unzip *u, const char *name)
{
	struct buf out = buf_in(u->c->arena);
	const char *at = name;
	bool up = false;

	if (*at == '/') {
		complain(u, "warning:  stripped absolute path spec from %s\n", name);
		raise(u, UNZIP_WARN);
	}
	while (*at != '\0') {
		size_t len = strcspn(at, "/");
		struct bytes part = { at, len };

		at += len;
		if (len != 0 && !bytes_is(part, ".") && !bytes_is(part, "..")) {
			buf_add(&out, part);
			if (*at == '/')
				buf_putc(&out, '/');
		}
		up |= bytes_is(part, "..");
		at += *at == '/';
	}
	if (up) {
		if (u->quiet == 0)
			cmd_printf(u->c, "warning:  skipped \"../\" path component(s) in %s\n",
				   name);
		raise(u, UNZIP_WARN);
	}
	return buf_cstr(&out);
}

/* A safe name in the directory of -d. */
static const char *in_dir(struct unzip *u, const char *name, bool lower)
{
	struct buf out = buf_in(u->c->arena);

	if (u->dir != NULL)
		buf_printf(&out, "%s%s", u->dir,
			   u->dir[0] != '\0' && u->dir[strlen(u->dir) - 1] == '/' ? "" : "/");
	for (; *name != '\0'; name++)
		buf_putc(&out, lower ? (char)byte_to_lower(*name) : *name);
	return buf_cstr(&out);
}

static const char *target_name(struct unzip *u, const struct zip_entry *e)
{
	const char *name = safe_name(u, e->name);

	if (u->junk) {
		const char *slash = strrchr(name, '/');

		if (zip_is_dir(e))
			return "";
		name = slash != NULL ? slash + 1 : name;
	}
	if (*name == '\0')
		return "";
	/* Only names of systems that had no lower case; -LL: all. */
	return in_dir(u, name, u->lower > 1 || (u->lower == 1 && e->made_by >> 8 == 0));
}

/* Makes the directories that lead to path, none of which may be a link out of an archive. */
static int make_parents(struct unzip *u, const char *path)
{
	for (const char *at = strchr(path + 1, '/'); at != NULL && at[1] != '\0';
	     at = strchr(at + 1, '/')) {
		char *dir = arena_dup(u->c->arena, (struct bytes){ path, (size_t)(at - path) });
		int err = cmd_mkdir(u->c, CMD_CWD, dir, 0777);

		if (err < 0 && err != -E_EXIST)
			return err;
		cmd_charge(u->c, 1);
	}
	return 0;
}

/* --- attributes --- */

static void set_attributes(struct unzip *u, const struct zip_entry *e, const char *path)
{
	int64_t ns = zip_time_ns(e, u->zone);
	uint32_t mode = e->external >> 16;

	if (e->made_by >> 8 == ZIP_UNIX && mode != 0) {
		mode = u->keep_modes ? mode & 07777 : mode & 0777;
		cmd_chmod(u->c, CMD_CWD, path, mode, 0);
	}
	cmd_utimes(u->c, CMD_CWD, path, ns, ns, 0);
}

/* --- data --- */

struct out {
	struct unzip *u;
	struct output *o;
	struct buf *text; /* of a link */
	bool convert;     /* -a: without carriage returns */
	bool held;        /* one was seen and not written */
};

static void put(void *arg, const void *data, size_t n)
{
	struct out *out = arg;
	const char *at = data;

	if (out->text != NULL) {
		if (out->text->len + n <= LINK_MAX)
			buf_put(out->text, data, n);
		return;
	}
	if (out->o == NULL)
		return;
	if (!out->convert) {
		output_write(out->o, data, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (out->held && at[i] != '\n')
			output_putc(out->o, '\r');
		out->held = at[i] == '\r';
		if (!out->held)
			output_putc(out->o, at[i]);
	}
}

static bool supported(struct unzip *u, const struct zip_entry *e)
{
	bool locked = e->flags & ZIP_FLAG_ENCRYPTED;

	if (locked && u->password == NULL) {
		complain_of(u, u->mode == UNZIP_TEST,
			    "   skipping: %-22s  unable to get password\n", e->name);
		raise(u, UNZIP_NO_TERMINAL);
		return false;
	}
	if (locked && !zip_password_fits(&u->z, e)) {
		if (u->quiet == 0)
			complain_of(u, u->mode == UNZIP_TEST,
				    "   skipping: %-22s  incorrect password\n", e->name);
		u->locked++;
		return false;
	}
	if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED) {
		complain(u, "   skipping: %-22s  unsupported compression method %u\n", e->name,
			 e->method);
		raise(u, UNZIP_METHOD);
		return false;
	}
	return true;
}

/* Reads the data. False after a message; line: a line about the file was begun. */
static bool read_data(struct unzip *u, const struct zip_entry *e, struct out *out, bool line)
{
	uint32_t crc;
	uint64_t made;
	int err = zip_inflate(&u->z, e, put, out, &crc, &made);

	if (out->held && out->o != NULL)
		output_putc(out->o, '\r');
	if (err == 0 && crc == e->crc && made == e->size)
		return true;
	raise(u, UNZIP_ERROR);
	cmd_flush(u->c);
	if (zip_data_offset(&u->z, e) == 0)
		complain(u, "file #1:  bad zipfile offset (local header sig):  %llu\n",
			 (unsigned long long)e->offset);
	else if (err != 0)
		complain(u, "%s  error:  invalid compressed data to inflate%s%s\n",
			 line ? "\n" : "", line ? "" : " ", line ? "" : e->name);
	else
		complain(u,
			 line ? "%s bad CRC %08x  (should be %08x)\n"
			      : "%-23s bad CRC %08x  (should be %08x)\n",
			 line ? "" : e->name, crc, e->crc);
	return false;
}

/* --- questions --- */

static char answer(struct unzip *u)
{
	struct bytes line = { "", 0 };

	if (!u->has_answers)
		input_init(&u->answers, u->c, 0, "-");
	u->has_answers = true;
	if (input_line(&u->answers, '\n', &line) <= 0 || line.len == 0)
		return '\0';
	return line.ptr[0];
}

/* Where a name leads that was typed: it is as safe as one of the archive. */
static const char *new_name(struct unzip *u)
{
	struct bytes line = { "", 0 };
	char *name;

	do {
		complain(u, "new name: ");
		if (input_line(&u->answers, '\n', &line) <= 0)
			return "";
	} while (line.len == 0);
	name = arena_dup(u->c->arena, line);
	if (*name == '/')
		return safe_name(u, name + strspn(name, "/"));
	return in_dir(u, safe_name(u, name), false);
}

/* Whether an existing file is to be replaced; *path may become another. */
static bool may_replace(struct unzip *u, const char **path)
{
	struct vfs_stat st;

	while (!u->overwrite && cmd_lstat(u->c, *path, &st) == 0) {
		if (u->never)
			return false;
		complain(u, "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", *path);
		switch (answer(u)) {
		case 'y':
		case 'Y': return true;
		case 'n': return false;
		case 'A': u->overwrite = true; return true;
		case 'N': u->never = true; return false;
		case 'r':
		case 'R': *path = new_name(u); break;
		case '\0':
			complain(u, " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
			raise(u, UNZIP_WARN);
			u->never = true;
			return false;
		default: complain(u, "error:  invalid response [?]\n");
		}
		if (**path == '\0')
			return false;
	}
	return true;
}

/* -u and -f: whether the entry is newer than what is there. */
static bool is_fresh(struct unzip *u, const struct zip_entry *e, const char *path)
{
	struct vfs_stat st;

	if (cmd_stat(u->c, path, &st) < 0)
		return u->update;
	return zip_time_ns(e, u->zone) / 1000000000 > st.mtime_ns / 1000000000;
}

/* --- one entry --- */

static void say(struct unzip *u, const char *what, const char *path)
{
	if (u->quiet == 0)
		cmd_printf(u->c, "%11s: %-22s  ", what, path);
}

static void extract_dir(struct unzip *u, const struct zip_entry *e, const char *path)
{
	struct vfs_stat st;
	int err = make_parents(u, path);

	if (cmd_stat(u->c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR)
		return;
	if (u->freshen)
		return;
	if (err == 0)
		err = cmd_mkdir(u->c, CMD_CWD, path, 0777);
	if (err < 0) {
		complain(u,
			 "checkdir error:  cannot create %s\n                 %s\n"
			 "                 unable to process %s.\n",
			 path, err_text(err), e->name);
		raise(u, UNZIP_ERROR);
	} else if (u->quiet == 0) {
		cmd_printf(u->c, "   creating: %s\n", path);
	}
}

static void extract_link(struct unzip *u, const struct zip_entry *e, const char *path)
{
	struct buf text = buf_in(u->c->arena);
	struct out out = { .u = u, .text = &text };
	struct unzip_link *l = arena_zalloc(u->c->arena, sizeof *l);

	say(u, "linking", path);
	if (!read_data(u, e, &out, u->quiet == 0))
		return;
	l->path = path;
	l->target = buf_cstr(&text);
	l->next = u->links;
	u->links = l;
	if (u->quiet == 0)
		cmd_printf(u->c, "-> %s \n", l->target);
}

static void extract_file(struct unzip *u, const struct zip_entry *e, const char *path)
{
	bool text = u->text > 1 || (u->text == 1 && (e->internal & 1));
	struct output o;
	struct out out = { .u = u, .o = &o, .convert = text };
	int err = make_parents(u, path);

	if (err == 0) {
		cmd_unlink(u->c, CMD_CWD, path, 0);
		err = output_open(&o, u->c, path, O_EXCL_ | O_TRUNC_, false);
	}
	if (err < 0) {
		complain(u, "error:  cannot create %s\n        %s\n", path, err_text(err));
		raise(u, 50);
		return;
	}
	say(u, e->method == ZIP_STORED ? "extracting" : "inflating", path);
	if (text && u->quiet == 0)
		cmd_puts(u->c, "[text]  ");
	bool good = read_data(u, e, &out, u->quiet == 0);

	output_close(&o);
	set_attributes(u, e, path);
	if (good && u->quiet == 0)
		cmd_putc(u->c, '\n');
}

static void extract(struct unzip *u, const struct zip_entry *e)
{
	const char *path;

	if (!supported(u, e))
		return;
	path = target_name(u, e);
	if (*path == '\0')
		return;
	if (zip_is_dir(e)) {
		extract_dir(u, e, path);
		return;
	}
	if ((u->update || u->freshen) && !is_fresh(u, e, path))
		return;
	if (!may_replace(u, &path))
		return;
	if (zip_is_link(e))
		extract_link(u, e, path);
	else
		extract_file(u, e, path);
}

static void pipe_out(struct unzip *u, const struct zip_entry *e)
{
	struct out out = { .u = u,
			   .o = &u->c->out,
			   .convert = u->text > 1 || (u->text == 1 && (e->internal & 1)) };

	if (zip_is_dir(e) || !supported(u, e))
		return;
	if (u->show && u->quiet == 0) {
		say(u, e->method == ZIP_STORED ? "extracting" : "inflating", e->name);
		cmd_putc(u->c, '\n');
	}
	read_data(u, e, &out, false);
	if (u->show && u->quiet == 0)
		cmd_putc(u->c, '\n');
}

static void test(struct unzip *u, const struct zip_entry *e)
{
	struct out out = { .u = u };

	if (!supported(u, e))
		return;
	say(u, "testing", e->name);
	if (read_data(u, e, &out, u->quiet == 0) && u->quiet == 0)
		cmd_puts(u->c, " OK\n");
}

/* --- all of them --- */

static void finish_links(struct unzip *u)
{
	struct unzip_link *list = NULL;
	struct unzip_link *next;

	for (struct unzip_link *l = u->links; l != NULL; l = next) {
		next = l->next;
		l->next = list;
		list = l;
	}
	if (list != NULL && u->quiet == 0)
		cmd_puts(u->c, "finishing deferred symbolic links:\n");
	for (; list != NULL; list = list->next) {
		int err = make_parents(u, list->path);

		if (u->quiet == 0)
			cmd_printf(u->c, "  %-22s -> %s\n", list->path, list->target);
		cmd_unlink(u->c, CMD_CWD, list->path, 0);
		if (err == 0)
			err = cmd_symlink(u->c, list->target, CMD_CWD, list->path);
		if (err < 0) {
			complain(u, "symlink error: %s\n", err_text(err));
			raise(u, UNZIP_WARN);
		}
	}
}

/* Directories get their attributes once they are filled, the deepest first. */
static void finish_dirs(struct unzip *u)
{
	for (size_t i = u->z.n; i-- > 0;) {
		const struct zip_entry *e = &u->z.entries[i];
		struct vfs_stat st;

		cmd_charge(u->c, 1);
		if (!zip_is_dir(e) || !unzip_wanted(u, e) || strstr(e->name, "..") != NULL)
			continue;
		const char *path = target_name(u, e);

		if (*path != '\0' && cmd_lstat(u->c, path, &st) == 0 && (st.mode & S_FMT) == S_DIR)
			set_attributes(u, e, path);
	}
}

static size_t work(struct unzip *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->z.n; i++) {
		const struct zip_entry *e = &u->z.entries[i];

		if (!unzip_wanted(u, e))
			continue;
		n++;
		if (u->mode == UNZIP_TEST)
			test(u, e);
		else if (u->mode == UNZIP_PIPE)
			pipe_out(u, e);
		else
			extract(u, e);
		cmd_charge(u->c, 16);
	}
	return n;
}

static void report_missing(struct unzip *u)
{
	for (size_t i = 0; i < u->names.n; i++)
		if (!u->names.found[i]) {
			complain_of(u, u->mode == UNZIP_TEST,
				    "caution: filename not matched:  %s\n", u->names.texts[i]);
			if (u->mode != UNZIP_INFO)
				raise(u, UNZIP_NO_MATCH);
		}
	for (size_t i = 0; i < u->excluded.n; i++)
		if (!u->excluded.found[i])
			complain_of(u, u->mode == UNZIP_TEST,
				    "caution: excluded filename not matched:  %s\n",
				    u->excluded.texts[i]);
}

static void put_test_result(struct unzip *u, size_t n)
{
	bool none = n == 0 && (u->names.n == 0 || u->locked > 0);

	if (u->quiet > 1)
		return;
	if (none)
		cmd_printf(u->c, "Caution:  zero files tested in %s.\n", u->z.path);
	else if (u->status > UNZIP_WARN)
		cmd_printf(u->c, "At least one error was detected in %s.\n", u->z.path);
	else if (u->names.n == 0 && u->excluded.n == 0 && u->locked == 0)
		cmd_printf(u->c, "No errors detected in compressed data of %s.\n", u->z.path);
	else
		cmd_printf(u->c, "No errors detected in %s for the %zu file%s tested.\n", u->z.path,
			   n, n == 1 ? "" : "s");
	if (u->locked > 0)
		cmd_printf(u->c, "%zu file%s skipped because of incorrect password.\n", u->locked,
			   u->locked == 1 ? "" : "s");
}

/* Its lines may end as on DOS. */
static void put_comment(struct unzip *u)
{
	struct bytes s = u->z.comment;

	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] != '\r')
			cmd_putc(u->c, s.ptr[i]);
	if (s.ptr[s.len - 1] != '\n')
		cmd_putc(u->c, '\n');
}

static void put_head(struct unzip *u)
{
	if (u->mode != UNZIP_PIPE || u->show)
		if (u->quiet == 0 && u->mode != UNZIP_INFO)
			cmd_printf(u->c, "Archive:  %s\n", u->z.path);
	if (u->z.comment.len > 0 && u->quiet == 0 && (u->mode != UNZIP_PIPE || u->show) &&
	    u->mode != UNZIP_INFO)
		put_comment(u);
	if (u->z.before > 0) {
		complain(u,
			 "warning [%s]:  %llu extra byte%s at beginning or within zipfile\n"
			 "  (attempting to process anyway)\n",
			 u->z.path, (unsigned long long)u->z.before, u->z.before == 1 ? "" : "s");
		raise(u, UNZIP_WARN);
	}
	if (u->z.n == 0 && u->mode != UNZIP_COMMENT) {
		if (u->mode == UNZIP_INFO)
			cmd_puts(u->c, "");
		complain(u, "warning [%s]:  zipfile is empty\n", u->z.path);
		raise(u, UNZIP_WARN);
	}
}

/* Nothing of the archive is wanted. */
static void raise_if_none(struct unzip *u)
{
	size_t i = 0;

	while (i < u->z.n && !unzip_wanted(u, &u->z.entries[i]))
		i++;
	cmd_charge(u->c, i + 1);
	if (i == u->z.n)
		raise(u, UNZIP_NO_MATCH);
}

static void run_file(struct unzip *u)
{
	put_head(u);
	if (u->mode == UNZIP_COMMENT || (u->z.n == 0 && u->mode != UNZIP_INFO))
		return;
	if (u->mode == UNZIP_INFO) {
		raise(u, zipinfo_run_file(u));
		report_missing(u);
		return;
	}
	if (u->mode == UNZIP_LIST) {
		unzip_list(u);
		raise_if_none(u);
		return;
	}
	if (zip_overlaps(&u->z)) {
		complain(
			u,
			"error: invalid zip file with overlapped components (possible zip bomb)\n");
		raise(u, UNZIP_BOMB);
		return;
	}
	size_t n = work(u) - u->locked;

	if (u->locked > 0)
		raise(u, n > 0 ? UNZIP_WARN : UNZIP_PASSWORD);
	raise_if_none(u);
	if (u->mode == UNZIP_EXTRACT) {
		finish_links(u);
		finish_dirs(u);
	}
	report_missing(u);
	if (u->mode == UNZIP_TEST)
		put_test_result(u, n);
}

static const char *program(const struct unzip *u)
{
	return u->mode == UNZIP_INFO ? "zipinfo" : u->c->name;
}

static int no_directory(struct unzip *u, const char *name)
{
	bool info = u->mode == UNZIP_INFO;
	bool pipe = u->mode == UNZIP_PIPE && !u->show;
	bool titled = info ? reports(u) : u->quiet == 0 && !pipe;

	if (titled)
		cmd_printf(u->c, "Archive:  %s\n", u->z.path);
	if (info || !titled)
		complain(u, "[%s]\n", u->z.path);
	complain(u, "  End-of-central-directory signature not found.  Either this file is not\n"
		    "  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"
		    "  latter case the central directory and zipfile comment will be found on\n"
		    "  the last disk(s) of this archive.\n");
	if (cmd_access(u->c, CMD_CWD, u->z.path, 1) == 0)
		complain(u, "note:  %s may be a plain executable, not an archive\n", u->z.path);
	if (pipe)
		return UNZIP_NO_ZIP;
	complain(u,
		 "%s:  cannot find zipfile directory in one of %s or\n"
		 "%*s%s.zip, and cannot find %s.ZIP, period.\n",
		 program(u), name, (int)strlen(program(u)) + 3, "", name, name);
	return UNZIP_NO_ZIP;
}

static int open_archive(struct unzip *u, const char *name)
{
	static const char *const suffixes[] = { "", ".zip", ".ZIP" };
	struct vfs_stat st;

	u->z.c = u->c;
	u->z.fd = -1;
	for (int i = 0; i < 3 && u->z.fd < 0; i++) {
		struct buf path = buf_in(u->c->arena);

		buf_printf(&path, "%s%s", name, suffixes[i]);
		u->z.path = buf_cstr(&path);
		if (cmd_stat(u->c, u->z.path, &st) == 0 && (st.mode & S_FMT) != S_DIR)
			u->z.fd = cmd_open(u->c, CMD_CWD, u->z.path, O_RDONLY_ | O_CLOEXEC_, 0);
	}
	if (u->z.fd < 0) {
		if (u->mode == UNZIP_PIPE && !u->show)
			return UNZIP_NO_ZIP;
		complain(u, "%s:  cannot find or open %s, %s.zip or %s.ZIP.\n", program(u), name,
			 name, name);
		return UNZIP_NO_ZIP;
	}
	switch (zip_read(&u->z)) {
	case ZIP_GOOD: return 0;
	case ZIP_NO_END: return no_directory(u, name);
	case ZIP_BAD: break;
	}
	if (u->mode != UNZIP_INFO)
		cmd_printf(u->c, "Archive:  %s\n", u->z.path);
	complain(u,
		 "error [%s]:  missing or damaged bytes in zipfile\n"
		 "  (attempting to process anyway)\n"
		 "error [%s]:  start of central directory not found;\n  zipfile corrupt.\n"
		 "  (please check that you have transferred or created the zipfile in the\n"
		 "  appropriate BINARY mode and that you have compiled UnZip properly)\n",
		 u->z.path, u->z.path);
	return 3;
}

/* --- options: Info-ZIP's own ways --- */

static int usage(struct unzip *u, const char *message)
{
	if (message != NULL)
		complain(u, "error:  %s\n", message);
	complain(u, "Usage: %s [-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]\n",
		 u->c->name);
	return UNZIP_USAGE;
}

static bool info_letter(struct unzip *u, char ch)
{
	switch (ch) {
	case '1':
	case '2':
	case 's':
	case 'm':
	case 'l': u->format = ch; return true;
	case 'h': u->explicit_header = true; return true;
	case 't': u->explicit_totals = true; return true;
	case 'T': u->sortable = true; return true;
	case 'C': u->icase = true; return true;
	case 'z':
	case 'M': return true;
	default: return false;
	}
}

static bool letter(struct unzip *u, char ch)
{
	switch (ch) {
	case 'l': u->mode = UNZIP_LIST; return true;
	case 'v':
		u->mode = UNZIP_LIST;
		u->verbose++;
		return true;
	case 't': u->mode = UNZIP_TEST; return true;
	case 'p':
		u->mode = UNZIP_PIPE;
		u->quiet = 2;
		return true;
	case 'c':
		u->mode = UNZIP_PIPE;
		u->show = true;
		return true;
	case 'z': u->mode = UNZIP_COMMENT; return true;
	case 'Z': u->mode = UNZIP_INFO; return true;
	case 'o': u->overwrite = true; return true;
	case 'n': u->never = true; return true;
	case 'q': u->quiet++; return true;
	case 'j': u->junk = true; return true;
	case 'f': u->freshen = true; return true;
	case 'u': u->update = true; return true;
	case 'a': u->text++; return true;
	case 'b': u->text = 0; return true;
	case 'C': u->icase = true; return true;
	case 'L': u->lower++; return true;
	case 'K': u->keep_modes = true; return true;
	case 'X': u->owners = true; return true;
	case 'U':
	case 'B':
	case 'D':
	case 'V':
	case 'W':
	case ':':
	case '^': return true;
	default: return false;
	}
}

/* The letters of one argument; false: one is not known. -d takes what follows. */
static bool letters(struct unzip *u, const char *arg, int *i, bool has_archive, bool *in_x,
		    int *status)
{
	struct cmd *c = u->c;

	for (; *arg != '\0'; arg++) {
		if (*arg == 'd' && u->mode != UNZIP_INFO) {
			u->dir = arg[1] != '\0' ? arg + 1 : *i + 1 < c->argc ? c->argv[++*i] : NULL;
			if (u->dir == NULL) {
				complain(u,
					 "error:  must specify directory to which to extract with"
					 " -d option\n");
				*status = UNZIP_USAGE;
			}
			return true;
		}
		if (*arg == 'P' && u->mode != UNZIP_INFO) {
			u->password = arg[1] != '\0'     ? arg + 1
				      : *i + 1 < c->argc ? c->argv[++*i]
							 : NULL;
			if (u->password == NULL) {
				complain(u,
					 "error:  must give decryption password with -P option\n");
				*status = UNZIP_USAGE;
			}
			return true;
		}
		if (*arg == 'x') {
			/* The archive comes first, whatever stands in front of it. */
			*in_x = has_archive;
			continue;
		}
		if (!(u->mode == UNZIP_INFO ? info_letter(u, *arg) : letter(u, *arg)))
			return false;
	}
	return true;
}

static int parse(struct unzip *u, const char **archive)
{
	struct cmd *c = u->c;
	bool in_x = false;
	bool ended = false;
	int status = 0;

	for (int i = 1; i < c->argc && status == 0; i++) {
		const char *arg = c->argv[i];

		if (!ended && strcmp(arg, "--") == 0)
			ended = true;
		else if (!ended && arg[0] == '-' && arg[1] != '\0' &&
			 (*archive == NULL || arg[1] == 'd' || (arg[1] == 'x' && !in_x))) {
			if (!letters(u, arg + 1, &i, *archive != NULL, &in_x, &status))
				return usage(u, NULL);
		} else if (*archive == NULL && !in_x)
			*archive = arg;
		else
			zip_names_add(c, in_x ? &u->excluded : &u->names, arg, u->icase);
	}
	return status;
}

/* The directory of -d is made, but not those that lead to it. */
static int make_target(struct unzip *u)
{
	struct vfs_stat st;
	int err;

	if (u->dir == NULL || u->mode != UNZIP_EXTRACT || cmd_stat(u->c, u->dir, &st) == 0)
		return 0;
	err = cmd_mkdir(u->c, CMD_CWD, u->dir, 0777);
	if (err == 0)
		return 0;
	complain(u, "checkdir:  cannot create extraction directory: %s\n           %s\n", u->dir,
		 err_text(err));
	return UNZIP_ERROR;
}

static int unzip_main(struct cmd *c, bool info)
{
	struct unzip u = { .c = c, .mode = info ? UNZIP_INFO : UNZIP_EXTRACT };
	const char *archive = NULL;
	const char *slash = strrchr(c->name, '/');
	int status;

	if (slash != NULL)
		c->name = slash + 1;
	if (info)
		zip_take_environment(c, "ZIPINFO", "ZIPINFOOPT");
	else if (c->argc < 2 || strncmp(c->argv[1], "-Z", 2) != 0)
		zip_take_environment(c, "UNZIP", "UNZIPOPT");
	u.zone = zone_of_command(c);
	status = parse(&u, &archive);
	if (status != 0)
		return status;
	if (archive == NULL && u.verbose > 0) {
		cmd_put_version(c);
		return 0;
	}
	if (archive == NULL) {
		status = usage(&u, NULL);
		return c->argc < 2 ? 0 : status;
	}
	if (u.never && u.overwrite) {
		complain(&u, "caution:  both -n and -o specified; ignoring -o\n");
		u.overwrite = false;
	}
	if (u.dir != NULL && u.mode != UNZIP_EXTRACT)
		complain(&u, "caution:  not extracting; -d ignored\n");
	u.update |= u.freshen && u.update;
	status = open_archive(&u, archive);
	u.z.password = u.password;
	if (status == 0)
		status = make_target(&u);
	if (status != 0)
		return status;
	run_file(&u);
	return u.status;
}

static int unzip_run(struct cmd *c)
{
	return unzip_main(c, false);
}

static int zipinfo_run(struct cmd *c)
{
	return unzip_main(c, true);
}

const struct builtin builtin_unzip = {
	.name = "unzip",
	.usage = "[-Z] [-cflptuvz] [-aCjLnoqK] FILE[.zip] [NAME...] [-x NAME...] [-d DIRECTORY] "
		 "[-P PASSWORD]",
	.summary = "Lists (-l, -v), tests (-t) or extracts a zip archive.\n"
		   "  -p to standard output   -o overwrite      -n never overwrite\n"
		   "  -j without directories  -u newer ones     -f only existing ones\n"
		   "  -q quiet                -C ignore case    -Z as zipinfo",
	.run = unzip_run,
	.flags = BUILTIN_RAW_HELP,
	.usage_status = 10,
	.family = "Info-ZIP UnZip 6.00",
	.version = "UnZip 6.00 of 20 April 2009, by Debian. Original by Info-ZIP.",
};

const struct builtin builtin_zipinfo = {
	.name = "zipinfo",
	.usage = "[-12smlhtTC] FILE[.zip] [NAME...] [-x NAME...]",
	.summary = "Lists a zip archive in detail.\n"
		   "  -1 -2 names only   -s short   -m medium   -l long\n"
		   "  -h header          -t totals  -T sortable times",
	.run = zipinfo_run,
	.flags = BUILTIN_RAW_HELP,
	.usage_status = 10,
	.family = "Info-ZIP ZipInfo 3.00",
	.version = "ZipInfo 3.00 of 20 April 2009, by Greg Roelofs and the Info-ZIP group.",
};
