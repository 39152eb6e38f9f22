/* SPDX-License-Identifier: MIT
 *
 * The part of openssl that scripts use where no keys are: digests, random bytes, base64.
 *
 *   openssl.c   commands, options, input and output
 *   base64.c    the encoding as openssl's filter has it
 */
#ifndef BUILTINS_OPENSSL_OPENSSL_H
#define BUILTINS_OPENSSL_OPENSSL_H

#include "builtins/builtin.h"

/* Encodes what is read, in lines of 64 letters unless one_line. */
int openssl_encode(struct input *in, struct output *out, bool one_line);
/* Decodes text: lines before the first that is base64 are skipped, unless it is one_line. */
void openssl_decode(struct cmd *c, struct bytes text, struct output *out, bool one_line);

#endif
