/* SPDX-License-Identifier: MIT
 *
 * Every command, one a line, sorted by the bytes of the command's name (`bracket` is "[").
 * Included twice by table.c and once by builtin.h with BUILTIN defined; no guard.
 */
BUILTIN(cat)
