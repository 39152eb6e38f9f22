/* SPDX-License-Identifier: MIT
 *
 * Parts of the shell's state that are copied when a subshell is to stand alone.
 */
#ifndef INTERP_STATE_H
#define INTERP_STATE_H

struct function;
struct shell;

/* Functions of the environment (BASH_FUNC_name%%=() { ...}). */
void function_import(struct shell *sh, char *const *envp);
/* A call of f returned: frees it if it was replaced meanwhile. */
void function_done(struct shell *sh, struct function *f);
void function_copy_all(struct shell *sh, struct shell *from);
/* The same for another kernel, which shares no trees: parses them anew. */
void function_parse_all(struct shell *sh, struct shell *from);
/* Appends BASH_FUNC_ entries of exported functions to an environment: the new list, or the
 * old one when there are none; in sh->arena. */
char *const *function_environ(struct shell *sh, char *const *environ);
/* For saved sessions: as bytes, and back. How many functions can't be read back (they are left
 * out). */
struct buf;
struct unpack;
int function_pack(struct shell *sh, struct buf *out);
void function_unpack(struct shell *sh, struct unpack *in);
/* set -o history: reads HISTFILE, if nothing was recorded yet. */
void history_enable(struct shell *sh);
/* set +o history: the command that runs is an entry like others. */
void history_disable(struct shell *sh);
/* At the end of the shell: what was recorded goes to HISTFILE. */
void history_save(struct shell *sh);
/* HISTCMD: the number of the command that runs; 0 if there is no history. */
int history_number(const struct shell *sh);
struct var;
/* HISTFILESIZE was assigned: the file is shortened. */
void history_size_changed(struct shell *sh, struct var *v);
void history_pack(const struct shell *sh, struct buf *out);
/* In a subshell: whether the last entry is the command that runs. */
void history_copy_state(struct shell *sh, const struct shell *from);
void history_unpack(struct shell *sh, struct unpack *in);
void completion_pack(const struct shell *sh, struct buf *out);
void completion_unpack(struct shell *sh, struct unpack *in);
void alias_copy_all(struct shell *sh, struct shell *from);
/* Where the shell is, directory stack, DIRSTACK: in a new shell, when its variables are there. */
void builtin_state_init(struct shell *sh);
void builtin_state_copy(struct shell *sh, struct shell *from);

#endif
