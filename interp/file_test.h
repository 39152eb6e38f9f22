/* SPDX-License-Identifier: MIT
 *
 * The tests that `test`, `[` and `[[ ]]` share: files, terminals, variables, options.
 */
#ifndef INTERP_FILE_TEST_H
#define INTERP_FILE_TEST_H

#include "base/bytes.h"

struct shell;

/* Whether "-" + letter is a unary test: a b c d e f g h k n o p r s t u v w x z G L N O R S. */
bool file_test_is_unary(char letter);
/* The result of a unary test. 1 true, 0 false, -1 after a message (a bad array subscript). */
int file_test_unary(struct shell *sh, char letter, struct bytes operand);
/* -v; test takes the subscript as expanded already where assoc_expand_once says so, [[ ]] does
 * not. */
int file_test_variable(struct shell *sh, struct bytes text, bool once);
/* -nt, -ot, -ef: op is 'n', 'o' or 'e'. */
bool file_test_compare(struct shell *sh, char op, struct bytes a, struct bytes b);

#endif
