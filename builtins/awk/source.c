/* SPDX-License-Identifier: MIT
 *
 * Where records come from: the operands, files and commands of getline; -i inplace.
 */
#include "builtins/awk/parse.h"

/* --- operands --- */

bool awk_is_assignment(const char *text)
{
	if (!byte_is_name(text[0]) || byte_is_digit(text[0]))
		return false;
	while (byte_is_name(*text) || (text[0] == ':' && text[1] == ':' && byte_is_name(text[2])))
		text += *text == ':' ? 2 : 1;
	return *text == '=';
}

bool awk_command_assign(struct awk *a, const char *text, bool check)
{
	const char *equals = strchr(text, '=');
	struct arena_mark mark = arena_mark(&a->scratch);
	struct buf value = buf_in(&a->scratch);

	if (!awk_is_assignment(text))
		return false;
	struct bytes name = { text, (size_t)(equals - text) };

	if (bytes_starts(name, BYTES("awk::")))
		name = bytes_slice(name, 5, name.len);
	struct function *f = awk_program_find_function(a->prog, name);

	if ((f != NULL && f->defined) || awk_lex_is_reserved(name)) {
		if (check)
			awk_fatal(a, "cannot use %s `%.*s' as variable name",
				  f != NULL ? "function" : "gawk builtin", (int)name.len, name.ptr);
		return false;
	}
	/* The text is read as a string constant is, and may be a number. */
	awk_lex_unescape(a, NULL, &value, bytes_of(equals + 1));
	struct val v = val_input(a, buf_bytes(&value));

	awk_val_is_numeric(a, &v);
	int n = awk_program_find_global(a->prog, name);

	arena_release(&a->scratch, mark);
	if (n >= 0 && n < SP_COUNT) {
		awk_special_set(a, (enum special)n, v);
	} else if (n >= 0) {
		if (a->globals[n].kind == VAL_ARRAY)
			awk_fatal(a, "cannot use array `%.*s' as a scalar", (int)name.len,
				  name.ptr);
		val_put(a, a->globals[n]);
		a->globals[n] = v;
	} else {
		val_put(a, v);
	}
	return true;
}

void awk_set_errno(struct awk *a, int err)
{
	awk_special_set(a, SP_ERRNO, val_bytes(a, bytes_of(err_text(err))));
}

static void run_rules(struct awk *a, enum rule_kind kind)
{
	bool *flag = kind == RULE_BEGINFILE ? &a->in_beginfile : &a->in_endfile;

	if (a->prog->rules[kind] == NULL)
		return;
	*flag = true;
	enum run_end end = awk_vm_run(a, a->prog->entry[kind]);

	*flag = false;
	if (end == RUN_EXIT)
		a->exiting = true;
	else if (end == RUN_NEXTFILE)
		a->skip_file = true;
}

static bool is_stdin_name(const char *name)
{
	return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdin") == 0;
}

/* 0, or -E_. Directories can't be read. */
static int open_input(struct awk *a, const char *name)
{
	struct vfs_stat st;
	int fd;

	if (is_stdin_name(name))
		return 0;
	if (strncmp(name, "/dev/fd/", 8) == 0) {
		uint64_t n;

		if (num_plain(name + 8, &n) && n < 1000 && cmd_fstat(a->c, (int)n, &st) == 0)
			return (int)n;
	}
	fd = cmd_open(a->c, CMD_CWD, name, O_RDONLY_ | O_CLOEXEC_, 0);
	if (fd >= 0 && cmd_fstat(a->c, fd, &st) == 0 && (st.mode & S_FMT) == S_DIR) {
		cmd_close(a->c, fd);
		return -E_ISDIR;
	}
	return fd;
}

static void cannot_open(struct awk *a, const char *name, int err)
{
	if (err == -E_ISDIR) {
		awk_warn(a, "command line argument `%s' is a directory: skipped", name);
		return;
	}
	awk_fatal(a, "cannot open file `%s' for reading: %s", name, err_text(err));
}

