/* SPDX-License-Identifier: MIT
 *
 * The machine for real programs: KVM.
 */
#include "cli/cli.h"

#include "cowsh_microvm.h"

const struct cowsh_microvm *machine_of_host(void)
{
	return cowsh_kvm();
}
