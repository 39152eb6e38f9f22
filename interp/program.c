/* SPDX-License-Identifier: MIT
 *
 * The program `bash`: its command line, start-up files, and where commands are read from.
 */
#include "interp/exec.h"
#include "interp/interp.h"
#include "interp/state.h"

struct invocation {
	struct shell *sh;
	int argc;
	char **argv;
	int at;           /* the argument being looked at */
	bool command;     /* -c */
	bool from_stdin;  /* -s */
	bool interactive; /* -i */
	bool login;
	bool no_rc;
	bool no_profile;
	uint64_t off;    /* options of set that were taken away */
	bool restricted; /* once the start-up files were read */
	const char *rc_file;
	int status; /* of a wrong or informative option; -1: go on */
};

static const char version_line[] = "GNU bash, version 5.2.15(1)-release";

/* --- messages of the command line --- */

/* "sh" for "/bin/sh" and "-sh". */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	path = slash != NULL ? slash + 1 : path;
	return *path == '-' ? path + 1 : path;
}

static void put(struct shell *sh, int fd, struct buf *out)
{
	sys_write(sh->p, fd, out->ptr, out->len);
}

static void put_usage(struct shell *sh, struct buf *out)
{
	static const char *const names[] = {
		"debug",  "debugger",   "dump-po-strings", "dump-strings", "help",  "init-file",
		"login",  "noediting",  "noprofile",       "norc",         "posix", "pretty-print",
		"rcfile", "restricted", "verbose",         "version",
	};

	buf_printf(out,
		   "Usage:\t%s [GNU long option] [option] ...\n"
		   "\t%s [GNU long option] [option] script-file ...\n"
		   "GNU long options:\n",
		   sh->arg0, sh->arg0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		buf_printf(out, "\t--%s\n", names[i]);
	buf_puts(out, "Shell options:\n"
		      "\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n"
		      "\t-abefhkmnptuvxBCEHPT or -o option\n");
}

static int bad_option(struct invocation *v, const char *option, const char *why)
{
	struct buf out = buf_in(v->sh->arena);

	buf_printf(&out, "%s: %s: %s\n", v->sh->arg0, option, why);
	if (strcmp(why, "invalid option") == 0)
		put_usage(v->sh, &out);
	put(v->sh, 2, &out);
	return v->status = STATUS_USAGE;
}

static int show_version(struct invocation *v)
{
	struct buf out = buf_in(v->sh->arena);

	buf_printf(&out, "%s (x86_64-pc-linux-gnu)\n", version_line);
	buf_puts(&out, "Copyright (C) 2022 Free Software Foundation, Inc.\n"
		       "License GPLv3+: GNU GPL version 3 or later "
		       "<http://gnu.org/licenses/gpl.html>\n\n"
		       "This is free software; you are free to change and redistribute it.\n"
		       "There is NO WARRANTY, to the extent permitted by law.\n");
	put(v->sh, 1, &out);
	return v->status = 0;
}

static int show_help(struct invocation *v)
{
	struct buf out = buf_in(v->sh->arena);

	buf_printf(&out, "%s-(x86_64-pc-linux-gnu)\n", version_line);
	put_usage(v->sh, &out);
	buf_printf(&out,
		   "Type `%s -c \"help set\"' for more information about shell options.\n"
		   "Type `%s -c help' for more information about shell builtin commands.\n",
		   v->sh->arg0, v->sh->arg0);
	put(v->sh, 1, &out);
	return v->status = 0;
}

/* --- options --- */

/* Runs `set` or `shopt` as a builtin, for -o and -O without a name. option may be NULL. */
static void run_builtin(struct shell *sh, const char *name, const char *option)
{
	const struct shell_builtin *b = shell_builtin_find(sh, bytes_of(name));
	char *argv[3];

	argv[0] = arena_dup(sh->arena, bytes_of(name));
	argv[1] = option != NULL ? arena_dup(sh->arena, bytes_of(option)) : NULL;
	argv[2] = NULL;
	if (b != NULL)
		exec_builtin(sh, b, 1 + (option != NULL), argv);
}

/* -o name, +o name */
static int set_by_name(struct invocation *v, bool on)
{
	struct shell *sh = v->sh;
	int option;

	if (v->at + 1 >= v->argc) {
		run_builtin(sh, "set", on ? "-o" : "+o");
		return 0;
	}
	option = set_option_of_name(bytes_of(v->argv[++v->at]));
	if (option < 0) {
		struct buf out = buf_in(sh->arena);

		buf_printf(&out, "%s: line 0: %s: %s: invalid option name\n", sh->arg0, sh->arg0,
			   v->argv[v->at]);
		put(sh, 2, &out);
		return v->status = STATUS_USAGE;
	}
	shell_set_option(sh, (enum set_option)option, on);
	v->off |= on ? 0 : (uint64_t)1 << option;
	return 0;
}

/* -O name, +O name */
static int shopt_by_name(struct invocation *v, bool on)
{
	struct shell *sh = v->sh;
	int option;

	if (v->at + 1 >= v->argc) {
		run_builtin(sh, "shopt", on ? NULL : "-p");
		return 0;
	}
	option = shopt_of_name(bytes_of(v->argv[++v->at]));
	if (option < 0) {
		struct buf out = buf_in(sh->arena);

		buf_printf(&out, "%s: line 0: %s: invalid shell option name\n", sh->arg0,
			   v->argv[v->at]);
		put(sh, 2, &out);
		return v->status = STATUS_USAGE;
	}
	if (on)
		sh->opt.shopt |= (uint64_t)1 << option;
	else
		sh->opt.shopt &= ~((uint64_t)1 << option);
	return 0;
}

static int show_strings(struct invocation *v, enum shell_shows form)
{
	v->sh->shows = form;
	shell_set_option(v->sh, SET_NOEXEC, true);
	return 0;
}

static int letter_option(struct invocation *v, char c, bool on)
{
	char text[3] = { on ? '-' : '+', c, '\0' };
	int option;

	switch (c) {
	case 'c': v->command = true; return 0;
	case 's': v->from_stdin = true; return 0;
	case 'i': v->interactive = true; return 0;
	case 'l': v->login = true; return 0;
	case 'D': return show_strings(v, SHOW_STRINGS);
	case 'r':
		if (!on && v->restricted)
			return bad_option(v, text, "invalid option");
		v->restricted = on;
		return 0;
	case 'o': return set_by_name(v, on);
	case 'O': return shopt_by_name(v, on);
	default: break;
	}
	option = set_option_of_letter(c);
	if (option < 0)
		return bad_option(v, text, "invalid option");
	shell_set_option(v->sh, (enum set_option)option, on);
	v->off |= on ? 0 : (uint64_t)1 << option;
	return 0;
}

/* A long option, which may also be written with one '-'. 1 if it was one, 0 if not. */
static int long_option(struct invocation *v, const char *name)
{
	if (strcmp(name, "version") == 0)
		return show_version(v), 1;
	if (strcmp(name, "help") == 0)
		return show_help(v), 1;
	if (strcmp(name, "posix") == 0)
		return shell_set_option(v->sh, SET_POSIX, true), 1;
	if (strcmp(name, "verbose") == 0)
		return shell_set_option(v->sh, SET_VERBOSE, true), 1;
	if (strcmp(name, "restricted") == 0)
		return v->restricted = true, 1;
	if (strcmp(name, "login") == 0)
		return v->login = true, 1;
	if (strcmp(name, "norc") == 0)
		return v->no_rc = true, 1;
	if (strcmp(name, "noprofile") == 0)
		return v->no_profile = true, 1;
	if (strcmp(name, "rcfile") == 0 || strcmp(name, "init-file") == 0) {
		if (v->at + 1 >= v->argc)
			return bad_option(v, name, "option requires an argument"), 1;
		v->rc_file = v->argv[++v->at];
		return 1;
	}
	if (strcmp(name, "dump-strings") == 0 || strcmp(name, "dump-po-strings") == 0)
		return show_strings(v, name[5] == 's' ? SHOW_STRINGS : SHOW_PO_STRINGS), 1;
	if (strcmp(name, "pretty-print") == 0) {
		v->sh->shows = SHOW_COMMANDS;
		return 1;
	}
	return strcmp(name, "noediting") == 0 || strcmp(name, "debug") == 0 ||
	       strcmp(name, "debugger") == 0;
}

static void scan_letters(struct invocation *v, const char *word)
{
	for (const char *c = word + 1; *c != '\0' && v->status < 0; c++)
		letter_option(v, *c, *word == '-');
}

/* Leaves v->at at the first argument that is no option. */
static void scan_options(struct invocation *v)
{
	for (v->at = 1; v->at < v->argc && v->status < 0; v->at++) {
		const char *word = v->argv[v->at];

		if ((*word != '-' && *word != '+') || word[1] == '\0' || strcmp(word, "--") == 0) {
			v->at += strcmp(word, "-") == 0 || strcmp(word, "--") == 0;
			return;
		}
		if (*word == '-' && long_option(v, word + 1 + (word[1] == '-')) != 0)
			continue;
		if (word[0] == '-' && word[1] == '-') {
			bad_option(v, word, "invalid option");
			return;
		}
		scan_letters(v, word);
	}
}

/* --- start-up files --- */

static void source_file(struct shell *sh, const char *path)
{
	const struct shell_builtin *b = shell_builtin_find(sh, BYTES("source"));
	char *argv[3];

	if (*path == '\0' || sys_access(sh->p, AT_FDCWD_, path, 4) != 0)
		return;
	argv[0] = arena_dup(sh->arena, BYTES("source"));
	argv[1] = arena_dup(sh->arena, bytes_of(path));
	argv[2] = NULL;
	/* It is no name to be looked for in PATH. */
	uint64_t sourcepath = sh->opt.shopt & (uint64_t)1 << SHOPT_sourcepath;

	sh->opt.shopt &= ~sourcepath;
	exec_builtin(sh, b, 2, argv);
	sh->opt.shopt |= sourcepath;
}

/* The file that a variable names, once it is expanded. */
static void source_named(struct shell *sh, const char *variable)
{
	const char *value = var_get_text(sh, variable);
	struct bytes path;

	if (value != NULL && expand_text(sh, bytes_of(value), &path) == 0)
		source_file(sh, arena_dup(sh->arena, path));
}

static bool source_home(struct shell *sh, const char *name)
{
	const char *home = var_get_text(sh, "HOME");
	struct buf path = buf_in(sh->arena);

	buf_printf(&path, "%s/%s", home != NULL ? home : "", name);
	if (sys_access(sh->p, AT_FDCWD_, buf_cstr(&path), 4) != 0)
		return false;
	source_file(sh, buf_cstr(&path));
	return true;
}

void shell_logout(struct shell *sh)
{
	sh->opt.set &= ~((uint64_t)1 << SET_LOGIN);
	source_home(sh, ".bash_logout");
}

static void default_prompt(struct shell *sh, const char *name, const char *value)
{
	if (var_get_text(sh, name) == NULL)
		var_set_text(sh, name, value);
}

static void source_startup(struct invocation *v)
{
	struct shell *sh = v->sh;
	bool posix = opt_set(sh, SET_POSIX);

	if (v->interactive) {
		default_prompt(sh, "PS1", "\\s-\\v\\$ ");
		default_prompt(sh, "PS2", "> ");
	}
	if (v->login && !v->no_profile) {
		source_file(sh, "/etc/profile");
		if (!posix && sh->flow == FLOW_NONE && !source_home(sh, ".bash_profile") &&
		    !source_home(sh, ".bash_login"))
			source_home(sh, ".profile");
	}
	if (v->interactive && !posix && !v->login && !v->no_rc && sh->flow == FLOW_NONE) {
		if (v->rc_file != NULL)
			source_file(sh, v->rc_file);
		else
			source_home(sh, ".bashrc");
	}
	if (sh->flow == FLOW_NONE && v->interactive == posix && !opt_set(sh, SET_PRIVILEGED))
		source_named(sh, posix ? "ENV" : "BASH_ENV");
	if (v->restricted)
		shell_restrict(sh);
}

/* --- where commands come from --- */

static int command_string(struct invocation *v)
{
	struct shell *sh = v->sh;
	const char *text;

	if (v->at >= v->argc)
		return bad_option(v, "-c", "option requires an argument");
	text = v->argv[v->at++];
	if (v->at < v->argc) {
		sh->arg0 = v->argv[v->at++];
		sh->script_name = base_name(sh->arg0);
	}
	params_set(sh, v->argc - v->at, v->argv + v->at);
	sh->opt.set |= (uint64_t)1 << SET_COMMAND;
	var_set_text(sh, "BASH_EXECUTION_STRING", text);
	source_startup(v);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	return exec_given_text(sh, bytes_of(text));
}

/* Whether the first line of a script, or the one behind #!, says that it is no text. */
static bool is_binary(struct shell *sh, int fd)
{
	char head[80];
	int64_t n = sys_pread(sh->p, fd, head, sizeof(head), 0);

	if (n > 0 && head[0] == '\177') /* a builtin's file, which stands for a real program */
		return true;
	int lines = n > 1 && head[0] == '#' && head[1] == '!' ? 2 : 1;

	for (int64_t i = 0; i < n && lines > 0; i++) {
		if (head[i] == '\0')
			return true;
		lines -= head[i] == '\n';
	}
	return false;
}

static int cannot_run(struct shell *sh, const char *path, const char *why, bool twice)
{
	struct buf out = buf_in(sh->arena);

	buf_printf(&out, "%s: ", twice ? path : sh->arg0);
	buf_printf(&out, "%s: %s\n", path, why);
	put(sh, 2, &out);
	return STATUS_NOT_EXECUTABLE;
}

/* The script's descriptor, high and closed in programs; or minus a status after a message. */
static int open_script(struct shell *sh, const char *name)
{
	struct vfs_stat st;
	const char *path = name;
	int64_t fd = sys_open(sh->p, AT_FDCWD_, path, O_RDONLY_, 0);
	int64_t high;

	if (fd == -E_NOENT && strchr(name, '/') == NULL) {
		path = find_program(sh, name, var_get_text(sh, "PATH"));
		if (path != NULL)
			fd = sys_open(sh->p, AT_FDCWD_, path, O_RDONLY_, 0);
	}
	if (fd < 0) {
		cannot_run(sh, name, err_text((int)fd), false);
		return fd == -E_NOENT ? -STATUS_NOT_FOUND : -STATUS_NOT_EXECUTABLE;
	}
	if (sys_fstat(sh->p, (int)fd, &st) == 0 && (st.mode & S_FMT) == S_DIR)
		return -cannot_run(sh, name, "Is a directory", true);
	if (is_binary(sh, (int)fd))
		return -cannot_run(sh, name, "cannot execute binary file", true);
	high = sys_dup_from(sh->p, (int)fd, 255, true);
	if (high < 0)
		return (int)fd;
	sys_close(sh->p, (int)fd);
	return (int)high;
}

static int script_file(struct invocation *v)
{
	struct shell *sh = v->sh;
	const char *name = v->argv[v->at];
	const char *shell = sh->arg0;
	int fd;

	sh->arg0 = name;
	source_startup(v);
	sh->arg0 = shell;
	if (sh->flow != FLOW_NONE)
		return sh->status;
	fd = open_script(sh, name);
	if (fd < 0)
		return -fd;
	sh->arg0 = name;
	sh->frame->source = name;
	params_set(sh, v->argc - v->at - 1, v->argv + v->at + 1);
	return exec_fd_script(sh, fd);
}

static int standard_input(struct invocation *v)
{
	struct shell *sh = v->sh;
	int status;

	params_set(sh, v->argc - v->at, v->argv + v->at);
	sh->opt.set |= (uint64_t)1 << SET_STDIN;
	sh->stdin_script = true;
	source_startup(v);
	if (sh->flow != FLOW_NONE)
		return sh->status;
	status = exec_fd_script(sh, 0);
	if (v->interactive && sh->flow == FLOW_NONE)
		sys_write(sh->p, 2, "exit\n", 5);
	return status;
}

static int run(struct invocation *v)
{
	struct shell *sh = v->sh;

	v->interactive = v->interactive || (!v->command && v->at >= v->argc &&
					    sys_isatty(sh->p, 0) && sys_isatty(sh->p, 2));
	if (v->interactive) {
		sh->opt.set |= (uint64_t)1 << SET_INTERACTIVE;
		sh->opt.set |= ((uint64_t)1 << SET_HISTEXPAND | (uint64_t)1 << SET_HISTORY) &
			       ~v->off;
		sh->opt.shopt |= (uint64_t)1 << SHOPT_expand_aliases;
	}
	if (v->login) {
		sh->opt.set |= (uint64_t)1 << SET_LOGIN;
		sh->opt.shopt |= (uint64_t)1 << SHOPT_login_shell;
	}
	if (v->command)
		return command_string(v);
	if (v->from_stdin || v->at >= v->argc)
		return standard_input(v);
	return script_file(v);
}

/* The options that SHELLOPTS (with set) or BASHOPTS (with shopt) has in the environment. */
static void import_options(struct shell *sh, const char *variable, const char *list, bool of_set)
{
	struct bytes name = bytes_of(variable);
	struct var *v = var_ensure(sh, name, bytes_hash(name));

	v->flags |= VAR_EXPORT;
	for (const char *at = list; *at != '\0';) {
		struct bytes word = { at, strcspn(at, ":") };
		int o = of_set ? set_option_of_name(word) : shopt_of_name(word);

		if (o >= 0 && of_set)
			shell_set_option(sh, (enum set_option)o, true);
		else if (o >= 0)
			shell_set_shopt(sh, (enum shopt_option)o, true);
		else if (of_set && word.len != 0)
			shell_error(sh, "line 0: %.*s: invalid option name", (int)word.len,
				    word.ptr);
		at += word.len + (at[word.len] == ':');
	}
}

static void import_environment_options(struct invocation *v, char *const *envp)
{
	for (; envp != NULL && *envp != NULL; envp++) {
		const char *equals = strchr(*envp, '=');
		struct bytes name = { *envp, equals != NULL ? (size_t)(equals - *envp) : 0 };

		if (bytes_is(name, "SHELLOPTS"))
			import_options(v->sh, "SHELLOPTS", v->restricted ? "" : equals + 1, true);
		else if (bytes_is(name, "BASHOPTS"))
			import_options(v->sh, "BASHOPTS", v->restricted ? "" : equals + 1, false);
	}
}

int interp_program(struct proc *p, int argc, char **argv, char **envp)
{
	const char *name = argc > 0 ? argv[0] : "bash";
	bool is_sh = strcmp(base_name(name), "sh") == 0;
	struct invocation v = { .argc = argc, .argv = argv, .status = -1 };
	int status;

	v.sh = shell_new(p, envp, is_sh);
	v.sh->arg0 = arena_dup(&p->arena, bytes_of(name));
	if (!v.sh->last_arg_exported)
		set_last_arg(v.sh, name);
	v.sh->script_name = base_name(v.sh->arg0);
	v.login = *name == '-';
	v.restricted = strcmp(base_name(name), "rbash") == 0;
	scan_options(&v);
	if (v.status >= 0)
		return v.status;
	import_environment_options(&v, envp);
	if (v.restricted)
		function_tables_free(v.sh); /* what the environment brought in */
	status = exec_finish(v.sh, run(&v));
	history_save(v.sh);
	return status & 255;
}
