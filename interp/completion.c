/* SPDX-License-Identifier: MIT
 *
 * The candidates of a completion.
 */
#include "interp/completion.h"
#include "base/glob.h"
#include "interp/builtin.h"
#include "interp/exec.h"

static const struct {
	char letter;
	const char *name;
} actions[] = {
#define A(letter, name) { letter, #name },
	COMPACTION_LIST(A)
#undef A
};

char completion_action_letter(enum completion_action a)
{
	return actions[a].letter;
}

const char *completion_action_name(enum completion_action a)
{
	return actions[a].name;
}

struct generator {
	struct shell *sh;
	struct bytes word;
	struct fields *out;
};

static void offer(struct generator *g, struct bytes name)
{
	if (bytes_starts(name, g->word))
		fields_add(g->sh, g->out, arena_dup(g->sh->arena, name));
}

/* --- names of the shell --- */

static void offer_variables(struct generator *g, unsigned flags)
{
	struct var **vars;
	size_t n = var_list(g->sh, &vars);

	for (size_t i = 0; i < n; i++) {
		bool set = (vars[i]->flags & (VAR_SET | VAR_DYNAMIC)) != 0;

		/* Arrays that have something only at times: FUNCNAME, PIPESTATUS. */
		if ((vars[i]->flags & VAR_DYNAMIC) != 0 && (vars[i]->flags & VAR_ARRAY) != 0)
			set = var_count(g->sh, vars[i]) != 0 || (vars[i]->flags & VAR_SET) != 0;

		if (set && (flags == 0 || (vars[i]->flags & flags) != 0))
			offer(g, vars[i]->name);
	}
}

static void offer_functions(struct generator *g)
{
	struct function **list;
	int n = function_list(g->sh, &list);

	for (int i = 0; i < n; i++)
		offer(g, list[i]->name);
}

static void offer_aliases(struct generator *g)
{
	struct bytes *names;
	struct bytes *values;
	int n = alias_list(g->sh, &names, &values);

	for (int i = 0; i < n; i++)
		offer(g, names[i]);
}

enum { ENABLED = 1, DISABLED = 2 };

static void offer_builtins(struct generator *g, int which)
{
	const struct shell_builtin *b;

	for (int i = 0; (b = builtin_at(i)) != NULL; i++) {
		if ((which & (builtin_enabled(g->sh, b) ? ENABLED : DISABLED)) != 0)
			offer(g, bytes_of(b->name));
	}
}

static void offer_list(struct generator *g, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		offer(g, bytes_of(names[i]));
}

static void offer_keywords(struct generator *g)
{
	static const char *const words[] = {
		"if",     "then",  "else",  "elif", "fi",   "case",   "esac",     "for",
		"select", "while", "until", "do",   "done", "in",     "function", "time",
		"{",      "}",     "!",     "[[",   "]]",   "coproc",
	};

	offer_list(g, words, sizeof(words) / sizeof(words[0]));
}

static void offer_options(struct generator *g, bool set)
{
	static const char *const set_names[] = {
#define SET(letter, name, text, value) text,
		SET_LIST(SET)
#undef SET
	};
	static const char *const shopt_names[] = {
#define SHOPT(name, value) #name,
		SHOPT_LIST(SHOPT)
#undef SHOPT
	};

	if (set)
		offer_list(g, set_names, sizeof(set_names) / sizeof(set_names[0]));
	else
		offer_list(g, shopt_names, sizeof(shopt_names) / sizeof(shopt_names[0]));
}

static void offer_signals(struct generator *g)
{
	char name[16];

	for (int i = 0; i < TRAP_COUNT; i++) {
		if (i == 32 || i == 33)
			continue;
		trap_name(i, name, true);
		offer(g, bytes_of(name));
	}
}

static void offer_jobs(struct generator *g, bool running, bool stopped)
{
	for (struct job *j = g->sh->jobs; j != NULL; j = j->next) {
		struct bytes text = bytes_of(j->text);
		size_t end = strcspn(j->text, " \t");

		if ((j->state == JOB_RUNNING && running) || (j->state == JOB_STOPPED && stopped))
			offer(g, bytes_slice(text, 0, end));
	}
}

/* --- files --- */

