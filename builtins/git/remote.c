/* SPDX-License-Identifier: MIT
 *
 * Remotes: their configuration, their URLs, and refspecs ("+refs/heads/x:refs/remotes/o/x").
 */
#include "builtins/git/transport.h"

/* --- configuration --- */

void config_all(struct git *g, const char *key, struct names *out)
{
	git_charge_search(g, g->config->n, key);
	for (size_t i = 0; i < g->config->n; i++)
		if (g->config->at[i].value != NULL && strcmp(g->config->at[i].key, key) == 0)
			names_add(g, out, g->config->at[i].value);
}

void config_reload(struct git *g)
{
	g->config->loaded = false;
	g->config->n = 0;
	config_load(g);
}

void remote_list_as_configured(struct git *g, struct names *out)
{
	cmd_charge(g->c, g->config->n / 8);
	for (size_t i = 0; i < g->config->n; i++) {
		const char *key = g->config->at[i].key;
		const char *end = strrchr(key, '.');
		char *name;

		if (!git_starts(key, "remote.") || end <= key + 7)
			continue;
		name = git_format(g->a, "%.*s", (int)(end - key - 7), key + 7);
		if (!names_has(g, out, name))
			names_add(g, out, name);
	}
}

void remote_list(struct git *g, struct names *out)
{
	remote_list_as_configured(g, out);
	git_sort(g, out->at, out->n, sizeof(*out->at), git_name_cmp);
}

const char *remote_default(struct git *g)
{
	char *head = head_ref(g);
	const char *name = NULL;
	struct names list = { NULL, 0, 0 };

	if (head != NULL)
		name = config_get(g, git_format(g->a, "branch.%s.remote", ref_short(g, head)));
	if (name != NULL)
		return name;
	remote_list(g, &list);
	return list.n == 1 ? list.at[0] : "origin";
}

/* --- URLs --- */

/* url.BASE.insteadOf: the longest prefix that fits is replaced. */
static const char *rewrite(struct git *g, const char *url, const char *what)
{
	const struct config_entry *best = NULL;
	size_t length = 0;

	git_charge_search(g, g->config->n, url);
	for (size_t i = 0; i < g->config->n; i++) {
		const struct config_entry *e = &g->config->at[i];

		if (git_starts(e->key, "url.") && git_ends(e->key, what) && e->value != NULL &&
		    git_starts(url, e->value) && strlen(e->value) > length) {
			best = e;
			length = strlen(e->value);
		}
	}
	if (best == NULL)
		return url;
	return git_format(g->keep, "%.*s%s", (int)(strlen(best->key) - strlen(what) - 4),
			  best->key + 4, url + length);
}

static size_t scheme_length(const char *url)
{
	size_t n = 0;

	while (byte_is_alnum((unsigned char)url[n]) || url[n] == '+' || url[n] == '-' ||
	       url[n] == '.')
		n++;
	return n > 0 && strncmp(url + n, "://", 3) == 0 ? n : 0;
}

/* host:path, where no slash stands in front of the colon. */
static bool is_scp(const char *url)
{
	size_t n = strcspn(url, ":/");

	return n > 0 && url[n] == ':' && url[n + 1] != ':';
}

bool remote_is_url(const char *url)
{
	return scheme_length(url) != 0 || is_scp(url);
}

static _Noreturn void unreachable_ssh(struct git *g, struct bytes host)
{
	const char *at = memchr(host.ptr, '@', host.len);

	if (at != NULL)
		host = bytes_slice(host, (size_t)(at + 1 - host.ptr), host.len);
	git_say(g, "ssh: Could not resolve hostname %.*s: no network here\n", (int)host.len,
		host.ptr);
	git_die(g, "Could not read from remote repository.\n\n"
		   "Please make sure you have the correct access rights\n"
		   "and the repository exists.");
}

static _Noreturn void unreachable(struct git *g, const char *url, size_t scheme)
{
	const char *host = url + scheme + 3;
	struct bytes name = { host, strcspn(host, "/:") };

	if (strncmp(url, "http", 4) == 0)
		git_die(g,
			"unable to access '%s%s': Could not resolve host: %.*s (no network here)",
			url, git_ends(url, "/") ? "" : "/", (int)name.len, name.ptr);
	if (scheme == 3 && strncmp(url, "git", 3) == 0)
		git_die(g, "unable to look up %.*s (port 9418) (no network here)", (int)name.len,
			name.ptr);
	if (strncmp(url, "ssh", 3) == 0 || git_starts(url, "git+ssh"))
		unreachable_ssh(g, (struct bytes){ host, strcspn(host, "/") });
	git_die(g, "Unable to find remote helper for '%.*s'", (int)scheme, url);
}

