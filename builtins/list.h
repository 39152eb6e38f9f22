/* SPDX-License-Identifier: MIT
 *
 * Every command, one a line, sorted by the bytes of the command's name (`bracket` is "[").
 * Included twice by table.c and once by builtin.h with BUILTIN defined; no guard.
 */
BUILTIN(basename)
BUILTIN(cat)
BUILTIN(cp)
BUILTIN(cut)
BUILTIN(dirname)
BUILTIN(echo)
BUILTIN(false)
BUILTIN(head)
BUILTIN(ln)
BUILTIN(ls)
BUILTIN(mkdir)
BUILTIN(mv)
BUILTIN(pwd)
BUILTIN(rm)
BUILTIN(rmdir)
BUILTIN(sleep)
BUILTIN(sort)
BUILTIN(true)
BUILTIN(wc)
