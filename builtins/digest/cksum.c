/* SPDX-License-Identifier: MIT
 *
 * cksum, sum - CRC, the sums of BSD and System V, and any digest by name.
 */
#include "builtins/digest/sums.h"

enum { SUM_BSD = SUMS_TAGS, SUM_SYSV, SUM_CRC };

static const struct opt_word algorithm_words[] = {
	{ "bsd", SUM_BSD },          { "sysv", SUM_SYSV },
	{ "crc", SUM_CRC },          { "md5", DIGEST_MD5 },
	{ "sha1", DIGEST_SHA1 },     { "sha224", DIGEST_SHA224 },
	{ "sha256", DIGEST_SHA256 }, { "sha384", DIGEST_SHA384 },
	{ "sha512", DIGEST_SHA512 }, { "blake2b", DIGEST_BLAKE2B },
	{ "sm3", DIGEST_SM3 },       { NULL, 0 },
};

static int set_algorithm(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sums_opts *o = c->opts;

	(void)opt;
	o->has_algorithm = true;
	return opt_whole_word(c, algorithm_words, "--algorithm", arg, &o->algorithm);
}

/* Of several the last counts. */
static int set_tag(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sums_opts *o = c->opts;

	(void)arg;
	o->untagged = strcmp(opt->name, "untagged") == 0;
	return 0;
}

static int set_silence(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sums_opts *o = c->opts;

	(void)arg;
	o->quiet = strcmp(opt->name, "quiet") == 0;
	o->status = strcmp(opt->name, "status") == 0;
	o->warn = strcmp(opt->name, "warn") == 0;
	return 0;
}

static const struct opt cksum_options[] = {
	OPT_CALL_ARG('a', "algorithm", set_algorithm, "TYPE",
		     "bsd, sysv, crc (default), md5, sha1, sha224, ..., blake2b, sm3"),
	OPT_FLAG('c', "check", struct sums_opts, check,
		 "read digests from the files and check them"),
	OPT_CALL_ARG('l', "length", sums_set_length, "BITS",
		     "length of a blake2b digest, a multiple of 8"),
	OPT_CALL(0, "tag", set_tag, "write lines as BSD does (default)"),
	OPT_CALL(0, "untagged", set_tag, "write lines as md5sum does"),
	OPT_FLAG('z', "zero", struct sums_opts, zero, "lines end with NUL, names are not quoted"),
	OPT_FLAG(0, "ignore-missing", struct sums_opts, ignore_missing,
		 "when checking: files that are missing do not count"),
	OPT_CALL(0, "quiet", set_silence, "when checking: do not write OK for each file"),
	OPT_CALL(0, "status", set_silence, "when checking: write nothing, the status says it"),
	OPT_FLAG(0, "strict", struct sums_opts, strict,
		 "when checking: lines of another form are failures"),
	OPT_CALL('w', "warn", set_silence, "when checking: report lines of another form"),
	OPT_IGNORED(0, "debug", "no effect"),
	OPT_END(),
};

static const struct opt sum_options[] = {
	OPT_SET('r', NULL, struct sums_opts, algorithm, SUM_BSD,
		"BSD's sum, blocks of 1024 (default)"),
	OPT_SET('s', "sysv", struct sums_opts, algorithm, SUM_SYSV,
		"System V's sum, blocks of 512"),
	OPT_END(),
};

/* A running sum of one of the three kinds. */
static uint32_t add_sum(int algorithm, uint32_t sum, struct bytes s)
{
	if (algorithm == SUM_CRC)
		return digest_crc(sum, s);
	for (size_t i = 0; i < s.len; i++) {
		if (algorithm == SUM_BSD)
			sum = ((sum >> 1) + ((sum & 1) << 15)) & 0xffff;
		sum += (unsigned char)s.ptr[i];
		if (algorithm == SUM_BSD)
			sum &= 0xffff;
	}
	return sum;
}

static uint32_t end_crc(uint32_t crc, uint64_t total)
{
	for (; total > 0; total >>= 8) {
		char low = (char)(total & 0xff);

		crc = digest_crc(crc, (struct bytes){ &low, 1 });
	}
	return ~crc;
}

static void put_plain(struct cmd *c, const struct sums_opts *o, const char *name, uint32_t sum,
		      uint64_t total)
{
	unsigned long long bytes = total;

	if (o->algorithm == SUM_CRC) {
		cmd_printf(c, "%u %llu", end_crc(sum, total), bytes);
	} else if (o->algorithm == SUM_SYSV) {
		uint32_t folded = (sum & 0xffff) + (sum >> 16);

		folded = (folded & 0xffff) + (folded >> 16);
		cmd_printf(c, "%u %llu", folded, bytes / 512 + (bytes % 512 != 0));
	} else {
		cmd_printf(c, "%05u %5llu", sum, bytes / 1024 + (bytes % 1024 != 0));
	}
	if (c->nargs > 0)
		cmd_printf(c, " %s", name);
	cmd_putc(c, o->zero ? '\0' : '\n');
}

static int sum_file(struct input *in, void *arg)
{
	const struct sums_opts *o = arg;
	uint32_t sum = 0;
	uint64_t total = 0;
	struct bytes part;
	int more;

	while ((more = input_chunk(in, &part)) > 0) {
		sum = add_sum(o->algorithm, sum, part);
		total += part.len;
		cmd_charge_bytes(in->c, part.len);
	}
	/* The CRC of a directory is that of nothing. */
	if (more == -E_ISDIR && o->algorithm == SUM_CRC)
		more = 0;
	if (more == 0)
		put_plain(in->c, o, in->name, sum, total);
	return more;
}

static int cksum_run(struct cmd *c)
{
	struct sums_opts *o = c->opts;
	bool plain = o->algorithm >= SUMS_TAGS;

	if (o->length_bits != 0 && o->algorithm != DIGEST_BLAKE2B)
		return cmd_error(c, 0, "--length is only supported with --algorithm=blake2b");
	int status = sums_check_length(c, o);

	if (status != 0)
		return status;
	if (o->check && plain && o->has_algorithm)
		return cmd_error(c, 0, "--check is not supported with --algorithm={bsd,sysv,crc}");
	status = sums_check_options(c, o);
	if (status != 0)
		return status;
	o->any_algorithm = o->check && !o->has_algorithm;
	o->tag = !o->untagged;
	if (o->check)
		return sums_check(c, o);
	return plain ? cmd_each_file(c, sum_file, o) : sums_write(c, o);
}

static void cksum_defaults(struct cmd *c)
{
	((struct sums_opts *)c->opts)->algorithm = SUM_CRC;
}

const struct builtin builtin_cksum = {
	.name = "cksum",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes or checks the CRC and size, or the digest, of each file.",
	.run = cksum_run,
	.opts = cksum_options,
	.opts_size = sizeof(struct sums_opts),
	.defaults = cksum_defaults,
	.flags = BUILTIN_WRITE_BARE,
};

static int sum_run(struct cmd *c)
{
	return cmd_each_file(c, sum_file, c->opts);
}

static void sum_defaults(struct cmd *c)
{
	((struct sums_opts *)c->opts)->algorithm = SUM_BSD;
}

const struct builtin builtin_sum = {
	.name = "sum",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes a sum and the number of blocks of each file.",
	.run = sum_run,
	.opts = sum_options,
	.opts_size = sizeof(struct sums_opts),
	.defaults = sum_defaults,
	.flags = BUILTIN_WRITE_BARE,
};