static void offer_files(struct generator *g, bool only_directories)
{
	struct shell *sh = g->sh;
	struct buf pattern = buf_in(sh->arena);
	struct fields found = { 0 };
	uint64_t shopts = sh->opt.shopt;
	struct vfs_stat st;

	for (size_t i = 0; i < g->word.len; i++) {
		if (strchr("*?[]\\", g->word.ptr[i]) != NULL)
			buf_putc(&pattern, '\\');
		buf_putc(&pattern, g->word.ptr[i]);
	}
	buf_putc(&pattern, '*');
	/* Hidden files are offered whatever globs leave out, also the two directories. */
	sh->opt.shopt |= (uint64_t)1 << SHOPT_dotglob;
	sh->opt.shopt &= ~((uint64_t)1 << SHOPT_globskipdots);
	expand_pathname(sh, buf_bytes(&pattern), &found);
	sh->opt.shopt = shopts;
	for (int i = 0; i < found.count; i++) {
		if (!only_directories || (sys_stat(sh->p, AT_FDCWD_, found.v[i], 0, &st) == 0 &&
					  (st.mode & S_FMT) == S_DIR))
			fields_add(sh, g->out, found.v[i]);
	}
}

/* First fields of a file such as /etc/passwd. */
static void offer_table(struct generator *g, const char *path, char separator)
{
	struct bytes text;
	size_t at = 0;

	if (sys_read_file(g->sh->p, path, g->sh->arena, &text) < 0)
		return;
	while (at < text.len) {
		const char *nl = memchr(text.ptr + at, '\n', text.len - at);
		size_t end = nl != NULL ? (size_t)(nl - text.ptr) : text.len;
		const char *sep = memchr(text.ptr + at, separator, end - at);

		if (sep != NULL && text.ptr[at] != '#')
			offer(g, bytes_slice(text, at, (size_t)(sep - text.ptr)));
		at = end + 1;
	}
}

static void offer_programs(struct generator *g)
{
	const char *at = var_get_text(g->sh, "PATH");
	struct vfs_dirent entry[32];

	while (at != NULL && *at != '\0') {
		size_t len = strcspn(at, ":");
		char *dir = arena_dup(g->sh->arena, (struct bytes){ at, len });
		int64_t fd = exec_open(g->sh, len != 0 ? dir : ".", O_DIRECTORY_);
		int64_t n;

		while (fd >= 0 &&
		       (n = sys_readdir(g->sh->p, (int)fd, g->sh->arena, entry, 32)) > 0) {
			for (int64_t i = 0; i < n; i++)
				offer(g, entry[i].name);
		}
		if (fd >= 0)
			sys_close(g->sh->p, (int)fd);
		at = at[len] == ':' ? at + len + 1 : NULL;
	}
}

static void offer_helptopics(struct generator *g)
{
	const char *name;

	for (int i = 0; (name = help_topic(i)) != NULL; i++)
		offer(g, bytes_of(name));
}

static void run_action(struct generator *g, enum completion_action a)
{
	switch (a) {
	case ACTION_alias: offer_aliases(g); break;
	case ACTION_arrayvar: offer_variables(g, VAR_ARRAY | VAR_ASSOC); break;
	case ACTION_builtin: offer_builtins(g, ENABLED | DISABLED); break;
	case ACTION_command:
		offer_aliases(g);
		offer_keywords(g);
		offer_functions(g);
		offer_builtins(g, ENABLED);
		offer_programs(g);
		break;
	case ACTION_directory: offer_files(g, true); break;
	case ACTION_disabled: offer_builtins(g, DISABLED); break;
	case ACTION_enabled: offer_builtins(g, ENABLED); break;
	case ACTION_export: offer_variables(g, VAR_EXPORT); break;
	case ACTION_file: offer_files(g, false); break;
	case ACTION_function: offer_functions(g); break;
	case ACTION_group: offer_table(g, "/etc/group", ':'); break;
	case ACTION_helptopic: offer_helptopics(g); break;
	case ACTION_job: offer_jobs(g, true, true); break;
	case ACTION_keyword: offer_keywords(g); break;
	case ACTION_running: offer_jobs(g, true, false); break;
	case ACTION_service: offer_table(g, "/etc/services", '\t'); break;
	case ACTION_setopt: offer_options(g, true); break;
	case ACTION_shopt: offer_options(g, false); break;
	case ACTION_signal: offer_signals(g); break;
	case ACTION_stopped: offer_jobs(g, false, true); break;
	case ACTION_user: offer_table(g, "/etc/passwd", ':'); break;
	case ACTION_variable: offer_variables(g, 0); break;
	default: /* binding, hostname: there is no line editor, and there are no hosts */ break;
	}
}

/* --- words, functions, filters --- */

