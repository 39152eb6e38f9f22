/* SPDX-License-Identifier: MIT
 *
 * Settings of a terminal, as termios(3) has them on Linux.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdint.h>

struct tty_settings {
	uint32_t input, output, control, local;
	uint8_t line;
	uint8_t keys[19];
};
enum { TTY_LINES = 2, TTY_ECHO = 010 };     /* of local: ICANON, ECHO */
enum { TTY_KEY_TIME = 5, TTY_KEY_MIN = 6 }; /* VTIME, VMIN */

#endif