char *remote_path(struct git *g, const char *url)
{
	size_t scheme = scheme_length(url);

	if (scheme == 4 && strncmp(url, "file", 4) == 0)
		return arena_dup(g->keep, bytes_of(url + 7));
	if (scheme != 0)
		unreachable(g, url, scheme);
	if (is_scp(url) && !file_exists(g, path_join(g->a, g->start, url)))
		unreachable_ssh(g, (struct bytes){ url, strcspn(url, ":") });
	return arena_dup(g->keep, bytes_of(url));
}

struct git *remote_open(struct git *g, const char *url)
{
	/* Relative paths of a configuration begin at the top of the work tree. */
	char *path = remote_path(g, url);
	const char *top = g->work != NULL ? g->work : g->start;
	char *full = path[0] == '/' ? path : path_join(g->keep, top, path);
	struct git *other = repo_open(g, full);

	if (other != NULL)
		return other;
	if (bundle_is(g, full)) {
		other = bundle_open(g, full, path);
		if (other != NULL)
			return other;
	}
	git_say(g, "fatal: '%s' does not appear to be a git repository\n", path);
	git_die(g, "Could not read from remote repository.\n\n"
		   "Please make sure you have the correct access rights\n"
		   "and the repository exists.");
}

char *remote_shown(struct git *g, const char *url)
{
	size_t n = strlen(url);

	while (n > 0 && url[n - 1] == '/')
		n--;
	if (n > 5 && strncmp(url + n - 4, ".git", 4) == 0)
		n -= 4;
	return git_format(g->keep, "%.*s", (int)n, url);
}

/* --- refspecs --- */

/* A name of a reference, or a part of one, perhaps with a star. */
static bool side_valid(struct git *g, const char *text, bool pattern)
{
	char *full = git_format(g->a, "refs/x/%s", text);
	char *star = strchr(full, '*');

	if ((star != NULL) != pattern)
		return false;
	if (star != NULL)
		*star = 'x';
	return strcmp(text, "@") != 0 && ref_name_valid(full);
}

/* What is sent: any expression ("commit:path"). */
static bool source_valid(struct git *g, const char *text, bool pattern, bool for_fetch)
{
	if (text[0] == '\0' || strcmp(text, "@") == 0)
		return true;
	return pattern || for_fetch ? side_valid(g, text, pattern) : strchr(text, '*') == NULL;
}

void refspec_add(struct git *g, struct refspecs *list, const char *text, bool for_fetch)
{
	struct refspec s = { .force = *text == '+', .negative = *text == '^' };
	const char *body = text + (s.force || s.negative);
	const char *colon = strrchr(body, ':');

	s.matching = !for_fetch && strcmp(body, ":") == 0;
	s.src = arena_dup(g->keep, (struct bytes){ body, colon != NULL ? (size_t)(colon - body)
								       : strlen(body) });
	s.dst = colon != NULL ? arena_dup(g->keep, bytes_of(colon + 1)) : NULL;
	s.pattern = strchr(s.src, '*') != NULL;
	if (!source_valid(g, s.src, s.pattern, for_fetch || colon == NULL) ||
	    (s.dst != NULL && !s.matching && (s.dst[0] != '\0' || !for_fetch || s.pattern) &&
	     !side_valid(g, s.dst, s.pattern)) ||
	    (s.negative && colon != NULL))
		git_die(g, "invalid refspec '%s'", text);
	if (for_fetch && (s.src[0] == '\0' || strcmp(s.src, "@") == 0))
		s.src = "HEAD";
	if (for_fetch && s.dst != NULL && s.dst[0] == '\0')
		s.dst = NULL;
	LIST_ROOM(g, list->at, list->n, list->cap);
	list->at[list->n++] = s;
}

