/* SPDX-License-Identifier: MIT
 *
 * getopt - put the options of a script in order.
 *
 * One scanner of options serves twice: for getopt's own options, and for those it is told about.
 */
#include "builtins/builtin.h"

enum { STATUS_BAD_OPTION = 1, STATUS_USAGE = 2, STATUS_TEST = 4, LONGS_MAX = 1000 };

struct long_option {
	struct bytes name;
	int args; /* 0: none, 1: required, 2: optional */
};

struct longs {
	struct long_option *list;
	size_t n;
	size_t cap;
};

/* What is known of options, and how far their scan has come. */
struct scan {
	struct cmd *c;
	const char *name; /* in messages */
	const char *shorts;
	const struct longs *longs;
	bool alternative; /* -foo is a long option, too */
	char order;       /* '+': operands end options, '-': they are told in place */
	bool quiet;
	bool own; /* getopt's own options: the first that is wrong ends it */
	char **args;
	int nargs;
	int at;
	const char *cluster; /* rest of "-abc" */
	char **rest;         /* operands seen */
	int nrest;
	bool failed;
};

/* One option as found: a letter or a long name; an operand has neither. */
struct found {
	char letter;
	const struct long_option *word;
	bool has_slot; /* takes an argument, maybe an empty one */
	const char *arg;
};

