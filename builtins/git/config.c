/* SPDX-License-Identifier: MIT
 *
 * Configuration: the syntax of its files, where they are, values.
 */
#include "builtins/git/git.h"
#include "builtins/git/share.h"

enum { KEY_MAX = 1 << 12 };

/* --- syntax --- */

struct reader {
	struct arena *a;
	const char *at;
	const char *end;
	int line;
};

static int next(struct reader *r)
{
	if (r->at == r->end)
		return -1;
	if (r->at[0] == '\r' && r->end - r->at > 1 && r->at[1] == '\n')
		r->at++;
	if (*r->at == '\n')
		r->line++;
	return (unsigned char)*r->at++;
}

static int peek(struct reader *r)
{
	return r->at == r->end ? -1 : (unsigned char)*r->at;
}

static bool name_byte(int ch)
{
	return byte_is_alnum(ch) || ch == '-';
}

static void skip_line(struct reader *r)
{
	int ch;

	do
		ch = next(r);
	while (ch != '\n' && ch != -1);
}

/* Behind '[': "section." in *out. */
static bool read_section(struct reader *r, struct buf *out)
{
	int ch;

	out->len = 0;
	for (;;) {
		ch = next(r);
		if (ch == ']') {
			buf_putc(out, '.');
			return out->len > 1;
		}
		if (byte_is_blank(ch))
			break;
		if (!name_byte(ch) && ch != '.')
			return false;
		buf_putc(out, (char)byte_to_lower(ch));
	}
	while (byte_is_blank(ch))
		ch = next(r);
	if (ch != '"')
		return false;
	buf_putc(out, '.');
	while ((ch = next(r)) != '"') {
		if (ch == '\\')
			ch = next(r);
		if (ch == '\n' || ch <= 0)
			return false;
		buf_putc(out, (char)ch);
	}
	buf_putc(out, '.');
	return next(r) == ']';
}

static bool escape(struct reader *r, struct buf *out)
{
	int ch = next(r);

	switch (ch) {
	case '\n': return true;
	case 't': buf_putc(out, '\t'); return true;
	case 'b': buf_putc(out, '\b'); return true;
	case 'n': buf_putc(out, '\n'); return true;
	case '\\':
	case '"': buf_putc(out, (char)ch); return true;
	default: return false;
	}
}

/* Behind '=', up to and with the end of the line. */
static bool read_value(struct reader *r, struct buf *out)
{
	bool quoted = false;
	size_t blanks = 0;

	out->len = 0;
	for (;;) {
		int ch = next(r);

		if (ch == '\n' || ch == -1) {
			buf_cstr(out);
			return !quoted;
		}
		if (!quoted && (ch == '#' || ch == ';')) {
			skip_line(r);
			buf_cstr(out);
			return true;
		}
		if (ch == 0)
			return false;
		if (!quoted && byte_is_space(ch)) {
			blanks += out->len != 0;
			continue;
		}
		buf_fill(out, ' ', blanks);
		blanks = 0;
		if (ch == '"')
			quoted = !quoted;
		else if (ch != '\\')
			buf_putc(out, (char)ch);
		else if (!escape(r, out))
			return false;
	}
}

static bool read_variable(struct reader *r, int first, struct bytes section, struct buf *key,
			  struct buf *value, bool *has_value)
{
	key->len = 0;
	buf_add(key, section);
	buf_putc(key, (char)byte_to_lower(first));
	while (name_byte(peek(r)))
		buf_putc(key, (char)byte_to_lower(next(r)));
	while (byte_is_blank(peek(r)))
		next(r);
	*has_value = peek(r) == '=';
	if (*has_value) {
		next(r);
		return read_value(r, value);
	}
	if (peek(r) == '#' || peek(r) == ';') {
		skip_line(r);
		return true;
	}
	int ch = next(r);

	return ch == '\n' || ch == -1;
}