/* -W: expanded as a double-quoted text would be, then split like a line of words. */
static void offer_words(struct generator *g, const char *words)
{
	struct shell *sh = g->sh;
	struct bytes text;
	struct fields list = { 0 };

	if (expand_text(sh, bytes_of(words), &text) != 0)
		return;
	for (size_t at = 0; at < text.len;) {
		struct buf field = buf_in(sh->arena);
		char quote = 0;

		while (at < text.len && sh->ifs_class[(unsigned char)text.ptr[at]] != 0)
			at++;
		size_t start = at;

		for (; at < text.len; at++) {
			char c = text.ptr[at];

			if (quote == 0 && sh->ifs_class[(unsigned char)c] != 0)
				break;
			if (c == quote)
				quote = 0;
			else if (quote == 0 && (c == '\'' || c == '"'))
				quote = c;
			else if (c == '\\' && quote != '\'' && at + 1 < text.len)
				buf_putc(&field, text.ptr[++at]);
			else
				buf_putc(&field, c);
		}
		if (at > start)
			fields_add(sh, &list, buf_cstr(&field));
	}
	for (int i = 0; i < list.count; i++)
		offer(g, bytes_of(list.v[i]));
}

static void offer_function(struct generator *g, const char *name)
{
	struct shell *sh = g->sh;
	struct bytes key = BYTES("COMPREPLY");
	struct function *f = function_find(sh, bytes_of(name), name_hash(bytes_of(name)));
	char *argv[5] = { (char *)(uintptr_t)name, (char *)(uintptr_t) "compgen", NULL,
			  (char *)(uintptr_t) "", NULL };
	struct bytes *values;

	if (f == NULL) {
		builtin_error(sh, "completion", "function `%s' not found", name);
		return;
	}
	argv[2] = arena_dup(sh->arena, g->word);
	var_unset(sh, key, name_hash(key), true);
	exec_function(sh, f, 4, argv);
	struct var *v = var_find(sh, key, name_hash(key));
	size_t n = v != NULL ? var_values(sh, v, &values) : 0;

	for (size_t i = 0; i < n; i++)
		fields_add(sh, g->out, arena_dup(sh->arena, values[i]));
	var_unset(sh, key, name_hash(key), true);
}

/* -C: each line that the command writes, which gets the word and two more as arguments. */
static void offer_command(struct generator *g, const char *command)
{
	struct shell *sh = g->sh;
	struct buf text = buf_in(sh->arena);
	struct bytes lines;

	buf_printf(&text, "$(%s 'compgen' ", command);
	quote_for_at_q(sh, &text, g->word);
	buf_puts(&text, " '')");
	if (expand_text(sh, buf_bytes(&text), &lines) != 0 || lines.len == 0)
		return;
	for (size_t at = 0; at <= lines.len;) {
		const char *nl = memchr(lines.ptr + at, '\n', lines.len - at);
		size_t end = nl != NULL ? (size_t)(nl - lines.ptr) : lines.len;

		fields_add(sh, g->out, arena_dup(sh->arena, bytes_slice(lines, at, end)));
		at = end + 1;
	}
}

/* -X: what matches goes; with ! in front, what does not. */
static void apply_filter(struct generator *g, const char *pattern)
{
	bool keep = *pattern == '!';
	struct glob *glob = shell_glob(g->sh, bytes_of(pattern + keep), false);
	int kept = 0;

	for (int i = 0; i < g->out->count; i++) {
		if (glob_match(glob, g->sh->arena, bytes_of(g->out->v[i])) == keep)
			g->out->v[kept++] = g->out->v[i];
	}
	g->out->count = kept;
}

static void apply_affixes(struct generator *g, const struct completion *c)
{
	for (int i = 0; i < g->out->count; i++) {
		struct buf text = buf_in(g->sh->arena);

		buf_puts(&text, c->prefix != NULL ? c->prefix : "");
		buf_puts(&text, g->out->v[i]);
		buf_puts(&text, c->suffix != NULL ? c->suffix : "");
		g->out->v[i] = buf_cstr(&text);
	}
}

void completion_generate(struct shell *sh, const struct completion *c, const char *word,
			 struct fields *out)
{
	struct generator g = { sh, bytes_of(word), out };

	for (int a = 0; a < ACTION_COUNT; a++) {
		if ((c->actions >> a & 1) != 0)
			run_action(&g, (enum completion_action)a);
	}
	if (c->pattern != NULL)
		expand_pathname(sh, bytes_of(c->pattern), out);
	if (c->words != NULL)
		offer_words(&g, c->words);
	if (c->function != NULL)
		offer_function(&g, c->function);
	if (c->command != NULL)
		offer_command(&g, c->command);
	if (c->filter != NULL)
		apply_filter(&g, c->filter);
	if (c->prefix != NULL || c->suffix != NULL)
		apply_affixes(&g, c);
	if (out->count == 0 && (c->options >> COMPOPT_dirnames & 1) != 0)
		offer_files(&g, true);
	if (out->count == 0 &&
	    (c->options & (1u << COMPOPT_default | 1u << COMPOPT_bashdefault)) != 0)
		offer_files(&g, false);
	if ((c->options >> COMPOPT_plusdirs & 1) != 0)
		offer_files(&g, true);
}
