/* SPDX-License-Identifier: MIT
 *
 * set and shopt: options of both kinds, and positional parameters.
 */
#include "interp/builtin.h"
#include "interp/exec.h"
#include "interp/var_special.h"

static const struct set_row {
	char letter;
	const char *name;
} set_rows[] = {
#define SET(letter, name, text, value) { letter, text },
	SET_LIST(SET)
#undef SET
};

static const char *const shopt_names[] = {
#define SHOPT(name, value) #name,
	SHOPT_LIST(SHOPT)
#undef SHOPT
};

/* How an option is shown: "errexit        \toff", or the command that sets it. */
static void put_option(struct buf *out, const char *name, bool on, bool as_command)
{
	if (as_command)
		buf_printf(out, "set %co %s\n", on ? '-' : '+', name);
	else
		buf_printf(out, "%-15s\t%s\n", name, on ? "on" : "off");
}

static int set_list(struct shell *sh, bool as_commands)
{
	struct buf out = buf_in(sh->arena);

	for (int i = 0; i < SET_COUNT; i++)
		put_option(&out, set_rows[i].name, opt_set(sh, (enum set_option)i), as_commands);
	return out_flush(sh, "set", &out);
}

/* The variable goes with the option. */
static void set_ignoreeof(struct shell *sh, bool on)
{
	struct bytes var = BYTES("IGNOREEOF");

	if (on)
		var_set(sh, var, name_hash(var), BYTES("10"), 0);
	else
		var_unset(sh, var, name_hash(var), true);
}

void options_put_back(struct shell *sh, const struct options *saved)
{
	bool ignores = opt_set(sh, SET_IGNOREEOF);

	sh->opt = *saved;
	if (opt_set(sh, SET_IGNOREEOF) != ignores)
		set_ignoreeof(sh, !ignores);
}

static int set_named(struct shell *sh, const char *name, bool on)
{
	int o = set_option_of_name(bytes_of(name));

	if (o < 0) {
		builtin_error(sh, "set", "%s: invalid option name", name);
		return STATUS_MISUSE;
	}
	shell_set_option(sh, (enum set_option)o, on);
	if (o == SET_IGNOREEOF)
		set_ignoreeof(sh, on);
	return 0;
}

static int set_invalid(struct shell *sh, char sign, char letter)
{
	builtin_error(sh, "set", "%c%c: invalid option", sign, letter);
	return usage_error(sh, "set");
}

static int option_of_letter(char letter)
{
	if (letter == 'r')
		return SET_RESTRICTED;
	for (int i = 0; i < SET_COUNT; i++) {
		if (set_rows[i].letter == letter)
			return i;
	}
	return -1;
}

/* All letters are looked at before the first takes effect. */
static int set_check(struct shell *sh, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if ((word[0] != '-' && word[0] != '+') || word[1] == '\0' ||
		    strcmp(word, "--") == 0)
			break;
		for (const char *c = word + 1; *c != '\0'; c++) {
			if (*c != 'o' && option_of_letter(*c) < 0)
				return set_invalid(sh, word[0], *c);
			if (*c == 'o' && c[1] == '\0' && i + 1 < argc && argv[i + 1][0] != '-' &&
			    argv[i + 1][0] != '+')
				i++;
		}
	}
	return 0;
}

/* One word of letters; *i moves over the names that `o` takes. */
static int set_letters(struct shell *sh, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	bool on = word[0] == '-';

	for (const char *c = word + 1; *c != '\0'; c++) {
		int status = 0;

		if (*c == 'r' && !on && opt_set(sh, SET_RESTRICTED)) {
			set_invalid(sh, '+', *c);
			return 1;
		}
		/* bash does so only where the text of -c is not yet running. */
		if (*c == 'r' && on && !opt_set(sh, SET_COMMAND))
			shell_restrict(sh);
		if (*c != 'o') {
			shell_set_option(sh, (enum set_option)option_of_letter(*c), on);
			continue;
		}
		const char *name = *i + 1 < argc ? argv[*i + 1] : NULL;

		if (name == NULL || *name == '\0' || *name == '-' || *name == '+') {
			if (set_list(sh, !on) != 0)
				return 1;
			continue;
		}
		++*i;
		status = set_named(sh, name, on);
		if (status != 0)
			return status;
	}
	return 0;
}

static int set_options(struct shell *sh, int argc, char **argv)
{
	int status = set_check(sh, argc, argv);
	int i = 1;

	for (; i < argc && status == 0; i++) {
		const char *word = argv[i];

		if (word[0] == '-' && word[1] == '\0') {
			shell_set_option(sh, SET_XTRACE, false);
			shell_set_option(sh, SET_VERBOSE, false);
			if (i + 1 < argc)
				params_set(sh, argc - i - 1, argv + i + 1);
			return 0;
		}
		if (strcmp(word, "--") == 0) {
			params_set(sh, argc - i - 1, argv + i + 1);
			return 0;
		}
		if (word[0] == '+' && word[1] == '\0')
			continue;
		if (word[0] != '-' && word[0] != '+')
			break;
		status = set_letters(sh, argc, argv, &i);
	}
	if (status == 0 && i < argc)
		params_set(sh, argc - i, argv + i);
	return status;
}