int config_parse(struct arena *a, struct bytes text,
		 int (*fn)(void *arg, const char *key, const char *value, int line), void *arg)
{
	struct reader r = { a, text.ptr, text.ptr + text.len, 1 };
	struct buf section = buf_in(a);
	struct buf key = buf_in(a);
	struct buf value = buf_in(a);

	if (bytes_starts(text, BYTES("\xef\xbb\xbf")))
		r.at += 3;
	for (;;) {
		int line = r.line;
		int ch = next(&r);
		bool has_value;

		if (ch == -1)
			return 0;
		if (byte_is_space(ch))
			continue;
		if (ch == '#' || ch == ';') {
			skip_line(&r);
			continue;
		}
		if (ch == '[') {
			if (!read_section(&r, &section))
				return -line;
			continue;
		}
		if (!byte_is_alpha(ch) || section.len == 0 || section.len > KEY_MAX)
			return -line;
		if (!read_variable(&r, ch, buf_bytes(&section), &key, &value, &has_value))
			return -line;
		int stop = fn(arg, buf_cstr(&key), has_value ? buf_cstr(&value) : NULL, line);

		if (stop != 0)
			return stop;
	}
}

/* --- values --- */

int config_truth(const char *v)
{
	int64_t n;
	static const char *const yes[] = { "true", "yes", "on" };
	static const char *const no[] = { "false", "no", "off", "" };
	char low[8];
	size_t len;

	if (v == NULL)
		return 1;
	len = strlen(v);
	if (len < sizeof(low)) {
		for (size_t i = 0; i <= len; i++)
			low[i] = (char)byte_to_lower((unsigned char)v[i]);
		for (size_t i = 0; i < 3; i++)
			if (strcmp(low, yes[i]) == 0)
				return 1;
		for (size_t i = 0; i < 4; i++)
			if (strcmp(low, no[i]) == 0)
				return 0;
	}
	return config_number(v, &n) ? n != 0 : -1;
}

bool config_number(const char *v, int64_t *out)
{
	size_t len = strlen(v);
	char digits[32];
	int shift = 0;

	if (len == 0 || len >= sizeof(digits))
		return false;
	memcpy(digits, v, len + 1);
	switch (byte_to_lower((unsigned char)v[len - 1])) {
	case 'k': shift = 10; break;
	case 'm': shift = 20; break;
	case 'g': shift = 30; break;
	default: break;
	}
	if (shift != 0)
		digits[len - 1] = '\0';
	if (!git_number(digits, out))
		return false;
	if (*out > INT64_MAX >> shift || *out < -(INT64_MAX >> shift))
		return false;
	*out *= (int64_t)1 << shift;
	return true;
}

const struct config_entry *config_find(struct git *g, const struct config *cf, const char *key)
{
	git_charge_search(g, cf->n, key);
	for (size_t i = cf->n; i > 0; i--)
		if (strcmp(cf->at[i - 1].key, key) == 0)
			return &cf->at[i - 1];
	return NULL;
}

const char *config_get(struct git *g, const char *key)
{
	const struct config_entry *e;
	size_t len = strlen(key);
	char low[128];

	config_load(g);
	/* Keys of the program are all in small letters, advice ones are not. */
	if (strchr(key, '.') == strrchr(key, '.') && len < sizeof(low)) {
		for (size_t i = 0; i <= len; i++)
			low[i] = (char)byte_to_lower((unsigned char)key[i]);
		key = low;
	}
	e = config_find(g, g->config, key);
	if (e == NULL)
		return NULL;
	return e->value != NULL ? e->value : "true";
}

bool config_bool(struct git *g, const char *key, bool otherwise)
{
	const char *v = config_get(g, key);
	int truth;

	if (v == NULL)
		return otherwise;
	truth = config_truth(v);
	if (truth < 0)
		git_die(g, "bad boolean config value '%s' for '%s'", v, key);
	return truth != 0;
}

int64_t config_int(struct git *g, const char *key, int64_t otherwise)
{
	const char *v = config_get(g, key);
	int64_t n;

	if (v == NULL)
		return otherwise;
	if (!config_number(v, &n)) {
		const struct config_entry *e = config_find(g, g->config, key);

		if (e == NULL)
			return otherwise;
		if (e->file == NULL)
			git_die(g, "bad numeric config value '%s' for '%s': invalid unit", v, key);
		git_die(g, "bad numeric config value '%s' for '%s' in file %s: invalid unit", v,
			key, e->file);
	}
	return n;
}

