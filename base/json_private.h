/* SPDX-License-Identifier: MIT
 *
 * What the files of the JSON parser share.
 */
#ifndef BASE_JSON_PRIVATE_H
#define BASE_JSON_PRIVATE_H

#include "base/json.h"

/* What came last in a parser that gives events. */
enum { LAST_NONE, LAST_OPEN, LAST_COMMA, LAST_COLON, LAST_VALUE };

/* A bracket, comma or colon for a parser that gives events: an error or NULL. */
const char *json_stream_token(struct json_parser *p, char ch);
/* The event of the value p->next, which is consumed. */
struct json json_stream_leaf(struct json_parser *p);

#endif