static void complain(struct scan *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void complain(struct scan *s, const char *format, ...)
{
	struct buf text = buf_in(s->c->arena);
	va_list args;

	s->failed = true;
	if (s->quiet)
		return;
	buf_printf(&text, "%s: ", s->name);
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_putc(&text, '\n');
	cmd_err_write(s->c, text.ptr, text.len);
	if (s->own) {
		cmd_usage(s->c, NULL);
		cmd_exit(s->c, STATUS_USAGE);
	}
}

/* --- long options --- */

/* The row for a name or its beginning; *several is set after a message. */
static const struct long_option *find_long(struct scan *s, struct bytes name, const char *whole,
					   bool *several)
{
	const struct long_option *hit = NULL;
	struct buf names = buf_in(s->c->arena);
	unsigned n = 0;

	for (size_t i = 0; i < s->longs->n; i++) {
		const struct long_option *o = &s->longs->list[i];

		if (!bytes_starts(o->name, name))
			continue;
		if (o->name.len == name.len)
			return o;
		buf_printf(&names, " '--%.*s'", (int)o->name.len, o->name.ptr);
		n += hit == NULL || hit->args != o->args || hit != o;
		hit = o;
	}
	*several = n > 1;
	if (n > 1)
		complain(s, "option '%s' is ambiguous; possibilities:%s", whole, buf_cstr(&names));
	return n > 1 ? NULL : hit;
}

/* False: no such option (for -a it may be letters then) or an error. */
static bool take_long(struct scan *s, const char *whole, size_t dashes, bool try, struct found *out)
{
	const char *text = whole + dashes;
	size_t len = strcspn(text, "=");
	bool several = false;
	const struct long_option *o = find_long(s, (struct bytes){ text, len }, whole, &several);

	if (o == NULL) {
		if (!several && !try)
			complain(s, "unrecognized option '%s'", whole);
		return false;
	}
	const char *arg = text[len] == '=' ? text + len + 1 : NULL;
	const char *prefix = dashes == 2 ? "--" : "-";

	if (arg != NULL && o->args == 0) {
		complain(s, "option '%s%.*s' doesn't allow an argument", prefix, (int)o->name.len,
			 o->name.ptr);
		return false;
	}
	if (arg == NULL && o->args == 1) {
		if (s->at >= s->nargs) {
			complain(s, "option '%s%.*s' requires an argument", prefix,
				 (int)o->name.len, o->name.ptr);
			return false;
		}
		arg = s->args[s->at++];
	}
	*out = (struct found){ .word = o, .has_slot = o->args != 0, .arg = arg };
	return true;
}

static bool take_letter(struct scan *s, struct found *out)
{
	char letter = *s->cluster++;
	const char *hit = letter != ':' ? strchr(s->shorts, letter) : NULL;
	const char *arg = NULL;

	if (hit == NULL) {
		complain(s, "invalid option -- '%c'", letter);
		return false;
	}
	bool slot = hit[1] == ':';

	if (slot && *s->cluster != '\0') {
		arg = s->cluster;
		s->cluster = "";
	} else if (slot && hit[2] != ':') {
		if (s->at >= s->nargs) {
			complain(s, "option requires an argument -- '%c'", letter);
			return false;
		}
		arg = s->args[s->at++];
	}
	*out = (struct found){ .letter = letter, .has_slot = slot, .arg = arg };
	return true;
}

/* The next option; with order '-' also operands. False at the end. */
static bool next_option(struct scan *s, struct found *out)
{
	for (;;) {
		cmd_charge(s->c, 1);
		if (s->cluster != NULL && *s->cluster != '\0') {
			if (take_letter(s, out))
				return true;
			continue;
		}
		if (s->at >= s->nargs)
			return false;
		char *word = s->args[s->at++];

		if (word[0] != '-' || word[1] == '\0') {
			if (s->order == '-') {
				*out = (struct found){ .arg = word };
				return true;
			}
			if (s->order == '+') {
				s->at--;
				return false;
			}
			s->rest[s->nrest++] = word;
			continue;
		}
		if (strcmp(word, "--") == 0)
			return false;
		if (word[1] == '-') {
			if (take_long(s, word, 2, false, out))
				return true;
			continue;
		}
		/* A letter that is known comes before a long name that is only begun. */
		if (s->alternative && (word[2] != '\0' || strchr(s->shorts, word[1]) == NULL)) {
			bool failed = s->failed;

			if (take_long(s, word, 1, strchr(s->shorts, word[1]) != NULL, out))
				return true;
			if (s->failed != failed || strchr(s->shorts, word[1]) == NULL)
				continue;
		}
		s->cluster = word + 1;
	}
}

/* --- output --- */

struct style {
	bool quote;
	bool csh;
	bool silent;
};

static void put_word(struct cmd *c, const struct style *y, const char *text)
{
	if (y->silent)
		return;
	cmd_putc(c, ' ');
	if (!y->quote) {
		cmd_puts(c, text);
		return;
	}
	cmd_putc(c, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			cmd_puts(c, "'\\''");
		else if (y->csh && *text == '\\')
			cmd_puts(c, "\\\\");
		else if (y->csh && *text == '!')
			cmd_puts(c, "'\\!'");
		else if (y->csh && *text == '\n')
			cmd_puts(c, "\\n");
		else if (y->csh && byte_is_space((unsigned char)*text))
			cmd_printf(c, "'\\%c'", *text);
		else
			cmd_putc(c, *text);
	}
	cmd_putc(c, '\'');
}

static void put_option(struct cmd *c, const struct style *y, const struct found *f)
{
	if (f->letter == 0 && f->word == NULL) {
		put_word(c, y, f->arg);
		return;
	}
	if (y->silent)
		return;
	if (f->word != NULL)
		cmd_printf(c, " --%.*s", (int)f->word->name.len, f->word->name.ptr);
	else
		cmd_printf(c, " -%c", f->letter);
	if (f->has_slot)
		put_word(c, y, f->arg != NULL ? f->arg : "");
}

/* --- getopt's own options --- */

static int add_longs(struct cmd *c, struct longs *l, const char *text)
{
	for (;;) {
		text += strspn(text, ", \t\n");
		size_t len = strcspn(text, ", \t\n");
		struct bytes name = { text, len };
		int args = 0;

		if (len == 0)
			return 0;
		while (args < 2 && name.len > 0 && name.ptr[name.len - 1] == ':') {
			args++;
			name.len--;
		}
		if (name.len == 0) {
			cmd_usage(c, "empty long option after -l or --long argument");
			return STATUS_USAGE;
		}
		if (l->n == l->cap) {
			l->list = arena_grow(c->arena, l->list, l->cap * sizeof(*l->list),
					     (l->cap * 2 + 16) * sizeof(*l->list));
			l->cap = l->cap * 2 + 16;
		}
		l->list[l->n++] = (struct long_option){ name, args };
		text += len;
		cmd_charge(c, 1);
	}
}

struct getopt {
	struct scan scan;
	struct longs longs;
	struct style style;
	const char *options;
	const char *name;
	bool test;
};

static const struct long_option own_longs[] = {
	{ { "options", 7 }, 1 },       { { "longoptions", 11 }, 1 }, { { "quiet", 5 }, 0 },
	{ { "quiet-output", 12 }, 0 }, { { "shell", 5 }, 1 },        { { "test", 4 }, 0 },
	{ { "unquoted", 8 }, 0 },      { { "help", 4 }, 0 },         { { "alternative", 11 }, 0 },
	{ { "name", 4 }, 1 },          { { "version", 7 }, 0 },
};
static const char own_letters[] = "olqQsTuhanV";

static int take_own(struct cmd *c, struct getopt *g, const struct found *f)
{
	char letter = f->word != NULL ? own_letters[f->word - own_longs] : f->letter;

	switch (letter) {
	case 'a': g->scan.alternative = true; return 0;
	case 'o': g->options = f->arg; return 0;
	case 'l': return add_longs(c, &g->longs, f->arg);
	case 'n': g->name = f->arg; return 0;
	case 'q': g->scan.quiet = true; return 0;
	case 'Q': g->style.silent = true; return 0;
	case 'T': g->test = true; return 0;
	case 'u': g->style.quote = false; return 0;
	case 's':
		g->style.csh = strcmp(f->arg, "csh") == 0 || strcmp(f->arg, "tcsh") == 0;
		if (g->style.csh || strcmp(f->arg, "sh") == 0 || strcmp(f->arg, "bash") == 0)
			return 0;
		cmd_usage(c, "unknown shell after -s or --shell argument");
		return STATUS_USAGE;
	case 'V': cmd_puts(c, "getopt from util-linux 2.38.1\n"); cmd_exit(c, 0);
	default: break;
	}
	cmd_printf(c, "Usage: %s <optstring> <parameters>\n", c->name);
	cmd_exit(c, 0);
}

static int read_own(struct cmd *c, struct getopt *g, int *first)
{
	struct longs longs = { .list = arena_array(c->arena, 11, sizeof(struct long_option)),
			       .n = 11 };
	struct scan s = { .c = c,
			  .name = c->name,
			  .shorts = "ao:l:n:qQs:TuhV",
			  .longs = &longs,
			  .order = '+',
			  .own = true,
			  .args = c->args,
			  .nargs = c->nargs };
	struct found f;
	int status = 0;

	memcpy(longs.list, own_longs, sizeof(own_longs));
	while (status == 0 && next_option(&s, &f)) {
		if (f.word != NULL)
			f.word = own_longs + (f.word - longs.list);
		status = take_own(c, g, &f);
	}
	*first = s.at;
	return status;
}

static int generate(struct cmd *c, struct getopt *g, char **args, int n)
{
	struct scan *s = &g->scan;
	struct found f;

	s->c = c;
	s->longs = &g->longs;
	s->name = g->name != NULL ? g->name : c->name;
	s->shorts = g->options;
	if (cmd_getenv(c, "POSIXLY_CORRECT") != NULL)
		s->order = '+';
	if (*s->shorts == '+' || *s->shorts == '-')
		s->order = *s->shorts++;
	if (*s->shorts == ':') {
		s->shorts++;
		s->quiet = true;
	}
	s->args = args;
	s->nargs = n;
	s->rest = arena_array(c->arena, (size_t)n + 1, sizeof(char *));
	while (next_option(s, &f))
		put_option(c, &g->style, &f);
	if (!g->style.silent) {
		cmd_puts(c, " --");
		for (int i = 0; i < s->nrest; i++)
			put_word(c, &g->style, s->rest[i]);
		for (int i = s->at; i < n; i++)
			put_word(c, &g->style, args[i]);
		cmd_putc(c, '\n');
	}
	return s->failed ? STATUS_BAD_OPTION : 0;
}

static int getopt_run(struct cmd *c)
{
	struct getopt *g = arena_zalloc(c->arena, sizeof(*g));
	bool compatible = cmd_getenv(c, "GETOPT_COMPATIBLE") != NULL;
	int first = 0;
	int status;

	g->style.quote = true;
	if (c->nargs == 0) {
		if (compatible) {
			cmd_puts(c, " --\n");
			return 0;
		}
		return cmd_usage(c, "missing optstring argument");
	}
	if (c->args[0][0] != '-' || compatible) {
		g->style.quote = false;
		g->options = c->args[0];
		while (*g->options == '-' || *g->options == '+')
			g->options++;
		return generate(c, g, c->args + 1, c->nargs - 1);
	}
	status = read_own(c, g, &first);
	if (status != 0)
		return status;
	if (g->test)
		return STATUS_TEST;
	if (g->options == NULL) {
		if (first >= c->nargs)
			return cmd_usage(c, "missing optstring argument");
		g->options = c->args[first++];
	}
	return generate(c, g, c->args + first, c->nargs - first);
}

const struct builtin builtin_getopt = {
	.name = "getopt",
	.usage = "[options] [--] optstring parameters",
	.summary = "Puts the options of a script in order.",
	.run = getopt_run,
	.flags = BUILTIN_RAW,
	.usage_status = STATUS_USAGE,
	.family = "util-linux 2.38.1",
	.write_status = 3,
};
