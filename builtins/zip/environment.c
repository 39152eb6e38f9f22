/* SPDX-License-Identifier: MIT
 *
 * zip and unzip: options that variables of the environment give. They come first.
 */
#include "builtins/zip/zip.h"

/* The next word of text in out, without double quotes; what is behind it. NULL: there is none. */
static const char *next_word(const char *text, struct buf *out)
{
	bool quoted = false;

	while (byte_is_space((unsigned char)*text))
		text++;
	if (*text == '\0')
		return NULL;
	for (; *text != '\0' && (quoted || !byte_is_space((unsigned char)*text)); text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (*text == '\\' && text[1] == '"')
			buf_putc(out, *++text);
		else
			buf_putc(out, *text);
	}
	return text;
}

void zip_take_environment(struct cmd *c, const char *name, const char *other)
{
	const char *text = cmd_getenv(c, name);
	char **argv;
	size_t n = 1;

	if (text == NULL || *text == '\0')
		text = cmd_getenv(c, other);
	if (text == NULL || c->argc < 1)
		return;
	argv = arena_array(c->arena, (size_t)c->argc + strlen(text) / 2 + 2, sizeof *argv);
	argv[0] = c->argv[0];
	for (;;) {
		struct buf word = buf_in(c->arena);

		text = next_word(text, &word);
		if (text == NULL)
			break;
		argv[n++] = buf_cstr(&word);
	}
	if (n == 1)
		return;
	memcpy(argv + n, c->argv + 1, (size_t)(c->argc - 1) * sizeof *argv);
	c->argc += (int)n - 1;
	c->argv = argv;
}
