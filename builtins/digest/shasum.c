/* SPDX-License-Identifier: MIT
 *
 * shasum - the command of Perl (and macOS) for SHA digests: -a says which.
 *
 * Not here: SHA-512/224 and SHA-512/256, universal newlines, bits (docs/limits.md, D-3).
 */
#include "builtins/digest/sums.h"

static int set_algorithm(struct cmd *c, const struct opt *opt, const char *arg)
{
	static const struct {
		const char *name;
		enum digest_kind kind;
	} known[] = {
		{ "1", DIGEST_SHA1 },     { "224", DIGEST_SHA224 }, { "256", DIGEST_SHA256 },
		{ "384", DIGEST_SHA384 }, { "512", DIGEST_SHA512 },
	};
	static const char hint[] = "Type shasum -h for help\n";

	(void)opt;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(arg, known[i].name) == 0) {
			((struct sums_opts *)c->opts)->algorithm = (int)known[i].kind;
			return 0;
		}
	if (strcmp(arg, "512224") == 0 || strcmp(arg, "512256") == 0)
		return cmd_error(c, 0, "SHA-512/%s is not here: see docs/limits.md", arg + 3);
	cmd_warn(c, 0, "Unrecognized algorithm");
	cmd_err_write(c, hint, sizeof hint - 1);
	return 1;
}

static const struct opt shasum_options[] = {
	OPT_CALL_ARG('a', "algorithm", set_algorithm, "N", "1 (default), 224, 256, 384, 512"),
	OPT_FLAG('b', "binary", struct sums_opts, binary, "mark files as binary"),
	OPT_FLAG('c', "check", struct sums_opts, check,
		 "read digests from the files and check them"),
	OPT_FLAG(0, "tag", struct sums_opts, tag, "write lines as BSD does"),
	OPT_FLAG('t', "text", struct sums_opts, text, "mark files as text (default)"),
	OPT_MISSING('U', "UNIVERSAL"),
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

	o->any_sha = o->check;
	o->binary = o->binary && !o->text;
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
