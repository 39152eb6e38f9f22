/* SPDX-License-Identifier: MIT
 *
 * SHA3 of values and of a database's content: sha3(), .sha3sum
 */
#include "builtins/sqlite3/shell.h"

int dot_sha3sum(struct dot *d)
{
	complain(d->s, "Error: \".sha3sum\" is not supported by cowsh\n");
	return DOT_ERROR;
}
