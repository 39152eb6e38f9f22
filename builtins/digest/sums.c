/* SPDX-License-Identifier: MIT
 *
 * md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum - write or check digests.
 */
#include "builtins/digest/sums.h"

static int set_text(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sums_opts *o = c->opts;

	(void)arg;
	o->binary = opt->letter == 'b';
	o->text = !o->binary;
	return 0;
}

/* -t counts with --tag only where it stands behind it. */
static int set_tag(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sums_opts *o = c->opts;

	(void)opt, (void)arg;
	o->tag = true;
	o->text = false;
	return 0;
}

/* Of several of these the last decides how much is said. */
static int set_silence(struct cmd *c, const struct opt *opt, const char *arg)
{
	struct sums_opts *o = c->opts;

	(void)arg;
	o->quiet = strcmp(opt->name, "quiet") == 0;
	o->status = strcmp(opt->name, "status") == 0;
	o->warn = strcmp(opt->name, "warn") == 0;
	return 0;
}

#define SUMS_OPTIONS                                                                               \
	OPT_CALL('b', "binary", set_text, "mark files as binary"),                                 \
		OPT_FLAG('c', "check", struct sums_opts, check,                                    \
			 "read digests from the files and check them"),                            \
		OPT_CALL(0, "tag", set_tag, "write lines as BSD does"),                            \
		OPT_CALL('t', "text", set_text, "mark files as text (default)"),                   \
		OPT_FLAG('z', "zero", struct sums_opts, zero,                                      \
			 "lines end with NUL, names are not quoted"),                              \
		OPT_FLAG(0, "ignore-missing", struct sums_opts, ignore_missing,                    \
			 "when checking: files that are missing do not count"),                    \
		OPT_CALL(0, "quiet", set_silence, "when checking: do not write OK for each file"), \
		OPT_CALL(0, "status", set_silence,                                                 \
			 "when checking: write nothing, the status says it"),                      \
		OPT_FLAG(0, "strict", struct sums_opts, strict,                                    \
			 "when checking: lines of another form are failures"),                     \
		OPT_CALL('w', "warn", set_silence, "when checking: report lines of another form")

static const struct opt sums_options[] = {
	SUMS_OPTIONS,
	OPT_END(),
};

static const struct opt b2sum_options[] = {
	OPT_CALL_ARG('l', "length", sums_set_length, "BITS",
		     "length of the digest, a multiple of 8"),
	SUMS_OPTIONS,
	OPT_END(),
};

const char *sums_tag(int kind)
{
	static const char *const tags[] = {
		[DIGEST_MD5] = "MD5",
		[DIGEST_SHA1] = "SHA1",
		[DIGEST_SHA224] = "SHA224",
		[DIGEST_SHA256] = "SHA256",
		[DIGEST_SHA384] = "SHA384",
		[DIGEST_SHA512] = "SHA512",
		[DIGEST_SHA512_224] = "SHA512/224",
		[DIGEST_SHA512_256] = "SHA512/256",
		[DIGEST_SM3] = "SM3",
		[DIGEST_BLAKE2B] = "BLAKE2b",
	};

	return tags[kind];
}

int sums_digest(struct input *in, struct digest *d, uint8_t out[DIGEST_MAX])
{
	struct bytes part;
	int more;

	while ((more = input_chunk(in, &part)) > 0) {
		digest_update(d, part);
		cmd_charge_bytes(in->c, part.len);
	}
	digest_final(d, out);
	return more;
}

int sums_digest_universal(struct input *in, struct digest *d, uint8_t out[DIGEST_MAX])
{
	bool was_cr = false;
	struct bytes part;
	int more;

	while ((more = input_chunk(in, &part)) > 0) {
		for (size_t at = 0; at < part.len;) {
			const char *cr = memchr(part.ptr + at, '\r', part.len - at);
			size_t end = cr != NULL ? (size_t)(cr - part.ptr) : part.len;

			/* The other half of a line end. */
			at += was_cr && part.ptr[at] == '\n';
			was_cr = cr != NULL;
			if (at < end)
				digest_update(d, bytes_slice(part, at, end));
			if (was_cr)
				digest_update(d, BYTES("\n"));
			at = end + was_cr;
		}
		cmd_charge_bytes(in->c, part.len * 2);
	}
	digest_final(d, out);
	return more;
}

/* --- output --- */

static bool needs_escape(const char *name)
{
	return name[strcspn(name, "\\\n\r")] != 0;
}

static void put_name(struct cmd *c, const char *name, bool escape)
{
	for (; *name != '\0'; name++) {
		if (escape && *name == '\n')
			cmd_puts(c, "\\n");
		else if (escape && *name == '\r')
			cmd_puts(c, "\\r");
		else if (escape && *name == '\\')
			cmd_puts(c, "\\\\");
		else
			cmd_putc(c, *name);
	}
}

static void put_hex(struct cmd *c, const uint8_t *at, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		cmd_putc(c, digits[at[i] >> 4]);
		cmd_putc(c, digits[at[i] & 15]);
	}
}

