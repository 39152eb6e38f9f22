/* SPDX-License-Identifier: MIT
 *
 * rand and srand: the numbers that gawk gives for a seed.
 *
 * They come from BSD's random() with 63 words (an additive feedback generator, seeded by Park
 * and Miller's), shuffled by a table of 512 numbers (Knuth, TAOCP vol. 2, 3.2.2, algorithm B);
 * two of them make a rand(). Compared with gawk 5.2.
 */
#include "builtins/awk/code.h"

enum {
	WORDS = 63,
	TAP = 1,                /* where the second index begins */
	SHUFFLED = 512,         /* a power of two */
	DISCARDED = 10 * WORDS, /* of a new sequence */
};

struct random {
	uint32_t word[WORDS];
	unsigned at;
	uint32_t last; /* chooses the next one of the table */
	uint32_t table[SHUFFLED];
};

/* x * 16807 mod 2^31 - 1, by Schrage's method; 0 would stay 0. */
static uint32_t next_seed(uint32_t word)
{
	int32_t x = word == 0 ? 123459876 : (int32_t)word;
	int64_t y = 16807 * (int64_t)(x % 127773) - 2836 * (int64_t)(x / 127773);

	return (uint32_t)(y < 0 ? y + INT32_MAX : y);
}

static uint32_t feedback(struct random *r)
{
	uint32_t *word = &r->word[(r->at + TAP) % WORDS];

	*word += r->word[r->at];
	r->at = (r->at + 1) % WORDS;
	return *word >> 1;
}

static uint32_t shuffled(struct random *r)
{
	uint32_t *place = &r->table[r->last % SHUFFLED];

	r->last = *place;
	*place = feedback(r);
	return r->last;
}

static struct random *start(struct awk *a)
{
	struct random *r = pool_alloc(a->pool, sizeof *r);

	r->at = 0;
	r->word[0] = (uint32_t)a->seed;
	for (int i = 1; i < WORDS; i++)
		r->word[i] = next_seed(r->word[i - 1]);
	for (int i = 0; i < SHUFFLED; i++)
		r->table[i] = feedback(r);
	r->last = feedback(r);
	for (int i = 0; i < DISCARDED; i++)
		shuffled(r);
	awk_work(a, SHUFFLED + DISCARDED);
	return r;
}

double awk_random_next(struct awk *a)
{
	const double range = 2147483648.0;
	double d;

	if (a->random == NULL)
		a->random = start(a);
	do {
		double low = shuffled(a->random);

		/* As far as a double near 1 is exact. */
		d = 0.5 + (low / range + shuffled(a->random)) / range;
		d -= 0.5;
	} while (d >= 1);
	return d;
}

void awk_random_seed(struct awk *a, int64_t seed)
{
	a->seed = seed;
	if (a->random != NULL)
		pool_free(a->pool, a->random, sizeof *a->random);
	a->random = NULL;
}

double awk_random_reseed(struct awk *a, struct val *args, int n)
{
	int64_t old = a->seed;
	int64_t seed = cmd_now(a->c) / 1000000000;

	if (n > 0) {
		double d = val_to_num(a, &args[0]);

		/* What no integer holds is the smallest one, as a processor answers gawk. */
		seed = d > -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN;
	}
	awk_random_seed(a, seed);
	return (double)old;
}
