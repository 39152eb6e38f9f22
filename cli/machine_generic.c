/* SPDX-License-Identifier: MIT
 *
 * On this processor there is no machine for real programs.
 */
#include "cli/cli.h"

const struct cowsh_microvm *machine_of_host(void)
{
	return NULL;
}
