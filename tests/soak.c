/* SPDX-License-Identifier: MIT
 *
 * Long runs: a million sessions made, used and freed; a million commands in one session; ten
 * million turns of a loop. Memory must stay flat. usage: soak [SESSIONS]
 */
#include "cowsh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static cowsh_store *store;
static int failed;

static void check(const char *name, size_t before, size_t after, size_t allowed)
{
	bool ok = after <= before + allowed;

	printf("%-44s %10zu -> %zu bytes%s\n", name, before, after, ok ? "" : "  GREW");
	failed += !ok;
}

static void run(cowsh *s, const char *script)
{
	struct cowsh_result result;

	if (cowsh_run(s, script, strlen(script), &result) < 0 || result.limit >= 0)
		abort();
}

static cowsh *new_session(void)
{
	cowsh *s;

	if (cowsh_new(store, NULL, NULL, &s) < 0)
		abort();
	return s;
}

static void many_sessions(long count)
{
	size_t before = 0;

	for (long i = 0; i < count; i++) {
		cowsh *s = new_session();

		run(s, "x=$(echo $RANDOM); f() { local y=$x; }; f; echo $x > f");
		cowsh_free(s);
		if (i == 100)
			before = cowsh_store_used(store);
	}
	check("sessions made, used, freed", before, cowsh_store_used(store), 0);
}

static void many_commands(long count)
{
	cowsh *s = new_session();
	size_t before = 0;

	for (long i = 0; i < count; i++) {
		run(s, "a+=(1); b=${#a[@]}; [ $b -gt 10 ] && a=(); c=$(echo $b | tr 0-9 a-j); echo "
		       "$c > f");
		if (i == 1000)
			before = cowsh_store_used(store);
	}
	check("commands in one session", before, cowsh_store_used(store), 65536);
	cowsh_free(s);
}

static void many_turns(void)
{
	cowsh *s = new_session();
	size_t before;

	run(s, "for ((i = 0; i < 100000; i++)); do x=$i; y=${x%0}$x; done");
	before = cowsh_store_used(store);
	run(s, "for ((i = 0; i < 10000000; i++)); do x=$i; y=${x%0}$x; done");
	check("turns of a loop", before, cowsh_store_used(store), 65536);
	cowsh_free(s);
}

int main(int argc, char **argv)
{
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	long count = argc > 1 ? atol(argv[1]) : 1000000;

	config.region_size = (size_t)4 << 30;
	config.region = mmap(NULL, config.region_size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (config.region == MAP_FAILED || cowsh_store_new(&config, &store) < 0)
		return 1;
	many_sessions(count);
	many_commands(count);
	many_turns();
	printf("%d passed, %d failed\n", 3 - failed, failed);
	return failed != 0;
}