char *config_key(struct git *g, struct arena *a, const char *text)
{
	const char *last = strrchr(text, '.');
	const char *first = strchr(text, '.');
	char *out = arena_dup(a, bytes_of(text));

	if (last == NULL || last == text) {
		if (g != NULL)
			git_error(g, "key does not contain a section: %s", text);
		return NULL;
	}
	if (last[1] == '\0') {
		if (g != NULL)
			git_error(g, "key does not contain variable name: %s", text);
		return NULL;
	}
	for (char *p = out; *p != '\0'; p++) {
		const char *at = text + (p - out);
		bool sub = at > first && at < last;

		if (*p == '\n') {
			if (g != NULL)
				git_error(g, "invalid key (newline): %s", text);
			return NULL;
		}
		if (sub || at == first || at == last)
			continue;
		if (!name_byte((unsigned char)*p) ||
		    (at == last + 1 && !byte_is_alpha((unsigned char)*p))) {
			if (g != NULL)
				git_error(g, "invalid key: %s", text);
			return NULL;
		}
		*p = (char)byte_to_lower((unsigned char)*p);
	}
	return out;
}

char *config_expand_path(struct git *g, const char *path)
{
	const char *home = cmd_getenv(g->c, "HOME");

	if (path[0] == '~' && (path[1] == '/' || path[1] == '\0') && home != NULL)
		return git_format(g->a, "%s%s", home, path + 1);
	return arena_dup(g->a, bytes_of(path));
}

/* --- files --- */

struct loading {
	struct git *g;
	struct config *into;
	const char *file;
	enum config_scope scope;
	bool includes;
	int depth;
	bool is_text; /* of no directory */
};

static void add_entry(struct git *g, struct config *into, const struct config_entry *e)
{
	LIST_ROOM(g, into->at, into->n, into->cap);
	into->at[into->n] = *e;
	into->at[into->n].key = arena_dup(g->keep, bytes_of(e->key));
	if (e->value != NULL)
		into->at[into->n].value = arena_dup(g->keep, bytes_of(e->value));
	into->n++;
}

/* Whether includeIf's condition holds. */
static bool condition_holds(struct git *g, struct bytes cond, const char *file)
{
	char *text = arena_dup(g->a, cond);
	bool icase = git_starts(text, "gitdir/i:");
	char *pattern;

	if (git_starts(text, "onbranch:") && g->dir != NULL) {
		char *head = head_ref(g);

		pattern = text + 9;
		if (git_ends(pattern, "/"))
			pattern = git_format(g->a, "%s**", pattern);
		return head != NULL && git_starts(head, "refs/heads/") &&
		       wild_match(pattern, bytes_of(head + 11), WILD_PATHNAME);
	}
	if ((!git_starts(text, "gitdir:") && !icase) || g->dir == NULL)
		return false;
	pattern = strchr(text, ':') + 1;
	if (git_starts(pattern, "./")) {
		const char *slash = strrchr(file, '/');

		pattern = git_format(g->a, "%.*s%s", slash != NULL ? (int)(slash - file) : 0, file,
				     pattern + 1);
	} else {
		pattern = config_expand_path(g, pattern);
	}
	if (pattern[0] != '/')
		pattern = git_format(g->a, "**/%s", pattern);
	if (git_ends(pattern, "/"))
		pattern = git_format(g->a, "%s**", pattern);
	return wild_match(pattern, bytes_of(g->dir), WILD_PATHNAME | (icase ? WILD_ICASE : 0)) ||
	       wild_match(pattern, bytes_of(git_format(g->a, "%s/", g->dir)), WILD_PATHNAME);
}

static void include(struct loading *l, const char *path)
{
	char *full = config_expand_path(l->g, path);

	if (full[0] != '/' && l->file != NULL) {
		const char *slash = strrchr(l->file, '/');

		if (slash != NULL)
			full = git_format(l->g->a, "%.*s/%s", (int)(slash - l->file), l->file,
					  full);
	}
	if (l->depth >= 10)
		git_die(l->g,
			"exceeded maximum include depth (10) while including\n\t%s\nfrom\n\t%s\n"
			"This might be due to circular includes.",
			full, l->file);
	config_add_file(l->g, l->into, full, l->scope, true, l->depth + 1);
}

