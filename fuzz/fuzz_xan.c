/* SPDX-License-Identifier: MIT
 *
 * xan: the input's first line is a file (its rows separated by '|'), the others are the
 * arguments. Through the public interface, so that CSV, expressions and JSON are reached.
 */
#include "cowsh.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 40, REGION_BYTES = 256 << 20 };

static cowsh *new_base(void)
{
	static const char tree[] = "printf 'a,b\\n1,x\\n2,y\\n' > g.csv";
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
	const char *argv[ARGS_MAX + 1] = { "xan" };
	char *text = malloc(size + 1);
	int argc = 1;
	cowsh *s;

	if (base == NULL)
		base = new_base();
	memcpy(text, data, size);
	text[size] = '\0';
	char *first = strchr(text, '\n');

	if (first != NULL)
		*first++ = '\0';
	for (char *at = first; argc < ARGS_MAX && at != NULL; argc++) {
		char *end = strchr(at, '\n');

		argv[argc] = at;
		if (end != NULL)
			*end = '\0';
		at = end != NULL ? end + 1 : NULL;
	}
	if (cowsh_fork(base, NULL, &s) < 0)
		abort();
	for (char *at = text; *at != '\0'; at++)
		if (*at == '|')
			*at = '\n';
	if (cowsh_put_file(s, "f.csv", text, strlen(text), 0644) < 0)
		abort();
	cowsh_set_limit(s, COWSH_LIMIT_STEPS, 2000000);
	cowsh_set_limit(s, COWSH_LIMIT_MEMORY, 32 << 20);
	if (cowsh_start_program(s, argc, argv) == 0)
		cowsh_step(s, 0);
	cowsh_free(s);
	free(text);
	return 0;
}
