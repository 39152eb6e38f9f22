/* SPDX-License-Identifier: MIT
 *
 * What the shell's own commands (builtin_*.c) share.
 */
#ifndef INTERP_BUILTIN_H
#define INTERP_BUILTIN_H

#include "base/buf.h"
#include "base/number.h"
#include "interp/shell.h"

#define BUILTIN(ident, name, flags, usage, summary)                                                \
	int do_##ident(struct shell *sh, int argc, char **argv);
#include "interp/builtin_list.h"
#undef BUILTIN

enum { STATUS_MISUSE = 2 };

/* "cd: usage: cd ..." on descriptor 2; gives STATUS_MISUSE. */
int usage_error(struct shell *sh, const char *name);
void builtin_enable_set(struct shell *sh, const struct shell_builtin *b, bool on);
/* Writes raw bytes to descriptor 2. */
void err_write(struct shell *sh, struct bytes text);
/* The whole of out to descriptor 1: 0, or 1 after a message. */
int out_flush(struct shell *sh, const char *name, struct buf *out);
/* The same for those lists whose loss bash does not notice. */
void out_flush_unchecked(struct shell *sh, struct buf *out);
/* Before a message: writes the complete lines of out, which then only holds the rest. So output
 * and messages mix as from bash, whose output is line buffered. */
void out_lines(struct shell *sh, const char *name, struct buf *out);
/* The text of `help name` (also --help), as it is written. */
void help_text(struct buf *out, const struct shell_builtin *b);
/* What `help` knows, in the order of names; NULL at the end. */
const char *help_topic(int i);

/* For commands that take no options: argv[1] may be "--"; a word that begins with '-' is said to
 * be an invalid option. Returns the index of the first operand, or -1 (status 2). */
int no_options(struct shell *sh, int argc, char **argv);

/* A decimal number with optional sign and white space around, as bash's `break 2` reads it. */
bool number_argument(const char *text, int64_t *out);

/* Caught signals that ended a kernel call are noted for trap_poll, so that it can be tried again.*/
void signals_note(struct shell *sh);

static inline uint64_t name_hash(struct bytes name)
{
	return bytes_hash(name);
}

/* Executes text as the file `path`, with positional parameters of its own if there are any. */
int source_text(struct shell *sh, const char *path, struct bytes text, int argc, char **argv);

/* Before history and completions are used: a subshell gets copies of its own. */
void shell_own_lists(struct shell *sh);

/* The zone that TZ names, in sh->arena. */
struct zone *shell_zone(struct shell *sh);

/* --- builtin_declare_print.c --- */

/* "declare -x a=\"1\"": the definition of v as `declare -p` shows it. */
void print_variable(struct shell *sh, struct buf *out, struct var *v);
/* The same as `export -p` and `readonly -p` write it in posix mode: "export x=...". */
void print_posix_variable(struct shell *sh, struct buf *out, struct var *v, const char *builtin);
/* a=1, a=([0]="x"): as `set` and `declare` without arguments show it. */
void print_assignment(struct shell *sh, struct buf *out, struct var *v);
/* The letters of `flags` as `declare -p` shows them. */
void print_attributes(struct buf *out, unsigned flags);
/* The value as `declare -p` shows an array; false: it has none. */
bool print_array_value(struct shell *sh, struct buf *out, struct var *v);
/* `declare -f`, and the line "declare -fx name" of `declare -F`. */
void print_shell_function(struct shell *sh, struct buf *out, const struct function *f);
void print_function_line(struct buf *out, const struct function *f);
/* All variables as `set` lists them, then all functions unless in POSIX mode. */
void print_all_variables(struct shell *sh, struct buf *out, bool functions);

/* --- builtin_cd.c --- */

/* Changes the directory as `cd name` does, without CDPATH; messages by `who`. Status. */
int change_directory(struct shell *sh, const char *who, const char *path);
/* The logical working directory ($PWD as the shell keeps it). NULL after who's message: nobody
 * knows it, for it was removed. */
const char *logical_directory(struct shell *sh, const char *who);
/* "who: error retrieving current directory: ..." */
void no_current_directory(struct shell *sh, const char *who, int64_t err);

/* --- builtin_test.c --- */

/* name='value' and a newline, behind `before`: builtin_unset.c. */
void print_alias(struct buf *out, const char *before, struct bytes name, struct bytes value);

/* Evaluates argv[0..argc) as `test` does; name is "test" or "[". 0, 1 or 2 after a message. */
int test_evaluate(struct shell *sh, const char *name, int argc, char **argv);

#endif
