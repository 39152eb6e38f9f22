/* SPDX-License-Identifier: MIT
 *
 * System calls that a program makes often, or each at its start, and whose answers are known: who
 * it is, what a signal does, where its thread's memory is. Where `syscall` leads to ring 3 (nested
 * machines, where the way to the host and back costs 40 µs), the stub looks them up in a page that
 * the host fills in, and goes back. It uses no stack and only registers that a system call may
 * change; the program can read the page, not write it. Before anything it looks whether it is in
 * ring 3, since from another it must not go back by itself. Where it is interrupted or its pointer
 * is bad, the call is made anew or by the host.
 */
#include "microvm/kvm/kvm.h"

#include <stddef.h>
#include <string.h>

extern const unsigned char answers_code[];
extern const unsigned char answers_slow[];
extern const unsigned char answers_copy[];
extern const unsigned char answers_end[];

/* The page of answers follows the page of stubs; this stands ANSWERS_AT bytes into that. */
#define DATA(member) (KVM_PAGE - ANSWERS_AT + offsetof(struct cowsh_vm_answers, member))
#define NOTE(member)                                                                               \
	((PAGE_NOTES - PAGE_STUBS) * KVM_PAGE - ANSWERS_AT +                                       \
	 offsetof(struct cowsh_vm_notes, member))

/* Behind the notes: whose ring the stub runs in. */
#define NOTES_RING ((PAGE_NOTES - PAGE_STUBS) * KVM_PAGE - ANSWERS_AT + KVM_PAGE - 8)

/* rcx: where to go on; r11 holds flags that a program doesn't rely on. */
__attribute__((used)) static void code(void)
{
	__asm__ volatile(
		".pushsection .rodata\n"
		".global answers_code, answers_slow, answers_copy, answers_end\n"
		".hidden answers_code, answers_slow, answers_copy, answers_end\n"
		"answers_code:\n"
		" mov %%cs, answers_code + %c[ring](%%rip)\n"
		" testb $3, answers_code + %c[ring](%%rip)\n je answers_slow\n"
		" cmp $13, %%rax\n je answers_action\n"
		" cmp $39, %%rax\n je answers_pid\n"
		" cmp $102, %%rax\n je answers_uid\n"
		" cmp $104, %%rax\n je answers_gid\n"
		" cmp $107, %%rax\n je answers_euid\n"
		" cmp $108, %%rax\n je answers_egid\n"
		" cmp $110, %%rax\n je answers_ppid\n"
		" cmp $186, %%rax\n je answers_tid\n"
		" cmp $12, %%rax\n je answers_brk\n"
		" cmp $158, %%rax\n je answers_base\n"
		" cmp $218, %%rax\n je answers_clear\n"
		" cmp $273, %%rax\n je answers_robust\n"
		" cmp $302, %%rax\n je answers_limit\n"
		" cmp $334, %%rax\n je answers_none\n"
		"answers_slow:\n"
		" out %%al, %[port]\n"
		" ud2\n"
		"answers_pid:\n mov answers_code + %c[pid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_tid:\n mov answers_code + %c[tid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_ppid:\n mov answers_code + %c[ppid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_uid:\n mov answers_code + %c[uid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_gid:\n mov answers_code + %c[gid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_euid:\n mov answers_code + %c[euid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_egid:\n mov answers_code + %c[egid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_none:\n mov $-38, %%rax\n jmp *%%rcx\n"
		"answers_brk:\n test %%rdi, %%rdi\n jne answers_slow\n"
		" mov answers_code + %c[brk](%%rip), %%rax\n jmp *%%rcx\n"
		"answers_base:\n cmp $0x1002, %%rdi\n jne answers_slow\n"
		" mov %%rsi, %%r11\n shr $47, %%r11\n jne answers_wide\n"
		" wrfsbase %%rsi\n xor %%eax, %%eax\n jmp *%%rcx\n"
		"answers_wide:\n xor %%r11d, %%r11d\n jmp answers_slow\n"
		"answers_clear:\n mov %%rdi, answers_code + %c[clear](%%rip)\n"
		" mov answers_code + %c[tid](%%rip), %%eax\n jmp *%%rcx\n"
		"answers_robust:\n cmp $24, %%rsi\n jne answers_slow\n"
		" mov %%rdi, answers_code + %c[robust](%%rip)\n"
		" xor %%eax, %%eax\n jmp *%%rcx\n"
		"answers_limit:\n test %%rdi, %%rdi\n jne answers_slow\n"
		" cmp $3, %%rsi\n jne answers_slow\n"
		" test %%rdx, %%rdx\n jne answers_slow\n"
		" mov answers_code + %c[limit](%%rip), %%r11\n mov %%r11, (%%r10)\n"
		" mov answers_code + 8 + %c[limit](%%rip), %%r11\n mov %%r11, 8(%%r10)\n"
		" xor %%eax, %%eax\n jmp *%%rcx\n"
		"answers_action:\n test %%rsi, %%rsi\n jne answers_slow\n"
		" test %%rdx, %%rdx\n je answers_slow\n"
		" cmp $8, %%r10\n jne answers_slow\n"
		" test %%rdi, %%rdi\n je answers_slow\n"
		" cmp $64, %%rdi\n ja answers_slow\n"
		"answers_copy:\n"
		" mov %%rdi, %%r11\n shl $5, %%r11\n"
		" lea answers_code + %c[action](%%rip), %%rax\n add %%rax, %%r11\n"
		" mov (%%r11), %%rax\n mov %%rax, (%%rdx)\n"
		" mov 8(%%r11), %%rax\n mov %%rax, 8(%%rdx)\n"
		" mov 16(%%r11), %%rax\n mov %%rax, 16(%%rdx)\n"
		" mov 24(%%r11), %%rax\n mov %%rax, 24(%%rdx)\n"
		" xor %%eax, %%eax\n jmp *%%rcx\n"
		"answers_end:\n"
		".popsection\n"
		:
		: [port] "i"(PORT_SYSCALL), [pid] "i"(DATA(pid)), [tid] "i"(DATA(tid)),
		  [ppid] "i"(DATA(ppid)), [uid] "i"(DATA(uid)), [gid] "i"(DATA(gid)),
		  [euid] "i"(DATA(euid)), [egid] "i"(DATA(egid)), [action] "i"(DATA(action)),
		  [brk] "i"(DATA(brk)), [limit] "i"(DATA(stack_limit)), [ring] "i"(NOTES_RING),
		  [clear] "i"(NOTE(clear_tid)), [robust] "i"(NOTE(robust_list)));
}

