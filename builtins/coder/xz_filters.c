/* SPDX-License-Identifier: MIT
 *
 * xz: filter chains, as --lzma2=dict=1MiB and its like name them one after the other.
 */
#include "builtins/coder/xz.h"

enum { PRESET_DEFAULT = 6, LCLP_MAX = 4, DICT_MIN = 4096, DICT_LARGEST = 1610612736 };

static int put_word(struct cmd *c, const char *text, const struct opt_word *words, uint32_t *out)
{
	for (; words->word != NULL; words++)
		if (strcmp(words->word, text) == 0) {
			*out = (uint32_t)words->value;
			return 0;
		}
	return cmd_error(c, 0, "%s: Invalid option value", text);
}

static int put_number(struct cmd *c, const char *name, const char *text, uint64_t min, uint64_t max,
		      uint32_t *out)
{
	uint64_t n;

	if (xz_number(c, name, text, min, max, &n) != 0)
		return 1;
	*out = (uint32_t)n;
	return 0;
}

static int put_preset(struct cmd *c, struct codec_filter *f, const char *text)
{
	bool extreme = text[0] != '\0' && strcmp(text + 1, "e") == 0;

	if (byte_is_digit(text[0]) && (text[1] == '\0' || extreme) &&
	    codec_filter_preset(f, text[0] - '0', extreme))
		return 0;
	return cmd_error(c, 0, "Unsupported LZMA1/LZMA2 preset: %s", text);
}

static int put_lzma(struct cmd *c, struct codec_filter *f, const char *name, const char *text)
{
	static const struct opt_word modes[] = { { "fast", 1 }, { "normal", 2 }, { NULL, 0 } };
	static const struct opt_word finders[] = {
		{ "hc3", 0x03 }, { "hc4", 0x04 }, { "bt2", 0x12 },
		{ "bt3", 0x13 }, { "bt4", 0x14 }, { NULL, 0 },
	};

	if (strcmp(name, "preset") == 0)
		return put_preset(c, f, text);
	if (strcmp(name, "dict") == 0)
		return put_number(c, name, text, DICT_MIN, DICT_LARGEST, &f->dict);
	if (strcmp(name, "lc") == 0)
		return put_number(c, name, text, 0, 4, &f->lc);
	if (strcmp(name, "lp") == 0)
		return put_number(c, name, text, 0, 4, &f->lp);
	if (strcmp(name, "pb") == 0)
		return put_number(c, name, text, 0, 4, &f->pb);
	if (strcmp(name, "mode") == 0)
		return put_word(c, text, modes, &f->mode);
	if (strcmp(name, "mf") == 0)
		return put_word(c, text, finders, &f->finder);
	if (strcmp(name, "nice") == 0)
		return put_number(c, name, text, 2, 273, &f->nice);
	if (strcmp(name, "depth") == 0)
		return put_number(c, name, text, 0, UINT32_MAX, &f->depth);
	return cmd_error(c, 0, "%s: Invalid option name", name);
}

static int put_option(struct cmd *c, struct codec_filter *f, const char *name, const char *text)
{
	if (f->kind == CODEC_FILTER_LZMA1 || f->kind == CODEC_FILTER_LZMA2)
		return put_lzma(c, f, name, text);
	if (f->kind == CODEC_FILTER_DELTA && strcmp(name, "dist") == 0)
		return put_number(c, name, text, 1, 256, &f->value);
	if (f->kind != CODEC_FILTER_DELTA && strcmp(name, "start") == 0)
		return put_number(c, name, text, 0, UINT32_MAX, &f->value);
	return cmd_error(c, 0, "%s: Invalid option name", name);
}

static int check(struct cmd *c, const struct codec_filter *f)
{
	if (f->kind != CODEC_FILTER_LZMA1 && f->kind != CODEC_FILTER_LZMA2)
		return 0;
	if (f->lc + f->lp > LCLP_MAX)
		return cmd_error(c, 0, "The sum of lc and lp must not exceed 4");
	return 0;
}

int xz_opt_filter(struct cmd *c, const struct opt *o, const char *arg)
{
	struct xz *x = c->opts;
	struct codec_filter *f = &x->filters[x->nfilters];

	if (x->nfilters == CODEC_FILTERS_MAX)
		return cmd_error(c, 0, "Maximum number of filters is four");
	*f = (struct codec_filter){ .kind = (enum codec_filter_kind)o->value,
				    .value = o->value == CODEC_FILTER_DELTA };
	codec_filter_preset(f, PRESET_DEFAULT, false);
	while (arg != NULL && *arg != '\0') {
		size_t len = strcspn(arg, ",");
		char *pair = arena_dup(c->arena, (struct bytes){ arg, len });
		char *mark = strchr(pair, '=');

		arg += len + (arg[len] == ',');
		if (len == 0)
			continue;
		if (mark == NULL || mark[1] == '\0')
			return cmd_error(
				c, 0,
				"%s: Options must be `name=value' pairs separated with commas",
				pair);
		*mark = '\0';
		if (put_option(c, f, pair, mark + 1) != 0)
			return 1;
	}
	x->nfilters++;
	return check(c, f);
}

static void take_preset(struct xz *x)
{
	if (x->quiet < 1) {
		cmd_error(x->c, 0, "Using a preset in raw mode is discouraged.");
		cmd_error(x->c, 0,
			  "The exact options of the presets may vary between software versions.");
	}
	x->filters[0] = (struct codec_filter){ .kind = CODEC_FILTER_LZMA2 };
	codec_filter_preset(&x->filters[0], x->level, x->extreme);
	x->nfilters = 1;
}

/* Whether a chain for raw data stays within the limit; a message if not. */
static bool fits(struct xz *x)
{
	uint64_t max = x->decompress ? x->decompress_max : x->compress_max;
	uint64_t need = codec_filters_memory(x->filters, x->nfilters, x->decompress);

	if (max == 0 || need <= max)
		return true;
	if (x->quiet < 2)
		cmd_error(x->c, 0, "Memory usage limit is too low for the given filter setup.");
	xz_say_needed(x, need, max);
	return false;
}

bool xz_check_filters(struct xz *x)
{
	const char *text = NULL;
	bool raw = x->format == XZ_RAW;

	if (raw && x->nfilters == 0)
		take_preset(x);
	if (x->nfilters == 0 || (x->decompress && !raw))
		return true;
	for (int i = 0; i < x->nfilters; i++)
		if (x->format != XZ_LZMA && !raw && x->filters[i].kind == CODEC_FILTER_LZMA1)
			text = "LZMA1 cannot be used with the .xz format";
	if (x->format == XZ_LZMA && (x->nfilters != 1 || x->filters[0].kind != CODEC_FILTER_LZMA1))
		text = "The .lzma format supports only the LZMA1 filter";
	if (text == NULL &&
	    codec_filters_memory(x->filters, x->nfilters, x->decompress) == UINT64_MAX)
		text = "Unsupported filter chain or filter options";
	if (text != NULL)
		cmd_error(x->c, 0, "%s", text);
	return text == NULL && (!raw || fits(x));
}