static int take(void *arg, const char *key, const char *value, int line)
{
	struct loading *l = arg;
	struct config_entry e = { key, value, l->file, line, l->scope };
	struct bytes cond = { key, strlen(key) };

	cmd_charge(l->g->c, 1);
	add_entry(l->g, l->into, &e);
	if (!l->includes || value == NULL)
		return 0;
	if (strcmp(key, "include.path") != 0) {
		if (cond.len <= 15 || !git_starts(key, "includeif.") || !git_ends(key, ".path"))
			return 0;
		cond = bytes_slice(cond, 10, cond.len - 5);
		if (!condition_holds(l->g, cond, l->file))
			return 0;
	}
	if (l->is_text && value[0] != '/' && value[0] != '~') {
		git_error(l->g, "relative config includes must come from files");
		return -line;
	}
	include(l, arena_dup(l->g->a, bytes_of(value)));
	return 0;
}

bool config_add_text(struct git *g, struct config *into, struct bytes text, const char *name,
		     bool includes)
{
	struct loading l = { g, into, name, CONFIG_COMMAND, includes, 0, true };
	int got = config_parse(g->a, text, take, &l);

	if (got < 0)
		git_error(g, "bad config line %d in blob %s", -got, name + strlen("blob:"));
	return got >= 0;
}

void config_add_file(struct git *g, struct config *into, const char *path, enum config_scope scope,
		     bool includes, int depth)
{
	struct bytes text;
	struct loading l = { g, into, path, scope, includes, depth, false };
	int got;
	int err = file_read(g, g->a, path, &text);

	if (err == -E_ACCES)
		git_warn(g, "unable to access '%s': %s", path, err_text(err));
	if (err < 0)
		return;
	got = config_parse(g->a, text, take, &l);
	if (got < 0 && scope == CONFIG_LOCAL && git_ends(path, "/.git/config"))
		path = ".git/config";
	if (got < 0)
		git_die(g, "bad config line %d in file %s", -got,
			scope == CONFIG_LOCAL && g->dir_shown == NULL && g->work != NULL &&
					git_starts(path, g->work) && strlen(g->work) > 1
				? path + strlen(g->work) + 1
				: path);
}

char *config_path_global(struct git *g)
{
	const char *given = cmd_getenv(g->c, "GIT_CONFIG_GLOBAL");
	const char *home = cmd_getenv(g->c, "HOME");

	if (given != NULL)
		return arena_dup(g->a, bytes_of(given));
	return home != NULL ? git_format(g->a, "%s/.gitconfig", home) : NULL;
}

char *config_local_path(struct git *g)
{
	return git_format(g->a, "%s/config", g->common);
}

static void add_xdg(struct git *g)
{
	const char *xdg = cmd_getenv(g->c, "XDG_CONFIG_HOME");
	const char *home = cmd_getenv(g->c, "HOME");

	if (xdg != NULL && xdg[0] != '\0')
		config_add_file(g, g->config, git_format(g->a, "%s/git/config", xdg), CONFIG_GLOBAL,
				true, 0);
	else if (home != NULL)
		config_add_file(g, g->config, git_format(g->a, "%s/.config/git/config", home),
				CONFIG_GLOBAL, true, 0);
}

/* GIT_CONFIG_COUNT, GIT_CONFIG_KEY_n, GIT_CONFIG_VALUE_n. */
static void add_environment(struct git *g)
{
	const char *count = cmd_getenv(g->c, "GIT_CONFIG_COUNT");
	int64_t n = 0;

	if (count == NULL || count[0] == '\0')
		return;
	if (!git_number(count, &n) || n < 0)
		git_die(g, "bogus count in GIT_CONFIG_COUNT");
	for (int64_t i = 0; i < n; i++) {
		const char *key = cmd_getenv(g->c,
					     git_format(g->a, "GIT_CONFIG_KEY_%lld", (long long)i));
		const char *value = cmd_getenv(
			g->c, git_format(g->a, "GIT_CONFIG_VALUE_%lld", (long long)i));
		struct config_entry e = { .value = value, .scope = CONFIG_COMMAND };

		if (key == NULL)
			git_die(g, "missing config key GIT_CONFIG_KEY_%lld", (long long)i);
		if (value == NULL)
			git_die(g, "missing config value GIT_CONFIG_VALUE_%lld", (long long)i);
		e.key = config_key(g, g->a, key);
		if (e.key == NULL)
			git_exit(g, GIT_STATUS_FATAL);
		add_entry(g, g->config, &e);
	}
}