static uint64_t answers_va(void)
{
	return SYSTEM_VA + (uint64_t)PAGE_STUBS * KVM_PAGE + ANSWERS_AT;
}

void answers_install(struct kvm_machine *m)
{
	memcpy(m->system + (size_t)PAGE_STUBS * KVM_PAGE + ANSWERS_AT, answers_code,
	       (size_t)(answers_end - answers_code));
	m->answering = true;
}

void answers_remove(struct kvm_machine *m)
{
	memcpy(m->system + (size_t)PAGE_STUBS * KVM_PAGE + ANSWERS_AT, answers_slow, 4);
	m->answering = false;
}

void answers_choose(struct kvm_machine *m)
{
	bool silent = !m->asked;

	m->asked = false;
	if (!m->answering || silent == m->silent)
		return;
	m->silent = silent;
	memcpy(m->system + (size_t)PAGE_STUBS * KVM_PAGE + ANSWERS_AT,
	       silent ? answers_slow : answers_code, 4);
}

/* The stub's place, as an offset in its code; false: rip is not in there. */
static bool place(const struct kvm_machine *m, uint64_t rip, uint64_t *out)
{
	*out = rip - answers_va();
	return m->answering && *out < (uint64_t)(answers_end - answers_code);
}

bool answers_undo(const struct kvm_machine *m, struct cowsh_vm_registers *r)
{
	uint64_t at;

	if (!place(m, r->rip, &at) || at - (uint64_t)(answers_slow - answers_code) < 4)
		return false;
	if (at >= (uint64_t)(answers_copy - answers_code))
		r->rax = 13; /* rt_sigaction */
	else if (memcmp(answers_code + at, "\xff\xe1", 2) == 0)
		r->rcx += 2; /* at its jump, with the answer */
	r->rip = r->rcx - 2;
	return true;
}
