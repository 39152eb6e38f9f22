/* SPDX-License-Identifier: MIT
 *
 * Programs named git-NAME, and the environment of all that git starts.
 */
#ifndef BUILTINS_GIT_EXTERNAL_H
#define BUILTINS_GIT_EXTERNAL_H

#include "builtins/git/git.h"

const char *git_exec_path(struct git *g);
/* Puts that directory in front of PATH, for all programs that git starts. e becomes the
 * environment. */
void git_env_exec_path(struct git *g, struct env *e);
/* -c KEY=VALUE (NULL: KEY alone), for this git and those that it starts. e becomes the environment.
 */
void git_env_parameter(struct git *g, struct env *e, const char *key, const char *value);
/* Runs git-ARGV[0] with the other arguments. False: there is no such program. */
bool git_external(struct git *g, int argc, char **argv, int *status);
/* Adds the names of those that are on PATH. */
void git_externals(struct git *g, struct names *out);

#endif
