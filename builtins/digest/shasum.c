/* SPDX-License-Identifier: MIT
 *
 * shasum - the command of Perl (and macOS) for SHA digests: -a says which.
 *
 * Not here: -0, the digest of bits (docs/limits.md, D-3).
 */
#include "builtins/digest/sums.h"

static int misused(struct cmd *c, const char *what)
{
	static const char hint[] = "Type shasum -h for help\n";

	cmd_warn(c, 0, "%s", what);
	cmd_err_write(c, hint, sizeof hint - 1);
	return 1;
}

static int set_algorithm(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct {
		const char *name;
		enum digest_kind kind;
	} known[] = {
		{ "1", DIGEST_SHA1 },
		{ "224", DIGEST_SHA224 },
		{ "256", DIGEST_SHA256 },
		{ "384", DIGEST_SHA384 },
		{ "512", DIGEST_SHA512 },
		{ "512224", DIGEST_SHA512_224 },
		{ "512256", DIGEST_SHA512_256 },
	};

	(void)opt;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(arg, known[i].name) == 0) {
			((struct sums_opts *)c->opts)->algorithm = (int)known[i].kind;
			return 0;
		}
	return misused(c, "Unrecognized algorithm");
}

static const struct opt shasum_options[] = {
	OPT_CALL_ARG('a', "algorithm", set_algorithm, "N",
		     "1 (default), 224, 256, 384, 512, 512224, 512256"),
	OPT_FLAG('b', "binary", struct sums_opts, binary, "mark files as binary"),
	OPT_FLAG('c', "check", struct sums_opts, check,
		 "read digests from the files and check them"),
	OPT_FLAG(0, "tag", struct sums_opts, tag, "write lines as BSD does"),
	OPT_FLAG('t', "text", struct sums_opts, text, "mark files as text (default)"),
	OPT_FLAG('U', "UNIVERSAL", struct sums_opts, universal,
		 "line ends of all systems count as one byte"),
	OPT_MISSING('0', "01"),
	OPT_FLAG(0, "ignore-missing", struct sums_opts, ignore_missing,
		 "when checking: files that are missing do not count"),
	OPT_FLAG('q', "quiet", struct sums_opts, quiet,
		 "when checking: do not write OK for each file"),
	OPT_FLAG('s', "status", struct sums_opts, status,
		 "when checking: write nothing, the status says it"),
	OPT_FLAG(0, "strict", struct sums_opts, strict,
		 "when checking: lines of another form are failures"),
	OPT_FLAG('w', "warn", struct sums_opts, warn,
		 "when checking: report lines of another form"),
	OPT_END(),
};

static int shasum_run(struct cmd *c)
{
	struct sums_opts *o = c->opts;

	if (o->binary + o->text + o->universal > 1)
		return misused(c, "Ambiguous file mode");
	if (o->tag && o->universal)
		return misused(c, "--tag does not support Universal Newlines mode");
	if (o->tag && o->text)
		return misused(c, "--tag does not support --text mode");
	if (!o->check) {
		static const char *const names[] = { "warn", "status", "quiet", "ignore-missing",
						     "strict" };
		const bool given[] = { o->warn, o->status, o->quiet, o->ignore_missing, o->strict };

		for (size_t i = 0; i < sizeof(given); i++)
			if (given[i]) {
				struct buf b = buf_in(c->arena);

				buf_printf(&b, "--%s option used only when verifying checksums",
					   names[i]);
				return misused(c, buf_cstr(&b));
			}
	}
	o->any_sha = o->check;
	return o->check ? sums_check(c, o) : sums_write(c, o);
}

static void shasum_defaults(struct cmd *c)
{
	((struct sums_opts *)c->opts)->algorithm = DIGEST_SHA1;
}

const struct builtin builtin_shasum = {
	.name = "shasum",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Writes the SHA digest of each file, or checks digests that were written.",
	.run = shasum_run,
	.opts = shasum_options,
	.opts_size = sizeof(struct sums_opts),
	.defaults = shasum_defaults,
	.family = "perl 5.36",
};
