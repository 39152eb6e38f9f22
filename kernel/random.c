/* SPDX-License-Identifier: MIT
 *
 * Randomness from the session's seed: xoshiro256** (Blackman and Vigna), its state filled by
 * splitmix64. Not for secrets.
 */
#include "kernel/internal.h"

static uint64_t split_mix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

void random_seed(struct kernel *k, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		k->rng[i] = split_mix(&seed);
	k->boot_id[0] = split_mix(&seed);
	k->boot_id[1] = split_mix(&seed);
}

uint64_t random_next(struct kernel *k)
{
	uint64_t *s = k->rng;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

/* Low byte first, whatever the machine. */
void random_fill(struct kernel *k, void *out, size_t n)
{
	unsigned char *at = out;
	uint64_t word = 0;

	for (size_t i = 0; i < n; i++) {
		if (i % 8 == 0)
			word = random_next(k);
		at[i] = (unsigned char)(word >> (i % 8 * 8));
	}
}

uint64_t kernel_random(struct kernel *k)
{
	kernel_fuel(k)->left--;
	return random_next(k);
}

uint64_t sys_random(struct proc *p)
{
	proc_charge(p, 1);
	return random_next(p->k);
}

void sys_random_bytes(struct proc *p, void *out, size_t n)
{
	proc_charge(p, 1 + n / 64);
	random_fill(p->k, out, n);
}
