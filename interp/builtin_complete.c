/* SPDX-License-Identifier: MIT
 *
 * compgen, complete, compopt. Specifications are kept and shown, but without a line editor only
 * compgen carries one out. Not here: the order in which bash's hash table lists names (they are
 * listed in the order of definition).
 */
#include "base/pack.h"
#include "interp/builtin.h"
#include "interp/completion.h"
#include "interp/state.h"

struct spec {
	struct spec *next;
	char *name; /* "-D", "-E", "-I" for the special ones */
	struct completion c;
};

static const char *const option_names[] = {
#define O(name) #name,
	COMPOPTION_LIST(O)
#undef O
};

/* --- options --- */

struct request {
	struct completion c;
	bool remove; /* -r */
	bool print;  /* -p */
	const char *special;
};

static int completion_fail(struct shell *sh, const char *who, const char *format, const char *word)
{
	builtin_error(sh, who, format, word);
	return STATUS_MISUSE;
}

static int find_option(const char *name)
{
	for (int i = 0; i < COMPOPT_COUNT; i++) {
		if (strcmp(option_names[i], name) == 0)
			return i;
	}
	return -1;
}

static int add_action(struct shell *sh, const char *who, struct completion *c, const char *name)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		if (strcmp(completion_action_name((enum completion_action)a), name) == 0) {
			c->actions |= 1u << a;
			return 0;
		}
	}
	return completion_fail(sh, who, "%s: invalid action name", name);
}

static int add_option(struct shell *sh, const char *who, struct completion *c, const char *name)
{
	int o = find_option(name);

	if (o < 0)
		return completion_fail(sh, who, "%s: invalid option name", name);
	c->options |= 1u << o;
	return 0;
}

static void add_letter(struct completion *c, int letter)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		if (completion_action_letter((enum completion_action)a) == letter)
			c->actions |= 1u << a;
	}
}

static int request_option(struct shell *sh, const char *who, struct request *r, int c, char *value)
{
	switch (c) {
	case 'A': return add_action(sh, who, &r->c, value);
	case 'o': return add_option(sh, who, &r->c, value);
	case 'C': r->c.command = value; return 0;
	case 'F': r->c.function = value; return 0;
	case 'G': r->c.pattern = value; return 0;
	case 'P': r->c.prefix = value; return 0;
	case 'S': r->c.suffix = value; return 0;
	case 'W': r->c.words = value; return 0;
	case 'X': r->c.filter = value; return 0;
	case 'r': r->remove = true; return 0;
	case 'p': r->print = true; return 0;
	case 'D': r->special = "-D"; return 0;
	case 'E': r->special = "-E"; return 0;
	case 'I': r->special = "-I"; return 0;
	default: add_letter(&r->c, c); return 0;
	}
}

/* --- compgen --- */

int do_compgen(struct shell *sh, int argc, char **argv)
{
	struct request r = { .special = NULL };
	struct fields found = { 0 };
	struct buf out = buf_in(sh->arena);
	struct optscan o = { 0 };
	int c;

	if (argc == 1)
		return 0;
	while ((c = optscan_next(sh, NULL, &o, argc, argv, "abcdefgjko:suvA:G:W:P:S:X:F:C:")) !=
	       -1) {
		if (c == '?')
			return STATUS_MISUSE;
		int status = request_option(sh, "compgen", &r, c, o.value);

		if (status != 0)
			return status;
	}
	if (r.c.function != NULL)
		builtin_error(sh, "compgen", "warning: -F option may not work as you expect");
	if (r.c.command != NULL)
		builtin_error(sh, "compgen", "warning: -C option may not work as you expect");
	completion_generate(sh, &r.c, o.index < argc ? argv[o.index] : "", &found);
	for (int i = 0; i < found.count; i++)
		buf_printf(&out, "%s\n", found.v[i]);
	out_flush_unchecked(sh, &out);
	return found.count == 0;
}

/* --- the table --- */

static char *keep(struct shell *sh, const char *text)
{
	return text != NULL ? pool_dup(sh->pool, bytes_of(text)) : NULL;
}

