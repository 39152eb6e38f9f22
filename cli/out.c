/* SPDX-License-Identifier: MIT
 *
 * Text to a descriptor, gathered in a buffer: what is said after the lock can't go through
 * stdio, whose system calls are others.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char buffer[4096];
static struct out_stream standard = { .fd = 1, .buffer = buffer, .size = sizeof buffer };
static struct out_stream *at = &standard;
static int lost; /* why something could not be written */

void out_lost(int reason)
{
	if (lost == 0 && reason != EPIPE)
		lost = reason;
}

int out_status(int status)
{
	if (lost == 0 || status != 0)
		return status;
	out_to(2);
	out_format("cowsh: can't write: %s\n", strerror(lost));
	out_flush();
	return 1;
}

static void put(const char *data, size_t len)
{
	int err = write_all(at->fd, data, len);

	if (err < 0)
		out_lost(-err);
}

void out_flush(void)
{
	put(at->buffer, at->used);
	at->used = 0;
}

struct out_stream *out_select(struct out_stream *stream)
{
	struct out_stream *before = at;

	at = stream;
	return before;
}

void out_to(int fd)
{
	out_flush();
	at->fd = fd;
}

void out_bytes(const char *data, size_t len)
{
	if (len > at->size - at->used)
		out_flush();
	if (len > at->size) {
		put(data, len);
		return;
	}
	memcpy(at->buffer + at->used, data, len);
	at->used += len;
}

void out_text(const char *text)
{
	out_bytes(text, strlen(text));
}

void out_char(char c)
{
	out_bytes(&c, 1);
}

static bool is_plain(unsigned char byte)
{
	return byte >= ' ' && byte != 0x7f && byte != '"' && byte != '\\';
}

static void put_escaped(unsigned char byte)
{
	if (is_plain(byte))
		out_char((char)byte);
	else if (byte == '\n')
		out_text("\\n");
	else if (byte == '\t')
		out_text("\\t");
	else
		out_format(byte == '"' || byte == '\\' ? "\\%c" : "\\%03o", byte);
}

void out_name(const char *name)
{
	bool plain = true;

	for (const char *c = name; *c != '\0'; c++)
		plain = plain && is_plain((unsigned char)*c);
	if (plain) {
		out_text(name);
		return;
	}
	out_char('"');
	for (const char *c = name; *c != '\0'; c++)
		put_escaped((unsigned char)*c);
	out_char('"');
}

void out_source(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			out_char(text[i]);
		else
			put_escaped((unsigned char)text[i]);
	}
}

/* Whether a shell reads it back as it is. */
static bool is_bare(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strchr("%+,-./:=@_", text[i]) == NULL &&
		    (text[i] < '0' || (text[i] > '9' && text[i] < 'A') ||
		     (text[i] > 'Z' && text[i] < 'a') || text[i] > 'z'))
			return false;
	return len != 0;
}

static bool is_printable(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return true;
}

void out_word(const char *text, size_t len)
{
	bool printable = is_printable(text, len);

	if (is_bare(text, len)) {
		out_bytes(text, len);
		return;
	}
	out_text(printable ? "'" : "$'");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\'')
			out_text(printable ? "'\\''" : "\\'");
		else if (printable || text[i] == '"')
			out_char(text[i]);
		else
			put_escaped((unsigned char)text[i]);
	}
	out_char('\'');
}

void out_format(const char *format, ...)
{
	char text[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (n > 0)
		out_bytes(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