static _Noreturn void bad_parameters(struct git *g)
{
	git_say(g, "fatal: unable to parse command-line config\n");
	git_exit(g, GIT_STATUS_FATAL);
}

static void add_parameter(struct git *g, const char *name, const char *value)
{
	struct config_entry e = { .value = value, .scope = CONFIG_COMMAND };

	if (name[0] == '\0')
		git_say(g, "error: empty config key\n");
	else
		e.key = config_key(g, g->a, name);
	if (e.key == NULL)
		bad_parameters(g);
	add_entry(g, g->config, &e);
}

/* GIT_CONFIG_PARAMETERS, in which -c puts its arguments: 'KEY'='VALUE' or 'KEY'=, or in the older
 * form 'KEY=VALUE' or 'KEY', with blanks between them. */
static void add_parameters(struct git *g)
{
	const char *at = cmd_getenv(g->c, "GIT_CONFIG_PARAMETERS");

	while (at != NULL && *at != '\0') {
		char *name = git_unquote_shell(g->a, &at);
		char *value = NULL;
		bool pair = name != NULL && *at == '=';

		if (pair) {
			at++;
			if (*at == '\'')
				value = git_unquote_shell(g->a, &at);
		} else if (name != NULL && strchr(name, '=') != NULL) {
			value = strchr(name, '=') + 1;
			value[-1] = '\0';
		}
		if (name == NULL || (*at != '\0' && *at != ' ')) {
			git_say(g, "error: bogus format in GIT_CONFIG_PARAMETERS\n");
			bad_parameters(g);
		}
		add_parameter(g, name, value);
		at += strspn(at, " ");
	}
}

void config_load(struct git *g)
{
	struct config *cf = g->config;
	const char *shared;
	char *global;

	if (cf->loaded)
		return;
	*cf = (struct config){ .loaded = true };
	if (config_truth(cmd_getenv(g->c, "GIT_CONFIG_NOSYSTEM") != NULL
				 ? cmd_getenv(g->c, "GIT_CONFIG_NOSYSTEM")
				 : "false") != 1) {
		const char *system = cmd_getenv(g->c, "GIT_CONFIG_SYSTEM");

		config_add_file(g, cf, system != NULL ? system : "/etc/gitconfig", CONFIG_SYSTEM,
				true, 0);
	}
	if (cmd_getenv(g->c, "GIT_CONFIG_GLOBAL") == NULL)
		add_xdg(g);
	global = config_path_global(g);
	if (global != NULL)
		config_add_file(g, cf, global, CONFIG_GLOBAL, true, 0);
	if (g->dir != NULL) {
		config_add_file(g, cf, config_local_path(g), CONFIG_LOCAL, true, 0);
		const struct config_entry *e = config_find(g, cf, "extensions.worktreeconfig");

		if (e != NULL && config_truth(e->value) == 1)
			config_add_file(g, cf, git_format(g->a, "%s/config.worktree", g->dir),
					CONFIG_WORKTREE, true, 0);
	}
	add_environment(g);
	add_parameters(g);
	shared = config_get(g, "core.sharedrepository");
	if (shared != NULL)
		g->shared = share_parse(g, shared, "core.sharedrepository");
}

void config_die(struct git *g, const char *key)
{
	const struct config_entry *e;

	config_load(g);
	e = config_find(g, g->config, key);
	if (e == NULL || e->scope == CONFIG_COMMAND)
		git_die(g, "unable to parse '%s' from command-line config", key);
	git_die(g, "bad config variable '%s' in file '%s' at line %d", key,
		e->scope == CONFIG_LOCAL && g->work != NULL ? ".git/config" : e->file, e->line);
}
