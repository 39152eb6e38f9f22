/* SPDX-License-Identifier: MIT
 *
 * Prints the option tables of all commands, for tools/fuzz-diff:
 *
 *	command NAME
 *	option LETTER NAME ARGUMENT METAVAR WORD,WORD...
 *
 * with tabs between the fields and "-" for what there is not. LETTER "digits" stands for digits
 *that are options themselves. ARGUMENT is none, required, optional, or missing: the option is
 *known, but an error. A command without options here reads its arguments itself.
 */
#include "builtins/builtin.h"

#include <stdio.h>

static const char *const argument_names[] = {
	[OPT_ARG_NONE] = "none",
	[OPT_ARG_REQUIRED] = "required",
	[OPT_ARG_OPTIONAL] = "optional",
};

static const char *or_dash(const char *text)
{
	return text != NULL ? text : "-";
}

static void print_option(const struct opt *o)
{
	const struct opt_word *w = o->kind == OPT_KIND_ENUM ? o->words : NULL;

	printf("option\t");
	if (o->kind == OPT_KIND_DIGIT || o->kind == OPT_KIND_DIGITS)
		printf("digits");
	else
		putchar(o->letter != 0 ? o->letter : '-');
	printf("\t%s\t%s\t%s\t", or_dash(o->name),
	       o->fn == opt_missing ? "missing" : argument_names[o->arg], or_dash(o->metavar));
	if (w == NULL || w->word == NULL)
		putchar('-');
	for (; w != NULL && w->word != NULL; w++)
		printf("%s%s", w->word, w[1].word != NULL ? "," : "");
	putchar('\n');
}

int main(void)
{
	const struct builtin *b;

	for (size_t i = 0; (b = builtin_nth(i)) != NULL; i++) {
		printf("command\t%s\n", b->name);
		for (const struct opt *o = b->opts; o != NULL && o->kind != OPT_KIND_END; o++)
			print_option(o);
	}
	return fflush(stdout) != 0;
}
