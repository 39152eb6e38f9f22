/* SPDX-License-Identifier: MIT
 *
 * mcookie - 128 random bits in hexadecimal digits, with files stirred in.
 */
#include "base/digest.h"
#include "builtins/builtin.h"

enum { SIZE_DEFAULT = 4096, RANDOM_BYTES = 128, COOKIE_BYTES = 16 };

struct mcookie {
	struct buf files; /* names, each ends with NUL */
	uint64_t max;     /* bytes of each; 0: the usual number */
	bool verbose;
};

static int opt_file(struct cmd *c, const struct opt *o, const char *arg)
{
	struct mcookie *m = c->opts;

	(void)o;
	if (m->files.arena == NULL)
		m->files = buf_in(c->arena);
	buf_put(&m->files, arg, strlen(arg) + 1);
	return 0;
}

static int opt_max(struct cmd *c, const struct opt *o, const char *arg)
{
	int err = num_parse_u64(arg, "KMGTPEZY0", &((struct mcookie *)c->opts)->max);

	(void)o;
	if (err != 0)
		return cmd_error(c, err == -E_OVERFLOW ? E_RANGE : E_INVAL,
				 "failed to parse length: '%s'", arg);
	return 0;
}

static const struct opt mcookie_options[] = {
	OPT_CALL_ARG('f', "file", opt_file, "FILE", "stir in what is in FILE"),
	OPT_CALL_ARG('m', "max-size", opt_max, "N", "of it at most N bytes"),
	OPT_FLAG('v', "verbose", struct mcookie, verbose, "say what was stirred in"),
	OPT_END(),
};

static void say_got(struct cmd *c, uint64_t n, const char *from)
{
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "Got %llu bytes from %s\n", (unsigned long long)n, from);
	cmd_err_write(c, text.ptr, text.len);
}

static void stir_in(struct cmd *c, struct mcookie *m, struct digest *d, const char *name)
{
	uint64_t left = m->max != 0 ? m->max : SIZE_DEFAULT;
	uint64_t got = 0;
	struct bytes block;
	struct input in;
	int err = input_open(&in, c, name);

	if (err < 0) {
		cmd_warn(c, err, "cannot open %s", name);
		return;
	}
	while (left > got && input_block(&in, &block) > 0) {
		if (block.len > left - got)
			block.len = (size_t)(left - got);
		digest_update(d, block);
		cmd_charge_bytes(c, block.len);
		got += block.len;
	}
	input_close(&in);
	if (m->verbose)
		say_got(c, got, name);
}

static int mcookie_run(struct cmd *c)
{
	struct mcookie *m = c->opts;
	uint8_t random[RANDOM_BYTES];
	uint8_t sum[DIGEST_MAX];
	struct digest d;

	if (m->max != 0 && m->files.len == 0)
		cmd_warn(c, 0, "--max-size ignored when used without --file");
	digest_init(&d, DIGEST_MD5, COOKIE_BYTES);
	for (size_t at = 0; at < m->files.len; at += strlen(m->files.ptr + at) + 1)
		stir_in(c, m, &d, m->files.ptr + at);
	cmd_random_bytes(c, random, sizeof random);
	digest_update(&d, (struct bytes){ (const char *)random, sizeof random });
	if (m->verbose)
		say_got(c, RANDOM_BYTES, "getrandom() function");
	digest_final(&d, sum);
	for (size_t i = 0; i < COOKIE_BYTES; i++)
		cmd_printf(c, "%02x", sum[i]);
	cmd_putc(c, '\n');
	return 0;
}

const struct builtin builtin_mcookie = {
	.name = "mcookie",
	.usage = "[OPTION]...",
	.summary = "Writes a random number of 128 bits in hexadecimal digits.",
	.run = mcookie_run,
	.opts = mcookie_options,
	.opts_size = sizeof(struct mcookie),
	.family = "util-linux 2.38.1",
};
