/* SPDX-License-Identifier: MIT
 *
 * Context switch for x86-64, System V ABI: the callee-saved registers and the control words of
 * SSE and x87. See coro.c.
 */
	.text

/* void coro_swap(void **save, void *load) */
	.globl coro_swap
	.hidden coro_swap
	.type coro_swap, @function
	.balign 16
coro_swap:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $8, %rsp
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	popq %rcx
	jmpq *%rcx
	.size coro_swap, . - coro_swap

/* void *coro_prepare(void *top, void (*fn)(void *), void *arg) */
	.globl coro_prepare
	.hidden coro_prepare
	.type coro_prepare, @function
	.balign 16
coro_prepare:
	andq $-16, %rdi
	leaq -80(%rdi), %rax
	stmxcsr (%rax)
	fnstcw 4(%rax)
	xorl %ecx, %ecx
	movq %rcx, 8(%rax)
	movq %rcx, 16(%rax)
	movq %rsi, 24(%rax)
	movq %rdx, 32(%rax)
	movq %rcx, 40(%rax)
	movq %rcx, 48(%rax)
	leaq coro_entry(%rip), %rcx
	movq %rcx, 56(%rax)
	ret
	.size coro_prepare, . - coro_prepare

/* fn in r13, arg in r12; nothing to return to. */
	.type coro_entry, @function
	.balign 16
coro_entry:
	.cfi_startproc
	.cfi_undefined rip
	movq %r12, %rdi
	callq *%r13
	ud2
	.cfi_endproc
	.size coro_entry, . - coro_entry

	.section .note.GNU-stack, "", @progbits