static void put_sum(struct cmd *c, const struct sums_opts *o, const char *name,
		    const struct digest *d, const uint8_t *sum)
{
	bool escape = !o->zero && needs_escape(name);

	if (escape)
		cmd_putc(c, '\\');
	if (o->tag) {
		cmd_puts(c, sums_tag(o->algorithm));
		if (d->kind == DIGEST_BLAKE2B && d->size < DIGEST_MAX)
			cmd_printf(c, "-%zu", d->size * 8);
		cmd_puts(c, " (");
		put_name(c, name, escape);
		cmd_puts(c, ") = ");
	}
	put_hex(c, sum, d->size);
	if (!o->tag) {
		cmd_putc(c, ' ');
		cmd_putc(c, o->universal ? 'U' : o->binary ? '*' : ' ');
		put_name(c, name, escape);
	}
	cmd_putc(c, o->zero ? '\0' : '\n');
}

int sums_write(struct cmd *c, const struct sums_opts *o)
{
	int status = 0;

	for (int i = 0; i < c->nfiles; i++) {
		struct input in;
		struct digest d;
		uint8_t sum[DIGEST_MAX];
		int err = input_open(&in, c, c->files[i]);

		digest_init(&d, (enum digest_kind)o->algorithm, (size_t)o->length_bits / 8);
		if (err >= 0) {
			err = o->universal ? sums_digest_universal(&in, &d, sum)
					   : sums_digest(&in, &d, sum);
			input_close(&in);
		}
		if (err < 0)
			status = cmd_error(c, err, "%s", cmd_quotef(c, c->files[i]));
		else
			put_sum(c, o, c->files[i], &d, sum);
	}
	return status;
}

/* --- options --- */

int sums_set_length(struct cmd *c, const struct opt *opt, const char *text)
{
	struct sums_opts *o = c->opts;
	int err = num_parse_u64(text, "", &o->length_bits);

	(void)opt;
	o->length_text = text;
	if (err != 0 && err != -E_OVERFLOW)
		return cmd_error(c, 0, "invalid length: %s", cmd_quote(c, text));
	if (o->length_bits % 8 != 0) {
		cmd_error(c, 0, "invalid length: %s", cmd_quote(c, text));
		return cmd_error(c, 0, "length is not a multiple of 8");
	}
	return 0;
}

int sums_check_length(struct cmd *c, const struct sums_opts *o)
{
	if (o->length_bits <= DIGEST_MAX * 8)
		return 0;
	cmd_error(c, 0, "invalid length: %s", cmd_quote(c, o->length_text));
	return cmd_error(c, 0, "maximum digest length for %s is %d bits", cmd_quote(c, "BLAKE2b"),
			 DIGEST_MAX * 8);
}

int sums_check_options(struct cmd *c, const struct sums_opts *o)
{
	const char *only = o->ignore_missing ? "ignore-missing"
			   : o->status       ? "status"
			   : o->warn         ? "warn"
			   : o->quiet        ? "quiet"
			   : o->strict       ? "strict"
					     : NULL;

	if (o->tag && o->text)
		return cmd_usage(c, "--tag does not support --text mode");
	if (o->zero && o->check)
		return cmd_usage(c, "the --zero option is not supported when verifying checksums");
	if (o->tag && o->check)
		return cmd_usage(c, "the --tag option is meaningless when verifying checksums");
	if ((o->binary || o->text) && o->check)
		return cmd_usage(c, "the --binary and --text options are meaningless when "
				    "verifying checksums");
	if (only != NULL && !o->check)
		return cmd_usage(c, "the --%s option is meaningful only when verifying checksums",
				 only);
	return 0;
}

static int sums_run(struct cmd *c)
{
	struct sums_opts *o = c->opts;
	int status = sums_check_length(c, o);

	if (status == 0)
		status = sums_check_options(c, o);
	if (status != 0)
		return status;
	return o->check ? sums_check(c, o) : sums_write(c, o);
}

#define SUMS(id, command, algorithm_kind, options, text)                                           \
	static void id##_defaults(struct cmd *c)                                                   \
	{                                                                                          \
		((struct sums_opts *)c->opts)->algorithm = (algorithm_kind);                       \
	}                                                                                          \
	const struct builtin builtin_##id = {                                                      \
		.name = command,                                                                   \
		.usage = "[OPTION]... [FILE]...",                                                  \
		.summary = "Writes the " text                                                      \
			   " digest of each file, or checks digests that were written.",           \
		.run = sums_run,                                                                   \
		.opts = options,                                                                   \
		.opts_size = sizeof(struct sums_opts),                                             \
		.flags = BUILTIN_WRITE_BARE,                                                       \
		.defaults = id##_defaults,                                                         \
	}

SUMS(md5sum, "md5sum", DIGEST_MD5, sums_options, "MD5");
SUMS(sha1sum, "sha1sum", DIGEST_SHA1, sums_options, "SHA-1");
SUMS(sha224sum, "sha224sum", DIGEST_SHA224, sums_options, "SHA-224");
SUMS(sha256sum, "sha256sum", DIGEST_SHA256, sums_options, "SHA-256");
SUMS(sha384sum, "sha384sum", DIGEST_SHA384, sums_options, "SHA-384");
SUMS(sha512sum, "sha512sum", DIGEST_SHA512, sums_options, "SHA-512");
SUMS(b2sum, "b2sum", DIGEST_BLAKE2B, b2sum_options, "BLAKE2b");
