/* SPDX-License-Identifier: MIT
 *
 * jq: a program, and behind a byte \001 its input. Through the public interface, so that
 * options and files are reached too.
 */
#include "cowsh.h"

#include <stdlib.h>
#include <string.h>

enum { REGION_BYTES = 256 << 20 };

static cowsh *new_base(void)
{
	static const char tree[] = "printf '[1,{\"a\":[2,null]},\"x\"] 5' > f";
	struct cowsh_store_config config = COWSH_STORE_CONFIG_INIT;
	cowsh_store *store;
	cowsh *s;

	config.region_size = REGION_BYTES;
	config.region = malloc(config.region_size);
	if (cowsh_store_new(&config, &store) < 0 || cowsh_new(store, NULL, NULL, &s) < 0 ||
	    cowsh_run(s, tree, sizeof tree - 1, NULL) < 0)
		abort();
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static cowsh *base;
	char *text = malloc(size + 1);
	const char *argv[] = { "jq", "-c", "--", text, "f", NULL };
	cowsh *s;

	if (base == NULL)
		base = new_base();
	memcpy(text, data, size);
	text[size] = '\0';
	char *input = strchr(text, '\001');

	if (cowsh_fork(base, NULL, &s) < 0)
		abort();
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 32 << 20);
	if (input != NULL) {
		*input++ = '\0';
		cowsh_put_file(s, "f", input, size - (size_t)(input - text), 0644);
	}
	if (cowsh_start_program(s, 5, argv) == 0)
		cowsh_step(s, 0);
	cowsh_free(s);
	free(text);
	return 0;
}