/* Whether name fits src: what stands for the star in *inside. */
static bool side_takes(const char *side, bool pattern, const char *name, struct bytes *inside)
{
	const char *star = strchr(side, '*');
	size_t n = strlen(name);
	size_t front, back;

	*inside = BYTES("");
	if (!pattern)
		return strcmp(side, name) == 0;
	front = (size_t)(star - side);
	back = strlen(star + 1);
	if (n < front + back || strncmp(name, side, front) != 0 ||
	    strcmp(name + n - back, star + 1) != 0)
		return false;
	*inside = (struct bytes){ name + front, n - front - back };
	return true;
}

char *refspec_map(struct git *g, const struct refspec *s, const char *name)
{
	struct bytes inside;
	const char *star;

	if (s->dst == NULL || s->negative || !side_takes(s->src, s->pattern, name, &inside))
		return NULL;
	if (!s->pattern)
		return arena_dup(g->keep, bytes_of(s->dst));
	star = strchr(s->dst, '*');
	return git_format(g->keep, "%.*s%.*s%s", (int)(star - s->dst), s->dst, (int)inside.len,
			  inside.ptr, star + 1);
}

char *refspecs_source(struct git *g, const struct refspecs *list, const char *name)
{
	char *other = NULL;

	for (size_t i = 0; i < list->n && other == NULL; i++) {
		const struct refspec *s = &list->at[i];
		const struct refspec back = { .pattern = s->pattern,
					      .negative = s->negative,
					      .src = s->dst != NULL ? s->dst : "",
					      .dst = s->src };

		other = refspec_map(g, &back, name);
	}
	return other;
}

char *refspecs_map(struct git *g, const struct refspecs *list, const char *name,
		   const struct refspec **which)
{
	struct bytes inside;

	git_charge_search(g, list->n * 4, name);
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].negative &&
		    side_takes(list->at[i].src, list->at[i].pattern, name, &inside))
			return NULL;
	for (size_t i = 0; i < list->n; i++) {
		char *to = refspec_map(g, &list->at[i], name);

		if (to == NULL)
			continue;
		if (which != NULL)
			*which = &list->at[i];
		return to;
	}
	return NULL;
}

void remote_get(struct git *g, const char *name, struct remote *out)
{
	const char *url = config_get(g, git_format(g->a, "remote.%s.url", name));
	const char *push = config_get(g, git_format(g->a, "remote.%s.pushurl", name));
	struct names urls = { NULL, 0, 0 };
	struct names specs = { NULL, 0, 0 };

	*out = (struct remote){ .name = name };
	/* Of several URLs the first is fetched from. */
	config_all(g, git_format(g->a, "remote.%s.url", name), &urls);
	if (urls.n != 0)
		url = urls.at[0];
	out->configured = url != NULL;
	out->mirror = config_bool(g, git_format(g->a, "remote.%s.mirror", name), false);
	if (url == NULL)
		url = name;
	out->url = rewrite(g, url, ".insteadof");
	out->push_url = push != NULL ? rewrite(g, push, ".insteadof")
				     : rewrite(g, url, ".pushinsteadof");
	if (push == NULL && out->push_url == url)
		out->push_url = out->url;
	config_all(g, git_format(g->a, "remote.%s.fetch", name), &specs);
	for (size_t i = 0; i < specs.n; i++)
		refspec_add(g, &out->fetch, specs.at[i], true);
	specs.n = 0;
	config_all(g, git_format(g->a, "remote.%s.push", name), &specs);
	for (size_t i = 0; i < specs.n; i++)
		refspec_add(g, &out->push, specs.at[i], false);
}

char *remote_head(struct git *from)
{
	return from->bundle != NULL ? bundle_head(from) : ref_symbolic(from, "HEAD");
}

size_t remote_refs(struct git *from, struct ref **out)
{
	struct ref *list, *all;
	size_t n, kept = 0;
	struct oid o;

	if (from->bundle != NULL)
		return bundle_refs(from, out);
	n = ref_list(from, "refs/", &list);
	all = arena_array(from->keep, n + 1, sizeof(*all));
	if (head_oid(from, &o)) {
		all[kept] = (struct ref){ .name = arena_dup(from->keep, BYTES("HEAD")), .oid = o };
		all[kept++].target = head_ref(from);
	}
	for (size_t i = 0; i < n; i++)
		if (!list[i].broken)
			all[kept++] = list[i];
	*out = all;
	return kept;
}
