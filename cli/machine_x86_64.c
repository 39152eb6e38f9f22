/* SPDX-License-Identifier: MIT
 *
 * The machine for real programs: KVM.
 */
#include "cli/cli.h"

#include "cowsh_microvm.h"

const struct cowsh_microvm *machine_of_host(void)
{
	/* Later nothing can be opened any more. */
	cowsh_kvm_open();
	return cowsh_kvm();
}
