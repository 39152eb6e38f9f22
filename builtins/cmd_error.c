/* SPDX-License-Identifier: MIT
 *
 * Messages on standard error: "name: message: error text", each in one write.
 */
#include "builtins/cmd_private.h"

int cmd_error_status(const struct cmd *c)
{
	return c->b->error_status != 0 ? c->b->error_status : 1;
}

static int usage_status(const struct cmd *c)
{
	return c->b->usage_status != 0 ? c->b->usage_status : 1;
}

void cmd_err_write(struct cmd *c, const void *ptr, size_t len)
{
	/* Nothing can be said about an error of saying so. */
	(void)cmd_write_fd(c, 2, ptr, len);
}

static void message(struct cmd *c, int err, const char *format, va_list args)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf text = buf_in(c->arena);

	buf_printf(&text, "%s: ", c->name);
	buf_vprintf(&text, format, args);
	if (err != 0)
		buf_printf(&text, ": %s", err_text(err));
	buf_putc(&text, '\n');
	cmd_err_write(c, text.ptr, text.len);
	arena_release(c->arena, mark);
}

int cmd_error(struct cmd *c, int err, const char *format, ...)
{
	va_list args;

	if (!c->priv->ending)
		cmd_flush(c);
	va_start(args, format);
	message(c, err, format, args);
	va_end(args);
	return cmd_error_status(c);
}

void cmd_warn(struct cmd *c, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(c, err, format, args);
	va_end(args);
}

void cmd_fatal(struct cmd *c, int err, const char *format, ...)
{
	va_list args;

	if (!c->priv->ending)
		cmd_flush(c);
	va_start(args, format);
	message(c, err, format, args);
	va_end(args);
	cmd_exit(c, cmd_error_status(c));
}

void cmd_fatal_status(struct cmd *c, int status, int err, const char *format, ...)
{
	va_list args;

	if (!c->priv->ending)
		cmd_flush(c);
	va_start(args, format);
	message(c, err, format, args);
	va_end(args);
	cmd_exit(c, status);
}

static void put_try(struct cmd *c)
{
	struct arena_mark mark = arena_mark(c->arena);
	struct buf text = buf_in(c->arena);

	if ((c->b->flags & BUILTIN_USAGE_LINE) != 0)
		buf_printf(&text, "Usage: %s %s\n", c->name, c->b->usage);
	buf_printf(&text,
		   c->b->hint != NULL ? c->b->hint : "Try '%s --help' for more information.\n",
		   c->name, c->name);
	cmd_err_write(c, text.ptr, text.len);
	arena_release(c->arena, mark);
}

int cmd_usage(struct cmd *c, const char *format, ...)
{
	va_list args;

	cmd_flush(c);
	if (format != NULL) {
		va_start(args, format);
		message(c, 0, format, args);
		va_end(args);
	}
	put_try(c);
	return usage_status(c);
}

int cmd_operands(struct cmd *c, int min, int max)
{
	if (c->nargs < min && c->nargs == 0)
		return cmd_usage(c, "missing operand");
	if (c->nargs < min)
		return cmd_usage(c, "missing operand after %s",
				 cmd_quote(c, c->args[c->nargs - 1]));
	if (max >= 0 && c->nargs > max)
		return cmd_usage(c, "extra operand %s", cmd_quote(c, c->args[max]));
	return 0;
}
