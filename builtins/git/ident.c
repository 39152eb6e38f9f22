/* SPDX-License-Identifier: MIT
 *
 * Who makes a commit: environment, configuration, the machine's user.
 */
#include "builtins/git/git.h"

static const char *from_config(struct git *g, bool author, const char *what)
{
	const char *v = config_get(
		g, git_format(g->a, "%s.%s", author ? "author" : "committer", what));

	return v != NULL ? v : config_get(g, git_format(g->a, "user.%s", what));
}

static const char *from_env(struct git *g, bool author, const char *what)
{
	return cmd_getenv(g->c,
			  git_format(g->a, "GIT_%s_%s", author ? "AUTHOR" : "COMMITTER", what));
}

bool ident_is_implicit(struct git *g, bool author)
{
	const char *mail = from_env(g, author, "EMAIL");

	if (mail == NULL)
		mail = from_config(g, author, "email");
	return mail == NULL && cmd_getenv(g->c, "EMAIL") == NULL;
}

static void tell_who(struct git *g, bool author)
{
	git_say(g,
		"%s identity unknown\n"
		"\n*** Please tell me who you are.\n\n"
		"Run\n\n"
		"  git config --global user.email \"you@example.com\"\n"
		"  git config --global user.name \"Your Name\"\n\n"
		"to set your account's default identity.\n"
		"Omit --global to set the identity only in this repository.\n\n",
		author ? "Author" : "Committer");
}

static bool is_crud(unsigned char ch)
{
	return ch <= 32 || ch == '.' || ch == ',' || ch == ':' || ch == ';' || ch == '<' ||
	       ch == '>' || ch == '"' || ch == '\\' || ch == '\'';
}

/* Without what would break the line apart. */
static void put_clean(struct buf *out, const char *s)
{
	size_t len = strlen(s);

	while (len > 0 && is_crud((unsigned char)*s)) {
		s++;
		len--;
	}
	while (len > 0 && is_crud((unsigned char)s[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++)
		if (s[i] != '\n' && s[i] != '<' && s[i] != '>')
			buf_putc(out, s[i]);
}

static bool all_crud(const char *s)
{
	for (; *s != '\0'; s++)
		if (!is_crud((unsigned char)*s))
			return false;
	return true;
}

static const char *default_name(struct git *g)
{
	const char *name = cmd_user_name(g->c, cmd_uid(g->c));

	return name != NULL ? name : "unknown";
}

static const char *default_mail(struct git *g, bool author, bool strict)
{
	const char *mail = cmd_getenv(g->c, "EMAIL");
	const char *host = cmd_hostname(g->c);

	if (mail != NULL && mail[0] != '\0')
		return mail;
	if (!strict && strchr(host, '.') == NULL)
		return git_format(g->a, "%s@%s.(none)", default_name(g), host);
	if (strict && (strchr(host, '.') == NULL || config_bool(g, "user.useconfigonly", false))) {
		tell_who(g, author);
		git_die(g, "unable to auto-detect email address (got '%s@%s.(none)')",
			default_name(g), host);
	}
	return git_format(g->a, "%s@%s", default_name(g), host);
}

/* strict: someone must be known; else what the machine says will do. */
static char *make(struct git *g, bool author, const char *name, const char *mail, const char *date,
		  bool strict)
{
	struct buf out = buf_in(g->a);
	int64_t seconds = date_now(g);
	int zone = date_local_zone(g, seconds);

	if (name == NULL)
		name = from_env(g, author, "NAME");
	if (mail == NULL)
		mail = from_env(g, author, "EMAIL");
	if (name == NULL)
		name = from_config(g, author, "name");
	if (mail == NULL)
		mail = from_config(g, author, "email");
	if (mail == NULL)
		mail = default_mail(g, author, strict);
	if (name == NULL)
		name = default_name(g);
	if (name[0] == '\0' && !strict)
		name = default_name(g);
	if (name[0] == '\0') {
		tell_who(g, author);
		git_die(g, "empty ident name (for <%s>) not allowed", mail);
	}
	if (strict && all_crud(name))
		git_die(g, "name consists only of disallowed characters: %s", name);
	if (date == NULL)
		date = from_env(g, author, "DATE");
	if (date != NULL && date[0] != '\0' && !date_exact(g, date, &seconds, &zone))
		git_die(g, "invalid date format: %s", date);
	put_clean(&out, name);
	buf_puts(&out, " <");
	put_clean(&out, mail);
	buf_printf(&out, "> %lld %c%02d%02d", (long long)seconds, zone < 0 ? '-' : '+',
		   (zone < 0 ? -zone : zone) / 100, (zone < 0 ? -zone : zone) % 100);
	return buf_cstr(&out);
}

char *ident_make(struct git *g, bool author, const char *name, const char *mail, const char *date)
{
	return make(g, author, name, mail, date, true);
}

char *ident_log(struct git *g)
{
	return make(g, false, NULL, NULL, NULL, false);
}

char *ident_author(struct git *g)
{
	return ident_make(g, true, NULL, NULL, NULL);
}

char *ident_committer(struct git *g)
{
	return ident_make(g, false, NULL, NULL, NULL);
}

void ident_export_author(struct git *g, const char *author)
{
	struct person who;
	struct env e;

	person_split(bytes_of(author), &who);
	env_init(&e, g->c, false);
	env_put(&e, git_format(g->a, "GIT_AUTHOR_NAME=%.*s", (int)who.name.len, who.name.ptr));
	env_put(&e, git_format(g->a, "GIT_AUTHOR_EMAIL=%.*s", (int)who.mail.len, who.mail.ptr));
	env_put(&e, git_format(g->a, "GIT_AUTHOR_DATE=@%lld %c%04d", (long long)who.time,
			       who.zone < 0 ? '-' : '+', who.zone < 0 ? -who.zone : who.zone));
	g->c->envp = e.list;
}