static void drop(struct shell *sh, const char *text)
{
	if (text != NULL)
		pool_free(sh->pool, (void *)(uintptr_t)text, strlen(text) + 1);
}

static void free_spec(struct shell *sh, struct spec *s)
{
	drop(sh, s->name);
	drop(sh, s->c.words);
	drop(sh, s->c.pattern);
	drop(sh, s->c.function);
	drop(sh, s->c.command);
	drop(sh, s->c.filter);
	drop(sh, s->c.prefix);
	drop(sh, s->c.suffix);
	pool_free(sh->pool, s, sizeof(*s));
}

static struct spec **spec_link(struct shell *sh, const char *name)
{
	struct spec **at = (struct spec **)&sh->completions;
	size_t looked = 0;

	for (; *at != NULL && strcmp((*at)->name, name) != 0; looked++)
		at = &(*at)->next;
	shell_cost(sh, 64 * looked);
	return at;
}

static bool spec_remove(struct shell *sh, const char *name)
{
	struct spec **at = spec_link(sh, name);
	struct spec *s = *at;

	if (s == NULL)
		return false;
	*at = s->next;
	free_spec(sh, s);
	return true;
}

static void spec_put(struct shell *sh, const char *name, const struct completion *c)
{
	struct spec *s = pool_zalloc(sh->pool, sizeof(*s));

	spec_remove(sh, name);
	s->name = keep(sh, name);
	s->c = *c;
	s->c.words = keep(sh, c->words);
	s->c.pattern = keep(sh, c->pattern);
	s->c.function = keep(sh, c->function);
	s->c.command = keep(sh, c->command);
	s->c.filter = keep(sh, c->filter);
	s->c.prefix = keep(sh, c->prefix);
	s->c.suffix = keep(sh, c->suffix);
	*spec_link(sh, name) = s;
}

enum { SPEC_TEXTS = 7 };

static const char **spec_text(struct completion *c, int i)
{
	const char **const texts[SPEC_TEXTS] = { &c->words,  &c->pattern, &c->function, &c->command,
						 &c->filter, &c->prefix,  &c->suffix };

	return texts[i];
}

void completion_pack(const struct shell *sh, struct buf *out)
{
	const struct spec *s;
	uint64_t n = 0;

	for (s = sh->completions; s != NULL; s = s->next)
		n++;
	pack_u64(out, n);
	for (s = sh->completions; s != NULL; s = s->next) {
		struct completion c = s->c;

		pack_text(out, s->name);
		pack_u64(out, c.actions);
		pack_u64(out, c.options);
		for (int i = 0; i < SPEC_TEXTS; i++)
			pack_text(out, *spec_text(&c, i));
	}
}

void completion_unpack(struct shell *sh, struct unpack *in)
{
	size_t n = unpack_count(in);

	for (size_t k = 0; k < n && !in->bad; k++) {
		struct bytes name = unpack_text(in);
		struct completion c = { 0 };

		c.actions = (uint32_t)unpack_below(in, ((uint64_t)1 << ACTION_COUNT) - 1);
		c.options = (uint32_t)unpack_below(in, ((uint64_t)1 << COMPOPT_COUNT) - 1);
		for (int i = 0; i < SPEC_TEXTS; i++) {
			struct bytes text = unpack_text(in);

			if (text.ptr != NULL)
				*spec_text(&c, i) = arena_bytes(sh->arena, text).ptr;
		}
		in->bad |= name.ptr == NULL;
		if (!in->bad)
			spec_put(sh, arena_bytes(sh->arena, name).ptr, &c);
	}
}

static void put_argument(struct buf *out, char letter, const char *text, bool quoted)
{
	if (text == NULL)
		return;
	buf_printf(out, " -%c ", letter);
	if (!quoted) {
		buf_puts(out, text);
		return;
	}
	quote_single(out, bytes_of(text));
}

