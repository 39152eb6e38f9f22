/* SPDX-License-Identifier: MIT
 *
 * verify - compares the digest of a file with the one that is expected.
 *
 * The kind of digest is told by its length, unless it is named.
 */
#include "base/digest.h"
#include "builtins/builtin.h"

static const struct opt_word kind_words[] = {
	{ "md5", DIGEST_MD5 + 1 },       { "sha1", DIGEST_SHA1 + 1 },
	{ "sha224", DIGEST_SHA224 + 1 }, { "sha256", DIGEST_SHA256 + 1 },
	{ "sha384", DIGEST_SHA384 + 1 }, { "sha512", DIGEST_SHA512 + 1 },
	{ "b2", DIGEST_BLAKE2B + 1 },    { NULL, 0 },
};

struct verify_opts {
	int kind; /* of digest, plus 1; 0: by its length */
	bool quiet;
};

static const struct opt verify_options[] = {
	OPT_ENUM('a', "algorithm", struct verify_opts, kind, kind_words, "KIND",
		 "md5, sha1, sha224, sha256, sha384, sha512, b2"),
	OPT_FLAG('q', "quiet", struct verify_opts, quiet, "write nothing"),
	OPT_END(),
};

static int kind_of_length(size_t digits)
{
	switch (digits) {
	case 32: return DIGEST_MD5;
	case 40: return DIGEST_SHA1;
	case 56: return DIGEST_SHA224;
	case 64: return DIGEST_SHA256;
	case 96: return DIGEST_SHA384;
	case 128: return DIGEST_SHA512;
	default: return -1;
	}
}

static int hash_file(struct cmd *c, const char *path, struct digest *d)
{
	struct input in;
	struct bytes chunk;
	int got = input_open(&in, c, path);

	if (got < 0)
		return got;
	while ((got = input_chunk(&in, &chunk)) > 0) {
		digest_update(d, chunk);
		cmd_charge_bytes(c, chunk.len);
	}
	input_close(&in);
	return got;
}

/* "sha256:DIGITS" or DIGITS: the kind, or -1. */
static int parse_expected(struct cmd *c, struct bytes *text)
{
	const struct verify_opts *o = c->opts;
	int kind = o->kind - 1;

	for (const struct opt_word *w = kind_words; w->word != NULL; w++) {
		size_t n = strlen(w->word);

		if (text->len > n && memcmp(text->ptr, w->word, n) == 0 && text->ptr[n] == ':') {
			kind = w->value - 1;
			*text = bytes_slice(*text, n + 1, text->len);
			break;
		}
	}
	for (size_t i = 0; i < text->len; i++)
		if (!byte_is_xdigit((unsigned char)text->ptr[i]))
			return -1;
	return kind >= 0 ? kind : kind_of_length(text->len);
}

static int verify_run(struct cmd *c)
{
	const struct verify_opts *o = c->opts;
	struct digest d;
	uint8_t sum[DIGEST_MAX];
	struct buf found = buf_in(c->arena);
	int status = cmd_operands(c, 2, 2);

	if (status != 0)
		return status;
	struct bytes expected = bytes_of(c->args[1]);
	int kind = parse_expected(c, &expected);

	if (kind < 0)
		return cmd_usage(c, "not a digest: %s", cmd_quote(c, c->args[1]));
	digest_init(&d, (enum digest_kind)kind, kind == DIGEST_BLAKE2B ? DIGEST_MAX : 0);
	int err = hash_file(c, c->args[0], &d);

	if (err < 0)
		return cmd_error(c, err, "%s", cmd_quotef(c, c->args[0]));
	size_t size = d.size;

	digest_final(&d, sum);
	for (size_t i = 0; i < size; i++)
		buf_printf(&found, "%02x", (unsigned)sum[i]);
	bool same = found.len == expected.len;

	for (size_t i = 0; same && i < found.len; i++)
		same = found.ptr[i] == byte_to_lower((unsigned char)expected.ptr[i]);
	if (!o->quiet)
		cmd_printf(c, "%s: %s\n", c->args[0], same ? "OK" : "FAILED");
	if (!same && !o->quiet)
		cmd_error(c, 0, "%s has the digest %s", cmd_quotef(c, c->args[0]),
			  buf_cstr(&found));
	return same ? 0 : 1;
}

const struct builtin builtin_verify = {
	.name = "verify",
	.usage = "[OPTION]... FILE DIGEST",
	.summary = "Compares the digest of FILE with DIGEST: hexadecimal digits, or KIND:DIGITS.\n"
		   "The status is 0 if they are the same, 1 if not, 2 in trouble.",
	.run = verify_run,
	.opts = verify_options,
	.opts_size = sizeof(struct verify_opts),
	.usage_status = 2,
	.error_status = 2,
	.family = "cowsh",
};
