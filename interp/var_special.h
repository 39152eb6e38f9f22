/* SPDX-License-Identifier: MIT
 *
 * Variables whose values other files supply: the directory stack's, for example.
 */
#ifndef INTERP_VAR_SPECIAL_H
#define INTERP_VAR_SPECIAL_H

#include "interp/var.h"

/* Makes a VAR_DYNAMIC variable of a static hook. */
void var_add_dynamic(struct shell *sh, const struct var_hook *hook);
/* What they need in a new shell, and the effects of what was imported. */
void var_init_special(struct shell *sh);
/* What BASH_ARGV ends with is from now on what the positional parameters are now, if it was not
 * recorded before. */
void var_record_arguments(struct shell *sh);
/* The effects that IFS, LANG, PATH and their like have, set or not. */
void var_refresh_hooks(struct shell *sh);
/* That of IFS alone, in a copy of a shell: what is remembered of it lies in the other. */
void var_refresh_ifs(struct shell *sh);

/* What BASH_COMPAT asks for: 44 for "44" and "4.4"; 52 if it says nothing. */
int var_compat_level(struct shell *sh);

#endif
