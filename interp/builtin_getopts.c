/* SPDX-License-Identifier: MIT
 *
 * getopts: the next option of the positional parameters or of the words given.
 *
 * OPTIND is the word being looked at. The place inside a group such as -abc is the shell's own
 * and forgotten when OPTIND is set to 1: with another number the group is read to its end first.
 */
#include "interp/builtin.h"

struct getopts {
	struct shell *sh;
	struct bytes letters;
	bool silent;
	const char *name; /* variable for the letter */
	int count;
	char *const *words;
	int64_t optind; /* from 1 */
	int group;      /* the word of letters, from 1: optind, unless that was assigned */
	int at;         /* inside the group; 0: none */
};

/* Leaves OPTIND and the place as they are to be for the next call. */
static void keep_place(struct getopts *g)
{
	char text[24];
	size_t len = number_put_i64(text, g->optind);
	struct bytes key = BYTES("OPTIND");
	struct bytes now;

	if (!var_get(g->sh, key, name_hash(key), &now) ||
	    !bytes_eq(now, (struct bytes){ text, len }))
		var_set(g->sh, key, name_hash(key), (struct bytes){ text, len }, 0);
	g->sh->getopts_index = g->at;
	g->sh->getopts_word = g->group;
}

static int set_letter(struct getopts *g, char letter, int status)
{
	struct bytes key = bytes_of(g->name);

	if (!is_name(key)) {
		builtin_error(g->sh, "getopts", "`%s': not a valid identifier", g->name);
		return 1;
	}
	if (var_set(g->sh, key, name_hash(key), (struct bytes){ &letter, 1 }, 0) != 0)
		return var_names_nothing(g->sh, key, name_hash(key)) ? 1 : STATUS_MISUSE;
	return status;
}

static void set_value(struct getopts *g, const char *value, size_t len)
{
	struct bytes key = BYTES("OPTARG");

	struct var *v = var_find(g->sh, key, name_hash(key));

	if (value != NULL) {
		var_set(g->sh, key, name_hash(key), (struct bytes){ value, len }, 0);
		return;
	}
	/* Even if it is read-only. */
	if (v != NULL && (v->flags & VAR_READONLY) != 0) {
		v = var_own(g->sh, v);
		v->flags &= ~(unsigned)VAR_READONLY;
	}
	var_unset(g->sh, key, name_hash(key), true);
}

/* An unknown letter, or one whose value is missing. */
static int getopts_error(struct getopts *g, char letter, bool missing)
{
	const char *opterr = var_get_text(g->sh, "OPTERR");

	keep_place(g);
	if (g->silent) {
		set_value(g, &letter, 1);
		return set_letter(g, missing ? ':' : '?', 0);
	}
	set_value(g, NULL, 0);
	if (opterr == NULL || strcmp(opterr, "0") != 0) {
		struct buf out = buf_in(g->sh->arena);

		buf_printf(&out, "%s: %s -- %c\n", g->sh->arg0,
			   missing ? "option requires an argument" : "illegal option", letter);
		err_write(g->sh, buf_bytes(&out));
	}
	return set_letter(g, '?', 0);
}

static int getopts_end(struct getopts *g)
{
	g->at = 0;
	keep_place(g);
	set_value(g, NULL, 0);
	return set_letter(g, '?', 1);
}

static void next_word(struct getopts *g)
{
	g->optind++;
	g->at = 0;
}

/* The value of the option just read. */
static int take_value(struct getopts *g, const char *word, char letter)
{
	const char *value = word + g->at;

	if (*value == '\0') {
		next_word(g);
		if (g->optind > g->count)
			return getopts_error(g, letter, true);
		value = g->words[g->optind - 1];
	}
	next_word(g);
	keep_place(g);
	set_value(g, value, strlen(value));
	return set_letter(g, letter, 0);
}

static int getopts_next(struct getopts *g)
{
	if (g->optind > g->count) {
		g->optind = g->count + 1;
		return getopts_end(g);
	}
	/* Both numbers may be a saved session's. */
	bool inside = g->at > 0 && g->group > 0 && g->group <= g->count;
	const char *word = inside ? g->words[g->group - 1] : "";

	if ((size_t)g->at >= strlen(word)) {
		word = g->words[g->optind - 1];
		if (word[0] != '-' || word[1] == '\0')
			return getopts_end(g);
		if (strcmp(word, "--") == 0) {
			g->optind++;
			return getopts_end(g);
		}
		g->at = 1;
		g->group = (int)g->optind;
	}
	char letter = word[g->at++];
	const char *known = letter != ':' ? memchr(g->letters.ptr, letter, g->letters.len) : NULL;
	bool takes_value = known != NULL && known[1] == ':';

	if (takes_value)
		return take_value(g, word, letter);
	if (word[g->at] == '\0')
		next_word(g);
	if (known == NULL)
		return getopts_error(g, letter, false);
	keep_place(g);
	set_value(g, NULL, 0);
	return set_letter(g, letter, 0);
}

int do_getopts(struct shell *sh, int argc, char **argv)
{
	struct getopts g = {
		.sh = sh, .optind = 1, .group = sh->getopts_word, .at = sh->getopts_index
	};
	int i = no_options(sh, argc, argv);

	if (i < 0)
		return STATUS_MISUSE;
	if (argc < i + 2)
		return usage_error(sh, "getopts");
	g.letters = bytes_of(argv[i]);
	g.silent = g.letters.len != 0 && g.letters.ptr[0] == ':';
	g.name = argv[i + 1];
	g.count = argc > i + 2 ? argc - i - 2 : sh->params.count;
	g.words = argc > i + 2 ? argv + i + 2 : sh->params.values;
	const char *optind = var_get_text(sh, "OPTIND");

	if (optind == NULL || !number_argument(optind, &g.optind) || g.optind < 1)
		g.optind = 1;
	return getopts_next(&g);
}