/* Opens one operand. False: it is skipped. */
static bool open_operand(struct awk *a, const char *name)
{
	bool listed = false;
	struct reader reader;
	int fd = open_input(a, name);

	if (fd == -E_ISDIR && (a->libraries & LIBRARY_READDIR)) {
		fd = awk_library_directory(a, name, &reader);
		listed = fd == 0;
	}
	a->used_file = true;
	a->fnr = 0;
	awk_special_set(a, SP_FILENAME, val_input(a, bytes_of(name)));
	if (fd < 0 && a->prog->rules[RULE_BEGINFILE] == NULL) {
		cannot_open(a, name, fd);
		return false;
	}
	if (fd < 0)
		awk_set_errno(a, fd);
	else
		awk_special_set(a, SP_ERRNO, val_str(str_get(a->empty)));
	awk_reader_init(&a->main, fd);
	if (listed)
		a->main = reader;
	a->main_open = true;
	a->skip_file = false;
	if (fd >= 0 && a->o->has_inplace)
		awk_inplace_begin(a, name);
	run_rules(a, RULE_BEGINFILE);
	if (fd < 0) {
		a->main_open = false;
		if (!a->skip_file && !a->exiting)
			cannot_open(a, name, fd);
	}
	return fd >= 0;
}

void awk_main_close(struct awk *a)
{
	if (!a->main_open)
		return;
	if (!a->exiting)
		run_rules(a, RULE_ENDFILE);
	a->main_open = false;
	awk_reader_close(a, &a->main);
	if (a->o->has_inplace)
		awk_inplace_end(a);
}

/* The text of ARGV[n] in scratch, or NULL. */
static char *operand(struct awk *a, int n)
{
	struct text_room tmp;
	struct array *argv = a->globals[GLOBAL_ARGV].u.array;
	struct val *v = awk_array_find(argv, awk_key_of_num(a, n, &tmp));

	if (v == NULL || v->kind == VAL_ARRAY)
		return NULL;
	struct bytes text = awk_val_text(a, v, &tmp);

	return text.len != 0 ? arena_dup(a->c->arena, text) : NULL;
}

static bool open_next(struct awk *a)
{
	for (;;) {
		double argc = val_to_num(a, &a->special[SP_ARGC]);

		if (a->exiting)
			return false;
		awk_work(a, 1);
		if (a->argind == INT32_MAX || ++a->argind >= argc)
			break;
		char *name = operand(a, a->argind);

		if (name == NULL)
			continue;
		awk_special_set(a, SP_ARGIND, val_num(a->argind));
		if (!a->o->exec && awk_command_assign(a, name, true))
			continue;
		if (open_operand(a, name))
			return true;
	}
	if (a->used_file)
		return false;
	a->argind = 0;
	bool opened = open_operand(a, "-");

	a->argind = INT32_MAX - 1;
	return opened;
}

int awk_main_next_bytes(struct awk *a, struct bytes *out)
{
	while (!a->main_done) {
		if (!a->main_open && !open_next(a)) {
			a->main_done = true;
			break;
		}
		int got = a->skip_file ? 0 : awk_reader_next(a, &a->main, out);

		if (got < 0) {
			awk_warn(a, "error reading input file `%s': %s",
				 awk_val_to_str(a, &a->special[SP_FILENAME])->len != 0 ? "" : "-",
				 err_text(got));
			a->status = AWK_FATAL;
		}
		if (got > 0) {
			a->nr++;
			a->fnr++;
			return 1;
		}
		a->skip_file = false;
		awk_main_close(a);
	}
	return 0;
}

bool awk_main_next(struct awk *a)
{
	struct bytes s;

	if (awk_main_next_bytes(a, &s) <= 0)
		return false;
	awk_rec_set_view(a, s);
	return true;
}

void awk_main_nextfile(struct awk *a)
{
	a->skip_file = true;
}

/* --- getline --- */

static int open_reader(struct awk *a, struct stream *s)
{
	struct str *name = s->name;
	char *path = arena_dup(&a->scratch, str_bytes(name));
	int fds[2];
	int fd;

	if (a->o->sandbox)
		awk_fatal(a, "redirection not allowed in sandbox mode");
	if (s->kind == REDIRECT_FROM_FILE) {
		fd = awk_net_is(a, str_bytes(name)) ? awk_net_open(a, str_bytes(name))
						    : open_input(a, path);
		if (fd == -E_ISDIR && (a->libraries & LIBRARY_READDIR)) {
			fd = awk_library_directory(a, path, &s->in);
			s->has_reader = fd == 0;
			return fd;
		}
		if (fd < 0)
			return fd;
		s->shared = fd <= 2;
	} else {
		int err = cmd_pipe(a->c, fds);

		if (err < 0)
			return err;
		s->pid = awk_spawn_shell(a, path, 0, fds[1]);
		cmd_close(a->c, fds[1]);
		if (s->pid < 0) {
			cmd_close(a->c, fds[0]);
			return s->pid;
		}
		fd = fds[0];
	}
	awk_reader_init(&s->in, fd);
	s->has_reader = true;
	return 0;
}

