/* SPDX-License-Identifier: MIT
 *
 * What the YAML reader's files share: yaml_scan.c has comments and scalars, yaml_parse.c
 * collections and documents.
 */
#ifndef BASE_YAML_PRIVATE_H
#define BASE_YAML_PRIVATE_H

#include "base/yaml.h"

/* Sets the error at the current place; returns NULL. */
void *yaml_fail(struct yaml_parser *p, const char *error);
static inline uint32_t yaml_column(const struct yaml_parser *p)
{
	return (uint32_t)(p->at - p->bol);
}
/* Steps over a line break, which must be there. */
void yaml_break(struct yaml_parser *p);
static inline bool yaml_at_break(const struct yaml_parser *p)
{
	return p->at < p->end && (*p->at == '\n' || *p->at == '\r');
}
/* The byte k places on, 0 at the end. */
static inline int yaml_peek(const struct yaml_parser *p, size_t k)
{
	return (size_t)(p->end - p->at) > k ? (unsigned char)p->at[k] : 0;
}
/* Whether white space, a break or the end is k places on. */
bool yaml_blank_at(const struct yaml_parser *p, size_t k);
/* "---" or "..." at the beginning of a line. */
bool yaml_at_marker(const struct yaml_parser *p);
void yaml_skip_blanks(struct yaml_parser *p);
/* To the next thing that is neither white space nor comment. Comments wait in p->comments; one
 * behind p->last in its line is its tail. */
bool yaml_skip(struct yaml_parser *p);
/* The comments from..to of those that wait, joined; they are taken out. */
struct bytes yaml_take(struct yaml_parser *p, size_t from, size_t to);

/* Scalars. indent: of the collection around; more lines must stand further right. */
struct yaml_node *yaml_plain(struct yaml_parser *p, int indent, bool flow);
struct yaml_node *yaml_quoted(struct yaml_parser *p);
struct yaml_node *yaml_block_scalar(struct yaml_parser *p, int indent);
struct yaml_node *yaml_at_node(struct yaml_parser *p, enum yaml_kind kind);

#endif
