/* SPDX-License-Identifier: MIT
 *
 * Ways to ask git blame: parents from a file (-S), forwards in time (--reverse), colours.
 */
#include "builtins/git/blame.h"
#include "builtins/git/transport.h"

/* --- -S --- */

/* "COMMIT PARENT..." */
static bool graft_line(struct blaming *b, struct bytes line)
{
	struct git *g = b->g;
	struct commit **list = arena_array(g->keep, line.len / OID_HEX + 1, sizeof(*list));
	uint32_t n = 0;
	struct oid o;

	for (;;) {
		if (line.len < OID_HEX || !oid_parse_bytes(bytes_slice(line, 0, OID_HEX), &o))
			return false;
		list[n++] = commit_at(g, &o);
		if (line.len == OID_HEX)
			break;
		if (line.ptr[OID_HEX] != ' ')
			return false;
		line = bytes_slice(line, OID_HEX + 1, line.len);
	}
	if (object_exists(g, &list[0]->oid)) {
		commit_need(g, list[0]);
		list[0]->parent = list + 1;
		list[0]->nparents = n - 1;
	}
	return true;
}

void blame_graft(struct blaming *b)
{
	struct bytes text, line;
	int err;

	if (b->o.grafts == NULL)
		return;
	err = file_read(b->g, b->g->keep, b->o.grafts, &text);
	if (err < 0)
		git_die_errno(b->g, err, "reading graft file '%s' failed", b->o.grafts);
	while (git_line(&text, &line)) {
		while (line.len != 0 && byte_is_space((unsigned char)line.ptr[line.len - 1]))
			line.len--;
		cmd_charge(b->g->c, 1);
		if (line.len != 0 && line.ptr[0] != '#' && !graft_line(b, line))
			git_error(b->g, "bad graft data: %.*s", (int)line.len, line.ptr);
	}
}

/* --- --reverse --- */

static void add_child(struct blaming *b, struct commit *parent, struct commit *c)
{
	void **at = lookup_at(b->children, oid_key(&parent->oid));
	struct child *child = arena_alloc(b->g->keep, sizeof(*child));

	*child = (struct child){ *at, c };
	*at = child;
}

struct commit *blame_reverse_start(struct blaming *b, const char *name)
{
	struct git *g = b->g;
	struct commit *start = NULL, *c;
	const char *called = NULL;
	struct revs r;
	bool single;

	revs_init(g, &r);
	b->children = lookup_new(g);
	if (!revs_add(g, &r, name))
		git_die(g, "bad revision '%s'", name);
	single = r.nitems == 1 && !r.item[0].uninteresting;
	if (single) {
		r.nitems = 0;
		revs_add(g, &r, git_format(g->keep, "%s..HEAD", name));
	}
	for (size_t i = 0; i < r.nitems; i++) {
		if (r.item[i].c == NULL || !r.item[i].uninteresting)
			continue;
		start = r.item[i].c;
		called = r.item[i].name;
	}
	if (start == NULL)
		git_die(g, "No commit to dig up from?");
	for (size_t i = 0; i < r.nitems; i++) {
		bool same = r.item[i].c == start;

		if (!single && r.item[i].name != called && (same || r.item[i].uninteresting))
			git_die(g, "More than one commit to dig up from, %s and %s?",
				r.item[i].name, called);
	}
	r.first_parent = b->o.first_parent;
	while ((c = revs_next(&r)) != NULL)
		for (uint32_t i = 0; i < c->nparents && !(b->o.first_parent && i > 0); i++)
			add_child(b, c->parent[i], c);
	if (b->o.first_parent && lookup_get(b->children, oid_key(&start->oid)) == NULL)
		git_die(g, "--reverse --first-parent together require range along first-parent "
			   "chain");
	b->start_name = called[0] == '^' ? called + 1 : called;
	return start;
}

uint32_t blame_children(struct blaming *b, struct commit *c, struct commit ***out)
{
	struct child *first = lookup_get(b->children, oid_key(&c->oid));
	uint32_t n = 0;

	for (const struct child *at = first; at != NULL; at = at->next)
		n++;
	*out = arena_array(b->g->keep, n + 1, sizeof(**out));
	n = 0;
	for (const struct child *at = first; at != NULL; at = at->next)
		(*out)[n++] = at->commit;
	return n;
}

/* --- colours --- */

struct blame_age {
	int64_t until;
	const char *color;
};

struct blame_ages {
	struct blame_age *at;
	size_t n, cap;
	const char *repeated;
};

/* "blue,12 month ago,white": a colour, until when, the next one. */
static void read_ages(struct blaming *b, const char *text)
{
	struct git *g = b->g;
	struct blame_ages *ages = b->ages;

	for (const char *at = text;;) {
		size_t n = strcspn(at, ",");
		struct blame_age age = { INT64_MAX, NULL };

		age.color = color_text(g, git_format(g->keep, "%.*s", (int)n, at));
		at += n;
		if (*at == ',') {
			at++;
			n = strcspn(at, ",");
			age.until = date_approximate(g, git_format(g->a, "%.*s", (int)n, at));
			at += n;
			if (*at != ',')
				git_die(g, "must end with a color");
			at++;
		}
		LIST_ROOM(g, ages->at, ages->n, ages->cap);
		ages->at[ages->n++] = age;
		if (age.until == INT64_MAX)
			return;
	}
}

void blame_set_colors(struct blaming *b)
{
	struct git *g = b->g;
	const char *word = config_get(g, "blame.coloring");
	const char *recent = config_get(g, "color.blame.highlightrecent");

	if (word != NULL && strcmp(word, "repeatedLines") == 0)
		b->o.color_lines = true;
	else if (word != NULL && strcmp(word, "highlightRecent") == 0)
		b->o.color_age = true;
	else if (word != NULL && strcmp(word, "none") != 0)
		git_warn(g, "invalid value for '%s': '%s'", "blame.coloring", word);
	b->ages = arena_zalloc(g->keep, sizeof(*b->ages));
	b->ages->repeated = color_of(g, "color.blame.repeatedlines", "\033[36m");
	read_ages(b, recent != NULL ? recent : "blue,12 month ago,white,1 month ago,red");
}

const char *blame_color(struct blaming *b, size_t i)
{
	const struct blame_ages *ages = b->ages;
	int64_t when;
	size_t k = 0;

	if (b->o.color_lines && i > b->from && blame_continues(b, i - 1))
		return ages->repeated;
	if (!b->o.color_age)
		return "";
	when = blame_time(b, &b->verdict[i]);
	while (k + 1 < ages->n && when > ages->at[k].until)
		k++;
	return ages->at[k].color;
}
