/* SPDX-License-Identifier: MIT
 *
 * Context switch for aarch64, AAPCS64: x19 to x30, the low halves of v8 to v15, and FPCR.
 * See coro.c.
 */
	.text

/* void coro_swap(void **save, void *load) */
	.globl coro_swap
	.hidden coro_swap
	.type coro_swap, %function
	.balign 16
coro_swap:
	sub sp, sp, #176
	stp x19, x20, [sp, #0]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mrs x2, fpcr
	str x2, [sp, #160]
	mov x3, sp
	str x3, [x0]
	mov sp, x1
	ldr x4, [sp, #160]
	cmp x2, x4
	b.eq 1f
	msr fpcr, x4
1:
	ldp x19, x20, [sp, #0]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	add sp, sp, #176
	ret
	.size coro_swap, . - coro_swap

/* void *coro_prepare(void *top, void (*fn)(void *), void *arg) */
	.globl coro_prepare
	.hidden coro_prepare
	.type coro_prepare, %function
	.balign 16
coro_prepare:
	and x0, x0, #-16
	sub x0, x0, #176
	stp x1, x2, [x0, #0]
	stp xzr, xzr, [x0, #16]
	stp xzr, xzr, [x0, #32]
	stp xzr, xzr, [x0, #48]
	stp xzr, xzr, [x0, #64]
	adrp x3, coro_entry
	add x3, x3, :lo12:coro_entry
	stp xzr, x3, [x0, #80]
	stp xzr, xzr, [x0, #96]
	stp xzr, xzr, [x0, #112]
	stp xzr, xzr, [x0, #128]
	stp xzr, xzr, [x0, #144]
	mrs x3, fpcr
	str x3, [x0, #160]
	ret
	.size coro_prepare, . - coro_prepare

/* fn in x19, arg in x20; nothing to return to. */
	.type coro_entry, %function
	.balign 16
coro_entry:
	.cfi_startproc
	.cfi_undefined x30
	mov x0, x20
	blr x19
	brk #1
	.cfi_endproc
	.size coro_entry, . - coro_entry

	.section .note.GNU-stack, "", %progbits