static void print_spec(struct buf *out, const struct spec *s)
{
	buf_puts(out, "complete");
	for (int i = 0; i < COMPOPT_COUNT; i++) {
		if ((s->c.options >> i & 1) != 0)
			buf_printf(out, " -o %s", option_names[i]);
	}
	for (int pass = 0; pass < 2; pass++) {
		for (int a = 0; a < ACTION_COUNT; a++) {
			char letter = completion_action_letter((enum completion_action)a);

			if ((s->c.actions >> a & 1) == 0 || (letter != 0) != (pass == 0))
				continue;
			if (letter != 0)
				buf_printf(out, " -%c", letter);
			else
				buf_printf(out, " -A %s",
					   completion_action_name((enum completion_action)a));
		}
	}
	put_argument(out, 'G', s->c.pattern, true);
	put_argument(out, 'W', s->c.words, true);
	put_argument(out, 'P', s->c.prefix, true);
	put_argument(out, 'S', s->c.suffix, true);
	put_argument(out, 'X', s->c.filter, true);
	put_argument(out, 'C', s->c.command, true);
	put_argument(out, 'F', s->c.function, false);
	buf_printf(out, " %s\n", s->name);
}

static int no_spec(struct shell *sh, const char *who, const char *name)
{
	builtin_error(sh, who, "%s: no completion specification", name);
	return 1;
}

static int print_specs(struct shell *sh, int n, char **names)
{
	struct buf out = buf_in(sh->arena);
	int status = 0;

	for (const struct spec *s = sh->completions; n == 0 && s != NULL; s = s->next) {
		proc_charge(sh->p, 1);
		print_spec(&out, s);
	}
	for (int i = 0; i < n; i++) {
		const struct spec *s = *spec_link(sh, names[i]);

		proc_charge(sh->p, 1);
		if (s == NULL)
			out_lines(sh, "complete", &out);
		if (s == NULL)
			status = no_spec(sh, "complete", names[i]);
		else
			print_spec(&out, s);
	}
	out_flush_unchecked(sh, &out);
	return status;
}

static int remove_specs(struct shell *sh, int n, char **names)
{
	int status = 0;

	if (sh->completions == NULL)
		return 0;
	for (int i = 0; i < n; i++) {
		proc_charge(sh->p, 1);
		if (!spec_remove(sh, names[i]))
			status = no_spec(sh, "complete", names[i]);
	}
	while (n == 0 && sh->completions != NULL) {
		proc_charge(sh->p, 1);
		spec_remove(sh, ((struct spec *)sh->completions)->name);
	}
	return status;
}

int do_complete(struct shell *sh, int argc, char **argv)
{
	struct request r = { .special = NULL };
	struct optscan o = { 0 };
	int c;

	shell_own_lists(sh);
	while ((c = optscan_next(sh, NULL, &o, argc, argv,
				 "abcdefgjko:prsuvA:G:W:P:S:X:F:C:DEI")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		int status = request_option(sh, "complete", &r, c, o.value);

		if (status != 0)
			return status;
	}
	char *special = (char *)(uintptr_t)r.special;
	int n = special != NULL ? 1 : argc - o.index;
	char **names = special != NULL ? &special : argv + o.index;

	if (r.remove)
		return remove_specs(sh, n, names);
	if (r.print || argc == 1)
		return print_specs(sh, n, names);
	if (n == 0)
		return usage_error(sh, "complete");
	for (int i = 0; i < n; i++) {
		proc_charge(sh->p, 1);
		spec_put(sh, names[i], &r.c);
	}
	return 0;
}

int do_compopt(struct shell *sh, int argc, char **argv)
{
	struct optscan o = { 0 };
	struct completion on = { 0 };
	struct completion off = { 0 };
	int status = 0;
	int c;

	shell_own_lists(sh);
	while ((c = optscan_next(sh, NULL, &o, argc, argv, "+o:DEI")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		if (c != 'o')
			continue;
		status = add_option(sh, "compopt", o.plus ? &off : &on, o.value);
		if (status != 0)
			return status;
	}
	if (o.index == argc) {
		builtin_error(sh, "compopt", "not currently executing completion function");
		return 1;
	}
	for (int i = o.index; i < argc; i++) {
		struct spec *s = *spec_link(sh, argv[i]);

		proc_charge(sh->p, 1);
		if (s == NULL)
			status = no_spec(sh, "compopt", argv[i]);
		else
			s->c.options = (s->c.options | on.options) & ~off.options;
	}
	return status;
}
