/* SPDX-License-Identifier: MIT
 *
 * The line discipline of terminals: what tty.c does with bytes between the two ends that pty.c
 * keeps.
 */
#ifndef KERNEL_TTY_H
#define KERNEL_TTY_H

#include "kernel/internal.h"

enum { TTY_INPUT = 4096, TTY_OUTPUT = 8192 };

/* What stands behind a byte of input. */
enum { MARK_NONE, MARK_LINE, MARK_END };

struct tty {
	struct kernel *k;
	struct tty_settings set;
	uint16_t size[4]; /* rows, columns, and the same in pixels */
	int session;      /* whose controlling terminal it is; 0: nobody's */
	int group;        /* in the foreground */
	size_t in_len;
	size_t in_ready; /* of these, what can be read: the rest is the line that is edited */
	size_t out_len;
	char in[TTY_INPUT];
	uint8_t mark[TTY_INPUT];
	char out[TTY_OUTPUT];
};

void tty_init(struct tty *t, struct kernel *k);
/* Somebody types. Takes what there is room for: the number of bytes. */
size_t tty_type(struct tty *t, const char *data, size_t n);
/* A program prints: how many of its bytes were taken. */
size_t tty_print(struct tty *t, const char *data, size_t n);
/* What a reader gets now; -1: nothing yet. 0 is the end of input. */
int64_t tty_take(struct tty *t, char *out, size_t n);
bool tty_readable(const struct tty *t);
void tty_flush(struct tty *t, bool input, bool output);
/* The mode may have changed: a line that was being edited can be read. */
void tty_changed(struct tty *t, bool was_canonical);

#endif
