/* SPDX-License-Identifier: MIT
 *
 * Every command, one a line, sorted by the bytes of the command's name (`bracket` is "[").
 * Included twice by table.c and once by builtin.h with BUILTIN defined; no guard.
 */
BUILTIN(basename)
BUILTIN(cat)
BUILTIN(cut)
BUILTIN(dirname)
BUILTIN(echo)
BUILTIN(false)
BUILTIN(head)
BUILTIN(pwd)
BUILTIN(sleep)
BUILTIN(true)
BUILTIN(wc)
