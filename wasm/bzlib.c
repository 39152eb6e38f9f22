/* SPDX-License-Identifier: MIT
 *
 * What libbz2 calls, built without stdio, when it finds its own state broken.
 */
void bz_internal_error(int code);
void bz_internal_error(int code)
{
	(void)code;
	__builtin_trap();
}