int awk_source_getline(struct awk *a, enum redirect kind, struct val *name, struct bytes *out)
{
	struct text_room tmp;
	struct stream *s;
	int got;

	if (kind == REDIRECT_NONE) {
		if (a->in_beginfile || a->in_endfile)
			awk_fatal(a, "non-redirected `getline' invalid inside `%s' rule",
				  a->in_beginfile ? "BEGINFILE" : "ENDFILE");
		return awk_main_next_bytes(a, out);
	}
	struct bytes text = awk_val_text(a, name, &tmp);

	if (text.len == 0)
		awk_fatal(a, "expression for `%s' redirection has null string value",
			  kind == REDIRECT_FROM_FILE ? "<"
			  : kind == REDIRECT_BOTH    ? "|&"
						     : "|");
	s = awk_stream_of(a, kind, text);
	if (s == NULL && kind == REDIRECT_BOTH) {
		if (awk_sink_try(a, kind, name, &s) == NULL)
			return -1;
	} else if (s == NULL) {
		struct arena_mark mark = arena_mark(&a->scratch);

		s = awk_stream_new(a, kind, text);
		got = open_reader(a, s);
		arena_release(&a->scratch, mark);
		if (got < 0) {
			s->kind = REDIRECT_NONE;
			awk_set_errno(a, got);
			return -1;
		}
	}
	if (kind == REDIRECT_BOTH && s->out != NULL)
		output_flush(s->out);
	if (!s->has_reader && kind == REDIRECT_BOTH)
		awk_fatal(a, "getline: attempt to read from closed read end of two-way pipe");
	if (!s->has_reader)
		return -1;
	got = awk_reader_next(a, &s->in, out);
	if (got < 0)
		awk_set_errno(a, got);
	return got < 0 ? -1 : got;
}

/* --- in place --- */

struct inplace {
	struct output out;
	char *path;
	char *temporary;
};

void awk_inplace_begin(struct awk *a, const char *path)
{
	struct inplace *i = arena_zalloc(a->c->arena, sizeof *i);
	struct buf name = buf_in(a->c->arena);
	struct vfs_stat st;
	int err;

	if (is_stdin_name(path))
		return;
	cmd_flush(a->c);
	buf_printf(&name, "%s.gawk.%llu", path, (unsigned long long)cmd_random(a->c) % 1000000);
	i->path = arena_dup(a->c->arena, bytes_of(path));
	i->temporary = buf_cstr(&name);
	err = output_open(&i->out, a->c, i->temporary, O_TRUNC_ | O_EXCL_, false);
	if (err < 0)
		awk_fatal(a, "inplace::begin: Cannot open temporary file `%s': %s", i->temporary,
			  err_text(err));
	if (cmd_stat(a->c, path, &st) == 0)
		cmd_chmod(a->c, CMD_CWD, i->temporary, st.mode & 07777, 0);
	a->inplace = i;
	awk_sink_set_stdout(a, &i->out);
}

void awk_inplace_end(struct awk *a)
{
	struct inplace *i = a->inplace;

	if (i == NULL)
		return;
	a->inplace = NULL;
	awk_sink_set_stdout(a, &a->c->out);
	output_close(&i->out);
	int suffix = awk_program_find_global(a->prog, BYTES("inplace::suffix"));

	if (suffix >= 0 && awk_val_true(a, &a->globals[suffix])) {
		struct buf backup = buf_in(a->c->arena);

		buf_puts(&backup, i->path);
		buf_add(&backup, str_bytes(awk_val_to_str(a, &a->globals[suffix])));
		cmd_rename(a->c, CMD_CWD, i->path, CMD_CWD, buf_cstr(&backup), 0);
	}
	int err = cmd_rename(a->c, CMD_CWD, i->temporary, CMD_CWD, i->path, 0);

	if (err < 0)
		awk_fatal(a, "inplace::end: rename of `%s' failed: %s", i->path, err_text(err));
}
