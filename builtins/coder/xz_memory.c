/* SPDX-License-Identifier: MIT
 *
 * xz's limits of memory: options, and dictionaries that fit.
 */
#include "builtins/coder/xz.h"

enum { MIB = 1 << 20, SPARE_SHARE = 8 }; /* an eighth stays for all else */

static int bad_suffix(struct cmd *c, const char *at)
{
	cmd_error(c, 0, "%s: Invalid multiplier suffix", at);
	return cmd_error(c, 0, "Valid suffixes are `KiB' (2^10), `MiB' (2^20), and `GiB' (2^30).");
}

int xz_number(struct cmd *c, const char *name, const char *text, uint64_t min, uint64_t max,
	      uint64_t *out)
{
	bool over = false;
	uint64_t n = 0;
	int shift = 0;

	*out = max;
	if (strcmp(text, "max") == 0)
		return 0;
	text += strspn(text, " \t");
	if (!byte_is_digit(*text))
		return cmd_error(c, 0, "%s: Value is not a non-negative decimal integer", text);
	for (; byte_is_digit(*text); text++) {
		over |= __builtin_mul_overflow(n, 10, &n);
		over |= __builtin_add_overflow(n, (uint64_t)byte_digit(*text), &n);
	}
	if (*text != '\0') {
		const char *unit = strchr("kmg", byte_to_lower(*text));

		if (unit == NULL || (text[1] != '\0' && strcmp(text + 1, "iB") != 0 &&
				     strcmp(text + 1, "i") != 0 && strcmp(text + 1, "B") != 0))
			return bad_suffix(c, text);
		shift = *unit == 'k' ? 10 : *unit == 'm' ? 20 : 30;
	}
	over |= n > UINT64_MAX >> shift;
	n <<= shift;
	if (over || n < min || n > max)
		return cmd_error(c, 0, "Value of the option `%s' must be in the range [%llu, %llu]",
				 name, (unsigned long long)min, (unsigned long long)max);
	*out = n;
	return 0;
}

int xz_opt_memlimit(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;
	size_t len = strlen(arg);
	uint64_t n;

	if (len > 0 && arg[len - 1] == '%') {
		char *digits = arena_dup(c->arena, (struct bytes){ arg, len - 1 });
		struct cmd_usage_totals totals;

		if (xz_number(c, "memlimit%", digits, 1, 100, &n) != 0)
			return 1;
		cmd_totals(c, &totals);
		n = totals.memory_total / 100 * n;
	} else if (xz_number(c, "memlimit", arg, 0, UINT64_MAX, &n) != 0) {
		return 1;
	}
	if (o->value & XZ_MEMORY_COMPRESS)
		x->compress_max = n;
	if (o->value & XZ_MEMORY_DECOMPRESS)
		x->decompress_max = n;
	return 0;
}

uint64_t xz_mib(uint64_t n)
{
	return n / MIB + (n % MIB != 0);
}

void xz_say_needed(struct xz *x, uint64_t need, uint64_t limit)
{
	struct buf b = buf_in(x->c->arena);

	if (limit < MIB)
		buf_printf(&b, "%llu B", (unsigned long long)limit);
	else
		buf_printf(&b, "%llu MiB", (unsigned long long)xz_mib(limit));
	if (x->quiet < 2)
		cmd_error(x->c, 0, "%llu MiB of memory is required. The limit is %s.",
			  (unsigned long long)xz_mib(need), buf_cstr(&b));
}

bool xz_fit_memory(struct xz *x)
{
	enum codec_kind kind = x->format == XZ_LZMA ? CODEC_LZMA : CODEC_XZ;
	uint32_t whole = codec_xz_dictionary(x->level, x->extreme);
	uint64_t need = codec_xz_memory(kind, x->level, x->extreme, whole);
	uint64_t limit = x->compress_max != 0 ? x->compress_max : UINT64_MAX;
	struct cmd_usage_totals totals;
	uint64_t left;

	cmd_totals(x->c, &totals);
	left = totals.memory_total - totals.memory_total / SPARE_SHARE;
	left = left > totals.memory_used ? left - totals.memory_used : 0;
	if (need <= limit && need <= left)
		return true;
	/* What the session has left is a limit, too; what then is too little ends the session's
	 * way. */
	if (limit > left)
		limit = left / MIB * MIB;
	for (uint32_t dict = whole & ~(uint32_t)(MIB - 1); !x->no_adjust && dict >= MIB;
	     dict -= MIB) {
		if (codec_xz_memory(kind, x->level, x->extreme, dict) > limit)
			continue;
		x->dictionary = dict;
		if (x->quiet < 1)
			cmd_error(x->c, 0,
				  "Adjusted LZMA%s dictionary size from %u MiB to %u MiB to not "
				  "exceed the memory usage limit of %llu MiB",
				  kind == CODEC_XZ ? "2" : "1", whole / MIB, dict / MIB,
				  (unsigned long long)xz_mib(limit));
		return true;
	}
	if (x->quiet < 2)
		cmd_error(x->c, 0, "Memory usage limit is too low for the given filter setup.");
	xz_say_needed(x,
		      x->no_adjust || whole < MIB
			      ? need
			      : codec_xz_memory(kind, x->level, x->extreme, MIB),
		      limit);
	return false;
}
