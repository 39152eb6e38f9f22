/* SPDX-License-Identifier: MIT
 *
 * The image of vdso/vdso.c, which the build makes first.
 */
	.section .rodata
	.globl vdso_image
	.globl vdso_image_end
	.hidden vdso_image
	.hidden vdso_image_end
	.balign 4096
vdso_image:
	.incbin VDSO_IMAGE
vdso_image_end:
	.section .note.GNU-stack, "", @progbits