int do_set(struct shell *sh, int argc, char **argv)
{
	struct buf out = buf_in(sh->arena);

	if (argc == 1) {
		print_all_variables(sh, &out, !opt_set(sh, SET_POSIX));
		return out_flush(sh, "set", &out);
	}
	if (strcmp(argv[1], "--help") == 0) {
		no_options(sh, argc, argv);
		return STATUS_MISUSE;
	}
	return set_options(sh, argc, argv);
}

/* --- shopt --- */

struct shopt_state {
	struct shell *sh;
	bool set;
	bool unset;
	bool quiet;
	bool print;
	bool of_set; /* -o */
};

/* shopt -s compat42 is BASH_COMPAT=42: one of them at a time. */
static void shopt_compat(struct shell *sh, int o, bool on)
{
	const char *level = on ? shopt_names[o] : "compat52";

	/* Switching off what is not on leaves the other one. */
	for (int i = SHOPT_compat31; i <= SHOPT_compat44 && !on; i++) {
		if (i != o && opt_shopt(sh, (enum shopt_option)i))
			level = shopt_names[i];
	}
	var_set_text(sh, "BASH_COMPAT", level + strlen("compat"));
}

static void shopt_change(struct shell *sh, int o, bool on)
{
	if (o == SHOPT_login_shell || o == SHOPT_restricted_shell)
		return;
	if (o >= SHOPT_compat31 && o <= SHOPT_compat44) {
		shopt_compat(sh, o, on);
		return;
	}
	shell_set_shopt(sh, (enum shopt_option)o, on);
	if (o == SHOPT_interactive_comments)
		shell_set_option(sh, SET_INTERACTIVE_COMMENTS, on);
	if (o == SHOPT_extdebug) {
		shell_set_option(sh, SET_ERRTRACE, on);
		shell_set_option(sh, SET_FUNCTRACE, on);
		if (on)
			var_record_arguments(sh);
	}
}

static bool shopt_get(const struct shopt_state *s, int o)
{
	return s->of_set ? opt_set(s->sh, (enum set_option)o)
			 : opt_shopt(s->sh, (enum shopt_option)o);
}

static void shopt_put(const struct shopt_state *s, struct buf *out, int o)
{
	const char *name = s->of_set ? set_rows[o].name : shopt_names[o];
	bool on = shopt_get(s, o);

	if (s->of_set || !s->print)
		put_option(out, name, on, s->print);
	else
		buf_printf(out, "shopt -%c %s\n", on ? 's' : 'u', name);
}

/* Without names: all, or those that are on (off). */
static int shopt_list(const struct shopt_state *s)
{
	struct buf out = buf_in(s->sh->arena);

	for (int i = 0; i < (s->of_set ? (int)SET_COUNT : (int)SHOPT_COUNT) && !s->quiet; i++) {
		bool on = shopt_get(s, i);

		if ((!s->set || on) && (!s->unset || !on))
			shopt_put(s, &out, i);
	}
	return out_flush(s->sh, "shopt", &out);
}

static int shopt_find(const struct shopt_state *s, const char *name)
{
	int o = s->of_set ? set_option_of_name(bytes_of(name)) : shopt_of_name(bytes_of(name));

	if (o < 0)
		builtin_error(s->sh, "shopt",
			      s->of_set ? "%s: invalid option name"
					: "%s: invalid shell option name",
			      name);
	return o;
}

static int shopt_names_run(const struct shopt_state *s, int n, char **names)
{
	struct buf out = buf_in(s->sh->arena);
	bool changes = s->set || s->unset;
	int status = 0;

	for (int i = 0; i < n; i++) {
		int o = shopt_find(s, names[i]);

		if (o < 0) {
			status = s->of_set && changes ? status : 1;
		} else if (!changes) {
			status = shopt_get(s, o) ? status : 1;
			if (!s->quiet)
				shopt_put(s, &out, o);
		} else if (s->of_set) {
			shell_set_option(s->sh, (enum set_option)o, s->set);
		} else {
			shopt_change(s->sh, o, s->set);
		}
	}
	return out_flush(s->sh, "shopt", &out) != 0 ? 1 : status;
}

int do_shopt(struct shell *sh, int argc, char **argv)
{
	struct shopt_state s = { .sh = sh };
	struct optscan o = { 0 };
	int c;

	while ((c = optscan_next(sh, NULL, &o, argc, argv, "psuoq")) != -1) {
		if (c == '?')
			return STATUS_MISUSE;
		s.print = s.print || c == 'p';
		s.set = s.set || c == 's';
		s.unset = s.unset || c == 'u';
		s.of_set = s.of_set || c == 'o';
		s.quiet = s.quiet || c == 'q';
	}
	if (s.set && s.unset) {
		builtin_error(sh, "shopt", "cannot set and unset shell options simultaneously");
		return 1;
	}
	if (o.index == argc)
		return shopt_list(&s);
	return shopt_names_run(&s, argc - o.index, argv + o.index);
}
