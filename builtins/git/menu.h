/* SPDX-License-Identifier: MIT
 *
 * Lists of which people choose, by number or name: add -i, clean -i.
 */
#ifndef BUILTINS_GIT_MENU_H
#define BUILTINS_GIT_MENU_H

#include "builtins/git/git.h"

struct menu_item {
	const char *name;
	const char *columns; /* in front of the name, or "" */
	bool chosen;
};

struct menu {
	const char *header; /* above the list, or NULL */
	const char *prompt;
	struct menu_item *at;
	size_t n, cap;
	bool once;   /* the first choice ends it */
	bool beside; /* several items on a line; "*" does not end the question */
};

void menu_add(struct git *g, struct menu *m, const char *name, const char *columns);
/* "Prompt help". one: an item is all that can be chosen. */
void menu_help(struct git *g, bool one);
/* Shows the list; marked: how much of each name tells it from the others. */
void menu_show(struct git *g, const struct menu *m, bool marked);
/* Asks until an empty line: how many are chosen then. At the end of the input none is. */
size_t menu_choose(struct git *g, struct menu *m, struct input *in);
/* The item a text names by its number, its name or the beginning of it; SIZE_MAX: none. */
size_t menu_find(const struct menu *m, const char *text);
/* A line from the input; NULL at its end. */
char *menu_line(struct git *g, struct input *in);

/* clean_menu.c: git clean -i: what stays in the list (names below the work tree) is to be
 * removed. False: nothing is. */
bool clean_ask(struct git *g, struct names *list);

/* add_menu.c: git add -i, git commit --interactive. */
int add_interactive(struct git *g, char **paths, int n);

#endif
