/* SPDX-License-Identifier: MIT
 *
 * Ed scripts: what diff -e writes, and nothing else of ed's language, is cut out of the text and
 * given to ed with a copy of the file.
 */
#include "builtins/patch/patch.h"
#include "builtins/temp.h"

bool patch_is_ed_command(struct bytes line, char *letter)
{
	/* "s/.//" behind a text takes away the first of two dots. */
	const struct bytes dot = BYTES("s/.//");
	size_t at = 0;

	while (at < line.len && byte_is_digit(line.ptr[at]))
		at++;
	if (at > 0 && at + 1 < line.len && line.ptr[at] == ',' && byte_is_digit(line.ptr[at + 1]))
		for (at++; at < line.len && byte_is_digit(line.ptr[at]);)
			at++;
	struct bytes command = bytes_slice(line, at, line.len);

	while (command.len > 0 && memchr(" \t", command.ptr[command.len - 1], 2) != NULL)
		command.len--;
	if (command.len == 0 || (command.len > 1 && !bytes_eq(command, dot)) ||
	    memchr("acdis", command.ptr[0], 5) == NULL ||
	    (command.ptr[0] == 's' && command.len == 1))
		return false;
	*letter = command.ptr[0];
	return true;
}

static void take_line(struct patch_text *t, struct buf *out)
{
	buf_add(out, patch_text_line(t, t->at++));
	buf_putc(out, '\n');
	cmd_charge(t->c, 1);
}

void patch_read_script(struct patch_text *t, struct patch_file *f)
{
	struct buf out = buf_in(t->c->arena);
	/* A last line that is cut is as if it were not there. */
	size_t end = t->n - (t->unended ? 1 : 0);

	while (t->at < end) {
		struct bytes s = patch_text_line(t, t->at);
		char letter;

		if (!patch_is_ed_command(s, &letter))
			break;
		take_line(t, &out);
		if (letter == 'd' || letter == 's')
			continue;
		while (t->at < end && !bytes_eq(patch_text_line(t, t->at), BYTES(".")))
			take_line(t, &out);
		if (t->at < end)
			take_line(t, &out);
	}
	f->cut = t->at == end && t->unended;
	f->script = buf_bytes(&out);
}

struct bytes patch_run_script(struct cmd *c, struct bytes script, struct bytes text)
{
	struct buf path = buf_in(c->arena);
	struct bytes out = BYTES("");
	int commands = temp_open(c, NULL);
	int file = temp_open_named(c, NULL, "po", "", &path);
	static char name[] = "ed";
	static char quiet[] = "-";
	char *argv[] = { name, quiet, buf_cstr(&path), NULL };
	const int fds[] = { commands, 1, 2 };
	int err = cmd_write_fd(c, commands, script.ptr, script.len);

	if (err >= 0)
		err = cmd_write_fd(c, commands, "w\nq\n", 4);
	if (err >= 0)
		err = cmd_write_fd(c, file, text.ptr, text.len);
	cmd_close(c, file);
	if (err >= 0)
		err = (int)cmd_seek(c, commands, 0, 0);
	if (err < 0)
		cmd_fatal(c, err, "**** write error");
	int pid = cmd_spawn(c, &(struct cmd_program){ .argv = argv, .fds = fds, .nfds = 3 });
	int status = pid < 0 ? 1 : cmd_wait_end(c, pid);

	cmd_close(c, commands);
	if (status == 0)
		err = cmd_read_all(c, buf_cstr(&path), &out);
	cmd_unlink(c, CMD_CWD, buf_cstr(&path), 0);
	if (status != 0 || err < 0)
		cmd_fatal(c, 0, "**** ed FAILED");
	return out;
}
